//! Text to values. The runtime's `reader.h` reads the same, and says the same of what it cannot read.

use crate::cursor::{Cursor, DataError};
use crate::literal::{self, quoted, read_literal, read_token, Outside};
use crate::value::{Data, Value, MAX_RANK, PRODUCT_LIMIT, SIZE_LIMIT};
use fehu_base::prim::ScalarType;

/// What a value has to be, as far as it is known.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Wanted {
    pub(crate) elem: Option<ScalarType>,
    pub(crate) rank: Option<usize>,
    pub(crate) outside: Outside,
}

/// Reads one value, whatever it is.
pub(crate) fn read_value(c: &mut Cursor<'_>) -> Result<Value, DataError> {
    read_wanted(c, Wanted::default())
}

/// Reads one value of a test block.
pub(crate) fn read_test_value(c: &mut Cursor<'_>) -> Result<Value, DataError> {
    read_wanted(c, Wanted { outside: Outside::WrapsIfTyped, ..Wanted::default() })
}

/// Reads one value of a type.
pub(crate) fn read_wanted(c: &mut Cursor<'_>, wanted: Wanted) -> Result<Value, DataError> {
    c.skip_space();
    let is_array = matches!(c.peek(), Some(b'[' | b'"')) || c.rest().starts_with(b"empty");
    if wanted.rank.map_or(is_array, |rank| rank > 0) {
        return ArrayReader { wanted, shape: Vec::new(), data: None }.read(c);
    }
    let start = c.pos;
    let (text, t) = match wanted.elem {
        Some(t) => (read_token(c)?, t),
        None => read_literal(c).map(|found| (found.text, found.natural))?,
    };
    let value = literal::parse_with(text, t, wanted.outside).map_err(|message| c.error_at(start, message))?;
    Value::from_prim(t, value).ok_or_else(|| c.error_at(start, "malformed number"))
}

/// Reads nested brackets into a flat array.
struct ArrayReader {
    /// What is known of the array: from whoever asked for it, or from what has been read.
    wanted: Wanted,
    /// The size of each dimension, known once one bracket at its depth has closed.
    shape: Vec<Option<usize>>,
    data: Option<Data>,
}

impl ArrayReader {
    fn read(mut self, c: &mut Cursor<'_>) -> Result<Value, DataError> {
        let start = c.pos;
        if c.peek() == Some(b'[') || self.at_string(c, 0) {
            self.row(c, 0)?;
        } else {
            let word = read_token(c)?;
            if word != "empty" {
                return Err(c.error_at(start, format!("expected an array, not '{}'", quoted(word))));
            }
            self.empty(c, 0)?;
        }
        let elem = self.wanted.elem;
        let rank = self.wanted.rank.unwrap_or(self.shape.len());
        self.shape.resize(rank, None);
        let shape: Option<Vec<usize>> = self.shape.into_iter().collect();
        let (Some(shape), Some(elem)) = (shape, elem) else {
            let elem = elem.unwrap_or(ScalarType::I32);
            let message = format!("cannot see all sizes of an empty array; write 'empty([0]...{elem})'");
            return Err(c.error_at(start, message));
        };
        if !is_possible(&shape) {
            return Err(c.error_at(start, "the array is too large"));
        }
        let data = self.data.unwrap_or_else(|| Data::empty(elem));
        Value::new(shape, data).ok_or_else(|| c.error_at(start, "malformed array"))
    }

    /// Whether a string, as a row of bytes, comes next at a level.
    fn at_string(&self, c: &Cursor<'_>, level: usize) -> bool {
        c.peek() == Some(b'"')
            && self.wanted.rank.is_none_or(|rank| rank == level + 1)
            && self.wanted.elem.is_none_or(|elem| elem == ScalarType::U8)
    }

    /// Whether the elements of a row at a level are rows.
    fn has_rows(&self, c: &Cursor<'_>, level: usize) -> bool {
        let looks_so = || matches!(c.peek(), Some(b'[' | b'"')) || c.rest().starts_with(b"empty");
        self.wanted.rank.map_or_else(|| self.shape.len() > level + 1 || looks_so(), |rank| level + 1 < rank)
    }

    /// One level of brackets, or a string.
    fn row(&mut self, c: &mut Cursor<'_>, level: usize) -> Result<(), DataError> {
        self.descend(c, level)?;
        if self.at_string(c, level) {
            let bytes = read_string(c)?;
            (self.wanted.elem, self.wanted.rank) = (Some(ScalarType::U8), Some(level + 1));
            if let Data::U8(elements) = self.data.get_or_insert_with(|| Data::empty(ScalarType::U8)) {
                elements.extend_from_slice(&bytes);
            }
            return self.size(c, level, bytes.len());
        }
        symbol(c, b'[')?;
        let mut count = 0;
        loop {
            c.skip_space();
            if c.eat("]") {
                return self.size(c, level, count);
            }
            if !self.has_rows(c, level) {
                self.wanted.rank = Some(level + 1);
                self.element(c)?;
            } else if c.peek() == Some(b'e') {
                let start = c.pos;
                let word = read_token(c)?;
                if word != "empty" {
                    return Err(c.error_at(start, format!("expected a row, not '{}'", quoted(word))));
                }
                self.empty(c, level + 1)?;
            } else {
                self.row(c, level + 1)?;
            }
            count += 1;
            c.skip_space();
            if !c.eat(",") && c.peek() != Some(b']') {
                return Err(c.error("expected ',' or ']' after an element"));
            }
        }
    }

    fn element(&mut self, c: &mut Cursor<'_>) -> Result<(), DataError> {
        c.skip_space();
        let start = c.pos;
        let text = match self.wanted.elem {
            Some(_) => read_token(c)?,
            None => {
                let found = read_literal(c)?;
                self.wanted.elem = Some(found.natural);
                found.text
            }
        };
        let t = self.wanted.elem.unwrap_or(ScalarType::I32);
        let value = literal::parse_with(text, t, self.wanted.outside)
            .map_err(|message| c.error_at(start, message))?;
        if self.data.get_or_insert_with(|| Data::empty(t)).push(value) {
            Ok(())
        } else {
            Err(c.error_at(start, "malformed number"))
        }
    }

    /// `empty([0][3]i32)`, of which the first word has been read: all dimensions from a level on.
    fn empty(&mut self, c: &mut Cursor<'_>, mut level: usize) -> Result<(), DataError> {
        let start = c.pos;
        symbol(c, b'(')?;
        let mut is_empty = false;
        loop {
            c.skip_space();
            if self.wanted.rank.map_or(c.peek() != Some(b'['), |rank| level == rank) {
                break;
            }
            symbol(c, b'[')?;
            c.skip_space();
            let at = c.pos;
            let text = read_token(c)?;
            let size = literal::parse(text, ScalarType::I64).map_err(|message| c.error_at(at, message))?;
            let size = size.as_i64().and_then(|n| usize::try_from(n).ok()).filter(|_| !text.starts_with('-'));
            let Some(size) = size else {
                return Err(c.error_at(at, format!("'{}' is no size", quoted(text))));
            };
            symbol(c, b']')?;
            self.descend(c, level)?;
            self.size(c, level, size)?;
            is_empty |= size == 0;
            level += 1;
        }
        self.wanted.rank = Some(level);
        if !is_empty {
            return Err(c.error_at(start, "an empty array must have a size that is 0"));
        }
        c.skip_space();
        let at = c.pos;
        let text = read_token(c)?;
        let found = ScalarType::named(text);
        match self.wanted.elem {
            Some(elem) if found != Some(elem) => {
                let message = format!("expected elements of type {elem}, not '{}'", quoted(text));
                return Err(c.error_at(at, message));
            }
            Some(_) => {}
            None if found.is_none() => return Err(c.error_at(at, format!("'{}' is no type", quoted(text)))),
            None => self.wanted.elem = found,
        }
        symbol(c, b')')
    }

    /// Makes sure that there is a place for the size of a dimension.
    fn descend(&mut self, c: &Cursor<'_>, level: usize) -> Result<(), DataError> {
        if level >= MAX_RANK {
            return Err(c.error(format!("more than {MAX_RANK} dimensions")));
        }
        if self.shape.len() == level {
            self.shape.push(None);
        }
        Ok(())
    }

    fn size(&mut self, c: &Cursor<'_>, level: usize, size: usize) -> Result<(), DataError> {
        let Some(known) = self.shape.get_mut(level) else { return Ok(()) };
        let expected = *known.get_or_insert(size);
        if expected == size {
            return Ok(());
        }
        Err(c.error(format!("rows have {expected} and {size} elements")))
    }
}

/// Whether there are arrays of a shape: sizes are limited, and so is the product of those that are not 0.
pub(crate) fn is_possible(shape: &[usize]) -> bool {
    let product = shape.iter().filter(|size| **size > 0).try_fold(1usize, |n, size| n.checked_mul(*size));
    shape.iter().all(|size| *size < SIZE_LIMIT) && product.is_some_and(|n| n < PRODUCT_LIMIT)
}

fn symbol(c: &mut Cursor<'_>, symbol: u8) -> Result<(), DataError> {
    c.skip_space();
    let symbol = char::from(symbol);
    if c.peek().map(char::from) == Some(symbol) {
        c.pos += 1;
        return Ok(());
    }
    Err(c.error(match c.peek() {
        Some(_) => format!("expected '{symbol}'"),
        None => format!("expected '{symbol}', but the input ends"),
    }))
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
