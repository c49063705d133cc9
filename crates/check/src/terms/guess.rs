//! Which names may be meant by those that nothing has: the ones whose types suit their places.
//!
//! A definition in which a name is unknown is inferred once more. There, each unknown name may have any
//! type; what the rest of the definition says of it is its type. Candidates are names that have that type:
//!
//! ```text
//! def f (r: f64) = 2 * pi * r                  pi: f64, so it is f64.pi and not f32.pi
//! def f (xs: []i32): []f64 = map float xs      float: i32 -> f64, so it is f64.i32
//! def f (a: f32) = mpa (+ a)                   no function of numbers: map
//! ```

use super::hints::other_name;
use super::infer::Infer;
use super::metas::{Cons, Slot, State};
use crate::resolve::{closest, other_types};
use crate::scope::{Env, ModEntry, Module, TermEntry, ValEntry};
use crate::types::Type;
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Span, Symbol};
use fehu_syntax::ast::{Ident, QualName};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is done about unknown names.
pub(crate) enum Guesses {
    /// They are refused; whether there were any.
    No { any: bool },
    /// They may have any type.
    Collected(Vec<Unknown>),
    /// They are refused, and these may be meant; in the order of likelihood.
    Known(FxHashMap<Span, Meant>),
}

/// A name that nothing has.
pub(crate) struct Unknown {
    span: Span,
    ty: Type,
    /// What may be meant, in the order of likelihood; of a group, the first that suit are all offered.
    groups: Vec<Meant>,
}

/// What may be meant.
#[derive(Clone)]
pub(crate) struct Meant {
    why: Why,
    names: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// It is called so.
    Called,
    /// It is a function or constant of numbers, which are in the modules of their types.
    OfNumbers,
    /// It converts numbers.
    Converts,
}

/// The types of which the modules are looked at for a name, most usual ones first.
const USUAL: [ScalarType; 4] = [ScalarType::I32, ScalarType::F32, ScalarType::I64, ScalarType::F64];

/// How many names a message has at most.
const OFFERED: usize = 2;

/// The scalar types, most usual ones first.
fn scalars() -> impl Iterator<Item = ScalarType> {
    USUAL.into_iter().chain(ScalarType::ALL.into_iter().filter(|t| !USUAL.contains(t)))
}

impl Infer<'_> {
    /// Whether a name was refused of which it is not known yet what may be meant.
    pub(super) fn any_unknown(&self) -> bool {
        matches!(self.guesses, Guesses::No { any: true })
    }

    /// Notes an unknown name behind the qualifiers that lead to a module, or a module that is used as a value.
    /// What it is while types are collected.
    pub(super) fn unknown(&mut self, q: &QualName, env: Option<&Env>) -> Option<Type> {
        match &mut self.guesses {
            Guesses::No { any } => {
                *any = true;
                return None;
            }
            Guesses::Known(_) => return None,
            Guesses::Collected(_) => {}
        }
        let groups = self.candidates(q, env);
        let ty = self.fresh(q.span);
        if let Guesses::Collected(all) = &mut self.guesses {
            all.push(Unknown { span: q.span, ty: ty.clone(), groups });
        }
        Some(ty)
    }

    /// What a name may be meant for, whatever its type.
    fn candidates(&self, q: &QualName, env: Option<&Env>) -> Vec<Meant> {
        let name = q.name.name;
        let group = |why, names| Meant { why, names };
        let of_numbers = |name: Symbol| scalars().map(|t| format!("{}.{name}", t.as_str())).collect();
        match (env, &q.quals[..]) {
            // `Math.sqrt`
            (None, [_]) => return vec![group(Why::OfNumbers, of_numbers(name))],
            (None, [_, _, ..]) => return vec![],
            (Some(_), _) | (None, []) => {}
        }
        let known = other_name(q.quals.last().map(|i| i.name), name).into_iter().collect();
        if let Some(env) = env {
            let qualifiers: String = q.quals.iter().map(|i| format!("{}.", i.name)).collect();
            let near = closest(name, env.terms.keys().copied());
            let near = near.into_iter().map(|n| format!("{qualifiers}{n}")).collect();
            // `f32.length`
            let plain = vec![name.to_string()];
            return vec![group(Why::Called, known), group(Why::Called, near), group(Why::Called, plain)];
        }
        let from_all = |to: &str| {
            let others = scalars().map(ScalarType::as_str).filter(|from| *from != to);
            others.map(|from| format!("{to}.{from}")).collect::<Vec<_>>()
        };
        if self.scope.term(name).is_some() {
            return vec![group(Why::Converts, from_all(name.as_str()))];
        }
        let mut types = other_types(name).to_vec();
        if types == ["f32"] {
            types.push("f64");
        }
        let conversions = types.iter().flat_map(|to| from_all(to)).collect();
        let near = closest(name, self.scope.term_names()).map(|n| n.to_string());
        let near_number = self.closest_of_numbers(name).map_or(vec![], of_numbers);
        vec![
            group(Why::Called, known),
            group(Why::OfNumbers, of_numbers(name)),
            group(Why::Converts, conversions),
            group(Why::Called, near.into_iter().collect()),
            group(Why::OfNumbers, near_number),
        ]
    }

    /// The most similar name in the modules of numbers.
    fn closest_of_numbers(&self, name: Symbol) -> Option<Symbol> {
        let modules = [ScalarType::F64, ScalarType::I64].map(|t| Symbol::new(t.as_str()));
        let modules = modules.iter().filter_map(|m| match self.scope.term(*m) {
            Some(TermEntry::Mod(ModEntry { module: Module::Struct(env), .. })) => Some(env),
            Some(TermEntry::Mod(_) | TermEntry::Val(_)) | None => None,
        });
        closest(name, modules.flat_map(|env| env.terms.keys().copied()))
    }

    /// What may be meant by the names that were collected. A name with one candidate has its type.
    pub(super) fn guess(&mut self) -> FxHashMap<Span, Meant> {
        let Guesses::Collected(mut open) = std::mem::replace(&mut self.guesses, Guesses::No { any: false })
        else {
            return FxHashMap::default();
        };
        let mut meant = FxHashMap::default();
        let mut defaulted = false;
        loop {
            let before = open.len();
            open.retain(|u| {
                let Some(found) = self.suiting(u) else { return true };
                let [one] = &found.names[..] else { return true };
                self.use_candidate(one, u);
                meant.insert(u.span, found);
                false
            });
            if open.len() < before {
                continue;
            }
            // Numbers of which nothing is said are what literals are; but not if then nothing suits.
            for u in &open {
                if let Some(found) = self.suiting(u) {
                    meant.insert(u.span, found);
                }
            }
            if defaulted {
                return meant;
            }
            self.default_numbers();
            defaulted = true;
        }
    }

    /// The first candidates whose types are that of the name.
    fn suiting(&mut self, u: &Unknown) -> Option<Meant> {
        u.groups.iter().find_map(|g| {
            let names: Vec<String> =
                g.names.iter().filter(|n| self.suits(n, u)).take(OFFERED).cloned().collect();
            (!names.is_empty()).then_some(Meant { why: g.why, names })
        })
    }

    fn suits(&mut self, candidate: &str, u: &Unknown) -> bool {
        let before: State = self.st.clone();
        let suits = self.use_candidate(candidate, u);
        self.st = before;
        suits
    }

    /// Gives a name the type of a candidate, if it can have it. Words that are no names suit any place.
    fn use_candidate(&mut self, candidate: &str, u: &Unknown) -> bool {
        let Some(v) = self.value(candidate) else {
            return !candidate.starts_with(char::is_alphabetic) || matches!(candidate, "true" | "false");
        };
        let ty = self.use_of(&v, u.span).ty;
        self.unify(&u.ty, &ty).is_ok()
    }

    /// The value with a possibly qualified name.
    pub(super) fn value(&self, path: &str) -> Option<ValEntry> {
        let mut env: Option<Arc<Env>> = None;
        for part in path.split('.').map(Symbol::new) {
            let entry = match &env {
                None => self.scope.term(part),
                Some(e) => e.terms.get(&part),
            };
            match entry? {
                TermEntry::Val(v) => return Some(v.clone()),
                TermEntry::Mod(ModEntry { module: Module::Struct(e), .. }) => env = Some(e.clone()),
                TermEntry::Mod(_) => return None,
            }
        }
        None
    }

    fn default_numbers(&mut self) {
        for slot in &mut self.st.slots {
            let Slot::Free(free) = slot else { continue };
            if let Cons::OneOf(set, _) = free.cons {
                let t = [ScalarType::I32, ScalarType::F64].into_iter().find(|t| set.has(*t));
                *slot = t.map_or_else(|| slot.clone(), |t| Slot::Known(Type::scalar(t)));
            }
        }
    }

    /// What may be meant by the name at a place.
    pub(super) fn meant(&self, at: Span) -> Option<&Meant> {
        match &self.guesses {
            Guesses::Known(all) => all.get(&at),
            Guesses::No { .. } | Guesses::Collected(_) => None,
        }
    }
}

impl Meant {
    /// Whether it has the very name.
    pub(super) fn is_certain(&self) -> bool {
        self.why == Why::OfNumbers
    }

    /// The diagnostic about a name with what may be meant by it, to be written at a place.
    pub(super) fn told(&self, d: Diagnostic, at: Span) -> Diagnostic {
        let shown: Vec<String> = self.names.iter().map(|n| format!("\"{n}\"")).collect();
        let shown = shown.join(" and ");
        let d = match (self.why, &self.names[..]) {
            (Why::OfNumbers, [one]) => {
                d.help(format!("for {} it is {shown}", one.split('.').next().unwrap_or_default()))
            }
            (Why::Converts, _) => d.help(format!("convert with {}", shown.replace(" and ", " or "))),
            (Why::Called | Why::OfNumbers, _) => d.help(format!("there is {shown}")),
        };
        self.names.iter().fold(d, |d, n| d.fix(format!("Change to `{n}`"), at, n.as_str()))
    }
}

/// Whether the similar name of another type may be meant: short words are similar to many.
pub(super) fn long_enough(name: Ident) -> bool {
    name.name.as_str().chars().count() > 4
}
