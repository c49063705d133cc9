//! Files that are none, output that cannot be written: every command ends, with a message and an exit code.

use super::{example, fehu, program, run, stderr, stdout};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Every command that prints something, and its arguments.
fn printing() -> Vec<Vec<String>> {
    let dot = example("dot.fut").display().to_string();
    let lines = [
        "tokens DOT",
        "imports DOT",
        "defs DOT",
        "hash DOT",
        "query DOT 12 5",
        "dev DOT",
        "dev --typed DOT",
        "dev --after lower DOT",
        "dataset -g [10]i32",
        "dataset --help",
        "completions bash",
        "explain",
        "explain not-consumable",
        "thanks",
        "--help",
        "--version",
        "help",
        "check --help",
        "dataget DOT #0",
        "script DOT 1",
        "test -t DOT",
        "cache",
        "run DOT",
    ];
    let words = |line: &str| line.split(' ').map(|w| w.replace("DOT", &dot)).collect();
    lines.iter().map(|line| words(line)).collect()
}

fn with_input(args: &[String], dir: &Path, stdout: impl Into<Stdio>) -> Output {
    let input = program(dir, "input", "[1.0] [2.0]");
    fehu()
        .args(args)
        .env("XDG_CACHE_HOME", dir)
        .stdin(File::open(input).expect("the input"))
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .expect("fehu runs")
}

#[test]
fn a_full_disk_is_said() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for args in printing() {
        let full = File::options().write(true).open("/dev/full").expect("the device");
        let done = with_input(&args, dir.path(), full);
        assert_eq!(done.status.code(), Some(1), "{args:?}: {}", stderr(&done));
        assert!(stderr(&done).contains("No space left"), "{args:?}: {}", stderr(&done));
        assert!(!stderr(&done).contains("panicked"), "{args:?}: {}", stderr(&done));
    }
}

/// A pipe whose reader has ended.
fn closed_pipe() -> std::process::ChildStdin {
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().expect("true runs");
    let pipe = reader.stdin.take().expect("a pipe");
    reader.wait().expect("it ends");
    pipe
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for args in printing() {
        let done = with_input(&args, dir.path(), closed_pipe());
        assert!(!stderr(&done).contains("panicked"), "{args:?}: {}", stderr(&done));
        assert!(done.status.code().is_some(), "{args:?}");
    }
}

#[test]
fn standard_error_may_be_full_too() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let bad = program(dir.path(), "bad.fut", "entry main = x\n").display().to_string();
    for (args, code) in [
        (vec!["check", &bad], 1),
        (vec!["run", &bad], 1),
        (vec!["tokens", "no-such-file"], 1),
        (vec!["literate"], 2),
        (vec!["bogus"], 2),
    ] {
        let full = File::options().write(true).open("/dev/full").expect("the device");
        let status = fehu().args(&args).stderr(full).status().expect("fehu runs");
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

/// Runs with a limit, so that a command that does not end fails the test instead of stopping it.
fn limited(args: &[&str]) -> Output {
    let start = Instant::now();
    let done = Command::new("timeout").arg("60").arg(env!("CARGO_BIN_EXE_fehu")).args(args).output();
    let done = done.expect("timeout runs");
    assert!(start.elapsed() < Duration::from_secs(60), "{args:?} does not end");
    done
}

#[test]
fn what_is_no_program_is_refused() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let pipe = path("pipe.fut");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|s| s.success()));
    std::fs::create_dir(path("folder.fut")).expect("a folder");
    std::fs::write(path("latin.fut"), b"def x = \"\xff\"\n").expect("written");
    std::os::unix::fs::symlink(path("circle.fut"), path("circle.fut")).expect("a link");
    let files = [
        (pipe, "named pipe"),
        (path("folder.fut"), "folder"),
        (path("latin.fut"), "not UTF-8"),
        (path("none.fut"), "no such file"),
        (path("circle.fut"), "symbolic links"),
        ("/dev/zero".to_owned(), "larger than 16 MiB"),
        ("/dev/urandom".to_owned(), "larger than 16 MiB"),
    ];
    let commands = [
        &["check", "F"][..],
        &["check-syntax", "F"],
        &["tokens", "F"],
        &["imports", "F"],
        &["defs", "F"],
        &["hash", "F"],
        &["query", "F", "1", "1"],
        &["dev", "F"],
        &["run", "F"],
        &["c", "-o", "/nonexistent/x", "F"],
        &["bench", "F"],
        &["autotune", "F"],
        &["dataget", "F", "x"],
    ];
    for (file, why) in &files {
        for command in commands {
            if matches!(command[0], "bench") && file.ends_with("folder.fut") {
                continue;
            }
            let args: Vec<&str> =
                command.iter().map(|w| if *w == "F" { file.as_str() } else { *w }).collect();
            let done = limited(&args);
            assert_eq!(done.status.code(), Some(1), "{args:?}: {}", stderr(&done));
            assert!(stderr(&done).contains(why), "{args:?}: {}", stderr(&done));
        }
    }
}

#[test]
fn data_that_is_none_is_refused() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let pipe = dir.path().join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|s| s.success()));
    let folder = dir.path().display().to_string();
    for file in [pipe.as_str(), folder.as_str(), "/no/such/file"] {
        assert_eq!(limited(&["datacmp", file, file]).status.code(), Some(2), "{file}");
        assert_eq!(limited(&["benchcmp", file, file]).status.code(), Some(1), "{file}");
        assert_eq!(limited(&["profile", file]).status.code(), Some(1), "{file}");
    }
    let vast = limited(&["dataset", "-g", "[1000000000000]i32"]);
    assert_eq!(vast.status.code(), Some(2));
    assert!(stderr(&vast).contains("too large"), "{}", stderr(&vast));
}

#[test]
fn a_program_may_come_from_a_pipe() {
    let text = "entry main (x: i32) = x + 1";
    let line = format!(
        "'{}' check <(echo '{text}') && echo '{text}' | '{0}' hash /dev/stdin",
        env!("CARGO_BIN_EXE_fehu")
    );
    let done = Command::new("bash").args(["-c", &line]).output().expect("bash runs");
    assert!(done.status.success() && stdout(&done).trim().len() == 64, "{}", stderr(&done));
}

#[test]
fn long_lines_and_many_errors_end() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let long = program(dir.path(), "long.fut", &"def x = $ ".repeat(20_000)).display().to_string();
    for command in ["check", "check-syntax"] {
        let done = limited(&[command, &long]);
        assert_eq!(done.status.code(), Some(1), "{command}");
        assert!(stderr(&done).contains("more errors and warnings"), "{command}");
    }
    assert!(limited(&["tokens", &long]).status.success());
    let deep = format!("entry main : i32 = {}1{}\n", "(".repeat(50_000), ")".repeat(50_000));
    let deep = program(dir.path(), "deep.fut", &deep).display().to_string();
    assert!(limited(&["check", &deep]).status.code().is_some_and(|c| c <= 1));
    let nul = program(dir.path(), "nul.fut", "def x = 1\0\n").display().to_string();
    assert_eq!(limited(&["check", &nul]).status.code(), Some(1));
}

#[test]
fn output_goes_only_where_it_can() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dot = example("dot.fut").display().to_string();
    let none = dir.path().join("none/x").display().to_string();
    let folder = dir.path().display().to_string();
    for (args, why) in [
        (vec!["c", &dot, "-o", &none], "there is no folder"),
        (vec!["c", "--library", &dot, "-o", &none], "there is no folder"),
        (vec!["c", &dot, "-o", &folder], "folder"),
        (vec!["c", &dot, "-o", "/dev/full"], "not a regular file"),
        (vec!["man", &none], "there is no folder"),
        (vec!["c", &dot, "-e", "nosuch"], "has no entry point `nosuch`; `-e NAME` calls another one: `main`"),
    ] {
        let done = run(&args);
        assert_eq!(done.status.code(), Some(1), "{args:?}");
        assert!(stderr(&done).contains(why), "{args:?}: {}", stderr(&done));
        assert!(!stderr(&done).contains("bug"), "{args:?}: {}", stderr(&done));
    }
    assert!(!Path::new("/dev/full.c").exists(), "nothing is written beside it");
}

#[test]
fn mistakes_in_the_compilers_settings_are_the_users() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let out = dir.path().join("x").display().to_string();
    let dot = example("dot.fut").display().to_string();
    let done =
        fehu().args(["c", &dot, "-o", &out]).env("CFLAGS", "--bogus-flag").output().expect("fehu runs");
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("CFLAGS"), "{}", stderr(&done));
}
