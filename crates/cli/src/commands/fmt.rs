//! `fehu fmt`.

use crate::names::program_files;
use crate::project;
use crate::report::show_all;
use fehu_base::SourceMap;
use fehu_driver::files::{read_source, write};
use fehu_tools::{errln, out};
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `fehu fmt`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Change nothing; fail if a file is not formatted.
    #[arg(long)]
    check: bool,
    /// Programs, which are formatted in place, and folders to search for programs. Without any, the project is
    /// formatted, or standard input to standard output if that is a file or a pipe.
    #[arg(add = program_files())]
    files: Vec<PathBuf>,
}

/// What became of a file.
enum Outcome {
    Fine,
    Changed(String),
    Failed,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    if args.files.is_empty() && has_text() {
        return from_stdin(args.check);
    }
    let files = match project::programs(&args.files, "fmt") {
        Ok(files) => files,
        Err(code) => return code,
    };
    let mut failed = false;
    for file in &files {
        match format_file(file) {
            Outcome::Fine => {}
            Outcome::Failed => failed = true,
            Outcome::Changed(_) if args.check => {
                errln!("{}: not formatted correctly", file.display());
                failed = true;
            }
            Outcome::Changed(text) => {
                if let Err(why) = write(file, text) {
                    errln!("fehu: {why}");
                    failed = true;
                }
            }
        }
    }
    ExitCode::from(u8::from(failed))
}

/// Whether standard input is a file or a pipe, as editors have it, rather than a terminal, or nothing.
fn has_text() -> bool {
    let stdin = std::io::stdin();
    let kind = stdin.as_fd().try_clone_to_owned().map(File::from).and_then(|file| file.metadata());
    kind.is_ok_and(|kind| !kind.file_type().is_char_device())
}

fn from_stdin(check: bool) -> ExitCode {
    let mut bytes = vec![];
    if let Err(e) = std::io::stdin().lock().read_to_end(&mut bytes) {
        errln!("fehu: cannot read standard input: {e}");
        return ExitCode::from(1);
    }
    let name = Path::new("<stdin>");
    let (text, outcome) = match String::from_utf8(bytes) {
        Ok(text) => {
            let outcome = format(name, &text);
            (text, outcome)
        }
        Err(_) => {
            errln!("fehu: standard input is not UTF-8 text");
            return ExitCode::from(1);
        }
    };
    match outcome {
        Outcome::Failed => return ExitCode::from(1),
        Outcome::Changed(_) if check => {
            errln!("{}: not formatted correctly", name.display());
            return ExitCode::from(1);
        }
        Outcome::Fine if check => {}
        Outcome::Fine => out!("{text}"),
        Outcome::Changed(text) => out!("{text}"),
    }
    ExitCode::SUCCESS
}

fn format_file(file: &Path) -> Outcome {
    match read_source(file) {
        Ok(text) => format(file, &text),
        Err(why) => {
            errln!("fehu: could not read {}: {why}", file.display());
            Outcome::Failed
        }
    }
}

fn format(name: &Path, text: &str) -> Outcome {
    let mut sources = SourceMap::default();
    let id = sources.add(name.to_path_buf(), text.to_owned());
    match fehu_fmt::format(id, text) {
        Ok(formatted) if formatted == text => Outcome::Fine,
        Ok(formatted) => Outcome::Changed(formatted),
        Err(errors) => {
            show_all(&errors, &sources);
            Outcome::Failed
        }
    }
}
