//! The indices of a point of an index space, and where the results of a body go.

use crate::translate::machine::{Machine, Racing};
use crate::translate::state::{Context, Flat, Translate};
use fehu_base::ops::{CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::MAX_STATEMENTS_OF_FULL_TILES;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::mem::poly;
use fehu_ir::seg::{KernelReturn, SegOp, SegSpace};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Exp, Memory, PatElem, Shape, SubExp, Type};

/// The number of points of a space, or of its outer dimensions.
pub(crate) fn points<M: Machine>(t: &mut Translate<M>, sizes: &[SubExp]) -> Expr {
    let mut points = i64(1);
    for n in sizes {
        points = mul(points, t.operand(*n));
    }
    t.let_i64("points", points)
}

/// Sets the indices of outer dimensions, or of all, from a flat number.
pub(crate) fn unflatten<M: Machine>(t: &mut Translate<M>, dims: &[(Name, SubExp)], flat: Expr) {
    if let Expr::Var(x) = flat {
        t.in_kernel.flats.extend(Flat::new(dims, x));
    }
    let mut rest = flat;
    for (k, (index, size)) in dims.iter().enumerate().rev() {
        t.emit(Code::DeclareScalar(*index, PrimType::I64));
        if k == 0 {
            t.set_to(*index, rest.clone());
        } else {
            let size = t.operand(*size);
            let above = t.let_i64("rest", quot(rest.clone(), size.clone()));
            t.set_to(*index, sub(rest, mul(above.clone(), size)));
            rest = above;
        }
    }
}

/// Sets indices to what a thread has kept of some flat number, one of several.
pub(crate) fn set_kept<M: Machine>(
    t: &mut Translate<M>,
    dims: &[(Name, SubExp)],
    flat: &Expr,
    kept: &[Name],
    which: &Expr,
) {
    if let Expr::Var(x) = flat {
        t.in_kernel.flats.extend(Flat::new(dims, *x));
    }
    for ((index, _), mem) in dims.iter().zip(kept) {
        t.emit(Code::DeclareScalar(*index, PrimType::I64));
        let value = t.element(*mem, PrimType::I64, which.clone());
        t.set_to(*index, value);
    }
}

/// Whether the code of a point is so short that it may be there twice.
pub(crate) fn is_short(seg: &SegOp<Memory>) -> bool {
    is_straight(seg, MAX_STATEMENTS_OF_FULL_TILES)
}

/// Whether a point has at most so many statements, and no loops or calls.
pub(crate) fn is_straight(seg: &SegOp<Memory>, most: usize) -> bool {
    let (mut count, mut straight) = (0, true);
    let mut survey = |body: &Body<Memory>| {
        for_each_stm(body, &mut |stm| {
            // Another name for a value is no code.
            count += usize::from(!matches!(stm.exp, Exp::Basic(Basic::SubExp(_))));
            straight &= !matches!(stm.exp, Exp::Loop(_) | Exp::Call(..) | Exp::Op(_));
        });
    };
    survey(&seg.body.body);
    if let Some(after) = seg.after() {
        survey(&after.lambda.body);
    }
    straight && count <= most
}

/// A space with names of their own for a point's indices.
pub(crate) fn of_other_names<M: Machine>(t: &mut Translate<M>, space: &SegSpace) -> SegSpace {
    let dims: Vec<(Name, SubExp)> = space.dims.iter().map(|(i, n)| (t.names.fresh_like(*i), *n)).collect();
    let flat = t.names.fresh_like(space.flat);
    t.types.extend(dims.iter().map(|d| (d.0, Type::I64)).chain([(flat, Type::I64)]));
    SegSpace { flat, dims }
}

/// Sets all indices of a space from the flat number of a point, and that number.
pub(crate) fn set_point<M: Machine>(t: &mut Translate<M>, space: &SegSpace, flat: Expr) {
    let flat = t.let_i64("at", flat);
    t.emit(Code::DeclareScalar(space.flat, PrimType::I64));
    t.set_to(space.flat, flat.clone());
    unflatten(t, &space.dims, flat);
}

/// The same where it is known which segment the point is in, and where in it: the flat number need not be taken apart.
pub(crate) fn set_point_of_segment<M: Machine>(
    t: &mut Translate<M>,
    space: &SegSpace,
    flat: Expr,
    segment: Expr,
    inside: Expr,
) {
    let Some(((index, _), outer)) = space.dims.split_last() else { return set_point(t, space, flat) };
    let flat = t.let_i64("at", flat);
    t.emit(Code::DeclareScalar(space.flat, PrimType::I64));
    t.set_to(space.flat, flat.clone());
    if let Expr::Var(x) = flat {
        t.in_kernel.flats.extend(Flat::new(&space.dims, x));
    }
    let segment = t.let_i64("row", segment);
    unflatten(t, outer, segment);
    t.emit(Code::DeclareScalar(*index, PrimType::I64));
    t.set_to(*index, inside);
}

/// The body at a point whose indices are set: the values that the operator takes first, which are
/// returned, then results that leave at once, which are written.
pub(crate) fn point<M: Racing>(
    t: &mut Translate<M>,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
) -> Vec<Expr> {
    let (combined, result) = (seg.combined(), &seg.body.body.result);
    t.body(&seg.body.body, &[]);
    // Before the body's own results in the pattern are those of operators, or of what comes after a scan.
    let first = match seg.after() {
        Some(after) => distinct(&after.returns),
        None => combined,
    };
    write_results(
        t,
        &pat[first..],
        &seg.space,
        &seg.types[combined..],
        &seg.body.returns[combined..],
        &result[combined..],
    );
    result.iter().take(combined).map(|e| t.operand(*e)).collect()
}

/// What comes after a scan, at a point whose indices are set.
pub(crate) fn point_after<M: Racing>(
    t: &mut Translate<M>,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    scanned: Vec<Expr>,
) {
    let Some(after) = seg.after() else { bug!("nothing comes after a scan") };
    let lambda = &after.lambda;
    for (p, value) in lambda.params.iter().zip(scanned) {
        if let Type::Prim(ty) = p.ty {
            t.emit(Code::DeclareScalar(p.name, ty));
        }
        t.set_to(p.name, value);
    }
    t.body(&lambda.body, &[]);
    write_results(t, pat, &seg.space, &lambda.ret, &after.returns, &lambda.body.result);
}

/// Writes the results of a body that are not for an operator.
pub(crate) fn write_results<M: Racing>(
    t: &mut Translate<M>,
    pat: &[PatElem<Memory>],
    space: &SegSpace,
    types: &[Type],
    returns: &[KernelReturn],
    values: &[SubExp],
) {
    let mut written: Vec<Name> = vec![];
    let mut results = pat.iter();
    let indices: Vec<_> = space.dims.iter().map(|d| poly(d.0.into())).collect();
    for ((value, ret), ty) in values.iter().zip(returns).zip(types) {
        match ret {
            KernelReturn::Elem => {
                let Some(p) = results.next() else { bug!("a result without a name") };
                if matches!(ty, Type::Acc(..)) {
                    continue;
                }
                let at = t.place_of(p.name).fixed(&indices);
                t.put(ty.shape(), &at, *value);
            }
            KernelReturn::Write { array, shape, index } => {
                if !written.contains(array) {
                    written.push(*array);
                    results.next();
                }
                write_within(t, *array, shape, index, ty, *value);
            }
        }
    }
}

/// Writes a value to a position of an array, unless it is out of bounds.
pub(crate) fn write_within<M: Racing>(
    t: &mut Translate<M>,
    array: Name,
    shape: &Shape,
    index: &[SubExp],
    ty: &Type,
    value: SubExp,
) {
    let inside = within(t, index, shape);
    let at = t.place_of(array).fixed(&index.iter().map(|i| poly(t.resolve(*i))).collect::<Vec<_>>());
    t.if_then(inside, |t| M::write_racing(t, ty, &at, value));
}

/// Whether indices are within a shape. Sizes are not negative, so one comparison of numbers without signs is
/// enough: the points of a filter do little else.
pub(crate) fn within<M: Machine>(t: &mut Translate<M>, index: &[SubExp], shape: &[SubExp]) -> Expr {
    let mut inside = bool(true);
    for (i, n) in index.iter().zip(shape) {
        let (i, n) = (t.operand(*i), t.operand(*n));
        let here = Expr::CmpOp(CmpOp::ULt(IntType::I64), Box::new(i), Box::new(n));
        inside = if inside == bool(true) { here } else { and(inside, here) };
    }
    inside
}

/// How many results of an operation so many ways to return make: those to one array are one.
fn distinct(returns: &[KernelReturn]) -> usize {
    let mut written: Vec<Name> = vec![];
    let mut count = 0;
    for ret in returns {
        match ret {
            KernelReturn::Write { array, .. } if written.contains(array) => continue,
            KernelReturn::Write { array, .. } => written.push(*array),
            KernelReturn::Elem => {}
        }
        count += 1;
    }
    count
}

/// An operand of a type that loops count in, as an `i64`.
pub(crate) fn counted(t: &Context, e: SubExp, ty: IntType) -> Expr {
    match (e, ty) {
        (SubExp::Const(v), _) => i64(v.as_i64().unwrap_or(0)),
        (e, IntType::I64) => t.operand(e),
        (e, narrow) => Expr::Conv(ConvOp::SExt(narrow, IntType::I64), Box::new(t.operand(e))),
    }
}

/// Another variable for an index.
pub(crate) fn fresh_index<M: Machine>(t: &mut Translate<M>, index: Name, value: Expr) -> Expr {
    let x = t.let_as("index", PrimType::I64, value);
    t.same.insert(index, x.into());
    var(x)
}

/// The flat number of a point whose indices are set.
pub(crate) fn number_point<M: Machine>(t: &mut Translate<M>, seg: &SegOp<Memory>) {
    let mut flat = i64(0);
    for (index, size) in &seg.space.dims {
        let (index, size) = (t.operand((*index).into()), t.operand(*size));
        flat = add(mul(flat, size), index);
    }
    fresh_index(t, seg.space.flat, flat);
}
