//! A module seen through a module type.
//!
//! The module must have everything the module type asks for. What comes out
//! has the module type's names: abstract types ([`Dec::TypeDef`] says what they
//! really are), values ([`Dec::Alias`] says which ones they are) and functors.
//! A functor is matched by writing the functor that the module type
//! describes, `F (p: S) = (f p) : T`.

use super::copier::{qualified, see_through};
use super::mod_type::show_type_def;
use super::owning::owning_wrapper;
use super::subsume;
use super::{Checker, Stop};
use crate::scope::{AbstractType, Env, FunctorSig, Module, ModuleType, TermEntry, TypeEntry, ValEntry};
use crate::subst::Subst;
use crate::tast::{Dec, Functor, ValAlias};
use crate::terms::sizes::equal::Synonyms;
use crate::type_exp::params::abstract_def;
use crate::type_exp::uses::{constructive, kind};
use crate::types::{TParam, TypeDef};
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::Liftedness;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Checker<'_> {
    /// The module as the module type (which is not used for anything else) describes it.
    pub(super) fn ascribe(
        &mut self,
        m: &Module,
        sig: ModuleType,
        span: Span,
        out: &mut Vec<Dec>,
    ) -> Result<Module, Stop> {
        let first = out.len();
        let (_, functors) = self.matched(m, &sig, &Place::at(span), out)?;
        // The names of the module type are those of the module's values, under other types.
        for dec in &out[first..] {
            match dec {
                Dec::Alias(a) => self.ctx.synonyms.note(a.name, a.target),
                Dec::Val(_) | Dec::TypeDef(..) | Dec::Functor(_) | Dec::Apply(_) => {}
            }
        }
        self.made.extend(sig.abs);
        Ok(with_synonyms(sig.module, &functors))
    }

    /// Binds all names of the module type to what the module has; what they stand for in types.
    pub(super) fn matches(
        &mut self,
        m: &Module,
        sig: &ModuleType,
        place: &Place,
        out: &mut Vec<Dec>,
    ) -> Result<Subst, Stop> {
        self.matched(m, sig, place, out).map(|(subst, _)| subst)
    }

    /// The same, and what the values of the functors stand for that the module type describes.
    fn matched(
        &mut self,
        m: &Module,
        sig: &ModuleType,
        place: &Place,
        out: &mut Vec<Dec>,
    ) -> Result<(Subst, FunctorSynonyms), Stop> {
        let mut subst = Subst::default();
        for abs in &sig.abs {
            let def = self.abstract_type(m, abs, place)?;
            out.push(Dec::TypeDef(abs.name, (*def).clone()));
            subst.types.insert(abs.name, def);
        }
        same_values(m, &sig.module, &mut subst);
        let mut goal = Goal { abs: &sig.abs, path: vec![], place, functors: FunctorSynonyms::default() };
        self.module(m, &sig.module, &mut goal, &subst, out)?;
        self.ctx.uses.matched(m, &sig.module);
        Ok((subst, goal.functors))
    }

    /// What the module has for an abstract type of the module type.
    fn abstract_type(&mut self, m: &Module, abs: &AbstractType, place: &Place) -> Result<Arc<TypeDef>, Stop> {
        let name = place.show(&abs.path);
        let span = place.span;
        let Some(entry) = type_at(m, &abs.path) else {
            return self
                .fail(Diagnostic::error(span, format!("Module does not define a type named \"{name}\".")));
        };
        let given = show_type_def(&self.ctx.names, &name, &entry.def, false);
        if !same_sorts(&entry.def.tparams, &abs.tparams) {
            let wanted = abstract_def(abs.name, abs.lifted, abs.tparams.clone());
            let wanted = show_type_def(&self.ctx.names, &name, &wanted, true);
            let text = format!("Module defines\n  {given}\nbut module type requires\n  {wanted}");
            return self.fail(Diagnostic::error(span, text).related(entry.span, "defined here"));
        }
        if entry.def.lifted > abs.lifted {
            let wanted = match abs.lifted {
                Liftedness::Unlifted => "non-lifted",
                Liftedness::SizeLifted => "size-lifted",
                Liftedness::Lifted => "lifted",
            };
            let text = format!("Module defines\n  {given}\nbut module type requires a {wanted} type.");
            return self.fail(Diagnostic::error(span, text).related(entry.span, "defined here"));
        }
        let mut shown = FxHashSet::default();
        constructive(&entry.def.def.ty, &mut shown);
        for p in &entry.def.tparams {
            let TParam::Size(n) = p else { continue };
            if !shown.contains(n) {
                let size = self.ctx.names.base(*n);
                let text = format!(
                    "Type\n  {given}\ncannot be made abstract because size parameter [{size}] is not used constructively."
                );
                return self.fail(
                    Diagnostic::error(span, text)
                        .note("a value of the type must show the size, as the size of an array"),
                );
            }
        }
        Ok(entry.def.clone())
    }

    fn module(
        &mut self,
        m: &Module,
        sig: &Module,
        goal: &mut Goal<'_>,
        subst: &Subst,
        out: &mut Vec<Dec>,
    ) -> Result<(), Stop> {
        match (m, sig) {
            (Module::Struct(m), Module::Struct(sig)) => self.structure_matches(m, sig, goal, subst, out),
            (Module::Functor(f), Module::Functor(sig)) => self.functor_matches(f, sig, goal, subst, out),
            (Module::Functor(_), Module::Struct(_)) => self.fail(Diagnostic::error(
                goal.place.span,
                format!("Cannot match parametric module{} with non-parametric module type.", goal.named()),
            )),
            (Module::Struct(_), Module::Functor(_)) => self.fail(Diagnostic::error(
                goal.place.span,
                format!("Cannot match non-parametric module{} with parametric module type.", goal.named()),
            )),
        }
    }

    fn structure_matches(
        &mut self,
        m: &Env,
        sig: &Env,
        goal: &mut Goal<'_>,
        subst: &Subst,
        out: &mut Vec<Dec>,
    ) -> Result<(), Stop> {
        for (sym, entry) in &sig.types {
            goal.path.push(*sym);
            if !goal.abs.iter().any(|a| a.path == goal.path && a.name == entry.name) {
                self.type_matches(m.types.get(sym), entry, goal, subst)?;
            }
            goal.path.pop();
        }
        for (sym, entry) in &sig.terms {
            goal.path.push(*sym);
            match (entry, m.terms.get(sym)) {
                (TermEntry::Val(want), Some(TermEntry::Val(have))) => {
                    self.value_matches(have, want, goal, subst, out)?;
                }
                (TermEntry::Mod(want), Some(TermEntry::Mod(have))) => {
                    self.module(&have.module, &want.module, goal, subst, out)?;
                }
                (TermEntry::Val(_), Some(TermEntry::Mod(_)) | None) => {
                    return self.fail(goal.lacks("value"));
                }
                (TermEntry::Mod(_), Some(TermEntry::Val(_)) | None) => {
                    return self.fail(goal.lacks("module"));
                }
            }
            goal.path.pop();
        }
        Ok(())
    }

    fn type_matches(
        &mut self,
        have: Option<&TypeEntry>,
        want: &TypeEntry,
        goal: &Goal<'_>,
        subst: &Subst,
    ) -> Result<(), Stop> {
        let Some(have) = have else { return self.fail(goal.lacks("type")) };
        let expected = subst.type_def(&mut self.ctx.names, &want.def);
        let lifted = expected.lifted.max(kind(&self.ctx, &expected.def.ty));
        let same = same_sorts(&have.def.tparams, &expected.tparams)
            && have.def.lifted <= lifted
            && subsume::same_def(&mut self.ctx, &have.def, &expected).is_ok();
        if same {
            return Ok(());
        }
        let name = goal.name();
        let text = format!(
            "Module defines\n  {}\nbut module type requires\n  {}",
            show_type_def(&self.ctx.names, &name, &have.def, false),
            show_type_def(&self.ctx.names, &name, &expected, false)
        );
        self.fail(Diagnostic::error(goal.place.span, text).related(have.span, "defined here"))
    }

    fn value_matches(
        &mut self,
        have: &ValEntry,
        want: &ValEntry,
        goal: &Goal<'_>,
        subst: &Subst,
        out: &mut Vec<Dec>,
    ) -> Result<(), Stop> {
        let expected = subst.scheme(&mut self.ctx.names, &want.scheme);
        // Sizes that a refinement has brought are no parameters of the value, so a wrapper could not have them.
        let refined = expected.tparams.len() != want.scheme.tparams.len();
        let found = match subsume::scheme(&mut self.ctx, &have.scheme, &expected) {
            Ok(inst) if inst.copies && refined => {
                Err("The types are incompatible regarding consumption.".to_string())
            }
            found => found,
        };
        match found {
            Ok(inst) if inst.copies => {
                let wrapper = owning_wrapper(&mut self.ctx, have, &expected, want.name, inst.args);
                out.push(Dec::Val(wrapper));
                Ok(())
            }
            Ok(inst) => {
                out.push(Dec::Alias(ValAlias {
                    name: want.name,
                    scheme: (*want.scheme).clone(),
                    target: have.name,
                    inst: inst.args,
                }));
                Ok(())
            }
            Err(why) => {
                let name = goal.name();
                let show = self.ctx.show();
                let text = format!(
                    "Value \"{name}\" is not as the module type says. Module type specifies\n  val {}\nbut module provides\n  val {}\n{why}",
                    show.specification(&name, &expected),
                    show.specification(&name, &have.scheme)
                );
                self.fail(Diagnostic::error(goal.place.span, text).related(have.span, "provided here"))
            }
        }
    }

    fn functor_matches(
        &mut self,
        have: &FunctorSig,
        want: &FunctorSig,
        goal: &mut Goal<'_>,
        subst: &Subst,
        out: &mut Vec<Dec>,
    ) -> Result<(), Stop> {
        let param = see_through(&mut self.ctx, subst, &want.param);
        let result = see_through(&mut self.ctx, subst, &want.result);
        let outside = std::mem::take(&mut self.made);
        let mut body = vec![];
        let span = goal.place.span;
        let path = goal.place.path.iter().chain(&goal.path).copied().collect();
        let place = Place { span, path };
        let got = self.apply(have, &param, &place, span, &mut body)?;
        let result = ModuleType { abs: want.result_abs.clone(), module: result };
        self.matches(&got, &result, &place, &mut body)?;
        self.made = outside;
        goal.functors.insert(want.name, synonyms_of(&self.ctx.synonyms, &body));
        out.push(Dec::Functor(Functor { name: want.name, body, span }));
        Ok(())
    }
}

/// What is being matched.
struct Goal<'a> {
    abs: &'a [AbstractType],
    path: Vec<Symbol>,
    place: &'a Place,
    /// The functors of the module type that have been matched.
    functors: FunctorSynonyms,
}

/// For each functor, values of its result that are other names for something.
type FunctorSynonyms = FxHashMap<Name, Vec<(Name, Name)>>;

/// What the values of a functor's result stand for: values of its parameter or from outside, or values of the
/// result that stand for the same.
fn synonyms_of(known: &Synonyms, body: &[Dec]) -> Vec<(Name, Name)> {
    let mut shown: FxHashMap<Name, Name> = FxHashMap::default();
    let mut inside: FxHashSet<Name> = FxHashSet::default();
    for dec in body {
        match dec {
            Dec::Val(b) => drop(inside.insert(b.name)),
            Dec::Alias(a) => drop(inside.insert(a.name)),
            Dec::Apply(a) => inside.extend(a.results.iter().map(|(n, _)| *n)),
            Dec::TypeDef(..) | Dec::Functor(_) => {}
        }
    }
    let mut found = vec![];
    for dec in body {
        let Dec::Alias(a) = dec else { continue };
        let value = known.value(a.target);
        // Each application makes what is bound inside anew.
        let of = if inside.contains(&value) { *shown.entry(value).or_insert(a.name) } else { value };
        if of != a.name {
            found.push((a.name, of));
        }
    }
    found
}

/// A module of which it is known what the values of its functors stand for.
fn with_synonyms(m: Module, functors: &FunctorSynonyms) -> Module {
    if functors.is_empty() {
        return m;
    }
    match m {
        Module::Functor(f) => {
            let synonyms = functors.get(&f.name).unwrap_or(&f.synonyms).clone();
            Module::Functor(Arc::new(FunctorSig { synonyms, ..(*f).clone() }))
        }
        Module::Struct(env) => {
            let mut env = (*env).clone();
            for entry in env.terms.values_mut() {
                if let TermEntry::Mod(m) = entry {
                    m.module = with_synonyms(m.module.clone(), functors);
                }
            }
            Module::Struct(Arc::new(env))
        }
    }
}

/// Where a mismatch is reported, and the functor around in the module type, for names in messages.
pub(super) struct Place {
    span: Span,
    path: Vec<Symbol>,
}

impl Place {
    /// Not inside a functor.
    pub(super) fn at(span: Span) -> Place {
        Place { span, path: vec![] }
    }

    fn show(&self, path: &[Symbol]) -> String {
        qualified(&self.path, path).to_string()
    }
}

impl Goal<'_> {
    fn lacks(&self, what: &str) -> Diagnostic {
        Diagnostic::error(
            self.place.span,
            format!("Module does not define a {what} named \"{}\".", self.name()),
        )
    }

    fn name(&self) -> String {
        self.place.show(&self.path)
    }

    fn named(&self) -> String {
        if self.path.is_empty() {
            return String::new();
        }
        format!(" \"{}\"", self.name())
    }
}

/// Sizes in the module type mean the values that the module has.
fn same_values(m: &Module, sig: &Module, subst: &mut Subst) {
    let (Module::Struct(m), Module::Struct(sig)) = (m, sig) else { return };
    for (sym, want) in &sig.terms {
        match (want, m.terms.get(sym)) {
            (TermEntry::Val(want), Some(TermEntry::Val(have))) => subst.rename_value(want.name, have.name),
            (TermEntry::Mod(want), Some(TermEntry::Mod(have))) => {
                same_values(&have.module, &want.module, subst);
            }
            (TermEntry::Val(_), Some(TermEntry::Mod(_)) | None)
            | (TermEntry::Mod(_), Some(TermEntry::Val(_)) | None) => {}
        }
    }
}

/// The type at a path.
pub(super) fn type_at<'a>(m: &'a Module, path: &[Symbol]) -> Option<&'a TypeEntry> {
    let Module::Struct(env) = m else { return None };
    match path {
        [] => None,
        [last] => env.types.get(last),
        [first, rest @ ..] => match env.terms.get(first) {
            Some(TermEntry::Mod(m)) => type_at(&m.module, rest),
            Some(TermEntry::Val(_)) | None => None,
        },
    }
}

fn same_sorts(a: &[TParam], b: &[TParam]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| matches!(x, TParam::Size(_)) == matches!(y, TParam::Size(_)))
}
