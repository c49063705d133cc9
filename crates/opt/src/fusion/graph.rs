//! The statements of a body and the order they must keep.
//!
//! A statement comes after those that bind what it uses, and after those that
//! use an array it consumes. Statements keep their number when others are fused
//! into them; what is dead is empty.

use super::merge::Combinator;
use crate::alias::Classes;
use fehu_base::Name;
use fehu_ir::alias::Signatures;
use fehu_ir::consume::consumed_directly;
use fehu_ir::free::{free_in_stm, Names};
use fehu_ir::visit::{for_each_body, for_each_stm};
use fehu_ir::{Exp, Soacs, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) struct Graph {
    nodes: Vec<Option<Stm<Soacs>>>,
    /// Which statement binds a name.
    made_by: FxHashMap<Name, usize>,
    /// Which statements use a name; some may be dead or use it no more.
    users: FxHashMap<Name, Vec<usize>>,
    /// What each statement uses.
    uses: Vec<Names>,
    /// Statements that must come before, because this one consumes what they use.
    before: Vec<Vec<usize>>,
    results: FxHashSet<Name>,
    /// Where a fused statement went.
    merged: Vec<usize>,
}

impl Graph {
    pub(super) fn new(
        classes: &Classes,
        signatures: &Signatures,
        stms: Vec<Stm<Soacs>>,
        results: &[SubExp],
    ) -> Graph {
        let n = stms.len();
        let mut graph = Graph {
            nodes: stms.into_iter().map(Some).collect(),
            made_by: FxHashMap::default(),
            users: FxHashMap::default(),
            uses: vec![Names::default(); n],
            before: vec![vec![]; n],
            results: results.iter().filter_map(|e| e.name()).collect(),
            merged: (0..n).collect(),
        };
        for i in 0..n {
            graph.enter(i);
        }
        graph.order_consumption(classes, signatures);
        graph
    }

    /// Takes note of what a statement binds and uses.
    fn enter(&mut self, i: usize) {
        let Some(stm) = &self.nodes[i] else { return };
        let uses = free_in_stm(stm);
        for p in &stm.pat {
            self.made_by.insert(p.name, i);
        }
        for n in &uses {
            let users = self.users.entry(*n).or_default();
            if users.last() != Some(&i) {
                users.push(i);
            }
        }
        self.uses[i] = uses;
    }

    /// Users of memory come before those who take it over.
    fn order_consumption(&mut self, classes: &Classes, signatures: &Signatures) {
        let mut since: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
        for i in 0..self.nodes.len() {
            let mut touched: Vec<Name> = self.uses[i]
                .iter()
                .filter(|n| classes.is_known(**n) && classes.is_consumed(**n))
                .map(|n| classes.find(*n))
                .collect();
            touched.sort_unstable();
            touched.dedup();
            if touched.is_empty() {
                continue;
            }
            let taken = match &self.nodes[i] {
                Some(stm) => taken_classes(classes, signatures, stm),
                None => vec![],
            };
            for class in touched {
                let users = since.entry(class).or_default();
                if taken.contains(&class) {
                    self.before[i].append(users);
                }
                users.push(i);
            }
        }
    }

    pub(super) fn stm(&self, i: usize) -> &Stm<Soacs> {
        match &self.nodes[i] {
            Some(stm) => stm,
            None => fehu_base::bug!("statement {i} was fused away"),
        }
    }

    pub(super) fn is_alive(&self, i: usize) -> bool {
        self.nodes[i].is_some()
    }

    /// The combinators, in order.
    pub(super) fn combinators(&self) -> Vec<usize> {
        let is = |i: &usize| self.nodes[*i].as_ref().is_some_and(|s| Combinator::of(s).is_some());
        (0..self.nodes.len()).filter(is).collect()
    }

    /// The statement that binds a name, if it is in this body.
    pub(super) fn producer(&self, n: Name) -> Option<usize> {
        self.made_by.get(&n).copied()
    }

    /// Combinators that read an array which this one reads, in order.
    pub(super) fn readers_of_inputs(&self, c: usize) -> Vec<usize> {
        let Some(me) = Combinator::of(self.stm(c)) else { return vec![] };
        let mut found: Vec<usize> = vec![];
        for a in me.arrays() {
            for d in self.users.get(a).into_iter().flatten() {
                let reads = *d != c
                    && self.nodes[*d]
                        .as_ref()
                        .and_then(Combinator::of)
                        .is_some_and(|other| other.arrays().contains(a));
                if reads && !found.contains(d) {
                    found.push(*d);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether a name is used by the body's result, or by a statement that is neither among the first nor
    /// among the second.
    pub(super) fn is_used_besides(&self, n: Name, these: &[usize], those: &[usize]) -> bool {
        self.results.contains(&n)
            || self.users.get(&n).into_iter().flatten().any(|u| {
                !these.contains(u)
                    && !those.contains(u)
                    && self.nodes[*u].is_some()
                    && self.uses[*u].contains(&n)
            })
    }

    /// What must come right before a statement.
    fn predecessors(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let made = self.uses[i].iter().filter_map(|n| self.made_by.get(n).copied());
        let before = self.before[i].iter().map(|b| self.home(*b));
        made.chain(before).filter(move |p| *p != i)
    }

    /// Whether the second must come right after the first.
    pub(super) fn depends(&self, first: usize, second: usize) -> bool {
        self.predecessors(second).any(|p| p == first)
    }

    /// Whether the consumer takes over memory that the producer reads: as one, they would read what they
    /// have written.
    pub(super) fn consumes_input_of(&self, consumer: usize, producer: usize) -> bool {
        self.before[consumer].iter().any(|b| self.home(*b) == producer)
    }

    /// Whether some other statement must come after the first and before the second; ways through
    /// the given statements do not count.
    pub(super) fn path_between(&self, first: usize, second: usize, through: &[usize]) -> bool {
        let mut seen: FxHashSet<usize> = through.iter().copied().collect();
        let mut work: Vec<usize> =
            self.predecessors(second).filter(|p| *p != first && !through.contains(p)).collect();
        while let Some(i) = work.pop() {
            if i == first {
                return true;
            }
            if seen.insert(i) {
                work.extend(self.predecessors(i));
            }
        }
        false
    }

    /// Where a statement is now.
    fn home(&self, mut i: usize) -> usize {
        while self.merged[i] != i {
            i = self.merged[i];
        }
        i
    }

    /// Puts a statement in the place of the second, of which the first is now part.
    pub(super) fn fuse(&mut self, first: usize, second: usize, stm: Stm<Soacs>, dropped: &[usize]) {
        let before = std::mem::take(&mut self.before[first]);
        self.before[second].extend(before);
        self.nodes[first] = None;
        self.uses[first] = Names::default();
        self.merged[first] = second;
        for v in dropped {
            self.nodes[*v] = None;
            self.uses[*v] = Names::default();
        }
        self.nodes[second] = Some(stm);
        self.enter(second);
    }

    /// The statements in an order that keeps all constraints, as near to the original one as possible.
    pub(super) fn into_statements(self) -> Vec<Stm<Soacs>> {
        let n = self.nodes.len();
        let mut after: Vec<Vec<usize>> = vec![vec![]; n];
        let mut missing = vec![0usize; n];
        for i in (0..n).filter(|i| self.nodes[*i].is_some()) {
            let mut preds: Vec<usize> = self.predecessors(i).filter(|p| self.nodes[*p].is_some()).collect();
            preds.sort_unstable();
            preds.dedup();
            missing[i] = preds.len();
            for p in preds {
                after[p].push(i);
            }
        }
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..n).filter(|i| self.nodes[*i].is_some() && missing[*i] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(n);
        while let Some(Reverse(i)) = ready.pop() {
            order.push(i);
            for j in &after[i] {
                missing[*j] -= 1;
                if missing[*j] == 0 {
                    ready.push(Reverse(*j));
                }
            }
        }
        let mut nodes = self.nodes;
        order.into_iter().filter_map(|i| nodes[i].take()).collect()
    }
}

/// The classes whose memory a statement takes over, itself or in its bodies.
fn taken_classes(classes: &Classes, signatures: &Signatures, stm: &Stm<Soacs>) -> Vec<Name> {
    let mut taken: Vec<Name> = vec![];
    let mut add = |exp: &Exp<Soacs>| {
        let names = consumed_directly(signatures, exp);
        taken.extend(names.into_iter().map(|n| classes.find(n)));
    };
    add(&stm.exp);
    for_each_body(&stm.exp, &mut |b| for_each_stm(b, &mut |s| add(&s.exp)));
    taken
}
