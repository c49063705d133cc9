//! Passes that make kernels faster.

pub mod fuse_thread_loops;
pub mod layout;
pub mod loop_scalars;
pub mod progressions;
pub mod recompute;
pub mod rectangles;
pub mod scan_epilogue;
pub mod single_point;
pub mod wide_bins;
