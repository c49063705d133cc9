//! The value of an expression in a file that may not be saved, for `-- >>> expression`.
//!
//! In: JSON, `{"path": ..., "files": {path: text}, "expression": ...}`. Out: text that can stand in comments:
//! the last traces, and the value or what is wrong. The server runs this in another process.

use fehu_driver::load::{normalise, Overlay};
use fehu_repl::{Answer, Problem, Session};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// How many traces are shown.
const TRACES: usize = 100;

/// Evaluates; the text, and whether it is a value.
pub fn evaluate(request: &str) -> (String, bool) {
    let Ok(request) = serde_json::from_str::<Value>(request) else {
        return ("this is no request".into(), false);
    };
    let text = |v: &Value| v.as_str().unwrap_or("").to_owned();
    let files: Overlay = request["files"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(path, content)| (normalise(&PathBuf::from(path)), text(content)))
        .collect();
    let traces: Arc<Mutex<VecDeque<String>>> = Arc::default();
    let kept = traces.clone();
    let trace = move |line: &str| {
        if let Ok(mut kept) = kept.lock() {
            if kept.len() == TRACES {
                kept.pop_front();
            }
            kept.push_back(line.to_owned());
        }
    };
    let mut session = Session::new(trace).with_files(files).limited();
    let loaded = session.load(Path::new(&text(&request["path"])));
    let answer = match loaded {
        Answer::Problem(_) => loaded,
        Answer::Done | Answer::Text(_) | Answer::Continue | Answer::Quit => {
            session.expression(&text(&request["expression"]))
        }
    };
    let (value, fine) = match answer {
        Answer::Text(value) => (value, true),
        Answer::Problem(problem) => (said(&problem), false),
        Answer::Done | Answer::Continue | Answer::Quit => (String::new(), true),
    };
    let mut lines: Vec<String> = traces.lock().map(|t| t.iter().cloned().collect()).unwrap_or_default();
    lines.push(value);
    (lines.join("\n"), fine)
}

fn said(problem: &Problem) -> String {
    match problem {
        Problem::Program(errors, sources) => {
            let one = |d: &fehu_base::Diagnostic| format!("Error at {}: {}", sources.show(d.span), d.message);
            errors.iter().map(one).collect::<Vec<_>>().join("\n")
        }
        Problem::Message(text) => text.clone(),
    }
}
