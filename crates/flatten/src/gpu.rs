//! Incremental flattening: nested parallelism becomes segmented operations.
//!
//! Before: a program over `Soacs` without `Ad`. After: the same program over
//! `Kernels`: combinators on the host are [`SegOp`](fehu_ir::seg::SegOp)s, and
//! what is inside of their bodies is sequential.
//!
//! The judgement of the paper, `Σ ⊢ e ⇒ e'`, reads: under the map nest `Σ`, the
//! expression `e` becomes `e'`. Here `Σ` is a [`nest::Nest`], and the rules are
//! methods of [`Flat`] that append statements to the host's code and return, for
//! each result of `e`, the array of its values over the whole nest. Each rule
//! has a file:
//!
//! | rule | file | what it says |
//! | --- | --- | --- |
//! | G0 | `g0_host` | outside of all maps, code stays on the host |
//! | G1 | `g1_manifest` | a nest over sequential code is one kernel |
//! | G2, G3 | `g3_versions` | a map is one kernel, or several versions guarded by thresholds |
//! | G4 | `g4_vector`, `g4_rows`, `g4_tree` | a reduction or scan of rows is a map of such, or level by level |
//! | G5 | `g5_rearrange` | a map of transpositions is one transposition |
//! | G6 | `g6_distribute` | a map of several statements is several maps |
//! | G7 | `g7_loop` | a map of loops is a loop of maps |
//! | G8 | `g8_branch` | a map of branches is a branch of maps |
//! | G9 | `g9_redomap` | a reduction of a map is one kernel, or a map and a reduction |
//!
//! `filter` counts, numbers and places what is kept. `checks` says which kernel makes which check. `invariant` moves out of a nest what means the same at all its points. `join` reads elements of joined arrays from
//! their parts. `scattered` holds writes at computed places. `nest` is `Σ`; `parallel`
//! says which code is worth flattening; `steer` reads attributes; `guard` makes thresholds;
//! `block` builds the versions that run in one thread block; `forest` lists thresholds; `serialise_on_host` makes host
//! loops of what no kernel can run.
//!
//! A piece of code that is used in several versions is renamed for each.

mod block;
mod checks;
mod filter;
mod forest;
mod g0_host;
mod g1_manifest;
mod g3_versions;
mod g4_rows;
mod g4_tree;
mod g4_vector;
mod g5_rearrange;
mod g6_distribute;
mod g7_loop;
mod g8_branch;
mod g9_redomap;
mod guard;
mod invariant;
mod join;
mod lift;
mod nest;
pub(crate) mod parallel;
mod scattered;
mod serialise_on_host;
pub(crate) mod steer;

pub use forest::tuning_forest;
pub use serialise_on_host::serialise_on_host;

use crate::sequential::{Calls, Seq};
use fehu_base::{Name, Symbol};
use fehu_ir::alias::Signatures;
use fehu_ir::subst::Subst;
use fehu_ir::types::prog_types;
use fehu_ir::{Attr, Builder, FunDef, Kernels, Prog, Soacs, SubExp};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// What flattening is asked for.
#[derive(Clone, Debug)]
pub struct GpuOptions {
    /// Moderate flattening: one version of everything, chosen by rules of thumb.
    pub moderate: bool,
    /// After so many thresholds in one function, the rest of it has one version of everything.
    pub max_thresholds: usize,
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        GpuOptions { moderate: false, max_thresholds: 64 }
    }
}

/// Flattens a program for a GPU.
pub fn gpu(prog: Prog<Soacs>, options: &GpuOptions) -> Prog<Kernels> {
    let signatures = Signatures::of_prog(&prog);
    let mut builder = Builder::new(prog.names.clone());
    builder.types = prog_types(&prog);
    let seq = Seq::new(builder, Calls::Copies(IndexMap::default()));
    let mut flat = Flat {
        seq,
        options,
        signatures,
        machine: Machine::Grid,
        fun: String::from("const"),
        thresholds: 0,
        path: vec![],
        ran: vec![],
        views: FxHashMap::default(),
        joins: FxHashMap::default(),
        replaced: FxHashMap::default(),
        replicated: g4_vector::replicated(&prog),
        schedules: vec![],
        compared: FxHashMap::default(),
    };
    let consts = flat.host_body(prog.consts.clone());
    let mut funs: Vec<FunDef<Kernels>> = prog.funs.iter().map(|f| flat.fun(f.clone())).collect();
    flat.seq.copied_functions(&prog, &mut funs);
    let mut consts = consts;
    let replaced = flat.replacements();
    replaced.body(&mut consts);
    for f in &mut funs {
        replaced.body(&mut f.body);
    }
    Prog { consts, funs, opaques: prog.opaques, names: flat.seq.b.names }
}

/// What runs the operations made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Machine {
    /// The whole device.
    Grid,
    /// One thread block.
    Block,
}

/// The state of flattening.
pub(crate) struct Flat<'a> {
    /// Makes sequential code, and owns the builder.
    seq: Seq,
    options: &'a GpuOptions,
    signatures: Signatures,
    machine: Machine,
    /// The name of the function at hand, for names of thresholds.
    fun: String,
    /// How many thresholds the function at hand has.
    thresholds: usize,
    /// The decisions that lead to the current code.
    path: Vec<(Symbol, bool)>,
    /// The checks that kernels run so far, with the widths of the levels inside of those that the check is in.
    ran: checks::Ran,
    /// Arrays of the host that are others in another order or shape, and those others.
    views: FxHashMap<Name, Name>,
    /// Arrays whose elements are read from the parts they are joined of.
    joins: FxHashMap<Name, join::Join>,
    /// Results of statements that are other names now.
    replaced: FxHashMap<Name, SubExp>,
    /// Arrays all of whose elements are one operand.
    replicated: FxHashMap<Name, SubExp>,
    /// Attributes of the combinators around that say how kernels run, innermost first.
    schedules: Vec<Attr>,
    /// Conditions of the host that compare a number with a constant below it, and these numbers.
    compared: FxHashMap<Name, SubExp>,
}

impl Flat<'_> {
    fn fun(&mut self, fun: FunDef<Soacs>) -> FunDef<Kernels> {
        self.fun = match &fun.entry {
            Some(entry) => entry.name.to_string(),
            None => self.seq.b.names.base(fun.name).to_string(),
        };
        self.thresholds = 0;
        let FunDef { name, entry, attrs, params, ret, body, loc } = fun;
        let params = params.into_iter().map(g0_host::param).collect();
        let ret = ret.into_iter().map(|r| fehu_ir::FunRet { ty: r.ty, dec: () }).collect();
        FunDef { name, entry, attrs, params, ret, body: self.host_body(body), loc }
    }

    /// What stands for the names that are others now, followed to the end.
    fn replacements(&self) -> Subst {
        let mut subst = Subst::new();
        for name in self.replaced.keys() {
            let mut by = SubExp::Var(*name);
            while let Some(next) = by.name().and_then(|n| self.replaced.get(&n)) {
                by = *next;
            }
            subst.insert(*name, by);
        }
        subst
    }
}
