//! Whether the cases of a `match` cover all values and each can be reached,
//! and whether the patterns that must match always do.
//!
//! The question is answered by [`matrix`]; here are the places where it is
//! asked, and the messages.

mod matrix;

use crate::context::{see, Context};
use crate::named::Named;
use crate::tast::{Case, Exp, ExpKind, Pat, ValBind};
use crate::types::Type;
use crate::visit;
use fehu_base::{Diagnostic, Span};
use matrix::Shape;

/// At most so many missing cases are named in a message.
const NAMED: usize = 8;

/// Reports incomplete and redundant cases, and refutable patterns where only
/// irrefutable ones may stand, in one declaration.
pub fn check_val_bind(ctx: &mut Context, bind: &ValBind) {
    bind.params.iter().for_each(|p| irrefutable(ctx, p));
    exp(ctx, &bind.body);
}

fn exp(ctx: &mut Context, e: &Exp) {
    fehu_base::stack::deep(|| {
        if let ExpKind::Match(scrutinee, cases) = &*e.kind {
            check_match(ctx, e.span, &scrutinee.ty, cases);
        }
        visit::irrefutable_patterns(e, &mut |p| irrefutable(ctx, p));
        visit::children(e, &mut |x| exp(ctx, x));
    });
}

fn check_match(ctx: &mut Context, span: Span, ty: &Type, cases: &[Case]) {
    let shapes: Vec<Shape> = cases.iter().map(|c| Shape::of(&c.pat)).collect();
    let missing = matrix::missing(&shapes, ty, NAMED);
    if !missing.is_empty() {
        let d = Diagnostic::error(span, format!("Unmatched cases in match expression: {}", list(&missing)))
            .label("some values match no case")
            .note(see(Named::UnmatchedCases))
            .help("add cases for these values, or a last case `_`");
        let added: String = missing.iter().map(|m| format!("\ncase {m} -> ???")).collect();
        let d = d.fix("Add the missing cases", span.end(), added);
        ctx.report(d);
        return;
    }
    for (i, case) in cases.iter().enumerate() {
        if !matrix::useful(&shapes[..i], &shapes[i], ty) {
            let d = Diagnostic::warning(
                case.pat.span,
                "Redundant case: the cases before it match all its values.",
            )
            .label("never reached");
            ctx.report(d);
        }
    }
}

fn irrefutable(ctx: &mut Context, pat: &Pat) {
    let missing = matrix::missing(&[Shape::of(pat)], &pat.ty, NAMED);
    if missing.is_empty() {
        return;
    }
    let d = Diagnostic::error(
        pat.span,
        format!("Refutable pattern not allowed here. Unmatched cases: {}", list(&missing)),
    )
    .label("does not match all values of its type")
    .note(see(Named::RefutablePattern))
    .help("use `match` to tell the cases apart");
    ctx.report(d);
}

/// The missing cases, one on each line.
fn list(missing: &[String]) -> String {
    missing.iter().map(|m| format!("\n  {m}")).collect()
}

#[cfg(test)]
mod tests;
