//! Parallelism for the cores of a CPU.
//!
//! Before: a program over `Soacs` without `Ad`. After: the same program over
//! `Kernels`: combinators on the host are [`SegOp`](fehu_ir::seg::SegOp)s at level `Task`, and what is
//! inside of their bodies is the code that [`crate::sequential`] makes of it.
//!
//! Cores are few, so the outermost parallelism is nearly always enough, and everything inside stays as good
//! as sequential code. Where the outermost may be too small, there is a second version with operations inside
//! of the bodies of operations, and the number of workers decides at run time:
//!
//! ```text
//! map (\xs -> reduce (+) 0 xs) xss
//!
//! if n >= 8 * (workers - 1) || rounds * m <= n * m / workers + rounds * sharing
//! then segmap(task; i < n) { loop ... }
//! else segmap(task; i < n) { segred(task; j < m) { xss[i,j] } (+), 0 }
//! ```
//!
//! | file | what it holds |
//! | --- | --- |
//! | `host` | statements, and which of them are parallel |
//! | `versions` | sequential or parallel inside |
//! | `estimate` | what the operations inside of a task take |
//! | `worth` | which code is worth it, and perfect nests |
//! | `seg` | maps, reductions, scans and scatters as one operation |
//! | `chunked` | reductions whose operators work on arrays |
//! | `filter` | filters: a scan that numbers, and a scatter |
//! | `hist` | histograms: one per worker, or a part of the bins per worker |
//!
//! Reductions, scans and histograms have one dimension: their segmented forms are a map of them, in versions.
//! Accumulators are sequential: two tasks must not combine into one place at a time, and
//! operators may be too large for one indivisible step.

mod chunked;
mod estimate;
mod filter;
mod hist;
mod host;
mod seg;
mod versions;
mod worth;

use crate::sequential::{same_param, Calls, Seq};
use fehu_ir::types::prog_types;
use fehu_ir::{Builder, FunDef, FunRet, Kernels, Prog, Soacs};
use indexmap::IndexMap;

/// What is worth running in parallel.
#[derive(Clone, Debug)]
pub struct MulticoreOptions {
    /// Histograms of fewer elements than this are sequential.
    pub few: i64,
}

impl Default for MulticoreOptions {
    fn default() -> MulticoreOptions {
        MulticoreOptions { few: 1 << 13 }
    }
}

/// Gives a program operations for the cores of a CPU.
pub fn multicore(prog: Prog<Soacs>, options: &MulticoreOptions) -> Prog<Kernels> {
    let mut builder = Builder::new(prog.names.clone());
    builder.types = prog_types(&prog);
    let calls = Calls::Copies(IndexMap::default());
    let mut seq = Seq::new(builder, calls);
    seq.stores_always = true;
    let mut multi = Multi { seq, versions: 0, few: options.few };
    let consts = multi.body(prog.consts.clone());
    let mut funs: Vec<FunDef<Kernels>> = prog.funs.iter().map(|f| multi.fun(f.clone())).collect();
    multi.seq.copied_functions(&prog, &mut funs);
    Prog { consts, funs, opaques: prog.opaques, names: multi.seq.b.names }
}

/// The state of the translation.
struct Multi {
    /// Makes sequential code, and owns the builder.
    seq: Seq,
    /// How many choices between versions the current function has.
    versions: usize,
    /// Histograms of fewer elements are sequential.
    few: i64,
}

/// How the code inside of a parallel operation runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Inside {
    Sequential,
    Parallel,
}

impl Multi {
    fn fun(&mut self, fun: FunDef<Soacs>) -> FunDef<Kernels> {
        self.versions = 0;
        let FunDef { name, entry, attrs, params, ret, body, loc } = fun;
        let params = params.into_iter().map(same_param).collect();
        let ret = ret.into_iter().map(|r| FunRet { ty: r.ty, dec: () }).collect();
        FunDef { name, entry, attrs, params, ret, body: self.body(body), loc }
    }
}
