//! `fehu completions` and `fehu man`: what shells and manual readers need to know, made from the options themselves.

use clap::CommandFactory;
use fehu_driver::files::Batch;
use fehu_tools::output::write_bytes;
use fehu_tools::{errln, outln};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
  fehu completions bash > ~/.local/share/bash-completion/completions/fehu
  fehu completions zsh > ~/.zfunc/_fehu
  fehu completions fish > ~/.config/fish/completions/fehu.fish";

/// Options of `fehu completions`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Options of `fehu man`.
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// An existing folder, such as ~/.local/share/man/man1.
    folder: PathBuf,
}

/// Prints the script with which a shell completes our commands and options.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "fehu", &mut script);
    write_bytes(&script);
    ExitCode::SUCCESS
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
    let mut command = crate::Cli::command().version(version).disable_help_subcommand(true);
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
