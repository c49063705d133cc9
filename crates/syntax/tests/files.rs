//! The public test suite, where there is a checkout of it:
//! `FUTHARK_TESTS=dir cargo test -p fehu-syntax --test suite files`.
//!
//! Every program that is not expected to be refused must parse.

use fehu_base::{diagnostic::Colour, SourceMap};
use std::path::{Path, PathBuf};

#[test]
fn programs_of_the_suite_parse() {
    let Some(dir) = std::env::var_os("FUTHARK_TESTS") else { return };
    let mut files = vec![];
    collect(Path::new(&dir), &mut files);
    files.sort();
    assert!(!files.is_empty(), "no programs under {dir:?}");
    let mut failures = String::new();
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let mut sources = SourceMap::default();
        let file = sources.add(path, text.clone());
        let parsed = fehu_syntax::parse(file, &text);
        let refused = parsed.comments.iter().any(|c| c.text.starts_with("-- error:"));
        if !refused {
            for e in &parsed.errors {
                failures += &e.render(&sources, Colour::Never);
                failures.push('\n');
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|e| e == "fut") {
        files.push(path.to_owned());
    }
}
