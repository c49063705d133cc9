//! What comes from outside: licences, sources, and no crate twice. The reason to trust each crate that we name
//! ourselves is in docs/security.md.
//!
//! This is what `cargo deny` would check, without its advisories, which need a database from the network. It is done
//! here so that the tests need not install another tool.

use super::{read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Licences under which we may pass on what we link.
const LICENCES: [&str; 7] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that are there in several versions: which, and why that cannot be helped now.
const DUPLICATES: [(&str, &str); 1] =
    [("syn", "only while building: procedural macros move to version 3 one by one")];

fn metadata() -> serde_json::Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let rustc = String::from_utf8_lossy(&rustc.stdout).into_owned();
    let host = rustc.lines().find_map(|l| l.strip_prefix("host: ")).expect("the name of this machine");
    let done = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|_| panic!("no metadata: {}", String::from_utf8_lossy(&done.stderr)))
}

#[test]
fn licences_allow_what_we_do() {
    let json = metadata();
    let packages = json["packages"].as_array().expect("packages");
    assert!(packages.len() > 50);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("");
        assert!(allows(licence), "{} has the licence `{licence}`", package["name"]);
    }
}

/// Whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` is fulfilled by licences in the list.
fn allows(expression: &str) -> bool {
    let plain = expression.replace('/', " OR ");
    let known = |name: &str| LICENCES.contains(&name.trim());
    let any = |part: &str| part.trim().trim_matches(['(', ')']).split(" OR ").any(known);
    // In all expressions that occur, AND stands outside.
    plain.split(" AND ").all(any)
}

#[test]
fn expressions_of_licences_are_understood() {
    for good in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
        assert!(allows(good), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND GPL-3.0"] {
        assert!(!allows(bad), "{bad}");
    }
}

/// The packages of the lock file: name, version, source.
fn locked() -> Vec<(String, String, Option<String>)> {
    let text = read(&root().join("Cargo.lock"));
    let packages = text.split("[[package]]").skip(1);
    let field = |package: &str, name: &str| {
        let start = format!("{name} = \"");
        let line = package.lines().find_map(|l| l.strip_prefix(&start)?.strip_suffix('"'));
        line.map(str::to_owned)
    };
    packages
        .map(|p| {
            let source = field(p, "source");
            assert!(source.is_none() || field(p, "checksum").is_some(), "no checksum: {p}");
            (field(p, "name").expect("a name"), field(p, "version").expect("a version"), source)
        })
        .collect()
}

#[test]
fn everything_comes_from_one_registry() {
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    for (name, _, source) in locked() {
        let own = name.starts_with("fehu-") || name == "xtask";
        match source {
            None => assert!(own, "{name} has no source"),
            Some(source) => assert!(!own && source == registry, "{name} comes from {source}"),
        }
    }
}

#[test]
fn no_crate_is_there_twice() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, version, _) in locked() {
        versions.entry(name).or_default().insert(version);
    }
    for (name, versions) in &versions {
        let allowed = DUPLICATES.iter().any(|(n, _)| n == name);
        assert!(versions.len() == 1 || allowed, "{name} is there in the versions {versions:?}");
        assert!(versions.len() > 1 || !allowed, "{name} is there once: remove it from the list");
    }
}

#[test]
fn each_dependency_has_a_reason() {
    let manifest = read(&root().join("Cargo.toml"));
    let table =
        manifest.split("[workspace.dependencies]").nth(1).and_then(|t| t.split("\n[").next()).unwrap_or("");
    let names = table.lines().filter_map(|l| l.split_once(" = ")).map(|(name, _)| name);
    let names: Vec<&str> = names.filter(|n| !n.starts_with("fehu-")).chain(["mimalloc"]).collect();
    assert!(names.len() > 10, "{names:?}");
    for file in ["ARCHITECTURE.md", "docs/security.md"] {
        let text = read(&root().join(file));
        let rows: Vec<&str> = text.lines().filter(|l| l.starts_with('|')).collect();
        let named = |name: &&str| {
            rows.iter().any(|r| r.split('|').nth(1).is_some_and(|c| c.split(',').any(|w| w.trim() == *name)))
        };
        let missing: Vec<&&str> = names.iter().filter(|n| !named(n)).collect();
        assert!(missing.is_empty(), "{file} has no line about {missing:?}");
    }
}
