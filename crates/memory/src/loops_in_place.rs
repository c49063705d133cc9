//! Loops that compute an array anew from the old one do so in its place, where each element only needs what
//! is not overwritten yet.
//!
//! Before: a program over `Memory`. After: the same, with fewer loops that carry blocks.
//!
//! ```text
//! let (b : mem) = alloc 4*n                                     let (b : mem) = alloc 4*n
//! let (a : [n]i32 @ b) = replicate [n] 0                        let (a : [n]i32 @ b) = replicate [n] 0
//! let (r : mem, x : [n]i32 @ r) =                               let (x : [n]i32 @ b) =
//!   loop (m : mem = b, xs : [n]i32 @ m = a) for i < k {           loop (xs : [n]i32 @ b = a) for i < k {
//!   let (f : mem) = alloc 4*n
//!   let (ys : [n]i32 @ f) = segmap (j < n) { xs[j] + 1 }            let (ys : [n]i32 @ b) = segmap (j < n) { xs[j] + 1 }
//!   return (f, ys)                                                  return (ys)
//! }                                                             }
//! ```
//!
//! An array that a loop carries in a block stays in the block that it starts in if
//!
//! 1. that block is free to be overwritten: it was allocated in the same body, or is that of an argument
//!    which the function consumes, or is itself carried by a loop for which this holds; it is known under one
//!    name, and used by nothing after the loop, nor by the loop in another way;
//! 2. the array has the same place in its block at the start and after each iteration;
//! 3. an iteration returns the very block, or computes the array in a block of the same size which it
//!    allocates, and no write to that one meets a later use of the old array in the iteration: the overlap
//!    test decides ([`fehu_analysis::order`]). Branches may do the one or the other.
//!
//! Short-circuiting then can compute such an array where it ends up: it has one block, from before the loop
//! until after it. Loops that do not fulfil this use blocks in turns later ([`buffers`](crate::buffers)).

use crate::budget::Budget;
use crate::constants::with_constants;
use crate::reuse::has_long_rows;
use crate::shortcircuit::size;
use crate::tables::{bytes_of, mentions, operand_counts, Tables};
use crate::within::{any_stm, Within};
use fehu_algebra::Facts;
use fehu_analysis::order::{Order, Side, Uses};
use fehu_analysis::Known;
use fehu_base::Name;
use fehu_ir::mem::{poly, Lmad, MemOp};
use fehu_ir::seg::SegLevel;
use fehu_ir::subst::Subst;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Body, Exp, FunDef, Loop, Memory, Prog, Space, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops that compute an array anew do so in its place.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "loops-in-place", need: Need::Optional, run };

fn run(prog: &mut Prog<Memory>) {
    with_constants(prog, of_functions);
}

fn of_functions(prog: &mut Prog<Memory>) {
    if !prog.funs.iter().any(|fun| any_stm(&fun.body, carries_block)) {
        return;
    }
    let mut tables = Tables::of(prog);
    for fun in prog.funs.iter_mut().filter(|fun| any_stm(&fun.body, carries_block)) {
        let mut pass = InPlace::of(&mut tables, Known::of_fun(fun), &fun.body);
        let own = pass.consumed(fun);
        let facts = pass.known.facts();
        pass.body(&mut fun.body, &facts, own);
        pass.rename(&mut fun.body);
    }
    tables.write(prog);
}

struct InPlace<'a> {
    tables: &'a mut Tables,
    known: Known,
    /// How often names are operands: blocks that are have been passed on or returned.
    passed: FxHashMap<Name, usize>,
    /// Blocks that have become others.
    became: FxHashMap<Name, Name>,
    budget: Budget,
    /// The statements inside of which there are loops that carry blocks.
    within: Within,
}

/// An array that a loop carries with its block: the numbers of the two among the parameters, and where it starts.
struct Carried {
    block: usize,
    array: usize,
    start: Name,
}

/// Where the blocks come from that iterations hand on for an array.
#[derive(Default)]
struct Origins {
    /// They are allocated in the iteration, with so many bytes,
    allocated: Vec<(Name, SubExp)>,
    /// or are the parameter's, so many times,
    kept: usize,
    /// or are results of branches that are one of these.
    branches: Vec<Name>,
    /// Where the array is in them.
    places: Vec<Lmad>,
}

impl<'a> InPlace<'a> {
    fn of(tables: &'a mut Tables, known: Known, body: &Body<Memory>) -> InPlace<'a> {
        let passed = operand_counts(body);
        let within = Within::of(body, &mut carries_block);
        InPlace { tables, known, passed, became: FxHashMap::default(), budget: Budget::of(body), within }
    }

    /// The blocks of the arguments that a function consumes.
    fn consumed(&self, fun: &FunDef<Memory>) -> FxHashSet<Name> {
        let params = fun.params.iter().filter(|p| p.consumed);
        params.filter_map(|p| Some(self.tables.place(p.name)?.block)).collect()
    }

    /// Blocks that have become others are not allocated, and have the names of those.
    fn rename(&self, body: &mut Body<Memory>) {
        if self.became.is_empty() {
            return;
        }
        self.remove_allocations(body);
        let mut subst = Subst::new();
        for block in self.became.keys() {
            subst.insert(*block, self.now(*block));
        }
        subst.body(body);
    }

    fn remove_allocations(&self, body: &mut Body<Memory>) {
        let gone = |s: &Stm<Memory>| is_alloc(s) && s.pat.iter().all(|p| self.became.contains_key(&p.name));
        body.stms.retain(|s| !gone(s));
        for stm in &mut body.stms {
            map_bodies(&mut stm.exp, &mut |inner| deep(|| self.remove_allocations(inner)));
        }
    }

    /// What a block is now.
    fn now(&self, mut block: Name) -> Name {
        while let Some(next) = self.became.get(&block) {
            block = *next;
        }
        block
    }

    /// The block that a name is, or that the array of that name is in.
    fn block_of(&self, n: Name) -> Option<Name> {
        self.tables.block_of(n).map(|block| self.now(block))
    }

    fn times_passed(&self, block: Name) -> usize {
        self.passed.get(&block).copied().unwrap_or(0)
    }

    /// Goes through a body of the host; `own` are blocks from outside that it may overwrite when it does not
    /// need them any more. Returns these, and those that it allocates, among them.
    fn body(&mut self, body: &mut Body<Memory>, facts: &Facts, mut own: FxHashSet<Name>) -> FxHashSet<Name> {
        let mut facts = facts.clone();
        self.known.enter_body(&mut facts, body);
        let mut last = self.last_uses(body);
        deep(|| {
            for (at, stm) in body.stms.iter_mut().enumerate() {
                let allocates = matches!(stm.exp, Exp::Op(MemOp::Alloc(..)));
                if !allocates && !carries_block(stm) && !self.within.has(stm) {
                    continue;
                }
                match &mut stm.exp {
                    Exp::If(c, t, f) => {
                        for (branch, taken) in [(t, true), (f, false)] {
                            let mut facts = facts.clone();
                            self.known.enter_branch(&mut facts, *c, taken);
                            self.body(branch, &facts, FxHashSet::default());
                        }
                    }
                    Exp::Loop(_) => {
                        for (result, start) in
                            self.loop_(stm, &facts, &mut own, |b| last.get(&b) == Some(&at))
                        {
                            let until = last.get(&result).copied().unwrap_or(at);
                            last.insert(start, until);
                        }
                    }
                    Exp::Op(MemOp::Alloc(_, Space::Default)) => own.extend(stm.pat.iter().map(|p| p.name)),
                    // Kernels carry no blocks.
                    Exp::Op(MemOp::Seg(seg)) if seg.level != SegLevel::Task => {}
                    Exp::Op(MemOp::Seg(_)) | Exp::WithAcc(_) => map_bodies(&mut stm.exp, &mut |inner| {
                        self.body(inner, &facts, FxHashSet::default());
                    }),
                    Exp::Basic(_) | Exp::Call(..) | Exp::Op(_) => {}
                }
            }
        });
        own
    }

    /// The last statements that use blocks, or the arrays in them. Results are used after all of them.
    fn last_uses(&self, body: &Body<Memory>) -> FxHashMap<Name, usize> {
        let mut last = FxHashMap::default();
        for (at, stm) in body.stms.iter().enumerate() {
            last.extend(mentions(stm).into_iter().filter_map(|n| Some((self.block_of(n)?, at))));
        }
        let results = body.result.iter().filter_map(|e| self.block_of(e.name()?));
        last.extend(results.map(|block| (block, body.stms.len())));
        last
    }

    /// A loop. `used_up` says of a block that nothing after the loop uses it. Returns the blocks that the
    /// loop returned, each with the one that it is now.
    fn loop_(
        &mut self,
        stm: &mut Stm<Memory>,
        facts: &Facts,
        own: &mut FxHashSet<Name>,
        used_up: impl Fn(Name) -> bool,
    ) -> Vec<(Name, Name)> {
        let Exp::Loop(l) = &mut stm.exp else { return vec![] };
        let carried = self.carried(l, |b| own.contains(&b) && used_up(b));
        let mut facts = facts.clone();
        self.known.enter_loop(&mut facts, l);
        let given = carried.iter().map(|c| l.params[c.block].0.name).collect();
        let fresh = self.body(&mut l.body, &facts, given);
        self.known.enter_body(&mut facts, &l.body);
        let mut became = vec![];
        let mut dropped = vec![];
        for c in carried {
            let Some(result) = stm.pat.get(c.block).map(|p| p.name) else { continue };
            let Some(next) = l.body.result.get(c.block).and_then(|e| e.name()) else { continue };
            let param = l.params[c.block].0.name;
            let mut origins = Origins::default();
            let handed_on = self.origins(&l.body, (next, l.body.result[c.array]), param, &mut origins);
            if handed_on && self.stays(l, &facts, &c, &origins) {
                origins.branches.iter().for_each(|block| drop_result(&mut l.body, *block));
                // It is no longer returned by iterations, nor given to the loop.
                for block in
                    origins.allocated.iter().map(|(block, _)| *block).chain(origins.branches).chain([param])
                {
                    self.passed.remove(&block);
                    self.becomes(block, c.start);
                }
                self.passed.remove(&c.start);
                self.becomes(result, c.start);
                dropped.push(c.block);
                became.push((result, c.start));
            } else if fresh.contains(&self.now(next)) && self.times_passed(self.now(next)) == 1 {
                own.insert(result);
            }
        }
        for k in dropped.into_iter().rev() {
            l.params.remove(k);
            l.body.result.remove(k);
            stm.pat.remove(k);
        }
        became
    }

    /// Where the block comes from that a body returns with an array: from allocations and branches, or it is
    /// the parameter's. False if it is anything else, or if it is passed on in another way.
    fn origins(
        &self,
        body: &Body<Memory>,
        (block, array): (Name, SubExp),
        param: Name,
        found: &mut Origins,
    ) -> bool {
        let block = self.now(block);
        let Some(place) = array.name().and_then(|a| self.tables.place(a)) else { return false };
        if self.now(place.block) != block {
            return false;
        }
        found.places.push(place.lmad.clone());
        if block == param {
            found.kept += 1;
            return true;
        }
        if self.times_passed(block) != 1 {
            return false;
        }
        let Some(stm) = body.stms.iter().find(|s| s.pat.iter().any(|p| p.name == block)) else {
            return false;
        };
        match &stm.exp {
            Exp::Op(MemOp::Alloc(bytes, Space::Default)) => {
                found.allocated.push((block, *bytes));
                true
            }
            Exp::If(_, t, f) => {
                found.branches.push(block);
                let at = |n: Name| stm.pat.iter().position(|p| p.name == n);
                let inside = |n: &Name| at(*n).is_some();
                let arrays: Vec<Name> = self.tables.inside(block).iter().copied().filter(inside).collect();
                let ([array], Some(k)) = (&arrays[..], at(block)) else { return false };
                let Some(j) = at(*array) else { return false };
                [t, f].into_iter().all(|branch| match (branch.result.get(k), branch.result.get(j)) {
                    (Some(SubExp::Var(block)), Some(array)) => {
                        deep(|| self.origins(branch, (*block, *array), param, found))
                    }
                    _ => false,
                })
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
        }
    }

    /// The arrays that a loop carries, with their blocks, if it may overwrite what they start with.
    fn carried(&self, l: &Loop<Memory>, free: impl Fn(Name) -> bool) -> Vec<Carried> {
        let starts = |(k, (p, init)): (usize, &(fehu_ir::Param<Memory>, SubExp))| {
            let start = self.now(init.name().filter(|_| matches!(p.ty, Type::Mem(Space::Default)))?);
            (free(start) && self.times_passed(start) == 1).then_some((k, start))
        };
        let starts: Vec<(usize, Name)> = l.params.iter().enumerate().filter_map(starts).collect();
        if starts.is_empty() {
            return vec![];
        }
        let inner = l.body.stms.iter().flat_map(mentions).chain(l.params.iter().map(|(p, _)| p.name));
        let used: FxHashSet<Name> = inner.filter_map(|n| self.block_of(n)).collect();
        let carried = |(block, start): (usize, Name)| {
            let inside = |n: Name| self.tables.place(n).filter(|p| p.block == l.params[block].0.name);
            let mut arrays = (0..l.params.len()).filter(|k| inside(l.params[*k].0.name).is_some());
            let array = arrays.next().filter(|_| arrays.next().is_none())?;
            let place = inside(l.params[array].0.name)?;
            let init = self.tables.place(l.params[array].1.name()?)?;
            let same = self.now(init.block) == start && init.lmad == place.lmad;
            (same && !used.contains(&start)).then_some(Carried { block, array, start })
        };
        starts.into_iter().filter_map(carried).collect()
    }

    /// Whether the array that an iteration computes can be where the old one is.
    fn stays(&self, l: &Loop<Memory>, facts: &Facts, c: &Carried, origins: &Origins) -> bool {
        let (param, array) = (l.params[c.block].0.name, l.params[c.array].0.name);
        let bytes = self.tables.types.get(&array).and_then(bytes_of);
        let (Some(old), Some(bytes)) = (self.tables.place(array), bytes) else { return false };
        // Checks that come later may fail too late.
        let sure = self.known.facts();
        let same_size = |(_, new): &(Name, SubExp)| sure.eq(&poly(*new), &bytes);
        if self.times_passed(param) != origins.kept
            || origins.places.iter().any(|lmad| *lmad != old.lmad)
            || !origins.allocated.iter().all(same_size)
        {
            return false;
        }
        if origins.allocated.is_empty() {
            return true;
        }
        let new: FxHashSet<Name> = origins
            .allocated
            .iter()
            .map(|(block, _)| *block)
            .chain(origins.branches.iter().copied())
            .collect();
        in_place(&self.known, facts, &self.budget, l, &|n| match self.tables.place(n) {
            Some(place) if new.contains(&self.now(place.block)) => Side::Source(place.lmad.clone()),
            Some(place) if self.now(place.block) == param => Side::Destination(place.lmad.clone()),
            Some(_) | None => Side::None,
        })
    }

    /// Lets a block be another from now on.
    fn becomes(&mut self, block: Name, other: Name) {
        self.became.insert(block, other);
        for array in self.tables.inside(block).to_vec() {
            if let Some(mut place) = self.tables.place(array).cloned() {
                place.block = other;
                self.tables.set_place(array, place);
            }
        }
        if let Some(n) = self.passed.remove(&block) {
            *self.passed.entry(other).or_default() += n;
        }
    }
}

/// Whether iterations of a loop, with the facts of its body, can compute the source where the destination is.
pub(crate) fn in_place(
    known: &Known,
    facts: &Facts,
    budget: &Budget,
    l: &Loop<Memory>,
    side: &dyn Fn(Name) -> Side,
) -> bool {
    if !budget.take(l.body.stms.iter().map(size).sum()) {
        return false;
    }
    let is_new = |n: &Name| matches!(side(*n), Side::Source(_));
    let uses_new = |stm: &Stm<Memory>| !is_alloc(stm) && mentions(stm).iter().any(is_new);
    let Some(first) = l.body.stms.iter().position(uses_new) else { return false };
    let stms = &l.body.stms[first..];
    !stms.iter().any(has_long_rows) && Order { known, side }.stms(facts, stms, &mut Uses::nothing())
}

/// Whether a statement is a loop that carries blocks.
fn carries_block(stm: &Stm<Memory>) -> bool {
    let Exp::Loop(l) = &stm.exp else { return false };
    l.params.iter().any(|(p, _)| matches!(p.ty, Type::Mem(Space::Default)))
}

fn is_alloc(stm: &Stm<Memory>) -> bool {
    matches!(stm.exp, Exp::Op(MemOp::Alloc(..)))
}

/// Branches that returned a block do so no longer.
fn drop_result(body: &mut Body<Memory>, block: Name) {
    deep(|| {
        for stm in &mut body.stms {
            let Exp::If(_, t, f) = &mut stm.exp else { continue };
            match stm.pat.iter().position(|p| p.name == block) {
                Some(k) => {
                    t.result.remove(k);
                    f.result.remove(k);
                    stm.pat.remove(k);
                }
                None => [t, f].into_iter().for_each(|branch| drop_result(branch, block)),
            }
        }
    });
}
