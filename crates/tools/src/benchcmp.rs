//! `fehu benchcmp`: what became faster and what slower between two result
//! files of `fehu bench --json`.
//!
//! A speedup of 2 means that the second file's runs take half as long. It is
//! significant if the means are further apart than half the two standard
//! deviations together.
//!
//! ```text
//! prog.fut:sum
//!   large:      1520μs ±  12  ->      1000μs ±   9    1.52x  faster
//!   small:        50μs ±   1  ->        51μs ±   1    0.98x  no significant difference
//! ```

use crate::bench::results::{Measurement, Outcome, Results};
use fehu_data::stats::{geometric_mean, numbers, standard_deviation, Interval};

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
    /// The mean of the runs in each file, in microseconds.
    times: [Interval; 2],
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
    if !groups.is_empty() {
        out.push_str(&legend(names, &groups));
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
    let times = [a, b].map(|m| Interval::of_runs(&m.runtimes));
    let [before, after] = times.map(|time| time.mid);
    let ratio = match (before == 0.0, after == 0.0) {
        (true, true) => 1.0,
        _ => before / after,
    };
    let spread = |m: &Measurement| standard_deviation(&numbers(&m.runtimes));
    let doubt = (spread(a) + spread(b)) / 2.0;
    let memory = a.bytes.iter().filter_map(|(space, before)| {
        let (_, after) = b.bytes.iter().find(|(s, _)| s == space)?;
        (before != after && *before != 0).then(|| (space.clone(), *after as f64 / *before as f64))
    });
    Some(Speedup {
        dataset: dataset.to_owned(),
        times,
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
    let [before, after] =
        s.times.map(|time| format!("{:>10}μs ±{:>6}", short(time.mid), short(time.high - time.mid)));
    let change = format!("{:>8.2}x  {:<25}", s.ratio, verdict(s));
    let change = match (paint, s.significant, s.ratio > 1.0) {
        (Paint::Plain, _, _) | (Paint::Colours, false, _) => change,
        (Paint::Colours, true, true) => format!("\u{1b}[32m{change}\u{1b}[0m"),
        (Paint::Colours, true, false) => format!("\u{1b}[31m{change}\u{1b}[0m"),
    };
    let memory: Vec<String> = s.memory.iter().map(|(space, r)| format!("{r:.2}x@{space}")).collect();
    let memory = if memory.is_empty() { String::new() } else { format!(" (mem: {})", memory.join(", ")) };
    let line = format!("  {}:{gap}{before}  -> {after}{change}{memory}", s.dataset);
    format!("{}\n", line.trim_end())
}

/// Microseconds; short times have a digit more.
fn short(microseconds: f64) -> String {
    match microseconds < 10.0 {
        true => format!("{microseconds:.1}"),
        false => format!("{microseconds:.0}"),
    }
}

/// What became of a data set, in words.
fn verdict(s: &Speedup) -> &'static str {
    match (s.significant, s.ratio > 1.0) {
        (false, _) => "no significant difference",
        (true, true) => "faster",
        (true, false) => "slower",
    }
}

/// What the columns mean, and how many data sets went which way.
fn legend(names: (&str, &str), groups: &[Group]) -> String {
    let all: Vec<&Speedup> = groups.iter().flat_map(|g| &g.speedups).collect();
    let count = |word: &str| all.iter().filter(|s| verdict(s) == word).count();
    let (faster, slower) = (count("faster"), count("slower"));
    let ratios: Vec<f64> = all.iter().map(|s| s.ratio).collect();
    let mean = geometric_mean(&ratios).unwrap_or(1.0);
    format!(
        "\nMean time in {} -> in {}, each ± its 95% confidence interval; 2.00x is twice as fast.\n\
         {faster} faster, {slower} slower, {} without a significant difference; {mean:.2}x on average (geometric mean).\n",
        names.0,
        names.1,
        all.len() - faster - slower
    )
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
            "\na.fut\n\
             \x20 long name:        10μs ±   0.0  ->         10μs ±   0.0    1.00x  no significant difference\n\
             \nb.fut\n\
             \x20 x:               100μs ±   0.0  ->        200μs ±   0.0    0.50x  slower\n\
             \x20 y:               300μs ±   0.0  ->        100μs ±   0.0    3.00x  faster\n\
             \nMean time in A -> in B, each ± its 95% confidence interval; 2.00x is twice as fast.\n\
             1 faster, 1 slower, 1 without a significant difference; 1.14x on average (geometric mean).\n"
        );
        let painted = cmp(&a, &b, SortBy::Name, Order::WorstFirst, Paint::Colours);
        assert!(painted.contains("\u{1b}[31m    0.50x  slower                   \u{1b}[0m"), "{painted}");
        assert!(painted.contains("\u{1b}[32m    3.00x  faster                   \u{1b}[0m"), "{painted}");
        assert!(painted.contains("    1.00x  no significant difference\n"), "{painted}");
    }

    #[test]
    fn noise_is_not_significant() {
        let noisy = |times: &[u64]| json!({"p": {"datasets": {"d": {"runtimes": times}}}});
        let (a, b) = (noisy(&[50, 150, 50, 150]), noisy(&[60, 160, 60, 160]));
        let same = cmp(&a, &b, SortBy::Name, Order::WorstFirst, Paint::Colours);
        assert!(!same.contains('\u{1b}') && same.contains("no significant difference"), "{same}");
        assert!(same.contains("  d:       100μs ±    92  ->        110μs ±    92"), "{same}");
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
        assert!(text.contains("1.00x  no significant difference (mem: 1.50x@device)\n"), "{text}");
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
            text.lines()
                .take_while(|l| !l.starts_with("Mean"))
                .filter(|l| !l.is_empty() && !l.starts_with(' '))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(order_of(SortBy::Significant, Order::WorstFirst), ["slow", "mixed", "same"]);
        assert_eq!(order_of(SortBy::GeomeanAll, Order::WorstFirst), ["slow", "same", "mixed"]);
        assert_eq!(order_of(SortBy::GeomeanSignificant, Order::BestFirst), ["mixed", "same", "slow"]);
    }
}
