//! `fehu pkg`: from a new project to a program that uses a package.

use super::{example, fehu, program, stderr, stdout};
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
    assert_eq!(stdout(&added), "Added example.org/twice 1.2.0.\n", "{}", stderr(&added));
    assert!(project.join("lib/example.org/twice/twice.fut").is_file(), "it is fetched");
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
    assert!(!project.join("lib/example.org").exists(), "it is gone");
}

#[test]
fn packages_are_added_from_below_and_other_files_stay() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    repository(&at("repositories/example.org/twice"));
    std::fs::create_dir_all(at("demo/lib/mine")).expect("made");
    std::fs::create_dir_all(at("demo/sub")).expect("made");
    program(&at("demo"), "futhark.pkg", "require {\n}\n");
    program(&at("demo/lib/mine"), "own.fut", "def x = 1i32\n");
    let pkg = |args: &[&str]| {
        let mut fehu = fehu();
        fehu.current_dir(at("demo/sub")).arg("pkg").args(args).env("XDG_CACHE_HOME", at("cache"));
        fehu.env("FEHU_PKG_FROM", at("repositories")).output().expect("fehu runs")
    };
    let added = pkg(&["add", "example.org/twice"]);
    assert_eq!(added.status.code(), Some(1));
    assert!(stderr(&added).contains("lib/mine/own.fut belongs to no package"), "{}", stderr(&added));
    assert!(at("demo/lib/mine/own.fut").is_file());
    std::fs::rename(at("demo/lib/mine"), at("demo/mine")).expect("moved");
    assert!(pkg(&["add", "example.org/twice"]).status.success());
    assert!(at("demo/lib/example.org/twice/twice.fut").is_file() && !at("demo/sub/lib").exists());
}

#[test]
fn packages_are_found_by_words() {
    let search = |words: &[&str]| super::run(&[&["pkg", "search"], words].concat());
    let found = stdout(&search(&["random", "numbers"]));
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(found.starts_with("github.com/diku-dk/cpprandom  random numbers"), "{found}");
    assert!(stdout(&search(&[])).lines().count() > 20);
    let none = search(&["no-such-thing"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("`no-such-thing`"), "{}", stderr(&none));
}

/// What a user types in the first hour, one command after the other; how long each one takes goes to the
/// file `times`. The first is that of the README.
const FIRST_HOUR: &str = r#"
set -eu
times=$PWD/times
fehu() {
  begin=$(date +%s%3N)
  code=0
  command fehu "$@" || code=$?
  echo "$(($(date +%s%3N) - begin)) ms: fehu $*" >> "$times"
  return $code
}
echo '[1.0, 2.0] [3.0, 4.0]' | fehu run "$DOT"
fehu new demo
cd demo
echo '[1.0, 2.0]' | fehu run demo.fut
fehu test --no-terminal demo.fut
fehu pkg add example.org/twice
cat > use.fut <<'END'
import "lib/example.org/twice/twice"

-- | Twice the sum.
--
-- ```futhark
-- doubled_sum [1, 2] == 6
-- ```
-- ==
-- entry: doubled_sum
-- input { [1, 2] } output { 6 }
-- random input { [1000]i32 }
entry doubled_sum [n] (xs: [n]i32) = twice (i64.sum xs)
END
if fehu check use.fut; then echo 'the mistake is not found'; exit 1; fi
sed -i 's/i64.sum/i32.sum/' use.fut
fehu check use.fut
fehu fmt --check use.fut
fehu test --no-terminal use.fut
fehu bench --runs 2 --no-convergence-phase use.fut
fehu doc use.fut -o pages
fehu literate use.fut
ls pages/index.html use.md
fehu pkg remove example.org/twice
"#;

#[test]
fn the_first_hour() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    repository(&at("repositories/example.org/twice"));
    let binary = Path::new(env!("CARGO_BIN_EXE_fehu"));
    let folder = binary.parent().expect("a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let done = Command::new("sh")
        .args(["-c", FIRST_HOUR])
        .current_dir(dir.path())
        .env("PATH", path)
        .env("XDG_CACHE_HOME", at("cache"))
        .env("FEHU_PKG_FROM", at("repositories"))
        .env("DOT", example("dot.fut"))
        .output()
        .expect("sh runs");
    let (out, err) = (stdout(&done), stderr(&done));
    assert!(done.status.success(), "{out}\n{err}");
    let times = std::fs::read_to_string(at("times")).expect("times are written");
    println!("{times}");
    let total: u64 = times.lines().filter_map(|l| l.split(' ').next()?.parse::<u64>().ok()).sum();
    println!("{total} ms in all");
    assert!(times.lines().count() >= 13, "{times}");
    for part in [
        "11.0f64",
        "1.5f64",
        "1/1 passed.",
        "Added example.org/twice 1.2.0.",
        "use.fut:doubled_sum",
        "use.md",
    ] {
        assert!(out.contains(part), "{part}: {out}\n{err}");
    }
    assert!(err.contains("i64.sum"), "{err}");
    assert!(!err.contains("an example is wrong"), "{err}");
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
