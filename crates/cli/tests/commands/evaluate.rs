//! `fehu repl`, `fehu eval` and `fehu run -i`: programs without a C compiler.

use super::{example, fehu, program, run, stderr, stdout};
use std::io::Write;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

fn piped(args: &[&str], input: &str) -> Output {
    let mut child = fehu()
        .args(args)
        .env("CC", "/nowhere")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fehu runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    child.wait_with_output().expect("fehu ends")
}

#[test]
fn a_session_from_a_pipe() {
    let done = piped(&["repl"], "def f x = x + 1\nf 2\n1 + true\nmap f [1, 2]\n:quit\n3\n");
    assert!(done.status.success());
    assert_eq!(stdout(&done), "[0]> [1]> 3\n[2]> [3]> [2, 3]\n[4]> ");
    assert!(stderr(&done).contains("[2]:1:5"), "{}", stderr(&done));
}

#[test]
fn a_session_with_a_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = program(dir.path(), "a.fut", "def x = 41\n").display().to_string();
    assert_eq!(stdout(&piped(&["repl", &path], "x + 1\n")), "[0]> 42\n[1]> \n");
    let wrong = program(dir.path(), "b.fut", "def x = y\n").display().to_string();
    assert_eq!(piped(&["repl", &wrong], "").status.code(), Some(1));
}

/// Where the program stops, its variables can be looked at.
#[test]
fn a_session_stops_at_breaks() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "\
def f (x: i32) (ys: []i32) (p: (f32, {a: bool})) =
  let z = x + 1
  let w = map (\\y -> #[break] y + z) ys
  in i32.sum w + if p.1.a then 1 else 0
";
    let path = program(dir.path(), "a.fut", text).display().to_string();
    let lines = "f 2 [10, 20] (1, {a = true})\nz + y\nys\np\nnothing\n\ny\n\n1\n";
    let done = piped(&["repl", &path], lines);
    let said = stdout(&done);
    let first = format!("[0]> Stopped at {path}:3:22-36");
    assert!(said.starts_with(&first), "{said}{}", stderr(&done));
    assert!(said.contains("[1]> 13\n[2]> [10, 20]\n[3]> (1.0, {a = true})\n[4]> "), "{said}");
    assert_eq!(said.matches("Stopped at").count(), 2, "{said}");
    assert!(said.ends_with("[1]> 20\n[2]> 37\n[1]> 1\n[2]> \n"), "{said}");
    assert!(stderr(&done).contains("nothing"), "{}", stderr(&done));

    let done = piped(
        &["repl", &path],
        "f 2 [10, 20] (1, {a = true})\n:unbreak\nf 3 [1] (1, {a = true})\n:unbreak\n",
    );
    let said = stdout(&done);
    assert_eq!(said.matches("Stopped at").count(), 1, "{said}");
    assert!(said.contains("37\n") && said.contains("6\n"), "{said}");
    assert!(stderr(&done).contains("nothing has stopped"), "{}", stderr(&done));

    // Of values of sum types only what they are is known, not what else they could be.
    let lines = "def g (s: #a i32 | #b) = #[break] match s case #a x -> x case #b -> 0\ng (#a 4)\ns\n\n";
    let said = stdout(&piped(&["repl"], lines));
    assert!(said.contains("> #a 4\n[2]> 4\n"), "{said}");

    // Empty arrays have a type, too; an expression of the session itself can stop.
    let done = piped(&["repl"], "let e: [0][2]i32 = [] in #[break] length e\nlength e\n:string \"abc\"\n\n");
    assert!(stdout(&done).contains("[1]> 0\n[2]> abc\n[2]> 0\n"), "{}{}", stdout(&done), stderr(&done));
}

#[test]
fn expressions_are_evaluated_quickly() {
    let start = Instant::now();
    let done = run(&["eval", "reduce (+) 0 (iota 100)", "(1.5f32, \"a\")"]);
    assert_eq!(stdout(&done), "4950\n(1.5, [97])\n");
    // Tests run beside others, on machines that are not fast, and without optimisation.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// Also what compiled programs leave to the C library.
#[test]
fn every_function_has_a_value() {
    let expressions =
        ["f64.sinpi 0.5", "f32.cospi 1", "f64.atan2pi 1 1", "f32.gamma 5", "f64.erf 0", "f16.asinh 0"];
    let done = run(&[&["eval"], &expressions[..]].concat());
    assert_eq!(stdout(&done), "1.0\n-1.0\n0.25\n24.0\n0.0\n0.0\n", "{}", stderr(&done));
}

#[test]
fn an_evaluation_ends_with_the_first_mistake() {
    let done = run(&["eval", "1", "1 / 0", "2"]);
    assert_eq!((done.status.code(), stdout(&done)), (Some(1), "1\n".to_owned()));
    assert!(stderr(&done).contains("division by zero"));
    assert_eq!(run(&["eval"]).status.code(), Some(2));
    let none = run(&["eval", "-f", "nofile.fut", "1"]);
    assert_eq!(stderr(&none), "fehu: could not read nofile.fut: no such file\n");
    let file = example("dot.fut").display().to_string();
    assert_eq!(stdout(&run(&["eval", "-f", &file, "main [1, 2] [3, 4]"])), "11.0\n", "{file}");
}

#[test]
fn programs_are_interpreted() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "entry main (xs: []i32) (y: i64) = (map (\\x -> #[trace(x)] x * 2) xs, y)\nentry bad (x: i32) = 1 / x\n";
    let path = program(dir.path(), "a.fut", text).display().to_string();
    let done = piped(&["run", "-i", &path], "[1, 2] 3i64");
    assert_eq!(stdout(&done), "[2i32, 4i32]\n3i64\n", "{}", stderr(&done));
    assert_eq!(stderr(&done), "x: 2\nx: 4\n");
    let done = piped(&["run", "-i", "-e", "bad", &path], "0");
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("division by zero"), "{}", stderr(&done));
    assert!(stderr(&done).contains("Backtrace:\n-> #0 "), "{}", stderr(&done));
    let done = piped(&["run", "-i", &path], "1");
    assert_eq!(done.status.code(), Some(1));
    let said = stderr(&done);
    assert!(said.ends_with("a: Cannot read input #0 of type []i32: expected an array, not '1'.\n"), "{said}");
}
