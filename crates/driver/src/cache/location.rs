//! Where the cache is: `$XDG_CACHE_HOME/fehu`, else `$HOME/.cache/fehu`.
//!
//! A variable that is empty or holds a relative path counts as not set, as the XDG base directory specification
//! says: otherwise a user who can write to the current folder could put an executable there that `fehu run` takes for
//! its own. Without either variable there is no cache; a folder that is shared with others is never used.

use std::ffi::OsString;
use std::path::PathBuf;

/// The folder of the cache by the environment, whether it is there or not.
pub(super) fn location(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("fehu"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn with(xdg: Option<&str>, home: Option<&str>) -> Option<PathBuf> {
        let value = |name: &str| match name {
            "XDG_CACHE_HOME" => xdg,
            "HOME" => home,
            _ => None,
        };
        location(|name| value(name).map(OsString::from))
    }

    #[test]
    fn only_absolute_paths_count() {
        let cache = Some(Path::new("/home/me/.cache/fehu").to_owned());
        assert_eq!(with(Some("/cache"), Some("/home/me")), Some(PathBuf::from("/cache/fehu")));
        assert_eq!(with(None, Some("/home/me")), cache);
        assert_eq!(with(Some(""), Some("/home/me")), cache);
        assert_eq!(with(Some("cache"), Some("/home/me")), cache);
        assert_eq!(with(Some("./cache"), Some("/home/me")), cache);
        for home in [None, Some(""), Some("me"), Some(".")] {
            assert_eq!(with(None, home), None);
            assert_eq!(with(Some(""), home), None);
            assert_eq!(with(Some("cache"), home), None);
        }
    }
}
