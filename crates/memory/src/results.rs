//! The results of parallel operations: which are in place of which array.

use fehu_base::Name;
use fehu_ir::seg::{KernelReturn, SegKind, SegOp};
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
            KernelReturn::Elem | KernelReturn::Tile(_) => arrays.push(None),
            KernelReturn::Write { array, .. } => {
                if written.insert(*array) {
                    arrays.push(Some(*array));
                }
            }
        }
    }
    arrays
}
