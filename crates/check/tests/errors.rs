//! Programs with mistakes, and the messages they get. Each file under
//! `errors/` is a program; its last comment block, after the line `-- ==>`, is
//! what checking it prints. `FEHU_BLESS=1 cargo test -p fehu-check --test errors`
//! writes the blocks anew; review the changes as code.

use fehu_base::diagnostic::Colour;
use fehu_base::SourceMap;
use fehu_check::modules::needed::Needed;
use fehu_check::modules::{check_program, SourceUnit};
use fehu_check::prelude_sources;
use std::path::{Path, PathBuf};

const MARK: &str = "-- ==>\n";

#[test]
fn messages_are_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let bless = std::env::var_os("FEHU_BLESS").is_some();
    let mut files = vec![];
    find(&root, &mut files);
    assert!(!files.is_empty());
    let mut wrong = vec![];
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let (source, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        let name = path.strip_prefix(&root).unwrap_or(&path);
        let got = as_comment(&messages(name, source));
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

/// What checking the program prints, errors and warnings.
fn messages(name: &Path, source: &str) -> String {
    let mut sources = SourceMap::default();
    let mut units: Vec<SourceUnit> = vec![];
    let mut errors = vec![];
    let prelude = prelude_sources();
    let paths: Vec<String> = prelude
        .iter()
        .map(|(p, _)| p.trim_start_matches("/prelude/").trim_end_matches(".fut").into())
        .collect();
    let texts = prelude.iter().copied().chain([(name.to_str().unwrap_or("?"), source)]);
    for (path, text) in texts {
        let file = sources.add(path, text.to_owned());
        let parsed = fehu_syntax::parse(file, text);
        errors.extend(parsed.errors);
        let imports =
            paths.iter().enumerate().take(units.len()).map(|(i, p)| (fehu_base::Symbol::new(p), i)).collect();
        units.push(SourceUnit { file, prog: parsed.prog, imports });
    }
    if errors.is_empty() {
        errors = check_program(&units, prelude.len(), Needed::All).diagnostics;
    }
    let own = units.last().map(|u| u.file);
    let shown: Vec<String> = errors
        .iter()
        .filter(|d| Some(d.span.file) == own)
        .map(|d| d.render(&sources, Colour::Never))
        .collect();
    shown.join("\n\n")
}

fn as_comment(text: &str) -> String {
    text.lines().map(|l| format!("-- {l}").trim_end().to_owned() + "\n").collect()
}
