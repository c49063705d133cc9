//! The commands of `fehu pkg`, in a project folder.

use crate::error::Error;
use crate::library;
use crate::manifest::{Manifest, Require};
use crate::path::PkgPath;
use crate::registry::Registry;
use crate::solve::{solve, Packages, Selection};
use crate::version::Version;
use fehu_driver::files;
use std::fmt;
use std::path::{Path, PathBuf};

/// The file that makes a folder a project.
pub(crate) const MANIFEST: &str = "futhark.pkg";

/// A folder with a `futhark.pkg`, or in which there will be one.
pub struct Project {
    folder: PathBuf,
}

/// What a command did.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Event {
    Added(Require),
    Replaced(Require, Version),
    Upgraded(PkgPath, Version, Version),
    Removed(PkgPath),
    /// Nothing is newer than what is required.
    UpToDate,
    /// A version whose files are in `lib/` now.
    Stored(PkgPath, Version),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Added(new) => write!(f, "Added {} {}.", new.path, new.version),
            Event::Replaced(new, old) => write!(f, "Replaced {} {old} => {}.", new.path, new.version),
            Event::Upgraded(path, old, new) => write!(f, "Upgraded {path} {old} => {new}."),
            Event::Removed(path) => write!(f, "Removed {path}."),
            Event::UpToDate => write!(f, "Nothing to upgrade."),
            Event::Stored(path, version) => write!(f, "Stored {path} {version}."),
        }
    }
}

impl Project {
    /// The project in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Project {
        Project { folder: folder.into() }
    }

    /// Makes a package: a manifest that names it, and the folder for its files.
    pub fn init(&self, path: &PkgPath) -> Result<(), Error> {
        let file = self.folder.join(MANIFEST);
        if file.exists() {
            return Err(Error::new(format!("there is a {MANIFEST} already")));
        }
        let folder = self.folder.join(path.folder());
        std::fs::create_dir_all(&folder).map_err(|e| Error::io("make", &folder, &e))?;
        self.store(&Manifest::new(Some(path.clone())))
    }

    /// Requires a package, in the newest version if none is given.
    pub fn add(
        &self,
        registry: &mut Registry,
        path: &PkgPath,
        version: Option<Version>,
    ) -> Result<Event, Error> {
        let manifest = self.manifest()?.unwrap_or_else(|| Manifest::new(None));
        if manifest.package() == Some(path) {
            return Err(Error::new(format!("{path} is this package, and cannot require itself")));
        }
        let version = match version {
            Some(version) => version,
            None => registry.newest(path)?,
        };
        let require = registry.require(path, &version)?;
        let event = match manifest.find(path) {
            Some(old) => Event::Replaced(require.clone(), old.version.clone()),
            None => Event::Added(require.clone()),
        };
        self.store(&manifest.with(require))?;
        Ok(event)
    }

    /// Requires a package no longer.
    pub fn remove(&self, path: &PkgPath) -> Result<Event, Error> {
        let manifest = self.needed_manifest()?;
        if manifest.find(path).is_none() {
            return Err(Error::new(format!("{path} is not required")));
        }
        self.store(&manifest.without(path))?;
        Ok(Event::Removed(path.clone()))
    }

    /// Checks that all packages are there in the required versions, and that this package has files.
    pub fn check(&self, registry: &mut Registry) -> Result<(), Error> {
        let manifest = self.needed_manifest()?;
        for require in manifest.requires() {
            registry.requires(&require.path, &require.version, require.hash.as_deref())?;
        }
        self.solve(registry, &manifest)?;
        let Some(package) = manifest.package() else { return Ok(()) };
        let folder = self.folder.join(package.folder());
        if !has_programs(&folder) {
            return Err(Error::new(format!("{} has no .fut files", package.folder().display())));
        }
        Ok(())
    }

    /// What is required now, by the manifest itself.
    pub fn required(&self) -> Result<Vec<Require>, Error> {
        Ok(self.manifest()?.map_or(vec![], |manifest| manifest.requires()))
    }

    /// Brings `lib/` up to date after a change of the manifest, which required `before`. The user did not ask to replace
    /// `lib/`, so files in it that are of no package, neither before nor now, stay: then this is refused.
    pub fn refresh(&self, registry: &mut Registry, before: &[Require]) -> Result<Vec<Event>, Error> {
        let manifest = self.needed_manifest()?;
        let mut packages: Vec<PathBuf> = manifest.package().map(PkgPath::folder).into_iter().collect();
        for requires in [before, &manifest.requires()] {
            packages.extend(solve(registry, requires)?.keys().map(PkgPath::folder));
        }
        if let Some(file) = library::other_file(&self.folder, &packages) {
            return Err(Error::new(format!(
                "lib/ is left as it was, as {} belongs to no package: move it elsewhere, and run `fehu pkg sync`, \
                 which replaces lib/",
                file.display()
            )));
        }
        self.sync(registry)
    }

    /// Fills `lib/` with the packages that are required, in the versions that suit all of them.
    pub fn sync(&self, registry: &mut Registry) -> Result<Vec<Event>, Error> {
        let manifest = self.needed_manifest()?;
        let selection = self.solve(registry, &manifest)?;
        library::replace(&self.folder, manifest.package(), |lib| {
            selection
                .iter()
                .try_for_each(|(path, version)| registry.write(path, version, &lib.join(path.as_str())))
        })?;
        Ok(selection.into_iter().map(|(path, version)| Event::Stored(path, version)).collect())
    }

    /// Requires the newest version of everything. Versions of commits stay until there is a release.
    pub fn upgrade(&self, registry: &mut Registry) -> Result<Vec<Event>, Error> {
        let mut manifest = self.needed_manifest()?;
        let mut events = vec![];
        for old in manifest.requires() {
            let newest = registry.versions(&old.path)?.pop();
            let Some(version) = newest.filter(|v| *v > old.version) else { continue };
            manifest = manifest.with(registry.require(&old.path, &version)?);
            events.push(Event::Upgraded(old.path, old.version, version));
        }
        match events.is_empty() {
            true => events.push(Event::UpToDate),
            false => self.store(&manifest)?,
        }
        Ok(events)
    }

    /// Writes the manifest in the usual layout.
    pub fn fmt(&self) -> Result<(), Error> {
        self.store_text(&self.needed_manifest()?.formatted())
    }

    /// What is required, without the project's own package, which others may require.
    fn solve(&self, registry: &mut Registry, manifest: &Manifest) -> Result<Selection, Error> {
        let mut selection = solve(registry, &manifest.requires())?;
        if let Some(own) = manifest.package() {
            selection.remove(own);
        }
        Ok(selection)
    }

    /// The package that the project is, if it is one.
    pub fn package(&self) -> Result<Option<PkgPath>, Error> {
        Ok(self.manifest()?.as_ref().and_then(Manifest::package).cloned())
    }

    fn needed_manifest(&self) -> Result<Manifest, Error> {
        self.manifest()?.ok_or_else(|| {
            Error::new(format!("there is no {MANIFEST} here; `fehu pkg add` and `fehu pkg init` make one"))
        })
    }

    fn manifest(&self) -> Result<Option<Manifest>, Error> {
        let file = self.folder.join(MANIFEST);
        match std::fs::read_to_string(&file) {
            Ok(text) => Manifest::read(Path::new(MANIFEST), text).map(Some),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("read", &file, &e)),
        }
    }

    fn store(&self, manifest: &Manifest) -> Result<(), Error> {
        self.store_text(manifest.text())
    }

    fn store_text(&self, text: &str) -> Result<(), Error> {
        files::write(&self.folder.join(MANIFEST), text).map_err(Error::Other)
    }
}

fn has_programs(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        path.extension().is_some_and(|e| e == "fut")
            || (entry.file_type().is_ok_and(|t| t.is_dir()) && has_programs(&path))
    })
}
