//! Which calls led to an event: the places in its provenance, from the outside in, and the operation itself.
//!
//! ```text
//! /prelude/soacs.fut:3:1-9 -> p.fut:7:2-8:3 -> p.fut:12:4-9    of segmap_5
//! =>  p.fut:12, p.fut:7, segmap_5
//! ```

use super::report::{Event, Place, Report};

/// A call, or an operation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Frame {
    /// A line of the user's program.
    Line(Place),
    /// What ran on the device.
    Operation(String),
}

impl Frame {
    /// What people read.
    pub(super) fn name(&self) -> String {
        match self {
            Frame::Line(place) => super::text::place(Some(place)),
            Frame::Operation(name) => name.clone(),
        }
    }
}

/// The frames of an event, the outermost first.
pub(super) fn stack(event: &Event) -> Vec<Frame> {
    let mut frames: Vec<Frame> = event.places().into_iter().rev().map(Frame::Line).collect();
    frames.dedup();
    frames.push(Frame::Operation(event.name.clone()));
    frames
}

/// A frame with all that happened in it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Node {
    pub(super) frame: Frame,
    /// Microseconds of all events in it.
    pub(super) time: f64,
    /// How many events they are.
    pub(super) count: usize,
    /// What is in it, the most expensive first.
    pub(super) inner: Vec<Node>,
}

/// The events of a report by their stacks, the most expensive first.
pub(super) fn tree(report: &Report) -> Vec<Node> {
    let mut roots = vec![];
    for event in &report.events {
        let mut level = &mut roots;
        for frame in stack(event) {
            let at = position(level, frame);
            level[at].time += event.duration;
            level[at].count += 1;
            level = &mut level[at].inner;
        }
    }
    sort(&mut roots);
    roots
}

/// Where the node of a frame is among others; it is made if need be.
fn position(nodes: &mut Vec<Node>, frame: Frame) -> usize {
    nodes.iter().position(|node| node.frame == frame).unwrap_or_else(|| {
        nodes.push(Node { frame, time: 0.0, count: 0, inner: vec![] });
        nodes.len() - 1
    })
}

fn sort(nodes: &mut [Node]) {
    nodes.sort_by(|a, b| b.time.total_cmp(&a.time));
    nodes.iter_mut().for_each(|node| sort(&mut node.inner));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, duration: f64, provenance: &str) -> Event {
        Event { name: name.into(), start: None, duration, provenance: provenance.into(), details: vec![] }
    }

    #[test]
    fn calls_are_outermost_first_and_without_the_prelude() {
        let names = |provenance: &str| -> Vec<String> {
            stack(&event("map", 1.0, provenance)).iter().map(Frame::name).collect()
        };
        assert_eq!(
            names("/prelude/soacs.fut:3:1-9 -> lib/a.fut:7:2-8:3 -> p.fut:1:1-2"),
            ["p.fut:1", "lib/a.fut:7", "map"]
        );
        assert_eq!(names("p.fut:1:1-2 -> p.fut:1:9-12"), ["p.fut:1", "map"], "a line is there once");
        assert_eq!(names(""), ["map"]);
    }

    #[test]
    fn equal_stacks_are_one() {
        let events = vec![
            event("a", 1.0, "p.fut:2:1-2 -> p.fut:1:1-2"),
            event("b", 5.0, "p.fut:3:1-2"),
            event("a", 2.0, "p.fut:2:1-2 -> p.fut:1:1-2"),
        ];
        let tree = tree(&Report { memory: vec![], events });
        let names: Vec<String> = tree.iter().map(|node| node.frame.name()).collect();
        assert_eq!(names, ["p.fut:3", "p.fut:1"]);
        let a = &tree[1].inner[0].inner[0];
        assert_eq!((a.frame.name().as_str(), a.time, a.count), ("a", 3.0, 2));
    }
}
