//! The names of a kernel's own: numbered from 0 on in the order in which its text mentions them, so that kernels
//! that do the same have the same text.
//!
//! ```text
//! int64_t t_8231 = n_2076 * 2;   ->   int64_t t_0 = n_1 * 2;
//! ```

use crate::c::context::Context;
use fehu_base::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// The text with its own names numbered anew. `global` has the names that belong to the whole text.
pub(super) fn renumbered(context: &Context, text: &str, global: &FxHashSet<Name>) -> String {
    let mut numbers: FxHashMap<Name, usize> = FxHashMap::default();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_word(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        out.push_str(before);
        match own_name(context, word).filter(|(name, _)| !global.contains(name)) {
            Some((name, identifier)) => {
                let next = numbers.len();
                let number = *numbers.entry(name).or_insert(next);
                out.push_str(identifier.trim_end_matches(|c: char| c.is_ascii_digit()));
                out.push_str(&number.to_string());
                out.push_str(&word[identifier.len()..]);
            }
            None => out.push_str(word),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The name that a word begins with, whose identifier is all of the word, or all but an ending as in `xs_5_p`.
fn own_name<'a>(context: &Context, word: &'a str) -> Option<(Name, &'a str)> {
    if !word.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let is_name = |identifier: &'a str| {
        let number = &identifier[identifier.rfind('_')? + 1..];
        let name = Name(number.parse().ok()?);
        context.is_name(name, identifier).then_some((name, identifier))
    };
    is_name(word).or_else(|| is_name(&word[..word.rfind('_')?]))
}
