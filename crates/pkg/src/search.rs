//! Public packages by their names and purposes. The list (`packages.txt`) is part of the compiler, and needs no
//! network; whatever it lacks can be added by its address all the same.

const LIST: &str = include_str!("packages.txt");

/// A package of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Its package path.
    pub path: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// All packages of the list, in alphabetical order.
pub fn listed() -> impl Iterator<Item = Listed> {
    LIST.lines().filter_map(|line| line.split_once("   ")).map(|(path, about)| Listed { path, about })
}

/// The packages in whose paths or purposes all these words occur, whatever their case.
pub fn search(words: &[String]) -> Vec<Listed> {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let has_all = |package: &Listed| {
        let text = format!("{} {}", package.path, package.about).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    listed().filter(has_all).collect()
}

#[cfg(test)]
mod tests {
    use super::{listed, search};
    use crate::PkgPath;

    #[test]
    fn the_list_has_packages_with_purposes_in_order() {
        let all: Vec<_> = listed().collect();
        assert_eq!(all.len(), super::LIST.lines().count(), "each line is a path, three spaces and a purpose");
        assert!(all.windows(2).all(|w| w[0].path < w[1].path));
        for package in all {
            assert!(PkgPath::parse(package.path).is_ok(), "{}", package.path);
            assert!(package.about.len() > 10, "{}", package.path);
        }
    }

    #[test]
    fn all_words_must_occur() {
        let found = |words: &[&str]| -> Vec<&str> {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            search(&words).iter().map(|p| p.path).collect()
        };
        assert_eq!(found(&["SORT", "radix"]), ["github.com/diku-dk/sorts"]);
        assert_eq!(found(&["sparse"]), ["github.com/diku-dk/sparse"]);
        assert!(found(&["no such thing"]).is_empty());
        assert_eq!(found(&[]).len(), listed().count());
    }
}
