//! What pages look like: their frame, the overview, the index, and views of sources.

use crate::markdown::render;
use crate::names::{Names, Space};
use crate::Input;
use fehu_syntax::TokenKind;
use std::fmt::Write;

/// Text as HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The way from a page back to the root of the site.
pub(crate) fn root(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}

/// A whole page; `path` is its own, from the root of the site.
pub(crate) fn frame(path: &str, title: &str, body: &str) -> String {
    let (root, title) = (root(path), escape(title));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{root}style.css\">\n</head>\n<body>\n\
         <nav><a href=\"{root}index.html\">Files</a><a href=\"{root}names.html\">Names</a></nav>\n\
         <h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// The first page: all files, with the beginning of their comments.
pub(crate) fn overview(inputs: &[Input], names: &Names) -> String {
    let mut rows = String::new();
    for input in inputs {
        let about = input.prog.doc.as_ref().map_or(String::new(), |d| first_sentence(&d.text));
        // Whatever is wrong with a link is said of the file's own page.
        let about = render(&about, |r| {
            let space = Space::of_word(r.space).filter(|_| r.file.is_none())?;
            names.find(&input.name, "", space, r.name).map(|a| a.url())
        });
        let about = about.trim().strip_prefix("<p>").and_then(|a| a.strip_suffix("</p>")).unwrap_or(&about);
        let name = escape(&input.name);
        let _ = writeln!(rows, "<tr><td><a href=\"doc/{name}.html\">{name}</a></td><td>{about}</td></tr>");
    }
    frame("index.html", "Documentation", &format!("<table>\n{rows}</table>\n"))
}

fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or("").replace('\n', " ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}

/// All names. What is typed into the field hides those that do not contain it.
pub(crate) fn index(names: &Names) -> String {
    let mut all: Vec<_> = names.all().collect();
    all.sort_by_key(|a| (a.name.to_lowercase(), *a));
    let mut rows = String::new();
    for address in all {
        let (name, file) = (escape(&address.name), escape(&address.file));
        let _ = writeln!(
            rows,
            "<tr><td><a href=\"{}\"><code>{name}</code></a></td><td>{}</td><td>{file}</td></tr>",
            escape(&address.url()),
            address.space.word(),
        );
    }
    let search =
        "<p><input type=\"search\" id=\"search\" placeholder=\"Search\" aria-label=\"Search\"></p>\n";
    let script = "<script>\nconst rows = document.querySelectorAll('tr');\n\
                  document.getElementById('search').addEventListener('input', e => {\n\
                  const wanted = e.target.value.toLowerCase();\n\
                  rows.forEach(r => { r.hidden = !r.textContent.toLowerCase().includes(wanted); });\n});\n</script>\n";
    frame("names.html", "Names", &format!("{search}<table>\n{rows}</table>\n{script}"))
}

/// A file's text, with numbered lines.
pub(crate) fn source(input: &Input) -> String {
    let mut lines = String::new();
    for (i, line) in input.text.lines().enumerate() {
        let n = i + 1;
        let _ = writeln!(lines, "<span class=\"line\" id=\"L{n}\" data-n=\"{n}\">{}</span>", escape(line));
    }
    frame(
        &format!("src/{}.html", input.name),
        &format!("{}.fut", input.name),
        &format!("<pre>{lines}</pre>\n"),
    )
}

/// Program text as HTML, in which names are links where `link` knows an address. What is declared stands out.
pub(crate) fn code(text: &str, declared: Option<&str>, link: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut at = 0usize;
    let mut declared = declared;
    for token in fehu_syntax::tokens(fehu_base::FileId(0), text) {
        let (lo, hi) = (token.span.lo as usize, token.span.hi as usize);
        out.push_str(&escape(text.get(at..lo).unwrap_or("")));
        let word = text.get(lo..hi).unwrap_or("");
        let shown = escape(word);
        let _ = match link(word).filter(|_| token.kind == TokenKind::Ident) {
            _ if declared == Some(word) => {
                declared = None;
                write!(out, "<b>{shown}</b>")
            }
            Some(url) => write!(out, "<a href=\"{}\">{shown}</a>", escape(&url)),
            // Browsers would break a line between the two characters.
            None if word == "->" => write!(out, "<span class=\"arrow\">{shown}</span>"),
            None => write!(out, "{shown}"),
        };
        at = hi;
    }
    out.push_str(&escape(text.get(at..).unwrap_or("")));
    out
}
