//! Whether some arrays, the *source*, may be moved into memory that others, the *destination*, use.
//!
//! Once they are there, every write to the source must come after all uses of the destination at the same
//! place: a use that comes later would see the source, or overwrite it. [`Order`] walks backwards over the
//! statements, collects what the destination's arrays read and write (the *later uses*) as sets of places,
//! and compares them with each write to the source.
//!
//! - The iterations of a loop are walked once. What the iterations after an iteration use, with its index
//!   renamed, must not meet what that iteration writes.
//! - The points of a parallel operation run in any order: uses of any other point must not meet what a point
//!   writes. At one point, reads come before the writes of its results.
//! - Uses leave a loop or operation as the union over all indices. Places that depend on anything else inside
//!   are widened to the whole array, or to the whole block.
//!
//! ```text
//! let (s : i32) = ys[1, i]                         later uses {m + i};      uses come before all writes: fine
//! let (xs : [m]i32) = replicate [m] s              writes 0 + {(m : 1)};    must not meet {m + j}, {2m + {(m : 1)}}
//! let (t : i32) = ys[1, j]                         later uses {m + j, 2m + {(m : 1)}}
//! let (zs : [m]i32) = copy(ys[2])                  later uses {2m + {(m : 1)}}
//! let (ys' : ...) = ys with [0, 0 :+ m] = xs
//! ```

use crate::access::{accesses, Access, Kind, Part};
use crate::known::remainder_of;
use crate::Known;
use fehu_algebra::{Facts, Poly, Sym};
use fehu_base::Name;
use fehu_ir::mem::{poly, sym, Lmad, MemOp};
use fehu_ir::seg::{KernelReturn, SegKind, SegOp};
use fehu_ir::visit::{deep, for_each_body, for_each_lambda};
use fehu_ir::{Body, Exp, Loop, LoopForm, Memory, PatElem, Stm, SubExp};
use fehu_lmad::{disjoint, injective, Summary};
use rustc_hash::FxHashSet;

/// To which side an array belongs.
#[derive(Clone, Debug)]
pub enum Side {
    /// Neither.
    None,
    /// The source: its index function in the destination's block, once it is there.
    Source(Lmad),
    /// The destination: its index function.
    Destination(Lmad),
}

/// The question; see the module's text.
pub struct Order<'a> {
    /// What is known of the function.
    pub known: &'a Known,
    /// To which side an array or a block belongs. A block of the destination, passed on, has any index function.
    pub side: &'a dyn Fn(Name) -> Side,
}

/// What a piece of code does: the uses of the destination, and the writes to the source.
#[derive(Clone, Debug)]
pub struct Uses {
    /// All uses of the destination.
    pub used: Summary,
    /// Those of them that write.
    pub overwritten: Summary,
    /// The writes to the source.
    pub written: Summary,
}

impl Uses {
    /// Nothing is used.
    pub fn nothing() -> Uses {
        Uses { used: Summary::nothing(), overwritten: Summary::nothing(), written: Summary::nothing() }
    }

    fn map(self, f: impl Fn(Summary) -> Summary) -> Uses {
        Uses { used: f(self.used), overwritten: f(self.overwritten), written: f(self.written) }
    }

    fn join(&mut self, facts: &Facts, other: Uses) {
        add_all(facts, &mut self.used, other.used);
        add_all(facts, &mut self.overwritten, other.overwritten);
        add_all(facts, &mut self.written, other.written);
    }
}

/// Names bound inside of the current statement that places must not mention when they leave it; indices may
/// be there until they are expanded.
#[derive(Clone, Default)]
struct Inside {
    bound: FxHashSet<Name>,
    indices: FxHashSet<Name>,
}

impl Order<'_> {
    /// Walks backwards over statements, whose facts these are. `uses` is what comes after them, and what they
    /// do is added. Whether every write to the source is safe.
    pub fn stms(&self, facts: &Facts, stms: &[Stm<Memory>], uses: &mut Uses) -> bool {
        self.backwards(facts, &Inside::default(), stms, uses)
    }

    fn backwards(&self, facts: &Facts, inside: &Inside, stms: &[Stm<Memory>], uses: &mut Uses) -> bool {
        deep(|| stms.iter().rev().all(|stm| self.stm(facts, inside, stm, uses)))
    }

    fn stm(&self, facts: &Facts, inside: &Inside, stm: &Stm<Memory>, uses: &mut Uses) -> bool {
        match &stm.exp {
            Exp::If(c, t, f) => {
                let mut both = uses.clone();
                for (body, taken) in [(t, true), (f, false)] {
                    if body.stms.is_empty() {
                        continue;
                    }
                    let facts = self.known.in_branch(facts, *c, taken, body);
                    let inside = inside.with(body, []);
                    let mut branch = uses.clone();
                    if !self.backwards(&facts, &inside, &body.stms, &mut branch) {
                        return false;
                    }
                    both.join(&facts, branch);
                }
                *uses = both;
                true
            }
            Exp::Loop(l) => self.loop_(facts, inside, l, uses),
            Exp::Op(MemOp::Seg(seg)) => self.seg(facts, inside, (stm, seg), uses),
            Exp::WithAcc(w) => {
                let inner = inside.with(&w.lambda.body, w.lambda.params.iter().map(|p| p.name));
                let operators: Vec<&Body<Memory>> =
                    w.inputs.iter().filter_map(|i| i.op.as_ref()).map(|(l, _)| &l.body).collect();
                self.lambdas_use_nothing(&operators)
                    && self.direct(facts, inside, &accesses(&self.known.callees, stm), uses)
                    && self.backwards(facts, &inner, &w.lambda.body.stms, uses)
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::Op(_) => {
                self.direct(facts, inside, &accesses(&self.known.callees, stm), uses)
            }
        }
    }

    /// A statement that touches memory itself. It may read and write in any order, so that its own uses count as later
    /// ones, unless every element is where it was.
    fn direct(&self, facts: &Facts, inside: &Inside, list: &[Access], uses: &mut Uses) -> bool {
        let mut own = Uses::nothing();
        for access in list {
            self.access(facts, inside, access, &mut own);
        }
        if own.used.is_nothing() && own.written.is_nothing() {
            return true;
        }
        if !own.written.is_nothing() {
            let meets_itself =
                !own.written.disjoint(facts, &own.used) && !self.stays_in_place(facts, inside, list);
            if meets_itself || !own.written.disjoint(facts, &uses.used) {
                return false;
            }
        }
        uses.join(facts, own);
        true
    }

    /// Whether each write to the source goes through the same places in the same order as each use of the
    /// destination that it meets, and belongs to it: results of a point are copied one after the other. The
    /// same set of places is not enough: `xs[k:] ++ xs[:k]` and `reverse xs` have that of `xs`.
    fn stays_in_place(&self, facts: &Facts, inside: &Inside, list: &[Access]) -> bool {
        let (mut used, mut written) = (vec![], vec![]);
        for access in list {
            match (self.side)(access.array) {
                Side::Source(lmad) if access.kind == Kind::Write => {
                    written.push((access.copy, inside.visible(facts, &access.part, &lmad)));
                }
                Side::Destination(lmad) => {
                    used.push((access.copy, inside.visible(facts, &access.part, &lmad)));
                }
                Side::Source(_) | Side::None => {}
            }
        }
        written.iter().all(|(to, w)| {
            used.iter().all(|(from, u)| match (w, u) {
                (Some(w), Some(u)) => (to == from && w == u) || disjoint(facts, w, u),
                (None, _) | (_, None) => false,
            })
        })
    }

    fn access(&self, facts: &Facts, inside: &Inside, access: &Access, own: &mut Uses) {
        match (self.side)(access.array) {
            Side::None => {}
            Side::Source(lmad) => {
                if access.kind == Kind::Write {
                    add(facts, &mut own.written, inside.visible(facts, &access.part, &lmad));
                }
            }
            Side::Destination(lmad) => {
                let places = inside.visible(facts, &access.part, &lmad);
                if access.kind == Kind::Write {
                    add(facts, &mut own.overwritten, places.clone());
                }
                add(facts, &mut own.used, places);
            }
        }
    }

    fn loop_(&self, facts: &Facts, inside: &Inside, l: &Loop<Memory>, uses: &mut Uses) -> bool {
        let inner = self.known.in_loop(facts, l);
        let params = l.params.iter().map(|(p, _)| p.name);
        let mut within = inside.with(&l.body, params);
        let index = match &l.form {
            LoopForm::For { var, bound, .. } => {
                within.indices.insert(*var);
                Some((*var, *bound))
            }
            LoopForm::While(_) => None,
        };
        let mut once = Uses::nothing();
        if !self.backwards(&inner, &within, &l.body.stms, &mut once) {
            return false;
        }
        let across = once.written.is_nothing()
            || match index {
                Some((i, bound)) => self.later_iterations_apart(&inner, &once, i, bound),
                None => once.written.disjoint(&inner, &once.used),
            };
        if !across {
            return false;
        }
        let total = once.map(|s| match index {
            Some((i, bound)) => over(&inner, s, i, bound),
            None => s,
        });
        self.leave(facts, total, uses)
    }

    /// Whether what an iteration writes is used by no later one.
    fn later_iterations_apart(&self, facts: &Facts, once: &Uses, i: Name, bound: SubExp) -> bool {
        let next = fresh(0);
        let mut later = facts.clone();
        later.assume_lt(&Poly::var(sym(i)), &Poly::var(next));
        later.assume_lt(&Poly::var(next), &poly(bound));
        let used = once.used.subst_all(|x| (x == sym(i)).then(|| Poly::var(next)));
        once.written.disjoint(&later, &used)
    }

    /// What a loop or operation does in all, before what comes after it.
    fn leave(&self, facts: &Facts, total: Uses, uses: &mut Uses) -> bool {
        if !total.written.disjoint(facts, &uses.used) {
            return false;
        }
        uses.join(facts, total);
        true
    }

    fn seg(
        &self,
        facts: &Facts,
        inside: &Inside,
        (stm, seg): (&Stm<Memory>, &SegOp<Memory>),
        uses: &mut Uses,
    ) -> bool {
        let inner = self.known.in_points(facts, &seg.space, &seg.body.body);
        let mut within = inside.with(&seg.body.body, [seg.space.flat]);
        within.indices.extend(seg.space.dims.iter().map(|d| d.0));
        let mut operators = vec![];
        for_each_lambda(&stm.exp, &mut |l| operators.push(l.body.clone()));
        if !self.lambdas_use_nothing(&operators.iter().collect::<Vec<_>>()) {
            return false;
        }
        let mut point = Uses::nothing();
        let results = point_results(seg, &stm.pat);
        let ends_well = self.direct(&inner, &within, &results, &mut point)
            && self.direct(&inner, &within, &accesses(&self.known.callees, stm), &mut point)
            && self.backwards(&inner, &within, &seg.body.body.stms, &mut point);
        if !ends_well {
            return false;
        }
        if !point.written.is_nothing() && !self.others_apart(&inner, seg, &point) {
            return false;
        }
        let mut total = point;
        for (i, n) in &seg.space.dims {
            total = total.map(|s| over(&inner, s, *i, *n));
        }
        self.leave(facts, total, uses)
    }

    /// Whether what a point writes is used by no other point.
    fn others_apart(&self, facts: &Facts, seg: &SegOp<Memory>, point: &Uses) -> bool {
        let (Summary::Parts(written), Summary::Parts(used)) = (&point.written, &point.used) else {
            return point.written.disjoint(facts, &point.used);
        };
        // Each point of a map reads before it writes: it is done by one thread, or by a block that waits
        // before each of its writes.
        let in_order = matches!(seg.kind, SegKind::Map);
        written.iter().all(|w| {
            used.iter().all(|u| {
                (in_order && w == u && self.injective(facts, seg, w))
                    || seg
                        .space
                        .dims
                        .iter()
                        .try_fold(u.clone(), |l, (i, n)| whole(facts, &l, *i, *n))
                        .is_some_and(|u| disjoint(facts, w, &u))
                    || (in_order && self.other_points_apart(facts, seg, w, u))
            })
        })
    }

    /// Whether different points have different places.
    fn injective(&self, facts: &Facts, seg: &SegOp<Memory>, places: &Lmad) -> bool {
        let dims = &seg.space.dims;
        let all = dims.iter().try_fold(places.clone(), |l, (i, n)| {
            let count = facts.normalise(&poly(*n));
            l.expand(facts, sym(*i), &Poly::zero(), &count)
        });
        all.is_some_and(|all| injective(facts, &all))
    }

    /// Whether no point writes what another one uses. That differs first in some dimension: its index is
    /// smaller there, or larger.
    fn other_points_apart(&self, facts: &Facts, seg: &SegOp<Memory>, written: &Lmad, used: &Lmad) -> bool {
        let dims = &seg.space.dims;
        let renamed = |k: usize, x: Sym| {
            let at = dims.iter().position(|d| sym(d.0) == x)?;
            (at >= k).then(|| Poly::var(fresh(at)))
        };
        (0..dims.len()).all(|k| {
            let other = used.subst_all(|x| renamed(k, x));
            let (own, theirs) = (Poly::var(sym(dims[k].0)), Poly::var(fresh(k)));
            let mut cases = [(&own, &theirs), (&theirs, &own)].into_iter();
            cases.all(|(less, more)| {
                let mut facts = facts.clone();
                for (j, (_, n)) in dims.iter().enumerate().skip(k) {
                    facts.assume_index(fresh(j), &Poly::zero(), &poly(*n));
                }
                facts.assume_lt(less, more);
                disjoint(&facts, written, &other)
            })
        })
    }

    /// Whether operators have nothing to do with either side.
    fn lambdas_use_nothing(&self, bodies: &[&Body<Memory>]) -> bool {
        bodies.iter().all(|body| {
            body.stms.iter().all(|stm| {
                let mut fine = accesses(&self.known.callees, stm)
                    .iter()
                    .all(|a| matches!((self.side)(a.array), Side::None));
                for_each_body(&stm.exp, &mut |b| fine &= self.lambdas_use_nothing(&[b]));
                fine
            })
        })
    }
}

impl Inside {
    /// With what a body binds, and some other names.
    fn with(&self, body: &Body<Memory>, also: impl IntoIterator<Item = Name>) -> Inside {
        let mut inside = self.clone();
        inside.bound.extend(body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name));
        inside.bound.extend(also);
        inside
    }

    /// The places of a part of an array, or more, in terms of indices and of what is bound outside. `None`
    /// for any place.
    fn visible(&self, facts: &Facts, part: &Part, lmad: &Lmad) -> Option<Lmad> {
        let seen = |l: Lmad| {
            let l = l.map_parts(|p| facts.normalise(p));
            let hidden = |x: &Sym| {
                self.bound.contains(&remainder_of(*x).unwrap_or_else(|| fehu_ir::mem::sym_name(*x)))
            };
            (l.is_known() && !l.vars().iter().any(hidden)).then_some(l)
        };
        part.of(lmad).and_then(seen).or_else(|| match part {
            Part::Anywhere => None,
            Part::Whole | Part::Slice(_) | Part::Flat(_) => seen(lmad.clone()),
        })
    }
}

/// What a point does with its results: it reads those that are arrays, and writes all of them.
fn point_results(seg: &SegOp<Memory>, pat: &[PatElem<Memory>]) -> Vec<Access> {
    let mut found = vec![];
    let add = |found: &mut Vec<Access>, array: Name, kind: Kind, part: Part, copy: usize| {
        found.push(Access { array, kind, part, copy });
    };
    let result = &seg.body.body.result;
    for (copy, e) in result.iter().enumerate() {
        if let SubExp::Var(n) = e {
            add(&mut found, *n, Kind::Read, Part::Whole, copy);
        }
    }
    // What is combined is no copy of anything.
    let combined = result.len();
    if let SegKind::Hist(ops) = &seg.kind {
        for n in ops.iter().flat_map(|op| &op.dests).chain(pat.iter().map(|p| &p.name)) {
            add(&mut found, *n, Kind::Write, Part::Whole, combined);
        }
        return found;
    }
    let leading = seg.leading();
    for p in pat.iter().take(leading) {
        add(&mut found, p.name, Kind::Write, Part::Whole, combined);
    }
    let index: Vec<_> = seg.space.dims.iter().map(|d| fehu_lmad::SliceDim::Fix(poly(d.0.into()))).collect();
    let mut elems = pat.iter().skip(leading);
    let mut written: Vec<Name> = vec![];
    let after = seg.after().map_or(0, |a| a.returns.len());
    for (k, (_, ret)) in seg.kept().enumerate() {
        let copy = if k < after { combined } else { seg.combined() + k - after };
        match ret {
            KernelReturn::Elem => {
                elems.next().into_iter().for_each(|p| {
                    add(&mut found, p.name, Kind::Write, Part::Slice(index.clone()), copy);
                });
            }
            KernelReturn::Write { array, .. } => {
                if !written.contains(array) {
                    written.push(*array);
                    elems.next();
                }
                add(&mut found, *array, Kind::Write, Part::Whole, copy);
            }
        }
    }
    found
}

/// A variable that no name of a program stands for.
fn fresh(k: usize) -> Sym {
    Sym(u32::MAX / 2 + k as u32)
}

/// All places while an index runs below a bound.
fn over(facts: &Facts, s: Summary, i: Name, bound: SubExp) -> Summary {
    if !s.mentions(sym(i)) {
        return s;
    }
    s.expand(facts, sym(i), &Poly::zero(), &facts.normalise(&poly(bound)))
}

fn whole(facts: &Facts, l: &Lmad, i: Name, bound: SubExp) -> Option<Lmad> {
    match l.mentions(sym(i)) {
        true => l.expand(facts, sym(i), &Poly::zero(), &facts.normalise(&poly(bound))),
        false => Some(l.clone()),
    }
}

fn add(facts: &Facts, s: &mut Summary, places: Option<Lmad>) {
    match places {
        Some(places) => s.add(facts, &places),
        None => *s = Summary::Everything,
    }
}

fn add_all(facts: &Facts, s: &mut Summary, other: Summary) {
    match other {
        Summary::Everything => *s = Summary::Everything,
        Summary::Parts(parts) => parts.iter().for_each(|l| s.add(facts, l)),
    }
}
