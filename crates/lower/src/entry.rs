//! Entry points: core functions with a face for the outside world.
//!
//! A scalar or an array of scalars is transparent; everything else is an
//! opaque type with a name: what the user wrote, if a type was written, else a
//! description such as `(i32, [](bool, f32))`.
//!
//! Inside of the program the unit has no components, and an array of units is nothing but its size. Outside, sizes
//! are those of arrays; so there, units are a `bool` that says nothing (`boundary`).

use crate::attributes::core_attr;
use crate::calls::{self, param_uniqueness, ret_type, ParamFace};
use crate::code::{Code, Emit, Res};
use crate::lowerer::Lowerer;
use crate::opaques::units;
use crate::types::{self, unique_leaves};
use crate::value::{Binding, Data, Dim, Fun, Global, Ty, Value};
use fehu_base::prim::{PrimType, ScalarType};
use fehu_base::{Name, Symbol};
use fehu_check::tast::EntryParam as SurfaceParam;
use fehu_check::types::Type as SurfaceType;
use fehu_ir::{
    EntryParam, EntryPoint, EntryResult, ErrorPart, FunDef, FunRet, Loc, Purpose, RetType, SubExp,
};
use std::rc::Rc;

/// Makes the core function of an entry point.
pub(crate) fn entry<'a>(cx: &mut Lowerer<'a>, g: &Rc<Global<'a>>) -> Res<()> {
    let bind = g.bind;
    let mut env = g.env.clone();
    crate::types::bind_tparams(&mut env, &bind.tparams, &[]);
    // The type may show more parameters than the definition names.
    let mut faces: Vec<ParamFace<'a>> =
        bind.params.iter().map(|p| calls::param_face(cx.program, p)).collect();
    let mut extra = vec![];
    let mut ret = &bind.ret.ty;
    while let SurfaceType::Arrow(arrow) = ret {
        let base = arrow.param.map_or("p", |n| cx.program.names.base(n).as_str());
        faces.push(ParamFace { ty: &arrow.lhs, base });
        extra.push(arrow.param);
        ret = &arrow.ret.ty;
    }
    let types: Res<Vec<Ty>> = cx.in_env(env.clone(), |l| faces.iter().map(|f| l.ty(f.ty)).collect());
    let types = types?;
    cx.at(bind.span, |l| types.iter().try_for_each(|t| check_boundary(&l.code, t)))?;
    let outside: Vec<Ty> = types.iter().map(boundary).collect();
    let mut params = calls::function_params(cx, &bind.tparams, &faces, &outside);
    let values: Vec<Data> = types.iter().zip(&params.values).map(|(t, d)| come_in(t, d)).collect();
    let sizes = params.sizes.len();
    for (p, u) in params.core.iter_mut().skip(sizes).zip(param_uniqueness(&faces, &params.sig_types)) {
        p.consumed = u;
    }
    cx.code.b.begin();
    // Who calls has checked them.
    let checked = cx.code.checked_sizes.len();
    cx.code.checked_sizes.extend(&params.sizes);
    // With the sizes that they name.
    let mut declared: Vec<Ty> = vec![];
    let mut declared_ret = None;
    let result = cx.at(bind.span, |l| {
        l.in_env(env, |l| {
            let args: Vec<Value<'a>> = values.iter().cloned().map(Value::Data).collect();
            let rest = args[bind.params.len()..].to_vec();
            l.bind_params(&bind.tparams, &bind.params, args.clone());
            let names: Vec<Name> = bind.tparams.iter().map(|p| p.name()).collect();
            for (i, (name, v)) in extra.iter().zip(&rest).enumerate() {
                let at = bind.params.len() + i;
                types::learn(&mut l.env, &names, faces[at].ty, &values[at].ty);
                if let Some(name) = name {
                    l.env.insert(*name, Binding::Value(v.clone()));
                }
            }
            // Everything depends on the sizes being as declared.
            let mut certs = vec![];
            for (f, d) in faces.iter().zip(&values) {
                certs.extend(check_declared_sizes(l, f.ty, d)?);
            }
            l.code.b.certs.clone_from(&certs);
            declared = faces.iter().map(|f| l.ty(f.ty)).collect::<Res<_>>()?;
            declared_ret = Some(l.ty(ret)?);
            if bind.recursive {
                let f = Fun::Closure {
                    env: g.env.clone(),
                    tparams: &bind.tparams,
                    inst: vec![],
                    params: &bind.params,
                    body: &bind.body,
                    global: Some(g.clone()),
                };
                return l.apply(Value::Fun(Rc::new(f)), args);
            }
            let v = l.exp(&bind.body)?;
            let mut v = l.apply(v, rest)?;
            for cert in &certs {
                v = l.code.depending(Some(*cert), v);
            }
            Ok(v)
        })
    });
    cx.code.b.certs.clear();
    cx.code.checked_sizes.truncate(checked);
    let d: Res<Data> = cx.at(bind.span, |l| {
        let d = l.code.data(result?)?;
        check_boundary(&l.code, &d.ty)?;
        Ok(d)
    });
    let outside = d.as_ref().ok().map(|d| go_out(&mut cx.code, d));
    let mut body = cx.code.b.end(vec![]);
    let (d, outside) = (d?, outside.unwrap_or_else(|| fehu_base::bug!("a result without a value")));
    let core_params: Vec<Name> = params.core.iter().map(|p| p.name).collect();
    let (core_ret, size_results, results) = entry_results(&outside, ret, &core_params);
    body.result = results;
    let declared_ret = declared_ret.as_ref().unwrap_or(&d.ty);
    let face = face(cx, g, &faces, &declared, (ret, declared_ret), (sizes, size_results));
    let name = cx.code.b.names.fresh(Symbol::new(&format!("entry_{}", face.name)));
    cx.funs.push(FunDef {
        name,
        entry: Some(face),
        attrs: bind.attrs.iter().map(core_attr).collect(),
        params: params.core,
        ret: core_ret,
        body,
        loc: Loc::at(bind.span),
    });
    Ok(())
}

/// In a sum, an array of units would have no place for its size.
fn check_boundary(code: &Code, ty: &Ty) -> Res<()> {
    match ty {
        Ty::Array(_, t) => check_boundary(code, t),
        Ty::Record(fs) => fs.iter().try_for_each(|(_, t)| check_boundary(code, t)),
        Ty::Sum(cs) if cs.iter().any(|(_, ts)| ts.iter().any(has_unit_array)) => {
            Err(code.unsupported("an array of units inside of a sum type of an entry point"))
        }
        Ty::Scalar(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => Ok(()),
    }
}

/// A value as the outside has it.
fn go_out(code: &mut Code, d: &Data) -> Data {
    let ty = boundary(&d.ty);
    let mut inside = d.leaves.iter();
    let leaves = ty
        .leaves()
        .iter()
        .zip(units(&d.ty))
        .map(|(t, unit)| match (unit, inside.as_slice()) {
            (false, [leaf, ..]) => {
                inside.next();
                *leaf
            }
            (_, _) => code.blank(t),
        })
        .collect();
    Data { ty, leaves }
}

/// Sizes that the parameter's type gives as an expression must be what the argument has.
fn check_declared_sizes<'a>(cx: &mut Lowerer<'a>, t: &'a SurfaceType, d: &Data) -> Res<Option<Name>> {
    let declared = cx.ty(t)?;
    let mut conds = vec![];
    for (want, have) in declared.dims().into_iter().zip(d.ty.dims()) {
        if let Dim::Known(w) = want {
            let c = cx.code.same_size(w, have.operand());
            conds.push(c);
        }
    }
    let cond = cx.code.all(&conds);
    let message = vec![ErrorPart::Text("entry point arguments have invalid sizes.".into())];
    Ok(cx.code.b.assert(cond, message, Purpose::Values))
}

fn face<'a>(
    cx: &mut Lowerer<'a>,
    g: &Rc<Global<'a>>,
    faces: &[ParamFace<'a>],
    params: &[Ty],
    (ret, result): (&SurfaceType, &Ty),
    (size_params, size_results): (usize, usize),
) -> EntryPoint {
    let bind = g.bind;
    let written = bind.entry.as_ref();
    let name = written.map_or_else(|| cx.program.names.base(bind.name), |e| e.name);
    let mut entry_params = vec![];
    for (i, (face, ty)) in faces.iter().zip(params).enumerate() {
        let w: Option<&SurfaceParam> = written.and_then(|e| e.params.get(i));
        let ty = cx.opaques.entry_type(ty, w.and_then(|w| w.ty.as_ref()));
        let own = Some(Symbol::new(face.base)).filter(|_| face.base != "p");
        let unique = unique_leaves(face.ty, &params[i]).into_iter().any(|u| u);
        entry_params.push(EntryParam { name: w.and_then(|w| w.name).or(own), ty, unique });
    }
    let ty = cx.opaques.entry_type(result, written.and_then(|e| e.ret.as_ref()));
    let unique = unique_leaves(ret, result).into_iter().any(|u| u);
    EntryPoint {
        name,
        doc: bind.doc.as_ref().map(|d| d.text.clone()),
        params: entry_params,
        result: EntryResult { ty, unique },
        size_params,
        size_results,
    }
}

/// A type as the outside has it: units are booleans.
fn boundary(ty: &Ty) -> Ty {
    match ty {
        Ty::Record(fs) if fs.is_empty() => Ty::Scalar(ScalarType::Bool),
        Ty::Record(fs) => Ty::Record(Rc::new(fs.iter().map(|(f, t)| (*f, boundary(t))).collect())),
        Ty::Array(n, t) => Ty::Array(*n, Rc::new(boundary(t))),
        Ty::Scalar(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => ty.clone(),
    }
}

fn has_unit_array(ty: &Ty) -> bool {
    match ty {
        Ty::Array(_, t) => units(t).contains(&true) || has_unit_array(t),
        Ty::Record(fs) => fs.iter().any(|(_, t)| has_unit_array(t)),
        Ty::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(has_unit_array)),
        Ty::Scalar(_) | Ty::Acc(..) | Ty::Fun => false,
    }
}

/// A value of the outside as one of this type.
fn come_in(ty: &Ty, outside: &Data) -> Data {
    let mut dims = outside.ty.dims().into_iter();
    let leaves = outside.leaves.iter().zip(units(ty)).filter(|(_, unit)| !unit).map(|(leaf, _)| *leaf);
    Data { ty: ty.map_dims(&mut |d| dims.next().unwrap_or(d)), leaves: leaves.collect() }
}

/// The results of an entry point: sizes unknown before, then the leaves.
fn entry_results(
    d: &Data,
    ret_surface: &SurfaceType,
    params: &[Name],
) -> (Vec<FunRet<fehu_ir::Soacs>>, usize, Vec<SubExp>) {
    let mut sizes: Vec<SubExp> = vec![];
    let marked = d.ty.map_dims(&mut |x| {
        let e = x.operand();
        match e {
            SubExp::Const(_) => Dim::Known(e),
            SubExp::Var(n) if params.contains(&n) => Dim::Known(e),
            SubExp::Var(_) => {
                let k = sizes.iter().position(|s| *s == e).unwrap_or_else(|| {
                    sizes.push(e);
                    sizes.len() - 1
                });
                Dim::Known(SubExp::Var(Name(u32::MAX - k as u32)))
            }
        }
    });
    let mut ret: Vec<_> =
        sizes.iter().map(|_| FunRet { ty: RetType::Prim(PrimType::I64), dec: () }).collect();
    let unique = unique_leaves(ret_surface, &d.ty);
    for (t, u) in marked.leaves().iter().zip(unique) {
        ret.push(FunRet { ty: ret_type(t, sizes.len() as u32, u), dec: () });
    }
    let n = sizes.len();
    let mut results = sizes;
    results.extend(&d.leaves);
    (ret, n, results)
}
