//! Programs that are checked again after edits: the same comes out as if they were checked for the first time.

use fehu_driver::front::{check_edited, Front, Memory};
use fehu_driver::load::Overlay;
use std::path::{Path, PathBuf};

const MAIN: &str = "/nowhere/main.fut";
const OTHER: &str = "/nowhere/other.fut";

fn check(memory: &mut Memory, main: &str, other: &str) -> Front {
    let files = [(MAIN, main), (OTHER, other)];
    let overlay: Overlay = files.into_iter().map(|(p, t)| (PathBuf::from(p), t.to_owned())).collect();
    check_edited(memory, Path::new(MAIN), overlay)
}

/// Everything that checking gave, names and places included.
fn shown(front: &Front) -> String {
    let program = front.program.as_ref().map(|p| {
        let own: Vec<String> = p.decs.iter().filter(|d| front.is_own(d)).map(|d| format!("{d:?}")).collect();
        let names: Vec<&str> = p.env.terms.keys().map(|s| s.as_str()).collect();
        (own, names, p.names.len())
    });
    format!("{:?}\n{program:#?}", front.diagnostics)
}

#[test]
fn edits_give_what_a_first_check_gives() {
    let main = "import \"other\"\nlocal def a = 1i32\ntype t = {x: i32}\ndef f (y: t) = y.x + a\nmodule m = {def g = f {x = b}}\nentry main = m.g\n";
    let other = "def b = 10i32\ndef c = 20i32\n";
    // Each edit changes a text, of the main file or of the other one, in the program that the last edit left.
    let edits: [(bool, &str, &str); 14] = [
        (true, "m.g\n", "m.g + 1\n"),
        (true, "m.g + 1", "m.g + zz"),
        (true, "m.g + zz", "m.g + 12"),
        (true, "y.x + a", "y.x * a"),
        (true, "def f (y", "def f  (y"),
        (true, "y.x * a", "y.x *"),
        (true, "y.x *\n", "y.x\n"),
        (true, "local def a = 1i32\n", ""),
        (false, "20i32", "21i32"),
        (false, "10i32", "10i64"),
        (false, "10i64", "10i32"),
        (true, "import \"other\"\n", ""),
        (true, "type t", "import \"other\"\ntype t"),
        (true, "entry main", "def main2 = 1\n-- | Doc.\nentry main"),
    ];
    let mut texts = [main.to_owned(), other.to_owned()];
    let mut memory = Memory::default();
    check(&mut memory, main, other);
    for (in_main, old, new) in edits {
        let text = &mut texts[usize::from(!in_main)];
        assert!(text.contains(old), "{old:?} is not in {text}");
        *text = text.replacen(old, new, 1);
        let again = check(&mut memory, &texts[0], &texts[1]);
        let first = check(&mut Memory::default(), &texts[0], &texts[1]);
        assert_eq!(shown(&again), shown(&first), "after {old:?} became {new:?}");
    }
    assert!(check(&mut memory, &texts[0], &texts[1]).program.is_some());
}

#[test]
fn what_does_not_change_is_not_checked_again() {
    let many: String = (0..400).map(|i| format!("def f{i} (x: i32) = x + {i}\n")).collect();
    let mut memory = Memory::default();
    let text = |end: usize| format!("{many}def last = {end}i32\n");
    check(&mut memory, &text(0), "");
    // Both orders of magnitude of the machine's speed are far from each other.
    let time = |memory: &mut Memory, end: usize| {
        let start = std::time::Instant::now();
        check(memory, &text(end), "");
        start.elapsed()
    };
    check(&mut memory, &text(1), "");
    let again = (2..7).map(|i| time(&mut memory, i)).min();
    let first = (2..5).map(|i| time(&mut Memory::default(), i)).min();
    assert!(again < first.map(|t| t / 2), "{again:?} {first:?}");
}
