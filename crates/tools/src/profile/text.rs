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
    fn tables_are_aligned() {
        let event = |name: &str, duration| Event {
            name: name.into(),
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
