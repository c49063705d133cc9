//! Accumulators of the function: what was added at an index has the adjoint of the array at that index.
//!
//! ```text
//! ys = with_acc [d] (+) \(acc) { .. update_acc acc [i] [v] .. }         d' += ys'        v' += ys'[i], 0 out of bounds
//! ```
//!
//! The adjoint of an accumulator is an array that is only read, so it goes nowhere: it is known by the token.
//! When the body is entered again, it is without accumulators: what it puts in there was put in by the
//! forward sweep.

use super::operators::adds;
use super::Reverse;
use fehu_base::Name;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::{Basic, Body, Exp, Loop, Soacs, Stm, SubExp, Type, WithAcc};

impl Reverse<'_> {
    pub(super) fn with_acc(&mut self, w: WithAcc<Soacs>, seeds: &[Option<SubExp>]) {
        let lambda = self.again_lambda(&w.lambda);
        let mut rest = seeds;
        let mut tokens = vec![];
        for (input, token) in w.inputs.iter().zip(&lambda.params) {
            let (own, others) = rest.split_at(input.arrays.len());
            rest = others;
            let sums = input.op.as_ref().is_some_and(|(op, _)| adds(op));
            if !sums && self.active.contains(&token.name) {
                self.refuse("the adjoint of an accumulator that does not add");
            }
            for (a, seed) in input.arrays.iter().zip(own) {
                if let Some(seed) = seed {
                    self.add((*a).into(), *seed);
                }
            }
            self.tokens.insert(token.name, own.to_vec());
            tokens.push(token.name);
        }
        let own: Vec<Option<SubExp>> =
            vec![None; w.inputs.len()].into_iter().chain(rest.iter().copied()).collect();
        self.sweeps(lambda.body, &own);
        for token in tokens {
            self.tokens.remove(&token);
        }
    }

    /// `update_acc acc index values`
    pub(super) fn put(&mut self, acc: Name, index: &[SubExp], values: &[SubExp]) {
        let Type::Acc(token, shape, _) = self.b.type_of(acc.into()) else {
            fehu_base::bug!("no accumulator")
        };
        let Some(seeds) = self.tokens.get(&token).cloned() else { return };
        for (value, seed) in values.iter().zip(seeds) {
            if let (Some(SubExp::Var(seed)), true) = (seed, self.is_active(*value)) {
                let part = self.row_or_zero(seed, index, &shape);
                self.add(*value, part);
            }
        }
    }

    /// Whether a statement puts something into accumulators that are entered again.
    pub(super) fn fills(&self, stm: &Stm<Soacs>) -> bool {
        stm.pat.iter().any(|p| self.is_entered(&p.ty))
    }

    fn is_entered(&self, ty: &Type) -> bool {
        matches!(ty, Type::Acc(token, ..) if self.tokens.contains_key(token))
    }

    /// Emits a statement of the function, but for what it puts into accumulators that are entered again.
    pub(super) fn primal(&mut self, stm: Stm<Soacs>) {
        if let Some(stm) = self.without_accs(stm) {
            self.b.push(stm);
        }
    }

    fn without_accs(&self, mut stm: Stm<Soacs>) -> Option<Stm<Soacs>> {
        if !self.fills(&stm) {
            return Some(stm);
        }
        let mut stays: Vec<bool> = stm.pat.iter().map(|p| !self.is_entered(&p.ty)).collect();
        match &mut stm.exp {
            Exp::If(_, yes, no) => {
                self.body_without(yes, &stays);
                self.body_without(no, &stays);
            }
            Exp::Loop(l) => self.loop_without(l, &stays),
            Exp::WithAcc(w) => {
                let arrays: usize = w.inputs.iter().map(|i| i.arrays.len()).sum();
                let own = vec![true; w.inputs.len()];
                let all: Vec<bool> = own.into_iter().chain(stays.split_off(arrays)).collect();
                self.body_without(&mut w.lambda.body, &all);
                retain(&mut w.lambda.ret, &all);
                stays.extend_from_slice(&all[w.inputs.len()..]);
            }
            Exp::Op(Soac::Screma(s)) => self.screma_without(s, &stays),
            Exp::Basic(Basic::UpdateAcc(..) | Basic::SubExp(_)) => {}
            Exp::Basic(_) | Exp::Call(..) | Exp::Op(_) => {
                fehu_base::bug!("an accumulator of no such statement")
            }
        }
        retain(&mut stm.pat, &stays);
        (!stm.pat.is_empty()).then_some(stm)
    }

    fn body_without(&self, body: &mut Body<Soacs>, stays: &[bool]) {
        let stms = std::mem::take(&mut body.stms);
        body.stms = stms.into_iter().filter_map(|s| self.without_accs(s)).collect();
        retain(&mut body.result, stays);
    }

    fn loop_without(&self, l: &mut Loop<Soacs>, stays: &[bool]) {
        self.body_without(&mut l.body, stays);
        retain(&mut l.params, stays);
    }

    fn screma_without(&self, s: &mut Screma<Soacs>, stays: &[bool]) {
        self.body_without(&mut s.map.body, stays);
        retain(&mut s.map.ret, stays);
        let inputs: Vec<bool> = s.map.params.iter().map(|p| !self.is_entered(&p.ty)).collect();
        retain(&mut s.map.params, &inputs);
        retain(&mut s.arrays, &inputs);
    }
}

/// Removes what does not stay.
fn retain<T>(items: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    items.retain(|_| stays.next().copied().unwrap_or(true));
}
