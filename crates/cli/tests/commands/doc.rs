//! `fehu doc`: pages whose links lead somewhere.

use super::{fehu, program, stderr};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

fn doc(dir: &Path) -> Output {
    fehu().args(["doc", "lib", "-o", "out"]).current_dir(dir).output().expect("fehu runs")
}

/// A library of two files, and what is written about it.
fn library() -> (tempfile::TempDir, BTreeMap<String, String>) {
    let dir = tempfile::tempdir().expect("a folder");
    let lib = dir.path().join("lib/sub");
    std::fs::create_dir_all(&lib).expect("made");
    let main = "\
-- | All about numbers & <pairs>.

import \"sub/pairs\"

-- | A pair, see `swap`@term@\"sub/pairs\" and `nothing`@term.
type numbers = (i32, i32)

-- | Adds *both*.
#[inline]
def add ((a, b): numbers) = a + b

local def hidden = 1

-- | Things that can be added.
module type monoid = {
  type t
  -- | The operation on `t`@type.
  val <+> : t -> t -> t
  val zero : t
}

module m: {val x : i32} = {def x = 2}
module n = {
  -- | Inside.
  def inner = 3i64
}
module f (a: monoid) = {def twice (x: a.t) = x a.<+> x}
";
    program(dir.path().join("lib").as_path(), "numbers.fut", main);
    program(&lib, "pairs.fut", "-- | Pairs.\n\ndef swap 'a 'b (x: a, y: b) = (y, x)\n");
    program(&lib, "tests.fut", "-- | ignore\n\ndef x = 1\n");
    let done = doc(dir.path());
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(stderr(&done), "fehu: numbers.fut: `nothing`@term leads nowhere\n");
    let mut pages = BTreeMap::new();
    read(&dir.path().join("out"), "", &mut pages);
    (dir, pages)
}

fn read(folder: &Path, prefix: &str, pages: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => read(&entry.path(), &format!("{name}/"), pages),
            false => drop(pages.insert(name, std::fs::read_to_string(entry.path()).expect("text"))),
        }
    }
}

#[test]
fn pages_say_what_comments_say() {
    let (_dir, pages) = library();
    let names: Vec<&str> = pages.keys().map(String::as_str).collect();
    let expected = [
        "doc/numbers.html",
        "doc/sub/pairs.html",
        "index.html",
        "names.html",
        "src/numbers.html",
        "src/sub/pairs.html",
        "style.css",
    ];
    assert_eq!(names, expected, "files that want no documentation get none");
    let page = &pages["doc/numbers.html"];
    for part in [
        "<p>All about numbers &amp; &lt;pairs&gt;.</p>",
        "<p>Adds <em>both</em>.</p>",
        "href=\"../doc/sub/pairs.html#term-swap\"><code>swap</code></a>",
        "id=\"type-numbers\"",
        "id=\"term-n.inner\"",
        "id=\"term-monoid.:3c+:3e\"",
        "href=\"../src/numbers.html#L9\"",
    ] {
        let part = part.replace(":3c+:3e", ":3c:2b:3e");
        assert!(page.contains(&part), "{part}\n{page}");
    }
    // A list of what is on the page, beside it, with the beginnings of comments.
    for part in [
        "<h2>Module types</h2>",
        "<h2>Values</h2>\n<ul>\n<li class=\"in0\"><a href=\"#term-add\" title=\"Adds *both*.\">add</a></li>",
        "<li class=\"in1\"><a href=\"#term-n.inner\" title=\"Inside.\">inner</a></li>",
        "<span class=\"keyword\">val</span>",
        "<title>numbers - lib</title>",
        "<a class=\"site\" href=\"../index.html\">lib</a>",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(pages["src/numbers.html"].contains("<span class=\"comment\">-- | All about"));
    assert!(!pages["src/numbers.html"].contains("</span>\n<span class=\"line\""), "lines are blocks already");
    assert!(pages["index.html"].contains("<h1>lib</h1>"));
    assert!(!page.contains("hidden") && !page.contains("#[inline]"), "{page}");
    assert!(pages["index.html"].contains("All about numbers &amp;"));
    assert!(pages["names.html"].contains("type=\"search\""));
}

#[test]
fn abbreviations_are_links() {
    let dir = tempfile::tempdir().expect("a folder");
    let lib = dir.path().join("lib");
    std::fs::create_dir(&lib).expect("made");
    let text = "-- | Rows.\n\n-- | A row.\ntype~ row = []i32\n\n\
                -- | Large ones.\ndef big (xs: row): row = filter (> 9) xs\n";
    program(&lib, "rows.fut", text);
    assert!(doc(dir.path()).status.success());
    let page = std::fs::read_to_string(dir.path().join("out/doc/rows.html")).expect("a page");
    assert_eq!(page.matches("#type-row\">row</a>").count(), 2, "{page}");
    assert!(!page.contains("[d]"), "{page}");
}

#[test]
fn every_link_leads_somewhere() {
    let (_dir, pages) = library();
    let mut links = 0;
    for (path, text) in pages.iter().filter(|(p, _)| p.ends_with(".html")) {
        for link in text.split("href=\"").skip(1).filter_map(|t| t.split('"').next()) {
            let (file, anchor) = link.split_once('#').map_or((link, None), |(f, a)| (f, Some(a)));
            let mut parts: Vec<&str> = path.split('/').collect();
            parts.pop();
            for part in file.split('/') {
                match part {
                    ".." => drop(parts.pop()),
                    part => parts.push(part),
                }
            }
            // A link without a file is to a place on the page itself.
            let target = if file.is_empty() { path.clone() } else { parts.join("/") };
            let page = pages.get(&target).unwrap_or_else(|| panic!("{path}: {link} leads nowhere"));
            if let Some(anchor) = anchor {
                assert!(page.contains(&format!("id=\"{anchor}\"")), "{path}: no place {link}");
            }
            links += 1;
        }
    }
    assert!(links > 20, "{links}");
}

#[test]
fn tags_are_balanced() {
    let (_dir, pages) = library();
    for (path, text) in pages.iter().filter(|(p, _)| p.ends_with(".html")) {
        for tag in [
            "section", "main", "aside", "ul", "li", "h2", "form", "div", "p", "a", "pre", "table", "tr",
            "td", "code", "span", "body", "html",
        ] {
            let opened =
                text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "{path}: {tag}");
        }
    }
}

#[test]
fn mistakes() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("lib")).expect("made");
    assert!(stderr(&doc(dir.path())).contains("there are no .fut files"));
    program(&dir.path().join("lib"), "a.fut", "def x = y\n");
    let done = doc(dir.path());
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("Unknown name") && !dir.path().join("out").exists());
}

#[test]
fn examples_are_checked() {
    let dir = tempfile::tempdir().expect("a folder");
    let lib = dir.path().join("lib");
    std::fs::create_dir(&lib).expect("made");
    let text = "\
-- | Adds.
--
-- ```futhark
-- add 1 2 == 3
-- ```
--
-- ```futhark
-- def f = add 1
-- def g = map f [2, 3]
-- ```
--
-- ```
-- add is not checked here
-- ```
def add (a: i32) (b: i32) = a + b

module m = {
  -- | Wrong.
  --
  -- ```futhark
  -- add 1 true
  -- ```
  --
  -- ```futhark
  -- def f =
  -- ```
  def x = 1
}
";
    program(&lib, "a.fut", text);
    let done = doc(dir.path());
    assert!(done.status.success(), "{}", stderr(&done));
    let said = stderr(&done);
    assert_eq!(said.matches("lib/a.fut:18: an example is wrong").count(), 2, "{said}");
    assert!(said.contains("add 1 true") && !said.contains("add 1 2"), "{said}");
}

#[test]
fn a_project_is_documented_without_being_named() {
    let dir = tempfile::tempdir().expect("a folder");
    program(dir.path(), "futhark.pkg", "package example.org/me/mine\n\nrequire {\n}\n");
    for folder in ["lib/example.org/me/mine", "lib/example.org/other", "sub"] {
        std::fs::create_dir_all(dir.path().join(folder)).expect("made");
    }
    program(&dir.path().join("lib/example.org/me/mine"), "own.fut", "-- | Ours.\n\ndef x = 1i32\n");
    program(&dir.path().join("lib/example.org/other"), "other.fut", "def x = not_checked\n");
    program(dir.path(), "main.fut", "-- | The program.\n\nentry main (x: i32) = x\n");
    let done = fehu().arg("doc").current_dir(dir.path().join("sub")).output().expect("fehu runs");
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(super::stdout(&done), "Wrote ../build/doc/index.html\n");
    let first = std::fs::read_to_string(dir.path().join("build/doc/index.html")).expect("a page");
    let at = |text: &str| first.find(text).unwrap_or_else(|| panic!("{text}: {first}"));
    assert!(at("<h1>example.org/me/mine</h1>") < at("Ours.") && at("Ours.") < at("The program."), "{first}");
    assert!(!first.contains("other") && !first.contains("Packages"), "{first}");
    // A folder that is no project has all of its files, the packages last.
    std::fs::remove_file(dir.path().join("futhark.pkg")).expect("removed");
    program(&dir.path().join("lib/example.org/other"), "other.fut", "def x = 1i32\n");
    let done = fehu().args(["doc", ".", "-o", "out"]).current_dir(dir.path()).output().expect("fehu runs");
    assert!(done.status.success(), "{}", stderr(&done));
    let first = std::fs::read_to_string(dir.path().join("out/index.html")).expect("a page");
    let at = |text: &str| first.find(text).unwrap_or_else(|| panic!("{text}: {first}"));
    assert!(at("The program.") < at("<h2>Packages</h2>") && at("<h2>Packages</h2>") < at("other"), "{first}");
    let nowhere = fehu().arg("doc").current_dir(dir.path()).output().expect("fehu runs");
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(stderr(&nowhere).contains("`fehu new NAME` makes a project"), "{}", stderr(&nowhere));
}

#[test]
fn the_prelude_has_pages() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let out = dir.path().join("out").display().to_string();
    let made = fehu().args(["doc", "--prelude", "-o", &out]).output().expect("fehu runs");
    assert!(made.status.success(), "{}", stderr(&made));
    let page = std::fs::read_to_string(dir.path().join("out/doc/soacs.html")).expect("a page");
    assert!(page.contains("Apply a function to each element."), "{page}");
    assert!(!dir.path().join("out/doc/intrinsics.html").exists());
}
