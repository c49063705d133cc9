//! Segments that have elements in common are reduced together.
//!
//! Where every element that a point reads belongs either to its segment or to its place in the segment, as in
//! a force between all pairs of bodies or a distance from each of many points, all segments read the same
//! elements:
//!
//! ```text
//! segred (i < n, j < m) { let a = p[i]  let b = q[j]  let d = a - b  return d * d }
//!                                           q is read n times
//! ```
//!
//! A block for each segment would read them from the cache again and again, which takes longer than what is
//! computed from them (`notebook/2026-11-19-gpu-mechanisms.md`). So a thread computes the points of one place
//! for a few segments: what it reads is used as often. Only where operators commute, as neighbouring threads
//! have neighbouring places.

use super::combine::is_heavy;
use super::tile::statements;
use super::{when, Scheduler};
use fehu_base::tuning::schedule::*;
use fehu_base::Name;
use fehu_ir::free::free_in_exp;
use fehu_ir::schedule::{Choice, Condition, Order, Plan, Quantity};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Exp, Memory, Type};
use rustc_hash::FxHashSet;

/// The plan for such a reduction.
pub(super) fn together(s: &mut Scheduler, seg: &SegOp<Memory>, order: Order) -> Option<Choice> {
    let words: u64 = seg.types.iter().map(words).sum();
    let small = words as usize <= MAX_WORDS_OF_SEGMENT_TOGETHER
        && statements(&seg.body.body) <= MAX_STATEMENTS_OF_POINT_TOGETHER;
    let alone = seg.types.len() == seg.combined() && order == Order::Interleaved;
    if !small || !alone || is_heavy(seg) || !has_common_elements(seg) {
        return None;
    }
    let long = Condition::pays(s.threshold(MIN_POINTS_FOR_TOGETHER), Quantity::Segment);
    let many = Condition::pays(s.threshold(MIN_SEGMENTS_FOR_TOGETHER), Quantity::Segments);
    let block = s.block_param("segred", Some(BLOCK_OF_SEGMENTS_TOGETHER));
    let plan = Plan::SegmentsTogether { block, segments: SEGMENTS_TOGETHER, exchange: s.exchange() };
    Some(when(vec![long, many], plan))
}

/// Registers for a value.
fn words(ty: &Type) -> u64 {
    match ty {
        Type::Prim(ty) => ty.bytes().div_ceil(4),
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => MAX_WORDS_OF_SEGMENT_TOGETHER as u64 + 1,
    }
}

/// Whether each element belongs to a segment alone or to a place alone, and one to a place.
fn has_common_elements(seg: &SegOp<Memory>) -> bool {
    let Some(((place, _), outer)) = seg.space.dims.split_last() else { return false };
    let mut of_segment: FxHashSet<Name> = outer.iter().map(|d| d.0).chain([seg.space.flat]).collect();
    let mut of_place: FxHashSet<Name> = [*place, seg.space.flat].into_iter().collect();
    let (mut common, mut both) = (false, false);
    for_each_stm(&seg.body.body, &mut |stm| {
        let free = free_in_exp(&stm.exp);
        let by_segment = free.iter().any(|n| of_segment.contains(n));
        let by_place = free.iter().any(|n| of_place.contains(n));
        if matches!(stm.exp, Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..))) {
            both |= by_segment && by_place;
            common |= by_place && !by_segment;
        }
        let bound = stm.pat.iter().map(|p| p.name);
        if by_segment {
            of_segment.extend(bound.clone());
        }
        if by_place {
            of_place.extend(bound);
        }
    });
    common && !both
}
