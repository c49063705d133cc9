//! The walk of the simplifier: statements in order, rules on each, nested
//! bodies in between.
//!
//! The engine holds what is known at the current place: how names were defined
//! (the symbol table), what stands for names that are gone (the substitution),
//! how often names are used, and facts about integers. Output goes to a stack
//! of frames, one per open body; a statement that depends on nothing in the
//! loops and lambdas around it is put into the frame outside of them, which is
//! all that hoisting takes.

use super::frame::{Frame, FrameKind, Promise};
use super::rules::{self, Rewrite};
use super::Uses;
use crate::shallow::{self, Replaced};
use fehu_algebra::Poly;
use fehu_base::prim::{IntType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Classes;
use fehu_ir::class::Class;
use fehu_ir::mem::poly;
use fehu_ir::op::{OpView, OpViewMut, RepOp};
use fehu_ir::seg::{KernelReturn, SegKind, SegSpace};
use fehu_ir::soac::Soac;
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, Visitor};
use fehu_ir::{Attr, Basic, Body, Exp, Lambda, Loc, Loop, LoopForm, Param, PatElem, Rep, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Rewrites tried on what came from one statement before it is taken as it is.
const FUEL: usize = 40;

/// How a name was defined.
#[derive(Clone, Debug)]
pub(crate) struct Def<R: Rep> {
    pub(crate) exp: Rc<Exp<R>>,
    pub(crate) certs: Rc<[Name]>,
    /// Which result of the expression it is.
    pub(crate) index: usize,
    /// Whether attributes say how it is to be run in parallel.
    pub(crate) steered: bool,
}

/// Whether an attribute asks for a version of a nest of parallelism.
fn steers_flattening(attr: &Attr) -> bool {
    match attr {
        Attr::Comp(name, _) => matches!(name.as_str(), "flattening" | "incremental_flattening"),
        Attr::Atom(_) | Attr::Int(_) => false,
    }
}

/// The simplifier at work.
#[derive(Debug)]
pub(crate) struct Engine<'a, R: Rep<Dec = ()>> {
    pub(crate) names: &'a mut NameSource,
    pub(crate) types: Types,
    pub(crate) classes: Classes,
    /// How often each name was used when the round began.
    pub(crate) uses: FxHashMap<Name, usize>,
    pub(crate) changed: bool,
    pub(crate) frames: Vec<Frame<R>>,
    pub(super) ring: FxHashMap<Name, Poly>,
    pub(super) bits: FxHashMap<Name, u32>,
    pub(super) sizes: FxHashSet<Name>,
    /// The sizes that sizes and indices are made of.
    pub(super) factors: FxHashMap<Name, Vec<Name>>,
    /// The shapes of arguments of an entry point.
    pub(super) shapes: Vec<Vec<Name>>,
    defs: FxHashMap<Name, Def<R>>,
    subst: Replaced,
    levels: FxHashMap<Name, usize>,
    /// Arrays that are others under certificates, and which.
    checked: FxHashMap<Name, Name>,
    /// The same of scalars. A size that was checked has to be seen as the size that it is: two operations
    /// over the same points may be one.
    checked_sizes: FxHashMap<Name, Name>,
    /// Certificates that the statements around depend on.
    implied: Vec<Name>,
    /// Conditions that were checked, their certificates, and whether the checks stay.
    asserted: FxHashMap<Name, (Name, bool)>,
    /// What checks that stay say of sizes where other numbers are positive, by these numbers.
    pub(super) promises: FxHashMap<Name, Vec<Promise>>,
    /// The sizes of the arguments of an entry point.
    pub(super) given: Vec<SubExp>,
    /// Parameters of loops that are, in every iteration, what they were in the beginning.
    pub(super) steady: FxHashSet<Name>,
}

impl<'a, R: Rep<Dec = ()>> Engine<'a, R> {
    /// An engine that knows nothing but the classes and uses of the function it is for.
    pub(crate) fn new(names: &'a mut NameSource, classes: Classes, uses: FxHashMap<Name, usize>) -> Self {
        Engine {
            names,
            types: Types::default(),
            classes,
            uses,
            changed: false,
            frames: vec![],
            ring: FxHashMap::default(),
            bits: FxHashMap::default(),
            sizes: FxHashSet::default(),
            factors: FxHashMap::default(),
            shapes: vec![],
            defs: FxHashMap::default(),
            subst: FxHashMap::default(),
            levels: FxHashMap::default(),
            checked: FxHashMap::default(),
            checked_sizes: FxHashMap::default(),
            implied: vec![],
            asserted: FxHashMap::default(),
            promises: FxHashMap::default(),
            given: vec![],
            steady: FxHashSet::default(),
        }
    }

    /// Simplifies the body of a function with these parameters.
    pub(crate) fn top(&mut self, params: &[Param<R>], body: Body<R>) -> Body<R> {
        self.nested(FrameKind::Top, body, |e| {
            e.bind_params(params);
            for n in std::mem::take(&mut e.given) {
                e.learn_size(n, 0);
            }
        })
    }

    /// Tells the types of the program's constants.
    pub(crate) fn know_consts(&mut self, consts: &Body<R>) {
        for stm in &consts.stms {
            for p in &stm.pat {
                self.types.insert(p.name, p.ty.clone());
                self.levels.insert(p.name, 0);
            }
        }
    }

    /// The substitution made so far, for code that uses names of a body simplified here.
    pub(crate) fn substitution(&self) -> fehu_ir::subst::Subst {
        self.subst.iter().map(|(n, e)| (*n, *e)).collect()
    }

    /// How a name was defined.
    pub(crate) fn def(&self, n: Name) -> Option<&Def<R>> {
        self.defs.get(&n)
    }

    /// How an operand was defined, if by an expression with one result and no certificates.
    pub(crate) fn pure_def(&self, e: SubExp) -> Option<Rc<Exp<R>>> {
        let def = self.defs.get(&e.name()?)?;
        (def.certs.is_empty() && def.index == 0).then(|| def.exp.clone())
    }

    /// The certificate of a condition that was checked, and whether the check stays.
    pub(crate) fn certificate(&self, cond: SubExp) -> Option<(Name, bool)> {
        self.asserted.get(&cond.name()?).copied()
    }

    /// The type of an operand.
    pub(crate) fn type_of(&self, e: SubExp) -> Option<Type> {
        fehu_ir::types::operand_type(&self.types, e)
    }

    /// How many bodies are around the binding of a name. What was not seen to be bound (it may be in a
    /// body that is not visited) counts as bound in the innermost one.
    pub(crate) fn level(&self, n: Name) -> usize {
        self.levels.get(&n).copied().unwrap_or(usize::MAX)
    }

    /// The level of what is bound now.
    pub(crate) fn here(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// Whether an operand was bound outside of bodies at this level.
    pub(crate) fn is_outer(&self, e: SubExp, level: usize) -> bool {
        e.name().is_none_or(|n| self.level(n) < level)
    }

    /// Whether the array is used at most so often in the whole function.
    pub(crate) fn used_at_most(&self, n: Name, times: usize) -> bool {
        self.uses.get(&n).is_some_and(|u| *u <= times)
    }

    /// A statement with a fresh name, to be put before what a rule rewrites.
    pub(crate) fn fresh_stm(&mut self, base: &str, ty: Type, loc: &Loc, exp: Exp<R>) -> (Name, Stm<R>) {
        let name = self.names.fresh_str(base);
        self.types.insert(name, ty.clone());
        match &exp {
            Exp::Basic(
                Basic::SubExp(SubExp::Var(a))
                | Basic::Index(a, _)
                | Basic::Rearrange(_, a)
                | Basic::Reshape(_, a),
            ) if ty.is_array() => {
                self.classes.learn(name, &[*a]);
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                self.classes.learn(name, &[])
            }
        }
        let pat = vec![PatElem { name, ty, dec: () }];
        (name, Stm { pat, certs: vec![], attrs: vec![], loc: loc.clone(), exp })
    }

    pub(super) fn bind_params(&mut self, params: &[Param<R>]) {
        for p in params {
            self.bind(p.name, &p.ty, self.here());
        }
    }

    fn bind(&mut self, n: Name, ty: &Type, level: usize) {
        self.types.insert(n, ty.clone());
        self.levels.insert(n, level);
    }

    /// Simplifies a body in a frame of its own.
    pub(crate) fn nested(
        &mut self,
        kind: FrameKind,
        body: Body<R>,
        enter: impl FnOnce(&mut Self),
    ) -> Body<R> {
        deep(|| {
            let facts = self.frames.last().map(|f| f.facts.clone()).unwrap_or_default();
            self.frames.push(Frame::new(kind, facts));
            enter(self);
            for stm in body.stms {
                self.stm(stm);
            }
            let result = body.result.iter().map(|e| self.operand(*e)).collect();
            Body { stms: self.leave().stms, result }
        })
    }

    /// Closes the innermost frame: what was learnt for it only is forgotten.
    pub(super) fn leave(&mut self) -> Frame<R> {
        let level = self.here();
        let Some(frame) = self.frames.pop() else { fehu_base::bug!("no open frame") };
        for n in &frame.scoped {
            self.bits.remove(n);
            self.sizes.remove(n);
        }
        for c in &frame.checks {
            self.asserted.remove(c);
        }
        for n in &frame.promised {
            if let Some(made) = self.promises.get_mut(n) {
                made.retain(|p| p.level != level);
            }
        }
        frame
    }

    /// What stands for an operand now.
    pub(crate) fn operand(&self, e: SubExp) -> SubExp {
        shallow::operand(&self.subst, e)
    }

    fn stm(&mut self, stm: Stm<R>) {
        let mut work = vec![(stm, Visit::Whole)];
        let mut fuel = FUEL;
        while let Some((mut stm, visit)) = work.pop() {
            match visit {
                Visit::Whole => shallow::substitute(&self.subst, &mut stm),
                Visit::Surface => shallow::substitute_deep(&self.subst, &mut stm),
            }
            self.see_through_checks(&mut stm);
            dedup(&mut stm.certs);
            if fuel > 0 {
                if let Some(rewrite) = rules::before(self, &stm) {
                    fuel -= 1;
                    self.rewrite(stm, rewrite, Visit::Whole, &mut work);
                    continue;
                }
            }
            if visit == Visit::Whole {
                let outer = self.implied.len();
                self.implied.extend(&stm.certs);
                self.descend(&mut stm.exp);
                self.implied.truncate(outer);
            }
            if fuel > 0 {
                if let Some(rewrite) = rules::after(self, &stm) {
                    fuel -= 1;
                    self.rewrite(stm, rewrite, Visit::Surface, &mut work);
                    continue;
                }
            }
            self.emit(stm);
        }
    }

    /// A statement that uses a value under a certificate may depend on the certificate itself; of scalars,
    /// only statements that make arrays may: arithmetic, and what is rewritten to arithmetic, loses its
    /// certificates, and the check would be lost with them. What the statements around depend on need not be
    /// said of other names again.
    fn see_through_checks(&mut self, stm: &mut Stm<R>) {
        let sizes = match &stm.exp {
            Exp::Op(_) => true,
            Exp::Basic(basic) => match basic.class() {
                Class::View | Class::Reshape | Class::Generate | Class::Gather | Class::Update => true,
                Class::Arithmetic | Class::Opaque | Class::Function | Class::Check | Class::Read => false,
            },
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => false,
        };
        let of_sizes = sizes.then_some(&self.checked_sizes);
        for checked in [&self.checked].into_iter().chain(of_sizes).filter(|c| !c.is_empty()) {
            for n in shallow::substitute_names(checked, stm) {
                if let Some(def) = self.defs.get(&n) {
                    stm.certs.extend(def.certs.iter());
                }
            }
        }
        if let Exp::Basic(Basic::SubExp(_)) = stm.exp {
            stm.certs.retain(|c| !self.implied.contains(c));
        }
    }

    fn rewrite(&mut self, stm: Stm<R>, rewrite: Rewrite<R>, visit: Visit, work: &mut Vec<(Stm<R>, Visit)>) {
        self.changed = true;
        match rewrite {
            Rewrite::Operands(es) => {
                let Stm { pat, certs, attrs, loc, exp: _ } = stm;
                for (p, e) in pat.into_iter().zip(es) {
                    if let Some(exp) = self.replace(&p, e, &certs) {
                        let stm = Stm {
                            pat: vec![p],
                            certs: certs.clone(),
                            attrs: attrs.clone(),
                            loc: loc.clone(),
                            exp,
                        };
                        self.emit(stm);
                    }
                }
            }
            Rewrite::Exp(exp) => {
                let new = Stm {
                    pat: stm.pat.clone(),
                    certs: stm.certs.clone(),
                    attrs: stm.attrs.clone(),
                    loc: stm.loc.clone(),
                    exp,
                };
                self.recount(&stm, std::slice::from_ref(&new), &[]);
                work.push((new, visit));
            }
            Rewrite::Stms(stms) => {
                self.recount(&stm, &stms, &[]);
                work.extend(stms.into_iter().rev().map(|s| (s, visit)));
            }
            Rewrite::Inline { stms, result } => {
                self.recount(&stm, &stms, &result);
                let certs = stm.certs;
                for mut s in stms {
                    s.certs.extend(certs.iter().copied());
                    self.stm(s);
                }
                let mut bound: Vec<(PatElem<R>, SubExp)> = stm.pat.into_iter().zip(result).collect();
                // Sizes first: the types of arrays mention them.
                bound.sort_by_key(|(p, _)| p.ty.is_array());
                for (p, e) in bound {
                    let (certs, loc) = (certs.clone(), stm.loc.clone());
                    self.stm(Stm {
                        pat: vec![p],
                        certs,
                        attrs: vec![],
                        loc,
                        exp: Exp::Basic(Basic::SubExp(e)),
                    });
                }
            }
        }
    }

    /// Lets an operand stand for a name from now on; otherwise gives the expression that must define it.
    /// The types may name equal sizes differently.
    fn replace(&mut self, p: &PatElem<R>, e: SubExp, certs: &[Name]) -> Option<Exp<R>> {
        if let (SubExp::Var(n), true) = (e, p.ty.is_array()) {
            self.classes.learn(p.name, &[n]);
        }
        if !certs.is_empty() {
            return Some(Exp::Basic(Basic::SubExp(e)));
        }
        self.subst.insert(p.name, e);
        // What used the name will use the operand.
        if let (SubExp::Var(n), Some(more)) = (e, self.uses.get(&p.name).copied()) {
            if let Some(uses) = self.uses.get_mut(&n) {
                *uses += more;
            }
        }
        None
    }

    /// Names that other statements in the place of one use more often than that one did. What is used less often
    /// is found in the next round.
    fn recount(&mut self, old: &Stm<R>, new: &[Stm<R>], results: &[SubExp]) {
        let mut more = Uses::default();
        new.iter().for_each(|s| more.stm(s));
        results.iter().filter_map(|e| e.name()).for_each(|n| *more.0.entry(n).or_default() += 1);
        let mut before = Uses::default();
        before.stm(old);
        for (n, count) in more.0 {
            let added = count.saturating_sub(before.0.get(&n).copied().unwrap_or(0));
            if let Some(uses) = self.uses.get_mut(&n) {
                *uses += added;
            }
        }
    }

    /// Simplifies the bodies in an expression.
    fn descend(&mut self, exp: &mut Exp<R>) {
        match exp {
            Exp::If(c, t, f) => {
                for (body, value) in [(t, true), (f, false)] {
                    let b = take(body);
                    **body = self.branch(*c, value, b);
                }
            }
            Exp::Loop(l) => self.descend_loop(l),
            Exp::WithAcc(w) => {
                for input in &mut w.inputs {
                    if let Some((op, _)) = &mut input.op {
                        self.lambda(op, FrameKind::Repeated, |_| {});
                    }
                }
                self.lambda(&mut w.lambda, FrameKind::Closed, |_| {});
            }
            Exp::Op(op) => match op.view_mut() {
                OpViewMut::Soac(soac) => self.descend_soac(soac),
                OpViewMut::Seg(seg) => {
                    let body = take(&mut seg.body.body);
                    let space = seg.space.clone();
                    seg.body.body = self.nested(FrameKind::Repeated, body, |e| e.point(&space));
                    self.returns(&mut seg.body.returns);
                    match &mut seg.kind {
                        SegKind::Map => {}
                        SegKind::Red(ops) | SegKind::Scan(ops, None) => {
                            for op in ops {
                                self.lambda(&mut op.op, FrameKind::Repeated, |_| {});
                            }
                        }
                        SegKind::Scan(ops, Some(after)) => {
                            for op in ops {
                                self.lambda(&mut op.op, FrameKind::Repeated, |_| {});
                            }
                            self.lambda(&mut after.lambda, FrameKind::Repeated, |e| e.point(&space));
                            self.returns(&mut after.returns);
                        }
                        SegKind::Hist(ops) => {
                            for op in ops {
                                self.lambda(&mut op.op, FrameKind::Repeated, |_| {});
                            }
                        }
                    }
                }
                OpViewMut::Size(_) | OpViewMut::Alloc(..) => {}
            },
            Exp::Basic(_) | Exp::Call(..) => {}
        }
    }

    /// The indices of a point are known to be within their bounds.
    fn point(&mut self, space: &SegSpace) {
        let level = self.here();
        self.bind(space.flat, &Type::I64, level);
        for (i, n) in &space.dims {
            self.bind(*i, &Type::I64, level);
            self.learn_index(*i, *n);
            self.keep_promises(*n);
        }
    }

    /// How results leave a kernel: in terms of what stands for names in its body.
    fn returns(&self, returns: &mut [KernelReturn]) {
        for ret in returns {
            match ret {
                KernelReturn::Elem => {}
                KernelReturn::Write { array, shape, index } => {
                    if let SubExp::Var(n) = self.operand(SubExp::Var(*array)) {
                        *array = n;
                    }
                    for e in shape.iter_mut().chain(index) {
                        *e = self.operand(*e);
                    }
                }
            }
        }
    }

    /// A branch, in which the condition is known.
    fn branch(&mut self, cond: SubExp, value: bool, body: Body<R>) -> Body<R> {
        if let SubExp::Var(c) = cond {
            self.subst.insert(c, SubExp::Const(PrimValue::Bool(value)));
        }
        let body = self.nested(FrameKind::Branch, body, |e| {
            if let Some(frame) = e.frames.last_mut() {
                frame.condition = Some(cond);
            }
            e.assume(cond, value);
        });
        if let SubExp::Var(c) = cond {
            self.subst.remove(&c);
        }
        body
    }

    fn descend_loop(&mut self, l: &mut Loop<R>) {
        let body = take(&mut l.body);
        let (params, form) = (&l.params, &l.form);
        l.body = self.nested(FrameKind::Repeated, body, |e| {
            let level = e.here();
            for (p, _) in params {
                e.bind(p.name, &p.ty, level);
            }
            match form {
                LoopForm::For { var, ty, bound } => {
                    e.bind(*var, &Type::Prim(fehu_base::prim::PrimType::Int(*ty)), level);
                    e.learn_index(*var, *bound);
                    e.runs(*bound, *ty);
                }
                LoopForm::While(_) => {}
            }
        });
    }

    fn descend_soac(&mut self, soac: &mut Soac<R>) {
        match soac {
            Soac::Screma(s) => {
                for scan in &mut s.scans {
                    self.lambda(&mut scan.op, FrameKind::Repeated, |_| {});
                }
                for red in &mut s.reds {
                    self.lambda(&mut red.op, FrameKind::Repeated, |_| {});
                }
                let (width, arrays) = (s.width, s.arrays.clone());
                self.elementwise(&mut s.map, width, &arrays);
            }
            Soac::Hist(h) => {
                for op in &mut h.ops {
                    self.lambda(&mut op.op, FrameKind::Repeated, |_| {});
                }
                let (width, arrays) = (h.width, h.arrays.clone());
                self.elementwise(&mut h.lambda, width, &arrays);
            }
            Soac::Scatter(s) => {
                let (width, arrays) = (s.width, s.arrays.clone());
                self.elementwise(&mut s.lambda, width, &arrays);
            }
            Soac::Filter(f) => {
                let (width, arrays) = (f.width, f.arrays.clone());
                self.elementwise(&mut f.lambda, width, &arrays);
            }
            Soac::Ad(ad) => self.lambda(&mut ad.lambda, FrameKind::Closed, |_| {}),
        }
    }

    /// The innermost body runs so often, and now at least once.
    fn runs(&mut self, trips: SubExp, ty: IntType) {
        if let Some(frame) = self.frames.last_mut() {
            frame.trips = Some((trips, ty));
            frame.facts.assume_lt(&Poly::zero(), &poly(trips));
        }
        self.keep_promises(trips);
    }

    /// A lambda on the elements of arrays; of the elements of an iota something is known.
    fn elementwise(&mut self, lambda: &mut Lambda<R>, width: SubExp, arrays: &[Name]) {
        let params: Vec<Name> = lambda.params.iter().map(|p| p.name).collect();
        self.lambda(lambda, FrameKind::Repeated, |e| {
            e.runs(width, IntType::I64);
            if let Some(frame) = e.frames.last_mut() {
                frame.elementwise = true;
            }
            for (p, a) in params.iter().zip(arrays) {
                e.learn_element(*p, *a);
            }
        });
    }

    fn lambda(&mut self, lambda: &mut Lambda<R>, kind: FrameKind, enter: impl FnOnce(&mut Self)) {
        let body = take(&mut lambda.body);
        let params = &lambda.params;
        lambda.body = self.nested(kind, body, |e| {
            e.bind_params(params);
            enter(e);
        });
    }

    /// Puts a statement into the output, as far outside as it may be.
    fn emit(&mut self, mut stm: Stm<R>) {
        let level = match &stm.exp {
            Exp::Basic(Basic::Assert(..)) => self.place_check(&mut stm),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                self.outermost_place(&stm)
            }
        };
        self.put(stm, level);
    }

    /// Puts a statement into the frame at this level.
    pub(super) fn put(&mut self, stm: Stm<R>, level: usize) {
        if level < self.here() {
            self.changed = true;
        }
        for p in &stm.pat {
            self.types.insert(p.name, p.ty.clone());
            self.levels.insert(p.name, level);
        }
        self.learn_sizes(&stm, level);
        self.learn_definitions(&stm, level);
        match (&stm.exp, stm.pat.as_slice()) {
            (Exp::Basic(Basic::SubExp(SubExp::Var(n))), [p]) if p.ty != Type::UNIT => {
                let checked = if p.ty.is_array() { &mut self.checked } else { &mut self.checked_sizes };
                checked.insert(p.name, *n);
            }
            (Exp::Basic(Basic::Assert(SubExp::Var(c), _, purpose)), [p]) => {
                self.asserted.insert(*c, (p.name, purpose.stays()));
                self.frames[level].checks.push(*c);
            }
            (_, _) => {}
        }
        if self.worth_remembering(&stm.exp) {
            let exp = Rc::new(stm.exp.clone());
            let certs: Rc<[Name]> = stm.certs.clone().into();
            let steered = stm.attrs.iter().any(steers_flattening);
            for (index, p) in stm.pat.iter().enumerate() {
                self.defs.insert(p.name, Def { exp: exp.clone(), certs: certs.clone(), index, steered });
            }
        }
        self.frames[level].stms.push(stm);
    }

    /// Whether rules look at how names are defined by such an expression. Large bodies are not copied.
    fn worth_remembering(&self, exp: &Exp<R>) -> bool {
        match exp {
            // A conjunction or a disjunction.
            Exp::If(_, t, f) => {
                let constant =
                    |body: &Body<R>| matches!(body.result[..], [SubExp::Const(PrimValue::Bool(_))]);
                (constant(t) || constant(f)) && t.stms.len() + f.stms.len() <= rules::MAX_COPIED
            }
            Exp::Loop(_) | Exp::WithAcc(_) | Exp::Call(..) => false,
            Exp::Op(op) => match op.view() {
                OpView::Soac(Soac::Screma(s)) => s.map.body.stms.len() <= rules::MAX_COPIED,
                OpView::Seg(seg) => rules::is_trivial_kernel(seg),
                OpView::Soac(Soac::Hist(_) | Soac::Scatter(_) | Soac::Filter(_) | Soac::Ad(_))
                | OpView::Size(_)
                | OpView::Alloc(..) => false,
            },
            Exp::Basic(_) => true,
        }
    }
}

/// How much of a statement is still to be visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Whole,
    /// Its bodies are simplified already.
    Surface,
}

/// The body, leaving an empty one.
pub(crate) fn take<R: Rep>(body: &mut Body<R>) -> Body<R> {
    std::mem::replace(body, Body { stms: vec![], result: vec![] })
}

fn dedup(certs: &mut Vec<Name>) {
    if certs.len() > 1 {
        let mut seen = FxHashSet::default();
        certs.retain(|c| seen.insert(*c));
    }
}
