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

/// A whole page.
pub(crate) struct Frame<'a> {
    /// What the site is called.
    pub(crate) site: &'a str,
    /// The page itself, from the root of the site.
    pub(crate) path: &'a str,
    pub(crate) title: &'a str,
    /// What is beside the text, if anything is.
    pub(crate) aside: &'a str,
    pub(crate) body: &'a str,
}

impl Frame<'_> {
    /// The page's text. From every page one can go to all files, all names, and to a name that is typed.
    pub(crate) fn html(&self) -> String {
        let Frame { site, path, title, aside, body } = self;
        let (root, title, site) = (root(path), escape(title), escape(site));
        let full = if title == site { site.clone() } else { format!("{title} - {site}") };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{full}</title>\n\
             <link rel=\"stylesheet\" href=\"{root}style.css\">\n</head>\n<body>\n\
             <nav><a class=\"site\" href=\"{root}index.html\">{site}</a><a href=\"{root}names.html\">Names</a>\n\
             <form action=\"{root}names.html\"><input type=\"search\" name=\"q\" placeholder=\"Search names\" \
             aria-label=\"Search names\"></form></nav>\n\
             <div class=\"columns\">\n{aside}<main>\n<h1>{title}</h1>\n{body}</main>\n</div>\n</body>\n</html>\n"
        )
    }
}

/// Something that is declared on a page, for the list of them beside the text.
pub(crate) struct Item {
    /// The heading that it is under: what it is.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// Its place on the page.
    pub(crate) anchor: String,
    /// How many modules it is in.
    pub(crate) depth: usize,
    /// The beginning of its comment.
    pub(crate) about: String,
}

/// The headings of lists of items, in order.
const KINDS: [&str; 5] = ["Module types", "Modules", "Types", "Entry points", "Values"];

/// The list of what is on a page: by kind, and what is in a module below it.
pub(crate) fn items(all: &[Item]) -> String {
    let mut lists = String::new();
    for kind in KINDS {
        let mut list = String::new();
        let mut shown = false;
        for item in all {
            if item.depth == 0 {
                shown = item.kind == kind;
            }
            if shown {
                let _ = writeln!(
                    list,
                    "<li class=\"in{}\"><a href=\"#{}\" title=\"{}\">{}</a></li>",
                    item.depth.min(2),
                    escape(&item.anchor),
                    escape(&item.about),
                    escape(&item.name)
                );
            }
        }
        if !list.is_empty() {
            let _ = write!(lists, "<h2>{kind}</h2>\n<ul>\n{list}</ul>\n");
        }
    }
    match lists.is_empty() {
        true => String::new(),
        false => format!("<aside aria-label=\"On this page\">\n{lists}</aside>\n"),
    }
}

/// The first page: all files, with the beginning of their comments; the packages that they use come last. The site of a
/// package is called as the package, whose own files are not among those.
pub(crate) fn overview(site: &str, inputs: &[Input], names: &Names) -> String {
    let own_package = format!("lib/{site}/");
    let is_foreign = |name: &str| name.starts_with("lib/") && !name.starts_with(&own_package);
    let (packages, own): (Vec<&Input>, Vec<&Input>) =
        inputs.iter().partition(|input| is_foreign(&input.name));
    let mut body = files(&own, names);
    if !packages.is_empty() {
        let _ = write!(body, "<h2>Packages</h2>\n{}", files(&packages, names));
    }
    Frame { site, path: "index.html", title: site, aside: "", body: &body }.html()
}

fn files(inputs: &[&Input], names: &Names) -> String {
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
    format!("<table>\n{rows}</table>\n")
}

/// The first sentence of a comment, on one line.
pub(crate) fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or("").replace('\n', " ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}

/// All names. What is typed into the field hides those that do not contain it.
pub(crate) fn index(site: &str, names: &Names) -> String {
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
                  const field = document.getElementById('search');\nfunction filter() {\n\
                  const wanted = field.value.toLowerCase();\n\
                  rows.forEach(r => { r.hidden = !r.textContent.toLowerCase().includes(wanted); });\n}\n\
                  field.value = new URLSearchParams(location.search).get('q') || '';\n\
                  field.addEventListener('input', filter);\nfilter();\n</script>\n";
    let body = format!("{search}<table>\n{rows}</table>\n{script}");
    Frame { site, path: "names.html", title: "Names", aside: "", body: &body }.html()
}

/// A file's text, with numbered lines.
pub(crate) fn source(site: &str, input: &Input) -> String {
    let mut lines = String::new();
    for (i, line) in code(&input.text, None, |_| None).lines().enumerate() {
        let n = i + 1;
        // Each is a block: a line break behind it would be an empty line.
        let _ = write!(lines, "<span class=\"line\" id=\"L{n}\" data-n=\"{n}\">{line}</span>");
    }
    let (path, title) = (format!("src/{}.html", input.name), format!("{}.fut", input.name));
    let body = format!(
        "<p><a href=\"{}doc/{}.html\">Documentation</a></p>\n<pre>{lines}</pre>\n",
        root(&path),
        escape(&input.name)
    );
    Frame { site, path: &path, title: &title, aside: "", body: &body }.html()
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
            None => match class(token.kind) {
                Some(class) => {
                    // A token of several lines has its colour in each of them.
                    let lines: Vec<String> = shown
                        .split('\n')
                        .map(|line| format!("<span class=\"{class}\">{line}</span>"))
                        .collect();
                    write!(out, "{}", lines.join("\n"))
                }
                None => write!(out, "{shown}"),
            },
        };
        at = hi;
    }
    out.push_str(&escape(text.get(at..).unwrap_or("")));
    out
}

/// The colour of a token.
fn class(kind: TokenKind) -> Option<&'static str> {
    use TokenKind::*;
    if matches!(kind, Comment | DocComment) {
        Some("comment")
    } else if matches!(kind, Int | Float | True | False) {
        Some("number")
    } else if matches!(kind, String | Char) {
        Some("string")
    } else if matches!(kind, Constructor | HashBracket | Hole) {
        Some("constructor")
    } else {
        kind.is_keyword().then_some("keyword")
    }
}
