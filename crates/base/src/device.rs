//! Facts about GPUs that generated code relies on. What the device has is asked at run time where it matters; these
//! hold for all of them, or are what a program gets by default.

/// Threads that run in step, and exchange values without shared memory. Devices of OpenCL that have fewer, or
/// none, are served by the same code with barriers.
pub const WARP_THREADS: i64 = 32;

/// The most warps of a thread block: of 1024 threads.
pub const MAX_BLOCK_WARPS: i64 = 32;

/// Threads in a block, unless a tuning file or an option says otherwise.
pub const BLOCK_THREADS: i64 = 256;

/// Elements along a side of a tile in shared memory, unless said otherwise.
pub const TILE_SIDE: i64 = 16;

/// Threads along a side of a tile whose threads have many points each, unless said otherwise: with 8 x 8
/// threads each may have 255 registers.
pub const SMALL_TILE_SIDE: i64 = 8;

/// Elements along a side of a tile in the registers of a thread, unless said otherwise.
pub const REGISTER_TILE_SIDE: i64 = 4;

/// Every array in shared memory begins at a multiple of so many bytes: the widest load.
pub const SHARED_ALIGNMENT_BYTES: i64 = 16;

/// Bytes of shared memory that are in different banks: 32 banks of four bytes.
pub const BANKS_BYTES: i64 = 128;

/// Bytes of shared memory that the text of a kernel may declare; more must be asked for at the launch.
pub const MAX_DECLARED_SHARED_BYTES: i64 = 48 * 1024;

/// Elements by which rows in shared memory are longer than a multiple of the number of banks, where
/// neighbouring threads write one below the other.
pub const BANK_PADDING_ELEMENTS: i64 = 4;

/// Elements of a tile that a thread reads side by side, as one load.
pub const LOAD_ELEMENTS: i64 = 4;

/// Bytes of the widest copy from global to shared memory, which is also how its ends are aligned.
pub const WIDEST_COPY_BYTES: i64 = 16;
