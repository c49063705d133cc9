//! The points of a tile, as threads compute them: neighbouring threads have neighbouring points.
//!
//! Nearly all tiles are full, so that what happens at a thread's points is there twice: without a comparison
//! for each point, if the thread has all of them, and with one. Without branches between them, reads of all
//! points come before the first use.
//!
//! A point's segment and its place in there follow from those of the thread's point before, which is always
//! as far away: a division for each point would cost more than most bodies.

use super::{cut, Scan};
use crate::translate::kernel::{map, point};
use crate::translate::state::KernelCode;
use fehu_algebra::Poly;
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::mem::poly;
use fehu_ir::schedule::Exchange;
use fehu_ir::seg::{SegOp, SegSpace};
use fehu_ir::{Basic, Exp, Memory, Stm, SubExp};

/// A tile that a block scans.
pub(super) struct Tile {
    pub(super) number: Expr,
    /// Its first point.
    pub(super) base: Expr,
    /// How far from its first point a thread finds points that are to be computed. With 32 bits, one
    /// instruction compares it with where a point is.
    room: Name,
    /// Whether a thread has all of its points.
    full: Name,
    /// Where in the tile a thread's first point is, if threads compute neighbouring points, and how far it is
    /// to its next one: the threads of a warp have the rows of these threads together, so that only they
    /// exchange values; without warps, all threads have the tile together.
    first: Expr,
    stride: Expr,
}

/// A point of a thread.
pub(super) struct Point {
    /// Its number among the thread's points.
    pub(super) k: Expr,
    /// Its flat number.
    pub(super) at: Expr,
    /// When it is to be computed, if not always.
    there: Option<Expr>,
    /// The number of its segment, and where in there it is, if there are several.
    inside: Option<(Name, Name)>,
}

impl Tile {
    pub(super) fn new(t: &mut KernelCode, scan: &Scan, number: Expr) -> Tile {
        let base = t.let_i64("base", mul(number.clone(), scan.span.clone()));
        let end = match &scan.whole {
            None => scan.points.clone(),
            Some(_) => t.let_i64("end", min(scan.points.clone(), add(base.clone(), scan.span.clone()))),
        };
        let (first, stride) = match scan.exchange {
            Exchange::Shuffles => {
                let warp = mul(quot(local(), i64(WARP_THREADS)), i64(WARP_THREADS * scan.row));
                let lane = rem(local(), i64(WARP_THREADS));
                (t.let_i64("side", add(warp, lane)), i64(WARP_THREADS))
            }
            Exchange::SharedMemory => (local(), block_size()),
        };
        let room = sub(sub(end, base.clone()), first.clone());
        let room = cut(min(max(room, i64(0)), i64(i64::from(i32::MAX))));
        let room = t.let_as("room", PrimType::I32, room);
        let mut tile = Tile { number, base, room, full: room, first, stride };
        let last = cut(tile.distance(&i64(scan.row - 1)));
        tile.full = t.let_as("full", PrimType::Bool, less(last, var(room)));
        tile
    }

    /// How far it is from a thread's first point to the point `k`.
    fn distance(&self, k: &Expr) -> Expr {
        mul(k.clone(), self.stride.clone())
    }

    /// Where the point `k` of a thread is in the tile.
    pub(super) fn side_by_side(&self, k: &Expr) -> Expr {
        add(self.distance(k), self.first.clone())
    }

    /// Where a thread has all of its points, only the last of them may be the last of all: filters ask that
    /// at each point, to write how many elements there are. The loop over points is unrolled, so that the
    /// comparison is left for one of them.
    fn only_last_may_end(
        &self,
        t: &mut KernelCode,
        scan: &Scan,
        seg: &SegOp<Memory>,
        (k, at): (&Expr, &Expr),
    ) {
        for test in last_point_tests(seg) {
            let size = t.operand(seg.space.dims[0].1);
            let last = and(eq(k.clone(), i64(scan.row - 1)), eq(add(at.clone(), i64(1)), size));
            t.in_kernel.instead.insert(test, last);
        }
    }

    /// Emits what happens at each point of a thread, given the operation whose body is meant.
    pub(super) fn at_points(
        &self,
        t: &mut KernelCode,
        scan: &Scan,
        each: impl Fn(&mut KernelCode, &SegOp<Memory>, &Point),
    ) {
        let each_of = |t: &mut KernelCode, seg: &SegOp<Memory>, full: Full| {
            // Those that are set so far are of other points.
            t.in_kernel.flats.clear();
            let steps = scan.segmented.then(|| Steps::new(t, scan, self));
            t.for_up_to("k", i64(scan.row), |t, k| {
                let at = t.let_i64("at", add(self.base.clone(), self.side_by_side(&k)));
                let there = match full {
                    Full::Known => None,
                    Full::Unknown => Some(less(cut(self.distance(&k)), var(self.room))),
                };
                let inside = steps.as_ref().map(|steps| steps.inside);
                if let Full::Known = full {
                    self.only_last_may_end(t, scan, seg, (&k, &at));
                }
                each(t, seg, &Point { k, at, there, inside });
                if let Some(steps) = &steps {
                    steps.next(t, scan);
                }
            });
        };
        if !point::is_short(scan.seg) {
            return each_of(t, scan.seg, Full::Unknown);
        }
        let copy = t.renamed(scan.seg);
        t.if_else(
            var(self.full),
            |t| {
                map::set_thread(t, &copy);
                each_of(t, &copy, Full::Known);
            },
            |t| each_of(t, scan.seg, Full::Unknown),
        );
    }
}

/// The conditions of a body that hold at the last of all points alone: that the index and one are the size of
/// the space, which has one dimension.
fn last_point_tests(seg: &SegOp<Memory>) -> Vec<Name> {
    let [(index, size)] = seg.space.dims.as_slice() else { return vec![] };
    let after = seg.after().map(|after| &after.lambda.body);
    let stms = || std::iter::once(&seg.body.body).chain(after).flat_map(|body| &body.stms);
    let next = |e: SubExp| {
        stms().any(|stm| match &stm.exp {
            Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), a, b)) => {
                e == stm.pat[0].name.into() && *a == (*index).into() && *b == SubExp::i64(1)
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                false
            }
        })
    };
    let test = |stm: &Stm<Memory>| match &stm.exp {
        Exp::Basic(Basic::CmpOp(CmpOp::Eq(PrimType::I64), a, b)) if next(*a) && b == size => {
            Some(stm.pat[0].name)
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    };
    stms().filter_map(test).collect()
}

/// Whether it is known that a thread has all of its points.
#[derive(Clone, Copy)]
enum Full {
    Known,
    Unknown,
}

/// How a thread goes from the segment of one of its points to that of the next.
struct Steps {
    inside: (Name, Name),
    /// Segments, and points beyond.
    by: (Expr, Expr),
}

impl Steps {
    /// At a thread's first point.
    fn new(t: &mut KernelCode, scan: &Scan, tile: &Tile) -> Steps {
        let at = t.let_i64("at", add(tile.base.clone(), tile.first.clone()));
        let segment = t.let_as("segment", PrimType::I64, quot(at.clone(), scan.n.clone()));
        let inside = t.let_as("inside", PrimType::I64, sub(at, mul(var(segment), scan.n.clone())));
        let segments = t.let_i64("segments", quot(tile.stride.clone(), scan.n.clone()));
        let beyond = sub(tile.stride.clone(), mul(segments.clone(), scan.n.clone()));
        let beyond = t.let_i64("beyond", beyond);
        Steps { inside: (segment, inside), by: (segments, beyond) }
    }

    fn next(&self, t: &mut KernelCode, scan: &Scan) {
        let ((segment, inside), (segments, beyond)) = (self.inside, self.by.clone());
        t.set_to(segment, add(var(segment), segments));
        t.set_to(inside, add(var(inside), beyond));
        t.if_then(le(scan.n.clone(), var(inside)), |t| {
            t.set_to(segment, add(var(segment), i64(1)));
            t.set_to(inside, sub(var(inside), scan.n.clone()));
        });
    }
}

impl Point {
    /// Sets all indices of a space.
    pub(super) fn set(&self, t: &mut KernelCode, space: &SegSpace) {
        match self.inside {
            None => point::set_point(t, space, self.at.clone()),
            Some((segment, inside)) => {
                point::set_point_of_segment(t, space, self.at.clone(), var(segment), var(inside));
            }
        }
    }

    /// The indices, by names of their own.
    pub(super) fn indices(&self, t: &mut KernelCode, space: &SegSpace) -> Vec<Poly> {
        let space = point::of_other_names(t, space);
        self.set(t, &space);
        space.dims.iter().map(|d| poly(d.0.into())).collect()
    }

    /// Emits what happens if the point is to be computed.
    pub(super) fn if_there(&self, t: &mut KernelCode, then: impl FnOnce(&mut KernelCode)) {
        match &self.there {
            Some(there) => t.if_then(there.clone(), then),
            None => then(t),
        }
    }
}

pub(super) fn less(a: Expr, b: Expr) -> Expr {
    Expr::CmpOp(CmpOp::SLt(IntType::I32), Box::new(a), Box::new(b))
}
