//! Operators that take arrays: which there are, and where their operands come from.
//!
//! An operation with such an operator is taken apart: first its body is run at all points, as a map,
//! unless it is so cheap that it can be run again; then each operator has an operation of its own.

use super::{is_prim, Around, Bindings, Legalise};
use fehu_base::Name;
use fehu_ir::free::free_in_body;
use fehu_ir::seg::{KernelBody, KernelsOp, SegBinOp, SegKind, SegOp};
use fehu_ir::subst::{rename_body, Subst};
use fehu_ir::types::{array_of_rows, body_types};
use fehu_ir::{Body, Exp, Kernels, SubExp, Type};
use std::ops::Range;

/// Where the operands of operators come from.
pub(super) struct Source {
    /// The index space of the operation.
    pub(super) dims: Vec<(Name, SubExp)>,
    values: Values,
    /// The type of each value at one point.
    pub(super) types: Vec<Type>,
}

enum Values {
    /// They are elements of these arrays.
    Arrays(Vec<Name>),
    /// This code computes them.
    Code(Body<Kernels>),
}

impl Source {
    /// The outer dimensions' sizes.
    pub(super) fn segments(&self) -> Vec<SubExp> {
        let sizes = self.dims.iter().map(|d| d.1);
        sizes.take(self.dims.len().saturating_sub(1)).collect()
    }

    /// The size of the dimension that operators work along.
    pub(super) fn width(&self) -> SubExp {
        self.dims.last().map_or(SubExp::i64(1), |d| d.1)
    }
}

impl Legalise {
    /// Replaces an operation with operators on arrays; gives back any other.
    pub(super) fn operators(
        &mut self,
        around: Around,
        pat: Bindings,
        seg: SegOp<Kernels>,
    ) -> Option<(Bindings, SegOp<Kernels>)> {
        if !seg.has_operator_on_arrays() {
            return Some((pat, seg));
        }
        let combined = seg.combined();
        let SegOp { level, space, types, body, kind, virtualise, grid, schedule } = seg;
        let KernelBody { body, returns } = body;
        let dims = space.dims.clone();
        let (combined_pat, kept_pat) = match &kind {
            SegKind::Hist(_) => (pat, vec![]),
            SegKind::Map | SegKind::Red(_) | SegKind::Scan(..) => {
                let mut pat = pat;
                let kept = pat.split_off(combined);
                (pat, kept)
            }
        };
        let again =
            returns.len() == combined && is_cheap(&body) && !free_in_body(&body).contains(&space.flat);
        let source = if again {
            Source { dims, values: Values::Code(body), types }
        } else {
            let widths: Vec<SubExp> = dims.iter().map(|d| d.1).collect();
            let all = types[..combined].iter().map(|t| array_of_rows(t, &widths));
            let made = self.results("values", all.collect::<Vec<_>>());
            let arrays = made.iter().map(|(n, _)| *n).collect();
            let pat = made.into_iter().chain(kept_pat).collect();
            let source_types = types[..combined].to_vec();
            let body = KernelBody { body, returns };
            let map = SegOp { level, space, types, body, kind: SegKind::Map, virtualise, grid, schedule };
            self.b.bind_names(pat, Exp::Op(KernelsOp::Seg(map)));
            Source { dims, values: Values::Arrays(arrays), types: source_types }
        };
        match kind {
            SegKind::Map => {}
            SegKind::Red(ops) => self.each(around, &source, combined_pat, ops, Along::Reduce),
            SegKind::Scan(ops, _) => self.each(around, &source, combined_pat, ops, Along::Scan),
            SegKind::Hist(ops) => self.hists(around, &source, combined_pat, ops),
        }
        None
    }

    fn each(
        &mut self,
        around: Around,
        source: &Source,
        mut pat: Bindings,
        ops: Vec<SegBinOp<Kernels>>,
        along: Along,
    ) {
        let mut first = 0;
        for op in ops {
            let which = first..first + op.neutral.len();
            first = which.end;
            let rest = pat.split_off(op.neutral.len());
            let results = std::mem::replace(&mut pat, rest);
            let one_neutral = op.neutral.iter().all(|e| is_prim(&self.b.type_of(*e)));
            if op.op.ret.iter().all(is_prim) && one_neutral {
                self.vector(around, source, which, results, op, along);
            } else {
                let op = self.on_whole_arrays(op);
                match along {
                    Along::Reduce => self.chunked_reduction(source, which, results, &op),
                    Along::Scan => self.chunked_scan(source, which, results, &op),
                }
            }
        }
    }

    /// The values, of which only a part is wanted, at an index. Appends code to the body at hand.
    pub(super) fn values(
        &mut self,
        source: &Source,
        which: Range<usize>,
        index: &[SubExp],
        inner: &[SubExp],
    ) -> Vec<SubExp> {
        match &source.values {
            Values::Arrays(arrays) => {
                let arrays = arrays[which].to_vec();
                let mut found = vec![];
                for a in arrays {
                    let rank = self.b.type_of(a.into()).rank().saturating_sub(index.len());
                    let at: Vec<SubExp> = index.iter().chain(inner.iter().take(rank)).copied().collect();
                    found.push(self.part(a.into(), &at));
                }
                found
            }
            Values::Code(body) => {
                let mut body = rename_body(&mut self.b.names, body);
                let pairs = source.dims.iter().zip(index).map(|(d, i)| (d.0, *i));
                pairs.collect::<Subst>().body(&mut body);
                self.b.types.extend(body_types(&body));
                for stm in body.stms {
                    self.b.push(stm);
                }
                let mut found = vec![];
                for e in body.result[which].to_vec() {
                    let rank = self.b.type_of(e).rank();
                    let at: Vec<SubExp> = inner.iter().take(rank).copied().collect();
                    found.push(self.part(e, &at));
                }
                found
            }
        }
    }
}

/// What an operation does along its innermost dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    Reduce,
    Scan,
}

/// Whether all results of a body are written as elements, and code is little more than looking at arrays.
fn is_cheap(body: &Body<Kernels>) -> bool {
    body.stms.iter().all(|stm| stm.exp.cost().is_within(1))
}
