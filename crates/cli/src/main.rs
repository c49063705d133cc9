//! The command line of Fehu. One file per subcommand, in `commands/`; this
//! file only finds the right one.
//!
//! Exit codes: 0 for success, 1 for a program that was refused or failed, 2
//! for a command line that could not be understood.

mod commands;
mod report;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A compiler for Futhark, the data-parallel functional array language.
///
/// Start with `fehu run prog.fut` to run a program, `fehu check prog.fut` to
/// see whether it is right.
#[derive(Parser)]
#[command(name = "fehu", version, infer_subcommands = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a program for errors, and say where and what they are.
    Check(commands::check::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // Programs can be nested deeply; the passes recurse.
    let worker = std::thread::Builder::new().stack_size(512 << 20).spawn(move || match cli.command {
        Command::Check(args) => commands::check::run(&args),
    });
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => ExitCode::from(3),
        Err(e) => {
            eprintln!("fehu: could not start a thread: {e}");
            ExitCode::from(3)
        }
    }
}
