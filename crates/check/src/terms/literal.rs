//! Literals as values of the type that was found for them.

use super::pre::Sign;
use crate::context::see;
use crate::context::Context;
use crate::named::Named;
use crate::types::Type;
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Diagnostic, Span};
use fehu_syntax::ast::Literal;

/// The value of a literal. One without a suffix must fit its type.
pub(crate) fn value(ctx: &mut Context, l: &Literal, sign: Sign, ty: &Type, span: Span) -> PrimValue {
    let Type::Scalar(scalar, _) = *ty else { return PrimValue::Unit };
    match (l, scalar.prim()) {
        (Literal::Bool(b), _) => PrimValue::Bool(*b),
        (Literal::Int(n, suffix), PrimType::Int(t)) => {
            if suffix.is_none() && !fits(*n, sign, scalar, t) {
                out_of_bounds(ctx, &n.to_string(), sign, scalar, span);
            }
            integer(*n, sign, t)
        }
        (Literal::Char(c), PrimType::Int(t)) => {
            let n = u128::from(u32::from(*c));
            if !fits(n, sign, scalar, t) {
                out_of_bounds(ctx, &n.to_string(), sign, scalar, span);
            }
            integer(n, sign, t)
        }
        (Literal::Int(n, _), PrimType::Float(t)) => float(&n.to_string(), *n as f64, sign, t),
        (Literal::Char(c), PrimType::Float(t)) => float("", f64::from(u32::from(*c)), sign, t),
        (Literal::Float(v, text, suffix), PrimType::Float(t)) => {
            let x = float(text.as_str(), *v, sign, t);
            if suffix.is_none() && x.as_f64().is_some_and(f64::is_infinite) {
                out_of_bounds(ctx, text.as_str(), sign, scalar, span);
            }
            x
        }
        (Literal::Int(..) | Literal::Char(_) | Literal::Float(..) | Literal::String(_), _) => PrimValue::Unit,
    }
}

/// The value with the other sign, where that can be taken back by a negation.
pub(crate) fn negated(v: PrimValue) -> Option<PrimValue> {
    Some(match v {
        PrimValue::I8(v) => PrimValue::I8(v.wrapping_neg()),
        PrimValue::I16(v) => PrimValue::I16(v.wrapping_neg()),
        PrimValue::I32(v) => PrimValue::I32(v.wrapping_neg()),
        PrimValue::I64(v) => PrimValue::I64(v.wrapping_neg()),
        PrimValue::F16(v) => PrimValue::F16(-v),
        PrimValue::F32(v) => PrimValue::F32(-v),
        PrimValue::F64(v) => PrimValue::F64(-v),
        PrimValue::Bool(_) | PrimValue::Unit => return None,
    })
}

fn integer(n: u128, sign: Sign, t: IntType) -> PrimValue {
    let v = n as i64;
    PrimValue::int(t, if sign == Sign::Minus { v.wrapping_neg() } else { v })
}

/// A float; narrower types are rounded once, from the text.
fn float(text: &str, wide: f64, sign: Sign, t: FloatType) -> PrimValue {
    let v = match t {
        FloatType::F32 => text.parse::<f32>().map_or(wide, f64::from),
        FloatType::F16 | FloatType::F64 => wide,
    };
    PrimValue::float(t, if sign == Sign::Minus { -v } else { v })
}

fn fits(n: u128, sign: Sign, scalar: ScalarType, t: IntType) -> bool {
    let bits = t.bits();
    match (scalar.is_unsigned(), sign) {
        (true, Sign::Plus) => n < 1 << bits,
        (true, Sign::Minus) => n == 0,
        (false, Sign::Plus) => n < 1 << (bits - 1),
        (false, Sign::Minus) => n <= 1 << (bits - 1),
    }
}

fn out_of_bounds(ctx: &mut Context, n: &str, sign: Sign, scalar: ScalarType, span: Span) {
    let minus = if sign == Sign::Minus { "-" } else { "" };
    ctx.report(
        Diagnostic::error(
            span,
            format!("Literal {minus}{n} out of bounds for inferred type {}.", scalar.as_str()),
        )
        .note(see(Named::LiteralOutOfBounds))
        .help(format!("write {minus}{n}{} if the value is meant to wrap around", scalar.as_str()))
        .fix("Let the value wrap around", span, format!("{minus}{n}{}", scalar.as_str())),
    );
}
