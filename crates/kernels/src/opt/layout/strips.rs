//! Scans of columns: threads along the columns, not down them.
//!
//! Which scans are scanned so is in [`crate::strips`], and how in [`fehu_ir::schedule::Strips`]. Here such a scan becomes two, of which
//! the host takes the one that the sizes ask for: one that reads arrays as they are, or one before which they are copied in
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
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::columns;
use fehu_base::tuning::schedule::{MIN_COLUMNS_OF_STRIPS, MIN_POINTS_OF_STRIPS};
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::seg::{KernelsOp, SegOp};
use fehu_ir::subst::rename_exp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Body, Exp, Kernels, Stm, SubExp};
use rustc_hash::FxHashSet;

impl Layout {
    /// The dimension of the space along which a scan is to have strips, if the sizes are such.
    pub(super) fn strips_along(&self, seg: &SegOp<Kernels>) -> Option<usize> {
        along(seg, &|read, dim| {
            let Some(array) = self.arrays.get(&read.array) else { return false };
            let inner = array.order.last().and_then(|d| read.dims.get(*d).copied()).flatten();
            let once = read.dims.iter().filter(|d| **d == Some(dim)).count();
            once == 0 || (once == 1 && array.dense && inner == Some(dim))
        })
    }

    /// A scan of columns.
    pub(super) fn in_strips(&mut self, stm: &mut Stm<Kernels>, out: &mut Vec<Stm<Kernels>>) {
        let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return };
        let Some(along) = self.strips_along(seg) else { return };
        let worth = self.strips_pay(seg, along, out);
        let [yes, no] = [along, innermost(seg)].map(|along| self.branch(stm, along));
        stm.exp = Exp::If(worth, Box::new(yes), Box::new(no));
    }

    /// A copy of a scan whose threads are neighbours along a dimension.
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
        let least = [
            (MIN_COLUMNS_OF_STRIPS.usual, sizes[along]),
            (MIN_POINTS_OF_STRIPS.usual, n),
            (columns::ELEMENTS, elements),
        ];
        let enough = least.map(|(least, size)| b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(least), size));
        let [first, others @ ..] = enough;
        let all = others.into_iter().fold(first, |all, enough| b.bin(BinOp::LogAnd, all, enough));
        out.extend(b.end(vec![]).stms);
        self.names = b.names;
        all
    }

    /// How a kernel uses arrays of the host if its threads are neighbours along a dimension. What comes after a scan is done along segments.
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
