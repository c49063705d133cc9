//! Which statements put values into arrays, and where.

use super::{elements, Dest, Layout, ShortCircuit};
use crate::builder::Place;
use fehu_algebra::{Facts, Poly};
use fehu_base::Name;
use fehu_ir::free::Names;
use fehu_ir::mem::{poly, Lmad};
use fehu_ir::{DimIndex, Exp, Memory, Stm, SubExp};
use fehu_lmad::{Dim, SliceDim};

/// Whether an expression may put arrays into an array.
pub(super) fn puts_values(exp: &Exp<Memory>) -> bool {
    matches!(
        exp,
        Exp::Update(_, _, SubExp::Var(_))
            | Exp::FlatUpdate(..)
            | Exp::Concat { .. }
            | Exp::ArrayLit(..)
            | Exp::Copy(_)
    )
}

impl ShortCircuit {
    /// The arrays that a statement puts into another, and where.
    pub(super) fn values_put(&self, stm: &Stm<Memory>) -> Vec<(Name, Dest)> {
        let Some(result) = stm.pat.first().map(|p| p.name) else { return vec![] };
        let Some(target) = self.tables.place(result) else { return vec![] };
        let part = |lmad: Option<Lmad>| Some(Place { block: target.block, lmad: lmad? });
        let mut found = vec![];
        match &stm.exp {
            Exp::Update(a, slice, SubExp::Var(v)) if self.tables.is_array(*v) => {
                let dims: Vec<SliceDim> = slice.iter().map(slice_dim).collect();
                found.push((*v, Ok(*a), part(target.lmad.slice(&dims))));
            }
            Exp::FlatUpdate(a, offset, dims, v) => {
                let dims = dims.iter().map(|(n, s)| Dim::new(poly(*n), poly(*s))).collect();
                let slice = Lmad::new(poly(*offset), dims);
                found.push((*v, Ok(*a), part(target.lmad.flat_slice(&slice))));
            }
            Exp::Concat { dim, arrays, size: _ } => {
                let mut start = Poly::zero();
                for (i, a) in arrays.iter().enumerate() {
                    let Some(ty) = self.tables.types.get(a) else { return vec![] };
                    let sizes: Vec<Poly> = ty.shape().iter().map(|n| poly(*n)).collect();
                    let mut slice: Vec<SliceDim> = sizes.iter().map(|n| SliceDim::range(0, n)).collect();
                    let Some(size) = sizes.get(*dim) else { return vec![] };
                    slice[*dim] = SliceDim::range(&start, size);
                    found.push((*a, Err(i), part(target.lmad.slice(&slice))));
                    start = start + size;
                }
            }
            Exp::Copy(a) => found.push((*a, Err(0), Some(target.clone()))),
            Exp::ArrayLit(es, _) => {
                for (i, e) in es.iter().enumerate() {
                    if let SubExp::Var(v) = e {
                        if self.tables.is_array(*v) {
                            let index = Poly::constant(i as i64);
                            found.push((*v, Err(i), part(target.lmad.fix_outer(&[index]))));
                        }
                    }
                }
            }
            _ => {}
        }
        // Into an array that is there before, or as a part of one that is not.
        let dest = |(v, into, place): (Name, Result<Name, usize>, Option<Place>)| {
            let mut dest = self.dest(v, into.ok(), place?)?;
            if let Err(part) = into {
                dest.parts = self.parts.get(&result).cloned().unwrap_or_default();
                dest.parts.push((result, part));
            }
            Some((v, dest))
        };
        found.into_iter().filter_map(dest).collect()
    }

    pub(super) fn dest(&self, value: Name, array: Option<Name>, place: Place) -> Option<Dest> {
        let count = elements(self.tables.types.get(&value)?)?;
        let own = self.tables.place(value)?;
        let layout = even(&place.lmad, own).or_else(|| strides(&place.lmad, &own.lmad))?;
        let ancestors = array.map(|a| self.aliases.of(a)).unwrap_or_default();
        let ancestors = Names::from_iter(ancestors);
        place.lmad.is_known().then_some(Dest { array, ancestors, place, layout, count, parts: vec![] })
    }
}

/// The layout of a destination that is evenly spaced, for a value whose elements are in order, or wherever branches put them.
fn even(to: &Lmad, own: &Place) -> Option<Layout> {
    let flat = to.flatten(&Facts::new())?;
    let [dim] = flat.dims.as_slice() else { return None };
    let (start, step) = (flat.offset.clone(), dim.stride.clone());
    (!is_permuted(own) && start.is_known() && step.is_known()).then_some(Layout::Even { start, step })
}

/// Whether an array fills its block, with its dimensions in another order.
fn is_permuted(own: &Place) -> bool {
    !own.is_direct() && fills(&own.lmad)
}

fn fills(own: &Lmad) -> bool {
    own.offset == Poly::zero() && own.is_dense(&Facts::new())
}

/// The layout of a destination for a value that fills its block, with its dimensions in some order.
fn strides(to: &Lmad, own: &Lmad) -> Option<Layout> {
    if !fills(own) || own.rank() != to.rank() {
        return None;
    }
    let dims = own.dims.iter().cloned().zip(to.dims.iter().map(|d| d.stride.clone())).collect();
    Some(Layout::Strides { start: to.offset.clone(), dims })
}

fn slice_dim(d: &DimIndex) -> SliceDim {
    match d {
        DimIndex::Fix(i) => SliceDim::Fix(poly(*i)),
        DimIndex::Slice { start, len, stride } => {
            SliceDim::Range { start: poly(*start), size: poly(*len), stride: poly(*stride) }
        }
    }
}
