//! What one thread of the device does instead of the host, and whether that pays.
//!
//! Kernels of one point are launched by the host for many threads, of which the first does something:
//!
//! ```text
//! launch k(mem xs, i) grid (1 + p - 1) / p block p
//!
//! kernel k (xs : mem, i : i64) {                           start = 0
//!   start = block_id * block_size + local_id          ->   xs[i] <- xs[i] + 1
//!   if start < 1 { xs[i] <- xs[i] + 1 }
//! }
//! ```

use super::{Code, KernelCode};
use fehu_base::tuning::device_loops;
use fehu_base::Name;
use fehu_imp::build::{add, block, block_size, constant, i64, local, lt, mul, quot_up};
use fehu_imp::free::free_names;
use fehu_imp::parts::{flat, for_each_part};
use fehu_imp::syntax::{
    Arg, CpuOp, ErrorPart, Expr, HostOp, Kernel, KernelOp, Launch, Loc, Param, Place, Program, Space,
};
use fehu_imp::visit::{look_at_expr, Visitor};
use fehu_ir::visit::deep;
use rustc_hash::{FxHashMap, FxHashSet};

/// Code of the host, as one thread of a kernel runs it.
pub(super) struct Inside {
    pub code: KernelCode,
    /// What the host declares before: constant data of the code.
    pub before: Vec<Code>,
    /// The blocks of these data.
    pub constant: FxHashSet<Name>,
    /// The kernels that are part of it.
    pub kernels: Vec<Name>,
    pub loc: Loc,
}

/// What one thread of the device can do in place of a launch or a call.
pub(super) struct Callable {
    /// Where kernels stand that one place in the text launches.
    kernels: FxHashMap<Name, usize>,
    functions: FxHashSet<Name>,
}

impl Callable {
    pub(super) fn of(prog: &Program) -> Callable {
        let mut launches = Launches::default();
        prog.functions.iter().for_each(|f| launches.code(&f.body));
        launches.code(&prog.init);
        let kernels = prog.kernels.iter().enumerate();
        let once = kernels.filter(|(_, k)| launches.0.get(&k.name) == Some(&1));
        Callable {
            kernels: once.map(|(at, k)| (k.name, at)).collect(),
            functions: prog.device_functions.iter().map(|f| f.name).collect(),
        }
    }
}

/// How often each kernel is launched in the text.
#[derive(Default)]
struct Launches(FxHashMap<Name, usize>);

impl Visitor<'_> for Launches {
    fn host_op(&mut self, op: &HostOp) {
        if let Some(launch) = op.launch() {
            *self.0.entry(launch.kernel).or_default() += 1;
        }
    }
}

impl Inside {
    /// `None` if one thread of the device cannot do it.
    pub(super) fn of(prog: &Program, callable: &Callable, code: &Code) -> Option<Inside> {
        let mut t = Translate {
            prog,
            callable,
            before: vec![],
            constant: FxHashSet::default(),
            kernels: vec![],
            loc: None,
            blocks: FxHashSet::default(),
            sizes: FxHashSet::default(),
        };
        let code = t.code(code)?;
        // Sizes of thread blocks have gone with the launches that needed them.
        if free_names(&code).iter().any(|x| t.sizes.contains(x)) {
            return None;
        }
        let loc = t.loc.unwrap_or_else(Loc::none);
        Some(Inside { code, before: t.before, constant: t.constant, kernels: t.kernels, loc })
    }
}

struct Translate<'a> {
    prog: &'a Program,
    callable: &'a Callable,
    before: Vec<Code>,
    constant: FxHashSet<Name>,
    kernels: Vec<Name>,
    loc: Option<Loc>,
    /// Blocks that are declared in the code.
    blocks: FxHashSet<Name>,
    /// Tuning parameters.
    sizes: FxHashSet<Name>,
}

impl Translate<'_> {
    fn code(&mut self, code: &Code) -> Option<KernelCode> {
        deep(|| self.code_here(code))
    }

    fn boxed(&mut self, code: &Code) -> Option<Box<KernelCode>> {
        self.code(code).map(Box::new)
    }

    fn code_here(&mut self, code: &Code) -> Option<KernelCode> {
        Some(match code {
            Code::Seq(_) => return self.statements(code),
            Code::DeclareScalar(x, ty) => KernelCode::DeclareScalar(*x, *ty),
            Code::SetScalar(x, e) => KernelCode::SetScalar(*x, possible(e)?),
            Code::DeclareMem(m, space) => {
                self.blocks.insert(*m);
                KernelCode::DeclareMem(*m, space.clone())
            }
            Code::DeclareStatic(m, _) => {
                self.constant.insert(*m);
                self.before.push(code.clone());
                nothing()
            }
            Code::SetMem(a, b, space) if self.blocks.contains(a) => KernelCode::SetMem(*a, *b, space.clone()),
            Code::Write { mem, offset, elem, space: Space::Default, value } => KernelCode::Write {
                mem: *mem,
                offset: possible(offset)?,
                elem: *elem,
                space: Space::Default,
                value: possible(value)?,
            },
            Code::Copy { elem, shape, dst, src } => {
                let elements = shape.iter().map(constant).try_fold(1i64, |n, e| n.checked_mul(e?))?;
                if elements > device_loops::COPIED_ELEMENTS {
                    return None;
                }
                let (dst, src) = (place(dst)?, place(src)?);
                KernelCode::Copy { elem: *elem, shape: shape.clone(), dst, src }
            }
            Code::For { var, ty, bound, order, body } => {
                let bound = possible(bound)?;
                KernelCode::For { var: *var, ty: *ty, bound, order: *order, body: self.boxed(body)? }
            }
            Code::While(c, body) => KernelCode::While(possible(c)?, self.boxed(body)?),
            Code::If(c, a, b) => KernelCode::If(possible(c)?, self.boxed(a)?, self.boxed(b)?),
            Code::Call { outs, fun, args } => {
                let scalar = |a: &Arg| match a {
                    Arg::Scalar(e) => possible(e).map(Arg::Scalar),
                    Arg::Mem(_) => None,
                };
                let args = args.iter().map(scalar).collect::<Option<Vec<Arg>>>()?;
                self.callable.functions.get(fun)?;
                KernelCode::Call { outs: outs.clone(), fun: *fun, args }
            }
            Code::Assert { cond, message, loc } => {
                for part in message {
                    match part {
                        ErrorPart::Text(_) => {}
                        ErrorPart::Value(e, _) => drop(possible(e)?),
                    }
                }
                let cond = possible(cond)?;
                KernelCode::Assert { cond, message: message.clone(), loc: loc.clone() }
            }
            Code::Op(HostOp::Own(launch)) => self.launch(launch)?,
            Code::Op(HostOp::Cpu(CpuOp::Free(m, _))) if self.blocks.contains(m) => nothing(),
            Code::Op(HostOp::Cpu(CpuOp::GetSize(..))) => nothing(),
            Code::Op(HostOp::Cpu(
                CpuOp::Allocate { .. }
                | CpuOp::Free(..)
                | CpuOp::Trace { .. }
                | CpuOp::ParFor { .. }
                | CpuOp::ParChunks { .. }
                | CpuOp::Outlined(_)
                | CpuOp::GetSizeMax(..)
                | CpuOp::CmpThreshold(..),
            ))
            | Code::SetMem(..)
            | Code::Write { .. } => return None,
        })
    }

    /// A sequence, without the tuning parameters of launches.
    fn statements(&mut self, code: &Code) -> Option<KernelCode> {
        let codes = flat(code);
        for code in &codes {
            if let Code::Op(HostOp::Cpu(CpuOp::GetSize(x, _))) = code {
                self.sizes.insert(*x);
            }
        }
        let mut out = vec![];
        for code in codes {
            if !matches!(code, Code::DeclareScalar(x, _) if self.sizes.contains(x)) {
                out.push(self.code(code)?);
            }
        }
        Some(KernelCode::Seq(out))
    }

    /// What the only thread of a kernel does.
    fn launch(&mut self, launch: &Launch) -> Option<KernelCode> {
        let kernel = &self.prog.kernels[*self.callable.kernels.get(&launch.kernel)?];
        if launch.grid != quot_up(i64(1), launch.block.clone()) {
            return None;
        }
        let mut codes = vec![];
        for (param, arg) in kernel.params.iter().zip(&launch.args) {
            match (param, arg) {
                (Param::Scalar(x, _), Arg::Scalar(Expr::Var(y))) | (Param::Mem(x, _), Arg::Mem(y))
                    if x == y => {}
                (Param::Scalar(x, ty), Arg::Scalar(e)) => {
                    codes.push(KernelCode::DeclareScalar(*x, *ty));
                    codes.push(KernelCode::SetScalar(*x, possible(e)?));
                }
                (Param::Scalar(..) | Param::Mem(..), Arg::Scalar(_) | Arg::Mem(_)) => return None,
            }
        }
        codes.push(only_point(kernel)?);
        self.kernels.push(kernel.name);
        self.loc.get_or_insert_with(|| kernel.loc.clone());
        Some(KernelCode::Seq(codes))
    }
}

/// The code of a kernel's first thread, if the others do nothing and it does nothing that only kernels do.
fn only_point(kernel: &Kernel) -> Option<KernelCode> {
    let codes = flat(&kernel.body);
    let [KernelCode::DeclareScalar(x, ty), KernelCode::SetScalar(y, number), KernelCode::If(first, body, other)] =
        codes[..]
    else {
        return None;
    };
    let number = x == y && *number == add(mul(block(), block_size()), local());
    let first = *first == lt(Expr::Var(*x), i64(1)) && other.is_empty();
    (number && first && kernel.shared.is_empty() && is_plain(body)).then(|| {
        let zero = KernelCode::SetScalar(*x, i64(0));
        KernelCode::Seq(vec![KernelCode::DeclareScalar(*x, *ty), zero, (**body).clone()])
    })
}

/// Whether code is the same in another kernel.
fn is_plain(code: &KernelCode) -> bool {
    let mut plain = Plain(true);
    plain.code(code);
    plain.0
}

struct Plain(bool);

impl<'c> Visitor<'c> for Plain {
    fn kernel_op(&mut self, _: &'c KernelOp) {
        self.0 = false;
    }

    fn expr(&mut self, e: &'c Expr) {
        self.0 &= !matches!(e, Expr::Gpu(_) | Expr::Param(_));
        look_at_expr(self, e);
    }
}

fn nothing() -> KernelCode {
    KernelCode::Seq(vec![])
}

/// An expression, if kernels can compute it.
fn possible(e: &Expr) -> Option<Expr> {
    let mut fine = true;
    for_each_part(e, &mut |part| match part {
        Expr::Param(_) | Expr::Gpu(_) => fine = false,
        Expr::Index { space, .. } => fine &= *space == Space::Default,
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::UnOp(..)
        | Expr::BinOp(..)
        | Expr::CmpOp(..)
        | Expr::Conv(..)
        | Expr::PrimFn(..)
        | Expr::Select(..) => {}
    });
    fine.then(|| e.clone())
}

fn place(place: &Place) -> Option<Place> {
    let fine = place.space == Space::Default && place.exprs().all(|e| possible(e).is_some());
    fine.then(|| place.clone())
}

/// Whether code touches memory of the device that the host would have to wait for.
pub(super) struct Accesses<'a> {
    /// Blocks of constant data, which the host has too.
    pub constant: &'a FxHashSet<Name>,
    /// Those that are declared in the code.
    pub added: &'a FxHashSet<Name>,
}

impl Accesses<'_> {
    /// Whether one thread of the device may be faster than the host: every loop touches memory, or is short.
    pub(super) fn pay(&self, code: &KernelCode) -> bool {
        self.touch(code) && self.in_all_loops(code)
    }

    fn in_all_loops(&self, code: &KernelCode) -> bool {
        let enough = match code {
            KernelCode::For { bound, body, .. } => {
                constant(bound).is_some_and(|n| n <= device_loops::ITERATIONS_WITHOUT_ACCESS)
                    || self.touch(body)
            }
            KernelCode::While(_, body) => self.touch(body),
            KernelCode::Seq(_)
            | KernelCode::DeclareScalar(..)
            | KernelCode::SetScalar(..)
            | KernelCode::DeclareMem(..)
            | KernelCode::DeclareStatic(..)
            | KernelCode::SetMem(..)
            | KernelCode::Write { .. }
            | KernelCode::Copy { .. }
            | KernelCode::If(..)
            | KernelCode::Call { .. }
            | KernelCode::Assert { .. }
            | KernelCode::Op(_) => true,
        };
        enough && code.bodies().into_iter().all(|body| deep(|| self.in_all_loops(body)))
    }

    fn touch(&self, code: &KernelCode) -> bool {
        let mut blocks = Blocks::default();
        blocks.code(code);
        blocks.0.iter().any(|m| !self.constant.contains(m) && !self.added.contains(m))
    }
}

/// The blocks that code reads or writes.
#[derive(Default)]
struct Blocks(FxHashSet<Name>);

impl<'c> Visitor<'c> for Blocks {
    fn block(&mut self, m: &'c Name) {
        self.0.insert(*m);
    }
}
