//! The parts of typed expressions, for those who only look.

use crate::tast::{Access, Exp, ExpKind, Index, LoopForm, Pat, PatKind, RangeEnd};
use crate::types::{Size, Type, TypeArg};
use fehu_base::Name;

/// Calls `f` on each direct subexpression, in evaluation order.
pub fn children<'a>(e: &'a Exp, f: &mut dyn FnMut(&'a Exp)) {
    match &*e.kind {
        ExpKind::Literal(_) | ExpKind::String(_) | ExpKind::Hole | ExpKind::Var(..) => {}
        ExpKind::Record(fs) => fs.iter().for_each(|(_, e)| f(e)),
        ExpKind::Array(es) | ExpKind::Constr(_, es) => es.iter().for_each(f),
        ExpKind::Project(e, _)
        | ExpKind::Negate(e)
        | ExpKind::Not(e)
        | ExpKind::Coerce(e)
        | ExpKind::Attr(_, e) => f(e),
        ExpKind::Index(e, ix) => {
            f(e);
            indexes(ix, f);
        }
        ExpKind::And(l, r) | ExpKind::Or(l, r) | ExpKind::Assert(l, r, _) => {
            f(l);
            f(r);
        }
        ExpKind::Apply(g, es) => {
            f(g);
            es.iter().for_each(f);
        }
        ExpKind::Lambda(l) => f(&l.body),
        ExpKind::Range { start, second, end } => {
            f(start);
            second.iter().for_each(&mut *f);
            match end {
                RangeEnd::Inclusive(e) | RangeEnd::UpTo(e) | RangeEnd::DownTo(e) => f(e),
            }
        }
        ExpKind::Update(e, path, v) => {
            f(e);
            for a in path {
                match a {
                    Access::Field(_) => {}
                    Access::Index(ix, _) => indexes(ix, f),
                }
            }
            f(v);
        }
        ExpKind::Let { value, body, .. } => {
            f(value);
            f(body);
        }
        ExpKind::LetFun(g, body) => {
            f(&g.body);
            f(body);
        }
        ExpKind::If(c, t, e) => {
            f(c);
            f(t);
            f(e);
        }
        ExpKind::Loop(l) => {
            f(&l.init);
            match &l.form {
                LoopForm::For(_, _, e) | LoopForm::ForIn(_, e) | LoopForm::While(e) => f(e),
            }
            f(&l.body);
        }
        ExpKind::Match(e, cases) => {
            f(e);
            cases.iter().for_each(|c| f(&c.body));
        }
    }
}

fn indexes<'a>(ix: &'a [Index], f: &mut dyn FnMut(&'a Exp)) {
    for i in ix {
        match i {
            Index::Fix(e) => f(e),
            Index::Slice { lo, hi, stride } => [lo, hi, stride].into_iter().flatten().for_each(&mut *f),
        }
    }
}

/// Calls `f` on each pattern that the expression itself binds and that must
/// match: all but those of the cases of a `match`.
pub fn irrefutable_patterns<'a>(e: &'a Exp, f: &mut dyn FnMut(&'a Pat)) {
    match &*e.kind {
        ExpKind::Lambda(l) => l.params.iter().for_each(f),
        ExpKind::Let { pat, .. } => f(pat),
        ExpKind::LetFun(g, _) => g.params.iter().for_each(f),
        ExpKind::Loop(l) => {
            f(&l.pat);
            match &l.form {
                LoopForm::ForIn(p, _) => f(p),
                LoopForm::For(..) | LoopForm::While(_) => {}
            }
        }
        ExpKind::Literal(_)
        | ExpKind::String(_)
        | ExpKind::Hole
        | ExpKind::Var(..)
        | ExpKind::Record(_)
        | ExpKind::Array(_)
        | ExpKind::Project(..)
        | ExpKind::Index(..)
        | ExpKind::Negate(_)
        | ExpKind::Not(_)
        | ExpKind::And(..)
        | ExpKind::Or(..)
        | ExpKind::Assert(..)
        | ExpKind::Constr(..)
        | ExpKind::Apply(..)
        | ExpKind::Coerce(_)
        | ExpKind::Range { .. }
        | ExpKind::Update(..)
        | ExpKind::If(..)
        | ExpKind::Match(..)
        | ExpKind::Attr(..) => {}
    }
}

/// Calls `f` on each variable of a pattern, with the part of the pattern that it is.
pub fn pat_vars<'a>(p: &'a Pat, f: &mut dyn FnMut(Name, &'a Pat)) {
    match &p.kind {
        PatKind::Var(n) => f(*n, p),
        PatKind::Wildcard | PatKind::Literal(_) => {}
        PatKind::Record(fields) => fields.iter().for_each(|(_, p)| pat_vars(p, f)),
        PatKind::Constr(_, ps) => ps.iter().for_each(|p| pat_vars(p, f)),
        PatKind::Attr(_, p) => pat_vars(p, f),
    }
}

/// Calls `f` on each size in a type, those of functions in it included.
pub fn sizes<'a>(t: &'a Type, f: &mut dyn FnMut(&'a Size)) {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
        Type::Array(_, size, elem) => {
            f(size);
            sizes(elem, f);
        }
        Type::Record(fields) => fields.iter().for_each(|(_, t)| sizes(t, f)),
        Type::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| sizes(t, f)),
        Type::Arrow(a) => {
            sizes(&a.lhs, f);
            sizes(&a.ret.ty, f);
        }
        Type::Var(_, _, args) => args.iter().for_each(|a| match a {
            TypeArg::Size(s) => f(s),
            TypeArg::Type(t) => sizes(t, f),
        }),
    }
}
