//! Several iterations of a loop over vectors are one kernel.
//!
//! ```text
//! loop (a) for s < n { row = (s + 1) * w;  segmap (i < w) { min(a[i - 1], a[i], a[i + 1]) + costs[row + i] } }
//!   ==>   the map has a plan more:   line(16 of [a], radius 1, block 256, ahead [costs])
//! ```
//!
//! A step of a vector is done within the time that it takes to launch a kernel and to wait for memory. A block that computes some elements for several
//! steps needs `r` elements more at each end for every step, which its neighbours compute as well; it waits for memory once, and for its own
//! threads after each step (`impgen/translate/kernel/line`). Large vectors gain as well, since they are read and written once for all steps.
//!
//! **When it is legal.** The loop is counted, and the map is its last statement. The statements before it compute scalars and views of what the loop does not change
//! from the counter alone, so that threads can compute them for all steps; what they check, the host checks before. The map's results are what the loop hands on, as in
//! [`steps`](super::steps), and it reads these close to its own point, also around the ends of the vector, as rotations do ([`reach`](super::steps::reach)). Nothing else that the
//! loop hands on changes. Arrays that the map reads besides are in other blocks of memory than its results: blocks write results while others still read.
//!
//! **When it pays.** Wherever points compute little: a seventh of them is computed twice. Where they compute more, it is for vectors that are small enough for launches to
//! take most of the time.

use super::steps::{carried, counter, is_map_of_scalars, others_stay, reach};
use super::{when, Scheduler};
use fehu_base::device::{BLOCK_THREADS, MAX_DECLARED_SHARED_BYTES};
use fehu_base::tuning::schedule::{
    FEW_OPERATIONS_PER_BYTE_OF_STEPS, LEAST_POINTS_OF_LINE, MAX_BYTES_AHEAD_OF_LINE,
    MAX_OPERATIONS_PER_BYTE_OF_STEPS, MAX_POINTS_OF_LONG_LINE, STEPS_OF_LINE,
};
use fehu_base::Name;
use fehu_ir::class::Class;
use fehu_ir::free::free_in_exp;
use fehu_ir::mem::{sym_name, MemInfo, MemOp};
use fehu_ir::schedule::{Amount, Choice, Condition, Line, Plan, Quantity};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Loop, Memory, PatElem, Stm, Type};
use rustc_hash::FxHashSet;

/// The map of a loop over vectors whose iterations may be done several at a time has a plan for that, before all others.
pub(super) fn line(s: &mut Scheduler, l: &mut Loop<Memory>) {
    let Some(carried) = carried(l).filter(|_| others_stay(l)) else { return };
    let Some(counter) = counter(l) else { return };
    let params: FxHashSet<Name> = l.params.iter().map(|(p, _)| p.name).collect();
    let Some((last, before)) = l.body.stms.split_last_mut() else { return };
    let certified = before.iter().chain([&*last]).flat_map(|s| &s.certs).any(|c| params.contains(c));
    let bound: FxHashSet<Name> = before.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
    let Exp::Op(MemOp::Seg(seg)) = &mut last.exp else { return };
    let choices = seg.schedule.as_ref().map(|s| s.choices.as_slice());
    let points = matches!(choices, Some([Choice { plan: Plan::Points(_), .. }]));
    let uses = free_in_exp(&Exp::<Memory>::Op(MemOp::Seg(seg.clone())));
    let invariant = uses.iter().all(|n| !params.contains(n) || carried.contains(n));
    let legal = is_map_of_scalars(seg)
        && seg.space.dims.len() == 1
        && before.iter().all(|stm| is_of_counter(stm, &params))
        && last.pat.iter().all(|p| stays_in_place(p, &bound, counter))
        && writes_elsewhere(s, seg, &carried, &last.pat);
    if !points || !invariant || certified || !legal {
        return;
    }
    let Some(radius) = reach::radius(seg, &carried, &s.sums).filter(|radius| *radius > 0) else { return };
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
        super::steer::steer(schedule, &last.attrs);
    }
}

/// Whether a statement computes a scalar or checks it, or is a view, and needs nothing of what the loop hands on.
fn is_of_counter(stm: &Stm<Memory>, params: &FxHashSet<Name>) -> bool {
    let Exp::Basic(basic) = &stm.exp else { return false };
    let scalars = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    let suits = match basic.class() {
        Class::Arithmetic | Class::Function | Class::Check => scalars,
        Class::Read | Class::View | Class::Reshape => !scalars,
        Class::Opaque | Class::Generate | Class::Gather | Class::Update => false,
    };
    suits && free_in_exp(&stm.exp).iter().all(|n| !params.contains(n))
}

/// Whether a result is where it is in the iteration after the next, too: at no place that the loop's body computes.
fn stays_in_place(p: &PatElem<Memory>, bound: &FxHashSet<Name>, counter: Name) -> bool {
    let MemInfo::Array { lmad, .. } = &p.dec else { return false };
    let mut names = lmad.vars().into_iter().map(sym_name);
    names.all(|n| n != counter && !bound.contains(&n))
}

/// Whether the map's results are in other blocks than all it reads but what the loop hands on.
fn writes_elsewhere(s: &Scheduler, seg: &SegOp<Memory>, carried: &[Name], pat: &[PatElem<Memory>]) -> bool {
    let written: Vec<Name> = pat.iter().filter_map(|p| s.places.block_of(p.name)).collect();
    let mut elsewhere = true;
    for_each_stm(&seg.body.body, &mut |stm| {
        if let Some((_, array, _)) = super::read_element(stm) {
            let block = s.places.block_of(array);
            let apart = |b: Name| written.iter().all(|w| !s.blocks.may_be_same(b, *w));
            elsewhere &= carried.contains(&array) || block.is_some_and(apart);
        }
    });
    elsewhere
}

/// The arrays of which a thread can read the elements of all steps before it computes the first: at indices that depend on nothing that the loop
/// hands on, and as far as there are registers for them.
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
