//! The command line of Fehu. One file per subcommand, in `commands/`; this
//! file only finds the right one.
//!
//! Exit codes: 0 for success, 1 for a program that was refused or failed, 2
//! for a command line that could not be understood.

mod commands;
mod report;

use clap::{Parser, Subcommand};
use fehu_driver::target::Target;
use std::process::ExitCode;

/// A compiler makes many small values; an allocator made for that saves a quarter of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    /// Compile and run a program in one go; arguments come from standard input.
    Run(commands::run::Args),
    /// Compile to sequential C: an executable, a library or a server.
    C(commands::build::Args),
    /// Compile to C that uses all cores: an executable, a library or a server.
    Multicore(commands::build::Args),
    /// Compile to C with OpenCL kernels: an executable, a library or a server.
    Opencl(commands::build::GpuArgs),
    /// Compile to C with CUDA kernels: an executable, a library or a server.
    Cuda(commands::build::GpuArgs),
    /// Check a program for errors, and say where and what they are.
    Check(commands::check::Args),
    /// Run the test blocks in the comments of programs.
    Test(commands::test::Args),
    /// Measure how long programs take on their data sets.
    Bench(commands::bench::Args),
    /// Compare two results of `fehu bench --json`: what is faster, what is slower.
    Benchcmp(commands::benchcmp::Args),
    /// Show where the time of programs goes, from what `fehu bench --profile` found.
    Profile(commands::profile::Args),
    /// Find the thresholds with which a program is fastest on its data sets.
    Autotune(commands::autotune::Args),
    /// Make random values, or turn values from one format into another.
    Dataset(commands::dataset::Args),
    /// Compare two files of values.
    Datacmp(commands::datacmp::Args),
    /// Check whether a file is syntactically correct.
    CheckSyntax(commands::check_syntax::Args),
    /// Print the tokens of a file, one a line.
    Tokens(commands::tokens::Args),
    /// Print the files that make up a program, one a line.
    Imports(commands::imports::Args),
    /// Print all top-level definitions of a program and where they are.
    Defs(commands::defs::Args),
    /// Print the type and definition of what stands at a position.
    Query(commands::query::Args),
    /// Print a hash of a program that spaces and comments do not change.
    Hash(commands::hash::Args),
    /// Look inside the compiler: typed trees and intermediate programs.
    Dev(commands::dev::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // Programs can be nested deeply; the passes recurse.
    let worker = std::thread::Builder::new().stack_size(512 << 20).spawn(move || match cli.command {
        Command::Run(args) => commands::run::run(&args),
        Command::C(args) => commands::build::run(Target::C, &args),
        Command::Multicore(args) => commands::build::run(Target::Multicore, &args),
        Command::Opencl(args) => commands::build::run_gpu(Target::OpenCl, &args),
        Command::Cuda(args) => commands::build::run_gpu(Target::Cuda, &args),
        Command::Check(args) => commands::check::run(&args),
        Command::Test(args) => commands::test::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Benchcmp(args) => commands::benchcmp::run(&args),
        Command::Profile(args) => commands::profile::run(&args),
        Command::Autotune(args) => commands::autotune::run(&args),
        Command::Dataset(args) => commands::dataset::run(&args),
        Command::Datacmp(args) => commands::datacmp::run(&args),
        Command::CheckSyntax(args) => commands::check_syntax::run(&args),
        Command::Tokens(args) => commands::tokens::run(&args),
        Command::Imports(args) => commands::imports::run(&args),
        Command::Defs(args) => commands::defs::run(&args),
        Command::Query(args) => commands::query::run(&args),
        Command::Hash(args) => commands::hash::run(&args),
        Command::Dev(args) => commands::dev::run(&args),
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
