//! What a program says about its properties: the arguments of `#[prop]`, and whether the types fit.
//!
//! In: names, and the server that knows types and attributes. Out: [`Declaration`]s, or everything that is wrong, by
//! property in alphabetical order.

use crate::programs::Connection;
use fehu_data::server::ServerError;

/// The size of candidates of properties that do not say.
const DEFAULT_SIZE: i64 = 50;

/// A property that can be tested.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    /// The entry point.
    pub(super) property: String,
    /// The type of its argument.
    pub(super) argument: String,
    /// Whether it consumes its argument.
    pub(super) consumes: bool,
    /// What makes candidates.
    pub(super) generator: Option<String>,
    /// What makes smaller counterexamples.
    pub(super) shrinker: Option<Shrinker>,
    /// The size of candidates.
    pub(super) size: i64,
}

/// An entry point that makes smaller counterexamples.
#[derive(Clone, Debug)]
pub(super) struct Shrinker {
    /// Its name.
    pub(super) name: String,
    /// Whether it consumes the counterexample.
    pub(super) consumes: bool,
}

/// The declarations of properties, in the given order; or what is wrong with them.
pub(super) fn declarations(
    server: &mut Connection,
    names: &[&String],
) -> Result<Result<Vec<Declaration>, Vec<String>>, ServerError> {
    let entries = server.entry_points()?;
    let mut sorted: Vec<&String> = names.to_vec();
    sorted.sort();
    sorted.dedup();
    let (mut found, mut mistakes) = (vec![], vec![]);
    for name in sorted {
        match declaration(server, &entries, name)? {
            Ok(declaration) => found.push(declaration),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if !mistakes.is_empty() {
        return Ok(Err(mistakes));
    }
    let of = |name: &&String| found.iter().find(|d| d.property == **name).cloned();
    Ok(Ok(names.iter().filter_map(of).collect()))
}

fn declaration(
    server: &mut Connection,
    entries: &[String],
    name: &str,
) -> Result<Result<Declaration, String>, ServerError> {
    let is_entry = |name: &str| entries.iter().any(|e| e == name);
    if !is_entry(name) {
        return wrong(format!("Declared as property, but is not an entry point: \"{name}\"."));
    }
    let inputs = server.inputs(name)?;
    let [input] = inputs.as_slice() else {
        return wrong(match inputs.len() {
            0 => format!("Property {name} has no inputs: expected 1."),
            n => format!("Property {name} has {n} inputs; expected 1."),
        });
    };
    let output = server.output(name)?.name;
    if output != "bool" {
        return wrong(format!("Property {name} output must be bool, got: {output}"));
    }
    let attributes = server.attributes(name)?;
    let Some(arguments) = attributes.iter().find_map(|a| prop_arguments(a)) else {
        return wrong(format!("Declared as property, but has no #[prop] attribute: \"{name}\"."));
    };
    let last = |key: &str| arguments.iter().rev().find(|(k, _)| *k == key).map(|(_, v)| *v);
    let size = match last("size").map(str::parse::<i64>) {
        None => DEFAULT_SIZE,
        Some(Ok(size)) if size >= 0 => size,
        Some(_) => return wrong(format!("Property {name} has a size that is not a natural number.")),
    };
    let argument = input.name.clone();
    let generator = last("gen").map(str::to_owned);
    if let Some(generator) = &generator {
        if !is_entry(generator) {
            return wrong(format!("Generator is not a server entry point: {generator}"));
        }
        if let Some(mistake) = generator_mistake(server, name, generator, &argument)? {
            return wrong(mistake);
        }
    }
    let shrinker = match last("shrink") {
        None => None,
        Some(shrinker) if !is_entry(shrinker) => {
            return wrong(format!("Shrinker is not a server entry point: {shrinker}"));
        }
        Some(shrinker) => match shrinker_mistake(server, name, shrinker, &argument)? {
            Some(mistake) => return wrong(mistake),
            None => {
                let consumes = server.inputs(shrinker)?.iter().any(|i| i.unique);
                Some(Shrinker { name: shrinker.to_owned(), consumes })
            }
        },
    };
    let consumes = input.unique;
    Ok(Ok(Declaration { property: name.to_owned(), argument, consumes, generator, shrinker, size }))
}

fn wrong(message: String) -> Result<Result<Declaration, String>, ServerError> {
    Ok(Err(message))
}

/// A generator is `i64 -> u64 -> t`.
fn generator_mistake(
    server: &mut Connection,
    property: &str,
    generator: &str,
    argument: &str,
) -> Result<Option<String>, ServerError> {
    let mut types: Vec<String> = server.inputs(generator)?.into_iter().map(|t| t.name).collect();
    types.push(server.output(generator)?.name);
    if types == ["i64", "u64", argument] {
        return Ok(None);
    }
    Ok(Some(format!(
        "Generator \"{generator}\" for property \"{property}\" has invalid type.\n\
         Expected: i64 -> u64 -> {argument}\nActual:   {}",
        types.join(" -> ")
    )))
}

/// A shrinker is `t -> u64 -> t`.
fn shrinker_mistake(
    server: &mut Connection,
    property: &str,
    shrinker: &str,
    argument: &str,
) -> Result<Option<String>, ServerError> {
    let inputs: Vec<String> = server.inputs(shrinker)?.into_iter().map(|t| t.name).collect();
    let output = server.output(shrinker)?.name;
    let [value, random] = inputs.as_slice() else {
        let shown: Vec<String> = inputs.iter().map(|t| format!("{t:?}")).collect();
        return Ok(Some(format!(
            "Shrinker input arity mismatch.\n shrinker {shrinker} inputs: [{}]\n\
             Expected exactly 2 inputs: ({argument}, u64).",
            shown.join(",")
        )));
    };
    Ok(if value != argument {
        Some(format!("Shrinker Mismatch:\nShrinker {shrinker} takes {value} but expected {argument}"))
    } else if random != "u64" {
        Some(format!("Shrinker Mismatch:\nShrinker {shrinker} takes random value {random} but expected u64"))
    } else if output != argument {
        Some(format!(
            "Shrinker output mismatch.\nProperty {property} expects: {argument}\n\
             Shrinker {shrinker} returns: {output:?}\n\
             Expected shrinker output to equal the property input type."
        ))
    } else {
        None
    })
}

/// The arguments of `prop(key(value), ...)`; `None` if the attribute is another. What is no `key(value)` is ignored, as
/// unknown attributes are everywhere.
fn prop_arguments(attribute: &str) -> Option<Vec<(&str, &str)>> {
    if attribute.trim() == "prop" {
        return Some(vec![]);
    }
    let inside = attribute.trim().strip_prefix("prop(")?.strip_suffix(')')?;
    let pair = |part: &'_ str| -> Option<(usize, usize)> {
        let open = part.find('(')?;
        part.ends_with(')').then_some((open, part.len() - 1))
    };
    let parts = split_at_commas(inside).into_iter().map(str::trim);
    Some(
        parts
            .filter_map(|p| pair(p).map(|(open, end)| (p[..open].trim(), p[open + 1..end].trim())))
            .collect(),
    )
}

/// The parts between commas that stand in no parentheses.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (vec![], 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_the_attribute() {
        assert_eq!(prop_arguments("prop"), Some(vec![]));
        assert_eq!(prop_arguments("prop(gen(f),size(10))"), Some(vec![("gen", "f"), ("size", "10")]));
        assert_eq!(prop_arguments("prop(size, shrink( g ))"), Some(vec![("shrink", "g")]));
        assert_eq!(prop_arguments("prop(a(b(c), d), e(f))"), Some(vec![("a", "b(c), d"), ("e", "f")]));
        assert_eq!(prop_arguments("propp(gen(f))"), None);
        assert_eq!(prop_arguments("inline"), None);
    }
}
