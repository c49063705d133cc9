//! The runtime's files, in the order in which they build on each other.

/// The C library, and what compilers call things.
pub(super) const PRELUDE: &str = include_str!("../../../../rts/c/prelude.h");

/// Operators, and what needs no context.
pub(super) const SCALARS: &str = concat!(
    "\n",
    include_str!("../../../../rts/c/scalar.h"),
    "\n",
    include_str!("../../../../rts/c/scalar_math.h"),
    "\n",
    include_str!("../../../../rts/c/scalar_f16.h"),
    "\n",
    include_str!("../../../../rts/c/lock.h"),
    "\n",
    include_str!("../../../../rts/c/strings.h"),
    "\n",
    include_str!("../../../../rts/c/stack.h"),
    "\n",
    include_str!("../../../../rts/c/memory.h"),
    "\n",
);

/// Contexts, and what the program's functions call.
pub(super) const MEMORY: &str = concat!(
    "\n",
    include_str!("../../../../rts/c/context.h"),
    "\n",
    include_str!("../../../../rts/c/host.h"),
    "\n",
    include_str!("../../../../rts/c/access.h"),
    "\n",
    include_str!("../../../../rts/c/blocks.h"),
    "\n",
    include_str!("../../../../rts/c/copy.h"),
    "\n",
    include_str!("../../../../rts/c/timing.h"),
    "\n",
);

/// Values as the interface sees them.
pub(super) const VALUES: &str = concat!(
    "\n",
    include_str!("../../../../rts/c/values.h"),
    "\n",
    include_str!("../../../../rts/c/store.h"),
    "\n",
);

/// What executables and servers share.
pub(super) const PROGRAM: &str = concat!(
    "\n",
    include_str!("../../../../rts/c/reader.h"),
    "\n",
    include_str!("../../../../rts/c/writer.h"),
    "\n",
    include_str!("../../../../rts/c/tuning.h"),
    "\n",
    include_str!("../../../../rts/c/entries.h"),
    "\n",
    include_str!("../../../../rts/c/options.h"),
    "\n",
);

/// The main function of an executable.
pub(super) const CLI: &str =
    concat!("\n", include_str!("../../../../rts/c/cli.h"), "\n", include_str!("../../../../rts/c/main.h"),);

/// The main function of a server.
pub(super) const SERVER: &str = concat!(
    "\n",
    include_str!("../../../../rts/c/server_state.h"),
    "\n",
    include_str!("../../../../rts/c/server_commands.h"),
    "\n",
    include_str!("../../../../rts/c/server_values.h"),
    "\n",
    include_str!("../../../../rts/c/server.h"),
    "\n",
    include_str!("../../../../rts/c/main.h"),
);
