//! What is known of each basic operation, once, for all who ask: what kind of work it is, whose memory its
//! result shares, what it takes over, whether it can fail, whether it may be left out or moved.
//!
//! ```text
//! x + y            Arithmetic          xs[i], xs[a:b]       Read, shares xs
//! sin x            Function            transpose xs         View, shares xs
//! iota n           Generate            xs with [i] = v      Update, consumes xs
//! copy xs          Gather              assert c             Check, has an effect
//! ```
//!
//! A new basic operation is a line in [`Basic::class`], and in the tables below it where its class does not say it all.
//! What operations cost is in [`crate::cost`].

use crate::rep::Rep;
use crate::syntax::{Basic, DimIndex, Exp, Stm, SubExp, Type};
use fehu_base::Name;

/// A kind of basic operation.
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
    /// An array in fresh memory, made of no other.
    Generate,
    /// An array in fresh memory, of the elements of others.
    Gather,
    /// An array with a part replaced, or an accumulator with more in it.
    Update,
}

impl Basic {
    /// What kind of work it is.
    pub fn class(&self) -> Class {
        match self {
            Basic::SubExp(_) | Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..) => {
                Class::Arithmetic
            }
            Basic::Opaque(_) => Class::Opaque,
            Basic::PrimFn(..) => Class::Function,
            Basic::Assert(..) => Class::Check,
            Basic::Index(..) | Basic::FlatIndex(..) => Class::Read,
            Basic::Rearrange(..) => Class::View,
            Basic::Reshape(..) => Class::Reshape,
            Basic::ArrayConst(_) | Basic::Iota { .. } | Basic::Replicate(..) | Basic::Scratch(..) => {
                Class::Generate
            }
            Basic::ArrayLit(..) | Basic::Copy(_) | Basic::Manifest(..) | Basic::Concat { .. } => {
                Class::Gather
            }
            Basic::Update(..) | Basic::FlatUpdate(..) | Basic::UpdateAcc(..) => Class::Update,
        }
    }

    /// Whether the result, if it is an array, is in fresh memory.
    pub fn is_fresh(&self) -> bool {
        matches!(self.class(), Class::Generate | Class::Gather)
    }

    /// The name whose memory the result shares, if it is an array. What an operation consumes is not meant.
    pub fn shares(&self) -> Option<Name> {
        match self {
            Basic::SubExp(e) | Basic::Opaque(e) => e.name(),
            Basic::Index(a, _) | Basic::FlatIndex(a, ..) | Basic::Rearrange(_, a) | Basic::Reshape(_, a) => {
                Some(*a)
            }
            Basic::UnOp(..)
            | Basic::BinOp(..)
            | Basic::CmpOp(..)
            | Basic::Conv(..)
            | Basic::PrimFn(..)
            | Basic::Assert(..)
            | Basic::ArrayLit(..)
            | Basic::ArrayConst(_)
            | Basic::Iota { .. }
            | Basic::Replicate(..)
            | Basic::Scratch(..)
            | Basic::Copy(_)
            | Basic::Manifest(..)
            | Basic::Concat { .. }
            | Basic::Update(..)
            | Basic::FlatUpdate(..)
            | Basic::UpdateAcc(..) => None,
        }
    }

    /// The array or accumulator that it takes over.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    pub fn consumes(&self) -> Option<Name> {
        match self {
            Basic::Update(a, ..) | Basic::FlatUpdate(a, ..) | Basic::UpdateAcc(a, ..) => Some(*a),
            _ => None,
        }
    }

    /// Whether something is lost when it is left out although nobody uses its result: checks, traces, and
    /// what is put into an accumulator.
    pub fn has_effect(&self) -> bool {
        matches!(self, Basic::Opaque(_) | Basic::Assert(..) | Basic::UpdateAcc(..))
    }

    /// Whether it may be computed at another place, as far as it is concerned: it has no effect and takes nothing over.
    pub fn may_move(&self) -> bool {
        !self.has_effect() && self.consumes().is_none()
    }

    /// Whether it has a value whatever its operands are, by its form alone.
    pub fn is_total(&self) -> bool {
        let known = |n: &SubExp| n.as_i64().is_some_and(|n| n >= 0);
        match self {
            Basic::BinOp(op, _, y) => !op.is_partial() || y.as_i64().is_some_and(|v| v != 0),
            Basic::Index(_, slice) => slice.iter().all(|d| matches!(d, DimIndex::Slice { .. })),
            Basic::Iota { n, .. } => known(n),
            Basic::Replicate(shape, _) | Basic::Scratch(_, shape) => shape.iter().all(known),
            Basic::SubExp(_)
            | Basic::UnOp(..)
            | Basic::CmpOp(..)
            | Basic::Conv(..)
            | Basic::PrimFn(..)
            | Basic::ArrayLit(..)
            | Basic::ArrayConst(_)
            | Basic::FlatIndex(..)
            | Basic::Copy(_)
            | Basic::Manifest(..)
            | Basic::Concat { .. }
            | Basic::Rearrange(..)
            | Basic::Reshape(..) => true,
            Basic::Opaque(_)
            | Basic::Assert(..)
            | Basic::Update(..)
            | Basic::FlatUpdate(..)
            | Basic::UpdateAcc(..) => false,
        }
    }
}

impl<R: Rep> Exp<R> {
    /// The basic operation, if it is one.
    pub fn basic(&self) -> Option<&Basic> {
        match self {
            Exp::Basic(b) => Some(b),
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    /// The kind of basic operation, if it is one.
    pub fn class(&self) -> Option<Class> {
        self.basic().map(Basic::class)
    }
}

impl<R: Rep> Stm<R> {
    /// Whether it is a check that stays. What comes after it may rely on it without naming its certificate: a
    /// part of a body that leaves other statements out keeps those.
    pub fn stays(&self) -> bool {
        matches!(&self.exp, Exp::Basic(Basic::Assert(_, _, purpose)) if purpose.stays())
    }

    /// Whether it gives scalars, or other names for arrays, without effects or checks. Tiles in shared memory
    /// may come after such code, which threads without a point run too.
    pub fn is_plain(&self) -> bool {
        let scalars = self.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
        match &self.exp {
            Exp::Basic(b) => match b.class() {
                Class::Arithmetic
                | Class::Opaque
                | Class::Function
                | Class::Read
                | Class::View
                | Class::Reshape => self.pat.iter().all(|p| matches!(p.ty, Type::Prim(_) | Type::Array(..))),
                Class::Check | Class::Generate | Class::Gather | Class::Update => false,
            },
            Exp::If(_, t, f) => scalars && [t, f].iter().all(|b| b.stms.iter().all(Stm::is_plain)),
            Exp::Loop(l) => {
                let carried = l.params.iter().all(|(p, _)| matches!(p.ty, Type::Prim(_)));
                scalars && carried && l.body.stms.iter().all(Stm::is_plain)
            }
            Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
        }
    }
}
