//! The timeline and the flame graph of a page: pictures that need no script, with what each part is when the pointer is
//! on it.

use super::html::escape;
use super::report::{Place, Report};
use super::stacks::{tree, Frame, Node};
use super::tables::Tables;
use super::text;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The width of pictures, in units that browsers scale to the page.
const WIDTH: f64 = 1000.0;

/// The height of a row.
const ROW: f64 = 20.0;

/// The most lines that have a lane of their own in a timeline; all others share the last.
const LANES: usize = 12;

/// Where the bars of a timeline begin, behind the names of the lanes.
const LABELS: f64 = 200.0;

/// Bars that are narrower are drawn as one with their neighbours.
const NARROW: f64 = 0.5;

/// Letters are about this wide.
const LETTER: f64 = 6.6;

/// A program's text, by line.
pub(super) type Sources = BTreeMap<String, Vec<String>>;

/// What a line says, for people who do not know numbers of lines by heart.
pub(super) fn line_of<'a>(sources: &'a Sources, place: &Place) -> &'a str {
    sources.get(&place.file).and_then(|lines| lines.get(place.line.checked_sub(1)?)).map_or("", |l| l.trim())
}

/// When each event ran: a lane for each line, the most expensive first.
pub(super) fn timeline(report: &Report, tables: &Tables, sources: &Sources) -> String {
    let lanes: Vec<Option<&Place>> =
        tables.lines.iter().map(|(place, _)| place.as_ref()).take(LANES).collect();
    let shared = tables.lines.len() > LANES;
    let starts = report.starts();
    let ends = report.events.iter().zip(&starts).map(|(event, start)| start + event.duration);
    let whole = ends.fold(0.0, f64::max);
    if whole <= 0.0 {
        return "<p>Nothing took any time.</p>\n".to_owned();
    }
    let rows = lanes.len() + usize::from(shared);
    let scale = (WIDTH - LABELS) / whole;
    let mut bars: Vec<Vec<(Bar, String)>> = vec![vec![]; rows];
    for (event, start) in report.events.iter().zip(&starts) {
        let place = event.place();
        let row = lanes.iter().position(|lane| *lane == place.as_ref()).unwrap_or(rows - 1);
        let bar =
            Bar { from: LABELS + start * scale, to: LABELS + (start + event.duration) * scale, count: 1 };
        let title = || format!("{}, {:.2} μs, at {start:.2} μs", event.name, event.duration);
        match bars[row].last_mut() {
            // What could not be seen is drawn with its neighbour.
            Some((last, _)) if bar.to - last.from < NARROW || bar.to <= last.to => {
                last.to = last.to.max(bar.to);
                last.count += 1;
            }
            _ => bars[row].push((bar, title())),
        }
    }
    let height = ROW * (rows as f64 + 1.5);
    let mut out = open("A timeline: for each line, when its operations ran", height);
    for (row, bars) in bars.iter().enumerate() {
        let y = ROW * row as f64;
        let (name, about) = match lanes.get(row) {
            Some(Some(place)) => (text::place(Some(place)), line_of(sources, place)),
            Some(None) => ("unknown".to_owned(), ""),
            None => ("other lines".to_owned(), ""),
        };
        let _ = writeln!(
            out,
            "<g><title>{}</title><text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text></g>",
            escape(format!("{name}  {about}").trim()),
            LABELS - 8.0,
            y + 14.0,
            escape(&fitting(&name, LABELS - 12.0))
        );
        let _ = writeln!(out, "<line x1=\"{LABELS}\" x2=\"{WIDTH}\" y1=\"{0:.0}\" y2=\"{0:.0}\"/>", y + ROW);
        for (bar, title) in bars {
            let title = match bar.count {
                1 => title.clone(),
                n => format!("{n} operations, the first: {title}"),
            };
            let _ = writeln!(
                out,
                "<rect x=\"{:.2}\" y=\"{:.0}\" width=\"{:.2}\" height=\"{:.0}\" class=\"c{}\"><title>{}</title></rect>",
                bar.from,
                y + 3.0,
                (bar.to - bar.from).max(NARROW),
                ROW - 6.0,
                row % 6,
                escape(&title)
            );
        }
    }
    axis(&mut out, whole, ROW * rows as f64);
    out + "</svg>\n"
}

/// One or more events of a lane that are drawn as one.
#[derive(Clone, Copy)]
struct Bar {
    from: f64,
    to: f64,
    count: usize,
}

/// Marks of time below the lanes.
fn axis(out: &mut String, whole: f64, y: f64) {
    let step = round_step(whole / 5.0);
    let mut at = 0.0;
    while at <= whole {
        let x = LABELS + at * (WIDTH - LABELS) / whole;
        let anchor = if x > WIDTH - 40.0 { "end" } else { "middle" };
        let _ = writeln!(
            out,
            "<text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"{anchor}\">{}</text>",
            y + 18.0,
            super::text::time(at)
        );
        at += step;
    }
}

/// 1, 2 or 5 times a power of ten, at least this much.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].iter().map(|n| n * power).find(|step| *step >= least).unwrap_or(least)
}

/// Where time goes, by calls: what is below was called by what is above, and the wider, the longer it took.
pub(super) fn flame_graph(report: &Report, tables: &Tables, sources: &Sources) -> String {
    let roots = tree(report);
    if tables.total.sum <= 0.0 {
        return "<p>Nothing took any time.</p>\n".to_owned();
    }
    let scale = WIDTH / tables.total.sum;
    let mut out = open("A flame graph: which calls took how long", ROW * (depth(&roots, scale) as f64 + 1.0));
    let whole = format!("all {} operations, {}", tables.total.count, text::time(tables.total.sum));
    frame(&mut out, (0.0, WIDTH, 0), &whole, "", "all");
    nodes(&mut out, &roots, (0.0, 1), scale, &|node: &Node| match &node.frame {
        Frame::Line(place) => line_of(sources, place).to_owned(),
        Frame::Operation(_) => String::new(),
    });
    out + "</svg>\n"
}

fn depth(nodes: &[Node], scale: f64) -> usize {
    let seen = nodes.iter().filter(|node| node.time * scale >= NARROW);
    seen.map(|node| 1 + depth(&node.inner, scale)).max().unwrap_or(0)
}

fn nodes(
    out: &mut String,
    level: &[Node],
    (mut x, row): (f64, usize),
    scale: f64,
    about: &dyn Fn(&Node) -> String,
) {
    for node in level {
        let width = node.time * scale;
        if width >= NARROW {
            let title =
                format!("{}: {} of {} operations", node.frame.name(), text::time(node.time), node.count);
            let class = match &node.frame {
                Frame::Line(place) => format!("c{}", place.line % 6),
                Frame::Operation(_) => "operation".to_owned(),
            };
            frame(out, (x, width, row), &title, &about(node), &class);
            nodes(out, &node.inner, (x, row + 1), scale, about);
        }
        x += width;
    }
}

/// A box with as much of its text as fits.
fn frame(out: &mut String, (x, width, row): (f64, f64, usize), title: &str, about: &str, class: &str) {
    let y = ROW * row as f64;
    let name = title.split(": ").next().unwrap_or(title);
    let label = if about.is_empty() { name.to_owned() } else { format!("{name}  {about}") };
    let shown = fitting(&label, width - 6.0);
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect x=\"{x:.2}\" y=\"{y:.0}\" width=\"{:.2}\" height=\"{:.0}\" class=\"{class}\"/>\
         <text x=\"{:.2}\" y=\"{:.0}\" class=\"inside\">{}</text></g>",
        escape(format!("{title}\n{about}").trim()),
        (width - 0.5).max(NARROW),
        ROW - 1.0,
        x + 3.0,
        y + 14.0,
        escape(&shown)
    );
}

/// As much of a text as fits into a width; the end of file names says most.
fn fitting(text: &str, width: f64) -> String {
    let room = (width / LETTER).max(0.0) as usize;
    let length = text.chars().count();
    match length <= room {
        true => text.to_owned(),
        false if room < 3 => String::new(),
        false => text.chars().take(room - 1).chain(['…']).collect(),
    }
}

fn open(label: &str, height: f64) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{label}\">\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::report::Event;

    fn report(events: &[(&str, f64, f64, &str)]) -> Report {
        let event = |(name, start, duration, provenance): &(&str, f64, f64, &str)| Event {
            name: (*name).into(),
            start: Some(*start),
            duration: *duration,
            provenance: (*provenance).into(),
            details: vec![],
        };
        Report { memory: vec![], events: events.iter().map(event).collect() }
    }

    fn sources() -> Sources {
        Sources::from([("p.fut".to_owned(), vec!["let a = 1 < 2".to_owned(), "  map f xs".to_owned()])])
    }

    #[test]
    fn a_timeline_has_a_lane_for_each_line() {
        let report = report(&[("map", 0.0, 10.0, "p.fut:1:1-2"), ("scan", 30.0, 70.0, "p.fut:2:1-2")]);
        let shown = timeline(&report, &Tables::of(&report), &sources());
        // The most expensive line comes first; the bars begin at 30 % and at 0 of 800 units.
        assert!(shown.contains("<rect x=\"440.00\" y=\"3\" width=\"560.00\""), "{shown}");
        assert!(shown.contains("<rect x=\"200.00\" y=\"23\" width=\"80.00\""), "{shown}");
        assert!(shown.contains("<title>p.fut:1  let a = 1 &lt; 2</title>"), "{shown}");
        assert!(shown.contains("scan, 70.00 μs, at 30.00 μs"), "{shown}");
    }

    #[test]
    fn what_cannot_be_seen_is_drawn_as_one() {
        let many: Vec<_> = (0..10_000).map(|i| ("map", f64::from(i), 1.0, "p.fut:1:1-2")).collect();
        let report = report(&many);
        let shown = timeline(&report, &Tables::of(&report), &sources());
        assert!(shown.matches("<rect").count() < 2000, "{}", shown.matches("<rect").count());
        assert!(shown.contains("operations, the first: map"));
    }

    #[test]
    fn a_flame_graph_has_callers_above() {
        let report =
            report(&[("map", 0.0, 30.0, "p.fut:2:1-2 -> p.fut:1:1-2"), ("scan", 30.0, 10.0, "p.fut:1:1-2")]);
        let shown = flame_graph(&report, &Tables::of(&report), &sources());
        let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}"));
        assert!(at("all 2 operations, 40.0 μs") < at("p.fut:1: 40.0 μs of 2 operations"));
        assert!(at("p.fut:1: 40.0") < at("p.fut:2: 30.0 μs of 1 operations"));
        assert!(shown.contains("x=\"750.00\" y=\"40\" width=\"249.50\""), "{shown}");
    }

    #[test]
    fn texts_fit() {
        assert_eq!(fitting("abcdef", 100.0), "abcdef");
        assert_eq!(fitting("abcdef", 27.0), "abc…");
        assert_eq!(fitting("abcdef", 5.0), "");
        assert_eq!([round_step(3.0), round_step(0.07), round_step(10.0)], [5.0, 0.1, 10.0]);
    }
}
