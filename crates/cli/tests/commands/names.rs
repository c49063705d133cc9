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
fn unknown_commands_get_a_tip() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    super::program(dir.path(), "prog.fut", "entry main = 1i32\n");
    let cases = [
        ("chekc", "there is a command `check`"),
        ("bnech", "there is a command `bench`"),
        ("build", "`fehu c prog.fut`"),
        ("biuld", "`fehu c prog.fut`"),
        ("init", "`fehu new NAME`"),
        ("format", "`fehu fmt`"),
        ("install", "`fehu pkg add PKGPATH`"),
        ("x.fut", "`fehu run x.fut` runs the program"),
        ("prog", "`fehu run prog.fut` runs the program"),
        (".", "`fehu check .`"),
    ];
    for (word, tip) in cases {
        let done = super::fehu().arg(word).current_dir(dir.path()).output().expect("fehu runs");
        let said = stderr(&done);
        assert_eq!(done.status.code(), Some(2), "{word}");
        assert!(said.contains("unrecognized subcommand") && said.contains("tip: "), "{word}: {said}");
        assert!(said.contains(tip), "{word}: {said}");
    }
    let done = run(&["frobnicate"]);
    assert!(!stderr(&done).contains("tip: "), "{}", stderr(&done));
}

/// All commands that help lists, and those of `pkg`.
fn commands() -> Vec<Vec<String>> {
    let listed = |words: &[&str]| -> Vec<String> {
        let help = stdout(&run(&[words, &["--help"]].concat()));
        let part = help.split("Commands:").nth(1).and_then(|t| t.split("Options:").next()).unwrap_or("");
        let lines = part.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
        lines
            .filter_map(|l| l.split_whitespace().next())
            .filter(|c| *c != "help")
            .map(str::to_owned)
            .collect()
    };
    let mut all: Vec<Vec<String>> = listed(&[]).into_iter().map(|c| vec![c]).collect();
    all.extend(listed(&["pkg"]).into_iter().map(|c| vec!["pkg".to_owned(), c]));
    assert!(all.len() > 40, "{all:?}");
    all
}

fn help(command: &[String], columns: &str) -> String {
    let mut fehu = super::fehu();
    stdout(&fehu.args(command).arg("--help").env("COLUMNS", columns).output().expect("fehu runs"))
}

#[test]
fn every_help_has_an_example_that_exists() {
    let all = commands();
    for command in &all {
        let text = help(command, "100000");
        let examples = text.split("\nExamples:\n").nth(1).unwrap_or_default();
        let name = format!("fehu {}", command.join(" "));
        let lines: Vec<&str> = examples.lines().take_while(|l| l.starts_with("  ")).collect();
        assert!(lines.iter().any(|l| l.contains(&name)), "{name}: {text}");
        // What is after a comment or a pipe may be anything.
        for line in lines.iter().filter_map(|l| l.trim().strip_prefix("fehu ")) {
            let words: Vec<&str> = line.split(['#', '|', '>', '<']).next().unwrap_or("").split(' ').collect();
            let meant = if words[0] == "pkg" && words.len() > 1 { &words[..2] } else { &words[..1] };
            let meant: Vec<String> = meant.iter().map(|w| (*w).to_owned()).collect();
            assert!(meant[0] == "help" || all.contains(&meant), "{name}: {line}");
            let help = help(&meant, "100000");
            for option in words.iter().filter(|w| w.len() > 1 && w.starts_with('-')) {
                let option = option.split('=').next().unwrap_or(option);
                let bounds = option.ends_with("-bounds") && help.contains("--T-bounds");
                assert!(help.contains(option) || bounds, "{name}: there is no {option}: {line}");
            }
        }
    }
}

#[test]
fn help_is_wrapped_between_words() {
    for command in commands() {
        let (wide, narrow) = (help(&command, "100000"), help(&command, "60"));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&wide), words(&narrow), "{command:?}: a word is broken");
        for line in narrow.lines().filter(|l| l.chars().count() > 60) {
            // A word that is longer than a line is not broken.
            let longest = line.split_whitespace().map(|w| w.chars().count()).max().unwrap_or(0);
            assert!(longest > 40 || line.contains("fehu "), "{command:?}: {line}");
        }
    }
}

#[test]
fn exit_codes_are_explained() {
    let text = stdout(&run(&["--help"]));
    let codes = text.split("Exit codes of all commands:").nth(1).expect("exit codes");
    for code in ["0 if", "1 if", "2 if", "3 for", "141"] {
        assert!(codes.replace('\n', " ").contains(code), "{code}: {codes}");
    }
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
        assert!(stdout(&done).contains("COMPLETE"), "{shell}");
    }
}

/// What bash would offer for a command line whose last word is under the cursor.
fn completed(folder: &std::path::Path, line: &[&str]) -> Vec<String> {
    let script = super::program(folder, "fehu.bash", &stdout(&run(&["completions", "bash"])));
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_fehu"));
    let path = format!(
        "{}:{}",
        binary.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let (words, last) = (line.iter().map(|w| format!("'{w}'")).collect::<Vec<_>>().join(" "), line.len() - 1);
    let asked = format!(
        "source '{}' && COMP_WORDS=({words}) COMP_CWORD={last} COMP_TYPE=9 && \
         _clap_complete_fehu fehu '{}' x && printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        line[last]
    );
    let mut bash = std::process::Command::new("bash");
    let done = bash.args(["-c", &asked]).current_dir(folder).env("PATH", path).output().expect("bash runs");
    stdout(&done).lines().map(str::to_owned).collect()
}

#[test]
fn shells_complete_names_and_files() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    super::program(dir.path(), "prog.fut", "entry main = 1i32\n");
    super::program(dir.path(), "notes.txt", "");
    std::fs::create_dir(dir.path().join("sub")).expect("made");
    let completed = |line: &[&str]| completed(dir.path(), line);
    assert_eq!(completed(&["fehu", "che"]), ["check", "check-syntax"]);
    assert_eq!(completed(&["fehu", "run", "p"]), ["prog.fut"]);
    let all = completed(&["fehu", "test", ""]);
    let has = |name: &str| all.iter().any(|c| c == name);
    assert!(has("prog.fut") && has("sub/") && !has("notes.txt"), "{all:?}");
    for command in ["bench", "test", "script", "literate", "autotune", "dev"] {
        let backends = completed(&["fehu", command, "--backend", ""]);
        assert_eq!(backends, ["c", "multicore", "opencl", "cuda"], "{command}");
    }
    assert!(completed(&["fehu", "c", "--skip-pass", "fus"]).contains(&"fusion".to_owned()));
    assert!(completed(&["fehu", "dev", "--after", "low"]).contains(&"lower".to_owned()));
    assert_eq!(completed(&["fehu", "explain", "use-"]), ["use-after-consume"]);
    assert_eq!(completed(&["fehu", "pkg", "add", "github.com/diku-dk/so"]).len(), 2);
    assert!(completed(&["fehu", "dataset", "--gen"]).contains(&"--generate".to_owned()));
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
