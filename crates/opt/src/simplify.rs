//! The simplifier.
//!
//! Before: any valid program. After: an equivalent one in which constants are
//! folded, names stand for themselves, trivial loops, branches and combinators
//! are gone, invariant code is outside of loops and lambdas, checks that
//! always hold are gone, and everything bound is used.
//!
//! ```text
//! let (a : i64) = add_i64(n, 0i64)                let (x : i32) = xs[i]
//! let (is : [a]i64) = iota i64 (a, 0, 1)     =>
//! let (j : i64) = is[i]
//! let (x : i32) = xs[j]
//! ```
//!
//! One round is a walk forwards (`simplify/engine.rs`), which applies the rules
//! of `simplify/rules.rs`, and a walk backwards ([`crate::dce`]). Rounds repeat
//! until one changes nothing, and at most [`MAX_ROUNDS`] times; each takes time
//! about linear in the size of the program.

mod choices;
mod engine;
mod frame;
mod hoist;
mod known;
mod rules;
mod steady;

use crate::dce::{self, Checks};
use engine::Engine;
use fehu_analysis::Constants;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Classes, Signatures};
use fehu_ir::visit::{look, Visitor};
use fehu_ir::{Body, FunDef, Kernels, Prog, Rep, Soacs};
use fehu_pass::{Need, Pass};
pub(crate) use hoist::is_total;
pub(crate) use hoist::may_move;
use rustc_hash::FxHashMap;

/// Rounds on one function, at most.
const MAX_ROUNDS: usize = 10;

/// The simplifier as a pass over combinators.
pub static SOACS: Pass<Prog<Soacs>> = Pass { name: "simplify", need: Need::Optional, run: simplify };

/// The same over segmented operations.
pub static KERNELS: Pass<Prog<Kernels>> = Pass { name: "simplify", need: Need::Optional, run: simplify };

/// The simplifier for flattened programs, where checks stand by themselves and all of them stay.
pub static FLATTENED: Pass<Prog<Kernels>> =
    Pass { name: "simplify", need: Need::Optional, run: |prog| simplify_keeping(prog, Checks::Effects) };

/// Simplifies a program; checks that nothing depends on go.
pub fn simplify<R: Rep<Dec = ()>>(prog: &mut Prog<R>) {
    simplify_keeping(prog, Checks::Results);
}

fn simplify_keeping<R: Rep<Dec = ()>>(prog: &mut Prog<R>, checks: Checks) {
    let sigs = Signatures::of_prog(prog);
    simplify_consts(prog, &sigs);
    let constants = Constants::of(&prog.consts);
    for fun in &mut prog.funs {
        let consts = constants.used_by(fun);
        simplify_fun(&mut prog.names, &sigs, &consts, fun, checks);
    }
    dce::consts(prog, checks);
}

/// The constants: what functions call them by must be replaced in functions too.
fn simplify_consts<R: Rep<Dec = ()>>(prog: &mut Prog<R>, sigs: &Signatures) {
    if prog.consts.stms.is_empty() {
        return;
    }
    let classes = Classes::of_body(sigs, &prog.consts);
    // Each is used in ways not looked at here.
    let mut engine = Engine::new(&mut prog.names, classes, FxHashMap::default());
    let body = engine::take(&mut prog.consts);
    prog.consts = engine.top(&[], body);
    let subst = engine.substitution();
    for fun in &mut prog.funs {
        subst.body(&mut fun.body);
    }
}

fn simplify_fun<R: Rep<Dec = ()>>(
    names: &mut NameSource,
    sigs: &Signatures,
    consts: &Body<R>,
    fun: &mut FunDef<R>,
    checks: Checks,
) {
    for _ in 0..MAX_ROUNDS {
        let classes = Classes::of_fun(sigs, consts, fun);
        let mut engine = Engine::new(names, classes, uses(fun));
        engine.know_consts(consts);
        engine.steady = steady::steady(fun);
        if fun.entry.is_some() {
            engine.know_arguments(&fun.params);
        }
        let body = engine::take(&mut fun.body);
        fun.body = engine.top(&fun.params, body);
        let changed = engine.changed;
        let cleaned = dce::fun(fun, checks);
        if !changed && !cleaned {
            break;
        }
    }
}

/// How often each name is used.
#[derive(Default)]
struct Uses(FxHashMap<Name, usize>);

impl<R: Rep> Visitor<R> for Uses {
    fn name(&mut self, n: &Name) {
        *self.0.entry(*n).or_default() += 1;
    }
}

fn uses<R: Rep>(fun: &FunDef<R>) -> FxHashMap<Name, usize> {
    let mut count = Uses::default();
    look::fun::<R>(&mut count, fun);
    count.0
}
