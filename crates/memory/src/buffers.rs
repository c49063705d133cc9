//! Loops that compute an array anew in each iteration do so in blocks that are there before.
//!
//! Before: a program over `Memory`. After: a loop whose iterations allocate a block of always the same size
//! and hand it on carries blocks enough, which its iterations use in turns. Nothing is copied and nothing
//! allocated in the loop.
//!
//! ```text
//! loop (m : mem = x, xs : [n]i32 @ m = a)        let (b : mem) = alloc(4*n)
//!   for i < k {                                  let (c : mem) = alloc(4*n)
//!   let (f : mem) = alloc(4*n)                   loop (m : mem = x, xs : [n]i32 @ m = a, b' : mem = b, c' : mem = c)
//!   let (ys : [n]i32 @ f) = ... xs ...             for i < k {
//!   return (f, ys)                                 let (ys : [n]i32 @ b') = ... xs ...
//! }                                                return (b', ys, c', b')
//!                                                }
//! ```
//!
//! A block that an iteration hands on is in use for as many further iterations as it takes to be handed on
//! from parameter to parameter (`(xs, ys) = (ys, map2 (+) xs ys)`: two), so there are that many blocks and
//! one. Where the block that the loop starts with is not used otherwise, it is one of them: `c` is `x` above.
//! It must have been allocated for an array of the same size, be that of an argument which the function
//! consumes, or be the result of a loop for which this holds.
//!
//! Where that is not so, one block is still enough if no element needs what is overwritten before it
//! (`xs[i] + 1`): the first iteration reads what must stay and writes the block, the others read and write the block.
//! The overlap test decides, as in [`loops_in_place`](crate::loops_in_place), which is for loops that may
//! overwrite what they start with.
//!
//! Inside of kernels, where blocks are not handed on, see `kernel`.

pub mod kernel;

use crate::budget::Budget;
use crate::builder::MemBuilder;
use crate::constants::with_constants;
use crate::hoist;
use crate::loops_in_place::in_place;
use crate::merge::sizes::{key, Sizes};
use crate::tables::{mentions, operand_counts, Tables};
use crate::within::any_stm;
use fehu_algebra::horner::Arith;
use fehu_algebra::{Facts, Poly};
use fehu_analysis::access::{accesses, Kind};
use fehu_analysis::order::Side;
use fehu_analysis::{Callees, Known};
use fehu_base::ops::{CmpOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::seg::SegLevel;
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, map_bodies, Mutator};
use fehu_ir::{
    Basic, Body, Exp, FunDef, Loop, LoopForm, Memory, Param, PatElem, Prog, Space, Stm, SubExp, Type,
};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops that compute arrays anew use blocks in turns.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "double-buffer", need: Need::Optional, run: buffers };

/// A block is handed on from parameter to parameter at most so often.
const MOST_TURNS: usize = 4;

fn buffers(prog: &mut Prog<Memory>) {
    with_constants(prog, of_functions);
}

fn of_functions(prog: &mut Prog<Memory>) {
    let with_blocks = |stm: &Stm<Memory>| matches!(&stm.exp, Exp::Loop(l) if hands_on_blocks(l));
    if !prog.funs.iter().any(|fun| any_stm(&fun.body, with_blocks)) {
        return;
    }
    let tables = Tables::of(prog);
    let mut b = MemBuilder::new(std::mem::take(&mut prog.names), Types::default());
    for fun in prog.funs.iter_mut().filter(|fun| any_stm(&fun.body, with_blocks)) {
        let sizes = Sizes::of(&fun.body);
        let known = Known::of_fun(fun);
        let mut pass = Buffers { tables: &tables, sizes, known, budget: Budget::of(&fun.body), b: &mut b };
        let own = pass.consumed(fun);
        pass.body(&mut fun.body, own);
    }
    prog.names = b.names;
}

struct Buffers<'a> {
    tables: &'a Tables,
    sizes: Sizes,
    known: Known,
    budget: Budget,
    b: &'a mut MemBuilder,
}

/// A block that iterations allocate and hand on.
struct Handed {
    block: Name,
    /// The parameters that it then is, one iteration after the other.
    turns: Vec<usize>,
    /// What stands for its size.
    size: String,
}

/// What is known of the blocks that a body binds.
struct Around {
    /// The last statement that uses a block or what is in it.
    last: FxHashMap<Name, usize>,
    /// How often names are operands.
    passed: FxHashMap<Name, usize>,
}

impl Buffers<'_> {
    /// The blocks of the arguments that a function consumes and that fill them, with what stands for their size.
    fn consumed(&mut self, fun: &FunDef<Memory>) -> FxHashMap<Name, String> {
        let mut own = FxHashMap::default();
        for p in fun.params.iter().filter(|p| p.consumed) {
            let (Some(place), Type::Array(elem, shape)) = (self.tables.place(p.name), &p.ty) else {
                continue;
            };
            if place.lmad.is_direct(&Facts::new()) {
                let sizes: Vec<Poly> = shape.iter().map(|n| self.sizes.size(*n)).collect();
                let bytes = Poly::product(&sizes) * i64::try_from(elem.bytes()).unwrap_or(i64::MAX);
                own.insert(place.block, key(&bytes));
            }
        }
        own
    }

    /// Code of the host. `own` are the blocks that it may use for other arrays, with what stands for their size.
    fn body(&mut self, body: &mut Body<Memory>, mut own: FxHashMap<Name, String>) {
        let has_loops = body.stms.iter().any(|s| matches!(&s.exp, Exp::Loop(l) if hands_on_blocks(l)));
        let around = if has_loops { Some(self.around(body)) } else { None };
        deep(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for (i, mut stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
                match &mut stm.exp {
                    Exp::Op(MemOp::Alloc(bytes, Space::Default)) => {
                        let size = key(&self.sizes.size(*bytes));
                        own.extend(stm.pat.iter().map(|p| (p.name, size.clone())));
                    }
                    // Kernels do not hand on blocks.
                    Exp::Op(MemOp::Seg(seg)) if seg.level != SegLevel::Task => {}
                    other @ (Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(_)) => map_bodies(other, &mut |inner| self.body(inner, FxHashMap::default())),
                }
                if let Some(around) = &around {
                    let used_up =
                        |n: Name| around.last.get(&n) == Some(&i) && around.passed.get(&n) == Some(&1);
                    self.loop_(&mut out, &mut stm, &mut own, &used_up);
                }
                out.push(stm);
            }
            body.stms = out;
        });
    }

    fn around(&self, body: &Body<Memory>) -> Around {
        let mut last = FxHashMap::default();
        for (i, stm) in body.stms.iter().enumerate() {
            last.extend(mentions(stm).into_iter().filter_map(|n| Some((self.tables.block_of(n)?, i))));
        }
        let results = body.result.iter().filter_map(|e| self.tables.block_of(e.name()?));
        last.extend(results.map(|block| (block, usize::MAX)));
        Around { last, passed: operand_counts(body) }
    }

    /// A statement that may be a loop. `used_up` says of a block that this statement is the last to use it,
    /// and the only one that it is passed to.
    fn loop_(
        &mut self,
        out: &mut Vec<Stm<Memory>>,
        stm: &mut Stm<Memory>,
        own: &mut FxHashMap<Name, String>,
        used_up: &dyn Fn(Name) -> bool,
    ) {
        let Exp::Loop(l) = &mut stm.exp else { return };
        let handed = self.handed(l);
        if handed.is_empty() {
            return;
        }
        let one_is_enough: FxHashSet<Name> =
            handed.iter().filter(|h| self.computed_in_place(l, h)).map(|h| h.block).collect();
        let inside: FxHashSet<Name> =
            l.body.stms.iter().flat_map(mentions).filter_map(|n| self.tables.block_of(n)).collect();
        let blocks: FxHashSet<Name> = handed.iter().map(|h| h.block).collect();
        let moved = hoist::invariant(l, &blocks);
        if moved.is_empty() {
            return;
        }
        self.b.begin();
        self.b.loc = stm.loc.clone();
        hoist::guarded(self.b, l, moved);
        let mut before = self.b.close();
        let mut bytes: FxHashMap<Name, SubExp> = FxHashMap::default();
        for s in &before {
            if let (Exp::Op(MemOp::Alloc(size, _)), [p]) = (&s.exp, &s.pat[..]) {
                bytes.insert(p.name, *size);
            }
        }
        let mut renamed = Renamed(FxHashMap::default());
        for Handed { block, turns, size } in handed {
            let Some(bytes) = bytes.get(&block).copied() else { continue };
            let mut all = vec![block];
            let mut all_own = true;
            let start = |k: usize| l.params.get(k).and_then(|(_, init)| init.name());
            let free = |n: &Name| own.get(n) == Some(&size) && used_up(*n) && !inside.contains(n);
            if one_is_enough.contains(&block) && !turns.iter().filter_map(|k| start(*k)).any(|n| free(&n)) {
                continue;
            }
            // The first one to be free is what the last parameter starts with.
            for k in turns.iter().rev() {
                let reused = start(*k).filter(|n| free(n) && !all.contains(n));
                all_own &= reused.is_some();
                let turn = all.len() as i64;
                all.push(reused.unwrap_or_else(|| self.allocated(&mut before, &l.form, block, bytes, turn)));
            }
            if all_own {
                own.extend(turns.iter().filter_map(|k| Some((stm.pat.get(*k)?.name, size.clone()))));
            }
            let params: Vec<Name> = all.iter().map(|_| self.b.fresh_block(block)).collect();
            for (p, init) in params.iter().zip(&all) {
                let ty = Type::Mem(Space::Default);
                let param = Param { name: *p, ty: ty.clone(), dec: MemInfo::None, consumed: false };
                l.params.push((param, (*init).into()));
                let name = self.b.fresh_block(block);
                stm.pat.push(PatElem { name, ty, dec: MemInfo::None });
            }
            l.body.result.extend(params[1..].iter().chain(&params[..1]).map(|p| SubExp::Var(*p)));
            renamed.0.insert(block, params[0]);
        }
        renamed.body(&mut l.body);
        out.extend(before);
    }

    /// Whether iterations can compute what is in a block that they hand on where what they got is.
    fn computed_in_place(&self, l: &Loop<Memory>, handed: &Handed) -> bool {
        let [param] = handed.turns[..] else { return false };
        let param = l.params[param].0.name;
        let both = [param, handed.block];
        let mut arrays = both.iter().flat_map(|block| self.tables.inside(*block));
        let bytes = |n: &Name| self.tables.types.get(n).and_then(Type::elem).map(|elem| elem.bytes());
        // Places are counted in elements.
        let Some(first) = arrays.next().map(bytes) else { return false };
        if !arrays.all(|n| bytes(n) == first) {
            return false;
        }
        let side = |n| match self.tables.place(n) {
            Some(place) if place.block == handed.block => Side::Source(place.lmad.clone()),
            Some(place) if place.block == param => Side::Destination(place.lmad.clone()),
            Some(_) | None => Side::None,
        };
        let facts = self.known.in_loop(&self.known.facts(), l);
        // Only when it runs is it known whether the blocks are one, and nobody copies memory onto itself.
        !any_stm(&l.body, |stm| copies(stm, &side)) && in_place(&self.known, &facts, &self.budget, l, &side)
    }

    /// Another block of a size, for the iteration with this number. If there is none, the block is empty.
    fn allocated(
        &mut self,
        before: &mut Vec<Stm<Memory>>,
        form: &LoopForm,
        like: Name,
        bytes: SubExp,
        turn: i64,
    ) -> Name {
        self.b.begin();
        let bytes = match form {
            LoopForm::For { bound: SubExp::Const(v), .. } if v.as_i64().is_some_and(|n| n <= turn) => {
                SubExp::i64(0)
            }
            LoopForm::For { bound: bound @ SubExp::Var(_), ty, .. } => {
                let more = self.b.fresh("more", Type::BOOL);
                self.b.bind(
                    more,
                    Type::BOOL,
                    Exp::Basic(Basic::CmpOp(CmpOp::SLt(*ty), SubExp::int(*ty, turn), *bound)),
                );
                let times = self.b.fresh("more", Type::I64);
                self.b.bind(
                    times,
                    Type::I64,
                    Exp::Basic(Basic::Conv(ConvOp::BToI(IntType::I64), more.into())),
                );
                self.b.mul(bytes, times.into())
            }
            LoopForm::For { .. } | LoopForm::While(_) => bytes,
        };
        let name = self.b.fresh_block(like);
        let pat = vec![PatElem { name, ty: Type::Mem(Space::Default), dec: MemInfo::None }];
        self.b.push(pat, Exp::Op(MemOp::Alloc(bytes, Space::Default)));
        before.extend(self.b.close());
        name
    }

    /// The blocks that iterations of a loop allocate and hand on, for a number of iterations that is known.
    fn handed(&mut self, l: &Loop<Memory>) -> Vec<Handed> {
        if !hands_on_blocks(l) {
            return vec![];
        }
        let mut allocated: FxHashMap<Name, SubExp> = FxHashMap::default();
        for s in &l.body.stms {
            if let (Exp::Op(MemOp::Alloc(bytes, Space::Default)), [p]) = (&s.exp, &s.pat[..]) {
                allocated.insert(p.name, *bytes);
            }
        }
        let passed = operand_counts(&l.body);
        let mut found = vec![];
        for (k, result) in l.body.result.iter().enumerate() {
            let Some((block, bytes)) = result.name().and_then(|n| Some((n, *allocated.get(&n)?))) else {
                continue;
            };
            if passed.get(&block) == Some(&1) {
                if let Some(turns) = turns(l, &passed, k) {
                    found.push(Handed { block, turns, size: key(&self.sizes.size(bytes)) });
                }
            }
        }
        found
    }
}

/// Whether a statement by itself copies elements of the destination to the source.
fn copies(stm: &Stm<Memory>, side: &dyn Fn(Name) -> Side) -> bool {
    let results = match &stm.exp {
        Exp::Op(MemOp::Seg(seg)) => &seg.body.body.result[..],
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => &[],
    };
    let list = accesses(&Callees::default(), stm);
    let read = list.iter().filter(|a| a.kind == Kind::Read).map(|a| a.array);
    let mut read = read.chain(results.iter().filter_map(|e| e.name()));
    let written = list.iter().filter(|a| a.kind == Kind::Write).map(|a| a.array);
    let mut written = written.chain(stm.pat.iter().map(|p| p.name));
    read.any(|n| matches!(side(n), Side::Destination(_)))
        && written.any(|n| matches!(side(n), Side::Source(_)))
}

/// Whether a loop carries blocks.
fn hands_on_blocks(l: &Loop<Memory>) -> bool {
    l.params.iter().any(|(p, _)| matches!(p.ty, Type::Mem(Space::Default)))
}

/// The parameters that a block becomes which is the result for this one, if they end.
fn turns(l: &Loop<Memory>, passed: &FxHashMap<Name, usize>, first: usize) -> Option<Vec<usize>> {
    let mut turns = vec![first];
    while let Some((param, _)) = turns.last().and_then(|k| l.params.get(*k)) {
        match passed.get(&param.name) {
            None => return Some(turns),
            Some(1) => {}
            Some(_) => return None,
        }
        let next = l.body.result.iter().position(|e| *e == SubExp::Var(param.name))?;
        if turns.contains(&next) || turns.len() == MOST_TURNS {
            return None;
        }
        turns.push(next);
    }
    None
}

/// Blocks under other names.
struct Renamed(FxHashMap<Name, Name>);

impl Mutator<Memory> for Renamed {
    fn name(&mut self, n: &mut Name) {
        if let Some(by) = self.0.get(n) {
            *n = *by;
        }
    }
    fn operand(&mut self, e: &mut SubExp) {
        if let SubExp::Var(n) = e {
            self.name(n);
        }
    }
}
