//! A program is edited again and again: what a check of the changed definition alone says is what a check of
//! everything says.

use fehu_base::diagnostic::Colour;
use fehu_driver::front::{check_edited, Depth, Front, Memory};
use fehu_driver::load::Overlay;
use std::cell::Cell;
use std::path::Path;

const MAIN: &str = "/nowhere/main.fut";

fn overlay(text: &str) -> Overlay {
    let library = "def twice (x: i32) = x * 2\n".to_owned();
    Overlay::from_iter([(MAIN.into(), text.to_owned()), ("/nowhere/lib.fut".into(), library)])
}

/// What is said about each of some texts, one after the other, must be what a check of everything says; how
/// much was checked for each.
fn edits(texts: &[String]) -> Vec<Depth> {
    let mut memory = Memory::default();
    let mut depths = vec![];
    for text in texts {
        let check = |memory: &mut Memory, depth| {
            check_edited(memory, Path::new(MAIN), overlay(text), depth, &|| false).expect("an answer")
        };
        let (mut front, mut depth) = check(&mut memory, Depth::Changed);
        while depth == Depth::Part {
            (front, depth) = check(&mut memory, Depth::Changed);
        }
        let (fresh, _) = check(&mut Memory::default(), Depth::All);
        assert_eq!(shown(&front), shown(&fresh), "{text}");
        depths.push(depth);
    }
    depths
}

fn shown(front: &Front) -> Vec<String> {
    let mut all: Vec<String> =
        front.diagnostics.iter().map(|d| d.render(&front.sources, Colour::Never)).collect();
    all.sort();
    all
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
fn only_what_an_edit_concerns_is_checked() {
    use Depth::{All, Changed};
    let bodies = after(&[
        ("= twice x", "= twice x + 1"),
        ("twice x + 1", "twice (x + 1) -\n  1"),
        ("map first xs", "map first (map first xs)"),
        ("unused = 1i32", "unused = 1i32 + 2"),
        ("r.a + m", "let v = r.a in v + v + m"),
        // The text is as it was before.
        ("let v = r.a in v + v + m", "r.a + m"),
        ("r.a + m", "r.a + m"),
    ]);
    assert_eq!(edits(&bodies), [All, Changed, Changed, Changed, Changed, Changed, Changed, Changed]);
    // Types change, and definitions come and go.
    let types = after(&[
        ("def first (x: i32) : i32 = twice x", "def first (x: i32) : i64 = i64.i32 (twice x)"),
        ("i64 = i64.i32 (twice x)", "i32 = twice x"),
        ("def uses", "def more = 1i32\ndef uses"),
        ("= third {", "= more + third {"),
        ("def more = 1i32\n", ""),
        ("= more + third {", "= third {"),
        ("[1, 2, 3]", "[1, 2, 3, 4]"),
        ("= first 2", "= first 3"),
        ("A comment.", "Another comment."),
        ("def third", "def fourth"),
        ("def fourth", "def third"),
        ("type t = {a: i32,", "type t = {a: i64,"),
        ("type t = {a: i64,", "type t = {a: i32,"),
        ("import \"lib\"", "import \"lib\"\ndef twice (x: i32) = x == 2"),
        ("def twice (x: i32) = x == 2", "def ++++ (x: i32) (y: i32) = x"),
        ("third {a = x", "third {a = x ++++ 2"),
        ("def ++++ (x: i32) (y: i32) = x", "def ++++ (x: i32) (y: bool) = x"),
    ]);
    assert_eq!(edits(&types)[1..], [Changed; 17]);
    // What does not parse, is wrong, or defined twice.
    let broken = after(&[
        ("= twice x", "= twice (x"),
        ("twice (x", "twice (x)"),
        ("twice (x)", "twise x"),
        ("def third", "def first"),
        ("def first (x: i32)", "#[noinline]\ndef first (x: i32)"),
        ("def first (r", "def third (r"),
        ("twise x", "twice x"),
        ("constant)", ")"),
        ("(second )", "(second constant) +"),
        ("entry main", "def twise (x: i32) = x\nentry main"),
    ]);
    assert_eq!(edits(&broken)[1..], [Changed; 10]);
}

#[test]
fn mistakes_in_modules_end_the_check() {
    use Depth::All;
    // What follows such a mistake is not known until it is gone, but then all is.
    let texts = after(&[
        ("module m = {", "module m : nowhere = {"),
        ("= twice x", "= twice x + 1"),
        ("module m : nowhere = {", "module m = {"),
        ("= twice x + 1", "= twice x"),
    ]);
    assert_eq!(edits(&texts), [All, All, All, All, Depth::Changed]);
}

/// A definition that everybody uses, and so many others, each wrong if it returns a `bool`.
fn used_by_many(count: usize, result: &str) -> String {
    let mut text = format!("def base (x: i32) = {result}\n");
    for i in 0..count {
        text += &format!("def user{i} (x: i32) : i32 = base x + {i}\n");
    }
    text
}

#[test]
fn the_edited_definition_comes_first() {
    let (mut memory, count) = (Memory::default(), 300);
    let mut check = |text: &str, depth| {
        check_edited(&mut memory, Path::new(MAIN), overlay(text), depth, &|| false).expect("an answer")
    };
    let before = check(&used_by_many(count, "x"), Depth::All);
    assert_eq!(shown(&before.0), Vec::<String>::new());
    let changed = used_by_many(count, "let unused = 1i32 in x == 2");
    let (mut front, mut depth) = check(&changed, Depth::Changed);
    let said = |front: &Front, text: &str| shown(front).iter().any(|d| d.contains(text));
    assert!(depth == Depth::Part && said(&front, "unused"), "{:?}", shown(&front));
    let mut calls = 1;
    while depth == Depth::Part {
        (front, depth) = check(&changed, Depth::Changed);
        calls += 1;
    }
    assert!((2..20).contains(&calls), "{calls}");
    assert_eq!(depth, Depth::Changed);
    assert_eq!(front.diagnostics.len(), count + 1);
    assert_eq!(shown(&front), shown(&check(&changed, Depth::All).0));
}

#[test]
fn a_check_is_given_up() {
    let mut memory = Memory::default();
    let path = Path::new(MAIN);
    let mut check = |text: &str, depth, until: usize| {
        let asked = Cell::new(0);
        let give_up = || {
            asked.set(asked.get() + 1);
            asked.get() > until
        };
        check_edited(&mut memory, path, overlay(text), depth, &give_up).map(|(front, _)| shown(&front))
    };
    let (old, new) = (used_by_many(20, "x"), used_by_many(20, "x == 2"));
    assert_eq!(check(&old, Depth::All, 5), None);
    assert_eq!(check(&old, Depth::All, usize::MAX), Some(vec![]));
    assert_eq!(check(&new, Depth::All, 5), None);
    assert_eq!(
        check(&new, Depth::Changed, 0).map(|d| d.len()),
        Some(20),
        "what an edit concerns is never given up"
    );
    assert_eq!(check(&new, Depth::All, 15), None);
    assert_eq!(check(&old, Depth::Changed, 0), Some(vec![]));
    assert_eq!(check(&old, Depth::All, usize::MAX), Some(vec![]));
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
    assert!(depths[1..].iter().all(|d| *d == Depth::Changed), "{depths:?}");
}
