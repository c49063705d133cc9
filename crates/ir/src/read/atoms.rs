//! What the texts of all representations, and of the imperative IR, have in common: marks, words, lists, names,
//! numbers, types and memory spaces.

use super::lex::{self, Kind, Token};
use super::{Read, ReadError, Reader};
use crate::syntax::Space;
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue};
use fehu_base::{Name, NameSource, Symbol};
use rustc_hash::FxHashMap;

/// More names than this in one text are a mistake: all numbers below the largest take space.
const MAX_NAMES: u32 = 1 << 22;

impl<'a> Reader<'a> {
    /// A reader at the beginning of a text.
    pub fn new(text: &'a str) -> Read<Reader<'a>> {
        Ok(Reader { tokens: lex::tokens(text)?, next: 0, names: FxHashMap::default() })
    }

    /// Whether the text ends here.
    pub fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// Whether a string comes next.
    pub fn at_string(&self) -> bool {
        matches!(self.peek().kind, Kind::Str(_))
    }

    /// The next token, if it is a word.
    pub fn next_word(&self) -> Option<&'a str> {
        match self.peek().kind {
            Kind::Word(w) => Some(w),
            Kind::Quoted(..) | Kind::Str(_) | Kind::Num(_) | Kind::Punct(_) | Kind::End => None,
        }
    }

    /// Whether this mark comes after the next token.
    pub fn then_at(&self, c: char) -> bool {
        self.peek2().is_punct(c)
    }

    pub(super) fn peek(&self) -> &Token<'a> {
        &self.tokens[self.next]
    }

    pub(super) fn peek2(&self) -> &Token<'a> {
        &self.tokens[(self.next + 1).min(self.tokens.len() - 1)]
    }

    pub(super) fn take(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        if self.next + 1 < self.tokens.len() {
            self.next += 1;
        }
        token
    }

    /// An error at the next token.
    pub fn fail<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(ReadError { line: self.peek().line, message: message.into() })
    }

    /// An error that names what should stand here.
    pub fn expected<T>(&self, what: &str) -> Read<T> {
        self.fail(format!("expected {what}, found {}", self.peek().describe()))
    }

    /// Whether this mark comes next.
    pub fn at(&self, c: char) -> bool {
        self.peek().is_punct(c)
    }

    /// Whether this word comes next.
    pub fn at_word(&self, w: &str) -> bool {
        self.peek().is_word(w)
    }

    /// Takes this mark if it comes next.
    pub fn try_punct(&mut self, c: char) -> bool {
        let found = self.at(c);
        if found {
            self.take();
        }
        found
    }

    /// Takes this word if it comes next.
    pub fn try_word(&mut self, w: &str) -> bool {
        let found = self.at_word(w);
        if found {
            self.take();
        }
        found
    }

    /// Takes this mark.
    pub fn punct(&mut self, c: char) -> Read<()> {
        if self.try_punct(c) {
            Ok(())
        } else {
            self.expected(&format!("'{c}'"))
        }
    }

    /// Takes this word.
    pub fn word(&mut self, w: &str) -> Read<()> {
        if self.try_word(w) {
            Ok(())
        } else {
            self.expected(&format!("'{w}'"))
        }
    }

    /// Things with commas between them, between two marks.
    pub fn list<T>(&mut self, open: char, close: char, f: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.punct(open)?;
        self.items(close, f)
    }

    /// The rest of a list, its end included.
    pub fn items<T>(&mut self, close: char, mut f: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = vec![];
        while !self.at(close) {
            if !items.is_empty() {
                self.punct(',')?;
            }
            items.push(f(self)?);
        }
        self.punct(close)?;
        Ok(items)
    }

    /// A string in quotes.
    pub fn string(&mut self) -> Read<String> {
        match &self.peek().kind {
            Kind::Str(text) => {
                let text = text.clone();
                self.take();
                Ok(text)
            }
            Kind::Word(_) | Kind::Quoted(..) | Kind::Num(_) | Kind::Punct(_) | Kind::End => {
                self.expected("a string")
            }
        }
    }

    /// A plain number.
    pub fn number<T: std::str::FromStr>(&mut self) -> Read<T> {
        if let Kind::Num(text) = self.peek().kind {
            if let Ok(n) = text.parse() {
                self.take();
                return Ok(n);
            }
        }
        self.expected("a number")
    }

    /// Whether a name comes next.
    pub fn is_name(&self) -> bool {
        match self.peek().kind {
            Kind::Word(w) => split_name(w).is_some(),
            Kind::Quoted(..) => true,
            Kind::Str(_) | Kind::Num(_) | Kind::Punct(_) | Kind::End => false,
        }
    }

    /// A name with its number.
    pub fn name(&mut self) -> Read<Name> {
        let (base, number) = match &self.peek().kind {
            Kind::Word(w) => match split_name(w) {
                Some((base, number)) => (Symbol::new(base), number),
                None => return self.expected("a name"),
            },
            Kind::Quoted(base, number) => (Symbol::new(base), *number),
            Kind::Str(_) | Kind::Num(_) | Kind::Punct(_) | Kind::End => return self.expected("a name"),
        };
        if number >= MAX_NAMES {
            return self.fail("number of a name out of range");
        }
        let known = *self.names.entry(number).or_insert(base);
        if known != base {
            return self.fail(format!("two names numbered {number}: {known} and {base}"));
        }
        self.take();
        Ok(Name(number))
    }

    /// Names in brackets.
    pub fn name_list(&mut self) -> Read<Vec<Name>> {
        self.list('[', ']', Self::name)
    }

    /// The source of all names read so far.
    pub fn name_source(&self) -> NameSource {
        let mut source = NameSource::new();
        let len = self.names.keys().max().map_or(0, |n| n + 1);
        let unused = Symbol::new("unused");
        for n in 0..len {
            source.fresh(self.names.get(&n).copied().unwrap_or(unused));
        }
        source
    }

    /// A primitive type.
    pub fn prim_type(&mut self) -> Read<PrimType> {
        if let Kind::Word(w) = self.peek().kind {
            if let Some(t) = prim_from_str(w) {
                self.take();
                return Ok(t);
            }
        }
        self.expected("a primitive type")
    }

    /// An integer type.
    pub fn int_type(&mut self) -> Read<IntType> {
        match self.prim_type()? {
            PrimType::Int(t) => Ok(t),
            PrimType::Float(_) | PrimType::Bool | PrimType::Unit => self.fail("expected an integer type"),
        }
    }

    /// A memory space in parentheses.
    pub fn space_in_parens(&mut self) -> Read<Space> {
        self.punct('(')?;
        let space = self.space()?;
        self.punct(')')?;
        Ok(space)
    }

    /// A memory space.
    pub fn space(&mut self) -> Read<Space> {
        if self.try_word("default") {
            return Ok(Space::Default);
        }
        if self.try_word("shared") {
            return Ok(Space::Shared);
        }
        if self.try_word("scalar") {
            let mut shape = vec![];
            while self.try_punct('[') {
                shape.push(self.number()?);
                self.punct(']')?;
            }
            return Ok(Space::Scalar(self.prim_type()?, shape));
        }
        self.expected("a memory space")
    }

    /// A constant.
    pub fn value(&mut self) -> Read<PrimValue> {
        match self.peek().kind {
            Kind::Num(text) => match parse_value(text) {
                Some(v) => {
                    self.take();
                    Ok(v)
                }
                None => self.fail(format!("bad number '{text}'")),
            },
            Kind::Word("true") => {
                self.take();
                Ok(PrimValue::Bool(true))
            }
            Kind::Word("false") => {
                self.take();
                Ok(PrimValue::Bool(false))
            }
            Kind::Word("bits") => {
                self.take();
                self.punct('(')?;
                let v = match self.peek().kind {
                    Kind::Num(text) => parse_bits(text),
                    Kind::Word(_) | Kind::Quoted(..) | Kind::Str(_) | Kind::Punct(_) | Kind::End => None,
                };
                let Some(v) = v else { return self.expected("the bits of a float") };
                self.take();
                self.punct(')')?;
                Ok(v)
            }
            Kind::Word(w) => match parse_value(w) {
                Some(v) => {
                    self.take();
                    Ok(v)
                }
                None => self.expected("an operand"),
            },
            Kind::Punct('(') if self.peek2().is_punct(')') => {
                self.take();
                self.take();
                Ok(PrimValue::Unit)
            }
            Kind::Quoted(..) | Kind::Str(_) | Kind::Punct(_) | Kind::End => self.expected("an operand"),
        }
    }
}

/// The base and number of a name.
fn split_name(word: &str) -> Option<(&str, u32)> {
    let (base, number) = word.rsplit_once('_')?;
    let canonical = number == "0" || !number.starts_with('0');
    if !canonical || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((base, number.parse().ok()?))
}

fn prim_from_str(w: &str) -> Option<PrimType> {
    let ints = IntType::ALL.map(PrimType::Int);
    let floats = FloatType::ALL.map(PrimType::Float);
    ints.into_iter().chain(floats).chain([PrimType::Bool, PrimType::Unit]).find(|t| t.to_string() == w)
}

/// A number with its type as suffix; `i64` without one.
fn parse_value(text: &str) -> Option<PrimValue> {
    if let Ok(v) = text.parse() {
        return Some(PrimValue::I64(v));
    }
    let (digits, suffix) = split_suffix(text)?;
    match prim_from_str(suffix)? {
        PrimType::Int(t) => {
            let v: i64 = digits.parse().ok()?;
            let value = PrimValue::int(t, v);
            (value.as_i64() == Some(v)).then_some(value)
        }
        PrimType::Float(t) => {
            if digits == "nan" {
                return Some(usual_nan(t));
            }
            Some(match t {
                FloatType::F64 => PrimValue::F64(digits.parse().ok()?),
                // The text is that of the exact value, so rounding twice does no harm.
                FloatType::F16 | FloatType::F32 => {
                    PrimValue::float(t, f64::from(digits.parse::<f32>().ok()?))
                }
            })
        }
        PrimType::Bool | PrimType::Unit => None,
    }
}

fn usual_nan(t: FloatType) -> PrimValue {
    match t {
        FloatType::F16 => float_of_bits(t, crate::print::NAN16.into()),
        FloatType::F32 => float_of_bits(t, crate::print::NAN32.into()),
        FloatType::F64 => float_of_bits(t, crate::print::NAN64),
    }
}

fn parse_bits(text: &str) -> Option<PrimValue> {
    let (digits, suffix) = split_suffix(text)?;
    let bits: u64 = digits.parse().ok()?;
    match prim_from_str(suffix)? {
        PrimType::Float(t) => Some(float_of_bits(t, bits)),
        PrimType::Int(_) | PrimType::Bool | PrimType::Unit => None,
    }
}

fn float_of_bits(t: FloatType, bits: u64) -> PrimValue {
    match t {
        FloatType::F16 => PrimValue::F16(half::f16::from_bits(bits as u16)),
        FloatType::F32 => PrimValue::F32(f32::from_bits(bits as u32)),
        FloatType::F64 => PrimValue::F64(f64::from_bits(bits)),
    }
}

/// Splits off the type at the end of a literal.
fn split_suffix(text: &str) -> Option<(&str, &str)> {
    ["i8", "i16", "i32", "i64", "f16", "f32", "f64"]
        .into_iter()
        .find_map(|t| text.strip_suffix(t).map(|digits| (digits, t)))
}
