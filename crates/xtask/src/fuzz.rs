//! `cargo xtask fuzz TARGET --seconds N`: changes the files of `fuzz/seeds/TARGET` by lot, and looks whether
//! the target survives.
//!
//! Programs start from those of `tests/`, too. An input that panics, or takes longer than `--limit`, is saved
//! and ends the run; since an overflowing stack ends the process, the input of the moment is always on disk.

use clap::Args as ClapArgs;
use fehu_randprog::choices::Random;
use fehu_randprog::fuzz::{mutate::mutate, Target, TARGETS};
use fehu_randprog::stages::panic_text;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What to fuzz.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct Args {
    /// A target, or `all`, one after the other.
    target: String,
    /// How long, for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the changes start from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seconds one input may take; more on a busy machine.
    #[arg(long, default_value_t = 10)]
    limit: u64,
    /// Where inputs that are not survived go.
    #[arg(long, default_value = "target/fuzz")]
    keep: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let targets: Vec<Target> =
        TARGETS.into_iter().filter(|t| args.target == "all" || args.target == t.name).collect();
    if targets.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        return Err(format!("there is no target `{}`; there is: all, {}", args.target, names.join(", ")));
    }
    std::fs::create_dir_all(&args.keep).map_err(|e| format!("{}: {e}", args.keep.display()))?;
    std::panic::set_hook(Box::new(|_| {}));
    let mut good = true;
    for target in targets {
        let args = args.clone();
        // Deep inputs need deep stacks, as in the compiler itself.
        let worker = std::thread::Builder::new().stack_size(512 << 20).spawn(move || fuzz(target, &args));
        let worker = worker.map_err(|e| format!("a thread could not be started: {e}"))?;
        good &= worker.join().map_err(|_| "the runner itself failed".to_owned())??;
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether a target survives for as long as it is asked to.
fn fuzz(target: Target, args: &Args) -> Result<bool, String> {
    let files = corpus(target)?;
    let mut random = Random::new(args.seed);
    let current = args.keep.join(format!("{}.current", target.name));
    let (begun, mut inputs) = (Instant::now(), 0u64);
    while begun.elapsed() < Duration::from_secs(args.seconds) {
        // The corpus itself comes first.
        let bytes = match files.get(inputs as usize) {
            Some(file) => file.clone(),
            None => mutate(&files, &mut random),
        };
        inputs += 1;
        std::fs::write(&current, &bytes).map_err(|e| format!("{}: {e}", current.display()))?;
        let start = Instant::now();
        let problem = match std::panic::catch_unwind(|| (target.run)(&bytes)) {
            Err(panic) => panic_text(&*panic),
            Ok(()) if start.elapsed() > Duration::from_secs(args.limit) => {
                format!("it takes {:.0?}", start.elapsed())
            }
            Ok(()) => continue,
        };
        let saved = args.keep.join(format!("{}-{inputs}", target.name));
        std::fs::rename(&current, &saved).map_err(|e| format!("{}: {e}", saved.display()))?;
        println!("{}: input {inputs}, saved as {}: {problem}", target.name, saved.display());
        return Ok(false);
    }
    println!("{}: {inputs} inputs in {} s, all survived", target.name, args.seconds);
    Ok(true)
}

/// The files to start from.
fn corpus(target: Target) -> Result<Vec<Vec<u8>>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("fuzz/seeds").join(target.name)];
    let more: &[&str] = match target.name {
        "front_end" | "manifest" => &["tests/front", "tests/run", "tests/gpu"],
        "test_blocks" => &["tests/run"],
        "ir_reader" => {
            &["tests/ir/programs", "tests/ir/simplify", "tests/ir/expand-memory", "tests/ir/flatten"]
        }
        _ => &[],
    };
    folders.extend(more.iter().map(|f| root.join(f)));
    let mut files = vec![];
    for folder in folders {
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.is_file()).collect();
        paths.sort();
        for path in paths {
            files.push(std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        }
    }
    Ok(files)
}
