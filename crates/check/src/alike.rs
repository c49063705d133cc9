//! Whether two programs are the same but for a name: a renaming asks, since that must change
//! nothing else.
//!
//! In: two programs, and what a label of records or sums may be called in the first and in the second. Names
//! of values and types are unique ([`fehu_base::Name`]), so programs are the same if each name of one stands
//! for one name of the other:
//!
//! ```text
//! def f (x: i32) = let y = x in y + x      alike: x_1 y_2 y_2 x_1 and a_1 y_2 y_2 a_1
//! def f (a: i32) = let y = a in y + a
//! def f (y: i32) = let y = y in y + y      not: y_1 y_2 y_2 y_2
//! ```

use crate::tast::{
    Access, Case, Dec, Exp, ExpKind, Functor, FunctorApply, Index, Lambda, LoopForm, Pat, PatKind, Program,
    RangeEnd, ValAlias, ValBind,
};
use crate::types::{RetType, Scheme, Size, TParam, Type, TypeArg, TypeDef};
use fehu_base::{FileId, Name, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Whether two programs are the same but for names; `prelude` are the files that both share. A label that is
/// called `old` in the first may be called `new` in the second.
pub fn alike(a: &Program, b: &Program, prelude: &[FileId], old: Symbol, new: Symbol) -> bool {
    let mut walk = Alike {
        a,
        b,
        prelude,
        old,
        new,
        there: FxHashMap::default(),
        back: FxHashMap::default(),
        seen: FxHashSet::default(),
    };
    let own = |d: &&Dec, p: &Program| match d {
        Dec::Val(v) => !prelude.contains(&v.span.file),
        Dec::Functor(f) => !prelude.contains(&f.span.file),
        Dec::Apply(f) => !prelude.contains(&f.span.file),
        Dec::TypeDef(n, _) | Dec::Alias(ValAlias { name: n, .. }) => {
            p.def_spans.get(n).is_none_or(|s| !prelude.contains(&s.file))
        }
    };
    let (x, y) = (a.decs.iter().filter(|d| own(d, a)), b.decs.iter().filter(|d| own(d, b)));
    let (x, y): (Vec<&Dec>, Vec<&Dec>) = (x.collect(), y.collect());
    x.len() == y.len() && x.iter().zip(y).all(|(x, y)| walk.dec(x, y))
}

struct Alike<'a> {
    a: &'a Program,
    b: &'a Program,
    prelude: &'a [FileId],
    old: Symbol,
    new: Symbol,
    /// What each name of the first is in the second, and the other way round.
    there: FxHashMap<Name, Name>,
    back: FxHashMap<Name, Name>,
    /// Expressions that are shared by many types, and have been compared.
    seen: FxHashSet<(usize, usize)>,
}

/// Whether two lists are alike, element by element.
fn all<T>(x: &[T], y: &[T], mut alike: impl FnMut(&T, &T) -> bool) -> bool {
    x.len() == y.len() && x.iter().zip(y).all(|(x, y)| alike(x, y))
}

/// Whether both are there and alike, or none is.
fn both<T>(x: &Option<T>, y: &Option<T>, alike: impl FnOnce(&T, &T) -> bool) -> bool {
    match (x, y) {
        (Some(x), Some(y)) => alike(x, y),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

impl Alike<'_> {
    fn name(&mut self, x: Name, y: Name) -> bool {
        let shared =
            |p: &Program, n: Name| p.def_spans.get(&n).filter(|s| self.prelude.contains(&s.file)).copied();
        if shared(self.a, x) != shared(self.b, y) || self.a.intrinsics.get(&x) != self.b.intrinsics.get(&y) {
            return false;
        }
        *self.there.entry(x).or_insert(y) == y && *self.back.entry(y).or_insert(x) == x
    }

    fn names(&mut self, x: &[Name], y: &[Name]) -> bool {
        all(x, y, |x, y| self.name(*x, *y))
    }

    fn label(&self, x: Symbol, y: Symbol) -> bool {
        x == y || x == self.old && y == self.new
    }

    fn dec(&mut self, x: &Dec, y: &Dec) -> bool {
        match (x, y) {
            (Dec::Val(x), Dec::Val(y)) => self.val(x, y),
            (Dec::TypeDef(m, x), Dec::TypeDef(n, y)) => self.name(*m, *n) && self.type_def(x, y),
            (Dec::Alias(x), Dec::Alias(y)) => {
                self.name(x.name, y.name)
                    && self.scheme(&x.scheme, &y.scheme)
                    && self.name(x.target, y.target)
                    && self.type_args(&x.inst, &y.inst)
            }
            (Dec::Functor(x), Dec::Functor(y)) => self.functor(x, y),
            (Dec::Apply(x), Dec::Apply(y)) => self.apply(x, y),
            _ => false,
        }
    }

    fn functor(&mut self, x: &Functor, y: &Functor) -> bool {
        self.name(x.name, y.name) && all(&x.body, &y.body, |x, y| self.dec(x, y))
    }

    fn apply(&mut self, x: &FunctorApply, y: &FunctorApply) -> bool {
        self.name(x.functor, y.functor)
            && all(&x.bind, &y.bind, |x, y| self.dec(x, y))
            && all(&x.results, &y.results, |x, y| self.name(x.0, y.0) && self.name(x.1, y.1))
    }

    fn val(&mut self, x: &ValBind, y: &ValBind) -> bool {
        self.name(x.name, y.name)
            && both(&x.entry, &y.entry, |x, y| self.label(x.name, y.name))
            && x.recursive == y.recursive
            && self.tparams(&x.tparams, &y.tparams)
            && self.pats(&x.params, &y.params)
            && self.ret(&x.ret, &y.ret)
            && self.exp(&x.body, &y.body)
    }

    fn tparams(&mut self, x: &[TParam], y: &[TParam]) -> bool {
        all(x, y, |x, y| match (x, y) {
            (TParam::Size(x), TParam::Size(y)) => self.name(*x, *y),
            (TParam::Type(k, x), TParam::Type(l, y)) => k == l && self.name(*x, *y),
            (TParam::Size(_), TParam::Type(..)) | (TParam::Type(..), TParam::Size(_)) => false,
        })
    }

    fn type_def(&mut self, x: &TypeDef, y: &TypeDef) -> bool {
        x.lifted == y.lifted && self.tparams(&x.tparams, &y.tparams) && self.ret(&x.def, &y.def)
    }

    fn scheme(&mut self, x: &Scheme, y: &Scheme) -> bool {
        self.tparams(&x.tparams, &y.tparams) && self.ty(&x.ty, &y.ty)
    }

    fn ret(&mut self, x: &RetType, y: &RetType) -> bool {
        self.names(&x.dims, &y.dims) && self.ty(&x.ty, &y.ty)
    }

    fn ty(&mut self, x: &Type, y: &Type) -> bool {
        match (x, y) {
            (Type::Scalar(x, _), Type::Scalar(y, _)) => x == y,
            (Type::Array(u, m, x), Type::Array(v, n, y)) => u == v && self.size(m, n) && self.ty(x, y),
            (Type::Record(x), Type::Record(y)) => self.labelled(x, y, |me, x, y| me.ty(x, y)),
            (Type::Sum(x), Type::Sum(y)) => self.labelled(x, y, |me, x, y| all(x, y, |x, y| me.ty(x, y))),
            (Type::Arrow(x), Type::Arrow(y)) => {
                both(&x.param, &y.param, |x, y| self.name(*x, *y))
                    && self.ty(&x.lhs, &y.lhs)
                    && self.ret(&x.ret, &y.ret)
            }
            (Type::Var(u, m, x), Type::Var(v, n, y)) => u == v && self.name(*m, *n) && self.type_args(x, y),
            (Type::Meta(x), Type::Meta(y)) => x == y,
            (Type::Error, Type::Error) => true,
            _ => false,
        }
    }

    /// Parts with labels. The order depends on the names, so it may differ.
    fn labelled<T>(
        &mut self,
        x: &[(Symbol, T)],
        y: &[(Symbol, T)],
        mut alike: impl FnMut(&mut Self, &T, &T) -> bool,
    ) -> bool {
        x.len() == y.len()
            && x.iter().all(|(l, x)| match y.iter().find(|(m, _)| self.label(*l, *m)) {
                Some((_, y)) => alike(self, x, y),
                None => false,
            })
    }

    fn type_args(&mut self, x: &[TypeArg], y: &[TypeArg]) -> bool {
        all(x, y, |x, y| match (x, y) {
            (TypeArg::Size(x), TypeArg::Size(y)) => self.size(x, y),
            (TypeArg::Type(x), TypeArg::Type(y)) => self.ty(x, y),
            (TypeArg::Size(_), TypeArg::Type(_)) | (TypeArg::Type(_), TypeArg::Size(_)) => false,
        })
    }

    fn size(&mut self, x: &Size, y: &Size) -> bool {
        match (x, y) {
            (Size::Const(x), Size::Const(y)) => x == y,
            (Size::Var(x), Size::Var(y)) => self.name(*x, *y),
            (Size::Exp(x), Size::Exp(y)) => self.exp(x, y),
            (Size::Any, Size::Any) => true,
            _ => false,
        }
    }

    fn pats(&mut self, x: &[Pat], y: &[Pat]) -> bool {
        all(x, y, |x, y| self.pat(x, y))
    }

    fn pat(&mut self, x: &Pat, y: &Pat) -> bool {
        self.ty(&x.ty, &y.ty)
            && match (&x.kind, &y.kind) {
                (PatKind::Var(x), PatKind::Var(y)) => self.name(*x, *y),
                (PatKind::Wildcard, PatKind::Wildcard) => true,
                (PatKind::Record(x), PatKind::Record(y)) => self.labelled(x, y, |me, x, y| me.pat(x, y)),
                (PatKind::Literal(x), PatKind::Literal(y)) => x == y,
                (PatKind::Constr(c, x), PatKind::Constr(d, y)) => self.label(*c, *d) && self.pats(x, y),
                (PatKind::Attr(_, x), PatKind::Attr(_, y)) => self.pat(x, y),
                _ => false,
            }
    }

    fn exps(&mut self, x: &[Exp], y: &[Exp]) -> bool {
        all(x, y, |x, y| self.exp(x, y))
    }

    fn some(&mut self, x: &Option<Exp>, y: &Option<Exp>) -> bool {
        both(x, y, |x, y| self.exp(x, y))
    }

    fn exp(&mut self, x: &Exp, y: &Exp) -> bool {
        // A size contains the sizes of what it was computed from.
        let place = |e: &Exp| Arc::as_ptr(&e.kind) as usize;
        if !self.seen.insert((place(x), place(y))) {
            return self.names(&x.ext, &y.ext);
        }
        fehu_base::stack::deep(|| {
            self.names(&x.ext, &y.ext) && self.ty(&x.ty, &y.ty) && self.kind(&x.kind, &y.kind)
        })
    }

    fn kind(&mut self, x: &ExpKind, y: &ExpKind) -> bool {
        match (x, y) {
            (ExpKind::Literal(x), ExpKind::Literal(y)) => x == y,
            (ExpKind::String(x), ExpKind::String(y)) => x == y,
            (ExpKind::Hole, ExpKind::Hole) => true,
            (ExpKind::Var(m, x), ExpKind::Var(n, y)) => self.name(*m, *n) && self.type_args(x, y),
            (ExpKind::Record(x), ExpKind::Record(y)) => {
                all(x, y, |x, y| self.label(x.0, y.0) && self.exp(&x.1, &y.1))
            }
            (ExpKind::Array(x), ExpKind::Array(y)) => self.exps(x, y),
            (ExpKind::Project(x, f), ExpKind::Project(y, g)) => self.label(*f, *g) && self.exp(x, y),
            (ExpKind::Index(x, i), ExpKind::Index(y, j)) => self.exp(x, y) && self.indexes(i, j),
            (ExpKind::Negate(x), ExpKind::Negate(y))
            | (ExpKind::Not(x), ExpKind::Not(y))
            | (ExpKind::Coerce(x), ExpKind::Coerce(y))
            | (ExpKind::Attr(_, x), ExpKind::Attr(_, y)) => self.exp(x, y),
            (ExpKind::And(l, x), ExpKind::And(m, y))
            | (ExpKind::Or(l, x), ExpKind::Or(m, y))
            | (ExpKind::Assert(l, x, _), ExpKind::Assert(m, y, _)) => self.exp(l, m) && self.exp(x, y),
            (ExpKind::Constr(c, x), ExpKind::Constr(d, y)) => self.label(*c, *d) && self.exps(x, y),
            (ExpKind::Apply(f, x), ExpKind::Apply(g, y)) => self.exp(f, g) && self.exps(x, y),
            (ExpKind::Lambda(x), ExpKind::Lambda(y)) => self.lambda(x, y),
            (
                ExpKind::Range { start, second, end },
                ExpKind::Range { start: other_start, second: other_second, end: other_end },
            ) => self.exp(start, other_start) && self.some(second, other_second) && self.end(end, other_end),
            (ExpKind::Update(x, p, v), ExpKind::Update(y, q, w)) => {
                self.exp(x, y) && self.path(p, q) && self.exp(v, w)
            }
            (
                ExpKind::Let { sizes, pat, value, body },
                ExpKind::Let { sizes: other_sizes, pat: other_pat, value: other_value, body: other_body },
            ) => {
                self.exp(value, other_value)
                    && self.names(sizes, other_sizes)
                    && self.pat(pat, other_pat)
                    && self.exp(body, other_body)
            }
            (ExpKind::LetFun(f, x), ExpKind::LetFun(g, y)) => {
                self.name(f.name, g.name)
                    && self.tparams(&f.tparams, &g.tparams)
                    && self.pats(&f.params, &g.params)
                    && self.ret(&f.ret, &g.ret)
                    && self.exp(&f.body, &g.body)
                    && self.exp(x, y)
            }
            (ExpKind::If(c, t, f), ExpKind::If(d, u, g)) => {
                self.exp(c, d) && self.exp(t, u) && self.exp(f, g)
            }
            (ExpKind::Loop(x), ExpKind::Loop(y)) => {
                self.exp(&x.init, &y.init)
                    && self.names(&x.sizes, &y.sizes)
                    && self.pat(&x.pat, &y.pat)
                    && self.form(&x.form, &y.form)
                    && self.exp(&x.body, &y.body)
            }
            (ExpKind::Match(x, c), ExpKind::Match(y, d)) => {
                self.exp(x, y) && all(c, d, |x, y| self.case(x, y))
            }
            _ => false,
        }
    }

    fn lambda(&mut self, x: &Lambda, y: &Lambda) -> bool {
        self.pats(&x.params, &y.params) && self.ret(&x.ret, &y.ret) && self.exp(&x.body, &y.body)
    }

    fn case(&mut self, x: &Case, y: &Case) -> bool {
        self.pat(&x.pat, &y.pat) && self.exp(&x.body, &y.body)
    }

    fn form(&mut self, x: &LoopForm, y: &LoopForm) -> bool {
        match (x, y) {
            (LoopForm::For(i, t, x), LoopForm::For(j, u, y)) => self.name(*i, *j) && t == u && self.exp(x, y),
            (LoopForm::ForIn(p, x), LoopForm::ForIn(q, y)) => self.pat(p, q) && self.exp(x, y),
            (LoopForm::While(x), LoopForm::While(y)) => self.exp(x, y),
            _ => false,
        }
    }

    fn end(&mut self, x: &RangeEnd, y: &RangeEnd) -> bool {
        match (x, y) {
            (RangeEnd::Inclusive(x), RangeEnd::Inclusive(y))
            | (RangeEnd::UpTo(x), RangeEnd::UpTo(y))
            | (RangeEnd::DownTo(x), RangeEnd::DownTo(y)) => self.exp(x, y),
            _ => false,
        }
    }

    fn path(&mut self, x: &[Access], y: &[Access]) -> bool {
        all(x, y, |x, y| match (x, y) {
            (Access::Field(f), Access::Field(g)) => self.label(*f, *g),
            (Access::Index(x, _), Access::Index(y, _)) => self.indexes(x, y),
            (Access::Field(_), Access::Index(..)) | (Access::Index(..), Access::Field(_)) => false,
        })
    }

    fn indexes(&mut self, x: &[Index], y: &[Index]) -> bool {
        all(x, y, |x, y| match (x, y) {
            (Index::Fix(x), Index::Fix(y)) => self.exp(x, y),
            (Index::Slice { lo, hi, stride }, Index::Slice { lo: l, hi: h, stride: s }) => {
                self.some(lo, l) && self.some(hi, h) && self.some(stride, s)
            }
            (Index::Fix(_), Index::Slice { .. }) | (Index::Slice { .. }, Index::Fix(_)) => false,
        })
    }
}
