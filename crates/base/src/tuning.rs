//! Figures that steer what code is made: how small is small, how many is enough.
//!
//! They have no bearing on what a program means. Each is used by the pass that its module names; its name has
//! the unit, its comment the meaning and what limits it. What was measured is in
//! `notebook/2026-11-19-tuning-constants.md`. Limits on the compiler's own effort (depths, steps, terms) are
//! beside the algorithms that need them; facts about machines are in [`crate::device`].

pub mod schedule;

/// When functions are inlined.
pub mod inline {
    /// Functions of at most so many statements are inlined wherever they are called.
    pub const ALWAYS_STATEMENTS: usize = 40;

    /// Larger functions are inlined while the program has at most so many statements ...
    pub const PROGRAM_STATEMENTS: usize = 20_000;

    /// ... or so many, if nothing parallel calls them: what is lost is fusion around the call ...
    pub const PROGRAM_STATEMENTS_OUTSIDE: usize = 2_000;

    /// ... or so many times what it had.
    pub const PROGRAM_GROWTH: usize = 4;

    /// Functions of scalars alone, which nothing fuses with, are inlined if their copies have at most so many.
    pub const COPIES_OF_SCALAR_FUNCTION: usize = 2_000;
}

/// What fusion and the treatment of operators may compute more than once.
pub mod fusion {
    /// An operator on arrays takes their elements one by one if it has at most so many from each side.
    pub const OPERATOR_NUMBERS: i64 = 16;

    /// The same where the operator is a map: it can be interchanged instead.
    pub const OPERATOR_COLUMNS: i64 = 4;

    /// A producer of at most so many statements is computed again by each of its consumers.
    pub const REPEATED_STATEMENTS: usize = 3;

    /// Statements of an outer map that may run for each element of an inner one, at most.
    pub const PUSHED_STATEMENTS: usize = 4;
}

/// What becomes tasks of the multicore back end.
pub mod multicore {
    /// Operations over fewer elements than this, if the number is known, are sequential inside of others.
    pub const LEAST_ELEMENTS: i64 = 64;

    /// Maps over fewer elements than this, if the number is known, are no level of a nest.
    pub const LEAST_ROW_ELEMENTS: i64 = 16;

    /// The deepest nest that becomes one operation.
    pub const NEST_LEVELS: usize = 3;

    /// The body of a map is light up to so many statements of one instruction each.
    pub const LIGHT_STATEMENTS: usize = 30;

    /// Chunks for each worker but the first, so that a slow one does not hold up the others.
    pub const CHUNKS_PER_WORKER: i64 = 4;

    /// With so many tasks for each worker but the first, there is no need for more parallelism.
    pub const TASKS_PER_WORKER: i64 = 8;

    /// Operations of a point over as many elements as this run in parallel, even where there are points
    /// enough: with an instruction or two for each, they take about as long as sharing costs.
    pub const LARGE_POINT_ELEMENTS: i64 = 1 << 14;

    /// What it costs to share an operation inside of a task with others, in statements of scalar code that could be
    /// run instead: some microseconds.
    pub const SHARING_STATEMENTS: i64 = 1 << 14;

    /// Filters of fewer elements are loops: two operations, one after the other, cost more.
    pub const FILTER_ELEMENTS: i64 = 1 << 12;

    /// What different workers write all the time is so many bytes apart: two cache lines, which processors fetch
    /// together.
    pub const APART_BYTES: i64 = 128;

    /// After so many choices in a function, the code inside of operations is sequential.
    pub const VERSIONS: usize = 32;
}

/// What flattening takes for parallelism on a GPU, and for cheap.
pub mod flattening {
    /// Operations over fewer elements than this are not worth a level of parallelism.
    pub const LEAST_ELEMENTS: i64 = 4;

    /// A map over at most so many points that do different things becomes the statements of its points: two
    /// for two sides, four for quarters.
    pub const FEW_POINTS: i64 = 4;

    /// Conditionals with more statements than this are not computed again wherever they are needed.
    pub const REPEATED_BRANCH_STATEMENTS: usize = 4;

    /// More scalar statements than this are not computed again for each element of an inner kernel.
    pub const REPEATED_STATEMENTS: usize = 24;

    /// A scalar that takes at most so many instructions costs no more than to read it from an array, which all
    /// points of a row do.
    pub const REPEATED_INSTRUCTIONS: usize = 6;

    /// Instructions that cost a GPU less than one byte of device memory: fewer than the ratio of its peak
    /// rates, since instructions also wait for one another.
    pub const INSTRUCTIONS_PER_BYTE: usize = 4;

    /// More parts than this are joined by copying one after the other, not by a search for the part of each element.
    pub const JOINED_PARTS: usize = 4;

    /// So many blocks keep a device busy: the H200 has 132 multiprocessors.
    pub const BUSY_BLOCKS: i64 = 256;

    /// How much parallelism is enough for one thread at each point, by default
    /// (`rts/gpu/hooks.h` has the same).
    pub const ENOUGH_PARALLELISM: i64 = 1 << 15;

    /// How often maps inside of a point read a row of it again, at least, if that decides between versions:
    /// with fewer reads, there is less to gain by sharing them.
    pub const REPEATED_ROW_READS: i64 = 16;

    /// How long such a row is, at least, if its other versions are faster: the other operations of the point
    /// cost more when they go through memory, which short rows do not make up for.
    pub const REPEATED_ROW_ELEMENTS: i64 = 128;

    /// How many bytes such rows of all points have that come from the cache, which has 60 MB on an H200.
    pub const CACHED_ROW_BYTES: i64 = 1 << 26;

    /// How long rows are, at least, that are faster in blocks than with a thread for each, where points only
    /// reduce, scan and map rows. A block costs the same however short its row is.
    pub const BLOCK_ROW_ELEMENTS: i64 = 64;

    /// Points that have a thread each while every processor of an H200 runs one block of 256.
    pub const POINTS_OF_ROUND: i64 = 132 * 256;

    /// How many statements of pairs take as long as to begin and to end the reduction of a point, in blocks
    /// that reduce a few together. The larger, the more elements a point needs before such blocks are the
    /// default.
    pub const STATEMENTS_OF_POINT_TOGETHER: i64 = 8000;

    /// Statements of a pair at most that take less time in blocks than in a thread for each point, as a
    /// thread reads an element for several points.
    pub const FEW_STATEMENTS_OF_PAIR: i64 = 4;

    /// How many bytes a device moves while it launches a kernel.
    pub const LAUNCH_BYTES: i64 = 1 << 23;

    /// How many bytes a device moves in the time that it takes for a thread block with a short row, while
    /// others run. The larger, the longer rows must be for blocks to be the default.
    pub const BLOCK_BYTES: i64 = 2560;

    /// The same for a part of a warp, of which a block has several.
    pub const TEAM_BYTES: i64 = 96;

    /// The longest row that one thread reads as fast as several would: a sector, what memory transfers at a
    /// time. So much is also read with each element of a strided read.
    pub const ROW_BYTES_READ_AT_ONCE: i64 = 32;

    /// How many elements of parallelism that a thread block does not use its threads may go through one after
    /// the other, where there are too few blocks to keep a device busy. A thread waits in each for what it
    /// reads, so that these take as long as the launches that flattening further costs.
    pub const BLOCK_VERSION_STEPS: i64 = 2048;

    /// How many elements arrays and operations of a thread block may have along a dimension whose size its
    /// loops change. More do not fit in the shared memory of any device, and products of three such sizes do
    /// not wrap around.
    pub const MAX_ROOM_ELEMENTS: i64 = 1 << 18;

    /// How many steps the threads of a block may take for each one that they do something in, where the rest
    /// is waiting for others: what it costs to flatten further, that is to put into memory what would be in
    /// shared memory.
    pub const BLOCK_STEPS_PER_STEP_DONE: i64 = 2;

    /// How many steps of threads a device makes while it launches the kernels of a version that is flattened
    /// further.
    pub const LAUNCH_STEPS: i64 = 1 << 25;

    /// How many steps of threads a device makes for each kernel of a version that is flattened further where
    /// a loop of the host launches it again and again.
    pub const REPEATED_LAUNCH_STEPS: i64 = 1 << 23;

    /// How many turns threads of a block take at most in operations in loops, where there are too few blocks
    /// to keep a device busy, and a version that is flattened further launches kernels in each iteration.
    /// With more turns, the launches are taken to cost less.
    pub const MAX_TURNS_IN_LOOPS: i64 = 4;

    /// How many bytes of rows that all points read, from caches, take as long as one byte of a result that is
    /// written and read again. The larger, the longer rows must be for operations of their own to be the
    /// default.
    pub const SHARED_BYTES_PER_RESULT_BYTE: i64 = 8;

    /// How many such bytes an H200 reads from caches in the time of two launches.
    pub const SHARED_BYTES: i64 = 1 << 25;

    /// The same for maps, whose results are written in any case.
    pub const SHARED_BYTES_OF_MAPS: i64 = 1 << 27;

    /// How many elements rows that maps share have at least: they must be long enough for tiles.
    pub const MIN_SHARED_ROW_ELEMENTS: i64 = 32;

    /// How many points along the innermost dimension of a nest share rows at least: half of the side of a small tile.
    pub const MIN_POINTS_SHARING_ROWS: i64 = 32;

    /// How much parallelism is enough for thread blocks, by default: one warp. What a block
    /// does in shared memory, with barriers, the versions flattened further do in several kernels, which cost
    /// a launch each, through global memory.
    pub const BLOCK_VERSION_ELEMENTS: i64 = crate::device::WARP_THREADS;

    /// How many points of an irregular nest must be busy at a time, by default, so that one
    /// thread runs each: as many as are enough parallelism anywhere else.
    pub const IRREGULAR_BUSY_POINTS: i64 = ENOUGH_PARALLELISM;

    /// How many elements a point has at most, where it has them on one side of a branch, so that one thread
    /// runs it whatever the other points do. The thread waits for each element; with more, that takes longer
    /// than the kernels of the flat version.
    pub const SIDE_ELEMENTS_OF_THREAD: i64 = 512;

    /// How many elements points have at least, on average, of arrays whose sizes are known before, so that
    /// those that also store arrays whose sizes are known only in the middle of the computation do not have
    /// one thread each. With fewer, one thread each is faster than the kernels of the flat version.
    pub const UNFORESEEN_ELEMENTS: i64 = 8;

    /// How many times the elements of all points the memory of threads that run a point each may hold.
    pub const SCRATCH_SHARE: i64 = 4;

    /// As many elements as this it may hold in any case.
    pub const SCRATCH_ELEMENTS: i64 = 1 << 20;

    /// How many elements of a point each thread of a team has at least, on average, where they are computed:
    /// with fewer, reducing the results of the threads costs more than the elements.
    pub const TEAM_COMPUTED_ELEMENTS: i64 = 8;

    /// The same where elements are read: threads wait for memory, and more of them wait at a time.
    pub const TEAM_READ_ELEMENTS: i64 = 2;

    /// How many elements points have at least, on average, that are read by a team.
    pub const TEAM_READ_POINT_ELEMENTS: i64 = 8;

    /// How often elements are read, on average, from which on points with one thread each read them from
    /// caches, and teams that read consecutive elements gain nothing.
    pub const REUSED_READS: i64 = 8;

    /// How many elements a piece of a point's reduction has, where one thread does it. Smaller pieces leave
    /// more results to combine, larger ones fewer threads at work.
    pub const PIECE_ELEMENTS: i64 = 128;

    /// How many bytes the values of an element have at most so that all elements of a share of rows are kept
    /// in shared memory: 1792 of them are 43 KB with 16 bytes and eight bytes for each that say where rows
    /// are, and blocks have 48 KB.
    pub const SHARED_ELEMENT_BYTES: u64 = 16;

    /// How many threads share a piece where elements are read. With more of them, short rows leave most
    /// without work.
    pub const PIECE_TEAM_MEMBERS: i64 = 4;

    /// How many elements it has then. Half or twice as many make little difference.
    pub const PIECE_TEAM_ELEMENTS: i64 = 64;

    /// The most threads of a team: the usual thread block.
    pub const LARGEST_TEAM_THREADS: i64 = 256;
}

/// How operations whose operators cannot run on rows of threads are divided.
pub mod chunks {
    /// In how many parts the bins of one segment are divided, at most. All threads read the same indices at a
    /// time, so that these cost little; more threads than this would still have to read all of them.
    pub const BIN_PARTS: i64 = 4096;
}

/// When a kernel's operand is copied into another layout; measured on an H200 by `bench/gpu/layout.py`.
pub mod layout {
    /// Reads that cost as much as a further kernel.
    pub const LAUNCH_READS: i64 = 1 << 20;

    /// The fewest threads along the innermost dimension of the space for which a block lies along one row:
    /// its usual size.
    pub const ROW_THREADS: i64 = crate::device::BLOCK_THREADS;

    /// How many eighths of the elements must be read, where no other thread uses what is fetched with an element:
    /// half of the array.
    pub const ALONE_EIGHTHS: i64 = 4;

    /// The same where others do: four times the array.
    pub const SHARED_EIGHTHS: i64 = 32;

    /// The same where blocks of threads along neighbouring columns do: two and a half times the array.
    pub const BLOCK_EIGHTHS: i64 = 20;

    /// The same, at least, where the reads of the copy are strided, too: two times the array.
    pub const LEAPING_EIGHTHS: i64 = 16;

    /// A line of the cache, of which four transactions are parts. With shorter strides, others soon use the
    /// rest of a line, and a copy costs more than it saves.
    pub const LEAP_BYTES: i64 = 128;
}

/// Threads with several points that read the same elements (`kernels/jam`).
pub mod jam {
    /// Points of a thread.
    pub const POINTS: i64 = 4;

    /// How many threads there are at least with several points each: with fewer, too little of the device is
    /// busy.
    pub const MIN_THREADS: i64 = 32_768;

    /// How many points threads compute at most, in percent of those that there are.
    pub const MAX_PERCENT_COVERED: i64 = 125;

    /// How many statements a point has at most.
    pub const MAX_STATEMENTS: usize = 64;

    /// How many scalars that differ from point to point its loops carry at most; there are as many registers
    /// for each of a thread's points.
    pub const MAX_CARRIED_SCALARS: usize = 8;

    /// How many operations take as long as to read an element from a cache: a processor of an H200 adds and
    /// multiplies for 128 threads at a time, and reads for 32.
    pub const READ_WORK: i64 = 4;

    /// The same of a division or a mathematical function.
    pub const LONG_OPERATION_WORK: i64 = 8;
}

/// Rectangles of arrays that thread blocks keep in shared memory.
pub mod rectangles {
    /// The most bytes of a rectangle: a square of 64 x 64 `f32`. An H200 then still runs thirteen such blocks
    /// on each of its processors.
    pub const MAX_RECTANGLE_BYTES: i64 = 16 * 1024;
}

/// When the columns of a matrix are reduced in parts.
pub mod columns {
    /// Threads that an H200 runs at a time. Where columns are fewer, so many threads reduce parts of them.
    pub const THREADS: i64 = 1 << 18;

    /// The fewest elements of a part: with fewer, reducing the parts costs as much as making them.
    pub const PART_ELEMENTS: i64 = 32;

    /// The fewest columns: a warp.
    pub const COLUMNS: i64 = crate::device::WARP_THREADS;

    /// The fewest columns where other operands are rows, which warps read together: fewer rows are in the cache.
    pub const COLUMNS_BESIDE_ROWS: i64 = 256;

    /// The fewest elements of such a column: shorter ones are read by several rows at a time, and are not
    /// copied in another layout.
    pub const ELEMENTS_OF_COLUMN_BESIDE_ROWS: i64 = 256;

    /// The fewest elements of all: with fewer, another kernel for parts of columns costs more than it saves.
    pub const ELEMENTS_BESIDE_ROWS: i64 = 1 << 22;

    /// The fewest columns of products of columns, whose blocks read rows together: what memory hands out at a time.
    pub const COLUMNS_OF_PRODUCT: i64 = 8;

    /// The fewest elements; with fewer it does not matter who reads them.
    pub const ELEMENTS: i64 = 1 << 16;
}

/// Arrays that filters keep on a GPU. They are written to memory with room for all elements.
pub mod filter {
    /// What is kept is copied to memory of its own size if the room for all is at least so many times as large ...
    pub const WASTE: i64 = 16;

    /// ... and all take at least so many bytes.
    pub const ROOM_BYTES: i64 = 1 << 20;
}

/// When a scan is joined with what follows it.
pub mod scan_epilogue {
    /// What is done twice rather than kept costs at most so many instructions.
    pub const REPEATED_INSTRUCTIONS: usize = 24;

    /// The most bytes of scanned values at a point: they are in registers, which limit how many threads run
    /// at a time.
    pub const POINT_BYTES: u64 = 24;

    /// The most conditions that a filter counts at once.
    pub const FILTERED_VALUES: usize = 2;
}

/// Which scalar code goes to the device.
pub mod single_point {
    /// Longer literals are left to the host.
    pub const LITERAL_ELEMENTS: usize = 8;

    /// More statements than this are left to the host, and not looked through.
    pub const STATEMENTS: usize = 256;

    /// More statements than this are not repeated by every thread of a kernel.
    pub const REPEATED_STATEMENTS: usize = 16;
}

/// Where threads put the arrays that they make.
pub mod results {
    /// Rows of constant size are long from so many elements on: fewer a thread may keep for itself.
    pub const LONG_ROW_ELEMENTS: i64 = 65;

    /// The largest array that is a thread's own and not in memory of the device. Machines set memory aside
    /// for all threads that can run at once, so it must not be much larger.
    pub const THREAD_BYTES: i64 = 256;

    /// The most that all larger arrays of constant size of a thread take together to be its own. They are
    /// faster there than in memory of the device; but with as much for each thread that it can run at once,
    /// an H200 sets 2 GB aside.
    pub const LARGER_THREAD_BYTES: i64 = 8 << 10;

    /// The shortest rows whose elements threads write side by side: the transposition costs more than shorter
    /// ones gain.
    pub const INTERLEAVED_ROW_ELEMENTS: i64 = 32;

    /// The same for rows that a thread goes through again and again: the transposition is paid once.
    pub const INTERLEAVED_REPEATED_ROW_ELEMENTS: i64 = 8;

    /// The fewest threads for which that is done.
    pub const INTERLEAVED_THREADS: i64 = 256;

    /// The fewest threads whose rows warps write together instead of interleaved: fewer wait for memory in
    /// each tile.
    pub const WRITTEN_TOGETHER_THREADS: i64 = 65536;

    /// How often elements are used at least, all threads together, if that is done: a transposition is one kernel more.
    pub const INTERLEAVED_USES: i64 = 1 << 19;
}

/// How loops of CPU back ends are rearranged.
pub mod cpu_loops {
    /// The bytes that the arrays for a strip should have, all together: a part of the first-level cache.
    pub const STRIP_BYTES: u64 = 8192;

    /// How many iterations a range of a task has at least if they are done in strips: four vectors of `f32`.
    /// Shorter strips gain less.
    pub const STRIP_OF_TASK: i64 = 16;

    /// How many steps of an innermost loop are done at a time ...
    pub const STEPS: i64 = 4;

    /// ... in code of at most so many nodes.
    pub const STEPS_NODES: usize = 40;

    /// How many accumulators a reduction has whose iterations are vectors. C compilers unroll loops of up to 16
    /// before they look for vectors.
    pub const VECTOR_CHAINS: i64 = 32;

    /// The same if they are none: as many additions as are under way at the same time.
    pub const SCALAR_CHAINS: i64 = 8;

    /// So many accumulators are combined one after the other.
    pub const CHAIN_REST: i64 = 4;

    /// Reductions of more nodes have one: what else they do takes as long as their additions.
    pub const CHAIN_NODES: usize = 60;

    /// How many iterations are asked at a time whether one of them changes anything. Longer blocks are run more
    /// often; with shorter ones, the answers of lanes are put together more often.
    pub const SKIPPED_BLOCK: i64 = 256;

    /// Only iterations with at most so many ways through them are asked.
    pub const SKIPPED_PATHS: usize = 16;

    /// Loops of fewer iterations are unrolled, and are no vector code.
    pub const FEW_ITERATIONS: i64 = 8;

    /// A loop that has no more iterations than this, and no loop inside, is over before another function has begun.
    pub const SHORT_LOOP: i64 = 64;

    /// A loop of more nodes is compiled once, not for each width of vectors.
    pub const VERSION_NODES: usize = 8000;

    /// How many `while` loops of a map advance together. C compilers unroll loops of up to 16 before they
    /// look for vectors.
    pub const LANES: i64 = 32;

    /// Steps of more nodes are left alone: their values would not stay in registers.
    pub const LANES_NODES: usize = 200;

    /// If no more than so many lanes are going, each ends by itself: a step of all lanes then costs more than
    /// a step of each of these. Of `f32` ...
    pub const FEW_LANES: i32 = 8;

    /// ... and of `f64`, of which a vector has half as many.
    pub const FEW_WIDE_LANES: i32 = 16;

    /// How many rows of a rectangle are done at a time. With fewer, less of what is read is used again; more
    /// need more registers than there are.
    pub const RECTANGLE_ROWS: i64 = 5;

    /// The columns of a rectangle: vector code of a loop that is known to have so many iterations needs no
    /// code for a rest, and so has registers for all that it reads. Loops of 8 are no loops for vectors, as
    /// they are unrolled before.
    pub const GROUP_COLUMNS: i64 = 16;

    /// The bytes that points of a row in a strip of columns remember. The more they are, the fewer rows a
    /// block has.
    pub const COLUMNS_BYTES: u64 = 2048;

    /// The same where something is packed: narrower strips have taller blocks, for which it is packed once.
    pub const PACKED_COLUMNS_BYTES: u64 = 512;

    /// The bytes that the points of a block of rows remember: a small part of the second-level cache, and of a stack.
    pub const BLOCK_BYTES: u64 = 65536;

    /// How many steps are done for all points of a block before the next ones: what they read of a strip of
    /// columns should stay in the second-level cache. A quarter or half as many make little difference.
    pub const BLOCK_STEPS: i64 = 64;

    /// Rectangles need so many columns: with fewer, too many are beyond whole groups, and go row by row.
    pub const RECTANGLE_COLUMNS: i64 = 32;

    /// What columns read far apart is packed from so many rows and columns on: with fewer, packing costs more
    /// than it saves.
    pub const PACKED_ROWS: i64 = 16;

    /// See above.
    pub const PACKED_COLUMNS: i64 = 16;

    /// The most that is packed in one nest.
    pub const PACKED_READS: usize = 2;

    /// Loops of at most so many iterations are unrolled by C compilers, which then do all of this by themselves.
    pub const UNROLLED_ITERATIONS: i64 = 8;

    /// The largest body that is worth two copies.
    pub const SPLIT_NODES: usize = 240;
}

/// Which loops of the host one thread of the device runs.
pub mod device_loops {
    /// A loop inside that touches no memory has at most so many iterations: one thread of the device must
    /// take less time for them than the host waits for an element.
    pub const ITERATIONS_WITHOUT_ACCESS: i64 = 64;

    /// The most elements of an array that is copied in each iteration; more are copied in parallel.
    pub const COPIED_ELEMENTS: i64 = 16;
}

/// Which scalars stay on the device.
pub mod device_scalars {
    /// How many instructions every thread of a kernel may do over again, so that the host need not wait for a number.
    pub const REPEATED_INSTRUCTIONS: usize = 24;
}
