//! Versions: `1.2.3`, and `0.0.0-20180801102532+b70028` for a commit that is no release.

use std::cmp::Ordering;
use std::fmt;

/// A version of a package.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    /// Incompatible changes.
    pub major: u64,
    /// Additions.
    pub minor: u64,
    /// Fixes.
    pub patch: u64,
    /// The commit, for one that is no release.
    pub commit: Option<Commit>,
}

/// A commit that stands for a version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Commit {
    /// When, as `yyyymmddhhmmss`. Nobody checks it; the newer of two is the larger version.
    pub time: String,
    /// The commit's name, in hexadecimal digits.
    pub id: String,
}

impl Version {
    /// The release `major.minor.patch`.
    pub fn release(major: u64, minor: u64, patch: u64) -> Version {
        Version { major, minor, patch, commit: None }
    }

    /// The version that a commit without a release gets.
    pub fn of_commit(time: String, id: String) -> Version {
        Version { major: 0, minor: 0, patch: 0, commit: Some(Commit { time, id }) }
    }

    /// Reads a version; `None` if the text is none.
    pub fn parse(text: &str) -> Option<Version> {
        let (numbers, commit) = match text.split_once('-') {
            Some((numbers, rest)) => (numbers, Some(parse_commit(rest)?)),
            None => (text, None),
        };
        let mut parts = numbers.split('.');
        let mut part = || number(parts.next()?);
        let (major, minor, patch) = (part()?, part()?, part()?);
        if parts.next().is_some() || (commit.is_some() && (major, minor, patch) != (0, 0, 0)) {
            return None;
        }
        Some(Version { major, minor, patch, commit })
    }
}

/// A number without superfluous zeros.
fn number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}

fn parse_commit(text: &str) -> Option<Commit> {
    let (time, id) = text.split_once('+')?;
    let digits = !time.is_empty() && time.bytes().all(|b| b.is_ascii_digit()) && time.len() <= 20;
    (digits && is_hash(id)).then(|| Commit { time: time.to_owned(), id: id.to_owned() })
}

/// Whether a text can be the name of a commit, or its beginning.
pub(crate) fn is_hash(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let numbers = |v: &Version| (v.major, v.minor, v.patch);
        let time = |v: &Version| v.commit.as_ref().map(|c| (c.time.len(), c.time.clone()));
        numbers(self).cmp(&numbers(other)).then_with(|| match (time(self), time(other)) {
            (None, None) => Ordering::Equal,
            // A release comes after the commits before it.
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => a.cmp(&b).then_with(|| id(self).cmp(id(other))),
        })
    }
}

fn id(version: &Version) -> &str {
    version.commit.as_ref().map_or("", |c| &c.id)
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        match &self.commit {
            Some(commit) => write!(f, "-{}+{}", commit.time, commit.id),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn texts_and_back() {
        for text in ["0.0.0", "1.2.3", "10.20.30", "0.0.0-20180801102532+b70028521e4d"] {
            assert_eq!(Version::parse(text).map(|v| v.to_string()).as_deref(), Some(text));
        }
        let wrong = [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "01.0.0",
            "1.0.0-foo",
            "1.0.0-1+abcd",
            "-1.0.0",
            "+1.0.0",
            "1.0.0+abcd",
            "0.0.0-2018+xyz",
            "0.0.0-+abcd",
            "0.0.0-2018",
            "99999999999999999999.0.0",
            "v1.0.0",
            " 1.0.0",
        ];
        for text in wrong {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn order() {
        let texts =
            ["0.0.0-9+ffff", "0.0.0-10+aaaa", "0.0.0-10+bbbb", "0.0.0", "0.0.1", "0.9.0", "0.10.0", "1.0.0"];
        let versions: Vec<Version> = texts.iter().filter_map(|t| Version::parse(t)).collect();
        assert_eq!(versions.len(), texts.len());
        assert!(versions.windows(2).all(|w| w[0] < w[1]), "{versions:?}");
    }
}
