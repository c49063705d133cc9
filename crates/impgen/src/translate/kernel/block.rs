//! Operations whose inner parallelism is in one thread block.
//!
//! A block computes one point of the outer operation. Its threads run the code between inner operations together, all
//! computing the same scalars; they share out the points of inner operations, and copies. Arrays made inside
//! are in shared memory. A barrier stands before and after whatever writes memory that the block shares.
//!
//! The block has as many threads as the widest inner operation has points that the plan names, if the device has so many.
//! Where that is so, and maps are in loops, there is a kernel without a loop over the points of a thread.
//! Reductions and scans need one round (flattening sees to it that they fit); threads take one point of a map after the other.
//! But a map or copy over the index space of a reduction or scan has a thread for each point as well, and no loop: compilers of kernels
//! unroll loops whose number of rounds they do not know, which takes twice the registers, and halves the number of blocks that run at once
//! (the tridiagonal systems of `locvolcalib`: 722 instead of 522 us).

use super::choice::{only_plan, schedule};
use super::hist::Hist;
use super::operator::vars;
use super::turns::in_turns;
use crate::translate::kernel::hist;
use crate::translate::kernel::map;
use crate::translate::kernel::point;
use crate::translate::kernel::red;
use crate::translate::kernel::size;
use crate::translate::state::{self, At, Context, HostCode, KernelCode, Lock, Mode};
use fehu_algebra::Poly;
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::mem::{poly, MemOp};
use fehu_ir::schedule::{Exchange, Once, Plan};
use fehu_ir::seg::{KernelReturn, SegBinOp, SegKind, SegOp, SizeClass, EXCHANGE};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Attr, Basic, Body, Exp, Memory, PatElem, Shape, SubExp, Type};

/// An operation whose points are computed by blocks.
pub(crate) fn block_op(t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    let SegKind::Map = seg.kind else { bug!("blocks only map") };
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let points = point::points(t, &sizes);
    let Plan::BlockPerPoint { spaces, once } = only_plan(seg) else { bug!("blocks compute points") };
    size::add_params(t, schedule(seg));
    let widest = largest(t, spaces);
    let most = size::device_max(t, &SizeClass::ThreadBlockSize);
    let size = block_width(t, widest.clone(), once.as_ref(), most.clone());
    if maps_in_loop(&seg.body.body, spaces) {
        let run =
            |t: &mut HostCode, one_round| block_kernel(t, pat, seg, points.clone(), size.clone(), one_round);
        t.if_else(le(widest, most), |t| run(t, spaces.clone()), |t| run(t, vec![]));
    } else {
        block_kernel(t, pat, seg, points, size, vec![]);
    }
}

/// The kernel, if operations of some index spaces have a thread for each point.
fn block_kernel(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    points: Expr,
    size: Expr,
    one_round: Vec<Shape>,
) {
    let grid = match &seg.grid {
        Some(grid) => min(points.clone(), t.operand(grid.blocks)),
        None => points.clone(),
    };
    t.kernel("segmap_intrablock", grid, size, Mode::Block, |t| {
        t.in_kernel.exchange = exchange_of(&seg.body.body);
        t.in_kernel.one_round = one_round;
        t.in_kernel.one_round.extend(combined_spaces(&seg.body.body));
        map::set_thread(t, seg);
        let compute = |t: &mut KernelCode, at| {
            point::set_point(t, &seg.space, at);
            t.body(&seg.body.body, &[]);
            block_results(t, pat, seg);
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

/// Whether maps of some index spaces are in a loop. There, a kernel of its own for blocks that have a thread for each point pays: the loop over
/// a thread's points is a third of the instructions of a step of `nw`.
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

/// The index spaces of reductions and scans.
fn combined_spaces(body: &Body<Memory>) -> Vec<Shape> {
    let mut spaces = vec![];
    for_each_stm(body, &mut |stm| {
        if let Exp::Op(MemOp::Seg(seg)) = &stm.exp {
            if matches!(seg.kind, SegKind::Red(_) | SegKind::Scan(..)) {
                spaces.push(seg.space.dims.iter().map(|d| d.1).collect());
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

/// Threads for the widest operation inside, a multiple of a warp.
fn block_width(t: &mut HostCode, mut widest: Expr, once: Option<&Once>, most: Expr) -> Expr {
    if let Some(Once { spaces, turns }) = once {
        let points = largest(t, spaces);
        let turns = size::param(t, *turns);
        widest = max(widest, quot_up(points, max(turns, i64(1))));
    }
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
                t.put(ty.shape(), &at, *value);
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
    let indices = |t: &mut KernelCode, at| {
        let dims = counters(t, shape);
        point::unflatten(t, &dims, at);
        dims.iter().map(|d| poly(d.0.into())).collect::<Vec<Poly>>()
    };
    if one_round(t, shape) {
        t.if_then(lt(local(), count), |t| {
            let indices = indices(t, local());
            let value = t.read(&src.fixed(&indices));
            t.write_alone(&dst.fixed(&indices), value);
        });
    } else {
        let read = |t: &mut KernelCode, at| {
            let indices = indices(t, at);
            vec![t.read(&src.fixed(&indices))]
        };
        in_turns(t, &count, &[src.elem], read, |t, at, values| {
            let indices = indices(t, at);
            values.into_iter().for_each(|value| t.write_alone(&dst.fixed(&indices), value));
        });
    }
    t.barrier();
}

/// Whether the block has a thread for each of these points.
fn one_round(t: &KernelCode, shape: &[SubExp]) -> bool {
    fit_in_warp(shape) || t.in_kernel.one_round.iter().any(|space| space == shape)
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
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let points = point::points(t, &sizes);
    t.barrier();
    let plan = only_plan(seg);
    match &seg.kind {
        SegKind::Map => match seg.virtualise.then(|| scalars(seg)).flatten() {
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
        SegKind::Red(ops) => in_block_red(t, pat, seg, ops, plan, points),
        SegKind::Scan(ops, _) => in_block_scan(t, pat, seg, ops, plan, points),
        SegKind::Hist(ops) => {
            // The result is where the destination was.
            let Plan::Rounds { updates } = plan else { bug!("a histogram in a block by {plan:?}") };
            let hist = Hist { pat, seg, ops, updates, points: points.clone() };
            in_rounds(t, points, |t, at| {
                point::set_point(t, &seg.space, at);
                update_in_block(t, &hist);
            });
        }
    }
    t.emit(Code::Op(KernelOp::LeaveIfFailed));
}

/// The types of the results of a map whose points are scalars, computed from what is read, without loops.
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
    if elements && reads && !loops {
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
    let compute = |t: &mut KernelCode, at| {
        point::set_point(t, &seg.space, at);
        t.body(&seg.body.body, &[]);
        seg.body.body.result.iter().map(|e| t.operand(*e)).collect()
    };
    in_turns(t, points, types, compute, |t, at, values| {
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let dims = counters(t, &sizes);
        point::unflatten(t, &dims, at);
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

/// One value per point, computed by the threads. Returns each thread's values, and shared memory for them.
fn values_in_block(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
    points: &Expr,
) -> (Vec<Name>, Vec<Name>) {
    let types = t.operand_types(ops);
    let neutral = t.neutrals(ops);
    let values = t.lanes("value", &types, neutral);
    by_threads(t, points.clone(), |t, at| {
        point::set_point(t, &seg.space, at);
        let new = point::point(t, pat, seg);
        for (x, e) in values.iter().zip(new) {
            t.set_to(*x, e);
        }
    });
    let shared = t.in_kernel.exchange.lanes.get(..types.len()).map(<[Name]>::to_vec);
    (values, shared.unwrap_or_else(|| bug!("nobody allocated memory to exchange {types:?} in a block")))
}

/// The rows of an operation that has so many points, one for each thread.
fn rows_in_block(t: &mut KernelCode, seg: &SegOp<Memory>, points: Expr) -> Rows {
    let n = t.operand(seg.space.dims[seg.space.dims.len() - 1].1);
    let width = t.let_i64("width", max(i64(1), n.clone()));
    let index = t.let_i64("index", rem(local(), width.clone()));
    let mine = var(t.let_as("mine", PrimType::Bool, lt(local(), points)));
    Rows { n, width, index, mine }
}

/// A reduction in which all threads take part.
fn in_block_red_whole(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
    points: Expr,
) {
    let types = t.operand_types(ops);
    let (values, shared) = values_in_block(t, pat, seg, ops, &points);
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    t.block_reduce(ops, &types, &values, &shared, Exchange::Shuffles);
    t.if_then(eq(local(), i64(0)), |t| t.store_all(&shared, &types, &i64(0), &values));
    t.in_kernel.mode = outer;
    t.barrier();
    for (k, p) in pat.iter().take(seg.combined()).enumerate() {
        t.declare(p.name, &p.ty);
        let value = t.element(shared[k], types[k], i64(0));
        t.set_to(p.name, value);
    }
}

fn in_block_red(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
    plan: &Plan,
    points: Expr,
) {
    let types = t.operand_types(ops);
    if *plan == Plan::ByWarps {
        return in_block_red_whole(t, pat, seg, ops, points);
    }
    let (values, shared) = values_in_block(t, pat, seg, ops, &points);
    t.if_then(lt(local(), points.clone()), |t| t.store_all(&shared, &types, &local(), &values));
    t.barrier();
    let outer = &seg.space.dims[..seg.space.dims.len() - 1];
    let Rows { n, width, index, mine } = rows_in_block(t, seg, points);
    let unordered = t.in_kernel.mode;
    t.in_kernel.mode = Mode::Thread;
    red::reduce_side_by_side(t, ops, &types, &values, &shared, &index, &n, &mine);
    t.in_kernel.mode = unordered;
    let sizes: Vec<SubExp> = outer.iter().map(|d| d.1).collect();
    let segments = point::points(t, &sizes);
    let neutral = t.neutrals(ops);
    for (k, p) in pat.iter().take(seg.combined()).enumerate() {
        let of = |t: &KernelCode, segment: Expr| {
            let value = t.element(shared[k], types[k], mul(segment, width.clone()));
            select(lt(i64(0), n.clone()), value, neutral[k].clone())
        };
        match &p.ty {
            Type::Prim(_) => {
                t.declare(p.name, &p.ty);
                let value = of(t, i64(0));
                t.set_to(p.name, value);
            }
            Type::Array(..) => {
                let at = t.place_of(p.name);
                let dims = counters(t, &sizes);
                hist::shared_out(t, segments.clone(), |t, segment| {
                    point::unflatten(t, &dims, segment.clone());
                    let indices: Vec<Poly> = dims.iter().map(|d| poly(d.0.into())).collect();
                    let value = of(t, segment);
                    t.write_alone(&at.fixed(&indices), value);
                });
            }
            Type::Acc(..) | Type::Mem(_) => bug!("a reduction gives {:?}", p.ty),
        }
    }
}

fn in_block_scan(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
    plan: &Plan,
    points: Expr,
) {
    let types = t.operand_types(ops);
    let (values, shared) = values_in_block(t, pat, seg, ops, &points);
    let Rows { n, width: _, index, mine } = rows_in_block(t, seg, points.clone());
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    if *plan == Plan::ByWarps {
        let starts = (seg.space.dims.len() > 1).then(|| {
            let starts = t.let_as("starts", PrimType::Bool, eq(index.clone(), i64(0)));
            let flags = t.in_kernel.exchange.flags;
            (starts, flags.unwrap_or_else(|| bug!("nobody allocated flags for a scan in a block")))
        });
        t.block_scan(ops, &types, &values, &shared, starts, Exchange::Shuffles);
    } else {
        t.if_then(lt(local(), points), |t| t.store_all(&shared, &types, &local(), &values));
        t.barrier();
        scan_by_steps(t, ops, &types, (&values, &shared), (&index, &n, &mine));
    }
    t.if_then(mine, |t| {
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let dims = counters(t, &sizes);
        point::unflatten(t, &dims, local());
        let indices: Vec<Poly> = dims.iter().map(|d| poly(d.0.into())).collect();
        for (p, value) in pat.iter().zip(&values) {
            let at = t.place_of(p.name).fixed(&indices);
            t.write_alone(&at, var(*value));
        }
    });
    t.in_kernel.mode = outer;
}

/// Scans rows of `n` values that lie side by side in shared memory, one value per thread.
fn scan_by_steps(
    t: &mut KernelCode,
    ops: &[SegBinOp<Memory>],
    types: &[PrimType],
    (values, shared): (&[Name], &[Name]),
    (index, n, mine): (&Expr, &Expr, &Expr),
) {
    let step = t.let_as("step", PrimType::I64, i64(1));
    t.while_(lt(var(step), n.clone()), |t| {
        let takes = t.let_as("takes", PrimType::Bool, and(mine.clone(), le(var(step), index.clone())));
        let neutral = t.neutrals(ops);
        let before = t.lanes("before", types, neutral);
        t.if_then(var(takes), |t| {
            for ((x, mem), ty) in before.iter().zip(shared).zip(types) {
                let e = t.element(*mem, *ty, sub(local(), var(step)));
                t.set_to(*x, e);
            }
        });
        t.barrier();
        t.if_then(var(takes), |t| {
            t.apply_all(ops, &vars(&before), &vars(values), values);
            t.store_all(shared, types, &local(), values);
        });
        t.barrier();
        t.set_to(step, mul(var(step), i64(2)));
    });
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

/// Rows that lie side by side in a block, one point for each thread.
struct Rows {
    /// Points in a row.
    n: Expr,
    /// The same, but never zero.
    width: Expr,
    /// The thread's place in its row.
    index: Expr,
    /// Whether the thread has a point.
    mine: Expr,
}
