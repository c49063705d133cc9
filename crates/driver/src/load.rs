//! Finds the files of a program, parses each once, and orders them so that
//! imported files come before importing ones.

use crate::files::read_source;
use fehu_base::{Diagnostic, FileId, SourceMap, Span, Symbol};
use fehu_check::modules::needed::Needed;
use fehu_check::modules::SourceUnit;
use fehu_check::prelude::needed::{parse_all, parse_needed};
use fehu_check::prelude_sources;
use fehu_syntax::{ast, Token};
use rustc_hash::FxHashMap;
use std::path::{Component, Path, PathBuf};

/// A program's files, parsed.
#[derive(Debug)]
pub struct Loaded {
    /// The files in dependency order, the prelude first, the main file last.
    pub units: Vec<SourceUnit>,
    /// How many of the units are the prelude's.
    pub prelude: usize,
    /// What of the prelude is to be checked; the rest is not there, or taken at its word.
    pub needed: Needed,
    /// All texts.
    pub sources: SourceMap,
    /// Files that could not be read, imports that go in circles, syntax errors.
    pub errors: Vec<Diagnostic>,
    /// Whether imported files, or parts of them, are missing, so that checking the rest makes no sense.
    pub incomplete: bool,
}

/// Loads a program from its main file.
pub fn load(main: &Path) -> Loaded {
    load_over(main, Overlay::default())
}

/// Texts that stand for the contents of files, such as those that an editor has not saved. The paths are
/// [`normalise`]d.
pub type Overlay = FxHashMap<PathBuf, String>;

/// Loads a program from its main file; files that are in the overlay are not read.
pub fn load_over(main: &Path, overlay: Overlay) -> Loaded {
    Loader::over(main, overlay).finish()
}

/// Loads a program with all of the prelude, whose units the caller may have kept.
pub fn load_whole(main: &Path, overlay: Overlay, prelude: Option<Vec<SourceUnit>>) -> Loaded {
    Loader::over(main, overlay).finish_whole(prelude)
}

/// Loads a program given as text; imports are relative to the current folder.
pub fn load_text(path: &Path, text: String) -> Loaded {
    let mut loader = Loader::new();
    loader.file(path, text);
    loader.finish()
}

/// One file by itself.
#[derive(Debug)]
pub struct ParsedFile {
    /// Its words.
    pub tokens: Vec<fehu_syntax::Token>,
    /// Its text.
    pub sources: SourceMap,
    /// Its syntax errors.
    pub errors: Vec<Diagnostic>,
}

/// Parses one file, without its imports.
pub fn parse_one(path: &Path) -> Result<ParsedFile, String> {
    let text = read_source(path).map_err(|e| cannot_read(Span::NONE, path, &e).message)?;
    let mut sources = SourceMap::default();
    let file = sources.add(path, text.clone());
    let errors = fehu_syntax::parse(file, &text).errors;
    Ok(ParsedFile { tokens: fehu_syntax::tokens(file, &text), sources, errors })
}

enum State {
    Open,
    Done(usize),
    Failed,
}

struct Loader {
    /// The program's own files, and their words.
    units: Vec<(SourceUnit, Vec<Token>)>,
    sources: SourceMap,
    errors: Vec<Diagnostic>,
    /// Where a file will be among all units.
    state: FxHashMap<PathBuf, State>,
    /// The chain of files being loaded, for messages about circles.
    chain: Vec<PathBuf>,
    prelude: Vec<FileId>,
    overlay: Overlay,
    incomplete: bool,
}

impl Loader {
    fn new() -> Loader {
        let (mut sources, mut state) = (SourceMap::default(), FxHashMap::default());
        let prelude: Vec<FileId> =
            prelude_sources().iter().map(|(path, text)| sources.add(*path, *text)).collect();
        for (i, (path, _)) in prelude_sources().iter().enumerate() {
            state.insert(PathBuf::from(path), State::Done(i));
        }
        Loader {
            units: vec![],
            sources,
            errors: vec![],
            state,
            chain: vec![],
            prelude,
            overlay: Overlay::default(),
            incomplete: false,
        }
    }

    fn over(main: &Path, overlay: Overlay) -> Loader {
        let mut loader = Loader { overlay, ..Loader::new() };
        match loader.read(main) {
            Ok(text) => {
                loader.file(main, text);
            }
            Err(e) => {
                loader.incomplete = true;
                loader.errors.push(cannot_read(Span::NONE, main, &e));
            }
        }
        loader
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        match self.overlay.get(&normalise(path)) {
            Some(text) => Ok(text.clone()),
            None => read_source(path),
        }
    }

    /// Adds all of the prelude: these units of it, if the caller has kept them.
    fn finish_whole(self, prelude: Option<Vec<SourceUnit>>) -> Loaded {
        let mut units = prelude.unwrap_or_else(|| prelude_units(&self.prelude, parse_all(&self.prelude).0));
        units.extend(self.units.into_iter().map(|(u, _)| u));
        let (prelude, needed) = (self.prelude.len(), Needed::All);
        let (sources, errors, incomplete) = (self.sources, self.errors, self.incomplete);
        Loaded { units, prelude, needed, sources, errors, incomplete }
    }

    /// Adds what is needed of the prelude.
    fn finish(self) -> Loaded {
        let text = |u: &SourceUnit| self.sources.get(u.file).map_or("", |f| &*f.text);
        let own: Vec<_> = self.units.iter().map(|(u, words)| (&u.prog, text(u), words.as_slice())).collect();
        let (progs, needed) = parse_needed(&self.prelude, &own);
        let mut units = prelude_units(&self.prelude, progs);
        units.extend(self.units.into_iter().map(|(u, _)| u));
        let (sources, errors, incomplete) = (self.sources, self.errors, self.incomplete);
        Loaded { units, prelude: self.prelude.len(), needed, sources, errors, incomplete }
    }

    /// Parses a file and everything it imports; its position among the units.
    fn file(&mut self, path: &Path, text: String) -> Option<usize> {
        let key = normalise(path);
        self.state.insert(key.clone(), State::Open);
        self.chain.push(key.clone());
        let file = self.sources.add(path, text);
        let parsed = fehu_syntax::parse(file, self.sources.get(file).map_or("", |f| &*f.text));
        self.errors.extend(parsed.errors);
        let (mut prog, broken) = (parsed.prog, parsed.broken);
        if let Some(lost) = parsed.lost {
            // What follows may need names that are not known.
            prog.decs.retain(|d| d.span().hi <= lost.lo);
            self.incomplete |= self.chain.len() > 1;
        }
        let mut found = vec![];
        imports_of(&prog.decs, &mut found);
        let mut imports = vec![];
        for (name, span) in found {
            if let Some(unit) = self.import(path, name, span) {
                imports.push((name, unit));
            }
        }
        self.chain.pop();
        let unit = self.prelude.len() + self.units.len();
        self.units.push((SourceUnit { file, prog, imports, broken }, parsed.tokens));
        self.state.insert(key, State::Done(unit));
        Some(unit)
    }

    fn import(&mut self, importer: &Path, name: Symbol, span: Span) -> Option<usize> {
        let path = import_path(importer, name.as_str());
        let key = normalise(&path);
        match self.state.get(&key) {
            Some(State::Done(unit)) => return Some(*unit),
            Some(State::Failed) => return None,
            Some(State::Open) => {
                let start = self.chain.iter().position(|p| *p == key).unwrap_or(0);
                let circle: Vec<_> =
                    self.chain[start..].iter().chain([&key]).map(|p| p.display().to_string()).collect();
                self.incomplete = true;
                self.errors.push(
                    Diagnostic::error(span, "Import cycle.")
                        .label("this import leads back to the importing file")
                        .note(circle.join(" imports ")),
                );
                return None;
            }
            None => {}
        }
        match self.read(&path) {
            Ok(text) => self.file(&path, text),
            Err(e) => {
                self.state.insert(key, State::Failed);
                self.incomplete = true;
                self.errors.push(cannot_read(span, &path, &e));
                None
            }
        }
    }
}

impl Loaded {
    /// The same program with all of the prelude.
    pub fn with_whole_prelude(mut self) -> Loaded {
        let files: Vec<FileId> = self.units.iter().take(self.prelude).map(|u| u.file).collect();
        let (progs, needed) = parse_all(&files);
        self.units.splice(..self.prelude, prelude_units(&files, progs));
        self.needed = needed;
        self
    }
}

/// The prelude's files import only each other.
fn prelude_units(files: &[FileId], progs: Vec<ast::Prog>) -> Vec<SourceUnit> {
    let position = |name: Symbol| {
        let path = format!("/prelude/{name}.fut");
        prelude_sources().iter().position(|(p, _)| *p == path).map(|i| (name, i))
    };
    let unit = |(file, prog): (&FileId, ast::Prog)| {
        let mut found = vec![];
        imports_of(&prog.decs, &mut found);
        let imports = found.into_iter().filter_map(|(name, _)| position(name)).collect();
        SourceUnit { file: *file, prog, imports, broken: vec![] }
    };
    files.iter().zip(progs).map(unit).collect()
}

fn cannot_read(span: Span, path: &Path, why: &str) -> Diagnostic {
    let d = Diagnostic::error(span, format!("Could not read {}: {why}.", path.display()));
    let mut folders = path.iter().map(|part| part.to_string_lossy());
    // Packages lie in folders named after their hosts.
    match folders.any(|part| part == "lib") && folders.next().is_some_and(|host| host.contains('.')) {
        true => d.help("packages that futhark.pkg lists are fetched into lib by `fehu pkg sync`"),
        false if span == Span::NONE && path.extension().is_none() && path.with_extension("fut").is_file() => {
            d.help(format!("there is {}", path.with_extension("fut").display()))
        }
        false => d,
    }
}

/// `import "a/b"` in `dir/file.fut` is `dir/a/b.fut`; a path from the root, such as
/// `/prelude/math`, is one of the files that come with the compiler.
pub fn import_path(importer: &Path, name: &str) -> PathBuf {
    if name.starts_with('/') {
        return PathBuf::from(format!("{name}.fut"));
    }
    let dir = importer.parent().unwrap_or(Path::new(""));
    dir.join(format!("{name}.fut"))
}

/// The path without `.` and, where possible, without `..`: two ways to write a path to one file give
/// one result.
pub fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out.pop();
                }
                Some(Component::RootDir) => {}
                Some(Component::ParentDir | Component::CurDir | Component::Prefix(_)) | None => {
                    out.push("..")
                }
            },
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => out.push(part),
        }
    }
    out
}

/// All imports of a list of declarations, in order, also those inside modules.
fn imports_of(decs: &[ast::Dec], out: &mut Vec<(Symbol, Span)>) {
    for dec in decs {
        match dec {
            ast::Dec::Import(path, span) => out.push((*path, *span)),
            ast::Dec::Local(dec, _) => imports_of(std::slice::from_ref(dec), out),
            ast::Dec::Open(m, _) => mod_imports(m, out),
            ast::Dec::Mod(b) => mod_imports(&b.body, out),
            ast::Dec::Val(_) | ast::Dec::Type(_) | ast::Dec::ModType(_) => {}
        }
    }
}

fn mod_imports(m: &ast::ModExp, out: &mut Vec<(Symbol, Span)>) {
    match m {
        ast::ModExp::Import(path, span) => out.push((*path, *span)),
        ast::ModExp::Decs(decs, _) => imports_of(decs, out),
        ast::ModExp::Parens(m, _) | ast::ModExp::Ascript(m, _, _) | ast::ModExp::Lambda(_, _, m, _) => {
            mod_imports(m, out);
        }
        ast::ModExp::Apply(f, a, _) => {
            mod_imports(f, out);
            mod_imports(a, out);
        }
        ast::ModExp::Var(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_to_one_file_are_one() {
        assert_eq!(normalise(Path::new("a/./b/../c.fut")), Path::new("a/c.fut"));
        assert_eq!(normalise(Path::new("../a.fut")), Path::new("../a.fut"));
        assert_eq!(import_path(Path::new("d/m.fut"), "../x"), Path::new("d/../x.fut"));
    }
}
