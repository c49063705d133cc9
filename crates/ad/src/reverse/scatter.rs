//! Scatters and filters, of arrays as they are.
//!
//! ```text
//! ys = scatter d is vs       last = scatter -1 is (iota n)      the write that lasts, of several at a place
//!                            vs'[i] += ys'[is[i]] if last[is[i]] = i        d' += scatter ys' is 0
//! ys = filter p xs           at = filter p (iota n)             kept by the forward sweep, beside the values
//!                            xs' += scatter 0 at ys'
//! ```
//!
//! What is written out of bounds gets nothing.

use super::nest::array;
use super::Reverse;
use fehu_base::Name;
use fehu_ir::soac::{Filter, Scatter, ScatterDest, Soac};
use fehu_ir::{Exp, Soacs, Stm, SubExp, Type};

impl Reverse<'_> {
    pub(super) fn scatter(&mut self, s: Scatter<Soacs>, seeds: &[Option<SubExp>]) {
        let ([dest], [Some(seed)]) = (s.dests.as_slice(), seeds) else {
            fehu_base::bug!("a scatter of several tasks")
        };
        let rank = dest.shape.len();
        let (is, values) = (s.arrays[..rank].to_vec(), s.arrays[rank]);
        let seed = array(*seed);
        if self.has_adjoint(values) {
            let numbers = self.numbers(s.width);
            let none = self.replicated(&dest.shape, SubExp::i64(-1));
            let last = self.scattered(s.width, &dest.shape, &is, none, numbers);
            let inputs: Vec<Name> = is.iter().copied().chain([numbers]).collect();
            let shape = dest.shape.clone();
            let parts = self.map_rows(s.width, &inputs, &mut |r, xs| {
                let (index, i) = xs.split_at(rank);
                vec![r.if_first(seed, last, index, i[0], &shape)]
            });
            self.add(values.into(), parts[0].into());
        }
        if self.has_adjoint(dest.array) {
            let row = self.b.type_of(values.into()).peel(1);
            let zero = self.zero(&row);
            let zeros = self.replicated(&[s.width], zero);
            let rest = self.scattered(s.width, &dest.shape, &is, seed, zeros);
            self.add(dest.array.into(), rest.into());
        }
    }

    /// An array with values at indices.
    fn scattered(&mut self, n: SubExp, shape: &[SubExp], is: &[Name], dest: Name, values: Name) -> Name {
        let ty = self.b.type_of(dest.into());
        let mut types = vec![Type::I64; is.len()];
        types.push(self.b.type_of(values.into()).peel(1));
        let lambda = self.identity(&types);
        let dests = vec![ScatterDest { shape: shape.to_vec(), array: dest }];
        let arrays = is.iter().copied().chain([values]).collect();
        self.b.bind("put", ty, Exp::Op(Soac::Scatter(Scatter { width: n, arrays, dests, lambda })))
    }

    /// A filter, with the positions of what each condition keeps if any of that is active.
    pub(super) fn forward_filter(&mut self, stm: &Stm<Soacs>, f: &Filter<Soacs>) -> Vec<Option<Name>> {
        let conditions = f.kept.len();
        let (counts, values) = stm.pat.split_at(conditions);
        let numbers = self.numbers(f.width);
        let number = self.b.param("i", Type::I64);
        let place = SubExp::Var(number.name);
        let mut lambda = f.lambda.clone();
        let (mut results, mut types) =
            (lambda.body.result[..conditions].to_vec(), lambda.ret[..conditions].to_vec());
        let mut pat = counts.to_vec();
        let (mut kept, mut positions, mut at) = (vec![], vec![], 0);
        for (count, n) in counts.iter().zip(&f.kept) {
            let own = at..at + n;
            pat.extend_from_slice(&values[own.clone()]);
            results.extend_from_slice(&lambda.body.result[conditions..][own.clone()]);
            types.extend_from_slice(&lambda.ret[conditions..][own.clone()]);
            let is_active = values[own].iter().any(|p| self.has_adjoint(p.name));
            positions.push(is_active.then(|| {
                let ty = Type::I64.array_of(&[count.name.into()]);
                let name = self.b.fresh("at", ty.clone());
                pat.push(fehu_ir::PatElem { name, ty, dec: () });
                results.push(place);
                types.push(Type::I64);
                name
            }));
            kept.push(n + usize::from(is_active));
            at += n;
        }
        lambda.params.push(number);
        lambda.body.result = results;
        lambda.ret = types;
        let arrays = f.arrays.iter().copied().chain([numbers]).collect();
        let filter = Filter { width: f.width, arrays, kept, lambda };
        self.primal(Stm { pat, exp: Exp::Op(Soac::Filter(filter)), ..stm.clone() });
        positions
    }

    pub(super) fn filter(&mut self, f: Filter<Soacs>, at: &[Option<Name>], seeds: &[Option<SubExp>]) {
        let conditions = f.kept.len();
        let of: Vec<usize> = f.conditions().collect();
        for ((a, c), seed) in f.arrays[conditions..].iter().zip(of).zip(&seeds[conditions..]) {
            let (Some(seed), Some(at), true) = (seed, at[c], self.has_adjoint(*a)) else { continue };
            let ty = self.b.type_of((*a).into());
            let none = array(self.zero(&ty));
            let seed = array(*seed);
            let count = self.b.type_of(seed.into()).shape()[0];
            let shape = [ty.shape()[0]];
            let at = self.b.type_of(at.into()).shape().first().map_or(at, |_| at);
            let part = self.scattered(count, &shape, &[at], none, seed);
            self.add((*a).into(), part.into());
        }
    }
}
