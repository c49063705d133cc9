//! Incremental flattening: nested parallelism becomes segmented operations.
//!
//! Before: a program over `Soacs` without `Ad`. After: the same program over
//! `Kernels`: combinators on the host are [`SegOp`](fehu_ir::seg::SegOp)s, and
//! what is inside of their bodies is sequential.
//!
//! The judgement of the paper, `Σ ⊢ e ⇒ e'`, reads: under the map nest `Σ`, the
//! expression `e` becomes `e'`. Here `Σ` is a [`nest::Nest`], and a rule appends
//! statements to the host's code and returns, for each result of `e`, the array of
//! its values over the whole nest. `state` says what rules work on, and which of them
//! are methods. Each rule has a file:
//!
//! | rule | file | what it says |
//! | --- | --- | --- |
//! | G0 | `g0_host` | outside of all maps, code stays on the host |
//! | G1 | `g1_manifest` | a nest over sequential code is one kernel |
//! | G2, G3 | `g3_versions` | a map is one kernel, or several versions guarded by thresholds |
//! | G4 | `g4_vector`, `g4_rows`, `g4_tree` | a reduction or scan of rows is a map of such, or level by level |
//! | G5 | `g5_rearrange` | a map of transpositions is one transposition |
//! | G6 | `g6_distribute` | a map of several statements is several maps |
//! | G7 | `g7_loop` | a map of loops is a loop of maps, or runs in thread blocks |
//! | G8 | `g8_branch` | a map of branches is a branch of maps |
//! | G9 | `g9_redomap` | a reduction of a map is one kernel, or a map and a reduction |
//!
//! `state` is what rules work on; of its parts, `guard` numbers thresholds, `ran` records checks, `arrays`
//! and `host_names` hold facts about names. `nest` is `Σ`; `lift` computes what it binds in arrays of the
//! host. `filter` counts, numbers and places what is kept. `checks` says which kernel makes which check.
//! `invariant` moves out of a nest what means the same at all its points. `join` reads elements of joined
//! arrays from their parts. `scattered` holds writes at computed places. `parallel` says which code is worth
//! flattening; `steer` reads attributes; `block` builds the versions that run in one thread block;
//! `repeated_rows` says where one thread for each point moves more than other versions, `all_pairs` where it
//! leaves the device idle, `traffic` weighs versions of maps over rows by what they move, `shared_rows` those
//! of reductions over rows that all points read; `forest` lists thresholds; `serialise_on_host` makes host
//! loops of what no kernel can run.
//!
//! A piece of code that is used in several versions is renamed for each.

mod all_pairs;
mod arrays;
mod block;
mod block_steps;
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
mod host_names;
mod invariant;
pub(crate) mod join;
mod lift;
mod nest;
pub(crate) mod parallel;
mod ran;
mod repeated_rows;
mod rooms;
mod scattered;
mod serialise_on_host;
mod shared_rows;
mod state;
pub(crate) mod steer;
mod traffic;

pub use forest::tuning_forest;
pub use serialise_on_host::serialise_on_host;

use crate::sequential::same_param;
use fehu_ir::{FunDef, Kernels, Prog, Soacs};
use state::Flat;

/// What flattening is asked for.
#[derive(Clone, Debug)]
pub struct GpuOptions {
    /// Moderate flattening: one version of everything, chosen by rules of thumb.
    pub moderate: bool,
    /// After so many thresholds in one function, the rest of it has one version of everything.
    pub max_thresholds: usize,
    /// Whether the device has warps, so that parts of them can compute a point each.
    pub warps: bool,
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        GpuOptions { moderate: false, max_thresholds: 64, warps: false }
    }
}

/// Flattens a program for a GPU.
pub fn gpu(prog: Prog<Soacs>, options: &GpuOptions) -> Prog<Kernels> {
    let max_thresholds = if options.moderate { 0 } else { options.max_thresholds };
    let mut flat = Flat::new(&prog, max_thresholds);
    flat.warps = options.warps;
    let mut consts = flat.host_body(prog.consts.clone());
    let mut funs: Vec<FunDef<Kernels>> = prog.funs.iter().map(|f| function(&mut flat, f.clone())).collect();
    flat.seq.copied_functions(&prog, &mut funs);
    let replaced = flat.names.replacements();
    replaced.body(&mut consts);
    for f in &mut funs {
        replaced.body(&mut f.body);
    }
    Prog { consts, funs, opaques: prog.opaques, names: flat.seq.b.names }
}

fn function(flat: &mut Flat, fun: FunDef<Soacs>) -> FunDef<Kernels> {
    flat.guards.enter(match &fun.entry {
        Some(entry) => entry.name.to_string(),
        None => flat.seq.b.names.base(fun.name).to_string(),
    });
    flat.arrays.enter(&fun);
    let FunDef { name, entry, attrs, params, ret, body, loc } = fun;
    let params = params.into_iter().map(same_param).collect();
    let ret = ret.into_iter().map(|r| fehu_ir::FunRet { ty: r.ty, dec: () }).collect();
    FunDef { name, entry, attrs, params, ret, body: flat.host_body(body), loc }
}
