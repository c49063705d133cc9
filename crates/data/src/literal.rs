//! Scalars in text: numbers with optional type suffixes, booleans, and the
//! floats that are no numbers.

use crate::cursor::{Cursor, DataError};
use fehu_base::ops::f16_from_f64;
use fehu_base::prim::{FloatType, PrimType, PrimValue, ScalarType};

/// A literal as written. A number without a suffix may still become any type
/// that fits it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Literal<'a> {
    /// An integer modulo 2^64, for literals wrap around; its digits, if they
    /// are decimal, in case it stands among floats.
    Int {
        value: u64,
        digits: &'a str,
        suffix: Option<ScalarType>,
    },
    /// Digits with a point or an exponent.
    Float {
        digits: &'a str,
        suffix: Option<FloatType>,
    },
    /// `f32.nan`, `-f64.inf`.
    Special {
        value: f64,
        at: FloatType,
    },
    Bool(bool),
}

impl Literal<'_> {
    /// The type that the literal has on its own: integers are `i32` and
    /// floats `f64` where no suffix says otherwise.
    pub(crate) fn natural_type(&self) -> ScalarType {
        match self {
            Literal::Int { suffix, .. } => suffix.unwrap_or(ScalarType::I32),
            Literal::Float { suffix, .. } => surface_float(suffix.unwrap_or(FloatType::F64)),
            Literal::Special { at, .. } => surface_float(*at),
            Literal::Bool(_) => ScalarType::Bool,
        }
    }

    /// The value at a type, if the literal can be of it.
    pub(crate) fn at(&self, t: ScalarType) -> Option<PrimValue> {
        match (*self, t.prim()) {
            (Literal::Int { suffix: Some(s), .. }, _) if s != t => None,
            (Literal::Int { value, .. }, PrimType::Int(w)) => Some(PrimValue::int(w, value as i64)),
            (Literal::Int { digits, .. }, PrimType::Float(w)) => parse_float(digits, w),
            (Literal::Float { digits, suffix }, PrimType::Float(w)) if suffix.is_none_or(|s| s == w) => {
                parse_float(digits, w)
            }
            (Literal::Special { value, at }, PrimType::Float(w)) if at == w => {
                Some(PrimValue::float(w, value))
            }
            (Literal::Bool(b), PrimType::Bool) => Some(PrimValue::Bool(b)),
            _ => None,
        }
    }
}

/// Reads one literal.
pub(crate) fn read_literal<'a>(c: &mut Cursor<'a>) -> Result<Literal<'a>, DataError> {
    let start = c.pos;
    match c.peek() {
        Some(b'0'..=b'9' | b'-' | b'+') => read_number(c),
        Some(b'a'..=b'z') => {
            let word = ascii(c.take_while(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.'));
            named(word).ok_or_else(|| c.error_at(start, format!("`{word}` is not a value")))
        }
        _ => Err(c.error(format!("expected a value, but found {}", c.describe_next()))),
    }
}

fn named<'a>(word: &str) -> Option<Literal<'a>> {
    match word {
        "true" => return Some(Literal::Bool(true)),
        "false" => return Some(Literal::Bool(false)),
        _ => {}
    }
    let (module, name) = word.split_once('.')?;
    let PrimType::Float(at) = ScalarType::named(module)?.prim() else { return None };
    match name {
        "nan" => Some(Literal::Special { value: f64::NAN, at }),
        "inf" => Some(Literal::Special { value: f64::INFINITY, at }),
        _ => None,
    }
}

fn read_number<'a>(c: &mut Cursor<'a>) -> Result<Literal<'a>, DataError> {
    let start = c.pos;
    let negative = c.eat("-");
    if !negative {
        c.eat("+");
    }
    if negative && c.peek() == Some(b'f') {
        return match read_literal(c)? {
            Literal::Special { value, at } => Ok(Literal::Special { value: -value, at }),
            Literal::Int { .. } | Literal::Float { .. } | Literal::Bool(_) => {
                Err(c.error_at(start, "expected a number after the sign"))
            }
        };
    }
    let radix = if c.eat("0x") || c.eat("0X") {
        16
    } else if c.eat("0b") || c.eat("0B") {
        2
    } else {
        10
    };
    let from = if radix == 10 { start } else { c.pos };
    let digits = c.take_while(|b| b == b'_' || char::from(b).is_digit(radix));
    if !digits.iter().any(|b| b.is_ascii_alphanumeric()) {
        return Err(c.error(format!("expected digits, but found {}", c.describe_next())));
    }
    let is_float = radix == 10 && read_fraction_and_exponent(c)?;
    let text = ascii(&c.bytes[from..c.pos]);
    let suffix = read_suffix(c)?;
    if is_float {
        return match suffix.map(ScalarType::prim) {
            None => Ok(Literal::Float { digits: text, suffix: None }),
            Some(PrimType::Float(t)) => Ok(Literal::Float { digits: text, suffix: Some(t) }),
            Some(_) => Err(c.error_at(start, "a number with a fraction cannot have an integer type")),
        };
    }
    let magnitude = digits.iter().filter(|&&b| b != b'_').fold(0u64, |n, &b| {
        let digit = char::from(b).to_digit(radix).unwrap_or(0);
        n.wrapping_mul(radix.into()).wrapping_add(digit.into())
    });
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    if suffix == Some(ScalarType::Bool) {
        return Err(c.error_at(start, "a number cannot be a boolean"));
    }
    match suffix.map(ScalarType::prim) {
        Some(PrimType::Float(t)) if radix == 10 => Ok(Literal::Float { digits: text, suffix: Some(t) }),
        _ => Ok(Literal::Int { value, digits: if radix == 10 { text } else { "" }, suffix }),
    }
}

/// Steps over `.5e-3` after the whole part; whether there was any of it.
fn read_fraction_and_exponent(c: &mut Cursor<'_>) -> Result<bool, DataError> {
    let start = c.pos;
    if c.eat(".") && c.take_while(|b| b.is_ascii_digit() || b == b'_').is_empty() {
        return Err(c.error("expected digits after the point"));
    }
    if matches!(c.peek(), Some(b'e' | b'E')) {
        c.pos += 1;
        if matches!(c.peek(), Some(b'+' | b'-')) {
            c.pos += 1;
        }
        if c.take_while(|b| b.is_ascii_digit() || b == b'_').is_empty() {
            return Err(c.error("expected digits in the exponent"));
        }
    }
    Ok(c.pos > start)
}

/// A type right after a number; no other word may stand there.
fn read_suffix(c: &mut Cursor<'_>) -> Result<Option<ScalarType>, DataError> {
    let start = c.pos;
    let word = ascii(c.take_while(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.'));
    if word.is_empty() {
        return Ok(None);
    }
    match ScalarType::named(word) {
        Some(t) => Ok(Some(t)),
        None => Err(c.error_at(start, format!("`{word}` is not a type"))),
    }
}

/// Rounds once for `f32` and `f64`; half floats go through `f64`.
fn parse_float(digits: &str, t: FloatType) -> Option<PrimValue> {
    let plain;
    let digits = if digits.contains('_') {
        plain = digits.replace('_', "");
        &plain
    } else {
        digits
    };
    match t {
        FloatType::F16 => digits.parse().ok().map(|v| PrimValue::F16(f16_from_f64(v))),
        FloatType::F32 => digits.parse().ok().map(PrimValue::F32),
        FloatType::F64 => digits.parse().ok().map(PrimValue::F64),
    }
}

fn surface_float(t: FloatType) -> ScalarType {
    match t {
        FloatType::F16 => ScalarType::F16,
        FloatType::F32 => ScalarType::F32,
        FloatType::F64 => ScalarType::F64,
    }
}

/// Bytes that were taken because they are ASCII.
fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("")
}
