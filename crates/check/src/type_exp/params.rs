//! Binding the size and type parameters of a definition.

use crate::context::Context;
use crate::scope::{Scope, TypeEntry, ValEntry, ValKind};
use crate::types::{RetType, Scheme, TParam, Type, TypeArg, TypeDef};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span};
use fehu_syntax::ast::{self, Ident, Liftedness};
use std::sync::Arc;

/// Makes names for parameters and binds them in the scope: a size parameter as
/// an `i64` value, a type parameter as a type that stands for itself. Reports
/// parameters bound twice.
pub fn bind_tparams(ctx: &mut Context, scope: &mut Scope, tparams: &[ast::TypeParam]) -> Vec<TParam> {
    let mut out = Vec::with_capacity(tparams.len());
    for (i, p) in tparams.iter().enumerate() {
        let twin = tparams[..i].iter().find(|q| same_space(p, q) && ident(p).name == ident(q).name);
        if let Some(q) = twin {
            let id = ident(p);
            ctx.report(
                Diagnostic::error(id.span, format!("Parameter \"{}\" was previously bound.", id.name))
                    .label("also bound here")
                    .related(ident(q).span, "first bound here"),
            );
        }
        out.push(match p {
            ast::TypeParam::Size(id) => TParam::Size(bind_size(ctx, scope, *id)),
            ast::TypeParam::Type(lifted, id) => {
                let name = ctx.bind(id.name, id.span);
                ctx.type_params.insert(name);
                ctx.uses.bind(*id);
                scope.bind_type(id.name, abstract_type(ctx, name, *lifted, vec![], id.span));
                TParam::Type(*lifted, name)
            }
        });
    }
    out
}

/// Binds a size as a value of type `i64`.
pub fn bind_size(ctx: &mut Context, scope: &mut Scope, id: Ident) -> Name {
    let name = ctx.bind(id.name, id.span);
    ctx.uses.bind(id);
    let scheme = Arc::new(Scheme::mono(Type::scalar(ScalarType::I64)));
    scope.bind_val(id.name, ValEntry { name, scheme, span: id.span, kind: ValKind::SizeParam });
    name
}

/// The entry of a type that stands for itself, and a note of its kind.
pub fn abstract_type(
    ctx: &mut Context,
    name: Name,
    lifted: Liftedness,
    tparams: Vec<TParam>,
    span: Span,
) -> TypeEntry {
    ctx.kinds.insert(name, lifted);
    TypeEntry { name, def: Arc::new(abstract_def(name, lifted, tparams)), span }
}

/// The definition of a type that stands for itself.
pub fn abstract_def(name: Name, lifted: Liftedness, tparams: Vec<TParam>) -> TypeDef {
    let args = tparams.iter().map(|p| param_arg(*p)).collect();
    let ty = Type::Var(crate::types::Uniq::Nonunique, name, Arc::new(args));
    TypeDef { tparams, lifted, def: RetType::simple(ty) }
}

/// A parameter as an argument.
pub fn param_arg(p: TParam) -> TypeArg {
    use crate::types::Size;
    match p {
        TParam::Size(n) => TypeArg::Size(Size::Var(n)),
        TParam::Type(_, n) => TypeArg::Type(Type::var(n)),
    }
}

fn ident(p: &ast::TypeParam) -> Ident {
    match p {
        ast::TypeParam::Size(id) | ast::TypeParam::Type(_, id) => *id,
    }
}

fn same_space(a: &ast::TypeParam, b: &ast::TypeParam) -> bool {
    matches!(a, ast::TypeParam::Size(_)) == matches!(b, ast::TypeParam::Size(_))
}
