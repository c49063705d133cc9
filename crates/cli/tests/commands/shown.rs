//! What commands show to people: names of files and sizes, manual pages, what shells complete.

use super::{fehu, program, run, stderr, stdout};
use std::process::Stdio;

/// A name of a file must not clear the terminal of who reads a message.
#[test]
fn names_of_files_do_not_move_the_cursor() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = "entry main (x: i32) (unused: i32): i32 = assert (x > 3) 1\nentry bad = y\n";
    let name = "clear\x1b[2Jme.fut";
    let said = |args: &[&str]| {
        let mut command = fehu();
        let input = program(dir.path(), "input", "1 2");
        command.args(args).arg(name).current_dir(dir.path()).env("XDG_CACHE_HOME", dir.path().join("cache"));
        let input = std::fs::File::open(input).expect("the input");
        let done = command.stdin(Stdio::from(input)).output().expect("fehu runs");
        assert!(!stderr(&done).contains('\x1b'), "{args:?}: {}", stderr(&done));
        stderr(&done)
    };
    assert!(said(&["check"]).contains("no such file"));
    program(dir.path(), name, text);
    assert!(said(&["check"]).contains("clear\\u{1b}[2Jme.fut:2:13-14"));
    program(dir.path(), name, text.lines().next().unwrap_or_default());
    assert!(said(&["check"]).contains("Unused name"));
    for interpreted in [&["run"][..], &["run", "-i"]] {
        let said = said(interpreted);
        assert!(said.contains("-> #0 ") && said.contains("clear\\u{1b}[2Jme.fut:1:42-58"), "{said}");
    }
}

#[test]
fn manual_pages_name_the_version_once() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert!(run(&["man", &dir.path().display().to_string()]).status.success());
    let page = std::fs::read_to_string(dir.path().join("fehu-run.1")).expect("a page");
    assert!(page.lines().any(|l| l.starts_with(".TH ") && l.trim_end().ends_with('"')), "{page}");
    assert!(!page.lines().any(|l| l.starts_with("version")), "{page}");
}

#[test]
fn short_options_may_touch_their_values() {
    let apart = run(&["dataset", "-s", "3", "-g", "i32"]);
    let together = run(&["dataset", "-s3", "-gi32"]);
    assert!(together.status.success(), "{}", stderr(&together));
    assert_eq!(stdout(&apart), stdout(&together));
}

/// `bytes*runs` is of no use to who has not written it.
#[test]
fn sizes_are_in_names_of_the_program() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = "-- Neither bytes nor runs.
entry main [n] [m] (xss: [n][m]i32) (k: i64): [n][m]i32 =
  map (\\xs -> loop ys = xs for i < k do map (+ i32.i64 i) (rotate 1 ys)) xss
entry two [n] (xs: [n]i32) (is: []i64) =
  let ys = map (+ 1) xs let zs = scatter (copy ys) is (map i32.i64 is) in (ys, zs)
";
    let file = program(dir.path(), "p.fut", text).display().to_string();
    for backend in ["c", "cuda"] {
        let said = stdout(&run(&["dev", "--backend", backend, "--explain-memory", &file]));
        assert!(said.contains("a block of 4*n*m bytes"), "{said}");
        for foreign in ["bytes*", "*runs", "num_tblocks", "*t ", "no location"] {
            assert!(!said.contains(foreign), "{foreign}: {said}");
        }
    }
}

/// What reverse mode saves, with bytes in the program's sizes, at the loop; what is not read again is not saved.
#[test]
fn saved_values_and_accumulations_are_listed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = "-- Comment.
def f [n] (k: i64) (xs: [n]f64) : f64 =
  let ys = loop ys = xs for _i < k do map f64.sin ys
  let zs = loop zs = copy ys for i < n do zs with [i] = zs[i] * zs[i]
  let (ws, _) = loop (ws, s) = (zs, 0) for _i < k do (ws, s + ws[0])
  in f64.sum (map (\\i -> zs[i * i % n] * ws[0]) (iota n))
def g [n] (xs: [n]f64) = last (loop #[true_dep] ys = copy xs for i < n - 1 do ys with [i + 1] = ys[i] ** 2)
entry main [n] (k: i64) (xs: [n]f64) = (vjp (f k) xs 1, vjp g xs 1)
";
    let file = program(dir.path(), "p.fut", text).display().to_string();
    let said = stdout(&run(&["dev", "--explain-ad", &file]));
    let has = |line: usize, what: &str| {
        let mut from_place = said.lines().skip_while(|l| !l.contains(&format!("p.fut:{line}:"))).skip(1);
        from_place.by_ref().take_while(|l| l.starts_with(' ')).any(|l| l.contains(what))
    };
    assert!(has(3, "a value of a loop is saved: 8 * n bytes for each iteration"), "{said}");
    assert!(has(3, "the steps of a loop run again on the way back"), "{said}");
    assert!(has(4, "what a loop overwrites of an array is saved: 8 + 8 bytes for each iteration"), "{said}");
    assert!(!has(5, "saved"), "{said}");
    assert!(has(6, "an accumulation is updates in memory"), "{said}");
    assert!(has(7, "nothing of an array is saved"), "{said}");
    let said = stdout(&run(&["dev", "--tape-memory", "1000", "--explain-ad", &file]));
    assert!(
        said.contains("as many loops in each other, when it runs, as its tape needs for 1000 bytes"),
        "{said}"
    );
    let said = stdout(&run(&["dev", "--backend", "cuda", "--explain-ad", &file]));
    assert!(said.contains("an accumulation is a histogram"), "{said}");
}
