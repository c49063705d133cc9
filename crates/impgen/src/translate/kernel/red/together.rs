//! A block reduces a few segments at a time, which have elements in common.
//!
//! ```text
//! thread 0: acc[0] += point(segment 0, place 0)   acc[1] += point(segment 1, place 0)   ...
//!           acc[0] += point(segment 0, place 256) ...
//! ```
//!
//! The code of a point stands in an unrolled loop over the segments, in which elements of a place are read
//! once. Segments beyond the last are the last one again, and have no result.

use super::{put_result, take_point, Red};
use crate::translate::kernel::point;
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::schedule::Exchange;

pub(super) fn segments_together(t: &mut HostCode, red: &Red, segments: i64, exchange: Exchange) {
    let grid = quot_up(red.segments.clone(), i64(segments));
    t.kernel("segred_together", grid, red.size.clone(), Mode::Thread, |t| {
        let shared = t.exchange(&red.types, &red.size);
        let (outer, _) = red.seg.space.dims.split_at(red.seg.space.dims.len() - 1);
        let first = t.let_i64("first", mul(block(), i64(segments)));
        let last = t.let_i64("last", sub(red.segments.clone(), i64(1)));
        let accs: Vec<Name> = red.types.iter().map(|ty| t.private_array("acc", *ty, segments)).collect();
        let indices: Vec<Name> =
            outer.iter().map(|_| t.private_array("index", PrimType::I64, segments)).collect();
        let each = |t: &mut KernelCode, body: &mut dyn FnMut(&mut KernelCode, Expr, Expr)| {
            t.unrolled_up_to("which", i64(segments), |t, which| {
                let segment = t.let_i64("segment", min(last.clone(), add(first.clone(), which.clone())));
                let known = t.in_kernel.flats.len();
                body(t, which, segment);
                t.in_kernel.flats.truncate(known);
            });
        };
        each(t, &mut |t, which, segment| {
            let neutral = t.neutrals(red.ops);
            let neutral = t.lanes("neutral", &red.types, neutral);
            t.store_all(&accs, &red.types, &which, &neutral);
            point::unflatten(t, outer, segment);
            for (mem, (index, _)) in indices.iter().zip(outer) {
                t.store(*mem, PrimType::I64, which.clone(), var(*index));
            }
        });
        let rounds = t.let_i64("rounds", quot_up(sub(red.n.clone(), local()), block_size()));
        t.guarded(|t| {
            t.for_up_to("round", rounds, |t, round| {
                let place = t.let_i64("place", add(local(), mul(round, block_size())));
                each(t, &mut |t, which, segment| {
                    point::set_kept(t, outer, &segment, &indices, &which);
                    take_point(t, red, segment, place.clone(), (&accs, &which));
                });
            });
        });
        each(t, &mut |t, which, segment| {
            let values = t.load_all(&accs, &red.types, &which);
            t.block_reduce(red.ops, &red.types, &values, &shared, exchange);
            let there = lt(add(first.clone(), which.clone()), red.segments.clone());
            t.if_then(and(eq(local(), i64(0)), there), |t| {
                point::set_kept(t, outer, &segment, &indices, &which);
                put_result(t, red, &values);
            });
            t.barrier();
        });
    });
}
