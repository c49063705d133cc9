//! Dead code: statements, results, loop parameters, inputs and operators that
//! nothing depends on.
//!
//! One walk backwards over each body. Everything but the results of functions is pure, so what is not needed
//! is not done: a check of values goes with them, one on which others rely stays ([`fehu_ir::Purpose`]).
//! Flattening makes checks apart from what needs them: from then on, all of them stay ([`flattened`]).

use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::op::{OpViewMut, RepOp};
use fehu_ir::seg::{KernelReturn, SegOp};
use fehu_ir::soac::{Filter, Hist, Scatter, Screma, Soac};
use fehu_ir::visit::{deep, for_each_operand, Visitor};
use fehu_ir::{
    Basic, Body, Exp, FunDef, Kernels, Lambda, Loop, LoopForm, PatElem, Prog, Rep, Stm, SubExp, Type,
};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Removes dead code from a flattened program, and keeps all checks.
pub static FLATTENED: Pass<Prog<Kernels>> = Pass { name: "dead-code", need: Need::Optional, run: flattened };

/// Removes dead code from a function. Says whether there was any.
pub fn fun<R: Rep>(fun: &mut FunDef<R>, checks: Checks) -> bool {
    let mut d = Dce { live: FxHashSet::default(), changed: false, checks };
    for r in &fun.ret {
        if let fehu_ir::RetType::Array { shape, .. } = &r.ty {
            for s in shape {
                if let fehu_ir::ExtSize::Free(SubExp::Var(n)) = s {
                    d.live.insert(*n);
                }
            }
        }
    }
    d.body(&mut fun.body);
    d.changed
}

/// Removes constants of the program that no function uses.
pub fn consts<R: Rep>(prog: &mut Prog<R>, checks: Checks) {
    if prog.consts.stms.is_empty() {
        return;
    }
    let mut d = Dce { live: FxHashSet::default(), changed: false, checks };
    for fun in &prog.funs {
        d.live.extend(fehu_ir::free::free_in_fun(fun));
    }
    d.body(&mut prog.consts);
}

/// Removes dead code from a flattened program.
fn flattened<R: Rep>(prog: &mut Prog<R>) {
    for f in &mut prog.funs {
        fun(f, Checks::Effects);
    }
    consts(prog, Checks::Effects);
}

/// What checks are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checks {
    /// As good as the results that depend on them.
    Results,
    /// Done for their own sake.
    Effects,
}

struct Dce {
    live: FxHashSet<Name>,
    changed: bool,
    checks: Checks,
}

impl<R: Rep> Visitor<R> for Dce {
    fn name(&mut self, n: &Name) {
        self.live.insert(*n);
    }
}

impl Dce {
    fn use_operand(&mut self, e: SubExp) {
        if let SubExp::Var(n) = e {
            self.live.insert(n);
        }
    }

    fn use_type<R: Rep>(&mut self, t: &Type) {
        Visitor::<R>::ty(self, t);
    }

    fn body<R: Rep>(&mut self, body: &mut Body<R>) {
        deep(|| {
            for e in &body.result {
                self.use_operand(*e);
            }
            let mut kept = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms).into_iter().rev() {
                if self.stm(&mut stm) {
                    kept.push(stm);
                } else {
                    self.changed = true;
                }
            }
            kept.reverse();
            body.stms = kept;
        })
    }

    /// Whether the statement stays; its parts that do not are gone.
    fn stm<R: Rep>(&mut self, stm: &mut Stm<R>) -> bool {
        let mut live: Vec<bool> = stm.pat.iter().map(|p| self.live.contains(&p.name)).collect();
        if !live.contains(&true) {
            if !has_effect(stm, self.checks) {
                return false;
            }
            live.fill(true);
        }
        // A result keeps the sizes in its type.
        loop {
            for (p, l) in stm.pat.iter().zip(&live) {
                if *l {
                    self.use_type::<R>(&p.ty);
                    self.dec(p);
                }
            }
            let now: Vec<bool> =
                stm.pat.iter().zip(&live).map(|(p, l)| *l || self.live.contains(&p.name)).collect();
            if now == live {
                break;
            }
            live = now;
        }
        for c in &stm.certs {
            self.live.insert(*c);
        }
        match &mut stm.exp {
            Exp::If(c, t, f) => {
                self.use_operand(*c);
                self.keep(&mut stm.pat, &live);
                for body in [t, f] {
                    self.keep(&mut body.result, &live);
                    self.body(body);
                }
            }
            Exp::Loop(l) => self.loop_(&mut stm.pat, l, &live),
            Exp::Op(op) => match op.view_mut() {
                OpViewMut::Soac(Soac::Screma(s)) => self.screma(&mut stm.pat, s, &live),
                OpViewMut::Soac(Soac::Hist(h)) => self.hist(&mut stm.pat, h, &live),
                OpViewMut::Soac(Soac::Scatter(s)) => self.scatter(&mut stm.pat, s, &live),
                OpViewMut::Soac(Soac::Filter(f)) => self.filter(&mut stm.pat, f, &live),
                OpViewMut::Seg(seg) => {
                    self.elements(&mut stm.pat, seg, &live);
                    self.rest(&mut stm.exp);
                }
                OpViewMut::Soac(Soac::Ad(_)) | OpViewMut::Size(_) | OpViewMut::Alloc(..) => {
                    self.rest(&mut stm.exp);
                }
            },
            Exp::WithAcc(_) | Exp::Basic(_) | Exp::Call(..) => self.rest(&mut stm.exp),
        }
        true
    }

    fn dec<R: Rep>(&mut self, p: &PatElem<R>) {
        Visitor::<R>::dec(self, &p.dec);
    }

    /// Everything an expression mentions is used; its bodies are cleaned.
    fn rest<R: Rep>(&mut self, exp: &mut Exp<R>) {
        for_each_operand(exp, &mut |e| self.use_operand(e));
        struct Bodies<'a>(&'a mut Dce);
        impl<R: Rep> fehu_ir::Mutator<R> for Bodies<'_> {
            fn body(&mut self, b: &mut Body<R>) {
                self.0.body(b);
            }
            fn lambda(&mut self, l: &mut Lambda<R>) {
                self.0.lambda(l);
            }
        }
        fehu_ir::visit::change::exp(&mut Bodies(self), exp);
    }

    fn lambda<R: Rep>(&mut self, lambda: &mut Lambda<R>) {
        self.body(&mut lambda.body);
        for p in &lambda.params {
            self.use_type::<R>(&p.ty);
        }
        for t in &lambda.ret {
            self.use_type::<R>(t);
        }
    }

    /// Drops arrays of elements that nobody uses; results of operators stay, and what is written to an array.
    fn elements<R: Rep>(&mut self, pat: &mut Vec<PatElem<R>>, seg: &mut SegOp<R>, live: &[bool]) {
        if seg.after().is_some() {
            return;
        }
        let elements = seg.body.returns.iter().map(|r| matches!(r, KernelReturn::Elem)).skip(seg.combined());
        let stays: Vec<bool> = std::iter::repeat_n(false, seg.combined())
            .chain(elements)
            .zip(live)
            .map(|(element, live)| *live || !element)
            .collect();
        self.keep(pat, &stays);
        self.keep(&mut seg.types, &stays);
        self.keep(&mut seg.body.returns, &stays);
        self.keep(&mut seg.body.body.result, &stays);
    }

    /// Drops what is not marked.
    fn keep<T>(&mut self, all: &mut Vec<T>, live: &[bool]) {
        let mut marks = live.iter();
        let before = all.len();
        all.retain(|_| marks.next().copied().unwrap_or(true));
        self.changed |= all.len() != before;
    }

    fn loop_<R: Rep>(&mut self, pat: &mut Vec<PatElem<R>>, l: &mut Loop<R>, live: &[bool]) {
        let needed = needed_params(l, live, self.checks);
        // A parameter that later iterations need is still a result of the loop, used or not.
        self.keep(pat, &needed);
        self.keep(&mut l.params, &needed);
        self.keep(&mut l.body.result, &needed);
        for p in pat.iter() {
            self.use_type::<R>(&p.ty);
        }
        self.body(&mut l.body);
        for (p, init) in &l.params {
            self.use_operand(*init);
            self.use_type::<R>(&p.ty);
        }
        if let LoopForm::For { bound, .. } = &l.form {
            self.use_operand(*bound);
        }
    }

    fn screma<R: Rep>(&mut self, pat: &mut Vec<PatElem<R>>, s: &mut Screma<R>, live: &[bool]) {
        let mut keep = live.to_vec();
        let mut at = 0;
        let mut scans = vec![];
        for scan in std::mem::take(&mut s.scans) {
            let k = scan.neutral.len();
            let used = whole(&mut keep[at..at + k]);
            at += k;
            if used {
                scans.push(scan);
            } else {
                self.changed = true;
            }
        }
        let mut reds = vec![];
        for red in std::mem::take(&mut s.reds) {
            let k = red.neutral.len();
            let used = whole(&mut keep[at..at + k]);
            at += k;
            if used {
                reds.push(red);
            } else {
                self.changed = true;
            }
        }
        s.scans = scans;
        s.reds = reds;
        self.keep(pat, &keep);
        self.keep(&mut s.map.body.result, &keep);
        self.keep(&mut s.map.ret, &keep);
        for p in pat.iter() {
            self.use_type::<R>(&p.ty);
        }
        for (op, neutral) in s
            .scans
            .iter_mut()
            .map(|x| (&mut x.op, &x.neutral))
            .chain(s.reds.iter_mut().map(|x| (&mut x.op, &x.neutral)))
        {
            for e in neutral {
                self.use_operand(*e);
            }
            self.lambda(op);
        }
        self.elementwise(&mut s.map, &mut s.arrays);
        self.use_operand(s.width);
    }

    /// The lambda of a combinator, and the arrays it reads.
    fn elementwise<R: Rep>(&mut self, lambda: &mut Lambda<R>, arrays: &mut Vec<Name>) {
        self.body(&mut lambda.body);
        let used: Vec<bool> = lambda.params.iter().map(|p| self.live.contains(&p.name)).collect();
        self.keep(&mut lambda.params, &used);
        self.keep(arrays, &used);
        for a in arrays {
            self.live.insert(*a);
        }
        for p in &lambda.params {
            self.use_type::<R>(&p.ty);
        }
        for t in &lambda.ret {
            self.use_type::<R>(t);
        }
    }

    fn hist<R: Rep>(&mut self, pat: &mut Vec<PatElem<R>>, h: &mut Hist<R>, live: &[bool]) {
        let mut keep = live.to_vec();
        let mut at = 0;
        let used: Vec<bool> = h
            .ops
            .iter()
            .map(|op| {
                let k = op.dests.len();
                at += k;
                whole(&mut keep[at - k..at])
            })
            .collect();
        // All indices first, then all values.
        let mut results: Vec<bool> = vec![];
        for (op, u) in h.ops.iter().zip(&used) {
            results.extend(std::iter::repeat_n(*u, op.shape.len()));
        }
        results.extend(keep.iter().copied());
        self.keep(pat, &keep);
        self.keep(&mut h.lambda.body.result, &results);
        self.keep(&mut h.lambda.ret, &results);
        self.keep(&mut h.ops, &used);
        for op in &mut h.ops {
            for e in op.shape.iter().chain(&op.neutral) {
                self.use_operand(*e);
            }
            for d in &op.dests {
                self.live.insert(*d);
            }
            self.lambda(&mut op.op);
        }
        self.elementwise(&mut h.lambda, &mut h.arrays);
        self.use_operand(h.width);
    }

    fn scatter<R: Rep>(&mut self, pat: &mut Vec<PatElem<R>>, s: &mut Scatter<R>, live: &[bool]) {
        let dests: Vec<bool> = s.results().into_iter().map(|k| live[k]).collect();
        let mut results: Vec<bool> = vec![];
        for (dest, l) in s.dests.iter().zip(&dests) {
            results.extend(std::iter::repeat_n(*l, dest.shape.len()));
        }
        results.extend(dests.iter().copied());
        self.keep(pat, live);
        self.keep(&mut s.lambda.body.result, &results);
        self.keep(&mut s.lambda.ret, &results);
        self.keep(&mut s.dests, &dests);
        for dest in &s.dests {
            self.live.insert(dest.array);
            for e in &dest.shape {
                self.use_operand(*e);
            }
        }
        self.elementwise(&mut s.lambda, &mut s.arrays);
        self.use_operand(s.width);
    }

    /// The number of elements that are kept is live if one of their arrays is, whose size it is.
    fn filter<R: Rep>(&mut self, pat: &mut Vec<PatElem<R>>, f: &mut Filter<R>, live: &[bool]) {
        self.keep(pat, live);
        self.keep(&mut f.lambda.body.result, live);
        self.keep(&mut f.lambda.ret, live);
        let mut values = live[f.kept.len()..].iter();
        for kept in &mut f.kept {
            *kept = values.by_ref().take(*kept).filter(|l| **l).count();
        }
        self.keep(&mut f.kept, live);
        self.elementwise(&mut f.lambda, &mut f.arrays);
        self.use_operand(f.width);
    }
}

/// Results of one operator stay or go together.
fn whole(live: &mut [bool]) -> bool {
    let used = live.contains(&true);
    live.fill(used);
    used
}

/// Tracing and breakpoints are seen from outside, others rely on checks that stay, and perhaps on all checks.
/// What checks that stay say holds in the body they are in, so they go with it.
fn has_effect<R: Rep>(stm: &Stm<R>, checks: Checks) -> bool {
    let traced = matches!(stm.exp, Exp::Basic(Basic::Opaque(_))) && !stm.attrs.is_empty();
    traced || stm.stays() || checks == Checks::Effects && has_check(&stm.exp)
}

fn has_check<R: Rep>(exp: &Exp<R>) -> bool {
    struct Finder(bool);
    impl<R: Rep> Visitor<R> for Finder {
        fn exp(&mut self, e: &Exp<R>) {
            self.0 |= matches!(e, Exp::Basic(Basic::Assert(..)));
            fehu_ir::visit::look::exp(self, e);
        }
    }
    let mut finder = Finder(false);
    Visitor::exp(&mut finder, exp);
    finder.0
}

/// Which parameters of a loop matter, given which of its results do.
fn needed_params<R: Rep>(l: &Loop<R>, live: &[bool], checks: Checks) -> Vec<bool> {
    let position: FxHashMap<Name, usize> =
        l.params.iter().enumerate().map(|(i, (p, _))| (p.name, i)).collect();
    let mut needed = live.to_vec();
    let mut work: Vec<Name> = vec![];
    let mut seen: FxHashSet<Name> = FxHashSet::default();
    let mut roots: Vec<usize> = (0..live.len()).filter(|i| live[*i]).collect();
    if let LoopForm::While(c) = &l.form {
        work.push(*c);
    }
    if live.iter().all(|l| *l) {
        return needed;
    }
    let mut made_by: FxHashMap<Name, usize> = FxHashMap::default();
    for (i, stm) in l.body.stms.iter().enumerate() {
        for p in &stm.pat {
            made_by.insert(p.name, i);
        }
        if has_effect(stm, checks) {
            work.extend(free_in_stm(stm));
        }
    }
    let mut visited = vec![false; l.body.stms.len()];
    loop {
        while let Some(i) = roots.pop() {
            needed[i] = true;
            work.extend(l.body.result.get(i).and_then(|e| e.name()));
            work.extend(fehu_ir::free::free_in_type(&l.params[i].0.ty));
        }
        let Some(n) = work.pop() else { break };
        if !seen.insert(n) {
            continue;
        }
        if let Some(i) = position.get(&n) {
            if !needed[*i] {
                roots.push(*i);
            }
        }
        if let Some(i) = made_by.get(&n) {
            if !visited[*i] {
                visited[*i] = true;
                work.extend(free_in_stm(&l.body.stms[*i]));
            }
        }
    }
    needed
}
