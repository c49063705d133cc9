//! Threads that walk along the same row, in step, read several elements at a time.
//!
//! What all threads of a warp read alike is one line of the cache, and costs nothing but the instruction. But
//! these add up where a loop computes little for each element, or reads many rows: of the 37 instructions of
//! an iteration of the public `lavaMD`, ten read five elements and compute where they are. So iterations are
//! done in pieces that are whole and aligned, and nothing is asked in them; those before the first aligned
//! element, and those that are left, are done one by one:
//!
//! ```text
//! for j < m {                          if 24 <= m, or as before
//!   sum = sum * 0.5 + xs[row + j]      head = -row mod 4
//! }                                    for j < head { sum = sum * 0.5 + xs[row + j] }
//!                                      for piece < (m - head) / 4 {
//!                                        run = xs[row + head + 4 * piece ..]                 one read of 16 bytes
//!                                        for k < 4 { sum = sum * 0.5 + run[k] }
//!                                      }
//!                                      for j < (m - head) % 4 { ... }
//! ```
//!
//! **When.** All that an iteration reads of global memory are elements of such rows, at one and the same
//! place in each: if it reads anything else, it waits for that. It has no loops, checks or calls, and the
//! number of iterations is not a constant, which compilers of kernels unroll better by themselves.

use super::{
    constant, elements, plain_statements, var, Across, Code, Instead, Read, Replace, Walks, LEAST_BYTES,
};
use crate::loops::{renamed, Renaming};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_imp::build::{add, count_up, for_loop, i64, le, mul, quot, sub};
use fehu_imp::syntax::{Expr, KernelOp, Space};
use fehu_imp::visit::{look_at_expr, Mutator, Visitor};

/// The most statements of an iteration, of which there are many copies.
const MOST_STATEMENTS: usize = 64;
/// The fewest iterations that are done in pieces: in shorter loops, those that are done one by one are most.
/// Times: `notebook/2026-11-19-gpu-mechanisms.md`.
const LEAST_ITERATIONS: i64 = 24;
/// Pieces that are one iteration. Fewer take longer.
const PIECES: usize = 4;
/// The fewest rows: where each iteration reads one element, those that are done one by one cost as much as pieces save.
const LEAST_ROWS: usize = 2;
/// The most rows: each takes registers for a piece.
const MOST_ROWS: usize = 6;

impl Walks<'_> {
    /// The elements of rows that a loop reads, if it can be done in whole pieces.
    pub(super) fn rows_in_step(&self, x: Name, bound: &Expr, body: &Code) -> Option<Vec<Read>> {
        if constant(bound).is_some() || plain_statements(body)? > MOST_STATEMENTS {
            return None;
        }
        let reads = self.walked(x, body, Across::Same);
        let first = reads.first()?;
        let alike = reads.iter().all(|r| r.place == first.place && constant(&r.stride) == Some(1));
        let mut all = OnlyThese { reads: &reads, only: true };
        all.code(body);
        let rows = (LEAST_ROWS..=MOST_ROWS).contains(&reads.len());
        let count = elements(&reads);
        let wide = reads.iter().all(|r| r.elem.bytes() * u64::from(count) >= LEAST_BYTES);
        (alike && all.only && rows && wide && count > 1).then_some(reads)
    }

    /// The loop in whole pieces.
    pub(super) fn in_whole_pieces(
        &mut self,
        (x, ty): (Name, IntType),
        bound: Expr,
        body: Code,
        reads: Vec<Read>,
    ) -> Option<Code> {
        let count = i64::from(elements(&reads));
        let [end, head, pieces, rest, piece, first, k] =
            ["end", "head", "pieces", "rest", "piece", "first", "k"].map(|s| self.names.fresh_str(s));
        let mut start = reads.first()?.place.clone();
        Replace { x, by: converted(i64(0), IntType::I64, ty) }.expr(&mut start);
        let before =
            Expr::BinOp(BinOp::And(IntType::I64), Box::new(sub(i64(0), start)), Box::new(i64(count - 1)));
        let mut code = vec![];
        let mut set = |x: Name, e: Expr| {
            code.extend([Code::DeclareScalar(x, PrimType::I64), Code::SetScalar(x, e)]);
        };
        set(head, before);
        set(pieces, quot(sub(var(end), var(head)), i64(count)));
        set(rest, add(var(head), mul(var(pieces), i64(count))));
        let ones = self.one_by_one((x, ty), &body, var(head), i64(0));
        code.push(ones);

        let mut inside = vec![
            Code::DeclareScalar(first, PrimType::I64),
            Code::SetScalar(first, add(var(head), mul(var(piece), i64(count)))),
        ];
        let mut iteration = body.clone();
        for read in &reads {
            let run = self.names.fresh_str("run");
            let (mem, elem, count) = (read.mem, read.elem, count as u32);
            let space = Space::Scalar(elem, vec![i64::from(count)]);
            let mut offset = read.place.clone();
            Replace { x, by: converted(var(first), IntType::I64, ty) }.expr(&mut offset);
            let declared =
                KernelOp::DeclareArray { mem: run, space: space.clone(), elem, count: i64(i64::from(count)) };
            inside.extend([
                Code::Op(declared),
                Code::Op(KernelOp::ReadWhole { to: run, mem, offset, elem, count }),
            ]);
            let element = Expr::Index { mem: run, offset: Box::new(var(k)), elem, space };
            Instead { read, by: element }.code(&mut iteration);
        }
        let iteration = renamed(self.names, &iteration, &mut Renaming::default());
        let at = add(var(first), var(k));
        let point = self.point((x, ty), at, iteration);
        inside.push(count_up(k, i64(count), point));
        let body_of_piece = Box::new(Code::Seq(inside));
        code.push(Code::Op(KernelOp::UnrolledFor {
            by: Some(PIECES),
            var: piece,
            ty: IntType::I64,
            bound: var(pieces),
            body: body_of_piece,
        }));
        let ones = self.one_by_one((x, ty), &body, sub(var(end), var(rest)), var(rest));
        code.push(ones);
        let short = for_loop((x, ty), converted(var(end), IntType::I64, ty), body);
        let long = le(i64(LEAST_ITERATIONS), var(end));
        Some(Code::Seq(vec![
            Code::DeclareScalar(end, PrimType::I64),
            Code::SetScalar(end, converted(bound, ty, IntType::I64)),
            Code::If(long, Box::new(Code::Seq(code)), Box::new(short)),
        ]))
    }

    /// So many iterations, from one on, one by one.
    fn one_by_one(&mut self, x: (Name, IntType), body: &Code, count: Expr, from: Expr) -> Code {
        let k = self.names.fresh_str("k");
        let iteration = renamed(self.names, body, &mut Renaming::default());
        let body = Box::new(self.point(x, add(from, var(k)), iteration));
        Code::Op(KernelOp::UnrolledFor { by: Some(1), var: k, ty: IntType::I64, bound: count, body })
    }

    /// An iteration whose number is known.
    fn point(&mut self, (x, ty): (Name, IntType), at: Expr, mut iteration: Code) -> Code {
        let number = self.names.fresh_like(x);
        Replace { x, by: var(number) }.code(&mut iteration);
        Code::Seq(vec![
            Code::DeclareScalar(number, PrimType::Int(ty)),
            Code::SetScalar(number, converted(at, IntType::I64, ty)),
            iteration,
        ])
    }
}

/// An integer in another type.
pub(super) fn converted(e: Expr, from: IntType, to: IntType) -> Expr {
    match from == to {
        true => e,
        false => Expr::Conv(ConvOp::SExt(from, to), Box::new(e)),
    }
}

/// Whether nothing else is read of global memory.
struct OnlyThese<'r> {
    reads: &'r [Read],
    only: bool,
}

impl<'c> Visitor<'c> for OnlyThese<'_> {
    fn expr(&mut self, e: &'c Expr) {
        if let Expr::Index { mem, offset, elem, space } = e {
            let known = |r: &Read| r.mem == *mem && r.offset == **offset && r.elem == *elem;
            self.only &= *space != Space::Default || self.reads.iter().any(known);
        }
        look_at_expr(self, e);
    }
}
