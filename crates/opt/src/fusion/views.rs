//! Seeing through views that leave the outermost dimension alone: the view is
//! taken of each row instead, inside of the lambda.
//!
//! ```text
//! let (ys : [n][k][m]i32) = rearrange [0, 2, 1] xs       screma n [xs] map \x ->
//! screma n [ys] map \y -> ...                       =>     let (y) = rearrange [1, 0] x  ...
//! ```

use super::merge::inputs_of;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Classes;
use fehu_ir::{Basic, DimIndex, Exp, PatElem, Slice, Soacs, Stm, SubExp, Type};

/// How a view looks at one row of its array.
#[derive(Debug)]
enum RowView {
    /// As it is.
    Whole,
    Rearrange(Vec<usize>),
    Index(Slice),
    Reshape(Vec<SubExp>),
}

/// The array that a statement is a view of, if it is one that leaves the outermost dimension alone.
pub(super) fn source(view: &Stm<Soacs>, type_of: impl Fn(Name) -> Option<Type>) -> Option<Name> {
    let [bound] = view.pat.as_slice() else { return None };
    if !view.attrs.is_empty() {
        return None;
    }
    let (source, _) = row_view(view, &bound.ty, &type_of)?;
    Some(source)
}

/// Lets the consumer read the array behind a view.
pub(super) fn pull(
    names: &mut NameSource,
    classes: &mut Classes,
    view: &Stm<Soacs>,
    consumer: &mut Stm<Soacs>,
    type_of: impl Fn(Name) -> Option<Type>,
) {
    let [bound] = view.pat.as_slice() else { return };
    let Some((source, how)) = row_view(view, &bound.ty, &type_of) else { return };
    let Some(source_type) = type_of(source) else { return };
    let Some((arrays, lambda)) = inputs_of(&mut consumer.exp) else { return };
    for (array, param) in arrays.iter_mut().zip(&mut lambda.params) {
        if *array != bound.name {
            continue;
        }
        *array = source;
        let exp = |whole: Name| match &how {
            RowView::Whole => None,
            RowView::Rearrange(perm) => Some(Exp::Basic(Basic::Rearrange(perm.clone(), whole))),
            RowView::Index(slice) => Some(Exp::Basic(Basic::Index(whole, slice.clone()))),
            RowView::Reshape(shape) => Some(Exp::Basic(Basic::Reshape(shape.clone(), whole))),
        };
        let whole = names.fresh_like(source);
        let Some(exp) = exp(whole) else { continue };
        classes.learn(whole, &[param.name]);
        let row = PatElem { name: std::mem::replace(&mut param.name, whole), ty: param.ty.clone(), dec: () };
        param.ty = source_type.peel(1);
        // The view now shares the memory of the row, which is written to through it.
        let stm = Stm { pat: vec![row], certs: vec![], attrs: vec![], loc: view.loc.clone(), exp };
        lambda.body.stms.insert(0, stm);
    }
    consumer
        .certs
        .extend(view.certs.iter().filter(|n| !consumer.certs.contains(n)).copied().collect::<Vec<_>>());
}

/// The array behind a view, and the view of one row.
fn row_view(view: &Stm<Soacs>, ty: &Type, type_of: &dyn Fn(Name) -> Option<Type>) -> Option<(Name, RowView)> {
    match &view.exp {
        Exp::Basic(Basic::SubExp(SubExp::Var(a))) if ty.is_array() => Some((*a, RowView::Whole)),
        Exp::Basic(Basic::Rearrange(perm, a)) => {
            let (first, rest) = perm.split_first()?;
            let rest: Vec<usize> = rest.iter().map(|p| p.wrapping_sub(1)).collect();
            (*first == 0 && !rest.is_empty()).then_some((*a, RowView::Rearrange(rest)))
        }
        Exp::Basic(Basic::Index(a, slice)) => {
            let (first, rest) = slice.split_first()?;
            let of = type_of(*a)?;
            let whole = |d: &DimIndex, n: SubExp| match d {
                DimIndex::Slice { start, len, stride } => {
                    start.as_i64() == Some(0) && stride.as_i64() == Some(1) && *len == n
                }
                DimIndex::Fix(_) => false,
            };
            let all = whole(first, *of.shape().first()?) && !rest.is_empty();
            all.then(|| (*a, RowView::Index(rest.to_vec())))
        }
        Exp::Basic(Basic::Reshape(shape, a)) => {
            let of = type_of(*a)?;
            let same = of.shape().first()? == shape.first()? && shape.len() > 1 && of.rank() > 1;
            same.then(|| (*a, RowView::Reshape(shape[1..].to_vec())))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}
