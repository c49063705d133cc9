//! Reductions and scans by the threads of a block.
//!
//! Where the block has a thread for each point, a thread has one value, and the threads combine theirs. A row
//! may have more points than the block has threads. Then
//!
//! - threads of a reduction first combine several points each for themselves: those that lie a block apart if
//!   operands may be swapped, so that neighbouring threads read neighbouring elements, else some in a row;
//! - scans are done in rounds of as many points as there are threads, each of which begins with what the last
//!   one ended with.
//!
//! Several rows side by side have a thread for each point always; flattening sees to it that they fit.

use super::{counters, in_rounds, one_round, scalars};
use crate::translate::kernel::hist;
use crate::translate::kernel::operator::{can_fail, vars};
use crate::translate::kernel::point;
use crate::translate::kernel::red;
use crate::translate::kernel::turns::{in_turns, Turn};
use crate::translate::state::{KernelCode, Mode};
use fehu_algebra::Poly;
use fehu_analysis::operator::is_commutative;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::mem::poly;
use fehu_ir::schedule::{Exchange, Plan};
use fehu_ir::seg::{SegBinOp, SegOp};
use fehu_ir::{Memory, PatElem, SubExp, Type};

/// A reduction or scan in a block.
pub(super) struct Combined<'a> {
    pub(super) pat: &'a [PatElem<Memory>],
    pub(super) seg: &'a SegOp<Memory>,
    pub(super) ops: &'a [SegBinOp<Memory>],
    pub(super) plan: &'a Plan,
    pub(super) points: Expr,
}

impl Combined<'_> {
    fn sizes(&self) -> Vec<SubExp> {
        self.seg.space.dims.iter().map(|d| d.1).collect()
    }

    /// The shared memory through which threads exchange values.
    fn shared(&self, t: &KernelCode) -> Vec<Name> {
        let types = t.operand_types(self.ops);
        let shared = t.in_kernel.exchange.lanes.get(..types.len()).map(<[Name]>::to_vec);
        shared.unwrap_or_else(|| bug!("nobody allocated memory to exchange {types:?} in a block"))
    }
}

/// The value of a thread's point, which is neutral where the thread has none.
fn value_at(t: &mut KernelCode, of: &Combined, mine: Expr, at: Expr) -> Vec<Name> {
    let neutral = t.neutrals(of.ops);
    let values = t.lanes("value", &t.operand_types(of.ops), neutral);
    t.if_then(mine, |t| {
        t.guarded(|t| {
            point::set_point(t, &of.seg.space, at);
            let new = point::point(t, of.pat, of.seg);
            for (x, e) in values.iter().zip(new) {
                t.set_to(*x, e);
            }
        });
    });
    values
}

/// What a thread reduces its points to.
fn reduced_by_thread(t: &mut KernelCode, of: &Combined) -> Vec<Name> {
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    let values = if one_round(t, &of.sizes()) {
        value_at(t, of, lt(local(), of.points.clone()), local())
    } else {
        let neutral = t.neutrals(of.ops);
        let values = t.lanes("acc", &t.operand_types(of.ops), neutral);
        if !of.ops.iter().all(|op| is_commutative(op.comm, &op.op)) {
            points_in_a_row(t, of, &values);
        } else if let Some(types) = at_once(of) {
            points_at_once(t, of, &values, &types);
        } else {
            in_rounds(t, of.points.clone(), |t, at| take(t, of, at, &values));
        }
        values
    };
    t.in_kernel.mode = outer;
    values
}

/// Combines the value of a point with what a thread has.
fn take(t: &mut KernelCode, of: &Combined, at: Expr, values: &[Name]) {
    point::set_point(t, &of.seg.space, at);
    let new = point::point(t, of.pat, of.seg);
    t.apply_all(of.ops, &vars(values), &new, values);
}

/// The thread reduces the points of its part of the row.
fn points_in_a_row(t: &mut KernelCode, of: &Combined, values: &[Name]) {
    let each = t.let_i64("each", quot_up(of.points.clone(), block_size()));
    let first = t.let_i64("first", mul(local(), each.clone()));
    let count = t.let_i64("count", min(each, sub(of.points.clone(), first.clone())));
    t.guarded(|t| t.for_up_to("k", count, |t, k| take(t, of, add(first, k), values)));
}

/// The types of the results of points that a thread computes some at once, before it combines them.
fn at_once(of: &Combined) -> Option<Vec<PrimType>> {
    let unsafe_operator = of.ops.iter().any(|op| can_fail(&op.op.body));
    scalars(of.seg).filter(|_| !unsafe_operator)
}

/// The thread computes several points, then combines their values and writes what else they have computed.
fn points_at_once(t: &mut KernelCode, of: &Combined, values: &[Name], types: &[PrimType]) {
    let sizes = of.sizes();
    let compute = |t: &mut KernelCode, turn: Turn| {
        turn.set_point(t, &of.seg.space);
        t.body(&of.seg.body.body, &[]);
        of.seg.body.body.result.iter().map(|e| t.operand(*e)).collect()
    };
    in_turns(t, &sizes, &of.points, types, compute, |t, turn, results| {
        let (combined, mapped) = results.split_at(values.len());
        t.apply_all(of.ops, &vars(values), combined, values);
        let dims = counters(t, &sizes);
        turn.set(t, &dims);
        let indices: Vec<Poly> = dims.iter().map(|d| poly(d.0.into())).collect();
        for (p, value) in of.pat[values.len()..].iter().zip(mapped) {
            let at = t.place_of(p.name).fixed(&indices);
            t.write_alone(&at, value.clone());
        }
    });
}

/// The rows of an operation of which each thread has one value.
fn rows_in_block(t: &mut KernelCode, of: &Combined) -> Rows {
    let dims = &of.seg.space.dims;
    let (mut n, mut points) = (t.operand(dims[dims.len() - 1].1), of.points.clone());
    if !one_round(t, &of.sizes()) {
        n = t.let_i64("values", min(n, block_size()));
        points = n.clone();
    }
    let width = t.let_i64("width", max(i64(1), n.clone()));
    let index = t.let_i64("index", rem(local(), width.clone()));
    let mine = var(t.let_as("mine", PrimType::Bool, lt(local(), points)));
    Rows { n, width, index, mine }
}

/// A reduction in which all threads take part.
fn reduce_by_warps(t: &mut KernelCode, of: &Combined) {
    let (types, shared) = (t.operand_types(of.ops), of.shared(t));
    let values = reduced_by_thread(t, of);
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    match t.in_kernel.team_log2 {
        Some(_) => t.team_reduce(of.ops, &types, &values),
        None => t.block_reduce(of.ops, &types, &values, &shared, Exchange::Shuffles),
    }
    t.if_then(eq(local(), i64(0)), |t| t.store_all(&shared, &types, &i64(0), &values));
    t.in_kernel.mode = outer;
    t.barrier();
    for (k, p) in of.pat.iter().take(of.seg.combined()).enumerate() {
        t.declare(p.name, &p.ty);
        let value = t.element(shared[k], types[k], i64(0));
        t.set_to(p.name, value);
    }
}

/// A reduction.
pub(super) fn reduction(t: &mut KernelCode, of: &Combined) {
    if *of.plan == Plan::ByWarps {
        return reduce_by_warps(t, of);
    }
    let (types, shared) = (t.operand_types(of.ops), of.shared(t));
    let values = reduced_by_thread(t, of);
    let Rows { n, width, index, mine } = rows_in_block(t, of);
    t.if_then(mine.clone(), |t| t.store_all(&shared, &types, &local(), &values));
    t.barrier();
    let unordered = t.in_kernel.mode;
    t.in_kernel.mode = Mode::Thread;
    red::reduce_side_by_side(t, of.ops, &types, &values, &shared, &index, &n, &mine);
    t.in_kernel.mode = unordered;
    let outer = &of.seg.space.dims[..of.seg.space.dims.len() - 1];
    let sizes: Vec<SubExp> = outer.iter().map(|d| d.1).collect();
    let segments = point::points(t, &sizes);
    let neutral = t.neutrals(of.ops);
    for (k, p) in of.pat.iter().take(of.seg.combined()).enumerate() {
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

/// A scan.
pub(super) fn scan(t: &mut KernelCode, of: &Combined) {
    let shared = of.shared(t);
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    if one_round(t, &of.sizes()) {
        let values = value_at(t, of, lt(local(), of.points.clone()), local());
        let rows = rows_in_block(t, of);
        scan_values(t, of, &rows, &values, &shared);
        t.if_then(rows.mine, |t| write_scanned(t, of, local(), &values));
    } else {
        scan_in_rounds(t, of, &shared);
    }
    t.in_kernel.mode = outer;
}

/// Scans a row that has more points than the block has threads.
fn scan_in_rounds(t: &mut KernelCode, of: &Combined, shared: &[Name]) {
    let types = t.operand_types(of.ops);
    let neutral = t.neutrals(of.ops);
    let before = t.lanes("before", &types, neutral);
    let rounds = t.let_i64("rounds", quot_up(of.points.clone(), block_size()));
    t.for_up_to("round", rounds, |t, round| {
        let first = t.let_i64("first", mul(round.clone(), block_size()));
        let n = t.let_i64("values", min(block_size(), sub(of.points.clone(), first.clone())));
        let mine = var(t.let_as("mine", PrimType::Bool, lt(local(), n.clone())));
        let at = t.let_i64("at", add(first, local()));
        let values = value_at(t, of, mine.clone(), at.clone());
        let rows = Rows { n: n.clone(), width: n.clone(), index: local(), mine: mine.clone() };
        scan_values(t, of, &rows, &values, shared);
        t.if_then(and(mine.clone(), lt(i64(0), round)), |t| {
            t.apply_all(of.ops, &vars(&before), &vars(&values), &values);
        });
        t.if_then(mine, |t| write_scanned(t, of, at, &values));
        t.barrier();
        t.if_then(eq(local(), sub(n, i64(1))), |t| t.store_all(shared, &types, &i64(0), &values));
        t.barrier();
        let last = t.load_all(shared, &types, &i64(0));
        for (x, e) in before.iter().zip(vars(&last)) {
            t.set_to(*x, e);
        }
        t.barrier();
    });
}

/// Scans one value per thread.
fn scan_values(t: &mut KernelCode, of: &Combined, rows: &Rows, values: &[Name], shared: &[Name]) {
    let types = t.operand_types(of.ops);
    if *of.plan == Plan::ByWarps {
        let starts = (of.seg.space.dims.len() > 1).then(|| {
            let starts = t.let_as("starts", PrimType::Bool, eq(rows.index.clone(), i64(0)));
            let flags = t.in_kernel.exchange.flags;
            (starts, flags.unwrap_or_else(|| bug!("nobody allocated flags for a scan in a block")))
        });
        t.block_scan(of.ops, &types, values, shared, starts, Exchange::Shuffles);
    } else {
        t.if_then(rows.mine.clone(), |t| t.store_all(shared, &types, &local(), values));
        t.barrier();
        scan_by_steps(t, of.ops, &types, (values, shared), (&rows.index, &rows.n, &rows.mine));
    }
}

/// Writes a thread's values to the scan's results at a point.
fn write_scanned(t: &mut KernelCode, of: &Combined, at: Expr, values: &[Name]) {
    let dims = counters(t, &of.sizes());
    point::unflatten(t, &dims, at);
    let indices: Vec<Poly> = dims.iter().map(|d| poly(d.0.into())).collect();
    for (p, value) in of.pat.iter().zip(values) {
        let at = t.place_of(p.name).fixed(&indices);
        t.write_alone(&at, var(*value));
    }
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

/// Rows that lie side by side in a block, one value for each thread.
struct Rows {
    /// Values in a row.
    n: Expr,
    /// The same, but never zero.
    width: Expr,
    /// The thread's place in its row.
    index: Expr,
    /// Whether the thread has a value.
    mine: Expr,
}
