//! Conditionals: results whose sizes differ between the branches bring the
//! size along as a result of its own.

use crate::code::{Code, Emit, Mark, Res};
use crate::lowerer::Lowerer;
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
    let (body1, v1) = cx.body(then)?;
    let (body2, v2) = cx.body(otherwise)?;
    let (d1, d2) = (cx.code.data(v1)?, cx.code.data(v2)?);
    Ok(Value::Data(join(&mut cx.code, cond, mark, &hint, (body1, d1), (body2, d2))))
}

/// Builds the conditional from finished branches.
fn join(
    code: &mut Code,
    cond: SubExp,
    mark: Mark,
    hint: &Ty,
    (body1, d1): (Body<Soacs>, Data),
    (body2, d2): (Body<Soacs>, Data),
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
    code.check_shapes(&ty, |n| ext.iter().any(|(own, _, _)| *own == n));
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
