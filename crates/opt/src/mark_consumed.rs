//! Marks parameters of loops and lambdas that their body consumes, anew after
//! passes that made lambdas; see [`fehu_ir::mark`].

use fehu_ir::{mark, Kernels, Prog, Soacs};
use fehu_pass::{Need, Pass};

/// The marking as a pass over combinators.
pub static SOACS: Pass<Prog<Soacs>> = Pass { name: "mark-consumed", need: Need::Required, run: mark::mark };

/// The same over segmented operations.
pub static KERNELS: Pass<Prog<Kernels>> =
    Pass { name: "mark-consumed", need: Need::Required, run: mark::mark };
