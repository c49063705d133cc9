//! Putting what was found into the typed tree.

use super::exp::node;
use super::tables::{Flex, Origin, Slot};
use super::Sizer;
use crate::context::see;
use crate::named::Named;
use crate::tast::{Access, Exp, ExpKind, Index, LoopForm, Pat, PatKind, RangeEnd};
use crate::terms::errors;
use crate::types::{RetType, Size, Type, TypeArg};
use fehu_base::{Diagnostic, Name, Span};
use std::sync::Arc;

impl Sizer<'_> {
    /// Finishes a declaration: all types get their sizes, sizes that nothing
    /// determines are complained about, and the order of evaluation is checked.
    pub(crate) fn finish(&mut self, mut params: Vec<Pat>, mut body: Exp) -> (Vec<Pat>, Exp) {
        self.quiet = errors(self.ctx) > self.start;
        for p in &mut params {
            self.finish_pat(p);
        }
        self.finish_exp(&mut body);
        if !self.unknowns.is_empty() && errors(self.ctx) == self.start {
            super::causality::check(self.ctx, &self.unknowns, &body);
            super::order::sequence(self.ctx, &mut body);
        }
        (params, body)
    }

    /// Finishes a size expression that stands alone.
    pub(crate) fn finish_lone(&mut self, mut e: Exp) -> Exp {
        self.finish_exp(&mut e);
        e
    }

    fn finish_type(&mut self, t: &mut Type, span: Span) {
        if let Type::Scalar(..) = t {
            return;
        }
        *t = self.settle(t);
        for n in super::tables::mentioned_type(t) {
            self.determined(n, span);
        }
        *t = self.zonk(t);
    }

    /// Complains if nothing says what a size is.
    fn determined(&mut self, n: Name, span: Span) {
        let Some(Flex::Free { origin, span: made, .. }) = self.flexes.get(&n).cloned() else { return };
        self.flexes.insert(n, Flex::Is(Size::Any));
        // After other errors this is none of the user's; and one is enough.
        if std::mem::replace(&mut self.quiet, true) {
            return;
        }
        let base = self.ctx.show().name(n);
        let at = if made == Span::NONE { span } else { made };
        let from = match origin {
            Origin::Instance(f) => {
                format!("instantiated size parameter of \"{f}\" (its use as function argument does not tell)")
            }
            Origin::Ascription => "size in explicit type ascription".to_string(),
            Origin::Coercion => "size coercion".to_string(),
            Origin::Pattern => "size in explicit type ascription of a pattern".to_string(),
            Origin::Parameter => "the type of a parameter".to_string(),
            Origin::Result => "size in a result type".to_string(),
            Origin::Argument => "use as function argument".to_string(),
            Origin::Loop => "a loop".to_string(),
            Origin::Other => "this expression".to_string(),
        };
        self.ctx.report(
            Diagnostic::error(
                at,
                format!("Ambiguous size \"{base}\".\nIt arises from {from}, and nothing determines it."),
            )
            .note(see(Named::AmbiguousSize))
            .help("write the type with its sizes, as in \"e : [10]i32\""),
        );
    }

    fn finish_ret(&mut self, r: &mut RetType, span: Span) {
        let full = self.zonk_ret(r);
        *r = full;
        self.finish_type(&mut r.ty, span);
    }

    fn finish_pat(&mut self, p: &mut Pat) {
        let span = p.span;
        self.finish_type(&mut p.ty, span);
        match &mut p.kind {
            PatKind::Var(_) | PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Record(fs) => fs.iter_mut().for_each(|(_, p)| self.finish_pat(p)),
            PatKind::Constr(_, ps) => ps.iter_mut().for_each(|p| self.finish_pat(p)),
            PatKind::Attr(_, p) => self.finish_pat(p),
        }
    }

    fn finish_exp(&mut self, e: &mut Exp) {
        fehu_base::stack::deep(|| self.finish_exp_inner(e));
    }

    fn finish_all(&mut self, es: &mut [Exp]) {
        es.iter_mut().for_each(|e| self.finish_exp(e));
    }

    fn finish_exp_inner(&mut self, e: &mut Exp) {
        let span = e.span;
        self.finish_type(&mut e.ty, span);
        match Arc::make_mut(&mut e.kind) {
            ExpKind::Literal(_) | ExpKind::String(_) | ExpKind::Hole => {}
            ExpKind::Var(_, inst) => {
                for a in inst {
                    self.finish_arg(a, span);
                }
            }
            ExpKind::Record(fs) => fs.iter_mut().for_each(|(_, e)| self.finish_exp(e)),
            ExpKind::Array(es) | ExpKind::Constr(_, es) => self.finish_all(es),
            ExpKind::Project(e, _)
            | ExpKind::Negate(e)
            | ExpKind::Not(e)
            | ExpKind::Coerce(e)
            | ExpKind::Attr(_, e) => self.finish_exp(e),
            ExpKind::Index(e, ix) => {
                self.finish_exp(e);
                self.finish_indexes(ix);
            }
            ExpKind::And(l, r) | ExpKind::Or(l, r) | ExpKind::Assert(l, r, _) => {
                self.finish_exp(l);
                self.finish_exp(r);
            }
            ExpKind::Apply(f, es) => {
                self.finish_exp(f);
                self.finish_all(es);
            }
            ExpKind::Lambda(l) => {
                l.params.iter_mut().for_each(|p| self.finish_pat(p));
                self.finish_ret(&mut l.ret, span);
                self.finish_exp(&mut l.body);
            }
            ExpKind::Range { start, second, end } => {
                self.finish_exp(start);
                second.iter_mut().for_each(|e| self.finish_exp(e));
                match end {
                    RangeEnd::Inclusive(e) | RangeEnd::UpTo(e) | RangeEnd::DownTo(e) => self.finish_exp(e),
                }
            }
            ExpKind::Update(e, path, v) => {
                self.finish_exp(e);
                for a in path {
                    match a {
                        Access::Field(_) => {}
                        Access::Index(ix, _) => self.finish_indexes(ix),
                    }
                }
                self.finish_exp(v);
            }
            ExpKind::Let { pat, value, body, .. } => {
                self.finish_exp(value);
                self.finish_pat(pat);
                self.finish_exp(body);
            }
            ExpKind::LetFun(f, body) => {
                f.params.iter_mut().for_each(|p| self.finish_pat(p));
                self.finish_ret(&mut f.ret, span);
                self.finish_exp(&mut f.body);
                self.finish_exp(body);
            }
            ExpKind::If(c, t, f) => {
                self.finish_exp(c);
                self.finish_exp(t);
                self.finish_exp(f);
            }
            ExpKind::Loop(l) => {
                self.finish_pat(&mut l.pat);
                self.finish_exp(&mut l.init);
                match &mut l.form {
                    LoopForm::For(_, _, e) | LoopForm::While(e) => self.finish_exp(e),
                    LoopForm::ForIn(p, e) => {
                        self.finish_pat(p);
                        self.finish_exp(e);
                    }
                }
                self.finish_exp(&mut l.body);
            }
            ExpKind::Match(x, cases) => {
                self.finish_exp(x);
                for c in cases {
                    self.finish_pat(&mut c.pat);
                    self.finish_exp(&mut c.body);
                }
            }
        }
    }

    /// A type argument may be existential; its sizes then stand for themselves.
    fn finish_arg(&mut self, a: &mut TypeArg, span: Span) {
        match a {
            TypeArg::Size(s) => {
                let full = self.size(s);
                for n in super::tables::mentioned_size(&full) {
                    self.determined(n, span);
                }
                *s = self.size(&full);
            }
            TypeArg::Type(t) => {
                if let Type::Meta(m) = t {
                    let root = self.root(*m);
                    if let Slot::Is(r) = &self.slots[root as usize] {
                        *t = r.ty.clone();
                    }
                }
                self.finish_type(t, span);
            }
        }
    }

    fn finish_indexes(&mut self, ix: &mut [Index]) {
        for i in ix {
            match i {
                Index::Fix(e) => self.finish_exp(e),
                Index::Slice { lo, hi, stride } => {
                    [lo, hi, stride].into_iter().flatten().for_each(|e| self.finish_exp(e));
                }
            }
        }
    }
}

/// A variable of a finished type.
pub(super) fn var(n: Name, ty: Type, span: Span) -> Exp {
    node(ExpKind::Var(n, vec![]), ty, span)
}
