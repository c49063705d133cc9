//! Histograms.
//!
//! A histogram that fits shared memory is made there, by each block for a part of the points, and the blocks'
//! histograms are then added to the result. Otherwise every point updates the result itself. Which of the two
//! runs is decided when sizes are known, as the schedule says, and so are, of the first, these:
//!
//! - The bins are divided into *slices*, one for each *pass* over all points, so that those of a pass fit.
//! - Updates that meet in one bin wait for each other. So there are several *copies* of each bin, side by
//!   side, as far as memory allows and the parts are long enough to pay for it. Elements that are parts of a
//!   word meet in the word: its parts are the same copy of neighbouring bins, so that threads with different
//!   copies never meet.
//! - To add a block's histogram to the result takes as many updates as there are bins. Where there is no
//!   instruction, blocks write theirs beside each other, and a second kernel adds them up. There and among
//!   many copies, a team of threads has each bin.
//!
//! Segments (histograms of rows) are distributed over blocks: a *group* of short ones to one block, so that
//! its threads have points enough; one long segment to several blocks. A block that is alone with its
//! segments just writes its results.
//!
//! ```text
//! hist (+) 0 10 is xs           1,000,000 points: 1 group, 123 blocks, 16 copies of 10 bins (without instruction: 384)
//! map (hist (+) 0 10) iss xss   100,000 x 100: 2,500 groups of 40 segments, 1 block each, 3 copies
//! ```
//!
//! Where segments lie beside each other in memory, blocks have parts of strips of segments: [`strips`].

mod global;
mod strips;

use self::global::hist_global;
use self::strips::Strips;
use super::choice::{schedule, Quantities};
use super::operator::{prim, vars};
use crate::translate::kernel::choice;
use crate::translate::kernel::point;
use crate::translate::kernel::size;
use crate::translate::state::Lock;
use crate::translate::state::{At, HostCode, KernelCode, Mode};
use fehu_base::device::{BLOCK_THREADS, WARP_THREADS};
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::mem::{poly, Lmad};
use fehu_ir::schedule::{Choice, Plan, Quantity, SubHistograms, Update};
use fehu_ir::seg::{SegHistOp, SegKind, SegOp, SizeClass};
use fehu_ir::{Memory, PatElem, SubExp, Type};

/// Threads that have a bin together, where there is much to add up.
const TEAM: i64 = WARP_THREADS;

pub(crate) fn seg_hist(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegHistOp<Memory>],
) {
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let points = point::points(t, &sizes);
    hist_choice(t, &Hist { pat, seg, ops, updates: &[], points }, &schedule(seg).choices);
}

/// The first plan whose conditions hold.
fn hist_choice(t: &mut HostCode, hist: &Hist, choices: &[Choice]) {
    let Some((Choice { when, plan }, rest)) = choices.split_first() else { bug!("a histogram has no plan") };
    let otherwise = |t: &mut HostCode| {
        let copy = t.renamed(hist.seg);
        let SegKind::Hist(ops) = &copy.kind else { bug!("a renamed histogram is none") };
        hist_choice(t, &Hist { seg: &copy, ops, points: hist.points.clone(), ..*hist }, rest);
    };
    let either = |t: &mut HostCode, known: &Quantities, this: &dyn Fn(&mut HostCode)| match rest.is_empty() {
        true => this(t),
        false => {
            let fits = choice::all_hold(t, when, known);
            t.if_else(fits, this, otherwise);
        }
    };
    match plan {
        Plan::GlobalUpdates(plan) => {
            hist_global(t, &Hist { updates: &plan.updates, points: hist.points.clone(), ..*hist }, plan);
        }
        Plan::SubHistograms(plan) => {
            let hist = Hist { updates: &plan.updates, points: hist.points.clone(), ..*hist };
            let measures = hist_measures(t, &hist, plan);
            either(t, &measures.quantities(&hist), &|t| hist_shared(t, &hist, &measures));
        }
        Plan::HistogramStrips(plan) => {
            let hist = Hist { updates: &plan.updates, points: hist.points.clone(), ..*hist };
            let of = Strips::new(t, &hist, plan);
            either(t, &of.quantities(&hist), &|t| strips::strips(t, &hist, &of));
        }
        Plan::Points(_)
        | Plan::Strided
        | Plan::Tiled(_)
        | Plan::RowCache(_)
        | Plan::Turned(_)
        | Plan::Steps(_)
        | Plan::Line(_)
        | Plan::ThreadPerSegment { .. }
        | Plan::LanesPerSegment { .. }
        | Plan::SegmentsPerBlock { .. }
        | Plan::SegmentsTogether { .. }
        | Plan::MergePath(_)
        | Plan::BlocksPerSegment(_)
        | Plan::SinglePass(_)
        | Plan::Strips(_)
        | Plan::BlockPerPoint { .. }
        | Plan::Rounds { .. }
        | Plan::CopiedAhead
        | Plan::ByWarps
        | Plan::SideBySide
        | Plan::Ranges
        | Plan::Chunks { .. }
        | Plan::ReduceThenScan { .. }
        | Plan::ScanThenCorrect { .. } => bug!("a histogram cannot be run by {plan:?}"),
    }
}

/// The sizes of a histogram in shared memory.
fn hist_measures(t: &mut HostCode, hist: &Hist, plan: &SubHistograms) -> Measures {
    let sizes: Vec<SubExp> = hist.segment_dims().iter().map(|d| d.1).collect();
    let segments = point::points(t, &sizes);
    let last = hist.seg.space.dims.last().map_or(SubExp::i64(1), |d| d.1);
    let length = t.operand(last);
    let length = t.let_i64("length", max(length, i64(1)));
    let bins: Vec<Expr> = hist.ops.iter().map(|op| point::points(t, &op.shape)).collect();
    let (mut bytes, mut all_bins) = (i64(0), i64(0));
    for ((op, how), bins) in hist.ops.iter().zip(hist.updates).zip(&bins) {
        bytes = add(bytes, mul(bins.clone(), i64(bin_bytes(op, *how))));
        all_bins = add(all_bins, bins.clone());
    }
    // Each array begins at a multiple of 16 bytes.
    let arrays: usize = hist.ops.iter().map(|op| op.op.ret.len() + 1).sum();
    let bytes = t.let_i64("bytes", add(bytes, i64(16 * arrays as i64)));
    let all_bins = t.let_i64("all_bins", all_bins);
    let most = size::device_max(t, &SizeClass::SharedMemory);
    let room = t.let_i64("room", min(most, i64(plan.room)));
    let passes = t.let_i64("passes", quot_up(bytes.clone(), room.clone()));
    let size = size::param(t, plan.block);
    let most_blocks = size::param(t, plan.grid);
    let per_pass = t.let_i64("per_pass", quot_up(bytes, passes.clone()));
    let grouped = quot(mul(size.clone(), i64(plan.grouped)), length.clone());
    let grouped = min(min(grouped, segments.clone()), quot(room, per_pass.clone()));
    let group = t.let_i64("group", max(grouped, i64(1)));
    let groups = t.let_i64("groups", quot_up(segments.clone(), group.clone()));
    let useful = quot_up(length.clone(), mul(size.clone(), i64(plan.worth)));
    let parts = quot(most_blocks, max(groups.clone(), i64(1)));
    let useful = match plan.parts {
        Some(most) => min(useful, i64(most)),
        None => useful,
    };
    let parts = min(parts, useful);
    let parts = select(eq(group.clone(), i64(1)), max(parts, i64(1)), i64(1));
    let parts = t.let_i64("parts", parts);
    let own = mul(group.clone(), per_pass);
    let pays = quot(quot(length.clone(), parts.clone()), max(mul(all_bins.clone(), i64(2)), i64(1)));
    let copies = min(min(quot(i64(plan.room_for_copies), own), pays), i64(plan.copies));
    let copies = t.let_i64("copies", max(copies, i64(1)));
    // With a multiple of the memory's banks, each lane of a warp has one for itself.
    let banks = mul(quot(copies.clone(), i64(TEAM)), i64(TEAM));
    let copies = match plan.copies > TEAM {
        true => t.let_i64("copies", select(lt(i64(TEAM), copies.clone()), banks, copies)),
        false => copies,
    };
    let mut slices = vec![];
    for n in &bins {
        slices.push(t.let_i64("slice", quot_up(n.clone(), max(passes.clone(), i64(1)))));
    }
    Measures {
        size,
        segments,
        length,
        all_bins,
        bins,
        slices,
        passes,
        group,
        groups,
        parts,
        copies,
        many_copies: plan.copies > TEAM,
    }
}

/// Bytes of shared memory for a bin of an operation.
fn bin_bytes(op: &SegHistOp<Memory>, how: Update) -> i64 {
    let lock = match how {
        Update::Atomic | Update::Swap | Update::SwapPart => 0,
        Update::Lock => PrimType::I32.bytes(),
    };
    (lock + op.op.ret.iter().map(|t| prim(t).bytes()).sum::<u64>()) as i64
}

/// The body at the point whose indices are set, then `update` for each operation whose index is within bounds, with
/// its results, its index and its values.
pub(crate) fn each_update(
    t: &mut KernelCode,
    hist: &Hist,
    mut update: impl FnMut(&mut KernelCode, Operation<'_>, &[PatElem<Memory>], &[SubExp], Vec<Expr>),
) {
    t.body(&hist.seg.body.body, &[]);
    let mut next_dest = 0;
    for (which, (op, how)) in hist.ops.iter().zip(hist.updates).enumerate() {
        let n = op.dests.len();
        let (index, values) = results_of(hist, which);
        let values: Vec<Expr> = values.iter().map(|e| t.operand(*e)).collect();
        let dests = &hist.pat[next_dest..next_dest + n];
        let inside = point::within(t, index, &op.shape);
        t.if_then(inside, |t| update(t, (op, *how), dests, index, values));
        next_dest += n;
    }
}

/// Which of the body's results are the index and the values of an operation: all indices are before all values.
fn results_of<'a>(hist: &Hist<'a>, which: usize) -> (&'a [SubExp], &'a [SubExp]) {
    let (ops, result) = (hist.ops, &hist.seg.body.body.result);
    let dims = |ops: &[SegHistOp<Memory>]| ops.iter().map(|op| op.shape.len()).sum::<usize>();
    let index = dims(&ops[..which]);
    let value = dims(ops) + ops[..which].iter().map(|op| op.dests.len()).sum::<usize>();
    let op = &ops[which];
    (&result[index..index + op.shape.len()], &result[value..value + op.dests.len()])
}

/// Every block makes histograms of its own, then adds them to the result.
fn hist_shared(t: &mut HostCode, hist: &Hist, plan: &Measures) {
    let beside = beside_others(t, hist, plan);
    let grid = mul(plan.groups.clone(), plan.parts.clone());
    let size = plan.size.clone();
    t.for_up_to("pass", plan.passes.clone(), |t, pass| {
        t.kernel("seghist_shared", grid, size, Mode::Thread, |t| hist_block(t, hist, plan, pass, &beside));
    });
    add_up_all(t, hist, plan, beside);
}

/// Where blocks that share a segment leave their histograms, by operation, if no instruction adds them to the result.
fn beside_others(t: &mut HostCode, hist: &Hist, plan: &Measures) -> Vec<Vec<Name>> {
    let mut beside = vec![];
    for ((op, how), bins) in hist.ops.iter().zip(hist.updates).zip(&plan.bins) {
        let mut mems = vec![];
        if *how != Update::Atomic {
            let all = mul(mul(plan.segments.clone(), plan.parts.clone()), bins.clone());
            let all = select(lt(i64(1), plan.parts.clone()), all, i64(0));
            let all = t.let_i64("beside", all);
            for ty in op.op.ret.iter().map(prim) {
                mems.push(t.fresh_array("beside", ty, all.clone()));
            }
        }
        beside.push(mems);
    }
    beside
}

/// Adds up what blocks that share a segment have left.
fn add_up_all(t: &mut HostCode, hist: &Hist, plan: &Measures, beside: Vec<Vec<Name>>) {
    for (k, mems) in beside.into_iter().enumerate().filter(|(_, mems)| !mems.is_empty()) {
        t.if_then(lt(i64(1), plan.parts.clone()), |t| add_up(t, hist, plan, k, &mems));
        for mem in mems {
            t.free_device(mem);
        }
    }
}

/// What a block does in one pass.
fn hist_block(t: &mut KernelCode, hist: &Hist, plan: &Measures, pass: Expr, beside: &[Vec<Name>]) {
    let group = t.let_i64("group", quot(block(), plan.parts.clone()));
    let part = t.let_i64("part", rem(block(), plan.parts.clone()));
    let first = t.let_i64("first", mul(group, plan.group.clone()));
    let here = t.let_i64("here", min(plan.group.clone(), sub(plan.segments.clone(), first.clone())));
    let mut own: Vec<Own> = vec![];
    for (which, slice) in plan.slices.iter().enumerate() {
        let low = mul(pass.clone(), slice.clone());
        own.push(own_bins(t, hist, plan, which, mul(plan.group.clone(), slice.clone()), low));
    }
    t.barrier();
    let points = t.let_i64("points", mul(here.clone(), plan.length.clone()));
    let threads = t.let_i64("threads", mul(plan.parts.clone(), block_size()));
    let thread = t.let_i64("thread", add(mul(part.clone(), block_size()), local()));
    let rounds = t.let_i64("rounds", quot_up(sub(points, thread.clone()), threads.clone()));
    let copy = t.let_i64("copy", rem(local(), plan.copies.clone()));
    t.guarded(|t| {
        t.for_up_to("round", rounds, |t, round| {
            let at = t.let_i64("at", add(thread, mul(round, threads)));
            let segment = t.let_as("segment", PrimType::I64, i64(0));
            let flat = add(mul(first.clone(), plan.length.clone()), at.clone());
            if hist.segment_dims().is_empty() {
                point::set_point(t, &hist.seg.space, flat);
            } else {
                let quotient = quot(at.clone(), plan.length.clone());
                t.if_then(lt(i64(1), plan.group.clone()), |t| t.set_to(segment, quotient));
                let inside = sub(at, mul(var(segment), plan.length.clone()));
                let row = add(first.clone(), var(segment));
                point::set_point_of_segment(t, &hist.seg.space, flat, row, inside);
            }
            let mut which = 0;
            each_update(t, hist, |t, (op, how), _, index, values| {
                let own = &own[which];
                let slice = plan.slices[which].clone();
                which += 1;
                let number = t.flat_index(index, &op.shape);
                let bin = t.let_i64("bin", sub(number, own.low.clone()));
                let mine = and(le(i64(0), bin.clone()), lt(bin.clone(), slice.clone()));
                t.if_then(mine, |t| {
                    let bin = add(mul(var(segment), slice), bin);
                    let place = own.place(plan, bin, copy.clone());
                    update_own(t, (op, how), own, place, values);
                });
            });
        });
    });
    t.barrier();
    for (k, own) in own.iter().enumerate() {
        flush(t, hist, plan, k, own, (&first, &here, &part), &beside[k]);
    }
}

/// A block's histograms of one operation, of so many bins, from a bin of the result on: all neutral.
fn own_bins(t: &mut KernelCode, hist: &Hist, plan: &Measures, which: usize, bins: Expr, low: Expr) -> Own {
    let (op, how) = (&hist.ops[which], hist.updates[which]);
    // Whole words: parts of one are exchanged with all of it.
    let per_word = match how {
        Update::SwapPart => {
            op.op.ret.first().map_or(1, |ty| (PrimType::I32.bytes() / prim(ty).bytes()) as i64)
        }
        Update::Atomic | Update::Swap | Update::Lock => 1,
    };
    let bins = match per_word {
        1 => bins,
        _ => mul(quot_up(bins, i64(per_word)), i64(per_word)),
    };
    let count = mul(bins, plan.copies.clone());
    let mut mems = vec![];
    for ty in op.op.ret.iter().map(prim) {
        mems.push((t.shared_array("bins", ty, count.clone()), ty));
    }
    let locks = (how == Update::Lock).then(|| t.shared_array("locks", PrimType::I32, count.clone()));
    let low = t.let_i64("low", low);
    shared_out(t, count, |t, at| {
        for ((mem, ty), neutral) in mems.iter().zip(&op.neutral) {
            let neutral = t.operand(*neutral);
            t.store(*mem, *ty, at.clone(), neutral);
        }
        if let Some(locks) = locks {
            t.store(locks, PrimType::I32, at, i32(0));
        }
    });
    Own { mems, locks, low, per_word }
}

/// Combines values with a block's own bin at a place.
fn update_own(t: &mut KernelCode, (op, how): Operation<'_>, own: &Own, place: Expr, values: Vec<Expr>) {
    let place = t.let_as("place", PrimType::I64, place);
    let row = || Lmad::row_major(poly(place.into()), &[]);
    let places: Vec<At> = own.mems.iter().map(|(mem, ty)| At::new(*mem, row(), *ty)).collect();
    let lock = match own.locks {
        Some(locks) => Lock::Shared(locks, var(place)),
        None => Lock::Global(i64(0)),
    };
    t.update(&op.op, how, &places, values, lock);
}

/// Adds a block's histograms of one operation to the results, or puts them beside those of others.
fn flush(
    t: &mut KernelCode,
    hist: &Hist,
    plan: &Measures,
    which: usize,
    own: &Own,
    (first, here, part): (&Expr, &Expr, &Expr),
    beside: &[Name],
) {
    let op = &hist.ops[which];
    let types: Vec<PrimType> = op.op.ret.iter().map(prim).collect();
    let (slice, bins) = (plan.slices[which].clone(), plan.bins[which].clone());
    let mems: Vec<Name> = own.mems.iter().map(|(mem, _)| *mem).collect();
    let copies = match plan.many_copies {
        true => teams_add_up(t, op, plan, own, mul(here.clone(), slice.clone())),
        false => plan.copies.clone(),
    };
    shared_out(t, mul(here.clone(), slice.clone()), |t, at| {
        let bin = t.let_i64("bin", add(rem(at.clone(), slice.clone()), own.low.clone()));
        let segment = t.let_i64("segment", add(quot(at.clone(), slice), first.clone()));
        let neutral: Vec<Expr> = op.neutral.iter().map(|e| t.operand(*e)).collect();
        let values = t.lanes("value", &types, neutral);
        t.for_up_to("copy", copies.clone(), |t, copy| {
            // Neighbouring threads begin with different copies, which are in different banks.
            let copy = rem(add(copy, at.clone()), copies);
            let place = t.let_i64("place", own.place(plan, at, copy));
            let loaded = t.load_all(&mems, &types, &place);
            t.apply(&op.op, &vars(&values), &vars(&loaded), &values);
        });
        t.if_then(lt(bin.clone(), bins), |t| {
            leave_bin(t, hist, plan, which, (&segment, &bin, part), &values, beside);
        });
    });
}

/// Adds what a block has in a bin of a segment to the result, or puts it beside what other parts of the segment have.
fn leave_bin(
    t: &mut KernelCode,
    hist: &Hist,
    plan: &Measures,
    which: usize,
    (segment, bin, part): (&Expr, &Expr, &Expr),
    values: &[Name],
    beside: &[Name],
) {
    let (op, how) = (&hist.ops[which], hist.updates[which]);
    let types: Vec<PrimType> = op.op.ret.iter().map(prim).collect();
    let mut changed = bool(false);
    for ((x, ty), neutral) in values.iter().zip(&types).zip(&op.neutral) {
        let differs = not(equal(*ty, var(*x), t.operand(*neutral)));
        changed = if changed == bool(false) { differs } else { or(changed, differs) };
    }
    let add_to_result = |t: &mut KernelCode, alone: Alone| {
        t.if_then(changed, |t| {
            let places = result_places(t, hist, which, segment.clone(), bin.clone());
            match alone {
                Alone::Yes => add_alone(t, op, &types, &places, values),
                Alone::No => t.update(&op.op, how, &places, vars(values), Lock::Global(bin.clone())),
            }
        });
    };
    if beside.is_empty() {
        return add_to_result(t, Alone::No);
    }
    let row = add(mul(segment.clone(), plan.parts.clone()), part.clone());
    let place = add(mul(row, plan.bins[which].clone()), bin.clone());
    t.if_else(
        eq(plan.parts.clone(), i64(1)),
        |t| add_to_result(t, Alone::Yes),
        |t| {
            let place = t.let_i64("place", place);
            t.store_all(beside, &types, &place, values);
        },
    );
}

/// Adds copies of bins up to at most one for each member of a team. A member adds its copies to the first of
/// them. Returns how many are left.
fn teams_add_up(t: &mut KernelCode, op: &SegHistOp<Memory>, plan: &Measures, own: &Own, bins: Expr) -> Expr {
    let (mems, types): (Vec<Name>, Vec<PrimType>) = own.mems.iter().copied().unzip();
    let team = i64(TEAM);
    t.if_then(lt(team.clone(), plan.copies.clone()), |t| {
        shared_out(t, mul(bins, team.clone()), |t, at| {
            let bin = t.let_i64("bin", quot(at.clone(), team.clone()));
            let copy = t.let_as("copy", PrimType::I64, rem(at, team.clone()));
            let first = t.let_i64("first", own.place(plan, bin.clone(), var(copy)));
            let values = t.load_all(&mems, &types, &first);
            let more = quot(sub(sub(plan.copies.clone(), i64(1)), var(copy)), team.clone());
            t.for_up_to("more", more, |t, _| {
                t.set_to(copy, add(var(copy), team.clone()));
                let place = t.let_i64("place", own.place(plan, bin, var(copy)));
                let loaded = t.load_all(&mems, &types, &place);
                t.apply(&op.op, &vars(&values), &vars(&loaded), &values);
            });
            t.store_all(&mems, &types, &first, &values);
        });
        t.barrier();
    });
    t.let_i64("copies", min(plan.copies.clone(), team))
}

/// Adds what blocks left beside each other to the results. If there is enough for a team, it has each bin:
/// its members add their parts up, the first of them what the members have.
fn add_up(t: &mut HostCode, hist: &Hist, plan: &Measures, which: usize, beside: &[Name]) {
    let op = &hist.ops[which];
    let types: Vec<PrimType> = op.op.ret.iter().map(prim).collect();
    let bins = plan.bins[which].clone();
    let all = t.let_i64("all", mul(plan.segments.clone(), bins.clone()));
    let size = i64(BLOCK_THREADS);
    let team = select(le(i64(TEAM), plan.parts.clone()), i64(TEAM), i64(1));
    let team = t.let_i64("team", team);
    let grid = quot_up(mul(all.clone(), team.clone()), size.clone());
    t.kernel("seghist_combine", grid, size, Mode::Thread, |t| {
        let sums: Vec<Name> =
            types.iter().map(|ty| t.shared_array("sums", *ty, i64(BLOCK_THREADS))).collect();
        // Neighbouring threads have neighbouring bins.
        let width = t.let_i64("width", quot(block_size(), team.clone()));
        let member = t.let_i64("member", quot(local(), width.clone()));
        let inside = sub(local(), mul(member.clone(), width.clone()));
        let at = t.let_i64("at", add(mul(block(), width.clone()), inside));
        let there = t.let_as("there", PrimType::Bool, lt(at.clone(), all));
        let segment = t.let_i64("segment", quot(at.clone(), bins.clone()));
        let bin = t.let_i64("bin", sub(at, mul(segment.clone(), bins.clone())));
        let neutral = op.neutral.iter().map(|e| t.operand(*e)).collect();
        let values = t.lanes("value", &types, neutral);
        t.if_then(var(there), |t| {
            let own = quot_up(sub(plan.parts.clone(), member.clone()), team.clone());
            t.for_up_to("part", own, |t, part| {
                let part = add(member.clone(), mul(part, team.clone()));
                let row = add(mul(segment.clone(), plan.parts.clone()), part);
                let place = t.let_i64("place", add(mul(row, bins), bin.clone()));
                let loaded = t.load_all(beside, &types, &place);
                t.apply(&op.op, &vars(&values), &vars(&loaded), &values);
            });
        });
        t.store_all(&sums, &types, &local(), &values);
        t.barrier();
        t.if_then(and(var(there), eq(member, i64(0))), |t| {
            t.for_up_to("other", sub(team, i64(1)), |t, other| {
                let place = t.let_i64("place", add(local(), mul(add(other, i64(1)), width)));
                let loaded = t.load_all(&sums, &types, &place);
                t.apply(&op.op, &vars(&values), &vars(&loaded), &values);
            });
            let places = result_places(t, hist, which, segment, bin);
            add_alone(t, op, &types, &places, &values);
        });
    });
}

/// Combines values with elements that nobody else looks at.
fn add_alone(t: &mut KernelCode, op: &SegHistOp<Memory>, types: &[PrimType], places: &[At], values: &[Name]) {
    let old: Vec<Expr> = places.iter().map(|at| t.read(at)).collect();
    let old = t.lanes("old", types, old);
    t.apply(&op.op, &vars(&old), &vars(values), &old);
    for (at, x) in places.iter().zip(&old) {
        t.write(at, var(*x));
    }
}

/// Where the results of one operation are for a bin of a segment, both given by flat numbers.
fn result_places(t: &mut KernelCode, hist: &Hist, which: usize, segment: Expr, bin: Expr) -> Vec<At> {
    let first: usize = hist.ops[..which].iter().map(|op| op.dests.len()).sum();
    let dests = &hist.pat[first..first + hist.ops[which].dests.len()];
    let segment_sizes: Vec<SubExp> = hist.segment_dims().iter().map(|d| d.1).collect();
    let mut indices = vec![];
    for (sizes, flat) in [(segment_sizes, segment), (hist.ops[which].shape.clone(), bin)] {
        let dims: Vec<(Name, SubExp)> = sizes.into_iter().map(|n| (t.names.fresh_str("index"), n)).collect();
        t.types.extend(dims.iter().map(|d| (d.0, Type::I64)));
        point::unflatten(t, &dims, flat);
        indices.extend(dims.iter().map(|d| poly(d.0.into())));
    }
    dests.iter().map(|p| t.place_of(p.name).fixed(&indices)).collect()
}

/// All numbers below a bound, shared out among the threads of a block. Most often there is one for each
/// thread: to count the rounds would take a division, which is slower than many a body.
pub(crate) fn shared_out(t: &mut KernelCode, bound: Expr, body: impl FnOnce(&mut KernelCode, Expr)) {
    let next = t.let_as("next", PrimType::I64, local());
    t.while_(lt(var(next), bound), |t| {
        let at = var(t.let_as("at", PrimType::I64, var(next)));
        body(t, at);
        t.set_to(next, add(var(next), block_size()));
    });
}

/// The sizes of a histogram in shared memory.
struct Measures {
    /// Threads of a block.
    size: Expr,
    segments: Expr,
    /// Points of a segment; 1 if there are none.
    length: Expr,
    /// Bins of all operations.
    all_bins: Expr,
    /// Bins of each operation, and how many of them in a pass.
    bins: Vec<Expr>,
    slices: Vec<Expr>,
    passes: Expr,
    /// Segments that share a block.
    group: Expr,
    groups: Expr,
    /// Blocks that share a segment.
    parts: Expr,
    /// Copies of each bin in a block.
    copies: Expr,
    /// Whether these may be more than a team has members.
    many_copies: bool,
}

impl Measures {
    /// What the conditions of a plan are about.
    fn quantities(&self, hist: &Hist) -> Quantities {
        vec![
            (Quantity::Points, hist.points.clone()),
            (Quantity::Segment, self.length.clone()),
            (Quantity::Bins, self.all_bins.clone()),
            (Quantity::Passes, self.passes.clone()),
            (Quantity::Parts, self.parts.clone()),
            (Quantity::Repeats, sub(self.passes.clone(), i64(1))),
        ]
    }
}

/// An operation of a histogram, and how its elements are updated.
pub(super) type Operation<'a> = (&'a SegHistOp<Memory>, Update);

/// A block's histograms of one operation.
struct Own {
    mems: Vec<(Name, PrimType)>,
    /// One for each copy of each bin, where the operator needs them.
    locks: Option<Name>,
    /// The first bin of the pass.
    low: Expr,
    /// How many elements are updated together.
    per_word: i64,
}

impl Own {
    /// Where the copy of a bin is.
    fn place(&self, plan: &Measures, bin: Expr, copy: Expr) -> Expr {
        let per_word = i64(self.per_word);
        match self.per_word {
            1 => add(mul(bin, plan.copies.clone()), copy),
            _ => {
                let word = add(mul(quot(bin.clone(), per_word.clone()), plan.copies.clone()), copy);
                add(mul(word, per_word.clone()), rem(bin, per_word))
            }
        }
    }
}

/// Whether others may update the same elements.
enum Alone {
    Yes,
    No,
}

/// The histogram that is emitted.
pub(super) struct Hist<'a> {
    pub(super) pat: &'a [PatElem<Memory>],
    pub(super) seg: &'a SegOp<Memory>,
    pub(super) ops: &'a [SegHistOp<Memory>],
    /// How elements are updated, by operation.
    pub(super) updates: &'a [Update],
    pub(super) points: Expr,
}

impl Hist<'_> {
    fn segment_dims(&self) -> &[(Name, SubExp)] {
        let dims = &self.seg.space.dims;
        &dims[..dims.len() - 1]
    }
}
