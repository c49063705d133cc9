//! Kernels that do the same have the same tuning parameters, so that they are one text.
//!
//! What is inlined in several places, and versions that have parts in common, come with kernels that differ in
//! nothing but names, the numbers of their checks, and the parameters that say how many threads a block has:
//!
//! ```text
//! kernel a (n, mem xs) block size main.block_7 { .. }        kernel a (n, mem xs) block size main.block_7 { .. }
//! kernel b (m, mem ys) block size main.block_9 { .. }   ->   kernel b (m, mem ys) block size main.block_7 { .. }
//! ```
//!
//! After: the text of `b` is that of `a`, and is printed once.

use crate::kernel_facts::{BlockSize, Facts, KernelFacts};
use fehu_base::{Name, Symbol};
use fehu_imp::ops::Operation;
use fehu_imp::parts::for_each_statement;
use fehu_imp::syntax::{CpuOp, Expr, Kernel, KernelOp, Loc, Param, Program, TuningParam};
use fehu_imp::visit::{change_cpu_op, change_expr, change_kernel_op, Mutator};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Kernels that do the same have the same tuning parameters.
pub static PASS: Pass<Program> = Pass { name: "equal-kernels", need: Need::Optional, run: unify };

fn unify(program: &mut Program) {
    let facts = Facts::of(program).kernels;
    let params: FxHashMap<Symbol, &TuningParam> = program.params.iter().map(|p| (p.name, p)).collect();
    let mut known: FxHashMap<u64, Vec<Form>> = FxHashMap::default();
    let mut same = Same::default();
    for (kernel, facts) in program.kernels.iter().zip(&facts) {
        let form = Form::of(kernel, facts, program);
        let alike = known.entry(form.fingerprint).or_default();
        let Some(first) = alike.iter().find(|f| f.kernel == form.kernel && f.fixed == form.fixed) else {
            alike.push(form);
            continue;
        };
        for (a, b) in first.params.iter().zip(&form.params) {
            let (a, b) = (same.first(*a), same.first(*b));
            let fits = params.get(&a).zip(params.get(&b)).is_some_and(|(a, b)| {
                a.class == b.class && a.default == b.default && a.thread_bytes == b.thread_bytes
            });
            if a != b && fits {
                same.firsts.insert(b, a);
            }
        }
    }
    if same.firsts.is_empty() {
        return;
    }
    program.params.retain(|p| !same.firsts.contains_key(&p.name));
    program.functions.iter_mut().for_each(|f| same.code(&mut f.body));
    same.code(&mut program.init);
    program.device_functions.iter_mut().for_each(|f| same.code(&mut f.body));
    for kernel in &mut program.kernels {
        kernel.block_size.iter_mut().for_each(|e| same.expr(e));
        same.code(&mut kernel.body);
    }
}

/// What a kernel is called, up to its number.
fn kind(kernel: &Kernel) -> Symbol {
    let label = kernel.label.as_str();
    Symbol::new(label.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// A kernel in which names and checks are numbered from 0 on.
struct Form {
    kernel: Kernel,
    /// Its tuning parameters, in the order of their use; in the kernel, all of them are called the same.
    params: Vec<Symbol>,
    /// How many threads its blocks have, where these are numbers.
    fixed: [Option<i64>; 2],
    /// Kernels that do the same have the same, and nearly all others another one.
    fingerprint: u64,
}

impl Form {
    fn of(kernel: &Kernel, facts: &KernelFacts, program: &Program) -> Form {
        let mut first = None;
        for_each_statement(&kernel.body, &mut |code| {
            if let fehu_imp::syntax::Code::Op(KernelOp::Check { number, .. }) = code {
                first = Some(first.map_or(*number, |f: usize| f.min(*number)));
            }
        });
        let mut seen = FxHasher::default();
        kind(kernel).hash(&mut seen);
        let first_check = first.unwrap_or(0);
        let mut numbering = Numbering { names: FxHashMap::default(), params: vec![], first_check, seen };
        let mut kernel = kernel.clone();
        for param in &mut kernel.params {
            match param {
                Param::Scalar(x, _) | Param::Mem(x, _) => numbering.name(x),
            }
        }
        kernel.shared.iter_mut().for_each(|m| numbering.name(m));
        kernel.block_size.iter_mut().for_each(|e| numbering.expr(e));
        numbering.code(&mut kernel.body);
        for (mut m, qualifier) in std::mem::take(&mut kernel.qualifiers) {
            numbering.name(&mut m);
            kernel.qualifiers.insert(m, qualifier);
        }
        (kernel.name, kernel.label, kernel.loc) = (Name(0), Symbol::new(""), Loc::none());
        let mut params = std::mem::take(&mut numbering.params);
        let fixed = [facts.block_size, facts.most_threads].map(|size| match size? {
            BlockSize::Fixed(n) => Some(n),
            BlockSize::Param(i) => {
                params.push(program.params[i].name);
                None
            }
        });
        Form { kernel, params, fixed, fingerprint: numbering.seen.finish() }
    }
}

struct Numbering {
    names: FxHashMap<Name, Name>,
    params: Vec<Symbol>,
    first_check: usize,
    /// What was seen so far, apart from the names of tuning parameters.
    seen: FxHasher,
}

impl Numbering {
    fn name(&mut self, x: &mut Name) {
        let next = Name(self.names.len() as u32);
        *x = *self.names.entry(*x).or_insert(next);
        x.hash(&mut self.seen);
    }
}

impl Mutator for Numbering {
    fn expr(&mut self, e: &mut Expr) {
        std::mem::discriminant(e).hash(&mut self.seen);
        match e {
            Expr::Const(value) => value.hash(&mut self.seen),
            Expr::UnOp(op, _) => op.hash(&mut self.seen),
            Expr::BinOp(op, ..) => op.hash(&mut self.seen),
            Expr::CmpOp(op, ..) => op.hash(&mut self.seen),
            Expr::Conv(op, _) => op.hash(&mut self.seen),
            Expr::PrimFn(f, _) => f.hash(&mut self.seen),
            Expr::Gpu(index) => index.hash(&mut self.seen),
            Expr::Index { elem, space, .. } => (elem, space).hash(&mut self.seen),
            Expr::Var(_) | Expr::Select(..) | Expr::Param(_) => {}
        }
        if let Expr::Param(p) = e {
            self.params.push(std::mem::replace(p, Symbol::new("")));
        }
        change_expr(self, e);
    }
    fn kernel_op(&mut self, op: &mut KernelOp) {
        std::mem::discriminant(op).hash(&mut self.seen);
        if let KernelOp::Check { number, .. } = op {
            *number -= self.first_check;
        }
        change_kernel_op(self, op);
    }
    fn declared(&mut self, x: &mut Name) {
        self.name(x);
    }
    fn assigned(&mut self, x: &mut Name) {
        self.name(x);
    }
    fn var(&mut self, x: &mut Name) {
        self.name(x);
    }
    fn block(&mut self, m: &mut Name) {
        self.name(m);
    }
}

/// Tuning parameters that are another one from now on.
#[derive(Default)]
struct Same {
    firsts: FxHashMap<Symbol, Symbol>,
}

impl Same {
    fn first(&self, mut p: Symbol) -> Symbol {
        while let Some(first) = self.firsts.get(&p) {
            p = *first;
        }
        p
    }
}

impl Mutator for Same {
    fn expr(&mut self, e: &mut Expr) {
        if let Expr::Param(p) = e {
            *p = self.first(*p);
        }
        change_expr(self, e);
    }
    fn cpu_op<O: Operation>(&mut self, op: &mut CpuOp<O>) {
        if let CpuOp::GetSize(_, p) = op {
            *p = self.first(*p);
        }
        change_cpu_op(self, op);
    }
}
