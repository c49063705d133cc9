//! The second layer: expressions.

use super::equal::bare_size;
use super::extent::is_moderate;
use super::hide::Hidden;
use super::tables::{mentioned_size, Origin};
use super::Sizer;
use super::{join, loops, pat};
use crate::subst::{make_nonunique, size_exp, Subst};
use crate::tast::{self, Exp, ExpKind, Index, RangeEnd};
use crate::terms::infer::I64;
use crate::terms::literal;
use crate::terms::pre::{self, Written};
use crate::types::{Parts, RetType, Size, TParam, Type, TypeArg, Uniq};
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::Liftedness;
use std::sync::Arc;

impl Sizer<'_> {
    /// An expression.
    pub(crate) fn exp(&mut self, e: &pre::Exp) -> Exp {
        fehu_base::stack::with_room(128 * 1024, 2 * 1024 * 1024, || self.exp_inner(e))
    }

    fn exp_inner(&mut self, e: &pre::Exp) -> Exp {
        let span = e.span;
        match &*e.kind {
            pre::ExpKind::Literal(l) => {
                let ty = self.shape(&e.ty);
                let value = literal::value(self.ctx, l, pre::Sign::Plus, &ty, span);
                node(ExpKind::Literal(value), ty, span)
            }
            pre::ExpKind::String(s) => {
                let size = Size::Const(s.len() as i64);
                node(ExpKind::String(s.clone()), Type::array(size, Type::scalar(ScalarType::U8)), span)
            }
            pre::ExpKind::Hole => {
                let shape = self.shape(&e.ty);
                let shown = self.ctx.show().ty(&shape);
                self.ctx.report(Diagnostic::warning(span, format!("Hole of type: {shown}")));
                let ty = self.of_shape(&shape, Liftedness::Lifted, Origin::Argument, span);
                node(ExpKind::Hole, ty, span)
            }
            pre::ExpKind::Var(u) => self.use_of(u, &e.ty, span),
            pre::ExpKind::Record(fs) => {
                let fs: Vec<(Symbol, Exp)> = fs.iter().map(|(f, e)| (*f, self.exp(e))).collect();
                let ty = Type::record(fs.iter().map(|(f, e)| (*f, e.ty.clone())).collect());
                node(ExpKind::Record(fs), ty, span)
            }
            pre::ExpKind::Array(es) => self.array(es, e, span),
            pre::ExpKind::Project(r, f) => {
                let r = self.exp(r);
                let ty = self.field(&r.ty, *f);
                node(ExpKind::Project(r, *f), ty, span)
            }
            pre::ExpKind::Index(a, ix) => {
                let a = self.exp(a);
                let ix = self.indexes(ix);
                let mut ext = vec![];
                let ty = self.index_type(&a.ty.clone(), &ix, &mut ext, span);
                Exp { ext, ..node(ExpKind::Index(a, ix), ty, span) }
            }
            pre::ExpKind::Negate(x) => {
                if let pre::ExpKind::Literal(l) = &*x.kind {
                    let ty = self.shape(&e.ty);
                    // The literal and its minus are one number to the bounds check.
                    let value = literal::value(self.ctx, l, pre::Sign::Minus, &ty, span);
                    if let Some(positive) = literal::negated(value) {
                        let inner = node(ExpKind::Literal(positive), ty.clone(), x.span);
                        return node(ExpKind::Negate(inner), ty, span);
                    }
                }
                let x = self.exp(x);
                let ty = x.ty.clone();
                node(ExpKind::Negate(x), ty, span)
            }
            pre::ExpKind::Not(x) => {
                let x = self.exp(x);
                let ty = x.ty.clone();
                node(ExpKind::Not(x), ty, span)
            }
            pre::ExpKind::And(l, r) => {
                let (l, r) = (self.exp(l), self.exp(r));
                node(ExpKind::And(l, r), Type::scalar(ScalarType::Bool), span)
            }
            pre::ExpKind::Or(l, r) => {
                let (l, r) = (self.exp(l), self.exp(r));
                node(ExpKind::Or(l, r), Type::scalar(ScalarType::Bool), span)
            }
            pre::ExpKind::Assert(c, x, text) => {
                let (c, x) = (self.exp(c), self.exp(x));
                let ty = x.ty.clone();
                node(ExpKind::Assert(c, x, *text), ty, span)
            }
            pre::ExpKind::Constr(c, es) => self.constr(*c, es, &e.ty, span),
            pre::ExpKind::Apply(f, args) => self.application(f, args, span),
            pre::ExpKind::Lambda(l) => self.lambda(l, span),
            pre::ExpKind::Section(f, x, side) => self.section(f, x, *side, span),
            pre::ExpKind::SectionAccess(path, param) => self.section_access(path, param, span),
            pre::ExpKind::Ascript(x, w) => {
                let x = self.exp(x);
                let t = self.written(w, Origin::Ascription);
                let headline = "Expression does not have expected type from explicit ascription.";
                self.expect(x.span, headline, &t, &x.ty.clone());
                x
            }
            pre::ExpKind::Coerce(x, w) => {
                let x = self.exp(x);
                let t = self.written(w, Origin::Coercion);
                self.coerce(&t, &x.ty.clone(), span);
                node(ExpKind::Coerce(x), make_nonunique(&t), span)
            }
            pre::ExpKind::Range(start, second, end) => self.range(start, second.as_ref(), end, span),
            pre::ExpKind::Update(x, path, v) => self.update(x, path, v, span),
            pre::ExpKind::Let { sizes, pat, value, body } => {
                pat::let_pat(self, sizes, pat, value, body, span)
            }
            pre::ExpKind::LetFun(f, body) => self.let_fun(f, body, span),
            pre::ExpKind::If(c, t, f) => {
                let c = self.exp(c);
                let t = self.branch(t);
                let f = self.branch(f);
                let (ty, ext) = join::join_all(self, &[&t, &f], span);
                Exp { ext, ..node(ExpKind::If(c, t, f), ty, span) }
            }
            pre::ExpKind::Loop(l) => loops::loop_exp(self, l, span),
            pre::ExpKind::Match(x, cases) => self.match_exp(x, cases, span),
            pre::ExpKind::Attr(a, x) => {
                let x = self.exp(x);
                let ty = x.ty.clone();
                node(ExpKind::Attr(a.clone(), x), ty, span)
            }
            pre::ExpKind::Error => node(ExpKind::Hole, Type::Error, span),
        }
    }

    /// A type that the user wrote, with flexible sizes where none was written.
    pub(crate) fn written(&mut self, w: &Written, origin: Origin) -> Type {
        let mut subst = Subst::default();
        for d in &w.ret.dims {
            let base = self.ctx.names.base(*d);
            let n = self.flex(base.as_str(), origin, w.span);
            subst.rename_value(*d, n);
        }
        let t = self.with_sizes(&w.ret.ty, origin, w.span);
        subst.ty(&mut self.ctx.names, &mut vec![], &t)
    }

    /// A written type with its size expressions and flexible sizes put in.
    pub(crate) fn with_sizes(&mut self, t: &Type, origin: Origin, span: Span) -> Type {
        match t {
            Type::Scalar(..) | Type::Error => t.clone(),
            Type::Meta(_) => {
                let shape = self.shape(t);
                self.of_shape(&shape, Liftedness::Lifted, origin, span)
            }
            Type::Array(u, s, e) => {
                let s = self.written_size(s, origin, span);
                Type::Array(*u, s, e.with(self.with_sizes(e, origin, span)))
            }
            Type::Record(fs) => Type::Record(
                fs.with(fs.iter().map(|(f, t)| (*f, self.with_sizes(t, origin, span))).collect()),
            ),
            Type::Sum(cs) => Type::Sum(
                cs.with(
                    cs.iter()
                        .map(|(c, ts)| (*c, ts.iter().map(|t| self.with_sizes(t, origin, span)).collect()))
                        .collect(),
                ),
            ),
            Type::Arrow(a) => {
                if let Some(p) = a.param {
                    let lhs = crate::types::Scheme::mono(a.lhs.clone());
                    self.vars.insert(p, Arc::new(lhs));
                }
                Type::Arrow(a.with(crate::types::Arrow {
                    param: a.param,
                    lhs: self.with_sizes(&a.lhs, origin, span),
                    ret: RetType { dims: a.ret.dims.clone(), ty: self.with_sizes(&a.ret.ty, origin, span) },
                }))
            }
            Type::Var(u, n, args) => {
                let args = args
                    .iter()
                    .map(|a| match a {
                        TypeArg::Size(s) => TypeArg::Size(self.written_size(s, origin, span)),
                        TypeArg::Type(t) => TypeArg::Type(self.with_sizes(t, origin, span)),
                    })
                    .collect();
                Type::Var(*u, *n, Arc::new(args))
            }
        }
    }

    fn written_size(&mut self, s: &Size, origin: Origin, span: Span) -> Size {
        match s {
            Size::Any => Size::Var(self.flex("d", origin, span)),
            Size::Var(n) => self.size_exp(*n).unwrap_or_else(|| s.clone()),
            Size::Const(_) => s.clone(),
            // An abbreviation may have been applied to a size expression.
            Size::Exp(_) => {
                let mut subst = Subst::default();
                for n in mentioned_size(s) {
                    if let Some(size) = self.size_exp(n) {
                        subst.sizes.insert(n, size);
                    }
                }
                if subst.is_empty() {
                    return s.clone();
                }
                subst.size(&mut self.ctx.names, s)
            }
        }
    }

    /// A use of a value, which the first layer found to have a type: its size parameters become flexible sizes.
    fn use_of(&mut self, u: &pre::Use, found: &Type, span: Span) -> Exp {
        let scheme = match &u.global {
            Some(s) => s.clone(),
            None => match self.vars.get(&u.name) {
                Some(s) => s.clone(),
                // Bound by a type, as in `(xs: [n]i32) -> [length xs]i32`.
                None => return node(ExpKind::Var(u.name, vec![]), found.clone(), span),
            },
        };
        if scheme.tparams.is_empty() {
            return node(ExpKind::Var(u.name, vec![]), scheme.ty.clone(), span);
        }
        let base = self.ctx.names.base(u.name);
        let mut types = u.types.iter();
        let mut inst = Vec::with_capacity(scheme.tparams.len());
        for p in &scheme.tparams {
            inst.push(match p {
                TParam::Size(n) => {
                    let text = self.ctx.names.base(*n);
                    TypeArg::Size(Size::Var(self.flex(text.as_str(), Origin::Instance(base), span)))
                }
                TParam::Type(lifted, n) => {
                    let shape = match self.implicit.get(n) {
                        Some(shape) => shape.clone(),
                        None => types.next().map_or(Type::Error, |t| self.shape(t)),
                    };
                    let t = self.of_shape(&shape, *lifted, Origin::Argument, span);
                    // The `*` of `*a` needs something to stand on.
                    let starred = *lifted != Liftedness::Lifted && is_starred(&scheme.ty, *n);
                    TypeArg::Type(if starred { self.settle(&t) } else { t })
                }
            });
        }
        let ty = Subst::of_args(&scheme.tparams, &inst).ty(&mut self.ctx.names, &mut vec![], &scheme.ty);
        node(ExpKind::Var(u.name, inst), ty, span)
    }

    fn array(&mut self, es: &[pre::Exp], whole: &pre::Exp, span: Span) -> Exp {
        let mut out: Vec<Exp> = Vec::with_capacity(es.len());
        let mut complained = false;
        for e in es {
            let e = self.exp(e);
            if let (Some(first), false, false) = (out.first(), complained, matches!(e.ty, Type::Scalar(..))) {
                let expected = first.ty.clone();
                let headline = "Array element does not have the type of the elements before it.";
                complained = !self.expect(e.span, headline, &expected, &e.ty.clone());
            }
            out.push(e);
        }
        let elem = match out.first() {
            Some(e) => make_nonunique(&e.ty),
            None => {
                if let Type::Array(_, _, t) = self.shape(&whole.ty) {
                    self.of_shape(&t, Liftedness::Unlifted, Origin::Argument, span)
                } else {
                    Type::Error
                }
            }
        };
        let ty = Type::array(Size::Const(out.len() as i64), elem);
        node(ExpKind::Array(out), ty, span)
    }

    /// The type of a field.
    pub(crate) fn field(&mut self, t: &Type, f: Symbol) -> Type {
        if let Type::Record(fs) = self.head(t) {
            fs.iter().find(|(g, _)| *g == f).map_or(Type::Error, |(_, t)| t.clone())
        } else {
            Type::Error
        }
    }

    pub(crate) fn indexes(&mut self, ix: &[pre::Index]) -> Vec<Index> {
        ix.iter()
            .map(|i| match i {
                pre::Index::Fix(e) => Index::Fix(self.exp(e)),
                pre::Index::Slice { lo, hi, stride } => {
                    let mut part = |e: &Option<pre::Exp>| e.as_ref().map(|e| self.exp(e));
                    Index::Slice { lo: part(lo), hi: part(hi), stride: part(stride) }
                }
            })
            .collect()
    }

    /// The type of what indexes select; sizes that are not known are added to `ext`.
    pub(crate) fn index_type(&mut self, t: &Type, ix: &[Index], ext: &mut Vec<Name>, span: Span) -> Type {
        let mut t = t.clone();
        let mut sizes = vec![];
        for i in ix {
            let Type::Array(_, d, elem) = self.head(&t) else { return Type::Error };
            match i {
                Index::Fix(_) => {}
                Index::Slice { lo, hi, stride } => {
                    let d = self.size(&d);
                    let size = self.slice_size(&d, lo.as_ref(), hi.as_ref(), stride.as_ref(), span);
                    sizes.push(size.unwrap_or_else(|| {
                        let why = "an unknown size arising from this slice".to_string();
                        let n = self.unknown("n", span, why);
                        ext.push(n);
                        Size::Var(n)
                    }));
                }
            }
            t = (*elem).clone();
        }
        sizes.into_iter().rev().fold(t, |t, s| Type::array(s, t))
    }

    fn slice_size(
        &mut self,
        d: &Size,
        lo: Option<&Exp>,
        hi: Option<&Exp>,
        stride: Option<&Exp>,
        span: Span,
    ) -> Option<Size> {
        let stride = match stride {
            None => 1,
            Some(s) => constant(s)?,
        };
        match (lo, hi, stride) {
            (None, None, 1 | -1) => Some(d.clone()),
            (None, Some(hi), 1) => self.arg_size(hi),
            (Some(lo), hi, 1) => {
                let hi = match hi {
                    None => size_exp(d, span)?,
                    Some(hi) => {
                        self.arg_size(hi)?;
                        hi.clone()
                    }
                };
                if constant(lo) == Some(0) {
                    return Some(bare_size(&hi));
                }
                self.arg_size(lo)?;
                let e = self.operator(self.minus, hi, lo.clone(), span)?;
                is_moderate(&e).then(|| Size::Exp(Arc::new(e)))
            }
            _ => None,
        }
    }

    /// `l op r` on sizes.
    fn operator(&mut self, op: Option<Name>, l: Exp, r: Exp, span: Span) -> Option<Exp> {
        let ty = Type::arrow(I64, Type::arrow(I64, I64));
        let f = node(ExpKind::Var(op?, vec![TypeArg::Type(I64)]), ty, span);
        Some(node(ExpKind::Apply(f, vec![l, r]), I64, span))
    }

    fn range(&mut self, start: &pre::Exp, second: Option<&pre::Exp>, end: &pre::RangeEnd, span: Span) -> Exp {
        let start = self.exp(start);
        let second = second.map(|e| self.exp(e));
        let end = match end {
            pre::RangeEnd::Inclusive(e) => RangeEnd::Inclusive(self.exp(e)),
            pre::RangeEnd::UpTo(e) => RangeEnd::UpTo(self.exp(e)),
            pre::RangeEnd::DownTo(e) => RangeEnd::DownTo(self.exp(e)),
        };
        let elem = start.ty.clone();
        let size = if let Type::Scalar(ScalarType::I64, _) = elem {
            self.range_size(&start, second.as_ref(), &end, span)
        } else {
            None
        };
        let mut ext = vec![];
        let size = size.unwrap_or_else(|| {
            let n = self.unknown("n", span, "the unknown length of range".into());
            ext.push(n);
            Size::Var(n)
        });
        let kind = ExpKind::Range { start, second, end };
        Exp { ext, ..node(kind, Type::array(size, elem), span) }
    }

    fn range_size(&mut self, start: &Exp, second: Option<&Exp>, end: &RangeEnd, span: Span) -> Option<Size> {
        let step = match second {
            None => Some(1),
            Some(s) => Some(constant(s)?.checked_sub(constant(start)?)?),
        };
        if step != Some(1) {
            return None;
        }
        match end {
            RangeEnd::UpTo(e) => {
                let size = self.arg_size(e)?;
                if constant(start) == Some(0) {
                    return Some(size);
                }
                if second.is_some() {
                    return None;
                }
                self.arg_size(start)?;
                Some(Size::Exp(Arc::new(self.operator(self.minus, e.clone(), start.clone(), span)?)))
            }
            RangeEnd::Inclusive(e) => {
                let size = self.arg_size(e)?;
                if second.is_some() {
                    return (constant(start) == Some(1)).then_some(size);
                }
                self.arg_size(start)?;
                let length = self.operator(self.minus, e.clone(), start.clone(), span)?;
                let one = node(ExpKind::Literal(PrimValue::I64(1)), I64, span);
                Some(Size::Exp(Arc::new(self.operator(self.plus, length, one, span)?)))
            }
            RangeEnd::DownTo(_) => None,
        }
    }

    fn constr(&mut self, c: Symbol, es: &[pre::Exp], whole: &Type, span: Span) -> Exp {
        let es: Vec<Exp> = es.iter().map(|e| self.exp(e)).collect();
        let Type::Sum(cs) = self.shape(whole) else {
            return node(ExpKind::Constr(c, es), Type::Error, span);
        };
        let cs = cs
            .iter()
            .map(|(d, ts)| {
                if *d == c {
                    return (*d, es.iter().map(|e| e.ty.clone()).collect());
                }
                let ts =
                    ts.iter().map(|t| self.of_shape(t, Liftedness::Lifted, Origin::Argument, span)).collect();
                (*d, ts)
            })
            .collect();
        node(ExpKind::Constr(c, es), Type::Sum(Parts::new(cs)), span)
    }

    /// Matches the flexible sizes of a coercion's type with what is there; the others may differ.
    fn coerce(&mut self, t: &Type, from: &Type, span: Span) {
        let t = self.peek(t);
        let from = self.peek(from);
        match (&t, &from) {
            (Type::Array(_, s, e), Type::Array(_, r, f)) => {
                self.coerce_size(s, r);
                self.coerce(e, f, span);
            }
            (Type::Record(fs), Type::Record(gs)) => {
                for ((_, t), (_, u)) in fs.iter().zip(gs.iter()) {
                    self.coerce(t, u, span);
                }
            }
            (Type::Sum(cs), Type::Sum(ds)) => {
                for ((_, ts), (_, us)) in cs.iter().zip(ds.iter()) {
                    for (t, u) in ts.iter().zip(us) {
                        self.coerce(t, u, span);
                    }
                }
            }
            (Type::Var(_, _, args), Type::Var(_, _, brgs)) => {
                for (a, b) in args.iter().zip(brgs.iter()) {
                    match (a, b) {
                        (TypeArg::Size(s), TypeArg::Size(r)) => self.coerce_size(s, r),
                        (TypeArg::Type(t), TypeArg::Type(u)) => self.coerce(t, u, span),
                        (TypeArg::Size(_), TypeArg::Type(_)) | (TypeArg::Type(_), TypeArg::Size(_)) => {}
                    }
                }
            }
            (_, Type::Meta(m)) => {
                if let super::tables::Slot::Free { origin, .. } = &mut self.slots[*m as usize] {
                    *origin = Origin::Coercion;
                }
                let expanded = self.expand(*m);
                if !matches!(t, Type::Meta(_)) {
                    self.coerce(&t, &expanded, span);
                }
                // Nothing says or asks what the sizes are, so none is as good as any.
                if anonymous(self, &t) {
                    let settled = self.settle(&expanded);
                    for n in super::tables::mentioned_type(&settled) {
                        if self.is_free_flex(n) {
                            self.flexes.insert(n, super::tables::Flex::Is(Size::Const(0)));
                        }
                    }
                }
            }
            // Functions and unknown types: sizes in them cannot be checked at run time.
            _ => {
                let headline = "A size coercion cannot change the sizes in the type of a function.";
                self.expect(span, headline, &t, &from);
            }
        }
    }

    fn coerce_size(&mut self, s: &Size, from: &Size) {
        if let Size::Var(n) = self.size(s) {
            if self.is_free_flex(n) {
                let _ = self.unify_sizes(&Size::Var(n), from, &[]);
            }
        }
    }

    fn update(&mut self, x: &pre::Exp, path: &[pre::Access], v: &pre::Exp, span: Span) -> Exp {
        let x = self.exp(x);
        let mut t = x.ty.clone();
        let mut out = vec![];
        for a in path {
            match a {
                pre::Access::Field(f) => {
                    t = self.field(&t, *f);
                    out.push(tast::Access::Field(*f));
                }
                pre::Access::Index(ix, s) => {
                    let ix = self.indexes(ix);
                    t = self.target_type(&t, &ix, *s);
                    out.push(tast::Access::Index(ix, *s));
                }
            }
        }
        let v = self.exp(v);
        let headline = match path.last() {
            Some(pre::Access::Field(f)) => format!("Type mismatch for record field \"{f}\"."),
            Some(pre::Access::Index(..)) | None => {
                "Source of in-place update does not have expected type.".to_string()
            }
        };
        let fields: Option<Vec<Symbol>> = path
            .iter()
            .map(|a| match a {
                pre::Access::Field(f) => Some(*f),
                pre::Access::Index(..) => None,
            })
            .collect();
        // A field may get another size, an element may not.
        let ty = match fields {
            Some(fields) => self.replace_field(&x.ty.clone(), &fields, &v.ty),
            None => {
                self.expect(v.span, &headline, &t, &v.ty.clone());
                x.ty.clone()
            }
        };
        node(ExpKind::Update(x, out, v), ty, span)
    }

    fn replace_field(&mut self, t: &Type, path: &[Symbol], new: &Type) -> Type {
        let Some((f, rest)) = path.split_first() else { return new.clone() };
        let Type::Record(fs) = self.head(t) else { return Type::Error };
        let new =
            |(g, t): &(Symbol, Type)| (*g, if g == f { self.replace_field(t, rest, new) } else { t.clone() });
        Type::Record(fs.with(fs.iter().map(new).collect()))
    }

    /// What an update puts in: slices may have any size, checked at run time.
    fn target_type(&mut self, t: &Type, ix: &[Index], span: Span) -> Type {
        let mut t = t.clone();
        let mut slices = 0;
        for i in ix {
            let Type::Array(_, _, elem) = self.head(&t) else { return Type::Error };
            if matches!(i, Index::Slice { .. }) {
                slices += 1;
            }
            t = (*elem).clone();
        }
        (0..slices).fold(t, |t, _| {
            let n = self.flex("n", Origin::Other, span);
            self.private.insert(n);
            Type::array(Size::Var(n), t)
        })
    }

    /// A branch: a body of its own.
    pub(crate) fn branch(&mut self, e: &pre::Exp) -> Exp {
        self.depth += 1;
        let e = self.exp(e);
        self.depth -= 1;
        e
    }

    fn match_exp(&mut self, x: &pre::Exp, cases: &[pre::Case], span: Span) -> Exp {
        let x = self.exp(x);
        let mut out = vec![];
        for c in cases {
            let level = self.level;
            self.level += 1;
            let pat = pat::checked(self, &c.pat, &x.ty.clone(), "Pattern cannot match value.");
            self.level += 1;
            let mut body = self.branch(&c.body);
            self.level = level;
            let hidden = Hidden::Deeper { level, depth: self.depth + 1 };
            self.depth += 1;
            let (ty, ext) = self.leave(&body.ty, &hidden, body.span, "going out of scope");
            self.depth -= 1;
            if !ext.is_empty() {
                body = scoped(body, ty, ext);
            } else {
                body.ty = ty;
            }
            out.push(tast::Case { pat, body, span: c.span });
        }
        let bodies: Vec<&Exp> = out.iter().map(|c| &c.body).collect();
        let (ty, ext) = join::join_all(self, &bodies, span);
        Exp { ext, ..node(ExpKind::Match(x, out), ty, span) }
    }
}

/// An expression without unknown sizes.
pub(crate) fn node(kind: ExpKind, ty: Type, span: Span) -> Exp {
    Exp { kind: Arc::new(kind), ty, ext: vec![], span }
}

/// The expression under another type, whose new sizes its value brings.
pub(crate) fn scoped(mut e: Exp, ty: Type, ext: Vec<Name>) -> Exp {
    e.ty = ty;
    e.ext.extend(ext);
    e
}

/// The value of a constant.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
pub(crate) fn constant(e: &Exp) -> Option<i64> {
    match &*e.kind {
        ExpKind::Literal(v) => v.as_i64(),
        ExpKind::Negate(e) => constant(e).and_then(i64::checked_neg),
        _ => None,
    }
}

/// Whether a type parameter occurs with `*` in a type.
fn is_starred(t: &Type, param: Name) -> bool {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error | Type::Array(..) => false,
        Type::Var(u, n, _) => *u == Uniq::Unique && *n == param,
        Type::Record(fs) => fs.iter().any(|(_, t)| is_starred(t, param)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(|t| is_starred(t, param)),
        Type::Arrow(a) => is_starred(&a.lhs, param) || is_starred(&a.ret.ty, param),
    }
}

/// Whether all sizes of a type are still free.
fn anonymous(me: &mut Sizer<'_>, t: &Type) -> bool {
    let t = me.zonk(t);
    match &t {
        Type::Array(_, Size::Var(n), e) => me.is_free_flex(*n) && anonymous(me, e),
        Type::Array(..) | Type::Var(..) | Type::Arrow(_) | Type::Record(_) | Type::Sum(_) => false,
        Type::Scalar(..) | Type::Meta(_) | Type::Error => true,
    }
}
