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
use super::unknown::{Guesses, Meant, Unknown, Why};
use crate::resolve::{closest, other_types};
use crate::scope::{Env, ModEntry, Module, TermEntry};
use crate::types::Type;
use fehu_base::prim::ScalarType;
use fehu_base::{Span, Symbol};
use fehu_syntax::ast::QualName;
use rustc_hash::FxHashMap;

/// The types of which the modules are looked at for a name, most usual ones first.
const USUAL: [ScalarType; 4] = [ScalarType::I32, ScalarType::F32, ScalarType::I64, ScalarType::F64];

/// How many names a message has at most.
const OFFERED: usize = 2;

/// The scalar types, most usual ones first.
fn scalars() -> impl Iterator<Item = ScalarType> {
    USUAL.into_iter().chain(ScalarType::ALL.into_iter().filter(|t| !USUAL.contains(t)))
}

/// Notes an unknown name behind the qualifiers that lead to a module, or a module that is used as a value.
/// What it is while types are collected.
pub(super) fn unknown(infer: &mut Infer<'_>, q: &QualName, env: Option<&Env>) -> Option<Type> {
    match &mut infer.guesses {
        Guesses::No { any } => {
            *any = true;
            return None;
        }
        Guesses::Known(_) => return None,
        Guesses::Collected(_) => {}
    }
    let groups = candidates(infer, q, env);
    let ty = infer.fresh(q.span);
    if let Guesses::Collected(all) = &mut infer.guesses {
        all.push(Unknown { span: q.span, ty: ty.clone(), groups });
    }
    Some(ty)
}

/// What a name may be meant for, whatever its type.
fn candidates(infer: &Infer<'_>, q: &QualName, env: Option<&Env>) -> Vec<Meant> {
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
    if infer.scope.term(name).is_some() {
        return vec![group(Why::Converts, from_all(name.as_str()))];
    }
    let mut types = other_types(name).to_vec();
    if types == ["f32"] {
        types.push("f64");
    }
    let conversions = types.iter().flat_map(|to| from_all(to)).collect();
    let near = closest(name, infer.scope.term_names()).map(|n| n.to_string());
    let near_number = closest_of_numbers(infer, name).map_or(vec![], of_numbers);
    vec![
        group(Why::Called, known),
        group(Why::OfNumbers, of_numbers(name)),
        group(Why::Converts, conversions),
        group(Why::Called, near.into_iter().collect()),
        group(Why::OfNumbers, near_number),
    ]
}

/// The most similar name in the modules of numbers.
fn closest_of_numbers(infer: &Infer<'_>, name: Symbol) -> Option<Symbol> {
    let modules = [ScalarType::F64, ScalarType::I64].map(|t| Symbol::new(t.as_str()));
    let modules = modules.iter().filter_map(|m| match infer.scope.term(*m) {
        Some(TermEntry::Mod(ModEntry { module: Module::Struct(env), .. })) => Some(env),
        Some(TermEntry::Mod(_) | TermEntry::Val(_)) | None => None,
    });
    closest(name, modules.flat_map(|env| env.terms.keys().copied()))
}

/// What may be meant by the names that were collected. A name with one candidate has its type.
pub(super) fn guess(infer: &mut Infer<'_>) -> FxHashMap<Span, Meant> {
    let Guesses::Collected(mut open) = std::mem::replace(&mut infer.guesses, Guesses::No { any: false })
    else {
        return FxHashMap::default();
    };
    let mut meant = FxHashMap::default();
    let mut defaulted = false;
    loop {
        let before = open.len();
        open.retain(|u| {
            let Some(found) = suiting(infer, u) else { return true };
            let [one] = &found.names[..] else { return true };
            use_candidate(infer, one, u);
            meant.insert(u.span, found);
            false
        });
        if open.len() < before {
            continue;
        }
        // Numbers of which nothing is said are what literals are; but not if then nothing suits.
        for u in &open {
            if let Some(found) = suiting(infer, u) {
                meant.insert(u.span, found);
            }
        }
        if defaulted {
            return meant;
        }
        default_numbers(infer);
        defaulted = true;
    }
}

/// The first candidates whose types are that of the name.
fn suiting(infer: &mut Infer<'_>, u: &Unknown) -> Option<Meant> {
    u.groups.iter().find_map(|g| {
        let names: Vec<String> =
            g.names.iter().filter(|n| suits(infer, n, u)).take(OFFERED).cloned().collect();
        (!names.is_empty()).then_some(Meant { why: g.why, names })
    })
}

fn suits(infer: &mut Infer<'_>, candidate: &str, u: &Unknown) -> bool {
    let before: State = infer.st.clone();
    let suits = use_candidate(infer, candidate, u);
    infer.st = before;
    suits
}

/// Gives a name the type of a candidate, if it can have it. Words that are no names suit any place.
fn use_candidate(infer: &mut Infer<'_>, candidate: &str, u: &Unknown) -> bool {
    let Some(v) = infer.value(candidate) else {
        return !candidate.starts_with(char::is_alphabetic) || matches!(candidate, "true" | "false");
    };
    let ty = infer.use_of(&v, u.span).ty;
    infer.unify(&u.ty, &ty).is_ok()
}

fn default_numbers(infer: &mut Infer<'_>) {
    for slot in &mut infer.st.slots {
        let Slot::Free(free) = slot else { continue };
        if let Cons::OneOf(set, _) = free.cons {
            let t = [ScalarType::I32, ScalarType::F64].into_iter().find(|t| set.has(*t));
            *slot = t.map_or_else(|| slot.clone(), |t| Slot::Known(Type::scalar(t)));
        }
    }
}
