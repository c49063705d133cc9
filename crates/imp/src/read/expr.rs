//! Reading expressions.

use super::Text;
use crate::infix::{is_chained, operator_at, LEVELS};
use crate::print::gpu_index;
use crate::syntax::{Expr, GpuIndex};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::read::{operator, Operator, Read};
use fehu_ir::visit::deep;

impl Text<'_> {
    pub(super) fn expr(&mut self) -> Read<Expr> {
        deep(|| {
            let e = self.operand(0)?;
            if !self.r.try_punct('?') {
                return Ok(e);
            }
            let yes = self.operand(0)?;
            self.r.punct(':')?;
            let no = self.operand(0)?;
            Ok(Expr::Select(Box::new(e), Box::new(yes), Box::new(no)))
        })
    }

    /// Operands with operators of this level, or tighter ones, between them.
    fn operand(&mut self, level: usize) -> Read<Expr> {
        let Some(symbols) = LEVELS.get(level) else { return self.atom() };
        let mut e = self.operand(level + 1)?;
        while let Some(symbol) = symbols.iter().find(|s| self.at_symbol(s)) {
            symbol.chars().for_each(|c| {
                self.r.try_punct(c);
            });
            let op = self.operator(symbol, &e)?;
            let right = self.operand(level + 1)?;
            e = self.apply(op, vec![e, right])?;
            if !is_chained(level) {
                break;
            }
        }
        Ok(e)
    }

    fn at_symbol(&self, symbol: &str) -> bool {
        let mut chars = symbol.chars();
        let first = chars.next().is_some_and(|c| self.r.at(c));
        first && chars.next().is_none_or(|c| self.r.then_at(c))
    }

    /// The operator that a symbol stands for: at the type that follows it, or that of its left operand.
    fn operator(&mut self, symbol: &str, left: &Expr) -> Read<Operator> {
        let written = match self.r.next_word() {
            Some("i8" | "i16" | "i32" | "i64" | "f16" | "f32" | "f64" | "bool" | "unit") => {
                Some(self.r.prim_type()?)
            }
            Some(_) | None => None,
        };
        let logical = matches!(symbol, "&&" | "||").then_some(PrimType::Bool);
        let Some(ty) = written.or(logical).or_else(|| self.declared.type_of(left)) else {
            return self.r.fail(format!("the type of the operand before {symbol} is not known here"));
        };
        match operator_at(symbol, ty) {
            Some(op) => Ok(op),
            None => self.r.fail(format!("there is no {symbol} at {ty}")),
        }
    }

    fn apply(&mut self, op: Operator, args: Vec<Expr>) -> Read<Expr> {
        if let Operator::Fn(f) = op {
            return Ok(Expr::PrimFn(f, args));
        }
        let mut args = args.into_iter().map(Box::new);
        let e = match (op, args.next(), args.next()) {
            (Operator::Un(op), Some(a), None) => Expr::UnOp(op, a),
            (Operator::Conv(op), Some(a), None) => Expr::Conv(op, a),
            (Operator::Bin(op), Some(a), Some(b)) => Expr::BinOp(op, a, b),
            (Operator::Cmp(op), Some(a), Some(b)) => Expr::CmpOp(op, a, b),
            (
                Operator::Un(_) | Operator::Conv(_) | Operator::Bin(_) | Operator::Cmp(_) | Operator::Fn(_),
                _,
                _,
            ) => {
                return self.r.fail("wrong number of operands");
            }
        };
        match args.next() {
            None => Ok(e),
            Some(_) => self.r.fail("wrong number of operands"),
        }
    }

    fn atom(&mut self) -> Read<Expr> {
        if self.r.is_name() {
            let x = self.r.name()?;
            if self.r.at('.') || self.r.at('@') {
                let space = self.space_of(x)?;
                let (elem, offset) = self.element()?;
                return Ok(Expr::Index { mem: x, offset: Box::new(offset), elem, space });
            }
            return Ok(Expr::Var(x));
        }
        if self.r.at('(') && !self.r.then_at(')') {
            self.r.punct('(')?;
            let e = self.expr()?;
            self.r.punct(')')?;
            return Ok(e);
        }
        let Some(word) = self.r.next_word() else { return Ok(Expr::Const(self.r.value()?)) };
        if let Some(op) = operator(word) {
            self.r.word(word)?;
            let args = self.list('(', ')', Self::expr)?;
            return self.apply(op, args);
        }
        if word == "param" {
            self.r.word("param")?;
            self.r.punct('(')?;
            let name = self.r.symbol()?;
            self.r.punct(')')?;
            return Ok(Expr::Param(name));
        }
        let indices = [
            GpuIndex::Local,
            GpuIndex::Block,
            GpuIndex::BlockSize,
            GpuIndex::GridSize,
            GpuIndex::MatrixUnits,
        ];
        if let Some(index) = indices.into_iter().find(|i| gpu_index(*i) == word) {
            self.r.word(word)?;
            return Ok(Expr::Gpu(index));
        }
        Ok(Expr::Const(self.r.value()?))
    }

    /// The type and the offset of an element, after its block.
    pub(super) fn element(&mut self) -> Read<(PrimType, Expr)> {
        self.r.punct('.')?;
        let elem = self.r.prim_type()?;
        self.r.punct('[')?;
        let offset = self.expr()?;
        self.r.punct(']')?;
        Ok((elem, offset))
    }

    /// A block and an element of it.
    pub(super) fn element_of(&mut self) -> Read<(Name, fehu_ir::Space, PrimType, Expr)> {
        let mem = self.r.name()?;
        let space = self.space_of(mem)?;
        let (elem, offset) = self.element()?;
        Ok((mem, space, elem, offset))
    }
}
