//! Results of measurements as pages.
//!
//! In: `bench/results/*.tsv`. Out: a page for each in `docs/results`, a list of them all there, and the parts
//! of other pages that stand between `<!-- table: NAME -->` and `<!-- end of table -->`, where NAME is that
//! of a results file, or `means` for the geometric means of all contests. A test fails while a page says
//! anything else.
//!
//! A results file begins with lines `# KEY: VALUE`: `title`, `date`, `commit` and `machine`, and as often as
//! needed `command` (how to repeat it) and `text` (what to know of it). The table follows, its cells
//! separated by tabs. With `# kind: contest` it has a row for each time, which `contest.rs` puts side by
//! side; `cargo xtask bench` writes such a file, `results.tsv`, in which title, date, commit and machine are
//! to be filled in.

mod contest;

pub(crate) use contest::COLUMNS;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `tables`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The root of the repository.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// Write nothing; fail if a page is not what the results give.
    #[arg(long)]
    check: bool,
}

/// Do what the command line asks.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let mut stale = 0;
    for (path, text) in pages(&args.root)? {
        if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        stale += 1;
        println!("{}", path.display());
        if !args.check {
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(if args.check && stale > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A results file.
struct Results {
    name: String,
    keys: Vec<(String, String)>,
    rows: Vec<Vec<String>>,
}

impl Results {
    fn parse(name: &str, text: &str) -> Result<Self, String> {
        let (head, table): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with("# "));
        let key = |line: &str| {
            let (key, value) = line[2..].split_once(": ")?;
            Some((key.to_owned(), value.to_owned()))
        };
        let keys = head.into_iter().map(|l| key(l).ok_or_else(|| format!("{name}: not `# KEY: VALUE`: {l}")));
        let rows: Vec<Vec<String>> =
            table.into_iter().map(|l| l.split('\t').map(str::to_owned).collect()).collect();
        let results = Results { name: name.to_owned(), keys: keys.collect::<Result<_, _>>()?, rows };
        for key in ["title", "date", "commit", "machine"] {
            results.one(key)?;
        }
        let columns = results.rows.first().map_or(0, Vec::len);
        match results.rows.iter().find(|r| r.len() != columns) {
            Some(row) => Err(format!("{name}: a row does not have {columns} cells: {}", row.join(" "))),
            None => Ok(results),
        }
    }

    /// The values of a key that may be there several times, or not at all.
    fn all(&self, key: &str) -> Vec<&str> {
        self.keys.iter().filter(|(k, _)| k == key).map(|(_, value)| value.as_str()).collect()
    }

    fn one(&self, key: &str) -> Result<&str, String> {
        self.all(key).first().copied().ok_or_else(|| format!("{}: no line `# {key}: ...`", self.name))
    }

    fn is_contest(&self) -> bool {
        self.all("kind").contains(&"contest")
    }

    /// When, with which commit and where it was measured.
    fn origin(&self) -> Result<String, String> {
        let commit = self.one("commit")?;
        let hash = commit.len() >= 7 && commit.chars().all(|c| c.is_ascii_hexdigit());
        let commit = if hash { format!("`{commit}`") } else { commit.to_owned() };
        Ok(format!("{}; commit: {commit}; {}", self.one("date")?, self.one("machine")?))
    }

    fn table(&self) -> Result<String, String> {
        if self.is_contest() {
            return contest::table(self);
        }
        let Some((head, rows)) = self.rows.split_first() else { return Ok(String::new()) };
        // Numbers are aligned at the right: columns most of whose cells begin with a digit.
        let numbers = |at: usize| {
            let full: Vec<&str> = rows.iter().map(|r| r[at].as_str()).filter(|c| !c.is_empty()).collect();
            let digits = full.iter().filter(|c| c.starts_with(|c: char| c.is_ascii_digit())).count();
            at > 0 && 2 * digits > full.len()
        };
        let rules: Vec<&str> = (0..head.len()).map(|at| if numbers(at) { "---:" } else { "---" }).collect();
        let mut out = format!("| {} |\n| {} |\n", head.join(" | "), rules.join(" | "));
        for row in rows {
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
        Ok(out)
    }

    fn page(&self) -> Result<String, String> {
        let mut out = format!("# {}\n\n{}.\n\n", self.one("title")?, self.origin()?);
        for text in self.all("text") {
            let _ = writeln!(out, "{text}\n");
        }
        let commands = self.all("command");
        if !commands.is_empty() {
            let _ = writeln!(out, "```\n{}\n```\n", commands.join("\n"));
        }
        out += &self.table()?;
        for picture in self.all("picture") {
            let _ = writeln!(out, "\n![{}](../{picture})", self.one("title")?);
        }
        let _ = writeln!(out, "\nGenerated by `cargo xtask tables` from `bench/results/{}.tsv`.", self.name);
        Ok(out)
    }
}

/// All pages that results are in, and what they must be.
fn pages(root: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    let folder = root.join("bench/results");
    let mut all: BTreeMap<String, Results> = BTreeMap::new();
    for path in files(&folder, "tsv")? {
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let results = Results::parse(&name, &read(&path)?)?;
        all.insert(name, results);
    }
    let out = root.join("docs/results");
    let mut pages = vec![];
    for (name, results) in &all {
        pages.push((out.join(format!("{name}.md")), results.page()?));
    }
    pages.push((out.join("README.md"), list(&all)?));
    let mut others = files(&root.join("docs"), "md")?;
    others.push(root.join("README.md"));
    for path in others {
        let text = read(&path)?;
        if let Some(new) = filled(&text, &all).map_err(|e| format!("{}: {e}", path.display()))? {
            pages.push((path, new));
        }
    }
    Ok(pages)
}

/// The list of all results.
fn list(all: &BTreeMap<String, Results>) -> Result<String, String> {
    let mut out =
        String::from("# Results\n\n| what | date | commit | machine |\n| --- | --- | --- | --- |\n");
    for (name, results) in all {
        let [title, date, commit, machine] =
            [results.one("title")?, results.one("date")?, results.one("commit")?, results.one("machine")?];
        let _ = writeln!(out, "| [{title}]({name}.md) | {date} | {commit} | {machine} |");
    }
    out +=
        "\nNumbers compare only within one table. Generated by `cargo xtask tables` from `bench/results/`.\n";
    Ok(out)
}

const BEGIN: &str = "<!-- table: ";
const END: &str = "<!-- end of table -->";

/// A page with its tables as they must be, if it has any.
fn filled(text: &str, all: &BTreeMap<String, Results>) -> Result<Option<String>, String> {
    let mut parts = text.split(BEGIN);
    let mut out = parts.next().unwrap_or_default().to_owned();
    let mut any = false;
    for part in parts {
        any = true;
        let (name, rest) = part.split_once(" -->").ok_or("a table without a name")?;
        let (_, after) = rest.split_once(END).ok_or_else(|| format!("no end of the table {name}"))?;
        let table = match (name, all.get(name)) {
            ("means", _) => contest::means(all.values())?,
            (_, Some(results)) => {
                format!("{}\n{}.\n", results.table()?, results.origin()?)
            }
            (_, None) => return Err(format!("there are no results called {name}")),
        };
        let _ = write!(out, "{BEGIN}{name} -->\n\n{table}\n{END}{after}");
    }
    Ok(any.then_some(out))
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_say_what_the_results_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let pages = pages(&root).expect("results are in order");
        assert!(pages.len() > 20, "pages are found: {}", pages.len());
        for (path, text) in &pages {
            let old = read(path).expect("a page");
            assert!(old == *text, "{}: run `cargo xtask tables`", path.display());
        }
        let generated = files(&root.join("docs/results"), "md").expect("a folder");
        let orphan = generated.iter().find(|file| !pages.iter().any(|(path, _)| path == *file));
        assert_eq!(orphan, None, "a page without results");
    }

    const PLAIN: &str =
        "# title: T\n# date: 2026-01-02\n# commit: 0123456\n# machine: M\nwork\tus\na\t1,000\nb\t\n";

    #[test]
    fn a_table_is_put_into_a_page() {
        let all = BTreeMap::from([("x".to_owned(), Results::parse("x", PLAIN).expect("results"))]);
        let page = "A.\n<!-- table: x -->\nold\n<!-- end of table -->\nB.\n";
        let new = filled(page, &all).expect("a page").expect("with a table");
        let table =
            "| work | us |\n| --- | ---: |\n| a | 1,000 |\n| b |  |\n\n2026-01-02; commit: `0123456`; M.\n";
        assert_eq!(new, format!("A.\n<!-- table: x -->\n\n{table}\n<!-- end of table -->\nB.\n"));
        assert_eq!(filled(&new, &all).expect("a page").as_deref(), Some(new.as_str()));
        assert_eq!(filled("no table", &all), Ok(None));
        assert!(filled("<!-- table: y --><!-- end of table -->", &all).is_err());
    }

    #[test]
    fn mistakes_in_results_are_named() {
        let missing = Results::parse("x", "# title: T\na\tb\n").err().expect("no date");
        assert_eq!(missing, "x: no line `# date: ...`");
        let short = Results::parse("x", &format!("{PLAIN}c\n")).err().expect("a cell is missing");
        assert!(short.contains("does not have 2 cells"), "{short}");
    }
}
