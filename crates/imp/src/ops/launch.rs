//! How the host starts a kernel, and what it reads of its results.

use crate::syntax::{Arg, Expr};
use fehu_base::Name;

/// A kernel launch. A grid without blocks is not launched.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Launch {
    pub kernel: Name,
    /// Thread blocks in the grid, at most `2^31 - 1`.
    pub grid: Expr,
    /// Threads in a block.
    pub block: Expr,
    /// The bytes of each of the kernel's shared arrays, in their order. The text lays them out one after the other,
    /// each at a multiple of 16 bytes.
    pub shared: Vec<Expr>,
    /// The kernel's parameters.
    pub args: Vec<Arg>,
    /// A block of a few bytes that the kernel writes and the host reads later.
    pub ahead: Option<Ahead>,
}

/// A block that the host gets when a kernel has ended, while others run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ahead {
    /// The block.
    pub block: Name,
    /// How it gets there.
    pub way: Way,
}

/// How a few bytes get from a kernel to the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// They are copied as soon as the kernel has ended.
    Copied,
    /// The kernel writes them to memory of the host. Nothing else writes them, and no kernel reads them.
    Written,
}
