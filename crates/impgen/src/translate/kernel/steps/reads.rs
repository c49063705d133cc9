//! What the points of steps read, and where it is.

use crate::translate::kernel::iterations::{bind, Circle};
use crate::translate::state::KernelCode;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::{bug, Name};
use fehu_ir::schedule::Steps;
use fehu_ir::seg::SegOp;
use fehu_ir::visit::{for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, DimIndex, Exp, Loc, Memory, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// What a body reads at the point itself of arrays that are kept: the names of the elements, and the arrays.
pub(super) fn own_elements(seg: &SegOp<Memory>, plan: &Steps) -> Vec<(Name, Name)> {
    let point: Vec<DimIndex> = seg.space.dims.iter().map(|(i, _)| DimIndex::Fix((*i).into())).collect();
    let mut reads = vec![];
    for_each_stm(&seg.body.body, &mut |stm| {
        if let (Exp::Basic(Basic::Index(array, slice)), [p]) = (&stm.exp, stm.pat.as_slice()) {
            if *slice == point && plan.kept.contains(array) {
                reads.push((p.name, *array));
            }
        }
    });
    reads
}

/// What a body reads in the point's own column: the names of the elements, the arrays, and by how many rows
/// they are below the point.
pub(super) fn own_column(seg: &SegOp<Memory>, plan: &Steps) -> Vec<(Name, Name, i64)> {
    let [(i, _), (j, _)] = seg.space.dims.as_slice() else { bug!("steps of no matrix") };
    let mut below: FxHashMap<Name, i64> = [(*i, 0)].into_iter().collect();
    let mut reads = vec![];
    for_each_stm(&seg.body.body, &mut |stm| {
        let [p] = stm.pat.as_slice() else { return };
        match &stm.exp {
            Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), a, b)) => {
                let by = [(a, b), (b, a)]
                    .into_iter()
                    .find_map(|(x, d)| (*x == (*i).into()).then(|| d.as_i64()).flatten());
                below.extend(by.map(|d| (p.name, d)));
            }
            Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), a, b)) if *a == (*i).into() => {
                below.extend(b.as_i64().map(|d| (p.name, -d)));
            }
            Exp::Basic(Basic::Index(array, slice)) if plan.carried.contains(array) => {
                if let [DimIndex::Fix(SubExp::Var(row)), DimIndex::Fix(column)] = slice.as_slice() {
                    let own = *column == (*j).into();
                    reads.extend(below.get(row).filter(|_| own).map(|d| (p.name, *array, *d)));
                }
            }
            Exp::Basic(_) | Exp::If(..) | Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    });
    reads.retain(|(_, _, d)| d.abs() <= plan.radius);
    reads
}

/// A side of an array whose edges are neighbours.
pub(super) struct Side {
    pub(super) circle: Circle,
    /// What is known to be near.
    pub(super) near: FxHashMap<Name, i64>,
    /// Where the point is, which may be beyond an edge.
    pub(super) own: Name,
}

impl Side {
    /// Where an index is, as seen from the point: beyond an edge if that is nearer.
    fn place(&self, t: &mut KernelCode, stms: &mut Vec<Stm<Memory>>, at: SubExp, loc: &Loc) -> SubExp {
        let distance = match at.name().and_then(|n| self.near.get(&n)) {
            Some(d) => SubExp::i64(*d),
            None => self.circle.distance(t, stms, at, loc),
        };
        let place = Basic::BinOp(BinOp::Add(IntType::I64), self.own.into(), distance);
        bind(t, stms, ("beyond", Type::I64), place, loc)
    }
}

/// How bodies read arrays from their rows in shared memory.
pub(super) struct Through {
    /// The arrays, and what is read instead.
    pub(super) arrays: Vec<(Name, Name)>,
    /// Rows of a ring.
    pub(super) slots: i64,
    /// Rows and columns, where edges are neighbours.
    pub(super) torus: Option<Vec<Side>>,
}

impl Through {
    pub(super) fn body(&self, t: &mut KernelCode, body: Body<Memory>) -> Body<Memory> {
        let mut stms = vec![];
        for mut stm in body.stms {
            map_bodies(&mut stm.exp, &mut |inner| {
                let taken = std::mem::replace(inner, Body { stms: vec![], result: vec![] });
                *inner = self.body(t, taken);
            });
            if let Exp::Basic(Basic::Index(array, slice)) = &mut stm.exp {
                if let (Some((_, rows)), [DimIndex::Fix(row), DimIndex::Fix(column)]) =
                    (self.arrays.iter().find(|(a, _)| a == array), slice.as_mut_slice())
                {
                    for (at, side) in [&mut *row, &mut *column].into_iter().zip(self.torus.iter().flatten()) {
                        *at = side.place(t, &mut stms, *at, &stm.loc);
                    }
                    let slot = Basic::BinOp(BinOp::And(IntType::I64), *row, SubExp::i64(self.slots - 1));
                    *row = bind(t, &mut stms, ("slot", Type::I64), slot, &stm.loc);
                    *array = *rows;
                }
            }
            stms.push(stm);
        }
        Body { stms, result: body.result }
    }
}
