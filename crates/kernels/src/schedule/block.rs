//! How many threads a block has that computes a point.
//!
//! A thread for each point of the widest operation inside would leave no thread with two points; but all
//! threads wait at every barrier, also those without a point, and a processor holds fewer of the larger
//! blocks. So what counts is the width of the operations that the block spends its time in, which are those
//! in loops:
//!
//! ```text
//! segmap block (i < n) {
//!   row = segmap in_block (j < 1024) ..             spaces [512], once [1024]: 512 threads, of which each
//!   loop (row = row) for step < 10 do               loads two elements, and computes a pair in each step
//!     segmap in_block (k < 512) ..
//! ```
//!
//! - Reductions and scans count wherever they are: their threads combine a value each.
//! - Maps and histograms that run once count for as many threads as take no more than a few points each, if there are
//!   operations in loops.
//! - Operations that only fill arrays (`virtual`) do not count.
//!
//! Where rows are reduced and mapped, but nothing is in loops, a thread has several points of each if there
//! are blocks enough: then its reads wait together, and fewer threads have to exchange values. Scans gain by
//! it only if threads keep their points: else they exchange values in every round.
//!
//! On devices with warps, a part of a warp may be enough for a point of that kind (`teams`), if nothing in it
//! can fail, and if threads without a point do no harm: what the block reads outside of its operations is
//! known before it runs.
//!
//! Threads of blocks and of teams may have the same points in all operations, and keep what they read and
//! compute for them (`kept`). Then a block may compute several points that are columns, under the same
//! conditions as for teams.

use super::combine::is_heavy;
use super::kept::{kept_points, Points};
use super::Scheduler;
use fehu_base::tuning::schedule::{
    BUSY_THREADS, KEPT_POINTS_OF_LANES, MAX_TURNS_OF_KEPT_ROWS, MAX_TURNS_OF_LANES,
    MAX_TURNS_OF_REDUCED_ROWS, MAX_TURNS_OUTSIDE_OF_LOOPS, MIN_KEPT_COLUMNS, MIN_LONG_COLUMNS,
    MIN_ROWS_OF_KEPT_COLUMNS, MIN_TURNS_OF_LANES,
};
use fehu_base::Name;
use fehu_ir::mem::MemOp;
use fehu_ir::schedule::{Kept, KeptColumns, Once, Plan, Teams, Turns};
use fehu_ir::seg::{KernelReturn, SegKind, SegOp};
use fehu_ir::visit::{deep, for_each_body, for_each_stm};
use fehu_ir::{Basic, Body, DimIndex, Exp, Memory, Shape, Space, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

impl Scheduler {
    /// The plan of a block that computes a point of an operation.
    pub(super) fn block_per_point(&mut self, seg: &SegOp<Memory>) -> Plan {
        let mut found = Spaces::default();
        found.body(&seg.body.body, false);
        let kept = self.device.warps.then(|| kept_points(seg, &self.places)).flatten();
        let teams = self.device.warps && suits_teams(seg, kept.is_some());
        let pays = found.turns_pay() || kept.is_some() && !found.combined.is_empty();
        let turns = pays.then(|| Turns {
            points: self.threshold_param(match kept {
                Some(_) => MAX_TURNS_OF_KEPT_ROWS,
                None => MAX_TURNS_OF_REDUCED_ROWS,
            }),
            threads: self.threshold_param(BUSY_THREADS),
            teams: teams.then(|| Teams {
                least: self.threshold_param(MIN_TURNS_OF_LANES),
                most: self.threshold_param(MAX_TURNS_OF_LANES),
            }),
            kept: kept.map(|Points { of_row, of_columns, again }| Kept {
                points: of_row,
                of_lanes: KEPT_POINTS_OF_LANES,
                columns: of_columns.filter(|_| teams).map(|points| KeptColumns {
                    points,
                    least: self.threshold_param(MIN_KEPT_COLUMNS),
                    rows: self.threshold_param(MIN_ROWS_OF_KEPT_COLUMNS),
                    long: again.then(|| self.threshold_param(MIN_LONG_COLUMNS)),
                }),
            }),
        });
        let Spaces { combined, mapped, in_loops, .. } = found;
        let (mut spaces, once) = match in_loops.is_empty() {
            true => ([combined, mapped].concat(), vec![]),
            false => ([combined, in_loops].concat(), mapped),
        };
        unique(&mut spaces);
        let mut once: Vec<Shape> = once.into_iter().filter(|space| !spaces.contains(space)).collect();
        unique(&mut once);
        let once = match once.is_empty() {
            true => None,
            false => Some(Once { spaces: once, turns: self.threshold_param(MAX_TURNS_OUTSIDE_OF_LOOPS) }),
        };
        Plan::BlockPerPoint { spaces, once, turns }
    }
}

/// Whether parts of warps can compute points: nothing fails or depends on the point, but for reductions and
/// maps and what they need.
fn suits_teams(seg: &SegOp<Memory>, kept: bool) -> bool {
    let mut fails = false;
    for_each_stm(&seg.body.body, &mut |stm| fails |= matches!(stm.exp, Exp::Basic(Basic::Assert(..))));
    let mut inside: FxHashSet<Name> = FxHashSet::default();
    let elements = |seg: &SegOp<Memory>| seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    !fails
        && seg.grid.is_none()
        && elements(seg)
        && seg.body.body.stms.iter().all(|stm| {
            let suits = match &stm.exp {
                Exp::Basic(basic) => stm_suits(stm, basic, &inside),
                Exp::Op(MemOp::Alloc(bytes, Space::Shared)) => is_outside(*bytes, &inside),
                Exp::Op(MemOp::Seg(op)) => {
                    elements(op)
                        && (matches!(op.kind, SegKind::Map | SegKind::Red(_)) || kept)
                        && op.types.iter().all(is_number)
                }
                Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
            };
            inside.extend(stm.pat.iter().map(|p| p.name));
            suits
        })
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Prim(_))
}

fn is_outside(e: SubExp, inside: &FxHashSet<Name>) -> bool {
    e.name().is_none_or(|n| !inside.contains(&n))
}

/// Whether a statement between the operations of a block is arithmetic, a view, or reads what is there
/// whatever the point is.
fn stm_suits(stm: &Stm<Memory>, basic: &Basic, inside: &FxHashSet<Name>) -> bool {
    let numbers = stm.pat.iter().all(|p| is_number(&p.ty));
    match basic {
        Basic::Index(array, slice) if numbers => {
            !inside.contains(array)
                && slice.iter().all(|d| match d {
                    DimIndex::Fix(i) => is_outside(*i, inside),
                    DimIndex::Slice { .. } => false,
                })
        }
        Basic::SubExp(_)
        | Basic::UnOp(..)
        | Basic::BinOp(..)
        | Basic::CmpOp(..)
        | Basic::Conv(..)
        | Basic::PrimFn(..) => numbers,
        Basic::Index(..) | Basic::Rearrange(..) | Basic::Reshape(..) | Basic::Scratch(..) => !numbers,
        Basic::Opaque(_)
        | Basic::ArrayLit(..)
        | Basic::ArrayConst(_)
        | Basic::Iota { .. }
        | Basic::Replicate(..)
        | Basic::Copy(_)
        | Basic::Manifest(..)
        | Basic::Concat { .. }
        | Basic::FlatIndex(..)
        | Basic::Update(..)
        | Basic::FlatUpdate(..)
        | Basic::UpdateAcc(..)
        | Basic::Assert(..) => false,
    }
}

/// The index spaces of operations of a block.
#[derive(Default)]
struct Spaces {
    /// Of reductions and scans outside of loops.
    combined: Vec<Shape>,
    /// Of other operations outside of loops.
    mapped: Vec<Shape>,
    /// Of all in loops.
    in_loops: Vec<Shape>,
    /// Whether there is an operation that is not to take turns.
    one_point_each: bool,
}

impl Spaces {
    /// Whether it pays that threads take several points each: rows are reduced, and points cost little more
    /// than what they read.
    fn turns_pay(&self) -> bool {
        !self.combined.is_empty() && self.in_loops.is_empty() && !self.one_point_each
    }

    fn body(&mut self, body: &Body<Memory>, in_loop: bool) {
        deep(|| {
            for stm in &body.stms {
                match &stm.exp {
                    Exp::Op(MemOp::Seg(seg)) if seg.virtualise => {}
                    Exp::Op(MemOp::Seg(seg)) => {
                        let space: Shape = seg.space.dims.iter().map(|d| d.1).collect();
                        self.one_point_each |= match &seg.kind {
                            SegKind::Map | SegKind::Hist(_) => is_heavy(seg),
                            SegKind::Red(_) => is_heavy(seg) || space.len() > 1,
                            SegKind::Scan(..) => true,
                        };
                        match (&seg.kind, in_loop) {
                            (_, true) => self.in_loops.push(space),
                            (SegKind::Red(_) | SegKind::Scan(..), false) => self.combined.push(space),
                            (SegKind::Map | SegKind::Hist(_), false) => self.mapped.push(space),
                        }
                    }
                    exp @ (Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(_)) => {
                        let in_loop = in_loop || matches!(exp, Exp::Loop(_));
                        for_each_body(exp, &mut |inner| self.body(inner, in_loop));
                    }
                }
            }
        });
    }
}

fn unique(spaces: &mut Vec<Shape>) {
    let mut kept: Vec<Shape> = vec![];
    spaces.retain(|space| {
        let new = !kept.contains(space);
        if new {
            kept.push(space.clone());
        }
        new
    });
}
