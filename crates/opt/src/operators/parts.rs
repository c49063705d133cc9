//! Operators on tuples whose components have nothing to do with each other are several operators.
//!
//! ```text
//! \(a, x, b, y) { let c = add(a, b); let z = max(x, y); return (c, z) }   ->   \(a, b) { ... return (c) }, \(x, y) { ... return (z) }
//! ```
//!
//! A component is a result with the two operands at its place. Two of them belong together if a statement
//! needs something of both. Statements that need nothing of any are part of all.

use fehu_base::{Name, NameSource};
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::rename_lambda;
use fehu_ir::{Body, Lambda, Soacs};
use rustc_hash::FxHashMap;

/// The parts of an operator, each with the places of its results.
pub(super) fn parts(names: &mut NameSource, op: Lambda<Soacs>) -> Vec<(Vec<usize>, Lambda<Soacs>)> {
    let n = op.ret.len();
    if n <= 1 || op.params.len() != 2 * n {
        return vec![((0..n).collect(), op)];
    }
    let mut together = Together { with: (0..n).collect() };
    let mut part: FxHashMap<Name, usize> = FxHashMap::default();
    for (k, p) in op.params.iter().enumerate() {
        part.insert(p.name, k % n);
    }
    let mut of_stms = vec![];
    for stm in &op.body.stms {
        let mut own = None;
        for needed in free_in_stm(stm) {
            if let Some(k) = part.get(&needed).copied() {
                together.join(own.unwrap_or(k), k);
                own = Some(k);
            }
        }
        if let Some(k) = own {
            part.extend(stm.pat.iter().map(|p| (p.name, k)));
        }
        of_stms.push(own);
    }
    for (k, e) in op.body.result.iter().enumerate() {
        if let Some(other) = e.name().and_then(|name| part.get(&name).copied()) {
            together.join(k, other);
        }
    }
    let firsts: Vec<usize> = (0..n).filter(|k| together.first(*k) == *k).collect();
    if firsts.len() == 1 {
        return vec![((0..n).collect(), op)];
    }
    let mut found = vec![];
    for first in firsts {
        let places: Vec<usize> = (0..n).filter(|k| together.first(*k) == first).collect();
        let mine = |k: &Option<usize>| k.is_none_or(|k| together.first(k) == first);
        let pairs = op.body.stms.iter().zip(&of_stms);
        let stms = pairs.filter(|(_, k)| mine(k)).map(|(stm, _)| stm.clone()).collect();
        let result = places.iter().map(|k| op.body.result[*k]).collect();
        let params = places.iter().copied().chain(places.iter().map(|k| n + k));
        let part = Lambda {
            params: params.map(|k| op.params[k].clone()).collect(),
            body: Body { stms, result },
            ret: places.iter().map(|k| op.ret[*k].clone()).collect(),
        };
        found.push((places, rename_lambda(names, &part)));
    }
    found
}

/// Which components belong together: each points to one with a smaller number, or to itself.
struct Together {
    with: Vec<usize>,
}

impl Together {
    fn first(&self, k: usize) -> usize {
        let mut k = k;
        while self.with[k] != k {
            k = self.with[k];
        }
        k
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.with[a.max(b)] = a.min(b);
    }
}
