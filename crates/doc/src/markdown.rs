//! Comments as HTML: Markdown, in which `` `name`@term `` links to a declaration, and `` `name`@term@"file"
//! `` to one of another file. HTML in comments is shown, not used.

use crate::html::escape;
use pulldown_cmark::{html, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

/// A link in a comment.
pub(crate) struct Reference<'a> {
    pub(crate) name: &'a str,
    /// `term`, `type` or `mtype`.
    pub(crate) space: &'a str,
    /// The other file.
    pub(crate) file: Option<&'a str>,
}

/// A comment as HTML; `resolve` gives the address of what a link means.
pub(crate) fn render(text: &str, mut resolve: impl FnMut(&Reference<'_>) -> Option<String>) -> String {
    let mut events: Vec<Event<'_>> = vec![];
    // A name in backquotes waits for what stands behind it.
    let mut code: Option<CowStr<'_>> = None;
    // Links that are left out, around the current place.
    let mut inside = 0;
    // Program text between fences.
    let mut program: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match (&event, &mut program) {
            (Event::Start(Tag::CodeBlock(kind)), None) if is_program(kind) => {
                program = Some(String::new());
                continue;
            }
            (Event::Text(text), Some(program)) => {
                program.push_str(text);
                continue;
            }
            (Event::End(TagEnd::CodeBlock), Some(program_text)) => {
                let shown = crate::html::code(program_text, None, |_| None);
                events.push(Event::Html(format!("<pre><code>{shown}</code></pre>\n").into()));
                program = None;
                continue;
            }
            _ => {}
        }
        if let Some(name) = code.take() {
            if let Some((space, file, rest)) = reference(&event) {
                let found = resolve(&Reference { name: &name, space, file });
                let shown = format!("<code>{}</code>", escape(&name));
                events.push(Event::InlineHtml(match found {
                    Some(url) => format!("<a href=\"{}\">{shown}</a>", escape(&url)).into(),
                    None => shown.into(),
                }));
                events.push(Event::Text(rest.to_owned().into()));
                continue;
            }
            events.push(Event::Code(name));
        }
        match event {
            Event::Code(name) => code = Some(name),
            Event::Html(text) | Event::InlineHtml(text) => events.push(Event::Text(text)),
            // Neither scripts nor pictures that tell others who reads them.
            Event::Start(Tag::Link { dest_url, .. }) if !is_harmless(&dest_url) => inside += 1,
            Event::End(TagEnd::Link) if inside > 0 => inside -= 1,
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            other @ (Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_)) => events.push(other),
        }
    }
    events.extend(code.map(Event::Code));
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

/// Whether a block is between fences that name Futhark.
fn is_program(kind: &CodeBlockKind<'_>) -> bool {
    matches!(kind, CodeBlockKind::Fenced(language) if &**language == "futhark")
}

/// The program text in a comment: what stands between fences that name Futhark.
pub(crate) fn examples(text: &str) -> Vec<String> {
    let mut examples = vec![];
    let mut open = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match (event, &mut open) {
            (Event::Start(Tag::CodeBlock(kind)), _) => open = is_program(&kind).then(String::new),
            (Event::End(TagEnd::CodeBlock), _) => examples.extend(open.take()),
            (Event::Text(text), Some(example)) => example.push_str(&text),
            _ => {}
        }
    }
    examples
}

/// Whether an address is a page, or a place on this one.
fn is_harmless(url: &str) -> bool {
    match url.split_once(':') {
        Some((scheme, _)) if !scheme.contains(['/', '#', '?']) => {
            ["http", "https", "mailto"].contains(&scheme.to_ascii_lowercase().as_str())
        }
        Some(_) | None => true,
    }
}

/// `@space` or `@space@"file"` at the beginning of a text, and the rest of it.
fn reference<'a>(event: &'a Event<'_>) -> Option<(&'a str, Option<&'a str>, &'a str)> {
    let Event::Text(text) = event else { return None };
    let rest = text.strip_prefix('@')?;
    let end = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
    let (space, rest) = rest.split_at(end);
    let known = matches!(space, "term" | "type" | "mtype");
    let file = rest.strip_prefix("@\"").and_then(|r| r.split_once('"'));
    let found = match file {
        Some((file, rest)) => (space, Some(file), rest),
        None => (space, None, rest),
    };
    known.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::render;

    fn shown(text: &str) -> String {
        render(text, |r| {
            (r.name != "gone").then(|| format!("{}#{}-{}", r.file.unwrap_or(""), r.space, r.name))
        })
    }

    #[test]
    fn links() {
        assert_eq!(shown("See `map`@term."), "<p>See <a href=\"#term-map\"><code>map</code></a>.</p>\n");
        assert_eq!(shown("`t`@type@\"a/b\"!"), "<p><a href=\"a/b#type-t\"><code>t</code></a>!</p>\n");
        assert_eq!(shown("`gone`@mtype, `x`"), "<p><code>gone</code>, <code>x</code></p>\n");
        assert_eq!(shown("`x`@other"), "<p><code>x</code>@other</p>\n");
    }

    #[test]
    fn examples_are_what_names_the_language() {
        let text = "A.\n\n```futhark\nf 1\ng 2\n```\n\n```\nnone\n```\n\n    none\n\n``` futhark\nh\n```\n";
        assert_eq!(super::examples(text), ["f 1\ng 2\n", "h\n"]);
    }

    #[test]
    fn programs_have_colours() {
        let colour = "<pre><code><span class=\"keyword\">let</span> x = <span class=\"number\">1</span> &lt; y\n</code></pre>";
        assert_eq!(shown("```futhark\nlet x = 1 < y\n```"), format!("{colour}\n"));
        assert_eq!(shown("```\nlet x\n```"), "<pre><code>let x\n</code></pre>\n");
    }

    #[test]
    fn html_is_shown() {
        let said = shown("a <script>alert(1)</script> b\n\n<b>c</b>");
        assert!(!said.contains("<script>") && !said.contains("<b>"), "{said}");
        let said = shown(
            "[a](javascript:alert(1)) [b](https://example.org) ![c](https://example.org/c.png) [d](#x)",
        );
        let kept = "<p>a <a href=\"https://example.org\">b</a> c <a href=\"#x\">d</a></p>\n";
        assert_eq!(said, kept);
    }
}
