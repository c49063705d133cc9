//! `fehu defs`.

use crate::report::show_all;
use fehu_base::{SourceMap, Span};
use fehu_syntax::ast::{Dec, ModExp};
use fehu_tools::outln;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu defs`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file.
    file: PathBuf,
}

/// Lists what each file defines at top level, also inside modules.
pub(crate) fn run(args: &Args) -> ExitCode {
    let loaded = fehu_driver::load::load(&args.file);
    if !loaded.errors.is_empty() {
        show_all(&loaded.errors, &loaded.sources);
        return ExitCode::from(1);
    }
    for unit in &loaded.units[loaded.prelude..] {
        decs("", &unit.prog.decs, &loaded.sources);
    }
    ExitCode::SUCCESS
}

fn decs(prefix: &str, list: &[Dec], sources: &SourceMap) {
    let line = |kind: &str, name: &str, span: Span| {
        outln!("{kind} {prefix}{name} {}", sources.show(span));
    };
    for dec in list {
        match dec {
            Dec::Val(b) => line("value", b.name.name.as_str(), b.span),
            Dec::Type(b) => line("type", b.name.name.as_str(), b.span),
            Dec::ModType(b) => line("module type", b.name.name.as_str(), b.span),
            Dec::Mod(b) => {
                line("module", b.name.name.as_str(), b.span);
                module(&format!("{prefix}{}.", b.name.name), &b.body, sources);
            }
            Dec::Local(d, _) => decs(prefix, std::slice::from_ref(d), sources),
            Dec::Open(m, _) => module(prefix, m, sources),
            Dec::Import(..) => {}
        }
    }
}

fn module(prefix: &str, m: &ModExp, sources: &SourceMap) {
    match m {
        ModExp::Decs(list, _) => decs(prefix, list, sources),
        ModExp::Parens(m, _) | ModExp::Ascript(m, _, _) | ModExp::Lambda(_, _, m, _) => {
            module(prefix, m, sources);
        }
        ModExp::Var(_) | ModExp::Import(..) | ModExp::Apply(..) => {}
    }
}
