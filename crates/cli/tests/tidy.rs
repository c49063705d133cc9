//! Conventions that a machine can check.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The crates in the order in which the workspace lists them.
fn crates_in_order() -> Vec<String> {
    read(&root().join("Cargo.toml"))
        .lines()
        .filter_map(|l| l.trim().strip_prefix("\"crates/")?.strip_suffix("\",").map(str::to_owned))
        .collect()
}

#[test]
fn a_crate_uses_only_those_above_it() {
    let order = crates_in_order();
    assert!(order.len() > 10, "the workspace lists its crates one a line");
    for (i, name) in order.iter().enumerate() {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("");
        let dependencies = dependencies.split("[dev-dependencies]").next().unwrap_or("");
        for other in &order[i..] {
            let uses = dependencies
                .lines()
                .any(|l| l.strip_prefix(&format!("fehu-{other}")).is_some_and(|r| r.starts_with(['.', ' '])));
            assert!(!uses, "{name} uses {other}, which comes after it");
        }
    }
}

#[test]
fn the_compiler_proper_does_no_io() {
    let pure = [
        "base", "algebra", "lmad", "syntax", "check", "ir", "pass", "lower", "opt", "flatten", "kernels",
        "memory", "imp", "impgen", "impopt", "codegen",
    ];
    for name in pure {
        for file in sources(&root().join("crates").join(name).join("src")) {
            if file.ends_with("tests.rs") || file.components().any(|c| c.as_os_str() == "tests") {
                continue;
            }
            let text = read(&file);
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            for word in ["std::fs", "std::process", "std::net", "println!", "print!("] {
                assert!(!code.contains(word), "{} uses {word}", file.display());
            }
        }
    }
}

#[test]
fn files_hold_one_idea() {
    for name in crates_in_order() {
        for file in sources(&root().join("crates").join(name).join("src")) {
            let lines = read(&file).lines().count();
            assert!(lines <= 1000, "{} has {lines} lines; split it along its concepts", file.display());
        }
    }
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut out = vec![];
    let Ok(entries) = std::fs::read_dir(dir) else { return out };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    out.sort();
    out
}
