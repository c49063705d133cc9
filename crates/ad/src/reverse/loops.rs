//! Loops. The forward sweep saves the parameters at the beginning of each iteration; the return sweep goes
//! through the iterations from the last to the first, with the parameters as they were.
//!
//! ```text
//! let (y) = loop (v = x) for i < n { .. sin(v * a) .. }
//!
//! let (y, saved) = loop (v = x, s = scratch) for i < n { let (s2) = s with [i] = v  .. }
//! let (x', a') = loop (v' = y', sum = a') for j < n {
//!   let (i) = n - 1 - j   let (v) = saved[i]   .. both sweeps of the body ..   return (the adjoint of v, a'') }
//! ```
//!
//! What is saved and not read again is dead, and goes. Nothing is saved of the arrays of a loop with
//! `#[true_dep]`: the last array has what was read. Arrays whose size changes from iteration to iteration are
//! saved one after the other in one array, the size of which a first run of the loop finds out; places are
//! saved beside it. Their adjoints change their size, too.

use super::adjoints::Adjoint;
use super::control::like;
use super::strips::{has, is};
use super::undo::{Log, Writing};
use super::Reverse;
use crate::explain::{Note, Way};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::free::{free_in_stm, free_in_type};
use fehu_ir::seg::RUNS;
use fehu_ir::subst::Subst;
use fehu_ir::{
    Attr, Basic, Body, DimIndex, Exp, Lambda, Loc, Loop, LoopForm, Param, PatElem, Soacs, Stm, SubExp, Type,
};
use rustc_hash::FxHashSet;

/// What the forward sweep of a loop saved.
pub(crate) struct Saved {
    /// The number of iterations.
    count: SubExp,
    /// For each parameter.
    stores: Vec<Store>,
}

/// Where the values of a parameter are.
enum Store {
    Nowhere,
    /// One row for each iteration.
    Rows(Name),
    /// One after the other, from these places on.
    Flat(Name, Name),
    /// What each iteration overwrites.
    Log(Log),
    /// Not saved: no element is overwritten after it was read, so the last array has what was read.
    Last(Name),
}

/// The state of the loop of the return sweep, in order.
struct Carried {
    params: Vec<Param<Soacs>>,
    inits: Vec<SubExp>,
}

impl Reverse<'_> {
    /// Whether a loop saves something, and of all that it saves one value in each step, of a size that stays.
    pub(super) fn saves_rows(&self, attrs: &[Attr], l: &Loop<Soacs>) -> bool {
        let saved = |p: &Param<Soacs>| p.ty.elem().is_some() && p.ty != Type::UNIT;
        let varying = varying(l);
        let is_row = |k: usize| {
            let is_last = has(attrs, TRUE_DEP) && l.params[k].0.ty.is_array();
            !varying[k] && !is_last && !self.has_log(l, k)
        };
        let mut all = (0..l.params.len()).filter(|k| saved(&l.params[*k].0)).peekable();
        all.peek().is_some() && all.all(is_row)
    }

    /// A loop that saves its parameters.
    pub(super) fn forward_loop(&mut self, stm: &Stm<Soacs>, l: &Loop<Soacs>) -> Saved {
        let LoopForm::For { var, ty, bound } = l.form else { fehu_base::bug!("a loop without a count") };
        let count = self.iterations(ty, bound);
        let varying = varying(l);
        let mut l = l.clone();
        let mut pat = stm.pat.clone();
        let (mut stores, mut flats, mut logs) = (vec![], vec![], vec![]);
        let never_overwritten = has(&stm.attrs, TRUE_DEP);
        for (k, (p, _)) in l.params.iter().enumerate() {
            let Some(prim) = p.ty.elem().filter(|_| p.ty != Type::UNIT) else {
                stores.push(Store::Nowhere);
                continue;
            };
            match varying[k] {
                true => {
                    flats.push((k, prim));
                    stores.push(Store::Nowhere);
                }
                false if never_overwritten && p.ty.is_array() => stores.push(Store::Last(stm.pat[k].name)),
                false if self.has_log(&l, k) => {
                    logs.push(k);
                    stores.push(Store::Nowhere);
                }
                false => stores.push(Store::Rows(p.name)),
            }
        }
        let totals = match flats.is_empty() {
            true => vec![],
            false => self.totals(&l, &flats.iter().map(|(k, _)| *k).collect::<Vec<_>>()),
        };
        self.b.begin();
        let i = self.extended(ty, var.into());
        let mut news: Vec<(Param<Soacs>, SubExp)> = vec![];
        let mut results = vec![];
        let own = l.params.clone();
        for (store, (p, _)) in stores.iter_mut().zip(&own) {
            if let Store::Rows(of) = store {
                let all = p.ty.array_of(&[count]);
                let room = self.b.param("saved", all.clone());
                results.push(self.save_row(room.name, i, SubExp::Var(*of)));
                *store = Store::Rows(self.saved(&mut news, &mut pat, room, all));
            }
        }
        for ((k, prim), total) in flats.iter().zip(&totals) {
            let (buffer, places) = (Type::Array(*prim, vec![*total]), Type::I64.array_of(&[count]));
            let room = self.b.param("saved", buffer.clone());
            let at = self.b.param("places", places.clone());
            let used = self.b.param("used", Type::I64);
            let p = &own[*k].0;
            let (filled, marked, next) = self.save_flat(p, (room.name, at.name, used.name), i);
            results.extend([filled, marked, next]);
            let room = self.saved(&mut news, &mut pat, room, buffer);
            let at = self.saved(&mut news, &mut pat, at, places);
            self.saved(&mut news, &mut pat, used, Type::I64);
            stores[*k] = Store::Flat(room, at);
        }
        let Body { stms: saving, .. } = self.b.end(vec![]);
        for k in logs {
            let mut w = Writing { count, i, news: &mut news, pat: &mut pat, results: &mut results };
            stores[k] = Store::Log(self.write_log(&mut l, k, &mut w));
        }
        for (p, init) in &mut news {
            if let Type::Array(prim, shape) = &p.ty {
                let scratch = Basic::Scratch(*prim, shape.clone());
                *init = self.b.bind("room", p.ty.clone(), Exp::Basic(scratch)).into();
            }
        }
        for (store, (p, _)) in stores.iter().zip(&own) {
            self.note(&stm.loc, store, &p.ty);
        }
        l.params.extend(news);
        l.body.stms.splice(0..0, saving);
        l.body.result.extend(results);
        let mut attrs = stm.attrs.clone();
        let rest = self.without_last(stm, &stores, count);
        if let (Some(steps), LoopForm::For { bound, .. }) = (rest, &mut l.form) {
            *bound = steps;
            attrs.retain(|a| !is(a, RUNS));
        }
        let lasts: Vec<Name> = pat.iter().map(|p| p.name).collect();
        self.primal(Stm { pat, attrs, exp: Exp::Loop(Box::new(l)), ..stm.clone() });
        if let Some(at) = rest {
            for (store, last) in stores.iter_mut().zip(lasts) {
                if let Store::Rows(room) = store {
                    if let SubExp::Var(all) = self.save_row(*room, at, last.into()) {
                        *room = all;
                    }
                }
            }
        }
        Saved { count, stores }
    }

    /// All steps but the last, of a loop that has one, where these save all states and the results of the last step
    /// have no use.
    fn without_last(&mut self, stm: &Stm<Soacs>, stores: &[Store], count: SubExp) -> Option<SubExp> {
        let rows = stores.iter().all(|s| matches!(s, Store::Rows(_) | Store::Nowhere));
        let unused = stm.pat.iter().all(|p| self.unused.contains(&p.name));
        (rows && unused && has(&stm.attrs, RUNS)).then(|| self.b.sub64(count, SubExp::i64(1)))
    }

    /// Notes what is saved of a parameter.
    fn note(&mut self, loc: &Loc, store: &Store, ty: &Type) {
        let (way, arrays) = match store {
            Store::Nowhere => return,
            Store::Rows(all) => (Way::Values, vec![(*all, ty.clone())]),
            Store::Flat(all, places) => {
                (Way::ValuesOfChangingSize, vec![(*all, ty.clone()), (*places, Type::I64)])
            }
            Store::Log(log) => (Way::Overwritten, log.arrays()),
            Store::Last(last) => (Way::AtTheEnd, vec![(*last, Type::UNIT)]),
        };
        self.notes.push(Note { loc: loc.clone(), way, arrays });
    }

    /// One more parameter of a loop, and the name of what it is in the end.
    pub(super) fn saved(
        &mut self,
        news: &mut Vec<(Param<Soacs>, SubExp)>,
        pat: &mut Vec<PatElem<Soacs>>,
        param: Param<Soacs>,
        ty: Type,
    ) -> Name {
        let name = self.b.fresh("saved", ty.clone());
        pat.push(PatElem { name, ty, dec: () });
        news.push((Param { consumed: true, ..param }, SubExp::i64(0)));
        name
    }

    fn save_row(&mut self, room: Name, i: SubExp, value: SubExp) -> SubExp {
        let ty = self.b.type_of(room.into());
        let slice = Self::row_slice(&ty, i);
        self.update(room, &slice, value)
    }

    fn save_flat(
        &mut self,
        p: &Param<Soacs>,
        (room, places, used): (Name, Name, Name),
        i: SubExp,
    ) -> (SubExp, SubExp, SubExp) {
        let shape = p.ty.shape().to_vec();
        let len = self.b.product(&shape);
        let Some(prim) = p.ty.elem() else { fehu_base::bug!("an array of nothing") };
        let flat = Basic::Reshape(vec![len], p.name);
        let flat = self.b.bind("flat", Type::Array(prim, vec![len]), Exp::Basic(flat));
        let slice = [DimIndex::Slice { start: used.into(), len, stride: SubExp::i64(1) }];
        let filled = self.update(room, &slice, flat.into());
        let marked = self.update(places, &[DimIndex::Fix(i)], used.into());
        let next = self.b.add64(used.into(), len);
        (filled, marked, next)
    }

    /// How many elements some of the parameters of a loop have in all iterations.
    fn totals(&mut self, l: &Loop<Soacs>, which: &[usize]) -> Vec<SubExp> {
        let (mut copy, _) = self.loop_again(l);
        let mut results = vec![];
        let mut news = vec![];
        self.b.begin();
        for k in which {
            let total = self.b.param("total", Type::I64);
            let shape = copy.params[*k].0.ty.shape().to_vec();
            let len = self.b.product(&shape);
            results.push(self.b.add64(total.name.into(), len));
            news.push((total, SubExp::i64(0)));
        }
        let Body { stms, .. } = self.b.end(vec![]);
        copy.body.stms.splice(0..0, stms);
        copy.params.extend(news);
        copy.body.result.extend(results);
        let made = self.emit_loop(copy);
        made[made.len() - which.len()..].iter().map(|n| SubExp::Var(*n)).collect()
    }

    /// A loop whose results have the types of its parameters.
    pub(super) fn emit_loop(&mut self, l: Loop<Soacs>) -> Vec<Name> {
        let pat: Vec<(Name, Name, Type)> =
            l.params.iter().map(|(p, _)| (p.name, self.b.names.fresh_like(p.name), p.ty.clone())).collect();
        let subst: Subst = pat.iter().map(|(p, n, _)| (*p, SubExp::Var(*n))).collect();
        let pat: Vec<PatElem<Soacs>> = pat
            .into_iter()
            .map(|(_, name, mut ty)| {
                subst.ty(&mut ty);
                self.b.types.insert(name, ty.clone());
                PatElem { name, ty, dec: () }
            })
            .collect();
        let names = pat.iter().map(|p| p.name).collect();
        let loc = self.b.loc.clone();
        self.primal(Stm {
            pat,
            certs: self.b.certs.clone(),
            attrs: vec![],
            loc,
            exp: Exp::Loop(Box::new(l)),
        });
        names
    }

    /// A copy of a loop with names of its own; the name of its counter, if it has one.
    pub(super) fn loop_again(&mut self, l: &Loop<Soacs>) -> (Loop<Soacs>, Option<Name>) {
        let mut params: Vec<Param<Soacs>> = l.params.iter().map(|(p, _)| p.clone()).collect();
        if let LoopForm::For { var, ty, .. } = &l.form {
            params.push(Param { name: *var, ty: Type::Prim(PrimType::Int(*ty)), dec: (), consumed: false });
        }
        let lambda = Lambda { params, body: l.body.clone(), ret: vec![] };
        let Lambda { mut params, body, .. } = self.again_lambda(&lambda);
        let (form, var) = match &l.form {
            LoopForm::For { ty, bound, .. } => {
                let var = params.pop().map(|p| p.name);
                let Some(name) = var else { fehu_base::bug!("a loop without a counter") };
                (LoopForm::For { var: name, ty: *ty, bound: *bound }, var)
            }
            LoopForm::While(cond) => {
                let at = l.params.iter().position(|(p, _)| p.name == *cond);
                let name = at.and_then(|at| params.get(at)).map(|p| p.name);
                (LoopForm::While(name.unwrap_or(*cond)), None)
            }
        };
        let params = params.into_iter().zip(l.params.iter().map(|(_, e)| *e)).collect();
        (Loop { params, form, body }, var)
    }

    /// How often a loop runs.
    pub(super) fn iterations(&mut self, ty: IntType, bound: SubExp) -> SubExp {
        let n = self.extended(ty, bound);
        match n.as_i64() {
            Some(n) => SubExp::i64(n.max(0)),
            None => self.b.bin(BinOp::SMax(IntType::I64), n, SubExp::i64(0)),
        }
    }

    fn extended(&mut self, ty: IntType, e: SubExp) -> SubExp {
        match ty {
            IntType::I64 => e,
            IntType::I8 | IntType::I16 | IntType::I32 => self.b.conv(ConvOp::SExt(ty, IntType::I64), e),
        }
    }

    // The return sweep.

    pub(super) fn loop_(
        &mut self,
        l: Loop<Soacs>,
        saved: &Saved,
        pat: &[PatElem<Soacs>],
        seeds: &[Option<SubExp>],
    ) {
        self.notes.push(Note { loc: self.b.loc.clone(), way: Way::Again, arrays: vec![] });
        let varying = varying(&l);
        let (copy, var) = self.loop_again(&l);
        let with: Vec<usize> =
            (0..seeds.len()).filter(|k| self.has_adjoint(copy.params[*k].0.name)).collect();
        let frees: Vec<Name> = self
            .free(&copy.body)
            .into_iter()
            .filter(|n| copy.params.iter().all(|(p, _)| p.name != *n))
            .collect();
        let mut sizes = Carried { params: vec![], inits: vec![] };
        let mut own = Carried { params: vec![], inits: vec![] };
        for k in &with {
            let (p, of) = (&copy.params[*k].0, &pat[*k].ty);
            let init = match seeds[*k] {
                Some(seed) => self.as_type(seed, of),
                None => self.zero(of),
            };
            let ty = match varying[*k] {
                false => p.ty.clone(),
                true => self.carried_type(&mut sizes, of),
            };
            own.params.push(Param { consumed: !matches!(ty, Type::Prim(_)), ..self.b.param("adj", ty) });
            own.inits.push(init);
        }
        let given: Vec<Adjoint> = frees.iter().map(|n| self.adjoint_of(*n)).collect();
        let mut through = Carried { params: vec![], inits: vec![] };
        for g in &given {
            let ty = self.b.type_of(g.operand());
            through.params.push(Param { consumed: !matches!(ty, Type::Prim(_)), ..self.b.param("adj", ty) });
            through.inits.push(g.operand());
        }
        let mut arrays = Carried { params: vec![], inits: vec![] };
        let mut logged = vec![];
        for (k, store) in saved.stores.iter().enumerate() {
            if let Store::Log(_) = store {
                let p = self.b.param("now", copy.params[k].0.ty.clone());
                logged.push((k, p.name));
                arrays.params.push(Param { consumed: true, ..p });
                arrays.inits.push(pat[k].name.into());
            }
        }
        let j = self.b.fresh("j", Type::I64);
        let inner =
            frees.iter().copied().zip(given.iter().zip(&through.params).map(|(g, p)| like(*g, p.name)));
        let outer = std::mem::replace(&mut self.adjoints, inner.collect());
        let body = self.nested(|r| {
            let last = r.b.sub64(saved.count, SubExp::i64(1));
            let i = r.b.sub64(last, j.into());
            if let (Some(var), LoopForm::For { ty, .. }) = (var, &copy.form) {
                r.count(var, *ty, i);
            }
            let before = r.restore(&copy, saved, i, &logged);
            let results = copy.body.result.clone();
            let mut given = vec![None; results.len()];
            with.iter().zip(&own.params).for_each(|(k, p)| given[*k] = Some(SubExp::Var(p.name)));
            r.unused.extend(only_results(&copy.body));
            r.sweeps(copy.body.clone(), &given);
            let own = r.of_iteration(&copy, &varying, &with, &frees);
            before.into_iter().chain(own).collect()
        });
        self.adjoints = outer;
        let parts = LoopParts { l: &l, with: &with, frees: &frees, given: &given };
        self.assemble(&parts, saved.count, j, [arrays, sizes, own, through], body);
    }

    /// Parameters for the sizes of an adjoint that changes its size; its type.
    fn carried_type(&mut self, sizes: &mut Carried, of: &Type) -> Type {
        let Some(prim) = of.elem() else { fehu_base::bug!("an array of nothing") };
        let mut shape = vec![];
        for n in of.shape() {
            let p = self.b.param("n", Type::I64);
            shape.push(p.name.into());
            sizes.params.push(p);
            sizes.inits.push(*n);
        }
        Type::Array(prim, shape)
    }

    fn count(&mut self, var: Name, ty: IntType, i: SubExp) {
        let exp = match ty {
            IntType::I64 => Basic::SubExp(i),
            IntType::I8 | IntType::I16 | IntType::I32 => Basic::Conv(ConvOp::SExt(IntType::I64, ty), i),
        };
        self.b.bind_names(vec![(var, Type::Prim(PrimType::Int(ty)))], Exp::Basic(exp));
    }

    /// The parameters as they were in an iteration.
    fn restore(
        &mut self,
        l: &Loop<Soacs>,
        saved: &Saved,
        i: SubExp,
        logged: &[(usize, Name)],
    ) -> Vec<SubExp> {
        let mut before = vec![];
        for (k, ((p, _), store)) in l.params.iter().zip(&saved.stores).enumerate() {
            let exp = match store {
                Store::Nowhere if p.ty == Type::UNIT => {
                    Basic::SubExp(SubExp::Const(fehu_base::prim::PrimValue::Unit))
                }
                Store::Nowhere => continue,
                Store::Log(log) => {
                    let Some((_, now)) = logged.iter().find(|(at, _)| *at == k) else { continue };
                    let old = self.undone(log, *now, i);
                    before.push(old.into());
                    Basic::SubExp(old.into())
                }
                Store::Last(last) => Basic::SubExp((*last).into()),
                Store::Rows(all) => {
                    let ty = self.b.type_of((*all).into());
                    Basic::Index(*all, Self::row_slice(&ty, i))
                }
                Store::Flat(all, places) => {
                    let start = self.row(*places, &[i]);
                    let len = self.b.product(p.ty.shape());
                    let Some(prim) = p.ty.elem() else { fehu_base::bug!("an array of nothing") };
                    let slice = vec![DimIndex::Slice { start, len, stride: SubExp::i64(1) }];
                    let flat = Exp::Basic(Basic::Index(*all, slice));
                    let flat = self.b.bind("flat", Type::Array(prim, vec![len]), flat);
                    Basic::Reshape(p.ty.shape().to_vec(), flat)
                }
            };
            self.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(exp));
        }
        before
    }

    /// What an iteration of the return sweep hands on: sizes, adjoints of parameters, those of free names.
    fn of_iteration(
        &mut self,
        l: &Loop<Soacs>,
        varying: &[bool],
        with: &[usize],
        frees: &[Name],
    ) -> Vec<SubExp> {
        let mut sizes = vec![];
        let mut own = vec![];
        for k in with {
            let p = &l.params[*k].0;
            if varying[*k] {
                sizes.extend_from_slice(p.ty.shape());
            }
            let adjoint = self.take(p.name);
            own.push(match adjoint {
                Some(e) => e,
                None => self.zero(&p.ty),
            });
        }
        let through: Vec<SubExp> = frees.iter().map(|n| self.adjoint_of(*n).operand()).collect();
        [sizes, own, through].concat()
    }

    fn assemble(
        &mut self,
        of: &LoopParts<'_>,
        count: SubExp,
        j: Name,
        [arrays, sizes, own, through]: [Carried; 4],
        mut body: Body<Soacs>,
    ) {
        let (s, o) = (arrays.params.len() + sizes.params.len(), own.params.len());
        let tail = body.result.split_off(s + o);
        let changed: Vec<bool> =
            tail.iter().zip(&through.params).map(|(e, p)| *e != SubExp::Var(p.name)).collect();
        let mut params: Vec<(Param<Soacs>, SubExp)> = vec![];
        for c in [arrays, sizes, own] {
            params.extend(c.params.into_iter().zip(c.inits));
        }
        for (k, changed) in changed.iter().enumerate() {
            if *changed {
                params.push((through.params[k].clone(), through.inits[k]));
                body.result.push(tail[k]);
            }
        }
        let form = LoopForm::For { var: j, ty: IntType::I64, bound: count };
        if params.is_empty() {
            return;
        }
        let made = self.emit_loop(Loop { params, form, body });
        let kept = (0..of.frees.len()).filter(|k| changed[*k]);
        for (k, name) in kept.zip(&made[s + o..]) {
            self.adjoints.insert(of.frees[k], like(of.given[k], *name));
        }
        // An initial value may be free in the body as well.
        for (k, name) in of.with.iter().zip(&made[s..s + o]) {
            let init = of.l.params[*k].1;
            self.add(init, (*name).into());
        }
    }
}

/// What a loop of the return sweep is made for.
struct LoopParts<'s> {
    l: &'s Loop<Soacs>,
    with: &'s [usize],
    frees: &'s [Name],
    given: &'s [Adjoint],
}

/// What nothing in a body uses: at most, it is a result.
fn only_results(body: &Body<Soacs>) -> Vec<Name> {
    let used: FxHashSet<Name> = body.stms.iter().flat_map(free_in_stm).collect();
    body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).filter(|n| !used.contains(n)).collect()
}

/// The program says that a loop overwrites no element of an array after it was read.
const TRUE_DEP: &str = "true_dep";

/// Which parameters of a loop have types that change from one iteration to the next.
fn varying(l: &Loop<Soacs>) -> Vec<bool> {
    let of = |p: &Param<Soacs>| {
        let free = free_in_type(&p.ty);
        l.params.iter().any(|(q, _)| free.contains(&q.name)) && !matches!(p.ty, Type::Acc(..))
    };
    l.params.iter().map(|(p, _)| of(p)).collect()
}
