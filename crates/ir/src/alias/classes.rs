//! Names that may share memory, on any path and at any time.
//!
//! In: a function. Out: *classes* of names; two names that any flow connects are in one. A class is
//! *consumed* if anything in the function takes over the memory of one of its members. The answer is coarse
//! (it forgets time) but costs one walk, and arrays that are updated in place are few. A pass that adds names
//! records them ([`Classes::learn`], [`Classes::union`]).

use super::flow::Flows;
use super::signature::Signatures;
use crate::consume::consumed_directly;
use crate::free::{bound_in_body, free_in_stm};
use crate::rep::Rep;
use crate::syntax::*;
use crate::visit::{deep, for_each_body, for_each_lambda};
use fehu_base::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// Alias classes of the arrays and accumulators of a function.
#[derive(Debug, Default)]
pub struct Classes {
    parent: FxHashMap<Name, Name>,
    /// The names of classes that are consumed.
    consumed: FxHashSet<Name>,
}

impl Classes {
    /// The classes of a function, which may use (but not consume) the program's constants.
    pub fn of_fun<R: Rep>(signatures: &Signatures, consts: &Body<R>, fun: &FunDef<R>) -> Classes {
        let mut c = Classes::of_body(signatures, consts);
        fun.params.iter().for_each(|p| c.param(p));
        c.body(signatures, &fun.body);
        // A unique result must have memory of its own, as if the caller consumed it.
        for (ret, e) in fun.ret.iter().zip(&fun.body.result) {
            if let (RetType::Array { unique: true, .. }, SubExp::Var(n)) = (&ret.ty, e) {
                c.consume(*n);
            }
        }
        c
    }

    /// The classes of a body that stands alone.
    pub fn of_body<R: Rep>(signatures: &Signatures, body: &Body<R>) -> Classes {
        let mut c = Classes::default();
        c.body(signatures, body);
        c
    }

    /// The classes of names in a body while it runs once. `own` are names from outside that share memory with
    /// nothing at that time, such as parameters that a loop takes over, though over time they may have one
    /// block in turns:
    ///
    /// ```text
    /// loop (*p, *q) for i < n { let r = ... p ... written to q, return (r, p) }
    /// ```
    pub fn during<R: Rep>(&self, signatures: &Signatures, body: &Body<R>, own: &[Name]) -> Classes {
        let mut now = Classes::of_body(signatures, body);
        let bound: FxHashSet<Name> = bound_in_body(body).into_iter().collect();
        let mut free: Vec<Name> = vec![];
        for stm in &body.stms {
            free.extend(free_in_stm(stm).into_iter().filter(|n| !bound.contains(n) && self.is_known(*n)));
        }
        for n in free {
            let class = if own.contains(&n) { n } else { self.find(n) };
            now.learn(class, &[]);
            now.learn(n, &[class]);
            if self.is_consumed(n) {
                now.consume(n);
            }
        }
        now
    }

    /// Whether memory of this array may be consumed somewhere. Names unknown here count as such.
    pub fn is_consumed(&self, n: Name) -> bool {
        !self.parent.contains_key(&n) || self.consumed.contains(&self.find(n))
    }

    /// Whether the name is that of an array or accumulator.
    pub fn is_known(&self, n: Name) -> bool {
        self.parent.contains_key(&n)
    }

    /// The name that stands for the class.
    pub fn find(&self, mut n: Name) -> Name {
        while let Some(p) = self.parent.get(&n) {
            if *p == n {
                break;
            }
            n = *p;
        }
        n
    }

    /// Adds an array that a rewrite introduced, sharing memory with the given ones.
    pub fn learn(&mut self, n: Name, shares: &[Name]) {
        self.parent.entry(n).or_insert(n);
        for m in shares {
            self.union(n, *m);
        }
    }

    /// Makes one class of those of two names.
    pub fn union(&mut self, a: Name, b: Name) {
        let (a, b) = (self.compress(a), self.compress(b));
        if a == b {
            return;
        }
        self.parent.insert(a, b);
        if self.consumed.contains(&a) {
            self.consumed.insert(b);
        }
    }

    fn compress(&mut self, n: Name) -> Name {
        let root = self.find(n);
        self.parent.insert(n, root);
        root
    }

    fn add(&mut self, n: Name, ty: &Type) {
        match ty {
            Type::Array(..) | Type::Acc(..) => {
                self.parent.entry(n).or_insert(n);
            }
            Type::Prim(_) | Type::Mem(_) => {}
        }
    }

    fn param<R: Rep>(&mut self, p: &Param<R>) {
        self.add(p.name, &p.ty);
        if p.consumed {
            self.consume(p.name);
        }
    }

    fn consume(&mut self, n: Name) {
        let root = self.compress(n);
        self.consumed.insert(root);
    }

    fn body<R: Rep>(&mut self, signatures: &Signatures, body: &Body<R>) {
        deep(|| {
            for stm in &body.stms {
                self.stm(signatures, stm);
            }
        });
    }

    fn stm<R: Rep>(&mut self, signatures: &Signatures, stm: &Stm<R>) {
        stm.pat.iter().for_each(|p| self.add(p.name, &p.ty));
        if let Exp::Loop(l) = &stm.exp {
            l.params.iter().for_each(|(p, _)| self.param(p));
        }
        for_each_lambda(&stm.exp, &mut |lambda| lambda.params.iter().for_each(|p| self.param(p)));
        for_each_body(&stm.exp, &mut |body| self.body(signatures, body));
        for f in Flows::of_stm(signatures, stm).all() {
            if self.parent.contains_key(&f.to) {
                self.union(f.to, f.from);
            }
        }
        consumed_directly(signatures, &stm.exp).into_iter().for_each(|n| self.consume(n));
    }
}
