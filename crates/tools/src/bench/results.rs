//! Result files: what `--json` writes, and what `benchcmp` and `profile` read.
//!
//! ```text
//! {"prog.fut:sum": {"datasets": {"ten": {"runtimes": [11, 12], "bytes": {"default space": 40}},
//!                                "bad": "Error: division by zero"}}}
//! ```
//!
//! The entry point `main` goes by the name of the program alone.

use fehu_driver::files::{read_text, MAX_RESULT_BYTES};
use serde_json::{json, Map, Value};
use std::path::Path;

/// All programs, in the order in which they ran.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Results {
    /// Programs with entry points, and their data sets by name.
    pub programs: Vec<(String, Vec<(String, Outcome)>)>,
}

/// What became of a data set.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// It failed, with such a message.
    Failed(String),
    /// It ran.
    Measured(Measurement),
}

/// What was measured.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Measurement {
    /// Microseconds, run by run.
    pub runtimes: Vec<u64>,
    /// The most memory in use at a time, by kind of memory, in bytes.
    pub bytes: Vec<(String, u64)>,
    /// What the program logged in a last run with profiling.
    pub log: Option<String>,
    /// The program's report on that run, as it gave it.
    pub profiling: Option<Value>,
}

/// What result files call an entry point of a program.
pub(crate) fn entry_key(program: &Path, entry: &str) -> String {
    match entry {
        "main" => program.display().to_string(),
        _ => format!("{}:{entry}", program.display()),
    }
}

impl Results {
    /// As `--json` writes it.
    pub fn to_json(&self) -> Value {
        let mut programs = Map::new();
        for (name, datasets) in &self.programs {
            let datasets: Map<String, Value> =
                datasets.iter().map(|(name, outcome)| (name.clone(), outcome.to_json())).collect();
            programs.insert(name.clone(), json!({ "datasets": datasets }));
        }
        Value::Object(programs)
    }

    /// Reads what `--json` wrote; `None` if it is something else.
    pub fn from_json(json: &Value) -> Option<Results> {
        let mut programs = vec![];
        for (name, program) in json.as_object()? {
            let mut datasets = vec![];
            for (name, outcome) in program.get("datasets")?.as_object()? {
                datasets.push((name.clone(), Outcome::from_json(outcome)?));
            }
            programs.push((name.clone(), datasets));
        }
        Some(Results { programs })
    }

    /// Reads a result file.
    pub fn read(path: &Path) -> Result<Results, String> {
        let json = read_json(path)?;
        Results::from_json(&json)
            .ok_or_else(|| format!("{} is not a result of `fehu bench --json`", path.display()))
    }
}

/// Reads a JSON file.
pub(crate) fn read_json(path: &Path) -> Result<Value, String> {
    let text = read_text(path, MAX_RESULT_BYTES, "results")
        .map_err(|e| format!("could not read {}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{} is not JSON: {e}", path.display()))
}

impl Outcome {
    fn to_json(&self) -> Value {
        let m = match self {
            Outcome::Failed(message) => return json!(message),
            Outcome::Measured(m) => m,
        };
        let bytes: Map<String, Value> = m.bytes.iter().map(|(s, n)| (s.clone(), json!(n))).collect();
        let mut out = Map::from_iter([
            ("runtimes".to_owned(), json!(m.runtimes)),
            ("bytes".to_owned(), Value::Object(bytes)),
        ]);
        if let Some(log) = &m.log {
            out.insert("stderr".into(), json!(log));
        }
        if let Some(report) = &m.profiling {
            out.insert("profiling".into(), report.clone());
        }
        Value::Object(out)
    }

    fn from_json(json: &Value) -> Option<Outcome> {
        if let Some(message) = json.as_str() {
            return Some(Outcome::Failed(message.to_owned()));
        }
        let runtimes = json.get("runtimes")?.as_array()?;
        let runtimes = runtimes.iter().map(|t| t.as_u64().or_else(|| t.as_f64().map(|t| t as u64)));
        let bytes = json.get("bytes").and_then(Value::as_object).into_iter().flatten();
        Some(Outcome::Measured(Measurement {
            runtimes: runtimes.collect::<Option<_>>()?,
            bytes: bytes.filter_map(|(space, n)| Some((space.clone(), n.as_u64()?))).collect(),
            log: json.get("stderr").and_then(Value::as_str).map(str::to_owned),
            profiling: json.get("profiling").filter(|p| p.is_object()).cloned(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_they_were_written() {
        let text = r#"{"a.fut:f":{"datasets":{"ten":{"runtimes":[1,2],"bytes":{"device":4}},"bad":"Error: x"}},"b.fut":{"datasets":{"d":{"runtimes":[],"bytes":{},"stderr":"log","profiling":{"events":[]}}}}}"#;
        let json: Value = serde_json::from_str(text).expect("JSON");
        let results = Results::from_json(&json).expect("results");
        assert_eq!(results.to_json().to_string(), text);
        assert_eq!(results.programs[0].1[1], ("bad".into(), Outcome::Failed("Error: x".into())));
        assert_eq!(Results::from_json(&json!([1])), None);
        assert_eq!(Results::from_json(&json!({"p": {"datasets": {"d": {}}}})), None);
    }

    #[test]
    fn main_has_no_name() {
        assert_eq!(entry_key(Path::new("a/b.fut"), "main"), "a/b.fut");
        assert_eq!(entry_key(Path::new("a/b.fut"), "f"), "a/b.fut:f");
    }
}
