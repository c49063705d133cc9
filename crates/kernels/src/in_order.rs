//! Sums of floats in an order that depends on sizes alone, for programs that ask for it (`--deterministic`).
//!
//! Reductions combine what threads, warps and blocks have in their order. Two operations do not:
//!
//! - a scan adds up what the tiles before it have published by then, which may be the sum of a tile or of all up to it.
//!   After [`SCANS`], a tile waits for the one before it;
//! - updates of accumulators and histograms are atomic, in the order in which threads arrive. [`refused`] finds those
//!   that are left in kernels: the host makes them one after the other then.

use fehu_analysis::operator::depends_on_order;
use fehu_base::{Diagnostic, Name};
use fehu_ir::mem::MemOp;
use fehu_ir::schedule::Plan;
use fehu_ir::seg::{KernelsOp, SegKind, SegOp};
use fehu_ir::visit::{deep, for_each_body, map_bodies};
use fehu_ir::{Basic, Body, Exp, Kernels, Loc, Memory, Prog, Type};
use fehu_pass::{Need, Pass, Refusal};
use rustc_hash::FxHashSet;

/// Scans whose tiles wait for each other.
pub static SCANS: Pass<Prog<Memory>> = Pass { name: "scans-in-order", need: Need::Required, run: scans };

fn scans(prog: &mut Prog<Memory>) {
    scans_in(&mut prog.consts);
    prog.funs.iter_mut().for_each(|fun| scans_in(&mut fun.body));
}

fn scans_in(body: &mut Body<Memory>) {
    deep(|| {
        for stm in &mut body.stms {
            if let Exp::Op(MemOp::Seg(seg)) = &mut stm.exp {
                scan(seg);
            }
            map_bodies(&mut stm.exp, &mut scans_in);
        }
    });
}

fn scan(seg: &mut SegOp<Memory>) {
    let SegKind::Scan(ops, _) = &seg.kind else { return };
    if !ops.iter().any(|op| depends_on_order(&op.op)) {
        return;
    }
    let Some(schedule) = &mut seg.schedule else { return };
    // Tiles of strips do not wait.
    schedule.choices.retain(|c| !matches!(c.plan, Plan::Strips(_)));
    for choice in &mut schedule.choices {
        if let Plan::SinglePass(plan) = &mut choice.plan {
            plan.in_order = true;
        }
    }
}

/// The kernels in which threads combine floats in memory as they come.
pub fn refused(prog: &Prog<Kernels>) -> Vec<Refusal> {
    let mut walk = Walk::default();
    walk.host(&prog.consts);
    prog.funs.iter().for_each(|fun| walk.host(&fun.body));
    walk.refused
}

#[derive(Default)]
struct Walk {
    /// The tokens of accumulators of the host, of whose updates the order matters.
    tokens: FxHashSet<Name>,
    refused: Vec<Refusal>,
}

impl Walk {
    fn host(&mut self, body: &Body<Kernels>) {
        deep(|| {
            for stm in &body.stms {
                if let Exp::WithAcc(w) = &stm.exp {
                    let with = w.inputs.iter().zip(&w.lambda.params);
                    let matters =
                        with.filter(|(i, _)| i.op.as_ref().is_some_and(|(op, _)| depends_on_order(op)));
                    self.tokens.extend(matters.map(|(_, token)| token.name));
                }
                if let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp {
                    let SegOp { kind, body, .. } = seg;
                    let bins =
                        matches!(kind, SegKind::Hist(ops) if ops.iter().any(|op| depends_on_order(&op.op)));
                    if bins || self.updates(&body.body) {
                        self.refuse(&stm.loc);
                    }
                } else {
                    for_each_body(&stm.exp, &mut |inner| self.host(inner));
                }
            }
        });
    }

    /// Whether a body of a kernel updates such an accumulator.
    fn updates(&self, body: &Body<Kernels>) -> bool {
        let mut any = false;
        deep(|| {
            for stm in &body.stms {
                if let Exp::Basic(Basic::UpdateAcc(..)) = &stm.exp {
                    let of = |ty: &Type| matches!(ty, Type::Acc(token, ..) if self.tokens.contains(token));
                    any |= stm.pat.iter().any(|p| of(&p.ty));
                }
                for_each_body(&stm.exp, &mut |inner| any |= self.updates(inner));
            }
        });
        any
    }

    fn refuse(&mut self, loc: &Loc) {
        let message = "Threads of a GPU add up floats here in the order in which they arrive.";
        self.refused.push(Refusal { kernel: loc.clone(), problem: Diagnostic::error(loc.span, message) });
    }
}
