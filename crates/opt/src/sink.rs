//! Sinking: what only one branch needs is computed in it.
//!
//! Before: any valid program. After: no statement that can be moved stands
//! before a conditional if its results are used in only one of the branches.
//!
//! ```text
//! let (y : f64) = exp(x)                                let (z : f64) = if c then {
//! let (z : f64) = if c then {return (y)}        =>        let (y : f64) = exp(x)  return (y)
//!                 else {return (0f64)}                  } else {return (0f64)}
//! ```
//!
//! Only pure statements move, and only past statements that consume nothing:
//! an array is then read later than before, but not after it is gone.

mod scopes;

use self::scopes::{Kind, Scopes};
use fehu_analysis::Constants;
use fehu_base::Name;
use fehu_ir::alias::{Classes, Signatures};
use fehu_ir::free::free_in_stm;
use fehu_ir::visit::{deep, map_bodies, Visitor};
use fehu_ir::{Body, Exp, Prog, Rep, Soacs, Stm};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// Sinking as a pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "sink", need: Need::Optional, run: sink };

/// Moves statements into the only branch that needs them.
pub fn sink<R: Rep>(prog: &mut Prog<R>) {
    let sigs = Signatures::of_prog(prog);
    let constants = Constants::of(&prog.consts);
    for fun in &mut prog.funs {
        let classes = &Classes::of_fun(&sigs, &constants.used_by(fun), fun);
        let mut sink = Sink { classes, scopes: Scopes::default(), used: FxHashMap::default(), kept: vec![] };
        let outermost = sink.scope(None, Kind::Barrier);
        sink.apart(outermost, &mut fun.body);
    }
}

/// One walk from the end of a function to its beginning, so that all uses of a name, and what happens to
/// them, are known before the statement that computes it: a statement that moves takes the uses it makes
/// along.
struct Sink<'a, R: Rep> {
    classes: &'a Classes,
    scopes: Scopes,
    /// The innermost scope that has all uses of a name.
    used: FxHashMap<Name, usize>,
    /// The statements of each scope, the last first.
    kept: Vec<Vec<Kept<R>>>,
}

/// A statement; if it is a conditional, its branches are empty, and their statements are in these scopes.
struct Kept<R: Rep> {
    stm: Stm<R>,
    branches: Option<[usize; 2]>,
}

impl<R: Rep> Sink<'_, R> {
    fn scope(&mut self, parent: Option<usize>, kind: Kind) -> usize {
        self.kept.push(vec![]);
        self.scopes.add(parent, kind)
    }

    /// A body into which nothing moves from outside.
    fn apart(&mut self, scope: usize, b: &mut Body<R>) {
        self.body(scope, b);
        b.stms = self.assemble(scope);
    }

    fn body(&mut self, scope: usize, b: &mut Body<R>) {
        b.result.iter().filter_map(|e| e.name()).for_each(|n| self.add(n, scope));
        for stm in std::mem::take(&mut b.stms).into_iter().rev() {
            let place = match self.place(scope, &stm) {
                Some(branch) if may_sink(self.classes, &stm) => branch,
                Some(_) | None => scope,
            };
            deep(|| self.stm(place, stm));
        }
    }

    /// The branch inside of a scope that has all uses of what a statement computes.
    fn place(&self, scope: usize, stm: &Stm<R>) -> Option<usize> {
        let uses = stm.pat.iter().filter_map(|p| self.used.get(&p.name).copied());
        let common = uses.reduce(|a, b| self.scopes.common(a, b))?;
        let place = self.scopes.within_barrier(scope, common);
        (place != scope).then_some(place)
    }

    fn stm(&mut self, scope: usize, mut stm: Stm<R>) {
        let mut own = Own(vec![]);
        own.stm(&stm);
        own.0.into_iter().for_each(|n| self.add(n, scope));
        let branches = match &mut stm.exp {
            Exp::If(_, t, f) => Some([t, f].map(|branch| {
                let inner = self.scope(Some(scope), Kind::Branch);
                self.body(inner, branch);
                inner
            })),
            exp @ (Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_)) => {
                map_bodies(exp, &mut |b| {
                    let inner = self.scope(Some(scope), Kind::Barrier);
                    self.apart(inner, b);
                });
                None
            }
        };
        self.kept[scope].push(Kept { stm, branches });
    }

    fn add(&mut self, n: Name, scope: usize) {
        let place = self.used.entry(n).or_insert(scope);
        *place = self.scopes.common(*place, scope);
    }

    fn assemble(&mut self, scope: usize) -> Vec<Stm<R>> {
        let kept = std::mem::take(&mut self.kept[scope]);
        let whole = |mut kept: Kept<R>| {
            if let (Exp::If(_, t, f), Some(scopes)) = (&mut kept.stm.exp, kept.branches) {
                [t, f].into_iter().zip(scopes).for_each(|(b, s)| b.stms = deep(|| self.assemble(s)));
            }
            kept.stm
        };
        kept.into_iter().rev().map(whole).collect()
    }
}

/// The names that a statement uses outside of the bodies in it.
struct Own(Vec<Name>);

impl<R: Rep> Visitor<R> for Own {
    fn name(&mut self, n: &Name) {
        self.0.push(*n);
    }
    fn body(&mut self, _: &Body<R>) {}
}

/// Whether a statement is pure and reads no array that anyone consumes. Checks stay: what they guard may
/// be elsewhere, and they should fail early.
fn may_sink<R: Rep>(classes: &Classes, stm: &Stm<R>) -> bool {
    if !stm.attrs.is_empty() {
        return false;
    }
    let movable = match &stm.exp {
        Exp::Basic(b) => b.may_move(),
        Exp::If(..) | Exp::Op(_) => true,
        Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) => false,
    };
    let arrays_safe = |n: &Name| !classes.is_known(*n) || !classes.is_consumed(*n);
    movable
        && stm.pat.iter().all(|p| !p.ty.is_array() || !classes.is_consumed(p.name))
        && free_in_stm(stm).iter().all(arrays_safe)
}
