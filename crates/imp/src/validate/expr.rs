//! Checks of expressions.

use super::{Runs, Validator};
use crate::declared::Var;
use crate::syntax::Expr;
use fehu_base::prim::PrimType;
use fehu_ir::visit::deep;

impl Validator<'_> {
    /// An expression of a type.
    pub(super) fn expr_of(&mut self, e: &Expr, ty: PrimType, what: &str) {
        self.expr(e);
        self.check_type(e, ty, what);
    }

    /// That an expression, which was looked at, has a type.
    pub(super) fn check_type(&mut self, e: &Expr, ty: PrimType, what: &str) {
        let found = self.declared.type_of(e);
        if let Some(found) = found.filter(|found| *found != ty) {
            self.fail(format!("{what} is {found}, not {ty}"));
        }
    }

    /// An expression: what it mentions is there, and operands have the types of their operators.
    pub(super) fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Const(_) => {}
            Expr::Var(x) => match self.declared.get(*x) {
                Some(Var::Scalar(_)) => {}
                Some(Var::Mem(_)) => self.fail(format!("{} is a block, but used as a scalar", self.show(*x))),
                None => self.fail(format!("{} is not declared here", self.show(*x))),
            },
            Expr::UnOp(op, a) => self.operand(a, op.operand_type()),
            Expr::Conv(op, a) => self.operand(a, op.operand_type()),
            Expr::BinOp(op, a, b) => [a, b].into_iter().for_each(|e| self.operand(e, op.operand_type())),
            Expr::CmpOp(op, a, b) => [a, b].into_iter().for_each(|e| self.operand(e, op.operand_type())),
            Expr::PrimFn(f, args) => {
                let (types, _) = f.signature();
                self.check(f.is_defined() && types.len() == args.len(), || {
                    format!("there is no {f} of {} operands", args.len())
                });
                args.iter().zip(types).for_each(|(e, ty)| self.operand(e, ty));
            }
            Expr::Select(c, a, b) => {
                self.operand(c, PrimType::Bool);
                self.deep_expr(a);
                self.deep_expr(b);
                if let Some(ty) = self.declared.type_of(a) {
                    self.check_type(b, ty, "the other alternative");
                }
            }
            Expr::Index { mem, offset, elem: _, space } => {
                self.block_in(*mem, space);
                self.operand(offset, PrimType::I64);
            }
            Expr::Param(name) => self.tuning_param(*name),
            Expr::Gpu(_) => {
                self.check(self.runs == Runs::Kernel, || "a thread's number outside of a kernel".into())
            }
        }
    }

    fn operand(&mut self, e: &Expr, ty: PrimType) {
        self.deep_expr(e);
        self.check_type(e, ty, "an operand");
    }

    fn deep_expr(&mut self, e: &Expr) {
        deep(|| self.expr(e));
    }

    /// A tuning parameter of the program.
    pub(super) fn tuning_param(&mut self, name: fehu_base::Symbol) {
        self.check(self.params.contains(&name), || format!("there is no tuning parameter {name}"));
    }

    /// That an expression is known when a kernel is compiled.
    pub(super) fn known_at_compile_time(&mut self, e: &Expr, what: &str) {
        let mut known = true;
        crate::parts::for_each_part(e, &mut |part| {
            known &= !matches!(part, Expr::Var(_) | Expr::Index { .. } | Expr::Gpu(_));
        });
        self.check(known, || format!("{what} is not known when the kernel is compiled"));
    }
}
