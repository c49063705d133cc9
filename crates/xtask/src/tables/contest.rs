//! Contests: every time is a row `group, case, contestant, microseconds, ratio, low, high`; the page has a
//! column for each contestant. Instead of a time there may be `failed: REASON` or `wrong: REASON`.
//!
//! A ratio is how many times longer than the contestant that `# baseline: ...` names, with its 95 % interval;
//! one without an interval is of a single round. `# apart: GROUP` asks for a geometric mean without that
//! group as well.

use super::Results;
use fehu_data::stats::geometric_mean;
use std::fmt::Write as _;

/// The columns of a contest.
pub(crate) const COLUMNS: [&str; 7] = ["group", "case", "contestant", "microseconds", "ratio", "low", "high"];

struct Time<'a> {
    group: &'a str,
    case: &'a str,
    who: &'a str,
    time: &'a str,
    ratio: Option<f64>,
    interval: Option<(&'a str, &'a str)>,
}

fn times(results: &Results) -> Result<Vec<Time<'_>>, String> {
    let Some((head, rows)) = results.rows.split_first() else { return Ok(vec![]) };
    if *head != COLUMNS {
        return Err(format!("{}: the columns of a contest are {}", results.name, COLUMNS.join(", ")));
    }
    let wrong = |row: &[String]| format!("{}: no time: {}", results.name, row.join(" "));
    rows.iter().map(|row| time(row).ok_or_else(|| wrong(row))).collect()
}

fn time(row: &[String]) -> Option<Time<'_>> {
    let [group, case, who, time, ratio, low, high] = row else { return None };
    let ratio = if ratio.is_empty() { None } else { Some(ratio.parse().ok()?) };
    let interval = (!low.is_empty()).then_some((low.as_str(), high.as_str()));
    Some(Time { group, case, who, time, ratio, interval })
}

/// The contestants in the order in which they come, with the baseline first.
fn contestants<'a>(results: &Results, times: &[Time<'a>]) -> Result<Vec<&'a str>, String> {
    let mut names: Vec<&str> = vec![];
    for time in times {
        if !names.contains(&time.who) {
            names.push(time.who);
        }
    }
    let baseline = results.one("baseline")?;
    names.sort_by_key(|name| *name != baseline);
    Ok(names)
}

/// The table of a contest.
pub(super) fn table(results: &Results) -> Result<String, String> {
    let times = times(results)?;
    let names = contestants(results, &times)?;
    let mut out = format!(
        "In brackets, how many times longer than {} (95 % interval; none where one round is all there is).\n\n",
        results.one("baseline")?
    );
    let _ = writeln!(out, "| program and data | {} |", names.join(" | "));
    let _ = writeln!(out, "| --- |{}", " ---: |".repeat(names.len()));
    let (mut group, mut case) = ("", "");
    let mut failed: Vec<String> = vec![];
    for time in &times {
        if time.group != group {
            group = time.group;
            let _ = writeln!(out, "| **{group}** |{}", " |".repeat(names.len()));
        }
        if time.case == case {
            continue;
        }
        case = time.case;
        let mut line = format!("| {case} |");
        for name in &names {
            let found = times.iter().find(|t| t.case == case && t.who == *name);
            let _ = write!(line, " {} |", found.map_or(String::new(), cell));
            if let Some((what, why)) = found.and_then(|t| t.time.split_once(": ")) {
                failed.push(format!("- {case}, {name}, {what}: {why}"));
            }
        }
        let _ = writeln!(out, "{line}");
    }
    let means: Vec<String> = names.iter().map(|name| means_of(results, &times, name)).collect();
    let _ = writeln!(out, "| geometric mean | {} |", means.join(" | "));
    if !failed.is_empty() {
        let _ = writeln!(out, "\nNo time, or no right answer:\n\n{}", failed.join("\n"));
    }
    Ok(out)
}

fn cell(time: &Time<'_>) -> String {
    let Ok(us) = time.time.parse::<f64>() else {
        return time.time.split(':').next().unwrap_or_default().to_owned();
    };
    let shown = crate::bench::show_time(us);
    match (time.ratio, time.interval) {
        (Some(ratio), Some((low, high))) => format!("{shown} ({ratio:.2}x, {low}–{high})"),
        (Some(ratio), None) => format!("{shown} ({ratio:.2}x)"),
        (None, _) => shown,
    }
}

/// The geometric mean of a contestant's ratios, and that without the group that stands apart.
fn means_of(results: &Results, times: &[Time<'_>], name: &str) -> String {
    let mean = |apart: Option<&str>| {
        let ratios = times.iter().filter(|t| t.who == name && apart != Some(t.group));
        let ratios: Vec<f64> = ratios.filter_map(|t| t.ratio).collect();
        geometric_mean(&ratios).map(|mean| format!("{mean:.2}x of {}", ratios.len()))
    };
    let all = mean(None).unwrap_or_default();
    match results.all("apart").first().and_then(|group| Some((group, mean(Some(group))?))) {
        Some((group, rest)) if !all.is_empty() => format!("{all}; {rest} without \"{group}\""),
        Some(_) | None => all,
    }
}

/// The geometric means of all contests.
pub(super) fn means<'a>(all: impl Iterator<Item = &'a Results>) -> Result<String, String> {
    let mut out = String::from(
        "| measured | relative to | geometric means | date, commit |\n| --- | --- | --- | --- |\n",
    );
    for results in all.filter(|r| r.is_contest()) {
        let times = times(results)?;
        let baseline = results.one("baseline")?;
        let others = contestants(results, &times)?.into_iter().filter(|name| *name != baseline);
        let means: Vec<String> =
            others.map(|name| format!("{name} {}", means_of(results, &times, name))).collect();
        let commit = results.one("commit")?.split(';').next().unwrap_or_default();
        let [title, date] = [results.one("title")?, results.one("date")?];
        let _ = writeln!(out, "| {title} | {baseline} | {} | {date}, {commit} |", means.join(", "));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEST: &str = "# title: T\n# date: D\n# commit: 0123456\n# machine: M\n# kind: contest\n# baseline: old\n\
        # apart: B\ngroup\tcase\tcontestant\tmicroseconds\tratio\tlow\thigh\n\
        A\tx\told\t100\t\t\t\nA\tx\tnew\t50\t0.5\t0.4\t0.6\n\
        B\ty\told\t2000\t\t\t\nB\ty\tnew\t250\t0.125\t\t\nB\tz\told\tfailed: no memory\t\t\t\nB\tz\tnew\t7\t\t\t\n";

    #[test]
    fn times_stand_side_by_side() {
        let results = Results::parse("t", CONTEST).expect("results");
        let table = table(&results).expect("a table");
        let rows = "| **A** | | |\n| x | 100 µs | 50 µs (0.50x, 0.4–0.6) |\n| **B** | | |\n\
            | y | 2.00 ms | 250 µs (0.12x) |\n| z | failed | 7 µs |\n\
            | geometric mean |  | 0.25x of 2; 0.50x of 1 without \"B\" |\n";
        assert!(table.contains(rows), "{table}");
        assert!(table.ends_with("- z, old, failed: no memory\n"), "{table}");
        let means = means([&results].into_iter()).expect("means");
        assert!(
            means.contains("| T | old | new 0.25x of 2; 0.50x of 1 without \"B\" | D, 0123456 |"),
            "{means}"
        );
    }

    #[test]
    fn other_columns_are_a_mistake() {
        let other = CONTEST.replace("\tlow\t", "\tleast\t");
        let results = Results::parse("t", &other).expect("results");
        assert!(table(&results).is_err());
    }
}
