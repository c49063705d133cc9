//! G0: outside of all maps, code stays as it is, on the host.
//!
//! In the paper: if no other rule applies, `• ⊢ e ⇒ e`.
//!
//! The same code serves the body of a thread block, for which the block is the host.

use super::guard::Version;
use super::join;
use super::nest::Nest;
use super::state::{Flat, Machine};
use super::steer::Steer;
use crate::sequential::{same_param, simple, Bindings};
use fehu_base::ops::CmpOp;
use fehu_ir::seg::VERSIONS;
use fehu_ir::visit::deep;
use fehu_ir::{
    AccInput, Attr, Basic, Body, Exp, Kernels, Lambda, Loop, PatElem, Soacs, Stm, SubExp, Type, WithAcc,
};
use rustc_hash::FxHashSet;

impl Flat {
    /// A body on the host.
    pub(super) fn host_body(&mut self, body: Body<Soacs>) -> Body<Kernels> {
        self.nested(|f| f.host_inline(body))
    }

    /// Puts the statements of a body into the current one, and returns its results.
    pub(super) fn host_inline(&mut self, body: Body<Soacs>) -> Vec<SubExp> {
        join::note_joins(self, &body);
        deep(|| {
            for stm in body.stms {
                self.host_stm(stm);
            }
        });
        body.result
    }

    /// A statement on the host.
    pub(super) fn host_stm(&mut self, stm: Stm<Soacs>) {
        let outer = (self.seq.b.loc.clone(), self.seq.b.certs.len(), std::mem::take(&mut self.seq.b.attrs));
        self.seq.b.loc = stm.loc.clone();
        self.seq.b.certs.extend(&stm.certs);
        self.host_exp(stm);
        let (loc, certs, attrs) = outer;
        self.seq.b.loc = loc;
        self.seq.b.certs.truncate(certs);
        self.seq.b.attrs = attrs;
    }

    fn host_exp(&mut self, stm: Stm<Soacs>) {
        if let Exp::Op(soac) = &stm.exp {
            let mut nest = Nest::default();
            let sequential = Steer::of(&stm.attrs).sequential;
            let results =
                if sequential { None } else { self.soac(&mut nest, &stm, soac, &FxHashSet::default()) };
            match results {
                Some(results) => {
                    for (p, (e, _)) in stm.pat.iter().zip(results) {
                        self.names.replace(p.name, e);
                    }
                }
                None => {
                    // The statement brings its own certificates.
                    let certs = std::mem::take(&mut self.seq.b.certs);
                    self.seq.stm(stm);
                    self.seq.b.certs = certs;
                }
            }
            return;
        }
        let Stm { pat, attrs, exp, .. } = stm;
        let pat: Vec<_> = pat.into_iter().map(|PatElem { name, ty, dec: () }| (name, ty)).collect();
        let exp = match exp {
            Exp::If(c, t, f) if self.is_choice(c, &attrs) => return self.host_choice(pat, c, (*t, *f)),
            Exp::If(c, t, f) => {
                let t = self.host_body(*t);
                Exp::If(c, Box::new(t), Box::new(self.host_body(*f)))
            }
            Exp::Loop(l) => {
                let params = l.params.into_iter().map(|(p, init)| (same_param(p), init)).collect();
                let body = self.host_body(l.body);
                Exp::Loop(Box::new(Loop { params, form: l.form, body }))
            }
            Exp::WithAcc(w) => Exp::WithAcc(Box::new(self.host_with_acc(*w))),
            Exp::Basic(Basic::UpdateAcc(acc, index, values)) => {
                Exp::Basic(Basic::UpdateAcc(acc, index, values))
            }
            Exp::Call(f, args) => match self.machine {
                Machine::Grid => Exp::Call(f, args),
                Machine::Block => Exp::Call(self.seq.callee(f), args),
            },
            Exp::Basic(Basic::CmpOp(op @ (CmpOp::SLe(_) | CmpOp::SLt(_)), SubExp::Const(least), x)) => {
                pat.iter().for_each(|(n, _)| self.names.compare(*n, x));
                Exp::Basic(Basic::CmpOp(op, SubExp::Const(least), x))
            }
            Exp::Basic(Basic::Opaque(e)) => {
                if let Some(x) = self.names.compared(e) {
                    pat.iter().for_each(|(n, _)| self.names.compare(*n, x));
                }
                Exp::Basic(Basic::Opaque(e))
            }
            other @ (Exp::Basic(_) | Exp::Op(_)) => simple(other),
        };
        self.seq.b.attrs = attrs;
        self.seq.b.bind_names(pat, exp);
    }

    /// Whether a conditional chooses between versions, by a number that a threshold can be compared with.
    fn is_choice(&self, cond: SubExp, attrs: &[Attr]) -> bool {
        let versions = |a: &Attr| matches!(a, Attr::Atom(name) if name.as_str() == VERSIONS);
        self.may_version() && self.names.compared(cond).is_some() && attrs.iter().any(versions)
    }

    /// A choice between versions: the first, if there is enough parallelism for it.
    fn host_choice(&mut self, pat: Bindings, cond: SubExp, (yes, no): (Body<Soacs>, Body<Soacs>)) {
        let par = self.names.compared(cond).unwrap_or(cond);
        let name = self.guards.name(Version::Outer);
        let enough = self.enough(name, Version::Outer, par, None);
        let yes = self.decided(name, true, |f| f.host_body(yes));
        let no = self.decided(name, false, |f| f.host_body(no));
        self.seq.b.bind_names(pat, Exp::If(enough, Box::new(yes), Box::new(no)));
    }

    fn host_with_acc(&mut self, w: WithAcc<Soacs>) -> WithAcc<Kernels> {
        let mut inputs = vec![];
        for AccInput { shape, arrays, op } in w.inputs {
            let op = op.map(|(op, neutral)| (self.seq.lambda(op), neutral));
            inputs.push(AccInput { shape, arrays, op });
        }
        let params = w.lambda.params.into_iter().map(same_param).collect();
        let body = self.host_body(w.lambda.body);
        WithAcc { inputs, lambda: Lambda { params, body, ret: w.lambda.ret } }
    }

    /// Code under a nest, which may be empty: the arrays of its results.
    pub(super) fn under(&mut self, nest: &Nest, body: Body<Soacs>, types: &[Type]) -> Vec<SubExp> {
        if nest.depth() == 0 {
            self.host_inline(body)
        } else {
            self.distribute(nest.clone(), body, types)
        }
    }
}
