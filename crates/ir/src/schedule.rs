//! Schedules: which thread computes which point of a segmented operation, as data.
//!
//! A [`SegOp`](crate::seg::SegOp) says *what* is computed: a value for every point of an index space, and how
//! values are combined. It says nothing about *who* computes it. On a GPU, and on the cores of a CPU, there
//! are several ways for each kind of operation, and which of them is fastest depends on sizes that are known
//! when the program runs. A [`Schedule`] writes the answer down: the alternatives that were considered worth
//! a kernel ([`Choice`]), in order, each with the condition under which the host launches it. The last has
//! none.
//!
//! The pass `schedule` (`fehu_kernels::schedule`) is the only place that decides; `impgen` emits what it
//! finds here, and computes no threshold of its own. Whoever wants to know how a map runs asks `fehu dev
//! --backend cuda --after schedule`:
//!
//! ```text
//! segred thread (flat; i < n, j < m) : (f32)
//!   op comm [0.0f32] (+)
//!   schedule
//!     param "main.segred_tblock_size_0" block_size
//!     param "main.segred_num_tblocks_1" grid_size
//!     param "schedule.max_points_for_one_thread" bespoke("schedule_threshold" 8)
//!     ...
//!     when (pays segment <= "schedule.max_points_for_one_thread", pays "schedule.min_segments_for_one_thread" <= segments)
//!       thread_per_segment(block "main.segred_tblock_size_0")
//!     when (pays segment <= "schedule.max_points_for_lanes", ...)
//!       lanes_per_segment(block "main.segred_tblock_size_0", points 8, order interleaved)
//!     when (must segment * 2 <= block)
//!       segments_per_block(block "main.segred_tblock_size_0")
//!     otherwise
//!       blocks_per_segment(block "main.segred_tblock_size_0", grid "main.segred_num_tblocks_1", points 8, worth 16, ...)
//! { ... }
//! ```
//!
//! # What there is
//!
//! | operation | plans |
//! | --- | --- |
//! | map | [`Plan::Points`], [`Plan::Strided`], [`Plan::Tiled`], [`Plan::RowCache`], [`Plan::Turned`], [`Plan::Steps`], [`Plan::Line`] |
//! | reduction | [`Plan::ThreadPerSegment`], [`Plan::LanesPerSegment`], [`Plan::SegmentsPerBlock`], [`Plan::SegmentsTogether`], [`Plan::BlocksPerSegment`], [`Plan::MergePath`] |
//! | scan | [`Plan::SinglePass`], [`Plan::Strips`] |
//! | histogram | [`Plan::HistogramStrips`], [`Plan::SubHistograms`], [`Plan::GlobalUpdates`] |
//! | map at level `Block` | [`Plan::BlockPerPoint`] |
//! | any at level `InBlock` | [`Plan::Rounds`], [`Plan::CopiedAhead`], [`Plan::ByWarps`], [`Plan::SideBySide`] |
//! | any at level `Task` | [`Plan::Ranges`], [`Plan::Chunks`], [`Plan::ReduceThenScan`], [`Plan::ScanThenCorrect`] |
//!
//! # Conditions
//!
//! A [`Condition`] compares two products of [`Quantity`]s: sizes of the operation, limits of the device,
//! tuning parameters, and what the plan itself needs (`shared`, `blocks`, ...). Who emits the plan fills in
//! the last kind, since only they know what is allocated; no formula foretells it. Each condition has one of
//! two reasons ([`Reason`]). One that *must* hold makes the plan correct or possible: the block's shared
//! memory exists. One that *pays* is a guess about speed. The figures in it are tuning parameters
//! (`schedule.NAME`) with defaults in [`fehu_base::tuning::schedule`], and somebody who knows better may take
//! it away: the attribute `#[schedule(NAME)]` in the source leaves the conditions of the plan of that name
//! that must hold, drops the others, and drops the plans that come before it.
//!
//! # Names
//!
//! Plans name statements of the operation's own body: reads that go through shared memory, loops that run in
//! steps. So a schedule is renamed with its operation, and what it mentions is not free outside.

mod condition;
mod merge;
mod steps;

pub use condition::{Amount, Comparison, Condition, Quantity, Reason};
pub use merge::MergePath;
pub use steps::{ring, Line, Steps};

use crate::seg::SizeClass;
use crate::syntax::Shape;
use fehu_base::{Name, Symbol};

/// How a segmented operation runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Schedule {
    /// The tuning parameters that plans and conditions mention by name, in the order in which they are listed to users.
    pub params: Vec<ScheduleParam>,
    /// The first whose conditions hold is launched. Only the last has no conditions.
    pub choices: Vec<Choice>,
}

/// A tuning parameter of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct ScheduleParam {
    /// Its name for users, unique in a program.
    pub name: Symbol,
    /// What it counts.
    pub class: SizeClass,
    /// Its default where that is not the device's.
    pub usual: Option<i64>,
}

/// A plan and when it is used.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// All of these must hold.
    pub when: Vec<Condition>,
    /// What is launched then.
    pub plan: Plan,
}

/// Which thread does what.
#[derive(Clone, PartialEq, Debug)]
pub enum Plan {
    /// Threads compute points for themselves, in one kernel.
    Points(Points),
    /// The threads of the operation's own grid (see [`crate::seg::SegGrid`]) compute points one after the other.
    Strided,
    /// A block computes a rectangle of points, which read common elements from shared memory.
    Tiled(Tiled),
    /// The rows that a block's points read again and again are copied to shared memory first.
    RowCache(RowCache),
    /// A block computes a box of points, and first copies to shared memory what these would read in leaps.
    Turned(Turned),
    /// Several iterations of the loop around the map, which is all that this does, are one kernel.
    Steps(Steps),
    /// The same for vectors: a block computes a part of the vector for several iterations.
    Line(Line),
    /// A thread reduces whole segments.
    ThreadPerSegment {
        /// Threads in a block.
        block: Symbol,
        /// Segments of a thread, a block's width apart, if `each_when` holds; else one.
        each: i64,
        /// See `each`.
        each_when: Vec<Condition>,
    },
    /// Up to a warp of neighbouring threads reduce a segment.
    LanesPerSegment {
        /// Threads in a block.
        block: Symbol,
        /// Points that a thread has at least before another one takes part.
        points: i64,
        /// Which points are whose.
        order: Order,
        /// How the threads that share a segment exchange values.
        exchange: Exchange,
        /// Segments are taken from a queue, by at most so many blocks: a grid of as many threads as the
        /// device runs at a time takes the next ones whenever it has done some, with shuffles each warp for
        /// itself, else a block. Otherwise each thread block has those of its number.
        queue: Option<Symbol>,
    },
    /// As many segments as fit share a block, one point per thread.
    SegmentsPerBlock {
        /// Threads in a block.
        block: Symbol,
    },
    /// A block reduces a few segments at a time: each of its threads has some points, and computes these for
    /// all of the segments.
    SegmentsTogether {
        /// Threads in a block.
        block: Symbol,
        /// Segments of a block.
        segments: i64,
        /// How a block combines what its threads have.
        exchange: Exchange,
    },
    /// Blocks share a segment; the last to finish combines what all have found.
    BlocksPerSegment(BlocksPerSegment),
    /// Blocks have equal shares of segments and points that count, where a condition says how many points of
    /// a segment do.
    MergePath(MergePath),
    /// Blocks scan tiles of points, and look back at what blocks before them have published.
    SinglePass(SinglePass),
    /// The same where segments lie beside each other in memory: a tile is a part of a strip of segments, and
    /// a warp has a point of each of them.
    Strips(Strips),
    /// Blocks fill histograms of their own in shared memory, which are then added to the result.
    SubHistograms(SubHistograms),
    /// The same where segments lie beside each other in memory: a warp has a point of each of a strip of segments.
    HistogramStrips(HistogramStrips),
    /// Every point updates the result in device memory.
    GlobalUpdates(GlobalUpdates),
    /// A block computes a point, its threads share the operations inside.
    BlockPerPoint {
        /// The index spaces of operations inside: the block has a thread for each point of the largest.
        spaces: Vec<Shape>,
        /// Maps that do not count in full.
        once: Option<Once>,
        /// Threads take several points of each operation, if there are blocks enough.
        turns: Option<Turns>,
    },
    /// The threads of a block take points in turns.
    Rounds {
        /// How elements of histograms are updated, by operator.
        updates: Vec<Update>,
        /// Whether a thread need not wait for others between the operation before and this one: what it
        /// touches, they do not.
        at_once: bool,
    },
    /// The threads of a block copy elements of device memory, which the kernel does not change, to shared
    /// memory, and go on while they are on their way.
    CopiedAhead,
    /// The threads of a block combine a value each: within warps by shuffles, between warps through shared memory.
    ByWarps,
    /// The threads of a block combine a value each in shared memory, where segments lie side by side.
    SideBySide,
    /// Workers of a CPU take ranges of points, which are divided again when another worker has nothing to do.
    Ranges,
    /// Each chunk of points is reduced by one worker; the results of chunks are combined in order.
    Chunks {
        /// Chunks for each worker, at most.
        per_worker: i64,
    },
    /// Chunks but the first and the last are reduced, then all but the first are computed again and scanned.
    ReduceThenScan {
        /// Chunks at most, beyond one for each worker.
        beyond_workers: i64,
    },
    /// Chunks are scanned, then all but the first are combined with what comes before them.
    ScanThenCorrect {
        /// Chunks for each worker, at most.
        per_worker: i64,
    },
}

/// Maps of a block that run once, where other operations run in loops.
#[derive(Clone, PartialEq, Debug)]
pub struct Once {
    /// Their index spaces.
    pub spaces: Vec<Shape>,
    /// How many of their points a thread takes at most, one after the other.
    pub turns: Symbol,
}

/// How many points threads of a block take in turns. The block has as many threads as it takes for that, or
/// more, up to one for each point, so that all blocks together keep the device busy.
#[derive(Clone, PartialEq, Debug)]
pub struct Turns {
    /// How many points of the widest operation a thread takes at most.
    pub points: Symbol,
    /// Threads that keep the device busy.
    pub threads: Symbol,
    /// Parts of warps compute a point each, where so few threads are enough.
    pub teams: Option<Teams>,
    /// A thread has the same points in all operations, and keeps what it has read and computed for them,
    /// where the block has threads enough for that.
    pub kept: Option<Kept>,
}

/// How many points a thread keeps. All operations have one index space, and threads need nothing of other
/// threads' points but what reductions give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// A thread of a block, at most.
    pub points: i64,
    /// A lane of a team, at most.
    pub of_lanes: i64,
    /// Blocks compute several neighbouring points of the map, where these are columns.
    pub columns: Option<KeptColumns>,
}

/// Blocks whose warps have a point of the map, a column, for each lane, and some of its points of the
/// operations in each of a lane's threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptColumns {
    /// How many of these a thread keeps at most.
    pub points: i64,
    /// How many columns there are at least, over all.
    pub least: Symbol,
    /// How many points a column has at least.
    pub rows: Symbol,
    /// Threads may also have points again in each operation, and compute again what others made for them, so
    /// that columns may have any number of points: how many columns there are at least then.
    pub long: Option<Symbol>,
}

/// Threads of a warp that compute a point as if they were a block: 4, 8, 16 or 32 lanes. They wait for each
/// other without a barrier of the block, which has several of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Teams {
    /// How many points of the widest operation a lane takes at least, unless there are four lanes.
    pub least: Symbol,
    /// How many it takes at most.
    pub most: Symbol,
}

/// See [`Plan::Points`]. The host chooses between a column and the flat order, and how many points a thread takes; the
/// kernel is the same.
#[derive(Clone, PartialEq, Debug)]
pub struct Points {
    /// Threads in a block.
    pub block: Symbol,
    /// Points of a thread, a block's width apart, if `each_when` holds; else one.
    pub each: i64,
    /// When a thread takes several points.
    pub each_when: Vec<Condition>,
    /// Threads take points one below the other, if the conditions hold.
    pub column: Option<Column>,
}

/// Points of a thread are one below the other, in a block that lies along rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Points of a thread.
    pub points: i64,
    /// Widths of a block that are tried, as powers of two, widest first. One is good if it divides the block
    /// and fills rows.
    pub widths_log2: Vec<i64>,
    /// At most one in so many threads along a row has no point.
    pub idle: i64,
    /// When it is used.
    pub when: Vec<Condition>,
}

/// See [`Plan::Tiled`].
#[derive(Clone, PartialEq, Debug)]
pub struct Tiled {
    /// The dimension of the space that goes across the rectangle.
    pub across: usize,
    /// The one that goes down it; none for a line of points.
    pub down: Option<usize>,
    /// The tile's side in threads.
    pub tile: Symbol,
    /// Points of a thread in each direction; one for lines.
    pub each: Option<Symbol>,
    /// The loops whose reads go through shared memory.
    pub loops: Vec<TiledLoop>,
}

/// A loop that all points of a block run in step.
#[derive(Clone, PartialEq, Debug)]
pub struct TiledLoop {
    /// Its variable.
    pub var: Name,
    /// Whether the iterations of a whole step are unrolled; the text of the loop then stands twice.
    pub unrolled: bool,
    /// What is read through shared memory.
    pub reads: Vec<TiledRead>,
    /// If all that the loop computes is a sum of products of `f64`: the factor that changes down the
    /// rectangle, and the one that changes across. Warps multiply matrices then, where they can.
    pub product: Option<[Name; 2]>,
}

/// A read that goes through a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TiledRead {
    /// What is read.
    pub name: Name,
    /// Along which side of the rectangle it changes.
    pub along: Along,
    /// Whether neighbours in the loop are neighbours in memory; otherwise, neighbours along the rectangle are.
    pub by_loop: bool,
}

/// Along which side of a rectangle of points a read changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Along {
    /// The points of a row read the same.
    Down,
    /// The points of a column read the same.
    Across,
    /// All read the same.
    Nothing,
}

/// See [`Plan::RowCache`].
#[derive(Clone, PartialEq, Debug)]
pub struct RowCache {
    /// The side of the square of threads that a block has.
    pub tile: Symbol,
    /// What is read, and the variable of the loop that goes through the row.
    pub reads: Vec<(Name, Name)>,
}

/// See [`Plan::Turned`].
#[derive(Clone, PartialEq, Debug)]
pub struct Turned {
    /// The dimensions of the space that the box has more than one point along, the innermost first, and how many.
    pub sides: Vec<(usize, i64)>,
    /// What is read, and the dimension of the space along which that is in order.
    pub reads: Vec<(Name, usize)>,
}

impl Turned {
    /// Points of the box.
    pub fn points(&self) -> i64 {
        self.sides.iter().map(|(_, side)| side).product()
    }

    /// Points of the box along a dimension of the space.
    pub fn side(&self, dim: usize) -> i64 {
        self.sides.iter().find(|(d, _)| *d == dim).map_or(1, |(_, side)| *side)
    }
}

/// Which points of a segment a thread reduces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Every so many: neighbouring threads read neighbours. The operator commutes.
    Interleaved,
    /// Some in a row, so that the order of operands is kept.
    Consecutive,
}

/// How the threads of a block exchange values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exchange {
    /// By shuffles within warps, then through shared memory.
    Shuffles,
    /// Through shared memory alone.
    SharedMemory,
}

/// See [`Plan::BlocksPerSegment`].
#[derive(Clone, PartialEq, Debug)]
pub struct BlocksPerSegment {
    /// Threads in a block at most.
    pub block: Symbol,
    /// Blocks at most.
    pub grid: Symbol,
    /// Points of a thread at least before a block has another warp.
    pub points: i64,
    /// Points of a thread at least before a segment has another block.
    pub worth: i64,
    /// Points in a row that a thread takes at a time, where the order matters.
    pub row: i64,
    /// Which points are whose.
    pub order: Order,
    /// How a block combines what its threads have.
    pub exchange: Exchange,
    /// How many threads a multiprocessor should have room for, where registers are asked to be few.
    pub resident: Option<i64>,
}

/// Where a result of what comes after a scan of flags goes. Of several, at most one is set where results are gathered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Placing {
    /// The points with this flag write to places 0, 1, ... of an array, in order.
    Flagged(usize),
    /// The points without any flag do.
    Others,
    /// The number of points with this flag is the only element of an array.
    Count(usize),
    /// The number of points up to this one with this flag goes to a place that does not depend on such numbers.
    Number(usize),
}

/// See [`Plan::SinglePass`].
#[derive(Clone, PartialEq, Debug)]
pub struct SinglePass {
    /// Threads in a block; none if the operation has a grid of its own.
    pub block: Option<Symbol>,
    /// Points of a thread at a time.
    pub points: i64,
    /// What the values within a tile are.
    pub values: TileValues,
    /// Of flags: where each result of what comes after the scan goes, if the flags alone decide that; else none.
    pub placings: Vec<Placing>,
    /// Whether a block gathers in shared memory what goes to such places; else each thread writes its own.
    pub gathered: bool,
    /// How a block combines what its threads have, and looks back: 32 tiles at a time, or one.
    pub exchange: Exchange,
    /// How many threads a multiprocessor should have room for, where registers are asked to be few.
    pub resident: Option<i64>,
    /// Whether a tile waits for the one before it: what it adds up does not depend on who was first then.
    pub in_order: bool,
    /// When tiles have whole segments, so that nobody looks back. Never, if there are no conditions.
    pub whole_when: Vec<Condition>,
}

/// See [`Plan::Strips`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strips {
    /// The dimension of the space along which the segments of a strip are neighbours.
    pub along: usize,
    /// Points in a row of a segment that a thread has: a power of two.
    pub points: i64,
    /// Warps of a block, each with the points below those of the one before: a power of two.
    pub warps: i64,
    /// Whether results are turned in shared memory before they leave, because neighbours in a segment are
    /// neighbours there.
    pub turned: bool,
}

/// What the values within a tile of a scan are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TileValues {
    /// As those of the scan.
    Same,
    /// Counters of 32 bits, though the scan is of 64.
    Narrow,
    /// As `Narrow`, and each point adds 0 or 1: the threads of a warp know each other's by a ballot.
    Flags,
}

/// See [`Plan::SubHistograms`].
#[derive(Clone, PartialEq, Debug)]
pub struct SubHistograms {
    /// Threads in a block.
    pub block: Symbol,
    /// Blocks at most.
    pub grid: Symbol,
    /// Bytes of shared memory that a block's histograms take at most; more bins need several passes.
    pub room: i64,
    /// Bytes that they take at most for the sake of copies.
    pub room_for_copies: i64,
    /// Copies of a bin at most.
    pub copies: i64,
    /// Points of a thread at least before a segment has another block.
    pub worth: i64,
    /// Points of a thread where segments share a block.
    pub grouped: i64,
    /// Blocks of a segment at most.
    pub parts: Option<i64>,
    /// How elements are updated, by operator.
    pub updates: Vec<Update>,
}

/// See [`Plan::HistogramStrips`].
#[derive(Clone, PartialEq, Debug)]
pub struct HistogramStrips {
    /// The dimension of the space along which the segments of a strip are neighbours.
    pub along: usize,
    /// Points that a thread computes before it updates any bin.
    pub points: i64,
    /// Warps of a block.
    pub warps: i64,
    /// Blocks that keep the device busy: where strips are fewer, several blocks share one.
    pub grid: Symbol,
    /// Points of a thread at least before a strip has another block.
    pub worth: i64,
    /// Blocks of a strip at most.
    pub parts: Option<i64>,
    /// How elements are updated, by operator.
    pub updates: Vec<Update>,
}

/// See [`Plan::GlobalUpdates`].
#[derive(Clone, PartialEq, Debug)]
pub struct GlobalUpdates {
    /// Threads in a block; none if the operation has a grid of its own.
    pub block: Option<Symbol>,
    /// Points of a thread.
    pub points: i64,
    /// If the result is updated slice by slice.
    pub slices: Option<Slices>,
    /// How elements are updated, by operator.
    pub updates: Vec<Update>,
}

/// Slices of the bins of a segment, so small that the device's cache holds one, and a pass over all points for each.
#[derive(Clone, PartialEq, Debug)]
pub struct Slices {
    /// Bytes of a slice that the cache holds.
    pub bytes: Symbol,
    /// Slices at most, which then are larger.
    pub most: i64,
    /// To find a bin outside of the cache costs as much as so many passes do for a point. Points by chance
    /// are asked, where they go: if most find theirs there anyhow, as where they are in order, there is one
    /// pass.
    pub miss: i64,
    /// When there are several.
    pub when: Vec<Condition>,
}

/// How one element is combined with a value, while other threads do the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Update {
    /// By an instruction for each operand.
    Atomic,
    /// By compare and swap of the element, until nobody interfered.
    Swap,
    /// By compare and swap of the word of 32 bits that the element is a part of.
    SwapPart,
    /// Under a lock.
    Lock,
}

impl Plan {
    /// Its name, in the text form and in attributes.
    pub fn word(&self) -> &'static str {
        match self {
            Plan::Points(_) => "points",
            Plan::Strided => "strided",
            Plan::Tiled(_) => "tiled",
            Plan::RowCache(_) => "row_cache",
            Plan::Turned(_) => "turned",
            Plan::Steps(_) => "steps",
            Plan::Line(_) => "line",
            Plan::ThreadPerSegment { .. } => "thread_per_segment",
            Plan::LanesPerSegment { .. } => "lanes_per_segment",
            Plan::SegmentsPerBlock { .. } => "segments_per_block",
            Plan::SegmentsTogether { .. } => "segments_together",
            Plan::BlocksPerSegment(_) => "blocks_per_segment",
            Plan::MergePath(_) => "merge_path",
            Plan::SinglePass(_) => "single_pass",
            Plan::Strips(_) => "strips",
            Plan::SubHistograms(_) => "sub_histograms",
            Plan::HistogramStrips(_) => "histogram_strips",
            Plan::GlobalUpdates(_) => "global_updates",
            Plan::BlockPerPoint { .. } => "block_per_point",
            Plan::Rounds { .. } => "rounds",
            Plan::CopiedAhead => "copied_ahead",
            Plan::ByWarps => "by_warps",
            Plan::SideBySide => "side_by_side",
            Plan::Ranges => "ranges",
            Plan::Chunks { .. } => "chunks",
            Plan::ReduceThenScan { .. } => "reduce_then_scan",
            Plan::ScanThenCorrect { .. } => "scan_then_correct",
        }
    }

    /// The parameters that it mentions, and what each must be, unless that is a threshold.
    pub fn params(&self) -> Vec<(Symbol, Option<SizeClass>)> {
        let block = |name: &Symbol| (*name, Some(SizeClass::ThreadBlockSize));
        match self {
            Plan::Points(Points { block: b, .. })
            | Plan::ThreadPerSegment { block: b, .. }
            | Plan::SegmentsPerBlock { block: b }
            | Plan::SegmentsTogether { block: b, .. } => vec![block(b)],
            Plan::LanesPerSegment { block: b, queue, .. } => {
                let grid = queue.iter().map(|grid| (*grid, Some(SizeClass::GridSize)));
                [block(b)].into_iter().chain(grid).collect()
            }
            Plan::BlocksPerSegment(BlocksPerSegment { block: b, grid, .. })
            | Plan::SubHistograms(SubHistograms { block: b, grid, .. }) => {
                vec![block(b), (*grid, Some(SizeClass::GridSize))]
            }
            Plan::HistogramStrips(HistogramStrips { grid, .. }) => vec![(*grid, Some(SizeClass::GridSize))],
            Plan::MergePath(MergePath { block: b, carries, .. }) => vec![block(b), block(carries)],
            Plan::SinglePass(SinglePass { block: b, .. }) => b.iter().map(block).collect(),
            Plan::GlobalUpdates(GlobalUpdates { block: b, slices, .. }) => {
                b.iter().map(block).chain(slices.iter().map(|s| (s.bytes, None))).collect()
            }
            Plan::Tiled(Tiled { tile, each, .. }) => {
                let each = each.iter().map(|each| (*each, Some(SizeClass::RegTileSize)));
                [(*tile, Some(SizeClass::TileSize))].into_iter().chain(each).collect()
            }
            Plan::RowCache(RowCache { tile, .. }) => vec![(*tile, Some(SizeClass::TileSize))],
            Plan::Steps(Steps { blocks, .. }) => vec![(*blocks, None)],
            Plan::BlockPerPoint { once, turns, .. } => {
                let teams = turns.iter().flat_map(|turns| &turns.teams);
                let teams = teams.flat_map(|teams| [teams.least, teams.most]);
                let columns = turns.iter().filter_map(|turns| turns.kept?.columns);
                let columns =
                    columns.flat_map(|columns| [columns.least, columns.rows].into_iter().chain(columns.long));
                let turns = turns.iter().flat_map(|turns| [turns.points, turns.threads]);
                let once = once.iter().map(|once| once.turns);
                once.chain(turns).chain(teams).chain(columns).map(|param| (param, None)).collect()
            }
            Plan::Strided
            | Plan::Turned(_)
            | Plan::Line(_)
            | Plan::Strips(_)
            | Plan::Rounds { .. }
            | Plan::CopiedAhead
            | Plan::ByWarps
            | Plan::SideBySide
            | Plan::Ranges
            | Plan::Chunks { .. }
            | Plan::ReduceThenScan { .. }
            | Plan::ScanThenCorrect { .. } => vec![],
        }
    }
}

impl Choice {
    /// When it is used, and in which way.
    fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let (way, column) = match &self.plan {
            Plan::Points(points) => (Some(&points.each_when), points.column.as_ref()),
            Plan::SinglePass(scan) => (Some(&scan.whole_when), None),
            Plan::ThreadPerSegment { each_when, .. } => (Some(each_when), None),
            Plan::GlobalUpdates(updates) => (updates.slices.as_ref().map(|s| &s.when), None),
            Plan::Strided
            | Plan::Tiled(_)
            | Plan::RowCache(_)
            | Plan::Turned(_)
            | Plan::Steps(_)
            | Plan::Line(_)
            | Plan::LanesPerSegment { .. }
            | Plan::SegmentsPerBlock { .. }
            | Plan::SegmentsTogether { .. }
            | Plan::BlocksPerSegment(_)
            | Plan::MergePath(_)
            | Plan::Strips(_)
            | Plan::SubHistograms(_)
            | Plan::HistogramStrips(_)
            | Plan::BlockPerPoint { .. }
            | Plan::Rounds { .. }
            | Plan::CopiedAhead
            | Plan::ByWarps
            | Plan::SideBySide
            | Plan::Ranges
            | Plan::Chunks { .. }
            | Plan::ReduceThenScan { .. }
            | Plan::ScanThenCorrect { .. } => (None, None),
        };
        let columns = column.into_iter().flat_map(|c| &c.when);
        self.when.iter().chain(way.into_iter().flatten()).chain(columns)
    }

    /// Whether its plan or one of its conditions mentions a parameter.
    pub fn mentions(&self, param: Symbol) -> bool {
        let amounts = self.conditions().flat_map(|c| [&c.left, &c.right]);
        let conditions = amounts.flat_map(|a| &a.of).any(|q| *q == Quantity::Param(param));
        conditions || self.plan.params().iter().any(|(name, _)| *name == param)
    }
}
