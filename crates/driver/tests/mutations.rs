//! The front end survives broken programs: the programs of `tests/front` are
//! accepted as they are, and however they are damaged (tokens deleted, doubled,
//! swapped, replaced; the end cut off) checking neither panics nor takes long.
//!
//! The damage is the same in every run. `FEHU_MUTATIONS=20000` does more of it, and
//! `FEHU_MUTATION_SOURCES=DIR` does it to all programs below a folder, such as the public test suite.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const USUAL: usize = 5000;
/// Milliseconds on a machine of its own; one that others use may stand still for seconds.
const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn damaged_programs_are_survived() {
    let folder = std::env::var_os("FEHU_MUTATION_SOURCES").map_or_else(samples, PathBuf::from);
    let programs: Vec<String> =
        programs(&folder).iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect();
    assert!(!programs.is_empty(), "there are programs to damage");
    let count = std::env::var("FEHU_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(USUAL);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let damaged: Vec<String> = (0..count).map(|i| damage(&programs[i % programs.len()], &mut dice)).collect();
    let half = damaged.len().div_ceil(2);
    std::thread::scope(|scope| {
        for part in damaged.chunks(half.max(1)) {
            let survive = move || part.iter().for_each(|text| survives(text));
            let started = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, survive);
            assert!(started.is_ok(), "a thread can be started");
        }
    });
}

fn survives(text: &str) {
    let start = Instant::now();
    let front = std::panic::catch_unwind(|| check("damaged.fut", text));
    assert!(front.is_ok(), "this panics:\n{text}");
    let took = start.elapsed();
    assert!(took < LIMIT, "this takes {took:?}:\n{text}");
}

#[test]
fn sample_programs_are_accepted() {
    for p in programs(&samples()) {
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

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/front")
}

/// All programs below a folder, in order.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(programs(&path));
        } else if path.extension().is_some_and(|x| x == "fut") {
            files.push(path);
        }
    }
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
