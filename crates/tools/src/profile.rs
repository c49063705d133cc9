//! `fehu profile`: where the time of a program goes, for people and browsers.
//!
//! In: what `fehu bench --profile --json` wrote, or a single report of a
//! program. Out: a folder `NAME.prof` beside it with, for each data set:
//!
//! - `X.summary`: memory, and time by operation and by source line;
//! - `X.timeline`: every event in order;
//! - `X.log`: what the program logged;
//! - `X-index.html` and pages for the source files, with the time of each line.
//!
//! A single program's files are in the folder itself; several programs have
//! folders of their own, and so have entry points other than `main`.

mod html;
mod report;
mod tables;
mod text;

use crate::bench::results::{read_json, Measurement, Outcome, Results};
use fehu_driver::files::Batch;
use report::Report;
use std::path::{Path, PathBuf};
use tables::Tables;

/// Makes the folder for one file; returns its name. Notes are about data sets without profiles.
pub fn profile(json: &Path, notes: &mut Vec<String>) -> Result<PathBuf, String> {
    let folder = json.with_extension("prof");
    let value = read_json(json)?;
    if let Some(results) = Results::from_json(&value) {
        let places = places(&results);
        let mut batch = Batch::default();
        for ((program, datasets), place) in results.programs.iter().zip(places) {
            let source_folder = Path::new(program).parent().unwrap_or(Path::new(""));
            for (dataset, outcome) in datasets {
                match outcome {
                    Outcome::Failed(_) => {
                        notes.push(format!("{program}, {dataset}: failed, so there is no profile"))
                    }
                    Outcome::Measured(m) => {
                        if !write_dataset(&mut batch, &folder.join(&place), dataset, m, source_folder)? {
                            notes.push(format!(
                                "{program}, {dataset}: no profile; run `fehu bench` with --profile"
                            ));
                        }
                    }
                }
            }
        }
        batch.finish()?;
        return Ok(folder);
    }
    let report = Report::from_json(&value).ok_or_else(|| {
        format!("{} is neither a result of `fehu bench --json` nor a report", json.display())
    })?;
    let name = json.file_stem().map_or("report".into(), |n| n.to_string_lossy().into_owned());
    let mut batch = Batch::default();
    write_report(&mut batch, &folder, &name, &report, Path::new(""))?;
    batch.finish()?;
    Ok(folder)
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

/// Whether there was a profile.
fn write_dataset(
    batch: &mut Batch,
    folder: &Path,
    dataset: &str,
    m: &Measurement,
    sources: &Path,
) -> Result<bool, String> {
    let Some(report) = m.profiling.as_ref().and_then(Report::from_json) else { return Ok(false) };
    let name = file_name(dataset);
    write_report(batch, folder, &name, &report, sources)?;
    if let Some(log) = &m.log {
        batch.file(&folder.join(format!("{name}.log")), log)?;
    }
    Ok(true)
}

fn write_report(
    batch: &mut Batch,
    folder: &Path,
    name: &str,
    report: &Report,
    sources: &Path,
) -> Result<(), String> {
    batch.folder(folder)?;
    let tables = Tables::of(report);
    batch.file(&folder.join(format!("{name}.summary")), text::summary(report, &tables))?;
    batch.file(&folder.join(format!("{name}.timeline")), text::timeline(report))?;
    let read = |file: &str| {
        let candidates = [PathBuf::from(file), sources.join(file)];
        candidates.iter().find_map(|path| fehu_driver::files::read_source(path).ok())
    };
    for (file, page) in html::pages(name, report, &tables, read) {
        batch.file(&folder.join(file), page)?;
    }
    Ok(())
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
        let mut notes = vec![];
        let folder = profile(&file, &mut notes).expect("a profile");
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert_eq!(folder, dir.path().join("out.prof"));
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
        assert_eq!(read("data_ten.in.log"), "hello\n");
        assert!(read("data_ten.in.summary").contains("segmap_1"));
        assert!(read("data_ten.in.timeline").contains("grid 4"));
        assert!(read("data_ten.in-index.html").contains("segmap_1"));
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
        let folder = profile(&file, &mut vec![]).expect("a profile");
        assert!(folder.join("report.summary").is_file() && !folder.join("report.log").exists());
        std::fs::write(&file, "[1]").expect("written");
        assert!(profile(&file, &mut vec![]).is_err());
    }
}
