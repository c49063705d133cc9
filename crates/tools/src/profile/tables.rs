//! Events summed up: by operation, and by line of the source text.

use super::report::{Event, Place, Report};

/// What took how long.
pub(super) struct Tables {
    /// All events.
    pub(super) total: Cost,
    /// By name, the most expensive first.
    pub(super) operations: Vec<(String, Cost)>,
    /// By line, the most expensive first; `None` for events of no known place.
    pub(super) lines: Vec<(Option<Place>, Cost)>,
}

/// Some events together, in microseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cost {
    pub(super) count: usize,
    pub(super) sum: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Cost {
    const NOTHING: Cost = Cost { count: 0, sum: 0.0, least: f64::INFINITY, most: 0.0 };

    fn add(&mut self, event: &Event) {
        self.count += 1;
        self.sum += event.duration;
        self.least = self.least.min(event.duration);
        self.most = self.most.max(event.duration);
    }

    /// The arithmetic mean.
    pub(super) fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Which part of a whole it is, from 0 to 1.
    pub(super) fn part_of(&self, whole: &Cost) -> f64 {
        if whole.sum > 0.0 {
            self.sum / whole.sum
        } else {
            0.0
        }
    }
}

impl Tables {
    /// Sums up the events of a report.
    pub(super) fn of(report: &Report) -> Tables {
        let mut total = Cost::NOTHING;
        report.events.iter().for_each(|e| total.add(e));
        Tables {
            total,
            operations: grouped(&report.events, |e| e.name.clone()),
            lines: grouped(&report.events, Event::place),
        }
    }
}

fn grouped<K: Ord + Clone>(events: &[Event], key: impl Fn(&Event) -> K) -> Vec<(K, Cost)> {
    let mut groups = std::collections::BTreeMap::new();
    for event in events {
        groups.entry(key(event)).or_insert(Cost::NOTHING).add(event);
    }
    let mut groups: Vec<(K, Cost)> = groups.into_iter().collect();
    groups.sort_by(|(_, a), (_, b)| b.sum.total_cmp(&a.sum));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_summed_up() {
        let event = |name: &str, duration, line| Event {
            name: name.into(),
            start: None,
            duration,
            provenance: format!("p.fut:{line}:1-2"),
            details: vec![],
        };
        let events = vec![event("a", 1.0, 1), event("b", 7.0, 1), event("a", 3.0, 2)];
        let tables = Tables::of(&Report { memory: vec![], events });
        let names: Vec<&str> = tables.operations.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
        let a = tables.operations[1].1;
        assert_eq!((a.count, a.sum, a.mean(), a.least, a.most), (2, 4.0, 2.0, 1.0, 3.0));
        let lines: Vec<(usize, f64)> = tables
            .lines
            .iter()
            .map(|(p, c)| (p.as_ref().map_or(0, |p| p.line), c.part_of(&tables.total)))
            .collect();
        assert_eq!(lines, [(1, 8.0 / 11.0), (2, 3.0 / 11.0)]);
    }
}
