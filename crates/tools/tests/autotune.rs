//! `fehu autotune` on a program that only pretends: it speaks the server
//! protocol, and tells times that it computes from its thresholds.
#![cfg(unix)]

use fehu_tools::autotune::{autotune, Options, SearchBy};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// `m` rows of `n` elements: outer parallelism needs many rows, blocks need short rows (and run out of
/// memory when there are very many), inner parallelism always works.
const SERVER: &str = r#"#!/bin/sh
logging=no
for word in "$@"; do
  if [ "$word" = -L ]; then logging=yes; fi
done
outer=32768
intra=32768
border=9223372036854775807
beyond=32768
echo '%%% OK'
while read -r command a b rest; do
  case "$command" in
    tuning_params)
      echo 'main.suff_outer_par_0 threshold(def, )'
      echo 'main.suff_intra_par_1 threshold(def, !main.suff_outer_par_0)'
      echo 'main.suff_outer_par_0_border threshold_border(main.suff_outer_par_0)'
      echo 'main.suff_outer_par_0_beyond threshold_beyond(main.suff_outer_par_0)'
      echo 'main.tile_size_2 tile_size' ;;
    inputs) echo i64; echo i64 ;;
    output) echo '[]i64' ;;
    set_tuning_param)
      case "$a" in
        *border) border=$b ;;
        *beyond) beyond=$b ;;
        *outer*) outer=$b ;;
        *) intra=$b ;;
      esac ;;
    restore) read -r m n < "$a" ;;
    call)
      if [ $logging = yes ]; then
        echo "Compared main.suff_outer_par_0_border <= $n: false."
        echo "Compared main.suff_outer_par_0 <= $m: false."
      fi
      cores=$((m < 4096 ? m : 4096))
      enough=$outer
      if [ "$border" -le "$n" ]; then enough=$beyond; fi
      if [ "$enough" -le "$m" ]; then
        time=$((100 * m * n / cores))
      else
        if [ $logging = yes ]; then echo "Compared main.suff_intra_par_1 <= $((m * n)): false."; fi
        time=$((2000 + m * n / 20))
        if [ "$intra" -le $((m * n)) ] && [ "$n" -le 1024 ]; then
          time=$((20 + m * n / 40))
          if [ "$m" -gt 2000000 ]; then time=failure; fi
        fi
      fi
      if [ $logging = no ]; then echo "$m $outer $intra" >> "$0.calls"; fi
      if [ "$time" = failure ]; then
        echo '%%% FAILURE'
        echo 'Out of memory.'
      else
        echo "runtime: $time"
      fi ;;
    free) ;;
    *) echo '%%% FAILURE'; echo "Unknown command: $command" ;;
  esac
  echo '%%% OK'
done
"#;

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("written");
}

fn options(search: SearchBy) -> Options {
    Options {
        backend: "opencl".into(),
        compiler: None,
        skip_compilation: true,
        pass_options: vec![],
        runs: Some(2),
        spec_file: None,
        tuning: "tuning".into(),
        timeout: Some(Duration::from_secs(20)),
        search,
        sizes: false,
        terminal: false,
        verbose: 0,
    }
}

/// Tunes for shapes, up the tree.
#[allow(clippy::type_complexity)]
fn tune(shapes: &[(i64, i64)]) -> (Vec<(String, i64)>, Vec<(i64, usize)>) {
    tune_by(SearchBy::Tree, shapes)
}

/// Tunes for shapes; the thresholds, and how many settings each number of rows was measured with.
#[allow(clippy::type_complexity)]
fn tune_by(search: SearchBy, shapes: &[(i64, i64)]) -> (Vec<(String, i64)>, Vec<(i64, usize)>) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| dir.path().join(name);
    let mut program = String::from("-- ==\n");
    for (i, (m, n)) in shapes.iter().enumerate() {
        write(&file(&format!("{i}.in")), &format!("{m} {n}\n"));
        program.push_str(&format!("-- input @ {i}.in\n"));
    }
    program.push_str("entry main (m: i64) (n: i64) = replicate m n\n");
    write(&file("p.fut"), &program);
    write(&file("p"), SERVER);
    std::fs::set_permissions(file("p"), std::fs::Permissions::from_mode(0o755)).expect("executable");
    let written = autotune(&file("p.fut"), &options(search)).expect("tuned");
    assert_eq!(written, Some(file("p.fut.tuning")));
    let text = std::fs::read_to_string(file("p.fut.tuning")).expect("a tuning file");
    let setting = |line: &str| {
        let line = line.split("--").next().unwrap_or("").trim();
        let (name, value) = line.split_once('=').expect("name=value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    let calls = std::fs::read_to_string(file("p.calls")).expect("calls");
    let mut measured: Vec<(i64, usize)> = vec![];
    for (m, _) in shapes {
        let mut lines: Vec<&str> = calls.lines().filter(|l| l.starts_with(&format!("{m} "))).collect();
        lines.sort_unstable();
        lines.dedup();
        measured.push((*m, lines.len()));
    }
    (text.lines().map(setting).collect(), measured)
}

#[test]
fn every_data_set_gets_its_best_version() {
    // The best are: outer, intra-block, inner (a long row), and intra-block.
    let (settings, measured) = tune(&[(1_000_000, 4), (100, 100), (10, 1_000_000), (1000, 1000)]);
    let names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["main.suff_outer_par_0", "main.suff_intra_par_1"]);
    let (outer, intra) = (settings[0].1, settings[1].1);
    assert!(1000 < outer && outer <= 1_000_000, "{outer}");
    assert!(intra <= 100 * 100, "{intra}");
    // One measurement for each version, one with the defaults, and one in the end.
    assert!(measured.iter().all(|(_, settings)| (3..=5).contains(settings)), "{measured:?}");
}

#[test]
fn what_fails_is_avoided() {
    let (settings, _) = tune(&[(3_000_000, 4)]);
    // The version in blocks would be next, but there is no memory for it.
    assert!(settings[1].1 > 12_000_000 || settings[0].1 <= 3_000_000, "{settings:?}");
}

#[test]
fn a_threshold_that_cannot_serve_two_data_sets_is_split() {
    // As many rows: those of two elements are best in blocks (140 instead of 200), those of 2000 outside (200,000
    // instead of 242,000).
    let (settings, measured) = tune(&[(2400, 2), (2400, 2000)]);
    let names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "main.suff_outer_par_0",
            "main.suff_outer_par_0_border",
            "main.suff_outer_par_0_beyond",
            "main.suff_intra_par_1"
        ],
        "{settings:?}"
    );
    let (outer, border, beyond) = (settings[0].1, settings[1].1, settings[2].1);
    assert!(outer > 2400 && (3..=2000).contains(&border) && beyond <= 2400, "{settings:?}");
    assert!(measured.iter().all(|(_, settings)| *settings <= 10), "{measured:?}");
}

/// Every run is slower for which something was set; so whatever the search finds is slower than the program as it is.
#[test]
fn what_is_slower_in_the_end_is_not_written() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| dir.path().join(name);
    write(&file("0.in"), "100 100\n");
    write(&file("p.fut"), "-- ==\n-- input @ 0.in\nentry main (m: i64) (n: i64) = replicate m n\n");
    let slow = SERVER
        .replace("logging=no\nfor", "logging=no\nset=no\nfor")
        .replace("set_tuning_param)", "set_tuning_param) set=yes")
        .replace(
            "echo \"runtime: $time\"",
            "if [ $set = yes ]; then time=$((time * 100)); fi; echo \"runtime: $time\"",
        );
    write(&file("p"), &slow);
    std::fs::set_permissions(file("p"), std::fs::Permissions::from_mode(0o755)).expect("executable");
    write(&file("p.fut.tuning"), "main.suff_outer_par_0=1\n");
    let written = autotune(&file("p.fut"), &options(SearchBy::Tree)).expect("tuned");
    assert_eq!(written, None);
    let kept = std::fs::read_to_string(file("p.fut.tuning")).expect("a tuning file");
    assert_eq!(kept, "main.suff_outer_par_0=1\n", "an earlier file stays");
}

#[test]
fn guesses_find_the_versions_too() {
    let search = SearchBy::Stochastic { budget: Some(40), seed: 7 };
    let (settings, _) = tune_by(search, &[(1_000_000, 4), (100, 100), (1000, 1000)]);
    assert!(1000 < settings[0].1 && settings[0].1 <= 1_000_000, "{settings:?}");
    assert!(settings[1].1 <= 100 * 100, "{settings:?}");
}
