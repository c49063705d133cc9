//! What entry points show: which of a function's parameters and results make up each value.

use fehu_base::prim::ScalarType;
use fehu_base::{bug, Name};
use fehu_imp::syntax::{Entry, EntryValue, Expr};
use fehu_ir::mem::MemInfo;
use fehu_ir::{
    EntryPoint, EntryType, ExtSize, FunDef, Memory, OpaqueType, OpaqueTypes, RetType, SubExp, Type,
};

/// The face of an entry point. `outs` are the variables of the function's results.
pub(super) fn entry(
    opaques: &OpaqueTypes,
    fun: &FunDef<Memory>,
    face: &EntryPoint,
    outs: &[Option<Name>],
) -> Entry {
    let mut values = fun.params.iter().skip(face.size_params).filter(|p| !matches!(p.ty, Type::Mem(_)));
    let mut params = vec![];
    for param in &face.params {
        let mut flat = vec![];
        for scalar in flat_types(opaques, &param.ty) {
            let Some(p) = values.next() else { bug!("an entry point has too few parameters") };
            flat.push(match (&p.ty, &p.dec) {
                (Type::Array(_, shape), MemInfo::Array { block, .. }) => {
                    let shape = shape.iter().map(|n| super::build::expr(*n)).collect();
                    EntryValue::Array { mem: *block, elem: scalar, shape }
                }
                _ => EntryValue::Scalar { var: p.name, ty: scalar },
            });
        }
        params.push(flat);
    }
    let mut results = result_values(fun, outs).into_iter().skip(face.size_results);
    let result = flat_types(opaques, &face.result.ty).into_iter().filter_map(|scalar| {
        Some(match results.next()? {
            Out::Scalar(var) => EntryValue::Scalar { var, ty: scalar },
            Out::Array(mem, shape) => EntryValue::Array { mem, elem: scalar, shape },
        })
    });
    Entry { face: face.clone(), attrs: fun.attrs.clone(), params, result: result.collect() }
}

enum Out {
    Scalar(Name),
    Array(Name, Vec<Expr>),
}

fn result_values(fun: &FunDef<Memory>, outs: &[Option<Name>]) -> Vec<Out> {
    let mut values = vec![];
    let mut block = None;
    for (r, out) in fun.ret.iter().zip(outs) {
        match (&r.ty, out) {
            (RetType::Prim(_), Some(out)) => values.push(Out::Scalar(*out)),
            (RetType::Prim(_), None) => {}
            (RetType::Mem(_), out) => block = *out,
            (RetType::Array { shape, .. }, _) => {
                let size = |s: &ExtSize| match s {
                    ExtSize::Free(SubExp::Const(v)) => Expr::Const(*v),
                    ExtSize::Free(SubExp::Var(n)) => Expr::Var(*n),
                    ExtSize::Ext(k) => match outs.get(*k).copied().flatten() {
                        Some(out) => Expr::Var(out),
                        None => bug!("a size is result {k}, which is no scalar"),
                    },
                };
                let Some(mem) = block.take() else { bug!("a result has no block") };
                values.push(Out::Array(mem, shape.iter().map(size).collect()));
            }
        }
    }
    values
}

/// The scalar types of the flattened values of a type.
fn flat_types(opaques: &OpaqueTypes, ty: &EntryType) -> Vec<ScalarType> {
    let name = match ty {
        EntryType::Transparent(scalar, _) => return vec![*scalar],
        EntryType::Opaque(name) => name,
    };
    let Some((_, known)) = opaques.types.iter().find(|(n, _)| n == name) else {
        bug!("opaque type {name} is not declared")
    };
    match known {
        OpaqueType::Plain(values) | OpaqueType::Sum { values, .. } | OpaqueType::Array { values, .. } => {
            values.iter().map(|(scalar, _)| *scalar).collect()
        }
        OpaqueType::Record(fields) if fields.is_empty() => vec![ScalarType::Bool],
        OpaqueType::Record(fields) | OpaqueType::RecordArray { fields, .. } => {
            fields.iter().flat_map(|(_, t)| flat_types(opaques, t)).collect()
        }
    }
}
