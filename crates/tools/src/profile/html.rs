//! Profiles for browsers: a first page for all data sets, an overview of each, and each source file with the time that
//! its lines take.

use super::pictures::{flame_graph, line_of, timeline, Sources};
use super::report::{Place, Report};
use super::tables::{Cost, Tables};
use super::text;
use crate::bench::size;
use std::collections::BTreeMap;

const STYLE: &str = include_str!("style.css");

/// A data set on the first page.
pub(super) struct Entry {
    /// The program, and the entry point if it is not `main`.
    pub(super) program: String,
    pub(super) dataset: String,
    /// Its own page, from the folder of the first page.
    pub(super) page: String,
    pub(super) total: Cost,
    /// The line on which most time is spent, and its part of all.
    pub(super) top: Option<(String, f64)>,
}

/// The first page: all data sets.
pub(super) fn first_page(entries: &[Entry]) -> String {
    let mut body = String::from(
        "<h1>Profiles</h1>\n<p>The times are those of one run of each data set, after all measured ones.</p>\n\
         <div class=\"wide\"><table><tr><th>program</th><th class=\"text\">data set</th><th>time</th>\
         <th>operations</th><th class=\"text\">most expensive line</th><th>part</th></tr>\n",
    );
    for entry in entries {
        let (line, part) = match &entry.top {
            Some((line, part)) => (escape(line), format!("{:.1} %", 100.0 * part)),
            None => (String::new(), String::new()),
        };
        body.push_str(&format!(
            "<tr><td>{}</td><td class=\"text\"><a href=\"{}\">{}</a></td><td>{}</td><td>{}</td>\
             <td class=\"text\">{line}</td><td>{part}</td></tr>\n",
            escape(&entry.program),
            escape(&path_address(&entry.page)),
            escape(&entry.dataset),
            text::time(entry.total.sum),
            entry.total.count,
        ));
    }
    body.push_str("</table></div>\n");
    page("Profiles", None, &body)
}

/// The pages of a data set, by file name; `up` is the way to the first page.
pub(super) fn pages(
    name: &str,
    up: &str,
    report: &Report,
    tables: &Tables,
    sources: &Sources,
) -> Vec<(String, String)> {
    let mut files: BTreeMap<&str, BTreeMap<usize, Cost>> = BTreeMap::new();
    for (place, cost) in &tables.lines {
        if let Some(place) = place {
            files.entry(&place.file).or_default().insert(place.line, *cost);
        }
    }
    let mut out = vec![(index_of(name), index(name, up, report, tables, sources))];
    for (file, costs) in &files {
        if let Some(lines) = sources.get(*file) {
            let page = source_page(name, file, lines, costs, &tables.total);
            out.push((page_of(name, file), page));
        }
    }
    out
}

/// The overview of a data set.
pub(super) fn index_of(name: &str) -> String {
    format!("{name}-index.html")
}

fn index(name: &str, up: &str, report: &Report, tables: &Tables, sources: &Sources) -> String {
    let mut body = format!(
        "<h1>{}</h1>\n<p>{} operations took {} together. An operation is something that the device did, such as a \
         kernel or a copy; its time belongs to the source line that asked for it. The times are those of one \
         run after all measured ones.</p>\n",
        escape(name),
        tables.total.count,
        text::time(tables.total.sum)
    );
    body.push_str("<h2>Timeline</h2>\n<div class=\"wide\">\n");
    body.push_str(&timeline(report, tables, sources));
    body.push_str("</div>\n<h2>Flame graph</h2>\n<div class=\"wide\">\n");
    body.push_str(&flame_graph(report, tables, sources));
    body.push_str("</div>\n<h2>Time by source line</h2>\n");
    let lines = tables.lines.iter().map(|(place, cost)| {
        let about = place.as_ref().map_or("", |place| line_of(sources, place));
        (link(name, place.as_ref(), sources), Some(escape(about)), *cost)
    });
    body.push_str(&table("line", lines, &tables.total));
    body.push_str("<h2>Time by operation</h2>\n");
    let operations = tables.operations.iter().map(|(n, cost)| (escape(n), None, *cost));
    body.push_str(&table("operation", operations, &tables.total));
    body.push_str("<h2>Memory</h2>\n<table><tr><th>kind</th><th>most in use</th></tr>\n");
    for (space, bytes) in &report.memory {
        body.push_str(&format!("<tr><td>{}</td><td>{}</td></tr>\n", escape(space), size(*bytes)));
    }
    body.push_str("</table>\n");
    page(name, Some((&format!("{up}index.html"), "All data sets")), &body)
}

/// Rows of a name, what the source says there, and a cost.
fn table(title: &str, rows: impl Iterator<Item = (String, Option<String>, Cost)>, total: &Cost) -> String {
    let rows: Vec<(String, Option<String>, Cost)> = rows.collect();
    let source = rows.iter().any(|(_, about, _)| about.is_some());
    let about = if source { "<th class=\"text\">source</th>" } else { "" };
    let mut out = format!(
        "<div class=\"wide\"><table><tr><th>{title}</th><th>part</th><th>sum, μs</th><th>count</th>\
         <th>mean</th><th>min</th><th>max</th>{about}</tr>\n"
    );
    for (name, about, c) in rows {
        let about = about.map_or(String::new(), |about| format!("<td class=\"text\">{about}</td>"));
        out.push_str(&format!(
            "<tr><td>{name}</td><td>{:.1} %</td><td>{:.2}</td><td>{}</td><td>{:.2}</td><td>{:.2}</td><td>{:.2}</td>{about}</tr>\n",
            100.0 * c.part_of(total),
            c.sum,
            c.count,
            c.mean(),
            c.least,
            c.most
        ));
    }
    out.push_str("</table></div>\n");
    out
}

fn link(name: &str, place: Option<&Place>, sources: &Sources) -> String {
    let shown = escape(&text::place(place));
    match place {
        Some(p) if sources.contains_key(&p.file) => {
            format!("<a href=\"{}#L{}\">{shown}</a>", escape(&address(&page_of(name, &p.file))), p.line)
        }
        Some(_) | None => shown,
    }
}

fn source_page(
    name: &str,
    file: &str,
    lines: &[String],
    costs: &BTreeMap<usize, Cost>,
    total: &Cost,
) -> String {
    let mut body = format!("<h1>{}</h1>\n<div class=\"wide\"><table class=\"code\">\n", escape(file));
    for (i, line) in lines.iter().enumerate() {
        let number = i + 1;
        let (time, heat) = match costs.get(&number) {
            Some(c) => (format!("{:.2} μs", c.sum), 0.15 + 0.75 * c.part_of(total)),
            None => (String::new(), 0.0),
        };
        body.push_str(&format!(
            "<tr id=\"L{number}\" style=\"background:rgba(var(--heat),{heat:.2})\"><td>{time}</td>\
             <td class=\"number\">{number}</td><td><pre>{}</pre></td></tr>\n",
            escape(line)
        ));
    }
    body.push_str("</table></div>\n");
    page(file, Some((&address(&index_of(name)), "Back to the overview")), &body)
}

/// A page, with a link to the one above.
fn page(title: &str, above: Option<(&str, &str)>, body: &str) -> String {
    let nav = match above {
        Some((link, name)) => format!("<nav><a href=\"{}\">{name}</a></nav>\n", escape(link)),
        None => String::new(),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <style>\n{STYLE}</style></head>\n<body>\n{nav}{body}</body></html>\n",
        escape(title)
    )
}

/// The page of a source file.
fn page_of(name: &str, file: &str) -> String {
    format!("{name}-{}.html", super::file_name(file.trim_start_matches(['.', '/'])))
}

/// A file name in a link.
fn address(file: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
    file.bytes().map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

/// A path in a link.
fn path_address(path: &str) -> String {
    path.split('/').map(address).collect::<Vec<_>>().join("/")
}

/// Text as HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::report::Event;

    #[test]
    fn lines_link_to_their_source() {
        let event = Event {
            name: "map<f>".into(),
            start: None,
            duration: 2.0,
            provenance: "../p.fut:2:1-2".into(),
            details: vec![],
        };
        let report = Report { memory: vec![], events: vec![event] };
        let sources = Sources::from([("../p.fut".to_owned(), vec!["a".to_owned(), "b & c".to_owned()])]);
        let all = pages("#0 (\"1\")", "../", &report, &Tables::of(&report), &sources);
        assert!(all[0].1.contains("<a href=\"../index.html\">All data sets</a>"), "{}", all[0].1);
        assert!(all[0].1.contains("<td class=\"text\">b &amp; c</td>"), "{}", all[0].1);
        assert_eq!(all[1].0, "#0 (\"1\")-p.fut.html");
        assert!(all[0].1.contains("href=\"%230%20%28%221%22%29-p.fut.html#L2\""), "{}", all[0].1);
        assert!(all[0].1.contains("map&lt;f&gt;"));
        assert!(all[1].1.contains("<td>2.00 μs</td><td class=\"number\">2</td><td><pre>b &amp; c</pre>"));
        assert!(all[1].1.contains("rgba(var(--heat),0.90)"));
    }
}
