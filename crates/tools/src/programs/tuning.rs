//! Tuning files: beside a program, with the values of its tuning parameters.
//!
//! A program tuned for one back end is also compiled for others, which do not
//! know its parameters. What a program does not know is therefore left out; a
//! file that cannot be read at all goes to the program as it is, which says why.

use super::server::reachable;
use fehu_driver::files::start_when_closed;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a program is tuned.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Tuned {
    /// Options for the program.
    pub(crate) options: Vec<String>,
    /// The tuning file that they come from.
    pub(crate) file: Option<PathBuf>,
}

/// The name of a file beside a program: for `tuning`, `prog.fut.tuning`.
pub(crate) fn beside(program: &Path, extension: &str) -> PathBuf {
    let mut name = OsString::from(program);
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// What the tuning file of a program says to its executable (which may need another program to run).
pub(crate) fn of(program: &Path, extension: Option<&str>, executable: &Path, runner: Option<&str>) -> Tuned {
    let Some(file) = extension.map(|e| beside(program, e)).filter(|f| f.is_file()) else {
        return Tuned::default();
    };
    let all = || vec!["--tuning".to_owned(), file.display().to_string()];
    let settings = fehu_driver::files::read_source(&file).ok().as_deref().and_then(settings);
    let options = match (settings, known(executable, runner)) {
        (Some(settings), Some(known)) if settings.iter().any(|(name, _)| !known.contains(name)) => settings
            .iter()
            .filter(|(name, _)| known.contains(name))
            .flat_map(|(name, value)| ["--param".to_owned(), format!("{name}={value}")])
            .collect(),
        _ => all(),
    };
    Tuned { file: Some(file).filter(|_| !options.is_empty()), options }
}

/// The names and values in a tuning file; `None` if there is something else.
fn settings(text: &str) -> Option<Vec<(String, String)>> {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or("").trim());
    let setting = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    lines.filter(|line| !line.is_empty()).map(setting).collect()
}

/// The parameters that an executable knows; `None` if it does not tell.
fn known(executable: &Path, runner: Option<&str>) -> Option<Vec<String>> {
    let executable = reachable(executable);
    let mut command = match runner {
        Some(runner) => {
            let mut c = Command::new(runner);
            c.arg(executable);
            c
        }
        None => Command::new(executable),
    };
    command.arg("--print-params");
    let output = start_when_closed(|| command.output()).ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_file() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(settings("a.b=3 -- never\n\n-- text\nc=4"), Some(vec![pair("a.b", "3"), pair("c", "4")]));
        assert_eq!(settings("what\n"), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_program_does_not_know_is_left_out() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (program, executable) = (dir.path().join("p.fut"), dir.path().join("p"));
        let tuned = |text: &str| {
            std::fs::write(dir.path().join("p.fut.tuning"), text).expect("written");
            of(&program, Some("tuning"), &executable, None).options
        };
        std::fs::write(&executable, "#!/bin/sh\necho 'a (tile_size)'\necho 'b (threshold(def, ))'\n")
            .expect("written");
        std::fs::set_permissions(&executable, std::fs::Permissions::from_mode(0o755)).expect("executable");
        assert_eq!(of(&program, Some("tuning"), &executable, None), Tuned::default());
        assert_eq!(tuned("a=1\nb=2\n")[0], "--tuning");
        assert_eq!(tuned("a=1\nc=2\n"), ["--param", "a=1"]);
        assert!(tuned("c=2\n").is_empty());
        assert_eq!(tuned("nonsense\n")[0], "--tuning");
        assert_eq!(of(&program, None, &executable, None), Tuned::default());
    }
}
