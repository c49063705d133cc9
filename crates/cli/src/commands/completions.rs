//! `fehu completions` and `fehu man`: what shells and manual readers need to know, made from the options themselves.

use clap::CommandFactory;
use fehu_tools::output::write_bytes;
use fehu_tools::{errln, outln};
use std::path::PathBuf;
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
    match clap_mangen::generate_to(crate::Cli::command(), &args.folder) {
        Ok(()) => {
            outln!("Wrote manual pages to {}", args.folder.display());
            ExitCode::SUCCESS
        }
        Err(e) => {
            errln!("fehu: could not write to {}: {e}", args.folder.display());
            ExitCode::from(1)
        }
    }
}
