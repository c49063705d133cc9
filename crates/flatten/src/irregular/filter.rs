//! Rule of filters: a filter at each point is one scatter of the elements of all points.
//!
//! Elements that are kept stay in their order, so those of each point are together, and are flat data as they are. The place of
//! each is the number of those kept before it, a scan that becomes one kernel with the scatter.
//!
//! What is stored besides the elements is small: conditions, and for every [`CHUNK_ELEMENTS`] elements how many are
//! kept up to there. The last of these sums is how much memory the kept elements need, and each point finds by them how many it
//! keeps: those before its end, less those before its start. Of the chunks in which these are, and in points of few elements, it
//! looks at each condition.
//!
//! ```text
//! elements   4 1 | | 5 2 6      kept where even: data 4 2 6
//! chunks     4 1     5|2 6      sums 1, 3
//! counts     1, 0, 2            of the last point: 3 before its end, 1 before its start
//! ```

use super::level::Lift;
use super::value::{LevelId, Points, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::soac::{Scatter, ScatterDest, Soac};
use fehu_ir::{Basic, Body, Exp, Lambda, Loop, LoopForm, Soacs, Stm, SubExp, Type};

/// For every how many elements the number of those that are kept is stored: eight bytes, beside a byte for each element. A
/// point reads at most twice as many conditions.
const CHUNK_ELEMENTS: i64 = 64;

/// A condition of all elements.
struct Condition {
    /// Whether each element is kept.
    holds: Name,
    /// How many are kept up to the end of each chunk.
    sums: Name,
    /// How many are kept.
    total: SubExp,
}

/// A filter at the points of a level.
pub(super) fn filter(lift: &mut Lift<'_>, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
    let Exp::Op(Soac::Filter(f)) = stm.exp else { return None };
    let inner = lift.inner(level, &[f.width], &stm.certs)?;
    let results = lift.lambda(level, inner, (f.lambda, &f.arrays), &stm.certs)?;
    let mut inputs = vec![];
    for (e, ty) in &results {
        let Value::Each(_, array) = lift.conform(inner, *e, ty, &[])? else { return None };
        inputs.push(array);
    }
    let all = lift.width(inner);
    let (conditions, mut values) = inputs.split_at(f.kept.len());
    let (counts, mut arrays) = stm.pat.split_at(f.kept.len());
    for ((holds, count), kept) in conditions.iter().zip(counts).zip(f.kept) {
        let condition = condition(lift, all, *holds)?;
        let each = condition.counts(lift, level, inner, f.width)?;
        lift.values.insert(count.name, Value::Each(level, each));
        let data = condition.kept(lift, all, &values[..kept])?;
        for (p, data) in arrays.iter().zip(data) {
            let value = lift.of_data(level, &p.ty, data, &stm.certs)?;
            lift.values.insert(p.name, value);
        }
        (values, arrays) = (&values[kept..], &arrays[kept..]);
    }
    Some(())
}

/// What is known of a condition before anything is kept.
fn condition(lift: &mut Lift<'_>, all: SubExp, holds: Name) -> Option<Condition> {
    let chunk = SubExp::i64(CHUNK_ELEMENTS);
    let rounded = lift.b.add64(all, SubExp::i64(CHUNK_ELEMENTS - 1));
    let chunks = lift.b.bin(BinOp::SQuot(IntType::I64), rounded, chunk);
    let k = lift.b.param("k", Type::I64);
    let body = lift.nested(|f| {
        let first = f.b.mul64(k.name.into(), chunk);
        let rest = f.b.sub64(all, first);
        let count = f.b.bin(BinOp::SMin(IntType::I64), rest, chunk);
        Some(vec![held(f, holds, first, count, SubExp::i64(0))?])
    })?;
    let numbers = super::teams::numbers(lift.b, chunks);
    let counts = lift.host_map(chunks, vec![(numbers, k)], body, &[Type::I64])[0];
    // Chunks are a kernel of their own: in that of the scan, few threads would have many elements each.
    let counts = lift.stored(counts);
    let sums = lift.scan(chunks, counts, BinOp::Add(IntType::I64));
    let total = lift.last(chunks, sums)?;
    Some(Condition { holds, sums, total })
}

/// A number, and one more for each of `count` elements, from the first on, that are kept: code of a point.
fn held(lift: &mut Lift<'_>, holds: Name, first: SubExp, count: SubExp, from: SubExp) -> Option<SubExp> {
    let n = lift.b.param("n", Type::I64);
    let var = lift.b.fresh("k", Type::I64);
    let body = lift.nested(|f| {
        let place = f.b.add64(first, var.into());
        let one = f.element_of(holds.into(), &[place])?;
        let one = f.b.conv(ConvOp::BToI(IntType::I64), one);
        Some(vec![f.b.add64(n.name.into(), one)])
    })?;
    let form = LoopForm::For { var, ty: IntType::I64, bound: count };
    let exp = Exp::Loop(Box::new(Loop { params: vec![(n, from)], form, body }));
    Some(lift.b.bind("held", Type::I64, exp).into())
}

impl Condition {
    /// How many elements each point keeps.
    fn counts(&self, lift: &mut Lift<'_>, level: LevelId, inner: LevelId, width: SubExp) -> Option<Name> {
        let size = match &lift.levels[inner.0].points {
            Points::Elements(shape) => {
                let sizes = lift.shapes[shape.0].sizes;
                let size = lift.b.fresh("size", Type::I64);
                lift.values.insert(size, Value::Each(level, sizes));
                size.into()
            }
            Points::Rows(..) | Points::Outermost | Points::Selected(..) => width,
        };
        let body = lift.nested(|f| {
            let start = f.start_of(level, inner);
            let few = f.b.cmp(CmpOp::SLe(IntType::I64), size, SubExp::i64(CHUNK_ELEMENTS));
            let each = f.nested(|f| Some(vec![held(f, self.holds, start, size, SubExp::i64(0))?]))?;
            let by_sums = f.nested(|f| {
                let end = f.b.add64(start, size);
                let [upto, before] = [self.before(f, end)?, self.before(f, start)?];
                Some(vec![f.b.sub64(upto, before)])
            })?;
            let exp = Exp::If(few, Box::new(each), Box::new(by_sums));
            Some(vec![f.b.bind("count", Type::I64, exp).into()])
        })?;
        Some(lift.map(level, body, &[Type::I64])?[0])
    }

    /// How many elements before a place are kept: code of a point.
    fn before(&self, lift: &mut Lift<'_>, place: SubExp) -> Option<SubExp> {
        let length = SubExp::i64(CHUNK_ELEMENTS);
        let chunk = lift.b.bin(BinOp::SQuot(IntType::I64), place, length);
        let none = lift.b.cmp(CmpOp::Eq(PrimType::I64), chunk, SubExp::i64(0));
        let zero = Body { stms: vec![], result: vec![SubExp::i64(0)] };
        let sum = lift.nested(|f| {
            let last = f.b.sub64(chunk, SubExp::i64(1));
            Some(vec![f.element_of(self.sums.into(), &[last])?])
        })?;
        let exp = Exp::If(none, Box::new(zero), Box::new(sum));
        let sum = lift.b.bind("before", Type::I64, exp).into();
        let first = lift.b.mul64(chunk, length);
        let rest = lift.b.sub64(place, first);
        held(lift, self.holds, first, rest, sum)
    }

    /// The elements of arrays that are kept.
    fn kept(&self, lift: &mut Lift<'_>, all: SubExp, arrays: &[Name]) -> Option<Vec<Name>> {
        if arrays.is_empty() {
            return Some(vec![]);
        }
        // What computes conditions and elements does not scan: the scan is for the kernel that writes what is kept.
        let holds = lift.stored(self.holds);
        let c = lift.b.param("c", Type::BOOL);
        let one = lift.nested(|f| Some(vec![f.b.conv(ConvOp::BToI(IntType::I64), c.name.into())]))?;
        let ones = lift.host_map(all, vec![(holds, c)], one, &[Type::I64])[0];
        let ranks = lift.scan(all, ones, BinOp::Add(IntType::I64));
        let mut dests = vec![];
        for array in arrays {
            let ty = lift.b.type_of((*array).into()).peel(1).array_of(&[self.total]);
            let scratch = Basic::Scratch(ty.elem()?, ty.shape().to_vec());
            let array = lift.b.bind("kept", ty, Exp::Basic(scratch));
            dests.push(ScatterDest { shape: vec![self.total], array });
        }
        let (arrays, params) = lift.elements([holds, ranks].iter().chain(arrays));
        let values: Vec<SubExp> = params[2..].iter().map(|p| p.name.into()).collect();
        let body = lift.nested(|f| {
            let [holds, rank] = [0, 1].map(|k| SubExp::Var(params[k].name));
            let place = f.b.sub64(rank, SubExp::i64(1));
            let place = f.choose(holds, place, SubExp::i64(-1), Type::I64);
            Some(std::iter::repeat_n(place, values.len()).chain(values).collect())
        })?;
        let mut ret = vec![Type::I64; dests.len()];
        ret.extend(params[2..].iter().map(|p| p.ty.clone()));
        let scatter = Scatter { width: all, arrays, dests, lambda: Lambda { params, body, ret } };
        let types = scatter.written().into_iter().map(|data| lift.b.type_of(data.into())).collect();
        Some(lift.b.bind_all("kept", types, Exp::Op(Soac::Scatter(scatter))))
    }
}
