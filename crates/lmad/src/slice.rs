//! Taking parts of an array: fixing indices, ranges, flat slices.

use crate::lmad::{Dim, Lmad};
use fehu_algebra::Poly;

/// What a slice does with one dimension.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SliceDim {
    /// One index; the dimension disappears.
    Fix(Poly),
    /// `size` indices from `start`, `stride` apart.
    Range {
        /// The first index.
        start: Poly,
        /// The number of indices.
        size: Poly,
        /// The distance between them; may be negative.
        stride: Poly,
    },
}

impl SliceDim {
    /// Neighbouring indices.
    pub fn range(start: impl Into<Poly>, size: impl Into<Poly>) -> SliceDim {
        SliceDim::Range { start: start.into(), size: size.into(), stride: Poly::one() }
    }
}

impl Lmad {
    /// The part of the array that a slice selects; dimensions that the slice does not reach stay whole. `None`
    /// if the slice has more dimensions than the array.
    pub fn slice(&self, slice: &[SliceDim]) -> Option<Lmad> {
        if slice.len() > self.rank() {
            return None;
        }
        let mut offset = self.offset.clone();
        let mut dims = Vec::with_capacity(self.rank());
        for (d, s) in self.dims.iter().zip(slice) {
            match s {
                SliceDim::Fix(i) => offset = offset + i * &d.stride,
                SliceDim::Range { start, size, stride } => {
                    offset = offset + start * &d.stride;
                    dims.push(Dim::new(size, stride * &d.stride));
                }
            }
        }
        dims.extend_from_slice(&self.dims[slice.len()..]);
        Some(Lmad { offset, dims })
    }

    /// The array with the outermost indices given.
    pub fn fix_outer(&self, indices: &[Poly]) -> Option<Lmad> {
        let slice: Vec<SliceDim> = indices.iter().cloned().map(SliceDim::Fix).collect();
        self.slice(&slice)
    }

    /// The array without dimension `dim`, at the given index of it.
    pub fn fix(&self, dim: usize, index: &Poly) -> Option<Lmad> {
        let stride = &self.dims.get(dim)?.stride;
        let mut dims = self.dims.clone();
        let offset = &self.offset + index * stride;
        dims.remove(dim);
        Some(Lmad { offset, dims })
    }

    /// A one-dimensional array seen through a descriptor of indices into it.
    pub fn flat_slice(&self, slice: &Lmad) -> Option<Lmad> {
        match self.rank() {
            1 => self.flat_slices(std::slice::from_ref(slice)),
            _ => None,
        }
    }

    /// An array with each dimension seen through a descriptor of indices into that dimension.
    pub fn flat_slices(&self, slices: &[Lmad]) -> Option<Lmad> {
        if slices.len() != self.rank() {
            return None;
        }
        let mut offset = self.offset.clone();
        let mut dims = Vec::new();
        for (d, s) in self.dims.iter().zip(slices) {
            offset = offset + &s.offset * &d.stride;
            let inner = s.dims.iter();
            dims.extend(inner.map(|t| Dim::new(&t.size, &t.stride * &d.stride)));
        }
        Some(Lmad { offset, dims })
    }
}
