//! Descriptors against brute force, and the access patterns of real programs.

mod brute;
mod index;
mod programs;
mod sets;
