//! Run-time checks: certificates with messages.

use crate::code::{Code, Emit};
use crate::value::{Data, Dim, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType, ScalarType};
use fehu_base::Name;
use fehu_ir::{Basic, ErrorPart, Exp, SubExp};

impl Code {
    /// A check, unless the code is marked unsafe.
    pub(crate) fn check(&mut self, cond: SubExp, message: Vec<ErrorPart>) -> Option<Name> {
        if self.unsafe_depth > 0 && !self.safe {
            return None;
        }
        self.b.assert(cond, message)
    }

    /// The value, under new names that depend on the certificate: whoever uses it has passed the
    /// check. A function value is checked here and now.
    pub(crate) fn depending<'a>(&mut self, cert: Option<Name>, v: Value<'a>) -> Value<'a> {
        if cert.is_none() {
            return v;
        }
        match v {
            Value::Data(d) => Value::Data(self.depending_data(cert, d)),
            Value::Record(fields) => Value::Record(std::rc::Rc::new(
                fields.iter().map(|(f, v)| (*f, self.depending(cert, v.clone()))).collect(),
            )),
            Value::Constr(c, args) => {
                let args = args.iter().map(|v| self.depending(cert, v.clone())).collect();
                Value::Constr(c, std::rc::Rc::new(args))
            }
            Value::Fun(fun) => Value::Fun(std::rc::Rc::new(crate::value::Fun::Checked { fun, cert })),
        }
    }

    /// [`Lowerer::depending`] on data.
    pub(crate) fn depending_data(&mut self, cert: Option<Name>, d: Data) -> Data {
        let Some(_) = cert else { return d };
        let leaves = d
            .leaves
            .iter()
            .map(|leaf| {
                let t = self.b.type_of(*leaf);
                self.certified(cert, |l| l.b.bind("checked", t, Exp::Basic(Basic::SubExp(*leaf))).into())
            })
            .collect();
        Data { ty: d.ty, leaves }
    }

    /// All of these conditions.
    pub(crate) fn all(&mut self, conds: &[SubExp]) -> SubExp {
        conds.iter().fold(SubExp::bool(true), |acc, c| {
            if acc == SubExp::bool(true) {
                *c
            } else if *c == SubExp::bool(true) || acc == SubExp::bool(false) {
                acc
            } else if *c == SubExp::bool(false) {
                *c
            } else {
                self.b.bin(BinOp::LogAnd, acc, *c)
            }
        })
    }

    /// `0 <= i < n`.
    pub(crate) fn in_bounds(&mut self, i: SubExp, n: SubExp) -> SubExp {
        let lo = self.b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(0), i);
        let hi = self.b.cmp(CmpOp::SLt(IntType::I64), i, n);
        self.all(&[lo, hi])
    }

    /// Whether two sizes are equal.
    pub(crate) fn same_size(&mut self, a: SubExp, b: SubExp) -> SubExp {
        if a == b {
            SubExp::bool(true)
        } else {
            self.b.cmp(CmpOp::Eq(PrimType::I64), a, b)
        }
    }

    /// `d :> target`: checks the sizes that are known of the target and gives the data that type.
    pub(crate) fn coerce(&mut self, d: Data, target: &Ty) -> Data {
        let actual = d.ty.dims();
        let wanted = target.dims();
        if actual.len() != wanted.len() {
            fehu_base::bug!("coercion of {:?} to {target:?}", d.ty);
        }
        let mut conds = vec![];
        for (a, w) in actual.iter().zip(&wanted) {
            if let Dim::Known(w) = w {
                let c = self.same_size(a.operand(), *w);
                conds.push(c);
            }
        }
        let cond = self.all(&conds);
        let mut message = vec![ErrorPart::Text("Value of (desugared) shape ".into())];
        push_shape(&mut message, &actual);
        message.push(ErrorPart::Text(" cannot match shape of type \"".into()));
        push_shape(&mut message, &wanted);
        message.push(ErrorPart::Text(format!("{}\".", elem_text(&d.ty))));
        let cert = self.check(cond, message);
        let mut sizes = actual.iter().zip(&wanted).map(|(a, w)| match w {
            Dim::Known(_) => *w,
            Dim::Unknown => *a,
        });
        let ty = d.ty.map_dims(&mut |old| sizes.next().unwrap_or(old));
        let d = self.certified(cert, |l| l.reshaped(d, ty));
        self.depending_data(cert, d)
    }

    /// The same data under a type that differs in the names of sizes only.
    pub(crate) fn reshaped(&mut self, d: Data, ty: Ty) -> Data {
        let leaves = d
            .leaves
            .iter()
            .zip(ty.leaves())
            .map(|(leaf, t)| {
                let have = self.b.type_of(*leaf);
                match leaf {
                    SubExp::Var(n) if t.is_array() && have != t => self
                        .b
                        .bind("cast", t.clone(), Exp::Basic(Basic::Reshape(t.shape().to_vec(), *n)))
                        .into(),
                    SubExp::Var(_) | SubExp::Const(_) => *leaf,
                }
            })
            .collect();
        Data { ty, leaves }
    }
}

fn push_shape(message: &mut Vec<ErrorPart>, dims: &[Dim]) {
    for d in dims {
        message.push(ErrorPart::Text("[".into()));
        match d {
            Dim::Known(e) => message.push(ErrorPart::Value(*e, ScalarType::I64)),
            Dim::Unknown => {}
        }
        message.push(ErrorPart::Text("]".into()));
    }
}

fn elem_text(ty: &Ty) -> String {
    match ty {
        Ty::Scalar(s) => s.to_string(),
        Ty::Array(_, e) => elem_text(e),
        Ty::Record(fs) => {
            format!("({})", fs.iter().map(|(_, t)| elem_text(t)).collect::<Vec<_>>().join(", "))
        }
        Ty::Sum(_) => "sum".into(),
        Ty::Acc(..) => "acc".into(),
        Ty::Fun => "function".into(),
    }
}
