//! The benchmark suite's runner.
//!
//! In: `bench/suite.txt` (programs, their entry points and data sets), the programs, compilers. Out: a folder with
//! `table.md`, `ratios.svg`, `times.tsv` (every single time, so that anything else can be computed from it) and
//! `results.tsv` (for `bench/results`, see `tables.rs`).
//!
//! Read in this order: `suite` (the table of programs), `makers` and `values` (data), `contest` (who takes
//! part and how a contestant is built and run), `measure` (rounds that alternate between contestants), `warm`
//! (the same with servers, on GPUs, and with it `ahead` and `verdict`), `report` and `plot`.

mod ahead;
mod contest;
mod makers;
mod measure;
mod plot;
mod report;
mod server;
mod suite;
mod values;
mod verdict;
mod warm;

use contest::{Contestant, Workshop};
use measure::{Answers, Plan};
pub(crate) use report::show_time;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use suite::{Case, Size, Suite};

/// Options of `bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Programs to take, by name and separated by commas (all of them if left out).
    #[arg(long, global = true, value_delimiter = ',')]
    programs: Vec<String>,
    /// Data sets to take, by name (all but the tests' if left out).
    #[arg(long, global = true, value_delimiter = ',')]
    sets: Vec<String>,
    /// Take the sets for GPUs (marked `huge`) rather than those for CPUs alone.
    #[arg(long, global = true)]
    huge: bool,
    /// The folder with suite.txt.
    #[arg(long, global = true, default_value = "bench")]
    suite: PathBuf,
    /// Where executables and made data go.
    #[arg(long, global = true, default_value = "target/bench")]
    work: PathBuf,
    /// The folder with the published inputs and outputs.
    #[arg(long, global = true, env = "FEHU_BENCH_PUBLISHED")]
    published: Option<PathBuf>,
    /// Our compiler.
    #[arg(long, global = true)]
    fehu: Option<PathBuf>,
    /// The reference compiler.
    #[arg(long, global = true)]
    reference: Option<PathBuf>,
    /// Back ends of the compilers.
    #[arg(long, global = true, value_delimiter = ',', default_value = "c")]
    backends: Vec<String>,
    /// Leave the hand-written C out of the measurement (it still supplies the right answers).
    #[arg(long, global = true)]
    no_hand: bool,
    /// Options for the C compiler, the same for everybody.
    #[arg(long, global = true, default_value = "-O3", allow_hyphen_values = true)]
    cflags: String,
    /// Rounds: each runs every contestant once, in an order that rotates.
    #[arg(long, global = true, default_value_t = 5)]
    rounds: usize,
    /// Seconds that one contestant may take in one round.
    #[arg(long, global = true, default_value_t = 0.5)]
    seconds: f64,
    /// Do not compare answers before measuring.
    #[arg(long, global = true)]
    unchecked: bool,
    /// Seconds after which a single execution is stopped and counted as failed.
    #[arg(long, global = true, default_value_t = 120.0)]
    timeout: f64,
    /// Seconds for the hand-written program to give the right answer (as many as --timeout says, if left out).
    #[arg(long, global = true)]
    patience: Option<f64>,
    /// Keep programs running from one data set to the next, as GPUs need it (the hand-written C only gives answers).
    #[arg(long, global = true)]
    servers: bool,
    /// Seconds after which no further case begins; results are written after every case.
    #[arg(long, global = true, default_value_t = 1e6)]
    budget: f64,
    /// Whom ratios are relative to (the hand-written C, if it takes part, or else the reference).
    #[arg(long, global = true)]
    baseline: Option<String>,
    /// The folder for the results (if left out, `results` in the work folder).
    #[arg(long, global = true)]
    out: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make the data sets' files.
    Data,
    /// Compare every contestant's answers with the published ones, or else the hand-written program's.
    Check,
    /// Store the test sets (`small`) and their answers in the suite's data folder.
    Bless,
    /// Build everything into the work folder with a script that measures on another machine.
    Pack,
    /// Measure what an earlier `pack` built (what its script calls).
    Packed,
}

/// Do what the command line asks.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let suite = Suite::read(&args.suite)?;
    let packed = matches!(args.action, Some(Action::Packed));
    let shop = Workshop {
        suite: args.suite.clone(),
        work: args.work.clone(),
        published: args.published.clone(),
        cflags: args.cflags.clone(),
        timeout: args.timeout,
        patience: args.patience.unwrap_or(args.timeout),
        build: !packed,
        servers: args.servers,
    };
    match args.action {
        Some(Action::Data) => {
            for case in selection(args, &suite, Tests::Skip)? {
                println!("{}", shop.data(case)?.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(Action::Bless) => bless(args, &suite, &shop),
        Some(Action::Check) => check(args, &suite, &shop),
        Some(Action::Pack) => pack(args, &suite, &shop),
        Some(Action::Packed) | None => {
            let cases = selection(args, &suite, Tests::Skip)?;
            let contestants = contestants(args);
            let answers = if args.unchecked { Answers::Trust } else { Answers::Compare };
            let plan = Plan { rounds: args.rounds, seconds: args.seconds, answers };
            let baseline = baseline(args, &contestants)?;
            let out = args.out.clone().unwrap_or_else(|| args.work.join("results"));
            let budget = std::time::Duration::from_secs_f64(args.budget);
            let save = |rows: &[measure::Row]| drop(report::write(&out, rows, &contestants, baseline));
            let contest = measure::Contest {
                shop: &shop,
                cases: &cases,
                contestants: &contestants,
                plan: &plan,
                budget,
            };
            let results =
                if args.servers { warm::measure(contest, &save) } else { measure::measure(contest, &save) };
            report::write(&out, &results, &contestants, baseline)?;
            println!("{}", out.join("table.md").display());
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Whether the small sets that serve as tests take part when no set is named.
#[derive(Clone, Copy, PartialEq)]
enum Tests {
    Only,
    Skip,
}

fn selection<'a>(args: &Args, suite: &'a Suite, tests: Tests) -> Result<Vec<&'a Case>, String> {
    for name in &args.programs {
        if !suite.cases.iter().any(|c| c.program == *name) {
            return Err(format!("no program is called {name}"));
        }
    }
    let wanted = |case: &&Case| {
        let program = args.programs.is_empty() || args.programs.contains(&case.program);
        let set = match (args.sets.is_empty(), tests) {
            (true, Tests::Only) => case.is_test(),
            (true, Tests::Skip) => !case.is_test(),
            (false, _) => args.sets.contains(&case.set),
        };
        let available = !case.is_published() || args.published.is_some();
        let machine = match case.size {
            Size::Any => true,
            Size::Huge => args.huge,
            Size::Cpu => !args.huge || !args.sets.is_empty(),
        };
        program && set && available && machine
    };
    let mut cases: Vec<&Case> = suite.cases.iter().filter(wanted).collect();
    // Programs come in the order in which they are named.
    cases.sort_by_key(|case| args.programs.iter().position(|name| *name == case.program));
    Ok(cases)
}

fn contestants(args: &Args) -> Vec<Contestant> {
    let mut all = Vec::new();
    if !args.no_hand && !args.servers {
        all.push(Contestant::Hand);
    }
    for (name, compiler) in [("reference", &args.reference), ("fehu", &args.fehu)] {
        for backend in &args.backends {
            if let Some(binary) = compiler {
                let (binary, backend) = (binary.clone(), backend.clone());
                all.push(Contestant::Compiler { name: name.into(), binary, backend });
            }
        }
    }
    all
}

fn baseline(args: &Args, contestants: &[Contestant]) -> Result<usize, String> {
    match &args.baseline {
        None if contestants.is_empty() => Err("nobody takes part: give --fehu or --reference".into()),
        None => Ok(0),
        Some(name) => contestants
            .iter()
            .position(|c| c.label() == *name)
            .ok_or_else(|| format!("{name} does not take part as a baseline")),
    }
}

fn check(args: &Args, suite: &Suite, shop: &Workshop) -> Result<ExitCode, String> {
    let mut failed = 0;
    for case in selection(args, suite, Tests::Only)? {
        let published = shop.published_answer(case);
        let right = published.clone().map_or_else(|| shop.answer(case), Ok);
        for contestant in contestants(args).iter().filter(|c| !matches!(c, Contestant::Hand)) {
            for entry in &case.entries {
                let verdict = right.clone().and_then(|right| shop.check(case, entry, contestant, &right));
                let what = format!("{} {}", contestant.label(), case.title(entry));
                match verdict {
                    Ok(_) => println!("ok    {what}"),
                    Err(why) => {
                        failed += 1;
                        println!("WRONG {what}: {why}");
                    }
                }
            }
        }
        if let Some(published) = published {
            match shop.check_published(case, &published) {
                Ok(()) => println!("ok    hand {}", case.title("main")),
                Err(why) => {
                    failed += 1;
                    println!("WRONG hand {}: {why}", case.title("main"));
                }
            }
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn bless(args: &Args, suite: &Suite, shop: &Workshop) -> Result<ExitCode, String> {
    for case in selection(args, suite, Tests::Only)? {
        if case.is_published() {
            continue;
        }
        let folder = args.suite.join("data").join(&case.program);
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        copy(&shop.data(case)?, &folder.join(format!("{}.in", case.set)))?;
        copy(&shop.answer(case)?, &folder.join(format!("{}.out", case.set)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::copy(from, to).map(|_| ()).map_err(|e| format!("{}: {e}", to.display()))
}

fn pack(args: &Args, suite: &Suite, shop: &Workshop) -> Result<ExitCode, String> {
    let cases = selection(args, suite, Tests::Skip)?;
    for case in &cases {
        for contestant in contestants(args).iter().chain([&Contestant::Hand]) {
            if let Err(why) = shop.build(&case.program, contestant) {
                println!("{} {}: {why}", contestant.label(), case.program);
            }
        }
        if case.is_published() {
            shop.data(case)?;
        }
    }
    let folder = &args.work;
    copy(&args.suite.join("suite.txt"), &folder.join("suite.txt"))?;
    copy(&std::env::current_exe().map_err(|e| e.to_string())?, &folder.join("xtask"))?;
    let mut script =
        String::from("#!/bin/sh\n# Measures what is here; options may be added, for example --rounds 10.\n");
    script += "cd \"$(dirname \"$0\")\" && exec ./xtask bench packed --suite . --work .";
    script += &format!(" --backends {} --published data", args.backends.join(","));
    for (option, given) in [("fehu", &args.fehu), ("reference", &args.reference)] {
        if given.is_some() {
            script += &format!(" --{option} none");
        }
    }
    for (option, given) in [("programs", &args.programs), ("sets", &args.sets)] {
        if !given.is_empty() {
            script += &format!(" --{option} {}", given.join(","));
        }
    }
    if args.huge {
        script += " --huge";
    }
    if args.servers {
        script += " --servers";
    }
    if args.no_hand {
        script += " --no-hand";
    }
    script += " \"$@\"\n";
    let path = folder.join("run.sh");
    std::fs::write(&path, script).map_err(|e| e.to_string())?;
    println!("sh {}", path.display());
    Ok(ExitCode::SUCCESS)
}
