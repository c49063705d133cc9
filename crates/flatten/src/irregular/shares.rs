//! Rule of shares: a reduction to scalars whose elements are read from memory is one operation over all
//! points and elements.
//!
//! Pieces ([`super::pieces`]) are a level of their own, whose points have to be counted, found and combined
//! again. Where elements are read, a kernel can find rows and elements at once: the elements of all points
//! stand one after the other, and so do the ends of points, in the order in which a thread that went through
//! all of them would meet them. This sequence can be cut anywhere into equal shares (a *merge path*), however
//! long points are:
//!
//! ```text
//! sizes 2, 0, 3       element 0   element 1   end of 0   end of 1   element 2   element 3   element 4   end of 2
//! ```
//!
//! What is emitted here says nothing of shares. It is a regular nest over points and places, of which those
//! beyond the end of a point give neutral elements:
//!
//! ```text
//! reduce (+) 0 (map f xs), n elements     map (\point -> reduce (+) 0 (map (\k -> if start + k < ends[point] then f xs[k] else 0) (iota total)))
//! ```
//!
//! Its attribute, `schedule(row_ends)`, makes the schedule of the kernel skip all others (`kernels/schedule/merge`).
//!
//! Which reductions: those of [`super::pieces`] that read elements, whose operators are the same at all
//! points and cannot fail, and whose values have at most [`SHARED_ELEMENT_BYTES`] bytes, since blocks keep
//! elements in shared memory.

use super::level::Lift;
use super::operators::uses_point;
use super::point::whole;
use super::teams::{can_fail, numbers, only_inner, renamed};
use super::value::{LevelId, Points, Shape, ShapeId, Value};
use fehu_base::ops::{CmpOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::flattening::SHARED_ELEMENT_BYTES;
use fehu_base::{Name, Symbol};
use fehu_ir::build::nested_body;
use fehu_ir::seg::ROW_ENDS;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::{Attr, Basic, Body, DimIndex, Exp, Lambda, PatElem, Soacs, Stm, SubExp, Type};

/// Whether a reduction that can be done in pieces can be done so.
pub(super) fn can_share(lift: &Lift<'_>, s: &Screma<Soacs>) -> bool {
    let bytes: u64 = s.map.ret.iter().filter_map(Type::elem).map(|ty| ty.bytes()).sum();
    let same = |neutral: &[SubExp]| !neutral.iter().any(|e| lift.varies(*e));
    bytes <= SHARED_ELEMENT_BYTES
        && s.reds.iter().all(|r| !can_fail(&r.op) && !uses_point(lift, &r.op) && same(&r.neutral))
}

/// A reduction at the points of a level.
pub(super) fn in_shares(
    lift: &mut Lift<'_>,
    level: LevelId,
    s: &Screma<Soacs>,
    pat: &[PatElem<Soacs>],
    checks: &[Name],
    views: Vec<Stm<Soacs>>,
) -> Option<()> {
    let inner = lift.inner(level, &[s.width], checks)?;
    let Points::Elements(shape) = lift.levels[inner.0].points else { return None };
    let total = lift.shapes[shape.0].total;
    let ends = ends_of(lift, level, shape)?;
    let end = each(lift, level, ends);
    let number = lift.b.fresh("point", Type::I64);
    lift.values.insert(number, Value::Number(level));
    let places = numbers(lift.b, total);
    let to_make = |f: &Lift<'_>, certs: &[Name]| match f.are_made(certs, inner) {
        true => vec![],
        false => certs.to_vec(),
    };
    let certs = to_make(lift, checks);
    let starts = lift.given_starts(level, &[s.width]);
    let body = lift.nested(|f| {
        let start = start_of(f, ends, number.into());
        for n in starts {
            f.b.bind_names(vec![(n, Type::I64)], Exp::Basic(Basic::SubExp(start)));
        }
        f.b.certs = certs;
        for mut view in views {
            view.certs = to_make(f, &view.certs);
            f.b.push(view);
        }
        let map = point_of_share(f, s, shape, (start, end));
        let mut reds = s.reds.clone();
        reds.iter_mut().for_each(|r| r.op = renamed(f.b, &r.op));
        let screma = Screma { width: total, arrays: vec![places], scans: vec![], reds, map };
        let values = f.b.bind_all("row", s.map.ret.clone(), Exp::Op(Soac::Screma(screma)));
        Some(values.into_iter().map(SubExp::Var).collect())
    })?;
    // Several reductions may have the same views.
    let body = renamed(lift.b, &Lambda { params: vec![], body, ret: s.map.ret.clone() }).body;
    let schedule = Attr::Comp(Symbol::new("schedule"), vec![Attr::Atom(Symbol::new(ROW_ENDS))]);
    let attrs = only_inner().into_iter().chain([schedule]).collect();
    let results = lift.map_as(level, body, &s.map.ret, attrs)?;
    for (p, data) in pat.iter().zip(results) {
        // What is done with results is not part of a nest with such attributes.
        let stored = lift.stored(data);
        lift.values.insert(p.name, Value::Each(level, stored));
    }
    Some(())
}

/// Where the array of each point ends.
fn ends_of(lift: &mut Lift<'_>, level: LevelId, shape: ShapeId) -> Option<Name> {
    let Shape { starts, sizes, ends, .. } = lift.shapes[shape.0];
    if let Some(ends) = ends {
        return Some(ends);
    }
    let [start, size] = [starts, sizes].map(|array| each(lift, level, array));
    let body = lift.nested(|f| Some(vec![f.b.add64(start, size)]))?;
    Some(lift.map(level, body, &[Type::I64])?[0])
}

/// Where the array of a point starts: where that of the point before ends, or at 0.
fn start_of(lift: &mut Lift<'_>, ends: Name, number: SubExp) -> SubExp {
    let some = lift.b.cmp(CmpOp::SLt(IntType::I64), SubExp::i64(0), number);
    let some = lift.b.conv(ConvOp::BToI(IntType::I64), some);
    let before = lift.b.sub64(number, some);
    let read = Basic::Index(ends, vec![DimIndex::Fix(before)]);
    let end = lift.b.bind("before", Type::I64, Exp::Basic(read));
    lift.b.mul64(some, end.into())
}

/// The element of an array at each point.
fn each(lift: &mut Lift<'_>, level: LevelId, array: Name) -> SubExp {
    let name = lift.b.fresh("of_point", Type::I64);
    lift.values.insert(name, Value::Each(level, array));
    name.into()
}

/// The function of a place: an element, or neutral elements where there is none.
fn point_of_share(
    lift: &mut Lift<'_>,
    s: &Screma<Soacs>,
    shape: ShapeId,
    (start, end): (SubExp, SubExp),
) -> Lambda<Soacs> {
    let k = lift.b.param("k", Type::I64);
    let ret = s.map.ret.clone();
    let body = nested_body(
        lift,
        |f| &mut *f.b,
        |f| {
            let place = f.b.add64(k.name.into(), start);
            let counts = f.b.cmp(CmpOp::SLt(IntType::I64), place, end);
            let element = nested_body(
                f,
                |f| &mut *f.b,
                |f| {
                    for (p, array) in s.map.params.iter().zip(&s.arrays) {
                        // Flat data of this shape have their elements in the order of all elements.
                        let (array, at) = match f.values.get(array) {
                            Some(Value::Flat(of, data)) if *of == shape => (*data, place),
                            _ => (*array, k.name.into()),
                        };
                        let mut slice = vec![DimIndex::Fix(at)];
                        slice.extend(p.ty.shape().iter().map(|d| whole(*d)));
                        let read = Exp::Basic(Basic::Index(array, slice));
                        f.b.bind_names(vec![(p.name, p.ty.clone())], read);
                    }
                    s.map.body.stms.iter().for_each(|stm| f.b.push(stm.clone()));
                    s.map.body.result.clone()
                },
            );
            let result = s.reds.iter().flat_map(|r| r.neutral.clone()).collect();
            let none = Body { stms: vec![], result };
            let branch = Exp::If(counts, Box::new(element), Box::new(none));
            // The schedule tells this condition from others by the attribute: those of the program may look the same.
            f.b.attrs = vec![Attr::Atom(Symbol::new(ROW_ENDS))];
            let values = f.b.bind_all("value", ret.clone(), branch);
            f.b.attrs.clear();
            values.into_iter().map(SubExp::Var).collect()
        },
    );
    Lambda { params: vec![k], body, ret }
}
