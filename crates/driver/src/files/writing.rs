//! Writing files: all of a file or nothing. It is written beside its place and then moved there, so that a full disk, a
//! signal or a crash leaves what was there before.
//!
//! In: a path and bytes. Out: the file, or a sentence with its name about why not. Devices and pipes, such as
//! `/dev/stdout`, are written to as they are. Links stay links, and permissions what they were.

use super::temporary::{Kind, Owned};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The permissions of a new file, of which the user's mask takes some away.
const NEW_FILE: u32 = 0o666;

/// Writes one file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    let mut batch = Batch::default();
    batch.file(path, content)?;
    batch.finish()
}

/// Writes one file, which gets these permissions.
pub fn write_with_mode(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let unfinished = Unfinished::new(path.to_owned(), mode)?;
    unfinished.fill(content)?;
    unfinished.finish()
}

/// Files and folders that appear together, or not at all.
#[derive(Debug, Default)]
pub struct Batch {
    files: Vec<Unfinished>,
    /// Those that were made for these files, inner ones first.
    folders: Vec<Owned>,
}

impl Batch {
    /// Makes a folder and those around it, if they are not there.
    pub fn folder(&mut self, path: &Path) -> Result<(), String> {
        let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.is_dir());
        let missing: Vec<&Path> = missing.collect();
        for folder in missing.into_iter().rev() {
            let made =
                Owned::new(Kind::EmptyFolder, || Ok((folder.to_owned(), std::fs::create_dir(folder)?)));
            let (owned, ()) = made.map_err(|e| format!("could not make {}: {e}", folder.display()))?;
            self.folders.insert(0, owned);
        }
        Ok(())
    }

    /// Writes a file beside its place.
    pub fn file(&mut self, path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
        self.put(path, content.as_ref()).map_err(|e| not_written(path, &e))
    }

    fn put(&mut self, path: &Path, content: &[u8]) -> io::Result<()> {
        let old = std::fs::metadata(path).ok();
        if old.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return File::options().write(true).open(path)?.write_all(content);
        }
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let unfinished = Unfinished::new(place, NEW_FILE)?;
        if let Some(old) = old {
            unfinished.file.set_permissions(old.permissions())?;
        }
        unfinished.fill(content)?;
        self.files.push(unfinished);
        Ok(())
    }

    /// Moves all files to their places.
    pub fn finish(self) -> Result<(), String> {
        for file in &self.files {
            file.finish().map_err(|e| not_written(&file.place, &e))?;
        }
        for folder in &self.folders {
            folder.keep(|_| Ok(())).map_err(|e| not_written(folder.path(), &e))?;
        }
        Ok(())
    }
}

/// A file that another program writes, such as a C compiler: gone with this value, unless it is finished.
#[derive(Debug)]
pub(crate) struct Unfinished {
    owned: Owned,
    file: File,
    place: PathBuf,
}

impl Unfinished {
    /// A file beside this place.
    pub(crate) fn new(place: PathBuf, mode: u32) -> io::Result<Unfinished> {
        let (owned, file) = Owned::file_beside(&place, mode)?;
        Ok(Unfinished { owned, file, place })
    }

    /// Where it is now.
    pub(crate) fn path(&self) -> &Path {
        self.owned.path()
    }

    fn fill(&self, content: &[u8]) -> io::Result<()> {
        (&self.file).write_all(content)
    }

    /// Moves it to its place.
    pub(crate) fn finish(&self) -> io::Result<()> {
        self.owned.keep(|path| {
            std::fs::rename(path, &self.place)?;
            // Two names of one file both stay.
            match std::fs::remove_file(path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                Ok(()) | Err(_) => Ok(()),
            }
        })
    }
}

/// A file at its place that is removed with this value, unless what is made of it is finished.
#[derive(Debug)]
pub(crate) struct Kept(Owned);

impl Kept {
    /// For a file that is there.
    pub(crate) fn if_finished(path: &Path) -> io::Result<Kept> {
        let (owned, ()) = Owned::new(Kind::File, || Ok((path.to_owned(), ())))?;
        Ok(Kept(owned))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// It stays.
    pub(crate) fn finish(&self) -> io::Result<()> {
        self.0.keep(|_| Ok(()))
    }
}

/// Why a file could not be written.
pub(crate) fn not_written(path: &Path, e: &io::Error) -> String {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty() && !f.is_dir());
    let why = match (folder, e.kind() == io::ErrorKind::IsADirectory) {
        (Some(folder), _) => format!("there is no folder {}", folder.display()),
        (None, true) => "it is a folder".to_owned(),
        (None, false) => e.to_string(),
    };
    format!("could not write {}: {why}", path.display())
}

/// A file name as other programs take it: none begins like an option.
pub fn argument(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes().first() {
        Some(b'-') => Path::new(".").join(path),
        Some(_) | None => path.to_owned(),
    }
}
