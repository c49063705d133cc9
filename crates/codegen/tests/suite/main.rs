//! Generated programs, compiled and run. Programs are made by hand in
//! `sample.rs` and `operators.rs`, with the builder of `common.rs`.
#![allow(clippy::unwrap_used, unreachable_pub)]

mod common;
mod copies;
mod executable;
mod gpu;
mod gpu_operators;
mod library;
mod operators;
mod portable;
mod sample;
mod server;
