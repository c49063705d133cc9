//! Temporary folders and unfinished files. One owner removes them: when the value that stands for them is
//! dropped, and when a signal (Ctrl-C, `kill`, a closed terminal) ends the process.
//!
//! ```text
//! let folder = TempFolder::new()?;      // $TMPDIR/fehu-X1y2Z3, gone with `folder`, or with the process
//! ```
//!
//! A process that is killed (`kill -9`) leaves them; their names begin with [`FOLDER_PREFIX`] and [`FILE_PREFIX`].

use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// How the names of temporary folders begin.
const FOLDER_PREFIX: &str = "fehu-";

/// How the names of unfinished files begin, which are beside their places.
pub(crate) const FILE_PREFIX: &str = ".fehu-";

/// The signals by which people and systems end a process that may tidy up.
const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// How often a folder is tried to be removed into which other processes still write.
const REMOVALS: usize = 10;

/// The pause between two looks for the end.
const UNTIL_THE_END: Duration = Duration::from_millis(10);

/// The stack of the thread that waits for signals; what it removes may be nested.
const SIGNALS_STACK_BYTES: usize = 256 << 10;

/// What is to be removed, in the order in which it was made.
struct Owner {
    /// Set as soon as a signal arrives that ends the process; nothing before signals are awaited.
    ending: Option<Arc<AtomicBool>>,
    things: Vec<(PathBuf, Kind)>,
}

/// How something is removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    File,
    /// With everything in it.
    Folder,
    /// A folder of the user's, if there is nothing in it.
    EmptyFolder,
}

static OWNER: Mutex<Owner> = Mutex::new(Owner { ending: None, things: vec![] });

fn owner() -> MutexGuard<'static, Owner> {
    OWNER.lock().unwrap_or_else(|e| e.into_inner())
}

/// The owner; never again once the process is ending.
fn owner_unless_ending() -> MutexGuard<'static, Owner> {
    loop {
        let owner = owner();
        if !owner.ending.as_ref().is_some_and(|ending| ending.load(Ordering::SeqCst)) {
            return owner;
        }
        drop(owner);
        std::thread::sleep(UNTIL_THE_END);
    }
}

/// Does not return if a signal is ending the process: it has ended the programs that were started, too, and what they
/// seem to have failed of is no result.
pub fn unless_ending() {
    drop(owner_unless_ending());
}

impl Owner {
    /// Starts to wait for signals. Those that the parent process ignores (`nohup`, a job in the
    /// background of a script) stay ignored.
    fn watch(&mut self) -> io::Result<()> {
        if self.ending.is_some() {
            return Ok(());
        }
        let ignored = ignored_signals();
        let awaited: Vec<i32> = ENDING.into_iter().filter(|s| ignored >> (s - 1) & 1 == 0).collect();
        let ending: Arc<AtomicBool> = Arc::default();
        for signal in &awaited {
            signal_hook::flag::register(*signal, ending.clone())?;
        }
        let mut signals = Signals::new(awaited)?;
        std::thread::Builder::new().name("signals".into()).stack_size(SIGNALS_STACK_BYTES).spawn(
            move || {
                if let Some(signal) = signals.forever().next() {
                    // Nothing is made or finished from here on: the lock is kept.
                    let owner = owner();
                    owner.things.iter().rev().for_each(|(path, kind)| remove(path, *kind));
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            },
        )?;
        self.ending = Some(ending);
        Ok(())
    }
}

/// A mask of the signals that this process was started to ignore, as Linux says it; on other systems none are known.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// What cannot be removed stays.
fn remove(path: &Path, kind: Kind) {
    match kind {
        Kind::File => _ = std::fs::remove_file(path),
        Kind::EmptyFolder => _ = std::fs::remove_dir(path),
        Kind::Folder => {
            for _ in 0..REMOVALS {
                match std::fs::remove_dir_all(path) {
                    Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => {}
                    Ok(()) | Err(_) => return,
                }
            }
        }
    }
}

/// Something that is removed with this value, unless it is kept.
#[derive(Debug)]
pub(super) struct Owned {
    path: PathBuf,
    kind: Kind,
}

impl Owned {
    /// Owns what `make` makes, whose path it returns.
    pub(super) fn new<T>(
        kind: Kind,
        make: impl FnOnce() -> io::Result<(PathBuf, T)>,
    ) -> io::Result<(Owned, T)> {
        let mut owner = owner();
        owner.watch()?;
        let (path, made) = make()?;
        owner.things.push((path.clone(), kind));
        Ok((Owned { path, kind }, made))
    }

    /// A new file beside a place, with these permissions but for those that the user's mask takes away.
    pub(super) fn file_beside(place: &Path, mode: u32) -> io::Result<(Owned, File)> {
        let folder = place.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Owned::new(Kind::File, || {
            let mut builder = tempfile::Builder::new();
            let new = builder.prefix(FILE_PREFIX).permissions(Permissions::from_mode(mode));
            let (file, path) = new.tempfile_in(folder)?.keep().map_err(|e| e.error)?;
            Ok((path, file))
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// It stays, after `last` has done something to it; not if the process is ending: the programs that it started have
    /// got the same signal, and what they leave is not to be kept.
    pub(super) fn keep(&self, last: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let mut owner = owner_unless_ending();
        last(&self.path)?;
        owner.things.retain(|(path, _)| *path != self.path);
        Ok(())
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let mut owner = owner();
        let before = owner.things.len();
        owner.things.retain(|(path, _)| *path != self.path);
        if owner.things.len() < before {
            remove(&self.path, self.kind);
        }
    }
}

/// A folder that is removed with this value, for this user only.
#[derive(Debug)]
pub struct TempFolder(Owned);

impl TempFolder {
    /// Makes one among the system's temporary ones.
    pub fn new() -> Result<TempFolder, String> {
        TempFolder::inside(&std::env::temp_dir())
    }

    /// Makes one in a folder. What is in it at the end may have been moved, and the folder itself as well.
    pub fn inside(folder: &Path) -> Result<TempFolder, String> {
        TempFolder::made(|| Ok(tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir_in(folder)?.keep()))
            .map_err(|e| format!("could not make a temporary folder: {e}"))
    }

    /// Makes one with this path, which is free.
    pub fn named(path: &Path) -> Result<TempFolder, String> {
        TempFolder::made(|| std::fs::create_dir(path).map(|()| path.to_owned()))
            .map_err(|e| format!("could not make {}: {e}", path.display()))
    }

    fn made(make: impl FnOnce() -> io::Result<PathBuf>) -> io::Result<TempFolder> {
        let (owned, ()) = Owned::new(Kind::Folder, || Ok((make()?, ())))?;
        Ok(TempFolder(owned))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_all_that_is_in_it() {
        let folder = TempFolder::new().expect("a folder");
        let path = folder.path().to_owned();
        std::fs::create_dir(path.join("inner")).expect("a folder");
        std::fs::write(path.join("inner/file"), "1").expect("written");
        assert!(path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(FOLDER_PREFIX)));
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn what_is_kept_stays() {
        let folder = TempFolder::new().expect("a folder");
        let place = folder.path().join("place");
        let (kept, _) = Owned::file_beside(&place, 0o600).expect("a file");
        let (dropped, _) = Owned::file_beside(&place, 0o600).expect("a file");
        let paths = [kept.path().to_owned(), dropped.path().to_owned()];
        kept.keep(|_| Ok(())).expect("kept");
        drop((kept, dropped));
        assert_eq!(paths.map(|p| p.exists()), [true, false]);
    }
}
