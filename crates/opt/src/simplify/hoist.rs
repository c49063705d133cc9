//! How far outside a statement may be put.
//!
//! A statement leaves the loops and lambdas on whose names it does not depend, if running it once more (when
//! they run zero times) is harmless: it cannot fail, it reads no element out of bounds, and it takes over no
//! memory. It leaves a branch only on the way out of a loop, and only if it is cheap, or if the branch is
//! taken by some of many points: then all that take it would compute the same.
//!
//! ```text
//! map (\i -> if f i then (scan (+) 0 sizes)[i] else 0) is       the sums are made once, not by each point
//! ```
//!
//! Views touch nothing, but what reads them may follow them out, and is not asked where the view came from:
//!
//! ```text
//! map (\i -> sum xs[:k] + i) (iota q)       with q = 0, `xs[:k]` need not be inside of `xs`
//! ```
//!
//! So a view leaves only if it is known to be inside of its array at the new place too. That its size is no
//! negative number must be known as well: what follows believes it.

use super::engine::Engine;
use super::frame::FrameKind;
use fehu_algebra::Poly;
use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::mem::poly;
use fehu_ir::op::{OpView, RepOp};
use fehu_ir::soac::Soac;
use fehu_ir::visit::for_each_body;
use fehu_ir::{Basic, Body, DimIndex, Exp, LoopForm, Purpose, Rep, Stm, SubExp, Type};

/// Statements in something that is moved as a whole, at most.
const MAX_MOVED: usize = 100;

impl<R: Rep<Dec = ()>> Engine<'_, R> {
    /// The level of the frame a statement is to be put into.
    pub(super) fn outermost_place(&self, stm: &Stm<R>) -> usize {
        let here = self.here();
        if here == 0 || !self.frames.iter().any(|f| f.kind == FrameKind::Repeated) || !may_move(stm) {
            return here;
        }
        let cheap = is_cheap(&stm.exp);
        if !cheap && size(stm, MAX_MOVED).is_none() {
            return here;
        }
        let needed = free_in_stm(stm).iter().map(|n| self.level(*n)).max().unwrap_or(0);
        let mut best = here;
        for level in (needed..here).rev() {
            match self.frames[level + 1].kind {
                FrameKind::Closed => break,
                FrameKind::Branch if !cheap && !self.is_of_some_points(level + 1) => break,
                FrameKind::Branch | FrameKind::Top => {}
                FrameKind::Repeated => best = level,
            }
        }
        while best < here && !(self.is_safe(stm, best) && self.is_fresh_enough(stm)) {
            // What is unsafe outside may be safe one loop further in.
            best += 1;
            while best < here && self.frames[best + 1].kind != FrameKind::Repeated {
                best += 1;
            }
        }
        best
    }

    /// The level of the frame a check is to be put into. One that is the same in each iteration is made once,
    /// before the loop: it need only hold if the loop runs at all.
    pub(super) fn place_check(&mut self, stm: &mut Stm<R>) -> usize {
        let here = self.here();
        // What holds is said where it is of use.
        if matches!(stm.exp, Exp::Basic(Basic::Assert(SubExp::Const(_), ..))) {
            return here;
        }
        let mut needed = free_in_stm(stm).iter().map(|n| self.level(*n)).max().unwrap_or(0);
        let mut level = here;
        let mut loops = vec![];
        while level > needed && self.frames[level].kind == FrameKind::Repeated {
            let Some((trips, ty)) = self.frames[level].trips else { break };
            if !self.frames[level - 1].facts.positive(&poly(trips)) {
                loops.push((trips, ty));
                needed = needed.max(trips.name().map_or(0, |n| self.level(n)));
            }
            level -= 1;
        }
        let Exp::Basic(Basic::Assert(cond, ..)) = &mut stm.exp else { return level };
        let mut ok = *cond;
        for (trips, ty) in loops.iter().copied() {
            let never = Exp::Basic(Basic::CmpOp(CmpOp::SLe(ty), trips, SubExp::int(ty, 0)));
            let (never, made) = self.fresh_stm("never", Type::BOOL, &stm.loc, never);
            self.put(made, level);
            let either = Exp::Basic(Basic::BinOp(BinOp::LogOr, ok, never.into()));
            let (either, made) = self.fresh_stm("ok", Type::BOOL, &stm.loc, either);
            self.put(made, level);
            ok = either.into();
        }
        let Exp::Basic(Basic::Assert(cond, _, purpose)) = &mut stm.exp else { return level };
        *cond = ok;
        match purpose {
            Purpose::Values | Purpose::Program => {}
            Purpose::Sizes { runs, .. } => runs.extend(loops.iter().map(|(trips, _)| *trips)),
        }
        level
    }

    /// Whether the branch at this level is taken by some of the points of a map, but not by others.
    fn is_of_some_points(&self, branch: usize) -> bool {
        let repeated = self.frames[..branch].iter().rposition(|f| f.kind == FrameKind::Repeated);
        let condition = self.frames[branch].condition.and_then(SubExp::name);
        let (Some(repeated), Some(condition)) = (repeated, condition) else { return false };
        self.frames[repeated].elementwise && self.level(condition) >= repeated
    }

    /// Arrays made anew in each iteration may be made once only if nobody takes over their memory.
    fn is_fresh_enough(&self, stm: &Stm<R>) -> bool {
        stm.pat.iter().all(|p| !p.ty.is_array() || !self.classes.is_consumed(p.name))
    }

    /// Whether a statement can run at the end of the frame at this level without harm.
    pub(crate) fn is_safe(&self, stm: &Stm<R>, level: usize) -> bool {
        match &stm.exp {
            Exp::Basic(Basic::Index(a, slice)) => self.in_bounds(*a, slice, &stm.certs, level),
            Exp::Basic(Basic::BinOp(op, _, y)) if op.is_partial() => self.is_nonzero(*y, &stm.certs, level),
            Exp::Basic(Basic::Iota { n, .. }) => self.are_sizes_at(&[*n], &stm.certs, level),
            Exp::Basic(Basic::Replicate(shape, _) | Basic::Scratch(_, shape)) => {
                self.are_sizes_at(shape, &stm.certs, level)
            }
            Exp::Basic(Basic::Reshape(shape, a)) => self.same_size(*a, shape, &stm.certs, level),
            Exp::Basic(Basic::FlatIndex(..)) => false,
            other @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => is_total(other) && self.views_hold(other, level),
        }
    }

    /// Whether the views inside of an expression are proven to be inside of their arrays without what holds
    /// around it here.
    fn views_hold(&self, exp: &Exp<R>, level: usize) -> bool {
        let mut hold = true;
        for_each_body(exp, &mut |b: &Body<R>| {
            hold = hold && b.stms.iter().all(|s| self.is_safe(s, level));
        });
        hold
    }

    /// Whether none of these can be negative at the end of the frame at this level.
    pub(super) fn are_sizes_at(&self, es: &[SubExp], certs: &[Name], level: usize) -> bool {
        let facts = self.facts_at(certs, level);
        es.iter().all(|e| facts.nonneg(&poly(*e)))
    }

    /// What holds at the end of the frame at this level if the certificates do.
    fn facts_at(&self, certs: &[Name], level: usize) -> fehu_algebra::Facts {
        let mut facts = self.frames[level].facts.clone();
        for c in certs {
            if let Some(def) = self.def(*c) {
                if let Exp::Basic(Basic::Assert(cond, ..)) = &*def.exp {
                    self.tell_condition(&mut facts, *cond);
                }
            }
        }
        facts
    }

    fn is_nonzero(&self, e: SubExp, certs: &[Name], level: usize) -> bool {
        if let SubExp::Const(_) = e {
            return e.as_i64().is_some_and(|v| v != 0);
        }
        self.frames[level].facts.ne(&poly(e), &Poly::zero())
            || certs.iter().any(|c| self.asserts_nonzero(*c, e))
    }

    /// Whether a certificate says that the operand is not zero.
    fn asserts_nonzero(&self, cert: Name, e: SubExp) -> bool {
        let Some(def) = self.def(cert) else { return false };
        let Exp::Basic(Basic::Assert(cond, ..)) = &*def.exp else { return false };
        let Some(cond) = self.pure_def(*cond) else { return false };
        let Exp::Basic(Basic::UnOp(UnOp::Not, eq)) = &*cond else { return false };
        let Some(eq) = self.pure_def(*eq) else { return false };
        match &*eq {
            Exp::Basic(Basic::CmpOp(CmpOp::Eq(PrimType::Int(_)), x, y)) => {
                (*x == e && y.as_i64() == Some(0)) || (*y == e && x.as_i64() == Some(0))
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                false
            }
        }
    }

    /// Whether a slice is proven to be inside the array, knowing what holds at the end of the frame at this
    /// level and what the certificates say.
    fn in_bounds(&self, a: Name, slice: &[DimIndex], certs: &[Name], level: usize) -> bool {
        let Some(ty) = self.types.get(&a) else { return false };
        let facts = self.facts_at(certs, level);
        slice.len() == ty.rank()
            && slice.iter().zip(ty.shape()).all(|(d, n)| {
                let n = poly(*n);
                match d {
                    DimIndex::Fix(i) => {
                        let i = poly(*i);
                        facts.nonneg(&i) && facts.lt(&i, &n)
                    }
                    DimIndex::Slice { start, len, stride } => {
                        let Some(step) = stride.as_i64() else { return false };
                        let (first, len) = (poly(*start), poly(*len));
                        let last = &first + &(&(&len - &Poly::one()) * &Poly::constant(step));
                        let (low, high) = if step < 0 { (last, first) } else { (first, last) };
                        facts.nonneg(&len) && facts.nonneg(&low) && facts.lt(&high, &n)
                    }
                }
            })
    }

    /// Whether an array is proven to have as many elements as this shape.
    fn same_size(&self, a: Name, shape: &[SubExp], certs: &[Name], level: usize) -> bool {
        let Some(ty) = self.types.get(&a) else { return false };
        let (old, new) = (ty.shape(), shape);
        let facts = self.facts_at(certs, level);
        let one_by_one =
            || old.len() == new.len() && old.iter().zip(new).all(|(a, b)| facts.eq(&poly(*a), &poly(*b)));
        let product = |dims: &[SubExp]| dims.iter().fold(Poly::one(), |all, d| &all * &poly(*d));
        new.iter().all(|n| facts.nonneg(&poly(*n)))
            && (one_by_one() || facts.eq(&product(old), &product(new)))
    }

    fn tell_condition(&self, facts: &mut fehu_algebra::Facts, cond: SubExp) {
        let Some(exp) = self.pure_def(cond) else { return };
        match &*exp {
            Exp::Basic(Basic::BinOp(BinOp::LogAnd, x, y)) => {
                self.tell_condition(facts, *x);
                self.tell_condition(facts, *y);
            }
            Exp::Basic(Basic::BinOp(BinOp::LogOr, x, y)) => {
                if self.is_false(facts, *y) {
                    self.tell_condition(facts, *x);
                } else if self.is_false(facts, *x) {
                    self.tell_condition(facts, *y);
                }
            }
            Exp::Basic(Basic::CmpOp(CmpOp::SLt(_), x, y)) => facts.assume_lt(&poly(*x), &poly(*y)),
            Exp::Basic(Basic::CmpOp(CmpOp::SLe(_), x, y)) => facts.assume_le(&poly(*x), &poly(*y)),
            Exp::Basic(Basic::CmpOp(CmpOp::Eq(PrimType::Int(_)), x, y)) => {
                facts.assume_eq(&poly(*x), &poly(*y))
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    }

    /// Whether a comparison is known not to hold.
    fn is_false(&self, facts: &fehu_algebra::Facts, cond: SubExp) -> bool {
        let Some(exp) = self.pure_def(cond) else { return false };
        match &*exp {
            Exp::Basic(Basic::CmpOp(CmpOp::SLe(_), x, y)) => facts.lt(&poly(*y), &poly(*x)),
            Exp::Basic(Basic::CmpOp(CmpOp::SLt(_), x, y)) => facts.le(&poly(*y), &poly(*x)),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                false
            }
        }
    }
}

/// Whether a statement may be moved at all: it takes over no memory, and is not marked as special.
pub(crate) fn may_move<R: Rep>(stm: &Stm<R>) -> bool {
    if !stm.attrs.is_empty() {
        return false;
    }
    match &stm.exp {
        Exp::Basic(b) => b.may_move() && !matches!(b, Basic::Scratch(..)),
        Exp::Call(..) | Exp::WithAcc(_) => false,
        Exp::If(..) => true,
        Exp::Loop(l) => l.params.iter().all(|(p, _)| !p.consumed),
        Exp::Op(op) => match op.view() {
            OpView::Soac(soac) => match soac {
                Soac::Screma(s) => s.map.params.iter().all(|p| !p.consumed),
                Soac::Filter(f) => f.lambda.params.iter().all(|p| !p.consumed),
                Soac::Hist(_) | Soac::Scatter(_) | Soac::Ad(_) => false,
            },
            OpView::Seg(_) | OpView::Size(_) | OpView::Alloc(..) => false,
        },
    }
}

/// Scalar code of a few instructions, and views.
fn is_cheap<R: Rep>(exp: &Exp<R>) -> bool {
    exp.basic().is_some_and(|b| b.may_move() && b.cost().is_within(1))
}

/// Whether an expression has a value whatever its operands are, by its form alone.
pub(crate) fn is_total<R: Rep>(exp: &Exp<R>) -> bool {
    match exp {
        Exp::Basic(b) => b.is_total(),
        Exp::Call(..) | Exp::WithAcc(_) => false,
        Exp::Loop(l) => matches!(l.form, LoopForm::For { .. }) && bodies_total(exp),
        Exp::If(..) => bodies_total(exp),
        Exp::Op(op) => match op.view() {
            OpView::Soac(Soac::Screma(_) | Soac::Filter(_)) => bodies_total(exp),
            OpView::Soac(Soac::Hist(_) | Soac::Scatter(_) | Soac::Ad(_))
            | OpView::Seg(_)
            | OpView::Size(_)
            | OpView::Alloc(..) => false,
        },
    }
}

fn bodies_total<R: Rep>(exp: &Exp<R>) -> bool {
    let mut total = true;
    for_each_body(exp, &mut |b: &Body<R>| total &= b.stms.iter().all(|s| total_stm(s)));
    total
}

fn total_stm<R: Rep>(stm: &Stm<R>) -> bool {
    is_total(&stm.exp)
}

/// How many statements there are in a statement, itself included; `None` if more than the limit. No more than
/// that are looked at.
pub(crate) fn size<R: Rep>(stm: &Stm<R>, limit: usize) -> Option<usize> {
    let mut left = limit;
    takes(stm, &mut left).then(|| limit - left)
}

/// Whether there are no more statements in a statement than are left.
fn takes<R: Rep>(stm: &Stm<R>, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    let mut all = true;
    for_each_body(&stm.exp, &mut |b: &Body<R>| all = all && b.stms.iter().all(|s| takes(s, left)));
    all
}
