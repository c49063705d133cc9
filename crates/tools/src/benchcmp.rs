//! `fehu benchcmp`: what became faster and what slower between two result
//! files of `fehu bench --json`.
//!
//! A speedup of 2 means that the second file's runs take half as long. It is
//! significant if the means are further apart than half the two standard
//! deviations together.
//!
//! ```text
//! prog.fut:sum
//!   large:    1.52x
//!   small:    0.98x
//! ```

use crate::bench::results::{Measurement, Outcome, Results};
use fehu_data::stats::{geometric_mean, mean, numbers, standard_deviation};

/// By what programs are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SortBy {
    /// By name.
    #[default]
    Name,
    /// By how many data sets are significantly slower.
    Significant,
    /// By the geometric mean of significant speedups.
    GeomeanSignificant,
    /// By the geometric mean of all speedups.
    GeomeanAll,
}

/// Which end comes first, when not sorted by name.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Order {
    /// What became slowest.
    #[default]
    WorstFirst,
    /// What became fastest.
    BestFirst,
}

/// Whether to mark significant differences by colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    /// Plain text.
    Plain,
    /// Escape sequences of terminals.
    Colours,
}

/// Below this speedup, a significant difference is a regression.
const REGRESSION: f64 = 0.99;

/// What two files say of a data set.
struct Speedup {
    dataset: String,
    ratio: f64,
    significant: bool,
    /// For each kind of memory whose use differs, the second file's part of the first's.
    memory: Vec<(String, f64)>,
}

/// A program and its data sets, by name.
struct Group {
    program: String,
    speedups: Vec<Speedup>,
}

/// Compares results; `names` is what the two are called.
pub fn benchcmp(
    names: (&str, &str),
    a: &Results,
    b: &Results,
    sort: SortBy,
    order: Order,
    paint: Paint,
) -> String {
    let mut notes = vec![];
    let mut groups = groups(names, a, b, &mut notes);
    groups.sort_by(|x, y| x.program.cmp(&y.program));
    if sort != SortBy::Name {
        groups.sort_by(|x, y| {
            let order_of = badness(x, sort).total_cmp(&badness(y, sort));
            match order {
                Order::WorstFirst => order_of.reverse(),
                Order::BestFirst => order_of,
            }
        });
    }
    let width = groups.iter().flat_map(|g| &g.speedups).map(|s| s.dataset.chars().count()).max();
    let mut out: String = notes.iter().map(|n| format!("{n}\n")).collect();
    for group in &groups {
        out.push_str(&format!("\n{}\n", group.program));
        for speedup in &group.speedups {
            out.push_str(&line(speedup, width.unwrap_or(0), paint));
        }
    }
    out
}

fn groups(names: (&str, &str), a: &Results, b: &Results, notes: &mut Vec<String>) -> Vec<Group> {
    let only = |here: &str, there: &str, what: &str| format!("In {here} but not in {there}: {what}");
    let mut groups = vec![];
    for (program, in_a) in &a.programs {
        let Some((_, in_b)) = b.programs.iter().find(|(name, _)| name == program) else {
            notes.push(only(names.0, names.1, &format!("program {program}")));
            continue;
        };
        let mut speedups = vec![];
        for (dataset, outcome) in in_a {
            let place = format!("program {program}, data set {dataset}");
            let Some((_, other)) = in_b.iter().find(|(name, _)| name == dataset) else {
                notes.push(only(names.0, names.1, &place));
                continue;
            };
            match (outcome, other) {
                (Outcome::Measured(a), Outcome::Measured(b)) => {
                    speedups.extend(speedup(dataset, a, b));
                }
                (Outcome::Failed(_), _) => notes.push(format!("Failed in {}: {place}", names.0)),
                (_, Outcome::Failed(_)) => notes.push(format!("Failed in {}: {place}", names.1)),
            }
        }
        for (dataset, _) in in_b.iter().filter(|(name, _)| in_a.iter().all(|(n, _)| n != name)) {
            notes.push(only(names.1, names.0, &format!("program {program}, data set {dataset}")));
        }
        speedups.sort_by(|x, y| x.dataset.cmp(&y.dataset));
        if !speedups.is_empty() {
            groups.push(Group { program: program.clone(), speedups });
        }
    }
    for (program, _) in b.programs.iter().filter(|(name, _)| a.programs.iter().all(|(n, _)| n != name)) {
        notes.push(only(names.1, names.0, &format!("program {program}")));
    }
    groups
}

/// `None` if there is nothing to compare.
fn speedup(dataset: &str, a: &Measurement, b: &Measurement) -> Option<Speedup> {
    if a.runtimes.is_empty() || b.runtimes.is_empty() {
        return None;
    }
    let [runs_before, runs_after] = [a, b].map(|m| numbers(&m.runtimes));
    let (before, after) = (mean(&runs_before), mean(&runs_after));
    let ratio = match (before == 0.0, after == 0.0) {
        (true, true) => 1.0,
        _ => before / after,
    };
    let doubt = (standard_deviation(&runs_before) + standard_deviation(&runs_after)) / 2.0;
    let memory = a.bytes.iter().filter_map(|(space, before)| {
        let (_, after) = b.bytes.iter().find(|(s, _)| s == space)?;
        (before != after && *before != 0).then(|| (space.clone(), *after as f64 / *before as f64))
    });
    Some(Speedup {
        dataset: dataset.to_owned(),
        ratio,
        significant: (before - after).abs() > doubt,
        memory: memory.collect(),
    })
}

/// How bad the news of a program are; only the order matters.
fn badness(group: &Group, sort: SortBy) -> f64 {
    let ratios = |all: bool| -> Vec<f64> {
        group.speedups.iter().filter(|s| all || s.significant).map(|s| s.ratio).collect()
    };
    let worse = |ratios: &[f64]| -geometric_mean(ratios).unwrap_or(1.0);
    match sort {
        SortBy::Name => 0.0,
        SortBy::Significant => ratios(false).iter().filter(|r| **r < REGRESSION).count() as f64,
        SortBy::GeomeanSignificant => worse(&ratios(false)),
        SortBy::GeomeanAll => worse(&ratios(true)),
    }
}

fn line(s: &Speedup, width: usize, paint: Paint) -> String {
    let gap = " ".repeat(width.saturating_sub(s.dataset.chars().count()));
    let number = format!("{:>10.2}x", s.ratio);
    let number = match (paint, s.significant, s.ratio > 1.0) {
        (Paint::Plain, _, _) | (Paint::Colours, false, _) => number,
        (Paint::Colours, true, true) => format!("\u{1b}[32m{number}\u{1b}[0m"),
        (Paint::Colours, true, false) => format!("\u{1b}[31m{number}\u{1b}[0m"),
    };
    let memory: Vec<String> = s.memory.iter().map(|(space, r)| format!("{r:.2}x@{space}")).collect();
    let memory = if memory.is_empty() { String::new() } else { format!(" (mem: {})", memory.join(", ")) };
    format!("  {}:{gap}{number}{memory}\n", s.dataset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn results(json: &serde_json::Value) -> Results {
        Results::from_json(json).expect("results")
    }

    fn cmp(a: &serde_json::Value, b: &serde_json::Value, sort: SortBy, order: Order, paint: Paint) -> String {
        benchcmp(("A", "B"), &results(a), &results(b), sort, order, paint)
    }

    fn steady(times: &[(&str, u64)]) -> serde_json::Value {
        let datasets: serde_json::Map<_, _> =
            times.iter().map(|(n, t)| ((*n).to_owned(), json!({"runtimes": [t, t, t]}))).collect();
        json!({ "datasets": datasets })
    }

    #[test]
    fn speedups_are_listed_by_name() {
        let a = json!({"b.fut": steady(&[("y", 300), ("x", 100)]), "a.fut": steady(&[("long name", 10)])});
        let b = json!({"b.fut": steady(&[("y", 100), ("x", 200)]), "a.fut": steady(&[("long name", 10)])});
        assert_eq!(
            cmp(&a, &b, SortBy::Name, Order::WorstFirst, Paint::Plain),
            "\na.fut\n  long name:      1.00x\n\nb.fut\n  x:              0.50x\n  y:              3.00x\n"
        );
        let painted = cmp(&a, &b, SortBy::Name, Order::WorstFirst, Paint::Colours);
        assert!(painted.contains("\u{1b}[31m      0.50x\u{1b}[0m"), "{painted}");
        assert!(painted.contains("\u{1b}[32m      3.00x\u{1b}[0m"), "{painted}");
        assert!(painted.contains("long name:      1.00x\n"), "{painted}");
    }

    #[test]
    fn noise_is_not_significant() {
        let noisy = |times: &[u64]| json!({"p": {"datasets": {"d": {"runtimes": times}}}});
        let (a, b) = (noisy(&[50, 150, 50, 150]), noisy(&[60, 160, 60, 160]));
        assert!(!cmp(&a, &b, SortBy::Name, Order::WorstFirst, Paint::Colours).contains('\u{1b}'));
        let b = noisy(&[460, 560, 460, 560]);
        assert!(cmp(&a, &b, SortBy::Name, Order::WorstFirst, Paint::Colours).contains("\u{1b}[31m"));
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let a = json!({"p": {"datasets": {"d": {"runtimes": [1]}, "e": "Error: x"}}, "q": steady(&[])});
        let b =
            json!({"p": {"datasets": {"e": {"runtimes": [1]}, "f": {"runtimes": [1]}}}, "r": steady(&[])});
        let text = cmp(&a, &b, SortBy::Name, Order::WorstFirst, Paint::Plain);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "In A but not in B: program p, data set d",
                "Failed in A: program p, data set e",
                "In B but not in A: program p, data set f",
                "In A but not in B: program q",
                "In B but not in A: program r",
            ]
        );
    }

    #[test]
    fn memory_is_compared() {
        let of =
            |n: u64| json!({"p": {"datasets": {"d": {"runtimes": [5], "bytes": {"device": n, "host": 8}}}}});
        let text = cmp(&of(100), &of(150), SortBy::Name, Order::WorstFirst, Paint::Plain);
        assert!(text.ends_with("1.00x (mem: 1.50x@device)\n"), "{text}");
    }

    #[test]
    fn the_worst_or_the_best_comes_first() {
        // `mixed` has one regression and a good mean; `slow` two small ones; `same` none.
        let a = json!({
            "mixed": steady(&[("x", 100), ("y", 900)]),
            "same": steady(&[("x", 100)]),
            "slow": steady(&[("x", 100), ("y", 100)]),
        });
        let b = json!({
            "mixed": steady(&[("x", 200), ("y", 100)]),
            "same": steady(&[("x", 100)]),
            "slow": steady(&[("x", 110), ("y", 110)]),
        });
        let order_of = |sort, order| -> Vec<String> {
            let text = cmp(&a, &b, sort, order, Paint::Plain);
            text.lines().filter(|l| !l.is_empty() && !l.starts_with(' ')).map(str::to_owned).collect()
        };
        assert_eq!(order_of(SortBy::Significant, Order::WorstFirst), ["slow", "mixed", "same"]);
        assert_eq!(order_of(SortBy::GeomeanAll, Order::WorstFirst), ["slow", "same", "mixed"]);
        assert_eq!(order_of(SortBy::GeomeanSignificant, Order::BestFirst), ["mixed", "same", "slow"]);
    }
}
