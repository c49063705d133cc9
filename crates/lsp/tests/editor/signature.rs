//! Signature help.

use super::client::{answer, ask, change, open, talk, TEXT, URI};
use serde_json::{json, Value};

/// The signature and the active parameter, while `in` of the last line is typed.
fn shown(typed: &str) -> (String, String) {
    let text = TEXT.replace("twice y", typed);
    let request = ask("signatureHelp", URI, 7, 10 + typed.len() as u32);
    // The text was correct once.
    let messages = talk(&[
        open(URI, TEXT),
        json!({"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {"textDocument": {"uri": URI}}}),
        change(URI, json!([{"text": text}])),
        request,
    ]);
    let help = answer(&messages);
    let label = help["signatures"][0]["label"].as_str().unwrap_or("").to_owned();
    let Some(active) = help["activeParameter"].as_u64() else { return (label, String::new()) };
    let range = &help["signatures"][0]["parameters"][active as usize]["label"];
    let end = |i: usize| range[i].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let parameter = label.get(end(0)..end(1)).unwrap_or("").to_owned();
    (label, parameter)
}

#[test]
fn own_functions_and_the_preludes() {
    assert_eq!(shown("twice "), ("twice : (x: i32) -> i32".into(), "(x: i32)".into()));
    let (label, parameter) = shown("reduce (+) ");
    assert!(label.starts_with("reduce [n] 'a : (op: a -> a -> a) -> (ne: a)"), "{label}");
    assert_eq!(parameter, "(ne: a)");
    assert_eq!(shown("f32.sqrt (").1, "(x: f32)");
    assert_eq!(shown("twice y ").1, "", "there is no second parameter");
    assert_eq!(shown("nothing ").0, "");
}

#[test]
fn local_functions() {
    let text = "def f (g: i32 -> i64 -> bool) = let h a b = a + b in (g 1 , h 2)\n";
    let ask = |column| answer(&talk(&[open(URI, text), ask("signatureHelp", URI, 0, column)]));
    let at = |part: &str| text.find(part).expect("there") as u32 + part.len() as u32;
    assert_eq!(ask(at("(g 1 "))["signatures"][0]["label"], "g : i32 -> i64 -> bool");
    assert_eq!(ask(at("(g 1 "))["activeParameter"], 1);
    assert!(ask(at("h 2"))["signatures"][0]["label"].as_str().is_some_and(|l| l.starts_with("h : ")));
    assert_eq!(ask(3), Value::Null);
}
