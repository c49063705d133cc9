//! Programs and what formatting makes of them, and what must hold for every program of the repository.
//!
//! `FEHU_BLESS=1 cargo test -p fehu-fmt` writes `style/expected` anew.

use fehu_base::FileId;
use fehu_fmt::{format, same_program, Source};
use std::path::{Path, PathBuf};

const FILE: FileId = FileId(0);

fn files_in(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_in(&path, found);
        } else if path.extension().is_some_and(|e| e == "fut") {
            found.push(path);
        }
    }
}

/// All programs of the repository whose syntax is right.
fn programs() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    for dir in ["examples", "tests", "bench", "crates"] {
        files_in(&root.join(dir), &mut files);
    }
    let texts = files.into_iter().filter_map(|f| Some((f.clone(), std::fs::read_to_string(&f).ok()?)));
    let right: Vec<_> = texts.filter(|(_, text)| Source::read(FILE, text).errors().is_empty()).collect();
    assert!(right.len() > 200, "{}", right.len());
    right
}

/// The tree as text, without the places of its nodes and without what formatting changes on purpose.
fn tree(text: &str) -> String {
    let shown = format!("{:?}", Source::read(FILE, text).prog());
    let mut out = String::with_capacity(shown.len());
    let mut rest = shown.as_str();
    while let Some(at) = rest.find("Span {") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('}').expect("a closed span");
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out.replace("keyword: Let", "keyword: Def")
}

#[test]
fn style() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/style");
    for name in ["declarations", "expressions", "types", "comments", "trailing"] {
        let text = std::fs::read_to_string(dir.join(format!("{name}.fut"))).expect("a program");
        let formatted = format(FILE, &text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let expected = dir.join(format!("expected/{name}.fut"));
        if std::env::var_os("FEHU_BLESS").is_some() {
            std::fs::write(&expected, &formatted).expect("written");
        }
        assert_eq!(formatted, std::fs::read_to_string(&expected).expect("an expectation"), "{name}");
    }
}

#[test]
fn formatting_twice_changes_nothing_more() {
    for (path, text) in programs() {
        let once = format(FILE, &text).expect("right syntax");
        let twice = format(FILE, &once).expect("right syntax");
        assert_eq!(once, twice, "{}", path.display());
    }
}

#[test]
fn formatting_keeps_the_tree() {
    for (path, text) in programs() {
        let formatted = format(FILE, &text).expect("right syntax");
        assert!(tree(&text) == tree(&formatted), "{}", path.display());
        assert_eq!(same_program(FILE, &text, &formatted), Ok(()), "{}", path.display());
    }
}

#[test]
fn formatted_text_has_no_blanks_at_ends_of_lines() {
    for (path, text) in programs() {
        let formatted = format(FILE, &text).expect("right syntax");
        assert!(formatted.lines().all(|l| l.trim_end() == l), "{}", path.display());
        assert!(formatted.is_empty() || formatted.ends_with('\n'), "{}", path.display());
        assert!(!formatted.ends_with("\n\n"), "{}", path.display());
    }
}

#[test]
fn tokens_and_comments_are_all_of_the_text() {
    for (path, text) in programs() {
        let source = Source::read(FILE, &text);
        let mut parts: Vec<_> = source.tokens().iter().map(|t| t.span).collect();
        parts.extend(source.comments().iter().map(|c| c.span));
        parts.sort_by_key(|s| (s.lo, s.hi));
        let mut at = 0;
        for part in parts {
            let between = text.get(at..part.lo as usize).expect("spans are in order and at characters");
            assert!(between.trim().is_empty(), "{}: {between:?}", path.display());
            at = part.hi as usize;
        }
        assert!(text[at..].trim().is_empty(), "{}", path.display());
    }
}

#[test]
fn differences_are_found() {
    let changed = |before: &str, after: &str| same_program(FILE, before, after).is_err();
    assert!(changed("def x = 1", "def x = 2"));
    assert!(changed("def x = 1 -- a", "def x = 1"));
    assert!(changed("def x = f a b", "def x = f b a"));
    assert!(changed("def (+) a b = a", "def (-) a b = a"));
    assert!(!changed("let x = 1", "def x=1"));
    assert!(!changed("def a + b = a", "def (+) a b = a"));
    assert!(!changed("def x = let a = 1 in let b = 2 in [a, b,]", "def x = let a = 1 let b = 2 in [a, b]"));
}

#[test]
fn errors_are_reported_and_nothing_is_formatted() {
    assert!(format(FILE, "def x = (1 +").is_err());
}

#[test]
fn empty_files_and_files_of_comments() {
    assert_eq!(format(FILE, ""), Ok(String::new()));
    assert_eq!(format(FILE, "\n\n"), Ok(String::new()));
    assert_eq!(format(FILE, "-- a  \n\n\n-- b"), Ok("-- a\n\n-- b\n".to_owned()));
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let text = format!("def x = 1{}\n", " + 1".repeat(5_000));
    assert_eq!(format(FILE, &text), Ok(text));
    let text = format!("def x = {} 1\n", "let a = 1\n ".repeat(5_000) + "in");
    assert!(format(FILE, &text).is_ok());
}
