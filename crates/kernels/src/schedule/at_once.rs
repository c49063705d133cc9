//! Operations of a block whose threads need not wait for the operation before.
//!
//! A step of a wavefront reads elements of an array, and then writes others:
//!
//! ```text
//! loop .. for i < n {
//!   let (v : [n]i32) = segmap in_block (t < n) { .. a[i - t, t] .. a[i - t + 1, t] .. }
//!   let (a' : [m][m]i32) = segmap in_block (s < n) { let (x : i32) = v[s] return (write x to a [m, m] at [i - s + 1, s + 1]) }
//! }
//! ```
//!
//! The writes need not wait until all threads have read, since no element is both read and written in the
//! step: the sum of the indices of one is `i` or `i + 1`, that of the other `i + 2`. And a thread has the
//! same points in both operations, so that what it reads of the first is its own.
//!
//! **When.** The two operations follow each other, have the same points, and cannot fail. The second one
//! reads results of the first at its own point and nothing else, and writes to one array in shared memory.
//! The first one reads that array under the same name only, or not at all, and a sum or difference of indices
//! differs by a constant from that of what is written. The numbers of threads are two different unknowns in
//! these, so that it holds for any two threads.
//!
//! Times of the public `nw` with and without: `notebook/2026-11-19-gpu-mechanisms.md`.

use super::Scheduler;
use crate::opt::rectangles::widen;
use fehu_algebra::{Facts, Poly};
use fehu_analysis::Known;
use fehu_base::Name;
use fehu_ir::mem::{poly, MemOp};
use fehu_ir::schedule::Plan;
use fehu_ir::seg::{KernelReturn, SegKind, SegLevel, SegOp};
use fehu_ir::visit::{deep, for_each_stm};
use fehu_ir::{Basic, Body, DimIndex, Exp, Memory, Space, Stm, SubExp, Type};

/// The indices of an element.
type Place = Vec<Poly>;

/// Whether there is an operation inside of a block that writes to places that it computes: for others,
/// nothing has to be known.
pub(super) fn may_be_at_once(body: &Body<Memory>) -> bool {
    let mut found = false;
    for_each_stm(body, &mut |stm| {
        found |= in_block_map(stm).is_some_and(|seg| written(seg).is_some());
    });
    found
}

/// Marks operations in the code of a block.
pub(super) fn mark_at_once(s: &Scheduler, known: &Known, facts: &Facts, body: &mut Body<Memory>) {
    for k in 0..body.stms.len() {
        if k > 0 && is_at_once(s, known, facts, &body.stms[k - 1], &body.stms[k]) {
            if let Exp::Op(MemOp::Seg(seg)) = &mut body.stms[k].exp {
                let plans =
                    seg.schedule.iter_mut().flat_map(|schedule| &mut schedule.choices).map(|c| &mut c.plan);
                for plan in plans {
                    if let Plan::Rounds { at_once, .. } = plan {
                        *at_once = true;
                    }
                }
            }
        }
        if let Exp::Loop(l) = &mut body.stms[k].exp {
            let facts = known.in_loop(facts, l);
            deep(|| mark_at_once(s, known, &facts, &mut l.body));
        }
    }
}

fn is_at_once(
    s: &Scheduler,
    known: &Known,
    facts: &Facts,
    first: &Stm<Memory>,
    second: &Stm<Memory>,
) -> bool {
    let (Some(a), Some(b)) = (in_block_map(first), in_block_map(second)) else { return false };
    let sizes = |seg: &SegOp<Memory>| seg.space.dims.iter().map(|d| d.1).collect::<Vec<SubExp>>();
    let results = |seg: &SegOp<Memory>| seg.body.returns.iter().all(|r| *r == KernelReturn::Elem);
    let Some((array, index)) = written(b) else { return false };
    let Some(block) = s.places.block_of(array) else { return false };
    let own: Vec<DimIndex> = b.space.dims.iter().map(|d| DimIndex::Fix(d.0.into())).collect();
    let (of_a, of_b) = (reads(&a.body.body), reads(&b.body.body));
    let (Some(of_a), Some(of_b)) = (of_a, of_b) else { return false };
    let handed_on = |array: &Name| first.pat.iter().any(|p| p.name == *array);
    let is_elsewhere =
        |array: Name| s.places.block_of(array).is_some_and(|other| !s.blocks.may_be_same(other, block));
    sizes(a) == sizes(b)
        && results(a)
        && s.places.space_of(array) == Some(&Space::Shared)
        && first.pat.iter().all(|p| is_elsewhere(p.name))
        && of_b.iter().all(|(array, slice)| handed_on(array) && **slice == own)
        && of_a.iter().all(|(read, _)| *read == array || is_elsewhere(*read))
        && are_disjoint(known, facts, (a, array), (b, &index))
}

/// Whether no element of an array is both read by one operation and written by the other.
fn are_disjoint(
    known: &Known,
    facts: &Facts,
    (a, array): (&SegOp<Memory>, Name),
    (b, index): (&SegOp<Memory>, &[SubExp]),
) -> bool {
    let mut walk = Walk { known, array, read: vec![], written: vec![], index };
    let all = walk.reads(&a.body.body, known.in_points(facts, &a.space, &a.body.body));
    let all = all && walk.writes(&b.body.body, known.in_points(facts, &b.space, &b.body.body));
    all && walk.read.iter().all(|r| walk.written.iter().all(|w| differ(r, w)))
}
fn in_block_map(stm: &Stm<Memory>) -> Option<&SegOp<Memory>> {
    match &stm.exp {
        Exp::Op(MemOp::Seg(seg)) if seg.level == SegLevel::InBlock && matches!(seg.kind, SegKind::Map) => {
            Some(seg)
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// The array that a map writes one scalar of each point to, and where.
fn written(seg: &SegOp<Memory>) -> Option<(Name, Vec<SubExp>)> {
    match (&seg.body.returns[..], &seg.types[..]) {
        ([KernelReturn::Write { array, shape, index }], [Type::Prim(_)]) if shape.len() == index.len() => {
            Some((*array, index.clone()))
        }
        _ => None,
    }
}

/// The elements that the code of a thread reads, if it only reads and computes, and cannot fail.
fn reads(body: &Body<Memory>) -> Option<Vec<(Name, &Vec<DimIndex>)>> {
    let (mut found, mut only) = (vec![], true);
    for stm in &body.stms {
        let scalars = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
        match &stm.exp {
            Exp::Basic(Basic::Index(array, slice)) => found.push((*array, slice)),
            Exp::Basic(
                Basic::SubExp(_) | Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..),
            ) => {}
            Exp::If(_, t, f) => {
                found.extend(reads(t)?);
                found.extend(reads(f)?);
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => only = false,
        }
        only &= scalars;
    }
    only.then_some(found)
}

/// Finds the places that threads read and write.
struct Walk<'a> {
    known: &'a Known,
    array: Name,
    read: Vec<Place>,
    written: Vec<Place>,
    index: &'a [SubExp],
}

impl Walk<'_> {
    /// The places that are read. Whether all are known.
    fn reads(&mut self, body: &Body<Memory>, mut facts: Facts) -> bool {
        body.stms.iter().all(|stm| {
            widen(stm, &mut facts);
            match &stm.exp {
                Exp::Basic(Basic::Index(array, slice)) if *array == self.array => {
                    let fixed = slice.iter().filter_map(|d| match d {
                        DimIndex::Fix(e) => Some(facts.normalise(&poly(*e))),
                        DimIndex::Slice { .. } => None,
                    });
                    let place: Place = fixed.collect();
                    let whole = place.len() == self.index.len() && place.iter().all(Poly::is_known);
                    self.read.push(place);
                    whole
                }
                Exp::If(c, t, f) => [(t, true), (f, false)].into_iter().all(|(branch, taken)| {
                    let inner = self.known.in_branch(&facts, *c, taken, branch);
                    deep(|| self.reads(branch, inner))
                }),
                Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => true,
            }
        })
    }

    /// The places that are written: the indices, or, where these are results of a branch, what the sides
    /// return. Whether all are known.
    fn writes(&mut self, body: &Body<Memory>, mut facts: Facts) -> bool {
        let mut by_branch = None;
        for stm in &body.stms {
            widen(stm, &mut facts);
            if let Exp::If(c, t, f) = &stm.exp {
                let of = |e: &SubExp| stm.pat.iter().position(|p| SubExp::from(p.name) == *e);
                let indices: Option<Vec<usize>> = self.index.iter().map(of).collect();
                by_branch = by_branch.or(indices.map(|indices| (*c, [(&**t, true), (&**f, false)], indices)));
            }
        }
        let places: Vec<Place> = match by_branch {
            None => vec![self.index.iter().map(|e| facts.normalise(&poly(*e))).collect()],
            Some((c, sides, indices)) => {
                let side = |(branch, taken): (&Body<Memory>, bool)| {
                    let mut inner = self.known.in_branch(&facts, c, taken, branch);
                    branch.stms.iter().for_each(|stm| widen(stm, &mut inner));
                    indices.iter().map(|k| inner.normalise(&poly(branch.result[*k]))).collect()
                };
                sides.into_iter().map(side).collect()
            }
        };
        let exists = |place: &Place| !place.iter().any(|p| p.as_constant().is_some_and(|c| c < 0));
        self.written.extend(places.into_iter().filter(exists));
        self.written.iter().flatten().all(Poly::is_known)
    }
}

/// Whether two places are different elements: an index, or the sum or the difference of two, differs by a constant.
fn differ(a: &Place, b: &Place) -> bool {
    let d: Vec<Poly> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let not_zero = |p: &Poly| p.as_constant().is_some_and(|c| c != 0);
    let pairs = || (0..d.len()).flat_map(|k| (0..k).map(move |j| (j, k)));
    d.iter().any(not_zero) || pairs().any(|(j, k)| not_zero(&(&d[j] + &d[k])) || not_zero(&(&d[j] - &d[k])))
}
