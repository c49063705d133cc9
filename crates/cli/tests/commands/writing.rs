//! Files are written whole or not at all: what was there before stays, and nothing that is cut off appears.

use super::{fehu, program, stderr};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs with a limit for the size of files: what a full disk is to a program.
fn on_a_full_disk(args: &[&str], dir: &Path) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_fehu")]);
    shell.args(args).current_dir(dir).output().expect("sh runs")
}

/// The files below a folder, with what is in them; folders are there, too.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        found.insert(path.clone(), std::fs::read(&path).unwrap_or_default());
        found.extend(tree(&path));
    }
    found
}

const REPORT: &str = r#"{"memory":{},"events":[{"name":"f","duration":3,"provenance":"","details":{}}]}"#;

#[test]
fn a_full_disk_changes_nothing() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [
        ("p.fut", "-- Text.\n\n-- | An entry point.\nentry main (x: i32) = x\n"),
        ("ugly.fut", "entry main (x:i32)=x\n"),
        ("p.md", "the old document"),
        ("p.c", "the old text"),
        ("p.h", "the old header"),
        ("report.json", REPORT),
    ] {
        program(dir.path(), name, text);
    }
    std::fs::create_dir(dir.path().join("man")).expect("a folder");
    let before = tree(dir.path());
    for args in [
        &["c", "--library", "p.fut"][..],
        &["cuda", "--library", "p.fut"],
        &["fmt", "ugly.fut"],
        &["new", "project"],
        &["man", "man"],
        &["doc", "p.fut", "-o", "pages/inner"],
        &["literate", "p.fut"],
        &["profile", "report.json"],
    ] {
        let done = on_a_full_disk(args, dir.path());
        assert_eq!(done.status.code(), Some(1), "{args:?}: {}", stderr(&done));
        assert!(stderr(&done).contains("fehu: could not write "), "{args:?}: {}", stderr(&done));
        assert_eq!(tree(dir.path()), before, "{args:?}");
    }
}

#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = program(dir.path(), "ugly.fut", "entry main (x:i32)=x\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("set");
    let link = dir.path().join("link.fut");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    assert!(fehu().arg("fmt").arg(&link).status().expect("fehu runs").success());
    assert!(std::fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o640);
    assert!(std::fs::read_to_string(&file).expect("a file").contains("(x: i32)"));
}

#[test]
fn a_result_may_go_to_a_device() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    program(dir.path(), "p.fut", "-- Text.\n\nentry main (x: i32) = x\n");
    let literate = |output: &str| {
        fehu().args(["literate", "p.fut", "-o", output]).current_dir(dir.path()).output().expect("fehu runs")
    };
    let done = literate("/dev/stdout");
    assert!(done.status.success() && String::from_utf8_lossy(&done.stdout).contains("Text."));
    let full = literate("/dev/full");
    assert_eq!(full.status.code(), Some(1));
    assert!(stderr(&full).contains("could not write /dev/full: No space left"), "{}", stderr(&full));
}

#[test]
fn names_may_begin_with_a_dash() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    program(dir.path(), "-dash.fut", "-- ==\n-- input { 1 } output { 1 }\nentry main (x: i32) = x\n");
    for args in [
        &["c", "--", "-dash.fut"][..],
        &["c", "--server", "--", "-dash.fut"],
        &["c", "--library", "--", "-dash.fut"],
        &["test", "--no-terminal", "--", "-dash.fut"],
        &["test", "--no-terminal", "--futhark", env!("CARGO_BIN_EXE_fehu"), "--", "-dash.fut"],
        &["bench", "-r", "1", "--no-convergence-phase", "--", "-dash.fut"],
    ] {
        let done = fehu().args(args).current_dir(dir.path()).output().expect("fehu runs");
        assert!(done.status.success(), "{args:?}: {}", stderr(&done));
    }
}

/// What the program itself writes.
#[test]
fn times_that_cannot_be_written_are_an_error() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    program(dir.path(), "p.fut", "entry main (x: i32) = x\n");
    let made = fehu().args(["c", "p.fut"]).current_dir(dir.path()).output().expect("fehu runs");
    assert!(made.status.success(), "{}", stderr(&made));
    let input = program(dir.path(), "input", "1");
    let mut command = Command::new(dir.path().join("p"));
    let input = std::fs::File::open(input).expect("the input");
    let done = command.args(["-t", "/dev/full"]).stdin(input).output().expect("the program runs");
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("Cannot write /dev/full: No space left"), "{}", stderr(&done));
}

/// The C text says why there is no executable, and is of no other use.
#[test]
fn a_c_compiler_that_fails_leaves_nothing() {
    use std::os::unix::fs::PermissionsExt;
    for (script, said) in [
        ("echo 'p.c:3:1: error: what is this' >&2; exit 1", "This is a bug in fehu"),
        ("kill -9 $$", "ended by a signal: 9 (SIGKILL)"),
        ("echo 'cc1: out of memory' >&2; exit 1", "cc1: out of memory"),
    ] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        program(dir.path(), "p.fut", "entry main (x: i32) = x\n");
        let cc = program(dir.path(), "cc", &format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(&cc, std::fs::Permissions::from_mode(0o755)).expect("set");
        let before = tree(dir.path());
        let mut path = std::ffi::OsString::from(dir.path());
        path.push(":/usr/bin:/bin");
        let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
        command.args(["c", "p.fut"]).current_dir(dir.path()).env("PATH", path);
        let done = command.env_remove("CC").env_remove("CFLAGS").output().expect("fehu runs");
        assert_eq!(done.status.code(), Some(1), "{script}");
        assert!(stderr(&done).contains(said), "{script}: {}", stderr(&done));
        assert_eq!(stderr(&done).contains("bug in fehu"), script.contains("p.c:3"), "{}", stderr(&done));
        assert_eq!(tree(dir.path()), before, "{script}");
    }
}
