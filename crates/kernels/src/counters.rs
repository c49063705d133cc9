//! Scans of counters: sums of small numbers of 64 bits, such as flags.
//!
//! What a tile of a scan holds of them fits 32 bits, though the sums of all tiles may not: threads keep them
//! in half of the registers.
//!
//! ```text
//! segscan (i < n) add_i64 { let (k : i64) = btoi_i64(flag) return (k) }        4 bytes at a point, not 8
//! ```

use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::MAX_NARROW_VALUE;
use fehu_ir::seg::{SegBinOp, SegOp};
use fehu_ir::{Basic, Body, Exp, Lambda, Rep, Stm, SubExp, Type};

/// How many bytes of scanned values a thread keeps for each point.
pub(crate) fn scanned_bytes<R: Rep>(seg: &SegOp<R>, ops: &[SegBinOp<R>]) -> u64 {
    let wide = ops.iter().flat_map(|op| &op.op.ret).map(|t| t.elem().map_or(8, |p| p.bytes()));
    match are_counters(seg, ops) {
        true => wide.map(|_| PrimType::I32.bytes()).sum(),
        false => wide.sum(),
    }
}

/// Whether a scan sums up small numbers of 64 bits.
pub(crate) fn are_counters<R: Rep>(seg: &SegOp<R>, ops: &[SegBinOp<R>]) -> bool {
    are_sums_of(seg, ops, &|c| (-MAX_NARROW_VALUE..=MAX_NARROW_VALUE).contains(&c))
}

/// Whether a scan sums up numbers of 64 bits that are 0 or 1.
pub(crate) fn are_flags<R: Rep>(seg: &SegOp<R>, ops: &[SegBinOp<R>]) -> bool {
    are_sums_of(seg, ops, &|c| c == 0 || c == 1)
}

/// Whether a scan sums up 0, 1 and such constants.
fn are_sums_of<R: Rep>(seg: &SegOp<R>, ops: &[SegBinOp<R>], fits: &dyn Fn(i64) -> bool) -> bool {
    let values = &seg.body.body.result[..seg.combined()];
    let small = values.iter().all(|e| is_small(&[&seg.body.body], *e, fits));
    seg.space.dims.len() == 1 && small && ops.iter().all(is_sum)
}

/// Whether an operator adds numbers of 64 bits.
fn is_sum<R: Rep>(op: &SegBinOp<R>) -> bool {
    let n = op.neutral.len();
    let Lambda { params, body, .. } = &op.op;
    let adds = |(k, e): (usize, &SubExp)| {
        let made = |s: &&Stm<R>| matches!(&s.pat[..], [p] if e.name() == Some(p.name));
        let (x, y) = (SubExp::Var(params[k].name), SubExp::Var(params[n + k].name));
        let sums = [(x, y), (y, x)].map(|(x, y)| Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), x, y)));
        body.stms.iter().find(made).is_some_and(|s| sums.contains(&s.exp))
    };
    params.len() == 2 * n
        && op.neutral.iter().all(|e| e.as_i64() == Some(0))
        && op.op.ret.iter().all(|t| *t == Type::I64)
        && body.result.iter().enumerate().all(adds)
}

/// Whether an operand is 0, 1 or such a constant, as the bodies around it say, the innermost last.
fn is_small<R: Rep>(around: &[&Body<R>], e: SubExp, fits: &dyn Fn(i64) -> bool) -> bool {
    let name = match e {
        SubExp::Const(_) => return e.as_i64().is_some_and(fits),
        SubExp::Var(name) => name,
    };
    let found = around.iter().rev().find_map(|body| {
        let at = |s: &Stm<R>| s.pat.iter().position(|p| p.name == name);
        body.stms.iter().find_map(|s| at(s).map(|k| (s, k)))
    });
    let Some((stm, k)) = found else { return false };
    match &stm.exp {
        Exp::Basic(Basic::SubExp(e)) => is_small(around, *e, fits),
        Exp::Basic(basic) => matches!(basic, Basic::Conv(ConvOp::BToI(IntType::I64), _)),
        Exp::If(_, t, f) => [t, f].into_iter().all(|branch| {
            let inside: Vec<&Body<R>> = around.iter().copied().chain([&**branch]).collect();
            branch.result.get(k).is_some_and(|e| is_small(&inside, *e, fits))
        }),
        Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}
