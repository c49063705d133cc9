//! Loops. Sizes that may change from one iteration to the next are loop
//! parameters of their own, before the values.

use crate::attributes::core_attr;
use crate::code::{Code, Emit, Res};
use crate::lowerer::Lowerer;
use crate::patterns;
use crate::sizes::Origin;
use crate::types::{self, unique_leaves};
use crate::value::{Binding, Data, Dim, Ty, Value};
use fehu_base::prim::{IntType, PrimType, ScalarType};
use fehu_base::{Name, Symbol};
use fehu_check::tast::{self, PatKind};
use fehu_ir::{Attr, Basic, Body, Exp, Loop, LoopForm, Param, Purpose, SubExp, Type};

/// Whether an attribute is about a loop, and not about what is in it.
fn is_of_loops(attr: &Attr) -> bool {
    match attr {
        Attr::Atom(name) | Attr::Comp(name, _) => {
            matches!(name.as_str(), "unroll" | "stripmine" | "tape_memory" | "bound" | "true_dep")
        }
        Attr::Int(_) => false,
    }
}

/// `loop p = init form do body`.
pub(crate) fn lower_loop<'a>(cx: &mut Lowerer<'a>, lp: &'a tast::Loop) -> Res<Value<'a>> {
    let attrs = std::mem::take(&mut cx.code.b.attrs);
    let (mut own, others): (Vec<Attr>, Vec<Attr>) = attrs.iter().cloned().partition(is_of_loops);
    if is_true_dep(&lp.pat) {
        own.push(Attr::Atom(Symbol::new("true_dep")));
    }
    cx.code.b.attrs = others;
    let lowered = loop_with(cx, lp, own);
    cx.code.b.attrs = attrs;
    lowered
}

/// Whether a pattern says of all its arrays that no element is overwritten after it was read (`#[true_dep]`): then it
/// is an attribute of the loop, as parameters of the core have none.
fn is_true_dep(pat: &tast::Pat) -> bool {
    fn of_arrays(pat: &tast::Pat, said: bool, any: &mut bool) -> bool {
        match &pat.kind {
            PatKind::Attr(attr, p) => {
                let here = core_attr(attr) == Attr::Atom(Symbol::new("true_dep"));
                *any |= here;
                of_arrays(p, said || here, any)
            }
            PatKind::Record(fields) => fields.iter().all(|(_, p)| of_arrays(p, said, any)),
            PatKind::Var(_) | PatKind::Wildcard | PatKind::Literal(_) | PatKind::Constr(..) => {
                said || matches!(pat.ty, fehu_check::types::Type::Scalar(..))
            }
        }
    }
    let mut any = false;
    of_arrays(pat, false, &mut any) && any
}

/// A loop with attributes of its own.
fn loop_with<'a>(cx: &mut Lowerer<'a>, lp: &'a tast::Loop, own: Vec<Attr>) -> Res<Value<'a>> {
    let init = cx.exp(&lp.init)?;
    let init = cx.code.data(init)?;
    let form = loop_bound(cx, &lp.form)?;
    // The type of the parameter: what varies is unknown now.
    let hint = cx.scoped(|l| {
        for n in &lp.sizes {
            l.env.insert(*n, Binding::UnknownSize);
        }
        l.ty(&lp.pat.ty)
    })?;
    let (ty, sizes) = loop_type(&mut cx.code, &hint, &init.ty);
    let mut params: Vec<(Param<_>, SubExp)> = vec![];
    for (n, d) in &sizes {
        params.push((Param { name: *n, ty: Type::I64, dec: (), consumed: false }, *d));
    }
    let mut carried = Carried::new(&cx.code, &sizes);
    let unique = unique_leaves(&lp.pat.ty, &ty);
    let mut leaves = vec![];
    for ((t, e), consumed) in ty.leaves().into_iter().zip(&init.leaves).zip(unique) {
        let p = Param { consumed, ..cx.code.b.param("p", t) };
        leaves.push(p.name.into());
        params.push((p, *e));
    }
    let param = Data { ty: ty.clone(), leaves };
    let (core_form, body) = match form {
        Form::While => {
            let start = cx.scoped(|l| while_cond(l, lp, init.clone()))?;
            let cond = cx.code.b.param("going", Type::BOOL);
            let name = cond.name;
            params.push((cond, start));
            let (body, result) = cx.body(|l| {
                carried.enter(&mut l.code, &ty);
                let v = iteration(l, lp, param.clone())?;
                let c = while_cond(l, lp, v.clone())?;
                let mut result = loop_result(&sizes, &ty, &v);
                carried.leave(&l.code, &result);
                result.push(c);
                Ok(result)
            })?;
            (LoopForm::While(name), Body { result, ..body })
        }
        Form::For { var, ty: it, bound, bind } => {
            let (body, result) = cx.body(|l| {
                bind_iteration(l, bind, var);
                carried.enter(&mut l.code, &ty);
                let v = iteration(l, lp, param.clone())?;
                let result = loop_result(&sizes, &ty, &v);
                carried.leave(&l.code, &result);
                Ok(result)
            })?;
            (LoopForm::For { var, ty: it, bound }, Body { result, ..body })
        }
    };
    let core = Loop { params, form: core_form, body: carried.settle(body) };
    finish_loop(&mut cx.code, core, own, &carried, &ty)
}

/// The sizes that a loop carries. Their checks at the beginning of an iteration always hold if they have been
/// checked before the loop, and those for the next iteration in this one.
struct Carried {
    /// A size, and whether its initial value and its value for the next iteration have been checked.
    sizes: Vec<(Name, bool)>,
    /// The certificates of the checks in the body.
    said: Vec<(Name, Name)>,
}

impl Carried {
    fn new(code: &Code, sizes: &[(Name, SubExp)]) -> Carried {
        let sizes = sizes.iter().map(|(n, init)| (*n, code.is_checked_size(*init))).collect();
        Carried { sizes, said: vec![] }
    }

    /// At the beginning of an iteration, whose values have this type.
    fn enter(&mut self, code: &mut Code, ty: &Ty) {
        let own = |n| self.sizes.iter().any(|(own, _)| *own == n).then_some(Origin::Unknown);
        self.said = code.check_shapes(ty, own);
    }

    /// At the end of an iteration, whose results begin with the sizes.
    fn leave(&mut self, code: &Code, result: &[SubExp]) {
        for ((_, checked), next) in self.sizes.iter_mut().zip(result) {
            *checked &= code.is_checked_size(*next);
        }
    }

    /// The body without checks that always hold.
    fn settle(&self, mut body: Body<fehu_ir::Soacs>) -> Body<fehu_ir::Soacs> {
        for (size, cert) in &self.said {
            if !self.sizes.contains(&(*size, true)) {
                continue;
            }
            let check = body.stms.iter_mut().find(|s| s.pat.iter().any(|p| p.name == *cert));
            if let Some(Exp::Basic(Basic::Assert(ok, _, purpose))) = check.map(|s| &mut s.exp) {
                *ok = SubExp::bool(true);
                *purpose = Purpose::sizes(vec![(*size).into()]);
            }
        }
        body
    }
}

fn finish_loop(
    code: &mut Code,
    core: Loop<fehu_ir::Soacs>,
    attrs: Vec<Attr>,
    carried: &Carried,
    ty: &Ty,
) -> Res<Value<'static>> {
    // The results have the types of the parameters, with the final sizes.
    let finals: Vec<(Name, Name, Origin)> = (carried.sizes.iter())
        .map(|(n, checked)| (*n, code.b.fresh("n", Type::I64), Origin::of(*checked)))
        .collect();
    let ty = ty.map_dims(&mut |d| match d {
        Dim::Known(SubExp::Var(n)) => match finals.iter().find(|(p, ..)| *p == n) {
            Some((_, f, _)) => Dim::Known((*f).into()),
            None => d,
        },
        Dim::Known(SubExp::Const(_)) | Dim::Unknown => d,
    });
    let mut pat: Vec<(Name, Type)> = finals.iter().map(|(_, f, _)| (*f, Type::I64)).collect();
    let mut leaves = vec![];
    for t in ty.leaves() {
        let n = code.b.fresh("t", t.clone());
        leaves.push(n.into());
        pat.push((n, t));
    }
    if matches!(core.form, LoopForm::While(_)) {
        pat.push((code.b.fresh("going", Type::BOOL), Type::BOOL));
    }
    let around = code.b.attrs.len();
    code.b.attrs.extend(attrs);
    code.b.bind_names(pat, Exp::Loop(Box::new(core)));
    code.b.attrs.truncate(around);
    code.check_shapes(&ty, |n| finals.iter().find(|(_, own, _)| *own == n).map(|(.., origin)| *origin));
    Ok(Value::Data(Data { ty, leaves }))
}

/// The type of the loop's parameter: sizes known outside, and names for those that vary with their
/// initial values.
fn loop_type(code: &mut Code, hint: &Ty, init: &Ty) -> (Ty, Vec<(Name, SubExp)>) {
    let hints = hint.dims();
    let mut sizes: Vec<(Name, SubExp)> = vec![];
    let mut i = 0;
    let ty = init.map_dims(&mut |d| {
        let h = hints.get(i).copied().unwrap_or(Dim::Unknown);
        i += 1;
        match h {
            Dim::Known(_) => h,
            Dim::Unknown => {
                let n = code.b.fresh("n", Type::I64);
                sizes.push((n, d.operand()));
                Dim::Known(n.into())
            }
        }
    });
    (ty, sizes)
}

fn iteration<'a>(cx: &mut Lowerer<'a>, lp: &'a tast::Loop, param: Data) -> Res<Data> {
    types::learn(&mut cx.env, &lp.sizes, &lp.pat.ty, &param.ty);
    patterns::bind_pat(&mut cx.env, &lp.pat, Value::Data(param));
    let v = cx.exp(&lp.body)?;
    cx.code.data(v)
}

fn while_cond<'a>(cx: &mut Lowerer<'a>, lp: &'a tast::Loop, v: Data) -> Res<SubExp> {
    let tast::LoopForm::While(cond) = &lp.form else { return Ok(SubExp::bool(false)) };
    types::learn(&mut cx.env, &lp.sizes, &lp.pat.ty, &v.ty);
    patterns::bind_pat(&mut cx.env, &lp.pat, Value::Data(v));
    let c = cx.exp(cond)?;
    cx.code.scalar(c)
}

fn loop_bound<'a>(cx: &mut Lowerer<'a>, form: &'a tast::LoopForm) -> Res<Form<'a>> {
    match form {
        tast::LoopForm::While(_) => Ok(Form::While),
        tast::LoopForm::For(name, s, bound) => {
            let b = cx.exp(bound)?;
            let bound = cx.code.scalar(b)?;
            let PrimType::Int(ty) = s.prim() else { fehu_base::bug!("loop over {s}") };
            let var = cx.code.b.fresh("i", Type::Prim(s.prim()));
            Ok(Form::For { var, ty, bound, bind: Iter::Index(*name, *s) })
        }
        tast::LoopForm::ForIn(pat, e) => {
            let v = cx.exp(e)?;
            let arr = cx.code.data(v)?;
            let Some((n, _)) = arr.ty.elem() else { fehu_base::bug!("loop over {:?}", arr.ty) };
            let var = cx.code.b.fresh("i", Type::I64);
            Ok(Form::For { var, ty: IntType::I64, bound: n, bind: Iter::Element(pat, arr) })
        }
    }
}

fn bind_iteration<'a>(cx: &mut Lowerer<'a>, bind: Iter<'a>, var: Name) {
    match bind {
        Iter::Index(name, s) => {
            cx.env.insert(name, Binding::Value(Value::scalar(s, var.into())));
        }
        Iter::Element(pat, arr) => {
            let elem = cx.code.element(&arr, &[var.into()]);
            patterns::bind_pat(&mut cx.env, pat, Value::Data(elem));
        }
    }
}

/// The results of an iteration: the sizes that vary, then the values.
fn loop_result(sizes: &[(Name, SubExp)], ty: &Ty, v: &Data) -> Vec<SubExp> {
    let mut result = vec![SubExp::i64(0); sizes.len()];
    for (p, d) in ty.dims().into_iter().zip(v.ty.dims()) {
        if let Dim::Known(SubExp::Var(n)) = p {
            if let Some(i) = sizes.iter().position(|(s, _)| *s == n) {
                result[i] = d.operand();
            }
        }
    }
    result.extend(v.leaves.iter().copied());
    result
}

enum Form<'a> {
    While,
    For { var: Name, ty: IntType, bound: SubExp, bind: Iter<'a> },
}

enum Iter<'a> {
    Index(Name, ScalarType),
    Element(&'a tast::Pat, Data),
}
