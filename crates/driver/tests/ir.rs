//! Passes and pipelines on programs given as text, one test per file.
//!
//! - `tests/ir/PASS/*.ir`: a program, and after `-- becomes` what the pass makes of it. The first line names
//!   the pass: `-- pass simplify`, `-- pass expand-memory on opencl`. Before `-- becomes`, `-- warnings` has
//!   those that the user would get; instead of both, `-- error` has the words with which the pass refuses the
//!   program, or ends the compiler. `FEHU_BLESS=1` writes all this anew. Programs over `Soacs` also give the
//!   same answers before and after.
//! - `tests/ir/fused/*.ir`: a program, and in `-- expect screma=1` how many combinators are left when it is optimised.
//! - `tests/ir/programs/*.ir`: programs over `Soacs`, which give the same answers after every step of every
//!   pipeline, with thresholds and grids of several sizes, every access to memory watched. Those of `fused`
//!   are treated so, too.
//!
//! `cargo test -p fehu-driver --test ir -- NAME` runs some of them.

use fehu_driver::compile::Settings;
use fehu_driver::explore::{from_text, NotMade};
use fehu_driver::front::Front;
use fehu_driver::pipelines;
use fehu_driver::target::Target;
use fehu_ir::interp::samples::{self, make_entry, runs, same, Checks, Run};
use fehu_ir::interp::{run_entry, Failure, Options, Value};
use fehu_ir::read::read_prog;
use fehu_ir::soac::Soac;
use fehu_ir::subst::renumber;
use fehu_ir::validate::validate;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Kernels, Memory, Prog, Rep, Soacs};
use fehu_pass::{Flow, Form, Language, Runner, StepId, Stop};
use libtest_mimic::{Arguments, Failed, Trial};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// The lines that start what a pass makes of a program: the program itself, what the user is warned of, why
/// there is none.
const BECOMES: &str = "-- becomes\n";
const WARNINGS: &str = "-- warnings\n";
const ERROR: &str = "-- error\n";

/// How the message of a `bug!` starts, and its last line.
const BUG: &str = "internal compiler error";
const REQUEST: &str = "This is a bug in fehu; please report it together with the program.";

fn main() {
    // A `bug!` that a file expects is no news, and one that it does not expect fails the test with its message.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let expected = info.payload().downcast_ref::<String>().is_some_and(|m| m.starts_with(BUG));
        if !expected {
            usual(info);
        }
    }));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut trials = vec![];
    for folder in entries(&root).into_iter().filter(|p| p.is_dir()) {
        let kind = folder.file_name().map(|n| n.to_string_lossy().to_string()).unwrap_or_default();
        for file in entries(&folder).into_iter().filter(|p| p.extension().is_some_and(|e| e == "ir")) {
            let stem = file.file_stem().map(|n| n.to_string_lossy().to_string()).unwrap_or_default();
            let name = format!("{kind}/{stem}");
            match kind.as_str() {
                "programs" => trials.push(test(name, file, means_the_same)),
                "fused" => {
                    trials.push(test(format!("{name} (count)"), file.clone(), fused));
                    trials.push(test(name, file, means_the_same));
                }
                _ => trials.push(test(name, file, pass)),
            }
        }
    }
    assert!(trials.len() > 100, "the programs are found");
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut all: Vec<PathBuf> = read.filter_map(|e| Some(e.ok()?.path())).collect();
    all.sort();
    all
}

fn test(name: String, file: PathBuf, check: fn(&Path, &str) -> Result<(), String>) -> Trial {
    Trial::test(name, move || {
        let text = std::fs::read_to_string(&file).map_err(|e| Failed::from(e.to_string()))?;
        check(&file, &text).map_err(Failed::from)
    })
}

/// The rest of a line that starts so.
fn header<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.lines().find_map(|l| l.strip_prefix(start))
}

/// A pass and what it makes of a program.
fn pass(file: &Path, text: &str) -> Result<(), String> {
    let (input, expected) = text.split_at(end_of_input(text));
    let header = header(input, "-- pass ").ok_or("the first line names the pass")?;
    let (steps, target) = header.split_once(" on ").unwrap_or((header, "cuda"));
    let steps: Vec<String> = steps.split_whitespace().map(str::to_owned).collect();
    let settings = Settings::executable(Target::named(target)?, PathBuf::new());
    let output =
        made(&settings, &marked(input)?, &steps).or_else(|bug| match expected.starts_with(ERROR) {
            true => Ok(format!("{ERROR}{bug}\n")),
            false => Err(bug),
        })?;
    if std::env::var_os("FEHU_BLESS").is_some() {
        let blessed = format!("{}\n\n{output}", input.trim_end());
        return std::fs::write(file, blessed).map_err(|e| e.to_string());
    }
    if output.trim() != expected.trim() {
        let changes = similar::TextDiff::from_lines(expected.trim(), output.trim());
        let diff = changes.unified_diff().header("expected", "found").to_string();
        return Err(format!("{diff}\nFEHU_BLESS=1 accepts this"));
    }
    let Some(after) = output.strip_prefix(BECOMES) else { return Ok(()) };
    if let (Ok(before), Ok(after)) = (read_prog::<Soacs>(&marked(input)?), read_prog::<Soacs>(after)) {
        let (mut before, mut after) = (before, after);
        make_entry(&mut before);
        make_entry(&mut after);
        let runs = runs(&before);
        compare(&runs, &results(&before, &runs), &after, &[Options::default()], Checks::MayGo)?;
    }
    Ok(())
}

/// Where the program ends, and what a pass makes of it starts.
fn end_of_input(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if [BECOMES, WARNINGS, ERROR].contains(&line) {
            break;
        }
        at += line.len();
    }
    at
}

/// What steps make of a program, as it is kept in files. Names in messages are those of the file; programs
/// are renumbered. Else, why they should not have been run on it, or the message with which one ended the
/// compiler.
fn made(settings: &Settings, input: &str, steps: &[String]) -> Result<String, String> {
    let made = std::panic::catch_unwind(|| from_text(settings, input, steps));
    match made.map_err(panic_message)? {
        Ok(made) => {
            let warnings: Vec<&str> = made.warnings.iter().map(|w| w.message.as_str()).collect();
            let warnings = match warnings.is_empty() {
                true => String::new(),
                false => format!("{WARNINGS}{}\n\n", warnings.join("\n")),
            };
            Ok(format!("{warnings}{BECOMES}{}", shown(&made.text)?))
        }
        Err(refused @ NotMade::Refused(..)) => Ok(format!("{ERROR}{refused}\n")),
        Err(wrong @ NotMade::Input(_)) => Err(wrong.to_string()),
    }
}

/// What a step that ended the compiler said, without the request to report it.
fn panic_message(payload: Box<dyn std::any::Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(message) => message.lines().filter(|l| *l != REQUEST).collect::<Vec<_>>().join("\n"),
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

/// The text of a program as passes want it: parameters that are consumed are marked, and there is an entry point.
fn marked(text: &str) -> Result<String, String> {
    match read_prog::<Soacs>(text) {
        Ok(mut prog) if text.lines().any(|l| l.trim() == "soacs") => {
            make_entry(&mut prog);
            fehu_ir::mark::mark(&mut prog);
            Ok(Language::print(&prog))
        }
        Ok(_) | Err(_) => Ok(text.to_owned()),
    }
}

/// Programs as they are kept in files: names renumbered, entry points of tests left out.
fn shown(text: &str) -> Result<String, String> {
    fn tidy<R: Rep>(text: &str) -> Result<String, String>
    where
        Prog<R>: Language,
    {
        let mut prog = renumber(&read_prog::<R>(text).map_err(|e| e.to_string())?);
        if prog.opaques.types.last().is_some_and(|t| t.0.as_str() == "result") {
            prog.opaques.types.pop();
            prog.funs.iter_mut().for_each(|f| f.entry = None);
        }
        Ok(Language::print(&prog))
    }
    match text.lines().next() {
        Some("soacs") => tidy::<Soacs>(text),
        Some("kernels") => tidy::<Kernels>(text),
        Some("memory") => tidy::<Memory>(text),
        Some(_) | None => Ok(text.to_owned()),
    }
}

fn program(text: &str) -> Result<Prog<Soacs>, String> {
    let mut prog = read_prog::<Soacs>(text).map_err(|e| e.to_string())?;
    make_entry(&mut prog);
    fehu_ir::mark::mark(&mut prog);
    validate(&prog).map_err(|e| e.join("\n"))?;
    Ok(prog)
}

/// How many combinators are left.
fn fused(_: &Path, text: &str) -> Result<(), String> {
    let mut expected = [0, 0, 0, 0];
    for part in header(text, "-- expect ").unwrap_or("").split_whitespace() {
        let (kind, n) = part.split_once('=').ok_or("-- expect screma=1 hist=2")?;
        let which = ["screma", "hist", "scatter", "filter"].iter().position(|k| *k == kind).ok_or(kind)?;
        expected[which] = n.parse().map_err(|e| format!("{part}: {e}"))?;
    }
    let done = pipelines::soacs(&Settings::executable(Target::C, PathBuf::new()))
        .run(program(text)?, &mut Runner { validate: true, ..Runner::default() });
    let prog = done.map_err(|stop| format!("{stop:?}"))?;
    let mut found = [0, 0, 0, 0];
    for fun in &prog.funs {
        for_each_stm(&fun.body, &mut |s| match &s.exp {
            Exp::Op(Soac::Screma(_)) => found[0] += 1,
            Exp::Op(Soac::Hist(_)) => found[1] += 1,
            Exp::Op(Soac::Scatter(_)) => found[2] += 1,
            Exp::Op(Soac::Filter(_)) => found[3] += 1,
            _ => {}
        });
    }
    match found == expected {
        true => Ok(()),
        false => Err(format!(
            "scremas, histograms, scatters, filters {found:?}, not {expected:?}\n{}",
            Language::print(&prog)
        )),
    }
}

/// The same answers after each step of each pipeline.
fn means_the_same(_: &Path, text: &str) -> Result<(), String> {
    let prog = program(text)?;
    let runs = runs(&prog);
    for (target, checks) in
        [(Target::C, Checks::MayGo), (Target::Multicore, Checks::MayGo), (Target::Cuda, Checks::Kept)]
    {
        let settings = Settings::executable(target, PathBuf::new());
        after_each_step(&prog, &settings, &runs, checks).map_err(|e| format!("{}: {e}", target.name()))?;
    }
    Ok(())
}

type Results = Vec<Result<Vec<Value>, Failure>>;

fn results(prog: &Prog<Soacs>, runs: &[Run]) -> Results {
    let limited = Options { steps: 300_000, ..Options::default() };
    runs.iter().map(|(entry, args)| run_entry(prog, entry, args.clone(), &limited)).collect()
}

fn after_each_step(
    prog: &Prog<Soacs>,
    settings: &Settings,
    runs: &[Run],
    checks: Checks,
) -> Result<(), String> {
    let (front, warnings) = (Front::empty(), RefCell::default());
    let pipeline = match settings.target {
        Target::C => pipelines::c(settings),
        Target::Multicore => pipelines::multicore(settings),
        Target::OpenCl | Target::Cuda => pipelines::gpu(&front, settings, &warnings),
    };
    let mut before = results(prog, runs);
    let mut last = String::new();
    let mut wrong = Ok(());
    let mut expanded = false;
    let mut watcher = |id: &StepId, form: &dyn Form| {
        let text = if form.language() == "imp" { String::new() } else { form.print() };
        if text == last {
            return Flow::Continue;
        }
        last = text;
        expanded |= id.name == "expand-memory";
        let checked = if let Some(prog) = form.as_any().downcast_ref::<Prog<Soacs>>() {
            // Checks that nothing depends on may go until the program is flattened, and not after that.
            let ok = compare(runs, &before, prog, &[Options::default()], Checks::MayGo);
            before = results(prog, runs);
            ok
        } else if let Some(prog) = form.as_any().downcast_ref::<Prog<Kernels>>() {
            compare(runs, &before, prog, &machines(settings.target), checks)
        } else if let Some(prog) = form.as_any().downcast_ref::<Prog<Memory>>() {
            let erased = fehu_memory::erase(prog.clone());
            validate(&erased)
                .map_err(|e| format!("erased: {}", e.join("\n")))
                .and_then(|()| compare(runs, &before, prog, &heaps(settings.target, expanded), checks))
        } else {
            Ok(())
        };
        match checked {
            Ok(()) => Flow::Continue,
            Err(e) => {
                wrong = Err(format!("after {id}: {e}\n{last}"));
                Flow::Stop
            }
        }
    };
    let mut runner = Runner { validate: true, watcher: Some(&mut watcher), ..Runner::default() };
    match pipeline.run(prog.clone(), &mut runner) {
        Ok(_) | Err(Stop::Watched) => wrong,
        Err(stop) => Err(format!("{stop:?}")),
    }
}

/// Thresholds that choose each version on a GPU, numbers of workers on several cores.
fn machines(target: Target) -> Vec<Options> {
    match target {
        Target::C => vec![Options::default()],
        Target::Multicore => [1, 7].map(|grid_size| Options { grid_size, ..Options::default() }).into(),
        Target::OpenCl | Target::Cuda => {
            [0, 4, i64::MAX].map(|threshold| Options { threshold, ..Options::default() }).into()
        }
    }
}

/// The same, memory watched; on GPUs, small grids matter once memory is expanded.
fn heaps(target: Target, expanded: bool) -> Vec<Options> {
    let all = [(0, 8), (i64::MAX, 8), (4, 2), (0, 1)];
    let some = match (target, expanded) {
        (Target::C | Target::Multicore, _) => &all[..1],
        (Target::OpenCl | Target::Cuda, false) => &all[..2],
        (Target::OpenCl | Target::Cuda, true) => &all[..],
    };
    let options = some.iter().map(|(threshold, block_size)| {
        let grid_size = if *block_size < 8 { 1 } else { 4 };
        Options {
            threshold: *threshold,
            block_size: *block_size,
            grid_size,
            heap: true,
            ..Options::default()
        }
    });
    options.collect()
}

fn compare<R: Rep>(
    runs: &[Run],
    before: &Results,
    prog: &Prog<R>,
    machines: &[Options],
    checks: Checks,
) -> Result<(), String> {
    for ((entry, args), before) in runs.iter().zip(before) {
        if matches!(before, Err(Failure::TooLong | Failure::Stuck(_))) {
            continue;
        }
        for machine in machines {
            let after = run_entry(prog, entry, args.clone(), machine);
            if !same(before, &after, checks) {
                let (before, after) = (samples::show(before), samples::show(&after));
                let threshold = machine.threshold;
                return Err(format!("{entry}, threshold {threshold}:\nbefore {before}\nafter  {after}"));
            }
        }
    }
    Ok(())
}
