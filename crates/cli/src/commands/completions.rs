//! `fehu completions` and `fehu man`: what shells and manual readers need to know, made from the options themselves.

use crate::help;
use clap_complete::env::{EnvCompleter, Shells};
use clap_complete::Shell;
use fehu_driver::files::Batch;
use fehu_tools::output::write_bytes;
use fehu_tools::{errln, outln};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `fehu completions`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

/// Options of `fehu man`.
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// An existing folder, such as ~/.local/share/man/man1.
    folder: PathBuf,
}

/// The variable by which shells ask for completions.
const VARIABLE: &str = "COMPLETE";

/// Prints the script with which a shell asks this program what could stand at the cursor.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut script = vec![];
    let shells = Shells::builtins();
    let written = shells.completer(&args.shell.to_string()).map(|shell: &dyn EnvCompleter| {
        shell.write_registration(VARIABLE, "fehu", "fehu", "fehu", &mut script)
    });
    match written {
        Some(Ok(())) => {
            write_bytes(&script);
            ExitCode::SUCCESS
        }
        Some(Err(_)) | None => {
            errln!("fehu: there are no completions for {}", args.shell);
            ExitCode::from(1)
        }
    }
}

/// The command line as shells complete it.
pub(crate) fn described() -> clap::Command {
    help::command().mut_subcommand("dataset", super::dataset::described)
}

/// Writes a manual page for each command.
pub(crate) fn man(args: &ManArgs) -> ExitCode {
    match write_pages(&args.folder) {
        Ok(()) => {
            outln!("Wrote manual pages to {}", args.folder.display());
            ExitCode::SUCCESS
        }
        Err(why) => {
            errln!("fehu: {why}");
            ExitCode::from(1)
        }
    }
}

fn write_pages(folder: &Path) -> Result<(), String> {
    let version = env!("CARGO_PKG_VERSION");
    let mut command = described().version(version).disable_help_subcommand(true);
    command.build();
    let mut pages = Batch::default();
    add_pages(command, folder, &mut pages)?;
    pages.finish()
}

/// The page of a command, and those of the commands in it.
fn add_pages(command: clap::Command, folder: &Path, pages: &mut Batch) -> Result<(), String> {
    for inner in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        add_pages(inner.clone(), folder, pages)?;
    }
    let page = clap_mangen::Man::new(command).source(concat!("fehu ", env!("CARGO_PKG_VERSION")));
    let path = folder.join(page.get_filename());
    let mut text = vec![];
    page.render(&mut text).map_err(|e| format!("could not write {}: {e}", path.display()))?;
    pages.file(&path, text)
}
