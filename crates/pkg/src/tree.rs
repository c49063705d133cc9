//! The files of a package: from a commit to a folder.
//!
//! A repository can contain anything, so everything is checked before the first file is written: names that lead
//! elsewhere, links, nested repositories, and amounts of data that no package has are refused.

use crate::error::Error;
use crate::git;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The largest list of files, file and package.
const MAX_LIST_BYTES: u64 = 16 << 20;
const MAX_FILE_BYTES: u64 = 64 << 20;
const MAX_PACKAGE_BYTES: u64 = 256 << 20;

/// The most files, and the deepest folder, of a package.
const MAX_FILES: usize = 10_000;
const MAX_DEPTH: usize = 32;

/// A file of a package.
#[derive(Debug)]
pub(crate) struct File {
    /// Where it is in the package.
    path: PathBuf,
    /// Its object.
    id: String,
    bytes: u64,
}

/// The files in a folder of a commit; `None` if there is no such folder.
pub(crate) fn list(repository: &Path, commit: &str, folder: &str) -> Result<Option<Vec<File>>, Error> {
    let tree = format!("{commit}:{folder}");
    if git::try_run(repository, &["cat-file", "-t", &tree])?.is_none_or(|kind| kind.trim() != "tree") {
        return Ok(None);
    }
    let listed = git::run_limited(repository, &["ls-tree", "-r", "-z", "-l", &tree], MAX_LIST_BYTES)?
        .ok_or_else(|| Error::new("its files could not be listed, or are too many"))?;
    let mut files = vec![];
    let mut total = 0u64;
    for line in listed.split(|b| *b == 0).filter(|line| !line.is_empty()) {
        let file = entry(line)?;
        total = total.saturating_add(file.bytes);
        files.push(file);
        if files.len() > MAX_FILES {
            return Err(Error::new(format!("it has more than {MAX_FILES} files")));
        }
        if total > MAX_PACKAGE_BYTES {
            return Err(Error::new(format!("its files have more than {} MiB", MAX_PACKAGE_BYTES >> 20)));
        }
    }
    Ok(Some(files))
}

/// One line of the list: `mode type id size<TAB>path`.
fn entry(line: &[u8]) -> Result<File, Error> {
    let line = std::str::from_utf8(line).map_err(|_| Error::new("the name of a file is not UTF-8"))?;
    let (facts, name) = line.split_once('\t').ok_or_else(|| Error::new("its files could not be listed"))?;
    let facts: Vec<&str> = facts.split_whitespace().collect();
    let [mode, _, id, size] = facts[..] else {
        return Err(Error::new("its files could not be listed"));
    };
    check_name(name)?;
    match mode {
        "100644" | "100755" | "100664" => {}
        "120000" => return Err(Error::new(format!("{name:?} is a symbolic link"))),
        "160000" => return Err(Error::new(format!("{name:?} is another repository"))),
        _ => return Err(Error::new(format!("{name:?} is no ordinary file"))),
    }
    let bytes: u64 = size.parse().map_err(|_| Error::new(format!("{name:?} has no size")))?;
    if bytes > MAX_FILE_BYTES {
        return Err(Error::new(format!("{name:?} has more than {} MiB", MAX_FILE_BYTES >> 20)));
    }
    Ok(File { path: PathBuf::from(name), id: id.to_owned(), bytes })
}

/// Whether a path in a repository stays where it should, on every file system.
fn check_name(name: &str) -> Result<(), Error> {
    let refused = |why: &str| Err(Error::new(format!("the file name {name:?} {why}")));
    if name.len() > 1024 || name.split('/').count() > MAX_DEPTH {
        return refused("is too long");
    }
    for part in name.split('/') {
        if matches!(part, "" | "." | "..") || part.eq_ignore_ascii_case(".git") {
            return refused("leads elsewhere");
        }
        if part.len() > 255 {
            return refused("is too long");
        }
        if part.chars().any(|c| c.is_control() || matches!(c, '\\' | ':')) {
            return refused("has unusual characters");
        }
    }
    Ok(())
}

/// Writes files into a folder, which is made.
pub(crate) fn write(repository: &Path, files: &[File], folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|e| Error::io("make", folder, &e))?;
    let mut child = git::command(repository, &["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| git::failed(&e))?;
    let (Some(mut ask), Some(answer)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::new("could not talk to git"));
    };
    let mut answer = BufReader::new(answer);
    let result = files.iter().try_for_each(|file| {
        let path = folder.join(&file.path);
        copy(&mut ask, &mut answer, file, &path).map_err(|e| Error::io("write", &path, &e))
    });
    drop(ask);
    child.wait().map_err(|e| git::failed(&e))?;
    result
}

/// Asks git for one object, and writes it to a file that is not there yet.
fn copy(ask: &mut impl Write, answer: &mut impl BufRead, file: &File, path: &Path) -> std::io::Result<()> {
    let broken = || std::io::Error::other("git did not give its content");
    writeln!(ask, "{}", file.id)?;
    ask.flush()?;
    let mut head = String::new();
    answer.read_line(&mut head)?;
    if head.trim_end() != format!("{} blob {}", file.id, file.bytes) {
        return Err(broken());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut out = OpenOptions::new().write(true).create_new(true).open(path)?;
    if std::io::copy(&mut answer.by_ref().take(file.bytes), &mut out)? != file.bytes {
        return Err(broken());
    }
    let mut end = [0];
    answer.read_exact(&mut end)
}

#[cfg(test)]
mod tests {
    use super::{check_name, entry};

    #[test]
    fn names_stay_in_the_package() {
        for name in ["a.fut", "a/b.fut", ".hidden", "a b", "é.fut", "..a"] {
            assert!(check_name(name).is_ok(), "{name:?}");
        }
        let deep = "a/".repeat(100);
        for name in
            ["", "/a", "a/", "a//b", "..", "../a", "a/../b", ".git/x", "a/.GIT", "a\\b", "c:x", "a\nb", &deep]
        {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn only_ordinary_files_are_taken() {
        let shown = |line: &str| entry(line.as_bytes()).map(|f| f.bytes).map_err(|e| e.to_string());
        assert_eq!(shown("100644 blob abc       12\ta.fut"), Ok(12));
        assert_eq!(shown("120000 blob abc       12\ta.fut"), Err("\"a.fut\" is a symbolic link".into()));
        assert_eq!(shown("160000 commit abc       -\ta"), Err("\"a\" is another repository".into()));
        assert_eq!(shown("100644 blob abc 99999999999\ta"), Err("\"a\" has more than 64 MiB".into()));
        assert!(entry(b"100644 blob abc 1\t\xff").is_err());
    }
}
