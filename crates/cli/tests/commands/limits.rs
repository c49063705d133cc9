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
