//! Indexing, slicing and in-place updates.

use crate::exp::{fields, project};
use crate::lowerer::{Lowerer, Res};
use crate::value::{Data, Dim, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Name, Span, Symbol};
use fehu_check::tast::{self, Access, Index};
use fehu_check::types::{self, Size, TypeArg};
use fehu_ir::{Basic, DimIndex, ErrorPart, Exp, SubExp, Type};
use std::rc::Rc;

const I: IntType = IntType::I64;

/// An index whose parts have been evaluated.
enum At {
    Fix(SubExp),
    Slice { lo: Option<SubExp>, hi: Option<SubExp>, stride: Option<SubExp> },
}

/// A step to the part that is updated, with the place that the user gave it.
enum Step {
    Field(Symbol),
    Index(Vec<At>, Span),
}

/// A slice whose checks have been made: one entry for each indexed dimension.
struct Sliced {
    dims: Vec<DimIndex>,
    cert: Option<Name>,
}

impl<'a> Lowerer<'a> {
    /// `a[i, j:k]`.
    pub(crate) fn index_exp(&mut self, a: &'a tast::Exp, ixs: &'a [Index]) -> Res<Value<'a>> {
        let v = self.exp(a)?;
        let d = self.data(v)?;
        let at = self.indexes(ixs)?;
        let s = self.slice(&d, &at);
        Ok(Value::Data(self.certified(s.cert, |l| l.take_slice(&d, &s.dims))))
    }

    /// The element of an array at a position of its outer dimensions, known to be in bounds.
    pub(crate) fn element(&mut self, d: &Data, ixs: &[SubExp]) -> Data {
        let dims: Vec<_> = ixs.iter().map(|i| DimIndex::Fix(*i)).collect();
        self.take_slice(d, &dims)
    }

    /// A slice of the outer dimensions, known to be in bounds.
    pub(crate) fn take_slice(&mut self, d: &Data, dims: &[DimIndex]) -> Data {
        let ty = sliced_type(&d.ty, dims);
        let leaves = d
            .leaves
            .iter()
            .zip(ty.leaves())
            .map(|(leaf, t)| {
                let SubExp::Var(arr) = leaf else { fehu_base::bug!("index of a constant") };
                let slice = self.full_slice(*leaf, dims);
                self.b.bind("t", t, Exp::Basic(Basic::Index(*arr, slice))).into()
            })
            .collect();
        Data { ty, leaves }
    }

    /// The slice with the remaining dimensions of a leaf taken whole.
    fn full_slice(&self, leaf: SubExp, dims: &[DimIndex]) -> Vec<DimIndex> {
        let t = self.b.type_of(leaf);
        let rest = t.shape()[dims.len()..].iter().map(|n| DimIndex::Slice {
            start: SubExp::i64(0),
            len: *n,
            stride: SubExp::i64(1),
        });
        dims.iter().copied().chain(rest).collect()
    }

    /// Evaluates indices and emits their check.
    fn slice(&mut self, d: &Data, ixs: &[At]) -> Sliced {
        let mut sizes = vec![];
        let mut ty = &d.ty;
        for _ in ixs {
            let Some((n, elem)) = ty.elem() else { fehu_base::bug!("index of {:?}", d.ty) };
            sizes.push(n);
            ty = elem;
        }
        let mut dims = vec![];
        let mut conds = vec![];
        let mut text: Vec<ErrorPart> = vec![ErrorPart::Text("Index [".into())];
        for (k, (ix, n)) in ixs.iter().zip(&sizes).enumerate() {
            if k > 0 {
                text.push(ErrorPart::Text(", ".into()));
            }
            match ix {
                At::Fix(i) => {
                    let ok = self.in_bounds(*i, *n);
                    conds.push(ok);
                    text.push(ErrorPart::Value(*i, ScalarType::I64));
                    dims.push(DimIndex::Fix(*i));
                }
                At::Slice { lo, hi, stride } => {
                    let mut part = |e: &Option<SubExp>, separator: &str| {
                        text.push(ErrorPart::Text(separator.into()));
                        text.extend(e.map(|x| ErrorPart::Value(x, ScalarType::I64)));
                    };
                    part(lo, "");
                    part(hi, ":");
                    if stride.is_some() {
                        part(stride, ":");
                    }
                    let (dim, ok) = self.slice_dim(*n, *lo, *hi, *stride);
                    conds.push(ok);
                    dims.push(dim);
                }
            }
        }
        text.push(ErrorPart::Text("] out of bounds for array of shape ".into()));
        for n in &sizes {
            text.push(ErrorPart::Text("[".into()));
            text.push(ErrorPart::Value(*n, ScalarType::I64));
            text.push(ErrorPart::Text("]".into()));
        }
        text.push(ErrorPart::Text(".".into()));
        let cond = self.all(&conds);
        let cert = self.check(cond, text);
        Sliced { dims, cert }
    }

    /// Evaluates indices.
    fn indexes(&mut self, ixs: &'a [Index]) -> Res<Vec<At>> {
        let mut evaluated = vec![];
        for ix in ixs {
            evaluated.push(match ix {
                Index::Fix(e) => At::Fix(self.index_operand(e)?),
                Index::Slice { lo, hi, stride } => {
                    let mut part =
                        |e: &'a Option<tast::Exp>| e.as_ref().map(|e| self.index_operand(e)).transpose();
                    At::Slice { lo: part(lo)?, hi: part(hi)?, stride: part(stride)? }
                }
            });
        }
        Ok(evaluated)
    }

    /// An index, of any integer type, as `i64`.
    fn index_operand(&mut self, e: &'a tast::Exp) -> Res<SubExp> {
        let v = self.exp(e)?;
        let d = self.data(v)?;
        let Ty::Scalar(s) = d.ty else { fehu_base::bug!("index of type {:?}", d.ty) };
        let PrimType::Int(t) = s.prim() else { fehu_base::bug!("index of type {s}") };
        let x = d.leaves[0];
        if t == I {
            return Ok(x);
        }
        Ok(self.b.conv(if s.is_unsigned() { ConvOp::ZExt(t, I) } else { ConvOp::SExt(t, I) }, x))
    }

    /// A slice of a dimension of this size, and whether it is inside.
    fn slice_dim(
        &mut self,
        n: SubExp,
        lo: Option<SubExp>,
        hi: Option<SubExp>,
        stride: Option<SubExp>,
    ) -> (DimIndex, SubExp) {
        let one = SubExp::i64(1);
        let zero = SubExp::i64(0);
        match stride {
            None => {
                let start = lo.unwrap_or(zero);
                let end = hi.unwrap_or(n);
                let len = self.b.sub64(end, start);
                let mut conds = vec![];
                if lo.is_some() {
                    conds.push(self.b.cmp(CmpOp::SLe(I), zero, start));
                }
                if lo.is_some() || hi.is_some() {
                    conds.push(self.b.cmp(CmpOp::SLe(I), start, end));
                }
                if hi.is_some() {
                    conds.push(self.b.cmp(CmpOp::SLe(I), end, n));
                }
                let ok = self.all(&conds);
                // An empty slice touches nothing, so that it may stand anywhere; one that begins or ends with
                // the array has been accepted already.
                let anywhere = lo.is_some_and(|x| x.as_i64() != Some(0)) && hi.is_some();
                let ok = if anywhere && ok != SubExp::bool(true) {
                    let empty = self.same_size(start, end);
                    self.b.bin(BinOp::LogOr, ok, empty)
                } else {
                    ok
                };
                (DimIndex::Slice { start, len, stride: one }, ok)
            }
            Some(s) => {
                // With a negative stride the defaults are the last element and one before the first.
                let negative = self.b.cmp(CmpOp::SLt(I), s, zero);
                let last = self.b.sub64(n, one);
                let start = match lo {
                    Some(x) => x,
                    None => self.select(negative, last, zero),
                };
                let end = match hi {
                    Some(x) => x,
                    None => self.select(negative, SubExp::i64(-1), n),
                };
                let len = self.slice_size(start, end, s);
                let nonzero = self.b.cmp(CmpOp::Eq(PrimType::I64), s, zero);
                let nonzero = self.b.un(UnOp::Not, nonzero);
                // Backwards, a slice ends before the first element at the latest, so that distances do not wrap
                // around. Forwards, there is nothing to wrap where the start is inside.
                let forwards = self.b.cmp(CmpOp::SLe(I), start, end);
                let backwards = self.b.cmp(CmpOp::SLe(I), end, start);
                let not_before = self.b.cmp(CmpOp::SLe(I), SubExp::i64(-1), end);
                let backwards = self.all(&[backwards, not_before]);
                let ordered = self.select(negative, backwards, forwards);
                // The first and last element touched are inside; an empty slice touches nothing.
                let first = self.in_bounds(start, n);
                let steps = self.b.sub64(len, one);
                let reach = self.b.mul64(steps, s);
                let last_touched = self.b.add64(start, reach);
                let last_ok = self.in_bounds(last_touched, n);
                let inside = self.all(&[first, last_ok, ordered]);
                let empty = self.same_size(start, end);
                let ok = match empty {
                    SubExp::Const(PrimValue::Bool(true)) => empty,
                    _ if inside == SubExp::bool(true) => inside,
                    SubExp::Var(_) | SubExp::Const(_) => self.b.bin(BinOp::LogOr, empty, inside),
                };
                let ok = self.all(&[nonzero, ok]);
                (DimIndex::Slice { start, len, stride: s }, ok)
            }
        }
    }

    /// The number of elements from `start` to `end`, exclusive, with a stride: the distance divided, rounded up.
    /// Of no meaning where the stride is 0 or leads elsewhere, for which the check comes later.
    fn slice_size(&mut self, start: SubExp, end: SubExp, stride: SubExp) -> SubExp {
        match stride.as_i64() {
            Some(1) => return self.b.sub64(end, start),
            Some(-1) => return self.b.sub64(start, end),
            _ => {}
        }
        let safe = match stride.as_i64() {
            Some(0) => SubExp::i64(1),
            Some(_) => stride,
            None => {
                let is_zero = self.b.cmp(CmpOp::Eq(PrimType::I64), stride, SubExp::i64(0));
                self.select(is_zero, SubExp::i64(1), stride)
            }
        };
        // One less before the division, which rounds down, and one more after it: nothing wraps around.
        let distance = self.b.sub64(end, start);
        let sign = self.b.un(UnOp::SSignum(I), safe);
        let below = self.b.sub64(distance, sign);
        let steps = self.b.bin(BinOp::SDiv(I), below, safe);
        self.b.add64(steps, SubExp::i64(1))
    }

    /// `if c then a else b` on scalars.
    pub(crate) fn select(&mut self, c: SubExp, a: SubExp, b: SubExp) -> SubExp {
        if c == SubExp::bool(true) || a == b {
            return a;
        }
        if c == SubExp::bool(false) {
            return b;
        }
        let t = self.b.type_of(a);
        let body = |x| Box::new(fehu_ir::Body { stms: vec![], result: vec![x] });
        self.b.bind("t", t, Exp::If(c, body(a), body(b))).into()
    }

    /// `src with path = value`. The source comes last, as it may consume what indices and the value use, unless
    /// they need sizes that it makes.
    pub(crate) fn update(
        &mut self,
        src: &'a tast::Exp,
        path: &'a [Access],
        value: &'a tast::Exp,
    ) -> Res<Value<'a>> {
        if self.makes_sizes(&src.ty) {
            let v = self.exp(src)?;
            let (path, new) = self.updated_part(path, value)?;
            self.update_path(v, &path, new)
        } else {
            let (path, new) = self.updated_part(path, value)?;
            let v = self.exp(src)?;
            self.update_path(v, &path, new)
        }
    }

    fn updated_part(&mut self, path: &'a [Access], value: &'a tast::Exp) -> Res<(Vec<Step>, Value<'a>)> {
        let mut steps = vec![];
        for access in path {
            steps.push(match access {
                Access::Field(f) => Step::Field(*f),
                Access::Index(ixs, span) => Step::Index(self.at(*span, |l| l.indexes(ixs))?, *span),
            });
        }
        Ok((steps, self.exp(value)?))
    }

    /// Whether an expression of this type makes sizes that are in the type.
    fn makes_sizes(&self, t: &types::Type) -> bool {
        match t {
            types::Type::Array(_, n, elem) => self.is_made(n) || self.makes_sizes(elem),
            types::Type::Record(fields) => fields.iter().any(|(_, t)| self.makes_sizes(t)),
            types::Type::Sum(constrs) => constrs.iter().any(|(_, ts)| ts.iter().any(|t| self.makes_sizes(t))),
            types::Type::Var(_, _, args) => args.iter().any(|a| match a {
                TypeArg::Size(n) => self.is_made(n),
                TypeArg::Type(t) => self.makes_sizes(t),
            }),
            types::Type::Scalar(_) | types::Type::Arrow(_) | types::Type::Meta(_) | types::Type::Error => {
                false
            }
        }
    }

    fn is_made(&self, n: &Size) -> bool {
        match n {
            Size::Var(n) => self.env.get(*n).is_none(),
            Size::Exp(e) => self.mentions_unknown(e),
            Size::Const(_) | Size::Any => false,
        }
    }

    fn update_path(&mut self, v: Value<'a>, path: &[Step], value: Value<'a>) -> Res<Value<'a>> {
        match path.split_first() {
            None => Ok(value),
            Some((Step::Field(f), rest)) => {
                let old = project(&v, *f);
                let new = self.update_path(old, rest, value)?;
                Ok(replace_field(&v, *f, new))
            }
            Some((Step::Index(ixs, span), rest)) => {
                let d = self.data(v)?;
                let s = self.at(*span, |l| l.slice(&d, ixs));
                let new = if rest.is_empty() {
                    value
                } else {
                    let mut old = Value::Data(self.certified(s.cert, |l| l.take_slice(&d, &s.dims)));
                    if rest.iter().any(|a| matches!(a, Step::Index(..))) {
                        // The part is updated by itself, and then written back: it must not share
                        // the memory of the whole.
                        old = self.copy(old);
                    }
                    self.update_path(old, rest, value)?
                };
                let new = self.data(new)?;
                let shape = self.update_shape_check(&d, &s, &new);
                let both: Vec<Name> = s.cert.into_iter().chain(shape).collect();
                Ok(Value::Data(self.with_certs(&both, |l| l.write_slice(d, &s.dims, &new))))
            }
        }
    }

    /// The value written must have the shape of the slice.
    fn update_shape_check(&mut self, d: &Data, s: &Sliced, new: &Data) -> Option<Name> {
        let want = sliced_type(&d.ty, &s.dims).dims();
        let have = new.ty.dims();
        let mut conds = vec![];
        for (w, h) in want.iter().zip(&have) {
            let c = self.same_size(w.operand(), h.operand());
            conds.push(c);
        }
        let cond = self.all(&conds);
        let mut message = vec![ErrorPart::Text("Value of shape ".into())];
        let shape = |m: &mut Vec<ErrorPart>, dims: &[Dim]| {
            for x in dims {
                m.push(ErrorPart::Text("[".into()));
                m.push(ErrorPart::Value(x.operand(), ScalarType::I64));
                m.push(ErrorPart::Text("]".into()));
            }
        };
        shape(&mut message, &have);
        message.push(ErrorPart::Text(" cannot be written to slice of shape ".into()));
        shape(&mut message, &want);
        message.push(ErrorPart::Text(".".into()));
        self.check(cond, message)
    }

    fn with_certs<T>(&mut self, certs: &[Name], f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.b.certs.len();
        self.b.certs.extend(certs);
        let result = f(self);
        self.b.certs.truncate(before);
        result
    }

    /// The array with a slice of its outer dimensions replaced.
    pub(crate) fn write_slice(&mut self, d: Data, dims: &[DimIndex], new: &Data) -> Data {
        let leaves = d
            .leaves
            .iter()
            .zip(&new.leaves)
            .map(|(leaf, x)| {
                let SubExp::Var(arr) = leaf else { fehu_base::bug!("update of a constant") };
                let slice = self.full_slice(*leaf, dims);
                let t: Type = self.b.type_of(*leaf);
                self.b.bind("t", t, Exp::Basic(Basic::Update(*arr, slice, *x))).into()
            })
            .collect();
        Data { ty: d.ty, leaves }
    }
}

/// The type of a slice of the outer dimensions.
fn sliced_type(ty: &Ty, dims: &[DimIndex]) -> Ty {
    match dims.split_first() {
        None => ty.clone(),
        Some((first, rest)) => {
            let Ty::Array(_, elem) = ty else { fehu_base::bug!("slice of {ty:?}") };
            match first {
                DimIndex::Fix(_) => sliced_type(elem, rest),
                DimIndex::Slice { len, .. } => Ty::Array(Dim::Known(*len), Rc::new(sliced_type(elem, rest))),
            }
        }
    }
}

/// A record with a field replaced.
fn replace_field<'a>(v: &Value<'a>, field: Symbol, new: Value<'a>) -> Value<'a> {
    let mut fields = fields(v);
    match fields.iter_mut().find(|(f, _)| *f == field) {
        Some((_, value)) => *value = new,
        None => fehu_base::bug!("no field {field}"),
    }
    Value::record(fields)
}
