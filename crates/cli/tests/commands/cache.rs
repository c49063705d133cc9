//! `fehu run` never runs what another user put into its way. The cache's own tests are in the driver.

use super::{fehu, program, stderr, stdout};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

struct Scene {
    dir: tempfile::TempDir,
    program: PathBuf,
}

impl Scene {
    fn new() -> Scene {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let program = program(dir.path(), "prog.fut", "entry main = 42i32\n");
        Scene { dir, program }
    }

    /// Runs the program in its folder, with these variables (without a value: not set).
    fn run(&self, variables: &[(&str, Option<&str>)]) -> Output {
        let mut command = fehu();
        command.arg("run").arg(&self.program).current_dir(self.dir.path()).stdin(Stdio::null());
        for (name, value) in variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let done = command.output().expect("fehu runs");
        assert_eq!(stdout(&done), "42i32\n", "{}", stderr(&done));
        done
    }

    fn cache(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    fn cached(&self) -> Output {
        let cache = self.cache().display().to_string();
        self.run(&[("XDG_CACHE_HOME", Some(&cache))])
    }

    fn entries(&self) -> Vec<PathBuf> {
        files(&self.cache().join("fehu"))
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect()
}

#[test]
fn nothing_is_left_in_the_current_folder() {
    let scene = Scene::new();
    let cases = [
        (None, None),
        (Some(""), Some("")),
        (Some("."), None),
        (None, Some(".")),
        (Some("home"), Some("cache")),
    ];
    for (home, xdg) in cases {
        let done = scene.run(&[("HOME", home), ("XDG_CACHE_HOME", xdg)]);
        assert_eq!(stderr(&done), "");
        assert_eq!(files(scene.dir.path()), std::slice::from_ref(&scene.program), "{home:?} {xdg:?}");
    }
}

#[test]
fn a_planted_or_damaged_entry_is_replaced() {
    let scene = Scene::new();
    scene.cached();
    let [entry] = &scene.entries()[..] else { panic!("one entry: {:?}", scene.entries()) };
    for evil in ["#!/bin/sh\necho evil\n", ""] {
        std::fs::write(entry, evil).expect("planted");
        scene.cached();
        assert_ne!(std::fs::read(entry).expect("an entry"), evil.as_bytes());
    }
}

#[test]
fn the_second_run_needs_no_compiler() {
    let scene = Scene::new();
    scene.cached();
    let before = scene.entries();
    scene.cached();
    assert_eq!(scene.entries(), before);
}

#[test]
fn an_entry_that_cannot_be_started_is_replaced() {
    let scene = Scene::new();
    scene.cached();
    let [entry] = &scene.entries()[..] else { panic!("one entry: {:?}", scene.entries()) };
    std::fs::set_permissions(entry, std::fs::Permissions::from_mode(0o600)).expect("set");
    scene.cached();
    let mode = std::fs::metadata(entry).expect("an entry").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_folder_that_others_may_write_to_is_not_used() {
    let scene = Scene::new();
    scene.cached();
    let folder = scene.cache().join("fehu");
    let count = scene.entries().len();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).expect("opened");
    let evil = "#!/bin/sh\necho evil\n";
    for entry in scene.entries() {
        std::fs::write(entry, evil).expect("planted");
    }
    let done = scene.cached();
    assert!(stderr(&done).contains("is not used"), "{}", stderr(&done));
    assert_eq!(scene.entries().len(), count);
}

#[test]
fn a_cache_that_cannot_be_written_does_no_harm() {
    let scene = Scene::new();
    std::fs::write(scene.cache(), "a file where the folder should be").expect("written");
    let done = scene.cached();
    assert!(stderr(&done).contains("is not used"), "{}", stderr(&done));
}

#[test]
fn the_cache_is_shown_and_cleaned() {
    let scene = Scene::new();
    scene.cached();
    let cache = |args: &[&str]| {
        let done = fehu().arg("cache").args(args).env("XDG_CACHE_HOME", scene.cache()).output();
        stdout(&done.expect("fehu runs"))
    };
    let shown = cache(&[]);
    assert!(shown.contains("1 executable,") && shown.contains("cache/fehu"), "{shown}");
    assert!(cache(&["clean"]).starts_with("Removed 1 executable,"));
    assert!(scene.entries().is_empty());
    assert!(cache(&[]).contains("0 executables"));
}

#[test]
fn messages_of_the_program_begin_with_its_name() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    program(dir.path(), "fails.fut", "entry main (x: i32) = assert (x > 0) x\n");
    let mut command = fehu();
    command.args(["run", "fails.fut"]).current_dir(dir.path()).env("XDG_CACHE_HOME", dir.path().join("c"));
    let input = program(dir.path(), "input", "0");
    let done = command.stdin(std::fs::File::open(input).expect("input")).output().expect("fehu runs");
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).starts_with("fails: Error:"), "{}", stderr(&done));
}
