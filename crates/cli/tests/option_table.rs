//! `docs/commands.md` says which of Futhark's commands are there, what those with a manual print for
//! `--help`, and which options of the manuals are missing. `FEHU_BLESS=1 cargo test -p fehu-cli --test suite
//! option_table` writes it anew.

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

const COMMANDS: [Documented; 23] = [
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
    Documented { command: "check", manual: &["-w", "--Werror"], missing: &[] },
    Documented { command: "repl", manual: &["-h", "-V"], missing: &[] },
    Documented { command: "lsp", manual: &[], missing: &[] },
    Documented { command: "pkg", manual: &[], missing: &[] },
    Documented { command: "query", manual: &[], missing: &[] },
    Documented { command: "hash", manual: &[], missing: &[] },
];

/// The commands of `futhark pkg`.
const PKG: [&str; 9] = ["add", "check", "create", "fmt", "init", "remove", "sync", "upgrade", "versions"];

/// What the manuals say of the executables of all back ends.
const EXECUTABLE: &[&str] = &[
    "-b",
    "--binary-output",
    "--cache-file",
    "-D",
    "--debugging",
    "-e",
    "--entry-point",
    "-h",
    "--help",
    "-L",
    "--log",
    "-n",
    "--no-print-result",
    "--param",
    "-P",
    "--profile",
    "--print-params",
    "-r",
    "--runs",
    "-t",
    "--write-runtime-to",
    "--tuning",
];

/// What they say of those of GPUs.
const GPU_EXECUTABLE: &[&str] = &[
    "--default-group-size",
    "--default-num-groups",
    "--default-num-thread-blocks",
    "--default-thread-block-size",
    "--default-threshold",
    "--default-tile-size",
];

/// The options of the executables of each back end.
const EXECUTABLES: [Executable; 4] = [
    Executable { command: "c", manual: &[EXECUTABLE] },
    Executable { command: "multicore", manual: &[EXECUTABLE, &["--num-threads"]] },
    Executable {
        command: "opencl",
        manual: &[
            EXECUTABLE,
            GPU_EXECUTABLE,
            &[
                "-d",
                "--device",
                "-p",
                "--platform",
                "--list-devices",
                "--build-option",
                "--dump-opencl",
                "--dump-opencl-binary",
                "--load-opencl",
                "--load-opencl-binary",
            ],
        ],
    },
    Executable {
        command: "cuda",
        manual: &[
            EXECUTABLE,
            GPU_EXECUTABLE,
            &["--nvrtc-option", "--dump-cuda", "--dump-ptx", "--load-cuda", "--load-ptx"],
        ],
    },
];

/// A back end, and what the manual says of its executables: nothing is missing.
struct Executable {
    command: &'static str,
    manual: &'static [&'static [&'static str]],
}

const OPENING: &str = "# Commands

Which commands of Futhark's compiler there are, and then what `fehu COMMAND --help` lists for those with a manual; a test keeps this
true (`crates/cli/tests/option_table.rs`). The options are those of the manual, and a few more; what is missing of the manual is said
below each table. The manual of the C back end has `-W` where the compiler has `-w`; so has ours.

EXIT CODES

| command of Futhark | fehu |
| --- | --- |
";

const EXECUTABLES_OPENING: &str = "
# Executables

What `--help` of a program lists that a back end has compiled; all options of the manuals are there.
";

#[test]
fn the_tables_are_what_the_commands_print() {
    let mut fehu = Command::new(env!("CARGO_BIN_EXE_fehu"));
    let whole = fehu.arg("--help").env("COLUMNS", "100000").output().expect("fehu runs");
    let codes = String::from_utf8_lossy(&whole.stdout).into_owned();
    let codes = codes.lines().find(|line| line.starts_with("Exit codes")).expect("exit codes are explained");
    let mut text = OPENING.replace("EXIT CODES", codes);
    for command in crate::commands::futhark::FUTHARK {
        text += &format!("| `{command}` | {} |\n", about(command).replace('|', "\\|"));
    }
    text += "\nAnd those that only fehu has:\n\n| command | what it does |\n| --- | --- |\n";
    for (command, about) in own_commands() {
        text += &format!("| `{command}` | {about} |\n");
    }
    for documented in &COMMANDS {
        text += &section(documented);
    }
    text += EXECUTABLES_OPENING;
    let dir = tempfile::tempdir().expect("a temporary folder");
    for executable in &EXECUTABLES {
        text += &executable_section(executable, dir.path());
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    if std::env::var_os("FEHU_BLESS").is_some() {
        std::fs::write(&file, &text).expect("docs/commands.md is written");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == text, "docs/commands.md is not what the commands say; FEHU_BLESS=1 writes it anew");
}

/// What `fehu COMMAND -h` prints, in lines that are as long as they are: what each option does is on its line.
fn help(command: &str) -> std::process::Output {
    let mut fehu = Command::new(env!("CARGO_BIN_EXE_fehu"));
    fehu.args([command, "-h"]).env("COLUMNS", "100000").output().expect("fehu runs")
}

/// The commands that Futhark's compiler has not, and what they do.
fn own_commands() -> Vec<(String, String)> {
    let mut fehu = Command::new(env!("CARGO_BIN_EXE_fehu"));
    let output = fehu.arg("--help").env("COLUMNS", "100000").output().expect("fehu runs");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let listed = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let split = listed.filter_map(|l| l.trim().split_once("  "));
    let own = split.filter(|(c, _)| *c != "help" && !crate::commands::futhark::FUTHARK.contains(c));
    let own: Vec<_> = own.map(|(c, about)| (c.to_owned(), about.trim().to_owned())).collect();
    assert!(own.iter().any(|(c, _)| c == "new"), "{own:?}");
    own
}

/// What a command does, or why it is missing.
fn about(command: &str) -> String {
    let output = help(command);
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

/// The options that a help lists. What they do stands behind them, or in the next line.
fn options(help: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = help.lines().collect();
    let following =
        |i: usize| lines.get(i + 1).map_or(String::new(), |l| l.trim().trim_end_matches('.').to_owned());
    let found = lines.iter().enumerate().filter_map(|(i, l)| Some((i, option(l)?)));
    found.map(|(i, (names, what))| (names, if what.is_empty() { following(i) } else { what })).collect()
}

/// The text about a command.
fn section(documented: &Documented) -> String {
    let Documented { command, manual, missing } = documented;
    let output = help(command);
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    // What follows are examples.
    let options = options(help.split("\nExamples:").next().unwrap_or_default());
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

/// The text about the executables of a back end.
fn executable_section(executable: &Executable, dir: &Path) -> String {
    let Executable { command, manual } = executable;
    let (source, program) = (dir.join("p.fut"), dir.join(command));
    std::fs::write(&source, "entry main (x: i32) = x\n").expect("written");
    let mut fehu = Command::new(env!("CARGO_BIN_EXE_fehu"));
    fehu.env("CFLAGS", "-O0 -std=c11");
    let compiled = fehu.arg(command).arg(&source).arg("-o").arg(&program).output().expect("fehu runs");
    assert!(compiled.status.success(), "{command}: {}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).arg("--help").output().expect("the program runs");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut text =
        format!("\n## Executables of fehu {command}\n\n| option | what it does |\n| --- | --- |\n");
    let mut names = vec![];
    for line in help.lines().filter_map(|l| l.strip_prefix("  -")) {
        // `-t/--write-runtime-to FILE   What it does`: sentences begin with a capital.
        let end = line.match_indices(' ').map(|(i, _)| i).find(|i| {
            let mut rest = line[i + 1..].trim_start().chars();
            rest.next().is_some_and(char::is_uppercase) && rest.next().is_some_and(|c| !c.is_uppercase())
        });
        let (option, what) = line.split_at(end.unwrap_or(line.len()));
        let option = option.trim().replace('/', ", ");
        names.extend(format!("-{option}").split(", ").map(|n| n.split(' ').next().unwrap_or(n).to_owned()));
        text += &format!("| `-{option}` | {} |\n", what.trim().trim_end_matches('.').replace('|', "\\|"));
    }
    for name in manual.iter().copied().flatten() {
        assert!(names.iter().any(|n| n == name), "executables of {command}: {name} is missing");
    }
    text
}

#[test]
fn all_commands_of_pkg_are_there() {
    for command in PKG {
        let mut fehu = Command::new(env!("CARGO_BIN_EXE_fehu"));
        let output = fehu.args(["pkg", command, "--help"]).output().expect("fehu runs");
        assert!(output.status.success(), "fehu pkg {command}");
    }
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
