//! The README and the pages of the guide hold what they promise: their commands run as they stand, in order,
//! in a folder that has what a clone has, and print what is said; their links lead somewhere; commands exist.
//! So do the examples.
//!
//! A block marked `sh` is run. A block marked `text` after it is what it prints; without one, it prints
//! nothing. One marked `console` needs a GPU or other computers, and is not run.
//!
//! Pages of the tour of which there is a program are what `fehu literate` makes of it. `FEHU_BLESS=1` writes
//! them, their pictures, and what commands of other pages print.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root of the repository")
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("there is a README")
}

/// The files of a folder.
fn files_of(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder").flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    files.sort();
    files
}

/// The pages that people read first and that people write: the file of each, and its text.
fn pages() -> Vec<(PathBuf, String)> {
    let is_written =
        |path: &PathBuf| path.extension().is_some_and(|e| e == "md") && !path.with_extension("fut").exists();
    let mut files: Vec<PathBuf> = ["docs/guide", "docs/tour"].into_iter().flat_map(files_of).collect();
    files.retain(is_written);
    assert!(files.len() >= 12, "{files:?}");
    files.push(root().join("README.md"));
    let page = |f: PathBuf| {
        let text = std::fs::read_to_string(&f).expect("a page");
        (f, text)
    };
    files.into_iter().map(page).collect()
}

/// The code blocks: what each is marked with, and its text.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut found = vec![];
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(mark), None) => open = Some((mark.to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some((_, text))) => *text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}

/// A folder with the examples, and with the commands that the README uses: `fehu` is the one under test, and `cargo`
/// runs it instead of building everything again.
fn clone() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let put = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, executable).expect("executable");
    };
    for folder in ["bin", "examples"] {
        std::fs::create_dir(dir.path().join(folder)).expect("a folder");
    }
    for entry in std::fs::read_dir(root().join("examples")).expect("there are examples").flatten() {
        let to = dir.path().join("examples").join(entry.file_name());
        std::fs::copy(entry.path(), to).expect("copied");
    }
    let fehu = env!("CARGO_BIN_EXE_fehu");
    put("bin/fehu", &format!("#!/bin/sh\nexec '{fehu}' \"$@\"\n"));
    put(
        "bin/cargo",
        &format!(
            "#!/bin/sh\ncase \"$*\" in\n\
             'run --release --bin fehu -- '*) shift 5; exec '{fehu}' \"$@\";;\n\
             'install --locked --path '*) grep -q 'name = \"fehu\"' '{}'/\"$4\"/Cargo.toml;;\n\
             *) echo \"the README uses cargo in a new way: $*\" >&2; exit 1;;\nesac\n",
            root().display()
        ),
    );
    put("test", "#!/bin/sh\n");
    dir
}

#[test]
fn the_commands_run_and_print_what_is_said() {
    let commands = blocks(&readme()).iter().filter(|(mark, _)| mark == "sh").count();
    assert!(commands >= 3, "the README has commands");
    for (file, page) in pages() {
        runs(&file, &page);
    }
}

/// Runs the commands of a page, and compares what they print.
fn runs(file: &Path, page: &str) {
    let dir = clone();
    let path = format!("{}:{}", dir.path().join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut printed: Option<(String, String)> = None;
    let mut blessed = page.to_owned();
    for (mark, text) in blocks(page) {
        match mark.as_str() {
            "sh" => {
                quiet(printed.take());
                let run = Command::new("bash")
                    .args(["-euo", "pipefail", "-c", &text])
                    .current_dir(dir.path())
                    .env("PATH", &path)
                    .env("HOME", dir.path())
                    .env_remove("XDG_CACHE_HOME")
                    .output()
                    .expect("bash runs");
                let stderr = String::from_utf8_lossy(&run.stderr);
                assert!(run.status.success(), "{}: {text}\nfailed: {stderr}", file.display());
                assert_eq!(stderr, "", "{}: {text}", file.display());
                // How far a test is depends on the machine.
                let said = String::from_utf8_lossy(&run.stdout);
                let said = said.split_inclusive('\n').filter(|line| !line.ends_with(" to go.\n"));
                printed = Some((text, said.collect()));
            }
            "text" => {
                let (command, output) = printed.take().expect("output of a command");
                if blesses() {
                    let block = |text: &str| format!("```sh\n{command}```\n\n```text\n{text}```\n");
                    blessed = blessed.replace(&block(&text), &block(&output));
                } else {
                    assert_eq!(output, text, "{}: {command}", file.display());
                }
            }
            "futhark" | "console" | "json" => {}
            _ => panic!(
                "a block is marked `{mark}`; use sh for commands that are run, text for what they print"
            ),
        }
    }
    quiet(printed);
    if blessed != page {
        std::fs::write(file, blessed).expect("the page is written");
    }
}

/// A command of which the page does not say what it prints.
fn quiet(printed: Option<(String, String)>) {
    if let Some((command, output)) = printed {
        assert_eq!(output, "", "the page does not show what is printed by {command}");
    }
}

fn blesses() -> bool {
    std::env::var_os("FEHU_BLESS").is_some()
}

/// The programs of the tour: each page is what its program gives, with its pictures.
#[test]
fn the_tour_is_what_its_programs_give() {
    let programs: Vec<PathBuf> =
        files_of("docs/tour").into_iter().filter(|f| f.extension().is_some_and(|e| e == "fut")).collect();
    assert!(programs.len() >= 8, "{programs:?}");
    let dir = tempfile::tempdir().expect("a temporary folder");
    for program in programs {
        let output = dir.path().join(program.with_extension("md").file_name().expect("a name"));
        let run = Command::new(env!("CARGO_BIN_EXE_fehu"))
            .args(["literate", "--stop-on-error", "-o"])
            .args([&output, &program])
            .env("HOME", dir.path())
            .output()
            .expect("fehu runs");
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success() && stderr.is_empty(), "{}: {stderr}", program.display());
        same_file(&output, &program.with_extension("md"));
        let pictures = output
            .with_extension("")
            .with_file_name(format!("{}-img", output.file_stem().expect("a name").to_string_lossy()));
        for picture in std::fs::read_dir(&pictures).into_iter().flatten().flatten() {
            let name = picture.file_name().to_string_lossy().into_owned();
            // Others have the hash of what they were made from.
            if name.ends_with(".sum") || name.ends_with("-eval.txt") {
                continue;
            }
            let folder = program.with_file_name(pictures.file_name().expect("a name"));
            same_file(&picture.path(), &folder.join(name));
        }
    }
}

/// A file that was made is the one that is there.
#[track_caller]
fn same_file(made: &Path, there: &Path) {
    let made = std::fs::read(made).expect("a file");
    if blesses() {
        std::fs::create_dir_all(there.parent().expect("a folder")).expect("the folder is made");
        std::fs::write(there, &made).expect("the file is written");
    }
    let found = std::fs::read(there).unwrap_or_default();
    assert!(
        found == made,
        "{} is not what its program gives; FEHU_BLESS=1 writes it:\n{}",
        there.display(),
        String::from_utf8_lossy(&made)
    );
}

#[test]
fn programs_that_are_shown_are_the_examples() {
    for (mark, text) in pages().iter().flat_map(|(_, page)| blocks(page)) {
        if mark != "futhark" {
            continue;
        }
        let (first, code) = text.split_once('\n').expect("a line that names the file");
        let name = first.strip_prefix("-- ").expect("a comment that names the file");
        let file = std::fs::read_to_string(root().join(name)).expect("the file is there");
        assert!(file.contains(code), "{name} has other text than the README shows");
    }
}

#[test]
fn links_lead_somewhere() {
    for (file, page) in pages() {
        let folder = file.parent().expect("a folder");
        for piece in page.split("](").skip(1) {
            let target = piece.split([')', '#']).next().unwrap_or("");
            assert!(
                target.starts_with("https://") || folder.join(target).exists(),
                "{target} is not in the repository"
            );
        }
    }
}

#[test]
fn its_table_names_commands_that_exist() {
    let text = readme();
    let rows: Vec<&str> =
        text.lines().filter_map(|l| l.strip_prefix("| `fehu ")).flat_map(|l| l.split('`').next()).collect();
    assert!(rows.len() > 8, "{rows:?}");
    for row in rows {
        let command = row.split_whitespace().next().unwrap_or("");
        let help = Command::new(env!("CARGO_BIN_EXE_fehu")).args([command, "--help"]).output();
        assert!(help.is_ok_and(|h| h.status.success()), "fehu {command}");
    }
}
