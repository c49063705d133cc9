//! Ctrl-C: commands end at once and leave no files; a session ends what it evaluates, and goes on.

use super::{fehu, program, stderr};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take here.
const PATIENCE: Duration = Duration::from_secs(60);

const FOREVER: &str = "-- ==
-- entry: main
-- input { 1i64 } output { 1i64 }

-- > main 1i64

entry main (x: i64): i64 = loop a = x while a != 0 do if a > 1000 then 1 else a + 1
";

const SIGINT: i32 = 2;

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect()
}

/// What a terminal does on Ctrl-C.
fn interrupt(child: &Child) {
    let group = format!("-{}", child.id());
    let killed = Command::new("kill").args(["-s", "INT", "--", &group]).status().expect("kill runs");
    assert!(killed.success());
}

fn forever(command: &mut Command, dir: &Path) -> Child {
    std::fs::create_dir_all(dir.join("tmp")).expect("a folder");
    program(dir, "forever.fut", FOREVER);
    let command =
        command.current_dir(dir).env("TMPDIR", dir.join("tmp")).env("XDG_CACHE_HOME", dir.join("cache"));
    let streams = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    streams.process_group(0).spawn().expect("fehu runs")
}

#[test]
fn commands_end_and_leave_no_files() {
    for arguments in [
        &["test", "--no-terminal", "forever.fut"][..],
        &["bench", "forever.fut"],
        &["script", "forever.fut", "main 1i64"],
        &["literate", "forever.fut"],
        &["autotune", "--backend=c", "forever.fut"],
    ] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut child = forever(fehu().args(arguments), dir.path());
        let tmp = dir.path().join("tmp");
        wait_until("it has a temporary folder", || {
            files(&tmp)
                .iter()
                .any(|f| f.file_name().is_some_and(|n| n.to_string_lossy().starts_with("fehu-")))
        });
        interrupt(&child);
        let status = child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(SIGINT), "{arguments:?}: {status}");
        // A C compiler removes its own files in its own time.
        wait_until("the folder is empty", || files(&tmp).is_empty());
        let left: Vec<PathBuf> = files(dir.path()).into_iter().filter(|f| f.is_file()).collect();
        assert_eq!(left, [dir.path().join("forever.fut")], "{arguments:?}");
    }
}

/// A repository that is never there: what is fetched would appear in the cache when it is complete.
#[test]
fn packages_that_are_fetched_leave_no_files() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let bin = dir.path().join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let git = bin.join("git");
    let script = "#!/bin/sh\ncase \" $* \" in *\" fetch \"*) exec sleep 60 ;; esac\n";
    std::fs::write(&git, script).expect("written");
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).expect("set");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = fehu();
    let mut child =
        forever(command.args(["pkg", "versions", "github.com/a/b"]).env("PATH", path), dir.path());
    let packages = dir.path().join("cache/fehu/packages");
    wait_until("a copy is made", || !files(&packages).is_empty());
    interrupt(&child);
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(SIGINT), "{status}");
    wait_until("the cache is empty", || files(&packages).is_empty());
}

#[test]
fn a_job_in_the_background_of_a_script_goes_on() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' INT; exec \"$0\" bench forever.fut", env!("CARGO_BIN_EXE_fehu")]);
    let mut child = forever(&mut shell, dir.path());
    let tmp = dir.path().join("tmp");
    wait_until("it has a temporary folder", || !files(&tmp).is_empty());
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().expect("a child").is_none());
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-s", "TERM", "--", &group]).status().is_ok_and(|s| s.success()));
    assert!(!child.wait().expect("it ends").success());
    wait_until("the folder is empty", || files(&tmp).is_empty());
}

#[test]
fn a_session_goes_on_with_its_declarations() {
    // Another program gives it a terminal. A shell that stays would end as if Ctrl-C had ended it.
    let command = format!("exec '{}' repl", env!("CARGO_BIN_EXE_fehu"));
    let mut child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm")
        .env("XDG_STATE_HOME", std::env::temp_dir().join("no-such-folder"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = child.stdout.take().expect("a pipe");
    let (send, said) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(n @ 1..) = output.read(&mut piece) {
            if send.send(String::from_utf8_lossy(&piece[..n]).into_owned()).is_err() {
                return;
            }
        }
    });
    let mut text = String::new();
    let mut wait_for = |what: &str| {
        let start = Instant::now();
        while !text.contains(what) {
            assert!(start.elapsed() < PATIENCE, "no {what} in {text}");
            text += &said.recv_timeout(Duration::from_millis(100)).unwrap_or_default();
        }
        let (_, rest) = text.split_once(what).unwrap_or_default();
        text = rest.to_owned();
    };
    wait_for("[0]>");
    input.write_all(b"def x = 41i32\r").expect("written");
    wait_for("[1]>");
    input.write_all(b"loop a = 0i64 while true do a + 1\r").expect("written");
    std::thread::sleep(Duration::from_millis(1500));
    input.write_all(b"\x03").expect("written");
    wait_for("interrupted");
    wait_for("[2]>");
    input.write_all(b"x + 1\r").expect("written");
    wait_for("\n42");
    wait_for("[3]>");
    input.write_all(b"\x04").expect("written");
    // At the end of its own input, `script` ends the session instead of waiting for it.
    let status = child.wait().expect("it ends");
    drop(input);
    assert!(status.success(), "{status}");
}

#[test]
fn data_sets_are_measured_for_ten_seconds() {
    let help = fehu().args(["bench", "--help"]).output().expect("fehu runs");
    assert_eq!(stderr(&help), "");
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    let option = text.split("--convergence-max-seconds").nth(1).unwrap_or_default();
    assert!(option.lines().take(2).any(|l| l.contains("[default: 10]")), "{text}");
}

/// What was measured before a benchmark is stopped can be used.
#[test]
fn a_benchmark_that_is_stopped_leaves_what_it_knows() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = FOREVER.replace(
        "-- input { 1i64 }",
        "-- \"fast\" input { 0i64 } output { 0i64 }\n-- \"slow\" input { 1i64 }",
    );
    program(dir.path(), "p.fut", &text);
    let file = dir.path().join("result.json");
    let mut command = fehu();
    command.args(["bench", "--json"]).arg(&file).args(["--no-convergence-phase", "p.fut"]);
    let streams =
        command.current_dir(dir.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = streams.process_group(0).spawn().expect("fehu runs");
    wait_until("the first data set is written", || file.is_file());
    interrupt(&child);
    child.wait().expect("it ends");
    let text = std::fs::read_to_string(&file).expect("a result");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let datasets = &json["p.fut"]["datasets"];
    assert!(datasets["fast"]["runtimes"].is_array() && datasets["slow"].is_null(), "{text}");
}
