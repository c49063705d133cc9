//! Profiles as text.

use super::report::{Place, Report};
use super::tables::{Cost, Tables};
use crate::bench::size;
use std::fmt::Write;

/// Memory, and time by operation and by source line.
pub(super) fn summary(report: &Report, tables: &Tables) -> String {
    let mut out = String::from("Peak memory usage\n");
    for (space, bytes) in &report.memory {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{space}: {bytes} bytes ({})", size(*bytes));
    }
    let operations: Vec<(String, Cost)> = tables.operations.clone();
    out.push_str(&table("Cost centre", &operations, &tables.total));
    let lines: Vec<(String, Cost)> = tables.lines.iter().map(|(p, c)| (place(p.as_ref()), *c)).collect();
    out.push_str(&table("Source line", &lines, &tables.total));
    let _ =
        writeln!(out, "\n{} events with a total runtime of {:.2}μs", tables.total.count, tables.total.sum);
    out
}

/// Every event.
pub(super) fn timeline(report: &Report) -> String {
    let mut out = String::new();
    for event in &report.events {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}\nDuration: {} μs", event.name, event.duration);
        if !event.provenance.is_empty() {
            let _ = writeln!(out, "At: {}", event.provenance);
        }
        for detail in &event.details {
            let _ = writeln!(out, "{detail}");
        }
        out.push('\n');
    }
    out
}

/// The lines on which most time is spent, for terminals; `line_of` says what a line is.
pub(super) fn top(tables: &Tables, count: usize, line_of: impl Fn(&Place) -> String) -> String {
    let names: Vec<String> = tables.lines.iter().take(count).map(|(p, _)| place(p.as_ref())).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for ((at, cost), name) in tables.lines.iter().zip(names) {
        let gap = " ".repeat(width - name.chars().count());
        let line = at.as_ref().map_or(String::new(), &line_of);
        let row = format!(
            "{:>6.1}% {:>9} {:>7}x  {name}{gap}  {line}",
            100.0 * cost.part_of(&tables.total),
            time(cost.sum),
            cost.count
        );
        out.push_str(&format!("{}\n", row.trim_end()));
    }
    let rest = tables.lines.len().saturating_sub(count);
    if rest > 0 {
        out.push_str(&format!("        and {rest} more lines\n"));
    }
    out
}

/// Microseconds, in a unit that people read at once.
pub(super) fn time(microseconds: f64) -> String {
    match microseconds {
        0.0 => "0".to_owned(),
        t if t < 1000.0 => format!("{t:.1} μs"),
        t if t < 1e6 => format!("{:.1} ms", t / 1e3),
        t => format!("{:.2} s", t / 1e6),
    }
}

/// A place as compilers write it.
pub(super) fn place(place: Option<&Place>) -> String {
    place.map_or("unknown".into(), |p| format!("{}:{}", p.file, p.line))
}

fn table(title: &str, rows: &[(String, Cost)], total: &Cost) -> String {
    let width = rows.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0).max(title.len());
    let gap = |name: &str| " ".repeat(width.saturating_sub(name.chars().count()));
    let mut out = String::from("\n");
    let head = format!(
        "{title}{} {:>8} {:>14} {:>14} {:>14} {:>14} {:>9}",
        gap(title),
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "fraction"
    );
    // Writing to a string does not fail.
    let _ = writeln!(out, "{head}\n{}", "-".repeat(head.chars().count()));
    for (name, c) in rows {
        let _ = writeln!(
            out,
            "{name}{} {:>8} {:>12.2}μs {:>12.2}μs {:>12.2}μs {:>12.2}μs {:>9.4}",
            gap(name),
            c.count,
            c.sum,
            c.mean(),
            c.least,
            c.most,
            c.part_of(total)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::report::Event;

    #[test]
    fn the_most_expensive_lines_come_first() {
        let event = |duration: f64, line: usize| Event {
            name: "map".into(),
            start: None,
            duration,
            provenance: format!("p.fut:{line}:1-2"),
            details: vec![],
        };
        let events = (1..=12).map(|line| event(if line == 11 { 989.0 } else { 1.0 }, line)).collect();
        let text =
            top(&Tables::of(&Report { memory: vec![], events }), 10, |p| format!("let x = {}", p.line));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  98.9%  989.0 μs       1x  p.fut:11  let x = 11");
        assert_eq!(lines[1], "   0.1%    1.0 μs       1x  p.fut:1   let x = 1");
        assert_eq!((lines.len(), lines[10]), (11, "        and 2 more lines"));
        assert_eq!([0.0, 12.34, 5_600.0, 7_800_000.0].map(time), ["0", "12.3 μs", "5.6 ms", "7.80 s"]);
    }

    #[test]
    fn tables_are_aligned() {
        let event = |name: &str, duration| Event {
            name: name.into(),
            start: None,
            duration,
            provenance: "p.fut:3:1-2".into(),
            details: vec!["grid: 4".into()],
        };
        let events = vec![event("map", 1.0), event("a long reduction", 3.0)];
        let report = Report { memory: vec![("device".into(), 4000)], events };
        let text = summary(&report, &Tables::of(&report));
        assert!(text.starts_with("Peak memory usage\ndevice: 4000 bytes (4.0 kB)\n"), "{text}");
        assert!(
            text.contains("a long reduction        1         3.00μs         3.00μs         3.00μs         3.00μs    0.7500\n\
                           map                     1         1.00μs"),
            "{text}"
        );
        assert!(text.contains("p.fut:3            2         4.00μs"), "{text}");
        assert!(text.ends_with("2 events with a total runtime of 4.00μs\n"), "{text}");
        assert!(timeline(&report).starts_with("map\nDuration: 1 μs\nAt: p.fut:3:1-2\ngrid: 4\n\n"));
    }
}
