//! Tests are run: a crate that leaves its tests to one program names all of them in it.

use super::{crates_in_order, read, root, sources};

/// In `tests/`, a file is a program by itself, unless the manifest says that programs are listed; then it is
/// listed, or a module of one that is.
#[test]
fn every_file_of_tests_is_run() {
    for name in crates_in_order() {
        let folder = root().join("crates").join(&name);
        let manifest = read(&folder.join("Cargo.toml"));
        if !manifest.contains("autotests = false") {
            continue;
        }
        let suite = read(&folder.join("tests/suite.rs"));
        let files = std::fs::read_dir(folder.join("tests")).expect("the crate has tests");
        for path in files.map(|e| e.expect("an entry of tests").path()) {
            let module = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let is_module = path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").is_file();
            let is_run = suite.contains(&format!("\nmod {module};"))
                || manifest.contains(&format!("path = \"tests/{module}.rs\""));
            assert!(!is_module || is_run, "{}: tests/suite.rs does not have it", path.display());
        }
    }
}

/// A library or program that is not compiled for tests has none in it.
#[test]
fn crates_without_tests_have_none() {
    for name in crates_in_order() {
        let folder = root().join("crates").join(&name);
        if read(&folder.join("Cargo.toml")).lines().any(|l| l == "test = false") {
            for file in sources(&folder.join("src")) {
                let has_tests = read(&file).contains("#[cfg(test)]");
                assert!(!has_tests, "{}: `test = false` in Cargo.toml", file.display());
            }
        }
    }
}
