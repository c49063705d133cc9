//! Products of matrices of `f64` by warps, on devices that have units for them.
//!
//! A warp computes `8 R` by `4 R` points of the rectangle, of which each lane has `R` by `R`:
//!
//! ```text
//! for part < D / 8 {                                 -- D iterations are a step; eight are multiplied at once
//!   x[R][2] = as[.., 8 part + lane%4 + {0, 4}];  y[R/2][2] = bs[8 part + lane%4 + {0, 4}, ..]
//!   s[R][R] += x * y                                 -- by all lanes together
//! }
//! ```
//!
//! A lane computes the factors for rows and columns of its own, from what is in the tiles: these are not the
//! rows and columns of its points. The kernel has this code and that of threads beside each other, and is
//! compiled for one of them (`matrix_units`).
//!
//! Where a step has fewer iterations than there is room for, the factors of the others are -0 and 0, whose
//! product changes no sum: not even one that is -0.

use super::emit::{count, sized_array, Step};
use super::measures::Measures;
use crate::translate::kernel::point;
use crate::translate::state::KernelCode;
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::{FloatType, PrimType, PrimValue};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::free::free_in_stm;
use fehu_ir::schedule::Along;
use fehu_ir::{Loop, Memory, Space, Stm};
use rustc_hash::FxHashSet;

/// Rows and columns of the sums of which a lane has one and two; a product has twice as many rows.
const SIDE: i64 = 8;
/// Iterations that are multiplied at once, and those of a lane among them.
const ITERATIONS: i64 = 8;
const OF_LANE: i64 = 2;
/// Lanes that have sums of the same row.
const IN_ROW: i64 = 4;

const ELEM: PrimType = PrimType::Float(FloatType::F64);

/// Where a lane is.
pub(super) struct Lane {
    /// The first point of the warp, down and across the rectangle.
    warp: [Expr; 2],
    /// The lane's row of the left matrix, which is its column of the right one.
    row: Expr,
    /// Its column of the left matrix.
    column: Expr,
}

/// Whether warps can compute tiles of these sizes, and the device has units for matrices.
pub(super) fn can_run(sizes: &Measures) -> Expr {
    let divides = |n: i64, e: &Expr| eq(rem(e.clone(), i64(n)), i64(0));
    and(matrix_units(), and(divides(OF_LANE, &sizes.each), divides(SIDE, &sizes.threads[0])))
}

/// How far a lane's `r`th point along a side is from its first one.
pub(super) fn leap(along: Along, r: &Expr) -> Expr {
    match along {
        Along::Down => mul(r.clone(), i64(SIDE)),
        Along::Across => add(mul(quot(r.clone(), i64(OF_LANE)), i64(SIDE)), rem(r.clone(), i64(OF_LANE))),
        Along::Nothing => i64(0),
    }
}

impl Lane {
    pub(super) fn new(t: &mut KernelCode, sizes: &Measures) -> Lane {
        let warp = t.let_i64("warp", quot(local(), i64(WARP_THREADS)));
        let lane = t.let_i64("lane", rem(local(), i64(WARP_THREADS)));
        let across = quot(sizes.threads[1].clone(), i64(IN_ROW));
        let first = |number: Expr, lanes: i64| mul(number, mul(i64(lanes), sizes.each.clone()));
        let down = t.let_i64("first", first(quot(warp.clone(), across.clone()), SIDE));
        let across = t.let_i64("first", first(rem(warp, across), IN_ROW));
        let row = t.let_i64("row", quot(lane.clone(), i64(IN_ROW)));
        let column = t.let_i64("column", rem(lane, i64(IN_ROW)));
        Lane { warp: [down, across], row, column }
    }

    /// The place of its first point, down and across.
    pub(super) fn first_point(&self) -> [Expr; 2] {
        let [down, across] = &self.warp;
        [add(down.clone(), self.row.clone()), add(across.clone(), mul(self.column.clone(), i64(OF_LANE)))]
    }
}

/// A step of a product: the factors are what two statements of the loop compute, and it has so many iterations.
pub(super) fn multiply(
    t: &mut KernelCode,
    step: &Step,
    l: &Loop<Memory>,
    [down, across]: [usize; 2],
    sums: Name,
    here: Expr,
) {
    let depth = step.frame.sizes.depth.clone();
    let iterations = |t: &mut KernelCode, end: Option<&Expr>| {
        t.unrolled_up_to("part", quot(depth.clone(), i64(ITERATIONS)), |t, part| {
            let left = factors(t, step, l, (down, Along::Down), &part, end);
            let right = factors(t, step, l, (across, Along::Across), &part, end);
            let points = step.frame.sizes.each.clone();
            t.emit(Code::Op(KernelOp::MultiplyAdd { sums, left, right, points }));
        });
    };
    t.if_else(eq(here.clone(), depth.clone()), |t| iterations(t, None), |t| iterations(t, Some(&here)));
}

/// The factors that a lane has of one matrix, two for each eight points of the warp. Beyond the end of a step
/// they are zeros.
fn factors(
    t: &mut KernelCode,
    step: &Step,
    l: &Loop<Memory>,
    (computed_by, along): (usize, Along),
    part: &Expr,
    end: Option<&Expr>,
) -> Name {
    let Some(lane) = &step.frame.lane else { bug!("threads that are in no warp multiply matrices") };
    let each = step.frame.sizes.each.clone();
    // Sizes of arrays are constants in C, which quotients are not.
    let (warp, count, size, zero) = match along {
        Along::Down => (&lane.warp[0], each.clone(), mul(each, i64(OF_LANE)), -0.0),
        Along::Across => (&lane.warp[1], quot(each.clone(), i64(2)), each, 0.0),
        Along::Nothing => bug!("a factor changes along no side"),
    };
    let own = sized_array(t, "own", Space::Scalar(ELEM, vec![]), ELEM, size);
    let copy = t.renamed_loop(l);
    t.unrolled_up_to("r", count, |t, r| {
        t.unrolled_up_to("h", i64(OF_LANE), |t, h| {
            let k = add(mul(part.clone(), i64(ITERATIONS)), mul(h.clone(), i64(IN_ROW)));
            let k = t.let_i64("k", add(k, lane.column.clone()));
            let place = add(add(warp.clone(), lane.row.clone()), mul(r.clone(), i64(SIDE)));
            let place = t.let_i64("place", place);
            let value = factor(t, step, &copy, (computed_by, along), &k, &place, end);
            let value = match end {
                Some(end) => select(lt(k, end.clone()), value, Expr::Const(PrimValue::F64(zero))),
                None => value,
            };
            t.store(own, ELEM, add(mul(r, i64(OF_LANE)), h), value);
        });
    });
    own
}

/// A factor, for an iteration of the step and a place along the rectangle.
fn factor(
    t: &mut KernelCode,
    step: &Step,
    l: &Loop<Memory>,
    (computed_by, along): (usize, Along),
    k: &Expr,
    place: &Expr,
    end: Option<&Expr>,
) -> Expr {
    let frame = step.frame;
    if let Some((index, size)) = frame.dim(along) {
        let last = sub(t.operand(size), i64(1));
        point::fresh_index(t, index, min(add(frame.start(along), place.clone()), last));
    }
    let exists = match end {
        Some(end) => min(k.clone(), sub(end.clone(), i64(1))),
        None => k.clone(),
    };
    count(t, step, l, exists);
    let needed = needed(&l.body.stms, computed_by, |k| step.reads.iter().any(|read| read.stm == k));
    for (stm_number, stm) in l.body.stms.iter().enumerate().filter(|(n, _)| needed.contains(n)) {
        let read = step.reads.iter().zip(&step.tiles).find(|(read, _)| read.stm == stm_number);
        let Some((read, tile)) = read else {
            t.stm(stm);
            continue;
        };
        let place = if read.along == Along::Nothing { i64(0) } else { place.clone() };
        let at = add(frame.sizes.tile_of_step(read, &step.number), frame.sizes.at(read, k.clone(), place));
        let value = t.element(*tile, read.at.elem, at);
        let x = t.let_as("x", read.at.elem, value);
        t.same.extend(stm.pat.iter().map(|p| (p.name, x.into())));
    }
    let Some(p) = l.body.stms[computed_by].pat.first() else { bug!("a factor has no name") };
    t.operand(p.name.into())
}

/// The numbers of the statements that one depends on; nothing is looked for behind reads of tiles.
fn needed(stms: &[Stm<Memory>], last: usize, is_read: impl Fn(usize) -> bool) -> FxHashSet<usize> {
    let mut needed = FxHashSet::default();
    let mut names: FxHashSet<Name> = stms[last].pat.iter().map(|p| p.name).collect();
    for (k, stm) in stms.iter().enumerate().rev() {
        if stm.pat.iter().any(|p| names.contains(&p.name)) {
            needed.insert(k);
            if !is_read(k) {
                names.extend(free_in_stm(stm));
            }
        }
    }
    needed
}
