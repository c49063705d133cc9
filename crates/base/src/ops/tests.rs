use super::*;
use crate::prim::PrimValue;
use half::f16;
use std::collections::HashSet;
use IntType::{I16, I32, I64, I8};
use PrimValue::Bool;

fn i8(v: i8) -> PrimValue {
    PrimValue::I8(v)
}

fn i32(v: i32) -> PrimValue {
    PrimValue::I32(v)
}

fn i64(v: i64) -> PrimValue {
    PrimValue::I64(v)
}

fn f16(v: f32) -> PrimValue {
    PrimValue::F16(f16::from_f32(v))
}

fn f32(v: f32) -> PrimValue {
    PrimValue::F32(v)
}

fn f64(v: f64) -> PrimValue {
    PrimValue::F64(v)
}

const F32: FloatType = FloatType::F32;
const F64: FloatType = FloatType::F64;
const F16: FloatType = FloatType::F16;

/// Values at the edges of a type, for brute-force laws.
fn edges(t: PrimType) -> Vec<PrimValue> {
    match t {
        PrimType::Int(t) => {
            let ints = [0, 1, -1, 2, 7, -7, i64::MIN >> (64 - t.bits()), i64::MAX >> (64 - t.bits())];
            ints.map(|v| PrimValue::int(t, v)).to_vec()
        }
        PrimType::Float(t) => {
            let inf = f64::INFINITY;
            let floats = [0.0, -0.0, 1.0, -1.0, 0.1, 2.5, 1e30, -3e-6, f64::NAN, inf, -inf];
            floats.map(|v| PrimValue::float(t, v)).to_vec()
        }
        PrimType::Bool => vec![Bool(false), Bool(true)],
        PrimType::Unit => vec![PrimValue::Unit],
    }
}

/// Equal bits, or both NaN.
fn same(a: PrimValue, b: PrimValue) -> bool {
    a == b || matches!((a.as_f64(), b.as_f64()), (Some(a), Some(b)) if a.is_nan() && b.is_nan())
}

#[test]
fn names_are_unique_and_read_back() {
    let mut seen = HashSet::new();
    let mut check = |name: String, back: Option<String>| {
        assert_eq!(back.as_ref(), Some(&name));
        assert!(seen.insert(name.clone()), "{name} is taken");
    };
    for op in UnOp::all() {
        check(op.to_string(), op.to_string().parse::<UnOp>().ok().map(|o| o.to_string()));
    }
    for op in BinOp::all() {
        check(op.to_string(), op.to_string().parse::<BinOp>().ok().map(|o| o.to_string()));
    }
    for op in CmpOp::all() {
        check(op.to_string(), op.to_string().parse::<CmpOp>().ok().map(|o| o.to_string()));
    }
    for op in ConvOp::all() {
        check(op.to_string(), op.to_string().parse::<ConvOp>().ok().map(|o| o.to_string()));
    }
    for op in PrimFn::all() {
        check(op.to_string(), op.to_string().parse::<PrimFn>().ok().map(|o| o.to_string()));
    }
    assert_eq!("add_i32".parse(), Ok(BinOp::Add(I32)));
    assert_eq!("fptosi_f32_i8".parse(), Ok(ConvOp::FPToSI(F32, I8)));
    assert_eq!("add_f32".parse::<BinOp>(), Err(UnknownOperator));
    assert_eq!("sqrt_i32".parse::<PrimFn>(), Err(UnknownOperator));
}

#[test]
fn results_have_the_result_type() {
    for op in UnOp::all() {
        for x in edges(op.operand_type()) {
            assert_eq!(op.eval(x).map(|v| v.prim_type()), Some(op.result_type()), "{op} {x}");
        }
    }
    for op in ConvOp::all() {
        for x in edges(op.operand_type()) {
            assert_eq!(op.eval(x).map(|v| v.prim_type()), Some(op.result_type()), "{op} {x}");
        }
    }
    for op in BinOp::all() {
        for a in edges(op.operand_type()) {
            for b in edges(op.operand_type()) {
                match op.eval(a, b) {
                    Some(v) => assert_eq!(v.prim_type(), op.result_type(), "{op} {a} {b}"),
                    None => assert!(op.is_partial() && b.as_i64() == Some(0), "{op} {a} {b}"),
                }
            }
        }
    }
    for op in PrimFn::all() {
        let (params, result) = op.signature();
        assert_eq!(params.len(), op.op.arity());
        for seed in 0..11 {
            let pick = |(i, &t): (usize, &PrimType)| edges(t)[(seed + 3 * i) % edges(t).len()];
            let args: Vec<PrimValue> = params.iter().enumerate().map(pick).collect();
            if let Some(v) = op.eval(&args) {
                assert_eq!(v.prim_type(), result, "{op} {args:?}");
            }
        }
    }
}

#[test]
fn laws_hold_on_the_edges() {
    for op in BinOp::all() {
        let values = edges(op.operand_type());
        for &a in &values {
            if let Some(e) = op.neutral() {
                assert!(same(op.eval(a, e).unwrap(), a) && same(op.eval(e, a).unwrap(), a), "{op} {e} {a}");
            }
            if let Some(e) = op.right_neutral() {
                assert!(same(op.eval(a, e).unwrap(), a), "{op} {a} {e}");
            }
            if let Some(z) = op.absorbing() {
                assert!(same(op.eval(a, z).unwrap(), z) && same(op.eval(z, a).unwrap(), z), "{op} {z} {a}");
            }
            if op.is_idempotent() {
                assert!(same(op.eval(a, a).unwrap(), a), "{op} {a}");
            }
            for &b in &values {
                if op.is_commutative() {
                    assert!(same(op.eval(a, b).unwrap(), op.eval(b, a).unwrap()), "{op} {a} {b}");
                }
                for &c in &values {
                    if op.is_associative() {
                        let left = op.eval(op.eval(a, b).unwrap(), c).unwrap();
                        let right = op.eval(a, op.eval(b, c).unwrap()).unwrap();
                        assert!(same(left, right), "{op} {a} {b} {c}");
                    }
                }
            }
        }
    }
}

#[test]
fn wrong_types_have_no_value() {
    assert_eq!(BinOp::Add(I32).eval(i32(1), i64(1)), None);
    assert_eq!(UnOp::Neg(I8).eval(i32(1)), None);
    assert_eq!(PrimFn { op: MathFn::Sqrt, at: PrimType::Float(F32) }.eval(&[f64(4.0)]), None);
    assert_eq!(PrimFn { op: MathFn::Sqrt, at: PrimType::Float(F32) }.eval(&[]), None);
}

#[test]
fn integers_wrap() {
    assert_eq!(BinOp::Add(I8).eval(i8(127), i8(1)), Some(i8(-128)));
    assert_eq!(BinOp::Mul(I32).eval(i32(1 << 18), i32(1 << 18)), Some(i32(0)));
    assert_eq!(UnOp::Neg(I8).eval(i8(-128)), Some(i8(-128)));
    assert_eq!(UnOp::Abs(I8).eval(i8(-128)), Some(i8(-128)));
    assert_eq!(UnOp::Neg(I64).eval(i64(i64::MIN)), Some(i64(i64::MIN)));
    assert_eq!(BinOp::Pow(I32).eval(i32(47), i32(6)), Some(i32(-2105686559)));
    assert_eq!(BinOp::Pow(I8).eval(i8(3), i8(-56)), Some(i8(-95)), "an unsigned exponent of 200");
    assert_eq!(BinOp::Pow(I64).eval(i64(0), i64(0)), Some(i64(1)));
}

#[test]
fn division_rounds_as_named() {
    let cases = [(7, 3), (-7, 3), (7, -3), (-7, -3)];
    let run = |op: BinOp| cases.map(|(a, b)| op.eval(i8(a), i8(b)).unwrap());
    assert_eq!(run(BinOp::SDiv(I8)), [2, -3, -3, 2].map(i8));
    assert_eq!(run(BinOp::SMod(I8)), [1, 2, -2, -1].map(i8));
    assert_eq!(run(BinOp::SQuot(I8)), [2, -2, -2, 2].map(i8));
    assert_eq!(run(BinOp::SRem(I8)), [1, -1, 1, -1].map(i8));
    for t in [I8, I16, I32, I64] {
        let (min, minus_one) = (edges(PrimType::Int(t))[6], PrimValue::int(t, -1));
        let zero = PrimValue::int(t, 0);
        assert_eq!(BinOp::SDiv(t).eval(min, minus_one), Some(min));
        assert_eq!(BinOp::SQuot(t).eval(min, minus_one), Some(min));
        assert_eq!(BinOp::SMod(t).eval(min, minus_one), Some(zero));
        assert_eq!(BinOp::SRem(t).eval(min, minus_one), Some(zero));
        assert_eq!(BinOp::UMod(t).eval(min, zero), None);
    }
    assert_eq!(BinOp::UDiv(I8).eval(i8(-1), i8(2)), Some(i8(127)));
}

#[test]
fn shifts_past_the_width_lose_every_bit() {
    assert_eq!(BinOp::Shl(I8).eval(i8(-3), i8(7)), Some(i8(-128)));
    for amount in [8, 32, 64, 100, -1] {
        assert_eq!(BinOp::Shl(I8).eval(i8(-3), i8(amount)), Some(i8(0)));
        assert_eq!(BinOp::LShr(I8).eval(i8(-3), i8(amount)), Some(i8(0)));
        assert_eq!(BinOp::AShr(I8).eval(i8(-3), i8(amount)), Some(i8(-1)));
    }
    assert_eq!(BinOp::Shl(I64).eval(i64(1), i64(64)), Some(i64(0)));
    assert_eq!(BinOp::AShr(I64).eval(i64(-5), i64(64)), Some(i64(-1)));
    assert_eq!(BinOp::LShr(I32).eval(i32(-1), i32(31)), Some(i32(1)));
}

#[test]
fn comparisons_see_signs_as_named() {
    assert_eq!(CmpOp::SLt(I8).eval(i8(-1), i8(0)), Some(true));
    assert_eq!(CmpOp::ULt(I8).eval(i8(-1), i8(0)), Some(false));
    assert_eq!(CmpOp::ULe(I64).eval(i64(0), i64(-1)), Some(true));
    let nan = f32(f32::NAN);
    assert_eq!(CmpOp::Eq(PrimType::Float(F32)).eval(nan, nan), Some(false));
    assert_eq!(CmpOp::Eq(PrimType::Float(F32)).eval(f32(0.0), f32(-0.0)), Some(true));
    assert_eq!(CmpOp::FLe(F32).eval(nan, f32(1.0)), Some(false));
    assert_eq!(CmpOp::BLt.eval(Bool(false), Bool(true)), Some(true));
    assert_eq!(CmpOp::BLt.eval(Bool(true), Bool(true)), Some(false));
    assert_eq!(CmpOp::BLe.eval(Bool(true), Bool(true)), Some(true));
}

#[test]
fn minimum_and_maximum_pass_over_nan() {
    let nan = f32(f32::NAN);
    assert_eq!(BinOp::FMin(F32).eval(nan, f32(1.0)), Some(f32(1.0)));
    assert_eq!(BinOp::FMax(F32).eval(f32(1.0), nan), Some(f32(1.0)));
    assert!(same(BinOp::FMax(F32).eval(nan, nan).unwrap(), nan));
    assert_eq!(BinOp::FMin(F64).eval(f64(0.0), f64(-0.0)), Some(f64(-0.0)));
    assert_eq!(BinOp::FMax(F64).eval(f64(-0.0), f64(0.0)), Some(f64(0.0)));
}

#[test]
fn floats_to_integers() {
    let to = |t, v: f64| ConvOp::FPToSI(F64, t).eval(f64(v)).unwrap();
    for v in [f64::NAN, f64::INFINITY, -f64::INFINITY, 0.9, -0.9, 5e-324] {
        assert_eq!(to(I32, v), i32(0), "{v}");
    }
    assert_eq!([300.0, -300.0, 127.9, -128.9].map(|v| to(I8, v)), [44, -44, 127, -128].map(i8));
    assert_eq!([3e9, -3e9, 1e300, -2147483648.5].map(|v| to(I32, v)), [i32::MIN; 4].map(i32));
    assert_eq!([1e19, -1e300].map(|v| to(I64, v)), [i64::MIN; 2].map(i64));
    assert_eq!([3e9, 1e300].map(|v| to(I8, v)), [0; 2].map(i8));
    assert_eq!(ConvOp::FPToUI(F64, I32).eval(f64(3e9)), Some(i32(3_000_000_000u32 as i32)));
    assert_eq!(to(I64, -9.0e18), i64(-9_000_000_000_000_000_000));
    assert_eq!(ConvOp::FPToUI(F64, I64).eval(f64(1.5e19)), Some(i64(15_000_000_000_000_000_000u64 as i64)));
    assert_eq!(ConvOp::FPToUI(F32, I32).eval(f32(-3.5)), Some(i32(-3)));
}

#[test]
fn half_floats_round_once() {
    let from = |v: f64| f16_from_f64(v).to_f64();
    assert_eq!(from(65519.99), 65504.0);
    assert_eq!(from(65520.0), f64::INFINITY);
    assert_eq!(from(2049.0), 2048.0);
    assert_eq!(from(2051.0), 2052.0);
    assert_eq!(from(2049.0 + 1e-9), 2050.0, "a tie in f32 that is none in f64");
    assert_eq!(from(2051.0 - 1e-9), 2050.0);
    assert_eq!(from(-(2049.0 + 1e-9)), -2050.0);
    assert_eq!(from(1e308), f64::INFINITY);
    assert!(from(f64::NAN).is_nan());
    assert_eq!(BinOp::FAdd(F16).eval(f16(2048.0), f16(1.0)), Some(f16(2048.0)));
    assert_eq!(BinOp::FAdd(F16).eval(f16(65504.0), f16(16.0)), Some(f16(f32::INFINITY)));
    assert_eq!(ConvOp::SIToFP(I64, F16).eval(i64(i64::MAX)), Some(f16(f32::INFINITY)));
    assert_eq!(ConvOp::UIToFP(I8, F16).eval(i8(-1)), Some(f16(255.0)));
    assert_eq!(ConvOp::SIToFP(I64, F32).eval(i64((1 << 53) + 1)), Some(f32(9007199254740992.0)));
}

#[test]
fn functions_at_their_edges() {
    let int = |op, t, args: &[PrimValue]| PrimFn { op, at: PrimType::Int(t) }.eval(args).unwrap();
    assert_eq!(int(MathFn::Clz, I8, &[i8(0)]), i32(8));
    assert_eq!(int(MathFn::Clz, I64, &[i64(-1)]), i32(0));
    assert_eq!(int(MathFn::Ctz, I8, &[i8(0)]), i32(8));
    assert_eq!(int(MathFn::Ctz, I32, &[i32(i32::MIN)]), i32(31));
    assert_eq!(int(MathFn::Popc, I8, &[i8(-1)]), i32(8));
    assert_eq!(int(MathFn::SMulHi, I8, &[i8(2), i8(-128)]), i8(-1));
    assert_eq!(int(MathFn::UMulHi, I8, &[i8(2), i8(-128)]), i8(1));
    assert_eq!(int(MathFn::UMulHi, I64, &[i64(-1), i64(-1)]), i64(-2));
    assert_eq!(int(MathFn::UMadHi, I8, &[i8(8), i8(-128), i8(-1)]), i8(3));
    assert_eq!(int(MathFn::SMadHi, I8, &[i8(13), i8(-128), i8(-1)]), i8(-8));

    let at = |op, t, args: &[PrimValue]| PrimFn { op, at: PrimType::Float(t) }.eval(args);
    assert_eq!(at(MathFn::Round, F32, &[f32(2.5)]), Some(f32(2.0)));
    assert_eq!(at(MathFn::Round, F32, &[f32(-0.5)]), Some(f32(-0.0)));
    assert_eq!(at(MathFn::Erf, F32, &[f32(0.5)]), None);
    assert_eq!(at(MathFn::SinPi, F32, &[f32(0.5)]), Some(f32(1.0)));
    assert_eq!(at(MathFn::CosPi, F32, &[f32(-2.5)]), Some(f32(0.0)));
    assert_eq!(at(MathFn::ToBits, F16, &[f16(-1.0)]), Some(PrimValue::I16(0xbc00u16 as i16)));
    assert_eq!(at(MathFn::FromBits, F32, &[i32(0x7f80_0000)]), Some(f32(f32::INFINITY)));
    assert_eq!(at(MathFn::IsInf, F64, &[f64(f64::NAN)]), Some(Bool(false)));
    assert_eq!(at(MathFn::NextAfter, F64, &[f64(0.0), f64(-1.0)]), Some(f64(-5e-324)));
    assert_eq!(at(MathFn::NextAfter, F32, &[f32(1.0), f32(0.0)]), Some(f32(1.0 - f32::EPSILON / 2.0)));
    assert_eq!(at(MathFn::NextAfter, F16, &[f16(65504.0), f16(f32::INFINITY)]), Some(f16(f32::INFINITY)));
    assert_eq!(at(MathFn::NextAfter, F16, &[f16(-0.0), f16(0.0)]), Some(f16(0.0)));
    assert_eq!(at(MathFn::CopySign, F32, &[f32(1.0), f32(-0.0)]), Some(f32(-1.0)));
    assert_eq!(at(MathFn::Ldexp, F64, &[f64(7.0), i32(-4)]), Some(f64(0.4375)));
    assert_eq!(at(MathFn::Ldexp, F64, &[f64(5e-324), i32(2000)]), Some(f64(2f64.powi(926))));
    assert_eq!(at(MathFn::Ldexp, F64, &[f64(1.5), i32(-1074)]), Some(f64(1e-323)), "ties to even");
    assert_eq!(at(MathFn::Ldexp, F64, &[f64(1e300), i32(i32::MIN)]), Some(f64(0.0)));
    assert_eq!(at(MathFn::Ldexp, F32, &[f32(1.0), i32(1000)]), Some(f32(f32::INFINITY)));
    assert_eq!(at(MathFn::Lerp, F32, &[f32(0.0), f32(10.0), f32(2.0)]), Some(f32(20.0)));
    // 2049 * 2049 needs 23 bits; with 1e-7 added the tie breaks upwards.
    let tie = [f16(1.0 + 1.0 / 1024.0), f16(1.0 + 1.0 / 1024.0), f16(6e-8)];
    assert_eq!(at(MathFn::Fma, F16, &tie), Some(f16(1.0 + 2.0 / 1024.0)));
}

/// The digits of all `f32` whose quotient by this one might be rounded to the wrong side when it is computed
/// by an inverse and one correction.
///
/// Digits are integers of 24 bits, `x` and `y`. Where `x < y`, the middles between two quotients are `m /
/// 2^25` for odd `m` of 25 bits, and where not, `m / 2^24`. With the nearest inverse, the product is off by
/// less than 1.5 units in the last place, and the remainder by less than 2^-47: what is rounded last is off
/// from `x / y` by less than 5 / (2^25 y). So `2^25 x - m y`, which is not 0, is at most 5 in size.
fn close_to_a_middle(y: i64) -> Vec<i64> {
    let zeros = y.trailing_zeros();
    let odd = (y >> zeros) as u64;
    let inverse = (0..6).fold(odd, |i, _| i.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(i))));
    let mut found = vec![];
    for (shift, d) in [24, 25].into_iter().flat_map(|shift| (-8i64..=8).map(move |d| (shift, d))) {
        if d == 0 || d.trailing_zeros() < zeros {
            continue;
        }
        let modulus = 1i64 << (shift - zeros);
        let first = ((-(d >> zeros)) as u64).wrapping_mul(inverse) as i64 & (modulus - 1);
        let middles = (first..1 << 25).step_by(modulus as usize).filter(|m| m & 1 == 1 && *m >= 1 << 24);
        let digits = middles.map(|m| (m * y + d) >> shift);
        found.extend(digits.filter(|x| (1 << 23..1 << 24).contains(x) && (*x < y) == (shift == 25)));
    }
    found
}

#[test]
fn division_by_an_inverse_is_division() {
    let at = |op, args: &[PrimValue]| PrimFn { op, at: PrimType::Float(F32) }.eval(args).unwrap();
    let mut tried = 0;
    // All divisors (a step of 1) take three minutes; there is no other result among them.
    for y in (1i64 << 23..1 << 24).step_by(997) {
        let divisor = f32(y as f32);
        let inverse = at(MathFn::Inverse, &[divisor]);
        for x in close_to_a_middle(y) {
            let quotient = at(MathFn::DivideBy, &[f32(x as f32), divisor, inverse]);
            assert_eq!(quotient, f32(x as f32 / y as f32), "{x} / {y}");
            tried += 1;
        }
    }
    assert!(tried > 40_000, "{tried}");
}
