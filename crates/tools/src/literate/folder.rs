//! The folder of generated files. What a directive gave is there under a name that begins with a hash of
//! everything that it depends on, so that it is computed only once; files that no directive needs any more
//! are removed.
//!
//! ```text
//! foo-img/26b07dbf1f772d98...-img.png      a picture
//! foo-img/6ffd56d07e2c4850...-eval.txt     the text of a value
//! foo-img/fdccf88abb5fb000...-logo.png.sum of a file that was given a name: the sum of its content
//! ```

use fehu_driver::files::Batch;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// A folder, which need not be there before something is in it.
pub(super) struct Folder {
    path: PathBuf,
    /// Names of files that are needed.
    used: Vec<String>,
}

/// A file of the folder.
pub(super) struct Entry {
    /// Its name.
    pub(super) name: String,
    /// The file that says what is in a file whose name has no hash.
    sum: Option<String>,
}

/// Letters of a hash in a name.
const KEY_LETTERS: usize = 32;

/// A hash of some texts as it is used in names.
pub(super) fn key(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())[..KEY_LETTERS].to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Folder {
        Folder { path, used: vec![] }
    }

    /// Where a file is.
    pub(super) fn file(&self, entry: &Entry) -> PathBuf {
        self.path.join(&entry.name)
    }

    /// The file of a directive: with a name of its own, or one for this key.
    pub(super) fn entry(&mut self, key: &str, name: Option<&str>, ending: &str) -> Entry {
        let entry = match name {
            Some(name) => Entry { name: name.to_owned(), sum: Some(format!("{key}-{name}.sum")) },
            None => Entry { name: format!("{key}-{ending}"), sum: None },
        };
        self.used.push(entry.name.clone());
        self.used.extend(entry.sum.clone());
        entry
    }

    /// What is in a file, if it is what the directive gives.
    pub(super) fn content(&self, entry: &Entry) -> Option<Vec<u8>> {
        let content = std::fs::read(self.file(entry)).ok()?;
        match &entry.sum {
            None => Some(content),
            Some(sum) => {
                let written = std::fs::read_to_string(self.path.join(sum)).ok()?;
                (written == hex(&Sha256::digest(&content))).then_some(content)
            }
        }
    }

    /// Writes a file, all of it or nothing.
    pub(super) fn write(&self, entry: &Entry, content: &[u8]) -> Result<(), String> {
        let mut batch = Batch::default();
        batch.folder(&self.path)?;
        batch.file(&self.file(entry), content)?;
        if let Some(sum) = &entry.sum {
            batch.file(&self.path.join(sum), hex(&Sha256::digest(content)))?;
        }
        batch.finish()
    }

    /// Removes files that are named by a hash and that no directive asked for, and the folder if it is empty.
    pub(super) fn clean(&self) {
        let Ok(files) = std::fs::read_dir(&self.path) else { return };
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if is_ours(&name) && !self.used.contains(&name) {
                // It does no harm.
                let _ = std::fs::remove_file(file.path());
            }
        }
        // Only an empty folder goes.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// Whether a file has a name that only we give.
fn is_ours(name: &str) -> bool {
    name.split_once('-')
        .is_some_and(|(key, _)| key.len() == KEY_LETTERS && key.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_stays_and_the_rest_goes() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x-img");
        let mut folder = Folder::new(path.clone());
        let (a, b) =
            (folder.entry(&key(&[b"a"]), None, "eval.txt"), folder.entry(&key(&[b"b"]), Some("b.png"), ""));
        assert_eq!(folder.content(&a), None);
        folder.write(&a, b"1").expect("a file");
        folder.write(&b, b"2").expect("a file");
        std::fs::write(path.join("mine.txt"), "3").expect("a file");
        assert_eq!(folder.content(&a).as_deref(), Some(&b"1"[..]));
        assert_eq!(folder.content(&b).as_deref(), Some(&b"2"[..]));

        let mut next = Folder::new(path.clone());
        let b = next.entry(&key(&[b"b"]), Some("b.png"), "");
        next.clean();
        assert_eq!(next.content(&a), None);
        assert_eq!(next.content(&b).as_deref(), Some(&b"2"[..]));
        assert!(path.join("mine.txt").exists());
        // Another directive gave the same name to something else.
        let c = next.entry(&key(&[b"c"]), Some("b.png"), "");
        assert_eq!(next.content(&c), None);
        std::fs::write(path.join("b.png"), "changed").expect("a file");
        assert_eq!(next.content(&b), None);
    }

    #[test]
    fn keys_depend_on_every_part() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
        assert_eq!(key(&[b"a"]).len(), KEY_LETTERS);
    }
}
