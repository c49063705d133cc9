//! The command line of Fehu. One file per subcommand, in `commands/`; this
//! file only finds the right one.
//!
//! What exit codes mean is in `help.md`, which `fehu --help` shows.

#![forbid(unsafe_code)]

mod commands;
mod help;
mod missing;
mod names;
mod project;
mod report;
mod tips;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use fehu_driver::limits::address_space;
use fehu_driver::target::Target;
use fehu_tools::threads::{self, Failed};
use fehu_tools::{errln, output};
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

/// A compiler makes many small values; an allocator made for that saves a quarter of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Editors look for the first version number and compare it with Futhark's, so the language comes first.
const VERSION: &str = concat!("for Futhark 0.28.0\nversion ", env!("CARGO_PKG_VERSION"));

/// A compiler for Futhark, the data-parallel functional array language.
///
/// Start with `fehu new NAME` to make a project, `fehu run prog.fut` to run a program, `fehu check prog.fut` to see
/// whether it is right.
#[derive(Parser)]
#[command(name = "fehu", version = VERSION, propagate_version = true, infer_subcommands = false)]
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
    /// Evaluate expressions and declarations as they are typed.
    Repl(commands::repl::Args),
    /// Evaluate expressions, and print their values.
    Eval(commands::eval::Args),
    /// Explain an error that has a name, with an example.
    Explain(commands::explain::Args),
    /// Make a project to start from.
    New(commands::new::Args),
    /// Format programs in the usual style.
    Fmt(commands::fmt::Args),
    /// Make pages for browsers from the documentation comments of programs.
    Doc(commands::doc::Args),
    /// Talk to an editor: errors while typing, types, definitions, completion, formatting.
    Lsp(commands::lsp::Args),
    /// Manage the packages that a project requires.
    Pkg(commands::pkg::Args),
    /// Run a command again whenever the program changes.
    Watch(commands::watch::Args),
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
    /// Evaluate expressions with the functions of a program, and print the value.
    Script(commands::script::Args),
    /// Turn a program with its text into Markdown, with what its directives give.
    Literate(commands::literate::Args),
    /// Make random values, or turn values from one format into another.
    Dataset(commands::dataset::Args),
    /// Compare two files of values.
    Datacmp(commands::datacmp::Args),
    /// Print the arguments of a data set in the binary format.
    Dataget(commands::dataget::Args),
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
    /// Show what `fehu run` keeps, or remove it.
    Cache(commands::cache::Args),
    /// Print a script with which a shell completes commands and options.
    Completions(commands::completions::Args),
    /// Write manual pages.
    Man(commands::completions::ManArgs),
    /// Express gratitude.
    Thanks,
}

/// In a smaller address space, the allocator reserves no more than [`ARENA_KIBIBYTES`].
const SMALL_ADDRESS_SPACE: u64 = 4 << 30;

/// The variable that the allocator reads its reserve from, in KiB.
const ARENA: &str = "MIMALLOC_ARENA_RESERVE";

const ARENA_KIBIBYTES: &str = "16384";

fn main() -> ExitCode {
    // Shells that complete a command line ask for this; then the process ends here.
    CompleteEnv::with_factory(commands::completions::described).complete();
    leave_memory_for_others();
    let code = match threads::command(work) {
        Ok(code) => code,
        Err(Failed::Panicked) => ExitCode::from(3),
        Err(Failed::Memory(why)) => {
            errln!("fehu: {why}");
            ExitCode::from(1)
        }
    };
    fehu_driver::files::unless_ending();
    match output::finish() {
        Ok(()) => code,
        Err(failed) => ExitCode::from(failed),
    }
}

/// The allocator reserves a large part of a small address space (`ulimit -v`) at its first allocation, which leaves
/// too little for stacks. How much that is, it only reads when the process starts; so the process starts again.
fn leave_memory_for_others() {
    let small = address_space().is_some_and(|bytes| bytes < SMALL_ADDRESS_SPACE);
    if !small || std::env::var_os(ARENA).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    // If that does not work, there may be enough memory all the same.
    let _ = std::process::Command::new(program)
        .args(std::env::args_os().skip(1))
        .env(ARENA, ARENA_KIBIBYTES)
        .exec();
}

fn work() -> ExitCode {
    let parsed =
        help::command().try_get_matches().and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    match parsed {
        Ok((cli, matches)) => run(cli.command, &matches),
        Err(e) => refuse(e),
    }
}

/// Runs a command. The matches say in which order options of a script were given.
fn run(command: Command, matches: &ArgMatches) -> ExitCode {
    match command {
        Command::Run(args) => commands::run::run(&args),
        Command::C(args) => commands::build::run(Target::C, &args),
        Command::Multicore(args) => commands::build::run(Target::Multicore, &args),
        Command::Opencl(args) => commands::build::run_gpu(Target::OpenCl, &args),
        Command::Cuda(args) => commands::build::run_gpu(Target::Cuda, &args),
        Command::Check(args) => commands::check::run(&args),
        Command::Repl(args) => commands::repl::run(&args),
        Command::Eval(args) => commands::eval::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::New(args) => commands::new::run(&args),
        Command::Fmt(args) => commands::fmt::run(&args),
        Command::Doc(args) => commands::doc::run(&args),
        Command::Lsp(args) => commands::lsp::run(&args),
        Command::Pkg(args) => commands::pkg::run(&args),
        Command::Watch(args) => commands::watch::run(&args),
        Command::Test(args) => commands::test::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Benchcmp(args) => commands::benchcmp::run(&args),
        Command::Profile(args) => commands::profile::run(&args),
        Command::Autotune(args) => commands::autotune::run(&args),
        Command::Script(args) => commands::script::run(&args, matches.subcommand_matches("script")),
        Command::Literate(args) => commands::literate::run(&args),
        Command::Dataset(args) => commands::dataset::run(&args),
        Command::Datacmp(args) => commands::datacmp::run(&args),
        Command::Dataget(args) => commands::dataget::run(&args),
        Command::CheckSyntax(args) => commands::check_syntax::run(&args),
        Command::Tokens(args) => commands::tokens::run(&args),
        Command::Imports(args) => commands::imports::run(&args),
        Command::Defs(args) => commands::defs::run(&args),
        Command::Query(args) => commands::query::run(&args),
        Command::Hash(args) => commands::hash::run(&args),
        Command::Dev(args) => commands::dev::run(&args),
        Command::Cache(args) => commands::cache::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::completions::man(&args),
        Command::Thanks => commands::thanks::run(),
    }
}

/// Prints help that was asked for, or what is wrong with the command line.
fn refuse(mut error: clap::Error) -> ExitCode {
    if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(name))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    {
        if let Some(explanation) = missing::explanation(name) {
            errln!("fehu: {explanation}");
            return ExitCode::from(2);
        }
        let name = name.clone();
        tips::add(&mut error, &name, &help::command());
    }
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    match error.print() {
        Err(e) if !error.use_stderr() && e.kind() != std::io::ErrorKind::BrokenPipe => {
            errln!("fehu: could not write to standard output: {e}");
            ExitCode::from(1)
        }
        Ok(()) | Err(_) => code,
    }
}
