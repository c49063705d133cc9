//! Loops over a range of the points of a space.
//!
//! A range is part of the flat numbering of the points. Its loops are nested as the space is, so that no
//! index is computed by division at each point; statements that do not depend on
//! inner indices stay outside of inner loops. With a space of `n` times `m`:
//!
//! ```text
//! for r < (end-1)/m - start/m + 1 {
//!   i = start/m + r
//!   for k < min(end - i*m, m) - max(start - i*m, 0) { j = max(start - i*m, 0) + k; ... }
//! }
//! ```
//!
//! Blocks of one size that no point hands on are allocated once for the range.

use crate::translate::kernel::point;
use crate::translate::state::TaskCode;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, Order};
use fehu_ir::free::free_in_stm;
use fehu_ir::mem::MemOp;
use fehu_ir::seg::{SegKind, SegOp, SegSpace};
use fehu_ir::visit::{deep, for_each_body, for_each_operand};
use fehu_ir::{Basic, Body, Exp, Memory, Space, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops over the points from one flat number to another, which is larger. At each point there is code for an operation
/// whose body is what is left to do there.
pub(crate) fn range(
    t: &mut TaskCode,
    seg: &SegOp<Memory>,
    start: Expr,
    end: Expr,
    at_point: impl FnOnce(&mut TaskCode, &SegOp<Memory>),
) {
    let Parts { shared, mut levels } = parts(&seg.body.body, &seg.space);
    for stm in &shared {
        t.stm(stm);
    }
    let mut rest = seg.clone();
    rest.body.body.stms = levels.pop().unwrap_or_default();
    level(t, seg, &levels, 0, [start, end, i64(0)], |t| at_point(t, &rest));
}

/// The loop over a dimension, and those inside. Flat numbers are relative to `base`.
fn level(
    t: &mut TaskCode,
    seg: &SegOp<Memory>,
    levels: &[Vec<Stm<Memory>>],
    at: usize,
    [start, end, base]: [Expr; 3],
    at_point: impl FnOnce(&mut TaskCode),
) {
    let space = &seg.space;
    let Some((index, _)) = space.dims.get(at).copied() else { bug!("a space without dimensions") };
    let inner: Vec<SubExp> = space.dims[at + 1..].iter().map(|d| d.1).collect();
    if inner.is_empty() {
        let order = match &seg.kind {
            SegKind::Red(_) => Order::Reduction,
            SegKind::Map | SegKind::Scan(..) | SegKind::Hist(_) => Order::Sequential,
        };
        return t.counting_up_to("k", sub(end, start.clone()), order, |t, k| {
            t.emit(Code::DeclareScalar(index, PrimType::I64));
            t.set_to(index, add(start, k));
            t.emit(Code::DeclareScalar(space.flat, PrimType::I64));
            t.set_to(space.flat, add(base, var(index)));
            at_point(t);
        });
    }
    let size = point::points(t, &inner);
    let start = t.let_i64("start", start);
    let end = t.let_i64("end", end);
    let first = t.let_i64("first", quot(start.clone(), size.clone()));
    let rows = sub(quot(sub(end.clone(), i64(1)), size.clone()), first.clone());
    t.for_up_to("r", add(rows, i64(1)), |t, r| {
        t.emit(Code::DeclareScalar(index, PrimType::I64));
        t.set_to(index, add(first, r));
        let row = t.let_i64("row", mul(var(index), size.clone()));
        let from = t.let_i64("from", max(sub(start, row.clone()), i64(0)));
        let to = t.let_i64("to", min(sub(end, row.clone()), size));
        levels.get(at).into_iter().flatten().for_each(|stm| t.stm(stm));
        let base = t.let_i64("base", add(base, row));
        deep(|| level_boxed(t, seg, levels, at + 1, [from, to, base], Box::new(at_point)));
    });
}

/// As `level`; the box ends the recursion of types.
fn level_boxed<'f>(
    t: &mut TaskCode,
    seg: &SegOp<Memory>,
    levels: &[Vec<Stm<Memory>>],
    at: usize,
    bounds: [Expr; 3],
    at_point: Box<dyn FnOnce(&mut TaskCode) + 'f>,
) {
    level(t, seg, levels, at, bounds, at_point);
}

/// The statements of a body by where they are done.
struct Parts {
    /// Once for the range.
    shared: Vec<Stm<Memory>>,
    /// In the loop over each dimension; what is last is done at each point.
    levels: Vec<Vec<Stm<Memory>>>,
}

fn parts(body: &Body<Memory>, space: &SegSpace) -> Parts {
    let dims = space.dims.len().max(1);
    let passed = passed(body);
    // Inside of how many loops a name is known.
    let mut depths: FxHashMap<Name, usize> = FxHashMap::default();
    depths.insert(space.flat, dims);
    depths.extend(space.dims.iter().enumerate().map(|(k, d)| (d.0, k + 1)));
    let mut parts = Parts { shared: vec![], levels: vec![vec![]; dims] };
    for stm in &body.stms {
        let needs = free_in_stm(stm).into_iter().filter_map(|n| depths.get(&n).copied()).max().unwrap_or(0);
        let depth = match place(stm, &passed) {
            Where::Anywhere => needs,
            Where::InLoops => needs.max(1),
            Where::AtPoints => dims,
        };
        depths.extend(stm.pat.iter().map(|p| (p.name, depth)));
        match depth {
            0 => parts.shared.push(stm.clone()),
            depth => parts.levels[depth - 1].push(stm.clone()),
        }
    }
    parts
}

/// Where a statement may be done.
enum Where {
    /// Even if there is no point at all.
    Anywhere,
    /// If there is a point whose result it is.
    InLoops,
    AtPoints,
}

fn place(stm: &Stm<Memory>, passed: &FxHashSet<Name>) -> Where {
    let scalar = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    match &stm.exp {
        Exp::Op(MemOp::Alloc(_, Space::Default))
            if stm.certs.is_empty() && stm.pat.iter().all(|p| !passed.contains(&p.name)) =>
        {
            Where::Anywhere
        }
        Exp::Basic(Basic::BinOp(op, ..)) if !op.is_partial() && stm.certs.is_empty() => Where::Anywhere,
        // Sizes of blocks may depend on whether anything is done with them.
        Exp::Basic(Basic::CmpOp(..) | Basic::Conv(..)) if stm.certs.is_empty() => Where::Anywhere,
        Exp::Basic(
            Basic::BinOp(..) | Basic::UnOp(..) | Basic::CmpOp(..) | Basic::Conv(..) | Basic::Assert(..),
        ) => Where::InLoops,
        Exp::Basic(Basic::Index(..) | Basic::SubExp(_)) if scalar => Where::InLoops,
        // Views: nothing is done.
        Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..) | Basic::Rearrange(..)) => Where::InLoops,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            Where::AtPoints
        }
    }
}

/// The names that are operands anywhere in a body: blocks among them may be handed on.
fn passed(body: &Body<Memory>) -> FxHashSet<Name> {
    fn walk(body: &Body<Memory>, names: &mut FxHashSet<Name>) {
        names.extend(body.result.iter().filter_map(|e| e.name()));
        for stm in &body.stms {
            for_each_operand(&stm.exp, &mut |e| names.extend(e.name()));
            for_each_body(&stm.exp, &mut |b| deep(|| walk(b, names)));
        }
    }
    let mut names = FxHashSet::default();
    walk(body, &mut names);
    names
}
