//! Executables that `fehu run` keeps, so that the second run of a program starts at once.
//!
//! In: a checked program. Out: its process, of an executable of the cache or one made for this run alone. What is found
//! in the cache is *run*, so this is careful about what it takes from there:
//!
//! - `location`: the folder is in the user's own cache folder or nowhere.
//! - `trust`: no other user may have written to it, to an entry, or above it.
//! - An entry is named `KEY-SUM`. The key covers the program's texts, the compiler and the C compiler's settings, so
//!   a stale entry is not found; the sum is that of the content, so a damaged one is made anew.
//! - Entries are written beside their place and then moved, so that no reader sees half of one, however many processes
//!   do this at a time.
//! - `evict`: it does not grow without limit.
//!
//! A cache that cannot be used, for lack of space or of trust, or because nothing may be started there, never stops a
//! program from running.

mod evict;
mod location;
mod trust;

pub use evict::{MAX_AGE, MAX_BYTES};

use crate::cc::this_processor;
use crate::compile::{compile_front, Failure, Settings};
use crate::files::{start_when_closed, write_with_mode, TempFolder};
use crate::front::Front;
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Hexadecimal digits of the key in an entry's name, and of the sum.
const KEY_DIGITS: usize = 32;
const SUM_DIGITS: usize = 64;

/// The folder of cached executables, which is there and trusted.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// Why there is no cache.
#[derive(Debug)]
pub enum NoCache {
    /// No variable says where it should be.
    NoPlace,
    /// Another user could have written to it, or it cannot be made.
    Refused(PathBuf, String),
}

impl std::fmt::Display for NoCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoCache::NoPlace => {
                write!(f, "there is no cache, since neither XDG_CACHE_HOME nor HOME is an absolute path")
            }
            NoCache::Refused(folder, why) => {
                write!(f, "the cache folder {} is not used: {why}", folder.display())
            }
        }
    }
}

/// How much there is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Size {
    /// Executables.
    pub entries: usize,
    /// What they and unfinished ones take.
    pub bytes: u64,
}

/// Starts a program: an executable from the cache, or one that is compiled and, if possible, put there.
/// `what` says what it is compiled for, `note` gets a sentence if the user's cache folder is not to be
/// trusted.
pub fn start<T>(
    front: &Front,
    settings: &Settings,
    what: &str,
    note: impl Fn(&str),
    spawn: impl Fn(&Path) -> io::Result<T>,
) -> Result<T, Failure> {
    let key = key(front, what);
    let cache = match Cache::open() {
        Ok(cache) => Some(cache),
        Err(NoCache::NoPlace) => None,
        Err(refused @ NoCache::Refused(..)) => {
            note(&refused.to_string());
            None
        }
    };
    if let Some(started) = cache.as_ref().and_then(|cache| from_cache(&cache.find(&key)?, &spawn)) {
        return Ok(started);
    }
    let folder = TempFolder::new().map_err(Failure::Outside)?;
    let private = folder.path().join("prog");
    compile_front(front, &Settings { output: private.clone(), stays_here: true, ..settings.clone() })?;
    // A cache without space is no reason not to run.
    let stored = cache.and_then(|cache| cache.store(&key, &private).ok());
    match stored.and_then(|entry| from_cache(&entry, &spawn)) {
        Some(started) => Ok(started),
        // It may be gone as soon as it runs.
        None => start_when_closed(|| spawn(&private))
            .map_err(|e| Failure::Outside(format!("could not run {}: {e}", private.display()))),
    }
}

/// Starts an entry of the cache. One that cannot be started is useless (its file system or its permissions
/// forbid it, or the cache is being cleaned), and is removed.
fn from_cache<T>(entry: &Path, spawn: impl Fn(&Path) -> io::Result<T>) -> Option<T> {
    let started = start_when_closed(|| spawn(entry));
    if started.is_err() {
        let _ = std::fs::remove_file(entry);
    }
    started.ok()
}

impl Cache {
    /// The user's cache; its folder is made if need be.
    pub fn open() -> Result<Cache, NoCache> {
        let folder = location::location(|name| std::env::var_os(name)).ok_or(NoCache::NoPlace)?;
        Cache::at(&folder)
    }

    fn at(folder: &Path) -> Result<Cache, NoCache> {
        let refused = |why: String| NoCache::Refused(folder.to_owned(), why);
        let (Some(base), Some(name)) = (folder.parent(), folder.file_name()) else {
            return Err(refused("it is not a folder of its own".into()));
        };
        let private = || {
            let mut builder = std::fs::DirBuilder::new();
            builder.mode(0o700);
            builder
        };
        private().recursive(true).create(base).map_err(|e| refused(e.to_string()))?;
        // Links above are the user's own; the checks below are about where they lead.
        let real = base.canonicalize().map_err(|e| refused(e.to_string()))?.join(name);
        match private().create(&real) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(refused(e.to_string())),
            Ok(()) | Err(_) => {}
        }
        trust::folder(&real).map_err(refused)?;
        Ok(Cache { folder: real })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How much is in it.
    pub fn size(&self) -> io::Result<Size> {
        let files = evict::files(&self.folder)?;
        let entries = files.iter().filter(|f| f.is_finished()).count();
        Ok(Size { entries, bytes: files.iter().map(|f| f.bytes).sum() })
    }

    /// Removes all of it, and says how much that was. What others are writing just now stays, and so do files that
    /// are not ours.
    pub fn clean(&self) -> io::Result<Size> {
        let mut gone = Size::default();
        evict::evict(&self.folder, SystemTime::now());
        for file in evict::files(&self.folder)?.iter().filter(|f| f.is_finished()) {
            match std::fs::remove_file(&file.path) {
                Ok(()) => gone = Size { entries: gone.entries + 1, bytes: gone.bytes + file.bytes },
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(e),
            }
        }
        Ok(gone)
    }

    /// The entry of a key, if it is there, ours and whole. Others with its name are removed.
    fn find(&self, key: &str) -> Option<PathBuf> {
        let files = evict::files(&self.folder).ok()?;
        let named = |path: &Path| path.file_name().and_then(|n| n.to_str()).map(str::to_owned);
        let mut found = None;
        for file in files {
            let Some(name) = named(&file.path) else { continue };
            let Some((_, sum)) = name.split_once('-').filter(|(k, _)| *k == key) else { continue };
            match read_entry(&file.path) {
                Ok((entry, actual)) if actual == sum => {
                    // Only for eviction: a time that cannot be set is no harm.
                    let _ = entry.set_modified(SystemTime::now());
                    found = Some(file.path);
                }
                Ok(_) | Err(_) => {
                    let _ = std::fs::remove_file(&file.path);
                }
            }
        }
        found
    }

    /// Copies an executable into the cache.
    fn store(&self, key: &str, executable: &Path) -> io::Result<PathBuf> {
        let bytes = std::fs::read(executable)?;
        let place = self.folder.join(format!("{key}-{}", hex(&Sha256::digest(&bytes))));
        write_with_mode(&place, &bytes, 0o700)?;
        evict::evict(&self.folder, SystemTime::now());
        Ok(place)
    }
}

/// Opens an entry and computes the sum of what is in it.
fn read_entry(path: &Path) -> io::Result<(File, String)> {
    let no_links = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut file = OpenOptions::new().read(true).custom_flags(no_links.bits() as i32).open(path)?;
    trust::file(&file.metadata()?).map_err(io::Error::other)?;
    let mut bytes = vec![];
    (&mut file).take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok((file, hex(&Sha256::digest(&bytes))))
}

/// What an executable depends on.
fn key(front: &Front, what: &str) -> String {
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
    this_processor().iter().for_each(|option| add(option));
    for variable in ["CC", "CFLAGS"] {
        add(&std::env::var(variable).unwrap_or_default());
    }
    for (_, file) in front.sources.files() {
        add(&file.path.display().to_string());
        add(&file.text);
    }
    hex(&hasher.finalize())[..KEY_DIGITS].to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests;
