//! Blocks whose threads keep what they read and compute for their points, in registers.
//!
//! All operations of the block have the same points, at most a few for each thread, and a thread has the same
//! of them in all operations (the plan says `kept`):
//!
//! ```text
//! for k < 16 { if k < count { row[k] = xss[i, first + 32 * k] } }                read once
//! for k < 16 { if k < count { top = max(top, row[k]) } }                         reduction; then threads exchange values
//! for k < 16 { if k < count { es[k] = exp(row[k] - top); s += es[k] } }
//! for k < 16 { if k < count { out[i, first + 32 * k] = es[k] / s } }
//! ```
//!
//! - All loops are unrolled, so that `row` and `es`, which would be in device and in shared memory, are
//!   registers. Reads are in a loop of their own, so that they wait together.
//! - The points of a warp are neighbours, as many for each thread as the host says (`each`), so that all but
//!   a few warps have all of them, and the distances between a thread's points are constants. Code without
//!   comparisons, which take time, is there for [`AT_ONCE`] points that all threads of a warp have, beside
//!   code with them. Times: `notebook/2026-11-19-gpu-mechanisms.md`.
//! - Where only own elements are touched, no barriers are needed between operations; a reduction has one. For
//!   the next reduction, values are exchanged elsewhere in shared memory: who writes there has passed the
//!   barrier of the one between, to which threads come when they have read what was there.
//! - The lanes of a team exchange values by shuffles alone.
//! - Scans are in [`scan`], and blocks that have several rows, which are columns in memory, in [`columns`].

mod again;
pub(super) mod columns;
mod scan;

use crate::translate::kernel::operator::vars;
use crate::translate::kernel::point;
use crate::translate::state::{Again, At, Columns, Kept, KernelCode, Mode};
use fehu_analysis::own_reads::OwnReads;
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::ops::Direction;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::mem::{poly, MemInfo, MemOp};
use fehu_ir::seg::{SegBinOp, SegKind, SegOp};
use fehu_ir::{Basic, Body, DimIndex, Exp, Memory, PatElem, Slice, Space, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// Points of a thread whose code has no comparisons, if all threads of a warp have them.
const AT_ONCE: i64 = 4;

/// The same where a thread keeps at least twice as many, neighbours in a column, or has its points again in
/// each operation: larger groups are faster there, but slower where threads have no more points than that.
const AT_ONCE_OF_COLUMN: i64 = 16;

/// Who has which points.
pub(super) enum Sharing {
    /// The threads of a block, this many points each, or one less.
    Block { each: Expr },
    /// So many lanes of a warp.
    Team { lanes: i64 },
    /// The threads of a block that are the same lane of their groups.
    Columns(Box<Columns>),
    /// The same, of columns that are longer than these can keep.
    LongColumns(Box<Columns>),
}

/// A point of the outer operation, by threads that have so many points of each operation at most.
pub(super) fn keeping(
    t: &mut KernelCode,
    seg: &SegOp<Memory>,
    points: i64,
    sharing: Sharing,
    body: impl FnOnce(&mut KernelCode),
) {
    let block_body = &seg.body.body;
    let (made, width) = made_in(block_body);
    let width = t.operand(width);
    let inside =
        |array| block_body.stms.iter().flat_map(|stm| &stm.pat).find(|p| p.name == array).and_then(block_of);
    let reads = OwnReads::of(block_body, |array| match t.places.get(&array) {
        Some(place) => Some(place.0),
        None => inside(array),
    });
    let blocks: Vec<Name> = made.keys().copied().collect();
    let (step, lanes, start, end, lane) = match &sharing {
        Sharing::Block { each } => {
            let chunk = t.let_i64("chunk", mul(each.clone(), i64(WARP_THREADS)));
            let start = t.let_i64("start", mul(quot(local(), i64(WARP_THREADS)), chunk.clone()));
            let end = t.let_i64("end", min(width.clone(), add(start.clone(), chunk)));
            (WARP_THREADS, None, start, end, rem(local(), i64(WARP_THREADS)))
        }
        Sharing::Team { lanes } => (*lanes, Some(*lanes as u32), i64(0), width.clone(), local()),
        Sharing::Columns(columns) | Sharing::LongColumns(columns) => {
            let Columns { group, each, .. } = &**columns;
            let start = t.let_i64("start", mul(group.clone(), each.clone()));
            let end = t.let_i64("end", min(width.clone(), add(start.clone(), each.clone())));
            (1, None, start, end, i64(0))
        }
    };
    let first = t.let_i64("first", add(start.clone(), lane));
    // One of a lane without a point is negative, or zero.
    let count = count_of(t, sub(add(end.clone(), i64(step - 1)), first.clone()), step);
    let covered = t.let_i64("covered", sub(end, start));
    let whole = count_of(t, covered.clone(), step);
    if lanes.is_some() {
        let fewer = less(var(count), var(whole));
        t.set_to(whole, select(fewer, var(count), var(whole)));
    }
    let (columns, again) = match sharing {
        Sharing::Block { .. } | Sharing::Team { .. } => (None, None),
        Sharing::Columns(columns) => {
            let rows = again::rows_of_group(t, &columns, &width, &first);
            [count, whole]
                .iter()
                .for_each(|n| t.set_to(*n, select(columns.there.clone(), var(rows.of_group), i32(0))));
            (Some(Columns { rows: Some(rows), ..*columns }), None)
        }
        Sharing::LongColumns(columns) => (
            Some(*columns),
            Some(Again { width, backwards: false, makers: again::makers(block_body, &made) }),
        ),
    };
    let read = FxHashMap::default();
    t.in_kernel.kept = Some(Kept {
        points,
        lanes,
        reads,
        read,
        made,
        first,
        step,
        covered,
        count,
        whole,
        now: None,
        exchanged: None,
        columns,
        again,
    });
    body(t);
    t.in_kernel.kept = None;
    // Other kernels of the operation have them in shared memory.
    t.types.extend(blocks.into_iter().map(|block| (block, Type::Mem(Space::Shared))));
}

/// A number of points by the distance that they cover, rounded down. Where there are a thread's points, they are few.
fn count_of(t: &mut KernelCode, distance: Expr, step: i64) -> Name {
    let shift = i64(i64::from(step.trailing_zeros()));
    let count = binary(BinOp::AShr(IntType::I64), distance, shift);
    t.let_as("count", PrimType::I32, narrow(count))
}

fn narrow(e: Expr) -> Expr {
    Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), Box::new(e))
}

fn less(a: Expr, b: Expr) -> Expr {
    Expr::CmpOp(CmpOp::SLt(IntType::I32), Box::new(a), Box::new(b))
}

/// The memory that operations write inside of a block, with the types of elements, and how many points each has.
fn made_in(body: &Body<Memory>) -> (FxHashMap<Name, PrimType>, SubExp) {
    let allocated: Vec<Name> = body
        .stms
        .iter()
        .filter(|stm| matches!(stm.exp, Exp::Op(MemOp::Alloc(_, Space::Shared))))
        .flat_map(|stm| stm.pat.iter().map(|p| p.name))
        .collect();
    let (mut made, mut width) = (FxHashMap::default(), SubExp::i64(0));
    for stm in &body.stms {
        let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { continue };
        width = seg.space.dims[0].1;
        for p in &stm.pat {
            if let (Some(block), Some(elem)) = (block_of(p), p.ty.elem()) {
                if allocated.contains(&block) {
                    made.insert(block, elem);
                }
            }
        }
    }
    (made, width)
}

/// The memory that an array is in.
fn block_of(p: &PatElem<Memory>) -> Option<Name> {
    match &p.dec {
        MemInfo::Array { block, .. } => Some(*block),
        MemInfo::None => None,
    }
}

/// Memory that the block allocates, if it is the threads' own, or not needed.
pub(crate) fn allocate(t: &mut KernelCode, mem: Name) -> bool {
    let Some(kept) = &t.in_kernel.kept else { return false };
    match kept.made.get(&mem) {
        Some(elem) => {
            let space = Space::Scalar(*elem, vec![kept.points]);
            t.types.insert(mem, Type::Mem(space.clone()));
            t.emit(Code::DeclareMem(mem, space));
            true
        }
        None => kept.lanes.is_some() || kept.columns.is_some(),
    }
}

/// An operation.
pub(super) fn operation(t: &mut KernelCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
    match &seg.kind {
        SegKind::Map => all_points(t, pat, seg, |t| {
            point::point(t, pat, seg);
        }),
        SegKind::Red(ops) => {
            let types = t.operand_types(ops);
            let neutral = t.neutrals(ops);
            let values = t.lanes("acc", &types, neutral);
            all_points(t, pat, seg, |t| {
                let new = point::point(t, pat, seg);
                t.apply_all(ops, &vars(&values), &new, &values);
            });
            let values = reduced(t, ops, &types, values);
            for (p, value) in pat.iter().zip(vars(&values)) {
                t.declare(p.name, &p.ty);
                t.set_to(p.name, value);
            }
        }
        SegKind::Scan(ops, _) => {
            read_ahead(t, seg);
            let turned = columns::redirect(t, pat);
            scan::scan(t, pat, seg, ops);
            columns::write_turned(t, turned);
        }
        SegKind::Hist(_) => bug!("threads keep points of a histogram"),
    }
    t.in_kernel.mode = outer;
}

/// All points of a thread, whose indices are set, after what is read for them, and before what is turned is written.
fn all_points(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    body: impl Fn(&mut KernelCode),
) {
    again::in_parts(t, seg, |t, makers| {
        for maker in makers {
            read_ahead(t, maker);
        }
        read_ahead(t, seg);
        let turned = columns::redirect(t, pat);
        each_number(t, |t, k, at| {
            own(t).now = Some(k.clone());
            again::make(t, makers, &k, at);
            set_own_point(t, seg, &k, at);
            body(t);
            own(t).now = None;
        });
        columns::write_turned(t, turned);
    });
}

/// Writes a row that threads keep to its place, which may be that of a row that others still read.
pub(super) fn put(t: &mut KernelCode, to: &At, row: SubExp) -> bool {
    let SubExp::Var(row) = t.resolve(row) else { return false };
    let Some(mem) = t.places.get(&row).map(|place| t.mem(place.0)) else { return false };
    let Some(ty) = t.in_kernel.kept.as_ref().and_then(|kept| kept.made.get(&mem).copied()) else {
        return false;
    };
    t.barrier();
    if columns::put(t, to, mem, ty) {
        return true;
    }
    each_number(t, |t, k, at| {
        let value = t.element(mem, ty, k);
        t.write_alone(&to.fixed(&[poly(at.into())]), value);
    });
    true
}

/// The points of a thread, whose indices are set. The body is given the number of each among them.
fn each_point(t: &mut KernelCode, seg: &SegOp<Memory>, body: impl Fn(&mut KernelCode, &Expr)) {
    each_number(t, |t, k, at| {
        own(t).now = Some(k.clone());
        set_own_point(t, seg, &k, at);
        body(t, &k);
        own(t).now = None;
    });
}

/// Sets the index of a point, and what was read for it.
fn set_own_point(t: &mut KernelCode, seg: &SegOp<Memory>, k: &Expr, at: Name) {
    point::set_point(t, &seg.space, var(at));
    for stm in &seg.body.body.stms {
        if let Some((name, ty, mem)) = kept_read(t, stm) {
            let value = t.element(mem, ty, k.clone());
            t.in_kernel.instead.insert(name, value);
        }
    }
    again::use_made(t, seg);
}

/// The points of a thread. The body is given the number of each among them, and among those of the row.
fn each_number(t: &mut KernelCode, body: impl Fn(&mut KernelCode, Expr, Name)) {
    let Kept { step, count, whole, .. } = *own(t);
    in_groups(t, whole, count, |t, k| {
        let at = add(own(t).first.clone(), mul(k.clone(), i64(step)));
        let at = t.let_as("at", PrimType::I64, at);
        body(t, k, at);
    });
}

/// Numbers below `count`, of which those below `whole` need not be compared.
fn in_groups(t: &mut KernelCode, whole: Name, count: Name, body: impl Fn(&mut KernelCode, Expr)) {
    let points = own(t).points;
    let many = own(t).columns.is_some() && points >= 2 * AT_ONCE_OF_COLUMN;
    let at_once = match many || own(t).again.is_some() {
        true => points.min(AT_ONCE_OF_COLUMN),
        false => AT_ONCE,
    };
    t.unrolled_up_to("g", i64(points / at_once), |t, group| {
        let number = |t: &mut KernelCode, k: Expr| t.let_i64("k", add(mul(group.clone(), i64(at_once)), k));
        let beyond = narrow(mul(add(group.clone(), i64(1)), i64(at_once)));
        t.if_else(
            not(less(var(whole), beyond)),
            |t| {
                t.unrolled_up_to("k", i64(at_once), |t, k| {
                    let k = number(t, k);
                    body(t, k);
                });
            },
            |t| {
                t.if_then(less(narrow(mul(group.clone(), i64(at_once))), var(count)), |t| {
                    t.unrolled_up_to("k", i64(at_once), |t, k| {
                        let k = number(t, k);
                        t.if_then(less(narrow(k.clone()), var(count)), |t| body(t, k));
                    });
                });
            },
        );
    });
}

/// What is kept of the points of this kernel.
fn own<'t>(t: &'t mut KernelCode) -> &'t mut Kept {
    t.in_kernel.kept.as_mut().unwrap_or_else(|| bug!("nothing is kept in this kernel"))
}

/// The element that a statement reads, if it has been read before.
fn kept_read(t: &mut KernelCode, stm: &Stm<Memory>) -> Option<(Name, PrimType, Name)> {
    let name = stm.pat.first()?.name;
    let kept = own(t);
    let number = kept.reads.numbers.get(&name)?;
    Some((name, kept.reads.types[*number], *kept.read.get(number)?))
}

/// Reads what an operation needs for each of the thread's points and none before it needed.
fn read_ahead(t: &mut KernelCode, seg: &SegOp<Memory>) {
    let mut new: Vec<(Name, PrimType, Name, &Slice)> = vec![];
    for stm in &seg.body.body.stms {
        let (Exp::Basic(Basic::Index(array, slice)), [p]) = (&stm.exp, stm.pat.as_slice()) else { continue };
        let kept = own(t);
        let Some(number) = kept.reads.numbers.get(&p.name).copied() else { continue };
        if kept.read.contains_key(&number) {
            continue;
        }
        let (ty, points) = (kept.reads.types[number], kept.points);
        let mem = t.private_array("row", ty, points);
        own(t).read.insert(number, mem);
        new.push((mem, ty, *array, slice));
    }
    if new.is_empty() {
        return;
    }
    let index = seg.space.dims[0].0;
    let place = |t: &KernelCode, array: Name, slice: &Slice, at: Name| {
        let there = |d: &DimIndex| match d {
            DimIndex::Fix(SubExp::Var(i)) if *i == index => DimIndex::Fix(at.into()),
            d @ (DimIndex::Fix(_) | DimIndex::Slice { .. }) => *d,
        };
        t.place_of(array).sliced(&slice.iter().map(there).collect::<Slice>())
    };
    new.retain(|(mem, ty, array, slice)| {
        !columns::read_turned(t, *mem, *ty, |t, at| place(t, *array, slice, at))
    });
    if new.is_empty() {
        return;
    }
    each_number(t, |t, k, at| {
        for (mem, ty, array, slice) in &new {
            let value = t.read(&place(t, *array, slice, at));
            t.store(*mem, *ty, k.clone(), value);
        }
    });
}

/// What the values of all threads are reduced to; every thread has it.
fn reduced(t: &mut KernelCode, ops: &[SegBinOp<Memory>], types: &[PrimType], values: Vec<Name>) -> Vec<Name> {
    if let Some(lanes) = own(t).lanes {
        t.team_reduce(ops, types, &values);
        return t.shuffle(types, &values, Direction::FirstOf, lanes);
    }
    if let Some(columns) = own(t).columns.clone() {
        return columns::reduced(t, ops, types, &columns, &values);
    }
    t.shuffle_reduce(ops, types, &values);
    let warps = t.let_i64("warps", quot(block_size(), i64(WARP_THREADS)));
    of_warps(t, ops, types, &values, &warps, &warps);
    t.shuffle(types, &values, Direction::First, 0)
}

/// Reduces what the first lanes of so many warps have, for all warps; their first lanes have the results.
/// Only as many of the first warps count as the last operand says.
fn of_warps(
    t: &mut KernelCode,
    ops: &[SegBinOp<Memory>],
    types: &[PrimType],
    values: &[Name],
    warps: &Expr,
    counted: &Expr,
) {
    let half = half_for(t, types);
    t.if_then(lt(i64(1), warps.clone()), |t| {
        let shared: Vec<Name> = t.in_kernel.exchange.lanes.iter().take(types.len()).copied().collect();
        let lane = t.let_i64("lane", rem(local(), i64(WARP_THREADS)));
        let warp = t.let_i64("warp", quot(local(), i64(WARP_THREADS)));
        let first = t.let_i64("first", mul(i64(half), warps.clone()));
        let mine = add(first.clone(), warp);
        t.if_then(eq(lane.clone(), i64(0)), |t| t.store_all(&shared, types, &mine, values));
        t.barrier();
        let neutral = t.neutrals(ops);
        values.iter().zip(neutral).for_each(|(x, e)| t.set_to(*x, e));
        t.if_then(lt(lane.clone(), counted.clone()), |t| {
            for ((x, mem), ty) in values.iter().zip(&shared).zip(types) {
                let e = t.element(*mem, *ty, add(first.clone(), lane.clone()));
                t.set_to(*x, e);
            }
        });
        for delta in [1u32, 2, 4, 8, 16] {
            t.if_then(lt(i64(i64::from(delta)), warps.clone()), |t| {
                let other = t.shuffle(types, values, Direction::Down, delta);
                t.apply_all(ops, &vars(values), &vars(&other), values);
            });
        }
    });
}

/// Which half of the memory for it values of these types are exchanged in, other than those of the reduction before.
fn half_for(t: &mut KernelCode, types: &[PrimType]) -> i64 {
    let half = match &own(t).exchanged {
        None => 0,
        Some((before, half)) if before == types => 1 - half,
        Some(_) => {
            // Elements of other sizes lie elsewhere.
            t.barrier();
            0
        }
    };
    own(t).exchanged = Some((types.to_vec(), half));
    half
}
