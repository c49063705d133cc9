//! A map of a block that copies elements to shared memory while its threads go on.
//!
//! ```text
//! for (next = thread; next < points; next += threads) { copy_ahead results[next] <- xs[place of next] }
//! await_copies
//! ```
//!
//! The wait comes last here, before the barrier that others wait at; `impopt/late_awaits` knows where it is
//! needed. The schedule has seen to it that the kernel does not write what is copied.

use super::{by_threads, one_round};
use crate::translate::kernel::point;
use crate::translate::kernel::turns::one_by_one;
use crate::translate::state::{KernelCode, Mode};
use fehu_algebra::{Poly, Sym};
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::copied::{copied_element, CopiedElement};
use fehu_ir::mem::{poly, sym};
use fehu_ir::seg::SegOp;
use fehu_ir::{Basic, Exp, Memory, PatElem, SubExp};
use rustc_hash::FxHashMap;

/// Copies all points.
pub(super) fn copied_ahead(t: &mut KernelCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, points: Expr) {
    let (Some(copied), [p]) = (copied_element(seg), pat) else { bug!("a map that copies nothing") };
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    if one_round(t, &sizes) {
        by_threads(t, points, |t, at| {
            point::set_point(t, &seg.space, at);
            copy_point(t, seg, &copied, p.name, None);
        });
    } else {
        let outer = std::mem::replace(&mut t.in_kernel.mode, Mode::Thread);
        let start = |t: &mut KernelCode, down: Option<([Expr; 2], Expr)>| {
            down.and_then(|(at, step)| Evenly::start(t, seg, &copied, p.name, at, step))
        };
        one_by_one(t, &sizes, &points, start, |t, evenly, turn| {
            turn.set_point(t, &seg.space);
            copy_point(t, seg, &copied, p.name, evenly.as_ref());
            if let Some(evenly) = evenly {
                evenly.advance(t);
            }
        });
        t.in_kernel.mode = outer;
    }
    t.emit(Code::Op(KernelOp::AwaitCopies));
}

/// Where a thread copies from and to, if it stays in its column: places at equal distances. A product of
/// offsets of 64 bits takes seven instructions.
struct Evenly {
    /// The offsets, source and result, of the point that is next.
    now: [Name; 2],
    /// From one point to the next.
    leaps: [Expr; 2],
}

impl Evenly {
    /// The places of a thread's first point, which has these indices, if places are sums of the row times a
    /// factor and of what depends on the column.
    fn start(
        t: &mut KernelCode,
        seg: &SegOp<Memory>,
        copied: &CopiedElement<'_, Memory>,
        result: Name,
        at: [Expr; 2],
        step: Expr,
    ) -> Option<Evenly> {
        let [(row, _), (column, _)] = seg.space.dims[..] else { return None };
        let known = sums(copied);
        let to = t.place_of(result).fixed(&[poly(row.into()), poly(column.into())]);
        let from = t.place_of(copied.array).sliced(copied.slice);
        let mut places = vec![];
        for place in [from, to] {
            let offset = place.offset()?.subst_all(|x| known.get(&x).cloned());
            let (factor, rest) = offset.split_on(sym(row));
            let (along, start) = rest.split_on(sym(column));
            let inside =
                |x: &Sym| known.contains_key(x) || [row, column, seg.space.flat].map(sym).contains(x);
            let outside = |p: &Poly| p.is_known() && !p.vars().iter().any(inside);
            if ![&factor, &along, &start].into_iter().all(outside) {
                return None;
            }
            places.push([factor, along, start]);
        }
        let (mut now, mut leaps) = (vec![], vec![]);
        for place in places {
            let [factor, along, start] = place.map(|p| t.poly(&p));
            let factor = t.let_i64("factor", factor);
            let offset = add(start, add(mul(along, at[1].clone()), mul(factor.clone(), at[0].clone())));
            now.push(t.let_as("offset", PrimType::I64, offset));
            leaps.push(t.let_i64("leap", mul(factor, step.clone())));
        }
        Some(Evenly { now: now.try_into().ok()?, leaps: leaps.try_into().ok()? })
    }

    /// Goes on to the next point.
    fn advance(&self, t: &mut KernelCode) {
        for (x, leap) in self.now.iter().zip(&self.leaps) {
            t.set_to(*x, add(var(*x), leap.clone()));
        }
    }
}

/// All scalars that a point computes before it copies: sums and products of what is known before the points,
/// and others, which are unknown.
fn sums(copied: &CopiedElement<'_, Memory>) -> FxHashMap<Sym, Poly> {
    let mut known: FxHashMap<Sym, Poly> = FxHashMap::default();
    let inner = copied.exists.map_or(&[][..], |(_, inner, _)| inner);
    for stm in copied.before.iter().chain(inner) {
        let of = |e: &SubExp| poly(*e).subst_all(|x| known.get(&x).cloned());
        let value = if let Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), a, b)) = &stm.exp {
            of(a) + of(b)
        } else if let Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), a, b)) = &stm.exp {
            of(a) - of(b)
        } else if let Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), a, b)) = &stm.exp {
            of(a) * of(b)
        } else {
            Poly::unknown()
        };
        known.extend(stm.pat.iter().map(|p| (sym(p.name), value.clone())));
    }
    known
}

/// Copies the element of a point whose indices are set.
fn copy_point(
    t: &mut KernelCode,
    seg: &SegOp<Memory>,
    copied: &CopiedElement<'_, Memory>,
    result: Name,
    evenly: Option<&Evenly>,
) {
    let indices: Vec<Poly> = seg.space.dims.iter().map(|d| poly(d.0.into())).collect();
    let to = t.place_of(result).fixed(&indices);
    let copy = |t: &mut KernelCode| {
        let from = t.place_of(copied.array).sliced(copied.slice);
        let (dst, src) = (t.mem(to.block), t.mem(from.block));
        let [src_offset, dst_offset] = match evenly {
            Some(evenly) => evenly.now.map(var),
            None => [t.offset(&from), t.offset(&to)],
        };
        let elem = copied.elem;
        t.emit(Code::Op(KernelOp::CopyAhead { dst, dst_offset, src, src_offset, elem, count: 1 }));
    };
    copied.before.iter().for_each(|stm| t.stm(stm));
    match copied.exists {
        None => copy(t),
        Some((exists, before, other)) => {
            let exists = t.operand(exists);
            t.if_else(
                exists,
                |t| {
                    before.iter().for_each(|stm| t.stm(stm));
                    copy(t);
                },
                |t| {
                    let other = t.operand(other);
                    match evenly {
                        Some(evenly) => t.store(t.mem(to.block), copied.elem, var(evenly.now[1]), other),
                        None => t.write_alone(&to, other),
                    }
                },
            );
        }
    }
}
