//! Run-time checks: certificates with messages.

use crate::code::Code;
use crate::value::{Data, Dim, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType, ScalarType};
use fehu_base::Name;
use fehu_ir::{Basic, ErrorPart, Exp, Purpose, SubExp};

impl Code {
    /// A check of values, which goes with them; none where the code is marked unsafe.
    pub(crate) fn check(&mut self, cond: SubExp, message: Vec<ErrorPart>) -> Option<Name> {
        self.check_for(cond, message, Purpose::Values)
    }

    /// A check after which these numbers are known to be sizes.
    pub(crate) fn check_sizes(
        &mut self,
        cond: SubExp,
        message: Vec<ErrorPart>,
        sizes: &[SubExp],
    ) -> Option<Name> {
        let sizes: Vec<SubExp> = sizes.iter().filter(|n| n.name().is_some()).copied().collect();
        let purpose = if sizes.is_empty() { Purpose::Values } else { Purpose::sizes(sizes.clone()) };
        let cert = self.check_for(cond, message, purpose);
        if cert.is_some() {
            self.checked_sizes.extend(sizes.iter().filter_map(|n| n.name()));
        }
        cert
    }

    /// A check, unless the code is marked unsafe.
    pub(crate) fn check_for(
        &mut self,
        cond: SubExp,
        message: Vec<ErrorPart>,
        purpose: Purpose,
    ) -> Option<Name> {
        if self.leaves_checks_out() {
            return None;
        }
        self.b.assert(cond, message, purpose)
    }

    /// Whether the code is marked unsafe.
    pub(crate) fn leaves_checks_out(&self) -> bool {
        self.unsafe_depth > 0 && !self.safe
    }

    /// The value, under new names that depend on the certificate: what uses it has passed the
    /// check. A function value is checked here and now.
    pub(crate) fn depending<'a>(&mut self, cert: Option<Name>, v: Value<'a>) -> Value<'a> {
        if cert.is_none() {
            return v;
        }
        match v {
            Value::Data(d) => Value::Data(self.depending_data(cert.as_slice(), d)),
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
    pub(crate) fn depending_data(&mut self, certs: &[Name], d: Data) -> Data {
        if certs.is_empty() {
            return d;
        }
        let before = self.b.certs.len();
        self.b.certs.extend(certs);
        let checked = |leaf: &SubExp| {
            let t = self.b.type_of(*leaf);
            self.b.bind("checked", t, Exp::Basic(Basic::SubExp(*leaf))).into()
        };
        let leaves = d.leaves.iter().map(checked).collect();
        self.b.certs.truncate(before);
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
        let mut message = vec![ErrorPart::Text("Value of (desugared) shape ".into())];
        push_shape(&mut message, &actual);
        message.push(ErrorPart::Text(" cannot match shape of type \"".into()));
        push_shape(&mut message, &wanted);
        message.push(ErrorPart::Text(format!("{}\".", elem_text(&d.ty))));
        // One check for each dimension: it is known to be a size where those around it are positive.
        let mut certs = vec![];
        for (k, (a, w)) in actual.iter().zip(&wanted).enumerate() {
            if let Dim::Known(w) = w {
                let same = self.same_size(a.operand(), *w);
                let runs = actual[..k].iter().map(|d| d.operand()).filter(|d| d.name().is_some()).collect();
                let purpose = match w {
                    SubExp::Var(_) => Purpose::Sizes { sizes: vec![*w], runs },
                    SubExp::Const(_) => Purpose::Values,
                };
                certs.extend(self.check_for(same, message.clone(), purpose));
            }
        }
        let mut sizes = actual.iter().zip(&wanted).map(|(a, w)| match w {
            Dim::Known(_) => *w,
            Dim::Unknown => *a,
        });
        let ty = d.ty.map_dims(&mut |old| sizes.next().unwrap_or(old));
        let before = self.b.certs.len();
        self.b.certs.extend(&certs);
        let d = self.reshaped(d, ty);
        self.b.certs.truncate(before);
        self.depending_data(&certs, d)
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
