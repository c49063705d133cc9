//! Rule of the host's recursion: a call outside of all nests, of a function that calls itself several times,
//! is a call at the only point of a nest.
//!
//! Done by the host as it is written, quicksort makes a call for each node of the tree of its calls, one
//! after the other, most of them for a few elements. As a call at a point it goes level by level
//! ([`super::together`]): one call for each depth.
//!
//! ```text
//! let ys = sorted(n, xs)      =>      let ys = sorted_lifted(1, [n], n, xs)
//! ```
//!
//! Before: a function calls itself at two places that one run can come to, or in a combinator, and there is a
//! combinator in what it calls. A function that calls itself once has one call for each depth as it is.
//! Parameters that all these calls hand on as they are stay the same at all points; the others differ.

use super::calls::{call_together, result_pat};
use super::functions::{is_sequential, Functions};
use super::level::Lift;
use super::running::Call;
use super::value::{LevelId, Points, Shape, ShapeId, Value};
use super::Nests;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::build::nested_body;
use fehu_ir::subst::Subst;
use fehu_ir::visit::{for_each_body, for_each_stm};
use fehu_ir::{Basic, Body, DimIndex, Exp, FunDef, Param, PatElem, Soacs, Stm, SubExp, Type};

/// Whether a body of the host, of this function, has a call that is done level by level.
pub(super) fn any_recursion(functions: &Functions, caller: Option<Name>, body: &Body<Soacs>) -> bool {
    body.stms.iter().any(|stm| match &stm.exp {
        Exp::Call(..) => goes_by_levels(functions, caller, stm),
        Exp::If(..) | Exp::Loop(_) => {
            let mut inside = false;
            for_each_body(&stm.exp, &mut |b| inside |= any_recursion(functions, caller, b));
            inside
        }
        Exp::Basic(_) | Exp::Op(_) | Exp::WithAcc(_) => false,
    })
}

/// Whether a statement calls a function from outside of its recursion, in which several calls of one depth
/// can be done together.
fn goes_by_levels(functions: &Functions, caller: Option<Name>, stm: &Stm<Soacs>) -> bool {
    let Exp::Call(fun, _) = &stm.exp else { return false };
    let outside = caller.is_none_or(|caller| !functions.call_each_other(*fun, caller));
    let one =
        |f: &FunDef<Soacs>| functions.call_each_other(*fun, f.name) && calls(functions, f.name, &f.body) > 1;
    let parallel = |f: &FunDef<Soacs>| {
        let mut any = false;
        for_each_stm(&f.body, &mut |s| any |= matches!(s.exp, Exp::Op(_)) && !is_sequential(s));
        any
    };
    outside
        && functions.calls_itself(*fun)
        && !is_sequential(stm)
        && functions.reached(*fun).any(one)
        && functions.reached(*fun).any(parallel)
}

/// How many calls of its own recursion one run of a function's body can come to. Those of one statement in a
/// loop need each other's results, and count as one; a combinator makes any number.
fn calls(functions: &Functions, fun: Name, body: &Body<Soacs>) -> usize {
    let own = |s: &Stm<Soacs>| matches!(&s.exp, Exp::Call(f, _) if functions.call_each_other(fun, *f));
    let of = |stm: &Stm<Soacs>| match &stm.exp {
        Exp::Call(..) => usize::from(own(stm)),
        Exp::If(_, yes, no) => calls(functions, fun, yes).max(calls(functions, fun, no)),
        Exp::Loop(l) => calls(functions, fun, &l.body),
        Exp::Op(_) | Exp::WithAcc(_) => {
            let mut any = false;
            for_each_body(&stm.exp, &mut |b| for_each_stm(b, &mut |s| any |= own(s)));
            2 * usize::from(any)
        }
        Exp::Basic(_) => 0,
    };
    body.stms.iter().map(of).sum()
}

/// Which parameters differ from call to call: those that a call of the same recursion does not hand on as they are.
fn differing(functions: &Functions, source: &FunDef<Soacs>) -> Vec<bool> {
    let mut differs = vec![false; source.params.len()];
    for f in functions.reached(source.name) {
        for_each_stm(&f.body, &mut |s| {
            let Exp::Call(callee, args) = &s.exp else { return };
            if !functions.call_each_other(source.name, *callee) {
                return;
            }
            let alone = *callee == source.name && f.name == source.name;
            for (i, p) in source.params.iter().enumerate() {
                differs[i] |= !alone || args[i] != SubExp::Var(p.name);
            }
        });
    }
    differs
}

impl Nests {
    /// What stands for a call of the host, if it is done level by level.
    pub(super) fn recursion(&mut self, caller: Option<Name>, stm: &Stm<Soacs>) -> Option<Vec<Stm<Soacs>>> {
        if !goes_by_levels(&self.functions, caller, stm) {
            return None;
        }
        let functions = self.functions.count();
        let outer = (std::mem::replace(&mut self.b.loc, stm.loc.clone()), std::mem::take(&mut self.b.attrs));
        let mut fine = true;
        let body = nested_body(
            self,
            |n| &mut n.b,
            |n| {
                n.b.certs.clone_from(&stm.certs);
                fine = at_only_point(&mut n.lift(), stm).is_some();
                vec![]
            },
        );
        (self.b.loc, self.b.attrs) = outer;
        if !fine {
            self.functions.truncate(functions);
        }
        fine.then_some(body.stms)
    }
}

/// A call at the only point of a nest. Afterwards its pattern is bound.
fn at_only_point(lift: &mut Lift<'_>, stm: &Stm<Soacs>) -> Option<()> {
    let Exp::Call(fun, args) = &stm.exp else { return None };
    let source = lift.functions.source.get(fun)?;
    let (params, ret) = (source.params.clone(), source.ret.clone());
    let differs = differing(lift.functions, source);
    let level = lift.add_level(SubExp::i64(1), Points::Outermost);
    let mut given = Subst::new();
    let mut own = vec![];
    // Sizes come before the arrays that have them, whatever the order of parameters.
    let mut order: Vec<usize> = (0..params.len()).collect();
    order.sort_by_key(|i| params[*i].ty.is_array());
    for i in order {
        let e = argument(lift, level, &params[i], &given, (args[i], differs[i]));
        given.insert(params[i].name, e);
    }
    own.extend(params.iter().map(|p| given.operand(p.name.into())));
    let mut pat = result_pat(lift, &ret)?;
    pat.iter_mut().for_each(|p| given.ty(&mut p.ty));
    for p in &pat {
        lift.b.types.insert(p.name, p.ty.clone());
    }
    let (certs, loc) = (lift.b.certs.clone(), stm.loc.clone());
    let call = Call { level, fun: *fun, args: own, pat: pat.clone(), certs, loc };
    call_together(lift, &[&call])?;
    // Sizes of arrays that the function returns are results, too.
    let both = || stm.pat.iter().zip(&pat);
    for (p, own) in both().filter(|(p, _)| !p.ty.is_array()).chain(both().filter(|(p, _)| p.ty.is_array())) {
        only_result(lift, p, own)?;
    }
    Some(())
}

/// What a parameter is given at the only point: a name of the nest if it, or a size of it, differs.
fn argument(
    lift: &mut Lift<'_>,
    level: LevelId,
    p: &Param<Soacs>,
    given: &Subst,
    (e, differs): (SubExp, bool),
) -> SubExp {
    let mut ty = p.ty.clone();
    given.ty(&mut ty);
    let rank = lift.flat_rank(&ty);
    let (SubExp::Var(array), true) = (e, ty.is_array()) else {
        return if differs { scalar_of_point(lift, level, e, ty) } else { e };
    };
    if !differs && rank == 0 {
        return e;
    }
    let sizes = lift.b.type_of(e).shape().to_vec();
    let value = if rank == 0 {
        let all = std::iter::once(SubExp::i64(1)).chain(sizes).collect();
        Value::Each(level, lift.reshaped(array, all))
    } else {
        let total = lift.b.product(&sizes[..rank]);
        let shape = shape_of_point(lift, level, &ty.shape()[..rank], total);
        let all = std::iter::once(total).chain(sizes[rank..].iter().copied()).collect();
        Value::Flat(shape, lift.reshaped(array, all))
    };
    let name = lift.b.fresh("given", ty);
    lift.values.insert(name, value);
    name.into()
}

fn scalar_of_point(lift: &mut Lift<'_>, level: LevelId, e: SubExp, ty: Type) -> SubExp {
    let all = only(lift, e, &ty);
    let name = lift.b.fresh("given", ty);
    lift.values.insert(name, Value::Each(level, all));
    name.into()
}

/// An array of one scalar.
fn only(lift: &mut Lift<'_>, e: SubExp, ty: &Type) -> Name {
    lift.b.bind("only", ty.array_of(&[SubExp::i64(1)]), Exp::Basic(Basic::ArrayLit(vec![e], ty.clone())))
}

/// The shape of arrays of the only point: nothing has to be scanned or read to know where they begin and end.
fn shape_of_point(lift: &mut Lift<'_>, level: LevelId, dims: &[SubExp], total: SubExp) -> ShapeId {
    let key = (level, dims.to_vec());
    if let Some(id) = lift.known.shapes.get(&key) {
        return *id;
    }
    let sizes = only(lift, total, &Type::I64);
    let starts = only(lift, SubExp::i64(0), &Type::I64);
    lift.shapes.push(Shape { level, sizes, starts, ends: None, total, checks: vec![] });
    let id = ShapeId(lift.shapes.len() - 1);
    lift.known.shapes.insert(key, id);
    id
}

/// Binds a result of the call to what it is at the only point.
fn only_result(lift: &mut Lift<'_>, p: &PatElem<Soacs>, own: &PatElem<Soacs>) -> Option<()> {
    let (Value::Each(_, data) | Value::Flat(_, data)) = lift.values.get(&own.name).cloned()? else {
        return None;
    };
    let exp = match &p.ty {
        Type::Array(_, dims) => Basic::Reshape(dims.clone(), data),
        Type::Prim(PrimType::Unit) | Type::Acc(..) | Type::Mem(_) => return None,
        Type::Prim(_) => Basic::Index(data, vec![DimIndex::Fix(SubExp::i64(0))]),
    };
    lift.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(exp));
    Some(())
}
