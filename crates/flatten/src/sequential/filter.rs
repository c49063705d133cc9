//! Filters: one pass, with the number of elements kept so far beside the arrays that they are put into. Those have room
//! for all elements, so that nothing needs to be counted before; the results are their first parts.
//!
//! ```text
//! filter n [xs] kept 1 map \x -> (p x, x)      (m, all) = loop (k = 0, *out = scratch n) for i < n {
//!                                                x = xs[i]
//!                                                (k + i64.bool (p x), out with [k] = x) }
//!                                              ys = all[0 :+ m]
//! ```

use super::scattered::take;
use super::{row, Bindings, Goal, Seq};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_ir::soac::Filter;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Basic, DimIndex, Exp, Loop, LoopForm, Param, Soacs, SubExp, Type};

/// So many scalars are put where the next element goes whether they are kept or not: that costs less than a
/// branch that is not foreseen.
const PUT_ALWAYS: usize = 3;

impl<R: Goal> Seq<R> {
    pub(super) fn filter(&mut self, pat: Bindings, f: Filter<Soacs>) {
        let Filter { width, arrays, kept, lambda } = f;
        let rows = lambda.ret[kept.len()..].to_vec();
        let mut params = vec![];
        for _ in &kept {
            params.push((self.b.param("k", Type::I64), SubExp::i64(0)));
        }
        for row in &rows {
            let ty = array_of_rows(row, &[width]);
            let elem = row.elem().unwrap_or(fehu_base::prim::PrimType::Unit);
            let scratch =
                self.b.bind("scratch", ty.clone(), Exp::Basic(Basic::Scratch(elem, ty.shape().to_vec())));
            let param = Param { consumed: true, ..self.b.param("out", ty) };
            params.push((param, scratch.into()));
        }
        let i = self.b.fresh("i", Type::I64);
        let body = self.undecorated(|seq| {
            seq.b.begin();
            seq.bind_elements(&lambda.params, &arrays, i.into());
            let results = seq.inline(lambda.body);
            let (conditions, mut values) = results.split_at(kept.len());
            let (counts, mut outs) = params.split_at(kept.len());
            let (mut numbers, mut updated) = (vec![], vec![]);
            for ((keep, (count, _)), n) in conditions.iter().zip(counts).zip(&kept) {
                let (outs, values) = (take(&mut outs, *n), take(&mut values, *n));
                let outs: Vec<Param<R>> = outs.iter().map(|(p, _)| p.clone()).collect();
                let mut next = seq.put_if(*keep, count.name.into(), &outs, values).into_iter();
                numbers.extend(next.next());
                updated.extend(next);
            }
            seq.b.end(numbers.into_iter().chain(updated).collect())
        });
        let (counts, results) = pat.split_at(kept.len());
        let mut bound = counts.to_vec();
        for (param, _) in &params[kept.len()..] {
            bound.push((self.b.fresh("all", param.ty.clone()), param.ty.clone()));
        }
        let all: Vec<_> = bound[kept.len()..].iter().map(|(name, _)| *name).collect();
        let form = LoopForm::For { var: i, ty: IntType::I64, bound: width };
        self.b.bind_names(bound, Exp::Loop(Box::new(Loop { params, form, body })));
        for ((name, ty), all) in results.iter().zip(all) {
            let len = ty.shape()[0];
            let first = DimIndex::Slice { start: SubExp::i64(0), len, stride: SubExp::i64(1) };
            let slice = std::iter::once(first).chain(row(&[], &ty.peel(1))).collect();
            self.b.bind_names(vec![(*name, ty.clone())], Exp::Basic(Basic::Index(all, slice)));
        }
    }

    /// The number of elements kept, and the arrays, after values were put there if a condition holds.
    fn put_if(&mut self, keep: SubExp, at: SubExp, outs: &[Param<R>], values: &[SubExp]) -> Vec<SubExp> {
        let scalars = outs.iter().all(|out| out.ty.shape().len() == 1);
        if self.stores_always && scalars && outs.len() <= PUT_ALWAYS {
            return self.put_always(keep, at, outs, values);
        }
        let (yes, no) = self.undecorated(|seq| {
            seq.b.begin();
            let mut result = vec![];
            for (out, value) in outs.iter().zip(values) {
                let update = Basic::Update(out.name, row(&[at], &out.ty.peel(1)), *value);
                result.push(seq.b.bind("out", out.ty.clone(), Exp::Basic(update)).into());
            }
            result.insert(0, seq.b.add64(at, SubExp::i64(1)));
            let yes = seq.b.end(result);
            seq.b.begin();
            let same = std::iter::once(at).chain(outs.iter().map(|p| p.name.into())).collect();
            (yes, seq.b.end(same))
        });
        let types = std::iter::once(Type::I64).chain(outs.iter().map(|p| p.ty.clone())).collect();
        let names = self.b.bind_all("kept", types, Exp::If(keep, Box::new(yes), Box::new(no)));
        names.into_iter().map(SubExp::Var).collect()
    }
    /// The same without a branch: what is not kept is overwritten by the next element, or left behind the last.
    /// There is room for it, as no more elements have been kept than were seen.
    fn put_always(&mut self, keep: SubExp, at: SubExp, outs: &[Param<R>], values: &[SubExp]) -> Vec<SubExp> {
        let one = self.b.bind("one", Type::I64, Exp::Basic(Basic::Conv(ConvOp::BToI(IntType::I64), keep)));
        let next =
            self.b.bind("k", Type::I64, Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), at, one.into())));
        let mut result = vec![next.into()];
        for (out, value) in outs.iter().zip(values) {
            let update = Basic::Update(out.name, row(&[at], &out.ty.peel(1)), *value);
            result.push(self.b.bind("out", out.ty.clone(), Exp::Basic(update)).into());
        }
        result
    }
}
