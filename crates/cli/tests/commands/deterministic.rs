//! `--deterministic`: the same bits for all numbers of threads, and in all runs.

use super::{fehu, program, stderr};
use std::path::Path;
use std::process::Command;

/// Adjoints that are reductions, histograms and updates; reductions, scans and histograms of a program's own.
const SUMS: &str = "\
def xs (n: i64) = map (\\i -> f32.sin (f32.i64 (i * i % 1009)) * f32.exp (f32.i64 (i % 31))) (iota n)
def gathered [n] (a: f32) (xs: [n]f32) = f32.sum (map (\\i -> f32.sin (a * xs[i * i % 7] + xs[i])) (iota n))
entry gradient (n: i64) = vjp (\\(a, xs) -> gathered a xs) (0.3, xs n) 1
entry chain (n: i64) =
  let go (xs: []f32) = loop xs for k < 3i64 do map (\\i -> f32.cos (xs[i / 2] + xs[(i * i + k) % 13])) (indices xs)
  in vjp (\\xs -> f32.sum (go xs)) (xs n) 1
entry total (n: i64) = f32.sum (xs n)
entry running (n: i64) = scan (+) 0 (xs n)
entry bins (n: i64) = reduce_by_index (replicate 10 0) (+) 0 (map (% 11) (iota n)) (xs n)
entry many_bins (n: i64) = reduce_by_index (replicate 5000 0) (+) 0 (map (\\i -> i * i % 5000) (iota n)) (xs n)
entry vectors (n: i64) =
  reduce (map2 (+)) (replicate 3 0) (map (\\x -> [x, x * x, 1 / x]) (xs n))
entry rows (n: i64) = map (\\k -> f32.sum (map (* f32.i64 k) (xs n))) (iota 5)
";

const ENTRIES: [&str; 8] = ["gradient", "chain", "total", "running", "bins", "many_bins", "vectors", "rows"];

fn compiled(dir: &Path, backend: &str) {
    program(dir, "sums.fut", SUMS);
    let mut command = fehu();
    // Threads have memory of their own, which the quick compiler does not know.
    command.env_remove("CC").env("CFLAGS", "-O1 -std=c11");
    command.args([backend, "--deterministic", "sums.fut"]).current_dir(dir);
    let done = command.output().expect("fehu runs");
    assert!(done.status.success(), "{}", stderr(&done));
}

/// What an entry point says, in binary.
fn bits(dir: &Path, entry: &str, n: i64, options: &[&str]) -> Vec<u8> {
    let command = format!("echo {n}i64 | timeout 60 ./sums -b -e {entry} {}", options.join(" "));
    let done = Command::new("sh").args(["-c", &command]).current_dir(dir).output().expect("sh runs");
    assert!(done.status.success(), "{entry}: {}", stderr(&done));
    done.stdout
}

#[test]
fn sums_do_not_depend_on_the_number_of_threads() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    compiled(dir.path(), "multicore");
    for entry in ENTRIES {
        for n in [100, 100_003] {
            let expected = bits(dir.path(), entry, n, &["--num-threads", "1"]);
            for threads in ["1", "2", "7", "16"] {
                let found = bits(dir.path(), entry, n, &["--num-threads", threads, "-r", "2"]);
                assert!(found == expected, "{entry} of {n} differs with {threads} threads");
            }
        }
    }
}

#[test]
fn sums_of_a_device_are_the_same_in_each_run() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    if !crate::gpu::has_device(dir.path()) {
        return;
    }
    compiled(dir.path(), "opencl");
    for entry in ENTRIES {
        let expected = bits(dir.path(), entry, 30_011, &[]);
        for _ in 0..3 {
            assert!(bits(dir.path(), entry, 30_011, &[]) == expected, "{entry} differs from run to run");
        }
    }
}
