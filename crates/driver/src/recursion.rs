//! Kernels that call functions which call themselves. OpenCL has no recursion, so there the host runs them step by step.

use fehu_base::{Diagnostic, Name};
use fehu_ir::seg::KernelsOp;
use fehu_ir::visit::{for_each_stm, look, Visitor};
use fehu_ir::{Body, Exp, Kernels, Prog};
use fehu_memory::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};

/// The kernels that cannot run where functions must not call themselves.
pub(crate) fn refused(prog: &Prog<Kernels>) -> Vec<Refusal> {
    let callees: FxHashMap<Name, Vec<Name>> = prog.funs.iter().map(|f| (f.name, called(&f.body))).collect();
    let recursive: FxHashSet<Name> =
        prog.funs.iter().map(|f| f.name).filter(|f| reached(&callees, &callees[f]).contains(f)).collect();
    let mut refusals = vec![];
    if recursive.is_empty() {
        return refusals;
    }
    for body in prog.funs.iter().map(|f| &f.body).chain([&prog.consts]) {
        for_each_stm(body, &mut |stm| {
            let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return };
            if reached(&callees, &called(&seg.body.body)).iter().any(|f| recursive.contains(f)) {
                let message = "Functions that call themselves cannot be called in parallel by OpenCL.";
                let problem = Diagnostic::error(stm.loc.span, message);
                refusals.push(Refusal { kernel: stm.loc.clone(), problem });
            }
        });
    }
    refusals
}

/// The functions that a body calls.
fn called(body: &Body<Kernels>) -> Vec<Name> {
    struct Calls(Vec<Name>);
    impl Visitor<Kernels> for Calls {
        fn callee(&mut self, n: &Name) {
            self.0.push(*n);
        }
    }
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
