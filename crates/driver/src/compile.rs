//! Whole compilations: a program's file in, an executable or a library out.

use crate::cc;
use crate::files::Batch;
use crate::front::{check_timed, Front};
use crate::generate::generate;
use crate::target::Target;
use crate::times::Times;
use fehu_base::{Diagnostic, Symbol};
use fehu_check::scope::TermEntry;
use fehu_check::tast::Dec;
use std::path::{Path, PathBuf};

/// What to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    /// A program that reads values and prints the result.
    Executable,
    /// A program that speaks the server protocol.
    Server,
    /// A C file, a header and a manifest.
    Library,
}

/// How to make it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The back end.
    pub target: Target,
    /// What to make.
    pub product: Product,
    /// Where; extensions are added for libraries.
    pub output: PathBuf,
    /// Functions to treat as entry points besides those declared so.
    pub entry_points: Vec<String>,
    /// Keep checks that the program says to leave out.
    pub safe: bool,
    /// Optional passes to leave out, such as `fusion` or `simplify#2`.
    pub skip_passes: Vec<String>,
    /// Mark the places at which an interpreter stops: `#[break]`.
    pub stops: bool,
    /// On GPUs: one version of each nest, chosen by its shape, instead of several chosen at run time.
    pub moderate: bool,
    /// How many bytes the tape of a loop should take at most, in derivatives by reverse mode.
    pub tape_memory: Option<i64>,
    /// Sums of floats are the same for all numbers of threads and in all runs.
    pub deterministic: bool,
    /// The executable stays on this machine: it only has code for its processor.
    pub stays_here: bool,
}

impl Settings {
    /// An executable at a place, with nothing special.
    pub fn executable(target: Target, output: PathBuf) -> Settings {
        Settings {
            target,
            product: Product::Executable,
            output,
            entry_points: vec![],
            safe: false,
            skip_passes: vec![],
            stops: false,
            moderate: false,
            tape_memory: None,
            deterministic: false,
            stays_here: false,
        }
    }
}

/// Why nothing was made.
#[derive(Debug)]
pub enum Failure {
    /// The program is wrong, or uses what the compiler cannot do yet.
    Program(Vec<Diagnostic>),
    /// Files or the C compiler.
    Outside(String),
}

/// Compiles a program; what the front end had to say comes back in any case.
pub fn compile(file: &Path, settings: &Settings) -> (Front, Result<(), Failure>) {
    let mut front = check_timed(file, &mut Times::default());
    let result = compile_checked(&front, settings, &mut Times::default());
    let result = result.map(|warnings| front.remarks = warnings);
    (front, result)
}

/// Compiles a program as the user asked for, who may have asked for names that it does not define, and says
/// how long each pass took.
pub fn compile_timed(file: &Path, settings: &Settings, times: &mut Times) -> (Front, Result<(), Failure>) {
    let mut front = check_timed(file, times);
    let result = match settings.entry_points.iter().find_map(|name| missing_entry(file, &front, name)) {
        Some(message) => Err(Failure::Outside(message)),
        None => compile_checked(&front, settings, times).map(|warnings| front.remarks = warnings),
    };
    (front, result)
}

/// What to say if a program does not define what is to be called. Any definition can be called, not only entry points.
pub fn missing_entry(file: &Path, front: &Front, name: &str) -> Option<String> {
    let program = front.program.as_ref()?;
    if matches!(program.env.terms.get(&Symbol::new(name)), Some(TermEntry::Val(_))) {
        return None;
    }
    let names: Vec<String> = program
        .decs
        .iter()
        .filter_map(|d| match d {
            Dec::Val(b) => b.entry.as_ref().map(|e| format!("`{}`", e.name)),
            Dec::TypeDef(..) | Dec::Alias(_) | Dec::Functor(_) | Dec::Apply(_) => None,
        })
        .collect();
    let there = match names.is_empty() {
        true => format!("`entry {name} ... = ...` defines one"),
        false => format!("`-e NAME` calls another one: {}", names.join(", ")),
    };
    Some(format!("{} has no entry point `{name}`; {there}", file.display()))
}

/// Compiles a checked program.
pub fn compile_front(front: &Front, settings: &Settings) -> Result<(), Failure> {
    compile_checked(front, settings, &mut Times::default()).map(drop)
}

/// Returns what generating the text had to say.
fn compile_checked(
    front: &Front,
    settings: &Settings,
    times: &mut Times,
) -> Result<Vec<Diagnostic>, Failure> {
    let generated = generate(front, settings, times).map_err(Failure::Program)?;
    let text = generated.text;
    let with = |extension: &str| {
        let mut path = settings.output.clone().into_os_string();
        path.push(extension);
        PathBuf::from(path)
    };
    match settings.product {
        Product::Library => {
            let files = [(".c", &text.c_text), (".h", &text.header), (".json", &text.manifest_json)];
            times.time("write", || {
                let mut batch = Batch::default();
                files.iter().try_for_each(|(extension, text)| batch.file(&with(extension), text))?;
                batch.finish()
            })
        }
        Product::Executable | Product::Server => {
            let output = &settings.output;
            let processor = if settings.stays_here { cc::this_processor() } else { &[] };
            let build = || cc::build(&text.c_text, &with(".c"), output, settings.target, processor);
            cc::check_output(output).and_then(|()| times.time("C compiler", build)).map_err(|e| e.to_string())
        }
    }
    .map_err(Failure::Outside)?;
    Ok(generated.warnings)
}
