//! Scatters of concatenations write all parts at once.
//!
//! ```text
//! let is = concat [is0, is1], let vs = concat [vs0, vs1]         scatter w [is0, vs0, is1, vs1] into xs into xs
//! scatter (2 * w) [is, vs] into xs map \i v -> (i, v)       =>     map \i0 v0 i1 v1 -> (i0, i1, v0, v1)
//! ```
//!
//! The order in which elements are written is not specified, so the parts may be written side by side if they
//! are of one size. What computes them is then fused with the writes, where before it had to store all
//! indices and values first. Inputs that are no concatenations are read in slices.

use super::{Rewrite, MAX_COPIED};
use crate::simplify::engine::Engine;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::op::RepOp;
use fehu_ir::soac::{Scatter, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Rep, Stm, SubExp, Type};

/// Parts that are written side by side, at most.
const MAX_PARTS: usize = 4;

/// An input of a scatter.
enum Input {
    /// The parts that it is a concatenation of, and the checks that it depends on.
    Parts(Vec<Name>, Vec<Name>),
    Whole(Name),
}

pub(super) fn of_concat<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Op(op) = &stm.exp else { return None };
    let Soac::Scatter(s) = op.as_soac()? else { return None };
    if s.lambda.params.iter().any(|p| p.consumed) {
        return None;
    }
    let inputs: Vec<Input> = s.arrays.iter().map(|a| input(engine, *a)).collect();
    let (parts, width) = inputs.iter().find_map(|i| match i {
        Input::Parts(parts, _) => Some((parts.len(), width(engine, *parts.first()?)?)),
        Input::Whole(_) => None,
    })?;
    let rows = s.lambda.params.iter().map(|p| &p.ty);
    if parts > MAX_PARTS
        || parts * s.lambda.body.stms.len() > MAX_COPIED
        || !inputs.iter().zip(rows).all(|(i, row)| i.fits(engine, parts, width, row))
    {
        return None;
    }
    let mut stms = vec![];
    let mut certs = stm.certs.clone();
    let (mut arrays, mut params, mut body) = (vec![], vec![], vec![]);
    let mut results = vec![];
    for part in 0..parts {
        let lambda = rename_lambda(engine.names, &s.lambda);
        for (i, p) in inputs.iter().zip(&lambda.params) {
            arrays.push(match i {
                Input::Parts(parts, checks) => {
                    certs.extend(checks);
                    parts[part]
                }
                Input::Whole(a) => slice(engine, stm, *a, &p.ty, (part, width), &mut stms),
            });
        }
        params.extend(lambda.params);
        body.extend(lambda.body.stms);
        results.push(lambda.body.result);
    }
    certs.sort_unstable();
    certs.dedup();
    let indices: usize = s.dests.iter().map(|d| d.shape.len()).sum();
    let mut beside = Beside { result: vec![], ret: vec![], s, results };
    let mut at = 0;
    for d in &s.dests {
        beside.add(at..at + d.shape.len());
        at += d.shape.len();
    }
    (indices..indices + s.dests.len()).for_each(|at| beside.add(at..at + 1));
    let dests = s.dests.iter().flat_map(|d| std::iter::repeat_n(d.clone(), parts)).collect();
    let lambda = Lambda { params, body: Body { stms: body, result: beside.result }, ret: beside.ret };
    let scatter = Soac::Scatter(Scatter { width, arrays, dests, lambda });
    stms.push(Stm { exp: Exp::Op(R::Op::from_soac(scatter)?), certs, ..stm.clone() });
    Some(Rewrite::Stms(stms))
}

/// The results of the parts, side by side.
struct Beside<'a, R: Rep> {
    result: Vec<SubExp>,
    ret: Vec<Type>,
    s: &'a Scatter<R>,
    results: Vec<Vec<SubExp>>,
}

impl<R: Rep> Beside<'_, R> {
    /// These results of all parts.
    fn add(&mut self, range: std::ops::Range<usize>) {
        for part in &self.results {
            self.result.extend(&part[range.clone()]);
            self.ret.extend(self.s.lambda.ret[range.clone()].iter().cloned());
        }
    }
}

impl Input {
    /// Whether the input consists of so many parts of this width, with rows of this type, which are still there.
    fn fits<R: Rep<Dec = ()>>(
        &self,
        engine: &Engine<'_, R>,
        parts: usize,
        width: SubExp,
        row: &Type,
    ) -> bool {
        match self {
            Input::Whole(_) => true,
            Input::Parts(all, _) => {
                all.len() == parts
                    && all.iter().all(|a| {
                        let ty = engine.types.get(a);
                        ty.is_some_and(|t| t.shape().first() == Some(&width) && t.peel(1) == *row)
                            && !engine.classes.is_consumed(*a)
                    })
            }
        }
    }
}

/// What an input is: concatenations are seen through changes of the type that keep the dimensions.
fn input<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, array: Name) -> Input {
    let (mut at, mut certs) = (array, vec![]);
    while let Some(def) = engine.def(at) {
        certs.extend(def.certs.iter().copied());
        match &*def.exp {
            Exp::Basic(Basic::Concat { dim: 0, arrays, .. }) => return Input::Parts(arrays.clone(), certs),
            Exp::Basic(Basic::Reshape(shape, a))
                if engine.types.get(a).is_some_and(|t| t.rank() == shape.len()) =>
            {
                at = *a;
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                break
            }
        }
    }
    Input::Whole(array)
}

fn width<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, part: Name) -> Option<SubExp> {
    engine.types.get(&part)?.shape().first().copied()
}

/// The part with this number of an array.
fn slice<R: Rep<Dec = ()>>(
    engine: &mut Engine<'_, R>,
    stm: &Stm<R>,
    array: Name,
    row: &Type,
    (part, width): (usize, SubExp),
    stms: &mut Vec<Stm<R>>,
) -> Name {
    let times = Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), SubExp::i64(part as i64), width));
    let (start, made) = engine.fresh_stm("start", Type::I64, &stm.loc, times);
    stms.push(made);
    let dim = |start: SubExp, len: SubExp| DimIndex::Slice { start, len, stride: SubExp::i64(1) };
    let mut slice = vec![dim(start.into(), width)];
    slice.extend(row.shape().iter().map(|n| dim(SubExp::i64(0), *n)));
    let ty = row.array_of(&[width]);
    let (name, made) = engine.fresh_stm("part", ty, &stm.loc, Exp::Basic(Basic::Index(array, slice)));
    stms.push(Stm { certs: stm.certs.clone(), ..made });
    name
}
