//! Documents name files that exist.

use super::{crates_in_order, read, root, sources};
use std::path::PathBuf;

/// The documents that lead people to files: those of the root, and all of `docs`.
fn documents() -> Vec<PathBuf> {
    let pages = std::fs::read_dir(root().join("docs")).expect("there are documents");
    let pages =
        pages.map(|entry| entry.expect("a file").path()).filter(|p| p.extension().is_some_and(|e| e == "md"));
    let main = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    pages.chain(main).collect()
}

/// Where paths in documents begin.
const STARTS: [&str; 5] = ["crates/", "tests/", "docs/", "bench/", "examples/"];

#[test]
fn documents_name_files_that_exist() {
    let mut checked = 0;
    for document in documents() {
        // Between backquotes, as far as the first blank; capital letters stand for a name of the reader's own.
        for quoted in read(&document).split('`').skip(1).step_by(2) {
            let Some(word) = quoted.split_whitespace().find(|w| STARTS.iter().any(|s| w.starts_with(s)))
            else {
                continue;
            };
            let path = word.split("NAME").next().unwrap_or(word).trim_end_matches(['.', ',', ':']);
            if path.contains(['*', '<']) {
                continue;
            }
            assert!(root().join(path).exists(), "{} names {path}, which is not there", document.display());
            checked += 1;
        }
    }
    assert!(checked > 20, "paths are found: {checked}");
}

/// A crate is published without its neighbours, so what is built into it lies in its own folder.
#[test]
fn what_is_built_into_a_crate_lies_in_it() {
    let mut checked = 0;
    for name in crates_in_order() {
        let folder = root().join("crates").join(&name);
        for file in sources(&folder.join("src")) {
            let depth = file.strip_prefix(&folder).expect("a file of the crate").components().count() - 1;
            for quoted in read(&file).split("include_str!(").skip(1) {
                let path = quoted.split('"').nth(1).unwrap_or_default();
                let up = path.split('/').filter(|part| *part == "..").count();
                assert!(up <= depth, "{} takes {path}, which is outside of the crate", file.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "built-in files are found: {checked}");
}
