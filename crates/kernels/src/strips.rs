//! Which scans and histograms are made in strips: with neighbouring threads in neighbouring segments.
//!
//! The points of a segment are those of the innermost index of the space, and a tile of a scan usually has
//! neighbouring threads at neighbouring points of a segment. Where segments are columns of matrices that are
//! in memory by rows, neighbouring *segments* are neighbours in memory:
//!
//! ```text
//! segscan (j < m, i < n) { return (a[i, j]) } (+)         in order along j
//! ```
//!
//! Then a tile of the scan is a part of 32 columns: each lane of a warp has a column, and each thread some
//! points of it in a row, which it scans for itself. Nothing has to be laid out anew before the scan, and
//! threads need no exchange to have points in a row. Of a histogram, a block has a part of 32 columns, and
//! the bins of all of them in shared memory.
//!
//! In: a scan or a histogram. Out: the dimension of the space along which it is to have strips ([`along`]):
//! one along which fewer of the reads leap than along the segments. Results that leave before the scan is
//! done count as reads that are in order along segments. Those of the scan do not count, since they can be
//! turned in shared memory. Two passes ask: `layout`, which leaves such reads alone where strips are worth
//! it, and `schedule`, which makes the plan ([`fehu_ir::schedule::Strips`],
//! [`fehu_ir::schedule::HistogramStrips`]). What is in order along which dimension is known to each of them
//! by its own means.

use fehu_base::ops::BinOp;
use fehu_base::Name;
use fehu_ir::seg::{KernelReturn, SegKind, SegLevel, SegOp};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, DimIndex, Exp, Rep, SubExp, Type};
use rustc_hash::FxHashMap;

/// An element that points of a scan or a histogram read.
pub(crate) struct PointRead {
    pub(crate) array: Name,
    /// For each dimension of the array, the dimension of the space along whose index it is read by ones; none
    /// if it is the same for all points.
    pub(crate) dims: Vec<Option<usize>>,
}

/// The dimension along which a scan or a histogram is to have strips, if any. `in_order` says whether a read
/// is of one element or of neighbours in memory along a dimension of the space.
pub(crate) fn along<R: Rep>(seg: &SegOp<R>, in_order: &dyn Fn(&PointRead, usize) -> bool) -> Option<usize> {
    let innermost = seg.space.dims.len().checked_sub(1)?;
    let scan = matches!(seg.kind, SegKind::Scan(..) | SegKind::Hist(_));
    let threads = seg.level == SegLevel::Thread && seg.grid.is_none();
    let scalar =
        |(ty, ret): (&Type, &KernelReturn)| matches!(ty, Type::Prim(_)) && matches!(ret, KernelReturn::Elem);
    // Points with loops are not limited by where they read.
    let mut plain = true;
    for_each_stm(&seg.body.body, &mut |stm| plain &= !matches!(stm.exp, Exp::Loop(_) | Exp::Op(_)));
    if !scan || !threads || !plain || seg.has_operator_on_arrays() || !seg.kept().all(scalar) {
        return None;
    }
    let reads = point_reads(seg);
    let leaps = |dim: usize| reads.iter().filter(|read| !in_order(read, dim)).count();
    let written = seg.types.len() - seg.combined();
    let best = (0..innermost).rev().min_by_key(|dim| leaps(*dim))?;
    (leaps(best) + written < leaps(innermost)).then_some(best)
}

/// The elements of arrays from outside that the points of an operation read, as far as their indices are
/// those of the point, give or take what is the same for all.
fn point_reads<R: Rep>(seg: &SegOp<R>) -> Vec<PointRead> {
    // What indices inside are; none if they are something else.
    let mut inside: FxHashMap<Name, Option<usize>> = FxHashMap::default();
    inside.insert(seg.space.flat, None);
    inside.extend(seg.space.dims.iter().enumerate().map(|(d, dim)| (dim.0, Some(d))));
    let mut reads = vec![];
    for_each_stm(&seg.body.body, &mut |stm| {
        if let (Exp::Basic(Basic::Index(array, slice)), [p]) = (&stm.exp, stm.pat.as_slice()) {
            let dims: Option<Vec<Option<usize>>> = slice.iter().map(|d| fixed(&inside, d)).collect();
            match dims {
                Some(dims) if matches!(p.ty, Type::Prim(_)) && !inside.contains_key(array) => {
                    reads.push(PointRead { array: *array, dims });
                }
                Some(_) | None => {}
            }
        }
        let moved = match &stm.exp {
            Exp::Basic(Basic::BinOp(BinOp::Add(_), x, y)) => match (index(&inside, *x), index(&inside, *y)) {
                (Some(Some(d)), Some(None)) | (Some(None), Some(Some(d))) => Some(d),
                _ => None,
            },
            Exp::Basic(Basic::BinOp(BinOp::Sub(_), x, y)) => match (index(&inside, *x), index(&inside, *y)) {
                (Some(Some(d)), Some(None)) => Some(d),
                _ => None,
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        };
        inside.extend(stm.pat.iter().map(|p| (p.name, moved)));
    });
    reads
}

/// What an operand is as an index: the dimension of the space along which it grows by ones, nothing if it is
/// the same for all points; none if it is not known.
fn index(inside: &FxHashMap<Name, Option<usize>>, e: SubExp) -> Option<Option<usize>> {
    match e.name().and_then(|name| inside.get(&name)) {
        None => Some(None),
        Some(None) => None,
        Some(Some(dim)) => Some(Some(*dim)),
    }
}

fn fixed(inside: &FxHashMap<Name, Option<usize>>, dim: &DimIndex) -> Option<Option<usize>> {
    match dim {
        DimIndex::Fix(e) => index(inside, *e),
        DimIndex::Slice { .. } => None,
    }
}
