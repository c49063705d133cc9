//! Whether a value of one type can stand where a module type asks for another.
//!
//! What is *given* may be more general than what is *expected*: its type and
//! size parameters are chosen so that the types agree. Sizes in results may be
//! better known than expected. Parameters of functions are compared the other
//! way around. `*` in a result must be given where it is expected; in a parameter, it
//! must be expected where it is given.

use crate::context::Context;
use crate::subst::{exp_size, make_nonunique, make_unique, Subst};
use crate::tast::Exp;
use crate::terms::sizes::equal::same_exp;
use crate::type_exp::params::param_arg;
use crate::type_exp::uses::{kind, mentioned_size};
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
pub(super) fn same_def(ctx: &Context, given: &TypeDef, expected: &TypeDef) -> Result<(), String> {
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
    ctx: &'a Context,
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
    fn new(ctx: &'a Context) -> Match<'a> {
        let (types, sizes) = (FxHashMap::default(), FxHashMap::default());
        Match { ctx, types, sizes, params: vec![], inner: vec![], partly_owned: false, copies: false }
    }

    fn solution(&self, p: TParam) -> TypeArg {
        match p {
            TParam::Size(n) => TypeArg::Size(self.size_of(&Size::Var(n)).unwrap_or(Size::Const(0))),
            TParam::Type(_, n) => {
                TypeArg::Type(self.types.get(&n).and_then(|(_, t)| t.clone()).unwrap_or(Type::unit()))
            }
        }
    }

    /// `given` is used where `expected` is wanted.
    fn ty(&mut self, given: &Type, expected: &Type) -> Result<(), String> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.ty_inner(given, expected))
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
            (Type::Scalar(a), Type::Scalar(b)) if a == b => Ok(()),
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
                Type::Scalar(_)
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
            Type::Scalar(_)
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
        }
        for d in &expected.ret.dims {
            self.sizes.insert(*d, None);
        }
        let depth = self.inner.len();
        self.inner.extend(&given.ret.dims);
        self.partly_owned = matches!(given.ret.ty, Type::Record(_)) && has_unique(&given.ret.ty);
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

    /// What a size is, as far as chosen; none if it may still be chosen.
    fn size_of(&self, s: &Size) -> Option<Size> {
        let mut s = s.clone();
        // Chains are as long as arrows are nested; a circle cannot arise, since a name is
        // chosen once and never for itself.
        while let Size::Var(n) = s {
            match self.sizes.get(&n) {
                Some(Some(next)) => s = next.clone(),
                Some(None) => return None,
                None => return Some(Size::Var(n)),
            }
        }
        Some(s)
    }

    /// The name at the end of the chain, if it may still be chosen.
    fn open_name(&self, s: &Size) -> Option<Name> {
        let mut s = s.clone();
        while let Size::Var(n) = s {
            match self.sizes.get(&n) {
                Some(Some(next)) => s = next.clone(),
                Some(None) => return Some(n),
                None => return None,
            }
        }
        None
    }

    fn size(&mut self, given: &Size, expected: &Size) -> Result<(), String> {
        match (self.open_name(given), self.open_name(expected)) {
            (Some(g), Some(e)) if g == e => Ok(()),
            (Some(g), _) if self.may_be(g, expected) => {
                self.sizes.insert(g, Some(expected.clone()));
                Ok(())
            }
            (None, Some(e)) if self.may_be(e, given) => {
                self.sizes.insert(e, Some(given.clone()));
                Ok(())
            }
            (Some(_), _) | (None, Some(_)) => Err(self.sizes_differ(given, expected)),
            (None, None) => {
                let (g, e) = match (self.size_of(given), self.size_of(expected)) {
                    (Some(g), Some(e)) => (g, e),
                    _ => return Ok(()),
                };
                let same = match (&g, &e) {
                    (Size::Const(a), Size::Const(b)) => a == b,
                    (Size::Var(a), Size::Var(b)) => a == b,
                    (Size::Exp(a), Size::Exp(b)) => self.exp(a, b),
                    (Size::Any, _) | (_, Size::Any) => true,
                    (Size::Const(_) | Size::Var(_) | Size::Exp(_), _) => false,
                };
                if same {
                    return Ok(());
                }
                Err(self.sizes_differ(&g, &e))
            }
        }
    }

    /// A size parameter is chosen once, so it cannot be what each call of a function brings anew.
    fn may_be(&self, n: Name, s: &Size) -> bool {
        let mut used = rustc_hash::FxHashSet::default();
        mentioned_size(s, &mut used);
        !self.params.contains(&n) || !self.inner.iter().any(|d| used.contains(d))
    }

    fn sizes_differ(&self, given: &Size, expected: &Size) -> String {
        let show = self.ctx.show();
        format!("Sizes \"{}\" and \"{}\" do not match.", show.size(expected), show.size(given))
    }

    /// Whether two size expressions are written the same, up to choices.
    fn exp(&mut self, a: &Exp, b: &Exp) -> bool {
        same_exp(a, b, &mut |x, y| self.size(&exp_size(x.clone()), &exp_size(y.clone())).is_ok())
    }

    fn differ(&self, given: &Type, expected: &Type) -> String {
        let show = self.ctx.show();
        format!("Types\n  {}\nand\n  {}\ndo not match.", show.ty(expected), show.ty(given))
    }
}

/// Whether a value of the type owns some part of itself.
fn has_unique(t: &Type) -> bool {
    match t {
        Type::Array(u, ..) | Type::Var(u, ..) => *u == Uniq::Unique,
        Type::Record(fs) => fs.iter().any(|(_, t)| has_unique(t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(has_unique),
        Type::Scalar(_) | Type::Arrow(_) | Type::Meta(_) | Type::Error => false,
    }
}

fn same_names<T>(a: &[(Symbol, T)], b: &[(Symbol, T)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((x, _), (y, _))| x == y)
}
