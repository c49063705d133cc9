//! Which arrays may share memory, and whether that memory is ever consumed.
//!
//! Names that may alias, on any path and at any time, are in one *class*. A
//! class is *consumed* if anything in the function takes over the memory of one
//! of its members. Rewrites that would read an array later than the program
//! says, or let two arrays share memory, ask here: where no member is ever
//! consumed, nothing can go wrong. The answer is coarse (it forgets time) but
//! costs one walk, and arrays that are updated in place are few.

use fehu_base::Name;
use fehu_ir::op::{OpView, RepOp};
use fehu_ir::seg::{KernelReturn, SegKind};
use fehu_ir::soac::Soac;
use fehu_ir::visit::deep;
use fehu_ir::{Body, Exp, FunDef, Lambda, Prog, Rep, RetType, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// What a caller must know of a function: which arguments it consumes, which results are unique.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) consumed: Vec<bool>,
    pub(crate) unique: Vec<bool>,
}

/// The signatures of a program's functions.
pub(crate) type Signatures = FxHashMap<Name, Signature>;

/// The signatures of all functions of a program.
pub(crate) fn signatures<R: Rep>(prog: &Prog<R>) -> Signatures {
    prog.funs.iter().map(|f| (f.name, signature(f))).collect()
}

fn signature<R: Rep>(fun: &FunDef<R>) -> Signature {
    let unique = |t: &RetType| match t {
        RetType::Array { unique, .. } => *unique,
        RetType::Prim(_) | RetType::Mem(_) => true,
    };
    Signature {
        consumed: fun.params.iter().map(|p| p.consumed).collect(),
        unique: fun.ret.iter().map(|r| unique(&r.ty)).collect(),
    }
}

/// Alias classes of the names of a function.
#[derive(Debug)]
pub(crate) struct Classes {
    parent: FxHashMap<Name, Name>,
    consumed: FxHashMap<Name, bool>,
}

impl Classes {
    /// The classes of a function, which may use (but not consume) the program's constants.
    pub(crate) fn of_fun<R: Rep>(sigs: &Signatures, consts: &Body<R>, fun: &FunDef<R>) -> Classes {
        let mut c = Classes::of_body(sigs, consts);
        for p in &fun.params {
            c.add(p.name, &p.ty);
            if p.consumed {
                c.consume(p.name);
            }
        }
        c.body(sigs, &fun.body);
        // A unique result must have memory of its own, as if the caller consumed it.
        for (ret, e) in fun.ret.iter().zip(&fun.body.result) {
            if let (RetType::Array { unique: true, .. }, SubExp::Var(n)) = (&ret.ty, e) {
                c.consume(*n);
            }
        }
        c
    }

    /// The classes of a body that stands alone.
    pub(crate) fn of_body<R: Rep>(sigs: &Signatures, body: &Body<R>) -> Classes {
        let mut c = Classes { parent: FxHashMap::default(), consumed: FxHashMap::default() };
        c.body(sigs, body);
        c
    }

    /// Whether memory of this array may be consumed somewhere. Names unknown here count as such.
    pub(crate) fn is_consumed(&self, n: Name) -> bool {
        if !self.parent.contains_key(&n) {
            return true;
        }
        let root = self.find(n);
        self.consumed.get(&root).copied().unwrap_or(false)
    }

    /// Whether the name is that of an array or accumulator.
    pub(crate) fn is_known(&self, n: Name) -> bool {
        self.parent.contains_key(&n)
    }

    /// The name that stands for the class.
    pub(crate) fn find(&self, mut n: Name) -> Name {
        while let Some(p) = self.parent.get(&n) {
            if *p == n {
                break;
            }
            n = *p;
        }
        n
    }

    /// Adds an array made by a rewrite, sharing memory with the given ones.
    pub(crate) fn learn(&mut self, n: Name, shares: &[Name]) {
        self.parent.entry(n).or_insert(n);
        for m in shares {
            self.union(n, *m);
        }
    }

    fn add(&mut self, n: Name, ty: &Type) {
        match ty {
            Type::Array(..) | Type::Acc(..) => {
                self.parent.entry(n).or_insert(n);
            }
            Type::Prim(_) | Type::Mem(_) => {}
        }
    }

    fn compress(&mut self, n: Name) -> Name {
        let root = self.find(n);
        self.parent.insert(n, root);
        root
    }

    /// Puts two names in one class.
    pub(crate) fn union(&mut self, a: Name, b: Name) {
        let (a, b) = (self.compress(a), self.compress(b));
        if a == b {
            return;
        }
        let consumed = self.consumed.get(&a).copied().unwrap_or(false)
            || self.consumed.get(&b).copied().unwrap_or(false);
        self.parent.insert(a, b);
        if consumed {
            self.consumed.insert(b, true);
        }
    }

    fn union_operand(&mut self, a: Name, b: SubExp) {
        if let SubExp::Var(b) = b {
            if self.parent.contains_key(&b) || self.parent.contains_key(&a) {
                self.union(a, b);
            }
        }
    }

    fn consume(&mut self, n: Name) {
        let root = self.compress(n);
        self.consumed.insert(root, true);
    }

    fn body<R: Rep>(&mut self, sigs: &Signatures, body: &Body<R>) {
        deep(|| {
            for stm in &body.stms {
                self.stm(sigs, stm);
            }
        });
    }

    fn lambda<R: Rep>(&mut self, sigs: &Signatures, lambda: &Lambda<R>) {
        for p in &lambda.params {
            self.add(p.name, &p.ty);
            if p.consumed {
                self.consume(p.name);
            }
        }
        self.body(sigs, &lambda.body);
    }

    fn stm<R: Rep>(&mut self, sigs: &Signatures, stm: &Stm<R>) {
        for p in &stm.pat {
            self.add(p.name, &p.ty);
        }
        let arrays: Vec<Option<Name>> = stm
            .pat
            .iter()
            .map(|p| (p.ty.is_array() || matches!(p.ty, Type::Acc(..))).then_some(p.name))
            .collect();
        let result = |i: usize| arrays.get(i).copied().flatten();
        match &stm.exp {
            Exp::Basic(b) => {
                if let (Some(r), Some(a)) = (result(0), b.shares().or(b.consumes())) {
                    self.union_operand(r, SubExp::Var(a));
                }
                b.consumes().into_iter().for_each(|a| self.consume(a));
            }
            Exp::Call(f, args) => self.call(sigs.get(f), args, &arrays),
            Exp::If(_, t, f) => {
                self.body(sigs, t);
                self.body(sigs, f);
                for (i, r) in arrays.iter().enumerate() {
                    let Some(r) = r else { continue };
                    for body in [t, f] {
                        if let Some(e) = body.result.get(i) {
                            self.union_operand(*r, *e);
                        }
                    }
                }
            }
            Exp::Loop(l) => {
                for (p, init) in &l.params {
                    self.add(p.name, &p.ty);
                    if p.ty.is_array() || matches!(p.ty, Type::Acc(..)) {
                        self.union_operand(p.name, *init);
                        if p.consumed {
                            self.consume(p.name);
                        }
                    }
                }
                self.body(sigs, &l.body);
                for (i, (p, _)) in l.params.iter().enumerate() {
                    if p.ty.is_array() || matches!(p.ty, Type::Acc(..)) {
                        if let Some(e) = l.body.result.get(i) {
                            self.union_operand(p.name, *e);
                        }
                        if let Some(r) = result(i) {
                            self.union(r, p.name);
                        }
                    }
                }
            }
            Exp::WithAcc(w) => {
                let mut at = 0;
                for (i, input) in w.inputs.iter().enumerate() {
                    for a in &input.arrays {
                        self.consume(*a);
                        if let Some(r) = result(at) {
                            self.union(r, *a);
                        }
                        at += 1;
                        if let Some(p) = w.lambda.params.get(w.inputs.len() + i) {
                            self.union(p.name, *a);
                        }
                    }
                    if let Some((op, _)) = &input.op {
                        self.lambda(sigs, op);
                    }
                }
                self.lambda(sigs, &w.lambda);
                for e in w.lambda.body.result.iter().skip(w.inputs.len()) {
                    if let Some(r) = result(at) {
                        self.union_operand(r, *e);
                    }
                    at += 1;
                }
            }
            Exp::Op(op) => match op.view() {
                OpView::Soac(soac) => self.soac(sigs, soac, &arrays),
                OpView::Seg(seg) => {
                    self.body(sigs, &seg.body.body);
                    for (_, ret) in seg.kept() {
                        if let KernelReturn::Write { array, .. } = ret {
                            self.share_all(*array, &arrays);
                        }
                    }
                    if let Some(after) = seg.after() {
                        self.lambda(sigs, &after.lambda);
                    }
                    match &seg.kind {
                        SegKind::Map => {}
                        SegKind::Red(ops) | SegKind::Scan(ops, _) => {
                            for op in ops {
                                self.lambda(sigs, &op.op);
                                self.share_operands(&op.neutral, &arrays);
                            }
                        }
                        SegKind::Hist(ops) => {
                            for op in ops {
                                self.lambda(sigs, &op.op);
                                for d in &op.dests {
                                    self.share_all(*d, &arrays);
                                }
                            }
                        }
                    }
                }
                OpView::Size(_) | OpView::Alloc(..) => {}
            },
        }
    }

    fn call(&mut self, sig: Option<&Signature>, args: &[SubExp], results: &[Option<Name>]) {
        for (i, arg) in args.iter().enumerate() {
            let SubExp::Var(a) = arg else { continue };
            if !self.parent.contains_key(a) {
                continue;
            }
            let consumed = sig.is_none_or(|s| s.consumed.get(i).copied().unwrap_or(true));
            if consumed {
                self.consume(*a);
            }
            for (k, r) in results.iter().enumerate() {
                let Some(r) = r else { continue };
                let unique = sig.is_some_and(|s| s.unique.get(k).copied().unwrap_or(false));
                if consumed || !unique {
                    self.union(*r, *a);
                }
            }
        }
    }

    /// An array that is consumed and may be any of the results.
    fn share_all(&mut self, a: Name, results: &[Option<Name>]) {
        self.consume(a);
        for r in results.iter().flatten() {
            self.union(*r, a);
        }
    }

    fn share_operands(&mut self, es: &[SubExp], results: &[Option<Name>]) {
        for e in es {
            for r in results.iter().flatten() {
                self.union_operand(*r, *e);
            }
        }
    }

    fn inputs<R: Rep>(&mut self, sigs: &Signatures, lambda: &Lambda<R>, arrays: &[Name]) {
        for (p, a) in lambda.params.iter().zip(arrays) {
            self.add(p.name, &p.ty);
            if self.parent.contains_key(&p.name) {
                self.union(p.name, *a);
            }
        }
        self.lambda(sigs, lambda);
    }

    /// The operator of a reduction, scan or histogram: its operands may be its neutral element, results of
    /// the map, or its own results.
    fn operator<R: Rep>(&mut self, sigs: &Signatures, op: &Lambda<R>, neutral: &[SubExp], values: &[SubExp]) {
        self.lambda(sigs, op);
        let k = neutral.len();
        for (i, ne) in neutral.iter().enumerate() {
            for p in [op.params.get(i), op.params.get(k + i)].into_iter().flatten() {
                if !self.parent.contains_key(&p.name) {
                    continue;
                }
                self.union_operand(p.name, *ne);
                for e in [op.body.result.get(i), values.get(i)].into_iter().flatten() {
                    self.union_operand(p.name, *e);
                }
            }
        }
    }

    fn soac<R: Rep>(&mut self, sigs: &Signatures, soac: &Soac<R>, results: &[Option<Name>]) {
        let result = |i: usize| results.get(i).copied().flatten();
        match soac {
            Soac::Screma(s) => {
                self.inputs(sigs, &s.map, &s.arrays);
                let mut at = 0;
                for scan in &s.scans {
                    let k = scan.neutral.len();
                    self.operator(sigs, &scan.op, &scan.neutral, &s.map.body.result[at..at + k]);
                    at += k;
                }
                for red in &s.reds {
                    let k = red.neutral.len();
                    self.operator(sigs, &red.op, &red.neutral, &s.map.body.result[at..at + k]);
                    for (i, ne) in red.neutral.iter().enumerate() {
                        if let Some(r) = result(at + i) {
                            self.union_operand(r, *ne);
                            self.union_operand(r, s.map.body.result[at + i]);
                        }
                    }
                    at += k;
                }
                for (i, e) in s.map.body.result.iter().enumerate().skip(at) {
                    if matches!(s.map.ret.get(i), Some(Type::Acc(..))) {
                        if let Some(r) = result(i) {
                            self.union_operand(r, *e);
                        }
                    }
                }
            }
            Soac::Hist(h) => {
                self.inputs(sigs, &h.lambda, &h.arrays);
                let mut at = 0;
                for op in &h.ops {
                    self.operator(sigs, &op.op, &op.neutral, &[]);
                    for d in &op.dests {
                        self.consume(*d);
                        if let Some(r) = result(at) {
                            self.union(r, *d);
                        }
                        at += 1;
                    }
                }
            }
            Soac::Scatter(s) => {
                self.inputs(sigs, &s.lambda, &s.arrays);
                for (i, d) in s.dests.iter().enumerate() {
                    self.consume(d.array);
                    if let Some(r) = result(i) {
                        self.union(r, d.array);
                    }
                }
            }
            Soac::Filter(f) => self.inputs(sigs, &f.lambda, &f.arrays),
            Soac::Ad(ad) => {
                for (p, e) in ad.lambda.params.iter().zip(&ad.args) {
                    self.add(p.name, &p.ty);
                    if self.parent.contains_key(&p.name) {
                        self.union_operand(p.name, *e);
                    }
                }
                self.lambda(sigs, &ad.lambda);
                for r in results.iter().flatten() {
                    for e in &ad.lambda.body.result {
                        self.union_operand(*r, *e);
                    }
                }
            }
        }
    }
}
