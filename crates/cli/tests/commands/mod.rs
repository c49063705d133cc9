//! The command line as people and scripts use it.

mod both;
mod cache;
mod deterministic;
mod doc;
mod evaluate;
mod explain;
mod fmt;
pub(crate) mod futhark;
mod interrupts;
mod json;
mod limits;
mod literate;
mod lsp;
mod names;
mod pkg;
mod profile;
mod projects;
mod shown;
mod streams;
mod writing;

use crate::quick_cc::quick_cc;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn fehu() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
    quick_cc(&mut command);
    command
}

fn run<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Output {
    fehu().args(args).output().expect("fehu runs")
}

fn stdout(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn stderr(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// Writes a program into a folder.
fn program(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, text).expect("written");
    path
}
