//! Checks of statements.

use super::{Runs, Validator};
use crate::declared::Var;
use crate::ops::{CpuOp, HostOp, KernelOp, Launch, RacingWrite, TaskOp};
use crate::print::PrintOp;
use crate::syntax::{Arg, Code, ErrorPart, Expr, Param, Place, Space};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::visit::deep;

/// Operations that can be checked.
pub(super) trait ValidOp: PrintOp {
    /// Checks an operation.
    fn check<'a>(&'a self, v: &mut Validator<'a>);
    /// The parameters and results of a function that is called by this machine.
    fn callee<'a>(v: &Validator<'a>, fun: Name) -> Option<(&'a [Param], &'a [Param])>;
}

impl ValidOp for HostOp {
    fn check<'a>(&'a self, v: &mut Validator<'a>) {
        match self {
            HostOp::Cpu(op) => v.cpu_op(op),
            HostOp::Own(launch) => v.launch(launch),
        }
    }

    fn callee<'a>(v: &Validator<'a>, fun: Name) -> Option<(&'a [Param], &'a [Param])> {
        v.functions.get(&fun).map(|f| (f.inputs.as_slice(), f.outputs.as_slice()))
    }
}

impl ValidOp for TaskOp {
    fn check<'a>(&'a self, v: &mut Validator<'a>) {
        match self {
            TaskOp::Cpu(op) => v.cpu_op(op),
            TaskOp::Own(RacingWrite { mem, offset, elem, value }) => {
                v.write_volatile(*mem, offset, *elem, value)
            }
        }
    }

    fn callee<'a>(v: &Validator<'a>, fun: Name) -> Option<(&'a [Param], &'a [Param])> {
        HostOp::callee(v, fun)
    }
}

impl ValidOp for KernelOp {
    fn check<'a>(&'a self, v: &mut Validator<'a>) {
        v.kernel_op(self);
    }

    fn callee<'a>(v: &Validator<'a>, fun: Name) -> Option<(&'a [Param], &'a [Param])> {
        v.device_functions.get(&fun).map(|f| (f.inputs.as_slice(), f.outputs.as_slice()))
    }
}

impl<'a> Validator<'a> {
    pub(super) fn code<O: ValidOp>(&mut self, code: &'a Code<O>) {
        if let Code::Seq(codes) = code {
            return codes.iter().for_each(|c| deep(|| self.code(c)));
        }
        self.at.push(code);
        self.statement(code);
        self.at.pop();
    }

    /// Code that is a scope.
    fn nested<O: ValidOp>(&mut self, code: &'a Code<O>) {
        deep(|| self.scoped(|v| v.code(code)));
    }

    fn statement<O: ValidOp>(&mut self, code: &'a Code<O>) {
        match code {
            Code::Seq(_) => {}
            Code::DeclareScalar(x, ty) => self.declare_scalar(*x, *ty),
            Code::SetScalar(x, e) => {
                self.expr(e);
                self.set_scalar(*x, self.declared.type_of(e));
            }
            Code::DeclareMem(m, space) => {
                self.declare_block(*m, space);
                let on_host = self.runs == Runs::Host;
                self.check(!(on_host && *space == Space::Shared), || "shared memory on the host".into());
            }
            Code::DeclareStatic(m, _) => {
                self.declare_block(*m, &Space::Default);
                self.statics.insert(*m);
            }
            Code::SetMem(a, b, space) => {
                self.block_in(*a, space);
                self.block_in(*b, space);
                self.assigned(*a);
            }
            Code::Write { mem, offset, elem, space, value } => {
                self.block_in(*mem, space);
                self.written(*mem);
                self.expr_of(offset, PrimType::I64, "an offset");
                self.expr_of(value, *elem, "what is written");
            }
            Code::Copy { elem: _, shape, dst, src } => {
                self.sizes(shape, "a size");
                self.written(dst.mem);
                self.place(dst, shape.len());
                self.place(src, shape.len());
            }
            Code::For { var, ty, bound, order: _, body } => self.for_loop(*var, *ty, bound, body),
            Code::While(cond, body) => {
                self.expr_of(cond, PrimType::Bool, "the condition");
                self.nested(body);
            }
            Code::If(cond, a, b) => {
                self.expr_of(cond, PrimType::Bool, "the condition");
                self.nested(a);
                self.nested(b);
            }
            Code::Call { outs, fun, args } => self.call(O::callee(self, *fun), outs, args),
            Code::Assert { cond, message, loc: _ } => {
                self.expr_of(cond, PrimType::Bool, "the condition");
                self.message(message);
            }
            Code::Op(op) => op.check(self),
        }
    }

    pub(super) fn for_loop<O: ValidOp>(&mut self, var: Name, ty: IntType, bound: &Expr, body: &'a Code<O>) {
        self.expr_of(bound, PrimType::Int(ty), "the bound");
        deep(|| {
            self.scoped(|v| {
                v.declare_fixed(var, PrimType::Int(ty));
                v.code(body);
            })
        });
    }

    fn message(&mut self, message: &[ErrorPart]) {
        for part in message {
            match part {
                ErrorPart::Text(_) => {}
                ErrorPart::Value(e, ty) => self.expr_of(e, ty.prim(), "a value of the message"),
            }
        }
    }

    fn declare_fixed(&mut self, x: Name, ty: PrimType) {
        self.declare_scalar(x, ty);
        self.fixed.insert(x);
    }

    /// A scalar gets a value of a type, if that is known.
    pub(super) fn set_scalar(&mut self, x: Name, ty: Option<PrimType>) {
        self.expr(&Expr::Var(x));
        self.assigned(x);
        if let Some(ty) = ty {
            self.check_type(&Expr::Var(x), ty, "the variable");
        }
    }

    fn sizes(&mut self, sizes: &[Expr], what: &str) {
        sizes.iter().for_each(|e| self.expr_of(e, PrimType::I64, what));
    }

    fn place(&mut self, place: &Place, rank: usize) {
        self.block_in(place.mem, &place.space);
        self.expr_of(&place.offset, PrimType::I64, "an offset");
        self.sizes(&place.strides, "a stride");
        self.check(place.strides.len() == rank, || "not one stride for each dimension".into());
    }

    fn call(&mut self, fun: Option<(&'a [Param], &'a [Param])>, outs: &[Name], args: &'a [Arg]) {
        let Some((inputs, outputs)) = fun else {
            return self.fail("there is no such function");
        };
        self.args(args, inputs);
        self.check(outs.len() == outputs.len(), || "the wrong number of results".into());
        for (out, output) in outs.iter().zip(outputs) {
            match output {
                Param::Scalar(_, ty) => self.set_scalar(*out, Some(*ty)),
                Param::Mem(_, space) => {
                    self.block_in(*out, space);
                    self.assigned(*out);
                }
            }
        }
    }

    /// Arguments, and the parameters that they are for.
    fn args(&mut self, args: &[Arg], params: &[Param]) {
        self.check(args.len() == params.len(), || "the wrong number of arguments".into());
        for (arg, param) in args.iter().zip(params) {
            match (arg, param) {
                (Arg::Scalar(e), Param::Scalar(_, ty)) => self.expr_of(e, *ty, "an argument"),
                (Arg::Mem(m), Param::Mem(_, space)) => self.block_in(*m, space),
                (Arg::Scalar(_), Param::Mem(..)) => self.fail("a scalar is passed for a block"),
                (Arg::Mem(_), Param::Scalar(..)) => self.fail("a block is passed for a scalar"),
            }
        }
    }

    fn cpu_op<O: ValidOp>(&mut self, op: &'a CpuOp<O>) {
        match op {
            CpuOp::Allocate { mem, bytes, space, loc: _ } => {
                self.check(*space == Space::Default, || "only device memory is allocated".into());
                self.expr_of(bytes, PrimType::I64, "a size in bytes");
                self.block_in(*mem, space);
                self.assigned(*mem);
            }
            CpuOp::Free(m, space) => {
                self.block_in(*m, space);
                self.assigned(*m);
            }
            CpuOp::Trace { loc: _, message } => self.message(message),
            CpuOp::ParFor { start, end, bound, least, body } => {
                self.expr_of(bound, PrimType::I64, "the bound");
                self.check(*least > 0, || "a range without iterations".into());
                self.task(&[*start, *end], body);
            }
            CpuOp::ParChunks { chunk, start, end, bound, most, chunks, before, body } => {
                self.expr_of(bound, PrimType::I64, "the bound");
                self.expr_of(most, PrimType::I64, "the number of chunks");
                self.declare_fixed(*chunks, PrimType::I64);
                self.code(before);
                self.task(&[*chunk, *start, *end], body);
            }
            CpuOp::Outlined(outlined) => {
                outlined.inputs.iter().chain(&outlined.updated).for_each(|x| self.expr(&Expr::Var(*x)));
                outlined.blocks.iter().for_each(|b| {
                    self.block(b.mem);
                });
                self.code(&outlined.code);
            }
            CpuOp::GetSize(x, param) => {
                self.tuning_param(*param);
                self.set_scalar(*x, Some(PrimType::I64));
            }
            CpuOp::GetSizeMax(x, _) => {
                self.set_scalar(*x, Some(PrimType::I64));
            }
            CpuOp::CmpThreshold(x, param, e) => {
                self.tuning_param(*param);
                self.expr_of(e, PrimType::I64, "what is compared");
                self.set_scalar(*x, Some(PrimType::Bool));
            }
        }
    }

    /// The body of a task, with the variables that say which part of the work it does.
    fn task(&mut self, indices: &[Name], body: &'a Code<TaskOp>) {
        deep(|| {
            let around = self.task.replace(self.scopes.len());
            self.scoped(|v| {
                indices.iter().for_each(|x| v.declare_fixed(*x, PrimType::I64));
                v.code(body);
            });
            self.task = around;
        });
    }

    fn launch(&mut self, launch: &'a Launch) {
        self.sizes(std::slice::from_ref(&launch.grid), "the number of blocks");
        self.sizes(std::slice::from_ref(&launch.block), "the number of threads");
        self.sizes(&launch.shared, "a size of shared memory");
        let Some(kernel) = self.kernels.get(&launch.kernel).copied() else {
            return self.fail("there is no such kernel");
        };
        self.args(&launch.args, &kernel.params);
        self.check(launch.shared.len() == kernel.shared.len(), || {
            "not one size for each array in shared memory".into()
        });
        let given = |block: Name| launch.args.contains(&Arg::Mem(block));
        self.check(launch.ahead.is_none_or(|ahead| given(ahead.block)), || {
            "a launch copies a block that it does not get".into()
        });
        for arg in &launch.args {
            if let Arg::Mem(m) = arg {
                let block = matches!(self.declared.get(*m), Some(Var::Mem(Space::Default)));
                self.check(block, || "a kernel gets a block that is not in device memory".into());
            }
        }
    }
}
