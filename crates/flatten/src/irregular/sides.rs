//! Rule of what branches return: arrays whose sizes differ are written by each side, where those of its points belong.
//!
//! What the points of a side have stands one after the other. An element of it goes to where the array of its
//! point begins among those of all points, and as far from there as it is from where it begins on its side:
//!
//! ```text
//! points        0 1 2           points 0 and 2 take the first side
//! first side    a a c           written to    a a . c
//! second side   b               written to    . . b .
//! ```
//!
//! The map that computes the elements of a side can then be one kernel with that write. If each point read
//! its element instead, they would be stored first, and searched for once more.
//!
//! A cast to another size keeps elements and sizes: what is written is the array before it, once it is checked.
//!
//! Where a function ends with a branch, and one side gives a parameter back as it is, its points have nothing
//! to do: the other side writes over what the function was given, which nobody needs after that. So quicksort
//! does nothing for calls of one number.
//!
//! ```text
//! fun sorted(n, xs) = if n < 2 then xs else ...         consumes xs; the second side writes to it
//! ```

use super::checks::after;
use super::level::Lift;
use super::running::Branch;
use super::value::{GivenBack, LevelId, ShapeId, Value};
use fehu_base::Name;
use fehu_ir::soac::ScatterDest;
use fehu_ir::{Basic, Exp, FunDef, PatElem, Soacs, SubExp, Type};

/// The parameter that a function gives back on one side of its last branch, if an array of the same size is
/// all that it returns.
pub(super) fn given_back(fun: &FunDef<Soacs>) -> Option<GivenBack> {
    let last = fun.body.stms.last()?;
    let (Exp::If(_, yes, no), [p], [SubExp::Var(result)]) = (&last.exp, &*last.pat, &*fun.body.result) else {
        return None;
    };
    let param_of = |side: usize| {
        let [SubExp::Var(e)] = *[yes, no][side].result else { return None };
        let param = fun.params.iter().find(|param| param.name == e && param.ty == p.ty)?;
        let back = GivenBack { param: param.name, result: p.name, side, written: false };
        (p.ty.is_array() && p.name == *result).then_some(back)
    };
    param_of(0).or_else(|| param_of(1))
}

/// What each point has after a branch, one side of which gives back what the function took over. Says whether
/// it is such a branch.
pub(super) fn written_over(lift: &mut Lift<'_>, branch: &Branch) -> Option<bool> {
    let (Some(back), [p]) = (lift.given_back, &*branch.pat) else { return Some(false) };
    let Some(Value::Flat(shape, data)) = lift.values.get(&back.param).cloned() else { return Some(false) };
    if p.name != back.result || lift.shapes[shape.0].level != branch.level {
        return Some(false);
    }
    let other = 1 - back.side;
    let level = [branch.divided.yes, branch.divided.no][other];
    let result = *branch.sides[other].result.first()?;
    let Value::Flat(_, own) = lift.conform(level, result, &p.ty, &[])? else { return Some(false) };
    let Some(elements) = elements_of(lift, level, result, &p.ty, own) else { return Some(false) };
    let of = lift.outside(elements.inner)?;
    let all = after(lift, of, &elements.checks, |f| written_by_side(f, shape, &elements, data))?;
    lift.values.insert(p.name, Value::Flat(shape, all));
    lift.given_back = Some(GivenBack { written: true, ..back });
    Some(true)
}

/// The elements that the points of a side have, of an array whose dimensions all are flat.
pub(super) struct Elements {
    /// The level of the elements.
    inner: LevelId,
    data: Name,
    /// What is checked before their sizes are those of the result.
    checks: Vec<Name>,
}

/// The elements of the value of a name of this type, whose data these are, at a level.
pub(super) fn elements_of(
    lift: &mut Lift<'_>,
    level: LevelId,
    e: SubExp,
    ty: &Type,
    data: Name,
) -> Option<Elements> {
    let (mut ty, mut data, mut checks) = (ty.clone(), data, vec![]);
    let mut at = e.name();
    while let Some((before, checked)) = at.and_then(|n| lift.known.casts.get(&n)) {
        let Some(Value::Flat(shape, own)) = lift.values.get(before) else { break };
        if lift.shapes[shape.0].level != level {
            break;
        }
        let new: Vec<Name> = checked.iter().filter(|c| !checks.contains(*c)).copied().collect();
        checks.extend(new);
        (ty, data, at) = (lift.b.type_of((*before).into()), *own, Some(*before));
    }
    if lift.flat_rank(&ty) < ty.rank() {
        return None;
    }
    let inner = lift.inner(level, ty.shape(), &[])?;
    let whole = lift.b.type_of(data.into()).shape() == [lift.width(inner)];
    whole.then_some(Elements { inner, data, checks })
}

/// What each point has after a branch of an array for which both sides give elements.
pub(super) fn written_by_sides(
    lift: &mut Lift<'_>,
    level: LevelId,
    p: &PatElem<Soacs>,
    sides: [&Elements; 2],
) -> Option<Value> {
    let [yes, no] = sides.map(|side| lift.width(side.inner));
    let both = lift.b.add64(yes, no);
    let shape = lift.shape_of_data(level, p.ty.shape(), &[], Some(both))?;
    let (elem, dims) = (p.ty.elem()?, vec![lift.shapes[shape.0].total]);
    let scratch = Exp::Basic(Basic::Scratch(elem, dims.clone()));
    let mut all = lift.b.bind("sides", Type::Array(elem, dims), scratch);
    for side in sides {
        let of = lift.outside(side.inner)?;
        all = after(lift, of, &side.checks, |f| written_by_side(f, shape, side, all))?;
    }
    Some(Value::Flat(shape, all))
}

fn written_by_side(lift: &mut Lift<'_>, shape: ShapeId, side: &Elements, all: Name) -> Option<Name> {
    let (level, starts) = (lift.shapes[shape.0].level, lift.shapes[shape.0].starts);
    let start = lift.b.fresh("start", Type::I64);
    lift.values.insert(start, Value::Each(level, starts));
    let body = lift.nested(|f| {
        let place = f.place(side.inner);
        Some(vec![f.b.add64(start.into(), place)])
    })?;
    let places = lift.map(side.inner, body, &[Type::I64])?[0];
    let dest = ScatterDest { shape: vec![lift.shapes[shape.0].total], array: all };
    lift.write(side.inner, vec![dest], &[places, side.data])?.first().copied()
}
