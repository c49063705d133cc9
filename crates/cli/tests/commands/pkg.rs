//! `fehu pkg`: from a new project to a program that uses a package.

use super::{fehu, program, stderr, stdout};
use std::path::Path;
use std::process::{Command, Output};

/// A repository with one release of a package that defines `twice`.
fn repository(folder: &Path) {
    let package = folder.join("lib/example.org/twice");
    std::fs::create_dir_all(&package).expect("made");
    program(&package, "twice.fut", "def twice (x: i32) = x + x\n");
    program(folder, "futhark.pkg", "package example.org/twice\n\nrequire {\n}\n");
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.org");
        }
        assert!(git.current_dir(folder).args(args).status().expect("git runs").success(), "{args:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "-m", "twice"]);
    git(&["tag", "v1.2.0"]);
}

#[test]
fn a_program_uses_a_package() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    repository(&at("repositories/example.org/twice"));
    let run = |folder: &Path, args: &[&str]| -> Output {
        let mut fehu = fehu();
        fehu.current_dir(folder).args(args).env("XDG_CACHE_HOME", at("cache"));
        fehu.env("FEHU_PKG_FROM", at("repositories")).output().expect("fehu runs")
    };
    assert!(run(dir.path(), &["new", "demo"]).status.success());
    let project = at("demo");
    let pkg = |args: &[&str]| run(&project, &[&["pkg"], args].concat());
    assert_eq!(stdout(&pkg(&["versions", "example.org/twice"])), "1.2.0\n");
    let added = pkg(&["add", "example.org/twice"]);
    assert!(stdout(&added).starts_with("Added example.org/twice 1.2.0.\n"), "{}", stderr(&added));
    let synced = pkg(&["sync", "-v"]);
    assert!(stderr(&synced).contains("Stored example.org/twice 1.2.0."), "{}", stderr(&synced));
    assert!(pkg(&["check"]).status.success());
    assert_eq!(stdout(&pkg(&["upgrade"])), "Nothing to upgrade.\n");
    let test =
        "import \"lib/example.org/twice/twice\"\n-- ==\n-- input { 2 } output { 4 }\nentry main = twice\n";
    program(&project, "use.fut", test);
    assert_eq!(stdout(&run(&project, &["test", "use.fut"])), "1/1 passed.\n");
    std::fs::remove_dir_all(at("repositories")).expect("removed");
    assert!(pkg(&["sync", "--offline"]).status.success());
    assert_eq!(stdout(&pkg(&["remove", "example.org/twice"])), "Removed example.org/twice.\n");
    assert_eq!(std::fs::read_to_string(project.join("futhark.pkg")).expect("read"), "require {\n}\n");
}

#[test]
fn mistakes() {
    let dir = tempfile::tempdir().expect("a folder");
    let pkg = |args: &[&str]| -> (Option<i32>, String) {
        let done = fehu().current_dir(dir.path()).arg("pkg").args(args).output().expect("fehu runs");
        (done.status.code(), stderr(&done))
    };
    let (code, said) = pkg(&["add", "https://example.org/x"]);
    assert!(code == Some(1) && said.contains("without a protocol"), "{said}");
    let (code, said) = pkg(&["add", "example.org/x", "1.0"]);
    assert!(code == Some(1) && said.contains("three numbers"), "{said}");
    let (code, said) = pkg(&["sync"]);
    assert!(code == Some(1) && said.contains("there is no futhark.pkg"), "{said}");
    program(dir.path(), "futhark.pkg", "require {\n  example.org/x one\n}\n");
    let (code, said) = pkg(&["sync"]);
    assert!(code == Some(1) && said.contains("futhark.pkg:2:17"), "{said}");
    let (code, _) = pkg(&["frobnicate"]);
    assert_eq!(code, Some(2));
}
