//! The runtime of CUDA programs, on a driver that has no device (`tests/ffi/fake_cuda.c`): whatever call fails, the
//! program says so, nothing is called outside of a context, and all is given back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "entry main (n: i64) (m: i64): i64 =
  map (\\i -> i64.sum (map (\\j -> (i * j) %% 7) (iota m))) (iota n) |> i64.sum
entry count (n: i64): i64 =
  hist (+) 0 37 (iota n |> map (%% 37)) (replicate n 1i64) |> foldl (\\a x -> a * 31 + x) 0
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

/// A client and the driver, in a folder. The driver is NVRTC too.
fn built(dir: &Path) {
    let program = dir.join("program.fut");
    fs::write(&program, PROGRAM).expect("a program");
    let library = dir.join("library");
    succeed(
        Command::new(env!("CARGO_BIN_EXE_fehu"))
            .args(["cuda", "--library"])
            .arg(&program)
            .arg("-o")
            .arg(library),
    );
    let cc = |args: &[&str], file: PathBuf, more: &[&str]| {
        let mut cc = Command::new("cc");
        succeed(cc.current_dir(dir).args(["-Wall", "-Wextra", "-Werror"]).args(args).arg(file).args(more));
    };
    cc(&["-shared", "-fPIC", "-o", "libcuda.so.1"], ffi("fake_cuda.c"), &["-lpthread"]);
    cc(&["-I.", "-o", "client"], ffi("cuda.c"), &["library.c", "-ldl", "-lm", "-lpthread"]);
    fs::create_dir(dir.join("lib64")).expect("a folder");
    std::os::unix::fs::symlink("../libcuda.so.1", dir.join("lib64/libnvrtc.so")).expect("a link");
}

fn run(dir: &Path, args: &[&str], variables: &[(&str, &str)]) -> String {
    let done = Command::new(dir.join("client"))
        .current_dir(dir)
        .env("LD_LIBRARY_PATH", dir)
        .env("CUDA_HOME", dir)
        .envs(variables.iter().copied())
        .args(args)
        .output()
        .expect("the client runs");
    let said = text(&done);
    assert!(done.status.success(), "{variables:?}: {said}");
    said
}

#[test]
fn failures_of_the_driver() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    let said = run(dir, &[], &[]);
    assert!(said.contains("0 failures") && said.contains(", 0 wrong"), "{said}");
    for at in (1..150).chain((150..1300).step_by(37)) {
        for code in ["2", "700"] {
            let said = run(dir, &[], &[("FAKE_FAIL_AT", &at.to_string()), ("FAKE_CODE", code)]);
            let failed = said.lines().find_map(|l| l.strip_prefix("fake: ")?.strip_suffix(" fails"));
            let Some(failed) = failed else { continue };
            // What is not taken back is lost; times may be missing; other memory may do.
            let lost = ["Destroy", "Free", "Unload"].iter().any(|w| failed.contains(w));
            let harmless = ["Event", "cuDeviceGet"].iter().any(|w| failed.contains(w))
                || (code == "2" && failed == "cuMemAlloc_v2");
            assert!(lost || said.contains(", 0 wrong"), "{at}: {said}");
            assert!(lost || harmless || !said.contains("0 failures"), "{at}: {said}");
            assert!(code == "2" || !said.contains("out of memory"), "{at}: {said}");
        }
    }
}

#[test]
fn what_is_missing_is_said() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    let said = run(dir, &[], &[("FAKE_MEMORY", "400000")]);
    assert!(
        said.contains("out of memory: cannot allocate 160000 bytes") && said.contains(", 0 wrong"),
        "{said}"
    );
    let said = run(dir, &[], &[("CUDA_HOME", "/nonexistent")]);
    assert!(said.contains("0 failures") || said.contains("cannot find NVRTC"), "{said}");
    let said = run(dir, &[], &[("FAKE_FAIL_AT", "1"), ("FAKE_CODE", "100")]);
    assert!(said.contains("could not find a device"), "{said}");
    // Kernels in the cache that the driver does not like are compiled again.
    let said = run(dir, &["cache"], &[]);
    assert!(said.contains("0 failures"), "{said}");
    let said = run(dir, &["cache"], &[("FAKE_IMAGE", "changed"), ("FAKE_REFUSE", "kernels")]);
    assert!(said.contains("0 failures") && said.contains(", 0 wrong"), "{said}");
    assert!(fs::read(dir.join("cache")).expect("a cache").ends_with(b"changed\0"));
}
