//! `fehu run`: compile and run in one go.

use crate::names::program_files;
use crate::project;
use crate::report::{show, show_all, Warnings};
use fehu_base::SourceMap;
use fehu_driver::cache;
use fehu_driver::compile::{missing_entry, Failure, Settings};
use fehu_driver::front::{self, Front};
use fehu_driver::interpret::{interpreted, Stopped};
use fehu_driver::target::Target;
use fehu_tools::{errln, outln};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};

/// Options of `fehu run`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file [default: that of the project].
    #[arg(add = program_files())]
    file: Option<PathBuf>,
    /// There are none: the arguments of the entry point come from standard input.
    #[arg(hide = true, allow_negative_numbers = true)]
    arguments: Vec<String>,
    /// The entry point to call.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME", default_value = "main")]
    entry: String,
    /// Print no warnings.
    #[arg(short = 'w', long = "no-warnings")]
    no_warnings: bool,
    /// Interpret the program instead of compiling it: slow, but without a C compiler.
    #[arg(short = 'i', long = "interpret", conflicts_with = "binary")]
    interpret: bool,
    /// Print the result in the binary format.
    #[arg(short = 'b', long = "binary-output")]
    binary: bool,
}

/// The executable is kept in a cache folder, so the second run starts at once.
pub(crate) fn run(args: &Args) -> ExitCode {
    if let (false, Some(file)) = (args.arguments.is_empty(), &args.file) {
        let (values, file) = (args.arguments.join(" "), file.display());
        errln!("fehu: arguments of the program come from standard input: echo '{values}' | fehu run {file}");
        return ExitCode::from(2);
    }
    let file = match project::main_program(args.file.as_ref(), "run") {
        Ok(file) => file,
        Err(code) => return code,
    };
    let front = front::check_file(&file);
    let warnings = if args.no_warnings { Warnings::Hidden } else { Warnings::Shown };
    if !show(&front, warnings) {
        return ExitCode::from(1);
    }
    if let Some(message) = missing_entry(&file, &front, &args.entry) {
        errln!("fehu: {message}");
        return ExitCode::from(1);
    }
    if args.interpret {
        return interpret(args, &file, front);
    }
    match start(args, &file, &front).map(|mut child| child.wait()) {
        Ok(Ok(status)) => ExitCode::from(code(status)),
        Ok(Err(e)) => {
            errln!("fehu: could not wait for the program: {e}");
            ExitCode::from(1)
        }
        Err(Failure::Program(errors)) => {
            show_all(&errors, &front.sources);
            ExitCode::from(1)
        }
        Err(Failure::Outside(message)) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}

/// Interprets the program: what is read, printed and said is what the compiled program reads, prints and says.
fn interpret(args: &Args, file: &Path, front: Front) -> ExitCode {
    let settings = Settings {
        entry_points: vec![args.entry.clone()],
        ..Settings::executable(Target::C, PathBuf::new())
    };
    let program = match interpreted(&front, &settings) {
        Ok(program) => program,
        Err(errors) => {
            show_all(&errors, &front.sources);
            return ExitCode::from(1);
        }
    };
    let mut input = vec![];
    if let Err(e) = std::io::stdin().lock().read_to_end(&mut input) {
        errln!("fehu: cannot read standard input: {e}");
        return ExitCode::from(1);
    }
    let sources = front.sources;
    let program = program.at_most(u64::MAX).traced(move |loc, tag, text| match tag {
        Some(tag) => errln!("{tag}: {text}"),
        None => errln!("{}: {text}", sources.show(loc.span)),
    });
    match program.print(&args.entry, &input) {
        Ok(results) => {
            results.iter().for_each(|text| outln!("{text}"));
            ExitCode::SUCCESS
        }
        Err(Stopped::Error(message)) => {
            errln!("{}: {message}", program_name(file));
            ExitCode::from(1)
        }
        Err(Stopped::Beyond(message)) => {
            errln!("fehu: {} cannot be interpreted: {message}", file.display());
            ExitCode::from(1)
        }
    }
}

/// The name with which messages of the program begin.
fn program_name(file: &Path) -> String {
    SourceMap::show_path(&file.with_extension(""))
}

/// Compiles what is not in the cache, and starts it.
fn start(args: &Args, file: &Path, front: &Front) -> Result<Child, Failure> {
    let entry_points = vec![args.entry.clone()];
    let settings = Settings { entry_points, ..Settings::executable(Target::C, PathBuf::new()) };
    let note = |text: &str| errln!("fehu: {text}");
    let spawn = |executable: &Path| {
        let mut command = Command::new(executable);
        command.arg0(program_name(file)).args(["-e", &args.entry]);
        if args.binary {
            command.arg("-b");
        }
        command.spawn()
    };
    cache::start(front, &settings, &format!("run {}", args.entry), note, spawn)
}

/// As a shell says it: programs that die of a signal have codes from 128 on.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s));
    code.and_then(|c| u8::try_from(c).ok()).unwrap_or(1)
}
