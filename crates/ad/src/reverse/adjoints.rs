//! The table of adjoints: contributions go in, sums come out.
//!
//! ```text
//! none + v            v                                    the first contribution is the adjoint
//! a + v               fadd(a, v), or a map of it
//! none + v at [i]     (replicate 0) with [i] = v
//! a + v at [i]        a with [i] = fadd(a[i], v)           in place, unless it is used elsewhere
//! accumulator + v     update_acc, at each element
//! ```

use super::Reverse;
use crate::reverse::nest::all_of;
use fehu_base::ops::BinOp;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::types::slice_shape;
use fehu_ir::{Basic, DimIndex, Exp, SubExp, Type};

/// What is known of the adjoint of a name; nothing if it is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Adjoint {
    /// The sum of all contributions so far.
    Value(SubExp),
    /// An accumulator that takes the contributions, of an array that is bound outside of a map.
    Acc(Name),
}

/// Where an array that is 0 otherwise has a value, if the index is less than the number of its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Single {
    pub(crate) index: SubExp,
    pub(crate) value: SubExp,
}

impl Adjoint {
    /// What stands for it in code.
    pub(crate) fn operand(self) -> SubExp {
        match self {
            Adjoint::Value(e) => e,
            Adjoint::Acc(acc) => acc.into(),
        }
    }
}

/// The operation that adds numbers of a type. Truth values only come from conversions.
pub(crate) fn addition(p: PrimType) -> BinOp {
    match p {
        PrimType::Int(t) => BinOp::Add(t),
        PrimType::Float(t) => BinOp::FAdd(t),
        PrimType::Bool | PrimType::Unit => BinOp::LogOr,
    }
}

/// The operation that multiplies numbers of a type.
pub(crate) fn multiplication(p: PrimType) -> BinOp {
    match p {
        PrimType::Int(t) => BinOp::Mul(t),
        PrimType::Float(t) => BinOp::FMul(t),
        PrimType::Bool | PrimType::Unit => BinOp::LogAnd,
    }
}

impl Reverse<'_> {
    /// The adjoint of a name that is bound here, of which there will be no more contributions.
    pub(crate) fn take(&mut self, n: Name) -> Option<SubExp> {
        match self.adjoints.remove(&n) {
            None => None,
            Some(Adjoint::Value(e)) => Some(e),
            Some(Adjoint::Acc(_)) => fehu_base::bug!("an accumulator for a name that is bound here"),
        }
    }

    /// The adjoint of a name, in a form that bodies can take and give back.
    pub(crate) fn adjoint_of(&mut self, n: Name) -> Adjoint {
        match self.adjoints.get(&n) {
            Some(known) => *known,
            None => {
                let ty = self.b.type_of(n.into());
                Adjoint::Value(self.zero(&ty))
            }
        }
    }

    /// What does not change.
    pub(crate) fn zero(&mut self, ty: &Type) -> SubExp {
        let Some(p) = ty.elem() else { fehu_base::bug!("no zero of {ty:?}") };
        let zero = SubExp::Const(p.blank());
        match ty.is_array() {
            true => {
                let exp = Basic::Replicate(ty.shape().to_vec(), zero);
                let name = self.b.bind("zero", ty.clone(), Exp::Basic(exp));
                self.zeros.insert(name);
                name.into()
            }
            false => zero,
        }
    }

    /// The same; of the unit, itself.
    pub(crate) fn zero_or_unit(&mut self, ty: &Type) -> SubExp {
        match *ty == Type::UNIT {
            true => SubExp::Const(PrimType::Unit.blank()),
            false => self.zero(ty),
        }
    }

    /// The same value, of a type that differs in how its sizes are called.
    pub(crate) fn as_type(&mut self, e: SubExp, ty: &Type) -> SubExp {
        let SubExp::Var(n) = e else { return e };
        let own = self.b.type_of(e);
        if own == *ty || !ty.is_array() {
            return e;
        }
        self.b.bind("same", ty.clone(), Exp::Basic(Basic::Reshape(ty.shape().to_vec(), n))).into()
    }

    /// A contribution to an operand.
    pub(crate) fn add(&mut self, to: SubExp, value: SubExp) {
        let SubExp::Var(n) = to else { return };
        if !self.has_adjoint(n) {
            return;
        }
        let ty = self.b.type_of(to);
        let sum = match self.adjoints.get(&n).copied() {
            None => Adjoint::Value(self.as_type(value, &ty)),
            Some(Adjoint::Value(so_far)) => {
                let value = self.as_type(value, &ty);
                Adjoint::Value(self.sum(so_far, value))
            }
            Some(Adjoint::Acc(acc)) => Adjoint::Acc(self.fill_acc(acc, vec![], &all_of(&ty), value)),
        };
        self.adjoints.insert(n, sum);
    }

    /// The sum of numbers, or of arrays element by element.
    pub(crate) fn sum(&mut self, x: SubExp, y: SubExp) -> SubExp {
        let ty = self.b.type_of(x);
        let Some(p) = ty.elem() else { fehu_base::bug!("a sum of {ty:?}") };
        if self.is_zero(x) {
            return y;
        }
        match (x, y) {
            (SubExp::Var(a), SubExp::Var(b)) if ty.is_array() => {
                let shape = ty.shape().to_vec();
                self.elementwise(&shape, &[a, b], &mut |r, xs| r.b.bin(addition(p), xs[0], xs[1])).into()
            }
            (_, _) => self.b.bin(addition(p), x, y),
        }
    }

    /// Whether an operand was made as 0.
    fn is_zero(&self, e: SubExp) -> bool {
        match e {
            SubExp::Var(n) => self.zeros.contains(&n),
            SubExp::Const(v) => v == v.prim_type().blank(),
        }
    }

    /// A contribution to elements of an array.
    pub(crate) fn add_at(&mut self, array: Name, slice: &[DimIndex], value: SubExp) {
        if !self.has_adjoint(array) {
            return;
        }
        let ty = self.b.type_of(array.into());
        let Some(p) = ty.elem() else { fehu_base::bug!("elements of {ty:?}") };
        let part = Type::Prim(p).array_of(&slice_shape(slice));
        let value = self.as_type(value, &part);
        let sum = match self.adjoints.get(&array).copied() {
            None => {
                let SubExp::Var(zeros) = self.zero(&ty) else { fehu_base::bug!("zeros are an array") };
                let one = self.update(zeros, slice, value);
                if let (SubExp::Var(one), [DimIndex::Fix(index)]) = (one, slice) {
                    self.single.insert(one, Single { index: *index, value });
                }
                Adjoint::Value(one)
            }
            Some(Adjoint::Value(SubExp::Var(so_far))) => {
                let new = match self.zeros.contains(&so_far) {
                    true => value,
                    false => {
                        let old = Exp::Basic(Basic::Index(so_far, slice.to_vec()));
                        let old = self.b.bind("old", part, old);
                        self.sum(old.into(), value)
                    }
                };
                Adjoint::Value(self.update(so_far, slice, new))
            }
            Some(Adjoint::Acc(acc)) => Adjoint::Acc(self.fill_acc(acc, vec![], slice, value)),
            Some(Adjoint::Value(SubExp::Const(v))) => fehu_base::bug!("{v} is no array"),
        };
        self.adjoints.insert(array, sum);
    }

    /// An array with other elements.
    pub(crate) fn update(&mut self, array: Name, slice: &[DimIndex], value: SubExp) -> SubExp {
        let ty = self.b.type_of(array.into());
        self.b.bind("with", ty, Exp::Basic(Basic::Update(array, slice.to_vec(), value))).into()
    }

    /// Puts a value into a slice of what an accumulator stands for, element by element.
    pub(crate) fn fill_acc(
        &mut self,
        acc: Name,
        mut index: Vec<SubExp>,
        slice: &[DimIndex],
        value: SubExp,
    ) -> Name {
        let ty = self.b.type_of(acc.into());
        match slice.split_first() {
            None => {
                let update = Basic::UpdateAcc(acc, index, vec![value]);
                self.b.bind("acc", ty, Exp::Basic(update))
            }
            Some((DimIndex::Fix(i), rest)) => {
                index.push(*i);
                self.fill_acc(acc, index, rest, value)
            }
            Some((DimIndex::Slice { start, len, stride }, rest)) => {
                let SubExp::Var(rows) = value else { fehu_base::bug!("{value:?} is no array") };
                self.with_acc_in_map(*len, rows, acc, &mut |r, i, row, acc| {
                    let far = r.b.mul64(i, *stride);
                    let at = r.b.add64(*start, far);
                    let index = index.iter().copied().chain([at]).collect();
                    r.fill_acc(acc, index, rest, row)
                })
            }
        }
    }
}
