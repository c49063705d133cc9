//! Code as the translator puts it together, and which machine's it then is.
//!
//! The translator goes from host code into a kernel and back, and what it says of a point, an operator or a loop is said
//! once for all machines. So its code has operations of all of them; when a function, a task or a kernel is complete, it
//! becomes code of its machine ([`host`], [`task`], [`kernel`]), which has no place for the operations of others.

use fehu_base::{bug, Name, Symbol};
use fehu_imp::syntax::{
    self, CpuOp, DeviceFunction, ErrorPart, Expr, Function, HostOp, Kernel, KernelOp, Launch, Loc, Space,
    TaskOp,
};
use fehu_imp::visit::{look_at_code, Visitor};
use fehu_ir::visit::deep;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

/// Code of no machine yet.
pub(crate) type Code = syntax::Code<Op>;

/// An operation of some machine: see [`CpuOp`], [`HostOp`] and [`KernelOp`] for what they mean.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Allocate {
        mem: Name,
        bytes: Expr,
        space: Space,
        loc: Loc,
    },
    Free(Name, Space),
    Trace {
        loc: Option<Loc>,
        message: Vec<ErrorPart>,
    },
    ParFor {
        start: Name,
        end: Name,
        bound: Expr,
        body: Box<Code>,
    },
    ParChunks {
        chunk: Name,
        start: Name,
        end: Name,
        bound: Expr,
        most: Expr,
        chunks: Name,
        before: Box<Code>,
        body: Box<Code>,
    },
    Launch(Box<Launch>),
    GetSize(Name, Symbol),
    GetSizeMax(Name, Symbol),
    CmpThreshold(Name, Symbol, Expr),
    Kernel(KernelOp),
}

/// Code of the host.
pub(crate) fn host(code: Code) -> syntax::Code<HostOp> {
    convert(code, &mut |op| match op {
        Op::Launch(launch) => HostOp::Launch(launch),
        other @ (Op::Allocate { .. }
        | Op::Free(..)
        | Op::Trace { .. }
        | Op::ParFor { .. }
        | Op::ParChunks { .. }
        | Op::GetSize(..)
        | Op::GetSizeMax(..)
        | Op::CmpThreshold(..)
        | Op::Kernel(_)) => HostOp::Cpu(cpu(other, host)),
    })
}

/// Code of a task.
fn task(code: Code) -> syntax::Code<TaskOp> {
    convert(code, &mut |op| match op {
        Op::Kernel(KernelOp::WriteVolatile { mem, offset, elem, value }) => {
            TaskOp::WriteVolatile { mem, offset, elem, value }
        }
        other @ (Op::Allocate { .. }
        | Op::Free(..)
        | Op::Trace { .. }
        | Op::ParFor { .. }
        | Op::ParChunks { .. }
        | Op::Launch(_)
        | Op::GetSize(..)
        | Op::GetSizeMax(..)
        | Op::CmpThreshold(..)
        | Op::Kernel(_)) => TaskOp::Cpu(cpu(other, task)),
    })
}

/// Code of a kernel.
pub(crate) fn kernel(code: Code) -> syntax::Code<KernelOp> {
    convert(code, &mut |op| match op {
        Op::Kernel(op) => op,
        other @ (Op::Allocate { .. }
        | Op::Free(..)
        | Op::Trace { .. }
        | Op::ParFor { .. }
        | Op::ParChunks { .. }
        | Op::Launch(_)
        | Op::GetSize(..)
        | Op::GetSizeMax(..)
        | Op::CmpThreshold(..)) => bug!("{other:?} in a kernel"),
    })
}

/// An operation of a CPU. `before` makes the code around it code of its machine.
fn cpu<O>(op: Op, before: fn(Code) -> syntax::Code<O>) -> CpuOp<O> {
    match op {
        Op::Allocate { mem, bytes, space, loc } => CpuOp::Allocate { mem, bytes, space, loc },
        Op::Free(m, space) => CpuOp::Free(m, space),
        Op::Trace { loc, message } => CpuOp::Trace { loc, message },
        Op::ParFor { start, end, bound, body } => {
            CpuOp::ParFor { start, end, bound, body: Box::new(task(*body)) }
        }
        Op::ParChunks { chunk, start, end, bound, most, chunks, before: first, body } => CpuOp::ParChunks {
            chunk,
            start,
            end,
            bound,
            most,
            chunks,
            before: Box::new(before(*first)),
            body: Box::new(task(*body)),
        },
        Op::GetSize(x, param) => CpuOp::GetSize(x, param),
        Op::GetSizeMax(x, class) => CpuOp::GetSizeMax(x, class),
        Op::CmpThreshold(x, param, e) => CpuOp::CmpThreshold(x, param, e),
        op @ (Op::Launch(_) | Op::Kernel(_)) => bug!("{op:?} on a CPU"),
    }
}

/// Code with other operations.
fn convert<P, O>(code: syntax::Code<P>, f: &mut impl FnMut(P) -> O) -> syntax::Code<O> {
    use syntax::Code as C;
    match code {
        C::Seq(codes) => C::Seq(codes.into_iter().map(|c| convert(c, f)).collect()),
        C::DeclareScalar(x, ty) => C::DeclareScalar(x, ty),
        C::SetScalar(x, e) => C::SetScalar(x, e),
        C::DeclareMem(m, space) => C::DeclareMem(m, space),
        C::DeclareStatic(m, data) => C::DeclareStatic(m, data),
        C::SetMem(a, b, space) => C::SetMem(a, b, space),
        C::Write { mem, offset, elem, space, value } => C::Write { mem, offset, elem, space, value },
        C::Copy { elem, shape, dst, src } => C::Copy { elem, shape, dst, src },
        C::For { var, ty, bound, body } => {
            C::For { var, ty, bound, body: Box::new(deep(|| convert(*body, f))) }
        }
        C::While(cond, body) => C::While(cond, Box::new(deep(|| convert(*body, f)))),
        C::If(cond, a, b) => {
            let a = deep(|| convert(*a, f));
            C::If(cond, Box::new(a), Box::new(deep(|| convert(*b, f))))
        }
        C::Call { outs, fun, args } => C::Call { outs, fun, args },
        C::Assert { cond, message, loc } => C::Assert { cond, message, loc },
        C::Op(op) => C::Op(f(op)),
    }
}

/// The functions that kernels call, callees first: what they are on the host, where they neither allocate nor start anything.
pub(crate) fn device_functions(functions: &[Function], kernels: &[Kernel]) -> Vec<DeviceFunction> {
    let by_name: FxHashMap<Name, &Function> = functions.iter().map(|f| (f.name, f)).collect();
    let mut calls = Calls { by_name: &by_name, found: IndexSet::new() };
    kernels.iter().for_each(|k| calls.code(&k.body));
    let found = calls.found;
    let device = |name: &Name| {
        let f = by_name.get(name)?;
        let body = convert(without_host(f.body.clone()), &mut |op: HostOp| bug!("{op:?} in a kernel"));
        Some(DeviceFunction { name: f.name, outputs: f.outputs.clone(), inputs: f.inputs.clone(), body })
    };
    found.iter().filter_map(device).collect()
}

/// Code without what means nothing on a device: it has nowhere to print to, of which the user has been warned, and a thread's
/// own arrays are not freed.
fn without_host(code: syntax::Code<HostOp>) -> syntax::Code<HostOp> {
    use syntax::Code as C;
    let nothing = |code: &C<HostOp>| {
        matches!(code, C::Op(HostOp::Cpu(CpuOp::Trace { .. } | CpuOp::Free(_, Space::Scalar(..)))))
    };
    match code {
        C::Seq(codes) => C::Seq(codes.into_iter().filter(|c| !nothing(c)).map(without_host).collect()),
        C::For { var, ty, bound, body } => {
            C::For { var, ty, bound, body: Box::new(deep(|| without_host(*body))) }
        }
        C::While(cond, body) => C::While(cond, Box::new(deep(|| without_host(*body)))),
        C::If(cond, a, b) => {
            let a = deep(|| without_host(*a));
            C::If(cond, Box::new(a), Box::new(deep(|| without_host(*b))))
        }
        other @ (C::DeclareScalar(..)
        | C::SetScalar(..)
        | C::DeclareMem(..)
        | C::DeclareStatic(..)
        | C::SetMem(..)
        | C::Write { .. }
        | C::Copy { .. }
        | C::Call { .. }
        | C::Assert { .. }
        | C::Op(_)) => other,
    }
}

/// Functions that are called, each after those that it calls.
struct Calls<'f> {
    by_name: &'f FxHashMap<Name, &'f Function>,
    found: IndexSet<Name>,
}

impl Visitor<'_> for Calls<'_> {
    fn code<O: fehu_imp::ops::Operation>(&mut self, code: &syntax::Code<O>) {
        if let syntax::Code::Call { fun, .. } = code {
            if !self.found.contains(fun) {
                // A recursive function is found again below itself; once is enough.
                self.found.insert(*fun);
                let by_name = self.by_name;
                if let Some(f) = by_name.get(fun) {
                    deep(|| self.code(&f.body));
                }
                self.found.shift_remove(fun);
                self.found.insert(*fun);
            }
        }
        look_at_code(self, code);
    }

    fn expr(&mut self, _: &Expr) {}
}
