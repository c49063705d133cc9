//! G8: a map of branches becomes a branch of maps.
//!
//! In the paper: `Σ ⊢ if c then e1 else e2 ⇒ if c then e1' else e2'` if `c` is the
//! same at all points of `Σ`. Each branch is tried in all versions of its own (the paper
//! takes the innermost map out of the context for it).
//!
//! Where `c` differs from point to point, branches that write an element of an array or leave it alone become one
//! kernel that writes, where there is nothing to write to a place that does not exist:
//!
//! ```text
//! if c then xs with [i] = v else xs   =>   let (at, x) = if c then (i, v) else (-1, 0)
//!                                          write x to xs at [at]
//! ```

use super::g1_manifest::Point;
use super::lift;
use super::nest::{Lifted, Nest, Owner};
use super::parallel::exploitable;
use super::ran::Ran;
use super::scattered::{self, Writers};
use super::state::Flat;
use super::steer::Steer;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::free::free_in_stm;
use fehu_ir::seg::{KernelBody, KernelReturn, SegKind};
use fehu_ir::types::array_of_rows;
use fehu_ir::{Basic, Body, DimIndex, Exp, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// A result of a branch.
enum Outcome {
    /// A number.
    Scalar,
    /// This array, with an element changed by one of the branches or both.
    Changed(Name),
}

pub(super) fn map_branch(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    cond: SubExp,
    yes: &Body<Soacs>,
    no: &Body<Soacs>,
    later: &FxHashSet<Name>,
) -> Option<Lifted> {
    let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.clone()).collect();
    let own: FxHashSet<Name> = stm.pat.iter().map(|p| p.name).collect();
    let fits = |t: &Type| {
        !matches!(t, Type::Acc(..))
            && *t != Type::UNIT
            && t.shape().iter().all(|e| e.name().is_none_or(|n| !own.contains(&n)))
    };
    let parallel = exploitable(yes) || exploitable(no);
    if !nest.invariant(cond) || !types.iter().all(fits) || !parallel {
        return if parallel { None } else { map_writes(flat, nest, stm, cond, [yes, no], later) };
    }
    let needed = nest.needed(stm);
    lift::materialise(flat, nest, &needed);
    // A branch may consume any of the nest's arrays.
    let consumed: Vec<Name> = needed.into_iter().filter(|n| !later.contains(n)).collect();
    lift::protect(flat, nest, &consumed, later);
    let steer = Steer::of(&stm.attrs);
    let [(yes, checked), (no, otherwise)] = [yes, no].map(|branch| {
        let (inner, branch) = (nest.clone(), branch.clone());
        flat.nested_checking(|f| f.versions(inner, branch, &types, steer))
    });
    flat.ran.extend(Ran::in_both(&checked, &otherwise));
    let results = types.iter().map(|t| array_of_rows(t, &nest.widths)).collect();
    let results = flat.choose(cond, yes, no, results);
    Some(results.into_iter().map(|e| (e, Owner::Nest)).collect())
}

/// A conditional whose branches change elements of the nest's arrays, or leave them alone.
fn map_writes(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    cond: SubExp,
    branches: [&Body<Soacs>; 2],
    later: &FxHashSet<Name>,
) -> Option<Lifted> {
    let kinds = results_of(nest, stm, branches)?;
    let changed = |kind: &Outcome| match kind {
        Outcome::Scalar => None,
        Outcome::Changed(a) => Some(*a),
    };
    let arrays: Vec<Name> = kinds.iter().filter_map(changed).collect();
    scattered::before_writing(flat, nest, stm, (arrays, Writers::One), later);
    let [yes, no] = branches.map(|b| places(flat, b, &kinds, stm));
    let mut pat = vec![];
    for (kind, p) in kinds.iter().zip(&stm.pat) {
        if let Outcome::Changed(_) = kind {
            pat.extend((0..p.ty.rank()).map(|_| Type::I64));
        }
        pat.push(p.ty.peel(p.ty.rank()));
    }
    let pat: Vec<_> = pat
        .into_iter()
        .map(|ty| fehu_ir::PatElem { name: flat.seq.b.fresh("at", ty.clone()), ty, dec: () })
        .collect();
    let result = pat.iter().map(|p| p.name.into()).collect();
    let exp = Exp::If(cond, Box::new(yes), Box::new(no));
    let body = Body { stms: vec![Stm { pat, exp, ..stm.clone() }], result };
    let mut targets = vec![];
    for kind in &kinds {
        targets.push(match changed(kind) {
            Some(a) => Some(lift::lift_owned(flat, nest, a.into()).name()?),
            None => None,
        });
    }
    let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.peel(p.ty.rank())).collect();
    let opened = flat.open(Point { nest, depth: nest.depth(), body, types: types.clone() });
    let mut body = flat.seq_body(opened.body);
    let mut all = std::mem::take(&mut body.result).into_iter();
    let mut returns = vec![];
    let mut results = vec![];
    for (target, p) in targets.into_iter().zip(&stm.pat) {
        let whole = array_of_rows(&p.ty, &nest.widths);
        returns.push(match target {
            None => KernelReturn::Elem,
            Some(array) => {
                let own = opened.space.dims.iter().map(|d| SubExp::Var(d.0));
                let index = own.chain(all.by_ref().take(p.ty.rank())).collect();
                KernelReturn::Write { array, shape: whole.shape().to_vec(), index }
            }
        });
        body.result.extend(all.next());
        results.push(whole);
    }
    let names = flat.seg_op(opened.space, types, KernelBody { body, returns }, SegKind::Map, results);
    Some(names.into_iter().map(|n| (n.into(), Owner::Nest)).collect())
}

/// A branch that returns, in place of each array that is changed, where and to what.
fn places(flat: &mut Flat, body: &Body<Soacs>, kinds: &[Outcome], stm: &Stm<Soacs>) -> Body<Soacs> {
    let mut stms: Vec<Option<Stm<Soacs>>> = body.stms.iter().cloned().map(Some).collect();
    let mut bound = vec![];
    let mut result = vec![];
    for (k, (kind, p)) in kinds.iter().zip(&stm.pat).enumerate() {
        let (rank, elem) = (p.ty.rank(), p.ty.peel(p.ty.rank()));
        match (kind, update(body, k)) {
            (Outcome::Scalar, _) => result.extend(body.result.get(k)),
            (Outcome::Changed(_), None) => {
                result.extend(std::iter::repeat_n(SubExp::i64(-1), rank));
                result.extend(elem.elem().map(|t| SubExp::Const(t.blank())));
            }
            (Outcome::Changed(_), Some((at, _, place))) => {
                // The checks of the update are those of its place.
                let old = stms[at].take();
                for (e, ty) in place.into_iter().zip((0..rank).map(|_| Type::I64).chain([elem])) {
                    let name = flat.seq.b.fresh("at", ty.clone());
                    let new = plain(name, ty, Exp::Basic(Basic::SubExp(e)));
                    bound.push(match &old {
                        Some(old) => Stm { certs: old.certs.clone(), loc: old.loc.clone(), ..new },
                        None => new,
                    });
                    result.push(name.into());
                }
            }
        }
    }
    Body { stms: stms.into_iter().flatten().chain(bound).collect(), result }
}

/// What the results of a conditional are, if each is a number or an array of the nest that at least one of
/// the branches changes.
fn results_of(nest: &Nest, stm: &Stm<Soacs>, branches: [&Body<Soacs>; 2]) -> Option<Vec<Outcome>> {
    let mut seen = FxHashSet::default();
    let mut kinds = vec![];
    for (k, p) in stm.pat.iter().enumerate() {
        if matches!(p.ty, Type::Prim(_)) && p.ty != Type::UNIT {
            kinds.push(Outcome::Scalar);
            continue;
        }
        let [yes, no] = branches.map(|b| Some((b.result.get(k)?.name()?, update(b, k))));
        let ((yes, yes_update), (no, no_update)) = (yes?, no?);
        let array = match (&yes_update, &no_update) {
            (None, None) => return None,
            (Some((_, a, _)), None) => (*a == no).then_some(no)?,
            (None, Some((_, a, _))) => (*a == yes).then_some(yes)?,
            (Some((_, a, _)), Some((_, b, _))) => (a == b).then_some(*a)?,
        };
        let owned = matches!(nest.whole(array), Some((_, Owner::Nest)));
        if !owned || !seen.insert(array) {
            return None;
        }
        kinds.push(Outcome::Changed(array));
    }
    (!seen.is_empty()).then_some(kinds)
}

/// The statement that makes a result of a body by changing one element of an array, the array, and the element with its
/// place; if the result is used for nothing else.
fn update(body: &Body<Soacs>, k: usize) -> Option<(usize, Name, Vec<SubExp>)> {
    let name = body.result.get(k)?.name()?;
    let at = body.stms.iter().position(|s| s.pat.iter().any(|p| p.name == name))?;
    let Exp::Basic(Basic::Update(array, slice, value)) = &body.stms[at].exp else { return None };
    let mut place = vec![];
    for dim in slice {
        match dim {
            DimIndex::Fix(i) => place.push(*i),
            DimIndex::Slice { .. } => return None,
        }
    }
    place.push(*value);
    let again = body.result.iter().enumerate().any(|(i, e)| i != k && *e == SubExp::Var(name))
        || body.stms[at + 1..].iter().any(|s| free_in_stm(s).contains(&name));
    (!again).then_some((at, *array, place))
}
