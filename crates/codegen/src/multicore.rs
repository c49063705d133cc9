//! Programs for the cores of a CPU: C as for one core, with tasks that threads run.
//!
//! In: an imperative program whose parallel work is in `ParFor` and `ParChunks`. Out: the same
//! texts as for sequential C, with the same interface. `c/task.rs` prints the operations; what
//! runs them is the runtime in `crates/codegen/rts/multicore`.

use crate::c::backend::Backend;
use crate::c::{rts, text, Runtime};
use crate::{Options, Output};
use fehu_imp::syntax::Program;
use fehu_impopt::{Analysis, Memory};

const MULTICORE: Backend = Backend {
    name: "multicore",
    memory: Memory::Own,
    raw: "unsigned char *",
    types: "",
    declarations: "void futhark_context_config_set_num_threads(struct futhark_context_config *cfg, int n);\n",
};

/// What contexts have for threads, before them.
const WORKER: &str = concat!("\n", include_str!("../rts/multicore/worker.h"), "\n");

/// Threads, what the program's functions call, and operations.
const HOST: &str = concat!(
    "\n",
    include_str!("../rts/multicore/threads.h"),
    "\n",
    include_str!("../rts/multicore/hooks.h"),
    "\n",
    include_str!("../rts/c/calls.h"),
    "\n",
    include_str!("../rts/c/access.h"),
    "\n",
    include_str!("../rts/c/blocks.h"),
    "\n",
    include_str!("../rts/c/timing.h"),
    "\n",
    include_str!("../rts/multicore/tasks.h"),
    "\n",
    include_str!("../rts/c/copy.h"),
    "\n",
    include_str!("../rts/multicore/copies.h"),
    "\n",
);

const OPTIONS: &str = concat!("\n", include_str!("../rts/multicore/options.h"), "\n");
const APPLY: &str = concat!("\n", include_str!("../rts/multicore/apply.h"), "\n");

/// The texts for a program.
pub(crate) fn generate(program: &Program, analysis: &Analysis, options: &Options) -> Output {
    let context = [WORKER, rts::CONTEXT, HOST];
    text(
        program,
        analysis,
        options,
        MULTICORE,
        &Runtime { context: &context, options: OPTIONS, apply: APPLY },
    )
}
