//! Which code is worth running in parallel inside of a task, and perfect nests.

use crate::gpu::steer::Steer;
use fehu_base::tuning::multicore;
use fehu_base::Name;
use fehu_ir::class::Class;
use fehu_ir::free::{bound_in_body, free_in_lambda, free_in_stm};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Basic, Body, Exp, Param, Soacs, Stm, SubExp};

/// A level of a map nest: what it runs over, and the statements before the next.
pub(super) struct Level {
    pub(super) width: SubExp,
    pub(super) params: Vec<Param<Soacs>>,
    pub(super) arrays: Vec<Name>,
    /// Those of the arrays that hold a progression or one value over and over, of which no array is needed.
    pub(super) made: Vec<(Name, Exp<Soacs>)>,
    pub(super) stms: Vec<Stm<Soacs>>,
}

/// Whether a body has combinators, anywhere in it, that may be worth running in parallel.
pub(super) fn parallel_inside(body: &Body<Soacs>) -> bool {
    deep(|| {
        body.stms.iter().any(|stm| {
            if Steer::of(&stm.attrs).sequential {
                return false;
            }
            let many = |width: SubExp| width.as_i64().is_none_or(|n| n >= multicore::LEAST_ELEMENTS);
            let here = match &stm.exp {
                Exp::Op(Soac::Screma(s)) => many(s.width),
                Exp::Op(Soac::Hist(h)) => many(h.width),
                Exp::Op(Soac::Scatter(s)) => many(s.width),
                Exp::Op(Soac::Filter(f)) => many(f.width),
                // All of it will be sequential.
                Exp::WithAcc(_) => return false,
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::Op(_) => false,
            };
            let mut deeper = false;
            for_each_body(&stm.exp, &mut |b| deeper = deeper || parallel_inside(b));
            here || deeper
        })
    })
}

/// Whether a body does more than a few scalar operations.
pub(super) fn heavy(body: &Body<Soacs>) -> bool {
    body.stms.len() > multicore::LIGHT_STATEMENTS || !body.stms.iter().all(|stm| is_light(&stm.exp))
}

/// The levels of a nest of maps, outermost first, and the body of the innermost. A map whose points have more
/// to do than scalar code is a level of its own: whole rows of points, done by one task, leave loops in an
/// order that suits memory.
pub(super) fn nest(s: Screma<Soacs>) -> (Vec<Level>, fehu_ir::Lambda<Soacs>) {
    let alone = s.clone();
    let (levels, inner) = perfect_nest(s);
    if levels.len() > 1 && parallel_inside(&inner.body) {
        let Screma { width, arrays, map, .. } = alone;
        return (vec![Level { width, params: map.params.clone(), arrays, made: vec![], stms: vec![] }], map);
    }
    (levels, inner)
}

fn perfect_nest(s: Screma<Soacs>) -> (Vec<Level>, fehu_ir::Lambda<Soacs>) {
    let Screma { width, arrays, map, .. } = s;
    let mut levels = vec![Level { width, params: map.params.clone(), arrays, made: vec![], stms: vec![] }];
    let mut inner = map;
    while levels.len() < multicore::NEST_LEVELS && perfect(&inner.body) {
        let Some(Stm { exp: Exp::Op(Soac::Screma(next)), .. }) = inner.body.stms.pop() else { break };
        let (made, stms): (Vec<_>, Vec<_>) = inner.body.stms.into_iter().partition(|s| is_made(&s.exp));
        if let Some(level) = levels.last_mut() {
            level.stms = stms;
        }
        let made = made.into_iter().filter_map(|s| Some((s.pat.first()?.name, s.exp))).collect();
        let Screma { width, arrays, map, .. } = next;
        levels.push(Level { width, params: map.params.clone(), arrays, made, stms: vec![] });
        inner = map;
    }
    (levels, inner)
}

/// Whether a body is nothing but a map, of a width known outside, after views and scalar operations, and that
/// map's results.
fn perfect(body: &Body<Soacs>) -> bool {
    let Some((last, before)) = body.stms.split_last() else { return false };
    let Exp::Op(Soac::Screma(s)) = &last.exp else { return false };
    let steer = Steer::of(&last.attrs);
    let known = match s.width {
        SubExp::Var(n) => !bound_in_body(body).contains(&n),
        SubExp::Const(v) => v.as_i64().is_some_and(|n| n >= multicore::LEAST_ROW_ELEMENTS),
    };
    known
        && last.certs.is_empty()
        && !steer.sequential
        && !steer.no_outer
        && s.scans.is_empty()
        && s.reds.is_empty()
        && body.result.iter().copied().eq(last.pat.iter().map(|p| SubExp::Var(p.name)))
        && before.iter().enumerate().all(|(i, stm)| {
            is_light(&stm.exp) || is_made(&stm.exp) && only_elements(stm, &before[i + 1..], s)
        })
}

/// Whether an expression makes a progression, or one value over and over.
fn is_made(exp: &Exp<Soacs>) -> bool {
    match exp {
        Exp::Basic(Basic::Iota { .. }) => true,
        Exp::Basic(Basic::Replicate(shape, _)) => shape.len() == 1,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}

/// Whether nothing but the elements of an array is needed, by the map after it.
fn only_elements(stm: &Stm<Soacs>, between: &[Stm<Soacs>], s: &Screma<Soacs>) -> bool {
    let names: Vec<Name> = stm.pat.iter().map(|p| p.name).collect();
    let uses = |free: fehu_ir::free::Names| free.into_iter().any(|n| names.contains(&n));
    stm.certs.is_empty() && !between.iter().any(|b| uses(free_in_stm(b))) && !uses(free_in_lambda(&s.map))
}

/// Whether it costs no more than an instruction to compute an expression again at each point. An array in
/// another shape may be a copy.
fn is_light(exp: &Exp<Soacs>) -> bool {
    exp.class() != Some(Class::Reshape) && exp.cost().is_within(1)
}
