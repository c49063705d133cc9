//! Giving the same elements, in the same order, another shape.

use crate::lmad::{strided, Dim, Lmad};
use fehu_algebra::{Facts, Poly};

impl Lmad {
    /// The array with another shape of as many elements (which the caller knows), if its elements, read in
    /// order, can then still be described by one descriptor.
    ///
    /// Old dimensions that follow each other without a gap are first joined. Each joined run must then be made
    /// up exactly by some of the new dimensions; the last run takes all that are left.
    pub fn reshape(&self, facts: &Facts, shape: &[Poly]) -> Option<Lmad> {
        let mut runs = runs(facts, &self.dims);
        let last = runs.pop();
        let mut dims = Vec::with_capacity(shape.len());
        let mut left = shape;
        for run in runs {
            let taken = self.prefix_of_size(facts, left, &run.size)?;
            dims.extend(strided(&left[..taken], run.stride));
            left = &left[taken..];
        }
        let innermost = last.map_or_else(Poly::one, |run| run.stride);
        dims.extend(strided(left, innermost));
        Some(Lmad { offset: self.offset.clone(), dims })
    }

    /// The array as one dimension, if its elements are evenly spaced.
    pub fn flatten(&self, facts: &Facts) -> Option<Lmad> {
        self.reshape(facts, &[self.elements()])
    }

    /// How many leading sizes multiply to `size`.
    fn prefix_of_size(&self, facts: &Facts, sizes: &[Poly], size: &Poly) -> Option<usize> {
        let mut product = Poly::one();
        for (k, s) in sizes.iter().enumerate() {
            product = product * s;
            if facts.eq(&product, size) {
                return Some(k + 1);
            }
        }
        None
    }
}

/// Joins neighbouring dimensions that continue each other, and drops those of size one.
fn runs(facts: &Facts, dims: &[Dim]) -> Vec<Dim> {
    let mut runs: Vec<Dim> = Vec::new();
    for d in dims {
        if facts.eq(&d.size, &Poly::one()) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if facts.eq(&run.stride, &(&d.size * &d.stride)) => {
                run.size = &run.size * &d.size;
                run.stride = d.stride.clone();
            }
            Some(_) | None => runs.push(d.clone()),
        }
    }
    runs
}
