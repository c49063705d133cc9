//! Reordering dimensions, and recognising dense layouts.

use crate::lmad::{strided, Lmad};
use fehu_algebra::{Facts, Poly};

impl Lmad {
    /// The array whose dimension `k` is dimension `perm[k]` of this one; `None` if `perm` is no permutation.
    pub fn permute(&self, perm: &[usize]) -> Option<Lmad> {
        let mut sorted = perm.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..self.rank()) {
            return None;
        }
        Some(Lmad { offset: self.offset.clone(), dims: perm.iter().map(|k| self.dims[*k].clone()).collect() })
    }

    /// Whether the array is dense with the last index moving fastest, at any offset.
    pub fn is_row_major(&self, facts: &Facts) -> bool {
        let dense = strided(&self.shape(), Poly::one());
        self.dims
            .iter()
            .zip(&dense)
            .all(|(d, e)| facts.eq(&d.stride, &e.stride) || facts.eq(&d.size, &Poly::one()))
    }

    /// Whether the array is dense in row-major order from the start of its block.
    pub fn is_direct(&self, facts: &Facts) -> bool {
        facts.eq(&self.offset, &Poly::zero()) && self.is_row_major(facts)
    }

    /// A permutation that makes the array row-major, if there is one: the array is a dense block with its
    /// dimensions in another order. Innermost candidates are taken first.
    pub fn dense_permutation(&self, facts: &Facts) -> Option<Vec<usize>> {
        let mut left: Vec<usize> = (0..self.rank()).collect();
        let mut inner_first = Vec::with_capacity(self.rank());
        let mut stride = Poly::one();
        while !left.is_empty() {
            let single = |k: &usize| facts.eq(&self.dims[*k].size, &Poly::one());
            let fits = |k: &usize| facts.eq(&self.dims[*k].stride, &stride);
            let at = left.iter().rposition(|k| fits(k) || single(k))?;
            let k = left.remove(at);
            stride = stride * &self.dims[k].size;
            inner_first.push(k);
        }
        inner_first.reverse();
        Some(inner_first)
    }

    /// Whether the array fills an interval of its block, each place once, in some order of dimensions.
    pub fn is_dense(&self, facts: &Facts) -> bool {
        self.dense_permutation(facts).is_some()
    }
}
