//! `==` on any data: all components are equal.

use crate::code::{Code, Emit, Res};
use crate::sums::{payload, tag};
use crate::value::{fields, Data, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::PrimType;
use fehu_ir::soac::{Commutativity, Reduce, Screma, Soac};
use fehu_ir::{Body, Exp, Lambda, SubExp, Type};

/// Whether two values of one type are equal.
pub(crate) fn equal<'a>(code: &mut Code, a: &Value<'a>, b: &Value<'a>) -> Res<SubExp> {
    match (a, b) {
        (Value::Data(a), Value::Data(b)) => equal_data(code, a, b),
        (Value::Record(_) | Value::Constr(..) | Value::Fun(_) | Value::Data(_), _) => {
            Err(code.unsupported("comparison of functions"))
        }
    }
}

fn equal_data(code: &mut Code, a: &Data, b: &Data) -> Res<SubExp> {
    match (&a.ty, &b.ty) {
        (Ty::Scalar(s), _) => Ok(code.b.cmp(CmpOp::Eq(s.prim()), a.leaves[0], b.leaves[0])),
        (Ty::Record(_), _) => {
            let [xs, ys] = [a, b].map(|d| fields(&Value::Data(d.clone())));
            let mut conds = vec![];
            for ((_, x), (_, y)) in xs.iter().zip(&ys) {
                conds.push(equal(code, x, y)?);
            }
            Ok(code.all(&conds))
        }
        (Ty::Array(..), Ty::Array(..)) => equal_arrays(code, a, b),
        (Ty::Sum(constrs), _) => {
            let same = code.b.cmp(CmpOp::Eq(PrimType::I8), a.leaves[0], b.leaves[0]);
            let mut conds = vec![same];
            for i in 0..constrs.len() {
                if payload(a, i).is_empty() {
                    continue;
                }
                // Equal payloads matter only where this is the constructor.
                let mut parts = vec![];
                for (x, y) in payload(a, i).iter().zip(payload(b, i)) {
                    parts.push(equal_data(code, x, &y)?);
                }
                let equal = code.all(&parts);
                let here = code.b.cmp(CmpOp::Eq(PrimType::I8), a.leaves[0], tag(i));
                let other = code.b.un(fehu_base::ops::UnOp::Not, here);
                conds.push(code.b.bin(BinOp::LogOr, other, equal));
            }
            Ok(code.all(&conds))
        }
        (Ty::Array(..) | Ty::Acc(..) | Ty::Fun, _) => Err(code.unsupported("this comparison")),
    }
}

/// Shapes first; elements only if those agree.
fn equal_arrays(code: &mut Code, a: &Data, b: &Data) -> Res<SubExp> {
    let mut sizes = vec![];
    for (x, y) in a.ty.dims().into_iter().zip(b.ty.dims()) {
        let same = code.same_size(x.operand(), y.operand());
        sizes.push(same);
    }
    let same = code.all(&sizes);
    let (body, r) = code.body(|l| {
        let Some((n, elem)) = a.ty.elem() else { fehu_base::bug!("not an array") };
        let elem = elem.clone();
        let mut params = vec![];
        let mut side = |l: &mut Code, d: &Data| {
            let ps: Vec<_> = elem.leaves().into_iter().map(|t| l.b.param("x", t)).collect();
            let leaves = ps.iter().map(|p| p.name.into()).collect();
            params.extend(ps);
            let _ = d;
            Data { ty: elem.clone(), leaves }
        };
        let x = side(l, a);
        let y = side(l, b);
        let (body, eq) = l.body(|l| equal_data(l, &x, &y))?;
        let map = Lambda { params, body: Body { result: vec![eq], ..body }, ret: vec![Type::BOOL] };
        let op = bool_and(l);
        let arrays = a.leaves.iter().chain(&b.leaves).filter_map(|e| e.name()).collect();
        let red = Reduce { comm: Commutativity::Commutative, op, neutral: vec![SubExp::bool(true)] };
        let soac = Soac::Screma(Screma { width: n, arrays, scans: vec![], reds: vec![red], map });
        Ok(SubExp::Var(l.b.bind("eq", Type::BOOL, Exp::Op(soac))))
    })?;
    if same == SubExp::bool(true) {
        for stm in body.stms {
            code.b.push(stm);
        }
        return Ok(r);
    }
    let body = Body { result: vec![r], ..body };
    let no = Body { stms: vec![], result: vec![SubExp::bool(false)] };
    Ok(code.b.bind("eq", Type::BOOL, Exp::If(same, Box::new(body), Box::new(no))).into())
}

fn bool_and(code: &mut Code) -> Lambda<fehu_ir::Soacs> {
    let x = code.b.param("x", Type::BOOL);
    let y = code.b.param("y", Type::BOOL);
    code.b.begin();
    let r = code.b.bin(BinOp::LogAnd, x.name.into(), y.name.into());
    let body = code.b.end(vec![r]);
    Lambda { params: vec![x, y], body, ret: vec![Type::BOOL] }
}
