//! Filters: a scan that numbers what is kept, and a scatter to these numbers.
//!
//! ```text
//! let (m, ys) = filter n [xs] kept 1 map \x -> (p x, x)
//!
//! let (ks) = screma n [xs] scan (+) 0 map \x -> i64.bool (p x)
//! let (m) = if n == 0 then 0 else ks[n-1]
//! let (ys) = scatter n [ks, xs] into [m] (scratch m) map \k x -> (if p x then k-1 else -1, x)
//! ```
//!
//! With one worker, or few elements, it is a loop. A function that costs more than to read its results again
//! gives them to the scatter as arrays.

use super::worth::parallel_inside;
use super::Multi;
use fehu_base::bug;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::{multicore, scan_epilogue};
use fehu_ir::build::plain;
use fehu_ir::cost::scalar_instructions;
use fehu_ir::soac::{Filter, Scan, Scatter, ScatterDest, Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Loc, Param, PatElem, Soacs, Stm, SubExp, Type};

impl Multi {
    /// A loop if there is one worker, or little to do, else two operations.
    pub(super) fn filter(&mut self, stm: Stm<Soacs>) {
        let Exp::Op(Soac::Filter(f)) = &stm.exp else { bug!("a filter was expected") };
        let width = f.width;
        let parallel = parallel_inside(&f.lambda.body);
        self.decorated(stm.clone(), |m, pat, _| {
            let workers = m.workers();
            let mut simple = m.seq.b.cmp(CmpOp::SLe(IntType::I64), workers, SubExp::i64(1));
            if !parallel {
                let few = SubExp::i64(multicore::FILTER_ELEMENTS);
                let few = m.seq.b.cmp(CmpOp::SLt(IntType::I64), width, few);
                simple = m.seq.b.bin(BinOp::LogOr, simple, few);
            }
            let alone = m.version(&stm, |m, stm| m.seq.stm(stm));
            let shared = m.version(&stm, Self::in_two);
            m.seq.b.bind_names(pat, Exp::If(simple, Box::new(alone), Box::new(shared)));
        });
    }

    fn in_two(&mut self, stm: Stm<Soacs>) {
        let Exp::Op(Soac::Filter(f)) = &stm.exp else { bug!("a filter was expected") };
        let make = |pat, exp| Stm {
            pat,
            certs: stm.certs.clone(),
            attrs: stm.attrs.clone(),
            loc: stm.loc.clone(),
            exp,
        };
        let conditions = f.kept.len();
        let (counts, arrays) = stm.pat.split_at(conditions);
        let (numbers, kept) = self.numbering(f, &stm.loc, &make);
        for (count, numbers) in counts.iter().zip(&numbers) {
            self.last(f.width, numbers, count, &make);
        }
        let mut dests = vec![];
        for p in arrays {
            let shape = p.ty.shape().to_vec();
            let scratch = Basic::Scratch(p.ty.elem().unwrap_or(PrimType::Unit), shape.clone());
            let array = self.soac_binding("scratch", p.ty.clone());
            dests.push(ScatterDest { shape: shape[..1].to_vec(), array: array.name });
            self.stm(make(vec![array], Exp::Basic(scratch)));
        }
        if arrays.is_empty() {
            return;
        }
        let Kept { mut arrays_in, mut lambda } = kept;
        let mut places = vec![];
        for (numbers, holds) in numbers.iter().zip(&lambda.body.result) {
            let number = self.soac_param("number", Type::I64);
            let before = Basic::BinOp(BinOp::Sub(IntType::I64), number.name.into(), SubExp::i64(1));
            let less = self.number(before, &stm.loc);
            let yes = Body { result: vec![less.pat[0].name.into()], stms: vec![less] };
            let no = Body { stms: vec![], result: vec![SubExp::i64(-1)] };
            let place = self.seq.b.fresh("place", Type::I64);
            let choice = Exp::If(*holds, Box::new(yes), Box::new(no));
            lambda.body.stms.push(Stm { loc: stm.loc.clone(), ..plain(place, Type::I64, choice) });
            places.push(SubExp::Var(place));
            lambda.params.push(number);
            arrays_in.push(numbers.name);
        }
        let indices: Vec<SubExp> = f.conditions().map(|k| places[k]).collect();
        let values = lambda.body.result.split_off(conditions);
        lambda.body.result = indices.into_iter().chain(values).collect();
        lambda.ret.splice(..conditions, arrays.iter().map(|_| Type::I64));
        let scatter = Scatter { width: f.width, arrays: arrays_in, dests, lambda };
        let arrays = arrays.to_vec();
        self.stm(make(arrays, Exp::Op(Soac::Scatter(scatter))));
    }

    /// The scan: the numbers of each condition, and what is needed to know what is kept.
    fn numbering(
        &mut self,
        f: &Filter<Soacs>,
        loc: &Loc,
        make: &dyn Fn(Vec<PatElem<Soacs>>, Exp<Soacs>) -> Stm<Soacs>,
    ) -> (Vec<PatElem<Soacs>>, Kept) {
        let conditions = f.kept.len();
        let again =
            scalar_instructions(&f.lambda.body).is_some_and(|n| n <= scan_epilogue::REPEATED_INSTRUCTIONS);
        let mut map = rename_lambda(&mut self.seq.b.names, &f.lambda);
        self.seq.learn_types(&map);
        let mut result = vec![];
        for holds in &map.body.result[..conditions] {
            let one = self.number(Basic::Conv(ConvOp::BToI(IntType::I64), *holds), loc);
            result.push(SubExp::Var(one.pat[0].name));
            map.body.stms.push(one);
        }
        let numbers: Vec<PatElem<Soacs>> =
            result.iter().map(|_| self.soac_binding("numbers", Type::I64.array_of(&[f.width]))).collect();
        let (mut pat, mut ret) = (numbers.clone(), vec![Type::I64; conditions]);
        let kept = if again {
            Kept { arrays_in: f.arrays.clone(), lambda: f.lambda.clone() }
        } else {
            // What is an input already need not be kept.
            let (mut arrays_in, mut params) = (vec![], vec![]);
            for (e, ty) in map.body.result.iter().zip(&map.ret) {
                let input = map.params.iter().position(|p| SubExp::Var(p.name) == *e && !p.consumed);
                arrays_in.push(match input {
                    Some(k) => f.arrays[k],
                    None => {
                        let array = self.soac_binding("mapped", array_of_rows(ty, &[f.width]));
                        let name = array.name;
                        pat.push(array);
                        ret.push(ty.clone());
                        result.push(*e);
                        name
                    }
                });
                params.push(self.soac_param("x", ty.clone()));
            }
            let handed = params.iter().map(|p| p.name.into()).collect();
            let body = Body { stms: vec![], result: handed };
            Kept { arrays_in, lambda: Lambda { params, body, ret: map.ret.clone() } }
        };
        (map.body.result, map.ret) = (result, ret);
        let scans = (0..conditions).map(|_| self.adding(loc)).collect();
        let scan = Screma { width: f.width, arrays: f.arrays.clone(), scans, reds: vec![], map };
        self.stm(make(pat, Exp::Op(Soac::Screma(scan))));
        (numbers, kept)
    }

    /// The last of some numbers, or zero if there are none.
    fn last(
        &mut self,
        width: SubExp,
        numbers: &PatElem<Soacs>,
        count: &PatElem<Soacs>,
        make: &dyn Fn(Vec<PatElem<Soacs>>, Exp<Soacs>) -> Stm<Soacs>,
    ) {
        let empty = self.soac_binding("empty", Type::BOOL);
        let is_empty = Basic::CmpOp(CmpOp::Eq(PrimType::I64), width, SubExp::i64(0));
        let (at, last) = (self.seq.b.fresh("at", Type::I64), self.seq.b.fresh("last", Type::I64));
        let before = Basic::BinOp(BinOp::Sub(IntType::I64), width, SubExp::i64(1));
        let read = Basic::Index(numbers.name, vec![DimIndex::Fix(at.into())]);
        let stms = vec![plain(at, Type::I64, Exp::Basic(before)), plain(last, Type::I64, Exp::Basic(read))];
        let no = Body { stms, result: vec![last.into()] };
        let yes = Body { stms: vec![], result: vec![SubExp::i64(0)] };
        let choice = Exp::If(empty.name.into(), Box::new(yes), Box::new(no));
        self.stm(make(vec![empty], Exp::Basic(is_empty)));
        self.stm(make(vec![count.clone()], choice));
    }

    /// A sum of whole numbers.
    fn adding(&mut self, loc: &Loc) -> Scan<Soacs> {
        let params = vec![self.soac_param("x", Type::I64), self.soac_param("y", Type::I64)];
        let add = Basic::BinOp(BinOp::Add(IntType::I64), params[0].name.into(), params[1].name.into());
        let sum = self.number(add, loc);
        let body = Body { result: vec![sum.pat[0].name.into()], stms: vec![sum] };
        Scan { op: Lambda { params, body, ret: vec![Type::I64] }, neutral: vec![SubExp::i64(0)] }
    }

    /// A statement that computes a number.
    fn number(&mut self, exp: Basic, loc: &Loc) -> Stm<Soacs> {
        let name = self.seq.b.fresh("t", Type::I64);
        Stm { loc: loc.clone(), ..plain(name, Type::I64, Exp::Basic(exp)) }
    }

    fn soac_param(&mut self, base: &str, ty: Type) -> Param<Soacs> {
        let name = self.seq.b.fresh(base, ty.clone());
        Param { name, ty, dec: (), consumed: false }
    }
}

/// What the scatter reads besides numbers, and its function as far as that of the filter.
struct Kept {
    arrays_in: Vec<fehu_base::Name>,
    lambda: Lambda<Soacs>,
}
