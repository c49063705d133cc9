//! The server among random edits and requests: what takes long.
//!
//! The chances are the same in each run with the same `PROPTEST_RNG_SEED`; how far it gets depends on the time,
//! `FEHU_EDITOR_SECONDS` for each test. The files are our own samples, or those of the folder that
//! `FEHU_MUTATION_SOURCES` names.

mod edits;
mod live;
mod renames;

use super::startup::Dice;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Numbers without pattern.
fn dice() -> Dice {
    Dice(std::env::var("PROPTEST_RNG_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1))
}

/// When a test stops.
fn deadline() -> Instant {
    let seconds = std::env::var("FEHU_EDITOR_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(90);
    Instant::now() + Duration::from_secs(seconds)
}

/// The folder of the programs.
fn folder() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let folder = std::env::var_os("FEHU_MUTATION_SOURCES").map_or_else(own, PathBuf::from);
    folder.canonicalize().expect("a folder")
}

/// The programs of a folder that can be read, in order.
fn programs(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = vec![];
    let mut rest = vec![folder.to_owned()];
    while let Some(folder) = rest.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                rest.push(path);
            } else if path.extension().is_some_and(|e| e == "fut") {
                found.extend(std::fs::read_to_string(&path).ok().map(|text| (path, text)));
            }
        }
    }
    found.sort();
    found
}

/// A position of a text, as editors count.
fn position(text: &str, offset: usize) -> serde_json::Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or("").encode_utf16().count();
    serde_json::json!({"line": line, "character": column})
}
