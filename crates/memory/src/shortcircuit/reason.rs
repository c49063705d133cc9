//! Why a value is not computed where it ends up: for people, who may be able to change it.

use super::{Dest, ShortCircuit};
use fehu_algebra::{Facts, Sym};
use fehu_analysis::order::{Order, Uses};
use fehu_base::Name;
use fehu_ir::mem::sym_name;
use fehu_ir::{Loc, Memory, Stm};

/// Why a value is copied to where it ends up.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// Its memory belongs to an argument or a loop, or is returned or passed on.
    NotItsOwn,
    /// The statement uses it twice, or it is also a result.
    UsedTwice,
    /// It is changed later, or what it was put into is, while it is still needed.
    ChangedLater,
    /// It is only a part of what was computed, or other arrays in its memory cannot be laid out like that.
    Layout,
    /// The place depends on the value, or on what cannot be computed before it.
    PlaceIsKnownTooLate,
    /// Memory that is used here, before the value is stored, may be the same, for all that is known of these
    /// indices.
    MayOverlap(Loc, Vec<Name>),
    /// Threads read it while they compute it, and their own memory is faster.
    ReadByThreads,
    /// There is too much code between its computation and its use.
    TooFarAway,
}

impl ShortCircuit {
    /// Records why a value stays where it is.
    pub(super) fn stays(&self, value: Name, reason: Reason) {
        if let Some(reasons) = &self.reasons {
            reasons.borrow_mut().insert(value, reason);
        }
    }

    /// The statement whose uses of the destination are in the way: the shortest beginning of the statements
    /// that is not in order ends with it.
    pub(super) fn in_the_way(
        &self,
        order: &Order<'_>,
        facts: &Facts,
        stms: &[Stm<Memory>],
        dest: &Dest,
    ) -> Reason {
        let fails = |until: &usize| !order.stms(facts, &stms[..*until], &mut Uses::nothing());
        let until = match self.reasons {
            Some(_) => (1..=stms.len()).find(fails),
            None => None,
        };
        let loc = until.map_or_else(Loc::none, |until| stms[until - 1].loc.clone());
        let lmad = &dest.place.lmad;
        let is_size = |x: &Sym| lmad.dims.iter().any(|d| d.size.mentions(*x) || d.stride.mentions(*x));
        let indices = lmad.offset.vars().into_iter().filter(|x| !is_size(x)).map(sym_name).collect();
        Reason::MayOverlap(loc, indices)
    }
}
