//! `fehu lsp`.

use fehu_tools::outln;
use std::io::BufReader;
use std::process::ExitCode;

/// Options of `fehu lsp`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Use standard input and output, as always; editors pass this.
    #[arg(long)]
    stdio: bool,
    /// Evaluate an expression that the server reads from an editor.
    #[arg(long, hide = true)]
    evaluate: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    if args.evaluate {
        return evaluate();
    }
    let program = std::env::current_exe().ok();
    match fehu_lsp::serve(BufReader::new(std::io::stdin()), &mut std::io::stdout().lock(), program) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}

fn evaluate() -> ExitCode {
    let request = std::io::read_to_string(std::io::stdin()).unwrap_or_default();
    let (text, fine) = fehu_lsp::evaluate(&request);
    outln!("{text}");
    match fine {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}
