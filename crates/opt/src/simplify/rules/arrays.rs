//! Array constructors and views of each other.

use super::index::is_whole;
use super::{one, Rewrite, Rule};
use crate::simplify::engine::Engine;
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use fehu_ir::{ArrayData, Basic, Exp, Rep, Shape, Stm, SubExp, Type};
use std::sync::Arc;

/// Literals with fewer constants than this stay literals, as those that lowering makes.
const LEAST_DATA_ELEMENTS: usize = 4;

pub(super) fn rules<R: Rep<Dec = ()>>() -> [Rule<R>; 12] {
    [
        Rule { name: "literal of equal elements", apply: equal_elements },
        Rule { name: "literal of constants", apply: constants },
        Rule { name: "replicate of replicate", apply: replicate },
        Rule { name: "rearrangement of rearrangement", apply: rearrange },
        Rule { name: "reshape to the same shape", apply: same_shape },
        Rule { name: "reshape of reshape", apply: reshape },
        Rule { name: "reshape of replicate", apply: reshape_replicate },
        Rule { name: "concatenation of one or of nothing", apply: concat_trivial },
        Rule { name: "concatenation of concatenations", apply: concat_nested },
        Rule { name: "cast of a concatenation", apply: concat_cast },
        Rule { name: "concatenation of another size", apply: concat_size },
        Rule { name: "update of everything", apply: update_whole },
    ]
}

fn equal_elements<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::ArrayLit(es, Type::Prim(_))) = &stm.exp else { return None };
    let first = *es.first()?;
    let all = es.len() > 1 && es.iter().all(|e| *e == first);
    all.then(|| Rewrite::Exp(Exp::Basic(Basic::Replicate(vec![SubExp::i64(es.len() as i64)], first))))
}

/// Elements that are constants by now are data of the program, as those that were written as numbers are.
/// What is changed in place stays a literal: its elements are written where it is changed.
fn constants<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::ArrayLit(es, Type::Prim(elem))) = &stm.exp else { return None };
    let [p] = stm.pat.as_slice() else { return None };
    if es.len() < LEAST_DATA_ELEMENTS || engine.classes.is_consumed(p.name) {
        return None;
    }
    // C has no constants for infinities and NaN.
    let is_number = |v: &PrimValue| v.as_f64().is_none_or(f64::is_finite);
    let value = |e: &SubExp| match e {
        SubExp::Const(v) => Some(*v).filter(is_number),
        SubExp::Var(_) => None,
    };
    let values = es.iter().map(value).collect::<Option<Vec<_>>>()?;
    let data = ArrayData { elem: *elem, values };
    Some(Rewrite::Exp(Exp::Basic(Basic::ArrayConst(Arc::new(data)))))
}

fn replicate<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Replicate(shape, e)) = &stm.exp else { return None };
    if shape.is_empty() {
        return match e {
            SubExp::Var(n) if engine.types.get(n)?.is_array() => {
                Some(Rewrite::Exp(Exp::Basic(Basic::Copy(*n))))
            }
            SubExp::Var(_) | SubExp::Const(_) => one(*e),
        };
    }
    let def = engine.def(e.name()?).filter(|def| def.index == 0)?;
    match &*def.exp {
        Exp::Basic(Basic::Replicate(inner, x)) => {
            let all: Shape = shape.iter().chain(inner).copied().collect();
            let is_array = |n: &Name| engine.types.get(n).is_some_and(Type::is_array);
            let row_consumed = x.name().filter(is_array).is_some_and(|n| engine.classes.is_consumed(n));
            let mut whole = Stm { exp: Exp::Basic(Basic::Replicate(all, *x)), ..stm.clone() };
            // What was checked before the row was made, such as its size, is then checked before all of it.
            whole.certs.extend(def.certs.iter());
            (!row_consumed).then(|| Rewrite::Stms(vec![whole]))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

fn rearrange<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Rearrange(perm, a)) = &stm.exp else { return None };
    if perm.iter().enumerate().all(|(i, p)| i == *p) {
        return one((*a).into());
    }
    match &*engine.pure_def(SubExp::Var(*a))? {
        Exp::Basic(Basic::Rearrange(inner, b)) => {
            let both: Vec<usize> = perm.iter().map(|p| inner.get(*p).copied()).collect::<Option<_>>()?;
            Some(Rewrite::Exp(Exp::Basic(Basic::Rearrange(both, *b))))
        }
        Exp::Basic(Basic::Replicate(shape, e)) if shape.len() == perm.len() => {
            let shape: Shape = perm.iter().map(|p| shape.get(*p).copied()).collect::<Option<_>>()?;
            unless_written(engine, stm, *a, Exp::Basic(Basic::Replicate(shape, *e)))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// A fresh array in the place of a view: not if the view is there to write through it.
fn unless_written<R: Rep<Dec = ()>>(
    engine: &Engine<'_, R>,
    stm: &Stm<R>,
    viewed: Name,
    exp: Exp<R>,
) -> Option<Rewrite<R>> {
    let written =
        engine.classes.is_consumed(viewed) || stm.pat.iter().any(|p| engine.classes.is_consumed(p.name));
    (!written).then_some(Rewrite::Exp(exp))
}

fn same_shape<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Reshape(shape, a)) = &stm.exp else { return None };
    (engine.types.get(a)?.shape() == shape.as_slice()).then(|| Rewrite::Operands(vec![(*a).into()]))
}

fn reshape<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Reshape(shape, a)) = &stm.exp else { return None };
    match &*engine.pure_def(SubExp::Var(*a))? {
        Exp::Basic(Basic::Reshape(_, b)) => Some(Rewrite::Exp(Exp::Basic(Basic::Reshape(shape.clone(), *b)))),
        Exp::Basic(Basic::Replicate(outer, e)) if outer.len() == engine.types.get(a)?.rank() => {
            unless_written(engine, stm, *a, Exp::Basic(Basic::Replicate(shape.clone(), *e)))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// Repeated values that are only seen in another shape have that shape from the start, also if they are
/// changed later or their number was checked: then rows of the array are rows in memory.
fn reshape_replicate<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Reshape(shape, a)) = &stm.exp else { return None };
    let def = engine.def(*a)?;
    let Exp::Basic(Basic::Replicate(outer, e)) = &*def.exp else { return None };
    let alone = outer.len() == engine.types.get(a)?.rank() && engine.used_at_most(*a, 1);
    let mut certs = def.certs.to_vec();
    certs.extend(stm.certs.iter().filter(|c| !def.certs.contains(c)));
    let exp = Exp::Basic(Basic::Replicate(shape.clone(), *e));
    alone.then(|| Rewrite::Stms(vec![Stm { exp, certs, ..stm.clone() }]))
}

fn concat_trivial<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Concat { dim, arrays, size }) = &stm.exp else { return None };
    let empty = |a: &Name| {
        engine.types.get(a).and_then(|t| t.shape().get(*dim)).is_some_and(|n| n.as_i64() == Some(0))
    };
    let kept: Vec<Name> = arrays.iter().filter(|a| !empty(a)).copied().collect();
    match kept.as_slice() {
        [] => None,
        [a] => {
            let same = engine.types.get(a)? == &stm.pat.first()?.ty;
            same.then_some(Rewrite::Exp(Exp::Basic(Basic::Copy(*a))))
        }
        _ if kept.len() < arrays.len() => {
            Some(Rewrite::Exp(Exp::Basic(Basic::Concat { dim: *dim, arrays: kept, size: *size })))
        }
        _ => None,
    }
}

fn concat_nested<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Concat { dim, arrays, size }) = &stm.exp else { return None };
    let mut all = vec![];
    let mut certs = stm.certs.clone();
    let mut changed = false;
    for a in arrays {
        let inner = engine.def(*a).and_then(|def| {
            let Exp::Basic(Basic::Concat { dim: d, arrays: inner, .. }) = &*def.exp else { return None };
            (d == dim && engine.used_at_most(*a, 1)).then(|| (inner.clone(), def.certs.clone()))
        });
        match inner {
            Some((inner, checks)) if !inner.iter().any(|b| engine.classes.is_consumed(*b)) => {
                changed = true;
                all.extend(inner);
                certs.extend(checks.iter().filter(|c| !stm.certs.contains(c)));
            }
            Some(_) | None => all.push(*a),
        }
    }
    let exp = Exp::Basic(Basic::Concat { dim: *dim, arrays: all, size: *size });
    changed.then(|| Rewrite::Stms(vec![Stm { exp, certs, ..stm.clone() }]))
}

/// A concatenation that is only cast to another size has that size, once it is checked: what is known of arrays
/// of that size is known of its elements.
fn concat_cast<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Reshape(shape, a)) = &stm.exp else { return None };
    let before = engine.types.get(a)?.shape().to_vec();
    let def = engine.def(*a)?;
    let Exp::Basic(Basic::Concat { dim, arrays, .. }) = &*def.exp else { return None };
    let cast = shape.len() == before.len()
        && shape.iter().zip(&before).enumerate().all(|(d, (new, old))| d == *dim || new == old)
        && engine.used_at_most(*a, 1)
        && !other_total(engine, *dim, arrays, *shape.get(*dim)?)
        && !arrays.iter().any(|part| engine.classes.is_consumed(*part));
    let mut certs = def.certs.to_vec();
    certs.extend(stm.certs.iter().filter(|c| !def.certs.contains(c)));
    let exp = Exp::Basic(Basic::Concat { dim: *dim, arrays: arrays.clone(), size: *shape.get(*dim)? });
    cast.then(|| Rewrite::Stms(vec![Stm { exp, certs, ..stm.clone() }]))
}

/// Whether arrays that are joined are known to have another size than this.
fn other_total<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, dim: usize, arrays: &[Name], size: SubExp) -> bool {
    let rows = |a: &Name| engine.types.get(a)?.shape().get(dim)?.as_i64();
    let total = arrays.iter().try_fold(0i64, |sum, a| sum.checked_add(rows(a)?));
    matches!((total, size.as_i64()), (Some(total), Some(size)) if total != size)
}

/// Where the size that a concatenation is checked to have turns out not to be that of its parts, the check fails
/// whenever it is reached. What follows it has the checked size, and the concatenation that of its parts.
fn concat_size<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Concat { dim, arrays, size }) = &stm.exp else { return None };
    if stm.certs.is_empty() || !other_total(engine, *dim, arrays, *size) {
        return None;
    }
    let rows = |a: &Name| engine.types.get(a)?.shape().get(*dim)?.as_i64();
    let total = SubExp::i64(arrays.iter().filter_map(rows).sum());
    let ty = &stm.pat.first()?.ty;
    let shape: Shape = ty.shape().to_vec();
    let mut joined = shape.clone();
    *joined.get_mut(*dim)? = total;
    let ty = Type::Prim(ty.elem()?).array_of(&joined);
    let concat = Exp::Basic(Basic::Concat { dim: *dim, arrays: arrays.clone(), size: total });
    let (name, made) = engine.fresh_stm("joined", ty, &stm.loc, concat);
    let cast = Stm { exp: Exp::Basic(Basic::Reshape(shape, name)), ..stm.clone() };
    Some(Rewrite::Stms(vec![Stm { certs: stm.certs.clone(), ..made }, cast]))
}

/// To replace all of an array is to copy what replaces it.
fn update_whole<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Update(a, slice, SubExp::Var(x))) = &stm.exp else { return None };
    let ty = engine.types.get(a)?;
    let all = ty.rank() > 0
        && slice.len() == ty.rank()
        && slice.iter().zip(ty.shape()).all(|(d, n)| is_whole(d, *n))
        && engine.types.get(x) == Some(ty)
        && Some(ty) == stm.pat.first().map(|p| &p.ty);
    all.then_some(Rewrite::Exp(Exp::Basic(Basic::Copy(*x))))
}
