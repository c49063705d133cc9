//! Operations on scalars: each operand gets the result's adjoint, times the partial derivative.
//!
//! ```text
//! let (z) = fmul(x, y)        x' += z' * y        y' += z' * x
//! let (z) = f32_to_f64(x)     x' += f64_to_f32(z')
//! let (z) = fmin(x, y)        x' += if x <= y then z' else 0        y' += if y < x then z' else 0
//! ```

use super::adjoints::multiplication;
use super::Reverse;
use crate::partials::{operands, partials, select, Partial};
use fehu_base::ops::{ConvOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::PrimType;
use fehu_ir::{Basic, Exp, SubExp, Type};

impl Reverse<'_> {
    /// The contributions of `z`, which an operation gives, to its operands.
    pub(super) fn scalar(&mut self, z: SubExp, op: &Basic, seed: SubExp) {
        let xs = operands(op);
        let wanted: Vec<bool> = xs.iter().map(|x| self.is_active(*x)).collect();
        let all = partials(&mut self.b, op, z, &wanted);
        let mut taken: Option<SubExp> = None;
        for (nth, (x, partial)) in xs.iter().zip(all).enumerate() {
            let Some(p) = self.b.type_of(*x).elem() else { fehu_base::bug!("{x:?} is no scalar") };
            let part = match partial {
                Partial::Zero => continue,
                Partial::One => seed,
                Partial::Minus => self.negative(p, seed),
                Partial::Times(by) => self.b.bin(multiplication(p), seed, by),
                Partial::When(cond) => {
                    // The first whose condition holds counts.
                    let zero = SubExp::Const(p.blank());
                    let rest = match taken {
                        None => seed,
                        Some(before) => select(&mut self.b, before, zero, seed),
                    };
                    taken = taken.or(Some(cond));
                    select(&mut self.b, cond, rest, zero)
                }
                Partial::Same => self.transposed(op, nth, seed),
            };
            self.add(*x, part);
        }
    }

    fn negative(&mut self, p: PrimType, x: SubExp) -> SubExp {
        match p {
            PrimType::Int(t) => self.b.un(UnOp::Neg(t), x),
            PrimType::Float(t) => self.b.un(UnOp::FNeg(t), x),
            PrimType::Bool | PrimType::Unit => x,
        }
    }

    /// The transposed of an operation that is linear in an operand.
    fn transposed(&mut self, op: &Basic, nth: usize, seed: SubExp) -> SubExp {
        if let Basic::Conv(conv, _) = op {
            return self.b.conv(opposite(*conv), seed);
        }
        let Basic::PrimFn(f, xs) = op else { fehu_base::bug!("{op:?} is not linear") };
        let back = match f.op == MathFn::ToBits {
            true => MathFn::FromBits,
            false if f.op == MathFn::FromBits => MathFn::ToBits,
            false => f.op,
        };
        let f = PrimFn { op: back, at: f.at };
        let mut xs = xs.clone();
        xs[nth] = seed;
        self.b.bind("t", Type::Prim(f.signature().1), Exp::Basic(Basic::PrimFn(f, xs))).into()
    }
}

/// The conversion back.
fn opposite(op: ConvOp) -> ConvOp {
    match op {
        ConvOp::ZExt(a, b) => ConvOp::ZExt(b, a),
        ConvOp::SExt(a, b) => ConvOp::SExt(b, a),
        ConvOp::FPConv(a, b) => ConvOp::FPConv(b, a),
        ConvOp::FPToUI(f, i) => ConvOp::UIToFP(i, f),
        ConvOp::FPToSI(f, i) => ConvOp::SIToFP(i, f),
        ConvOp::UIToFP(i, f) => ConvOp::FPToUI(f, i),
        ConvOp::SIToFP(i, f) => ConvOp::FPToSI(f, i),
        ConvOp::IToB(i) => ConvOp::BToI(i),
        ConvOp::BToI(i) => ConvOp::IToB(i),
        ConvOp::FToB(f) => ConvOp::BToF(f),
        ConvOp::BToF(f) => ConvOp::FToB(f),
    }
}
