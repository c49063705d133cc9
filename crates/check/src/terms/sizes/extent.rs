//! How large size expressions may become.
//!
//! Sizes are trees, and what an application returns is written with the sizes of
//! its arguments:
//!
//! ```text
//! let b = concat a a    -- [n + n]i32
//! let c = concat b b    -- [(n + n) + (n + n)]i32
//! ```
//!
//! A chain of such bindings doubles the size at every step. So an expression of more than
//! [`MAX_SIZE_NODES`] nodes is not taken for a size: a result of that size has an unknown one.
//! Where a size has been fixed by unification before it grew, [`MAX_NODES`] ends the search with an error.

use super::equal::same_size;
use super::Sizer;
use crate::tast::Exp;
use crate::terms::errors;
use crate::types::{RetType, Size, Type};
use crate::visit::children;
use fehu_base::{Diagnostic, Name, Span};

/// Expressions with more nodes are not taken for sizes.
const MAX_SIZE_NODES: usize = 1_000;

/// Sizes with more nodes are an error.
const MAX_NODES: usize = 50_000;

/// A size that has become too large to go on with is reported, and equal to all others.
pub(super) fn bounded(sizer: &mut Sizer<'_>, s: Size, span: Span) -> Size {
    let Size::Exp(e) = &s else { return s };
    if nodes_up_to(e, MAX_NODES) <= MAX_NODES {
        return s;
    }
    if errors(sizer.ctx) == sizer.start {
        sizer.ctx.report(
            Diagnostic::error(span, "This size is too large an expression to be compared with others.")
                .help("bind the array with a \"let\" whose type has an anonymous size []"),
        );
    }
    Size::Any
}

/// The result of an application, where sizes that are too large are existential.
pub(super) fn moderate(sizer: &mut Sizer<'_>, r: RetType) -> RetType {
    if has_moderate_sizes(&r.ty) {
        return r;
    }
    let mut named = vec![];
    let ty = name_large(sizer, &r.ty, &mut named);
    let mut dims = r.dims;
    dims.extend(named.into_iter().map(|(_, n)| n));
    RetType { dims, ty }
}

/// The type with names for the large sizes that its values show.
fn name_large(sizer: &mut Sizer<'_>, t: &Type, named: &mut Vec<(Size, Name)>) -> Type {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error | Type::Arrow(_) | Type::Var(..) => t.clone(),
        Type::Array(u, s, e) => {
            let elem = name_large(sizer, e, named);
            Type::Array(*u, name_if_large(sizer, s, named), e.with(elem))
        }
        Type::Record(fs) => {
            Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, name_large(sizer, t, named))).collect()))
        }
        Type::Sum(cs) => Type::Sum(cs.with(
            cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| name_large(sizer, t, named)).collect())).collect(),
        )),
    }
}

fn name_if_large(sizer: &mut Sizer<'_>, s: &Size, named: &mut Vec<(Size, Name)>) -> Size {
    if is_moderate_size(s) {
        return s.clone();
    }
    if let Some((_, n)) = named.iter().find(|(t, _)| same_size(&sizer.ctx.synonyms, s, t)) {
        return Size::Var(*n);
    }
    let n = sizer.ctx.names.fresh_str("d");
    named.push((s.clone(), n));
    Size::Var(n)
}

/// Whether an expression is small enough to be a size.
pub(super) fn is_moderate(e: &Exp) -> bool {
    nodes_up_to(e, MAX_SIZE_NODES) <= MAX_SIZE_NODES
}

fn is_moderate_size(s: &Size) -> bool {
    match s {
        Size::Exp(e) => is_moderate(e),
        Size::Const(_) | Size::Var(_) | Size::Any => true,
    }
}

/// Whether all sizes that values of a type show are small enough.
pub(super) fn has_moderate_sizes(t: &Type) -> bool {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error | Type::Arrow(_) | Type::Var(..) => true,
        Type::Array(_, s, e) => is_moderate_size(s) && has_moderate_sizes(e),
        Type::Record(fs) => fs.iter().all(|(_, t)| has_moderate_sizes(t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).all(has_moderate_sizes),
    }
}

/// The number of nodes; any number above the limit if there are more.
pub(super) fn nodes_up_to(e: &Exp, limit: usize) -> usize {
    let mut count = 0;
    let mut rest = vec![e];
    while let Some(e) = rest.pop() {
        count += 1;
        if count > limit {
            return count;
        }
        children(e, &mut |c| rest.push(c));
    }
    count
}
