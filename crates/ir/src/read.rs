//! The reader: the text that [`crate::print`] writes, back to IR.
//!
//! It trusts nothing: bad text gives a [`ReadError`] with its line. It does not check what the
//! program means; that is for [`crate::validate`]. Comments begin with `--`.

#[cfg(test)]
pub(crate) mod arbitrary;
mod entry;
mod exp;
mod lex;
mod lmad;
mod ops;
#[cfg(test)]
mod tests;

use crate::mem::MemInfo;
use crate::op::{Dec, RepOp};
use crate::rep::Rep;
use crate::syntax::*;
use crate::visit::deep;
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue};
use fehu_base::{FileId, Name, NameSource, Span, Symbol};
use lex::{Kind, Token};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why a text is not IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ReadError {}

type Read<T> = Result<T, ReadError>;

/// Reads a program of a representation. The first line may name the representation.
pub fn read_prog<R: Rep>(text: &str) -> Result<Prog<R>, ReadError> {
    let mut reader = Reader { tokens: lex::tokens(text)?, next: 0, names: FxHashMap::default() };
    let mut prog = reader.prog()?;
    prog.names = reader.name_source()?;
    Ok(prog)
}

/// The representation that the first word of a dump names, if it does.
pub fn dumped_rep(text: &str) -> Option<&'static str> {
    let tokens = lex::tokens(text).ok()?;
    ["soacs", "kernels", "memory"].into_iter().find(|rep| tokens[0].is_word(rep))
}

/// More names than this in one text are a mistake.
const MAX_NAMES: u32 = 1 << 26;

struct Reader<'a> {
    /// Ends with an end token.
    tokens: Vec<Token<'a>>,
    next: usize,
    /// The base of each number seen.
    names: FxHashMap<u32, Symbol>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> &Token<'a> {
        &self.tokens[self.next]
    }

    fn peek2(&self) -> &Token<'a> {
        &self.tokens[(self.next + 1).min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        if self.next + 1 < self.tokens.len() {
            self.next += 1;
        }
        token
    }

    fn fail<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(ReadError { line: self.peek().line, message: message.into() })
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        self.fail(format!("expected {what}, found {}", self.peek().describe()))
    }

    fn at(&self, c: char) -> bool {
        self.peek().is_punct(c)
    }

    fn at_word(&self, w: &str) -> bool {
        self.peek().is_word(w)
    }

    fn try_punct(&mut self, c: char) -> bool {
        let found = self.at(c);
        if found {
            self.take();
        }
        found
    }

    fn try_word(&mut self, w: &str) -> bool {
        let found = self.at_word(w);
        if found {
            self.take();
        }
        found
    }

    fn punct(&mut self, c: char) -> Read<()> {
        if self.try_punct(c) {
            Ok(())
        } else {
            self.expected(&format!("'{c}'"))
        }
    }

    fn word(&mut self, w: &str) -> Read<()> {
        if self.try_word(w) {
            Ok(())
        } else {
            self.expected(&format!("'{w}'"))
        }
    }

    /// Things with commas between them, between two marks.
    fn list<T>(&mut self, open: char, close: char, f: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.punct(open)?;
        self.items(close, f)
    }

    /// The rest of a list, its end included.
    fn items<T>(&mut self, close: char, mut f: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
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

    fn string(&mut self) -> Read<String> {
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
    fn number<T: std::str::FromStr>(&mut self) -> Read<T> {
        if let Kind::Num(text) = self.peek().kind {
            if let Ok(n) = text.parse() {
                self.take();
                return Ok(n);
            }
        }
        self.expected("a number")
    }

    fn is_name(&self) -> bool {
        match self.peek().kind {
            Kind::Word(w) => split_name(w).is_some(),
            Kind::Quoted(..) => true,
            Kind::Str(_) | Kind::Num(_) | Kind::Punct(_) | Kind::End => false,
        }
    }

    fn name(&mut self) -> Read<Name> {
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

    fn name_list(&mut self) -> Read<Vec<Name>> {
        self.list('[', ']', Self::name)
    }

    fn name_source(&self) -> Read<NameSource> {
        let mut source = NameSource::new();
        let len = self.names.keys().max().map_or(0, |n| n + 1);
        let unused = Symbol::new("unused");
        for n in 0..len {
            source.fresh(self.names.get(&n).copied().unwrap_or(unused));
        }
        Ok(source)
    }

    fn prog<R: Rep>(&mut self) -> Read<Prog<R>> {
        for rep in ["soacs", "kernels", "memory"] {
            if rep != R::Op::NAME && self.at_word(rep) {
                return self.fail(format!("this is a program over {rep}, not {}", R::Op::NAME));
            }
        }
        self.try_word(R::Op::NAME);
        let opaques = self.opaques()?;
        let consts =
            if self.try_word("consts") { self.body()? } else { Body { stms: vec![], result: vec![] } };
        let mut funs = vec![];
        while self.peek().kind != Kind::End {
            funs.push(self.fun()?);
        }
        Ok(Prog { consts, funs, opaques, names: NameSource::new() })
    }

    fn fun<R: Rep>(&mut self) -> Read<FunDef<R>> {
        let attrs = self.attrs()?;
        let entry = self.entry()?;
        self.word("fun")?;
        let name = self.name()?;
        let params = self.list('(', ')', Self::param)?;
        self.punct(':')?;
        let ret = self.list('(', ')', |r| Ok(FunRet { ty: r.ret_type()?, dec: r.dec::<R>()? }))?;
        self.punct('=')?;
        let body = self.body()?;
        let loc = self.loc()?;
        Ok(FunDef { name, entry, attrs, params, ret, body, loc })
    }

    fn ret_type(&mut self) -> Read<RetType> {
        if self.try_word("mem") {
            return Ok(RetType::Mem(self.space_in_parens()?));
        }
        let unique = self.try_punct('*');
        let mut shape = vec![];
        while self.try_punct('[') {
            shape.push(if self.try_punct('?') {
                ExtSize::Ext(self.number()?)
            } else {
                ExtSize::Free(self.operand()?)
            });
            self.punct(']')?;
        }
        let elem = self.prim_type()?;
        Ok(if shape.is_empty() && !unique {
            RetType::Prim(elem)
        } else {
            RetType::Array { elem, shape, unique }
        })
    }

    fn param<R: Rep>(&mut self) -> Read<Param<R>> {
        let consumed = self.try_punct('*');
        let name = self.name()?;
        self.punct(':')?;
        let ty = self.ty()?;
        let dec = self.dec::<R>()?;
        Ok(Param { name, ty, dec, consumed })
    }

    fn dec<R: Rep>(&mut self) -> Read<R::Dec> {
        let info = if self.try_punct('@') {
            let block = self.name()?;
            self.punct('-')?;
            self.punct('>')?;
            MemInfo::Array { block, lmad: self.lmad()? }
        } else {
            MemInfo::None
        };
        match R::Dec::from_memory(info) {
            Some(dec) => Ok(dec),
            None => self.fail(format!("{} has no memory", R::Op::NAME)),
        }
    }

    fn prim_type(&mut self) -> Read<PrimType> {
        if let Kind::Word(w) = self.peek().kind {
            if let Some(t) = prim_from_str(w) {
                self.take();
                return Ok(t);
            }
        }
        self.expected("a primitive type")
    }

    fn int_type(&mut self) -> Read<IntType> {
        match self.prim_type()? {
            PrimType::Int(t) => Ok(t),
            PrimType::Float(_) | PrimType::Bool | PrimType::Unit => self.fail("expected an integer type"),
        }
    }

    fn ty(&mut self) -> Read<Type> {
        if self.try_word("mem") {
            return Ok(Type::Mem(self.space_in_parens()?));
        }
        if self.try_word("acc") {
            self.punct('(')?;
            let token = self.name()?;
            self.punct(',')?;
            let shape = self.shape()?;
            self.punct(',')?;
            let elems = self.types()?;
            self.punct(')')?;
            return Ok(Type::Acc(token, shape, elems));
        }
        let mut shape = vec![];
        while self.try_punct('[') {
            shape.push(self.operand()?);
            self.punct(']')?;
        }
        let elem = self.prim_type()?;
        Ok(Type::Prim(elem).array_of(&shape))
    }

    fn types(&mut self) -> Read<Vec<Type>> {
        self.list('(', ')', Self::ty)
    }

    fn shape(&mut self) -> Read<Shape> {
        self.list('[', ']', Self::operand)
    }

    fn space_in_parens(&mut self) -> Read<Space> {
        self.punct('(')?;
        let space = self.space()?;
        self.punct(')')?;
        Ok(space)
    }

    fn space(&mut self) -> Read<Space> {
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

    fn operand(&mut self) -> Read<SubExp> {
        if self.is_name() {
            return Ok(SubExp::Var(self.name()?));
        }
        Ok(SubExp::Const(self.value()?))
    }

    fn operands(&mut self) -> Read<Vec<SubExp>> {
        self.list('[', ']', Self::operand)
    }

    fn value(&mut self) -> Read<PrimValue> {
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

    fn body<R: Rep>(&mut self) -> Read<Body<R>> {
        deep(|| {
            let stms = self.stms()?;
            let result = self.list('(', ')', Self::operand)?;
            self.punct('}')?;
            Ok(Body { stms, result })
        })
    }

    /// The beginning of a body, up to and with `return`.
    fn stms<R: Rep>(&mut self) -> Read<Vec<Stm<R>>> {
        self.punct('{')?;
        let mut stms = vec![];
        while !self.try_word("return") {
            stms.push(self.stm()?);
        }
        Ok(stms)
    }

    fn stm<R: Rep>(&mut self) -> Read<Stm<R>> {
        let attrs = self.attrs()?;
        self.word("let")?;
        let pat = self.list('(', ')', |r| {
            let name = r.name()?;
            r.punct(':')?;
            Ok(PatElem { name, ty: r.ty()?, dec: r.dec::<R>()? })
        })?;
        self.punct('=')?;
        let certs = if self.at('<') { self.list('<', '>', Self::name)? } else { vec![] };
        let exp = self.exp()?;
        let loc = self.loc()?;
        Ok(Stm { pat, certs, attrs, loc, exp })
    }

    fn loc(&mut self) -> Read<Loc> {
        if !self.try_punct('@') {
            return Ok(Loc::none());
        }
        let mut spans = vec![];
        while self.try_punct('(') {
            if self.try_punct(')') {
                spans.push(Span::NONE);
                continue;
            }
            let file = FileId(self.number()?);
            let (lo, hi) = (self.number()?, self.number()?);
            self.punct(')')?;
            spans.push(Span::new(file, lo, hi));
        }
        let mut loc: Option<Loc> = None;
        for span in spans.into_iter().rev() {
            loc = Some(Loc { span, caller: loc.map(Arc::new) });
        }
        loc.map_or_else(|| self.expected("a location"), Ok)
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
