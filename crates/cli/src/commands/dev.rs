//! `fehu dev`: what the compiler does to a program, step by step.

use crate::names::{all_steps, own_backend, passes};
use crate::report::{report, show_all, Format, Warnings};
use fehu_base::Diagnostic;
use fehu_driver::compile::Settings;
use fehu_driver::explain;
use fehu_driver::explore::{self, Culprit};
use fehu_driver::front::Front;
use fehu_driver::generate::tuning_forest;
use fehu_driver::target::Target;
use fehu_tools::{errln, out};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is shown, of which a command has one.
const SHOWN: [&str; 11] = [
    "list",
    "after",
    "diff",
    "typed",
    "round_trip",
    "tuning_forest",
    "explain_locality",
    "explain_memory",
    "explain_ad",
    "bisect",
    "run",
];

/// Options of `fehu dev`.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("what").args(SHOWN))]
pub(crate) struct Args {
    /// The program's main file (not needed for `--list`; IR text for `--run`).
    #[arg(required_unless_present_any = ["list", "from"])]
    file: Option<PathBuf>,
    /// The back end whose steps are run or listed.
    #[arg(long, value_name = "BACKEND", default_value = "c", value_parser = own_backend())]
    backend: Target,
    /// List all steps from the checked program to text, with their languages and reasons.
    #[arg(long)]
    list: bool,
    /// Print the program after this step (`fusion`, `simplify#2`, a step without a number is its last run), or the last
    /// program in a language: soacs, kernels, memory, imp, text. The default is `lower`.
    #[arg(long, value_name = "STEP", add = all_steps())]
    after: Option<String>,
    /// Print what this step changes, as a unified diff.
    #[arg(long, value_name = "STEP", add = all_steps())]
    diff: Option<String>,
    /// Print the typed tree of the program's own files.
    #[arg(long)]
    typed: bool,
    /// Print and read back the program after every step, and report whether anything was lost.
    #[arg(long)]
    round_trip: bool,
    /// Print the thresholds that choose between versions of the program on a GPU.
    #[arg(long)]
    tuning_forest: bool,
    /// List what each kernel reads on a GPU, whether neighbouring threads read neighbouring elements, and what is done
    /// where they do not.
    #[arg(long)]
    explain_locality: bool,
    /// List each copy and each block of memory that is left in the program, with its place and the reason.
    #[arg(long)]
    explain_memory: bool,
    /// List what reverse mode saves of loops, how many bytes each iteration takes, and what became of the updates of
    /// accumulators: elements computed as a whole, histograms, or updates in memory.
    #[arg(long)]
    explain_ad: bool,
    /// Find the optional pass that makes this shell command fail. The command compiles and tests the program
    /// itself; the number of passes reaches it by the environment variable FEHU_PASS_LIMIT.
    #[arg(long, value_name = "COMMAND")]
    bisect: Option<String>,
    /// Read a program as IR text (soacs, kernels, memory or imp; the first line names which) instead of source text.
    #[arg(long, value_name = "FILE", conflicts_with = "file", requires = "run")]
    from: Option<PathBuf>,
    /// With `--from`: the steps to run on it, separated by commas.
    #[arg(long, value_name = "STEP,...", value_delimiter = ',', requires = "from", add = all_steps())]
    run: Vec<String>,
    /// Leave this optional pass out; may be given several times.
    #[arg(long = "skip-pass", value_name = "PASS", add = passes())]
    skip_pass: Vec<String>,
    /// On GPUs: one version of each nest, chosen by its shape.
    #[arg(long)]
    moderate: bool,
    /// How many bytes the tape of a loop should take at most.
    #[arg(long = "tape-memory", value_name = "BYTES", value_parser = clap::value_parser!(i64).range(0..))]
    tape_memory: Option<i64>,
    /// Add up floats in an order that depends on sizes alone.
    #[arg(long)]
    deterministic: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let mut settings = Settings::executable(args.backend, PathBuf::new());
    settings.skip_passes.clone_from(&args.skip_pass);
    settings.moderate = args.moderate;
    settings.tape_memory = args.tape_memory;
    settings.deterministic = args.deterministic;
    if args.list {
        return text(explore::list(&settings));
    }
    if let Some(from) = &args.from {
        return steps_on_text(&settings, from, &args.run);
    }
    let Some(file) = &args.file else { return failed("there is no program") };
    let front = fehu_driver::front::check_file(file);
    let Some(program) = &front.program else {
        return report(&front, Warnings::Shown, Format::Text);
    };
    if args.typed {
        let own: Vec<_> = program.decs.iter().filter(|d| front.is_own(d)).cloned().collect();
        return text(fehu_check::print::decs(&program.names, &own));
    }
    if args.round_trip {
        return match explore::round_trip(&front, &settings) {
            Ok(None) => ExitCode::SUCCESS,
            Ok(Some(step)) => failed(&format!("the text of the program after {step} is not the program")),
            Err(errors) => refused(&front, &errors),
        };
    }
    if let Some(command) = &args.bisect {
        return bisect(&front, &settings, command);
    }
    let shown = if args.tuning_forest {
        tuning_forest(&front, &settings)
    } else if args.explain_locality {
        explain::explain_locality(&front, &settings)
    } else if args.explain_memory {
        explain::explain_memory(&front, &settings)
    } else if args.explain_ad {
        explain::explain_ad(&front, &settings)
    } else if let Some(step) = &args.diff {
        explore::diff(&front, &settings, step)
    } else {
        explore::after(&front, &settings, args.after.as_deref().unwrap_or("lower"))
    };
    match shown {
        Ok(out) => text(out),
        Err(errors) => refused(&front, &errors),
    }
}

fn steps_on_text(settings: &Settings, file: &Path, steps: &[String]) -> ExitCode {
    let source = match fehu_driver::files::read_source(file) {
        Ok(source) => source,
        Err(e) => return failed(&format!("{}: {e}", file.display())),
    };
    match explore::from_text(settings, &source, steps) {
        Ok(made) => {
            show_all(&made.warnings, &Front::empty().sources);
            text(made.text)
        }
        Err(e) => failed(&e.to_string()),
    }
}

fn bisect(front: &Front, settings: &Settings, command: &str) -> ExitCode {
    let mut tried = |passes| errln!("fehu: trying with {passes} optional passes");
    match explore::bisect(front, settings, command, &mut tried) {
        Ok(Culprit::Pass(pass)) => text(format!("the command fails from {pass} on\n")),
        Ok(Culprit::NoPass) => failed("the command fails even without any optional pass"),
        Ok(Culprit::NoFailure) => failed("the command does not fail"),
        Err(e) => failed(&e),
    }
}

fn text(shown: String) -> ExitCode {
    out!("{shown}");
    ExitCode::SUCCESS
}

fn failed(message: &str) -> ExitCode {
    errln!("fehu: {message}");
    ExitCode::from(1)
}

fn refused(front: &Front, errors: &[Diagnostic]) -> ExitCode {
    show_all(errors, &front.sources);
    ExitCode::from(1)
}
