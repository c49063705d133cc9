//! Finding programs.

use fehu_data::ProgramSpec;
use fehu_driver::files::read_source;
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

/// Whether a program of these has a test block, also one that cannot be read.
pub fn any_test_block(paths: &[PathBuf]) -> bool {
    let tested = |path: &PathBuf| {
        read_source(path).map_or(true, |text| !matches!(ProgramSpec::parse(&text), Ok(None)))
    };
    find(paths).map_or(true, |programs| programs.iter().any(tested))
}

fn walk(dir: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let path = entry.path();
        // Links to folders may lead in circles.
        if entry.file_type()?.is_dir() {
            walk(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "fut") {
            out.push(path);
        }
    }
    Ok(())
}
