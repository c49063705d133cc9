//! Programs with mistakes, and the messages they get. Each file under `errors/` is a program; its last
//! comment block, after the line `-- ==>`, is what checking it prints. Every fix that comes with a message is
//! tried. `FEHU_BLESS=1 cargo test -p fehu-check --test suite errors` writes the blocks anew; review the
//! changes as code.

use fehu_base::diagnostic::Colour;
use fehu_base::{Diagnostic, FileId, SourceMap};
use fehu_check::modules::{check_again, Memory, SourceUnit};
use fehu_check::prelude_sources;
use std::path::{Path, PathBuf};

const MARK: &str = "-- ==>\n";

#[test]
fn messages_are_as_written_and_fixes_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let bless = std::env::var_os("FEHU_BLESS").is_some();
    let mut files = vec![];
    find(&root, &mut files);
    assert!(!files.is_empty());
    let mut wrong = vec![];
    let mut checker = Checker::default();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let (source, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        let name = path.strip_prefix(&root).unwrap_or(&path);
        let checked = checker.check(name, source);
        wrong.extend(checked.wrong_fixes(&mut checker, name, source));
        let shown: Vec<String> = checked.own().map(|d| d.render(&checked.sources, Colour::Never)).collect();
        let got = as_comment(&shown.join("\n\n"));
        if got == expected {
            continue;
        }
        if bless {
            std::fs::write(&path, format!("{source}{MARK}{got}")).expect("the file can be written");
        } else {
            wrong.push(format!("{}\nexpected:\n{expected}\ngot:\n{got}", name.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn find(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("the folder can be read").flatten().map(|e| e.path()).collect();
    entries.sort();
    for e in entries {
        if e.is_dir() {
            find(&e, out);
        } else if e.extension().is_some_and(|x| x == "fut") {
            out.push(e);
        }
    }
}

/// A program after the front end.
struct Checked {
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    main: FileId,
}

impl Checked {
    /// What is said about the program itself, not about the prelude.
    fn own(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| d.span.file == self.main)
    }

    /// Help that is not offered as an edit, and edits after which the same is said as often as before.
    fn wrong_fixes(&self, checker: &mut Checker, name: &Path, source: &str) -> Vec<String> {
        let mut wrong = vec![];
        for d in self.own() {
            let words = |h: &String| ONLY_WORDS.iter().any(|w| h.starts_with(w));
            if d.fixes.is_empty() && d.help.as_ref().is_some_and(|h| !words(h)) {
                wrong.push(format!("{}: no edit for: {:?}", name.display(), d.help));
            }
            for fix in &d.fixes {
                let mut fixed = source.to_owned();
                for (span, text) in fix.edits(&self.sources).iter().rev() {
                    fixed.replace_range(span.lo as usize..span.hi as usize, text);
                }
                let same = |c: &Checked| c.own().filter(|a| a.message == d.message).count();
                if same(&checker.check(name, &fixed)) >= same(self) {
                    wrong.push(format!("{}: \"{}\" does not help:\n{fixed}", name.display(), fix.title));
                }
            }
        }
        wrong
    }
}

/// Checks programs one after the other; the prelude only once.
#[derive(Default)]
struct Checker {
    memory: Memory,
}

impl Checker {
    fn check(&mut self, name: &Path, source: &str) -> Checked {
        let mut sources = SourceMap::default();
        let prelude = prelude_sources();
        let paths: Vec<String> = prelude
            .iter()
            .map(|(p, _)| p.trim_start_matches("/prelude/").trim_end_matches(".fut").into())
            .collect();
        let known = self.memory.take_prelude();
        let mut units: Vec<SourceUnit> = vec![];
        for (path, text) in prelude {
            let file = sources.add(*path, text.to_string());
            if known.is_none() {
                let prog = fehu_syntax::parse(file, text).prog;
                let imports = paths.iter().take(units.len()).enumerate();
                let imports = imports.map(|(i, p)| (fehu_base::Symbol::new(p), i)).collect();
                units.push(SourceUnit { file, prog, imports, broken: vec![] });
            }
        }
        units = known.unwrap_or(units);
        let main = sources.add(name, source.to_owned());
        let parsed = fehu_syntax::parse(main, source);
        if !parsed.errors.is_empty() {
            self.memory.return_prelude(units);
            return Checked { sources, diagnostics: parsed.errors, main };
        }
        let count = units.len();
        let imports = paths.iter().enumerate().map(|(i, p)| (fehu_base::Symbol::new(p), i)).collect();
        units.push(SourceUnit { file: main, prog: parsed.prog, imports, broken: vec![] });
        let checked = check_again(&mut self.memory, units, count, source, &|| false);
        let diagnostics = checked.expect("it was not given up").diagnostics;
        Checked { sources, diagnostics, main }
    }
}

/// Help that names no single edit: how it begins. What else helps comes with a fix for tools.
const ONLY_WORDS: &[&str] = &[
    "a constructor is written",
    "a function is written",
    "a loop has values that change",
    "a mean is written",
    "a power is written",
    "a program prints nothing itself",
    "a record is written",
    "a record with another value",
    "a size that only a value tells",
    "a sum of products is written",
    "a text stands in double quotes",
    "a type can have a constructor for no value",
    "a type is defined with",
    "a type of alternatives",
    "add size parameters to",
    "an argument is missing",
    "an array is flattened by",
    "an array of equal elements",
    "annotate the type",
    "arguments are missing",
    "arrays are computed from others",
    "bind an application",
    "bind the expression that produces",
    "choose with 'if'",
    "choose with 'match'",
    "close the expression before",
    "comments begin with",
    "declare one entry point for each",
    "elements with their places",
    "give one of the two",
    "its fields are",
    "numbers are converted",
    "numbers in order are",
    "only floating-point numbers have it",
    "only records have fields",
    "print values with",
    "random numbers are in a package",
    "remove the `*`",
    "sorting is in a package",
    "the body of a function is its result",
    "the body of a function stands",
    "the components of a tuple",
    "the constructors of a type begin",
    "the size of a concatenation",
    "the size of a flattened array",
    "there is no ';'",
    "there is no 'where'",
    "to use the other",
    "use `match` to tell",
    "use it as the size of a parameter",
    "write map:",
    "write reduce:",
];

fn as_comment(text: &str) -> String {
    text.lines().map(|l| format!("-- {l}").trim_end().to_owned() + "\n").collect()
}
