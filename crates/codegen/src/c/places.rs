//! The places of the program that errors and profiles name, with the calls that led there.
//!
//! A place is an index into a table of the text, whose entries are a position and the place of the call.
//! Inlining leaves many statements with most of their calls in common, so each call is in the table once:
//!
//! ```text
//! static const char *const place_texts[] = {"f.fut:1:9-14", "f.fut:7:3-9", "f.fut:8:3-9"};
//! static const int places[][2] = {{1, -1}, {0, 0}, {2, -1}, {0, 2}};     // {position, place of the call}
//! ```

use super::literal;
use indexmap::IndexSet;

/// All places that have been named.
#[derive(Default)]
pub(crate) struct Places {
    texts: IndexSet<String>,
    places: IndexSet<(usize, Option<usize>)>,
}

impl Places {
    /// The index of a place, whose positions are given innermost first.
    pub(crate) fn index(&mut self, positions: Vec<String>) -> Option<usize> {
        positions.into_iter().rev().fold(None, |caller, text| {
            let text = self.texts.insert_full(text).0;
            Some(self.places.insert_full((text, caller)).0)
        })
    }

    /// The table, and the function by which the runtime reads it.
    pub(crate) fn table(&self) -> String {
        const IN_LINE: usize = 12;
        let mut out = String::from("static const char *const place_texts[] = {\n");
        for text in &self.texts {
            out.push_str(&format!("{},\n", literal::string(text)));
        }
        out.push_str("\"\"};\nstatic const int places[][2] = {\n");
        let entries: Vec<String> = self.places.iter().map(|(text, call)| entry(*text, *call)).collect();
        for line in entries.chunks(IN_LINE) {
            out.push_str(&line.concat());
            out.push('\n');
        }
        out.push_str(
            "{-1, -1}};\n\nstatic const char *place_text(int place, int *caller) {\n  \
             *caller = places[place][1];\n  return place_texts[places[place][0]];\n}\n\n",
        );
        out
    }
}

fn entry(text: usize, caller: Option<usize>) -> String {
    format!("{{{text},{}}},", caller.map_or(-1, |c| c as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_common_are_in_the_table_once() {
        let mut places = Places::default();
        let trace = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect();
        assert_eq!(places.index(trace(&["a", "f", "main"])), Some(2));
        assert_eq!(places.index(trace(&["b", "f", "main"])), Some(3));
        assert_eq!(places.index(trace(&["a", "f", "main"])), Some(2));
        assert_eq!(places.index(vec![]), None);
        assert!(places.table().contains("{{0,-1},{1,0},{2,1},{3,1},".replacen("{{", "{", 1).as_str()));
    }
}
