//! Building code: variables, branches and loops, kernels and their memory.

use super::machine::{CpuMachine, Machine};
use super::state::{Context, HostCode, KernelCode, KernelState, Mode, Translate};
use fehu_base::device::BLOCK_THREADS;
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::{bug, Name, Symbol};
use fehu_imp::build::*;
use fehu_imp::free::free_names;
use fehu_imp::syntax::{Arg, Code, CpuOp, Expr, HostOp, Kernel, KernelOp, Launch, OnCpu, Order, Param};
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::seg::SegOp;
use fehu_ir::subst::{rename_body, rename_exp, rename_lambda, Subst};
use fehu_ir::visit::{look, Visitor};
use fehu_ir::{Body, Exp, Lambda, Loc, Loop, LoopForm, Memory, PatElem, Space, SubExp, Type};
use indexmap::IndexMap;

impl<M: Machine> Translate<'_, M> {
    /// Code of a machine, put together by itself.
    pub(super) fn on<N: Machine>(&mut self, f: impl FnOnce(&mut Translate<N>)) -> Code<N> {
        Translate { context: &mut *self.context, code: vec![] }.block(f)
    }

    pub(super) fn emit(&mut self, code: Code<M>) {
        match self.code.last_mut() {
            Some(open) => open.push(code),
            None => bug!("no open sequence"),
        }
    }

    /// Code that is put together by itself.
    pub(super) fn block(&mut self, f: impl FnOnce(&mut Self)) -> Code<M> {
        self.code.push(vec![]);
        f(self);
        Code::Seq(self.code.pop().unwrap_or_default())
    }

    /// Declares the variable of a name, unless it is a global.
    pub(super) fn declare(&mut self, name: Name, ty: &Type) {
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
    pub(super) fn set(&mut self, name: Name, e: SubExp) {
        match (self.type_of(name), self.resolve(e)) {
            (Type::Prim(PrimType::Unit) | Type::Array(..) | Type::Acc(..), _) => {}
            (Type::Prim(_), e) => self.emit(Code::SetScalar(name, expr(e))),
            (Type::Mem(space), SubExp::Var(from)) => self.emit(Code::SetMem(name, from, space)),
            (Type::Mem(_), SubExp::Const(_)) => bug!("a block is a constant"),
        }
    }

    /// Another name for an operand.
    pub(super) fn alias(&mut self, p: &PatElem<Memory>, e: SubExp) {
        if self.globals.contains(&p.name) {
            self.set(p.name, e);
        } else {
            let e = self.resolve(e);
            self.same.insert(p.name, e);
        }
    }

    pub(super) fn free(&mut self, block: Name) {
        let mem = self.mem(block);
        if let Type::Mem(space) = self.type_of(mem) {
            M::free(self, mem, space);
        }
    }

    /// A variable, declared.
    pub(super) fn temp(&mut self, base: &str, ty: PrimType) -> Name {
        let x = self.names.fresh_str(base);
        self.types.insert(x, Type::Prim(ty));
        self.emit(Code::DeclareScalar(x, ty));
        x
    }

    /// A variable with a value.
    pub(super) fn let_as(&mut self, base: &str, ty: PrimType, value: Expr) -> Name {
        let x = self.temp(base, ty);
        self.emit(Code::SetScalar(x, value));
        x
    }

    /// An `i64` with a value. Constants and variables need none.
    pub(super) fn let_i64(&mut self, base: &str, value: Expr) -> Expr {
        if let Expr::Const(_) | Expr::Var(_) = value {
            value
        } else {
            Expr::Var(self.let_as(base, PrimType::I64, value))
        }
    }

    pub(super) fn set_to(&mut self, x: Name, value: Expr) {
        self.emit(Code::SetScalar(x, value));
    }

    pub(super) fn if_then(&mut self, cond: Expr, then: impl FnOnce(&mut Self)) {
        let then = self.block(then);
        self.emit(Code::If(cond, Box::new(then), Box::new(Code::Seq(vec![]))));
    }

    pub(super) fn if_else(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let then = self.block(then);
        let otherwise = self.block(otherwise);
        self.emit(Code::If(cond, Box::new(then), Box::new(otherwise)));
    }

    pub(super) fn for_up_to(&mut self, base: &str, bound: Expr, body: impl FnOnce(&mut Self, Expr)) {
        self.counting_up_to(base, bound, Order::Sequential, body);
    }

    pub(super) fn counting_up_to(
        &mut self,
        base: &str,
        bound: Expr,
        order: Order,
        body: impl FnOnce(&mut Self, Expr),
    ) {
        let i = self.names.fresh_str(base);
        self.types.insert(i, Type::I64);
        let body = self.block(|t| body(t, Expr::Var(i)));
        self.emit(Code::For { var: i, ty: IntType::I64, bound, order, body: Box::new(body) });
    }

    pub(super) fn while_(&mut self, cond: Expr, body: impl FnOnce(&mut Self)) {
        let body = self.block(body);
        self.emit(Code::While(cond, Box::new(body)));
    }

    /// A thread's own array.
    pub(super) fn private_array(&mut self, base: &str, elem: PrimType, count: i64) -> Name {
        let mem = self.names.fresh_str(base);
        let space = Space::Scalar(elem, vec![count]);
        self.types.insert(mem, Type::Mem(space.clone()));
        self.emit(Code::DeclareMem(mem, space));
        mem
    }

    pub(super) fn store(&mut self, mem: Name, elem: PrimType, offset: Expr, value: Expr) {
        let space = self.mem_space(mem);
        self.emit(Code::Write { mem, offset, elem, space, value });
    }
}

/// What needs no code.
impl Context {
    /// The variable or constant that an operand stands for.
    pub(super) fn resolve(&self, e: SubExp) -> SubExp {
        match e {
            SubExp::Var(n) => self.same.get(&n).copied().unwrap_or(e),
            SubExp::Const(_) => e,
        }
    }

    /// The variable that a block's name stands for.
    pub(super) fn mem(&self, name: Name) -> Name {
        self.resolve(name.into()).name().unwrap_or(name)
    }

    pub(super) fn operand(&self, e: SubExp) -> Expr {
        match self.resolve(e) {
            SubExp::Var(n) if self.types.get(&n) == Some(&Type::UNIT) => Expr::Const(PrimValue::Unit),
            e @ (SubExp::Var(_) | SubExp::Const(_)) => expr(e),
        }
    }

    pub(super) fn type_of(&self, name: Name) -> Type {
        match self.types.get(&name) {
            Some(ty) => ty.clone(),
            None => bug!("no type for {}", self.names.show(name)),
        }
    }

    /// The element of a block.
    pub(super) fn element(&self, mem: Name, elem: PrimType, offset: Expr) -> Expr {
        let space = self.mem_space(mem);
        Expr::Index { mem, offset: Box::new(offset), elem, space }
    }

    pub(super) fn mem_space(&self, mem: Name) -> Space {
        match self.types.get(&mem) {
            Some(Type::Mem(space)) => space.clone(),
            Some(Type::Prim(_) | Type::Array(..) | Type::Acc(..)) | None => {
                bug!("{} is no block", self.names.show(mem))
            }
        }
    }

    /// A block of zeros in device memory, of [`ZEROS`] `i32`s. Whoever changes it, changes it back.
    pub(super) fn zeros(&mut self) -> Name {
        let zeros = self.zeros.unwrap_or_else(|| self.global_block("zeros"));
        self.zeros = Some(zeros);
        zeros
    }

    /// A block of locks in device memory, of [`LOCKS`] `i32`s: 0 is a lock that nobody has.
    pub(super) fn locks(&mut self) -> Name {
        let locks = self.locks.unwrap_or_else(|| self.global_block("locks"));
        self.locks = Some(locks);
        locks
    }

    fn global_block(&mut self, base: &str) -> Name {
        let block = self.names.fresh_str(base);
        self.types.insert(block, Type::Mem(Space::Default));
        self.globals.insert(block);
        block
    }

    /// A copy of an operation with names of its own.
    pub(super) fn renamed(&mut self, seg: &SegOp<Memory>) -> SegOp<Memory> {
        let exp = rename_exp(&mut self.names, &Exp::Op(MemOp::Seg(seg.clone())));
        Learn(self).exp(&exp);
        match exp {
            Exp::Op(MemOp::Seg(seg)) => seg,
            other @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => bug!("renaming made {other:?}"),
        }
    }

    /// A copy of a loop with names of its own.
    pub(super) fn renamed_loop(&mut self, l: &Loop<Memory>) -> Loop<Memory> {
        let exp = rename_exp(&mut self.names, &Exp::Loop(Box::new(l.clone())));
        Learn(self).exp(&exp);
        match exp {
            Exp::Loop(l) => *l,
            other @ (Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_)) => {
                bug!("renaming made {other:?}")
            }
        }
    }

    /// A copy of what an iteration of a loop does, with names of its own, also for the loop's counter.
    pub(super) fn renamed_iteration(
        &mut self,
        body: &Body<Memory>,
        (counter, ty): (Name, IntType),
    ) -> (Body<Memory>, Name) {
        let mut body = rename_body(&mut self.names, body);
        let copy = self.names.fresh_like(counter);
        self.types.insert(copy, Type::Prim(PrimType::Int(ty)));
        let mut subst = Subst::new();
        subst.insert(counter, copy);
        subst.body(&mut body);
        Learn(self).body(&body);
        (body, copy)
    }

    /// A copy of an operator with names of its own.
    pub(super) fn renamed_lambda(&mut self, lambda: &Lambda<Memory>) -> Lambda<Memory> {
        let copy = rename_lambda(&mut self.names, lambda);
        Learn(self).lambda(&copy);
        copy
    }
}

impl<X: CpuMachine> Translate<'_, OnCpu<X>> {
    /// An operation that all CPUs have.
    pub(super) fn on_cpu(&mut self, op: CpuOp<OnCpu<X>>) {
        self.emit(Code::Op(OnCpu::Cpu(op)));
    }

    /// Memory for so many elements.
    pub(super) fn fresh_array(&mut self, base: &str, elem: PrimType, count: Expr) -> Name {
        let mem = self.fresh_block(base);
        self.allocate(mem, elem, count);
        mem
    }

    /// A block without memory.
    pub(super) fn fresh_block(&mut self, base: &str) -> Name {
        let mem = self.names.fresh_str(base);
        self.types.insert(mem, Type::Mem(Space::Default));
        self.emit(Code::DeclareMem(mem, Space::Default));
        mem
    }

    /// Gives a block memory for so many elements.
    pub(super) fn allocate(&mut self, mem: Name, elem: PrimType, count: Expr) {
        let bytes = mul(count, i64(elem.bytes() as i64));
        let loc = self.loc.clone();
        self.on_cpu(CpuOp::Allocate { mem, bytes, space: Space::Default, loc });
    }
}

impl HostCode<'_> {
    /// A kernel and its launch. `body` makes the kernel's code.
    pub(super) fn kernel(
        &mut self,
        label: &str,
        grid: Expr,
        block: Expr,
        mode: Mode,
        body: impl FnOnce(&mut KernelCode),
    ) {
        let inside = KernelState { mode, ..KernelState::default() };
        let around = std::mem::replace(&mut self.in_kernel, inside);
        let code = self.on(body);
        let KernelState { shared, resident, .. } = std::mem::replace(&mut self.in_kernel, around);
        let mut params = vec![];
        let mut args = vec![];
        for n in free_names(&code) {
            if shared.iter().any(|(s, _)| *s == n) {
                continue;
            }
            match self.type_of(n) {
                Type::Prim(ty) => {
                    params.push(Param::Scalar(n, ty));
                    args.push(Arg::Scalar(Expr::Var(n)));
                }
                Type::Mem(space) => {
                    params.push(Param::Mem(n, space));
                    args.push(Arg::Mem(n));
                }
                ty @ (Type::Array(..) | Type::Acc(..)) => {
                    bug!("{} of type {ty:?} is free in a kernel", self.names.show(n))
                }
            }
        }
        let name = self.context.names.fresh_str(&format!("{}_{label}", self.context.fun));
        let label = Symbol::new(&format!("{}.{label}_{}", self.fun, name.0));
        let (names, bytes): (Vec<Name>, Vec<Expr>) = shared.into_iter().unzip();
        self.context.kernels.push(Kernel {
            name,
            label,
            params,
            shared: names,
            block_size: None,
            resident,
            qualifiers: IndexMap::new(),
            body: code,
            loc: self.context.loc.clone(),
        });
        self.emit(Code::Op(HostOp::Own(Box::new(Launch {
            kernel: name,
            grid,
            block,
            shared: bytes,
            args,
            ahead: None,
        }))));
    }

    pub(super) fn free_device(&mut self, mem: Name) {
        self.on_cpu(CpuOp::Free(mem, Space::Default));
    }

    /// Makes a block of so many `i32`s, all of them zero, when the program starts.
    pub(super) fn make_zeros(&mut self, block: Name, count: i64) {
        self.fun = Symbol::new("init");
        let (bytes, loc) = (i64(4 * count), Loc::none());
        self.on_cpu(CpuOp::Allocate { mem: block, bytes, space: Space::Default, loc });
        self.fill_zeros(block, i64(count));
    }

    /// Sets `i32`s to zero.
    pub(super) fn fill_zeros(&mut self, mem: Name, count: Expr) {
        let count = self.let_i64("count", count);
        let grid = quot_up(count.clone(), i64(BLOCK_THREADS));
        self.kernel("zero", grid, i64(BLOCK_THREADS), Mode::Thread, |t| {
            let at = t.let_i64("at", add(mul(block(), i64(BLOCK_THREADS)), local()));
            t.if_then(lt(at.clone(), count), |t| t.store(mem, PrimType::I32, at, i32(0)));
        });
    }
}

impl KernelCode<'_> {
    pub(super) fn barrier(&mut self) {
        self.emit(Code::Op(KernelOp::Barrier));
    }

    pub(super) fn warp_barrier(&mut self) {
        self.emit(Code::Op(KernelOp::WarpBarrier));
    }

    /// A loop that is unrolled. Its bound is known when the kernel is compiled.
    pub(super) fn unrolled_up_to(&mut self, base: &str, bound: Expr, body: impl FnOnce(&mut Self, Expr)) {
        let var = self.names.fresh_str(base);
        self.types.insert(var, Type::I64);
        let body = Box::new(self.block(|t| body(t, Expr::Var(var))));
        self.emit(Code::Op(KernelOp::UnrolledFor { by: None, var, ty: IntType::I64, bound, body }));
    }

    /// A loop of which so many iterations become one.
    pub(super) fn unrolled_by(
        &mut self,
        by: usize,
        base: &str,
        bound: Expr,
        body: impl FnOnce(&mut Self, Expr),
    ) {
        let var = self.names.fresh_str(base);
        self.types.insert(var, Type::I64);
        let body = Box::new(self.block(|t| body(t, Expr::Var(var))));
        self.emit(Code::Op(KernelOp::UnrolledFor { by: Some(by), var, ty: IntType::I64, bound, body }));
    }

    /// Code in which checks may fail, in a kernel with barriers.
    pub(super) fn guarded(&mut self, body: impl FnOnce(&mut Self)) {
        let body = self.block(body);
        self.emit(Code::Op(KernelOp::Guarded(Box::new(body))));
    }

    /// Reads an element that other blocks write meanwhile.
    pub(super) fn read_volatile(&mut self, x: Name, mem: Name, elem: PrimType, offset: Expr) {
        self.emit(Code::Op(KernelOp::ReadVolatile { var: x, mem, offset, elem }));
    }

    /// Writes an element that other blocks read meanwhile.
    pub(super) fn write_volatile(&mut self, mem: Name, elem: PrimType, offset: Expr, value: Expr) {
        self.emit(Code::Op(KernelOp::WriteVolatile { mem, offset, elem, value }));
    }

    /// An array in the kernel's shared memory, of so many elements.
    pub(super) fn shared_array(&mut self, base: &str, elem: PrimType, count: Expr) -> Name {
        let mem = self.names.fresh_str(base);
        self.types.insert(mem, Type::Mem(Space::Shared));
        self.in_kernel.shared.push((mem, mul(count, i64(elem.bytes() as i64))));
        mem
    }
}

/// How many `i32`s the block of zeros has: more segments than this have a thread block each, which needs no
/// counter, and more words of tiles are cleared by a kernel.
pub(super) const ZEROS: i64 = 1 << 14;

/// How many locks there are. Elements share them, and more of them are waited for less often.
pub(super) const LOCKS: i64 = 1 << 16;

/// Adds the types and places of what is bound somewhere.
struct Learn<'a>(&'a mut Context);

impl Learn<'_> {
    pub(super) fn bind(&mut self, name: Name, ty: &Type, dec: &MemInfo) {
        self.0.types.insert(name, ty.clone());
        match dec {
            MemInfo::None => {}
            MemInfo::Array { block, lmad } => {
                self.0.places.insert(name, (*block, lmad.clone()));
            }
        }
    }
}

impl Visitor<Memory> for Learn<'_> {
    fn param(&mut self, p: &fehu_ir::Param<Memory>) {
        self.bind(p.name, &p.ty, &p.dec);
    }
    fn pat_elem(&mut self, p: &PatElem<Memory>) {
        self.bind(p.name, &p.ty, &p.dec);
    }
    fn exp(&mut self, e: &Exp<Memory>) {
        match e {
            Exp::Loop(l) => match &l.form {
                LoopForm::For { var, ty, .. } => {
                    self.0.types.insert(*var, Type::Prim(PrimType::Int(*ty)));
                }
                LoopForm::While(_) => {}
            },
            Exp::Op(MemOp::Seg(seg)) => {
                self.0.types.insert(seg.space.flat, Type::I64);
                self.0.types.extend(seg.space.dims.iter().map(|d| (d.0, Type::I64)));
                self.0.types.extend(seg.grid.iter().map(|g| (g.thread, Type::I64)));
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
        look::exp(self, e);
    }
}

pub(super) fn expr(e: SubExp) -> Expr {
    match e {
        SubExp::Var(n) => Expr::Var(n),
        SubExp::Const(v) => Expr::Const(v),
    }
}

/// The variable for a binding; none for arrays and unit.
pub(super) fn param(name: Name, ty: &Type) -> Option<Param> {
    match ty {
        Type::Prim(PrimType::Unit) | Type::Array(..) | Type::Acc(..) => None,
        Type::Prim(p) => Some(Param::Scalar(name, *p)),
        Type::Mem(space) => Some(Param::Mem(name, space.clone())),
    }
}
