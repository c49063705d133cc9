//! Finding programs.

use std::path::{Path, PathBuf};

/// The given programs, and those in the given folders, each folder's in alphabetical order.
pub(crate) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut out = vec![];
    for path in paths {
        if path.is_dir() {
            let mut found = vec![];
            walk(path, &mut found).map_err(|e| format!("{}: {e}", path.display()))?;
            found.sort();
            out.extend(found);
        } else {
            out.push(path.clone());
        }
    }
    Ok(out)
}

fn walk(dir: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "fut") {
            out.push(path);
        }
    }
    Ok(())
}
