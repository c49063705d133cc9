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
fn only_the_loop_that_asks_is_unrolled() {
    let program = "def main (xs: []i32) =
  #[unroll] loop s = 0 for k < 4 do
    let ys = map (+ s) (map i32.i64 (iota 64))
    in s + ys[63] + (loop t = 0 for i < 64 do t * 3 + xs[i + k])";
    let text = after("lower", program);
    let marked: Vec<&str> = text.lines().filter(|l| l.contains("#[unroll]")).collect();
    assert!(matches!(marked[..], [line] if line.contains("for i") && line.contains("< 4")), "{text}");
}

#[test]
fn numbers_that_cost_no_more_than_a_read_are_not_stored() {
    // Nine rows for each element: their numbers take two or three instructions each.
    let program = "def add [n][m] (a: [n][m]f32) (b: [n][m]f32) = map2 (map2 (f32.+)) a b
entry main [n][m] (a: [n][m]f32) : [n][m]f32 =
  let (+) = add
  in rotate 1 a + rotate 2 a + rotate 3 a + rotate 4 a + rotate 5 a + rotate 6 a + rotate 7 a + rotate 8 a + rotate 9 a";
    let text = after("flatten", program);
    let kernels = text.lines().filter(|l| l.contains(" = segmap thread")).count();
    assert_eq!(kernels, 1, "{text}");
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
    let on = |target| {
        fehu_driver::explain::explain_locality(&front, &Settings::executable(target, PathBuf::new()))
    };
    let text = on(Target::Cuda).unwrap_or_else(|e| panic!("{e:?}"));
    let line = |place: &str, index: &str| {
        let mut here = false;
        let found = text.lines().find(|l| {
            here = if l.starts_with(' ') { here } else { l.contains(place) };
            here && l.contains(index)
        });
        found.unwrap_or_else(|| panic!("no {index} at {place} in\n{text}"))
    };
    assert!(line("fut:1:", "[+1, same]").contains("threads along columns"), "{text}");
    assert!(line("fut:2:", "[same, +1]").contains("coalesced"), "{text}");
    assert!(line("fut:2:", "[+1, same]").contains("transposed in shared memory"), "{text}");
    assert!(line("fut:3:", "[+1, same]").contains("cached"), "{text}");
    assert!(line("fut:4:", "[?]").contains("none"), "{text}");
    for line in text.lines() {
        let number = |w: &str| w.rsplit_once('_').is_some_and(|(_, n)| n.parse::<u32>().is_ok());
        assert!(!line.split([' ', '[', ']']).any(number), "a name of the compiler: {line}");
    }
    assert!(on(Target::C).is_err(), "there are no kernels");
}

/// The programs of a folder.
#[track_caller]
fn programs(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let files = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut files: Vec<PathBuf> = files.filter_map(|f| Some(f.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "fut"));
    files.sort();
    assert!(!files.is_empty(), "no programs in {folder}");
    files
}

/// Programs on some back ends: what is printed after a step is what is read back, and is valid.
#[track_caller]
fn reads_back(files: impl IntoIterator<Item = PathBuf>, targets: &[Target]) {
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

// The back ends for GPUs have all languages and nearly all passes in common, so they take turns.

#[test]
fn every_second_program_of_gpus_reads_back() {
    reads_back(programs("gpu").into_iter().step_by(2), &[Target::Cuda]);
}

#[test]
fn all_other_programs_of_gpus_read_back() {
    reads_back(programs("gpu").into_iter().skip(1).step_by(2), &[Target::OpenCl]);
}

#[test]
fn programs_of_cpus_read_back() {
    reads_back(programs("multicore"), &[Target::C, Target::Multicore]);
    reads_back(programs("run"), &[Target::C, Target::Multicore, Target::Cuda]);
}

/// A program in which most passes have something to do.
const SMALL: &str = "#[noinline] def twice (x: i32) = x * 2
entry main [n] (xss: [n][n]i32) (is: [n]i64) =
  let sums = map (\\xs -> i32.sum (map twice xs)) xss
  let kept = filter (> 3) (scan (+) 0 sums)
  let bins = hist (+) 0 10 is sums
  let (a, _) = loop (a, b) = (copy sums, bins) for i < 4 do (a with [0] = a[0] + b[i], b)
  in (kept, a, map (\\xs -> scan (+) 0 xs) xss)";

/// Checks the small program, and calls a function with it and with the steps that `list` names for each back end.
fn with_steps(mut f: impl FnMut(&fehu_driver::front::Front, &Settings, &[String])) {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("prog.fut");
    std::fs::write(&file, SMALL).expect("written");
    let front = check_file(&file);
    for target in Target::ALL {
        let settings = Settings::executable(target, PathBuf::new());
        let list = explore::list(&settings);
        let names = list.lines().filter_map(|l| l.split_whitespace().next()).filter(|n| n.contains('#'));
        f(&front, &settings, &names.map(str::to_owned).collect::<Vec<_>>());
    }
}

#[test]
fn every_step_is_listed_and_can_be_shown() {
    with_steps(|front, settings, steps| {
        let target = settings.target.name();
        let mut run = vec![];
        let all = fehu_driver::generate::watch(front, settings, &mut |id, _| {
            run.push(id.to_string());
            fehu_pass::Flow::Continue
        });
        assert!(all.is_ok(), "{all:?}");
        assert_eq!(run, steps, "on {target}");
        for step in steps {
            let shown = explore::after(front, settings, step);
            assert!(shown.is_ok_and(|text| !text.is_empty()), "--after {step} on {target}");
        }
    });
}

#[test]
fn every_step_runs_on_text() {
    with_steps(|front, settings, steps| {
        let mut before: Option<String> = None;
        let mut runs = 0;
        let all = fehu_driver::generate::watch(front, settings, &mut |id, form| {
            // The first step has no text before it, only the checked source.
            if let Some(text) = before.replace(form.print()) {
                let result = explore::from_text(settings, &text, &[id.name.to_owned()]);
                assert!(result.is_ok(), "--run {id} on {}: {result:?}", settings.target.name());
                runs += 1;
            }
            fehu_pass::Flow::Continue
        });
        assert!(all.is_ok(), "{all:?}");
        assert_eq!(runs + 1, steps.len());
    });
}

mod long {
    use super::*;

    /// Kernels of which `layout` expects reads through shared memory that their schedules then do not have. In all
    /// others, schedules do what `layout` expects.
    const PARTED: [&str; 6] = [
        "lbm.fut:61:12-70  tiles",
        "nested.fut:79:32-83  tiles",
        "operators.fut:71:57-89  tiles",
        "operators.fut:74:55-85  tiles",
        "optionpricing.fut:80:3-96:54  tiles",
        "schedule.fut:37:33-74  tiles",
    ];

    #[test]
    fn what_layouts_expect_of_schedules_comes_true() {
        let settings = Settings::executable(Target::Cuda, PathBuf::new());
        let (mut expected, mut parted) = (0, vec![]);
        for file in programs("gpu").into_iter().chain(programs("../bench")) {
            let reads = fehu_driver::explain::expected_shared_reads(&check_file(&file), &settings);
            for (read, holds) in reads.unwrap_or_else(|e| panic!("{}: {e:?}", file.display())) {
                expected += 1;
                if !holds {
                    parted.push(read.rsplit('/').next().unwrap_or_default().to_owned());
                }
            }
        }
        parted.sort();
        assert!(expected > 40, "only {expected} expectations");
        assert_eq!(parted, PARTED);
    }
}
