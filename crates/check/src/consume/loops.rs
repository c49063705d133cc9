//! Loops. A loop parameter is consumed by the loop if the body consumes it, if the body passes it on to a
//! parameter that is consumed, or if it is declared unique (unless that changes nothing, see
//! `find_consumed`). Then the loop consumes its initial value, and nothing else may hold on to the value that
//! the body returns for it.

use super::alias::{leaf_uniq, with_uniq, AliasSet, Tree};
use super::errors;
use super::state::{Frame, Owner, State, What};
use crate::tast::{Loop, LoopForm, Pat, PatKind};
use crate::types::{Parts, Type, Uniq};
use fehu_base::{Name, Span};

/// A leaf of the loop parameters.
struct Param {
    /// Its memory within an iteration.
    identity: Name,
    /// Whether the loop consumes it.
    consumed: bool,
    /// Whether it was declared with `*`.
    unique: bool,
    /// Whether it was declared without `*`, and so must not be consumed.
    observed: bool,
}

impl State<'_> {
    /// A loop expression.
    pub(super) fn loop_exp(&mut self, l: &mut Loop) -> Tree {
        let init = self.exp(&mut l.init);
        let elements = match &mut l.form {
            LoopForm::For(_, _, bound) => {
                self.exp(bound);
                AliasSet::default()
            }
            LoopForm::ForIn(_, array) => self.exp(array).all(),
            LoopForm::While(_) => AliasSet::default(),
        };
        let free: Vec<bool> = leaves_as(&l.pat.ty, &init)
            .iter()
            .map(|leaf| leaf.iter().all(|name| self.consumable(name)))
            .collect();
        let mark = self.log_mark();
        let mut params = vec![];
        let mut body = Tree::Nothing;
        let mut cond_frame = Frame::default();
        let (returned_ok, body_frame) = self.deeper(|st| {
            st.loop_params(&l.pat, &mut params);
            match &mut l.form {
                LoopForm::For(..) => {}
                LoopForm::ForIn(pat, _) => {
                    let tree = Tree::of_type(&pat.ty, &mut |_| elements.clone());
                    st.element_pat(pat, &tree);
                }
                LoopForm::While(cond) => {
                    st.exp(cond);
                    cond_frame = st.frame();
                }
            }
            body = st.exp(&mut l.body);
            st.find_consumed(&mut params, &free, &body.leaves());
            st.check_returned(&params, &body.leaves(), l.body.span)
        });
        self.rewind(mark);
        mark_consumed(&mut l.pat, &mut params.iter());
        let init_leaves = leaves_as(&l.pat.ty, &init);
        let gone = self.consume_initial(&params, &init_leaves, l.init.span);
        self.check_uses("Loop condition", &cond_frame, &gone, l.init.span);
        self.check_uses("Loop body", &body_frame, &gone, l.init.span);
        if !returned_ok {
            return Tree::fresh(&l.pat.ty);
        }
        result(&params, &init_leaves, &leaves_as(&l.pat.ty, &body), &l.pat.ty)
    }

    /// Binds the loop parameters: one identity for each leaf.
    fn loop_params(&mut self, pat: &Pat, params: &mut Vec<Param>) {
        match &pat.kind {
            PatKind::Var(name) => {
                let declared = self.ctx.declared.contains(name);
                let what = What::Variable(self.ctx.names.base(*name));
                let tree = Tree::of_type(&pat.ty, &mut |t| {
                    let unique = declared && leaf_uniq(t) == Uniq::Unique;
                    let observed = declared && !unique;
                    let owner = if observed { Owner::DeclaredLoopParam } else { Owner::Us };
                    let set = self.fresh(what, owner, pat.span);
                    params.extend(set.iter().map(|identity| Param {
                        identity,
                        consumed: false,
                        unique,
                        observed,
                    }));
                    set
                });
                self.bind_as_is(*name, tree);
            }
            // What has no name cannot be consumed by the body, but is passed on.
            PatKind::Wildcard | PatKind::Literal(_) => {
                Tree::of_type(&pat.ty, &mut |_| {
                    let set = self.fresh(What::Value, Owner::Us, pat.span);
                    params.extend(set.iter().map(|identity| Param {
                        identity,
                        consumed: false,
                        unique: false,
                        observed: false,
                    }));
                    set
                });
            }
            PatKind::Record(fields) => fields.iter().for_each(|(_, p)| self.loop_params(p, params)),
            PatKind::Constr(_, args) => args.iter().for_each(|p| self.loop_params(p, params)),
            PatKind::Attr(_, p) => self.loop_params(p, params),
        }
    }

    /// Binds an element of the array that a `for-in` loop goes through. It
    /// cannot be consumed even if the array's memory has no other name.
    fn element_pat(&mut self, pat: &Pat, tree: &Tree) {
        match &pat.kind {
            PatKind::Var(name) => {
                let what = What::Variable(self.ctx.names.base(*name));
                let tree = tree.map(&mut |s| s.union(&self.fresh(what, Owner::DeclaredLoopParam, pat.span)));
                self.bind_as_is(*name, tree);
            }
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Record(fields) => fields.iter().for_each(|(f, p)| self.element_pat(p, &tree.field(*f))),
            PatKind::Constr(c, args) => {
                args.iter().enumerate().for_each(|(i, p)| self.element_pat(p, &tree.payload(*c, i)))
            }
            PatKind::Attr(_, p) => self.element_pat(p, tree),
        }
    }

    /// Which parameters are consumed, given whether the initial value of each is free to be consumed, and what
    /// the body returned for it. A `*` asks nothing of an initial value that is not free if the body neither
    /// consumes the parameter nor returns it, but something that it has bound itself.
    fn find_consumed(&self, params: &mut [Param], free: &[bool], returned: &[AliasSet]) {
        let identities: Vec<Name> = params.iter().map(|p| p.identity).collect();
        for (i, p) in params.iter_mut().enumerate() {
            let renewed =
                returned.get(i).is_some_and(|s| !s.is_empty() && !identities.iter().any(|n| s.contains(*n)));
            let asks = free.get(i) != Some(&false) || !renewed;
            p.consumed = self.consumed_at(p.identity).is_some() || (p.unique && asks);
        }
        loop {
            let passed_on: Vec<usize> = (0..params.len())
                .filter(|&j| !params[j].consumed && !params[j].observed)
                .filter(|&j| {
                    params.iter().zip(returned).any(|(p, set)| p.consumed && set.contains(params[j].identity))
                })
                .collect();
            if passed_on.is_empty() {
                return;
            }
            passed_on.into_iter().for_each(|j| params[j].consumed = true);
        }
    }

    /// Whether the next iteration may have what the body returned.
    fn check_returned(&mut self, params: &[Param], returned: &[AliasSet], body: Span) -> bool {
        for (i, (p, set)) in params.iter().zip(returned).enumerate() {
            let id = self.identity(p.identity);
            let foreign = set.iter().find(|n| !self.consumable(*n)).filter(|_| p.consumed);
            let earlier = params[..i].iter().zip(returned).filter(|(_, s)| s.common(set).is_some());
            let (consumed, observed): (Vec<_>, Vec<_>) = earlier.partition(|(q, _)| q.consumed);
            let d = if let Some(n) = foreign {
                errors::loop_param_aliases(self, &id, body, n)
            } else if !consumed.is_empty() {
                errors::loop_aliases_consumed(&id, body)
            } else if p.consumed && !observed.is_empty() {
                errors::loop_aliases_previous(&id, body)
            } else {
                continue;
            };
            self.report_once(p.identity, d);
            return false;
        }
        true
    }

    /// Consumes the initial values of consumed parameters; gives what is gone.
    fn consume_initial(&mut self, params: &[Param], leaves: &[AliasSet], span: Span) -> AliasSet {
        let mut gone = AliasSet::default();
        for (i, (p, set)) in params.iter().zip(leaves).enumerate() {
            if !p.consumed {
                continue;
            }
            let others = leaves.iter().enumerate().filter(|(j, _)| *j != i);
            if let Some(n) = others.filter_map(|(_, s)| set.common(s)).next() {
                let d = errors::self_aliased(self, span, n);
                self.report_once(n, d);
            }
            gone = gone.union(set);
        }
        self.consume(&gone, span);
        gone
    }

    /// The loop must not use what its initial values consume.
    fn check_uses(&mut self, place: &str, frame: &Frame, gone: &AliasSet, init: Span) {
        for (name, (at, set)) in frame {
            if let Some(n) = set.common(gone) {
                let d = errors::loop_uses_consumed(self, place, *name, *at, init);
                self.report_once(n, d);
            }
        }
    }
}

/// Makes those parts of the pattern's types unique that the loop consumes.
fn mark_consumed(pat: &mut Pat, params: &mut std::slice::Iter<'_, Param>) {
    let mut next = || match params.next() {
        Some(Param { consumed: true, .. }) => Uniq::Unique,
        Some(_) | None => Uniq::Nonunique,
    };
    match &mut pat.kind {
        PatKind::Var(_) | PatKind::Wildcard | PatKind::Literal(_) => pat.ty = with_uniq(&pat.ty, &mut next),
        PatKind::Record(fields) => {
            fields.iter_mut().for_each(|(_, p)| mark_consumed(p, params));
            pat.ty = Type::Record(Parts::new(fields.iter().map(|(f, p)| (*f, p.ty.clone())).collect()));
        }
        PatKind::Constr(c, args) => {
            args.iter_mut().for_each(|p| mark_consumed(p, params));
            let payload = args.iter().map(|p| p.ty.clone()).collect();
            pat.ty = Type::Sum(Parts::new(vec![(*c, payload)]));
        }
        PatKind::Attr(_, p) => {
            mark_consumed(p, params);
            pat.ty = p.ty.clone();
        }
    }
}

/// The leaves of a value, one for each leaf of the type.
fn leaves_as(ty: &Type, tree: &Tree) -> Vec<AliasSet> {
    let mut leaves = tree.leaves();
    let mut count = 0;
    Tree::of_type(ty, &mut |_| {
        count += 1;
        AliasSet::default()
    });
    leaves.resize(count, AliasSet::default());
    leaves
}

/// What the loop's result may share: for an observed parameter its initial
/// value and whatever the body returns, where parameters stand for what they
/// in turn may be; for a consumed one only what the body made.
fn result(params: &[Param], init: &[AliasSet], returned: &[AliasSet], ty: &Type) -> Tree {
    let mut sets: Vec<AliasSet> = params
        .iter()
        .zip(init)
        .map(|(p, s)| if p.consumed { AliasSet::default() } else { s.clone() })
        .collect();
    loop {
        let step = |i: usize| {
            let Some(back) = returned.get(i) else { return sets[i].clone() };
            let mut all: Vec<Name> = sets[i].iter().collect();
            for n in back.iter() {
                match params.iter().position(|p| p.identity == n) {
                    Some(j) => all.extend(sets[j].iter()),
                    None => all.push(n),
                }
            }
            AliasSet::from_names(all)
        };
        let next: Vec<AliasSet> = (0..sets.len()).map(step).collect();
        if next == sets {
            break;
        }
        sets = next;
    }
    let mut sets = sets.into_iter();
    Tree::of_type(ty, &mut |_| sets.next().unwrap_or_default())
}
