//! The prelude's text, built into the compiler.

/// The prelude's files: path as imports write it, and text; in dependency order.
pub fn prelude_sources() -> &'static [(&'static str, &'static str)] {
    &[]
}
