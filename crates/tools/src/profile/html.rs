//! Profiles for browsers: an overview, and each source file with the time that
//! its lines take.

use super::report::{Place, Report};
use super::tables::{Cost, Tables};
use crate::bench::size;
use std::collections::BTreeMap;

const STYLE: &str = "body{font-family:sans-serif;margin:2em;max-width:70em}\
table{border-collapse:collapse}td,th{padding:.15em .7em;text-align:right}\
th{border-bottom:1px solid #888}td:first-child,th:first-child{text-align:left}\
pre{margin:0;font-family:monospace}.code td{padding:0 .7em}\
.code td:last-child{text-align:left}td.number{color:#888}tr:target{outline:2px solid #27c}";

/// The pages of a data set, by file name; `read` gives the text of a source file.
pub(super) fn pages(
    name: &str,
    report: &Report,
    tables: &Tables,
    read: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let mut files: BTreeMap<&str, BTreeMap<usize, Cost>> = BTreeMap::new();
    for (place, cost) in &tables.lines {
        if let Some(place) = place {
            files.entry(&place.file).or_default().insert(place.line, *cost);
        }
    }
    let mut sources = vec![];
    let mut known = vec![];
    for (file, costs) in &files {
        if let Some(text) = read(file) {
            known.push((*file).to_owned());
            sources.push((page_of(name, file), source_page(name, file, &text, costs, &tables.total)));
        }
    }
    let mut out = vec![(format!("{name}-index.html"), index(name, report, tables, &known))];
    out.extend(sources);
    out
}

fn index(name: &str, report: &Report, tables: &Tables, known: &[String]) -> String {
    let mut body = format!(
        "<h1>{}</h1>\n<p>{} events took {:.2} μs together. An event is an operation on the device, such as a \
         kernel or a copy; its time belongs to the source line that asked for it. The times are those of one \
         run after all measured ones.</p>\n",
        escape(name),
        tables.total.count,
        tables.total.sum
    );
    body.push_str("<h2>Memory</h2>\n<table><tr><th>kind</th><th>most in use</th></tr>\n");
    for (space, bytes) in &report.memory {
        body.push_str(&format!("<tr><td>{}</td><td>{}</td></tr>\n", escape(space), size(*bytes)));
    }
    body.push_str("</table>\n<h2>Time by source line</h2>\n");
    let lines = tables.lines.iter().map(|(place, cost)| (link(name, place.as_ref(), known), *cost));
    body.push_str(&table("line", lines, &tables.total));
    body.push_str("<h2>Time by operation</h2>\n");
    let operations = tables.operations.iter().map(|(n, cost)| (escape(n), *cost));
    body.push_str(&table("operation", operations, &tables.total));
    if !known.is_empty() {
        body.push_str("<h2>Source files</h2>\n<ul>\n");
        for file in known {
            let page = escape(&address(&page_of(name, file)));
            body.push_str(&format!("<li><a href=\"{page}\">{}</a></li>\n", escape(file)));
        }
        body.push_str("</ul>\n");
    }
    page(name, &body)
}

fn table(title: &str, rows: impl Iterator<Item = (String, Cost)>, total: &Cost) -> String {
    let mut out = format!(
        "<table><tr><th>{title}</th><th>count</th><th>sum, μs</th><th>mean</th><th>min</th><th>max</th><th>part</th></tr>\n"
    );
    for (name, c) in rows {
        out.push_str(&format!(
            "<tr><td>{name}</td><td>{}</td><td>{:.2}</td><td>{:.2}</td><td>{:.2}</td><td>{:.2}</td><td>{:.1} %</td></tr>\n",
            c.count,
            c.sum,
            c.mean(),
            c.least,
            c.most,
            100.0 * c.part_of(total)
        ));
    }
    out.push_str("</table>\n");
    out
}

fn link(name: &str, place: Option<&Place>, known: &[String]) -> String {
    let text = escape(&super::text::place(place));
    match place {
        Some(p) if known.contains(&p.file) => {
            format!("<a href=\"{}#L{}\">{text}</a>", escape(&address(&page_of(name, &p.file))), p.line)
        }
        Some(_) | None => text,
    }
}

fn source_page(name: &str, file: &str, text: &str, costs: &BTreeMap<usize, Cost>, total: &Cost) -> String {
    let mut body = format!(
        "<h1>{}</h1>\n<p><a href=\"{}\">Back to the overview</a></p>\n<table class=\"code\">\n",
        escape(file),
        escape(&address(&format!("{name}-index.html")))
    );
    for (i, line) in text.lines().enumerate() {
        let number = i + 1;
        let (time, heat) = match costs.get(&number) {
            Some(c) => (format!("{:.2} μs", c.sum), 0.15 + 0.75 * c.part_of(total)),
            None => (String::new(), 0.0),
        };
        body.push_str(&format!(
            "<tr id=\"L{number}\" style=\"background:rgba(255,120,0,{heat:.2})\"><td>{time}</td>\
             <td class=\"number\">{number}</td><td><pre>{}</pre></td></tr>\n",
            escape(line)
        ));
    }
    body.push_str("</table>\n");
    page(file, &body)
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n\
         <style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n",
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

fn escape(text: &str) -> String {
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
            duration: 2.0,
            provenance: "../p.fut:2:1-2".into(),
            details: vec![],
        };
        let report = Report { memory: vec![], events: vec![event] };
        let all = pages("#0 (\"1\")", &report, &Tables::of(&report), |file| {
            (file == "../p.fut").then(|| "a\nb & c\n".to_owned())
        });
        assert_eq!(all[1].0, "#0 (\"1\")-p.fut.html");
        assert!(all[0].1.contains("href=\"%230%20%28%221%22%29-p.fut.html#L2\""), "{}", all[0].1);
        assert!(all[0].1.contains("map&lt;f&gt;"));
        assert!(all[1].1.contains("<td>2.00 μs</td><td class=\"number\">2</td><td><pre>b &amp; c</pre>"));
        assert!(all[1].1.contains("rgba(255,120,0,0.90)"));
    }
}
