//! Module types.

use super::ascribe::type_at;
use super::copier::{qualified, refresh, see_through};
use super::decs::show_params;
use super::{Checker, Stop};
use crate::resolve::{follow, parametric, refer, refer_in, show_qual, Stuck};
use crate::scope::{
    AbstractType, Env, FunctorSig, ModEntry, Module, ModuleType, TermEntry, TypeEntry, ValEntry, ValKind,
};
use crate::show::{Abbreviations, Show, Texts};
use crate::subst::Subst;
use crate::type_exp::params::abstract_type;
use crate::type_exp::uses::{has_any, has_any_in_param};
use crate::type_exp::{bind_tparams, elaborate, elaborate_kinded};
use crate::types::{Scheme, Size, TParam, Type, TypeArg, TypeDef};
use fehu_base::{Diagnostic, Span, Symbol};
use fehu_syntax::ast::{Ident, Liftedness, ModTypeExp, QualName, Spec, TypeExp, TypeParam};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A module type under construction.
#[derive(Default)]
struct Building {
    env: Env,
    abs: Vec<AbstractType>,
    terms: FxHashMap<Symbol, Span>,
    types: FxHashMap<Symbol, Span>,
}

impl Checker<'_> {
    /// A module type expression, with names of its own for all it describes.
    pub(super) fn mod_type(&mut self, te: &ModTypeExp) -> Result<ModuleType, Stop> {
        fehu_base::stack::deep(|| match te {
            ModTypeExp::Parens(t, _) => self.mod_type(t),
            ModTypeExp::Var(q) => self.named_mod_type(q),
            ModTypeExp::Specs(specs, _) => self.specs(specs),
            ModTypeExp::With { base, name, tparams, def, span } => {
                let sig = self.mod_type(base)?;
                self.refine(sig, name, tparams, def, *span)
            }
            ModTypeExp::Arrow { param, lhs, rhs, span } => self.functor_type(*param, lhs, rhs, *span),
        })
    }

    fn named_mod_type(&mut self, q: &QualName) -> Result<ModuleType, Stop> {
        let entry = match follow(&self.scope, &q.quals) {
            Ok(None) => self.scope.mod_type(q.name.name).cloned(),
            Ok(Some(env)) => env.mod_types.get(&q.name.name).cloned(),
            Err(Stuck::Parametric(m)) => return self.fail(parametric(m)),
            Err(Stuck::NotFound(_)) => None,
        };
        match entry {
            Some(entry) => {
                refer(&mut self.ctx, &self.scope, q, entry.span);
                Ok(refresh(&mut self.ctx, &entry.sig, &self.path))
            }
            None => {
                self.fail(Diagnostic::error(q.span, format!("Unknown module type \"{}\".", show_qual(q))))
            }
        }
    }

    fn functor_type(
        &mut self,
        param: Option<Ident>,
        lhs: &ModTypeExp,
        rhs: &ModTypeExp,
        span: Span,
    ) -> Result<ModuleType, Stop> {
        let around = std::mem::replace(&mut self.path, param.iter().map(|p| p.name).collect());
        let lhs = self.mod_type(lhs);
        self.path = around;
        let lhs = lhs?;
        let mark = self.scope.mark();
        if let Some(p) = param {
            self.ctx.uses.bind(p);
            self.ctx.bind_module(p.name.as_str(), &lhs.module);
            let entry = ModEntry { module: lhs.module.clone(), span: p.span };
            self.scope.bind_term(p.name, TermEntry::Mod(entry));
        }
        let rhs = self.mod_type(rhs)?;
        self.scope.rollback(mark);
        let sig = FunctorSig {
            name: self.ctx.bind(Symbol::new("functor"), span),
            param_abs: lhs.abs,
            param_span: param.map_or(Span::NONE, |p| p.span),
            param: lhs.module,
            result_abs: rhs.abs,
            result: rhs.module,
            hidden: vec![],
            synonyms: vec![],
        };
        Ok(ModuleType { abs: vec![], module: Module::Functor(Arc::new(sig)) })
    }

    fn specs(&mut self, specs: &[Spec]) -> Result<ModuleType, Stop> {
        let mark = self.scope.mark();
        let mut b = Building::default();
        for spec in specs {
            self.spec(spec, &mut b)?;
        }
        self.scope.rollback(mark);
        Ok(ModuleType { abs: b.abs, module: Module::Struct(Arc::new(b.env)) })
    }

    fn spec(&mut self, spec: &Spec, b: &mut Building) -> Result<(), Stop> {
        match spec {
            Spec::Val { name, tparams, ty, span, .. } => {
                self.once(&mut b.terms, "name", *name);
                let entry = self.val_spec(*name, tparams, ty, *span);
                self.scope.bind_val(name.name, entry.clone());
                b.env.terms.insert(name.name, TermEntry::Val(entry));
            }
            Spec::TypeAbbrev(t) => {
                self.once(&mut b.types, "type", t.name);
                let entry = self.type_bind(t);
                self.scope.bind_type(t.name.name, entry.clone());
                b.env.types.insert(t.name.name, entry);
            }
            Spec::Type { lifted, name, tparams, span, .. } => {
                self.ctx.uses.bind(*name);
                self.once(&mut b.types, "type", *name);
                let entry = self.type_spec(*lifted, *name, tparams, *span, b);
                self.scope.bind_type(name.name, entry.clone());
                b.env.types.insert(name.name, entry);
            }
            Spec::Mod { name, sig, .. } => {
                self.ctx.uses.bind(*name);
                self.once(&mut b.terms, "name", *name);
                self.path.push(name.name);
                let sig = self.mod_type(sig);
                self.path.pop();
                let sig = sig?;
                b.abs.extend(sig.abs.into_iter().map(|mut a| {
                    a.path.insert(0, name.name);
                    a
                }));
                self.ctx.bind_module(name.name.as_str(), &sig.module);
                let entry = TermEntry::Mod(ModEntry { module: sig.module, span: name.span });
                self.scope.bind_term(name.name, entry.clone());
                b.env.terms.insert(name.name, entry);
            }
            Spec::Include(sig, span) => {
                let sig = self.mod_type(sig)?;
                let env = self.structure(sig.module, *span)?;
                self.ctx.uses.alike(&b.env, &env);
                for (s, e) in &env.types {
                    if b.env.types.contains_key(s) {
                        self.ctx
                            .report(Diagnostic::warning(*span, format!("Inclusion shadows type \"{s}\".")));
                    }
                    b.env.types.insert(*s, e.clone());
                }
                b.abs.extend(sig.abs);
                self.scope.open(&env);
                b.env.terms.extend(env.terms.iter().map(|(s, e)| (*s, e.clone())));
            }
        }
        Ok(())
    }

    pub(super) fn val_spec(
        &mut self,
        name: Ident,
        tparams: &[TypeParam],
        te: &TypeExp,
        span: Span,
    ) -> ValEntry {
        self.ctx.uses.bind(name);
        self.ctx.begin(name);
        let errors = self.errors();
        let mark = self.scope.mark();
        let mut tparams = bind_tparams(&mut self.ctx, &mut self.scope, tparams);
        let ret = elaborate(&mut self.ctx, &mut self.scope, te);
        self.scope.rollback(mark);
        let unique = self.ctx.bind(name.name, name.span);
        if self.errors() > errors {
            let scheme = Arc::new(Scheme::mono(Type::Error));
            return ValEntry { name: unique, scheme, span: name.span, kind: ValKind::Global };
        }
        if has_any(&ret.ty) || has_any_in_param(&ret.ty) {
            self.ctx.report(
                Diagnostic::error(span, "All function parameters must have non-anonymous sizes.")
                    .help(format!("add size parameters to \"{}\", and use them in place of []", name.name)),
            );
        }
        tparams.extend(ret.dims.iter().map(|d| TParam::Size(*d)));
        let scheme = Arc::new(Scheme { tparams, overloads: vec![], ty: ret.ty });
        ValEntry { name: unique, scheme, span: name.span, kind: ValKind::Global }
    }

    fn type_spec(
        &mut self,
        lifted: Liftedness,
        id: Ident,
        tparams: &[TypeParam],
        span: Span,
        b: &mut Building,
    ) -> TypeEntry {
        let mark = self.scope.mark();
        let tparams = bind_tparams(&mut self.ctx, &mut self.scope, tparams);
        self.scope.rollback(mark);
        let base = qualified(&self.path, &[id.name]);
        let name = self.ctx.bind(base, span);
        b.abs.push(AbstractType { path: vec![id.name], name, lifted, tparams: tparams.clone() });
        abstract_type(&mut self.ctx, name, lifted, tparams, id.span)
    }

    /// `S with t 'a = def`. If `t` abbreviates an abstract type (`type t = m.s`), that is the one that becomes known.
    fn refine(
        &mut self,
        mut sig: ModuleType,
        q: &QualName,
        tparams: &[TypeParam],
        def: &TypeExp,
        span: Span,
    ) -> Result<ModuleType, Stop> {
        let path: Vec<Symbol> = q.quals.iter().chain([&q.name]).map(|i| i.name).collect();
        let Some(at) = refinable(&sig, &path) else {
            return self.fail(Diagnostic::error(
                q.span,
                format!("\"{}\" is not an abstract type in the module type.", show_qual(q)),
            ));
        };
        refer_in(&mut self.ctx, &sig.module, q);
        let abs = sig.abs.remove(at);
        let mark = self.scope.mark();
        let tparams = bind_tparams(&mut self.ctx, &mut self.scope, tparams);
        let (def, kind) = elaborate_kinded(&mut self.ctx, &mut self.scope, def);
        self.scope.rollback(mark);
        let def = self.name_existentials(def);
        if !as_general(&tparams, &abs.tparams) {
            let list = |ps: &[TParam]| match show_params(self.ctx.show(), ps) {
                s if s.is_empty() => "no type parameters".to_owned(),
                s => format!("type parameters{s}"),
            };
            let text = format!(
                "Cannot refine a type having {} with a type having {}.",
                list(&abs.tparams),
                list(&tparams)
            );
            return self.fail(Diagnostic::error(span, text));
        }
        let existential = if def.dims.is_empty() { Liftedness::Unlifted } else { Liftedness::SizeLifted };
        // What is said of the type in general stays true of users of the module type; `type t` may so become an
        // abstract type that others may give hidden sizes.
        let functional = if kind == Liftedness::Lifted { kind } else { Liftedness::Unlifted };
        let lifted = abs.lifted.max(functional).max(existential);
        let mut subst = Subst::default();
        subst.types.insert(abs.name, Arc::new(TypeDef { tparams, lifted, def }));
        let module = see_through(&mut self.ctx, &subst, &sig.module);
        Ok(ModuleType { abs: sig.abs, module })
    }
}

/// The abstract type that a type of a module type is, or is another name for with the same parameters: its
/// place in the list of them.
fn refinable(sig: &ModuleType, path: &[Symbol]) -> Option<usize> {
    let entry = type_at(&sig.module, path)?;
    let Type::Var(_, name, args) = &entry.def.def.ty else { return None };
    let own = |(arg, param): (&TypeArg, &TParam)| match arg {
        TypeArg::Size(Size::Var(x)) | TypeArg::Type(Type::Var(_, x, _)) => *x == param.name(),
        TypeArg::Size(_) | TypeArg::Type(_) => false,
    };
    let same = args.len() == entry.def.tparams.len() && args.iter().zip(&entry.def.tparams).all(own);
    sig.abs.iter().position(|a| a.name == *name).filter(|_| same)
}

/// Whether parameters `a` accept all arguments that `b` accept.
fn as_general(a: &[TParam], b: &[TParam]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| match (x, y) {
            (TParam::Size(_), TParam::Size(_)) => true,
            (TParam::Type(l, _), TParam::Type(m, _)) => l >= m,
            (TParam::Size(_), TParam::Type(..)) | (TParam::Type(..), TParam::Size(_)) => false,
        })
}

/// A type definition as a declaration: `type~ t [n] = ...`.
pub(super) fn show_type_def(
    names: &fehu_base::NameSource,
    name: &str,
    d: &TypeDef,
    abstracted: bool,
) -> String {
    let texts = Texts::default();
    // As what they stand for: two abbreviations of different types may have one name.
    let show = Show { abbreviations: Abbreviations::Expanded, ..Show::plain(names, &texts) };
    let mark = crate::show::lift_mark(d.lifted);
    let head = format!("type{mark} {name}{}", show_params(show, &d.tparams));
    if abstracted {
        return head;
    }
    format!("{head} = {}", show.ret(&d.def))
}
