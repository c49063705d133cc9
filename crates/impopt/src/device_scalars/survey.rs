//! What a function's host code does with its scalars and blocks, and where.
//!
//! Statements are numbered in the order of the text. What comes after a statement of a sequence, in that
//! sequence or nested in it, has numbers up to the sequence's end; code that is repeated by a loop around it
//! starts over before the statement.

use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::free::free_names;
use fehu_imp::syntax::{Arg, Code, CpuOp, ErrorPart, Expr, Function, HostOp, Launch, Param, Place, Space};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of a function.
#[derive(Default)]
pub(super) struct Survey {
    /// Scalars and blocks, by name, as parameters of a kernel would be declared.
    pub types: FxHashMap<Name, Param>,
    /// Where scalars get values.
    pub sets: FxHashMap<Name, Vec<usize>>,
    /// Assignments of one expression, in the order of the text.
    pub definitions: Vec<Definition>,
    /// What is done with scalars.
    pub uses: FxHashMap<Name, Vec<(usize, Use)>>,
    /// Where a block may be written.
    pub written: FxHashMap<Name, Vec<usize>>,
    /// Blocks that may have other names, or are seen outside.
    pub shared: FxHashSet<Name>,
    /// Blocks of the program's constants: made before any function runs, and never changed.
    pub lasting: FxHashSet<Name>,
    /// Blocks that are constant data, which the host has too.
    pub constant: FxHashSet<Name>,
    /// Checks, in the order of the text.
    pub checks: Vec<Check>,
    /// How often a kernel is launched in the text.
    pub launches: FxHashMap<Name, usize>,
    /// Where loops start and end.
    loops: Vec<(usize, usize)>,
    position: usize,
}

/// An assignment.
pub(super) struct Definition {
    pub var: Name,
    pub value: Expr,
    pub position: usize,
    /// The end of the sequence it stands in.
    pub end: usize,
}

/// A check.
pub(super) struct Check {
    pub position: usize,
    pub cond: Expr,
    /// The scalars in its condition and its message.
    pub scalars: FxHashSet<Name>,
}

/// What is done with a scalar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Use {
    /// The host needs it.
    Host,
    /// Another scalar is computed from it.
    Scalar(Name),
    /// A kernel gets it, as it is, as the parameter of this number.
    Kernel(Name, usize),
    /// It is written to an array, as it is.
    Write,
    /// It is checked, or in the message of a check.
    Check,
}

/// Looks through a function.
pub(super) fn survey(f: &Function, globals: &[Param]) -> Survey {
    let mut s = Survey::default();
    for p in f.inputs.iter().chain(globals) {
        let (Param::Scalar(x, _) | Param::Mem(x, _)) = p;
        s.types.insert(*x, p.clone());
        s.shared.insert(*x);
    }
    for p in globals {
        let (Param::Scalar(x, _) | Param::Mem(x, _)) = p;
        s.lasting.insert(*x);
    }
    for p in &f.outputs {
        let (Param::Scalar(x, _) | Param::Mem(x, _)) = p;
        s.types.insert(*x, p.clone());
        s.shared.insert(*x);
        s.used(*x, Use::Host);
    }
    s.scope(&f.body);
    s
}

impl Survey {
    /// The last place at which something may be used that is used at a place after a definition: all of a
    /// loop in between is repeated.
    pub(super) fn end_of_use(&self, definition: usize, at: usize) -> usize {
        let around = |(start, end): &&(usize, usize)| definition < *start && *start <= at && at <= *end;
        self.loops.iter().filter(around).map(|l| l.1).max().unwrap_or(at)
    }

    /// The body of a loop.
    fn repeated(&mut self, body: &Code<HostOp>) {
        let start = self.position;
        self.scope(body);
        self.loops.push((start, self.position));
    }

    fn scope(&mut self, code: &Code<HostOp>) {
        let first = self.definitions.len();
        let mut here = vec![];
        fehu_ir::visit::deep(|| self.code(code, &mut here));
        for d in here {
            debug_assert!(d >= first);
            self.definitions[d].end = self.position;
        }
    }

    /// `here` collects the definitions of the sequence that the code is part of.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn code(&mut self, code: &Code<HostOp>, here: &mut Vec<usize>) {
        self.position += 1;
        match code {
            Code::Seq(codes) => codes.iter().for_each(|c| self.code(c, here)),
            Code::DeclareScalar(x, ty) => {
                self.types.insert(*x, Param::Scalar(*x, *ty));
            }
            Code::DeclareMem(m, space) => {
                self.types.insert(*m, Param::Mem(*m, space.clone()));
            }
            Code::DeclareStatic(m, _) => {
                self.types.insert(*m, Param::Mem(*m, Space::Default));
                self.constant.insert(*m);
            }
            Code::SetScalar(x, e) => {
                self.set(*x);
                self.operands(e, Use::Scalar(*x));
                here.push(self.definitions.len());
                self.definitions.push(Definition {
                    var: *x,
                    value: e.clone(),
                    position: self.position,
                    end: 0,
                });
            }
            Code::SetMem(a, b, _) => self.shared.extend([*a, *b]),
            Code::Write { mem, offset, value, space, elem: _ } => {
                self.writes(*mem);
                self.host(offset);
                match value {
                    Expr::Var(x) if matches!(space, Space::Default) => self.used(*x, Use::Write),
                    value => self.host(value),
                }
            }
            Code::Copy { shape, dst, src, elem: _ } => {
                self.writes(dst.mem);
                shape.iter().for_each(|e| self.host(e));
                self.place(dst);
                self.place(src);
            }
            Code::For { var, ty, bound, body, .. } => {
                self.types.insert(*var, Param::Scalar(*var, PrimType::Int(*ty)));
                self.host(bound);
                self.set(*var);
                self.repeated(body);
            }
            Code::While(c, body) => {
                self.host(c);
                self.repeated(body);
            }
            Code::If(c, a, b) => {
                self.host(c);
                self.scope(a);
                self.scope(b);
            }
            Code::Call { outs, args, fun: _ } => {
                for x in outs {
                    self.set(*x);
                    self.used(*x, Use::Host);
                    self.shared.insert(*x);
                }
                args.iter().for_each(|a| self.arg(a));
            }
            Code::Assert { cond, message, loc: _ } => {
                self.operands(cond, Use::Check);
                self.message(message, Use::Check);
                let scalars = free_names(code).into_iter().collect();
                self.checks.push(Check { position: self.position, cond: cond.clone(), scalars });
            }
            Code::Op(op) => self.op(op),
        }
    }

    fn message(&mut self, message: &[ErrorPart], how: Use) {
        for part in message {
            match part {
                ErrorPart::Text(_) => {}
                ErrorPart::Value(e, _) => self.operands(e, how),
            }
        }
    }

    fn op(&mut self, op: &HostOp) {
        match op {
            HostOp::Own(launch) => self.launch(launch),
            HostOp::Cpu(op) => self.cpu_op(op),
        }
    }

    fn cpu_op(&mut self, op: &CpuOp<HostOp>) {
        match op {
            CpuOp::Allocate { mem, bytes, space: _, loc: _ } => {
                self.writes(*mem);
                self.host(bytes);
            }
            CpuOp::Free(..) => {}
            CpuOp::Trace { message, loc: _ } => self.message(message, Use::Host),
            CpuOp::GetSize(x, _) | CpuOp::GetSizeMax(x, _) => self.set(*x),
            CpuOp::CmpThreshold(x, _, e) => {
                self.set(*x);
                self.host(e);
            }
            // Not in the host code of a GPU.
            CpuOp::ParFor { .. } | CpuOp::ParChunks { .. } | CpuOp::Outlined(_) => {}
        }
    }

    fn launch(&mut self, launch: &Launch) {
        *self.launches.entry(launch.kernel).or_default() += 1;
        [&launch.grid, &launch.block].into_iter().chain(&launch.shared).for_each(|e| self.host(e));
        for (i, arg) in launch.args.iter().enumerate() {
            match arg {
                Arg::Scalar(Expr::Var(x)) => self.used(*x, Use::Kernel(launch.kernel, i)),
                Arg::Scalar(e) => self.host(e),
                Arg::Mem(m) => self.writes(*m),
            }
        }
    }

    fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Scalar(e) => self.host(e),
            Arg::Mem(m) => {
                self.shared.insert(*m);
            }
        }
    }

    fn place(&mut self, place: &Place) {
        self.host(&place.offset);
        place.strides.iter().for_each(|e| self.host(e));
    }

    fn host(&mut self, e: &Expr) {
        self.operands(e, Use::Host);
    }

    /// The host needs to know where in memory something is, whatever it is for.
    fn operands(&mut self, e: &Expr, how: Use) {
        match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Gpu(_) => {}
            Expr::Var(x) => self.used(*x, how),
            Expr::UnOp(_, a) | Expr::Conv(_, a) => self.operands(a, how),
            Expr::BinOp(_, a, b) | Expr::CmpOp(_, a, b) => {
                self.operands(a, how);
                self.operands(b, how);
            }
            Expr::PrimFn(_, args) => args.iter().for_each(|a| self.operands(a, how)),
            Expr::Select(c, a, b) => [c, a, b].into_iter().for_each(|e| self.operands(e, how)),
            Expr::Index { offset, .. } => self.host(offset),
        }
    }

    fn used(&mut self, x: Name, how: Use) {
        self.uses.entry(x).or_default().push((self.position, how));
    }

    fn set(&mut self, x: Name) {
        self.sets.entry(x).or_default().push(self.position);
    }

    fn writes(&mut self, mem: Name) {
        self.written.entry(mem).or_default().push(self.position);
    }
}
