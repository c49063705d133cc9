//! A program is edited again and again: what a check of the changed definition alone says is what a check of everything says.

use fehu_base::diagnostic::Colour;
use fehu_driver::front::{check_edited, Depth, Memory};
use fehu_driver::load::Overlay;
use std::path::Path;

const MAIN: &str = "/nowhere/main.fut";

fn overlay(text: &str) -> Overlay {
    let library = "def twice (x: i32) = x * 2\n".to_owned();
    Overlay::from_iter([(MAIN.into(), text.to_owned()), ("/nowhere/lib.fut".into(), library)])
}

/// What is said about each of some texts, one after the other, must be what a check of everything says; how much was checked for each.
fn edits(texts: &[String]) -> Vec<Depth> {
    let (mut memory, mut other) = (Memory::default(), Memory::default());
    let mut depths = vec![];
    for text in texts {
        let (front, depth) = check_edited(&mut memory, Path::new(MAIN), overlay(text), Depth::One);
        let (fresh, _) = check_edited(&mut other, Path::new(MAIN), overlay(text), Depth::All);
        let shown = |front: &fehu_driver::front::Front| {
            let mut all: Vec<String> =
                front.diagnostics.iter().map(|d| d.render(&front.sources, Colour::Never)).collect();
            all.sort();
            all
        };
        assert_eq!(shown(&front), shown(&fresh), "{text}");
        depths.push(depth);
    }
    depths
}

const TEXT: &str = "\
import \"lib\"
type t = {a: i32, b: []f32}
def first (x: i32) : i32 = twice x
-- | A comment.
def second [n] (xs: [n]i32) = let unused = 1i32 in map first xs
def constant = filter (> 1i32) [1, 2, 3]
module m = { def inner (y: f32) = first 2 + i32.f32 y }
def third (r: t) = r.a + m.inner (r.b[0])
def wrong (x: i32) : bool = second [x]
def uses = length (second constant)
entry main (x: i32) = third {a = x, b = [1]} + first x
";

fn after(changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = TEXT.to_owned();
    let mut texts = vec![text.clone()];
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
        texts.push(text.clone());
    }
    texts
}

#[test]
fn only_the_changed_definition_is_checked() {
    use Depth::{All, One};
    // Texts are compared with the one of which all was checked last: after two definitions have changed, all is checked.
    let bodies = after(&[
        ("= twice x", "= twice x + 1"),
        ("twice x + 1", "twice (x + 1) -\n  1"),
        ("map first xs", "map first (map first xs)"),
        ("unused = 1i32", "unused = 1i32 + 2"),
        ("r.a + m", "let v = r.a in v + v + m"),
    ]);
    assert_eq!(edits(&bodies), [All, One, One, All, One, All]);
    // Types change, and definitions come and go.
    let types = after(&[
        ("def first (x: i32) : i32 = twice x", "def first (x: i32) : i64 = i64.i32 (twice x)"),
        ("i64 = i64.i32 (twice x)", "i32 = twice x"),
        ("def uses", "def more = 1i32\ndef uses"),
        ("def more = 1i32\n", ""),
        ("[1, 2, 3]", "[1, 2, 3, 4]"),
        ("= first 2", "= first 3"),
        ("A comment.", "Another comment."),
        ("def third", "def fourth"),
    ]);
    assert_eq!(edits(&types)[1..], [All; 8]);
    // What does not parse, or is wrong.
    let broken = after(&[("= twice x", "= twice (x"), ("twice (x", "twice (x)"), ("twice (x)", "twise x")]);
    assert_eq!(edits(&broken), [All; 4]);
}

#[test]
fn many_edits_in_a_row() {
    let mut text = TEXT.to_owned();
    let mut texts = vec![text.clone()];
    for i in 0..40 {
        let line = ["= twice x", "in map first", "r.a + m", "= length (", "= third {"][i % 5];
        let typed = format!("{line}{}", ["", " ", "\n  ", " -- é\n  "][i / 5 % 4]);
        text = text.replacen(line, &typed, 1);
        texts.push(text.clone());
    }
    let depths = edits(&texts);
    assert!(depths.iter().filter(|d| **d == Depth::One).count() > 10, "{depths:?}");
}
