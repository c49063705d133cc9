//! Reading statements.

use super::ops::ReadOp;
use super::Text;
use crate::syntax::{Arg, ArrayData, Code, ErrorPart, Expr, Loc, Order, Param, Place, Space};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::read::Read;
use fehu_ir::visit::deep;
use std::sync::Arc;

impl Text<'_> {
    /// Code in braces.
    pub(super) fn scope<O: ReadOp>(&mut self) -> Read<Code<O>> {
        deep(|| {
            self.r.punct('{')?;
            let mut codes = vec![];
            while !self.r.try_punct('}') {
                self.statement(&mut codes)?;
            }
            Ok(Code::Seq(codes))
        })
    }

    pub(super) fn boxed_scope<O: ReadOp>(&mut self) -> Read<Box<Code<O>>> {
        Ok(Box::new(self.scope()?))
    }

    /// Adds the next statement; a declaration with a value is two.
    fn statement<O: ReadOp>(&mut self, out: &mut Vec<Code<O>>) -> Read<()> {
        if self.r.is_name() {
            return self.of_variable(out);
        }
        let Some(word) = self.r.next_word() else { return self.r.expected("a statement") };
        let code = match word {
            "copy" => {
                self.r.word(word)?;
                let elem = self.r.prim_type()?;
                let shape = self.list('[', ']', Self::expr)?;
                let dst = self.place()?;
                self.left_arrow()?;
                Code::Copy { elem, shape, dst, src: self.place()? }
            }
            "for" => {
                self.r.word(word)?;
                let order = if self.r.try_word("reducing") { Order::Reduction } else { Order::Sequential };
                let (var, ty, bound) = self.for_head()?;
                Code::For { var, ty, bound, order, body: self.boxed_scope()? }
            }
            "while" => {
                self.r.word(word)?;
                let cond = self.expr()?;
                Code::While(cond, self.boxed_scope()?)
            }
            "if" => self.branch()?,
            "call" => {
                self.r.word(word)?;
                let fun = self.r.name()?;
                let args = self.args()?;
                let outs = if self.r.at('-') {
                    self.arrow()?;
                    self.list('(', ')', |t| t.r.name())?
                } else {
                    vec![]
                };
                Code::Call { outs, fun, args }
            }
            "assert" => self.assert()?,
            _ => match O::read(self, word)? {
                Some(op) => Code::Op(op),
                None => return self.r.expected("a statement"),
            },
        };
        out.push(code);
        Ok(())
    }

    /// A loop up to its body: the variable, its type, the bound.
    pub(super) fn for_head(&mut self) -> Read<(Name, IntType, Expr)> {
        let var = self.r.name()?;
        self.r.punct(':')?;
        let ty = self.r.int_type()?;
        self.declared.scalar(var, PrimType::Int(ty));
        self.r.punct('<')?;
        Ok((var, ty, self.expr()?))
    }

    /// A statement that begins with a variable: it is declared, assigned, or written to.
    fn of_variable<O: ReadOp>(&mut self, out: &mut Vec<Code<O>>) -> Read<()> {
        let x = self.r.name()?;
        if self.r.try_punct(':') {
            return self.declare(x, out);
        }
        let space = self.space_of(x)?;
        let code = if self.r.at('.') {
            let (elem, offset) = self.element()?;
            self.left_arrow()?;
            Code::Write { mem: x, offset, elem, space, value: self.expr()? }
        } else {
            self.r.punct('=')?;
            self.assigned(x, space)?
        };
        out.push(code);
        Ok(())
    }

    fn declare<O: ReadOp>(&mut self, x: Name, out: &mut Vec<Code<O>>) -> Read<()> {
        if self.r.try_word("static") {
            let elem = self.r.prim_type()?;
            let values = self.list('[', ']', |t| t.r.value())?;
            if values.iter().any(|v| v.prim_type() != elem) {
                return self.r.fail(format!("an element of this array is not of type {elem}"));
            }
            self.declared.block(x, &Space::Default);
            out.push(Code::DeclareStatic(x, Arc::new(ArrayData { elem, values })));
        } else if let Some(op) = O::read_declared(self, x)? {
            out.push(Code::Op(op));
        } else {
            match self.declaration(x)? {
                Param::Mem(m, space) => out.push(Code::DeclareMem(m, space)),
                Param::Scalar(x, ty) => {
                    out.push(Code::DeclareScalar(x, ty));
                    if self.r.try_punct('=') {
                        out.push(Code::SetScalar(x, self.expr()?));
                    }
                }
            }
        }
        Ok(())
    }

    /// What a variable is assigned.
    fn assigned<O: ReadOp>(&mut self, x: Name, space: Space) -> Read<Code<O>> {
        let Some(word) = self.r.next_word() else { return Ok(Code::SetScalar(x, self.expr()?)) };
        if self.r.try_word("mem") {
            return Ok(Code::SetMem(x, self.r.name()?, space));
        }
        Ok(match O::read_assigned(self, x, &space, word)? {
            Some(op) => Code::Op(op),
            None => Code::SetScalar(x, self.expr()?),
        })
    }

    fn branch<O: ReadOp>(&mut self) -> Read<Code<O>> {
        self.r.word("if")?;
        let cond = self.expr()?;
        let yes = self.boxed_scope()?;
        let no = if !self.r.try_word("else") {
            Code::Seq(vec![])
        } else if self.r.at_word("if") {
            Code::Seq(vec![deep(|| self.branch())?])
        } else {
            self.scope()?
        };
        Ok(Code::If(cond, yes, Box::new(no)))
    }

    pub(super) fn args(&mut self) -> Read<Vec<Arg>> {
        self.list('(', ')', |t| {
            if t.r.try_word("mem") {
                return Ok(Arg::Mem(t.r.name()?));
            }
            Ok(Arg::Scalar(t.expr()?))
        })
    }

    fn assert<O: ReadOp>(&mut self) -> Read<Code<O>> {
        self.r.word("assert")?;
        self.r.punct('(')?;
        let cond = self.expr()?;
        let message = self.message()?;
        self.r.punct(')')?;
        Ok(Code::Assert { cond, message, loc: Loc::none() })
    }

    /// Parts of a message, with a comma before each.
    pub(super) fn message(&mut self) -> Read<Vec<ErrorPart>> {
        let mut message = vec![];
        while self.r.try_punct(',') {
            if self.r.at_string() {
                message.push(ErrorPart::Text(self.r.string()?));
            } else {
                let e = self.expr()?;
                self.r.punct(':')?;
                message.push(ErrorPart::Value(e, self.r.scalar_type()?));
            }
        }
        Ok(message)
    }

    fn place(&mut self) -> Read<Place> {
        let mem = self.r.name()?;
        let space = self.space_of(mem)?;
        self.r.punct('[')?;
        let offset = self.expr()?;
        self.r.punct(';')?;
        let strides = self.items(']', Self::expr)?;
        Ok(Place { mem, space, offset, strides })
    }

    pub(super) fn left_arrow(&mut self) -> Read<()> {
        self.r.punct('<')?;
        self.r.punct('-')
    }
}
