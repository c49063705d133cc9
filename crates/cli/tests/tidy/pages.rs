//! Pages stay short enough to be read: lines of a page, columns of a line, lines in all; and their links lead
//! somewhere.
//!
//! Pages are the documents of the root and of `docs`. Not counted are those that are made by a command or a
//! test (`docs/results`, `docs/commands.md`), tables between `<!-- table: NAME -->` and `<!-- end of table
//! -->`, and the notes of `notebook`, which are not edited after their day.

use super::{read, root};
use std::path::{Path, PathBuf};

/// The lines of all pages.
const MAX_LINES_IN_ALL: usize = 2600;

/// Pages of the tour of the language, which are not counted: people need not read them to use the compiler.
fn is_of_tour(name: &str) -> bool {
    name.starts_with("docs/tour/") || name == "docs/guide/derivatives.md"
}

/// The lines of a page, of one of the tour, and those of pages that have a limit of their own.
const MAX_LINES: usize = 300;
const MAX_LINES_OF_TOUR: usize = 200;
const LIMITS: [(&str, usize, &str); 2] = [
    ("docs/ir.md", 750, "the reference of all representations, whose examples a test reads"),
    ("ARCHITECTURE.md", 120, "what a newcomer reads first"),
];

/// The lines of a release in CHANGELOG.md.
const MAX_LINES_OF_A_RELEASE: usize = 40;

const MAX_COLUMNS: usize = 120;

/// Pages with longer lines, and why.
const WIDE: [(&str, &str); 1] = [("docs/ir.md", "lines of examples are as the printer prints them")];

/// The pages that people write, by their names.
fn pages() -> Vec<(String, String)> {
    let mut names: Vec<String> = vec![];
    for folder in ["", "docs", "docs/guide", "docs/tour"] {
        for path in markdown(&root().join(folder)) {
            let file = path.file_name().expect("a file").to_string_lossy().into_owned();
            names.push(if folder.is_empty() { file } else { format!("{folder}/{file}") });
        }
    }
    names.retain(|name| name != "docs/commands.md");
    assert!(names.len() > 20, "pages are found: {names:?}");
    names.into_iter().map(|name| (name.clone(), written(&read(&root().join(&name))))).collect()
}

fn markdown(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "md")).collect();
    files.sort();
    files
}

/// A page without the tables that a command has put there.
fn written(text: &str) -> String {
    let mut parts = text.split("<!-- table: ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += part.split_once("<!-- end of table -->").expect("the end of a table").1;
    }
    out
}

#[test]
fn pages_are_short() {
    let mut all = 0;
    for (name, text) in pages() {
        let lines = text.lines().count();
        let usual = if is_of_tour(&name) { MAX_LINES_OF_TOUR } else { MAX_LINES };
        let limit = LIMITS.iter().find(|(page, ..)| *page == name).map_or(usual, |(_, limit, _)| *limit);
        assert!(lines <= limit, "{name} has {lines} lines, of at most {limit}: figures go to a note");
        all += if is_of_tour(&name) { 0 } else { lines };
    }
    assert!(all <= MAX_LINES_IN_ALL, "all pages have {all} lines, of at most {MAX_LINES_IN_ALL}");
}

#[test]
fn lines_of_pages_are_short() {
    for (name, text) in pages() {
        if WIDE.iter().any(|(page, _)| *page == name) {
            continue;
        }
        for (at, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            assert!(columns <= MAX_COLUMNS, "{name}, line {}: {columns} columns: {line}", at + 1);
        }
    }
}

#[test]
fn releases_are_short() {
    let text = read(&root().join("CHANGELOG.md"));
    for release in text.split("\n## ").skip(1) {
        let lines = release.lines().count();
        let name = release.lines().next().unwrap_or_default();
        assert!(
            lines <= MAX_LINES_OF_A_RELEASE,
            "{name} has {lines} lines, of at most {MAX_LINES_OF_A_RELEASE}"
        );
    }
}

/// Also of notes and of generated pages. Program text has brackets and parentheses, too, and is left out.
#[test]
fn links_of_pages_lead_somewhere() {
    let mut checked = 0;
    for folder in ["", "docs", "docs/guide", "docs/tour", "docs/results", "notebook", "bench", "editors"] {
        let folder = root().join(folder);
        for page in markdown(&folder) {
            let text = read(&page);
            let prose: String = text.split("```").step_by(2).flat_map(|p| p.split('`').step_by(2)).collect();
            for link in prose.split("](").skip(1) {
                let target = link.split([')', '#']).next().unwrap_or_default();
                if target.is_empty() || target.starts_with("https://") || target.starts_with("http://") {
                    continue;
                }
                assert!(folder.join(target).exists(), "{} leads to {target}", page.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "links are found: {checked}");
}
