//! Passes that make kernels faster.

pub mod coalesce;
pub mod fuse_thread_loops;
pub mod progressions;
pub mod scan_epilogue;
pub mod single_point;
