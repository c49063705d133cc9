//! Scalars that only kernels need stay on the device.
//!
//! In: a program whose host code reads elements of device memory into scalars. Out: the same program, where
//! those scalars that the host itself has no use for are never read: the kernels read them, and do the few
//! operations on them, themselves. Each read of the host waits until the device has done all its work; a
//! kernel's waits for nobody, so a loop such as that of a conjugate gradient method runs without the host
//! ever stopping.
//!
//! ```text
//! launch segred writes m                      launch segred writes m
//! alpha = m[0] / m[1]      -- waits     ->    launch segmap(x, m):
//! launch segmap(x, alpha)                       alpha = m[0] / m[1]; ...
//! ```
//!
//! A scalar stays if all that is done with it, and with what is computed from it, can be done by the device:
//! it is given to a kernel, written to an array, or checked. A check of scalars that stay is a kernel of one
//! thread:
//!
//! ```text
//! j = m[0]; assert(j < n, ..)     -- waits     ->    launch check(m, n):
//! launch segmap(x, j)                                  j = m[0]; assert(j < n, ..)
//!                                                    launch segmap(x, m): j = m[0]; ...
//! ```
//!
//! A scalar is read by the host if it decides how the host goes on: a size, a bound, a
//! condition, an index; or if computing it in every thread would be expensive.
//!
//! Scalars that nobody needs, such as one of the results of a reduction, are not read either.
//!
//! What it is computed from must still be there when the kernel starts. Memory of constants, and of the
//! function's own, which nothing touches before the last kernel that needs it, is read where it is.
//! Everything else is set aside, by a copy of one element within the device. [`survey`] finds what is done
//! where, and [`choose`] decides.

mod choose;
mod survey;
#[cfg(test)]
mod tests;

use choose::Chosen;
use fehu_base::{Name, NameSource, Symbol};
use fehu_imp::build::i64;
use fehu_imp::syntax::{
    Arg, CpuOp, ErrorPart, Expr, Function, HostOp, Kernel, KernelOp, Launch, Loc, Param, Program, Space,
};
use fehu_pass::{Need, Pass};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

type Code = fehu_imp::syntax::Code<HostOp>;
type KernelCode = fehu_imp::syntax::Code<KernelOp>;

/// Scalars that only kernels need are not read by the host.
pub static PASS: Pass<Program> = Pass { name: "device-scalars", need: Need::Optional, run: keep };

/// Leaves scalars on the device.
fn keep(prog: &mut Program) {
    let mut kernels: FxHashMap<Name, Kernel> = FxHashMap::default();
    let mut order: Vec<Name> = prog.kernels.iter().map(|k| k.name).collect();
    kernels.extend(prog.kernels.drain(..).map(|k| (k.name, k)));
    for f in &mut prog.functions {
        order.extend(function(f, &prog.globals, &mut kernels, &mut prog.names));
    }
    prog.kernels = order.into_iter().filter_map(|k| kernels.remove(&k)).collect();
}

/// The names of the kernels that it adds.
fn function(
    f: &mut Function,
    globals: &[Param],
    kernels: &mut FxHashMap<Name, Kernel>,
    names: &mut NameSource,
) -> Vec<Name> {
    let survey = survey::survey(f, globals);
    let chosen = choose::choose(&survey, kernels);
    if chosen.is_empty() {
        return vec![];
    }
    let types = survey.types;
    let label = f.entry.as_ref().map_or_else(|| names.base(f.name), |e| e.face.name);
    let values = FxHashMap::default();
    let mut rewrite = Rewrite { chosen, types, kernels, names, values, label, added: vec![] };
    let body = std::mem::replace(&mut f.body, Code::Seq(vec![]));
    f.body = Code::Seq(rewrite.code(body));
    rewrite.added
}

struct Rewrite<'a> {
    chosen: Chosen,
    types: FxHashMap<Name, Param>,
    kernels: &'a mut FxHashMap<Name, Kernel>,
    names: &'a mut NameSource,
    /// What kernels compute for a scalar that stays.
    values: FxHashMap<Name, Expr>,
    /// What people call the function.
    label: Symbol,
    /// Kernels that check scalars.
    added: Vec<Name>,
}

impl Rewrite<'_> {
    fn code(&mut self, code: Code) -> Vec<Code> {
        fehu_ir::visit::deep(|| self.code_here(code))
    }

    fn code_here(&mut self, code: Code) -> Vec<Code> {
        match code {
            Code::Seq(codes) => vec![Code::Seq(codes.into_iter().flat_map(|c| self.code(c)).collect())],
            Code::DeclareScalar(x, _) | Code::SetScalar(x, _) if self.chosen.is_unused(x) => vec![],
            Code::DeclareScalar(x, _) if self.chosen.stays(x) => vec![],
            Code::SetScalar(x, e) if self.chosen.stays(x) => {
                let mut before = vec![];
                let value = self.set_aside(e, &mut before);
                self.values.insert(x, value);
                before
            }
            Code::Op(HostOp::Cpu(CpuOp::Free(m, _))) if self.chosen.is_read_in_place(m) => vec![],
            Code::Write { mem, offset, elem, space, value: Expr::Var(x) } if self.chosen.stays(x) => {
                let value = self.values[&x].clone();
                vec![Code::Write { mem, offset, elem, space, value }]
            }
            Code::For { var, ty, bound, order, body } => {
                vec![Code::For { var, ty, bound, order, body: Box::new(self.scope(*body)) }]
            }
            Code::While(c, body) => vec![Code::While(c, Box::new(self.scope(*body)))],
            Code::If(c, a, b) => {
                let a = self.scope(*a);
                vec![Code::If(c, Box::new(a), Box::new(self.scope(*b)))]
            }
            Code::Op(HostOp::Own(mut launch)) => {
                self.launch(&mut launch);
                vec![Code::Op(HostOp::Own(launch))]
            }
            Code::Assert { cond, message, loc } => self.check(cond, message, loc),
            code @ (Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Call { .. }
            | Code::Op(_)) => vec![code],
        }
    }

    fn scope(&mut self, code: Code) -> Code {
        Code::Seq(self.code(code))
    }

    /// What kernels compute instead, and the copies that have to be made now.
    fn set_aside(&mut self, e: Expr, before: &mut Vec<Code>) -> Expr {
        let mut go = |e: Box<Expr>| Box::new(self.set_aside(*e, before));
        match e {
            Expr::Const(_) | Expr::Var(_) | Expr::Param(_) | Expr::Gpu(_) => e,
            Expr::UnOp(op, a) => Expr::UnOp(op, go(a)),
            Expr::Conv(op, a) => Expr::Conv(op, go(a)),
            Expr::BinOp(op, a, b) => Expr::BinOp(op, go(a), go(b)),
            Expr::CmpOp(op, a, b) => Expr::CmpOp(op, go(a), go(b)),
            Expr::Select(c, a, b) => Expr::Select(go(c), go(a), go(b)),
            Expr::PrimFn(f, args) => {
                Expr::PrimFn(f, args.into_iter().map(|a| self.set_aside(a, before)).collect())
            }
            Expr::Index { mem, .. } if self.chosen.is_read_in_place(mem) => e,
            Expr::Index { elem, .. } => {
                let space = Space::Default;
                let mem = self.names.fresh_str("aside");
                self.types.insert(mem, Param::Mem(mem, space.clone()));
                before.extend([
                    Code::DeclareMem(mem, space.clone()),
                    Code::Op(HostOp::Cpu(CpuOp::Allocate {
                        mem,
                        bytes: i64(elem.bytes() as i64),
                        space: space.clone(),
                        loc: Loc::none(),
                    })),
                    Code::Write { mem, offset: i64(0), elem, space: space.clone(), value: e },
                ]);
                Expr::Index { mem, offset: Box::new(i64(0)), elem, space }
            }
        }
    }

    /// A check: by the device, if it is about scalars that stay.
    fn check(&mut self, cond: Expr, message: Vec<ErrorPart>, loc: Loc) -> Vec<Code> {
        let body = KernelCode::Assert { cond: cond.clone(), message: message.clone(), loc: loc.clone() };
        let free = fehu_imp::free::free_names(&body);
        if !free.iter().any(|x| self.chosen.stays(*x)) {
            return vec![Code::Assert { cond, message, loc }];
        }
        let kernel = self.names.fresh_str(&format!("{}_check", self.label));
        let label = Symbol::new(&format!("{}.check_{}", self.label, kernel.0));
        let params: Vec<Param> = free.iter().map(|x| self.types[x].clone()).collect();
        let args = params.iter().map(|p| match p {
            Param::Scalar(x, _) => Arg::Scalar(Expr::Var(*x)),
            Param::Mem(m, _) => Arg::Mem(*m),
        });
        let mut launch =
            Launch { kernel, grid: i64(1), block: i64(1), shared: vec![], args: args.collect(), ahead: None };
        let (shared, block_size, qualifiers) = (vec![], None, IndexMap::new());
        let resident = None;
        self.kernels.insert(
            kernel,
            Kernel { name: kernel, label, params, shared, block_size, resident, qualifiers, body, loc },
        );
        self.added.push(kernel);
        self.launch(&mut launch);
        vec![Code::Op(HostOp::Own(Box::new(launch)))]
    }

    /// Has the kernel compute what it is given of scalars that stay.
    fn launch(&mut self, launch: &mut Launch) {
        let mut wanted = IndexSet::new();
        launch.args.iter().for_each(|a| self.want(a, &mut wanted));
        let Some(kernel) = self.kernels.get_mut(&launch.kernel) else { return };
        if wanted.is_empty() {
            return;
        }
        let mut prefix: Vec<KernelCode> = vec![];
        let mut needs = IndexSet::new();
        for x in &wanted {
            if let Param::Scalar(_, ty) = self.types[x] {
                prefix.push(KernelCode::DeclareScalar(*x, ty));
            }
            prefix.push(KernelCode::SetScalar(*x, self.values[x].clone()));
        }
        let given = std::mem::take(&mut launch.args);
        let params = std::mem::take(&mut kernel.params);
        for (arg, param) in given.into_iter().zip(params) {
            match (&arg, &param) {
                (Arg::Scalar(Expr::Var(x)), Param::Scalar(p, ty)) if wanted.contains(x) => {
                    if p != x {
                        prefix.push(KernelCode::DeclareScalar(*p, *ty));
                        prefix.push(KernelCode::SetScalar(*p, Expr::Var(*x)));
                    }
                }
                (Arg::Scalar(_) | Arg::Mem(_), Param::Scalar(..) | Param::Mem(..)) => {
                    needs.insert(param.name());
                    launch.args.push(arg);
                    kernel.params.push(param);
                }
            }
        }
        for name in fehu_imp::free::free_names(&KernelCode::Seq(prefix.clone())) {
            if needs.insert(name) {
                let param = self.types[&name].clone();
                launch.args.push(match param {
                    Param::Scalar(..) => Arg::Scalar(Expr::Var(name)),
                    Param::Mem(..) => Arg::Mem(name),
                });
                kernel.params.push(param);
            }
        }
        let body = std::mem::replace(&mut kernel.body, KernelCode::Seq(vec![]));
        prefix.push(body);
        kernel.body = KernelCode::Seq(prefix);
    }

    /// The scalars that stay which an argument needs, each after those that it is computed from.
    fn want(&self, arg: &Arg, wanted: &mut IndexSet<Name>) {
        if let Arg::Scalar(Expr::Var(x)) = arg {
            self.want_scalar(*x, wanted);
        }
    }

    fn want_scalar(&self, x: Name, wanted: &mut IndexSet<Name>) {
        if !self.chosen.stays(x) || wanted.contains(&x) {
            return;
        }
        for dep in self.chosen.from(x) {
            self.want_scalar(*dep, wanted);
        }
        wanted.insert(x);
    }
}
