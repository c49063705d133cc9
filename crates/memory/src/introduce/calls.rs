//! Functions and calls.
//!
//! Before each array among the parameters and results of a function comes its
//! block, and then, unless the function is an entry point, the offset at which it starts.
//! Arrays are row-major. What an entry point returns is not shared with
//! constants or other results, for its caller may later give it away to be overwritten.

use super::{block_elem, Bindings, Introduce};
use crate::builder::Place;
use crate::plan::Layout;
use fehu_base::{bug, Diagnostic, Name};
use fehu_ir::free::free_in_fun;
use fehu_ir::mem::{poly, Lmad, MemInfo};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, ExtSize, FunDef, FunRet, Kernels, Memory, Param, PatElem, RetType, Space, SubExp, Type};
use rustc_hash::FxHashMap;

/// What callers must know of a function.
#[derive(Clone)]
pub(crate) struct Convention {
    /// How arrays are passed and returned.
    layout: Layout,
    /// Whether kernels can call it: it has to do with nothing but scalars, and so do all that it calls.
    pub(crate) scalar: bool,
}

/// What callers must know of all functions.
pub(crate) fn conventions(funs: &[FunDef<Kernels>]) -> FxHashMap<Name, Convention> {
    let mut all: FxHashMap<Name, Convention> = FxHashMap::default();
    let mut callers: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
    let mut work = vec![];
    for fun in funs {
        let layout = if fun.entry.is_some() { Layout::Direct } else { Layout::RowMajor };
        all.insert(fun.name, Convention { layout, scalar: true });
        let is_prim = |ty: &Type| matches!(ty, Type::Prim(_));
        let mut scalar = fun.params.iter().all(|p| is_prim(&p.ty)) && free_in_fun(fun).is_empty();
        for_each_stm(&fun.body, &mut |stm| {
            scalar &= stm.pat.iter().all(|p| is_prim(&p.ty));
            if let Exp::Call(f, _) = &stm.exp {
                callers.entry(*f).or_default().push(fun.name);
            }
        });
        if !scalar {
            work.push(fun.name);
        }
    }
    while let Some(f) = work.pop() {
        if let Some(convention) = all.get_mut(&f).filter(|c| c.scalar) {
            convention.scalar = false;
            work.extend(callers.get(&f).into_iter().flatten());
        }
    }
    all
}

impl Introduce {
    pub(super) fn fun(&mut self, fun: FunDef<Kernels>) -> FunDef<Memory> {
        let FunDef { name, entry, attrs, params, ret, body, loc } = fun;
        let layout = if entry.is_some() { Layout::Direct } else { Layout::RowMajor };
        let given_away: Vec<Name> = (ret.iter().zip(&body.result))
            .filter(|(r, _)| entry.is_some() || matches!(r.ty, RetType::Array { unique: true, .. }))
            .filter_map(|(_, e)| e.name())
            .collect();
        let arrays = params.iter().filter(|p| p.ty.is_array()).map(|p| (p.name, layout));
        self.analyse(&body, arrays.collect::<Vec<_>>(), given_away);
        let params = params.into_iter().flat_map(|p| self.param(p, layout)).collect();
        self.b.loc = loc.clone();
        self.b.begin();
        let mut ends = self.inline(body);
        if entry.is_some() {
            self.unshare(&mut ends);
        }
        let mut result = vec![];
        for end in ends {
            match end {
                SubExp::Var(a) if self.b.type_of(a).is_array() => {
                    let a = self.ensure(a, layout);
                    result.extend(self.passed(a, layout));
                }
                SubExp::Var(_) | SubExp::Const(_) => result.push(end),
            }
        }
        let body = self.b.end(result);
        FunDef { name, entry, attrs, params, ret: returns(ret, layout), body, loc }
    }

    fn param(&mut self, param: Param<Kernels>, layout: Layout) -> Vec<Param<Memory>> {
        let Param { name, ty, dec: (), consumed } = param;
        let mut params = vec![];
        let mut dec = MemInfo::None;
        if ty.is_array() {
            let (place, elems) = self.passed_place(name, &ty, layout);
            for PatElem { name, ty, dec } in elems {
                params.push(Param { name, ty, dec, consumed: false });
            }
            dec = place.info();
            self.b.places.insert(name, place);
        }
        params.push(Param { name, ty, dec, consumed });
        params
    }

    /// The place of an array that is passed, and the bindings of its block and offset.
    fn passed_place(&mut self, name: Name, ty: &Type, layout: Layout) -> (Place, Vec<PatElem<Memory>>) {
        let block = self.b.fresh_block(name);
        let mut elems = vec![block_elem(block)];
        let sizes: Vec<_> = ty.shape().iter().map(|n| poly(*n)).collect();
        let mut lmad = Lmad::row_major(0, &sizes);
        if layout != Layout::Direct {
            let offset = self.b.fresh("offset", Type::I64);
            elems.push(PatElem { name: offset, ty: Type::I64, dec: MemInfo::None });
            lmad.offset = poly(offset.into());
        }
        (Place { block, lmad }, elems)
    }

    /// An array, with its block and offset before it.
    fn passed(&mut self, array: Name, layout: Layout) -> Vec<SubExp> {
        let place = self.b.place(array).clone();
        let mut passed = vec![place.block.into()];
        if layout != Layout::Direct {
            passed.push(self.b.emit(&place.lmad.offset, "offset"));
        }
        passed.push(array.into());
        passed
    }

    pub(super) fn call(&mut self, pat: Bindings, fun: Name, args: Vec<SubExp>) {
        let Some(Convention { layout, scalar }) = self.conventions.get(&fun).cloned() else {
            bug!("call of {}, which is no function", self.b.names.show(fun))
        };
        if self.in_kernel() && !scalar {
            let message = "A function that uses arrays cannot call itself inside of parallel code for a GPU.";
            self.refuse(Diagnostic::error(self.b.loc.span, message));
        }
        let mut passed = vec![];
        for arg in args {
            match arg {
                SubExp::Var(a) if self.b.type_of(a).is_array() => {
                    let a = self.ensure(a, layout);
                    passed.extend(self.passed(a, layout));
                }
                SubExp::Var(_) | SubExp::Const(_) => passed.push(arg),
            }
        }
        let mut elems = vec![];
        for (name, ty) in pat {
            if ty.is_array() {
                let (place, parts) = self.passed_place(name, &ty, layout);
                elems.extend(parts);
                self.b.places.insert(name, place);
            }
            elems.push(self.b.elem(name, ty));
        }
        self.b.push(elems, Exp::Call(fun, passed));
    }

    /// Copies results that share memory with constants or with an earlier result.
    fn unshare(&mut self, ends: &mut [SubExp]) {
        let mut seen: Vec<Name> = vec![];
        for end in ends {
            let SubExp::Var(a) = *end else { continue };
            if !self.b.type_of(a).is_array() {
                continue;
            }
            let shared = self.aliases.of(a).iter().any(|n| self.constants.contains(n))
                || seen.iter().any(|b| self.aliases.may_alias(a, *b));
            seen.push(a);
            if shared {
                *end = self.b.copy(a).into();
            }
        }
    }
}

/// The declared results, with blocks and offsets; positions shift.
fn returns(ret: Vec<FunRet<Kernels>>, layout: Layout) -> Vec<FunRet<Memory>> {
    let extra = if layout == Layout::Direct { 1 } else { 2 };
    let mut positions = vec![];
    let mut next = 0;
    for r in &ret {
        next += match r.ty {
            RetType::Array { .. } => extra,
            RetType::Prim(_) | RetType::Mem(_) => 0,
        };
        positions.push(next);
        next += 1;
    }
    let plain = |ty| FunRet { ty, dec: MemInfo::None };
    let mut out = vec![];
    for r in ret {
        let ty = match r.ty {
            RetType::Prim(p) => RetType::Prim(p),
            RetType::Mem(space) => RetType::Mem(space),
            RetType::Array { elem, shape, unique } => {
                out.push(plain(RetType::Mem(Space::Default)));
                if layout != Layout::Direct {
                    out.push(plain(RetType::Prim(fehu_base::prim::PrimType::I64)));
                }
                let moved = |s: ExtSize| match s {
                    ExtSize::Free(e) => ExtSize::Free(e),
                    ExtSize::Ext(k) => ExtSize::Ext(positions.get(k).copied().unwrap_or(k)),
                };
                RetType::Array { elem, shape: shape.into_iter().map(moved).collect(), unique }
            }
        };
        out.push(plain(ty));
    }
    out
}
