//! Statements that mean the same at all points of a nest leave it.
//!
//! Inside of a nest: a statement, and what the nest binds. Outside: the statement on the host, if nothing of
//! the nest is in it. So sizes that a body computes are known before its kernels run, and a check is made
//! once:
//!
//! ```text
//! map (\xs -> let q = assert (n % b == 0) (n / b)          assert (n % b == 0 || k == 0)
//!             in tabulate q (f xs)) xss              =>    let q = if k == 0 then 0 else n / b
//!                                                          ... a nest of k by q points
//! ```
//!
//! Only numbers are computed on the host. What cannot fail is computed there always; a nest without points
//! asks for nothing, so what can fail (a division, a loop that might not end) is computed only if there are
//! points. Each point would have computed it, so that nothing fails that would not have failed inside.

use super::nest::Nest;
use super::parallel::{harmless, scalar_code};
use super::state::Flat;
use crate::sequential::simple;
use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::rename_body;
use fehu_ir::types::body_types;
use fehu_ir::{Basic, Body, Builder, Exp, Kernels, Purpose, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// The body without the statements that mean the same at all points, which move out of the nest.
pub(super) fn without_invariants(flat: &mut Flat, nest: &Nest, mut body: Body<Soacs>) -> Body<Soacs> {
    let taken = flat.taken_over(&body);
    let mut kept: Vec<Stm<Soacs>> = vec![];
    let mut inside: FxHashSet<Name> = FxHashSet::default();
    for stm in body.stms {
        let stays = free_in_stm(&stm).into_iter().any(|n| inside.contains(&n));
        let stm = if stays { Some(stm) } else { hoisted(flat, nest, stm, &taken) };
        if let Some(stm) = stm {
            inside.extend(stm.pat.iter().map(|p| p.name));
            kept.push(stm);
        }
    }
    body.stms = kept;
    body
}

/// Moves a statement that means the same at all points out of the nest; gives it back if it stays. `taken` are the
/// arrays that the code around takes over.
pub(super) fn hoisted(
    flat: &mut Flat,
    nest: &Nest,
    stm: Stm<Soacs>,
    taken: &FxHashSet<Name>,
) -> Option<Stm<Soacs>> {
    if free_in_stm(&stm).into_iter().any(|n| nest.binds(n)) {
        return Some(stm);
    }
    if stm.pat.iter().any(|p| taken.contains(&p.name)) {
        return Some(stm);
    }
    let exp = if let Exp::Basic(Basic::Assert(cond, message, purpose)) = stm.exp {
        let purpose = match purpose {
            Purpose::Values | Purpose::Program => purpose,
            Purpose::Sizes { sizes, mut runs } => {
                runs.extend(&nest.widths);
                Purpose::Sizes { sizes, runs }
            }
        };
        Exp::Basic(Basic::Assert(unless_empty(&mut flat.seq.b, nest, cond), message, purpose))
    } else if harmless(&stm.exp) && has_size(flat, &stm) {
        simple(stm.exp)
    } else if scalar_code(&stm) {
        if_points(flat, nest, &stm)
    } else {
        return Some(stm);
    };
    let pat = stm.pat.into_iter().map(|p| (p.name, p.ty)).collect();
    let outer = (std::mem::replace(&mut flat.seq.b.loc, stm.loc), flat.seq.b.certs.len());
    flat.seq.b.certs.extend(stm.certs);
    flat.seq.b.bind_names(pat, exp);
    flat.seq.b.certs.truncate(outer.1);
    flat.seq.b.loc = outer.0;
    None
}

/// Whether what a statement binds can be there without points: a number, or an array whose size does not
/// depend on a check that only points make. The size of a new array need not even name its check, if another
/// array of that size was made before it.
fn has_size(flat: &Flat, stm: &Stm<Soacs>) -> bool {
    let sized = match &stm.exp {
        Exp::Basic(Basic::Iota { n, .. }) => flat.arrays.is_size(*n),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => true,
    };
    stm.pat.iter().all(|p| !p.ty.is_array()) || (stm.certs.is_empty() && sized)
}

/// The condition of a check that is made once for a whole nest: without points there is nothing to check.
fn unless_empty(b: &mut Builder<Kernels>, nest: &Nest, cond: SubExp) -> SubExp {
    match empty(b, nest) {
        None => cond,
        Some(empty) => b.bin(BinOp::LogOr, cond, empty),
    }
}

/// The numbers that a statement computes, or any others if the nest has no points.
fn if_points(flat: &mut Flat, nest: &Nest, stm: &Stm<Soacs>) -> Exp<Kernels> {
    let result = stm.pat.iter().map(|p| SubExp::Var(p.name)).collect();
    let body = Body { stms: vec![Stm { certs: vec![], ..stm.clone() }], result };
    let body = rename_body(&mut flat.seq.b.names, &body);
    flat.seq.b.types.extend(body_types(&body));
    let cond = match empty(&mut flat.seq.b, nest) {
        None => SubExp::bool(true),
        Some(empty) => flat.seq.b.bind("some", Type::BOOL, Exp::Basic(Basic::UnOp(UnOp::Not, empty))).into(),
    };
    let computed = flat.host_body(body);
    let blank = |ty: &Type| match ty {
        Type::Prim(t) => SubExp::Const(t.blank()),
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => fehu_base::bug!("scalar code makes {ty:?}"),
    };
    let blanks = stm.pat.iter().map(|p| blank(&p.ty)).collect();
    Exp::If(cond, Box::new(computed), Box::new(Body { stms: vec![], result: blanks }))
}

/// Whether a nest has no points, unless it is known to have some.
fn empty(b: &mut Builder<Kernels>, nest: &Nest) -> Option<SubExp> {
    any_zero(b, &nest.widths)
}

/// Whether one of the widths is zero, unless none is known to be.
pub(super) fn any_zero(b: &mut Builder<Kernels>, widths: &[SubExp]) -> Option<SubExp> {
    let mut any = None;
    for width in widths {
        let zero = b.cmp(CmpOp::Eq(PrimType::I64), *width, SubExp::i64(0));
        if zero == SubExp::bool(false) {
            continue;
        }
        any = Some(match any {
            None => zero,
            Some(any) => b.bin(BinOp::LogOr, any, zero),
        });
    }
    any
}
