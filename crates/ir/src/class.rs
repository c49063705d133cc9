//! What kind of work an expression is: the one table for those who ask whether code is cheap, or of scalars.
//!
//! ```text
//! x + y            Arithmetic          xs[i], xs[a:b]       Read
//! sin x            Function            transpose xs         View
//! ```

use crate::rep::Rep;
use crate::syntax::{Basic, Exp, Stm, Type};

/// A kind of expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Operands, operators, comparisons, conversions.
    Arithmetic,
    /// A value of which nothing may be concluded.
    Opaque,
    /// A mathematical function.
    Function,
    /// A check.
    Check,
    /// An element or a slice.
    Read,
    /// The same elements in another order.
    View,
    /// The same elements in another shape.
    Reshape,
    /// An array in fresh memory.
    Fresh,
    /// An array with a part replaced, or an accumulator with more in it.
    Update,
    /// A conditional.
    Branch,
    /// A loop.
    Loop,
    /// A call.
    Call,
    /// Arrays as accumulators, operations of the representation.
    Operation,
}

impl<R: Rep> Exp<R> {
    /// What kind of work it is.
    pub fn class(&self) -> Class {
        match self {
            Exp::Basic(
                Basic::SubExp(_) | Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..),
            ) => Class::Arithmetic,
            Exp::Basic(Basic::Opaque(_)) => Class::Opaque,
            Exp::Basic(Basic::PrimFn(..)) => Class::Function,
            Exp::Basic(Basic::Assert(..)) => Class::Check,
            Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..)) => Class::Read,
            Exp::Basic(Basic::Rearrange(..)) => Class::View,
            Exp::Basic(Basic::Reshape(..)) => Class::Reshape,
            Exp::Basic(
                Basic::ArrayLit(..)
                | Basic::ArrayConst(_)
                | Basic::Iota { .. }
                | Basic::Replicate(..)
                | Basic::Scratch(..)
                | Basic::Copy(_)
                | Basic::Manifest(..)
                | Basic::Concat { .. },
            ) => Class::Fresh,
            Exp::Basic(Basic::Update(..) | Basic::FlatUpdate(..) | Basic::UpdateAcc(..)) => Class::Update,
            Exp::If(..) => Class::Branch,
            Exp::Loop(_) => Class::Loop,
            Exp::Call(..) => Class::Call,
            Exp::WithAcc(_) | Exp::Op(_) => Class::Operation,
        }
    }
}

impl<R: Rep> Stm<R> {
    /// Whether it gives scalars, or other names for arrays, without effects or checks. Tiles in shared memory may come after
    /// such code, which threads without a point run too.
    pub fn is_plain(&self) -> bool {
        let scalars = self.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
        match (self.exp.class(), &self.exp) {
            (Class::Arithmetic | Class::Opaque | Class::Function, _)
            | (Class::Read | Class::View | Class::Reshape, _) => {
                self.pat.iter().all(|p| matches!(p.ty, Type::Prim(_) | Type::Array(..)))
            }
            (_, Exp::If(_, t, f)) => scalars && [t, f].iter().all(|b| b.stms.iter().all(Stm::is_plain)),
            (_, Exp::Loop(l)) => {
                let carried = l.params.iter().all(|(p, _)| matches!(p.ty, Type::Prim(_)));
                scalars && carried && l.body.stms.iter().all(Stm::is_plain)
            }
            _ => false,
        }
    }
}
