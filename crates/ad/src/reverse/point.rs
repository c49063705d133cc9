//! A derivative by reverse mode, and what is put in its place.
//!
//! ```text
//! let (y, a) = vjp [x] [s] \(p) { ..  return (q) }  =>  let (p) = x   .. forward sweep ..   let (y) = q
//!                                                       .. return sweep, where q has the adjoint s ..   let (a) = p'
//!
//! let (ys, as) = screma n [ss] map \(s) {           =>  forward sweep, then a map of the return sweep over the seeds
//!   let (y, a) = vjp [x] [s] \(p) { .. }                ys repeats y
//!   return (y, a) }
//!
//! the same with `#[unroll]`                     =>  forward sweep, then the return sweep once for each seed
//! ```

use super::joined::join;
use super::{Reverse, Step};
use crate::point::{is_zero, of_lane, stacked, Map, Point, Result, Seed};
use fehu_base::Name;
use fehu_ir::{Basic, Exp, Lambda, Soacs, Stm, SubExp, Type};

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

    /// The return sweep for each of so many lanes. The adjoints of the function's parameters, as rows.
    fn unrolled(
        &self,
        r: &mut Reverse<'_>,
        lanes: usize,
        map: &Map<'_>,
        steps: Vec<Step>,
        results: &[SubExp],
    ) -> Vec<SubExp> {
        let types: Vec<Type> = self.ad.seeds.iter().map(|e| r.b.type_of(*e)).collect();
        let ret: Vec<Type> = self.ad.args.iter().map(|e| r.b.type_of(*e)).collect();
        let params: Vec<_> = types.iter().map(|t| r.b.param("seed", t.clone())).collect();
        let seeds: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        let mut steps = Some(steps);
        let body = r.nested(|r| self.return_sweep(r, steps.take().unwrap_or_default(), results, &seeds));
        let sweep = Lambda { params, body, ret: ret.clone() };
        let mut rows = vec![vec![]; ret.len()];
        for lane in 0..lanes {
            let own = r.again_lambda(&sweep);
            for (p, seed) in own.params.iter().zip(&map.seeds) {
                let seed = of_lane(&mut r.b, seed, lane);
                r.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(seed)));
            }
            own.body.stms.into_iter().for_each(|stm| r.b.push(stm));
            rows.iter_mut().zip(own.body.result).for_each(|(row, e)| row.push(e));
        }
        rows.into_iter().zip(ret).map(|(row, ty)| stacked(&mut r.b, row, ty)).collect()
    }

    /// A map of the return sweep over seeds.
    fn bundle(&self, r: &mut Reverse<'_>, map: &Map<'_>, steps: Vec<Step>, results: &[SubExp]) {
        if let Some(lanes) = map.lanes {
            let adjoints = self.unrolled(r, lanes, map, steps, results);
            return self.bind_rows(r, map, results, |at| adjoints[at]);
        }
        let given = map.seeds.iter().filter_map(|s| match s {
            Seed::Rows(rows) => Some(*rows),
            Seed::Same(_) => None,
        });
        let arrays: Vec<Name> = given.collect();
        let mut steps = Some(steps);
        // The adjoints that the map gives, each once.
        let of = |e: &Result| match e {
            Result::Of(at) => at.checked_sub(results.len()),
            Result::Seed(_) | Result::Same(_) => None,
        };
        let which: Vec<usize> = map.results.iter().filter_map(of).collect();
        let made = r.map_rows(map.width, &arrays, &mut |r, xs| {
            let mut rows = xs.iter().copied();
            let seed = |s: &Seed| match s {
                Seed::Same(e) => Some(*e),
                Seed::Rows(_) => rows.next(),
            };
            let seeds: Vec<SubExp> = map.seeds.iter().filter_map(seed).collect();
            let steps = steps.take().unwrap_or_default();
            let adjoints = self.return_sweep(r, steps, results, &seeds);
            which.iter().map(|at| adjoints[*at]).collect()
        });
        let of = |at: usize| which.iter().position(|w| *w == at).map_or(SubExp::i64(0), |i| made[i].into());
        self.bind_rows(r, map, results, of);
    }

    /// Binds the results of the map, given the rows of each adjoint.
    fn bind_rows(
        &self,
        r: &mut Reverse<'_>,
        map: &Map<'_>,
        results: &[SubExp],
        adjoints: impl Fn(usize) -> SubExp,
    ) {
        for (p, result) in self.stm.pat.iter().zip(&map.results) {
            let exp = match result {
                Result::Of(at) => match at.checked_sub(results.len()) {
                    Some(at) => Basic::SubExp(adjoints(at)),
                    None => Basic::Replicate(vec![map.width], results[*at]),
                },
                Result::Seed(rows) => Basic::Copy(*rows),
                Result::Same(e) => Basic::Replicate(vec![map.width], *e),
            };
            r.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(exp));
        }
    }
}
