//! Marks parameters of loops and lambdas that their body consumes, anew after
//! passes that made lambdas; see [`fehu_ir::mark`].

use fehu_ir::{mark, Prog, Rep};
use fehu_pass::{Need, Pass};

/// The marking as a pass.
pub const fn pass<R: Rep>() -> Pass<Prog<R>> {
    Pass { name: "mark-consumed", need: Need::Required, run: mark::mark }
}
