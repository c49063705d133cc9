//! Maps: how many points a thread computes, and in which order.
//!
//! Points that are cheap to compute are limited by memory, and one of them per thread does not keep it busy.
//! Where a space has rows that blocks can be filled with, the points of a thread are one below the other: to
//! find them, a thread divides once and not for each point; and what stencils read for one of them, they read
//! for the next, so that compilers keep it in registers. Points that read where to read, and check it, wait
//! twice: a thread has more of them, whose reads are on their way together (`impopt/read_ahead`). Where
//! points have loops, blocks are small. Maps whose points read the same elements in loops are tiled first;
//! see [`super::tile`].

use super::combine::is_heavy;
use super::{otherwise, Scheduler};
use fehu_base::tuning::schedule::*;
use fehu_base::Name;
use fehu_ir::free::free_in_exp;
use fehu_ir::schedule::{Choice, Column, Condition, Plan, Points, Quantity};
use fehu_ir::seg::{KernelReturn, SegOp, SizeClass};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Exp, Memory};
use rustc_hash::FxHashSet;

impl Scheduler {
    pub(super) fn map(&mut self, seg: &SegOp<Memory>) -> Vec<Choice> {
        if seg.grid.is_some() {
            return vec![otherwise(Plan::Strided)];
        }
        let tiling = self.tiling(seg);
        let cached = match tiling.as_ref().and_then(|tiling| tiling.down) {
            None => self.cached_rows(seg),
            Some(_) => None,
        };
        let mut choices = vec![];
        if tiling.is_some() || cached.is_some() {
            let tile = self.param("segmap", SizeClass::TileSize, None);
            choices.extend(cached.map(|rows| rows.choice(self, tile)));
            choices.extend(tiling.into_iter().flat_map(|tiling| self.tiles(&tiling, tile)));
        }
        choices.extend(self.turned(seg));
        choices.push(otherwise(self.points(seg)));
        choices
    }

    /// A map without tiles.
    fn points(&mut self, seg: &SegOp<Memory>) -> Plan {
        let block = self.block_param("segmap", is_heavy(seg).then_some(BLOCK_OF_EXPENSIVE_POINTS));
        let cost = cost(seg);
        let several = match gathers(seg) && seg.space.dims.len() > 1 {
            true => POINTS_PER_THREAD_OF_GATHER,
            false => POINTS_PER_THREAD,
        };
        let column = match (cost, seg.space.dims.len()) {
            (Cost::Much, _) | (_, 0 | 1) => None,
            (Cost::Little | Cost::Stencil, _) => Some(Column {
                points: several,
                widths_log2: WIDTHS_LOG2.to_vec(),
                idle: IDLE_ONE_IN,
                when: vec![
                    Condition::must(0, Quantity::WidthLog2).strictly(),
                    Condition::pays(self.threshold(MIN_ROWS_FOR_COLUMNS), Quantity::Rows),
                    self.enough_for_several(),
                ],
            }),
        };
        let (each, each_when) = match cost {
            Cost::Little => (several, vec![self.enough_for_several()]),
            Cost::Stencil | Cost::Much => (1, vec![]),
        };
        Plan::Points(Points { block, each, each_when, column })
    }

    /// That there are enough points to give threads several.
    fn enough_for_several(&mut self) -> Condition {
        Condition::pays(self.threshold(MIN_POINTS_FOR_SEVERAL), Quantity::Points)
    }
}

/// How much a point costs besides memory traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cost {
    Little,
    /// A little more, but neighbours read the same elements.
    Stencil,
    Much,
}

/// Whether points read an element at a place that they have read and check, and have no branches.
fn gathers(seg: &SegOp<Memory>) -> bool {
    let mut read: FxHashSet<Name> = FxHashSet::default();
    let mut found = false;
    for stm in &seg.body.body.stms {
        let depends = free_in_exp(&stm.exp).iter().any(|x| read.contains(x));
        let Exp::Basic(basic) = &stm.exp else { return false };
        let reads = matches!(basic, Basic::Index(..));
        found |= reads && depends && stm.certs.iter().any(|c| read.contains(c));
        if reads || depends || stm.certs.iter().any(|c| read.contains(c)) {
            read.extend(stm.pat.iter().map(|p| p.name));
        }
    }
    found
}

/// What the points of a map cost.
fn cost(seg: &SegOp<Memory>) -> Cost {
    let (mut plain, mut length) = (true, 0);
    let mut read = FxHashSet::default();
    let (mut again, mut checks) = (false, false);
    for_each_stm(&seg.body.body, &mut |stm| {
        length += 1;
        plain &= match &stm.exp {
            Exp::Loop(_) | Exp::Call(..) | Exp::Op(_) | Exp::WithAcc(_) => false,
            Exp::Basic(
                Basic::Copy(_)
                | Basic::Manifest(..)
                | Basic::Concat { .. }
                | Basic::Replicate(..)
                | Basic::Iota { .. },
            ) => false,
            Exp::Basic(basic) => {
                if let Basic::Index(a, _) = basic {
                    again |= !read.insert(*a);
                }
                checks |= matches!(basic, Basic::Assert(..));
                true
            }
            Exp::If(..) => true,
        };
    });
    let scalar = seg.types.iter().all(|t| t.rank() == 0);
    let in_order = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    match scalar && in_order && plain {
        true if length <= MAX_STATEMENTS_OF_CHEAP_MAP => Cost::Little,
        true if !again && !checks && length <= MAX_STATEMENTS_OF_STRAIGHT_MAP => Cost::Little,
        true if again && length <= MAX_STATEMENTS_OF_STENCIL => Cost::Stencil,
        true | false => Cost::Much,
    }
}
