//! What to write where two arrays have sizes that may be equal, but are not known to be.
//!
//! ```text
//! def f [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs ys      (ys :> [n]i32)
//! ```
//!
//! A coercion checks the sizes when the program runs, so there is none for sizes that can never be equal.

use super::equal::same_size;
use super::tables::{mentioned_size, mentioned_type};
use super::Sizer;
use crate::subst::make_nonunique;
use crate::types::{Size, Type};
use fehu_base::{Diagnostic, Span};

/// The complaint about an expression whose sizes differ from the expected ones, with a coercion if that is
/// likely meant.
pub(super) fn coercion(
    sizer: &mut Sizer<'_>,
    d: Diagnostic,
    span: Span,
    expected: &Type,
    actual: &Type,
) -> Diagnostic {
    let (expected, actual) = (sizer.zonk(expected), sizer.zonk(actual));
    let known = |n| !sizer.unknowns.contains_key(n) && !sizer.flexes.contains_key(n);
    let mut differing = vec![];
    let comparable = differences(&expected, &actual, &mut differing);
    let differing: Vec<_> =
        differing.into_iter().filter(|(e, a)| !same_size(&sizer.ctx.synonyms, e, a)).collect();
    let mut names = mentioned_type(&expected);
    differing.iter().for_each(|(_, a)| names.extend(mentioned_size(a)));
    if !comparable || differing.is_empty() || !names.iter().all(known) {
        return d;
    }
    let may_be_equal = |(e, a): &(Size, Size)| {
        let constants = matches!((e, a), (Size::Const(_), Size::Const(_)));
        !constants && mentioned_size(e).is_disjoint(&mentioned_size(a))
    };
    // Another name than in the program is not in scope.
    let as_written = |n| sizer.ctx.show().name(n) == sizer.ctx.names.base(n).as_str();
    if !differing.iter().all(may_be_equal) || !names.into_iter().all(as_written) {
        return d;
    }
    let shown = sizer.show(&make_nonunique(&expected));
    d.help(format!(
        "if the sizes are always equal, say so: \"... :> {shown}\" checks it when the program runs"
    ))
    .fix_around(format!("Check the sizes: `:> {shown}`"), span, "(", &format!(" :> {shown})"))
}

/// The sizes at the same places of two types; false if the types are no arrays, or tuples of arrays.
fn differences(expected: &Type, actual: &Type, out: &mut Vec<(Size, Size)>) -> bool {
    match (expected, actual) {
        (Type::Array(_, m, e), Type::Array(_, n, a)) => {
            out.push((m.clone(), n.clone()));
            differences(e, a, out)
        }
        (Type::Record(fs), Type::Record(gs)) => {
            fs.len() == gs.len() && fs.iter().zip(gs.iter()).all(|((_, e), (_, a))| differences(e, a, out))
        }
        (Type::Scalar(..), Type::Scalar(..)) => true,
        (Type::Var(_, _, args), Type::Var(..)) => args.is_empty(),
        (
            Type::Scalar(..)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_)
            | Type::Var(..)
            | Type::Meta(_)
            | Type::Error,
            _,
        ) => false,
    }
}
