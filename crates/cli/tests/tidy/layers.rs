//! Which crate may use which. The order in `Cargo.toml` says who stands above whom; this table says who needs whom, so
//! that a new edge is a decision.

use super::{crates_in_order, root};
use std::collections::BTreeSet;
use std::process::Command;

/// Each crate, those that it uses, and those that only its tests use.
const EDGES: [(&str, &[&str], &[&str]); 29] = [
    ("base", &[], &[]),
    ("data", &["base"], &[]),
    ("algebra", &[], &[]),
    ("lmad", &["algebra"], &[]),
    ("syntax", &["base"], &[]),
    ("fmt", &["base", "syntax"], &[]),
    ("check", &["base", "syntax"], &[]),
    ("ir", &["base", "algebra", "lmad"], &[]),
    ("analysis", &["base", "algebra", "lmad", "ir"], &[]),
    ("pass", &["base", "ir"], &[]),
    ("lower", &["base", "syntax", "check", "ir"], &[]),
    ("opt", &["base", "algebra", "ir", "analysis", "pass"], &[]),
    ("ad", &["base", "ir", "analysis", "pass", "opt"], &[]),
    ("flatten", &["base", "algebra", "ir", "analysis", "pass"], &[]),
    ("kernels", &["base", "algebra", "lmad", "ir", "analysis", "pass"], &[]),
    ("memory", &["base", "algebra", "lmad", "ir", "analysis", "pass"], &[]),
    ("imp", &["base", "ir", "pass"], &[]),
    ("impgen", &["base", "algebra", "lmad", "ir", "analysis", "imp"], &["flatten", "memory"]),
    (
        "impopt",
        &["base", "ir", "analysis", "pass", "imp"],
        &["opt", "flatten", "kernels", "memory", "impgen"],
    ),
    ("codegen", &["base", "ir", "pass", "imp", "impopt"], &[]),
    (
        "driver",
        &[
            "base", "data", "syntax", "check", "ir", "pass", "lower", "opt", "ad", "flatten", "kernels",
            "memory", "imp", "impgen", "impopt", "codegen",
        ],
        &[],
    ),
    ("tools", &["base", "data", "driver"], &[]),
    (
        "cli",
        &["base", "data", "syntax", "fmt", "check", "ir", "driver", "tools", "doc", "pkg", "repl", "lsp"],
        &[],
    ),
    ("doc", &["base", "syntax", "check"], &[]),
    ("pkg", &["base", "driver"], &[]),
    ("repl", &["base", "syntax", "check", "ir", "driver"], &[]),
    ("lsp", &["base", "syntax", "fmt", "check", "driver", "repl"], &["ir"]),
    ("randprog", &["base", "data", "ir", "ad", "pass", "driver", "tools"], &[]),
    ("xtask", &["data", "driver", "randprog"], &[]),
];

/// A crate, one that it uses, and whether only tests do.
type Edge = (String, String, bool);

/// What the manifests say, by cargo.
fn edges() -> BTreeSet<Edge> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let done = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let json: serde_json::Value = serde_json::from_slice(&done.stdout).expect("cargo's metadata");
    let short = |name: &serde_json::Value| {
        let name = name.as_str().unwrap_or("");
        name.strip_prefix("fehu-").unwrap_or(name).to_owned()
    };
    let own = crates_in_order();
    let mut found = BTreeSet::new();
    for package in json["packages"].as_array().into_iter().flatten() {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let (from, to) = (short(&package["name"]), short(&dependency["name"]));
            if own.contains(&to) {
                found.insert((from, to, dependency["kind"] == "dev"));
            }
        }
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

#[test]
fn a_crate_uses_only_those_above_it() {
    let order = crates_in_order();
    let position = |name: &String| order.iter().position(|n| n == name);
    for (from, to, _) in edges() {
        assert!(position(&to) < position(&from), "{from} uses {to}, which comes after it");
    }
}

#[test]
fn a_crate_uses_only_those_that_the_table_allows() {
    let mut allowed = BTreeSet::new();
    for (from, uses, tests) in EDGES {
        allowed.extend(uses.iter().map(|to| (from.to_owned(), (*to).to_owned(), false)));
        allowed.extend(tests.iter().map(|to| (from.to_owned(), (*to).to_owned(), true)));
    }
    let found = edges();
    let new: Vec<&Edge> = found.difference(&allowed).collect();
    assert!(new.is_empty(), "new edges between crates; add them to the table if they are right: {new:?}");
    let gone: Vec<&Edge> = allowed.difference(&found).collect();
    assert!(gone.is_empty(), "edges that are no more; remove them from the table: {gone:?}");
}
