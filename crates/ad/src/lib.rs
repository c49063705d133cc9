//! Derivatives: functions that compute with numbers and, beside them, with how these change.
//!
//! In: a program over `Soacs` in which the combinator [`Ad`](fehu_ir::soac::Ad) asks for the derivative of a
//! function at a point. Out: one without it. Nothing later in the compiler knows what a derivative is.
//!
//! # What a tangent is
//!
//! The *tangent* `x'` of a name `x` says how fast `x` changes when the arguments of the function change in a
//! given direction. It is a name beside `x`, of the same type: a scalar has one number, an array one for each
//! element. What has no tangent does not change, and its tangent is 0 without being computed. `jvp f x x'`
//! gives the function's parameters the tangents `x'`, and asks for those of its results. What is free in the
//! function is constant there, so that derivatives in derivatives do not mix.
//!
//! Integers have tangents too, which are integers; conversions convert them. Truth values have them for
//! conversions alone. Sizes, indices and conditions are taken as they are: the derivative is that of the code
//! that runs.
//!
//! Three things are known before code is made, each in a module:
//!
//! - `activity`: which names have a tangent at all;
//! - [`partials`]: how the result of an operation on scalars changes with its operands, one table for both modes;
//! - `forward`: where tangents come from: through operations, branches, loops, calls and combinators.
//!
//! # The pass
//!
//! [`derive`] takes derivatives from the innermost outwards, so that the function of an outer one is plain
//! code. After each round the program is simplified, and what is computed twice is computed once: an outer
//! derivative then sees no more than is needed. It stands after inlining and before fusion, where maps,
//! reductions and scans are what the program says.
//!
//! `jmp` arrives as a map of a derivative over its seeds, which is marked (`#[bundle]`). It becomes one
//! derivative with bundles of tangents, so that the primal runs once; see `forward`.
//!
//! A seed that is a constant 0 in the program counts as no tangent, or no adjoint: `0 * inf` is 0 there.
//!
//! # What an adjoint is
//!
//! Reverse mode goes the other way: the *adjoint* of a name says how the results, weighted by their seeds,
//! change with it. It is known when all that uses the name is known, so adjoint code runs against the order of
//! the program, after it; see `reverse`. That code reads what the program has consumed, and updates arrays in
//! place that others need: `legal` makes it right, by copies. A function with a rule of its own (`with_vjp`) is
//! known by [`AdMode::Rule`] until here; see `rule`.

#![forbid(unsafe_code)]

mod activity;
pub mod explain;
mod forward;
mod legal;
pub mod ordered;
pub mod partials;
mod point;
mod reverse;
mod rule;

use crate::explain::Note;
use crate::forward::Forward;
use crate::reverse::{operators, Reverse};
use fehu_base::Diagnostic;
use fehu_base::Name;
use fehu_ir::soac::{Ad, AdMode, Soac};
use fehu_ir::types::{fun_types, prog_types};
use fehu_ir::visit::{for_each_stm, map_bodies};
use fehu_ir::{Body, Builder, Exp, FunDef, Loc, Prog, Soacs, Stm, Type};
use fehu_opt::{accumulators, cse, simplify};
use fehu_pass::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};

/// What derivatives run on. The rules of some operations differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// A few threads: a loop costs less than sorting.
    Cpu,
    /// Thousands of threads, of which each is slow.
    Gpu,
}

/// How derivatives are made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What they run on.
    pub machine: Machine,
    /// How many bytes the tape of a loop should take at most, if that matters; see `reverse/strips`.
    pub tape_bytes: Option<i64>,
}

/// Replaces derivatives by code. What cannot be replaced is refused.
pub fn derive(prog: &mut Prog<Soacs>, options: Options) -> Vec<Refusal> {
    rounds(prog, options, simplified, &mut vec![])
}

/// What the outer derivatives see is no more than is needed.
fn simplified(prog: &mut Prog<Soacs>) {
    (simplify::SOACS.run)(prog);
    (cse::SOACS.run)(prog);
    (simplify::SOACS.run)(prog);
}

/// Whether there are accumulators that do not add: they have a rule as histograms only.
fn combine_otherwise(prog: &Prog<Soacs>) -> bool {
    let mut any = false;
    for body in bodies(prog) {
        for_each_stm(body, &mut |stm| {
            if let Exp::WithAcc(w) = &stm.exp {
                any |= w.inputs.iter().any(|i| i.op.as_ref().is_some_and(|(op, _)| !operators::adds(op)));
            }
        });
    }
    any
}

/// The same for the interpreter: other code stays as it is, but for accumulators that have no rule.
pub fn derive_only(prog: &mut Prog<Soacs>) -> Vec<Refusal> {
    rounds(prog, Options { machine: Machine::Cpu, tape_bytes: None }, |_| {}, &mut vec![])
}

/// Takes derivatives from the innermost outwards, and does something between.
fn rounds(
    prog: &mut Prog<Soacs>,
    options: Options,
    between: fn(&mut Prog<Soacs>),
    notes: &mut Vec<Note>,
) -> Vec<Refusal> {
    if !derivatives(prog, |ad| ad.mode == AdMode::Reverse).is_empty() && combine_otherwise(prog) {
        accumulators::as_histograms(prog);
    }
    loop {
        let all = derivatives(prog, |ad| ad.mode != AdMode::Rule);
        if all.is_empty() {
            rule::inline(prog);
            return vec![];
        }
        if !forward_round(prog) {
            match reverse_round(prog, options, notes) {
                Round::Refused(refusals) => return refusals,
                Round::Nothing => {
                    return refused(all, "the derivative of a function that calls itself in a derivative")
                }
                Round::Some => {}
            }
        }
        between(prog);
    }
}

/// What a round of reverse mode did.
enum Round {
    Nothing,
    Some,
    Refused(Vec<Refusal>),
}

/// Where some of the derivatives of a program are.
fn derivatives(prog: &Prog<Soacs>, of: fn(&Ad<Soacs>) -> bool) -> Vec<Loc> {
    let mut found = vec![];
    for body in bodies(prog) {
        for_each_stm(body, &mut |stm| match &stm.exp {
            Exp::Op(Soac::Ad(ad)) if of(ad) => found.push(stm.loc.clone()),
            Exp::Op(_) | Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => {}
        });
    }
    found
}

fn bodies(prog: &Prog<Soacs>) -> impl Iterator<Item = &Body<Soacs>> {
    std::iter::once(&prog.consts).chain(prog.funs.iter().map(|f| &f.body))
}

fn refused(places: Vec<Loc>, what: &str) -> Vec<Refusal> {
    let refusal = |loc: Loc| {
        let mut problem = Diagnostic::error(loc.span, format!("Not supported by the compiler yet: {what}."));
        let mut caller = loc.caller.as_deref();
        while let Some(at) = caller {
            problem = problem.related(at.span, "It is asked for here.");
            caller = at.caller.as_deref();
        }
        Refusal { kernel: loc, problem }
    };
    places.into_iter().map(refusal).collect()
}

/// Takes all derivatives by forward mode of functions without derivatives. Whether there were any.
fn forward_round(prog: &mut Prog<Soacs>) -> bool {
    let with = functions_with_derivatives(prog);
    rule::inline_in_forward(prog, &|body| is_plain(body, &with));
    let (b, mut funs) = start(prog);
    funs.values_mut().for_each(|fun| rule::in_body(&mut fun.body));
    let mut forward = Forward::new(b, &funs);
    let any = walk(prog, &mut |stm| {
        let at = point::of_bundle(stm, AdMode::Forward).or_else(|| point::of_one(stm, AdMode::Forward))?;
        is_plain(&at.lambda().body, &with).then(|| at.derived(&mut forward))
    });
    prog.funs.extend(derived_functions(&mut forward, &funs));
    prog.names = forward.b.names;
    any
}

/// The same by reverse mode.
fn reverse_round(prog: &mut Prog<Soacs>, options: Options, notes: &mut Vec<Note>) -> Round {
    let with = functions_with_derivatives(prog);
    let (b, funs) = start(prog);
    let mut reverse = Reverse::new(b, &funs, options);
    let any = walk(prog, &mut |stm| {
        let at = point::of_bundle(stm, AdMode::Reverse).or_else(|| point::of_one(stm, AdMode::Reverse))?;
        is_plain(&at.lambda().body, &with).then(|| at.reversed(&mut reverse))
    });
    prog.funs.extend(reverse.derived_functions(&funs));
    prog.names = reverse.b.names;
    notes.append(&mut reverse.notes);
    if !reverse.refused.is_empty() {
        let each = reverse.refused.into_iter().flat_map(|(loc, what)| refused(vec![loc], &what));
        return Round::Refused(each.collect());
    }
    match any {
        true => {
            legal::legal(prog);
            Round::Some
        }
        false => Round::Nothing,
    }
}

/// What makes code of a program, and its functions.
fn start(prog: &mut Prog<Soacs>) -> (Builder<Soacs>, FxHashMap<Name, FunDef<Soacs>>) {
    let mut b = Builder::new(std::mem::take(&mut prog.names));
    b.types = prog_types(prog);
    (b, prog.funs.iter().map(|f| (f.name, f.clone())).collect())
}

/// Puts statements in place of some. Whether there were any.
fn walk(prog: &mut Prog<Soacs>, instead: Instead<'_>) -> bool {
    let mut any = walk_body(&mut prog.consts, instead);
    for fun in &mut prog.funs {
        any |= walk_body(&mut fun.body, instead);
    }
    any
}

/// What comes in place of a statement, if anything.
type Instead<'f> = &'f mut dyn FnMut(&Stm<Soacs>) -> Option<Vec<Stm<Soacs>>>;

fn walk_body(body: &mut Body<Soacs>, instead: Instead<'_>) -> bool {
    fehu_ir::visit::deep(|| {
        let mut any = false;
        for mut stm in std::mem::take(&mut body.stms) {
            match instead(&stm) {
                Some(stms) => {
                    any = true;
                    body.stms.extend(stms);
                }
                None => {
                    map_bodies(&mut stm.exp, &mut |inner| any |= walk_body(inner, instead));
                    body.stms.push(stm);
                }
            }
        }
        any
    })
}

/// The functions in which derivatives are taken, be it by functions that they call.
fn functions_with_derivatives(prog: &Prog<Soacs>) -> FxHashSet<Name> {
    let mut with = FxHashSet::default();
    loop {
        let before = with.len();
        for fun in &prog.funs {
            if !is_plain(&fun.body, &with) {
                with.insert(fun.name);
            }
        }
        if with.len() == before {
            return with;
        }
    }
}

/// Whether a body takes no derivatives, and calls none of these functions.
fn is_plain(body: &Body<Soacs>, with: &FxHashSet<Name>) -> bool {
    let mut plain = true;
    for_each_stm(body, &mut |stm| match &stm.exp {
        Exp::Op(Soac::Ad(ad)) => plain &= ad.mode == AdMode::Rule,
        Exp::Call(f, _) => plain &= !with.contains(f),
        Exp::Op(_) | Exp::Basic(_) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => {}
    });
    plain
}

/// The functions that derived code calls, and those that they call.
fn derived_functions(forward: &mut Forward<'_>, funs: &FxHashMap<Name, FunDef<Soacs>>) -> Vec<FunDef<Soacs>> {
    let mut made = vec![];
    while let Some(key) = forward.wanted.pop() {
        let ((callee, active), bundles, lanes) = &key;
        let (Some(fun), Some(name)) = (funs.get(callee), forward.derived.get(&key)) else {
            fehu_base::bug!("a call of no function")
        };
        let (name, results) = (*name, forward.activity.calls.get(&key.0).cloned().unwrap_or_default());
        let fun = fehu_ir::subst::rename_fun(&mut forward.b.names, fun);
        forward.b.types.extend(fun_types(&fun));
        let params = fun.params.iter().zip(active);
        forward.active.extend(params.filter(|(_, active)| **active).map(|(p, _)| p.name));
        forward.activity.of_body(&forward.b.types, &fun.body, &mut forward.active);
        forward.lanes = *lanes;
        forward.bundle = bundles.then(|| forward.b.fresh("n", Type::I64).into());
        made.push(forward.fun(fun, name, &results));
    }
    made
}
