//! `fehu watch`: runs a command again whenever the program changes.

use fehu_tools::errln;
use fehu_tools::output::failed;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime};

const HELP: &str = "\
  fehu watch check prog.fut
  fehu watch test src/

The files are those of the command line, all .fut files of folders, and what programs
import. Stop it with Ctrl-C.";

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(200);

/// Options of `fehu watch`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// A command of fehu, such as check, and what it takes.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
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
    if !args.words.iter().any(|w| is_program(Path::new(w)) || Path::new(w).is_dir()) {
        errln!(
            "fehu: there is nothing to watch: name a program or a folder, as in `fehu watch check prog.fut`"
        );
        return ExitCode::from(2);
    }
    loop {
        // Files that change while the command runs count for the next time.
        let before = state(&args.words);
        match Command::new(&own).args(&args.words).status() {
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
        while state(&args.words) == before {
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
fn state(words: &[String]) -> Vec<(PathBuf, Option<SystemTime>)> {
    let mut files = vec![];
    for path in words.iter().map(Path::new) {
        if path.is_dir() {
            programs(path, &mut files);
        } else if is_program(path) {
            files.push(path.to_owned());
            let loaded = fehu_driver::load::load(path);
            let own = loaded.units.iter().skip(loaded.prelude);
            files.extend(own.filter_map(|unit| loaded.sources.path(unit.file).map(Path::to_owned)));
        } else if path.is_file() {
            files.push(path.to_owned());
        }
    }
    files.sort();
    files.dedup();
    let changed = |path: &PathBuf| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    files.into_iter().map(|path| (path.clone(), changed(&path))).collect()
}

/// All programs in a folder; folders that cannot be read have none.
fn programs(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // Links to folders may lead in circles.
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            programs(&path, files);
        } else if is_program(&path) {
            files.push(path);
        }
    }
}
