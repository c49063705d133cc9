//! Branches and calls.
//!
//! ```text
//! let (y) = if c then {..} else {..}  let (a', b') = if c then { both sweeps of the branch  return (a', b') } else {..}
//! let (y) = call f(a, b)              let (pa, pb) = call f_rev(a, b, y')      a' += pa  b' += pb
//! ```
//!
//! What is free in a branch and has an adjoint goes through it. The side that does not run computes nothing,
//! so that poles behind conditions give no NaN.

use super::adjoints::Adjoint;
use super::derived::Derived;
use super::Reverse;
use fehu_base::Name;
use fehu_ir::{Body, Exp, PatElem, Soacs, SubExp, Type};

impl Reverse<'_> {
    pub(super) fn branch(
        &mut self,
        cond: SubExp,
        yes: Body<Soacs>,
        no: Body<Soacs>,
        seeds: &[Option<SubExp>],
    ) {
        let (yes, no) = (self.again(&yes), self.again(&no));
        let mut frees = self.free(&yes);
        for n in self.free(&no) {
            if !frees.contains(&n) {
                frees.push(n);
            }
        }
        let given: Vec<Adjoint> = frees.iter().map(|n| self.adjoint_of(*n)).collect();
        let mut sides = vec![];
        for body in [yes, no] {
            let outer = self.adjoints.clone();
            self.adjoints.extend(frees.iter().copied().zip(given.iter().copied()));
            let side = self.nested(|r| {
                r.sweeps(body, seeds);
                frees.iter().map(|n| r.adjoint_of(*n).operand()).collect()
            });
            self.adjoints = outer;
            sides.push(side);
        }
        let (Some(mut no), Some(mut yes)) = (sides.pop(), sides.pop()) else { return };
        let changed: Vec<bool> = (0..frees.len())
            .map(|i| [&yes, &no].iter().any(|side| side.result[i] != given[i].operand()))
            .collect();
        for side in [&mut yes, &mut no] {
            let mut keep = changed.iter();
            side.result.retain(|_| keep.next().copied().unwrap_or(false));
        }
        let kept = |i: &usize| changed[*i];
        let at: Vec<usize> = (0..frees.len()).filter(kept).collect();
        let types: Vec<Type> = at
            .iter()
            .map(|i| match given[*i] {
                Adjoint::Value(_) => self.b.type_of(frees[*i].into()),
                Adjoint::Acc(acc) => self.b.type_of(acc.into()),
            })
            .collect();
        if at.is_empty() {
            return;
        }
        let made = self.b.bind_all("adj", types, Exp::If(cond, Box::new(yes), Box::new(no)));
        for (i, name) in at.into_iter().zip(made) {
            self.adjoints.insert(frees[i], like(given[i], name));
        }
    }

    pub(super) fn call(
        &mut self,
        callee: Name,
        args: &[SubExp],
        pat: &[PatElem<Soacs>],
        seeds: &[Option<SubExp>],
    ) {
        let active: Vec<bool> = args.iter().map(|e| self.is_active(*e)).collect();
        let live: Vec<bool> = seeds.iter().map(Option::is_some).collect();
        let key = Derived { callee, active: active.clone(), live };
        let name = match self.derived.get(&key) {
            Some(name) => *name,
            None => {
                let base = format!("{}_rev", self.b.names.base(callee));
                let name = self.b.names.fresh_str(&base);
                self.derived.insert(key.clone(), name);
                self.wanted.push(key);
                name
            }
        };
        // Sizes that the function finds out are arguments of the derived one.
        let sizes = pat.iter().filter(|p| p.ty == Type::I64).map(|p| SubExp::Var(p.name));
        let all = args.iter().copied().chain(sizes).chain(seeds.iter().copied().flatten()).collect();
        let with: Vec<SubExp> = args.iter().zip(&active).filter(|(_, a)| **a).map(|(e, _)| *e).collect();
        let types = with.iter().map(|e| self.b.type_of(*e)).collect();
        let made = self.b.bind_all("adj", types, Exp::Call(name, all));
        for (e, part) in with.into_iter().zip(made) {
            self.add(e, part.into());
        }
    }
}

/// The state of an adjoint after a body that was given another of this kind.
pub(super) fn like(before: Adjoint, name: Name) -> Adjoint {
    match before {
        Adjoint::Value(_) => Adjoint::Value(name.into()),
        Adjoint::Acc(_) => Adjoint::Acc(name),
    }
}
