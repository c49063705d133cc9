//! Flat slices: parts of an array that an offset and a stride for each dimension choose, to be read or updated.
//!
//! The core has them for arrays of scalars. Elements that are arrays themselves, of `w` scalars each, are one
//! more dimension of the array of all these scalars, in which all strides are `w` times as long:
//!
//! ```text
//! flat xs[o; (n, s)], xs : [k][3]i32   ->   let ys = reshape [k * 3] xs
//!                                           let zs = flat ys[o * 3; (n, s * 3), (3, 1)]  in reshape [n][3] zs
//! ```

use crate::code::{Code, Emit};
use crate::value::{names, Data, Dim, Ty, Value};
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, ScalarType};
use fehu_base::Name;
use fehu_ir::{Basic, ErrorPart, Exp, SubExp, Type};
use std::rc::Rc;

/// Size and stride of each dimension.
type Dims = Vec<(SubExp, SubExp)>;

/// A flat slice: offset, then size and stride for each dimension.
pub(crate) fn index(code: &mut Code, xs: Data, offset: SubExp, dims: Dims) -> Value<'static> {
    let Some((n, elem)) = xs.ty.elem() else { fehu_base::bug!("slice of {:?}", xs.ty) };
    let elem = elem.clone();
    let cert = check(code, n, offset, &dims);
    let ty = dims.iter().rev().fold(elem, |t, (len, _)| Ty::Array(Dim::Known(*len), Rc::new(t)));
    let types = ty.leaves();
    let leaves = code.certified(cert, |code| {
        let slice = |(a, t): (Name, Type)| {
            let (a, offset, flat) = of_scalars(code, a, offset, &dims);
            let shape: Vec<SubExp> = flat.iter().map(|(len, _)| *len).collect();
            let slice = Exp::Basic(Basic::FlatIndex(a, offset, flat));
            let slice = code.b.bind("t", t.peel(t.rank()).array_of(&shape), slice);
            shaped(code, slice, t).into()
        };
        names(&xs.leaves).into_iter().zip(types).map(slice).collect()
    });
    Value::Data(Data { ty, leaves })
}

/// A flat update: offset, and stride for each dimension of the value.
pub(crate) fn update(
    code: &mut Code,
    xs: Data,
    offset: SubExp,
    strides: Vec<SubExp>,
    v: Data,
) -> Value<'static> {
    let Some((n, _)) = xs.ty.elem() else { fehu_base::bug!("update of {:?}", xs.ty) };
    let mut dims = vec![];
    let mut ty = &v.ty;
    for s in strides {
        let Some((len, elem)) = ty.elem() else { fehu_base::bug!("update by {:?}", v.ty) };
        dims.push((len, s));
        ty = elem;
    }
    let cert = check(code, n, offset, &dims);
    let values = names(&v.leaves);
    code.certified(cert, |code| {
        let update = |((a, v), t): ((Name, Name), Type)| {
            let (a, offset, flat) = of_scalars(code, a, offset, &dims);
            let shape: Vec<SubExp> = flat.iter().map(|(len, _)| *len).collect();
            let v = shaped(code, v, t.peel(t.rank()).array_of(&shape));
            let whole = code.b.type_of(a.into());
            let updated = code.b.bind("t", whole, Exp::Basic(Basic::FlatUpdate(a, offset, flat, v)));
            shaped(code, updated, t).into()
        };
        let leaves = names(&xs.leaves).into_iter().zip(values).zip(xs.ty.leaves()).map(update).collect();
        Value::Data(Data { ty: xs.ty.clone(), leaves })
    })
}

/// An array as one of scalars, and a slice of it as a slice of that.
fn of_scalars(code: &mut Code, a: Name, offset: SubExp, dims: &Dims) -> (Name, SubExp, Dims) {
    let t = code.b.type_of(a.into());
    let [n, row @ ..] = t.shape() else { fehu_base::bug!("a flat slice of {t:?}") };
    if row.is_empty() {
        return (a, offset, dims.clone());
    }
    let one = SubExp::i64(1);
    let width = row.iter().copied().reduce(|w, d| times(code, w, d)).unwrap_or(one);
    let mut flat: Dims = dims.iter().map(|(len, stride)| (*len, times(code, *stride, width))).collect();
    flat.push((width, one));
    let size = times(code, *n, width);
    let scalars = shaped(code, a, t.peel(t.rank()).array_of(&[size]));
    (scalars, times(code, offset, width), flat)
}

fn times(code: &mut Code, a: SubExp, b: SubExp) -> SubExp {
    code.b.bin(BinOp::Mul(IntType::I64), a, b)
}

/// The same elements in another shape.
fn shaped(code: &mut Code, a: Name, t: Type) -> Name {
    match code.b.type_of(a.into()) == t {
        true => a,
        false => code.b.bind("t", t.clone(), Exp::Basic(Basic::Reshape(t.shape().to_vec(), a))),
    }
}

/// All elements that an LMAD slice touches are inside the array.
fn check(code: &mut Code, n: SubExp, offset: SubExp, dims: &[(SubExp, SubExp)]) -> Option<fehu_base::Name> {
    let ok = code.flat_slice_fits(n, offset, dims);
    let mut message =
        vec![ErrorPart::Text("Flat slice at offset ".into()), ErrorPart::Value(offset, ScalarType::I64)];
    for (len, stride) in dims {
        message.push(ErrorPart::Text(", ".into()));
        message.push(ErrorPart::Value(*len, ScalarType::I64));
        message.push(ErrorPart::Text(":".into()));
        message.push(ErrorPart::Value(*stride, ScalarType::I64));
    }
    message.push(ErrorPart::Text(" out of bounds for array of shape [".into()));
    message.push(ErrorPart::Value(n, ScalarType::I64));
    message.push(ErrorPart::Text("].".into()));
    let sizes: Vec<SubExp> = dims.iter().map(|(len, _)| *len).collect();
    code.check_sizes(ok, message, &sizes)
}
