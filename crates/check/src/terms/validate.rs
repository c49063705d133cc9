//! What the typed tree promises, checked: for tests and for finding our own mistakes.
//!
//! No type has a variable of inference or an anonymous size, unknown sizes are
//! brought once, and the sizes of each type are in scope where the type stands.

use crate::tast::{Access, Exp, ExpKind, Index, LoopForm, Pat, PatKind, RangeEnd, ValBind};
use crate::types::{RetType, Size, Type, TypeArg};
use crate::visit::children;
use fehu_base::{Name, NameSource};
use rustc_hash::FxHashSet;

/// The broken promises of a declaration, in words.
pub fn validate(names: &NameSource, bind: &ValBind, is_global: &dyn Fn(Name) -> bool) -> Vec<String> {
    let mut v = Validator {
        names,
        is_global,
        scope: FxHashSet::default(),
        log: vec![],
        brought: FxHashSet::default(),
        out: vec![],
    };
    for p in &bind.tparams {
        v.bind(p.name());
    }
    for p in &bind.params {
        v.pat(p);
    }
    v.exp(&bind.body);
    v.out
}

struct Validator<'a> {
    names: &'a NameSource,
    is_global: &'a dyn Fn(Name) -> bool,
    scope: FxHashSet<Name>,
    log: Vec<Name>,
    brought: FxHashSet<Name>,
    out: Vec<String>,
}

impl Validator<'_> {
    fn complain(&mut self, what: String) {
        self.out.push(what);
    }

    fn bind(&mut self, n: Name) {
        if self.scope.insert(n) {
            self.log.push(n);
        }
    }

    fn inside(&mut self, f: impl FnOnce(&mut Self)) {
        let mark = self.log.len();
        f(self);
        for n in self.log.drain(mark..) {
            self.scope.remove(&n);
        }
    }

    fn name(&mut self, n: Name, bound: &[Name], at: &str) {
        if !self.scope.contains(&n) && !bound.contains(&n) && !(self.is_global)(n) {
            let shown = self.names.show(n);
            self.complain(format!("size {shown} is not in scope in {at}"));
        }
    }

    fn size(&mut self, s: &Size, bound: &[Name], at: &str) {
        match s {
            Size::Const(_) => {}
            Size::Var(n) => self.name(*n, bound, at),
            Size::Exp(e) => self.size_exp(e, bound, at),
            Size::Any => self.complain(format!("an undecided size in {at}")),
        }
    }

    fn size_exp(&mut self, e: &Exp, bound: &[Name], at: &str) {
        if let ExpKind::Var(n, _) = &*e.kind {
            self.name(*n, bound, at);
        }
        let mut parts = vec![];
        children(e, &mut |c| parts.push(c));
        for c in parts {
            self.size_exp(c, bound, at);
        }
    }

    fn ty(&mut self, t: &Type, bound: &mut Vec<Name>, at: &str) {
        match t {
            Type::Scalar(..) => {}
            Type::Meta(_) | Type::Error => self.complain(format!("an undecided type in {at}")),
            Type::Array(_, s, e) => {
                self.size(s, bound, at);
                self.ty(e, bound, at);
            }
            Type::Record(fs) => fs.iter().for_each(|(_, t)| self.ty(t, bound, at)),
            Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| self.ty(t, bound, at)),
            Type::Arrow(a) => {
                self.ty(&a.lhs, bound, at);
                let depth = bound.len();
                bound.extend(a.param);
                self.ret(&a.ret, bound, at);
                bound.truncate(depth);
            }
            Type::Var(_, _, args) => {
                for a in args.iter() {
                    match a {
                        TypeArg::Size(s) => self.size(s, bound, at),
                        TypeArg::Type(t) => self.ty(t, bound, at),
                    }
                }
            }
        }
    }

    fn ret(&mut self, r: &RetType, bound: &mut Vec<Name>, at: &str) {
        let depth = bound.len();
        bound.extend(&r.dims);
        self.ty(&r.ty, bound, at);
        bound.truncate(depth);
    }

    fn pat(&mut self, p: &Pat) {
        self.ty(&p.ty, &mut vec![], "a pattern");
        match &p.kind {
            PatKind::Var(n) => self.bind(*n),
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Record(fs) => fs.iter().for_each(|(_, p)| self.pat(p)),
            PatKind::Constr(_, ps) => ps.iter().for_each(|p| self.pat(p)),
            PatKind::Attr(_, p) => self.pat(p),
        }
    }

    fn exp(&mut self, e: &Exp) {
        fehu_base::stack::deep(|| self.exp_inner(e));
    }

    fn exp_inner(&mut self, e: &Exp) {
        let at = self.parts(e);
        for n in &e.ext {
            if !self.brought.insert(*n) {
                let shown = self.names.show(*n);
                self.complain(format!("unknown size {shown} is brought twice, again by {at}"));
            }
            self.bind(*n);
        }
        self.ty(&e.ty, &mut vec![], &at);
    }

    /// Validates the parts of an expression; what to call it in complaints.
    fn parts(&mut self, e: &Exp) -> String {
        match &*e.kind {
            ExpKind::Literal(_) | ExpKind::String(_) => "a literal".to_string(),
            ExpKind::Hole => "a hole".into(),
            ExpKind::Var(n, _) => {
                // Sizes of arguments are known before the function is.
                let at = format!("the use of {}", self.names.show(*n));
                if !self.scope.contains(n) && !(self.is_global)(*n) {
                    self.complain(format!("{at}: not in scope"));
                }
                at
            }
            ExpKind::Apply(f, args) => {
                args.iter().for_each(|a| self.exp(a));
                self.exp(f);
                "an application".into()
            }
            ExpKind::Lambda(l) => {
                self.inside(|v| {
                    l.params.iter().for_each(|p| v.pat(p));
                    v.exp(&l.body);
                });
                "a lambda".into()
            }
            ExpKind::Let { sizes, pat, value, body } => {
                self.exp(value);
                sizes.iter().for_each(|n| self.bind(*n));
                self.pat(pat);
                self.exp(body);
                "a let".into()
            }
            ExpKind::LetFun(f, body) => {
                self.inside(|v| {
                    f.tparams.iter().for_each(|p| v.bind(p.name()));
                    f.params.iter().for_each(|p| v.pat(p));
                    v.exp(&f.body);
                });
                self.bind(f.name);
                self.exp(body);
                "a local function".into()
            }
            ExpKind::If(c, t, f) => {
                self.exp(c);
                self.inside(|v| v.exp(t));
                self.inside(|v| v.exp(f));
                "an if".into()
            }
            ExpKind::Match(x, cases) => {
                self.exp(x);
                for c in cases {
                    self.inside(|v| {
                        v.pat(&c.pat);
                        v.exp(&c.body);
                    });
                }
                "a match".into()
            }
            ExpKind::Loop(l) => {
                self.exp(&l.init);
                if let LoopForm::For(_, _, e) | LoopForm::ForIn(_, e) = &l.form {
                    self.exp(e);
                }
                self.inside(|v| {
                    l.sizes.iter().for_each(|n| v.bind(*n));
                    v.pat(&l.pat);
                    match &l.form {
                        LoopForm::For(i, _, _) => v.bind(*i),
                        LoopForm::ForIn(p, _) => v.pat(p),
                        LoopForm::While(e) => v.inside(|v| v.exp(e)),
                    }
                    v.exp(&l.body);
                });
                "a loop".into()
            }
            ExpKind::Index(a, ix) => {
                self.exp(a);
                self.indexes(ix);
                "an index".into()
            }
            ExpKind::Update(x, path, v) => {
                self.exp(x);
                for a in path {
                    match a {
                        Access::Field(_) => {}
                        Access::Index(ix, _) => self.indexes(ix),
                    }
                }
                self.exp(v);
                "an update".into()
            }
            ExpKind::Range { start, second, end } => {
                self.exp(start);
                second.iter().for_each(|e| self.exp(e));
                match end {
                    RangeEnd::Inclusive(e) | RangeEnd::UpTo(e) | RangeEnd::DownTo(e) => self.exp(e),
                }
                "a range".into()
            }
            ExpKind::Record(_)
            | ExpKind::Array(_)
            | ExpKind::Project(..)
            | ExpKind::Negate(_)
            | ExpKind::Not(_)
            | ExpKind::And(..)
            | ExpKind::Or(..)
            | ExpKind::Assert(..)
            | ExpKind::Constr(..)
            | ExpKind::Coerce(_)
            | ExpKind::Attr(..) => {
                let mut parts = vec![];
                children(e, &mut |c| parts.push(c));
                parts.into_iter().for_each(|c| self.exp(c));
                "an expression".into()
            }
        }
    }

    fn indexes(&mut self, ix: &[Index]) {
        for i in ix {
            match i {
                Index::Fix(e) => self.exp(e),
                Index::Slice { lo, hi, stride } => {
                    [lo, hi, stride].into_iter().flatten().for_each(|e| self.exp(e));
                }
            }
        }
    }
}
