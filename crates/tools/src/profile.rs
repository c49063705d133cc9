//! `fehu profile`: where the time of a program goes, for people and browsers.
//!
//! In: what `fehu bench --profile --json` wrote, or a single report of a
//! program. Out: a folder `NAME.prof` beside it with, for each data set:
//!
//! - `X.summary`: memory, and time by operation and by source line;
//! - `X.timeline`: every event in order;
//! - `X.log`: what the program logged;
//! - `X-index.html` and pages for the source files, with the time of each line;
//! - `X.trace.json`, if it is asked for: the events as other viewers read them.
//!
//! A single program's files are in the folder itself; several programs have folders of their own, and so have entry
//! points other than `main`. The first page, `index.html`, links to all data sets.

mod html;
mod pictures;
mod report;
mod stacks;
mod tables;
mod text;
mod trace;

use crate::bench::results::{read_json, Outcome, Results};
use fehu_driver::files::Batch;
use report::Report;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tables::Tables;

/// What else to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traces {
    /// Nothing.
    None,
    /// Traces for other viewers.
    Written,
}

/// What was made of a file.
#[derive(Debug)]
pub struct Profiled {
    /// The folder.
    pub folder: PathBuf,
    /// For each data set, what to say of it on a terminal.
    pub summaries: Vec<String>,
    /// Data sets without profiles.
    pub notes: Vec<String>,
}

/// How many lines are shown on terminals.
const TOP: usize = 10;

/// Makes the folder for one file.
pub fn profile(json: &Path, traces: Traces) -> Result<Profiled, String> {
    let value = read_json(json)?;
    let mut maker = Maker {
        batch: Batch::default(),
        folder: json.with_extension("prof"),
        traces,
        entries: vec![],
        summaries: vec![],
    };
    let mut notes = vec![];
    if let Some(results) = Results::from_json(&value) {
        let places = places(&results);
        for ((program, datasets), place) in results.programs.iter().zip(places) {
            for (dataset, outcome) in datasets {
                let measured = match outcome {
                    Outcome::Failed(_) => {
                        notes.push(format!("{program}, {dataset}: failed, so there is no profile"));
                        continue;
                    }
                    Outcome::Measured(measured) => measured,
                };
                let Some(report) = measured.profiling.as_ref().and_then(Report::from_json) else {
                    notes.push(format!("{program}, {dataset}: no profile; run `fehu bench` with --profile"));
                    continue;
                };
                let of = Of { program, dataset, place: &place };
                maker.write(&of, &report, measured.log.as_deref())?;
            }
        }
    } else {
        let report = Report::from_json(&value).ok_or_else(|| {
            format!("{} is neither a result of `fehu bench --json` nor a report", json.display())
        })?;
        let name = json.file_stem().map_or("report".into(), |n| n.to_string_lossy().into_owned());
        let of = Of { program: "", dataset: &name, place: Path::new("") };
        maker.write(&of, &report, None)?;
    }
    maker.batch.folder(&maker.folder)?;
    maker.batch.file(&maker.folder.join("index.html"), html::first_page(&maker.entries))?;
    maker.batch.finish()?;
    Ok(Profiled { folder: maker.folder, summaries: maker.summaries, notes })
}

/// A data set.
struct Of<'a> {
    program: &'a str,
    dataset: &'a str,
    /// Its folder, within that of all.
    place: &'a Path,
}

/// Makes the files of data sets.
struct Maker {
    batch: Batch,
    folder: PathBuf,
    traces: Traces,
    entries: Vec<html::Entry>,
    summaries: Vec<String>,
}

impl Maker {
    fn write(&mut self, of: &Of, report: &Report, log: Option<&str>) -> Result<(), String> {
        let folder = self.folder.join(of.place);
        let name = file_name(of.dataset);
        let tables = Tables::of(report);
        let sources = sources(report, Path::new(of.program).parent().unwrap_or(Path::new("")));
        self.batch.folder(&folder)?;
        let mut file = |name: String, text: String| self.batch.file(&folder.join(name), text);
        file(format!("{name}.summary"), text::summary(report, &tables))?;
        file(format!("{name}.timeline"), text::timeline(report))?;
        if self.traces == Traces::Written {
            file(format!("{name}.trace.json"), trace::trace(of.dataset, report).to_string())?;
        }
        if let Some(log) = log {
            file(format!("{name}.log"), log.to_owned())?;
        }
        let up = "../".repeat(of.place.components().count());
        for (page, content) in html::pages(&name, &up, report, &tables, &sources) {
            file(page, content)?;
        }
        let line_of = |place: &report::Place| pictures::line_of(&sources, place).to_owned();
        let about = [of.program, of.dataset].join(" ");
        self.summaries.push(format!(
            "{}: {} operations, {}\n{}",
            about.trim(),
            tables.total.count,
            text::time(tables.total.sum),
            text::top(&tables, TOP, line_of)
        ));
        let top = tables.lines.first().map(|(place, cost)| {
            let line = place.as_ref().map_or(String::new(), &line_of);
            (format!("{}  {line}", text::place(place.as_ref())), cost.part_of(&tables.total))
        });
        let page = of.place.join(html::index_of(&name)).display().to_string();
        let (program, dataset) = (of.program.to_owned(), of.dataset.to_owned());
        self.entries.push(html::Entry { program, dataset, page, total: tables.total, top });
        Ok(())
    }
}

/// The texts of all files that events name, as far as they are there.
fn sources(report: &Report, folder: &Path) -> pictures::Sources {
    let files: BTreeSet<String> =
        report.events.iter().flat_map(|event| event.places()).map(|place| place.file).collect();
    let read = |file: &String| {
        let candidates = [PathBuf::from(file), folder.join(file)];
        candidates.iter().find_map(|path| fehu_driver::files::read_source(path).ok())
    };
    let lines = |text: String| text.lines().map(str::to_owned).collect();
    files.into_iter().filter_map(|file| Some((file.clone(), lines(read(&file)?)))).collect()
}

/// The folder of each program, within that of them all.
fn places(results: &Results) -> Vec<PathBuf> {
    // `p.fut` or `p.fut:entry`.
    let split = |key: &str| match key.rsplit_once(".fut:") {
        Some((file, entry)) => (file.to_owned(), Some(entry.to_owned())),
        None => (key.strip_suffix(".fut").unwrap_or(key).to_owned(), None),
    };
    let keys: Vec<(String, Option<String>)> = results.programs.iter().map(|(key, _)| split(key)).collect();
    let common = common_folder(keys.iter().map(|(file, _)| Path::new(file)));
    let single = keys.windows(2).all(|w| w[0].0 == w[1].0);
    keys.iter()
        .map(|(file, entry)| {
            let mut place = PathBuf::new();
            if !single {
                let inner = Path::new(file).strip_prefix(&common).unwrap_or(Path::new(file));
                place.extend(inner.components().filter(|c| matches!(c, std::path::Component::Normal(_))));
            }
            place.extend(entry.as_deref().map(file_name));
            place
        })
        .collect()
}

fn common_folder<'a>(mut files: impl Iterator<Item = &'a Path>) -> PathBuf {
    let first = files.next().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    files.fold(first, |common, file| {
        common.components().zip(file.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    })
}

/// A name that a file can have.
fn file_name(name: &str) -> String {
    name.replace(['/', '\\', '\0'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn places_of(keys: &[&str]) -> Vec<String> {
        let results = Results { programs: keys.iter().map(|k| ((*k).to_owned(), vec![])).collect() };
        places(&results).iter().map(|p| p.display().to_string()).collect()
    }

    #[test]
    fn every_program_has_its_place() {
        assert_eq!(places_of(&["a/p.fut"]), [""]);
        assert_eq!(places_of(&["a/p.fut", "a/p.fut:f"]), ["", "f"]);
        assert_eq!(places_of(&["x/a/p.fut", "x/q.fut:f", "x/q.fut"]), ["a/p", "q/f", "q"]);
        assert_eq!(places_of(&["../p.fut", "/q.fut"]), ["p", "q"]);
    }

    #[test]
    fn files_for_every_data_set() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let source = dir.path().join("p.fut");
        std::fs::write(&source, "entry main = 1\nlet x = 2 < 3\n").expect("written");
        let at = format!("{}:2:9-13", source.display());
        let events =
            json!([{"name": "segmap_1", "duration": 3.5, "provenance": at, "description": "grid 4"}]);
        let profiling = json!({"memory": {"device": 2_000_000}, "events": events});
        let json = json!({ source.display().to_string(): {"datasets": {
            "data/ten.in": {"runtimes": [4], "bytes": {}, "stderr": "hello\n", "profiling": profiling},
            "plain": {"runtimes": [4], "bytes": {}},
            "bad": "Error",
        }}});
        let file = dir.path().join("out.json");
        std::fs::write(&file, json.to_string()).expect("written");
        let Profiled { folder, summaries, notes } = profile(&file, Traces::Written).expect("a profile");
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert_eq!(folder, dir.path().join("out.prof"));
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
        assert_eq!(read("data_ten.in.log"), "hello\n");
        assert!(read("data_ten.in.summary").contains("segmap_1"));
        assert!(read("data_ten.in.timeline").contains("grid 4"));
        assert!(read("data_ten.in-index.html").contains("segmap_1"));
        assert!(read("data_ten.in-index.html").contains("<a href=\"index.html\">All data sets</a>"));
        assert!(read("index.html").contains("<a href=\"data_ten.in-index.html\">data/ten.in</a>"));
        assert!(read("data_ten.in.trace.json").contains("\"ph\":\"X\""));
        assert_eq!(summaries.len(), 1);
        assert!(summaries[0].contains("data/ten.in: 1 operations, 3.5 μs\n 100.0%"), "{}", summaries[0]);
        assert!(summaries[0].contains("p.fut:2  let x = 2 < 3\n"), "{}", summaries[0]);
        let pages: Vec<String> = std::fs::read_dir(&folder)
            .expect("a folder")
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .filter(|n| n.ends_with("p.fut.html"))
            .collect();
        assert_eq!(pages.len(), 1, "{pages:?}");
        assert!(read(&pages[0]).contains("2 &lt; 3"));
    }

    #[test]
    fn a_report_alone() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("report.json");
        std::fs::write(&file, r#"{"memory":{},"events":[]}"#).expect("written");
        let folder = profile(&file, Traces::None).expect("a profile").folder;
        assert!(folder.join("report.summary").is_file() && !folder.join("report.log").exists());
        assert!(folder.join("index.html").is_file() && !folder.join("report.trace.json").exists());
        std::fs::write(&file, "[1]").expect("written");
        assert!(profile(&file, Traces::None).is_err());
    }
}
