//! Names that nothing has: what is done about them, and what may be meant by them.
//!
//! ```text
//! def f (r: f64) = 2 * pi * r      Unknown name "pi". For f64 it is "f64.pi".
//! ```

use crate::types::Type;
use fehu_base::{Diagnostic, Span};
use fehu_syntax::ast::Ident;
use rustc_hash::FxHashMap;

/// What is done about unknown names.
pub(crate) enum Guesses {
    /// They are refused; whether there were any.
    No { any: bool },
    /// They may have any type.
    Collected(Vec<Unknown>),
    /// They are refused, and these may be meant; in the order of likelihood.
    Known(FxHashMap<Span, Meant>),
}

/// A name that nothing has.
pub(crate) struct Unknown {
    pub(super) span: Span,
    pub(super) ty: Type,
    /// What may be meant, in the order of likelihood; of a group, the first that suit are all offered.
    pub(super) groups: Vec<Meant>,
}

/// What may be meant.
#[derive(Clone)]
pub(crate) struct Meant {
    pub(super) why: Why,
    pub(super) names: Vec<String>,
}

/// Why a name may be meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It is called so.
    Called,
    /// It is a function or constant of numbers, which are in the modules of their types.
    OfNumbers,
    /// It converts numbers.
    Converts,
}

impl Guesses {
    /// Whether a name was refused of which it is not known yet what may be meant.
    pub(super) fn any_refused(&self) -> bool {
        matches!(self, Guesses::No { any: true })
    }

    /// What may be meant by the name at a place.
    pub(super) fn meant(&self, at: Span) -> Option<&Meant> {
        match self {
            Guesses::Known(all) => all.get(&at),
            Guesses::No { .. } | Guesses::Collected(_) => None,
        }
    }
}

impl Meant {
    /// Whether it has the very name.
    pub(super) fn is_certain(&self) -> bool {
        self.why == Why::OfNumbers
    }

    /// The diagnostic about a name with what may be meant by it, to be written at a place.
    pub(super) fn added_to(&self, d: Diagnostic, at: Span) -> Diagnostic {
        let shown: Vec<String> = self.names.iter().map(|n| format!("\"{n}\"")).collect();
        let shown = shown.join(" and ");
        let d = match (self.why, &self.names[..]) {
            (Why::OfNumbers, [one]) => {
                d.help(format!("for {} it is {shown}", one.split('.').next().unwrap_or_default()))
            }
            (Why::Converts, _) => d.help(format!("convert with {}", shown.replace(" and ", " or "))),
            (Why::Called | Why::OfNumbers, _) => d.help(format!("there is {shown}")),
        };
        self.names.iter().fold(d, |d, n| d.fix(format!("Change to `{n}`"), at, n.as_str()))
    }
}

/// Whether the similar name of another type may be meant: short words are similar to many.
pub(super) fn long_enough(name: Ident) -> bool {
    name.name.as_str().chars().count() > 4
}
