//! Scalar operators and functions: the surface's overloaded names to the core's
//! operators, with the checks that division and powers need.

use crate::exp::float_type;
use crate::lowerer::{Lowerer, Res};
use crate::value::{Data, InstArg, Ty, TypeBinding, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{PrimType, ScalarType};
use fehu_base::Symbol;
use fehu_ir::{Basic, ErrorPart, Exp, SubExp, Type};

/// The core's function of a name, if it is one.
pub(crate) fn math_fn(name: &str, s: ScalarType) -> Option<MathFn> {
    use MathFn::*;
    let unsigned = s.is_unsigned();
    Some(match name {
        "sqrt" => Sqrt,
        "cbrt" => Cbrt,
        "rsqrt" => Rsqrt,
        "exp" => Exp,
        "exp2" => Exp2,
        "exp10" => Exp10,
        "expm1" => Expm1,
        "log" => Log,
        "log2" => Log2,
        "log10" => Log10,
        "log1p" => Log1p,
        "sin" => Sin,
        "cos" => Cos,
        "tan" => Tan,
        "asin" => Asin,
        "acos" => Acos,
        "atan" => Atan,
        "sinh" => Sinh,
        "cosh" => Cosh,
        "tanh" => Tanh,
        "asinh" => Asinh,
        "acosh" => Acosh,
        "atanh" => Atanh,
        "sinpi" => SinPi,
        "cospi" => CosPi,
        "tanpi" => TanPi,
        "asinpi" => AsinPi,
        "acospi" => AcosPi,
        "atanpi" => AtanPi,
        "atan2" => Atan2,
        "atan2pi" => Atan2Pi,
        "hypot" => Hypot,
        "gamma" => Gamma,
        "lgamma" => LGamma,
        "erf" => Erf,
        "erfc" => Erfc,
        "floor" => Floor,
        "ceil" => Ceil,
        "round" => Round,
        "trunc" => Trunc,
        "fma" => Fma,
        "mad" => Mad,
        "lerp" => Lerp,
        "isnan" => IsNan,
        "isinf" => IsInf,
        "to_bits" => ToBits,
        "from_bits" => FromBits,
        "nextafter" => NextAfter,
        "ldexp" => Ldexp,
        "copysign" => CopySign,
        "popc" => Popc,
        "clz" => Clz,
        "ctz" => Ctz,
        "mul_hi" if unsigned => UMulHi,
        "mul_hi" => SMulHi,
        "mad_hi" if unsigned => UMadHi,
        "mad_hi" => SMadHi,
        _ => return None,
    })
}

impl<'a> Lowerer<'a> {
    /// An overloaded scalar function, if the name is one.
    pub(crate) fn scalar_intrinsic(
        &mut self,
        name: Symbol,
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
        if name.as_str() == "convert" {
            let Some(InstArg::Type(TypeBinding::Ty(Ty::Scalar(to)))) = inst.get(1) else {
                return Err(self.unsupported("a conversion to an unknown type"));
            };
            return Ok(Some(Value::scalar(*to, self.convert(s, *to, xs[0]))));
        }
        if let Some(f) = math_fn(name.as_str(), s) {
            return Ok(Some(self.math(f, s, inst, xs)));
        }
        if let Some(v) = self.unary(name.as_str(), s, &xs) {
            return Ok(Some(v));
        }
        match xs.as_slice() {
            [x, y] => self.binary(name.as_str(), s, *x, *y),
            _ => Ok(None),
        }
    }

    fn math(&mut self, f: MathFn, s: ScalarType, inst: &[InstArg<'a>], xs: Vec<SubExp>) -> Value<'a> {
        // The result's surface type: the integer of the same width for bits, else what the core says.
        let at = match f {
            MathFn::FromBits => match inst.get(1) {
                Some(InstArg::Type(TypeBinding::Ty(Ty::Scalar(to)))) => to.prim(),
                Some(_) | None => match s.prim() {
                    PrimType::Int(t) => float_of_width(t.bits()),
                    other => other,
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
        if let Some(v) = constants.and_then(|vs| fun.eval(&vs)) {
            return Value::scalar(surface, SubExp::Const(v));
        }
        let r = self.b.bind("t", Type::Prim(result), Exp::Basic(Basic::PrimFn(fun, xs)));
        Value::scalar(surface, r.into())
    }

    fn unary(&mut self, name: &str, s: ScalarType, xs: &[SubExp]) -> Option<Value<'a>> {
        let [x] = xs else { return None };
        let op = match (name, s.prim()) {
            ("abs", PrimType::Int(_)) if s.is_unsigned() => return Some(Value::scalar(s, *x)),
            ("abs", PrimType::Int(t)) => UnOp::Abs(t),
            ("abs", PrimType::Float(t)) => UnOp::FAbs(t),
            ("sgn", PrimType::Int(t)) if s.is_unsigned() => UnOp::USignum(t),
            ("sgn", PrimType::Int(t)) => UnOp::SSignum(t),
            ("sgn", PrimType::Float(t)) => UnOp::FSignum(t),
            _ => return None,
        };
        Some(Value::scalar(s, self.b.un(op, *x)))
    }

    fn binary(&mut self, name: &str, s: ScalarType, x: SubExp, y: SubExp) -> Res<Option<Value<'a>>> {
        if let Some(c) = self.comparison(name, s, x, y) {
            return Ok(Some(Value::scalar(ScalarType::Bool, c)));
        }
        let Some(op) = binop(name, s) else { return Ok(None) };
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
                let zero = self.b.cmp(CmpOp::Eq(PrimType::Int(t)), y, SubExp::int(t, 0));
                let ok = self.b.un(UnOp::Not, zero);
                self.check(ok, vec![ErrorPart::Text("division by zero".into())])
            }
            (BinOp::Pow(t), _) if !s.is_unsigned() => {
                let ok = self.b.cmp(CmpOp::SLe(t), SubExp::int(t, 0), y);
                self.check(ok, vec![ErrorPart::Text("negative exponent".into())])
            }
            _ => None,
        };
        let r = self.certified(cert, |l| l.b.bin(op, x, y));
        let v = Value::scalar(s, r);
        Ok(Some(if r.name().is_none() { self.depending(cert, v) } else { v }))
    }

    fn comparison(&mut self, name: &str, s: ScalarType, x: SubExp, y: SubExp) -> Option<SubExp> {
        let (lt, le) = match s.prim() {
            PrimType::Int(t) if s.is_unsigned() => (CmpOp::ULt(t), CmpOp::ULe(t)),
            PrimType::Int(t) => (CmpOp::SLt(t), CmpOp::SLe(t)),
            PrimType::Float(t) => (CmpOp::FLt(t), CmpOp::FLe(t)),
            PrimType::Bool | PrimType::Unit => (CmpOp::BLt, CmpOp::BLe),
        };
        Some(match name {
            "==" => self.b.cmp(CmpOp::Eq(s.prim()), x, y),
            "!=" => {
                let eq = self.b.cmp(CmpOp::Eq(s.prim()), x, y);
                self.b.un(UnOp::Not, eq)
            }
            "<" => self.b.cmp(lt, x, y),
            "<=" => self.b.cmp(le, x, y),
            ">" => self.b.cmp(lt, y, x),
            ">=" => self.b.cmp(le, y, x),
            _ => return None,
        })
    }

    /// Converts between scalar types.
    pub(crate) fn convert(&mut self, from: ScalarType, to: ScalarType, x: SubExp) -> SubExp {
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
        self.b.conv(op, x)
    }
}

fn binop(name: &str, s: ScalarType) -> Option<BinOp> {
    let u = s.is_unsigned();
    if let Some(f) = float_type(s) {
        return Some(match name {
            "+" => BinOp::FAdd(f),
            "-" => BinOp::FSub(f),
            "*" => BinOp::FMul(f),
            "/" => BinOp::FDiv(f),
            "%" => BinOp::FMod(f),
            "**" => BinOp::FPow(f),
            "min" => BinOp::FMin(f),
            "max" => BinOp::FMax(f),
            _ => return None,
        });
    }
    let PrimType::Int(t) = s.prim() else {
        return match name {
            "min" | "&" | "&&" => Some(BinOp::LogAnd),
            "max" | "|" | "||" => Some(BinOp::LogOr),
            _ => None,
        };
    };
    Some(match name {
        "+" => BinOp::Add(t),
        "-" => BinOp::Sub(t),
        "*" => BinOp::Mul(t),
        "/" if u => BinOp::UDiv(t),
        "/" => BinOp::SDiv(t),
        "%" if u => BinOp::UMod(t),
        "%" => BinOp::SMod(t),
        "//" if u => BinOp::UDiv(t),
        "//" => BinOp::SQuot(t),
        "%%" if u => BinOp::UMod(t),
        "%%" => BinOp::SRem(t),
        "**" => BinOp::Pow(t),
        "&" => BinOp::And(t),
        "|" => BinOp::Or(t),
        "^" => BinOp::Xor(t),
        "<<" => BinOp::Shl(t),
        ">>" if u => BinOp::LShr(t),
        ">>" => BinOp::AShr(t),
        ">>>" => BinOp::LShr(t),
        "min" if u => BinOp::UMin(t),
        "min" => BinOp::SMin(t),
        "max" if u => BinOp::UMax(t),
        "max" => BinOp::SMax(t),
        _ => return None,
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
