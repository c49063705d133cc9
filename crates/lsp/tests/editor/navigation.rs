//! Ways through programs: symbols, types, calls, selections, links; and what changes little by little.

use super::client::{about, answer, ask, change, edited, framed, open, raw, talk, talk_in, URI};
use serde_json::{json, Value};

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// The answer to a request about the place `¦`.
fn at(method: &str, marked: &str) -> Value {
    let (before, _) = marked.split_once('¦').expect("a place");
    let line = before.matches('\n').count() as u32;
    let column = before.rsplit('\n').next().unwrap_or("").encode_utf16().count() as u32;
    answer(&talk(&[open(URI, &marked.replacen('¦', "", 1)), ask(method, URI, line, column)]))
}

#[test]
fn types_of_values_are_found() {
    let text = "type p = {x: i32}\ntype^ q = i32 -> p\ndef f (a: p) (g: q) = let b = [a] in (b, g 1)\n";
    let lines = |marked: &str| {
        let found = at("typeDefinition", marked);
        let line = |l: &Value| l["range"]["start"]["line"].as_u64().unwrap_or(99);
        found.as_array().into_iter().flatten().map(line).collect::<Vec<_>>()
    };
    assert_eq!(lines(&text.replace("[a]", "[¦a]")), [0]);
    assert_eq!(lines(&text.replace("let b", "let ¦b")), [0]);
    assert_eq!(lines(&text.replace("g 1", "¦g 1")), [1]);
    assert_eq!(lines(&text.replace("def f", "def ¦f")), [0, 1]);
    assert_eq!(at("typeDefinition", "def f (x: i32) = ¦x\n"), json!([]));
    assert_eq!(at("typeDefinition", "¦def f (x: i32) = x\n"), Value::Null);
}

#[test]
fn symbols_of_the_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path");
    let uri = |name: &str| format!("file://{}/{name}", path.display());
    std::fs::write(path.join("a.fut"), "def area = 1i32\nmodule shapes = {def perimeter = 2i32}\n")
        .expect("written");
    std::fs::write(path.join("b.fut"), "def broken = \n").expect("written");
    let ask = |query: &str| {
        let messages = [
            open(&uri("b.fut"), "def arena (x: i32) = x\n"),
            request(1, "workspace/symbol", json!({"query": query})),
        ];
        answer(&talk_in(&path, &messages))
    };
    let names = |v: &Value| -> Vec<String> {
        v.as_array().into_iter().flatten().filter_map(|s| s["name"].as_str()).map(str::to_owned).collect()
    };
    assert_eq!(names(&ask("peri")), ["perimeter"]);
    assert_eq!(names(&ask("ARE")), ["area", "arena"], "shorter names first; of open files, what is open");
    assert_eq!(names(&ask("")), ["area", "arena", "shapes", "perimeter"]);
    let found = ask("prmtr");
    assert_eq!(found[0]["containerName"], "shapes");
    assert_eq!(found[0]["location"]["uri"], uri("a.fut"));
    assert_eq!(found[0]["location"]["range"]["start"], json!({"line": 1, "character": 21}));
    assert_eq!(ask("none of these"), json!([]));
}

#[test]
fn references_of_all_kinds_in_all_programs() {
    let lines = |marked: &str| -> Vec<(u64, u64)> {
        let found = at("references", marked);
        let place = |l: &Value| {
            let start = &l["range"]["start"];
            (start["line"].as_u64().unwrap_or(99), start["character"].as_u64().unwrap_or(99))
        };
        found.as_array().into_iter().flatten().map(place).collect()
    };
    assert_eq!(lines("type t¦ = {x: i32}\ndef f (a: t) = a.x\n"), [(0, 5), (1, 10)]);
    assert_eq!(lines("type t = {x: i32}\ndef f (a: t) = a.x¦\n"), [(0, 10), (1, 17)]);
    assert_eq!(lines("def f (s: #a | #b) = match s case #a¦ -> 1 case #b -> 2\n"), [(0, 10), (0, 34)]);
    assert_eq!(lines("module m = {def x = 1i32}\ndef y = m¦.x\n"), [(0, 7), (1, 8)]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path");
    let uri = |name: &str| format!("file://{}/{name}", path.display());
    let lib = "def double (x: i32) = x + x\n";
    std::fs::write(path.join("lib.fut"), lib).expect("written");
    std::fs::write(path.join("main.fut"), "import \"lib\"\ndef y = double 1\ndef z = nothing\n")
        .expect("written");
    let mut request = ask("references", &uri("lib.fut"), 0, 4);
    let uris = |request: &Value| -> Vec<String> {
        let found = answer(&talk_in(&path, &[open(&uri("lib.fut"), lib), request.clone()]));
        let uri = |l: &Value| l["uri"].as_str().unwrap_or("").to_owned();
        let mut uris: Vec<String> = found.as_array().into_iter().flatten().map(uri).collect();
        uris.sort();
        uris
    };
    assert_eq!(uris(&request), [uri("lib.fut"), uri("main.fut")]);
    request["params"]["context"]["includeDeclaration"] = json!(false);
    assert_eq!(uris(&request), [uri("main.fut")], "what is right of files with errors");
}

#[test]
fn selections_grow() {
    let text = "def f (x: i32) = g (x + 1)\n";
    let request = request(
        1,
        "textDocument/selectionRange",
        json!({"textDocument": {"uri": URI}, "positions": [{"line": 0, "character": 24}]}),
    );
    let mut at = &answer(&talk(&[open(URI, text), request]))[0];
    let mut found = vec![];
    while let (Some(lo), Some(hi)) =
        (at["range"]["start"]["character"].as_u64(), at["range"]["end"]["character"].as_u64())
    {
        found.push(match at["range"]["end"]["line"].as_u64() {
            Some(0) => &text[lo as usize..hi as usize],
            _ => "all",
        });
        at = &at["parent"];
    }
    assert_eq!(found, ["1", "x + 1", "(x + 1)", "g (x + 1)", text.trim_end(), "all"]);
}

#[test]
fn imports_are_links() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path");
    let uri = |name: &str| format!("file://{}/{name}", path.display());
    std::fs::write(path.join("b.fut"), "def b = 1i32\n").expect("written");
    let text = "import \"b\"\nmodule m = import \"nowhere\"\n";
    let links = answer(&talk(&[open(&uri("a.fut"), text), ask("documentLink", &uri("a.fut"), 0, 0)]));
    assert_eq!(links.as_array().map(Vec::len), Some(1), "{links}");
    assert_eq!(links[0]["target"], uri("b.fut"));
    assert_eq!(
        links[0]["range"],
        json!({"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 10}})
    );
}

#[test]
fn calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path");
    let uri = |name: &str| format!("file://{}/{name}", path.display());
    let lib = "def double (x: i32) = x + x\ndef four = double 2 + double 0\n";
    std::fs::write(path.join("lib.fut"), lib).expect("written");
    std::fs::write(path.join("main.fut"), "import \"lib\"\nentry main xs = map double xs\n")
        .expect("written");
    let open = open(&uri("lib.fut"), lib);
    let prepare = ask("prepareCallHierarchy", &uri("lib.fut"), 1, 11);
    let item = answer(&talk_in(&path, &[open.clone(), prepare]))[0].clone();
    assert_eq!((&item["name"], &item["range"]["start"]["line"]), (&json!("double"), &json!(0)));
    let about = |item: &Value, direction: &str| {
        let request = request(1, &format!("callHierarchy/{direction}Calls"), json!({"item": item}));
        answer(&talk_in(&path, &[open.clone(), request]))
    };
    let shown = |calls: &Value, end: &str| -> Vec<String> {
        let one = |c: &Value| {
            let ranges = c["fromRanges"].as_array().map_or(0, Vec::len);
            format!("{} {ranges}", c[end]["name"].as_str().unwrap_or(""))
        };
        calls.as_array().into_iter().flatten().map(one).collect()
    };
    let callers = about(&item, "incoming");
    assert_eq!(shown(&callers, "from"), ["four 2", "main 1"]);
    assert_eq!(callers[1]["from"]["uri"], uri("main.fut"), "files that are not open, too");
    assert_eq!(shown(&about(&callers[0]["from"], "outgoing"), "to"), ["double 2"]);
    assert_eq!(about(&callers[0]["from"], "incoming"), json!([]));
    // What a parameter is called is no declaration.
    let nothing = ask("prepareCallHierarchy", &uri("lib.fut"), 0, 22);
    assert_eq!(answer(&talk_in(&path, &[open.clone(), nothing])), Value::Null);
}

#[test]
fn calls_of_local_functions_and_of_the_prelude() {
    let text = "def f (xs: []i32) =\n  let g x = x + 1\n  in map g (map g xs)\n";
    let item = answer(&talk(&[open(URI, text), ask("prepareCallHierarchy", URI, 0, 4)]))[0].clone();
    let outgoing = request(1, "callHierarchy/outgoingCalls", json!({"item": item}));
    let calls = answer(&talk(&[open(URI, text), outgoing]));
    let named = |name: &str| {
        let found = calls.as_array().into_iter().flatten().find(|c| c["to"]["name"] == name).cloned();
        found.unwrap_or_else(|| panic!("{name}: {calls}"))
    };
    assert_eq!(named("g")["to"]["range"]["start"], json!({"line": 1, "character": 6}));
    let map = named("map");
    assert_eq!(map["fromRanges"].as_array().map(Vec::len), Some(2));
    assert!(map["to"]["uri"].as_str().is_some_and(|u| u.ends_with("soacs.fut")), "{map}");
    let incoming = request(1, "callHierarchy/incomingCalls", json!({"item": map["to"]}));
    let callers = answer(&talk(&[open(URI, text), incoming]));
    assert_eq!(callers[0]["from"]["name"], "f", "{callers}");
}

#[test]
fn colours_that_have_changed() {
    let full =
        |id: u32| request(id, "textDocument/semanticTokens/full", json!({"textDocument": {"uri": URI}}));
    let delta = |id: u32, before: &str| {
        let params = json!({"textDocument": {"uri": URI}, "previousResultId": before});
        request(id, "textDocument/semanticTokens/full/delta", params)
    };
    let (old, new) = ("def f (x: i32) = x\ndef g = f 1\n", "def f (x: i32) = x + x\ndef g = f 1\n");
    let messages = talk(&[
        open(URI, old),
        full(1),
        delta(2, "1"),
        change(URI, json!([{"text": new}])),
        delta(3, "2"),
        delta(4, "2"),
        full(5),
    ]);
    let result =
        |id: u32| messages.iter().find(|m| m["id"] == id).map(|m| m["result"].clone()).unwrap_or_default();
    let numbers =
        |v: &Value| -> Vec<u64> { v.as_array().into_iter().flatten().filter_map(Value::as_u64).collect() };
    assert_eq!(result(1)["resultId"], "1");
    assert_eq!(result(2), json!({"resultId": "2", "edits": []}));
    let edit = &result(3)["edits"][0];
    let mut data = numbers(&result(1)["data"]);
    let at = |name: &str| edit[name].as_u64().unwrap_or(0) as usize;
    data.splice(at("start")..at("start") + at("deleteCount"), numbers(&edit["data"]));
    assert_eq!(data, numbers(&result(5)["data"]));
    assert!(numbers(&edit["data"]).len() < 15, "{edit}");
    assert_eq!(result(4)["data"], result(5)["data"], "an answer that is forgotten gives all");
}

#[test]
fn formatting_changes_what_differs() {
    let text = "def f x = x\ndef  g x = x\n\ndef h x =\n   x\ndef i = 1\n";
    let edits = about("formatting", text, json!({}));
    assert_eq!(edited(text, &edits), "def f x = x\ndef g x = x\n\ndef h x =\n  x\n\ndef i = 1\n");
    assert_eq!(edits.as_array().map(Vec::len), Some(2), "{edits}");
    assert_eq!(edits[0]["range"]["start"], json!({"line": 1, "character": 0}));
    assert_eq!(edits[0]["range"]["end"], json!({"line": 2, "character": 0}));
    let part = |from: (u32, u32), to: (u32, u32)| {
        let at = |(line, character): (u32, u32)| json!({"line": line, "character": character});
        let edits = about("rangeFormatting", text, json!({"range": {"start": at(from), "end": at(to)}}));
        edited(text, &edits)
    };
    assert_eq!(part((1, 0), (1, 5)), text.replace("  g", " g"));
    assert_eq!(part((1, 4), (1, 4)), text.replace("  g", " g"));
    assert_eq!(part((0, 0), (1, 0)), text, "the second line is not selected");
    assert_eq!(part((3, 0), (9, 0)), text.replace("   x\n", "  x\n\n"));
    assert_eq!(part((0, 0), (9, 0)), edited(text, &edits));
    // A word goes from one line to the next, with lines between them that stay.
    let text = "def f = [1,\n2,\n3\n,4]\n";
    let all = edited(text, &about("formatting", text, json!({})));
    for line in 0..4 {
        let at = json!({"line": line, "character": 0});
        let edits = about("rangeFormatting", text, json!({"range": {"start": at, "end": at}}));
        let again = about("formatting", &edited(text, &edits), json!({}));
        assert_eq!(edited(&edited(text, &edits), &again), all);
    }
}

#[test]
fn lines_that_are_no_messages_are_answered_at_once() {
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}});
    let shutdown = json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"});
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    for (garbage, errors) in [
        ("{\"jsonrpc\": \"2.0\", \"id\": 5, \"method\": \"shutdown\"}\r\n", 1),
        ("hello\nhello\n\nhello\n", 1),
        ("Content-Length: 1\r\n\r\n{\"a\": 1}\n", 2),
        ("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n", 0),
    ] {
        let mut bytes = framed(&begin);
        bytes.extend(garbage.bytes());
        bytes.extend([&shutdown, &exit].into_iter().flat_map(framed));
        let (messages, fine) = raw(bytes);
        assert!(fine && messages.iter().any(|m| m["id"] == 2), "{garbage}: {messages:?}");
        assert_eq!(
            messages.iter().filter(|m| m["error"]["code"] == -32700).count(),
            errors,
            "{garbage}: {messages:?}"
        );
    }
}
