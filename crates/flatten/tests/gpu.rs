//! Flattening for GPUs keeps what programs mean: the interpreter gives the same before it and after, whichever
//! versions the thresholds choose, and the result is valid.
//!
//! The programs are in `tests/programs`, over `Soacs`; their entry points run on small made-up arguments. `FEHU_GPU_PROGRAMS=dir` looks at
//! all programs (`*.ir`) of a folder instead, and `FEHU_SHOW=1` prints what those that fail have become.

mod common;

use common::{runs, same, text};
use fehu_flatten::{gpu, prepare, GpuOptions};
use fehu_ir::interp::{run_entry, Failure, Options};
use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::seg::KernelsOp;
use fehu_ir::subst::renumber;
use fehu_ir::validate::validate;
use fehu_ir::visit::{for_each_body, for_each_lambda, for_each_stm};
use fehu_ir::{Body, Exp, Kernels, Lambda, Prog, Soacs, Type};
use std::path::{Path, PathBuf};

#[test]
fn programs_mean_the_same() {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let folder = std::env::var_os("FEHU_GPU_PROGRAMS").map_or(usual, PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a folder of programs")
        .map(|e| e.expect("a file").path())
        .filter(|p| p.extension().is_some_and(|e| e == "ir"))
        .collect();
    files.sort();
    let mut failures = vec![];
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a readable file");
        let name = file.file_stem().map(|s| s.to_string_lossy().to_string()).unwrap_or_default();
        let result = std::panic::catch_unwind(|| {
            let prog = read_prog::<Soacs>(&text).map_err(|e| format!("cannot be read: {e}"))?;
            agree(&prog)
        });
        match result {
            Ok(Ok(())) => {}
            Ok(Err(e)) => failures.push(format!("{name}: {e}")),
            Err(_) => failures.push(format!("{name}: panic")),
        }
    }
    assert!(failures.is_empty(), "{} of {} fail\n{}", failures.len(), files.len(), failures.join("\n\n"));
}

/// What the optimised programs become, thresholds first. `FEHU_BLESS=1` writes the files anew.
#[test]
fn programs_become_what_they_became() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("programs"))
        .expect("a folder of programs")
        .map(|e| e.expect("a file").path())
        .filter(|p| p.to_string_lossy().ends_with(".opt.ir"))
        .collect();
    files.sort();
    let mut different = vec![];
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let prog = read_prog::<Soacs>(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let flat = gpu(prog, &GpuOptions::default());
        let mut now = String::new();
        for line in fehu_flatten::tuning_forest(&flat).lines() {
            now += &format!("-- {line}\n");
        }
        now += &print_prog(&renumber(&flat), Locations::Hidden);
        let name =
            file.file_name().map(|n| n.to_string_lossy().replace(".opt.ir", ".flat")).unwrap_or_default();
        let golden = folder.join("golden").join(&name);
        if std::env::var_os("FEHU_BLESS").is_some() {
            std::fs::write(&golden, &now).expect("a writable file");
        } else if std::fs::read_to_string(&golden).unwrap_or_default() != now {
            std::fs::write(golden.with_extension("actual"), &now).expect("a writable file");
            different.push(name);
        }
    }
    assert!(
        different.is_empty(),
        "{} differ: see the .actual files, and FEHU_BLESS=1 if they are right",
        different.join(", ")
    );
}

/// Whether all versions of a program are valid and give what the program gave before.
fn agree(prog: &Prog<Soacs>) -> Result<(), String> {
    for moderate in [false, true] {
        let options = GpuOptions { moderate, ..GpuOptions::default() };
        let flat = gpu(prog.clone(), &options);
        let show = || match std::env::var_os("FEHU_SHOW") {
            Some(_) => print_prog(&flat, Locations::Hidden),
            None => String::new(),
        };
        validate(&flat)
            .map_err(|e| format!("invalid (moderate: {moderate}): {}\n{}", e.join("\n"), show()))?;
        let ready = prepare(flat.clone());
        validate(&ready).map_err(|e| {
            format!("invalid when prepared: {}\n{}", e.join("\n"), print_prog(&ready, Locations::Hidden))
        })?;
        ready_for_memory(&ready)?;
        for (entry, args) in runs(prog) {
            let before =
                run_entry(prog, &entry, args.clone(), &Options { steps: 300_000, ..Options::default() });
            if matches!(before, Err(Failure::TooLong | Failure::Stuck(_))) {
                continue;
            }
            for threshold in [0, 4, i64::MAX] {
                let machine = Options { threshold, ..Options::default() };
                let after = run_entry(&flat, &entry, args.clone(), &machine);
                let prepared = run_entry(&ready, &entry, args.clone(), &machine);
                if same(&before, &after) && !same(&before, &prepared) {
                    return Err(format!(
                        "prepared, {entry}, threshold {threshold}:\nbefore {}\nafter  {}\n{}",
                        text(&before),
                        text(&prepared),
                        print_prog(&ready, Locations::Hidden)
                    ));
                }
                if !same(&before, &after) {
                    return Err(format!(
                        "{entry}, threshold {threshold} (moderate: {moderate}):\nbefore {}\nafter  {}\n{}",
                        text(&before),
                        text(&after),
                        show()
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Whether a prepared program has nothing left that kernels cannot do.
fn ready_for_memory(prog: &Prog<Kernels>) -> Result<(), String> {
    let mut wrong = vec![];
    let bodies = std::iter::once(&prog.consts).chain(prog.funs.iter().map(|f| &f.body));
    for body in bodies {
        host_is_ready(body, &mut wrong);
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("not ready: {}\n{}", wrong.join("\n"), print_prog(prog, Locations::Hidden)))
    }
}

fn host_is_ready(body: &Body<Kernels>, wrong: &mut Vec<String>) {
    for stm in &body.stms {
        match &stm.exp {
            Exp::Iota { .. } | Exp::Replicate(..) => wrong.push("an array is filled by the host".into()),
            Exp::Op(KernelsOp::Seg(seg)) => {
                let mut operators = |op: &Lambda<Kernels>| {
                    if op.ret.iter().any(Type::is_array) {
                        wrong.push("an operator on arrays".into());
                    }
                };
                for_each_lambda(&stm.exp, &mut operators);
                for_each_stm(&seg.body.body, &mut |s| match &s.exp {
                    Exp::ArrayConst(_) => wrong.push("constant data in a kernel".into()),
                    Exp::Call(..) if s.pat.iter().any(|p| p.ty.is_array()) => {
                        wrong.push("a call in a kernel".into());
                    }
                    _ => {}
                });
            }
            _ => for_each_body(&stm.exp, &mut |b| host_is_ready(b, wrong)),
        }
    }
}
