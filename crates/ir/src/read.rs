//! The reader: the text that [`crate::print`] writes, back to IR.
//!
//! It trusts nothing: bad text gives a [`ReadError`] with its line. It does not check what the
//! program means; that is for [`crate::validate`]. Comments begin with `--`.

#[cfg(test)]
pub(crate) mod arbitrary;
mod atoms;
mod entry;
mod exp;
mod lex;
mod lmad;
mod ops;
mod schedule;
#[cfg(test)]
mod tests;

use crate::mem::MemInfo;
use crate::op::{Dec, RepOp};
use crate::rep::Rep;
use crate::syntax::*;
use crate::visit::deep;
pub use exp::{operator, Operator};
use fehu_base::{FileId, NameSource, Span, Symbol};
use lex::Token;
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

/// What reading gives.
pub type Read<T> = Result<T, ReadError>;

/// Reads a program of a representation. The first line may name the representation.
pub fn read_prog<R: Rep>(text: &str) -> Result<Prog<R>, ReadError> {
    let mut reader = Reader::new(text)?;
    let mut prog = reader.prog()?;
    prog.names = reader.name_source();
    Ok(prog)
}

/// A text and how far it is read. `atoms` has what every IR's text is made of.
pub struct Reader<'a> {
    /// Ends with an end token.
    tokens: Vec<Token<'a>>,
    next: usize,
    /// The base of each number seen.
    names: FxHashMap<u32, Symbol>,
}

impl<'a> Reader<'a> {
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
        while !self.at_end() {
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

    fn operand(&mut self) -> Read<SubExp> {
        if self.is_name() {
            return Ok(SubExp::Var(self.name()?));
        }
        Ok(SubExp::Const(self.value()?))
    }

    fn operands(&mut self) -> Read<Vec<SubExp>> {
        self.list('[', ']', Self::operand)
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
