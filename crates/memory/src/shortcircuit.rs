//! Array short-circuiting: what is made only to be put into another array is made
//! there in the first place.
//!
//! Before: a program over `Memory`. After: the same, with fewer blocks; an
//! update (or concatenation, or literal) whose value already is where it is to
//! be put copies nothing.
//!
//! ```text
//! let (b : mem) = alloc(4*m)                            let (ys : [m]i32 @ out_mem -> i*m + {(m : 1)}) = ...
//! let (ys : [m]i32 @ b -> 0 + {(m : 1)}) = ...          let (out' ...) = out with [i, 0 :+ m] = ys
//! let (out' : [n][m]i32 @ out_mem -> ...) = out with [i, 0 :+ m] = ys
//! ```
//!
//! For a value in a block of its own, made in the same body as it is put away:
//!
//! 1. its block is not passed on or returned;
//! 2. everything in its block can be laid out anew (`layout`);
//! 3. the place is known, and what has to be checked is checked, before the value's first
//!    element is written, or can be by then (`lift`);
//! 4. no write to the value meets a later use of the memory that it is put into, up to the point where it is put there:
//!    the overlap test decides ([`fehu_analysis::order`]), with what is known of sizes, indices and checks;
//! 5. if the value is used after that point, it is only read, and nothing is written to where it is.
//!
//! What the points of a parallel operation make is put into its result (`seg`), once it is known where that will be.
//! A value that branches return is looked at in each branch; one that does not
//! fulfil this there is copied there (`branches`).

mod around;
mod branches;
mod layout;
mod lift;
mod reason;
mod seg;
mod values;

pub(crate) use around::{size, Around};
pub use reason::Reason;
pub(crate) use seg::rows;
pub(crate) use values::put;

use crate::budget::Budget;
use crate::builder::Place;
use crate::constants::with_constants;
use crate::tables::{operand_counts, Tables};
use crate::within::Within;
use fehu_algebra::{Facts, Poly};
use fehu_analysis::order::{Order, Side, Uses};
use fehu_analysis::{Blocks, Callees, Known};
use fehu_base::{Name, NameSource};
use fehu_ir::mem::{sym_name, Lmad, MemOp};
use fehu_ir::seg::SegKind;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, Exp, Lambda, Memory, PatElem, Prog, Stm, Type};
use fehu_lmad::Summary;
use fehu_pass::{Need, Pass};
use layout::Layout;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Arrays are computed where they will end up.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "short-circuit", need: Need::Optional, run: shortcircuit };

/// Lets values be made where they are put.
fn shortcircuit(prog: &mut Prog<Memory>) {
    with_constants(prog, |prog| {
        run(prog, None);
    });
}

/// Why values are copied that the program puts somewhere, by their names. The program is as it is before this pass.
pub fn reasons(prog: &Prog<Memory>) -> FxHashMap<Name, Reason> {
    let mut found = None;
    with_constants(&mut prog.clone(), |prog| found = run(prog, Some(RefCell::default())));
    found.map(RefCell::into_inner).unwrap_or_default()
}

fn run(prog: &mut Prog<Memory>, reasons: Option<Reasons>) -> Option<Reasons> {
    let mut pass = ShortCircuit {
        reasons,
        tables: Tables::of(prog),
        blocks: Blocks::default(),
        known: Known::default(),
        sure: Facts::new(),
        passed: FxHashMap::default(),
        parts: FxHashMap::default(),
        budget: Budget::default(),
        within: Within::default(),
        answers: RefCell::default(),
        names: std::mem::take(&mut prog.names),
    };
    let callees = Rc::new(Callees::of_prog(prog));
    for fun in &mut prog.funs {
        pass.blocks = Blocks::of_body(&fun.body);
        pass.known = Known::of_fun(fun).calling(&callees);
        pass.passed = operand_counts(&fun.body);
        pass.budget = Budget::of(&fun.body);
        pass.sure = pass.known.facts();
        let mut facts = pass.sure.clone();
        pass.known.enter_body(&mut facts, &fun.body);
        pass.within = Within::of(&fun.body, &mut |stm| values::puts_values(&stm.exp));
        pass.body(&mut fun.body, &facts);
        pass.within = Within::of(&fun.body, &mut seg::has_rows);
        pass.points(&mut fun.body, &facts);
        pass.remove_unused(&mut fun.body);
    }
    prog.names = std::mem::take(&mut pass.names);
    pass.tables.write(prog);
    pass.reasons
}

/// Why values stay where they are.
type Reasons = RefCell<FxHashMap<Name, Reason>>;

struct ShortCircuit {
    tables: Tables,
    /// Of the current function.
    blocks: Blocks,
    known: Known,
    /// What holds whatever is checked.
    sure: Facts,
    /// How often names are operands in the function: blocks that are have been passed on or returned.
    passed: FxHashMap<Name, usize>,
    /// Of what they are parts, for arrays that were moved.
    parts: FxHashMap<Name, Parts>,
    budget: Budget,
    /// The statements inside of which there is something to move.
    within: Within,
    /// Whether a value that a branch returns can be made in a place: found out when it is decided whether
    /// anything moves, and needed again when it does.
    answers: RefCell<FxHashMap<(Name, Name, Lmad), bool>>,
    /// Recorded if somebody asks.
    reasons: Option<Reasons>,
    names: NameSource,
}

/// A part of a concatenation or literal (its result, and the number of the part), and of that part, and so
/// on. Arrays in different parts of one thing have nothing in common.
type Parts = Vec<(Name, usize)>;

fn apart(a: &Parts, b: &Parts) -> bool {
    let different = a.iter().zip(b).find(|(x, y)| x != y);
    different.is_some_and(|(x, y)| x.0 == y.0)
}

/// Where a value is to be in the end.
struct Dest {
    /// The place for the value itself.
    place: Place,
    /// Where what is with it in its block will be.
    layout: Layout,
    /// The number of elements.
    count: Poly,
    /// Of what it is a part.
    parts: Parts,
    /// Where the value and other arrays of its block will be, for those that were asked for.
    moved: RefCell<FxHashMap<Name, Option<Lmad>>>,
}

impl ShortCircuit {
    /// Goes through a body, whose facts these are.
    fn body(&mut self, body: &mut Body<Memory>, facts: &Facts) {
        deep(|| {
            for stm in &mut body.stms {
                self.inner_bodies(stm, facts, &mut |pass, inner, facts| pass.body(inner, facts));
            }
        });
        if !body.stms.iter().any(|s| values::puts_values(&s.exp)) {
            return;
        }
        let mut around = Around::of(body);
        for at in (0..body.stms.len()).rev() {
            for (value, dest) in self.values_put(&body.stms[at]) {
                self.try_move(body, &mut around, facts, value, at, &dest);
            }
        }
    }

    /// Goes into the bodies of a statement in which there is something to move, with what is known there.
    fn inner_bodies(
        &mut self,
        stm: &mut Stm<Memory>,
        facts: &Facts,
        f: &mut dyn FnMut(&mut ShortCircuit, &mut Body<Memory>, &Facts),
    ) {
        if !self.within.has(stm) {
            return;
        }
        match &mut stm.exp {
            Exp::If(c, t, e) => {
                for (body, taken) in [(t, true), (e, false)] {
                    let facts = self.known.in_branch(facts, *c, taken, body);
                    f(self, body, &facts);
                }
            }
            Exp::Loop(l) => {
                let facts = self.known.in_loop(facts, l);
                f(self, &mut l.body, &facts);
            }
            Exp::Op(MemOp::Seg(seg)) => {
                let facts = self.known.in_points(facts, &seg.space, &seg.body.body);
                f(self, &mut seg.body.body, &facts);
                for operator in operators(&mut seg.kind) {
                    let mut facts = facts.clone();
                    self.known.enter_body(&mut facts, &operator.body);
                    f(self, &mut operator.body, &facts);
                }
            }
            other @ (Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_)) => {
                map_bodies(other, &mut |inner| {
                    let mut facts = facts.clone();
                    self.known.enter_body(&mut facts, inner);
                    f(self, inner, &facts);
                });
            }
        }
    }

    /// Makes a value, which a statement puts somewhere, there in the first place, if that is possible.
    fn try_move(
        &mut self,
        body: &mut Body<Memory>,
        around: &mut Around,
        facts: &Facts,
        value: Name,
        at: usize,
        dest: &Dest,
    ) {
        self.answers.borrow_mut().clear();
        let certs = body.stms[at].certs.clone();
        let found = self
            .stays_intact(body, around, facts, value, at, dest)
            .and_then(|()| self.can_move(body, around, facts, value, at, 0, dest))
            .and_then(|(first, needed)| {
                let parts = self.checks_of_parts(body, first..at);
                let needed = dest.names().chain(certs).chain(needed).chain(parts);
                Ok((first, self.to_lift(body, around, facts, needed, first)?))
            });
        match found {
            Ok((first, lifted)) => {
                around.lift(body, &lifted, first);
                self.move_value(body, around, facts, value, dest);
            }
            Err(reason) => self.stays(value, reason),
        }
    }

    /// Whether nothing in the value's block is used twice by an update, nor returned; and what is used after
    /// it is then only read, and still there.
    fn stays_intact(
        &self,
        body: &Body<Memory>,
        around: &Around,
        facts: &Facts,
        value: Name,
        at: usize,
        dest: &Dest,
    ) -> Result<(), Reason> {
        let Some(block) = self.tables.block_of(value) else { return Err(Reason::NotItsOwn) };
        let in_block = |n: &Name| self.tables.block_of(*n) == Some(block);
        let returned = body.result.iter().filter_map(|e| e.name()).any(|n| in_block(&n));
        let mut here = 0;
        fehu_ir::visit::for_each_operand(&body.stms[at].exp, &mut |e| {
            here += usize::from(e.name().is_some_and(|n| in_block(&n)));
        });
        // Parts of a new array do not overlap: a value that is several of them is one, and copied to the others.
        let several = matches!(body.stms[at].exp, Exp::Basic(Basic::Concat { .. } | Basic::ArrayLit(..)));
        if returned || here == 0 || here > 1 && !several {
            return Err(Reason::UsedTwice);
        }
        let last = self.tables.inside(block).iter().chain([&block]).filter_map(|n| around.last(*n)).max();
        let Some(last) = last.filter(|last| *last > at) else { return Ok(()) };
        if !self.budget.take(around.size(at + 1..last + 1)) {
            return Err(Reason::TooFarAway);
        }
        let side = |n: Name| self.side(n, block, dest);
        let order = Order { known: &self.known, side: &side };
        let mut uses = Uses::nothing();
        let intact = order.stms(facts, &body.stms[at + 1..=last], &mut uses)
            && uses.written.is_nothing()
            && (uses.overwritten.is_nothing() || self.places(facts, dest).disjoint(facts, &uses.overwritten));
        match intact {
            true => Ok(()),
            false => Err(Reason::ChangedLater),
        }
    }

    /// The places that the value will fill.
    fn places(&self, facts: &Facts, dest: &Dest) -> Summary {
        Summary::of(dest.place.lmad.map_parts(|p| facts.normalise(p)))
    }

    /// Where an array in the value's block will be.
    fn moved(&self, dest: &Dest, array: Name) -> Option<Lmad> {
        if let Some(found) = dest.moved.borrow().get(&array) {
            return found.clone();
        }
        let place = self.tables.place(array);
        let moved = place.and_then(|place| dest.layout.moved(&self.known, &self.sure, &place.lmad));
        dest.moved.borrow_mut().insert(array, moved.clone());
        moved
    }

    /// To which side an array belongs when a value in a block moves.
    fn side(&self, n: Name, block: Name, dest: &Dest) -> Side {
        let Some(own) = self.tables.block_of(n) else { return Side::None };
        if own == block {
            return Side::Source(self.moved(dest, n).unwrap_or_else(|| self.anywhere()));
        }
        let elsewhere = self.parts.get(&n).is_some_and(|parts| apart(parts, &dest.parts));
        if elsewhere || !self.blocks.may_be_same(own, dest.place.block) {
            return Side::None;
        }
        Side::Destination(self.tables.place(n).map_or_else(|| self.anywhere(), |p| p.lmad.clone()))
    }

    /// The index function of which nothing is known.
    fn anywhere(&self) -> Lmad {
        Lmad::point(Poly::unknown())
    }

    /// Whether the value, needed by a statement, can be made at the destination: the first statement that
    /// then writes there, and what must be checked before it. Its block is passed on so many times, which is
    /// fine.
    #[allow(clippy::too_many_arguments)]
    fn can_move(
        &self,
        body: &Body<Memory>,
        around: &Around,
        facts: &Facts,
        value: Name,
        at: usize,
        passed: usize,
        dest: &Dest,
    ) -> Result<(usize, Vec<Name>), Reason> {
        let place = self.tables.place(value).ok_or(Reason::NotItsOwn)?;
        let block = place.block;
        let alone = self.passed.get(&block).copied().unwrap_or(0) == passed;
        if block == dest.place.block || !alone {
            return Err(Reason::NotItsOwn);
        }
        if !self.tables.inside(block).iter().all(|a| self.moved(dest, *a).is_some()) {
            return Err(Reason::Layout);
        }
        let origin = self.origin(body, around, block).ok_or(Reason::NotItsOwn)?;
        let (first, needed) = match origin {
            Origin::Alloc(made) => {
                self.first_of(body, around, block, made..at, dest).ok_or(Reason::Layout)?
            }
            Origin::Branches(branch) => (branch + 1, vec![]),
        };
        if !self.budget.take(around.size(first..at)) {
            return Err(Reason::TooFarAway);
        }
        let side = |n: Name| self.side(n, block, dest);
        let uses_dest = |n: &Name| matches!(self.side(*n, block, dest), Side::Destination(_));
        let mut uses = Uses::nothing();
        let used =
            (first..at).any(|i| !is_alloc(&body.stms[i].exp) && around.mentions[i].iter().any(uses_dest));
        if used {
            let order = Order { known: &self.known, side: &side };
            if !order.stms(facts, &body.stms[first..at], &mut uses) {
                return Err(self.in_the_way(&order, facts, &body.stms[first..at], dest));
            }
        }
        match origin {
            Origin::Alloc(_) => Ok((first, needed)),
            Origin::Branches(branch) => {
                if !uses.used.is_nothing() && !self.places(facts, dest).disjoint(facts, &uses.used) {
                    return Err(Reason::MayOverlap(body.stms[branch].loc.clone(), vec![]));
                }
                match self.can_move_from_branches(&body.stms[branch], facts, block, dest) {
                    true => Ok((branch, vec![])),
                    false => Err(Reason::Layout),
                }
            }
        }
    }

    /// The first statement in a range that makes something in a block, which must be as large as what the
    /// block was made for, and so must the value be. Parts of that may have been moved there, and are then
    /// made first. Also what must be checked before: a value that turns out to be too large must not be
    /// written.
    fn first_of(
        &self,
        body: &Body<Memory>,
        around: &Around,
        block: Name,
        range: std::ops::Range<usize>,
        dest: &Dest,
    ) -> Option<(usize, Vec<Name>)> {
        let in_block = |names: &FxHashSet<Name>| {
            names.iter().any(|n| self.tables.is_array(*n) && self.tables.block_of(*n) == Some(block))
        };
        let first = (range.start + 1..range.end).find(|i| in_block(&around.mentions[*i]))?;
        let made = |s: &Stm<Memory>| -> Option<(Name, Poly)> {
            let here = |p: &&PatElem<Memory>| self.tables.block_of(p.name) == Some(block);
            let p = s.pat.iter().find(here).filter(|_| makes_array(&s.exp))?;
            Some((p.name, elements(&p.ty)?))
        };
        let is_part = |n: &Name| self.parts.contains_key(n);
        let whole = body.stms[first..range.end].iter().filter_map(made).find(|(n, _)| !is_part(n));
        let (_, count) = whole.filter(|_| made(&body.stms[first]).is_some())?;
        let mut sure = self.sure.clone();
        if sure.eq(&count, &dest.count) {
            return Some((first, vec![]));
        }
        let certs = self.certs_of_values(body, around, block, range.end);
        certs.iter().for_each(|c| self.known.enter_checked(&mut sure, *c));
        sure.eq(&count, &dest.count).then_some((first, certs))
    }

    /// The certificates of a statement, and of those that bind arrays in a block.
    fn certs_of_values(&self, body: &Body<Memory>, around: &Around, block: Name, at: usize) -> Vec<Name> {
        let bound = self.tables.inside(block).iter().filter_map(|a| around.bound_at.get(a).copied());
        let mut stms: Vec<usize> = bound.chain([at]).collect();
        stms.sort_unstable();
        stms.dedup();
        stms.into_iter().filter_map(|i| body.stms.get(i)).flat_map(|s| &s.certs).copied().collect()
    }

    /// What binds a block, if it is a statement of this body of which we know what to do.
    fn origin(&self, body: &Body<Memory>, around: &Around, block: Name) -> Option<Origin> {
        let i = *around.bound_at.get(&block)?;
        match &body.stms[i].exp {
            Exp::Op(MemOp::Alloc(..)) => Some(Origin::Alloc(i)),
            Exp::If(..) => Some(Origin::Branches(i)),
            Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    /// Moves a value to its destination, and all that is in its block with it.
    fn move_value(
        &mut self,
        body: &mut Body<Memory>,
        around: &mut Around,
        facts: &Facts,
        value: Name,
        dest: &Dest,
    ) {
        let Some(block) = self.tables.block_of(value) else { return };
        let origin = self.origin(body, around, block);
        for array in self.tables.inside(block).to_vec() {
            if let Some(lmad) = self.moved(dest, array) {
                self.tables.set_place(array, Place { block: dest.place.block, lmad });
                let inner = self.parts.remove(&array).unwrap_or_default();
                self.parts.insert(array, dest.parts.iter().copied().chain(inner).collect());
            }
        }
        if let Some(Origin::Branches(i)) = origin {
            self.move_in_branches(&mut body.stms[i], facts, block, dest);
            around.changed(body, i);
        }
    }

    /// Removes allocations of blocks in which nothing is left.
    fn remove_unused(&self, body: &mut Body<Memory>) {
        let unused = |s: &Stm<Memory>| {
            let empty = |b: &Name| self.tables.inside(*b).is_empty() && !self.passed.contains_key(b);
            is_alloc(&s.exp) && s.pat.iter().all(|p| empty(&p.name))
        };
        body.stms.retain(|s| !unused(s));
        for stm in &mut body.stms {
            map_bodies(&mut stm.exp, &mut |inner| deep(|| self.remove_unused(inner)));
        }
    }
}

impl Dest {
    /// The names that the place depends on.
    fn names(&self) -> impl Iterator<Item = Name> {
        self.place.lmad.vars().into_iter().map(sym_name).chain([self.place.block])
    }
}

/// Where the block of a value comes from.
#[derive(Clone, Copy)]
enum Origin {
    /// This statement allocates it.
    Alloc(usize),
    /// The branches of this statement return it.
    Branches(usize),
}

/// The operators of a parallel operation, and what comes after it.
fn operators(kind: &mut SegKind<Memory>) -> Vec<&mut Lambda<Memory>> {
    match kind {
        SegKind::Map => vec![],
        SegKind::Red(ops) => ops.iter_mut().map(|op| &mut op.op).collect(),
        SegKind::Scan(ops, after) => {
            ops.iter_mut().map(|op| &mut op.op).chain(after.iter_mut().map(|a| &mut a.lambda)).collect()
        }
        SegKind::Hist(ops) => ops.iter_mut().map(|op| &mut op.op).collect(),
    }
}

/// Whether an expression makes an array from nothing but its operands.
fn makes_array(exp: &Exp<Memory>) -> bool {
    match exp {
        Exp::Basic(b) => b.is_fresh(),
        Exp::Op(op) => matches!(op, MemOp::Seg(_)),
        Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => false,
    }
}

fn is_alloc(exp: &Exp<Memory>) -> bool {
    matches!(exp, Exp::Op(MemOp::Alloc(..)))
}

/// How many elements an array has.
fn elements(ty: &Type) -> Option<Poly> {
    match ty {
        Type::Array(_, shape) => {
            let sizes: Vec<Poly> = shape.iter().map(|n| fehu_ir::mem::poly(*n)).collect();
            Some(Poly::product(&sizes)).filter(Poly::is_known)
        }
        Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => None,
    }
}
