//! Kernels that call functions which call themselves. OpenCL has no recursion, so there the host runs them step by step.

use fehu_base::{Diagnostic, Name};
use fehu_ir::seg::KernelsOp;
use fehu_ir::visit::{for_each_stm, look, Visitor};
use fehu_ir::{Body, Exp, Kernels, Loc, Prog};
use fehu_pass::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};

/// The kernels that cannot run where functions must not call themselves.
pub fn recursive_kernels(prog: &Prog<Kernels>) -> Vec<Refusal> {
    let mut kernels: Vec<(Loc, Vec<Name>)> = vec![];
    for body in prog.funs.iter().map(|f| &f.body).chain([&prog.consts]) {
        for_each_stm(body, &mut |stm| {
            let mut calls = Calls(vec![]);
            match &stm.exp {
                Exp::Op(KernelsOp::Seg(_)) => look::exp(&mut calls, &stm.exp),
                // Kernels that update accumulators apply the operators of these.
                Exp::WithAcc(w) => {
                    let ops = w.inputs.iter().filter_map(|input| input.op.as_ref());
                    ops.for_each(|(op, _)| look::lambda(&mut calls, op));
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::Op(_) => {}
            }
            let Calls(calls) = calls;
            if !calls.is_empty() {
                kernels.push((stm.loc.clone(), calls));
            }
        });
    }
    // Most kernels call nothing: it was inlined.
    if kernels.is_empty() {
        return vec![];
    }
    let callees: FxHashMap<Name, Vec<Name>> = prog.funs.iter().map(|f| (f.name, called(&f.body))).collect();
    let recursive = |f: &Name| callees.get(f).is_some_and(|calls| reached(&callees, calls).contains(f));
    kernels.retain(|(_, calls)| reached(&callees, calls).iter().any(recursive));
    let message = "Functions that call themselves cannot be called in parallel by OpenCL.";
    let refusal =
        |(kernel, _): (Loc, Vec<Name>)| Refusal { problem: Diagnostic::error(kernel.span, message), kernel };
    kernels.into_iter().map(refusal).collect()
}

/// The functions that code calls.
struct Calls(Vec<Name>);

impl Visitor<Kernels> for Calls {
    fn callee(&mut self, n: &Name) {
        self.0.push(*n);
    }
}

/// The functions that a body calls.
fn called(body: &Body<Kernels>) -> Vec<Name> {
    let mut calls = Calls(vec![]);
    look::body(&mut calls, body);
    calls.0
}

/// What is called, directly or not, by what is called first.
fn reached(callees: &FxHashMap<Name, Vec<Name>>, first: &[Name]) -> FxHashSet<Name> {
    let mut seen: FxHashSet<Name> = FxHashSet::default();
    let mut next = first.to_vec();
    while let Some(f) = next.pop() {
        if seen.insert(f) {
            next.extend(callees.get(&f).into_iter().flatten());
        }
    }
    seen
}
