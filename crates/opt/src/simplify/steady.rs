//! Parameters of loops that are, in every iteration, what they were in the beginning.
//!
//! A parameter is steady if each iteration hands on its initial value: as it is, or through branches and loops of
//! which every way does. Sizes are the case that matters: a loop over an array of which one branch makes a new
//! array carries the size of the array along, though all have the same.
//!
//! ```text
//! loop (n = m, v = v0) for i < k do              n is steady: by induction it is m
//!   let (r, w) = if c then (n, v)
//!                else (m, map f (iota m))
//!   in (r, w)
//! ```
//!
//! The values of names are equations: a result of a conditional is what both branches give, if that is the same;
//! a parameter is its initial value. What an iteration hands on must then have the same value. A parameter for
//! which it has not is no longer taken to be steady, and the values that were computed with it are computed again,
//! in the order of the program. A name changes its value at most once for each loop around it.
//!
//! A value under certificates is another value: the check would be lost with the name.

use fehu_base::Name;
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Basic, Body, Exp, FunDef, Loop, Rep, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The steady parameters of all loops of a function.
pub(super) fn steady<R: Rep>(fun: &FunDef<R>) -> FxHashSet<Name> {
    let mut equations = Equations::default();
    equations.body(&fun.body);
    if equations.params.is_empty() {
        return FxHashSet::default();
    }
    let moving = equations.solve();
    equations.params.into_iter().filter(|p| !moving.contains(p)).collect()
}

/// What is known of the value of a name.
#[derive(Clone, Copy)]
enum Equation {
    /// A name for the same.
    Same(Name, SubExp),
    /// The result of a conditional.
    Either(Name, [SubExp; 2]),
    /// A parameter of a loop is this in the beginning.
    First(Name, SubExp),
    /// An iteration hands this on for a parameter.
    Next(Name, SubExp),
}

/// All that is known, in the order of the program.
#[derive(Default)]
struct Equations {
    all: Vec<Equation>,
    params: Vec<Name>,
}

impl Equations {
    fn body<R: Rep>(&mut self, body: &Body<R>) {
        deep(|| body.stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm<R: Rep>(&mut self, stm: &Stm<R>) {
        let mut known = vec![];
        match &stm.exp {
            Exp::If(_, yes, no) => {
                self.body(yes);
                self.body(no);
                let both = yes.result.iter().zip(&no.result);
                known.extend(stm.pat.iter().zip(both).map(|(p, (x, y))| Equation::Either(p.name, [*x, *y])));
            }
            Exp::Loop(l) => {
                self.iterations(l);
                let pairs = stm.pat.iter().zip(&l.params);
                known.extend(pairs.map(|(p, (param, _))| Equation::Same(p.name, param.name.into())));
            }
            Exp::Basic(Basic::SubExp(e)) => known.extend(stm.pat.iter().map(|p| Equation::Same(p.name, *e))),
            Exp::Basic(_) => {}
            exp @ (Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_)) => for_each_body(exp, &mut |b| self.body(b)),
        }
        if stm.certs.is_empty() {
            self.all.extend(known);
        }
    }

    fn iterations<R: Rep>(&mut self, l: &Loop<R>) {
        self.params.extend(l.params.iter().map(|(p, _)| p.name));
        self.all.extend(l.params.iter().map(|(p, init)| Equation::First(p.name, *init)));
        self.body(&l.body);
        let handed_on = l.params.iter().zip(&l.body.result);
        self.all.extend(handed_on.map(|((p, _), e)| Equation::Next(p.name, *e)));
    }

    /// The parameters that are not steady.
    fn solve(&self) -> FxHashSet<Name> {
        let mut readers: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
        for (k, equation) in self.all.iter().enumerate() {
            let read = match equation {
                Equation::Same(_, e) | Equation::First(_, e) => [*e, *e],
                Equation::Either(_, both) => *both,
                Equation::Next(p, e) => [(*p).into(), *e],
            };
            for n in read.iter().filter_map(|e| e.name()) {
                readers.entry(n).or_default().push(k);
            }
        }
        let mut values: FxHashMap<Name, SubExp> = FxHashMap::default();
        let mut moving = FxHashSet::default();
        let mut open: BTreeSet<usize> = (0..self.all.len()).collect();
        while let Some(k) = open.pop_first() {
            let value = |e: &SubExp| e.name().and_then(|n| values.get(&n)).copied().unwrap_or(*e);
            let (name, new) = match &self.all[k] {
                Equation::Same(p, e) => (*p, value(e)),
                Equation::Either(p, [x, y]) if value(x) == value(y) => (*p, value(x)),
                Equation::Either(p, _) => (*p, (*p).into()),
                Equation::First(p, _) if moving.contains(p) => continue,
                Equation::First(p, e) => (*p, value(e)),
                Equation::Next(p, e) if moving.contains(p) || value(e) == value(&(*p).into()) => continue,
                Equation::Next(p, _) => {
                    moving.insert(*p);
                    (*p, (*p).into())
                }
            };
            if values.insert(name, new) != Some(new) {
                open.extend(readers.get(&name).into_iter().flatten());
            }
        }
        moving
    }
}
