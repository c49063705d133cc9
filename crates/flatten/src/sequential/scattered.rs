//! Writes at computed places: histograms, scatters and updates of
//! accumulators. A place out of bounds is not written.

use super::{row, Bindings, Goal, Seq};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::soac::{Hist, Scatter, Soac};
use fehu_ir::{Basic, Exp, Lambda, Loop, LoopForm, Param, Soacs, SubExp, Type};

/// Arrays that are written together, at one index into their common outer shape.
pub(super) struct Target<'a> {
    pub(super) shape: &'a [SubExp],
    /// The types of what is at an index.
    pub(super) elems: &'a [Type],
    pub(super) arrays: &'a [SubExp],
    /// The types of the arrays.
    pub(super) types: &'a [Type],
}

impl<R: Goal> Seq<R> {
    pub(super) fn hist(&mut self, pat: Bindings, h: Hist<Soacs>) {
        let Hist { width, arrays, ops, lambda } = h;
        let dests = ops.iter().flat_map(|op| op.dests.iter().copied()).collect();
        self.writing_loop(pat, width, dests, |seq, i, params| {
            seq.bind_elements(&lambda.params, &arrays, i);
            let results = seq.inline(lambda.body);
            let indices: usize = ops.iter().map(|op| op.shape.len()).sum();
            let (mut indices, mut values) = results.split_at(indices);
            let mut params = params;
            let mut updated = vec![];
            for op in ops {
                let index = take(&mut indices, op.shape.len());
                let value = take(&mut values, op.dests.len());
                let dests = take(&mut params, op.dests.len());
                let types: Vec<Type> = dests.iter().map(|d| seq.b.type_of(*d)).collect();
                let elems = op.op.ret.clone();
                let target = Target { shape: &op.shape, elems: &elems, arrays: dests, types: &types };
                updated.extend(seq.guarded_update(target, index, value, Some(op.op)));
            }
            updated
        });
    }

    pub(super) fn scatter(&mut self, pat: Bindings, s: Scatter<Soacs>) {
        let (targets, which) = (s.written(), s.results());
        let Scatter { width, arrays, dests, lambda } = s;
        self.writing_loop(pat, width, targets, |seq, i, params| {
            seq.bind_elements(&lambda.params, &arrays, i);
            let results = seq.inline(lambda.body);
            let indices: usize = dests.iter().map(|d| d.shape.len()).sum();
            let (mut indices, values) = results.split_at(indices);
            let mut updated = params.to_vec();
            for ((dest, value), k) in dests.iter().zip(values).zip(which) {
                let index = take(&mut indices, dest.shape.len());
                let ty = seq.b.type_of(updated[k]);
                let elem = ty.peel(dest.shape.len());
                let arrays = &updated[k..=k];
                let target = Target { shape: &dest.shape, elems: &[elem], arrays, types: &[ty] };
                let now = seq.guarded_update(target, index, &[*value], None);
                updated.splice(k..=k, now);
            }
            updated
        });
    }

    /// A loop that consumes arrays and returns them changed by each iteration.
    fn writing_loop(
        &mut self,
        pat: Bindings,
        width: SubExp,
        dests: Vec<Name>,
        iteration: impl FnOnce(&mut Seq<R>, SubExp, &[SubExp]) -> Vec<SubExp>,
    ) {
        let mut params = vec![];
        for (dest, (_, ty)) in dests.into_iter().zip(&pat) {
            let name = self.b.names.fresh_like(dest);
            self.b.types.insert(name, ty.clone());
            params.push((Param::<R> { name, ty: ty.clone(), dec: (), consumed: true }, dest.into()));
        }
        let arrays: Vec<SubExp> = params.iter().map(|(p, _)| p.name.into()).collect();
        let i = self.b.fresh("i", Type::I64);
        let body = self.undecorated(|seq| {
            seq.b.begin();
            let result = iteration(seq, i.into(), &arrays);
            seq.b.end(result)
        });
        let form = LoopForm::For { var: i, ty: IntType::I64, bound: width };
        self.b.bind_names(pat, Exp::Loop(Box::new(Loop { params, form, body })));
    }

    /// The arrays with values put at an index (combined with what is there, if there is an
    /// operator), or as they are if the index is out of bounds.
    pub(super) fn guarded_update(
        &mut self,
        target: Target<'_>,
        index: &[SubExp],
        values: &[SubExp],
        op: Option<Lambda<Soacs>>,
    ) -> Vec<SubExp> {
        let ok = self.in_bounds(index, target.shape);
        let (yes, no) = self.undecorated(|seq| {
            seq.b.begin();
            let updated = seq.update(&target, index, values, op);
            let yes = seq.b.end(updated);
            seq.b.begin();
            (yes, seq.b.end(target.arrays.to_vec()))
        });
        let names = self.b.bind_all("out", target.types.to_vec(), Exp::If(ok, Box::new(yes), Box::new(no)));
        names.into_iter().map(SubExp::Var).collect()
    }
}

impl<R: Goal> Seq<R> {
    /// The arrays with values put at an index, combined with what is there if there is an operator.
    fn update(
        &mut self,
        target: &Target<'_>,
        index: &[SubExp],
        values: &[SubExp],
        op: Option<Lambda<Soacs>>,
    ) -> Vec<SubExp> {
        let values = match op {
            None => values.to_vec(),
            Some(op) => match elementwise(op) {
                Ok((width, op)) => return self.update_elements(target, index, values, width, op),
                Err(op) => {
                    let mut args = vec![];
                    for (array, elem) in target.arrays.iter().zip(target.elems) {
                        let Some(array) = array.name() else { continue };
                        let old = self.b.bind(
                            "old",
                            elem.clone(),
                            Exp::Basic(Basic::Index(array, row(index, elem))),
                        );
                        args.push(old.into());
                    }
                    args.extend(values);
                    self.apply(op, &args)
                }
            },
        };
        let mut updated = vec![];
        for (((array, elem), ty), value) in
            target.arrays.iter().zip(target.elems).zip(target.types).zip(values)
        {
            let Some(array) = array.name() else { continue };
            let update = Exp::Basic(Basic::Update(array, row(index, elem), value));
            updated.push(self.b.bind("out", ty.clone(), update).into());
        }
        updated
    }

    /// Combines rows element by element, in place: there is no need for a row of results.
    fn update_elements(
        &mut self,
        target: &Target<'_>,
        index: &[SubExp],
        values: &[SubExp],
        width: SubExp,
        op: Lambda<Soacs>,
    ) -> Vec<SubExp> {
        let dests = target.arrays.iter().filter_map(|a| a.name()).collect();
        let names = target.types.iter().map(|t| (self.b.fresh("out", t.clone()), t.clone()));
        let pat: Bindings = names.collect();
        let updated = pat.iter().map(|(name, _)| (*name).into()).collect();
        self.writing_loop(pat, width, dests, |seq, r, params| {
            let elems: Vec<Type> = target.elems.iter().map(|t| t.peel(1)).collect();
            let mut parts = vec![];
            for (value, elem) in values.iter().zip(&elems) {
                let Some(value) = value.name() else { continue };
                parts.push(
                    seq.b.bind("part", elem.clone(), Exp::Basic(Basic::Index(value, row(&[r], elem)))).into(),
                );
            }
            let shape: Vec<SubExp> = target.shape.iter().copied().chain([width]).collect();
            let at: Vec<SubExp> = index.iter().copied().chain([r]).collect();
            let target = Target { shape: &shape, elems: &elems, arrays: params, types: target.types };
            seq.update(&target, &at, &parts, Some(op))
        });
        updated
    }
}

/// The operator on elements, and how many there are, if an operator on rows is a map of one.
fn elementwise(op: Lambda<Soacs>) -> Result<(SubExp, Lambda<Soacs>), Lambda<Soacs>> {
    let params: Vec<Name> = op.params.iter().map(|p| p.name).collect();
    let [stm] = op.body.stms.as_slice() else { return Err(op) };
    let Exp::Op(Soac::Screma(s)) = &stm.exp else { return Err(op) };
    let results: Vec<SubExp> = stm.pat.iter().map(|p| p.name.into()).collect();
    let at = |p: &Name| s.arrays.iter().position(|a| a == p);
    let Some(places) = params.iter().map(at).collect::<Option<Vec<usize>>>() else { return Err(op) };
    let only_map = s.scans.is_empty() && s.reds.is_empty() && s.arrays.len() == params.len();
    let consumes = op.params.iter().chain(&s.map.params).any(|p| p.consumed);
    if !only_map || consumes || results != op.body.result || !stm.certs.is_empty() {
        return Err(op);
    }
    // Each operand, once, in the order of the operator's parameters.
    let params = places.into_iter().map(|at| s.map.params[at].clone()).collect();
    Ok((s.width, Lambda { params, body: s.map.body.clone(), ret: s.map.ret.clone() }))
}

/// Takes the first items off a slice.
pub(super) fn take<'a, T>(items: &mut &'a [T], n: usize) -> &'a [T] {
    let (first, rest) = items.split_at(n.min(items.len()));
    *items = rest;
    first
}
