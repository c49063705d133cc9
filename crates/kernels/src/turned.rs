//! Which reads of a map are turned: copied to shared memory along one dimension of the space, and read from there along
//! another.
//!
//! The threads of a warp are neighbours in the innermost index of the space. A read whose neighbours in
//! memory are neighbours in another index leaps, and no order of threads makes it and the map's results both
//! be in order:
//!
//! ```text
//! segmap (i < n, j < m) { return (a[i, j] + b[j, i]) }
//! ```
//!
//! A block that computes a box of points, here of 32 by 32, needs a box of `b`. Its threads copy that with
//! neighbours along `i`, and compute with neighbours along `j`, so that all memory is read and written in
//! order, and once. Nothing is laid out anew before the kernel.
//!
//! In: a map. Out: the reads whose indices are those of the point, or known before the kernel
//! ([`direct_reads`]), and the box that turning some of them takes ([`sides`]). Two passes ask: `layout`,
//! which leaves such reads alone, and `schedule`, which makes the plan ([`fehu_ir::schedule::Turned`]). Which
//! of the reads are in order along which dimension is known to each of them by its own means.

use fehu_base::tuning::schedule::{
    MAX_BYTES_OF_BOX, SIDE_OF_BOX, SIDE_OF_BOX_BYTES, SIDE_OF_BOX_OF_RECTANGLE,
};
use fehu_base::Name;
use fehu_ir::seg::{KernelReturn, SegKind, SegLevel, SegOp};
use fehu_ir::{Basic, DimIndex, Exp, Rep, SubExp, Type};
use rustc_hash::FxHashSet;

/// An element that every point of a map reads.
pub(crate) struct DirectRead {
    /// What is read, and of which array.
    pub(crate) name: Name,
    pub(crate) array: Name,
    /// For each dimension of the array, the dimension of the space whose index it is read at; none if it is
    /// the same for all points.
    pub(crate) dims: Vec<Option<usize>>,
    /// Bytes of an element.
    pub(crate) bytes: i64,
}

/// The elements that every point of a map reads, at indices that are those of the point or the same for all.
/// None if the map has loops, checks or rows: then it is not limited by these reads, or cannot wait in
/// between.
pub(crate) fn direct_reads<R: Rep>(seg: &SegOp<R>) -> Vec<DirectRead> {
    let stms = &seg.body.body.stms;
    let in_order = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    let scalar = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
    let map = matches!(seg.kind, SegKind::Map) && seg.level == SegLevel::Thread && seg.grid.is_none();
    let plain = stms.iter().all(|s| s.is_plain() && !matches!(s.exp, Exp::Loop(_)));
    if seg.space.dims.len() < 2 || !(map && in_order && scalar && plain) {
        return vec![];
    }
    let mut inside: FxHashSet<Name> = stms.iter().flat_map(|s| s.pat.iter().map(|p| p.name)).collect();
    inside.extend([seg.space.flat]);
    let index = |d: &DimIndex| match d {
        DimIndex::Fix(SubExp::Const(_)) => Some(None),
        DimIndex::Fix(SubExp::Var(x)) => match seg.space.dims.iter().position(|d| d.0 == *x) {
            Some(dim) => Some(Some(dim)),
            None => (!inside.contains(x)).then_some(None),
        },
        DimIndex::Slice { .. } => None,
    };
    let read = |stm: &fehu_ir::Stm<R>| match (&stm.exp, stm.pat.as_slice()) {
        (Exp::Basic(Basic::Index(array, slice)), [p]) if !inside.contains(array) => {
            let Type::Prim(elem) = p.ty else { return None };
            let dims = slice.iter().map(index).collect::<Option<Vec<_>>>()?;
            let bytes = elem.bytes() as i64;
            let checked = stm.certs.iter().any(|c| inside.contains(c));
            (!checked).then_some(DirectRead { name: p.name, array: *array, dims, bytes })
        }
        _ => None,
    };
    stms.iter().filter_map(read).collect()
}

/// The sides of the box of points that a block computes to turn reads of elements of so many bytes, each in
/// order along a dimension of the space other than the innermost; none if there is no such box.
pub(crate) fn sides(rank: usize, reads: &[(usize, i64)]) -> Option<Vec<(usize, i64)>> {
    let mut along: Vec<usize> = reads.iter().map(|(dim, _)| *dim).collect();
    along.sort_unstable();
    along.dedup();
    let widest = reads.iter().map(|(_, bytes)| *bytes).max()?;
    let down = match along.as_slice() {
        [_] => SIDE_OF_BOX,
        [_, _] => (SIDE_OF_BOX_BYTES / widest).min(SIDE_OF_BOX_OF_RECTANGLE),
        _ => return None,
    };
    let sides: Vec<(usize, i64)> =
        [(rank - 1, SIDE_OF_BOX)].into_iter().chain(along.iter().map(|dim| (*dim, down))).collect();
    let points: i64 = sides.iter().map(|(_, side)| side).product();
    let bytes: i64 = reads.iter().map(|(_, bytes)| bytes * points).sum();
    (bytes <= MAX_BYTES_OF_BOX).then_some(sides)
}
