//! That sizes are known before they are needed.
//!
//! Evaluation goes: the value of a `let` before its body, the arguments of a
//! function before the function (the last one first), the left operand of an
//! operator before the right one. What needs the unknown sizes in its type:
//! uses of values, empty arrays, constructors (they must know the sizes of the
//! payloads they do not have), holes and parameters.

use super::tables::{mentioned_type, Unknown};
use crate::context::see;
use crate::context::Context;
use crate::named::Named;
use crate::show::is_operator;
use crate::tast::{Exp, ExpKind, LoopForm};
use crate::types::Type;
use crate::visit::children;
use fehu_base::{Diagnostic, Name, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks the body of a declaration.
pub(super) fn check(ctx: &mut Context, unknowns: &FxHashMap<Name, Unknown>, body: &Exp) {
    let mut c = Check { ctx, unknowns, known: FxHashSet::default(), log: vec![], complained: false };
    c.exp(body);
}

struct Check<'a> {
    ctx: &'a mut Context,
    unknowns: &'a FxHashMap<Name, Unknown>,
    known: FxHashSet<Name>,
    /// What became known, in order, to be forgotten at the end of a body.
    log: Vec<Name>,
    complained: bool,
}

impl Check<'_> {
    fn learn(&mut self, names: &[Name]) {
        for n in names {
            if self.known.insert(*n) {
                self.log.push(*n);
            }
        }
    }

    /// A body whose sizes are forgotten afterwards.
    fn inside(&mut self, e: &Exp) {
        let mark = self.log.len();
        self.exp(e);
        for n in self.log.drain(mark..) {
            self.known.remove(&n);
        }
    }

    fn need(&mut self, what: impl FnOnce(&Context) -> String, t: &Type, span: Span) {
        if self.complained || matches!(t, Type::Scalar(..)) {
            return;
        }
        let mut missing: Vec<Name> = mentioned_type(t)
            .into_iter()
            .filter(|n| self.unknowns.contains_key(n) && !self.known.contains(n))
            .collect();
        missing.sort();
        let Some(n) = missing.first() else { return };
        self.complained = true;
        let base = self.ctx.show().name(*n);
        let shown = self.ctx.show().ty(t);
        let what = what(self.ctx);
        let mut d = Diagnostic::error(
            span,
            format!("Causality check: size \"{base}\" needed for type of {what}:\n  {shown}"),
        );
        if let Some(u) = self.unknowns.get(n) {
            d = d.related(u.span, "but it is computed here");
        }
        self.ctx.report(
            d.note(see(Named::CausalityCheck))
                .help(format!("bind the expression that produces \"{base}\" with \"let\" beforehand")),
        );
    }

    fn exp(&mut self, e: &Exp) {
        fehu_base::stack::deep(|| self.exp_inner(e));
    }

    fn exp_inner(&mut self, e: &Exp) {
        match &*e.kind {
            ExpKind::Literal(_) | ExpKind::String(_) => {}
            ExpKind::Hole => self.need(|_| "hole".into(), &e.ty, e.span),
            ExpKind::Var(n, _) => {
                // The type may mention what this very use brings.
                self.learn(&e.ext);
                self.need(|ctx| format!("\"{}\"", ctx.show().name(*n)), &e.ty, e.span);
            }
            ExpKind::Array(es) if es.is_empty() => self.need(|_| "empty array".into(), &e.ty, e.span),
            ExpKind::Constr(c, es) => {
                es.iter().rev().for_each(|e| self.exp(e));
                self.need(|_| format!("\"#{c}\""), &e.ty, e.span);
            }
            ExpKind::Apply(f, es) => {
                if infix(self.ctx, f, es) {
                    es.iter().for_each(|e| self.exp(e));
                } else {
                    es.iter().rev().for_each(|e| self.exp(e));
                }
                // What a function brings shows in its own type if it is given by name.
                self.exp(f);
            }
            ExpKind::Lambda(l) => {
                for p in &l.params {
                    self.need(|ctx| format!("\"{}\"", ctx.show().pat(p)), &p.ty, p.span);
                }
                self.inside(&l.body);
            }
            ExpKind::LetFun(f, body) => {
                self.inside(&f.body);
                self.exp(body);
            }
            ExpKind::If(c, t, f) => {
                self.exp(c);
                self.inside(t);
                self.inside(f);
            }
            ExpKind::Match(x, cases) => {
                self.exp(x);
                cases.iter().for_each(|c| self.inside(&c.body));
            }
            ExpKind::Loop(l) => {
                self.exp(&l.init);
                match &l.form {
                    LoopForm::For(_, _, e) | LoopForm::ForIn(_, e) => self.exp(e),
                    LoopForm::While(e) => self.inside(e),
                }
                self.inside(&l.body);
            }
            ExpKind::Record(_)
            | ExpKind::Array(_)
            | ExpKind::Project(..)
            | ExpKind::Index(..)
            | ExpKind::Negate(_)
            | ExpKind::Not(_)
            | ExpKind::And(..)
            | ExpKind::Or(..)
            | ExpKind::Assert(..)
            | ExpKind::Coerce(_)
            | ExpKind::Range { .. }
            | ExpKind::Update(..)
            | ExpKind::Let { .. }
            | ExpKind::Attr(..) => children(e, &mut |c| self.exp(c)),
        }
        self.learn(&e.ext);
    }
}

/// Whether an application was written with an operator between its operands.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
pub(super) fn infix(ctx: &Context, f: &Exp, args: &[Exp]) -> bool {
    match &*f.kind {
        ExpKind::Var(n, _) => args.len() == 2 && is_operator(ctx.names.base(*n).as_str()),
        _ => false,
    }
}
