//! What a nest returns has memory of its own where that matters: the results of a map always have.
//!
//! Flat code may hand on arrays that were there before: a loop that no point enters returns what it began
//! with. If the function consumes one of the two, or returns it as unique, the result is copied; likewise if
//! two results may share memory.
//!
//! ```text
//! map (\x -> loop y = x for i < x % 7 do ..) xs
//!
//! let ys = loop (ys = xs) while any .. do ..            let ys = loop (ys = xs) while any .. do ..
//! return (ys)                                    =>     let zs = copy ys
//!                                                       return (zs)
//! ```

use super::Nests;
use fehu_base::Name;
use fehu_ir::alias::{Aliases, Signature};
use fehu_ir::build::plain;
use fehu_ir::{Basic, Body, Exp, PatElem, Soacs, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

impl Nests {
    /// Copies what a body returns for a pattern but does not have for itself. `functions` is how many
    /// functions for all points there were before it.
    pub(super) fn own_results(&mut self, functions: usize, pat: &[PatElem<Soacs>], body: &mut Body<Soacs>) {
        let results: Vec<SubExp> = body.result.clone();
        for (at, from) in self.shared(functions, pat, body, &results) {
            let copy = self.b.names.fresh_like(from);
            self.copied(body, from, copy);
            body.result[at] = SubExp::Var(copy);
        }
    }

    /// The same of arrays that statements of a body bind.
    pub(super) fn own_bindings(&mut self, functions: usize, pat: &[PatElem<Soacs>], body: &mut Body<Soacs>) {
        let bound: Vec<SubExp> = pat.iter().map(|p| p.name.into()).collect();
        for (_, name) in self.shared(functions, pat, body, &bound) {
            let part = self.b.names.fresh_like(name);
            let bindings = body.stms.iter_mut().flat_map(|s| &mut s.pat);
            bindings.filter(|p| p.name == name).for_each(|p| p.name = part);
            self.b.types.insert(part, self.b.type_of(name.into()));
            self.copied(body, part, name);
        }
    }

    fn copied(&mut self, body: &mut Body<Soacs>, from: Name, to: Name) {
        let ty = self.b.type_of(from.into());
        self.b.types.insert(to, ty.clone());
        body.stms.push(Stm { loc: self.b.loc.clone(), ..plain(to, ty, Exp::Basic(Basic::Copy(from))) });
    }

    /// Which arrays of a body, that a pattern binds, must not share memory with what is outside of it, or
    /// with one before them, but may do so.
    fn shared(
        &mut self,
        functions: usize,
        pat: &[PatElem<Soacs>],
        body: &Body<Soacs>,
        arrays: &[SubExp],
    ) -> Vec<(usize, Name)> {
        for (name, definition) in self.functions.lifted.values().skip(functions) {
            if let Some(definition) = definition {
                self.signatures.insert(*name, Signature::of(definition));
            }
        }
        let bound: FxHashSet<Name> = body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
        let aliases = Aliases::of_body(&self.signatures, body);
        // The memory of arrays so far, and whether it is consumed.
        let mut taken: FxHashMap<Name, bool> = FxHashMap::default();
        let mut shared = vec![];
        for (at, (e, p)) in arrays.iter().zip(pat).enumerate() {
            let Some(array) = e.name().filter(|_| p.ty.is_array()) else { continue };
            let consumed = self.classes.is_consumed(p.name);
            let clashes = |n: &Name| match taken.get(n) {
                Some(other) => consumed || *other,
                None => !bound.contains(n) && (consumed || self.classes.is_consumed(*n)),
            };
            let memory = aliases.of(array);
            if memory.iter().any(clashes) {
                shared.push((at, array));
            } else {
                memory.iter().for_each(|n| *taken.entry(*n).or_default() |= consumed);
            }
        }
        shared
    }
}
