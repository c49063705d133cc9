//! Rows that a map makes need not be made where they are combined column by column.
//!
//! ```text
//! reduce (map (+)) (replicate m 0) (map (\x -> map (f x) ys) xs)   =   map (\y -> reduce (+) 0 (map (\x -> f x y) xs)) ys
//! ```
//!
//! Each point of the reduction or scan computes its element, so that what is done for a row as a whole is
//! done for each of its elements: it must be cheap. An element that has parallelism of its own is better
//! computed before, and so is one that takes long: a map has as many threads as there are elements, a
//! reduction gives several to each.

use super::g4_vector::{applied, hands_on, Interchanged};
use super::nest::Cost;
use super::parallel::cost;
use fehu_base::Name;
use fehu_ir::build::Builder;
use fehu_ir::cost::is_straight;
use fehu_ir::free::free_in_lambda;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::Subst;
use fehu_ir::{Basic, DimIndex, Exp, Lambda, Soacs, Stm, SubExp, Type};

/// How the elements of rows are made.
#[derive(Clone, Copy)]
pub(super) enum Rows<'a> {
    /// The rows are there.
    Given,
    /// This statement, the last of the code for a row, is a map over its places.
    Made(&'a Stm<Soacs>, &'a Screma<Soacs>),
}

impl<'a> Rows<'a> {
    /// How the rows that an operation takes are made; `None` if each is made as a whole.
    pub(super) fn of(s: &'a Screma<Soacs>, size: SubExp) -> Option<Rows<'a>> {
        if hands_on(s) {
            return Some(Rows::Given);
        }
        let body = &s.map.body;
        let (last, before) = body.stms.split_last()?;
        let Exp::Op(Soac::Screma(map)) = &last.exp else { return None };
        let fits = map.scans.is_empty()
            && map.reds.is_empty()
            && map.width == size
            && before.iter().all(|s| cost(&s.exp) == Cost::Cheap)
            && body.result.iter().all(|e| last.pat.iter().any(|p| SubExp::Var(p.name) == *e))
            && is_straight(&map.map.body);
        fits.then_some(Rows::Made(last, map))
    }
}

/// The map of an operation along a column: it takes what the code for rows takes, and makes the elements at
/// that column.
pub(super) fn at_column(
    b: &mut Builder<Soacs>,
    i: &Interchanged,
    (last, map): (&Stm<Soacs>, &Screma<Soacs>),
    column: SubExp,
) -> Lambda<Soacs> {
    let params: Vec<_> = i.s.map.params.iter().map(|p| b.param("x", p.ty.clone())).collect();
    let args: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
    b.begin();
    // The code for a row, but for the map over its places: what that needs.
    let free: Vec<Name> = free_in_lambda(&map.map).into_iter().chain(last.certs.iter().copied()).collect();
    let mut code = i.s.map.clone();
    code.body.stms.pop();
    code.body.result = map.arrays.iter().chain(&free).map(|n| (*n).into()).collect();
    let found = applied(b, &code, &args);
    let (inputs, bound) = found.split_at(map.arrays.len());
    let mut place = map.map.clone();
    free.iter().copied().zip(bound.iter().copied()).collect::<Subst>().lambda(&mut place);
    let known = bound[free.len() - last.certs.len()..].iter().filter_map(|e| e.name());
    let outer = b.certs.len();
    b.certs.extend(known);
    let mut elements = vec![];
    for (e, p) in inputs.iter().zip(&map.map.params) {
        elements.extend(e.name().map(|a| at(b, a, column, &p.ty)));
    }
    let results = applied(b, &place, &elements);
    b.certs.truncate(outer);
    let mut result = vec![];
    for e in &i.s.map.body.result {
        let k = last.pat.iter().position(|p| SubExp::Var(p.name) == *e);
        result.extend(k.and_then(|k| results.get(k).copied()));
    }
    Lambda { params, body: b.end(result), ret: i.elementwise.op.ret.clone() }
}

fn at(b: &mut Builder<Soacs>, array: Name, index: SubExp, ty: &Type) -> SubExp {
    let whole = |n: &SubExp| DimIndex::Slice { start: SubExp::i64(0), len: *n, stride: SubExp::i64(1) };
    let slice = std::iter::once(DimIndex::Fix(index)).chain(ty.shape().iter().map(whole)).collect();
    b.bind("x", ty.clone(), Exp::Basic(Basic::Index(array, slice))).into()
}
