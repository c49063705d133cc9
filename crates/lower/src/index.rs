//! Indexing, slicing and in-place updates.

use crate::code::{Emit, Res};
use crate::lowerer::Lowerer;
use crate::slices::{self, At, Step};
use crate::value::{Ty, Value};
use fehu_base::ops::ConvOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_check::tast::{self, Access, Index};
use fehu_check::types::{self, Size, TypeArg};
use fehu_ir::SubExp;

const I: IntType = IntType::I64;

/// `a[i, j:k]`.
pub(crate) fn index_exp<'a>(cx: &mut Lowerer<'a>, a: &'a tast::Exp, ixs: &'a [Index]) -> Res<Value<'a>> {
    let v = cx.exp(a)?;
    let d = cx.code.data(v)?;
    let at = indexes(cx, ixs)?;
    let s = cx.code.slice(&d, &at);
    Ok(Value::Data(cx.certified(s.cert, |l| l.code.take_slice(&d, &s.dims))))
}

/// Evaluates indices.
fn indexes<'a>(cx: &mut Lowerer<'a>, ixs: &'a [Index]) -> Res<Vec<At>> {
    let mut evaluated = vec![];
    for ix in ixs {
        evaluated.push(match ix {
            Index::Fix(e) => At::Fix(index_operand(cx, e)?),
            Index::Slice { lo, hi, stride } => {
                let mut part =
                    |e: &'a Option<tast::Exp>| e.as_ref().map(|e| index_operand(cx, e)).transpose();
                At::Slice { lo: part(lo)?, hi: part(hi)?, stride: part(stride)? }
            }
        });
    }
    Ok(evaluated)
}

/// An index, of any integer type, as `i64`.
fn index_operand<'a>(cx: &mut Lowerer<'a>, e: &'a tast::Exp) -> Res<SubExp> {
    let v = cx.exp(e)?;
    let d = cx.code.data(v)?;
    let Ty::Scalar(s) = d.ty else { fehu_base::bug!("index of type {:?}", d.ty) };
    let PrimType::Int(t) = s.prim() else { fehu_base::bug!("index of type {s}") };
    let x = d.leaves[0];
    if t == I {
        return Ok(x);
    }
    Ok(cx.code.b.conv(if s.is_unsigned() { ConvOp::ZExt(t, I) } else { ConvOp::SExt(t, I) }, x))
}

/// `src with path = value`. The source comes last, as it may consume what indices and the value use, unless
/// they need sizes that it makes.
pub(crate) fn update<'a>(
    cx: &mut Lowerer<'a>,
    src: &'a tast::Exp,
    path: &'a [Access],
    value: &'a tast::Exp,
) -> Res<Value<'a>> {
    if makes_sizes(cx, &src.ty) {
        let v = cx.exp(src)?;
        let (path, new) = updated_part(cx, path, value)?;
        slices::update_path(&mut cx.code, v, &path, new)
    } else {
        let (path, new) = updated_part(cx, path, value)?;
        let v = cx.exp(src)?;
        slices::update_path(&mut cx.code, v, &path, new)
    }
}

fn updated_part<'a>(
    cx: &mut Lowerer<'a>,
    path: &'a [Access],
    value: &'a tast::Exp,
) -> Res<(Vec<Step>, Value<'a>)> {
    let mut steps = vec![];
    for access in path {
        steps.push(match access {
            Access::Field(f) => Step::Field(*f),
            Access::Index(ixs, span) => Step::Index(cx.at(*span, |l| indexes(l, ixs))?, *span),
        });
    }
    Ok((steps, cx.exp(value)?))
}

/// Whether an expression of this type makes sizes that are in the type.
fn makes_sizes(cx: &Lowerer<'_>, t: &types::Type) -> bool {
    match t {
        types::Type::Array(_, n, elem) => is_made(cx, n) || makes_sizes(cx, elem),
        types::Type::Record(fields) => fields.iter().any(|(_, t)| makes_sizes(cx, t)),
        types::Type::Sum(constrs) => constrs.iter().any(|(_, ts)| ts.iter().any(|t| makes_sizes(cx, t))),
        types::Type::Var(_, _, args) => args.iter().any(|a| match a {
            TypeArg::Size(n) => is_made(cx, n),
            TypeArg::Type(t) => makes_sizes(cx, t),
        }),
        types::Type::Scalar(..) | types::Type::Arrow(_) | types::Type::Meta(_) | types::Type::Error => false,
    }
}

fn is_made(cx: &Lowerer<'_>, n: &Size) -> bool {
    match n {
        Size::Var(n) => cx.env.get(*n).is_none(),
        Size::Exp(e) => cx.mentions_unknown(e),
        Size::Const(_) | Size::Any => false,
    }
}
