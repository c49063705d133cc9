//! `fehu explain`: the error index, built in.

use crate::names::Names;
use fehu_tools::{errln, outln};
use std::process::ExitCode;

const INDEX: &str = include_str!("../../errors.md");

/// Options of `fehu explain`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The name of an error, such as use-after-consume; without one, all names are listed.
    #[arg(value_parser = Names(|| entries().map(|(code, _)| code).collect()), hide_possible_values = true)]
    code: Option<String>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let Some(code) = &args.code else {
        entries().for_each(|(code, _)| outln!("{code}"));
        return ExitCode::SUCCESS;
    };
    // As messages and pages write it: error-index.html#CODE.
    let wanted = code.rsplit('#').next().unwrap_or(code);
    match entries().find(|(code, _)| *code == wanted) {
        Some((code, text)) => {
            outln!("{code}\n\n{}", plain(text));
            ExitCode::SUCCESS
        }
        None => {
            errln!("fehu: there is no error called {wanted}; `fehu explain` lists those that have a name");
            ExitCode::from(2)
        }
    }
}

/// The sections of the index: the name of an error and what is said about it.
fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    INDEX.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'))
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
