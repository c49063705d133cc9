//! Golden tests: small texts and the trees or errors they give.
//!
//! The files in `golden/` hold cases of the form
//!
//! ```text
//! | source, one line or more
//! result
//! ```
//!
//! `FEHU_BLESS=1 cargo test -p fehu-syntax --test suite golden` rewrites the results.

use crate::dump;

use fehu_base::{diagnostic::Colour, Diagnostic, FileId, SourceMap};
use std::fmt::Write;
use std::path::Path;

#[test]
fn expressions() {
    check("expressions.txt", |text| {
        let (e, errors) = fehu_syntax::parse_exp(FileId(0), text);
        if errors.is_empty() {
            dump::exp(&e)
        } else {
            render(text, &errors)
        }
    });
}

#[test]
fn types() {
    check("types.txt", |text| {
        let (t, errors) = fehu_syntax::parse_type_exp(FileId(0), text);
        match t {
            Some(t) if errors.is_empty() => dump::ty(&t),
            _ => render(text, &errors),
        }
    });
}

#[test]
fn declarations() {
    check("declarations.txt", |text| {
        let parsed = fehu_syntax::parse(FileId(0), text);
        if parsed.errors.is_empty() {
            dump::prog(&parsed.prog)
        } else {
            render(text, &parsed.errors)
        }
    });
}

/// Broken texts: all messages, and the tree that recovery saved.
#[test]
fn errors() {
    check("errors.txt", |text| {
        let parsed = fehu_syntax::parse(FileId(0), text);
        assert!(!parsed.errors.is_empty(), "no error in: {text}");
        format!("{}\n=> {}", render(text, &parsed.errors), dump::prog(&parsed.prog))
    });
}

#[test]
fn words() {
    check("words.txt", |text| {
        let mut out = String::new();
        for t in fehu_syntax::tokens(FileId(0), text) {
            let word = &text[t.span.lo as usize..t.span.hi as usize];
            let _ = write!(out, "{:?}({}) ", t.kind, word.escape_debug());
        }
        out.trim_end().to_owned()
    });
}

fn render(text: &str, errors: &[Diagnostic]) -> String {
    let mut sources = SourceMap::default();
    sources.add("t.fut", text.to_owned());
    let all: Vec<String> = errors.iter().map(|e| e.render(&sources, Colour::Never)).collect();
    all.join("\n")
}

/// Runs a function over all cases of a file and compares, or blesses.
fn check(name: &str, run: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let stored = std::fs::read_to_string(&path).expect("golden file");
    let mut sources: Vec<String> = vec![];
    let mut in_source = false;
    for line in stored.lines() {
        let part = line.strip_prefix("| ").or(line.strip_prefix('|'));
        match (part, in_source) {
            (Some(part), true) => {
                if let Some(last) = sources.last_mut() {
                    last.push('\n');
                    last.push_str(part);
                }
            }
            (Some(part), false) => sources.push(part.to_owned()),
            (None, _) => {}
        }
        in_source = part.is_some();
    }
    let mut actual = String::new();
    for source in &sources {
        for line in source.split('\n') {
            let _ = writeln!(actual, "{}", format!("| {line}").trim_end());
        }
        for line in run(source).lines() {
            // A result line must not look like a source line.
            let _ = writeln!(actual, "{}{}", if line.starts_with('|') { " " } else { "" }, line.trim_end());
        }
        actual.push('\n');
    }
    if std::env::var_os("FEHU_BLESS").is_some() {
        std::fs::write(&path, actual).expect("golden file is writable");
    } else if actual != stored {
        let at = actual.lines().zip(stored.lines()).position(|(a, b)| a != b).unwrap_or(0);
        let show = |s: &str| s.lines().skip(at.saturating_sub(3)).take(10).collect::<Vec<_>>().join("\n");
        panic!(
            "{name} differs at line {}:\n--- now\n{}\n--- stored\n{}",
            at + 1,
            show(&actual),
            show(&stored)
        );
    }
}
