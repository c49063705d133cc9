//! Marks parameters of loops and lambdas that their body consumes, anew after
//! passes that made lambdas; see [`fehu_ir::mark`].

use crate::pass::Pass;
use fehu_ir::{mark, Soacs};

/// The marking as a pass.
pub const PASS: Pass<Soacs> = Pass { name: "mark-consumed", run: mark::mark };
