//! How a block is laid out anew when what is in it moves.
//!
//! The value that is to be put somewhere else fills its block, and gets another place. The other arrays in
//! the block are parts of it, or it in another shape or order, and follow it:
//!
//! - if the new place is evenly spaced, what is at `p` in the old block is at `start + p*step` in the new one;
//! - else each dimension of the value gets a new stride. A part of the value is then taken as a slice of it:
//!   its offset and strides are written as multiples of the value's strides, which must stay within the
//!   value's sizes. For a value `0 + {(n : m), (m : 1)}` that becomes `a + {(n : s), (m : 1)}`, its row `m*i
//!   + {(m : 1)}` becomes `a + s*i + {(m : 1)}`.

use fehu_algebra::{Facts, Poly};
use fehu_analysis::{remainder_of, Known};
use fehu_ir::mem::Lmad;
use fehu_lmad::Dim;

/// See the module's text.
pub(super) enum Layout {
    /// The first element and the distance between elements.
    Even { start: Poly, step: Poly },
    /// The first element; and for each dimension, the outermost first, the size and stride so far, and the new stride.
    Strides { start: Poly, dims: Vec<(Dim, Poly)> },
    /// Only the value itself can move: its old layout is not known.
    Alone,
}

impl Layout {
    /// The layout that takes a value from its own place to another.
    pub(super) fn between(sure: &Facts, own: &Lmad, to: &Lmad) -> Layout {
        let found = |own: &Lmad, to: &Lmad| even(own, to).or_else(|| strides(own, to));
        let reversed = || forwards(sure, own, to).and_then(|(own, to)| found(&own, &to));
        found(own, to).or_else(reversed).unwrap_or(Layout::Alone)
    }

    /// Where what is at a place in the value's own block will be. `sure` is what holds whatever is checked: a
    /// part that turns out to reach beyond its row must not be written before the check that says so.
    pub(super) fn moved(&self, known: &Known, sure: &Facts, lmad: &Lmad) -> Option<Lmad> {
        let moved = match self {
            Layout::Even { start, step } => {
                let mut moved = lmad.clone();
                moved.offset = start + &lmad.offset * step;
                for dim in &mut moved.dims {
                    dim.stride = &dim.stride * step;
                }
                moved
            }
            Layout::Strides { start, dims } => part(known, sure, start, dims, lmad).or_else(|| {
                part(known, sure, start, &by_definitions(sure, dims), &lmad.map_parts(|p| sure.normalise(p)))
            })?,
            Layout::Alone => return None,
        };
        // Quotients that definitions are written with may be no names of the program.
        let named = moved.parts().all(|p| p.vars().iter().all(|x| remainder_of(*x).is_none()));
        (named && moved.is_known()).then_some(moved)
    }
}

/// The same two places with dimensions along which the first goes backwards reversed in both, so that each
/// element of the one is still for the same element of the other: an array that is read from its end fills
/// its block as well.
fn forwards(sure: &Facts, own: &Lmad, to: &Lmad) -> Option<(Lmad, Lmad)> {
    let (mut own, mut to) = (own.map_parts(|p| sure.normalise(p)), to.clone());
    if own.rank() != to.rank() {
        return None;
    }
    let backwards = |d: &Dim| !d.stride.is_zero() && sure.nonneg(&-&d.stride);
    let found: Vec<usize> = (0..own.rank()).filter(|k| backwards(&own.dims[*k])).collect();
    for k in &found {
        for lmad in [&mut own, &mut to] {
            let dim = &mut lmad.dims[*k];
            lmad.offset = &lmad.offset + (&dim.size - 1) * &dim.stride;
            dim.stride = -&dim.stride;
        }
    }
    (!found.is_empty()).then_some((own, to))
}

/// The layout of a destination that is evenly spaced, for a value whose elements are in order.
fn even(own: &Lmad, to: &Lmad) -> Option<Layout> {
    let nothing = Facts::new();
    if !own.is_direct(&nothing) {
        return None;
    }
    let flat = to.flatten(&nothing)?;
    let [dim] = flat.dims.as_slice() else { return None };
    let (start, step) = (flat.offset.clone(), dim.stride.clone());
    (start.is_known() && step.is_known()).then_some(Layout::Even { start, step })
}

/// The layout of a destination for a value that fills its block, with its dimensions in some order.
fn strides(own: &Lmad, to: &Lmad) -> Option<Layout> {
    if own.offset != Poly::zero() || own.rank() != to.rank() {
        return None;
    }
    let order = own.dense_permutation(&Facts::new())?;
    let dims = order.iter().map(|k| (own.dims[*k].clone(), to.dims[*k].stride.clone())).collect();
    Some(Layout::Strides { start: to.offset.clone(), dims })
}

/// The dimensions of a value with what is known of their sizes and strides written out: a size that is a
/// product by its definition is that product in the types of arrays with one dimension more.
fn by_definitions(sure: &Facts, dims: &[(Dim, Poly)]) -> Vec<(Dim, Poly)> {
    let written = |own: &Dim| Dim::new(sure.normalise(&own.size), sure.normalise(&own.stride));
    dims.iter().map(|(own, new)| (written(own), new.clone())).collect()
}

/// A part of the value as a slice of it, at its new place.
fn part(known: &Known, sure: &Facts, start: &Poly, dims: &[(Dim, Poly)], lmad: &Lmad) -> Option<Lmad> {
    let mut offset = start.clone();
    let mut rest = lmad.offset.clone();
    // The first and the last index in each dimension of the value.
    let mut used: Vec<(Poly, Poly)> = vec![];
    for (own, new) in dims {
        let (steps, left) = if own.size.is_one() { (Poly::zero(), rest) } else { rest.div_rem(&own.stride)? };
        offset = offset + &steps * new;
        used.push((steps.clone(), steps));
        rest = left;
    }
    if !rest.is_zero() {
        return None;
    }
    // A part without elements may be anywhere.
    let mut facts = sure.clone();
    known.enter_scope_of(&mut facts, lmad.parts());
    for dim in &lmad.dims {
        facts.assume_le(&Poly::one(), &dim.size);
    }
    let mut moved = vec![];
    for dim in &lmad.dims {
        let along = |(k, (own, _)): (usize, &(Dim, Poly))| {
            let usable = !own.size.is_one() || dims.len() == 1;
            Some((k, dim.stride.div_exact(&own.stride).filter(|s| usable && !s.is_zero())?))
        };
        let at = dims.iter().enumerate().find_map(along);
        let (k, steps) = match at {
            Some(found) => found,
            // Of one element, the stride does not matter.
            None if dim.size.is_one() || dim.stride.is_zero() => {
                moved.push(Dim::new(dim.size.clone(), Poly::zero()));
                continue;
            }
            None => return None,
        };
        moved.push(Dim::new(dim.size.clone(), &steps * &dims[k].1));
        let reach = (&dim.size - 1) * &steps;
        if facts.nonneg(&steps) {
            used[k].1 = &used[k].1 + reach;
        } else if facts.nonneg(&-&steps) {
            used[k].0 = &used[k].0 + reach;
        } else {
            return None;
        }
    }
    // Elements of the part are elements of the value, so that the outermost index is fine if the others are.
    let outermost = dims.iter().position(|(own, _)| !own.size.is_one()).unwrap_or(0);
    let within = |(k, (first, last)): (usize, &(Poly, Poly))| {
        let whole = first.is_zero() && *last == &dims[k].0.size - 1;
        k <= outermost || whole || (facts.nonneg(first) && facts.lt(last, &dims[k].0.size))
    };
    used.iter().enumerate().all(within).then(|| Lmad::new(offset, moved))
}
