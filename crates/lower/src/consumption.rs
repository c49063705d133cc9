//! Which loop and lambda parameters are consumed by their bodies. The surface
//! language infers it; the core says it on the parameter. Done on the finished
//! body, innermost first.

use fehu_base::Name;
use fehu_ir::soac::Soac;
use fehu_ir::{Body, Exp, Lambda, Prog, RetType, Soacs, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Marks the parameters of all loops and lambdas of a program.
pub(crate) fn mark(prog: &mut Prog<Soacs>) {
    let mut marker = Marker::default();
    for f in &prog.funs {
        let unique = f.ret.iter().map(|r| matches!(r.ty, RetType::Array { unique: true, .. })).collect();
        marker.funs.insert(f.name, (f.params.iter().map(|p| p.consumed).collect(), unique));
    }
    marker.body(&mut prog.consts);
    for f in &mut prog.funs {
        marker.body(&mut f.body);
    }
}

#[derive(Default)]
struct Marker {
    /// Which parameters functions consume, and which of their results are unique.
    funs: FxHashMap<Name, (Vec<bool>, Vec<bool>)>,
    /// From which arrays the memory of a name may come.
    parents: FxHashMap<Name, Vec<Name>>,
}

impl Marker {
    /// The names whose memory a body takes over, with all that it may come from.
    fn body(&mut self, body: &mut Body<Soacs>) -> FxHashSet<Name> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let mut consumed = FxHashSet::default();
            for stm in &mut body.stms {
                let pat: Vec<Name> = stm.pat.iter().map(|p| p.name).collect();
                for n in self.exp(&mut stm.exp, &pat) {
                    self.add(n, &mut consumed);
                }
            }
            consumed
        })
    }

    fn add(&self, name: Name, consumed: &mut FxHashSet<Name>) {
        if consumed.insert(name) {
            for p in self.parents.get(&name).into_iter().flatten() {
                self.add(*p, consumed);
            }
        }
    }

    fn alias(&mut self, child: Name, parent: SubExp) {
        if let SubExp::Var(p) = parent {
            self.parents.entry(child).or_default().push(p);
        }
    }

    /// What an expression consumes; notes what its results share.
    fn exp(&mut self, exp: &mut Exp<Soacs>, pat: &[Name]) -> Vec<Name> {
        match exp {
            Exp::SubExp(e) | Exp::Opaque(e) => {
                self.alias(pat[0], *e);
                vec![]
            }
            Exp::Index(a, _) | Exp::FlatIndex(a, ..) | Exp::Rearrange(_, a) | Exp::Reshape(_, a) => {
                self.alias(pat[0], (*a).into());
                vec![]
            }
            Exp::Update(a, ..) | Exp::FlatUpdate(a, ..) | Exp::UpdateAcc(a, ..) => vec![*a],
            Exp::Call(f, args) => {
                let (params, unique) = self.funs.get(f).cloned().unwrap_or_default();
                for (i, r) in pat.iter().enumerate() {
                    if !unique.get(i).copied().unwrap_or(false) {
                        args.iter().for_each(|a| self.alias(*r, *a));
                    }
                }
                let taken = args.iter().zip(params).filter(|(_, c)| *c);
                taken.filter_map(|(a, _)| a.name()).collect()
            }
            Exp::If(_, t, f) => {
                let mut consumed = self.body(t);
                consumed.extend(self.body(f));
                for (i, r) in pat.iter().enumerate() {
                    self.alias(*r, t.result[i]);
                    self.alias(*r, f.result[i]);
                }
                consumed.into_iter().collect()
            }
            Exp::Loop(lp) => {
                let mut consumed = self.body(&mut lp.body);
                for (p, init) in &mut lp.params {
                    p.consumed |= consumed.contains(&p.name);
                    if p.consumed {
                        consumed.extend(init.name());
                    }
                }
                for (i, r) in pat.iter().enumerate() {
                    self.alias(*r, lp.body.result[i]);
                    if !lp.params[i].0.consumed {
                        self.alias(*r, lp.params[i].1);
                    }
                }
                consumed.into_iter().collect()
            }
            Exp::WithAcc(w) => {
                let mut consumed = self.lambda(&mut w.lambda, &[]);
                for input in &mut w.inputs {
                    consumed.extend(&input.arrays);
                    if let Some((op, _)) = &mut input.op {
                        self.lambda(op, &[]);
                    }
                }
                consumed
            }
            Exp::Op(soac) => self.soac(soac),
            Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Conv(..)
            | Exp::PrimFn(..)
            | Exp::Assert(..)
            | Exp::ArrayLit(..)
            | Exp::ArrayConst(_)
            | Exp::Iota { .. }
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(..)
            | Exp::Concat { .. } => vec![],
        }
    }

    fn soac(&mut self, soac: &mut Soac<Soacs>) -> Vec<Name> {
        match soac {
            Soac::Screma(s) => {
                s.scans.iter_mut().for_each(|x| drop(self.lambda(&mut x.op, &[])));
                s.reds.iter_mut().for_each(|x| drop(self.lambda(&mut x.op, &[])));
                self.lambda(&mut s.map, &s.arrays)
            }
            Soac::Hist(h) => {
                h.ops.iter_mut().for_each(|x| drop(self.lambda(&mut x.op, &[])));
                let mut consumed = self.lambda(&mut h.lambda, &h.arrays);
                consumed.extend(h.ops.iter().flat_map(|o| &o.dests));
                consumed
            }
            Soac::Scatter(s) => {
                let mut consumed = self.lambda(&mut s.lambda, &s.arrays);
                consumed.extend(s.dests.iter().map(|d| d.array));
                consumed
            }
            Soac::Ad(a) => self.lambda(&mut a.lambda, &[]),
        }
    }

    /// What a lambda consumes outside of itself; consuming a row consumes the array.
    fn lambda(&mut self, lambda: &mut Lambda<Soacs>, arrays: &[Name]) -> Vec<Name> {
        let mut consumed = self.body(&mut lambda.body);
        for (i, p) in lambda.params.iter_mut().enumerate() {
            p.consumed |= consumed.contains(&p.name);
            if p.consumed {
                consumed.extend(arrays.get(i));
            }
        }
        consumed.into_iter().collect()
    }
}
