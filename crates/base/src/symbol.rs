//! Interned strings. A [`Symbol`] is a `Copy` handle; equal texts have equal
//! handles. Symbols are what the user wrote; [`crate::Name`]s are what the
//! compiler distinguishes.

use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{OnceLock, RwLock};

/// An interned string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    ids: FxHashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

fn interner() -> &'static RwLock<Interner> {
    static TABLE: OnceLock<RwLock<Interner>> = OnceLock::new();
    TABLE.get_or_init(Default::default)
}

impl Symbol {
    /// The symbol for this text.
    pub fn new(text: &str) -> Symbol {
        let lock = interner();
        if let Some(&id) = lock.read().unwrap_or_else(|e| e.into_inner()).ids.get(text) {
            return Symbol(id);
        }
        let mut table = lock.write().unwrap_or_else(|e| e.into_inner());
        if let Some(&id) = table.ids.get(text) {
            return Symbol(id);
        }
        let id = table.texts.len() as u32;
        // Interned for the life of the process: a compiler run is short.
        let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
        table.texts.push(text);
        table.ids.insert(text, id);
        Symbol(id)
    }

    /// The text.
    pub fn as_str(self) -> &'static str {
        interner().read().unwrap_or_else(|e| e.into_inner()).texts[self.0 as usize]
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_equal_symbols() {
        assert_eq!(Symbol::new("foo"), Symbol::new("foo"));
        assert_ne!(Symbol::new("foo"), Symbol::new("bar"));
        assert_eq!(Symbol::new("foo").as_str(), "foo");
    }
}
