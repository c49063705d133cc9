//! Derivatives: the combinator that asks for one. The pass `derive` makes code of it.
//!
//! ```text
//! jvp2 f x x'             jvp [x] [x'] f              vjp2 is the same with vjp
//! jmp2 f x xs'            map (\x' -> #[bundle] jvp [x] [x'] f) xs'        one derivative in several directions
//! with_vjp_tape f g x     with_vjp [x] \(x, b, t, b', t') -> (f x, g t b')      f x is (b, t); see `AdMode::Rule`
//! ```

use crate::code::{Emit, Res};
use crate::intrinsics::Args;
use crate::lowerer::Lowerer;
use crate::soacs::lambda;
use crate::value::{names, project, Data, Ty, Value};
use fehu_base::intrinsic::Derivative;
use fehu_base::Symbol;
use fehu_ir::soac::{Ad, AdMode, Screma, Soac};
use fehu_ir::{Attr, Basic, Body, Exp, Lambda, Loc, SubExp};

/// The mark of a derivative that is taken in several directions, and that of one whose directions are code each.
const BUNDLE: &str = "bundle";
const UNROLL: &str = "unroll";

/// A derivative of a function, or a function with a derivative of its own. `hint` is the type of the function's result.
pub(crate) fn derivative<'a>(
    cx: &mut Lowerer<'a>,
    which: Derivative,
    mut args: Args<'a>,
    hint: Option<&Ty>,
) -> Res<Value<'a>> {
    let f = args.next();
    let mode = match which {
        Derivative::Jvp | Derivative::Jmp => AdMode::Forward,
        Derivative::Vjp | Derivative::Mjp => AdMode::Reverse,
        Derivative::WithTape => AdMode::Rule,
    };
    match which {
        Derivative::Jvp | Derivative::Vjp => {
            let x = cx.code.data(args.next())?;
            let seed = cx.code.data(args.next())?;
            let (value, derivative) = one(cx, mode, &f, &x, seed.leaves, hint, None)?;
            Ok(Value::tuple(vec![Value::Data(value), Value::Data(derivative)]))
        }
        Derivative::Jmp | Derivative::Mjp => {
            let x = args.next();
            let seeds = cx.code.data(args.next())?;
            several(cx, mode, &f, x, seeds, hint)
        }
        Derivative::WithTape => {
            let rule = args.next();
            let x = cx.code.data(args.next())?;
            with_rule(cx, &f, &rule, &x)
        }
    }
}

/// The value of a function and its derivative: the tangent of the result, or the adjoint of the argument.
fn one<'a>(
    cx: &mut Lowerer<'a>,
    mode: AdMode,
    f: &Value<'a>,
    x: &Data,
    seeds: Vec<SubExp>,
    hint: Option<&Ty>,
    marks: Option<Vec<Attr>>,
) -> Res<(Data, Data)> {
    let (lambda, ty) = lambda(cx, f, std::slice::from_ref(&x.ty), hint)?;
    let of = match mode {
        AdMode::Forward | AdMode::Rule => &ty,
        AdMode::Reverse => &x.ty,
    };
    let (count, types) = (lambda.ret.len(), [lambda.ret.as_slice(), &of.leaves()].concat());
    let ad = Ad { mode, lambda, args: x.leaves.clone(), seeds };
    // What cannot be derived is reported where the user asks for it.
    let here = Loc::at(cx.code.place());
    let within = std::mem::replace(&mut cx.code.b.loc, here);
    let attrs = marks.map(|marks| std::mem::replace(&mut cx.code.b.attrs, marks));
    let all = cx.code.b.bind_all("t", types, Exp::Op(Soac::Ad(ad)));
    cx.code.b.attrs = attrs.unwrap_or_else(|| std::mem::take(&mut cx.code.b.attrs));
    cx.code.b.loc = within;
    let (values, derivatives) = all.split_at(count);
    let data = |names: &[_], ty: &Ty| Data {
        ty: ty.clone(),
        leaves: names.iter().copied().map(SubExp::Var).collect(),
    };
    let mut derivative = data(derivatives, of);
    if mode == AdMode::Reverse {
        with_tags_of(cx, &mut derivative, x);
    }
    Ok((data(values, &ty), derivative))
}

/// Gives adjoints the constructors of what they are the adjoints of. Those within the payload of a constructor remain.
fn with_tags_of(cx: &mut Lowerer<'_>, adjoint: &mut Data, x: &Data) {
    for ((is_tag, leaf), own) in tags(&x.ty).into_iter().zip(&mut adjoint.leaves).zip(&x.leaves) {
        let ty = cx.code.b.type_of(*own);
        *leaf = match (is_tag, own) {
            (false, _) => *leaf,
            (true, SubExp::Var(n)) if ty.is_array() => {
                cx.code.b.bind("tags", ty, Exp::Basic(Basic::Copy(*n))).into()
            }
            (true, _) => *own,
        };
    }
}

/// For each leaf of a type, whether it says which constructor there is.
fn tags(ty: &Ty) -> Vec<bool> {
    match ty {
        Ty::Array(_, elem) => tags(elem),
        Ty::Record(fields) => fields.iter().flat_map(|(_, ty)| tags(ty)).collect(),
        Ty::Sum(_) => (0..ty.leaves().len()).map(|i| i == 0).collect(),
        Ty::Scalar(_) | Ty::Acc(..) | Ty::Fun => vec![false; ty.leaves().len()],
    }
}

/// A derivative for several seeds.
fn several<'a>(
    cx: &mut Lowerer<'a>,
    mode: AdMode,
    f: &Value<'a>,
    x: Value<'a>,
    seeds: Data,
    hint: Option<&Ty>,
) -> Res<Value<'a>> {
    let Some((n, elem)) = seeds.ty.elem() else { fehu_base::bug!("derivatives along {:?}", seeds.ty) };
    let elem = elem.clone();
    let point = cx.code.data(x.clone())?;
    let (params, seed) = cx.code.params_of(&elem);
    // Loops of the function are no business of the attribute.
    let is_unroll = |a: &Attr| matches!(a, Attr::Atom(name) if name.as_str() == UNROLL);
    let attrs = cx.code.b.attrs.clone();
    let (own, others): (Vec<Attr>, Vec<Attr>) = attrs.iter().cloned().partition(is_unroll);
    let marks = own.into_iter().chain([Attr::Atom(Symbol::new(BUNDLE))]).collect();
    cx.code.b.attrs = others;
    let body = cx.body(|l| Ok(one(l, mode, f, &point, seed.leaves, hint, Some(marks))?.1));
    cx.code.b.attrs = attrs;
    let (body, derivative) = body?;
    let ret = derivative.ty.leaves();
    let types = ret.iter().map(|t| t.array_of(&[n])).collect();
    let map = Lambda { params, body: Body { result: derivative.leaves, ..body }, ret };
    let arrays = names(&seeds.leaves);
    let map = Screma { width: n, arrays, scans: vec![], reds: vec![], map };
    let leaves = cx.code.b.bind_all("t", types, Exp::Op(Soac::Screma(map)));
    let leaves = leaves.into_iter().map(SubExp::Var).collect();
    let value = cx.apply(f.clone(), vec![x])?;
    Ok(Value::tuple(vec![value, Value::Data(Data { ty: derivative.ty.array(n), leaves })]))
}

/// A function whose result is a pair of the value and what its rule needs, with the rule, which takes what it
/// needs and the adjoint of the value. Gives the value.
fn with_rule<'a>(cx: &mut Lowerer<'a>, f: &Value<'a>, rule: &Value<'a>, x: &Data) -> Res<Value<'a>> {
    let (function, ty) = lambda(cx, f, std::slice::from_ref(&x.ty), None)?;
    let (values, value_data) = cx.code.params_of(&ty);
    let (adjoints, adjoint_data) = cx.code.params_of(&ty);
    let tape = project(&Value::Data(value_data), Symbol::new("1"));
    let seed = project(&Value::Data(adjoint_data), Symbol::new("0"));
    let attrs = std::mem::take(&mut cx.code.b.attrs);
    let body = cx.body(|l| {
        let partly = l.apply(rule.clone(), vec![tape, seed])?;
        l.code.data(partly)
    });
    cx.code.b.attrs = attrs;
    let (body, parts) = body?;
    let params = [function.params, values, adjoints].concat();
    let stms = function.body.stms.into_iter().chain(body.stms).collect();
    let result = function.body.result.into_iter().chain(parts.leaves).collect();
    let ret = function.ret.iter().cloned().chain(x.ty.leaves()).collect();
    let lambda = Lambda { params, body: Body { stms, result }, ret };
    let ad = Ad { mode: AdMode::Rule, lambda, args: x.leaves.clone(), seeds: vec![] };
    let all = cx.code.b.bind_all("t", function.ret, Exp::Op(Soac::Ad(ad)));
    let all = Data { ty, leaves: all.into_iter().map(SubExp::Var).collect() };
    Ok(project(&Value::Data(all), Symbol::new("0")))
}
