//! What is declared at a point of a program, and so the types of expressions there.
//!
//! The text of a program leaves out what declarations say already: `x + y` is an addition at the type of `x`, and
//! `xs.f32[i]` reads from the space of `xs`. Printer and reader go through the text in the same order and fill the same
//! table, so that what one leaves out the other finds. The validator asks it for types.

use crate::syntax::{Expr, Param, Space};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use rustc_hash::FxHashMap;

/// The variables declared so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Declared {
    vars: FxHashMap<Name, Var>,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Var {
    Scalar(PrimType),
    Mem(Space),
}

impl Declared {
    /// Adds a scalar.
    pub(crate) fn scalar(&mut self, x: Name, ty: PrimType) {
        self.vars.insert(x, Var::Scalar(ty));
    }

    /// Adds a block.
    pub(crate) fn block(&mut self, m: Name, space: &Space) {
        self.vars.insert(m, Var::Mem(space.clone()));
    }

    /// Adds a parameter.
    pub(crate) fn param(&mut self, p: &Param) {
        match p {
            Param::Scalar(x, ty) => self.scalar(*x, *ty),
            Param::Mem(m, space) => self.block(*m, space),
        }
    }

    /// Removes a variable whose scope has ended.
    pub(crate) fn remove(&mut self, x: Name) {
        self.vars.remove(&x);
    }

    /// What a name stands for.
    pub(crate) fn get(&self, x: Name) -> Option<&Var> {
        self.vars.get(&x)
    }

    /// The space of a block; the default where it is not known.
    pub(crate) fn space(&self, m: Name) -> Space {
        match self.vars.get(&m) {
            Some(Var::Mem(space)) => space.clone(),
            Some(Var::Scalar(_)) | None => Space::Default,
        }
    }

    /// The type that an expression has by its outermost operator; `None` for variables that are not declared.
    pub(crate) fn type_of(&self, e: &Expr) -> Option<PrimType> {
        match e {
            Expr::Const(v) => Some(v.prim_type()),
            Expr::Var(x) => match self.vars.get(x)? {
                Var::Scalar(ty) => Some(*ty),
                Var::Mem(_) => None,
            },
            Expr::UnOp(op, _) => Some(op.result_type()),
            Expr::BinOp(op, ..) => Some(op.result_type()),
            Expr::CmpOp(op, ..) => Some(op.result_type()),
            Expr::Conv(op, _) => Some(op.result_type()),
            Expr::PrimFn(f, _) => Some(f.signature().1),
            Expr::Select(_, a, _) => self.type_of(a),
            Expr::Index { elem, .. } => Some(*elem),
            Expr::Param(_) | Expr::Gpu(_) => Some(PrimType::I64),
        }
    }
}
