//! Several iterations of a loop over vectors in one kernel.
//!
//! A block has a part of the vector in shared memory, one element for each thread, and computes it again and
//! again, from one of two places to the other. With each step, `r` elements fewer at each end are complete:
//! those in the middle, which are the block's own, are after the last step.
//!
//! ```text
//! loop (a) for s < n { row = (s + 1) * w;  segmap (i < w) { min(a[i - 1], a[i]) + costs[row + i] } }      line(16 of [a], radius 1, block 256, ahead [costs])
//!   ==>
//! for g < ceil(n / 16) {
//!   blocks of 256 threads:
//!     i = (block * 224 - 16 + thread) mod w
//!     part[0][thread] = a[i]
//!     for k < 16 { ahead[k] = costs[(16 * g + k + 1) * w + i] }
//!     barrier
//!     for k < 16 {
//!       if 16 * g + k < n and k < thread < 255 - k {
//!         x = min(part[k % 2][thread - 1], part[k % 2][thread]) + ahead[k]
//!         if it is the last step { if the element is the block's own { out[i] = x } } else { part[(k + 1) % 2][thread] = x } }
//!       barrier
//!     }
//! }
//! ```
//!
//! The body of the map is the program's own, with the indices of the vector, so that results are the same bit
//! by bit. The part of a block goes around the ends of the vector: every element of it is one of the vector,
//! and what is close to it around an end is close to it in shared memory, too. So an element that a point
//! reads is found by the distance between its index and the point's, less the vector's size if that is
//! nearer. Blocks all of whose points are inside of the vector (`kernels/inside`) need not look for ends.
//!
//! What the loop computes before the map from its counter, threads compute for each step; what it checks, the
//! host checks before it launches the kernel. Arrays that the loop does not change are read before the first
//! step, since threads would wait for them in every step otherwise.

use super::choice::{self, Quantities};
use super::iterations::{bind, set_counter, within, Circle, Iterations};
use super::map::Inside;
use crate::translate::kernel::{point, size};
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_algebra::Poly;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::mem::{poly, Lmad, MemOp};
use fehu_ir::schedule::{Choice, Line, Plan, Quantity, Schedule};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::map_bodies;
use fehu_ir::{Basic, Body, DimIndex, Exp, Loop, LoopForm, Memory, PatElem, Stm, SubExp, Type};
use fehu_lmad::Dim;
use rustc_hash::FxHashMap;

/// A loop whose iterations are done several at a time if the conditions of its plan hold; false if it has no
/// such plan. Its parameters are set.
pub(crate) fn line_loop(t: &mut HostCode, l: &Loop<Memory>) -> bool {
    let LoopForm::For { var, ty, bound } = l.form else { return false };
    let Some((stm, before)) = l.body.stms.split_last() else { return false };
    let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { return false };
    let Some(schedule) = &seg.schedule else { return false };
    let [Choice { when, plan: Plan::Line(plan) }, others @ ..] = schedule.choices.as_slice() else {
        return false;
    };
    let [(_, width)] = seg.space.dims.as_slice() else { bug!("a line of no vector") };
    size::add_params(t, schedule);
    let width = t.operand(*width);
    let fits = choice::all_hold(t, when, &quantities(seg, plan, &width));
    let count = max(point::counted(t, bound, ty), i64(0));
    let count = t.let_i64("count", count);
    // An iteration that is left over is done by itself.
    let kernels = quot(add(count.clone(), i64(plan.steps - 2)), i64(plan.steps));
    let kernels = t.let_i64("kernels", select(fits, kernels, i64(0)));
    let next: Vec<(Name, SubExp)> =
        l.params.iter().zip(&l.body.result).map(|((p, _), e)| (p.name, *e)).collect();
    t.for_up_to("group", kernels.clone(), |t, group| {
        let from = t.let_i64("from", mul(group, i64(plan.steps)));
        let now = t.let_i64("now", min(i64(plan.steps), sub(count.clone(), from.clone())));
        t.loc = stm.loc.clone();
        let of = Iterations { before, counter: (var, ty), from };
        of.checks(t, now.clone());
        Steps { plan, of, width: width.clone(), now }.kernel(t, &stm.pat, seg);
        t.set_all(&next);
    });
    let single = Schedule { params: schedule.params.clone(), choices: others.to_vec() };
    let single = SegOp { schedule: Some(Box::new(single)), ..seg.clone() };
    let single = Stm { exp: Exp::Op(MemOp::Seg(single)), ..stm.clone() };
    let stms = before.iter().cloned().chain([single]).collect();
    let body = Body { stms, result: l.body.result.clone() };
    let done = t.let_i64("done", min(mul(kernels, i64(plan.steps)), count.clone()));
    t.for_up_to("step", sub(count, done.clone()), |t, step| {
        set_counter(t, (var, ty), add(done.clone(), step));
        t.body(&body, &[]);
        t.set_all(&next);
    });
    true
}

/// What the conditions of a plan are about.
fn quantities(seg: &SegOp<Memory>, plan: &Line, width: &Expr) -> Quantities {
    let elements = 2 * part(plan);
    let bytes: i64 = seg.types.iter().filter_map(Type::elem).map(|e| e.bytes() as i64 * elements + 15).sum();
    vec![
        (Quantity::Points, width.clone()),
        (Quantity::Block, i64(plan.block)),
        (Quantity::Shared, i64(bytes)),
    ]
}

/// Elements of a part in shared memory: as many at each end of a block's as a point reads beyond them.
fn part(plan: &Line) -> i64 {
    plan.block + 2 * plan.radius
}

/// The iterations that a kernel does.
struct Steps<'s> {
    plan: &'s Line,
    of: Iterations<'s>,
    /// The size of the vector.
    width: Expr,
    /// How many there are.
    now: Expr,
}

/// An array that the loop hands on, in shared memory.
struct Part {
    array: Name,
    elem: PrimType,
    mem: Name,
}

/// Where a thread is.
struct Place {
    parts: Vec<Part>,
    /// The first element of the block, counted from the vector's first one, and the thread's. Neither need be
    /// in the vector.
    left: Expr,
    at: Expr,
}

impl Steps<'_> {
    fn kernel(&self, t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
        let plan = self.plan;
        let own = i64(plan.block - 2 * plan.halo());
        let blocks = quot_up(self.width.clone(), own.clone());
        let seg = &t.renamed(seg);
        t.kernel("segmap_line", blocks, i64(plan.block), Mode::Thread, |t| {
            let left = t.let_i64("left", sub(mul(block(), own), i64(plan.halo())));
            let at = t.let_i64("at", add(left.clone(), local()));
            let parts =
                plan.carried.iter().zip(&seg.types).map(|(array, ty)| shared_part(t, plan, *array, ty));
            let place = Place { parts: parts.collect(), left, at: at.clone() };
            let around = within(at.clone(), &self.width);
            match Inside::of(seg) {
                None => self.all(t, pat, seg, (&place, around)),
                Some(inside) => {
                    let far = self.far_from_ends(t, seg, &place, &inside);
                    let fast = t.renamed(&inside.body(seg, true));
                    let slow = t.renamed(&inside.body(seg, false));
                    t.if_else(
                        far,
                        |t| self.all(t, pat, &fast, (&place, at)),
                        |t| self.all(t, pat, &slow, (&place, around)),
                    );
                }
            }
        });
        if let Some(kernel) = t.kernels.last_mut() {
            kernel.block_size = Some(i64(plan.block));
        }
    }

    /// Whether the block's elements are all in the vector, and inside of it.
    fn far_from_ends(&self, t: &mut KernelCode, seg: &SegOp<Memory>, place: &Place, inside: &Inside) -> Expr {
        let right = sub(add(place.left.clone(), i64(self.plan.block)), i64(1));
        let exist = and(le(i64(0), place.left.clone()), lt(right.clone(), self.width.clone()));
        inside.at_both(t, exist, [place.left.clone(), right], &|t, end| set_index(t, seg, end))
    }

    /// All steps of a thread's element.
    fn all(
        &self,
        t: &mut KernelCode,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        (place, index): (&Place, Expr),
    ) {
        let plan = self.plan;
        let [(i, _)] = seg.space.dims.as_slice() else { bug!("a line of no vector") };
        set_index(t, seg, index);
        for part in &place.parts {
            let at = t.place_of(part.array).fixed(&[poly((*i).into())]);
            let value = t.read(&at);
            t.store(part.mem, part.elem, add(local(), i64(plan.radius)), value);
        }
        let ahead = self.read_ahead(t, seg);
        t.barrier();
        t.unrolled_up_to("k", i64(plan.steps), |t, k| {
            let edge = mul(add(k.clone(), i64(1)), i64(plan.radius));
            let complete = and(le(edge.clone(), local()), lt(local(), sub(i64(plan.block), edge)));
            t.if_then(and(lt(k.clone(), self.now.clone()), complete), |t| {
                self.step(t, pat, seg, (place, &k), &ahead);
            });
            t.barrier();
        });
    }

    /// One step of a thread's element.
    fn step(
        &self,
        t: &mut KernelCode,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        (place, k): (&Place, &Expr),
        ahead: &[(usize, Name, PrimType)],
    ) {
        let plan = self.plan;
        let body = self.iteration(seg);
        let (mut body, counter) = t.renamed_iteration(&body, self.of.counter);
        set_counter(t, (counter, self.of.counter.1), add(self.of.from.clone(), k.clone()));
        for (number, mem, elem) in ahead {
            let value = t.element(*mem, *elem, k.clone());
            t.in_kernel.instead.extend(body.stms[*number].pat.first().map(|p| (p.name, value)));
        }
        let origin = add(add(mul(bits(k.clone(), i64(1)), i64(part(plan))), local()), i64(plan.radius));
        let origin = t.let_as("origin", PrimType::I64, origin);
        let arrays: Vec<(Name, Name)> =
            place.parts.iter().map(|p| (p.array, shared_array(t, plan, p))).collect();
        let [(i, width)] = seg.space.dims.as_slice() else { bug!("a line of no vector") };
        let circle = Circle { index: *i, size: *width, radius: plan.radius };
        let near = circle.near(&body);
        body = Through { arrays: &arrays, near: &near, circle, origin }.body(t, body);
        t.body(&body, &[]);
        t.if_else(
            lt(add(k.clone(), i64(1)), self.now.clone()),
            |t| {
                let to = mul(bits(add(k.clone(), i64(1)), i64(1)), i64(part(plan)));
                let to = add(add(to, local()), i64(plan.radius));
                for (part, value) in place.parts.iter().zip(&body.result) {
                    let value = t.operand(*value);
                    t.store(part.mem, part.elem, to.clone(), value);
                }
            },
            |t| {
                let end = i64(plan.block - plan.halo());
                let own = and(le(i64(plan.halo()), local()), lt(local(), end));
                t.if_then(and(own, lt(place.at.clone(), self.width.clone())), |t| {
                    let returns = &seg.body.returns;
                    point::write_results(t, pat, &seg.space, &seg.types, returns, &body.result);
                });
            },
        );
    }

    /// What an iteration does, without checks.
    fn iteration(&self, seg: &SegOp<Memory>) -> Body<Memory> {
        let stms = self.of.unchecked().chain(&seg.body.body.stms).cloned().collect();
        Body { stms, result: seg.body.body.result.clone() }
    }

    /// Reads what all steps read of arrays that do not change: the numbers of the statements that read in an
    /// iteration, and where their elements are.
    fn read_ahead(&self, t: &mut KernelCode, seg: &SegOp<Memory>) -> Vec<(usize, Name, PrimType)> {
        let plan = self.plan;
        let whole = self.iteration(seg);
        let known = Line::known_before(&whole, &plan.carried);
        let read = |stm: &Stm<Memory>| match (&stm.exp, stm.pat.as_slice()) {
            (Exp::Basic(Basic::Index(array, _)), [p]) if plan.ahead.contains(array) => p.ty.elem(),
            _ => None,
        };
        let mut ahead = vec![];
        for number in &known {
            if let Some(elem) = read(&whole.stms[*number]) {
                ahead.push((*number, t.private_array("ahead", elem, plan.steps), elem));
            }
        }
        if ahead.is_empty() {
            return ahead;
        }
        let stms = known.iter().map(|n| whole.stms[*n].clone()).collect();
        t.unrolled_up_to("k", i64(plan.steps), |t, k| {
            t.if_then(lt(k.clone(), self.now.clone()), |t| {
                let (body, counter) = t.renamed_iteration(&Body { stms, result: vec![] }, self.of.counter);
                set_counter(t, (counter, self.of.counter.1), add(self.of.from.clone(), k.clone()));
                t.body(&body, &[]);
                for (number, mem, elem) in &ahead {
                    let at = known.iter().position(|n| n == number);
                    let name = at.and_then(|at| body.stms[at].pat.first()).map(|p| p.name);
                    let Some(name) = name else { continue };
                    let value = t.operand(name.into());
                    t.store(*mem, *elem, k.clone(), value);
                }
            });
        });
        ahead
    }
}

fn shared_part(t: &mut KernelCode, plan: &Line, array: Name, ty: &Type) -> Part {
    let Some(elem) = ty.elem() else { bug!("a line of no scalars") };
    Part { array, elem, mem: t.shared_array("part", elem, i64(2 * part(plan))) }
}

/// Both places of a part as an array.
fn shared_array(t: &mut KernelCode, plan: &Line, of: &Part) -> Name {
    let array = t.names.fresh_str("both");
    let elements = 2 * part(plan);
    t.types.insert(array, Type::Array(of.elem, vec![SubExp::i64(elements)]));
    let dims = vec![Dim::new(Poly::constant(elements), Poly::constant(1))];
    t.places.insert(array, (of.mem, Lmad::new(Poly::constant(0), dims)));
    array
}

/// Sets the index of a point.
fn set_index(t: &mut KernelCode, seg: &SegOp<Memory>, index: Expr) {
    let [(i, _)] = seg.space.dims.as_slice() else { bug!("a line of no vector") };
    for name in [*i, seg.space.flat] {
        t.emit(Code::DeclareScalar(name, PrimType::I64));
        t.set_to(name, index.clone());
    }
}

/// How bodies read arrays from shared memory.
struct Through<'s> {
    /// The arrays, and what is read instead.
    arrays: &'s [(Name, Name)],
    near: &'s FxHashMap<Name, i64>,
    circle: Circle,
    /// Where the thread's own element is.
    origin: Name,
}

impl Through<'_> {
    fn body(&self, t: &mut KernelCode, body: Body<Memory>) -> Body<Memory> {
        let mut stms = vec![];
        for mut stm in body.stms {
            map_bodies(&mut stm.exp, &mut |inner| {
                let taken = std::mem::replace(inner, Body { stms: vec![], result: vec![] });
                *inner = self.body(t, taken);
            });
            if let Exp::Basic(Basic::Index(array, slice)) = &mut stm.exp {
                if let (Some((_, both)), [DimIndex::Fix(at)]) =
                    (self.arrays.iter().find(|(a, _)| a == array), slice.as_mut_slice())
                {
                    let place = self.place(t, &mut stms, *at, &stm.loc);
                    (*array, *at) = (*both, place);
                }
            }
            stms.push(stm);
        }
        Body { stms, result: body.result }
    }

    /// Where an element of the vector is in shared memory.
    fn place(
        &self,
        t: &mut KernelCode,
        stms: &mut Vec<Stm<Memory>>,
        at: SubExp,
        loc: &fehu_ir::Loc,
    ) -> SubExp {
        let distance = match at.name().and_then(|n| self.near.get(&n)) {
            Some(d) => SubExp::i64(*d),
            None => self.circle.distance(t, stms, at, loc),
        };
        let place = Basic::BinOp(BinOp::Add(IntType::I64), self.origin.into(), distance);
        bind(t, stms, ("place", Type::I64), place, loc)
    }
}
