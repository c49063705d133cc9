//! Symbolic integers: the arithmetic a compiler does about sizes and indices.
//!
//! In come expressions over opaque variables ([`Sym`]; a caller maps its own names to them) and what is known
//! about those variables ([`Facts`]). Out come normal forms, in which equal expressions look equal, and proofs
//! of `<=`, `<`, `=`, `!=` and divisibility.
//!
//! Values are mathematical integers: nothing here wraps around. An expression whose coefficients leave `i64`,
//! or which grows beyond reason, becomes *unknown* ([`Poly::unknown`]): it absorbs all arithmetic, equals
//! nothing, and nothing is ever proven about it. A caller that turns a polynomial back into code must ask
//! [`Poly::is_known`] first.
//!
//! The prover is sound but incomplete: `true` means proven for every assignment that satisfies the facts,
//! `false` means "could not tell". Its work is bounded, it needs no outside solver, and the same question gets
//! the same answer every time. What non-polynomial operators mean (quotients, remainders, minima) is said by
//! facts about a variable that stands for their result.
//!
//! Reading order: [`monomial`](Monomial) and [`poly`](Poly) for the normal form, `divide` for quotients,
//! `print` for the text, [`facts`](Facts) for what is known, then `prover` (the search), with `range` (constant
//! bounds) as its quick test and `model` (assignments) to give up early.

#![forbid(unsafe_code)]

mod divide;
mod facts;
pub mod horner;
mod model;
mod monomial;
mod poly;
mod print;
mod prover;
mod range;

pub use facts::Facts;
pub use monomial::{Monomial, Sym};
pub use poly::Poly;
pub use prover::Prover;
