//! Loops: parameters live in place, or in blocks that are carried along. See `plan`.

use super::branch::Part;
use super::{Bindings, Introduce};
use crate::builder::Place;
use crate::plan::{Layout, Plan};
use fehu_base::Name;
use fehu_ir::mem::{poly, Lmad, MemInfo};
use fehu_ir::{Exp, Kernels, Loop, Memory, Param, PatElem, SubExp, Type};

impl Introduce {
    pub(super) fn loop_(&mut self, pat: Bindings, l: Loop<Kernels>) {
        let Loop { params, form, body } = l;
        let mut carried: Vec<(Param<Memory>, SubExp)> = vec![];
        let mut results: Vec<PatElem<Memory>> = vec![];
        let mut plans: Vec<Option<Carry>> = vec![];
        let own: Vec<Name> = params.iter().map(|(p, _)| p.name).collect();
        for ((param, init), (name, ty)) in params.into_iter().zip(pat) {
            let Param { name: p, ty: p_ty, dec: (), consumed } = param;
            let mut init = init;
            let mut plan = None;
            if let (Type::Array(..), SubExp::Var(a)) = (&p_ty, init) {
                match self.plans.get(&p).copied().unwrap_or(Plan::Block(Layout::Direct)) {
                    Plan::InPlace => {
                        let place = self.b.place(a).clone();
                        self.b.places.insert(p, place.clone());
                        self.b.places.insert(name, place);
                        plan = Some(Carry::InPlace(p));
                    }
                    Plan::Block(_) if self.in_kernel() => {
                        let varies = p_ty.shape().iter().any(|e| e.name().is_some_and(|n| own.contains(&n)));
                        let param = Pinned { param: p, varies };
                        let a = self.pinned_param(&own, (&param, &p_ty, consumed), a, (name, &ty));
                        init = a.into();
                        plan = Some(Carry::Pinned(param));
                    }
                    Plan::Block(layout) => {
                        let a = self.ensure(a, layout);
                        init = a.into();
                        let at = self.b.place(a).clone();
                        let (place, parts) = self.carried_place(p, &p_ty, layout);
                        self.b.places.insert(p, place);
                        for part in &parts {
                            let PatElem { name, ty, dec } = part.elem(self);
                            let value = part.value(self, &at);
                            carried.push((Param { name, ty, dec, consumed: false }, value));
                        }
                        let (place, result_parts) = self.carried_place(name, &ty, layout);
                        self.b.places.insert(name, place);
                        for part in &result_parts {
                            results.push(part.elem(self));
                        }
                        plan = Some(Carry::Parts(layout, parts));
                    }
                }
            }
            let dec = match &p_ty {
                Type::Array(..) => self.b.place(p).info(),
                Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => MemInfo::None,
            };
            carried.push((Param { name: p, ty: p_ty, dec, consumed }, init));
            results.push(self.b.elem(name, ty));
            plans.push(plan);
        }
        let body = self.nested(|intro| {
            intro.b.begin();
            let ends = intro.inline(body);
            let mut next = vec![];
            let ends = intro.carry_pinned(ends, &plans);
            for (end, plan) in ends.into_iter().zip(plans) {
                match (plan, end) {
                    (Some(plan), SubExp::Var(a)) => intro.carry(&mut next, plan, a),
                    (_, end) => next.push(end),
                }
            }
            intro.b.end(next)
        });
        self.b.push(results, Exp::Loop(Box::new(Loop { params: carried, form, body })));
    }

    /// The place of an array in a loop that carries its block, and what is carried.
    fn carried_place(&mut self, name: Name, ty: &Type, layout: Layout) -> (Place, Vec<Part>) {
        let block = self.b.fresh_block(name);
        let mut parts = vec![Part::Block(block)];
        let sizes: Vec<_> = ty.shape().iter().map(|n| poly(*n)).collect();
        let mut lmad = Lmad::row_major(0, &sizes);
        let layout = if lmad.is_known() { layout } else { Layout::Any };
        if layout >= Layout::RowMajor {
            let offset = self.b.fresh("offset", Type::I64);
            parts.push(Part::Offset(offset));
            lmad.offset = poly(offset.into());
        }
        if layout == Layout::Any {
            for (k, dim) in lmad.dims.iter_mut().enumerate() {
                let stride = self.b.fresh("stride", Type::I64);
                parts.push(Part::Stride(stride, k));
                dim.stride = poly(stride.into());
            }
        }
        (Place { block, lmad }, parts)
    }

    /// What the body returns for an array.
    fn carry(&mut self, next: &mut Vec<SubExp>, plan: Carry, array: Name) {
        match plan {
            Carry::InPlace(param) => {
                let array = if self.b.place(array).same_as(self.b.place(param)) {
                    array
                } else {
                    self.moved(param, array)
                };
                next.push(array.into());
            }
            Carry::Parts(layout, parts) => {
                let array = self.ensure(array, layout);
                let place = self.b.place(array).clone();
                for part in parts {
                    next.push(part.value(self, &place));
                }
                next.push(array.into());
            }
            Carry::Pinned(_) => next.push(array.into()),
        }
    }

    /// Pins a parameter and the result, and puts the initial value there.
    fn pinned_param(
        &mut self,
        own: &[Name],
        (Pinned { param, varies }, param_ty, consumed): (&Pinned, &Type, bool),
        init: Name,
        (result, result_ty): (Name, &Type),
    ) -> Name {
        let param = *param;
        let at = self.b.place(init).clone();
        if consumed && !varies && self.b.made.contains(&at.block) {
            // What is consumed can be overwritten.
            self.b.places.insert(param, at.clone());
            self.b.places.insert(result, at);
            return init;
        }
        let block = self.pin(param, param_ty, own);
        let ty = self.b.type_of(init);
        let place = self.b.dense_in(block, &ty);
        let place_of_param = self.b.dense_in(block, param_ty);
        let place_of_result = self.b.dense_in(block, result_ty);
        self.b.places.insert(param, place_of_param);
        self.b.places.insert(result, place_of_result);
        self.copy_to(init, place)
    }

    /// Copies what the body returns to where it is pinned.
    fn carry_pinned(&mut self, mut ends: Vec<SubExp>, plans: &[Option<Carry>]) -> Vec<SubExp> {
        let mut moves = vec![];
        let mut at = vec![];
        for (i, (end, plan)) in ends.iter().zip(plans).enumerate() {
            if let (SubExp::Var(a), Some(Carry::Pinned(Pinned { param, varies }))) = (end, plan) {
                let mut place = self.b.place(*param).clone();
                // If the size may differ from iteration to iteration, so does the layout.
                if *varies {
                    let ty = self.b.type_of(*a);
                    place = self.b.dense_in(place.block, &ty);
                }
                moves.push((*a, place));
                at.push(i);
            }
        }
        for (i, copy) in at.into_iter().zip(self.copy_all(moves)) {
            ends[i] = copy.into();
        }
        ends
    }

    /// The array, copied to where the parameter lives; by way of other memory where it may be there already, but in
    /// another order.
    fn moved(&mut self, param: Name, array: Name) -> Name {
        let place = self.b.place(param).clone();
        let source = if self.b.place(array).block == place.block { self.b.copy(array) } else { array };
        self.copy_to(source, place)
    }
}

/// How an array is carried to the next iteration.
enum Carry {
    /// In the place of this parameter.
    InPlace(Name),
    /// With these parts of its place.
    Parts(Layout, Vec<Part>),
    /// In the block it is pinned to.
    Pinned(Pinned),
}

/// A parameter that is pinned.
struct Pinned {
    param: Name,
    /// Whether its size may change.
    varies: bool,
}
