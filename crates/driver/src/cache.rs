//! Executables that `fehu run` keeps, so that the second run of a program
//! starts at once. The key covers the program's texts, the compiler and the C
//! compiler's settings; a stale entry cannot be found.

use crate::front::Front;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// Where the executable of this program is, or will be.
pub fn place(front: &Front, what: &str) -> PathBuf {
    let mut hasher = Sha256::new();
    let mut add = |text: &str| {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    };
    add(env!("CARGO_PKG_VERSION"));
    if let Ok(meta) = std::env::current_exe().and_then(std::fs::metadata) {
        add(&format!("{} {:?}", meta.len(), meta.modified().ok()));
    }
    add(what);
    for variable in ["CC", "CFLAGS"] {
        add(&std::env::var(variable).unwrap_or_default());
    }
    for (_, file) in front.sources.files() {
        add(&file.path.display().to_string());
        add(&file.text);
    }
    let key: String = hasher.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
    folder().join(key)
}

/// The folder of cached executables.
pub fn folder() -> PathBuf {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    base.join("fehu")
}
