//! What is known of names bound on the host: those that are others now, and conditions that thresholds can
//! decide instead.
//!
//! ```text
//! let ys = map f xs       the operation made of it binds `out`: ys is out everywhere
//! let enough = 4096 <= n  a choice of versions by `enough` compares n with a threshold
//! ```

use fehu_base::Name;
use fehu_ir::subst::Subst;
use fehu_ir::SubExp;
use rustc_hash::FxHashMap;

/// What is known of names of the host.
#[derive(Default)]
pub(super) struct HostNames {
    /// Results of statements that are other names now.
    replaced: FxHashMap<Name, SubExp>,
    /// Conditions that compare a number with a constant below it, and these numbers.
    compared: FxHashMap<Name, SubExp>,
}

impl HostNames {
    /// The name is this operand now.
    pub(super) fn replace(&mut self, name: Name, by: SubExp) {
        self.replaced.insert(name, by);
    }

    /// What stands for the names that are others now, followed to the end.
    pub(super) fn replacements(&self) -> Subst {
        let mut subst = Subst::new();
        for name in self.replaced.keys() {
            subst.insert(*name, self.now(SubExp::Var(*name)));
        }
        subst
    }

    /// What an operand is now.
    pub(super) fn now(&self, mut e: SubExp) -> SubExp {
        while let Some(next) = e.name().and_then(|n| self.replaced.get(&n)) {
            e = *next;
        }
        e
    }

    /// The condition says whether a number is as large as a constant.
    pub(super) fn compare(&mut self, condition: Name, number: SubExp) {
        self.compared.insert(condition, number);
    }

    /// The number that a condition compares with a constant, if it does.
    pub(super) fn compared(&self, condition: SubExp) -> Option<SubExp> {
        self.compared.get(&condition.name()?).copied()
    }
}
