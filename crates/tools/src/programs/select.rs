//! Which data sets of a program to run.

use fehu_data::spec::{Action, EntrySpec, Expected, TestRun};
use fehu_data::ProgramSpec;
use fehu_driver::files::read_source;
use std::path::Path;

/// What to leave out.
#[derive(Clone, Debug)]
pub(crate) struct Selection<'a> {
    /// The name of the back end: `no_NAME` is left out.
    pub(crate) backend: &'a str,
    /// Further tags to leave out.
    pub(crate) exclude: &'a [String],
    /// Only this entry point.
    pub(crate) entry_point: Option<&'a str>,
    /// A file with test blocks that hold instead of the program's own.
    pub(crate) spec_file: Option<&'a Path>,
}

impl Selection<'_> {
    /// The data sets to measure, by entry point: those that must succeed.
    pub(crate) fn of(&self, program: &Path) -> Result<Vec<EntrySpec>, String> {
        let read =
            |path: &Path| read_source(path).map_err(|e| format!("could not read {}: {e}", path.display()));
        let (place, text) = match self.spec_file {
            None => (program, read(program)?),
            Some(file) => (file, as_comments(&read(file)?)),
        };
        let spec = ProgramSpec::parse(&text)
            .map_err(|e| format!("the test block of {} cannot be read: {e}", place.display()))?
            .unwrap_or_default();
        Ok(self.filter(spec))
    }

    fn filter(&self, spec: ProgramSpec) -> Vec<EntrySpec> {
        let mut entries: Vec<EntrySpec> = vec![];
        let Action::Run(run) = spec.action else { return entries };
        if spec.tags.iter().any(|t| self.excluded(t)) {
            return entries;
        }
        for mut entry in run.entries {
            if self.entry_point.is_some_and(|name| name != entry.entry) {
                continue;
            }
            entry.runs.retain(|run| self.wanted(run));
            // An entry point may have several blocks.
            match entries.iter_mut().find(|e| e.entry == entry.entry) {
                Some(earlier) => earlier.runs.extend(entry.runs),
                None => entries.push(entry),
            }
        }
        entries.retain(|e| !e.runs.is_empty());
        entries
    }

    fn wanted(&self, run: &TestRun) -> bool {
        let succeeds = match run.expected {
            Expected::Error(_) => false,
            Expected::Success | Expected::Values(_) | Expected::File(_) | Expected::Auto => true,
        };
        succeeds && !run.tags.iter().any(|t| self.excluded(t))
    }

    fn excluded(&self, tag: &String) -> bool {
        tag == "nobench"
            || tag == "disable"
            || tag.strip_prefix("no_") == Some(self.backend)
            || self.exclude.contains(tag)
    }
}

/// Test blocks in a file of their own are not comments.
fn as_comments(text: &str) -> String {
    text.lines().map(|line| format!("-- {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, selection: &Selection) -> Vec<String> {
        let spec = ProgramSpec::parse(text).expect("a block").unwrap_or_default();
        selection
            .filter(spec)
            .iter()
            .flat_map(|e| e.runs.iter().map(|r| format!("{} {}", e.entry, r.dataset_name())))
            .collect()
    }

    const ALL: Selection = Selection { backend: "c", exclude: &[], entry_point: None, spec_file: None };

    #[test]
    fn only_data_sets_that_can_be_measured() {
        let text = "-- ==\n-- entry: f g\n-- \"a\" input { 1 }\n-- \"b\" nobench input { 1 }\n\
                    -- \"c\" no_c input { 1 }\n-- \"d\" input { 1 } error: x\n\n\
                    -- ==\n-- entry: f\n-- \"e\" compiled input { 1 }\n";
        assert_eq!(names(text, &ALL), ["f a", "f e", "g a"]);
        assert_eq!(names(text, &Selection { backend: "cuda", ..ALL }), ["f a", "f c", "f e", "g a", "g c"]);
        let exclude = ["compiled".to_owned()];
        let selection = Selection { exclude: &exclude, entry_point: Some("f"), ..ALL };
        assert_eq!(names(text, &selection), ["f a"]);
        assert!(names("-- ==\n-- tags { disable }\n-- input { 1 }\n", &ALL).is_empty());
        assert!(names("-- ==\n-- error: x\n", &ALL).is_empty());
    }

    #[test]
    fn blocks_in_their_own_file() {
        let text = as_comments("A spec\n==\nentry: f\n\"a\" input { 1 }\n\"b\" input { 2 }\n");
        assert_eq!(names(&text, &ALL), ["f a", "f b"]);
    }
}
