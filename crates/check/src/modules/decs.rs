//! Declarations, one after another.

use super::defined::{Defined, Place};
use super::needed::promised;
use super::{Checker, Stop};
use crate::context::see;
use crate::named::Named;
use crate::scope::{Env, ModEntry, ModTypeEntry, Module, TermEntry, TypeEntry, ValEntry, ValKind};
use crate::show::Show;
use crate::terms::sizes::equal::other_name;
use crate::type_exp::uses::{has_any_in_param, mentioned, name_anys};
use crate::type_exp::{bind_tparams, elaborate_kinded};
use crate::types::{Arrow, RetType, Scheme, Size, TParam, Type, TypeDef};
use crate::{consume, exhaust, tast, terms, warn};
use fehu_base::{Diagnostic, Span, Symbol};
use fehu_syntax::ast::{self, Ident, Liftedness};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Checker<'_> {
    /// Checks declarations, in a scope that they extend; what they show to the outside.
    pub(super) fn decs(
        &mut self,
        decs: &[ast::Dec],
        place: Place,
        out: &mut Vec<tast::Dec>,
    ) -> Result<Env, Stop> {
        let mut env = Env::default();
        let mut defined = Defined::default();
        for dec in decs {
            self.dec(dec, place, &mut defined, &mut env, out)?;
        }
        Ok(env)
    }

    pub(super) fn dec(
        &mut self,
        dec: &ast::Dec,
        place: Place,
        defined: &mut Defined,
        env: &mut Env,
        out: &mut Vec<tast::Dec>,
    ) -> Result<(), Stop> {
        if (self.give_up)() {
            self.given_up = true;
            return Err(Stop);
        }
        self.ctx.definition = None;
        match dec {
            ast::Dec::Val(b) => {
                self.ctx.uses.bind(b.name);
                self.once(&mut defined.terms, "name", b.name);
                let entry = self.val_bind(b, place, out);
                self.scope.bind_val(b.name.name, entry.clone());
                env.terms.insert(b.name.name, TermEntry::Val(entry));
            }
            ast::Dec::Type(b) => {
                self.once(&mut defined.types, "type", b.name);
                let entry = self.type_bind(b);
                self.scope.bind_type(b.name.name, entry.clone());
                env.types.insert(b.name.name, entry);
            }
            ast::Dec::Mod(b) => {
                self.ctx.uses.bind(b.name);
                self.once(&mut defined.terms, "name", b.name);
                let module = self.mod_bind(b, out)?;
                self.ctx.bind_module(b.name.name.as_str(), &module);
                let entry = TermEntry::Mod(ModEntry { module, span: b.name.span });
                self.scope.bind_term(b.name.name, entry.clone());
                env.terms.insert(b.name.name, entry);
            }
            ast::Dec::ModType(b) => {
                self.ctx.uses.bind(b.name);
                self.once(&mut defined.mod_types, "module type", b.name);
                let around = std::mem::take(&mut self.path);
                let sig = self.mod_type(&b.def);
                self.path = around;
                let entry = ModTypeEntry { sig: Arc::new(sig?), span: b.name.span };
                self.scope.bind_mod_type(b.name.name, entry.clone());
                env.mod_types.insert(b.name.name, entry);
            }
            ast::Dec::Open(m, _) => {
                let span = m.span();
                let module = self.mod_exp(m, out)?;
                let opened = self.structure(module, span)?;
                self.scope.open(&opened);
                env.terms.extend(opened.terms.iter().map(|(s, e)| (*s, e.clone())));
                env.types.extend(opened.types.iter().map(|(s, e)| (*s, e.clone())));
                env.mod_types.extend(opened.mod_types.iter().map(|(s, e)| (*s, e.clone())));
            }
            ast::Dec::Import(path, span) => {
                let opened = self.import(*path, *span)?;
                self.scope.open(&opened);
            }
            ast::Dec::Local(dec, _) => {
                // What no other file sees may also hide an earlier definition.
                let (mut alone, mut unseen) = (Defined::default(), Env::default());
                self.dec(dec, place, &mut alone, &mut unseen, out)?;
            }
        }
        Ok(())
    }

    /// The content of an imported file.
    pub(super) fn import(&mut self, path: Symbol, span: Span) -> Result<Arc<Env>, Stop> {
        let unit = &self.units[self.unit];
        let found = unit.imports.iter().find(|(p, _)| *p == path).and_then(|(_, i)| self.envs.get(*i));
        match found {
            Some(env) => Ok(env.clone()),
            None => self.fail(Diagnostic::error(span, format!("Could not import \"{path}\"."))),
        }
    }

    /// The content of a module that must not be parametric.
    pub(super) fn structure(&mut self, m: Module, span: Span) -> Result<Arc<Env>, Stop> {
        match m {
            Module::Struct(env) => Ok(env),
            Module::Functor(_) => self.fail(
                Diagnostic::error(span, "Cannot have a parametric module here.")
                    .note("a parametric module has no content until it is applied to an argument"),
            ),
        }
    }

    /// Complains about what one list of declarations or specifications defines twice.
    pub(super) fn once(&mut self, defined: &mut FxHashMap<Symbol, Span>, what: &str, id: Ident) {
        if let Some(first) = defined.insert(id.name, id.span) {
            self.ctx.report(
                Diagnostic::error(id.span, format!("Duplicate definition of {what} {}.", id.name))
                    .label("defined again here")
                    .related(first, "previously defined here"),
            );
        }
    }

    fn val_bind(&mut self, b: &ast::ValBind, place: Place, out: &mut Vec<tast::Dec>) -> ValEntry {
        if self.unit < self.prelude && !self.needed.contains(b.name.name) {
            if let Some(ty) = promised(b) {
                return self.val_spec(b.name, &b.tparams, &ty, b.span);
            }
        }
        if self.units[self.unit].is_broken(b.span) {
            if let Some(ty) = promised(b) {
                return self.val_spec(b.name, &b.tparams, &ty, b.span);
            }
            let name = self.ctx.bind(b.name.name, b.name.span);
            let scheme = Arc::new(Scheme::mono(Type::Error));
            return ValEntry { name, scheme, span: b.name.span, kind: ValKind::Global };
        }
        let text = b.name.name.as_str();
        if text == "&&" || text == "||" {
            self.ctx.report(
                Diagnostic::error(b.name.span, format!("The {text} operator may not be redefined."))
                    .note("it does not always evaluate its right operand, which no function can do")
                    .note(see(Named::MayNotBeRedefined)),
            );
        }
        let name = self.ctx.bind(b.name.name, b.name.span);
        self.ctx.begin(b.name);
        let errors = self.errors();
        let (bind, mut scheme) = terms::check_val_bind(&mut self.ctx, &mut self.scope, name, b);
        let said = self.ctx.diagnostics.len();
        if let Some(mut bind) = bind {
            exhaust::check_val_bind(&mut self.ctx, &bind);
            consume::check_val_bind(&mut self.ctx, &mut bind);
            if self.unit >= self.prelude {
                warn::check_val_bind(&mut self.ctx, &bind);
            }
            scheme.ty = with_result(&scheme.ty, bind.params.len(), &bind.ret);
            if let Some(other) = other_name(&bind.body).filter(|_| bind.params.is_empty()) {
                self.ctx.synonyms.note(name, other);
            }
            if self.errors() == errors {
                bind.entry = self.entry_point(b, &bind, place);
            }
            if self.ctx.uses_broken {
                self.ctx.diagnostics.truncate(said);
            }
            out.push(tast::Dec::Val(bind));
        } else {
            if b.keyword == ast::ValKeyword::Entry && place == Place::Nested {
                self.nested_entry(b);
            }
            if let Some(ty) = promised(b) {
                scheme = self.promised_scheme(b, &ty).unwrap_or(scheme);
            }
            let ty = scheme.ty.clone();
            self.ctx.unfinished.push(tast::Occurrence { span: b.name.span, name, ty });
        }
        ValEntry { name, scheme: Arc::new(scheme), span: b.name.span, kind: ValKind::Global }
    }

    /// What a definition with errors is declared to be, so that those who use it are checked; unless there is
    /// an error in that, too.
    fn promised_scheme(&mut self, b: &ast::ValBind, ty: &ast::TypeExp) -> Option<Scheme> {
        let said = self.ctx.diagnostics.len();
        let entry = self.val_spec(b.name, &b.tparams, ty, b.span);
        let wrong = self.ctx.diagnostics.len() > said;
        self.ctx.diagnostics.truncate(said);
        (!wrong).then(|| Scheme::clone(&entry.scheme))
    }

    pub(super) fn errors(&self) -> usize {
        self.ctx.diagnostics.iter().filter(|d| d.severity == fehu_base::Severity::Error).count()
    }

    /// `type t [n] 'a = def`, in a module or a module type.
    pub(super) fn type_bind(&mut self, b: &ast::TypeBind) -> TypeEntry {
        self.ctx.uses.bind(b.name);
        self.ctx.begin(b.name);
        let mark = self.scope.mark();
        let tparams = bind_tparams(&mut self.ctx, &mut self.scope, &b.tparams);
        let errors = self.errors();
        let (def, kind) = elaborate_kinded(&mut self.ctx, &mut self.scope, &b.def);
        self.scope.rollback(mark);
        let name = self.ctx.bind(b.name.name, b.name.span);
        if self.errors() > errors || def.ty.is_broken() {
            let def = TypeDef { tparams, lifted: b.lifted, def: RetType::simple(Type::Error) };
            return TypeEntry { name, def: Arc::new(def), span: b.name.span };
        }
        let named = def.dims.len();
        let def = self.name_existentials(def);
        self.abbreviation_kind(b, kind, def.dims.len() > named || named > 0);
        let mut used = FxHashSet::default();
        mentioned(&def.ty, &mut used);
        for p in &tparams {
            if let TParam::Size(n) = p {
                if !used.contains(n) {
                    let text = format!("Size parameter \"[{}]\" unused.", self.ctx.names.base(*n));
                    self.ctx.report(Diagnostic::error(b.span, text));
                }
            }
        }
        if has_any_in_param(&def.ty) {
            self.ctx.report(
                Diagnostic::error(
                    b.span,
                    "Type abbreviation contains an anonymous size not used constructively as an array size.",
                )
                .note("a function does not show the sizes of its parameters")
                .note(see(Named::AnonymousNonconstructive)),
            );
        }
        let def = TypeDef { tparams, lifted: b.lifted, def };
        TypeEntry { name, def: Arc::new(def), span: b.name.span }
    }

    /// Gives each anonymous size outside of functions an existential name.
    pub(super) fn name_existentials(&mut self, def: RetType) -> RetType {
        let mut dims = def.dims;
        let names = &mut self.ctx.names;
        let ty = name_anys(&def.ty, &mut || {
            let d = names.fresh_str("d");
            dims.push(d);
            Size::Var(d)
        });
        RetType { dims, ty }
    }

    fn abbreviation_kind(&mut self, b: &ast::TypeBind, kind: Liftedness, existential: bool) {
        let (text, mark, remedy) = match (b.lifted, kind) {
            (Liftedness::Lifted, _) => return,
            (Liftedness::Unlifted | Liftedness::SizeLifted, Liftedness::Lifted) => {
                ("Non-lifted type abbreviations may not contain functions.", "^", "declare it with \"type^\"")
            }
            (Liftedness::SizeLifted, Liftedness::Unlifted | Liftedness::SizeLifted) => return,
            (Liftedness::Unlifted, Liftedness::SizeLifted) => (
                "Non-size-lifted type abbreviations may not contain size-lifted types.",
                "~",
                "declare it with \"type~\"",
            ),
            (Liftedness::Unlifted, Liftedness::Unlifted) if existential => (
                "Non-lifted type abbreviations may not use existential sizes in their definition.",
                "~",
                "declare it with \"type~\", or give it size parameters",
            ),
            (Liftedness::Unlifted, Liftedness::Unlifted) => return,
        };
        let d = Diagnostic::error(b.span, text).help(remedy);
        // Attributes stand before the keyword.
        self.ctx.report(match b.attrs.is_empty() {
            true => {
                let keyword = Span { hi: b.name.span.lo, ..b.span };
                d.fix(format!("Declare it with `type{mark}`"), keyword, format!("type{mark} "))
            }
            false => d,
        });
    }
}

/// The function type with another result after so many parameters.
fn with_result(t: &Type, params: usize, ret: &RetType) -> Type {
    if params == 0 {
        return ret.ty.clone();
    }
    let Type::Arrow(a) = t else { return t.clone() };
    let ret =
        if params == 1 { ret.clone() } else { RetType::simple(with_result(&a.ret.ty, params - 1, ret)) };
    Type::Arrow(a.with(Arrow { param: a.param, lhs: a.lhs.clone(), ret }))
}

/// A scheme's parameters as a module type writes them: ` [n] 'a`.
pub(super) fn show_params(show: Show<'_>, s: &[TParam]) -> String {
    s.iter().map(|p| format!(" {}", show.tparam(*p))).collect()
}
