//! Free variables and bound names.
//!
//! Names are unique, so what is free in a thing is what it uses less what it
//! binds, whatever the order. Sets keep the order of first use: what is built
//! from them is the same in every run.

use crate::rep::Rep;
use crate::seg::SegAfter;
use crate::syntax::*;
use crate::visit::{look, Visitor};
use fehu_base::Name;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

/// A set of names in the order they were put in.
pub type Names = IndexSet<Name, FxBuildHasher>;

/// Uses and bindings of the things shown to it.
#[derive(Default)]
struct Occurrences {
    used: Names,
    bound: FxHashSet<Name>,
}

impl<R: Rep> Visitor<R> for Occurrences {
    fn name(&mut self, n: &Name) {
        self.used.insert(*n);
    }
    fn bound(&mut self, n: &Name) {
        self.bound.insert(*n);
    }
}

impl Occurrences {
    fn free(self) -> Names {
        let Occurrences { mut used, bound } = self;
        used.retain(|n| !bound.contains(n));
        used
    }
}

/// The names free in a body.
pub fn free_in_body<R: Rep>(body: &Body<R>) -> Names {
    let mut o = Occurrences::default();
    o.body(body);
    o.free()
}

/// The names free in a lambda, its types included.
pub fn free_in_lambda<R: Rep>(lambda: &Lambda<R>) -> Names {
    let mut o = Occurrences::default();
    o.lambda(lambda);
    o.free()
}

/// The names free in a statement: those of its certificates, expression and pattern types, less what it binds.
pub fn free_in_stm<R: Rep>(stm: &Stm<R>) -> Names {
    let mut o = Occurrences::default();
    o.stm(stm);
    o.free()
}

/// The statements after a scan that need nothing of what was scanned, and the others.
pub fn by_need_of_numbers<R: Rep>(after: &SegAfter<R>) -> (Vec<&Stm<R>>, Vec<&Stm<R>>) {
    let mut scanned: FxHashSet<Name> = after.lambda.params.iter().map(|p| p.name).collect();
    let (mut early, mut late) = (vec![], vec![]);
    for stm in &after.lambda.body.stms {
        if free_in_stm(stm).iter().any(|x| scanned.contains(x)) {
            scanned.extend(stm.pat.iter().map(|p| p.name));
            late.push(stm);
        } else {
            early.push(stm);
        }
    }
    (early, late)
}

/// The names free in a list of statements.
pub fn free_in_stms<R: Rep>(stms: &[Stm<R>]) -> Names {
    let mut o = Occurrences::default();
    for stm in stms {
        o.stm(stm);
    }
    o.free()
}

/// The names free in an expression.
pub fn free_in_exp<R: Rep>(exp: &Exp<R>) -> Names {
    let mut o = Occurrences::default();
    o.exp(exp);
    o.free()
}

/// The names a type mentions.
pub fn free_in_type(ty: &Type) -> Names {
    let mut o = Occurrences::default();
    look::ty::<crate::rep::Soacs>(&mut o, ty);
    o.free()
}

/// The names free in a function: the program's constants that it uses.
pub fn free_in_fun<R: Rep>(fun: &FunDef<R>) -> Names {
    let mut o = Occurrences::default();
    look::fun::<R>(&mut o, fun);
    o.free()
}

/// Collects bindings in order.
struct Bindings(Vec<Name>);

impl<R: Rep> Visitor<R> for Bindings {
    fn bound(&mut self, n: &Name) {
        self.0.push(*n);
    }
}

/// The names bound anywhere inside a body, in order.
pub fn bound_in_body<R: Rep>(body: &Body<R>) -> Vec<Name> {
    let mut b = Bindings(vec![]);
    b.body(body);
    b.0
}

/// The names bound by a lambda: parameters, and all inside its body.
pub fn bound_in_lambda<R: Rep>(lambda: &Lambda<R>) -> Vec<Name> {
    let mut b = Bindings(vec![]);
    b.lambda(lambda);
    b.0
}

/// The names bound by a statement: inside its expression, then its pattern.
pub fn bound_in_stm<R: Rep>(stm: &Stm<R>) -> Vec<Name> {
    let mut b = Bindings(vec![]);
    b.stm(stm);
    b.0
}

/// The names bound inside an expression.
pub fn bound_in_exp<R: Rep>(exp: &Exp<R>) -> Vec<Name> {
    let mut b = Bindings(vec![]);
    b.exp(exp);
    b.0
}

/// The names bound by a function: parameters, and all inside its body; not its own.
pub fn bound_in_fun<R: Rep>(fun: &FunDef<R>) -> Vec<Name> {
    let mut b = Bindings(vec![]);
    look::fun::<R>(&mut b, fun);
    b.0
}

/// A name that the program's name source did not make, if there is one.
pub(crate) fn first_unknown<R: Rep>(prog: &Prog<R>) -> Option<Name> {
    struct Known(usize, Option<Name>);
    impl Known {
        fn see(&mut self, n: Name) {
            if n.0 as usize >= self.0 && self.1.is_none() {
                self.1 = Some(n);
            }
        }
    }
    impl<R: Rep> Visitor<R> for Known {
        fn name(&mut self, n: &Name) {
            self.see(*n);
        }
        fn bound(&mut self, n: &Name) {
            self.see(*n);
        }
        fn callee(&mut self, n: &Name) {
            self.see(*n);
        }
    }
    let mut known = Known(prog.names.len(), None);
    known.body(&prog.consts);
    for fun in &prog.funs {
        known.see(fun.name);
        look::fun::<R>(&mut known, fun);
    }
    known.1
}
