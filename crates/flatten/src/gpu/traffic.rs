//! Which version of a map over rows runs by default: the one that moves the fewest bytes.
//!
//! Comes in: a nest and a body that only reduces, scans and maps rows, all of one width. Goes out: what
//! thresholds compare ([`Traffic::outer_par`], [`Traffic::block_par`]).
//!
//! Such bodies wait for memory, so a version takes as long as what its kernels read and write there takes to
//! move. By element of a row:
//!
//! | version | bytes |
//! | --- | --- |
//! | one thread for each row | every pass over a row, and a transposition of each row that comes in or goes out, since neighbouring threads read different rows. A row that memory hands out at once is read and written once, without one |
//! | a thread block for each row | rows that come in or go out; what is between is in shared memory. Of columns that are only reduced, it is all that memory hands out with an element. A block costs as much as some bytes, however short its row is, and a part of a warp, which may take its place, as fewer |
//! | segmented operations | every pass over a row. A kernel for each costs as much as many bytes |
//!
//! Columns that are reduced several times are reduced by threads along them, each time in the order of memory
//! (`kernels/opt/layout`), which takes less time than blocks of one column each. Rows that are made of
//! columns cross the order of memory in that version; blocks of several columns beside each other
//! (`impgen/translate/kernel/block/kept/columns`) do not. Times: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! ```text
//! map (\xs -> let top = maximum xs                      reads xs
//!             let es = map (\x -> exp (x - top)) xs     reads xs, writes es
//!             let s = sum es                            (with the line above)
//!             in map (/ s) es) xss                      reads es, writes the result: 5 passes, of which 2 go in or out
//! ```
//!
//! Versions are chosen by comparing parallelism with thresholds, which tuning sets. Where another version
//! moves fewer bytes, a guard compares no more than what is just not enough by default; so it compares more
//! for more rows, and tuning can still choose the version.

use super::nest::{Nest, Source};
use super::state::Flat;
use fehu_analysis::operator::is_commutative;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::{flattening, results};
use fehu_base::Name;
use fehu_ir::free::free_in_lambda;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Builder, Exp, Kernels, Lambda, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// What the versions of a map over rows move.
pub(super) struct Traffic {
    /// How many rows there are.
    rows: SubExp,
    /// Elements of a row.
    width: SubExp,
    /// Bytes that all passes over rows read and write, by element.
    passes: i64,
    /// Bytes of rows that come in or go out, by element.
    ends: i64,
    /// Bytes of the largest element.
    element: i64,
    /// Operations on rows.
    kernels: i64,
    /// Whether parts of warps can take the place of blocks, where rows are short.
    teams: bool,
}

impl Traffic {
    /// What versions of a body under a nest move, if it only reduces, scans and maps rows that each point has
    /// for itself.
    pub(super) fn of(flat: &mut Flat, nest: &Nest, body: &Body<Soacs>) -> Option<Traffic> {
        let mut found = Rows {
            flat,
            nest,
            width: None,
            read: vec![],
            made: vec![],
            computed: FxHashSet::default(),
            sum: Sum::default(),
        };
        let teams = found.flat.warps && suits_teams(body);
        for stm in &body.stms {
            found.stm(stm)?;
        }
        let results = body.result.iter().filter_map(|e| e.name());
        let out: i64 =
            results.filter_map(|n| found.made.iter().find(|(made, _)| *made == n)).map(|made| made.1).sum();
        let only_reduced = found.made.is_empty();
        let in_leaps = |array: Name| only_reduced && found.flat.arrays.is_turned(array);
        let moved = |(array, bytes): &(Name, i64)| match in_leaps(*array) {
            true => (*bytes).max(flattening::ROW_BYTES_READ_AT_ONCE),
            false => *bytes,
        };
        let into: i64 = found.read.iter().map(moved).sum();
        let Rows { width, sum: Sum { passes, element, kernels }, .. } = found;
        let width = width.filter(|_| into > 0)?;
        let rows = flat.seq.b.product(&nest.widths);
        Some(Traffic { rows, width, passes, ends: into + out, element, kernels, teams })
    }

    /// What the guard of the version with one thread for each row compares.
    pub(super) fn outer_par(&self, b: &mut Builder<Kernels>) -> SubExp {
        let bytes = b.mul64(self.width, SubExp::i64(self.element));
        // Rows of constant size may be the thread's own, in registers.
        let most = match self.width {
            SubExp::Const(_) => results::THREAD_BYTES,
            SubExp::Var(_) => flattening::ROW_BYTES_READ_AT_ONCE,
        };
        let at_once = b.cmp(CmpOp::SLe(IntType::I64), bytes, SubExp::i64(most));
        at_most_unless(b, at_once, self.rows, flattening::ENOUGH_PARALLELISM - 1)
    }

    /// What the guard of the version with a block for each row compares, which would be `par`, where the
    /// other is flattened further. With few blocks, a part of the device is idle.
    pub(super) fn block_par(&self, b: &mut Builder<Kernels>, par: SubExp) -> SubExp {
        let larger = BinOp::SMax(IntType::I64);
        let ends = b.mul64(self.width, SubExp::i64(self.ends));
        let least = if self.teams { flattening::TEAM_BYTES } else { flattening::BLOCK_BYTES };
        let of_block = b.bin(larger, ends, SubExp::i64(least));
        let blocks = b.bin(larger, self.rows, SubExp::i64(flattening::BUSY_BLOCKS));
        let in_blocks = b.mul64(blocks, of_block);
        let elements = b.mul64(self.rows, self.width);
        let passes = b.mul64(elements, SubExp::i64(self.passes));
        let launches = SubExp::i64(self.kernels * flattening::LAUNCH_BYTES);
        let in_kernels = b.bin(BinOp::Add(IntType::I64), passes, launches);
        let fewer = b.cmp(CmpOp::SLe(IntType::I64), in_blocks, in_kernels);
        at_most_unless(b, fewer, par, flattening::BLOCK_VERSION_ELEMENTS - 1)
    }
}

/// Whether nothing in a body fails, and nothing is scanned, unless all that is reduced may be reduced in any
/// order: then threads keep their points.
fn suits_teams(body: &Body<Soacs>) -> bool {
    let (mut fails, mut scans, mut in_order) = (false, false, false);
    for_each_stm(body, &mut |stm| match &stm.exp {
        Exp::Op(Soac::Screma(s)) => {
            scans |= !s.scans.is_empty();
            in_order |= s.reds.iter().any(|red| !is_commutative(red.comm, &red.op));
        }
        Exp::Basic(Basic::Assert(..)) => fails = true,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
    });
    !(fails || scans && in_order)
}

/// A size, but no more than a limit unless a condition holds.
pub(super) fn at_most_unless(b: &mut Builder<Kernels>, cond: SubExp, size: SubExp, limit: i64) -> SubExp {
    let least = b.bin(BinOp::SMin(IntType::I64), size, SubExp::i64(limit));
    if cond == SubExp::bool(true) || least == size {
        return size;
    }
    let give = |e| Box::new(Body { stms: vec![], result: vec![e] });
    b.bind("par", Type::I64, Exp::If(cond, give(size), give(least))).into()
}

/// What is known of the rows of a body so far.
struct Rows<'a> {
    flat: &'a Flat,
    nest: &'a Nest,
    width: Option<SubExp>,
    /// Rows that come in, and the bytes of an element.
    read: Vec<(Name, i64)>,
    /// Rows that the body makes.
    made: Vec<(Name, i64)>,
    /// Arrays whose elements are computed where they are needed.
    computed: FxHashSet<Name>,
    sum: Sum,
}

/// Bytes and operations of all passes.
#[derive(Default)]
struct Sum {
    passes: i64,
    element: i64,
    kernels: i64,
}

impl Rows<'_> {
    /// A statement; `None` if it does anything else.
    fn stm(&mut self, stm: &Stm<Soacs>) -> Option<()> {
        match &stm.exp {
            Exp::Op(Soac::Screma(s)) => self.pass(stm, s),
            Exp::Basic(Basic::Iota { .. } | Basic::Replicate(..)) => {
                self.computed.extend(stm.pat.iter().map(|p| p.name));
                Some(())
            }
            Exp::Basic(_) => stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_))).then_some(()),
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    /// A reduction, scan or map.
    fn pass(&mut self, stm: &Stm<Soacs>, s: &Screma<Soacs>) -> Option<()> {
        let operators = s.scans.iter().map(|scan| &scan.op).chain(s.reds.iter().map(|red| &red.op));
        if !operators.chain([&s.map]).all(|f| self.is_light(f)) {
            return None;
        }
        let same = self.width.is_none_or(|width| width == s.width);
        if !same || !self.nest.invariant(s.width) {
            return None;
        }
        self.width = Some(s.width);
        self.sum.kernels += 1;
        for (array, param) in s.arrays.iter().zip(&s.map.params) {
            let bytes = param.ty.elem()?.bytes() as i64;
            if self.is_row(*array, bytes)? {
                self.add(bytes);
            }
        }
        for p in stm.pat.iter().filter(|p| p.ty.is_array()) {
            let bytes = p.ty.elem()?.bytes() as i64;
            self.made.push((p.name, bytes));
            self.add(bytes);
        }
        Some(())
    }

    fn add(&mut self, bytes: i64) {
        self.sum.passes += bytes;
        self.sum.element = self.sum.element.max(bytes);
    }

    /// Whether an array is a row in memory that each point has for itself; `None` if nothing is known of how
    /// it lies there.
    fn is_row(&mut self, array: Name, bytes: i64) -> Option<bool> {
        if self.made.iter().any(|(made, _)| *made == array) {
            return Some(true);
        }
        if self.computed.contains(&array) {
            return Some(false);
        }
        match self.nest.find(array).map(|b| &b.source) {
            None => Some(false),
            Some(Source::Elem { array: all, levels, .. }) => {
                let own = levels.iter().copied().eq(0..self.nest.depth());
                if !own || self.flat.arrays.root(*all) != *all {
                    return None;
                }
                if self.read.iter().all(|(read, _)| read != all) {
                    self.read.push((*all, bytes));
                }
                Some(true)
            }
            Some(Source::Acc(_) | Source::Index(_) | Source::Stm(_)) => None,
        }
    }

    /// Whether a function computes scalars of scalars, without loops, and reads no other rows.
    fn is_light(&self, f: &Lambda<Soacs>) -> bool {
        let mut light = f.ret.iter().all(|t| matches!(t, Type::Prim(_)));
        light &= f.params.iter().all(|p| matches!(p.ty, Type::Prim(_)));
        for_each_stm(&f.body, &mut |stm| {
            light &= matches!(stm.exp, Exp::Basic(_) | Exp::If(..));
            light &= stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
        });
        let rows = free_in_lambda(f).into_iter().any(|n| {
            let made = self.made.iter().any(|(made, _)| *made == n);
            let bound =
                self.nest.find(n).is_some_and(|b| b.names.iter().any(|(m, t)| *m == n && t.is_array()));
            made || bound
        });
        light && !rows
    }
}
