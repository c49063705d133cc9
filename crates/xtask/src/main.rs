//! Chores of the project, run as `cargo xtask CHORE`.
//!
//! There is one so far: `bench`, which makes data, checks answers and measures compilers side by side. Enter at
//! `bench.rs`; what is measured is listed in `bench/suite.txt` at the top of the repository.

#![forbid(unsafe_code)]

mod bench;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Chores of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = true)]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run the benchmark suite: make its data, check its answers, measure compilers side by side.
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let Chore::Bench(args) = Args::parse().chore;
    match bench::run(&args) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
