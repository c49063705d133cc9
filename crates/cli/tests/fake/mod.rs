//! A client (`tests/ffi/failing.c`) with a library made by the compiler, and a driver without a device.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "entry main (n: i64) (m: i64): i64 =
  map (\\i -> i64.sum (map (\\j -> (i * j) %% 7) (iota m))) (iota n) |> i64.sum
entry count (n: i64): i64 =
  hist (+) 0 37 (iota n |> map (%% 37)) (replicate n 1i64) |> foldl (\\a x -> a * 31 + x) 0
entry steps (n: i64) (m: i64): []i32 =
  loop xs = replicate m 0 for i < n do map2 (\\x j -> #[unsafe] x + xs[(i + j) %% m]) xs (iota m)
entry pick (xs: []i32) (is: []i64): []i32 = map (\\i -> xs[i]) is
";

fn text(done: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

fn succeed(command: &mut Command) {
    let done = command.output().expect("the command runs");
    assert!(done.status.success(), "{}", text(&done));
}

fn ffi(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ffi").join(name)
}

/// Builds the client for a back end, and the driver, in a folder.
pub(crate) fn build(dir: &Path, backend: &str, driver: &str, library: &str) {
    let program = dir.join("program.fut");
    fs::write(&program, PROGRAM).expect("a program");
    succeed(
        Command::new(env!("CARGO_BIN_EXE_fehu"))
            .args([backend, "--library"])
            .arg(&program)
            .arg("-o")
            .arg(dir.join("library")),
    );
    let cc = |args: &[&str], file: PathBuf, more: &[&str]| {
        let mut cc = Command::new("cc");
        succeed(
            cc.current_dir(dir).args(["-Wall", "-Wextra", "-Werror", "-g"]).args(args).arg(file).args(more),
        );
    };
    cc(&["-shared", "-fPIC", "-o", library], ffi(driver), &["-lpthread"]);
    cc(&["-I.", "-o", "client"], ffi("failing.c"), &["library.c", "-ldl", "-lm", "-lpthread"]);
}

/// Runs the client, or another command on it; what it says.
pub(crate) fn run(dir: &Path, command: &[&str], variables: &[(&str, &str)]) -> String {
    let done = Command::new(command[0])
        .current_dir(dir)
        .env("LD_LIBRARY_PATH", dir)
        .env("CUDA_HOME", dir)
        .envs(variables.iter().copied())
        .args(&command[1..])
        .output()
        .expect("the client runs");
    let said = text(&done);
    assert!(done.status.success(), "{variables:?}: {said}");
    said
}
