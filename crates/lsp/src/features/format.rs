//! Formatting: as `fehu fmt` writes the text, in edits of the lines that differ.
//!
//! ```text
//! def f x = x         a selection in the second line changes that line alone
//! def g   x = f x     def g x = f x
//! ```

use crate::answer::Answer;
use crate::state::{Document, State};
use crate::trial::edited;
use fehu_base::FileId;
use serde_json::{json, Value};
use similar::{Algorithm, DiffTag, TextDiff};
use std::ops::Range;
use std::time::Duration;

/// How long the shortest edits are looked for; longer ones do as well.
const SEARCH: Duration = Duration::from_millis(100);

/// Lines that are replaced: their bytes, and the text for them.
type Edit = (usize, usize, String);

/// All of the text.
pub(super) fn whole(state: &State, document: &Document, _: &Value) -> Answer {
    Ok(shown(state, document, &edits(&document.text.text)?))
}

/// The selected lines, and others only if these cannot be changed without them.
pub(super) fn range(state: &State, document: &Document, params: &Value) -> Answer {
    let text = &document.text.text;
    let at = |end: &str| document.text.offset(&params["range"][end], state.encoding);
    let edits = edits(text)?;
    let mut chosen = touched(&edits, at("start")..at("end"));
    let changes =
        |edits: &[Edit]| fehu_fmt::same_program(FileId(0), text, &edited(text.clone(), edits)).is_err();
    // A word may move from one changed line to another one.
    while chosen != (0..edits.len()) && changes(&edits[chosen.clone()]) {
        chosen = chosen.start.saturating_sub(1)..edits.len().min(chosen.end + 1);
    }
    Ok(shown(state, document, &edits[chosen]))
}

/// The edits in a part of the text, which may be empty; they are in order.
fn touched(edits: &[Edit], part: Range<usize>) -> Range<usize> {
    let first = edits.partition_point(|(lo, hi, _)| *hi <= part.start && *lo < part.start);
    let last = edits.partition_point(|(lo, ..)| *lo < part.end || *lo == part.start);
    first..last.max(first)
}

/// What formatting changes, line by line.
fn edits(text: &str) -> Result<Vec<Edit>, String> {
    let formatted = fehu_fmt::format(FileId(0), text)
        .map_err(|_| "a file with syntax errors cannot be formatted".to_owned())?;
    let found = differences(text, &formatted);
    // Whoever formats must not lose text, whatever the differences are worth.
    let right = edited(text.to_owned(), &found) == formatted;
    Ok(if right { found } else { vec![(0, text.len(), formatted)] })
}

/// The lines that differ in two texts.
fn differences(text: &str, formatted: &str) -> Vec<Edit> {
    let diff =
        TextDiff::configure().algorithm(Algorithm::Patience).timeout(SEARCH).diff_lines(text, formatted);
    let (old, new) = (starts(diff.iter_old_slices()), starts(diff.iter_new_slices()));
    let mut edits = vec![];
    for op in diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (lines, others) = (op.old_range(), op.new_range());
        let with = formatted.get(new[others.start]..new[others.end]).unwrap_or("");
        edits.push((old[lines.start], old[lines.end], with.to_owned()));
    }
    edits
}

/// Where each line starts, and where the last one ends.
fn starts<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let ends = lines.scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

fn shown(state: &State, document: &Document, edits: &[Edit]) -> Value {
    let one = |(lo, hi, new): &Edit| json!({"range": document.text.range(*lo, *hi, state.encoding), "newText": new});
    Value::Array(edits.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The algorithm for differences once had them in the wrong order here: the editor's text was broken, and a
    /// selection was never answered.
    #[test]
    fn edits_make_the_formatted_text() {
        let text = [
            "",
            "entry deep_updated [n][m][k] (xsss: [n][m][k]i32) =",
            r"  map (\xss -> let yss = flatten (copy xss)",
            "               in (t, old)) xsss |> unzip",
            r"entry copies [n] (xs: [n]i64) (k: i64) = map (\x -> replicate k x) xs",
            r"entry progressions [n] (xs: [n]i64) (k: i64) = map (\x -> (iota k, map (* 2) (iota k), (x..<x + 3) :> [3]i64)) (map (% 100) xs)",
            r"  map (\r -> let e = (take (m / 2) r ++ drop (m / 2) r) :> [m]i32",
            "             in (map2 (+) e r, i32.sum f)) rows |> unzip",
            r"  map (\r -> let is = (map (+ 1) (iota (m / 2)) ++ iota (m - m / 2)) :> [m]i64",
            "             in reduce_by_index (copy r) (+) 0 is vs) rows",
            "",
            "def up [k] (q: i64) (r: i64) (v: *[2 ** k]f64) : *[2 ** k]f64 =",
            "  let n = r - q",
            "  in flatten (transpose (map row rows)) :> *[2 ** k]f64",
        ]
        .join("\n");
        let formatted = fehu_fmt::format(FileId(0), &text).expect("no syntax errors");
        assert_eq!(edited(text.clone(), &edits(&text).expect("edits")), formatted);
        assert_eq!(edited(text.clone(), &differences(&text, &formatted)), formatted);
    }
}
