//! Programs give the same on any number of threads as they give on none.
//!
//! The programs in `tests/multicore` have entry points that take a size. Each runs as sequential C and with
//! various numbers of threads, more than there are cores among them; what is printed must be the same, and
//! programs whose checks fail must fail with one message.

use fehu_driver::compile::{compile, Settings};
use fehu_driver::target::Target;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SIZES: [i64; 3] = [10, 1000, 40000];
const THREADS: [&str; 4] = ["1", "2", "7", "64"];

#[test]
fn combine() {
    same_on_any_number_of_threads("combine");
}

#[test]
fn places() {
    same_on_any_number_of_threads("places");
}

#[test]
fn nests() {
    same_on_any_number_of_threads("nests");
}

#[test]
fn failures() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (entries, [_, parallel]) = compiled(dir.path(), "failures");
    for entry in entries {
        for threads in THREADS {
            let output = run(&parallel, &["--num-threads", threads, "-e", &entry], 40000);
            let message = String::from_utf8_lossy(&output.stderr).to_string();
            assert!(!output.status.success(), "{entry} does not fail with {threads} threads");
            assert_eq!(message.matches("Error: ").count(), 1, "{entry}, {threads} threads: {message}");
            assert!(message.contains("failures.fut:"), "{entry}, {threads} threads: {message}");
        }
    }
}

fn same_on_any_number_of_threads(name: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (entries, [sequential, parallel]) = compiled(dir.path(), name);
    assert!(entries.len() > 5);
    for entry in entries {
        for size in SIZES {
            let expected = run(&sequential, &["-b", "-e", &entry], size);
            let error = String::from_utf8_lossy(&expected.stderr).to_string();
            assert!(expected.status.success(), "{entry} of {size}: {error}");
            for threads in THREADS {
                let output = run(&parallel, &["-b", "--num-threads", threads, "-e", &entry], size);
                let error = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{entry} of {size}, {threads} threads: {error}");
                assert!(output.stdout == expected.stdout, "{entry} of {size} differs with {threads} threads");
            }
        }
    }
}

/// The entry points of a program, and executables of it: sequential and parallel.
fn compiled(dir: &Path, name: &str) -> (Vec<String>, [PathBuf; 2]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/multicore");
    let file = folder.join(name).with_extension("fut");
    let text = std::fs::read_to_string(&file).expect("a readable program");
    let entries = text.lines().filter_map(|l| l.strip_prefix("entry ")?.split(' ').next());
    let make = |target: Target| {
        let executable = dir.join(target.name());
        let (_, result) = compile(&file, &Settings::executable(target, executable.clone()));
        assert!(result.is_ok(), "{}: {result:?}", target.name());
        executable
    };
    (entries.map(str::to_owned).collect(), [make(Target::C), make(Target::Multicore)])
}

fn run(executable: &Path, args: &[&str], size: i64) -> Output {
    let mut child = Command::new(executable)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program that starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(size.to_string().as_bytes()).expect("a program that reads");
    drop(stdin);
    child.wait_with_output().expect("a program that ends")
}
