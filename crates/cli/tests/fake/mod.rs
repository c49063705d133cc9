//! A client (`tests/ffi/failing.c`, `raw.c`) with a library made by the compiler, and a driver without a device.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "entry main (n: i64) (m: i64): i64 =
  map (\\i -> i64.sum (map (\\j -> (i * j) %% 7) (iota m))) (iota n) |> i64.sum
entry count (n: i64): i64 =
  hist (+) 0 37 (iota n |> map (%% 37)) (replicate n 1i64) |> foldl (\\a x -> a * 31 + x) 0
entry steps (n: i64) (m: i64): []i32 =
  loop xs = replicate m 0 for i < n do map2 (\\x j -> #[unsafe] x + xs[(i + j) %% m]) xs (iota m)
entry gates (n: i64) (m: i64): []f32 =
  loop xs = tabulate m f32.i64 for i < n do
    let (c, s) = (f32.cos (f32.i64 i), f32.sin (f32.i64 i))
    let gate = [[1, 0, 0], [0, c, s], [0, s, c]]
    in tabulate m (\\j -> #[unsafe] xs[j] * gate[j %% 3, (j + i) %% 3])
entry pick (xs: []i32) (is: []i64): []i32 = map (\\i -> xs[i]) is
entry sums (xss: [][]i32): []i32 = map (\\xs -> loop s = 0 for x in xs do s + x) xss
entry set (xs: *[]i32) (i: i64) (x: i32): *[]i32 = xs with [i] = x
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

/// The driver of CUDA, which is NVRTC, too, in a folder.
pub(crate) fn cuda_driver(dir: &Path) {
    succeed(Command::new(ffi("../cuda/build")).arg(dir));
}

/// The driver of OpenCL in a folder.
pub(crate) fn opencl_driver(dir: &Path) {
    let mut cc = Command::new("cc");
    cc.args(WARNINGS).args(["-shared", "-fPIC", "-o"]).arg(dir.join("libOpenCL.so.1"));
    succeed(cc.arg(ffi("fake_opencl.c")).arg("-lpthread"));
}

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-g"];

/// Builds a client of the program for a back end in a folder.
pub(crate) fn build_client(dir: &Path, backend: &str, client: &str) {
    let program = dir.join("program.fut");
    fs::write(&program, PROGRAM).expect("a program");
    succeed(
        Command::new(env!("CARGO_BIN_EXE_fehu"))
            .args([backend, "--library"])
            .arg(&program)
            .arg("-o")
            .arg(dir.join("library")),
    );
    let mut cc = Command::new("cc");
    cc.current_dir(dir).args(WARNINGS).args(["-I.", "-o", "client"]).arg(ffi(client));
    succeed(cc.args(["library.c", "-ldl", "-lm", "-lpthread"]));
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
