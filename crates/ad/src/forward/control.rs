//! Branches, loops, calls, and accumulators: more results, more parameters.
//!
//! ```text
//! let (y) = if c then { ..  return (a) }       let (y, y') = if c then { ..  return (a, a') } else { ..  return (b, 0) }
//! let (y) = loop (p = x) for i < n { .. }  =>  let (y, y') = loop (p = x, p' = x') for i < n { ..  return (q, q') }
//! let (y) = call f(x, n)                       let (y, y') = call f'(x, n, x')
//! ```
//!
//! A function has one derivative for each set of parameters that are active where it is called, which takes
//! their tangents after its own parameters and returns those of active results after its own results. With
//! bundles it also takes their size.
//!
//! An **accumulator** has an accumulator of tangents beside it if its operator treats tangents alike whatever
//! the values are (`+`, or none). Else it becomes one of pairs: its elements have their tangents beside them.

use super::combinators::{Operator, Part};
use super::Forward;
use crate::activity::is_active;
use fehu_base::Name;
use fehu_ir::{
    AccInput, Attr, Basic, Body, Exp, ExtSize, FunDef, FunRet, Lambda, Loop, PatElem, RetType, Soacs, SubExp,
    Type, WithAcc,
};

impl Forward<'_> {
    /// A body that also returns tangents of some of its results.
    pub(super) fn body(&mut self, body: Body<Soacs>, active: &[bool]) -> Body<Soacs> {
        self.nested(|forward| {
            forward.stms(body.stms);
            let tangents = forward.tangents_of(&body.result, active);
            body.result.into_iter().chain(tangents).collect()
        })
    }

    pub(super) fn branch(
        &mut self,
        attrs: Vec<Attr>,
        pat: Vec<PatElem<Soacs>>,
        cond: SubExp,
        yes: Body<Soacs>,
        no: Body<Soacs>,
    ) {
        let (own, tangents, active) = self.pattern(&pat);
        let (yes, no) = (self.body(yes, &active), self.body(no, &active));
        let exp = Exp::If(cond, Box::new(yes), Box::new(no));
        self.bind(attrs, own.into_iter().chain(tangents).collect(), exp);
    }

    pub(super) fn loop_(&mut self, attrs: Vec<Attr>, pat: Vec<PatElem<Soacs>>, l: Loop<Soacs>) {
        let (params, inits): (Vec<_>, Vec<SubExp>) = l.params.into_iter().unzip();
        let (tangent_params, active) = self.tangent_params(&params);
        let tangent_inits = self.tangents_of(&inits, &active);
        let (own, tangents, _) = self.pattern(&pat);
        let params = params.into_iter().map(|p| fehu_ir::Param { ty: self.ty(&p.ty), ..p });
        let params: Vec<_> = params.chain(tangent_params).collect();
        for p in &params {
            self.b.types.insert(p.name, p.ty.clone());
        }
        let body = self.body(l.body, &active);
        let params = params.into_iter().zip(inits.into_iter().chain(tangent_inits)).collect();
        let exp = Exp::Loop(Box::new(Loop { params, form: l.form, body }));
        self.bind(attrs, own.into_iter().chain(tangents).collect(), exp);
    }

    pub(super) fn call(
        &mut self,
        attrs: Vec<Attr>,
        pat: Vec<PatElem<Soacs>>,
        callee: Name,
        args: Vec<SubExp>,
    ) {
        let active: Vec<bool> = args.iter().map(|e| is_active(&self.b.types, &self.active, *e)).collect();
        let tangent_args = self.tangents_of(&args, &active);
        let (own, tangents, _) = self.pattern(&pat);
        let key = ((callee, active), self.bundle.is_some(), self.lanes);
        let name = match self.derived.get(&key) {
            Some(name) => *name,
            None => {
                let base = format!("{}'", self.b.names.base(callee));
                let name = self.b.names.fresh_str(&base);
                self.derived.insert(key.clone(), name);
                self.wanted.push(key);
                name
            }
        };
        let args = args.into_iter().chain(self.bundle).chain(tangent_args).collect();
        self.bind(attrs, own.into_iter().chain(tangents).collect(), Exp::Call(name, args));
    }

    /// The derivative of a function, a fresh copy of which is given: by which parameters, and which results are active.
    pub(crate) fn fun(&mut self, mut fun: FunDef<Soacs>, name: Name, results: &[bool]) -> FunDef<Soacs> {
        let (tangent_params, _) = self.tangent_params(&fun.params);
        if let Some(SubExp::Var(n)) = self.bundle {
            fun.params.push(fehu_ir::Param { name: n, ty: Type::I64, dec: (), consumed: false });
        }
        fun.params.extend(tangent_params);
        let size = self.bundle.map(ExtSize::Free);
        let tangent = |ret: &FunRet<Soacs>| match (&ret.ty, size) {
            (RetType::Prim(p), Some(n)) => RetType::Array { elem: *p, shape: vec![n], unique: false },
            (RetType::Array { elem, shape, unique }, Some(n)) => {
                let shape = shape.iter().copied().chain([n]).collect();
                RetType::Array { elem: *elem, shape, unique: *unique }
            }
            (RetType::Prim(_) | RetType::Array { .. }, None) | (RetType::Mem(_), _) => ret.ty.clone(),
        };
        let more = fun.ret.iter().zip(results).filter(|(_, active)| **active);
        let more = more.flat_map(|(ret, _)| vec![FunRet { ty: tangent(ret), dec: () }; self.lanes]);
        let more: Vec<_> = more.collect();
        fun.ret.extend(more);
        let body = std::mem::replace(&mut fun.body, Body { stms: vec![], result: vec![] });
        FunDef { name, entry: None, body: self.body(body, results), ..fun }
    }

    // Accumulators.

    pub(super) fn with_acc(&mut self, attrs: Vec<Attr>, pat: Vec<PatElem<Soacs>>, w: WithAcc<Soacs>) {
        let count = w.inputs.len();
        let Lambda { params, body, ret } = w.lambda;
        let (tokens, accs) = params.split_at(count);
        let (mut inputs, mut beside) = (vec![], vec![]);
        let (mut new_tokens, mut own, mut arrays, mut bound) = (vec![], vec![], vec![], pat.iter());
        for (input, token) in w.inputs.into_iter().zip(tokens) {
            let results: Vec<_> = bound.by_ref().take(input.arrays.len()).collect();
            own.extend(results.iter().map(|p| (p.name, p.ty.clone())));
            if !self.active.contains(&token.name) {
                inputs.push(input);
                continue;
            }
            let tangents: Vec<Name> = input.arrays.iter().flat_map(|a| self.array_tangents(*a)).collect();
            let tangent_results: Vec<_> =
                results.iter().flat_map(|p| self.new_tangents(p.name, &p.ty)).collect();
            let shape = input.shape.clone();
            match self.accumulated(input.op, input.arrays.len()) {
                (own_op, Some(tangent_op)) => {
                    inputs.push(AccInput { op: own_op, ..input });
                    beside.push(AccInput { shape, arrays: tangents, op: tangent_op });
                    let new = self.b.param("token", Type::UNIT);
                    self.tokens.insert(token.name, new.name);
                    new_tokens.push(new);
                    arrays.extend(tangent_results);
                }
                (op, None) => {
                    self.paired.insert(token.name);
                    let all = input.arrays.into_iter().chain(tangents).collect();
                    inputs.push(AccInput { shape, arrays: all, op });
                    own.extend(tangent_results);
                }
            }
        }
        let rest: Vec<_> = bound.cloned().collect();
        let (others, other_tangents, other_active) = self.pattern(&rest);
        let accs: Vec<_> = accs.iter().map(|p| fehu_ir::Param { ty: self.ty(&p.ty), ..p.clone() }).collect();
        for p in &accs {
            self.b.types.insert(p.name, p.ty.clone());
        }
        let (acc_tangents, acc_active) = self.tangent_params(&accs);
        let mut types: Vec<Type> = ret[..count].iter().map(|t| self.ty(t)).collect();
        types.extend(acc_tangents.iter().map(|p| p.ty.clone()));
        types.extend(ret[count..].iter().cloned());
        let active_others = ret[count..].iter().zip(&other_active).filter(|(_, active)| **active);
        types.extend(active_others.flat_map(|(t, _)| self.tangent_types(std::slice::from_ref(t))));
        let body = self.nested(|forward| {
            forward.stms(body.stms);
            let (accs, others) = body.result.split_at(count);
            let acc_tangents = forward.tangents_of(accs, &acc_active);
            let tangents = forward.tangents_of(others, &other_active);
            [accs, &acc_tangents, others, &tangents].concat()
        });
        let params = tokens.iter().cloned().chain(new_tokens).chain(accs).chain(acc_tangents).collect();
        inputs.extend(beside);
        let pat = [own, arrays, others, other_tangents].concat();
        let lambda = Lambda { params, body, ret: types };
        self.bind(attrs, pat, Exp::WithAcc(Box::new(WithAcc { inputs, lambda })));
    }

    /// The operator of an accumulator and, if it needs no values, that of its tangents.
    #[allow(
        clippy::type_complexity,
        reason = "an operator of an accumulator that has one, of one that may have none"
    )]
    fn accumulated(
        &mut self,
        op: Option<(Lambda<Soacs>, Vec<SubExp>)>,
        elems: usize,
    ) -> (Option<(Lambda<Soacs>, Vec<SubExp>)>, Option<Option<(Lambda<Soacs>, Vec<SubExp>)>>) {
        let Some((op, neutral)) = op else { return (None, Some(None)) };
        let own = |o: Operator| (o.op, o.neutral);
        let mut made = self.operator(op, neutral, &vec![true; elems]).into_iter();
        match (made.next(), made.next()) {
            (Some(values), Some(tangents)) => (Some(own(values)), Some(Some(own(tangents)))),
            (Some(pairs), None) if pairs.parts.contains(&Part::Tangent(0, 0)) => (Some(own(pairs)), None),
            (_, _) => fehu_base::bug!("an operator of nothing"),
        }
    }

    pub(super) fn update_acc(
        &mut self,
        attrs: Vec<Attr>,
        p: &PatElem<Soacs>,
        acc: Name,
        index: Vec<SubExp>,
        mut values: Vec<SubExp>,
    ) {
        let tangents: Vec<SubExp> = values.iter().flat_map(|e| self.all_tangents(*e)).collect();
        if !self.has_tangent(p.name) {
            values.extend(tangents);
            let update = Basic::UpdateAcc(acc, index, values);
            return self.bind(attrs, vec![(p.name, self.ty(&p.ty))], Exp::Basic(update));
        }
        let tangent = self.array_tangent(acc);
        let update = Basic::UpdateAcc(acc, index.clone(), values);
        self.bind(attrs.clone(), vec![(p.name, p.ty.clone())], Exp::Basic(update));
        let new = self.new_tangent(p.name, &p.ty);
        self.bind(attrs, vec![new], Exp::Basic(Basic::UpdateAcc(tangent, index, tangents)));
    }
}
