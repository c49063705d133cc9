//! Maps that copy: each of their points is one element of an array, or a constant where that does not exist.
//!
//! ```text
//! segmap in_block (r < h, c < w) {
//!   let (y : i64) = add_i64(y0, r)
//!   let (x : i64) = add_i64(x0, c)
//!   let (exists : bool) = ult_i64(x, n)
//!   let (e : f32) = if exists then { let (e : f32) = xss[y, x] return (e) } else { return (0f32) }
//!   return (e)
//! }
//! ```

use crate::rep::Rep;
use crate::seg::{KernelReturn, SegOp};
use crate::syntax::{Basic, Exp, Slice, Stm, SubExp, Type};
use fehu_base::prim::PrimType;
use fehu_base::Name;

/// The element that a point of a map copies.
pub struct CopiedElement<'a, R: Rep> {
    /// What is computed before.
    pub before: &'a [Stm<R>],
    /// The array.
    pub array: Name,
    /// The indices of the element.
    pub slice: &'a Slice,
    /// Its type.
    pub elem: PrimType,
    /// If it need not exist: the condition that it does, what is computed then, and what stands for it otherwise.
    pub exists: Option<(SubExp, &'a [Stm<R>], SubExp)>,
}

/// The element that each point of a map copies, if it does nothing else. Nothing in it can fail, and it reads
/// nothing else.
pub fn copied_element<R: Rep>(seg: &SegOp<R>) -> Option<CopiedElement<'_, R>> {
    let ([Type::Prim(elem)], [KernelReturn::Elem]) = (&seg.types[..], &seg.body.returns[..]) else {
        return None;
    };
    let body = &seg.body.body;
    let (last, before) = body.stms.split_last()?;
    let elem = *elem;
    if body.result != returned(last) || !before.iter().all(is_arithmetic) {
        return None;
    }
    match &last.exp {
        Exp::Basic(Basic::Index(array, slice)) => {
            Some(CopiedElement { before, array: *array, slice, elem, exists: None })
        }
        Exp::If(exists, yes, no) => {
            let (read, inner) = yes.stms.split_last()?;
            let ([other @ SubExp::Const(_)], []) = (&no.result[..], &no.stms[..]) else { return None };
            let Exp::Basic(Basic::Index(array, slice)) = &read.exp else { return None };
            let only = yes.result == returned(read) && inner.iter().all(is_arithmetic);
            let exists = Some((*exists, inner, *other));
            only.then_some(CopiedElement { before, array: *array, slice, elem, exists })
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// What a statement binds, as a result.
fn returned<R: Rep>(stm: &Stm<R>) -> Vec<SubExp> {
    stm.pat.iter().map(|p| p.name.into()).collect()
}

fn is_arithmetic<R: Rep>(stm: &Stm<R>) -> bool {
    let scalar = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    let computes = matches!(
        stm.exp,
        Exp::Basic(
            Basic::SubExp(_) | Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..)
        )
    );
    scalar && computes && stm.attrs.is_empty()
}
