//! What a point of a parallel operation makes is made in the point's own part of the result.
//!
//! On a GPU, neighbouring threads then write far from each other, each to its own row, while memory of their
//! own is interleaved. So that is for what is only written there; what is also read stays where it is fast,
//! and is copied in the end, unless the result will be interleaved too (`interleave`). The same holds for
//! thread blocks and their shared memory.

use super::{Around, Reason, ShortCircuit};
use crate::builder::Place;
use crate::results::rows_of_threads;
use crate::tables::Tables;
use fehu_algebra::{Facts, Poly};
use fehu_base::Name;
use fehu_ir::mem::{poly, MemOp};
use fehu_ir::seg::{KernelReturn, SegLevel, SegOp};
use fehu_ir::visit::{deep, for_each_operand, look, Visitor};
use fehu_ir::{Basic, Body, Exp, Memory, PatElem, Stm, SubExp};
use rustc_hash::FxHashSet;

impl ShortCircuit {
    /// Lets the points of all operations of a body, whose facts these are, make their results in place,
    /// innermost ones first.
    pub(super) fn points(&mut self, body: &mut Body<Memory>, facts: &Facts) {
        deep(|| {
            for stm in &mut body.stms {
                self.inner_bodies(stm, facts, &mut |pass, inner, facts| pass.points(inner, facts));
                self.seg_results(stm, facts);
            }
        });
    }

    /// Lets the points of an operation make their results in place.
    fn seg_results(&mut self, stm: &mut Stm<Memory>, facts: &Facts) {
        if !has_rows(stm) {
            return;
        }
        let Exp::Op(MemOp::Seg(seg)) = &mut stm.exp else { return };
        let interleaved = rows_of_threads(seg);
        let facts = self.known.in_points(facts, &seg.space, &seg.body.body);
        for (k, row) in rows(&self.tables, seg, &stm.pat) {
            let Some(SubExp::Var(value)) = seg.body.body.result.get(k).copied() else { continue };
            let body = &mut seg.body.body;
            let worth = interleaved.contains(&k) || self.worth_moving(seg.level, body, value);
            if !self.returned_once(body, value) {
                self.stays(value, Reason::UsedTwice);
                continue;
            }
            if !worth {
                self.stays(value, Reason::ReadByThreads);
                continue;
            }
            let Some(dest) = self.dest(value, row) else { continue };
            let mut around = Around::of(body);
            let end = body.stms.len();
            self.answers.borrow_mut().clear();
            let found =
                self.can_move(body, &around, &facts, value, end, 0, &dest).and_then(|(first, needed)| {
                    let needed = dest.names().chain(needed);
                    Ok((first, self.to_lift(body, &around, &facts, needed, first)?))
                });
            match found {
                Ok((first, lifted)) => {
                    around.lift(body, &lifted, first);
                    self.move_value(body, &mut around, &facts, value, &dest);
                }
                Err(reason) => self.stays(value, reason),
            }
        }
    }

    /// Whether nothing else that the body returns is in the block of the value.
    fn returned_once(&self, body: &Body<Memory>, value: Name) -> bool {
        let block = self.tables.block_of(value);
        let results = body.result.iter().filter_map(|e| e.name());
        results.filter(|n| self.tables.block_of(*n) == block).count() == 1
    }

    fn worth_moving(&self, level: SegLevel, body: &Body<Memory>, value: Name) -> bool {
        match level {
            SegLevel::Task => true,
            SegLevel::Thread | SegLevel::Block | SegLevel::InBlock => {
                let mut reads = Reads { pass: self, block: self.tables.block_of(value), found: false };
                reads.body(body);
                !reads.found
            }
        }
    }
}

/// Whether the points of an operation return arrays, which are parts of its results.
pub(super) fn has_rows(stm: &Stm<Memory>) -> bool {
    let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { return false };
    seg.after().is_none() && seg.types.iter().skip(seg.combined()).any(|t| t.is_array())
}

/// The results that are arrays at each point, and the places of a point's part of them.
pub(crate) fn rows(tables: &Tables, seg: &SegOp<Memory>, pat: &[PatElem<Memory>]) -> Vec<(usize, Place)> {
    let first = seg.combined();
    let index: Vec<Poly> = seg.space.dims.iter().map(|d| poly(d.0.into())).collect();
    let mut elems = pat.iter().skip(first);
    let mut written = FxHashSet::default();
    let mut rows = vec![];
    for (k, (ret, ty)) in seg.body.returns.iter().zip(&seg.types).enumerate().skip(first) {
        match ret {
            KernelReturn::Elem => {
                let place = elems.next().and_then(|p| tables.place(p.name));
                if let (true, Some(place)) = (ty.is_array(), place) {
                    let lmad = place.lmad.fix_outer(&index);
                    rows.extend(lmad.map(|lmad| (k, Place { block: place.block, lmad })));
                }
            }
            KernelReturn::Write { array, .. } => {
                if written.insert(*array) {
                    elems.next();
                }
            }
        }
    }
    rows
}

/// Looks for statements that read what is in a block.
struct Reads<'a> {
    pass: &'a ShortCircuit,
    block: Option<Name>,
    found: bool,
}

impl Reads<'_> {
    fn see(&mut self, n: Name) {
        self.found |= self.pass.tables.is_array(n) && self.pass.tables.block_of(n) == self.block;
    }
}

impl Visitor<Memory> for Reads<'_> {
    fn stm(&mut self, stm: &Stm<Memory>) {
        let scalar = stm.pat.iter().all(|p| !p.ty.is_array());
        match &stm.exp {
            Exp::Basic(Basic::Index(a, _)) if scalar => self.see(*a),
            // Other names for it.
            Exp::Basic(Basic::SubExp(_) | Basic::Opaque(_) | Basic::Index(..) | Basic::FlatIndex(..)) => {}
            Exp::Basic(Basic::Rearrange(..) | Basic::Reshape(..)) => {}
            Exp::Basic(Basic::Update(_, _, SubExp::Var(v)) | Basic::FlatUpdate(_, _, _, v)) => self.see(*v),
            Exp::If(..) | Exp::Loop(_) => {}
            other @ (Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_)) => {
                for_each_operand(other, &mut |e| e.name().into_iter().for_each(|n| self.see(n)))
            }
        }
        look::exp(self, &stm.exp);
    }
}
