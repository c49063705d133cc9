//! Calls: which arguments are consumed, what the result may share, and whether
//! functional arguments keep to what the callee expects of them.

use super::alias::{functional, leaf_uniq, AliasSet, Tree};
use super::errors;
use super::state::{LogMark, Owner, State, What};
use crate::tast::{Exp, ExpKind};
use crate::type_exp::uses::consumes;
use crate::types::{Arrow, Parts, Type, Uniq};
use fehu_base::{Span, Symbol};

/// How a function fails to be what is expected of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Misfit {
    /// It consumes a parameter that it should only look at.
    Consumes,
    /// It returns something aliased where a unique result is expected.
    Aliases,
}

/// An evaluated argument.
struct Arg {
    tree: Tree,
    set: AliasSet,
    span: Span,
    /// When it had been evaluated.
    mark: LogMark,
}

impl State<'_> {
    /// `f args`, maybe of fewer arguments than the function has parameters.
    pub(super) fn apply(&mut self, f: &mut Exp, args: &mut [Exp], whole: &Type, span: Span) -> Tree {
        let fun = self.exp(f);
        let args: Vec<Arg> = args.iter_mut().map(|a| self.arg(a)).collect();
        for arg in &args {
            self.check_kept(&arg.set, arg.span, arg.mark);
        }
        let mut shared = fun.all();
        let mut ty = match &fun {
            Tree::Fun(_, arrow) => Type::Arrow(arrow.clone()),
            Tree::Nothing | Tree::Leaf(_) | Tree::Record(_) | Tree::Sum(_) => f.ty.clone(),
        };
        let mut gone = vec![];
        for (i, arg) in args.iter().enumerate() {
            let Type::Arrow(arrow) = ty else { return Tree::fresh(whole) };
            self.check_functional_arg(&arrow.lhs, &arg.tree, arg.span);
            if consumes(&arrow.lhs) {
                gone.push(i);
            } else {
                shared = shared.union(&arg.set);
            }
            ty = arrow.ret.ty.clone();
        }
        self.consume_args(f, &fun, &args, &gone);
        self.result(f, span, &ty, shared)
    }

    /// Evaluates an argument. If it is a function, nothing may be consumed on the way.
    fn arg(&mut self, arg: &mut Exp) -> Arg {
        let mark = self.log_mark();
        let tree = self.exp(arg);
        if functional(&arg.ty) {
            if let Some((what, at)) = self.consumed_since(mark) {
                let d = errors::argument_contains_consumption(self, arg.span, &arg.ty, at);
                self.report_once(what, d);
            }
        }
        Arg { set: tree.all(), tree, span: arg.span, mark: self.log_mark() }
    }

    /// Consumes the arguments at the given positions.
    fn consume_args(&mut self, f: &Exp, fun: &Tree, args: &[Arg], gone: &[usize]) {
        for &i in gone {
            let arg = &args[i];
            if let Some(n) = arg.tree.self_alias() {
                let d = errors::self_aliased(self, arg.span, n);
                self.report_once(n, d);
            }
            let others = args.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, a)| (&a.set, a.span));
            let held = fun.all();
            let clash = others
                .chain(std::iter::once((&held, f.span)))
                .find_map(|(set, span)| arg.set.common(set).map(|n| (n, span)));
            if let Some((n, other)) = clash {
                let d = errors::argument_aliases(self, arg.span, other, n);
                self.report_once(n, d);
            }
        }
        for &i in gone {
            self.consume(&args[i].set, args[i].span);
        }
    }

    /// What a call's result may share: nothing where it is unique, otherwise
    /// everything that was passed without being consumed.
    fn result(&mut self, f: &Exp, span: Span, ty: &Type, shared: AliasSet) -> Tree {
        // Parts of a result that is not unique may share memory with each other.
        let mut parts = 0;
        Tree::of_type(ty, &mut |t| {
            if leaf_uniq(t) == Uniq::Nonunique && !matches!(t, Type::Arrow(_)) {
                parts += 1;
            }
            AliasSet::default()
        });
        let shared = if parts > 1 && shared.is_empty() {
            self.fresh(What::Result(self.callee(f), span), Owner::Us, span)
        } else {
            shared
        };
        Tree::of_type(ty, &mut |t| match leaf_uniq(t) {
            Uniq::Unique => AliasSet::default(),
            Uniq::Nonunique => shared.clone(),
        })
    }

    /// The name of what is called, for messages.
    fn callee(&self, f: &Exp) -> Symbol {
        if let ExpKind::Var(name, _) = &*f.kind {
            return self.ctx.names.base(*name);
        }
        if let ExpKind::Project(_, field) = &*f.kind {
            return *field;
        }
        Symbol::new("function")
    }

    /// Whether the functions in an argument are what the parameter expects.
    fn check_functional_arg(&mut self, expected: &Type, tree: &Tree, span: Span) {
        if let Some((misfit, want, got)) = misfit_in(expected, tree) {
            let (want, got) = (Type::Arrow(want), Type::Arrow(got));
            let d = match misfit {
                Misfit::Consumes => errors::consuming_function(self, span, &want, &got),
                Misfit::Aliases => errors::aliasing_function(self, span, &want, &got),
            };
            self.ctx.report(d);
        }
    }
}

/// The first function in a value that is not what is expected.
pub(super) fn misfit_in(expected: &Type, tree: &Tree) -> Option<(Misfit, Parts<Arrow>, Parts<Arrow>)> {
    match (expected, tree) {
        (Type::Arrow(want), Tree::Fun(_, got)) => misfit(want, got).map(|m| (m, want.clone(), got.clone())),
        (Type::Record(ts), Tree::Record(trees)) => {
            ts.iter().zip(trees.iter()).find_map(|((_, t), (_, tree))| misfit_in(t, tree))
        }
        (Type::Sum(cs), Tree::Sum(trees)) => cs
            .iter()
            .zip(trees.iter())
            .find_map(|((_, ts), (_, trees))| ts.iter().zip(trees).find_map(|(t, tree)| misfit_in(t, tree))),
        (_, Tree::Nothing | Tree::Leaf(_) | Tree::Fun(..) | Tree::Record(_) | Tree::Sum(_)) => None,
    }
}

/// Whether a function can stand where another is expected.
fn misfit(want: &Arrow, got: &Arrow) -> Option<Misfit> {
    if consumes(&got.lhs) && !consumes(&want.lhs) {
        return Some(Misfit::Consumes);
    }
    if let (Type::Arrow(w), Type::Arrow(g)) = (&want.lhs, &got.lhs) {
        if let Some(m) = misfit(g, w) {
            return Some(m);
        }
    }
    misfit_result(&want.ret.ty, &got.ret.ty)
}

fn misfit_result(want: &Type, got: &Type) -> Option<Misfit> {
    match (want, got) {
        (Type::Arrow(w), Type::Arrow(g)) => misfit(w, g),
        (Type::Record(ws), Type::Record(gs)) => {
            ws.iter().zip(gs.iter()).find_map(|((_, w), (_, g))| misfit_result(w, g))
        }
        (Type::Sum(ws), Type::Sum(gs)) => ws
            .iter()
            .zip(gs.iter())
            .find_map(|((_, w), (_, g))| w.iter().zip(g).find_map(|(w, g)| misfit_result(w, g))),
        (Type::Array(..) | Type::Var(..), Type::Array(..) | Type::Var(..)) => {
            (leaf_uniq(want) == Uniq::Unique && leaf_uniq(got) == Uniq::Nonunique).then_some(Misfit::Aliases)
        }
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
        ) => None,
    }
}
