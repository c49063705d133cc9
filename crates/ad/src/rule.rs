//! Functions with a rule of their own for reverse mode (`with_vjp`).
//!
//! ```text
//! let (y) = with_vjp [x] [] \(p, r, a) { .. f p .. the rule of r and a ..  return (q, d) }
//!
//! elsewhere, and in the forward sweep:      let (p) = x   .. f p ..              let (y) = q
//! in the return sweep, of y':               let (r) = y   let (a) = y'   .. the rule ..       x' += d
//! ```
//!
//! What is free in the function gets nothing. By forward mode the function is derived as any other.

use crate::reverse::Reverse;
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Ad, AdMode, Soac};
use fehu_ir::visit::map_bodies;
use fehu_ir::{Basic, Body, Exp, PatElem, Prog, Soacs, Stm, SubExp};
use rustc_hash::FxHashSet;

/// Puts all functions with rules in place.
pub(crate) fn inline(prog: &mut Prog<Soacs>) {
    in_body(&mut prog.consts);
    for fun in &mut prog.funs {
        in_body(&mut fun.body);
    }
}

/// The same in functions that are derived by forward mode now, since they are plain.
pub(crate) fn inline_in_forward(prog: &mut Prog<Soacs>, is_plain: &dyn Fn(&Body<Soacs>) -> bool) {
    let bodies = std::iter::once(&mut prog.consts).chain(prog.funs.iter_mut().map(|f| &mut f.body));
    bodies.for_each(|body| in_forward(body, is_plain));
}

fn in_forward(body: &mut Body<Soacs>, is_plain: &dyn Fn(&Body<Soacs>) -> bool) {
    for stm in &mut body.stms {
        match &mut stm.exp {
            Exp::Op(Soac::Ad(ad)) if ad.mode == AdMode::Forward && is_plain(&ad.lambda.body) => {
                in_body(&mut ad.lambda.body);
            }
            Exp::Op(_) | Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => {}
        }
        map_bodies(&mut stm.exp, &mut |inner| in_forward(inner, is_plain));
    }
}

/// The same in a body.
pub(crate) fn in_body(body: &mut Body<Soacs>) {
    for mut stm in std::mem::take(&mut body.stms) {
        map_bodies(&mut stm.exp, &mut in_body);
        match &stm.exp {
            Exp::Op(Soac::Ad(ad)) if ad.mode == AdMode::Rule => body.stms.extend(value(&stm, ad)),
            Exp::Op(_) | Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => {
                body.stms.push(stm);
            }
        }
    }
}

/// The function alone.
pub(crate) fn value(stm: &Stm<Soacs>, ad: &Ad<Soacs>) -> Vec<Stm<Soacs>> {
    let bind = |name: Name, ty: &fehu_ir::Type, e: SubExp| Stm {
        pat: vec![PatElem { name, ty: ty.clone(), dec: () }],
        certs: stm.certs.clone(),
        attrs: vec![],
        loc: stm.loc.clone(),
        exp: Exp::Basic(Basic::SubExp(e)),
    };
    let own = ad.lambda.params.iter().zip(&ad.args).map(|(p, e)| bind(p.name, &p.ty, *e));
    let results = &ad.lambda.body.result[..ad.results()];
    let body = needed(&ad.lambda.body.stms, results);
    let named = stm.pat.iter().zip(results).map(|(p, e)| bind(p.name, &p.ty, *e));
    own.chain(body).chain(named).collect()
}

fn needed(stms: &[Stm<Soacs>], results: &[SubExp]) -> Vec<Stm<Soacs>> {
    let mut names: FxHashSet<Name> = results.iter().filter_map(|e| e.name()).collect();
    let mut kept = vec![];
    for stm in stms.iter().rev() {
        if stm.pat.iter().any(|p| names.contains(&p.name)) {
            names.extend(free_in_stm(stm));
            kept.push(stm.clone());
        }
    }
    kept.reverse();
    kept
}

impl Reverse<'_> {
    /// The forward sweep of a function with a rule.
    pub(crate) fn forward_rule(&mut self, stm: &Stm<Soacs>, ad: &Ad<Soacs>) {
        let lambda = self.again_lambda(&ad.lambda);
        let copy = Ad { lambda, ..ad.clone() };
        for stm in value(stm, &copy) {
            self.b.push(stm);
        }
    }

    /// The return sweep: what the rule says.
    pub(crate) fn rule(&mut self, ad: &Ad<Soacs>, pat: &[PatElem<Soacs>], seeds: &[Option<SubExp>]) {
        let lambda = self.again_lambda(&ad.lambda);
        let (n, k) = (ad.args.len(), ad.results());
        let (values, adjoints) = lambda.params[n..].split_at(k);
        for (p, result) in values.iter().zip(pat) {
            let exp = Exp::Basic(Basic::SubExp(result.name.into()));
            self.b.bind_names(vec![(p.name, p.ty.clone())], exp);
        }
        for (p, seed) in adjoints.iter().zip(seeds) {
            let seed = match seed {
                Some(seed) => *seed,
                None => self.zero_or_unit(&p.ty),
            };
            self.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(seed)));
        }
        let results = &lambda.body.result[k..];
        for stm in needed(&lambda.body.stms, results) {
            self.b.push(stm);
        }
        for (arg, part) in ad.args.iter().zip(results) {
            if self.is_active(*arg) {
                self.add(*arg, *part);
            }
        }
    }
}
