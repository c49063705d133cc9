//! `==` on any data: all components are equal.

use crate::exp::fields;
use crate::lowerer::{Lowerer, Res};
use crate::sums::{payload, tag};
use crate::value::{Data, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::PrimType;
use fehu_ir::soac::{Commutativity, Reduce, Screma, Soac};
use fehu_ir::{Body, Exp, Lambda, SubExp, Type};

impl<'a> Lowerer<'a> {
    /// Whether two values of one type are equal.
    pub(crate) fn equal(&mut self, a: &Value<'a>, b: &Value<'a>) -> Res<SubExp> {
        match (a, b) {
            (Value::Data(a), Value::Data(b)) => self.equal_data(a, b),
            (Value::Record(_) | Value::Constr(..) | Value::Fun(_) | Value::Data(_), _) => {
                Err(self.unsupported("comparison of functions"))
            }
        }
    }

    fn equal_data(&mut self, a: &Data, b: &Data) -> Res<SubExp> {
        match (&a.ty, &b.ty) {
            (Ty::Scalar(s), _) => Ok(self.b.cmp(CmpOp::Eq(s.prim()), a.leaves[0], b.leaves[0])),
            (Ty::Record(_), _) => {
                let [xs, ys] = [a, b].map(|d| fields(&Value::Data(d.clone())));
                let mut conds = vec![];
                for ((_, x), (_, y)) in xs.iter().zip(&ys) {
                    conds.push(self.equal(x, y)?);
                }
                Ok(self.all(&conds))
            }
            (Ty::Array(..), Ty::Array(..)) => self.equal_arrays(a, b),
            (Ty::Sum(constrs), _) => {
                let same = self.b.cmp(CmpOp::Eq(PrimType::I8), a.leaves[0], b.leaves[0]);
                let mut conds = vec![same];
                for i in 0..constrs.len() {
                    if payload(a, i).is_empty() {
                        continue;
                    }
                    // Equal payloads matter only where this is the constructor.
                    let mut parts = vec![];
                    for (x, y) in payload(a, i).iter().zip(payload(b, i)) {
                        parts.push(self.equal_data(x, &y)?);
                    }
                    let equal = self.all(&parts);
                    let here = self.b.cmp(CmpOp::Eq(PrimType::I8), a.leaves[0], tag(i));
                    let other = self.b.un(fehu_base::ops::UnOp::Not, here);
                    conds.push(self.b.bin(BinOp::LogOr, other, equal));
                }
                Ok(self.all(&conds))
            }
            (Ty::Array(..) | Ty::Acc(..) | Ty::Fun, _) => Err(self.unsupported("this comparison")),
        }
    }

    /// Shapes first; elements only if those agree.
    fn equal_arrays(&mut self, a: &Data, b: &Data) -> Res<SubExp> {
        let mut sizes = vec![];
        for (x, y) in a.ty.dims().into_iter().zip(b.ty.dims()) {
            let same = self.same_size(x.operand(), y.operand());
            sizes.push(same);
        }
        let same = self.all(&sizes);
        let (body, r) = self.body(|l| {
            let Some((n, elem)) = a.ty.elem() else { fehu_base::bug!("not an array") };
            let elem = elem.clone();
            let mut params = vec![];
            let mut side = |l: &mut Self, d: &Data| {
                let ps: Vec<_> = elem.leaves().into_iter().map(|t| l.b.param("x", t)).collect();
                let leaves = ps.iter().map(|p| p.name.into()).collect();
                params.extend(ps);
                let _ = d;
                Data { ty: elem.clone(), leaves }
            };
            let x = side(l, a);
            let y = side(l, b);
            let (body, eq) = l.body(|l| l.equal_data(&x, &y))?;
            let map = Lambda { params, body: Body { result: vec![eq], ..body }, ret: vec![Type::BOOL] };
            let op = l.bool_and();
            let arrays = a.leaves.iter().chain(&b.leaves).filter_map(|e| e.name()).collect();
            let red = Reduce { comm: Commutativity::Commutative, op, neutral: vec![SubExp::bool(true)] };
            let soac = Soac::Screma(Screma { width: n, arrays, scans: vec![], reds: vec![red], map });
            Ok(SubExp::Var(l.b.bind("eq", Type::BOOL, Exp::Op(soac))))
        })?;
        if same == SubExp::bool(true) {
            for stm in body.stms {
                self.b.push(stm);
            }
            return Ok(r);
        }
        let body = Body { result: vec![r], ..body };
        let no = Body { stms: vec![], result: vec![SubExp::bool(false)] };
        Ok(self.b.bind("eq", Type::BOOL, Exp::If(same, Box::new(body), Box::new(no))).into())
    }

    fn bool_and(&mut self) -> Lambda<fehu_ir::Soacs> {
        let x = self.b.param("x", Type::BOOL);
        let y = self.b.param("y", Type::BOOL);
        self.b.begin();
        let r = self.b.bin(BinOp::LogAnd, x.name.into(), y.name.into());
        let body = self.b.end(vec![r]);
        Lambda { params: vec![x, y], body, ret: vec![Type::BOOL] }
    }
}
