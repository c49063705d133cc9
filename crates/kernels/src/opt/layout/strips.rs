//! Scans and histograms of columns: threads along the columns, not down them.
//!
//! Which are made so is in [`crate::strips`], and how in [`fehu_ir::schedule::Strips`] and
//! [`fehu_ir::schedule::HistogramStrips`]. Here such an operation becomes two, of which the host takes the
//! one that the sizes ask for: one that reads arrays as they are, or one before which they are copied in
//! another layout.
//!
//! ```text
//!                                                          if columns and points are many
//! segscan (j < m, i < n) { a[i, j] } (+)            ->     then segscan (j < m, i < n) { a[i, j] } (+)
//!                                                          else let a' = ..  segscan (j < m, i < n) { a'[i, j] } (+)
//! ```

use super::access::{self, Use};
use super::{innermost, Layout};
use crate::strips::along;
use fehu_analysis::operator::update;
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::columns;
use fehu_base::tuning::schedule::{
    MAX_STRIP_HISTOGRAM_BYTES, MIN_COLUMNS_OF_STRIPS, MIN_POINTS_OF_STRIPS, MIN_POINTS_PER_BIN,
};
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::schedule::Update;
use fehu_ir::seg::{KernelsOp, SegKind, SegOp};
use fehu_ir::subst::rename_exp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Body, Exp, Kernels, Stm, SubExp};
use rustc_hash::FxHashSet;

impl Layout {
    /// The dimension of the space along which an operation is to have strips, if the sizes are such.
    pub(super) fn strips_along(&self, seg: &SegOp<Kernels>) -> Option<usize> {
        along(seg, &|read, dim| {
            let Some(array) = self.arrays.get(&read.array) else { return false };
            let inner = array.order.last().and_then(|d| read.dims.get(*d).copied()).flatten();
            let once = read.dims.iter().filter(|d| **d == Some(dim)).count();
            once == 0 || (once == 1 && array.dense && inner == Some(dim))
        })
    }

    /// A scan or a histogram of columns.
    pub(super) fn in_strips(&mut self, stm: &mut Stm<Kernels>, out: &mut Vec<Stm<Kernels>>) {
        let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return };
        let Some(along) = self.strips_along(seg) else { return };
        let worth = self.strips_pay(seg, along, out);
        let [yes, no] = [along, innermost(seg)].map(|along| self.branch(stm, along));
        stm.exp = Exp::If(worth, Box::new(yes), Box::new(no));
    }

    /// A copy of it whose threads are neighbours along a dimension.
    fn branch(&mut self, stm: &Stm<Kernels>, along: usize) -> Body<Kernels> {
        let mut scan = Stm { exp: rename_exp(&mut self.names, &stm.exp), ..stm.clone() };
        for p in &mut scan.pat {
            p.name = self.names.fresh_like(p.name);
        }
        let (made, mut stms) = (self.here.len(), vec![]);
        if let Exp::Op(KernelsOp::Seg(seg)) = &mut scan.exp {
            let uses = self.kernel(seg, along, &mut stms);
            if along == innermost(seg) {
                self.explain(&stm.loc, seg, &uses, "threads along columns, or ");
            }
        }
        self.here.truncate(made);
        let result = scan.pat.iter().map(|p| p.name.into()).collect();
        stms.push(scan);
        Body { stms, result }
    }

    /// Whether the sizes ask for strips: what the plan's own conditions ask for, where nobody has tuned them.
    fn strips_pay(&mut self, seg: &SegOp<Kernels>, along: usize, out: &mut Vec<Stm<Kernels>>) -> SubExp {
        let mut b: Builder<Kernels> = Builder::new(std::mem::replace(&mut self.names, NameSource::new()));
        b.begin();
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let n = sizes[sizes.len() - 1];
        let elements = b.product(&sizes);
        let mut pairs = vec![
            (SubExp::i64(MIN_COLUMNS_OF_STRIPS.usual), sizes[along]),
            (SubExp::i64(columns::ELEMENTS), elements),
        ];
        match &seg.kind {
            SegKind::Hist(ops) => {
                let (mut bytes, mut bins) = (SubExp::i64(0), SubExp::i64(0));
                for op in ops {
                    let own = b.product(&op.shape);
                    let lock = match update(&op.op) {
                        Update::Atomic | Update::Swap | Update::SwapPart => 0,
                        Update::Lock => PrimType::I32.bytes(),
                    };
                    let values: u64 = op.op.ret.iter().filter_map(|t| t.elem()).map(|t| t.bytes()).sum();
                    // A few bins more than there are: arrays are whole words, and begin at multiples of 16 bytes.
                    let rounded = b.add64(own, SubExp::i64(8));
                    let strip = b.mul64(rounded, SubExp::i64(WARP_THREADS * (lock + values) as i64));
                    (bytes, bins) = (b.add64(bytes, strip), b.add64(bins, own));
                }
                let most = SubExp::i64(MAX_STRIP_HISTOGRAM_BYTES.usual);
                let points = b.mul64(bins, SubExp::i64(MIN_POINTS_PER_BIN.usual));
                pairs.extend([(bytes, most), (points, n)]);
            }
            SegKind::Map | SegKind::Red(_) | SegKind::Scan(..) => {
                pairs.push((SubExp::i64(MIN_POINTS_OF_STRIPS.usual), n));
            }
        }
        let mut enough = vec![];
        for (less, more) in pairs {
            enough.push(b.cmp(CmpOp::SLe(IntType::I64), less, more));
        }
        let all = enough.into_iter().reduce(|all, enough| b.bin(BinOp::LogAnd, all, enough));
        let all = all.unwrap_or(SubExp::bool(true));
        out.extend(b.end(vec![]).stms);
        self.names = b.names;
        all
    }

    /// How a kernel uses arrays of the host if its threads are neighbours along a dimension. What comes after
    /// a scan is done along segments.
    pub(super) fn uses(&self, seg: &SegOp<Kernels>, along: usize) -> Vec<Use> {
        let is_array = |a: Name| self.arrays.contains_key(&a);
        let mut uses = access::of_kernel(seg, along, &is_array);
        if along != innermost(seg) {
            let mut inside: FxHashSet<Name> = FxHashSet::default();
            for_each_stm(&seg.body.body, &mut |stm| inside.extend(stm.pat.iter().map(|p| p.name)));
            uses.retain(|used| inside.contains(&used.stm));
            let after = access::of_kernel(seg, innermost(seg), &is_array);
            uses.extend(after.into_iter().filter(|used| !inside.contains(&used.stm)));
        }
        uses
    }
}
