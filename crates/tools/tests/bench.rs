//! `fehu bench` on compiled programs.

use fehu_tools::bench::results::{Measurement, Outcome, Results};
use fehu_tools::bench::{all_measured, bench, Options, Plan};
use std::path::{Path, PathBuf};
use std::time::Duration;

const PROGRAM: &str = r#"-- Entry points of many kinds.
-- ==
-- entry: sum
-- "three" input { [1i32, 2i32, 3i32] } output { 6i32 }
-- random input { [1000]i32 }

-- ==
-- entry: divide
-- "well" input { 3i64 } output { 4i64 2i64 }
-- "zero" input { 0i64 }
-- "wrong" input { 2i64 } output { 5i64 2i64 }
-- "slow" nobench input { 1i64 }

-- ==
-- entry: consume
-- "again" input { [1i32, 2i32] } output { [0i32, 2i32] }
-- "made" script input { make 3i64 } output { [6i32, 7i32, 7i32] }

-- ==
-- entry: first
-- "opaque" script input { pair 5i64 } output { 5i64 }
entry make (n: i64) : []i32 = replicate n 7
entry pair (n: i64) : {a: i64, b: bool} = {a = n, b = true}
entry first (p: {a: i64, b: bool}) : i64 = p.a
entry sum (xs: []i32) = i32.sum xs
entry divide (n: i64) = (12 / n, 2i64)
entry consume (xs: *[]i32) = xs with [0] = xs[0] - 1
"#;

fn options() -> Options {
    Options {
        backend: "c".into(),
        compiler: None,
        compiler_options: vec![],
        skip_compilation: false,
        concurrency: 2,
        plan: Plan { runs: 3, least: Duration::ZERO, converge: None },
        timeout: Some(Duration::from_secs(60)),
        exclude: vec![],
        entry_point: None,
        ignore_files: vec![],
        spec_file: None,
        pass_options: vec![],
        runner: None,
        tuning: Some("tuning".into()),
        cache_extension: None,
        profile: false,
        json: None,
        terminal: false,
        verbose: 0,
    }
}

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let file = dir.join(name);
    std::fs::write(&file, text).expect("written");
    file
}

fn outcome<'a>(results: &'a Results, dataset: &str) -> &'a Outcome {
    let mut all = results.programs.iter().flat_map(|(_, datasets)| datasets);
    &all.find(|(name, _)| name == dataset).expect("a data set").1
}

fn measured<'a>(results: &'a Results, dataset: &str) -> &'a Measurement {
    match outcome(results, dataset) {
        Outcome::Measured(m) => m,
        Outcome::Failed(message) => panic!("{dataset}: {message}"),
    }
}

fn failure<'a>(results: &'a Results, dataset: &str) -> &'a str {
    match outcome(results, dataset) {
        Outcome::Measured(_) => panic!("{dataset} succeeds"),
        Outcome::Failed(message) => message,
    }
}

#[test]
fn data_sets_are_measured_and_checked() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = write(dir.path(), "p.fut", PROGRAM);
    let results =
        bench(std::slice::from_ref(&file), &Options { profile: true, ..options() }).expect("it compiles");
    let keys: Vec<&str> = results.programs.iter().map(|(key, _)| key.as_str()).collect();
    let name = file.display();
    let entries = ["sum", "divide", "consume", "first"];
    assert_eq!(keys, entries.map(|entry| format!("{name}:{entry}")));
    for dataset in ["three", "[1000]i32", "well", "again", "made", "opaque"] {
        assert_eq!(measured(&results, dataset).runtimes.len(), 3, "{dataset}");
    }
    let random = measured(&results, "[1000]i32");
    assert!(random.bytes.iter().any(|(space, n)| space == "default space" && *n >= 4000), "{random:?}");
    assert!(random.profiling.as_ref().is_some_and(|p| p["events"].is_array()), "{random:?}");
    assert!(random.log.is_some());
    assert!(failure(&results, "zero").contains("division by zero"));
    assert!(failure(&results, "wrong").contains("not the expected"), "{}", failure(&results, "wrong"));
    assert!(!all_measured(&results));
    let datasets: usize = results.programs.iter().map(|(_, d)| d.len()).sum();
    assert_eq!(datasets, 8, "slow is left out");
}

#[test]
fn what_cannot_be_compiled_ends_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = "-- ==\n-- input { 1 }\nentry main (x: i32) = x + true\n";
    let file = write(dir.path(), "bad.fut", text);
    let message = bench(std::slice::from_ref(&file), &options()).expect_err("it is refused");
    assert!(message.contains("bad.fut:"), "{message}");
    let message =
        bench(&[file], &Options { backend: "abacus".into(), ..options() }).expect_err("no back end");
    assert!(message.contains("no back end named `abacus`"), "{message}");
    // Without data sets, it is not checked whether it is right.
    let file = write(dir.path(), "idle.fut", "entry main (x: i32) = x + true\n");
    assert_eq!(bench(&[file], &options()), Ok(Results::default()));
}
