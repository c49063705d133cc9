//! G5: a map of transpositions becomes one transposition.
//!
//! In the paper: `Σ, ⟨x ∈ y⟩ ⊢ rearrange (k1, ..., kn) x ⇒ e` if `Σ ⊢ rearrange
//! (0, 1+k1, ..., 1+kn) y ⇒ e`. Here for all levels at once, and for the relatives
//! of `rearrange`: reshaping, copies, joins, and arrays of one value or of a
//! progression. What is no array of the host yet is rearranged where it is used.

use super::g1_manifest::Point;
use super::join;
use super::lift;
use super::nest::{at, Lifted, Nest, Owner};
use super::state::{Flat, Machine};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::{Basic, Body, Exp, Kernels, Soacs, Stm, SubExp, Type};

pub(super) fn map_rearrange(flat: &mut Flat, nest: &mut Nest, stm: &Stm<Soacs>) -> Option<Lifted> {
    let [p] = &stm.pat[..] else { return None };
    let depth = nest.depth();
    let all = p.ty.array_of(&nest.widths);
    let outer = nest.widths.clone();
    let under = |perm: &[usize]| -> Vec<usize> { (0..depth).chain(perm.iter().map(|k| depth + k)).collect() };
    let mut viewed = None;
    let (exp, owner): (Exp<Kernels>, Owner) = match &stm.exp {
        // Who consumes a view consumes what it is a view of.
        Exp::Basic(Basic::Rearrange(perm, a)) => {
            let (array, owner) = nest.whole(*a)?;
            viewed = Some(array);
            (Exp::Basic(Basic::Rearrange(under(perm), array)), owner)
        }
        Exp::Basic(Basic::Reshape(shape, a)) => {
            let shape = outer.iter().chain(shape).copied().collect();
            let (array, owner) = nest.whole(*a)?;
            viewed = Some(array);
            (Exp::Basic(Basic::Reshape(shape, array)), owner)
        }
        Exp::Basic(Basic::Copy(a)) => match nest.whole(*a) {
            Some((array, _)) => (Exp::Basic(Basic::Copy(array)), Owner::Nest),
            None => {
                let needed = nest.needed(stm);
                lift::materialise(flat, nest, &needed);
                return Some(vec![(lift::elementwise(flat, nest, *a, &p.ty).into(), Owner::Nest)]);
            }
        },
        Exp::Basic(Basic::Manifest(perm, a)) => {
            (Exp::Basic(Basic::Manifest(under(perm), nest.whole(*a)?.0)), Owner::Nest)
        }
        Exp::Basic(Basic::Scratch(elem, shape)) => {
            (Exp::Basic(Basic::Scratch(*elem, outer.iter().chain(shape).copied().collect())), Owner::Nest)
        }
        Exp::Basic(Basic::Concat { dim, arrays, size }) => {
            // The parts may differ in size from point to point, although the whole does not.
            let regular = arrays.iter().all(|a| nest.regular(&flat.seq.b.type_of((*a).into())));
            if !nest.invariant(*size) || !regular {
                return None;
            }
            // What the nest itself has computed is computed in its part of the result once memory is known,
            // so that a kernel for the whole result would only copy it.
            let own = |a: &&Name| matches!(nest.whole(**a), Some((_, Owner::Nest)));
            let owned = arrays.iter().filter(own).count();
            let few = arrays.len() <= flattening::JOINED_PARTS;
            if flat.machine == Machine::Grid && few && (owned == 0 || owned + 1 < arrays.len()) {
                return Some(vec![(joined(flat, nest, stm, *dim, arrays), Owner::Nest)]);
            }
            let mut joined: Vec<Name> = vec![];
            for a in arrays {
                joined.extend(lift::lift(flat, nest, (*a).into()).name());
            }
            (Exp::Basic(Basic::Concat { dim: depth + dim, arrays: joined, size: *size }), Owner::Nest)
        }
        Exp::Basic(Basic::Replicate(shape, e)) => {
            if nest.invariant(*e) {
                (Exp::Basic(Basic::Replicate(outer.iter().chain(shape).copied().collect(), *e)), Owner::Nest)
            } else {
                return Some(vec![(replicate(flat, nest, stm, shape.len(), *e), Owner::Nest)]);
            }
        }
        Exp::Basic(Basic::Iota { n, start, step, ty }) => {
            return Some(vec![(progression(flat, nest, stm, *n, *start, *step, *ty), Owner::Nest)]);
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    };
    let lifted = flat.seq.b.bind("lifted", all, exp);
    if let Some(array) = viewed {
        flat.arrays.add_view(lifted, array);
    }
    Some(vec![(lifted.into(), owner)])
}

/// Arrays one after the other, one point for each element of the result: it is read from the part it is in.
fn joined(flat: &mut Flat, nest: &mut Nest, stm: &Stm<Soacs>, dim: usize, parts: &[Name]) -> SubExp {
    let needed = nest.needed(stm);
    lift::materialise(flat, nest, &needed);
    let ty = &stm.pat[0].ty;
    let elem = ty.peel(ty.rank());
    let mut inner = nest.clone();
    let indices = inner.dims(&mut flat.seq.b.names, ty.shape());
    let body = join::element_of_join(&mut flat.seq.b, parts, dim, indices, &elem);
    one_kernel(flat, &inner, body, elem)
}

/// Copies of a value of the nest.
fn replicate(flat: &mut Flat, nest: &mut Nest, stm: &Stm<Soacs>, copies: usize, e: SubExp) -> SubExp {
    let needed = nest.needed(stm);
    lift::materialise(flat, nest, &needed);
    let ty = &stm.pat[0].ty;
    let mut inner = nest.clone();
    let indices = inner.dims(&mut flat.seq.b.names, ty.shape());
    let elem = ty.peel(ty.rank());
    let mut body = Body { stms: vec![], result: vec![e] };
    if let (SubExp::Var(a), true) = (e, indices.len() > copies) {
        let x = flat.seq.b.fresh("x", elem.clone());
        body.stms.push(plain(x, elem.clone(), Exp::Basic(Basic::Index(a, at(&indices[copies..], &elem)))));
        body.result = vec![x.into()];
    }
    one_kernel(flat, &inner, body, elem)
}

/// `start, start+step, ...` where these are values of the nest.
fn progression(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    n: SubExp,
    start: SubExp,
    step: SubExp,
    ty: IntType,
) -> SubExp {
    let needed = nest.needed(stm);
    lift::materialise(flat, nest, &needed);
    let mut inner = nest.clone();
    let index = inner.dims(&mut flat.seq.b.names, &[n]);
    let elem = Type::Prim(PrimType::Int(ty));
    let mut stms = vec![];
    let mut bind = |exp: Exp<Soacs>| -> SubExp {
        let x = flat.seq.b.fresh("x", elem.clone());
        stms.push(plain(x, elem.clone(), exp));
        x.into()
    };
    let i = bind(Exp::Basic(Basic::Conv(ConvOp::SExt(IntType::I64, ty), index[0].into())));
    let far = bind(Exp::Basic(Basic::BinOp(BinOp::Mul(ty), i, step)));
    let x = bind(Exp::Basic(Basic::BinOp(BinOp::Add(ty), start, far)));
    one_kernel(flat, &inner, Body { stms, result: vec![x] }, elem)
}

fn one_kernel(flat: &mut Flat, nest: &Nest, body: Body<Soacs>, ty: Type) -> SubExp {
    let types = vec![ty];
    let results = flat.seg_map(Point { nest, depth: nest.depth(), body, types });
    match results.first() {
        Some(n) => (*n).into(),
        None => fehu_base::bug!("a kernel without result"),
    }
}
