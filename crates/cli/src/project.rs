//! What commands act on that are given no files: the project that the current folder is in.

use crate::commands::pkg::show_error;
use fehu_tools::errln;
use std::path::PathBuf;
use std::process::ExitCode;

/// The programs of a command line: files as they are, and all that are in folders. Without any, those of the project.
pub(crate) fn programs(paths: &[PathBuf], command: &str) -> Result<Vec<PathBuf>, ExitCode> {
    let paths = match paths {
        [] => vec![root(command, "a program or a folder")?],
        given => given.to_vec(),
    };
    fehu_pkg::programs(&paths).map_err(|error| {
        show_error(&error);
        ExitCode::from(2)
    })
}

/// The program of a command line; without one, the main program of the project.
pub(crate) fn main_program(given: Option<&PathBuf>, command: &str) -> Result<PathBuf, ExitCode> {
    if let Some(file) = given {
        return Ok(file.clone());
    }
    let root = root(command, "a program")?;
    let own = match root.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => root.clone(),
    };
    let name = own.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_owned()));
    let named = name.map(|name| root.join(name).with_extension("fut"));
    let usual = [Some(root.join("main.fut")), named];
    if let Some(found) = usual.into_iter().flatten().find(|file| file.is_file()) {
        return Ok(found);
    }
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&own)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| root.join(entry.file_name()))
        .filter(|path| path.extension().is_some_and(|e| e == "fut"))
        .collect();
    programs.sort();
    match &programs[..] {
        [only] => Ok(only.clone()),
        [] => {
            errln!("fehu: the project has no program in {}; make one, or name one", own.display());
            Err(ExitCode::from(2))
        }
        [first, ..] => {
            let list: Vec<String> = programs.iter().map(|p| p.display().to_string()).collect();
            errln!("fehu: which program? There are {}", list.join(", "));
            errln!(
                "Name one, as in `fehu {command} {}`; one called main.fut needs no name.",
                first.display()
            );
            Err(ExitCode::from(2))
        }
    }
}

/// The folder of the project, as the way there; `what` is what could be named instead.
pub(crate) fn root(command: &str, what: &str) -> Result<PathBuf, ExitCode> {
    fehu_pkg::root().ok_or_else(|| {
        errln!("fehu: this is no project, as there is no futhark.pkg here or above, so name {what}:");
        errln!("  fehu {command} {}", example());
        errln!("`fehu new NAME` makes a project.");
        ExitCode::from(2)
    })
}

/// A program that is here, to show how one is named.
fn example() -> String {
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let mut programs: Vec<PathBuf> = entries.map(|e| PathBuf::from(e.file_name())).collect();
    programs.retain(|path| path.extension().is_some_and(|e| e == "fut"));
    programs.sort();
    programs.first().map_or("prog.fut".into(), |path| path.display().to_string())
}
