//! Whether points of a nest would each read all rows of a matrix that is the same for all of them.
//!
//! ```text
//! map (\q -> reduce best none (map (\p -> sum (map2 (*) p q)) ps)) qs          each point reads all of `ps`
//! ```
//!
//! One kernel for such a reduction, or one thread block for each point, reads `d` elements of `ps` for every pair of rows. As a map of pairs, with its
//! results in memory, and a reduction of these, it has the shape of a matrix product: each operand is the same along one of the two dimensions, so that
//! blocks read a part of both and threads keep it in registers. The results are then written and read once, from memory, while elements of `ps` come from
//! caches. So the map and the reduction are the default where rows are longer than results are wide, and there is so much to read that further launches
//! do not matter. On an H200 in ms, by blocks for each point and as two kernels:
//!
//! | points, rows, elements | results of 12 bytes | of 4 bytes |
//! | --- | --- | --- |
//! | 2,000 x 5,000 x 64 | 0.79, 0.23 | 0.51, 0.14 |
//! | 2,000 x 5,000 x 8 | 0.11, 0.20 | 0.083, 0.075 |
//! | 10,000 x 1,000 x 16 | 0.18, 0.24 | 0.21, 0.08 |
//! | 300 x 5,000 x 300 | 0.71, 0.09 | 0.43, 0.09 |
//!
//! Comes in: a nest, and a reduction of a map (or a body with such) under it. Goes out: what a guard compares ([`SharedRows::limit`]).

use super::nest::{Nest, Source};
use super::traffic::at_most_unless;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::{Body, Builder, Exp, Kernels, Soacs, SubExp, Type};

/// A reduction over rows of a matrix that all points of a nest read.
pub(super) struct SharedRows {
    /// How many rows there are.
    rows: SubExp,
    /// Elements of a row.
    width: SubExp,
    /// Bytes of an element.
    element: i64,
    /// Bytes of what is computed for each row.
    result: i64,
}

impl SharedRows {
    /// The first such reduction of a body under a nest.
    pub(super) fn in_body(nest: &Nest, body: &Body<Soacs>) -> Option<SharedRows> {
        let found = body.stms.iter().find_map(|stm| match &stm.exp {
            Exp::Op(Soac::Screma(s)) => {
                SharedRows::find(nest, s, &|a| binds(body, a.into()) || of_point(nest, a))
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        });
        found.filter(|of| !binds(body, of.rows) && !binds(body, of.width))
    }

    /// A reduction of a map under a nest, if its function reduces a row of the point together with a row that all points read.
    pub(super) fn of(nest: &Nest, s: &Screma<Soacs>) -> Option<SharedRows> {
        SharedRows::find(nest, s, &|a| of_point(nest, a))
    }

    /// The same, where arrays for which `is_own` holds are those of the point.
    fn find(nest: &Nest, s: &Screma<Soacs>, is_own: &dyn Fn(Name) -> bool) -> Option<SharedRows> {
        if s.reds.is_empty() || !nest.invariant(s.width) {
            return None;
        }
        let result = s.map.ret.iter().map(bytes).sum::<Option<i64>>()?;
        s.map.body.stms.iter().find_map(|stm| {
            let Exp::Op(Soac::Screma(row)) = &stm.exp else { return None };
            let own = row.arrays.iter().any(|a| is_own(*a));
            let shared = |row: Name| {
                let mut pairs = s.map.params.iter().zip(&s.arrays);
                pairs.any(|(p, all)| p.name == row && !is_own(*all))
            };
            let mut operands = row.arrays.iter().zip(&row.map.params);
            let (_, element) = operands.find(|(a, _)| shared(**a))?;
            let reduces = !row.reds.is_empty() && row.scans.is_empty();
            let is_param = s.map.params.iter().any(|p| SubExp::Var(p.name) == row.width);
            let known = nest.invariant(row.width) && !is_param && !binds(&s.map.body, row.width);
            let element = bytes(&element.ty).filter(|_| own && reduces && known)?;
            Some(SharedRows { rows: s.width, width: row.width, element, result })
        })
    }

    /// What a guard compares that would compare `par`, of a version in which all points of the nest read all rows: no more than what is just not enough
    /// by default, where the version that shares them is faster.
    pub(super) fn limit(&self, b: &mut Builder<Kernels>, nest: &Nest, par: SubExp, limit: i64) -> SubExp {
        let le = CmpOp::SLe(IntType::I64);
        let row = b.mul64(self.width, SubExp::i64(self.element));
        let worth = SubExp::i64(flattening::SHARED_BYTES_PER_RESULT_BYTE * self.result);
        let short = b.cmp(CmpOp::SLt(IntType::I64), row, worth);
        let points = b.product(&nest.widths);
        let pairs = b.mul64(points, self.rows);
        let read = b.mul64(pairs, row);
        let few = b.cmp(le, read, SubExp::i64(flattening::SHARED_BYTES));
        let apart = b.bin(BinOp::LogOr, short, few);
        at_most_unless(b, apart, par, limit)
    }
}

/// Whether a statement of a body binds an operand.
fn binds(body: &Body<Soacs>, e: SubExp) -> bool {
    body.stms.iter().any(|stm| stm.pat.iter().any(|p| SubExp::Var(p.name) == e))
}

/// The bytes of a scalar.
fn bytes(ty: &Type) -> Option<i64> {
    match ty {
        Type::Prim(p) => Some(p.bytes() as i64),
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => None,
    }
}

/// Whether an array differs along the innermost dimension of a nest.
fn of_point(nest: &Nest, array: Name) -> bool {
    match nest.find(array).map(|b| &b.source) {
        Some(Source::Elem { levels, .. }) => levels.contains(&(nest.depth() - 1)),
        Some(Source::Stm(_)) => true,
        Some(Source::Acc(_) | Source::Index(_)) | None => false,
    }
}
