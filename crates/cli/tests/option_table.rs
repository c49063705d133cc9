//! `docs/commands.md` says which of Futhark's commands are there, what those with a manual print for `--help`, and which
//! options of the manuals are missing. `FEHU_BLESS=1 cargo test -p fehu-cli --test option_table` writes it anew.

#[path = "commands/futhark.rs"]
mod futhark;

use std::path::Path;
use std::process::Command;

/// A command and the options that Futhark's manual has for it.
struct Documented {
    command: &'static str,
    manual: &'static [&'static str],
    /// Options of the manual that are missing, and why.
    missing: &'static [(&'static str, &'static str)],
}

/// The options of the manuals of all back ends.
const COMPILER: &[&str] =
    &["-h", "--entry-point", "--library", "-o", "--safe", "--server", "-v", "-V", "-w", "--Werror"];

const COMMANDS: [Documented; 17] = [
    Documented { command: "c", manual: COMPILER, missing: &[] },
    Documented { command: "multicore", manual: COMPILER, missing: &[] },
    Documented { command: "opencl", manual: COMPILER, missing: &[] },
    Documented { command: "cuda", manual: COMPILER, missing: &[] },
    Documented { command: "run", manual: &["-e", "-h", "-V", "-w", "--no-warnings"], missing: &[] },
    Documented {
        command: "eval",
        manual: &["-f", "--file", "-h", "-w", "--no-warnings", "-V"],
        missing: &[],
    },
    Documented { command: "doc", manual: &["-h", "-o", "-v", "--verbose", "-V"], missing: &[] },
    Documented { command: "fmt", manual: &["--check", "-h", "-V"], missing: &[] },
    Documented {
        command: "test",
        manual: &[
            "--backend",
            "--cache-extension",
            "-c",
            "-C",
            "--concurrency",
            "--entry-point",
            "--exclude",
            "-i",
            "-I",
            "-t",
            "-s",
            "--seed",
            "--futhark",
            "--no-terminal",
            "--no-tuning",
            "--pass-option",
            "--pass-compiler-option",
            "--runner",
            "--tuning",
        ],
        missing: &[],
    },
    Documented {
        command: "bench",
        manual: &[
            "--backend",
            "--cache-extension",
            "--concurrency",
            "--convergence-max-seconds",
            "--entry-point",
            "--exclude-case",
            "--futhark",
            "--ignore-files",
            "--json",
            "--no-tuning",
            "--no-convergence-phase",
            "--pass-option",
            "--pass-compiler-option",
            "--profile",
            "--runner",
            "--runs",
            "--skip-compilation",
            "--spec-file",
            "--timeout",
            "-v",
            "--verbose",
            "--tuning",
        ],
        missing: &[],
    },
    Documented { command: "benchcmp", manual: &["--sort-by", "--order"], missing: &[] },
    Documented {
        command: "autotune",
        manual: &[
            "--backend",
            "--futhark",
            "--pass-option",
            "--runs",
            "-v",
            "--verbose",
            "--skip-compilation",
            "--spec-file",
            "--tuning",
            "--timeout",
        ],
        missing: &[],
    },
    Documented { command: "profile", manual: &[], missing: &[] },
    Documented {
        command: "script",
        manual: &[
            "--backend",
            "-b",
            "--binary",
            "-D",
            "--debug",
            "-e",
            "--expression",
            "--futhark",
            "-f",
            "--file",
            "-L",
            "--log",
            "--pass-option",
            "--pass-compiler-option",
            "--skip-compilation",
            "-v",
            "--verbose",
        ],
        missing: &[],
    },
    Documented {
        command: "literate",
        manual: &[
            "--backend",
            "--futhark",
            "--output",
            "--pass-option",
            "--pass-compiler-option",
            "--skip-compilation",
            "--stop-on-error",
            "-v",
            "--verbose",
        ],
        missing: &[],
    },
    Documented {
        command: "dataset",
        manual: &["-b", "--binary", "-g", "--generate", "-s", "--T-bounds", "--text", "-t", "--type"],
        missing: &[],
    },
    Documented { command: "datacmp", manual: &[], missing: &[] },
];

const OPENING: &str = "# Commands

Which commands of Futhark's compiler there are, and then what `fehu COMMAND --help` lists for those with a manual; a test keeps this
true (`crates/cli/tests/option_table.rs`). The options are those of the manual, and a few more; what is missing of the manual is said
below each table.

| command of Futhark | fehu |
| --- | --- |
";

#[test]
fn the_tables_are_what_the_commands_print() {
    let mut text = OPENING.to_owned();
    for command in futhark::FUTHARK {
        text += &format!("| `{command}` | {} |\n", about(command).replace('|', "\\|"));
    }
    for documented in &COMMANDS {
        text += &section(documented);
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    if std::env::var_os("FEHU_BLESS").is_some() {
        std::fs::write(&file, &text).expect("docs/commands.md is written");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == text, "docs/commands.md is not what the commands say; FEHU_BLESS=1 writes it anew");
}

/// What a command does, or why it is missing.
fn about(command: &str) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_fehu")).args([command, "--help"]).output().expect("fehu runs");
    let first = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().to_owned();
    match output.status.success() {
        true => first(&output.stdout).trim_end_matches('.').to_owned(),
        false => {
            let said = first(&output.stderr);
            let instead = said.split_once("; ").map(|(_, instead)| format!(": {instead}"));
            format!("missing{}", instead.unwrap_or_default())
        }
    }
}

/// The text about a command.
fn section(documented: &Documented) -> String {
    let Documented { command, manual, missing } = documented;
    let output =
        Command::new(env!("CARGO_BIN_EXE_fehu")).args([command, "--help"]).output().expect("fehu runs");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let options: Vec<(String, String)> = help.lines().filter_map(option).collect();
    let about = help.lines().next().unwrap_or_default().trim_end_matches('.');
    let mut text = format!("\n## fehu {command}\n\n{about}.\n\n| option | what it does |\n| --- | --- |\n");
    for (names, what) in &options {
        text += &format!("| `{names}` | {} |\n", what.replace('|', "\\|"));
    }
    let has = |name: &str| {
        let is = |part: &str| part.split([' ', '=', '.']).next() == Some(name);
        options.iter().any(|(names, what)| names.split(", ").any(is) || aliases(what).any(|a| a == name))
    };
    for name in *manual {
        let reason = missing.iter().find(|(n, _)| n == name);
        assert!(
            has(name) != reason.is_some(),
            "{command}: {name} is missing without a reason, or is there with one"
        );
    }
    for (name, why) in *missing {
        text += &format!("\nMissing: `{name}`. {why}\n");
    }
    text
}

/// The names and the description in a line of a help text.
fn option(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix("  ")?.trim_start();
    if !rest.starts_with('-') || line.starts_with("          ") {
        return None;
    }
    let (names, what) = rest.split_once("  ").unwrap_or((rest, ""));
    Some((names.trim().to_owned(), what.trim().to_owned()))
}

/// Other names of an option, which its description ends with.
fn aliases(what: &str) -> impl Iterator<Item = &str> {
    let list =
        what.split_once("[alias").and_then(|(_, rest)| rest.split_once(": ")).map_or("", |(_, list)| list);
    list.trim_end_matches(']').split(", ").map(|a| a.split(']').next().unwrap_or(a))
}
