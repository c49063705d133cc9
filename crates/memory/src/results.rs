//! The results of parallel operations: which are in place of which array.

use fehu_base::tuning::results;
use fehu_base::Name;
use fehu_ir::seg::{KernelReturn, SegKind, SegLevel, SegOp};
use fehu_ir::Rep;
use rustc_hash::FxHashSet;

/// For each result, in the order of the pattern, the array in whose place it is; `None` for what the points make.
pub(crate) fn in_place_of<R: Rep>(seg: &SegOp<R>) -> Vec<Option<Name>> {
    if let SegKind::Hist(ops) = &seg.kind {
        return ops.iter().flat_map(|op| &op.dests).map(|d| Some(*d)).collect();
    }
    let mut arrays = vec![None; seg.leading()];
    let mut written = FxHashSet::default();
    for (_, ret) in seg.kept() {
        match ret {
            KernelReturn::Elem => arrays.push(None),
            KernelReturn::Write { array, .. } => {
                if written.insert(*array) {
                    arrays.push(Some(*array));
                }
            }
        }
    }
    arrays
}

/// The results, by their numbers in the pattern, that are long rows made by a single thread each.
pub(crate) fn rows_of_threads<R: Rep>(seg: &SegOp<R>) -> Vec<usize> {
    if seg.level != SegLevel::Thread || !matches!(seg.kind, SegKind::Map) {
        return vec![];
    }
    let in_place = in_place_of(seg);
    if in_place.iter().any(Option::is_some) {
        return vec![];
    }
    let long = |ty: &fehu_ir::Type| {
        let sizes: Option<Vec<i64>> = ty.shape().iter().map(|n| n.as_i64()).collect();
        ty.is_array()
            && sizes.is_none_or(|sizes| {
                sizes.into_iter().fold(1i64, i64::saturating_mul) >= results::LONG_ROW_ELEMENTS
            })
    };
    let elements = seg.body.returns.iter().zip(&seg.types).enumerate();
    elements.filter(|(_, (ret, ty))| matches!(ret, KernelReturn::Elem) && long(ty)).map(|(k, _)| k).collect()
}
