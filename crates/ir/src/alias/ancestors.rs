//! From which names the memory of a name may come, while those can still be used.
//!
//! In: a body. Out: a table of *parents*. Two names may share memory if they have an ancestor in common
//! (every name is its own ancestor). Names bound inside of branches and loops are no ancestors of what is
//! bound outside: what leaves a body has the ancestors there that the body's result has outside of it, and
//! results that share something inside are parents of each other.
//!
//! ```text
//! let (ys : [n]i32) = xs[0 :+ n * 2]                               ys: {ys, xs}
//! let (zs : [n]i32) = if c then {return (ys)} else {return (as)}   zs: {zs, ys, xs, as}
//! ```

use super::flow::{Flow, Flows, How};
use super::signature::Signatures;
use crate::consume::consumed_directly;
use crate::free::Names;
use crate::rep::Rep;
use crate::syntax::*;
use crate::visit::{deep, for_each_body, for_each_lambda};
use fehu_base::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// The alias table of a function or body. See the module's text.
#[derive(Clone, Default, Debug)]
pub struct Aliases {
    parents: FxHashMap<Name, Vec<Name>>,
}

impl Aliases {
    /// The table of a function.
    pub fn of_fun<R: Rep>(signatures: &Signatures, fun: &FunDef<R>) -> Aliases {
        Aliases::of_body(signatures, &fun.body)
    }

    /// The table of a body; names that are free in it are taken not to alias each other.
    pub fn of_body<R: Rep>(signatures: &Signatures, body: &Body<R>) -> Aliases {
        let mut analysis = Analysis { signatures, table: Aliases::default(), consumed: vec![] };
        analysis.body(body);
        analysis.table
    }

    /// The name itself and all from which its memory may come.
    pub fn of(&self, name: Name) -> Names {
        let mut found = Names::default();
        found.insert(name);
        let mut next = 0;
        while let Some(n) = found.get_index(next).copied() {
            next += 1;
            if let Some(parents) = self.parents.get(&n) {
                found.extend(parents.iter().copied());
            }
        }
        found
    }

    /// Whether the two may share memory.
    pub fn may_alias(&self, a: Name, b: Name) -> bool {
        let of_a = self.of(a);
        self.of(b).iter().any(|n| of_a.contains(n))
    }

    fn add(&mut self, name: Name, parents: impl IntoIterator<Item = Name>) {
        let known = self.parents.entry(name).or_default();
        for p in parents {
            if p != name && !known.contains(&p) {
                known.push(p);
            }
        }
        if known.is_empty() {
            self.parents.remove(&name);
        }
    }
}

struct Analysis<'a> {
    signatures: &'a Signatures,
    table: Aliases,
    /// What the bodies we are in have consumed so far, the innermost last.
    consumed: Vec<FxHashSet<Name>>,
}

impl Analysis<'_> {
    /// Gives what the body consumes of names bound outside of it.
    fn body<R: Rep>(&mut self, body: &Body<R>) -> FxHashSet<Name> {
        deep(|| {
            self.consumed.push(FxHashSet::default());
            for stm in &body.stms {
                self.stm(stm);
                for n in consumed_directly(self.signatures, &stm.exp) {
                    let all = self.table.of(n);
                    self.consumed.last_mut().into_iter().for_each(|c| c.extend(all.iter().copied()));
                }
            }
            let mut consumed = self.consumed.pop().unwrap_or_default();
            for p in body.stms.iter().flat_map(|s| &s.pat) {
                consumed.remove(&p.name);
            }
            self.consumed.last_mut().into_iter().for_each(|c| c.extend(consumed.iter().copied()));
            consumed
        })
    }

    fn stm<R: Rep>(&mut self, stm: &Stm<R>) {
        let flows = Flows::of_stm(self.signatures, stm);
        for f in aliasing(&flows.enter) {
            self.table.add(f.to, [f.from]);
        }
        let mut consumed = FxHashSet::default();
        for_each_body(&stm.exp, &mut |body| consumed.extend(self.body(body)));
        let leave: Vec<Flow> = aliasing(&flows.leave).collect();
        if leave.is_empty() {
            return;
        }
        let mut inside = bound_inside(&stm.exp);
        if let Exp::Loop(l) = &stm.exp {
            self.next_iteration(l, &flows.again, &inside);
            inside.extend(l.params.iter().map(|(p, _)| p.name));
        }
        let gone = matches!(stm.exp, Exp::If(..)).then_some(&consumed);
        self.leave(stm, &leave, &inside, gone);
    }

    /// The body was looked at once, with the parameters as they are at first. What its results share with the
    /// parameters then says what each parameter may be in later iterations.
    fn next_iteration<R: Rep>(&mut self, l: &Loop<R>, again: &[Flow], inside: &FxHashSet<Name>) {
        let mut may_be: FxHashMap<Name, Names> = FxHashMap::default();
        for (param, _) in &l.params {
            let first = self.table.parents.get(&param.name).into_iter().flatten().copied();
            may_be.insert(param.name, first.collect());
        }
        let returned: Vec<(Name, Vec<Name>)> = aliasing(again)
            .map(|f| (f.to, self.table.of(f.from).into_iter().filter(|n| !inside.contains(n)).collect()))
            .collect();
        loop {
            let mut changed = false;
            for (param, names) in &returned {
                for n in names {
                    let add: Vec<Name> = match may_be.get(n) {
                        Some(other) => other.iter().copied().collect(),
                        None => vec![*n],
                    };
                    let known = may_be.entry(*param).or_default();
                    add.into_iter().for_each(|n| changed |= known.insert(n));
                }
            }
            if !changed {
                break;
            }
        }
        for (param, _) in &l.params {
            self.table.add(param.name, may_be.remove(&param.name).into_iter().flatten());
        }
    }

    /// What a statement binds has the ancestors outside of the statement's bodies that their results have.
    /// What a branch consumed, nobody may use afterwards (`gone`): that the other branch returns it makes no
    /// alias.
    fn leave<R: Rep>(
        &mut self,
        stm: &Stm<R>,
        flows: &[Flow],
        inside: &FxHashSet<Name>,
        gone: Option<&FxHashSet<Name>>,
    ) {
        let positions: FxHashMap<Name, usize> =
            stm.pat.iter().enumerate().map(|(i, p)| (p.name, i)).collect();
        let mut inner: Vec<Vec<Name>> = vec![vec![]; stm.pat.len()];
        let mut outer = inner.clone();
        let is_left = |n: &Name| gone.is_none_or(|gone| self.table.of(*n).iter().all(|a| !gone.contains(a)));
        for f in flows {
            let Some(at) = positions.get(&f.to).copied() else { continue };
            let (mine, others): (Vec<Name>, Vec<Name>) = match inside.contains(&f.from) {
                true => self.table.of(f.from).into_iter().partition(|n| inside.contains(n)),
                false => (vec![], vec![f.from]),
            };
            inner[at].extend(mine);
            for n in others {
                // What shares memory with something consumed may still share some with something else.
                match is_left(&n) {
                    true => outer[at].push(n),
                    false => outer[at].extend(self.table.of(n).into_iter().filter(is_left)),
                }
            }
        }
        for ((p, outer), earlier) in stm.pat.iter().zip(outer).zip(meeting_earlier(inner)) {
            let siblings = earlier.into_iter().filter_map(|i| stm.pat.get(i)).map(|p| p.name);
            self.table.add(p.name, outer.into_iter().chain(siblings));
        }
    }
}

fn aliasing(flows: &[Flow]) -> impl Iterator<Item = Flow> + '_ {
    flows.iter().copied().filter(|f| f.how == How::Aliases)
}

/// The names that bodies and lambdas directly in an expression bind; not the parameters of a loop.
fn bound_inside<R: Rep>(exp: &Exp<R>) -> FxHashSet<Name> {
    let mut bound = FxHashSet::default();
    for_each_body(exp, &mut |body| bound.extend(body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name)));
    for_each_lambda(exp, &mut |lambda| bound.extend(lambda.params.iter().map(|p| p.name)));
    bound
}

/// For each of some sets of names, the earlier sets that have a name in common with it, ascending.
fn meeting_earlier(sets: impl IntoIterator<Item = Vec<Name>>) -> Vec<Vec<usize>> {
    let mut holders: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
    let meeting = |(i, set): (usize, Vec<Name>)| {
        let mut earlier: Vec<usize> = set.iter().filter_map(|n| holders.get(n)).flatten().copied().collect();
        earlier.sort_unstable();
        earlier.dedup();
        set.into_iter().for_each(|n| holders.entry(n).or_default().push(i));
        earlier
    };
    sets.into_iter().enumerate().map(meeting).collect()
}
