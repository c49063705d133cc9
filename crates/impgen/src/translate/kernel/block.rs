//! Operations whose inner parallelism is in one thread block.
//!
//! A block computes one point of the outer operation. Its threads run the code between inner operations together, all
//! computing the same scalars; they share out the points of inner operations, and copies. Arrays made inside
//! are in shared memory. A barrier stands before and after whatever writes memory that the block shares.
//!
//! The block has as many threads as the widest inner operation has points that the plan names, if the device
//! has so many, or fewer where the plan says that threads may take several points in turns. There are kernels
//! with and without loops over the points of a thread, between which the host chooses: without, if the block
//! has a thread for each point of the rows that are reduced or scanned, and of maps in loops. Then a map or
//! copy over the same index space has no loop either: compilers of kernels unroll loops whose number of
//! rounds they do not know, which takes twice the registers, and halves the number of blocks that run at
//! once. Times: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! Where a part of a warp is enough for a point, the same code is that of such a part ([`teams`]). Where all
//! operations have the same points, and a thread only needs its own, it keeps what it reads and computes for
//! them ([`kept`]); then a block may compute several points that are columns in memory ([`kept::columns`]).

mod ahead;
mod combine;
pub(crate) mod kept;
mod teams;

use super::choice::{only_plan, schedule};
use super::hist::Hist;
use super::turns::{in_turns, Turn};
use crate::translate::kernel::hist;
use crate::translate::kernel::map;
use crate::translate::kernel::point;
use crate::translate::kernel::size;
use crate::translate::state::{self, At, Context, HostCode, KernelCode, Lock, Mode};
use combine::Combined;
use fehu_algebra::Poly;
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::mem::{poly, MemOp};
use fehu_ir::schedule::{Once, Plan, Turns};
use fehu_ir::seg::{KernelReturn, SegKind, SegOp, SizeClass, EXCHANGE};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Attr, Basic, Body, Exp, Memory, PatElem, Shape, SubExp, Type};
use indexmap::IndexSet;
use kept::{columns, Sharing};

/// An operation whose points are computed by blocks.
pub(crate) fn block_op(t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    let SegKind::Map = seg.kind else { bug!("blocks only map") };
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let points = point::points(t, &sizes);
    let Plan::BlockPerPoint { spaces, once, turns } = only_plan(seg) else { bug!("blocks compute points") };
    size::add_params(t, schedule(seg));
    let widest = largest(t, spaces);
    let width = block_width(t, &points, widest.clone(), once.as_ref(), turns.as_ref());
    let run = |t: &mut HostCode, rounds| block_kernel(t, pat, seg, points.clone(), width.clone(), rounds);
    let in_one = |one_round| Rounds { one_round, ..Rounds::default() };
    let rows = rows(&seg.body.body);
    let kept = turns.as_ref().and_then(|turns| turns.kept);
    let by_rows = |t: &mut HostCode| {
        if rows.is_empty() {
            return run(t, Rounds::default());
        }
        let most = largest(t, &rows);
        let in_turns = |t: &mut HostCode| run(t, Rounds { in_turns: rows.clone(), ..Rounds::default() });
        let several = |t: &mut HostCode| match kept {
            Some(kept) => {
                let fit = le(most.clone(), mul(width.clone(), i64(kept.points)));
                let keep = |t: &mut HostCode| {
                    let each = t.let_i64("each", quot_up(most.clone(), width.clone()));
                    run(t, Rounds { kept: Some((kept.points, each)), ..Rounds::default() });
                };
                t.if_else(fit, keep, in_turns);
            }
            None => in_turns(t),
        };
        t.if_else(le(most.clone(), width.clone()), |t| run(t, in_one(rows.clone())), several);
    };
    if let Some(turns) = turns {
        if let Some(teams) = &turns.teams {
            let by_teams = |t: &mut HostCode| {
                let team = teams::team(t, seg, spaces, &points, turns, teams);
                let by_teams = |t: &mut HostCode| teams::team_kernels(t, pat, seg, &points, &team);
                t.if_else(team.pay.clone(), by_teams, by_rows);
            };
            return match kept.and_then(|kept| kept.columns) {
                None => by_teams(t),
                Some(plan) => {
                    let of = columns::measures(t, seg, spaces, &points, &plan);
                    t.if_else(of.pay.clone(), |t| columns::kernels(t, pat, seg, &of), by_teams);
                }
            };
        }
    }
    let body = &seg.body.body;
    if (maps_in_loop(body, spaces) || only_maps(body)) && spaces.iter().any(|space| !rows.contains(space)) {
        let all = [spaces.clone(), rows.clone()].concat();
        t.if_else(le(widest, width.clone()), |t| run(t, in_one(all)), by_rows);
    } else {
        by_rows(t);
    }
}

/// Index spaces of operations inside of a block.
#[derive(Default)]
struct Rounds {
    /// Those that have a thread for each point.
    one_round: Vec<Shape>,
    /// Those that have several points for each thread.
    in_turns: Vec<Shape>,
    /// All have so many points for each thread at most, of which it keeps what it needs, and so many now.
    kept: Option<(i64, Expr)>,
}

/// The kernel.
fn block_kernel(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    points: Expr,
    size: Expr,
    Rounds { one_round, in_turns, kept }: Rounds,
) {
    let grid = match &seg.grid {
        Some(grid) => min(points.clone(), t.operand(grid.blocks)),
        None => points.clone(),
    };
    t.kernel("segmap_intrablock", grid, size, Mode::Block, |t| {
        t.in_kernel.exchange = exchange_of(&seg.body.body);
        t.in_kernel.one_round = one_round;
        t.in_kernel.one_round.extend(side_by_side(&seg.body.body));
        t.in_kernel.in_turns = in_turns;
        map::set_thread(t, seg);
        let compute = |t: &mut KernelCode, at| {
            let compute = |t: &mut KernelCode| {
                point::set_point(t, &seg.space, at);
                t.body(&seg.body.body, &[]);
                block_results(t, pat, seg);
            };
            match kept {
                Some((points, each)) => kept::keeping(t, seg, points, Sharing::Block { each }, compute),
                None => compute(t),
            }
        };
        if seg.grid.is_none() {
            return compute(t, block());
        }
        let rounds = quot_up(sub(points, block()), grid_size());
        t.for_up_to("round", rounds, |t, round| {
            compute(t, add(block(), mul(round, grid_size())));
            t.barrier();
        });
    });
}

/// Whether maps of some index spaces are in a loop. There, a kernel of its own for blocks that have a thread
/// for each point pays: the loop over a thread's points is a third of the instructions of a step of `nw`.
fn maps_in_loop(body: &Body<Memory>, spaces: &[Shape]) -> bool {
    let mut found = false;
    for_each_stm(body, &mut |stm| {
        if let Exp::Loop(l) = &stm.exp {
            for_each_stm(&l.body, &mut |stm| {
                if let Exp::Op(MemOp::Seg(seg)) = &stm.exp {
                    let space: Shape = seg.space.dims.iter().map(|d| d.1).collect();
                    found |= matches!(seg.kind, SegKind::Map) && spaces.contains(&space);
                }
            });
        }
    });
    found
}

/// Whether a block does nothing but maps, without loops around them: each thread is done after a point of
/// each, so that its loops over points would be a large part of what it does, and compilers do not read for a
/// point of one map before the loop of another has ended.
fn only_maps(body: &Body<Memory>) -> bool {
    body.stms.iter().all(|stm| match &stm.exp {
        Exp::Op(MemOp::Seg(seg)) => matches!(seg.kind, SegKind::Map),
        Exp::Basic(_) | Exp::Op(_) => true,
        Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => false,
    })
}

/// The index spaces of reductions and scans of one row. A warp has a thread for each point of a short one.
fn rows(body: &Body<Memory>) -> Vec<Shape> {
    combined_spaces(body).into_iter().filter(|space| space.len() == 1 && !fit_in_warp(space)).collect()
}

/// The index spaces of reductions and scans of several rows.
fn side_by_side(body: &Body<Memory>) -> impl Iterator<Item = Shape> {
    combined_spaces(body).into_iter().filter(|space| space.len() > 1)
}

fn combined_spaces(body: &Body<Memory>) -> IndexSet<Shape> {
    let mut spaces = IndexSet::new();
    for_each_stm(body, &mut |stm| {
        if let Exp::Op(MemOp::Seg(seg)) = &stm.exp {
            if matches!(seg.kind, SegKind::Red(_) | SegKind::Scan(..)) {
                spaces.insert(seg.space.dims.iter().map(|d| d.1).collect());
            }
        }
    });
    spaces
}

/// The shared arrays through which the threads of a block exchange values: allocations that say so.
fn exchange_of(body: &Body<Memory>) -> state::Exchange {
    let mut exchange = state::Exchange::default();
    for stm in &body.stms {
        for attr in &stm.attrs {
            match attr {
                Attr::Comp(name, what) if name.as_str() == EXCHANGE => match what.as_slice() {
                    [Attr::Int(_)] => exchange.lanes.extend(stm.pat.iter().map(|p| p.name)),
                    _ => exchange.flags = stm.pat.first().map(|p| p.name),
                },
                Attr::Comp(..) | Attr::Atom(_) | Attr::Int(_) => {}
            }
        }
    }
    exchange
}

/// Threads for the widest operation inside, a multiple of a warp, of a block that computes one of so many points.
fn block_width(
    t: &mut HostCode,
    blocks: &Expr,
    mut widest: Expr,
    once: Option<&Once>,
    turns: Option<&Turns>,
) -> Expr {
    if let Some(Turns { points, threads, kept, .. }) = turns {
        let (mut points, threads) = (size::param(t, *points), size::param(t, *threads));
        if let Some(kept) = kept {
            points = min(points, i64(kept.points));
        }
        let busy = quot(threads, max(i64(1), blocks.clone()));
        widest = max(quot_up(widest.clone(), max(points, i64(1))), min(widest, busy));
    }
    if let Some(Once { spaces, turns }) = once {
        let points = largest(t, spaces);
        let turns = size::param(t, *turns);
        widest = max(widest, quot_up(points, max(turns, i64(1))));
    }
    let most = size::device_max(t, &SizeClass::ThreadBlockSize);
    let warps = quot_up(min(widest, most), i64(WARP_THREADS));
    t.let_i64("width", mul(warps, i64(WARP_THREADS)))
}

/// The points of the largest space.
fn largest(t: &Context, spaces: &[Shape]) -> Expr {
    spaces.iter().fold(i64(1), |most, space| {
        let points = space.iter().fold(i64(1), |points, n| mul(points, host_operand(t, *n)));
        max(most, points)
    })
}

/// An operand of kernel code in terms of what the host knows.
pub(crate) fn host_operand(t: &Context, e: SubExp) -> Expr {
    match t.resolve(e) {
        SubExp::Var(n) => t.in_kernel.sizes.get(&n).cloned().unwrap_or(Expr::Var(n)),
        SubExp::Const(v) => Expr::Const(v),
    }
}

/// Remembers how the host can compute a scalar of a block's code.
pub(crate) fn note_size(t: &mut KernelCode, name: Name, exp: &Exp<Memory>) {
    let value = match exp {
        Exp::Basic(Basic::BinOp(op, a, b)) => binary(*op, host_operand(t, *a), host_operand(t, *b)),
        Exp::Basic(Basic::UnOp(op, a)) => Expr::UnOp(*op, Box::new(host_operand(t, *a))),
        Exp::Basic(Basic::Conv(op, a)) => Expr::Conv(*op, Box::new(host_operand(t, *a))),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => return,
    };
    t.in_kernel.sizes.insert(name, value);
}

/// Writes the results of a block's point.
fn block_results(t: &mut KernelCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    let indices: Vec<Poly> = seg.space.dims.iter().map(|d| poly(d.0.into())).collect();
    let results = seg.body.body.result.iter().zip(&seg.body.returns).zip(&seg.types);
    for (p, ((value, ret), ty)) in pat.iter().zip(results) {
        match ret {
            KernelReturn::Elem => {
                if matches!(ty, Type::Acc(..)) {
                    continue;
                }
                let at = t.place_of(p.name).fixed(&indices);
                if !kept::put(t, &at, *value) {
                    t.put(ty.shape(), &at, *value);
                }
            }
            KernelReturn::Write { .. } => {
                bug!("a block returns {ret:?}")
            }
        }
    }
}

/// An element written by the block as one.
pub(crate) fn block_write(t: &mut KernelCode, at: &At, value: Expr) {
    t.barrier();
    t.if_then(eq(local(), i64(0)), |t| t.write_alone(at, value));
    t.barrier();
}

/// A copy that the threads of a block share.
pub(crate) fn block_copy(t: &mut KernelCode, shape: &[SubExp], dst: &At, src: &At) {
    t.barrier();
    let count = point::points(t, shape);
    let places = |dims: &[(Name, SubExp)]| {
        let indices: Vec<Poly> = dims.iter().map(|d| poly(d.0.into())).collect();
        (dst.fixed(&indices), src.fixed(&indices))
    };
    if one_round(t, shape) {
        t.if_then(lt(local(), count), |t| {
            let dims = counters(t, shape);
            point::unflatten(t, &dims, local());
            let (to, from) = places(&dims);
            let value = t.read(&from);
            t.write_alone(&to, value);
        });
    } else {
        let read = |t: &mut KernelCode, turn: Turn| {
            let dims = counters(t, shape);
            turn.set(t, &dims);
            vec![t.read(&places(&dims).1)]
        };
        in_turns(t, shape, &count, &[src.elem], read, |t, turn, values| {
            let dims = counters(t, shape);
            turn.set(t, &dims);
            values.into_iter().for_each(|value| t.write_alone(&places(&dims).0, value));
        });
    }
    t.barrier();
}

/// Whether the block has a thread for each of these points. Of a team, nothing is known.
fn one_round(t: &KernelCode, shape: &[SubExp]) -> bool {
    let one = fit_in_warp(shape) || t.in_kernel.one_round.iter().any(|space| space == shape);
    one && t.in_kernel.team_log2.is_none()
}

/// Whether each thread of the block has several of these points.
fn takes_turns(t: &KernelCode, shape: &[SubExp]) -> bool {
    t.in_kernel.in_turns.iter().any(|space| space == shape)
}

/// Whether there are no more points than threads in a warp, of which every block has one.
fn fit_in_warp(shape: &[SubExp]) -> bool {
    let points = shape.iter().try_fold(1i64, |n, size| n.checked_mul(size.as_i64()?));
    points.is_some_and(|n| n <= WARP_THREADS)
}

/// Fresh indices into a shape.
fn counters(t: &mut Context, shape: &[SubExp]) -> Vec<(Name, SubExp)> {
    let mut dims = vec![];
    for n in shape {
        let i = t.names.fresh_str("i");
        t.types.insert(i, Type::I64);
        dims.push((i, *n));
    }
    dims
}

/// An operation inside of a block.
pub(crate) fn in_block_op(t: &mut KernelCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    if t.in_kernel.kept.is_some() {
        return kept::operation(t, pat, seg);
    }
    let plan = only_plan(seg);
    let waits = !(matches!(plan, Plan::Rounds { at_once: true, .. }) && drop_last_wait(t));
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let points = point::points(t, &sizes);
    if waits {
        t.barrier();
    }
    match &seg.kind {
        SegKind::Map if *plan == Plan::CopiedAhead && t.in_kernel.team_log2.is_none() => {
            ahead::copied_ahead(t, pat, seg, points);
        }
        SegKind::Map => match (seg.virtualise || takes_turns(t, &sizes)).then(|| scalars(seg)).flatten() {
            _ if one_round(t, &sizes) => by_threads(t, points, |t, at| {
                point::set_point(t, &seg.space, at);
                point::point(t, pat, seg);
            }),
            Some(types) => map_in_turns(t, pat, seg, &points, &types),
            None => in_rounds(t, points, |t, at| {
                point::set_point(t, &seg.space, at);
                point::point(t, pat, seg);
            }),
        },
        SegKind::Red(ops) => combine::reduction(t, &Combined { pat, seg, ops, plan, points }),
        SegKind::Scan(ops, _) => combine::scan(t, &Combined { pat, seg, ops, plan, points }),
        SegKind::Hist(ops) => {
            // The result is where the destination was.
            let Plan::Rounds { updates, .. } = plan else { bug!("a histogram in a block by {plan:?}") };
            let hist = Hist { pat, seg, ops, updates, points: points.clone() };
            in_rounds(t, points, |t, at| {
                point::set_point(t, &seg.space, at);
                update_in_block(t, &hist);
            });
        }
    }
    t.emit(Code::Op(KernelOp::LeaveIfFailed));
}

/// Takes back the wait at the end of the operation before, if it is the last that was emitted.
fn drop_last_wait(t: &mut KernelCode) -> bool {
    let Some(codes) = t.code.last_mut().filter(|_| t.context.in_kernel.team_log2.is_none()) else {
        return false;
    };
    let last = matches!(codes.last(), Some(Code::Op(KernelOp::LeaveIfFailed)));
    if last {
        codes.pop();
    }
    last
}

/// The types of the results of a map whose points are scalars, computed from what is read, without loops.
/// Where to find a point's indices takes divisions, nothing need be read: threads that take turns divide
/// once.
fn scalars(seg: &SegOp<Memory>) -> Option<Vec<PrimType>> {
    let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    let (mut reads, mut loops) = (false, false);
    for_each_stm(&seg.body.body, &mut |stm| {
        reads |= matches!(stm.exp, Exp::Basic(Basic::Index(..)));
        loops |= matches!(stm.exp, Exp::Loop(_) | Exp::Op(_));
    });
    let types = seg.types.iter().map(|ty| match ty {
        Type::Prim(ty) if *ty != PrimType::Unit => Some(*ty),
        Type::Prim(_) | Type::Array(..) | Type::Acc(..) | Type::Mem(_) => None,
    });
    let divides = seg.space.dims.iter().skip(1).any(|d| d.1.as_i64().is_none());
    if elements && (reads || divides) && !loops {
        types.collect()
    } else {
        None
    }
}

/// A map of which each thread computes several points at once.
fn map_in_turns(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    points: &Expr,
    types: &[PrimType],
) {
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let compute = |t: &mut KernelCode, turn: Turn| {
        turn.set_point(t, &seg.space);
        t.body(&seg.body.body, &[]);
        seg.body.body.result.iter().map(|e| t.operand(*e)).collect()
    };
    in_turns(t, &sizes, points, types, compute, |t, turn, values| {
        let dims = counters(t, &sizes);
        turn.set(t, &dims);
        let indices: Vec<Poly> = dims.iter().map(|d| poly(d.0.into())).collect();
        for (p, value) in pat.iter().zip(values) {
            let at = t.place_of(p.name).fixed(&indices);
            t.write_alone(&at, value);
        }
    });
    t.in_kernel.mode = outer;
}

/// Each thread computes its points one after the other, for itself.
fn in_rounds(t: &mut KernelCode, points: Expr, body: impl FnOnce(&mut KernelCode, Expr)) {
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    hist::shared_out(t, points, |t, at| t.guarded(|t| body(t, at)));
    t.in_kernel.mode = outer;
}

/// Each thread that has a point computes it, for itself.
fn by_threads(t: &mut KernelCode, points: Expr, body: impl FnOnce(&mut KernelCode, Expr)) {
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    t.if_then(lt(local(), points), |t| t.guarded(|t| body(t, local())));
    t.in_kernel.mode = outer;
}

fn update_in_block(t: &mut KernelCode, hist: &Hist) {
    let dims = &hist.seg.space.dims;
    let segment: Vec<SubExp> = dims[..dims.len() - 1].iter().map(|d| d.0.into()).collect();
    hist::each_update(t, hist, |t, (op, how), dests, index, values| {
        let index: Vec<SubExp> = segment.iter().chain(index).copied().collect();
        let indices: Vec<_> = index.iter().map(|i| poly(t.resolve(*i))).collect();
        let places: Vec<At> = dests.iter().map(|p| t.place_of(p.name).fixed(&indices)).collect();
        let number = places.first().map_or(i64(0), |at| t.offset(at));
        t.update(&op.op, how, &places, values, Lock::Global(number));
    });
}
