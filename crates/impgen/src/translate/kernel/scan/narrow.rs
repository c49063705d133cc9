//! Counters are narrow within a tile.
//!
//! Filters, partitions and sorts scan numbers that are 0 or 1 to find out where elements go. There may be more elements than 2^31, so
//! that counters have 64 bits, but not in one tile. Values within a tile then have 32 bits: threads take twice as many
//! points at a time, and the chain of tiles is half as long.

use super::super::Translate;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_ir::mem::MemInfo;
use fehu_ir::seg::{SegBinOp, SegOp};
use fehu_ir::{Basic, Body, Exp, Lambda, Loc, Memory, Param, PatElem, Stm, SubExp, Type};

/// The largest value, which a tile's sum is at most so many times as there are points in it: fewer than 2^16.
const MOST: i64 = 1 << 15;

impl Translate {
    /// The operators of a scan for use within a tile, if they are sums of small numbers.
    pub(super) fn narrow_operators(
        &mut self,
        seg: &SegOp<Memory>,
        ops: &[SegBinOp<Memory>],
    ) -> Option<Vec<SegBinOp<Memory>>> {
        let values = &seg.body.body.result[..seg.combined()];
        let small = values.iter().all(|e| is_small(&[&seg.body.body], *e));
        if seg.space.dims.len() > 1 || !small || !ops.iter().all(is_sum) {
            return None;
        }
        Some(ops.iter().map(|op| self.narrow_sum(op)).collect())
    }

    /// A sum of as many numbers, of 32 bits.
    fn narrow_sum(&mut self, op: &SegBinOp<Memory>) -> SegBinOp<Memory> {
        let ty = Type::Prim(PrimType::I32);
        let mut fresh = |base: &str| {
            let name = self.names.fresh_str(base);
            self.types.insert(name, ty.clone());
            name
        };
        let n = op.neutral.len();
        let [x, y, sum] = ["x", "y", "sum"].map(|base| (0..n).map(|_| fresh(base)).collect::<Vec<_>>());
        let param = |name: &_| Param { name: *name, ty: ty.clone(), dec: MemInfo::None, consumed: false };
        let stms = (0..n).map(|k| Stm {
            pat: vec![PatElem { name: sum[k], ty: ty.clone(), dec: MemInfo::None }],
            certs: vec![],
            attrs: vec![],
            loc: Loc::none(),
            exp: Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I32), x[k].into(), y[k].into())),
        });
        let body = Body { stms: stms.collect(), result: sum.iter().map(|s| SubExp::Var(*s)).collect() };
        let params = x.iter().chain(&y).map(param).collect();
        SegBinOp {
            comm: op.comm,
            op: Lambda { params, body, ret: vec![ty.clone(); n] },
            neutral: vec![SubExp::int(IntType::I32, 0); n],
            shape: vec![],
        }
    }
}

/// Whether an operator adds numbers of 64 bits.
fn is_sum(op: &SegBinOp<Memory>) -> bool {
    let n = op.neutral.len();
    let Lambda { params, body, .. } = &op.op;
    let adds = |(k, e): (usize, &SubExp)| {
        let made = |s: &&Stm<Memory>| matches!(&s.pat[..], [p] if e.name() == Some(p.name));
        let (x, y) = (SubExp::Var(params[k].name), SubExp::Var(params[n + k].name));
        body.stms.iter().find(made).is_some_and(|s| match &s.exp {
            Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), a, b)) => {
                (*a, *b) == (x, y) || (*a, *b) == (y, x)
            }
            _ => false,
        })
    };
    op.shape.is_empty()
        && params.len() == 2 * n
        && op.neutral.iter().all(|e| e.as_i64() == Some(0))
        && op.op.ret.iter().all(|t| *t == Type::I64)
        && body.result.iter().enumerate().all(adds)
}

/// Whether an operand is a small number, as the bodies around it say, the innermost last.
fn is_small(around: &[&Body<Memory>], e: SubExp) -> bool {
    let name = match e {
        SubExp::Const(_) => return e.as_i64().is_some_and(|c| c.abs() <= MOST),
        SubExp::Var(name) => name,
    };
    let found = around.iter().rev().find_map(|body| {
        let at = |s: &Stm<Memory>| s.pat.iter().position(|p| p.name == name);
        body.stms.iter().find_map(|s| at(s).map(|k| (s, k)))
    });
    let Some((stm, k)) = found else { return false };
    match &stm.exp {
        Exp::Basic(Basic::Conv(ConvOp::BToI(IntType::I64), _)) => true,
        Exp::Basic(Basic::SubExp(e)) => is_small(around, *e),
        Exp::If(_, t, f) => [t, f].into_iter().all(|branch| {
            let inside: Vec<&Body<Memory>> = around.iter().copied().chain([&**branch]).collect();
            branch.result.get(k).is_some_and(|e| is_small(&inside, *e))
        }),
        _ => false,
    }
}
