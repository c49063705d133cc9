//! What a statement reads and writes by itself, as index functions.
//!
//! Bodies inside of the statement are not looked at; neither are the results of parallel operations, which
//! belong to the points that make them. Views (slices, transpositions, other names) touch nothing.

use crate::Callees;
use fehu_base::Name;
use fehu_ir::mem::{poly, Lmad, MemOp};
use fehu_ir::seg::{SegKind, SegOp};
use fehu_ir::{Basic, DimIndex, Exp, Memory, Slice, Stm, SubExp};
use fehu_lmad::{Dim, SliceDim};

/// Whether memory is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It is read.
    Read,
    /// It is written, and perhaps read.
    Write,
}

/// An access to the memory of an array.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// The array.
    pub array: Name,
    /// What is done.
    pub kind: Kind,
    /// Where.
    pub part: Part,
    /// Which of the copies that a statement makes this belongs to.
    pub copy: usize,
}

/// Which part of an array is accessed.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// All of it.
    Whole,
    /// A slice; dimensions beyond it are whole.
    Slice(Vec<SliceDim>),
    /// A slice of an array of one dimension.
    Flat(Lmad),
    /// Any place in its block.
    Anywhere,
}

impl Part {
    /// The places, of an array with this index function; `None` for all of its block.
    pub fn of(&self, lmad: &Lmad) -> Option<Lmad> {
        match self {
            Part::Whole => Some(lmad.clone()),
            Part::Slice(dims) => lmad.slice(dims),
            Part::Flat(slice) => lmad.flat_slice(slice),
            Part::Anywhere => None,
        }
    }
}

/// The accesses of a statement by itself, the reads before the writes.
pub fn accesses(callees: &Callees, stm: &Stm<Memory>) -> Vec<Access> {
    let mut found = Found(vec![]);
    let made = stm.pat.iter().find(|p| p.ty.is_array()).map(|p| p.name);
    match &stm.exp {
        Exp::Basic(Basic::Index(a, slice)) => {
            if stm.pat.iter().all(|p| !p.ty.is_array()) {
                found.add(*a, Kind::Read, Part::Slice(slice_dims(slice)));
            }
        }
        Exp::Basic(Basic::Update(_, slice, value)) => {
            found.operand(*value);
            found.result(made, Part::Slice(slice_dims(slice)));
        }
        Exp::Basic(Basic::FlatUpdate(_, offset, dims, value)) => {
            found.add(*value, Kind::Read, Part::Whole);
            let dims = dims.iter().map(|(n, s)| Dim::new(poly(*n), poly(*s))).collect();
            found.result(made, Part::Flat(Lmad::new(poly(*offset), dims)));
        }
        Exp::Basic(Basic::ArrayLit(es, _)) => {
            es.iter().for_each(|e| found.operand(*e));
            found.result(made, Part::Whole);
        }
        Exp::Basic(Basic::Replicate(_, e)) => {
            found.operand(*e);
            found.result(made, Part::Whole);
        }
        Exp::Basic(Basic::ArrayConst(_) | Basic::Iota { .. }) => found.result(made, Part::Whole),
        Exp::Basic(Basic::Copy(a) | Basic::Manifest(_, a)) => {
            found.add(*a, Kind::Read, Part::Whole);
            found.result(made, Part::Whole);
        }
        Exp::Basic(Basic::Concat { arrays, .. }) => {
            arrays.iter().for_each(|a| found.add(*a, Kind::Read, Part::Whole));
            found.result(made, Part::Whole);
        }
        // Whoever is called may do anything with the blocks of its arguments, unless it only reads them.
        Exp::Call(f, args) => {
            for (i, e) in args.iter().enumerate() {
                let kind = if callees.only_reads(*f, i) { Kind::Read } else { Kind::Write };
                e.name().into_iter().for_each(|n| found.add(n, kind, Part::Anywhere));
            }
        }
        Exp::WithAcc(w) => {
            for a in w.inputs.iter().flat_map(|i| &i.arrays) {
                found.add(*a, Kind::Write, Part::Whole);
            }
            for e in w.inputs.iter().filter_map(|i| i.op.as_ref()).flat_map(|(_, neutral)| neutral) {
                found.operand(*e);
            }
        }
        Exp::Op(MemOp::Seg(seg)) => neutral_elements(seg, &mut found),
        // Names, views, scalars.
        Exp::Basic(_) | Exp::If(..) | Exp::Loop(_) | Exp::Op(MemOp::Alloc(..) | MemOp::Size(_)) => {}
    }
    found.0
}

/// The dimensions of a slice, for index functions.
pub fn slice_dims(slice: &Slice) -> Vec<SliceDim> {
    let dim = |d: &DimIndex| match d {
        DimIndex::Fix(i) => SliceDim::Fix(poly(*i)),
        DimIndex::Slice { start, len, stride } => {
            SliceDim::Range { start: poly(*start), size: poly(*len), stride: poly(*stride) }
        }
    };
    slice.iter().map(dim).collect()
}

fn neutral_elements(seg: &SegOp<Memory>, found: &mut Found) {
    let neutral: Vec<SubExp> = match &seg.kind {
        SegKind::Map => vec![],
        SegKind::Red(ops) | SegKind::Scan(ops, _) => ops.iter().flat_map(|op| op.neutral.clone()).collect(),
        SegKind::Hist(ops) => ops.iter().flat_map(|op| op.neutral.clone()).collect(),
    };
    neutral.into_iter().for_each(|e| found.operand(e));
}

struct Found(Vec<Access>);

impl Found {
    fn add(&mut self, array: Name, kind: Kind, part: Part) {
        self.0.push(Access { array, kind, part, copy: 0 });
    }

    /// Reads an operand, which is an array or not: who asks knows.
    fn operand(&mut self, e: SubExp) {
        e.name().into_iter().for_each(|n| self.add(n, Kind::Read, Part::Whole));
    }

    fn result(&mut self, made: Option<Name>, part: Part) {
        made.into_iter().for_each(|n| self.add(n, Kind::Write, part.clone()));
    }
}
