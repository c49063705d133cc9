//! A derivative by reverse mode, and what is put in its place.
//!
//! ```text
//! let (y, a) = vjp [x] [s] \(p) { ..  return (q) }  =>  let (p) = x   .. forward sweep ..   let (y) = q
//!                                                       .. return sweep, where q has the adjoint s ..   let (a) = p'
//!
//! let (ys, as) = screma n [ss] map \(s) {           =>  forward sweep, then a map of the return sweep over the seeds
//!   let (y, a) = vjp [x] [s] \(p) { .. }                ys repeats y
//!   return (y, a) }
//! ```

use super::joined::join;
use super::{Reverse, Step};
use crate::point::{is_zero, Map, Point, Result, Seed};
use fehu_base::Name;
use fehu_ir::{Basic, Exp, Soacs, Stm, SubExp, Type};

impl Point<'_> {
    /// The statements that compute it.
    pub(crate) fn reversed(self, r: &mut Reverse<'_>) -> Vec<Stm<Soacs>> {
        r.b.loc = self.stm.loc.clone();
        r.b.begin();
        r.adjoints.clear();
        for (p, arg) in self.ad.lambda.params.iter().zip(&self.ad.args) {
            r.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(*arg)));
            if p.ty != Type::UNIT {
                r.active.insert(p.name);
            }
        }
        let mut body = self.ad.lambda.body.clone();
        join(&mut body);
        r.activity.of_body(&r.b.types, &body, &mut r.active);
        let steps = r.forward_sweep(body.stms);
        r.b.loc = self.stm.loc.clone();
        match &self.map {
            None => {
                let adjoints = self.return_sweep(r, steps, &body.result, &self.ad.seeds);
                let all = body.result.into_iter().chain(adjoints);
                for (p, e) in self.stm.pat.iter().zip(all) {
                    r.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(e)));
                }
            }
            Some(map) => self.bundle(r, map, steps, &body.result),
        }
        let mut body = r.b.end(vec![]);
        let certs = self.stm.certs.iter().chain(self.map.iter().flat_map(|m| &m.inner.certs));
        let certs: Vec<Name> = certs.copied().collect();
        for stm in &mut body.stms {
            stm.certs.extend(certs.iter().filter(|c| !stm.certs.contains(c)).copied().collect::<Vec<_>>());
        }
        body.stms
    }

    /// The adjoints of the function's parameters.
    fn return_sweep(
        &self,
        r: &mut Reverse<'_>,
        steps: Vec<Step>,
        results: &[SubExp],
        seeds: &[SubExp],
    ) -> Vec<SubExp> {
        for (e, seed) in results.iter().zip(seeds) {
            if !is_zero(*seed) {
                let ty = r.b.type_of(*e);
                let seed = r.as_type(*seed, &ty);
                r.add(*e, seed);
            }
        }
        r.return_sweep(steps);
        r.b.loc = self.stm.loc.clone();
        let mut adjoints = vec![];
        for (p, arg) in self.ad.lambda.params.iter().zip(&self.ad.args) {
            let ty = r.b.type_of(*arg);
            adjoints.push(match r.take(p.name) {
                Some(e) => r.as_type(e, &ty),
                None => r.zero(&ty),
            });
        }
        adjoints
    }

    /// A map of the return sweep over seeds.
    fn bundle(&self, r: &mut Reverse<'_>, map: &Map<'_>, steps: Vec<Step>, results: &[SubExp]) {
        let given = map.seeds.iter().filter_map(|s| match s {
            Seed::Rows(rows) => Some(*rows),
            Seed::Same(_) => None,
        });
        let arrays: Vec<Name> = given.collect();
        let mut steps = Some(steps);
        let mut which = vec![];
        let made = r.map_rows(map.width, &arrays, &mut |r, xs| {
            let mut rows = xs.iter().copied();
            let seed = |s: &Seed| match s {
                Seed::Same(e) => Some(*e),
                Seed::Rows(_) => rows.next(),
            };
            let seeds: Vec<SubExp> = map.seeds.iter().filter_map(seed).collect();
            let steps = steps.take().unwrap_or_default();
            let adjoints = self.return_sweep(r, steps, results, &seeds);
            let of = |e: &Result| match e {
                Result::Of(at) => at.checked_sub(results.len()),
                Result::Seed(_) | Result::Same(_) => None,
            };
            which = map.results.iter().map(of).collect();
            which.iter().flatten().map(|at| adjoints[*at]).collect()
        });
        let mut made = made.into_iter();
        for ((p, result), at) in self.stm.pat.iter().zip(&map.results).zip(which) {
            let exp = match (result, at) {
                (Result::Of(_), Some(_)) => Basic::SubExp(made.next().map_or(SubExp::i64(0), SubExp::Var)),
                (Result::Of(at), None) => Basic::Replicate(vec![map.width], results[*at]),
                (Result::Seed(rows), _) => Basic::Copy(*rows),
                (Result::Same(e), _) => Basic::Replicate(vec![map.width], *e),
            };
            r.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(exp));
        }
    }
}
