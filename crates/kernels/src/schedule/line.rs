//! Several iterations of a loop over vectors are one kernel.
//!
//! ```text
//! loop (a) for s < n { row = (s + 1) * w;  segmap (i < w) { min(a[i - 1], a[i], a[i + 1]) + costs[row + i] } }
//!   ==>   the map has a plan more:   line(16 of [a], radius 1, block 256, ahead [costs])
//! ```
//!
//! A step of a vector is done within the time that it takes to launch a kernel and to wait for memory. A
//! block that computes some elements for several steps needs `r` elements more at each end for every step,
//! which its neighbours compute as well; it waits for memory once, and for its own threads after each step
//! (`impgen/translate/kernel/line`). Large vectors gain as well, since they are read and written once for all
//! steps.
//!
//! **When it is legal.** The loop is counted, and the map is its last statement. The statements before it
//! compute scalars and views of what the loop does not change from the counter alone, so that threads can
//! compute them for all steps; what they check, the host checks before. The map's results are what the loop
//! hands on, as in [`steps`](super::steps), and it reads these close to its own point, also around the ends
//! of the vector, as rotations do ([`reach`](super::steps::reach)). Nothing else that the loop hands on
//! changes. Arrays that the map reads besides are in other blocks of memory than its results: blocks write
//! results while others still read.
//!
//! **When it pays.** Wherever points compute little: a seventh of them is computed twice. Where they compute
//! more, it is for vectors that are small enough for launches to take most of the time.

use super::steps::reach::{self, Ends};
use super::steps::{last_map, LastMap};
use super::{when, Scheduler};
use fehu_base::device::{BLOCK_THREADS, MAX_DECLARED_SHARED_BYTES};
use fehu_base::tuning::schedule::{
    FEW_OPERATIONS_PER_BYTE_OF_STEPS, LEAST_POINTS_OF_LINE, MAX_BYTES_AHEAD_OF_LINE,
    MAX_OPERATIONS_PER_BYTE_OF_STEPS, MAX_POINTS_OF_LONG_LINE, STEPS_OF_LINE,
};
use fehu_base::Name;
use fehu_ir::schedule::{Amount, Condition, Line, Plan, Quantity};
use fehu_ir::seg::SegOp;
use fehu_ir::{Loop, Memory, Type};

/// The map of a loop over vectors whose iterations may be done several at a time has a plan for that, before
/// all others.
pub(super) fn line(s: &mut Scheduler, l: &mut Loop<Memory>) {
    let Some(LastMap { seg, carried, attrs, .. }) = last_map(s, l, 1) else { return };
    let radius = reach::radius(seg, &carried, &s.sums, Ends::Neighbours);
    let Some(radius) = radius.filter(|radius| *radius > 0) else { return };
    let bytes: i64 = seg.types.iter().filter_map(Type::elem).map(|elem| elem.bytes() as i64).sum();
    let operations = super::steps::operations(&seg.body.body);
    if operations > bytes * MAX_OPERATIONS_PER_BYTE_OF_STEPS {
        return;
    }
    let room = bytes * 2 * (BLOCK_THREADS + 2 * radius);
    let fits = |steps: &i64| 4 * steps * radius <= BLOCK_THREADS;
    let Some(steps) = STEPS_OF_LINE.iter().copied().find(fits) else { return };
    if room > MAX_DECLARED_SHARED_BYTES {
        return;
    }
    let mut conditions = vec![
        Condition::must(Quantity::Block, Quantity::MaxBlock),
        Condition::must(Quantity::Shared, Quantity::MaxShared),
        Condition::must(Amount::from(LEAST_POINTS_OF_LINE), Quantity::Points),
    ];
    if operations > bytes * FEW_OPERATIONS_PER_BYTE_OF_STEPS {
        conditions.push(Condition::pays(Quantity::Points, s.threshold(MAX_POINTS_OF_LONG_LINE)));
    }
    let ahead = ahead(seg, &carried, steps);
    let plan = Line { steps, carried, radius, block: BLOCK_THREADS, ahead };
    if let Some(schedule) = &mut seg.schedule {
        schedule.params.append(&mut s.params);
        schedule.choices.insert(0, when(conditions, Plan::Line(plan)));
        super::steer::steer(schedule, &attrs);
    }
}

/// The arrays of which a thread can read the elements of all steps before it computes the first: at indices
/// that depend on nothing that the loop hands on, and as far as there are registers for them.
fn ahead(seg: &SegOp<Memory>, carried: &[Name], steps: i64) -> Vec<Name> {
    let mut room_bytes = MAX_BYTES_AHEAD_OF_LINE;
    let mut ahead = vec![];
    for number in Line::known_before(&seg.body.body, carried) {
        let stm = &seg.body.body.stms[number];
        let Some((_, array, _)) = super::read_element(stm) else { continue };
        let bytes = stm.pat.iter().filter_map(|p| p.ty.elem()).map(|e| e.bytes() as i64).sum::<i64>() * steps;
        if bytes <= room_bytes && !ahead.contains(&array) {
            room_bytes -= bytes;
            ahead.push(array);
        }
    }
    ahead
}
