//! A limited address space: commands work, or say in a sentence that there is too little memory.

use super::{fehu, program, stderr, stdout};
use crate::quick_cc::quick_cc;
use std::path::Path;
use std::process::{Command, Output};

/// Runs with so many kilobytes of addresses.
fn limited(kilobytes: u32, args: &[&str], dir: &Path) -> Output {
    let mut shell = Command::new("sh");
    let script = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_fehu")]).args(args);
    quick_cc(&mut shell);
    shell.current_dir(dir).output().expect("sh runs")
}

#[test]
fn commands_work_in_a_small_address_space() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    program(dir.path(), "p.fut", "-- ==\n-- input { 1 } output { 2 }\n\nentry main (x: i32) = x + 1\n");
    let deep = format!("entry main (x: i32) = {}x{}\n", "(".repeat(1000), " + 1)".repeat(1000));
    program(dir.path(), "deep.fut", &deep);
    for kilobytes in [200_000, 400_000, 1_200_000] {
        for args in
            [&["check", "p.fut"][..], &["eval", "1 + 2"], &["c", "--library", "p.fut"], &["fmt", "p.fut"]]
        {
            let done = limited(kilobytes, args, dir.path());
            assert!(done.status.success(), "{kilobytes} {args:?} {}", stderr(&done));
        }
        // A program that cannot be tested for lack of memory has not passed.
        let done = limited(kilobytes, &["test", "--no-terminal", "p.fut"], dir.path());
        let passed = stdout(&done).contains("1/1 passed");
        assert_eq!(done.status.success(), passed, "{kilobytes} {}{}", stdout(&done), stderr(&done));
    }
    let done = limited(200_000, &["check", "deep.fut"], dir.path());
    let said = stderr(&done);
    assert!(done.status.success() || said.contains("too little memory"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(fehu()
        .args(["check", "deep.fut"])
        .current_dir(dir.path())
        .status()
        .expect("fehu runs")
        .success());
}

/// Three arrays of nearly half the machine's memory each: the system promises each of them. The run ends before
/// anything is written to them.
#[cfg(target_os = "linux")]
#[test]
fn what_derivatives_save_and_does_not_fit_is_an_error_at_once() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = "def f (n: i64) (x: f64) : f64 =
  let (a, b, c) =
    loop (a, b, c) = (x, x, x)
    for _i < n do
      (f64.sin (b * f64.cos c), f64.cos (a * f64.sin (b * c)), f64.sin (f64.cos (f64.sin (a * c))))
  in a + b + c
entry main (n: i64) = vjp (f n) 0.5 1
";
    program(dir.path(), "p.fut", text);
    let mut compile = fehu();
    quick_cc(&mut compile);
    assert!(compile.args(["c", "p.fut"]).current_dir(dir.path()).status().expect("fehu runs").success());
    let info = std::fs::read_to_string("/proc/meminfo").expect("the machine's memory");
    let total =
        info.lines().find_map(|l| l.strip_prefix("MemTotal:")).and_then(|l| l.split_whitespace().next());
    let total: u64 = total.expect("how much there is").parse().expect("a number");
    let command = format!("echo {}i64 | timeout 10 ./p", total * 1024 / 8 * 45 / 100);
    let done = Command::new("sh").args(["-c", &command]).current_dir(dir.path()).output().expect("sh runs");
    let said = stderr(&done);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("out of memory: cannot allocate ") && said.contains("p.fut:3:"), "{said}");
}

/// On devices, too, also of a loop that each thread runs; what the device has is said.
#[test]
fn tapes_that_do_not_fit_a_device_are_refused_at_their_loop() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    if !crate::gpu::has_device(dir.path()) {
        return;
    }
    let text = "def f (n: i64) (x: f64) : f64 =
  loop a = x for i < n do
    f64.sin (a * f64.i64 i)
def g [m] (n: i64) (xs: [m]f64) : f64 =
  let ys = loop ys = xs for _i < n do
             map f64.sin ys
  in f64.sum ys
entry loops (n: i64) = vjp (g n) [0.5, 0.7] 1
entry threads (n: i64) = map (\\x -> vjp (f n) (f64.i64 x) 1) (iota 3)
";
    program(dir.path(), "p.fut", text);
    let done = fehu().args(["opencl", "p.fut"]).current_dir(dir.path()).status().expect("fehu runs");
    assert!(done.success());
    for (entry, line) in [("loops", "p.fut:5:"), ("threads", "p.fut:2:")] {
        let command = format!("echo 1000000000000i64 | timeout 20 ./p -e {entry}");
        let done =
            Command::new("sh").args(["-c", &command]).current_dir(dir.path()).output().expect("sh runs");
        let said = stderr(&done);
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(
            said.contains("out of memory: cannot allocate ") && said.contains(" of the device's "),
            "{said}"
        );
        assert!(said.lines().any(|l| l.starts_with("-> #0") && l.contains(line)), "{said}");
    }
}

/// With a budget, the tape of a loop takes less, and the answer is the same.
#[test]
fn a_budget_for_tapes_lowers_the_peak() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = "entry main (n: i64) (k: i64) =
  f64.sum (vjp (\\xs -> f64.sum (loop ys = xs for _i < k do map f64.sin ys)) (replicate n 1) 1)
";
    program(dir.path(), "p.fut", text);
    // The peak and the answer with these options of the compiler.
    let with = |options: &[&str]| {
        let mut compile = fehu();
        quick_cc(&mut compile);
        let done = compile.args(["c", "p.fut"]).args(options).current_dir(dir.path()).status();
        assert!(done.expect("fehu runs").success());
        let done =
            Command::new("sh").args(["-c", "echo 1000i64 1000i64 | ./p -P"]).current_dir(dir.path()).output();
        let done = done.expect("sh runs");
        let (said, memory) = (stdout(&done), stderr(&done));
        let memory = memory.split("default space\": ").nth(1).and_then(|m| m.split('}').next());
        let peak: u64 = memory.and_then(|m| m.parse().ok()).expect("a peak");
        (peak, said)
    };
    let (all, answer) = with(&[]);
    assert!(all > 8_000_000, "{all}");
    for (budget, most) in [("600000", 600_000), ("0", 300_000)] {
        let (peak, same) = with(&["--tape-memory", budget]);
        assert!(peak < most, "{peak}");
        assert_eq!(same, answer);
    }
    // What fits is saved as a whole.
    let (peak, same) = with(&["--tape-memory", "8000000"]);
    assert!(peak > 8_000_000 && same == answer, "{peak}");
}
