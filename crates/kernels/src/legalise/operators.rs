//! Operators that take arrays: which there are, and where their operands come from.
//!
//! A histogram with such an operator is split (flattening leaves no other operation with one): first its body
//! is run at all points, as a map, unless it only reads arrays and can be run again; then each operator has
//! an operation of its own. The map keeps only what takes more than a few instructions, each value once:
//!
//! ```text
//! seghist (i < n) op ... {                       let (values : [n]i64) = segmap (i < n) { let b = loop ...; return (b) }
//!   let b = loop ... xss[i] ...                  seghist (i < n) op ... { return (values[i], 1) }
//!   return (b, b, 1, xss[i])                     seghist (i < n) op ... { return (values[i], xss[i]) }
//! ```

use super::{Around, Bindings, Legalise};
use fehu_base::{bug, Name};
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegOp};
use fehu_ir::subst::{rename_body, Subst};
use fehu_ir::types::{array_of_rows, body_types};
use fehu_ir::{Basic, Body, Exp, Kernels, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Range;

/// The most statements of an operand that is computed again for each operator, and for each element of a row,
/// rather than kept in an array.
const MAX_REPEATED: usize = 4;

/// Where the operands of operators come from.
pub(super) struct Source {
    /// The index space of the operation.
    pub(super) dims: Vec<(Name, SubExp)>,
    /// Computes the operands.
    code: Body<Kernels>,
    /// For each operand the array that it is kept in, if it is.
    kept: Vec<Option<Name>>,
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
        let SegKind::Hist(ops) = seg.kind.clone() else { bug!("flattening left an operator on arrays") };
        let body = &seg.body.body;
        let again = is_cheap(body) && !free_in_body(body).contains(&seg.space.flat);
        let source = match again {
            true => Source {
                dims: seg.space.dims.clone(),
                code: body.clone(),
                kept: vec![None; body.result.len()],
            },
            false => self.kept_source(seg),
        };
        self.hists(around, &source, pat, ops);
        None
    }

    /// Runs the body of an operation as a map, which keeps what is not computed again.
    fn kept_source(&mut self, seg: SegOp<Kernels>) -> Source {
        let SegOp { level, space, types, body, kind: _, virtualise, grid, schedule } = seg;
        let mut body = body.body;
        let dims = space.dims.clone();
        let mut repeated = repeated(&body, space.flat);
        if repeated.iter().all(Option::is_some) {
            // The map is still needed for its checks.
            repeated.iter_mut().for_each(|r| *r = None);
        }
        let widths: Vec<SubExp> = dims.iter().map(|d| d.1).collect();
        let (mut made, mut kept, mut kept_types): (Bindings, Vec<SubExp>, Vec<_>) = (vec![], vec![], vec![]);
        let mut arrays = vec![];
        for ((e, ty), again) in body.result.iter().zip(&types).zip(&repeated) {
            if again.is_some() {
                arrays.push(None);
                continue;
            }
            let known = kept.iter().position(|k| k == e);
            let at = known.unwrap_or_else(|| {
                made.extend(self.results("values", [array_of_rows(ty, &widths)]));
                kept.push(*e);
                kept_types.push(ty.clone());
                kept.len() - 1
            });
            arrays.push(Some(made[at].0));
        }
        let again: BTreeSet<usize> = repeated.into_iter().flatten().flatten().collect();
        let stms = again.into_iter().map(|k| body.stms[k].clone()).collect();
        let result = std::mem::replace(&mut body.result, kept);
        let returns = vec![KernelReturn::Elem; body.result.len()];
        let body = KernelBody { body, returns };
        let (types, kind) = (kept_types, SegKind::Map);
        let map = SegOp { level, space, types, body, kind, virtualise, grid, schedule };
        self.b.bind_names(made, Exp::Op(KernelsOp::Seg(map)));
        Source { dims, code: Body { stms, result }, kept: arrays }
    }

    /// The values, of which only a part is wanted, at an index. Appends code to the current body.
    pub(super) fn values(
        &mut self,
        source: &Source,
        which: Range<usize>,
        index: &[SubExp],
        inner: &[SubExp],
    ) -> Vec<SubExp> {
        let kept = &source.kept[which.clone()];
        let mut body = rename_body(&mut self.b.names, &code_for(source, which));
        let pairs = source.dims.iter().zip(index).map(|(d, i)| (d.0, *i));
        pairs.collect::<Subst>().body(&mut body);
        self.b.types.extend(body_types(&body));
        for stm in body.stms {
            self.b.push(stm);
        }
        let mut found = vec![];
        for (e, array) in body.result.into_iter().zip(kept) {
            let (from, outer) = match array {
                Some(array) => (SubExp::Var(*array), index),
                None => (e, &[][..]),
            };
            let rank = self.b.type_of(from).rank().saturating_sub(outer.len());
            let at: Vec<SubExp> = outer.iter().chain(inner.iter().take(rank)).copied().collect();
            found.push(self.part(from, &at));
        }
        found
    }
}

/// The code of some operands; all its checks.
fn code_for(source: &Source, which: Range<usize>) -> Body<Kernels> {
    let result = source.code.result[which.clone()].to_vec();
    let computed = result.iter().zip(&source.kept[which]).filter(|(_, array)| array.is_none());
    let mut needed: FxHashSet<Name> = computed.filter_map(|(e, _)| e.name()).collect();
    let mut stms: Vec<Stm<Kernels>> = vec![];
    for stm in source.code.stms.iter().rev() {
        let check = matches!(stm.exp, Exp::Basic(Basic::Assert(..)));
        if check || stm.pat.iter().any(|p| needed.contains(&p.name)) {
            needed.extend(free_in_stm(stm));
            stms.push(stm.clone());
        }
    }
    stms.reverse();
    Body { stms, result }
}

/// For each result of a body, the statements that compute it again, if these are few and cannot fail.
fn repeated(body: &Body<Kernels>, flat: Name) -> Vec<Option<BTreeSet<usize>>> {
    let mut bound: FxHashMap<Name, usize> = FxHashMap::default();
    for (k, stm) in body.stms.iter().enumerate() {
        bound.extend(stm.pat.iter().map(|p| (p.name, k)));
    }
    let of = |e: &SubExp| {
        let mut found = BTreeSet::new();
        let mut next: Vec<Name> = e.name().into_iter().collect();
        while let Some(n) = next.pop() {
            if n == flat {
                return None;
            }
            let Some(k) = bound.get(&n) else { continue };
            if found.insert(*k) {
                let stm = &body.stms[*k];
                if found.len() > MAX_REPEATED || !is_repeatable(stm) {
                    return None;
                }
                next.extend(free_in_stm(stm));
            }
        }
        Some(found)
    };
    body.result.iter().map(of).collect()
}

/// Whether a statement is one instruction that cannot fail, or reads an array, or is a view of one.
fn is_repeatable(stm: &Stm<Kernels>) -> bool {
    match &stm.exp {
        Exp::Basic(
            b @ (Basic::SubExp(_) | Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..)),
        ) => b.is_total(),
        Exp::Basic(Basic::Index(..)) => true,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}

/// Whether all results of a body are written as elements, and code is little more than looking at arrays.
fn is_cheap(body: &Body<Kernels>) -> bool {
    body.stms.iter().all(|stm| stm.exp.cost().is_within(1))
}
