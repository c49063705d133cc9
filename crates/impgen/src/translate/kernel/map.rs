//! Maps: a thread computes a few points.
//!
//! ```text
//! segmap (i < n, j < m) { return f(i, j) }
//!   ==>   blocks of 256 threads, 4 points a thread, 256 apart:
//!         for k < 4 { at = block*1024 + k*256 + thread;  if at < n*m { i = at / m; j = at % m; ... } }
//! ```
//!
//! The points of a thread may also be one below the other, where a block lies along the rows of the space:
//!
//! ```text
//!         blocks of `wide` by 256/wide threads:   j = part*wide + thread%wide;  for k < 4 { i = first + k;  if i < n { ... } }
//! ```
//!
//! The host chooses between the two, as the plan says ([`fehu_ir::schedule::Points`]). Threads that have all
//! of their points run a copy of bodies without loops, without the comparisons.
//!
//! Points of a column that divide read first, for all points of the thread: there are branches in a division,
//! and compilers of kernels move no read over a branch, so that the thread would wait for memory once for
//! each point.
//!
//! Where the body needs memory of its own per thread (see the memory pass), the grid is fixed and threads
//! go on with further points.

use super::choice::schedule;
use crate::translate::kernel::choice;
use crate::translate::kernel::point;
use crate::translate::kernel::size;
use crate::translate::kernel::tile::host;
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::{MAX_STATEMENTS_OF_FULL_TILES, MAX_STATEMENTS_OF_STRAIGHT_MAP};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::free::free_in_exp;
use fehu_ir::schedule::{Column, Plan, Points, Quantity};
use fehu_ir::seg::{KernelBody, SegOp, SegSpace, INSIDE};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Attr, Basic, Body, Exp, Memory, PatElem, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// A map whose threads compute points one below the other.
struct Columns {
    /// Points of a thread.
    each: i64,
    /// Whether the host chose it.
    used: Expr,
    /// Points in a row, and rows.
    width: Expr,
    rows: Expr,
    /// The width of a block, and its logarithm.
    wide: Expr,
    log2: Expr,
    /// Rows of threads in a block.
    down: Expr,
    /// Blocks along a row, and along a column.
    parts: Expr,
    groups: Expr,
    /// All blocks.
    blocks: Expr,
}

pub(crate) fn seg_map(t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let points = point::points(t, &sizes);
    map_choice(t, pat, seg, 0, points);
}

/// The choice of this number in the schedule of a map, or a later one.
pub(crate) fn map_choice(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    number: usize,
    points: Expr,
) {
    match schedule(seg).choices.get(number).map(|c| &c.plan) {
        Some(Plan::Points(plan)) => plain_map(t, pat, seg, plan, points),
        Some(Plan::Strided) => over_grid(t, "segmap", pat, seg, points),
        Some(Plan::Tiled(plan)) => host::tiled_or_not(t, pat, seg, plan, number, points),
        Some(Plan::RowCache(plan)) => host::kept_or_not(t, pat, seg, plan, number, points),
        Some(Plan::Turned(plan)) => host::turned_or_not(t, pat, seg, plan, number, points),
        other => bug!("a map cannot be run by {other:?}"),
    }
}

/// A map without tiles.
fn plain_map(t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, plan: &Points, points: Expr) {
    let size = size::param(t, plan.block);
    let columns = plan.column.as_ref().and_then(|plan| columns(t, seg, plan, &points, &size));
    let each = match plan.each {
        1 => i64(1),
        most => {
            let known = vec![(Quantity::Points, points.clone())];
            let several = choice::all_hold(t, &plan.each_when, &known);
            t.let_i64("each", select(several, i64(most), i64(1)))
        }
    };
    let flat_grid = quot_up(points.clone(), mul(size.clone(), each.clone()));
    let grid = match &columns {
        Some(columns) => select(columns.used.clone(), columns.blocks.clone(), flat_grid),
        None => flat_grid,
    };
    t.kernel("segmap", grid, size, Mode::Thread, |t| {
        let flat = |t: &mut KernelCode| flat_points(t, pat, seg, points, (plan.each, each));
        match columns {
            Some(columns) => t.if_else(columns.used.clone(), |t| column(t, pat, seg, columns), flat),
            None => flat(t),
        }
    });
}

/// Some points of a thread, by their flat numbers: how many at most, and how many.
fn flat_points(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    points: Expr,
    (most, each): (i64, Expr),
) {
    let longest = MAX_STATEMENTS_OF_STRAIGHT_MAP;
    let tile = mul(block_size(), each.clone());
    let start = t.let_i64("start", add(mul(block(), tile), local()));
    if constant(&each) == Some(1) {
        return t.if_then(lt(start.clone(), points), |t| map_point(t, pat, seg, start));
    }
    let at = |k: Expr| add(start.clone(), mul(k, block_size()));
    let all = and(eq(each.clone(), i64(most)), lt(at(i64(most - 1)), points.clone()));
    at_all_or_some(t, seg, longest, (all, most), |t, seg, k, tested| {
        let at = t.let_i64("at", at(k.clone()));
        let there = tested.then(|| and(lt(k, each.clone()), lt(at.clone(), points.clone())));
        if_there(t, there, |t| map_point(t, pat, seg, at));
    });
}

/// Emits what happens at each of a thread's points, given the map whose body is meant and whether the point
/// must be tested to be there. Nearly all threads have all of their points, so a short body is there twice:
/// comparisons between reads keep compilers of kernels from doing all reads first. Of a longer one without
/// loops, the copy for some points is a loop: it costs code, and few threads run it. `longest` is how many
/// statements the copied body may have.
fn at_all_or_some(
    t: &mut KernelCode,
    seg: &SegOp<Memory>,
    longest: usize,
    (all, most): (Expr, i64),
    each: impl Fn(&mut KernelCode, &SegOp<Memory>, Expr, bool),
) {
    let known = t.in_kernel.flats.len();
    let short = point::is_short(seg);
    let copied = point::is_straight(seg, longest);
    let some = |t: &mut KernelCode| match copied && !short {
        true => t.unrolled_by(1, "k", i64(most), |t, k| each(t, seg, k, true)),
        false => t.for_up_to("k", i64(most), |t, k| each(t, seg, k, true)),
    };
    if !copied || has_checks(&seg.body.body) {
        return t.for_up_to("k", i64(most), |t, k| each(t, seg, k, true));
    }
    let copy = t.renamed(seg);
    let without_tests = |t: &mut KernelCode| {
        t.for_up_to("k", i64(most), |t, k| each(t, &copy, k, false));
        t.in_kernel.flats.truncate(known);
    };
    t.if_else(all, without_tests, some);
}

/// Whether a point makes checks: these are branches as well, which `impopt/read_ahead` has code for.
fn has_checks(body: &Body<Memory>) -> bool {
    let mut found = false;
    for_each_stm(body, &mut |stm| found |= matches!(stm.exp, Exp::Basic(Basic::Assert(..))));
    found
}

fn if_there(t: &mut KernelCode, there: Option<Expr>, point: impl FnOnce(&mut KernelCode)) {
    match there {
        Some(there) => t.if_then(there, point),
        None => point(t),
    }
}

/// How blocks are laid along rows; none if there are no rows.
fn columns(
    t: &mut HostCode,
    seg: &SegOp<Memory>,
    plan: &Column,
    points: &Expr,
    size: &Expr,
) -> Option<Columns> {
    let [outer @ .., (_, rows), (_, width)] = seg.space.dims.as_slice() else { return None };
    let (rows, width) = (t.operand(*rows), t.operand(*width));
    let outer: Vec<SubExp> = outer.iter().map(|d| d.1).collect();
    let mut log2 = i64(0);
    for log in plan.widths_log2.iter().rev().copied() {
        let wide = i64(1 << log);
        let covered = mul(quot_up(width.clone(), wide.clone()), wide.clone());
        let full = le(mul(covered, i64(plan.idle - 1)), mul(width.clone(), i64(plan.idle)));
        log2 = select(and(eq(rem(size.clone(), wide), i64(0)), full), i64(log), log2);
    }
    let log2 = t.let_i64("log2", log2);
    let wide = t.let_i64("wide", binary(BinOp::Shl(IntType::I64), i64(1), log2.clone()));
    let down = t.let_i64("down", quot(size.clone(), wide.clone()));
    let parts = t.let_i64("parts", quot_up(width.clone(), wide.clone()));
    let groups = t.let_i64("groups", quot_up(rows.clone(), mul(down.clone(), i64(plan.points))));
    let blocks = mul(point::points(t, &outer), mul(groups.clone(), parts.clone()));
    let known = vec![
        (Quantity::WidthLog2, log2.clone()),
        (Quantity::Rows, rows.clone()),
        (Quantity::Points, points.clone()),
    ];
    let worth = choice::all_hold(t, &plan.when, &known);
    let used = t.let_i64("by_columns", select(worth, i64(1), i64(0)));
    let each = plan.points;
    Some(Columns { each, used: eq(used, i64(1)), width, rows, wide, log2, down, parts, groups, blocks })
}

/// The points of a thread in one column.
fn column(t: &mut KernelCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, of: Columns) {
    let [outer @ .., _, _] = seg.space.dims.as_slice() else { return };
    let rest = t.let_i64("rest", quot(block(), of.parts.clone()));
    let part = t.let_i64("part", sub(block(), mul(rest.clone(), of.parts)));
    let plane = match outer.is_empty() {
        true => i64(0),
        false => t.let_i64("plane", quot(rest.clone(), of.groups.clone())),
    };
    let group = sub(rest, mul(plane.clone(), of.groups));
    let known = t.in_kernel.flats.len();
    point::unflatten(t, outer, plane.clone());
    let across = bits(local(), sub(of.wide.clone(), i64(1)));
    let below = binary(BinOp::LShr(IntType::I64), local(), of.log2);
    let column = t.let_i64("column", add(mul(part, of.wide), across));
    let first = t.let_i64("first", mul(add(mul(group, of.down), below), i64(of.each)));
    // Copies of the map have names of their own for all indices.
    let set_row_of = |t: &mut KernelCode, of_copy: &SegSpace, row: Expr| {
        let above = add(mul(plane.clone(), of.rows.clone()), row.clone());
        let flat = add(mul(above, of.width.clone()), column.clone());
        let [further @ .., (i, _), (j, _)] = of_copy.dims.as_slice() else { return };
        let copied = further.iter().zip(outer).filter(|(copy, index)| copy.0 != index.0);
        let copied = copied.map(|(copy, index)| (copy.0, var(index.0)));
        for (index, value) in copied.chain([(*i, row), (*j, column.clone()), (of_copy.flat, flat)]) {
            t.emit(Code::DeclareScalar(index, PrimType::I64));
            t.set_to(index, value);
        }
    };
    let set_row = |t: &mut KernelCode, row: Expr| set_row_of(t, &seg.space, row);
    let any_point = |t: &mut KernelCode, seg: &SegOp<Memory>| {
        let all = lt(add(first.clone(), i64(of.each - 1)), of.rows.clone());
        at_all_or_some(t, seg, MAX_STATEMENTS_OF_FULL_TILES, (all, of.each), |t, seg, k, tested| {
            let row = t.let_i64("row", add(first.clone(), k));
            let there = tested.then(|| lt(row.clone(), of.rows.clone()));
            if_there(t, there, |t| {
                set_row_of(t, &seg.space, row);
                point::point(t, pat, seg);
            });
        });
    };
    t.if_then(lt(column.clone(), of.width.clone()), |t| match Inside::of(seg) {
        None => any_point(t, seg),
        Some(inside) => {
            let last = add(first.clone(), i64(of.each - 1));
            let all = inside.at_both(t, bool(true), [first.clone(), last], &set_row);
            t.if_else(
                all,
                |t| {
                    let seg = inside.body(seg, true);
                    let kept = read_first(t, &seg, of.each, |t, k| set_row(t, add(first.clone(), k)));
                    t.for_up_to("k", i64(of.each), |t, k| {
                        set_row(t, add(first.clone(), k.clone()));
                        for (read, mem, elem) in &kept {
                            let element = t.element(*mem, *elem, k.clone());
                            t.in_kernel.instead.insert(*read, element);
                        }
                        point::point(t, pat, &seg);
                    });
                    kept.iter().for_each(|(read, ..)| {
                        t.in_kernel.instead.remove(read);
                    });
                },
                |t| any_point(t, &inside.body(seg, false)),
            );
        }
    });
    t.in_kernel.flats.truncate(known);
}

/// Reads what the points of a thread read whatever they compute, if they divide: what is read, and the
/// private array with an element for each point.
fn read_first(
    t: &mut KernelCode,
    seg: &SegOp<Memory>,
    each: i64,
    set_row: impl Fn(&mut KernelCode, Expr),
) -> Vec<(Name, Name, PrimType)> {
    let divides = |stm: &Stm<Memory>| matches!(&stm.exp, Exp::Basic(Basic::BinOp(BinOp::FDiv(_), ..)));
    let body = &seg.body.body;
    if !body.stms.iter().any(divides) {
        return vec![];
    }
    let (mut stms, mut kept) = (vec![], vec![]);
    let mut computed: FxHashSet<Name> = FxHashSet::default();
    for stm in &body.stms {
        let known = stm.certs.is_empty() && free_in_exp(&stm.exp).iter().all(|x| !computed.contains(x));
        match (&stm.exp, stm.pat.as_slice()) {
            (Exp::Basic(Basic::Index(..)), [PatElem { name, ty: Type::Prim(elem), .. }]) if known => {
                kept.push((*name, t.private_array("kept", *elem, each), *elem));
                stms.push(stm.clone());
            }
            (Exp::Basic(_), [PatElem { ty: Type::I64, .. }]) if known => stms.push(stm.clone()),
            (_, pat) => computed.extend(pat.iter().map(|p| p.name)),
        }
    }
    t.for_up_to("k", i64(each), |t, k| {
        set_row(t, k.clone());
        t.body(&Body { stms, result: vec![] }, &[]);
        for (read, mem, elem) in &kept {
            let value = t.operand((*read).into());
            t.store(*mem, *elem, k.clone(), value);
        }
    });
    kept
}

/// A map whose points inside of the space have a body of their own: see [`fehu_ir::seg::INSIDE`].
pub(super) struct Inside<'s> {
    /// What computes the condition, and the condition.
    test: (&'s [Stm<Memory>], SubExp),
    yes: &'s Body<Memory>,
    no: &'s Body<Memory>,
}

impl<'s> Inside<'s> {
    pub(super) fn of(seg: &'s SegOp<Memory>) -> Option<Inside<'s>> {
        let (branch, test) = seg.body.body.stms.split_last()?;
        let marked = branch.attrs.iter().any(|a| matches!(a, Attr::Atom(name) if name.as_str() == INSIDE));
        match &branch.exp {
            Exp::If(cond, yes, no) if marked => Some(Inside { test: (test, *cond), yes, no }),
            Exp::If(..) | Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    /// Whether a condition holds and two points are inside; then those between them are, too, since the test
    /// is one of bounds. `set` sets the indices of a point.
    pub(super) fn at_both<P>(
        &self,
        t: &mut KernelCode,
        condition: Expr,
        points: [P; 2],
        set: &dyn Fn(&mut KernelCode, P),
    ) -> Expr {
        let all = t.let_as("all_inside", PrimType::Bool, condition);
        for point in points {
            t.if_then(var(all), |t| {
                set(t, point);
                let here = self.holds(t);
                t.set_to(all, here);
            });
        }
        var(all)
    }

    /// Whether the point whose indices are set is inside.
    fn holds(&self, t: &mut KernelCode) -> Expr {
        t.body(&Body { stms: self.test.0.to_vec(), result: vec![] }, &[]);
        t.operand(self.test.1)
    }

    /// The map with one of the two bodies.
    pub(super) fn body(&self, seg: &SegOp<Memory>, inside: bool) -> SegOp<Memory> {
        let body = if inside { self.yes } else { self.no };
        let body = KernelBody { body: body.clone(), returns: seg.body.returns.clone() };
        SegOp { body, ..seg.clone() }
    }
}

fn map_point(t: &mut KernelCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, at: Expr) {
    point::set_point(t, &seg.space, at);
    point::point(t, pat, seg);
}

/// All points of a map by a grid of fixed size.
fn over_grid(t: &mut HostCode, label: &str, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, points: Expr) {
    let Some(grid) = &seg.grid else { return };
    let (blocks, size) = (t.operand(grid.blocks), t.operand(grid.block_size));
    let threads = t.operand(grid.threads);
    t.kernel(label, blocks, size, Mode::Thread, |t| {
        set_thread(t, seg);
        let thread = Expr::Var(grid.thread);
        let rounds = quot_up(sub(points, thread.clone()), threads.clone());
        t.for_up_to("round", rounds, |t, round| {
            map_point(t, pat, seg, add(thread, mul(round, threads)));
        });
    });
}

/// The number of the physical thread, where the operation asks for it.
pub(crate) fn set_thread(t: &mut KernelCode, seg: &SegOp<Memory>) {
    if let Some(grid) = &seg.grid {
        t.emit(Code::DeclareScalar(grid.thread, PrimType::I64));
        t.set_to(grid.thread, add(mul(block(), block_size()), local()));
    }
}
