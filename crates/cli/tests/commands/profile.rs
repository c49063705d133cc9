//! `fehu profile` of what a device has done: from a program to pages, traces and the most expensive lines.

use super::{fehu, program, stderr, stdout};

const PROGRAM: &str = "\
-- ==
-- \"few\" input { 100i64 }
-- \"many\" input { 1000i64 }
def powers (n: i64) = map f64.i64 (iota n)

entry main (n: i64) =
  let xs = powers n
  let ys = scan (+) 0 xs
  in f64.sum ys
";

/// Whether there is an OpenCL device; the test of everything (`./test`) wants one.
fn device() -> bool {
    let dir = std::path::Path::new("/etc/OpenCL/vendors");
    let found = std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    assert!(found || std::env::var_os("FEHU_REQUIRE_OPENCL").is_none(), "there is no OpenCL device");
    found
}

#[test]
fn operations_have_times_lines_and_pages() {
    if !device() {
        eprintln!("skipped: there is no OpenCL device");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    program(dir.path(), "p.fut", PROGRAM);
    let run = |args: &[&str]| {
        let done = fehu().args(args).current_dir(dir.path()).output().expect("fehu runs");
        assert!(done.status.success(), "{args:?}: {}", stderr(&done));
        stdout(&done)
    };
    run(&[
        "bench",
        "--backend=opencl",
        "--profile",
        "--json=a.json",
        "--runs=2",
        "--no-convergence-phase",
        "p.fut",
    ]);
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect("a file");
    let json: serde_json::Value = serde_json::from_str(&read("a.json")).expect("JSON");
    let events = json["p.fut"]["datasets"]["few"]["profiling"]["events"].as_array().expect("events").clone();
    let starts: Vec<f64> = events.iter().filter_map(|e| e["start"].as_f64()).collect();
    assert!(events.len() > 2 && starts.len() == events.len(), "{events:?}");
    assert!(starts[0] == 0.0 && starts.windows(2).all(|w| w[0] <= w[1]), "{starts:?}");
    let said = run(&["profile", "--trace", "a.json"]);
    assert!(said.contains("p.fut few: ") && said.contains("%") && said.contains("p.fut:8"), "{said}");
    assert!(said.contains("  let ys = scan (+) 0 xs\n"), "{said}");
    assert!(said.ends_with("Wrote a.prof/index.html\n"), "{said}");
    let first = read("a.prof/index.html");
    assert!(first.contains("few-index.html") && first.contains("many-index.html"), "{first}");
    let page = read("a.prof/few-index.html");
    for part in
        ["<h2>Timeline</h2>", "<h2>Flame graph</h2>", "prefers-color-scheme: dark", "p.fut:9  in f64.sum ys"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    let trace: serde_json::Value = serde_json::from_str(&read("a.prof/few.trace.json")).expect("JSON");
    assert!(trace["traceEvents"].as_array().is_some_and(|slices| slices.len() > events.len()), "{trace}");
}
