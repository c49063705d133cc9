//! Reductions, scans and histograms, and operations inside of thread blocks.
//!
//! **Reductions.** Segments of very different sizes want very different kernels:
//!
//! | plan | points of a segment | segments |
//! | --- | --- | --- |
//! | `thread_per_segment` | up to 8, without loops | so many that one thread for each is enough |
//! | `lanes_per_segment` | up to 4096 | so many that parts of warps keep the device busy; with a queue if the work of points differs and there are several times as many |
//! | `segments_together` | 1024 or more, of which each element belongs to all segments or to one ([`super::together`]) | 512 or more |
//! | `segments_per_block` | up to half a block | any |
//! | `blocks_per_segment` | any | any |
//!
//! Where the operator commutes, neighbouring threads read neighbouring points; otherwise each thread has some in a row.
//!
//! **Scans** are always a single pass over memory. Where segments are short, a tile has whole ones, and needs
//! nothing from others. Filters, partitions and sorts scan numbers that are 0 or 1 to find out where elements
//! go. There may be more elements than 2^31, so that counters have 64 bits, but not in one tile: values
//! within a tile then have 32 bits, threads take twice as many points at a time, and the chain of tiles is
//! half as long. Numbers that are 0 or 1 need not even be exchanged: the threads of a warp count by ballots.
//! If flags decide where values go, those of a tile are gathered before they are written
//! ([`super::compact`]). Segments that lie beside each other in memory are scanned in strips: see
//! [`super::strip`].
//!
//! **Histograms** that fit shared memory are made there, by each block for a part of the points, if there are
//! enough points to pay for it; otherwise every point updates the result. Where that is larger than the
//! device's cache, points that go anywhere would find next to nothing there: memory moves a sector to the
//! cache and back for each of them. So the result is updated slice by slice, in as many passes over the
//! points. Segments that lie beside each other have strips, too.

use super::compact::{gathered_bytes, goes_directly, is_of_class, placings};
use super::together::together;
use super::{otherwise, when, Scheduler};
use crate::counters::{are_counters, are_flags, scanned_bytes};
use fehu_analysis::operator::{binops, is_commutative, update};
use fehu_base::ops::BinOp;
use fehu_base::prim::FloatType;
use fehu_base::tuning::schedule::*;
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::schedule::*;
use fehu_ir::seg::{SegBinOp, SegHistOp, SegKind, SegOp, SizeClass};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Exp, LoopForm, Memory, PatElem, Stm, Type};
use rustc_hash::FxHashSet;

impl Scheduler {
    pub(super) fn reduction(&mut self, seg: &SegOp<Memory>, ops: &[SegBinOp<Memory>]) -> Vec<Choice> {
        let segmented = seg.space.dims.len() > 1;
        let kind = if segmented { "segred" } else { "segred_nonseg" };
        let block = self.block_param(kind, None);
        let grid = self.param(kind, SizeClass::GridSize, None);
        let heavy = is_heavy(seg);
        let points = if heavy { 1 } else { MIN_POINTS_PER_THREAD };
        let order = match ops.iter().all(|op| is_commutative(op.comm, &op.op)) {
            true => Order::Interleaved,
            false => Order::Consecutive,
        };
        let large = Plan::BlocksPerSegment(BlocksPerSegment {
            block,
            grid,
            points,
            worth: if heavy { 1 } else { MIN_POINTS_PER_THREAD_OF_BLOCK },
            // Parts of heavy points have hardly more of them than threads.
            row: if heavy { 1 } else { POINTS_IN_A_ROW },
            order,
            exchange: self.exchange(),
            resident: (!segmented && searches(seg)).then_some(RESIDENT_THREADS_OF_SEARCH),
        });
        if !segmented || seg.grid.is_some() {
            return vec![otherwise(large)];
        }
        let segments = Amount::from(Quantity::Segments);
        let mut choices: Vec<Choice> = together(self, seg, order).into_iter().collect();
        let mut by_lanes = vec![
            Condition::pays(Quantity::Segment, self.threshold(MAX_POINTS_FOR_LANES)),
            Condition::pays(self.threshold(MIN_THREADS_FOR_LANES), segments.and(Quantity::Lanes)),
        ];
        // Points that cost much have a thread each, however few a segment has.
        if !heavy {
            let one_thread = self.threshold(MAX_POINTS_FOR_ONE_THREAD);
            let tiny = vec![
                Condition::pays(Quantity::Segment, one_thread),
                Condition::pays(self.threshold(MIN_SEGMENTS_FOR_ONE_THREAD), Quantity::Segments),
            ];
            let several = self.threshold(MIN_POINTS_FOR_SEVERAL);
            let each_when = vec![Condition::pays(several, Quantity::Segments)];
            let each = SEGMENTS_PER_THREAD;
            choices.push(when(tiny, Plan::ThreadPerSegment { block, each, each_when }));
            by_lanes.insert(1, Condition::pays(one_thread, Quantity::Segment).strictly());
        }
        let exchange = self.exchange();
        let small = vec![Condition::must(Amount::from(Quantity::Segment).times(2), Quantity::Block)];
        if work_differs(seg) {
            let queue = Some(grid);
            let threads = Amount::from(Quantity::Segments).and(Quantity::Lanes);
            let mut many = by_lanes.clone();
            many.push(Condition::pays(self.threshold(MIN_THREADS_FOR_QUEUE), threads));
            choices.push(when(many, Plan::LanesPerSegment { block, points, order, exchange, queue }));
        }
        choices.push(when(by_lanes, Plan::LanesPerSegment { block, points, order, exchange, queue: None }));
        choices.push(when(small, Plan::SegmentsPerBlock { block }));
        choices.push(otherwise(large));
        choices
    }

    pub(super) fn scan(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        ops: &[SegBinOp<Memory>],
    ) -> Vec<Choice> {
        let (bytes, exchange) = (scanned_bytes(seg, ops), self.exchange());
        let values = match exchange {
            Exchange::Shuffles if are_flags(seg, ops) => TileValues::Flags,
            Exchange::Shuffles | Exchange::SharedMemory if are_counters(seg, ops) => TileValues::Narrow,
            Exchange::Shuffles | Exchange::SharedMemory => TileValues::Same,
        };
        let (placings, can_be_gathered) = match placings(seg) {
            Some(found) if values == TileValues::Flags => (found.all, found.can_be_gathered),
            _ => (vec![], false),
        };
        let gathered = gathered_bytes(seg, &placings);
        let mut classes = placings.iter().filter(|p| is_of_class(p));
        let first = classes.next();
        let one_class = classes.all(|class| Some(class) == first);
        let few = one_class && BYTES_NOT_TO_GATHER.contains(&gathered);
        let as_they_are = !can_be_gathered || gathered == 0 || few;
        let placings = if as_they_are && !goes_directly(&placings) { vec![] } else { placings };
        let (points, threads) = match values {
            TileValues::Same | TileValues::Narrow => {
                let (room, most) = match exchange {
                    Exchange::Shuffles if seg.space.dims.len() == 1 => {
                        (SCAN_BYTES_PER_THREAD_OF_WARPS, MAX_SCAN_POINTS_OF_WARPS)
                    }
                    Exchange::Shuffles | Exchange::SharedMemory => (SCAN_BYTES_PER_THREAD, MAX_SCAN_POINTS),
                };
                (odd(room / bytes.max(1), most), SCAN_BLOCK)
            }
            TileValues::Flags if as_they_are => {
                (odd(FLAGS_BYTES_PER_THREAD / bytes.max(1), MAX_FLAGS_POINTS), FLAGS_BLOCK)
            }
            TileValues::Flags => {
                (odd(GATHERED_BYTES_PER_THREAD / gathered, MAX_GATHERED_POINTS), GATHER_BLOCK)
            }
        };
        let plain = values == TileValues::Same && exchange == Exchange::Shuffles && is_plain(seg, ops);
        let (points, resident) = match plain {
            true if bytes <= 4 => (points, Some(RESIDENT_THREADS_OF_PLAIN_SCAN)),
            true if bytes <= 8 => (MAX_POINTS_OF_PLAIN_WIDE_SCAN, Some(RESIDENT_THREADS_OF_PLAIN_WIDE_SCAN)),
            false if values == TileValues::Flags && as_they_are && is_brief(seg, &placings) => {
                (points, Some(RESIDENT_THREADS_OF_FLAGS))
            }
            _ => (points, None),
        };
        let block = match &seg.grid {
            Some(_) => None,
            None => Some(self.block_param("segscan", Some(threads))),
        };
        let mut whole_when = vec![];
        if seg.space.dims.len() > 1 {
            let segments = Amount::from(Quantity::Segment).and(self.threshold(MIN_SEGMENTS_PER_TILE));
            whole_when.push(Condition::pays(segments, Amount::from(Quantity::Block).times(points)));
        }
        let tiles = otherwise(Plan::SinglePass(SinglePass {
            block,
            points,
            values,
            placings,
            gathered: !as_they_are,
            exchange,
            resident,
            in_order: false,
            whole_when,
        }));
        let mut choices = self.strips(pat, seg, ops);
        choices.push(tiles);
        choices
    }

    pub(super) fn histogram(&mut self, seg: &SegOp<Memory>, ops: &[SegHistOp<Memory>]) -> Vec<Choice> {
        let updates: Vec<Update> = ops.iter().map(|op| update(&op.op)).collect();
        let points = HISTOGRAM_POINTS_PER_THREAD;
        if seg.grid.is_some() {
            let own_grid = GlobalUpdates { block: None, points, slices: None, updates };
            return vec![otherwise(Plan::GlobalUpdates(own_grid))];
        }
        let strips = self.histogram_strips(seg, &updates);
        let passes = updates.iter().map(|u| max_passes(*u)).min_by_key(|passes| passes.usual);
        let instructions = updates.iter().all(|u| *u == Update::Atomic);
        let swaps = updates.iter().any(|u| matches!(u, Update::Swap | Update::SwapPart));
        let halves = |op: &SegHistOp<Memory>| {
            binops(&op.op).is_some_and(|ops| matches!(ops[..], [BinOp::FAdd(FloatType::F16)]))
        };
        let global_instructions = ops.iter().zip(&updates).all(|(op, u)| *u == Update::Atomic || halves(op));
        let shared = Plan::SubHistograms(SubHistograms {
            block: self.block_param("seghist", Some(HISTOGRAM_BLOCK)),
            grid: self.param("seghist", SizeClass::GridSize, None),
            room: MAX_HISTOGRAM_BYTES,
            room_for_copies: MAX_HISTOGRAM_BYTES_FOR_COPIES,
            copies: if instructions { MAX_COPIES_OF_BIN } else { MAX_COPIES_OF_SWAPPED_BIN },
            worth: MIN_HISTOGRAM_POINTS_PER_THREAD,
            grouped: HISTOGRAM_POINTS_OF_SHARED_BLOCK,
            parts: (!instructions).then_some(MAX_HISTOGRAM_PARTS),
            updates: updates.clone(),
        });
        let block = Some(self.block_param("seghist", None));
        let passes = passes.map(|most| Condition::pays(Quantity::Passes, self.threshold(most)));
        let bins = Amount::from(Quantity::Bins).and(self.threshold(MIN_POINTS_PER_BIN));
        let more =
            [Condition::pays(bins, Quantity::Segment), Condition::must(0, Quantity::Points).strictly()];
        let again = global_instructions.then(|| {
            let repeats = Amount::from(Quantity::Bins).and(Quantity::Repeats);
            Condition::pays(
                repeats.and(self.threshold(MIN_POINTS_PER_BIN_OF_REPEATED_PASS)),
                Quantity::Segment,
            )
        });
        let few_parts = swaps.then(|| {
            let all = Amount::from(Quantity::Bins).and(Quantity::Parts);
            Condition::pays(
                all,
                Amount::from(Quantity::Segment).and(self.threshold(MAX_SWAPPED_BINS_PER_POINT)),
            )
        });
        let conditions = passes.into_iter().chain(again).chain(few_parts).chain(more).collect();
        let slices = if global_instructions { self.slices(seg) } else { None };
        let global = Plan::GlobalUpdates(GlobalUpdates { block, points, slices, updates });
        strips.into_iter().chain([when(conditions, shared), otherwise(global)]).collect()
    }

    /// Slices of a histogram that instructions update in device memory: points are read again for each, so
    /// that these must cost little.
    fn slices(&mut self, seg: &SegOp<Memory>) -> Option<Slices> {
        if is_heavy(seg) {
            return None;
        }
        let bytes = self.threshold_param(SLICE_BYTES);
        let points = Condition::pays(self.threshold(MIN_POINTS_OF_SLICES), Quantity::Segment);
        let sectors = Amount::from(Quantity::Segment).and(self.threshold(MAX_SLICED_BYTES_PER_POINT));
        let dense = Condition::pays(Quantity::BinBytes, sectors);
        let close = Condition::pays(Quantity::Passes, Amount::from(self.threshold(MAX_CACHES_OF_SLICES)));
        // A point and the one after it are looked at.
        let two = Condition::must(2, Quantity::Segment);
        let when = vec![points, dense, close, two];
        Some(Slices { bytes, most: MAX_SLICES, miss: PASSES_OF_A_MISS, when })
    }

    /// An operation inside of a thread block.
    pub(super) fn in_block(&self, seg: &SegOp<Memory>) -> Plan {
        let by = |exchange| match exchange {
            Exchange::Shuffles => Plan::ByWarps,
            Exchange::SharedMemory => Plan::SideBySide,
        };
        match &seg.kind {
            SegKind::Map => Plan::Rounds { updates: vec![], at_once: false },
            SegKind::Hist(ops) => {
                Plan::Rounds { updates: ops.iter().map(|op| update(&op.op)).collect(), at_once: false }
            }
            // Warps reduce the values of the whole block to one.
            SegKind::Red(_) if seg.space.dims.len() > 1 => Plan::SideBySide,
            SegKind::Red(_) | SegKind::Scan(..) => by(self.exchange()),
        }
    }

    /// How threads exchange values.
    pub(super) fn exchange(&self) -> Exchange {
        match self.device.warps {
            true => Exchange::Shuffles,
            false => Exchange::SharedMemory,
        }
    }
}

/// How often all points are read at most, by how elements are updated.
fn max_passes(update: Update) -> Threshold {
    match update {
        Update::Atomic => MAX_PASSES_OF_INSTRUCTIONS,
        Update::Swap | Update::SwapPart => MAX_PASSES_OF_SWAPS,
        Update::Lock => MAX_PASSES_OF_LOCKS,
    }
}

/// Whether a scan of one segment reads its values and adds them up, so that registers are needed for these alone.
fn is_plain(seg: &SegOp<Memory>, ops: &[SegBinOp<Memory>]) -> bool {
    let adds = |op: &SegBinOp<Memory>| matches!(&op.op.body.stms[..], [s] if matches!(s.exp, Exp::Basic(Basic::BinOp(..))));
    let reads = seg.body.body.stms.iter().all(|s| matches!(s.exp, Exp::Basic(Basic::Index(..))));
    seg.space.dims.len() == 1 && seg.after().is_none() && reads && ops.iter().all(adds)
}

/// Whether little more than a flag is computed at the points of one segment, and done with it, so that few
/// registers do. Where flags say what is done with them, conditions and places are not computed again.
fn is_brief(seg: &SegOp<Memory>, placings: &[Placing]) -> bool {
    let (mut count, mut straight) = (0, true);
    let after = seg.after().map(|after| &after.lambda.body);
    for body in std::iter::once(&seg.body.body).chain(after) {
        for_each_stm(body, &mut |stm| {
            count += 1;
            straight &= matches!(stm.exp, Exp::Basic(_) | Exp::If(..));
        });
    }
    let most = if placings.is_empty() { STATEMENTS_OF_BRIEF_FLAGS } else { STATEMENTS_OF_BRIEF_PLACED_FLAGS };
    seg.space.dims.len() == 1 && straight && count <= most
}

/// Whether points search, by a loop that reads, for a place that they then read: they wait for one read after
/// the other, and other threads should go on meanwhile.
fn searches(seg: &SegOp<Memory>) -> bool {
    let mut found = FxHashSet::default();
    let mut count = 0;
    for_each_stm(&seg.body.body, &mut |_| count += 1);
    let mut reads = false;
    // A place is a number: what comes of an array that a loop fills is not searched for.
    let numbers = |stm: &Stm<Memory>| -> Vec<Name> {
        stm.pat.iter().filter(|p| matches!(p.ty, Type::Prim(_))).map(|p| p.name).collect()
    };
    for stm in &seg.body.body.stms {
        let depends = free_in_stm(stm).iter().any(|x| found.contains(x));
        if let Exp::Loop(l) = &stm.exp {
            let mut inside = false;
            for_each_stm(&l.body, &mut |s| inside |= matches!(s.exp, Exp::Basic(Basic::Index(..))));
            if inside {
                found.extend(numbers(stm));
            }
        } else if depends {
            reads |= matches!(stm.exp, Exp::Basic(Basic::Index(..)));
            found.extend(numbers(stm));
        }
    }
    reads && count <= STATEMENTS_OF_SEARCH
}

/// Whether a point costs much more than what it reads.
pub(super) fn is_heavy(seg: &SegOp<Memory>) -> bool {
    let mut heavy = false;
    for_each_stm(&seg.body.body, &mut |stm| heavy |= matches!(stm.exp, Exp::Loop(_) | Exp::Call(..)));
    heavy
}

/// Whether points have loops of different lengths, each of which computes how often it runs, or when it ends.
/// Loops that read memory do not count: while they wait, other warps run, and what a queue takes in registers
/// is one of these.
fn work_differs(seg: &SegOp<Memory>) -> bool {
    let mut computed: FxHashSet<Name> = seg.space.dims.iter().map(|d| d.0).collect();
    for_each_stm(&seg.body.body, &mut |stm| computed.extend(stm.pat.iter().map(|p| p.name)));
    let (mut differs, mut reads) = (false, false);
    for_each_stm(&seg.body.body, &mut |stm| {
        let Exp::Loop(l) = &stm.exp else { return };
        differs |= match &l.form {
            LoopForm::For { bound, .. } => bound.name().is_some_and(|n| computed.contains(&n)),
            LoopForm::While(_) => true,
        };
        for_each_stm(&l.body, &mut |stm| {
            reads |= matches!(stm.exp, Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..)));
        });
    });
    differs && !reads
}

/// So many points for each thread of a scan, or a few less: an odd number, so that threads that read their
/// rows from shared memory do not all want the same bank.
fn odd(points: u64, most: u64) -> i64 {
    let points = points.clamp(1, most) as i64;
    (points - 1) | 1
}
