//! Repositories made for a test, and a project that uses them.

use fehu_pkg::{Access, Error, PkgPath, Project, Registry, Version};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder with repositories, a cache and a project.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

pub(crate) fn path(text: &str) -> PkgPath {
    PkgPath::parse(text).expect("a package path")
}

pub(crate) fn version(text: &str) -> Version {
    Version::parse(text).expect("a version")
}

impl World {
    pub(crate) fn new() -> World {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("project")).expect("made");
        World { folder }
    }

    pub(crate) fn project_folder(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn project(&self) -> Project {
        Project::new(self.project_folder())
    }

    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        self.folder.path().join("repositories").join(name)
    }

    pub(crate) fn registry(&self, access: Access) -> Registry {
        let local = self.folder.path().join("repositories");
        Registry::new(self.cache(), Some(local), access, Box::new(|_| {}))
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    pub(crate) fn online(&self) -> Registry {
        self.registry(Access::Network)
    }

    /// A release of a package: its path in the repository, what it requires, and one file that says its version.
    pub(crate) fn release(&self, path: &str, version: &str, requires: &str) {
        let repository = self.repository(path.split('@').next().unwrap_or(path));
        let file = format!("lib/{path}/file.fut");
        write(&repository, &file, &format!("def version = \"{version}\"\n"));
        let requires: String =
            requires.split(", ").filter(|r| !r.is_empty()).map(|r| format!("  {r}\n")).collect();
        write(&repository, "futhark.pkg", &format!("package {path}\n\nrequire {{\n{requires}}}\n"));
        commit(&repository, version);
        git(&repository, &["tag", "--force", &format!("v{version}")]);
    }

    /// What is in the project's `lib/`: each file with its content.
    pub(crate) fn lib(&self) -> Vec<String> {
        let mut found = vec![];
        let lib = self.project_folder().join("lib");
        files(&lib, &mut found);
        let name = |p: &PathBuf| p.strip_prefix(&lib).expect("below").display().to_string();
        let content = |p: &PathBuf| std::fs::read_to_string(p).expect("text").trim().to_owned();
        found.iter().map(|p| format!("{}: {}", name(p), content(p))).collect()
    }

    pub(crate) fn manifest(&self) -> String {
        std::fs::read_to_string(self.project_folder().join("futhark.pkg")).expect("a manifest")
    }

    pub(crate) fn set_manifest(&self, text: &str) {
        write(&self.project_folder(), "futhark.pkg", text);
    }
}

pub(crate) fn said<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.expect_err("refused").to_string()
}

pub(crate) fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(file, text).expect("written");
}

/// Commits everything in a folder, which becomes a repository if it is none.
pub(crate) fn commit(repository: &Path, message: &str) -> String {
    if !repository.join(".git").exists() {
        git(repository, &["init", "--quiet", "--initial-branch=main"]);
    }
    git(repository, &["add", "--all"]);
    git(repository, &["commit", "--quiet", "--allow-empty", "-m", message]);
    git(repository, &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Runs git, not caring about the settings of whoever runs the tests.
pub(crate) fn git(repository: &Path, args: &[&str]) -> String {
    let done = git_command(repository, args).output().expect("git runs");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

pub(crate) fn git_command(repository: &Path, args: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.current_dir(repository).args(args).stdin(Stdio::null());
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_NAME"), "Somebody")
            .env(format!("GIT_{who}_EMAIL"), "somebody@example.org");
    }
    git
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        match entry.is_dir() {
            true => files(&entry, found),
            false => found.push(entry),
        }
    }
}
