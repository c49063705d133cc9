//! Memory introduction.
//!
//! Before: a valid program over `Kernels`. After: the same program over
//! `Memory`, in which every array has a block and an index function.
//!
//! ```text
//! let (xs : [n]i32) = iota i32 (n, 0, 1)        let (b : mem) = alloc(4*n)
//!                                               let (xs : [n]i32 @ b -> 0 + {(n : 1)}) = iota ...
//! let (ys : [m]i32) = xs[1 :+ m * 2]            let (ys : [m]i32 @ b -> 1 + {(m : 2)}) = xs[...]
//! ```
//!
//! - What is made afresh gets a block of its own; constant data is in static
//!   memory (its statement binds the block before the array), unless it is consumed.
//! - Views share the block of what they are views of. A cast to sizes that are known, or have been checked,
//!   to be the same is one.
//! - Updates are in place. Where the value may share memory with the array, it
//!   is copied first.
//! - Branches (`branch`) and loops (`loops`) return blocks, offsets and strides where these differ.
//! - Inside of kernels they must not: there, arrays are pinned (`pinned`).
//! - Parallel operations (`seg`) make their results in blocks allocated before, or in place.
//! - Functions (`calls`) take and return, before each array, its block and an
//!   offset: arrays are row-major there. Those of entry points have no offset: they
//!   start at the start of their block.

mod branch;
pub(crate) mod calls;
mod consumed;
mod loops;
mod pinned;
mod seg;
mod writes;

use crate::builder::{MemBuilder, Place};
use crate::foresee::foresee;
use crate::plan::{Layout, Plan};
use calls::Convention;
use fehu_algebra::Facts;
use fehu_analysis::Known;
use fehu_base::{bug, Diagnostic, Name};
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::mem::{poly, Lmad, MemInfo, MemOp};
use fehu_ir::seg::{KernelsOp, SegLevel};
use fehu_ir::types::prog_types;
use fehu_ir::visit::{deep, for_each_stm};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Loc, Memory, PatElem, Prog, Space, Stm, SubExp, Type};
use fehu_lmad::{Dim, SliceDim};
use fehu_pass::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};

/// Gives every array of a program a place.
pub fn introduce(mut prog: Prog<Kernels>) -> Result<Prog<Memory>, Vec<Refusal>> {
    let mut bounds = FxHashMap::default();
    if has_kernels(&prog) {
        let plans = in_place(&prog);
        bounds = foresee(&mut prog, &plans);
    }
    let types = prog_types(&prog);
    let signatures = Signatures::of_prog(&prog);
    let conventions = calls::conventions(&prog.funs);
    let internal: FxHashSet<Name> = prog.funs.iter().filter(|f| f.entry.is_none()).map(|f| f.name).collect();
    let constants = prog.consts.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
    let mut intro = Introduce {
        b: MemBuilder::new(prog.names, types),
        signatures,
        conventions,
        internal,
        constants,
        aliases: Aliases::default(),
        known: Known::default(),
        facts: Facts::new(),
        plans: FxHashMap::default(),
        not_static: FxHashSet::default(),
        kernel: None,
        kernel_loc: Loc::none(),
        bounds,
        errors: vec![],
    };
    let consts = intro.consts(prog.consts);
    let funs = prog.funs.into_iter().map(|f| intro.fun(f)).collect();
    if !intro.errors.is_empty() {
        return Err(intro.errors);
    }
    Ok(Prog { consts, funs, opaques: prog.opaques, names: intro.b.names })
}

fn has_kernels(prog: &Prog<Kernels>) -> bool {
    let mut any = false;
    for body in std::iter::once(&prog.consts).chain(prog.funs.iter().map(|f| &f.body)) {
        for_each_stm(body, &mut |stm| {
            any |= matches!(&stm.exp, Exp::Op(KernelsOp::Seg(seg)) if seg.level != SegLevel::Task);
        });
    }
    any
}

/// The loop parameters of a program that are carried in place.
fn in_place(prog: &Prog<Kernels>) -> FxHashMap<Name, Plan> {
    let types = prog_types(prog);
    let internal = FxHashSet::default();
    let mut plans = FxHashMap::default();
    for body in std::iter::once(&prog.consts).chain(prog.funs.iter().map(|f| &f.body)) {
        plans.extend(crate::plan::plan(&types, &internal, [], body));
    }
    plans.retain(|_, plan| *plan == Plan::InPlace);
    plans
}

/// A pattern as names and types.
type Bindings = Vec<(Name, Type)>;

struct Introduce {
    b: MemBuilder,
    signatures: Signatures,
    conventions: FxHashMap<Name, Convention>,
    /// Functions that are no entry points.
    internal: FxHashSet<Name>,
    /// What is bound once for the whole program.
    constants: FxHashSet<Name>,
    /// Of the current function.
    aliases: Aliases,
    /// What is known of its sizes, and what holds anywhere: casts to sizes that are the same, whatever they
    /// are called, are views.
    known: Known,
    facts: Facts,
    /// How its loops carry arrays.
    plans: FxHashMap<Name, Plan>,
    /// Its constant data that is consumed.
    not_static: FxHashSet<Name>,
    /// The level of the kernel that we are inside of.
    kernel: Option<SegLevel>,
    /// Where that kernel comes from.
    kernel_loc: Loc,
    /// How many elements at most an array has whose size is not known before.
    bounds: FxHashMap<Name, SubExp>,
    /// What cannot be done.
    errors: Vec<Refusal>,
}

impl Introduce {
    fn consts(&mut self, body: Body<Kernels>) -> Body<Memory> {
        self.analyse(&body, [], []);
        self.b.begin();
        let result = self.inline(body);
        self.b.end(result)
    }

    /// Looks ahead at a whole body. `given_away` are results that others may then consume.
    fn analyse(
        &mut self,
        body: &Body<Kernels>,
        params: impl IntoIterator<Item = (Name, Layout)>,
        given_away: impl IntoIterator<Item = Name>,
    ) {
        self.aliases = Aliases::of_body(&self.signatures, body);
        self.known = Known::of_body(body);
        self.facts = self.known.facts();
        self.plans = crate::plan::plan(&self.b.types, &self.internal, params, body);
        self.not_static = consumed::anywhere(&self.signatures, &self.aliases, body);
        for n in given_away {
            self.not_static.extend(self.aliases.of(n));
        }
    }

    /// Puts the statements of a body into the current one, and returns its results as they were.
    fn inline(&mut self, body: Body<Kernels>) -> Vec<SubExp> {
        deep(|| {
            for stm in body.stms {
                self.stm(stm);
            }
        });
        body.result
    }

    fn stm(&mut self, stm: Stm<Kernels>) {
        let outer = std::mem::replace(&mut self.b.loc, stm.loc);
        let certs = std::mem::replace(&mut self.b.certs, stm.certs);
        let attrs = std::mem::replace(&mut self.b.attrs, stm.attrs);
        let pat = stm.pat.into_iter().map(|p| (p.name, p.ty)).collect();
        self.bind(pat, stm.exp);
        self.b.loc = outer;
        self.b.certs = certs;
        self.b.attrs = attrs;
    }

    /// Builds bodies inside of the current statement.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let certs = std::mem::take(&mut self.b.certs);
        let attrs = std::mem::take(&mut self.b.attrs);
        let result = f(self);
        self.b.certs = certs;
        self.b.attrs = attrs;
        result
    }

    fn bind(&mut self, mut pat: Bindings, exp: Exp<Kernels>) {
        match exp {
            Exp::If(c, t, f) => return self.branch(pat, c, *t, *f),
            Exp::Loop(l) => return self.loop_(pat, *l),
            Exp::Call(f, args) => return self.call(pat, f, args),
            Exp::Op(KernelsOp::Seg(seg)) => return self.seg(pat, seg),
            Exp::WithAcc(w) => return self.with_acc(pat, *w),
            Exp::Basic(_) | Exp::Op(KernelsOp::Size(_)) => {}
        }
        let Some((name, ty)) = pat.pop() else { bug!("a statement binds nothing") };
        if !pat.is_empty() {
            bug!("{} has too many results", self.b.names.show(name));
        }
        match exp {
            Exp::Basic(basic) => self.basic(name, ty, basic),
            Exp::Op(KernelsOp::Size(size)) => self.b.bind(name, ty, Exp::Op(MemOp::Size(size))),
            Exp::Op(KernelsOp::Seg(_)) | Exp::If(..) | Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) => {
                bug!("dealt with above")
            }
        }
    }

    /// The result of a basic operation has a place if it is an array: of its own, or that of another array.
    fn basic(&mut self, name: Name, ty: Type, basic: Basic) {
        match &basic {
            Basic::SubExp(e) | Basic::Opaque(e) => {
                if let (Type::Array(..), SubExp::Var(a)) = (&ty, e) {
                    let place = self.b.place(*a).clone();
                    self.b.places.insert(name, place);
                }
            }
            Basic::Manifest(perm, _) => self.b.allocate(name, &ty, Some(perm)),
            Basic::ArrayConst(_) if !self.not_static.contains(&name) => {
                let block = self.b.fresh_block(name);
                let sizes: Vec<_> = ty.shape().iter().map(|n| poly(*n)).collect();
                self.b.places.insert(name, Place { block, lmad: Lmad::row_major(0, &sizes) });
                let elem = self.b.elem(name, ty);
                return self.b.push(vec![block_elem(block), elem], Exp::Basic(basic));
            }
            Basic::Index(a, slice) => {
                if ty.is_array() {
                    let dims: Vec<SliceDim> = slice.iter().map(slice_dim).collect();
                    self.view(name, *a, |lmad| lmad.slice(&dims));
                }
            }
            Basic::FlatIndex(a, offset, dims) => {
                let slice = flat_lmad(*offset, dims);
                self.view(name, *a, |lmad| lmad.flat_slice(&slice));
            }
            Basic::Rearrange(perm, a) => self.view(name, *a, |lmad| lmad.permute(perm)),
            Basic::Reshape(shape, a) => return self.reshape(name, ty, shape.clone(), *a),
            Basic::Update(a, slice, value) => {
                let value = match value {
                    SubExp::Var(v) if self.b.type_of(*v).is_array() => self.apart(*a, *v).into(),
                    SubExp::Var(_) | SubExp::Const(_) => *value,
                };
                let update = Basic::Update(*a, slice.clone(), value);
                return self.in_place(name, ty, *a, Exp::Basic(update));
            }
            Basic::FlatUpdate(a, offset, dims, value) => {
                let value = self.apart(*a, *value);
                let update = Basic::FlatUpdate(*a, *offset, dims.clone(), value);
                return self.in_place(name, ty, *a, Exp::Basic(update));
            }
            Basic::ArrayLit(..)
            | Basic::ArrayConst(_)
            | Basic::Iota { .. }
            | Basic::Replicate(..)
            | Basic::Scratch(..)
            | Basic::Copy(_)
            | Basic::Concat { .. } => return self.fresh(name, ty, Exp::Basic(basic)),
            Basic::UnOp(..)
            | Basic::BinOp(..)
            | Basic::CmpOp(..)
            | Basic::Conv(..)
            | Basic::PrimFn(..)
            | Basic::Assert(..)
            | Basic::UpdateAcc(..) => {}
        }
        self.b.bind(name, ty, Exp::Basic(basic));
    }

    /// The current kernel cannot be, or the statement if there is none.
    fn refuse(&mut self, problem: Diagnostic) {
        let kernel = if self.in_kernel() { self.kernel_loc.clone() } else { self.b.loc.clone() };
        self.errors.push(Refusal { kernel, problem });
    }

    /// An array in memory of its own.
    fn fresh(&mut self, name: Name, ty: Type, exp: Exp<Memory>) {
        self.b.allocate(name, &ty, None);
        self.b.bind(name, ty, exp);
    }

    /// The array after an update.
    fn in_place(&mut self, name: Name, ty: Type, array: Name, exp: Exp<Memory>) {
        let place = self.b.place(array).clone();
        self.b.places.insert(name, place);
        self.b.bind(name, ty, exp);
    }

    /// Places a view of another array.
    fn view(&mut self, name: Name, of: Name, f: impl Fn(&Lmad) -> Option<Lmad>) {
        let Place { block, lmad } = self.b.place(of).clone();
        let seen = f(&lmad).filter(MemBuilder::is_handy);
        let seen = match seen {
            Some(seen) => Some(seen),
            None => {
                let named = self.b.named(&lmad);
                f(&named)
            }
        };
        match seen {
            Some(seen) if MemBuilder::is_handy(&seen) => {
                self.b.places.insert(name, Place { block, lmad: seen });
            }
            Some(seen) if seen.is_known() => {
                let lmad = self.b.named(&seen);
                self.b.places.insert(name, Place { block, lmad });
            }
            Some(_) | None => bug!("no index function for {}", self.b.names.show(name)),
        }
    }

    fn reshape(&mut self, name: Name, ty: Type, shape: Vec<SubExp>, array: Name) {
        let sizes: Vec<_> = shape.iter().map(|n| poly(*n)).collect();
        let reshaped = |facts: &Facts, place: &Place| {
            let lmad = place.lmad.reshape(facts, &sizes)?;
            lmad.is_known().then_some(Place { block: place.block, lmad })
        };
        let place = self.b.place(array);
        let view = reshaped(&self.facts, place).or_else(|| reshaped(&self.checked_facts(), place));
        let (array, place) = match view {
            Some(place) => (array, place),
            None => {
                let copy = self.b.copy(array);
                let place = self.b.place(copy);
                let dense = Place { block: place.block, lmad: Lmad::row_major(0, &sizes) };
                (copy, reshaped(&self.facts, place).unwrap_or(dense))
            }
        };
        self.b.places.insert(name, place);
        self.b.bind(name, ty, Exp::Basic(Basic::Reshape(shape, array)));
    }

    /// What is known of sizes where all has been checked that the statement relies on.
    fn checked_facts(&self) -> Facts {
        let mut facts = self.facts.clone();
        self.b.certs.iter().for_each(|c| self.known.enter_checked(&mut facts, *c));
        facts
    }

    /// The value, or a copy of it if it may share memory with the array.
    fn apart(&mut self, array: Name, value: Name) -> Name {
        if self.aliases.may_alias(array, value) {
            self.b.copy(value)
        } else {
            value
        }
    }

    /// The array, or a copy of it, with a layout that says at least as much.
    fn ensure(&mut self, array: Name, layout: Layout) -> Name {
        let place = self.b.place(array);
        let fine = match layout {
            Layout::Direct => place.is_direct(),
            Layout::RowMajor => place.is_row_major(),
            Layout::Any => true,
        };
        if fine {
            array
        } else {
            self.b.copy(array)
        }
    }
}

/// A pattern element for a block.
fn block_elem(name: Name) -> PatElem<Memory> {
    PatElem { name, ty: Type::Mem(Space::Default), dec: MemInfo::None }
}

/// One dimension of a slice, for index functions.
fn slice_dim(d: &DimIndex) -> SliceDim {
    match d {
        DimIndex::Fix(i) => SliceDim::Fix(poly(*i)),
        DimIndex::Slice { start, len, stride } => {
            SliceDim::Range { start: poly(*start), size: poly(*len), stride: poly(*stride) }
        }
    }
}

/// The indices of a flat slice.
fn flat_lmad(offset: SubExp, dims: &[(SubExp, SubExp)]) -> Lmad {
    Lmad::new(poly(offset), dims.iter().map(|(n, s)| Dim::new(poly(*n), poly(*s))).collect())
}
