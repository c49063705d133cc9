//! Several iterations of a loop of stencils are one kernel.
//!
//! ```text
//! loop (a) for s < n { segmap (i < h, j < w) { ... a[i - 1, j] ... a[i, j + 1] ... } }
//!   ==>   the map has a plan more:   steps(4 of [a], radius 1, block 256, ..)
//! ```
//!
//! A step of a stencil reads and writes the whole array, and computes little. Where the array is larger than
//! the cache, that is what it takes time for; with four steps in one kernel, memory is read and written once
//! for all of them (`impgen/translate/kernel/steps`).
//!
//! **When it is legal.** The map is the last statement of a counted loop. Its results are what the loop hands
//! on, and each of them is the next value of one array, of the same shape. Of what the loop changes, it uses
//! these arrays and the counter alone, and reads the arrays close to its own point, or close around the
//! edges, as on a torus ([`reach`]). Every one of them is read at another point as well: so the results are
//! never written to the blocks that are read. Points cannot fail, and all that a point computes is scalars.
//! The statements before the map compute scalars and views of what the loop does not change from the counter
//! alone, so that threads can compute them for each step; what they check, the host checks before. If there
//! are any, arrays that the map reads besides are in other blocks of memory than its results.
//!
//! **When it pays.** Points are computed more than once at the edges of blocks, and go through shared memory.
//! So this is for arrays that are larger than the cache, and for points that compute little for each byte.

pub(super) mod reach;

use super::places::Places;
use super::{read_element, when, Scheduler};
use fehu_base::device::{BLOCK_THREADS, MAX_DECLARED_SHARED_BYTES};
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::tuning::schedule::{
    BLOCKS_OF_STEPS, FEW_OPERATIONS_PER_BYTE_OF_STEPS, LEAST_POINTS_OF_LINE, MAX_BYTES_KEPT_BY_STEPS,
    MAX_OPERATIONS_PER_BYTE_OF_STEPS, MAX_PERCENT_COVERED_BY_LONG_STEPS, MAX_PERCENT_COVERED_BY_STEPS,
    MIN_BYTES_FOR_STEPS, MIN_ROWS_PER_HALO, OPERATIONS_OF_DIVISION, STEPS_OF_KERNEL,
};
use fehu_base::Name;
use fehu_ir::class::Class;
use fehu_ir::free::free_in_exp;
use fehu_ir::mem::{sym_name, MemInfo, MemOp};
use fehu_ir::schedule::{ring, Amount, Choice, Condition, Plan, Quantity, Steps};
use fehu_ir::seg::{KernelReturn, SegKind, SegLevel, SegOp};
use fehu_ir::visit::{deep, for_each_stm};
use fehu_ir::{Attr, Basic, Body, DimIndex, Exp, Loop, LoopForm, Memory, PatElem, Stm, SubExp, Type};
use reach::Ends;
use rustc_hash::FxHashSet;

/// The map of a loop whose iterations may be done several at a time has a plan for that, before all others.
pub(super) fn steps(s: &mut Scheduler, l: &mut Loop<Memory>) {
    let Some(LastMap { seg, carried, attrs, bound }) = last_map(s, l, 2) else { return };
    let closed = reach::radius(seg, &carried, &s.sums, Ends::Nothing);
    let around = || reach::radius(seg, &carried, &s.sums, Ends::Neighbours);
    let Some((radius, around)) = closed.map(|r| (r, false)).or_else(|| Some((around()?, true))) else {
        return;
    };
    let bytes: i64 = seg.types.iter().filter_map(Type::elem).map(|elem| elem.bytes() as i64).sum();
    let operations = operations(&seg.body.body);
    if operations > bytes * MAX_OPERATIONS_PER_BYTE_OF_STEPS {
        return;
    }
    let fits = |steps: &i64| {
        let elements = steps * ring(radius) * BLOCK_THREADS + 2 * radius;
        bytes * elements <= MAX_DECLARED_SHARED_BYTES && 2 * steps * radius < BLOCK_THREADS
    };
    let Some(steps) = STEPS_OF_KERNEL.iter().copied().find(fits) else { return };
    let rows = MIN_ROWS_PER_HALO * steps * radius;
    let blocks = s.threshold_param(BLOCKS_OF_STEPS);
    let most_percent = match operations > bytes * FEW_OPERATIONS_PER_BYTE_OF_STEPS {
        true => MAX_PERCENT_COVERED_BY_LONG_STEPS,
        false => MAX_PERCENT_COVERED_BY_STEPS,
    };
    let covered = Amount::from(Quantity::Points).and(s.threshold(most_percent));
    let mut conditions = vec![
        Condition::must(Quantity::Block, Quantity::MaxBlock),
        Condition::must(Quantity::Shared, Quantity::MaxShared),
        Condition::pays(
            Amount::from(s.threshold(MIN_BYTES_FOR_STEPS)).times(radius * radius),
            Amount::from(Quantity::Points).times(bytes),
        ),
        Condition::pays(Amount::from(Quantity::Covered).times(100), covered),
    ];
    if around {
        let sides = seg.space.dims.iter().map(|(_, n)| Quantity::Size(*n, IntType::I64));
        conditions.extend(sides.map(|n| Condition::must(Amount::from(LEAST_POINTS_OF_LINE), n)));
    }
    let mut plan = Steps { steps, carried, radius, block: BLOCK_THREADS, rows, blocks, around, kept: vec![] };
    plan.kept = kept(&s.places, seg, &plan, &bound);
    if let Some(schedule) = &mut seg.schedule {
        schedule.params.append(&mut s.params);
        schedule.choices.insert(0, when(conditions, Plan::Steps(plan)));
        super::steer::steer(schedule, &attrs);
    }
}

/// A map that a loop ends with, of which several iterations may be one kernel if its points read what is close.
pub(super) struct LastMap<'l> {
    pub(super) seg: &'l mut SegOp<Memory>,
    /// The arrays that its results are the next values of, in order.
    pub(super) carried: Vec<Name>,
    pub(super) attrs: Vec<Attr>,
    /// What the loop computes before it.
    pub(super) bound: FxHashSet<Name>,
}

/// The map that a loop ends with: over so many dimensions, a point for each thread as far as has been
/// decided, and of what the loop changes it uses the arrays that are its own results alone. All before it is
/// of the counter.
pub(super) fn last_map<'l>(s: &Scheduler, l: &'l mut Loop<Memory>, dims: usize) -> Option<LastMap<'l>> {
    let carried = carried(l).filter(|_| others_stay(l))?;
    let counter = counter(l)?;
    let params: FxHashSet<Name> = l.params.iter().map(|(p, _)| p.name).collect();
    let (last, before) = l.body.stms.split_last_mut()?;
    let certified = before.iter().chain([&*last]).flat_map(|s| &s.certs).any(|c| params.contains(c));
    let bound: FxHashSet<Name> = before.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
    let Stm { pat, attrs, exp: Exp::Op(MemOp::Seg(seg)), .. } = last else { return None };
    let choices = seg.schedule.as_ref().map(|s| s.choices.as_slice());
    let points = matches!(choices, Some([Choice { plan: Plan::Points(_), .. }]));
    let uses = free_in_exp(&Exp::<Memory>::Op(MemOp::Seg(seg.clone())));
    let invariant = uses.iter().all(|n| !params.contains(n) || carried.contains(n));
    let alone = before.is_empty() && dims == 2;
    let legal = is_map_of_scalars(seg)
        && seg.space.dims.len() == dims
        && before.iter().all(|stm| is_of_counter(stm, &params))
        && pat.iter().all(|p| stays_in_place(p, &bound, counter))
        && (alone || writes_elsewhere(s, seg, &carried, pat));
    (points && invariant && !certified && legal).then(|| LastMap {
        seg,
        carried,
        attrs: attrs.clone(),
        bound,
    })
}

/// Whether an operation is a map of threads whose points are scalars.
fn is_map_of_scalars(seg: &SegOp<Memory>) -> bool {
    let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    let scalars = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
    let map = seg.level == SegLevel::Thread && matches!(seg.kind, SegKind::Map) && seg.grid.is_none();
    map && elements && scalars
}

/// The variable that counts the iterations of a loop.
fn counter(l: &Loop<Memory>) -> Option<Name> {
    match l.form {
        LoopForm::For { var, .. } => Some(var),
        LoopForm::While(_) => None,
    }
}

/// Whether all that a loop hands on, but for the results of its last statement and blocks of memory, is the
/// same after one iteration and after several.
fn others_stay(l: &Loop<Memory>) -> bool {
    let results: FxHashSet<Name> =
        l.body.stms.last().into_iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
    let computed: FxHashSet<Name> = l.body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
    let params: FxHashSet<Name> = l.params.iter().map(|(p, _)| p.name).chain(counter(l)).collect();
    l.params.iter().zip(&l.body.result).all(|((p, _), e)| match (e, &p.ty) {
        (SubExp::Const(_), _) | (_, Type::Mem(_)) => true,
        (SubExp::Var(n), _) => {
            *n == p.name || results.contains(n) || (!computed.contains(n) && !params.contains(n))
        }
    })
}

/// The arrays that the results of the map that a loop ends with are the next values of, in order: all of the
/// map's own shape.
fn carried(l: &Loop<Memory>) -> Option<Vec<Name>> {
    counter(l)?;
    let [.., Stm { pat, exp: Exp::Op(MemOp::Seg(seg)), .. }] = l.body.stms.as_slice() else { return None };
    let shape: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let next = |result: &PatElem<Memory>| {
        let mut handed = l.params.iter().zip(&l.body.result).filter(|(_, e)| e.name() == Some(result.name));
        let ((param, _), _) = handed.next()?;
        let alike = param.ty == result.ty && param.ty.shape() == shape.as_slice();
        (alike && handed.next().is_none()).then_some(param.name)
    };
    pat.iter().map(next).collect()
}

/// Whether a statement computes a scalar or checks it, or is a view, and needs nothing of what the loop hands on.
fn is_of_counter(stm: &Stm<Memory>, params: &FxHashSet<Name>) -> bool {
    let Exp::Basic(basic) = &stm.exp else { return false };
    let scalars = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    let suits = match basic.class() {
        Class::Arithmetic | Class::Function | Class::Check => scalars,
        Class::Read | Class::View | Class::Reshape => !scalars,
        Class::Opaque | Class::Generate | Class::Gather | Class::Update => false,
    };
    suits && free_in_exp(&stm.exp).iter().all(|n| !params.contains(n))
}

/// Whether a result is where it is in the iteration after the next, too: at no place that the loop's body computes.
fn stays_in_place(p: &PatElem<Memory>, bound: &FxHashSet<Name>, counter: Name) -> bool {
    let MemInfo::Array { lmad, .. } = &p.dec else { return false };
    let mut names = lmad.vars().into_iter().map(sym_name);
    names.all(|n| n != counter && !bound.contains(&n))
}

/// Whether the map's results are in other blocks than all it reads but what the loop hands on.
fn writes_elsewhere(s: &Scheduler, seg: &SegOp<Memory>, carried: &[Name], pat: &[PatElem<Memory>]) -> bool {
    let written: Vec<Name> = pat.iter().filter_map(|p| s.places.block_of(p.name)).collect();
    let mut elsewhere = true;
    for_each_stm(&seg.body.body, &mut |stm| {
        if let Some((_, array, _)) = super::read_element(stm) {
            let block = s.places.block_of(array);
            let apart = |b: Name| written.iter().all(|w| !s.blocks.may_be_same(b, *w));
            elsewhere &= carried.contains(&array) || block.is_some_and(apart);
        }
    });
    elsewhere
}

/// The arrays that a thread reads ahead for all steps, as far as there are registers for them. They have the
/// map's own shape, so that whatever a block reads of what the loop changes has an element of them as well.
fn kept(places: &Places, seg: &SegOp<Memory>, plan: &Steps, bound: &FxHashSet<Name>) -> Vec<Name> {
    let point: Vec<DimIndex> = seg.space.dims.iter().map(|(i, _)| DimIndex::Fix((*i).into())).collect();
    let shape: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let mut room_bytes = MAX_BYTES_KEPT_BY_STEPS;
    let mut kept = vec![];
    for_each_stm(&seg.body.body, &mut |stm| {
        let Some((_, array, slice)) = read_element(stm) else { return };
        let elem_bytes = stm.pat.iter().filter_map(|p| p.ty.elem()).map(|e| e.bytes() as i64).sum::<i64>();
        let bytes = elem_bytes * plan.rows_behind();
        let alike = places.shape(array).is_some_and(|of| of == shape);
        let other = !plan.carried.contains(&array) && !kept.contains(&array) && !bound.contains(&array);
        if *slice == point && alike && other && bytes <= room_bytes {
            room_bytes -= bytes;
            kept.push(array);
        }
    });
    kept
}

/// How many operations a point does at most, not counting those on its indices: of branches, the one with more.
pub(super) fn operations(body: &Body<Memory>) -> i64 {
    let of_stm = |stm: &Stm<Memory>| match &stm.exp {
        Exp::Basic(
            Basic::BinOp(BinOp::FDiv(_) | BinOp::FMod(_) | BinOp::FPow(_), ..) | Basic::PrimFn(..),
        ) => OPERATIONS_OF_DIVISION,
        Exp::Basic(Basic::BinOp(..) | Basic::UnOp(..) | Basic::Conv(..)) => {
            i64::from(!matches!(stm.pat.as_slice(), [p] if matches!(p.ty, Type::I64 | Type::BOOL)))
        }
        Exp::If(_, yes, no) => deep(|| operations(yes).max(operations(no))),
        Exp::Basic(_) | Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => 0,
    };
    body.stms.iter().map(of_stm).sum()
}
