//! Reductions of columns: threads along the columns, not down them.
//!
//! A segmented reduction has neighbouring threads at neighbouring elements of a segment. Where segments are
//! columns of matrices that are in memory by rows, neighbouring *segments* are neighbours in memory. Then
//! each thread reduces a part of a column in a loop, with other columns beside it, and no array has to be
//! laid out anew:
//!
//! ```text
//! segred (j < m, i < n) { a[i, j] } (+)      ->     parts = segmap (c < count, j < m) { loop (s = 0) for k < size { s + a[c*size + k, j] } }
//!                                                   if count == 1 then parts[0]
//!                                                   else segred (j < m, c < count + left) { if c < count then parts[c, j] else a[c*size + c - count, j] } (+)
//! ```
//!
//! The parts of a column are as many as it takes to give all threads of the device something to do. All have
//! the same size, which the host knows, and `left` elements are left over for the end.
//!
//! Points whose loops are of one length down a column, but not along a row, are left to threads down the
//! column, which have the same to do.
//!
//! Where other operands are rows, `a[i, j] * b[j, i]`, neighbouring threads walk along rows of their own,
//! which warps read together through shared memory (`impopt/walks/together`). That is so only where each
//! element is read by one thread: rows that several threads share are in the cache, whoever reads them.
//!
//! Where one of the operands is the same for all columns and the other for all rows of results, as in `a^T
//! b`, the map of parts has the shape of a batch of matrix products, whose blocks share what they read
//! (`schedule/tile`): then few columns are enough.

use super::access;
use super::choose::{self, Along};
use super::{Layout, Warps};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::columns;
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegBinOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::subst::{rename_body, rename_lambda, Subst};
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{
    Basic, Body, DimIndex, Exp, Kernels, Lambda, Loop, LoopForm, Param, PatElem, Stm, SubExp, Type,
};
use rustc_hash::FxHashSet;

impl Layout {
    /// Whether a reduction reads in order along segments, and in leaps along what it reduces.
    pub(super) fn is_of_columns(&self, seg: &SegOp<Kernels>) -> bool {
        let SegKind::Red(_) = &seg.kind else { return false };
        let scalars =
            seg.types.iter().all(|t| matches!(t, Type::Prim(_))) && seg.combined() == seg.types.len();
        let rank = seg.space.dims.len();
        if seg.level != SegLevel::Thread
            || !scalars
            || rank < 2
            || free_in_body(&seg.body.body).contains(&seg.space.flat)
            || has_loops_of_columns(seg)
        {
            return false;
        }
        let leaps = |along: usize| -> usize {
            let uses = access::of_kernel(seg, along, &|a| self.arrays.contains_key(&a));
            let of = |u: &access::Use| {
                self.arrays.get(&u.array).map_or(0, |a| choose::leaps(u, &a.order, a.dense))
            };
            uses.iter().map(of).sum()
        };
        let down = leaps(rank - 1);
        down > 0 && (leaps(rank - 2) < down || leaps(rank - 2) == down && self.is_of_columns_and_rows(seg))
    }

    /// Whether a reduction along one dimension reads elements of columns and elements of rows, each once, and
    /// nothing else but what is the same for all.
    fn is_of_columns_and_rows(&self, seg: &SegOp<Kernels>) -> bool {
        let plain = seg.body.body.stms.iter().all(|stm| matches!(stm.exp, Exp::Basic(_)));
        if self.warps == Warps::Unknown || seg.space.dims.len() != 2 || !plain {
            return false;
        }
        let [across, down] = [0, 1].map(|along| {
            let uses = access::of_kernel(seg, along, &|a| self.arrays.contains_key(&a));
            uses.into_iter().flat_map(|u| u.accesses.into_iter().map(move |a| (u.array, choose::step(&a))))
        });
        let mut rows = 0;
        let once = across.zip(down).all(|((array, across), (_, down))| {
            let Some(array) = self.arrays.get(&array).filter(|a| a.dense) else { return false };
            let in_order = array.order.last().copied();
            match (across, down) {
                (Along::Nothing, Along::Nothing) => true,
                (Along::Dim(c), Along::Dim(r)) if c != r => {
                    let row =
                        Some(r) == in_order && array.ty.elem().is_some_and(|e| matches!(e.bytes(), 4 | 8));
                    rows += usize::from(row);
                    row || Some(c) == in_order
                }
                (Along::Nothing | Along::Dim(_) | Along::Several, _) => false,
            }
        });
        once && rows > 0
    }

    /// A reduction of columns in either way, whichever the sizes ask for, or as it was where they are numbers that
    /// ask for that. `otherwise` is the reduction as it was, after what it needs.
    pub(super) fn by_columns(
        &mut self,
        pat: &[PatElem<Kernels>],
        seg: &SegOp<Kernels>,
        mut otherwise: Body<Kernels>,
        out: &mut Vec<Stm<Kernels>>,
    ) -> Exp<Kernels> {
        let mut b: Builder<Kernels> = Builder::new(std::mem::replace(&mut self.names, NameSource::new()));
        b.begin();
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let (n, columns) = (sizes[sizes.len() - 1], sizes[sizes.len() - 2]);
        let segments = b.product(&sizes[..sizes.len() - 1]);
        let le = CmpOp::SLe(IntType::I64);
        let elements = b.mul64(segments, n);
        let least = match (is_product(seg), self.is_of_columns_and_rows(seg)) {
            (true, _) => vec![(columns::ELEMENTS, elements), (columns::COLUMNS_OF_PRODUCT, columns)],
            (false, false) => vec![(columns::ELEMENTS, elements), (columns::COLUMNS, columns)],
            (false, true) => vec![
                (columns::ELEMENTS_BESIDE_ROWS, elements),
                (columns::COLUMNS_BESIDE_ROWS, columns),
                (columns::ELEMENTS_OF_COLUMN_BESIDE_ROWS, n),
            ],
        };
        let mut enough = vec![];
        for (least, size) in least {
            enough.push(b.cmp(le, SubExp::i64(least), size));
        }
        let worth = enough.into_iter().reduce(|all, enough| b.bin(BinOp::LogAnd, all, enough));
        let worth = worth.unwrap_or(SubExp::bool(true));
        if worth == SubExp::bool(false) {
            self.names = b.names;
            let reduction = otherwise.stms.pop().map(|stm| stm.exp);
            out.extend(otherwise.stms);
            return reduction.unwrap_or_else(|| Exp::Op(KernelsOp::Seg(seg.clone())));
        }
        b.begin();
        let results = parts_then_whole(&mut b, pat, seg, segments);
        let yes = b.end(results);
        out.extend(b.end(vec![]).stms);
        self.names = b.names;
        Exp::If(worth, Box::new(yes), Box::new(otherwise))
    }
}

/// Whether points have loops that are of one length down a column, but not along a row: neighbouring threads
/// would wait for each other.
fn has_loops_of_columns(seg: &SegOp<Kernels>) -> bool {
    let dims = &seg.space.dims;
    let [.., (column, _), (row, _)] = dims.as_slice() else { return false };
    let mut lengths = Lengths {
        by_column: FxHashSet::from_iter([*column]),
        by_row: FxHashSet::from_iter([*row]),
        found: false,
    };
    lengths.body(&seg.body.body);
    lengths.found
}

/// What depends on where a point is.
struct Lengths {
    by_column: FxHashSet<Name>,
    by_row: FxHashSet<Name>,
    found: bool,
}

impl Lengths {
    fn body(&mut self, body: &Body<Kernels>) {
        for stm in &body.stms {
            let mut bound: Vec<Name> = stm.pat.iter().map(|p| p.name).collect();
            if let Exp::Loop(l) = &stm.exp {
                bound.extend(l.params.iter().map(|(p, _)| p.name));
                if let LoopForm::For { bound, .. } = &l.form {
                    let on = |names: &FxHashSet<Name>| bound.name().is_some_and(|n| names.contains(&n));
                    self.found |= on(&self.by_column) && !on(&self.by_row);
                }
            }
            let free = free_in_stm(stm);
            for names in [&mut self.by_column, &mut self.by_row] {
                if free.iter().any(|n| names.contains(n)) {
                    names.extend(bound.iter().copied());
                }
            }
            for_each_body(&stm.exp, &mut |inner| deep(|| self.body(inner)));
        }
    }
}

/// Reduces parts of columns, and then those.
fn parts_then_whole(
    b: &mut Builder<Kernels>,
    pat: &[PatElem<Kernels>],
    seg: &SegOp<Kernels>,
    segments: SubExp,
) -> Vec<SubExp> {
    let SegKind::Red(ops) = &seg.kind else { return vec![] };
    let dims = &seg.space.dims;
    let n = dims[dims.len() - 1].1;
    let [quot, least, most] =
        [BinOp::SQuot(IntType::I64), BinOp::SMax(IntType::I64), BinOp::SMin(IntType::I64)];
    let some = b.bin(least, segments, SubExp::i64(1));
    let wanted = b.bin(quot, SubExp::i64(columns::THREADS), some);
    let sensible = b.bin(quot, n, SubExp::i64(columns::PART_ELEMENTS));
    let count = b.bin(most, wanted, sensible);
    let count = b.bin(least, count, SubExp::i64(1));
    let size = b.bin(quot, n, count);
    let in_parts = b.mul64(count, size);

    // The parts.
    let fresh = |b: &mut Builder<Kernels>, base: &str| b.fresh(base, Type::I64);
    let outer: Vec<(Name, SubExp)> = dims[..dims.len() - 2].to_vec();
    let (column, columns) = dims[dims.len() - 2];
    let part = fresh(b, "part");
    b.begin();
    let first = b.mul64(part.into(), size);
    let sums = loop_over_part(b, seg, ops, first, size);
    let body = b.end(sums);
    let mut renamed = Subst::new();
    let mut own = |b: &mut Builder<Kernels>, (name, n): (Name, SubExp)| {
        let new = b.fresh("gtid", Type::I64);
        renamed.insert(name, new);
        (new, n)
    };
    let mut space: Vec<(Name, SubExp)> = outer.iter().map(|d| own(b, *d)).collect();
    let column = own(b, (column, columns));
    space.extend([(part, count), column]);
    let mut body = body;
    renamed.body(&mut body);
    let shape: Vec<SubExp> = space.iter().map(|d| d.1).collect();
    let types: Vec<Type> = seg.types.iter().map(|t| t.array_of(&shape)).collect();
    let made = segmented(b, space, seg.types.clone(), body, SegKind::Map);
    let parts = b.bind_all("parts", types, made);

    // The whole.
    let single = b.cmp(CmpOp::Eq(fehu_base::prim::PrimType::I64), count, SubExp::i64(1));
    b.begin();
    let same: Vec<SubExp> = (pat.iter().zip(&parts))
        .map(|(p, a)| {
            b.bind("whole", p.ty.clone(), Exp::Basic(Basic::Reshape(p.ty.shape().to_vec(), *a))).into()
        })
        .collect();
    let one = b.end(same);
    b.begin();
    let left = b.sub64(n, in_parts);
    let all = b.add64(count, left);
    let mut space: Vec<(Name, SubExp)> = vec![];
    for n in outer.iter().map(|d| d.1).chain([columns, all]) {
        let index = b.fresh("gtid", Type::I64);
        space.push((index, n));
    }
    b.begin();
    let values = part_or_point(b, seg, &parts, &space, count, in_parts);
    let body = b.end(values);
    let ops =
        ops.iter().map(|op| SegBinOp { op: rename_lambda(&mut b.names, &op.op), ..op.clone() }).collect();
    let types = pat.iter().map(|p| p.ty.clone()).collect();
    let whole = segmented(b, space, seg.types.clone(), body, SegKind::Red(ops));
    let whole = b.bind_all("whole", types, whole);
    let several = b.end(whole.into_iter().map(SubExp::Var).collect());
    let types = pat.iter().map(|p| p.ty.clone()).collect();
    let either = b.bind_all("whole", types, Exp::If(single, Box::new(one), Box::new(several)));
    either.into_iter().map(SubExp::Var).collect()
}

/// The value of a part, or a point that is in none.
fn part_or_point(
    b: &mut Builder<Kernels>,
    seg: &SegOp<Kernels>,
    parts: &[Name],
    space: &[(Name, SubExp)],
    count: SubExp,
    in_parts: SubExp,
) -> Vec<SubExp> {
    let mut at: Vec<DimIndex> = space.iter().map(|d| DimIndex::Fix(d.0.into())).collect();
    let last = at.len() - 1;
    let number: SubExp = space[last].0.into();
    at.swap(last, last - 1);
    let is_part = b.cmp(CmpOp::SLt(IntType::I64), number, count);
    b.begin();
    let values = (parts.iter().zip(&seg.types))
        .map(|(a, t)| b.bind("x", t.clone(), Exp::Basic(Basic::Index(*a, at.clone()))).into())
        .collect();
    let part = b.end(values);
    b.begin();
    let beyond = b.sub64(number, count);
    let index = b.add64(in_parts, beyond);
    let mut point = rename_body(&mut b.names, &seg.body.body);
    let mut here = Subst::new();
    for (dim, (new, _)) in seg.space.dims.iter().zip(space).take(last) {
        here.insert(dim.0, *new);
    }
    if let Some((dim, _)) = seg.space.dims.last() {
        here.insert(*dim, index);
    }
    here.body(&mut point);
    point.stms.into_iter().for_each(|s| b.push(s));
    let point = b.end(point.result);
    let values = b.bind_all("x", seg.types.clone(), Exp::If(is_part, Box::new(part), Box::new(point)));
    values.into_iter().map(SubExp::Var).collect()
}

/// Whether one read of a reduction is the same for all columns, and another for all rows of results.
fn is_product(seg: &SegOp<Kernels>) -> bool {
    let [.., (row, _), (column, _), (along, _)] = seg.space.dims[..] else { return false };
    let mut reads = [false; 2];
    for stm in &seg.body.body.stms {
        let Exp::Basic(Basic::Index(_, slice)) = &stm.exp else { continue };
        let by = |n: Name| slice.iter().any(|d| *d == DimIndex::Fix(n.into()));
        reads[0] |= by(along) && by(row) && !by(column);
        reads[1] |= by(along) && by(column) && !by(row);
    }
    reads == [true; 2]
}

/// The loop of a thread over its part of a column: what the points of the part are combined to.
fn loop_over_part(
    b: &mut Builder<Kernels>,
    seg: &SegOp<Kernels>,
    ops: &[SegBinOp<Kernels>],
    first: SubExp,
    len: SubExp,
) -> Vec<SubExp> {
    let var = b.fresh("k", Type::I64);
    let neutral: Vec<SubExp> = ops.iter().flat_map(|op| op.neutral.iter().copied()).collect();
    let params: Vec<(Param<Kernels>, SubExp)> =
        seg.types.iter().zip(&neutral).map(|(t, e)| (b.param("sum", t.clone()), *e)).collect();
    b.begin();
    let at = b.add64(first, var.into());
    let mut point = rename_body(&mut b.names, &seg.body.body);
    if let Some((index, _)) = seg.space.dims.last() {
        let mut subst = Subst::new();
        subst.insert(*index, at);
        subst.body(&mut point);
    }
    point.stms.into_iter().for_each(|s| b.push(s));
    let mut next = vec![];
    for op in ops {
        let done = next.len();
        let count = op.neutral.len();
        let olds = params[done..done + count].iter().map(|(p, _)| p.name.into());
        let news = point.result[done..done + count].iter().copied();
        let combined = applied(b, &op.op, &olds.chain(news).collect::<Vec<SubExp>>());
        next.extend(combined);
    }
    let body = b.end(next);
    let form = LoopForm::For { var, ty: IntType::I64, bound: len };
    let sums = b.bind_all("sum", seg.types.clone(), Exp::Loop(Box::new(Loop { params, form, body })));
    sums.into_iter().map(SubExp::Var).collect()
}

/// The results of a lambda, whose statements are put here.
fn applied(b: &mut Builder<Kernels>, lambda: &Lambda<Kernels>, args: &[SubExp]) -> Vec<SubExp> {
    let mut lambda = rename_lambda(&mut b.names, lambda);
    let mut subst = Subst::new();
    for (p, e) in lambda.params.iter().zip(args) {
        subst.insert(p.name, *e);
    }
    subst.body(&mut lambda.body);
    lambda.body.stms.into_iter().for_each(|s| b.push(s));
    lambda.body.result
}

fn segmented(
    b: &mut Builder<Kernels>,
    dims: Vec<(Name, SubExp)>,
    types: Vec<Type>,
    body: Body<Kernels>,
    kind: SegKind<Kernels>,
) -> Exp<Kernels> {
    let flat = b.fresh("flat", Type::I64);
    let returns = types.iter().map(|_| KernelReturn::Elem).collect();
    Exp::Op(KernelsOp::Seg(SegOp {
        level: SegLevel::Thread,
        space: SegSpace { flat, dims },
        types,
        body: KernelBody { body, returns },
        kind,
        virtualise: true,
        grid: None,
        schedule: None,
    }))
}
