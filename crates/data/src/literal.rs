//! Scalars in text: numbers with optional type suffixes, booleans, and the
//! floats that are no numbers. The runtime's `reader.h` reads the same.

use crate::cursor::{Cursor, DataError};
use crate::value::Value;
use fehu_base::ops::{f16_from_f64, hex_float};
use fehu_base::prim::{FloatType, PrimType, PrimValue, ScalarType};

/// Words of data are shorter.
const MAX_TOKEN_BYTES: usize = 512;

/// How much of a word an error quotes.
const QUOTED_BYTES: usize = 80;

/// A scalar as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal<'a> {
    pub(crate) text: &'a str,
    /// The type that it has on its own: integers are `i32` and floats `f64` where no suffix says otherwise.
    pub(crate) natural: ScalarType,
    /// Whether it is a number without a suffix, which may be of another type as well.
    pub(crate) loose: bool,
}

/// A number without a suffix, as written: it is of the type that is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number(String);

impl Number {
    pub(crate) fn new(text: &str) -> Number {
        Number(text.to_owned())
    }

    /// The type that it has if nobody asks for one.
    pub fn natural_type(&self) -> ScalarType {
        natural(&self.0).map_or(ScalarType::I32, |(t, _)| t)
    }

    /// The value of a type; an error says why there is none.
    pub fn value_of(&self, t: ScalarType) -> Result<Value, String> {
        let value = parse(&self.0, t)?;
        Value::from_prim(t, value).ok_or_else(|| "malformed number".to_owned())
    }
}

/// Reads a word of letters, digits and what numbers are made of.
pub(crate) fn read_token<'a>(c: &mut Cursor<'a>) -> Result<&'a str, DataError> {
    c.skip_space();
    let start = c.pos;
    let token = c.take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'+' | b'-'));
    if token.len() >= MAX_TOKEN_BYTES {
        return Err(c.error_at(start, "a word is too long"));
    }
    match (token, c.peek()) {
        ([_, ..], _) => Ok(std::str::from_utf8(token).unwrap_or("")),
        ([], None) => Err(c.error("unexpected end of input")),
        ([], Some(b @ b' '..=b'~')) => Err(c.error(format!("unexpected character '{}'", char::from(b)))),
        ([], Some(b)) => Err(c.error(format!("unexpected byte {b}"))),
    }
}

/// Reads one literal.
pub(crate) fn read_literal<'a>(c: &mut Cursor<'a>) -> Result<Literal<'a>, DataError> {
    c.skip_space();
    let start = c.pos;
    let text = read_token(c)?;
    match natural(text) {
        Some((natural, loose)) => Ok(Literal { text, natural, loose }),
        None => Err(c.error_at(start, format!("'{}' is no value", quoted(text)))),
    }
}

/// As much of a word as an error shows.
pub(crate) fn quoted(token: &str) -> &str {
    token.get(..QUOTED_BYTES).unwrap_or(token)
}

/// The type of a word by itself, and whether it is a number that may have another one.
fn natural(token: &str) -> Option<(ScalarType, bool)> {
    if matches!(token, "true" | "false") {
        return Some((ScalarType::Bool, false));
    }
    let (_, number) = sign(token);
    if let Some((module, "nan" | "inf")) = number.split_once('.') {
        return float_named(module).map(|t| (t, false));
    }
    if !number.trim_start_matches('.').starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let (radix, digits) = radix(number);
    let suffix = digits.trim_start_matches(|digit: char| digit == '_' || digit.is_digit(radix));
    if suffix.is_empty() {
        return Some((ScalarType::I32, true));
    }
    if let Some(t) = ScalarType::named(suffix) {
        return Some((t, false));
    }
    let float = number.get(number.len().saturating_sub(3)..).and_then(float_named);
    match float {
        Some(t) if has_float_suffix(number, t) => Some((t, false)),
        _ => number.contains(['.', 'e', 'E', 'p', 'P']).then_some((ScalarType::F64, true)),
    }
}

/// What becomes of integers outside of the range of their type.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Outside {
    /// They are errors.
    #[default]
    Refused,
    /// Those that say their type wrap around, as Futhark's own test blocks want it: `255i8` is -1.
    WrapsIfTyped,
}

/// The value of a word at a type, or what is wrong with it.
pub(crate) fn parse(token: &str, t: ScalarType) -> Result<PrimValue, String> {
    parse_with(token, t, Outside::Refused)
}

/// [`parse`], where it is said what becomes of integers outside of the type's range.
pub(crate) fn parse_with(token: &str, t: ScalarType, outside: Outside) -> Result<PrimValue, String> {
    let value = match t.prim() {
        PrimType::Bool => match token {
            "true" => Some(PrimValue::Bool(true)),
            "false" => Some(PrimValue::Bool(false)),
            _ => None,
        },
        PrimType::Int(width) => match integer(token, t, outside) {
            Some(Some(value)) => Some(PrimValue::int(width, value)),
            Some(None) => {
                let (least, most) = range(t);
                return Err(format!(
                    "'{}' is out of range: the numbers of type {t} are {least} to {most}",
                    quoted(token)
                ));
            }
            None => None,
        },
        PrimType::Float(width) => float(token, t, width),
        PrimType::Unit => None,
    };
    value.ok_or_else(|| format!("'{}' is no value of type {t}", quoted(token)))
}

/// The bits of an integer: sign, decimal, hexadecimal or binary digits with underscores, suffix. Nothing
/// inside if it is out of the type's range.
fn integer(token: &str, t: ScalarType, outside: Outside) -> Option<Option<i64>> {
    let (negative, number) = sign(token);
    let (radix, digits) = radix(number);
    let suffix = digits.trim_start_matches(|digit: char| digit == '_' || digit.is_digit(radix));
    let digits = &digits[..digits.len() - suffix.len()];
    if !(suffix.is_empty() || suffix == t.as_str()) || digits.bytes().all(|digit| digit == b'_') {
        return None;
    }
    let magnitude = digits
        .chars()
        .filter_map(|digit| digit.to_digit(radix))
        .try_fold(0i128, |n, digit| n.checked_mul(radix.into())?.checked_add(digit.into()));
    let value = magnitude.map(|n| if negative { -n } else { n });
    let (least, most) = range(t);
    let wraps = outside == Outside::WrapsIfTyped && !suffix.is_empty();
    Some(value.filter(|n| wraps || (least..=most).contains(n)).map(|n| n as i64))
}

/// The least and the most number of an integer type.
fn range(t: ScalarType) -> (i128, i128) {
    let bits = t.prim().bytes() * 8;
    match t {
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => (0, (1 << bits) - 1),
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        }
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 | ScalarType::Bool => (0, 0),
    }
}

/// A number of a float type. Rounds once for `f32` and `f64`; half floats go through `f64`.
fn float(token: &str, t: ScalarType, width: FloatType) -> Option<PrimValue> {
    let plain = token.replace('_', "");
    let (negative, number) = sign(&plain);
    let number = match number.strip_suffix(t.as_str()) {
        Some(rest) if has_float_suffix(number, t) => rest,
        _ => number,
    };
    let word = number.strip_prefix(t.as_str()).and_then(|w| w.strip_prefix('.')).unwrap_or(number);
    let wide = match word {
        "nan" => Some(f64::NAN),
        "inf" => Some(f64::INFINITY),
        _ if !is_float_text(number) => return None,
        _ if radix(number).0 == 16 => Some(hex_float(&number[2..])),
        _ => None,
    };
    Some(match width {
        FloatType::F16 => {
            let value = wide.or_else(|| number.parse().ok()).map(f16_from_f64)?;
            PrimValue::F16(if negative { -value } else { value })
        }
        FloatType::F32 => {
            let value = wide.map(|v| v as f32).or_else(|| number.parse().ok())?;
            PrimValue::F32(if negative { -value } else { value })
        }
        FloatType::F64 => {
            let value = wide.or_else(|| number.parse().ok())?;
            PrimValue::F64(if negative { -value } else { value })
        }
    })
}

/// Whether a number ends in the name of a float type: not if these are digits of a hexadecimal number.
fn has_float_suffix(number: &str, t: ScalarType) -> bool {
    let hex = number.starts_with("0x") || number.starts_with("0X");
    number.len() > 3 && number.ends_with(t.as_str()) && (!hex || number.contains(['p', 'P', '.']))
}

/// Digits with an optional point and exponent, or a hexadecimal number.
fn is_float_text(number: &str) -> bool {
    let hex = number.starts_with("0x") || number.starts_with("0X");
    let (radix, mantissa) = if hex { (16, &number[2..]) } else { (10, number) };
    let rest = mantissa.trim_start_matches(|digit: char| digit == '.' || digit.is_digit(radix));
    let mantissa = &mantissa[..mantissa.len() - rest.len()];
    let exponent = match rest.strip_prefix(if hex { ['p', 'P'] } else { ['e', 'E'] }) {
        Some(exponent) => exponent.strip_prefix(['+', '-']).unwrap_or(exponent),
        None if rest.is_empty() => "0",
        None => return false,
    };
    let points = mantissa.bytes().filter(|digit| *digit == b'.').count();
    mantissa.len() > points
        && points <= 1
        && !exponent.is_empty()
        && exponent.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether there is a minus, and what is behind the sign.
fn sign(token: &str) -> (bool, &str) {
    match token.strip_prefix('-') {
        Some(number) => (true, number),
        None => (false, token.strip_prefix('+').unwrap_or(token)),
    }
}

/// What the prefix of an integer says, and what is behind it.
fn radix(number: &str) -> (u32, &str) {
    if let Some(digits) = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
        (16, digits)
    } else if let Some(digits) = number.strip_prefix("0b").or_else(|| number.strip_prefix("0B")) {
        (2, digits)
    } else {
        (10, number)
    }
}

fn float_named(name: &str) -> Option<ScalarType> {
    ScalarType::named(name).filter(|t| matches!(t.prim(), PrimType::Float(_)))
}
