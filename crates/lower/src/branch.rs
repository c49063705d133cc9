//! Conditionals: results whose sizes differ between the branches bring the
//! size along as a result of its own.

use crate::code::{Code, Emit, Mark, Res};
use crate::lowerer::Lowerer;
use crate::sizes::Origin;
use crate::value::{Data, Dim, Ty, Value};
use fehu_base::prim::PrimValue;
use fehu_check::types::Type as SurfaceType;
use fehu_ir::{Body, Exp, Soacs, SubExp, Type};

/// `if cond then .. else ..`, of the given type.
pub(crate) fn branch<'a>(
    cx: &mut Lowerer<'a>,
    cond: SubExp,
    ty: &'a SurfaceType,
    then: impl FnOnce(&mut Lowerer<'a>) -> Res<Value<'a>>,
    otherwise: impl FnOnce(&mut Lowerer<'a>) -> Res<Value<'a>>,
) -> Res<Value<'a>> {
    match cond {
        SubExp::Const(PrimValue::Bool(true)) => return cx.scoped(then),
        SubExp::Const(PrimValue::Bool(false)) => return cx.scoped(otherwise),
        SubExp::Const(_) | SubExp::Var(_) => {}
    }
    let hint = cx.ty(ty)?;
    let mark = cx.code.mark();
    let (body1, side1) = cx.body(|l| then(l).and_then(|v| Side::of(&l.code, v)))?;
    let (body2, side2) = cx.body(|l| otherwise(l).and_then(|v| Side::of(&l.code, v)))?;
    Ok(Value::Data(join(&mut cx.code, cond, mark, &hint, (body1, side1), (body2, side2))))
}

/// What a branch returns.
struct Side {
    data: Data,
    /// The sizes in its type that have been checked there.
    checked: Vec<SubExp>,
}

impl Side {
    fn of(code: &Code, v: Value<'_>) -> Res<Side> {
        let data = code.data(v)?;
        let sizes = data.ty.dims().into_iter().map(|d| d.operand());
        let checked = sizes.filter(|n| code.is_checked_size(*n)).collect();
        Ok(Side { data, checked })
    }
}

/// Builds the conditional from finished branches.
fn join(
    code: &mut Code,
    cond: SubExp,
    mark: Mark,
    hint: &Ty,
    (body1, Side { data: d1, checked: checked1 }): (Body<Soacs>, Side),
    (body2, Side { data: d2, checked: checked2 }): (Body<Soacs>, Side),
) -> Data {
    let (ty, ext) = common_type(code, mark, hint, &d1.ty, &d2.ty);
    let mut pat: Vec<_> = ext.iter().map(|(n, _, _)| (*n, Type::I64)).collect();
    let mut result1: Vec<_> = ext.iter().map(|(_, a, _)| *a).collect();
    let mut result2: Vec<_> = ext.iter().map(|(_, _, b)| *b).collect();
    let mut leaves = vec![];
    for (t, (a, b)) in ty.leaves().into_iter().zip(d1.leaves.iter().zip(&d2.leaves)) {
        if a == b && mark.outside(*a) {
            leaves.push(*a);
            continue;
        }
        let name = code.b.fresh("t", t.clone());
        pat.push((name, t));
        result1.push(*a);
        result2.push(*b);
        leaves.push(name.into());
    }
    if pat.is_empty() && body1.stms.is_empty() && body2.stms.is_empty() {
        return Data { ty, leaves };
    }
    let body1 = Body { result: result1, ..body1 };
    let body2 = Body { result: result2, ..body2 };
    code.b.bind_names(pat, Exp::If(cond, Box::new(body1), Box::new(body2)));
    code.check_shapes(&ty, |n| {
        let (_, a, b) = ext.iter().find(|(own, _, _)| *own == n)?;
        let checked = checked1.contains(a) && checked2.contains(b);
        Some(Origin::of(checked))
    });
    Data { ty, leaves }
}

/// A type that covers both: sizes that agree and are known outside stay, sizes that the checker
/// knows outside are those, and the rest get names of their own, with their values on both sides.
pub(crate) fn common_type(
    code: &mut Code,
    mark: Mark,
    hint: &Ty,
    a: &Ty,
    b: &Ty,
) -> (Ty, Vec<(fehu_base::Name, SubExp, SubExp)>) {
    let hints = hint.dims();
    let others = b.dims();
    let mut ext: Vec<(fehu_base::Name, SubExp, SubExp)> = vec![];
    let mut i = 0;
    let ty = a.map_dims(&mut |d| {
        let x = d.operand();
        let y = others.get(i).copied().unwrap_or(Dim::Unknown).operand();
        let h = hints.get(i).copied().unwrap_or(Dim::Unknown);
        i += 1;
        if x == y && mark.outside(x) {
            return Dim::Known(x);
        }
        if let Dim::Known(h) = h {
            if mark.outside(h) {
                return Dim::Known(h);
            }
        }
        if let Some((n, _, _)) = ext.iter().find(|(_, p, q)| *p == x && *q == y) {
            return Dim::Known((*n).into());
        }
        let n = code.b.fresh("n", Type::I64);
        ext.push((n, x, y));
        Dim::Known(n.into())
    });
    (ty, ext)
}
