//! Blocks that compute several columns, for which nothing has to be copied.
//!
//! A block that reduces, scans and maps a column reads it in leaps, so that arrays of which it reads each
//! element often are copied in another layout before ([`super::choose`]). But where threads keep what they
//! have read (`schedule/kept`), blocks have 32 columns that lie beside each other, and read each element
//! once, in order; or once for each operation, if nothing is scanned, and columns are longer than threads can
//! keep. Which it is depends on sizes, so that such an operation becomes two, of which the host takes one:
//!
//! ```text
//!                                                          if columns are many, and as short as threads can keep, or nothing is scanned
//! segmap block (j < m) { .. a[i, j] .. a[i, j] ..}  ->     then segmap block (j < m) { .. a[i, j] .. a[i, j] .. }
//!                                                          else let a' = ..  segmap block (j < m) { .. a'[i, j] .. a'[i, j] .. }
//! ```
//!
//! What is asked for here is what the schedule asks for, or more.

use super::{innermost, Layout, Warps};
use fehu_analysis::operator::is_commutative;
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::{
    KEPT_BYTES_OF_COLUMNS, KEPT_POINTS_OF_COLUMNS, KEPT_WARPS_OF_COLUMNS, MAX_STATEMENTS_OF_KEPT_COLUMN,
    MAX_STATEMENTS_OF_KEPT_POINT, MIN_KEPT_COLUMNS, MIN_LONG_COLUMNS, MIN_ROWS_OF_KEPT_COLUMNS,
};
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::seg::{KernelReturn, KernelsOp, SegBinOp, SegKind, SegLevel, SegOp};
use fehu_ir::subst::rename_exp;
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Columns that threads can keep.
#[derive(Clone, Copy)]
pub(super) struct KeptColumns {
    /// Points of each.
    rows: SubExp,
    /// How many there may be.
    most: i64,
    /// Whether there may be more if threads read and compute them again in each operation.
    again: bool,
}

impl Layout {
    /// The columns that an operation is about, if blocks may have several.
    pub(super) fn kept_columns(&self, seg: &SegOp<Kernels>) -> Option<KeptColumns> {
        let block = seg.level == SegLevel::Block && seg.grid.is_none() && elements(seg);
        if self.warps == Warps::Unknown || !block || !matches!(seg.kind, SegKind::Map) {
            return None;
        }
        let mut found = Found::default();
        if !seg.body.body.stms.iter().all(|stm| found.stm(stm)) {
            return None;
        }
        let rows = found.width.filter(|width| !width.name().is_some_and(|n| found.inside.contains(&n)))?;
        let read: i64 =
            found.read.iter().filter_map(|a| self.arrays.get(a)?.ty.elem()).map(|t| t.bytes() as i64).sum();
        let (needed, left): (Vec<_>, Vec<_>) =
            found.made.iter().partition(|(a, _)| found.needed.contains(*a));
        let bytes = |made: Vec<(&Name, &PrimType)>| made.iter().map(|(_, ty)| ty.bytes() as i64).sum::<i64>();
        let bytes = bytes(needed) + read.max(bytes(left));
        let points = KEPT_POINTS_OF_COLUMNS.into_iter().find(|points| {
            bytes * points <= KEPT_BYTES_OF_COLUMNS
                && found.statements * *points as usize <= MAX_STATEMENTS_OF_KEPT_COLUMN
        })?;
        let results = seg.body.body.result.iter().filter_map(|e| e.name());
        let again = !found.scans && results.into_iter().all(|result| !found.needed.contains(&result));
        Some(KeptColumns { rows, most: points * KEPT_WARPS_OF_COLUMNS, again })
    }

    /// An operation of blocks, in two versions if arrays are copied for it here.
    pub(super) fn in_kept_columns(
        &mut self,
        stm: &mut Stm<Kernels>,
        columns: KeptColumns,
        out: &mut Vec<Stm<Kernels>>,
    ) {
        let Exp::Op(KernelsOp::Seg(seg)) = &mut stm.exp else { return };
        let as_it_was = seg.clone();
        let (made, mut copies) = (self.here.len(), vec![]);
        let uses = self.kernel(seg, innermost(seg), &mut copies);
        self.explain(&stm.loc, seg, &uses, "");
        if copies.is_empty() {
            return;
        }
        self.here.truncate(made);
        let worth = self.columns_are_kept(&as_it_was, columns, out);
        let no = self.version(stm, copies);
        stm.exp = Exp::Op(KernelsOp::Seg(as_it_was));
        let yes = self.version(stm, vec![]);
        stm.exp = Exp::If(worth, Box::new(yes), Box::new(no));
    }

    /// A copy of an operation, after other statements.
    fn version(&mut self, stm: &Stm<Kernels>, mut stms: Vec<Stm<Kernels>>) -> Body<Kernels> {
        let mut copy = Stm { exp: rename_exp(&mut self.names, &stm.exp), ..stm.clone() };
        for p in &mut copy.pat {
            p.name = self.names.fresh_like(p.name);
        }
        let result = copy.pat.iter().map(|p| p.name.into()).collect();
        stms.push(copy);
        Body { stms, result }
    }

    /// Whether the sizes are such that blocks have several columns: what the plan's own conditions ask for,
    /// where nobody has tuned them.
    fn columns_are_kept(
        &mut self,
        seg: &SegOp<Kernels>,
        KeptColumns { rows, most, again }: KeptColumns,
        out: &mut Vec<Stm<Kernels>>,
    ) -> SubExp {
        let mut b: Builder<Kernels> = Builder::new(std::mem::replace(&mut self.names, NameSource::new()));
        b.begin();
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let all = b.product(&sizes);
        let mut hold = |pairs: &[(SubExp, SubExp)]| {
            let mut worth = SubExp::bool(true);
            for (less, more) in pairs {
                let enough = b.cmp(CmpOp::SLe(IntType::I64), *less, *more);
                worth = b.bin(BinOp::LogAnd, worth, enough);
            }
            worth
        };
        let beside = (SubExp::i64(WARP_THREADS), sizes[sizes.len() - 1]);
        let mut worth = hold(&[
            (SubExp::i64(MIN_KEPT_COLUMNS.usual), all),
            beside,
            (SubExp::i64(MIN_ROWS_OF_KEPT_COLUMNS.usual), rows),
            (rows, SubExp::i64(most)),
        ]);
        if again {
            let long = (SubExp::i64(most + 1), rows);
            let long = hold(&[(SubExp::i64(MIN_LONG_COLUMNS.usual), all), beside, long]);
            worth = b.bin(BinOp::LogOr, worth, long);
        }
        out.extend(b.end(vec![]).stms);
        self.names = b.names;
        worth
    }
}

fn elements(seg: &SegOp<Kernels>) -> bool {
    seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem))
}

/// What is known of the operations of a block so far.
#[derive(Default)]
struct Found {
    /// The points of all of them.
    width: Option<SubExp>,
    /// What is bound in the block.
    inside: FxHashSet<Name>,
    /// The arrays that operations make, of which threads only need their own elements.
    made: FxHashMap<Name, PrimType>,
    /// Those of them that operations read.
    needed: FxHashSet<Name>,
    /// Arrays from outside that they read.
    read: FxHashSet<Name>,
    /// The most statements of one.
    statements: usize,
    /// Whether one is a scan.
    scans: bool,
}

impl Found {
    /// Whether a statement is an operation on the points, arithmetic, or reads what is there whatever the
    /// block computes.
    fn stm(&mut self, stm: &Stm<Kernels>) -> bool {
        let suits = match &stm.exp {
            Exp::Op(KernelsOp::Seg(seg)) => self.operation(stm, seg),
            Exp::Basic(basic) => is_scalar(stm) && is_plain(basic) && self.reads_outside(basic),
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
        };
        self.inside.extend(stm.pat.iter().map(|p| p.name));
        suits
    }

    fn operation(&mut self, stm: &Stm<Kernels>, seg: &SegOp<Kernels>) -> bool {
        let ([(point, width)], SegLevel::InBlock) = (seg.space.dims.as_slice(), seg.level) else {
            return false;
        };
        if *self.width.get_or_insert(*width) != *width || !elements(seg) {
            return false;
        }
        let (operators, commute): (&[SegBinOp<Kernels>], bool) = match &seg.kind {
            SegKind::Map => (&[], true),
            SegKind::Red(ops) => (ops, ops.iter().all(|op| is_commutative(op.comm, &op.op))),
            SegKind::Scan(ops, None) => (ops, true),
            SegKind::Scan(..) | SegKind::Hist(_) => return false,
        };
        self.scans |= matches!(seg.kind, SegKind::Scan(..));
        let numbers = seg.types.iter().all(|ty| matches!(ty, Type::Prim(ty) if *ty != PrimType::Unit));
        let of_operators: usize = operators.iter().map(|op| op.op.body.stms.len()).sum();
        let statements = seg.body.body.stms.len();
        // Values are scanned in five steps where a block has one row.
        let suits = commute && numbers && statements + 5 * of_operators <= MAX_STATEMENTS_OF_KEPT_POINT;
        self.statements = self.statements.max(statements + 2 * of_operators);
        let plain = |stm: &Stm<Kernels>| match &stm.exp {
            Exp::Basic(basic) => is_scalar(stm) && is_plain(basic),
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
        };
        let mut arithmetic = operators.iter().flat_map(|op| &op.op.body.stms);
        let own = |stm: &Stm<Kernels>| {
            let Exp::Basic(Basic::Index(array, slice)) = &stm.exp else { return true };
            match self.made.contains_key(array) {
                true => matches!(slice.as_slice(), [DimIndex::Fix(SubExp::Var(i))] if i == point),
                false => !self.inside.contains(array),
            }
        };
        let points = seg.body.body.stms.iter().all(|stm| plain(stm) && own(stm));
        for stm in &seg.body.body.stms {
            if let Exp::Basic(Basic::Index(array, _)) = &stm.exp {
                match self.made.contains_key(array) {
                    true => self.needed.insert(*array),
                    false => self.read.insert(*array),
                };
            }
        }
        let arrays = stm.pat.iter().filter(|p| p.ty.is_array());
        self.made.extend(arrays.filter_map(|p| Some((p.name, p.ty.elem()?))));
        suits
            && points
            && arithmetic.all(|stm| plain(stm) && !matches!(stm.exp, Exp::Basic(Basic::Index(..))))
    }

    /// Whether an element that is read outside of operations is that of an array from outside, at a place
    /// that is known there.
    fn reads_outside(&self, basic: &Basic) -> bool {
        let Basic::Index(array, slice) = basic else { return true };
        let known = |e: &SubExp| e.name().is_none_or(|n| !self.inside.contains(&n));
        !self.inside.contains(array) && slice.iter().all(|d| matches!(d, DimIndex::Fix(i) if known(i)))
    }
}

fn is_scalar(stm: &Stm<Kernels>) -> bool {
    stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)))
}

/// Whether an expression is arithmetic, or an element of an array.
fn is_plain(basic: &Basic) -> bool {
    match basic {
        Basic::SubExp(_)
        | Basic::UnOp(..)
        | Basic::BinOp(..)
        | Basic::CmpOp(..)
        | Basic::Conv(..)
        | Basic::PrimFn(..)
        | Basic::Index(..) => true,
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
        | Basic::Rearrange(..)
        | Basic::Reshape(..)
        | Basic::Scratch(..)
        | Basic::Assert(..) => false,
    }
}
