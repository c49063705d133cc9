//! Whether results are what was expected.
//!
//! Integers and booleans must be equal. A float may differ from the expected
//! one by the tolerance times the largest magnitude in the expected array (at
//! least 1): results of parallel reductions are not exact, and small elements
//! among large ones carry the error of the large ones. NaN matches NaN, and
//! an infinity only itself.

use crate::text::write_element;
use crate::value::{Data, Value, ValueType};
use std::fmt;

/// How far floats may be off, relative to the magnitude of what is expected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance(pub f64);

impl Default for Tolerance {
    /// What the public test suite is written for.
    fn default() -> Tolerance {
        Tolerance(0.002)
    }
}

/// One way in which results are not what was expected. Values count from 0.
#[derive(Clone, PartialEq, Debug)]
pub enum Mismatch {
    /// Too many or too few values.
    Count {
        /// How many were expected.
        expected: usize,
        /// How many there are.
        actual: usize,
    },
    /// Another scalar type, or another number of dimensions or sizes.
    Type {
        /// Which value.
        value: usize,
        /// The type expected.
        expected: ValueType,
        /// The type found.
        actual: ValueType,
    },
    /// Another element.
    Element {
        /// Which value.
        value: usize,
        /// Where in the array; empty for scalars.
        index: Vec<usize>,
        /// What was expected, as text.
        expected: String,
        /// What is there, as text.
        actual: String,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Count { expected, actual } => {
                write!(f, "expected {expected} values, but got {actual}")
            }
            Mismatch::Type { value, expected, actual } => {
                write!(f, "value #{value}: expected type {expected}, but got {actual}")
            }
            Mismatch::Element { value, index, expected, actual } => {
                write!(f, "value #{value}")?;
                if !index.is_empty() {
                    let index: Vec<String> = index.iter().map(usize::to_string).collect();
                    write!(f, " at [{}]", index.join(", "))?;
                }
                write!(f, ": expected {expected}, but got {actual}")
            }
        }
    }
}

/// The differences between two sequences of values, in order, and at most so
/// many of them.
pub fn compare(expected: &[Value], actual: &[Value], tolerance: Tolerance, limit: usize) -> Vec<Mismatch> {
    if expected.len() != actual.len() {
        return vec![Mismatch::Count { expected: expected.len(), actual: actual.len() }];
    }
    let mut found = Vec::new();
    for (i, (e, a)) in expected.iter().zip(actual).enumerate() {
        compare_value(i, e, a, tolerance, limit, &mut found);
    }
    found
}

fn compare_value(
    value: usize,
    expected: &Value,
    actual: &Value,
    tolerance: Tolerance,
    limit: usize,
    found: &mut Vec<Mismatch>,
) {
    if found.len() >= limit {
        return;
    }
    if expected.scalar_type() != actual.scalar_type() || expected.shape() != actual.shape() {
        let (expected, actual) = (expected.value_type(), actual.value_type());
        found.push(Mismatch::Type { value, expected, actual });
        return;
    }
    for i in differing(expected.data(), actual.data(), tolerance).into_iter().take(limit - found.len()) {
        found.push(Mismatch::Element {
            value,
            index: unflatten(i, expected.shape()),
            expected: element_text(expected.data(), i),
            actual: element_text(actual.data(), i),
        });
    }
}

/// The flat positions at which two arrays of one type differ.
fn differing(expected: &Data, actual: &Data, tolerance: Tolerance) -> Vec<usize> {
    match (expected, actual) {
        (Data::I8(e), Data::I8(a)) => unequal(e, a),
        (Data::I16(e), Data::I16(a)) => unequal(e, a),
        (Data::I32(e), Data::I32(a)) => unequal(e, a),
        (Data::I64(e), Data::I64(a)) => unequal(e, a),
        (Data::U8(e), Data::U8(a)) => unequal(e, a),
        (Data::U16(e), Data::U16(a)) => unequal(e, a),
        (Data::U32(e), Data::U32(a)) => unequal(e, a),
        (Data::U64(e), Data::U64(a)) => unequal(e, a),
        (Data::Bool(e), Data::Bool(a)) => unequal(e, a),
        (Data::F16(e), Data::F16(a)) => distant(e, a, tolerance),
        (Data::F32(e), Data::F32(a)) => distant(e, a, tolerance),
        (Data::F64(e), Data::F64(a)) => distant(e, a, tolerance),
        // Of different types: all of it differs.
        _ => (0..expected.len()).collect(),
    }
}

fn unequal<T: PartialEq>(expected: &[T], actual: &[T]) -> Vec<usize> {
    let pairs = expected.iter().zip(actual).enumerate();
    pairs.filter(|(_, (e, a))| e != a).map(|(i, _)| i).collect()
}

fn distant<T: Copy + Into<f64>>(expected: &[T], actual: &[T], tolerance: Tolerance) -> Vec<usize> {
    let magnitudes = expected.iter().map(|&v| v.into().abs()).filter(|v| v.is_finite());
    let allowed = tolerance.0 * magnitudes.fold(1.0, f64::max);
    let close = |e: f64, a: f64| {
        if e.is_finite() && a.is_finite() {
            (e - a).abs() <= allowed
        } else {
            e == a || (e.is_nan() && a.is_nan())
        }
    };
    let pairs = expected.iter().zip(actual).enumerate();
    pairs.filter(|(_, (&e, &a))| !close(e.into(), a.into())).map(|(i, _)| i).collect()
}

/// The position in each dimension of a flat one.
fn unflatten(mut flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&size| {
            let i = flat % size.max(1);
            flat /= size.max(1);
            i
        })
        .collect();
    index.reverse();
    index
}

fn element_text(data: &Data, i: usize) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_element(data, i, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_values;

    fn check(expected: &str, actual: &str) -> String {
        let read = |text: &str| read_values(text.as_bytes()).unwrap();
        let found = compare(&read(expected), &read(actual), Tolerance::default(), 3);
        found.iter().map(Mismatch::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn close_floats_match() {
        for (expected, actual) in [
            ("1.0", "1.0019"),
            ("0.0", "0.0019"),
            ("-0.0", "0.0"),
            ("[1000.0, 1.0]", "[1000.0, 2.9]"),
            ("[-1000.0, 1.0]", "[-1000.0, 2.9]"),
            ("f32.nan", "f32.nan"),
            ("[f64.inf, 1.0]", "[f64.inf, 1.0]"),
            ("empty([0][2]i32)", "empty([0][2]i32)"),
            ("", ""),
        ] {
            assert_eq!(check(expected, actual), "", "{expected} {actual}");
        }
    }

    #[test]
    fn differences_say_where() {
        assert_eq!(check("1.0", "1.0021"), "value #0: expected 1.0f64, but got 1.0021f64");
        assert_eq!(check("1f32", "f32.nan"), "value #0: expected 1.0f32, but got f32.nan");
        assert_eq!(check("f64.nan", "1f64"), "value #0: expected f64.nan, but got 1.0f64");
        assert_eq!(check("f64.inf", "-f64.inf"), "value #0: expected f64.inf, but got -f64.inf");
        assert_eq!(
            check("[f64.inf, 1.0]", "[f64.inf, 50.0]"),
            "value #0 at [1]: expected 1.0f64, but got 50.0f64"
        );
        assert_eq!(check("1 1i32", "1 1i64"), "value #1: expected type i32, but got i64");
        assert_eq!(check("[1,2]", "[1,2,3]"), "value #0: expected type [2]i32, but got [3]i32");
        assert_eq!(check("1 2", "1"), "expected 2 values, but got 1");
        assert_eq!(
            check("[[1,2],[3,4]]", "[[1,2],[3,5]]"),
            "value #0 at [1, 1]: expected 4i32, but got 5i32"
        );
        assert_eq!(check("[1,2,3,4,5]", "[0,0,0,0,0]").matches("at").count(), 3);
        assert_eq!(check("[true]", "[false]"), "value #0 at [0]: expected true, but got false");
    }
}
