//! Which statements put values into arrays, and where.

use super::{elements, Dest, Layout, ShortCircuit};
use crate::builder::Place;
use crate::tables::Tables;
use fehu_algebra::Poly;
use fehu_analysis::access::slice_dims;
use fehu_base::Name;
use fehu_ir::mem::{poly, Lmad};
use fehu_ir::{Basic, Body, Exp, Memory, Stm, SubExp};
use fehu_lmad::{Dim, SliceDim};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;

/// Whether an expression may put arrays into an array.
pub(super) fn puts_values(exp: &Exp<Memory>) -> bool {
    matches!(
        exp,
        Exp::Basic(
            Basic::Update(_, _, SubExp::Var(_))
                | Basic::FlatUpdate(..)
                | Basic::Concat { .. }
                | Basic::ArrayLit(..)
                | Basic::Copy(_)
        )
    )
}

/// The arrays that a statement puts into another, how, and where.
pub(crate) fn put(tables: &Tables, stm: &Stm<Memory>) -> Vec<(Name, Into, Option<Place>)> {
    let Some(result) = stm.pat.first().map(|p| p.name) else { return vec![] };
    let Some(target) = tables.place(result) else { return vec![] };
    let part = |lmad: Option<Lmad>| Some(Place { block: target.block, lmad: lmad? });
    let mut found = vec![];
    match &stm.exp {
        Exp::Basic(Basic::Update(_, slice, SubExp::Var(v))) if tables.is_array(*v) => {
            found.push((*v, Into::Old, part(target.lmad.slice(&slice_dims(slice)))));
        }
        Exp::Basic(Basic::FlatUpdate(_, offset, dims, v)) => {
            let dims = dims.iter().map(|(n, s)| Dim::new(poly(*n), poly(*s))).collect();
            let slice = Lmad::new(poly(*offset), dims);
            found.push((*v, Into::Old, part(target.lmad.flat_slice(&slice))));
        }
        Exp::Basic(Basic::Concat { dim, arrays, size: _ }) => {
            let mut start = Poly::zero();
            for (i, a) in arrays.iter().enumerate() {
                let Some(ty) = tables.types.get(a) else { return vec![] };
                let sizes: Vec<Poly> = ty.shape().iter().map(|n| poly(*n)).collect();
                let mut slice: Vec<SliceDim> = sizes.iter().map(|n| SliceDim::range(0, n)).collect();
                let Some(size) = sizes.get(*dim) else { return vec![] };
                slice[*dim] = SliceDim::range(&start, size);
                found.push((*a, Into::Part(i), part(target.lmad.slice(&slice))));
                start = start + size;
            }
        }
        Exp::Basic(Basic::Copy(a)) => found.push((*a, Into::Part(0), Some(target.clone()))),
        Exp::Basic(Basic::ArrayLit(es, _)) => {
            for (i, e) in es.iter().enumerate() {
                if let SubExp::Var(v) = e {
                    if tables.is_array(*v) {
                        let index = Poly::constant(i as i64);
                        found.push((*v, Into::Part(i), part(target.lmad.fix_outer(&[index]))));
                    }
                }
            }
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
    }
    found
}

impl ShortCircuit {
    /// The arrays that a statement puts into another, and where.
    pub(super) fn values_put(&self, stm: &Stm<Memory>) -> Vec<(Name, Dest)> {
        let Some(result) = stm.pat.first().map(|p| p.name) else { return vec![] };
        // Into an array that is there before, or as a part of one that is not.
        let dest = |(v, into, place): (Name, Into, Option<Place>)| {
            let mut dest = self.dest(v, place?)?;
            match into {
                Into::Old => {}
                Into::Part(part) => {
                    dest.parts = self.parts.get(&result).cloned().unwrap_or_default();
                    dest.parts.push((result, part));
                }
            }
            Some((v, dest))
        };
        put(&self.tables, stm).into_iter().filter_map(dest).collect()
    }

    /// The checks in a range that must pass before anything is written into the array that a statement joins:
    /// those by which no part has a negative size. It is only as large as its parts together, and one part
    /// may be made before another was found to be impossible.
    pub(super) fn checks_of_parts(&self, body: &Body<Memory>, range: Range<usize>) -> Vec<Name> {
        let Some(Exp::Basic(Basic::Concat { dim, arrays, .. })) = body.stms.get(range.end).map(|s| &s.exp)
        else {
            return vec![];
        };
        let shapes = arrays.iter().filter_map(|a| self.tables.types.get(a));
        let sizes = shapes.filter_map(|t| t.shape().get(*dim).map(|n| poly(*n)));
        let mut open: Vec<Poly> = sizes.filter(|n| !self.sure.nonneg(n)).collect();
        let (mut before, mut needed) = (vec![], vec![]);
        let mut all = self.sure.clone();
        for stm in &body.stms[range] {
            let (Exp::Basic(Basic::Assert(..)), Some(check)) = (&stm.exp, stm.pat.first()) else { continue };
            if open.is_empty() {
                break;
            }
            before.push(check.name);
            self.known.enter_checked(&mut all, check.name);
            let (known, rest): (Vec<Poly>, Vec<Poly>) = open.into_iter().partition(|n| all.nonneg(n));
            open = rest;
            if known.is_empty() {
                continue;
            }
            let mut alone = self.sure.clone();
            self.known.enter_checked(&mut alone, check.name);
            match known.iter().all(|n| alone.nonneg(n)) {
                true => needed.push(check.name),
                false => needed.extend(&before),
            }
        }
        needed
    }

    /// The destination of a value that is to be in a place.
    pub(super) fn dest(&self, value: Name, place: Place) -> Option<Dest> {
        let count = elements(self.tables.types.get(&value)?)?;
        let layout = Layout::between(&self.sure, &self.tables.place(value)?.lmad, &place.lmad);
        let moved = RefCell::new(FxHashMap::from_iter([(value, Some(place.lmad.clone()))]));
        place.lmad.is_known().then_some(Dest { place, layout, count, parts: vec![], moved })
    }
}

/// Into what a value is put.
pub(crate) enum Into {
    /// An array that is there before.
    Old,
    /// A new one, as that part of it.
    Part(usize),
}
