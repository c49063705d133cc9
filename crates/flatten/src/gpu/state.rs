//! The state of flattening: what is known of the program, in parts with methods of their own, and the code of
//! the host so far.
//!
//! A part knows nothing of the others: [`Guards`] numbers thresholds, [`Ran`] records checks, [`Arrays`] and
//! [`HostNames`] hold facts about names. What needs one part alone takes that part.
//!
//! Methods of [`Flat`] are the judgements that rules need each other for: `host_body` and `under`
//! (`g0_host`), `seg_map` and `open` (`g1_manifest`), `versions` (`g3_versions`), `distribute`
//! (`g6_distribute`), `soac` and what it consists of (`g9_redomap`), and here what all of them build code
//! with. The rest are functions, called by the name of their file:
//!
//! ```text
//! g7_loop::map_loop(flat, nest, stm, l, later)      calls      flat.distribute_for(inner, body, ..)
//! ```
//!
//! So a file names only those below it, although rules apply inside of each other.

use super::arrays::Arrays;
use super::guard::{Guards, Version};
use super::host_names::HostNames;
use super::ran::Ran;
use crate::sequential::{Calls, Seq};
use fehu_base::{Name, Symbol};
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::build::nested_body;
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::seg::KernelsOp;
use fehu_ir::types::prog_types;
use fehu_ir::{Attr, Body, Builder, Exp, Kernels, Param, PatElem, Prog, Soacs, Stm, SubExp, Type};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

/// What runs the operations made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Machine {
    /// The whole device.
    Grid,
    /// One thread block.
    Block,
}

/// The state of flattening.
pub(super) struct Flat {
    /// Makes sequential code, and owns the builder.
    pub(super) seq: Seq,
    pub(super) signatures: Signatures,
    /// Of the functions as they were before.
    aliases: Vec<Aliases>,
    pub(super) machine: Machine,
    pub(super) guards: Guards,
    /// The checks that kernels run so far.
    pub(super) ran: Ran,
    pub(super) arrays: Arrays,
    pub(super) names: HostNames,
    /// Whether the device has warps.
    pub(super) warps: bool,
    /// Whether loops under the current nest have versions in thread blocks: what is around them has none.
    pub(super) loops_in_blocks: bool,
    /// Attributes of the combinators around that say how kernels run, innermost first.
    pub(super) schedules: Vec<Attr>,
}

impl Flat {
    /// What is known of a program before any of its code is flattened; its functions may have so many thresholds.
    pub(super) fn new(prog: &Prog<Soacs>, max_thresholds: usize) -> Flat {
        let mut builder = Builder::new(prog.names.clone());
        builder.types = prog_types(prog);
        let signatures = Signatures::of_prog(prog);
        Flat {
            seq: Seq::new(builder, Calls::Copies(IndexMap::default())),
            aliases: prog.funs.iter().map(|f| Aliases::of_fun(&signatures, f)).collect(),
            signatures,
            machine: Machine::Grid,
            guards: Guards::new(max_thresholds),
            ran: Ran::default(),
            arrays: Arrays::of(prog),
            names: HostNames::default(),
            warps: false,
            loops_in_blocks: false,
            schedules: vec![],
        }
    }

    /// The names whose memory a body takes over. Each point of a nest needs such an array for itself.
    pub(super) fn taken_over(&self, body: &Body<Soacs>) -> FxHashSet<Name> {
        let aliases = Aliases::of_body(&self.signatures, body);
        let taken = |stm: &Stm<Soacs>| consumed_by_exp(&self.signatures, &aliases, &stm.exp);
        body.stms.iter().flat_map(taken).collect()
    }

    /// The names from which the memory of an array may come, by what is known of the body that it is in and
    /// of the function.
    pub(super) fn memory_of(&self, body: &Aliases, array: Name) -> FxHashSet<Name> {
        let around = |n: Name| self.aliases.iter().flat_map(move |aliases| aliases.of(n)).chain([n]);
        body.of(array).into_iter().flat_map(around).collect()
    }

    /// Whether the current code may have versions that thresholds choose from.
    pub(super) fn may_version(&self) -> bool {
        self.machine == Machine::Grid && self.guards.may_add()
    }

    /// Whether there is as much parallelism as a threshold says, which may be split by another size.
    pub(super) fn enough(
        &mut self,
        name: Symbol,
        version: Version,
        par: SubExp,
        other: Option<SubExp>,
    ) -> SubExp {
        let compare = KernelsOp::Size(self.guards.compare(name, version, par, other));
        self.seq.b.bind("suff", Type::BOOL, Exp::Op(compare)).into()
    }

    /// Builds code that is reached by a decision.
    pub(super) fn decided<T>(&mut self, name: Symbol, answer: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        self.guards.decide(name, answer);
        let result = f(self);
        self.guards.leave();
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
    ) -> (Body<Kernels>, Ran) {
        let before = self.ran.so_far();
        let body = nested_body(self, |this| &mut this.seq.b, f);
        let mut ran = self.ran.take_since(before);
        ran.leave(&body);
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

    /// Code with combinators, at the place of a statement. What that depends on, the nest or the builder
    /// knows already. Its attributes are about the rows as they were: `sequential_inner` does not ask for one
    /// thread per column.
    pub(super) fn soacs(
        &mut self,
        stm: &Stm<Soacs>,
        code: impl FnOnce(&Self, &mut Builder<Soacs>) -> Vec<SubExp>,
    ) -> Body<Soacs> {
        let mut b = Builder::new(std::mem::take(&mut self.seq.b.names));
        b.types = std::mem::take(&mut self.seq.b.types);
        b.loc = stm.loc.clone();
        b.begin();
        let result = code(self, &mut b);
        let body = b.end(result);
        self.seq.b.names = b.names;
        self.seq.b.types = b.types;
        body
    }

    /// A parameter of a lambda of a combinator.
    pub(super) fn soac_param(&mut self, base: &str, ty: Type) -> Param<Soacs> {
        let name = self.seq.b.fresh(base, ty.clone());
        Param { name, ty, dec: (), consumed: false }
    }

    /// New names for values of these types.
    pub(super) fn pattern(&mut self, base: &str, types: Vec<Type>) -> Vec<PatElem<Soacs>> {
        let elem = |ty: Type| PatElem { name: self.seq.b.fresh(base, ty.clone()), ty, dec: () };
        types.into_iter().map(elem).collect()
    }
}
