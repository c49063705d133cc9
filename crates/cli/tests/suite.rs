//! All tests of the command line, of the runtimes, and of the repository itself (`tidy`).
//!
//! One program, so that little is linked, and a long test keeps one core busy while others use the rest.

mod commands;
mod cuda;
mod cuda_runtime;
mod fake;
mod gpu;
mod gpu_runtime;
mod opencl_runtime;
mod option_table;
mod quick_cc;
mod readme;
mod testing;
mod tidy;
