//! Which names have a tangent: those that depend on an argument that has one.
//!
//! ```text
//! \(x, n) -> loop (y = 1, k = n) for i < 10 do (y * x, k + 1)  x has a tangent: x, y and y * x are active; n, k, i are not
//! ```
//!
//! A name is active if a number flows to it from an active one, by whatever way: through operations that are
//! not flat ([`is_flat`]), elements and rows of arrays, results of branches and loops, calls. Parameters of
//! loops and of operators depend on their own results, so bodies are looked at until nothing new is found.
//! Accumulators are active if anything that is put into them is: all that have one token together, so the
//! token stands for them in the set.
//!
//! Of calls, it is a table that knows which results are active when some of the arguments are; it is complete
//! when a round adds nothing, which is how recursive functions are found.

use crate::partials::{is_flat, operands};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::soac::{Ad, AdMode, Filter, Hist, Scatter, Screma, Soac};
use fehu_ir::types::Types;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, Exp, FunDef, Lambda, Loop, Param, PatElem, Soacs, Stm, SubExp, Type, WithAcc};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function, and which of its parameters are active.
pub(crate) type Activation = (Name, Vec<bool>);

/// What is known of calls, and how to find more.
pub(crate) struct Activity<'a> {
    /// The functions of the program.
    pub(crate) funs: &'a FxHashMap<Name, FunDef<Soacs>>,
    /// Which results of a function are active.
    pub(crate) calls: FxHashMap<Activation, Vec<bool>>,
}

impl Activity<'_> {
    /// Adds what is active in a body to the names that are active around it.
    pub(crate) fn of_body(&mut self, types: &Types, body: &Body<Soacs>, active: &mut FxHashSet<Name>) {
        loop {
            let known = self.calls.clone();
            let mut found = Finder { activity: self, types, active };
            found.settled(|f| f.body(body));
            for call in self.calls.keys().cloned().collect::<Vec<_>>() {
                self.call(types, &call);
            }
            if self.calls == known {
                return;
            }
        }
    }

    /// Looks at a function once more.
    fn call(&mut self, types: &Types, call: &Activation) {
        let Some(fun) = self.funs.get(&call.0) else { fehu_base::bug!("a call of no function") };
        let params = fun.params.iter().zip(&call.1);
        let mut active = params.filter(|(_, active)| **active).map(|(p, _)| p.name).collect();
        let mut found = Finder { activity: self, types, active: &mut active };
        found.settled(|f| f.body(&fun.body));
        let results = fun.body.result.iter().map(|e| found.is_active(*e)).collect();
        self.calls.insert(call.clone(), results);
    }
}

/// Whether a name is in the set; an accumulator is if its token is.
pub(crate) fn is_active(types: &Types, active: &FxHashSet<Name>, e: SubExp) -> bool {
    let SubExp::Var(n) = e else { return false };
    match types.get(&n) {
        Some(Type::Acc(token, ..)) => active.contains(token),
        Some(Type::Prim(_) | Type::Array(..) | Type::Mem(_)) | None => active.contains(&n),
    }
}

struct Finder<'f, 'a> {
    activity: &'f mut Activity<'a>,
    types: &'f Types,
    active: &'f mut FxHashSet<Name>,
}

impl Finder<'_, '_> {
    fn is_active(&self, e: SubExp) -> bool {
        is_active(self.types, self.active, e)
    }

    fn any(&self, es: &[SubExp]) -> bool {
        es.iter().any(|e| self.is_active(*e))
    }

    /// A name that is bound to something active. Certificates and tokens are no numbers.
    fn bind(&mut self, name: Name, ty: &Type, active: bool) {
        if active && *ty != Type::UNIT && !matches!(ty, Type::Acc(..)) {
            self.active.insert(name);
        }
    }

    fn bind_pat(&mut self, pat: &[PatElem<Soacs>], results: &[bool]) {
        for (p, active) in pat.iter().zip(results) {
            self.bind(p.name, &p.ty, *active);
        }
    }

    /// Does it until it finds nothing new.
    fn settled(&mut self, mut f: impl FnMut(&mut Self)) {
        loop {
            let before = self.active.len();
            f(self);
            if self.active.len() == before {
                return;
            }
        }
    }

    fn body(&mut self, body: &Body<Soacs>) {
        deep(|| body.stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn results(&self, body: &Body<Soacs>) -> Vec<bool> {
        body.result.iter().map(|e| self.is_active(*e)).collect()
    }

    fn stm(&mut self, stm: &Stm<Soacs>) {
        let pat = &stm.pat;
        let results = match &stm.exp {
            Exp::Basic(op) => vec![self.basic(op)],
            Exp::Call(f, args) => {
                let call = (*f, args.iter().map(|e| self.is_active(*e)).collect::<Vec<bool>>());
                match call.1.contains(&true) {
                    true => self.activity.calls.entry(call).or_insert_with(|| vec![false; pat.len()]).clone(),
                    false => vec![],
                }
            }
            Exp::If(_, yes, no) => {
                self.body(yes);
                self.body(no);
                self.results(yes).iter().zip(self.results(no)).map(|(a, b)| *a || b).collect()
            }
            Exp::Loop(l) => self.loop_(l),
            Exp::WithAcc(w) => self.with_acc(w),
            Exp::Op(Soac::Screma(s)) => self.screma(s),
            Exp::Op(Soac::Hist(h)) => self.hist(h),
            Exp::Op(Soac::Scatter(s)) => self.scatter(s),
            Exp::Op(Soac::Filter(f)) => self.filter(f),
            Exp::Op(Soac::Ad(ad)) => self.rule(ad),
        };
        self.bind_pat(pat, &results);
    }

    fn basic(&mut self, op: &Basic) -> bool {
        match op {
            Basic::SubExp(x) | Basic::Opaque(x) | Basic::Replicate(_, x) => self.is_active(*x),
            Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..) | Basic::PrimFn(..) => {
                !is_flat(op) && self.any(&operands(op))
            }
            Basic::Assert(..) | Basic::ArrayConst(_) | Basic::Scratch(..) => false,
            Basic::ArrayLit(xs, _) => self.any(xs),
            Basic::Index(a, _)
            | Basic::FlatIndex(a, ..)
            | Basic::Copy(a)
            | Basic::Manifest(_, a)
            | Basic::Rearrange(_, a)
            | Basic::Reshape(_, a) => self.is_active((*a).into()),
            Basic::Update(a, _, x) => self.any(&[(*a).into(), *x]),
            Basic::FlatUpdate(a, _, _, x) => self.any(&[(*a).into(), (*x).into()]),
            Basic::Iota { n, start, step, ty: IntType::I64 } => self.any(&[*n, *start, *step]),
            Basic::Iota { start, step, .. } => self.any(&[*start, *step]),
            Basic::Concat { arrays, .. } => arrays.iter().any(|a| self.is_active((*a).into())),
            Basic::UpdateAcc(acc, _, values) => {
                if let (true, Some(Type::Acc(token, ..))) = (self.any(values), self.types.get(acc)) {
                    self.active.insert(*token);
                }
                false
            }
        }
    }

    fn loop_(&mut self, l: &Loop<Soacs>) -> Vec<bool> {
        let is = |f: &Self, p: &Param<Soacs>| f.is_active(p.name.into());
        for (p, init) in &l.params {
            let active = self.is_active(*init);
            self.bind(p.name, &p.ty, active);
        }
        self.settled(|f| {
            f.body(&l.body);
            for ((p, _), result) in l.params.iter().zip(f.results(&l.body)) {
                f.bind(p.name, &p.ty, result);
            }
        });
        l.params.iter().map(|(p, _)| is(self, p)).collect()
    }

    fn with_acc(&mut self, w: &WithAcc<Soacs>) -> Vec<bool> {
        for (input, token) in w.inputs.iter().zip(&w.lambda.params) {
            if input.arrays.iter().any(|a| self.is_active((*a).into())) {
                self.active.insert(token.name);
            }
        }
        self.body(&w.lambda.body);
        let tokens = w.inputs.iter().zip(&w.lambda.params);
        let arrays = tokens.flat_map(|(i, t)| vec![self.active.contains(&t.name); i.arrays.len()]);
        let arrays: Vec<bool> = arrays.collect();
        for (input, token) in w.inputs.iter().zip(&w.lambda.params) {
            if let (true, Some((op, _))) = (self.active.contains(&token.name), &input.op) {
                self.operator(op, vec![true; input.arrays.len()]);
            }
        }
        let others = self.results(&w.lambda.body).into_iter().skip(w.inputs.len());
        arrays.into_iter().chain(others).collect()
    }

    /// A lambda on elements of arrays: which of its results are active.
    fn lambda(&mut self, lambda: &Lambda<Soacs>, arrays: &[Name]) -> Vec<bool> {
        for (p, a) in lambda.params.iter().zip(arrays) {
            let active = self.is_active((*a).into());
            self.bind(p.name, &p.ty, active);
        }
        self.body(&lambda.body);
        self.results(&lambda.body)
    }

    /// An operator on values of which some are active: which components are, on either side and in the end.
    fn operator(&mut self, op: &Lambda<Soacs>, mut active: Vec<bool>) -> Vec<bool> {
        self.settled(|f| {
            for (p, active) in op.params.iter().zip(active.iter().chain(&active).copied().collect::<Vec<_>>())
            {
                f.bind(p.name, &p.ty, active);
            }
            f.body(&op.body);
            let results = f.results(&op.body);
            active.iter_mut().zip(results).for_each(|(a, result)| *a |= result);
            for (p, active) in op.params.iter().zip(active.iter().chain(&active).copied().collect::<Vec<_>>())
            {
                f.bind(p.name, &p.ty, active);
            }
        });
        active
    }

    fn screma(&mut self, s: &Screma<Soacs>) -> Vec<bool> {
        let results = self.lambda(&s.map, &s.arrays);
        let mut rest = results.as_slice();
        let mut all = vec![];
        for scan in &s.scans {
            let (inputs, others) = rest.split_at(scan.neutral.len());
            all.extend(self.operator(&scan.op, inputs.to_vec()));
            rest = others;
        }
        for red in &s.reds {
            let (inputs, others) = rest.split_at(red.neutral.len());
            let inputs = inputs.iter().zip(&red.neutral).map(|(i, e)| *i || self.is_active(*e)).collect();
            all.extend(self.operator(&red.op, inputs));
            rest = others;
        }
        all.extend(rest);
        all
    }

    fn hist(&mut self, h: &Hist<Soacs>) -> Vec<bool> {
        let results = self.lambda(&h.lambda, &h.arrays);
        let indices: usize = h.ops.iter().map(|op| op.shape.len()).sum();
        let mut values = results[indices..].iter();
        let mut all = vec![];
        for op in &h.ops {
            let dests = op.dests.iter().map(|d| self.is_active((*d).into()));
            let inputs = dests.zip(values.by_ref()).map(|(d, v)| d || *v).collect();
            all.extend(self.operator(&op.op, inputs));
        }
        all
    }

    fn scatter(&mut self, s: &Scatter<Soacs>) -> Vec<bool> {
        let results = self.lambda(&s.lambda, &s.arrays);
        let indices: usize = s.dests.iter().map(|d| d.shape.len()).sum();
        let mut all: Vec<bool> = s.written().iter().map(|a| self.is_active((*a).into())).collect();
        for (written, active) in s.results().iter().zip(&results[indices..]) {
            all[*written] |= active;
        }
        all
    }

    /// A function with a rule: its results depend on its arguments alone, since what is free in it gets nothing.
    fn rule(&mut self, ad: &Ad<Soacs>) -> Vec<bool> {
        if ad.mode != AdMode::Rule {
            fehu_base::bug!("a derivative is taken before those around it")
        }
        vec![self.any(&ad.args); ad.results()]
    }

    fn filter(&mut self, f: &Filter<Soacs>) -> Vec<bool> {
        let results = self.lambda(&f.lambda, &f.arrays);
        let counts = vec![false; f.kept.len()];
        counts.iter().chain(&results[f.kept.len()..]).copied().collect()
    }
}
