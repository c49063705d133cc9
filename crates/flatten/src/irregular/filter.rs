//! Rule of filters: a filter at each point is one scatter of the elements of all points.
//!
//! Elements that are kept stay in their order, so those of each point are together, and are flat data as they
//! are. The place of each is the number of those kept before it, a scan that becomes one kernel with the
//! scatter.
//!
//! How many are kept, and how much memory they need, is counted where conditions are computed.
//!
//! What is stored besides the elements is small: conditions, of which up to eight share a byte, and for every
//! [`CHUNK_ELEMENTS`] elements how many are kept up to there, which the scan writes, too. Each point finds by
//! them how many it keeps: those before its end, less those before its start. Of the chunks in which these
//! are, and in points of few elements, it looks at each condition. What is kept before its start is where its
//! own begins, so that no scan of the counts is needed for that.
//!
//! ```text
//! elements   4 1 | | 5 2 6      kept where even: data 4 2 6
//! chunks     4 1     5|2 6      sums 1, 3
//! counts     1, 0, 2            of the last point: 3 before its end, 1 before its start
//! starts     0, 1, 1
//! ```

use super::level::Lift;
use super::value::{LevelId, Points, Shape, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::Name;
use fehu_ir::soac::{Commutativity, Reduce, Scatter, ScatterDest, Screma, Soac};
use fehu_ir::{Basic, Body, Exp, Lambda, Loop, LoopForm, Param, Soacs, Stm, SubExp, Type};

/// For every how many elements the number of those that are kept is stored: eight bytes, beside a byte for
/// each element. A point reads at most twice as many conditions, one after the other: with larger chunks it
/// reads more of them, with smaller ones the scan of the numbers takes longer. Times:
/// `notebook/2026-11-19-gpu-mechanisms.md`.
const CHUNK_ELEMENTS: i64 = 16;

/// Conditions of an element that share a byte. With one byte for each of three, the kernels of quicksort read
/// and write them by three times as many instructions.
const CONDITIONS_OF_BYTE: usize = 8;

/// The conditions of a filter, for all elements.
struct Conditions {
    holds: Stored,
    /// How many are kept.
    totals: Vec<SubExp>,
    /// How many are kept up to the end of each chunk.
    sums: Vec<Name>,
}

/// Whether each element is kept, by each condition.
struct Stored {
    /// Conditions, or bytes of some of them.
    arrays: Vec<Name>,
    /// The array of each condition, and its bit if it shares a byte.
    of: Vec<(usize, Option<i8>)>,
}

impl Stored {
    /// What computes conditions and elements does not scan: the scan is for the kernel that writes what is kept.
    fn new(lift: &mut Lift<'_>, all: SubExp, holds: &[Name]) -> Option<Stored> {
        let mut stored = Stored { arrays: vec![], of: vec![] };
        for (k, together) in holds.chunks(CONDITIONS_OF_BYTE).enumerate() {
            let array = match together {
                [only] => {
                    stored.of.push((k, None));
                    *only
                }
                several => {
                    stored.of.extend((0..several.len()).map(|bit| (k, Some(mask(bit)))));
                    bytes(lift, all, several)?
                }
            };
            stored.arrays.push(lift.stored(array));
        }
        Some(stored)
    }

    /// Whether an element is kept, by each condition, given the elements of the arrays.
    fn conditions(&self, lift: &mut Lift<'_>, elements: &[SubExp]) -> Vec<SubExp> {
        let mut holds = vec![];
        for (array, mask) in &self.of {
            holds.push(match mask {
                None => elements[*array],
                Some(mask) => {
                    let mask = SubExp::Const(PrimValue::I8(*mask));
                    let bit = lift.b.bin(BinOp::And(IntType::I8), elements[*array], mask);
                    lift.b.cmp(CmpOp::Eq(PrimType::Int(IntType::I8)), bit, mask)
                }
            });
        }
        holds
    }
}

/// The bit of a condition in its byte.
fn mask(bit: usize) -> i8 {
    (1u8 << bit) as i8
}

/// Conditions as the bits of bytes.
fn bytes(lift: &mut Lift<'_>, all: SubExp, holds: &[Name]) -> Option<Name> {
    let (arrays, params) = lift.elements(holds.iter());
    let conditions: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
    let ty = Type::Prim(PrimType::Int(IntType::I8));
    let body = lift.nested(|f| {
        let mut byte = SubExp::Const(PrimValue::I8(0));
        for (bit, holds) in conditions.into_iter().enumerate() {
            let own = f.choose(
                holds,
                SubExp::Const(PrimValue::I8(mask(bit))),
                SubExp::Const(PrimValue::I8(0)),
                ty.clone(),
            );
            byte = f.b.bin(BinOp::Or(IntType::I8), byte, own);
        }
        Some(vec![byte])
    })?;
    let inputs = arrays.into_iter().zip(params).collect();
    lift.host_map(all, inputs, body, std::slice::from_ref(&ty)).first().copied()
}

/// A filter at the points of a level. All its conditions are counted together, and all that is kept is
/// written together.
pub(super) fn filter(lift: &mut Lift<'_>, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
    let Exp::Op(Soac::Filter(f)) = stm.exp else { return None };
    let inner = lift.inner(level, &[f.width], &stm.certs)?;
    let results = lift.lambda(level, inner, (f.lambda, &f.arrays), &stm.certs)?;
    let mut inputs = vec![];
    for (e, ty) in &results {
        let Value::Each(_, array) = lift.conform(inner, *e, ty, &[])? else { return None };
        inputs.push(array);
    }
    let (holds, values) = inputs.split_at(f.kept.len());
    let (counts, arrays) = stm.pat.split_at(f.kept.len());
    let (kept, conditions) = kept(lift, inner, holds, (&f.kept, values))?;
    let of_points = conditions.of_points(lift, level, inner, f.width)?;
    let made = lift.are_made(&stm.certs, inner);
    for ((p, (counts, starts)), total) in counts.iter().zip(of_points).zip(&conditions.totals) {
        lift.values.insert(p.name, Value::Each(level, counts));
        if made {
            let (sizes, checks) = (counts, stm.certs.clone());
            let shape = Shape { level, sizes, starts, ends: None, total: *total, checks };
            lift.add_shape(&[p.name.into()], shape);
        }
    }
    for (p, data) in arrays.iter().zip(kept) {
        let value = lift.of_data(level, &p.ty, data, &stm.certs)?;
        lift.values.insert(p.name, value);
    }
    Some(())
}

/// How many elements each condition holds for: a reduction, which is one kernel with what computes the conditions.
fn totals(lift: &mut Lift<'_>, all: SubExp, holds: &[Name]) -> Vec<SubExp> {
    let (arrays, params) = lift.elements(holds.iter());
    lift.b.begin();
    let mut result = vec![];
    for p in &params {
        result.push(lift.b.conv(ConvOp::BToI(IntType::I64), p.name.into()));
    }
    let body = lift.b.end(result);
    let mut reds = vec![];
    for _ in holds {
        let [x, y] = ["x", "y"].map(|base| lift.b.param(base, Type::I64));
        lift.b.begin();
        let sum = lift.b.add64(x.name.into(), y.name.into());
        let body = lift.b.end(vec![sum]);
        let op = Lambda { params: vec![x, y], body, ret: vec![Type::I64] };
        reds.push(Reduce { comm: Commutativity::Commutative, op, neutral: vec![SubExp::i64(0)] });
    }
    let types = vec![Type::I64; holds.len()];
    let map = Lambda { params, body, ret: types.clone() };
    let screma = Soac::Screma(Screma { width: all, arrays, scans: vec![], reds, map });
    lift.b.bind_all("total", types, Exp::Op(screma)).into_iter().map(SubExp::Var).collect()
}

/// The elements of arrays that are kept, so many arrays by each condition; and the conditions.
fn kept(
    lift: &mut Lift<'_>,
    inner: LevelId,
    holds: &[Name],
    (kept, arrays): (&[usize], &[Name]),
) -> Option<(Vec<Name>, Conditions)> {
    let all = lift.width(inner);
    let totals = totals(lift, all, holds);
    let chunk = SubExp::i64(CHUNK_ELEMENTS);
    let rounded = lift.b.add64(all, SubExp::i64(CHUNK_ELEMENTS - 1));
    let chunks = lift.b.bin(BinOp::SQuot(IntType::I64), rounded, chunk);
    // The condition of each array.
    let of: Vec<usize> = kept.iter().enumerate().flat_map(|(c, arrays)| vec![c; *arrays]).collect();
    let holds = Stored::new(lift, all, holds)?;
    let ranks = lift.running_sums(all, &holds.arrays, |f, params| {
        let elements: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        holds.conditions(f, &elements)
    });
    let mut dests = vec![];
    for (array, c) in arrays.iter().zip(&of) {
        let ty = lift.b.type_of((*array).into()).peel(1).array_of(&[totals[*c]]);
        let scratch = Basic::Scratch(ty.elem()?, ty.shape().to_vec());
        let array = lift.b.bind("kept", ty, Exp::Basic(scratch));
        dests.push(ScatterDest { shape: vec![totals[*c]], array });
    }
    for _ in &ranks {
        let ty = Type::I64.array_of(&[chunks]);
        let array = lift.b.bind("sums", ty, Exp::Basic(Basic::Scratch(PrimType::I64, vec![chunks])));
        dests.push(ScatterDest { shape: vec![chunks], array });
    }
    let numbers = lift.numbers(inner);
    let (arrays, params) = lift.elements(holds.arrays.iter().chain(&ranks).chain([&numbers]).chain(arrays));
    let (elements, values) = params.split_at(holds.arrays.len() + holds.of.len() + 1);
    let (elements, ranks) = elements.split_at(holds.arrays.len());
    let (ranks, number) = ranks.split_at(holds.of.len());
    let body = lift.nested(|f| {
        let elements: Vec<SubExp> = elements.iter().map(|p| p.name.into()).collect();
        let mut places = vec![];
        for (holds, rank) in holds.conditions(f, &elements).into_iter().zip(ranks) {
            let place = f.b.sub64(rank.name.into(), SubExp::i64(1));
            places.push(f.choose(holds, place, SubExp::i64(-1), Type::I64));
        }
        let mut places: Vec<SubExp> = of.iter().map(|c| places[*c]).collect();
        let next = f.b.add64(number.first()?.name.into(), SubExp::i64(1));
        let at = f.b.bin(BinOp::SRem(IntType::I64), next, chunk);
        let [full, last] =
            [(at, SubExp::i64(0)), (next, all)].map(|(x, y)| f.b.cmp(CmpOp::Eq(PrimType::I64), x, y));
        let ends = f.b.bin(BinOp::LogOr, full, last);
        let place = f.b.bin(BinOp::SQuot(IntType::I64), number.first()?.name.into(), chunk);
        let place = f.choose(ends, place, SubExp::i64(-1), Type::I64);
        places.extend(ranks.iter().map(|_| place));
        places.extend(values.iter().chain(ranks).map(|p| SubExp::Var(p.name)));
        Some(places)
    })?;
    let mut ret = vec![Type::I64; dests.len()];
    ret.extend(values.iter().chain(ranks).map(|p| p.ty.clone()));
    let scatter = Scatter { width: all, arrays, dests, lambda: Lambda { params, body, ret } };
    let types = scatter.written().into_iter().map(|data| lift.b.type_of(data.into())).collect();
    let mut written = lift.b.bind_all("kept", types, Exp::Op(Soac::Scatter(scatter)));
    let sums = written.split_off(of.len());
    Some((written, Conditions { holds, totals, sums }))
}

/// Numbers, one for each condition, and one more for each of `count` elements, from the first on, that are
/// kept: code of a point.
fn held(
    lift: &mut Lift<'_>,
    holds: &Stored,
    (first, count): (SubExp, SubExp),
    from: &[SubExp],
) -> Option<Vec<SubExp>> {
    let params: Vec<Param<Soacs>> = holds.of.iter().map(|_| lift.b.param("n", Type::I64)).collect();
    let var = lift.b.fresh("k", Type::I64);
    let body = lift.nested(|f| {
        let place = f.b.add64(first, var.into());
        let elements: Option<Vec<SubExp>> =
            holds.arrays.iter().map(|a| f.element_of((*a).into(), &[place])).collect();
        let mut next = vec![];
        for (holds, n) in holds.conditions(f, &elements?).into_iter().zip(&params) {
            let one = f.b.conv(ConvOp::BToI(IntType::I64), holds);
            next.push(f.b.add64(n.name.into(), one));
        }
        Some(next)
    })?;
    let form = LoopForm::For { var, ty: IntType::I64, bound: count };
    let params = params.into_iter().zip(from.iter().copied()).collect();
    let held = lift.b.bind_all(
        "held",
        vec![Type::I64; holds.of.len()],
        Exp::Loop(Box::new(Loop { params, form, body })),
    );
    Some(held.into_iter().map(SubExp::Var).collect())
}

impl Conditions {
    /// How many elements each point keeps, by each condition, and where these begin among those of all points.
    fn of_points(
        &self,
        lift: &mut Lift<'_>,
        level: LevelId,
        inner: LevelId,
        width: SubExp,
    ) -> Option<Vec<(Name, Name)>> {
        let size = match &lift.levels[inner.0].points {
            Points::Elements(shape) => {
                let sizes = lift.shapes[shape.0].sizes;
                let size = lift.b.fresh("size", Type::I64);
                lift.values.insert(size, Value::Each(level, sizes));
                size.into()
            }
            Points::Rows(..) | Points::Outermost | Points::Selected(..) => width,
        };
        let types = vec![Type::I64; 2 * self.sums.len()];
        let none = vec![SubExp::i64(0); self.sums.len()];
        let body = lift.nested(|f| {
            let start = f.start_of(level, inner);
            let few = f.b.cmp(CmpOp::SLe(IntType::I64), size, SubExp::i64(CHUNK_ELEMENTS));
            let each = f.nested(|f| {
                let mut counts = held(f, &self.holds, (start, size), &none)?;
                counts.extend(self.before(f, start)?);
                Some(counts)
            })?;
            let by_sums = f.nested(|f| {
                let end = f.b.add64(start, size);
                let [upto, before] = [self.before(f, end)?, self.before(f, start)?];
                let both = upto.into_iter().zip(&before);
                let mut counts: Vec<SubExp> = both.map(|(upto, before)| f.b.sub64(upto, *before)).collect();
                counts.extend(before);
                Some(counts)
            })?;
            let exp = Exp::If(few, Box::new(each), Box::new(by_sums));
            let counts = f.b.bind_all("count", types.clone(), exp);
            Some(counts.into_iter().map(SubExp::Var).collect())
        })?;
        // What counts does not scan: in the kernel of a scan, few threads would count for many points each,
        // one after the other.
        let both = lift.map(level, body, &types)?;
        let mut counts: Vec<Name> = both.into_iter().map(|counts| lift.stored(counts)).collect();
        let starts = counts.split_off(self.sums.len());
        Some(counts.into_iter().zip(starts).collect())
    }

    /// How many elements before a place are kept: code of a point.
    fn before(&self, lift: &mut Lift<'_>, place: SubExp) -> Option<Vec<SubExp>> {
        let length = SubExp::i64(CHUNK_ELEMENTS);
        let chunk = lift.b.bin(BinOp::SQuot(IntType::I64), place, length);
        let none = lift.b.cmp(CmpOp::Eq(PrimType::I64), chunk, SubExp::i64(0));
        let zeros = Body { stms: vec![], result: vec![SubExp::i64(0); self.sums.len()] };
        let sums = lift.nested(|f| {
            let last = f.b.sub64(chunk, SubExp::i64(1));
            self.sums.iter().map(|sums| f.element_of((*sums).into(), &[last])).collect()
        })?;
        let exp = Exp::If(none, Box::new(zeros), Box::new(sums));
        let sums = lift.b.bind_all("before", vec![Type::I64; self.sums.len()], exp);
        let sums: Vec<SubExp> = sums.into_iter().map(SubExp::Var).collect();
        let first = lift.b.mul64(chunk, length);
        let rest = lift.b.sub64(place, first);
        held(lift, &self.holds, (first, rest), &sums)
    }
}
