//! Repositories that mean harm: nothing outside of `lib/` changes, and `lib/` stays as it was.

use super::repositories::{commit, git, git_command, said, write, World};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

const MANIFEST: &str = "package example.org/evil\nrequire {}\n";

/// A world with a good `lib/` and a repository that is not released yet.
fn world() -> World {
    let world = World::new();
    write(&world.repository("example.org/evil"), "futhark.pkg", MANIFEST);
    write(&world.repository("example.org/evil"), "lib/example.org/evil/a.fut", "def x = 1\n");
    write(&world.project_folder(), "lib/example.org/good/a.fut", "def x = 1\n");
    world
}

/// Requires the repository's newest version: what is said, after it has been made sure that nothing happened.
fn refused(world: &World) -> String {
    git(&world.repository("example.org/evil"), &["tag", "--force", "v1.0.0"]);
    let project = world.project();
    world.set_manifest("require { example.org/evil 1.0.0 }");
    let message = said(project.sync(&mut world.online()));
    assert_eq!(world.lib(), ["example.org/good/a.fut: def x = 1"]);
    let left: Vec<_> = std::fs::read_dir(world.project_folder()).expect("a folder").collect();
    assert_eq!(left.len(), 2, "{left:?}");
    message
}

/// Makes a tree with these lines, as `git mktree` reads them.
fn make_tree(repository: &Path, lines: &str) -> String {
    let mut child = git_command(repository, &["mktree"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("written");
    let done = child.wait_with_output().expect("git ends");
    assert!(done.status.success());
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// Makes a commit whose package folder is a tree with these lines.
fn commit_tree(repository: &Path, lines: &str) {
    let tree = |lines: &str| make_tree(repository, lines);
    let manifest = git(repository, &["rev-parse", "HEAD:futhark.pkg"]);
    let package = tree(lines);
    let host = tree(&format!("040000 tree {package}\tevil\n"));
    let lib = tree(&format!("040000 tree {host}\texample.org\n"));
    let root = tree(&format!("100644 blob {}\tfuthark.pkg\n040000 tree {lib}\tlib\n", manifest.trim()));
    let made = git(repository, &["commit-tree", &root, "-m", "evil"]);
    git(repository, &["update-ref", "refs/heads/main", made.trim()]);
}

#[test]
fn links() {
    let world = world();
    let repository = world.repository("example.org/evil");
    std::os::unix::fs::symlink("/etc/passwd", repository.join("lib/example.org/evil/b.fut")).expect("a link");
    commit(&repository, "a link");
    assert!(refused(&world).contains("\"b.fut\" is a symbolic link"));
}

#[test]
fn linked_folders() {
    let world = world();
    let repository = world.repository("example.org/evil");
    std::fs::remove_dir_all(repository.join("lib/example.org/evil")).expect("removed");
    std::os::unix::fs::symlink("/etc", repository.join("lib/example.org/evil")).expect("a link");
    commit(&repository, "a link");
    assert!(refused(&world).contains("it has no folder lib/example.org/evil"));
}

#[test]
fn names_that_lead_elsewhere() {
    for name in ["..", ".", ".git"] {
        let world = world();
        let repository = world.repository("example.org/evil");
        commit(&repository, "good");
        let blob = git(&repository, &["rev-parse", "HEAD:futhark.pkg"]);
        commit_tree(&repository, &format!("100644 blob {}\t{name}\n", blob.trim()));
        assert!(refused(&world).contains("leads elsewhere"), "{name}");
    }
}

#[test]
fn a_file_and_a_folder_of_one_name() {
    let world = world();
    let repository = world.repository("example.org/evil");
    commit(&repository, "good");
    let blob = git(&repository, &["rev-parse", "HEAD:futhark.pkg"]);
    let tree = git(&repository, &["rev-parse", "HEAD:lib/example.org/evil"]);
    commit_tree(&repository, &format!("100644 blob {}\ta\n040000 tree {}\ta\n", blob.trim(), tree.trim()));
    assert!(refused(&world).contains("example.org/evil 1.0.0 is refused"));
}

#[test]
fn other_repositories() {
    let world = world();
    let repository = world.repository("example.org/evil");
    let id = commit(&repository, "good");
    commit_tree(&repository, &format!("160000 commit {id}\tmodule\n"));
    assert!(refused(&world).contains("\"module\" is another repository"));
}

#[test]
fn huge_files() {
    let world = world();
    let repository = world.repository("example.org/evil");
    let file = std::fs::File::create(repository.join("lib/example.org/evil/huge")).expect("made");
    file.set_len(65 << 20).expect("long");
    commit(&repository, "huge");
    assert!(refused(&world).contains("\"huge\" has more than 64 MiB"));
}

/// Bytes that nobody can pack.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u8
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn huge_downloads() {
    let world = world();
    let repository = world.repository("example.org/evil");
    // Neither in the package nor in its newest version, but in the repository.
    std::fs::write(repository.join("huge"), noise(3 << 20)).expect("written");
    commit(&repository, "huge");
    std::fs::remove_file(repository.join("huge")).expect("removed");
    commit(&repository, "small");
    git(&repository, &["tag", "v1.0.0"]);
    world.set_manifest("require { example.org/evil 1.0.0 }");
    let mut limited = world.online().with_max_download_bytes(1 << 20);
    let message = said(world.project().sync(&mut limited));
    assert_eq!(message, "could not fetch example.org/evil: it has more than 1 MiB");
    assert_eq!(world.lib(), ["example.org/good/a.fut: def x = 1"]);
    let left = names(&world.cache());
    assert!(left.iter().all(|name| !name.contains("evil")), "{left:?}");

    let mut limited = world.online().with_max_download_bytes(8 << 20);
    world.project().sync(&mut limited).expect("packages");
    assert_eq!(world.lib(), ["example.org/evil/a.fut: def x = 1"]);

    // Nor does a copy keep what was fetched in vain.
    std::fs::write(repository.join("huge"), noise(3 << 20)).expect("written");
    commit(&repository, "huge again");
    let packs = world.cache().join("example.org%evil.git/objects/pack");
    let before = names(&packs);
    let mut limited = world.online().with_max_download_bytes(1 << 20);
    assert!(said(world.project().upgrade(&mut limited)).contains("it has more than 1 MiB"));
    assert_eq!(names(&packs), before);
}

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = files.map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A folder that contains itself many times over: few objects, and more files than atoms.
#[test]
fn a_bomb_of_folders() {
    let world = world();
    let repository = world.repository("example.org/evil");
    commit(&repository, "good");
    let mut lines =
        format!("100644 blob {}\ta\n", git(&repository, &["rev-parse", "HEAD:futhark.pkg"]).trim());
    for _ in 0..12 {
        let tree = make_tree(&repository, &lines);
        lines = (0..10).map(|i| format!("040000 tree {tree}\tf{i}\n")).collect();
    }
    commit_tree(&repository, &lines);
    let message = refused(&world);
    assert!(message.contains("its files could not be listed, or are too many"), "{message}");
}

#[test]
fn manifests_that_lead_elsewhere() {
    for manifest in
        ["package ../../etc\n", "package -x/y\n", "require { ../x 1.0.0 }\n", "\u{0}\u{1}", "require {}"]
    {
        let world = world();
        let repository = world.repository("example.org/evil");
        write(&repository, "futhark.pkg", manifest);
        commit(&repository, "a manifest");
        let message = refused(&world);
        assert!(message.contains("example.org/evil 1.0.0"), "{manifest:?}: {message}");
    }
}

#[test]
fn no_manifest() {
    let world = world();
    let repository = world.repository("example.org/evil");
    std::fs::remove_file(repository.join("futhark.pkg")).expect("removed");
    commit(&repository, "nothing");
    assert!(refused(&world).contains("it has no futhark.pkg"));
}

#[test]
fn a_huge_manifest() {
    let world = world();
    let repository = world.repository("example.org/evil");
    write(&repository, "futhark.pkg", &format!("{MANIFEST}{}", "-- x\n".repeat(300_000)));
    commit(&repository, "huge");
    assert!(refused(&world).contains("it has no futhark.pkg"));
}

#[test]
fn lib_is_a_link() {
    let world = world();
    let repository = world.repository("example.org/evil");
    commit(&repository, "good");
    git(&repository, &["tag", "v1.0.0"]);
    let (lib, elsewhere) = (world.project_folder().join("lib"), world.repository("elsewhere"));
    std::fs::rename(&lib, &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, &lib).expect("a link");
    world.set_manifest("require { example.org/evil 1.0.0 }");
    assert!(said(world.project().sync(&mut world.online())).contains("symbolic link"));
    assert!(elsewhere.join("example.org/good/a.fut").exists());
}
