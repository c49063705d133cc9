//! `fehu explain`: the error index, built in.

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use fehu_tools::{errln, outln};
use std::process::ExitCode;

const INDEX: &str = include_str!("../../errors.md");

/// Options of `fehu explain`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The name of an error, such as use-after-consume; without one, all names are listed.
    #[arg(add = ArgValueCandidates::new(candidates))]
    code: Option<String>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let Some(code) = &args.code else {
        let width = entries().map(|entry| entry.name.len()).max().unwrap_or(0);
        entries().for_each(|Entry { name, title, .. }| outln!("{name:width$}  {title}"));
        return ExitCode::SUCCESS;
    };
    // As messages and pages write it: error-index.html#CODE.
    let wanted = code.rsplit('#').next().unwrap_or(code);
    match entries().find(|entry| entry.name == wanted) {
        Some(Entry { name, title, text }) => {
            outln!("{name}: {title}\n\n{}", plain(text));
            ExitCode::SUCCESS
        }
        None => {
            let near = |entry: &Entry| strsim::damerau_levenshtein(wanted, entry.name);
            let nearest = entries().min_by_key(near).filter(|e| near(e) * 3 <= wanted.len());
            let meant = nearest.map_or(String::new(), |entry| format!("; there is {}", entry.name));
            errln!(
                "fehu: there is no error called {wanted}{meant}; `fehu explain` lists those that have a name"
            );
            ExitCode::from(2)
        }
    }
}

/// A section of the index.
struct Entry {
    name: &'static str,
    title: &'static str,
    text: &'static str,
}

/// The sections of the index, `## NAME: TITLE`.
fn entries() -> impl Iterator<Item = Entry> {
    let sections = INDEX.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
    sections.map(|(head, text)| {
        let (name, title) = head.split_once(": ").unwrap_or((head, ""));
        Entry { name, title, text }
    })
}

/// The names, for shells.
fn candidates() -> Vec<CompletionCandidate> {
    entries().map(|entry| CompletionCandidate::new(entry.name).help(Some(entry.title.into()))).collect()
}

/// Markdown for terminals: code is indented instead of fenced.
fn plain(text: &str) -> String {
    let mut code = false;
    let mut out = vec![];
    for line in text.trim().lines() {
        if line.starts_with("```") {
            code = !code;
        } else if code && !line.is_empty() {
            out.push(format!("    {line}"));
        } else {
            out.push(line.to_owned());
        }
    }
    out.join("\n")
}
