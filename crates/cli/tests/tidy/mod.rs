//! Conventions that a machine can check: which crate may use which (`layers`), what comes from outside (`supply`),
//! how large things become (`shape`, `pages`), that tests are run (`tests`), and how sources are written (here).

mod layers;
mod pages;
mod paths;
mod shape;
mod supply;
mod tests;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The crates in the order in which the workspace lists them.
fn crates_in_order() -> Vec<String> {
    read(&root().join("Cargo.toml"))
        .lines()
        .filter_map(|l| l.trim().strip_prefix("\"crates/")?.strip_suffix("\",").map(str::to_owned))
        .collect()
}

/// The crates that turn values into values, and touch nothing else.
const PURE: [&str; 17] = [
    "base", "data", "algebra", "lmad", "syntax", "check", "ir", "pass", "lower", "opt", "flatten", "kernels",
    "memory", "imp", "impgen", "impopt", "codegen",
];

/// What pure crates do without. `std::io` has traits, too, so only what comes from the process is here.
const IO: [&str; 19] = [
    "std::fs",
    "std::process",
    "std::net",
    "std::env",
    "std::thread",
    "std::time",
    "std::os",
    "println!",
    "print!(",
    "eprintln!",
    "eprint!(",
    "dbg!(",
    "stdin()",
    "stdout()",
    "stderr()",
    "File::open",
    "File::create",
    "Instant::now",
    "SystemTime",
];

/// Where a pure crate does so all the same: the crate, the words, and why.
const EXCEPTIONS: [(&str, &[&str], &str); 1] =
    [("pass", &["std::time", "Instant::now"], "the runner of all passes times them")];

#[test]
fn the_compiler_proper_does_no_io() {
    for name in PURE {
        let allowed = |word: &str| EXCEPTIONS.iter().any(|(n, words, _)| *n == name && words.contains(&word));
        for (file, code) in code_of(name) {
            for word in IO.iter().filter(|w| !allowed(w)) {
                assert!(!contains_word(&code, word), "{} uses {word}", file.display());
            }
        }
    }
}

/// These panic when a disk is full or a reader has gone; `fehu_tools::output` does not.
#[test]
fn commands_print_through_one_module() {
    for name in ["driver", "tools", "cli"] {
        for (file, code) in code_of(name) {
            if file.ends_with("tools/src/output.rs") {
                continue;
            }
            for word in ["println!", "print!(", "eprintln!", "eprint!("] {
                assert!(!contains_word(&code, word), "{} uses {word}; use outln! or errln!", file.display());
            }
        }
    }
}

#[test]
fn no_crate_has_unsafe_code() {
    for name in crates_in_order() {
        let src = root().join("crates").join(&name).join("src");
        let roots = ["lib.rs", "main.rs"].map(|f| src.join(f)).into_iter().filter(|f| f.exists());
        for file in roots {
            assert!(read(&file).contains("#![forbid(unsafe_code)]"), "{}", file.display());
        }
    }
}

/// What would otherwise be compiled again wherever it is used: the entry to new stack, and passes over
/// several representations.
#[test]
fn what_many_need_is_compiled_once() {
    for name in crates_in_order() {
        for (file, code) in code_of(&name) {
            let is_stack = file.ends_with("base/src/stack.rs");
            assert!(
                is_stack || !contains_word(&code, "stacker::"),
                "{}: use fehu_base::stack",
                file.display()
            );
            let constant = code.lines().find(|l| l.contains("const ") && l.contains(": Pass<"));
            assert!(constant.is_none(), "{}: make it a static, so that it is compiled here", file.display());
        }
    }
}

/// Half of the usual limit of this kind is a sign to split; this is the end.
const MAX_LINES: usize = 700;

#[test]
fn files_hold_one_idea() {
    for name in crates_in_order() {
        for folder in ["src", "tests"] {
            for file in sources(&root().join("crates").join(&name).join(folder)) {
                let lines = read(&file).lines().count();
                assert!(
                    lines <= MAX_LINES,
                    "{} has {lines} lines; split it along its concepts",
                    file.display()
                );
            }
        }
    }
}

/// The files of a crate without its tests, and their text without comments.
fn code_of(name: &str) -> Vec<(PathBuf, String)> {
    let files = sources(&root().join("crates").join(name).join("src")).into_iter();
    let tests =
        |file: &PathBuf| file.ends_with("tests.rs") || file.components().any(|c| c.as_os_str() == "tests");
    files
        .filter(|file| !tests(file))
        .map(|file| {
            let text = read(&file);
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
            let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
            let code = lines.collect::<Vec<_>>().join("\n");
            (file, code)
        })
        .collect()
}

/// Whether a word stands there, and not only as the end of a longer one: `println!` is not in `eprintln!`.
fn contains_word(code: &str, word: &str) -> bool {
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut out = vec![];
    let Ok(entries) = std::fs::read_dir(dir) else { return out };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    out.sort();
    out
}
