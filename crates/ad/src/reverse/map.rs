//! Maps: one map over the inputs and the adjoints of the results, whose body is both sweeps of the function.
//!
//! ```text
//! let (ys) = map (\x -> w[k] * a * x) xs          reverse: map, with a reduction for `a` and an accumulator for `w`
//!
//! let (w', a', xs') = with_acc [w'] \(acc) {
//!   let (sum, acc2, parts) = screma n [xs, ys', acc] reduce (+) 0 map \(x, y', acc) {
//!     .. forward sweep, return sweep ..
//!     return (the contribution to a, acc3, the contribution to x) }
//!   return (acc2, sum, parts) }
//! ```
//!
//! A free scalar gets the sum of what all elements contribute. A free array is an accumulator inside; if it
//! is one already, since it is free in a map around this one, that is passed inwards. Neither is made for
//! what gets no contribution.
//!
//! Where one element of the results alone has an adjoint, as that of which a minimum is taken, the return sweep
//! is the function's at this element, and no map.

use super::adjoints::Adjoint;
use super::nest::{array, whole};
use super::Reverse;
use fehu_base::ops::CmpOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::soac::{Reduce, Screma, Soac};
use fehu_ir::{AccInput, Body, DimIndex, Exp, Lambda, Param, PatElem, Slice, Soacs, SubExp, Type, WithAcc};
use rustc_hash::FxHashMap;

/// What the body of a map of adjoints is given: the elements of its inputs; what it gives: rows, or nothing.
pub(super) type OfPoint<'f, S> = Box<dyn FnOnce(&mut S, &[SubExp]) -> Vec<Option<SubExp>> + 'f>;

/// A free array, and the accumulator that stands for it inside.
struct Inside {
    array: Name,
    param: Param<Soacs>,
    /// The accumulator outside, or how one is made.
    outside: Outside,
}

/// An input of accumulators, its token, and its accumulator.
type Opened = (AccInput<Soacs>, Param<Soacs>, Param<Soacs>);

enum Outside {
    Acc(Name),
    Opened(Box<Opened>),
}

/// What the body of a map of adjoints gave.
#[derive(Default)]
struct Given {
    /// Free scalars, and what one element contributes.
    scalars: Vec<(Name, SubExp)>,
    /// Which of the accumulators were used, and what became of them.
    accs: Vec<(usize, Name)>,
    rows: Vec<Option<SubExp>>,
}

impl Reverse<'_> {
    /// The contributions of a combinator that has one task.
    pub(super) fn screma(&mut self, s: Screma<Soacs>, pat: &[PatElem<Soacs>], seeds: &[Option<SubExp>]) {
        match (s.scans.as_slice(), s.reds.as_slice()) {
            ([], []) => self.map(s, seeds),
            ([scan], []) => self.scan(s.width, &s.arrays, scan, pat, seeds),
            ([], [red]) => self.reduce(s.width, &s.arrays, red, pat, seeds),
            (_, _) => fehu_base::bug!("a combinator of several tasks"),
        }
    }

    fn map(&mut self, s: Screma<Soacs>, seeds: &[Option<SubExp>]) {
        if let Some((index, values)) = self.one_element(&s, seeds) {
            return self.map_of_one(&s, index, &values);
        }
        let lambda = self.again_lambda(&s.map);
        let frees = self.free_of(&lambda);
        let is_acc = |t: &Type| matches!(t, Type::Acc(..));
        let inputs: Vec<(Param<Soacs>, Name)> = lambda.params.iter().cloned().zip(s.arrays.clone()).collect();
        let inputs: Vec<_> = inputs.into_iter().filter(|(p, _)| !is_acc(&p.ty)).collect();
        // The array of seeds for each result that has one.
        let with: Vec<usize> = (0..seeds.len()).filter(|i| seeds[*i].is_some()).collect();
        let rows: Vec<Name> = inputs.iter().map(|(_, a)| *a).collect();
        let arrays = rows.iter().copied().chain(seeds.iter().flatten().map(|e| array(*e))).collect();
        let (body, count) = (lambda.body, seeds.len());
        let params: Vec<Name> = inputs.iter().map(|(p, _)| p.name).collect();
        let inner = Box::new(move |r: &mut Self, xs: &[SubExp]| {
            let (elements, given) = xs.split_at(params.len());
            for (p, x) in params.iter().zip(elements) {
                let ty = r.b.type_of((*p).into());
                r.b.bind_names(vec![(*p, ty)], Exp::Basic(fehu_ir::Basic::SubExp(*x)));
            }
            let mut own = vec![None; count];
            for (i, seed) in with.iter().zip(given) {
                own[*i] = Some(*seed);
            }
            r.sweeps(body, &own);
            params.iter().map(|p| r.take(*p)).collect()
        });
        let parts = self.adjoint_map(s.width, arrays, &frees, inner);
        for (a, part) in rows.into_iter().zip(parts) {
            if let Some(part) = part {
                self.add(a.into(), part.into());
            }
        }
    }

    /// The element of the results, all numbers, that alone has adjoints, and these.
    fn one_element(
        &self,
        s: &Screma<Soacs>,
        seeds: &[Option<SubExp>],
    ) -> Option<(SubExp, Vec<Option<SubExp>>)> {
        let mut index = None;
        let mut values = vec![];
        for (seed, ty) in seeds.iter().zip(&s.map.ret) {
            let single = match seed {
                Some(SubExp::Var(n)) => Some(self.single.get(n)?),
                Some(SubExp::Const(_)) => return None,
                None => None,
            };
            if let Some(single) = single {
                let same = index.is_none_or(|i| i == single.index);
                index = (same && matches!(ty, Type::Prim(_))).then_some(single.index);
                index?;
            }
            values.push(single.map(|s| s.value));
        }
        let plain = s.map.params.iter().all(|p| !matches!(p.ty, Type::Acc(..)));
        index.filter(|_| plain).map(|index| (index, values))
    }

    /// The function at one element, if there is that element: the adjoints of all others are 0.
    fn map_of_one(&mut self, s: &Screma<Soacs>, index: SubExp, values: &[Option<SubExp>]) {
        let lambda = self.again_lambda(&s.map);
        self.b.begin();
        for (p, a) in lambda.params.iter().zip(&s.arrays) {
            let ty = self.b.type_of((*a).into());
            let row = Exp::Basic(fehu_ir::Basic::Index(*a, Self::row_slice(&ty, index)));
            self.b.bind_names(vec![(p.name, p.ty.clone())], row);
        }
        let rows = self.b.end(vec![]).stms;
        let Body { stms, result } = lambda.body;
        let none = lambda.ret.iter().map(|t| SubExp::Const(t.elem().unwrap_or(PrimType::Unit).blank()));
        let none = Body { stms: vec![], result: none.collect() };
        let one = Body { stms: rows.into_iter().chain(stms).collect(), result };
        let there = self.b.cmp(CmpOp::SLt(IntType::I64), index, s.width);
        self.branch(there, one, none, values);
    }

    /// A map of adjoint code. It adds to the adjoints of what is free in that code; what it gives for each
    /// element becomes an array.
    pub(super) fn adjoint_map(
        &mut self,
        width: SubExp,
        arrays: Vec<Name>,
        frees: &[Name],
        f: OfPoint<'_, Self>,
    ) -> Vec<Option<Name>> {
        let inside = self.accumulators_for(frees);
        let rows: Vec<Type> = arrays.iter().map(|a| self.b.type_of((*a).into()).peel(1)).collect();
        let params: Vec<Param<Soacs>> = rows.into_iter().map(|t| self.b.param("x", t)).collect();
        let xs: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        let table = inside.iter().map(|i| (i.array, Adjoint::Acc(i.param.name))).collect();
        let outer: FxHashMap<Name, Adjoint> = std::mem::replace(&mut self.adjoints, table);
        let mut given = Given::default();
        let mut body = self.nested(|r| {
            given.rows = f(r, &xs);
            vec![]
        });
        for n in frees {
            if let Some(Adjoint::Value(e)) = self.adjoints.get(n) {
                given.scalars.push((*n, *e));
            }
        }
        for (at, i) in inside.iter().enumerate() {
            match self.adjoints.get(&i.array) {
                Some(Adjoint::Acc(acc)) if *acc != i.param.name => given.accs.push((at, *acc)),
                Some(_) | None => {}
            }
        }
        self.adjoints = outer;
        body.result.extend(given.scalars.iter().map(|(_, e)| *e));
        body.result.extend(given.accs.iter().map(|(_, acc)| SubExp::Var(*acc)));
        body.result.extend(given.rows.iter().flatten());
        if body.result.is_empty() {
            return vec![None; given.rows.len()];
        }
        let used: Vec<&Inside> = given.accs.iter().map(|(at, _)| &inside[*at]).collect();
        let opened: Vec<&Inside> =
            used.iter().copied().filter(|i| matches!(i.outside, Outside::Opened(..))).collect();
        if opened.is_empty() {
            let made = self.emit_map(width, arrays, params, body, &given, &used);
            return self.results(&given, &used, made);
        }
        let inputs = opened.iter().filter_map(|i| match &i.outside {
            Outside::Opened(of) => Some(of.0.clone()),
            Outside::Acc(_) => None,
        });
        let inputs: Vec<AccInput<Soacs>> = inputs.collect();
        let types: Vec<Type> = opened.iter().map(|i| self.b.type_of(i.array.into())).collect();
        let mut order = vec![];
        let with = self.nested(|r| {
            let made = r.emit_map(width, arrays, params, body, &given, &used);
            // The accumulators that are opened here come first.
            let first = given.scalars.len();
            let is_opened = |k: &usize| {
                k.checked_sub(first)
                    .and_then(|k| used.get(k))
                    .is_some_and(|i| matches!(i.outside, Outside::Opened(..)))
            };
            let (mut ours, others): (Vec<usize>, Vec<usize>) = (0..made.len()).partition(is_opened);
            ours.extend(others);
            order = ours;
            order.iter().map(|k| made[*k].into()).collect()
        });
        let ret: Vec<Type> = with.result.iter().map(|e| self.b.type_of(*e)).collect();
        let (mut tokens, mut accs) = (vec![], vec![]);
        for i in &opened {
            if let Outside::Opened(of) = &i.outside {
                tokens.push(of.1.clone());
                accs.push(of.2.clone());
            }
        }
        let types = types.into_iter().chain(ret[opened.len()..].iter().cloned()).collect();
        let lambda = Lambda { params: tokens.into_iter().chain(accs).collect(), body: with, ret };
        let made = self.b.bind_all("adj", types, Exp::WithAcc(Box::new(WithAcc { inputs, lambda })));
        let mut sorted = made.clone();
        order.iter().zip(made).for_each(|(k, n)| sorted[*k] = n);
        self.results(&given, &used, sorted)
    }

    /// For each free array, the accumulator inside.
    fn accumulators_for(&mut self, frees: &[Name]) -> Vec<Inside> {
        let mut inside = vec![];
        for n in frees {
            let ty = self.b.type_of((*n).into());
            let (Type::Array(p, _), true) = (&ty, self.has_adjoint(*n)) else { continue };
            let p = *p;
            let outside = match self.adjoint_of_lazily(*n) {
                Some(Adjoint::Acc(acc)) => Outside::Acc(acc),
                known => {
                    let so_far = known.map(Adjoint::operand);
                    let so_far = match so_far {
                        Some(e) => array(e),
                        None => array(self.zero(&ty)),
                    };
                    Outside::Opened(Box::new(self.acc_input(so_far, &ty, p)))
                }
            };
            let outer = match &outside {
                Outside::Acc(acc) => self.b.type_of((*acc).into()),
                Outside::Opened(of) => of.2.ty.clone(),
            };
            let param = self.b.param("acc", outer);
            inside.push(Inside { array: *n, param, outside });
        }
        inside
    }

    fn adjoint_of_lazily(&self, n: Name) -> Option<Adjoint> {
        self.adjoints.get(&n).copied()
    }

    fn emit_map(
        &mut self,
        width: SubExp,
        mut arrays: Vec<Name>,
        mut params: Vec<Param<Soacs>>,
        body: fehu_ir::Body<Soacs>,
        given: &Given,
        used: &[&Inside],
    ) -> Vec<Name> {
        for i in used {
            params.push(i.param.clone());
            arrays.push(match &i.outside {
                Outside::Acc(acc) => *acc,
                Outside::Opened(of) => of.2.name,
            });
        }
        let ret: Vec<Type> = body.result.iter().map(|e| self.b.type_of(*e)).collect();
        let mut reds: Vec<Reduce<Soacs>> = vec![];
        for (n, _) in &given.scalars {
            let Some(p) = self.b.type_of((*n).into()).elem() else { fehu_base::bug!("a sum of no numbers") };
            reds.push(self.adding(p));
        }
        let row = |(k, t): (usize, &Type)| match (k < reds.len(), t) {
            (true, _) | (_, Type::Acc(..)) => t.clone(),
            (false, _) => t.array_of(&[width]),
        };
        let types = ret.iter().enumerate().map(row).collect();
        let map = Lambda { params, body, ret };
        let exp = Exp::Op(Soac::Screma(Screma { width, arrays, scans: vec![], reds, map }));
        self.b.bind_all("adj", types, exp)
    }

    /// Puts the results of a map of adjoints where they belong.
    fn results(&mut self, given: &Given, used: &[&Inside], made: Vec<Name>) -> Vec<Option<Name>> {
        let mut made = made.into_iter();
        for ((n, _), sum) in given.scalars.iter().zip(made.by_ref()) {
            self.add((*n).into(), sum.into());
        }
        for (i, name) in used.iter().zip(made.by_ref()) {
            let new = match i.outside {
                Outside::Acc(_) => Adjoint::Acc(name),
                Outside::Opened(..) => Adjoint::Value(name.into()),
            };
            self.adjoints.insert(i.array, new);
        }
        given.rows.iter().map(|row| row.and_then(|_| made.next())).collect()
    }

    /// A row of an array whose adjoint is an accumulator.
    pub(super) fn row_slice(ty: &Type, i: SubExp) -> Slice {
        [DimIndex::Fix(i)].into_iter().chain(ty.shape().iter().skip(1).map(|n| whole(*n))).collect()
    }
}
