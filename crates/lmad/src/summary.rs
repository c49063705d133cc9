//! Access summaries: all that a piece of code reads or writes in one memory block.

use crate::lmad::Lmad;
use crate::overlap::disjoint;
use fehu_algebra::{Facts, Poly, Sym};

/// Descriptors kept apart before a summary gives up and becomes everything.
const MAX_PARTS: usize = 32;

/// A set of points that contains all accesses described, and perhaps more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Summary {
    /// Any place may be accessed.
    Everything,
    /// Only these places are accessed.
    Parts(Vec<Lmad>),
}

impl Summary {
    /// No access.
    pub fn nothing() -> Summary {
        Summary::Parts(Vec::new())
    }

    /// The accesses of one descriptor.
    pub fn of(lmad: Lmad) -> Summary {
        match lmad.is_known() {
            true => Summary::Parts(vec![lmad]),
            false => Summary::Everything,
        }
    }

    /// Whether there is no access at all.
    pub fn is_nothing(&self) -> bool {
        match self {
            Summary::Everything => false,
            Summary::Parts(parts) => parts.is_empty(),
        }
    }

    /// Adds the accesses of one descriptor.
    pub fn add(&mut self, facts: &Facts, lmad: &Lmad) {
        if !lmad.is_known() {
            *self = Summary::Everything;
        }
        let Summary::Parts(parts) = self else {
            return;
        };
        if parts.contains(lmad) {
            return;
        }
        for part in parts.iter_mut().filter(|p| are_neighbours(facts, p, lmad)) {
            if let Some(both) = part.union(facts, lmad) {
                *part = both;
                return;
            }
        }
        parts.push(lmad.clone());
        if parts.len() > MAX_PARTS {
            *self = Summary::Everything;
        }
    }

    /// All accesses while `i` runs over `count` values from `from`.
    pub fn expand(&self, facts: &Facts, i: Sym, from: &Poly, count: &Poly) -> Summary {
        let Summary::Parts(parts) = self else {
            return Summary::Everything;
        };
        let mut all = Summary::nothing();
        for part in parts {
            if part.is_known() && !part.mentions(i) {
                all.add(facts, part);
                continue;
            }
            match part.expand(facts, i, from, count) {
                Some(wide) => all.add(facts, &wide),
                None => return Summary::Everything,
            }
        }
        all
    }

    /// The summary with variables replaced.
    pub fn subst_all(&self, f: impl Fn(Sym) -> Option<Poly>) -> Summary {
        match self {
            Summary::Everything => Summary::Everything,
            Summary::Parts(parts) => {
                let replaced: Vec<Lmad> = parts.iter().map(|l| l.subst_all(&f)).collect();
                match replaced.iter().all(Lmad::is_known) {
                    true => Summary::Parts(replaced),
                    false => Summary::Everything,
                }
            }
        }
    }

    /// Whether a variable occurs.
    pub fn mentions(&self, x: Sym) -> bool {
        match self {
            Summary::Everything => false,
            Summary::Parts(parts) => parts.iter().any(|l| l.mentions(x)),
        }
    }

    /// Whether it is proven that no place is accessed by both.
    pub fn disjoint(&self, facts: &Facts, other: &Summary) -> bool {
        match (self, other) {
            (Summary::Parts(a), Summary::Parts(b)) => {
                a.iter().all(|l| b.iter().all(|m| disjoint(facts, l, m)))
            }
            (Summary::Everything, s) | (s, Summary::Everything) => s.is_nothing(),
        }
    }
}

/// Whether it is worth asking if one descriptor does for both: they are small, and their distance is a
/// number, or one begins where the other ends. Proofs about other distances cost more than a part that they
/// might save.
fn are_neighbours(facts: &Facts, a: &Lmad, b: &Lmad) -> bool {
    if a.rank() > 1 || b.rank() > 1 {
        return false;
    }
    let distance = facts.normalise(&(&b.offset - &a.offset));
    let length = |l: &Lmad| l.dims.first().map(|d| facts.normalise(&(&d.size * &d.stride)));
    distance.as_constant().is_some() || length(a) == Some(distance.clone()) || length(b) == Some(-distance)
}
