//! Checking consumption: what was taken over is not used again.
//!
//! A walk in the order of execution keeps the set of names whose memory is
//! gone: all ancestors of what was consumed. A use of a name that has an
//! ancestor among them is a mistake. Branches each start from what was gone
//! before; afterwards what either consumed is gone.

use super::MAX_ERRORS;
use crate::alias::{Aliases, Signatures};
use crate::consume::consumed_directly;
use crate::print::print_stm;
use crate::rep::Rep;
use crate::syntax::*;
use crate::types::{prog_types, Types};
use crate::visit::{deep, for_each_operand, look, Visitor};
use fehu_base::{Name, NameSource};
use rustc_hash::FxHashSet;

/// All mistakes of consumption in a program that is right in all else.
pub(super) fn check<R: Rep>(prog: &Prog<R>) -> Vec<String> {
    let signatures = Signatures::of_prog(prog);
    let types = prog_types(prog);
    let start = |body: &Body<R>, ret: &[FunRet<R>], own: FxHashSet<Name>| {
        let mut checker = Checker {
            names: &prog.names,
            signatures: &signatures,
            types: &types,
            aliases: Aliases::of_body(&signatures, body),
            gone: FxHashSet::default(),
            log: vec![],
            own,
            errors: vec![],
        };
        checker.body(body);
        checker.uses(body.result.iter().filter_map(|e| e.name()));
        checker.unique_results(body, ret);
        checker.errors
    };
    let mut errors = start(&prog.consts, &[], FxHashSet::default());
    for fun in &prog.funs {
        // What the function may consume: its own, and parameters that say so.
        let own = fun.params.iter().filter(|p| p.consumed).map(|p| p.name).collect();
        let place = prog.names.show(fun.name);
        errors.extend(start(&fun.body, &fun.ret, own).into_iter().map(|e| format!("{place}: {e}")));
    }
    errors.truncate(MAX_ERRORS);
    errors
}

struct Checker<'a> {
    names: &'a NameSource,
    signatures: &'a Signatures,
    types: &'a Types,
    aliases: Aliases,
    /// Names whose memory was taken over.
    gone: FxHashSet<Name>,
    /// Names in the order they went.
    log: Vec<Name>,
    /// Names bound in the innermost part that runs once: only they may be consumed.
    own: FxHashSet<Name>,
    errors: Vec<String>,
}

impl Checker<'_> {
    fn body<R: Rep>(&mut self, body: &Body<R>) {
        deep(|| {
            for stm in &body.stms {
                self.stm(stm);
            }
        })
    }

    fn stm<R: Rep>(&mut self, stm: &Stm<R>) {
        let before = self.errors.len();
        let mut used = vec![];
        for_each_operand(&stm.exp, &mut |e| used.extend(e.name()));
        self.uses(used.iter().copied());
        let consumed = consumed_directly(self.signatures, &stm.exp);
        match &stm.exp {
            Exp::If(_, t, f) => {
                let start = self.log.len();
                let mut went = vec![];
                for branch in [t, f] {
                    self.body(branch);
                    self.uses(branch.result.iter().filter_map(|e| e.name()));
                    went.extend(self.back_to(start));
                }
                self.go(went);
            }
            Exp::Loop(l) => {
                self.consume(&consumed);
                let params = l.params.iter().filter(|(p, _)| p.consumed).map(|(p, _)| p.name);
                self.repeated(params.collect(), |c| {
                    c.body(&l.body);
                    c.uses(l.body.result.iter().filter_map(|e| e.name()));
                    c.loop_results(l);
                });
            }
            Exp::WithAcc(w) => {
                self.consume(&consumed);
                for (op, _) in w.inputs.iter().filter_map(|i| i.op.as_ref()) {
                    self.lambda(op);
                }
                // Runs once, so it may consume what the parts around it may.
                self.own.extend(w.lambda.params.iter().map(|p| p.name));
                self.body(&w.lambda.body);
                self.uses(w.lambda.body.result.iter().filter_map(|e| e.name()));
            }
            Exp::Call(_, args) => {
                self.arguments(args, &consumed);
                self.consume(&consumed);
            }
            Exp::Op(_) => {
                Inside(self).exp(&stm.exp);
                self.consume(&consumed);
            }
            Exp::Basic(_) => self.consume(&consumed),
        }
        self.own.extend(stm.pat.iter().map(|p| p.name));
        if self.errors.len() > before {
            let text = print_stm(self.names, stm);
            let line = text.lines().next().unwrap_or_default();
            for e in &mut self.errors[before..] {
                if !e.starts_with("in `") {
                    *e = format!("in `{line}`: {e}");
                }
            }
        }
    }

    fn uses(&mut self, names: impl IntoIterator<Item = Name>) {
        if self.gone.is_empty() {
            return;
        }
        for n in names {
            if let Some(gone) = self.aliases.of(n).into_iter().find(|a| self.gone.contains(a)) {
                let n_text = self.names.show(n);
                let why = if gone == n {
                    String::new()
                } else {
                    format!(", which may share the memory of {}", self.names.show(gone))
                };
                self.errors.push(format!("{n_text} is used{why} after it was consumed"));
            }
        }
    }

    /// Takes the names over, if they may be.
    fn consume(&mut self, names: &[Name]) {
        for n in names {
            let all = self.aliases.of(*n);
            let is_acc = matches!(self.types.get(n), Some(Type::Acc(..)));
            if let Some(foreign) = all.iter().find(|a| !is_acc && !self.own.contains(*a)) {
                let (n, foreign) = (self.names.show(*n), self.names.show(*foreign));
                self.errors.push(format!("{n} is consumed, but {foreign} may not be consumed here"));
            }
            self.go(all);
        }
    }

    fn go(&mut self, names: impl IntoIterator<Item = Name>) {
        for n in names {
            if self.gone.insert(n) {
                self.log.push(n);
            }
        }
    }

    /// Brings back what went since then; gives it.
    fn back_to(&mut self, start: usize) -> Vec<Name> {
        let went = self.log.split_off(start);
        for n in &went {
            self.gone.remove(n);
        }
        went
    }

    /// A part that may run many times: it may consume only what it binds, and what it is handed.
    fn repeated(&mut self, handed: FxHashSet<Name>, f: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.own, handed);
        f(self);
        self.own = outside;
    }

    fn lambda<R: Rep>(&mut self, lambda: &Lambda<R>) {
        let params = lambda.params.iter().filter(|p| p.consumed).map(|p| p.name);
        self.repeated(params.collect(), |c| {
            c.body(&lambda.body);
            c.uses(lambda.body.result.iter().filter_map(|e| e.name()));
        });
    }

    /// What is handed to the next iteration to be consumed must not be needed by it otherwise.
    fn loop_results<R: Rep>(&mut self, l: &Loop<R>) {
        for ((p, _), e) in l.params.iter().zip(&l.body.result) {
            let Some(n) = e.name() else { continue };
            if !p.consumed || matches!(p.ty, Type::Prim(_) | Type::Acc(..)) {
                continue;
            }
            if let Some(foreign) = self.aliases.of(n).into_iter().find(|a| !self.own.contains(a)) {
                let (n, foreign) = (self.names.show(n), self.names.show(foreign));
                self.errors
                    .push(format!("the loop's body returns {n} to be consumed, but {foreign} may not be"));
            }
        }
    }

    /// What is returned as unique must be the function's own.
    fn unique_results<R: Rep>(&mut self, body: &Body<R>, ret: &[FunRet<R>]) {
        for (e, r) in body.result.iter().zip(ret) {
            let (Some(n), RetType::Array { unique: true, .. }) = (e.name(), &r.ty) else { continue };
            if let Some(foreign) = self.aliases.of(n).into_iter().find(|a| !self.own.contains(a)) {
                let (n, foreign) = (self.names.show(n), self.names.show(foreign));
                self.errors.push(format!("{n} is returned as unique, but may share the memory of {foreign}"));
            }
        }
    }

    /// No argument may share memory with another that is consumed.
    fn arguments(&mut self, args: &[SubExp], consumed: &[Name]) {
        for n in consumed {
            let all = self.aliases.of(*n);
            let sharing = args.iter().filter_map(|e| e.name());
            let sharing = sharing.filter(|a| self.aliases.of(*a).iter().any(|b| all.contains(b)));
            if sharing.count() > 1 {
                let n = self.names.show(*n);
                self.errors.push(format!("{n} is consumed, but shares memory with another argument"));
            }
        }
    }
}

/// Goes into the lambdas and bodies of an operation.
struct Inside<'a, 'b>(&'a mut Checker<'b>);

impl<R: Rep> Visitor<R> for Inside<'_, '_> {
    fn exp(&mut self, e: &Exp<R>) {
        look::exp(self, e);
    }

    fn lambda(&mut self, l: &Lambda<R>) {
        self.0.lambda(l);
    }

    fn body(&mut self, b: &Body<R>) {
        self.0.repeated(FxHashSet::default(), |c| {
            c.body(b);
            c.uses(b.result.iter().filter_map(|e| e.name()));
        });
    }
}
