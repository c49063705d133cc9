//! `lib/`, replaced as a whole.
//!
//! The new folder is filled beside the old one (`lib~new`), which is moved away (`lib~old`) only when
//! everything is there. If this is interrupted, the old folder is in one of the two places, and the next run puts
//! it back.

use crate::error::Error;
use crate::path::PkgPath;
use fehu_driver::files::TempFolder;
use std::path::{Path, PathBuf};

const LIB: &str = "lib";
const NEW: &str = "lib~new";
const OLD: &str = "lib~old";

/// Replaces `lib/` of a project by what `fill` writes to the folder that it is given. The project's own package is
/// kept.
pub(crate) fn replace(
    project: &Path,
    own: Option<&PkgPath>,
    fill: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    let (lib, new, old) = (project.join(LIB), project.join(NEW), project.join(OLD));
    if lib.is_symlink() {
        return Err(Error::new("lib is a symbolic link: packages are only stored in a folder"));
    }
    recover(&lib, &new, &old)?;
    let filled = TempFolder::named(&new).map_err(Error::Other)?;
    fill(filled.path())?;
    if let Some(own) = own {
        keep(project, filled.path(), own)?;
    }
    if lib.exists() {
        std::fs::rename(&lib, &old).map_err(|e| Error::io("move", &lib, &e))?;
    }
    std::fs::rename(&new, &lib).map_err(|e| {
        let _ = std::fs::rename(&old, &lib);
        Error::io("move", &new, &e)
    })?;
    remove(&old)
}

/// A file in `lib/` that is in none of the folders of these packages.
pub(crate) fn other_file(project: &Path, packages: &[PathBuf]) -> Option<PathBuf> {
    let mut folders = vec![PathBuf::from(LIB)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(project.join(&folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                _ if packages.contains(&path) => {}
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(_) | Err(_) => return Some(path),
            }
        }
    }
    None
}

/// Undoes what an interrupted run left.
fn recover(lib: &Path, new: &Path, old: &Path) -> Result<(), Error> {
    if old.exists() && !lib.exists() {
        std::fs::rename(old, lib).map_err(|e| Error::io("move", old, &e))?;
    }
    remove(old)?;
    remove(new)
}

fn remove(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", folder, &e)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Copies the project's own package into the new folder.
fn keep(project: &Path, new: &Path, own: &PkgPath) -> Result<(), Error> {
    let from = project.join(own.folder());
    if !from.exists() {
        return Ok(());
    }
    let to = new.join(own.as_str());
    copy(&from, &to).map_err(|e| Error::io("copy", &from, &e))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let kind = std::fs::symlink_metadata(from)?.file_type();
    if kind.is_symlink() {
        return std::os::unix::fs::symlink(std::fs::read_link(from)?, to);
    }
    if !kind.is_dir() {
        return std::fs::copy(from, to).map(drop);
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}
