//! Counters that are narrow within a tile: the scan of a tile is of 32 bits, though that of all tiles is of 64.

use crate::translate::state::HostCode;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_ir::mem::MemInfo;
use fehu_ir::seg::SegBinOp;
use fehu_ir::{Basic, Body, Exp, Lambda, Loc, Memory, Param, PatElem, Stm, SubExp, Type};

/// A sum of as many numbers, of 32 bits.
pub(crate) fn narrow_sum(t: &mut HostCode, op: &SegBinOp<Memory>) -> SegBinOp<Memory> {
    let ty = Type::Prim(PrimType::I32);
    let mut fresh = |base: &str| {
        let name = t.names.fresh_str(base);
        t.types.insert(name, ty.clone());
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
    }
}
