//! Asking for values by type: the notation `[10][20]i32`, and random values
//! of such types, within bounds and from a seed; and candidates of property tests.
//!
//! The same seed, bounds and type give the same value on every machine and
//! in every later version.

mod arbitrary;
mod random;

pub use arbitrary::{Arbitrary, Magnitude};
pub use random::{random_value, Bounds, Rng};

use crate::cursor::{Cursor, DataError};
use crate::text;
use crate::value::{Value, ValueType, MAX_RANK};
use fehu_base::prim::ScalarType;
use std::fmt;

/// What to make a value from.
#[derive(Clone, PartialEq, Debug)]
pub enum Generator {
    /// A random value of the type.
    Random(ValueType),
    /// Always this value.
    Constant(Value),
}

impl Generator {
    /// Reads a type or a value, and nothing else.
    pub fn parse(text: &str) -> Result<Generator, DataError> {
        let mut c = Cursor::new(text.as_bytes());
        c.skip_space();
        let generator = read_generator(&mut c)?;
        finish(&mut c)?;
        Ok(generator)
    }

    /// Makes the value; constants ignore the generator of random numbers.
    pub fn value(&self, bounds: &Bounds, rng: &mut Rng) -> Result<Value, String> {
        match self {
            Generator::Random(t) => random_value(t, bounds, rng),
            Generator::Constant(v) => Ok(v.clone()),
        }
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generator::Random(t) => t.fmt(f),
            Generator::Constant(v) => v.fmt(f),
        }
    }
}

/// Reads a type with sizes, and nothing else.
pub fn parse_type(text: &str) -> Result<ValueType, DataError> {
    let mut c = Cursor::new(text.as_bytes());
    c.skip_space();
    let t = read_type(&mut c)?;
    finish(&mut c)?;
    Ok(t)
}

/// Reads a type, or else a value.
pub(crate) fn read_generator(c: &mut Cursor<'_>) -> Result<Generator, DataError> {
    let mut as_type = c.clone();
    let type_error = match read_type(&mut as_type) {
        Ok(t) => {
            c.pos = as_type.pos;
            return Ok(Generator::Random(t));
        }
        Err(error) => error,
    };
    match text::read_value(c) {
        Ok(v) => Ok(Generator::Constant(v)),
        // Whichever reading made sense for longer says what is wrong.
        Err(error) if (error.line, error.column) > (type_error.line, type_error.column) => Err(error),
        Err(_) => Err(type_error),
    }
}

/// Reads a type; the cursor stands on its first character.
pub(crate) fn read_type(c: &mut Cursor<'_>) -> Result<ValueType, DataError> {
    let mut shape = Vec::new();
    if c.eat("*") {
        c.skip_space();
    }
    while c.eat("[") {
        if shape.len() == MAX_RANK {
            return Err(c.error(format!("more than {MAX_RANK} dimensions")));
        }
        c.skip_space();
        let start = c.pos;
        let digits = c.take_while(|b| b.is_ascii_digit() || b == b'_');
        let digits = String::from_utf8_lossy(digits).replace('_', "");
        if digits.is_empty() {
            return Err(c.error(format!("expected the size of a dimension, but found {}", c.describe_next())));
        }
        // A suffix as in `[10i64]` does no harm.
        c.eat("i64");
        let size = digits.parse::<i64>().ok().and_then(|n| usize::try_from(n).ok());
        shape.push(size.ok_or_else(|| c.error_at(start, "a dimension too large to count"))?);
        c.skip_space();
        if !c.eat("]") {
            return Err(c.error(format!("expected `]`, but found {}", c.describe_next())));
        }
        c.skip_space();
    }
    let start = c.pos;
    let word = c.take_while(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    let elem = std::str::from_utf8(word).ok().and_then(ScalarType::named);
    match elem {
        Some(elem) => Ok(ValueType { shape, elem }),
        None => {
            c.pos = start;
            Err(c.error(format!("expected a type, but found {}", c.describe_next())))
        }
    }
}

/// Nothing may follow.
fn finish(c: &mut Cursor<'_>) -> Result<(), DataError> {
    c.skip_space();
    match c.peek() {
        None => Ok(()),
        Some(_) => Err(c.error(format!("unexpected {}", c.describe_next()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_back() {
        for text in ["i32", "[10][20]f32", "[0]bool", "[1][2][3]u64", "f16"] {
            assert_eq!(parse_type(text).unwrap().to_string(), text);
        }
        assert_eq!(parse_type(" *[ 1_000 ] i32 ").unwrap().to_string(), "[1000]i32");
        for text in ["", "[10]", "[]i32", "[n]i32", "i33", "[3]i32 i32", "[99999999999999999999]i8", "[1"] {
            assert!(parse_type(text).is_err(), "{text}");
        }
    }

    #[test]
    fn generators_are_types_or_values() {
        let show = |text| Generator::parse(text).unwrap();
        assert!(matches!(show("[2]i32"), Generator::Random(_)));
        assert_eq!(show("[2]"), Generator::Constant(Value::vector(vec![2i32])));
        assert_eq!(show("5i64"), Generator::Constant(Value::scalar(5i64)));
        assert_eq!(show("f32.nan").to_string(), "f32.nan");
        assert_eq!(show("f32").to_string(), "f32");
        assert!(Generator::parse("[2]i31").unwrap_err().message.contains("i31"));
    }

    #[test]
    fn random_values_stay_within_bounds_and_repeat() {
        let mut bounds = Bounds::default();
        bounds.set(ScalarType::I32, "-3:3").unwrap();
        bounds.set(ScalarType::F32, "10:20.5").unwrap();
        bounds.set(ScalarType::U64, "18446744073709551614:18446744073709551615").unwrap();
        let make =
            |text, seed| random_value(&parse_type(text).unwrap(), &bounds, &mut Rng::new(seed)).unwrap();
        let ints = make("[100][3]i32", 1);
        assert!(ints.elements::<i32>().unwrap().iter().all(|v| (-3..=3).contains(v)));
        assert!(
            ints.elements::<i32>().unwrap().contains(&-3) && ints.elements::<i32>().unwrap().contains(&3)
        );
        assert!(make("[100]f32", 1).elements::<f32>().unwrap().iter().all(|v| (10.0..=20.5).contains(v)));
        assert!(make("[100]u64", 1).elements::<u64>().unwrap().iter().all(|&v| v >= u64::MAX - 1));
        assert!(make("[100]f64", 1).elements::<f64>().unwrap().iter().all(|v| (0.0..1.0).contains(v)));
        assert_eq!(make("[50]i64", 7), make("[50]i64", 7));
        assert_ne!(make("[50]i64", 7), make("[50]i64", 8));
        assert_eq!(make("[0][5]bool", 7).to_string(), "empty([0][5]bool)");
        assert!(bounds.set(ScalarType::I8, "3").is_err());
        assert!(bounds.set(ScalarType::I8, "3:2").is_err());
        assert!(bounds.set(ScalarType::I8, "0:1.5").is_err());
        assert!(bounds.set(ScalarType::I8, "0:1000").is_err_and(|e| e.contains("'1000' is out of range")));
        let vast = parse_type("[1000000000][1000000000]f64").unwrap();
        assert!(random_value(&vast, &bounds, &mut Rng::new(1)).is_err());
    }
}
