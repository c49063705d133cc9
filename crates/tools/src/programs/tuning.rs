//! Tuning files: beside a program, with the values of its tuning parameters.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of a file beside a program: for `tuning`, `prog.fut.tuning`.
pub(crate) fn beside(program: &Path, extension: &str) -> PathBuf {
    let mut name = OsString::from(program);
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// Options with which a program loads its tuning file, if it has one.
pub(crate) fn options(program: &Path, extension: Option<&str>) -> Vec<String> {
    match extension.map(|e| beside(program, e)) {
        Some(file) if file.is_file() => vec!["--tuning".into(), file.display().to_string()],
        Some(_) | None => vec![],
    }
}
