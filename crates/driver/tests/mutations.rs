//! The front end survives broken programs: the programs of `tests/front` are
//! accepted as they are, and however they are damaged (tokens deleted, doubled,
//! swapped, replaced; the end cut off) checking neither panics nor takes long.
//!
//! The damage is the same in every run. `FEHU_MUTATIONS=5000` does more of it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const USUAL: usize = 200;
const LIMIT: Duration = Duration::from_secs(2);

#[test]
fn damaged_programs_are_survived() {
    let programs: Vec<String> =
        programs().iter().map(|p| std::fs::read_to_string(p).expect("a readable program")).collect();
    let count = std::env::var("FEHU_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(USUAL);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for i in 0..count {
        let text = damage(&programs[i % programs.len()], &mut dice);
        let start = Instant::now();
        let front = std::panic::catch_unwind(|| check("damaged.fut", &text));
        assert!(front.is_ok(), "mutation {i} panics:\n{text}");
        let took = start.elapsed();
        assert!(took < LIMIT, "mutation {i} takes {took:?}:\n{text}");
    }
}

#[test]
fn sample_programs_are_accepted() {
    for p in programs() {
        let text = std::fs::read_to_string(&p).expect("a readable program");
        let front = check("sample.fut", &text);
        let messages: Vec<String> = front
            .diagnostics
            .iter()
            .map(|d| d.render(&front.sources, fehu_base::diagnostic::Colour::Never))
            .collect();
        assert!(!front.failed(), "{}:\n{}", p.display(), messages.join("\n"));
    }
}

fn check(name: &str, text: &str) -> fehu_driver::front::Front {
    fehu_driver::front::check_text(Path::new(name), text.to_owned())
}

fn programs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/front");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("tests/front can be read")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|x| x == "fut"))
        .collect();
    files.sort();
    files
}

/// A sequence of numbers that looks random and is always the same (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Applies one to three changes to the pieces of a program.
fn damage(text: &str, dice: &mut Dice) -> String {
    let mut pieces = pieces(text);
    for _ in 0..=dice.below(3) {
        if pieces.is_empty() {
            break;
        }
        let (i, j) = (dice.below(pieces.len()), dice.below(pieces.len()));
        match dice.below(6) {
            0 => drop(pieces.remove(i)),
            1 => pieces.insert(i, pieces[i]),
            2 => pieces.swap(i, j),
            3 => pieces[i] = pieces[j],
            4 => pieces.insert(i, pieces[j]),
            _ => {
                // Cutting off the end is rarer, or little would be left.
                if dice.below(4) == 0 {
                    pieces.truncate(i);
                }
            }
        }
    }
    pieces.concat()
}

/// Words, runs of spaces, and single other characters.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '\'' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut out = vec![];
    let mut start = 0;
    let mut previous = None;
    for (at, c) in text.char_indices() {
        if previous.is_some_and(|p| p != kind(c) || p == 2) {
            out.push(&text[start..at]);
            start = at;
        }
        previous = Some(kind(c));
    }
    out.push(&text[start..]);
    out
}
