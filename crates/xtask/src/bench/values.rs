//! Values as they travel: written in the binary format (a `b`, version 2, rank, four-character type, dimensions,
//! little-endian elements), read back in binary or text, and compared.

use std::fmt;

/// The elements of a value, flat and in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Elements {
    /// `i8`.
    I8(Vec<i8>),
    /// `i32`.
    I32(Vec<i32>),
    /// `i64`.
    I64(Vec<i64>),
    /// `u8`.
    U8(Vec<u8>),
    /// `u32`.
    U32(Vec<u32>),
    /// `f32`.
    F32(Vec<f32>),
    /// `f64`.
    F64(Vec<f64>),
}

/// One argument or result: a shape (empty for a scalar) and its elements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    /// The outermost dimension first.
    pub(crate) shape: Vec<usize>,
    /// As many as the shape's product.
    pub(crate) elements: Elements,
}

impl Elements {
    /// The type's name, as the language spells it.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Elements::I8(_) => "i8",
            Elements::I32(_) => "i32",
            Elements::I64(_) => "i64",
            Elements::U8(_) => "u8",
            Elements::U32(_) => "u32",
            Elements::F32(_) => "f32",
            Elements::F64(_) => "f64",
        }
    }

    fn is_float(&self) -> bool {
        matches!(self, Elements::F32(_) | Elements::F64(_))
    }

    /// All elements as `f64`, which holds every type here exactly except the far ends of `i64`.
    fn to_f64(&self) -> Vec<f64> {
        match self {
            Elements::I8(v) => v.iter().map(|&x| x.into()).collect(),
            Elements::I32(v) => v.iter().map(|&x| x.into()).collect(),
            Elements::I64(v) => v.iter().map(|&x| x as f64).collect(),
            Elements::U8(v) => v.iter().map(|&x| x.into()).collect(),
            Elements::U32(v) => v.iter().map(|&x| x.into()).collect(),
            Elements::F32(v) => v.iter().map(|&x| x.into()).collect(),
            Elements::F64(v) => v.clone(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for n in &self.shape {
            write!(f, "[{n}]")?;
        }
        f.write_str(self.elements.type_name())
    }
}

/// Append a value in the binary format.
pub(crate) fn write(value: &Value, out: &mut Vec<u8>) {
    out.extend([b'b', 2, value.shape.len() as u8]);
    out.extend(format!("{:>4}", value.elements.type_name()).bytes());
    for &n in &value.shape {
        out.extend((n as u64).to_le_bytes());
    }
    match &value.elements {
        Elements::I8(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Elements::I32(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Elements::I64(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Elements::U8(v) => out.extend(v),
        Elements::U32(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Elements::F32(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Elements::F64(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
    }
}

/// All values of a file or of a program's output.
pub(crate) fn read_all(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let mut reader = Reader { bytes, at: 0 };
    let mut values = Vec::new();
    loop {
        reader.skip_space();
        match reader.peek() {
            None => return Ok(values),
            Some(b'b') => values.push(reader.binary()?),
            Some(_) => values.push(reader.text()?),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.peek() {
            if c.is_ascii_whitespace() || c == b',' {
                self.at += 1;
            } else if self.bytes[self.at..].starts_with(b"--") {
                while self.peek().is_some_and(|c| c != b'\n') {
                    self.at += 1;
                }
            } else {
                break;
            }
        }
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or("a binary value ends too early")?;
        let slice = &self.bytes[self.at..end];
        self.at = end;
        Ok(slice)
    }

    fn binary(&mut self) -> Result<Value, String> {
        let header = self.take(7)?;
        if header[1] != 2 {
            return Err(format!("unknown version {} of the binary format", header[1]));
        }
        let rank = header[2];
        let name = String::from_utf8_lossy(&header[3..7]).trim().to_owned();
        let mut shape = Vec::new();
        for _ in 0..rank {
            shape.push(u64::from_le_bytes(array(self.take(8)?)) as usize);
        }
        let count =
            shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).ok_or("a binary value is too large")?;
        let mut bytes = |size: usize| self.take(count.saturating_mul(size));
        let elements = match name.as_str() {
            "i8" => Elements::I8(bytes(1)?.iter().map(|&x| x as i8).collect()),
            "i32" => Elements::I32(bytes(4)?.chunks_exact(4).map(|c| i32::from_le_bytes(array(c))).collect()),
            "i64" => Elements::I64(bytes(8)?.chunks_exact(8).map(|c| i64::from_le_bytes(array(c))).collect()),
            "u8" => Elements::U8(bytes(1)?.to_vec()),
            "u32" => Elements::U32(bytes(4)?.chunks_exact(4).map(|c| u32::from_le_bytes(array(c))).collect()),
            "f32" => Elements::F32(bytes(4)?.chunks_exact(4).map(|c| f32::from_le_bytes(array(c))).collect()),
            "f64" => Elements::F64(bytes(8)?.chunks_exact(8).map(|c| f64::from_le_bytes(array(c))).collect()),
            other => return Err(format!("values of type {other} are not used by the benchmarks")),
        };
        Ok(Value { shape, elements })
    }

    /// Text values here are the published ones: numbers of one type, nested in brackets.
    fn text(&mut self) -> Result<Value, String> {
        let mut words = Vec::new();
        let mut shape = Vec::new();
        self.text_level(0, &mut shape, &mut words)?;
        let of = |suffix: &str| words.first().is_some_and(|w: &String| w.ends_with(suffix));
        let numbers =
            |suffix: &str| words.iter().map(|w| number(w, suffix)).collect::<Result<Vec<f64>, String>>();
        let elements = if of("f32") {
            Elements::F32(numbers("f32")?.into_iter().map(|x| x as f32).collect())
        } else if of("f64") || words.first().is_some_and(|w| w.contains('.')) {
            Elements::F64(numbers("f64")?)
        } else if of("i64") {
            Elements::I64(numbers("i64")?.into_iter().map(|x| x as i64).collect())
        } else {
            Elements::I32(numbers("i32")?.into_iter().map(|x| x as i32).collect())
        };
        Ok(Value { shape, elements })
    }

    fn text_level(
        &mut self,
        depth: usize,
        shape: &mut Vec<usize>,
        words: &mut Vec<String>,
    ) -> Result<(), String> {
        self.skip_space();
        if self.peek() == Some(b'[') {
            self.at += 1;
            if shape.len() == depth {
                shape.push(0);
            }
            let mut n = 0;
            loop {
                self.skip_space();
                match self.peek() {
                    Some(b']') => break self.at += 1,
                    Some(_) => self.text_level(depth + 1, shape, words)?,
                    None => return Err("an array does not end".into()),
                }
                n += 1;
            }
            shape[depth] = n;
            return Ok(());
        }
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || b"+-._".contains(&c)) {
            self.at += 1;
        }
        if self.at == start {
            return Err(format!("expected a value at byte {start}"));
        }
        words.push(String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned());
        Ok(())
    }
}

fn number(word: &str, suffix: &str) -> Result<f64, String> {
    let plain = word.strip_suffix(suffix).unwrap_or(word);
    plain.parse().map_err(|_| format!("not a number: {word}"))
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut a = [0; N];
    a.copy_from_slice(bytes);
    a
}

/// How far apart two results may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tolerance {
    /// For floats: the difference over the larger of the two magnitudes and the array's mean magnitude.
    pub(crate) relative: f64,
    /// For floats: a difference that is nothing, however small the numbers.
    pub(crate) absolute: f64,
    /// The part of the elements that may differ more (chaotic programs such as escape times).
    pub(crate) strays: f64,
}

/// What is wrong with a result, or nothing.
pub(crate) fn difference(expected: &[Value], got: &[Value], tolerance: Tolerance) -> Option<String> {
    if expected.len() != got.len() {
        return Some(format!("{} results instead of {}", got.len(), expected.len()));
    }
    expected.iter().zip(got).enumerate().find_map(|(i, (e, g))| {
        if e.shape != g.shape || e.elements.type_name() != g.elements.type_name() {
            return Some(format!("result {i} is {g} instead of {e}"));
        }
        let (xs, ys) = (e.elements.to_f64(), g.elements.to_f64());
        let finite = |x: &&f64| x.is_finite();
        let mean = xs.iter().filter(finite).map(|x| x.abs()).sum::<f64>() / xs.len().max(1) as f64;
        let differs = |x: f64, y: f64| {
            let same = x == y || (x.is_nan() && y.is_nan());
            let scale = x.abs().max(y.abs()).max(mean);
            let bound = if e.elements.is_float() {
                (tolerance.relative * scale).max(tolerance.absolute)
            } else {
                0.0
            };
            // Written so that a NaN on one side only counts as a difference.
            !(same || (x - y).abs() <= bound)
        };
        let wrong: Vec<usize> = (0..xs.len()).filter(|&j| differs(xs[j], ys[j])).collect();
        let first = *wrong.first()?;
        if wrong.len() as f64 <= tolerance.strays * xs.len() as f64 {
            return None;
        }
        let count = wrong.len();
        Some(format!(
            "result {i} ({e}): {count} elements differ, first at {first}: {} instead of {}",
            ys[first], xs[first]
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_round_trip() {
        let values = vec![
            Value { shape: vec![], elements: Elements::I64(vec![-7]) },
            Value {
                shape: vec![2, 3],
                elements: Elements::F32(vec![0.5, -1.0, 2.0, 3.0, 4.0, f32::INFINITY]),
            },
            Value { shape: vec![0], elements: Elements::U8(vec![]) },
        ];
        let mut bytes = Vec::new();
        values.iter().for_each(|v| write(v, &mut bytes));
        assert_eq!(read_all(&bytes), Ok(values));
        assert!(read_all(&bytes[..bytes.len() - 9]).is_err());
    }

    #[test]
    fn text_with_comments() {
        let values =
            read_all(b"-- a comment\n3 [[1.5f32, -2f32],\n [3f32, 4f32]] -- end").unwrap_or_default();
        let expected = vec![
            Value { shape: vec![], elements: Elements::I32(vec![3]) },
            Value { shape: vec![2, 2], elements: Elements::F32(vec![1.5, -2.0, 3.0, 4.0]) },
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn differences_are_relative_and_count_strays() {
        let value = |v: Vec<f32>| vec![Value { shape: vec![v.len()], elements: Elements::F32(v) }];
        let tight = Tolerance { relative: 1e-3, absolute: 0.0, strays: 0.0 };
        let (a, b) = (value(vec![1.0, 100.0]), value(vec![1.04, 100.05]));
        assert_eq!(difference(&a, &b, tight), None);
        assert!(difference(&a, &value(vec![1.0, 101.0]), tight).is_some());
        assert!(difference(&a, &value(vec![f32::NAN, 100.0]), tight).is_some());
        let near = Tolerance { absolute: 2.0, ..tight };
        assert_eq!(difference(&a, &value(vec![-0.5, 101.0]), near), None);
        let loose = Tolerance { strays: 0.5, ..tight };
        assert_eq!(difference(&a, &value(vec![1.0, 101.0]), loose), None);
    }
}
