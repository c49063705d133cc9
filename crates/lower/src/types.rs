//! Surface types to run-time types, and how values are laid out flat.
//!
//! The leaves of a value, in order: a scalar is one leaf; a record's fields
//! follow each other; a sum is its tag and its slots (`sums.rs`); an array is
//! the leaves of its element, each with one more dimension.

use crate::code::Res;
use crate::lowerer::Lowerer;
use crate::sums::SumLayout;
use crate::value::{Binding, Dim, Env, Fun, InstArg, Ty, TypeBinding, Value};
use fehu_base::intrinsic::Intrinsic;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_check::tast::Pat;
use fehu_check::types::{Size, TParam, Type, TypeArg, TypeDef, Uniq};
use fehu_ir::{SubExp, Type as CoreType};
use std::rc::Rc;

impl<'a> Lowerer<'a> {
    /// The run-time type of a type, as far as the environment knows its sizes.
    pub(crate) fn ty(&mut self, t: &'a Type) -> Res<Ty> {
        Ok(match t {
            Type::Scalar(s, _) => Ty::Scalar(*s),
            Type::Array(_, size, elem) => {
                let d = self.dim(size)?;
                Ty::Array(d, Rc::new(self.ty(elem)?))
            }
            Type::Record(fields) => {
                let fields: Res<Vec<_>> = fields.iter().map(|(f, t)| Ok((*f, self.ty(t)?))).collect();
                Ty::Record(Rc::new(fields?))
            }
            Type::Sum(constrs) => {
                let mut out = vec![];
                for (c, ts) in constrs.iter() {
                    let ts: Res<Vec<_>> = ts.iter().map(|t| self.ty(t)).collect();
                    out.push((*c, ts?));
                }
                Ty::Sum(Rc::new(out))
            }
            Type::Arrow(_) => Ty::Fun,
            Type::Var(_, name, args) => self.named_type(*name, args)?,
            // Nothing says what it is, so nothing looks at it: the elements of an array that is always
            // empty, for instance.
            Type::Meta(_) => Ty::Record(Rc::new(vec![])),
            Type::Error => fehu_base::bug!("unresolved type after checking"),
        })
    }

    fn named_type(&mut self, name: Name, args: &'a [TypeArg]) -> Res<Ty> {
        match self.env.get(name).cloned() {
            Some(Binding::Type(TypeBinding::Ty(t))) => Ok(t),
            Some(Binding::Type(TypeBinding::Def(def, env))) => {
                let inst = self.inst(args)?;
                let mut env = env;
                bind_tparams(&mut env, &def.tparams, &inst);
                for d in &def.def.dims {
                    env.insert(*d, Binding::UnknownSize);
                }
                self.in_env(env, |l| l.ty(&def.def.ty))
            }
            Some(Binding::Value(_) | Binding::UnknownSize | Binding::Global(_) | Binding::Alias(_))
            | Some(Binding::Functor(..))
            | None => {
                if self.program.intrinsics.get(&name) == Some(&Intrinsic::Acc) {
                    // Its real type is known from the accumulator value itself.
                    return Ok(Ty::Fun);
                }
                fehu_base::bug!("type {} is not in scope", self.program.names.show(name))
            }
        }
    }

    /// The run-time size of a size; evaluates size expressions.
    pub(crate) fn dim(&mut self, size: &'a Size) -> Res<Dim> {
        match size {
            Size::Const(n) => Ok(Dim::Known(SubExp::i64(*n))),
            Size::Var(name) => match self.env.get(*name).cloned() {
                Some(Binding::Value(v)) => Ok(Dim::Known(self.code.scalar(v)?)),
                Some(Binding::Global(_) | Binding::Alias(_)) => {
                    let v = self.var(*name, vec![])?;
                    Ok(Dim::Known(self.code.scalar(v)?))
                }
                Some(Binding::UnknownSize | Binding::Type(_) | Binding::Functor(..)) | None => {
                    Ok(Dim::Unknown)
                }
            },
            Size::Exp(e) => {
                if self.mentions_unknown(e) {
                    return Ok(Dim::Unknown);
                }
                let v = self.exp(e)?;
                Ok(Dim::Known(self.code.scalar(v)?))
            }
            Size::Any => Ok(Dim::Unknown),
        }
    }

    /// Arguments of an instantiation, in the current environment.
    pub(crate) fn inst(&mut self, args: &'a [TypeArg]) -> Res<Vec<InstArg<'a>>> {
        args.iter()
            .map(|a| {
                Ok(match a {
                    TypeArg::Size(s) => InstArg::Size(self.dim(s)?),
                    TypeArg::Type(t) => InstArg::Type(self.type_arg(t)?),
                })
            })
            .collect()
    }

    /// Arguments of the instantiation of a variable. Sizes that the function will learn from its arguments
    /// are not computed: in `a ++ b ++ c ++ d`, that of each left side has as many terms as there are arrays
    /// in it, so all together would have the square of their number.
    pub(crate) fn inst_of(&mut self, name: Name, args: &'a [TypeArg]) -> Res<Vec<InstArg<'a>>> {
        let computed = args.iter().any(|a| matches!(a, TypeArg::Size(Size::Exp(_))));
        let inferred = if computed { inferred_sizes(name, &self.env) } else { vec![] };
        let mut out = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            match arg {
                TypeArg::Size(Size::Exp(_)) if inferred.get(i) == Some(&true) => {
                    out.push(InstArg::Size(Dim::Unknown));
                }
                TypeArg::Size(_) | TypeArg::Type(_) => out.extend(self.inst(std::slice::from_ref(arg))?),
            }
        }
        Ok(out)
    }

    /// A type argument may itself be a parametric type without arguments, passed to a functor.
    fn type_arg(&mut self, t: &'a Type) -> Res<TypeBinding<'a>> {
        if let Type::Var(_, name, args) = t {
            if let (Some(Binding::Type(b)), true) = (self.env.get(*name), args.is_empty()) {
                return Ok(b.clone());
            }
        }
        Ok(TypeBinding::Ty(self.ty(t)?))
    }
}

/// For each size and type parameter of a function, whether it is a size that stands as the outermost one in the type of
/// a parameter, so that [`learn`] binds it.
fn inferred_sizes(name: Name, env: &Env<'_>) -> Vec<bool> {
    match env.get(name) {
        Some(Binding::Global(g)) => outermost_sizes(&g.bind.tparams, &g.bind.params),
        Some(Binding::Value(Value::Fun(f))) => match &**f {
            Fun::Closure { tparams, params, .. } => outermost_sizes(tparams, params),
            Fun::Intrinsic { .. }
            | Fun::Partial { .. }
            | Fun::Checked { .. }
            | Fun::Hole { .. }
            | Fun::Recursive { .. } => vec![],
        },
        // What stands for the parameters of the target decides.
        Some(Binding::Alias(a)) => {
            let target = inferred_sizes(a.alias.target, &a.env);
            let is_inferred = |p: &TParam| {
                let mut uses = a.alias.inst.iter().enumerate().filter_map(|(i, arg)| match arg {
                    TypeArg::Size(Size::Var(n)) if *n == p.name() => Some(target.get(i) == Some(&true)),
                    TypeArg::Size(Size::Var(_) | Size::Const(_)) => None,
                    TypeArg::Type(Type::Var(_, _, args)) if args.is_empty() => None,
                    // It may be used in there.
                    TypeArg::Size(Size::Exp(_) | Size::Any) | TypeArg::Type(_) => Some(false),
                });
                matches!(p, TParam::Size(_)) && uses.all(|inferred| inferred)
            };
            a.alias.scheme.tparams.iter().map(is_inferred).collect()
        }
        Some(
            Binding::Value(Value::Data(_) | Value::Record(_) | Value::Constr(..))
            | Binding::UnknownSize
            | Binding::Type(_)
            | Binding::Functor(..),
        )
        | None => vec![],
    }
}

/// See [`inferred_sizes`].
fn outermost_sizes(tparams: &[TParam], params: &[Pat]) -> Vec<bool> {
    let stands = |n: Name| params.iter().any(|p| matches!(&p.ty, Type::Array(_, Size::Var(m), _) if *m == n));
    tparams.iter().map(|p| matches!(p, TParam::Size(n) if stands(*n))).collect()
}

/// Learns sizes and types from a value: walks a type and what it is at run time side by side, and
/// binds those of the given names that stand in the type. Types inferred replace what
/// an instantiation said, for they know all sizes.
pub(crate) fn learn<'a>(env: &mut Env<'a>, names: &[Name], t: &'a Type, ty: &Ty) {
    match (t, ty) {
        (Type::Array(_, size, elem), Ty::Array(d, e)) => {
            if let (Size::Var(n), Dim::Known(v)) = (size, d) {
                if names.contains(n) {
                    env.insert(*n, Binding::Value(Value::i64(*v)));
                }
            }
            learn(env, names, elem, e);
        }
        (Type::Record(fs), Ty::Record(tys)) => {
            for ((_, f), (_, ty)) in fs.iter().zip(tys.iter()) {
                learn(env, names, f, ty);
            }
        }
        (Type::Sum(cs), Ty::Sum(tys)) => {
            for ((_, ts), (_, tys)) in cs.iter().zip(tys.iter()) {
                for (t, ty) in ts.iter().zip(tys) {
                    learn(env, names, t, ty);
                }
            }
        }
        (Type::Var(_, name, args), ty) => {
            if names.contains(name) && args.is_empty() {
                env.insert(*name, Binding::Type(TypeBinding::Ty(ty.clone())));
            } else if let Some(Binding::Type(TypeBinding::Def(def, inner))) = env.get(*name).cloned() {
                learn_through(env, names, def, inner, args, ty);
            }
        }
        (Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error, _)
        | (Type::Array(..) | Type::Record(_) | Type::Sum(_), _) => {}
    }
}

/// Learns the arguments of a parametric type from what its definition is at run time, in the environment that
/// it was made in.
fn learn_through<'a>(
    env: &mut Env<'a>,
    names: &[Name],
    def: &'a TypeDef,
    mut inner: Env<'a>,
    args: &'a [TypeArg],
    ty: &Ty,
) {
    let params: Vec<Name> = def.tparams.iter().map(|p| p.name()).collect();
    learn(&mut inner, &params, &def.def.ty, ty);
    for (arg, found) in args.iter().zip(params.iter().map(|n| inner.get(*n).cloned())) {
        match (arg, found) {
            (TypeArg::Size(Size::Var(n)), Some(b @ Binding::Value(_))) if names.contains(n) => {
                env.insert(*n, b);
            }
            (TypeArg::Type(t), Some(Binding::Type(TypeBinding::Ty(ty)))) => learn(env, names, t, &ty),
            (TypeArg::Size(_) | TypeArg::Type(_), _) => {}
        }
    }
}

/// [`learn`] from a value that may contain functions.
pub(crate) fn learn_value<'a>(env: &mut Env<'a>, names: &[Name], t: &'a Type, v: &Value<'a>) {
    match v {
        Value::Data(d) => learn(env, names, t, &d.ty.clone()),
        Value::Record(fields) => {
            if let Type::Record(ts) = t {
                for ((_, t), (_, v)) in ts.iter().zip(fields.iter()) {
                    learn_value(env, names, t, v);
                }
            }
        }
        Value::Constr(c, args) => {
            if let Type::Sum(constrs) = t {
                let payload = constrs.iter().find(|(n, _)| n == c).into_iter().flat_map(|(_, ts)| ts);
                payload.zip(args.iter()).for_each(|(t, v)| learn_value(env, names, t, v));
            }
        }
        Value::Fun(_) => {}
    }
}

/// Binds size and type parameters to the arguments of an instantiation. Parameters without an argument
/// are unknown until inferred from values.
pub(crate) fn bind_tparams<'a>(env: &mut Env<'a>, tparams: &[TParam], inst: &[InstArg<'a>]) {
    for (i, p) in tparams.iter().enumerate() {
        match (p, inst.get(i)) {
            (TParam::Size(n), Some(InstArg::Size(Dim::Known(e)))) => {
                env.insert(*n, Binding::Value(Value::i64(*e)));
            }
            (TParam::Type(_, n), Some(InstArg::Type(t))) => env.insert(*n, Binding::Type(t.clone())),
            (p, _) => env.insert(p.name(), Binding::UnknownSize),
        }
    }
}

/// Which leaves of a value of the given type are unique.
pub(crate) fn unique_leaves(t: &Type, ty: &Ty) -> Vec<bool> {
    match (t, ty) {
        (Type::Record(fs), Ty::Record(tys)) => {
            fs.iter().zip(tys.iter()).flat_map(|((_, t), (_, ty))| unique_leaves(t, ty)).collect()
        }
        (Type::Array(Uniq::Unique, _, _) | Type::Var(Uniq::Unique, _, _), _) => {
            vec![true; ty.leaf_count()]
        }
        (Type::Sum(cs), _) => {
            let unique = cs.iter().any(|(_, ts)| ts.iter().any(is_unique));
            vec![unique; ty.leaf_count()]
        }
        (
            Type::Scalar(..)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Arrow(_)
            | Type::Var(..)
            | Type::Meta(_)
            | Type::Error,
            _,
        ) => vec![false; ty.leaf_count()],
    }
}

fn is_unique(t: &Type) -> bool {
    match t {
        Type::Array(u, _, _) | Type::Var(u, _, _) => *u == Uniq::Unique,
        Type::Record(fs) => fs.iter().any(|(_, t)| is_unique(t)),
        Type::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(is_unique)),
        Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error => false,
    }
}

impl Ty {
    /// The core types of the leaves. Sizes that nothing determines count as 0: no element is ever there.
    pub(crate) fn leaves(&self) -> Vec<CoreType> {
        let mut out = vec![];
        self.push_leaves(&mut out);
        out
    }

    fn push_leaves(&self, out: &mut Vec<CoreType>) {
        match self {
            Ty::Scalar(s) => out.push(CoreType::Prim(s.prim())),
            Ty::Array(d, elem) => {
                let d = d.operand();
                out.extend(elem.leaves().iter().map(|t| t.array_of(&[d])));
            }
            Ty::Record(fields) => fields.iter().for_each(|(_, t)| t.push_leaves(out)),
            Ty::Sum(constrs) => {
                out.push(CoreType::Prim(PrimType::I8));
                out.extend(SumLayout::new(constrs).slots);
            }
            Ty::Acc(token, shape, elem) => out.push(CoreType::Acc(*token, shape.clone(), elem.leaves())),
            // Known to the compiler alone: there is nothing at run time.
            Ty::Fun => {}
        }
    }

    /// How many leaves.
    pub(crate) fn leaf_count(&self) -> usize {
        match self {
            Ty::Scalar(_) | Ty::Acc(..) => 1,
            Ty::Array(_, elem) => elem.leaf_count(),
            Ty::Record(fields) => fields.iter().map(|(_, t)| t.leaf_count()).sum(),
            Ty::Sum(constrs) => 1 + SumLayout::new(constrs).slots.len(),
            Ty::Fun => 0,
        }
    }

    /// The type with each size replaced.
    pub(crate) fn map_dims(&self, f: &mut impl FnMut(Dim) -> Dim) -> Ty {
        match self {
            Ty::Scalar(_) | Ty::Fun | Ty::Acc(..) => self.clone(),
            Ty::Array(d, e) => {
                let d = f(*d);
                Ty::Array(d, Rc::new(e.map_dims(f)))
            }
            Ty::Record(fs) => Ty::Record(Rc::new(fs.iter().map(|(n, t)| (*n, t.map_dims(f))).collect())),
            Ty::Sum(cs) => Ty::Sum(Rc::new(
                cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| t.map_dims(f)).collect())).collect(),
            )),
        }
    }

    /// All sizes, in the order in which [`Ty::map_dims`] visits them.
    pub(crate) fn dims(&self) -> Vec<Dim> {
        let mut out = vec![];
        self.map_dims(&mut |d| {
            out.push(d);
            d
        });
        out
    }

    /// Whether there is a function in it.
    pub(crate) fn has_function(&self) -> bool {
        match self {
            Ty::Fun => true,
            Ty::Scalar(_) | Ty::Acc(..) => false,
            Ty::Array(_, e) => e.has_function(),
            Ty::Record(fs) => fs.iter().any(|(_, t)| t.has_function()),
            Ty::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(Ty::has_function)),
        }
    }

    /// An array of this.
    pub(crate) fn array(self, n: SubExp) -> Ty {
        Ty::Array(Dim::Known(n), Rc::new(self))
    }

    /// The element type and size of an array.
    pub(crate) fn elem(&self) -> Option<(SubExp, &Ty)> {
        match self {
            Ty::Array(d, e) => Some((d.operand(), e)),
            Ty::Scalar(_) | Ty::Record(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => None,
        }
    }
}

impl Dim {
    /// The operand; a size that nothing determines counts as 0.
    pub(crate) fn operand(self) -> SubExp {
        match self {
            Dim::Known(e) => e,
            Dim::Unknown => SubExp::i64(0),
        }
    }
}
