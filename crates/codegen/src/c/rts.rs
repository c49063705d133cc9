//! The runtime's files, in the order in which they build on each other.

/// The C library, and what compilers call things.
pub(crate) const PRELUDE: &str = include_str!("../../rts/c/prelude.h");

/// Operators, and what needs no context.
pub(crate) const SCALARS: &str = concat!(
    "\n",
    include_str!("../../rts/c/scalar.h"),
    "\n",
    include_str!("../../rts/c/scalar_math.h"),
    "\n",
    include_str!("../../rts/c/scalar_exp.h"),
    "\n",
    include_str!("../../rts/c/scalar_divide.h"),
    "\n",
    include_str!("../../rts/c/scalar_f16.h"),
    "\n",
    include_str!("../../rts/c/lock.h"),
    "\n",
    include_str!("../../rts/c/strings.h"),
    "\n",
    include_str!("../../rts/c/floats.h"),
    "\n",
    include_str!("../../rts/c/stack.h"),
    "\n",
    include_str!("../../rts/c/vectors.h"),
    "\n",
);

/// Memory, which contexts have.
pub(crate) const MEMORY: &str = concat!("\n", include_str!("../../rts/c/memory.h"), "\n");

/// Contexts.
pub(crate) const CONTEXT: &str = concat!("\n", include_str!("../../rts/c/context.h"), "\n");

/// What the program's functions call.
pub(crate) const HOST: &str = concat!(
    "\n",
    include_str!("../../rts/c/host.h"),
    "\n",
    include_str!("../../rts/c/calls.h"),
    "\n",
    include_str!("../../rts/c/access.h"),
    "\n",
    include_str!("../../rts/c/blocks.h"),
    "\n",
    include_str!("../../rts/c/copy.h"),
    "\n",
    include_str!("../../rts/c/timing.h"),
    "\n",
);

/// Values as the interface sees them.
pub(crate) const VALUES: &str =
    concat!("\n", include_str!("../../rts/c/values.h"), "\n", include_str!("../../rts/c/store.h"), "\n",);

/// What executables and servers share.
pub(crate) const PROGRAM: &str = concat!(
    "\n",
    include_str!("../../rts/c/entries.h"),
    "\n",
    include_str!("../../rts/c/reader.h"),
    "\n",
    include_str!("../../rts/c/writer.h"),
    "\n",
    include_str!("../../rts/c/shown.h"),
    "\n",
    include_str!("../../rts/c/tuning.h"),
    "\n",
    include_str!("../../rts/c/options.h"),
    "\n",
);

/// The main function of an executable.
pub(crate) const CLI: &str =
    concat!("\n", include_str!("../../rts/c/cli.h"), "\n", include_str!("../../rts/c/main.h"),);

/// The main function of a server.
pub(crate) const SERVER: &str = concat!(
    "\n",
    include_str!("../../rts/c/server_state.h"),
    "\n",
    include_str!("../../rts/c/server_commands.h"),
    "\n",
    include_str!("../../rts/c/server_values.h"),
    "\n",
    include_str!("../../rts/c/server.h"),
    "\n",
    include_str!("../../rts/c/main.h"),
);
