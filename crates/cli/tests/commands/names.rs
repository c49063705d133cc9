//! Names of commands: all of Futhark's are known, and so are versions, completions and manual pages.

use super::futhark::FUTHARK;
use super::{run, stderr, stdout};

#[test]
fn commands_of_futhark_exist_or_say_that_they_do_not() {
    for command in FUTHARK {
        let done = run(&[command, "--help"]);
        let said = stderr(&done);
        if !done.status.success() {
            assert_eq!(done.status.code(), Some(2), "{command}");
            assert!(said.starts_with(&format!("fehu: `{command}` is a command of Futhark")), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
}

#[test]
fn commands_that_nobody_has_get_a_tip() {
    let done = run(&["chekc"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(stderr(&done).contains("unrecognized subcommand"));
}

#[test]
fn editors_accept_the_version() {
    for option in ["-V", "--version"] {
        let done = run(&[option]);
        assert!(done.status.success());
        let text = stdout(&done);
        // The first number of the first line is what they compare.
        let first = text.lines().next().unwrap_or("");
        let number = first.split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(number, Some("0.28.0"), "{text}");
        assert!(text.contains(env!("CARGO_PKG_VERSION")), "{text}");
    }
    assert!(run(&["check", "-V"]).status.success());
}

#[test]
fn shells_accept_the_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = run(&["completions", shell]);
        assert!(done.status.success(), "{shell}");
        assert!(stdout(&done).contains("check-syntax"), "{shell}");
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let script = super::program(dir.path(), "fehu.bash", &stdout(&run(&["completions", "bash"])));
    let line = format!(
        "source '{}' && COMP_WORDS=(fehu che) COMP_CWORD=1 && _fehu fehu che fehu && echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let completed = std::process::Command::new("bash").args(["-c", &line]).output().expect("bash runs");
    assert_eq!(stdout(&completed).trim(), "check check-syntax", "{}", stderr(&completed));
}

#[test]
fn every_command_has_a_manual_page() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path().display().to_string();
    assert!(run(&["man", &folder]).status.success());
    let help = stdout(&run(&["--help"]));
    let commands = help.split("Commands:").nth(1).and_then(|t| t.split("Options:").next()).unwrap_or("");
    let mut seen = 0;
    for line in commands.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   ")) {
        let command = line.split_whitespace().next().unwrap_or("");
        if command == "help" {
            continue;
        }
        let page = std::fs::read_to_string(dir.path().join(format!("fehu-{command}.1")));
        let page = page.unwrap_or_else(|e| panic!("{command}: {e}"));
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{command}");
        seen += 1;
    }
    assert!(seen > 20, "{help}");
    assert!(dir.path().join("fehu.1").exists());
}

#[test]
fn thanks() {
    assert!(run(&["thanks"]).status.success());
}
