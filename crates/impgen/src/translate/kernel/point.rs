//! The indices of a point of an index space, and where the results of a body go.

use super::{Mode, Translate};
use crate::draft::{Code, Op};
use crate::translate::place::Flat;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Expr, KernelOp};
use fehu_ir::mem::poly;
use fehu_ir::seg::{KernelReturn, SegAfter, SegOp, SegSpace};
use fehu_ir::{Memory, PatElem, Shape, SubExp, Type};

impl Translate {
    /// The number of points of a space, or of its outer dimensions.
    pub(in crate::translate) fn points(&mut self, sizes: &[SubExp]) -> Expr {
        let mut points = i64(1);
        for n in sizes {
            points = mul(points, self.operand(*n));
        }
        self.let_i64("points", points)
    }

    /// Sets the indices of outer dimensions, or of all, from a flat number.
    pub(super) fn unflatten(&mut self, dims: &[(Name, SubExp)], flat: Expr) {
        if let Expr::Var(x) = flat {
            self.flats.extend(Flat::new(dims, x));
        }
        let mut rest = flat;
        for (k, (index, size)) in dims.iter().enumerate().rev() {
            self.emit(Code::DeclareScalar(*index, PrimType::I64));
            if k == 0 {
                self.set_to(*index, rest.clone());
            } else {
                let size = self.operand(*size);
                let above = self.let_i64("rest", quot(rest.clone(), size.clone()));
                self.set_to(*index, sub(rest, mul(above.clone(), size)));
                rest = above;
            }
        }
    }

    /// Sets all indices of a space from the flat number of a point, and that number.
    pub(super) fn set_point(&mut self, space: &SegSpace, flat: Expr) {
        let flat = self.let_i64("at", flat);
        self.emit(Code::DeclareScalar(space.flat, PrimType::I64));
        self.set_to(space.flat, flat.clone());
        self.unflatten(&space.dims, flat);
    }

    /// The body at a point whose indices are set: the values that the operator takes first, which are
    /// returned, then results that leave at once, which are written.
    pub(in crate::translate) fn point(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) -> Vec<Expr> {
        let (combined, result) = (seg.combined(), &seg.body.body.result);
        self.body(&seg.body.body, &[]);
        // Before the body's own results in the pattern are those of operators, or of what comes after a scan.
        let first = match seg.after() {
            Some(after) => distinct(&after.returns),
            None => combined,
        };
        self.write_results(
            &pat[first..],
            &seg.space,
            &seg.types[combined..],
            &seg.body.returns[combined..],
            &result[combined..],
        );
        result.iter().take(combined).map(|e| self.operand(*e)).collect()
    }

    /// What comes after a scan, at a point whose indices are set.
    pub(super) fn point_after(
        &mut self,
        pat: &[PatElem<Memory>],
        space: &SegSpace,
        after: &SegAfter<Memory>,
        scanned: Vec<Expr>,
    ) {
        let lambda = &after.lambda;
        for (p, value) in lambda.params.iter().zip(scanned) {
            if let Type::Prim(ty) = p.ty {
                self.emit(Code::DeclareScalar(p.name, ty));
            }
            self.set_to(p.name, value);
        }
        self.body(&lambda.body, &[]);
        self.write_results(pat, space, &lambda.ret, &after.returns, &lambda.body.result);
    }

    /// Writes the results of a body that are not for an operator.
    pub(super) fn write_results(
        &mut self,
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
                    let at = self.place_of(p.name).fixed(&indices);
                    self.put(ty.shape(), &at, *value);
                }
                KernelReturn::Write { array, shape, index } => {
                    if !written.contains(array) {
                        written.push(*array);
                        results.next();
                    }
                    self.write_within(*array, shape, index, ty, *value);
                }
            }
        }
    }

    /// Writes a value to a position of an array, unless it is out of bounds.
    fn write_within(&mut self, array: Name, shape: &Shape, index: &[SubExp], ty: &Type, value: SubExp) {
        let inside = self.within(index, shape);
        let at =
            self.place_of(array).fixed(&index.iter().map(|i| poly(self.resolve(*i))).collect::<Vec<_>>());
        self.if_then(inside, |t| match (t.mode, ty) {
            // Another task may write to the same place.
            (Mode::Host, Type::Prim(_)) => {
                let (offset, mem, value) = (t.offset(&at), t.mem(at.block), t.operand(value));
                t.emit(Code::Op(Op::Kernel(KernelOp::WriteVolatile { mem, offset, elem: at.elem, value })));
            }
            (Mode::Host | Mode::Thread | Mode::Block, _) => t.put(ty.shape(), &at, value),
        });
    }

    /// Whether indices are within a shape.
    pub(in crate::translate) fn within(&mut self, index: &[SubExp], shape: &[SubExp]) -> Expr {
        let mut inside = bool(true);
        for (i, n) in index.iter().zip(shape) {
            let (i, n) = (self.operand(*i), self.operand(*n));
            let here = and(le(i64(0), i.clone()), lt(i, n));
            inside = if inside == bool(true) { here } else { and(inside, here) };
        }
        inside
    }
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
