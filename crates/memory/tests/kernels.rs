//! Flattened programs with memory give what they gave without, and every array is where its binding says: the interpreter
//! watches each access. Erasing memory leaves a valid program.
//!
//! The programs are those of `flatten`; `FEHU_GPU_PROGRAMS=dir` looks at all programs (`*.ir`) of a folder instead, and
//! `FEHU_SHOW=1` prints what those that fail have become.

#[path = "../../flatten/tests/common/mod.rs"]
mod common;

use common::{runs, same, text};
use fehu_flatten::{gpu, prepare, GpuOptions};
use fehu_ir::interp::{run_entry, Failure, Options};
use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::seg::{KernelsOp, SegLevel};
use fehu_ir::validate::validate;
use fehu_ir::visit::{change, Mutator};
use fehu_ir::{Exp, Kernels, Memory, Prog, Rep, Soacs};
use std::path::{Path, PathBuf};

/// What runs parallel operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Machine {
    Gpu,
    Cpu,
}

#[test]
fn tasks() {
    all(Machine::Cpu);
}

#[test]
fn kernels() {
    all(Machine::Gpu);
}

fn all(machine: Machine) {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../flatten/tests/programs");
    let folder = std::env::var_os("FEHU_GPU_PROGRAMS").map_or(usual, PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a folder of programs")
        .map(|e| e.expect("a file").path())
        .filter(|p| p.extension().is_some_and(|e| e == "ir"))
        .collect();
    files.sort();
    let mut failures = vec![];
    for file in &files {
        let source = std::fs::read_to_string(file).expect("a readable file");
        let name = file.file_stem().map(|s| s.to_string_lossy().to_string()).unwrap_or_default();
        let result = std::panic::catch_unwind(|| {
            let prog = read_prog::<Soacs>(&source).map_err(|e| format!("cannot be read: {e}"))?;
            agree(&prog, machine)
        });
        match result {
            Ok(Ok(())) => {}
            Ok(Err(e)) => failures.push(format!("{name}: {e}")),
            Err(_) => failures.push(format!("{name}: panic")),
        }
    }
    assert!(failures.is_empty(), "{} of {} fail\n{}", failures.len(), files.len(), failures.join("\n\n"));
}

fn agree(prog: &Prog<Soacs>, machine: Machine) -> Result<(), String> {
    let mut flat = gpu(prog.clone(), &GpuOptions::default());
    if machine == Machine::Cpu {
        Tasks.body(&mut flat.consts);
        flat.funs.iter_mut().for_each(|f| change::fun(&mut Tasks, f));
    } else {
        flat = prepare(flat);
    }
    let plain = match fehu_memory::introduce(flat) {
        Ok(plain) => plain,
        Err(errors)
            if machine == Machine::Cpu
                && errors.iter().any(|e| e.problem.message.starts_with("Operators on arrays")) =>
        {
            return Ok(())
        }
        Err(errors) => return Err(format!("{errors:?}")),
    };
    check(prog, &plain, "introduced")?;
    let optimised = fehu_memory::optimise(plain).map_err(|e| format!("{e:?}"))?;
    let wrong = fehu_memory::check_kernels(&optimised);
    if !wrong.is_empty() {
        return Err(format!("{}\n{}", wrong.join("\n"), show(&optimised)));
    }
    check(prog, &optimised, "optimised")
}

fn check(source: &Prog<Soacs>, prog: &Prog<Memory>, stage: &str) -> Result<(), String> {
    valid(prog, stage)?;
    // Small grids matter once memory is expanded.
    let machines = [(0, 8), (i64::MAX, 8), (4, 2), (0, 1)];
    let machines = if stage == "introduced" { &machines[..2] } else { &machines };
    valid(&fehu_memory::erase(prog.clone()), &format!("{stage} and erased"))?;
    for (entry, args) in runs(source) {
        let limit = Options { steps: 300_000, ..Options::default() };
        let before = run_entry(source, &entry, args.clone(), &limit);
        if matches!(before, Err(Failure::TooLong | Failure::Stuck(_))) {
            continue;
        }
        for (threshold, block_size) in machines.iter().copied() {
            let grid_size = if block_size < 8 { 1 } else { 4 };
            let machine = Options { threshold, block_size, grid_size, heap: true, ..Options::default() };
            let after = run_entry(prog, &entry, args.clone(), &machine);
            if !same(&before, &after) {
                let (before, after) = (text(&before), text(&after));
                let shown = show(prog);
                return Err(format!(
                    "{stage}, {entry}, threshold {threshold}:\nbefore {before}\nafter  {after}\n{shown}"
                ));
            }
        }
    }
    Ok(())
}

fn valid<R: Rep>(prog: &Prog<R>, stage: &str) -> Result<(), String> {
    validate(prog).map_err(|e| format!("{stage}: {}\n{}", e.join("\n"), show(prog)))
}

fn show<R: Rep>(prog: &Prog<R>) -> String {
    match std::env::var_os("FEHU_SHOW") {
        Some(_) => print_prog(prog, Locations::Hidden),
        None => String::new(),
    }
}

/// Puts all operations at level `Task`.
struct Tasks;

impl Mutator<Kernels> for Tasks {
    fn exp(&mut self, e: &mut Exp<Kernels>) {
        if let Exp::Op(KernelsOp::Seg(seg)) = e {
            seg.level = SegLevel::Task;
        }
        change::exp(self, e);
    }
}
