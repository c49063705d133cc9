//! The functions that the compiler itself provides, as the module `intrinsics`: one list for the checker,
//! which gives them types, and for lowering, which gives them meaning.
//!
//! ```text
//! intrinsics.hist_2d      Intrinsic::HigherOrder(HigherOrder::Hist(2))      5 arguments
//! intrinsics.iota         Intrinsic::Array(ArrayFn::Iota)                1 argument
//! +                       Intrinsic::Operator(Operator::Add)             2 arguments
//! ```
//!
//! A new one needs a line in [`NAMES`] and, where its arguments differ from those of its kind, in its
//! `arity`; its type in `crates/check/prelude/intrinsics.fut` (or, if it works on several scalar types, in
//! the checker's tables); its meaning in `lower/intrinsics.rs`.

use crate::ops::MathFn;

/// A built-in function, or the type of accumulators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Intrinsic {
    /// An overloaded function of two scalars.
    Operator(Operator),
    /// A function of the mathematics library. Those that differ for signed and unsigned numbers are named by
    /// the signed one.
    Math(MathFn),
    /// From any scalar type to any other.
    Convert,
    Abs,
    Sgn,
    /// A function that takes functions, or accumulators.
    HigherOrder(HigherOrder),
    /// A function that makes arrays of numbers and of other arrays.
    Array(ArrayFn),
    /// A derivative: all take three arguments.
    Derivative(Derivative),
    /// The type of accumulators.
    Acc,
}

/// A function that takes functions, or accumulators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum HigherOrder {
    Map,
    Reduce,
    ReduceComm,
    Scan,
    Filter,
    /// By so many predicates.
    Partition(usize),
    Flatmap,
    /// Of so many dimensions.
    Scatter(usize),
    /// Of so many dimensions.
    Hist(usize),
    AccWrite,
    ScatterStream,
    HistStream,
}

/// A function that makes arrays of numbers and of other arrays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ArrayFn {
    /// A slice by offset and strides, of so many dimensions.
    FlatIndex(usize),
    /// The same, replaced.
    FlatUpdate(usize),
    Zip,
    Unzip,
    Iota,
    Replicate,
    Concat,
    Rotate,
    Transpose,
    Flatten,
    Unflatten,
    Manifest,
    Copy,
}

/// A derivative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Derivative {
    Jvp,
    Vjp,
    Jmp,
    Mjp,
    WithTape,
}

/// An overloaded function of two scalars of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    /// Division rounded towards negative infinity, and of floating-point numbers.
    Div,
    Mod,
    /// Division rounded towards zero.
    Quot,
    Rem,
    Pow,
    And,
    Or,
    Xor,
    Shl,
    /// Fills with the sign of signed numbers.
    Shr,
    /// Fills with zeros.
    ShrZeros,
    Min,
    Max,
    LogAnd,
    LogOr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// All of them, by name.
pub const NAMES: [(&str, Intrinsic); 122] = {
    use Intrinsic::{Abs, Acc, Array, Convert, Derivative as D, HigherOrder as H, Math, Operator as O, Sgn};
    use {self::ArrayFn as A, self::Derivative as Diff, self::HigherOrder as F, self::Operator as Op};
    [
        ("+", O(Op::Add)),
        ("-", O(Op::Sub)),
        ("*", O(Op::Mul)),
        ("/", O(Op::Div)),
        ("%", O(Op::Mod)),
        ("//", O(Op::Quot)),
        ("%%", O(Op::Rem)),
        ("**", O(Op::Pow)),
        ("&", O(Op::And)),
        ("|", O(Op::Or)),
        ("^", O(Op::Xor)),
        ("<<", O(Op::Shl)),
        (">>", O(Op::Shr)),
        (">>>", O(Op::ShrZeros)),
        ("min", O(Op::Min)),
        ("max", O(Op::Max)),
        ("&&", O(Op::LogAnd)),
        ("||", O(Op::LogOr)),
        ("<", O(Op::Lt)),
        ("<=", O(Op::Le)),
        (">", O(Op::Gt)),
        (">=", O(Op::Ge)),
        ("==", O(Op::Eq)),
        ("!=", O(Op::Ne)),
        ("abs", Abs),
        ("sgn", Sgn),
        ("convert", Convert),
        ("sqrt", Math(MathFn::Sqrt)),
        ("cbrt", Math(MathFn::Cbrt)),
        ("rsqrt", Math(MathFn::Rsqrt)),
        ("exp", Math(MathFn::Exp)),
        ("exp2", Math(MathFn::Exp2)),
        ("exp10", Math(MathFn::Exp10)),
        ("expm1", Math(MathFn::Expm1)),
        ("log", Math(MathFn::Log)),
        ("log2", Math(MathFn::Log2)),
        ("log10", Math(MathFn::Log10)),
        ("log1p", Math(MathFn::Log1p)),
        ("sin", Math(MathFn::Sin)),
        ("cos", Math(MathFn::Cos)),
        ("tan", Math(MathFn::Tan)),
        ("asin", Math(MathFn::Asin)),
        ("acos", Math(MathFn::Acos)),
        ("atan", Math(MathFn::Atan)),
        ("sinh", Math(MathFn::Sinh)),
        ("cosh", Math(MathFn::Cosh)),
        ("tanh", Math(MathFn::Tanh)),
        ("asinh", Math(MathFn::Asinh)),
        ("acosh", Math(MathFn::Acosh)),
        ("atanh", Math(MathFn::Atanh)),
        ("sinpi", Math(MathFn::SinPi)),
        ("cospi", Math(MathFn::CosPi)),
        ("tanpi", Math(MathFn::TanPi)),
        ("asinpi", Math(MathFn::AsinPi)),
        ("acospi", Math(MathFn::AcosPi)),
        ("atanpi", Math(MathFn::AtanPi)),
        ("atan2", Math(MathFn::Atan2)),
        ("atan2pi", Math(MathFn::Atan2Pi)),
        ("hypot", Math(MathFn::Hypot)),
        ("gamma", Math(MathFn::Gamma)),
        ("lgamma", Math(MathFn::LGamma)),
        ("erf", Math(MathFn::Erf)),
        ("erfc", Math(MathFn::Erfc)),
        ("floor", Math(MathFn::Floor)),
        ("ceil", Math(MathFn::Ceil)),
        ("round", Math(MathFn::Round)),
        ("trunc", Math(MathFn::Trunc)),
        ("fma", Math(MathFn::Fma)),
        ("mad", Math(MathFn::Mad)),
        ("lerp", Math(MathFn::Lerp)),
        ("isnan", Math(MathFn::IsNan)),
        ("isinf", Math(MathFn::IsInf)),
        ("to_bits", Math(MathFn::ToBits)),
        ("from_bits", Math(MathFn::FromBits)),
        ("nextafter", Math(MathFn::NextAfter)),
        ("ldexp", Math(MathFn::Ldexp)),
        ("copysign", Math(MathFn::CopySign)),
        ("popc", Math(MathFn::Popc)),
        ("clz", Math(MathFn::Clz)),
        ("ctz", Math(MathFn::Ctz)),
        ("mul_hi", Math(MathFn::SMulHi)),
        ("mad_hi", Math(MathFn::SMadHi)),
        ("map", H(F::Map)),
        ("reduce", H(F::Reduce)),
        ("reduce_comm", H(F::ReduceComm)),
        ("scan", H(F::Scan)),
        ("filter", H(F::Filter)),
        ("partition", H(F::Partition(1))),
        ("partition2", H(F::Partition(2))),
        ("flatmap", H(F::Flatmap)),
        ("scatter", H(F::Scatter(1))),
        ("scatter_2d", H(F::Scatter(2))),
        ("scatter_3d", H(F::Scatter(3))),
        ("hist_1d", H(F::Hist(1))),
        ("hist_2d", H(F::Hist(2))),
        ("hist_3d", H(F::Hist(3))),
        ("flat_index_2d", Array(A::FlatIndex(2))),
        ("flat_index_3d", Array(A::FlatIndex(3))),
        ("flat_index_4d", Array(A::FlatIndex(4))),
        ("flat_update_2d", Array(A::FlatUpdate(2))),
        ("flat_update_3d", Array(A::FlatUpdate(3))),
        ("flat_update_4d", Array(A::FlatUpdate(4))),
        ("zip", Array(A::Zip)),
        ("unzip", Array(A::Unzip)),
        ("iota", Array(A::Iota)),
        ("replicate", Array(A::Replicate)),
        ("concat", Array(A::Concat)),
        ("rotate", Array(A::Rotate)),
        ("transpose", Array(A::Transpose)),
        ("flatten", Array(A::Flatten)),
        ("unflatten", Array(A::Unflatten)),
        ("manifest", Array(A::Manifest)),
        ("copy", Array(A::Copy)),
        ("acc", Acc),
        ("acc_write", H(F::AccWrite)),
        ("scatter_stream", H(F::ScatterStream)),
        ("hist_stream", H(F::HistStream)),
        ("jvp2", D(Diff::Jvp)),
        ("vjp2", D(Diff::Vjp)),
        ("jmp2", D(Diff::Jmp)),
        ("mjp2", D(Diff::Mjp)),
        ("with_vjp_tape", D(Diff::WithTape)),
    ]
};

impl Intrinsic {
    /// The one of this name in the module `intrinsics`.
    pub fn named(text: &str) -> Option<Intrinsic> {
        NAMES.iter().find(|(name, _)| *name == text).map(|(_, i)| *i)
    }

    /// Its name in the module `intrinsics`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, i)| *i == self).map_or("", |(name, _)| name)
    }

    /// Whether it compares values of any type for equality.
    pub fn is_equality(self) -> bool {
        matches!(self, Intrinsic::Operator(Operator::Eq | Operator::Ne))
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        match self {
            Intrinsic::Acc => 0,
            Intrinsic::Math(f) => f.arity(),
            Intrinsic::Convert | Intrinsic::Abs | Intrinsic::Sgn => 1,
            Intrinsic::Operator(_) => 2,
            Intrinsic::HigherOrder(f) => f.arity(),
            Intrinsic::Array(f) => f.arity(),
            Intrinsic::Derivative(_) => 3,
        }
    }
}

impl HigherOrder {
    fn arity(self) -> usize {
        match self {
            HigherOrder::Partition(predicates) => predicates + 1,
            HigherOrder::Map | HigherOrder::Filter | HigherOrder::Flatmap => 2,
            HigherOrder::Reduce
            | HigherOrder::ReduceComm
            | HigherOrder::Scan
            | HigherOrder::Scatter(_)
            | HigherOrder::AccWrite
            | HigherOrder::ScatterStream => 3,
            HigherOrder::Hist(_) | HigherOrder::HistStream => 5,
        }
    }
}

impl ArrayFn {
    fn arity(self) -> usize {
        match self {
            ArrayFn::Unzip
            | ArrayFn::Iota
            | ArrayFn::Transpose
            | ArrayFn::Flatten
            | ArrayFn::Manifest
            | ArrayFn::Copy => 1,
            ArrayFn::Zip | ArrayFn::Replicate | ArrayFn::Concat | ArrayFn::Rotate => 2,
            ArrayFn::Unflatten => 3,
            // The array and the offset, then size and stride, or stride, of each dimension.
            ArrayFn::FlatIndex(rank) => 2 + 2 * rank,
            ArrayFn::FlatUpdate(rank) => 3 + rank,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_intrinsics_are_one_to_one() {
        for (name, i) in NAMES {
            assert_eq!((Intrinsic::named(name), i.name()), (Some(i), name));
        }
    }
}
