//! Compiles many programs at once for a back end and runs them in one process, which speaks the server protocol.
//!
//! GPUs run everything several times: with thresholds that choose every version of a nest, and with few,
//! small thread blocks, so that each has more than one thing to do.

use crate::choices::Random;
use crate::outcome::Outcome;
use crate::program::{file, Program};
use crate::stages::{self, panic_text, BackEnd, Depth, Fault};
use fehu_base::diagnostic::Colour;
use fehu_data::{binary, read_values, Value};
use fehu_driver::compile::{compile, Failure, Product, Settings};
use fehu_driver::target::Target;
use fehu_tools::programs::{Call, ServerProcess, Trouble};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What compiles programs.
#[derive(Clone, Debug)]
pub enum Compiler {
    /// One of our back ends, without some passes.
    Own(Target, Vec<String>),
    /// Another compiler's sequential C.
    Reference(PathBuf),
}

impl Compiler {
    /// What to call it.
    pub fn name(&self) -> String {
        match self {
            Compiler::Own(target, skip) if skip.is_empty() => target.name().to_owned(),
            Compiler::Own(target, skip) => format!("{} without {}", target.name(), skip.join(",")),
            Compiler::Reference(_) => "reference".to_owned(),
        }
    }

    fn is_gpu(&self) -> bool {
        matches!(self, Compiler::Own(Target::OpenCl | Target::Cuda, _))
    }
}

/// How thresholds are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thresholds {
    /// As the program has them.
    Usual,
    /// So that each nest takes the version of this number, or its last one if it has fewer.
    Version(usize),
    /// By lot, one by one.
    Random,
}

/// A way to run programs.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What to call it.
    pub name: &'static str,
    /// Options of the executable.
    pub options: Vec<String>,
    /// What thresholds are.
    pub thresholds: Thresholds,
}

/// How many versions were not taken where a threshold of this class is compared: the class names the
/// thresholds before it, those that were not reached with a `!`.
fn versions_before(class: &str) -> usize {
    class.matches('!').count()
}

/// A threshold that nothing reaches.
pub const UNREACHED: i64 = 2_000_000_000;

/// The ways to run what a compiler makes.
pub fn settings(compiler: &Compiler) -> Vec<Setting> {
    let setting = |name, options: &[&str], thresholds| Setting {
        name,
        options: options.iter().map(|o| format!("--{o}")).collect(),
        thresholds,
    };
    match compiler {
        Compiler::Own(Target::OpenCl | Target::Cuda, _) => {
            let small =
                ["default-thread-block-size=32", "default-num-thread-blocks=2", "default-tile-size=4"];
            let smaller =
                ["default-thread-block-size=64", "default-num-thread-blocks=1", "default-reg-tile-size=2"];
            vec![
                setting("", &[], Thresholds::Usual),
                setting("first version", &small, Thresholds::Version(0)),
                setting("second version", &small, Thresholds::Version(1)),
                setting("third version", &smaller, Thresholds::Version(2)),
                setting("last version", &smaller, Thresholds::Version(usize::MAX)),
                setting("thresholds random", &small, Thresholds::Random),
            ]
        }
        Compiler::Own(Target::Multicore, _) => vec![setting("", &["num-threads=3"], Thresholds::Usual)],
        Compiler::Own(Target::C, _) | Compiler::Reference(_) => vec![setting("", &[], Thresholds::Usual)],
    }
}

/// How long one call may take.
const LIMIT: Duration = Duration::from_secs(20);

/// Compiles programs and compares how they end, on every input and with every setting, with what is expected.
pub fn compare(
    programs: &[Program],
    expected: &[Vec<Outcome>],
    compiler: &Compiler,
    folder: &Path,
) -> Vec<Fault> {
    let executable = match build(&file(programs), compiler, folder) {
        Ok(executable) => executable,
        Err(message) => {
            return vec![Fault { program: 0, place: format!("{} compiler", compiler.name()), message }]
        }
    };
    let mut faults: Vec<Fault> = vec![];
    for setting in settings(compiler) {
        let place = format!("{} {}", compiler.name(), setting.name).trim_end().to_owned();
        let mut process = None;
        for (number, program) in programs.iter().enumerate() {
            if faults.iter().any(|f| f.program == number) {
                continue;
            }
            for (k, (input, expected)) in program.inputs.iter().zip(&expected[number]).enumerate() {
                if matches!(expected, Outcome::Late) {
                    continue;
                }
                let got = run(&mut process, &executable, &setting, program, input, folder);
                if got.agrees(expected) || (matches!(got, Outcome::Late) && compiler.is_gpu()) {
                    continue;
                }
                if may_differ_by_a_check(compiler, program, k, expected, &got) {
                    continue;
                }
                let message = format!("input {k}:\nexpected {expected}\ngot      {got}");
                faults.push(Fault { program: number, place: place.clone(), message });
                break;
            }
        }
    }
    faults
}

/// Whether values instead of a failed check are right, or the other way round: the check is gone already in
/// what the program was flattened to, or is still there, as the back end's own optimiser found no reason to
/// leave it out.
fn may_differ_by_a_check(
    compiler: &Compiler,
    program: &Program,
    input: usize,
    expected: &Outcome,
    got: &Outcome,
) -> bool {
    match (expected, got) {
        (Outcome::Failed(_), Outcome::Values(_)) | (Outcome::Values(_), Outcome::Failed(_)) => {}
        (Outcome::Values(_) | Outcome::Failed(_) | Outcome::Late, _)
        | (Outcome::Broken(_) | Outcome::Overwritten(_), _) => return false,
    }
    let (back_end, skip) = match compiler {
        Compiler::Own(target, skip) => (BackEnd::of(*target), skip),
        // Which checks others drop is not known.
        Compiler::Reference(_) => return true,
    };
    let report = stages::compare(std::slice::from_ref(program), skip, Depth::Ends);
    report.may_give(0, back_end, input, got)
}

/// Compiles a file to a server.
fn build(text: &str, compiler: &Compiler, folder: &Path) -> Result<PathBuf, String> {
    let source = folder.join("random.fut");
    std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
    match compiler {
        Compiler::Own(target, skip) => {
            let output = folder.join(target.name());
            let settings = Settings {
                product: Product::Server,
                skip_passes: skip.clone(),
                ..Settings::executable(*target, output.clone())
            };
            let done = std::panic::catch_unwind(|| compile(&source, &settings));
            let (front, result) = done.map_err(|panic| format!("panic: {}", panic_text(&*panic)))?;
            match result {
                Ok(()) => Ok(output),
                Err(Failure::Outside(message)) => Err(message),
                Err(Failure::Program(problems)) => {
                    let all: Vec<String> =
                        problems.iter().map(|d| d.render(&front.sources, Colour::Never)).collect();
                    Err(all.join("\n"))
                }
            }
        }
        Compiler::Reference(path) => {
            let output = folder.join("reference");
            let done = Command::new(path)
                .args(["c", "--server", "-w"])
                .arg(&source)
                .arg("-o")
                .arg(&output)
                .output()
                .map_err(|e| format!("{}: {e}", path.display()))?;
            match done.status.success() {
                true => Ok(output),
                false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
            }
        }
    }
}

/// Runs a program on an input, in the process that is there or a new one.
fn run(
    process: &mut Option<ServerProcess>,
    executable: &Path,
    setting: &Setting,
    program: &Program,
    input: &[Value],
    folder: &Path,
) -> Outcome {
    let (arguments, results) = (folder.join("arguments"), folder.join("results"));
    let mut bytes = vec![];
    input.iter().for_each(|v| binary::write_binary(v, &mut bytes));
    if let Err(e) = std::fs::write(&arguments, bytes) {
        return Outcome::Broken(e.to_string());
    }
    if process.is_none() {
        match ServerProcess::start(executable, None, &setting.options) {
            Ok(p) => *process = Some(p),
            Err(message) => return Outcome::Broken(message),
        }
    }
    let Some(p) = process else { return Outcome::Broken("there is no process".into()) };
    let said = p.talk(Some(LIMIT), |server| {
        if setting.thresholds != Thresholds::Usual {
            let mut random = Random::new(program.choices.len() as u64);
            for (name, class) in server.tuning_params(&program.entry)? {
                if class.starts_with("threshold") {
                    let value = match setting.thresholds {
                        Thresholds::Version(number) if versions_before(&class) < number => UNREACHED,
                        Thresholds::Version(_) => 0,
                        Thresholds::Random | Thresholds::Usual => [0, 10, UNREACHED][random.below(3)],
                    };
                    server.set_tuning_param(&name, value)?;
                }
            }
        }
        let mut call = Call::load(server, &program.entry, &arguments.to_string_lossy())?;
        if let Err(failure) = call.run(server) {
            call.unload(server)?;
            return Err(failure);
        }
        let stored = call.store(server, &results.to_string_lossy())?;
        call.unload(server)?;
        Ok(stored)
    });
    match said {
        Ok(true) => match std::fs::read(&results).map_err(|e| e.to_string()) {
            Ok(bytes) => {
                read_values(&bytes).map_or_else(|e| Outcome::Broken(e.to_string()), |v| Outcome::read(&v))
            }
            Err(e) => Outcome::Broken(e),
        },
        Ok(false) => Outcome::Broken("the results could not be stored".into()),
        Err(Trouble::Failed(message)) => Outcome::Failed(message),
        Err(Trouble::Exited(message) | Trouble::Dead(message)) => {
            *process = None;
            Outcome::Broken(message)
        }
        Err(Trouble::TooLate) => {
            *process = None;
            Outcome::Late
        }
    }
}
