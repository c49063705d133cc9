//! Loops of a thread that hand elements on from one to the next become one loop.
//!
//! A map that follows a scan is a second loop once both are sequential, and the thread's array in between is
//! written to memory and read again. Within one loop its elements are values:
//!
//! ```text
//! loop (x = 0, *as = s) for i < n { ... as with [i] = v ... }         loop (x = 0, *as = s, *bs = t) for i < n {
//! loop (*bs = t) for j < n { let a = as[j] ... bs with [j] = w }  ->    ... as with [i] = v ... let a = v ... bs with [i] = w
//!                                                                     }
//! ```
//!
//! The element of the iteration before, `as[j - 1]`, and the first one, `as[0]`, are carried along; one from
//! further back is read from the array as it is at that time. If nobody needs the array any more, dead code
//! removal takes it away.
//!
//! An element may be a row, or an array of any number of dimensions: the second loop then reads the row of
//! the iteration where it was computed, and not where it was copied to. Loops over that row are now in one
//! body, and become one in turn, so that a scan of rows and the maps that follow it hand on scalars:
//!
//! ```text
//! loop (xs = ones, *as = s) for i < n {                               loop (xs = ones, *bs = t) for i < n {
//!   let ys = loop (*q = v) for j < m { ... q with [j] = y }             let (ys, zs) = loop (*q = v, *r = w) for j < m {
//!   let o = as with [i, 0 :+ m] = ys                                      ... q with [j] = y ... let a = y ... r with [j] = z
//!   return (ys, o) }                                              ->    }
//! loop (*bs = t) for i < n {                                            let p = bs with [i, 0 :+ m] = zs
//!   let as_i = as[i, 0 :+ m]                                            return (ys, p)
//!   let zs = loop (*r = w) for j < m { let a = as_i[j] ... z }        }
//!   bs with [i, 0 :+ m] = zs }
//! ```
//!
//! The first loop must not overwrite a row's memory after the row has been copied.
//!
//! The second loop moves up to the first one. What it needs of the statements in between goes ahead of both; what it
//! overwrites must be fresh, and used by nobody else.
//!
//! On CPUs this is done where the first loop carries scalars from one iteration to the next, as scans do. Its
//! iterations wait for each other, and there is time for what the second loop does. Other loops are left
//! alone, for C compilers make vector code of them.

use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name, NameSource};
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::build::plain;
use fehu_ir::class::Class;
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::free::free_in_stm;
use fehu_ir::seg::{KernelsOp, SegLevel};
use fehu_ir::subst::Subst;
use fehu_ir::visit::{change, deep, look, map_bodies, Mutator, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Loop, LoopForm, Param, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops of a thread that hand elements on become one.
pub static PASS: Pass<Prog<Kernels>> = Pass { name: "fuse-thread-loops", need: Need::Optional, run: fuse };

/// Loops of a CPU that hand elements on become one where the first carries scalars.
pub static ON_CPUS: Pass<Prog<Kernels>> =
    Pass { name: "fuse-loops", need: Need::Optional, run: fuse_on_cpus };

/// How many statements a loop may be away from the one it follows.
const NEAR: usize = 100;

/// Fuses the loops of all kernels.
fn fuse(prog: &mut Prog<Kernels>) {
    let signatures = Signatures::of_prog(prog);
    let mut cx = Context { names: &mut prog.names, signatures: &signatures, machine: Machine::Gpu };
    host(&mut cx, &mut prog.consts);
    prog.funs.iter_mut().for_each(|f| host(&mut cx, &mut f.body));
}

/// Fuses the loops of functions, and of tasks in them.
fn fuse_on_cpus(prog: &mut Prog<Kernels>) {
    let signatures = Signatures::of_prog(prog);
    let mut cx = Context { names: &mut prog.names, signatures: &signatures, machine: Machine::Cpu };
    let bodies = prog.funs.iter_mut().map(|f| &mut f.body).chain([&mut prog.consts]);
    bodies.for_each(|body| thread(&mut cx, body));
}

/// What does not change from loop to loop.
struct Context<'a> {
    names: &'a mut NameSource,
    signatures: &'a Signatures,
    machine: Machine,
}

/// What runs the loops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Machine {
    Gpu,
    Cpu,
}

/// Finds the kernels in the code of the host, or of a thread block.
fn host(cx: &mut Context, body: &mut Body<Kernels>) {
    deep(|| {
        for stm in &mut body.stms {
            match &mut stm.exp {
                Exp::Op(KernelsOp::Seg(seg)) if seg.level == SegLevel::Block => host(cx, &mut seg.body.body),
                Exp::Op(KernelsOp::Seg(seg)) => {
                    without_copies(&mut seg.body.body);
                    thread(cx, &mut seg.body.body)
                }
                exp @ (Exp::Basic(_)
                | Exp::Call(..)
                | Exp::If(..)
                | Exp::Loop(_)
                | Exp::WithAcc(_)
                | Exp::Op(_)) => map_bodies(exp, &mut |b| host(cx, b)),
            }
        }
    });
}

/// Merges loops in the code of a thread, innermost ones first. Loops that hand rows on have new neighbours
/// inside once they are one.
fn thread(cx: &mut Context, body: &mut Body<Kernels>) {
    deep(|| {
        let mut loops = 0;
        for stm in &mut body.stms {
            loops += usize::from(matches!(stm.exp, Exp::Loop(_)));
            map_bodies(&mut stm.exp, &mut |b| thread(cx, b));
        }
        if loops < 2 {
            return;
        }
        let mut uses = Uses::default();
        look::body(&mut uses, body);
        let mut done: Vec<Stm<Kernels>> = vec![];
        let mut have_rows = false;
        for stm in std::mem::take(&mut body.stms) {
            match plan(cx, &done, &stm, &uses) {
                Some(plan) if cx.machine == Machine::Gpu || carries_scalars(&done[plan.first]) => {
                    have_rows |= plan.made.values().any(|made| made.is_row());
                    carry_out(cx.names, &mut done, stm, plan)
                }
                Some(_) | None => done.push(stm),
            }
        }
        body.stms = done;
        if have_rows {
            without_copies(body);
            body.stms.iter_mut().for_each(|stm| map_bodies(&mut stm.exp, &mut |b| thread(cx, b)));
        }
    });
}

/// Names that stand for other arrays are replaced by those, so that what a loop reads is seen.
fn without_copies(body: &mut Body<Kernels>) {
    let mut copies = Copies::default();
    look::body(&mut copies, body);
    if !copies.0.is_empty() {
        copies.0.body(body);
        change::body(&mut copies, body);
    }
}

/// Arrays that are others, and which.
#[derive(Default)]
struct Copies(Subst);

impl Copies {
    /// What the statement is another name for, if that is all that it does.
    fn of(stm: &Stm<Kernels>) -> Option<(Name, Name)> {
        let (Some(Basic::SubExp(SubExp::Var(array))), [p]) = (stm.exp.basic(), &stm.pat[..]) else {
            return None;
        };
        (p.ty.is_array() && stm.certs.is_empty()).then_some((p.name, *array))
    }
}

impl Visitor<Kernels> for Copies {
    fn stm(&mut self, s: &Stm<Kernels>) {
        if let Some((name, array)) = Copies::of(s) {
            self.0.insert(name, self.0.operand(array.into()));
        }
        look::stm(self, s);
    }
}

impl Mutator<Kernels> for Copies {
    fn body(&mut self, b: &mut Body<Kernels>) {
        b.stms.retain(|s| Copies::of(s).is_none());
        change::body(self, b);
    }
}

/// How often each name is used.
#[derive(Default)]
struct Uses(FxHashMap<Name, usize>);

impl Visitor<Kernels> for Uses {
    fn name(&mut self, n: &Name) {
        *self.0.entry(*n).or_default() += 1;
    }
}

/// How a loop is put into an earlier one.
struct Plan {
    /// The index of that one, and its variable.
    first: usize,
    counter: Name,
    /// The variable of the later one.
    var: Name,
    /// For the statements after it, whether they are needed.
    ahead: Vec<bool>,
    /// What the later loop reads instead of elements.
    made: FxHashMap<Name, Made>,
    /// How far from the current element it reads.
    offsets: FxHashMap<Name, i64>,
}

/// An array that a loop fills, one element in each iteration.
#[derive(Clone)]
struct Made {
    /// The element of the iteration.
    value: SubExp,
    /// The array with that element in it.
    array: Name,
    /// The dimensions of the element, if it is an array itself.
    row: Vec<SubExp>,
}

impl Made {
    fn is_row(&self) -> bool {
        !self.row.is_empty()
    }
}

/// The variable and bound of a loop that counts.
fn counts(stm: &Stm<Kernels>) -> Option<(&Loop<Kernels>, Name, SubExp)> {
    match &stm.exp {
        Exp::Loop(l) => match l.form {
            LoopForm::For { var, ty: IntType::I64, bound } => Some((l, var, bound)),
            LoopForm::For { .. } | LoopForm::While(_) => None,
        },
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// Whether iterations of a loop hand scalars on.
fn carries_scalars(stm: &Stm<Kernels>) -> bool {
    counts(stm).is_some_and(|(l, ..)| l.params.iter().any(|(p, _)| matches!(p.ty, Type::Prim(_))))
}

/// Whether and how a statement that is a loop can be merged with one of those before it.
fn plan(cx: &Context, done: &[Stm<Kernels>], stm: &Stm<Kernels>, uses: &Uses) -> Option<Plan> {
    let (second, var, bound) = counts(stm)?;
    let mut needed = free_in_stm(stm);
    let near = done.len().saturating_sub(NEAR);
    let makes_needed = |s: &Stm<Kernels>| {
        counts(s).is_some() && s.pat.iter().any(|p| p.ty.is_array() && needed.contains(&p.name))
    };
    let first = near + done[near..].iter().rposition(makes_needed)?;
    let (one, counter, other_bound) = counts(&done[first])?;
    if bound != other_bound || done[first].attrs != stm.attrs || !owns_what_it_fills(done, second, uses) {
        return None;
    }
    let mut made = filled(&done[first], one, counter);
    made.retain(|array, _| needed.contains(array));
    if made.values().any(|made| made.is_row()) {
        let lasting = rows_that_last(cx.signatures, &one.body);
        made.retain(|_, made| !made.is_row() || lasting.contains(&made.array));
    }
    let mut reads = Reads { made: &made, offsets: FxHashMap::from_iter([(var, 0)]), good: 0, all: 0 };
    look::body(&mut reads, &second.body);
    if reads.good != reads.all
        || second.params.iter().any(|(_, init)| init.name().is_some_and(|n| made.contains_key(&n)))
    {
        return None;
    }
    let offsets = reads.offsets;
    needed.retain(|n| !made.contains_key(n));
    let mut after: FxHashSet<Name> = done[first].pat.iter().map(|p| p.name).collect();
    let free: Vec<_> = done[first + 1..].iter().map(free_in_stm).collect();
    for (s, free) in done[first + 1..].iter().zip(&free) {
        if free.iter().any(|n| after.contains(n)) {
            after.extend(s.pat.iter().map(|p| p.name));
        }
    }
    let mut ahead = vec![false; free.len()];
    for (i, s) in done[first + 1..].iter().enumerate().rev() {
        if s.stays() || s.pat.iter().any(|p| needed.contains(&p.name)) {
            ahead[i] = true;
            needed.extend(free[i].iter().copied());
            if !may_go_ahead(s) {
                return None;
            }
        }
    }
    if needed.iter().any(|n| after.contains(n)) {
        return None;
    }
    Some(Plan { first, counter, var, ahead, made, offsets })
}

/// Whether the arrays that a loop carries along were made for it alone.
fn owns_what_it_fills(done: &[Stm<Kernels>], l: &Loop<Kernels>, uses: &Uses) -> bool {
    let fresh = |n: Name| {
        let near = &done[done.len().saturating_sub(NEAR)..];
        let maker = near.iter().rev().find(|s| s.pat.iter().any(|p| p.name == n));
        maker.is_some_and(|s| s.exp.basic().is_some_and(Basic::is_fresh)) && uses.0.get(&n) == Some(&1)
    };
    l.params
        .iter()
        .filter(|(p, _)| !matches!(p.ty, Type::Prim(_)))
        .all(|(p, init)| p.ty.is_array() && init.name().is_some_and(fresh))
}

/// The arrays into which a body copies rows whose memory nothing overwrites later in that body.
fn rows_that_last(signatures: &Signatures, body: &Body<Kernels>) -> FxHashSet<Name> {
    let aliases = Aliases::of_body(signatures, body);
    let mut lasting = FxHashSet::default();
    let mut overwritten: FxHashSet<Name> = FxHashSet::default();
    for s in body.stms.iter().rev() {
        overwritten.extend(consumed_by_exp(signatures, &aliases, &s.exp));
        if let (Exp::Basic(Basic::Update(_, _, SubExp::Var(row))), [p]) = (&s.exp, &s.pat[..]) {
            if aliases.of(*row).iter().all(|n| !overwritten.contains(n)) {
                lasting.insert(p.name);
            }
        }
    }
    lasting
}

/// Whether part of a slice is all of an array of these dimensions.
fn is_whole(part: &[DimIndex], dims: &[SubExp]) -> bool {
    let all = |(d, n): (&DimIndex, &SubExp)| match d {
        DimIndex::Fix(_) => false,
        DimIndex::Slice { start, len, stride } => {
            start.as_i64() == Some(0) && len == n && stride.as_i64() == Some(1)
        }
    };
    part.len() == dims.len() && part.iter().zip(dims).all(all)
}

/// The results of a loop that are filled element by element.
fn filled(stm: &Stm<Kernels>, l: &Loop<Kernels>, counter: Name) -> FxHashMap<Name, Made> {
    let mut puts: FxHashMap<Name, (Name, Made)> = FxHashMap::default();
    for s in &l.body.stms {
        if let (Exp::Basic(Basic::Update(array, slice, value)), [p]) = (&s.exp, &s.pat[..]) {
            let Some((DimIndex::Fix(i), row)) = slice.split_first() else { continue };
            let dims = &p.ty.shape()[1..];
            if *i == counter.into() && is_whole(row, dims) {
                puts.insert(p.name, (*array, Made { value: *value, array: p.name, row: dims.to_vec() }));
            }
        }
    }
    let mut made = FxHashMap::default();
    for ((p, (param, _)), result) in stm.pat.iter().zip(&l.params).zip(&l.body.result) {
        let Some(put) = result.name() else { continue };
        match puts.get(&put) {
            Some((array, element)) if *array == param.name => {
                made.insert(p.name, element.clone());
            }
            Some(_) | None => {}
        }
    }
    made
}

/// Whether a statement may run before a loop that it followed.
fn may_go_ahead(stm: &Stm<Kernels>) -> bool {
    match stm.exp.class() {
        Some(
            Class::Arithmetic
            | Class::Function
            | Class::Check
            | Class::Read
            | Class::View
            | Class::Reshape
            | Class::Generate
            | Class::Gather,
        ) => true,
        Some(Class::Opaque | Class::Update) | None => false,
    }
}

/// Looks for uses of arrays that are not reads of elements written in this iteration or before.
struct Reads<'a> {
    made: &'a FxHashMap<Name, Made>,
    /// Names that are the loop's variable, plus a constant.
    offsets: FxHashMap<Name, i64>,
    good: usize,
    all: usize,
}

impl Reads<'_> {
    /// Which element an index means, counted from the current one.
    fn offset(&self, e: SubExp) -> Option<i64> {
        self.offsets.get(&e.name()?).copied()
    }
}

impl Visitor<Kernels> for Reads<'_> {
    fn name(&mut self, n: &Name) {
        self.all += usize::from(self.made.contains_key(n));
    }

    fn stm(&mut self, s: &Stm<Kernels>) {
        if let [p] = &s.pat[..] {
            let offset = match &s.exp {
                Exp::Basic(Basic::SubExp(e)) => self.offset(*e),
                Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), x, y)) => {
                    match (self.offset(*x), self.offset(*y)) {
                        (Some(x), None) => y.as_i64().and_then(|y| x.checked_add(y)),
                        (None, Some(y)) => x.as_i64().and_then(|x| x.checked_add(y)),
                        (Some(_), Some(_)) | (None, None) => None,
                    }
                }
                Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), x, y)) => {
                    self.offset(*x).zip(y.as_i64()).and_then(|(x, y)| x.checked_sub(y))
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    None
                }
            };
            self.offsets.extend(offset.map(|o| (p.name, o)));
        }
        if let Exp::Basic(Basic::Index(array, slice)) = &s.exp {
            if let (Some(DimIndex::Fix(e)), true) = (slice.first(), self.made.contains_key(array)) {
                self.good += usize::from(e.as_i64() == Some(0) || self.offset(*e).is_some_and(|o| o <= 0));
            }
        }
        look::stm(self, s);
    }
}

/// Replaces reads of elements.
struct Replace<'a> {
    plan: &'a Plan,
    names: &'a mut NameSource,
    /// The values that the earlier loop carries along already, and where.
    carried: Vec<(SubExp, Name)>,
    /// Elements of the iteration before, and first ones, and their names in an iteration.
    kept: Vec<(Name, Kept, Name)>,
}

/// Which element of an array is kept for later iterations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Last,
    First,
}

impl Replace<'_> {
    /// The name of an element that is kept.
    fn keep(&mut self, array: Name, kept: Kept) -> Name {
        if let Some((.., name)) = self.kept.iter().find(|k| (k.0, k.1) == (array, kept)) {
            return *name;
        }
        let name = self.names.fresh_str(match kept {
            Kept::Last => "last",
            Kept::First => "first",
        });
        self.kept.push((array, kept, name));
        name
    }
}

/// What a part of the row of the current iteration is.
fn of_row(made: &Made, part: &[DimIndex]) -> Exp<Kernels> {
    let Some(row) = made.value.name() else { bug!("a row is no number") };
    Exp::Basic(match is_whole(part, &made.row) {
        true => Basic::SubExp(row.into()),
        false => Basic::Index(row, part.to_vec()),
    })
}

impl Mutator<Kernels> for Replace<'_> {
    fn exp(&mut self, e: &mut Exp<Kernels>) {
        if let Exp::Basic(Basic::Index(array, slice)) = e {
            if let (Some(made), Some((DimIndex::Fix(i), row))) =
                (self.plan.made.get(array), slice.split_first())
            {
                if made.is_row() {
                    if i.name().and_then(|i| self.plan.offsets.get(&i)) == Some(&0) {
                        *e = of_row(made, row);
                    } else {
                        *array = made.array;
                    }
                    return change::exp(self, e);
                }
                let carried = self.carried.iter().find(|(value, _)| *value == made.value);
                match i.name().and_then(|i| self.plan.offsets.get(&i)) {
                    Some(0) => *e = Exp::Basic(Basic::SubExp(made.value)),
                    Some(-1) => {
                        let last = carried.map(|c| c.1).unwrap_or_else(|| self.keep(*array, Kept::Last));
                        *e = Exp::Basic(Basic::SubExp(last.into()));
                    }
                    Some(_) => *array = made.array,
                    None => *e = Exp::Basic(Basic::SubExp(self.keep(*array, Kept::First).into())),
                }
            }
        }
        change::exp(self, e);
    }
}

/// Puts a loop into an earlier one.
fn carry_out(names: &mut NameSource, done: &mut Vec<Stm<Kernels>>, mut stm: Stm<Kernels>, plan: Plan) {
    let mut tail = done.split_off(plan.first).into_iter();
    let Some(mut merged) = tail.next() else { bug!("the loop to merge with is gone") };
    let mut behind = vec![];
    for (s, ahead) in tail.zip(&plan.ahead) {
        match ahead {
            true => done.push(s),
            false => behind.push(s),
        }
    }
    let Exp::Loop(one) = &mut merged.exp else { bug!("only loops are merged") };
    let carried = one.body.result.iter().copied().zip(one.params.iter().map(|(p, _)| p.name)).collect();
    let mut replace = Replace { plan: &plan, names, carried, kept: vec![] };
    replace.stm(&mut stm);
    for (array, kept, name) in std::mem::take(&mut replace.kept) {
        let Some(Type::Array(elem, _)) = merged.pat.iter().find(|p| p.name == array).map(|p| &p.ty) else {
            bug!("an element of what is no array")
        };
        let (ty, made) = (Type::Prim(*elem), &plan.made[&array]);
        let (param, next) = match kept {
            Kept::Last => (name, made.value),
            Kept::First => {
                let [is_first, before] = ["is_first", "first"].map(|base| replace.names.fresh_str(base));
                let zero =
                    Exp::Basic(Basic::CmpOp(CmpOp::Eq(PrimType::I64), plan.counter.into(), SubExp::i64(0)));
                one.body.stms.push(plain(is_first, Type::BOOL, zero));
                let either = |e: SubExp| Box::new(Body { stms: vec![], result: vec![e] });
                let choice = Exp::If(is_first.into(), either(made.value), either(before.into()));
                one.body.stms.push(plain(name, ty.clone(), choice));
                (before, name.into())
            }
        };
        let param = Param { name: param, ty: ty.clone(), dec: (), consumed: false };
        one.params.push((param, SubExp::Const(elem.blank())));
        one.body.result.push(next);
        merged.pat.push(PatElem { name: replace.names.fresh_str("end"), ty, dec: () });
    }
    let Exp::Loop(two) = stm.exp else { bug!("only loops are merged") };
    let Loop { params, form: _, mut body } = *two;
    let mut subst = Subst::new();
    subst.insert(plan.var, plan.counter);
    subst.body(&mut body);
    one.params.extend(params);
    one.body.stms.extend(body.stms);
    one.body.result.extend(body.result);
    merged.pat.extend(stm.pat);
    for c in stm.certs {
        if !merged.certs.contains(&c) {
            merged.certs.push(c);
        }
    }
    done.push(merged);
    done.append(&mut behind);
}

#[cfg(test)]
mod tests;
