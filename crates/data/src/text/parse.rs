//! Text to values.

use crate::cursor::{Cursor, DataError};
use crate::generate::read_type;
use crate::literal::read_literal;
use crate::value::{Data, Value, MAX_RANK};
use fehu_base::prim::{PrimValue, ScalarType};

/// Reads one value; the cursor stands on its first character.
pub(crate) fn read_value(c: &mut Cursor<'_>) -> Result<Value, DataError> {
    match c.peek() {
        Some(b'[') => ArrayReader::default().read(c),
        Some(b'"') => Ok(Value::vector(read_string(c)?)),
        Some(b'e') if c.rest().starts_with(b"empty") => read_empty(c),
        _ => {
            let start = c.pos;
            let literal = read_literal(c)?;
            let t = literal.natural_type();
            let value = literal.at(t).and_then(|v| Value::from_prim(t, v));
            value.ok_or_else(|| c.error_at(start, "malformed number"))
        }
    }
}

/// `empty([0][3]i32)`.
fn read_empty(c: &mut Cursor<'_>) -> Result<Value, DataError> {
    let start = c.pos;
    c.eat("empty");
    c.skip_space();
    if !c.eat("(") {
        return Err(c.error_at(start, "expected a value; empty arrays are written `empty([0]i32)`"));
    }
    c.skip_space();
    let t = read_type(c)?;
    c.skip_space();
    if !c.eat(")") {
        return Err(c.error(format!("expected `)`, but found {}", c.describe_next())));
    }
    let shown = t.to_string();
    Value::new(t.shape, Data::empty(t.elem))
        .ok_or_else(|| c.error_at(start, format!("an array of type {shown} is not empty")))
}

/// Reads nested brackets into a flat array, without recursion: a stack of
/// counts stands for the brackets that are open.
#[derive(Default)]
struct ArrayReader {
    /// The rows seen so far in each open bracket.
    counts: Vec<usize>,
    /// The size of each dimension, known once one bracket at its depth has
    /// closed.
    shape: Vec<Option<usize>>,
    /// The depth at which elements stand, known from the first one on.
    rank: Option<usize>,
    data: Option<Data>,
}

impl ArrayReader {
    fn read(mut self, c: &mut Cursor<'_>) -> Result<Value, DataError> {
        let start = c.pos;
        loop {
            c.skip_space();
            if c.eat("[") {
                self.open(c)?;
                continue;
            }
            if self.counts.last() == Some(&0) && c.peek() == Some(b']') {
                return Err(c.error_at(start, "an array without elements is written `empty([0]i32)`"));
            }
            self.element(c)?;
            if self.close_brackets(c)? {
                break;
            }
        }
        let shape: Option<Vec<usize>> = self.shape.into_iter().collect();
        let value = shape.zip(self.data).and_then(|(shape, data)| Value::new(shape, data));
        value.ok_or_else(|| c.error_at(start, "malformed array"))
    }

    fn open(&mut self, c: &Cursor<'_>) -> Result<(), DataError> {
        let depth = self.counts.len();
        if self.rank.is_some_and(|r| depth >= r) {
            return Err(c.error_at(c.pos - 1, "an array where an element was expected"));
        }
        if depth == MAX_RANK {
            return Err(c.error_at(c.pos - 1, format!("more than {MAX_RANK} dimensions")));
        }
        if let Some(count) = self.counts.last_mut() {
            *count += 1;
        }
        self.counts.push(0);
        if self.shape.len() == depth {
            self.shape.push(None);
        }
        Ok(())
    }

    /// Reads a literal, or a row of elements: a string, or one without elements, such as `empty([0]i32)`.
    fn element(&mut self, c: &mut Cursor<'_>) -> Result<(), DataError> {
        let start = c.pos;
        if c.rest().starts_with(b"empty") {
            return self.empty_row(c);
        }
        let is_string = c.peek() == Some(b'"');
        let rank = self.counts.len() + usize::from(is_string);
        if *self.rank.get_or_insert(rank) != rank {
            return Err(c.error(format!(
                "irregular array: {} where a row was expected",
                if is_string { "a string" } else { "an element" }
            )));
        }
        if let Some(count) = self.counts.last_mut() {
            *count += 1;
        }
        if is_string {
            let bytes = read_string(c)?;
            if self.shape.len() < rank {
                self.shape.push(None);
            }
            self.check_size(c, start, rank - 1, bytes.len())?;
            let data = self.data.get_or_insert_with(|| Data::empty(ScalarType::U8));
            return if let Data::U8(v) = data {
                v.extend_from_slice(&bytes);
                Ok(())
            } else {
                Err(c.error_at(start, "a string among elements that are not of type u8"))
            };
        }
        let literal = read_literal(c)?;
        let data = self.data.get_or_insert_with(|| Data::empty(literal.natural_type()));
        let t = data.scalar_type();
        let value: Option<PrimValue> = literal.at(t);
        if value.is_some_and(|v| data.push(v)) {
            return Ok(());
        }
        let found = literal.natural_type();
        Err(c.error_at(start, format!("an element of type {found} in an array of {t}")))
    }

    fn empty_row(&mut self, c: &mut Cursor<'_>) -> Result<(), DataError> {
        let start = c.pos;
        let row = read_empty(c)?;
        let depth = self.counts.len();
        let rank = depth + row.shape().len();
        if rank > MAX_RANK {
            return Err(c.error_at(start, format!("more than {MAX_RANK} dimensions")));
        }
        if *self.rank.get_or_insert(rank) != rank {
            return Err(c.error_at(start, "irregular array: rows of different ranks"));
        }
        if let Some(count) = self.counts.last_mut() {
            *count += 1;
        }
        for (i, size) in row.shape().iter().enumerate() {
            if self.shape.len() == depth + i {
                self.shape.push(None);
            }
            self.check_size(c, start, depth + i, *size)?;
        }
        let (found, t) = (row.scalar_type(), self.data.get_or_insert_with(|| Data::empty(row.scalar_type())));
        match t.scalar_type() {
            t if t == found => Ok(()),
            t => Err(c.error_at(start, format!("a row of type {found} in an array of {t}"))),
        }
    }

    /// Steps over closing brackets and the comma after them; whether the
    /// outermost bracket closed.
    fn close_brackets(&mut self, c: &mut Cursor<'_>) -> Result<bool, DataError> {
        loop {
            c.skip_space();
            let comma = c.eat(",");
            if comma {
                c.skip_space();
            }
            let start = c.pos;
            if !c.eat("]") {
                if comma {
                    return Ok(false);
                }
                return Err(c.error(format!("expected `,` or `]`, but found {}", c.describe_next())));
            }
            let count = self.counts.pop().unwrap_or(0);
            self.check_size(c, start, self.counts.len(), count)?;
            if self.counts.is_empty() {
                return Ok(true);
            }
        }
    }

    fn check_size(&mut self, c: &Cursor<'_>, pos: usize, depth: usize, size: usize) -> Result<(), DataError> {
        let Some(known) = self.shape.get_mut(depth) else { return Ok(()) };
        let expected = *known.get_or_insert(size);
        if expected == size {
            return Ok(());
        }
        Err(c.error_at(pos, format!("irregular array: a row of size {size} after one of size {expected}")))
    }
}

/// Reads a string in double quotes as its bytes.
fn read_string(c: &mut Cursor<'_>) -> Result<Vec<u8>, DataError> {
    let start = c.pos;
    c.pos += 1;
    let mut bytes = Vec::new();
    loop {
        bytes.extend_from_slice(c.take_while(|b| b != b'"' && b != b'\\'));
        if c.eat("\"") {
            return Ok(bytes);
        }
        if !c.eat("\\") {
            return Err(c.error_at(start, "a string that does not end"));
        }
        let code = read_escape(c)?;
        let mut buffer = [0; 4];
        bytes.extend_from_slice(code.encode_utf8(&mut buffer).as_bytes());
    }
}

/// Reads what follows a backslash.
fn read_escape(c: &mut Cursor<'_>) -> Result<char, DataError> {
    let start = c.pos;
    let simple = match c.peek() {
        Some(b'a') => '\x07',
        Some(b'b') => '\x08',
        Some(b'f') => '\x0c',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'v') => '\x0b',
        Some(b @ (b'\\' | b'"' | b'\'')) => char::from(b),
        _ => {
            let radix = if c.eat("x") {
                16
            } else if c.eat("o") {
                8
            } else {
                10
            };
            let digits = c.take_while(|b| char::from(b).is_digit(radix));
            let code = std::str::from_utf8(digits).ok().and_then(|d| u32::from_str_radix(d, radix).ok());
            let code = code.and_then(char::from_u32);
            return code.ok_or_else(|| c.error_at(start, "unknown escape in a string"));
        }
    };
    c.pos += 1;
    Ok(simple)
}
