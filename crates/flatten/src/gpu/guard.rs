//! Guards: whether there is enough parallelism for a version.
//!
//! Each guard compares the parallelism with a threshold, which tuning can set. A threshold has a name,
//! numbered in its function in the order of the program, and the path of decisions that lead to it:
//!
//! ```text
//! if cmp_threshold main.suff_outer_par_0 n then ...
//! else if cmp_threshold main.suff_intra_par_1 n (main.suff_outer_par_0 false) then ...
//! ```
//!
//! How well a version does depends on more than the parallelism that its guard compares: one thread for each
//! of 16 rows is right for short rows and wrong for long ones. So a guard also names another size
//! ([`SizeOp::CmpThreshold`]), by which tuning splits the threshold where no value serves all data sets: for
//! the outer version the parallelism inside, for the one in blocks how many blocks there are. By default it
//! makes no difference.

use fehu_base::tuning::flattening;
use fehu_base::Symbol;
use fehu_ir::seg::{SizeClass, SizeOp};
use fehu_ir::SubExp;

/// Which version a threshold is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// The body is sequential.
    Outer,
    /// The body's parallelism is in one thread block.
    Intra,
}

/// Whether widths are numbers, and so small that by default one thread at each point is never enough.
pub(super) fn never_enough(widths: &[SubExp]) -> bool {
    let points = widths.iter().try_fold(1, |all: i64, n| all.checked_mul(n.as_i64()?));
    points.is_some_and(|n| n < flattening::ENOUGH_PARALLELISM)
}

/// The thresholds of the current function, and the decisions that lead to the current code.
pub(super) struct Guards {
    /// How many thresholds a function may have.
    most: usize,
    /// The name of the current function.
    fun: String,
    /// How many thresholds it has.
    count: usize,
    path: Vec<(Symbol, bool)>,
}

/// A number of thresholds to go back to, where the code that asks for more is not used.
#[derive(Clone, Copy)]
pub(super) struct Count(usize);

impl Guards {
    /// No thresholds yet, in code outside of functions; functions may have so many.
    pub(super) fn new(most: usize) -> Guards {
        Guards { most, fun: String::from("const"), count: 0, path: vec![] }
    }

    /// From here on, code is of this function.
    pub(super) fn enter(&mut self, fun: String) {
        self.fun = fun;
        self.count = 0;
    }

    /// The name of a new threshold.
    pub(super) fn name(&mut self, version: Version) -> Symbol {
        let which = match version {
            Version::Outer => "outer",
            Version::Intra => "intra",
        };
        let name = format!("{}.suff_{which}_par_{}", self.fun, self.count);
        self.count += 1;
        Symbol::new(&name)
    }

    /// Whether the function may have more thresholds.
    pub(super) fn may_add(&self) -> bool {
        self.count < self.most
    }

    /// The comparison of the parallelism with a threshold, which may be split by another size.
    pub(super) fn compare(
        &self,
        name: Symbol,
        version: Version,
        par: SubExp,
        other: Option<SubExp>,
    ) -> SizeOp {
        let usual = match version {
            Version::Outer => None,
            Version::Intra => Some(flattening::BLOCK_VERSION_ELEMENTS),
        };
        // A constant, or the same size again, splits nothing.
        let by = other.filter(|size| *size != par && size.name().is_some());
        SizeOp::CmpThreshold { name, class: SizeClass::Threshold(self.path.clone(), usual), par, by }
    }

    /// How many thresholds there are.
    pub(super) fn count(&self) -> Count {
        Count(self.count)
    }

    /// Those made since are not used.
    pub(super) fn back_to(&mut self, count: Count) {
        self.count = count.0;
    }

    /// The code to come is reached by this decision, until [`Guards::leave`].
    pub(super) fn decide(&mut self, name: Symbol, answer: bool) {
        self.path.push((name, answer));
    }

    /// The code of the last decision is complete.
    pub(super) fn leave(&mut self) {
        self.path.pop();
    }
}
