//! What the operations inside of a task take, as sums of products of sizes.

use super::Multi;
use crate::gpu::steer::Steer;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::tuning::multicore;
use fehu_base::Name;
use fehu_ir::cost::stm_instructions;
use fehu_ir::soac::Soac;
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Body, Exp, LoopForm, Soacs, SubExp};
use rustc_hash::FxHashSet;

/// The operations inside of a point that may be worth sharing.
#[derive(Default)]
pub(super) struct Estimate {
    /// How often such operations begin.
    runs: Vec<Product>,
    /// The statements that they run, all together.
    statements: Vec<Product>,
}

struct Product {
    weight: i64,
    sizes: Vec<SubExp>,
}

impl Estimate {
    /// What is inside of the body of a point, if its sizes are known outside, where these names are not.
    /// Loops that run nobody knows how often count once: that scales all that is in them alike.
    pub(super) fn of(body: &Body<Soacs>, own: &FxHashSet<Name>) -> Option<Estimate> {
        let mut estimate = Estimate::default();
        estimate.operations(body, own, &[])?;
        Some(estimate)
    }

    fn operations(&mut self, body: &Body<Soacs>, own: &FxHashSet<Name>, around: &[SubExp]) -> Option<()> {
        for stm in &body.stms {
            if Steer::of(&stm.attrs).sequential || matches!(stm.exp, Exp::WithAcc(_)) {
                continue;
            }
            let width = width(&stm.exp);
            if width.is_some_and(|w| w.as_i64().is_none_or(|n| n >= multicore::LEAST_ELEMENTS)) {
                self.runs.push(Product { weight: 1, sizes: around.to_vec() });
                self.bodies(&stm.exp, own, around)?;
            } else if width.is_none() {
                let around = inside(&stm.exp, own, around);
                let mut known = Some(());
                for_each_body(&stm.exp, &mut |b| {
                    known = known.and_then(|()| deep(|| self.operations(b, own, &around)));
                });
                known?;
            }
        }
        Some(())
    }

    /// Counts the statements in the bodies of an expression.
    fn bodies(&mut self, exp: &Exp<Soacs>, own: &FxHashSet<Name>, around: &[SubExp]) -> Option<()> {
        let mut around = inside(exp, own, around);
        if let Some(width) = width(exp) {
            if is_own(width, own) {
                return None;
            }
            around.push(width);
        }
        let mut known = Some(());
        for_each_body(exp, &mut |b| {
            known = known.and_then(|()| {
                let weight: usize = b.stms.iter().map(|s| stm_instructions(s).unwrap_or(1)).sum();
                self.statements.push(Product { weight: 1 + weight as i64, sizes: around.clone() });
                b.stms.iter().try_for_each(|s| deep(|| self.bodies(&s.exp, own, &around)))
            });
        });
        known
    }
}

/// Over how many elements an operation goes.
fn width(exp: &Exp<Soacs>) -> Option<SubExp> {
    match exp {
        Exp::Op(Soac::Screma(s)) => Some(s.width),
        Exp::Op(Soac::Hist(h)) => Some(h.width),
        Exp::Op(Soac::Scatter(s)) => Some(s.width),
        Exp::Op(Soac::Filter(f)) => Some(f.width),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// The sizes around what is inside of an expression.
fn inside(exp: &Exp<Soacs>, own: &FxHashSet<Name>, around: &[SubExp]) -> Vec<SubExp> {
    let mut around = around.to_vec();
    if let Exp::Loop(l) = exp {
        if let LoopForm::For { ty: IntType::I64, bound, .. } = l.form {
            around.extend(Some(bound).filter(|b| !is_own(*b, own)));
        }
    }
    around
}

fn is_own(size: SubExp, own: &FxHashSet<Name>) -> bool {
    size.name().is_some_and(|n| own.contains(&n))
}

impl Multi {
    /// Whether so many points are done as soon if each is sequential inside. Workers have no more than
    /// `rounds` points each, one after the other. If they share what is inside, too, nobody waits for the
    /// last round, but each operation costs what it takes to share it.
    pub(super) fn as_soon(&mut self, points: SubExp, workers: SubExp, estimate: &Estimate) -> SubExp {
        let statements = self.sum(&estimate.statements);
        let runs = self.sum(&estimate.runs);
        let b = &mut self.seq.b;
        let quot = BinOp::SQuot(IntType::I64);
        let less = b.sub64(workers, SubExp::i64(1));
        let more = b.add64(points, less);
        let rounds = b.bin(quot, more, workers);
        let alone = b.mul64(rounds, statements);
        let all = b.mul64(points, statements);
        let even = b.bin(quot, all, workers);
        let sharing = b.mul64(runs, SubExp::i64(multicore::SHARING_STATEMENTS));
        let sharing = b.mul64(rounds, sharing);
        let shared = b.add64(even, sharing);
        b.cmp(fehu_base::ops::CmpOp::SLe(IntType::I64), alone, shared)
    }

    fn sum(&mut self, products: &[Product]) -> SubExp {
        products.iter().fold(SubExp::i64(0), |sum, p| {
            let size = self.seq.b.product(&p.sizes);
            let weighted = self.seq.b.mul64(SubExp::i64(p.weight), size);
            self.seq.b.add64(sum, weighted)
        })
    }
}
