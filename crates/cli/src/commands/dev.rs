//! `fehu dev`: what the compiler thinks, stage by stage.

use crate::report::{report, show_all, Format, Warnings};
use fehu_driver::compile::Settings;
use fehu_driver::pipeline::{dump_after, round_trip, tuning_forest, Target};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu dev`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file.
    file: PathBuf,
    /// Print the typed tree of the program's own files.
    #[arg(long, conflicts_with = "after")]
    typed: bool,
    /// Print and read back the core IR after every stage, and say whether anything was lost.
    #[arg(long, conflicts_with_all = ["typed", "after"])]
    round_trip: bool,
    /// Print the thresholds that choose between versions of the program on a GPU.
    #[arg(long, conflicts_with_all = ["typed", "after", "round_trip"])]
    tuning_forest: bool,
    /// Print the core IR after this stage: lower, opt (or a pass of it, such as fusion or
    /// simplify#2), gpu, gpu-prepared, gpu-memory, multicore, sequential or memory.
    #[arg(long, value_name = "STAGE")]
    after: Option<String>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let front = fehu_driver::front::check_file(&args.file);
    let Some(program) = &front.program else {
        return report(&front, Warnings::Shown, Format::Text);
    };
    if args.typed {
        let own: Vec<_> = program.decs.iter().filter(|d| front.is_own(d)).cloned().collect();
        print!("{}", fehu_check::print::decs(&program.names, &own));
        return ExitCode::SUCCESS;
    }
    let settings = Settings::executable(Target::C, PathBuf::new());
    if args.round_trip {
        return match round_trip(&front, &settings) {
            Ok(None) => ExitCode::SUCCESS,
            Ok(Some(stage)) => {
                eprintln!("fehu: the text of the program after {stage} is not the program");
                ExitCode::from(1)
            }
            Err(errors) => {
                show_all(&errors, &front.sources);
                ExitCode::from(1)
            }
        };
    }
    let pass = args.after.as_deref().unwrap_or("lower");
    let text = if args.tuning_forest {
        tuning_forest(&front, &settings)
    } else {
        dump_after(&front, &settings, pass)
    };
    match text {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(errors) => {
            show_all(&errors, &front.sources);
            ExitCode::from(1)
        }
    }
}
