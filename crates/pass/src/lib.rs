//! Passes, pipelines, and the one runner of both.
//!
//! In: nothing of the compiler but the core IR. Out: the vocabulary in which `driver/pipelines.rs` writes down what
//! happens to a program on each back end, and the machine that does it.
//!
//! - A [`Language`] is a form that a program has between two passes: one of the three representations of the core
//!   IR, the imperative IR, or the generated text. It can be printed and validated, and most can be read back.
//! - A [`Pass`] has a name and changes a program of one language in place. Passes are statics of the crate
//!   that implements them, and so compiled there: `sink::PASS`. A pass is [optional](Need::Optional) if
//!   programs are correct without it.
//! - A [`Pipeline`] is a list of [`Step`]s, each with the reason for its position. A step runs a pass, or lowers the
//!   program from one language to the next. The types of a pipeline's ends are checked by Rust, so a pass over
//!   `Memory` cannot stand before memory exists.
//! - A step may *refuse* a program ([`Refusal`]): a kernel that would have to allocate, for example. The combinator
//!   [`Pipeline::retry_on_refusal`] is the one place where a program goes back: it keeps the program as it was, and on
//!   a refusal applies a remedy to it and runs the same steps again.
//! - A [`Runner`] runs pipelines. It alone times, validates, leaves out and stops, and shows each program to a watcher,
//!   which is how dumps, diffs and the search for a wrong pass are done.
//!
//! ```
//! use fehu_ir::{Prog, Soacs};
//! use fehu_pass::{Need, Pass, Pipeline, Runner};
//!
//! static NOTHING: Pass<Prog<Soacs>> = Pass { name: "nothing", need: Need::Optional, run: |_| {} };
//! let pipeline = Pipeline::new().pass(NOTHING, "an example");
//! let empty: Prog<Soacs> = fehu_ir::read::read_prog("soacs\n").expect("a program");
//! let mut runner = Runner::default();
//! assert!(pipeline.run(empty, &mut runner).is_ok());
//! assert_eq!(runner.times[0].0.to_string(), "nothing#1");
//! ```

#![forbid(unsafe_code)]

mod language;
mod pipeline;
mod runner;
mod step;
#[cfg(test)]
mod tests;

pub use language::{Form, Language};
pub use pipeline::Pipeline;
pub use runner::{Flow, Runner, Watcher};
pub use step::{Need, Pass, Refusal, Step, StepId, Stop};
