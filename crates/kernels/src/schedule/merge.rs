//! Rows of different sizes are reduced in equal shares.
//!
//! A reduction over rows and places of which flattening says `schedule(row_ends)` has an element at few of
//! its points: where the place, counted from the start of all rows, is before the end of the row.
//!
//! ```text
//! #[schedule(row_ends)] segred (row < rows, k < total)
//! { let start = starts[row]  let place = start + k  let end = ends[row]  let counts = place < end
//!   #[row_ends] return (if counts then f(row, k) else 0) }
//! ```
//!
//! So nobody goes through all points. The elements of all rows and the ends of rows, in the order in which
//! one thread would meet them, are a sequence of `rows + total` items, the merge of `ends` with the numbers
//! of all elements. Each block gets as many of these items as any other, finds its first ones by search, and
//! where it computes an element, `counts` holds. What a block is given does not depend on the sizes of rows:
//! neither long rows nor many empty ones make others wait.

use super::{otherwise, Scheduler};
use fehu_base::ops::CmpOp;
use fehu_base::prim::IntType;
use fehu_base::tuning::schedule::{BLOCK_OF_SHARE, BLOCK_OF_SHARED_ROWS, ITEMS_OF_SHARE_PER_THREAD};
use fehu_base::Name;
use fehu_ir::schedule::{Choice, MergePath, Plan};
use fehu_ir::seg::{SegOp, ROW_ENDS};
use fehu_ir::{Attr, Basic, DimIndex, Exp, Memory, Stm, SubExp};

/// The plan for such a reduction.
pub(super) fn merge_path(s: &mut Scheduler, seg: &SegOp<Memory>, attrs: &[Attr]) -> Option<Choice> {
    if seg.grid.is_some() || seg.types.len() != seg.combined() || !attrs.iter().any(is_row_ends) {
        return None;
    }
    let [(row, rows), _] = seg.space.dims.as_slice() else { return None };
    let found = comparison(&seg.body.body.stms, *row);
    // Without it, all points would be gone through. All places of a single row have an element, which is
    // known without a branch.
    debug_assert!(
        found.is_some() || *rows == SubExp::i64(1),
        "the branch of a reduction over rows and places is not what flattening made"
    );
    let (ends, counts) = found?;
    let block = s.block_param("segred", Some(BLOCK_OF_SHARE));
    let carries = s.block_param("segred_carries", Some(BLOCK_OF_SHARED_ROWS));
    let (items, exchange) = (ITEMS_OF_SHARE_PER_THREAD, s.exchange());
    Some(otherwise(Plan::MergePath(MergePath { block, carries, items, ends, counts, exchange })))
}

fn is_row_ends(attr: &Attr) -> bool {
    matches!(attr, Attr::Comp(name, args) if name.as_str() == "schedule" && args.iter().any(is_mark))
}

fn is_mark(attr: &Attr) -> bool {
    matches!(attr, Attr::Atom(name) if name.as_str() == ROW_ENDS)
}

/// The array with the ends of rows, and what tells whether a place is before that of its row: the condition
/// of the branch that flattening has marked.
fn comparison(stms: &[Stm<Memory>], row: Name) -> Option<(Name, Name)> {
    let definition = |x: Name| stms.iter().find(|s| s.pat.iter().any(|p| p.name == x));
    let marked = |s: &&Stm<Memory>| s.attrs.iter().any(is_mark);
    let Exp::If(SubExp::Var(counts), ..) = stms.iter().find(marked)?.exp else { return None };
    let compared = &definition(counts)?.exp;
    let Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), _, SubExp::Var(end))) = compared else {
        return None;
    };
    let Exp::Basic(Basic::Index(ends, slice)) = &definition(*end)?.exp else { return None };
    let of_row = matches!(slice.as_slice(), [DimIndex::Fix(SubExp::Var(i))] if *i == row);
    of_row.then_some((*ends, counts))
}
