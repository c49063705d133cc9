//! Which arrays may share memory.
//!
//! The table says of each name from which others its memory may come: those
//! are its *parents*. Two names may share memory if they have an ancestor in
//! common (every name is its own ancestor). What aliases what is said in the
//! crate's text: slices, permutations, reshapes and other names of an array
//! have it as parent; branches and loops have what they return; calls have
//! their arguments, unless the result is declared unique. What is consumed is gone, so the array
//! after an update has no parent.
//!
//! ```text
//! let (ys : [n]i32) = xs[0 :+ n * 2]            ys: {ys, xs}
//! let (zs : [n]i32) = if c then {return (ys)} else {return (as)}   zs: {zs, ys, xs, as}
//! ```

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

#[cfg(test)]
mod tests;

use crate::consume::consumed_directly;
use crate::free::Names;
use crate::op::{OpView, RepOp};
use crate::rep::Rep;
use crate::seg::{SegKind, SegOp};
use crate::soac::Soac;
use crate::syntax::*;
use crate::visit::deep;
use fehu_base::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// What callers must know of functions.
#[derive(Clone, Default, Debug)]
pub struct Signatures {
    funs: FxHashMap<Name, Signature>,
}

/// What callers must know of a function.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Which parameters are consumed.
    pub consumed: Vec<bool>,
    /// Which parameters hold memory: all but primitives.
    pub memory: Vec<bool>,
    /// Which results may alias the arguments of parameters that are not consumed.
    pub aliasing: Vec<bool>,
}

impl Signatures {
    /// Those of all functions of a program.
    pub fn of_prog<R: Rep>(prog: &Prog<R>) -> Signatures {
        Signatures { funs: prog.funs.iter().map(|f| (f.name, Signature::of(f))).collect() }
    }

    /// That of a function. One that is not known consumes nothing and may return any argument.
    pub fn get(&self, fun: Name) -> Option<&Signature> {
        self.funs.get(&fun)
    }

    /// Adds a function.
    pub fn insert(&mut self, fun: Name, signature: Signature) {
        self.funs.insert(fun, signature);
    }
}

impl Signature {
    /// That of a function.
    pub fn of<R: Rep>(fun: &FunDef<R>) -> Signature {
        let aliasing = |r: &FunRet<R>| match &r.ty {
            RetType::Prim(_) => false,
            RetType::Array { unique, .. } => !unique,
            RetType::Mem(_) => true,
        };
        Signature {
            consumed: fun.params.iter().map(|p| p.consumed).collect(),
            memory: fun.params.iter().map(|p| !matches!(p.ty, Type::Prim(_))).collect(),
            aliasing: fun.ret.iter().map(aliasing).collect(),
        }
    }

    /// Whether a parameter is consumed.
    pub fn consumes(&self, param: usize) -> bool {
        self.consumed.get(param).copied().unwrap_or(false)
    }
}

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

    /// The table of a body; what is free in it is taken to be apart.
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

    /// Names that share memory by construction with this one: its direct parents.
    pub fn parents(&self, name: Name) -> &[Name] {
        self.parents.get(&name).map_or(&[], |p| p.as_slice())
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

/// What the result of a body shares: with names outside, and with which earlier results.
#[derive(Clone, Default)]
struct Shared {
    outside: Vec<Name>,
    earlier: Vec<usize>,
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
        let results: Vec<Shared> = match &stm.exp {
            Exp::Basic(b) => match b.shares() {
                Some(a) => vec![one(Some(a))],
                None => vec![],
            },
            Exp::Call(f, args) => self.call(*f, args, stm.pat.len()),
            Exp::If(_, t, f) => {
                let [(t, in_t), (f, in_f)] = [t, f].map(|b| self.shared(b, &[]));
                let joined = t.into_iter().zip(f).map(|(t, f)| join(t, f));
                // What one branch consumes nobody may use afterwards, so that the other branch returns it
                // makes no alias.
                let is_left =
                    |n: &Name| self.table.of(*n).iter().all(|a| !in_t.contains(a) && !in_f.contains(a));
                // What shares memory with something consumed may still share some with something else.
                let left = |n: Name| match is_left(&n) {
                    true => vec![n],
                    false => self.table.of(n).into_iter().filter(is_left).collect(),
                };
                let left =
                    |s: Shared| Shared { outside: s.outside.into_iter().flat_map(left).collect(), ..s };
                joined.map(left).collect()
            }
            Exp::Loop(l) => self.loop_(l),
            Exp::WithAcc(w) => {
                for (op, neutral) in w.inputs.iter().filter_map(|i| i.op.as_ref()) {
                    self.operator(op, neutral);
                }
                let params: Vec<Name> = w.lambda.params.iter().map(|p| p.name).collect();
                let (results, _) = self.shared(&w.lambda.body, &params);
                let arrays = w.inputs.iter().map(|i| i.arrays.len()).sum::<usize>();
                let others = results.into_iter().skip(w.inputs.len()).map(|mut s| {
                    // Positions shift: accumulators became arrays.
                    s.earlier.retain(|i| *i >= w.inputs.len());
                    s.earlier.iter_mut().for_each(|i| *i = *i - w.inputs.len() + arrays);
                    s
                });
                vec![Shared::default(); arrays].into_iter().chain(others).collect()
            }
            Exp::Op(op) => {
                match op.view() {
                    OpView::Soac(soac) => self.soac(soac),
                    OpView::Seg(seg) => self.seg(seg),
                    OpView::Size(_) | OpView::Alloc(..) => {}
                }
                vec![]
            }
        };
        for (elem, shared) in stm.pat.iter().zip(results) {
            if matches!(elem.ty, Type::Prim(_)) {
                continue;
            }
            let siblings = shared.earlier.iter().filter_map(|i| stm.pat.get(*i)).map(|p| p.name);
            let parents: Vec<Name> = shared.outside.into_iter().chain(siblings).collect();
            self.table.add(elem.name, parents);
        }
    }

    /// What the results of a body share with names bound outside of it, and what it consumes of those.
    /// `params` are bound with it.
    fn shared<R: Rep>(&mut self, body: &Body<R>, params: &[Name]) -> (Vec<Shared>, FxHashSet<Name>) {
        let consumed = self.body(body);
        let own = body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).chain(params.iter().copied());
        let own: FxHashSet<Name> = own.collect();
        let (mut inside, mut outside) = (vec![], vec![]);
        for e in &body.result {
            let all = e.name().map(|n| self.table.of(n)).unwrap_or_default();
            let (inner, outer): (Vec<Name>, Vec<Name>) = all.into_iter().partition(|n| own.contains(n));
            inside.push(inner);
            outside.push(outer);
        }
        let shared = |(outside, earlier)| Shared { outside, earlier };
        (outside.into_iter().zip(meeting_earlier(inside)).map(shared).collect(), consumed)
    }

    fn call(&self, f: Name, args: &[SubExp], results: usize) -> Vec<Shared> {
        let sig = self.signatures.get(f);
        let kept = |i: usize| sig.is_none_or(|s| !s.consumes(i) && s.memory.get(i).copied().unwrap_or(false));
        let aliasing = |i: usize| sig.is_none_or(|s| s.aliasing.get(i).copied().unwrap_or(false));
        let kept = args.iter().enumerate().filter(|(i, _)| kept(*i));
        let outside: Vec<Name> = kept.filter_map(|(_, e)| e.name()).collect();
        let result = |i: usize| {
            if aliasing(i) {
                Shared { outside: outside.clone(), earlier: (0..i).filter(|j| aliasing(*j)).collect() }
            } else {
                Shared::default()
            }
        };
        (0..results).map(result).collect()
    }

    /// The body is looked at once, with the parameters as they are. What its results share with
    /// the parameters then tells what each parameter may be in later iterations.
    fn loop_<R: Rep>(&mut self, l: &Loop<R>) -> Vec<Shared> {
        let (results, _) = self.shared(&l.body, &[]);
        let params: FxHashMap<Name, usize> =
            l.params.iter().enumerate().map(|(i, p)| (p.0.name, i)).collect();
        let holds_memory = |i: usize| !matches!(l.params[i].0.ty, Type::Prim(_));
        let init = |i: usize| {
            let (param, init) = &l.params[i];
            if param.consumed || !holds_memory(i) {
                None
            } else {
                init.name()
            }
        };
        let mut may_be: Vec<Names> = (0..l.params.len()).map(|i| init(i).into_iter().collect()).collect();
        loop {
            let mut changed = false;
            for (i, shared) in results.iter().enumerate().filter(|(i, _)| *i < l.params.len()) {
                for n in &shared.outside {
                    let add: Vec<Name> = match params.get(n) {
                        Some(k) => may_be[*k].iter().copied().collect(),
                        None => vec![*n],
                    };
                    for n in add {
                        changed |= may_be[i].insert(n);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        for (i, (param, _)) in l.params.iter().enumerate() {
            if holds_memory(i) {
                self.table.add(param.name, may_be[i].iter().copied());
            }
        }
        // Results that are the same parameter, or share something in the body, share memory.
        let comes_from = |i: usize| -> Vec<Name> {
            let outside = results.get(i).map_or(&[][..], |r| &r.outside);
            outside.iter().copied().filter(|n| params.contains_key(n)).collect()
        };
        let same_param = meeting_earlier((0..l.params.len()).map(comes_from));
        (may_be.into_iter().zip(same_param).enumerate())
            .map(|(i, (may_be, same_param))| {
                let mut earlier = results.get(i).map(|r| r.earlier.clone()).unwrap_or_default();
                earlier.extend(same_param);
                Shared { outside: may_be.into_iter().collect(), earlier }
            })
            .collect()
    }

    /// A lambda that is applied to rows of arrays, or to arguments.
    fn applied<R: Rep>(&mut self, lambda: &Lambda<R>, args: impl IntoIterator<Item = Option<Name>>) {
        for (param, arg) in lambda.params.iter().zip(args) {
            if !param.consumed && !matches!(param.ty, Type::Prim(_)) {
                self.table.add(param.name, arg);
            }
        }
        self.body(&lambda.body);
    }

    /// An operator, either of whose operands may be a neutral element.
    fn operator<R: Rep>(&mut self, op: &Lambda<R>, neutral: &[SubExp]) {
        self.applied(op, neutral.iter().chain(neutral).map(|e| e.name()));
    }

    fn soac<R: Rep>(&mut self, soac: &Soac<R>) {
        let names = |arrays: &[Name]| arrays.iter().map(|a| Some(*a)).collect::<Vec<_>>();
        match soac {
            Soac::Screma(s) => {
                s.scans.iter().for_each(|scan| self.operator(&scan.op, &scan.neutral));
                s.reds.iter().for_each(|red| self.operator(&red.op, &red.neutral));
                self.applied(&s.map, names(&s.arrays));
            }
            Soac::Hist(h) => {
                h.ops.iter().for_each(|op| self.operator(&op.op, &op.neutral));
                self.applied(&h.lambda, names(&h.arrays));
            }
            Soac::Scatter(s) => self.applied(&s.lambda, names(&s.arrays)),
            Soac::Filter(f) => self.applied(&f.lambda, names(&f.arrays)),
            Soac::Ad(ad) => self.applied(&ad.lambda, ad.args.iter().map(|e| e.name())),
        }
    }

    fn seg<R: Rep>(&mut self, seg: &SegOp<R>) {
        match &seg.kind {
            SegKind::Map => {}
            SegKind::Red(ops) | SegKind::Scan(ops, _) => {
                ops.iter().for_each(|op| self.operator(&op.op, &op.neutral));
            }
            SegKind::Hist(ops) => ops.iter().for_each(|op| self.operator(&op.op, &op.neutral)),
        }
        self.body(&seg.body.body);
        if let Some(after) = seg.after() {
            self.applied(&after.lambda, after.lambda.params.iter().map(|_| None));
        }
    }
}

fn one(name: Option<Name>) -> Shared {
    Shared { outside: name.into_iter().collect(), earlier: vec![] }
}

fn join(mut a: Shared, b: Shared) -> Shared {
    a.outside.extend(b.outside);
    a.earlier.extend(b.earlier);
    a
}
