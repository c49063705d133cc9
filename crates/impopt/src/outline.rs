//! Loops that become functions of their own.
//!
//! A C compiler infers that two pointers are different memory from `restrict`,
//! and GCC heeds it only on the parameters of functions. So a loop that writes
//! memory which is provably different from all else it touches becomes a
//! small function, which compilers put back where it was called:
//!
//! ```text
//! for (int64_t i = 0; i < n; i++) {      =>  loop_i(n, xs_p, ys_p);
//!   ys_p[i] = xs_p[i] + xs_p[0];
//! }
//! ```
//!
//! So does a loop that gains by wide vectors, whatever it writes: a function can be compiled for several
//! processors.

use crate::loops::helpful_vectors;
use crate::usage::{Access, Usage};
use fehu_base::Name;
use fehu_imp::alias::Aliases;
use fehu_imp::ops::{CpuOperation, Operation};
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, CpuOp, ErrorPart, Expr, Outlined, OutlinedBlock, Program, Space, Vectors};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

/// Loops that write memory which is no other's become functions, whose parameters say so.
pub static PASS: Pass<Program> = Pass {
    name: "outline-loops",
    need: Need::Optional,
    run: |program| {
        for f in &mut program.functions {
            let usage = Usage::of(&f.body, &f.outputs, &f.inputs);
            let aliases = Aliases::of(&f.body);
            Loops { usage: &usage, aliases }.code(&mut f.body);
        }
        let usage = Usage::of(&program.init, &program.globals, &[]);
        let aliases = Aliases::of(&program.init);
        Loops { usage: &usage, aliases }.code(&mut program.init);
    },
};

/// The loops of a function, or of a task.
struct Loops<'u> {
    usage: &'u Usage,
    aliases: Aliases,
}

impl Loops<'_> {
    fn code<O: CpuOperation>(&mut self, code: &mut Code<O>) {
        if let Code::Seq(codes) = code {
            return codes.iter_mut().for_each(|c| self.code(c));
        }
        if !code.is_nested() {
            return self.aliases.after(code);
        }
        let saved = self.aliases.enter(code);
        self.nested(code);
        self.aliases.leave(code, saved);
    }

    fn nested<O: CpuOperation>(&mut self, code: &mut Code<O>) {
        if let Code::For { var, .. } = &*code {
            let var = *var;
            if let Some(facts) = outline(code, self.usage, &mut self.aliases) {
                let code_inside = std::mem::replace(code, Code::Seq(vec![]));
                let outlined = facts.with(var, code_inside);
                *code = Code::Op(CpuOp::Outlined(Box::new(outlined)).into());
                return;
            }
        }
        if let Code::For { body, .. } | Code::While(_, body) = code {
            deep(|| self.code(body));
        } else if let Code::If(_, a, b) = code {
            for body in [a, b] {
                let saved = self.aliases.start_body();
                deep(|| self.code(body));
                self.aliases.restore(saved);
            }
        } else if let Code::Op(op) = code {
            if let Some(op) = op.cpu_mut() {
                self.op(op);
            }
        }
    }

    /// Bodies of tasks are functions of their own, which start with what is known around them.
    fn op<O: CpuOperation>(&mut self, op: &mut CpuOp<O>) {
        if let CpuOp::ParFor { start, body, .. } | CpuOp::ParChunks { start, body, .. } = op {
            let mut task = Loops { usage: &self.usage.tasks[start], aliases: self.aliases.clone() };
            task.aliases.start_body();
            deep(|| task.code(body));
        }
        if let CpuOp::ParChunks { before, .. } = op {
            deep(|| self.code(before));
        }
    }
}

/// What a loop needs from the code around.
struct Outline {
    inputs: Vec<Name>,
    updated: Vec<Name>,
    blocks: Vec<OutlinedBlock>,
    can_fail: bool,
    vectors: Vectors,
}

impl Outline {
    fn with<O>(self, var: Name, code: Code<O>) -> Outlined<O> {
        let Outline { inputs, updated, blocks, can_fail, vectors } = self;
        Outlined { var, inputs, updated, blocks, can_fail, vectors, code }
    }
}

/// What it takes to make a function of a loop, if that gives a compiler something to know.
fn outline<O: Operation>(code: &Code<O>, usage: &Usage, aliases: &mut Aliases) -> Option<Outline> {
    let mut facts = Facts::new(usage);
    if !facts.code(code) {
        return None;
    }
    facts.blocks.retain(|m| !facts.inside.contains(m));
    facts.written.retain(|m| !facts.inside.contains(m));
    let vectors = helpful_vectors(code);
    let may_be_apart = !facts.written.is_empty() && facts.blocks.len() >= 2;
    if !may_be_apart && vectors == Vectors::Basic {
        return None;
    }
    if facts.blocks.iter().any(|m| usage.access.get(m) == Some(&Access::Mixed)) {
        return None;
    }
    let all: Vec<Name> = facts.blocks.iter().copied().collect();
    let mut unaliased = |m: Name| {
        let conflicts =
            |other: &&Name| **other != m && (facts.written.contains(&m) || facts.written.contains(*other));
        !all.iter().filter(conflicts).any(|other| aliases.may_alias(m, *other))
    };
    let blocks: Vec<OutlinedBlock> = all
        .iter()
        .map(|m| OutlinedBlock { mem: *m, unaliased: unaliased(*m), written: facts.written.contains(m) })
        .collect();
    if vectors == Vectors::Basic && !blocks.iter().any(|b| b.unaliased && b.written) {
        return None;
    }
    let updated: Vec<Name> = facts.assigned.iter().filter(|x| !facts.inside.contains(*x)).copied().collect();
    let inputs = facts
        .read
        .iter()
        .filter(|x| !facts.inside.contains(*x) && !facts.assigned.contains(*x))
        .copied()
        .collect();
    Some(Outline { inputs, updated, blocks, can_fail: facts.can_fail, vectors })
}

struct Facts<'a> {
    usage: &'a Usage,
    read: IndexSet<Name>,
    assigned: IndexSet<Name>,
    /// Scalars, and arrays of constant size, that are declared in the loop.
    inside: FxHashSet<Name>,
    blocks: IndexSet<Name>,
    written: FxHashSet<Name>,
    can_fail: bool,
}

impl<'a> Facts<'a> {
    fn new(usage: &'a Usage) -> Facts<'a> {
        Facts {
            usage,
            read: IndexSet::new(),
            assigned: IndexSet::new(),
            inside: FxHashSet::default(),
            blocks: IndexSet::new(),
            written: FxHashSet::default(),
            can_fail: false,
        }
    }

    /// Collects the facts; false if the code has statements that must stay in the function.
    fn code<O: Operation>(&mut self, code: &Code<O>) -> bool {
        match code {
            Code::Seq(codes) => codes.iter().all(|c| self.code(c)),
            Code::DeclareScalar(x, _) => {
                self.inside.insert(*x);
                true
            }
            Code::SetScalar(x, e) => {
                if self.usage.needed.contains(x) {
                    self.assigned.insert(*x);
                    self.expr(e);
                }
                true
            }
            Code::Write { mem, offset, value, .. } => {
                self.blocks.insert(*mem);
                self.written.insert(*mem);
                self.expr(offset);
                self.expr(value);
                true
            }
            Code::Copy { shape, dst, src, .. } => {
                self.written.insert(dst.mem);
                for place in [dst, src] {
                    self.blocks.insert(place.mem);
                    place.exprs().for_each(|e| self.expr(e));
                }
                shape.iter().for_each(|e| self.expr(e));
                true
            }
            Code::For { var, bound, body, .. } => {
                self.inside.insert(*var);
                self.expr(bound);
                self.nested(body)
            }
            Code::While(cond, body) => {
                self.expr(cond);
                self.nested(body)
            }
            Code::If(cond, a, b) => {
                self.expr(cond);
                self.nested(a) && self.nested(b)
            }
            Code::Assert { cond, message, .. } => {
                self.can_fail = true;
                self.expr(cond);
                for part in message {
                    match part {
                        ErrorPart::Text(_) => {}
                        ErrorPart::Value(e, _) => self.expr(e),
                    }
                }
                true
            }
            Code::DeclareMem(m, Space::Scalar(..)) => {
                self.inside.insert(*m);
                true
            }
            Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Call { .. }
            | Code::Op(_) => false,
        }
    }

    fn nested<O: Operation>(&mut self, code: &Code<O>) -> bool {
        deep(|| self.code(code))
    }

    fn expr(&mut self, e: &Expr) {
        for_each_part(e, &mut |part| {
            if let Expr::Var(x) = part {
                self.read.insert(*x);
            } else if let Expr::Index { mem, .. } = part {
                self.blocks.insert(*mem);
            }
        });
    }
}
