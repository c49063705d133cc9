//! `fehu hash`.

use crate::report::show_all;
use fehu_syntax::TokenKind;
use fehu_tools::outln;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu hash`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file.
    file: PathBuf,
}

/// Hashes the tokens of all files, so that spaces and comments do not matter.
pub(crate) fn run(args: &Args) -> ExitCode {
    let loaded = fehu_driver::load::load(&args.file);
    if !loaded.errors.is_empty() {
        show_all(&loaded.errors, &loaded.sources);
        return ExitCode::from(1);
    }
    let mut hasher = Sha256::new();
    for unit in &loaded.units[loaded.prelude..] {
        let Some(file) = loaded.sources.get(unit.file) else { continue };
        for t in fehu_syntax::tokens(unit.file, &file.text) {
            if !matches!(t.kind, TokenKind::Comment | TokenKind::DocComment) {
                hasher.update(loaded.sources.snippet(t.span));
                hasher.update([0]);
            }
        }
        hasher.update([1]);
    }
    let text: String = hasher.finalize().iter().map(|b| format!("{b:02x}")).collect();
    outln!("{text}");
    ExitCode::SUCCESS
}
