//! Documents name files that exist.

use super::{read, root};

/// The documents that lead people to files.
const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/debugging.md"];

/// Where paths in documents begin.
const STARTS: [&str; 7] = ["crates/", "tests/", "docs/", "rts/", "prelude/", "bench/", "examples/"];

#[test]
fn documents_name_files_that_exist() {
    let mut checked = 0;
    for document in DOCUMENTS {
        // Between backquotes, as far as the first blank; capital letters stand for a name of the reader's own.
        for quoted in read(&root().join(document)).split('`').skip(1).step_by(2) {
            let Some(word) = quoted.split_whitespace().find(|w| STARTS.iter().any(|s| w.starts_with(s)))
            else {
                continue;
            };
            let path = word.split("NAME").next().unwrap_or(word).trim_end_matches(['.', ',', ':']);
            if path.contains(['*', '<']) {
                continue;
            }
            assert!(root().join(path).exists(), "{document} names {path}, which is not there");
            checked += 1;
        }
    }
    assert!(checked > 20, "paths are found: {checked}");
}
