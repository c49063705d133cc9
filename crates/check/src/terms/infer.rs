//! The first layer: names and types without sizes.
//!
//! A walk over the syntax tree that makes the tree of [`super::pre`] and
//! unifies types on the way. Other forms of expressions are in
//! `infer_apply.rs` (uses and applications), `infer_bind.rs` (what binds
//! names) and `infer_pat.rs`.

use super::foreign::comprehension;
use super::hints::{other_field, quoted_argument};
use super::metas::{Cons, ScalarSet, State, Why, WhyKind};
use super::pre::{self, Exp, ExpKind, Written};
use super::quote;
use super::unify::{Mismatch, Unified};
use super::unknown::Guesses;
use crate::context::Context;
use crate::scope::{Scope, ValEntry, ValKind};
use crate::tast::Occurrence;
use crate::type_exp;
use crate::types::{is_too_large, Scheme, Size, Type, MAX_DEPTH, MAX_PARTS};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::{self, Liftedness};
use std::sync::Arc;

/// The walk.
pub(crate) struct Infer<'a> {
    pub(crate) ctx: &'a mut Context,
    pub(crate) scope: &'a mut Scope,
    pub(crate) st: State,
    /// The function being defined, and whether it was used.
    pub(crate) own: Option<Name>,
    /// Where the definition first uses itself.
    pub(crate) recursive: Option<Span>,
    /// What is done about unknown names.
    pub(crate) guesses: Guesses,
}

pub(crate) const BOOL: Type = Type::scalar(ScalarType::Bool);
pub(crate) const I64: Type = Type::scalar(ScalarType::I64);

impl<'a> Infer<'a> {
    pub(crate) fn new(ctx: &'a mut Context, scope: &'a mut Scope, st: State) -> Infer<'a> {
        Infer { ctx, scope, st, own: None, recursive: None, guesses: Guesses::No { any: false } }
    }

    /// A variable of which nothing is known.
    pub(crate) fn fresh(&mut self, span: Span) -> Type {
        self.st.fresh(Cons::Open, span)
    }

    /// One of some scalars.
    pub(crate) fn one_of(&mut self, set: ScalarSet, kind: WhyKind, span: Span) -> Type {
        self.st.fresh(Cons::OneOf(set, Why { kind, span }), span)
    }

    /// Complains.
    pub(crate) fn report(&mut self, d: Diagnostic) {
        self.ctx.report(d);
    }

    /// Complains if the types do not match: headline, both types, reasons.
    pub(crate) fn expect(&mut self, span: Span, headline: &str, expected: &Type, actual: &Type) {
        if let Err(m) = self.unify(expected, actual) {
            let d = self.type_error(span, headline, expected, actual, &m);
            self.report(d);
        }
    }

    pub(crate) fn type_error(
        &mut self,
        span: Span,
        headline: &str,
        expected: &Type,
        actual: &Type,
        m: &Mismatch,
    ) -> Diagnostic {
        let (e, a) = (self.describe(expected), self.describe(actual));
        let d = m.explain(Diagnostic::error(span, format!("{headline}\nExpected: {e}\nActual:   {a}")));
        let (expected, actual) = (self.visible(expected), self.visible(actual));
        self.ctx.with_abbreviations(d, [&expected, &actual])
    }

    /// Complains if a demand was refused.
    pub(crate) fn demand(&mut self, span: Span, headline: &str, result: Unified) {
        if let Err(m) = result {
            let d = m.explain(Diagnostic::error(span, headline));
            self.report(d);
        }
    }

    /// Demands that functions and, for arrays, hidden sizes stay out.
    pub(crate) fn zero_order(&mut self, t: &Type, kind: WhyKind, span: Span) {
        let (max, headline) = match kind {
            WhyKind::ArrayElement => (Liftedness::Unlifted, "Cannot create array of this element type."),
            WhyKind::IfResult => (Liftedness::SizeLifted, "Invalid type of if expression."),
            WhyKind::MatchResult => (Liftedness::SizeLifted, "Invalid type of match expression."),
            WhyKind::LoopParam => (Liftedness::SizeLifted, "Invalid type of loop parameter."),
            WhyKind::TypeParam(_)
            | WhyKind::OnlyValue(_)
            | WhyKind::IntLiteral
            | WhyKind::FloatLiteral
            | WhyKind::Operator(_)
            | WhyKind::Index
            | WhyKind::Range
            | WhyKind::Bound => return,
        };
        let result = self.restrict(t, max, &Why { kind, span });
        self.demand(span, headline, result);
    }

    /// A type that the user wrote.
    pub(crate) fn written(&mut self, te: &ast::TypeExp) -> Written {
        self.ctx.terms = Some(Box::new(std::mem::take(&mut self.st)));
        let ret = type_exp::elaborate(self.ctx, self.scope, te);
        self.st = self.ctx.terms.take().map(|b| *b).unwrap_or_default();
        Written { ret, span: te.span() }
    }

    /// A size expression inside a written type.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    pub(crate) fn size_exp(&mut self, e: &ast::Exp) -> Size {
        let exp = self.exp(e);
        self.expect(e.span, "Size expression must have type \"i64\".", &I64, &exp.ty.clone());
        match &*exp.kind {
            ExpKind::Var(u)
                if u.types.is_empty() && u.global.as_ref().is_none_or(|s| s.tparams.is_empty()) =>
            {
                Size::Var(u.name)
            }
            ExpKind::Error => Size::Any,
            _ => {
                let text = super::quote::exp(e);
                let name = self.ctx.bind(Symbol::new(&text), e.span);
                self.st.size_exps.insert(name, exp);
                Size::Var(name)
            }
        }
    }

    /// Binds a local variable.
    pub(crate) fn bind_local(&mut self, sym: Symbol, name: Name, scheme: Scheme, span: Span) {
        self.st.seen.push(Occurrence { span, name, ty: scheme.ty.clone() });
        self.ctx.uses.bind(ast::Ident { name: sym, span });
        self.scope.bind_val(sym, ValEntry { name, scheme: Arc::new(scheme), span, kind: ValKind::Local });
    }

    /// An expression.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    pub(crate) fn exp(&mut self, e: &ast::Exp) -> Exp {
        // Room to drop types, too, which are as deep as `MAX_DEPTH`.
        let made = fehu_base::stack::with_room(1024 * 1024, 8 * 1024 * 1024, || self.exp_inner(e));
        match &*e.kind {
            ast::ExpKind::Tuple(_)
            | ast::ExpKind::Record(_)
            | ast::ExpKind::Array(_)
            | ast::ExpKind::Lambda(_)
            | ast::ExpKind::Apply(..) => self.not_too_large(made),
            _ => made,
        }
    }

    /// An expression whose type may be larger than those of its parts, unless it is too large.
    fn not_too_large(&mut self, e: Exp) -> Exp {
        if !is_too_large(&e.ty, |t| self.st.head(t)) {
            return e;
        }
        let message = format!(
            "The type of this expression has more than {MAX_PARTS} parts, or is nested more than {MAX_DEPTH} times."
        );
        self.report(Diagnostic::error(e.span, message));
        Exp::error(e.span)
    }

    fn exp_inner(&mut self, e: &ast::Exp) -> Exp {
        let span = e.span;
        match &*e.kind {
            ast::ExpKind::Literal(l) => self.literal(l, span),
            ast::ExpKind::Var(q) => self.var(q),
            ast::ExpKind::Hole => {
                let ty = self.fresh(span);
                Exp::new(ExpKind::Hole, ty, span)
            }
            ast::ExpKind::Parens(e) => Exp { span, ..self.exp(e) },
            ast::ExpKind::QualParens(q, e) => self.local_open(q, e, span),
            ast::ExpKind::Tuple(es) => {
                let fields: Vec<(Symbol, Exp)> =
                    es.iter().enumerate().map(|(i, e)| (Symbol::new(&i.to_string()), self.exp(e))).collect();
                let ty = Type::tuple(fields.iter().map(|(_, e)| e.ty.clone()).collect());
                Exp::new(ExpKind::Record(fields), ty, span)
            }
            ast::ExpKind::Record(fs) => self.record(fs, span),
            ast::ExpKind::Array(es) => self.array(es, span),
            ast::ExpKind::Project(e, f) => {
                let text = quoted_argument(e);
                let e = self.exp(e);
                self.project(e, *f, span, &text)
            }
            ast::ExpKind::Index(e, ix) => {
                let e = self.exp(e);
                let ix = self.indexes(ix);
                let ty = self.index_type(&e.ty.clone(), &ix, e.span, "Cannot index value of this type.");
                Exp::new(ExpKind::Index(e, ix), ty, span)
            }
            ast::ExpKind::Negate(e) => {
                let e = self.exp(e);
                let t = self.one_of(ScalarSet::numeric(), WhyKind::Operator(Symbol::new("-")), span);
                self.expect(span, "Cannot negate value of this type.", &t, &e.ty.clone());
                let ty = e.ty.clone();
                Exp::new(ExpKind::Negate(e), ty, span)
            }
            ast::ExpKind::Not(e) => {
                let e = self.exp(e);
                let set = ScalarSet::integers().with(ScalarType::Bool);
                let t = self.one_of(set, WhyKind::Operator(Symbol::new("!")), span);
                self.expect(span, "Cannot apply \"!\" to value of this type.", &t, &e.ty.clone());
                let ty = e.ty.clone();
                Exp::new(ExpKind::Not(e), ty, span)
            }
            ast::ExpKind::Assert(c, e) => {
                let text = Symbol::new(&quote::exp(c));
                let c = self.condition(c);
                let e = self.exp(e);
                let ty = e.ty.clone();
                Exp::new(ExpKind::Assert(c, e, text), ty, span)
            }
            ast::ExpKind::Constr(c, es) => {
                let es: Vec<Exp> = es.iter().map(|e| self.exp(e)).collect();
                let payload = es.iter().map(|e| e.ty.clone()).collect();
                let ty = self.st.fresh(Cons::Sum(vec![(c.name, payload)]), span);
                self.st.labels.push((*c, ty.clone()));
                Exp::new(ExpKind::Constr(c.name, es), ty, span)
            }
            ast::ExpKind::Apply(f, args) => self.application(f, args, span),
            ast::ExpKind::BinOp(op, l, r) => self.binary(op, l, r, span),
            ast::ExpKind::Lambda(l) => self.lambda(l, span),
            ast::ExpKind::SectionLeft(e, op) => self.section(op, e, pre::Side::Left, span),
            ast::ExpKind::SectionRight(op, e) => self.section(op, e, pre::Side::Right, span),
            ast::ExpKind::SectionAccess(path) => self.section_access(path, span),
            ast::ExpKind::Ascript(e, t) => {
                if let Some(d) = self.cons(e, t) {
                    self.report(d);
                    return Exp::error(span);
                }
                let (e, t) = self.with_type(e, t, "explicit ascription");
                let ty = t.ret.ty.clone();
                Exp::new(ExpKind::Ascript(e, t), ty, span)
            }
            ast::ExpKind::Coerce(e, t) => {
                let (e, t) = self.with_type(e, t, "size coercion");
                let ty = t.ret.ty.clone();
                Exp::new(ExpKind::Coerce(e, t), ty, span)
            }
            ast::ExpKind::Range(start, second, end) => self.range(start, second.as_ref(), end, span),
            ast::ExpKind::Update(e, path, v) => {
                let e = self.exp(e);
                self.update(e, path, v, span)
            }
            ast::ExpKind::Let { sizes, pat, value, body } => self.let_pat(sizes, pat, value, body, span),
            ast::ExpKind::LetUpdate { name, path, value, body } => {
                self.let_update(*name, path, value, body, span)
            }
            ast::ExpKind::LetFun(f, body) => self.let_fun(f, body, span),
            ast::ExpKind::If(c, t, f) => {
                let c = self.condition(c);
                let t = self.exp(t);
                let f = self.exp(f);
                if let Err(m) = self.unify(&t.ty.clone(), &f.ty.clone()) {
                    let (a, b) = (self.describe(&t.ty), self.describe(&f.ty));
                    let d = Diagnostic::error(
                        span,
                        format!("Branches differ in type.\nFormer: {a}\nLatter: {b}"),
                    );
                    let d = d.related(t.span, "one type").related(f.span, "another type");
                    let d = m.explain(d);
                    self.report(d);
                    return Exp::error(span);
                }
                let ty = t.ty.clone();
                self.zero_order(&ty, WhyKind::IfResult, span);
                Exp::new(ExpKind::If(c, t, f), ty, span)
            }
            ast::ExpKind::Loop { sizes, pat, init, form, body } => {
                self.loop_exp(sizes, pat, init.as_ref(), form, body, span)
            }
            ast::ExpKind::Match(e, cases) => self.match_exp(e, cases, span),
            ast::ExpKind::Attr(a, e) => {
                let e = self.exp(e);
                let ty = e.ty.clone();
                Exp::new(ExpKind::Attr(a.clone(), e), ty, span)
            }
            ast::ExpKind::Error => Exp::error(span),
        }
    }

    /// An expression and the type that is written with it, which it has but for the sizes.
    fn with_type(&mut self, e: &ast::Exp, t: &ast::TypeExp, by: &str) -> (Exp, Written) {
        let e = self.exp(e);
        let t = self.written(t);
        let headline = format!("Expression does not have expected type from {by}.");
        self.expect(e.span, &headline, &t.ret.ty.clone(), &e.ty.clone());
        (e, t)
    }

    pub(crate) fn condition(&mut self, e: &ast::Exp) -> Exp {
        let e = self.exp(e);
        self.expect(e.span, "Expression must have type bool.", &BOOL, &e.ty.clone());
        e
    }

    /// The type of a literal, in an expression or a pattern.
    pub(crate) fn literal_type(&mut self, l: &ast::Literal, span: Span) -> Type {
        match l {
            ast::Literal::Int(_, Some(t)) | ast::Literal::Float(_, _, Some(t)) => Type::scalar(*t),
            ast::Literal::Int(_, None) => self.one_of(ScalarSet::numeric(), WhyKind::IntLiteral, span),
            ast::Literal::Char(_) => self.one_of(ScalarSet::numeric(), WhyKind::IntLiteral, span),
            ast::Literal::Float(_, _, None) => self.one_of(ScalarSet::floats(), WhyKind::FloatLiteral, span),
            ast::Literal::Bool(_) => BOOL,
            ast::Literal::String(_) => Type::array(Size::Any, Type::scalar(ScalarType::U8)),
        }
    }

    fn literal(&mut self, l: &ast::Literal, span: Span) -> Exp {
        let ty = self.literal_type(l, span);
        let kind = match l {
            ast::Literal::String(s) => ExpKind::String(s.clone()),
            ast::Literal::Int(..)
            | ast::Literal::Float(..)
            | ast::Literal::Bool(_)
            | ast::Literal::Char(_) => ExpKind::Literal(l.clone()),
        };
        Exp::new(kind, ty, span)
    }

    fn record(&mut self, fs: &[ast::FieldExp], span: Span) -> Exp {
        let mut fields: Vec<(Symbol, Exp)> = vec![];
        let mut labels: Vec<ast::Ident> = vec![];
        for f in fs {
            let (id, e) = match f {
                ast::FieldExp::Explicit(id, e) => (*id, self.exp(e)),
                ast::FieldExp::Implicit(id) => {
                    let q = ast::QualName { quals: vec![], name: *id, span: id.span };
                    (*id, self.var(&q))
                }
            };
            if let Some(i) = fields.iter().position(|(g, _)| *g == id.name) {
                self.report(
                    Diagnostic::error(id.span, format!("Field \"{}\" previously defined.", id.name))
                        .label("defined again")
                        .related(labels[i].span, "first defined here"),
                );
                continue;
            }
            fields.push((id.name, e));
            labels.push(id);
        }
        let ty = Type::record(fields.iter().map(|(f, e)| (*f, e.ty.clone())).collect());
        self.st.labels.extend(labels.into_iter().map(|f| (f, ty.clone())));
        Exp::new(ExpKind::Record(fields), ty, span)
    }

    fn array(&mut self, es: &[ast::Exp], span: Span) -> Exp {
        if let Some(d) = comprehension(es, span) {
            self.report(d);
            return Exp::error(span);
        }
        let mut out: Vec<Exp> = Vec::with_capacity(es.len());
        let mut complained = false;
        for e in es {
            let e = self.exp(e);
            if let (Some(first), false) = (out.first(), complained) {
                let (expected, first_span) = (first.ty.clone(), first.span);
                if let Err(m) = self.unify(&expected, &e.ty.clone()) {
                    complained = true;
                    let headline = "Array element does not have the type of the elements before it.";
                    let d = self.type_error(e.span, headline, &expected, &e.ty.clone(), &m);
                    self.report(d.related(first_span, "the first element"));
                }
            }
            out.push(e);
        }
        let elem = match out.first() {
            Some(e) => e.ty.clone(),
            None => self.fresh(span),
        };
        self.zero_order(&elem, WhyKind::ArrayElement, span);
        Exp::new(ExpKind::Array(out), Type::array(Size::Any, elem), span)
    }

    fn range(&mut self, start: &ast::Exp, second: Option<&ast::Exp>, end: &ast::RangeEnd, span: Span) -> Exp {
        let start = self.exp(start);
        let ty = self.one_of(ScalarSet::signed(), WhyKind::Range, start.span);
        let headline = "Invalid type in range.";
        self.expect(start.span, headline, &ty, &start.ty.clone());
        let part = |me: &mut Self, e: &ast::Exp| {
            let e = me.exp(e);
            me.expect(e.span, headline, &ty, &e.ty.clone());
            e
        };
        let second = second.map(|e| part(self, e));
        let end = match end {
            ast::RangeEnd::Inclusive(e) => pre::RangeEnd::Inclusive(part(self, e)),
            ast::RangeEnd::UpTo(e) => pre::RangeEnd::UpTo(part(self, e)),
            ast::RangeEnd::DownTo(e) => pre::RangeEnd::DownTo(part(self, e)),
        };
        Exp::new(ExpKind::Range(start, second, end), Type::array(Size::Any, ty), span)
    }

    /// The type of a field.
    pub(crate) fn field_type(&mut self, t: &Type, f: ast::Ident, of: Option<(&str, Span)>) -> Type {
        self.st.labels.push((f, t.clone()));
        match self.st.head(t) {
            Type::Error => Type::Error,
            Type::Record(fs) => match fs.iter().find(|(g, _)| *g == f.name) {
                Some((_, t)) => t.clone(),
                None => {
                    let shown = self.show(t);
                    let headline =
                        format!("Attempt to access field \"{}\" of value of type \"{shown}\".", f.name);
                    let d = Diagnostic::error(f.span, headline).label("no such field");
                    self.report(other_field(d, f, &fs));
                    Type::Error
                }
            },
            other @ (Type::Scalar(..)
            | Type::Array(..)
            | Type::Sum(_)
            | Type::Arrow(_)
            | Type::Var(..)
            | Type::Meta(_)) => {
                let field = self.fresh(f.span);
                let record = self.st.fresh(Cons::Record(vec![(f.name, field.clone())]), f.span);
                match self.unify(&record, &other) {
                    Ok(()) => field,
                    Err(m) => {
                        let d = Diagnostic::error(f.span, format!("Attempt to access field \"{}\".", f.name));
                        let d = m.explain(d);
                        let d = self.no_field(d, &other, f, of);
                        self.report(d);
                        Type::Error
                    }
                }
            }
        }
    }

    /// A field of an expression, which is quoted, too.
    pub(crate) fn project(&mut self, e: Exp, f: ast::Ident, span: Span, text: &str) -> Exp {
        let ty = self.field_type(&e.ty.clone(), f, Some((text, e.span)));
        Exp::new(ExpKind::Project(e, f.name), ty, span)
    }

    /// Indexes: a fixed one of any signed integer type, slices of `i64`.
    pub(crate) fn indexes(&mut self, ix: &[ast::Index]) -> Vec<pre::Index> {
        ix.iter()
            .map(|i| match i {
                ast::Index::Fix(e) => {
                    let e = self.exp(e);
                    let t = self.one_of(ScalarSet::signed(), WhyKind::Index, e.span);
                    self.expect(e.span, "Invalid type of index.", &t, &e.ty.clone());
                    pre::Index::Fix(e)
                }
                ast::Index::Slice { lo, hi, stride, .. } => {
                    let mut part = |e: &Option<Box<ast::Exp>>| {
                        e.as_ref().map(|source| {
                            let e = self.exp(source);
                            self.expect_number(source, "Invalid type in slice.", &I64, &e.ty.clone());
                            e
                        })
                    };
                    pre::Index::Slice { lo: part(lo), hi: part(hi), stride: part(stride) }
                }
            })
            .collect()
    }

    /// The type of what indexes select.
    pub(crate) fn index_type(&mut self, t: &Type, ix: &[pre::Index], span: Span, headline: &str) -> Type {
        let elem = self.fresh(span);
        let wrap = |n: usize| (0..n).fold(elem.clone(), |t, _| Type::array(Size::Any, t));
        let expected = wrap(ix.len());
        if let Err(m) = self.unify(&expected, t) {
            let shown = self.show(t);
            let d = Diagnostic::error(span, format!("{headline}\nType: {shown}"));
            let d = m.explain(d);
            let tuple =
                matches!(self.st.head(t), Type::Record(fs) if fs.iter().any(|(f, _)| f.as_str() == "0"));
            self.report(match tuple {
                true => d.help("the components of a tuple are its fields 0, 1, ..., as in \"x.0\""),
                false => d,
            });
            return Type::Error;
        }
        self.zero_order(&elem, WhyKind::ArrayElement, span);
        wrap(ix.iter().filter(|i| matches!(i, pre::Index::Slice { .. })).count())
    }
}
