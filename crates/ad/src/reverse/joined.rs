//! Maps whose elements are arrays, and maps that take a minimum of each, become one map.
//!
//! ```text
//! let (dss) = map (\p -> map (dist p) cs) ps         let (ms) = map (\p -> let (ds) = map (dist p) cs
//! let (ms) = map (\ds -> reduce min e ds) dss    =>                        reduce min e ds) ps
//! ```
//!
//! Of each row, one element has an adjoint. In one map, the return sweep is that of this element (`map`); in two, it is
//! that of all elements, whose adjoints are stored. This comes before fusion, which makes all such pairs one.

use super::operators::{known, Known};
use fehu_base::Name;
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, Exp, Lambda, Soacs, Stm, Type};

/// Joins what can be joined in a body.
pub(super) fn join(body: &mut Body<Soacs>) {
    deep(|| {
        for stm in &mut body.stms {
            map_bodies(&mut stm.exp, &mut join);
        }
        let mut first = 0;
        while first < body.stms.len() {
            match joined(body, first) {
                Some((second, stm)) => {
                    body.stms[second] = stm;
                    body.stms.remove(first);
                }
                None => first += 1,
            }
        }
    });
}

/// The map that takes minima of what a map makes, and both as one.
fn joined(body: &Body<Soacs>, first: usize) -> Option<(usize, Stm<Soacs>)> {
    let maker = &body.stms[first];
    let made = plain_map(maker)?;
    let names: Vec<Name> = maker.pat.iter().map(|p| p.name).collect();
    if made.map.ret.iter().all(|t| matches!(t, Type::Prim(_)))
        || body.result.iter().any(|e| e.name().is_some_and(|n| names.contains(&n)))
    {
        return None;
    }
    let uses = |stm: &Stm<Soacs>| free_in_stm(stm).iter().any(|n| names.contains(n));
    let mut users = (first + 1..body.stms.len()).filter(|k| uses(&body.stms[*k]));
    let (second, None) = (users.next()?, users.next()) else { return None };
    let user = &body.stms[second];
    let taken = plain_map(user)?;
    let given = |n: &Name| names.iter().position(|own| own == n);
    let alike = taken.width == made.width
        && !free_in_lambda(&taken.map).iter().any(|n| names.contains(n))
        && taken
            .map
            .params
            .iter()
            .zip(&taken.arrays)
            .all(|(p, a)| given(a).is_none_or(|k| p.ty == made.map.ret[k]));
    let rows = taken.map.params.iter().zip(&taken.arrays).filter(|(_, a)| given(a).is_some());
    let rows: Vec<Name> = rows.map(|(p, _)| p.name).collect();
    if !alike
        || !takes_winner(&taken.map, &rows)
        || !body.stms[first + 1..second].iter().all(consumes_nothing)
    {
        return None;
    }
    let mut params = made.map.params.clone();
    let mut arrays = made.arrays.clone();
    let mut stms = made.map.body.stms.clone();
    for (p, a) in taken.map.params.iter().zip(&taken.arrays) {
        match given(a) {
            Some(k) => {
                let exp = Exp::Basic(Basic::SubExp(made.map.body.result[k]));
                let pat = vec![fehu_ir::PatElem { name: p.name, ty: p.ty.clone(), dec: () }];
                stms.push(Stm { pat, certs: vec![], attrs: vec![], loc: user.loc.clone(), exp });
            }
            None => {
                params.push(p.clone());
                arrays.push(*a);
            }
        }
    }
    stms.extend(taken.map.body.stms.iter().cloned());
    let body = Body { stms, result: taken.map.body.result.clone() };
    let map = Lambda { params, body, ret: taken.map.ret.clone() };
    let exp = Exp::Op(Soac::Screma(Screma { width: taken.width, arrays, scans: vec![], reds: vec![], map }));
    let mut stm = Stm { exp, ..user.clone() };
    stm.certs.extend(maker.certs.iter().filter(|c| !user.certs.contains(c)).copied());
    Some((second, stm))
}

/// A map that consumes nothing and fills no accumulator.
fn plain_map(stm: &Stm<Soacs>) -> Option<&Screma<Soacs>> {
    let Exp::Op(Soac::Screma(s)) = &stm.exp else { return None };
    let plain = s.scans.is_empty() && s.reds.is_empty() && stm.attrs.is_empty();
    let read = s.map.params.iter().all(|p| !p.consumed && !matches!(p.ty, Type::Acc(..)));
    (plain && read).then_some(s)
}

/// Whether the function takes a minimum or maximum of one of these arrays, as it is.
fn takes_winner(lambda: &Lambda<Soacs>, rows: &[Name]) -> bool {
    lambda.body.stms.iter().any(|stm| match &stm.exp {
        Exp::Op(Soac::Screma(s)) => {
            let wins =
                |r: &fehu_ir::soac::Reduce<Soacs>| matches!(known(&r.op), Known::Least | Known::Greatest);
            s.reds.iter().any(wins) && s.arrays.iter().any(|a| rows.contains(a))
        }
        Exp::Op(_) | Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => false,
    })
}

fn consumes_nothing(stm: &Stm<Soacs>) -> bool {
    match &stm.exp {
        Exp::Basic(Basic::Update(..) | Basic::FlatUpdate(..) | Basic::UpdateAcc(..)) => false,
        Exp::Basic(_) => true,
        Exp::Op(Soac::Screma(_)) => plain_map(stm).is_some(),
        Exp::Op(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => false,
    }
}
