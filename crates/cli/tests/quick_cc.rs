//! A C compiler for tests whose programs run for less time than it takes to optimise them.
//!
//! `tcc`, which `./test` installs, takes a tenth of the time that gcc takes even if that optimises nothing.
//! It has no threads with memory of their own, so that programs for several cores are compiled by `cc`. That
//! generated text has no warnings and is right when it is optimised is tested in `codegen`, and by tests that
//! do not ask for this.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The compiler, if it is there.
pub(crate) fn quick_compiler() -> Option<&'static str> {
    static TCC: OnceLock<bool> = OnceLock::new();
    let found = || Command::new("tcc").arg("-v").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    TCC.get_or_init(found).then_some("tcc")
}

/// Lets a command that compiles programs, though not for several cores, do so quickly.
pub(crate) fn quick_cc(command: &mut Command) -> &mut Command {
    match quick_compiler() {
        Some(compiler) => command.env("CC", compiler).env("CFLAGS", "-std=c11"),
        None => command.env("CFLAGS", "-O0 -std=c11"),
    }
}
