//! The partial derivatives of operations on scalars: one table, for both modes.
//!
//! ```text
//! z = x * y      ∂z/∂x = y        ∂z/∂y = x            Times(y), Times(x)
//! z = x - y      ∂z/∂x = 1        ∂z/∂y = -1           One, Minus
//! z = exp x      ∂z/∂x = z                             Times(z): the result is used where that costs less
//! z = min x y    1 for the smaller one, 0 for the other  When(x <= y), When(y < x)
//! z = f32 x      conversions are linear                Same
//! ```
//!
//! Conventions where there is no derivative, or more than one:
//!
//! - `min`, `max`: of equal operands the first one counts; if one is NaN, none does.
//! - `abs` at 0, `sgn`, `floor`, `ceil`, `round`, `trunc`: 0. `hypot` at (0, 0): 0. `x ** y` for `x <= 0`, by `y`: 0.
//! - Poles give infinities: `sqrt` and `log` at 0, division by 0.
//! - Integers are differentiated as floats are, rounded as their own operations round; operations on bits
//!   give 0. Conversions
//!   pass on what they are given, converted, and `!` as it is. Comparisons and connectives give nothing.

use fehu_base::ops::{BinOp, CmpOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{FloatType, PrimType};
use fehu_ir::{Basic, Body, Builder, Exp, Soacs, SubExp, Type};
use std::f64::consts::{FRAC_2_SQRT_PI, LN_10, LN_2, PI};

/// How the result of an operation changes with an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Partial {
    /// Not at all, or only in steps.
    Zero,
    /// As much as the operand.
    One,
    /// As much, the other way.
    Minus,
    /// So many times as much.
    Times(SubExp),
    /// As much as the operand if the condition holds, else not at all. Of several operands, the first whose
    /// condition holds counts.
    When(SubExp),
    /// The operation is linear in the operand: it gives the change of the result, if it is given that of the operand.
    Same,
}

/// Whether all partial derivatives of an operation on scalars are 0; of other operations, `false`.
pub fn is_flat(op: &Basic) -> bool {
    match op {
        Basic::CmpOp(..) => true,
        Basic::UnOp(op, _) => match op {
            UnOp::Complement(_) | UnOp::SSignum(_) | UnOp::USignum(_) | UnOp::FSignum(_) => true,
            UnOp::Not | UnOp::Neg(_) | UnOp::FNeg(_) | UnOp::Abs(_) | UnOp::FAbs(_) => false,
        },
        Basic::BinOp(op, ..) => is_of_bits(*op),
        Basic::PrimFn(f, _) => is_step(f.op),
        Basic::SubExp(_)
        | Basic::Opaque(_)
        | Basic::Conv(..)
        | Basic::Assert(..)
        | Basic::ArrayLit(..)
        | Basic::ArrayConst(_)
        | Basic::Index(..)
        | Basic::Update(..)
        | Basic::FlatIndex(..)
        | Basic::FlatUpdate(..)
        | Basic::Iota { .. }
        | Basic::Replicate(..)
        | Basic::Scratch(..)
        | Basic::Copy(_)
        | Basic::Manifest(..)
        | Basic::Concat { .. }
        | Basic::Rearrange(..)
        | Basic::Reshape(..)
        | Basic::UpdateAcc(..) => false,
    }
}

/// Operators on bits and truth values.
fn is_of_bits(op: BinOp) -> bool {
    match op {
        BinOp::Shl(_)
        | BinOp::LShr(_)
        | BinOp::AShr(_)
        | BinOp::And(_)
        | BinOp::Or(_)
        | BinOp::Xor(_)
        | BinOp::LogAnd
        | BinOp::LogOr => true,
        BinOp::Add(_)
        | BinOp::Sub(_)
        | BinOp::Mul(_)
        | BinOp::SDiv(_)
        | BinOp::SMod(_)
        | BinOp::SQuot(_)
        | BinOp::SRem(_)
        | BinOp::UDiv(_)
        | BinOp::UMod(_)
        | BinOp::SMin(_)
        | BinOp::SMax(_)
        | BinOp::UMin(_)
        | BinOp::UMax(_)
        | BinOp::Pow(_)
        | BinOp::FAdd(_)
        | BinOp::FSub(_)
        | BinOp::FMul(_)
        | BinOp::FDiv(_)
        | BinOp::FMod(_)
        | BinOp::FMin(_)
        | BinOp::FMax(_)
        | BinOp::FPow(_) => false,
    }
}

/// Functions that are constant between steps, or work on bits.
fn is_step(f: MathFn) -> bool {
    matches!(
        f,
        MathFn::Floor
            | MathFn::Ceil
            | MathFn::Round
            | MathFn::Trunc
            | MathFn::IsNan
            | MathFn::IsInf
            | MathFn::Popc
            | MathFn::Clz
            | MathFn::Ctz
            | MathFn::SMulHi
            | MathFn::UMulHi
            | MathFn::SMadHi
            | MathFn::UMadHi
    )
}

/// The operands of an operation on scalars; none of other operations.
pub fn operands(op: &Basic) -> Vec<SubExp> {
    match op {
        Basic::UnOp(_, x) | Basic::Conv(_, x) => vec![*x],
        Basic::BinOp(_, x, y) | Basic::CmpOp(_, x, y) => vec![*x, *y],
        Basic::PrimFn(_, xs) => xs.clone(),
        Basic::SubExp(_)
        | Basic::Opaque(_)
        | Basic::Assert(..)
        | Basic::ArrayLit(..)
        | Basic::ArrayConst(_)
        | Basic::Index(..)
        | Basic::Update(..)
        | Basic::FlatIndex(..)
        | Basic::FlatUpdate(..)
        | Basic::Iota { .. }
        | Basic::Replicate(..)
        | Basic::Scratch(..)
        | Basic::Copy(_)
        | Basic::Manifest(..)
        | Basic::Concat { .. }
        | Basic::Rearrange(..)
        | Basic::Reshape(..)
        | Basic::UpdateAcc(..) => vec![],
    }
}

/// The partial derivatives of an operation on scalars by those of its operands that are wanted; `Zero` by the
/// others. What they need is computed by new statements.
pub fn partials(b: &mut Builder<Soacs>, op: &Basic, result: SubExp, wanted: &[bool]) -> Vec<Partial> {
    let by = |(nth, wanted): (usize, &bool)| {
        if !wanted || is_flat(op) {
            return Partial::Zero;
        }
        match op {
            Basic::UnOp(op, x) => unary(b, *op, *x),
            Basic::BinOp(op, x, y) => binary(b, *op, *x, *y, result, nth),
            Basic::Conv(..) => Partial::Same,
            Basic::PrimFn(f, xs) => function(b, *f, xs, result, nth),
            Basic::SubExp(_)
            | Basic::Opaque(_)
            | Basic::CmpOp(..)
            | Basic::Assert(..)
            | Basic::ArrayLit(..)
            | Basic::ArrayConst(_)
            | Basic::Index(..)
            | Basic::Update(..)
            | Basic::FlatIndex(..)
            | Basic::FlatUpdate(..)
            | Basic::Iota { .. }
            | Basic::Replicate(..)
            | Basic::Scratch(..)
            | Basic::Copy(_)
            | Basic::Manifest(..)
            | Basic::Concat { .. }
            | Basic::Rearrange(..)
            | Basic::Reshape(..)
            | Basic::UpdateAcc(..) => fehu_base::bug!("{op:?} is no operation on scalars"),
        }
    };
    wanted.iter().enumerate().map(by).collect()
}

fn unary(b: &mut Builder<Soacs>, op: UnOp, x: SubExp) -> Partial {
    match op {
        UnOp::Neg(_) | UnOp::FNeg(_) => Partial::Minus,
        UnOp::Abs(t) => Partial::Times(b.un(UnOp::SSignum(t), x)),
        UnOp::FAbs(t) => Partial::Times(b.un(UnOp::FSignum(t), x)),
        UnOp::Not => Partial::One,
        UnOp::Complement(_) | UnOp::SSignum(_) | UnOp::USignum(_) | UnOp::FSignum(_) => Partial::Zero,
    }
}

/// `z = x op y`, by `x` or by `y`.
fn binary(b: &mut Builder<Soacs>, op: BinOp, x: SubExp, y: SubExp, z: SubExp, nth: usize) -> Partial {
    let first = nth == 0;
    match op {
        BinOp::Add(_) | BinOp::FAdd(_) => Partial::One,
        BinOp::Sub(_) | BinOp::FSub(_) => match first {
            true => Partial::One,
            false => Partial::Minus,
        },
        BinOp::Mul(_) | BinOp::FMul(_) => Partial::Times(if first { y } else { x }),
        BinOp::SDiv(t) | BinOp::SQuot(t) | BinOp::UDiv(t) => match first {
            true => Partial::Times(b.bin(op, SubExp::int(t, 1), y)),
            false => {
                let ratio = b.bin(op, z, y);
                Partial::Times(b.un(UnOp::Neg(t), ratio))
            }
        },
        BinOp::SMod(t) | BinOp::SRem(t) | BinOp::UMod(t) => match first {
            true => Partial::One,
            false => {
                let division = match op == BinOp::UMod(t) {
                    true => BinOp::UDiv(t),
                    false if op == BinOp::SMod(t) => BinOp::SDiv(t),
                    false => BinOp::SQuot(t),
                };
                let ratio = b.bin(division, x, y);
                Partial::Times(b.un(UnOp::Neg(t), ratio))
            }
        },
        BinOp::SMin(t) | BinOp::SMax(t) | BinOp::UMin(t) | BinOp::UMax(t) => {
            let below = match matches!(op, BinOp::SMin(_) | BinOp::SMax(_)) {
                true => (CmpOp::SLe(t), CmpOp::SLt(t)),
                false => (CmpOp::ULe(t), CmpOp::ULt(t)),
            };
            chosen(b, matches!(op, BinOp::SMin(_) | BinOp::UMin(_)), below, x, y, first)
        }
        BinOp::FMin(t) | BinOp::FMax(t) => {
            chosen(b, matches!(op, BinOp::FMin(_)), (CmpOp::FLe(t), CmpOp::FLt(t)), x, y, first)
        }
        BinOp::Pow(t) => match first {
            true => {
                let less = b.bin(BinOp::Sub(t), y, SubExp::int(t, 1));
                let power = b.bin(op, x, less);
                Partial::Times(b.bin(BinOp::Mul(t), y, power))
            }
            false => Partial::Zero,
        },
        BinOp::FDiv(t) => {
            let inverse = b.bin(op, SubExp::float(t, 1.0), y);
            match first {
                true => Partial::Times(inverse),
                false => {
                    let ratio = b.bin(BinOp::FMul(t), z, inverse);
                    Partial::Times(b.un(UnOp::FNeg(t), ratio))
                }
            }
        }
        BinOp::FMod(t) => match first {
            true => Partial::One,
            false => {
                let mut f = Floats { b, t };
                let ratio = f.bin(BinOp::FDiv(t), x, y);
                let whole = f.call(MathFn::Trunc, vec![ratio]);
                Partial::Times(f.neg(whole))
            }
        },
        BinOp::FPow(t) => power(&mut Floats { b, t }, x, y, z, first),
        BinOp::Shl(_)
        | BinOp::LShr(_)
        | BinOp::AShr(_)
        | BinOp::And(_)
        | BinOp::Or(_)
        | BinOp::Xor(_)
        | BinOp::LogAnd
        | BinOp::LogOr => Partial::Zero,
    }
}

/// Of a minimum or maximum: whether this operand is it.
fn chosen(
    b: &mut Builder<Soacs>,
    least: bool,
    (at_most, below): (CmpOp, CmpOp),
    x: SubExp,
    y: SubExp,
    first: bool,
) -> Partial {
    Partial::When(match (least, first) {
        (true, true) => b.cmp(at_most, x, y),
        (true, false) => b.cmp(below, y, x),
        (false, true) => b.cmp(at_most, y, x),
        (false, false) => b.cmp(below, x, y),
    })
}

/// `z = x ** y`.
fn power(f: &mut Floats<'_>, x: SubExp, y: SubExp, z: SubExp, first: bool) -> Partial {
    let t = f.t;
    let zero = f.num(0.0);
    if first {
        let one = f.num(1.0);
        let less = f.bin(BinOp::FSub(t), y, one);
        let lower = f.bin(BinOp::FPow(t), x, less);
        let slope = f.mul(y, lower);
        let constant = f.b.cmp(CmpOp::Eq(PrimType::Float(t)), y, zero);
        return Partial::Times(f.select(constant, zero, slope));
    }
    let log = f.call(MathFn::Log, vec![x]);
    let slope = f.mul(z, log);
    let outside = f.b.cmp(CmpOp::FLe(t), x, zero);
    Partial::Times(f.select(outside, zero, slope))
}

/// `z = f xs`, by one of the operands.
#[allow(clippy::wildcard_enum_match_arm, reason = "smooth functions of one operand are in `slope`")]
fn function(b: &mut Builder<Soacs>, fun: PrimFn, xs: &[SubExp], z: SubExp, nth: usize) -> Partial {
    let t = match fun.at {
        PrimType::Float(t) => t,
        PrimType::Int(_) | PrimType::Bool | PrimType::Unit => return Partial::Zero,
    };
    let mut f = Floats { b, t };
    let [x, ..] = xs else { fehu_base::bug!("{fun:?} of nothing") };
    let x = *x;
    if let Some(slope) = slope(&mut f, fun.op, x, z) {
        return Partial::Times(slope);
    }
    let times = match fun.op {
        MathFn::Atan2 => f.angle(xs, nth, 1.0),
        MathFn::Atan2Pi => f.angle(xs, nth, 1.0 / PI),
        MathFn::Hypot => {
            let zero = f.num(0.0);
            let ratio = f.div(xs[nth], z);
            let at_origin = f.b.cmp(CmpOp::Eq(fun.at), z, zero);
            f.select(at_origin, zero, ratio)
        }
        MathFn::Fma | MathFn::Mad => match nth {
            0 => xs[1],
            1 => xs[0],
            _ => return Partial::One,
        },
        MathFn::Lerp => match nth {
            0 => f.one_minus(xs[2]),
            1 => xs[2],
            _ => f.bin(BinOp::FSub(t), xs[1], xs[0]),
        },
        MathFn::CopySign if nth == 0 => {
            let one = f.num(1.0);
            let own = f.call(MathFn::CopySign, vec![one, x]);
            let given = f.call(MathFn::CopySign, vec![one, xs[1]]);
            f.mul(own, given)
        }
        MathFn::NextAfter if nth == 0 => return Partial::One,
        MathFn::Ldexp if nth == 0 => return Partial::Same,
        MathFn::ToBits | MathFn::FromBits => return Partial::Same,
        MathFn::CopySign | MathFn::NextAfter | MathFn::Ldexp => return Partial::Zero,
        MathFn::Inverse | MathFn::DivideBy | MathFn::QuotientBy | MathFn::InexactBy => {
            fehu_base::bug!("the derivative of {fun:?}, which only later steps make")
        }
        MathFn::Floor
        | MathFn::Ceil
        | MathFn::Round
        | MathFn::Trunc
        | MathFn::IsNan
        | MathFn::IsInf
        | MathFn::Popc
        | MathFn::Clz
        | MathFn::Ctz
        | MathFn::SMulHi
        | MathFn::UMulHi
        | MathFn::SMadHi
        | MathFn::UMadHi => return Partial::Zero,
        _ => fehu_base::bug!("the derivative of {fun:?}"),
    };
    Partial::Times(times)
}

/// `z = f x`, of functions of one operand that are smooth.
#[allow(clippy::wildcard_enum_match_arm, reason = "all others are in `function`")]
fn slope(f: &mut Floats<'_>, fun: MathFn, x: SubExp, z: SubExp) -> Option<SubExp> {
    Some(match fun {
        MathFn::Sqrt => {
            let half = f.num(0.5);
            f.div(half, z)
        }
        MathFn::Cbrt => {
            let square = f.mul(z, z);
            let triple = f.scaled(square, 3.0);
            f.inverse(triple)
        }
        MathFn::Rsqrt => {
            let square = f.mul(z, z);
            let cube = f.mul(square, z);
            f.scaled(cube, -0.5)
        }
        MathFn::Exp => z,
        MathFn::Exp2 => f.scaled(z, LN_2),
        MathFn::Exp10 => f.scaled(z, LN_10),
        MathFn::Expm1 => f.plus(z, 1.0),
        MathFn::Log => f.inverse(x),
        MathFn::Log2 => f.inverse_scaled(x, LN_2),
        MathFn::Log10 => f.inverse_scaled(x, LN_10),
        MathFn::Log1p => {
            let more = f.plus(x, 1.0);
            f.inverse(more)
        }
        MathFn::Sin => f.call(MathFn::Cos, vec![x]),
        MathFn::Cos => {
            let sin = f.call(MathFn::Sin, vec![x]);
            f.neg(sin)
        }
        MathFn::Tan => {
            let square = f.mul(z, z);
            f.plus(square, 1.0)
        }
        MathFn::Asin => f.arc(x, 1.0),
        MathFn::Acos => f.arc(x, -1.0),
        MathFn::Atan => f.arc_tangent(x, 1.0),
        MathFn::Sinh => f.call(MathFn::Cosh, vec![x]),
        MathFn::Cosh => f.call(MathFn::Sinh, vec![x]),
        MathFn::Tanh => {
            let square = f.mul(z, z);
            f.one_minus(square)
        }
        MathFn::Asinh => {
            let square = f.mul(x, x);
            let more = f.plus(square, 1.0);
            let root = f.call(MathFn::Sqrt, vec![more]);
            f.inverse(root)
        }
        MathFn::Acosh => {
            let square = f.mul(x, x);
            let less = f.plus(square, -1.0);
            let root = f.call(MathFn::Sqrt, vec![less]);
            f.inverse(root)
        }
        MathFn::Atanh => {
            let square = f.mul(x, x);
            let rest = f.one_minus(square);
            f.inverse(rest)
        }
        MathFn::SinPi => {
            let cos = f.call(MathFn::CosPi, vec![x]);
            f.scaled(cos, PI)
        }
        MathFn::CosPi => {
            let sin = f.call(MathFn::SinPi, vec![x]);
            f.scaled(sin, -PI)
        }
        MathFn::TanPi => {
            let square = f.mul(z, z);
            let more = f.plus(square, 1.0);
            f.scaled(more, PI)
        }
        MathFn::AsinPi => f.arc(x, 1.0 / PI),
        MathFn::AcosPi => f.arc(x, -1.0 / PI),
        MathFn::AtanPi => f.arc_tangent(x, 1.0 / PI),
        MathFn::Erf => f.bell(x, FRAC_2_SQRT_PI),
        MathFn::Erfc => f.bell(x, -FRAC_2_SQRT_PI),
        MathFn::Gamma => {
            let log = f.digamma(x);
            f.mul(z, log)
        }
        MathFn::LGamma => f.digamma(x),
        _ => return None,
    })
}

/// One scalar or another.
pub(crate) fn select(b: &mut Builder<Soacs>, cond: SubExp, yes: SubExp, no: SubExp) -> SubExp {
    if cond == SubExp::bool(true) || yes == no {
        return yes;
    }
    if cond == SubExp::bool(false) {
        return no;
    }
    let ty = b.type_of(yes);
    let body = |x| Box::new(Body { stms: vec![], result: vec![x] });
    b.bind("t", ty, Exp::If(cond, body(yes), body(no))).into()
}

/// How many steps up the series of the digamma function is taken.
const DIGAMMA_STEPS: usize = 8;

/// Its coefficients, of `x^-14` to `x^-2`: `B(2k) / 2k`.
const DIGAMMA_TERMS: [f64; 7] =
    [1.0 / 12.0, -691.0 / 32760.0, 1.0 / 132.0, -1.0 / 240.0, 1.0 / 252.0, -1.0 / 120.0, 1.0 / 12.0];

/// Arithmetic at one type of floats.
struct Floats<'b> {
    b: &'b mut Builder<Soacs>,
    t: FloatType,
}

impl Floats<'_> {
    fn num(&self, v: f64) -> SubExp {
        SubExp::float(self.t, v)
    }

    fn bin(&mut self, op: BinOp, x: SubExp, y: SubExp) -> SubExp {
        self.b.bin(op, x, y)
    }

    fn mul(&mut self, x: SubExp, y: SubExp) -> SubExp {
        self.bin(BinOp::FMul(self.t), x, y)
    }

    fn div(&mut self, x: SubExp, y: SubExp) -> SubExp {
        self.bin(BinOp::FDiv(self.t), x, y)
    }

    fn neg(&mut self, x: SubExp) -> SubExp {
        self.b.un(UnOp::FNeg(self.t), x)
    }

    fn scaled(&mut self, x: SubExp, by: f64) -> SubExp {
        let by = self.num(by);
        self.mul(x, by)
    }

    fn plus(&mut self, x: SubExp, v: f64) -> SubExp {
        let v = self.num(v);
        self.bin(BinOp::FAdd(self.t), x, v)
    }

    fn one_minus(&mut self, x: SubExp) -> SubExp {
        let one = self.num(1.0);
        self.bin(BinOp::FSub(self.t), one, x)
    }

    fn inverse(&mut self, x: SubExp) -> SubExp {
        let one = self.num(1.0);
        self.div(one, x)
    }

    fn inverse_scaled(&mut self, x: SubExp, by: f64) -> SubExp {
        let scaled = self.scaled(x, by);
        self.inverse(scaled)
    }

    fn call(&mut self, op: MathFn, xs: Vec<SubExp>) -> SubExp {
        let at = PrimType::Float(self.t);
        let exp = Exp::Basic(Basic::PrimFn(PrimFn { op, at }, xs));
        self.b.bind("t", Type::Prim(at), exp).into()
    }

    fn select(&mut self, cond: SubExp, yes: SubExp, no: SubExp) -> SubExp {
        select(self.b, cond, yes, no)
    }

    /// `by / sqrt(1 - x*x)`
    fn arc(&mut self, x: SubExp, by: f64) -> SubExp {
        let square = self.mul(x, x);
        let rest = self.one_minus(square);
        let root = self.call(MathFn::Sqrt, vec![rest]);
        let by = self.num(by);
        self.div(by, root)
    }

    /// `by / (1 + x*x)`
    fn arc_tangent(&mut self, x: SubExp, by: f64) -> SubExp {
        let square = self.mul(x, x);
        let more = self.plus(square, 1.0);
        let by = self.num(by);
        self.div(by, more)
    }

    /// `by * exp(-x*x)`
    fn bell(&mut self, x: SubExp, by: f64) -> SubExp {
        let square = self.mul(x, x);
        let less = self.neg(square);
        let bell = self.call(MathFn::Exp, vec![less]);
        self.scaled(bell, by)
    }

    /// The derivative of the logarithm of the gamma function. Below a half by reflection, `ψ(x) = ψ(1-x) -
    /// π/tan(πx)`; else by steps up, `ψ(x) = ψ(x+1) - 1/x`, to where few terms of the asymptotic series give
    /// all digits.
    fn digamma(&mut self, x: SubExp) -> SubExp {
        let (half, one) = (self.num(0.5), self.num(1.0));
        let left = self.b.cmp(CmpOp::FLt(self.t), x, half);
        let mirrored = self.one_minus(x);
        let mut at = self.select(left, mirrored, x);
        let mut sum = self.num(0.0);
        for _ in 0..DIGAMMA_STEPS {
            let step = self.div(one, at);
            sum = self.bin(BinOp::FSub(self.t), sum, step);
            at = self.plus(at, 1.0);
        }
        let inverse = self.div(one, at);
        let square = self.mul(inverse, inverse);
        let mut tail = self.num(0.0);
        for term in DIGAMMA_TERMS {
            let more = self.plus(tail, term);
            tail = self.mul(more, square);
        }
        let log = self.call(MathFn::Log, vec![at]);
        let halved = self.scaled(inverse, 0.5);
        for less in [halved, tail] {
            sum = self.bin(BinOp::FSub(self.t), sum, less);
        }
        let right = self.bin(BinOp::FAdd(self.t), sum, log);
        let tan = self.call(MathFn::TanPi, vec![x]);
        let pi = self.num(PI);
        let cot = self.div(pi, tan);
        let reflected = self.bin(BinOp::FSub(self.t), right, cot);
        self.select(left, reflected, right)
    }

    /// `by * (x, -y) / (x*x + y*y)`, of the angle of the point (x, y), by `y` and by `x`
    fn angle(&mut self, yx: &[SubExp], nth: usize, by: f64) -> SubExp {
        let (y, x) = (yx[0], yx[1]);
        let (xx, yy) = (self.mul(x, x), self.mul(y, y));
        let square = self.bin(BinOp::FAdd(self.t), xx, yy);
        let (other, by) = if nth == 0 { (x, by) } else { (y, -by) };
        let above = if by == 1.0 { other } else { self.scaled(other, by) };
        self.div(above, square)
    }
}
