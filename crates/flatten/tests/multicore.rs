//! Parallelism for cores keeps what programs mean: the interpreter gives the same before and after, for any
//! number of workers, and the result is valid. The programs are those of the GPU's tests.

use fehu_flatten::{multicore, MulticoreOptions};
use fehu_ir::interp::samples::{runs, same, show as text, Checks};
use fehu_ir::interp::{run_entry, Failure, Options};
use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::validate::validate;
use fehu_ir::{Prog, Soacs};
use std::path::{Path, PathBuf};

#[test]
fn programs_mean_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a folder of programs")
        .map(|e| e.expect("a file").path())
        .filter(|p| p.extension().is_some_and(|e| e == "ir"))
        .collect();
    files.sort();
    let mut failures = vec![];
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a readable file");
        let result = std::panic::catch_unwind(|| {
            let prog = read_prog::<Soacs>(&text).map_err(|e| format!("cannot be read: {e}"))?;
            agree(&prog)
        });
        match result {
            Ok(Ok(())) => {}
            Ok(Err(e)) => failures.push(format!("{}: {e}", file.display())),
            Err(_) => failures.push(format!("{}: panic", file.display())),
        }
    }
    assert!(failures.is_empty(), "{} of {} fail\n{}", failures.len(), files.len(), failures.join("\n\n"));
}

fn agree(prog: &Prog<Soacs>) -> Result<(), String> {
    let made = multicore(prog.clone(), &MulticoreOptions { few: 2 });
    let show = || match std::env::var_os("FEHU_SHOW") {
        Some(_) => print_prog(&made, Locations::Hidden),
        None => String::new(),
    };
    validate(&made).map_err(|e| format!("invalid: {}\n{}", e.join("\n"), show()))?;
    for (entry, args) in runs(prog) {
        let limited = Options { steps: 300_000, ..Options::default() };
        let before = run_entry(prog, &entry, args.clone(), &limited);
        if matches!(before, Err(Failure::TooLong | Failure::Stuck(_))) {
            continue;
        }
        for workers in [1, 2, 7] {
            let machine = Options { grid_size: workers, ..Options::default() };
            let after = run_entry(&made, &entry, args.clone(), &machine);
            if !same(&before, &after, Checks::Kept) {
                return Err(format!(
                    "{entry}, {workers} workers:\nbefore {}\nafter  {}\n{}",
                    text(&before),
                    text(&after),
                    show()
                ));
            }
        }
    }
    Ok(())
}
