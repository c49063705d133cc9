//! The `git` command. All of git that is used here is: fetching into bare repositories, and reading objects from them.
//! Nothing is ever checked out, so neither hooks nor filters nor attributes of a repository have an effect.

use crate::error::Error;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Settings that keep git from asking questions, running programs and waiting for ever.
const SETTINGS: [&str; 10] = [
    "core.hooksPath=/dev/null",
    "protocol.ext.allow=never",
    "fetch.recurseSubmodules=false",
    // What comes is one file, whose size can be limited, and large objects in it are not unpacked in memory.
    "fetch.unpackLimit=1",
    "core.bigFileThreshold=16m",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
    "advice.detachedHead=false",
];

/// A git command in a repository.
pub(crate) fn command(repository: &Path, args: &[&str]) -> Command {
    let mut git = Command::new("git");
    // Variables of a git that runs us, as in a hook, are about another repository.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"] {
        git.env_remove(variable);
    }
    git.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").stdin(Stdio::null());
    for setting in SETTINGS {
        git.args(["-c", setting]);
    }
    git.arg("--git-dir").arg(repository).args(args);
    git
}

/// Runs a command that should succeed; its output.
pub(crate) fn run(repository: &Path, args: &[&str]) -> Result<String, Error> {
    let done = output(repository, args)?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    Err(refused(args.first().unwrap_or(&""), &String::from_utf8_lossy(&done.stderr)))
}

/// Runs a command that may fail; `None` if it did.
pub(crate) fn try_run(repository: &Path, args: &[&str]) -> Result<Option<String>, Error> {
    let done = output(repository, args)?;
    Ok(done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned()))
}

/// Runs a command whose output may not be larger than this.
pub(crate) fn run_limited(
    repository: &Path,
    args: &[&str],
    max_bytes: u64,
) -> Result<Option<Vec<u8>>, Error> {
    let mut child = command(repository, args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| failed(&e))?;
    let mut bytes = vec![];
    if let Some(out) = child.stdout.take() {
        out.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
    }
    let done = child.wait().map_err(|e| failed(&e))?;
    Ok((done.success() && bytes.len() as u64 <= max_bytes).then_some(bytes))
}

/// Fetches, unless more than this comes.
///
/// No setting of git limits that. The system does: no file that git or a program of git's writes can be
/// larger. `ulimit` sets that for a process and all that it starts, and is part of every shell; it counts
/// blocks of 512 bytes.
pub(crate) fn fetch(repository: &Path, args: &[&str], max_bytes: u64) -> Result<(), Error> {
    let git = command(repository, &[&["fetch"], args].concat());
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f \"$0\" && exec \"$@\"", &(max_bytes / 512).to_string()]);
    shell.arg(git.get_program()).args(git.get_args()).stdin(Stdio::null());
    for (name, value) in git.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let done = shell.output().map_err(|e| failed(&e))?;
    if done.status.success() {
        return Ok(());
    }
    // What was written until then is of no use, but says why it ended.
    if remove_unfinished(&repository.join("objects/pack")) >= max_bytes / 512 * 512 {
        return Err(Error::new(format!("it has more than {} MiB", max_bytes >> 20)));
    }
    Err(refused("fetch", &String::from_utf8_lossy(&done.stderr)))
}

/// Removes files that git has not finished; the size of the largest.
fn remove_unfinished(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let unfinished = files.filter(|file| file.file_name().to_string_lossy().starts_with("tmp_"));
    let sizes = unfinished.map(|file| {
        let size = file.metadata().map_or(0, |m| m.len());
        // Another process may have removed it.
        let _ = std::fs::remove_file(file.path());
        size
    });
    sizes.max().unwrap_or(0)
}

fn refused(what: &str, said: &str) -> Error {
    let reason: Vec<&str> = said.lines().filter(|l| !l.trim().is_empty()).take(5).collect();
    Error::new(format!("git {what} failed: {}", reason.join("; ")))
}

fn output(repository: &Path, args: &[&str]) -> Result<Output, Error> {
    command(repository, args).output().map_err(|e| failed(&e))
}

/// What to say if git does not even start.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
pub(crate) fn failed(e: &std::io::Error) -> Error {
    match e.kind() {
        std::io::ErrorKind::NotFound => Error::new("packages are fetched with git, which is not installed"),
        _ => Error::new(format!("could not run git: {e}")),
    }
}
