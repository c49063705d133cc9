//! The commands, in the order in which people use them.

use super::repositories::{commit, git, path, said, version, write, World};
use fehu_pkg::{Access, Event};

#[test]
fn from_init_to_upgrade() {
    let world = World::new();
    world.release("example.org/foo", "0.1.0", "");
    world.release("example.org/bar", "1.0.0", "");
    world.release("example.org/foo", "0.2.0", "example.org/bar 1.0.0");
    let project = world.project();
    project.init(&path("example.org/me/mine")).expect("made");
    assert_eq!(world.manifest(), "package example.org/me/mine\n\nrequire {\n}\n");
    assert!(world.project_folder().join("lib/example.org/me/mine").is_dir());
    assert!(said(project.init(&path("a/b"))).contains("already"));
    write(&world.project_folder(), "lib/example.org/me/mine/own.fut", "def x = 1\n");

    let added = project.add(&mut world.online(), &path("example.org/foo"), Some(version("0.1.0")));
    assert_eq!(added.expect("added").to_string(), "Added example.org/foo 0.1.0.");
    let hash = git(&world.repository("example.org/foo"), &["rev-parse", "v0.1.0"]);
    let line = format!("  example.org/foo 0.1.0 #{}\n", hash.trim());
    assert!(world.manifest().contains(&line), "{}", world.manifest());
    assert_eq!(world.lib(), ["example.org/me/mine/own.fut: def x = 1"], "only sync changes lib");

    project.sync(&mut world.online()).expect("synced");
    let expected =
        ["example.org/foo/file.fut: def version = \"0.1.0\"", "example.org/me/mine/own.fut: def x = 1"];
    assert_eq!(world.lib(), expected);
    project.check(&mut world.online()).expect("fine");

    let upgraded = project.upgrade(&mut world.online()).expect("upgraded");
    assert_eq!(upgraded.len(), 1);
    assert_eq!(upgraded[0].to_string(), "Upgraded example.org/foo 0.1.0 => 0.2.0.");
    assert_eq!(project.upgrade(&mut world.online()).expect("fine"), [Event::UpToDate]);
    project.sync(&mut world.online()).expect("synced");
    assert_eq!(
        world.lib(),
        [
            "example.org/bar/file.fut: def version = \"1.0.0\"",
            "example.org/foo/file.fut: def version = \"0.2.0\"",
            "example.org/me/mine/own.fut: def x = 1",
        ]
    );

    project.remove(&path("example.org/foo")).expect("removed");
    assert!(said(project.remove(&path("example.org/foo"))).contains("not required"));
    project.sync(&mut world.online()).expect("synced");
    assert_eq!(world.lib(), ["example.org/me/mine/own.fut: def x = 1"]);
    for left in ["lib~new", "lib~old"] {
        assert!(!world.project_folder().join(left).exists(), "{left}");
    }
}

#[test]
fn a_project_that_is_no_package() {
    let world = World::new();
    world.release("example.org/foo", "1.0.0", "");
    let project = world.project();
    assert!(said(project.sync(&mut world.online())).contains("there is no futhark.pkg"));
    project.add(&mut world.online(), &path("example.org/foo"), None).expect("added");
    assert!(world.manifest().starts_with("require {\n  example.org/foo 1.0.0 #"));
    project.check(&mut world.online()).expect("fine");
}

#[test]
fn major_versions() {
    let world = World::new();
    world.release("example.org/foo", "0.1.0", "");
    world.release("example.org/foo", "1.4.0", "");
    world.release("example.org/foo@2", "2.0.0", "");
    world.release("example.org/foo@2", "2.1.0", "");
    git(&world.repository("example.org/foo"), &["tag", "v3"]);
    git(&world.repository("example.org/foo"), &["tag", "latest"]);
    let shown = |p: &str| -> Vec<String> {
        let versions = world.online().versions(&path(p)).expect("versions");
        versions.iter().map(ToString::to_string).collect()
    };
    assert_eq!(shown("example.org/foo"), ["0.1.0", "1.4.0"]);
    assert_eq!(shown("example.org/foo@2"), ["2.0.0", "2.1.0"]);
    let project = world.project();
    let wrong = project.add(&mut world.online(), &path("example.org/foo"), Some(version("2.0.0")));
    assert!(said(wrong).contains("its package path would be example.org/foo@2"));
    project.add(&mut world.online(), &path("example.org/foo"), None).expect("added");
    project.add(&mut world.online(), &path("example.org/foo@2"), Some(version("2.0.0"))).expect("added");
    project.sync(&mut world.online()).expect("synced");
    assert_eq!(
        world.lib(),
        [
            "example.org/foo/file.fut: def version = \"1.4.0\"",
            "example.org/foo@2/file.fut: def version = \"2.0.0\"",
        ]
    );
}

#[test]
fn commits_without_releases() {
    let world = World::new();
    let repository = world.repository("example.org/foo");
    write(&repository, "futhark.pkg", "package example.org/foo\nrequire {}\n");
    write(&repository, "lib/example.org/foo/file.fut", "def x = 1\n");
    let first = commit(&repository, "first");
    write(&repository, "lib/example.org/foo/file.fut", "def x = 2\n");
    let second = commit(&repository, "second");
    let project = world.project();
    project.add(&mut world.online(), &path("example.org/foo"), None).expect("added");
    assert!(world.manifest().contains(&format!("+{second}\n")), "{}", world.manifest());
    let older = version(&format!("0.0.0-20180801102532+{first}"));
    project.add(&mut world.online(), &path("example.org/foo"), Some(older)).expect("added");
    project.sync(&mut world.online()).expect("synced");
    assert_eq!(world.lib(), ["example.org/foo/file.fut: def x = 1"]);
    assert_eq!(project.upgrade(&mut world.online()).expect("fine"), [Event::UpToDate]);
    git(&repository, &["tag", "v0.1.0"]);
    project.upgrade(&mut world.online()).expect("upgraded");
    assert!(world.manifest().contains(&format!("example.org/foo 0.1.0 #{second}")));
}

#[test]
fn what_was_fetched_is_there_without_the_network() {
    let world = World::new();
    world.release("example.org/foo", "0.1.0", "");
    let project = world.project();
    let offline = || world.registry(Access::Cache);
    assert!(said(project.add(&mut offline(), &path("example.org/foo"), None)).contains("not in the cache"));
    project.add(&mut world.online(), &path("example.org/foo"), None).expect("added");
    let gone = world.repository("gone");
    std::fs::rename(world.repository("example.org"), &gone).expect("moved");
    project.sync(&mut world.online()).expect("no network is needed");
    project.sync(&mut offline()).expect("synced");
    assert_eq!(world.lib(), ["example.org/foo/file.fut: def version = \"0.1.0\""]);
    assert_eq!(project.upgrade(&mut offline()).expect("fine"), [Event::UpToDate]);
    let newer = project.add(&mut offline(), &path("example.org/foo"), Some(version("0.9.0")));
    assert!(said(newer).contains("--offline"));
}

#[test]
fn what_is_not_there() {
    let world = World::new();
    world.release("example.org/foo", "0.1.0", "");
    let project = world.project();
    let missing = project.add(&mut world.online(), &path("example.org/foo"), Some(version("0.3.0")));
    assert!(said(missing).contains("has no version 0.3.0; it has 0.1.0"));
    let nowhere = said(project.add(&mut world.online(), &path("sorts"), None));
    let begins =
        "could not fetch sorts: there is no host `sorts`. A package path is the address of a repository, as";
    assert_eq!(nowhere, format!("{begins} github.com/user/repository"));
    let short = said(project.add(&mut world.online(), &path("user/sorts@2"), None));
    assert!(short.ends_with("; perhaps github.com/user/sorts@2 is meant"), "{short}");
    let offline = said(project.add(&mut world.registry(Access::Cache), &path("user/sorts@2"), None));
    assert!(offline.contains("not in the cache"), "a failed fetch leaves no copy: {offline}");
    world.release("example.org/bar", "1.0.0", "example.org/foo 0.7.0");
    project.add(&mut world.online(), &path("example.org/bar"), None).expect("added");
    assert!(said(project.sync(&mut world.online())).contains("example.org/foo has no version 0.7.0"));
    assert!(said(project.check(&mut world.online())).contains("example.org/foo has no version 0.7.0"));
    assert!(!world.project_folder().join("lib").exists(), "nothing was stored");
}

#[test]
fn a_release_that_changes_is_noticed() {
    let world = World::new();
    world.release("example.org/foo", "0.1.0", "");
    let project = world.project();
    project.add(&mut world.online(), &path("example.org/foo"), None).expect("added");
    let changed = world.manifest().replace('#', "#0").replace("\n}", " -- why\n}");
    let hash = changed.split('#').nth(1).expect("a hash").chars().take(40).collect::<String>();
    world
        .set_manifest(&changed.replace(changed.split('#').nth(1).expect("a hash"), &format!("{hash}\n}}\n")));
    assert!(said(project.sync(&mut world.online())).contains("has changed: it is commit"));
}

#[test]
fn a_renamed_repository_is_stored_under_its_new_name() {
    let world = World::new();
    world.release("example.org/old", "1.0.0", "");
    std::fs::rename(world.repository("example.org/old"), world.repository("example.org/new")).expect("moved");
    let project = world.project();
    project.add(&mut world.online(), &path("example.org/new"), None).expect("added");
    project.sync(&mut world.online()).expect("synced");
    assert_eq!(world.lib(), ["example.org/new/file.fut: def version = \"1.0.0\""]);
}

#[test]
fn packages_may_require_this_one() {
    let world = World::new();
    world.release("example.org/mine", "1.0.0", "");
    world.release("example.org/foo", "1.0.0", "example.org/mine 1.0.0");
    let project = world.project();
    project.init(&path("example.org/mine")).expect("made");
    write(&world.project_folder(), "lib/example.org/mine/own.fut", "def x = 1\n");
    assert!(said(project.add(&mut world.online(), &path("example.org/mine"), None)).contains("itself"));
    project.add(&mut world.online(), &path("example.org/foo"), None).expect("added");
    project.sync(&mut world.online()).expect("synced");
    assert_eq!(
        world.lib(),
        ["example.org/foo/file.fut: def version = \"1.0.0\"", "example.org/mine/own.fut: def x = 1"]
    );
}

#[test]
fn an_interrupted_run_is_undone() {
    let world = World::new();
    world.set_manifest("require {}");
    let folder = world.project_folder();
    write(&folder, "lib~old/a/b/kept.fut", "def x = 1\n");
    write(&folder, "lib~new/a/half.fut", "");
    world.set_manifest("package a/b");
    world.project().sync(&mut world.online()).expect("synced");
    assert_eq!(world.lib(), ["a/b/kept.fut: def x = 1"]);
    assert!(!folder.join("lib~old").exists() && !folder.join("lib~new").exists());
}

#[test]
fn formatting() {
    let world = World::new();
    world.set_manifest("package a/b -- why\nrequire { c/d 1.0.0 }");
    world.project().fmt().expect("formatted");
    assert_eq!(world.manifest(), "package a/b\n\n-- why\nrequire {\n  c/d 1.0.0\n}\n");
    world.set_manifest("package a/b c");
    assert!(said(world.project().fmt()).contains("expected 'require'"));
}
