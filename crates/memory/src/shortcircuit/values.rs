//! Which statements put values into arrays, and where.

use super::{elements, Dest, ShortCircuit};
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
        let Some(target) = stm.pat.first().and_then(|p| self.tables.place(p.name)) else { return vec![] };
        let part = |lmad: Option<Lmad>| Some(Place { block: target.block, lmad: lmad? });
        let mut found = vec![];
        match &stm.exp {
            Exp::Update(a, slice, SubExp::Var(v)) if self.tables.is_array(*v) => {
                let dims: Vec<SliceDim> = slice.iter().map(slice_dim).collect();
                found.push((*v, Some(*a), part(target.lmad.slice(&dims))));
            }
            Exp::FlatUpdate(a, offset, dims, v) => {
                let dims = dims.iter().map(|(n, s)| Dim::new(poly(*n), poly(*s))).collect();
                let slice = Lmad::new(poly(*offset), dims);
                found.push((*v, Some(*a), part(target.lmad.flat_slice(&slice))));
            }
            Exp::Concat { dim, arrays, size: _ } => {
                let mut start = Poly::zero();
                for a in arrays {
                    let Some(ty) = self.tables.types.get(a) else { return vec![] };
                    let sizes: Vec<Poly> = ty.shape().iter().map(|n| poly(*n)).collect();
                    let mut slice: Vec<SliceDim> = sizes.iter().map(|n| SliceDim::range(0, n)).collect();
                    let Some(size) = sizes.get(*dim) else { return vec![] };
                    slice[*dim] = SliceDim::range(&start, size);
                    found.push((*a, None, part(target.lmad.slice(&slice))));
                    start = start + size;
                }
            }
            Exp::Copy(a) => found.push((*a, None, Some(target.clone()))),
            Exp::ArrayLit(es, _) => {
                for (i, e) in es.iter().enumerate() {
                    if let SubExp::Var(v) = e {
                        if self.tables.is_array(*v) {
                            let index = Poly::constant(i as i64);
                            found.push((*v, None, part(target.lmad.fix_outer(&[index]))));
                        }
                    }
                }
            }
            _ => {}
        }
        let dest =
            |(v, array, place): (Name, Option<Name>, Option<Place>)| Some((v, self.dest(v, array, place?)?));
        found.into_iter().filter_map(dest).collect()
    }

    pub(super) fn dest(&self, value: Name, array: Option<Name>, place: Place) -> Option<Dest> {
        let count = elements(self.tables.types.get(&value)?)?;
        let flat = place.lmad.flatten(&Facts::new())?;
        let step = match flat.dims.as_slice() {
            [dim] => dim.stride.clone(),
            _ => return None,
        };
        let ancestors = array.map(|a| self.aliases.of(a)).unwrap_or_default();
        let start = flat.offset.clone();
        let known = place.lmad.is_known() && start.is_known() && step.is_known();
        known.then_some(Dest { array, ancestors: Names::from_iter(ancestors), place, start, step, count })
    }
}

fn slice_dim(d: &DimIndex) -> SliceDim {
    match d {
        DimIndex::Fix(i) => SliceDim::Fix(poly(*i)),
        DimIndex::Slice { start, len, stride } => {
            SliceDim::Range { start: poly(*start), size: poly(*len), stride: poly(*stride) }
        }
    }
}
