//! `fehu lsp`.

use std::io::BufReader;
use std::process::ExitCode;

const HELP: &str = "\
Editors start this command and talk to it over standard input and output, by the
Language Server Protocol. Neovim: vim.lsp.start({cmd = {'fehu', 'lsp'}}). Helix and
others take the command `fehu` with the argument `lsp`.";

/// Options of `fehu lsp`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Use standard input and output, as always; editors pass this.
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Args) -> ExitCode {
    match fehu_lsp::serve(BufReader::new(std::io::stdin()), &mut std::io::stdout().lock()) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}
