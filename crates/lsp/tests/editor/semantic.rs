//! Semantic tokens: each line of the file, and below it the kinds of its words.

use super::client::{about, talk};
use serde_json::{json, Value};

/// The words of a text with their kinds, as `word:kind`, declarations with `!`, the prelude's with `@`.
fn kinds(text: &str, params: Value) -> Vec<String> {
    let capabilities = talk(&[])[0]["result"]["capabilities"].clone();
    let legend = &capabilities["semanticTokensProvider"]["legend"]["tokenTypes"];
    let method = if params.get("range").is_some() { "semanticTokens/range" } else { "semanticTokens/full" };
    let data: Vec<usize> = about(method, text, params)["data"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|n| usize::try_from(n.as_u64()?).ok())
        .collect();
    let (mut line, mut column) = (0, 0);
    let mut found = vec![];
    for token in data.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let units: Vec<u16> = text.lines().nth(line).unwrap_or("").encode_utf16().collect();
        let word = String::from_utf16_lossy(&units[column..column + token[2]]);
        let kind = legend[token[3]].as_str().unwrap_or("?");
        let marks = [(1, "!"), (2, "@"), (4, "|")];
        let marks: String = marks.iter().filter(|(bit, _)| token[4] & bit != 0).map(|(_, m)| *m).collect();
        found.push(format!("{word}:{kind}{marks}"));
    }
    found
}

#[track_caller]
fn check(text: &str, expected: &str) {
    // Operators and keywords are known by the lexer: one test of them is enough.
    let names: Vec<String> = kinds(text, json!({}))
        .into_iter()
        .filter(|w| !w.ends_with(":keyword") && !w.ends_with(":operator"))
        .collect();
    assert_eq!(names.join(" "), expected, "{text}");
}

#[test]
fn words_that_are_no_names() {
    let found = kinds("-- | Doc.\ndef x = if true then #a 1 \"s\" else 'c' -- end\n", json!({}));
    assert_eq!(
        found.join(" "),
        "-- | Doc.:comment| def:keyword x:variable! =:operator if:keyword true:keyword then:keyword #a:enumMember \
         1:number \"s\":string else:keyword 'c':string -- end:comment"
    );
}

#[test]
fn functions_parameters_and_types() {
    check(
        "def f [n] 'a (x: a) (y: [n]i32) = g x y\n",
        "f:function! n:parameter! a:typeParameter! x:parameter! a:typeParameter y:parameter! n:parameter i32:type@ \
         g:function x:parameter y:parameter",
    );
    check(
        "type t = {a: i32}\ndef v: t = {a = 1}\ndef w = v.a\n",
        "t:type! a:property i32:type@ v:variable! t:type a:property 1:number w:variable! v:variable a:property",
    );
}

#[test]
fn scopes_end_where_they_end() {
    // In `let x = x`, the second x is still the parameter.
    check(
        "def f x = (let x = x in x) + x\n",
        "f:function! x:parameter! x:variable! x:parameter x:variable x:parameter",
    );
    check(
        "def f y = map (\\y -> y) (loop y = y for i < 3 do y)\n",
        "f:function! y:parameter! map:function@ y:parameter! y:parameter y:variable! y:parameter i:variable! 3:number \
         y:variable",
    );
    check(
        "def f o = match o case #some v -> v case #none -> 0\n",
        "f:function! o:parameter! o:parameter #some:enumMember v:variable! v:variable #none:enumMember 0:number",
    );
}

#[test]
fn modules() {
    check(
        "module type s = {type t val f: t -> t}\nmodule m : s with t = i32 = {type t = i32 def f (x: t) = x}\ndef y = m.f 1 + f32.sqrt\n",
        "s:interface! t:type! f:function! t:type t:type m:namespace! s:interface t:type i32:type@ t:type! i32:type@ \
         f:function! x:parameter! t:type x:parameter y:variable! m:namespace f:function 1:number f32:namespace \
         sqrt:function@",
    );
    check(
        "module m = {def f x = x}\ndef y = f\n",
        "m:namespace! f:function! x:parameter! x:parameter y:variable! f:variable",
    );
}

#[test]
fn attributes_and_fields() {
    check(
        "#[inline] def f {a, b = c} = {a, d = c} with d = 2\n",
        "inline:decorator f:function! a:parameter! b:property c:parameter! a:parameter d:property c:parameter d:property \
         2:number",
    );
}

#[test]
fn texts_with_errors_have_colours_and_columns_count_utf_16() {
    check(
        "def g y = y \"😀\" y\ndef f x = x +\n",
        "g:function! y:parameter! y:parameter \"😀\":string y:parameter f:function! x:parameter!",
    );
}

#[test]
fn ranges() {
    let text = "def a = 1\ndef b = 2\ndef c = 3\n";
    let at = |line: u32| json!({"line": line, "character": 0});
    let found = kinds(text, json!({"range": {"start": at(1), "end": at(2)}}));
    assert_eq!(found.join(" "), "def:keyword b:variable! =:operator 2:number");
}
