//! Inlining, and removal of functions that nothing calls.
//!
//! Before: any valid program. After: calls remain only of recursive functions,
//! of those marked `#[noinline]`, and of functions whose copies would be much of the program
//! (`tuning::inline`); functions that no entry point reaches are gone.
//!
//! ```text
//! fun f(x) = { let (y) = add(x, 1)  return (y) }
//! fun main(a) = { let (b) = call f(a)  return (b) }   =>   fun main(a) = { let (y) = add(a, 1)  return (y) }
//! ```
//!
//! Functions are visited callees first, so what is inlined is final. Statements
//! remember the call they came from, for the stack of run-time errors.

use fehu_analysis::recursion::components;
use fehu_base::tuning::inline;
use fehu_base::{Name, NameSource};
use fehu_ir::subst::{rename_fun, Subst};
use fehu_ir::visit::{change, deep, for_each_body, for_each_stm, Mutator, Visitor};
use fehu_ir::{Attr, Basic, Body, Exp, FunDef, Loc, Prog, Rep, Soacs, Stm, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Inlining as a pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "inline", need: Need::Optional, run: inline };

/// Inlines calls and removes functions that nothing calls.
pub fn inline<R: Rep<Dec = ()>>(prog: &mut Prog<R>) {
    let order = callees_first(prog);
    let mut calls = call_counts(prog);
    let sizes: Vec<usize> = prog.funs.iter().map(|f| statements(&f.body)).collect();
    let total: usize = sizes.iter().sum();
    let budget = |statements: usize| statements.max(total * inline::PROGRAM_GROWTH);
    let inside = called_in_operations(prog);
    let mut inliner = Inliner { names: &mut prog.names, ready: FxHashMap::default(), grown: total };
    for (i, recursive) in order {
        let fun = &mut prog.funs[i];
        inliner.body(&mut fun.body);
        let size = statements(&fun.body);
        let count = calls.remove(&fun.name).unwrap_or(0);
        let forced = has_attr(&fun.attrs, "inline");
        let forbidden = recursive || has_attr(&fun.attrs, "noinline");
        let most = match (is_of_scalars(fun), inside.contains(&fun.name)) {
            (true, _) => inliner.grown + inline::COPIES_OF_SCALAR_FUNCTION,
            (false, true) => budget(inline::PROGRAM_STATEMENTS),
            (false, false) => budget(inline::PROGRAM_STATEMENTS_OUTSIDE),
        };
        let fits = size <= inline::ALWAYS_STATEMENTS || count <= 1 || inliner.grown + size * count <= most;
        if count > 0 && !forbidden && (forced || fits) {
            inliner.ready.insert(fun.name, Arc::new(fun.clone()));
        }
    }
    // Functions mention constants by name, so what stands for a constant stands for it there, too.
    let constants = inliner.body(&mut prog.consts);
    for fun in &mut prog.funs {
        constants.fun(fun);
    }
    remove_dead_functions(prog);
}

/// Removes functions that no entry point reaches.
pub fn remove_dead_functions<R: Rep>(prog: &mut Prog<R>) {
    let index: FxHashMap<Name, usize> = prog.funs.iter().enumerate().map(|(i, f)| (f.name, i)).collect();
    let mut work: Vec<usize> =
        prog.funs.iter().enumerate().filter(|(_, f)| f.entry.is_some()).map(|(i, _)| i).collect();
    work.extend(callees(&prog.consts).iter().filter_map(|n| index.get(n)));
    let mut live = vec![false; prog.funs.len()];
    while let Some(i) = work.pop() {
        if !std::mem::replace(&mut live[i], true) {
            work.extend(callees(&prog.funs[i].body).iter().filter_map(|n| index.get(n)));
        }
    }
    let mut marks = live.into_iter();
    prog.funs.retain(|_| marks.next().unwrap_or(true));
}

struct Inliner<'a, R: Rep> {
    names: &'a mut NameSource,
    ready: FxHashMap<Name, Arc<FunDef<R>>>,
    /// How large the program is by now.
    grown: usize,
}

impl<R: Rep<Dec = ()>> Inliner<'_, R> {
    /// Inlines the calls of a body; returns what stands for their results.
    fn body(&mut self, body: &mut Body<R>) -> Subst {
        deep(|| {
            let mut subst = Subst::new();
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                fehu_ir::visit::map_bodies(&mut stm.exp, &mut |b| {
                    self.body(b);
                });
                let callee = match &stm.exp {
                    Exp::Call(f, _) if !has_attr(&stm.attrs, "noinline") => self.ready.get(f).cloned(),
                    Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(_) => None,
                };
                subst.stm(&mut stm);
                match callee {
                    Some(fun) => self.call(stm, &fun, &mut subst, &mut out),
                    None => out.push(stm),
                }
            }
            for e in &mut body.result {
                *e = subst.operand(*e);
            }
            body.stms = out;
            subst
        })
    }

    /// Puts the body of the function in the place of a call; its results stand for those of the call.
    fn call(&mut self, stm: Stm<R>, fun: &FunDef<R>, subst: &mut Subst, out: &mut Vec<Stm<R>>) {
        let Exp::Call(_, args) = &stm.exp else { return };
        let FunDef { params, mut body, .. } = rename_fun(self.names, fun);
        self.grown += statements(&body);
        let arguments: Subst = params.iter().zip(args).map(|(p, e)| (p.name, *e)).collect();
        arguments.body(&mut body);
        Located { call: Arc::new(stm.loc.clone()), certs: &stm.certs }.statements(&mut body.stms);
        out.append(&mut body.stms);
        if stm.certs.is_empty() {
            subst.extend(stm.pat.iter().zip(&body.result).map(|(p, e)| (p.name, *e)));
        } else {
            // Sizes first: the types of arrays mention them.
            for arrays in [false, true] {
                for (p, e) in stm.pat.iter().zip(&body.result).filter(|(p, _)| p.ty.is_array() == arrays) {
                    out.push(Stm { pat: vec![p.clone()], exp: Exp::Basic(Basic::SubExp(*e)), ..stm.clone() });
                }
            }
        }
    }
}

/// Adds the call to where statements came from, and its certificates to those of the outermost ones.
struct Located<'a> {
    call: Arc<Loc>,
    certs: &'a [Name],
}

impl Located<'_> {
    fn statements<R: Rep>(&mut self, stms: &mut [Stm<R>]) {
        for stm in stms {
            self.stm(stm);
            stm.certs.extend(self.certs);
        }
    }
}

impl<R: Rep> Mutator<R> for Located<'_> {
    fn stm(&mut self, stm: &mut Stm<R>) {
        stm.loc = called_from(&stm.loc, &self.call);
        change::exp(self, &mut stm.exp);
    }
}

/// The place, reached by way of the call.
fn called_from(loc: &Loc, call: &Arc<Loc>) -> Loc {
    let caller = match &loc.caller {
        None => call.clone(),
        Some(outer) => Arc::new(called_from(outer, call)),
    };
    Loc { span: loc.span, caller: Some(caller) }
}

/// Whether an attribute is there.
pub(crate) fn has_attr(attrs: &[Attr], name: &str) -> bool {
    attrs.iter().any(|a| matches!(a, Attr::Atom(s) if s.as_str() == name))
}

/// How many statements there are in a body and the bodies in it.
pub(crate) fn statements<R: Rep>(body: &Body<R>) -> usize {
    let mut n = 0;
    for_each_stm(body, &mut |_| n += 1);
    n
}

/// Whether a function has nothing to do with arrays.
fn is_of_scalars<R: Rep>(fun: &FunDef<R>) -> bool {
    let mut scalars = fun.params.iter().all(|p| !p.ty.is_array());
    for_each_stm(&fun.body, &mut |s| scalars &= s.pat.iter().all(|p| matches!(p.ty, Type::Prim(_))));
    scalars
}

/// The functions that parallel operations call, directly or through others: what is parallel in them is found
/// only where it is inlined.
fn called_in_operations<R: Rep>(prog: &Prog<R>) -> FxHashSet<Name> {
    let mut work = vec![];
    for body in prog.funs.iter().map(|f| &f.body).chain([&prog.consts]) {
        for_each_stm(body, &mut |s| {
            if let Exp::Op(_) = &s.exp {
                for_each_body(&s.exp, &mut |b| work.extend(callees(b)));
            }
        });
    }
    let functions: FxHashMap<Name, &FunDef<R>> = prog.funs.iter().map(|f| (f.name, f)).collect();
    let mut found = FxHashSet::default();
    while let Some(f) = work.pop() {
        if found.insert(f) {
            work.extend(functions.get(&f).map(|f| callees(&f.body)).unwrap_or_default());
        }
    }
    found
}

/// The functions called in a body.
fn callees<R: Rep>(body: &Body<R>) -> Vec<Name> {
    struct Callees(Vec<Name>);
    impl<R: Rep> Visitor<R> for Callees {
        fn callee(&mut self, n: &Name) {
            self.0.push(*n);
        }
    }
    let mut c = Callees(vec![]);
    Visitor::<R>::body(&mut c, body);
    c.0
}

fn call_counts<R: Rep>(prog: &Prog<R>) -> FxHashMap<Name, usize> {
    let mut counts = FxHashMap::default();
    for body in prog.funs.iter().map(|f| &f.body).chain([&prog.consts]) {
        for f in callees(body) {
            *counts.entry(f).or_default() += 1;
        }
    }
    counts
}

/// Functions in an order where callees come before callers, and whether each can reach itself.
fn callees_first<R: Rep>(prog: &Prog<R>) -> Vec<(usize, bool)> {
    let index: FxHashMap<Name, usize> = prog.funs.iter().enumerate().map(|(i, f)| (f.name, i)).collect();
    let edges: Vec<Vec<usize>> = prog
        .funs
        .iter()
        .map(|f| callees(&f.body).iter().filter_map(|n| index.get(n).copied()).collect())
        .collect();
    let mut order = vec![];
    for members in components(&edges) {
        let recursive = members.len() > 1 || members.iter().any(|f| edges[*f].contains(f));
        order.extend(members.into_iter().map(|f| (f, recursive)));
    }
    order
}
