//! Completion: what is offered at a place, in a text that is being written.

use super::client::{answer, ask, change, open, talk, talk_in, TEXT, URI};
use serde_json::{json, Value};

/// The items at `¦`; before it was written, the text was the first one.
fn items(uri: &str, first: &str, marked: &str, session: impl Fn(&[Value]) -> Vec<Value>) -> Vec<Value> {
    let at = marked.find('¦').expect("a place");
    let text = marked.replacen('¦', "", 1);
    let line = text[..at].matches('\n').count() as u32;
    let column = text[..at].rsplit('\n').next().unwrap_or("").chars().count() as u32;
    let mut settle = ask("documentSymbol", uri, 0, 0);
    settle["id"] = json!(2);
    let edit = change(uri, json!([{"text": text}]));
    let messages = session(&[open(uri, first), settle, edit, ask("completion", uri, line, column)]);
    answer(&messages)["items"].as_array().cloned().unwrap_or_default()
}

fn labels(first: &str, marked: &str) -> Vec<String> {
    let items = items(URI, first, marked, talk);
    items.iter().filter_map(|i| i["label"].as_str().map(str::to_owned)).collect()
}

#[test]
fn locals_modules_and_the_prelude() {
    let here = labels(TEXT, &TEXT.replace("twice y", "twice ¦y"));
    for name in ["twice", "main", "y", "m", "t", "reduce", "i32", "match"] {
        assert!(here.contains(&name.to_owned()), "{name}: {here:?}");
    }
    assert_eq!(labels(TEXT, &TEXT.replace("twice y", "m.¦")), ["inner"]);
    assert!(labels(TEXT, &TEXT.replace("twice y", "f32.¦")).contains(&"sqrt".to_owned()));
}

#[test]
fn fields_of_values_and_of_their_fields() {
    let text = "type v = {x: f32, y: f32}\ndef f (b: {at: v, mass: f32}) = b\n";
    assert_eq!(labels(text, &text.replace("= b", "= b.¦")), ["at", "mass"]);
    assert_eq!(labels(text, &text.replace("= b", "= b.at.¦")), ["x", "y"]);
    assert_eq!(labels(text, &text.replace("= b", "= b with ¦")), ["at", "mass"]);
    assert_eq!(labels(text, &text.replace("= b", "= b with at.¦")), ["x", "y"]);
}

#[test]
fn constructors_and_attributes() {
    let text =
        "type s = #go i32 | #stop\ndef f (s: s): i32 =\n  match s\n  case #go n -> n\n  case #stop -> 0\n";
    assert_eq!(labels(text, &text.replace("case #stop", "case #¦")), ["go", "stop"]);
    let attributes = labels(text, &text.replace("def f", "#[no¦\ndef f"));
    assert!(attributes.contains(&"noinline".to_owned()), "{attributes:?}");
}

#[test]
fn values_of_that_name_in_modules() {
    let found = labels("def f = 1\n", "def f = su¦\n");
    assert!(found.contains(&"f32.sum".to_owned()) && found.contains(&"i64.sum".to_owned()), "{found:?}");
    assert!(!found.contains(&"f32.sqrt".to_owned()), "{found:?}");
}

#[test]
fn imports_and_the_names_that_they_bring() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("inner")).expect("created");
    std::fs::write(folder.path().join("vectors.fut"), "-- | A length.\ndef norm = 1f32\n").expect("written");
    let uri = format!("file://{}/a.fut", folder.path().display());
    let session = |messages: &[Value]| talk_in(folder.path(), messages);
    let found = |first: &str, marked: &str| -> Vec<String> {
        let items = items(&uri, first, marked, session);
        items.iter().filter_map(|i| i["label"].as_str().map(str::to_owned)).collect()
    };
    let text = "import \"vectors\"\ndef f = norm\n";
    assert_eq!(found(text, &text.replace("\"vectors", "\"v¦")), ["inner", "vectors"]);
    assert!(found(text, &text.replace("norm", "norm + ¦")).contains(&"norm".to_owned()));
}

#[test]
fn documentation_comes_when_an_item_is_looked_at() {
    let resolved = |label: &str| {
        let all = items(URI, TEXT, &TEXT.replace("twice y", "¦twice y"), talk);
        let item = all.into_iter().find(|i| i["label"] == label).expect("an item");
        let resolve = json!({"jsonrpc": "2.0", "id": 1, "method": "completionItem/resolve", "params": item});
        answer(&talk(&[open(URI, TEXT), resolve]))["documentation"]["value"].clone()
    };
    assert_eq!(resolved("twice"), "Twice as much.");
    assert!(resolved("reduce").as_str().is_some_and(|d| d.len() > 20));
}
