//! Whether a thread block is busy all the time: what its threads do, and for how long they only wait for others.
//!
//! All threads of a block stay until the last one is done. An operation of the block over fewer elements than it has threads leaves the
//! others waiting, and so does a loop with nothing parallel inside, which is the work of one. A version that is flattened further has as
//! many threads as each of these parts needs. So the default is that version where blocks wait too much:
//!
//! ```text
//! sum over all operations of   max (elements, threads) * steps      what a block takes, in steps of its threads
//! sum over all operations of        elements * steps                what it does
//!
//! map (\q -> let ds = map (distance q) ps                           10,000 elements: 10 for each of 1,024 threads
//!            in loop best = none for i < 10000 do better best ds[i]) qs       one thread for 10,000 steps
//! ```
//!
//! Comes in: the body of a block, and the names that the host does not know. Goes out: what a block takes and does, as numbers of the host.
//! Steps are those of loops whose number is known to the host; any other loop counts as one step.

use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::seg::KernelsOp;
use fehu_ir::visit::for_each_body;
use fehu_ir::{Body, Builder, Exp, Kernels, LoopForm, Shape, SubExp};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

/// What a block does: elements of operations and the numbers of steps that each takes, with how many operations these are. Those of one thread
/// have no elements.
#[derive(Default)]
pub(super) struct BlockSteps(IndexMap<(Shape, Shape), i64>);

impl BlockSteps {
    /// What is in the body of a block.
    pub(super) fn of(body: &Body<Kernels>, unknown: &FxHashSet<Name>) -> BlockSteps {
        let mut steps = BlockSteps::default();
        steps.add(body, unknown, &[], &[]);
        steps
    }

    /// Adds what a body does that is in loops and operations; whether there are any.
    fn add(
        &mut self,
        body: &Body<Kernels>,
        unknown: &FxHashSet<Name>,
        elements: &[SubExp],
        steps: &[SubExp],
    ) -> bool {
        let mut found = false;
        for stm in &body.stms {
            match &stm.exp {
                Exp::Op(KernelsOp::Seg(seg)) => {
                    let space: Shape = seg.space.dims.iter().map(|d| d.1).collect();
                    if !self.add(&seg.body.body, unknown, &space, steps) {
                        *self.0.entry((space, steps.to_vec())).or_default() += 1;
                    }
                    found = true;
                }
                Exp::Loop(l) => {
                    let mut inside = steps.to_vec();
                    inside.extend(trips(&l.form).filter(|n| n.name().is_none_or(|n| !unknown.contains(&n))));
                    // What is inside of it is counted as often as it runs.
                    if !self.add(&l.body, unknown, elements, &inside) {
                        *self.0.entry((elements.to_vec(), inside)).or_default() += 1;
                    }
                    found = true;
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {
                    for_each_body(&stm.exp, &mut |b| found |= self.add(b, unknown, elements, steps));
                }
            }
        }
        found
    }

    /// Whether all threads of a block are always busy, however many it has.
    pub(super) fn are_even(&self) -> bool {
        let mut spaces = self.0.keys().map(|(elements, _)| elements);
        let first = spaces.next();
        spaces.all(|elements| Some(elements) == first)
    }

    /// Whether so many blocks, of so many threads each, wait little for single threads.
    pub(super) fn are_busy(&self, b: &mut Builder<Kernels>, blocks: SubExp, threads: SubExp) -> SubExp {
        let (mut takes, mut does) = (vec![], vec![]);
        for ((elements, steps), count) in &self.0 {
            let (elements, steps) = (b.product(elements), b.product(steps));
            let steps = b.mul64(steps, SubExp::i64(*count));
            let present = b.bin(BinOp::SMax(IntType::I64), elements, threads);
            takes.push(b.mul64(present, steps));
            does.push(b.mul64(elements, steps));
        }
        let [takes, does] = [takes, does].map(|terms| {
            terms.into_iter().reduce(|x, y| b.bin(BinOp::Add(IntType::I64), x, y)).unwrap_or(SubExp::i64(0))
        });
        let most = b.mul64(does, SubExp::i64(flattening::BLOCK_STEPS_PER_STEP_DONE));
        let wasted = b.bin(BinOp::Sub(IntType::I64), takes, most);
        let wasted = b.mul64(wasted, blocks);
        b.cmp(CmpOp::SLe(IntType::I64), wasted, SubExp::i64(flattening::LAUNCH_STEPS))
    }
}

/// How often a loop runs, where it is a number of 64 bits.
fn trips(form: &LoopForm) -> Option<SubExp> {
    match form {
        LoopForm::For { ty: IntType::I64, bound, .. } => Some(*bound),
        LoopForm::For { bound, .. } => bound.as_i64().map(SubExp::i64),
        LoopForm::While(_) => None,
    }
}
