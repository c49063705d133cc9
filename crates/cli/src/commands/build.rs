//! `fehu c` and the other back ends.

use crate::names::{passes, program_files};
use crate::project;
use crate::report::{show, show_all, Warnings};
use fehu_driver::compile::{compile_timed, Failure, Product, Settings};
use fehu_driver::target::Target;
use fehu_driver::times::Times;
use fehu_tools::errln;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of all back ends.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file [default: that of the project].
    #[arg(add = program_files())]
    file: Option<PathBuf>,
    /// Where to write the result [default: the program's name without .fut].
    #[arg(short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make a C library (.c, .h and a manifest .json) instead of an executable.
    #[arg(long, visible_alias = "lib", conflicts_with = "server")]
    library: bool,
    /// Make an executable that reads values and prints results (the default).
    #[arg(long, conflicts_with_all = ["library", "server"])]
    executable: bool,
    /// Make an executable that speaks the server protocol.
    #[arg(long)]
    server: bool,
    /// Treat this top-level function as an entry point, too.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME")]
    entry_point: Vec<String>,
    /// Keep all run-time checks, also where the program says #[unsafe].
    #[arg(long)]
    safe: bool,
    /// How many bytes the tape of a loop should take at most, in derivatives by reverse mode: where it would take
    /// more, fewer states are saved and steps run again.
    #[arg(long = "tape-memory", value_name = "BYTES", value_parser = clap::value_parser!(i64).range(0..))]
    tape_memory: Option<i64>,
    /// Add up floats in an order that depends on sizes alone: results are the same, to the last bit, for all numbers of
    /// threads and in all runs. This takes time; see `docs/numerics.md`.
    #[arg(long)]
    deterministic: bool,
    /// Leave out an optimisation pass, such as fusion or simplify#2.
    #[arg(long = "skip-pass", value_name = "PASS", add = passes())]
    skip_pass: Vec<String>,
    /// Print how long each pass took, in the order in which they ran.
    #[arg(long = "time-passes")]
    time_passes: bool,
    /// Print no warnings.
    #[arg(short = 'w', long = "no-warnings", visible_short_alias = 'W')]
    no_warnings: bool,
    /// Treat warnings as errors.
    #[arg(long = "Werror")]
    werror: bool,
    /// Say more about what the compiler does.
    #[arg(short = 'v', long = "verbose", action = clap::ArgAction::Count)]
    verbose: u8,
}

/// Options of the back ends for GPUs.
#[derive(clap::Args)]
pub(crate) struct GpuArgs {
    #[command(flatten)]
    all: Args,
    /// Make one version of each nest of parallelism instead of several that are chosen from at run time.
    #[arg(long)]
    moderate: bool,
}

/// For GPUs.
pub(crate) fn run_gpu(target: Target, args: &GpuArgs) -> ExitCode {
    build(target, &args.all, args.moderate)
}

/// For CPUs.
pub(crate) fn run(target: Target, args: &Args) -> ExitCode {
    build(target, args, false)
}

fn build(target: Target, args: &Args, moderate: bool) -> ExitCode {
    let product = match (args.library, args.server) {
        (true, _) => Product::Library,
        (false, true) => Product::Server,
        (false, false) => Product::Executable,
    };
    let file = match project::main_program(args.file.as_ref(), target.name()) {
        Ok(file) => file,
        Err(code) => return code,
    };
    let settings = Settings {
        target,
        product,
        output: args.output.clone().unwrap_or_else(|| file.with_extension("")),
        entry_points: args.entry_point.clone(),
        safe: args.safe,
        stops: false,
        skip_passes: args.skip_pass.clone(),
        moderate,
        tape_memory: args.tape_memory,
        deterministic: args.deterministic,
        stays_here: false,
    };
    let mut times = Times::default();
    let (front, result) = compile_timed(&file, &settings, &mut times);
    if args.time_passes {
        errln!("{}", times.table().trim_end());
    }
    let warnings = match (args.no_warnings, args.werror) {
        (_, true) => Warnings::AreErrors,
        (true, false) => Warnings::Hidden,
        (false, false) => Warnings::Shown,
    };
    let accepted = show(&front, warnings);
    let code = match result {
        Ok(()) if accepted => {
            if args.verbose > 0 {
                errln!("fehu: wrote {}", settings.output.display());
            }
            ExitCode::SUCCESS
        }
        Ok(()) => ExitCode::from(1),
        Err(Failure::Program(errors)) => {
            if !front.failed() {
                show_all(&errors, &front.sources);
            }
            ExitCode::from(1)
        }
        Err(Failure::Outside(message)) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    };
    // The process ends: freeing a large tree piece by piece would only take time.
    std::mem::forget(front);
    code
}
