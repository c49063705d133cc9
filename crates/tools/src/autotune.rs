//! `fehu autotune`: thresholds that choose the fastest version of a program, and sizes of blocks and tiles.
//!
//! In: a program whose test blocks have data sets like those it is meant for.
//! Out: a tuning file, which `fehu bench` and `fehu test` pick up, and which
//! executables load with `--tuning`.
//!
//! The search itself (`autotune/search.rs`) knows nothing of processes; it asks
//! an oracle, which here is the program running as a server
//! (`autotune/runner.rs`). Instead of it, a random search can be asked for, to compare with.

mod combine;
mod curve;
mod forest;
mod report;
mod runner;
mod search;
mod sizes;
mod verdict;

use crate::programs::select::Selection;
use crate::programs::{tuning, ArgumentsFile, Compiler, Maker};
use crate::{out, outln};
use curve::INFINITY;
use fehu_data::spec::EntrySpec;
use fehu_driver::files::{write, TempFolder};
use forest::Forest;
use indicatif::{ProgressBar, ProgressStyle};
use runner::Runner;
use search::{Budget, Search, Tuning};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use verdict::Side;

/// What to tune, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the back end.
    pub backend: String,
    /// Another compiler to use instead of this one.
    pub compiler: Option<PathBuf>,
    /// Take a server that was compiled before, named like the program without `.fut`.
    pub skip_compilation: bool,
    /// Options for the program.
    pub pass_options: Vec<String>,
    /// How often to run for one measurement; if not given, ten times, or less often if that takes long.
    pub runs: Option<usize>,
    /// A file with test blocks that hold instead of the program's own.
    pub spec_file: Option<PathBuf>,
    /// The extension of the tuning file.
    pub tuning: String,
    /// The longest that the first measurement of a data set may take.
    pub timeout: Option<Duration>,
    /// How to search for thresholds.
    pub search: SearchBy,
    /// Whether sizes of blocks and tiles are tried as well.
    pub sizes: bool,
    /// Whether progress may be drawn.
    pub terminal: bool,
    /// How much to tell.
    pub verbose: u8,
}

/// How to search for thresholds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchBy {
    /// Up the tree of decisions, one measurement for each version and data set.
    Tree,
    /// By guesses for all thresholds and data sets together.
    Stochastic {
        /// How many measurements may be made; if not given, some for each threshold and data set.
        budget: Option<usize>,
        /// Another seed makes other guesses.
        seed: u64,
    },
}

/// How many measurements a random search makes for each threshold and data set, by default.
const GUESSES: usize = 20;

/// A data set to tune for.
struct DataSet {
    entry: String,
    name: String,
    arguments: ArgumentsFile,
}

/// Tunes a program and writes its tuning file, whose name it returns; `None` if there is nothing to tune, or if
/// what was found is slower than the program as it was.
pub fn autotune(program: &Path, options: &Options) -> Result<Option<PathBuf>, String> {
    let dir = TempFolder::new()?;
    let specs = selection(options).of(program)?;
    if specs.is_empty() {
        return Err(format!("{} has no data sets to tune for", program.display()));
    }
    let entries: Vec<String> = specs.iter().map(|e| e.entry.clone()).collect();
    let server = if options.skip_compilation {
        program.with_extension("")
    } else {
        let server = dir.path().join("program");
        let compiler = Compiler::new(&options.backend, options.compiler.as_deref(), &[])?;
        compiler
            .server(program, &entries, &server)
            .map_err(|e| format!("could not compile {}:\n{e}", program.display()))?;
        server
    };
    let bar = if options.terminal { ProgressBar::new(0) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} measurements, {msg}") {
        bar.set_style(style);
    }
    let params = runner::params(&server, options, &entries)?;
    let forest = Forest::new(&params);
    let sizes = if options.sizes { sizes::sizes(&params) } else { vec![] };
    if forest.is_empty() && sizes.is_empty() {
        outln!("{} has no thresholds, so there is nothing to tune.", program.display());
        return Ok(None);
    }
    let maker = Maker {
        program,
        server: &server,
        runner: None,
        options: &options.pass_options,
        limit: options.timeout,
    };
    let datasets = datasets(&specs, &maker, dir.path())?;
    let mut runner = Runner::new(&server, options, &forest, &datasets, bar.clone());
    let began = Instant::now();
    let search = Search::begin(&forest, datasets.len(), &mut runner);
    let budget = match options.search {
        SearchBy::Tree => None,
        SearchBy::Stochastic { budget, seed } => {
            let measurements = budget.unwrap_or(GUESSES * forest.len() * datasets.len());
            Some(Budget { measurements, seed })
        }
    };
    let for_thresholds = budget.map_or_else(|| search.most_runs(), |b| b.measurements);
    // In the end, every data set is measured twice: as it was, and tuned.
    let for_sizes = if sizes.is_empty() { 0 } else { sizes::most_runs(&sizes, datasets.len()) };
    let most = for_thresholds + for_sizes + 2 * datasets.len();
    let what = match options.sizes {
        true => format!("{}, {}", count(forest.len(), "threshold"), count(sizes.len(), "size")),
        false => count(forest.len(), "threshold"),
    };
    outln!("{what}, {}: at most {most} measurements.", count(datasets.len(), "data set"));
    bar.set_length(most as u64);
    let tuning = match budget {
        None => search.run(),
        Some(budget) => search.run_stochastic(budget),
    };
    let seconds = began.elapsed().as_secs_f64();
    let settings = settings(&forest, &tuning);
    let entries: Vec<&str> = datasets.iter().map(|d| d.entry.as_str()).collect();
    let chosen = match sizes.is_empty() {
        true => vec![],
        false => sizes::search(&sizes, &entries, |d, set| runner.sized(d, &settings, set)),
    };
    let names: Vec<String> = datasets.iter().map(|d| format!("{} {}", d.entry, d.name)).collect();
    let set: Vec<(String, i64)> = chosen.iter().map(|c| (c.name.clone(), c.value)).collect();
    let before_and_after = verdict::compare(datasets.len(), |dataset, side| match side {
        Side::Before => {
            runner.with_sizes(&[]);
            runner.untuned(dataset)
        }
        Side::After => {
            runner.with_sizes(&set);
            runner.tuned(dataset, &settings)
        }
    });
    drop(runner);
    bar.finish_and_clear();
    outln!("Thresholds took {} and {seconds:.1} s.", count(tuning.runs, "measurement"));
    out!("{}", report::report(&forest, &names, &tuning, &before_and_after));
    for sizes::Choice { name, value, speedup } in &chosen {
        outln!("{name}={value}: {speedup:.2} times as fast");
    }
    if tuning.best.iter().all(Option::is_none) {
        return Err("every data set fails, so nothing was learnt".into());
    }
    let file = tuning::beside(program, &options.tuning);
    if verdict::gain(&before_and_after) < 1.0 {
        outln!("The program is faster as it is, so nothing is written.");
        if file.exists() {
            outln!("{} is from an earlier search, and is left as it was.", file.display());
        }
        return Ok(None);
    }
    write(&file, tuning_file(&settings, &chosen))?;
    Ok(Some(file))
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn selection(options: &Options) -> Selection<'_> {
    Selection {
        backend: &options.backend,
        exclude: &[],
        entry_point: None,
        spec_file: options.spec_file.as_deref(),
    }
}

fn datasets(specs: &[EntrySpec], maker: &Maker, dir: &Path) -> Result<Vec<DataSet>, String> {
    let mut datasets = vec![];
    for spec in specs {
        for case in &spec.runs {
            let folder = dir.join(format!("data{}", datasets.len()));
            std::fs::create_dir(&folder).map_err(|e| format!("could not make {}: {e}", folder.display()))?;
            let name = case.dataset_name();
            let arguments = maker
                .arguments(&spec.entry, &case.input, &folder)
                .map_err(|e| format!("data set {name}: {e}"))?;
            datasets.push(DataSet { entry: spec.entry.clone(), name, arguments });
        }
    }
    Ok(datasets)
}

/// What to set, by name; thresholds that nothing is known of are left alone.
fn settings(forest: &Forest, tuning: &Tuning) -> Vec<(String, i64)> {
    let mut settings = vec![];
    for (threshold, decision) in tuning.decisions.iter().enumerate() {
        let Some(decision) = decision else { continue };
        settings.push((forest.name(threshold).to_owned(), decision.value));
        if let (Some(split), Some(names)) = (&decision.split, forest.split(threshold)) {
            settings.push((names.border.clone(), split.border));
            settings.push((names.beyond.clone(), split.value));
        }
    }
    settings
}

fn tuning_file(settings: &[(String, i64)], sizes: &[sizes::Choice]) -> String {
    let mut text = String::new();
    for (name, value) in settings {
        let never = if *value >= INFINITY { " -- never" } else { "" };
        text.push_str(&format!("{name}={value}{never}\n"));
    }
    for sizes::Choice { name, value, .. } in sizes {
        text.push_str(&format!("{name}={value}\n"));
    }
    text
}
