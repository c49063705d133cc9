//! Arrays indexed by the element of a range are inputs.
//!
//! ```text
//! screma n [is] map \i -> let (x) = xs[i] ...    =>    screma n [is, xs] map \i x -> ...
//! ```
//!
//! where `is` is `iota n`. What made `xs` can then be fused, and the range often goes.

use super::soac::{elementwise, elementwise_mut};
use super::Rewrite;
use crate::simplify::engine::Engine;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::op::RepOp;
use fehu_ir::soac::Soac;
use fehu_ir::{Basic, DimIndex, Exp, Lambda, Param, Rep, Slice, Stm, SubExp};

pub(super) fn rule<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Op(op) = &stm.exp else { return None };
    let soac = op.as_soac()?;
    let width = match soac {
        Soac::Screma(s) => s.width,
        Soac::Hist(h) => h.width,
        Soac::Scatter(s) => s.width,
        Soac::Filter(f) => f.width,
        Soac::Ad(_) => return None,
    };
    let (arrays, lambda) = elementwise(soac)?;
    let ranges: Vec<Name> = arrays
        .iter()
        .zip(&lambda.params)
        .filter(|(a, _)| is_range(engine, **a, width))
        .map(|(_, p)| p.name)
        .collect();
    if ranges.is_empty() {
        return None;
    }
    let found: Vec<(usize, Name, Slice)> = (0..lambda.body.stms.len())
        .filter_map(|k| {
            let (a, slice) = whole(engine, &lambda.body.stms[k], &ranges, width)?;
            Some((k, a, slice))
        })
        .collect();
    if found.is_empty() {
        return None;
    }
    let mut soac = soac.clone();
    let (arrays, lambda) = elementwise_mut(&mut soac)?;
    let mut views = vec![];
    let mut certs = stm.certs.clone();
    for (k, a, slice) in &found {
        let read = &lambda.body.stms[*k];
        let [x] = read.pat.as_slice() else { return None };
        let ty = x.ty.array_of(&[width]);
        let (view, made) =
            engine.fresh_stm("along", ty, &read.loc, Exp::Basic(Basic::Index(*a, slice.clone())));
        certs.extend(read.certs.iter().filter(|c| !stm.certs.contains(c)));
        views.push(made);
        arrays.push(view);
        lambda.params.push(Param { name: x.name, ty: x.ty.clone(), dec: (), consumed: false });
    }
    remove(lambda, &found);
    let exp = Exp::Op(R::Op::from_soac(soac)?);
    for view in &mut views {
        view.certs.clone_from(&certs);
    }
    views.push(Stm { exp, certs, ..stm.clone() });
    Some(Rewrite::Stms(views))
}

fn remove<R: Rep>(lambda: &mut Lambda<R>, found: &[(usize, Name, Slice)]) {
    let mut gone = found.iter().map(|(k, _, _)| *k).peekable();
    let mut at = 0;
    lambda.body.stms.retain(|_| {
        let stays = gone.next_if_eq(&at).is_none();
        at += 1;
        stays
    });
}

/// Whether an array is 0, 1, 2, ... up to the width.
fn is_range<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, a: Name, width: SubExp) -> bool {
    let Some(def) = engine.def(a) else { return false };
    matches!(*def.exp, Exp::Basic(Basic::Iota { n, start, step, ty: IntType::I64 })
        if n == width && start.as_i64() == Some(0) && step.as_i64() == Some(1))
}

/// The array that a statement reads an element or row of at each index of a range, and the slice of all of them.
fn whole<R: Rep<Dec = ()>>(
    engine: &Engine<'_, R>,
    stm: &Stm<R>,
    ranges: &[Name],
    width: SubExp,
) -> Option<(Name, Slice)> {
    let Exp::Basic(Basic::Index(a, slice)) = &stm.exp else { return None };
    let inner = engine.here() + 1;
    let outer = |e: &SubExp| engine.is_outer(*e, inner);
    if !stm.attrs.is_empty() || !outer(&(*a).into()) || engine.classes.is_consumed(*a) {
        return None;
    }
    if !stm.certs.iter().all(|c| outer(&(*c).into())) {
        return None;
    }
    let k = slice.iter().position(|d| matches!(d, DimIndex::Fix(SubExp::Var(i)) if ranges.contains(i)))?;
    let (before, rest) = slice.split_at(k);
    let fixed = before.iter().all(|d| matches!(d, DimIndex::Fix(e) if outer(e)));
    let plain = rest[1..].iter().all(|d| match d {
        DimIndex::Fix(e) => outer(e),
        // A map without points need not know that what it would have read has a size.
        DimIndex::Slice { start, len, stride } => {
            [start, len, stride].into_iter().all(outer)
                && engine.are_sizes_at(&[*len], &stm.certs, engine.here())
        }
    });
    if !fixed || !plain {
        return None;
    }
    let mut all = slice.clone();
    all[k] = DimIndex::Slice { start: SubExp::i64(0), len: width, stride: SubExp::i64(1) };
    Some((*a, all))
}
