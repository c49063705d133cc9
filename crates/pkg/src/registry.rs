//! Where packages come from: git repositories, of which copies are kept.
//!
//! A package path is the address of its repository (`https://` is put before it; git's own `insteadOf` may
//! change that), unless a folder of local repositories has one of this name. Releases are the tags `vX.Y.Z`.
//! What has been fetched once is used without the network: a release does not change, and where a manifest
//! says which commit it is, that is checked.

use crate::error::Error;
use crate::git;
use crate::manifest::{Manifest, Require};
use crate::path::PkgPath;
use crate::solve::Packages;
use crate::time;
use crate::tree;
use crate::version::Version;
use fehu_driver::files::TempFolder;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest `futhark.pkg`.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The most bytes that come when a repository is fetched. Packages have some thousand.
const MAX_DOWNLOAD_BYTES: u64 = 512 << 20;

/// Whether repositories may be fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// If need be.
    Network,
    /// Never: only what is in the cache is there.
    Cache,
}

/// The packages that are known.
pub struct Registry {
    /// The folder of copies.
    cache: PathBuf,
    /// A folder whose repositories are used instead of those with the same path elsewhere.
    local: Option<PathBuf>,
    access: Access,
    /// The commits of versions that were asked for: a fetch in between cannot change them.
    commits: BTreeMap<(PkgPath, Version), String>,
    /// The repositories that were fetched just now.
    fetched: BTreeSet<String>,
    /// Called with the URL of what is fetched.
    report: Box<dyn FnMut(&str)>,
    /// The most bytes to fetch of a repository at a time.
    max_download_bytes: u64,
}

impl Registry {
    /// The packages with copies in this folder, which is made if need be.
    pub fn new(
        cache: PathBuf,
        local: Option<PathBuf>,
        access: Access,
        report: Box<dyn FnMut(&str)>,
    ) -> Registry {
        let (commits, fetched) = (BTreeMap::new(), BTreeSet::new());
        Registry { cache, local, access, commits, fetched, report, max_download_bytes: MAX_DOWNLOAD_BYTES }
    }

    /// The same packages, of which none is fetched if more than this comes.
    pub fn with_max_download_bytes(self, max_download_bytes: u64) -> Registry {
        Registry { max_download_bytes, ..self }
    }

    /// The releases of a package, oldest first, as the repository has them now.
    pub fn versions(&mut self, path: &PkgPath) -> Result<Vec<Version>, Error> {
        self.fetch(path)?;
        let tags = git::run(&self.copy(path), &["for-each-ref", "--format=%(refname:strip=2)", "refs/tags"])?;
        let releases = tags.lines().filter_map(|t| Version::parse(t.strip_prefix('v')?));
        let mut releases: Vec<Version> = releases.filter(|v| v.commit.is_none() && path.allows(v)).collect();
        releases.sort();
        Ok(releases)
    }

    /// The newest version of a package: a release, or the newest commit if there is none.
    pub fn newest(&mut self, path: &PkgPath) -> Result<Version, Error> {
        if let Some(release) = self.versions(path)?.pop() {
            return Ok(release);
        }
        let none = || Error::new(format!("{path} has no release"));
        if !path.allows(&Version::release(0, 0, 0)) {
            return Err(none());
        }
        let head =
            git::try_run(&self.copy(path), &["rev-parse", "--verify", "--quiet", "refs/fehu/head^{commit}"])?;
        let id = head.map(|id| id.trim().to_owned()).ok_or_else(none)?;
        Ok(Version::of_commit(time::stamp(SystemTime::now()), id))
    }

    /// The requirement of a version, with the commit that it is.
    pub fn require(&mut self, path: &PkgPath, version: &Version) -> Result<Require, Error> {
        let commit = self.commit(path, version, None)?;
        // The version of a commit names it already.
        let hash = version.commit.is_none().then_some(commit);
        Ok(Require { path: path.clone(), version: version.clone(), hash })
    }

    /// Writes the files of a version into a folder.
    pub fn write(&mut self, path: &PkgPath, version: &Version, folder: &Path) -> Result<(), Error> {
        let about = |e: Error| Error::new(format!("{path} {version} is refused: {e}"));
        let commit = self.commit(path, version, None)?;
        let manifest = self.manifest(path, version, &commit)?;
        let package = manifest.package().ok_or_else(|| {
            Error::new(format!("{path} {version} is no package: its futhark.pkg has no 'package'"))
        })?;
        let inner = format!("lib/{package}");
        let copy = self.copy(path);
        let files = tree::list(&copy, &commit, &inner)
            .map_err(about)?
            .ok_or_else(|| Error::new(format!("{path} {version} is no package: it has no folder {inner}")))?;
        tree::write(&copy, &files, folder).map_err(about)
    }

    /// The commit of a version. If a name is given that it should have, it must have it.
    fn commit(&mut self, path: &PkgPath, version: &Version, hash: Option<&str>) -> Result<String, Error> {
        if !path.allows(version) {
            return Err(Error::new(format!(
                "{path} has no version {version}: its package path would be {}",
                path.with_major(version.major)
            )));
        }
        let right = |found: &Option<String>| match (found, hash) {
            (Some(commit), Some(hash)) => commit.starts_with(hash),
            (Some(_), None) => true,
            (None, _) => false,
        };
        let key = (path.clone(), version.clone());
        let mut found = match self.commits.get(&key) {
            Some(commit) => Some(commit.clone()),
            None => self.resolve(path, version)?,
        };
        if !right(&found) && !self.commits.contains_key(&key) && self.access == Access::Network {
            self.fetch(path)?;
            found = self.resolve(path, version)?;
            if found.is_none() {
                found = self.fetch_commit(path, version)?;
            }
        }
        match (found, hash) {
            (Some(commit), Some(hash)) if !commit.starts_with(hash) => Err(Error::new(format!(
                "{path} {version} has changed: it is commit {commit}, but {hash} is required"
            ))),
            (Some(commit), _) => {
                self.commits.insert(key, commit.clone());
                Ok(commit)
            }
            (None, _) => Err(self.missing(path, version)),
        }
    }

    fn missing(&mut self, path: &PkgPath, version: &Version) -> Error {
        if self.access == Access::Cache {
            return Error::new(format!(
                "{path} {version} is not in the cache, and --offline keeps it from being fetched"
            ));
        }
        let known = self.versions(path).unwrap_or_default();
        let known: Vec<String> = known.iter().map(Version::to_string).collect();
        Error::new(match known.is_empty() {
            true => format!("{path} has no version {version}"),
            false => format!("{path} has no version {version}; it has {}", known.join(", ")),
        })
    }

    /// What the copy says about a version.
    fn resolve(&self, path: &PkgPath, version: &Version) -> Result<Option<String>, Error> {
        let copy = self.copy(path);
        if !copy.is_dir() {
            return Ok(None);
        }
        let name = match &version.commit {
            Some(commit) => format!("{}^{{commit}}", commit.id),
            None => format!("refs/tags/v{version}^{{commit}}"),
        };
        let found = git::try_run(&copy, &["rev-parse", "--verify", "--quiet", &name])?;
        Ok(found.map(|id| id.trim().to_owned()))
    }

    /// The manifest of a commit.
    fn manifest(&self, path: &PkgPath, version: &Version, commit: &str) -> Result<Manifest, Error> {
        let name = format!("{commit}:futhark.pkg");
        let bytes = git::run_limited(&self.copy(path), &["cat-file", "blob", &name], MAX_MANIFEST_BYTES)?;
        let text = bytes
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .ok_or_else(|| Error::new(format!("{path} {version} is no package: it has no futhark.pkg")))?;
        Manifest::read(Path::new(&format!("{path} {version}: futhark.pkg")), text)
    }

    /// Brings the copy of a repository up to date, once.
    fn fetch(&mut self, path: &PkgPath) -> Result<(), Error> {
        if self.fetched.contains(path.repository()) {
            return Ok(());
        }
        let copy = self.copy(path);
        if self.access == Access::Cache {
            return match copy.is_dir() {
                true => Ok(()),
                false => Err(Error::new(format!(
                    "{path} is not in the cache, and --offline keeps it from being fetched"
                ))),
            };
        }
        if copy.is_dir() {
            self.fetch_all(path, &copy)?;
        } else {
            self.make_copy(path, &copy)?;
        }
        self.fetched.insert(path.repository().to_owned());
        Ok(())
    }

    /// Brings a repository up to date.
    fn fetch_all(&mut self, path: &PkgPath, repository: &Path) -> Result<(), Error> {
        let refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+HEAD:refs/fehu/head"];
        self.fetch_refs(path, repository, &refs).map_err(|e| match self.without_host(path) {
            Some(why) => Error::new(why),
            None => Error::new(format!("could not fetch {path}: {e}")),
        })
    }

    /// What is wrong with the path of a package that could not be fetched, if it does not begin with a host.
    /// There are hosts whose names have no dot, so this is no reason not to try.
    fn without_host(&self, path: &PkgPath) -> Option<String> {
        let host = path.repository().split('/').next().unwrap_or("");
        if host.contains('.') || host == "localhost" || !self.url(path).starts_with("https://") {
            return None;
        }
        let meant = match path.repository().split('/').count() {
            2 => format!("; perhaps github.com/{path} is meant"),
            _ => String::new(),
        };
        Some(format!(
            "could not fetch {path}: there is no host `{host}`. \
             A package path is the address of a repository, as github.com/user/repository{meant}"
        ))
    }

    /// A commit that no branch has any more may still be there.
    fn fetch_commit(&mut self, path: &PkgPath, version: &Version) -> Result<Option<String>, Error> {
        match &version.commit {
            Some(commit) if self.fetch_refs(path, &self.copy(path), &[&commit.id]).is_ok() => {
                self.resolve(path, version)
            }
            Some(_) | None => Ok(None),
        }
    }

    fn fetch_refs(&mut self, path: &PkgPath, repository: &Path, refs: &[&str]) -> Result<(), Error> {
        let url = self.url(path);
        (self.report)(&url);
        let args = ["--quiet", "--force", "--prune", "--no-tags", "--update-head-ok", "--", &url];
        git::fetch(repository, &[&args[..], refs].concat(), self.max_download_bytes)
    }

    /// Copies a repository. The copy appears when it is complete: one that could not be fetched is not in the cache.
    fn make_copy(&mut self, path: &PkgPath, copy: &Path) -> Result<(), Error> {
        let io = |e: std::io::Error| Error::io("make", &self.cache, &e);
        std::fs::create_dir_all(&self.cache).map_err(io)?;
        let new = TempFolder::inside(&self.cache).map_err(Error::Other)?;
        git::run(new.path(), &["init", "--quiet", "--bare"])?;
        self.fetch_all(path, new.path())?;
        match std::fs::rename(new.path(), copy) {
            // Another process has made it in the meantime.
            Err(e) if !copy.is_dir() => Err(Error::io("make", copy, &e)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Where the copy of a repository is. Package paths have no `%`, so no two share one.
    fn copy(&self, path: &PkgPath) -> PathBuf {
        self.cache.join(format!("{}.git", path.repository().replace('/', "%")))
    }

    fn url(&self, path: &PkgPath) -> String {
        let local = self.local.iter().flat_map(|folder| {
            [folder.join(path.repository()), folder.join(format!("{}.git", path.repository()))]
        });
        let found = local.filter(|p| p.is_dir()).find_map(|p| std::path::absolute(p).ok());
        match found {
            Some(folder) => folder.display().to_string(),
            None => format!("https://{}", path.repository()),
        }
    }
}

impl Packages for Registry {
    fn requires(
        &mut self,
        path: &PkgPath,
        version: &Version,
        hash: Option<&str>,
    ) -> Result<Vec<Require>, Error> {
        let commit = self.commit(path, version, hash)?;
        Ok(self.manifest(path, version, &commit)?.requires())
    }
}
