//! What programs look like after a stage.

use fehu_driver::compile::Settings;
use fehu_driver::explore;
use fehu_driver::front::check_file;
use fehu_driver::target::Target;
use std::path::{Path, PathBuf};

/// A program after a stage.
fn after(stage: &str, text: &str) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("prog.fut");
    std::fs::write(&file, text).expect("written");
    let settings = Settings::executable(Target::Cuda, PathBuf::new());
    explore::after(&check_file(&file), &settings, stage).unwrap_or_else(|e| panic!("{e:?}"))
}

#[test]
fn loops_in_kernels_do_not_compute_what_nobody_needs() {
    // The second component of the scan is only there for itself.
    let program = "def op (a: f32, b: f32) (c: f32, d: f32) = (c + d * a, b * d)
def main (xss: [][]f32) = #[sequential_inner] map (\\xs -> map (\\x -> (x, x)) xs |> scan op (0, 1) |> map (.0)) xss";
    let text = after("dead-code", program);
    assert!(text.contains("loop"), "{text}");
    assert!(!text.contains("1.0f32"), "the second component is carried:\n{text}");
}

#[test]
fn what_kernels_read_is_explained() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("prog.fut");
    let program = "entry sums [n][m] (a: [n][m]f32) = map f32.sum (transpose a)
entry add [n][m] (a: [n][m]f32) (b: [m][n]f32) = map2 (map2 (+)) a (transpose b)
entry rows [n][m] (a: [n][m]f32) = #[sequential_inner] map (\\xs -> loop s = 0 for x in xs do s * 0.5 + x) a
entry gathered [n][k] (xs: [n]f32) (is: [k]i64) = #[unsafe] map (\\i -> xs[i]) is";
    std::fs::write(&file, program).expect("written");
    let front = check_file(&file);
    let on = |target| explore::explain_locality(&front, &Settings::executable(target, PathBuf::new()));
    let text = on(Target::Cuda).unwrap_or_else(|e| panic!("{e:?}"));
    let line = |place: &str, index: &str| {
        let found = text.lines().find(|l| l.contains(place) && l.contains(index));
        found.unwrap_or_else(|| panic!("no {index} at {place} in\n{text}"))
    };
    assert!(line("fut:1:", "[+1, same]").contains("threads along columns"), "{text}");
    assert!(line("fut:2:", "[same, +1]").contains("in order"), "{text}");
    assert!(line("fut:2:", "[+1, same]").contains("copied with dimension 0 innermost"), "{text}");
    assert!(line("fut:3:", "[+1, same]").contains("walks"), "{text}");
    assert!(line("fut:4:", "[?]").contains("none"), "{text}");
    assert!(on(Target::C).is_err(), "there are no kernels");
}

/// Every program of a folder, on some back ends: what is printed after a step is what is read back, and is valid.
#[track_caller]
fn reads_back(folder: &str, targets: &[Target]) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let files = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut files: Vec<PathBuf> = files.filter_map(|f| Some(f.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "fut"));
    files.sort();
    assert!(!files.is_empty(), "no programs in {folder}");
    for file in files {
        let front = check_file(&file);
        for target in targets {
            let settings = Settings::executable(*target, PathBuf::new());
            match explore::round_trip(&front, &settings) {
                Ok(None) => {}
                Ok(Some(step)) => panic!("{} on {}: {step} loses something", file.display(), target.name()),
                Err(errors) => panic!("{} on {}: {errors:?}", file.display(), target.name()),
            }
        }
    }
}

#[test]
fn programs_of_gpus_read_back() {
    reads_back("gpu", &[Target::Cuda, Target::OpenCl]);
}

#[test]
fn programs_of_cpus_read_back() {
    reads_back("multicore", &[Target::C, Target::Multicore]);
    reads_back("run", &[Target::C, Target::Multicore]);
}
