//! The parts of typed expressions, for those who only look.

use crate::tast::{Access, Exp, ExpKind, Index, LoopForm, RangeEnd};

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
