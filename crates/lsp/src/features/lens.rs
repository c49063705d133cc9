//! Things to click on above lines: evaluation comments, tests, and entry points that need no arguments.
//!
//! In: the text, with or without errors. Out: commands, which `commands` carries out.
//!
//! ```text
//! -- >>> twice 4        Evaluate: writes the value below
//! -- ==                 Test: runs the tests of the file
//! entry table = ...     Run: shows the value
//! ```

use crate::answer::Answer;
use crate::commands::{expression, EVALUATE, RUN, TEST};
use crate::state::{Document, State};
use fehu_base::FileId;
use fehu_syntax::ast::{Dec, ValKeyword};
use serde_json::{json, Value};

pub(super) fn lenses(state: &State, document: &Document, params: &Value) -> Answer {
    let uri = &params["textDocument"]["uri"];
    let parsed = fehu_syntax::parse(FileId(0), &document.text.text);
    let mut found = vec![];
    let mut add = |lo: u32, hi: u32, title: &str, command: &str, argument: Value| {
        found.push(json!({
            "range": document.text.range(lo as usize, hi as usize, state.encoding),
            "command": {"title": title, "command": command, "arguments": [uri, argument]},
        }));
    };
    let mut tests = false;
    for comment in &parsed.comments {
        let (lo, hi) = (comment.span.lo, comment.span.hi);
        if expression(comment).is_some() {
            let line = document.text.line_column(lo as usize, state.encoding).0;
            add(lo, hi, "Evaluate", EVALUATE, json!(line));
        }
        if comment.text.trim_end() == "-- ==" && !tests {
            tests = true;
            add(lo, hi, "Test", TEST, Value::Null);
        }
    }
    for dec in &parsed.prog.decs {
        match dec {
            Dec::Val(b) if b.keyword == ValKeyword::Entry && b.params.is_empty() => {
                add(b.name.span.lo, b.name.span.hi, "Run", RUN, json!(b.name.name.as_str()));
            }
            Dec::Val(_)
            | Dec::Type(_)
            | Dec::Mod(_)
            | Dec::ModType(_)
            | Dec::Open(..)
            | Dec::Import(..)
            | Dec::Local(..) => {}
        }
    }
    Ok(Value::Array(found))
}
