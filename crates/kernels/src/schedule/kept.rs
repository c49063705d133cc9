//! Rows whose elements threads of a block keep in registers, from the first operation to the last.
//!
//! ```text
//! segmap block (i < n) {                                       a thread has the same points of all operations, at most 16:
//!   let (top) = segred in_block (j < m) max {xss[i, j]}        it reads its elements of xss once
//!   let (s, es) = segred in_block (k < m) (+) {                its elements of es are variables
//!     let (e) = exp(xss[i, k] - top)
//!     return (e, e)
//!   }
//!   let (out) = segmap in_block (l < m) {es[l] / s}
//! ```
//!
//! That is so if all operations have the same points, and what an operation leaves for those after it is only
//! read at the point it was left at. Nobody has to wait for another thread then, but in reductions, whose
//! operators must be commutative, since a thread's points are not neighbours, and in scans.
//!
//! Where the rows are columns of what is in memory, `xss[j, i]`, a block that has one of them reads an
//! element of each line of memory, and no other. So a block has 32 columns that lie beside each other, one
//! for each lane of a warp, of which each of its warps has some points
//! ([`KeptColumns`](fehu_ir::schedule::KeptColumns)). A thread then has more points, since there are fewer
//! threads for each column: at most as many as its registers have room for before and after each operation.
//! If there are more, it can have its points again in each operation, with what operations before have made
//! of them, as long as these are no scans, and nothing is overwritten that is needed for that.

use super::places::Places;
use fehu_algebra::Poly;
use fehu_analysis::operator::is_commutative;
use fehu_analysis::own_reads::OwnReads;
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::PrimType;
use fehu_base::tuning::schedule::{
    KEPT_BYTES_OF_COLUMNS, KEPT_BYTES_PER_THREAD, KEPT_POINTS, KEPT_POINTS_OF_COLUMNS,
    MAX_STATEMENTS_OF_KEPT_COLUMN, MAX_STATEMENTS_OF_KEPT_POINT,
};
use fehu_base::Name;
use fehu_ir::mem::{poly, sym, MemInfo, MemOp};
use fehu_ir::seg::{KernelReturn, SegBinOp, SegKind, SegOp, EXCHANGE};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Attr, Basic, Body, DimIndex, Exp, Memory, PatElem, Slice, Space, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::RangeInclusive;

/// How many points of each operation a thread keeps.
pub(super) struct Points {
    /// A thread of a block that has one row.
    pub(super) of_row: i64,
    /// A thread of a block that has several, where these are columns.
    pub(super) of_columns: Option<i64>,
    /// Whether it could also have its points again in each operation.
    pub(super) again: bool,
}

/// How many points of each operation a thread keeps, if it can.
pub(super) fn kept_points(seg: &SegOp<Memory>, places: &Places) -> Option<Points> {
    let body = &seg.body.body;
    let mut rows = Rows {
        places,
        space: None,
        made: FxHashMap::default(),
        arrays: FxHashSet::default(),
        touched: vec![],
        scanned: vec![],
        left: vec![],
        statements: 0,
        ops: 0,
        scans: false,
    };
    let suits = elements(seg) && body.stms.iter().all(|stm| rows.stm(stm));
    if !suits {
        return None;
    }
    let first = rows.space?.0;
    let again = rows.can_be_had_again(body);
    for array in body.result.iter().filter_map(|e| e.name()) {
        if places.block_of(array).is_some_and(|block| rows.made.contains_key(&block)) {
            rows.touch(array, &vec![DimIndex::Fix(first.into())], Some(first), false);
        }
    }
    let point = poly(first.into());
    let own = |(block, elems): (&Name, &Vec<PrimType>)| rows.only_own(*block, elems, &point);
    let made: Vec<Held> = rows.made.iter().map(own).collect::<Option<_>>()?;
    if !rows.touched.iter().all(|touched| rows.is_own_if_written(touched)) {
        return None;
    }
    let reads = held_reads(body, places);
    let held = || made.iter().chain(&rows.scanned).chain(&reads);
    let bytes = (0..rows.ops).map(|op| bytes(held().filter(|held| held.ops.contains(&op)))).max()?;
    let of_row = KEPT_POINTS.into_iter().find(|points| bytes * points <= KEPT_BYTES_PER_THREAD)?;
    let of_columns = rows.are_columns(seg).then(|| rows.points_of_columns(&made, &reads)).flatten();
    Some(Points { of_row, of_columns, again })
}

/// The bytes of elements, one each.
fn bytes<'a>(held: impl Iterator<Item = &'a Held>) -> i64 {
    held.map(|held| held.elem.bytes() as i64).sum()
}

/// An element for each point, and the operations in which it is there.
struct Held {
    elem: PrimType,
    ops: RangeInclusive<usize>,
}

/// Elements that are read once.
fn held_reads(body: &Body<Memory>, places: &Places) -> Vec<Held> {
    let OwnReads { types, numbers } = OwnReads::of(body, |array| places.block_of(array));
    let mut held: Vec<Option<Held>> = types.iter().map(|_| None).collect();
    let operations = body.stms.iter().filter_map(|stm| match &stm.exp {
        Exp::Op(MemOp::Seg(seg)) => Some(seg),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    });
    for (op, seg) in operations.enumerate() {
        let read = seg.body.body.stms.iter().flat_map(|stm| &stm.pat).filter_map(|p| numbers.get(&p.name));
        for number in read {
            let since = held[*number].as_ref().map_or(op, |held| *held.ops.start());
            held[*number] = Some(Held { elem: types[*number], ops: since..=op });
        }
    }
    held.into_iter().flatten().collect()
}

fn elements(seg: &SegOp<Memory>) -> bool {
    seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem))
}

/// The operations of a block so far.
struct Rows<'a> {
    places: &'a Places,
    /// Their index space; the name is that of the first one's point.
    space: Option<(Name, SubExp)>,
    /// The types of the elements of what is in shared memory, by memory.
    made: FxHashMap<Name, Vec<PrimType>>,
    /// The arrays that operations make.
    arrays: FxHashSet<Name>,
    /// What operations read and write.
    touched: Vec<Touched>,
    /// Values that are scanned.
    scanned: Vec<Held>,
    /// Elements that operations leave in memory that is not the block's own.
    left: Vec<Held>,
    /// The most statements of an operation.
    statements: usize,
    /// How many operations there are.
    ops: usize,
    /// Whether one of them is a scan.
    scans: bool,
}

/// An element of memory that a point reads or writes.
struct Touched {
    array: Name,
    block: Name,
    /// Where, by the name of the first operation's point; none if it is not known.
    offset: Option<Poly>,
    written: bool,
    /// In which operation.
    op: usize,
}

impl Rows<'_> {
    /// The elements of shared memory that is only touched at the thread's own points.
    fn only_own(&self, block: Name, elems: &[PrimType], point: &Poly) -> Option<Held> {
        let (elem, rest) = elems.split_first()?;
        let touched = || self.touched.iter().filter(|t| t.block == block);
        let own = touched().all(|t| t.offset.as_ref() == Some(point));
        let ops = touched().map(|t| t.op).min()?..=touched().map(|t| t.op).max()?;
        (own && rest.iter().all(|other| other == elem)).then_some(Held { elem: *elem, ops })
    }

    /// Whether an element is the same thread's wherever its memory is touched, if somebody writes it.
    fn is_own_if_written(&self, touched: &Touched) -> bool {
        let mut same = self.touched.iter().filter(|other| other.block == touched.block);
        !same.clone().any(|other| other.written)
            || touched.offset.is_some() && same.all(|other| other.offset == touched.offset)
    }

    /// Whether a thread finds the same if it reads and computes its points again in each operation, instead
    /// of what was made for them: nothing is overwritten that this would read.
    fn can_be_had_again(&self, body: &Body<Memory>) -> bool {
        let own = |name: Name| self.places.block_of(name).is_some_and(|block| self.made.contains_key(&block));
        let mut elsewhere = self.touched.iter().filter(|touched| !self.made.contains_key(&touched.block));
        let written =
            |block: Name| self.touched.iter().any(|touched| touched.block == block && touched.written);
        !self.scans
            && self.touched.iter().all(|touched| {
                !self.made.contains_key(&touched.block) || self.arrays.contains(&touched.array)
            })
            && !body.result.iter().filter_map(|e| e.name()).any(own)
            && (self.made.is_empty() || elsewhere.all(|touched| touched.written || !written(touched.block)))
    }

    /// Whether points of the map that are neighbours are so in memory, and those of the operations are not:
    /// somewhere, and the rest can be turned in shared memory.
    fn are_columns(&self, seg: &SegOp<Memory>) -> bool {
        let (Some((column, _)), Some((row, _))) = (seg.space.dims.last(), self.space) else { return false };
        self.touched.iter().any(|touched| {
            let Some(offset) = &touched.offset else { return false };
            let [across, down] = [*column, row].map(|index| offset.split_on(sym(index)).0);
            across.is_one() && !down.is_zero() && !down.is_one()
        })
    }

    /// How many points of a column a thread keeps: what it has before an operation, and what it has
    /// afterwards. An operation leaves elements where it found others.
    fn points_of_columns(&self, made: &[Held], reads: &[Held]) -> Option<i64> {
        let bytes_at = |op: usize| {
            let before = made.iter().filter(|held| held.ops.contains(&op) && *held.ops.start() < op);
            let read = reads.iter().filter(|held| held.ops.contains(&op));
            let after =
                made.iter().chain(reads).filter(|held| held.ops.contains(&op) && *held.ops.end() > op);
            let left = self.left.iter().filter(|held| held.ops.contains(&op));
            bytes(before.chain(read)).max(bytes(after.chain(left)))
        };
        let bytes = (0..self.ops).map(bytes_at).max()?;
        KEPT_POINTS_OF_COLUMNS.into_iter().find(|points| {
            bytes * points <= KEPT_BYTES_OF_COLUMNS
                && self.statements * *points as usize <= MAX_STATEMENTS_OF_KEPT_COLUMN
        })
    }

    /// A statement of the block: an operation, arithmetic, or a view.
    fn stm(&mut self, stm: &Stm<Memory>) -> bool {
        match &stm.exp {
            Exp::Op(MemOp::Alloc(_, Space::Shared)) => {
                if !is_exchange(stm) {
                    self.made.extend(stm.pat.iter().map(|p| (p.name, vec![])));
                }
                true
            }
            Exp::Op(MemOp::Seg(seg)) => self.operation(&stm.pat, seg),
            Exp::Basic(Basic::Index(..) | Basic::Rearrange(..) | Basic::Reshape(..) | Basic::Scratch(..))
                if !is_scalar(stm) =>
            {
                true
            }
            Exp::Basic(_) | Exp::If(..) => self.scalars(std::slice::from_ref(stm), None),
            Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
        }
    }

    fn operation(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) -> bool {
        let ([(point, width)], true) = (seg.space.dims.as_slice(), elements(seg)) else { return false };
        if self.space.get_or_insert((*point, *width)).1 != *width {
            return false;
        }
        let operators = match &seg.kind {
            SegKind::Map => true,
            SegKind::Red(ops) => {
                ops.iter().all(|op| is_commutative(op.comm, &op.op) && self.scalars(&op.op.body.stms, None))
            }
            SegKind::Scan(ops, None) => {
                self.scans = true;
                // What goes to memory of the block's own is counted there.
                let written = pat.iter().take(seg.combined()).filter(|p| {
                    !self.places.block_of(p.name).is_some_and(|block| self.made.contains_key(&block))
                });
                let held = |elem| Held { elem, ops: self.ops..=self.ops };
                self.scanned.extend(written.filter_map(|p| p.ty.elem()).map(held));
                ops.iter().all(|op| self.scalars(&op.op.body.stms, None))
            }
            SegKind::Scan(..) | SegKind::Hist(_) => false,
        };
        if statements(seg) > MAX_STATEMENTS_OF_KEPT_POINT {
            return false;
        }
        self.statements = self.statements.max(statements_of_column(seg));
        let prims = seg.types.iter().all(|ty| matches!(ty, Type::Prim(ty) if *ty != PrimType::Unit));
        if !operators || !prims || !self.scalars(&seg.body.body.stms, Some(*point)) {
            return false;
        }
        for p in pat {
            if let (MemInfo::Array { block, .. }, Some(elem)) = (&p.dec, p.ty.elem()) {
                self.touch(p.name, &vec![DimIndex::Fix((*point).into())], Some(*point), true);
                self.arrays.insert(p.name);
                match self.made.get_mut(block) {
                    Some(elems) => elems.push(elem),
                    None => self.left.push(Held { elem, ops: self.ops..=self.ops }),
                }
            }
        }
        self.ops += 1;
        true
    }

    /// Whether statements compute scalars, and nothing fails.
    fn scalars(&mut self, stms: &[Stm<Memory>], point: Option<Name>) -> bool {
        stms.iter().all(|stm| self.scalar(stm, point))
    }

    fn scalar(&mut self, stm: &Stm<Memory>, point: Option<Name>) -> bool {
        match &stm.exp {
            Exp::Basic(Basic::Index(array, slice)) => self.touch(*array, slice, point, false),
            Exp::Basic(Basic::Assert(..)) => return false,
            Exp::If(_, yes, no) => {
                if !self.scalars(&yes.stms, point) || !self.scalars(&no.stms, point) {
                    return false;
                }
            }
            Exp::Basic(_) => {}
            Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => return false,
        }
        is_scalar(stm)
    }

    fn touch(&mut self, array: Name, slice: &Slice, point: Option<Name>, written: bool) {
        let Some(block) = self.places.block_of(array) else { return };
        let offset = match (point, self.space, self.places.offset_in_block(array, slice)) {
            (Some(point), Some((first, _)), Some(offset)) => {
                Some(offset.subst(sym(point), &poly(first.into())))
            }
            _ => None,
        };
        self.touched.push(Touched { array, block, offset, written, op: self.ops });
    }
}

/// Statements for each point. Values are scanned in as many steps as a warp has bits in its lanes' numbers.
fn statements(seg: &SegOp<Memory>) -> usize {
    let scanned = match &seg.kind {
        SegKind::Scan(ops, _) => of_operators(ops),
        SegKind::Map | SegKind::Red(_) | SegKind::Hist(_) => 0,
    };
    count(&seg.body.body) + scanned * WARP_THREADS.trailing_zeros() as usize
}

/// The same where a thread has neighbouring points: it scans them, and then adds to them what is before.
fn statements_of_column(seg: &SegOp<Memory>) -> usize {
    let combined = match &seg.kind {
        SegKind::Scan(ops, _) => 2 * of_operators(ops),
        SegKind::Red(ops) => of_operators(ops),
        SegKind::Map | SegKind::Hist(_) => 0,
    };
    count(&seg.body.body) + combined
}

fn of_operators(ops: &[SegBinOp<Memory>]) -> usize {
    ops.iter().map(|op| count(&op.op.body)).sum()
}

fn count(body: &Body<Memory>) -> usize {
    let mut count = 0;
    for_each_stm(body, &mut |_| count += 1);
    count
}

fn is_scalar(stm: &Stm<Memory>) -> bool {
    stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)))
}

fn is_exchange(stm: &Stm<Memory>) -> bool {
    stm.attrs.iter().any(|a| matches!(a, Attr::Comp(name, _) if name.as_str() == EXCHANGE))
}
