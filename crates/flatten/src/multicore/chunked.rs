//! Reductions whose operators work on arrays.
//!
//! Tasks reduce a chunk each, as sequential code does, and then the host reduces what they give:
//!
//! ```text
//! reduce (map2 (+)) zeros xss
//!
//! parts = segmap(task; c < chunks) { reduce (map2 (+)) zeros xss[c*n/chunks : (c+1)*n/chunks] }
//! reduce (map2 (+)) zeros parts
//! ```

use super::Multi;
use crate::sequential::Bindings;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::tuning::multicore;
use fehu_base::{bug, Name};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::rename_exp;
use fehu_ir::{Basic, DimIndex, Exp, Loc, PatElem, Soacs, Stm, SubExp, Type};

impl Multi {
    /// A reduction without other results.
    pub(super) fn chunked(&mut self, pat: Bindings, exp: Exp<Soacs>) {
        let copy = rename_exp(&mut self.seq.b.names, &exp);
        self.learn(&copy);
        let (Exp::Op(Soac::Screma(s)), Exp::Op(Soac::Screma(last))) = (exp, copy) else {
            bug!("only reductions are done in chunks")
        };
        let workers = self.workers();
        let others = self.seq.b.sub64(workers, SubExp::i64(1));
        let many = self.seq.b.mul64(others, SubExp::i64(multicore::CHUNKS_PER_WORKER));
        let many = self.seq.b.add64(many, SubExp::i64(1));
        let chunks = self.seq.b.bin(BinOp::SMin(IntType::I64), many, s.width);
        let types = s.map.ret.clone();
        let parts: Bindings = types
            .iter()
            .map(|t| t.array_of(&[chunks]))
            .map(|t| (self.seq.b.fresh("parts", t.clone()), t))
            .collect();
        self.tasks(parts.clone(), &[chunks], types.clone(), |m, at| {
            let Screma { width, arrays, scans, reds, map } = s;
            let (start, len) = m.chunk(at[0], chunks, width);
            let arrays = arrays.into_iter().map(|a| m.part(a, start, len)).collect();
            m.sequential(types, Exp::Op(Soac::Screma(Screma { width: len, arrays, scans, reds, map })))
        });
        let map = self.identity(last.map.ret.clone());
        let arrays = parts.iter().map(|(n, _)| *n).collect();
        let combine = Screma { width: chunks, arrays, scans: vec![], reds: last.reds, map };
        let exp = Exp::Op(Soac::Screma(combine));
        self.seq
            .stm(undecorated(pat.into_iter().map(|(name, ty)| PatElem { name, ty, dec: () }).collect(), exp));
    }

    /// Where a chunk begins, and how long it is.
    pub(super) fn chunk(&mut self, i: SubExp, chunks: SubExp, width: SubExp) -> (SubExp, SubExp) {
        let div = BinOp::SQuot(IntType::I64);
        let b = &mut self.seq.b;
        let next = b.add64(i, SubExp::i64(1));
        let ends = [i, next].map(|i| {
            let scaled = b.mul64(i, width);
            b.bin(div, scaled, chunks)
        });
        (ends[0], b.sub64(ends[1], ends[0]))
    }

    /// A part of an array, along its outermost dimension.
    pub(super) fn part(&mut self, array: Name, start: SubExp, len: SubExp) -> Name {
        let elem = self.seq.b.type_of(array.into()).peel(1);
        let mut slice = vec![DimIndex::Slice { start, len, stride: SubExp::i64(1) }];
        slice.extend(crate::sequential::row(&[], &elem));
        self.seq.b.bind("part", elem.array_of(&[len]), Exp::Basic(Basic::Index(array, slice)))
    }

    /// The results of an expression as sequential code.
    pub(super) fn sequential(&mut self, types: Vec<Type>, exp: Exp<Soacs>) -> Vec<SubExp> {
        let pat: Vec<PatElem<Soacs>> = types.into_iter().map(|t| self.soac_binding("r", t)).collect();
        let names = pat.iter().map(|p| p.name.into()).collect();
        self.seq.stm(undecorated(pat, exp));
        names
    }

    /// Registers the types of what a renamed expression binds.
    pub(super) fn learn(&mut self, exp: &Exp<Soacs>) {
        let body = fehu_ir::Body { stms: vec![undecorated(vec![], exp.clone())], result: vec![] };
        self.seq.b.types.extend(fehu_ir::types::body_types(&body));
    }
}

/// A statement that depends on nothing.
fn undecorated(pat: Vec<PatElem<Soacs>>, exp: Exp<Soacs>) -> Stm<Soacs> {
    Stm { pat, certs: vec![], attrs: vec![], loc: Loc::none(), exp }
}
