//! Derivatives: the combinator that asks for one. The pass `derive` makes code of it.
//!
//! ```text
//! jvp2 f x x'        jvp [x] [x'] f
//! jmp2 f x xs'       f x,  map (\x' -> #[bundle] jvp [x] [x'] f) xs'       one derivative in several directions
//! ```
//!
//! A function with a rule of its own for reverse mode is that function elsewhere.

use crate::code::{Emit, Res};
use crate::intrinsics::Args;
use crate::lowerer::Lowerer;
use crate::soacs::lambda;
use crate::value::{names, project, Data, Ty, Value};
use fehu_base::intrinsic::Derivative;
use fehu_base::Symbol;
use fehu_ir::soac::{Ad, AdMode, Screma, Soac};
use fehu_ir::{Attr, Body, Exp, Lambda, SubExp};

/// The mark of a derivative that is taken in several directions.
const BUNDLE: &str = "bundle";

/// A derivative of a function, or a function with a derivative of its own. `hint` is the type of the function's result.
pub(crate) fn derivative<'a>(
    cx: &mut Lowerer<'a>,
    which: Derivative,
    mut args: Args<'a>,
    hint: Option<&Ty>,
) -> Res<Value<'a>> {
    let f = args.next();
    match which {
        Derivative::Jvp => {
            let x = cx.code.data(args.next())?;
            let seed = cx.code.data(args.next())?;
            let (value, tangent) = jvp(cx, &f, &x, seed.leaves, hint)?;
            Ok(Value::tuple(vec![Value::Data(value), Value::Data(tangent)]))
        }
        Derivative::Jmp => {
            let x = args.next();
            let seeds = cx.code.data(args.next())?;
            jmp(cx, &f, x, seeds, hint)
        }
        Derivative::Vjp | Derivative::Mjp => Err(cx
            .code
            .unsupported("automatic differentiation by reverse mode (`vjp`, `vjp2`, `mjp`, `mjp2`)")),
        Derivative::WithTape => {
            let _rule = args.next();
            let x = args.next();
            let result = cx.apply(f, vec![x])?;
            Ok(project(&result, Symbol::new("0")))
        }
    }
}

/// The value of a function and its tangent.
fn jvp<'a>(
    cx: &mut Lowerer<'a>,
    f: &Value<'a>,
    x: &Data,
    seeds: Vec<SubExp>,
    hint: Option<&Ty>,
) -> Res<(Data, Data)> {
    let (lambda, ty) = lambda(cx, f, std::slice::from_ref(&x.ty), hint)?;
    let types = [lambda.ret.as_slice(), &lambda.ret].concat();
    let ad = Ad { mode: AdMode::Forward, lambda, args: x.leaves.clone(), seeds };
    let all = cx.code.b.bind_all("t", types, Exp::Op(Soac::Ad(ad)));
    let (values, tangents) = all.split_at(all.len() / 2);
    let data =
        |names: &[_]| Data { ty: ty.clone(), leaves: names.iter().copied().map(SubExp::Var).collect() };
    Ok((data(values), data(tangents)))
}

fn jmp<'a>(
    cx: &mut Lowerer<'a>,
    f: &Value<'a>,
    x: Value<'a>,
    seeds: Data,
    hint: Option<&Ty>,
) -> Res<Value<'a>> {
    let Some((n, elem)) = seeds.ty.elem() else { fehu_base::bug!("derivatives along {:?}", seeds.ty) };
    let elem = elem.clone();
    let point = cx.code.data(x.clone())?;
    let (params, seed) = cx.code.params_of(&elem);
    let (body, tangent) = cx.body(|l| {
        let attrs = std::mem::replace(&mut l.code.b.attrs, vec![Attr::Atom(Symbol::new(BUNDLE))]);
        let made = jvp(l, f, &point, seed.leaves, hint);
        l.code.b.attrs = attrs;
        Ok(made?.1)
    })?;
    let ret = tangent.ty.leaves();
    let types = ret.iter().map(|t| t.array_of(&[n])).collect();
    let map = Lambda { params, body: Body { result: tangent.leaves, ..body }, ret };
    let arrays = names(&seeds.leaves);
    let map = Screma { width: n, arrays, scans: vec![], reds: vec![], map };
    let leaves = cx.code.b.bind_all("t", types, Exp::Op(Soac::Screma(map)));
    let leaves = leaves.into_iter().map(SubExp::Var).collect();
    let value = cx.apply(f.clone(), vec![x])?;
    Ok(Value::tuple(vec![value, Value::Data(Data { ty: tangent.ty.array(n), leaves })]))
}
