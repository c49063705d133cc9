//! The blocks of a literate program, and the Markdown that they become.
//!
//! ```text
//! -- Text.                 Text.
//! def f x = x + 1i32       ```futhark ... ```
//!
//! -- > f 2                 ``` > f 2 ``` and then what it gives
//! ```
//!
//! A run of comment lines at the left margin is one block, and its first line says of which kind: `-- >`
//! begins a directive, `-- ==` a test block, which is code; `-- |` documents a definition, and is code if one
//! follows at once; anything else is text. What is not a comment is code, as are blank lines before it; other
//! blank lines are a block of their own, so that they stay.

/// A piece of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Block {
    /// Text for the reader.
    Text(String),
    /// Part of the program.
    Code(String),
    /// Lines between the others.
    Blank,
    /// Something to execute.
    Directive(Comment),
}

/// The comment that a directive is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Comment {
    /// Its first line in the file, from 0.
    pub(super) line: usize,
    /// The directive, without comment markers and without the first `>`.
    pub(super) text: String,
}

/// The blocks of a program.
pub(super) fn blocks(program: &str) -> Vec<Block> {
    let lines: Vec<&str> = program.lines().collect();
    let is_comment = |line: &str| line.starts_with("--");
    let is_blank = |line: &str| line.trim().is_empty();
    let run = |from: usize, belongs: &dyn Fn(&str) -> bool| {
        lines[from..].iter().position(|line| !belongs(line)).map_or(lines.len(), |n| from + n)
    };
    let mut blocks = vec![];
    let mut at = 0;
    while at < lines.len() {
        let start = at;
        if is_comment(lines[start]) {
            at = run(start, &is_comment);
            let documents = documentation(lines[start]).is_some();
            let code = lines.get(at).is_some_and(|line| !is_blank(line));
            if !(documents && code) {
                blocks.push(comment(start, &lines[start..at]));
                continue;
            }
        }
        let after_blank = run(start, &is_blank);
        if at == start && lines.get(after_blank).is_none_or(|line| is_comment(line)) {
            at = after_blank;
            blocks.push(Block::Blank);
            continue;
        }
        // The comment that documents the definition is before it.
        let definition = at.max(after_blank);
        at = run(definition, &|line| !is_comment(line));
        let last = (after_blank..at).rev().find(|i| !is_blank(lines[*i])).unwrap_or(after_blank);
        blocks.push(Block::Code(joined(&lines[after_blank..=last])));
    }
    blocks
}

/// The block that some comment lines are.
fn comment(line: usize, lines: &[&str]) -> Block {
    let first = lines[0].strip_prefix("--").unwrap_or_default().trim_start();
    if first.starts_with("==") {
        return Block::Code(joined(lines));
    }
    let mut stripped: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_prefix("--").unwrap_or(line))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    // What documents the whole file is text without its mark.
    stripped[0] = documentation(lines[0]).unwrap_or(stripped[0]);
    match lines[0].strip_prefix("-- >") {
        Some(first) => {
            let lines: Vec<&str> =
                std::iter::once(first.trim_start()).chain(stripped[1..].iter().copied()).collect();
            Block::Directive(Comment { line, text: lines.join("\n").trim_end().to_owned() })
        }
        None => Block::Text(joined(&stripped)),
    }
}

/// The first line of a comment that documents something, without its mark.
fn documentation(line: &str) -> Option<&str> {
    let text = line.strip_prefix("-- |")?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Code as Markdown.
pub(super) fn code(code: &str) -> String {
    fenced("futhark", code)
}

/// Something between fences, which are longer than any in it.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(t: &str) -> Block {
        Block::Text(t.into())
    }

    fn code(t: &str) -> Block {
        Block::Code(t.into())
    }

    fn directive(line: usize, t: &str) -> Block {
        Block::Directive(Comment { line, text: t.into() })
    }

    #[test]
    fn kinds_of_blocks() {
        assert_eq!(
            blocks("-- One.\n--Two.\n--\n--  Three.\ndef f = 1\n\n-- > f\n"),
            [text("One.\nTwo.\n\n Three.\n"), code("def f = 1\n"), directive(6, "f")]
        );
        assert_eq!(blocks("def f =\n\n  -- inside\n  2\n\n\n"), [code("def f =\n\n  -- inside\n  2\n")]);
        assert_eq!(
            blocks("\n\n-- One.\n\n-- ==\n-- input {}\n\n\ndef x = 1"),
            [Block::Blank, text("One.\n"), Block::Blank, code("-- ==\n-- input {}\n"), code("def x = 1\n")]
        );
        assert_eq!(
            blocks("-- > f;\n-- a: 1\n\n-- >g"),
            [directive(0, "f;\na: 1"), Block::Blank, directive(3, "g")]
        );
        assert_eq!(
            blocks("-- | The file.\n\n-- | Twice\n-- as much.\ndef f x = x * 2\n\n-- Text.\n"),
            [
                text("The file.\n"),
                Block::Blank,
                code("-- | Twice\n-- as much.\ndef f x = x * 2\n"),
                text("Text.\n")
            ]
        );
        assert_eq!(blocks("--> f"), [text("> f\n")]);
        assert_eq!(blocks("-- text\n-- > f 1"), [text("text\n> f 1\n")]);
        assert_eq!(blocks(""), []);
    }

    #[test]
    fn fences() {
        assert_eq!(fenced("", "a"), "```\na\n```\n");
        assert_eq!(fenced("x", "```\n"), "````x\n```\n````\n");
    }
}
