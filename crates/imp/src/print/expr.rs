//! The text of expressions.

use super::Text;
use crate::infix::{is_chained, level, symbol_of_binary, symbol_of_comparison};
use crate::syntax::{Expr, GpuIndex, Space};
use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::Name;
use fehu_ir::visit::deep;
use std::fmt::Display;

impl Text<'_> {
    /// An expression that ends where its surroundings say so.
    pub(super) fn expr(&mut self, e: &Expr) {
        let Expr::Select(c, a, b) = e else { return self.operand(e, 0) };
        self.operand(c, 0);
        self.p.put(" ? ");
        self.operand(a, 0);
        self.p.put(" : ");
        self.operand(b, 0);
    }

    /// An operand of an operator that binds so tightly: in parentheses if it binds less.
    fn operand(&mut self, e: &Expr, outer: usize) {
        deep(|| match e {
            Expr::Const(PrimValue::I64(v)) => self.p.put(v),
            Expr::Const(v) => self.p.value(*v),
            Expr::Var(x) => self.p.name(*x),
            Expr::UnOp(op, a) => self.call(op, &[a]),
            Expr::Conv(op, a) => self.call(op, &[a]),
            Expr::BinOp(op, a, b) => match symbol_of_binary(*op) {
                Some(symbol) => self.infix(symbol, op.operand_type(), a, b, outer),
                None => self.call(op, &[a, b]),
            },
            Expr::CmpOp(op, a, b) => match symbol_of_comparison(*op) {
                Some(symbol) => self.infix(symbol, op.operand_type(), a, b, outer),
                None => self.call(op, &[a, b]),
            },
            Expr::PrimFn(f, args) => self.call(f, &args.iter().collect::<Vec<_>>()),
            Expr::Select(..) => {
                self.p.put("(");
                self.expr(e);
                self.p.put(")");
            }
            Expr::Index { mem, offset, elem, space } => self.element(*mem, space, *elem, offset),
            Expr::Param(name) => {
                self.p.put("param(");
                self.p.symbol(*name);
                self.p.put(")");
            }
            Expr::Gpu(index) => self.p.put(gpu_index(*index)),
        });
    }

    fn infix(&mut self, symbol: &str, ty: PrimType, a: &Expr, b: &Expr, outer: usize) {
        let level = level(symbol);
        let parens = level < outer;
        if parens {
            self.p.put("(");
        }
        self.operand(a, if is_chained(level) { level } else { level + 1 });
        let logical = matches!(symbol, "&&" | "||");
        if logical || self.declared.type_of(a) == Some(ty) {
            self.p.put(format_args!(" {symbol} "));
        } else {
            self.p.put(format_args!(" {symbol}{ty} "));
        }
        self.operand(b, level + 1);
        if parens {
            self.p.put(")");
        }
    }

    fn call(&mut self, function: impl Display, args: &[&Expr]) {
        self.p.put(function);
        self.p.put("(");
        self.list(args, |t, e| t.expr(e));
        self.p.put(")");
    }

    /// An element of a block.
    pub(super) fn element(&mut self, mem: Name, space: &Space, elem: PrimType, offset: &Expr) {
        self.block(mem, space);
        self.at(elem, offset);
    }

    /// The type of an element and where it is.
    pub(super) fn at(&mut self, elem: PrimType, offset: &Expr) {
        self.p.put(format_args!(".{elem}["));
        self.expr(offset);
        self.p.put("]");
    }
}

/// The word for where a thread is.
pub(crate) fn gpu_index(index: GpuIndex) -> &'static str {
    match index {
        GpuIndex::Local => "local_id",
        GpuIndex::Block => "block_id",
        GpuIndex::BlockSize => "block_size",
        GpuIndex::GridSize => "grid_size",
        GpuIndex::MatrixUnits => "matrix_units",
    }
}
