//! Reductions.
//!
//! Large segments: several blocks share one. Each reduces its part (`partials`); the last to finish, which a counter
//! tells, reduces the partial results. With one block per segment there is no second step.
//!
//! Small segments: as many as fit share a block, one point per thread, and are reduced in shared memory, side
//! by side. Where segments have elements in common, a block reduces a few [together]. If there are very many
//! segments: tiny ones are done by one thread each, middle ones by a part of a warp, whose threads take
//! several points each before they combine what they have. Where the work of segments differs, these parts of
//! warps take segments from a [`queue`](super::queue). Segments of which only the first points count have
//! these in equal shares of blocks ([`merge`]). Which of them runs is decided when sizes are known, as the
//! schedule says.
//!
//! ```text
//! segments 0  1  2  3    n = 3, a block of 8 threads does 2 segments in each round:
//! threads  [0 1 2 3 4 5 - -]      step 1: 0+=1, 3+=4     step 2: 0+=2, 3+=5
//! ```
//!
//! Where the operator is commutative, threads take every so many points, so that neighbours read neighbours. Otherwise
//! each thread takes a few in a row, and the block combines them in order before it goes on.

mod merge;
mod together;

use super::choice::schedule;
use super::operator::vars;
use crate::translate::build::ZEROS;
use crate::translate::kernel::choice;
use crate::translate::kernel::map;
use crate::translate::kernel::point;
use crate::translate::kernel::queue::{taker_threads, Queue};
use crate::translate::kernel::scan;
use crate::translate::kernel::size;
use crate::translate::state::{At, HostCode, KernelCode, Mode};
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name, Symbol};
use fehu_imp::build::*;
use fehu_imp::syntax::{AtomicOp, Code, Expr, KernelOp};
use fehu_ir::mem::{poly, Lmad};
use fehu_ir::schedule::{BlocksPerSegment, Condition, Exchange, Order, Plan, Quantity};
use fehu_ir::seg::{SegBinOp, SegOp, SizeClass};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Memory, PatElem, Space, SubExp, Type};

pub(crate) fn seg_red(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
) {
    let schedule = schedule(seg);
    let types = t.operand_types(ops);
    let (outer, inner) = seg.space.dims.split_at(seg.space.dims.len() - 1);
    let sizes: Vec<SubExp> = outer.iter().map(|d| d.1).collect();
    let segments = point::points(t, &sizes);
    let n = t.operand(inner[0].1);
    let results = red_results(t, pat, &types);
    let params: Vec<(Symbol, Expr)> =
        schedule.params.iter().map(|p| (p.name, size::param(t, p.name))).collect();
    let red = Red { pat, seg, ops, types, segments, n, size: i64(0), results };
    let by_lanes = schedule.choices.iter().find_map(|c| {
        let Plan::LanesPerSegment { points, .. } = c.plan else { return None };
        Some(points)
    });
    let lanes = by_lanes.map(|points| lanes_of_segment(t, &red, points));
    let mut conditions = vec![];
    for choice in &schedule.choices {
        let mut known = vec![
            (Quantity::Segments, red.segments.clone()),
            (Quantity::Segment, red.n.clone()),
            (Quantity::Block, value_of(&params, block_of(&choice.plan))),
        ];
        known.extend(lanes.iter().map(|team| (Quantity::Lanes, team.lanes.clone())));
        known.extend(params.iter().map(|(name, value)| (Quantity::Param(*name), value.clone())));
        conditions.push(choice::all_hold(t, &choice.when, &known));
    }
    let copies: Vec<SegOp<Memory>> = schedule.choices[1..].iter().map(|_| t.renamed(seg)).collect();
    let mut reds = vec![];
    for (of, choice) in copies.iter().chain([seg]).zip(&schedule.choices) {
        let size = value_of(&params, block_of(&choice.plan));
        reds.push((Red { seg: of, size, ..red.clone() }, &choice.plan));
    }
    red_choice(t, &reds, &conditions, &params, lanes);
    read_results(t, pat, &red);
}

/// The first plan whose condition holds.
fn red_choice(
    t: &mut HostCode,
    reds: &[(Red, &Plan)],
    conditions: &[Expr],
    params: &[(Symbol, Expr)],
    lanes: Option<TeamSize>,
) {
    let Some(((red, plan), others)) = reds.split_first() else { return };
    let this = |t: &mut HostCode| match (plan, lanes.clone()) {
        (Plan::ThreadPerSegment { each, each_when, .. }, _) => tiny_segments(t, red, *each, each_when),
        (Plan::LanesPerSegment { order, exchange, queue, .. }, Some(lanes)) => match queue {
            None => segments_by_lanes(t, red, *order, lanes, *exchange),
            Some(grid) => segments_from_queue(t, red, *order, lanes, *exchange, value_of(params, *grid)),
        },
        (Plan::SegmentsPerBlock { .. }, _) => small_segments(t, red),
        (Plan::SegmentsTogether { segments, exchange, .. }, _) => {
            together::segments_together(t, red, *segments, *exchange);
        }
        (Plan::MergePath(plan), _) => {
            merge::merge_path(t, red, plan, value_of(params, plan.carries));
        }
        (Plan::BlocksPerSegment(plan), _) => {
            large_segments(t, red, plan, value_of(params, plan.grid));
        }
        (other, _) => bug!("a reduction cannot be run by {other:?}"),
    };
    match others.is_empty() {
        true => this(t),
        false => t.if_else(conditions[0].clone(), this, |t| {
            red_choice(t, others, &conditions[1..], params, lanes.clone());
        }),
    }
}

/// Where the reduced values go: to the arrays of the pattern, or to words of one block, which the host then
/// reads at once.
fn red_results(t: &mut HostCode, pat: &[PatElem<Memory>], types: &[PrimType]) -> Vec<At> {
    let scalars = pat.iter().zip(types).filter(|(p, _)| !matches!(p.ty, Type::Array(..))).count() as i64;
    let mut block = None;
    let (mut results, mut word) = (vec![], 0);
    for (p, ty) in pat.iter().zip(types) {
        results.push(match &p.ty {
            Type::Array(..) => t.place_of(p.name),
            Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => {
                let block =
                    *block.get_or_insert_with(|| t.fresh_array("results", PrimType::I64, i64(scalars)));
                let offset = word * PrimType::I64.bytes() / ty.bytes().max(1);
                word += 1;
                At::new(block, Lmad::row_major(offset as i64, &[]), *ty)
            }
        });
    }
    results
}

fn read_results(t: &mut HostCode, pat: &[PatElem<Memory>], red: &Red) {
    let mut block = None;
    for (p, at) in pat.iter().zip(&red.results) {
        if matches!(p.ty, Type::Prim(_)) {
            t.declare(p.name, &p.ty);
            let value = t.read(at);
            t.set_to(p.name, value);
            block = Some(at.block);
        }
    }
    block.into_iter().for_each(|block| t.free_device(block));
}

/// Several blocks for each segment, as far as there are points for them. Memory inside of a reduction is for
/// the threads of a grid of a given size: its blocks then do one part after the other.
fn large_segments(t: &mut HostCode, red: &Red, plan: &BlocksPerSegment, most: Expr) {
    // Without points the grid is empty, but segments have results: one block writes them, and has no use for memory.
    let given =
        red.seg.grid.as_ref().map(|grid| (max(i64(1), t.operand(grid.blocks)), t.operand(grid.block_size)));
    let (most, size) = match &given {
        Some(grid) => grid.clone(),
        None => (most, segment_block(t, red, plan.points)),
    };
    let useful = quot_up(red.n.clone(), mul(size.clone(), i64(plan.worth)));
    let possible = quot(most, max(i64(1), red.segments.clone()));
    let parts = max(i64(1), min(useful, possible));
    let parts = select(le(red.segments.clone(), i64(ZEROS)), parts, i64(1));
    let parts = t.let_i64("parts", parts);
    let tasks = mul(red.segments.clone(), parts.clone());
    let blocks = given.as_ref().map_or(tasks.clone(), |(blocks, _)| blocks.clone());
    let partials: Vec<Name> =
        red.types.iter().map(|ty| t.fresh_array("partials", *ty, tasks.clone())).collect();
    let zeros = t.zeros();
    t.kernel("segred", blocks, size.clone(), Mode::Thread, |t| {
        t.in_kernel.resident = plan.resident;
        let shared = t.exchange(&red.types, &size);
        map::set_thread(t, red.seg);
        let last = t.shared_array("last", PrimType::I32, i64(1));
        let out = Second { shared: &shared, partials: &partials, zeros, last, exchange: plan.exchange };
        if given.is_none() {
            return one_task(t, red, plan, &out, block(), &parts);
        }
        let rounds = quot_up(sub(tasks, block()), grid_size());
        t.for_up_to("round", rounds, |t, round| {
            let task = t.let_i64("task", add(block(), mul(round, grid_size())));
            one_task(t, red, plan, &out, task, &parts);
            t.barrier();
        });
    });
    for mem in partials {
        t.free_device(mem);
    }
}

/// A part of a segment, and the result if it is the last one.
fn one_task(t: &mut KernelCode, red: &Red, plan: &BlocksPerSegment, out: &Second, task: Expr, parts: &Expr) {
    let segment = t.let_i64("segment", quot(task.clone(), parts.clone()));
    let part = t.let_i64("part", rem(task, parts.clone()));
    let values = one_part(t, red, plan, out.shared, &segment, &part, parts);
    after_part(t, red, out, &segment, &part, parts, &values);
}

/// Threads in a block, for segments that may not have enough points to keep many of them busy.
fn segment_block(t: &mut HostCode, red: &Red, points: i64) -> Expr {
    if red.seg.space.dims.len() == 1 {
        return red.size.clone();
    }
    let warps = quot_up(red.n.clone(), i64(WARP_THREADS * points));
    t.let_i64("block", min(red.size.clone(), max(i64(WARP_THREADS), mul(warps, i64(WARP_THREADS)))))
}

/// Reduces a block's part of a segment; its first thread has the result.
fn one_part(
    t: &mut KernelCode,
    red: &Red,
    plan: &BlocksPerSegment,
    shared: &[Name],
    segment: &Expr,
    part: &Expr,
    parts: &Expr,
) -> Vec<Name> {
    let dims = &red.seg.space.dims;
    let (outer, inner) = dims.split_at(dims.len() - 1);
    t.emit(Code::DeclareScalar(red.seg.space.flat, PrimType::I64));
    point::unflatten(t, outer, segment.clone());
    // Whole rounds of a block, so that each starts where the hardware likes to read.
    let chunk = quot_up(quot_up(red.n.clone(), parts.clone()), block_size());
    let chunk = t.let_i64("chunk", mul(chunk, block_size()));
    let start = t.let_i64("start", mul(part.clone(), chunk.clone()));
    let end = t.let_i64("end", min(red.n.clone(), add(start.clone(), chunk)));
    let neutral = t.neutrals(red.ops);
    let values = t.lanes("acc", &red.types, neutral);
    let index = inner[0].0;
    t.emit(Code::DeclareScalar(index, PrimType::I64));
    let take = |t: &mut KernelCode, at: Expr, into: &[Name]| {
        t.set_to(index, at.clone());
        t.set_to(red.seg.space.flat, add(mul(segment.clone(), red.n.clone()), at));
        let new = point::point(t, red.pat, red.seg);
        t.apply_all(red.ops, &vars(into), &new, into);
    };
    if plan.order == Order::Interleaved {
        let rounds = quot_up(sub(end.clone(), add(start.clone(), local())), block_size());
        let rounds = t.let_i64("rounds", rounds);
        t.guarded(|t| {
            t.for_up_to("round", rounds, |t, round| {
                take(t, add(start, add(local(), mul(round, block_size()))), &values);
            });
        });
        t.block_reduce(red.ops, &red.types, &values, shared, plan.exchange);
    } else {
        let tile = mul(block_size(), i64(plan.row));
        let tiles = t.let_i64("tiles", quot_up(max(i64(0), sub(end.clone(), start.clone())), tile.clone()));
        t.for_up_to("tile", tiles, |t, k| {
            let first = add(add(start, mul(k, tile)), mul(local(), i64(plan.row)));
            let first = t.let_i64("first", first);
            let neutral = t.neutrals(red.ops);
            let row = t.lanes("row", &red.types, neutral);
            let count = t.let_i64("count", min(i64(plan.row), sub(end, first.clone())));
            t.guarded(|t| t.for_up_to("k", count, |t, k| take(t, add(first, k), &row)));
            t.block_reduce(red.ops, &red.types, &row, shared, plan.exchange);
            t.if_then(eq(local(), i64(0)), |t| {
                t.apply_all(red.ops, &vars(&values), &vars(&row), &values);
            });
            t.barrier();
        });
    }
    values
}

/// The result is done, or the last block of a segment does it.
fn after_part(
    t: &mut KernelCode,
    red: &Red,
    out: &Second,
    segment: &Expr,
    part: &Expr,
    parts: &Expr,
    values: &[Name],
) {
    let base = mul(segment.clone(), parts.clone());
    t.if_then(eq(local(), i64(0)), |t| {
        let is_last = t.let_as("is_last", PrimType::I32, i32(0));
        t.if_else(
            eq(parts.clone(), i64(1)),
            |t| put_result(t, red, values),
            |t| {
                t.store_all(out.partials, &red.types, &add(base.clone(), part.clone()), values);
                t.emit(Code::Op(KernelOp::Fence));
                let before = t.temp("before", PrimType::I32);
                t.emit(Code::Op(KernelOp::Atomic {
                    old: Some(before),
                    op: AtomicOp::Add,
                    mem: out.zeros,
                    offset: segment.clone(),
                    elem: PrimType::I32,
                    space: Space::Default,
                    value: i32(1),
                }));
                let finished = t.to_i64(var(before));
                let all = eq(finished, sub(parts.clone(), i64(1)));
                t.set_to(is_last, select(all, i32(1), i32(0)));
            },
        );
        t.store(out.last, PrimType::I32, i64(0), var(is_last));
    });
    t.barrier();
    let is_last = t.element(out.last, PrimType::I32, i64(0));
    let is_last = t.let_as("is_last", PrimType::I32, is_last);
    t.if_then(equal(PrimType::I32, var(is_last), i32(1)), |t| {
        combine_parts(t, red, out, segment, parts, base);
    });
}

/// The last block reduces what all blocks of the segment have found.
fn combine_parts(t: &mut KernelCode, red: &Red, out: &Second, segment: &Expr, parts: &Expr, base: Expr) {
    t.emit(Code::Op(KernelOp::Fence));
    let neutral = t.neutrals(red.ops);
    let sums = t.lanes("sum", &red.types, neutral);
    let each = t.let_i64("each", quot_up(parts.clone(), block_size()));
    let first = t.let_i64("first", mul(local(), each.clone()));
    let count = t.let_i64("count", min(each, sub(parts.clone(), first.clone())));
    t.for_up_to("k", count, |t, k| {
        let at = add(base, add(first, k));
        let parts: Vec<Name> = red.types.iter().map(|ty| t.temp("part", *ty)).collect();
        scan::read_all_volatile(t, &parts, out.partials, &red.types, &at);
        t.apply_all(red.ops, &vars(&sums), &vars(&parts), &sums);
    });
    t.block_reduce(red.ops, &red.types, &sums, out.shared, out.exchange);
    t.if_then(eq(local(), i64(0)), |t| {
        put_result(t, red, &sums);
        t.store(out.zeros, PrimType::I32, segment.clone(), i32(0));
    });
}

/// Sets the index of a place in a segment, and the number of its point.
fn set_place(t: &mut KernelCode, red: &Red, segment: Expr, place: Expr) {
    let Some((index, _)) = red.seg.space.dims.last() else { bug!("a reduction of nothing") };
    let flat = add(mul(segment, red.n.clone()), place.clone());
    for (x, e) in [(*index, place), (red.seg.space.flat, flat)] {
        t.emit(Code::DeclareScalar(x, PrimType::I64));
        t.set_to(x, e);
    }
}

/// Combines a point of the segment whose indices are set with what a thread has of it, one of several.
fn take_point(t: &mut KernelCode, red: &Red, segment: Expr, place: Expr, (accs, which): (&[Name], &Expr)) {
    set_place(t, red, segment, place);
    let new = point::point(t, red.pat, red.seg);
    let values = t.load_all(accs, &red.types, which);
    t.apply_all(red.ops, &vars(&values), &new, &values);
    t.store_all(accs, &red.types, which, &values);
}

/// Writes the results of the segment whose indices are set.
fn put_result(t: &mut KernelCode, red: &Red, values: &[Name]) {
    let dims = &red.seg.space.dims;
    let outer = &dims[..dims.len() - 1];
    let indices: Vec<_> = outer.iter().map(|d| poly(d.0.into())).collect();
    for (at, value) in red.results.iter().zip(values) {
        let here = at.fixed(&indices);
        t.write(&here, var(*value));
    }
}

/// A thread has a few segments, a block's width apart: it reads a point of each of them before it needs any.
fn tiny_segments(t: &mut HostCode, red: &Red, most: i64, each_when: &[Condition]) {
    let known = vec![(Quantity::Segments, red.segments.clone())];
    let several = choice::all_hold(t, each_when, &known);
    let each = t.let_i64("each", select(several, i64(most), i64(1)));
    let grid = quot_up(red.segments.clone(), mul(red.size.clone(), each.clone()));
    let (outer, _) = red.seg.space.dims.split_at(red.seg.space.dims.len() - 1);
    t.kernel("segred_tiny", grid, red.size.clone(), Mode::Thread, |t| {
        let start = t.let_i64("start", add(mul(block(), mul(block_size(), each.clone())), local()));
        let accs: Vec<Name> = red.types.iter().map(|ty| t.private_array("acc", *ty, most)).collect();
        // Divisions are done once for each segment.
        let kept = if outer.len() > 1 { outer.len() } else { 0 };
        let indices: Vec<Name> = (0..kept).map(|_| t.private_array("index", PrimType::I64, most)).collect();
        let segment_of = |t: &mut KernelCode, which: &Expr| {
            t.let_i64("segment", add(start.clone(), mul(which.clone(), block_size())))
        };
        let of_thread = |t: &mut KernelCode, body: &mut dyn FnMut(&mut KernelCode, Expr, Expr)| {
            t.for_up_to("which", i64(most), |t, which| {
                let segment = segment_of(t, &which);
                let there = and(lt(which.clone(), each.clone()), lt(segment.clone(), red.segments.clone()));
                t.if_then(there, |t| {
                    let known = t.in_kernel.flats.len();
                    match indices.is_empty() {
                        true => point::unflatten(t, outer, segment.clone()),
                        false => point::set_kept(t, outer, &segment, &indices, &which),
                    }
                    body(t, which, segment);
                    t.in_kernel.flats.truncate(known);
                });
            });
        };
        t.for_up_to("which", i64(most), |t, which| {
            let neutral = t.neutrals(red.ops);
            let neutral = t.lanes("neutral", &red.types, neutral);
            t.store_all(&accs, &red.types, &which, &neutral);
            if !indices.is_empty() {
                let segment = segment_of(t, &which);
                let known = t.in_kernel.flats.len();
                point::unflatten(t, outer, segment);
                t.in_kernel.flats.truncate(known);
                for (mem, (index, _)) in indices.iter().zip(outer) {
                    t.store(*mem, PrimType::I64, which.clone(), var(*index));
                }
            }
        });
        t.for_up_to("k", red.n.clone(), |t, k| {
            of_thread(t, &mut |t, which, segment| {
                take_point(t, red, segment, k.clone(), (&accs, &which));
            });
        });
        of_thread(t, &mut |t, which, _| {
            let values = t.load_all(&accs, &red.types, &which);
            put_result(t, red, &values);
        });
    });
}

/// How many threads share a segment of middle size, a power of two: each is to have a few points, unless they
/// are heavy.
fn lanes_of_segment(t: &mut HostCode, red: &Red, each: i64) -> TeamSize {
    let mut log2 = i64(WARP_THREADS.ilog2().into());
    for fewer in [4, 3, 2, 1] {
        log2 = select(le(red.n.clone(), i64(each << fewer)), i64(fewer), log2);
    }
    let log2 = t.let_i64("log2", log2);
    let lanes = t.let_i64("lanes", binary(BinOp::Shl(IntType::I64), i64(1), log2.clone()));
    TeamSize { lanes, log2 }
}

/// How many threads share a segment, and the logarithm of that: a thread may do little more than one point,
/// and then two divisions take longer than the point.
#[derive(Clone)]
struct TeamSize {
    lanes: Expr,
    log2: Expr,
}

/// Each segment is shared by so many threads, neighbours in a warp.
fn segments_by_lanes(t: &mut HostCode, red: &Red, order: Order, size: TeamSize, exchange: Exchange) {
    let per_block = t.let_i64("per_block", quot(red.size.clone(), size.lanes.clone()));
    let grid = quot_up(red.segments.clone(), per_block.clone());
    t.kernel("segred_lanes", grid, red.size.clone(), Mode::Thread, |t| {
        let shared = match exchange {
            Exchange::Shuffles => None,
            Exchange::SharedMemory => Some(t.exchange(&red.types, &red.size)),
        };
        let team = Lanes::new(t, red, order, local(), size);
        segment_by_lanes(t, red, &team, (block(), per_block), shared.as_deref());
    });
}

/// The same, with segments from a queue.
fn segments_from_queue(
    t: &mut HostCode,
    red: &Red,
    order: Order,
    size: TeamSize,
    exchange: Exchange,
    most: Expr,
) {
    let threads = taker_threads(exchange, &red.size);
    let at_once = t.let_i64("at_once", quot(threads.clone(), size.lanes.clone()));
    let rounds = quot_up(red.segments.clone(), at_once.clone());
    let queue = Queue::new(t, rounds, most, &red.size, exchange);
    t.kernel("segred_queue", queue.blocks.clone(), red.size.clone(), Mode::Thread, |t| {
        let (local, shared) = match exchange {
            Exchange::Shuffles => (bits(local(), i64(WARP_THREADS - 1)), None),
            Exchange::SharedMemory => (local(), Some(t.exchange(&red.types, &red.size))),
        };
        let team = Lanes::new(t, red, order, local, size);
        queue.each(t, |t, round| {
            segment_by_lanes(t, red, &team, (round, at_once), shared.as_deref());
        });
    });
}

/// The lanes of a segment reduce it, through shared memory or by shuffles. Which one it is follows from the
/// number of a round, in which so many segments are done; where blocks are no multiple of the lanes, the last
/// threads have none.
fn segment_by_lanes(
    t: &mut KernelCode,
    red: &Red,
    Lanes { lane, number, lanes, first, step, count }: &Lanes,
    (round, at_once): (Expr, Expr),
    shared: Option<&[Name]>,
) {
    let dims = &red.seg.space.dims;
    let (outer, _) = dims.split_at(dims.len() - 1);
    let segment = t.let_i64("segment", add(mul(round, at_once.clone()), number.clone()));
    point::unflatten(t, outer, segment.clone());
    let mine = and(lt(segment.clone(), red.segments.clone()), lt(number.clone(), at_once));
    let mine = var(t.let_as("mine", PrimType::Bool, mine));
    let neutral = t.neutrals(red.ops);
    let values = t.lanes("acc", &red.types, neutral);
    let count = t.let_i64("count", select(mine.clone(), count.clone(), i64(0)));
    t.guarded(|t| {
        t.for_up_to("k", count, |t, k| {
            let at = t.let_i64("at", add(first.clone(), mul(k, step.clone())));
            set_place(t, red, segment.clone(), at);
            let new = point::point(t, red.pat, red.seg);
            t.apply_all(red.ops, &vars(&values), &new, &values);
        });
    });
    match shared {
        Some(shared) => {
            t.store_all(shared, &red.types, &local(), &values);
            t.barrier();
            reduce_side_by_side(t, red.ops, &red.types, &values, shared, lane, lanes, &mine);
        }
        None => t.lanes_reduce(red.ops, &red.types, &values, lane, lanes),
    }
    t.if_then(and(mine, eq(lane.clone(), i64(0))), |t| put_result(t, red, &values));
}

/// Threads that share a segment.
struct Lanes {
    /// The number of the thread among them.
    lane: Expr,
    /// Their number among all such of a block or a warp.
    number: Expr,
    /// How many they are, a power of two.
    lanes: Expr,
    /// The thread's first point of a segment, how far apart its points are, and how many there are.
    first: Expr,
    step: Expr,
    count: Expr,
}

/// Whether points have loops. If not, compilers of kernels should see that shifts by the logarithm of a
/// team's size are small. Where points have loops, code with shifts of any amount is faster. Times:
/// `notebook/2026-11-19-gpu-mechanisms.md`.
fn has_loops(seg: &SegOp<Memory>) -> bool {
    let mut found = false;
    for_each_stm(&seg.body.body, &mut |stm| found |= matches!(stm.exp, Exp::Loop(_)));
    found
}

impl Lanes {
    /// Those of the thread of this number. Neighbours read neighbours, unless the order matters: then each
    /// has some in a row.
    fn new(t: &mut KernelCode, red: &Red, order: Order, thread: Expr, size: TeamSize) -> Lanes {
        let TeamSize { lanes, log2 } = size;
        let lane = t.let_i64("lane", bits(thread.clone(), sub(lanes.clone(), i64(1))));
        let amount = if has_loops(red.seg) { log2 } else { bits(log2, i64(63)) };
        let quotient = |e: Expr| binary(BinOp::AShr(IntType::I64), e, amount.clone());
        let quotient_up = |e: Expr| quotient(add(e, sub(lanes.clone(), i64(1))));
        let number = t.let_i64("team", quotient(thread));
        let (first, step, count) = match order {
            Order::Interleaved => {
                (lane.clone(), lanes.clone(), quotient_up(sub(red.n.clone(), lane.clone())))
            }
            Order::Consecutive => {
                let each = t.let_i64("each", quotient_up(red.n.clone()));
                let first = t.let_i64("first", mul(lane.clone(), each.clone()));
                (first.clone(), i64(1), min(each, sub(red.n.clone(), first)))
            }
        };
        let count = t.let_i64("count", count);
        Lanes { lane, number, lanes, first, step, count }
    }
}

fn small_segments(t: &mut HostCode, red: &Red) {
    let width = t.let_i64("width", max(i64(1), red.n.clone()));
    let per_block = t.let_i64("per_block", quot(red.size.clone(), width.clone()));
    let grid = quot_up(red.segments.clone(), per_block.clone());
    t.kernel("segred_small", grid, red.size.clone(), Mode::Thread, |t| {
        let shared = t.exchange(&red.types, &red.size);
        let dims = &red.seg.space.dims;
        let (outer, inner) = dims.split_at(dims.len() - 1);
        let index = inner[0].0;
        t.emit(Code::DeclareScalar(index, PrimType::I64));
        t.set_to(index, rem(local(), width.clone()));
        let within = t.let_i64("within", quot(local(), width.clone()));
        let segment = t.let_i64("segment", add(mul(block(), per_block.clone()), within.clone()));
        point::unflatten(t, outer, segment.clone());
        let mine = and(lt(within, per_block), lt(segment.clone(), red.segments.clone()));
        let mine = var(t.let_as("mine", PrimType::Bool, mine));
        let neutral = t.neutrals(red.ops);
        let values = t.lanes("value", &red.types, neutral);
        t.if_then(and(mine.clone(), lt(var(index), red.n.clone())), |t| {
            t.guarded(|t| {
                t.emit(Code::DeclareScalar(red.seg.space.flat, PrimType::I64));
                t.set_to(red.seg.space.flat, add(mul(segment.clone(), red.n.clone()), var(index)));
                let new = point::point(t, red.pat, red.seg);
                for (x, e) in values.iter().zip(new) {
                    t.set_to(*x, e);
                }
            });
        });
        t.store_all(&shared, &red.types, &local(), &values);
        t.barrier();
        reduce_side_by_side(t, red.ops, &red.types, &values, &shared, &var(index), &red.n, &mine);
        t.if_then(and(mine, eq(var(index), i64(0))), |t| put_result(t, red, &values));
    });
}

/// Reduces segments of `n` values each that lie side by side in shared memory, one value per thread. The thread at
/// index 0 of a segment has its result.
#[allow(clippy::too_many_arguments)]
pub(crate) fn reduce_side_by_side(
    t: &mut KernelCode,
    ops: &[SegBinOp<Memory>],
    types: &[PrimType],
    values: &[Name],
    shared: &[Name],
    index: &Expr,
    n: &Expr,
    mine: &Expr,
) {
    let step = t.let_as("step", PrimType::I64, i64(1));
    t.while_(lt(var(step), n.clone()), |t| {
        let twice = mul(var(step), i64(2));
        let even = eq(bits(index.clone(), sub(twice.clone(), i64(1))), i64(0));
        let takes = and(mine.clone(), and(even, lt(add(index.clone(), var(step)), n.clone())));
        t.if_then(takes, |t| {
            let other = t.load_all(shared, types, &add(local(), var(step)));
            t.apply_all(ops, &vars(values), &vars(&other), values);
            t.store_all(shared, types, &local(), values);
        });
        t.barrier();
        t.set_to(step, twice);
    });
}

/// Threads in a block of a plan.
fn block_of(plan: &Plan) -> Symbol {
    let mut params = plan.params().into_iter();
    match params.find(|(_, class)| *class == Some(SizeClass::ThreadBlockSize)) {
        Some((block, _)) => block,
        None => bug!("a reduction cannot be run by {plan:?}"),
    }
}

/// The value of a parameter.
fn value_of(params: &[(Symbol, Expr)], name: Symbol) -> Expr {
    match params.iter().find(|p| p.0 == name) {
        Some((_, value)) => value.clone(),
        None => bug!("the schedule of a reduction has no parameter {name}"),
    }
}

/// The reduction that is emitted.
#[derive(Clone)]
struct Red<'a> {
    pat: &'a [PatElem<Memory>],
    seg: &'a SegOp<Memory>,
    ops: &'a [SegBinOp<Memory>],
    types: Vec<PrimType>,
    /// How many segments.
    segments: Expr,
    /// How many points in each.
    n: Expr,
    /// Threads in a block.
    size: Expr,
    results: Vec<At>,
}

/// What the second step works on.
struct Second<'a> {
    shared: &'a [Name],
    partials: &'a [Name],
    zeros: Name,
    /// Shared memory, in which the first thread says whether all other parts are done.
    last: Name,
    exchange: Exchange,
}
