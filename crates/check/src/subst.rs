//! Substitution in types: of sizes for size names, and of definitions for type
//! names, also inside the expressions that stand as sizes.
//!
//! Expanding `type t [n] 'a = ...` at `t [k] i32` is a substitution; so is seeing a module through a module
//! type. A type name may stand for a definition with existential sizes, `type~ t = ?[n].[n]i32`. Those come
//! out at the nearest place that can bind them: the result of an arrow, or the whole type; and those of
//! parameters at the whole type, for callers bring them. What an arrow binds (its parameter, its existential
//! sizes) is renamed, so that one definition may be used twice in one type.

use crate::tast::{
    Access, Case, Exp, ExpKind, Index, Lambda, LocalFun, Loop, LoopForm, Pat, PatKind, RangeEnd,
};
use crate::types::{Arrow, RetType, Scheme, Size, TParam, Type, TypeArg, TypeDef, Uniq};
use crate::visit::children;
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_base::{Name, NameSource, Span};
use fehu_syntax::ast::Liftedness;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What to put for which names.
#[derive(Clone, Default, Debug)]
pub struct Subst {
    /// Sizes for size names; also new names ([`Size::Var`]) for values that size
    /// expressions mention.
    pub sizes: FxHashMap<Name, Size>,
    /// Definitions for type names.
    pub types: FxHashMap<Name, Arc<TypeDef>>,
    /// Whether the arrows of a definition without parameters keep the names they bind: see [`apply`].
    verbatim: bool,
}

impl Subst {
    /// Puts arguments for parameters. Parameters and arguments must agree in number and sort.
    pub fn of_args(params: &[TParam], args: &[TypeArg]) -> Subst {
        let mut s = Subst::default();
        for (p, a) in params.iter().zip(args) {
            match (p, a) {
                (TParam::Size(n), TypeArg::Size(size)) => {
                    s.sizes.insert(*n, size.clone());
                }
                (TParam::Type(lifted, n), TypeArg::Type(t)) => {
                    let def = RetType::simple(t.clone());
                    s.types.insert(*n, Arc::new(TypeDef { tparams: vec![], lifted: *lifted, def }));
                }
                (TParam::Size(_), TypeArg::Type(_)) | (TParam::Type(..), TypeArg::Size(_)) => {}
            }
        }
        s
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty() && self.types.is_empty()
    }

    /// Puts one value's name for another's.
    pub fn rename_value(&mut self, from: Name, to: Name) {
        self.sizes.insert(from, Size::Var(to));
    }

    /// What a value's name has become.
    pub fn value(&self, name: Name) -> Name {
        match self.sizes.get(&name) {
            Some(Size::Var(new)) => *new,
            Some(_) | None => name,
        }
    }

    /// The type with what it stands for put in; existential sizes that come out are added to `dims`.
    pub fn ty(&self, names: &mut NameSource, dims: &mut Vec<Name>, t: &Type) -> Type {
        let mut w = Walk::new(self, names, dims);
        let t = w.ty(t);
        let floating = std::mem::take(&mut w.floating);
        dims.extend(floating);
        t
    }

    /// A result type.
    pub fn ret(&self, names: &mut NameSource, r: &RetType) -> RetType {
        let mut dims = vec![];
        let mut w = Walk::new(self, names, &mut dims);
        let mut r = w.ret(r);
        r.dims.append(&mut w.floating);
        r
    }

    /// A size.
    pub fn size(&self, names: &mut NameSource, s: &Size) -> Size {
        let mut dims = vec![];
        Walk::new(self, names, &mut dims).size(s)
    }

    /// A scheme. Its parameters keep their names, and existential sizes that
    /// come out become size parameters.
    pub fn scheme(&self, names: &mut NameSource, s: &Scheme) -> Scheme {
        let mut dims = vec![];
        let ty = self.ty(names, &mut dims, &s.ty);
        let mut tparams = s.tparams.clone();
        tparams.extend(dims.into_iter().map(TParam::Size));
        Scheme { tparams, overloads: s.overloads.clone(), ty }
    }

    /// A type definition. Its parameters keep their names. If it stands for one
    /// of the names substituted, and that one turns out to be a function or to hide sizes, it has that one's
    /// kind; otherwise the kind with which it was declared.
    pub fn type_def(&self, names: &mut NameSource, d: &TypeDef) -> TypeDef {
        let lifted = if let Type::Var(_, n, _) = &d.def.ty {
            match self.types.get(n) {
                Some(t) if t.lifted == Liftedness::Lifted || !t.def.dims.is_empty() => t.lifted.max(d.lifted),
                Some(_) | None => d.lifted,
            }
        } else {
            d.lifted
        };
        TypeDef { tparams: d.tparams.clone(), lifted, def: self.ret(names, &d.def) }
    }
}

/// What a definition stands for at these arguments, with fresh existential sizes.
pub fn expand(names: &mut NameSource, def: &TypeDef, args: &[TypeArg]) -> RetType {
    Subst::of_args(&def.tparams, args).ret(names, &def.def)
}

/// As [`expand`], for an abbreviation that the user applies: what the arguments bind keeps its name, for
/// a size expression that is not checked yet may stand for something that mentions it.
pub fn apply(names: &mut NameSource, def: &TypeDef, args: &[TypeArg]) -> RetType {
    Subst { verbatim: true, ..Subst::of_args(&def.tparams, args) }.ret(names, &def.def)
}

/// The type with `*` on everything that can bear it.
pub fn make_unique(t: &Type) -> Type {
    with_uniq(t, Uniq::Unique)
}

/// The type without `*` outside of functions.
pub fn make_nonunique(t: &Type) -> Type {
    with_uniq(t, Uniq::Nonunique)
}

fn with_uniq(t: &Type, u: Uniq) -> Type {
    match t {
        Type::Array(_, s, e) => Type::Array(u, s.clone(), e.clone()),
        Type::Var(_, n, args) => Type::Var(u, *n, args.clone()),
        Type::Record(fs) => Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, with_uniq(t, u))).collect())),
        Type::Sum(cs) => Type::Sum(
            cs.with(cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| with_uniq(t, u)).collect())).collect()),
        ),
        Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error => t.clone(),
    }
}

/// The size as an expression of type `i64`; none for sizes that are not known yet.
pub fn size_exp(s: &Size, span: Span) -> Option<Exp> {
    let kind = match s {
        Size::Const(c) => ExpKind::Literal(PrimValue::I64(*c)),
        Size::Var(n) => ExpKind::Var(*n, vec![]),
        Size::Exp(e) => return Some((**e).clone()),
        Size::Any => return None,
    };
    Some(Exp { kind: Arc::new(kind), ty: Type::scalar(ScalarType::I64), ext: vec![], span })
}

/// The expression as a size, in its simplest form.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
pub fn exp_size(e: Exp) -> Size {
    match &*e.kind {
        ExpKind::Literal(PrimValue::I64(c)) => Size::Const(*c),
        ExpKind::Var(n, inst) if inst.is_empty() => Size::Var(*n),
        _ => Size::Exp(Arc::new(e)),
    }
}

struct Walk<'a> {
    subst: &'a Subst,
    /// What arrows around bind, with their new names; the innermost last.
    bound: Vec<(Name, Name)>,
    /// What names with existential sizes have stood for in this type. See [`Walk::arg`].
    opened: Vec<(Name, Type)>,
    names: &'a mut NameSource,
    dims: &'a mut Vec<Name>,
    /// Sizes that came out in parameters: the caller brings them, so they belong to the whole type.
    floating: Vec<Name>,
}

impl<'a> Walk<'a> {
    fn new(subst: &'a Subst, names: &'a mut NameSource, dims: &'a mut Vec<Name>) -> Walk<'a> {
        Walk { subst, bound: vec![], opened: vec![], names, dims, floating: vec![] }
    }

    fn ty(&mut self, t: &Type) -> Type {
        fehu_base::stack::deep(|| self.ty_inner(t))
    }

    fn ty_inner(&mut self, t: &Type) -> Type {
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => t.clone(),
            Type::Array(u, s, e) => Type::Array(*u, self.size(s), e.with(self.ty(e))),
            Type::Record(fs) => Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, self.ty(t))).collect())),
            Type::Sum(cs) => Type::Sum(
                cs.with(cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| self.ty(t)).collect())).collect()),
            ),
            Type::Arrow(a) => {
                let outer = std::mem::take(self.dims);
                let lhs = self.ty(&a.lhs);
                self.floating.append(self.dims);
                *self.dims = outer;
                let depth = self.bound.len();
                let param = a.param.map(|p| self.rename(p));
                let ret = self.ret(&a.ret);
                self.bound.truncate(depth);
                Type::Arrow(a.with(Arrow { param, lhs, ret }))
            }
            Type::Var(u, n, args) => {
                let args: Vec<TypeArg> = args.iter().map(|a| self.arg(a)).collect();
                let Some(def) = self.subst.types.get(n).cloned() else {
                    return Type::Var(*u, *n, Arc::new(args));
                };
                let r = if self.subst.verbatim && args.is_empty() {
                    def.def.clone()
                } else {
                    expand(self.names, &def, &args)
                };
                if !r.dims.is_empty() {
                    self.opened.push((*n, r.ty.clone()));
                }
                self.dims.extend(r.dims);
                match u {
                    Uniq::Unique => make_unique(&r.ty),
                    Uniq::Nonunique => r.ty,
                }
            }
        }
    }

    fn ret(&mut self, r: &RetType) -> RetType {
        let depth = self.bound.len();
        let mut dims: Vec<Name> = r.dims.iter().map(|d| self.rename(*d)).collect();
        let outer = std::mem::take(self.dims);
        let ty = self.ty(&r.ty);
        dims.extend(std::mem::replace(self.dims, outer));
        self.bound.truncate(depth);
        RetType { dims, ty }
    }

    fn rename(&mut self, n: Name) -> Name {
        let fresh = self.names.fresh_like(n);
        self.bound.push((n, fresh));
        fresh
    }

    fn lookup(&self, n: Name) -> Option<Size> {
        let bound = self.bound.iter().rev().find(|(old, _)| *old == n);
        bound.map(|(_, new)| Size::Var(*new)).or_else(|| self.subst.sizes.get(&n).cloned())
    }

    /// A type argument. Values of an abstract type need not show the sizes of
    /// its arguments, so those cannot be existential: in `t -> set t` the second `t` has the size of
    /// the first.
    fn arg(&mut self, a: &TypeArg) -> TypeArg {
        match a {
            TypeArg::Type(Type::Var(_, n, _)) if self.opened.iter().any(|(m, _)| m == n) => {
                let opened = self.opened.iter().rev().find(|(m, _)| m == n);
                TypeArg::Type(opened.map_or(Type::Error, |(_, t)| t.clone()))
            }
            TypeArg::Size(s) => TypeArg::Size(self.size(s)),
            TypeArg::Type(t) => TypeArg::Type(self.ty(t)),
        }
    }

    fn size(&mut self, s: &Size) -> Size {
        match s {
            Size::Var(n) => self.lookup(*n).unwrap_or(Size::Var(*n)),
            Size::Exp(e) if self.changes(e) => exp_size(self.exp(e)),
            Size::Exp(_) | Size::Const(_) | Size::Any => s.clone(),
        }
    }

    /// Whether the substitution may change an expression; one that it does not change stays shared, for sizes become
    /// large by containing others.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn changes(&self, e: &Exp) -> bool {
        let mut rest = vec![e];
        while let Some(e) = rest.pop() {
            let itself = match &*e.kind {
                ExpKind::Var(n, inst) => self.lookup(*n).is_some() || self.changes_args(inst),
                ExpKind::Lambda(_)
                | ExpKind::Let { .. }
                | ExpKind::LetFun(..)
                | ExpKind::Loop(_)
                | ExpKind::Match(..) => true,
                _ => false,
            };
            if itself || self.changes_type(&e.ty) {
                return true;
            }
            children(e, &mut |c| rest.push(c));
        }
        false
    }

    fn changes_type(&self, t: &Type) -> bool {
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => false,
            Type::Array(_, s, e) => self.changes_size(s) || self.changes_type(e),
            Type::Record(fs) => fs.iter().any(|(_, t)| self.changes_type(t)),
            Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(|t| self.changes_type(t)),
            // What arrows bind gets new names.
            Type::Arrow(a) => {
                a.param.is_some()
                    || !a.ret.dims.is_empty()
                    || self.changes_type(&a.lhs)
                    || self.changes_type(&a.ret.ty)
            }
            Type::Var(_, n, args) => {
                self.subst.types.contains_key(n)
                    || self.opened.iter().any(|(m, _)| m == n)
                    || self.changes_args(args)
            }
        }
    }

    fn changes_args(&self, args: &[TypeArg]) -> bool {
        args.iter().any(|a| match a {
            TypeArg::Size(s) => self.changes_size(s),
            TypeArg::Type(t) => self.changes_type(t),
        })
    }

    fn changes_size(&self, s: &Size) -> bool {
        match s {
            Size::Var(n) => self.lookup(*n).is_some(),
            Size::Exp(e) => self.changes(e),
            Size::Const(_) | Size::Any => false,
        }
    }

    fn exps(&mut self, es: &[Exp]) -> Vec<Exp> {
        es.iter().map(|e| self.exp(e)).collect()
    }

    fn exp(&mut self, e: &Exp) -> Exp {
        fehu_base::stack::deep(|| self.exp_inner(e))
    }

    fn exp_inner(&mut self, e: &Exp) -> Exp {
        let kind = match &*e.kind {
            ExpKind::Literal(_) | ExpKind::String(_) | ExpKind::Hole => (*e.kind).clone(),
            ExpKind::Var(n, inst) => {
                let inst: Vec<TypeArg> = inst.iter().map(|a| self.arg(a)).collect();
                match self.lookup(*n) {
                    Some(Size::Var(m)) => ExpKind::Var(m, inst),
                    Some(other) => match size_exp(&other, e.span) {
                        Some(new) => return new,
                        None => ExpKind::Var(*n, inst),
                    },
                    None => ExpKind::Var(*n, inst),
                }
            }
            ExpKind::Record(fs) => ExpKind::Record(fs.iter().map(|(f, e)| (*f, self.exp(e))).collect()),
            ExpKind::Array(es) => ExpKind::Array(self.exps(es)),
            ExpKind::Project(e, f) => ExpKind::Project(self.exp(e), *f),
            ExpKind::Index(e, ix) => ExpKind::Index(self.exp(e), self.indexes(ix)),
            ExpKind::Negate(e) => ExpKind::Negate(self.exp(e)),
            ExpKind::Not(e) => ExpKind::Not(self.exp(e)),
            ExpKind::And(l, r) => ExpKind::And(self.exp(l), self.exp(r)),
            ExpKind::Or(l, r) => ExpKind::Or(self.exp(l), self.exp(r)),
            ExpKind::Assert(c, e, text) => ExpKind::Assert(self.exp(c), self.exp(e), *text),
            ExpKind::Constr(c, es) => ExpKind::Constr(*c, self.exps(es)),
            ExpKind::Apply(f, es) => ExpKind::Apply(self.exp(f), self.exps(es)),
            ExpKind::Lambda(l) => ExpKind::Lambda(Lambda {
                params: self.pats(&l.params),
                ret: self.ret(&l.ret),
                body: self.exp(&l.body),
            }),
            ExpKind::Coerce(e) => ExpKind::Coerce(self.exp(e)),
            ExpKind::Range { start, second, end } => ExpKind::Range {
                start: self.exp(start),
                second: second.as_ref().map(|e| self.exp(e)),
                end: match end {
                    RangeEnd::Inclusive(e) => RangeEnd::Inclusive(self.exp(e)),
                    RangeEnd::UpTo(e) => RangeEnd::UpTo(self.exp(e)),
                    RangeEnd::DownTo(e) => RangeEnd::DownTo(self.exp(e)),
                },
            },
            ExpKind::Update(e, path, v) => {
                let path = path
                    .iter()
                    .map(|a| match a {
                        Access::Field(f) => Access::Field(*f),
                        Access::Index(ix, span) => Access::Index(self.indexes(ix), *span),
                    })
                    .collect();
                ExpKind::Update(self.exp(e), path, self.exp(v))
            }
            ExpKind::Let { sizes, pat, value, body } => ExpKind::Let {
                sizes: sizes.clone(),
                pat: self.pat(pat),
                value: self.exp(value),
                body: self.exp(body),
            },
            ExpKind::LetFun(f, body) => ExpKind::LetFun(
                Box::new(LocalFun {
                    name: f.name,
                    tparams: f.tparams.clone(),
                    params: self.pats(&f.params),
                    ret: self.ret(&f.ret),
                    body: self.exp(&f.body),
                }),
                self.exp(body),
            ),
            ExpKind::If(c, t, f) => ExpKind::If(self.exp(c), self.exp(t), self.exp(f)),
            ExpKind::Loop(l) => ExpKind::Loop(Box::new(Loop {
                sizes: l.sizes.clone(),
                pat: self.pat(&l.pat),
                init: self.exp(&l.init),
                form: match &l.form {
                    LoopForm::For(i, t, e) => LoopForm::For(*i, *t, self.exp(e)),
                    LoopForm::ForIn(p, e) => LoopForm::ForIn(self.pat(p), self.exp(e)),
                    LoopForm::While(e) => LoopForm::While(self.exp(e)),
                },
                body: self.exp(&l.body),
            })),
            ExpKind::Match(e, cases) => {
                let cases = cases
                    .iter()
                    .map(|c| Case { pat: self.pat(&c.pat), body: self.exp(&c.body), span: c.span })
                    .collect();
                ExpKind::Match(self.exp(e), cases)
            }
            ExpKind::Attr(a, e) => ExpKind::Attr(a.clone(), self.exp(e)),
        };
        Exp { kind: Arc::new(kind), ty: self.ty(&e.ty), ext: e.ext.clone(), span: e.span }
    }

    fn indexes(&mut self, ix: &[Index]) -> Vec<Index> {
        let part = |w: &mut Self, e: &Option<Exp>| e.as_ref().map(|e| w.exp(e));
        ix.iter()
            .map(|i| match i {
                Index::Fix(e) => Index::Fix(self.exp(e)),
                Index::Slice { lo, hi, stride } => {
                    Index::Slice { lo: part(self, lo), hi: part(self, hi), stride: part(self, stride) }
                }
            })
            .collect()
    }

    fn pats(&mut self, ps: &[Pat]) -> Vec<Pat> {
        ps.iter().map(|p| self.pat(p)).collect()
    }

    fn pat(&mut self, p: &Pat) -> Pat {
        let kind = match &p.kind {
            PatKind::Var(_) | PatKind::Wildcard | PatKind::Literal(_) => p.kind.clone(),
            PatKind::Record(fs) => PatKind::Record(fs.iter().map(|(f, p)| (*f, self.pat(p))).collect()),
            PatKind::Constr(c, ps) => PatKind::Constr(*c, self.pats(ps)),
            PatKind::Attr(a, p) => PatKind::Attr(a.clone(), Box::new(self.pat(p))),
        };
        Pat { kind, ty: self.ty(&p.ty), span: p.span }
    }
}
