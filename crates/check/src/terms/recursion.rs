//! What a recursive function may do with functions.
//!
//! Functions disappear when a program is compiled, so a recursive call must
//! pass on the very functions that it was given, and its result may not
//! contain functions.

use crate::context::Context;
use crate::tast::{Exp, ExpKind, Pat, PatKind, ValBind};
use crate::types::{TParam, Type, TypeArg};
use crate::visit::children;
use fehu_base::{Diagnostic, Name};
use fehu_syntax::ast::Liftedness;

/// Checks the calls that a recursive function makes to itself.
pub(crate) fn check(ctx: &mut Context, bind: &ValBind) {
    let base = ctx.names.base(bind.name);
    let is_own = |n: &Name| bind.tparams.iter().any(|p| matches!(p, TParam::Type(_, own) if own == n));
    if matches!(&bind.ret.ty, Type::Var(_, n, _) if is_own(n) && ctx.kinds.get(n) == Some(&Liftedness::Lifted))
    {
        let message = format!("The result of the recursive function \"{base}\" is not known.");
        let help = format!("annotate the type of the result, as in `def {base} (x: i32): i32 = ...`");
        ctx.report(
            Diagnostic::error(bind.span, message).note("each way through it calls it again").help(help),
        );
        return;
    }
    if functional(ctx, &bind.ret.ty) {
        ctx.report(
            Diagnostic::error(
                bind.span,
                format!("The result of the recursive function \"{base}\" is not first-order."),
            )
            .note("a recursive function may not return functions")
            .help("write the result's parameters as parameters of the function itself"),
        );
        return;
    }
    let higher: Vec<bool> = bind.params.iter().map(|p| functional(ctx, &p.ty)).collect();
    if !higher.contains(&true) {
        return;
    }
    Calls { ctx, bind, higher: &higher }.exp(&bind.body);
}

/// Whether values of the type may contain functions.
fn functional(ctx: &Context, t: &Type) -> bool {
    match t {
        Type::Arrow(_) => true,
        Type::Var(_, n, args) => {
            ctx.kinds.get(n) == Some(&Liftedness::Lifted)
                || args.iter().any(|a| match a {
                    TypeArg::Size(_) => false,
                    TypeArg::Type(t) => functional(ctx, t),
                })
        }
        Type::Record(fs) => fs.iter().any(|(_, t)| functional(ctx, t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(|t| functional(ctx, t)),
        Type::Scalar(..) | Type::Array(..) | Type::Meta(_) | Type::Error => false,
    }
}

struct Calls<'a> {
    ctx: &'a mut Context,
    bind: &'a ValBind,
    /// Which parameters are functional.
    higher: &'a [bool],
}

impl Calls<'_> {
    fn is_own(&self, e: &Exp) -> bool {
        matches!(&*e.kind, ExpKind::Var(n, _) if *n == self.bind.name)
    }

    fn exp(&mut self, e: &Exp) {
        fehu_base::stack::deep(|| self.exp_inner(e));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn exp_inner(&mut self, e: &Exp) {
        let base = self.ctx.names.base(self.bind.name);
        match &*e.kind {
            ExpKind::Apply(f, args) if self.is_own(f) => {
                if args.len() < self.bind.params.len() {
                    self.ctx.report(
                        Diagnostic::error(
                            e.span,
                            format!("Recursive application of \"{base}\" is not fully saturated."),
                        )
                        .note(format!(
                            "\"{base}\" has {} parameters, and some of them are functions",
                            self.bind.params.len()
                        ))
                        .help("give all arguments"),
                    );
                    return;
                }
                for ((a, p), higher) in args.iter().zip(&self.bind.params).zip(self.higher) {
                    if *higher && !passes(a, p) {
                        let shown = self.ctx.show().exp(a);
                        self.ctx.report(
                            Diagnostic::error(
                                a.span,
                                format!("Higher-order argument \"{shown}\" of recursive function \"{base}\" must be passed unchanged."),
                            )
                            .related(p.span, "the parameter that must be passed on"),
                        );
                        return;
                    }
                }
                args.iter().for_each(|a| self.exp(a));
            }
            ExpKind::Var(n, _) if *n == self.bind.name => {
                self.ctx.report(
                    Diagnostic::error(
                        e.span,
                        format!("The recursive function \"{base}\" has a higher-order parameter and may only be applied, not used as a value."),
                    )
                    .help("apply it to all its arguments"),
                );
            }
            _ => {
                let mut parts = vec![];
                children(e, &mut |c| parts.push(c));
                parts.into_iter().for_each(|c| self.exp(c));
            }
        }
    }
}

/// Whether an argument is the parameter itself.
fn passes(a: &Exp, p: &Pat) -> bool {
    match (&*a.kind, &p.kind) {
        (ExpKind::Attr(_, a), _) => passes(a, p),
        (_, PatKind::Attr(_, p)) => passes(a, p),
        (ExpKind::Var(n, _), PatKind::Var(m)) => n == m,
        (ExpKind::Record(fs), PatKind::Record(ps)) => {
            fs.len() == ps.len() && ps.iter().all(|(g, p)| fs.iter().any(|(f, a)| f == g && passes(a, p)))
        }
        _ => false,
    }
}
