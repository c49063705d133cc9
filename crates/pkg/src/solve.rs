//! Which version of each package: minimal version selection.
//!
//! Requirements name the oldest version that will do, so of each package the newest version that anybody requires is
//! taken: the oldest one that satisfies everybody. Requirements of all versions that are reachable count, so the result
//! does not depend on the order in which they are met; packages that only versions require that were not selected are
//! left out in the end.
//!
//! ```text
//! root -> a 1.0, b 1.1      a 1.0 -> c 1.0      b 1.1 -> c 1.2
//! a 1.0, b 1.1, c 1.2
//! ```

use crate::error::Error;
use crate::manifest::Require;
use crate::path::PkgPath;
use crate::version::Version;
use std::collections::{BTreeMap, BTreeSet};

/// More versions than any project has: a repository cannot keep us busy for ever.
const MAX_VERSIONS: usize = 2_000;

/// The packages with their versions, by path.
pub type Selection = BTreeMap<PkgPath, Version>;

/// Who knows what packages require.
pub trait Packages {
    /// What a version of a package requires; `hash` is the commit that it must be.
    fn requires(
        &mut self,
        path: &PkgPath,
        version: &Version,
        hash: Option<&str>,
    ) -> Result<Vec<Require>, Error>;
}

/// Selects versions for everything that is required, directly and by what is required.
pub fn solve(packages: &mut impl Packages, roots: &[Require]) -> Result<Selection, Error> {
    let mut known: BTreeMap<(PkgPath, Version), Vec<Require>> = BTreeMap::new();
    let mut newest = Selection::new();
    let mut waiting: Vec<Require> = roots.to_vec();
    while let Some(require) = waiting.pop() {
        let key = (require.path.clone(), require.version.clone());
        if known.contains_key(&key) {
            // Asked again for the sake of the hash, which others may give too.
            packages.requires(&require.path, &require.version, require.hash.as_deref())?;
            continue;
        }
        if known.len() >= MAX_VERSIONS {
            return Err(Error::new(format!("more than {MAX_VERSIONS} versions of packages are required")));
        }
        let requires = packages.requires(&require.path, &require.version, require.hash.as_deref())?;
        waiting.extend(requires.iter().cloned());
        known.insert(key, requires);
        let version = newest.entry(require.path).or_insert_with(|| require.version.clone());
        if *version < require.version {
            *version = require.version;
        }
    }
    Ok(reachable(&known, &newest, roots))
}

/// The packages that the selected versions need.
fn reachable(
    known: &BTreeMap<(PkgPath, Version), Vec<Require>>,
    newest: &Selection,
    roots: &[Require],
) -> Selection {
    let mut needed: BTreeSet<&PkgPath> = BTreeSet::new();
    let mut waiting: Vec<&PkgPath> = roots.iter().map(|r| &r.path).collect();
    while let Some(path) = waiting.pop() {
        let Some(version) = newest.get(path).filter(|_| needed.insert(path)) else { continue };
        let requires = known.get(&(path.clone(), version.clone()));
        waiting.extend(requires.into_iter().flatten().map(|r| &r.path));
    }
    newest.iter().filter(|(path, _)| needed.contains(path)).map(|(p, v)| (p.clone(), v.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::{solve, Packages, Selection};
    use crate::error::Error;
    use crate::manifest::Require;
    use crate::path::PkgPath;
    use crate::version::Version;

    /// `"a 1.0.0"` requires `"b 1.0.0, c 1.1.0"`.
    struct Table(&'static [(&'static str, &'static str)]);

    fn requires(text: &str) -> Vec<Require> {
        text.split(", ").filter(|t| !t.is_empty()).map(require).collect()
    }

    fn require(text: &str) -> Require {
        let (path, version) = text.split_once(' ').expect("a path and a version");
        Require {
            path: PkgPath::parse(path).expect("a path"),
            version: Version::parse(version).expect("a version"),
            hash: None,
        }
    }

    impl Packages for Table {
        fn requires(
            &mut self,
            path: &PkgPath,
            version: &Version,
            _: Option<&str>,
        ) -> Result<Vec<Require>, Error> {
            let key = format!("{path} {version}");
            let found = self.0.iter().find(|(name, _)| *name == key);
            found.map(|(_, r)| requires(r)).ok_or_else(|| Error::new(format!("no {key}")))
        }
    }

    fn solved(table: &'static [(&'static str, &'static str)], roots: &str) -> String {
        let mut roots = requires(roots);
        let shown = |s: Selection| s.iter().map(|(p, v)| format!("{p} {v}")).collect::<Vec<_>>().join(", ");
        let result = solve(&mut Table(table), &roots).map(shown).unwrap_or_else(|e| e.to_string());
        roots.reverse();
        let reversed = solve(&mut Table(table), &roots).map(shown).unwrap_or_else(|e| e.to_string());
        assert_eq!(result, reversed, "the order of requirements does not matter");
        result
    }

    #[test]
    fn nothing() {
        assert_eq!(solved(&[], ""), "");
    }

    #[test]
    fn the_oldest_that_satisfies_everybody() {
        const TABLE: &[(&str, &str)] = &[
            ("a 1.0.0", "c 1.0.0"),
            ("b 1.1.0", "c 1.2.0"),
            ("c 1.0.0", ""),
            ("c 1.2.0", "d 0.1.0"),
            ("c 1.3.0", ""),
            ("d 0.1.0", ""),
        ];
        assert_eq!(solved(TABLE, "a 1.0.0"), "a 1.0.0, c 1.0.0");
        assert_eq!(solved(TABLE, "a 1.0.0, b 1.1.0"), "a 1.0.0, b 1.1.0, c 1.2.0, d 0.1.0");
        assert_eq!(solved(TABLE, "a 1.0.0, c 1.3.0"), "a 1.0.0, c 1.3.0");
    }

    #[test]
    fn what_only_other_versions_need_is_left_out() {
        const TABLE: &[(&str, &str)] = &[
            ("a 1.0.0", "b 1.0.0"),
            ("b 1.0.0", "gone 1.0.0"),
            ("b 2.0.0", ""),
            ("gone 1.0.0", ""),
            ("c 1.0.0", "b 2.0.0"),
        ];
        assert_eq!(solved(TABLE, "a 1.0.0, c 1.0.0"), "a 1.0.0, b 2.0.0, c 1.0.0");
    }

    #[test]
    fn circles_and_major_versions() {
        const TABLE: &[(&str, &str)] = &[
            ("a 1.0.0", "b 1.0.0"),
            ("b 1.0.0", "a 1.0.0, x@2 2.0.0"),
            ("x@2 2.0.0", "x 1.0.0"),
            ("x 1.0.0", ""),
        ];
        assert_eq!(solved(TABLE, "a 1.0.0"), "a 1.0.0, b 1.0.0, x 1.0.0, x@2 2.0.0");
    }

    #[test]
    fn missing_versions_are_errors() {
        assert_eq!(solved(&[("a 1.0.0", "b 1.0.0")], "a 1.0.0"), "no b 1.0.0");
    }
}
