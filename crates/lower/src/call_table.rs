//! Which functions became core functions, and how each is called. `calls` fills this in and uses it.

use crate::value::Ty;
use fehu_base::{Name, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Which functions became core functions.
#[derive(Default)]
pub(crate) struct CallTable {
    pub(crate) made: FxHashMap<(usize, String), Rc<Signature>>,
    pub(crate) sizes: FxHashMap<Name, usize>,
    /// How many names evaluating a function made.
    pub(crate) made_names: FxHashMap<Name, usize>,
    /// Functions that were evaluated and are known to return scalars alone.
    pub(crate) returns_scalars: FxHashSet<Name>,
    /// How many of all names are in core functions.
    pub(crate) names_in_functions: usize,
    /// How many functions were evaluated where they are applied.
    pub(crate) applications: usize,
    /// The outermost function that is being evaluated where it is applied, and where that is.
    pub(crate) outermost: Option<(Name, Span)>,
}

/// How to call a core function.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) fun: Name,
    pub(crate) arity: usize,
    /// The types of the parameters, whose sizes are the core parameters `sizes`.
    pub(crate) params: Vec<Ty>,
    pub(crate) sizes: Vec<Name>,
    /// The size parameters that the parameters do not show, by their positions, and which of `sizes` they are.
    pub(crate) hidden: Vec<(usize, Name)>,
    /// The leaves of the parameters.
    pub(crate) leaves: Vec<Name>,
    /// The result; unknown sizes are results of their own.
    pub(crate) result: Ty,
    /// What the body uses of the place where the function was made, known when the body is finished.
    pub(crate) captured: RefCell<Vec<Name>>,
}
