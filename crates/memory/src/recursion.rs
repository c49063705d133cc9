//! Kernels that call functions which call themselves. A function of arrays allocates, and cannot be inlined
//! if it calls itself; OpenCL has no recursion at all. So the host runs such kernels step by step, or there
//! is another version.

use crate::introduce::calls::conventions;
use fehu_base::{Diagnostic, Name};
use fehu_ir::seg::KernelsOp;
use fehu_ir::visit::{deep, for_each_stm, look, Visitor};
use fehu_ir::{Body, Exp, Kernels, Loc, Prog, Stm};
use fehu_pass::Refusal;
use rustc_hash::FxHashMap;

/// Whether functions of scalars may call themselves in kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarRecursion {
    /// As on CUDA.
    Allowed,
    /// As with OpenCL.
    Forbidden,
}

/// The kernels that cannot run because functions call themselves.
pub fn recursive_kernels(prog: &Prog<Kernels>, of_scalars: ScalarRecursion) -> Vec<Refusal> {
    let mut kernels: Vec<(Loc, Vec<(Name, Loc)>)> = vec![];
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
    let conventions = conventions(&prog.funs);
    // Whatever calls a function of arrays is one itself.
    let of_arrays = |f: Name| conventions.get(&f).is_some_and(|c| !c.scalar);
    let mut arrays = Cycles { callees: &callees, among: &of_arrays, known: FxHashMap::default() };
    let mut all = Cycles { callees: &callees, among: &|_| true, known: FxHashMap::default() };
    let mut refusals = vec![];
    for (kernel, calls) in kernels {
        if let Some((_, at)) = calls.iter().find(|(f, _)| arrays.are_reached(*f)) {
            let message = "A function that uses arrays cannot call itself inside of parallel code for a GPU.";
            refusals.push(Refusal { problem: Diagnostic::error(at.span, message), kernel });
        } else if of_scalars == ScalarRecursion::Forbidden && calls.iter().any(|(f, _)| all.are_reached(*f)) {
            let message = "Functions that call themselves cannot be called in parallel by OpenCL.";
            refusals.push(Refusal { problem: Diagnostic::error(kernel.span, message), kernel });
        }
    }
    refusals
}

/// The functions that code calls, and where.
struct Calls(Vec<(Name, Loc)>);

impl Visitor<Kernels> for Calls {
    fn stm(&mut self, stm: &Stm<Kernels>) {
        if let Exp::Call(f, _) = &stm.exp {
            self.0.push((*f, stm.loc.clone()));
        }
        look::stm(self, stm);
    }
}

/// The functions that a body calls.
fn called(body: &Body<Kernels>) -> Vec<Name> {
    let mut calls = Calls(vec![]);
    look::body(&mut calls, body);
    calls.0.into_iter().map(|(f, _)| f).collect()
}

/// Cycles of calls among some functions.
struct Cycles<'a> {
    callees: &'a FxHashMap<Name, Vec<Name>>,
    among: &'a dyn Fn(Name) -> bool,
    /// From which functions calls lead to a cycle; so they do from those that are being looked at, if they lead back.
    known: FxHashMap<Name, bool>,
}

impl Cycles<'_> {
    /// Whether calls lead from a function to a cycle.
    fn are_reached(&mut self, f: Name) -> bool {
        if let Some(known) = self.known.get(&f) {
            return *known;
        }
        self.known.insert(f, true);
        let (callees, among) = (self.callees, self.among);
        let mut next = callees.get(&f).into_iter().flatten();
        let found = among(f) && next.any(|g| deep(|| self.are_reached(*g)));
        self.known.insert(f, found);
        found
    }
}
