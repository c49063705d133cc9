//! Mathematical functions that do not fold, as the host computes them: the last bit may differ from that of a
//! compiled program.
//!
//! What folds, folds to the very bits that the C library gives (`fehu_base::ops`); an interpreter may be
//! content with less, and must have a value for everything.

use fehu_base::ops::{MathFn, PrimFn};
use fehu_base::prim::PrimValue;
use half::f16;

/// The value of a function that has no exact one.
pub(super) fn approximate(f: PrimFn, args: &[PrimValue]) -> Option<PrimValue> {
    match args {
        [PrimValue::F16(x)] => Some(PrimValue::F16(f16::from_f32(single(f.op, x.to_f32())?))),
        [PrimValue::F32(x)] => Some(PrimValue::F32(single(f.op, *x)?)),
        [PrimValue::F64(x)] => Some(PrimValue::F64(double(f.op, *x)?)),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn single(op: MathFn, x: f32) -> Option<f32> {
    Some(match op {
        MathFn::Asinh => libm::asinhf(x),
        MathFn::Acosh => libm::acoshf(x),
        MathFn::Atanh => libm::atanhf(x),
        MathFn::Erf => libm::erff(x),
        MathFn::Erfc => libm::erfcf(x),
        MathFn::Gamma => libm::tgammaf(x),
        MathFn::LGamma => libm::lgammaf(x),
        _ => return None,
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn double(op: MathFn, x: f64) -> Option<f64> {
    Some(match op {
        MathFn::Asinh => libm::asinh(x),
        MathFn::Acosh => libm::acosh(x),
        MathFn::Atanh => libm::atanh(x),
        MathFn::Erf => libm::erf(x),
        MathFn::Erfc => libm::erfc(x),
        MathFn::Gamma => libm::tgamma(x),
        MathFn::LGamma => libm::lgamma(x),
        _ => return None,
    })
}
