//! Profiles as other viewers read them: the trace event format, which Perfetto and speedscope open.
//!
//! An event is a slice of time. The calls that led to it are slices around it: one for as long as the same calls lead
//! to one event after the other.
//!
//! ```text
//! p.fut:12 ───────────────────────
//! p.fut:7  ──────────    p.fut:9 ─
//! segmap_5 ──  scan_2    segred_8
//! ```

use super::report::Report;
use super::stacks::{stack, Frame};
use serde_json::{json, Value};

/// A report as a trace; `name` is what the program's thread is called.
pub(super) fn trace(name: &str, report: &Report) -> Value {
    let mut slices = vec![
        json!({"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "fehu"}}),
        json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": name}}),
    ];
    // Calls that are open: each with the time at which it began.
    let mut open: Vec<(Frame, f64)> = vec![];
    let mut end = 0.0;
    for (event, start) in report.events.iter().zip(report.starts()) {
        let mut calls = stack(event);
        calls.pop();
        let same = open.iter().zip(&calls).take_while(|((frame, _), call)| frame == *call).count();
        close(&mut open, same, end, &mut slices);
        open.extend(calls.into_iter().skip(same).map(|frame| (frame, start)));
        let mut args = serde_json::Map::new();
        if !event.provenance.is_empty() {
            args.insert("at".into(), json!(event.provenance));
        }
        if !event.details.is_empty() {
            args.insert("details".into(), json!(event.details.join("; ")));
        }
        slices.push(slice(&event.name, "operation", start, event.duration, args));
        end = start + event.duration;
    }
    close(&mut open, 0, end, &mut slices);
    json!({"traceEvents": slices, "displayTimeUnit": "ns"})
}

/// Ends all calls but the outer ones.
fn close(open: &mut Vec<(Frame, f64)>, outer: usize, end: f64, slices: &mut Vec<Value>) {
    for (frame, start) in open.drain(outer..) {
        slices.push(slice(&frame.name(), "line", start, (end - start).max(0.0), serde_json::Map::new()));
    }
}

fn slice(name: &str, kind: &str, start: f64, duration: f64, args: serde_json::Map<String, Value>) -> Value {
    json!({"name": name, "cat": kind, "ph": "X", "ts": start, "dur": duration, "pid": 1, "tid": 1, "args": args})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::report::Event;

    #[test]
    fn calls_are_around_their_events() {
        let event = |name: &str, start, provenance: &str| Event {
            name: name.into(),
            start: Some(start),
            duration: 2.0,
            provenance: provenance.into(),
            details: vec!["grid: 4".into()],
        };
        let events = vec![
            event("a", 0.0, "p.fut:7:1-2 -> p.fut:12:1-2"),
            event("b", 3.0, "p.fut:7:1-2 -> p.fut:12:1-2"),
            event("c", 6.0, "p.fut:9:1-2 -> p.fut:12:1-2"),
        ];
        let trace = trace("#0", &Report { memory: vec![], events });
        let slices: Vec<(String, f64, f64)> = trace["traceEvents"]
            .as_array()
            .expect("slices")
            .iter()
            .filter(|s| s["ph"] == "X")
            .map(|s| {
                let number = |key: &str| s[key].as_f64().expect("a number");
                (s["name"].as_str().expect("a name").to_owned(), number("ts"), number("dur"))
            })
            .collect();
        let expected = [
            ("a", 0.0, 2.0),
            ("b", 3.0, 2.0),
            ("p.fut:7", 0.0, 5.0),
            ("c", 6.0, 2.0),
            ("p.fut:12", 0.0, 8.0),
            ("p.fut:9", 6.0, 2.0),
        ];
        let expected = expected.map(|(name, start, time)| (name.to_owned(), start, time));
        assert_eq!(slices, expected);
        assert_eq!(trace["traceEvents"][2]["args"]["details"], "grid: 4");
    }
}
