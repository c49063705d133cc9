//! Entry points: what they may be, and how they present themselves.
//!
//! An entry point is called from outside, where there is no type inference: it
//! has no type parameters, takes and gives no functions, and the sizes of
//! its arguments tell all its size parameters.

use super::defined::Place;
use super::shown::TypeDefs;
use super::Checker;
use crate::context::see;
use crate::named::Named;
use crate::tast::{EntryParam, EntryPoint, Shown, ValBind};
use crate::type_exp::uses::kind;
use crate::type_exp::uses::{constructive, mentioned};
use crate::types::{RetType, TParam, Type};
use fehu_base::{Diagnostic, Span, Symbol};
use fehu_syntax::ast::{self, Liftedness, Pat, TypeExp, ValKeyword};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// Checks the rules for entry points; how it presents itself if it is one of the main file's.
    pub(super) fn entry_point(
        &mut self,
        b: &ast::ValBind,
        bind: &ValBind,
        place: Place,
    ) -> Option<EntryPoint> {
        let declared = b.keyword == ValKeyword::Entry;
        let is_main = self.unit + 1 == self.units.len();
        if declared && place == Place::Nested {
            self.nested_entry(b);
            return None;
        }
        let main = b.name.name.as_str() == "main" && is_main && place == Place::TopLevel;
        if !declared && !main {
            return None;
        }
        self.entry_rules(b, bind);
        let defs = || self.type_defs.get_or_init(|| TypeDefs::new(self.units));
        is_main.then(|| presentation(b, bind, &|t| defs().written(t)))
    }

    /// Complains about an entry point in a module.
    pub(super) fn nested_entry(&mut self, b: &ast::ValBind) {
        let d = Diagnostic::error(b.name.span, "Entry points may not be declared inside modules.")
            .note(see(Named::NestedEntry))
            .help(format!(
                "write \"def\" here, and declare \"entry {0} = m.{0}\" at the top level of the file",
                b.name.name
            ));
        // Attributes stand before the keyword.
        self.ctx.report(match b.attrs.is_empty() {
            true => {
                let keyword = Span { hi: b.name.span.lo, ..b.span };
                d.fix("Make this an ordinary definition", keyword, "def ")
            }
            false => d,
        });
    }

    fn entry_rules(&mut self, b: &ast::ValBind, bind: &ValBind) {
        let error = |text: &str, name: Named| Diagnostic::error(b.name.span, text).note(see(name));
        if bind.tparams.iter().any(|p| matches!(p, TParam::Type(..))) {
            self.ctx.report(
                error("Entry point functions may not be polymorphic.", Named::PolymorphicEntry)
                    .help("declare one entry point for each type that it is needed at"),
            );
            return;
        }
        let (params, ret) = flat_type(bind);
        let functional = |t: &Type| kind(&self.ctx, t) == Liftedness::Lifted;
        if params.iter().any(functional) || functional(&ret.ty) {
            self.ctx.report(error("Entry point functions may not be higher-order.", Named::HigherOrderEntry));
            return;
        }
        let mut shown = FxHashSet::default();
        params.iter().for_each(|t| constructive(t, &mut shown));
        let mut in_params = FxHashSet::default();
        params.iter().for_each(|t| mentioned(t, &mut in_params));
        for p in &bind.tparams {
            let TParam::Size(n) = p else { continue };
            if shown.contains(n) {
                continue;
            }
            let base = self.ctx.names.base(*n);
            let d = if in_params.contains(n) {
                error(
                    &format!("Entry point size parameter [{base}] only used non-constructively."),
                    Named::NonconstructiveEntry,
                )
                .note("its value must be the size of an argument, since it cannot be computed back from an expression")
            } else {
                error(
                    "Entry point functions must not be size-polymorphic in their return type.",
                    Named::SizePolymorphicEntry,
                )
                .note(format!("nothing tells the size [{base}] when the entry point is called"))
            };
            self.ctx.report(d);
        }
    }
}

/// The types of all parameters, also those of a function that is the result, and the last result.
fn flat_type(bind: &ValBind) -> (Vec<Type>, RetType) {
    let mut params: Vec<Type> = bind.params.iter().map(|p| p.ty.clone()).collect();
    let mut ret = bind.ret.clone();
    while let Type::Arrow(a) = &ret.ty {
        params.push(a.lhs.clone());
        let next = a.ret.clone();
        ret = next;
    }
    (params, ret)
}

fn presentation(b: &ast::ValBind, bind: &ValBind, written: &dyn Fn(&TypeExp) -> Shown) -> EntryPoint {
    let mut params: Vec<EntryParam> =
        b.params.iter().map(|p| EntryParam { name: pat_name(p), ty: pat_type(p).map(written) }).collect();
    let mut ret = b.ret.as_ref();
    let mut ty = bind.ret.clone();
    while let Type::Arrow(a) = &ty.ty {
        let (param, rest) = match ret.map(bare) {
            Some(TypeExp::Arrow { param, lhs, rhs, .. }) => {
                (EntryParam { name: param.map(|p| p.name), ty: Some(written(lhs)) }, Some(&**rhs))
            }
            _ => (EntryParam { name: None, ty: None }, None),
        };
        params.push(param);
        ret = rest;
        let next = a.ret.clone();
        ty = next;
    }
    EntryPoint { name: b.name.name, params, ret: ret.map(written) }
}

/// The type without `*` and `?[n].` in front.
fn bare(t: &TypeExp) -> &TypeExp {
    if let TypeExp::Unique(t, _) | TypeExp::Exists(_, t, _) | TypeExp::Parens(t, _) = t {
        bare(t)
    } else {
        t
    }
}

fn pat_name(p: &Pat) -> Option<Symbol> {
    match p {
        Pat::Var(id) => Some(id.name),
        Pat::Parens(p, _) | Pat::Ascript(p, _, _) | Pat::Attr(_, p, _) => pat_name(p),
        Pat::Wildcard(_) | Pat::Tuple(..) | Pat::Record(..) | Pat::Literal { .. } | Pat::Constr(..) => None,
    }
}

fn pat_type(p: &Pat) -> Option<&TypeExp> {
    match p {
        Pat::Ascript(_, t, _) => Some(t),
        Pat::Parens(p, _) | Pat::Attr(_, p, _) => pat_type(p),
        Pat::Var(_)
        | Pat::Wildcard(_)
        | Pat::Tuple(..)
        | Pat::Record(..)
        | Pat::Literal { .. }
        | Pat::Constr(..) => None,
    }
}
