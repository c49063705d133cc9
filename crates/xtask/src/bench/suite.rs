//! The table of programs, `suite.txt`: a line with a program's name and its entry points, then indented lines.
//! Programs that belong together in tables follow a line with `==` and their title.
//!
//! ```text
//! == Ten programs
//! tridag main scans
//!   tolerance 1e-3
//!   data small [7][19]f32@-1:1 ...
//!   huge large [65536][256]f32@-1:1 ...
//! ```
//!
//! `data`, `huge` and `cpu` name a set and describe its values (see `makers`); `file:NAME` stands for all
//! values of a file in the published folder, `file:NAME+WORD` replaces its first values. `tolerance` and
//! `absolute` say how far answers may be apart, `strays` which part of the elements may be farther.

use super::values::Tolerance;
use std::path::Path;

/// What holds for programs that say nothing else.
const USUAL: Tolerance = Tolerance { relative: 2e-3, absolute: 0.0, strays: 0.0 };

/// One program on one data set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    /// Where it stands in tables: the case's number, and the title that it belongs under.
    pub(crate) place: (usize, String),
    /// The program's file name without `.fut`.
    pub(crate) program: String,
    /// Entry points, all of which compute the same.
    pub(crate) entries: Vec<String>,
    /// The data set's name.
    pub(crate) set: String,
    /// The words that describe its values.
    pub(crate) words: Vec<String>,
    /// Which machines the set is for.
    pub(crate) size: Size,
    /// How far answers may be apart.
    pub(crate) tolerance: Tolerance,
}

/// Which machines a set is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Size {
    /// All of them.
    Any,
    /// CPUs: a GPU would have nothing to do.
    Cpu,
    /// GPUs: a CPU would take minutes.
    Huge,
}

impl Case {
    /// The case's name in tables.
    pub(crate) fn title(&self, entry: &str) -> String {
        if entry == "main" {
            format!("{} {}", self.program, self.set)
        } else {
            format!("{}:{entry} {}", self.program, self.set)
        }
    }

    /// The file in the published folder that the set comes from, and the words that replace its first values.
    pub(crate) fn published_file(&self) -> Option<(&str, Vec<&str>)> {
        let file = self.words.first()?.strip_prefix("file:")?;
        let mut parts = file.split('+');
        Some((parts.next()?, parts.collect()))
    }

    /// What the random values of argument number `i` depend on.
    pub(crate) fn seed(&self, i: usize) -> String {
        format!("{}/{}/{i}", self.program, self.set)
    }

    /// Whether the set is stored in the repository with its answers and run as a test: its name starts with `small`.
    pub(crate) fn is_test(&self) -> bool {
        self.set.starts_with("small")
    }

    /// Whether the published folder is needed.
    pub(crate) fn is_published(&self) -> bool {
        self.published_file().is_some()
    }
}

/// The whole table.
pub(crate) struct Suite {
    /// In the table's order.
    pub(crate) cases: Vec<Case>,
}

impl Suite {
    /// Read `suite.txt` in a folder.
    pub(crate) fn read(folder: &Path) -> Result<Suite, String> {
        let path = folder.join("suite.txt");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Suite::parse(&text).map_err(|e| format!("{}:{e}", path.display()))
    }

    fn parse(text: &str) -> Result<Suite, String> {
        let mut cases = Vec::new();
        let mut program: Option<(String, Vec<String>)> = None;
        let mut title = String::new();
        let mut tolerance = USUAL;
        for (i, line) in text.lines().enumerate() {
            let bad = |what: &str| format!("{}: {what}: {line}", i + 1);
            let line = line.split('#').next().unwrap_or_default();
            if let Some(next) = line.strip_prefix("==") {
                title = next.trim().to_owned();
                continue;
            }
            let mut words = line.split_whitespace().map(str::to_owned);
            let Some(first) = words.next() else { continue };
            if !line.starts_with(' ') {
                let entries: Vec<String> = words.collect();
                let entries = if entries.is_empty() { vec!["main".into()] } else { entries };
                program = Some((first, entries));
                tolerance = USUAL;
                continue;
            }
            let (program, entries) = program.clone().ok_or_else(|| bad("no program before this line"))?;
            match first.as_str() {
                "tolerance" | "absolute" | "strays" => {
                    let number =
                        words.next().and_then(|w| w.parse().ok()).ok_or_else(|| bad("expected a number"))?;
                    match first.as_str() {
                        "strays" => tolerance.strays = number,
                        "absolute" => tolerance.absolute = number,
                        _ => tolerance.relative = number,
                    }
                }
                "data" | "huge" | "cpu" => {
                    let set = words.next().ok_or_else(|| bad("expected a name"))?;
                    let size = match first.as_str() {
                        "huge" => Size::Huge,
                        "cpu" => Size::Cpu,
                        _ => Size::Any,
                    };
                    let words = words.collect();
                    let place = (cases.len(), title.clone());
                    cases.push(Case { place, program, entries, set, words, size, tolerance });
                }
                _ => return Err(bad("unknown line")),
            }
        }
        Ok(Suite { cases })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{makers, values};
    use super::*;

    #[test]
    fn the_table() {
        let text = "== First\na main other # both\n  tolerance 0.1\n  data small 1i32 [2]f32\nb\n  huge big file:b/big.in+500i32\n";
        let cases = Suite::parse(text).map(|s| s.cases).unwrap_or_default();
        assert_eq!(cases.len(), 2);
        assert_eq!(cases[0].entries, ["main", "other"]);
        assert_eq!(cases[1].place, (1, "First".to_owned()));
        assert_eq!(cases[0].words, ["1i32", "[2]f32"]);
        assert!(cases[1].size == Size::Huge && cases[1].tolerance.relative < 0.01);
        assert_eq!(cases[1].published_file(), Some(("b/big.in", vec!["500i32"])));
        assert!(Suite::parse("  data small").is_err() && Suite::parse("a\n  nonsense").is_err());
    }

    #[test]
    fn stored_tests_are_what_the_real_table_describes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
        let cases = Suite::read(&folder).map(|s| s.cases).unwrap_or_default();
        assert!(!cases.is_empty());
        for case in cases.iter().filter(|c| c.is_test()) {
            let mut bytes = Vec::new();
            for (i, word) in case.words.iter().enumerate() {
                let value =
                    makers::make(word, &case.seed(i)).unwrap_or_else(|e| panic!("{}: {e}", case.program));
                values::write(&value, &mut bytes);
            }
            let stored = folder.join("data").join(&case.program).join(format!("{}.in", case.set));
            let same = std::fs::read(&stored).is_ok_and(|stored| stored == bytes);
            assert!(same, "{} is out of date: run cargo xtask bench bless", stored.display());
            assert!(
                stored.with_extension("out").exists()
                    && folder.join(format!("{}.fut", case.program)).exists()
            );
        }
    }
}
