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
mod control;
mod entry;
mod kernel;
mod last;
mod place;
mod scalars;
mod task;
#[cfg(test)]
pub(crate) mod tests;
mod trace;

pub use trace::kernel_traces;

use crate::draft::{self, Code, Op};
use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::{bug, Name, NameSource, Symbol};
use fehu_imp::syntax::{Expr, Function, Kernel, Param, Program, TuningParam};
use fehu_ir::free::free_in_fun;
use fehu_ir::mem::{sym_name, Lmad, MemInfo, MemOp};
use fehu_ir::types::{prog_types, Types};
use fehu_ir::visit::{deep, Visitor};
use fehu_ir::{
    Basic, Body, Exp, FunDef, Loc, Memory, OpaqueTypes, PatElem, Prog, RetType, Space, Stm, SubExp, Type,
};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes a program imperative.
pub fn translate(prog: Prog<Memory>) -> Program {
    let mut t = Translate::new(&prog);
    let mut globals = t.find_globals(&prog.consts, &prog.funs);
    t.code.push(vec![]);
    t.body(&prog.consts, &[]);
    let mut init = t.code.pop().unwrap_or_default();
    let functions: Vec<Function> = prog.funs.iter().map(|f| t.fun(f, &prog.opaques)).collect();
    if let Some(zeros) = t.zeros {
        globals.push(Param::Mem(zeros, Space::Default));
        let prepare = t.block(|t| t.make_zeros(zeros));
        init.insert(0, prepare);
    }
    let device_functions = draft::device_functions(&functions, &t.kernels);
    Program {
        globals,
        init: draft::host(Code::Seq(init)),
        functions,
        device_functions,
        kernels: t.kernels,
        opaques: prog.opaques,
        params: t.params.into_values().collect(),
        checks: vec![],
        names: t.names,
    }
}

/// Where the code at hand runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// On the host, or on a CPU altogether.
    Host,
    /// In a kernel, by each thread for itself.
    Thread,
    /// In a kernel, by all threads of a block together, all doing the same except where they share work.
    Block,
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

struct Translate {
    names: NameSource,
    types: Types,
    places: FxHashMap<Name, (Name, Lmad)>,
    /// Names that stand for another variable or constant.
    same: FxHashMap<Name, SubExp>,
    /// Variables that outlive the initialisation.
    globals: FxHashSet<Name>,
    /// Open sequences of code.
    code: Vec<Vec<Code>>,
    loc: Loc,
    /// The function at hand, as tuning parameters call it.
    fun: Symbol,
    mode: Mode,
    /// What the accumulators of open `WithAcc`s update, by token.
    accs: FxHashMap<Name, kernel::Updated>,
    kernels: Vec<Kernel>,
    params: IndexMap<Symbol, TuningParam>,
    /// The blocks that the loop to come takes over.
    given: Vec<Name>,
    /// The shared arrays of the kernel at hand and their bytes, in terms of the host.
    shared: Vec<(Name, Expr)>,
    /// Those of them that its operations use one after the other.
    exchange: kernel::Exchange,
    /// What the kernel at hand computes by itself of what the host knows, for sizes of shared memory.
    sizes: FxHashMap<Name, Expr>,
    /// A block of zeros in device memory, which every user leaves so.
    zeros: Option<Name>,
    /// Points of the kernel at hand whose flat numbers are known.
    flats: Vec<place::Flat>,
    /// What is read in the kernel at hand in place of elements, by the name of what is read.
    instead: FxHashMap<Name, Expr>,
}

impl Translate {
    /// What is known before any code is made.
    fn new(prog: &Prog<Memory>) -> Translate {
        let mut places = Places::default();
        places.body(&prog.consts);
        for f in &prog.funs {
            fehu_ir::visit::look::fun::<Memory, _>(&mut places, f);
        }
        Translate {
            names: prog.names.clone(),
            types: prog_types(prog),
            places: places.0,
            same: FxHashMap::default(),
            globals: FxHashSet::default(),
            code: vec![],
            loc: Loc::none(),
            fun: Symbol::new("init"),
            mode: Mode::Host,
            accs: FxHashMap::default(),
            kernels: vec![],
            params: IndexMap::new(),
            given: vec![],
            shared: vec![],
            exchange: kernel::Exchange::default(),
            sizes: FxHashMap::default(),
            zeros: None,
            flats: vec![],
            instead: FxHashMap::default(),
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
        self.code.push(vec![]);
        self.body(&fun.body, &[]);
        for (e, out) in fun.body.result.iter().zip(&outs) {
            if let Some(out) = out {
                self.set(*out, *e);
            }
        }
        let body = draft::host(Code::Seq(self.code.pop().unwrap_or_default()));
        let entry = fun.entry.as_ref().map(|face| entry::entry(opaques, fun, face, &outs));
        Function { name: fun.name, outputs, inputs, body, entry }
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

    /// The statements of a body. `kept` are blocks that must not be freed in it.
    fn body(&mut self, body: &Body<Memory>, kept: &[Name]) {
        let last = match self.mode {
            Mode::Host => last::last_uses(self, body, kept),
            Mode::Thread | Mode::Block => vec![vec![]; body.stms.len()],
        };
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
            return self.read_param(&stm.pat, name);
        }
        if let (Exp::Basic(Basic::Opaque(e)), Some(traced)) = (&stm.exp, trace::traced(stm)) {
            self.trace(stm, *e, &traced);
        }
        match &stm.exp {
            Exp::If(c, t, f) => self.branch(&stm.pat, *c, t, f),
            Exp::Loop(l) => self.loop_(&stm.pat, l),
            Exp::Call(f, args) => self.call(&stm.pat, *f, args),
            Exp::Basic(Basic::Assert(cond, parts)) => self.assert(*cond, parts, stm.loc.clone()),
            Exp::Op(MemOp::Alloc(bytes, space)) => {
                let [p] = stm.pat.as_slice() else { bug!("an allocation of {} blocks", stm.pat.len()) };
                self.allocate(p, *bytes, space);
            }
            Exp::Op(MemOp::Seg(seg)) => self.seg_op(&stm.pat, seg),
            Exp::Op(MemOp::Size(size)) => self.size_op(&stm.pat, size),
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
                        other => bug!("a block from {other:?}"),
                    },
                    // Another name for an accumulator: its type says which.
                    Type::Acc(..) => {}
                }
            }
        }
    }

    /// A block is made: by the host, or for a kernel before it starts.
    fn allocate(&mut self, p: &PatElem<Memory>, bytes: SubExp, space: &Space) {
        match (space, self.mode) {
            (Space::Default, Mode::Host) => {
                self.declare(p.name, &p.ty);
                let bytes = self.operand(bytes);
                let (space, loc) = (space.clone(), self.loc.clone());
                self.emit(Code::Op(Op::Allocate { mem: p.name, bytes, space, loc }));
            }
            (Space::Scalar(..), _) => self.declare(p.name, &p.ty),
            (Space::Shared, Mode::Block) => {
                let bytes = self.host_operand(bytes);
                self.shared.push((p.name, bytes));
            }
            (Space::Default, Mode::Thread | Mode::Block) | (Space::Shared, Mode::Host | Mode::Thread) => {
                bug!("an allocation in {space:?} at {:?}", self.mode)
            }
        }
    }

    fn emit(&mut self, code: Code) {
        match self.code.last_mut() {
            Some(open) => open.push(code),
            None => bug!("no open sequence"),
        }
    }

    /// Code that is put together apart.
    fn block(&mut self, f: impl FnOnce(&mut Self)) -> Code {
        self.code.push(vec![]);
        f(self);
        Code::Seq(self.code.pop().unwrap_or_default())
    }

    /// Declares the variable of a name, unless it is a global.
    fn declare(&mut self, name: Name, ty: &Type) {
        if self.globals.contains(&name) {
            return;
        }
        match param(name, ty) {
            Some(Param::Scalar(name, ty)) => self.emit(Code::DeclareScalar(name, ty)),
            Some(Param::Mem(name, space)) => self.emit(Code::DeclareMem(name, space)),
            None => {}
        }
    }

    /// Assigns a variable.
    fn set(&mut self, name: Name, e: SubExp) {
        match (self.type_of(name), self.resolve(e)) {
            (Type::Prim(PrimType::Unit) | Type::Array(..) | Type::Acc(..), _) => {}
            (Type::Prim(_), e) => self.emit(Code::SetScalar(name, expr(e))),
            (Type::Mem(space), SubExp::Var(from)) => self.emit(Code::SetMem(name, from, space)),
            (Type::Mem(_), SubExp::Const(_)) => bug!("a block is a constant"),
        }
    }

    /// Another name for an operand.
    fn alias(&mut self, p: &PatElem<Memory>, e: SubExp) {
        if self.globals.contains(&p.name) {
            self.set(p.name, e);
        } else {
            let e = self.resolve(e);
            self.same.insert(p.name, e);
        }
    }

    /// The variable or constant that an operand stands for.
    fn resolve(&self, e: SubExp) -> SubExp {
        match e {
            SubExp::Var(n) => self.same.get(&n).copied().unwrap_or(e),
            SubExp::Const(_) => e,
        }
    }

    /// The variable that a block's name stands for.
    fn mem(&self, name: Name) -> Name {
        self.resolve(name.into()).name().unwrap_or(name)
    }

    fn operand(&self, e: SubExp) -> Expr {
        match self.resolve(e) {
            SubExp::Var(n) if self.types.get(&n) == Some(&Type::UNIT) => Expr::Const(PrimValue::Unit),
            e => expr(e),
        }
    }

    fn type_of(&self, name: Name) -> Type {
        match self.types.get(&name) {
            Some(ty) => ty.clone(),
            None => bug!("no type for {}", self.names.show(name)),
        }
    }

    fn free(&mut self, block: Name) {
        let mem = self.mem(block);
        if let Type::Mem(space) = self.type_of(mem) {
            self.emit(Code::Op(Op::Free(mem, space)));
        }
    }
}

fn expr(e: SubExp) -> Expr {
    match e {
        SubExp::Var(n) => Expr::Var(n),
        SubExp::Const(v) => Expr::Const(v),
    }
}

/// The variable for a binding; none for arrays and unit.
fn param(name: Name, ty: &Type) -> Option<Param> {
    match ty {
        Type::Prim(PrimType::Unit) | Type::Array(..) | Type::Acc(..) => None,
        Type::Prim(p) => Some(Param::Scalar(name, *p)),
        Type::Mem(space) => Some(Param::Mem(name, space.clone())),
    }
}
