//! The programs of the workspace: its files, and which of them import which.
//!
//! In: the folders that the editor has open, and its documents. Out: the files that see a file, since they
//! import it or import one that does. Of these, the ones that no file imports are checked as programs: they
//! contain the others.

use crate::state::State;
use fehu_base::FileId;
use fehu_driver::load::{import_path, normalise};
use fehu_syntax::TokenKind;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How many files of the workspace are looked at.
const MAX_FILES: usize = 20_000;

/// The files of the workspace, with what each imports.
pub(crate) struct Imports(BTreeMap<PathBuf, BTreeSet<PathBuf>>);

impl State {
    /// All `*.fut` files of the workspace and of the folders of documents that are elsewhere, and all documents.
    pub(crate) fn files(&self) -> BTreeSet<PathBuf> {
        let mut files: BTreeSet<PathBuf> = self.documents.keys().cloned().collect();
        for folder in &self.folders {
            collect(folder, &mut files, Inside::Everything);
        }
        for path in self.documents.keys() {
            let known = self.folders.iter().any(|f| path.starts_with(f));
            if let Some(folder) = path.parent().filter(|_| !known) {
                collect(folder, &mut files, Inside::Files);
            }
        }
        files
    }

    /// Who imports what.
    pub(crate) fn imports(&self) -> Imports {
        let imports = |path: PathBuf| {
            let text = self.text_of(&path).map(|t| t.text).unwrap_or_default();
            let imports = imports_of(&path, &text);
            (path, imports)
        };
        Imports(self.files().into_iter().map(imports).collect())
    }
}

impl Imports {
    /// The programs that contain any of some files: those that no other of them imports.
    pub(crate) fn roots(&self, of: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let mut seeing = of.clone();
        loop {
            let more = |(_, imports): &(&PathBuf, &BTreeSet<PathBuf>)| !imports.is_disjoint(&seeing);
            let new: Vec<PathBuf> = self.0.iter().filter(more).map(|(p, _)| p.clone()).collect();
            let before = seeing.len();
            seeing.extend(new);
            if seeing.len() == before {
                break;
            }
        }
        let imported: BTreeSet<&PathBuf> = seeing.iter().filter_map(|p| self.0.get(p)).flatten().collect();
        seeing.iter().filter(|p| !imported.contains(p)).cloned().collect()
    }
}

/// What of a folder is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Everything,
    Files,
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>, inside: Inside) {
    let mut rest = vec![folder.to_owned()];
    while let Some(folder) = rest.pop() {
        // What cannot be read is not part of the workspace.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if name.to_string_lossy().starts_with('.') || files.len() >= MAX_FILES {
                continue;
            }
            // Links may lead in circles.
            match entry.file_type() {
                Ok(t) if t.is_dir() && inside == Inside::Everything => rest.push(path),
                Ok(t) if t.is_file() && path.extension().is_some_and(|e| e == "fut") => {
                    files.insert(normalise(&path));
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
}

/// The files that a text imports.
fn imports_of(path: &Path, text: &str) -> BTreeSet<PathBuf> {
    if !text.contains("import") {
        return BTreeSet::new();
    }
    import_words(text).map(|(name, ..)| normalise(&import_path(path, &name))).collect()
}

/// What a text imports, and where the words stand that say so: `import "a/b"` imports `a/b`.
pub(crate) fn import_words(text: &str) -> impl Iterator<Item = (String, usize, usize)> + '_ {
    let tokens = fehu_syntax::tokens(FileId(0), text);
    let import = |pair: &[fehu_syntax::Token]| {
        let [keyword, name] = pair else { return None };
        let (lo, hi) = (name.span.lo as usize, name.span.hi as usize);
        let quoted = text
            .get(lo..hi)
            .filter(|_| keyword.kind == TokenKind::Import && name.kind == TokenKind::String)?;
        Some((quoted.trim_matches('"').to_owned(), lo, hi))
    };
    let found: Vec<_> = tokens.windows(2).filter_map(import).collect();
    found.into_iter()
}
