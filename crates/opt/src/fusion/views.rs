//! Seeing through views that leave the outermost dimension alone: the view is
//! taken of each row instead, inside of the lambda.
//!
//! ```text
//! let (ys : [n][k][m]i32) = rearrange [0, 2, 1] xs       screma n [xs] map \x ->
//! screma n [ys] map \y -> ...                       =>     let (y) = rearrange [1, 0] x  ...
//! ```

use super::merge::Combinator;
use crate::alias::Classes;
use fehu_base::{Name, NameSource};
use fehu_ir::soac::Soac;
use fehu_ir::{Exp, PatElem, Soacs, Stm, SubExp, Type};

/// The consumer reading the array behind a view, and that array; `None` if the statement is no such view.
pub(super) fn pull(
    names: &mut NameSource,
    classes: &mut Classes,
    view: &Stm<Soacs>,
    consumer: &Stm<Soacs>,
    array: Name,
) -> Option<(Stm<Soacs>, Name)> {
    let c = Combinator::of(consumer)?;
    let [bound] = view.pat.as_slice() else { return None };
    let k = c.arrays().iter().position(|a| *a == array)?;
    let row = c.lambda().params.get(k)?.clone();
    let (source, inner, exp) = row_view(view, &bound.ty)?;
    let mut pulled = consumer.clone();
    pulled.certs.extend(view.certs.iter().filter(|n| !consumer.certs.contains(n)));
    let Exp::Op(soac) = &mut pulled.exp else { return None };
    let (arrays, lambda) = match soac {
        Soac::Screma(s) => (&mut s.arrays, &mut s.map),
        Soac::Hist(h) => (&mut h.arrays, &mut h.lambda),
        Soac::Scatter(s) => (&mut s.arrays, &mut s.lambda),
        Soac::Ad(_) => return None,
    };
    let whole = names.fresh_like(source);
    classes.learn(whole, &[row.name]);
    arrays[k] = source;
    let param = &mut lambda.params[k];
    param.name = whole;
    param.ty = inner;
    let pat = vec![PatElem { name: row.name, ty: row.ty, dec: () }];
    let stm = Stm { pat, certs: vec![], attrs: vec![], loc: view.loc.clone(), exp: exp(whole) };
    lambda.body.stms.insert(0, stm);
    Some((pulled, source))
}

/// What makes a view of a row.
type RowView = Box<dyn Fn(Name) -> Exp<Soacs>>;

/// The array behind a view, the type of its rows, and the view of one row.
fn row_view(view: &Stm<Soacs>, ty: &Type) -> Option<(Name, Type, RowView)> {
    let elem = ty.elem()?;
    match &view.exp {
        Exp::Rearrange(perm, a) => {
            let (first, rest) = perm.split_first()?;
            if *first != 0 || rest.is_empty() {
                return None;
            }
            let rest: Vec<usize> = rest.iter().map(|p| p - 1).collect();
            let mut shape = vec![SubExp::i64(0); rest.len()];
            for (i, p) in rest.iter().enumerate() {
                shape[*p] = ty.shape()[i + 1];
            }
            Some((*a, Type::Array(elem, shape), Box::new(move |x| Exp::Rearrange(rest.clone(), x))))
        }
        _ => None,
    }
}
