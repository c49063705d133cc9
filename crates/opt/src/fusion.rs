//! To be written.
use crate::pass::Pass;
use fehu_ir::{Prog, Soacs};
/// Nothing yet.
pub const PASS: Pass<Soacs> = Pass { name: "fusion", run: |_: &mut Prog<Soacs>| {} };
