//! Substitution of operands for names, and renaming.

use crate::free::{bound_in_body, bound_in_exp, bound_in_fun, bound_in_lambda, bound_in_stm};
use crate::rep::{Rep, Soacs};
use crate::syntax::*;
use crate::visit::{change, look, Mutator, Visitor};
use fehu_base::{Name, NameSource};
use rustc_hash::FxHashMap;

/// A substitution: what stands for which name. Applied once, not repeatedly: what it puts in is
/// not looked at again. Names are unique, so nothing is ever captured.
#[derive(Clone, Default, Debug)]
pub struct Subst {
    map: FxHashMap<Name, SubExp>,
}

impl Subst {
    /// The substitution that changes nothing.
    pub fn new() -> Subst {
        Subst::default()
    }

    /// Puts an operand for a name. A certificate may become a constant and then goes away; an array must
    /// stay a name.
    pub fn insert(&mut self, name: Name, by: impl Into<SubExp>) {
        self.map.insert(name, by.into());
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// What stands for a name, if anything.
    pub fn get(&self, name: Name) -> Option<SubExp> {
        self.map.get(&name).copied()
    }

    /// What the operand becomes.
    pub fn operand(&self, e: SubExp) -> SubExp {
        e.name().and_then(|n| self.get(n)).unwrap_or(e)
    }

    /// Applies it to a body.
    pub fn body<R: Rep>(&self, body: &mut Body<R>) {
        self.unless_empty(|s| Mutator::<R>::body(s, body));
    }

    /// Applies it to a lambda.
    pub fn lambda<R: Rep>(&self, lambda: &mut Lambda<R>) {
        self.unless_empty(|s| Mutator::<R>::lambda(s, lambda));
    }

    /// Applies it to a function, the types of its parameters and results included.
    pub fn fun<R: Rep>(&self, fun: &mut FunDef<R>) {
        self.unless_empty(|s| change::fun::<R>(s, fun));
    }

    /// Applies it to a statement, the types in its pattern included.
    pub fn stm<R: Rep>(&self, stm: &mut Stm<R>) {
        self.unless_empty(|s| Mutator::<R>::stm(s, stm));
    }

    /// Applies it to an expression.
    pub fn exp<R: Rep>(&self, exp: &mut Exp<R>) {
        self.unless_empty(|s| Mutator::<R>::exp(s, exp));
    }

    /// Applies it to a type.
    pub fn ty(&self, ty: &mut Type) {
        self.unless_empty(|s| Mutator::<Soacs>::ty(s, ty));
    }

    /// Applies it to a decoration.
    pub fn dec<R: Rep>(&self, dec: &mut R::Dec) {
        self.unless_empty(|s| Mutator::<R>::dec(s, dec));
    }

    fn unless_empty(&self, f: impl FnOnce(&mut Applied<'_>)) {
        if !self.is_empty() {
            f(&mut Applied(&self.map));
        }
    }
}

impl FromIterator<(Name, SubExp)> for Subst {
    fn from_iter<I: IntoIterator<Item = (Name, SubExp)>>(pairs: I) -> Subst {
        Subst { map: pairs.into_iter().collect() }
    }
}

impl Extend<(Name, SubExp)> for Subst {
    fn extend<I: IntoIterator<Item = (Name, SubExp)>>(&mut self, pairs: I) {
        self.map.extend(pairs);
    }
}

struct Applied<'a>(&'a FxHashMap<Name, SubExp>);

impl<R: Rep> Mutator<R> for Applied<'_> {
    fn operand(&mut self, e: &mut SubExp) {
        if let SubExp::Var(n) = e {
            if let Some(by) = self.0.get(n) {
                *e = *by;
            }
        }
    }

    fn name(&mut self, n: &mut Name) {
        match self.0.get(n) {
            None => {}
            Some(SubExp::Var(by)) => *n = *by,
            Some(SubExp::Const(v)) => fehu_base::bug!("constant {v} put where only a name can stand ({n:?})"),
        }
    }

    fn certs(&mut self, certs: &mut Vec<Name>) {
        certs.retain_mut(|n| match self.0.get(n) {
            None => true,
            Some(SubExp::Var(by)) => {
                *n = *by;
                true
            }
            Some(SubExp::Const(_)) => false,
        });
    }
}

/// Renames bindings and their uses alike.
struct Renaming(FxHashMap<Name, Name>);

impl Renaming {
    fn fresh(names: &mut NameSource, bound: Vec<Name>) -> Renaming {
        Renaming(bound.into_iter().map(|n| (n, names.fresh_like(n))).collect())
    }

    fn to(&self, n: &mut Name) {
        if let Some(by) = self.0.get(n) {
            *n = *by;
        }
    }
}

impl<R: Rep> Mutator<R> for Renaming {
    fn name(&mut self, n: &mut Name) {
        self.to(n);
    }
    fn bound(&mut self, n: &mut Name) {
        self.to(n);
    }
    fn callee(&mut self, n: &mut Name) {
        self.to(n);
    }
}

/// A copy of a body in which everything bound has a fresh name.
pub fn rename_body<R: Rep>(names: &mut NameSource, body: &Body<R>) -> Body<R> {
    let mut copy = body.clone();
    Renaming::fresh(names, bound_in_body(body)).body(&mut copy);
    copy
}

/// A copy of a lambda in which everything bound, parameters included, has a fresh name.
pub fn rename_lambda<R: Rep>(names: &mut NameSource, lambda: &Lambda<R>) -> Lambda<R> {
    let mut copy = lambda.clone();
    Renaming::fresh(names, bound_in_lambda(lambda)).lambda(&mut copy);
    copy
}

/// A copy of a statement in which everything bound, the pattern included, has a fresh name.
pub fn rename_stm<R: Rep>(names: &mut NameSource, stm: &Stm<R>) -> Stm<R> {
    let mut copy = stm.clone();
    Renaming::fresh(names, bound_in_stm(stm)).stm(&mut copy);
    copy
}

/// A copy of an expression in which everything bound has a fresh name.
pub fn rename_exp<R: Rep>(names: &mut NameSource, exp: &Exp<R>) -> Exp<R> {
    let mut copy = exp.clone();
    Renaming::fresh(names, bound_in_exp(exp)).exp(&mut copy);
    copy
}

/// A copy of a function in which everything bound has a fresh name. The function keeps its own.
pub fn rename_fun<R: Rep>(names: &mut NameSource, fun: &FunDef<R>) -> FunDef<R> {
    let mut copy = fun.clone();
    change::fun::<R>(&mut Renaming::fresh(names, bound_in_fun(fun)), &mut copy);
    copy
}

/// The same program with names numbered from 0 in order of appearance, whatever was made and dropped on
/// the way: two programs that differ in numbers only become equal. For golden tests.
pub fn renumber<R: Rep>(prog: &Prog<R>) -> Prog<R> {
    let mut order = TextOrder { old: &prog.names, new: NameSource::new(), map: FxHashMap::default() };
    order.body(&prog.consts);
    for f in &prog.funs {
        order.add(f.name);
        look::fun::<R>(&mut order, f);
    }
    let TextOrder { new: names, map, .. } = order;
    let mut renaming = Renaming(map);
    let mut consts = prog.consts.clone();
    renaming.body(&mut consts);
    let mut funs = prog.funs.clone();
    for f in &mut funs {
        renaming.to(&mut f.name);
        change::fun::<R>(&mut renaming, f);
    }
    Prog { consts, funs, opaques: prog.opaques.clone(), names }
}

/// Numbers bindings in the order they have in the text: a pattern comes before what is in its expression.
struct TextOrder<'a> {
    old: &'a NameSource,
    new: NameSource,
    map: FxHashMap<Name, Name>,
}

impl TextOrder<'_> {
    fn add(&mut self, n: Name) {
        self.map.entry(n).or_insert_with(|| self.new.fresh(self.old.base(n)));
    }
}

impl<R: Rep> Visitor<R> for TextOrder<'_> {
    fn bound(&mut self, n: &Name) {
        self.add(*n);
    }

    fn stm(&mut self, s: &Stm<R>) {
        for p in &s.pat {
            self.add(p.name);
        }
        self.exp(&s.exp);
    }
}
