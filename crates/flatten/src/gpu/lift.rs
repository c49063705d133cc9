//! Lifting: the values of a name at all points of a nest, as one array of the host.
//!
//! What a nest binds is computed wherever it is needed. [`materialise`] computes once what is expensive,
//! before code that needs it; [`protect`] what depends on an array, before that is consumed.
//!
//! ```text
//! map (\x -> let y = f x in map (g y) zs) xs     =>     ys = segmap f xs, if f is expensive
//! ```

use super::g1_manifest::Point;
use super::nest::{at, Cost, Nest, Owner, Source};
use super::state::Flat;
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::build::plain;
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::cost::stm_instructions;
use fehu_ir::{Basic, Body, Exp, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The array of an operand's values, which may share memory with others.
pub(super) fn lift(flat: &mut Flat, nest: &mut Nest, e: SubExp) -> SubExp {
    match e.name().and_then(|n| nest.whole(n)) {
        Some((array, _)) => array.into(),
        None => lift_fresh(flat, nest, e),
    }
}

/// The array of an operand's values, to be consumed. The nest must not use the operand again.
pub(super) fn lift_owned(flat: &mut Flat, nest: &mut Nest, e: SubExp) -> SubExp {
    if nest.depth() == 0 {
        return e;
    }
    if let Some(n) = e.name() {
        materialise(flat, nest, &[n]);
    }
    match e.name().and_then(|n| nest.whole(n)) {
        Some((array, Owner::Nest)) => array.into(),
        Some((_, Owner::Shared)) | None => lift_fresh(flat, nest, e),
    }
}

/// The array of an operand's values, in memory of its own.
fn lift_fresh(flat: &mut Flat, nest: &mut Nest, e: SubExp) -> SubExp {
    let ty = flat.seq.b.type_of(e);
    let outer = nest.widths.clone();
    let all = ty.array_of(&outer);
    let name = match e {
        SubExp::Var(n) if nest.binds(n) => n,
        SubExp::Var(_) | SubExp::Const(_) => {
            return flat.seq.b.bind("rep", all, Exp::Basic(Basic::Replicate(outer, e))).into();
        }
    };
    if let Some((array, _)) = nest.whole(name) {
        return flat.seq.b.bind("copy", all, Exp::Basic(Basic::Copy(array))).into();
    }
    materialise(flat, nest, &[name]);
    if let Some((array, Owner::Nest)) = nest.whole(name) {
        return array.into();
    }
    let depth = nest.depth();
    let array = match ty {
        Type::Array(..) => elementwise(flat, nest, name, &ty),
        Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => {
            let body = Body { stms: vec![], result: vec![e] };
            let results = flat.seg_map(Point { nest, depth, body, types: vec![ty] });
            results.first().copied().unwrap_or(name)
        }
    };
    array.into()
}

/// A copy of an array inside of the nest, one point for each of its elements.
pub(super) fn elementwise(flat: &mut Flat, nest: &Nest, name: Name, ty: &Type) -> Name {
    let mut inner = nest.clone();
    let indices = inner.dims(&mut flat.seq.b.names, ty.shape());
    let elem = ty.peel(ty.rank());
    let x = flat.seq.b.fresh("x", elem.clone());
    let body = Body {
        stms: vec![plain(x, elem.clone(), Exp::Basic(Basic::Index(name, at(&indices, &elem))))],
        result: vec![x.into()],
    };
    let depth = inner.depth();
    let results = flat.seg_map(Point { nest: &inner, depth, body, types: vec![elem] });
    results.first().copied().unwrap_or(name)
}

/// Makes sure that what is expensive to compute, and needed for these names, is in arrays.
pub(super) fn materialise(flat: &mut Flat, nest: &mut Nest, names: &[Name]) {
    let mut needed: FxHashSet<Name> = names.iter().copied().chain(flat.unmade(nest, nest.depth())).collect();
    let mut expensive: Vec<(Name, usize)> = vec![];
    let mut cheap = vec![];
    for binding in nest.bindings.iter().rev() {
        let Some((name, _)) = binding.names.iter().find(|(n, _)| needed.contains(n)) else { continue };
        let Source::Stm(c) = &binding.source else {
            needed.extend(Nest::needs(binding));
            continue;
        };
        let storable = binding.names.iter().all(|(_, t)| nest.regular(t) && *t != Type::UNIT);
        match c.cost {
            Cost::Expensive if storable => expensive.push((*name, binding.depth)),
            Cost::Expensive | Cost::Cheap => {
                if storable && binding.names.iter().all(|(_, t)| matches!(t, Type::Prim(_))) {
                    cheap.push((*name, binding.depth));
                }
                needed.extend(Nest::needs(binding));
            }
        }
    }
    if cheap.len() > flattening::REPEATED_STATEMENTS {
        // Those that are asked for themselves are the ones that save most; but not where a read costs as much.
        let chains = chains(nest);
        let long = |n: &Name| chains.get(n).is_none_or(|c| *c > flattening::REPEATED_INSTRUCTIONS);
        expensive.extend(cheap.into_iter().filter(|(n, _)| names.contains(n) && long(n)));
    }
    while let Some((_, depth)) = expensive.last().copied() {
        let (here, others): (Vec<_>, Vec<_>) = expensive.into_iter().partition(|d| d.1 == depth);
        expensive = others;
        let here: Vec<Name> = here.into_iter().rev().map(|d| d.0).collect();
        if !is_taken_over(flat, nest, &here) {
            materialise_at(flat, nest, &here, depth);
            continue;
        }
        for name in here {
            materialise_at(flat, nest, &[name], depth);
        }
    }
}

/// How many instructions it takes to compute each scalar of a nest from what it has in arrays, if that is a
/// known number. What two operands share counts twice.
fn chains(nest: &Nest) -> FxHashMap<Name, usize> {
    let mut chains: FxHashMap<Name, usize> = FxHashMap::default();
    for binding in &nest.bindings {
        let Source::Stm(c) = &binding.source else { continue };
        let Some(own) = stm_instructions(&c.stm) else { continue };
        let inputs = Nest::needs(binding).into_iter().filter(|n| nest.binds(*n));
        let all = inputs.map(|n| chains.get(&n).copied().unwrap_or(1)).fold(own, usize::saturating_add);
        chains.extend(binding.names.iter().map(|(n, _)| (*n, all)));
    }
    chains
}

/// Whether another statement of the nest makes its result of one of these in place: a kernel cannot return both.
fn is_taken_over(flat: &Flat, nest: &Nest, names: &[Name]) -> bool {
    let arrays =
        |n: &Name| nest.find(*n).into_iter().flat_map(|b| b.names.iter().filter(|(_, t)| t.is_array()));
    let here: FxHashSet<Name> = names.iter().flat_map(arrays).map(|(n, _)| *n).collect();
    names.len() > 1
        && !here.is_empty()
        && nest.bindings.iter().any(|binding| match &binding.source {
            Source::Stm(c) => consumed_by_exp(&flat.signatures, &Aliases::default(), &c.stm.exp)
                .iter()
                .any(|n| here.contains(n)),
            Source::Elem { .. } | Source::Acc(_) | Source::Index(_) => false,
        })
}

/// Computes statements of one depth in a kernel.
fn materialise_at(flat: &mut Flat, nest: &mut Nest, names: &[Name], depth: usize) {
    let mut result = vec![];
    let mut types = vec![];
    let mut counts = vec![];
    for name in names {
        let Some(binding) = nest.find(*name) else { continue };
        result.extend(binding.names.iter().map(|(n, _)| SubExp::Var(*n)));
        types.extend(binding.names.iter().map(|(_, t)| t.clone()));
        counts.push((*name, binding.names.len()));
    }
    let body = Body { stms: vec![], result };
    let mut arrays = flat.seg_map(Point { nest, depth, body, types }).into_iter();
    for (name, count) in counts {
        nest.replace(name, arrays.by_ref().take(count).collect());
    }
}

/// Before an array of the nest is consumed: computes what needs it and is needed later.
pub(super) fn protect(flat: &mut Flat, nest: &mut Nest, consumed: &[Name], later: &FxHashSet<Name>) {
    let mut tainted: FxHashSet<Name> = flat.arrays.same_memory(nest, consumed);
    let mut found: Vec<(Name, usize)> = vec![];
    for binding in &nest.bindings {
        let Source::Stm(_) = &binding.source else { continue };
        if !Nest::needs(binding).iter().any(|n| tainted.contains(n)) {
            continue;
        }
        tainted.extend(binding.names.iter().map(|(n, _)| *n));
    }
    // Of these, what later statements need, themselves or through others, and checks that are still to be made.
    let mut needed = later.clone();
    for binding in nest.bindings.iter().rev() {
        if binding.source.is_check() || binding.names.iter().any(|(n, _)| needed.contains(n)) {
            needed.extend(Nest::needs(binding));
        }
    }
    for binding in &nest.bindings {
        let Source::Stm(_) = &binding.source else { continue };
        // All that a statement binds is computed together.
        let storable = binding.names.iter().all(|(_, t)| nest.regular(t) && *t != Type::UNIT);
        let wanted =
            |(n, _): &&(Name, Type)| tainted.contains(n) && needed.contains(n) && !consumed.contains(n);
        found
            .extend(binding.names.iter().find(wanted).filter(|_| storable).map(|(n, _)| (*n, binding.depth)));
    }
    for (name, depth) in found {
        materialise_at(flat, nest, &[name], depth);
    }
}
