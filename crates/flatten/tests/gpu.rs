//! What flattening for GPUs makes of optimised programs: text files, thresholds first. That the programs keep
//! their meaning is tested with whole pipelines, in `driver`.

use fehu_flatten::{gpu, GpuOptions};
use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::subst::renumber;
use fehu_ir::Soacs;
use std::path::{Path, PathBuf};

/// What the optimised programs become, thresholds first. `FEHU_BLESS=1` writes the files anew.
#[test]
fn programs_become_what_they_became() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("../../../tests/ir/programs"))
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
