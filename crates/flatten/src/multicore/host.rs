//! Statements on the host, or in a task that is the host of operations inside of it.

use super::Multi;
use crate::gpu::steer::Steer;
use crate::sequential::{same_param, simple, Bindings};
use fehu_ir::build::nested_body;
use fehu_ir::soac::Soac;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, Exp, Kernels, Loop, PatElem, Soacs, Stm, SubExp};

impl Multi {
    /// A body.
    pub(super) fn body(&mut self, body: Body<Soacs>) -> Body<Kernels> {
        self.nested(|m| m.inline(body))
    }

    /// A body whose statements have their own certificates and attributes.
    pub(super) fn nested(&mut self, f: impl FnOnce(&mut Self) -> Vec<SubExp>) -> Body<Kernels> {
        nested_body(self, |this| &mut this.seq.b, f)
    }

    /// Puts the statements of a body into the current one, and returns its results.
    pub(super) fn inline(&mut self, body: Body<Soacs>) -> Vec<SubExp> {
        deep(|| {
            for stm in body.stms {
                self.stm(stm);
            }
        });
        body.result
    }

    /// A statement.
    pub(super) fn stm(&mut self, stm: Stm<Soacs>) {
        self.learn_generated(&stm);
        match &stm.exp {
            Exp::WithAcc(_) | Exp::Basic(Basic::UpdateAcc(..)) => self.seq.stm(stm),
            Exp::Op(_) if Steer::of(&stm.attrs).sequential => self.seq.stm(stm),
            Exp::Op(_) => self.parallel(stm),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) => self.decorated(stm, Self::plain),
        }
    }

    /// Remembers an array whose elements are known by their indices: sequential code of tasks computes them again.
    fn learn_generated(&mut self, stm: &Stm<Soacs>) {
        let pat: Bindings = stm.pat.iter().map(|p| (p.name, p.ty.clone())).collect();
        let outer = self.seq.b.certs.len();
        self.seq.b.certs.extend(&stm.certs);
        self.seq.learn_generated(&pat, &stm.exp);
        self.seq.b.certs.truncate(outer);
    }

    /// Binds with the certificates, the attributes and the location of a statement.
    pub(super) fn decorated(&mut self, stm: Stm<Soacs>, bind: impl FnOnce(&mut Self, Bindings, Exp<Soacs>)) {
        let outer = (self.seq.b.loc.clone(), self.seq.b.certs.len(), std::mem::take(&mut self.seq.b.attrs));
        let Stm { pat, certs, attrs, loc, exp } = stm;
        self.seq.b.loc = loc;
        self.seq.b.certs.extend(certs);
        self.seq.b.attrs = attrs;
        let pat = pat.into_iter().map(|PatElem { name, ty, dec: () }| (name, ty)).collect();
        bind(self, pat, exp);
        let (loc, certs, attrs) = outer;
        self.seq.b.loc = loc;
        self.seq.b.certs.truncate(certs);
        self.seq.b.attrs = attrs;
    }

    /// A statement that is no combinator.
    fn plain(&mut self, pat: Bindings, exp: Exp<Soacs>) {
        let exp = match exp {
            Exp::If(c, t, f) => {
                let t = self.body(*t);
                Exp::If(c, Box::new(t), Box::new(self.body(*f)))
            }
            Exp::Loop(l) => {
                let params = l.params.into_iter().map(|(p, init)| (same_param(p), init)).collect();
                Exp::Loop(Box::new(Loop { params, form: l.form, body: self.body(l.body) }))
            }
            other @ (Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_)) => simple(other),
        };
        self.seq.b.bind_names(pat, exp);
    }

    /// A combinator.
    fn parallel(&mut self, stm: Stm<Soacs>) {
        match &stm.exp {
            Exp::Op(Soac::Screma(s)) => match Self::shape_of(s) {
                Form::One => self.versions(stm),
                Form::Chunked => self.decorated(stm, Self::chunked),
                Form::Split => self.split(stm),
                Form::Sequential => self.seq.stm(stm),
            },
            Exp::Op(Soac::Hist(_)) => self.hist(stm),
            Exp::Op(Soac::Scatter(_)) => self.versions(stm),
            Exp::Op(Soac::Filter(_)) => self.filter(stm),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                self.seq.stm(stm)
            }
        }
    }
}

/// What becomes of maps, reductions and scans.
pub(super) enum Form {
    /// One operation.
    One,
    /// A map over chunks of sequential reductions.
    Chunked,
    /// A map, then scans and reductions by themselves.
    Split,
    /// A loop.
    Sequential,
}
