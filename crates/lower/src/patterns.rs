//! Patterns: binding, and the tests of `match`.

use crate::branch;
use crate::code::{Code, Emit, Res};
use crate::lowerer::Lowerer;
use crate::sums::{payload, tag};
use crate::value::{fields, Binding, Data, Env, Ty, Value};
use fehu_base::ops::CmpOp;
use fehu_base::prim::PrimType;
use fehu_base::Symbol;
use fehu_check::tast::{Case, Pat, PatKind};
use fehu_check::types::Type as SurfaceType;
use fehu_ir::SubExp;
use rustc_hash::FxHashMap;

/// Binds the variables of a pattern that matches.
pub(crate) fn bind_pat<'a>(env: &mut Env<'a>, p: &'a Pat, v: Value<'a>) {
    match &p.kind {
        PatKind::Var(name) => env.insert(*name, Binding::Value(v)),
        PatKind::Wildcard | PatKind::Literal(_) => {}
        PatKind::Record(pats) => {
            let mut parts: FxHashMap<Symbol, Value<'a>> = fields(&v).into_iter().collect();
            for (f, p) in pats {
                match parts.remove(f) {
                    Some(part) => bind_pat(env, p, part),
                    None => fehu_base::bug!("no field {f}"),
                }
            }
        }
        PatKind::Constr(c, ps) => {
            if let Value::Constr(_, args) = &v {
                ps.iter().zip(args.iter()).for_each(|(p, v)| bind_pat(env, p, v.clone()));
                return;
            }
            let Value::Data(d) = &v else { fehu_base::bug!("constructor pattern on {v:?}") };
            for (p, d) in ps.iter().zip(payload(d, constr_index(d, *c))) {
                bind_pat(env, p, Value::Data(d));
            }
        }
        PatKind::Attr(_, p) => bind_pat(env, p, v),
    }
}

/// The conditions under which a value matches a pattern.
fn tests<'a>(code: &mut Code, p: &'a Pat, v: &Value<'a>, out: &mut Vec<SubExp>) {
    match &p.kind {
        PatKind::Var(_) | PatKind::Wildcard => {}
        PatKind::Literal(lit) => {
            let Value::Data(Data { leaves, .. }) = v else { fehu_base::bug!("literal pattern") };
            let c = code.b.cmp(CmpOp::Eq(lit.prim_type()), leaves[0], SubExp::Const(*lit));
            out.push(c);
        }
        PatKind::Record(pats) => {
            let parts: FxHashMap<Symbol, Value<'a>> = fields(v).into_iter().collect();
            for (f, p) in pats {
                match parts.get(f) {
                    Some(part) => tests(code, p, part, out),
                    None => fehu_base::bug!("no field {f}"),
                }
            }
        }
        PatKind::Constr(c, ps) => {
            if let Value::Constr(actual, args) = v {
                if actual == c {
                    ps.iter().zip(args.iter()).for_each(|(p, v)| tests(code, p, v, out));
                } else {
                    out.push(SubExp::bool(false));
                }
                return;
            }
            let Value::Data(d) = v else { fehu_base::bug!("constructor pattern on {v:?}") };
            let index = constr_index(d, *c);
            if let Ty::Sum(cs) = &d.ty {
                if cs.len() > 1 {
                    let t = code.b.cmp(CmpOp::Eq(PrimType::I8), d.leaves[0], tag(index));
                    out.push(t);
                }
            }
            for (p, d) in ps.iter().zip(payload(d, index)) {
                tests(code, p, &Value::Data(d), out);
            }
        }
        PatKind::Attr(_, p) => tests(code, p, v, out),
    }
}

/// `match v case ...`: a chain of conditionals; the checker has made sure that the last case
/// matches when no other does.
pub(crate) fn match_cases<'a>(
    cx: &mut Lowerer<'a>,
    v: Value<'a>,
    cases: &'a [Case],
    ty: &'a SurfaceType,
) -> Res<Value<'a>> {
    let Some((first, rest)) = cases.split_first() else { fehu_base::bug!("match without cases") };
    let mut conds = vec![];
    if !rest.is_empty() {
        cx.at(first.span, |l| tests(&mut l.code, &first.pat, &v, &mut conds));
    }
    let cond = cx.code.all(&conds);
    if cond == SubExp::bool(true) {
        return cx.scoped(|l| {
            bind_pat(&mut l.env, &first.pat, v);
            l.exp(&first.body)
        });
    }
    let other = v.clone();
    branch::branch(
        cx,
        cond,
        ty,
        |l| {
            bind_pat(&mut l.env, &first.pat, v);
            l.exp(&first.body)
        },
        |l| fehu_base::stack::with_room(128 * 1024, 4 * 1024 * 1024, || match_cases(l, other, rest, ty)),
    )
}

fn constr_index(d: &Data, c: fehu_base::Symbol) -> usize {
    let Ty::Sum(cs) = &d.ty else { fehu_base::bug!("constructor pattern on {:?}", d.ty) };
    match cs.iter().position(|(n, _)| *n == c) {
        Some(i) => i,
        None => fehu_base::bug!("no constructor {c}"),
    }
}
