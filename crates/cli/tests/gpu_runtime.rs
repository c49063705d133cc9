//! What programs for GPUs do besides computing: parameters, caches, the C interface. On OpenCL, whose device PoCL makes
//! of the CPU; without a device there is nothing to test, and the tests say so; with `FEHU_REQUIRE_OPENCL`,
//! which `./test` sets, they fail.

use crate::quick_cc::quick_cc;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "entry main (n: i64) (m: i64): i64 =
  map (\\i -> i64.sum (map (\\j -> (i * j) %% 7) (iota m))) (iota n) |> i64.sum
entry count (n: i64): i64 =
  hist (+) 0 37 (iota n |> map (%% 37)) (replicate n 1i64) |> foldl (\\a x -> a * 31 + x) 0
entry pick (xs: []i32) (is: []i64): []i32 = map (\\i -> xs[i]) is
entry pick_if (ok: bool) (xs: []i32) (is: []i64): []i32 = let ys = map (\\i -> xs[i]) is in assert ok ys
";

fn fehu(args: &[&str], program: &Path, out: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
    quick_cc(&mut command);
    let done = command.args(args).arg(program).arg("-o").arg(out).output().expect("fehu runs");
    assert!(done.status.success(), "{}", text(&done));
}

fn text(done: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

/// The program, compiled, if there is a device to run it on.
fn compiled(dir: &Path) -> Option<PathBuf> {
    let program = dir.join("program.fut");
    fs::write(&program, PROGRAM).expect("a program");
    let exe = dir.join("program");
    fehu(&["opencl"], &program, &exe);
    let listed = Command::new(&exe).arg("--list-devices").output().expect("the program runs");
    if text(&listed).contains("#0") {
        return Some(exe);
    }
    let required = std::env::var_os("FEHU_REQUIRE_OPENCL").is_some();
    assert!(!required, "There is no OpenCL device; {}", text(&listed));
    eprintln!("There is no OpenCL device: GPU programs are not tested.");
    None
}

fn run(exe: &Path, options: &[&str], input: &str) -> Output {
    let dir = exe.parent().expect("a folder");
    let stdin = dir.join("stdin");
    fs::write(&stdin, input).expect("an input");
    let stdin = Stdio::from(fs::File::open(stdin).expect("an input"));
    Command::new(exe).current_dir(dir).args(options).stdin(stdin).output().expect("the program runs")
}

#[test]
fn no_parameter_of_a_kernel_is_zero() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(exe) = compiled(dir.path()) else { return };
    let right = text(&run(&exe, &["-e", "count"], "300"));
    let listed = text(&run(&exe, &["--print-params"], ""));
    let params = listed.lines().filter_map(|line| line.split_once(' '));
    let mut all: Vec<String> = vec!["-e".into(), "count".into()];
    all.extend(
        params.filter(|(_, class)| !class.starts_with("(threshold")).map(|(p, _)| format!("--param={p}=0")),
    );
    assert!(all.len() > 4, "{listed}");
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(text(&run(&exe, &all, "300")), right);
}

#[test]
fn thresholds_may_be_zero() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(exe) = compiled(dir.path()) else { return };
    let log = text(&run(&exe, &["-L", "--default-threshold=0"], "3 4"));
    // Borders, which tuning alone sets, are no thresholds.
    let is_missed = |line: &str| line.contains("false.") && !line.contains("_border");
    assert!(log.contains("<= 3: true.") && !log.lines().any(is_missed), "{log}");
}

#[test]
fn damaged_caches_do_no_harm() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(exe) = compiled(dir.path()) else { return };
    let cache = dir.path().join("cache");
    let cached = |name: &str| {
        let log = text(&run(&exe, &["-L", "--cache-file", name], "3 4"));
        assert!(log.contains("18i64"), "{name}: {log}");
        log.contains("Using the kernels in the cache file")
    };
    assert!(!cached("cache") && cached("cache"));
    let good = fs::read(&cache).expect("a cache");
    let mut bad = good.clone();
    for byte in bad.iter_mut().skip(100).step_by(97) {
        *byte ^= 0x5a;
    }
    let longer = [&good[..], b"more"].concat();
    for content in [&good[..good.len() / 2], &good[..20], &[], &bad, &longer] {
        fs::write(&cache, content).expect("a cache");
        assert!(!cached("cache"), "a cache of {} bytes is used", content.len());
        assert!(cached("cache"), "a cache is not renewed");
    }
    // What is no file stays what it is, and nothing is left behind.
    fs::create_dir(dir.path().join("folder")).expect("a folder");
    assert!(!cached("folder") && !cached("missing/cache"));
    assert!(dir.path().join("folder").is_dir());
    let names = fs::read_dir(dir.path()).expect("a folder").map(|e| e.expect("an entry").file_name());
    assert!(!names.into_iter().any(|name| name.to_string_lossy().ends_with(".new")));
}

#[test]
fn devices_are_no_caches() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(exe) = compiled(dir.path()) else { return };
    // A pipe without a writer would keep readers waiting.
    let pipe = dir.path().join("pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|s| s.success()) {
        return;
    }
    let log = text(&run(&exe, &["-L", "--cache-file", "pipe"], "3 4"));
    assert!(log.contains("18i64") && log.contains("it is no plain file"), "{log}");
    let kind = fs::metadata(&pipe).expect("a pipe");
    assert!(!kind.is_file() && !kind.is_dir());
}

#[test]
fn programs_in_c() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    if compiled(dir.path()).is_none() {
        return;
    }
    let program = dir.path().join("program.fut");
    fehu(&["opencl", "--library"], &program, &dir.path().join("library"));
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ffi/gpu.c");
    let done = Command::new("cc")
        .current_dir(dir.path())
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-I.", "-o", "client"])
        .arg(client)
        .args(["library.c", "-ldl", "-lm", "-lpthread"])
        .output()
        .expect("cc runs");
    assert!(done.status.success(), "{}", text(&done));
    let done = run(&dir.path().join("client"), &[], "");
    assert!(done.status.success(), "{}", text(&done));
}

#[test]
fn compiled_kernels_know_their_sizes() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(exe) = compiled(dir.path()) else { return };
    let right = text(&run(&exe, &["-e", "count"], "300"));
    run(&exe, &["--dump-opencl-binary=kernels"], "3 4");
    assert_eq!(text(&run(&exe, &["-e", "count", "--load-opencl-binary=kernels"], "300")), right);
    let other = ["-e", "count", "--load-opencl-binary=kernels", "--default-thread-block-size=32"];
    let said = run(&exe, &other, "300");
    assert!(
        !said.status.success() && text(&said).contains("other sizes of thread blocks"),
        "{}",
        text(&said)
    );
}

#[test]
fn devices_that_there_are_are_listed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(exe) = compiled(dir.path()) else { return };
    let listed = text(&run(&exe, &["--list-devices"], ""));
    let name = listed.lines().find_map(|l| l.strip_prefix("  #0: ")).expect("a device");
    let said = text(&run(&exe, &["--device=none such"], "3 4"));
    assert!(said.contains("none such") && said.contains(name), "{said}");
}

#[test]
fn tuning_files() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(exe) = compiled(dir.path()) else { return };
    let listed = text(&run(&exe, &["--print-params"], ""));
    let name = listed.lines().find_map(|l| l.split_once(" (threshold")).expect("a threshold").0;
    let tuned = |content: &str| {
        fs::write(dir.path().join("tuning"), content).expect("a tuning file");
        text(&run(&exe, &["--tuning=tuning"], "3 4"))
    };
    let long = "long ".repeat(1000);
    let right = tuned("");
    assert_eq!(right, "18i64\n");
    for good in [format!("{name}=5"), format!("-- {long}\n\n{name}=5 -- {long}\r\n"), format!("{name}=5  \n")]
    {
        assert_eq!(tuned(&good), right, "{good}");
    }
    assert!(text(&run(&exe, &["--tuning=."], "3 4")).contains("Cannot read file"));
    let most = "9".repeat(30);
    for bad in ["x", "=5", &format!("{name}="), &format!("{name}=-1"), &format!("{name}={most}"), "none=1"] {
        let said = tuned(&format!("-- {long}\n{bad}\n"));
        assert!(said.contains("'tuning'") && said.contains("ine 2"), "{bad}: {said}");
    }
}
