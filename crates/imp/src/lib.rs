//! The imperative IR: what is left when arrays have become memory.
//!
//! In: a core program over `Memory`. Out: a [`syntax::Program`] of functions
//! over scalars and memory blocks, close enough to C that `codegen` is a
//! printer. Read [`syntax`], then [`translate`](translate()), then [`loops`],
//! which gives loops on CPUs an order and a shape that C compilers like.

pub mod alias;
pub mod build;
mod free;
pub mod loops;
pub mod parts;
mod stay;
pub mod syntax;
mod translate;

pub use translate::{translate, Machine};
