//! From `Memory` to imperative code.
//!
//! Before: a program over `Memory`. After: its functions over scalars and
//! blocks. Arrays are no longer values: where one was passed or returned, its
//! block and what describes its place are.
//!
//! Most statements become an assignment to a variable of their own. Names that
//! stand for another variable cost nothing: `let y = x`, and the results of a
//! loop, which are its parameters. Values of type unit are nowhere.
//! A block is freed after the last statement that uses it (see `last`), or by
//! the end of its scope.

mod arrays;
mod build;
mod control;
mod device;
mod entry;
mod kernel;
mod last;
mod machine;
mod place;
mod scalars;
mod state;
mod task;
#[cfg(test)]
pub(crate) mod tests;
mod trace;

pub use trace::kernel_traces;

use crate::translate::build::{param, LOCKS, ZEROS};
use crate::translate::device::device_functions;
use crate::translate::kernel::size;
use crate::translate::machine::Machine;
use crate::translate::state::{Context, HostCode, KernelState, Translate};
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name, Symbol};
use fehu_imp::syntax::{Code, Function, Param, Program};
use fehu_ir::free::free_in_fun;
use fehu_ir::mem::{sym_name, Lmad, MemInfo, MemOp};
use fehu_ir::types::prog_types;
use fehu_ir::visit::{deep, Visitor};
use fehu_ir::{Basic, Body, Exp, FunDef, Loc, Memory, OpaqueTypes, PatElem, Prog, RetType, Space, Stm, Type};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes a program imperative.
pub fn translate(prog: Prog<Memory>) -> Program {
    let mut context = Context::new(&prog);
    let mut globals = context.find_globals(&prog.consts, &prog.funs);
    let mut t = HostCode { context: &mut context, code: vec![vec![]] };
    t.body(&prog.consts, &[]);
    let mut init = t.code.pop().unwrap_or_default();
    let functions: Vec<Function> = prog.funs.iter().map(|f| t.fun(f, &prog.opaques)).collect();
    for (block, count) in [(t.zeros, ZEROS), (t.locks, LOCKS)] {
        let Some(block) = block else { continue };
        globals.push(Param::Mem(block, Space::Default));
        init.insert(0, t.block(|t| t.make_zeros(block, count)));
    }
    let device_functions = device_functions(&functions, &context.kernels);
    Program {
        globals,
        init: Code::Seq(init),
        functions,
        device_functions,
        kernels: context.kernels,
        opaques: prog.opaques,
        params: context.params.into_values().collect(),
        checks: vec![],
        names: context.names,
    }
}

/// Where every array of a program lives.
#[derive(Default)]
struct Places(FxHashMap<Name, (Name, Lmad)>);

impl Places {
    fn add(&mut self, name: Name, dec: &MemInfo) {
        match dec {
            MemInfo::None => {}
            MemInfo::Array { block, lmad } => {
                self.0.insert(name, (*block, lmad.clone()));
            }
        }
    }
}

impl Visitor<Memory> for Places {
    fn param(&mut self, p: &fehu_ir::Param<Memory>) {
        self.add(p.name, &p.dec);
    }
    fn pat_elem(&mut self, p: &PatElem<Memory>) {
        self.add(p.name, &p.dec);
    }
}

impl Context {
    /// What is known before any code is made.
    fn new(prog: &Prog<Memory>) -> Context {
        let mut places = Places::default();
        places.body(&prog.consts);
        for f in &prog.funs {
            fehu_ir::visit::look::fun::<Memory>(&mut places, f);
        }
        Context {
            names: prog.names.clone(),
            types: prog_types(prog),
            places: places.0,
            same: FxHashMap::default(),
            globals: FxHashSet::default(),
            loc: Loc::none(),
            fun: Symbol::new("init"),
            accs: FxHashMap::default(),
            kernels: vec![],
            params: IndexMap::new(),
            given: vec![],
            zeros: None,
            locks: None,
            in_kernel: KernelState::default(),
        }
    }

    /// The constants that functions use: scalars, blocks, and what places mention.
    fn find_globals(&mut self, consts: &Body<Memory>, funs: &[FunDef<Memory>]) -> Vec<Param> {
        let mut used: FxHashSet<Name> = FxHashSet::default();
        for n in funs.iter().flat_map(free_in_fun) {
            used.insert(n);
            if let Some((block, lmad)) = self.places.get(&n) {
                used.insert(*block);
                used.extend(lmad.vars().into_iter().map(sym_name));
            }
        }
        let mut globals = vec![];
        for p in consts.stms.iter().flat_map(|s| &s.pat).filter(|p| used.contains(&p.name)) {
            if let Some(param) = param(p.name, &p.ty) {
                self.globals.insert(p.name);
                globals.push(param);
            }
        }
        globals
    }

    /// The variable for a result; none for arrays and unit.
    fn output(&mut self, ty: &RetType) -> Option<Name> {
        let (base, ty) = match ty {
            RetType::Prim(PrimType::Unit) | RetType::Array { .. } => return None,
            RetType::Prim(p) => ("out", Type::Prim(*p)),
            RetType::Mem(space) => ("out_mem", Type::Mem(space.clone())),
        };
        let name = self.names.fresh_str(base);
        self.types.insert(name, ty);
        Some(name)
    }
}

impl HostCode<'_> {
    fn fun(&mut self, fun: &FunDef<Memory>, opaques: &OpaqueTypes) -> Function {
        self.loc = fun.loc.clone();
        self.fun = match &fun.entry {
            Some(entry) => entry.name,
            None => self.names.base(fun.name),
        };
        let inputs = fun.params.iter().filter_map(|p| param(p.name, &p.ty)).collect();
        let outs: Vec<Option<Name>> = fun.ret.iter().map(|r| self.output(&r.ty)).collect();
        let outputs = fun.ret.iter().zip(&outs).filter_map(|(r, out)| match (&r.ty, out) {
            (RetType::Prim(p), Some(out)) => Some(Param::Scalar(*out, *p)),
            (RetType::Mem(space), Some(out)) => Some(Param::Mem(*out, space.clone())),
            (RetType::Array { .. } | RetType::Prim(_) | RetType::Mem(_), _) => None,
        });
        let outputs = outputs.collect();
        let body = self.block(|t| {
            t.body(&fun.body, &[]);
            for (e, out) in fun.body.result.iter().zip(&outs) {
                if let Some(out) = out {
                    t.set(*out, *e);
                }
            }
        });
        let entry = fun.entry.as_ref().map(|face| entry::entry(opaques, fun, face, &outs));
        Function { name: fun.name, outputs, inputs, body, entry }
    }
}

impl<M: Machine> Translate<'_, M> {
    /// The statements of a body. `kept` are blocks that must not be freed in it.
    fn body(&mut self, body: &Body<Memory>, kept: &[Name]) {
        let last = M::last_uses(self, body, kept);
        deep(|| {
            for (i, (stm, last)) in body.stms.iter().zip(&last).enumerate() {
                self.given = last::given(self, stm, last);
                let given = self.given.clone();
                self.stm(stm);
                // What the last statement uses, the end of the scope frees.
                let freed = last.iter().filter(|b| i + 1 < body.stms.len() && !given.contains(b));
                for block in freed {
                    self.free(*block);
                }
            }
        });
    }

    fn stm(&mut self, stm: &Stm<Memory>) {
        self.loc = stm.loc.clone();
        if let Some(name) = stm.declared_param() {
            return size::read_param(self, &stm.pat, name);
        }
        if let (Exp::Basic(Basic::Opaque(e)), Some(traced)) = (&stm.exp, trace::traced(stm)) {
            M::trace(self, stm, *e, &traced);
        }
        match &stm.exp {
            Exp::If(c, t, f) => self.branch(&stm.pat, *c, t, f),
            Exp::Loop(l) => self.loop_(stm, l),
            Exp::Call(f, args) => self.call(&stm.pat, *f, args),
            Exp::Basic(Basic::Assert(cond, parts, _)) => self.assert(*cond, parts, stm.loc.clone()),
            Exp::Op(MemOp::Alloc(bytes, space)) => {
                let [p] = stm.pat.as_slice() else { bug!("an allocation of {} blocks", stm.pat.len()) };
                M::allocate(self, p, *bytes, space);
            }
            Exp::Op(MemOp::Seg(seg)) => M::seg_op(self, &stm.pat, seg),
            Exp::Op(MemOp::Size(size)) => M::size_op(self, &stm.pat, size),
            Exp::Basic(Basic::UpdateAcc(acc, index, values)) => self.update_acc(*acc, index, values),
            Exp::WithAcc(w) => self.with_acc(&stm.pat, w),
            Exp::Basic(Basic::ArrayConst(data)) => self.array_const(&stm.pat, data),
            Exp::Basic(_) => {
                let [p] = stm.pat.as_slice() else { bug!("one expression, {} results", stm.pat.len()) };
                match &p.ty {
                    Type::Prim(PrimType::Unit) => {}
                    Type::Prim(_) => self.scalar(p, &stm.exp),
                    Type::Array(..) => self.array(p, &stm.exp),
                    Type::Mem(_) => match &stm.exp {
                        Exp::Basic(Basic::SubExp(e)) => self.alias(p, *e),
                        other @ (Exp::Basic(_)
                        | Exp::Call(..)
                        | Exp::If(..)
                        | Exp::Loop(_)
                        | Exp::WithAcc(_)
                        | Exp::Op(_)) => bug!("a block from {other:?}"),
                    },
                    // Another name for an accumulator: its type says which.
                    Type::Acc(..) => {}
                }
            }
        }
    }
}
