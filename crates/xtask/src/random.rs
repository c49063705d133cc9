//! `cargo xtask random`: makes random programs and compares what stages and back ends make of them.
//!
//! ```text
//! cargo xtask random --count 300 --seed 1                              stages, in the interpreter
//! cargo xtask random --count 100 --backends c,multicore,opencl         and executables
//! cargo xtask random --count 2000 --pack FOLDER                        for a machine with a GPU, and no Rust
//! cargo xtask random --count 300 --focus updates                       mostly updates, slices and concatenations
//! cargo xtask random --count 300 --focus irregular                     mostly maps whose inner sizes differ
//! cargo xtask random --count 300 --focus lengths                       mostly lengths of arrays of negative and excessive sizes
//! cargo xtask random --count 300 --focus derivatives                   derivatives that must agree
//! cargo xtask random --seed 17 --print                                 one program
//! ```
//!
//! A program that fails is made smaller and saved, with what is wrong with it, in the folder that `--keep`
//! names. The C compiler is the one of `CC`, with `CFLAGS`: `CFLAGS=-O1` is several times faster than the
//! usual flags.

use clap::Args as ClapArgs;
use fehu_driver::target::Target;
use fehu_randprog::backends::{self, Compiler};
use fehu_randprog::choices::Choices;
use fehu_randprog::focus::Focus;
use fehu_randprog::program::{generate, Program};
use fehu_randprog::shrink::shrink;
use fehu_randprog::stages::{self, Depth, Fault};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What to compare.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct Args {
    /// How many programs.
    #[arg(long, default_value_t = 300)]
    count: u64,
    /// The seed of the first program; the next has the next seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What programs are mostly about: all, updates, irregular, lengths or derivatives.
    #[arg(long, default_value = "all", value_parser = focus)]
    focus: Focus,
    /// Stop after so many seconds, whatever the count.
    #[arg(long)]
    seconds: Option<u64>,
    /// Run programs in the interpreter after every stage; the default without back ends.
    #[arg(long)]
    stages: bool,
    /// Run programs only after lowering, the optimiser and memory: faster, and programs that fail run after
    /// every stage.
    #[arg(long)]
    ends: bool,
    /// Back ends to compare with the interpreter, separated by commas.
    #[arg(long, value_delimiter = ',')]
    backends: Vec<String>,
    /// Another compiler to compare with.
    #[arg(long)]
    reference: Option<PathBuf>,
    /// Passes to leave out.
    #[arg(long, value_delimiter = ',')]
    skip_pass: Vec<String>,
    /// How many programs to compile at once.
    #[arg(long, default_value_t = 10)]
    per_file: usize,
    /// How long to make a failing program smaller, in seconds.
    #[arg(long, default_value_t = 60)]
    shrink: u64,
    /// Where failing programs go.
    #[arg(long, default_value = "target/random")]
    keep: PathBuf,
    /// Write programs with inputs and expected outputs to a folder instead, for another machine.
    #[arg(long)]
    pack: Option<PathBuf>,
    /// The back end of what `--pack` writes.
    #[arg(long, default_value = "cuda")]
    pack_for: String,
    /// Print the programs instead.
    #[arg(long)]
    print: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let args = args.clone();
    // Programs are nested deeply, and so are the passes.
    let worker = std::thread::Builder::new().stack_size(1 << 30).spawn(move || on_large_stack(&args));
    let worker = worker.map_err(|e| format!("a thread could not be started: {e}"))?;
    worker.join().map_err(|_| "the comparison itself failed".to_owned())?
}

fn on_large_stack(args: &Args) -> Result<ExitCode, String> {
    if args.print {
        for seed in args.seed..args.seed + args.count {
            println!("{}", program(args.focus, seed).file());
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &args.pack {
        let programs: Vec<Program> =
            (args.seed..args.seed + args.count).map(|s| numbered(args.focus, s)).collect();
        println!(
            "{}",
            fehu_randprog::pack::write(&programs, args.per_file, Target::named(&args.pack_for)?, folder)?
        );
        return Ok(ExitCode::SUCCESS);
    }
    let mut compilers = vec![];
    for name in &args.backends {
        compilers.push(Compiler::Own(Target::named(name)?, args.skip_pass.clone()));
    }
    compilers.extend(args.reference.clone().map(Compiler::Reference));
    std::fs::create_dir_all(&args.keep).map_err(|e| format!("{}: {e}", args.keep.display()))?;
    // Panics are reported with the program that caused them.
    std::panic::set_hook(Box::new(|_| {}));
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let depth = match (args.ends, args.stages || compilers.is_empty()) {
        (true, _) => Depth::Ends,
        (false, true) => Depth::All,
        (false, false) => Depth::Optimised,
    };
    let session = Session { args, compilers, depth, folder: folder.path() };
    Ok(session.run())
}

struct Session<'a> {
    args: &'a Args,
    compilers: Vec<Compiler>,
    depth: Depth,
    folder: &'a Path,
}

impl Session<'_> {
    fn run(&self) -> ExitCode {
        let begun = Instant::now();
        let late = || self.args.seconds.is_some_and(|s| begun.elapsed() > Duration::from_secs(s));
        let (mut done, mut shown) = (0, Instant::now());
        let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut tally = Tally::default();
        while done < self.args.count && !late() {
            let first = self.args.seed + done;
            let some = (self.args.count - done).min(self.args.per_file.max(1) as u64);
            for (seed, fault) in self.faults(first, some, &mut tally) {
                let kind = self.kind(&fault);
                eprintln!("seed {seed}: {}: {}", fault.place, first_lines(&fault.message, 6));
                let earlier = found.entry(kind).or_default();
                // Some of a kind are enough to look at.
                if earlier.len() < 3 {
                    self.keep(seed, &fault);
                }
                earlier.push(seed);
            }
            done += some;
            if shown.elapsed() > Duration::from_secs(30) {
                eprintln!("{done} programs, {} with faults, {:.0?}", count(&found), begun.elapsed());
                shown = Instant::now();
            }
        }
        println!(
            "{done} programs with seeds from {}: {} with faults. Of {} runs, {} ended with a failed check and {} were too long.",
            self.args.seed, count(&found), tally.runs, tally.failed, tally.late
        );
        for (kind, seeds) in &found {
            let some: Vec<String> = seeds.iter().take(8).map(u64::to_string).collect();
            println!("  {} of {kind}: seeds {}", seeds.len(), some.join(" "));
        }
        if found.is_empty() {
            return ExitCode::SUCCESS;
        }
        println!("Programs that fail are in {}.", self.args.keep.display());
        ExitCode::FAILURE
    }

    /// The faults of the programs of some seeds.
    fn faults(&self, first: u64, some: u64, tally: &mut Tally) -> Vec<(u64, Fault)> {
        let programs: Vec<Program> = (first..first + some).map(|s| numbered(self.args.focus, s)).collect();
        let faults = self.compare(&programs, Some(tally));
        // What ends the whole comparison is somebody's fault.
        if some > 1 && faults.iter().any(|f| is_whole(&f.place)) {
            return (first..first + some).flat_map(|seed| self.faults(seed, 1, tally)).collect();
        }
        if self.depth == Depth::Ends && !faults.is_empty() {
            // Which stage is to blame is worth some time.
            let thorough = Session { depth: Depth::All, compilers: self.compilers.clone(), ..*self };
            return thorough.faults(first, some, tally);
        }
        faults.into_iter().map(|f| (first + f.program as u64, f)).collect()
    }

    fn compare(&self, programs: &[Program], tally: Option<&mut Tally>) -> Vec<Fault> {
        let report = stages::compare(programs, &self.args.skip_pass, self.depth);
        if let Some(tally) = tally {
            tally.add(&report);
        }
        let mut faults = report.faults;
        if faults.iter().any(|f| is_whole(&f.place)) {
            return faults;
        }
        for compiler in &self.compilers {
            let more = backends::compare(programs, &report.outcomes, compiler, self.folder);
            faults.extend(more);
        }
        faults
    }

    /// What faults are counted together.
    fn kind(&self, fault: &Fault) -> String {
        let line = fault.message.lines().find(|l| l.starts_with("error") || l.contains("bug")).unwrap_or("");
        format!("{} {}", fault.place, line).trim_end().to_owned()
    }

    /// Makes a program smaller and saves it.
    fn keep(&self, seed: u64, fault: &Fault) {
        let start = program(self.args.focus, seed).choices;
        let kind = self.kind(fault);
        let mut still = |choices: &[u32]| {
            let smaller = generate(self.args.focus, Choices::replay(choices), "");
            self.compare(&[smaller], None).iter().any(|f| self.kind(f) == kind)
        };
        let best = shrink(start, Duration::from_secs(self.args.shrink), &mut still);
        let small = generate(self.args.focus, Choices::replay(&best), "");
        let message = match self.compare(std::slice::from_ref(&small), None).first() {
            Some(now) => format!("{}: {}", now.place, now.message),
            None => fault.message.clone(),
        };
        let mut text = format!("-- seed {seed}\n");
        message.lines().for_each(|l| text += &format!("-- {l}\n"));
        for input in &small.inputs {
            let values: Vec<String> = input.iter().map(|v| v.to_string()).collect();
            text += &format!("-- input {{ {} }}\n", values.join(" "));
        }
        text += &small.file();
        let path = self.args.keep.join(format!("{seed}.fut"));
        match std::fs::write(&path, text) {
            Ok(()) => eprintln!("  kept as {}", path.display()),
            Err(e) => eprintln!("  {}: {e}", path.display()),
        }
    }
}

/// How runs ended.
#[derive(Default)]
struct Tally {
    runs: usize,
    failed: usize,
    late: usize,
}

impl Tally {
    fn add(&mut self, report: &stages::Report) {
        use fehu_randprog::outcome::Outcome;
        for outcome in report.outcomes.iter().flatten() {
            self.runs += 1;
            self.failed += usize::from(matches!(outcome, Outcome::Failed(_)));
            self.late += usize::from(matches!(outcome, Outcome::Late));
        }
    }
}

fn count(found: &BTreeMap<String, Vec<u64>>) -> usize {
    found.values().map(Vec::len).sum()
}

/// Whether a fault is not known to be of one program.
fn is_whole(place: &str) -> bool {
    place.ends_with("compiler") || place == "panic"
}

fn first_lines(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().take(lines).collect();
    all.join("\n  ")
}

/// The program of a seed, by itself.
fn program(focus: Focus, seed: u64) -> Program {
    generate(focus, Choices::random(seed), "")
}

/// The program of a seed, with names of its own.
fn numbered(focus: Focus, seed: u64) -> Program {
    generate(focus, Choices::random(seed), &format!("p{seed}_"))
}

fn focus(name: &str) -> Result<Focus, String> {
    let found = Focus::NAMES.iter().find(|(n, _)| *n == name).map(|(_, focus)| *focus);
    let names: Vec<&str> = Focus::NAMES.iter().map(|(n, _)| *n).collect();
    found.ok_or_else(|| format!("one of {}", names.join(", ")))
}
