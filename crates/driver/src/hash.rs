//! A hash of a program that spaces and comments do not change.

use crate::load::Loaded;
use fehu_syntax::TokenKind;
use sha2::{Digest, Sha256};

/// The hash of the tokens of all files but the prelude's.
pub fn program_hash(loaded: &Loaded) -> String {
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
    hasher.finalize().iter().map(|b| format!("{b:02x}")).collect()
}
