//! Passes over the imperative IR.
//!
//! - [`device_scalars`]: scalars that only kernels need are not read by the host.
//! - [`loops`]: loops of CPUs in an order and a shape that C compilers make vector code of.

#![forbid(unsafe_code)]

pub mod device_scalars;
pub mod loops;
