//! Results that cost less to compute again than to keep.
//!
//! A mapped array that could not be fused into all who read it, but is a little
//! arithmetic on elements of one array, is computed by each of them: they read that array instead.
//!
//! ```text
//! let (s, ys) = screma n [xs] reduce (+) 0               let (s) = screma n [xs] reduce (+) 0
//!   map \x -> let (y) = x >> 3 ... return (y, y)    =>     map \x -> let (y) = x >> 3 ... return (y)
//! let (t) = scatter n [is, ys] into s ...                let (t) = scatter n [is, xs] ... \i x -> let (y) = x >> 3
//! ```

use super::merge::{inputs_of, mapped_results, Combinator};
use crate::simplify::is_total;
use fehu_base::tuning::fusion;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Classes;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::{rename_lambda, Subst};
use fehu_ir::{Basic, Body, Exp, Lambda, Param, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Lets those who read cheap results of maps compute them.
pub(super) fn compute_again(names: &mut NameSource, classes: &Classes, body: &mut Body<Soacs>) {
    let recipes = recipes(classes, body);
    if recipes.is_empty() {
        return;
    }
    for i in 0..body.stms.len() {
        let stm = &body.stms[i];
        let read: Vec<Name> =
            Combinator::arrays_of(stm).iter().filter(|a| recipes.contains_key(*a)).copied().collect();
        for array in read {
            follow(names, &recipes[&array], array, &mut body.stms[i]);
        }
    }
}

/// How to compute an element.
struct Recipe {
    /// From an element of this array, the only parameter.
    from: Name,
    how: Lambda<Soacs>,
    certs: Vec<Name>,
}

/// The cheap results of combinators that only combinators of the same width read, element by element.
fn recipes(classes: &Classes, body: &Body<Soacs>) -> FxHashMap<Name, Recipe> {
    let mut found: FxHashMap<Name, (SubExp, Recipe)> = FxHashMap::default();
    let mut unfit: FxHashSet<Name> = body.result.iter().filter_map(|e| e.name()).collect();
    for stm in &body.stms {
        let width = Combinator::of(stm).map(Combinator::width);
        let inputs: FxHashSet<Name> = Combinator::arrays_of(stm).iter().copied().collect();
        if !found.is_empty() {
            for n in free_in_stm(stm) {
                let fits = found.get(&n).is_none_or(|(w, _)| inputs.contains(&n) && width == Some(*w));
                if !fits || uses_apart(stm, &inputs, n, &found) {
                    unfit.insert(n);
                }
            }
        }
        let mapped = mapped_results(stm);
        for (k, x) in mapped.iter().enumerate() {
            let at = stm.pat.len() - mapped.len() + k;
            if let (Some(w), Some(recipe)) = (width, recipe(classes, stm, at)) {
                found.insert(x.name, (w, recipe));
            }
        }
    }
    found.into_iter().filter(|(n, _)| !unfit.contains(n)).map(|(n, (_, r))| (n, r)).collect()
}

/// Whether a combinator uses one of its inputs as a whole, too.
fn uses_apart(
    stm: &Stm<Soacs>,
    inputs: &FxHashSet<Name>,
    n: Name,
    found: &FxHashMap<Name, (SubExp, Recipe)>,
) -> bool {
    if !inputs.contains(&n) || !found.contains_key(&n) {
        return false;
    }
    let mut rest = stm.clone();
    Combinator::take_arrays(&mut rest);
    free_in_stm(&rest).contains(&n)
}

/// How a result of a combinator is computed, if that is cheap.
fn recipe(classes: &Classes, stm: &Stm<Soacs>, at: usize) -> Option<Recipe> {
    let c = Combinator::of(stm)?;
    let lambda = c.lambda();
    let SubExp::Var(result) = *lambda.body.result.get(at)? else { return None };
    if !matches!(lambda.ret.get(at)?, Type::Prim(_)) {
        return None;
    }
    let mut needed: FxHashSet<Name> = [result].into_iter().collect();
    let mut stms: Vec<Stm<Soacs>> = vec![];
    for s in lambda.body.stms.iter().rev() {
        if !s.pat.iter().any(|x| needed.contains(&x.name)) {
            continue;
        }
        let cheap = matches!(
            s.exp,
            Exp::Basic(Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..))
        );
        if !cheap || !is_total(&s.exp) || !s.certs.is_empty() || stms.len() == fusion::REPEATED_STATEMENTS {
            return None;
        }
        needed.extend(free_in_stm(s));
        stms.push(s.clone());
    }
    stms.reverse();
    let mut leaves = lambda.params.iter().zip(c.arrays()).filter(|(p, _)| needed.contains(&p.name));
    let (param, from) = leaves.next()?;
    let plain = matches!(param.ty, Type::Prim(_)) && !classes.is_consumed(*from);
    if leaves.next().is_some() || !plain || stms.is_empty() {
        return None;
    }
    let body = Body { stms, result: vec![result.into()] };
    let how = Lambda { params: vec![param.clone()], body, ret: vec![lambda.ret[at].clone()] };
    Some(Recipe { from: *from, how, certs: stm.certs.clone() })
}

/// Lets a combinator compute the elements of one of its inputs.
fn follow(names: &mut NameSource, recipe: &Recipe, array: Name, stm: &mut Stm<Soacs>) {
    stm.certs.extend(recipe.certs.iter().filter(|c| !stm.certs.contains(c)).copied().collect::<Vec<_>>());
    let Some((arrays, lambda)) = inputs_of(&mut stm.exp) else { return };
    while let Some(k) = arrays.iter().position(|a| *a == array) {
        let how = rename_lambda(names, &recipe.how);
        let mut subst = Subst::new();
        let [Param { name: element, ty, .. }] = how.params.as_slice() else { return };
        match arrays.iter().position(|a| *a == recipe.from).filter(|j| !lambda.params[*j].consumed) {
            Some(j) => {
                subst.insert(*element, lambda.params[j].name);
                arrays.remove(k);
                let gone = lambda.params.remove(k);
                rename_result(lambda, &gone, how.body, &subst);
            }
            None => {
                arrays[k] = recipe.from;
                let fresh = Param { name: *element, ty: ty.clone(), dec: (), consumed: false };
                let gone = std::mem::replace(&mut lambda.params[k], fresh);
                rename_result(lambda, &gone, how.body, &subst);
            }
        }
    }
}

/// Puts the computation first; what was a parameter is its result.
fn rename_result(lambda: &mut Lambda<Soacs>, gone: &Param<Soacs>, mut body: Body<Soacs>, subst: &Subst) {
    subst.body(&mut body);
    if let Some(result) = body.result.first() {
        let mut replaced = Subst::new();
        replaced.insert(gone.name, *result);
        replaced.body(&mut lambda.body);
    }
    lambda.body.stms.splice(0..0, body.stms);
}
