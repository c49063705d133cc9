//! Package paths: `github.com/athas/fut-foo`, `github.com/athas/fut-foo@2`.
//!
//! A path becomes a folder below `lib/` and part of a URL, so it is checked when it is read: what it cannot be, nobody
//! below has to think of.

use crate::version::Version;
use std::fmt;
use std::path::PathBuf;

/// The longest path, and the most names in one.
const MAX_BYTES: usize = 200;
const MAX_NAMES: usize = 16;

/// The path of a package.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PkgPath {
    /// The whole text.
    text: String,
    /// How much of it names the repository.
    repository: usize,
    /// The major version behind `@`.
    major: Option<u64>,
}

impl PkgPath {
    /// Reads a path, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<PkgPath, String> {
        if text.contains("://") {
            return Err(
                "a package path is written without a protocol, as in github.com/user/repository".into()
            );
        }
        if text.is_empty() || text.len() > MAX_BYTES {
            return Err(format!("a package path has 1 to {MAX_BYTES} characters"));
        }
        let (repository, major) = match text.rsplit_once('@') {
            None => (text, None),
            Some((repository, major)) => (repository, Some(parse_major(major)?)),
        };
        let names: Vec<&str> = repository.split('/').collect();
        if names.len() > MAX_NAMES {
            return Err(format!("a package path has at most {MAX_NAMES} parts"));
        }
        for name in names {
            check_name(name)?;
        }
        Ok(PkgPath { text: text.to_owned(), repository: repository.len(), major })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The part that names the repository.
    pub fn repository(&self) -> &str {
        self.text.get(..self.repository).unwrap_or(&self.text)
    }

    /// Where the package's files are, below the folder of a project.
    pub fn folder(&self) -> PathBuf {
        PathBuf::from("lib").join(&self.text)
    }

    /// Whether a version can be one of this package: from 2 on, the major version is part of the path.
    pub fn allows(&self, version: &Version) -> bool {
        match self.major {
            None => version.major <= 1,
            Some(major) => version.major == major,
        }
    }

    /// The path that a version of this package should have.
    pub fn with_major(&self, major: u64) -> String {
        match major {
            0 | 1 => self.repository().to_owned(),
            _ => format!("{}@{major}", self.repository()),
        }
    }
}

fn parse_major(text: &str) -> Result<u64, String> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    match text.parse() {
        Ok(major) if plain => Ok(major),
        _ => Err("behind @ stands a major version, as in github.com/user/repository@2".into()),
    }
}

/// One part of a path: a name that means nothing special to file systems, URLs and git.
fn check_name(name: &str) -> Result<(), String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '+');
    if name.is_empty() {
        return Err("a package path has no empty parts".into());
    }
    if let Some(c) = name.chars().find(|c| !fine(*c)) {
        return Err(format!("a package path cannot contain {c:?}"));
    }
    if name.starts_with(['.', '-', '~']) || name.ends_with('.') {
        return Err(format!("no part of a package path can be `{name}`"));
    }
    Ok(())
}

impl fmt::Display for PkgPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::PkgPath;
    use crate::version::Version;

    #[test]
    fn paths() {
        for text in ["github.com/athas/fut-foo", "a", "git.example.org/x/y_z/w@12"] {
            assert_eq!(PkgPath::parse(text).map(|p| p.to_string()).as_deref(), Ok(text));
        }
        let hostile = [
            "",
            "/",
            "a/",
            "/a",
            "a//b",
            "..",
            "a/../b",
            "a/.",
            ".git",
            "a/.git/b",
            "-x/y",
            "a/-b",
            "a b",
            "a\\b",
            "a/b@",
            "a/b@x",
            "a/b@02",
            "a@1/b",
            "a\n",
            "a:b",
            "https://a/b",
            "a/b?x",
            "a/%2e%2e",
            "~a/b",
            "a/\u{202e}",
            "a.",
            "$HOME/x",
            "a@2@3",
        ];
        for text in hostile {
            assert!(PkgPath::parse(text).is_err(), "{text:?}");
        }
        assert!(PkgPath::parse(&"a/".repeat(40)).is_err());
        assert!(PkgPath::parse(&"a".repeat(500)).is_err());
    }

    #[test]
    fn major_versions_are_part_of_the_path() {
        let path = |text: &str| PkgPath::parse(text).expect("a path");
        assert!(
            path("a/b").allows(&Version::release(0, 1, 0)) && path("a/b").allows(&Version::release(1, 0, 0))
        );
        assert!(!path("a/b").allows(&Version::release(2, 0, 0)));
        assert!(path("a/b@2").allows(&Version::release(2, 1, 0)));
        assert!(!path("a/b@2").allows(&Version::release(1, 0, 0)));
        assert_eq!(path("a/b@2").repository(), "a/b");
        assert_eq!(path("a/b@2").with_major(3), "a/b@3");
        assert_eq!(path("a/b@2").with_major(1), "a/b");
    }
}
