//! The way from a checked program to text, per back end. One function reads
//! like the table of contents of the compiler: [`generate`].

use crate::compile::{Product, Settings};
use crate::front::Front;
use crate::times::Times;
use fehu_base::{Diagnostic, Span};
use fehu_codegen::gpu::Api;
use fehu_codegen::{Mode, Output};
use fehu_ir::print::{print_prog, Locations};
use fehu_ir::{Kernels, Memory, Prog, Rep, Soacs};

/// A back end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Sequential C.
    C,
    /// C with threads.
    Multicore,
    /// C with kernels that OpenCL runs.
    OpenCl,
    /// C with kernels that CUDA runs.
    Cuda,
}

impl Target {
    /// All back ends.
    pub const ALL: [Target; 4] = [Target::C, Target::Multicore, Target::OpenCl, Target::Cuda];

    /// What commands, `--backend` and tags such as `no_c` call it.
    pub fn name(self) -> &'static str {
        match self {
            Target::C => "c",
            Target::Multicore => "multicore",
            Target::OpenCl => "opencl",
            Target::Cuda => "cuda",
        }
    }

    /// The back end of this name, or what to tell who asked for it.
    pub fn named(name: &str) -> Result<Target, String> {
        Target::ALL.into_iter().find(|t| t.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Target::ALL.into_iter().map(Target::name).collect();
            format!("there is no back end named `{name}`; there is: {}", names.join(", "))
        })
    }

    /// What the executable is linked with.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Target::C | Target::Multicore => &["-lm", "-lpthread"],
            Target::OpenCl | Target::Cuda => &["-lm", "-lpthread", "-ldl"],
        }
    }
}

/// The names of the stages whose result can be printed, in order.
pub const STAGES: [&str; 8] =
    ["lower", "opt", "gpu", "gpu-prepared", "gpu-memory", "multicore", "sequential", "memory"];

/// The pass over the imperative IR, as `--skip-pass` names it.
const IMPROVE_LOOPS: &str = "improve-loops";

/// The text of a program, and what its author should know about it.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Generated {
    pub text: Output,
    pub warnings: Vec<Diagnostic>,
}

/// Generates the text of a program.
pub fn generate(front: &Front, settings: &Settings, times: &mut Times) -> Result<Generated, Vec<Diagnostic>> {
    check_skipped(settings)?;
    let prog = times.time("lower", || lower(front, settings))?;
    let prog = optimise(prog, settings, times);
    let (prog, warnings) = match settings.target {
        Target::C => {
            let prog = sequential(prog, settings, times);
            (memory(prog, settings, times).map_err(problems)?, vec![])
        }
        Target::Multicore => {
            let prog = multicore(prog, settings, times);
            (memory(prog, settings, times).map_err(problems)?, vec![])
        }
        Target::OpenCl | Target::Cuda => gpu_memory(front, prog, settings, times)?,
    };
    let machine = fehu_imp::Machine { warps: settings.target == Target::Cuda };
    let mut program = times.time("translate", || fehu_imp::translate(prog, machine));
    let improve = !skipped(settings).iter().any(|s| s == IMPROVE_LOOPS);
    if matches!(settings.target, Target::C | Target::Multicore) && improve {
        times.time(IMPROVE_LOOPS, || fehu_imp::loops::improve(&mut program));
    }
    let backtrace = |loc: &fehu_ir::Loc| fehu_codegen::backtrace(&front.sources, loc);
    let options = fehu_codegen::Options {
        mode: match settings.product {
            Product::Executable => Mode::Executable,
            Product::Server => Mode::Server,
            Product::Library => Mode::Library,
        },
        backtrace: &backtrace,
        version: concat!("fehu ", env!("CARGO_PKG_VERSION")),
    };
    let text = times.time("text", || match settings.target {
        Target::C => fehu_codegen::c::generate(&program, &options),
        Target::Multicore => fehu_codegen::multicore::generate(&program, &options),
        Target::OpenCl => fehu_codegen::gpu::generate(&program, &options, Api::OpenCl),
        Target::Cuda => fehu_codegen::gpu::generate(&program, &options, Api::Cuda),
    });
    Ok(Generated { text, warnings })
}

/// The core IR as text after a stage.
pub fn dump_after(front: &Front, settings: &Settings, stage: &str) -> Result<String, Vec<Diagnostic>> {
    let times = &mut Times::default();
    let prog = lower(front, settings)?;
    if stage == "lower" {
        return Ok(print_prog(&prog, Locations::Hidden));
    }
    let mut found = None;
    let prog = {
        let mut dump = |id: &fehu_opt::PassId, prog: &Prog<Soacs>| {
            if found.is_none() && id.matches(stage) {
                found = Some(print_prog(prog, Locations::Hidden));
            }
        };
        let mut options = pass_options(settings);
        options.dump = Some(&mut dump);
        fehu_opt::run(prog, &fehu_opt::standard_pipeline(), &mut options)
    };
    if let Some(text) = found {
        return Ok(text);
    }
    if stage == "opt" {
        return Ok(print_prog(&prog, Locations::Hidden));
    }
    if stage == "gpu" {
        return Ok(print_prog(&gpu(prog, settings, times), Locations::Hidden));
    }
    if stage == "multicore" {
        return Ok(print_prog(&multicore(prog, settings, times), Locations::Hidden));
    }
    if stage == "gpu-prepared" {
        return Ok(print_prog(&gpu_prepared(prog, settings, times), Locations::Hidden));
    }
    if stage == "gpu-memory" {
        return Ok(print_prog(&gpu_memory(front, prog, settings, times)?.0, Locations::Hidden));
    }
    let prog = sequential(prog, settings, times);
    if stage == "sequential" {
        return Ok(print_prog(&prog, Locations::Hidden));
    }
    let prog = memory(prog, settings, times).map_err(problems)?;
    if stage == "memory" {
        return Ok(print_prog(&prog, Locations::Hidden));
    }
    let message = format!("There is no stage named \"{stage}\".");
    let mut passes: Vec<&str> = vec![];
    for step in fehu_opt::standard_pipeline().steps {
        if !passes.contains(&step.pass.name) {
            passes.push(step.pass.name);
        }
    }
    let stages = STAGES.join(", ");
    let help = format!("the stages are: {stages}; and within opt: {}", passes.join(", "));
    Err(vec![Diagnostic::error(Span::NONE, message).help(help)])
}

/// Whether printing and reading back the core IR loses nothing, after every stage: the name of a stage
/// where it does.
pub fn round_trip(front: &Front, settings: &Settings) -> Result<Option<&'static str>, Vec<Diagnostic>> {
    let times = &mut Times::default();
    fn same<R: Rep>(prog: &Prog<R>) -> bool {
        let text = print_prog(prog, Locations::Hidden);
        fehu_ir::read::read_prog::<R>(&text).is_ok_and(|p| print_prog(&p, Locations::Hidden) == text)
    }
    let prog = lower(front, settings)?;
    if !same(&prog) {
        return Ok(Some("lower"));
    }
    let prog = optimise(prog, settings, times);
    if !same(&prog) {
        return Ok(Some("opt"));
    }
    let prog = sequential(prog, settings, times);
    if !same(&prog) {
        return Ok(Some("sequential"));
    }
    let prog = memory(prog, settings, times).map_err(problems)?;
    Ok(if same(&prog) { None } else { Some("memory") })
}

fn lower(front: &Front, settings: &Settings) -> Result<Prog<Soacs>, Vec<Diagnostic>> {
    let Some(program) = &front.program else { return Err(front.diagnostics.clone()) };
    let options = fehu_lower::Options { extra_entries: settings.entry_points.clone(), safe: settings.safe };
    Ok(valid("lower", fehu_lower::lower(program, &options)?))
}

fn optimise(prog: Prog<Soacs>, settings: &Settings, times: &mut Times) -> Prog<Soacs> {
    valid("opt", passes(prog, &fehu_opt::standard_pipeline(), settings, times, ""))
}

/// Runs passes; those over `Kernels` are named with the stage they follow.
fn passes<R: Rep>(
    prog: Prog<R>,
    pipeline: &fehu_opt::Pipeline<R>,
    settings: &Settings,
    times: &mut Times,
    prefix: &str,
) -> Prog<R> {
    let mut options = pass_options(settings);
    let prog = fehu_opt::run(prog, pipeline, &mut options);
    for (pass, time) in &options.times {
        times.add(&format!("{prefix}{pass}"), *time);
    }
    prog
}

fn pass_options<'a, R: Rep>(settings: &Settings) -> fehu_opt::Options<'a, R> {
    let mut options = fehu_opt::Options::default();
    options.skip = skipped(settings);
    options
}

/// The passes to leave out: those that the settings name, and those that the environment does, which reaches every command.
fn skipped(settings: &Settings) -> Vec<String> {
    let mut skip = settings.skip_passes.clone();
    if let Ok(more) = std::env::var("FEHU_SKIP_PASS") {
        skip.extend(more.split(',').map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()));
    }
    skip
}

/// That what is to be left out are passes that can be left out.
fn check_skipped(settings: &Settings) -> Result<(), Vec<Diagnostic>> {
    let mut optional: Vec<&str> = vec![];
    let opt = fehu_opt::standard_pipeline().steps.into_iter().map(|s| s.pass.name);
    let kernels = fehu_opt::kernels_pipeline().steps.into_iter().map(|s| s.pass.name);
    for name in opt.chain(kernels).chain(fehu_memory::PASSES).chain([IMPROVE_LOOPS]) {
        if !optional.contains(&name) {
            optional.push(name);
        }
    }
    for name in skipped(settings) {
        let base = name.split('#').next().unwrap_or_default();
        if !optional.contains(&base) {
            let message = format!("There is no pass named \"{name}\" that can be left out.");
            let help = format!("the passes are: {}", optional.join(", "));
            return Err(vec![Diagnostic::error(Span::NONE, message).help(help)]);
        }
    }
    Ok(())
}

fn sequential(prog: Prog<Soacs>, settings: &Settings, times: &mut Times) -> Prog<Kernels> {
    let prog = valid("sequential", times.time("sequential", || fehu_flatten::sequential(prog)));
    passes(prog, &fehu_opt::kernels_pipeline(), settings, times, "sequential ")
}

fn multicore(prog: Prog<Soacs>, settings: &Settings, times: &mut Times) -> Prog<Kernels> {
    let options = fehu_flatten::MulticoreOptions::default();
    let mut prog = times.time("multicore", || fehu_flatten::multicore(prog, &options));
    // Elements of arrays that nobody needs as arrays are values now.
    if !skipped(settings).iter().any(|s| s == "simplify") {
        times.time("multicore simplify#1", || fehu_opt::simplify::simplify(&mut prog));
    }
    valid("multicore", prog)
}

/// Flattening for GPUs.
fn gpu(prog: Prog<Soacs>, settings: &Settings, times: &mut Times) -> Prog<Kernels> {
    let options = fehu_flatten::GpuOptions { moderate: settings.moderate, ..Default::default() };
    let mut prog = valid("gpu", times.time("gpu", || fehu_flatten::gpu(prog, &options)));
    // What combinators had to compute, loops need not: parts of operators whose results nobody uses.
    times.time("gpu dead code", || fehu_opt::dce::flattened(&mut prog));
    valid("gpu dead code", prog)
}

/// Flattening for GPUs, ready for memory.
fn gpu_prepared(prog: Prog<Soacs>, settings: &Settings, times: &mut Times) -> Prog<Kernels> {
    let prog = gpu(prog, settings, times);
    valid("gpu-prepared", times.time("gpu-prepared", || fehu_flatten::prepare(prog)))
}

/// The thresholds that choose between versions of a program on a GPU.
pub fn tuning_forest(front: &Front, settings: &Settings) -> Result<String, Vec<Diagnostic>> {
    let times = &mut Times::default();
    let prog = optimise(lower(front, settings)?, settings, times);
    Ok(fehu_flatten::tuning_forest(&gpu(prog, settings, times)))
}

/// Memory for GPUs. A kernel that cannot have its memory is taken back: its outermost combinator becomes a loop of the
/// host, with a warning, and what is inside of it is tried anew.
fn gpu_memory(
    front: &Front,
    mut prog: Prog<Soacs>,
    settings: &Settings,
    times: &mut Times,
) -> Result<(Prog<Memory>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut warnings: Vec<Diagnostic> = vec![];
    loop {
        let kernels = gpu_prepared(prog.clone(), settings, times);
        let recursive = match settings.target {
            Target::OpenCl => fehu_memory::recursive_kernels(&kernels),
            Target::C | Target::Multicore | Target::Cuda => vec![],
        };
        let refusals = match recursive.is_empty() {
            true => match memory(kernels, settings, times) {
                Ok(done) => return Ok((done, warnings)),
                Err(refusals) => refusals,
            },
            false => recursive,
        };
        let kernels: Vec<fehu_ir::Loc> = refusals.iter().map(|r| r.kernel.clone()).collect();
        let (next, stepped) = fehu_flatten::host_steps(prog, &kernels);
        if stepped.is_empty() {
            return Err(problems(refusals));
        }
        for loc in stepped {
            let span = written(front, &loc);
            let message = "This is not run in parallel: the host starts one step after the other.";
            let mut warning = Diagnostic::warning(span, message);
            if let Some(r) = refusals.iter().find(|r| r.kernel == loc).or(refusals.first()) {
                warning = warning.related(r.problem.span, r.problem.message.clone());
                warning.help.clone_from(&r.problem.help);
            }
            if warnings.iter().all(|w| w.span != span) {
                warnings.push(warning);
            }
        }
        prog = valid("host steps", next);
    }
}

/// The place in the user's own text from which another was reached.
fn written(front: &Front, loc: &fehu_ir::Loc) -> Span {
    let mut at = loc;
    while let Some(caller) = &at.caller {
        if !front.prelude.contains(&at.span.file) {
            break;
        }
        at = caller;
    }
    at.span
}

fn problems(refusals: Vec<fehu_memory::Refusal>) -> Vec<Diagnostic> {
    refusals.into_iter().map(|r| r.problem).collect()
}

fn memory(
    prog: Prog<Kernels>,
    settings: &Settings,
    times: &mut Times,
) -> Result<Prog<Memory>, Vec<fehu_memory::Refusal>> {
    let prog = times.time("memory introduction", || fehu_memory::introduce(prog))?;
    let prog = valid("memory introduction", prog);
    let told = &mut |pass: &'static str, time| times.add(pass, time);
    let prog = valid("memory", fehu_memory::optimise_without(prog, &skipped(settings), told)?);
    if validating() {
        let errors = fehu_memory::check_kernels(&prog);
        if !errors.is_empty() {
            fehu_base::bug!("memory left kernels that cannot be:\n{}", errors.join("\n"));
        }
    }
    Ok(prog)
}

fn validating() -> bool {
    cfg!(debug_assertions) || std::env::var_os("FEHU_VALIDATE").is_some()
}

/// In debug builds, or when asked to by the environment, makes sure that a stage left a valid program.
fn valid<R: Rep>(stage: &str, prog: Prog<R>) -> Prog<R> {
    if validating() {
        if let Err(errors) = fehu_ir::validate::validate(&prog) {
            fehu_base::bug!("{stage} left an invalid program:\n{}", errors.join("\n"));
        }
    }
    prog
}
