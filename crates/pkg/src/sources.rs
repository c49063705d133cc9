//! Which programs belong to a project: all below its folder, but not those of the packages that it requires.
//!
//! ```text
//! demo/futhark.pkg                  package example.org/me/demo ...
//! demo/demo.fut                     yes
//! demo/lib/example.org/me/demo/     yes: the project's own package
//! demo/lib/github.com/...           no
//! ```
//!
//! This holds for each folder with a `futhark.pkg` that is met on the way down, not only for the one above.

use crate::error::Error;
use crate::project::{Project, MANIFEST};
use std::path::{Path, PathBuf};

/// The project that the current folder is in: its folder, as the way there from here, or nothing for this folder
/// itself. `None` if there is no `futhark.pkg` in it or above.
pub fn root() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let up = here.ancestors().position(|folder| folder.join(MANIFEST).is_file())?;
    Some((0..up).map(|_| "..").collect())
}

/// These programs, and those in these folders, each folder's in alphabetical order.
pub fn programs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut out = vec![];
    for path in paths {
        // The current folder has no name, so that those of its files are short.
        let path = if path == Path::new(".") { Path::new("") } else { path };
        if path.as_os_str().is_empty() || path.is_dir() {
            let mut found = vec![];
            walk(path, &mut found)?;
            found.sort();
            out.extend(found);
        } else {
            out.push(path.to_owned());
        }
    }
    Ok(out)
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), Error> {
    let project = folder.join(MANIFEST).is_file();
    let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let cannot = |e: std::io::Error| Error::io("read", named, &e);
    for entry in std::fs::read_dir(named).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let path = folder.join(entry.file_name());
        // Links to folders may lead in circles.
        if entry.file_type().map_err(cannot)?.is_dir() {
            if !(project && entry.file_name() == "lib") {
                walk(&path, out)?;
            } else if let Some(own) = Project::new(named).package()? {
                let own = folder.join(own.folder());
                if own.is_dir() {
                    walk(&own, out)?;
                }
            }
        } else if path.extension().is_some_and(|e| e == "fut") {
            out.push(path);
        }
    }
    Ok(())
}
