//! By which figures kernels and tasks are scheduled: which thread computes which point.
//!
//! What was measured is in `notebook/2026-11-19-tuning-constants.md`. Sizes of blocks and tiles, and every
//! [`Threshold`] that a condition of a schedule has, are tuning parameters of compiled programs, of which only
//! the defaults are here.

use crate::device::WARP_THREADS;

/// A figure that the host compares sizes with before it launches a kernel. Compiled programs have it as the
/// tuning parameter `schedule.NAME`, for all of their kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threshold {
    /// What users call it.
    pub name: &'static str,
    /// Its value, unless a tuning file or an option says otherwise.
    pub usual: i64,
}

const fn threshold(name: &'static str, usual: i64) -> Threshold {
    Threshold { name, usual }
}

// Maps.

/// Points of a thread of a map that is limited by memory: one for each thread does not reach the bandwidth.
pub const POINTS_PER_THREAD: i64 = 4;

/// The same where points read an element at a place that they have read before and check: the reads of
/// several points wait together. Single elements at places by chance gain nothing.
pub const POINTS_PER_THREAD_OF_GATHER: i64 = 8;

/// Points from which on threads have several: fewer points are better spread over all of the device. Two
/// points for each of the 270,000 threads that the device runs at a time.
pub const MIN_POINTS_FOR_SEVERAL: Threshold = threshold("min_points_for_several", 1 << 19);

/// Rows from which on the points of a thread are one below the other.
pub const MIN_ROWS_FOR_COLUMNS: Threshold = threshold("min_rows_for_columns", POINTS_PER_THREAD);

/// Widths of blocks that are laid along rows, as powers of two: half a warp's row of 32-byte sectors is lost below 32.
pub const WIDTHS_LOG2: [i64; 4] = [8, 7, 6, 5];

/// At most one in so many threads of a block that is laid along rows has no point.
pub const IDLE_ONE_IN: i64 = 8;

/// Statements of a body that is limited by memory, at most.
pub const MAX_STATEMENTS_OF_CHEAP_MAP: usize = 40;

/// The same where a point reads each array once and checks nothing. These are limited by their instructions:
/// what finds a point, the addresses of what it reads and constants is there once for all points of a thread.
pub const MAX_STATEMENTS_OF_STRAIGHT_MAP: usize = 128;

/// The same where a point reads an array several times, so that neighbours read the same elements, which the
/// points of a column keep in registers.
pub const MAX_STATEMENTS_OF_STENCIL: usize = 160;

/// Threads of a block by default where points have loops: one warp for each of a processor's four schedulers.
/// A block keeps its place until its last thread is done, so that small ones leave less of the device idle at
/// the end; and points that take long pay for the start of more blocks.
pub const BLOCK_OF_EXPENSIVE_POINTS: i64 = 4 * WARP_THREADS;

// Several steps of a loop in one kernel.

/// Bytes of the arrays of a loop of stencils from which on several of its steps are one kernel, for points
/// that read their neighbours; where they read farther, by the square of that. Together with their next
/// values, the arrays then outgrow the cache of 50 MB. Where they do not, several steps in one kernel cost
/// more than they save.
pub const MIN_BYTES_FOR_STEPS: Threshold = threshold("min_bytes_for_steps", 24 << 20);

/// Blocks of such a kernel, about: several times as many as run at a time, since those at the edges take
/// longer: 24 for each of 132 processors. With fewer, a step takes longer; with more, it gains nothing.
pub const BLOCKS_OF_STEPS: Threshold = threshold("blocks_of_steps", 24 * 132);

/// Such blocks compute at most so many percent of the points of a step, since those at their edges are
/// computed by several of them.
pub const MAX_PERCENT_COVERED_BY_STEPS: Threshold = threshold("max_percent_covered_by_steps", 150);

/// Rows of such a block at least, in multiples of the rows beyond its own that it reads.
pub const MIN_ROWS_PER_HALO: i64 = 8;

/// Steps of a kernel that are tried, in this order: the first for which there is room in shared memory.
pub const STEPS_OF_KERNEL: [i64; 2] = [4, 2];

/// How far from its own place a point may read. Every step computes as much beyond the edges of its block for
/// the next.
pub const MAX_RADIUS_OF_STEPS: i64 = 2;

/// Bytes of arrays that do not change, at most, that a thread of such a kernel keeps in registers: two arrays
/// of `f32` with a distance of one. Otherwise all steps read them.
pub const MAX_BYTES_KEPT_BY_STEPS: i64 = 64;

/// Operations of a point, at most, for each byte of its results: each is done as often as without, or more
/// often, and what is saved is memory traffic.
pub const MAX_OPERATIONS_PER_BYTE_OF_STEPS: i64 = 10;

/// With more operations than this for each byte, points that are computed more than once count.
pub const FEW_OPERATIONS_PER_BYTE_OF_STEPS: i64 = 4;

/// Such blocks compute at most so many percent of the points of a step if points do more operations than
/// that.
pub const MAX_PERCENT_COVERED_BY_LONG_STEPS: Threshold = threshold("max_percent_covered_by_long_steps", 120);

/// Elements of a vector, at least, of which a loop does several iterations in a kernel: more than points read
/// to both sides, so that it is known which of two ends a place is close to.
pub const LEAST_POINTS_OF_LINE: i64 = 4 * MAX_RADIUS_OF_STEPS + 1;

/// Iterations of a loop over vectors that are tried for a kernel, in this order: the first that leaves half
/// of a block's elements its own. Fewer iterations in a kernel are more launches.
pub const STEPS_OF_LINE: [i64; 3] = [16, 8, 4];

/// Elements of a vector, at most, if points do more operations than [`FEW_OPERATIONS_PER_BYTE_OF_STEPS`]: so
/// many are done in the time that a kernel of its own takes at least.
pub const MAX_POINTS_OF_LONG_LINE: Threshold = threshold("max_points_of_long_line", 1 << 18);

/// Bytes of arrays that do not change, at most, that a thread reads ahead for all iterations of such a
/// kernel: 32 of its 255 registers.
pub const MAX_BYTES_AHEAD_OF_LINE: i64 = 128;

/// For how many operations a division or a function of floats counts.
pub const OPERATIONS_OF_DIVISION: i64 = 8;

// Tiles.

/// Iterations of a loop of constant length that tiles are worth at least.
pub const MIN_ITERATIONS_FOR_LINES: i64 = 64;

/// The same for rectangles, whose reads all points of a row or a column have in common: a tile's depth.
pub const MIN_ITERATIONS_FOR_RECTANGLES: i64 = crate::device::TILE_SIDE;

/// Large tiles are used if they are at least one in so many of the blocks that the device runs at a time.
pub const LARGE_TILES_ONE_IN: Threshold = threshold("large_tiles_one_in", 5);

/// The same for tiles with half as many points on a side.
pub const SMALL_TILES_ONE_IN: Threshold = threshold("small_tiles_one_in", 20);

/// The same for tiles that are as long as the shorter side of what they cover, of 8 x 8 threads.
pub const SHORT_TILES_ONE_IN: Threshold = threshold("short_tiles_one_in", 5);

/// The same for tiles with one point for each thread: there are never more threads, and each of them waits
/// less for memory than without tiles.
pub const SINGLE_TILES_ONE_IN: Threshold = threshold("single_tiles_one_in", 25);

/// Steps of a loop that large tiles are worth at least.
pub const MIN_STEPS_OF_LARGE_TILES: Threshold = threshold("min_steps_of_large_tiles", 4);

/// Other tiles are at most so many times as deep as the loop is long.
pub const MAX_DEPTH_PER_ITERATION: Threshold = threshold("max_depth_per_iteration", 2);

/// Large tiles have room for at most so many percent of the points, whether or not they exist: one thread in
/// five is idle.
pub const MAX_PERCENT_COVERED_BY_LARGE_TILES: Threshold =
    threshold("max_percent_covered_by_large_tiles", 125);

/// The same for other tiles.
pub const MAX_PERCENT_COVERED: Threshold = threshold("max_percent_covered", 200);

/// Points along the innermost side of a box whose elements are turned in shared memory, and along the other
/// one: a warp's width, so that each row of either order is a line of the cache.
pub const SIDE_OF_BOX: i64 = WARP_THREADS;

/// Points of a thread of a block that turns what it reads, and threads at most. With fewer points for each
/// thread, or fewer threads, blocks take longer.
pub const POINTS_PER_THREAD_OF_BOX: i64 = 8;
/// See [`POINTS_PER_THREAD_OF_BOX`].
pub const MAX_THREADS_OF_BOX: i64 = 512;

/// Bytes along each of the other sides, where there are two. Transactions have 32 bytes, and memory gives two
/// of them at a time.
pub const SIDE_OF_BOX_BYTES: i64 = 64;

/// Points along each of these sides, at most.
pub const SIDE_OF_BOX_OF_RECTANGLE: i64 = 16;

/// Bytes that are turned by a block, at most: two blocks fit a processor.
pub const MAX_BYTES_OF_BOX: i64 = 96 * 1024;

/// Points of a thread in each direction of a tile, by the registers of 32 bits that a tiled loop carries for
/// a point: at most 128 registers in all, of the 255 that a thread has in a small block.
pub fn tile_points_per_side(carried_registers: i64) -> i64 {
    match carried_registers {
        0..=2 => 8,
        3..=4 => 4,
        5..=8 => 2,
        _ => 1,
    }
}

/// Points of a thread in each direction of a tile, from which on blocks are small, so that there are more of
/// them.
pub const MIN_POINTS_FOR_SMALL_BLOCKS: i64 = 8;

/// Statements that an unrolled step has at most for all points of a thread: beyond, the text outgrows the
/// instruction cache.
pub const MAX_STATEMENTS_OF_UNROLLED_STEP: i64 = 512;

/// For how many points the one point of a thread on a line counts there.
pub const POINTS_OF_UNROLLED_LINE: i64 = 8;

// Reductions.

/// Points of a segment that one thread reduces, at most, and segments that this is worth at least.
pub const MAX_POINTS_FOR_ONE_THREAD: Threshold = threshold("max_points_for_one_thread", 8);
/// See [`MAX_POINTS_FOR_ONE_THREAD`].
pub const MIN_SEGMENTS_FOR_ONE_THREAD: Threshold = threshold("min_segments_for_one_thread", 1 << 15);

/// Segments of such a thread, from [`MIN_POINTS_FOR_SEVERAL`] on: a map of rows that have one point each is
/// one of elements.
pub const SEGMENTS_PER_THREAD: i64 = POINTS_PER_THREAD;

/// Threads of a block that has a share of rows of different sizes and of their elements.
pub const BLOCK_OF_SHARE: i64 = 256;

/// How many elements and ends of rows each of them has. An odd number keeps shared memory free of bank
/// conflicts, where threads go through elements of long rows one by one.
pub const ITEMS_OF_SHARE_PER_THREAD: i64 = 7;

/// Threads of the one block that combines the shares of rows that several blocks have, of which there are thousands.
pub const BLOCK_OF_SHARED_ROWS: i64 = 1024;

/// Segments that a block reduces at a time where they have elements in common: what a thread reads serves so
/// many points.
pub const SEGMENTS_TOGETHER: i64 = 4;

/// Threads of such a block. A kernel that does not know how many threads its blocks have gets fewer
/// registers, and is slower.
pub const BLOCK_OF_SEGMENTS_TOGETHER: i64 = 128;

/// Words that a thread keeps of such a segment at most: as many registers as there are segments are needed for each.
pub const MAX_WORDS_OF_SEGMENT_TOGETHER: usize = 8;

/// Statements of a point at most: the code has them once for each of the segments.
pub const MAX_STATEMENTS_OF_POINT_TOGETHER: i64 = 100;

/// Points of a segment from which on a block reduces several: four for each of 256 threads.
pub const MIN_POINTS_FOR_TOGETHER: Threshold = threshold("min_points_for_together", 1 << 10);

/// Segments from which on a block reduces several: as many blocks as the device has processors.
pub const MIN_SEGMENTS_FOR_TOGETHER: Threshold = threshold("min_segments_for_together", 1 << 9);

/// Points of a segment that a part of a warp reduces, at most.
pub const MAX_POINTS_FOR_LANES: Threshold = threshold("max_points_for_lanes", 4096);

/// Threads that the device needs to be busy, if segments have a part of a warp each.
pub const MIN_THREADS_FOR_LANES: Threshold = threshold("min_threads_for_lanes", 1 << 16);

/// Threads that segments of different work need, with a part of a warp each, before they are taken from a
/// queue: four for each that the device runs at a time. With fewer, the queue costs more than it saves.
pub const MIN_THREADS_FOR_QUEUE: Threshold = threshold("min_threads_for_queue", 1 << 20);

/// Points that a thread of a block reduces at least, if they cost little more than what they read. Where they
/// have loops, one.
pub const MIN_POINTS_PER_THREAD: i64 = 8;

/// The same before a segment has another block, whose result must be combined in device memory.
pub const MIN_POINTS_PER_THREAD_OF_BLOCK: i64 = 16;

/// Points in a row that a thread reduces at a time, where the order matters.
pub const POINTS_IN_A_ROW: i64 = 8;

// Scans.

/// Bytes of operands that a thread keeps in registers, about: the more, the fewer tiles look back, and the
/// fewer blocks a multiprocessor has room for.
pub const SCAN_BYTES_PER_THREAD: u64 = 92;

/// Points that a thread takes at a time, at most.
pub const MAX_SCAN_POINTS: u64 = 23;

/// The same where warps exchange values for themselves, and there are no segments. With segments, a thread
/// needs more registers besides its points.
pub const SCAN_BYTES_PER_THREAD_OF_WARPS: u64 = 216;

/// Points that such a thread takes at a time, at most.
pub const MAX_SCAN_POINTS_OF_WARPS: u64 = 31;

/// Threads that a multiprocessor should have room for, where a scan reads values of up to 4 bytes and adds
/// them up. With more of them, threads have fewer registers.
pub const RESIDENT_THREADS_OF_PLAIN_SCAN: i64 = 1280;

/// The same for values of 8 bytes.
pub const RESIDENT_THREADS_OF_PLAIN_WIDE_SCAN: i64 = 1024;

/// Points that a thread takes then.
pub const MAX_POINTS_OF_PLAIN_WIDE_SCAN: i64 = 23;

/// Threads of a block by default. Half as many are slower, more make little difference.
pub const SCAN_BLOCK: i64 = 256;

/// The same for flags, of which a thread keeps only ballots.
pub const FLAGS_BYTES_PER_THREAD: u64 = 88;

/// The same for flags: with 19 points, the threads of a filter of `i32` need 32 registers, with 23 they need
/// 40, and a multiprocessor has room for fewer of them.
pub const MAX_FLAGS_POINTS: u64 = 19;

/// The same for flags: smaller blocks are slower.
pub const FLAGS_BLOCK: i64 = 512;

/// Threads that a multiprocessor should have room for where flags are brief: all that it can have.
pub const RESIDENT_THREADS_OF_FLAGS: i64 = 2048;

/// Statements of a brief flag, and of what is done with it, at most. A filter by one comparison has 12.
pub const STATEMENTS_OF_BRIEF_FLAGS: usize = 14;

/// The same where flags say which points write, and where to. Three filters of the same elements of irregular
/// arrays, which also store every 16th number, have 42.
pub const STATEMENTS_OF_BRIEF_PLACED_FLAGS: usize = 48;

/// Threads that a multiprocessor should have room for where points of a reduction search for a place and then
/// read there: all that it can have. So many wait for memory at a time, although some of their registers are
/// then kept in memory.
pub const RESIDENT_THREADS_OF_SEARCH: i64 = 2048;

/// Statements of such points, at most: those of these conditions are 45.
pub const STATEMENTS_OF_SEARCH: usize = 64;

/// Bytes of a point that flags do not gather in shared memory, if they decide about one class of points: a
/// warp writes such elements well as they are.
pub const BYTES_NOT_TO_GATHER: std::ops::RangeInclusive<u64> = 2..=4;

/// Bytes that a thread keeps in registers to gather them.
pub const GATHERED_BYTES_PER_THREAD: u64 = 216;

/// Points that a thread gathers, at most: with more, and with fewer, filters take longer.
pub const MAX_GATHERED_POINTS: u64 = 27;

/// Threads of a block by default where they do that: larger blocks are slower.
pub const GATHER_BLOCK: i64 = 256;

/// Bytes of operands that a thread of a strip keeps in registers: the more, the fewer tiles look back, and
/// the more reads are on their way.
pub const STRIP_BYTES_PER_THREAD: u64 = 128;

/// Points of such a thread, at most: a power of two.
pub const MAX_STRIP_POINTS: u64 = 32;

/// Warps of a block, each with points of its own of 32 segments: fewer where segments are so short that many
/// would have no points. The number is a constant in the kernel, which is faster so.
pub const WARPS_OF_STRIPS: [i64; 3] = [8, 4, 2];

/// Blocks with more warps than the fewest have less points of a segment than this many times what it has: at
/// least half of the warps have some.
pub const MAX_STRIP_PER_SEGMENT: Threshold = threshold("max_strip_per_segment", 2);

/// Segments beside each other from which on strips are worth it: two for each lane of a warp. The tiles of a
/// strip look back one by one, and where there are few strips, blocks wait for that. Without strips, the
/// operand is laid out anew before.
pub const MIN_COLUMNS_OF_STRIPS: Threshold = threshold("min_columns_of_strips", 2 * WARP_THREADS);

/// Points of a segment from which on they are.
pub const MIN_POINTS_OF_STRIPS: Threshold = threshold("min_points_of_strips", 16);

/// Statements of a point of a scan or map at most, if threads that have all of their points have code of
/// their own, without comparisons.
pub const MAX_STATEMENTS_OF_FULL_TILES: usize = 32;

/// Segments that fit a tile at least, if tiles have whole ones. The rest of a tile is idle, but no thread looks
/// back.
pub const MIN_SEGMENTS_PER_TILE: Threshold = threshold("min_segments_per_tile", 3);

/// The largest value of a counter that is narrow: a tile has fewer than 2^16 points, whose sum then fits 32 bits.
pub const MAX_NARROW_VALUE: i64 = 1 << 15;

// Histograms. All values are read once per pass. To update shared memory takes far less than that, as each
// processor does 32 updates at a time; to update device memory takes more, much more if all updates go to one
// place, and most under a lock.

/// Threads of a block by default.
pub const HISTOGRAM_BLOCK: i64 = 512;

/// Bytes of shared memory that a block's histograms take at most: two blocks should fit a processor.
pub const MAX_HISTOGRAM_BYTES: i64 = 96 * 1024;

/// Bytes that they take at most for the sake of copies: several blocks should fit.
pub const MAX_HISTOGRAM_BYTES_FOR_COPIES: i64 = 40 * 1024;

/// Copies of a bin at most: two of a warp's threads then meet at most. With twice as many, or half as many,
/// updates take longer.
pub const MAX_COPIES_OF_BIN: i64 = 16;

/// The same where elements are updated by compare and swap or under locks: a thread that meets others tries again,
/// and meets them again. Up to one for each thread.
pub const MAX_COPIES_OF_SWAPPED_BIN: i64 = HISTOGRAM_BLOCK;

/// Points of a thread where each point updates the result.
pub const HISTOGRAM_POINTS_PER_THREAD: i64 = 4;

/// Points of a thread at least before another block is worth a histogram of its own.
pub const MIN_HISTOGRAM_POINTS_PER_THREAD: i64 = 16;

/// Points of a thread where segments share a block.
pub const HISTOGRAM_POINTS_OF_SHARED_BLOCK: i64 = 8;

/// Points of a thread where segments lie beside each other, before it updates a bin: so many reads are on
/// their way at a time.
pub const POINTS_OF_HISTOGRAM_STRIPS: i64 = 8;

/// Bytes of shared memory at most for the bins of a strip of segments: four blocks should fit a processor.
/// Narrower strips would read parts of lines.
pub const MAX_STRIP_HISTOGRAM_BYTES: Threshold = threshold("max_strip_histogram_bytes", 48 * 1024);

/// Blocks for a segment at most, whose histograms a second kernel adds up.
pub const MAX_HISTOGRAM_PARTS: i64 = 256;

/// Points of a segment, for each bin, that a histogram in shared memory is worth at least: it is cleared and
/// added to the result as a whole.
pub const MIN_POINTS_PER_BIN: Threshold = threshold("min_points_per_bin", 4);

/// Passes over all points at most, if an instruction updates an element: device memory is the better place
/// for many more bins than fit.
pub const MAX_PASSES_OF_INSTRUCTIONS: Threshold = threshold("max_passes_of_instructions", 4);

/// Points of a segment, for each bin, that each pass beyond the first is worth at least, if an instruction
/// updates an element: blocks add all of their bins to the result, which takes as many updates of device
/// memory as it saves otherwise.
pub const MIN_POINTS_PER_BIN_OF_REPEATED_PASS: Threshold =
    threshold("min_points_per_bin_of_repeated_pass", 512);

/// The same if elements are updated by compare and swap.
pub const MAX_PASSES_OF_SWAPS: Threshold = threshold("max_passes_of_swaps", 4);

/// The same under locks.
pub const MAX_PASSES_OF_LOCKS: Threshold = threshold("max_passes_of_locks", 16);

/// Points from which on histograms of 8 and 16 bits are made of words: there are two more kernels.
pub const MIN_POINTS_FOR_WIDE_BINS: Threshold = threshold("min_points_for_wide_bins", 1 << 16);

/// Wide bins at most: with many more of them, to exchange parts of words is faster.
pub const MAX_WIDE_BINS: Threshold = threshold("max_wide_bins", 1 << 25);

/// Bins of all blocks of a segment at most, for each of its points, if elements are updated by compare and
/// swap: every block clears its bins and leaves them to be added up.
pub const MAX_SWAPPED_BINS_PER_POINT: Threshold = threshold("max_swapped_bins_per_point", 4);

/// Bytes of a result that are updated at a time, where every point updates it and it is larger: less than
/// half of the device's cache, which points pass through, too. Smaller slices take more passes over all
/// points.
pub const SLICE_BYTES: Threshold = threshold("slice_bytes", 24 << 20);

/// Such slices at most: each is a pass over all points.
pub const MAX_SLICES: i64 = 8;

/// Bytes of a result at most for it, as a multiple of those.
pub const MAX_CACHES_OF_SLICES: Threshold = threshold("max_caches_of_slices", 2 * MAX_SLICES);

/// Points of a segment from which on there are slices: a kernel looks where some of them go, and the host
/// waits for it.
pub const MIN_POINTS_OF_SLICES: Threshold = threshold("min_points_of_slices", 12_000_000);

/// Bytes of a result at most, for each point: where they are more, points seldom meet in a sector.
pub const MAX_SLICED_BYTES_PER_POINT: Threshold = threshold("max_sliced_bytes_per_point", 16);

/// Passes that cost as much for a point as to find its bin outside of the cache.
pub const PASSES_OF_A_MISS: i64 = 20;

// Blocks that compute a point.

/// Points of a map that a thread takes at most, one after the other, where the map runs once and other
/// operations of the block run in a loop. With fewer, a block has more threads, which are idle in the loop.
pub const MAX_TURNS_OUTSIDE_OF_LOOPS: Threshold = threshold("max_turns_outside_of_loops", 8);

/// Points of rows that a thread takes in turns, where a block reduces and maps rows and there are threads enough.
pub const MAX_TURNS_OF_REDUCED_ROWS: Threshold = threshold("max_turns_of_reduced_rows", 8);

/// Points of rows that a lane takes at least, where parts of warps reduce and map rows: with fewer, more
/// lanes exchange values for the same row.
pub const MIN_TURNS_OF_LANES: Threshold = threshold("min_turns_of_lanes", 4);

/// Points of rows that a lane takes at most: of longer rows, what the warps of a processor read together no
/// longer fits its cache.
pub const MAX_TURNS_OF_LANES: Threshold = threshold("max_turns_of_lanes", 8);

/// Threads that keep a device busy: an H200 runs 270,336 at a time.
pub const BUSY_THREADS: Threshold = threshold("busy_threads", 1 << 18);

// Tasks of CPUs.

/// Chunks of a reduction for each worker, so that workers that are done early can take over from others.
pub const REDUCTION_CHUNKS_PER_WORKER: i64 = 4;

/// The same of a scan whose elements cost much: chunks are scanned, and then corrected.
pub const SCAN_CHUNKS_PER_WORKER: i64 = 4;

/// Chunks of a scan beyond one for each worker, where elements are computed twice. The first chunk is scanned
/// at once and the last need not be reduced, so that two workers are done after two thirds of the time.
pub const SCAN_CHUNKS_BEYOND_WORKERS: i64 = 1;

/// Statements of an element of a scan that is computed twice, at most ...
pub const MAX_STATEMENTS_OF_REPEATED_ELEMENT: usize = 24;

/// ... and of each branch in it.
pub const MAX_STATEMENTS_OF_REPEATED_BRANCH: usize = 3;

/// The same where threads keep what they read and compute for their points, so that more of them cost no more reads.
pub const MAX_TURNS_OF_KEPT_ROWS: Threshold = threshold("max_turns_of_kept_rows", 16);

/// Points of rows that a thread of a block keeps, the most that there are registers for.
pub const KEPT_POINTS: [i64; 2] = [16, 8];

/// Points that a lane of a team keeps, which has [`MAX_TURNS_OF_LANES`] at most: code for more that are not
/// there takes time.
pub const KEPT_POINTS_OF_LANES: i64 = 8;

/// Statements of an operation whose points are kept, at most: its code is there for each of a thread's points, twice.
pub const MAX_STATEMENTS_OF_KEPT_POINT: usize = 40;

/// Bytes of elements that a thread keeps for all of its points at a time, at most: 48 of the 64 registers
/// that it has in a block of 1024 threads.
pub const KEPT_BYTES_PER_THREAD: i64 = 192;

/// Points of columns that a thread keeps, the most that there are registers for, where a block has 32
/// columns.
pub const KEPT_POINTS_OF_COLUMNS: [i64; 3] = [64, 32, 16];

/// Warps of such a block, at most.
pub const KEPT_WARPS_OF_COLUMNS: i64 = 16;

/// Bytes of elements that such a thread keeps before, and after, an operation, at most: 64 of the 128
/// registers that it has in a block of 512 threads.
pub const KEPT_BYTES_OF_COLUMNS: i64 = 256;

/// Statements of an operation, for all points of a column that a thread keeps, at most: its code is there for
/// each, twice.
pub const MAX_STATEMENTS_OF_KEPT_COLUMN: usize = 1280;

/// Columns from which on blocks have 32 of them: as many blocks as the device has processors.
pub const MIN_KEPT_COLUMNS: Threshold = threshold("min_kept_columns", 1 << 12);

/// Points of such columns at least. Parts of warps read short columns that are neighbours at the same time.
pub const MIN_ROWS_OF_KEPT_COLUMNS: Threshold = threshold("min_rows_of_kept_columns", 48);

/// Columns from which on blocks have eight of them, if they are longer than threads can keep: as many blocks
/// as the device has processors.
pub const MIN_LONG_COLUMNS: Threshold = threshold("min_long_columns", 1 << 10);
