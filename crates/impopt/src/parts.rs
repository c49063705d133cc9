//! Long functions of the host become several.
//!
//! Inlining and versions make functions of tens of thousands of lines, for which C compilers take more than
//! proportional time. In: functions of any length. Out: the same, but where a scope is long, runs of its
//! statements are functions of their own ([`Outlined`]), which get what they need from the code around:
//!
//! ```text
//! t = n * 2                          var t, mem b
//! b = allocate t                     outlined part_9 (n) updates (t) blocks (written b, read a) {
//! launch k(mem a, mem b)       ->      t = n * 2;  b = allocate t;  launch k(mem a, mem b);  ..
//! ..                                 }
//! x = f(t)                           x = f(t)
//! ```
//!
//! A declaration that later statements of its scope use stays in front. Where a block is allocated or freed in a
//! part, the part gets the variable itself, so that everything lives as long as it did.

use crate::usage::Usage;
use fehu_base::{Name, NameSource};
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flattened, for_each_part};
use fehu_imp::syntax::{
    Code as AnyCode, CpuOp, Expr, HostOp, Outlined, OutlinedBlock, Param, Program, Space, Vectors,
};
use fehu_imp::visit::{look_at_code, look_at_cpu_op, Visitor};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};

type Code = AnyCode<HostOp>;

/// Long functions of the host become several.
pub static PASS: Pass<Program> = Pass {
    name: "host-parts",
    need: Need::Optional,
    run: |program| {
        for f in &mut program.functions {
            split(&mut f.body, &f.outputs, &f.inputs, &mut program.names);
        }
        split(&mut program.init, &program.globals, &[], &mut program.names);
    },
};

/// A scope of more lines than this is split ...
const SCOPE_LINES: usize = 600;

/// ... into parts of about as many, and ...
const PART_LINES: usize = 300;

/// ... what is left over is no part if it has fewer.
const LEAST_LINES: usize = 40;

fn split(body: &mut Code, outputs: &[Param], inputs: &[Param], names: &mut NameSource) {
    if lines(body) <= SCOPE_LINES {
        return;
    }
    let usage = Usage::of(body, outputs, inputs);
    let arrays = usage.blocks.iter().filter(|(_, space)| matches!(space, Space::Scalar(..)));
    let arrays = arrays.map(|(m, _)| *m).collect();
    let mut splitter = Splitter { usage: &usage, arrays, names };
    splitter.scope(body);
}

/// About how many lines of text code becomes.
fn lines(code: &Code) -> usize {
    let own = match code {
        Code::Seq(_) | Code::DeclareStatic(..) | Code::DeclareScalar(..) => 0,
        Code::For { .. } | Code::While(..) | Code::If(..) => 3,
        Code::Assert { .. } | Code::Copy { .. } => 4,
        Code::Call { outs, .. } => 6 + 2 * outs.len(),
        Code::Op(HostOp::Own(launch)) => 8 + launch.args.len(),
        Code::Op(HostOp::Cpu(CpuOp::Allocate { .. })) => 5,
        Code::SetScalar(..) | Code::DeclareMem(..) | Code::SetMem(..) | Code::Write { .. } | Code::Op(_) => 1,
    };
    own + code.bodies().into_iter().map(|c| deep(|| lines(c))).sum::<usize>()
}

struct Splitter<'a> {
    usage: &'a Usage,
    /// Arrays of the function's own, which parts cannot be given.
    arrays: FxHashSet<Name>,
    names: &'a mut NameSource,
}

impl Splitter<'_> {
    /// Splits a scope; how many lines it is left with.
    fn scope(&mut self, code: &mut Code) -> usize {
        let mut codes = flattened(vec![std::mem::replace(code, Code::Seq(vec![]))]);
        let mut sizes: Vec<usize> = codes.iter_mut().map(|c| deep(|| self.statement(c))).collect();
        if sizes.iter().sum::<usize>() > SCOPE_LINES {
            codes = self.parts(codes, &sizes);
            sizes = codes.iter().map(|c| if is_part(c) { 4 } else { lines(c) }).collect();
        }
        *code = Code::Seq(codes);
        sizes.iter().sum()
    }

    fn statement(&mut self, code: &mut Code) -> usize {
        if let Code::For { body, .. } | Code::While(_, body) = code {
            3 + self.scope(body)
        } else if let Code::If(_, then, otherwise) = code {
            3 + self.scope(then) + self.scope(otherwise)
        } else {
            lines(code)
        }
    }

    /// Runs of statements as parts.
    fn parts(&mut self, codes: Vec<Code>, sizes: &[usize]) -> Vec<Code> {
        let mut last_use: FxHashMap<Name, usize> = FxHashMap::default();
        for (i, code) in codes.iter().enumerate() {
            let mentions = Mentions::of(code, self.usage);
            last_use.extend(mentions.names().map(|x| (x, i)));
        }
        let (mut out, mut run, mut size) = (vec![], vec![], 0);
        let end = codes.len();
        for (i, code) in codes.into_iter().enumerate() {
            run.push(code);
            size += sizes[i];
            if size >= PART_LINES || i + 1 == end {
                let later = |x: &Name| last_use.get(x).is_some_and(|last| *last > i);
                self.part(std::mem::take(&mut run), size, later, &mut out);
                size = 0;
            }
        }
        out
    }

    /// A run of statements as a part, behind the declarations that later statements need.
    fn part(&mut self, run: Vec<Code>, size: usize, later: impl Fn(&Name) -> bool, out: &mut Vec<Code>) {
        let is_needed = |code: &Code| match code {
            Code::DeclareScalar(x, _) | Code::DeclareMem(x, _) | Code::DeclareStatic(x, ..) => later(x),
            Code::Seq(_)
            | Code::SetScalar(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Assert { .. }
            | Code::If(..)
            | Code::For { .. }
            | Code::While(..)
            | Code::Call { .. }
            | Code::Op(_) => false,
        };
        let (needed, run): (Vec<Code>, Vec<Code>) = run.into_iter().partition(is_needed);
        out.extend(needed);
        let code = Code::Seq(run);
        let mentions = Mentions::of(&code, self.usage);
        if size < LEAST_LINES || mentions.foreign_blocks().any(|(m, _)| self.arrays.contains(&m)) {
            return out.push(code);
        }
        let (updated, inputs) = mentions.foreign_scalars().partition(|x| mentions.assigned.contains(x));
        let block = |(mem, written)| OutlinedBlock { mem, written, unaliased: false };
        let part = Outlined {
            var: self.names.fresh_str("part"),
            inputs,
            updated,
            blocks: mentions.foreign_blocks().map(block).collect(),
            can_fail: true,
            vectors: Vectors::Basic,
            code,
        };
        out.push(Code::Op(HostOp::Cpu(CpuOp::Outlined(Box::new(part)))));
    }
}

fn is_part(code: &Code) -> bool {
    matches!(code, Code::Op(HostOp::Cpu(CpuOp::Outlined(_))))
}

/// What the text of code mentions: scalars that no effect needs are not printed, and what sizes of allocations are
/// computed of is printed where they are allocated.
struct Mentions<'a> {
    usage: &'a Usage,
    scalars: IndexSet<Name>,
    assigned: FxHashSet<Name>,
    /// Blocks, and whether the variable gets another value.
    blocks: IndexMap<Name, bool>,
    declared: FxHashSet<Name>,
}

impl<'a> Mentions<'a> {
    fn of(code: &Code, usage: &'a Usage) -> Mentions<'a> {
        let mut mentions = Mentions {
            usage,
            scalars: IndexSet::default(),
            assigned: FxHashSet::default(),
            blocks: IndexMap::default(),
            declared: FxHashSet::default(),
        };
        mentions.code(code);
        mentions
    }

    fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.scalars.iter().chain(self.blocks.keys()).copied()
    }

    /// Scalars of the code around.
    fn foreign_scalars(&self) -> impl Iterator<Item = Name> + '_ {
        self.scalars.iter().copied().filter(|x| !self.declared.contains(x))
    }

    /// Blocks of the code around, and whether they get another value.
    fn foreign_blocks(&self) -> impl Iterator<Item = (Name, bool)> + '_ {
        self.blocks.iter().filter(|(m, _)| !self.declared.contains(*m)).map(|(m, written)| (*m, *written))
    }

    fn changed(&mut self, m: Name) {
        self.blocks.insert(m, true);
    }

    /// What a size is printed as.
    fn size(&mut self, e: &Expr) {
        let usage = self.usage;
        for part in usage.sizes.parts(e) {
            self.expr(part);
        }
    }
}

impl Visitor<'_> for Mentions<'_> {
    fn code<O: Operation>(&mut self, code: &AnyCode<O>) {
        if let AnyCode::SetScalar(x, e) = code {
            if self.usage.needed.contains(x) {
                self.assigned(x);
                match self.usage.sizes.is_size(*x) {
                    true => self.size(e),
                    false => self.expr(e),
                }
            }
            return;
        }
        if let AnyCode::DeclareStatic(m, _) = code {
            // A part that declares a table does not get it from outside.
            return self.declared(m);
        }
        if let AnyCode::SetMem(m, ..) = code {
            self.changed(*m);
        }
        look_at_code(self, code);
    }

    fn cpu_op<O: Operation>(&mut self, op: &CpuOp<O>) {
        if let CpuOp::Allocate { mem, bytes, .. } = op {
            self.changed(*mem);
            return self.size(bytes);
        }
        if let CpuOp::Free(m, _) = op {
            self.changed(*m);
        }
        look_at_cpu_op(self, op);
    }

    fn expr(&mut self, e: &Expr) {
        for_each_part(e, &mut |part| {
            if let Expr::Var(x) = part {
                self.var(x);
            } else if let Expr::Index { mem, .. } = part {
                self.block(mem);
            }
        });
    }

    fn declared(&mut self, x: &Name) {
        self.declared.insert(*x);
    }

    /// Results of calls may be blocks.
    fn assigned(&mut self, x: &Name) {
        if self.usage.types.contains_key(x) {
            if self.usage.needed.contains(x) {
                self.assigned.insert(*x);
                self.scalars.insert(*x);
            }
        } else {
            self.changed(*x);
        }
    }

    fn var(&mut self, x: &Name) {
        self.scalars.insert(*x);
    }

    fn block(&mut self, m: &Name) {
        self.blocks.entry(*m).or_insert(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_imp::read::read_program;
    use std::fmt::Write;

    /// A function that launches a kernel again and again, with values and blocks that go from one to the next.
    fn long() -> Program {
        let mut body = String::new();
        for i in 0..200 {
            let (x, y, m) = (4 * i + 100, 4 * i + 101, 4 * i + 102);
            let _ = writeln!(
                body,
                "  x_{x} : i64 = n_1 + {i}\n  if x_{x} < 7 {{\n    s_2 = s_2 + x_{x}\n  }}\n  m_{m} : mem\n  \
                 m_{m} = allocate x_{x} * 8\n  launch k_9(x_{x}, mem m_{m}) grid 1 block 1\n  \
                 y_{y} : i64 = m_{m}.i64[0]\n  free m_{m}\n  assert(y_{y} < s_2, \"large\")"
            );
        }
        let text = format!(
            "imp\n\nfun f_0(n_1 : i64) -> (s_2 : i64) {{\n  s_2 = 0\n{body}}}\n\n\
             kernel k_9 \"f.k\" (n_1 : i64, xs_3 : mem) {{\n  xs_3.i64[0] <- n_1\n}}\n"
        );
        read_program(&text).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn no_scope_stays_long() {
        let mut program = long();
        (PASS.run)(&mut program);
        fehu_imp::validate::validate(&program).unwrap_or_else(|e| panic!("{e:#?}"));
        let mut longest = 0;
        let mut rest = vec![&program.functions[0].body];
        while let Some(code) = rest.pop() {
            let Code::Seq(codes) = code else { continue };
            let own = |c: &&Code| if is_part(c) { 1 } else { lines(c) };
            longest = longest.max(codes.iter().map(|c| own(&c)).sum());
            rest.extend(codes.iter().filter(|c| is_part(c)).flat_map(|c| c.bodies()));
        }
        assert!(longest < SCOPE_LINES, "a function of {longest} lines");
    }

    #[test]
    fn parts_give_back_what_they_change_and_keep_their_own_blocks() {
        let mut program = long();
        (PASS.run)(&mut program);
        let Code::Seq(codes) = &program.functions[0].body else { panic!("no sequence") };
        let parts = codes.iter().filter_map(|c| match c {
            Code::Op(HostOp::Cpu(CpuOp::Outlined(part))) => Some(part),
            _ => None,
        });
        let parts: Vec<_> = parts.collect();
        let sum = program.functions[0].outputs[0].name();
        assert!(parts.iter().all(|part| part.updated.contains(&sum)), "the sum is changed");
        let given: usize = parts.iter().map(|part| part.blocks.len()).sum();
        assert!(given <= 2 * parts.len(), "only blocks between two parts are given to them");
    }
}
