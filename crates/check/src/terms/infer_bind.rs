//! The first layer: what binds names. `let`, functions, loops, `match`.

use super::guess::guess;
use super::hints::result_conversion;
use super::infer::{Infer, BOOL};
use super::infer_pat::Bound;
use super::metas::{ScalarSet, State, WhyKind};
use super::pre::{Case, Exp, ExpKind, Fun, Lambda, Loop, LoopForm, Pat, PatKind, Written};
use super::unknown::Guesses;
use crate::type_exp::{bind_tparams, params::bind_size};
use crate::types::{Scheme, Size, TParam, Type};
use fehu_base::{Diagnostic, Name, Span};
use fehu_syntax::ast::{self, Ident, QualName};

/// Parameters, result and body of a function, checked.
pub(crate) struct Checked {
    pub(crate) params: Vec<Pat>,
    pub(crate) ret: Option<Written>,
    pub(crate) body: Exp,
    /// The type of the function.
    pub(crate) ty: Type,
}

/// A function as written.
pub(crate) struct Source<'s> {
    pub(crate) params: &'s [ast::Pat],
    pub(crate) ret: Option<&'s ast::TypeExp>,
    pub(crate) body: &'s ast::Exp,
    /// What the function may use of itself.
    pub(crate) own: Option<(Ident, Name)>,
}

impl Infer<'_> {
    /// A definition; with what may be meant by names that nothing has.
    pub(crate) fn definition(&mut self, f: &Source<'_>, sizes: &[Ident]) -> Checked {
        let (first, noted) = (self.ctx.diagnostics.len(), self.ctx.uses.mark());
        let again = |me: &mut Self, guesses: Guesses| {
            me.ctx.diagnostics.truncate(first);
            me.ctx.uses.forget(noted);
            (me.st, me.recursive, me.guesses) = (State::default(), None, guesses);
            me.function(f, sizes.to_vec())
        };
        let checked = self.function(f, sizes.to_vec());
        if !self.guesses.any_refused() {
            return checked;
        }
        again(self, Guesses::Collected(vec![]));
        let meant = guess(self);
        again(self, Guesses::Known(meant))
    }

    /// The inside of a function whose size and type parameters are in scope.
    pub(crate) fn function(&mut self, f: &Source<'_>, seen: Vec<Ident>) -> Checked {
        let mark = self.scope.mark();
        let mut bound = Bound::with(seen);
        let mut params = vec![];
        for p in f.params {
            let p = self.pat(p, &mut bound);
            self.enter(&mut bound);
            params.push(p);
        }
        let ret = f.ret.map(|t| self.written(t));
        let ret_type = match &ret {
            Some(w) => w.ret.ty.clone(),
            None => self.fresh(f.body.span),
        };
        let ty = params.iter().rev().fold(ret_type.clone(), |ret, p| Type::arrow(p.ty.clone(), ret));
        if let Some((id, name)) = f.own {
            // A parameter of the same name hides the function.
            if !self.scope_has_param(&params, id) {
                self.bind_local(id.name, name, Scheme::mono(ty.clone()), id.span);
            }
        }
        self.st.in_body = true;
        let body = self.exp(f.body);
        if let Err(m) = self.unify(&ret_type, &body.ty) {
            let headline = "Function body does not have expected type.";
            let d = self.type_error(body.span, headline, &ret_type, &body.ty, &m);
            let (expected, actual) = (self.st.zonk(&ret_type), self.st.zonk(&body.ty));
            let advice = result_conversion(&expected, &actual, f.body);
            let d = match advice {
                Some(advice) => advice.given(d),
                None => self.lacking(d, &expected, &actual),
            };
            self.report(d);
        }
        self.scope.rollback(mark);
        Checked { params, ret, body, ty }
    }

    fn scope_has_param(&self, params: &[Pat], id: Ident) -> bool {
        fn binds(me: &Infer<'_>, p: &Pat, id: Ident) -> bool {
            match &p.kind {
                PatKind::Var(n) => me.ctx.names.base(*n) == id.name,
                PatKind::Wildcard | PatKind::Literal(..) => false,
                PatKind::Record(fs) => fs.iter().any(|(_, p)| binds(me, p, id)),
                PatKind::Constr(_, ps) => ps.iter().any(|p| binds(me, p, id)),
                PatKind::Ascript(p, _) | PatKind::Attr(_, p) => binds(me, p, id),
            }
        }
        params.iter().any(|p| binds(self, p, id))
    }

    /// `\p q : t -> e`.
    pub(crate) fn lambda(&mut self, l: &ast::Lambda, span: Span) -> Exp {
        let source = Source { params: &l.params, ret: l.ret.as_ref(), body: &l.body, own: None };
        let c = self.function(&source, vec![]);
        let lambda = Lambda { params: c.params, ret: c.ret, body: c.body };
        Exp::new(ExpKind::Lambda(Box::new(lambda)), c.ty, span)
    }

    /// `let f 'a p q : t = e in body`.
    pub(crate) fn let_fun(&mut self, f: &ast::LocalFun, body: &ast::Exp, span: Span) -> Exp {
        let mark = self.scope.mark();
        self.st.level += 1;
        let tparams = bind_tparams(self.ctx, self.scope, &f.tparams);
        for p in &tparams {
            self.st.levels.insert(p.name(), self.st.level);
        }
        let source = Source { params: &f.params, ret: f.ret.as_ref(), body: &f.body, own: None };
        let c = self.function(&source, size_idents(&f.tparams));
        self.st.level -= 1;
        self.scope.rollback(mark);
        let name = self.ctx.bind(f.name.name, f.name.span);
        if f.ret.is_some() {
            self.ctx.declared.insert(name);
        }
        let type_params = tparams.iter().filter(|p| matches!(p, TParam::Type(..))).copied().collect();
        let ty = self.st.zonk(&c.ty);
        let scheme = Scheme { tparams: type_params, overloads: vec![], ty };
        self.bind_local(f.name.name, name, scheme, f.name.span);
        let mutables = self.st.mutables.len();
        if let ("mut" | "var", Some(ast::Pat::Var(id))) = (f.name.name.as_str(), f.params.first()) {
            self.st.mutables.push((id.name, Span { hi: id.span.lo, ..f.name.span }));
        }
        let body = self.exp(body);
        self.st.mutables.truncate(mutables);
        self.scope.rollback(mark);
        let ty = body.ty.clone();
        let fun = Fun { name, tparams, params: c.params, ret: c.ret, body: c.body };
        Exp::new(ExpKind::LetFun(Box::new(fun), body), ty, span)
    }

    /// Binds the sizes of `let [n] p` and `loop [n] p`.
    fn bind_sizes(&mut self, sizes: &[Ident]) -> Vec<Name> {
        sizes.iter().map(|id| bind_size(self.ctx, self.scope, *id)).collect()
    }

    /// `let [n] p = e in body`.
    pub(crate) fn let_pat(
        &mut self,
        sizes: &[Ident],
        pat: &ast::Pat,
        value: &ast::Exp,
        body: &ast::Exp,
        span: Span,
    ) -> Exp {
        let value = self.exp(value);
        let mark = self.scope.mark();
        let size_names = self.bind_sizes(sizes);
        let mut bound = Bound::with(sizes.to_vec());
        let p = self.pat(pat, &mut bound);
        self.match_pat(pat, &p, &value.ty.clone(), value.span);
        self.enter(&mut bound);
        let body = self.exp(body);
        self.scope.rollback(mark);
        let ty = body.ty.clone();
        Exp::new(ExpKind::Let { sizes: size_names, pat: p, value, body }, ty, span)
    }

    /// `let x.f[i] = v in body`.
    pub(crate) fn let_update(
        &mut self,
        name: Ident,
        path: &[ast::Access],
        value: &ast::Exp,
        body: &ast::Exp,
        span: Span,
    ) -> Exp {
        let old = self.var(&QualName { quals: vec![], name, span: name.span });
        let at = name.span.to(value.span);
        let value = self.update(old, path, value, at);
        let ty = value.ty.clone();
        let mark = self.scope.mark();
        let fresh = self.ctx.bind(name.name, name.span);
        self.bind_local(name.name, fresh, Scheme::mono(ty.clone()), name.span);
        let body = self.exp(body);
        self.scope.rollback(mark);
        let pat = Pat { kind: PatKind::Var(fresh), ty, span: name.span };
        let ty = body.ty.clone();
        Exp::new(ExpKind::Let { sizes: vec![], pat, value, body }, ty, span)
    }

    /// A loop.
    pub(crate) fn loop_exp(
        &mut self,
        sizes: &[Ident],
        pat: &ast::Pat,
        init: Option<&ast::Exp>,
        form: &ast::LoopForm,
        body: &ast::Exp,
        span: Span,
    ) -> Exp {
        let init = match init {
            Some(e) => self.exp(e),
            None => match pat_exp(pat) {
                Some(e) => self.exp(&e),
                None => {
                    self.report(
                        Diagnostic::error(pat.span(), "Initial values are needed for this pattern.")
                            .help("write \"loop pattern = values ...\""),
                    );
                    Exp::error(pat.span())
                }
            },
        };
        self.zero_order(&init.ty.clone(), WhyKind::LoopParam, init.span);
        // The bound of a `for` does not see the loop's variables, the condition of a `while` does.
        let bound_exp = match form {
            ast::LoopForm::For(_, e) => {
                let e = self.exp(e);
                let t = self.one_of(ScalarSet::signed(), WhyKind::Bound, e.span);
                self.expect(e.span, "Invalid type of loop bound.", &t, &e.ty.clone());
                Some(e)
            }
            ast::LoopForm::ForIn(_, e) => Some(self.exp(e)),
            ast::LoopForm::While(_) => None,
        };
        let mark = self.scope.mark();
        let size_names = self.bind_sizes(sizes);
        let mut bound = Bound::with(sizes.to_vec());
        let p = self.pat(pat, &mut bound);
        self.match_pat(pat, &p, &init.ty.clone(), init.span);
        self.enter(&mut bound);
        let form = match (form, bound_exp) {
            (ast::LoopForm::For(i, _), Some(e)) => {
                let name = self.ctx.bind(i.name, i.span);
                self.bind_local(i.name, name, Scheme::mono(e.ty.clone()), i.span);
                LoopForm::For(name, e)
            }
            (ast::LoopForm::ForIn(source, _), Some(e)) => {
                let mut bound = Bound::default();
                let elem = self.pat(source, &mut bound);
                let array = Type::array(Size::Any, elem.ty.clone());
                self.expect(e.span, "Can only loop over the elements of an array.", &array, &e.ty.clone());
                self.zero_order(&elem.ty.clone(), WhyKind::ArrayElement, e.span);
                self.enter(&mut bound);
                LoopForm::ForIn(elem, e)
            }
            (ast::LoopForm::While(e), _) => {
                let e = self.exp(e);
                self.expect(e.span, "Expression must have type bool.", &BOOL, &e.ty.clone());
                LoopForm::While(e)
            }
            (ast::LoopForm::For(..) | ast::LoopForm::ForIn(..), None) => return Exp::error(span),
        };
        let body = self.exp(body);
        self.expect(body.span, "Loop body does not have expected type.", &p.ty.clone(), &body.ty.clone());
        self.scope.rollback(mark);
        let ty = p.ty.clone();
        let l = Loop { sizes: size_names, pat: p, init, form, body };
        Exp::new(ExpKind::Loop(Box::new(l)), ty, span)
    }

    /// `match e case p -> e ...`.
    pub(crate) fn match_exp(&mut self, e: &ast::Exp, cases: &[ast::Case], span: Span) -> Exp {
        let e = self.exp(e);
        let mut out: Vec<Case> = vec![];
        for c in cases {
            let mark = self.scope.mark();
            let mut bound = Bound::default();
            let pat = self.pat(&c.pat, &mut bound);
            self.match_pat(&c.pat, &pat, &e.ty.clone(), e.span);
            self.enter(&mut bound);
            let body = self.exp(&c.body);
            self.scope.rollback(mark);
            if let Some(first) = out.first() {
                let (expected, first_span) = (first.body.ty.clone(), first.body.span);
                if let Err(m) = self.unify(&expected, &body.ty.clone()) {
                    let (a, b) = (self.describe(&expected), self.describe(&body.ty));
                    let d = Diagnostic::error(
                        body.span,
                        format!("Branches differ in type.\nFormer: {a}\nLatter: {b}"),
                    );
                    let d = m.explain(d.related(first_span, "the first case"));
                    self.report(d);
                }
            }
            out.push(Case { pat, body, span: c.span });
        }
        let ty = match out.first() {
            Some(c) => c.body.ty.clone(),
            None => Type::Error,
        };
        self.zero_order(&ty, WhyKind::MatchResult, span);
        Exp::new(ExpKind::Match(e, out), ty, span)
    }
}

/// The size parameters among parameters.
pub(crate) fn size_idents(tparams: &[ast::TypeParam]) -> Vec<Ident> {
    tparams
        .iter()
        .filter_map(|p| match p {
            ast::TypeParam::Size(id) => Some(*id),
            ast::TypeParam::Type(..) => None,
        })
        .collect()
}

/// The pattern as the expression it looks like.
fn pat_exp(p: &ast::Pat) -> Option<ast::Exp> {
    let span = p.span();
    let kind = match p {
        ast::Pat::Var(id) => ast::ExpKind::Var(QualName { quals: vec![], name: *id, span }),
        ast::Pat::Wildcard(_) | ast::Pat::Constr(..) => return None,
        ast::Pat::Parens(p, _) | ast::Pat::Ascript(p, _, _) | ast::Pat::Attr(_, p, _) => return pat_exp(p),
        ast::Pat::Tuple(ps, _) => ast::ExpKind::Tuple(ps.iter().map(pat_exp).collect::<Option<_>>()?),
        ast::Pat::Record(fs, _) => {
            let field = |(f, p): &(Ident, Option<ast::Pat>)| match p {
                Some(p) => Some(ast::FieldExp::Explicit(*f, pat_exp(p)?)),
                None => Some(ast::FieldExp::Implicit(*f)),
            };
            ast::ExpKind::Record(fs.iter().map(field).collect::<Option<_>>()?)
        }
        ast::Pat::Literal { value, negated, .. } => {
            let lit = ast::Exp { kind: Box::new(ast::ExpKind::Literal(value.clone())), span };
            if *negated {
                ast::ExpKind::Negate(lit)
            } else {
                return Some(lit);
            }
        }
    };
    Some(ast::Exp { kind: Box::new(kind), span })
}
