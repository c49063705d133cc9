//! The prelude as files that people can open, though it is a part of the compiler.

use crate::cache::Cache;
use crate::files::write_with_mode;
use fehu_check::prelude_sources;
use std::path::{Path, PathBuf};

/// The folder of these files: below that of cached executables, which is the user's alone.
fn folder() -> Option<PathBuf> {
    Some(Cache::open().ok()?.folder().join(concat!("prelude-", env!("CARGO_PKG_VERSION"))))
}

/// A file with the text of a file of the prelude, which only can be read; none if there is no place for it.
pub fn file(path: &Path) -> Option<PathBuf> {
    let (_, text) = prelude_sources().iter().find(|(own, _)| Path::new(own) == path)?;
    let folder = folder()?;
    let file = folder.join(path.file_name()?);
    if std::fs::read(&file).is_ok_and(|t| t == text.as_bytes()) {
        return Some(file);
    }
    std::fs::create_dir_all(&folder).ok()?;
    write_with_mode(&file, text.as_bytes(), 0o444).ok()?;
    Some(file)
}

/// Whether a path is that of such a file: it is no program.
pub fn is_file(path: &Path) -> bool {
    path.parent().is_some_and(|p| folder().is_some_and(|f| f == p))
}
