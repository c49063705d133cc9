//! What the editor can ask the server to do: evaluate a comment, run an entry point or the tests.
//!
//! In: a command of a lens. Out: a [`Job`], and what its outcome means to the editor: an edit that writes the
//! value below the comment, or a message.
//!
//! ```text
//! -- >>> twice 4
//! -- 8                  written by the command, and replaced when it is run again
//! ```

use crate::document::{path_of, Text};
use crate::jobs::{Job, Outcome, EVALUATION, TESTS};
use crate::protocol;
use crate::state::State;
use fehu_base::FileId;
use fehu_syntax::Comment;
use serde_json::{json, Map, Value};
use std::path::{Path, PathBuf};

// The commands of lenses.
pub(crate) const EVALUATE: &str = "fehu.evaluate";
pub(crate) const TEST: &str = "fehu.test";
pub(crate) const RUN: &str = "fehu.run";

/// Levels of messages that the protocol fixes.
const ERROR: u32 = 1;
const INFO: u32 = 3;

/// What is done with the outcome of a job.
#[derive(Clone, Debug)]
pub(crate) enum Then {
    /// Written below a comment.
    Write { path: PathBuf, expression: String, line: usize },
    /// Shown.
    Show { title: String },
}

impl State {
    /// The job that a command asks for.
    pub(crate) fn command(&self, params: &Value) -> Result<(Job, Then), String> {
        let path = params["arguments"][0].as_str().and_then(path_of).ok_or("the first argument is a file")?;
        let argument = &params["arguments"][1];
        match params["command"].as_str().unwrap_or("") {
            EVALUATE => {
                let document = self.documents.get(&path).ok_or("the file is not open")?;
                let line =
                    argument.as_u64().and_then(|n| usize::try_from(n).ok()).ok_or("there is no line")?;
                let expression = at_line(&document.text, line).ok_or("there is no `-- >>>` at this line")?;
                let job = self.evaluation(&path, &expression)?;
                Ok((job, Then::Write { path, expression, line }))
            }
            RUN => {
                let entry = argument.as_str().ok_or("the second argument is an entry point")?;
                Ok((self.evaluation(&path, entry)?, Then::Show { title: entry.to_owned() }))
            }
            TEST => {
                let (input, file) = (String::new(), path.display().to_string());
                let args = vec!["test".to_owned(), "--no-terminal".to_owned(), file.clone()];
                let job = Job { program: self.program()?, args, input, limit: TESTS };
                Ok((job, Then::Show { title: file }))
            }
            other => Err(format!("there is no command {other}")),
        }
    }

    fn program(&self) -> Result<PathBuf, String> {
        self.program.clone().ok_or("the compiler's executable is not known".into())
    }

    fn evaluation(&self, path: &Path, expression: &str) -> Result<Job, String> {
        let text = |(p, d): (&PathBuf, &crate::state::Document)| {
            (p.display().to_string(), Value::from(d.text.text.as_str()))
        };
        let files: Map<String, Value> = self.documents.iter().map(text).collect();
        let input = json!({"path": path, "files": files, "expression": expression}).to_string();
        let args = vec!["lsp".to_owned(), "--evaluate".to_owned()];
        Ok(Job { program: self.program()?, args, input, limit: EVALUATION })
    }

    /// The message to the editor about a job that has ended.
    pub(crate) fn finished(&mut self, then: Then, outcome: &Outcome) -> Value {
        let text = outcome.text.trim_end();
        match then {
            Then::Write { path, expression, line } => {
                let Some((range, prefix)) = self.place_below(&path, &expression, line) else {
                    return show(INFO, &format!("{expression}: {text}"));
                };
                let comment: String = text.lines().map(|l| format!("\n{prefix}-- {l}")).collect();
                let edit = json!({"changes": {self.uri(&path): [{"range": range, "newText": comment}]}});
                self.asked += 1;
                let id = format!("fehu-{}", self.asked);
                let params = json!({"label": format!("Evaluate {expression}"), "edit": edit});
                protocol::request(&id, "workspace/applyEdit", params)
            }
            Then::Show { title } => {
                show(if outcome.success { INFO } else { ERROR }, &format!("{title}: {text}"))
            }
        }
    }

    /// The text from the end of an evaluation comment to the end of its last value, and the comment's
    /// indentation. The text may have changed since it was asked for: the comment is looked for again,
    /// nearest to where it was.
    fn place_below(&self, path: &Path, wanted: &str, line: usize) -> Option<(Value, String)> {
        let document = self.documents.get(path)?;
        let text = &document.text;
        let lines: Vec<&str> = text.text.lines().collect();
        let comments = fehu_syntax::parse(FileId(0), &text.text).comments;
        let same = comments.iter().filter(|c| expression(c) == Some(wanted));
        let at = same
            .map(|c| text.line_column(c.span.lo as usize, self.encoding).0)
            .min_by_key(|at| at.abs_diff(line))?;
        let whole = lines.get(at)?;
        let prefix = &whole[..whole.len() - whole.trim_start().len()];
        let value = |l: &&&str| {
            let l = l.trim_start();
            l.starts_with("--") && !["-- >>>", "-- |", "-- =="].iter().any(|p| l.starts_with(p))
        };
        let count = lines.iter().skip(at + 1).take_while(value).count();
        let end = |line: usize| {
            let units = lines.get(line).map_or(0, |l| self.encoding.units(l));
            json!({"line": line, "character": units})
        };
        Some((json!({"start": end(at), "end": end(at + count)}), prefix.to_owned()))
    }
}

fn at_line(text: &Text, line: usize) -> Option<String> {
    let comments = fehu_syntax::parse(FileId(0), &text.text).comments;
    let here = |c: &&fehu_syntax::Comment| {
        text.line_column(c.span.lo as usize, crate::document::Encoding::Utf8).0 == line
    };
    comments.iter().find(here).and_then(expression).map(str::to_owned)
}

fn show(level: u32, text: &str) -> Value {
    protocol::notification("window/showMessage", json!({"type": level, "message": text}))
}

/// The expression of an evaluation comment.
pub(crate) fn expression(comment: &Comment) -> Option<&str> {
    let rest = comment.text.strip_prefix("--")?.trim_start().strip_prefix(">>>")?;
    Some(rest.trim()).filter(|e| !e.is_empty())
}
