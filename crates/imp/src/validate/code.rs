//! Checks of statements.

use super::{Runs, Validator};
use crate::declared::Var;
use crate::syntax::{Arg, Code, ErrorPart, Expr, Launch, Op, Param, Place, Space};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::visit::deep;

impl<'a> Validator<'a> {
    pub(super) fn code(&mut self, code: &'a Code) {
        if let Code::Seq(codes) = code {
            return codes.iter().for_each(|c| deep(|| self.code(c)));
        }
        self.at.push(code);
        self.statement(code);
        self.at.pop();
    }

    /// Code that is a scope.
    fn nested(&mut self, code: &'a Code) {
        deep(|| self.scoped(|v| v.code(code)));
    }

    fn statement(&mut self, code: &'a Code) {
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
            Code::Allocate { mem, bytes, space, loc: _ } => {
                self.on_host("memory is allocated");
                self.check(*space == Space::Default, || "only device memory is allocated".into());
                self.expr_of(bytes, PrimType::I64, "a size in bytes");
                self.block_in(*mem, space);
                self.assigned(*mem);
            }
            Code::Free(m, space) => {
                self.on_host("memory is freed");
                self.block_in(*m, space);
                self.assigned(*m);
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
            Code::For { var, ty, bound, body } => {
                self.expr_of(bound, PrimType::Int(*ty), "the bound");
                deep(|| {
                    self.scoped(|v| {
                        v.declare_fixed(*var, PrimType::Int(*ty));
                        v.code(body);
                    })
                });
            }
            Code::While(cond, body) => {
                self.expr_of(cond, PrimType::Bool, "the condition");
                self.nested(body);
            }
            Code::If(cond, a, b) => {
                self.expr_of(cond, PrimType::Bool, "the condition");
                self.nested(a);
                self.nested(b);
            }
            Code::Call { outs, fun, args } => self.call(outs, *fun, args),
            Code::Assert { cond, message, loc: _ } => {
                self.expr_of(cond, PrimType::Bool, "the condition");
                self.message(message);
            }
            Code::Trace { loc: _, message } => self.message(message),
            Code::Op(op) => self.op(op),
        }
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

    /// That only the host does this.
    pub(super) fn on_host(&mut self, what: &str) {
        self.check(self.runs == Runs::Host, || format!("{what} in a kernel"));
    }

    fn call(&mut self, outs: &[Name], fun: Name, args: &'a [Arg]) {
        let Some(f) = self.functions.get(&fun).copied() else {
            return self.fail("there is no such function");
        };
        self.args(args, &f.inputs);
        self.check(outs.len() == f.outputs.len(), || "the wrong number of results".into());
        for (out, output) in outs.iter().zip(&f.outputs) {
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

    fn op(&mut self, op: &'a Op) {
        match op {
            Op::ParFor { start, end, bound, body } => {
                self.on_host("a task");
                self.expr_of(bound, PrimType::I64, "the bound");
                self.task(&[*start, *end], body);
            }
            Op::ParChunks { chunk, start, end, bound, most, chunks, before, body } => {
                self.on_host("a task");
                self.expr_of(bound, PrimType::I64, "the bound");
                self.expr_of(most, PrimType::I64, "the number of chunks");
                self.declare_fixed(*chunks, PrimType::I64);
                self.code(before);
                self.task(&[*chunk, *start, *end], body);
            }
            Op::Launch(launch) => self.launch(launch),
            Op::GetSize(x, param) => {
                self.on_host("a tuning parameter is looked up");
                self.tuning_param(*param);
                self.set_scalar(*x, Some(PrimType::I64));
            }
            Op::GetSizeMax(x, _) => {
                self.on_host("a limit of the device is looked up");
                self.set_scalar(*x, Some(PrimType::I64));
            }
            Op::CmpThreshold(x, param, e) => {
                self.on_host("a threshold");
                self.tuning_param(*param);
                self.expr_of(e, PrimType::I64, "what is compared");
                self.set_scalar(*x, Some(PrimType::Bool));
            }
            Op::Kernel(op) => self.kernel_op(op),
        }
    }

    /// The body of a task, with the variables that say which part of the work it does.
    fn task(&mut self, indices: &[Name], body: &'a Code) {
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
        self.on_host("a launch");
        self.check(self.task.is_none(), || "a launch in a task".into());
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
        for arg in &launch.args {
            if let Arg::Mem(m) = arg {
                let block = matches!(self.declared.get(*m), Some(Var::Mem(Space::Default)));
                self.check(block, || "a kernel gets a block that is not in device memory".into());
            }
        }
    }
}
