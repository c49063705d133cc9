//! Parallel operations: where their results live, and their bodies.
//!
//! - What all points make together gets a block of its own, allocated before the operation; a point's
//!   element is the part of it at the point's index.
//! - What is written to is the array itself, and so are the destinations of histograms (`writes`).
//! - Accumulators live where the arrays do that they stand for: nowhere of their own.
//!
//! ```text
//! let (ys : [n][m]i32) = segmap (i < n) : ([m]i32) {      let (b : mem) = alloc(4*n*m)
//!   ...                                                   let (ys : [n][m]i32 @ b -> 0 + {(n : m), (m : 1)}) = segmap (i < n) {
//!   return (row)                                            ... return (row)   -- row is copied to i*m + {(m : 1)}
//! }                                                       }
//! ```
//!
//! In the body, everything is as on the host, but see `pinned` for what cannot be inside of kernels.

use super::{Bindings, Introduce};
use crate::builder::Place;
use crate::plan::Layout;
use crate::results::in_place_of;
use fehu_base::{Diagnostic, Name};
use fehu_ir::mem::{poly, Lmad, MemInfo, MemOp};
use fehu_ir::seg::{KernelBody, SegAfter, SegBinOp, SegHistOp, SegKind, SegLevel, SegOp};
use fehu_ir::{AccInput, Body, Exp, Kernels, Lambda, Memory, Param, PatElem, SubExp, Type, WithAcc};

impl Introduce {
    pub(super) fn seg(&mut self, pat: Bindings, seg: SegOp<Kernels>) {
        let (pat, seg) = self.write_apart(pat, seg);
        let mut elems = vec![];
        for ((name, ty), array) in pat.into_iter().zip(in_place_of(&seg)) {
            match (&ty, array) {
                (_, Some(array)) => {
                    let place = self.b.place(array).clone();
                    self.b.places.insert(name, place);
                }
                (Type::Array(..), None) => self.result_place(name, &ty),
                (Type::Prim(_) | Type::Acc(..) | Type::Mem(_), None) => {}
            }
            elems.push(self.b.elem(name, ty));
        }
        let SegOp {
            level,
            space,
            types,
            body: KernelBody { body, returns },
            kind,
            virtualise,
            grid,
            schedule,
        } = seg;
        let outside = (self.kernel, self.b.made.clone());
        if self.kernel.is_none() {
            self.kernel_loc = self.b.loc.clone();
            self.b.made.clear();
        }
        self.kernel = match level {
            SegLevel::Thread | SegLevel::Block | SegLevel::InBlock => Some(level),
            SegLevel::Task => None,
        };
        let (kind, body) = self.nested(|intro| (intro.seg_kind(kind), intro.own_body(body)));
        (self.kernel, self.b.made) = outside;
        let body = KernelBody { body, returns };
        let seg = SegOp { level, space, types, body, kind, virtualise, grid, schedule };
        self.b.push(elems, Exp::Op(MemOp::Seg(seg)));
    }

    /// Places what all points make together. Row-major: a row for each point.
    fn result_place(&mut self, name: Name, ty: &Type) {
        self.b.allocate(name, ty, None);
    }

    fn own_body(&mut self, body: Body<Kernels>) -> Body<Memory> {
        self.b.begin();
        let result = self.inline(body);
        self.b.end(result)
    }

    fn seg_kind(&mut self, kind: SegKind<Kernels>) -> SegKind<Memory> {
        let bin_op = |intro: &mut Self, op: SegBinOp<Kernels>| {
            let SegBinOp { comm, op, neutral } = op;
            SegBinOp { comm, op: intro.operator(op), neutral }
        };
        let hist_op = |intro: &mut Self, op: SegHistOp<Kernels>| {
            let SegHistOp { shape, dests, neutral, vector, op } = op;
            SegHistOp { shape, dests, neutral, vector, op: intro.operator(op) }
        };
        match kind {
            SegKind::Map => SegKind::Map,
            SegKind::Red(ops) => SegKind::Red(ops.into_iter().map(|op| bin_op(self, op)).collect()),
            SegKind::Scan(ops, after) => {
                let ops = ops.into_iter().map(|op| bin_op(self, op)).collect();
                let after = after.map(|after| {
                    let SegAfter { lambda, returns } = *after;
                    Box::new(SegAfter { lambda: self.lambda(lambda), returns })
                });
                SegKind::Scan(ops, after)
            }
            SegKind::Hist(ops) => SegKind::Hist(ops.into_iter().map(|op| hist_op(self, op)).collect()),
        }
    }

    /// An operator, which takes and returns primitives.
    fn operator(&mut self, op: Lambda<Kernels>) -> Lambda<Memory> {
        if let Some(p) = op.params.iter().find(|p| p.ty.is_array()) {
            let message = "Operators on arrays cannot be used in parallel by this back end.";
            self.refuse(Diagnostic::error(self.b.loc.span, message));
            let name = p.name;
            // What follows is thrown away.
            for p in &op.params {
                let block = self.b.fresh_block(name);
                let sizes: Vec<_> = p.ty.shape().iter().map(|n| poly(*n)).collect();
                self.b.places.insert(p.name, Place { block, lmad: Lmad::row_major(0, &sizes) });
            }
        }
        self.lambda(op)
    }

    fn lambda(&mut self, lambda: Lambda<Kernels>) -> Lambda<Memory> {
        let Lambda { params, body, ret } = lambda;
        let param =
            |p: Param<Kernels>| Param { name: p.name, ty: p.ty, dec: MemInfo::None, consumed: p.consumed };
        Lambda { params: params.into_iter().map(param).collect(), body: self.own_body(body), ret }
    }

    /// The arrays stay where they are. Other results of the body leave it in a block that is returned.
    pub(super) fn with_acc(&mut self, pat: Bindings, w: WithAcc<Kernels>) {
        let WithAcc { inputs, lambda } = w;
        let accs = inputs.len();
        let arrays: Vec<Name> = inputs.iter().flat_map(|i| i.arrays.clone()).collect();
        let mut elems = vec![];
        let mut pat = pat.into_iter();
        for (array, (name, ty)) in arrays.iter().zip(pat.by_ref()) {
            let place = self.b.place(*array).clone();
            self.b.places.insert(name, place);
            elems.push(self.b.elem(name, ty));
        }
        let others: Bindings = pat.collect();
        // Inside of a kernel, other results are copied to where they can be found afterwards.
        if self.in_kernel() {
            for (name, ty) in others.iter().filter(|(_, ty)| ty.is_array()) {
                self.b.allocate(*name, ty, None);
            }
        }
        let (inputs, lambda, others) = self.nested(|intro| {
            let mut converted = vec![];
            for AccInput { shape, arrays, op } in inputs {
                let op = op.map(|(op, neutral)| (intro.operator(op), neutral));
                converted.push(AccInput { shape, arrays, op });
            }
            let (lambda, others) = intro.acc_body(lambda, accs, others);
            (converted, lambda, others)
        });
        elems.extend(others);
        self.b.push(elems, Exp::WithAcc(Box::new(WithAcc { inputs, lambda })));
    }

    /// The body of `with_acc`, and what its results beyond the accumulators are bound to.
    fn acc_body(
        &mut self,
        lambda: Lambda<Kernels>,
        accs: usize,
        others: Bindings,
    ) -> (Lambda<Memory>, Vec<PatElem<Memory>>) {
        let Lambda { mut ret, body, params } = lambda;
        let other_types = ret.split_off(accs.min(ret.len()));
        self.b.begin();
        let mut ends = self.inline(body);
        let other_ends = ends.split_off(accs.min(ends.len()));
        let mut elems = vec![];
        for ((end, ty), (name, bound)) in other_ends.into_iter().zip(other_types).zip(others) {
            let end = match end {
                SubExp::Var(a) if ty.is_array() && self.in_kernel() => {
                    let place = self.b.place(name).clone();
                    self.copy_to(a, place).into()
                }
                SubExp::Var(a) if ty.is_array() => {
                    let a = self.ensure(a, Layout::Direct);
                    let block = self.b.place(a).block;
                    let result = self.b.fresh_block(name);
                    let sizes: Vec<_> = bound.shape().iter().map(|n| poly(*n)).collect();
                    self.b.places.insert(name, Place { block: result, lmad: Lmad::row_major(0, &sizes) });
                    elems.push(super::block_elem(result));
                    ends.push(block.into());
                    ret.push(self.b.type_of(block));
                    a.into()
                }
                SubExp::Var(_) | SubExp::Const(_) => end,
            };
            elems.push(self.b.elem(name, bound));
            ends.push(end);
            ret.push(ty);
        }
        let body = self.b.end(ends);
        let param =
            |p: Param<Kernels>| Param { name: p.name, ty: p.ty, dec: MemInfo::None, consumed: p.consumed };
        (Lambda { params: params.into_iter().map(param).collect(), body, ret }, elems)
    }
}
