//! The functions that kernels call.
//!
//! In: the program's functions as host code, and its kernels. Out: those functions that kernels need, as code
//! of kernels. They neither allocate nor start anything, so what the host does, threads can do.
//!
//! ```text
//! fun f (x) { y = x * 2 ; trace y }      ==>      device fun f (x) { y = x * 2 }
//! ```

use fehu_base::{bug, Name};
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code, CpuOp, DeviceFunction, Expr, Function, HostOp, Kernel, KernelOp, Space};
use fehu_imp::visit::{look_at_code, Visitor};
use fehu_ir::visit::deep;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

/// The functions that kernels call, callees first.
pub(super) fn device_functions(functions: &[Function], kernels: &[Kernel]) -> Vec<DeviceFunction> {
    let by_name: FxHashMap<Name, &Function> = functions.iter().map(|f| (f.name, f)).collect();
    let mut calls = Calls { by_name: &by_name, found: IndexSet::new() };
    kernels.iter().for_each(|k| calls.code(&k.body));
    let found = calls.found;
    let device = |name: &Name| {
        let f = by_name.get(name)?;
        let (name, outputs, inputs) = (f.name, f.outputs.clone(), f.inputs.clone());
        Some(DeviceFunction { name, outputs, inputs, body: on_device(f.body.clone()) })
    };
    found.iter().filter_map(device).collect()
}

/// Host code as code of a kernel, without what means nothing there.
fn on_device(code: Code<HostOp>) -> Code<KernelOp> {
    let inside = |code: Box<Code<HostOp>>| Box::new(deep(|| on_device(*code)));
    match code {
        Code::Seq(codes) => Code::Seq(codes.into_iter().filter(|c| !is_of_host(c)).map(on_device).collect()),
        Code::DeclareScalar(x, ty) => Code::DeclareScalar(x, ty),
        Code::SetScalar(x, e) => Code::SetScalar(x, e),
        Code::DeclareMem(m, space) => Code::DeclareMem(m, space),
        Code::DeclareStatic(m, data) => Code::DeclareStatic(m, data),
        Code::SetMem(a, b, space) => Code::SetMem(a, b, space),
        Code::Write { mem, offset, elem, space, value } => Code::Write { mem, offset, elem, space, value },
        Code::Copy { elem, shape, dst, src } => Code::Copy { elem, shape, dst, src },
        Code::For { var, ty, bound, order, body } => Code::For { var, ty, bound, order, body: inside(body) },
        Code::While(cond, body) => Code::While(cond, inside(body)),
        Code::If(cond, a, b) => Code::If(cond, inside(a), inside(b)),
        Code::Call { outs, fun, args } => Code::Call { outs, fun, args },
        Code::Assert { cond, message, loc } => Code::Assert { cond, message, loc },
        Code::Op(op) => bug!("{op:?} in a kernel"),
    }
}

/// What means nothing on a device: it has nowhere to print to, of which the user has been warned, and a
/// thread's own arrays are not freed.
fn is_of_host(code: &Code<HostOp>) -> bool {
    matches!(code, Code::Op(HostOp::Cpu(CpuOp::Trace { .. } | CpuOp::Free(_, Space::Scalar(..)))))
}

/// Functions that are called, each after those that it calls.
struct Calls<'f> {
    by_name: &'f FxHashMap<Name, &'f Function>,
    found: IndexSet<Name>,
}

impl Visitor<'_> for Calls<'_> {
    fn code<O: Operation>(&mut self, code: &Code<O>) {
        if let Code::Call { fun, .. } = code {
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
