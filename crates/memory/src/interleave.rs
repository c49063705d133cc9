//! Rows that threads make are interleaved while they are made, and put in order by a transposition.
//!
//! Each thread of a map that makes rows writes from the start of a row to its end. At any time, neighbouring
//! threads then write to places that are a row apart, and each of these writes is a transaction of its own.
//! If there are many elements, the threads write to a block in which the elements at one index of all rows
//! are neighbours, as in memory of their own:
//!
//! ```text
//!                                             let (use : bool) = (rows are long and many)
//!                                             let (across : i64, along : i64) = if use then { (1, n) } else { (m, 1) }
//!                                             let (x : mem) = if use then { alloc(4*n*m) } else { b }
//! let (ys : [n][m]f32 @ b) = segmap (i < n)   let (zs : [n][m]f32 @ x -> 0 + {(n : across), (m : along)}) = segmap (i < n)
//!                                             let (ys : [n][m]f32 @ b) = if use then { copy zs } else { zs }
//! ```
//!
//! Where `use` is false, `x` is `b`, and `zs` is in order already. Rows are many if the transposition, a
//! kernel of its own, costs less than the transactions that it saves: one for each time that an element is
//! used. A thread that uses elements in more loops than its row has dimensions is taken to go through it as
//! often as it has elements.
//!
//! Where warps turn what their threads write in shared memory (`impopt/walks/together`), rows that are only
//! written, by one loop from their start to their end, are written in their places if they are many, and have
//! the bytes of a tile or are whole sectors of memory, of 32 bytes: parts of sectors are read before they are
//! written.

mod walks;

use crate::builder::{MemBuilder, Place};
use crate::results::rows_of_threads;
use crate::tables::{operand_counts, Tables};
use crate::within::is_parallel;
use fehu_algebra::horner::Arith;
use fehu_algebra::Poly;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::results;
use fehu_base::Name;
use fehu_ir::free::free_in_body;
use fehu_ir::mem::{poly, Lmad, MemInfo, MemOp};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::{deep, for_each_body, look, map_bodies, Visitor};
use fehu_ir::{Basic, Body, Exp, Memory, Param, PatElem, Prog, Space, Stm, SubExp, Type};
use fehu_lmad::Dim;
use fehu_pass::{Need, Pass};

/// Rows that single threads compute are interleaved in memory.
pub static PASS: Pass<Prog<Memory>> =
    Pass { name: "interleave", need: Need::Optional, run: |prog| interleave(prog, Turning::Never) };

/// The same, on machines whose warps turn what they write (CUDA).
pub static PASS_OF_WARPS: Pass<Prog<Memory>> =
    Pass { name: "interleave", need: Need::Optional, run: |prog| interleave(prog, Turning::ByWarps) };

/// What memory is written by, if all of it is.
const SECTOR_BYTES: i64 = 32;
/// Bytes of a row that warps write together: shorter rows are written by their threads.
const TILE_BYTES: i64 = 128;

/// Whether rows that a loop writes are turned in shared memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turning {
    Never,
    ByWarps,
}

/// Interleaves the rows of all kernels.
fn interleave(prog: &mut Prog<Memory>, turning: Turning) {
    if !is_parallel(prog) {
        return;
    }
    let tables = Tables::of(prog);
    let b = MemBuilder::new(std::mem::take(&mut prog.names), tables.types.clone());
    let mut pass = Interleave { b, tables, turning };
    pass.body(&mut prog.consts);
    for fun in &mut prog.funs {
        pass.body(&mut fun.body);
    }
    pass.tables.write(prog);
    prog.names = pass.b.names;
}

struct Interleave {
    b: MemBuilder,
    tables: Tables,
    turning: Turning,
}

/// A result that can be interleaved.
struct Rows {
    /// Which one it is in the pattern.
    at: usize,
    /// The block it is in, and what is in that block while it is made.
    block: Name,
    inside: Vec<Name>,
    /// Its index function, and that of the row of a thread.
    whole: Lmad,
    row: Lmad,
    /// Whether a thread goes through its row again and again.
    repeatedly: bool,
    /// Whether warps turn it in shared memory where it is long enough.
    turned: bool,
}

impl Interleave {
    /// Code of the host.
    fn body(&mut self, body: &mut Body<Memory>) {
        deep(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                let rows = match &stm.exp {
                    Exp::Op(MemOp::Seg(seg)) => self.rows(seg, &stm.pat),
                    Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(_) => {
                        map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
                        vec![]
                    }
                };
                let mut after = vec![];
                for rows in rows {
                    self.apply(&mut out, &mut stm, &rows, &mut after);
                }
                out.push(stm);
                out.append(&mut after);
            }
            body.stms = out;
        });
    }

    /// The results of an operation that can be interleaved.
    fn rows(&self, seg: &SegOp<Memory>, pat: &[PatElem<Memory>]) -> Vec<Rows> {
        let index: Vec<Poly> = seg.space.dims.iter().map(|d| poly(d.0.into())).collect();
        let candidates = rows_of_threads(seg);
        if candidates.is_empty() {
            return vec![];
        }
        let (passed, free) = (operand_counts(&seg.body.body), free_in_body(&seg.body.body));
        let mut found = vec![];
        for at in candidates {
            let Some(place) = pat.get(at).and_then(|p| self.tables.place(p.name)) else { continue };
            let in_block = |n: Name| self.tables.block_of(n) == Some(place.block);
            let alone = pat.iter().filter(|p| in_block(p.name)).count() == 1
                && !passed.contains_key(&place.block)
                && !free.iter().any(|n| self.tables.is_array(*n) && in_block(*n));
            if let (true, true, Some(row)) = (alone, place.is_direct(), place.lmad.fix_outer(&index)) {
                let turned = self.turning == Turning::ByWarps
                    && seg.space.dims.len() == 1
                    && walks::is_written_by_one_walk(&self.tables, &seg.body.body, place.block, &row);
                let mut inside = Inside { tables: &self.tables, block: place.block, found: vec![] };
                inside.body(&seg.body.body);
                let repeatedly = self.loops_around_uses(&seg.body.body, place.block) > row.dims.len();
                found.push(Rows {
                    at,
                    block: place.block,
                    inside: inside.found,
                    whole: place.lmad.clone(),
                    row,
                    repeatedly,
                    turned,
                });
            }
        }
        found
    }

    /// How many loops are around the innermost use of an element of a block.
    fn loops_around_uses(&self, body: &Body<Memory>, block: Name) -> usize {
        let mut most = 0;
        for stm in &body.stms {
            let around = match &stm.exp {
                Exp::Loop(_) => 1,
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => 0,
            };
            for_each_body(&stm.exp, &mut |inner| {
                let uses = free_in_body(inner).iter().any(|n| self.tables.block_of(*n) == Some(block));
                let within = deep(|| self.loops_around_uses(inner, block));
                most = most.max(if uses || within > 0 { around + within } else { 0 });
            });
        }
        most
    }

    /// Interleaves a result: what goes before the operation, and what comes after it.
    fn apply(
        &mut self,
        out: &mut Vec<Stm<Memory>>,
        stm: &mut Stm<Memory>,
        rows: &Rows,
        after: &mut Vec<Stm<Memory>>,
    ) {
        let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { return };
        let PatElem { name, ty, .. } = stm.pat[rows.at].clone();
        let Some(elem) = ty.elem() else { return };
        let dims: Vec<(Name, SubExp)> = seg.space.dims.clone();
        self.b.loc = stm.loc.clone();
        self.b.begin();
        let shape = ty.shape();
        let threads = self.product(&shape[..dims.len()]);
        let long = self.product(&shape[dims.len()..]);
        let all = self.b.mul(threads, long);
        let (uses, least) = match rows.repeatedly {
            true => (self.b.mul(all, long), results::INTERLEAVED_REPEATED_ROW_ELEMENTS),
            false => (all, results::INTERLEAVED_ROW_ELEMENTS),
        };
        let tests =
            [(least, long), (results::INTERLEAVED_THREADS, threads), (results::INTERLEAVED_USES, uses)].map(
                |(least, e)| {
                    let test = Exp::Basic(Basic::CmpOp(CmpOp::SLe(IntType::I64), SubExp::i64(least), e));
                    self.value("enough", Type::BOOL, test)
                },
            );
        let both =
            self.value("enough", Type::BOOL, Exp::Basic(Basic::BinOp(BinOp::LogAnd, tests[0], tests[1])));
        let mut used =
            self.value("interleaved", Type::BOOL, Exp::Basic(Basic::BinOp(BinOp::LogAnd, both, tests[2])));
        if rows.turned {
            let elements = SubExp::i64(SECTOR_BYTES / elem.bytes() as i64);
            let over = Exp::Basic(Basic::BinOp(BinOp::SRem(IntType::I64), long, elements));
            let over = self.value("over", Type::I64, over);
            let test = Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), SubExp::i64(0), over));
            let parts = self.value("parts", Type::BOOL, test);
            let least = SubExp::i64(TILE_BYTES / elem.bytes() as i64);
            let test = Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), long, least));
            let short = self.value("short", Type::BOOL, test);
            let short = Exp::Basic(Basic::BinOp(BinOp::LogAnd, short, parts));
            let short = self.value("short", Type::BOOL, short);
            let most = SubExp::i64(results::WRITTEN_TOGETHER_THREADS);
            let few = Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), threads, most));
            let few = self.value("few", Type::BOOL, few);
            let alone = Exp::Basic(Basic::BinOp(BinOp::LogOr, few, short));
            let alone = self.value("alone", Type::BOOL, alone);
            let both = Exp::Basic(Basic::BinOp(BinOp::LogAnd, used, alone));
            used = self.value("interleaved", Type::BOOL, both);
        }
        let [across, along] = ["across", "along"].map(|base| self.b.fresh(base, Type::I64));
        let strides = [across, along].map(|n| PatElem { name: n, ty: Type::I64, dec: MemInfo::None });
        let either = |result| Box::new(Body { stms: vec![], result });
        let one = SubExp::i64(1);
        self.b.push(strides.to_vec(), Exp::If(used, either(vec![one, threads]), either(vec![long, one])));
        let block = self.block(name, used, elem.bytes() as i64, all, rows.block);
        out.extend(self.b.close());

        let mut flat = Poly::zero();
        for (i, n) in &dims {
            flat = flat * poly(*n) + poly((*i).into());
        }
        let (across, along) = (poly(across.into()), poly(along.into()));
        for array in &rows.inside {
            let Some(place) = self.tables.place(*array) else { continue };
            let mut lmad = place.lmad.clone();
            lmad.offset = &flat * &across + (&lmad.offset - &rows.row.offset) * &along;
            lmad.dims.iter_mut().for_each(|d| d.stride = &d.stride * &along);
            self.tables.set_place(*array, Place { block, lmad });
        }
        let mut lmad = rows.whole.clone();
        let mut outer = across;
        for (dim, (_, n)) in lmad.dims.iter_mut().zip(&dims).rev() {
            *dim = Dim::new(dim.size.clone(), outer.clone());
            outer = outer * poly(*n);
        }
        lmad.dims.iter_mut().skip(dims.len()).for_each(|d| d.stride = &d.stride * &along);
        let made = self.b.fresh_like(name, ty.clone());
        self.put(made, &ty, Place { block, lmad });
        stm.pat[rows.at] = PatElem { name: made, ty: ty.clone(), dec: MemInfo::None };

        // In the end the result is where it was meant to be.
        let place = Place { block: rows.block, lmad: rows.whole.clone() };
        let copy = self.b.fresh_like(name, ty.clone());
        self.put(copy, &ty, place);
        let pat = |name| vec![PatElem { name, ty: ty.clone(), dec: MemInfo::None }];
        self.b.begin();
        self.b.push(pat(copy), Exp::Basic(Basic::Copy(made)));
        let copied = self.b.end(vec![copy.into()]);
        self.b.begin();
        self.b.push(pat(name), Exp::If(used, Box::new(copied), either(vec![made.into()])));
        after.extend(self.b.close());
    }

    /// The block in which rows are made.
    fn block(&mut self, name: Name, used: SubExp, bytes: i64, elements: SubExp, own: Name) -> Name {
        let elem = |name| PatElem { name, ty: Type::Mem(Space::Default), dec: MemInfo::None };
        let fresh = self.b.fresh_block(name);
        self.b.begin();
        let bytes = self.b.mul(SubExp::i64(bytes), elements);
        self.b.push(vec![elem(fresh)], Exp::Op(MemOp::Alloc(bytes, Space::Default)));
        let made = self.b.end(vec![fresh.into()]);
        let block = self.b.fresh_block(name);
        let kept = Body { stms: vec![], result: vec![own.into()] };
        self.b.push(vec![elem(block)], Exp::If(used, Box::new(made), Box::new(kept)));
        for block in [fresh, block] {
            self.tables.types.insert(block, Type::Mem(Space::Default));
        }
        block
    }

    fn put(&mut self, array: Name, ty: &Type, place: Place) {
        self.tables.types.insert(array, ty.clone());
        self.tables.set_place(array, place);
    }

    fn value(&mut self, base: &str, ty: Type, exp: Exp<Memory>) -> SubExp {
        let name = self.b.fresh(base, ty.clone());
        self.b.bind(name, ty, exp);
        name.into()
    }

    fn product(&mut self, sizes: &[SubExp]) -> SubExp {
        sizes.iter().fold(SubExp::i64(1), |all, n| self.b.mul(all, *n))
    }
}

/// Finds the arrays that a body binds in a block.
struct Inside<'a> {
    tables: &'a Tables,
    block: Name,
    found: Vec<Name>,
}

impl Inside<'_> {
    fn see(&mut self, n: Name) {
        if self.tables.place(n).is_some_and(|p| p.block == self.block) {
            self.found.push(n);
        }
    }
}

impl Visitor<Memory> for Inside<'_> {
    fn param(&mut self, p: &Param<Memory>) {
        self.see(p.name);
        look::param(self, p);
    }
    fn pat_elem(&mut self, p: &PatElem<Memory>) {
        self.see(p.name);
        look::pat_elem(self, p);
    }
}

#[cfg(test)]
mod tests;
