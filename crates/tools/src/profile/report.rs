//! What a program reports of a run.
//!
//! ```text
//! {"memory": {"device": 400}, "events": [{"name": "segmap_12", "duration": 3.5,
//!   "provenance": "p.fut:3:5-19", "description": "...", "details": {"grid": 4}}]}
//! ```
//!
//! Durations are in microseconds. Programs of other compilers leave fields out,
//! or give a start and an end.

use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// A report.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Report {
    /// The most memory in use at a time, by kind.
    pub(super) memory: Vec<(String, u64)>,
    /// What happened, in order.
    pub(super) events: Vec<Event>,
}

/// Something that took time.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Event {
    /// What it was.
    pub(super) name: String,
    /// When it began, in microseconds after the first one, if the program says so.
    pub(super) start: Option<f64>,
    /// Microseconds.
    pub(super) duration: f64,
    /// Why it happened: places in the source text.
    pub(super) provenance: String,
    /// Anything else, as lines of text.
    pub(super) details: Vec<String>,
}

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    /// As the compiler names it.
    pub(super) file: String,
    /// From 1.
    pub(super) line: usize,
}

static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([^\s:;,>()]+\.fut):(\d+):\d+").ok());

impl Report {
    /// Reads a report; `None` if it is something else.
    pub(super) fn from_json(json: &Value) -> Option<Report> {
        let memory = json.get("memory")?.as_object()?;
        let events = json.get("events")?.as_array()?;
        Some(Report {
            memory: memory.iter().filter_map(|(space, n)| Some((space.clone(), n.as_u64()?))).collect(),
            events: events.iter().map(Event::from_json).collect::<Option<_>>()?,
        })
    }
}

impl Report {
    /// When each event began, in microseconds after the first. Programs that do not say so run one after the other.
    pub(super) fn starts(&self) -> Vec<f64> {
        let known: Option<Vec<f64>> = self.events.iter().map(|event| event.start).collect();
        match known {
            Some(starts) => {
                let first = starts.iter().copied().fold(f64::INFINITY, f64::min);
                starts.iter().map(|start| start - first).collect()
            }
            None => {
                let next = |at: &mut f64, event: &Event| {
                    let start = *at;
                    *at += event.duration;
                    Some(start)
                };
                self.events.iter().scan(0.0, next).collect()
            }
        }
    }
}

impl Event {
    fn from_json(json: &Value) -> Option<Event> {
        let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let number = |key: &str| json.get(key).and_then(Value::as_f64);
        let duration = number("duration").or_else(|| Some(number("end")? - number("start")?));
        let mut details = vec![];
        details.extend(Some(text("description")).filter(|d| !d.is_empty() && *d != text("name")));
        match json.get("details") {
            Some(Value::Object(fields)) => details.extend(fields.iter().map(|(k, v)| match v {
                Value::String(v) => format!("{k}: {v}"),
                other @ (Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_)) => format!("{k}: {other}"),
            })),
            Some(Value::String(text)) if !text.is_empty() => details.push(text.clone()),
            _ => {}
        }
        Some(Event {
            name: json.get("name")?.as_str()?.to_owned(),
            start: number("start"),
            duration: duration.unwrap_or(0.0),
            provenance: text("provenance"),
            details,
        })
    }

    /// The place in the user's program that the event is for.
    pub(super) fn place(&self) -> Option<Place> {
        self.places().into_iter().next()
    }

    /// The places in the user's program that led to it, the innermost first; if there are none, those of the
    /// prelude.
    pub(super) fn places(&self) -> Vec<Place> {
        let found = PLACE.as_ref().into_iter().flat_map(|place| place.captures_iter(&self.provenance));
        let all: Vec<Place> = found
            .filter_map(|c| {
                Some(Place { file: c.get(1)?.as_str().to_owned(), line: c.get(2)?.as_str().parse().ok()? })
            })
            .collect();
        let own: Vec<Place> = all.iter().filter(|p| !p.file.starts_with("/prelude/")).cloned().collect();
        if own.is_empty() {
            all
        } else {
            own
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reports_of_many_kinds() {
        let json = json!({"memory": {"device": 8}, "events": [
            {"name": "a", "duration": 2, "provenance": "p.fut:13:25-35", "details": {"kernel": "k", "n": 3}},
            {"name": "b", "start": 10, "end": 14, "description": "copied"},
        ]});
        let report = Report::from_json(&json).expect("a report");
        assert_eq!(report.memory, [("device".to_owned(), 8)]);
        assert_eq!(report.events[0].details, ["kernel: k", "n: 3"]);
        assert_eq!(report.events[0].place(), Some(Place { file: "p.fut".into(), line: 13 }));
        assert_eq!((report.events[1].duration, report.events[1].place()), (4.0, None));
        assert_eq!(report.starts(), [0.0, 2.0], "not all say when they began");
        let json = json!({"memory": {}, "events": [
            {"name": "a", "start": 5.5, "duration": 1},
            {"name": "b", "start": 7, "duration": 1},
        ]});
        assert_eq!(Report::from_json(&json).map(|report| report.starts()), Some(vec![0.0, 1.5]));
        assert_eq!(Report::from_json(&json!({"events": []})), None);
    }

    #[test]
    fn the_users_place_comes_first() {
        let event = |provenance: &str| Event {
            name: String::new(),
            start: None,
            duration: 0.0,
            provenance: provenance.into(),
            details: vec![],
        };
        let place = event("/prelude/soacs.fut:3:1-9 -> lib/a.fut:7:2-8:3 -> p.fut:1:1-2").place();
        assert_eq!(place, Some(Place { file: "lib/a.fut".into(), line: 7 }));
        let place = event("/prelude/soacs.fut:3:1-9").place();
        assert_eq!(place, Some(Place { file: "/prelude/soacs.fut".into(), line: 3 }));
    }
}
