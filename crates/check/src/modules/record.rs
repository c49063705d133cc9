//! What is known of a program that has been checked, declaration by declaration of its main file.
//!
//! ```text
//! def f (x: i32) = x + y      Record { bound: [f], diagnostics: [unknown name y], .. }
//! ```
//!
//! `kept` makes use of it after an edit, and `resume` holds it until then.

use crate::context::Context;
use crate::scope::{Binding, Env, Scope};
use fehu_base::{Diagnostic, Span};
use std::sync::Arc;

/// What is known of one declaration.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) span: Span,
    pub(super) broken: bool,
    /// What it binds for those that follow.
    pub(super) bound: Vec<Binding>,
    /// What is to be said about it.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Whether it must be checked again: something that it mentions has changed.
    pub(super) stale: bool,
}

/// What is known of a program whose units have been checked, but for the results.
#[derive(Debug)]
pub(super) struct Kept {
    /// The text of the main file.
    pub(super) text: String,
    pub(super) ctx: Context,
    /// As it is where the main file begins.
    pub(super) scope: Scope,
    /// What the other units declare.
    pub(super) envs: Vec<Arc<Env>>,
    /// What was said about the other units.
    pub(super) before: Vec<Diagnostic>,
    pub(super) records: Vec<Arc<Record>>,
}
