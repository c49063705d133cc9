//! Slices of arrays: which elements they have, whether they are inside, and updates of them.
//!
//! In: arrays and indices that have been evaluated. Out: the part, or the array with the part replaced.
//!
//! ```text
//! xs[lo:hi]     assert (0 <= lo <= hi <= n || lo == hi);  index xs [lo : hi - lo : 1]
//! ```

use crate::arrays;
use crate::code::{Code, Emit, Res};
use crate::value::{fields, project, Data, Dim, Ty, Value};
use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Name, Span, Symbol};
use fehu_ir::{Basic, DimIndex, ErrorPart, Exp, SubExp, Type};
use std::rc::Rc;

const I: IntType = IntType::I64;

/// An index whose parts have been evaluated.
pub(crate) enum At {
    Fix(SubExp),
    Slice { lo: Option<SubExp>, hi: Option<SubExp>, stride: Option<SubExp> },
}

/// A step to the part that is updated, with the place that the user gave it.
pub(crate) enum Step {
    Field(Symbol),
    Index(Vec<At>, Span),
}

/// A slice whose checks have been made: one entry for each indexed dimension.
pub(crate) struct Sliced {
    pub(crate) dims: Vec<DimIndex>,
    pub(crate) cert: Option<Name>,
}

impl Code {
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
    pub(crate) fn slice(&mut self, d: &Data, ixs: &[At]) -> Sliced {
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
                    let (dim, ok) = slice_dim(self, *n, *lo, *hi, *stride);
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
        let sizes: Vec<SubExp> = dims.iter().filter_map(DimIndex::length).collect();
        let cert = self.check_sizes(cond, text, &sizes);
        Sliced { dims, cert }
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

/// A slice of a dimension of this size, and whether it is inside.
fn slice_dim(
    code: &mut Code,
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
            let len = code.b.sub64(end, start);
            let mut conds = vec![];
            if lo.is_some() {
                conds.push(code.b.cmp(CmpOp::SLe(I), zero, start));
            }
            if lo.is_some() || hi.is_some() {
                conds.push(code.b.cmp(CmpOp::SLe(I), start, end));
            }
            if hi.is_some() {
                conds.push(code.b.cmp(CmpOp::SLe(I), end, n));
            }
            let ok = code.all(&conds);
            // An empty slice touches nothing, so that it may stand anywhere; one that begins or ends with
            // the array has been accepted already.
            let anywhere = lo.is_some_and(|x| x.as_i64() != Some(0)) && hi.is_some();
            let ok = if anywhere && ok != SubExp::bool(true) {
                let empty = code.same_size(start, end);
                code.b.bin(BinOp::LogOr, ok, empty)
            } else {
                ok
            };
            (DimIndex::Slice { start, len, stride: one }, ok)
        }
        Some(s) => {
            // With a negative stride the defaults are the last element and one before the first.
            let negative = code.b.cmp(CmpOp::SLt(I), s, zero);
            let last = code.b.sub64(n, one);
            let start = match lo {
                Some(x) => x,
                None => code.select(negative, last, zero),
            };
            let end = match hi {
                Some(x) => x,
                None => code.select(negative, SubExp::i64(-1), n),
            };
            let len = slice_size(code, start, end, s);
            let nonzero = code.b.cmp(CmpOp::Eq(PrimType::I64), s, zero);
            let nonzero = code.b.un(UnOp::Not, nonzero);
            // Backwards, a slice ends before the first element at the latest, so that distances do not wrap
            // around. Forwards, there is nothing to wrap where the start is inside.
            let forwards = code.b.cmp(CmpOp::SLe(I), start, end);
            let backwards = code.b.cmp(CmpOp::SLe(I), end, start);
            let not_before = code.b.cmp(CmpOp::SLe(I), SubExp::i64(-1), end);
            let backwards = code.all(&[backwards, not_before]);
            let ordered = code.select(negative, backwards, forwards);
            // The first and last element touched are inside; an empty slice touches nothing.
            let first = code.in_bounds(start, n);
            let steps = code.b.sub64(len, one);
            let reach = code.b.mul64(steps, s);
            let last_touched = code.b.add64(start, reach);
            let last_ok = code.in_bounds(last_touched, n);
            let inside = code.all(&[first, last_ok, ordered]);
            let empty = code.same_size(start, end);
            let ok = match empty {
                SubExp::Const(PrimValue::Bool(true)) => empty,
                _ if inside == SubExp::bool(true) => inside,
                SubExp::Var(_) | SubExp::Const(_) => code.b.bin(BinOp::LogOr, empty, inside),
            };
            let ok = code.all(&[nonzero, ok]);
            (DimIndex::Slice { start, len, stride: s }, ok)
        }
    }
}

/// The number of elements from `start` to `end`, exclusive, with a stride: the distance divided, rounded up.
/// Of no meaning where the stride is 0 or leads elsewhere, for which the check comes later.
fn slice_size(code: &mut Code, start: SubExp, end: SubExp, stride: SubExp) -> SubExp {
    match stride.as_i64() {
        Some(1) => return code.b.sub64(end, start),
        Some(-1) => return code.b.sub64(start, end),
        _ => {}
    }
    let safe = match stride.as_i64() {
        Some(0) => SubExp::i64(1),
        Some(_) => stride,
        None => {
            let is_zero = code.b.cmp(CmpOp::Eq(PrimType::I64), stride, SubExp::i64(0));
            code.select(is_zero, SubExp::i64(1), stride)
        }
    };
    // One less before the division, which rounds down, and one more after it: nothing wraps around.
    let distance = code.b.sub64(end, start);
    let sign = code.b.un(UnOp::SSignum(I), safe);
    let below = code.b.sub64(distance, sign);
    let steps = code.b.bin(BinOp::SDiv(I), below, safe);
    code.b.add64(steps, SubExp::i64(1))
}

pub(crate) fn update_path<'a>(
    code: &mut Code,
    v: Value<'a>,
    path: &[Step],
    value: Value<'a>,
) -> Res<Value<'a>> {
    match path.split_first() {
        None => Ok(value),
        Some((Step::Field(f), rest)) => {
            let old = project(&v, *f);
            let new = update_path(code, old, rest, value)?;
            Ok(replace_field(&v, *f, new))
        }
        Some((Step::Index(ixs, span), rest)) => {
            let d = code.data(v)?;
            let s = code.at(*span, |l| l.slice(&d, ixs));
            let new = if rest.is_empty() {
                value
            } else {
                let mut old = Value::Data(code.certified(s.cert, |l| l.take_slice(&d, &s.dims)));
                if rest.iter().any(|a| matches!(a, Step::Index(..))) {
                    // The part is updated by itself, and then written back: it must not share
                    // the memory of the whole.
                    old = arrays::copy(code, old);
                }
                update_path(code, old, rest, value)?
            };
            let new = code.data(new)?;
            let shape = update_shape_check(code, &d, &s, &new);
            let both: Vec<Name> = s.cert.into_iter().chain(shape).collect();
            Ok(Value::Data(with_certs(code, &both, |l| l.write_slice(d, &s.dims, &new))))
        }
    }
}

/// The value written must have the shape of the slice.
fn update_shape_check(code: &mut Code, d: &Data, s: &Sliced, new: &Data) -> Option<Name> {
    let want = sliced_type(&d.ty, &s.dims).dims();
    let have = new.ty.dims();
    let mut conds = vec![];
    for (w, h) in want.iter().zip(&have) {
        let c = code.same_size(w.operand(), h.operand());
        conds.push(c);
    }
    let cond = code.all(&conds);
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
    code.check(cond, message)
}

fn with_certs<T>(code: &mut Code, certs: &[Name], f: impl FnOnce(&mut Code) -> T) -> T {
    let before = code.b.certs.len();
    code.b.certs.extend(certs);
    let result = f(code);
    code.b.certs.truncate(before);
    result
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
