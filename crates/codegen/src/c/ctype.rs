//! C's types for ours.

use fehu_base::prim::{FloatType, IntType, PrimType, ScalarType};

/// The type of a variable or an element.
pub(crate) fn prim(t: PrimType) -> &'static str {
    match t {
        PrimType::Int(t) => int(t),
        PrimType::Float(FloatType::F16) => "f16",
        PrimType::Float(FloatType::F32) => "float",
        PrimType::Float(FloatType::F64) => "double",
        PrimType::Bool | PrimType::Unit => "bool",
    }
}

/// The type of an integer variable.
pub(crate) fn int(t: IntType) -> &'static str {
    match t {
        IntType::I8 => "int8_t",
        IntType::I16 => "int16_t",
        IntType::I32 => "int32_t",
        IntType::I64 => "int64_t",
    }
}

/// The unsigned type of the same width.
pub(crate) fn unsigned(t: IntType) -> &'static str {
    match t {
        IntType::I8 => "uint8_t",
        IntType::I16 => "uint16_t",
        IntType::I32 => "uint32_t",
        IntType::I64 => "uint64_t",
    }
}

/// The type that the interface uses.
pub(crate) fn public(t: ScalarType) -> &'static str {
    match t {
        ScalarType::I8 => "int8_t",
        ScalarType::I16 => "int16_t",
        ScalarType::I32 => "int32_t",
        ScalarType::I64 => "int64_t",
        ScalarType::U8 => "uint8_t",
        ScalarType::U16 => "uint16_t",
        ScalarType::U32 => "uint32_t",
        ScalarType::U64 => "uint64_t",
        ScalarType::F16 => "uint16_t",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
        ScalarType::Bool => "bool",
    }
}

/// The runtime's name for a scalar type.
pub(crate) fn scalar_enum(t: ScalarType) -> &'static str {
    match t {
        ScalarType::I8 => "SCALAR_I8",
        ScalarType::I16 => "SCALAR_I16",
        ScalarType::I32 => "SCALAR_I32",
        ScalarType::I64 => "SCALAR_I64",
        ScalarType::U8 => "SCALAR_U8",
        ScalarType::U16 => "SCALAR_U16",
        ScalarType::U32 => "SCALAR_U32",
        ScalarType::U64 => "SCALAR_U64",
        ScalarType::F16 => "SCALAR_F16",
        ScalarType::F32 => "SCALAR_F32",
        ScalarType::F64 => "SCALAR_F64",
        ScalarType::Bool => "SCALAR_BOOL",
    }
}

/// The runtime's name for a primitive type.
pub(crate) fn runtime(t: PrimType) -> &'static str {
    match t {
        PrimType::Bool | PrimType::Unit => "bool",
        PrimType::Int(_) | PrimType::Float(_) => word_member(t),
    }
}

/// The member of a word of a value that holds a scalar.
pub(crate) fn word_member(t: PrimType) -> &'static str {
    match t {
        PrimType::Int(IntType::I8) => "i8",
        PrimType::Int(IntType::I16) => "i16",
        PrimType::Int(IntType::I32) => "i32",
        PrimType::Int(IntType::I64) => "i64",
        PrimType::Float(FloatType::F16) => "f16",
        PrimType::Float(FloatType::F32) => "f32",
        PrimType::Float(FloatType::F64) => "f64",
        PrimType::Bool | PrimType::Unit => "b",
    }
}
