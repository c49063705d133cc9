//! Copies that are done with before the original changes are not made.
//!
//! Before: any valid program. After: no copy that nobody writes to, and that is last used before the
//! memory of its original is taken over.
//!
//! ```text
//! let (ys : [n]i32) = copy(xs)                    let (s : i32) = screma n [xs] reduce ...
//! let (s : i32) = screma n [ys] reduce ...   =>   let (zs : [n]i32) = xs with [0i64] = s
//! let (zs : [n]i32) = xs with [0i64] = s
//! ```
//!
//! The simplifier forgets time, and keeps such copies. They come from maps that only hand on their elements, as those
//! of `zip`.

use crate::shallow::{operand, substitute, Replaced};
use fehu_analysis::Constants;
use fehu_base::Name;
use fehu_ir::alias::{Classes, Signatures};
use fehu_ir::consume::consumed_directly;
use fehu_ir::free::free_in_stm;
use fehu_ir::visit::{deep, for_each_body, for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, Exp, Prog, Rep, Soacs, Stm};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// The removal of short-lived copies as a pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "copies", need: Need::Optional, run: copies };

/// Removes copies that are done with before the original changes.
pub fn copies<R: Rep>(prog: &mut Prog<R>) {
    let callees = Signatures::of_prog(prog);
    let constants = Constants::of(&prog.consts);
    for fun in &mut prog.funs {
        let classes = Classes::of_fun(&callees, &constants.used_by(fun), fun);
        let mut walk =
            Walk { classes, callees: &callees, replaced: Replaced::default(), checks: FxHashMap::default() };
        walk.body(&mut fun.body);
    }
}

struct Walk<'a> {
    classes: Classes,
    callees: &'a Signatures,
    /// Copies that are gone.
    replaced: Replaced,
    /// The checks that some of them waited for. Now those wait that use them.
    checks: FxHashMap<Name, Vec<Name>>,
}

/// When the arrays of a class are used in a body, by numbers of statements.
#[derive(Default)]
struct Times {
    /// The last use of a class.
    last: FxHashMap<Name, usize>,
    /// Where memory of a class is taken over, in order.
    taken: FxHashMap<Name, Vec<usize>>,
}

impl Walk<'_> {
    fn body<R: Rep>(&mut self, b: &mut Body<R>) {
        deep(|| {
            let any = b.stms.iter().any(|stm| self.candidate(stm).is_some());
            let mut times = any.then(|| self.times(&b.stms, &b.result));
            let mut kept = Vec::with_capacity(b.stms.len());
            for (k, mut stm) in std::mem::take(&mut b.stms).into_iter().enumerate() {
                self.wait_for_checks(&mut stm);
                if let (Some(times), Some((copy, original))) = (&mut times, self.candidate(&stm)) {
                    let returned = b.result.contains(&copy.into());
                    if (stm.certs.is_empty() || !returned) && self.short(times, k, copy, original) {
                        if !stm.certs.is_empty() {
                            self.checks.insert(copy, std::mem::take(&mut stm.certs));
                        }
                        self.replaced.insert(copy, operand(&self.replaced, original.into()));
                        self.classes.union(copy, original);
                        continue;
                    }
                }
                substitute(&self.replaced, &mut stm);
                map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
                kept.push(stm);
            }
            b.stms = kept;
            for e in &mut b.result {
                *e = operand(&self.replaced, *e);
            }
        });
    }

    /// Lets a statement wait for the checks of the copies that it has used.
    fn wait_for_checks<R: Rep>(&self, stm: &mut Stm<R>) {
        if self.checks.is_empty() {
            return;
        }
        for n in free_in_stm(stm) {
            for check in self.checks.get(&n).into_iter().flatten() {
                if !stm.certs.contains(check) {
                    stm.certs.push(*check);
                }
            }
        }
    }

    /// A copy that nobody writes to, of an array that someone does.
    fn candidate<R: Rep>(&self, stm: &Stm<R>) -> Option<(Name, Name)> {
        let (Exp::Basic(Basic::Copy(a)), [p]) = (&stm.exp, &stm.pat[..]) else { return None };
        let plain = stm.attrs.is_empty();
        let apart = self.classes.find(*a) != self.classes.find(p.name);
        (plain && apart && !self.classes.is_consumed(p.name)).then_some((p.name, *a))
    }

    /// Whether a copy made by this statement is last used before its original is taken over. Notes that the
    /// original is used for longer then.
    fn short(&self, times: &mut Times, k: usize, copy: Name, original: Name) -> bool {
        let (copy, original) = (self.classes.find(copy), self.classes.find(original));
        let last = times.last.get(&copy).copied().unwrap_or(k);
        let taken = times.taken.get(&original).map_or(&[][..], Vec::as_slice);
        let next = taken.get(taken.partition_point(|t| *t <= k)).copied();
        let in_time = last < next.unwrap_or(usize::MAX);
        if in_time {
            let now = times.last.entry(original).or_insert(last);
            *now = last.max(*now);
        }
        in_time
    }

    fn times<R: Rep>(&self, stms: &[Stm<R>], result: &[fehu_ir::SubExp]) -> Times {
        let mut times = Times::default();
        for (k, stm) in stms.iter().enumerate() {
            for n in free_in_stm(stm) {
                if self.classes.is_known(n) {
                    times.last.insert(self.classes.find(n), k);
                }
            }
            let mut taken = |exp: &Exp<R>| {
                for n in consumed_directly(self.callees, exp) {
                    let at = times.taken.entry(self.classes.find(n)).or_default();
                    if at.last() != Some(&k) {
                        at.push(k);
                    }
                }
            };
            taken(&stm.exp);
            for_each_body(&stm.exp, &mut |b| for_each_stm(b, &mut |s| taken(&s.exp)));
        }
        for n in result.iter().filter_map(|e| e.name()) {
            times.last.insert(self.classes.find(n), usize::MAX);
        }
        times
    }
}
