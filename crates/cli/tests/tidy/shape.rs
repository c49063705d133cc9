//! How large things may become: functions, types whose methods are in many files, files that need each other.
//!
//! Sources are read as text, as `cargo fmt` leaves it. What is beyond a limit is in a list, with a reason; it
//! may only become shorter.

use super::{code_of, crates_in_order, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Lines of a function, at most.
const MAX_FUNCTION_LINES: usize = 120;

#[test]
fn functions_fit_two_screens() {
    for (file, code) in all_code() {
        for (name, lines) in functions(&code) {
            let problem = format!("{}: {name} has {lines} lines; name its parts", file.display());
            assert!(lines <= MAX_FUNCTION_LINES, "{problem}");
        }
    }
}

/// Files over which the methods of a type may be spread.
const MAX_FILES_OF_TYPE: usize = 8;

/// Types that are spread over more: the crate, the type, how many files, and why.
const SPREAD: [(&str, &str, usize, &str); 1] = [(
    "ad",
    "Reverse",
    20,
    "each kind of statement has a rule, in a file of its own, that changes the table of adjoints",
)];

#[test]
fn methods_are_where_their_type_is() {
    for name in crates_in_order() {
        let mut files: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
        for (file, code) in code_of(&name) {
            for ty in inherent_impls(&code) {
                files.entry(ty).or_default().insert(file.clone());
            }
        }
        for (ty, files) in files {
            let count = files.len();
            let most = SPREAD.iter().find(|(of, spread, ..)| (*of, *spread) == (&*name, &*ty));
            let most = most.map_or(MAX_FILES_OF_TYPE, |(.., most, _)| *most);
            let problem =
                format!("methods of {ty} ({name}) are in {count} files; make functions that take it");
            assert!(count <= most, "{problem}");
        }
    }
}

/// Files of a crate that need each other, at most.
const MAX_CYCLE: usize = 4;

/// Larger ones: the crate, one of the files, how many they are, and why.
const CYCLES: [(&str, &str, usize, &str); 2] = [
    (
        "ir",
        "syntax.rs",
        8,
        "the types of the core IR are defined by each other, and its walks are compiled for each representation",
    ),
    ("randprog", "maker.rs", 5, "expressions about one thing are made of expressions about others"),
];

#[test]
fn files_do_not_go_in_circles() {
    for name in crates_in_order() {
        for circle in circles(&name).into_iter().filter(|c| c.len() > MAX_CYCLE) {
            let is_known = |(c, file, n, _): &(&str, &str, usize, &str)| {
                *c == name && circle.len() == *n && circle.iter().any(|f| f.ends_with(file))
            };
            assert!(CYCLES.iter().any(is_known), "these files of {name} need each other: {circle:?}");
        }
    }
}

fn all_code() -> Vec<(PathBuf, String)> {
    crates_in_order().iter().flat_map(|name| code_of(name)).collect()
}

/// The functions of a file, and how many lines each has.
fn functions(code: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = vec![];
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        // One without a body, or with one on its line, has no end of its own.
        let is_end = |l: &&str| l.strip_prefix(indent).is_some_and(|rest| rest == "}" || rest == ");");
        let starts =
            lines[at..].iter().position(|l| l.ends_with('{') || l.ends_with(';') || l.ends_with('}'));
        let opens = starts.is_some_and(|n| lines[at + n].ends_with('{'));
        if let (true, Some(n)) = (opens, lines[at + 1..].iter().position(|l| is_end(l))) {
            found.push((name, n + 2));
        }
    }
    found
}

fn function_name(line: &str) -> Option<String> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = after.trim_start();
        if let Some(inside) = rest.strip_prefix('(') {
            rest = inside.split_once(')')?.1.trim_start();
        }
    }
    rest = rest.strip_prefix("const ").unwrap_or(rest);
    let name = rest.strip_prefix("fn ")?;
    Some(name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

/// The types that have methods of their own in a file: `impl<'a> Lowerer<'a> {`.
fn inherent_impls(code: &str) -> Vec<String> {
    let head = |line: &str| -> Option<String> {
        let rest = line.strip_prefix("impl")?.strip_suffix('{')?;
        if rest.contains(" for ") {
            return None;
        }
        let name = without_generics(rest.trim_start())?.trim_start();
        Some(name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
    };
    code.lines().filter_map(head).collect()
}

/// What comes after the parameters of an `impl`, if it has some.
fn without_generics(text: &str) -> Option<&str> {
    if !text.starts_with('<') {
        return Some(text);
    }
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

/// Files of a crate each of which needs all others, by way of others.
fn circles(name: &str) -> Vec<Vec<PathBuf>> {
    let src = root().join("crates").join(name).join("src");
    let files = code_of(name);
    let modules: BTreeMap<Vec<String>, usize> =
        files.iter().enumerate().map(|(i, (file, _))| (module_of(&src, file), i)).collect();
    let mut uses: Vec<BTreeSet<usize>> = vec![];
    for (file, code) in &files {
        let here = module_of(&src, file);
        let paths = paths_in(code).into_iter().filter_map(|path| absolute(&here, &path));
        let found =
            paths.filter_map(|path| (0..=path.len()).rev().find_map(|n| modules.get(&path[..n]).copied()));
        uses.push(found.collect());
    }
    let reached: Vec<BTreeSet<usize>> = (0..files.len()).map(|i| reachable(&uses, i)).collect();
    let mut circles = vec![];
    let mut seen = BTreeSet::new();
    for i in 0..files.len() {
        if seen.insert(i) {
            let together: Vec<usize> =
                reached[i].iter().copied().filter(|j| *j != i && reached[*j].contains(&i)).collect();
            seen.extend(together.iter().copied());
            if !together.is_empty() {
                let all = [i].into_iter().chain(together);
                circles
                    .push(all.map(|j| files[j].0.strip_prefix(&src).unwrap_or(&files[j].0).into()).collect());
            }
        }
    }
    circles
}

fn reachable(uses: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(i) = open.pop() {
        for j in &uses[i] {
            if found.insert(*j) {
                open.push(*j);
            }
        }
    }
    found
}

/// `gpu/filter.rs` is `gpu::filter`; `lib.rs` is the crate itself.
fn module_of(src: &Path, file: &Path) -> Vec<String> {
    let rest = file.strip_prefix(src).unwrap_or(file).with_extension("");
    let mut path: Vec<String> = rest.iter().map(|s| s.to_string_lossy().into_owned()).collect();
    if path.last().is_some_and(|l| ["lib", "main", "mod"].contains(&l.as_str())) {
        path.pop();
    }
    path
}

/// A path from the crate's root: `super::nest` in `gpu::filter` is `gpu::nest`.
fn absolute(here: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut base = here.to_vec();
    let mut rest = path;
    match path.first().map(String::as_str) {
        Some("crate") => {
            base.clear();
            rest = &path[1..];
        }
        _ => {
            while let Some((first, after)) = rest.split_first() {
                match first.as_str() {
                    "super" => drop(base.pop()?),
                    "self" => {}
                    _ => break,
                }
                rest = after;
            }
        }
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// All paths that start at the crate or at a module around: `crate::a::{b, c}` is two. Visibilities are none.
fn paths_in(code: &str) -> Vec<Vec<String>> {
    let mut found = vec![];
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = &code[..at];
            let is_part = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$');
            if !is_part && !before.ends_with("pub(in ") {
                tree(&code[at..], &[], &mut found);
            }
        }
    }
    found
}

/// The paths of a tree such as `a::{b, c::d}`; returns what comes after it.
fn tree<'c>(text: &'c str, before: &[String], found: &mut Vec<Vec<String>>) -> &'c str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = tree(rest, before, found).trim_start();
            match rest.strip_prefix(',') {
                Some(more) if !more.trim_start().starts_with('}') => rest = more,
                Some(end) => return end.trim_start().strip_prefix('}').unwrap_or(end),
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let mut path = before.to_vec();
    path.push(word.to_owned());
    match rest.strip_prefix("::") {
        Some(more)
            if !word.is_empty() && more.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '{') =>
        {
            tree(more, &path, found)
        }
        Some(_) | None => {
            found.push(path);
            rest
        }
    }
}

#[test]
fn sources_are_read_as_they_are_meant() {
    let code = "fn a() {\n    b\n}\n\nimpl<'a, R: Rep<Op = X>> T<'a, R> {\n    pub(super) fn c(\n        d: E,\n    ) {\n    }\n}\n";
    assert_eq!(functions(code), [("a".to_string(), 3), ("c".to_string(), 4)]);
    assert_eq!(inherent_impls(code), ["T"]);
    let paths = |text| paths_in(text).iter().map(|p| p.join("::")).collect::<Vec<_>>();
    assert_eq!(paths("use crate::a::{b, c::{D, e}};"), ["crate::a::b", "crate::a::c::D", "crate::a::c::e"]);
    assert_eq!(paths("pub(in crate::x) fn y(z: super::w::V)"), ["super::w::V"]);
    let here = ["gpu".to_string(), "filter".to_string()];
    let path = ["super".to_string(), "nest".to_string()];
    assert_eq!(absolute(&here, &path), Some(vec!["gpu".to_string(), "nest".to_string()]));
}
