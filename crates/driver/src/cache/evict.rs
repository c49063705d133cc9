//! What is in the cache's folder, and what has to go.
//!
//! Entries that were not used for [`MAX_AGE`] go, and then the least recently used ones until the rest takes at
//! most [`MAX_BYTES`]. Half-written files of processes that died go after [`MAX_UNFINISHED_AGE`]. Files that are not
//! named as ours are never touched.

use crate::files::FILE_PREFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The most that all entries together may take.
pub const MAX_BYTES: u64 = 256 << 20;

/// How long an entry is kept that is not used.
pub const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long storing an entry may take at most.
const MAX_UNFINISHED_AGE: Duration = Duration::from_secs(60 * 60);

/// A file of the cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// When it was last used.
    used: SystemTime,
}

/// All files of ours in a folder; those that vanish meanwhile are left out.
pub(super) fn files(folder: &Path) -> std::io::Result<Vec<File>> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder)? {
        let Ok(entry) = entry else { continue };
        let Ok(meta) = std::fs::symlink_metadata(entry.path()) else { continue };
        if !meta.is_dir() && is_ours(&entry.file_name()) {
            let used = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push(File { path: entry.path(), bytes: meta.len(), used });
        }
    }
    Ok(found)
}

/// `KEY-SUM` in hexadecimal digits, or an unfinished file.
fn is_ours(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    name.starts_with(FILE_PREFIX)
        || name
            .split_once('-')
            .is_some_and(|(key, sum)| hex(key, super::KEY_DIGITS) && hex(sum, super::SUM_DIGITS))
}

impl File {
    pub(super) fn is_finished(&self) -> bool {
        !self.path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(FILE_PREFIX))
    }
}

/// Removes what is too old or too much. A file that cannot be removed is left to the next time.
pub(super) fn evict(folder: &Path, now: SystemTime) {
    for file in superfluous(files(folder).unwrap_or_default(), now, MAX_BYTES) {
        let _ = std::fs::remove_file(file.path);
    }
}

fn superfluous(mut files: Vec<File>, now: SystemTime, max_bytes: u64) -> Vec<File> {
    files.sort_by_key(|f| std::cmp::Reverse(f.used));
    let mut kept = 0;
    files.retain(|file| {
        let age = now.duration_since(file.used).unwrap_or(Duration::ZERO);
        let limit = if file.is_finished() { MAX_AGE } else { MAX_UNFINISHED_AGE };
        let keep = age <= limit && kept + file.bytes <= max_bytes;
        if keep {
            kept += file.bytes;
        }
        !keep
    });
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn gone(files: &[(&str, u64, Duration)]) -> Vec<String> {
        let now = SystemTime::UNIX_EPOCH + 1000 * DAY;
        let files = files
            .iter()
            .map(|(name, bytes, age)| File { path: name.into(), bytes: *bytes, used: now - *age })
            .collect();
        superfluous(files, now, 100).into_iter().map(|f| f.path.display().to_string()).collect()
    }

    #[test]
    fn old_entries_go_first_and_then_the_least_used() {
        assert_eq!(gone(&[("a", 50, DAY), ("b", 50, 2 * DAY)]), Vec::<String>::new());
        assert_eq!(gone(&[("a", 50, 31 * DAY), ("b", 50, 29 * DAY)]), ["a"]);
        assert_eq!(gone(&[("a", 60, 3 * DAY), ("b", 60, DAY), ("c", 30, 2 * DAY)]), ["a"]);
        assert_eq!(gone(&[("a", 101, DAY)]), ["a"]);
        assert_eq!(gone(&[(".fehu-x", 1, DAY), (".fehu-y", 1, Duration::ZERO)]), [".fehu-x"]);
    }

    #[test]
    fn a_clock_that_went_back_does_no_harm() {
        let now = SystemTime::UNIX_EPOCH;
        let file = File { path: "a".into(), bytes: 1, used: now + DAY };
        assert_eq!(superfluous(vec![file], now, 100), vec![]);
    }

    #[test]
    fn names_of_others_are_left_alone() {
        let (key, sum) = ("0".repeat(super::super::KEY_DIGITS), "a".repeat(super::super::SUM_DIGITS));
        assert!(is_ours(OsStr::new(&format!("{key}-{sum}"))));
        assert!(is_ours(OsStr::new(".fehu-abc")));
        for name in
            ["notes.txt", "-", &key, &format!("{key}-"), &format!("{key}-{sum}0"), &format!("{sum}-{key}")]
        {
            assert!(!is_ours(OsStr::new(name)), "{name}");
        }
    }
}
