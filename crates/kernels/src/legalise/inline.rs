//! Calls inside of kernels are replaced by what they call.
//!
//! A function of arrays allocates, which kernels cannot do from within a call; one that uses constants of the
//! program would not find them there. Other functions of scalars stay, and so do recursive ones. What nobody
//! calls any more goes.
//!
//! Where the constants are scalars, the function gets them as arguments, and stays, too:
//!
//! ```text
//! fun f(x) = { .. mul(x, p) .. }              fun f(x, q) = { .. mul(x, q) .. }
//! segmap { .. call f(a) .. }            ->    segmap { .. call f(a, p) .. }
//! ```

use fehu_analysis::recursion::recursive;
use fehu_base::{Name, NameSource};
use fehu_ir::free::free_in_fun;
use fehu_ir::seg::{KernelsOp, SegLevel};
use fehu_ir::subst::{rename_fun, Subst};
use fehu_ir::visit::{change, deep, for_each_stm, map_bodies, Mutator};
use fehu_ir::{Basic, Body, Exp, FunDef, Kernels, Loc, Param, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Kernels call only functions of scalars.
pub static PASS: Pass<Prog<Kernels>> =
    Pass { name: "inline-into-kernels", need: Need::Required, run: into_kernels };

/// Inlines calls of functions that are not purely scalar into kernels.
fn into_kernels(prog: &mut Prog<Kernels>) {
    pass_constants(prog);
    let callees: FxHashMap<Name, Vec<Name>> = prog.funs.iter().map(|f| (f.name, called(&f.body))).collect();
    let unfit = unfit(&prog.funs, &callees);
    let recursive = recursive(&prog.funs);
    let ready: FxHashMap<Name, FunDef<Kernels>> = prog
        .funs
        .iter()
        .filter(|f| unfit.contains(&f.name) && !recursive.contains(&f.name))
        .map(|f| (f.name, f.clone()))
        .collect();
    let mut inliner = Inliner { names: &mut prog.names, ready: &ready };
    if !ready.is_empty() {
        inliner.host(&mut prog.consts);
        for fun in &mut prog.funs {
            inliner.host(&mut fun.body);
        }
    }
    remove_unreached(prog);
}

/// Functions of scalars get the scalar constants that they use, themselves or by calls, as arguments.
fn pass_constants(prog: &mut Prog<Kernels>) {
    let pats = prog.consts.stms.iter().flat_map(|s| &s.pat);
    let scalars: FxHashMap<Name, Type> =
        pats.filter(|p| matches!(p.ty, Type::Prim(_))).map(|p| (p.name, p.ty.clone())).collect();
    let mut used: FxHashMap<Name, IndexSet<Name>> = FxHashMap::default();
    for f in prog.funs.iter().filter(|f| f.entry.is_none() && has_no_arrays(f)) {
        let mut free: Vec<Name> = free_in_fun(f).into_iter().collect();
        free.sort_unstable();
        if free.iter().all(|x| scalars.contains_key(x)) {
            used.insert(f.name, free.into_iter().collect());
        }
    }
    // Callers pass on what they are given.
    let callees: Vec<(Name, Vec<Name>)> = prog.funs.iter().map(|f| (f.name, called(&f.body))).collect();
    let mut grown = true;
    while std::mem::take(&mut grown) {
        for (f, callees) in &callees {
            let more: Vec<Name> =
                callees.iter().filter_map(|g| used.get(g)).flat_map(|xs| xs.iter().copied()).collect();
            if let Some(own) = used.get_mut(f) {
                let before = own.len();
                own.extend(more);
                grown |= own.len() > before;
            }
        }
    }
    used.retain(|_, constants| !constants.is_empty());
    let mut calls = MoreArguments(&used);
    calls.body(&mut prog.consts);
    for f in &mut prog.funs {
        calls.body(&mut f.body);
        let Some(constants) = used.get(&f.name) else { continue };
        let mut subst = Subst::new();
        for x in constants {
            let name = prog.names.fresh_like(*x);
            subst.insert(*x, name);
            f.params.push(Param { name, ty: scalars[x].clone(), dec: (), consumed: false });
        }
        subst.body(&mut f.body);
    }
}

/// Calls of these functions get these constants as further arguments.
struct MoreArguments<'a>(&'a FxHashMap<Name, IndexSet<Name>>);

impl Mutator<Kernels> for MoreArguments<'_> {
    fn exp(&mut self, exp: &mut Exp<Kernels>) {
        if let Exp::Call(f, args) = exp {
            args.extend(self.0.get(f).into_iter().flatten().map(|x| SubExp::Var(*x)));
        }
        change::exp(self, exp);
    }
}

/// The functions that kernels cannot call: those that are not scalar, and all that lead to one.
fn unfit(funs: &[FunDef<Kernels>], callees: &FxHashMap<Name, Vec<Name>>) -> FxHashSet<Name> {
    let mut callers: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
    for (caller, called) in callees {
        for f in called {
            callers.entry(*f).or_default().push(*caller);
        }
    }
    let mut work: Vec<Name> = funs.iter().filter(|f| !is_scalar(f)).map(|f| f.name).collect();
    let mut unfit = FxHashSet::default();
    while let Some(f) = work.pop() {
        if unfit.insert(f) {
            work.extend(callers.get(&f).into_iter().flatten());
        }
    }
    unfit
}

/// The functions called in a body.
fn called(body: &Body<Kernels>) -> Vec<Name> {
    let mut found = vec![];
    for_each_stm(body, &mut |stm| {
        if let Exp::Call(f, _) = &stm.exp {
            found.push(*f);
        }
    });
    found
}

/// Whether nothing in a function is an array, and nothing comes from outside of it.
fn is_scalar(fun: &FunDef<Kernels>) -> bool {
    has_no_arrays(fun) && free_in_fun(fun).is_empty()
}

fn has_no_arrays(fun: &FunDef<Kernels>) -> bool {
    let scalar = |ty: &Type| matches!(ty, Type::Prim(_));
    let mut all = fun.params.iter().all(|p| scalar(&p.ty));
    for_each_stm(&fun.body, &mut |stm| all &= stm.pat.iter().all(|p| scalar(&p.ty)));
    all
}

struct Inliner<'a> {
    names: &'a mut NameSource,
    ready: &'a FxHashMap<Name, FunDef<Kernels>>,
}

impl Inliner<'_> {
    /// Code of the host: finds kernels.
    fn host(&mut self, body: &mut Body<Kernels>) {
        deep(|| {
            for stm in &mut body.stms {
                let kernel = match &stm.exp {
                    Exp::Op(KernelsOp::Seg(seg)) => seg.level != SegLevel::Task,
                    Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(_) => false,
                };
                if kernel {
                    map_bodies(&mut stm.exp, &mut |b| self.kernel(b));
                } else {
                    map_bodies(&mut stm.exp, &mut |b| self.host(b));
                }
            }
        });
    }

    fn kernel(&mut self, body: &mut Body<Kernels>) {
        deep(|| {
            let mut out = vec![];
            for mut stm in std::mem::take(&mut body.stms) {
                map_bodies(&mut stm.exp, &mut |b| self.kernel(b));
                match &stm.exp {
                    Exp::Call(f, _) if self.ready.contains_key(f) => self.call(stm, &mut out),
                    Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(_) => out.push(stm),
                }
            }
            body.stms = out;
        });
    }

    fn call(&mut self, stm: Stm<Kernels>, out: &mut Vec<Stm<Kernels>>) {
        let Stm { pat, certs, loc, exp, .. } = stm;
        let Exp::Call(f, args) = exp else { return };
        let Some(fun) = self.ready.get(&f) else { return };
        let mut fun = rename_fun(self.names, fun);
        let mut subst = Subst::new();
        for (p, arg) in fun.params.iter().zip(&args) {
            subst.insert(p.name, *arg);
        }
        subst.body(&mut fun.body);
        self.kernel(&mut fun.body);
        let call = Arc::new(loc.clone());
        CalledFrom(&call).body(&mut fun.body);
        for mut stm in fun.body.stms {
            stm.certs.extend(certs.iter().filter(|c| !stm.certs.contains(c)).copied().collect::<Vec<_>>());
            out.push(stm);
        }
        // Sizes first: arrays mention them.
        let bound: Vec<(PatElem<Kernels>, SubExp)> = pat.into_iter().zip(fun.body.result).collect();
        let (scalars, arrays): (Vec<_>, Vec<_>) =
            bound.into_iter().partition(|(p, _)| matches!(p.ty, Type::Prim(_)));
        for (p, e) in scalars.into_iter().chain(arrays) {
            out.push(Stm {
                pat: vec![p],
                certs: certs.clone(),
                attrs: vec![],
                loc: loc.clone(),
                exp: Exp::Basic(Basic::SubExp(e)),
            });
        }
    }
}

/// Lets statements remember a call.
struct CalledFrom<'a>(&'a Arc<Loc>);

impl Mutator<Kernels> for CalledFrom<'_> {
    fn stm(&mut self, stm: &mut Stm<Kernels>) {
        stm.loc = called_from(&stm.loc, self.0);
        change::stm(self, stm);
    }
}

fn called_from(loc: &Loc, call: &Arc<Loc>) -> Loc {
    let caller = match &loc.caller {
        Some(inner) => Arc::new(called_from(inner, call)),
        None => call.clone(),
    };
    Loc { span: loc.span, caller: Some(caller) }
}

/// Removes functions that no entry point reaches.
fn remove_unreached(prog: &mut Prog<Kernels>) {
    let callees: FxHashMap<Name, Vec<Name>> = prog.funs.iter().map(|f| (f.name, called(&f.body))).collect();
    let mut work: Vec<Name> = prog.funs.iter().filter(|f| f.entry.is_some()).map(|f| f.name).collect();
    work.extend(called(&prog.consts));
    let mut reached = FxHashSet::default();
    while let Some(f) = work.pop() {
        if reached.insert(f) {
            work.extend(callees.get(&f).into_iter().flatten());
        }
    }
    prog.funs.retain(|f| reached.contains(&f.name));
}
