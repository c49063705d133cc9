//! Module expressions, functors and their application.

use super::ascribe;
use super::copier::{Copier, Depth};
use super::defined::Place;
use super::{Checker, Stop};
use crate::resolve;
use crate::scope::{AbstractType, FunctorSig, ModEntry, Module, ModuleType, TermEntry};
use crate::tast::{Dec, Functor, FunctorApply};
use crate::terms::sizes::equal::Synonyms;
use crate::type_exp::uses::{mentioned, mentioned_ret};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::{self, ModExp, ModParam, ModTypeExp};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::sync::Arc;

impl Checker<'_> {
    /// `module m (p: S) : T = e`.
    pub(super) fn mod_bind(&mut self, b: &ast::ModBind, out: &mut Vec<Dec>) -> Result<Module, Stop> {
        self.path.push(b.name.name);
        let params: Vec<&ModParam> = b.params.iter().collect();
        let module = self.parametric(b.name.name, &params, b.sig.as_ref(), &b.body, b.span, out);
        self.path.pop();
        module
    }

    /// A module expression. What it declares goes to `out`.
    pub(super) fn mod_exp(&mut self, e: &ModExp, out: &mut Vec<Dec>) -> Result<Module, Stop> {
        fehu_base::stack::deep(|| self.mod_exp_inner(e, out))
    }

    fn mod_exp_inner(&mut self, e: &ModExp, out: &mut Vec<Dec>) -> Result<Module, Stop> {
        match e {
            ModExp::Parens(e, _) => self.mod_exp(e, out),
            ModExp::Var(q) => {
                let first = q.quals.first().unwrap_or(&q.name).name;
                if first.as_str() == "intrinsics" && self.is_builtin(first) {
                    return self.fail(Diagnostic::error(
                        q.span,
                        "The 'intrinsics' module may not be used in module expressions.",
                    ));
                }
                let entry = resolve::module(&mut self.ctx, &self.scope, q).ok_or(Stop)?;
                Ok(entry.module)
            }
            ModExp::Import(path, span) => Ok(Module::Struct(self.import(*path, *span)?)),
            ModExp::Decs(decs, _) => {
                let mark = self.scope.mark();
                let env = self.decs(decs, Place::Nested, out)?;
                self.scope.rollback(mark);
                Ok(Module::Struct(Arc::new(env)))
            }
            ModExp::Apply(f, arg, span) => {
                let functor = self.mod_exp(f, out)?;
                let Module::Functor(functor) = functor else {
                    return self.fail(
                        Diagnostic::error(f.span(), "Cannot apply non-parametric module.")
                            .label("not a parametric module"),
                    );
                };
                let place = arg.span();
                let arg = self.mod_exp(arg, out)?;
                let applied = self.apply(&functor, &arg, &ascribe::Place::at(place), *span, out);
                if applied.is_err() && functor.param_span != Span::NONE {
                    let last = self.ctx.diagnostics.pop();
                    let last = last.map(|d| d.related(functor.param_span, "the parameter that it must suit"));
                    let last = last.map(|d| self.with_suiting(d, &functor, place));
                    self.ctx.diagnostics.extend(last);
                }
                applied
            }
            ModExp::Ascript(e, t, _) => {
                let module = self.mod_exp(e, out)?;
                let sig = self.mod_type(t)?;
                self.ascribe(&module, sig, t.span(), out)
            }
            ModExp::Lambda(p, sig, body, span) => {
                self.parametric(Symbol::new("functor"), &[&**p], sig.as_deref(), body, *span, out)
            }
        }
    }

    /// The complaint about the argument of a functor with modules that suit its parameter: of the program
    /// first, then of numbers.
    fn with_suiting(&mut self, d: Diagnostic, f: &FunctorSig, at: Span) -> Diagnostic {
        let order = |name: Symbol| {
            let number = ScalarType::ALL.iter().rposition(|t| t.as_str() == name.as_str());
            (number.is_some(), std::cmp::Reverse(number), name.as_str())
        };
        let param = ModuleType { abs: f.param_abs.clone(), module: f.param.clone() };
        let mut names: Vec<Symbol> = self.scope.term_names().collect();
        names.sort_by_key(|n| order(*n));
        let mut found = vec![];
        for name in names {
            let Some(TermEntry::Mod(m)) = self.scope.term(name) else { continue };
            let module = m.module.clone();
            if !may_suit(&module, &param.module) || found.len() == 2 {
                continue;
            }
            let said = self.ctx.diagnostics.len();
            if self.matches(&module, &param, &ascribe::Place::at(at), &mut vec![]).is_ok() {
                found.push(name);
            }
            self.ctx.diagnostics.truncate(said);
        }
        if found.is_empty() || d.help.is_some() {
            return d;
        }
        let shown: Vec<String> = found.iter().map(|n| format!("\"{n}\"")).collect();
        let suit = if shown.len() == 1 { "suits" } else { "suit" };
        let d = d.help(format!("{} {suit} it", shown.join(" and ")));
        found.iter().fold(d, |d, n| d.fix(format!("Change to `{n}`"), at, n.as_str()))
    }

    fn is_builtin(&self, name: Symbol) -> bool {
        matches!(self.scope.term(name), Some(TermEntry::Mod(m)) if m.span == Span::NONE)
    }

    /// A module under parameters; without any left, the module itself.
    fn parametric(
        &mut self,
        name: Symbol,
        params: &[&ModParam],
        sig: Option<&ModTypeExp>,
        body: &ModExp,
        span: Span,
        out: &mut Vec<Dec>,
    ) -> Result<Module, Stop> {
        let Some((p, rest)) = params.split_first() else {
            let module = self.mod_exp(body, out)?;
            return match sig {
                None => Ok(module),
                Some(t) => {
                    let sig = self.mod_type(t)?;
                    self.ascribe(&module, sig, t.span(), out)
                }
            };
        };
        let around = std::mem::replace(&mut self.path, vec![p.name.name]);
        let param = self.mod_type(&p.sig);
        self.path = around;
        let param = param?;
        let mark = self.scope.mark();
        self.ctx.uses.bind(p.name);
        self.ctx.bind_module(p.name.name.as_str(), &param.module);
        let entry = ModEntry { module: param.module.clone(), span: p.name.span };
        self.scope.bind_term(p.name.name, TermEntry::Mod(entry));
        let outside = std::mem::take(&mut self.made);
        let mut inner = vec![];
        let result = self.parametric(name, rest, sig, body, span, &mut inner)?;
        let result_abs = std::mem::replace(&mut self.made, outside);
        self.scope.rollback(mark);
        let (hidden, synonyms) = hidden_names(&self.ctx.synonyms, &param.module, &inner, &result);
        let name = self.ctx.bind(name, span);
        out.push(Dec::Functor(Functor { name, body: inner, span }));
        Ok(Module::Functor(Arc::new(FunctorSig {
            name,
            param_abs: param.abs,
            param_span: p.span,
            param: param.module,
            result_abs,
            result,
            hidden,
            synonyms,
        })))
    }

    /// The result of a functor applied to a module; a module that does not fit is reported at `place`.
    pub(super) fn apply(
        &mut self,
        f: &FunctorSig,
        arg: &Module,
        place: &ascribe::Place,
        span: Span,
        out: &mut Vec<Dec>,
    ) -> Result<Module, Stop> {
        let mut bind = vec![];
        let param = ModuleType { abs: f.param_abs.clone(), module: f.param.clone() };
        let subst = self.matches(arg, &param, place, &mut bind)?;
        let mut copier = Copier::new(&mut self.ctx, Depth::Surface, subst);
        let made: Vec<AbstractType> = copier.abstract_types(&f.result_abs, &self.path);
        f.hidden.iter().for_each(|n| copier.value(*n));
        copier.declare(&f.result);
        let module = copier.module(&f.result);
        let (results, subst) = (copier.pairs, copier.subst);
        for (value, of) in &f.synonyms {
            let of = if of == value { *of } else { subst.value(*of) };
            self.ctx.synonyms.note(subst.value(*value), of);
        }
        self.made.extend(made);
        out.push(Dec::Apply(FunctorApply { functor: f.name, bind, results, span }));
        Ok(module)
    }
}

/// Whether a module has all names that a parameter asks for.
fn may_suit(module: &Module, param: &Module) -> bool {
    let (Module::Struct(given), Module::Struct(asked)) = (module, param) else { return false };
    asked.types.keys().all(|t| given.types.contains_key(t))
        && asked.terms.keys().all(|t| given.terms.contains_key(t))
}

/// What the result depends on and does not show, but the body binds; and the values, shown and hidden, that
/// are other names for something.
fn hidden_names(
    known: &Synonyms,
    param: &Module,
    body: &[Dec],
    result: &Module,
) -> (Vec<Name>, Vec<(Name, Name)>) {
    let mut names = Names::default();
    names.of(result);
    let values: Vec<Name> = names.used.iter().chain(&names.shown).map(|n| known.value(*n)).collect();
    names.used.extend(values);
    let (mut seen, mut hidden) = (names.shown.clone(), vec![]);
    let mut inside = Names::default();
    inside.of(param);
    let mut inside = inside.shown;
    let mut consider = |n: Name| {
        inside.insert(n);
        if names.used.contains(&n) && seen.insert(n) {
            hidden.push(n);
        }
    };
    for dec in body {
        match dec {
            Dec::Val(b) => {
                consider(b.name);
                if b.params.is_empty() {
                    b.ret.dims.iter().for_each(|d| consider(*d));
                }
            }
            Dec::Alias(a) => consider(a.name),
            Dec::Apply(a) => a.results.iter().for_each(|(n, _)| consider(*n)),
            Dec::TypeDef(..) | Dec::Functor(_) => {}
        }
    }
    let synonyms = names.shown.iter().chain(&hidden).map(|n| (*n, known.value(*n)));
    let synonyms = synonyms.filter(|(n, of)| n != of || !inside.contains(n)).collect();
    (hidden, synonyms)
}

/// The names in a module.
#[derive(Default)]
struct Names {
    /// Those that its types, and parametric modules in it, mention.
    used: FxHashSet<Name>,
    /// Those of its values.
    shown: IndexSet<Name, FxBuildHasher>,
}

impl Names {
    fn of(&mut self, m: &Module) {
        match m {
            Module::Struct(env) => {
                for entry in env.terms.values() {
                    match entry {
                        TermEntry::Val(v) => {
                            self.shown.insert(v.name);
                            mentioned(&v.scheme.ty, &mut self.used);
                        }
                        TermEntry::Mod(m) => self.of(&m.module),
                    }
                }
                env.types.values().for_each(|t| mentioned_ret(&t.def.def, &mut self.used));
            }
            Module::Functor(f) => {
                let mut inside = Names::default();
                inside.of(&f.param);
                inside.of(&f.result);
                self.used.extend(inside.used);
                self.used.extend(f.synonyms.iter().map(|(_, of)| *of));
            }
        }
    }
}
