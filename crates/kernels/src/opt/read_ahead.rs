//! What the steps of a loop in a thread block read from memory of the device is read before the loop, all at once.
//!
//! The threads of a block wait for each other in every step of such a loop, and so in every step for the slowest of its
//! reads. Memory of the device takes a microsecond to answer, the rest of a step a twentieth of that. But a read whose place
//! does not depend on what earlier steps computed need not wait for them: the reads of all steps can be on their way at once.
//! Threads do them before the loop, and what comes back waits in shared memory:
//!
//! ```text
//! loop (*p = p0) for i < n {                          let (ahead : [n][m]i32) = segmap in_block (f; k < n, h < m) {
//!   segmap in_block (f; g < m) {                        let (j : i64) = add_i64(k, h)
//!     let (j : i64) = add_i64(i, g)                     let (x : i32) = a[j]
//!     let (x : i32) = a[j]                      ->      return (x) }
//!     ... x ... p ...                                 loop (*p = p0) for i < n {
//!                                                       segmap in_block (f; g < m) {
//!                                                         let (x : i32) = ahead[i, g]
//!                                                         ... x ... p ...
//! ```
//!
//! A read under a condition moves along with the condition, so that exactly those elements are read that were read before;
//! if the condition depends on earlier steps, it stays. It stays also if it is the same in all steps (then it is in the cache
//! of the block's processor after the first one), or if a check in the loop goes before it. There must be room for it: the
//! numbers of steps and points have bounds that are known here, and small.
//!
//! Before: blocks and what runs in them are as they will be. After: the same, with more operations in blocks; their sizes
//! are known to the host, like those of all others.

use fehu_algebra::{Facts, Poly};
use fehu_analysis::Known;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::read_ahead;
use fehu_base::{Name, NameSource};
use fehu_ir::build::plain;
use fehu_ir::class::Class;
use fehu_ir::free::free_in_stm;
use fehu_ir::mem::poly;
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::subst::{rename_body, Subst};
use fehu_ir::types::array_of_rows;
use fehu_ir::visit::{deep, look, map_bodies, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Loop, LoopForm, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reads of the steps of a block's loop are done before it.
pub const PASS: Pass<Prog<Kernels>> = Pass { name: "read-ahead", need: Need::Optional, run };

fn run(prog: &mut Prog<Kernels>) {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut ahead = Ahead { names, facts: Facts::new() };
    for fun in &mut prog.funs {
        ahead.facts = Known::of_fun(fun).facts();
        ahead.host(&mut fun.body);
    }
    prog.names = ahead.names;
}

struct Ahead {
    names: NameSource,
    /// What is known of sizes everywhere in the function.
    facts: Facts,
}

impl Ahead {
    /// Finds the operations of blocks in code of the host.
    fn host(&mut self, body: &mut Body<Kernels>) {
        deep(|| {
            for mut stm in std::mem::take(&mut body.stms) {
                match &mut stm.exp {
                    Exp::Op(KernelsOp::Seg(seg)) if seg.level == SegLevel::Block => {
                        let mut block = Block::of(&seg.body.body, self);
                        block.body(&mut seg.body.body, 0);
                        body.stms.append(&mut block.host);
                    }
                    Exp::Op(_) => {}
                    exp @ (Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_)) => {
                        map_bodies(exp, &mut |b| self.host(b))
                    }
                }
                body.stms.push(stm);
            }
        });
    }

    /// A constant that a size does not exceed, if it is small.
    fn most(&self, n: SubExp) -> Option<i64> {
        let mut most = 1;
        while most <= read_ahead::BYTES {
            if self.facts.le(&poly(n), &Poly::constant(most)) {
                return Some(most);
            }
            most *= 2;
        }
        None
    }
}

/// What is known of the code of a block.
struct Block<'a> {
    ahead: &'a mut Ahead,
    /// The names that are bound in it, and in how many of its loops.
    loops: FxHashMap<Name, usize>,
    /// Arrays of the block that are parts of others in memory of the device.
    parts: FxHashSet<Name>,
    /// Bytes of shared memory that are left.
    room: i64,
    /// Sizes, computed by the host.
    host: Vec<Stm<Kernels>>,
}

impl<'a> Block<'a> {
    fn of(body: &Body<Kernels>, ahead: &'a mut Ahead) -> Block<'a> {
        let mut bindings = Bindings { around: 0, loops: FxHashMap::default() };
        bindings.body(body);
        let (parts, room) = (FxHashSet::default(), read_ahead::BYTES);
        Block { ahead, loops: bindings.loops, parts, room, host: vec![] }
    }

    /// Code of the block, in so many of its loops.
    fn body(&mut self, body: &mut Body<Kernels>, around: usize) {
        deep(|| {
            for mut stm in std::mem::take(&mut body.stms) {
                match &mut stm.exp {
                    Exp::Loop(l) => {
                        let before = self.reads_of(l, &stm.certs, around);
                        body.stms.extend(before);
                        self.body(&mut l.body, around + 1);
                    }
                    Exp::Basic(_) => {
                        self.is_part(&stm);
                    }
                    exp @ (Exp::If(..) | Exp::Call(..) | Exp::WithAcc(_)) => {
                        map_bodies(exp, &mut |b| self.body(b, around))
                    }
                    Exp::Op(_) => {}
                }
                body.stms.push(stm);
            }
        });
    }

    /// Whether a statement gives part of an array in memory of the device another name.
    fn is_part(&mut self, stm: &Stm<Kernels>) -> bool {
        let Some(basic) = stm.exp.basic() else { return false };
        let view = matches!(basic.class(), Class::Read | Class::View);
        let [p] = &stm.pat[..] else { return false };
        let part = view && p.ty.is_array() && basic.shares().is_some_and(|a| self.is_in_device(a));
        if part {
            self.parts.insert(p.name);
        }
        part
    }

    /// Whether an array is in memory of the device, and not made by the block.
    fn is_in_device(&self, array: Name) -> bool {
        !self.loops.contains_key(&array) || self.parts.contains(&array)
    }

    /// The operations that do the reads of a loop, which reads their results instead.
    fn reads_of(&mut self, l: &mut Loop<Kernels>, certs: &[Name], around: usize) -> Vec<Stm<Kernels>> {
        let LoopForm::For { var, ty, bound } = l.form else { return vec![] };
        let known_to_host = bound.name().is_none_or(|n| !self.loops.contains_key(&n));
        let steps = if known_to_host { self.ahead.most(bound) } else { None };
        let Some(steps) = steps else { return vec![] };
        let mut out: Vec<Stm<Kernels>> = vec![];
        let mut count = None;
        let mut scope = Scope { around, same: FxHashSet::default(), varying: FxHashSet::default() };
        scope.same.insert(var);
        scope.varying.insert(var);
        // What runs in each step for all points.
        let mut common: Vec<Stm<Kernels>> = vec![];
        for stm in &mut l.body.stms {
            if self.is_free(&scope, stm) && (is_scalar(stm) || self.is_part(stm)) {
                scope.add(stm);
                common.push(stm.clone());
                continue;
            }
            let loc = stm.loc.clone();
            let fixed = stm.certs.iter().all(|c| self.is_known(&scope, *c));
            let Exp::Op(KernelsOp::Seg(seg)) = &mut stm.exp else { continue };
            let Some(points) = self.most_points(&seg.space).filter(|_| fixed) else { continue };
            let mut inner = scope.clone();
            inner.same.extend(seg.space.dims.iter().map(|d| d.0));
            let mut part = self.part(&seg.body.body, &mut inner, steps.saturating_mul(points));
            part.only_used_in(&seg.body.body);
            if part.reads.is_empty() {
                continue;
            }
            part.stms.splice(0..0, common.iter().cloned());
            let n = *count.get_or_insert_with(|| self.count(bound, ty));
            let op = self.operation(part, n, (var, ty), seg);
            let mut made = Stm { loc, certs: certs.to_vec(), ..op.stm };
            made.certs.extend(stm.certs.iter().filter(|c| !certs.contains(c)));
            out.push(made);
            self.replace(&mut seg.body.body, &op.arrays, (var, ty), &seg.space);
        }
        out
    }

    /// The most points that an index space has, if that is known; the host knows their number.
    fn most_points(&self, space: &SegSpace) -> Option<i64> {
        let mut points = 1i64;
        for (_, n) in &space.dims {
            if n.name().is_some_and(|n| self.loops.contains_key(&n)) {
                return None;
            }
            points = points.saturating_mul(self.ahead.most(*n)?);
        }
        Some(points)
    }

    /// The number of steps, which a bound below zero is not. The host computes it.
    fn count(&mut self, bound: SubExp, ty: IntType) -> SubExp {
        let mut n = bound;
        let mut bind = |names: &mut NameSource, exp| {
            let name = names.fresh_str("steps");
            self.host.push(plain(name, Type::I64, Exp::Basic(exp)));
            SubExp::Var(name)
        };
        if let Some(n) = n.as_i64() {
            return SubExp::i64(n.max(0));
        }
        if ty != IntType::I64 {
            n = bind(&mut self.ahead.names, Basic::Conv(ConvOp::SExt(ty, IntType::I64), n));
        }
        if !self.ahead.facts.nonneg(&poly(bound)) {
            let zero = SubExp::i64(0);
            n = bind(&mut self.ahead.names, Basic::BinOp(BinOp::SMax(IntType::I64), zero, n));
        }
        n
    }

    /// Whether a name has its value before the loop, or can be computed there for each step and point.
    fn is_known(&self, scope: &Scope, name: Name) -> bool {
        self.loops.get(&name).is_none_or(|n| *n <= scope.around) || scope.same.contains(&name)
    }

    /// Whether all that a statement depends on is known.
    fn is_free(&self, scope: &Scope, stm: &Stm<Kernels>) -> bool {
        free_in_stm(stm).into_iter().all(|n| self.is_known(scope, n))
    }

    /// The part of a body that does the reads which can be done ahead, of so many points in all.
    fn part(&mut self, body: &Body<Kernels>, scope: &mut Scope, points: i64) -> Part {
        let mut part = Part::default();
        for stm in &body.stms {
            match &stm.exp {
                Exp::Basic(Basic::Index(array, slice)) if self.is_free(scope, stm) => {
                    let [p] = &stm.pat[..] else { continue };
                    let Type::Prim(elem) = p.ty else { continue };
                    let differs = scope.varies((*array).into())
                        || slice.iter().any(|d| matches!(d, DimIndex::Fix(i) if scope.varies(*i)));
                    let bytes = points.saturating_mul(elem.bytes() as i64);
                    if differs && self.is_in_device(*array) && bytes <= self.room {
                        self.room -= bytes;
                        part.reads.push(Read { name: p.name, value: p.name.into(), elem });
                    }
                    scope.add(stm);
                    part.stms.push(stm.clone());
                }
                Exp::If(c, yes, no) if c.name().is_none_or(|c| self.is_known(scope, c)) => {
                    let known = stm.certs.iter().all(|c| self.is_known(scope, *c));
                    if known {
                        let yes = deep(|| self.part(yes, &mut scope.clone(), points));
                        let no = deep(|| self.part(no, &mut scope.clone(), points));
                        part.branches(&mut self.ahead.names, stm, *c, yes, no);
                    }
                }
                Exp::Basic(_) if is_scalar(stm) && self.is_free(scope, stm) => {
                    scope.add(stm);
                    part.stms.push(stm.clone());
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                }
            }
        }
        part
    }

    /// The operation that does the reads of all steps.
    fn operation(
        &mut self,
        part: Part,
        steps: SubExp,
        (var, ty): (Name, IntType),
        seg: &SegOp<Kernels>,
    ) -> Operation {
        let names = &mut self.ahead.names;
        let step = names.fresh_str("step");
        let mut dims = vec![(step, steps)];
        let mut subst = Subst::new();
        let mut stms = vec![];
        if ty == IntType::I64 {
            subst.insert(var, step);
        } else {
            let narrow = names.fresh_str("step");
            let exp = Exp::Basic(Basic::Conv(ConvOp::SExt(IntType::I64, ty), step.into()));
            stms.push(plain(narrow, Type::Prim(PrimType::Int(ty)), exp));
            subst.insert(var, narrow);
        }
        for (i, n) in &seg.space.dims {
            let fresh = names.fresh_str("at");
            subst.insert(*i, fresh);
            dims.push((fresh, *n));
        }
        let result = part.reads.iter().map(|r| r.value).collect();
        let mut body = rename_body(names, &needed(Body { stms: part.stms, result }));
        subst.body(&mut body);
        stms.append(&mut body.stms);
        body.stms = stms;
        let shape: Vec<SubExp> = dims.iter().map(|d| d.1).collect();
        let types: Vec<Type> = part.reads.iter().map(|r| Type::Prim(r.elem)).collect();
        let mut pat = vec![];
        let mut arrays = FxHashMap::default();
        for (read, ty) in part.reads.iter().zip(&types) {
            let name = names.fresh_str("ahead");
            arrays.insert(read.name, name);
            pat.extend(
                plain::<Kernels>(name, array_of_rows(ty, &shape), Exp::Basic(Basic::SubExp(steps))).pat,
            );
        }
        let seg = SegOp {
            level: SegLevel::InBlock,
            space: SegSpace { flat: names.fresh_str("flat"), dims },
            body: KernelBody { returns: types.iter().map(|_| KernelReturn::Elem).collect(), body },
            types,
            kind: SegKind::Map,
            virtualise: true,
            grid: None,
            schedule: None,
        };
        let stm = Stm { pat, ..plain(seg.space.flat, Type::I64, Exp::Op(KernelsOp::Seg(seg))) };
        Operation { stm, arrays }
    }

    /// Reads from the arrays what was read from memory of the device.
    fn replace(
        &mut self,
        body: &mut Body<Kernels>,
        arrays: &FxHashMap<Name, Name>,
        (var, ty): (Name, IntType),
        space: &SegSpace,
    ) {
        let mut step = var;
        if ty != IntType::I64 {
            step = self.ahead.names.fresh_str("step");
            let exp = Exp::Basic(Basic::Conv(ConvOp::SExt(ty, IntType::I64), var.into()));
            body.stms.insert(0, plain(step, Type::I64, exp));
        }
        let indices = [step].into_iter().chain(space.dims.iter().map(|d| d.0));
        let at: Vec<DimIndex> = indices.map(|i| DimIndex::Fix(i.into())).collect();
        put(body, arrays, &at);
    }
}

fn put(body: &mut Body<Kernels>, arrays: &FxHashMap<Name, Name>, at: &[DimIndex]) {
    for stm in &mut body.stms {
        match stm.pat.first().and_then(|p| arrays.get(&p.name)) {
            Some(array) => {
                stm.certs.clear();
                stm.exp = Exp::Basic(Basic::Index(*array, at.to_vec()));
            }
            None => map_bodies(&mut stm.exp, &mut |b| deep(|| put(b, arrays, at))),
        }
    }
}

/// Whether a statement computes a scalar from scalars, without effects.
fn is_scalar(stm: &Stm<Kernels>) -> bool {
    let arithmetic = |b: &Basic| matches!(b.class(), Class::Arithmetic | Class::Function);
    stm.exp.basic().is_some_and(arithmetic) && stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)))
}

/// The statements of a body that its results depend on.
fn needed(body: Body<Kernels>) -> Body<Kernels> {
    let mut names: FxHashSet<Name> = body.result.iter().filter_map(|e| e.name()).collect();
    let mut stms = vec![];
    for stm in body.stms.into_iter().rev() {
        if stm.pat.iter().any(|p| names.contains(&p.name)) {
            names.extend(free_in_stm(&stm));
            stms.push(stm);
        }
    }
    stms.reverse();
    Body { stms, result: body.result }
}

/// What has a value, at some place in a loop, that does not depend on earlier steps.
#[derive(Clone)]
struct Scope {
    /// How many loops of the block are around the loop.
    around: usize,
    /// The names inside of the loop that do not depend on earlier steps.
    same: FxHashSet<Name>,
    /// Those of them that depend on the number of the step.
    varying: FxHashSet<Name>,
}

impl Scope {
    fn add(&mut self, stm: &Stm<Kernels>) {
        let varies = free_in_stm(stm).iter().any(|n| self.varying.contains(n));
        for p in &stm.pat {
            self.same.insert(p.name);
            if varies {
                self.varying.insert(p.name);
            }
        }
    }

    fn varies(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| self.varying.contains(&n))
    }
}

/// Part of a body: some of its statements, and the reads among them that are done ahead.
#[derive(Default)]
struct Part {
    stms: Vec<Stm<Kernels>>,
    reads: Vec<Read>,
}

/// A read that is done ahead.
struct Read {
    /// What the loop calls the element.
    name: Name,
    /// What it is in the part.
    value: SubExp,
    elem: PrimType,
}

impl Part {
    /// Drops reads that say nothing but where others are.
    fn only_used_in(&mut self, body: &Body<Kernels>) {
        let reads: FxHashSet<Name> = self.reads.iter().map(|r| r.name).collect();
        let mut unused = FxHashSet::default();
        let mut used: FxHashSet<Name> = body.result.iter().filter_map(|e| e.name()).collect();
        for stm in body.stms.iter().rev() {
            let read = stm.pat.iter().find(|p| reads.contains(&p.name));
            let is_used = !is_scalar(stm) || stm.pat.iter().any(|p| used.contains(&p.name));
            match read {
                Some(p) if !used.contains(&p.name) => {
                    unused.insert(p.name);
                }
                None if is_used => used.extend(free_in_stm(stm)),
                Some(_) | None => {}
            }
        }
        self.reads.retain(|r| !unused.contains(&r.name));
    }

    /// Adds the reads of the branches of a conditional.
    fn branches(&mut self, names: &mut NameSource, stm: &Stm<Kernels>, c: SubExp, yes: Part, no: Part) {
        if yes.reads.is_empty() && no.reads.is_empty() {
            return;
        }
        let blank = |r: &Read| SubExp::Const(r.elem.blank());
        let first = yes.reads.iter().map(|r| r.value).chain(no.reads.iter().map(blank)).collect();
        let second = yes.reads.iter().map(blank).chain(no.reads.iter().map(|r| r.value)).collect();
        let bodies = [(yes.stms, first), (no.stms, second)];
        let [then, otherwise] = bodies.map(|(stms, result)| Box::new(needed(Body { stms, result })));
        let mut pat = vec![];
        for read in yes.reads.into_iter().chain(no.reads) {
            let value = names.fresh_str("read");
            let ty = Type::Prim(read.elem);
            pat.extend(plain::<Kernels>(value, ty, Exp::Basic(Basic::SubExp(c))).pat);
            self.reads.push(Read { value: value.into(), ..read });
        }
        let exp = Exp::If(c, then, otherwise);
        self.stms.push(Stm { pat, certs: stm.certs.clone(), attrs: vec![], loc: stm.loc.clone(), exp });
    }
}

/// The operation that does reads ahead, and the array of each of them.
struct Operation {
    stm: Stm<Kernels>,
    arrays: FxHashMap<Name, Name>,
}

/// The names that a block binds, with the number of its loops around them.
struct Bindings {
    around: usize,
    loops: FxHashMap<Name, usize>,
}

impl Visitor<Kernels> for Bindings {
    fn bound(&mut self, n: &Name) {
        self.loops.insert(*n, self.around);
    }

    fn exp(&mut self, exp: &Exp<Kernels>) {
        let inside = usize::from(matches!(exp, Exp::Loop(_) | Exp::Op(_)));
        self.around += inside;
        look::exp(self, exp);
        self.around -= inside;
    }
}
