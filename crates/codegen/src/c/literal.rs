//! Constants as C spells them.

use fehu_base::prim::PrimValue;

/// A constant of its own type.
pub(crate) fn value(v: PrimValue) -> String {
    match v {
        PrimValue::I8(v) => v.to_string(),
        PrimValue::I16(v) => v.to_string(),
        PrimValue::I32(i32::MIN) => "INT32_MIN".into(),
        PrimValue::I32(v) => v.to_string(),
        PrimValue::I64(i64::MIN) => "INT64_MIN".into(),
        PrimValue::I64(v) if v < 0 => format!("-INT64_C({})", -v),
        PrimValue::I64(v) => format!("INT64_C({v})"),
        PrimValue::F16(v) => format!("0x{:04x}", v.to_bits()),
        PrimValue::F32(v) if v.is_nan() && v.to_bits() != f32::NAN.to_bits() => {
            format!("from_bits32((int32_t)0x{:08x})", v.to_bits())
        }
        PrimValue::F64(v) if v.is_nan() && v.to_bits() != f64::NAN.to_bits() => {
            format!("from_bits64((int64_t)0x{:016x})", v.to_bits())
        }
        PrimValue::F32(v) => float(v.into(), || format!("{v:?}f"), ""),
        PrimValue::F64(v) => float(v, || format!("{v:?}"), "(double)"),
        PrimValue::Bool(v) => v.to_string(),
        PrimValue::Unit => "false".into(),
    }
}

/// An element of a static array: as [`value`], but a constant expression.
pub(crate) fn element(v: PrimValue) -> String {
    match v {
        // Static data cannot call functions; other NaNs than the usual one lose their bits.
        PrimValue::F32(v) if v.is_nan() => value(PrimValue::F32(f32::NAN)),
        PrimValue::F64(v) if v.is_nan() => value(PrimValue::F64(f64::NAN)),
        PrimValue::I64(v) if i32::try_from(v).is_ok() && v != i64::from(i32::MIN) => v.to_string(),
        PrimValue::I8(_)
        | PrimValue::I16(_)
        | PrimValue::I32(_)
        | PrimValue::I64(_)
        | PrimValue::F16(_)
        | PrimValue::F32(_)
        | PrimValue::F64(_)
        | PrimValue::Bool(_)
        | PrimValue::Unit => value(v),
    }
}

/// A string literal.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    push_escaped(&mut out, text);
    out.push('"');
    out
}

/// Appends text as it stands between the quotes of a string literal.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    for b in text.bytes() {
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            // Two of them would start a trigraph.
            b'?' => out.push_str("\\?"),
            b' '..=b'~' => out.push(b as char),
            _ => out.push_str(&format!("\\{b:03o}")),
        }
    }
}

fn float(v: f64, finite: impl Fn() -> String, cast: &str) -> String {
    if v.is_nan() {
        format!("{cast}NAN")
    } else if v.is_infinite() {
        format!("{}{cast}INFINITY", if v < 0.0 { "-" } else { "" })
    } else {
        finite()
    }
}

/// Whether the spelling is one token or a call; otherwise it starts with an operator.
pub(crate) fn is_primary(v: PrimValue) -> bool {
    match v {
        PrimValue::I8(v) => v >= 0,
        PrimValue::I16(v) => v >= 0,
        PrimValue::I32(v) => v >= 0 || v == i32::MIN,
        PrimValue::I64(v) => v >= 0 || v == i64::MIN,
        PrimValue::F16(_) | PrimValue::Bool(_) | PrimValue::Unit => true,
        PrimValue::F32(v) => v.is_nan() || v.is_sign_positive(),
        PrimValue::F64(v) => v.is_finite() && v.is_sign_positive(),
    }
}
