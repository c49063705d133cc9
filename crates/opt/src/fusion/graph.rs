//! The statements of a body and the order they must keep.
//!
//! A statement comes after those that bind what it uses, and after those that
//! use an array it consumes. Two statements may become one unless a third must come between them. One that was
//! fused into another lives on there (its *home*), so
//! edges are never rewritten. The order is kept up to date, such that looking for
//! what comes between two statements never looks further than the distance between them.

use super::merge::Combinator;
use fehu_base::Name;
use fehu_ir::alias::Classes;
use fehu_ir::alias::Signatures;
use fehu_ir::consume::consumed_directly;
use fehu_ir::free::{free_in_stm, Names};
use fehu_ir::visit::{for_each_body, for_each_stm};
use fehu_ir::{Exp, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

pub(super) struct Graph {
    nodes: Vec<Option<Stm<Soacs>>>,
    /// Which statement binds a name.
    made_by: FxHashMap<Name, usize>,
    /// Which statements used a name in the beginning, or do so since they see through views.
    users: FxHashMap<Name, Vec<usize>>,
    /// What each statement uses, inputs of combinators left out.
    uses: Vec<Names>,
    /// Statements that must come before, because this one consumes what they use.
    before: Vec<Vec<usize>>,
    /// The same, the other way around.
    after: Vec<Vec<usize>>,
    results: FxHashSet<Name>,
    /// Where a fused statement went.
    merged: Vec<Cell<usize>>,
    /// An order that keeps all constraints, and the place of each statement in it.
    order: Vec<usize>,
    place: Vec<usize>,
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
            after: vec![vec![]; n],
            results: results.iter().filter_map(|e| e.name()).collect(),
            merged: (0..n).map(Cell::new).collect(),
            order: (0..n).collect(),
            place: (0..n).collect(),
        };
        for i in 0..n {
            graph.enter(i);
        }
        graph.order_consumption(classes, signatures);
        graph
    }

    /// Takes note of what a statement binds and uses.
    fn enter(&mut self, i: usize) {
        let Some(stm) = &mut self.nodes[i] else { return };
        let inputs = Combinator::take_arrays(stm);
        self.uses[i] = free_in_stm(stm);
        Combinator::put_arrays(stm, inputs);
        for p in &stm.pat {
            self.made_by.insert(p.name, i);
        }
        for n in self.uses[i].iter().chain(Combinator::arrays_of(stm)) {
            let users = self.users.entry(*n).or_default();
            if users.last() != Some(&i) {
                users.push(i);
            }
        }
    }

    /// Users of memory come before those who take it over.
    fn order_consumption(&mut self, classes: &Classes, signatures: &Signatures) {
        let mut since: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
        for i in 0..self.nodes.len() {
            let mut touched: Vec<Name> = self
                .used(i)
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
                    for u in users.drain(..) {
                        self.before[i].push(u);
                        self.after[u].push(i);
                    }
                }
                users.push(i);
            }
        }
    }

    /// Everything that a statement uses.
    fn used(&self, i: usize) -> impl Iterator<Item = &Name> + '_ {
        let inputs = self.nodes[i].as_ref().map_or(&[][..], Combinator::arrays_of);
        self.uses[i].iter().chain(inputs)
    }

    /// Whether a statement uses a name other than as an input of its combinator.
    pub(super) fn uses_apart(&self, i: usize, n: Name) -> bool {
        self.uses[i].contains(&n)
    }

    pub(super) fn stm(&self, i: usize) -> &Stm<Soacs> {
        match &self.nodes[i] {
            Some(stm) => stm,
            None => fehu_base::bug!("statement {i} was fused away"),
        }
    }

    /// The type of an array bound in this body.
    pub(super) fn type_of(&self, n: Name) -> Option<Type> {
        let stm = self.nodes[self.producer(n)?].as_ref()?;
        stm.pat.iter().find(|x| x.name == n).map(|x| x.ty.clone())
    }

    pub(super) fn is_alive(&self, i: usize) -> bool {
        self.nodes[i].is_some()
    }

    /// The place of a statement in the order.
    pub(super) fn place(&self, i: usize) -> usize {
        self.place[i]
    }

    /// The combinators, in order.
    pub(super) fn combinators(&self) -> Vec<usize> {
        let is = |i: &usize| self.nodes[*i].as_ref().is_some_and(|s| Combinator::of(s).is_some());
        self.order.iter().copied().filter(is).collect()
    }

    /// The statement that binds a name, if it is in this body.
    pub(super) fn producer(&self, n: Name) -> Option<usize> {
        self.made_by.get(&n).map(|i| self.home(*i))
    }

    /// The statements that use a name now.
    fn users_of(&self, n: Name) -> impl Iterator<Item = usize> + '_ {
        let users = self.users.get(&n).into_iter().flatten().map(|u| self.home(*u));
        users.filter(move |u| {
            let reads = |s| Combinator::arrays_of(s).contains(&n);
            self.nodes[*u].as_ref().is_some_and(|s| self.uses[*u].contains(&n) || reads(s))
        })
    }

    /// Combinators that read an array which this one reads, in order.
    pub(super) fn readers_of_inputs(&self, c: usize) -> Vec<usize> {
        let mut found: Vec<usize> = vec![];
        for a in Combinator::arrays_of(self.stm(c)) {
            let readers = self.users.get(a).into_iter().flatten().map(|u| self.home(*u));
            found.extend(readers.filter(|d| {
                let reads = |s| Combinator::of(s).is_some_and(|other| other.arrays().contains(a));
                *d != c && self.nodes[*d].as_ref().is_some_and(reads)
            }));
        }
        found.sort_unstable_by_key(|d| self.place[*d]);
        found.dedup();
        found
    }

    /// Whether a name is used by the body's result, or by a statement that is not among these.
    pub(super) fn is_used_besides(&self, n: Name, these: &[usize]) -> bool {
        self.results.contains(&n) || self.users_of(n).any(|u| !these.contains(&u))
    }

    /// What must come right before a statement.
    fn predecessors(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let made = self.used(i).filter_map(|n| self.producer(*n));
        let before = self.before[i].iter().map(|b| self.home(*b));
        made.chain(before).filter(move |p| *p != i && self.nodes[*p].is_some())
    }

    /// The first of others (in order) that fits and need not come before a statement, nor after it. Each
    /// statement between them is looked at once, however many others there are.
    pub(super) fn first_untied(
        &self,
        i: usize,
        others: &[usize],
        fits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let from = self.place[*others.first()?];
        let mut earlier: FxHashSet<usize> = FxHashSet::default();
        let mut work = vec![i];
        while let Some(at) = work.pop() {
            work.extend(self.predecessors(at).filter(|p| self.place[*p] >= from && earlier.insert(*p)));
        }
        let mut later: FxHashSet<usize> = [i].into_iter().collect();
        let mut seen = self.place[i];
        others.iter().copied().find(|other| {
            while seen < self.place[*other] {
                seen += 1;
                let at = self.order[seen];
                if self.nodes[at].is_some() && self.predecessors(at).any(|p| later.contains(&p)) {
                    later.insert(at);
                }
            }
            !earlier.contains(other) && !later.contains(other) && fits(*other)
        })
    }

    /// Whether the consumer takes over memory that the producer reads: as one, they would read what they
    /// have written.
    pub(super) fn consumes_input_of(&self, consumer: usize, producer: usize) -> bool {
        self.before[consumer].iter().any(|b| self.home(*b) == producer)
    }

    /// Whether some other statement must come after the first and before the second, which will see through the
    /// given views: it then uses what they use. A way from the first through views alone does not count, but one
    /// that goes on from a view to a statement which the second needs does.
    pub(super) fn path_between(&self, first: usize, second: usize, through: &[usize]) -> bool {
        let start = self.place[first];
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let users = through.iter().chain([&second]);
        let needed = users.flat_map(|i| self.predecessors(*i));
        let mut work: Vec<usize> = needed.filter(|p| *p != first && !through.contains(p)).collect();
        while let Some(i) = work.pop() {
            if i == first {
                return true;
            }
            // What comes before the first statement cannot depend on it.
            if self.place[i] > start && seen.insert(i) {
                work.extend(self.predecessors(i));
            }
        }
        false
    }

    /// Where a statement is now.
    fn home(&self, i: usize) -> usize {
        let mut i = i;
        loop {
            let up = self.merged[i].get();
            if up == i {
                return i;
            }
            let above = self.merged[up].get();
            self.merged[i].set(above);
            i = above;
        }
    }

    /// Takes two statements out, to be given back as one by [`Graph::put`].
    pub(super) fn take(&mut self, first: usize, second: usize) -> Option<(Stm<Soacs>, Stm<Soacs>)> {
        self.make_room(first, second);
        Some((self.nodes[first].take()?, self.nodes[second].take()?))
    }

    /// Puts a statement in the place of the second, of which the first is now part, and the others, too.
    pub(super) fn put(&mut self, first: usize, second: usize, stm: Stm<Soacs>, others: &[usize]) {
        for other in others {
            self.nodes[*other] = None;
            self.uses[*other] = Names::default();
        }
        for other in others.iter().chain([&first]) {
            let before = std::mem::take(&mut self.before[*other]);
            self.before[second].extend(before);
            let after = std::mem::take(&mut self.after[*other]);
            self.after[second].extend(after);
            let mut uses = std::mem::take(&mut self.uses[*other]);
            if uses.len() > self.uses[second].len() {
                std::mem::swap(&mut uses, &mut self.uses[second]);
            }
            self.uses[second].extend(uses);
            self.merged[*other].set(second);
        }
        self.nodes[second] = Some(stm);
    }

    /// A statement that sees through views uses what they do, but neither them nor what they show.
    pub(super) fn share_uses(&mut self, views: &[usize], to: usize, shown: &FxHashMap<Name, Type>) {
        let mut hidden: FxHashSet<Name> = shown.keys().copied().collect();
        for v in views {
            hidden.extend(self.nodes[*v].iter().flat_map(|s| &s.pat).map(|x| x.name));
        }
        for v in views {
            let uses: Vec<Name> = self.uses[*v].iter().filter(|n| !hidden.contains(*n)).copied().collect();
            for n in &uses {
                self.users.entry(*n).or_default().push(to);
            }
            self.uses[to].extend(uses);
        }
    }

    /// Lets everything that depends on the first statement come after the second.
    fn make_room(&mut self, first: usize, second: usize) {
        let (from, to) = (self.place[first], self.place[second]);
        let between = |i: usize| (from + 1..to).contains(&self.place[i]);
        let pat = self.nodes[first].iter().flat_map(|s| &s.pat);
        let after = self.after[first].iter().map(|i| self.home(*i));
        let mut later: FxHashSet<usize> =
            pat.flat_map(|p| self.users_of(p.name)).chain(after).filter(|i| between(*i)).collect();
        if later.is_empty() {
            return;
        }
        let (mut sooner, mut moved) = (vec![], vec![]);
        for i in self.order[from + 1..to].iter().copied() {
            if later.contains(&i)
                || self.nodes[i].is_some() && self.predecessors(i).any(|p| later.contains(&p))
            {
                later.insert(i);
                moved.push(i);
            } else {
                sooner.push(i);
            }
        }
        let window: Vec<usize> = [first].into_iter().chain(sooner).chain([second]).chain(moved).collect();
        for (k, i) in window.into_iter().enumerate() {
            self.order[from + k] = i;
            self.place[i] = from + k;
        }
    }

    /// The statements in an order that keeps all constraints.
    pub(super) fn into_statements(self) -> Vec<Stm<Soacs>> {
        let mut nodes = self.nodes;
        self.order.into_iter().filter_map(|i| nodes[i].take()).collect()
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
