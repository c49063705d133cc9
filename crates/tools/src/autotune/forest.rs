//! The thresholds of a program, and which is asked after which.
//!
//! A program tells the class of each parameter. That of a threshold is
//! `threshold(DEFAULT, PATH)`, where the path has the thresholds asked before,
//! with `!` before those that were not reached:
//!
//! ```text
//! main.suff_outer_par_0   threshold(def, )
//! main.suff_intra_par_1   threshold(32, !main.suff_outer_par_0)
//! ```
//!
//! A threshold that may be [split](super::combine) by another size comes with two more parameters. Where the
//! other size reaches the border, parallelism is compared with the second one instead. Nothing reaches a
//! border that is not set.
//!
//! ```text
//! main.suff_outer_par_0_border   threshold_border(main.suff_outer_par_0)
//! main.suff_outer_par_0_beyond   threshold_beyond(main.suff_outer_par_0)
//! ```

/// All thresholds, with numbers in the order of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    name: String,
    /// The thresholds asked before, and whether they must have been reached.
    path: Vec<(usize, bool)>,
    /// The last of them.
    parent: Option<(usize, bool)>,
    split: Option<Split>,
}

/// The names of the parameters that split a threshold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Split {
    /// What the other size is compared with.
    pub(super) border: String,
    /// What holds instead of the threshold where the other size reaches the border.
    pub(super) beyond: String,
}

impl Forest {
    /// The forest of the parameters of these names and classes that are thresholds.
    pub(super) fn new(params: &[(String, String)]) -> Forest {
        let mut thresholds: Vec<(&str, Vec<(&str, bool)>)> = vec![];
        for (name, class) in params {
            if let Some(path) = threshold_path(class) {
                if thresholds.iter().all(|(n, _)| n != name) {
                    thresholds.push((name, path));
                }
            }
        }
        let number = |name: &str| thresholds.iter().position(|(n, _)| *n == name);
        let paths: Vec<Vec<(usize, bool)>> = thresholds
            .iter()
            .map(|(_, path)| path.iter().filter_map(|(n, reached)| Some((number(n)?, *reached))).collect())
            .collect();
        let nodes = thresholds.iter().zip(&paths).map(|((name, _), path)| Node {
            name: (*name).to_owned(),
            path: path.clone(),
            // Whatever the order of the path, the last is the one with the longest own.
            parent: path.iter().copied().max_by_key(|(n, _)| paths[*n].len()),
            split: split(params, name),
        });
        Forest { nodes: nodes.collect() }
    }

    /// How many thresholds there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The name of a threshold.
    pub(super) fn name(&self, threshold: usize) -> &str {
        &self.nodes[threshold].name
    }

    /// The threshold of a name.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|n| n.name == name)
    }

    /// How a threshold may be split.
    pub(super) fn split(&self, threshold: usize) -> Option<&Split> {
        self.nodes[threshold].split.as_ref()
    }

    /// The threshold that a border of this name splits.
    pub(super) fn split_by(&self, border: &str) -> Option<usize> {
        self.nodes.iter().position(|n| n.split.as_ref().is_some_and(|s| s.border == border))
    }

    /// Those that are asked whatever the others say.
    pub(super) fn roots(&self) -> Vec<usize> {
        self.with_parent(None)
    }

    /// Those that are asked next when a threshold was reached, or was not.
    pub(super) fn children(&self, threshold: usize, reached: bool) -> Vec<usize> {
        self.with_parent(Some((threshold, reached)))
    }

    /// What must be the case for a threshold to be asked.
    pub(super) fn path(&self, threshold: usize) -> &[(usize, bool)] {
        &self.nodes[threshold].path
    }

    fn with_parent(&self, parent: Option<(usize, bool)>) -> Vec<usize> {
        (0..self.nodes.len()).filter(|i| self.nodes[*i].parent == parent).collect()
    }
}

/// The parameters among these that split a threshold, if it has both.
fn split(params: &[(String, String)], threshold: &str) -> Option<Split> {
    let of = |kind: &str| {
        let class = format!("{kind}({threshold})");
        params.iter().find(|(_, c)| c.trim() == class).map(|(name, _)| name.clone())
    };
    Some(Split { border: of("threshold_border")?, beyond: of("threshold_beyond")? })
}

/// The path in the class of a threshold; `None` for other classes.
fn threshold_path(class: &str) -> Option<Vec<(&str, bool)>> {
    fn step(word: &str) -> (&str, bool) {
        match word.strip_prefix('!') {
            Some(name) => (name, false),
            None => (word, true),
        }
    }
    let rest = class.trim().strip_prefix("threshold")?.trim_start();
    let inner = rest.strip_prefix('(')?.strip_suffix(')')?;
    let path = inner.split_once(',').map_or("", |(_, path)| path);
    Some(path.split_whitespace().map(step).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forest(params: &[(&str, &str)]) -> Forest {
        let params: Vec<_> = params.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Forest::new(&params)
    }

    #[test]
    fn paths_make_trees() {
        let f = forest(&[
            ("size", "thread_block_size"),
            ("c", "threshold(def, !a !b)"),
            ("a", "threshold (def, )"),
            ("b", "threshold(32, !a)"),
            ("d", "threshold(def, a)"),
            ("e", "threshold(def)"),
        ]);
        let n = |name: &str| f.number(name).expect("a threshold");
        assert_eq!((f.len(), f.number("size")), (5, None));
        assert_eq!(f.roots(), [n("a"), n("e")]);
        assert_eq!(f.children(n("a"), false), [n("b")]);
        assert_eq!(f.children(n("a"), true), [n("d")]);
        assert_eq!(f.children(n("b"), false), [n("c")]);
        assert_eq!(f.path(n("c")), [(n("a"), false), (n("b"), false)]);
    }

    #[test]
    fn thresholds_that_can_be_split() {
        let f = forest(&[
            ("a", "threshold(def, )"),
            ("a_border", "threshold_border(a)"),
            ("a_beyond", "threshold_beyond(a)"),
            ("b", "threshold(def, !a)"),
            ("b_border", "threshold_border(b)"),
        ]);
        assert_eq!(f.len(), 2);
        let split = f.split(0).expect("a split");
        assert_eq!((split.border.as_str(), split.beyond.as_str()), ("a_border", "a_beyond"));
        assert_eq!((f.split_by("a_border"), f.split_by("a")), (Some(0), None));
        assert_eq!(f.split(1), None);
    }

    #[test]
    fn the_order_of_a_path_does_not_matter() {
        let f =
            forest(&[("c", "threshold(def, !b !a)"), ("a", "threshold(def,)"), ("b", "threshold(def, !a)")]);
        assert_eq!(f.children(2, false), [0]);
        assert_eq!(f.roots(), [1]);
    }
}
