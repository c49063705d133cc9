//! Blocks of 32 points that are columns of what is in memory.
//!
//! A block that has one column reads an element of each line of memory. Here, each lane of a warp has a
//! column, and each warp some neighbouring points of all of them, which its threads keep:
//!
//! ```text
//! segmap block (j < m) { .. segscan in_block (i < n) { a[i, j] } .. }             blocks of 16 warps, 64 points for each thread:
//!   j = 32*block + lane;  first = 64*warp
//!   for k < 64 { row[k] = a[first + k, j] }                                       neighbouring lanes read neighbours
//!   scan row;  sums[warp][lane] = its last;  barrier;  add what the warps before have in this column
//!   for half < 2 {                                                                where results are in order along columns
//!     for k < 32 { box[lane][k] = row[32*half + k] }                              a warp turns them in its part of shared memory,
//!     for c < 32 { out[32*block + c, first + 32*half + lane] = box[c][lane] }     and writes them in order
//!   }
//! ```
//!
//! So each element is read and written once, also those that are in order along columns: these are turned
//! when they are read. To the code of the block, the threads that have a column are all there are
//! ([`Members`]), as it is for teams. A lane beyond the last column has no points, and takes part in nothing
//! but barriers.
//!
//! The number of warps is a constant, so that compilers know how many registers threads may have, and so is
//! the number of points for which there is room: the fewer there are, the more threads run at a time
//! ([`SHAPES`]). Columns that are longer than that, of which threads can have the points again, have blocks
//! of other shapes ([`LONG`], [`super::again`]), whose warps may be in parts of eight lanes. Times:
//! `notebook/2026-11-19-gpu-mechanisms.md`.

use super::super::teams::NO_LANE;
use super::super::{block_results, largest};
use super::{keeping, less, narrow, own, Sharing};
use crate::translate::kernel::operator::vars;
use crate::translate::kernel::{point, size};
use crate::translate::state::{At, Columns, HostCode, KernelCode, Mode};
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::KEPT_WARPS_OF_COLUMNS;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::ops::{Direction, Operation};
use fehu_imp::syntax::{Code, Expr, GpuIndex};
use fehu_imp::visit::{change_code, change_expr, Mutator};
use fehu_ir::mem::{poly, sym, Lmad, MemOp};
use fehu_ir::schedule::KeptColumns;
use fehu_ir::seg::{SegBinOp, SegKind, SegOp, SizeClass};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Body, Exp, Memory, PatElem, Shape, Space, Type};

/// How a block is made.
#[derive(Clone, Copy)]
struct BlockShape {
    /// Columns of it: lanes of a warp, or of an equal part of one.
    lanes: i64,
    /// How many such warps, or parts, it has.
    groups: i64,
    /// Points that a thread has at a time, at most.
    points: i64,
    /// Whether it has them but once, and keeps them.
    keeps: bool,
}

const fn shape(lanes: i64, groups: i64, points: i64) -> BlockShape {
    BlockShape { lanes, groups, points, keeps: true }
}

/// Blocks for short columns, and for longer ones.
const SHAPES: [BlockShape; 5] =
    [shape(32, 4, 16), shape(32, 8, 16), shape(32, 16, 16), shape(32, 16, 32), shape(32, 16, 64)];

/// Blocks for columns of any length, where there are enough for all processors, and where there are not.
const LONG: [BlockShape; 2] = [
    BlockShape { lanes: 32, groups: 32, points: 8, keeps: false },
    BlockShape { lanes: 8, groups: 128, points: 8, keeps: false },
];

/// The points of a warp begin at multiples of this: a sector of memory of 32 bytes.
const ALIGNED_POINTS: i64 = 8;

/// What the host knows of columns.
pub(in super::super) struct Measures {
    /// Whether blocks have several.
    pub(in super::super) pay: Expr,
    /// How many points a thread keeps at most.
    points: i64,
    /// Points of a column.
    rows: Expr,
    /// Columns beside each other, and how often there are so many.
    count: Expr,
    others: Expr,
    /// Whether there are enough for all processors.
    many: Expr,
    /// Whether they are not longer than threads can keep, and whether they may be.
    fit: Expr,
    long: bool,
}

/// Whether blocks have several columns, and how many there are.
pub(in super::super) fn measures(
    t: &mut HostCode,
    seg: &SegOp<Memory>,
    spaces: &[Shape],
    points: &Expr,
    plan: &KeptColumns,
) -> Measures {
    let (least, least_rows) = (size::param(t, plan.least), size::param(t, plan.rows));
    let rows = t.let_i64("rows", largest(t, spaces));
    let innermost = seg.space.dims.len() - 1;
    let count = t.operand(seg.space.dims[innermost].1);
    let others = seg.space.dims[..innermost].iter().map(|d| t.operand(d.1)).fold(i64(1), mul);
    let most = size::device_max(t, &SizeClass::SharedMemory);
    let body = &seg.body.body;
    let largest = BlockShape { points: plan.points, ..SHAPES[SHAPES.len() - 1] };
    let bytes = LONG.into_iter().chain([largest]).map(|shape| box_bytes(shape, widest(body))).max();
    let room = le(i64(exchanged_bytes(t, body) + bytes.unwrap_or(0)), most);
    let fit = le(rows.clone(), i64(KEPT_WARPS_OF_COLUMNS * plan.points));
    let fit = var(t.let_as("fit", PrimType::Bool, fit));
    let many = and(le(least, points.clone()), le(i64(WARP_THREADS), count.clone()));
    let many = var(t.let_as("many", PrimType::Bool, many));
    let kept = and(fit.clone(), and(many.clone(), le(least_rows, rows.clone())));
    let long = plan.long.map(|least| {
        let least = size::param(t, least);
        and(not(fit.clone()), and(le(least, points.clone()), le(i64(WARP_THREADS), count.clone())))
    });
    let pay = and(room, long.into_iter().fold(kept, or));
    Measures { pay, points: plan.points, rows, count, others, many, fit, long: plan.long.is_some() }
}

/// Bytes of what threads exchange, if all of it is in places of its own.
fn exchanged_bytes(t: &HostCode, body: &Body<Memory>) -> i64 {
    let mut bytes = 0;
    for_each_stm(body, &mut |stm| {
        let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { return };
        if let SegKind::Red(ops) | SegKind::Scan(ops, _) = &seg.kind {
            let types = t.operand_types(ops);
            bytes +=
                types.iter().map(|ty| KEPT_WARPS_OF_COLUMNS * WARP_THREADS * ty.bytes() as i64).sum::<i64>();
        }
    });
    bytes
}

/// The bytes of the widest element that is in the code of a block.
fn widest(body: &Body<Memory>) -> i64 {
    let mut widest = 1;
    for_each_stm(body, &mut |stm| {
        let elems = stm.pat.iter().filter_map(|p| p.ty.elem());
        widest = elems.fold(widest, |widest, elem| widest.max(elem.bytes() as i64));
    });
    widest
}

impl BlockShape {
    /// Rows of the box in which the threads of a group turn what they have.
    fn rows_of_box(self) -> i64 {
        self.points.min(self.lanes)
    }

    /// Elements of the box. Columns in it are an odd number of elements from each other, so that lanes touch
    /// different banks.
    fn elements_of_box(self) -> i64 {
        self.lanes * (self.rows_of_box() + 1)
    }
}

fn box_bytes(shape: BlockShape, widest: i64) -> i64 {
    shape.groups * shape.elements_of_box() * widest
}

/// The kernels, of which the host launches one.
pub(in super::super) fn kernels(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    of: &Measures,
) {
    let mut shapes: Vec<BlockShape> = SHAPES.into_iter().filter(|shape| shape.points <= of.points).collect();
    let Some(largest) = shapes.pop() else { bug!("columns of {} points", of.points) };
    let mut code = t.block(|t| kernel(t, pat, seg, of, largest));
    while let Some(shape) = shapes.pop() {
        let fits = le(of.rows.clone(), i64(shape.groups * shape.points));
        code = t.block(|t| t.if_else(fits, |t| kernel(t, pat, seg, of, shape), |t| t.emit(code)));
    }
    if !of.long {
        return t.emit(code);
    }
    let [many, few] = LONG;
    let long = |t: &mut HostCode| {
        let many = |t: &mut HostCode| kernel(t, pat, seg, of, many);
        t.if_else(of.many.clone(), many, |t| kernel(t, pat, seg, of, few));
    };
    t.if_else(of.fit.clone(), |t| t.emit(code), long);
}

/// The kernel of blocks of a shape.
fn kernel(t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, of: &Measures, shape: BlockShape) {
    let BlockShape { lanes, groups, points, keeps } = shape;
    let beside = t.let_i64("beside", quot_up(of.count.clone(), i64(lanes)));
    let grid = t.let_i64("blocks", mul(of.others.clone(), beside.clone()));
    let each = match keeps {
        true => mul(quot_up(of.rows.clone(), i64(groups * ALIGNED_POINTS)), i64(ALIGNED_POINTS)),
        false => i64(points),
    };
    let each = t.let_i64("each", each);
    t.kernel("segmap_columns", grid, i64(lanes * groups), Mode::Block, |t| {
        t.in_kernel.team_log2 = Some(i64(i64::from(groups.trailing_zeros())));
        let columns = columns_of_block(t, seg, of, shape, &beside, each);
        let member = select(columns.there.clone(), columns.group.clone(), i64(NO_LANE));
        let member = t.let_i64("member", member);
        let sharing = match keeps {
            true => Sharing::Columns(Box::new(columns)),
            false => Sharing::LongColumns(Box::new(columns)),
        };
        let mut code = t.block(|t| {
            keeping(t, seg, points, sharing, |t| {
                t.body(&seg.body.body, &[]);
                block_results(t, pat, seg);
            });
        });
        Members { member, count: groups }.code(&mut code);
        t.emit(code);
    });
}

/// Which columns a block has. Sets the indices of the thread's own, or of the last one if it has none.
fn columns_of_block(
    t: &mut KernelCode,
    seg: &SegOp<Memory>,
    of: &Measures,
    shape: BlockShape,
    beside: &Expr,
    each: Expr,
) -> Columns {
    let lane = t.let_i64("lane", rem(local(), i64(shape.lanes)));
    let group = t.let_i64("group", quot(local(), i64(shape.lanes)));
    let innermost = seg.space.dims.len() - 1;
    let (outer, part) = match innermost {
        0 => (i64(0), block()),
        _ => {
            let outer = t.let_i64("outer", quot(block(), beside.clone()));
            (outer.clone(), sub(block(), mul(outer, beside.clone())))
        }
    };
    point::unflatten(t, &seg.space.dims[..innermost], outer.clone());
    let first = t.let_i64("first", mul(part, i64(shape.lanes)));
    let column = t.let_i64("column", add(first.clone(), lane.clone()));
    let there = var(t.let_as("there", PrimType::Bool, lt(column.clone(), of.count.clone())));
    let index = seg.space.dims[innermost].0;
    t.emit(Code::DeclareScalar(index, PrimType::I64));
    t.set_to(index, min(column, sub(of.count.clone(), i64(1))));
    t.emit(Code::DeclareScalar(seg.space.flat, PrimType::I64));
    t.set_to(seg.space.flat, add(mul(outer, of.count.clone()), var(index)));
    let body = &seg.body.body;
    let mut inside = rustc_hash::FxHashSet::default();
    for_each_stm(body, &mut |stm| inside.extend(stm.pat.iter().map(|p| p.name)));
    let turned = t.names.fresh_str("turned");
    t.types.insert(turned, Type::Mem(Space::Shared));
    let (lanes, groups) = (shape.lanes, shape.groups);
    let (count, widest, rows) = (of.count.clone(), widest(body), None);
    Columns { lanes, groups, group, lane, each, rows, index, first, count, there, inside, turned, widest }
}

/// Makes code of a block that of the threads that have a column.
struct Members {
    /// The number of a thread among them.
    member: Expr,
    count: i64,
}

impl Mutator for Members {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        change_code(self, code);
    }

    fn expr(&mut self, e: &mut Expr) {
        change_expr(self, e);
        match e {
            Expr::Gpu(GpuIndex::Local) => *e = self.member.clone(),
            Expr::Gpu(GpuIndex::BlockSize) => *e = i64(self.count),
            Expr::Gpu(GpuIndex::Block | GpuIndex::GridSize | GpuIndex::MatrixUnits)
            | Expr::Index { .. }
            | Expr::Const(_)
            | Expr::Var(_)
            | Expr::UnOp(..)
            | Expr::BinOp(..)
            | Expr::CmpOp(..)
            | Expr::Conv(..)
            | Expr::PrimFn(..)
            | Expr::Select(..)
            | Expr::Param(_) => {}
        }
    }
}

/// An array of an operation that is turned when it is written. Until then, threads keep their elements of it.
pub(super) struct Turned {
    array: Name,
    /// Where it is.
    place: (Name, Lmad),
    kept: Name,
}

/// Has threads keep those results of an operation that are to be turned.
pub(super) fn redirect(t: &mut KernelCode, pat: &[PatElem<Memory>]) -> Vec<Turned> {
    let Some(columns) = own(t).columns.clone() else { return vec![] };
    let mut turned = vec![];
    for p in pat.iter().filter(|p| p.ty.is_array()) {
        let place = t.place_of(p.name);
        let mem = t.mem(place.block);
        if own(t).made.contains_key(&mem) || !is_turned(t, &columns, |_, at| place.fixed(&[poly(at.into())]))
        {
            continue;
        }
        let points = own(t).points;
        let kept = t.private_array("left", place.elem, points);
        own(t).made.insert(kept, place.elem);
        let here = (kept, place.lmad.clone());
        let Some(place) = t.places.insert(p.name, here) else { continue };
        turned.push(Turned { array: p.name, place, kept });
    }
    turned
}

/// Writes what was kept.
pub(super) fn write_turned(t: &mut KernelCode, turned: Vec<Turned>) {
    let Some(columns) = own(t).columns.clone() else { return };
    for Turned { array, place, kept } in turned {
        t.places.insert(array, place);
        own(t).made.remove(&kept);
        let to = t.place_of(array);
        write_in_order(t, &columns, &to, kept, to.elem);
    }
}

/// Writes a row that threads keep to its place, if it is to be turned.
pub(super) fn put(t: &mut KernelCode, to: &At, row: Name, ty: PrimType) -> bool {
    let Some(columns) = own(t).columns.clone() else { return false };
    let turned = is_turned(t, &columns, |_, at| to.fixed(&[poly(at.into())]));
    if turned {
        write_in_order(t, &columns, to, row, ty);
    }
    turned
}

fn write_in_order(t: &mut KernelCode, columns: &Columns, to: &At, row: Name, ty: PrimType) {
    let turn = TurningBox::new(t, columns, ty);
    turn.each_part(t, columns, |t, done| {
        turn.each_own(t, |t, k, offset| {
            let value = t.element(row, ty, add(done.clone(), k));
            t.store(columns.turned, ty, offset, value);
        });
        t.warp_barrier();
        turn.in_order(t, columns, done, &|t, at, offset| {
            let value = t.element(columns.turned, ty, offset);
            t.write_alone(&to.fixed(&[poly(at.into())]), value);
        });
    });
}

/// Reads an element for each of a thread's points, if that is to be turned. `place` is where it is, for the
/// number of a point.
pub(super) fn read_turned(
    t: &mut KernelCode,
    row: Name,
    ty: PrimType,
    place: impl Fn(&KernelCode, Name) -> At,
) -> bool {
    let Some(columns) = own(t).columns.clone() else { return false };
    if !is_turned(t, &columns, &place) {
        return false;
    }
    let turn = TurningBox::new(t, &columns, ty);
    turn.each_part(t, &columns, |t, done| {
        turn.in_order(t, &columns, done, &|t, at, offset| {
            let value = t.read(&place(t, at));
            t.store(columns.turned, ty, offset, value);
        });
        t.warp_barrier();
        turn.each_own(t, |t, k, offset| {
            let value = t.element(columns.turned, ty, offset);
            t.store(row, ty, add(done.clone(), k), value);
        });
    });
    true
}

/// Whether an element is turned: it is the neighbour of those before and after it in a column, but not of
/// those beside it. Its place must be known for the columns of other lanes.
fn is_turned(t: &mut KernelCode, columns: &Columns, place: impl Fn(&KernelCode, Name) -> At) -> bool {
    let row = t.names.fresh_str("row");
    t.types.insert(row, Type::I64);
    let place = place(t, row);
    let Some(offset) = place.offset() else { return false };
    let [across, down] = [columns.index, row].map(|index| offset.split_on(sym(index)).0);
    let own = columns.inside.iter().any(|name| offset.mentions(sym(*name)));
    down.is_one() && !across.is_zero() && !across.is_one() && !own
}

/// A warp's part of the shared memory in which it turns elements.
struct TurningBox {
    /// Where it begins.
    start: Expr,
    /// Where the lane's column begins in it.
    own: Expr,
    /// Rows of it.
    rows: i64,
    points: i64,
}

impl TurningBox {
    fn new(t: &mut KernelCode, columns: &Columns, ty: PrimType) -> TurningBox {
        let points = own(t).points;
        let shape = shape(columns.lanes, columns.groups, points);
        let bytes = i64(box_bytes(shape, columns.widest));
        if !t.in_kernel.shared.iter().any(|(mem, _)| *mem == columns.turned) {
            t.in_kernel.shared.push((columns.turned, bytes));
        }
        let part = shape.elements_of_box() * columns.widest / ty.bytes() as i64;
        let start = t.let_i64("start", mul(columns.group.clone(), i64(part)));
        let rows = shape.rows_of_box();
        let own = t.let_i64("own", add(start.clone(), mul(columns.lane.clone(), i64(rows + 1))));
        TurningBox { start, own, rows, points }
    }

    /// The parts of a thread's points that the box has room for, given how many are before them. Nobody else
    /// uses the box meanwhile, and what is written is there afterwards.
    fn each_part(&self, t: &mut KernelCode, columns: &Columns, body: impl Fn(&mut KernelCode, &Expr)) {
        t.unrolled_up_to("part", i64(self.points / self.rows), |t, part| {
            let done = t.let_i64("done", mul(part, i64(self.rows)));
            t.if_then(
                less(narrow(done.clone()), columns.rows.map_or(i32(0), |rows| var(rows.of_warp))),
                |t| {
                    t.warp_barrier();
                    body(t, &done);
                },
            );
        });
        t.warp_barrier();
    }

    /// A thread's elements of the box, by number.
    fn each_own(&self, t: &mut KernelCode, body: impl Fn(&mut KernelCode, Expr, Expr)) {
        t.unrolled_up_to("k", i64(self.rows), |t, k| {
            let offset = add(self.own.clone(), k.clone());
            body(t, k, offset);
        });
    }

    /// The elements of the box with the lanes of the warp along columns: the number of the point, for which
    /// the column's index is set, and where it is in the box.
    fn in_order(
        &self,
        t: &mut KernelCode,
        columns: &Columns,
        done: &Expr,
        body: &dyn Fn(&mut KernelCode, Name, Expr),
    ) {
        let log2 = i64::from(self.rows.trailing_zeros());
        let beside = binary(BinOp::AShr(IntType::I64), columns.lane.clone(), i64(log2));
        let beside = t.let_i64("beside", beside);
        let down = t.let_i64("down", bits(columns.lane.clone(), i64(self.rows - 1)));
        let before = add(own(t).first.clone(), done.clone());
        let at = t.let_as("at", PrimType::I64, add(before, down.clone()));
        let each = |t: &mut KernelCode, there: Option<Expr>| {
            t.unrolled_up_to("c", i64(self.rows), |t, c| {
                let number = add(mul(c, i64(columns.lanes / self.rows)), beside.clone());
                let number = t.let_i64("number", number);
                let offset = add(self.start.clone(), mul(number.clone(), i64(self.rows + 1)));
                let offset = add(offset, down.clone());
                let column = t.let_as("column", PrimType::I64, add(columns.first.clone(), number));
                t.same.insert(columns.index, column.into());
                match there {
                    None => body(t, at, offset),
                    Some(there) => {
                        let inside = and(lt(var(column), columns.count.clone()), there);
                        t.if_then(inside, |t| body(t, at, offset));
                    }
                }
                t.same.remove(&columns.index);
            });
        };
        let across = le(add(columns.first.clone(), i64(columns.lanes)), columns.count.clone());
        let all = not(less(rows_of_group(columns), narrow(add(done.clone(), i64(self.rows)))));
        let there = less(narrow(add(done.clone(), down.clone())), rows_of_group(columns));
        t.if_else(and(across, all), |t| each(t, None), |t| each(t, Some(there)));
    }
}

/// How many points of each column a group has; those that have none may have a negative number.
fn rows_of_group(columns: &Columns) -> Expr {
    columns.rows.map_or(i32(0), |rows| var(rows.of_group))
}

/// What the values of all threads of a column are reduced to; each of them has it. Of a column that several
/// lanes of a warp have, these reduce their values first.
pub(super) fn reduced(
    t: &mut KernelCode,
    ops: &[SegBinOp<Memory>],
    types: &[PrimType],
    columns: &Columns,
    values: &[Name],
) -> Vec<Name> {
    let mut delta = columns.lanes;
    while delta < WARP_THREADS {
        let other = t.shuffle(types, values, Direction::Down, delta as u32);
        t.apply_all(ops, &vars(values), &vars(&other), values);
        delta *= 2;
    }
    let in_warp = WARP_THREADS / columns.lanes;
    let warps = columns.groups / in_warp;
    let shared = t.exchange(types, &i64(warps * columns.lanes));
    let warp = t.let_i64("warp", quot(columns.group.clone(), i64(in_warp)));
    let first = eq(rem(columns.group.clone(), i64(in_warp)), i64(0));
    let place = t.let_i64("place", add(mul(warp, i64(columns.lanes)), columns.lane.clone()));
    t.if_then(first, |t| t.store_all(&shared, types, &place, values));
    t.barrier();
    combined(t, ops, types, columns, (&shared, i64(warps)))
}

/// What the groups before this one have in a column, and whether there are any, given what each has.
pub(super) fn before(
    t: &mut KernelCode,
    ops: &[SegBinOp<Memory>],
    types: &[PrimType],
    columns: &Columns,
    values: &[Name],
) -> (Expr, Vec<Name>) {
    let shared = t.exchange(types, &i64(columns.groups * columns.lanes));
    let place = add(mul(columns.group.clone(), i64(columns.lanes)), columns.lane.clone());
    let place = t.let_i64("place", place);
    t.store_all(&shared, types, &place, values);
    t.barrier();
    let sums = combined(t, ops, types, columns, (&shared, columns.group.clone()));
    (lt(i64(0), columns.group.clone()), sums)
}

/// What the first so many values of a column in shared memory are combined to, at least the first one.
fn combined(
    t: &mut KernelCode,
    ops: &[SegBinOp<Memory>],
    types: &[PrimType],
    columns: &Columns,
    (shared, count): (&[Name], Expr),
) -> Vec<Name> {
    let sums = t.load_all(shared, types, &columns.lane);
    t.for_up_to("other", sub(count, i64(1)), |t, other| {
        let at = add(mul(add(other, i64(1)), i64(columns.lanes)), columns.lane.clone());
        let next = t.load_all(shared, types, &at);
        t.apply_all(ops, &vars(&sums), &vars(&next), &sums);
    });
    sums
}
