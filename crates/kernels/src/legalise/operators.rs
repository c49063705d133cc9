//! Operators that take arrays: which there are, and where their operands come from.
//!
//! A histogram with such an operator is split (flattening leaves no other operation with one): first its body is run at all
//! points, as a map, unless it only reads arrays and can be run again; then each operator has an operation of its own.

use super::{Around, Bindings, Legalise};
use fehu_base::{bug, Name};
use fehu_ir::free::free_in_body;
use fehu_ir::seg::{KernelBody, KernelsOp, SegKind, SegOp};
use fehu_ir::subst::{rename_body, Subst};
use fehu_ir::types::{array_of_rows, body_types};
use fehu_ir::{Body, Exp, Kernels, SubExp};
use std::ops::Range;

/// Where the operands of operators come from.
pub(super) struct Source {
    /// The index space of the operation.
    pub(super) dims: Vec<(Name, SubExp)>,
    values: Values,
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
        let SegOp { level, space, types, body, kind, virtualise, grid, schedule } = seg;
        let SegKind::Hist(ops) = kind else { bug!("flattening left an operator on arrays") };
        let KernelBody { body, returns } = body;
        let dims = space.dims.clone();
        let again = is_cheap(&body) && !free_in_body(&body).contains(&space.flat);
        let source = if again {
            Source { dims, values: Values::Code(body) }
        } else {
            let widths: Vec<SubExp> = dims.iter().map(|d| d.1).collect();
            let all = types.iter().map(|t| array_of_rows(t, &widths));
            let made = self.results("values", all.collect::<Vec<_>>());
            let arrays = made.iter().map(|(n, _)| *n).collect();
            let body = KernelBody { body, returns };
            let map = SegOp { level, space, types, body, kind: SegKind::Map, virtualise, grid, schedule };
            self.b.bind_names(made, Exp::Op(KernelsOp::Seg(map)));
            Source { dims, values: Values::Arrays(arrays) }
        };
        self.hists(around, &source, pat, ops);
        None
    }

    /// The values, of which only a part is wanted, at an index. Appends code to the current body.
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
                for e in body.result[which].iter().copied() {
                    let rank = self.b.type_of(e).rank();
                    let at: Vec<SubExp> = inner.iter().take(rank).copied().collect();
                    found.push(self.part(e, &at));
                }
                found
            }
        }
    }
}

/// Whether all results of a body are written as elements, and code is little more than looking at arrays.
fn is_cheap(body: &Body<Kernels>) -> bool {
    body.stms.iter().all(|stm| stm.exp.cost().is_within(1))
}
