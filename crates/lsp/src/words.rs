//! Words that mean the same thing, in all files of some programs.
//!
//! In: what the checker noted of each program (`fehu_check::uses`). Out: all words that must be changed
//! together if one of them gets another name: those that refer to a thing, and all things that a module has
//! for the names of a module type:
//!
//! ```text
//! module type S = {val v: i32}     v here
//! module m = {def v = 1i32} : S    and here
//! def f (n: i32) = n + m.v         and here
//! ```
//!
//! Labels of records and sums are words of all types that have the same labels, for such types may be one type.

use fehu_base::{SourceMap, Span, Symbol};
use fehu_check::tast::Program;
use fehu_check::uses::Labels;
use fehu_driver::load::normalise;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a word is. In `{x}` it is two things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Role {
    /// The name of a value, a type, a module or a module type.
    Name,
    /// A field or a constructor.
    Label,
}

/// A word: the number of its file, and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Word {
    pub(crate) file: usize,
    pub(crate) lo: usize,
    pub(crate) hi: usize,
    pub(crate) role: Role,
}

/// The words of some programs, and which of them belong together.
#[derive(Default)]
pub(crate) struct Words {
    files: Vec<PathBuf>,
    together: FxHashMap<Word, Vec<Word>>,
    /// Those that bind what they name.
    binding: FxHashSet<Word>,
}

impl Words {
    /// Adds the words of a program.
    pub(crate) fn add(&mut self, program: &Program, sources: &SourceMap) {
        let numbers: Vec<usize> = sources.files().map(|(_, f)| self.number(&normalise(&f.path))).collect();
        let files: FxHashMap<_, usize> = sources.files().map(|(id, _)| id).zip(numbers).collect();
        let word = |span: Span, role: Role| {
            let file = *files.get(&span.file)?;
            Some(Word { file, lo: span.lo as usize, hi: span.hi as usize, role })
        };
        for (a, b) in program.uses.refers.iter().chain(&program.uses.same) {
            if let (Some(a), Some(b)) = (word(*a, Role::Name), word(*b, Role::Name)) {
                self.join(a, b);
                self.binding.insert(b);
            }
        }
        let mut first: FxHashMap<(Symbol, &[&str], bool), Word> = FxHashMap::default();
        for label in &program.uses.labels {
            let Some(word) = word(label.span, Role::Label) else { continue };
            let (names, fields) = match &label.of {
                Labels::Fields(names) => (names, true),
                Labels::Constructors(names) => (names, false),
            };
            let first = *first.entry((label.name, names, fields)).or_insert(word);
            self.join(first, word);
            if label.declared {
                self.binding.insert(word);
            }
        }
    }

    fn join(&mut self, a: Word, b: Word) {
        self.together.entry(a).or_default().push(b);
        self.together.entry(b).or_default().push(a);
    }

    /// The number of a file.
    pub(crate) fn number(&mut self, file: &Path) -> usize {
        match self.files.iter().position(|f| f == file) {
            Some(number) => number,
            None => {
                self.files.push(file.to_owned());
                self.files.len() - 1
            }
        }
    }

    /// A file.
    pub(crate) fn file(&self, word: Word) -> Option<&Path> {
        self.files.get(word.file).map(PathBuf::as_path)
    }

    /// The word around a place. Of the two that `{x}` is, the value.
    pub(crate) fn at(&self, file: usize, offset: usize) -> Option<Word> {
        let here = |w: &&Word| w.file == file && w.lo <= offset && offset <= w.hi;
        // At `x` in `m.x`, both end or begin here.
        self.together.keys().filter(here).copied().min_by_key(|w| (w.role, w.hi == offset, w.lo))
    }

    /// Whether something else is written as the same word.
    pub(crate) fn is_pun(&self, word: Word) -> bool {
        let other = match word.role {
            Role::Name => Role::Label,
            Role::Label => Role::Name,
        };
        self.together.contains_key(&Word { role: other, ..word })
    }

    /// Whether a word binds what it names, or is a label in a type that is written.
    pub(crate) fn binds(&self, word: Word) -> bool {
        self.binding.contains(&word)
    }

    /// All words that belong to one.
    pub(crate) fn with(&self, word: Word) -> BTreeSet<Word> {
        let (mut seen, mut rest) = (FxHashSet::default(), vec![word]);
        while let Some(word) = rest.pop() {
            if seen.insert(word) {
                rest.extend(self.together.get(&word).into_iter().flatten());
            }
        }
        seen.into_iter().collect()
    }
}
