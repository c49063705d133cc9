//! Chores of the project, run as `cargo xtask CHORE`.
//!
//! - `bench` makes data, checks answers and measures compilers side by side. Enter at `bench.rs`; what is measured is
//!   listed in `bench/suite.txt` at the top of the repository.
//! - `fuzz` feeds changed files to what reads them, and looks whether it survives (`fuzz.rs`).
//! - `random` makes random programs and compares stages and back ends (`random.rs`).
//! - `tables` makes the pages about results of `bench/results` (`tables.rs`).

#![forbid(unsafe_code)]

mod bench;
mod fuzz;
mod random;
mod tables;

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
    /// Feed changed files to what reads them, and look whether it survives.
    Fuzz(fuzz::Args),
    /// Make random programs, and compare what stages and back ends make of them.
    Random(random::Args),
    /// Write the pages that show results: of `bench/results`, into `docs/results`, and where pages have a
    /// place for a table.
    Tables(tables::Args),
}

fn main() -> ExitCode {
    let done = match Args::parse().chore {
        Chore::Bench(args) => bench::run(&args),
        Chore::Fuzz(args) => fuzz::run(&args),
        Chore::Random(args) => random::run(&args),
        Chore::Tables(args) => tables::run(&args),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
