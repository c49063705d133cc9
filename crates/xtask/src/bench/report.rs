//! The results as files: a table for people, every single time for programs, a plot, and what `cargo xtask
//! tables` makes a page of.

use super::contest::Contestant;
use super::measure::{Outcome, Row};
use super::plot;
use crate::tables::COLUMNS;
use fehu_data::stats::{geometric_mean, median, ratio, Interval};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Write `table.md`, `times.tsv`, `results.tsv` and `ratios.svg` into a folder.
pub(crate) fn write(
    folder: &Path,
    rows: &[Row],
    contestants: &[Contestant],
    baseline: usize,
) -> Result<(), String> {
    let labels: Vec<String> = contestants.iter().map(Contestant::label).collect();
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by_key(|row| row.place.0);
    let rows = rows.as_slice();
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let save = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    };
    save("table.md", table(rows, &labels, baseline))?;
    save("times.tsv", times(rows, &labels))?;
    save("results.tsv", results(rows, &labels, baseline))?;
    save("ratios.svg", plot::svg(&ratios(rows, baseline), &labels, baseline))
}

/// The ratio of a row's contestant to the baseline, if both have times.
fn row_ratio(row: &Row, who: usize, baseline: usize) -> Option<Interval> {
    match (&row.outcomes[who], &row.outcomes[baseline]) {
        (Outcome::Times(times), Outcome::Times(base)) => ratio(times, base),
        (Outcome::Failed(_) | Outcome::Wrong(..), _) | (_, Outcome::Failed(_) | Outcome::Wrong(..)) => None,
    }
}

fn ratios(rows: &[&Row], baseline: usize) -> Vec<(String, Vec<Option<Interval>>)> {
    let of = |row: &Row| (0..row.outcomes.len()).map(|who| row_ratio(row, who, baseline)).collect();
    rows.iter().map(|row| (row.title.clone(), of(row))).collect()
}

fn table(rows: &[&Row], labels: &[String], baseline: usize) -> String {
    let mut out = format!(
        "Times are medians; in brackets, how many times longer than {} (95 % interval).\n",
        labels[baseline]
    );
    let _ = writeln!(out, "\n| program and data | {} |", labels.join(" | "));
    let _ = writeln!(out, "| --- |{}", " ---: |".repeat(labels.len()));
    let mut above = "";
    for row in rows {
        if row.place.1 != above {
            above = &row.place.1;
            let _ = writeln!(out, "| **{above}** |{}", " |".repeat(labels.len()));
        }
        let cells: Vec<String> = (0..labels.len()).map(|who| cell(row, who, baseline)).collect();
        let _ = writeln!(out, "| {} | {} |", row.title, cells.join(" | "));
    }
    let means: Vec<String> = (0..labels.len())
        .map(|who| {
            let all: Vec<f64> =
                rows.iter().filter_map(|r| row_ratio(r, who, baseline)).map(|r| r.mid).collect();
            geometric_mean(&all).map_or("-".into(), |g| format!("{g:.2}x of {}", all.len()))
        })
        .collect();
    let _ = writeln!(out, "| geometric mean | {} |", means.join(" | "));
    let failures = rows.iter().flat_map(|row| {
        row.outcomes.iter().enumerate().filter_map(move |(who, outcome)| match outcome {
            Outcome::Failed(why) => Some((why.as_str(), format!("{}, {}", row.title, labels[who]))),
            Outcome::Times(_) | Outcome::Wrong(..) => None,
        })
    });
    list(&mut out, "No time because", failures);
    let wrong = rows.iter().flat_map(|row| {
        row.outcomes.iter().enumerate().filter_map(move |(who, outcome)| match outcome {
            Outcome::Wrong(_, why) => Some((why.as_str(), format!("{}, {}", row.title, labels[who]))),
            Outcome::Times(_) | Outcome::Failed(_) => None,
        })
    });
    list(&mut out, "Wrong in", wrong);
    let unchecked = rows.iter().filter_map(|row| Some((row.unchecked.as_deref()?, row.title.clone())));
    list(&mut out, "Answers not compared with the hand-written program's because", unchecked);
    out
}

/// Reasons, each with what it holds for.
fn list<'a>(out: &mut String, title: &str, reasons: impl Iterator<Item = (&'a str, String)>) {
    let mut lines: Vec<(&str, Vec<String>)> = Vec::new();
    for (why, what) in reasons {
        match lines.iter_mut().find(|(w, _)| *w == why) {
            Some((_, all)) => all.push(what),
            None => lines.push((why, vec![what])),
        }
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "\n{title}:\n");
    }
    for (why, what) in lines {
        let _ = writeln!(out, "- {}: {why}", what.join("; "));
    }
}

fn cell(row: &Row, who: usize, baseline: usize) -> String {
    match &row.outcomes[who] {
        Outcome::Failed(_) => "failed".into(),
        Outcome::Wrong(times, _) => format!("wrong (in {})", show_time(median(times))),
        Outcome::Times(times) => {
            let time = show_time(median(times));
            match row_ratio(row, who, baseline) {
                // One round has no interval.
                Some(r) if who != baseline && r.low == r.high => format!("{time} ({:.2}x)", r.mid),
                Some(r) if who != baseline => format!("{time} ({:.2}x, {:.2}–{:.2})", r.mid, r.low, r.high),
                Some(_) | None => time,
            }
        }
    }
}

/// A time for people.
pub(crate) fn show_time(us: f64) -> String {
    match us {
        t if t < 1e3 => format!("{t:.0} µs"),
        t if t < 1e4 => format!("{:.2} ms", t / 1e3),
        t if t < 1e6 => format!("{:.1} ms", t / 1e3),
        t => format!("{:.2} s", t / 1e6),
    }
}

fn times(rows: &[&Row], labels: &[String]) -> String {
    let mut out = String::from("case\tcontestant\tround\tmicroseconds\n");
    for row in rows {
        for (who, round, us) in &row.raw {
            let _ = writeln!(out, "{}\t{}\t{round}\t{us}", row.title, labels[*who]);
        }
    }
    out
}

/// A file for `bench/results`, in which the first four lines are to be filled in.
fn results(rows: &[&Row], labels: &[String], baseline: usize) -> String {
    let mut out = String::new();
    for key in ["title", "date", "commit", "machine"] {
        let _ = writeln!(out, "# {key}: to be filled in");
    }
    let _ = writeln!(out, "# kind: contest\n# baseline: {}\n{}", labels[baseline], COLUMNS.join("\t"));
    for row in rows {
        for (who, label) in labels.iter().enumerate() {
            let time = match &row.outcomes[who] {
                Outcome::Times(times) => format!("{}", median(times)),
                Outcome::Failed(why) => format!("failed: {}", why.replace(['\t', '\n'], " ")),
                Outcome::Wrong(_, why) => format!("wrong: {}", why.replace(['\t', '\n'], " ")),
            };
            let ratio = match row_ratio(row, who, baseline).filter(|_| who != baseline) {
                Some(r) if r.low == r.high => format!("{:.5}\t\t", r.mid),
                Some(r) => format!("{:.5}\t{:.2}\t{:.2}", r.mid, r.low, r.high),
                None => "\t\t".to_owned(),
            };
            let _ = writeln!(out, "{}\t{}\t{label}\t{time}\t{ratio}", row.place.1, row.title);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_named_in_the_table() {
        let outcomes = vec![
            Outcome::Times(vec![100.0, 100.0]),
            Outcome::Failed("no such device".into()),
            Outcome::Wrong(vec![50.0], "everything".into()),
        ];
        let (place, title) = ((0, "Ten".to_owned()), "scan large".to_owned());
        let row = Row { place, title, outcomes, raw: vec![(0, 0, 100.0)], unchecked: None };
        let rows = [&row];
        let labels = ["hand".to_owned(), "fehu-cuda".to_owned(), "other".to_owned()];
        let text = table(&rows, &labels, 0);
        assert!(
            text.contains("| **Ten** | | | |\n| scan large | 100 µs | failed | wrong (in 50 µs) |"),
            "{text}"
        );
        assert!(text.contains("- scan large, fehu-cuda: no such device"), "{text}");
        assert!(text.contains("Wrong in:\n\n- scan large, other: everything"), "{text}");
        assert_eq!(times(&rows, &labels).lines().count(), 2);
        let results = results(&rows, &labels, 0);
        assert!(results.ends_with("Ten\tscan large\tother\twrong: everything\t\t\t\n"), "{results}");
    }
}
