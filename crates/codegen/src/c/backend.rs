//! What the interface of a back end has of its own.

use fehu_impopt::Memory;

/// What the interface of a back end has of its own.
pub(crate) struct Backend {
    /// As the manifest calls it.
    pub(crate) name: &'static str,
    /// Where blocks are.
    pub(crate) memory: Memory,
    /// The type of an array's memory, ready for a name to follow.
    pub(crate) raw: &'static str,
    /// Types that the header declares first.
    pub(crate) types: &'static str,
    /// Functions that only it has.
    pub(crate) declarations: &'static str,
}
