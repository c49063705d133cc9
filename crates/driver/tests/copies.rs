//! How many copies of arrays and how many blocks are left in programs that build arrays from pieces.
//!
//! Each program is a form of short-circuiting: a value that is computed and then put into an array. The first
//! numbers are those of sequential code, the second those of code for GPUs.

use fehu_driver::compile::Settings;
use fehu_driver::explain::explain_memory;
use fehu_driver::explore::after;
use fehu_driver::front::check_file;
use fehu_driver::target::Target;
use fehu_ir::read::read_prog;
use fehu_ir::Memory;
use fehu_memory::remaining::{remaining, Kind};
use std::path::PathBuf;

/// A program, and how many copies and blocks are left in it.
struct Case {
    what: &'static str,
    text: &'static str,
    /// Copies and blocks in sequential code.
    c: (usize, usize),
    /// The same on GPUs.
    gpu: (usize, usize),
}

/// A form whose values are computed where they end up, in memory that is there.
const fn in_place(what: &'static str, text: &'static str) -> Case {
    Case { what, text, c: (0, 0), gpu: (0, 0) }
}

/// The same, in one block for the result.
const fn one_block(what: &'static str, text: &'static str) -> Case {
    Case { what, text, c: (0, 1), gpu: (0, 1) }
}

/// The same, but that GPUs copy first, so that neighbouring threads read neighbouring elements.
const fn on_cpus(what: &'static str, text: &'static str) -> Case {
    Case { what, text, c: (0, 1), gpu: (1, 1) }
}

/// A form that must copy, and needs a block for what is copied.
const fn copies(what: &'static str, text: &'static str) -> Case {
    Case { what, text, c: (1, 1), gpu: (1, 1) }
}

const UPDATES: &[Case] = &[
    in_place("a row", "entry f [n][m] (t: *[n][m]i32) (r: [m]i32) (k: i64) = t with [k] = map (* 3) r"),
    in_place("a fixed row", "entry f [m] (t: *[7][m]i32) (r: [m]i32) = t with [4] = map (* 3) r"),
    in_place(
        "a row whose index is checked before",
        "entry f [n][m] (t: *[n][m]i32) (r: [m]i32) (k: i64) = let x = t[k, 1] in (t with [k] = map (* 3) r, x)",
    ),
    in_place("a column", "entry f [n][m] (t: *[n][m]i32) (c: [n]i32) = #[unsafe] (t with [:, 1] = map (* 3) c)"),
    in_place(
        "a square",
        "entry f [n] (t: *[n][n]i32) (s: [3][3]i32) (a: i64) (b: i64) =
           #[unsafe] (t with [a:a + 3, b:b + 3] = (map (map (* 3)) s :> [(a + 3) - a][(b + 3) - b]i32))",
    ),
    in_place("counted numbers", "entry f [n][m] (t: *[n][m]i64) = #[unsafe] (t with [2] = iota m)"),
    in_place("one value", "entry f [n][m] (t: *[n][m]i64) (v: i64) = #[unsafe] (t with [2] = replicate m v)"),
    in_place("sums so far", "entry f [n][m] (t: *[n][m]i32) (r: [m]i32) = #[unsafe] (t with [2] = scan (+) 0 r)"),
    in_place(
        "scattered",
        "entry f [n][m] (t: *[n][m]i32) (is: [m]i64) (r: [m]i32) = #[unsafe] (t with [2] = scatter (replicate m 7) is r)",
    ),
    in_place(
        "counts",
        "entry f [n][m] (t: *[n][m]i32) (is: [m]i64) (r: [m]i32) = #[unsafe] (t with [2] = hist (+) 0 m is r)",
    ),
    in_place(
        "sums of rows",
        "entry f [n][m][k] (t: *[n][m]i32) (rs: [m][k]i32) = #[unsafe] (t with [2] = map i32.sum rs)",
    ),
    in_place(
        "a transposed matrix",
        "entry f [p][m][n] (t: *[p][m][n]i32) (a: [n][m]i32) =
           let b = map (map (* 3)) a in #[unsafe] (t with [1] = transpose b)",
    ),
    in_place(
        "a transposed matrix of which a row is read",
        "entry f [p][m][n] (t: *[p][m][n]i32) (a: [n][m]i32) = #[unsafe]
           let b = map (map (* 3)) a let c = transpose b let s = i32.sum b[1] in (t with [1] = c, s)",
    ),
    in_place(
        "an index that is computed, and read, after the value",
        "entry f [n][m] (t: *[m][n]i32) (r: [n]i32) (js: [n]i64) = #[unsafe]
           let x = map (* 3) r let k = js[2] * 2 + 1 in t with [k] = x",
    ),
    in_place(
        "another row is read before",
        "entry f [n][m] (t: *[n][m]i32) (r: [m]i32) = #[unsafe]
           let x = map (* 3) r let s = i32.sum t[0] in (t with [1] = x, s)",
    ),
    in_place(
        "elements beyond are written and read before",
        "entry f [n] (t: *[n]i32) (k: i64) = #[unsafe]
           let x = replicate k 3i32 let x[1] = 4 let t[k] = 5 let s = t[k + 2] in (t with [0:k] = x, s)",
    ),
    in_place("from another row", "entry f [n][m] (t: *[n][m]i32) = #[unsafe] (t with [3] = map (* 3) t[1])"),
    in_place("from the same row", "entry f [n][m] (t: *[n][m]i32) = #[unsafe] (t with [3] = map (* 3) t[3])"),
    in_place(
        "a loop that fills a row",
        "entry f [n][m] (t: *[n][m]i32) = #[unsafe]
           let x = loop x = replicate m 0i32 for i < m do x with [i] = t[1, i] in t with [0] = x",
    ),
    in_place(
        "a loop that computes a row anew from the one before",
        "entry f [n][m] (t: *[n][m]i32) (k: i64) = #[unsafe]
           let x = loop x = replicate m 0i32 for i < k do map (+ 3) x in t with [0] = x",
    ),
    in_place(
        "two such loops, one in the other",
        "entry f [n][m] (t: *[n][m]i32) (k: i64) = #[unsafe]
           let x = loop x = replicate m 0i32 for i < k do loop x for j < i do map (+ 3) x in t with [0] = x",
    ),
    in_place(
        "a loop that computes a row anew, or not",
        "entry f [n][m] (t: *[n][m]i32) (k: i64) = #[unsafe]
           let x = loop x = replicate m 0i32 for i < k do if i % 3 == 0 then x else map (+ 3) x in t with [0] = x",
    ),
    in_place(
        "an update of what is updated",
        "entry f [n][m] (t: *[n][m]i32) (r: [m]i32) = #[unsafe]
           let x = replicate m 0i32 let x[0:3] = map (* 3) (take 3 r) in t with [0] = x",
    ),
    in_place(
        "joined arrays",
        "entry f [n][m] (t: *[n][2 * m]i32) (r: [m]i32) = #[unsafe]
           (t with [0] = (concat (map (* 3) r) (map (+ 2) r) :> [2 * m]i32))",
    ),
    in_place(
        "results of branches",
        "entry f [n][m] (t: *[n][m]i32) (r: [m]i32) (c: bool) = #[unsafe]
           (t with [0] = if c then map (* 3) r else map (+ 2) r)",
    ),
    in_place(
        "a value that is read afterwards",
        "entry f [n][m] (t: *[n][m]i32) (r: [m]i32) = #[unsafe]
           let x = map (* 3) r let t[0] = x in (t, i32.sum x)",
    ),
    in_place(
        "every second element of a value",
        "entry f [n][m] (t: *[n][m]i32) (r: [2 * m]i32) = #[unsafe]
           let x = map (* 3) r in t with [0] = (x[0:2 * m:2] :> [m]i32)",
    ),
    Case {
        what: "a branch that returns what is there",
        text: "entry f [n][m] (t: *[n][m]i32) (r: [m]i32) (c: bool) = #[unsafe]
           (t with [0] = if c then map (* 3) r else r)",
        c: (1, 0),
        gpu: (1, 0),
    },
    copies(
        "a part that cannot be undone",
        "entry f [n] (t: *[n][n]i32) (r: [n]i32) (k: i64) = #[unsafe]
           let x = map (* 3) r let y = x[k:k + n] in t with [0] = (y :> [n]i32)",
    ),
    copies(
        "an index that depends on the value",
        "entry f [n][m] (t: *[m][n]i64) (r: [n]i64) = #[unsafe]
           let x = map (* 3) r let k = x[1] in t with [k] = x",
    ),
    copies(
        "the same row is read before",
        "entry f [n][m] (t: *[m][n]i32) (r: [n]i32) = #[unsafe]
           let x = map (* 3) r let s = t[0, 1] in (t with [0] = x, s)",
    ),
];

const WHOLE: &[Case] = &[
    Case {
        what: "the same array twice",
        text: "entry f [n] (a: [n]i32) = let b = map (* 3) a in concat b b",
        c: (1, 1),
        gpu: (1, 1),
    },
    Case {
        what: "the same row three times, and one of another",
        text: "entry f [n] (a: [n]i32) = let b = #[opaque] map (* 3) a let c = #[opaque] map (+ 2) a in [b, c, b, b]",
        c: (2, 1),
        gpu: (2, 1),
    },
    one_block("rows of a size that is checked", "entry f (n: i64) (v: i32) = replicate 3 (replicate (n + n) v)"),
    one_block("joined", "entry f [n][m] (a: [n]i32) (b: [m]i32) = concat (map (* 3) a) (map (+ 2) b)"),
    one_block("three parts", "entry f [n] (a: [n]i64) = iota n ++ map (* 3) a ++ replicate n 8i64"),
    on_cpus(
        "a map over a flattened transposition",
        "entry f [n][m] (a: [n][m]f32) = map (+ 3) (flatten (transpose a))",
    ),
    on_cpus(
        "of two arrays, one of them in order",
        "entry f [n][m] (a: [n][m]i32) (b: [m][n]i32) = map2 (*) (flatten (transpose a)) (flatten b)",
    ),
    one_block(
        "a map over parts of rows, flattened",
        "entry f [n][m] (a: [n][m]i32) = map (* 3) (flatten a[:, 1:])",
    ),
    one_block(
        "rows in a loop",
        "entry f [n][m] (a: [n][m]i32) =
           loop t = replicate n (replicate m 0i32) for i < n do t with [i] = map (+ i32.i64 i) a[i]",
    ),
    one_block(
        "of two arrays, one is replaced",
        "entry f [n] (d: *[n]f32) (k: i64) =
           let (_, r) = loop (d, r) = (d, replicate k 0f32) for i < k do
             let s = f32.minimum d in (d with [i] = f32.inf, r with [i] = s)
           in r",
    ),
    in_place("a map in the memory of its argument", "entry f [n] (a: *[n]i32) = map (* 3) a"),
    in_place("of two arguments", "entry f [n] (a: *[n]i32) (b: [n]i32) = map2 (+) a b"),
    one_block(
        "each row joined of two",
        "entry f [n][m] (a: [n][m]i32) =
           #[incremental_flattening(only_inner)] map (\\r -> concat (map (* 3) r) (map (+ 2) r)) a",
    ),
    in_place("a loop over a consumed argument", "entry f [n] (a: *[n]i32) (k: i64) = loop a for i < k do map (+ 3) a"),
    in_place(
        "of several arrays",
        "entry f [n] (a: *[n]i32) (b: *[n]i32) (k: i64) =
           loop (a, b) for i < k do (map2 (+) a b, map2 (-) a b)",
    ),
    one_block(
        "a loop whose elements need neighbours",
        "entry f [n] (a: *[n]i32) (k: i64) = loop a for i < k do map (\\i -> a[(i + 1) % n]) (iota n)",
    ),
    in_place("elements in a loop", "entry f [n] (k: i64) (a: *[n]i64) = loop a for i < k do a with [i] = a[i] * 2"),
    in_place(
        "the next row from this one",
        "entry f [n][m] (k: i64) (a: *[n][m]i64) = #[unsafe] loop a for i < k do a with [i + 1] = map (* 3) a[i]",
    ),
];

fn check(cases: &[Case]) {
    let mut wrong = vec![];
    for case in cases {
        for (target, expected) in [(Target::C, case.c), (Target::Cuda, case.gpu)] {
            let found = counted(target, case.text);
            if found != expected {
                wrong.push(format!("{} on {target:?}: {found:?} in place of {expected:?}", case.what));
            }
        }
    }
    assert!(wrong.is_empty(), "copies and blocks:\n{}", wrong.join("\n"));
}

/// The copies and blocks of a program.
fn counted(target: Target, text: &str) -> (usize, usize) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("prog.fut");
    std::fs::write(&file, text).expect("the program can be written");
    let front = check_file(&file);
    let settings = Settings::executable(target, PathBuf::new());
    let shown = after(&front, &settings, "memory").unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let prog = read_prog::<Memory>(&shown).unwrap_or_else(|e| panic!("{e}"));
    let left = remaining(&prog);
    let copies = left.iter().filter(|l| matches!(l.kind, Kind::Copy(..))).count();
    (copies, left.len() - copies)
}

#[test]
fn values_are_computed_in_the_arrays_that_they_update() {
    check(UPDATES);
}

#[test]
fn arrays_need_no_more_blocks_than_there_are_results() {
    check(WHOLE);
}

#[test]
fn what_is_left_is_explained() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("prog.fut");
    let text = "entry overlaps [n][m] (t: *[m][n]i32) (r: [n]i32) (k: i64) =
  let x = map (* 3) r
  let s = #[unsafe] t[0, 1]
  in #[unsafe] (t with [k] = x, s)
entry depends [n][m] (t: *[m][n]i64) (r: [n]i64) =
  #[unsafe] let x = map (* 3) r let k = x[1] in t with [k] = x
entry moved [n][m] (t: *[m][n]i64) (r: [n]i64) =
  #[unsafe] (t with [1] = map (* 3) r)";
    std::fs::write(&file, text).expect("the program can be written");
    let front = check_file(&file);
    for target in [Target::C, Target::Cuda] {
        let settings = Settings::executable(target, PathBuf::new());
        let text = explain_memory(&front, &settings).unwrap_or_else(|e| panic!("{e:?}"));
        let line = |place: &str, what: &str| {
            let mut here = false;
            let found = text.lines().find(|l| {
                here = if l.starts_with(' ') { here } else { l.contains(place) };
                here && l.contains(what)
            });
            found.unwrap_or_else(|| panic!("no {what} at {place} in\n{text}"))
        };
        let overlap = line("fut:4:", "the update copies 4*n bytes");
        assert!(overlap.contains("may overlap what") && overlap.contains("fut:3:"), "{overlap}");
        assert!(overlap.contains("for all that is known of k"), "{overlap}");
        assert!(line("fut:6:", "the update copies 8*n bytes").contains("known only when"), "{text}");
        assert!(line("fut:2:", "a block of 4*n bytes").contains("bytes"), "{text}");
        assert!(!text.contains("fut:8:"), "{text}");
    }
}

/// Places are those of definitions, not of their calls; what is said several times has a count, and no name
/// of the compiler's stands in it.
#[test]
fn what_is_left_is_grouped_by_place() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("prog.fut");
    let text = "def pairs [n] (xs: [n]i32) = (copy xs, copy xs, copy xs)
def twice [n] (xs: [n]i32) = pairs xs
entry main [n] (xs: [n]i32) = twice xs
entry other [n] (xs: [n]i32) = twice xs";
    std::fs::write(&file, text).expect("the program can be written");
    let front = check_file(&file);
    let settings = Settings::executable(Target::C, PathBuf::new());
    let text = explain_memory(&front, &settings).unwrap_or_else(|e| panic!("{e:?}"));
    let places: Vec<&str> = text.lines().filter(|l| !l.starts_with(' ')).collect();
    assert!(places.iter().all(|p| p.contains("fut:1:")), "{text}");
    let mut unique = places.clone();
    unique.dedup();
    assert_eq!(unique, places, "{text}");
    assert!(text.contains("a block of 4*n bytes (2 times)"), "{text}");
}

/// What is known of a remainder has its quotient, which no name of the program stands for.
#[test]
fn blocks_whose_size_is_a_remainder_are_explained() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("prog.fut");
    std::fs::write(&file, "entry rest (n: i64) = iota (n % 16)\n").expect("the program can be written");
    let front = check_file(&file);
    for target in [Target::C, Target::Cuda] {
        let settings = Settings::executable(target, PathBuf::new());
        let text = explain_memory(&front, &settings).unwrap_or_else(|e| panic!("{e:?}"));
        assert!(text.contains("a block of "), "{text}");
    }
}
