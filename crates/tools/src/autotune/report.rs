//! What the tuner has to say: how much faster data sets are, what versions
//! fail, and where data sets contradict each other.

use super::combine::{Conflict, Split};
use super::curve::INFINITY;
use super::forest::Forest;
use super::search::{Finding, Tuning};
use super::verdict;
use std::fmt::Write;

/// The time of a data set before tuning and after, or why it fails.
pub(super) type BeforeAndAfter = (Result<f64, String>, Result<f64, String>);

/// The logarithm of a slowdown that is as bad as a failure.
const FAILS: f64 = 20.0;

/// The whole report.
pub(super) fn report(
    forest: &Forest,
    names: &[String],
    tuning: &Tuning,
    before_and_after: &[BeforeAndAfter],
) -> String {
    let mut out = String::new();
    for finding in &tuning.findings {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}", describe(forest, names, finding));
    }
    for (threshold, decision) in tuning.decisions.iter().enumerate() {
        if let Some(split) = decision.as_ref().and_then(|d| d.split.as_ref()) {
            let single = decision.as_ref().map_or(INFINITY, |d| d.value);
            let _ = writeln!(out, "{}", repaired(forest.name(threshold), names, single, split));
        }
        for conflict in decision.iter().flat_map(|d| &d.conflicts) {
            let _ = writeln!(out, "{}", contradiction(forest.name(threshold), names, conflict));
        }
    }
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    for (name, times) in names.iter().zip(before_and_after) {
        let gap = " ".repeat(width.saturating_sub(name.chars().count()));
        let slower = if verdict::is_slower(times) { ", slower" } else { "" };
        let _ = writeln!(out, "{name}:{gap} {}{slower}", change(times));
    }
    out
}

fn change((before, after): &BeforeAndAfter) -> String {
    match (before, after) {
        (Ok(before), Ok(after)) => {
            let ratio = before.max(1e-3) / after.max(1e-3);
            format!("{before:>10.0}μs -> {after:>10.0}μs ({ratio:.2}x)")
        }
        (Err(_), Ok(after)) => format!("    failed -> {after:>10.0}μs"),
        (_, Err(message)) => format!("fails: {}", first_line(message)),
    }
}

fn describe(forest: &Forest, names: &[String], finding: &Finding) -> String {
    match finding {
        Finding::Fails { dataset, settings, message } => {
            let set: Vec<String> = settings.iter().map(|(t, v)| format!("{}={v}", forest.name(*t))).collect();
            let with = match set.is_empty() {
                true => "with no threshold reached".to_owned(),
                false => format!("with {}", set.join(", ")),
            };
            format!("Note: {} fails {with}: {}", names[*dataset], first_line(message))
        }
        Finding::Hill { dataset, threshold, times } => {
            let points: Vec<String> =
                times.iter().map(|(v, t)| format!("{} at {}", time(*t), value(*v))).collect();
            format!(
                "Warning: {} does not get better with more parallelism: {} takes {}. The search for its best \
                 value may have missed it.",
                forest.name(*threshold),
                names[*dataset],
                points.join(", ")
            )
        }
    }
}

fn contradiction(threshold: &str, names: &[String], c: &Conflict) -> String {
    format!(
        "Warning: no value of {threshold} is best for all. {} is fastest at {} ({} instead of {}), but {} \
         would then take {} instead of {}. The value chosen is {}.",
        names[c.loser.dataset],
        value(c.loser.wants),
        time(c.loser.best),
        time(c.loser.other),
        names[c.winner.dataset],
        time(c.winner.other),
        time(c.winner.best),
        value(c.winner.wants)
    )
}

fn repaired(threshold: &str, names: &[String], usual: i64, split: &Split) -> String {
    let (before, after) = split.losses;
    let beyond: Vec<&str> = split.datasets.iter().map(|d| names[*d].as_str()).collect();
    format!(
        "Note: no value of {threshold} is best for all, so it is split by another size: {}, or {} where that size is at \
         least {} (as for {}). A single value would have made some data sets slower, all together {:.2} times; this makes \
         it {:.2}.",
        value(usual),
        value(split.value),
        split.border,
        beyond.join(", "),
        before.min(FAILS).exp(),
        after.min(FAILS).exp()
    )
}

fn time(microseconds: f64) -> String {
    match microseconds.is_finite() {
        true => format!("{microseconds:.0}μs"),
        false => "failure".into(),
    }
}

fn value(threshold: i64) -> String {
    match threshold >= INFINITY {
        true => "infinity".into(),
        false => threshold.to_string(),
    }
}

fn first_line(message: &str) -> &str {
    message.lines().find(|l| !l.trim().is_empty()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::super::combine::{Decision, Side};
    use super::*;

    #[test]
    fn splits_are_named() {
        let split = Split { border: 500, value: 8, datasets: vec![1], losses: (160f64.ln(), 0.0) };
        assert_eq!(
            repaired("a", &["main small".to_owned(), "main large".to_owned()], INFINITY, &split),
            "Note: no value of a is best for all, so it is split by another size: infinity, or 8 where that size is at \
             least 500 (as for main large). A single value would have made some data sets slower, all together 160.00 \
             times; this makes it 1.00."
        );
    }

    #[test]
    fn evidence_is_given() {
        let forest = Forest::new(&[("a".to_owned(), "threshold(def, )".to_owned())]);
        let names = ["main small".to_owned(), "main large".to_owned()];
        let conflict = Conflict {
            loser: Side { dataset: 0, wants: 10, best: 5.0, other: 9.0 },
            winner: Side { dataset: 1, wants: INFINITY, best: 20.0, other: f64::INFINITY },
        };
        let tuning = Tuning {
            decisions: vec![Some(Decision {
                value: INFINITY,
                interval: (101, INFINITY),
                conflicts: vec![conflict],
                split: None,
            })],
            best: vec![Some(5.0), Some(20.0)],
            findings: vec![Finding::Fails {
                dataset: 1,
                settings: vec![(0, 100)],
                message: "\nOut of memory\nmore".into(),
            }],
            runs: 4,
        };
        let times = [(Ok(18.0), Ok(9.0)), (Err(String::new()), Ok(20.0))];
        assert_eq!(
            report(&forest, &names, &tuning, &times),
            "Note: main large fails with a=100: Out of memory\n\
             Warning: no value of a is best for all. main small is fastest at 10 (5μs instead of 9μs), but \
             main large would then take failure instead of 20μs. The value chosen is infinity.\n\
             main small:         18μs ->          9μs (2.00x)\n\
             main large:     failed ->         20μs\n"
        );
    }
}
