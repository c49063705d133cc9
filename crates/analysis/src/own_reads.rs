//! What the operations of a thread block read for each point, and the thread that has the point may keep.
//!
//! ```text
//! segmap block (i < n) {
//!   let (top) = segred in_block (j < m) max { let (x) = xss[i, j]  return (x) }
//!   let (es) = segmap in_block (k < m) { let (y) = xss[i, k]  return (exp(y - top)) }
//! ```
//!
//! `x` and `y` are one read: an element of an array that the block does not write, at the index of the point,
//! beside indices that all points of the operation have in common. A thread that has the same points in all
//! operations reads it once.

use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::seg::SegOp;
use fehu_ir::{Basic, Body, DimIndex, Exp, Memory, PatElem, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reads of the operations of a thread block over rows, of which each thread has the same points in all of them.
#[derive(Default)]
pub struct OwnReads {
    /// The types of the elements, by number.
    pub types: Vec<PrimType>,
    /// The number of the element that a scalar of an operation is.
    pub numbers: FxHashMap<Name, usize>,
}

/// An array, and its indices: none is that of the point.
type Read = (Name, Vec<Option<SubExp>>);

impl OwnReads {
    /// Those of the operations of a body. `block_of` is the memory that an array is in.
    pub fn of(body: &Body<Memory>, block_of: impl Fn(Name) -> Option<Name>) -> OwnReads {
        let written: FxHashSet<Name> = operations(body).flat_map(|(pat, _)| pat).filter_map(block).collect();
        let mut reads: Vec<Read> = vec![];
        let mut own = OwnReads::default();
        for (_, seg) in operations(body) {
            let [(point, _)] = seg.space.dims.as_slice() else { continue };
            let inside: FxHashSet<Name> =
                seg.body.body.stms.iter().flat_map(|stm| &stm.pat).map(|p| p.name).collect();
            for stm in &seg.body.body.stms {
                let Some((name, ty, read)) = read_at(stm, *point) else { continue };
                let varies =
                    |e: &Option<SubExp>| e.and_then(|e| e.name()).is_some_and(|n| inside.contains(&n));
                let elsewhere = block_of(read.0).is_some_and(|block| !written.contains(&block));
                if !elsewhere || read.1.iter().any(varies) {
                    continue;
                }
                let number = reads.iter().position(|other| *other == read).unwrap_or_else(|| {
                    reads.push(read);
                    own.types.push(ty);
                    own.types.len() - 1
                });
                own.numbers.insert(name, number);
            }
        }
        own
    }
}

/// The operations of a body, and their results.
fn operations(body: &Body<Memory>) -> impl Iterator<Item = (&[PatElem<Memory>], &SegOp<Memory>)> {
    body.stms.iter().filter_map(|stm| match &stm.exp {
        Exp::Op(MemOp::Seg(seg)) => Some((&stm.pat[..], seg)),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    })
}

/// The memory of a result.
fn block(p: &PatElem<Memory>) -> Option<Name> {
    match &p.dec {
        MemInfo::Array { block, .. } => Some(*block),
        MemInfo::None => None,
    }
}

/// The element that a statement reads, if one of its indices is that of a point.
fn read_at(stm: &Stm<Memory>, point: Name) -> Option<(Name, PrimType, Read)> {
    let (Exp::Basic(Basic::Index(array, slice)), [PatElem { name, ty: Type::Prim(ty), .. }]) =
        (&stm.exp, stm.pat.as_slice())
    else {
        return None;
    };
    let index = |d: &DimIndex| match d {
        DimIndex::Fix(i) => Some((*i != SubExp::Var(point)).then_some(*i)),
        DimIndex::Slice { .. } => None,
    };
    let indices: Vec<Option<SubExp>> = slice.iter().map(index).collect::<Option<_>>()?;
    (*ty != PrimType::Unit && indices.contains(&None)).then_some((*name, *ty, (*array, indices)))
}
