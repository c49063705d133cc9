//! What kind of work an expression is: the one table for those who ask whether code is cheap, or of scalars.
//!
//! ```text
//! x + y            Arithmetic          xs[i], xs[a:b]       Read
//! sin x            Function            transpose xs         View
//! ```

use crate::rep::Rep;
use crate::syntax::Exp;

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
            Exp::SubExp(_) | Exp::UnOp(..) | Exp::BinOp(..) | Exp::CmpOp(..) | Exp::Conv(..) => {
                Class::Arithmetic
            }
            Exp::Opaque(_) => Class::Opaque,
            Exp::PrimFn(..) => Class::Function,
            Exp::Assert(..) => Class::Check,
            Exp::Index(..) | Exp::FlatIndex(..) => Class::Read,
            Exp::Rearrange(..) => Class::View,
            Exp::Reshape(..) => Class::Reshape,
            Exp::ArrayLit(..)
            | Exp::ArrayConst(_)
            | Exp::Iota { .. }
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(..)
            | Exp::Concat { .. } => Class::Fresh,
            Exp::Update(..) | Exp::FlatUpdate(..) | Exp::UpdateAcc(..) => Class::Update,
            Exp::If(..) => Class::Branch,
            Exp::Loop(_) => Class::Loop,
            Exp::Call(..) => Class::Call,
            Exp::WithAcc(_) | Exp::Op(_) => Class::Operation,
        }
    }
}
