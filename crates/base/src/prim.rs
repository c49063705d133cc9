//! Primitive types and values.
//!
//! There are two vocabularies. The *surface* one ([`ScalarType`]) is the
//! user's: `i32` and `u32` differ. The *core* one ([`PrimType`]) has only
//! widths: `i32` and `u32` are both `Int(I32)`, and it is the operator that is
//! signed or not (see [`crate::ops`]).

use half::f16;
use std::fmt;

/// Integer widths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum IntType {
    I8,
    I16,
    I32,
    I64,
}

/// Float widths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum FloatType {
    F16,
    F32,
    F64,
}

/// Core primitive types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PrimType {
    /// Integers, of either signedness.
    Int(IntType),
    /// Floats.
    Float(FloatType),
    /// Booleans, one byte in memory.
    Bool,
    /// The type of one value; what certificates and empty results have.
    Unit,
}

/// Surface scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum ScalarType {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    Bool,
}

/// A core primitive value. Floats compare and hash by their bits, so that
/// values can be keys; use the operators of [`crate::ops`] to compute.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum PrimValue {
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    F16(f16),
    F32(f32),
    F64(f64),
    Bool(bool),
    Unit,
}

impl IntType {
    /// All widths, ascending.
    pub const ALL: [IntType; 4] = [IntType::I8, IntType::I16, IntType::I32, IntType::I64];

    /// The width in bits.
    pub fn bits(self) -> u32 {
        match self {
            IntType::I8 => 8,
            IntType::I16 => 16,
            IntType::I32 => 32,
            IntType::I64 => 64,
        }
    }
}

impl FloatType {
    /// All widths, ascending.
    pub const ALL: [FloatType; 3] = [FloatType::F16, FloatType::F32, FloatType::F64];

    /// The width in bits.
    pub fn bits(self) -> u32 {
        match self {
            FloatType::F16 => 16,
            FloatType::F32 => 32,
            FloatType::F64 => 64,
        }
    }
}

impl PrimType {
    /// The type of sizes and indices.
    pub const I64: PrimType = PrimType::Int(IntType::I64);
    /// 32-bit integers.
    pub const I32: PrimType = PrimType::Int(IntType::I32);
    /// 8-bit integers.
    pub const I8: PrimType = PrimType::Int(IntType::I8);

    /// Bytes per element in an array.
    pub fn bytes(self) -> u64 {
        match self {
            PrimType::Int(t) => u64::from(t.bits() / 8),
            PrimType::Float(t) => u64::from(t.bits() / 8),
            PrimType::Bool | PrimType::Unit => 1,
        }
    }

    /// A value of the type to stand where none is used: zero, false, unit.
    pub fn blank(self) -> PrimValue {
        match self {
            PrimType::Int(t) => PrimValue::int(t, 0),
            PrimType::Float(t) => PrimValue::float(t, 0.0),
            PrimType::Bool => PrimValue::Bool(false),
            PrimType::Unit => PrimValue::Unit,
        }
    }
}

impl ScalarType {
    /// All scalar types.
    pub const ALL: [ScalarType; 12] = [
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
        ScalarType::U8,
        ScalarType::U16,
        ScalarType::U32,
        ScalarType::U64,
        ScalarType::F16,
        ScalarType::F32,
        ScalarType::F64,
        ScalarType::Bool,
    ];

    /// The type as written.
    pub fn as_str(self) -> &'static str {
        match self {
            ScalarType::I8 => "i8",
            ScalarType::I16 => "i16",
            ScalarType::I32 => "i32",
            ScalarType::I64 => "i64",
            ScalarType::U8 => "u8",
            ScalarType::U16 => "u16",
            ScalarType::U32 => "u32",
            ScalarType::U64 => "u64",
            ScalarType::F16 => "f16",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
            ScalarType::Bool => "bool",
        }
    }

    /// The type a word names.
    pub fn named(text: &str) -> Option<ScalarType> {
        ScalarType::ALL.into_iter().find(|t| t.as_str() == text)
    }

    /// Its representation in the core.
    pub fn prim(self) -> PrimType {
        match self {
            ScalarType::I8 | ScalarType::U8 => PrimType::Int(IntType::I8),
            ScalarType::I16 | ScalarType::U16 => PrimType::Int(IntType::I16),
            ScalarType::I32 | ScalarType::U32 => PrimType::Int(IntType::I32),
            ScalarType::I64 | ScalarType::U64 => PrimType::Int(IntType::I64),
            ScalarType::F16 => PrimType::Float(FloatType::F16),
            ScalarType::F32 => PrimType::Float(FloatType::F32),
            ScalarType::F64 => PrimType::Float(FloatType::F64),
            ScalarType::Bool => PrimType::Bool,
        }
    }

    /// Whether it is `u8`, `u16`, `u32` or `u64`.
    pub fn is_unsigned(self) -> bool {
        matches!(self, ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64)
    }

    /// Whether it is an integer type of either signedness.
    pub fn is_integer(self) -> bool {
        matches!(self.prim(), PrimType::Int(_))
    }

    /// Whether it is a float type.
    pub fn is_float(self) -> bool {
        matches!(self.prim(), PrimType::Float(_))
    }
}

impl PrimValue {
    /// Whether it is a floating-point number that is none.
    pub fn is_nan(self) -> bool {
        match self {
            PrimValue::F16(x) => x.is_nan(),
            PrimValue::F32(x) => x.is_nan(),
            PrimValue::F64(x) => x.is_nan(),
            PrimValue::I8(_)
            | PrimValue::I16(_)
            | PrimValue::I32(_)
            | PrimValue::I64(_)
            | PrimValue::Bool(_)
            | PrimValue::Unit => false,
        }
    }

    /// An integer of a width, truncated to it.
    pub fn int(t: IntType, v: i64) -> PrimValue {
        match t {
            IntType::I8 => PrimValue::I8(v as i8),
            IntType::I16 => PrimValue::I16(v as i16),
            IntType::I32 => PrimValue::I32(v as i32),
            IntType::I64 => PrimValue::I64(v),
        }
    }

    /// A float of a width, rounded to it.
    pub fn float(t: FloatType, v: f64) -> PrimValue {
        match t {
            FloatType::F16 => PrimValue::F16(crate::ops::f16_from_f64(v)),
            FloatType::F32 => PrimValue::F32(v as f32),
            FloatType::F64 => PrimValue::F64(v),
        }
    }

    /// Its type.
    pub fn prim_type(self) -> PrimType {
        match self {
            PrimValue::I8(_) => PrimType::Int(IntType::I8),
            PrimValue::I16(_) => PrimType::Int(IntType::I16),
            PrimValue::I32(_) => PrimType::Int(IntType::I32),
            PrimValue::I64(_) => PrimType::Int(IntType::I64),
            PrimValue::F16(_) => PrimType::Float(FloatType::F16),
            PrimValue::F32(_) => PrimType::Float(FloatType::F32),
            PrimValue::F64(_) => PrimType::Float(FloatType::F64),
            PrimValue::Bool(_) => PrimType::Bool,
            PrimValue::Unit => PrimType::Unit,
        }
    }

    /// The value sign-extended, if an integer.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            PrimValue::I8(v) => Some(v.into()),
            PrimValue::I16(v) => Some(v.into()),
            PrimValue::I32(v) => Some(v.into()),
            PrimValue::I64(v) => Some(v),
            PrimValue::F16(_)
            | PrimValue::F32(_)
            | PrimValue::F64(_)
            | PrimValue::Bool(_)
            | PrimValue::Unit => None,
        }
    }

    /// The value zero-extended, if an integer.
    pub fn as_u64(self) -> Option<u64> {
        match self {
            PrimValue::I8(v) => Some((v as u8).into()),
            PrimValue::I16(v) => Some((v as u16).into()),
            PrimValue::I32(v) => Some((v as u32).into()),
            PrimValue::I64(v) => Some(v as u64),
            PrimValue::F16(_)
            | PrimValue::F32(_)
            | PrimValue::F64(_)
            | PrimValue::Bool(_)
            | PrimValue::Unit => None,
        }
    }

    /// The value widened, if a float.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            PrimValue::F16(v) => Some(v.to_f64()),
            PrimValue::F32(v) => Some(v.into()),
            PrimValue::F64(v) => Some(v),
            PrimValue::I8(_)
            | PrimValue::I16(_)
            | PrimValue::I32(_)
            | PrimValue::I64(_)
            | PrimValue::Bool(_)
            | PrimValue::Unit => None,
        }
    }

    /// The type and the bits: what equality and hashing look at.
    fn key(self) -> (PrimType, u64) {
        let bits = match self {
            PrimValue::F16(v) => v.to_bits().into(),
            PrimValue::F32(v) => v.to_bits().into(),
            PrimValue::F64(v) => v.to_bits(),
            PrimValue::Bool(v) => v.into(),
            PrimValue::Unit => 0,
            PrimValue::I8(_) | PrimValue::I16(_) | PrimValue::I32(_) | PrimValue::I64(_) => {
                self.as_u64().unwrap_or(0)
            }
        };
        (self.prim_type(), bits)
    }
}

impl PartialEq for PrimValue {
    fn eq(&self, other: &PrimValue) -> bool {
        self.key() == other.key()
    }
}

impl Eq for PrimValue {}

impl std::hash::Hash for PrimValue {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "i{}", self.bits())
    }
}

impl fmt::Display for FloatType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "f{}", self.bits())
    }
}

impl fmt::Display for PrimType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrimType::Int(t) => t.fmt(f),
            PrimType::Float(t) => t.fmt(f),
            PrimType::Bool => f.write_str("bool"),
            PrimType::Unit => f.write_str("unit"),
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Literals as IR dumps spell them: `3i32`, `0.5f64`, `-infinityf32`,
/// `nan` with its bits when they are not the usual ones, `true`, `()`.
impl fmt::Display for PrimValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let float = |f: &mut fmt::Formatter<'_>, v: f64, text: String, t: FloatType| {
            if v.is_nan() {
                write!(f, "nan{t}")
            } else if v.is_infinite() {
                write!(f, "{}inf{t}", if v < 0.0 { "-" } else { "" })
            } else {
                write!(f, "{text}{t}")
            }
        };
        match *self {
            PrimValue::I8(v) => write!(f, "{v}i8"),
            PrimValue::I16(v) => write!(f, "{v}i16"),
            PrimValue::I32(v) => write!(f, "{v}i32"),
            PrimValue::I64(v) => write!(f, "{v}i64"),
            PrimValue::F16(v) => float(f, v.to_f64(), format!("{:?}", v.to_f32()), FloatType::F16),
            PrimValue::F32(v) => float(f, v.into(), format!("{v:?}"), FloatType::F32),
            PrimValue::F64(v) => float(f, v, format!("{v:?}"), FloatType::F64),
            PrimValue::Bool(v) => write!(f, "{v}"),
            PrimValue::Unit => f.write_str("()"),
        }
    }
}
