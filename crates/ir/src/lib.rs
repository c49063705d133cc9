//! The core IR: what the compiler thinks in between the typed tree and
//! imperative code.
//!
//! # What a program means
//!
//! A [`Prog`] is a list of functions over flat values: primitives and arrays
//! of primitives (tuples, records and sums were taken apart by `lower`). It is
//! in A-normal form: a [`Body`] is a list of statements and the operands it
//! returns; a [`Stm`] binds a pattern to the value of one [`Exp`]; operands
//! ([`SubExp`]) are names or constants. Statements are evaluated in order, but
//! since nothing but certificates and consumption has an effect, they may be
//! moved wherever their operands are in scope.
//!
//! - **Names are unique** in a program: no two bindings share one. Copying a
//!   body means renaming it.
//! - **Sizes are values.** An array type's shape is a list of `i64` operands
//!   in scope. Whatever returns an array of a size not known before also
//!   returns the size, and the pattern says so itself:
//!   `let (n_5: i64, xs_6: [n_5]i32) = if ...`. The types in a pattern may
//!   mention names bound by the same pattern; so may the types of loop
//!   parameters and function parameters, of any earlier or later one in the
//!   list. Only a function's declared result needs [`RetType`], where
//!   [`ExtSize::Ext`] `k` is the value of the `k`-th result.
//! - **Certificates.** `assert` is an expression of type `unit`; statements that
//!   must not happen unless it holds name it in `certs`. Checks survive
//!   reordering, and disappear only when proven.
//! - **Consumption.** `Update`, `FlatUpdate`, `Scatter`, `Hist`, `UpdateAcc`,
//!   `WithAcc`, loop parameters and call arguments marked consumed take over the
//!   memory of an array operand; no alias of it may be used afterwards on any
//!   path. Everything else is pure.
//! - **Results may alias**: `Index` with a slice, `Rearrange`, `Reshape`, names
//!   copied by `SubExp`, branches and loops returning what they were given.
//!
//! # Three representations
//!
//! One syntax, generic over [`Rep`]: what decorates a binding, and which
//! operations exist beyond the common ones.
//!
//! | | operations | bindings carry |
//! | --- | --- | --- |
//! | [`Soacs`] | [`soac::Soac`] | nothing |
//! | [`Kernels`] | [`seg::SegOp`], [`seg::SizeOp`] | nothing |
//! | [`Memory`] | [`mem::MemOp`]: allocation, and the above | a block and an index function |
//!
//! Read [`syntax`] first, then [`soac`], [`seg`], [`mem`]; [`schedule`] says how kernels run.
//!
//! # Looking at programs
//!
//! All code that is not about one operation is written once, over any
//! [`Rep`]: [`op`] says what an operation is made of, [`visit`] walks over
//! bodies, [`free`] and [`subst`] are built on it, [`types`] finds the types of
//! expressions, [`class`] what kind of work they are. [`print`] writes programs as text and [`read`] reads them. Facts
//! about programs stand in tables beside them: [`alias`] (what may share memory),
//! [`consume`] (what takes memory over), [`last_use`]. [`validate`] says whether a
//! program is one, [`interp`] runs it, as the oracle for passes.

#![forbid(unsafe_code)]

pub mod alias;
pub mod build;
pub mod class;
pub mod consume;
pub mod copied;
pub mod cost;
pub mod free;
pub mod interp;
pub mod last_use;
pub mod mark;
pub mod mem;
pub mod op;
pub mod print;
pub mod read;
pub mod rep;
pub mod schedule;
pub mod seg;
pub mod soac;
pub mod subst;
pub mod syntax;
pub mod types;
pub mod validate;
pub mod visit;

pub use build::Builder;
pub use op::{Dec, OpView, OpViewMut, RepOp};
pub use rep::{Kernels, Memory, Rep, Soacs};
pub use syntax::*;
pub use visit::{Mutator, Visitor};
