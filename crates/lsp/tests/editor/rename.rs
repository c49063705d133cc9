//! Renaming: which texts there are afterwards, or why it was refused.

use super::client::{answer, ask, edited, open, talk_in};
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// What the texts are after the thing at `¦` got another name.
fn renamed(files: &[(&str, &str)], new: &str) -> Result<BTreeMap<String, String>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path");
    let uri = |name: &str| format!("file://{}/{name}", path.display());
    let mut place = None;
    for (name, text) in files {
        let text = match text.find('¦') {
            Some(at) => {
                let line = text[..at].matches('\n').count();
                let column = at - text[..at].rfind('\n').map_or(0, |i| i + 1);
                let text = text.replacen('¦', "", 1);
                place = Some((name, line as u32, column as u32, text.clone()));
                text
            }
            None => (*text).to_owned(),
        };
        std::fs::write(path.join(name), text).expect("written");
    }
    let (name, line, column, text) = place.expect("a place");
    let mut request = ask("rename", &uri(name), line, column);
    request["params"]["newName"] = json!(new);
    let changes = match answer(&talk_in(&path, &[open(&uri(name), &text), request])) {
        Value::String(why) => return Err(why),
        result => result["changes"].clone(),
    };
    let all = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), edited(&text.replacen('¦', "", 1), &changes[uri(name)])));
    Ok(all.collect())
}

#[track_caller]
fn check(marked: &str, new: &str, expected: &str) {
    let texts = renamed(&[("a.fut", marked)], new);
    assert_eq!(texts.as_ref().map(|t| t["a.fut"].as_str()), Ok(expected));
}

#[track_caller]
fn refuse(marked: &str, new: &str, why: &str) {
    match renamed(&[("a.fut", marked)], new) {
        Err(found) => assert!(found.contains(why), "{found}"),
        Ok(texts) => panic!("{texts:?}"),
    }
}

#[test]
fn types_and_their_parameters() {
    check("type t¦ = i32\ndef f (x: t): t = x\n", "u", "type u = i32\ndef f (x: u): u = x\n");
    check(
        "type^ p '^a¦ [n] = {l: [n]i32, r: [n]i32 -> a}\ndef f 't (x: t): t = x\n",
        "b",
        "type^ p '^b [n] = {l: [n]i32, r: [n]i32 -> b}\ndef f 't (x: t): t = x\n",
    );
    check("def f 't [n] (x: [n¦]t): [n]t = x\n", "m", "def f 't [m] (x: [m]t): [m]t = x\n");
}

#[test]
fn fields_and_constructors() {
    check(
        "type p = {x¦: i32, y: i32}\ntype q = {x: i32}\ndef f ({x, y}: p): p = {x, y = y + x} with x = {x = 1}.x\n",
        "z",
        "type p = {z: i32, y: i32}\ntype q = {x: i32}\ndef f ({z = x, y}: p): p = {z = x, y = y + x} with z = {x = 1}.x\n",
    );
    check(
        "def f (s: #a i32 | #b): i32 =\n  match s\n  case #a¦ n -> n\n  case #b -> 0\ndef g = f (#a 1)\n",
        "first",
        "def f (s: #first i32 | #b): i32 =\n  match s\n  case #first n -> n\n  case #b -> 0\ndef g = f (#first 1)\n",
    );
    refuse("def f (r: {x¦: i32, y: i32}) = r.x\n", "y", "Duplicate record fields");
    refuse("def f (s: #a¦ | #b) : i32 = match s case #a -> 1 case #b -> 2\n", "b", "Duplicate constructors");
}

#[test]
fn modules_module_types_and_what_is_in_them() {
    let text = |m: &str, s: &str, f: &str, v: &str| {
        format!(
            "module type {s} = {{val {v}: i32}}\nmodule {m} = {{def {v} = 1i32}}\nmodule {f} (P: {s}) = {{def w = P.{v}}}\nmodule r = {f} {m}\ndef x = {m}.{v} + r.w\n"
        )
    };
    let marked = |name: &str| text("m", "S", "F", "v").replacen(name, &format!("{name}¦"), 1);
    check(&marked("module m"), "n", &text("n", "S", "F", "v"));
    check(&marked("type S"), "T", &text("m", "T", "F", "v"));
    check(&marked("module F"), "G", &text("m", "S", "G", "v"));
    // What an argument has, and what the module type of the parameter asks for, are called the same.
    check(&marked("val v"), "zero", &text("m", "S", "F", "zero"));
    check(&text("m", "S", "F", "v").replace("P.v", "P.v¦"), "zero", &text("m", "S", "F", "zero"));
}

#[test]
fn instances_of_parametric_modules() {
    check(
        "module F (P: {val v: i32}) = {def w¦ = P.v}\nmodule r = F {def v = 1i32}\ndef x = r.w\n",
        "z",
        "module F (P: {val v: i32}) = {def z = P.v}\nmodule r = F {def v = 1i32}\ndef x = r.z\n",
    );
    check(
        "module type S = {type t val x: t}\nmodule m : S with t¦ = i32 = {type t = i32 def x = 1i32}\ndef y = m.x + 1\n",
        "u",
        "module type S = {type u val x: u}\nmodule m : S with u = i32 = {type u = i32 def x = 1i32}\ndef y = m.x + 1\n",
    );
}

#[test]
fn module_types_that_include_a_name_twice() {
    check(
        "module type S = {type t val x: t}\nmodule type T = {type t¦ = i32 include S with t = i32 include S with t = i32}\n",
        "u",
        "module type S = {type u val x: u}\nmodule type T = {type u = i32 include S with u = i32 include S with u = i32}\n",
    );
}

#[test]
fn short_forms_are_written_out() {
    check(
        "def f (r: {x: i32}) = let {x¦} = r in {x}\n",
        "y",
        "def f (r: {x: i32}) = let {x = y} = r in {x = y}\n",
    );
    check(
        "def f (xs: *[]i32) = let xs¦[0] = 1 let xs[1] = 2 in xs\n",
        "ys",
        "def f (ys: *[]i32) = let ys[0] = 1 let ys[1] = 2 in ys\n",
    );
    check(
        "def f (n: i32) = let x = n in loop x¦ for i < n do x + i\n",
        "s",
        "def f (n: i32) = let s = n in loop s for i < n do s + i\n",
    );
}

#[test]
fn names_that_would_change_the_meaning_are_refused() {
    refuse("def f (x¦: i32) = let y = 2 * x in y + x\n", "y", "would mean something else");
    refuse("def g = 1i32\ndef f (x: i32) = let y¦ = x in y + g\n", "g", "would mean something else");
    refuse("def g = 1i32\ndef f¦ = 2i32\n", "g", "Duplicate definition");
    refuse("def f¦ = 2i32\n", "loop", "is no name");
    refuse("def f = i32.su¦m [1]\n", "loss", "a name of the prelude");
    refuse("def f (x: i32¦) = x\n", "t", "no name of the program");
    refuse("def f = 1 +¦ 2\n", "plus", "and no operators");
    // Where nothing is captured, a name may hide another.
    check("def f (x: i32) = let y¦ = 2 * x in y + 1\n", "x", "def f (x: i32) = let x = 2 * x in x + 1\n");
}

#[test]
fn all_programs_of_the_workspace_are_changed() {
    let files = [
        ("shapes.fut", "def area (r: i32) = 3 * r * r\n"),
        ("main.fut", "import \"shapes\"\nentry main x = area x\n"),
        ("more.fut", "open import \"shapes\"\ndef twice x = area¦ x\n"),
        ("most.fut", "module m = import \"more\"\ndef y = m.area 1 + m.twice 2\n"),
        ("other.fut", "def area = 1i32\ndef broken = nothing\n"),
    ];
    let texts = renamed(&files, "surface").expect("changed");
    let expected = |name: &str, text: &str| assert_eq!(texts[name], text);
    expected("shapes.fut", "def surface (r: i32) = 3 * r * r\n");
    expected("main.fut", "import \"shapes\"\nentry main x = surface x\n");
    expected("more.fut", "open import \"shapes\"\ndef twice x = surface x\n");
    expected("most.fut", "module m = import \"more\"\ndef y = m.surface 1 + m.twice 2\n");
    expected("other.fut", files[4].1);
    let why = renamed(&files, "twice").expect_err("a name that another file has");
    assert!(why.contains("more.fut") || why.contains("most.fut"), "{why}");
    let why = renamed(&files, "main").expect_err("an entry point of the file by itself");
    assert!(why.contains("shapes.fut"), "{why}");
    let broken = [
        files[0],
        ("main.fut", "import \"shapes\"\ndef y = area¦ 1\n"),
        ("bad.fut", "import \"shapes\"\ndef z = area\ndef w = area nothing\n"),
    ];
    let why = renamed(&broken, "surface").expect_err("a program with errors");
    assert!(why.contains("bad.fut has errors"), "{why}");
}
