//! Inside of kernels, loops that compute arrays anew use parts of one block in turns.
//!
//! Before: a program over `Memory`, before expansion. In kernels, blocks are not handed on: what a loop
//! carries is in one block, and what iterations compute is copied there (see `introduce/pinned`). Where
//! short-circuiting left such a copy, the block gets room for another array of this size, and iterations hand
//! on where in the block the arrays are:
//!
//! ```text
//! let (b : mem) = alloc(4*n)                           let (b : mem) = alloc(8*n)
//! let (x : [n]i32 @ b) = copy(a)                       let (x : [n]i32 @ b) = copy(a)
//! loop (p : [n]i32 @ b = x) for i < k {                loop (p : [n]i32 @ b -> at + {(n : 1)} = x, at : i64 = 0, free : i64 = n)
//!   let (c : mem) = alloc(4*n)                           for i < k {
//!   let (y : [n]i32 @ c) = ... p ...                     let (y : [n]i32 @ b -> free + {(n : 1)}) = ... p ...
//!   let (z : [n]i32 @ b) = copy(y)                       return (y, free, at)
//!   return (z)                                         }
//! }
//! ```
//!
//! Where a loop carries several arrays of one shape that go from one parameter to another, all are in one
//! block, and nothing is copied between them. The array that goes on may be the parameter itself, or what the
//! iteration made of it in place, as in loops that read one array, write another and swap them:
//!
//! ```text
//! loop (p : [n]i32 @ b, q : [n]i32 @ c) for i < k {    loop (p @ b -> at, q @ b -> to, at = 0, to = n) for i < k {
//!   let (r : [n]i32 @ c) = ... p ... written to q        let (r : [n]i32 @ b -> to) = ... p ... written to q
//!   let (t @ d) = copy(r)                                return (r, p, to, at)
//!   let (p' @ c) = copy(p)                             }
//!   let (r' @ b) = copy(t)
//!   return (r', p')
//! }
//! ```
//!
//! If the loop's array is in the result of the kernel, where there is no room for a second one, it gets
//! a block of its own, and is copied to the result once, after the loop.
//!
//! A block takes turns only as a whole: if an iteration makes a longer array in it and hands on a part of
//! that, it has no place in a part of this size, and is copied.
//!
//! Arrays that will be registers ([`results::THREAD_BYTES`]) are copied: registers have no index that is
//! known only at run time.

use crate::builder::{MemBuilder, Place};
use crate::constants::with_constants;
use crate::tables::Tables;
use crate::within::is_parallel;
use fehu_algebra::horner::Arith;
use fehu_algebra::Poly;
use fehu_base::prim::PrimType;
use fehu_base::tuning::results;
use fehu_base::Name;
use fehu_ir::mem::{poly, Lmad, MemInfo, MemOp};
use fehu_ir::seg::SegLevel;
use fehu_ir::subst::Subst;
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, look, map_bodies, Visitor};
use fehu_ir::{Basic, Body, Exp, Loop, Memory, Param, PatElem, Prog, Space, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops in kernels that compute arrays anew use parts of a block in turns.
pub static PASS: Pass<Prog<Memory>> =
    Pass { name: "double-buffer-in-kernels", need: Need::Optional, run: buffers };

fn buffers(prog: &mut Prog<Memory>) {
    if is_parallel(prog) {
        with_constants(prog, of_functions);
    }
}

fn of_functions(prog: &mut Prog<Memory>) {
    let tables = Tables::of(prog);
    let b = MemBuilder::new(std::mem::take(&mut prog.names), Types::default());
    let mut views = Views::default();
    prog.funs.iter().for_each(|f| views.body(&f.body));
    let mut pass = Buffers { tables, views: views.0, b, level: None };
    for fun in &mut prog.funs {
        pass.body(&mut fun.body, false);
    }
    pass.tables.write(prog);
    prog.names = pass.b.names;
}

struct Buffers {
    tables: Tables,
    /// Arrays that are others, or parts of others.
    views: FxHashSet<Name>,
    b: MemBuilder,
    /// Of the innermost operation around.
    level: Option<SegLevel>,
}

/// What a loop's array is from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// An array in a block that the iteration allocates.
    Fresh { array: Name, block: Name },
    /// What another parameter was, by its number, or became where it is.
    Param(usize),
}

/// An array that a loop carries and that is copied back.
#[derive(Clone, Debug)]
struct Carried {
    /// The number of the parameter.
    at: usize,
    param: Name,
    block: Name,
    lmad: Lmad,
    elem: PrimType,
    /// The copy that the iteration hands on, what that is a copy of, and so on.
    copies: Vec<Name>,
    /// What was copied first.
    from: Name,
    source: Source,
}

/// Arrays that take turns in one block.
struct Ring {
    carried: Vec<Carried>,
    /// The statement that allocates their block, the first of them; else the first array in it, if one of them has no
    /// block of its own.
    start: Start,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Start {
    Alloc(usize),
    Array(usize),
}

/// Where in a body arrays and blocks are bound, by the number of the statement that they are bound in.
type Positions = FxHashMap<Name, usize>;

impl Buffers {
    /// `whole` if this is the body of an operation.
    fn body(&mut self, body: &mut Body<Memory>, whole: bool) {
        deep(|| {
            for stm in &mut body.stms {
                let outer = self.level;
                let whole = matches!(stm.exp, Exp::Op(MemOp::Seg(_)));
                if let Exp::Op(MemOp::Seg(seg)) = &stm.exp {
                    self.level = Some(seg.level).filter(|l| *l != SegLevel::Task);
                }
                map_bodies(&mut stm.exp, &mut |inner| self.body(inner, whole));
                self.level = outer;
            }
        });
        if self.level.is_none() || !body.stms.iter().any(|s| matches!(s.exp, Exp::Loop(_))) {
            return;
        }
        let mut positions = positions(body);
        let mut i = 0;
        while i < body.stms.len() {
            while let Some(ring) = self.ring(body, &positions, i, whole) {
                i = self.apply(body, &positions, i, &ring);
                positions = self::positions(body);
            }
            i += 1;
        }
    }

    /// Arrays that the loop at this place carries and copies back.
    fn ring(&self, body: &Body<Memory>, positions: &Positions, at: usize, whole: bool) -> Option<Ring> {
        let Exp::Loop(l) = &body.stms[at].exp else { return None };
        let defs: FxHashMap<Name, &Exp<Memory>> =
            l.body.stms.iter().filter_map(|s| Some((s.pat.first()?.name, &s.exp))).collect();
        let inside = self::positions(&l.body);
        let carried: Vec<Carried> =
            (0..l.params.len()).filter_map(|k| self.carried(l, &body.stms[at].pat, &defs, k)).collect();
        carried.iter().find_map(|first| {
            let ring = connected(&carried, first)?;
            if !self.is_last(&ring, l, &inside) {
                return None;
            }
            let starts: Option<Vec<Start>> =
                ring.iter().map(|c| self.start(body, positions, at, whole, l, c)).collect();
            let starts = starts?;
            let first = starts.iter().map(Start::place).min()?;
            let allocated = starts.iter().all(|s| matches!(s, Start::Alloc(_)));
            let start = if allocated { Start::Alloc(first) } else { Start::Array(first) };
            // The block is that of the array which is allocated first.
            let mut carried = ring;
            if let Some(first) = starts.iter().position(|s| *s == start) {
                carried.rotate_left(first);
            }
            Some(Ring { carried, start })
        })
    }

    /// The array of this parameter, if it is copied back.
    fn carried(
        &self,
        l: &Loop<Memory>,
        pat: &[PatElem<Memory>],
        defs: &FxHashMap<Name, &Exp<Memory>>,
        at: usize,
    ) -> Option<Carried> {
        let param = l.params.get(at)?.0.name;
        let place = self.tables.place(param)?;
        let elem = self.tables.types.get(&param)?.elem()?;
        let copy = l.body.result.get(at)?.name()?;
        let result = pat.get(at)?.name;
        let stays = [copy, result].iter().all(|n| self.tables.place(*n) == Some(place));
        if !stays || !place.is_row_major() || self.is_register(place, elem) {
            return None;
        }
        let Exp::Basic(Basic::Copy(copied)) = defs.get(&copy)? else { return None };
        let Place { block, lmad } = place.clone();
        let carried = |copies, from, source| Carried { at, param, block, lmad, elem, copies, from, source };
        if let Some((copies, from, source)) = self.param_behind(l, defs, copy) {
            return Some(carried(copies, from, source));
        }
        let own = self.tables.place(*copied)?;
        let same = own.is_direct() && own.lmad.dims == place.lmad.dims;
        let allocated = matches!(defs.get(&own.block), Some(Exp::Op(MemOp::Alloc(..))));
        let fits = self.holds_only(own.block, &place.lmad.elements(), elem);
        let source = Source::Fresh { array: *copied, block: own.block };
        (same && allocated && fits).then(|| carried(vec![copy], *copied, source))
    }

    /// Whether all arrays that begin where a block begins have so many elements of this size.
    fn holds_only(&self, block: Name, elements: &Poly, elem: PrimType) -> bool {
        let mut made = self.tables.inside(block).iter().filter(|a| !self.views.contains(a));
        made.all(|array| {
            let Some(place) = self.tables.place(*array).filter(|p| p.is_direct()) else { return true };
            let bytes = self.tables.types.get(array).and_then(Type::elem).map(PrimType::bytes);
            bytes == Some(elem.bytes()) && place.lmad.elements() == *elements
        })
    }

    /// Follows copies, from this one on, to an array that is where a parameter of the loop is.
    fn param_behind(
        &self,
        l: &Loop<Memory>,
        defs: &FxHashMap<Name, &Exp<Memory>>,
        copy: Name,
    ) -> Option<(Vec<Name>, Name, Source)> {
        let (mut copies, mut from) = (vec![], copy);
        while let Some(Exp::Basic(Basic::Copy(next))) = defs.get(&from) {
            copies.push(from);
            from = *next;
        }
        let place = self.tables.place(from)?;
        let here = |p: Name| p == from || self.tables.place(p) == Some(place);
        let number = l.params.iter().position(|(p, _)| here(p.name))?;
        Some((copies, from, Source::Param(number)))
    }

    /// Whether iterations write nothing to the blocks of these arrays after the first copy of one of them, other than
    /// copies for the next iteration, which nobody else reads; nor to a fresh block after it is copied.
    fn is_last(&self, ring: &[Carried], l: &Loop<Memory>, positions: &Positions) -> bool {
        let at = |n: &Name| positions.get(n).copied();
        let copies: FxHashSet<Name> = ring.iter().flat_map(|c| c.copies.iter().copied()).collect();
        let Some(first) = copies.iter().filter_map(at).min() else { return false };
        let before = |block: Name, copied: usize| {
            self.tables.inside(block).iter().all(|array| match at(array) {
                Some(_) if copies.contains(array) => {
                    let mut uses = Uses { name: *array, count: 0 };
                    uses.body(&l.body);
                    uses.count == 1
                }
                Some(bound) => bound < copied,
                None => true,
            })
        };
        ring.iter().all(|c| {
            let fresh = c.source.fresh().is_none_or(|(_, block)| {
                c.copies.first().and_then(at).is_some_and(|copied| before(block, copied))
            });
            fresh && before(c.block, first)
        })
    }

    /// Whether an array is small enough to be in registers.
    fn is_register(&self, place: &Place, elem: PrimType) -> bool {
        let bytes = place.lmad.elements().as_constant().map(|n| n.saturating_mul(elem.bytes() as i64));
        self.level != Some(SegLevel::Block) && bytes.is_some_and(|n| n <= results::THREAD_BYTES)
    }

    /// Where the block of an array begins, if it can be made larger or replaced.
    fn start(
        &self,
        body: &Body<Memory>,
        positions: &Positions,
        at: usize,
        whole: bool,
        l: &Loop<Memory>,
        c: &Carried,
    ) -> Option<Start> {
        if let Some(alloc) = positions.get(&c.block).copied() {
            let here = matches!(body.stms[alloc].exp, Exp::Op(MemOp::Alloc(..)));
            let whole = self.tables.place(c.param)?.is_direct()
                && self.holds_only(c.block, &c.lmad.elements(), c.elem);
            return (here && whole).then_some(Start::Alloc(alloc));
        }
        // What is there before the loop is made in this body, from the first array on, and becomes what the
        // loop begins with.
        let place = self.tables.place(c.param);
        let mut first: Option<usize> = None;
        for array in self.tables.inside(c.block) {
            let Some(bound) = positions.get(array).copied().filter(|p| *p != at) else { continue };
            if bound > at || self.tables.place(*array) != place {
                return None;
            }
            first = Some(first.map_or(bound, |f| f.min(bound)));
        }
        let made = first?;
        let fresh = matches!(
            body.stms[made].exp,
            Exp::Basic(Basic::Copy(_) | Basic::Replicate(..) | Basic::Iota { .. } | Basic::Scratch(..))
        );
        let init = l.params.get(c.at)?.1.name()?;
        let result = body.stms[at].pat.get(c.at).map(|p| SubExp::Var(p.name))?;
        let returned = body.result.iter().filter(|e| **e == result).count() <= 1;
        let mut others = Uses { name: init, count: 0 };
        body.stms.iter().for_each(|s| others.stm(s));
        (whole && fresh && returned && others.count == 1).then_some(Start::Array(made))
    }

    /// Lets the arrays of a loop take turns. Returns where the loop is then.
    fn apply(&mut self, body: &mut Body<Memory>, positions: &Positions, at: usize, ring: &Ring) -> usize {
        let first = &ring.carried[0];
        let fresh: Vec<(Name, Name)> = ring.carried.iter().filter_map(|c| c.source.fresh()).collect();
        let slots = (ring.carried.len() + fresh.len()) as i64;
        let elements = first.lmad.elements();
        let fresh_i64 = |pass: &mut Self, base: &str| {
            let name = pass.b.fresh(base, Type::I64);
            pass.tables.types.insert(name, Type::I64);
            name
        };
        // The block.
        self.b.loc = body.stms[at].loc.clone();
        self.b.begin();
        let (place, block) = match ring.start {
            Start::Alloc(k) => {
                if let Exp::Op(MemOp::Alloc(bytes, _)) = &mut body.stms[k].exp {
                    *bytes = self.b.mul(*bytes, SubExp::i64(slots));
                }
                (k, first.block)
            }
            Start::Array(k) => {
                let all = &elements * &Poly::constant(slots * first.elem.bytes() as i64);
                let bytes = self.b.emit(&all, "bytes");
                let block = self.b.fresh_block(first.param);
                self.tables.types.insert(block, Type::Mem(Space::Default));
                let pat = vec![PatElem { name: block, ty: Type::Mem(Space::Default), dec: MemInfo::None }];
                self.b.push(pat, Exp::Op(MemOp::Alloc(bytes, Space::Default)));
                (k, block)
            }
        };
        let mut added = self.b.close();
        let mut start = added.len();
        body.stms.splice(place..place, added);
        // Where its parts begin.
        self.b.begin();
        let starts: Vec<SubExp> =
            (0..slots).map(|k| self.b.emit(&(&elements * &Poly::constant(k)), "start")).collect();
        added = self.b.close();
        let loop_at = at + start + added.len();
        start += at;
        body.stms.splice(start..start, added);
        let now: Vec<Name> = (0..slots).map(|_| fresh_i64(self, "at")).collect();
        let end: Vec<Name> = (0..slots).map(|_| fresh_i64(self, "at")).collect();
        let pattern: FxHashSet<Name> = body.stms[loop_at].pat.iter().map(|p| p.name).collect();
        for (k, c) in ring.carried.iter().enumerate() {
            for array in self.tables.inside(c.block).to_vec() {
                let Some(bound) = positions.get(&array).copied() else { continue };
                let base = if bound < at {
                    &elements * &Poly::constant(k as i64)
                } else if bound > at || pattern.contains(&array) {
                    poly(end[k].into())
                } else {
                    poly(now[k].into())
                };
                self.shift(array, block, &(base - &c.lmad.offset));
            }
        }
        for (k, (_, own)) in fresh.iter().enumerate() {
            for array in self.tables.inside(*own).to_vec() {
                self.shift(array, block, &poly(now[ring.carried.len() + k].into()));
            }
        }
        let stm = &mut body.stms[loop_at];
        stm.pat.extend(end.iter().map(|n| PatElem { name: *n, ty: Type::I64, dec: MemInfo::None }));
        if let Exp::Loop(l) = &mut stm.exp {
            turn(l, ring, &now, &starts);
            let copies = ring.carried.iter().flat_map(|c| &c.copies[1..]);
            copies.for_each(|copy| self.drop_unused(l, *copy));
        }
        let replaced = match ring.start {
            Start::Alloc(_) => &ring.carried[1..],
            Start::Array(_) => &ring.carried[..],
        };
        let kept = |s: &Stm<Memory>| {
            let alloc = matches!(s.exp, Exp::Op(MemOp::Alloc(..)));
            !(alloc && replaced.iter().any(|c| s.pat.iter().any(|p| p.name == c.block)))
        };
        let gone = body.stms[..loop_at].iter().filter(|s| !kept(s)).count();
        body.stms.retain(kept);
        loop_at - gone
    }

    /// Takes a copy of a parameter out of a loop's body if nobody uses it any more, and its block.
    fn drop_unused(&self, l: &mut Loop<Memory>, copy: Name) {
        let mut uses = Uses { name: copy, count: 0 };
        uses.body(&l.body);
        let Some(block) = self.tables.block_of(copy).filter(|_| uses.count == 0) else { return };
        let alone = self.tables.inside(block) == [copy];
        let binds = |s: &Stm<Memory>, n: Name| s.pat.iter().any(|p| p.name == n);
        l.body.stms.retain(|s| !binds(s, copy) && (!alone || !binds(s, block)));
    }

    fn shift(&mut self, array: Name, block: Name, by: &Poly) {
        if let Some(place) = self.tables.place(array) {
            let lmad = place.lmad.shifted(by);
            self.tables.set_place(array, Place { block, lmad });
        }
    }
}

impl Start {
    /// The number of the statement.
    fn place(&self) -> usize {
        match self {
            Start::Alloc(k) | Start::Array(k) => *k,
        }
    }
}

impl Source {
    fn fresh(&self) -> Option<(Name, Name)> {
        match self {
            Source::Fresh { array, block } => Some((*array, *block)),
            Source::Param(_) => None,
        }
    }
}

/// Changes a loop, in which the starts of parts are called `now`.
fn turn(l: &mut Loop<Memory>, ring: &Ring, now: &[Name], starts: &[SubExp]) {
    for (name, init) in now.iter().zip(starts) {
        let param = Param { name: *name, ty: Type::I64, dec: MemInfo::None, consumed: false };
        l.params.push((param, *init));
    }
    let mut same = Subst::new();
    let mut gone: FxHashSet<Name> = FxHashSet::default();
    let mut free = now[ring.carried.len()..].iter();
    let mut next = vec![];
    let mut taken = FxHashSet::default();
    for c in &ring.carried {
        let Some(copy) = c.copies.first() else { continue };
        gone.insert(*copy);
        same.insert(*copy, c.from);
        match c.source {
            Source::Fresh { block, .. } => {
                gone.insert(block);
                next.extend(free.next().copied());
            }
            Source::Param(k) => {
                let Some(from) = ring.carried.iter().position(|c| c.at == k) else { continue };
                next.push(now[from]);
                taken.insert(from);
            }
        }
    }
    let left = (0..ring.carried.len()).filter(|k| !taken.contains(k)).map(|k| now[k]);
    next.extend(left);
    l.body.stms.retain(|s| !s.pat.iter().any(|p| gone.contains(&p.name)));
    same.body(&mut l.body);
    l.body.result.extend(next.into_iter().map(SubExp::Var));
}

/// The arrays that go from one parameter to another, with this one among them, if all of them are of one form.
fn connected(all: &[Carried], first: &Carried) -> Option<Vec<Carried>> {
    let mut ring = vec![first.clone()];
    let mut k = 0;
    while let Some(c) = ring.get(k).cloned() {
        let near = |o: &&Carried| c.source == Source::Param(o.at) || o.source == Source::Param(c.at);
        let known = ring.clone();
        ring.extend(all.iter().filter(near).filter(|o| known.iter().all(|r| r.at != o.at)).cloned());
        k += 1;
    }
    let mut sources = FxHashSet::default();
    let fine = ring.iter().all(|c| {
        let form = c.elem == first.elem && c.lmad.dims == first.lmad.dims;
        let from = match c.source {
            Source::Param(k) => k != c.at && sources.insert(k) && ring.iter().any(|o| o.at == k),
            Source::Fresh { block, .. } => {
                ring.iter().filter(|o| o.source.fresh().is_some_and(|(_, b)| b == block)).count() == 1
            }
        };
        form && from
    });
    fine.then_some(ring)
}

/// Where in a body what is bound in its statements is bound.
fn positions(body: &Body<Memory>) -> Positions {
    let mut found = Bound { at: 0, found: Positions::default() };
    for (i, stm) in body.stms.iter().enumerate() {
        found.at = i;
        found.stm(stm);
    }
    found.found
}

struct Bound {
    at: usize,
    found: Positions,
}

impl Visitor<Memory> for Bound {
    fn bound(&mut self, n: &Name) {
        self.found.insert(*n, self.at);
    }
}

/// Names of arrays that share the memory of another.
#[derive(Default)]
struct Views(FxHashSet<Name>);

impl Visitor<Memory> for Views {
    fn stm(&mut self, s: &Stm<Memory>) {
        let is_view = matches!(
            s.exp,
            Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..) | Basic::Rearrange(..) | Basic::Reshape(..))
        );
        if is_view {
            self.0.extend(s.pat.iter().map(|p| p.name));
        }
        look::stm(self, s);
    }
}

/// How often a name is used.
struct Uses {
    name: Name,
    count: usize,
}

impl Visitor<Memory> for Uses {
    fn name(&mut self, n: &Name) {
        self.count += usize::from(*n == self.name);
    }
}
