//! Which kernel makes the checks of a nest, and which arrays share memory.
//!
//! A check that means the same at all points is made on the host, once (`invariant`). Another is part of each
//! kernel that needs what depends on it. But a kernel over deeper levels may have no points where the nest
//! has some, and a check's dependents may have no use at all. So every check is seen to where the body ends
//! in which it is bound:
//!
//! - a kernel that has run it at all points of the nest, or at all points of deeper levels that have a
//!   constant size, is enough;
//! - otherwise the kernel that computes the results of the body runs it, if there is one;
//! - otherwise a kernel that does nothing else; but if another one ran it over deeper levels, only if these are empty.

use super::g1_manifest::Point;
use super::invariant;
use super::nest::Nest;
use super::ran::Checks;
use super::state::Flat;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::{Basic, Body, Builder, Exp, Kernels, Soacs, Stm, SubExp, Type};
use indexmap::IndexMap;

/// A statement that names the checks, so that they are part of a kernel; nothing for no checks.
pub(super) fn naming(b: &mut Builder<Kernels>, checks: Vec<Name>) -> Vec<Stm<Soacs>> {
    if checks.is_empty() {
        return vec![];
    }
    let ok = b.fresh("ok", Type::BOOL);
    let stm = plain(ok, Type::BOOL, Exp::Basic(Basic::SubExp(SubExp::bool(true))));
    vec![Stm { certs: checks, ..stm }]
}

/// Runs the checks that no kernel has run, or that it has not run for want of points.
pub(super) fn run_checks(flat: &mut Flat, nest: &Nest, checks: Checks) {
    let mut never = vec![];
    let mut rarely: IndexMap<Vec<SubExp>, Vec<Name>> = IndexMap::new();
    for (check, deeper) in flat.ran.left(checks) {
        match deeper {
            None => never.push(check),
            Some(deeper) => rarely.entry(deeper).or_default().push(check),
        }
    }
    if !never.is_empty() {
        check_kernel(flat, nest, never);
    }
    for (deeper, checks) in rarely {
        let Some(empty) = invariant::any_zero(&mut flat.seq.b, &deeper) else { continue };
        let yes = flat.nested(|f| {
            check_kernel(f, nest, checks);
            vec![SubExp::bool(true)]
        });
        let no = Body { stms: vec![], result: vec![SubExp::bool(true)] };
        flat.choose(empty, yes, no, vec![Type::BOOL]);
    }
}

/// A kernel that makes checks.
fn check_kernel(flat: &mut Flat, nest: &Nest, checks: Vec<Name>) {
    let body = Body { stms: naming(&mut flat.seq.b, checks), result: vec![SubExp::bool(true)] };
    flat.seg_map(Point { nest, depth: nest.depth(), body, types: vec![Type::BOOL] });
}
