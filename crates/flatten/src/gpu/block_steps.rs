//! Whether a thread block is busy all the time: what its threads do, and for how long they only wait for others.
//!
//! All threads of a block stay until the last one is done. An operation of the block over fewer elements than
//! it has threads leaves the others waiting, and so does a loop with nothing parallel inside, which is the
//! work of one. A version that is flattened further has as many threads as each of these parts needs. So the
//! default is that version where blocks wait too much:
//!
//! ```text
//! sum over all operations of   max (elements, threads) * steps      what a block takes, in steps of its threads
//! sum over all operations of        elements * steps                what it does
//!
//! map (\q -> let ds = map (distance q) ps                           10,000 elements: 10 for each of 1,024 threads
//!            in loop best = none for i < 10000 do better best ds[i]) qs       one thread for 10,000 steps
//! ```
//!
//! A block has as many threads as the operations in its loops have elements, and those that reduce or scan;
//! of maps outside of loops, threads may take several elements (`kernels/schedule/block`). A version that is
//! flattened further launches kernels, for an operation in a loop in each iteration: blocks may wait for as
//! long as that takes.
//!
//! ```text
//! map (\a -> let q = loop q for i < 32 do orthogonalise q a i        three operations on 32 elements: 96 launches
//!            in matmul (transpose q) a) as                          1,024 elements, but 512 threads: two each
//! ```
//!
//! Comes in: the body of a block, and the names that the host does not know. Goes out: what a block takes and
//! does, as numbers of the host. Steps are those of loops whose number is known to the host; any other loop
//! counts as one step.

use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::{flattening, schedule};
use fehu_base::Name;
use fehu_ir::seg::{KernelsOp, SegKind};
use fehu_ir::visit::for_each_body;
use fehu_ir::{Body, Builder, Exp, Kernels, LoopForm, Shape, SubExp};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashSet;

/// What a block does.
#[derive(Default)]
pub(super) struct BlockSteps {
    /// Elements of operations and the numbers of steps that each takes, with how many operations these are.
    /// Those of one thread have no elements.
    done: IndexMap<(Shape, Shape), i64>,
    /// How often operations run, with how many these are.
    launched: IndexMap<Shape, i64>,
    /// Elements of operations for which there are threads.
    spaces: IndexSet<Shape>,
    /// Elements of maps outside of loops.
    once: IndexSet<Shape>,
    /// Whether there are operations in loops.
    has_loops: bool,
}

/// Where code of a block is.
#[derive(Clone, Default)]
struct Place {
    /// The elements of the operation that it is in.
    elements: Shape,
    /// How often it runs.
    steps: Shape,
    in_loop: bool,
}

impl BlockSteps {
    /// What is in the body of a block.
    pub(super) fn of(body: &Body<Kernels>, unknown: &FxHashSet<Name>) -> BlockSteps {
        let mut steps = BlockSteps::default();
        steps.add(body, unknown, &Place::default());
        steps
    }

    /// Adds what a body does that is in loops and operations; whether there are any.
    fn add(&mut self, body: &Body<Kernels>, unknown: &FxHashSet<Name>, place: &Place) -> bool {
        let mut found = false;
        for stm in &body.stms {
            match &stm.exp {
                Exp::Op(KernelsOp::Seg(seg)) => {
                    let space: Shape = seg.space.dims.iter().map(|d| d.1).collect();
                    *self.launched.entry(place.steps.clone()).or_default() += 1;
                    self.has_loops |= place.in_loop;
                    let has_threads =
                        place.in_loop || matches!(seg.kind, SegKind::Red(_) | SegKind::Scan(..));
                    if has_threads { &mut self.spaces } else { &mut self.once }.insert(space.clone());
                    let inside = Place { elements: space.clone(), ..place.clone() };
                    if !self.add(&seg.body.body, unknown, &inside) {
                        *self.done.entry((space, place.steps.clone())).or_default() += 1;
                    }
                    found = true;
                }
                Exp::Loop(l) => {
                    let mut inside = Place { in_loop: true, ..place.clone() };
                    let known = trips(&l.form).filter(|n| n.name().is_none_or(|n| !unknown.contains(&n)));
                    inside.steps.extend(known);
                    // What is inside of it is counted as often as it runs.
                    if !self.add(&l.body, unknown, &inside) {
                        *self.done.entry((inside.elements, inside.steps)).or_default() += 1;
                    }
                    found = true;
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {
                    for_each_body(&stm.exp, &mut |b| found |= self.add(b, unknown, place));
                }
            }
        }
        found
    }

    /// Whether all threads of a block are always busy, however many it has.
    pub(super) fn are_even(&self) -> bool {
        let mut spaces = self.done.keys().map(|(elements, _)| elements);
        let first = spaces.next();
        spaces.all(|elements| Some(elements) == first)
    }

    /// Whether so many blocks, of no more than so many threads each, wait little for single threads.
    pub(super) fn are_busy(&self, b: &mut Builder<Kernels>, blocks: SubExp, most: SubExp) -> SubExp {
        let threads = self.threads(b);
        let threads = b.bin(BinOp::SMin(IntType::I64), threads, most);
        let (mut takes, mut does) = (vec![], vec![]);
        for ((elements, steps), count) in &self.done {
            let (elements, steps) = (b.product(elements), b.product(steps));
            let steps = b.mul64(steps, SubExp::i64(*count));
            let present = b.bin(BinOp::SMax(IntType::I64), elements, threads);
            takes.push(b.mul64(present, steps));
            does.push(b.mul64(elements, steps));
        }
        let launches = self.launches_of_loops(b);
        let [takes, does] = [takes, does]
            .map(|terms| terms.into_iter().reduce(|x, y| b.add64(x, y)).unwrap_or(SubExp::i64(0)));
        let most = b.mul64(does, SubExp::i64(flattening::BLOCK_STEPS_PER_STEP_DONE));
        let wasted = b.bin(BinOp::Sub(IntType::I64), takes, most);
        let wasted = b.mul64(wasted, blocks);
        let launches = b.mul64(launches, SubExp::i64(flattening::REPEATED_LAUNCH_STEPS));
        let allowed = b.add64(SubExp::i64(flattening::LAUNCH_STEPS), launches);
        b.cmp(CmpOp::SLe(IntType::I64), wasted, allowed)
    }

    /// How many kernels a version that is flattened further launches in loops, where it is known how often these run.
    pub(super) fn launches_of_loops(&self, b: &mut Builder<Kernels>) -> SubExp {
        let mut launches = SubExp::i64(0);
        for (steps, count) in self.launched.iter().filter(|(steps, _)| !steps.is_empty()) {
            let steps = b.product(steps);
            let all = b.mul64(steps, SubExp::i64(*count));
            launches = b.add64(launches, all);
        }
        launches
    }

    /// The elements of operations in loops, and of those that reduce or scan.
    pub(super) fn spaces(&self) -> &IndexSet<Shape> {
        &self.spaces
    }

    /// Whether there are operations in loops.
    pub(super) fn has_loops(&self) -> bool {
        self.has_loops
    }

    /// How many threads a block would have.
    fn threads(&self, b: &mut Builder<Kernels>) -> SubExp {
        let in_turns = if self.has_loops { schedule::MAX_TURNS_OUTSIDE_OF_LOOPS.usual } else { 1 };
        let mut most = SubExp::i64(1);
        for (spaces, turns) in [(&self.spaces, 1), (&self.once, in_turns)] {
            for space in spaces {
                let points = b.product(space);
                let points = match turns {
                    1 => points,
                    _ => b.bin(BinOp::SQuot(IntType::I64), points, SubExp::i64(turns)),
                };
                most = b.bin(BinOp::SMax(IntType::I64), most, points);
            }
        }
        most
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
