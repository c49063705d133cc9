//! Scans of rows by threads that keep their points.
//!
//! The points of a warp are lines of 32 neighbours, of which a thread has one each:
//!
//! ```text
//! lane       0    1    2   ...  31
//! k = 0      0    1    2   ...  31         1. each line is scanned by shuffles, all of them at a time
//! k = 1     32   33   34   ...  63         2. the last element of each line goes to the lines after it
//! ...                                      3. what the warps before have in all goes to all lines of a warp
//! ```
//!
//! So threads read and write neighbouring elements, though they scan them in order, and operators need not be
//! commutative. Lanes that have no point of a line are the last ones of the last line, and what they have
//! goes nowhere.
//!
//! Where a thread's points are neighbours, in blocks that have several columns, it scans them by itself, and
//! adds what its column has in the warps before.

use super::{columns, each_number, each_point, in_groups, of_warps, own};
use crate::translate::kernel::operator::vars;
use crate::translate::kernel::point;
use crate::translate::state::KernelCode;
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::ops::Direction;
use fehu_imp::syntax::Expr;
use fehu_ir::mem::poly;
use fehu_ir::seg::{SegBinOp, SegOp};
use fehu_ir::{Memory, PatElem};

/// A scan.
pub(super) fn scan(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
) {
    let lines = Lines::computed(t, pat, seg, ops);
    let before = match own(t).columns.clone() {
        Some(columns) => {
            let all = lines.scan_own(t);
            Some(columns::before(t, ops, &lines.types, &columns, &all))
        }
        None => {
            lines.scan_each(t);
            let all = lines.add_those_before(t);
            lines.of_warps_before(t, all)
        }
    };
    let scanned = &pat[..lines.types.len()];
    each_number(t, |t, k, at| {
        let values = t.load_all(&lines.arrays, &lines.types, &k);
        if let Some((later, before)) = &before {
            t.if_then(later.clone(), |t| t.apply_all(ops, &vars(before), &vars(&values), &values));
        }
        own(t).now = Some(k);
        for (p, value) in scanned.iter().zip(&values) {
            let place = t.place_of(p.name).fixed(&[poly(at.into())]);
            t.write_alone(&place, var(*value));
        }
        own(t).now = None;
    });
}

/// What the threads of a warp, or of a team, scan.
struct Lines<'a> {
    ops: &'a [SegBinOp<Memory>],
    types: Vec<PrimType>,
    /// A thread's values, by operand.
    arrays: Vec<Name>,
    /// How many lines there are.
    count: Name,
    /// The number of the thread among those of a line, of which there are so many.
    lane: Expr,
    step: i64,
}

impl<'a> Lines<'a> {
    /// Computes a thread's elements.
    fn computed(
        t: &mut KernelCode,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        ops: &'a [SegBinOp<Memory>],
    ) -> Lines<'a> {
        let types = t.operand_types(ops);
        let (points, step, lanes, covered) = {
            let kept = own(t);
            (kept.points, kept.step, kept.lanes, kept.covered.clone())
        };
        let arrays: Vec<Name> = types.iter().map(|ty| t.private_array("scanned", *ty, points)).collect();
        let neutral = t.neutrals(ops);
        let neutral = t.lanes("neutral", &types, neutral);
        t.unrolled_up_to("k", i64(points), |t, k| t.store_all(&arrays, &types, &k, &neutral));
        each_point(t, seg, |t, k| {
            let new = point::point(t, pat, seg);
            for ((mem, ty), value) in arrays.iter().zip(&types).zip(new) {
                t.store(*mem, *ty, k.clone(), value);
            }
        });
        let count = super::count_of(t, add(covered, i64(step - 1)), step);
        let lane = match lanes {
            Some(_) => local(),
            None => rem(local(), i64(WARP_THREADS)),
        };
        let lane = t.let_i64("lane", lane);
        Lines { ops, types, arrays, count, lane, step }
    }

    /// Scans the thread's values, which are neighbours. What they have in all.
    fn scan_own(&self, t: &mut KernelCode) -> Vec<Name> {
        let neutral = t.neutrals(self.ops);
        let before = t.lanes("before", &self.types, neutral);
        let count = own(t).count;
        in_groups(t, count, count, |t, k| {
            let values = t.load_all(&self.arrays, &self.types, &k);
            t.if_then(lt(i64(0), k.clone()), |t| {
                t.apply_all(self.ops, &vars(&before), &vars(&values), &values);
                t.store_all(&self.arrays, &self.types, &k, &values);
            });
            before.iter().zip(vars(&values)).for_each(|(x, e)| t.set_to(*x, e));
        });
        before
    }

    /// Scans each line for itself.
    fn scan_each(&self, t: &mut KernelCode) {
        in_groups(t, self.count, self.count, |t, k| {
            let values = t.load_all(&self.arrays, &self.types, &k);
            for delta in [1u32, 2, 4, 8, 16].into_iter().filter(|delta| i64::from(*delta) < self.step) {
                let other = t.shuffle(&self.types, &values, Direction::Up, delta);
                t.if_then(le(i64(i64::from(delta)), self.lane.clone()), |t| {
                    t.apply_all(self.ops, &vars(&other), &vars(&values), &values);
                });
            }
            t.store_all(&self.arrays, &self.types, &k, &values);
        });
    }

    /// Puts what the lines before a line have in all in front of it. What all lines have.
    fn add_those_before(&self, t: &mut KernelCode) -> Vec<Name> {
        let neutral = t.neutrals(self.ops);
        let before = t.lanes("before", &self.types, neutral);
        in_groups(t, self.count, self.count, |t, k| {
            let values = t.load_all(&self.arrays, &self.types, &k);
            let last = t.shuffle(&self.types, &values, Direction::LastOf, self.step as u32);
            t.if_else(
                lt(i64(0), k.clone()),
                |t| {
                    t.apply_all(self.ops, &vars(&before), &vars(&values), &values);
                    t.store_all(&self.arrays, &self.types, &k, &values);
                    t.apply_all(self.ops, &vars(&before), &vars(&last), &before);
                },
                |t| before.iter().zip(vars(&last)).for_each(|(x, e)| t.set_to(*x, e)),
            );
        });
        before
    }

    /// What the warps before this one have in all, and whether there are any, given what each has.
    fn of_warps_before(&self, t: &mut KernelCode, all: Vec<Name>) -> Option<(Expr, Vec<Name>)> {
        if own(t).lanes.is_some() {
            return None;
        }
        let warp = t.let_i64("warp", quot(local(), i64(WARP_THREADS)));
        let warps = t.let_i64("warps", quot(block_size(), i64(WARP_THREADS)));
        of_warps(t, self.ops, &self.types, &all, &warps, &warp);
        Some((lt(i64(0), warp), t.shuffle(&self.types, &all, Direction::First, 0)))
    }
}
