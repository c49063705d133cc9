//! Scalar operators and functions: the surface's overloaded names to the core's
//! operators, with the checks that division and powers need.

use crate::code::{Code, Emit, Res};
use crate::value::{Data, InstArg, Ty, TypeBinding, Value};
use fehu_base::intrinsic::{Intrinsic, Operator};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{FloatType, PrimType, ScalarType};
use fehu_ir::{Basic, ErrorPart, Exp, SubExp, Type};

/// An overloaded scalar function, if the built-in function is one and its arguments are scalars.
pub(crate) fn scalar_intrinsic<'a>(
    code: &mut Code,
    intrinsic: Intrinsic,
    inst: &[InstArg<'a>],
    args: &[Value<'a>],
) -> Res<Option<Value<'a>>> {
    let mut xs = vec![];
    let mut first = None;
    for a in args {
        let Value::Data(Data { ty: Ty::Scalar(s), leaves }) = a else { return Ok(None) };
        first.get_or_insert(*s);
        xs.push(leaves[0]);
    }
    let Some(s) = first else { return Ok(None) };
    match (intrinsic, xs.as_slice()) {
        (Intrinsic::Convert, _) => {
            let Some(InstArg::Type(TypeBinding::Ty(Ty::Scalar(to)))) = inst.get(1) else {
                return Err(code.unsupported("a conversion to an unknown type"));
            };
            Ok(Some(Value::scalar(*to, convert(code, s, *to, xs[0]))))
        }
        (Intrinsic::Math(f), _) => Ok(Some(math(code, at_sign(f, s), s, inst, xs))),
        (Intrinsic::Abs, [x]) => Ok(Some(abs(code, s, *x))),
        (Intrinsic::Sgn, [x]) => Ok(Some(sgn(code, s, *x))),
        (Intrinsic::Operator(op), [x, y]) => binary(code, op, s, *x, *y),
        _ => Ok(None),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn math<'a>(code: &mut Code, f: MathFn, s: ScalarType, inst: &[InstArg<'a>], xs: Vec<SubExp>) -> Value<'a> {
    // The result's surface type: the integer of the same width for bits, else what the core says.
    let at = match f {
        MathFn::FromBits => match inst.get(1) {
            Some(InstArg::Type(TypeBinding::Ty(Ty::Scalar(to)))) => to.prim(),
            Some(_) | None => match s.prim() {
                PrimType::Int(t) => float_of_width(t.bits()),
                other @ (PrimType::Float(_) | PrimType::Bool | PrimType::Unit) => other,
            },
        },
        _ => s.prim(),
    };
    let fun = PrimFn { op: f, at };
    let (_, result) = fun.signature();
    let surface = match (f, inst.get(1)) {
        (MathFn::ToBits | MathFn::FromBits, Some(InstArg::Type(TypeBinding::Ty(Ty::Scalar(to))))) => *to,
        (MathFn::ToBits, _) => unsigned_of(result),
        (MathFn::Popc | MathFn::Clz | MathFn::Ctz, _) => ScalarType::I32,
        _ if result == s.prim() => s,
        _ => signed_of(result),
    };
    let constants: Option<Vec<_>> = xs
        .iter()
        .map(|x| match x {
            SubExp::Const(v) => Some(*v),
            SubExp::Var(_) => None,
        })
        .collect();
    if let Some(v) = code.b.folded(constants.and_then(|vs| fun.eval(&vs))) {
        return Value::scalar(surface, SubExp::Const(v));
    }
    let r = code.b.bind("t", Type::Prim(result), Exp::Basic(Basic::PrimFn(fun, xs)));
    Value::scalar(surface, r.into())
}

fn abs(code: &mut Code, s: ScalarType, x: SubExp) -> Value<'static> {
    let op = match s.prim() {
        PrimType::Int(t) if !s.is_unsigned() => UnOp::Abs(t),
        PrimType::Float(t) => UnOp::FAbs(t),
        PrimType::Int(_) | PrimType::Bool | PrimType::Unit => return Value::scalar(s, x),
    };
    Value::scalar(s, code.b.un(op, x))
}

fn sgn(code: &mut Code, s: ScalarType, x: SubExp) -> Value<'static> {
    let op = match s.prim() {
        PrimType::Int(t) if s.is_unsigned() => UnOp::USignum(t),
        PrimType::Int(t) => UnOp::SSignum(t),
        PrimType::Float(t) => UnOp::FSignum(t),
        PrimType::Bool | PrimType::Unit => return Value::scalar(s, x),
    };
    Value::scalar(s, code.b.un(op, x))
}

fn binary(
    code: &mut Code,
    operator: Operator,
    s: ScalarType,
    x: SubExp,
    y: SubExp,
) -> Res<Option<Value<'static>>> {
    if let Some(c) = comparison(code, operator, s, x, y) {
        return Ok(Some(Value::scalar(ScalarType::Bool, c)));
    }
    let Some(op) = binop(operator, s) else { return Ok(None) };
    let cert = match (op, s.prim()) {
        (
            BinOp::SDiv(t)
            | BinOp::SMod(t)
            | BinOp::SQuot(t)
            | BinOp::SRem(t)
            | BinOp::UDiv(t)
            | BinOp::UMod(t),
            _,
        ) => {
            let zero = code.b.cmp(CmpOp::Eq(PrimType::Int(t)), y, SubExp::int(t, 0));
            let ok = code.b.un(UnOp::Not, zero);
            code.check(ok, vec![ErrorPart::Text("division by zero".into())])
        }
        (BinOp::Pow(t), _) if !s.is_unsigned() => {
            let ok = code.b.cmp(CmpOp::SLe(t), SubExp::int(t, 0), y);
            code.check(ok, vec![ErrorPart::Text("negative exponent".into())])
        }
        _ => None,
    };
    let r = code.certified(cert, |l| l.b.bin(op, x, y));
    let v = Value::scalar(s, r);
    Ok(Some(if r.name().is_none() { code.depending(cert, v) } else { v }))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn comparison(code: &mut Code, operator: Operator, s: ScalarType, x: SubExp, y: SubExp) -> Option<SubExp> {
    let (lt, le) = match s.prim() {
        PrimType::Int(t) if s.is_unsigned() => (CmpOp::ULt(t), CmpOp::ULe(t)),
        PrimType::Int(t) => (CmpOp::SLt(t), CmpOp::SLe(t)),
        PrimType::Float(t) => (CmpOp::FLt(t), CmpOp::FLe(t)),
        PrimType::Bool | PrimType::Unit => (CmpOp::BLt, CmpOp::BLe),
    };
    Some(match operator {
        Operator::Eq => code.b.cmp(CmpOp::Eq(s.prim()), x, y),
        Operator::Ne => {
            let eq = code.b.cmp(CmpOp::Eq(s.prim()), x, y);
            code.b.un(UnOp::Not, eq)
        }
        Operator::Lt => code.b.cmp(lt, x, y),
        Operator::Le => code.b.cmp(le, x, y),
        Operator::Gt => code.b.cmp(lt, y, x),
        Operator::Ge => code.b.cmp(le, y, x),
        _ => return None,
    })
}

/// Converts between scalar types.
pub(crate) fn convert(code: &mut Code, from: ScalarType, to: ScalarType, x: SubExp) -> SubExp {
    use PrimType::{Bool, Float, Int, Unit};
    let op = match (from.prim(), to.prim()) {
        (a, b) if a == b => return x,
        // Sign extension is for signed to signed; either side unsigned widens with zeros.
        (Int(a), Int(b)) if from.is_unsigned() || to.is_unsigned() => ConvOp::ZExt(a, b),
        (Int(a), Int(b)) => ConvOp::SExt(a, b),
        (Int(a), Float(b)) if from.is_unsigned() => ConvOp::UIToFP(a, b),
        (Int(a), Float(b)) => ConvOp::SIToFP(a, b),
        (Float(a), Int(b)) if to.is_unsigned() => ConvOp::FPToUI(a, b),
        (Float(a), Int(b)) => ConvOp::FPToSI(a, b),
        (Float(a), Float(b)) => ConvOp::FPConv(a, b),
        (Bool, Int(b)) => ConvOp::BToI(b),
        (Bool, Float(b)) => ConvOp::BToF(b),
        (Int(a), Bool) => ConvOp::IToB(a),
        (Float(a), Bool) => ConvOp::FToB(a),
        (Bool | Unit, Bool | Unit) | (Unit, _) | (_, Unit) => return x,
    };
    code.b.conv(op, x)
}

/// The function that differs for unsigned numbers.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn at_sign(f: MathFn, s: ScalarType) -> MathFn {
    match f {
        MathFn::SMulHi if s.is_unsigned() => MathFn::UMulHi,
        MathFn::SMadHi if s.is_unsigned() => MathFn::UMadHi,
        _ => f,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn binop(operator: Operator, s: ScalarType) -> Option<BinOp> {
    let u = s.is_unsigned();
    if let Some(f) = float_type(s) {
        return Some(match operator {
            Operator::Add => BinOp::FAdd(f),
            Operator::Sub => BinOp::FSub(f),
            Operator::Mul => BinOp::FMul(f),
            Operator::Div => BinOp::FDiv(f),
            Operator::Mod => BinOp::FMod(f),
            Operator::Pow => BinOp::FPow(f),
            Operator::Min => BinOp::FMin(f),
            Operator::Max => BinOp::FMax(f),
            _ => return None,
        });
    }
    let PrimType::Int(t) = s.prim() else {
        return match operator {
            Operator::Min | Operator::And | Operator::LogAnd => Some(BinOp::LogAnd),
            Operator::Max | Operator::Or | Operator::LogOr => Some(BinOp::LogOr),
            _ => None,
        };
    };
    Some(match operator {
        Operator::Add => BinOp::Add(t),
        Operator::Sub => BinOp::Sub(t),
        Operator::Mul => BinOp::Mul(t),
        Operator::Div if u => BinOp::UDiv(t),
        Operator::Div => BinOp::SDiv(t),
        Operator::Mod if u => BinOp::UMod(t),
        Operator::Mod => BinOp::SMod(t),
        Operator::Quot if u => BinOp::UDiv(t),
        Operator::Quot => BinOp::SQuot(t),
        Operator::Rem if u => BinOp::UMod(t),
        Operator::Rem => BinOp::SRem(t),
        Operator::Pow => BinOp::Pow(t),
        Operator::And => BinOp::And(t),
        Operator::Or => BinOp::Or(t),
        Operator::Xor => BinOp::Xor(t),
        Operator::Shl => BinOp::Shl(t),
        Operator::Shr if u => BinOp::LShr(t),
        Operator::Shr => BinOp::AShr(t),
        Operator::ShrZeros => BinOp::LShr(t),
        Operator::Min if u => BinOp::UMin(t),
        Operator::Min => BinOp::SMin(t),
        Operator::Max if u => BinOp::UMax(t),
        Operator::Max => BinOp::SMax(t),
        Operator::LogAnd
        | Operator::LogOr
        | Operator::Lt
        | Operator::Le
        | Operator::Gt
        | Operator::Ge
        | Operator::Eq
        | Operator::Ne => return None,
    })
}

fn float_of_width(bits: u32) -> PrimType {
    use fehu_base::prim::FloatType;
    PrimType::Float(match bits {
        16 => FloatType::F16,
        32 => FloatType::F32,
        _ => FloatType::F64,
    })
}

fn signed_of(p: PrimType) -> ScalarType {
    ScalarType::ALL.into_iter().find(|s| s.prim() == p && !s.is_unsigned()).unwrap_or(ScalarType::Bool)
}

fn unsigned_of(p: PrimType) -> ScalarType {
    ScalarType::ALL.into_iter().find(|s| s.prim() == p && s.is_unsigned()).unwrap_or(ScalarType::Bool)
}

/// The float width of a scalar type.
fn float_type(s: ScalarType) -> Option<FloatType> {
    match s.prim() {
        PrimType::Float(t) => Some(t),
        PrimType::Int(_) | PrimType::Bool | PrimType::Unit => None,
    }
}
