use super::{Manifest, Require};
use crate::path::PkgPath;
use crate::version::Version;
use std::path::Path;

fn read(text: &str) -> Manifest {
    let manifest = Manifest::read(Path::new("futhark.pkg"), text.to_owned());
    manifest.unwrap_or_else(|e| panic!("{e}"))
}

fn wrong(text: &str) -> String {
    match Manifest::read(Path::new("futhark.pkg"), text.to_owned()) {
        Ok(manifest) => panic!("{manifest:?}"),
        Err(e) => e.to_string(),
    }
}

fn require(path: &str, version: &str, hash: Option<&str>) -> Require {
    Require {
        path: PkgPath::parse(path).expect("a path"),
        version: Version::parse(version).expect("a version"),
        hash: hash.map(str::to_owned),
    }
}

fn path(text: &str) -> PkgPath {
    PkgPath::parse(text).expect("a path")
}

/// After each change, what is remembered is what the text says.
fn consistent(manifest: Manifest) -> String {
    assert_eq!(manifest, read(manifest.text()));
    manifest.text().to_owned()
}

const COMMENTED: &str = "\
-- head

package   a/b -- behind
require {  -- open
   c/d   1.0.0  #abcd  -- why

   e/f 2.0.0 -- second
-- end
} -- tail
";

#[test]
fn what_a_manifest_says() {
    let manifest = read(COMMENTED);
    assert_eq!(manifest.package(), Some(&path("a/b")));
    let expected = [require("c/d", "1.0.0", Some("abcd")), require("e/f", "2.0.0", None)];
    assert_eq!(manifest.requires(), expected);
    assert_eq!(read("").requires(), []);
    assert_eq!(read("package require\nrequire{a 1.0.0 b 2.0.0}").requires().len(), 2);
    assert_eq!(consistent(Manifest::new(None)), "require {\n}\n");
    assert_eq!(consistent(Manifest::new(Some(path("a/b")))), "package a/b\n\nrequire {\n}\n");
}

#[test]
fn mistakes_have_a_place() {
    let cases = [
        ("requires {}", "'package' or 'require'"),
        ("package", "a package path"),
        ("package ../x", "no package path"),
        ("package a\npackage b", "'require'"),
        ("require", "'{'"),
        ("require { a }", "a version"),
        ("require { a 1.0 }", "three numbers"),
        ("require { a 1.0.0 #xyz }", "hexadecimal"),
        ("require { a 1.0.0", "a package path"),
        ("require { } x", "the end of the file"),
        ("require { a/../b 1.0.0 }", "no part of a package path can be `..`"),
    ];
    for (text, part) in cases {
        let said = wrong(text);
        assert!(said.contains(part) && said.contains("--> futhark.pkg:"), "{text}: {said}");
    }
}

#[test]
fn a_requirement_is_added_where_the_braces_end() {
    let new = || require("x/y", "0.1.0", Some("beef"));
    assert_eq!(consistent(read("").with(new())), "require {\n  x/y 0.1.0 #beef\n}\n");
    assert_eq!(
        consistent(read("package a -- why").with(new())),
        "package a -- why\n\nrequire {\n  x/y 0.1.0 #beef\n}\n"
    );
    assert_eq!(consistent(read("require {}").with(new())), "require {\n  x/y 0.1.0 #beef\n}");
    assert_eq!(
        consistent(read("require { c 1.0.0 }\n").with(new())),
        "require { c 1.0.0\n  x/y 0.1.0 #beef\n}\n"
    );
    let text = COMMENTED.replace("-- end\n", "-- end\n  x/y 0.1.0 #beef\n");
    assert_eq!(consistent(read(COMMENTED).with(new())), text);
    let two = read("").with(new()).with(require("z", "1.0.0", None)).with(require("x/y", "0.2.0", None));
    assert_eq!(consistent(two), "require {\n  x/y 0.2.0\n  z 1.0.0\n}\n");
}

#[test]
fn a_requirement_is_replaced_in_its_place() {
    let text = COMMENTED.replace("c/d   1.0.0  #abcd", "c/d 1.1.0 #ffff");
    assert_eq!(consistent(read(COMMENTED).with(require("c/d", "1.1.0", Some("ffff")))), text);
}

#[test]
fn a_requirement_is_removed_without_its_comment() {
    let text = COMMENTED.replace("c/d   1.0.0  #abcd  -- why", "-- why");
    assert_eq!(consistent(read(COMMENTED).without(&path("c/d"))), text);
    let twice = "require {\n  a 1.0.0\n  b 1.0.0\n  a 2.0.0\n}\n";
    assert_eq!(consistent(read(twice).without(&path("a"))), "require {\n  b 1.0.0\n}\n");
    assert_eq!(consistent(read("require { a 1.0.0 b 1.0.0 }").without(&path("a"))), "require { b 1.0.0 }");
    assert_eq!(consistent(read("require { a 1.0.0 b 1.0.0 }").without(&path("b"))), "require { a 1.0.0 }");
}

#[test]
fn formatting_keeps_comments() {
    let text = "\
-- head
package a/b

-- behind
require {
  -- open
  c/d 1.0.0 #abcd
  -- why
  e/f 2.0.0
  -- second
  -- end
}
-- tail
";
    assert_eq!(read(COMMENTED).formatted(), text);
    assert_eq!(read(text).formatted(), text);
    assert_eq!(read("").formatted(), "require {\n}\n");
    assert_eq!(read("package a").formatted(), "package a\n\nrequire {\n}\n");
    assert_eq!(
        read("package require require { require 1.0.0 }").formatted(),
        "package require\n\nrequire {\n  require 1.0.0\n}\n"
    );
    assert_eq!(read("require { a -- in\n 1.0.0 }").formatted(), "require {\n  a 1.0.0\n  -- in\n}\n");
}
