//! Removes what nobody needs: computations of sizes that are known elsewhere now.
//!
//! Before: any program over `Memory`. After: the same, without code that has no effect and whose results are not used.
//! Memory is not semantics: what is in it that has no name is of no use.

use crate::constants::with_constants;
use fehu_base::Name;
use fehu_ir::mem::MemOp;
use fehu_ir::visit::{deep, for_each_body, look, map_bodies, Visitor};
use fehu_ir::{Body, Exp, LoopForm, Memory, Prog};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashSet;

/// Code that has no effect and whose results are not used goes.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "dead-memory", need: Need::Optional, run: remove };

/// Removes unused code from all functions.
fn remove(prog: &mut Prog<Memory>) {
    with_constants(prog, of_functions);
}

fn of_functions(prog: &mut Prog<Memory>) {
    for fun in &mut prog.funs {
        let mut dead = Dead::default();
        let mut declared = Used(&mut dead.used);
        for r in &fun.ret {
            declared.dec(&r.dec);
        }
        dead.body(&mut fun.body);
    }
}

#[derive(Default)]
struct Dead {
    /// What is used after the current statement.
    used: FxHashSet<Name>,
}

impl Dead {
    /// Uses come after bindings, so one walk from the end sees them all.
    fn body(&mut self, body: &mut Body<Memory>) {
        deep(|| {
            self.used.extend(body.result.iter().filter_map(|e| e.name()));
            let mut kept = Vec::with_capacity(body.stms.len());
            while let Some(mut stm) = body.stms.pop() {
                let unused = stm.pat.iter().all(|p| !self.used.contains(&p.name));
                if unused && has_no_effect(&stm.exp) {
                    continue;
                }
                // Before its bodies: a kernel says with names of its body where results are written.
                Used(&mut self.used).stm(&stm);
                map_bodies(&mut stm.exp, &mut |b| self.body(b));
                kept.push(stm);
            }
            kept.reverse();
            body.stms = kept;
        });
    }
}

/// Whether nothing is lost if an expression, whose results nobody uses, is not computed.
fn has_no_effect(exp: &Exp<Memory>) -> bool {
    match exp {
        Exp::Basic(b) => !b.has_effect(),
        Exp::Op(MemOp::Size(_) | MemOp::Alloc(..)) => true,
        Exp::If(..) => bodies_have_no_effect(exp),
        Exp::Loop(l) => matches!(l.form, LoopForm::For { .. }) && bodies_have_no_effect(exp),
        Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(MemOp::Seg(_)) => false,
    }
}

fn bodies_have_no_effect(exp: &Exp<Memory>) -> bool {
    let mut none = true;
    for_each_body(exp, &mut |b| none &= deep(|| b.stms.iter().all(|s| has_no_effect(&s.exp))));
    none
}

/// Collects uses, without going into bodies.
struct Used<'a>(&'a mut FxHashSet<Name>);

impl Visitor<Memory> for Used<'_> {
    fn name(&mut self, n: &Name) {
        self.0.insert(*n);
    }
    fn body(&mut self, b: &Body<Memory>) {
        look::operands::<Memory>(self, &b.result);
    }
}
