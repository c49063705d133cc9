//! Programs of `tests/gpu` on OpenCL: every version of every nest gives the answers of the C back end.
//!
//! Most of the time goes into compiling kernels, which PoCL does twice as fast without optimising them; so
//! that is how all programs are run, with the versions that their sizes choose and with the outermost ones.
//! Versions by chance are tried on a few programs in each run, and with optimised kernels. Which ones and
//! which versions depends on `FEHU_GPU_SEED`, which `./test` sets, or else on the day; it is printed.
//!
//! Any OpenCL device will do; PoCL, which `./test` installs, makes one of the CPU. Without a device there is nothing to
//! test, and the tests say so; with `FEHU_REQUIRE_OPENCL`, which `./test` sets, they fail.

use crate::quick_cc::quick_cc;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Programs that are run with versions by chance.
const PROGRAMS_BY_CHANCE: usize = 5;

/// Programs in which each plan of kernels stands, in each of its forms and with each way to exchange values:
/// a seventh of all kernels. All others are tested in modules called `long`, which `./test` leaves out and
/// `./test long` does not.
const EACH_PLAN: [&str; 21] = [
    "after",
    "at_once",
    "columns_of_rows",
    "copied_ahead",
    "hist",
    "histogram-strips",
    "host",
    "irregular_placed_checks",
    "irregular_queue",
    "numbers_once",
    "only_intra",
    "products",
    "rotated_in_blocks",
    "rotated_matrices",
    "scan_many_tiles",
    "schedule",
    "shared_rows",
    "short_division",
    "time_lines",
    "time_steps",
    "turns_in_blocks",
];

/// Most of a program's text for the host runs once, or not at all.
pub(crate) fn fehu() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
    quick_cc(&mut command);
    command
}

fn programs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gpu");
    let mut found: Vec<PathBuf> = (std::fs::read_dir(&dir).expect("tests/gpu is there"))
        .map(|entry| entry.expect("an entry of tests/gpu").path())
        .filter(|path| path.extension().is_some_and(|e| e == "fut"))
        .collect();
    found.sort();
    found
}

/// A program with its tuning file in another folder.
fn copied(path: PathBuf, dir: &Path) -> PathBuf {
    let to = dir.join(path.file_name().expect("a file name"));
    std::fs::copy(&path, &to).expect("a copy of a program");
    let tuning = path.with_extension("fut.tuning");
    if tuning.exists() {
        std::fs::copy(tuning, to.with_extension("fut.tuning")).expect("a copy of a tuning file");
    }
    to
}

fn compile(program: &Path) -> PathBuf {
    let exe = program.with_extension("exe");
    let done = fehu().arg("opencl").arg(program).arg("-o").arg(&exe).output().expect("fehu runs");
    assert!(done.status.success(), "{}: {}", program.display(), text(&done));
    exe
}

pub(crate) fn text(done: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

/// Whether there is a device to test on.
pub(crate) fn has_device(dir: &Path) -> bool {
    let program = dir.join("any.fut");
    std::fs::write(&program, "entry main (x: i32) = map (+ x) (iota 3 |> map i32.i64)\n").expect("a program");
    let exe = compile(&program);
    let listed = Command::new(exe).arg("--list-devices").output().expect("the program runs");
    let found = listed.status.success() && !listed.stdout.is_empty();
    if !found {
        let required = std::env::var_os("FEHU_REQUIRE_OPENCL").is_some();
        assert!(!required, "There is no OpenCL device; {}", text(&listed));
        eprintln!("There is no OpenCL device: GPU programs are not tested.");
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kernels {
    Optimised,
    Plain,
}

fn test(program: &Path, kernels: Kernels, options: &[&str]) {
    let mut command = fehu();
    command.args(["test", "--no-terminal", "--backend", "opencl"]).args(options);
    if kernels == Kernels::Plain {
        command.arg("--pass-option=--build-option=-cl-opt-disable");
    }
    let done = command.arg(program).output().expect("fehu runs");
    assert!(done.status.success(), "{} {options:?}:\n{}", program.display(), text(&done));
}

/// Which of the programs: each half of those in `EACH_PLAN`, or of the others, keeps a core busy.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    EachPlan(Half),
    Others(Half),
}

#[derive(Clone, Copy)]
pub(crate) enum Half {
    First = 0,
    Second = 1,
}

impl Part {
    /// Copies of its programs in a folder of their own, since tests leave expected outputs beside them.
    pub(crate) fn copied(self, dir: &Path) -> Vec<PathBuf> {
        let (each_plan, half) = match self {
            Part::EachPlan(half) => (true, half),
            Part::Others(half) => (false, half),
        };
        let named =
            |path: &PathBuf| path.file_stem().is_some_and(|s| EACH_PLAN.iter().any(|name| s == *name));
        let part = programs().into_iter().filter(|path| named(path) == each_plan);
        part.skip(half as usize).step_by(2).map(|path| copied(path, dir)).collect()
    }
}

#[test]
fn each_plan_is_in_a_program_that_is_there() {
    let stems: Vec<_> = programs().iter().filter_map(|p| p.file_stem().map(|s| s.to_owned())).collect();
    for name in EACH_PLAN {
        assert!(stems.iter().any(|s| s == name), "tests/gpu/{name}.fut");
    }
}

/// The versions that the sizes choose, and the outermost ones; the innermost ones are what small data gets by
/// default. One after the other, since the kernels are the same, and PoCL keeps those that it has compiled,
/// as `fehu test` keeps the answers of C.
fn programs_give_the_answers_of_c(part: Part) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    if has_device(dir.path()) {
        for program in part.copied(dir.path()) {
            test(&program, Kernels::Plain, &["--no-tuning"]);
            test(&program, Kernels::Plain, &["--no-tuning", "--pass-option=--default-threshold=1"]);
        }
    }
}

#[test]
fn every_second_plan_gives_the_answers_of_c() {
    programs_give_the_answers_of_c(Part::EachPlan(Half::First));
}

#[test]
fn all_other_plans_give_the_answers_of_c() {
    programs_give_the_answers_of_c(Part::EachPlan(Half::Second));
}

mod long {
    use super::{programs_give_the_answers_of_c, Half, Part};

    #[test]
    fn every_second_program_gives_the_answers_of_c() {
        programs_give_the_answers_of_c(Part::Others(Half::First));
    }

    #[test]
    fn all_other_programs_give_the_answers_of_c() {
        programs_give_the_answers_of_c(Part::Others(Half::Second));
    }
}

#[test]
fn any_versions_give_the_same_answers() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    if !has_device(dir.path()) {
        return;
    }
    let seed = seed();
    println!("FEHU_GPU_SEED={seed}");
    let mut random = Random(seed);
    let mut programs = programs();
    for _ in 0..PROGRAMS_BY_CHANCE {
        let program = copied(programs.swap_remove(random.below(programs.len())), dir.path());
        let listed =
            Command::new(compile(&program)).arg("--print-params").output().expect("the program runs");
        let listed = text(&listed);
        let mut tuning = String::new();
        for (name, class) in listed.lines().filter_map(|line| line.split_once(' ')) {
            if class.starts_with("(threshold") {
                let value = if random.below(2) == 0 { 0 } else { i64::MAX / 2 };
                writeln!(tuning, "{name}={value}").expect("text grows");
            }
        }
        std::fs::write(program.with_extension("fut.forced"), &tuning).expect("a tuning file");
        println!("{}:\n{tuning}", program.display());
        test(&program, Kernels::Optimised, &["--tuning", "forced"]);
    }
}

/// The number of the day, if no other is asked for.
fn seed() -> u64 {
    match std::env::var("FEHU_GPU_SEED") {
        Ok(seed) => seed.parse().expect("FEHU_GPU_SEED is a number"),
        Err(_) => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.expect("it is after 1970").as_secs() / (24 * 60 * 60)
        }
    }
}

#[test]
fn tiles_have_any_size() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    if !has_device(dir.path()) {
        return;
    }
    let program = dir.path().join("tiling.fut");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gpu/tiling.fut");
    std::fs::copy(from, &program).expect("a copy of a program");
    let options = ["threshold=1", "grid-size=1", "tile-size=4", "reg-tile-size=3"];
    let options = options.map(|o| format!("--pass-option=--default-{o}"));
    let mut all = vec!["--no-tuning"];
    all.extend(options.iter().map(String::as_str));
    test(&program, Kernels::Plain, &all);
}

/// What a compiler says of programs that the host runs step by step: the form that is in the way, its line,
/// and the operation.
#[test]
fn what_is_not_run_in_parallel_is_said() {
    let list = "let xs = loop xs = iota n while length xs > 1 do filter (> xs[0]) xs";
    let larger = "def larger (a: i64) (b: i64) = last (loop xs = [a] while length xs <= b - a do xs ++ [a + length xs])";
    let histogram = "a histogram whose operator cannot be used for all points at once";
    let attribute = "an attribute that asks for sequential inner code";
    let accumulator = "an accumulator";
    let cases = [
        (
            format!(
                "entry main (ns: []i64) =\n  map (\\n -> {list}\n let rows = map (\\x -> map (+ x) (iota n)) xs in
                 i64.sum (map i64.sum (hist (map2 (+)) (replicate n 0) n (map (% n) xs) rows))) ns"
            ),
            (histogram, 4, "2:3"),
        ),
        (
            format!("{larger}\nentry main (ns: []i64) =\n  reduce_by_index (replicate 3 0) larger 0 (map (% 3) ns) ns"),
            (histogram, 3, "3:3"),
        ),
        (
            "def gcd (a: i64) (b: i64) : i64 = if b == 0 then a else gcd b (a % b)
entry main (ns: []i64) =\n  reduce_by_index (replicate 3 0) gcd 0 (map (% 3) ns) ns"
                .to_string(),
            (histogram, 3, "3:3"),
        ),
        (
            format!("entry main (ns: []i64) =\n  #[sequential_inner] map (\\n -> {list} in length xs) ns"),
            (attribute, 2, "2:23"),
        ),
        (
            format!(
                "entry main (ns: []i64) =\n  map (\\n -> {list} let m = length xs + n in i64.sum
  (intrinsics.hist_stream (replicate m 0i64) (+) 0 (\\(acc: *intrinsics.acc ([m]i64)) i ->
    loop acc for j < i do intrinsics.acc_write acc (i * j % m) 1) (iota n))) ns"
            ),
            (accumulator, 3, "2:3"),
        ),
        (
            "entry main (ns: []i64) =
  intrinsics.hist_stream (replicate 3 [1, 2]) (\\a b -> map2 (+) (reverse a) (scan (+) 0 b)) [0, 0]
    (\\(acc: *intrinsics.acc ([3][2]i64)) i -> intrinsics.acc_write acc i [i, 1]) ns"
                .to_string(),
            (accumulator, 2, "2:3"),
        ),
    ];
    let dir = tempfile::tempdir().expect("a temporary folder");
    let program = dir.path().join("steps.fut");
    for (text_of, (form, line, at)) in cases {
        std::fs::write(&program, &text_of).expect("a program");
        let done = (fehu().args(["opencl", "--library"]).arg(&program).output()).expect("fehu runs");
        let said = text(&done);
        assert!(done.status.success(), "{text_of}\n{said}");
        let reason = format!("warning: This is not run in parallel, but step by step by the host: it has {form}, in line {line}.");
        assert!(said.contains(&reason) && said.contains(&format!("steps.fut:{at}")), "{text_of}\n{said}");
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
