//! Outermost scatters, histograms and filters whose function is irregular: a map of the function, then the
//! operation itself.
//!
//! Fusion had joined them; the map is a nest like any other.
//!
//! ```text
//! scatter xs (\n -> (n, reduce (+) 0 (iota n))) ns      let (is, vs) = map (\n -> (n, reduce (+) 0 (iota n))) ns
//!                                                       in  scatter xs (\i v -> (i, v)) is vs
//! ```

use super::Nests;
use fehu_base::Name;
use fehu_ir::soac::{Filter, Hist, Scatter, Screma, Soac};
use fehu_ir::{Body, Exp, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type};

/// The function that a combinator applies to the elements of its arrays.
pub(super) fn function(soac: &Soac<Soacs>) -> Option<&Lambda<Soacs>> {
    match soac {
        Soac::Screma(s) => Some(&s.map),
        Soac::Scatter(s) => Some(&s.lambda),
        Soac::Hist(h) => Some(&h.lambda),
        Soac::Filter(f) => Some(&f.lambda),
        Soac::Ad(_) => None,
    }
}

/// How many elements a combinator's arrays have.
pub(super) fn width(soac: &Soac<Soacs>) -> Option<SubExp> {
    match soac {
        Soac::Screma(s) => Some(s.width),
        Soac::Scatter(s) => Some(s.width),
        Soac::Hist(h) => Some(h.width),
        Soac::Filter(f) => Some(f.width),
        Soac::Ad(_) => None,
    }
}

impl Nests {
    /// The map, and the operation on its results.
    pub(super) fn split(&mut self, stm: &Stm<Soacs>) -> Option<(Stm<Soacs>, Stm<Soacs>)> {
        let Exp::Op(soac) = &stm.exp else { return None };
        let (width, arrays) = match soac {
            Soac::Scatter(s) => (s.width, &s.arrays),
            Soac::Hist(h) => (h.width, &h.arrays),
            Soac::Filter(f) => (f.width, &f.arrays),
            Soac::Screma(_) | Soac::Ad(_) => return None,
        };
        let map = function(soac)?.clone();
        let mut pat: Vec<PatElem<Soacs>> = vec![];
        for ty in &map.ret {
            let ty = ty.array_of(&[width]);
            let name = self.b.fresh("mapped", ty.clone());
            // The operation only reads it.
            self.classes.learn(name, &[]);
            pat.push(PatElem { name, ty, dec: () });
        }
        let results = pat.iter().map(|p| p.name).collect();
        let lambda = self.handing_on(&map.ret);
        let screma = Screma { width, arrays: arrays.clone(), scans: vec![], reds: vec![], map };
        let first = Stm { pat, exp: Exp::Op(Soac::Screma(screma)), ..stm.clone() };
        let rest = with_function(soac, results, lambda)?;
        Some((first, Stm { exp: Exp::Op(rest), ..stm.clone() }))
    }

    /// A function that returns its arguments.
    fn handing_on(&mut self, types: &[Type]) -> Lambda<Soacs> {
        let params: Vec<Param<Soacs>> = types.iter().map(|t| self.b.param("x", t.clone())).collect();
        let result = params.iter().map(|p| SubExp::Var(p.name)).collect();
        Lambda { params, body: Body { stms: vec![], result }, ret: types.to_vec() }
    }
}

/// The same operation with another function, on other arrays.
fn with_function(soac: &Soac<Soacs>, arrays: Vec<Name>, lambda: Lambda<Soacs>) -> Option<Soac<Soacs>> {
    Some(match soac {
        Soac::Scatter(s) => Soac::Scatter(Scatter { arrays, lambda, ..s.clone() }),
        Soac::Hist(h) => Soac::Hist(Hist { arrays, lambda, ..h.clone() }),
        Soac::Filter(f) => Soac::Filter(Filter { arrays, lambda, ..f.clone() }),
        Soac::Screma(_) | Soac::Ad(_) => return None,
    })
}
