//! From syntax tree to typed syntax tree.
//!
//! In: the parsed files of a program, in dependency order, and the prelude.
//! Out: a [`tast::Program`], in which every name is unique, every node has its
//! type with sizes, abbreviations are expanded and structure modules are gone;
//! or diagnostics.
//!
//! The work is done in layers, so that a message speaks of one thing only:
//!
//! 1. `modules/`: names, modules, type expressions, declarations.
//! 2. `terms/`: expressions. First types without sizes, by unification; then
//!    sizes over the now known types.
//! 3. `consume/` and `exhaust.rs`: aliases and consumption, and coverage of
//!    `match`, on the finished typed tree.
//!
//! Read [`types`] and [`tast`] first, then [`scope`]. Shared tools: [`resolve`]
//! follows qualified names, [`type_exp`] makes types of type expressions,
//! [`subst`] puts types and sizes for names, [`visit`] walks expressions and
//! [`show`] prints. [`intrinsics`] and [`prelude`] are what every program starts with.

#![forbid(unsafe_code)]

pub mod alike;
pub mod consume;
pub mod context;
mod documentation;
pub mod exhaust;
pub mod intrinsics;
pub mod modules;
pub mod named;
pub mod prelude;
pub mod print;
pub mod resolve;
pub mod scope;
pub mod show;
pub mod subst;
pub mod tast;
pub mod terms;
pub mod type_exp;
pub mod types;
pub mod uses;
pub mod visit;
pub mod warn;

pub use prelude::prelude_sources;
