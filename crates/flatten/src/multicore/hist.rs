//! Histograms: no two tasks ever write to one place.
//!
//! There are three versions, and sizes decide at run time:
//!
//! - with one worker, or few elements, a loop;
//! - with few bins, each worker fills a histogram of its own from a part of the elements, and then
//!   tasks combine those, bin by bin;
//! - else each worker has a part of the bins to itself and goes through all elements, to take those
//!   that belong there. That costs little where it is used: reading the elements in order is much cheaper than
//!   going to a place in a histogram that is too large for the caches. Where computing the elements is expensive,
//!   they are computed before, in parallel, and only once.
//!
//! Histograms of workers are cache lines apart: a line that two of them write goes back and forth between
//! cores all the time.

use super::worth::{heavy, parallel_inside};
use super::Multi;
use crate::sequential::{row, Bindings};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::multicore;
use fehu_base::{bug, Name};
use fehu_ir::soac::{Commutativity, Hist, HistOp, Reduce, Screma, Soac};
use fehu_ir::types::array_of_rows;
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, PatElem, Soacs, Stm, SubExp, Type};

/// What it takes to compute an element.
#[derive(Clone, Copy)]
enum Elements {
    Light,
    Heavy,
    /// It may be worth more than one worker.
    Parallel,
}

impl Multi {
    pub(super) fn hist(&mut self, stm: Stm<Soacs>) {
        let Exp::Op(Soac::Hist(h)) = &stm.exp else { bug!("a histogram was expected") };
        let (width, ops) = (h.width, h.ops.clone());
        let elements = match &h.lambda.body {
            body if parallel_inside(body) => Elements::Parallel,
            body if heavy(body) => Elements::Heavy,
            _ => Elements::Light,
        };
        self.decorated(stm.clone(), |m, pat, _| {
            let workers = m.workers();
            let single = m.seq.b.cmp(CmpOp::SLe(IntType::I64), workers, SubExp::i64(1));
            let simple = match elements {
                Elements::Light => {
                    let few = m.seq.b.cmp(CmpOp::SLt(IntType::I64), width, SubExp::i64(m.few));
                    m.seq.b.bin(BinOp::LogOr, single, few)
                }
                Elements::Heavy | Elements::Parallel => single,
            };
            let alone = m.version(&stm, |m, stm| m.seq.stm(stm));
            let shared = match elements {
                Elements::Light => m.shared(&stm, &ops, workers, |m, stm| {
                    m.decorated(stm, |m, pat, e| m.own_bins(pat, e, workers));
                }),
                Elements::Heavy => m.shared(&stm, &ops, workers, |m, stm| {
                    let hist = m.mapped(stm);
                    m.decorated(hist.clone(), |m, pat, _| {
                        let few = m.seq.b.cmp(CmpOp::SLt(IntType::I64), width, SubExp::i64(m.few));
                        let alone = m.version(&hist, |m, hist| m.seq.stm(hist));
                        let own = m.version(&hist, |m, hist| {
                            m.decorated(hist, |m, pat, e| m.own_bins(pat, e, workers));
                        });
                        m.seq.b.bind_names(pat, Exp::If(few, Box::new(alone), Box::new(own)));
                    });
                }),
                Elements::Parallel => m.version(&stm, |m, stm| {
                    let hist = m.mapped(stm);
                    m.hist(hist);
                }),
            };
            m.seq.b.bind_names(pat, Exp::If(simple, Box::new(alone), Box::new(shared)));
        });
    }

    /// A histogram for each worker if bins are few, else what another function makes.
    fn shared(
        &mut self,
        stm: &Stm<Soacs>,
        ops: &[HistOp<Soacs>],
        workers: SubExp,
        many: impl FnOnce(&mut Multi, Stm<Soacs>),
    ) -> Body<Kernels> {
        let Exp::Op(Soac::Hist(h)) = &stm.exp else { bug!("a histogram was expected") };
        self.nested(|m| {
            let mut bins = SubExp::i64(0);
            for op in ops {
                let more = m.seq.b.product(&op.shape);
                bins = m.seq.b.add64(bins, more);
            }
            let all = m.seq.b.mul64(bins, workers);
            let small = m.seq.b.cmp(CmpOp::SLe(IntType::I64), all, h.width);
            let many = m.version(stm, many);
            let private = m.version(stm, |m, stm| m.decorated(stm, |m, pat, e| m.private(pat, e, workers)));
            let types = stm.pat.iter().map(|p| p.ty.clone()).collect();
            let exp = Exp::If(small, Box::new(private), Box::new(many));
            m.seq.b.bind_all("hist", types, exp).into_iter().map(SubExp::Var).collect()
        })
    }

    /// Computes the elements by a map, and returns the histogram of those.
    fn mapped(&mut self, stm: Stm<Soacs>) -> Stm<Soacs> {
        let Stm { pat, certs, attrs, loc, exp: Exp::Op(Soac::Hist(h)) } = stm else {
            bug!("a histogram was expected")
        };
        let make = |pat, soac| Stm {
            pat,
            certs: certs.clone(),
            attrs: attrs.clone(),
            loc: loc.clone(),
            exp: Exp::Op(soac),
        };
        let Hist { width, arrays, ops, lambda } = h;
        let types = lambda.ret.clone();
        let mapped: Vec<PatElem<Soacs>> =
            types.iter().map(|t| self.soac_binding("mapped", array_of_rows(t, &[width]))).collect();
        let names = mapped.iter().map(|p| p.name).collect();
        let map = Screma { width, arrays, scans: vec![], reds: vec![], map: lambda };
        self.stm(make(mapped, Soac::Screma(map)));
        let lambda = self.identity(types);
        make(pat, Soac::Hist(Hist { width, arrays: names, ops, lambda }))
    }

    /// A histogram for each worker, then all of them combined.
    fn private(&mut self, pat: Bindings, exp: Exp<Soacs>, workers: SubExp) {
        let Exp::Op(Soac::Hist(h)) = exp else { bug!("a histogram was expected") };
        let Hist { width, arrays, ops, lambda } = h;
        let again: Vec<HistOp<Soacs>> = ops.iter().map(|op| self.renamed(op)).collect();
        let ops: Vec<HistOp<Soacs>> = ops.into_iter().map(|op| self.padded(op)).collect();
        let types: Vec<Type> =
            ops.iter().flat_map(|op| op.op.ret.iter().map(|t| array_of_rows(t, &op.shape))).collect();
        let parts: Bindings = types
            .iter()
            .map(|t| t.array_of(&[workers]))
            .map(|t| (self.seq.b.fresh("parts", t.clone()), t))
            .collect();
        self.tasks(parts.clone(), &[workers], types.clone(), |m, at| {
            let (start, len) = m.chunk(at[0], workers, width);
            let arrays = arrays.into_iter().map(|a| m.part(a, start, len)).collect();
            let mut own = vec![];
            for op in ops {
                let fresh = |m: &mut Multi, (e, t): (&SubExp, &Type)| {
                    let ty = array_of_rows(t, &op.shape);
                    m.seq.b.bind("own", ty, Exp::Basic(Basic::Replicate(op.shape.clone(), *e)))
                };
                let dests = op.neutral.iter().zip(&op.op.ret).map(|x| fresh(m, x)).collect();
                own.push(HistOp { dests, ..op });
            }
            m.sequential(types, Exp::Op(Soac::Hist(Hist { width: len, arrays, ops: own, lambda })))
        });
        let mut parts = parts.into_iter().map(|(n, _)| n);
        let mut pat = pat.into_iter();
        for op in again {
            let count = op.dests.len();
            let parts = parts.by_ref().take(count).collect();
            self.combined(pat.by_ref().take(count).collect(), op, parts, workers);
        }
    }

    /// An operation with more bins, which nobody asks for: the next histogram is in other cache lines.
    fn padded(&mut self, mut op: HistOp<Soacs>) -> HistOp<Soacs> {
        let size = |t: &Type| t.elem().map_or(1, |t| t.bytes());
        let least = op.op.ret.iter().map(size).min().unwrap_or(1).max(1);
        let elements = SubExp::i64(multicore::APART_BYTES.div_euclid(least as i64));
        let b = &mut self.seq.b;
        let row = b.product(&op.shape[1..]);
        let row = b.bin(BinOp::SMax(IntType::I64), row, SubExp::i64(1));
        let rows = b.bin(BinOp::SQuot(IntType::I64), elements, row);
        let rows = b.add64(rows, SubExp::i64(1));
        op.shape[0] = b.add64(op.shape[0], rows);
        op
    }

    /// The destinations of an operation combined with what each worker has for them.
    fn combined(&mut self, pat: Bindings, op: HistOp<Soacs>, parts: Vec<Name>, workers: SubExp) {
        let HistOp { shape, dests, op, .. } = op;
        let types = op.ret.clone();
        self.tasks(pat, &shape, types.clone(), |m, at| {
            let mut columns = vec![];
            let mut olds = vec![];
            for ((dest, part), t) in dests.iter().zip(&parts).zip(&types) {
                let old = m.seq.b.bind("old", t.clone(), Exp::Basic(Basic::Index(*dest, row(at, t))));
                olds.push(old.into());
                let all = DimIndex::Slice { start: SubExp::i64(0), len: workers, stride: SubExp::i64(1) };
                let slice = [all].into_iter().chain(row(at, t)).collect();
                columns.push(m.seq.b.bind(
                    "column",
                    t.array_of(&[workers]),
                    Exp::Basic(Basic::Index(*part, slice)),
                ));
            }
            // The loop starts with what is there.
            let red = Reduce { comm: Commutativity::Noncommutative, op, neutral: olds };
            let map = m.identity(types.clone());
            let combine = Screma { width: workers, arrays: columns, scans: vec![], reds: vec![red], map };
            m.sequential(types, Exp::Op(Soac::Screma(combine)))
        });
    }

    /// A part of the bins for each worker.
    fn own_bins(&mut self, pat: Bindings, exp: Exp<Soacs>, workers: SubExp) {
        let Exp::Op(Soac::Hist(h)) = exp else { bug!("a histogram was expected") };
        let Hist { width, arrays, ops, mut lambda } = h;
        // How many bins of the outermost dimension a worker has, of each operation.
        let mut shares = vec![];
        for op in &ops {
            let less = self.seq.b.sub64(workers, SubExp::i64(1));
            let sum = self.seq.b.add64(op.shape[0], less);
            shares.push(self.seq.b.bin(BinOp::SQuot(IntType::I64), sum, workers));
        }
        let mut types = vec![];
        for (op, share) in ops.iter().zip(&shares) {
            let inner: Vec<SubExp> = [*share].iter().chain(&op.shape[1..]).copied().collect();
            types.extend(op.op.ret.iter().map(|t| array_of_rows(t, &inner)));
        }
        let parts: Bindings = types
            .iter()
            .map(|t| t.array_of(&[workers]))
            .map(|t| (self.seq.b.fresh("parts", t.clone()), t))
            .collect();
        let bounds: Vec<SubExp> = ops.iter().flat_map(|op| op.dests.iter().map(|_| op.shape[0])).collect();
        self.tasks(parts.clone(), &[workers], types.clone(), |m, at| {
            let mut own = vec![];
            let mut place = 0;
            for (op, share) in ops.into_iter().zip(shares) {
                let first = m.seq.b.mul64(at[0], share);
                let dests = op.dests.iter().map(|d| m.own_part(*d, first, share)).collect();
                let shifted = m.seq.b.fresh("bin", Type::I64);
                let sub =
                    Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), lambda.body.result[place], first));
                lambda.body.stms.push(Stm {
                    pat: vec![PatElem { name: shifted, ty: Type::I64, dec: () }],
                    certs: vec![],
                    attrs: vec![],
                    loc: m.seq.b.loc.clone(),
                    exp: sub,
                });
                lambda.body.result[place] = shifted.into();
                place += op.shape.len();
                let shape = [share].iter().chain(&op.shape[1..]).copied().collect();
                own.push(HistOp { dests, shape, ..op });
            }
            m.sequential(types, Exp::Op(Soac::Hist(Hist { width, arrays, ops: own, lambda })))
        });
        for (((part, ty), (name, out)), bound) in parts.into_iter().zip(pat).zip(bounds) {
            let inner = ty.peel(2);
            let count = self.seq.b.product(&ty.shape()[..2]);
            let flat = inner.array_of(&[count]);
            let all = self.seq.b.bind(
                "flat",
                flat.clone(),
                Exp::Basic(Basic::Reshape(flat.shape().to_vec(), part)),
            );
            let mut slice =
                vec![DimIndex::Slice { start: SubExp::i64(0), len: bound, stride: SubExp::i64(1) }];
            slice.extend(row(&[], &inner));
            self.seq.b.bind_names(vec![(name, out)], Exp::Basic(Basic::Index(all, slice)));
        }
    }

    /// A copy of a worker's part of a destination; past the end of it, anything.
    fn own_part(&mut self, dest: Name, first: SubExp, share: SubExp) -> Name {
        let ty = self.seq.b.type_of(dest.into());
        let bound = ty.shape()[0];
        let elem = ty.peel(1);
        let b = &mut self.seq.b;
        let start = b.bin(BinOp::SMin(IntType::I64), first, bound);
        let left = b.sub64(bound, start);
        let len = b.bin(BinOp::SMin(IntType::I64), left, share);
        let from = self.part(dest, start, len);
        let own = elem.array_of(&[share]);
        let Some(prim) = own.elem() else { bug!("a histogram of {own:?}") };
        let b = &mut self.seq.b;
        let scratch = b.bind("own", own.clone(), Exp::Basic(Basic::Scratch(prim, own.shape().to_vec())));
        let mut slice = vec![DimIndex::Slice { start: SubExp::i64(0), len, stride: SubExp::i64(1) }];
        slice.extend(row(&[], &elem));
        b.bind("own", own, Exp::Basic(Basic::Update(scratch, slice, from.into())))
    }

    fn renamed(&mut self, op: &HistOp<Soacs>) -> HistOp<Soacs> {
        let copy = fehu_ir::subst::rename_lambda(&mut self.seq.b.names, &op.op);
        self.seq.learn_types(&copy);
        HistOp { op: copy, ..op.clone() }
    }
}
