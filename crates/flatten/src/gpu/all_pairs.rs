//! Whether sums over all pairs are faster by blocks of threads for a few points each than by one thread for each point.
//!
//! ```text
//! map (\p -> let a = reduce add zero (map (pull p) qs) in move p a) ps          each point reads all of `qs`
//! ```
//!
//! Both versions read elements of `qs` once for several points: a thread for each point through tiles, blocks
//! by reducing a few points together (`kernels/schedule/together`). What they compute is the same, so they
//! differ by how much of the device is busy, and by what is beside the pairs:
//!
//! - A thread for each point goes through all of `qs` alone. Its blocks are few, and all take as long as the
//!   processor with the most of them: a round of all processors, once more for each block that a processor
//!   has. With few rounds, threads also wait for the results of their own instructions; that is a quarter of
//!   a round, about.
//! - Blocks for a few points each are many, so that all processors are done at a time. Each has its points to
//!   begin with, and exchanges what its threads have found at the end, which costs as much as some pairs:
//!   more of them the less a pair costs. A pair costs an eighth more than in a thread of its own, and an
//!   eighth less where it is so short that reading elements counts.
//!
//! Times: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! Comes in: a nest and a body. Goes out: what the guard of the version with one thread for each point compares.

use super::nest::Nest;
use super::repeated_rows::{binds, is_light};
use super::traffic::at_most_unless;
use fehu_analysis::operator::is_commutative;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::{flattening, schedule};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Builder, Exp, Kernels, Soacs, SubExp, Type};

/// A point that is reduced over elements that all points read.
pub(super) struct AllPairs {
    /// How many elements there are.
    width: SubExp,
    /// Statements of the function of a pair.
    function: i64,
    /// Statements of the operators.
    operators: i64,
}

impl AllPairs {
    /// What a body under a nest reduces, if that is all that it does but for scalars, and blocks can do it
    /// for a few points together.
    pub(super) fn of(nest: &Nest, body: &Body<Soacs>) -> Option<AllPairs> {
        let mut only: Option<&Screma<Soacs>> = None;
        for stm in &body.stms {
            match &stm.exp {
                Exp::Op(Soac::Screma(s)) if only.is_none() => only = Some(s),
                Exp::Basic(_) => {}
                Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => return None,
            }
        }
        let s = only?;
        let same = |e: SubExp| nest.invariant(e) && e.name().is_none_or(|n| !binds(body, n));
        let common = !s.arrays.is_empty() && s.arrays.iter().all(|a| same(SubExp::Var(*a))) && same(s.width);
        let reduces = s.scans.is_empty()
            && s.map.ret.len() == s.reds.iter().map(|red| red.op.ret.len()).sum::<usize>()
            && s.reds.iter().all(|red| is_commutative(red.comm, &red.op) && is_light(&red.op));
        let function = statements(&s.map.body);
        let operators = s.reds.iter().map(|red| statements(&red.op.body)).sum();
        (common && reduces && is_light(&s.map) && is_small(s)).then_some(AllPairs {
            width: s.width,
            function,
            operators,
        })
    }

    /// What the guard of the version with one thread for each point compares: the number of points, but no
    /// more than what is just not enough by default where blocks for a few points each take less time. Times
    /// are compared in pairs of points and elements.
    pub(super) fn outer_par(&self, b: &mut Builder<Kernels>, nest: &Nest) -> SubExp {
        let add = BinOp::Add(IntType::I64);
        let quot = BinOp::SQuot(IntType::I64);
        let points = b.product(&nest.widths);
        let (round, quarter) = (flattening::POINTS_OF_ROUND, flattening::POINTS_OF_ROUND / 4);
        let up = b.bin(add, points, SubExp::i64(round - 1));
        let rounds = b.bin(quot, up, SubExp::i64(round));
        let rounds = b.mul64(rounds, SubExp::i64(round));
        let apart = b.bin(add, rounds, SubExp::i64(quarter));
        let apart = b.mul64(apart, self.width);
        let eighths = match self.function <= flattening::FEW_STATEMENTS_OF_PAIR {
            true => 7,
            false => 9,
        };
        let pairs = b.mul64(self.width, SubExp::i64(eighths));
        let pairs = b.bin(quot, pairs, SubExp::i64(8));
        let ends = flattening::STATEMENTS_OF_POINT_TOGETHER / (self.function + self.operators).max(1);
        let together = b.bin(add, pairs, SubExp::i64(ends));
        let together = b.mul64(points, together);
        let least = SubExp::i64(schedule::MIN_POINTS_FOR_TOGETHER.usual);
        let short = b.cmp(CmpOp::SLt(IntType::I64), self.width, least);
        let less = b.cmp(CmpOp::SLe(IntType::I64), apart, together);
        let pays = b.bin(BinOp::LogOr, short, less);
        at_most_unless(b, pays, points, flattening::ENOUGH_PARALLELISM - 1)
    }
}

/// How many statements a function has.
fn statements(body: &Body<Soacs>) -> i64 {
    let mut statements = 0;
    for_each_stm(body, &mut |_| statements += 1);
    statements
}

/// Whether blocks reduce a few points together: the code of a pair is short, and so is what is kept of a
/// point. Elements at places that are computed may not be common to all points.
fn is_small(s: &Screma<Soacs>) -> bool {
    let mut reads = false;
    for_each_stm(&s.map.body, &mut |stm| {
        reads |= matches!(stm.exp, Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..)));
    });
    let words = |ty: &Type| match ty {
        Type::Prim(ty) => ty.bytes().div_ceil(4) as usize,
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => schedule::MAX_WORDS_OF_SEGMENT_TOGETHER + 1,
    };
    !reads
        && s.arrays.len() as i64 + statements(&s.map.body) <= schedule::MAX_STATEMENTS_OF_POINT_TOGETHER
        && s.map.ret.iter().map(words).sum::<usize>() <= schedule::MAX_WORDS_OF_SEGMENT_TOGETHER
}
