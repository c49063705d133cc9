//! Attributes of expressions: `#[attr] e`.
//!
//! Some are for lowering itself, most are handed on to the statements that `e` becomes:
//!
//! ```text
//! #[unsafe] xs[i]        no check
//! #[trace] x             let y = opaque x, with the attribute, which prints it
//! #[sequential] map f    the attribute is on the statement
//! #[unroll] loop ..      the attribute is on the loop, not on what is in it
//! ```
//!
//! Those that passes give to each other are of no effect in a program.

use crate::code::{Code, Emit, Res};
use crate::lowerer::Lowerer;
use crate::opaques::leaf_scalars;
use crate::stops;
use crate::value::{Data, Dim, Ty, Value};
use fehu_base::ops::CmpOp;
use fehu_base::prim::{PrimType, ScalarType};
use fehu_base::{Span, Symbol};
use fehu_check::tast;
use fehu_ir::seg::is_of_passes;
use fehu_ir::{Attr, Basic, Body, ErrorPart, Exp, SubExp, Type};
use fehu_syntax::ast;

/// `#[attr] e`.
pub(crate) fn attributed<'a>(cx: &mut Lowerer<'a>, attr: &'a ast::Attr, e: &'a tast::Exp) -> Res<Value<'a>> {
    let core = core_attr(attr);
    match &core {
        Attr::Atom(a) if a.as_str() == "unsafe" => {
            cx.code.unsafe_depth += 1;
            let v = cx.exp(e);
            cx.code.unsafe_depth -= 1;
            v
        }
        Attr::Atom(a) if matches!(a.as_str(), "blank" | "scratch") => replaced(cx, a.as_str(), e),
        Attr::Atom(a) if a.as_str() == "opaque" => {
            let v = cx.exp(e)?;
            opaque(&mut cx.code, v)
        }
        Attr::Atom(a) if a.as_str() == "trace" => {
            let v = cx.exp(e)?;
            traced(&mut cx.code, v, None)
        }
        Attr::Comp(a, args) if a.as_str() == "trace" => {
            let v = cx.exp(e)?;
            let tag = args.iter().find_map(|a| match a {
                Attr::Atom(tag) => Some(*tag),
                Attr::Int(_) | Attr::Comp(..) => None,
            });
            traced(&mut cx.code, v, tag)
        }
        Attr::Atom(a) if a.as_str() == "break" => {
            if cx.options.stops {
                stops::stop(cx);
            }
            cx.exp(e)
        }
        Attr::Comp(a, args) if a.as_str() == "param" => {
            let v = cx.exp(e)?;
            match (args.as_slice(), &v) {
                ([Attr::Atom(name)], Value::Data(Data { ty: Ty::Scalar(ScalarType::I64), leaves })) => {
                    Ok(tuning_param(cx, *name, leaves[0]))
                }
                _ => Ok(v),
            }
        }
        _ if is_of_passes(&core) => cx.exp(e),
        Attr::Atom(_) | Attr::Int(_) | Attr::Comp(..) => {
            cx.code.b.attrs.push(core);
            let v = cx.exp(e);
            cx.code.b.attrs.pop();
            v
        }
    }
}

/// Any value of the type of an expression, which is evaluated only for sizes that its type does not say.
fn replaced<'a>(cx: &mut Lowerer<'a>, attr: &str, e: &'a tast::Exp) -> Res<Value<'a>> {
    let mut ty = cx.ty(&e.ty)?;
    if ty.has_function() || ty.dims().contains(&Dim::Unknown) {
        match cx.exp(e)? {
            Value::Data(d) => ty = d.ty,
            other @ (Value::Record(_) | Value::Constr(..) | Value::Fun(_)) => return Ok(other),
        }
    }
    // What the expression would have checked.
    let sizes: Vec<SubExp> = ty.dims().iter().map(|d| d.operand()).collect();
    let conds: Vec<SubExp> = sizes.iter().map(|n| cx.code.is_size(*n)).collect();
    let ok = cx.code.all(&conds);
    let message = vec![ErrorPart::Text("A size of the array is negative or too large.".into())];
    let cert = cx.code.check_sizes(ok, message, &sizes);
    cx.certified(cert, |l| any_value(&mut l.code, attr, ty))
}

fn any_value(code: &mut Code, attr: &str, ty: Ty) -> Res<Value<'static>> {
    let leaves = ty
        .leaves()
        .into_iter()
        .map(|t| match t {
            Type::Array(p, shape) if attr == "scratch" => {
                let t = Type::Array(p, shape.clone());
                code.b.bind("scratch", t, Exp::Basic(Basic::Scratch(p, shape))).into()
            }
            t @ (Type::Prim(_) | Type::Array(..) | Type::Acc(..) | Type::Mem(_)) => code.blank(&t),
        })
        .collect();
    Ok(Value::Data(Data { ty, leaves }))
}

/// A number that a tuning parameter replaces if it is set. The parameter is read where constants are
/// computed, by an opaque statement with the attribute; it is the least number if it is not set.
fn tuning_param<'a>(cx: &mut Lowerer<'a>, name: Symbol, default: SubExp) -> Value<'a> {
    let unset = SubExp::i64(i64::MIN);
    let param = match cx.params.get(&name) {
        Some(p) => *p,
        None => cx.in_consts(|l| {
            l.code.b.attrs.push(Attr::Comp(Symbol::new("param"), vec![Attr::Atom(name)]));
            let p = l.code.b.bind(name.as_str(), Type::I64, Exp::Basic(Basic::Opaque(unset)));
            l.code.b.attrs.pop();
            l.params.insert(name, p.into());
            p.into()
        }),
    };
    let is_unset = cx.code.b.cmp(CmpOp::Eq(PrimType::I64), param, unset);
    let body = |e| Box::new(Body { stms: vec![], result: vec![e] });
    let chosen = cx.code.b.bind("t", Type::I64, Exp::If(is_unset, body(default), body(param)));
    Value::i64(chosen.into())
}

/// A value that the program prints: each component by an opaque statement with the attribute.
pub(crate) fn traced<'a>(code: &mut Code, v: Value<'a>, tag: Option<Symbol>) -> Res<Value<'a>> {
    let d = match v {
        Value::Data(d) => d,
        Value::Record(fields) => {
            let part = |(f, v): &(Symbol, Value<'a>)| Ok((*f, traced(code, v.clone(), tag)?));
            return Ok(Value::record(fields.iter().map(part).collect::<Res<_>>()?));
        }
        Value::Constr(..) | Value::Fun(_) => return Ok(v),
    };
    // The function `trace` is one of the prelude: what is of interest is who calls it.
    let within = code.prelude.contains(&code.b.loc.span.file) && code.user != Span::NONE;
    let place = if within { code.user } else { code.b.loc.span };
    code.at(place, |l| traced_data(l, d, tag))
}

fn traced_data(code: &mut Code, d: Data, tag: Option<Symbol>) -> Res<Value<'static>> {
    let mut leaves = vec![];
    for (leaf, scalar) in d.leaves.into_iter().zip(leaf_scalars(&d.ty)) {
        let mut args = vec![Attr::Atom(Symbol::new(scalar.as_str()))];
        args.extend(tag.map(Attr::Atom));
        let t = code.b.type_of(leaf);
        code.b.attrs.push(Attr::Comp(Symbol::new("trace"), args));
        leaves.push(code.b.bind("traced", t, Exp::Basic(Basic::Opaque(leaf))).into());
        code.b.attrs.pop();
    }
    Ok(Value::Data(Data { ty: d.ty, leaves }))
}

/// A value about which the optimiser may conclude nothing.
pub(crate) fn opaque<'a>(code: &mut Code, v: Value<'a>) -> Res<Value<'a>> {
    match v {
        Value::Data(d) => {
            let mut leaves = vec![];
            for leaf in d.leaves {
                let t = code.b.type_of(leaf);
                leaves.push(code.b.bind("opaque", t, Exp::Basic(Basic::Opaque(leaf))).into());
            }
            Ok(Value::Data(Data { ty: d.ty, leaves }))
        }
        Value::Record(_) | Value::Constr(..) | Value::Fun(_) => Ok(v),
    }
}

/// An attribute as the core has it.
pub(crate) fn core_attr(a: &ast::Attr) -> Attr {
    match a {
        ast::Attr::Atom(i) => Attr::Atom(i.name),
        ast::Attr::Int(n, _) => Attr::Int(*n),
        ast::Attr::Comp(i, args, _) => Attr::Comp(i.name, args.iter().map(core_attr).collect()),
    }
}
