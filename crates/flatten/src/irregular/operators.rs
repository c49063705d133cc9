//! Operators of reductions, scans and histograms, for the elements of all points together.
//!
//! # What elements carry
//!
//! Elements of all points are combined by one scan or histogram. Where that takes more than values, elements carry it.
//!
//! A scan begins anew at the first element of each point. `(b, x)` is an element and whether it is the first:
//!
//! ```text
//! (b1, x1) op' (b2, x2) = (b1 || b2, if b2 then x2 else x1 op x2)       neutral (false, ne)
//! ```
//!
//! Where the neutral element differs from point to point there is none for all of them. Then elements have
//! another flag, which is false for the neutral element alone.
//!
//! Where the operator uses values of the point, elements carry the number of their point. In a scan points
//! come in order, and a result belongs to the point of its right operand; in a histogram both belong to the
//! point that has the bin. So the number of the result is the larger one. The neutral element has -1; two of
//! them are not combined, since there is no point whose values could be used.
//!
//! ```text
//! reduce (\x y -> (x + y) % n) 0 xs      (p1, x) op' (p2, y) = let p = max p1 p2 in let n = ns[p] in (p, (x + y) % n)
//! ```
//!
//! Operators on arrays, or with irregular operations in them, are applied level by level ([`super::tree`]).

use super::level::Lift;
use super::point::Point;
use super::value::{LevelId, Points};
use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::IntType;
use fehu_ir::free::{bound_in_lambda, free_in_lambda, Names};
use fehu_ir::subst::Subst;
use fehu_ir::{Body, Exp, Lambda, Param, Soacs, SubExp, Type};

/// Whether a scan begins anew at each point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    Once,
    Anew,
}

/// What elements carry besides their values: flags, then the number of the point.
#[derive(Clone, Copy)]
pub(super) struct Form {
    begins: Begins,
    /// Whether the neutral element is the same at all points.
    pub(super) same: bool,
    /// The level whose values the operator uses.
    pub(super) of_point: Option<LevelId>,
}

impl Form {
    /// The types of elements.
    pub(super) fn types(self, values: &[Type]) -> Vec<Type> {
        let mut types = vec![];
        types.extend((self.begins == Begins::Anew).then_some(Type::BOOL));
        types.extend((!self.same).then_some(Type::BOOL));
        types.extend(self.of_point.map(|_| Type::I64));
        types.extend(values.iter().cloned());
        types
    }

    /// The neutral element.
    pub(super) fn neutral(self, neutral: &[SubExp], values: &[Type]) -> Option<Vec<SubExp>> {
        let mut all = vec![];
        all.extend((self.begins == Begins::Anew).then_some(SubExp::bool(false)));
        all.extend((!self.same).then_some(SubExp::bool(false)));
        all.extend(self.of_point.map(|_| SubExp::i64(-1)));
        for (ne, ty) in neutral.iter().zip(values) {
            let blank = ty.elem().map(|p| SubExp::Const(p.blank()))?;
            all.push(if self.same { *ne } else { blank });
        }
        Some(all)
    }
}

/// Whether an operator takes scalars and is code of single points.
pub(super) fn is_scalar_operator(lift: &Lift<'_>, op: &Lambda<Soacs>) -> bool {
    op.ret.iter().all(|t| matches!(t, Type::Prim(_))) && is_point_operator(lift, op)
}

/// Whether an operator is code of single points.
pub(super) fn is_point_operator(lift: &Lift<'_>, op: &Lambda<Soacs>) -> bool {
    lift.are_pointwise(&op.body, &bound_in_lambda(op).into_iter().collect())
}

/// Whether an operator uses values of the nest.
pub(super) fn uses_point(lift: &Lift<'_>, op: &Lambda<Soacs>) -> bool {
    free_in_lambda(op).iter().any(|n| lift.values.contains_key(n))
}

/// What elements have to carry for an operator at the points of a level.
pub(super) fn form(
    lift: &Lift<'_>,
    level: LevelId,
    op: &Lambda<Soacs>,
    neutral: &[SubExp],
    begins: Begins,
) -> Form {
    let same = neutral.iter().all(|e| !lift.varies(*e));
    Form { begins, same, of_point: uses_point(lift, op).then_some(level) }
}

/// The operator on elements that carry more than values.
pub(super) fn extended_operator(
    lift: &mut Lift<'_>,
    op: Lambda<Soacs>,
    form: Form,
    types: &[Type],
) -> Option<Lambda<Soacs>> {
    let point = match form.of_point {
        Some(level) => Some((level, point_of_operator(lift, level, &op)?)),
        None => None,
    };
    let params: Vec<Param<Soacs>> = types.iter().chain(types).map(|t| lift.b.param("x", t.clone())).collect();
    let names: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
    let (left, right) = names.split_at(types.len());
    let first = types.len() - op.ret.len();
    let results = op.ret.clone();
    let body = lift.nested(|f| {
        let mut result = vec![];
        let mut keep_right = None;
        if form.begins == Begins::Anew {
            result.push(f.b.bin(BinOp::LogOr, left[0], right[0]));
            keep_right = Some(right[0]);
        }
        let there = result.len();
        if !form.same {
            result.push(f.b.bin(BinOp::LogOr, left[there], right[there]));
            let none = f.b.un(UnOp::Not, left[there]);
            keep_right = Some(match keep_right {
                Some(anew) => f.b.bin(BinOp::LogOr, anew, none),
                None => none,
            });
        }
        let mut owner = SubExp::i64(0);
        if form.of_point.is_some() {
            owner = f.b.bin(BinOp::SMax(IntType::I64), left[first - 1], right[first - 1]);
            result.push(owner);
            let nobody = f.b.cmp(CmpOp::SLt(IntType::I64), owner, SubExp::i64(0));
            keep_right = Some(match keep_right {
                Some(others) => f.b.bin(BinOp::LogOr, others, nobody),
                None => nobody,
            });
        }
        let combine = f.nested(|f| {
            let operands = left[first..].iter().chain(&right[first..]).copied();
            if let Some((level, point)) = point {
                return operator_at(f, point, (level, owner), op, operands);
            }
            let subst: Subst = op.params.iter().map(|p| p.name).zip(operands).collect();
            let mut body = op.body;
            subst.body(&mut body);
            body.stms.into_iter().for_each(|s| f.b.push(s));
            Some(body.result)
        })?;
        let mut values = match keep_right {
            Some(cond) => {
                let yes = Body { stms: vec![], result: right[first..].to_vec() };
                either(f, cond, yes, combine, &results)
            }
            None => {
                combine.stms.into_iter().for_each(|s| f.b.push(s));
                combine.result
            }
        };
        if !form.same {
            let yes = Body { stms: vec![], result: values };
            let no = Body { stms: vec![], result: left[first..].to_vec() };
            values = either(f, right[there], yes, no, &results);
        }
        result.extend(values);
        Some(result)
    })?;
    Some(Lambda { params, body, ret: types.to_vec() })
}

/// A conditional between two bodies.
pub(super) fn either(
    lift: &mut Lift<'_>,
    cond: SubExp,
    yes: Body<Soacs>,
    no: Body<Soacs>,
    types: &[Type],
) -> Vec<SubExp> {
    let exp = Exp::If(cond, Box::new(yes), Box::new(no));
    lift.b.bind_all("v", types.to_vec(), exp).into_iter().map(SubExp::Var).collect()
}

/// What an operator that is code of single points needs, so that it can be emitted for any point of a level.
pub(super) fn point_of_operator(
    lift: &mut Lift<'_>,
    level: LevelId,
    op: &Lambda<Soacs>,
) -> Option<(Point, Names)> {
    let mut used = Names::default();
    free_in_lambda(op).into_iter().for_each(|n| lift.collect(n, &mut used));
    lift.prepare(level, &used)?;
    // Points of this level are those of the other, but each is found by its number.
    let width = lift.width(level);
    let by_number = lift.add_level(width, Points::Rows(level, SubExp::i64(1)));
    Some((Point::new(by_number, Names::default()), used))
}

/// Emits an operator on operands that belong to a point of a level.
pub(super) fn operator_at(
    lift: &mut Lift<'_>,
    (mut point, used): (Point, Names),
    (level, number): (LevelId, SubExp),
    op: Lambda<Soacs>,
    operands: impl Iterator<Item = SubExp>,
) -> Option<Vec<SubExp>> {
    point.is_at(level, number);
    for n in &used {
        lift.read(&mut point, *n)?;
    }
    let mut body = op.body;
    let operands: Subst = op.params.iter().map(|p| p.name).zip(operands).collect();
    operands.body(&mut body);
    lift.translate(&point, body)
}
