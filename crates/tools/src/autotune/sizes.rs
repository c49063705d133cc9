//! Sizes of blocks and tiles, once thresholds are known.
//!
//! Unlike a threshold, a size has no order between good and bad: every value of a short list is tried, one
//! parameter after the other, with what is best so far for the others. A value is taken if the data sets that
//! call the parameter's entry point are faster by it, all together and by more than measurements differ by
//! chance.
//!
//! ```text
//! main.segmap_tile_size_0    16    8: +12%   32: -4%      =>  32
//! ```
//!
//! As the search for thresholds, this asks an oracle and runs no process.

use fehu_data::stats::geometric_mean;

/// A parameter and the values that it may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub(super) name: String,
    values: &'static [i64],
}

/// What was found for a parameter.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) value: i64,
    /// How many times as fast the data sets are, on average.
    pub(super) speedup: f64,
}

/// A size is taken if data sets are faster by this factor: measurements differ by a few percent.
const WORTH: f64 = 1.03;

/// The parameters of these names and classes that are sizes.
pub(super) fn sizes(params: &[(String, String)]) -> Vec<Size> {
    let mut sizes: Vec<Size> = vec![];
    for (name, class) in params {
        let values: &[i64] = match class.trim() {
            "thread_block_size" => &[64, 128, 256, 512, 1024],
            "tile_size" => &[8, 16, 32],
            "reg_tile_size" => &[1, 2, 4, 8],
            _ => continue,
        };
        if sizes.iter().all(|s| s.name != *name) {
            sizes.push(Size { name: name.clone(), values });
        }
    }
    sizes
}

/// How many measurements the search makes at most, if all data sets call the entry points of all parameters.
pub(super) fn most_runs(sizes: &[Size], datasets: usize) -> usize {
    datasets * (1 + sizes.iter().map(|s| s.values.len()).sum::<usize>())
}

/// Finds good sizes. `entries` are the entry points of the data sets; `time` says how long a data set takes
/// with some values, or nothing if it fails.
pub(super) fn search(
    sizes: &[Size],
    entries: &[&str],
    mut time: impl FnMut(usize, &[(String, i64)]) -> Option<f64>,
) -> Vec<Choice> {
    let mut chosen: Vec<Choice> = vec![];
    let mut set: Vec<(String, i64)> = vec![];
    let mut best: Vec<Option<f64>> = (0..entries.len()).map(|d| time(d, &set)).collect();
    for size in sizes {
        let calls = |d: &usize| best[*d].is_some() && belongs(&size.name, entries[*d]);
        let datasets: Vec<usize> = (0..entries.len()).filter(calls).collect();
        let mut found: Option<(i64, f64, Vec<f64>)> = None;
        for value in size.values {
            set.push((size.name.clone(), *value));
            let times: Option<Vec<f64>> = datasets.iter().map(|d| time(*d, &set)).collect();
            set.pop();
            // One that fails with it rules a value out.
            let Some(times) = times.filter(|t| !t.is_empty()) else { continue };
            let speedup = speedup(datasets.iter().map(|d| best[*d].unwrap_or(1.0)), &times);
            let beaten = found.as_ref().is_some_and(|(_, other, _)| *other >= speedup);
            if speedup >= WORTH && !beaten {
                found = Some((*value, speedup, times));
            }
        }
        if let Some((value, speedup, times)) = found {
            set.push((size.name.clone(), value));
            chosen.push(Choice { name: size.name.clone(), value, speedup });
            for (d, time) in datasets.iter().zip(times) {
                best[*d] = Some(time);
            }
        }
    }
    chosen
}

/// Whether a parameter is of code that an entry point may run: its own, or that of a function which several share.
fn belongs(name: &str, entry: &str) -> bool {
    name.split_once('.').is_none_or(|(function, _)| function == entry)
}

/// The geometric mean of speedups.
fn speedup(before: impl Iterator<Item = f64>, after: &[f64]) -> f64 {
    let speedups: Vec<f64> = before.zip(after).map(|(b, a)| b.max(1e-3) / a.max(1e-3)).collect();
    geometric_mean(&speedups).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(list: &[(&str, &str)]) -> Vec<Size> {
        let list: Vec<_> = list.iter().map(|(n, c)| ((*n).to_owned(), (*c).to_owned())).collect();
        sizes(&list)
    }

    #[test]
    fn thresholds_and_grids_are_no_sizes() {
        let found = params(&[("a.t", "threshold(def, )"), ("a.g", "grid_size"), ("a.s", "tile_size")]);
        assert_eq!(found.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["a.s"]);
        assert_eq!(most_runs(&found, 2), 8);
    }

    #[test]
    fn the_fastest_value_is_taken() {
        let sizes = params(&[("a.tile", "tile_size"), ("a.each", "reg_tile_size")]);
        let found = search(&sizes, &["a"], |_, set| {
            let value = |name: &str, usual| set.iter().find(|s| s.0 == name).map_or(usual, |s| s.1);
            Some(100.0 / (value("a.tile", 16) as f64) + (value("a.each", 4) as f64))
        });
        assert_eq!(found.iter().map(|c| c.value).collect::<Vec<_>>(), [32, 1]);
    }

    #[test]
    fn what_fails_is_slower_or_calls_other_code_does_not_count() {
        let sizes = params(&[("a.tile", "tile_size"), ("b.tile", "tile_size")]);
        let mut asked = vec![];
        let found = search(&sizes, &["a", "a"], |d, set| {
            asked.push(set.to_vec());
            match (d, set) {
                (_, []) => Some(100.0),
                (1, [(_, 32)]) => None,
                (_, [(_, 32)]) => Some(10.0),
                (0, [(_, 8)]) => Some(98.0),
                _ => Some(100.0),
            }
        });
        assert_eq!(found, []);
        assert!(asked.iter().flatten().all(|(name, _)| name == "a.tile"));
    }
}
