//! Attacks on the cache, and accidents.

use super::*;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::time::Duration;

const KEY: &str = "0123456789abcdef0123456789abcdef";

struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    fn new() -> Scene {
        Scene { dir: tempfile::tempdir().expect("a temporary folder") }
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("cache/fehu")
    }

    fn cache(&self) -> Cache {
        Cache::at(&self.folder()).expect("a cache")
    }

    /// A file that stands for an executable.
    fn program(&self, text: &str) -> PathBuf {
        let path = self.dir.path().join("prog");
        std::fs::write(&path, text).expect("written");
        path
    }

    fn refused(&self) -> String {
        match Cache::at(&self.folder()) {
            Err(NoCache::Refused(_, why)) => why,
            other => panic!("the cache should be refused: {other:?}"),
        }
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("the mode is set");
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn what_is_stored_is_found() {
    let scene = Scene::new();
    let cache = scene.cache();
    assert_eq!(cache.find(KEY), None);
    let entry = cache.store(KEY, &scene.program("first")).expect("stored");
    assert_eq!(cache.find(KEY), Some(entry.clone()));
    assert_eq!(cache.find(&KEY.replace('0', "1")), None);
    assert_eq!(std::fs::read_to_string(&entry).expect("read"), "first");
    assert_eq!(cache.size().expect("a size"), Size { entries: 1, bytes: 5 });
}

#[test]
fn folders_and_entries_are_private() {
    let scene = Scene::new();
    let entry = scene.cache().store(KEY, &scene.program("x")).expect("stored");
    assert_eq!(mode(&scene.folder()), 0o700);
    assert_eq!(mode(&scene.dir.path().join("cache")), 0o700);
    assert_eq!(mode(&entry), 0o700);
}

#[test]
fn a_folder_that_others_may_write_to_is_refused() {
    let scene = Scene::new();
    scene.cache();
    for bad in [0o777, 0o770, 0o702, 0o1777] {
        set_mode(&scene.folder(), bad);
        assert_eq!(scene.refused(), "other users may write to it", "{bad:o}");
    }
    set_mode(&scene.folder(), 0o755);
    scene.cache();
}

#[test]
fn a_folder_that_others_may_replace_is_refused() {
    let scene = Scene::new();
    scene.cache();
    let above = scene.dir.path().join("cache");
    set_mode(&above, 0o777);
    assert!(scene.refused().contains("other users may write to"));
    // As in /tmp, others cannot rename it there.
    set_mode(&above, 0o1777);
    scene.cache();
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    // Only root can give a folder away.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let scene = Scene::new();
    scene.cache();
    let other = Some(rustix::fs::Uid::from_raw(12345));
    rustix::fs::chown(scene.folder(), other, None).expect("given away");
    assert_eq!(scene.refused(), "it belongs to another user");
    rustix::fs::chown(scene.folder(), Some(rustix::fs::Uid::ROOT), None).expect("taken back");
    rustix::fs::chown(scene.dir.path().join("cache"), other, None).expect("given away");
    assert!(scene.refused().contains("belongs to another user"));
}

#[test]
fn an_entry_of_somebody_else_is_not_run() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let scene = Scene::new();
    let cache = scene.cache();
    let entry = cache.store(KEY, &scene.program("x")).expect("stored");
    rustix::fs::chown(&entry, Some(rustix::fs::Uid::from_raw(12345)), None).expect("given away");
    assert_eq!(cache.find(KEY), None);
}

#[test]
fn a_link_instead_of_the_folder_is_refused() {
    let scene = Scene::new();
    let elsewhere = scene.dir.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    std::fs::create_dir(scene.dir.path().join("cache")).expect("a folder");
    symlink(&elsewhere, scene.folder()).expect("a link");
    assert_eq!(scene.refused(), "it is not a folder");
}

#[test]
fn a_file_instead_of_the_folder_is_refused() {
    let scene = Scene::new();
    std::fs::create_dir(scene.dir.path().join("cache")).expect("a folder");
    std::fs::write(scene.folder(), "").expect("written");
    assert_eq!(scene.refused(), "it is not a folder");
}

#[test]
fn a_planted_entry_is_not_run() {
    let scene = Scene::new();
    let cache = scene.cache();
    // An attacker who knows the key but not what the content must be.
    let planted = scene.folder().join(format!("{KEY}-{}", "0".repeat(SUM_DIGITS)));
    std::fs::write(&planted, "evil").expect("written");
    assert_eq!(cache.find(KEY), None);
    assert!(!planted.exists(), "it is gone, so that a good one can be stored");
}

#[test]
fn an_entry_that_others_may_write_to_is_not_run() {
    let scene = Scene::new();
    let cache = scene.cache();
    let entry = cache.store(KEY, &scene.program("x")).expect("stored");
    set_mode(&entry, 0o777);
    assert_eq!(cache.find(KEY), None);
}

#[test]
fn links_and_folders_among_the_entries_are_not_followed() {
    let scene = Scene::new();
    let cache = scene.cache();
    let program = scene.program("x");
    let name = format!("{KEY}-{}", hex(&Sha256::digest("x")));
    symlink(&program, scene.folder().join(&name)).expect("a link");
    assert_eq!(cache.find(KEY), None);
    assert!(program.exists(), "only the link is removed");
    std::fs::create_dir(scene.folder().join(&name)).expect("a folder");
    assert_eq!(cache.find(KEY), None);
    assert!(cache.store(KEY, &program).is_err(), "a folder in the way: the program runs without the cache");
}

#[test]
fn a_damaged_entry_is_made_anew() {
    let scene = Scene::new();
    let cache = scene.cache();
    let program = scene.program("whole");
    for damage in ["whol", "", "whole and more", "whale"] {
        let entry = cache.store(KEY, &program).expect("stored");
        std::fs::write(&entry, damage).expect("damaged");
        assert_eq!(cache.find(KEY), None, "{damage}");
        assert!(!entry.exists());
    }
    let entry = cache.store(KEY, &program).expect("stored");
    assert_eq!(cache.find(KEY), Some(entry));
}

#[test]
fn many_at_a_time_do_not_disturb_each_other() {
    let scene = Scene::new();
    let program = scene.program("shared");
    std::thread::scope(|scope| {
        for i in 0..8 {
            let (scene, program) = (&scene, &program);
            scope.spawn(move || {
                let cache = scene.cache();
                for round in 0..20 {
                    let key = format!("{:032x}", (i + round) % 5);
                    if let Some(entry) = cache.find(&key) {
                        // Another thread may be cleaning; what is there is whole.
                        if let Ok(text) = std::fs::read_to_string(entry) {
                            assert_eq!(text, "shared");
                        }
                    }
                    cache.store(&key, program).expect("stored");
                    if round % 7 == 0 {
                        cache.clean().expect("cleaned");
                    }
                }
            });
        }
    });
    let left = scene.cache().size().expect("a size");
    assert_eq!(left.bytes, 6 * left.entries as u64, "no unfinished entries are left");
}

#[test]
fn using_an_entry_makes_it_young() {
    let scene = Scene::new();
    let cache = scene.cache();
    let entry = cache.store(KEY, &scene.program("x")).expect("stored");
    let old = SystemTime::now() - MAX_AGE - Duration::from_secs(60);
    File::open(&entry).and_then(|f| f.set_modified(old)).expect("aged");
    assert!(cache.find(KEY).is_some());
    evict::evict(cache.folder(), SystemTime::now());
    assert!(entry.exists());
    File::open(&entry).and_then(|f| f.set_modified(old)).expect("aged");
    evict::evict(cache.folder(), SystemTime::now());
    assert!(!entry.exists());
}

#[test]
fn cleaning_leaves_what_is_not_ours() {
    let scene = Scene::new();
    let cache = scene.cache();
    cache.store(KEY, &scene.program("x")).expect("stored");
    let other = scene.folder().join("notes.txt");
    std::fs::write(&other, "mine").expect("written");
    assert_eq!(cache.clean().expect("cleaned"), Size { entries: 1, bytes: 1 });
    assert_eq!(cache.size().expect("a size"), Size::default());
    assert!(other.exists());
}
