//! Whether no other user can have written something: who owns it, and who may write to it.
//!
//! A folder is trusted if it belongs to the current user and only they may write to it, and if no other user may
//! replace it: each folder above it belongs to the user or to root, and is either not writable for others or sticky
//! (as `/tmp`, where only the owner of a folder can rename it). A file is trusted if it is a regular file (no link)
//! of the current user that only they may write to.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bits of a mode: others than the owner may write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Checks a folder and those above it; its path must have no links but, possibly, the last part.
pub(super) fn folder(path: &Path) -> Result<(), String> {
    let meta = std::fs::symlink_metadata(path).map_err(|e| e.to_string())?;
    if !meta.is_dir() {
        return Err("it is not a folder".into());
    }
    own(&meta)?;
    for above in path.ancestors().skip(1) {
        let meta = std::fs::symlink_metadata(above).map_err(|e| format!("{}: {e}", above.display()))?;
        if meta.uid() != 0 && meta.uid() != current_user() {
            return Err(format!("{} belongs to another user", above.display()));
        }
        if meta.mode() & WRITABLE_BY_OTHERS != 0 && meta.mode() & STICKY == 0 {
            return Err(format!("other users may write to {}", above.display()));
        }
    }
    Ok(())
}

/// Checks a file by what is known about it without following links.
pub(super) fn file(meta: &Metadata) -> Result<(), String> {
    if !meta.is_file() {
        return Err("it is not a regular file".into());
    }
    own(meta)
}

fn own(meta: &Metadata) -> Result<(), String> {
    if meta.uid() != current_user() {
        return Err("it belongs to another user".into());
    }
    if meta.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err("other users may write to it".into());
    }
    Ok(())
}

fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}
