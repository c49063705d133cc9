//! Names with qualifiers to what they stand for.

use crate::context::{see, Context};
use crate::named::Named;
use crate::scope::{Env, ModEntry, Module, Scope, TermEntry, TypeEntry};
use fehu_base::{Diagnostic, Span, Symbol};
use fehu_syntax::ast::{Ident, QualName};
use std::sync::Arc;

/// Why a qualified name could not be followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// There is no module of this name (or it is a value).
    NotFound(Ident),
    /// The module is parametric and has no content before it is applied.
    Parametric(Ident),
}

/// The content of the module that the qualifiers lead to; none if there are no qualifiers.
pub fn follow(scope: &Scope, quals: &[Ident]) -> Result<Option<Arc<Env>>, Stuck> {
    let mut env: Option<Arc<Env>> = None;
    for q in quals {
        let entry = match &env {
            None => scope.term(q.name),
            Some(e) => e.terms.get(&q.name),
        };
        let next = match entry {
            Some(TermEntry::Mod(ModEntry { module: Module::Struct(e), .. })) => e.clone(),
            Some(TermEntry::Mod(ModEntry { module: Module::Functor(_), .. })) => {
                return Err(Stuck::Parametric(*q))
            }
            Some(TermEntry::Val(_)) | None => return Err(Stuck::NotFound(*q)),
        };
        env = Some(next);
    }
    Ok(env)
}

/// The value or module of a qualified name, without complaint.
pub fn term<'a>(scope: &'a Scope, env: &'a Option<Arc<Env>>, name: Symbol) -> Option<&'a TermEntry> {
    match env {
        None => scope.term(name),
        Some(e) => e.terms.get(&name),
    }
}

/// The type of a qualified name; complains if there is none.
pub fn type_entry(ctx: &mut Context, scope: &Scope, q: &QualName) -> Option<TypeEntry> {
    let unknown = || Diagnostic::error(q.span, format!("Unknown type \"{}\".", show_qual(q)));
    let d = match follow(scope, &q.quals) {
        Ok(env) => {
            let found = match &env {
                None => scope.ty(q.name.name),
                Some(e) => e.types.get(&q.name.name),
            };
            match found {
                Some(t) => {
                    ctx.uses_broken |= t.def.def.ty.is_broken();
                    refer(ctx, scope, q, t.span);
                    return Some(t.clone());
                }
                None => {
                    let near = match &env {
                        None => closest(q.name.name, scope.type_names()),
                        Some(e) => closest(q.name.name, e.types.keys().copied()),
                    };
                    let d = unknown();
                    let others = if q.quals.is_empty() { other_types(q.name.name) } else { &[] };
                    match near.filter(|_| others.is_empty()) {
                        Some(n) => d.help(format!("there is a type \"{n}\"")).fix(
                            format!("Change to `{n}`"),
                            q.name.span,
                            n.as_str(),
                        ),
                        None if !others.is_empty() => {
                            let shown: Vec<String> = others.iter().map(|t| format!("\"{t}\"")).collect();
                            let d = d.help(format!("there is {}", shown.join(" and ")));
                            others.iter().fold(d, |d, t| d.fix(format!("Change to `{t}`"), q.name.span, *t))
                        }
                        None if q.quals.is_empty() && q.name.name.as_str().len() == 1 => {
                            let name = q.name.name;
                            let d = d.help(format!(
                                "a type parameter is declared before the first parameter, as in \"def f '{name} (x: {name})\"",
                            ));
                            match ctx.definition {
                                Some(of) => {
                                    d.fix(format!("Declare `'{name}`"), of.span.end(), format!(" '{name}"))
                                }
                                None => d,
                            }
                        }
                        None => d,
                    }
                }
            }
        }
        Err(Stuck::NotFound(m)) => unknown().note(format!("there is no module \"{}\" in scope here", m.name)),
        Err(Stuck::Parametric(m)) => parametric(m),
    };
    ctx.report_unknown(d);
    None
}

/// The module of a qualified name; complains if there is none.
pub fn module(ctx: &mut Context, scope: &Scope, q: &QualName) -> Option<ModEntry> {
    let d = match follow(scope, &q.quals) {
        Ok(env) => match term(scope, &env, q.name.name) {
            Some(TermEntry::Mod(m)) => {
                refer(ctx, scope, q, m.span);
                return Some(m.clone());
            }
            Some(TermEntry::Val(v)) => {
                Diagnostic::error(q.span, format!("\"{}\" is a value, not a module.", show_qual(q)))
                    .related(v.span, "bound as a value here")
            }
            None => unknown_module(q),
        },
        Err(Stuck::NotFound(_)) => unknown_module(q),
        Err(Stuck::Parametric(m)) => parametric(m),
    };
    ctx.report(d);
    None
}

/// What other languages call a type.
pub(crate) fn other_types(name: Symbol) -> &'static [&'static str] {
    match name.as_str() {
        "int" | "integer" | "Int" | "Integer" => &["i32", "i64"],
        "uint" | "unsigned" => &["u32", "u64"],
        "long" | "usize" | "isize" | "size_t" => &["i64"],
        "short" => &["i16"],
        "byte" | "char" | "Char" => &["u8"],
        "float" | "Float" | "real" => &["f32"],
        "double" | "Double" => &["f64"],
        "boolean" | "Bool" => &["bool"],
        "string" | "String" | "str" => &["[]u8"],
        _ => &[],
    }
}

fn unknown_module(q: &QualName) -> Diagnostic {
    Diagnostic::error(q.span, format!("Unknown module \"{}\".", show_qual(q)))
}

/// The complaint about looking into a parametric module.
pub fn parametric(m: Ident) -> Diagnostic {
    Diagnostic::error(m.span, format!("Module \"{}\" is a parametric module.", m.name))
        .note("it has no content of its own until it is applied to an argument")
        .note(see(Named::ModuleIsParametric))
        .help(format!("bind an application, as in \"module x = {} arg\", and use that", m.name))
}

/// A qualified name as written.
pub fn show_qual(q: &QualName) -> String {
    let mut s = String::new();
    for m in &q.quals {
        s.push_str(m.name.as_str());
        s.push('.');
    }
    s.push_str(q.name.name.as_str());
    s
}

/// The most similar of some names, if any is similar enough to be what was meant.
pub fn closest(name: Symbol, among: impl Iterator<Item = Symbol>) -> Option<Symbol> {
    let text = name.as_str();
    let limit = match text.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    among
        // Letters may be added, left out, replaced or swapped with their neighbour.
        .map(|s| (strsim::osa_distance(text, s.as_str()), s.as_str(), s))
        .filter(|(d, _, _)| *d > 0 && *d <= limit)
        .min()
        .map(|(_, _, s)| s)
}

/// Notes what the parts of a qualified name refer to; the last one to what is bound at `to`.
pub(crate) fn refer(ctx: &mut Context, scope: &Scope, q: &QualName, to: Span) {
    if !ctx.uses.noted {
        return;
    }
    for (i, part) in q.quals.iter().enumerate() {
        let Ok(env) = follow(scope, &q.quals[..i]) else { return };
        let entry = match &env {
            None => scope.term(part.name),
            Some(env) => env.terms.get(&part.name),
        };
        if let Some(TermEntry::Mod(m)) = entry {
            ctx.uses.refer(*part, m.span);
        }
    }
    ctx.uses.refer(q.name, to);
}

/// Notes what the parts of a qualified name of a type in a module refer to.
pub(crate) fn refer_in(ctx: &mut Context, module: &Module, q: &QualName) {
    fn inside(m: &Module) -> Option<&Env> {
        match m {
            Module::Struct(env) => Some(env),
            Module::Functor(_) => None,
        }
    }
    let mut env = inside(module);
    for part in &q.quals {
        let Some(TermEntry::Mod(ModEntry { module, span })) = env.and_then(|e| e.terms.get(&part.name))
        else {
            return;
        };
        ctx.uses.refer(*part, *span);
        env = inside(module);
    }
    if let Some(t) = env.and_then(|e| e.types.get(&q.name.name)) {
        ctx.uses.refer(q.name, t.span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_similar_names() {
        let names = ["vector", "matrix", "length"].map(Symbol::new);
        assert_eq!(closest(Symbol::new("vectr"), names.into_iter()), Some(names[0]));
        assert_eq!(closest(Symbol::new("vetcor"), names.into_iter()), Some(names[0]));
        assert_eq!(closest(Symbol::new("tensor"), names.into_iter()), None);
    }
}
