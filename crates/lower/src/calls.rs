//! Core functions and calls of them.
//!
//! Small functions are evaluated where they are applied. A top-level function
//! becomes a core function when it is recursive, when it asks for it
//! (`#[noinline]`), or when it is large: its text, or what it became where it was
//! evaluated before, for text can double with every definition:
//!
//! ```text
//! def f1 x = f0 (f0 x)
//! def f2 x = f1 (f1 x)      -- four copies of f0, and so on
//! ```
//!
//! There is one core function for each shape of its arguments. Functions of functions are always
//! evaluated where they are applied, so there is a limit to what they may become.
//! A core function takes the sizes of its arguments, its size parameters that these do not show
//! (`s` of `def f [s][t] (k: [s*t]i64) (q: [t]i64)`, of which only the product is a size), then the
//! leaves of its arguments; it returns the sizes of its result that are not known before, then
//! the leaves.

use crate::attributes::core_attr;
use crate::call_table::{CallTable, Signature};
use crate::code::{Code, Res};
use crate::lowerer::Lowerer;
use crate::sizes::Origin;
use crate::types::unique_leaves;
use crate::value::{Binding, Data, Dim, Env, Fun, Global, InstArg, Ty, Value};
use fehu_base::{Diagnostic, Name};
use fehu_check::tast::{self, Program, ValBind};
use fehu_check::types::{Size, TParam, Type as SurfaceType};
use fehu_check::visit;
use fehu_ir::free::free_in_body;
use fehu_ir::subst::Subst;
use fehu_ir::visit::map_bodies;
use fehu_ir::{Attr, Body, Exp, ExtSize, FunDef, FunRet, Loc, Param, RetType, Soacs, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Above this many nodes, a function of data to data is called rather than copied.
const LARGE: usize = 60;

/// Such a function is also called if evaluating it made more names than this.
const LARGE_MADE: usize = 2_000;

/// The same for functions of scalars alone, of which copies are longer, but know no more than one.
const LARGE_MADE_OF_SCALARS: usize = 100;

/// How many functions may be evaluated where they are applied.
const MAX_APPLICATIONS: usize = 4_000_000;

/// Whether an application becomes a call.
pub(crate) fn should_call<'a>(cx: &mut Lowerer<'a>, bind: &'a ValBind, args: &[Value<'a>]) -> bool {
    let data = args.iter().all(|a| match a {
        Value::Data(d) => !has_acc(&d.ty),
        Value::Record(_) | Value::Constr(..) | Value::Fun(_) => false,
    });
    if !data || bind.tparams.iter().any(|p| matches!(p, TParam::Type(..)) && !bind.recursive) {
        return bind.recursive;
    }
    let scalars = cx.calls.returns_scalars.contains(&bind.name) && args.iter().all(is_of_scalars);
    if is_function_type(&bind.ret.ty) && !scalars {
        return false;
    }
    let asked = bind.attrs.iter().any(|a| matches!(core_attr(a), Attr::Atom(s) if s.as_str() == "noinline"));
    let made = cx.calls.made_names.get(&bind.name).copied().unwrap_or(0);
    let large = if scalars { LARGE_MADE_OF_SCALARS } else { LARGE_MADE };
    asked || bind.recursive || made > large || size_of(&mut cx.calls, bind) > LARGE
}

/// Evaluates a top-level function where it is applied, and remembers how much came of it.
pub(crate) fn measured<'a>(
    cx: &mut Lowerer<'a>,
    bind: &ValBind,
    f: impl FnOnce(&mut Lowerer<'a>) -> Res<Value<'a>>,
) -> Res<Value<'a>> {
    let outer = cx.calls.outermost;
    let place = cx.code.place();
    cx.calls.outermost = outer.or(Some((bind.name, place)));
    let before = names_made(cx);
    let result = f(cx);
    cx.calls.made_names.insert(bind.name, names_made(cx) - before);
    if result.as_ref().is_ok_and(is_of_scalars) {
        cx.calls.returns_scalars.insert(bind.name);
    }
    cx.calls.outermost = outer;
    result
}

/// Whether a value is made of scalars alone.
fn is_of_scalars(value: &Value<'_>) -> bool {
    match value {
        Value::Data(d) => d.ty.leaves().iter().all(|t| matches!(t, Type::Prim(_))),
        Value::Record(_) | Value::Constr(..) | Value::Fun(_) => false,
    }
}

/// How many names were made outside of core functions.
fn names_made(cx: &Lowerer<'_>) -> usize {
    cx.code.b.names.len() - cx.calls.names_in_functions
}

/// Ends what would take more time and memory than any machine has.
pub(crate) fn count_application(cx: &mut Lowerer<'_>) -> Res<()> {
    cx.calls.applications += 1;
    if cx.calls.applications <= MAX_APPLICATIONS {
        return Ok(());
    }
    let (what, span) = match cx.calls.outermost {
        Some((f, span)) => (format!("\"{}\"", cx.program.names.base(f)), span),
        None => ("this program".to_owned(), cx.code.b.loc.span),
    };
    let text = format!("Evaluating {what} applies more than {MAX_APPLICATIONS} functions while compiling.");
    let d = Diagnostic::error(span, text)
        .note("functions that take or return functions, and polymorphic ones, are copied wherever they are applied")
        .help("apply a function often by a loop, or give it a type without functions and type parameters");
    Err(Box::new(d))
}

fn size_of(calls: &mut CallTable, bind: &ValBind) -> usize {
    if let Some(n) = calls.sizes.get(&bind.name) {
        return *n;
    }
    let mut n = 0;
    count(&bind.body, &mut n);
    calls.sizes.insert(bind.name, n);
    n
}

/// Applies a top-level function by a call.
pub(crate) fn call_global<'a>(
    cx: &mut Lowerer<'a>,
    g: &Rc<Global<'a>>,
    env: Env<'a>,
    args: Vec<Value<'a>>,
) -> Res<Value<'a>> {
    let mut key = String::new();
    for a in &args {
        match a {
            Value::Data(d) => key.push_str(&format!("{:?};", erased(&d.ty))),
            // The function is part of the code: a function of its own for each application.
            Value::Fun(_) => key.push_str(&format!("fun {};", cx.code.b.names.len())),
            Value::Record(_) | Value::Constr(..) => {
                return Err(cx.code.unsupported("a recursive function of data with functions in them"));
            }
        }
    }
    let key = (g.id, key);
    let inst: Vec<Option<SubExp>> = g.bind.tparams.iter().map(|p| bound_size(&env, p.name())).collect();
    let sig = match cx.calls.made.get(&key) {
        Some(sig) => sig.clone(),
        None => make_function(cx, g.bind, env, &args, key)?,
    };
    call(&mut cx.code, &sig, &inst, args)
}

/// The size that a size parameter stands for, if an instantiation said it.
fn bound_size(env: &Env<'_>, param: Name) -> Option<SubExp> {
    match env.get(param) {
        Some(Binding::Value(Value::Data(d))) => d.leaves.first().copied(),
        _ => None,
    }
}

/// Calls the core function that is being made, from its own body.
pub(crate) fn call_recursive<'a>(
    code: &mut Code,
    sig: &Rc<Signature>,
    inst: &[InstArg<'a>],
    args: Vec<Value<'a>>,
) -> Res<Value<'a>> {
    let mut sizes: Vec<Option<SubExp>> = inst
        .iter()
        .map(|a| match a {
            InstArg::Size(Dim::Known(e)) => Some(*e),
            InstArg::Size(Dim::Unknown) | InstArg::Type(_) => None,
        })
        .collect();
    for (i, core) in &sig.hidden {
        sizes.resize(sizes.len().max(i + 1), None);
        sizes[*i] = sizes[*i].or(Some((*core).into()));
    }
    call(code, sig, &sizes, args)
}

/// Calls a core function, whose size and type parameters stand for `inst`.
fn call<'a>(
    code: &mut Code,
    sig: &Rc<Signature>,
    inst: &[Option<SubExp>],
    args: Vec<Value<'a>>,
) -> Res<Value<'a>> {
    let mut actual: FxHashMap<Name, SubExp> = FxHashMap::default();
    for (i, core) in &sig.hidden {
        actual.extend(inst.get(*i).copied().flatten().map(|e| (*core, e)));
    }
    let mut leaf_args = vec![];
    for (ty, a) in sig.params.iter().zip(args) {
        // A function argument was there when the function was made, and never changes.
        let Value::Data(d) = a else { continue };
        code.check_hidden(&d.ty, |_| true);
        for (p, x) in ty.dims().into_iter().zip(d.ty.dims()) {
            if let Dim::Known(SubExp::Var(n)) = p {
                actual.insert(n, x.operand());
            }
        }
        leaf_args.extend(d.leaves);
    }
    let mut all: Vec<SubExp> =
        sig.sizes.iter().map(|n| actual.get(n).copied().unwrap_or(SubExp::i64(0))).collect();
    for (n, x) in sig.leaves.iter().zip(&leaf_args) {
        actual.insert(*n, *x);
    }
    all.extend(leaf_args);
    all.extend(sig.captured.borrow().iter().map(|n| SubExp::Var(*n)));
    let mut pat = vec![];
    let ty = sig.result.map_dims(&mut |d| match d {
        Dim::Unknown => {
            let n = code.b.fresh("n", Type::I64);
            pat.push((n, Type::I64));
            Dim::Known(n.into())
        }
        Dim::Known(SubExp::Var(n)) => Dim::Known(actual.get(&n).copied().unwrap_or(n.into())),
        Dim::Known(SubExp::Const(_)) => d,
    });
    let mut leaves = vec![];
    for t in ty.leaves() {
        let n = code.b.fresh("t", t.clone());
        leaves.push(n.into());
        pat.push((n, t));
    }
    let sizes: Vec<Name> = pat.iter().filter(|(_, t)| *t == Type::I64).map(|(n, _)| *n).collect();
    code.b.bind_names(pat, Exp::Call(sig.fun, all));
    code.check_shapes(&ty, |n| sizes.contains(&n).then_some(Origin::CheckedInShape));
    Ok(Value::Data(Data { ty, leaves }))
}

fn make_function<'a>(
    cx: &mut Lowerer<'a>,
    bind: &'a ValBind,
    mut env: Env<'a>,
    args: &[Value<'a>],
    key: (usize, String),
) -> Res<Rc<Signature>> {
    cx.outside(|l| {
        let before = names_made(l);
        let result = build_function(l, bind, &mut env, args, key);
        l.calls.names_in_functions += names_made(l) - before;
        result
    })
}

fn build_function<'a>(
    cx: &mut Lowerer<'a>,
    bind: &'a ValBind,
    env: &mut Env<'a>,
    args: &[Value<'a>],
    key: (usize, String),
) -> Res<Rc<Signature>> {
    let fun = cx.code.b.names.fresh(cx.program.names.base(bind.name));
    let faces: Vec<ParamFace<'_>> = bind.params.iter().map(|p| param_face(cx.program, p)).collect();
    let types: Vec<Ty> = args
        .iter()
        .map(|a| match a {
            Value::Data(d) => d.ty.clone(),
            Value::Record(_) | Value::Constr(..) | Value::Fun(_) => Ty::Fun,
        })
        .collect();
    let params = function_params(cx, &bind.tparams, &faces, &types);
    let Params { mut sizes, values, mut core, sig_types, named } = params;
    let hidden = hidden_sizes(cx, &bind.tparams, &named);
    for (i, size) in &hidden {
        core.insert(sizes.len(), Param { name: *size, ty: Type::I64, dec: (), consumed: false });
        sizes.push(*size);
        env.insert(bind.tparams[*i].name(), Binding::Value(Value::i64((*size).into())));
    }
    let inside: Vec<Value<'a>> = values
        .iter()
        .zip(args)
        .map(|(d, a)| match a {
            Value::Data(_) => Value::Data(d.clone()),
            Value::Record(_) | Value::Constr(..) | Value::Fun(_) => a.clone(),
        })
        .collect();
    // The declared result, with sizes that are parameters or constants; the rest are unknown.
    let declared = cx.in_env(env.clone(), |l| {
        l.code.b.begin();
        l.bind_params(&bind.tparams, &bind.params, inside.clone());
        for d in &bind.ret.dims {
            l.env.insert(*d, Binding::UnknownSize);
        }
        let ty = l.ty(&bind.ret.ty);
        l.code.b.end(vec![]);
        ty
    })?;
    let leaf_names: Vec<Name> = values.iter().flat_map(|d| &d.leaves).filter_map(|e| e.name()).collect();
    let known = |e: SubExp| match e {
        SubExp::Const(_) => true,
        SubExp::Var(n) => sizes.contains(&n) || leaf_names.contains(&n),
    };
    let result = declared.map_dims(&mut |d| match d {
        Dim::Known(e) if known(e) => d,
        Dim::Known(_) | Dim::Unknown => Dim::Unknown,
    });
    let sig = Rc::new(Signature {
        fun,
        arity: bind.params.len(),
        params: sig_types,
        sizes: sizes.clone(),
        hidden,
        leaves: leaf_names,
        result: result.clone(),
        captured: RefCell::default(),
    });
    cx.calls.made.insert(key, sig.clone());
    if bind.recursive {
        env.insert(
            bind.name,
            Binding::Value(Value::Fun(Rc::new(Fun::Recursive { sig: sig.clone(), inst: vec![] }))),
        );
    }
    cx.code.b.begin();
    let value: Res<Data> = cx.in_env(env.clone(), |l| {
        for v in &values {
            l.code.check_shapes(&v.ty, |n| sizes.contains(&n).then_some(Origin::CheckedInShape));
        }
        l.bind_params(&bind.tparams, &bind.params, inside);
        let v = l.exp(&bind.body)?;
        let d = l.code.data(v)?;
        // Who calls relies on sizes that are results.
        let returned = |(r, x): (Dim, Dim)| (r == Dim::Unknown).then(|| x.operand());
        let returned: Vec<SubExp> = result.dims().into_iter().zip(d.ty.dims()).filter_map(returned).collect();
        l.code.check_hidden(&d.ty, |n| returned.contains(&n.into()));
        Ok(d)
    });
    let mut body = cx.code.b.end(vec![]);
    let d = value?;
    let mut ret = vec![];
    for (r, x) in result.dims().into_iter().zip(d.ty.dims()) {
        if r == Dim::Unknown {
            body.result.push(x.operand());
            ret.push(FunRet { ty: RetType::Prim(fehu_base::prim::PrimType::I64), dec: () });
        }
    }
    body.result.extend(&d.leaves);
    let mut next = 0;
    let marked = result.map_dims(&mut |x| match x {
        Dim::Unknown => {
            next += 1;
            // A stand-in that no parameter can be: replaced below by the position.
            Dim::Known(SubExp::Var(Name(u32::MAX - (next - 1))))
        }
        Dim::Known(_) => x,
    });
    let unique = unique_leaves(&bind.ret.ty, &result);
    for (t, unique) in marked.leaves().into_iter().zip(unique) {
        ret.push(FunRet { ty: ret_type(&t, next, unique), dec: () });
    }
    for (p, u) in core.iter_mut().skip(sizes.len()).zip(param_uniqueness(&faces, &sig.params)) {
        p.consumed = u;
    }
    lift(cx, &sig, &mut core, &mut body);
    cx.funs.push(FunDef {
        name: fun,
        entry: None,
        attrs: bind.attrs.iter().map(core_attr).collect(),
        params: core,
        ret,
        body,
        loc: Loc::at(bind.span),
    });
    Ok(sig)
}

/// Makes parameters of what a function's body uses of the place where it was made. Calls of the
/// function in its own body pass them on.
fn lift(cx: &mut Lowerer<'_>, sig: &Signature, core: &mut Vec<Param<Soacs>>, body: &mut Body<Soacs>) {
    let own: FxHashSet<Name> = core.iter().map(|p| p.name).collect();
    let mut free: Vec<Name> = free_in_body(body).into_iter().filter(|n| !own.contains(n)).collect();
    if free.is_empty() {
        return;
    }
    let consts: FxHashSet<Name> = cx.const_body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
    let functions: FxHashSet<Name> =
        cx.funs.iter().map(|f| f.name).chain(cx.calls.made.values().map(|s| s.fun)).collect();
    free.retain(|n| !consts.contains(n) && !functions.contains(n));
    if free.is_empty() {
        return;
    }
    // Sizes first: the types of the others mention them.
    free.sort_by_key(|n| cx.code.b.types.get(n).is_some_and(Type::is_array));
    pass_on(body, sig.fun, &free);
    let mut subst = Subst::new();
    for n in &free {
        let name = cx.code.b.names.fresh_like(*n);
        subst.insert(*n, name);
        let mut ty = cx.code.b.type_of((*n).into());
        subst.ty(&mut ty);
        cx.code.b.types.insert(name, ty.clone());
        core.push(Param { name, ty, dec: (), consumed: false });
    }
    subst.body(body);
    sig.captured.replace(free);
}

/// Core parameters for arguments of these types: sizes that the function's type names once are one
/// parameter.
pub(crate) fn function_params(
    cx: &mut Lowerer<'_>,
    tparams: &[TParam],
    faces: &[ParamFace<'_>],
    types: &[Ty],
) -> Params {
    let mut named: FxHashMap<Name, Name> = FxHashMap::default();
    let mut sizes = vec![];
    let mut values = vec![];
    let mut sig_types = vec![];
    for (face, ty) in faces.iter().zip(types) {
        let mut surface = vec![];
        surface_dims(face.ty, &mut surface);
        let all = ty.dims().len();
        let mut i = 0;
        let ty = ty.map_dims(&mut |d| {
            // Where the surface type shows all dimensions, it tells which are the same.
            let size = if surface.len() == all { surface[i] } else { None };
            i += 1;
            match (size, d) {
                (Some(Size::Const(n)), _) => Dim::Known(SubExp::i64(*n)),
                (Some(Size::Var(n)), _) if tparams.iter().any(|t| t.name() == *n) => {
                    let core = *named.entry(*n).or_insert_with(|| {
                        let core = cx.code.b.names.fresh(cx.program.names.base(*n));
                        cx.code.b.types.insert(core, Type::I64);
                        sizes.push(core);
                        core
                    });
                    Dim::Known(core.into())
                }
                (Some(_) | None, _) => {
                    let core = cx.code.b.fresh("n", Type::I64);
                    sizes.push(core);
                    Dim::Known(core.into())
                }
            }
        });
        let leaves = ty.leaves().into_iter().map(|t| cx.code.b.fresh(face.base, t).into()).collect();
        sig_types.push(ty.clone());
        values.push(Data { ty, leaves });
    }
    let mut core: Vec<Param<Soacs>> =
        sizes.iter().map(|n| Param { name: *n, ty: Type::I64, dec: (), consumed: false }).collect();
    for d in &values {
        for leaf in &d.leaves {
            if let SubExp::Var(n) = leaf {
                core.push(Param { name: *n, ty: cx.code.b.type_of(*leaf), dec: (), consumed: false });
            }
        }
    }
    Params { sizes, values, core, sig_types, named }
}

/// The positions of the size parameters that no parameter's type names as one of its sizes, each with a core
/// parameter. Their values differ from call to call, although what is made of the function does not.
fn hidden_sizes(
    cx: &mut Lowerer<'_>,
    tparams: &[TParam],
    named: &FxHashMap<Name, Name>,
) -> Vec<(usize, Name)> {
    let mut hidden = vec![];
    for (i, p) in tparams.iter().enumerate() {
        let TParam::Size(n) = p else { continue };
        if !named.contains_key(n) {
            let core = cx.code.b.names.fresh(cx.program.names.base(*n));
            cx.code.b.types.insert(core, Type::I64);
            hidden.push((i, core));
        }
    }
    hidden
}

/// What a parameter shows.
pub(crate) fn param_face<'a>(program: &Program, p: &'a tast::Pat) -> ParamFace<'a> {
    let base = match &p.kind {
        tast::PatKind::Var(n) => program.names.base(*n).as_str(),
        tast::PatKind::Wildcard
        | tast::PatKind::Record(_)
        | tast::PatKind::Literal(_)
        | tast::PatKind::Constr(..)
        | tast::PatKind::Attr(..) => "p",
    };
    ParamFace { ty: &p.ty, base }
}

/// A parameter's type as written, and what to call it.
pub(crate) struct ParamFace<'t> {
    pub(crate) ty: &'t SurfaceType,
    pub(crate) base: &'static str,
}

/// Core parameters and what they hold.
pub(crate) struct Params {
    pub(crate) sizes: Vec<Name>,
    pub(crate) values: Vec<Data>,
    pub(crate) core: Vec<Param<Soacs>>,
    pub(crate) sig_types: Vec<Ty>,
    /// The core parameters of the size parameters that types of parameters name.
    pub(crate) named: FxHashMap<Name, Name>,
}

/// Adds arguments to all calls of a function.
fn pass_on(body: &mut Body<Soacs>, fun: Name, extra: &[Name]) {
    for stm in &mut body.stms {
        if let Exp::Call(f, args) = &mut stm.exp {
            if *f == fun {
                args.extend(extra.iter().map(|n| SubExp::Var(*n)));
            }
        }
        map_bodies(&mut stm.exp, &mut |b| pass_on(b, fun, extra));
    }
}

/// For each leaf of the parameters, whether it is consumed.
pub(crate) fn param_uniqueness(faces: &[ParamFace<'_>], types: &[Ty]) -> Vec<bool> {
    faces.iter().zip(types).flat_map(|(p, ty)| unique_leaves(p.ty, ty)).collect()
}

/// A core result type from a type in which the names `u32::MAX - k` stand for the `k`-th result.
pub(crate) fn ret_type(t: &Type, ext: u32, unique: bool) -> RetType {
    match t {
        Type::Prim(p) => RetType::Prim(*p),
        Type::Array(elem, shape) => RetType::Array {
            elem: *elem,
            shape: shape
                .iter()
                .map(|e| match e {
                    SubExp::Var(Name(n)) if *n > u32::MAX - ext => ExtSize::Ext((u32::MAX - n) as usize),
                    SubExp::Var(_) | SubExp::Const(_) => ExtSize::Free(*e),
                })
                .collect(),
            unique,
        },
        Type::Acc(..) | Type::Mem(_) => fehu_base::bug!("a function cannot return {t:?}"),
    }
}

/// The type without its sizes: functions are made once for each.
fn erased(ty: &Ty) -> Ty {
    ty.map_dims(&mut |_| Dim::Unknown)
}

fn has_acc(ty: &Ty) -> bool {
    match ty {
        Ty::Acc(..) => true,
        Ty::Scalar(_) | Ty::Fun => false,
        Ty::Array(_, e) => has_acc(e),
        Ty::Record(fs) => fs.iter().any(|(_, t)| has_acc(t)),
        Ty::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(has_acc)),
    }
}

fn is_function_type(t: &SurfaceType) -> bool {
    match t {
        SurfaceType::Arrow(_) => true,
        SurfaceType::Record(fs) => fs.iter().any(|(_, t)| is_function_type(t)),
        // A type variable or abstract type may hide a function, unless it is known what one returned.
        SurfaceType::Var(..) => true,
        SurfaceType::Scalar(..)
        | SurfaceType::Array(..)
        | SurfaceType::Sum(_)
        | SurfaceType::Meta(_)
        | SurfaceType::Error => false,
    }
}

/// The sizes of a type in the order of [`Ty::dims`], if it shows them all.
fn surface_dims<'t>(t: &'t SurfaceType, out: &mut Vec<Option<&'t Size>>) {
    match t {
        SurfaceType::Array(_, s, e) => {
            out.push(Some(s));
            surface_dims(e, out);
        }
        SurfaceType::Record(fs) => fs.iter().for_each(|(_, t)| surface_dims(t, out)),
        SurfaceType::Sum(cs) => cs.iter().for_each(|(_, ts)| ts.iter().for_each(|t| surface_dims(t, out))),
        SurfaceType::Scalar(..)
        | SurfaceType::Arrow(_)
        | SurfaceType::Var(..)
        | SurfaceType::Meta(_)
        | SurfaceType::Error => {}
    }
}

/// Counts nodes, up to a bound that is all we need to know.
fn count(e: &tast::Exp, n: &mut usize) {
    *n += 1;
    if *n <= LARGE {
        visit::children(e, &mut |c| count(c, n));
    }
}
