//! Loops over single elements run on the device, by one thread.
//!
//! In: a program whose host code has loops that read and write elements of device memory one by one. Each
//! read of the host waits until the device has done all its work; a thread of the device reads an element in
//! a small part of that time (`notebook/2026-11-19-gpu-mechanisms.md`). Out: such a loop is a kernel of one
//! thread. Its scalars come from there as elements of blocks, which the host reads only if it needs them
//! ([`device_scalars`](crate::device_scalars) decides).
//!
//! ```text
//! s = 0                                    s_out = allocate 4
//! for i < n {                              launch loop(mem xs, mem s_out, s, n) grid 1 block 1
//!   s = s * 0.5 + xs[i]     -- waits  ->   s' = s_out[0]
//! }
//! launch segmap(ys, s)                     launch segmap(ys, s')
//! ```
//!
//! A loop can go there if it has nothing parallel in it, allocates nothing, and hands on no blocks; kernels
//! of one point become part of it ([`code`]). It does go if every iteration of every loop in it may touch
//! memory of the device: one thread of the device computes many times slower than the host.

mod code;

use code::{Accesses, Callable, Inside};
use fehu_base::prim::PrimType;
use fehu_base::{Name, Symbol};
use fehu_imp::build::i64;
use fehu_imp::free::free_names;
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{
    Arg, Code as AnyCode, CpuOp, Expr, Function, HostOp, Kernel, KernelOp, Launch, Loc, Param, Program, Space,
};
use fehu_imp::visit::{look_at_cpu_op, look_at_expr, Mutator, Visitor};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};

type Code = AnyCode<HostOp>;
type KernelCode = AnyCode<KernelOp>;

/// Loops over single elements are kernels of one thread.
pub static PASS: Pass<Program> = Pass { name: "device-loops", need: Need::Optional, run: move_loops };

fn move_loops(prog: &mut Program) {
    let callable = Callable::of(prog);
    let mut functions = std::mem::take(&mut prog.functions);
    let mut gone = FxHashSet::default();
    for f in &mut functions {
        let body = std::mem::replace(&mut f.body, Code::Seq(vec![]));
        let label = f.entry.as_ref().map_or_else(|| prog.names.base(f.name), |e| e.face.name);
        let mut all = Mentions::default();
        all.code(&body);
        let mut mover = Mover {
            types: Types::of(f, &body, &prog.globals),
            prog,
            callable: &callable,
            label,
            all,
            seen: Mentions::default(),
            renamed: Rename::default(),
            assigned: FxHashSet::default(),
            gone: &mut gone,
        };
        f.body = mover.scope(body);
    }
    prog.functions = functions;
    prog.kernels.retain(|k| !gone.contains(&k.name));
    remove_params(prog);
}

/// How often each scalar is read or assigned in code.
#[derive(Default)]
struct Mentions(FxHashMap<Name, usize>);

impl Mentions {
    fn count(&self, x: Name) -> usize {
        self.0.get(&x).copied().unwrap_or(0)
    }
}

impl Visitor<'_> for Mentions {
    fn assigned(&mut self, x: &Name) {
        *self.0.entry(*x).or_default() += 1;
    }

    fn var(&mut self, x: &Name) {
        self.assigned(x);
    }
}

/// The scalars and blocks of a function, as parameters of a kernel would be declared; and which blocks are
/// constant data.
#[derive(Default)]
struct Types {
    params: FxHashMap<Name, Param>,
    constant: FxHashSet<Name>,
}

impl Types {
    fn of(f: &Function, body: &Code, globals: &[Param]) -> Types {
        let mut types = Types::default();
        for p in f.inputs.iter().chain(&f.outputs).chain(globals) {
            types.params.insert(p.name(), p.clone());
        }
        types.code(body);
        types
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only declarations are asked for")]
    fn code(&mut self, code: &Code) {
        match code {
            Code::DeclareScalar(x, ty) => {
                self.params.insert(*x, Param::Scalar(*x, *ty));
            }
            Code::DeclareMem(m, space) => {
                self.params.insert(*m, Param::Mem(*m, space.clone()));
            }
            Code::DeclareStatic(m, _) => {
                self.params.insert(*m, Param::Mem(*m, Space::Default));
                self.constant.insert(*m);
            }
            Code::For { var, ty, .. } => {
                self.params.insert(*var, Param::Scalar(*var, PrimType::Int(*ty)));
            }
            _ => {}
        }
        code.bodies().into_iter().for_each(|body| deep(|| self.code(body)));
    }
}

struct Mover<'a> {
    prog: &'a mut Program,
    callable: &'a Callable,
    /// What people call the function.
    label: Symbol,
    types: Types,
    /// The scalars that the function mentions, under the names that they had first.
    all: Mentions,
    /// Those that the statements up to this one mention.
    seen: Mentions,
    /// Scalars that have other names from here on.
    renamed: Rename,
    /// Scalars that have got values so far.
    assigned: FxHashSet<Name>,
    /// Kernels that are part of loops now.
    gone: &'a mut FxHashSet<Name>,
}

impl Mover<'_> {
    fn scope(&mut self, code: Code) -> Code {
        deep(|| self.statements(code))
    }

    fn statements(&mut self, code: Code) -> Code {
        let mut rest = vec![code];
        let mut declared = FxHashSet::default();
        let mut out = vec![];
        while let Some(mut code) = rest.pop() {
            if let Code::Seq(codes) = code {
                rest.extend(codes.into_iter().rev());
                continue;
            }
            if let Code::DeclareScalar(x, _) = &code {
                declared.insert(*x);
            }
            self.renamed.apply(&mut code);
            if matches!(code, Code::For { .. } | Code::While(..)) {
                if let Some(inside) = self.moved(&code) {
                    self.seen.code(&code);
                    self.kernel(inside, &declared, &mut out);
                    continue;
                }
            }
            let code = match code {
                Code::For { var, ty, bound, order, body } => {
                    self.seen.expr(&bound);
                    Code::For { var, ty, bound, order, body: Box::new(self.scope(*body)) }
                }
                Code::While(c, body) => {
                    self.seen.expr(&c);
                    Code::While(c, Box::new(self.scope(*body)))
                }
                Code::If(c, a, b) => {
                    self.seen.expr(&c);
                    let a = self.scope(*a);
                    Code::If(c, Box::new(a), Box::new(self.scope(*b)))
                }
                code @ (Code::Seq(_)
                | Code::DeclareScalar(..)
                | Code::SetScalar(..)
                | Code::DeclareMem(..)
                | Code::DeclareStatic(..)
                | Code::SetMem(..)
                | Code::Write { .. }
                | Code::Copy { .. }
                | Code::Call { .. }
                | Code::Assert { .. }
                | Code::Op(_)) => {
                    self.seen.code(&code);
                    Assigned(&mut self.assigned).code(&code);
                    code
                }
            };
            out.push(code);
        }
        Code::Seq(out)
    }

    /// What a thread does instead of a loop of the host, if it can and that pays.
    fn moved(&self, code: &Code) -> Option<Inside> {
        let inside = Inside::of(self.prog, self.callable, code)?;
        Accesses { constant: &self.types.constant, added: &inside.constant }
            .pay(&inside.code)
            .then_some(inside)
    }

    /// A kernel in place of a loop. `declared` has the scalars of its scope.
    fn kernel(&mut self, mut inside: Inside, declared: &FxHashSet<Name>, out: &mut Vec<Code>) {
        let mut changed = IndexSet::new();
        Assigned(&mut changed).code(&inside.code);
        let mut launch = Started::default();
        let (mut first, mut last, mut after) = (vec![], vec![], vec![]);
        let mut own_names = Rename::default();
        for n in free_names(&inside.code) {
            let param = self.types.params[&n].clone();
            let Param::Scalar(x, ty) = param else {
                launch.give(param, Arg::Mem(n));
                continue;
            };
            if !changed.contains(&x) {
                launch.give(param, Arg::Scalar(Expr::Var(x)));
                continue;
            }
            // What the host passes has the host's name.
            let own = self.prog.names.fresh_like(x);
            own_names.0.insert(x, own);
            first.push(KernelCode::DeclareScalar(own, ty));
            if self.assigned.contains(&x) {
                launch.give(param, Arg::Scalar(Expr::Var(x)));
                first.push(KernelCode::SetScalar(own, Expr::Var(x)));
            }
            // All that mentions a scalar is in the scope that declares it.
            let here = declared.contains(&x);
            if here && self.seen.count(x) == self.all.count(x) {
                continue;
            }
            let mem = self.prog.names.fresh_like(x);
            let (space, offset) = (Space::Default, i64(0));
            out.push(Code::DeclareMem(mem, space.clone()));
            let bytes = i64(ty.bytes() as i64);
            let allocate = CpuOp::Allocate { mem, bytes, space: space.clone(), loc: Loc::none() };
            out.push(Code::Op(HostOp::Cpu(allocate)));
            launch.give(Param::Mem(mem, space.clone()), Arg::Mem(mem));
            let value = Expr::Var(own);
            last.push(KernelCode::Write {
                mem,
                offset: offset.clone(),
                elem: ty,
                space: space.clone(),
                value,
            });
            let y = if here { self.result(x, ty, &mut after) } else { x };
            let element = Expr::Index { mem, offset: Box::new(offset), elem: ty, space };
            after.push(Code::SetScalar(y, element));
            self.assigned.insert(y);
        }
        own_names.apply(&mut inside.code);
        out.extend(inside.before);
        first.push(inside.code);
        first.extend(last);
        let kernel = self.prog.names.fresh_str(&format!("{}_loop", self.label));
        self.prog.kernels.push(Kernel {
            name: kernel,
            label: Symbol::new(&format!("{}.loop_{}", self.label, kernel.0)),
            params: launch.params,
            shared: vec![],
            block_size: None,
            resident: None,
            qualifiers: IndexMap::new(),
            body: KernelCode::Seq(first),
            loc: inside.loc,
        });
        let args = launch.args;
        let launch = Launch { kernel, grid: i64(1), block: i64(1), shared: vec![], args, ahead: None };
        out.push(Code::Op(HostOp::Own(Box::new(launch))));
        out.extend(after);
        self.gone.extend(inside.kernels);
    }

    /// A name of its own for a scalar of the scope from here on, so that it is assigned once.
    fn result(&mut self, x: Name, ty: PrimType, after: &mut Vec<Code>) -> Name {
        let y = self.prog.names.fresh_like(x);
        self.types.params.insert(y, Param::Scalar(y, ty));
        self.renamed.0.insert(x, y);
        after.push(Code::DeclareScalar(y, ty));
        y
    }
}

/// What a kernel gets.
#[derive(Default)]
struct Started {
    params: Vec<Param>,
    args: Vec<Arg>,
}

impl Started {
    fn give(&mut self, param: Param, arg: Arg) {
        self.params.push(param);
        self.args.push(arg);
    }
}

/// Collects what code assigns.
struct Assigned<'a, S>(&'a mut S);

impl<S: Extend<Name>> Visitor<'_> for Assigned<'_, S> {
    fn assigned(&mut self, x: &Name) {
        self.0.extend([*x]);
    }
}

/// Scalars that have other names.
#[derive(Default)]
struct Rename(FxHashMap<Name, Name>);

impl Rename {
    fn apply<O: Operation>(&mut self, code: &mut AnyCode<O>) {
        if !self.0.is_empty() {
            self.code(code);
        }
    }
}

impl Mutator for Rename {
    fn assigned(&mut self, x: &mut Name) {
        *x = self.0.get(x).copied().unwrap_or(*x);
    }

    fn var(&mut self, x: &mut Name) {
        self.assigned(x);
    }
}

/// Removes the tuning parameters of kernels that are part of loops now.
fn remove_params(prog: &mut Program) {
    let mut used = Params::default();
    prog.functions.iter().for_each(|f| used.code(&f.body));
    used.code(&prog.init);
    for k in &prog.kernels {
        used.code(&k.body);
        k.block_size.iter().for_each(|e| used.expr(e));
    }
    prog.device_functions.iter().for_each(|f| used.code(&f.body));
    prog.params.retain(|p| p.class != "thread_block_size" || used.0.contains(&p.name));
}

/// The tuning parameters that code uses.
#[derive(Default)]
struct Params(FxHashSet<Symbol>);

impl<'c> Visitor<'c> for Params {
    fn expr(&mut self, e: &'c Expr) {
        if let Expr::Param(p) = e {
            self.0.insert(*p);
        }
        look_at_expr(self, e);
    }

    fn cpu_op<O: Operation>(&mut self, op: &'c CpuOp<O>) {
        if let CpuOp::GetSize(_, p) | CpuOp::CmpThreshold(_, p, _) = op {
            self.0.insert(*p);
        }
        look_at_cpu_op(self, op);
    }
}
