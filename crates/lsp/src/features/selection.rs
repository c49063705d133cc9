//! What an editor selects step by step: a word, then what is around it.
//!
//! ```text
//! def f x = g (x + ¦1)     1, then x + 1, then (x + 1), then g (x + 1), then the declaration, then the file
//! ```

use crate::answer::Answer;
use crate::state::{Document, State};
use fehu_base::{FileId, Span};
use fehu_syntax::visit::each;
use serde_json::{json, Value};

/// For each place, the ranges around it.
pub(super) fn ranges(state: &State, document: &Document, params: &Value) -> Answer {
    let text = &document.text.text;
    let words = fehu_syntax::tokens(FileId(0), text);
    let parsed = fehu_syntax::parse(FileId(0), text);
    let mut parts: Vec<Span> = words.into_iter().map(|t| t.span).collect();
    each(&parsed.prog.decs, &mut |node| parts.push(node.span()));
    parts.push(Span::new(FileId(0), 0, text.len() as u32));
    let positions = params["positions"].as_array().into_iter().flatten();
    Ok(positions.map(|p| around(state, document, &parts, document.text.offset(p, state.encoding))).collect())
}

/// The parts around a place, each with the next larger one.
fn around(state: &State, document: &Document, parts: &[Span], offset: usize) -> Value {
    let covers = |s: &&Span| s.lo as usize <= offset && offset <= s.hi as usize;
    let mut around: Vec<&Span> = parts.iter().filter(covers).collect();
    // Of two words that meet here, the second one.
    around.sort_by_key(|s| (s.hi - s.lo, std::cmp::Reverse(s.lo)));
    let mut chain: Vec<&Span> = vec![];
    for part in around {
        if chain.last().is_none_or(|s| *s != part && part.lo <= s.lo && s.hi <= part.hi) {
            chain.push(part);
        }
    }
    let with_parent = |parent: Option<Value>, s: &&Span| {
        let range = document.text.range(s.lo as usize, s.hi as usize, state.encoding);
        Some(match parent {
            None => json!({"range": range}),
            Some(parent) => json!({"range": range, "parent": parent}),
        })
    };
    chain.iter().rev().fold(None, with_parent).unwrap_or_default()
}
