//! Tasks as C text.
//!
//! The body of a parallel operation is a function that the runtime calls from
//! several threads, with a range of iterations and a structure of what the body uses from outside:
//!
//! ```text
//! struct task_7 { int64_t n; struct block *xs_mem; };
//! static struct site task_7_site;
//! static int task_7(struct futhark_context *ctx, void *env, int64_t start, int64_t end, int64_t chunk) { ... }
//!
//! struct task_7 args = {n, xs_mem};
//! err = par_for(ctx, &task_7_site, task_7, &args, n, 1);
//! ```
//!
//! Scalars are copied, blocks are borrowed: the operation is over before their owner drops them.

use super::cpu::{Cpu, CpuText};
use super::ctype;
use super::fun::{body as function, Place, ReadsGlobals};
use super::stm::StmPrinter;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::syntax::{Code, CpuOp, Expr, Param, Space, TaskOp};
use fehu_impopt::usage::Usage;

/// A task's function, and what it needs.
struct Task {
    name: String,
    captured: Vec<Param>,
}

impl<O: CpuText> StmPrinter<'_, Cpu<O>> {
    /// An operation that has tasks.
    pub(super) fn parallel(&mut self, op: &CpuOp<O>) {
        match op {
            CpuOp::ParFor { start, end, bound, least, body } => {
                let task = self.task([*start, *end], None, body);
                self.flush_pending();
                self.open_task(&task);
                self.start();
                self.push(&format!("err = par_for(ctx, &{0}_site, {0}, &args, ", task.name));
                self.exprs.top(bound);
                self.push(&format!(", {least});\n"));
                self.close_task();
            }
            CpuOp::ParChunks { chunk, start, end, bound, most, chunks, before, body } => {
                let task = self.task([*start, *end], Some(*chunk), body);
                self.pending.insert(*chunks, PrimType::I64);
                self.flush_pending();
                let chunks = self.context().name(*chunks);
                self.start();
                self.push(&format!("{chunks} = par_count(ctx, &{}_site, ", task.name));
                self.exprs.top(bound);
                self.push(", ");
                self.exprs.top(most);
                self.push(");\n");
                self.code(before);
                self.flush_pending();
                self.open_task(&task);
                self.start();
                self.push(&format!("err = par_chunks(ctx, &{0}_site, {0}, &args, ", task.name));
                self.exprs.top(bound);
                self.push(&format!(", {chunks});\n"));
                self.close_task();
            }
            CpuOp::Allocate { .. }
            | CpuOp::Free(..)
            | CpuOp::Trace { .. }
            | CpuOp::Outlined(_)
            | CpuOp::GetSize(..)
            | CpuOp::GetSizeMax(..)
            | CpuOp::CmpThreshold(..) => {}
        }
    }

    /// Writes an element that another task may be writing at the same time.
    pub(super) fn write_volatile(&mut self, mem: Name, offset: &Expr, elem: PrimType, value: &Expr) {
        self.start();
        self.push("__atomic_store(&");
        self.exprs.element(mem, offset, elem);
        self.push(&format!(", &({}){{", ctype::prim(elem)));
        self.exprs.top(value);
        self.push("}, __ATOMIC_RELAXED);\n");
    }

    fn open_task(&mut self, task: &Task) {
        let context = self.context();
        let values: Vec<&str> = task.captured.iter().map(|p| context.name(p.name())).collect();
        self.line("{");
        self.indent += 1;
        let values = if values.is_empty() { "0".to_owned() } else { values.join(", ") };
        self.line(&format!("struct {} args = {{{values}}};", task.name));
    }

    fn close_task(&mut self) {
        self.check();
        self.indent -= 1;
        self.line("}");
    }

    /// Prints the function of a task.
    fn task(&mut self, [start, end]: [Name; 2], chunk: Option<Name>, code: &Code<TaskOp>) -> Task {
        let context = self.context();
        let name = format!("task_{}", context.name(start));
        let own: Vec<Name> = [start, end].into_iter().chain(chunk).collect();
        let inside = self.usage.tasks[&start].clone();
        let captured = self.captured(&inside, &own);
        let inputs: Vec<Param> = own.iter().map(|x| Param::Scalar(*x, PrimType::I64)).collect();
        let usage = (*inside).clone().with_inputs(inputs.iter().chain(&captured));
        let place = Place { out_prefix: "", captured: &captured, checks_stack: false };
        let params = ([].as_slice(), inputs.as_slice());
        let text = function(context, Cpu::new(self.exprs.dialect.globals), params, code, &place, &usage);
        let mut members = String::new();
        for p in &captured {
            members.push_str(&match p {
                Param::Scalar(x, t) => format!("  {} {};\n", ctype::prim(*t), context.name(*x)),
                Param::Mem(m, _) => format!("  struct block *{};\n", context.name(*m)),
            });
        }
        if captured.is_empty() {
            members.push_str("  int unused;\n");
        }
        let number = chunk.map_or("chunk", |c| context.name(c));
        let (start, end) = (context.name(start), context.name(end));
        let unused = if chunk.is_none() { "  (void)chunk;\n" } else { "" };
        let printed = format!(
            "\nstruct {name} {{\n{members}}};\n\nstatic struct site {name}_site;\n{}\n\
             static int {name}(struct futhark_context *ctx, void *env, int64_t {start}, int64_t {end}, \
             int64_t {number}) {{\n  struct {name} *args = env;\n  (void)args;\n{unused}{}}}\n",
            text.loops, text.body
        );
        let dialect = self.dialect();
        dialect.statics.extend(text.statics);
        dialect.functions.push_str(&printed);
        Task { name, captured }
    }

    /// What the body of a task needs from outside, besides its own parameters and global values.
    fn captured(&self, inside: &Usage, own: &[Name]) -> Vec<Param> {
        let globals = self.exprs.dialect.globals == ReadsGlobals::Yes;
        let context = self.context();
        let known = |x: Name| own.contains(&x) || (globals && context.global(x).is_some());
        let foreign = |x: &&Name| !known(**x);
        let mut scalars: Vec<Name> = inside.needed.iter().filter(foreign).copied().collect();
        scalars.sort_unstable();
        let scalars = scalars.into_iter().filter(|x| !inside.types.contains_key(x));
        let scalars = scalars.filter_map(|x| Some(Param::Scalar(x, *self.usage.types.get(&x)?)));
        let declared = |m: &Name| {
            inside.types.contains_key(m)
                || inside.blocks.iter().any(|(b, _)| b == m)
                || inside.statics.iter().any(|(b, _)| b == m)
        };
        let mut blocks: Vec<Name> = inside.mentioned.iter().filter(foreign).copied().collect();
        blocks.retain(|m| !declared(m) && !self.usage.types.contains_key(m));
        blocks.sort_unstable();
        scalars.chain(blocks.into_iter().map(|m| Param::Mem(m, Space::Default))).collect()
    }
}
