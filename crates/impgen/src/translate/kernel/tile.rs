//! Tiling: points that read the same elements read them together.
//!
//! A map whose points loop over arrays, such as a matrix product, reads every element again for every point
//! that needs it. Here a block of threads computes a rectangle of points, and goes through the loop in steps:
//! its threads copy what the rectangle needs for the step into shared memory, wait for each other, and then
//! compute from there. Each thread has several points of the rectangle, in registers, so that what it reads
//! from shared memory serves several of them as well.
//!
//! ```text
//! segmap (i < n, j < p) { loop (s = 0) for k < m { s + a[i,k] * b[k,j] } }
//!   ==>
//! blocks of T*T threads, R*R points each:                        -- rectangles of T*R by T*R points
//!   for step <= m/D {                                            -- D iterations of the loop are a step
//!     as[D][T*R], bs[D][T*R] in shared memory  =  the parts of a and b for this step, copied meanwhile
//!     from those of the step before: for k < D { x[R], y[R] = as[k][..], bs[k][..];  for r, q < R { s[r][q] += x[r] * y[q] } }
//!     barrier
//!   }
//! ```
//!
//! **Why**: a thread that waits for memory does not compute. With two tiles for each read, the copies for a
//! step run while the step before is computed, and the threads wait for each other once in a step. Few
//! threads with many points each do more from what they read of shared memory: 8 x 8 threads with 8 x 8
//! points each, which is as many as there are registers for.
//!
//! Every point still does the same operations in the same order, so answers do not change by a bit. `T` is a tuning
//! parameter of the class `tile_size`, `R` one of `reg_tile_size`; the text of the kernel is compiled for their values.
//!
//! What is tiled, and when, is said by the plan of the map ([`fehu_ir::schedule::Tiled`]).
//!
//! - [`plan`] cuts the body into parts, as the plan says.
//! - [`measures`] has the sizes of tiles.
//! - [`host`] lets the host choose.
//! - [`emit`] emits the kernel.
//! - [`fill`] has the copies to shared memory.
//! - [`matrix`] has the steps of products that warps compute.
//! - [`turned`] emits another kind of kernel, for elements that points would read in leaps.
//! - [`kept`] emits another kind of kernel, for rows that a point reads again and again.
//!
//! Points beyond the edges of the space compute what the point at the edge computes, and write nothing: so
//! there are no conditions around the code of a point, and none around a barrier. A thread with only one
//! point, beyond the edge, helps to copy, and leaves out the loop and what is between loops: a line of 256
//! threads may cover a row of 128 points.

mod emit;
mod fill;
pub(super) mod host;
pub(super) mod kept;
mod matrix;
mod measures;
mod plan;
mod turned;
