//! What every other crate talks with: names, places in source text, primitive
//! types, values and operators, and diagnostics.
//!
//! Nothing here knows about Futhark programs; read [`prim`] first, for its
//! vocabulary (signedness belongs to operators, not to types) runs through the
//! whole compiler.

#![forbid(unsafe_code)]
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "tables of operators name those that differ from the rest"
)]

pub mod device;
pub mod diagnostic;
pub mod intrinsic;
pub mod name;
pub mod ops;
pub mod prim;
pub mod report;
pub mod span;
pub mod stack;
pub mod symbol;
pub mod tuning;

pub use diagnostic::{Diagnostic, Fix, Label, Severity};
pub use name::{Name, NameSource};
pub use span::{FileId, SourceFile, SourceMap, Span};
pub use symbol::Symbol;

/// Ends the compiler with a report of a mistake of ours, never of the user's: in which step it is, and where
/// in the program.
#[macro_export]
macro_rules! bug {
    ($($arg:tt)*) => {
        panic!(
            "internal compiler error{}: {}\nThis is a bug in fehu; please report it together with the program.",
            $crate::report::place(),
            format_args!($($arg)*)
        )
    };
}
