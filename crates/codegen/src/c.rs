//! C text for a program: the runtime, the program's code, and its interface.

pub(crate) mod api;
pub(crate) mod backend;
pub(crate) mod context;
pub(crate) mod cpu;
pub(crate) mod ctype;
pub(crate) mod entry;
pub(crate) mod expr;
pub(crate) mod fun;
pub(crate) mod header;
pub(crate) mod host;
pub(crate) mod literal;
pub(crate) mod manifest;
mod md5;
pub(crate) mod message;
pub(crate) mod names;
pub(crate) mod opaque_name;
pub(crate) mod places;
pub(crate) mod rts;
pub(crate) mod stm;
pub(crate) mod tables;
mod task;
pub(crate) mod types;
pub(crate) mod whole;

use crate::{Options, Output};
use backend::Backend;
use context::Context;
use cpu::Cpu;
use fehu_imp::syntax::{HostOp, Program};
use fehu_impopt::{Analysis, Memory};
use whole::Parts;

const SEQUENTIAL: Backend =
    Backend { name: "c", memory: Memory::Own, raw: "unsigned char *", types: "", declarations: "" };

/// The texts for a program that runs on one core.
pub(crate) fn generate(program: &Program, analysis: &Analysis, options: &Options) -> Output {
    let runtime = Runtime { context: &[rts::CONTEXT, rts::HOST], options: "", apply: "" };
    text(program, analysis, options, SEQUENTIAL, &runtime)
}

/// What is special to the runtime of a back end that runs on the host.
pub(crate) struct Runtime<'a> {
    /// Contexts, and what the program's functions call.
    pub(crate) context: &'a [&'a str],
    /// Further options of executables, and what they do.
    pub(crate) options: &'a str,
    pub(crate) apply: &'a str,
}

/// The texts for a program that runs on the host.
pub(crate) fn text(
    program: &Program,
    analysis: &Analysis,
    options: &Options,
    backend: Backend,
    runtime: &Runtime,
) -> Output {
    let context = Context::new(program, analysis, options.backtrace);
    let mut code = String::from(rts::MEMORY);
    code.push_str(&tables::params(program));
    code.push_str(&format!("#define HAS_RECURSION {}\n\n", u8::from(context.has_recursion())));
    code.push_str(&fun::globals_struct(&context));
    runtime.context.iter().for_each(|part| code.push_str(part));
    code.push_str(&fun::functions(&context, Cpu::<HostOp>::new));
    code.push_str(&context.place_table());
    let parts = Parts { backend, code, options: runtime.options.into(), apply: runtime.apply.into() };
    whole::text(&context, options, &parts)
}
