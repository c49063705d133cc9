//! `futhark.pkg`: which package this is, and which ones it requires.
//!
//! ```text
//! package github.com/sturluson/edda    -- may be missing
//!
//! require {
//!   github.com/athas/fut-foo 0.1.0 #d285563c25c5152b1ae80fc64de64ff2775fa733
//! }
//! ```
//!
//! A [`Manifest`] is its text and what the text says. `edit` changes the text where it must, so the rest
//! keeps its layout and its comments; only [`Manifest::formatted`] writes everything anew.

mod edit;
mod read;

use crate::error::Error;
use crate::path::PkgPath;
use crate::version::Version;
use fehu_base::SourceMap;
use std::ops::Range;
use std::path::Path;

/// A package that is required, in this version or a later one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Require {
    /// The package.
    pub path: PkgPath,
    /// The oldest version that will do.
    pub version: Version,
    /// The commit that this version is.
    pub hash: Option<String>,
}

impl std::fmt::Display for Require {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.path, self.version)?;
        match &self.hash {
            Some(hash) => write!(f, " #{hash}"),
            None => Ok(()),
        }
    }
}

/// A `futhark.pkg`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    text: String,
    package: Option<PkgPath>,
    requires: Vec<Entry>,
    /// Where the braces of `require` are.
    braces: Option<Range<usize>>,
}

/// A requirement and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    require: Require,
    place: Range<usize>,
}

impl Manifest {
    /// The manifest of a new package, or of a project that is none.
    pub fn new(package: Option<PkgPath>) -> Manifest {
        let head = package.as_ref().map_or(String::new(), |p| format!("package {p}\n\n"));
        let text = format!("{head}require {{\n}}\n");
        let open = head.len() + "require ".len();
        Manifest { braces: Some(open..text.len() - 1), text, package, requires: vec![] }
    }

    /// Reads a manifest; the name is for messages.
    pub fn read(name: &Path, text: String) -> Result<Manifest, Error> {
        let mut sources = SourceMap::default();
        let file = sources.add(name, text.clone());
        read::read(file, text).map_err(|wrong| Error::Manifest(Box::new((*wrong, sources))))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The package that this is.
    pub fn package(&self) -> Option<&PkgPath> {
        self.package.as_ref()
    }

    /// What is required.
    pub fn requires(&self) -> Vec<Require> {
        self.requires.iter().map(|e| e.require.clone()).collect()
    }

    /// The requirement of a package.
    pub fn find(&self, path: &PkgPath) -> Option<&Require> {
        self.requires.iter().map(|e| &e.require).find(|r| r.path == *path)
    }
}

#[cfg(test)]
mod tests;
