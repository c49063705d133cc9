//! Reductions and scans whose operator takes arrays and is no map: level by level.
//!
//! Neighbours are combined in pairs, then the pairs in pairs, and so on. Each level is a map, so that the
//! parallelism inside of the operator is there for all rules: one thread per pair, one thread block per pair
//! with the rows in shared memory, or the whole grid for each step of the operator.
//!
//! ```text
//! reduce op ne xs                                   scan op ne xs
//!
//! xs = [ne] ++ xs                                   the same, then from the largest d down:
//! loop xs for d = 1, 2, 4, ... < length xs do         xs with [3d-1, 5d-1, ...] = map2 op xs[2d-1, 4d-1, ...] xs[3d-1, 5d-1, ...]
//!   xs with [0, 2d, ...] = map2 op xs[0, 2d, ...] xs[d, 3d, ...]
//! in xs[0]                                          in xs[1:]         -- where pairs end at 2d-1, 4d-1, ... on the way up
//! ```
//!
//! Cost: 2n applications at most, in twice the logarithm of n steps. Operands keep their order. The neutral
//! element is used once, at the start: programs are known that give another value there.

use super::g4_vector::{hands_on, Only};
use super::nest::{Lifted, Nest, Owner};
use super::state::Flat;
use fehu_base::ops::{BinOp, ConvOp, MathFn, PrimFn};
use fehu_base::prim::{IntType, PrimType};
use fehu_ir::build::Builder;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::types::body_types;
use fehu_ir::{Basic, DimIndex, Exp, Kernels, Lambda, Loop, LoopForm, Soacs, Stm, SubExp, Type};

/// Rows at `start`, `start + step`, ..., so many.
#[derive(Clone, Copy)]
struct Rows {
    start: SubExp,
    step: SubExp,
    count: SubExp,
}

/// A reduction or scan with an operator on arrays, whatever it is.
pub(super) fn tree(flat: &mut Flat, nest: &mut Nest, stm: &Stm<Soacs>, s: &Screma<Soacs>) -> Option<Lifted> {
    let only = Only::of(s).filter(|_| hands_on(s))?;
    let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.clone()).collect();
    let one = SubExp::i64(1);
    // The same at all points of a nest.
    let width = flat.seq.b.add64(s.width, one);
    let levels = levels(&mut flat.seq.b, s.width);
    let body = flat.soacs(stm, |_, b| {
        let mut all = vec![];
        for ((e, t), array) in only.neutral().iter().zip(&only.op().ret).zip(&s.arrays) {
            let first = b.bind("first", t.array_of(&[one]), Exp::Basic(Basic::Replicate(vec![one], *e)));
            let joined = Exp::Basic(Basic::Concat { dim: 0, arrays: vec![first, *array], size: width });
            all.push(b.bind("rows", t.array_of(&[width]), joined).into());
        }
        match only {
            Only::Reduce(_) => {
                let all = level_by_level(b, only.op(), all, levels, |b, k| {
                    let Distance { d, pair, log } = distance(b, k);
                    let up = b.add64(width, d);
                    let up = b.sub64(up, one);
                    let count = b.bin(BinOp::LShr(IntType::I64), up, log);
                    let left = Rows { start: SubExp::i64(0), step: pair, count };
                    (left, Rows { start: d, ..left }, Into::Left)
                });
                let first = |b: &mut Builder<Soacs>, (e, t): (&SubExp, &Type)| {
                    row(b, *e, t, DimIndex::Fix(SubExp::i64(0)), t.clone())
                };
                all.iter().zip(&only.op().ret).map(|pair| first(b, pair)).collect()
            }
            Only::Scan(_) => {
                let all = level_by_level(b, only.op(), all, levels, |b, k| {
                    let Distance { d, pair, log } = distance(b, k);
                    let count = b.bin(BinOp::LShr(IntType::I64), width, log);
                    let left = Rows { start: b.sub64(d, one), step: pair, count };
                    (left, Rows { start: b.sub64(pair, one), ..left }, Into::Right)
                });
                let last = b.sub64(levels, one);
                let all = level_by_level(b, only.op(), all, levels, |b, k| {
                    let k = b.sub64(last, k);
                    let Distance { d, pair, log } = distance(b, k);
                    let left = b.sub64(width, d);
                    let count = b.bin(BinOp::LShr(IntType::I64), left, log);
                    let start = b.sub64(pair, one);
                    let left = Rows { start, step: pair, count };
                    (left, Rows { start: b.add64(start, d), ..left }, Into::Right)
                });
                let rest = DimIndex::Slice { start: one, len: s.width, stride: one };
                let after = |b: &mut Builder<Soacs>, (e, t): (&SubExp, &Type)| {
                    row(b, *e, t, rest, t.array_of(&[s.width]))
                };
                all.iter().zip(&only.op().ret).map(|pair| after(b, pair)).collect()
            }
        }
    });
    let results = flat.under(nest, body, &types);
    Some(results.into_iter().map(|e| (e, Owner::Nest)).collect())
}

/// How often `n + 1` must be halved until there is one.
fn levels(b: &mut Builder<Kernels>, n: SubExp) -> SubExp {
    let clz = PrimFn { op: MathFn::Clz, at: PrimType::I64 };
    let zeros: SubExp =
        b.bind("zeros", Type::Prim(PrimType::I32), Exp::Basic(Basic::PrimFn(clz, vec![n]))).into();
    let zeros = b.conv(ConvOp::SExt(IntType::I32, IntType::I64), zeros);
    b.sub64(SubExp::i64(64), zeros)
}

/// How far neighbours at a level are from each other.
struct Distance {
    d: SubExp,
    /// How far pairs of them are from each other, and the logarithm of that. Numbers of pairs are found by
    /// shifting: a division could not leave a nest, and they must.
    pair: SubExp,
    log: SubExp,
}

fn distance(b: &mut Builder<Soacs>, level: SubExp) -> Distance {
    let log = b.add64(level, SubExp::i64(1));
    let power = |b: &mut Builder<Soacs>, k| b.bin(BinOp::Shl(IntType::I64), SubExp::i64(1), k);
    Distance { d: power(b, level), pair: power(b, log), log }
}

/// Which rows become the results.
enum Into {
    Left,
    Right,
}

/// A loop over levels, at each of which some rows are combined with others.
fn level_by_level(
    b: &mut Builder<Soacs>,
    op: &Lambda<Soacs>,
    all: Vec<SubExp>,
    levels: SubExp,
    pairs: impl FnOnce(&mut Builder<Soacs>, SubExp) -> (Rows, Rows, Into),
) -> Vec<SubExp> {
    let types: Vec<Type> = all.iter().map(|e| b.type_of(*e)).collect();
    let mut params = vec![];
    for (e, t) in all.into_iter().zip(&types) {
        let mut p = b.param("rows", t.clone());
        p.consumed = true;
        params.push((p, e));
    }
    let rows: Vec<SubExp> = params.iter().map(|(p, _)| p.name.into()).collect();
    let var = b.fresh("level", Type::I64);
    b.begin();
    let (left, right, into) = pairs(b, var.into());
    let mut arrays = vec![];
    for side in [left, right] {
        for (e, t) in rows.iter().zip(&op.ret) {
            let some = row(b, *e, t, some(side), t.array_of(&[side.count]));
            arrays.extend(some.name());
        }
    }
    let map = rename_lambda(&mut b.names, op);
    b.types.extend(map.params.iter().map(|p| (p.name, p.ty.clone())));
    b.types.extend(body_types(&map.body));
    let results: Vec<Type> = op.ret.iter().map(|t| t.array_of(&[left.count])).collect();
    let map = Screma { width: left.count, arrays, scans: vec![], reds: vec![], map };
    let combined = b.bind_all("pairs", results, Exp::Op(Soac::Screma(map)));
    let put = match into {
        Into::Left => left,
        Into::Right => right,
    };
    let mut next = vec![];
    for (((e, t), new), ty) in rows.iter().zip(&op.ret).zip(combined).zip(&types) {
        if let SubExp::Var(a) = e {
            next.push(
                b.bind("rows", ty.clone(), Exp::Basic(Basic::Update(*a, slice(t, some(put)), new.into())))
                    .into(),
            );
        }
    }
    let body = b.end(next);
    let form = LoopForm::For { var, ty: IntType::I64, bound: levels };
    let exp = Exp::Loop(Box::new(Loop { params, form, body }));
    b.bind_all("rows", types, exp).into_iter().map(SubExp::Var).collect()
}

fn some(rows: Rows) -> DimIndex {
    DimIndex::Slice { start: rows.start, len: rows.count, stride: rows.step }
}

/// Rows of a type, chosen by the outer index.
fn slice(row: &Type, outer: DimIndex) -> Vec<DimIndex> {
    let whole = |n: &SubExp| DimIndex::Slice { start: SubExp::i64(0), len: *n, stride: SubExp::i64(1) };
    std::iter::once(outer).chain(row.shape().iter().map(whole)).collect()
}

/// A row, or several.
fn row(b: &mut Builder<Soacs>, rows: SubExp, row: &Type, outer: DimIndex, ty: Type) -> SubExp {
    match rows {
        SubExp::Var(a) => b.bind("some", ty, Exp::Basic(Basic::Index(a, slice(row, outer)))).into(),
        SubExp::Const(_) => rows,
    }
}
