//! Whether a value of one type can stand where a module type asks for another.
//!
//! What is *given* may be more general than what is *expected*: its type and
//! size parameters are chosen so that the types agree. Sizes in results may be
//! better known than expected. Parameters of functions are compared the other
//! way around. `*` in a result must be given where it is expected; in a parameter, it
//! must be expected where it is given.

use crate::context::Context;
use crate::subst::{make_nonunique, make_unique, Subst};
use crate::terms::sizes::equal::{make_equal, Choices, Synonyms};
use crate::type_exp::params::param_arg;
use crate::type_exp::uses::{consumes, depends_on, kind};
use crate::types::{Arrow, RetType, Scheme, Size, TParam, Type, TypeArg, TypeDef, Uniq};
use fehu_base::{Name, Symbol};
use fehu_syntax::ast::Liftedness;
use rustc_hash::FxHashMap;

/// How a given value is used as an expected one.
pub(super) struct Instance {
    /// What the parameters of the given scheme are.
    pub(super) args: Vec<TypeArg>,
    /// Whether parts of its result must be copied, because they are expected to be owned and are not.
    pub(super) copies: bool,
}

/// What the parameters of `given` must be for it to be as `expected`, or why it cannot be.
pub(super) fn scheme(ctx: &mut Context, given: &Scheme, expected: &Scheme) -> Result<Instance, String> {
    ctx.texts.forget();
    // Copies of one module type share the names of parameters.
    let renamed;
    let given = if given.tparams.iter().any(|p| expected.tparams.contains(p)) {
        renamed = with_fresh_params(ctx, given);
        &renamed
    } else {
        given
    };
    let mut m = Match::new(ctx);
    for p in &given.tparams {
        m.params.push(p.name());
        match p {
            TParam::Size(n) => m.sizes.insert(*n, None).map_or((), drop),
            TParam::Type(l, n) => m.types.insert(*n, (*l, None)).map_or((), drop),
        }
    }
    m.ty(&given.ty, &expected.ty)?;
    Ok(Instance { args: given.tparams.iter().map(|p| m.solution(*p)).collect(), copies: m.copies })
}

fn with_fresh_params(ctx: &mut Context, s: &Scheme) -> Scheme {
    let tparams: Vec<TParam> = s
        .tparams
        .iter()
        .map(|p| {
            let n = ctx.names.fresh_like(p.name());
            match p {
                TParam::Size(_) => TParam::Size(n),
                TParam::Type(l, _) => {
                    ctx.kinds.insert(n, *l);
                    TParam::Type(*l, n)
                }
            }
        })
        .collect();
    let args: Vec<TypeArg> = tparams.iter().map(|p| param_arg(*p)).collect();
    let ty = Subst::of_args(&s.tparams, &args).ret(&mut ctx.names, &RetType::simple(s.ty.clone())).ty;
    Scheme { tparams, overloads: s.overloads.clone(), ty }
}

/// Whether two definitions, with the same number of parameters, stand for the same type.
pub(super) fn same_def(ctx: &mut Context, given: &TypeDef, expected: &TypeDef) -> Result<(), String> {
    let mut m = Match::new(ctx);
    for (g, e) in given.tparams.iter().zip(&expected.tparams) {
        match (g, e) {
            (g, e) if g.name() == e.name() => {}
            (TParam::Size(g), TParam::Size(e)) => {
                m.sizes.insert(*g, Some(Size::Var(*e)));
            }
            (TParam::Type(l, g), TParam::Type(_, e)) => {
                m.types.insert(*g, (*l, Some(Type::var(*e))));
            }
            (TParam::Size(_), TParam::Type(..)) | (TParam::Type(..), TParam::Size(_)) => {
                return Err("The parameters differ.".into())
            }
        }
    }
    for d in &expected.def.dims {
        m.sizes.insert(*d, None);
    }
    if given.def.dims.len() != expected.def.dims.len() {
        return Err("The existential sizes differ.".into());
    }
    m.ty(&given.def.ty, &expected.def.ty)
}

struct Match<'a> {
    ctx: &'a mut Context,
    /// Type names that may be chosen: their kind, and what was chosen.
    types: FxHashMap<Name, (Liftedness, Option<Type>)>,
    /// Size names that may be chosen, and what was chosen.
    sizes: FxHashMap<Name, Option<Size>>,
    /// Those that are parameters of what is given.
    params: Vec<Name>,
    /// Existential sizes of functions around: no parameter may depend on one.
    inner: Vec<Name>,
    /// Whether what is compared is a part of a tuple or record that is returned, and of which some part is owned.
    partly_owned: bool,
    /// Whether a part of such a result is expected to be owned and is not.
    copies: bool,
}

impl<'a> Match<'a> {
    fn new(ctx: &'a mut Context) -> Match<'a> {
        let (types, sizes) = (FxHashMap::default(), FxHashMap::default());
        Match { ctx, types, sizes, params: vec![], inner: vec![], partly_owned: false, copies: false }
    }

    fn solution(&mut self, p: TParam) -> TypeArg {
        match p {
            TParam::Size(n) => TypeArg::Size(match self.put_in(&Size::Var(n)) {
                Size::Var(open) if self.is_open(open) => Size::Const(0),
                found @ (Size::Const(_) | Size::Var(_) | Size::Exp(_) | Size::Any) => found,
            }),
            TParam::Type(_, n) => {
                TypeArg::Type(self.types.get(&n).and_then(|(_, t)| t.clone()).unwrap_or(Type::unit()))
            }
        }
    }

    /// `given` is used where `expected` is wanted.
    fn ty(&mut self, given: &Type, expected: &Type) -> Result<(), String> {
        fehu_base::stack::deep(|| self.ty_inner(given, expected))
    }

    fn ty_inner(&mut self, given: &Type, expected: &Type) -> Result<(), String> {
        if let Some((u, n)) = self.choosable(given) {
            let chosen = self.choose(n, expected)?;
            let given = if u == Uniq::Unique { make_unique(&chosen) } else { chosen };
            return self.ty(&given, expected);
        }
        if let Some((u, n)) = self.choosable(expected) {
            let chosen = self.choose(n, given)?;
            let expected = if u == Uniq::Unique { make_unique(&chosen) } else { chosen };
            return self.ty(given, &expected);
        }
        match (given, expected) {
            (Type::Error, _) | (_, Type::Error) => Ok(()),
            (Type::Scalar(a, _), Type::Scalar(b, _)) if a == b => Ok(()),
            (Type::Array(u, s, a), Type::Array(v, r, b)) => {
                self.uniq(*u, *v, given, expected)?;
                self.size(s, r)?;
                self.ty(a, b)
            }
            (Type::Record(fs), Type::Record(gs)) if same_names(fs, gs) => {
                fs.iter().zip(gs.iter()).try_for_each(|((_, a), (_, b))| self.ty(a, b))
            }
            (Type::Sum(cs), Type::Sum(ds)) if same_names(cs, ds) => {
                for ((_, ts), (_, us)) in cs.iter().zip(ds.iter()) {
                    if ts.len() != us.len() {
                        return Err(self.differ(given, expected));
                    }
                    ts.iter().zip(us).try_for_each(|(a, b)| self.ty(a, b))?;
                }
                Ok(())
            }
            (Type::Arrow(a), Type::Arrow(b)) => self.arrow(a, b),
            (Type::Var(u, m, xs), Type::Var(v, n, ys)) if m == n && xs.len() == ys.len() => {
                self.uniq(*u, *v, given, expected)?;
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| match (x, y) {
                    (TypeArg::Size(s), TypeArg::Size(r)) => self.size(s, r),
                    (TypeArg::Type(a), TypeArg::Type(b)) => self.ty(a, b),
                    (TypeArg::Size(_), TypeArg::Type(_)) | (TypeArg::Type(_), TypeArg::Size(_)) => {
                        Err(self.differ(given, expected))
                    }
                })
            }
            (
                Type::Scalar(..)
                | Type::Array(..)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_)
                | Type::Var(..)
                | Type::Meta(_),
                _,
            ) => Err(self.differ(given, expected)),
        }
    }

    fn choosable(&self, t: &Type) -> Option<(Uniq, Name)> {
        match t {
            Type::Var(u, n, args) if args.is_empty() && self.types.contains_key(n) => Some((*u, *n)),
            Type::Scalar(..)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_)
            | Type::Var(..)
            | Type::Meta(_)
            | Type::Error => None,
        }
    }

    /// What the name stands for, chosen now if it has not been.
    fn choose(&mut self, n: Name, other: &Type) -> Result<Type, String> {
        let (lifted, chosen) = match self.types.get(&n) {
            Some((l, c)) => (*l, c.clone()),
            None => (Liftedness::Lifted, None),
        };
        if let Some(t) = chosen {
            return Ok(t);
        }
        let t = make_nonunique(other);
        let k = kind(self.ctx, &t);
        if k > lifted {
            return Err(format!(
                "The type parameter \"{}\" may not stand for \"{}\", which is of a more lifted kind.",
                self.ctx.show().ty(&Type::var(n)),
                self.ctx.show().ty(&t)
            ));
        }
        let mut used = rustc_hash::FxHashSet::default();
        crate::type_exp::uses::mentioned(&t, &mut used);
        if let Some(d) = self.inner.iter().find(|d| used.contains(d)) {
            return Err(format!(
                "The type parameter \"{}\" may not stand for a type with the existential size \"{}\".",
                self.ctx.show().ty(&Type::var(n)),
                self.ctx.names.base(*d)
            ));
        }
        self.types.insert(n, (lifted, Some(t.clone())));
        Ok(t)
    }

    fn arrow(&mut self, given: &Arrow, expected: &Arrow) -> Result<(), String> {
        // The parameter of what is given must accept what will be passed.
        let around = std::mem::replace(&mut self.partly_owned, false);
        self.ty(&expected.lhs, &given.lhs)?;
        if let (Some(g), Some(e)) = (given.param, expected.param) {
            self.sizes.insert(g, Some(Size::Var(e)));
            if self.ctx.names.base(g) == self.ctx.names.base(e) {
                self.ctx.texts.same(g, e);
            }
        }
        for d in &expected.ret.dims {
            self.sizes.insert(*d, None);
        }
        let depth = self.inner.len();
        self.inner.extend(&given.ret.dims);
        self.partly_owned = matches!(given.ret.ty, Type::Record(_)) && consumes(&given.ret.ty);
        let result = self.ty(&given.ret.ty, &expected.ret.ty);
        self.partly_owned = around;
        self.inner.truncate(depth);
        result
    }

    fn uniq(&mut self, given: Uniq, expected: Uniq, g: &Type, e: &Type) -> Result<(), String> {
        if expected == Uniq::Unique && given == Uniq::Nonunique {
            // `*(a, b)` may be given as `(*a, b)`.
            if self.partly_owned {
                self.copies = true;
                return Ok(());
            }
            let show = self.ctx.show();
            return Err(format!(
                "Types\n  {}\nand\n  {}\nare incompatible regarding consumption.",
                show.ty(e),
                show.ty(g)
            ));
        }
        Ok(())
    }

    /// The size with everything put in that has been chosen.
    fn put_in(&mut self, s: &Size) -> Size {
        match s {
            Size::Var(n) => match self.sizes.get(n).cloned() {
                Some(Some(chosen)) => self.put_in(&chosen),
                Some(None) | None => s.clone(),
            },
            Size::Exp(_) => {
                let mut used = rustc_hash::FxHashSet::default();
                depends_on(s, &mut used);
                let mut subst = Subst::default();
                for n in used {
                    if matches!(self.sizes.get(&n), Some(Some(_))) {
                        subst.sizes.insert(n, self.put_in(&Size::Var(n)));
                    }
                }
                subst.size(&mut self.ctx.names, s)
            }
            Size::Const(_) | Size::Any => s.clone(),
        }
    }

    fn size(&mut self, given: &Size, expected: &Size) -> Result<(), String> {
        make_equal(self, given, expected).map_err(|_| {
            let (g, e) = (self.put_in(given), self.put_in(expected));
            self.sizes_differ(&g, &e)
        })
    }

    fn sizes_differ(&self, given: &Size, expected: &Size) -> String {
        let show = self.ctx.show();
        format!("Sizes \"{}\" and \"{}\" do not match.", show.size(expected), show.size(given))
    }

    fn differ(&self, given: &Type, expected: &Type) -> String {
        let show = self.ctx.show();
        format!("Types\n  {}\nand\n  {}\ndo not match.", show.ty(expected), show.ty(given))
    }
}

impl Choices for Match<'_> {
    type Refusal = ();

    fn synonyms(&self) -> &Synonyms {
        &self.ctx.synonyms
    }

    fn known(&mut self, s: &Size) -> Size {
        self.put_in(s)
    }

    fn is_open(&self, n: Name) -> bool {
        matches!(self.sizes.get(&n), Some(None))
    }

    fn choose(&mut self, n: Name, s: &Size) -> Result<(), ()> {
        let mut used = rustc_hash::FxHashSet::default();
        depends_on(s, &mut used);
        // A size parameter is chosen once, so it cannot be what each call of a function brings anew.
        let anew = self.params.contains(&n) && self.inner.iter().any(|d| used.contains(d));
        if anew || used.contains(&n) {
            return Err(());
        }
        self.sizes.insert(n, Some(s.clone()));
        Ok(())
    }
}

fn same_names<T>(a: &[(Symbol, T)], b: &[(Symbol, T)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((x, _), (y, _))| x == y)
}
