//! Statements that compute a scalar, and checks.

use crate::translate::machine::Machine;
use crate::translate::state::{Context, Translate};
use fehu_base::bug;
use fehu_imp::syntax::{Code, ErrorPart, Expr};
use fehu_ir::{Basic, Exp, Loc, Memory, PatElem, SubExp, Type};

impl<M: Machine> Translate<'_, M> {
    pub(super) fn scalar(&mut self, p: &PatElem<Memory>, exp: &Exp<Memory>) {
        if let Exp::Basic(Basic::SubExp(e) | Basic::Opaque(e)) = exp {
            return self.alias(p, *e);
        }
        M::note_size(self, p.name, exp);
        let value = match self.in_kernel.instead.get(&p.name) {
            Some(value) => value.clone(),
            None => self.scalar_expr(exp),
        };
        self.declare(p.name, &p.ty);
        self.emit(Code::SetScalar(p.name, value));
    }

    fn scalar_expr(&mut self, exp: &Exp<Memory>) -> Expr {
        match exp {
            Exp::Basic(Basic::UnOp(op, x)) => Expr::UnOp(*op, Box::new(self.operand(*x))),
            Exp::Basic(Basic::BinOp(op, x, y)) => {
                Expr::BinOp(*op, Box::new(self.operand(*x)), Box::new(self.operand(*y)))
            }
            Exp::Basic(Basic::CmpOp(op, x, y)) => {
                Expr::CmpOp(*op, Box::new(self.operand(*x)), Box::new(self.operand(*y)))
            }
            Exp::Basic(Basic::Conv(op, x)) => Expr::Conv(*op, Box::new(self.operand(*x))),
            Exp::Basic(Basic::PrimFn(f, xs)) => {
                Expr::PrimFn(*f, xs.iter().map(|x| self.operand(*x)).collect())
            }
            Exp::Basic(Basic::Index(a, slice)) => {
                let at = self.place_of(*a).sliced(slice);
                self.read(&at)
            }
            other @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => bug!("{other:?} gives no scalar"),
        }
    }

    pub(super) fn assert(&mut self, cond: SubExp, parts: &[fehu_ir::ErrorPart], loc: Loc) {
        let message = parts.iter().map(|part| match part {
            fehu_ir::ErrorPart::Text(text) => ErrorPart::Text(text.clone()),
            fehu_ir::ErrorPart::Value(e, ty) => ErrorPart::Value(self.operand(*e), *ty),
        });
        let message = message.collect();
        let cond = self.operand(cond);
        self.emit(Code::Assert { cond, message, loc });
    }
}

impl Context {
    /// Whether the operand is an array.
    pub(super) fn is_array(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| matches!(self.types.get(&n), Some(Type::Array(..))))
    }
}
