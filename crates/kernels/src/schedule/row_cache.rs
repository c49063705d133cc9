//! Rows that points read again and again are kept in shared memory.
//!
//! A point that goes through a row of its own in an inner loop, for every iteration of an outer one, reads
//! the row many times; and neighbouring threads, being in different rows, read far from each other. With a
//! row cache, the threads of a block copy the rows of all its points into shared memory first, side by side,
//! and then each point runs its code as it is, with the rows read from there.
//!
//! ```text
//! segmap (i < n) { loop for j < k { loop for c < d { ... points[i,c] ... centres[j,c] ... } } }
//! ```
//!
//! This needs shared memory for whole rows; the host finds out whether there is enough for two blocks at a time.

use super::{read_element, when, Scheduler};
use fehu_base::prim::IntType;
use fehu_base::tuning::schedule::{MAX_DEPTH_PER_ITERATION, MAX_PERCENT_COVERED};
use fehu_base::{Name, Symbol};
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::{sym, sym_name, MemOp};
use fehu_ir::schedule::{Amount, Choice, Condition, Plan, Quantity, RowCache};
use fehu_ir::seg::SegOp;
use fehu_ir::{Body, Exp, LoopForm, Memory, Slice, SubExp};
use rustc_hash::FxHashSet;

/// The reads of a map that are worth keeping.
pub(super) struct CachedRows {
    /// What is read, and the loop that goes through the row.
    reads: Vec<(Name, Counted)>,
    /// The bounds of all loops around them.
    around: Vec<Counted>,
}

/// A loop with the same bound for all points.
#[derive(Clone, Copy)]
struct Counted {
    var: Name,
    ty: IntType,
    bound: SubExp,
}

impl Counted {
    fn bound(&self) -> Amount {
        Quantity::Size(self.bound, self.ty).into()
    }
}

impl CachedRows {
    /// The kernel, and when it pays.
    pub(super) fn choice(&self, scheduler: &mut Scheduler, tile: Symbol) -> Choice {
        let mut conditions = vec![Condition::must(Quantity::Block, Quantity::MaxBlock)];
        for (_, along) in &self.reads {
            let most = along.bound().and(scheduler.threshold(MAX_DEPTH_PER_ITERATION));
            conditions.push(Condition::pays(Quantity::Depth, most));
        }
        for l in &self.around {
            // A row that no iteration reads need not exist.
            conditions.push(Condition::must(1, l.bound()));
        }
        conditions.push(Condition::must(Amount::from(Quantity::Shared).times(2), Quantity::MaxShared));
        conditions.push(scheduler.covers(MAX_PERCENT_COVERED));
        let reads = self.reads.iter().map(|(name, along)| (*name, along.var)).collect();
        when(conditions, Plan::RowCache(RowCache { tile, reads }))
    }
}

impl Scheduler {
    /// What of a map is worth keeping.
    pub(super) fn cached_rows(&self, seg: &SegOp<Memory>) -> Option<CachedRows> {
        let across = seg.space.dims.last()?.0;
        let dims: Vec<Name> = seg.space.dims.iter().map(|d| d.0).collect();
        let inside = bound_in_exp::<Memory>(&Exp::Op(MemOp::Seg(seg.clone()))).into_iter().collect();
        let mut finder =
            Finder { s: self, across, dims, inside, loops: vec![], reads: vec![], around: vec![] };
        for stm in seg.body.body.stms.iter().take_while(|s| s.is_plain()) {
            finder.exp(&stm.exp);
        }
        let Finder { reads, around, .. } = finder;
        (!reads.is_empty()).then_some(CachedRows { reads, around })
    }
}

/// Looks for reads that are worth keeping.
struct Finder<'t> {
    s: &'t Scheduler,
    across: Name,
    dims: Vec<Name>,
    /// Names bound in the map.
    inside: FxHashSet<Name>,
    loops: Vec<Counted>,
    reads: Vec<(Name, Counted)>,
    around: Vec<Counted>,
}

impl Finder<'_> {
    fn exp(&mut self, exp: &Exp<Memory>) {
        let Exp::Loop(l) = exp else { return };
        let LoopForm::For { var, ty, bound } = l.form else { return };
        if bound.name().is_none_or(|n| !self.inside.contains(&n)) {
            self.loops.push(Counted { var, ty, bound });
            self.body(&l.body);
            self.loops.pop();
        }
    }

    fn body(&mut self, body: &Body<Memory>) {
        for stm in &body.stms {
            match read_element(stm) {
                Some((name, array, slice)) => {
                    if let Some(along) = self.row(array, slice) {
                        self.reads.push((name, along));
                        self.around.extend(&self.loops);
                    }
                }
                None => self.exp(&stm.exp),
            }
        }
    }

    /// The loop that goes through a row, if there is another one in which the row is the same.
    fn row(&self, array: Name, slice: &Slice) -> Option<Counted> {
        let offset = self.s.places.offset(array, slice)?;
        let through: Vec<&Counted> = self.loops.iter().filter(|l| offset.mentions(sym(l.var))).collect();
        let [along] = through.as_slice() else { return None };
        let known = |n: Name| n == along.var || self.dims.contains(&n) || !self.inside.contains(&n);
        let in_leaps = !offset.split_on(sym(self.across)).0.is_one() && offset.mentions(sym(self.across));
        let by_loop = offset.split_on(sym(along.var)).0.is_one();
        let again = self.loops.len() > 1;
        let fine = offset.vars().iter().all(|x| known(sym_name(*x)));
        (fine && again && in_leaps && by_loop).then_some(**along)
    }
}
