//! The dialect of programs for CPUs: everything is in the host's memory, and tasks are functions that threads run.
//!
//! Loops that `impopt` has outlined become functions, which compilers put back where they are called:
//!
//! ```text
//! outlined wide i (n) updates () blocks (read unaliased xs, written unaliased ys) { for i < n { .. } }
//!
//! LOOP_BODY int loop_i_body(struct futhark_context *ctx, int64_t n, const int32_t *restrict xs_p, ..) { .. }
//! WIDE_LOOP(loop_i, (struct futhark_context *ctx, int64_t n, ..), (ctx, n, xs_p, ys_p))
//! ```
//!
//! If wider vectors help, the function has a version for each width, and runs the widest that the processor has.

use super::ctype;
use super::expr::Spelling;
use super::fun::{ReadsGlobals, Statics};
use super::host::{HostDialect, Static};
use super::stm::{pointer_type, Dialect, StmPrinter};
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::ops::CpuOperation;
use fehu_imp::syntax::{
    Arg, CpuOp, ErrorPart, Expr, HostOp, Loc, Outlined, Place, RacingWrite, Space, TaskOp, Vectors,
};
use std::marker::PhantomData;

/// Code of CPUs with the operations `O`.
pub(crate) struct Cpu<O> {
    pub(crate) globals: ReadsGlobals,
    /// Functions made of loops and tasks.
    pub(crate) functions: String,
    /// Constant data that tasks read.
    pub(crate) statics: Vec<Static>,
    machine: PhantomData<O>,
}

impl<O> Cpu<O> {
    /// The dialect of a function.
    pub(crate) fn new(globals: ReadsGlobals) -> Cpu<O> {
        Cpu { globals, functions: String::new(), statics: vec![], machine: PhantomData }
    }
}

impl<O> Spelling for Cpu<O> {}

/// Operations of CPUs, as C text.
pub(crate) trait CpuText: CpuOperation {
    fn print(&self, p: &mut StmPrinter<Cpu<Self>>);
}

impl CpuText for HostOp {
    fn print(&self, p: &mut StmPrinter<Cpu<HostOp>>) {
        match self {
            HostOp::Cpu(op) => p.cpu_op(op),
            HostOp::Own(launch) => {
                bug!("{} is launched, but the program is for CPUs", p.context().name(launch.kernel))
            }
        }
    }
}

impl CpuText for TaskOp {
    fn print(&self, p: &mut StmPrinter<Cpu<TaskOp>>) {
        match self {
            TaskOp::Cpu(op) => p.cpu_op(op),
            TaskOp::Own(RacingWrite { mem, offset, elem, value }) => {
                p.write_volatile(*mem, offset, *elem, value)
            }
        }
    }
}

impl<O: CpuText> Dialect for Cpu<O> {
    type Op = O;

    fn declare_block(p: &mut StmPrinter<Self>, m: Name, _: &Space) {
        p.ends_here(m);
    }
    fn set_block(p: &mut StmPrinter<Self>, to: Name, from: Name, space: &Space) {
        p.share(to, from, space);
    }
    fn drop_block(p: &mut StmPrinter<Self>, m: Name) {
        p.drop_reference(m);
    }
    fn copy(p: &mut StmPrinter<Self>, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) {
        p.copy(elem, shape, dst, src);
    }
    fn call(p: &mut StmPrinter<Self>, outs: &[Name], fun: Name, args: &[Arg]) {
        p.call(outs, fun, args);
    }
    fn assert(p: &mut StmPrinter<Self>, cond: &Expr, message: &[ErrorPart], loc: &Loc) {
        p.assert(cond, message, loc);
    }
    fn op(p: &mut StmPrinter<Self>, op: &O) {
        op.print(p);
    }
}

impl<O: CpuText> HostDialect for Cpu<O> {
    fn reads_globals(&self) -> bool {
        self.globals == ReadsGlobals::Yes
    }
    fn static_block(name: &str) -> String {
        format!("&{name}_block")
    }
    fn needs(self) -> (Vec<Static>, String) {
        (self.statics, self.functions)
    }
}

impl<O> Statics for Cpu<O> {
    fn declaration(name: &str, bytes: u64) -> String {
        format!(
            "static UNUSED struct block {name}_block = {{.refs = STATIC_BLOCK, .size = {bytes}, \
             .mem = (unsigned char *){name}_data, .constant = true}};\n"
        )
    }
    fn table(_: &[(String, u64)]) -> String {
        String::new()
    }
    const CREATE: &'static str = "";
    const DESTROY: &'static str = "";
}

impl<O: CpuText> StmPrinter<'_, Cpu<O>> {
    fn cpu_op(&mut self, op: &CpuOp<O>) {
        match op {
            CpuOp::Allocate { space: Space::Scalar(..), .. } | CpuOp::Free(_, Space::Scalar(..)) => {}
            CpuOp::Allocate { mem, bytes, space: _, loc } => self.allocate(*mem, bytes, loc),
            CpuOp::Free(m, _) => self.drop_reference(*m),
            CpuOp::Trace { loc, message } => self.trace(loc.as_ref(), message),
            CpuOp::ParFor { .. } | CpuOp::ParChunks { .. } => self.parallel(op),
            CpuOp::Outlined(outlined) => self.outlined(outlined),
            CpuOp::GetSize(x, param) => self.get_size(*x, self.context().param_index(*param)),
            CpuOp::GetSizeMax(x, class) => self.limit(*x, class.as_str()),
            CpuOp::CmpThreshold(x, param, value) => {
                self.compare_threshold(*x, self.context().param_index(*param), value);
            }
        }
    }

    /// The number of workers: the only limit that a CPU has.
    fn limit(&mut self, x: Name, class: &str) {
        if class != "grid_size" {
            bug!("the largest {class} of a CPU is asked for");
        }
        if self.usage.needed.contains(&x) {
            self.assign(x, PrimType::I64, "par_workers(ctx)");
        }
    }

    /// A loop as a function, and the call of it.
    fn outlined(&mut self, outlined: &Outlined<O>) {
        self.flush_pending();
        let Outlined { var, inputs, updated, blocks, can_fail, vectors, code } = outlined;
        let context = self.context();
        let mut p = StmPrinter::new(context, self.usage, Cpu::new(self.exprs.dialect.globals));
        let name = format!("loop_{}", context.name(*var));
        let mut params = vec![("struct futhark_context *".to_owned(), "ctx".to_owned())];
        let mut args = vec!["ctx".to_owned()];
        let types = &self.usage.types;
        let type_of =
            |x: &Name| ctype::prim(types.get(x).copied().unwrap_or_else(|| context.global_type(*x)));
        p.line("(void)ctx;");
        if *can_fail {
            p.line("int err = FUTHARK_SUCCESS;");
        }
        for x in inputs {
            params.push((format!("{} ", type_of(x)), context.name(*x).to_owned()));
            args.push(context.name(*x).to_owned());
        }
        for x in updated {
            let (t, x) = (type_of(x), context.name(*x));
            params.push((format!("{t} *"), format!("{x}_io")));
            args.push(format!("&{x}"));
            p.line(&format!("{t} {x} = *{x}_io;"));
        }
        for block in blocks {
            let m = context.name(block.mem);
            let constness = if block.written { "" } else { "const " };
            let restrict = if block.unaliased { "restrict " } else { "" };
            let pointer = self.usage.access.get(&block.mem).map_or_else(String::new, |a| pointer_type(*a));
            params.push((format!("{constness}{pointer}{restrict}"), format!("{m}_p")));
            args.push(format!("{m}_p"));
        }
        p.code(code);
        for x in updated {
            p.line(&format!("*{0}_io = {0};", context.name(*x)));
        }
        let call = format!("{name}({})", args.join(", "));
        if *can_fail {
            p.exprs.out.push_str("cleanup:\n");
            self.line(&format!("err = {call};"));
            self.check();
        } else {
            self.line(&format!("{call};"));
        }
        p.line(if *can_fail { "return err;" } else { "return FUTHARK_SUCCESS;" });
        let declared: Vec<String> = params.iter().map(|(t, x)| format!("{t}{x}")).collect();
        let declared = declared.join(", ");
        let (body, versions) = match vectors {
            Vectors::Basic => (format!("static inline UNUSED int {name}"), None),
            Vectors::Wide => (format!("LOOP_BODY int {name}_body"), Some("WIDE_LOOP")),
            Vectors::Widest => (format!("LOOP_BODY int {name}_body"), Some("WIDEST_LOOP")),
        };
        let mut text = format!("\n{body}({declared}) {{\n{}}}\n", p.exprs.out);
        if let Some(versions) = versions {
            let names: Vec<&str> = params.iter().map(|(_, x)| x.as_str()).collect();
            text.push_str(&format!("{versions}({name}, ({declared}), ({}))\n", names.join(", ")));
        }
        self.dialect().functions.push_str(&text);
    }
}
