//! `fehu watch`: runs a command again whenever the program changes.

use crate::project;
use fehu_tools::errln;
use fehu_tools::output::failed;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(200);

/// Options of `fehu watch`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A command of fehu, such as check, and what it takes [default: check].
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    words: Vec<String>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(e) => {
            errln!("fehu: could not find the compiler: {e}");
            return ExitCode::from(1);
        }
    };
    let mut words = args.words.clone();
    if words.is_empty() {
        words.push("check".into());
    }
    let mut watched: Vec<PathBuf> = words.iter().skip(1).map(PathBuf::from).collect();
    watched.retain(|path| is_program(path) || path.is_file() || path.is_dir());
    if !watched.iter().any(|path| is_program(path) || path.is_dir()) {
        match project::root(&format!("watch {}", words[0]), "a program or a folder") {
            Ok(root) => watched.push(root),
            Err(code) => return code,
        }
    }
    loop {
        // Files that change while the command runs count for the next time.
        let before = state(&watched);
        match Command::new(&own).args(&words).status() {
            // The command line is wrong, and will not get better.
            Ok(status) if status.code() == Some(2) => return ExitCode::from(2),
            Ok(status) => {
                errln!("fehu: {}; waiting for changes", if status.success() { "done" } else { "failed" })
            }
            Err(e) => {
                errln!("fehu: could not run {}: {e}", own.display());
                return ExitCode::from(1);
            }
        }
        while state(&watched) == before {
            if failed() {
                return ExitCode::SUCCESS;
            }
            std::thread::sleep(INTERVAL);
        }
    }
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "fut")
}

/// The files to look at, and when each was last changed.
fn state(watched: &[PathBuf]) -> Vec<(PathBuf, Option<SystemTime>)> {
    let mut files = vec![];
    for path in watched {
        if path.is_file() && is_program(path) {
            let loaded = fehu_driver::load::load(path);
            let own = loaded.units.iter().skip(loaded.prelude);
            files.extend(own.filter_map(|unit| loaded.sources.path(unit.file).map(Path::to_owned)));
        }
        // While a folder is being changed, it may not be readable.
        files.extend(fehu_pkg::programs(std::slice::from_ref(path)).unwrap_or_default());
    }
    files.sort();
    files.dedup();
    let changed = |path: &PathBuf| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    files.into_iter().map(|path| (path.clone(), changed(&path))).collect()
}
