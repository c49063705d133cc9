//! Reading expressions.

use super::lex::Kind;
use super::{Read, Reader};
use crate::rep::Rep;
use crate::syntax::*;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, PrimFn, UnOp};
use fehu_base::prim::ScalarType;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// An operator of any kind.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Operator {
    Un(UnOp),
    Bin(BinOp),
    Cmp(CmpOp),
    Conv(ConvOp),
    Fn(PrimFn),
}

/// All operators by their spelling.
fn operators() -> &'static FxHashMap<String, Operator> {
    static TABLE: OnceLock<FxHashMap<String, Operator>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut all: Vec<(String, Operator)> = vec![];
        all.extend(UnOp::all().into_iter().map(|op| (op.to_string(), Operator::Un(op))));
        all.extend(BinOp::all().into_iter().map(|op| (op.to_string(), Operator::Bin(op))));
        all.extend(CmpOp::all().into_iter().map(|op| (op.to_string(), Operator::Cmp(op))));
        all.extend(ConvOp::all().into_iter().map(|op| (op.to_string(), Operator::Conv(op))));
        all.extend(PrimFn::all().into_iter().map(|op| (op.to_string(), Operator::Fn(op))));
        all.into_iter().collect()
    })
}

/// The operator that is spelled so.
pub fn operator(word: &str) -> Option<Operator> {
    operators().get(word).copied()
}

impl Reader<'_> {
    pub(super) fn exp<R: Rep>(&mut self) -> Read<Exp<R>> {
        if self.is_name() {
            return self.after_name();
        }
        if self.at('[') {
            let es = self.operands()?;
            self.punct(':')?;
            return Ok(Exp::Basic(Basic::ArrayLit(es, self.ty()?)));
        }
        let Kind::Word(word) = self.peek().kind else {
            return Ok(Exp::Basic(Basic::SubExp(self.operand()?)));
        };
        if let Some(op) = operator(word) {
            self.take();
            return self.operator(op);
        }
        match word {
            "opaque" => {
                self.take();
                self.punct('(')?;
                let e = self.operand()?;
                self.punct(')')?;
                Ok(Exp::Basic(Basic::Opaque(e)))
            }
            "assert" => {
                self.take();
                self.assert()
            }
            "data" => {
                self.take();
                let elem = self.prim_type()?;
                let values = self.list('[', ']', Self::value)?;
                if values.iter().any(|v| v.prim_type() != elem) {
                    return self.fail(format!("an element of this array is not of type {elem}"));
                }
                Ok(Exp::Basic(Basic::ArrayConst(Arc::new(ArrayData { elem, values }))))
            }
            "flat" => {
                self.take();
                self.flat()
            }
            "iota" => {
                self.take();
                let ty = self.int_type()?;
                self.punct('(')?;
                let n = self.operand()?;
                self.punct(',')?;
                let start = self.operand()?;
                self.punct(',')?;
                let step = self.operand()?;
                self.punct(')')?;
                Ok(Exp::Basic(Basic::Iota { n, start, step, ty }))
            }
            "replicate" => {
                self.take();
                Ok(Exp::Basic(Basic::Replicate(self.shape()?, self.operand()?)))
            }
            "scratch" => {
                self.take();
                Ok(Exp::Basic(Basic::Scratch(self.prim_type()?, self.shape()?)))
            }
            "copy" => {
                self.take();
                self.punct('(')?;
                let a = self.name()?;
                self.punct(')')?;
                Ok(Exp::Basic(Basic::Copy(a)))
            }
            "manifest" => {
                self.take();
                Ok(Exp::Basic(Basic::Manifest(self.perm()?, self.name()?)))
            }
            "concat" => {
                self.take();
                Ok(Exp::Basic(Basic::Concat {
                    dim: self.number()?,
                    arrays: self.name_list()?,
                    size: self.operand()?,
                }))
            }
            "rearrange" => {
                self.take();
                Ok(Exp::Basic(Basic::Rearrange(self.perm()?, self.name()?)))
            }
            "reshape" => {
                self.take();
                Ok(Exp::Basic(Basic::Reshape(self.shape()?, self.name()?)))
            }
            "update_acc" => {
                self.take();
                Ok(Exp::Basic(Basic::UpdateAcc(self.name()?, self.operands()?, self.operands()?)))
            }
            "call" => {
                self.take();
                Ok(Exp::Call(self.name()?, self.list('(', ')', Self::operand)?))
            }
            "if" => {
                self.take();
                let cond = self.operand()?;
                self.word("then")?;
                let t = self.body()?;
                self.word("else")?;
                Ok(Exp::If(cond, Box::new(t), Box::new(self.body()?)))
            }
            "loop" => {
                self.take();
                Ok(Exp::Loop(Box::new(self.loop_()?)))
            }
            "with_acc" => {
                self.take();
                Ok(Exp::WithAcc(Box::new(self.with_acc()?)))
            }
            _ => match self.op::<R>()? {
                Some(op) => Ok(Exp::Op(op)),
                None => Ok(Exp::Basic(Basic::SubExp(self.operand()?))),
            },
        }
    }

    fn after_name<R: Rep>(&mut self) -> Read<Exp<R>> {
        let name = self.name()?;
        if self.at('[') {
            return Ok(Exp::Basic(Basic::Index(name, self.slice()?)));
        }
        if self.try_word("with") {
            let slice = self.slice()?;
            self.punct('=')?;
            return Ok(Exp::Basic(Basic::Update(name, slice, self.operand()?)));
        }
        Ok(Exp::Basic(Basic::SubExp(SubExp::Var(name))))
    }

    fn operator<R: Rep>(&mut self, op: Operator) -> Read<Exp<R>> {
        let args = self.list('(', ')', Self::operand)?;
        match (op, args.as_slice()) {
            (Operator::Un(op), [x]) => Ok(Exp::Basic(Basic::UnOp(op, *x))),
            (Operator::Bin(op), [x, y]) => Ok(Exp::Basic(Basic::BinOp(op, *x, *y))),
            (Operator::Cmp(op), [x, y]) => Ok(Exp::Basic(Basic::CmpOp(op, *x, *y))),
            (Operator::Conv(op), [x]) => Ok(Exp::Basic(Basic::Conv(op, *x))),
            (Operator::Fn(f), _) => Ok(Exp::Basic(Basic::PrimFn(f, args))),
            (Operator::Un(_) | Operator::Bin(_) | Operator::Cmp(_) | Operator::Conv(_), _) => {
                self.fail("wrong number of operands")
            }
        }
    }

    fn assert<R: Rep>(&mut self) -> Read<Exp<R>> {
        self.punct('(')?;
        let cond = self.operand()?;
        let mut parts = vec![];
        while self.try_punct(',') {
            if matches!(self.peek().kind, Kind::Str(_)) {
                parts.push(ErrorPart::Text(self.string()?));
            } else {
                let e = self.operand()?;
                self.punct(':')?;
                parts.push(ErrorPart::Value(e, self.scalar_type()?));
            }
        }
        self.punct(')')?;
        Ok(Exp::Basic(Basic::Assert(cond, parts, self.purpose()?)))
    }

    fn purpose(&mut self) -> Read<Purpose> {
        if self.try_word("stays") {
            return Ok(Purpose::Program);
        }
        if !self.try_word("sizes") {
            return Ok(Purpose::Values);
        }
        let sizes = self.shape()?;
        let runs = if self.try_word("if") { self.shape()? } else { vec![] };
        Ok(Purpose::Sizes { sizes, runs })
    }

    /// A type of the source language, signedness included.
    pub fn scalar_type(&mut self) -> Read<ScalarType> {
        if let Kind::Word(w) = self.peek().kind {
            if let Some(t) = ScalarType::named(w) {
                self.take();
                return Ok(t);
            }
        }
        self.expected("a scalar type")
    }

    fn slice(&mut self) -> Read<Slice> {
        self.list('[', ']', |r| {
            let start = r.operand()?;
            if !r.try_punct(':') {
                return Ok(DimIndex::Fix(start));
            }
            r.punct('+')?;
            let len = r.operand()?;
            r.punct('*')?;
            Ok(DimIndex::Slice { start, len, stride: r.operand()? })
        })
    }

    fn flat<R: Rep>(&mut self) -> Read<Exp<R>> {
        let name = self.name()?;
        let update = self.try_word("with");
        self.punct('[')?;
        let offset = self.operand()?;
        self.punct(';')?;
        let dims = self.items(']', Self::pair)?;
        if !update {
            return Ok(Exp::Basic(Basic::FlatIndex(name, offset, dims)));
        }
        self.punct('=')?;
        Ok(Exp::Basic(Basic::FlatUpdate(name, offset, dims, self.name()?)))
    }

    pub(super) fn pair(&mut self) -> Read<(SubExp, SubExp)> {
        self.punct('(')?;
        let a = self.operand()?;
        self.punct(',')?;
        let b = self.operand()?;
        self.punct(')')?;
        Ok((a, b))
    }

    pub(super) fn perm(&mut self) -> Read<Vec<usize>> {
        self.list('[', ']', Self::number)
    }

    fn loop_<R: Rep>(&mut self) -> Read<Loop<R>> {
        let params = self.list('(', ')', |r| {
            let param = r.param()?;
            r.punct('=')?;
            Ok((param, r.operand()?))
        })?;
        let form = if self.try_word("for") {
            let var = self.name()?;
            self.punct(':')?;
            let ty = self.int_type()?;
            self.punct('<')?;
            LoopForm::For { var, ty, bound: self.operand()? }
        } else {
            self.word("while")?;
            LoopForm::While(self.name()?)
        };
        Ok(Loop { params, form, body: self.body()? })
    }

    pub(super) fn lambda<R: Rep>(&mut self) -> Read<Lambda<R>> {
        self.punct('\\')?;
        let params = self.list('(', ')', Self::param)?;
        self.punct(':')?;
        let ret = self.types()?;
        Ok(Lambda { params, body: self.body()?, ret })
    }

    fn with_acc<R: Rep>(&mut self) -> Read<WithAcc<R>> {
        let mut inputs = vec![];
        while self.try_word("input") {
            let shape = self.shape()?;
            let arrays = self.name_list()?;
            let op = if self.try_word("op") {
                let neutral = self.operands()?;
                Some((self.lambda()?, neutral))
            } else {
                None
            };
            inputs.push(AccInput { shape, arrays, op });
        }
        self.word("do")?;
        Ok(WithAcc { inputs, lambda: self.lambda()? })
    }
}
