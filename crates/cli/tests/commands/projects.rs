//! The first hour: a new project, arguments, tests and benchmarks without anything to do, colours, watching.

use super::{example, fehu, program, run, stderr, stdout};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn a_new_project_runs_its_test() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = fehu().args(["new", "means"]).current_dir(dir.path()).output().expect("fehu runs");
    assert!(made.status.success(), "{}", stderr(&made));
    let project = dir.path().join("means");
    assert!(project.join("futhark.pkg").exists());
    let tested = fehu().arg("test").current_dir(&project).output().expect("fehu runs");
    assert_eq!(stdout(&tested), "1/1 passed.\n");
    assert_eq!(stderr(&tested), "");
    let again = fehu().args(["new", "means"]).current_dir(dir.path()).output().expect("fehu runs");
    assert_eq!(again.status.code(), Some(1));
    for bad in ["", "..", "a/b", "-x", "1x", "a b", "é"] {
        let done = fehu().args(["new", "--", bad]).current_dir(dir.path()).output().expect("fehu runs");
        assert_eq!(done.status.code(), Some(1), "{bad}");
    }
}

#[test]
fn arguments_come_from_standard_input() {
    let file = example("dot.fut").display().to_string();
    for words in [vec!["5"], vec!["[1.0]", "[2.0]"], vec!["-5"]] {
        let done = run(&[vec!["run", &file], words.clone()].concat());
        assert_eq!(done.status.code(), Some(2), "{words:?}");
        let said = stderr(&done);
        let values = words.join(" ");
        assert!(said.contains(&format!("echo '{values}' | fehu run {file}")), "{said}");
    }
}

#[test]
fn nothing_to_do_is_said() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path().display().to_string();
    assert!(stderr(&run(&["test", &folder])).contains("nothing to run"));
    assert!(stderr(&run(&["bench", &folder])).contains("nothing to measure"));
    program(dir.path(), "plain.fut", "entry main (x: i32) = x\n");
    let tested = run(&["test", &folder]);
    assert!(stderr(&tested).contains("nothing to run"), "{}", stderr(&tested));
    assert_eq!(stdout(&tested), "");
    let measured = run(&["bench", &folder]);
    assert!(stderr(&measured).contains("nothing to measure"));
    assert_eq!(stdout(&measured), "");
}

#[test]
fn data_sets_are_extracted() {
    let done = run(&["dataget", &example("dot.fut").display().to_string(), "#0"]);
    assert_eq!(fehu_data::read_values(&done.stdout).map(|vs| vs.len()), Ok(2));
    let none = run(&["dataget", &example("dot.fut").display().to_string(), "#9"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("#0"), "it lists those that are there");
    let script = run(&["dataget", &example("life.fut").display().to_string(), "checkers"]);
    assert_eq!(script.status.code(), Some(1));
    assert!(stderr(&script).contains("script"));
}

#[test]
fn colours_are_as_variables_say() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = program(dir.path(), "bad.fut", "entry main = nothing\n");
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = fehu();
        command.arg("check").arg(&file).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let done = command.envs(variables.iter().copied()).output().expect("fehu runs");
        stderr(&done).contains('\x1b')
    };
    assert!(!coloured(&[]), "a pipe is no terminal");
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn watching_runs_again_when_an_import_changes() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = program(dir.path(), "main.fut", "import \"other\"\nentry main = other\n");
    let other = program(dir.path(), "other.fut", "def other = 1i32\n");
    let mut child =
        fehu().args(["watch", "check"]).arg(&file).stderr(Stdio::piped()).spawn().expect("fehu runs");
    let (send, lines) = channel();
    let stderr = child.stderr.take().expect("standard error");
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    let wait_for = |text: &str| {
        while let Ok(line) = lines.recv_timeout(Duration::from_secs(120)) {
            if line.contains(text) {
                return;
            }
        }
        panic!("`{text}` was not printed");
    };
    wait_for("done; waiting");
    // Times of files may be coarse.
    std::thread::sleep(Duration::from_millis(50));
    std::fs::File::create(&other).and_then(|mut f| f.write_all(b"def other = nothing\n")).expect("written");
    wait_for("failed; waiting");
    std::fs::File::create(&other).and_then(|mut f| f.write_all(b"def other = 2i32\n")).expect("written");
    wait_for("done; waiting");
    child.kill().expect("it was running");
    child.wait().expect("it ended");
}

#[test]
fn there_must_be_something_to_watch() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for words in [&["watch", "check"][..], &["watch"]] {
        let done = fehu().args(words).current_dir(dir.path()).output().expect("fehu runs");
        assert_eq!(done.status.code(), Some(2));
    }
}

/// A project with a program that uses another file, an untidy one, one that is wrong in a package, and a folder below.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for folder in ["sub", "lib/example.org/other", "lib/example.org/me/mine"] {
        std::fs::create_dir_all(dir.path().join(folder)).expect("made");
    }
    let manifest = "package example.org/me/mine\n\nrequire {\n}\n";
    program(dir.path(), "futhark.pkg", manifest);
    program(
        dir.path(),
        "main.fut",
        "import \"sub/twice\"\n\n-- ==\n-- input { 2 } output { 4 }\nentry main = twice\n",
    );
    program(&dir.path().join("sub"), "twice.fut", "def twice (x: i32) =\n  x + x\n");
    program(&dir.path().join("lib/example.org/other"), "bad.fut", "def x=not_there\n");
    program(&dir.path().join("lib/example.org/me/mine"), "own.fut", "def own = 1i32\n");
    dir
}

#[test]
fn commands_act_on_the_project() {
    let dir = project();
    let below = dir.path().join("sub");
    let run = |folder: &std::path::Path, words: &[&str]| {
        fehu().args(words).current_dir(folder).stdin(Stdio::null()).output().expect("fehu runs")
    };
    for (folder, words) in [(dir.path(), &["check"][..]), (dir.path(), &["check", "."]), (&below, &["check"])]
    {
        let done = run(folder, words);
        assert!(done.status.success(), "{words:?}: {}", stderr(&done));
        assert_eq!(stderr(&done), "fehu: checked 3 programs\n", "{words:?}");
    }
    for folder in [dir.path(), &below] {
        let done = run(folder, &["test"]);
        assert_eq!(stdout(&done), "3/3 passed.\n", "{}", stderr(&done));
        assert!(run(folder, &["fmt", "--check"]).status.success());
    }
    // What is wrong is named, once, by the way to it.
    program(&below, "twice.fut", "def twice (x: i32)=x+nothing\n");
    let done = run(&below, &["check"]);
    assert_eq!(done.status.code(), Some(1));
    let said = stderr(&done);
    assert_eq!(said.matches("--> ../sub/twice.fut:1:22").count(), 1, "{said}");
    assert!(said.ends_with("fehu: checked 3 programs, of which 2 cannot be used\n"), "{said}");
    let done = run(dir.path(), &["fmt", "--check"]);
    assert_eq!(
        (done.status.code(), stderr(&done).as_str()),
        (Some(1), "sub/twice.fut: not formatted correctly\n")
    );
    assert!(run(&below, &["fmt"]).status.success());
    assert!(run(dir.path(), &["fmt", "--check"]).status.success());
    // A folder that is named is searched as it is.
    assert_eq!(run(dir.path(), &["check", "lib"]).status.code(), Some(1));
}

#[test]
fn a_project_has_a_main_program() {
    let dir = project();
    let run = |words: &[&str]| {
        let mut child = fehu()
            .args(words)
            .current_dir(dir.path().join("sub"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("fehu runs");
        child.stdin.take().expect("a pipe").write_all(b"21").ok();
        child.wait_with_output().expect("it ends")
    };
    assert_eq!(stdout(&run(&["run", "-i"])), "42i32\n");
    // The only program of the folder is the main one; of several, none is.
    std::fs::rename(dir.path().join("main.fut"), dir.path().join("first.fut")).expect("renamed");
    assert_eq!(stdout(&run(&["run", "-i"])), "42i32\n");
    program(dir.path(), "second.fut", "entry main = 1i32\n");
    let done = run(&["run", "-i"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(stderr(&done).contains("../first.fut, ../second.fut"), "{}", stderr(&done));
}

#[test]
fn outside_of_projects_a_path_is_needed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    program(dir.path(), "a.fut", "entry main = 1i32\n");
    for command in ["check", "test", "bench", "fmt", "run", "c"] {
        let mut fehu = fehu();
        fehu.arg(command).current_dir(dir.path()).stdin(Stdio::null());
        let done = fehu.output().expect("fehu runs");
        assert_eq!(done.status.code(), Some(2), "{command}");
        assert!(stderr(&done).contains(&format!("fehu {command} a.fut")), "{command}: {}", stderr(&done));
    }
}

#[test]
fn what_is_missing_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    program(dir.path(), "a.fut", "entry twice (x: i32) = x * 2\n");
    program(dir.path(), "b.fut", "def once (x: i32) = x\n");
    let said = |args: &[&str]| {
        let done =
            fehu().args(args).current_dir(dir.path()).env("CC", "no-such-cc").output().expect("fehu runs");
        assert_eq!(done.status.code(), Some(1), "{args:?}");
        stderr(&done)
    };
    assert!(said(&["check", "a"]).contains("there is a.fut"));
    assert!(said(&["run", "a.fut"]).contains("`-e NAME` calls another one: `twice`"));
    assert!(said(&["run", "-i", "a.fut"]).contains("no entry point `main`"));
    assert!(said(&["run", "b.fut"]).contains("`entry main ... = ...` defines one"));
    assert!(said(&["fmt", "c.fut"]).contains("no such file"));
    assert!(said(&["c", "a.fut", "-o", "none/a"]).contains("there is no folder none"));
    let said = said(&["c", "a.fut"]);
    assert!(said.contains("there is no such program") && said.contains("fehu run -i"), "{said}");
    // Any definition can be called.
    let mut once = fehu();
    once.args(["run", "-i", "-e", "once", "b.fut"]).current_dir(dir.path()).stdin(Stdio::piped());
    let mut child = once.stdout(Stdio::piped()).spawn().expect("fehu runs");
    child.stdin.take().expect("standard input").write_all(b"5").expect("written");
    assert_eq!(stdout(&child.wait_with_output().expect("it ends")), "5i32\n");
}
