//! Reverse mode: from the adjoints of results to those of arguments, against the order of the program.
//!
//! Before: a body, which of its names are active, adjoints of its results. After: its statements, those that
//! keep what the way back needs beside them, and then, from the last to the first, the adjoint code of each.
//!
//! ```text
//! let (a) = sin(x)            let (a) = sin(x)              forward sweep
//! let (y) = fmul(a, a)   =>   let (y) = fmul(a, a)
//! return (y)                  let (t) = fmul(y', a)         return sweep: y' -> a'
//!                             let (a') = fadd(t, t)
//!                             let (c) = cos(x)              a' -> x'
//!                             let (x') = fmul(a', c)
//! ```
//!
//! The *adjoint* `x'` of a name says how the function's results, weighted by the adjoints that they were
//! given, change with `x`. All uses of `x` contribute to it, and contributions are added up in a table
//! ([`Adjoint`]): a name without an entry has the adjoint 0; the first contribution is the entry, others are
//! added to it. A statement whose results have no entries has no adjoint code.
//!
//! **Scopes are executed again.** What is computed inside of a map, a branch or a loop is gone when the
//! return sweep arrives there; so it enters the scope afresh, with a forward sweep of its own. Loops alone
//! save something: their parameters at the beginning of each iteration (`loops`).
//!
//! **Arrays that are free in a map** are accumulators inside (`map`); what is free in branches and loops is
//! passed through them (`control`, `loops`).
//!
//! Statements with several tasks are split first (`prepare`), so that each rule is about one of them. In
//! return sweeps, whatever was consumed is used, and adjoints are updated in place though they may be shared:
//! [`legal`](crate::legal) finds out what must be copied.

mod accumulators;
mod adjoints;
mod bins;
mod control;
mod derived;
mod hist;
mod joined;
mod loops;
mod map;
mod nest;
pub(crate) mod operators;
mod point;
mod prepare;
mod reduce;
mod scalar;
mod scan;
mod scatter;
mod strips;
mod undo;
mod views;

use crate::activity::{is_active, Activity};
use crate::explain::Note;
use crate::Options;
pub(crate) use adjoints::{Adjoint, Single};
pub(crate) use derived::Derived;
use fehu_base::Name;
use fehu_ir::build::nested_body;
use fehu_ir::free::{bound_in_body, bound_in_lambda, free_in_body, free_in_lambda};
use fehu_ir::soac::Soac;
use fehu_ir::subst::{rename_body, rename_lambda};
use fehu_ir::types::body_types;
use fehu_ir::visit::deep;
use fehu_ir::{Body, Builder, Exp, FunDef, Lambda, Loc, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The state of reverse mode.
pub(crate) struct Reverse<'a> {
    pub(crate) b: Builder<Soacs>,
    pub(crate) options: Options,
    pub(crate) activity: Activity<'a>,
    pub(crate) active: FxHashSet<Name>,
    /// The adjoints of names in the scope that we are in.
    pub(crate) adjoints: FxHashMap<Name, Adjoint>,
    /// Arrays that are 0, as they were made.
    pub(crate) zeros: FxHashSet<Name>,
    /// Arrays that are 0 but for one element at most.
    pub(crate) single: FxHashMap<Name, Single>,
    /// By tokens of accumulators of the function: the adjoints of the arrays that they become.
    pub(crate) tokens: FxHashMap<Name, Vec<Option<SubExp>>>,
    /// The names of derived functions, and which are to be made.
    pub(crate) derived: FxHashMap<Derived, Name>,
    pub(crate) wanted: Vec<Derived>,
    /// Whether histograms by an operator whose order matters are sorted though they have a rule.
    pub(crate) sorts: bool,
    /// What scopes that are executed again compute, and only return: it has no use there.
    pub(crate) unused: FxHashSet<Name>,
    /// What has no derivative yet, and where.
    pub(crate) refused: Vec<(Loc, String)>,
    /// What was saved.
    pub(crate) notes: Vec<Note>,
}

/// A statement of a forward sweep, and what it left for the return sweep.
pub(crate) struct Step {
    stm: Stm<Soacs>,
    tape: Tape,
}

/// What the forward sweep keeps.
pub(crate) enum Tape {
    Nothing,
    /// Of a loop, its parameters.
    Loop(loops::Saved),
    /// Of a filter, for each condition where the values come from.
    Positions(Vec<Option<Name>>),
}

impl<'a> Reverse<'a> {
    /// Nothing is made yet.
    pub(crate) fn new(
        b: Builder<Soacs>,
        funs: &'a FxHashMap<Name, FunDef<Soacs>>,
        options: Options,
    ) -> Reverse<'a> {
        Reverse {
            b,
            options,
            activity: Activity { funs, calls: FxHashMap::default() },
            active: FxHashSet::default(),
            adjoints: FxHashMap::default(),
            zeros: FxHashSet::default(),
            single: FxHashMap::default(),
            tokens: FxHashMap::default(),
            derived: FxHashMap::default(),
            wanted: vec![],
            sorts: false,
            unused: FxHashSet::default(),
            refused: vec![],
            notes: vec![],
        }
    }

    pub(crate) fn is_active(&self, e: SubExp) -> bool {
        is_active(&self.b.types, &self.active, e)
    }

    fn nested(&mut self, f: impl FnOnce(&mut Self) -> Vec<SubExp>) -> Body<Soacs> {
        nested_body(self, |reverse| &mut reverse.b, f)
    }

    /// Refuses what a statement does.
    fn refuse(&mut self, what: &str) {
        let at = (self.b.loc.clone(), what.to_string());
        if !self.refused.contains(&at) {
            self.refused.push(at);
        }
    }

    // Sweeps.

    /// Emits statements, with those that keep what the return sweep needs.
    pub(crate) fn forward_sweep(&mut self, stms: Vec<Stm<Soacs>>) -> Vec<Step> {
        let mut steps = vec![];
        for stm in stms {
            if !self.matters(&stm) {
                self.primal(stm);
                continue;
            }
            self.b.loc = stm.loc.clone();
            for stm in self.prepared(stm) {
                match self.matters(&stm) {
                    true => steps.push(self.forward(stm)),
                    false => self.primal(stm),
                }
            }
        }
        steps
    }

    /// Whether a statement has something active, or puts something into an accumulator.
    fn matters(&self, stm: &Stm<Soacs>) -> bool {
        stm.pat.iter().any(|p| self.is_active(p.name.into()))
    }

    /// A statement and what it keeps.
    fn forward(&mut self, stm: Stm<Soacs>) -> Step {
        self.b.loc = stm.loc.clone();
        let tape = match &stm.exp {
            Exp::Loop(l) => Tape::Loop(self.forward_loop(&stm, l)),
            Exp::Op(Soac::Filter(f)) => Tape::Positions(self.forward_filter(&stm, f)),
            Exp::Op(Soac::Ad(ad)) => {
                self.forward_rule(&stm, ad);
                Tape::Nothing
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {
                self.primal(stm.clone());
                Tape::Nothing
            }
        };
        Step { stm, tape }
    }

    /// The adjoint code of statements, from the last to the first.
    pub(crate) fn return_sweep(&mut self, steps: Vec<Step>) {
        for Step { stm, tape } in steps.into_iter().rev() {
            self.b.certs = stm.certs.clone();
            self.b.loc = stm.loc.clone();
            deep(|| self.backward(stm, tape));
            self.b.certs.clear();
        }
    }

    fn backward(&mut self, stm: Stm<Soacs>, tape: Tape) {
        let seeds: Vec<Option<SubExp>> = stm.pat.iter().map(|p| self.take(p.name)).collect();
        let to_accumulators = self.fills(&stm);
        if seeds.iter().all(Option::is_none) && !to_accumulators {
            return;
        }
        match (stm.exp, tape) {
            (Exp::Basic(op), _) => match seeds.first() {
                Some(seed) => self.basic(&stm.pat[0], op, *seed),
                None => fehu_base::bug!("an operation without a result"),
            },
            (Exp::Call(f, args), _) => self.call(f, &args, &stm.pat, &seeds),
            (Exp::If(c, yes, no), _) => self.branch(c, *yes, *no, &seeds),
            (Exp::Loop(l), Tape::Loop(saved)) => self.loop_(*l, &saved, &stm.pat, &seeds),
            (Exp::WithAcc(w), _) => self.with_acc(*w, &seeds),
            (Exp::Op(Soac::Screma(s)), _) => self.screma(s, &stm.pat, &seeds),
            (Exp::Op(Soac::Hist(h)), _) => self.hist(h, &stm.pat, &seeds),
            (Exp::Op(Soac::Scatter(s)), _) => self.scatter(s, &seeds),
            (Exp::Op(Soac::Filter(f)), Tape::Positions(at)) => self.filter(f, &at, &seeds),
            (Exp::Op(Soac::Ad(ad)), _) => self.rule(&ad, &stm.pat, &seeds),
            (Exp::Op(Soac::Filter(_)) | Exp::Loop(_), _) => {
                fehu_base::bug!("no rule for this statement")
            }
        }
    }

    /// Both sweeps of a body that has names of its own, whose results have adjoints. These get the types of
    /// the results, in terms of sizes that the body may have found out.
    pub(crate) fn sweeps(&mut self, body: Body<Soacs>, seeds: &[Option<SubExp>]) {
        let certs = std::mem::take(&mut self.b.certs);
        let loc = self.b.loc.clone();
        let steps = self.forward_sweep(body.stms);
        for (e, seed) in body.result.iter().zip(seeds) {
            if let Some(seed) = seed {
                let ty = self.b.type_of(*e);
                let seed = self.as_type(*seed, &ty);
                self.add(*e, seed);
            }
        }
        self.return_sweep(steps);
        (self.b.certs, self.b.loc) = (certs, loc);
    }

    // Scopes.

    /// A copy of a body with names of its own, of which is known what was known of it.
    pub(crate) fn again(&mut self, body: &Body<Soacs>) -> Body<Soacs> {
        let copy = rename_body(&mut self.b.names, body);
        self.know(bound_in_body(body), bound_in_body(&copy));
        self.b.types.extend(body_types(&copy));
        copy
    }

    /// The same of a lambda.
    pub(crate) fn again_lambda(&mut self, lambda: &Lambda<Soacs>) -> Lambda<Soacs> {
        let mut copy = rename_lambda(&mut self.b.names, lambda);
        self.know(bound_in_lambda(lambda), bound_in_lambda(&copy));
        self.b.types.extend(body_types(&copy.body));
        self.b.types.extend(copy.params.iter().map(|p| (p.name, p.ty.clone())));
        copy.params.iter_mut().for_each(|p| p.consumed = false);
        copy
    }

    fn know(&mut self, old: Vec<Name>, new: Vec<Name>) {
        for (old, new) in old.into_iter().zip(new) {
            if self.active.contains(&old) {
                self.active.insert(new);
            }
        }
    }

    /// The names that are free in a body and have adjoints.
    pub(crate) fn free(&self, body: &Body<Soacs>) -> Vec<Name> {
        free_in_body(body).into_iter().filter(|n| self.has_adjoint(*n)).collect()
    }

    /// The names that are free in a lambda and have adjoints.
    pub(crate) fn free_of(&self, lambda: &Lambda<Soacs>) -> Vec<Name> {
        free_in_lambda(lambda).into_iter().filter(|n| self.has_adjoint(*n)).collect()
    }

    /// Whether a name can have an adjoint: it is active, and no accumulator.
    pub(crate) fn has_adjoint(&self, n: Name) -> bool {
        self.active.contains(&n)
            && match self.b.types.get(&n) {
                Some(Type::Prim(_) | Type::Array(..)) => true,
                Some(Type::Acc(..) | Type::Mem(_)) | None => false,
            }
    }
}
