//! What happens to a program on each back end, from the checked source to text: the table of contents of the compiler.
//!
//! Each back end has a list ([`of`]): [`c`], [`multicore`], [`gpu`] (OpenCL and CUDA differ in three steps).
//! All start with [`soacs`]. A line is a pass or a lowering, with the reason why it stands there; `fehu dev
//! --list` prints the lists.
//!
//! ```text
//! source ─ lower ─> soacs ─ flatten ─> kernels ─ introduce-memory ─> memory ─ translate ─> imp ─ text ─> text
//! ```
//!
//! Programs go one way, with one exception that has a name: on GPUs, `kernels-or-host-loops` runs the steps
//! from flattening to memory, and when one of them refuses a kernel (it would have to allocate while it
//! runs), leaves out the version of an irregular nest that it is in, or makes a host loop of the outermost
//! parallel operation around it, and runs those steps again. The user gets a warning of host loops.

use crate::compile::{Product, Settings};
use crate::front::Front;
use crate::target::Target;
use fehu_ad::{ordered, Machine, Options};
use fehu_base::{Diagnostic, Span};
use fehu_codegen::{Backend, Mode, Output};
use fehu_flatten::irregular::{self, Form};
use fehu_flatten::joined_rows;
use fehu_flatten::{branch_elements, few_points};
use fehu_imp::syntax::Program;
use fehu_impopt::{
    barriers, bits, checks, device_loops, device_scalars, divisors, equal_kernels, host_results, late_awaits,
    late_reads, leave, loops, offsets, outline, own_elements, parts, prefetch, quotients, range_checks,
    read_ahead, restrict, unroll, walks, while_pieces, Analysis,
};
use fehu_ir::{Kernels, Memory, Prog, Soacs};
use fehu_kernels::in_order;
use fehu_kernels::inside;
use fehu_kernels::jam;
use fehu_kernels::legalise;
use fehu_kernels::opt::{
    fuse_thread_loops, layout, loop_scalars, progressions, recompute, rectangles, scan_epilogue,
    single_point, wide_bins,
};
use fehu_kernels::{schedule, settled};
use fehu_memory::{
    banks, buffers, dead, divisions, hoist, interleave, loops_in_place, merge, reuse, shared, shortcircuit,
    ScalarRecursion,
};
use fehu_opt::accumulators::Bins;
use fehu_opt::fusion::over_views;
use fehu_opt::{
    accumulators, copies, cse, dce, filter, fusion, inline, invariant, mark_consumed, operators, promises,
    runs, simplify, sink,
};
use fehu_pass::{Pipeline, Refusal, Stop};
use std::cell::RefCell;

/// The whole way of a back end. Warnings for the user are left in the list.
pub fn of<'a>(
    front: &'a Front,
    settings: &'a Settings,
    warnings: &'a RefCell<Vec<Diagnostic>>,
) -> Pipeline<'a, (), Output> {
    let imp = match settings.target {
        Target::C => c(settings),
        Target::Multicore => multicore(settings),
        Target::OpenCl | Target::Cuda => gpu(front, settings, warnings),
    };
    Pipeline::new()
        .lowering(
            "lower",
            move |()| lowered(front, settings),
            "modules, polymorphism and functions as values go",
        )
        .then(imp)
        .lowering("text", move |prog| Ok(text(front, settings, &prog)), "the end")
}

/// Optimised combinators.
pub fn soacs<'a>(settings: &Settings) -> Pipeline<'a, Prog<Soacs>, Prog<Soacs>> {
    fused(settings)
        .then(finished())
        .pass(promises::PASS, "what loops are made of looks for checks that may fail")
}

/// The same with irregular nests in versions.
pub fn soacs_in_versions<'a>(settings: &Settings) -> Pipeline<'a, Prog<Soacs>, Prog<Soacs>> {
    let flat = Pipeline::new()
        .pass(
            promises::PASS,
            "from here on, what has a check may fail; versions of what nothing needs are not wanted",
        )
        .pass(few_points::PASS, "maps are as fused as they get; calls that leave them are done together")
        .pass(
            joined_rows::PASS,
            "all readers of a joined array are known; fusion#2 puts what it emits into them",
        )
        .pass(
            branch_elements::PASS,
            "the sides of branches are as fused as they get; what it emits is no irregular nest",
        )
        .pass(
            irregular::PASS,
            "nests are as fused as they get; what it emits is fused by the steps that follow",
        )
        .pass(
            copies::PASS,
            "recursion that goes level by level takes arrays over, and reads parts of what it gives back",
        );
    fused(settings).then(flat).then(finished())
}

/// What derivatives are for, and what becomes of their accumulators whose index is data.
pub(crate) fn of_derivatives(settings: &Settings) -> (Options, Bins) {
    let (machine, bins) = match settings.target {
        Target::C => (Machine::Cpu, Bins::Updates),
        Target::Multicore => (Machine::Cpu, Bins::Histograms),
        Target::OpenCl | Target::Cuda => (Machine::Gpu, Bins::Histograms),
    };
    (Options { machine, tape_bytes: settings.tape_memory }, bins)
}

/// Up to the first fusion, and what that makes possible.
fn fused<'a>(settings: &Settings) -> Pipeline<'a, Prog<Soacs>, Prog<Soacs>> {
    let (options, bins) = of_derivatives(settings);
    Pipeline::new()
        .pass(
            simplify::SOACS,
            "lowering leaves constants and copies; small functions cost less when they are inlined",
        )
        .pass(inline::PASS, "everything after sees through calls")
        .pass(simplify::SOACS, "arguments meet the code that uses them")
        .pass(cse::SOACS, "the same checks and sizes were computed at many call sites")
        .pass(
            invariant::PASS,
            "what checks and sizes depend on is known; fusion would mix parts that are the same with others",
        )
        .pass(
            simplify::SOACS,
            "what became equal folds, and parts leave loops; fusion wants to see only live uses",
        )
        .pass_or_refuse(
            "derive",
            move |prog| fehu_ad::derive(prog, options),
            "functions are inlined and small; fusion mixes what has rules of its own, and fuses what this makes",
        )
        .pass(
            accumulators::pass(bins),
            "derivatives make most of them; fusion stops at what remains, and fuses what this makes",
        )
        .then(in_order(settings))
        .pass(copies::PASS, "views of arrays that change later look like copies, which hinders fusion")
        .pass(fusion::PASS, "arrays that are only read element by element are not computed as arrays")
        .pass(runs::PASS, "operations are as fused as most get, and checks have left them; the next step moves what it allows")
        .pass(simplify::SOACS, "fused lambdas hold intermediate values that are now scalars")
        .pass(cse::SOACS, "fused lambdas compute the same things")
        .pass(filter::PASS, "after fusion, all uses of a filtered array are in one place")
}

/// For GPUs that are to add up floats in an order that depends on sizes alone; else nothing.
fn in_order<'a>(settings: &Settings) -> Pipeline<'a, Prog<Soacs>, Prog<Soacs>> {
    match on_gpu_in_order(settings) {
        true => Pipeline::new().pass(ordered::PASS, "what was an accumulation is a histogram by now"),
        false => Pipeline::new(),
    }
}

/// Whether a GPU adds up floats in such an order. On CPUs that is the runtime's business.
fn on_gpu_in_order(settings: &Settings) -> bool {
    settings.deterministic && matches!(settings.target, Target::OpenCl | Target::Cuda)
}

/// From there to combinators as they are lowered.
fn finished<'a>() -> Pipeline<'a, Prog<Soacs>, Prog<Soacs>> {
    Pipeline::new()
        .pass(simplify::SOACS, "filters that are gone, and what others no longer need to keep")
        .pass(fusion::PASS, "bodies of fused lambdas meet, and views have become simple")
        .pass(simplify::SOACS, "clean up for the steps that follow")
        .pass(
            cse::SOACS,
            "fusion wanted producers of their own; what is stored, or counted, from here on is one",
        )
        .pass(
            sink::PASS,
            "what only one branch needs is computed there; after this nothing looks across branches",
        )
        .pass(mark_consumed::SOACS, "later steps rely on the marks, also on lambdas that fusion made")
}

/// Sequential C.
pub fn c<'a>(settings: &Settings) -> Pipeline<'a, Prog<Soacs>, Program> {
    soacs(settings)
        .pass(over_views::PASS, "after fusion, which maps of views remain is known")
        .lowering("sequential", |prog| Ok(fehu_flatten::sequential(prog)), "combinators become loops")
        .pass(simplify::KERNELS, "elements of ranges and replicates are known now that combinators are loops")
        .pass(cse::KERNELS, "inlined operators compute what is around them")
        .pass(fuse_thread_loops::ON_CPUS, "what loops read of each other is as simple as it gets")
        .pass(dce::FLATTENED, "arrays that the step above replaced")
        .pass(simplify::KERNELS, "clean up for the steps that follow")
        .then(memory(Target::C))
        .pass(divisions::PASS, "nothing reasons about indices any more")
        .lowering("translate", |prog| Ok(fehu_impgen::translate(prog)), "arrays become blocks and offsets")
        .then(cpu_loops())
}

/// C with threads.
pub fn multicore<'a>(settings: &Settings) -> Pipeline<'a, Prog<Soacs>, Program> {
    let flatten = |prog| Ok(fehu_flatten::multicore(prog, &fehu_flatten::MulticoreOptions::default()));
    soacs(settings)
        .pass(over_views::PASS, "after fusion, which maps of views remain is known")
        .lowering("multicore", flatten, "combinators become tasks and loops")
        .pass(simplify::KERNELS, "elements of arrays that nobody needs as arrays are scalars now")
        .pass(fuse_thread_loops::ON_CPUS, "loops of tasks are as they will be")
        .pass(dce::FLATTENED, "arrays that the step above replaced")
        .pass(simplify::KERNELS, "elements that are handed on are scalars")
        .then(memory(Target::Multicore))
        .pass(divisions::PASS, "nothing reasons about indices any more")
        .pass(schedule::TASKS, "what a point costs is known when nothing changes it any more")
        .lowering("translate", |prog| Ok(fehu_impgen::translate(prog)), "arrays become blocks and offsets")
        .then(cpu_loops())
}

/// OpenCL and CUDA.
pub fn gpu<'a>(
    front: &'a Front,
    settings: &'a Settings,
    warnings: &'a RefCell<Vec<Diagnostic>>,
) -> Pipeline<'a, Prog<Soacs>, Program> {
    let kernels = soacs_in_versions(settings)
        .pass(
            operators::PASS,
            "flattening takes operators on arrays to pieces; other back ends apply them whole",
        )
        .pass(mark_consumed::SOACS, "the step above made lambdas")
        .retry_on_refusal(
            "kernels-or-host-loops",
            kernels(settings),
            move |prog, refusals| serialise(front, prog, refusals, warnings),
            "a parallel operation that no kernel can run has another version, or becomes a loop of the host",
        )
        .pass(
            settled::PASS,
            "no statement goes any more, so that checks stay without anybody who relies on them",
        )
        .pass(
            match settings.target {
                Target::Cuda => schedule::WITH_WARPS,
                Target::OpenCl | Target::C | Target::Multicore => schedule::WITHOUT_WARPS,
            },
            "which reads threads share, and which operations have a grid, is known when all memory is",
        )
        .then(scans_in_order(settings))
        .pass_or_refuse(
            "trace-warnings",
            move |prog| warn_of_traces(front, prog, warnings),
            "what runs in kernels is known now",
        )
        .pass(jam::PASS, "only maps that are not tiled; tests for edges that points share stay as they are")
        .pass(inside::PASS, "only maps that are not tiled; divisions that are left become cheaper")
        .pass(divisions::PASS, "nothing reasons about indices any more")
        .lowering("translate", |prog| Ok(fehu_impgen::translate(prog)), "one kernel or more per operation")
        .pass(
            device_loops::PASS,
            "which loops allocate nothing, and have nothing parallel in them, is known now",
        )
        .pass(leave::PASS, "kernels have all their checks; what is left are barriers")
        .pass(own_elements::PASS, "what stays in registers needs no barriers")
        .pass(late_awaits::PASS, "what is left of barriers is known; some are needed twice no longer")
        .pass(barriers::PASS, "operations of a block begin and end with a barrier, each for its own sake")
        .pass(device_scalars::PASS, "only now is it known which scalars the host reads");
    let late = match settings.target {
        Target::Cuda => kernels
            .pass(late_reads::PASS, "what the host reads now, it needs")
            .pass(host_results::PASS, "which blocks only the host reads is known now"),
        Target::OpenCl | Target::C | Target::Multicore => kernels,
    };
    let walks = match settings.target {
        Target::Cuda => walks::PASS_OF_WARPS,
        Target::OpenCl | Target::C | Target::Multicore => walks::PASS,
    };
    let late = late
        .pass(divisors::PASS, "scalars that stay on the device are no parameters any more")
        .pass(quotients::PASS, "which divisions are by inverses is known now")
        .pass(restrict::PASS, "all blocks that kernels get are known now, also those of scalars that stay")
        .pass(bits::PASS, "before loops are taken to pieces")
        .pass(walks, "which blocks are only read is known now; pieces are loops that are unrolled")
        .pass(read_ahead::PASS, "loops that walks have left, because they have checks")
        .pass(prefetch::PASS, "loops that have neither pieces nor checks");
    let late = match settings.target {
        Target::Cuda => late.pass(while_pieces::PASS, "nothing looks into loops any more"),
        Target::OpenCl | Target::C | Target::Multicore => late,
    };
    late.pass(unroll::PASS, "kernels are complete")
        .pass(checks::PASS, "so late that no check gets a number and then goes")
        .pass(equal_kernels::PASS, "kernels are complete")
        .pass(parts::PASS, "last, since passes look at whole functions")
}

/// Scans are scheduled by now.
fn scans_in_order<'a>(settings: &Settings) -> Pipeline<'a, Prog<Memory>, Prog<Memory>> {
    match on_gpu_in_order(settings) {
        true => {
            Pipeline::new().pass(in_order::SCANS, "how scans run is known; nothing else adds up as it comes")
        }
        false => Pipeline::new(),
    }
}

/// Updates that threads make as they come are refused, where their order matters.
fn no_updates<'a>(settings: &Settings) -> Pipeline<'a, Prog<Kernels>, Prog<Kernels>> {
    match on_gpu_in_order(settings) {
        true => Pipeline::new().pass_or_refuse(
            "updates-in-order",
            |prog| in_order::refused(prog),
            "what is a kernel is known; the host makes such updates in their order",
        ),
        false => Pipeline::new(),
    }
}

/// From combinators to kernels with memory.
pub fn kernels(settings: &Settings) -> Pipeline<'_, Prog<Soacs>, Prog<Memory>> {
    let unrecursive = |prog: &mut Prog<Kernels>| {
        let of_scalars = match settings.target {
            Target::OpenCl => ScalarRecursion::Forbidden,
            Target::C | Target::Multicore | Target::Cuda => ScalarRecursion::Allowed,
        };
        fehu_memory::recursive_kernels(prog, of_scalars)
    };
    let layout = match settings.target {
        Target::Cuda => layout::PASS_OF_WARPS,
        Target::OpenCl | Target::C | Target::Multicore => layout::PASS,
    };
    flattened(settings)
        .then(no_updates(settings))
        .pass(progressions::PASS, "every version of a nest has its own reads of iotas now")
        .pass(fuse_thread_loops::PASS, "bodies of threads are sequential now")
        .pass(recompute::PASS, "all maps are known, and nothing has looked at their results yet; the next steps clean up")
        .pass(
            dce::FLATTENED,
            "the parts of operators that nobody uses; arrays that the steps above replaced",
        )
        .pass_or_refuse(
            "no-recursion",
            unrecursive,
            "kernels cannot call functions of arrays that call themselves; nothing more is done for versions that go",
        )
        .pass(simplify::FLATTENED, "versions of a nest have constants and copies of their own")
        .pass(cse::KERNELS, "what distribution copied into several kernels of a version")
        .pass(legalise::inline::PASS, "kernels cannot call functions that allocate")
        .pass(loop_scalars::PASS, "after inlining, all kernels of a loop are visible")
        .pass(single_point::PASS, "after inlining, scalars between arrays are visible")
        .pass(legalise::CONSTANTS, "kernels cannot allocate")
        .pass(legalise::OPERATORS, "kernels combine scalars")
        .pass(wide_bins::PASS, "operators are on scalars now, and elements of repeated values are known")
        .pass(legalise::FILL, "the host does not loop over elements; also for what the step above added")
        .pass(scan_epilogue::PASS, "all maps are kernels now")
        .pass(layout, "all kernels, and what each of them reads, are known now")
        .pass(rectangles::PASS, "which arrays blocks read is final")
        .pass(mark_consumed::KERNELS, "memory relies on the marks, also on lambdas that the step above made")
        .then(memory(settings.target))
}

/// Combinators as segmented operations, in versions: what thresholds are about.
pub fn flattened(settings: &Settings) -> Pipeline<'_, Prog<Soacs>, Prog<Kernels>> {
    let flatten = |prog| {
        let warps = matches!(settings.target, Target::Cuda);
        let options = fehu_flatten::GpuOptions { moderate: settings.moderate, warps, ..Default::default() };
        Ok(fehu_flatten::gpu(prog, &options))
    };
    Pipeline::new().lowering(
        "flatten",
        flatten,
        "nested parallelism becomes segmented operations, in versions",
    )
}

/// Every array gets a place, then fewer places and copies are needed.
fn memory<'a>(target: Target) -> Pipeline<'a, Prog<Kernels>, Prog<Memory>> {
    let interleave = match target {
        Target::Cuda => interleave::PASS_OF_WARPS,
        Target::OpenCl | Target::C | Target::Multicore => interleave::PASS,
    };
    let introduce = |prog| fehu_memory::introduce(prog).map_err(Stop::Refused);
    Pipeline::new()
        .lowering("introduce-memory", introduce, "every array gets a block and an index function")
        .pass(dead::PASS, "sizes that are known elsewhere now")
        .pass(loops_in_place::PASS, "an array that stays in its block can then be computed where it ends up")
        .pass(shortcircuit::PASS, "before expansion, a thread's arrays are still its own")
        .pass(reuse::PASS, "what short-circuiting could move needs no block; the rest may take over one")
        .pass(
            buffers::kernel::PASS,
            "the copies that short-circuiting left in loops; before expansion, a thread's arrays are still its own",
        )
        .pass_or_refuse("expand-memory", fehu_memory::expand, "kernels do not allocate")
        .pass(dead::PASS, "sizes of blocks that expansion replaced")
        .pass(interleave, "which rows of threads remain is known after short-circuiting")
        .pass(merge::PASS, "all sizes in kernels are known to the host; blocks of an iteration become one before they leave it")
        .pass(buffers::PASS, "what iterations still hand on in fresh blocks they take turns with")
        .pass(hoist::PASS, "the allocations that are left leave loops")
        .pass(merge::PASS, "what has left a loop is there all the time, so fewer blocks count")
        .pass(banks::PASS, "no array in shared memory gets another place any more")
        .pass(shared::PASS, "only now is it known what kernels allocate")
        .pass(
            fehu_memory::CHECK_KERNELS,
            "an allocation in a kernel would be a crash of the compiled program",
        )
}

/// Loops of CPUs, whose offsets are known now.
fn cpu_loops<'a>() -> Pipeline<'a, Program, Program> {
    Pipeline::new()
        .pass(loops::INTERCHANGE, "walks along rows vectorise, walks down columns do not")
        .pass(loops::SPLIT, "innermost loops without special cases vectorise")
        .pass(loops::CHAINS, "sums do not wait for each addition, and vectorise")
        .pass(loops::LANES, "loops that end at different times vectorise by neighbours")
        .pass(range_checks::PASS, "what asks for the sides of a check has been done")
        .pass(offsets::PASS, "loops have their counters, and nothing looks for shapes of indices any more")
        .pass(outline::PASS, "loops are as they will be; what they write is known to be no other memory")
}

/// The first step by itself, for the interpreter: derivatives are code.
pub fn lower(front: &Front, settings: &Settings) -> Result<Prog<Soacs>, Stop> {
    let mut prog = lowered(front, settings)?;
    let refusals = fehu_ad::derive_only(&mut prog);
    match refusals.is_empty() {
        true => Ok(prog),
        false => Err(Stop::Refused(refusals)),
    }
}

fn lowered(front: &Front, settings: &Settings) -> Result<Prog<Soacs>, Stop> {
    let Some(program) = &front.program else { return Err(Stop::Errors(front.diagnostics.clone())) };
    let options = fehu_lower::Options {
        extra_entries: settings.entry_points.clone(),
        prelude: front.prelude.clone(),
        safe: settings.safe,
        stops: settings.stops,
    };
    fehu_lower::lower(program, &options).map_err(Stop::Errors)
}

fn text(front: &Front, settings: &Settings, program: &Program) -> Output {
    let backtrace = |loc: &fehu_ir::Loc| fehu_codegen::backtrace(&front.sources, loc);
    let options = fehu_codegen::Options {
        mode: match settings.product {
            Product::Executable => Mode::Executable,
            Product::Server => Mode::Server,
            Product::Library => Mode::Library,
        },
        backtrace: &backtrace,
        deterministic: settings.deterministic,
        version: concat!("fehu ", env!("CARGO_PKG_VERSION")),
    };
    let backend = match settings.target {
        Target::C => Backend::C,
        Target::Multicore => Backend::Multicore,
        Target::OpenCl => Backend::OpenCl,
        Target::Cuda => Backend::Cuda,
    };
    let analysis = Analysis::of(program, backend.memory());
    fehu_codegen::generate(backend, program, &analysis, &options)
}

/// The remedy for refused kernels: where another version does without them, that one is left; else the
/// outermost parallel operations around them are flattened, or become host loops, with a warning that names
/// what is in the way.
fn serialise(
    front: &Front,
    prog: Prog<Soacs>,
    refusals: Vec<Refusal>,
    warnings: &RefCell<Vec<Diagnostic>>,
) -> Result<Prog<Soacs>, Stop> {
    let kernels: Vec<fehu_ir::Loc> = refusals.iter().map(|r| r.kernel.clone()).collect();
    let (prog, found) = irregular::only_flat(prog, &kernels);
    if found {
        return Ok(prog);
    }
    let irregular::Flattened { prog, any, stays } = irregular::flattened(prog, &kernels);
    if any {
        return Ok(prog);
    }
    let (prog, serialised) = fehu_flatten::serialise_on_host(prog, &kernels);
    if serialised.is_empty() {
        return Err(Stop::Errors(problems(front, refusals)));
    }
    let mut warnings = warnings.borrow_mut();
    for loc in serialised {
        let span = written(front, &loc);
        let reason = stays.iter().find(|s| s.nest == loc).map(|s| (s.form, written(front, &s.at)));
        let (form, at) = reason.unwrap_or((Form::Other, span));
        let line = front.sources.get(at.file).map_or(0, |file| file.line_col(at.lo).0);
        let message = format!(
            "This is not run in parallel, but step by step by the host: it has {form}, in line {line}."
        );
        let mut warning = Diagnostic::warning(span, message);
        if let Some(r) = refusals.iter().find(|r| r.kernel == loc).or(refusals.first()) {
            warning = warning.related(r.problem.span, r.problem.message.clone());
            warning.help.clone_from(&r.problem.help);
        }
        if warnings.iter().all(|w| w.span != span) {
            warnings.push(warning);
        }
    }
    Ok(prog)
}

/// What to say of kernels that cannot be compiled, at places in the user's own text.
fn problems(front: &Front, refusals: Vec<Refusal>) -> Vec<Diagnostic> {
    let problem = |r: Refusal| match front.prelude.contains(&r.problem.span.file) {
        true => Diagnostic { span: written(front, &r.kernel), ..r.problem },
        false => r.problem,
    };
    refusals.into_iter().map(problem).collect()
}

/// Kernels cannot print: where they should, the user is warned.
fn warn_of_traces(front: &Front, prog: &Prog<Memory>, warnings: &RefCell<Vec<Diagnostic>>) -> Vec<Refusal> {
    let mut spans: Vec<Span> =
        fehu_impgen::kernel_traces(prog).iter().map(|loc| written(front, loc)).collect();
    spans.sort();
    spans.dedup();
    let ignored = "`#[trace]` prints nothing here: this is computed on the GPU.";
    warnings.borrow_mut().extend(spans.into_iter().map(|span| Diagnostic::warning(span, ignored)));
    vec![]
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
