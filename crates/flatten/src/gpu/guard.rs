//! Guards: whether there is enough parallelism for a version.

use super::Flat;
use fehu_base::tuning::flattening;
use fehu_base::{Name, Symbol};
use fehu_ir::build::nested_body;
use fehu_ir::seg::{KernelsOp, SizeClass, SizeOp};
use fehu_ir::{Body, Exp, Kernels, SubExp, Type};
use rustc_hash::FxHashSet;

/// Which version a threshold is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// The body is sequential.
    Outer,
    /// The body's parallelism is in one thread block.
    Intra,
}

impl Flat<'_> {
    /// The name of a new threshold. Names are numbered in each function, in the order of the program.
    pub(super) fn threshold(&mut self, version: Version) -> Symbol {
        let which = match version {
            Version::Outer => "outer",
            Version::Intra => "intra",
        };
        let name = format!("{}.suff_{which}_par_{}", self.fun, self.thresholds);
        self.thresholds += 1;
        Symbol::new(&name)
    }

    /// Whether a function may have more thresholds.
    pub(super) fn may_version(&self) -> bool {
        !self.options.moderate
            && self.machine == super::Machine::Grid
            && self.thresholds < self.options.max_thresholds
    }

    /// Compares the parallelism with a threshold.
    pub(super) fn enough(&mut self, name: Symbol, version: Version, par: SubExp) -> SubExp {
        let usual = match version {
            Version::Outer => None,
            Version::Intra => Some(flattening::BLOCK_VERSION_ELEMENTS),
        };
        let class = SizeClass::Threshold(self.path.clone(), usual);
        let cmp = SizeOp::CmpThreshold { name, class, par };
        self.seq.b.bind("suff", Type::BOOL, Exp::Op(KernelsOp::Size(cmp))).into()
    }

    /// Builds code that is reached by a decision.
    pub(super) fn decided<T>(&mut self, name: Symbol, answer: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push((name, answer));
        let result = f(self);
        self.path.pop();
        result
    }

    /// Builds a nested body, which may not be run: what it checks does not count.
    pub(super) fn nested(&mut self, f: impl FnOnce(&mut Self) -> Vec<SubExp>) -> Body<Kernels> {
        self.nested_checking(f).0
    }

    /// Builds a nested body, and says which checks its kernels make.
    pub(super) fn nested_checking(
        &mut self,
        f: impl FnOnce(&mut Self) -> Vec<SubExp>,
    ) -> (Body<Kernels>, super::checks::Ran) {
        let before = self.ran.len();
        let body = nested_body(self, |this| &mut this.seq.b, f);
        let mut ran = self.ran.split_off(before);
        // Levels whose widths are computed in the body mean nothing outside of it.
        let inside: FxHashSet<Name> = body.stms.iter().flat_map(|s| s.pat.iter().map(|p| p.name)).collect();
        ran.retain(|(_, deeper)| deeper.iter().all(|w| w.name().is_none_or(|n| !inside.contains(&n))));
        (body, ran)
    }

    /// A choice between two bodies with results of these types.
    pub(super) fn choose(
        &mut self,
        cond: SubExp,
        yes: Body<Kernels>,
        no: Body<Kernels>,
        types: Vec<Type>,
    ) -> Vec<SubExp> {
        let names = self.seq.b.bind_all("out", types, Exp::If(cond, Box::new(yes), Box::new(no)));
        names.into_iter().map(SubExp::Var).collect()
    }
}
