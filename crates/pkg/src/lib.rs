//! Packages: what `fehu pkg` does.
//!
//! In: a project folder with a `futhark.pkg`, and repositories with releases. Out: a changed `futhark.pkg`,
//! or the folder `lib/` filled with the packages that it requires and those that they require.
//!
//! ```text
//! package github.com/sturluson/edda          lib/github.com/athas/fut-foo/foo.fut
//! require {                             ->   lib/github.com/athas/fut-bar/bar.fut
//!   github.com/athas/fut-foo 0.2.0 #3ddc9
//! }
//! ```
//!
//! - [`PkgPath`] and [`Version`]: names and versions, checked when they are read. A major version from 2 on is part of
//!   the path (`repo@2`).
//! - [`Manifest`]: a `futhark.pkg` as text and tree; changes keep the layout and the comments of the rest.
//! - [`solve`]: which version of each package, by minimal version selection.
//! - [`Registry`]: where packages come from: git repositories, kept in a cache, so that what was fetched once is
//!   available offline.
//! - `tree`: what a package may contain; nothing that a repository says reaches the file system unchecked.
//! - [`Project`]: the commands. `library` replaces `lib/` as a whole.
//! - [`programs`]: which files belong to a project; [`search`]: public packages by their names and purposes.

#![forbid(unsafe_code)]

mod error;
mod git;
mod library;
mod manifest;
mod path;
mod project;
mod registry;
mod search;
mod solve;
mod sources;
mod time;
mod tree;
mod version;

pub use error::Error;
pub use manifest::{Manifest, Require};
pub use path::PkgPath;
pub use project::{Event, Project};
pub use registry::{Access, Registry};
pub use search::{listed, search, Listed};
pub use solve::{solve, Packages, Selection};
pub use sources::{programs, root};
pub use version::Version;
