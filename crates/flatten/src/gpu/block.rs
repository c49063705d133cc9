//! Versions whose inner parallelism is in one thread block.
//!
//! The nest is an operation at level `Block`; its body is flattened as if the
//! block were the host, with operations at level `InBlock`. The sizes of all arrays that it makes must
//! be known on the host, to see whether the block's threads and shared memory suffice.

use super::block_steps::BlockSteps;
use super::g1_manifest::Point;
use super::guard::Version;
use super::host_names::HostNames;
use super::nest::Nest;
use super::parallel::widths_inside;
use super::rooms::{self, of_counters};
use super::shared_rows::SharedRows;
use super::state::{Flat, Machine};
use super::traffic::{at_most_unless, Traffic};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, ScalarType};
use fehu_base::tuning::flattening;
use fehu_base::{Name, Symbol};
use fehu_ir::free::{bound_in_body, free_in_type};
use fehu_ir::seg::{
    KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SizeClass, SizeOp, SHARED_MEMORY,
};
use fehu_ir::types::array_of_rows;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{
    Attr, Basic, Body, Builder, ErrorPart, Exp, Kernels, Purpose, Rep, Shape, Soacs, SubExp, Type,
};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

/// An intra-block version.
pub(super) struct Intra {
    /// Host code with the operation.
    pub(super) body: Body<Kernels>,
    /// The widths of the deepest parallelism of the body, of which the block uses a part.
    inside: Vec<SubExp>,
    /// The index spaces of the operations in the block.
    spaces: IndexSet<Shape>,
    /// Those of operations that need a thread for each point: reductions and scans of rows side by side.
    combining: IndexSet<Shape>,
    /// What its threads do.
    steps: BlockSteps,
    /// How many elements there are at most where loops of the block decide.
    rooms: Vec<SubExp>,
    /// What the operation is called where its shared memory is asked for.
    label: Symbol,
}

/// The intra-block version of a body under a nest, if there can be one.
pub(super) fn intra_version(
    flat: &mut Flat,
    nest: &Nest,
    body: &Body<Soacs>,
    types: &[Type],
) -> Option<Intra> {
    if !regular_inside(nest, body) {
        return None;
    }
    let inside = widths_inside(nest, body);
    let point = Point { nest, depth: nest.depth(), body: body.clone(), types: types.to_vec() };
    let opened = flat.open(point);
    flat.machine = Machine::Block;
    let mut in_block = flat.host_body(opened.body);
    flat.machine = Machine::Grid;
    let indices: Vec<Name> = opened.space.dims.iter().map(|d| d.0).collect();
    let rooms = rooms::give_room(&mut flat.seq.b, &flat.names, &mut in_block, &indices)?;
    let Operations { spaces, combining } = operations(&flat.names, &in_block)?;
    let mut unknown: FxHashSet<Name> = bound_in_body(&in_block).into_iter().collect();
    unknown.extend(opened.space.dims.iter().map(|d| d.0));
    let steps = BlockSteps::of(&in_block, &unknown);
    let label = Symbol::new(&format!("block_{}", opened.space.flat.0));
    let results: Vec<Type> = types.iter().map(|t| array_of_rows(t, &nest.widths)).collect();
    let seg = SegOp {
        level: SegLevel::Block,
        space: opened.space,
        types: types.to_vec(),
        body: KernelBody { returns: types.iter().map(|_| KernelReturn::Elem).collect(), body: in_block },
        kind: SegKind::Map,
        virtualise: true,
        grid: None,
        schedule: None,
    };
    let body = flat.nested(|f| {
        let attr = Attr::Comp(Symbol::new(SHARED_MEMORY), vec![Attr::Atom(label)]);
        f.seq.b.attrs.push(attr);
        let names = f.seq.b.bind_all("out", results, Exp::Op(KernelsOp::Seg(seg)));
        f.seq.b.attrs.pop();
        names.into_iter().map(SubExp::Var).collect()
    });
    Some(Intra { body, inside, spaces, combining, steps, rooms, label })
}

impl Intra {
    /// Its host code, all of whose operations depend on a check.
    pub(super) fn depending_on(self, cert: Option<Name>) -> Body<Kernels> {
        let mut body = self.body;
        body.stms.iter_mut().for_each(|stm| stm.certs.extend(cert));
        body
    }
}

/// What is known of what a version and the one that is flattened further read.
pub(super) struct Weighed<'a> {
    pub(super) traffic: Option<&'a Traffic>,
    pub(super) rows: Option<&'a SharedRows>,
}

/// Whether there is enough parallelism for a version, and it fits the device. Where there is a version that
/// is flattened further, it must also use enough of the parallelism, or move fewer bytes where these are
/// known, and share what all points read.
pub(super) fn fits(
    flat: &mut Flat,
    nest: &Nest,
    name: Symbol,
    version: &Intra,
    is_flattened_further: bool,
    Weighed { traffic, rows }: Weighed,
) -> SubExp {
    let widest = widest_of(&mut flat.seq.b, &version.spaces);
    let outer = flat.seq.b.product(&nest.widths);
    let par = flat.seq.b.mul64(outer, widest);
    let par = match traffic {
        Some(traffic) => traffic.block_par(&mut flat.seq.b, par),
        None if is_flattened_further => busy_par(&mut flat.seq.b, version, outer, par),
        None => par,
    };
    let par = match rows {
        Some(rows) => rows.limit(&mut flat.seq.b, nest, par, flattening::BLOCK_VERSION_ELEMENTS - 1),
        None => par,
    };
    let enough = flat.enough(name, Version::Intra, par, Some(outer));
    let mut conditions = vec![];
    if traffic.is_none() {
        conditions.push(threads_suffice(flat, nest, version, widest));
    }
    for room in &version.rooms {
        let most = SubExp::i64(flattening::MAX_ROOM_ELEMENTS);
        conditions.push(flat.seq.b.cmp(CmpOp::SLe(IntType::I64), *room, most));
    }
    if is_flattened_further {
        conditions.extend(uses_enough(flat, nest, version, widest));
    }
    let SharedMemory { needed, most } = shared_memory(&mut flat.seq.b, version);
    let mut fits = flat.seq.b.cmp(CmpOp::SLe(IntType::I64), needed, most);
    if let Some(others) = conditions.into_iter().reduce(|a, b| flat.seq.b.bin(BinOp::LogAnd, a, b)) {
        fits = flat.seq.b.bin(BinOp::LogAnd, others, fits);
    }
    flat.seq.b.bin(BinOp::LogAnd, enough, fits)
}

/// What the guard of a version compares, which would be `par`: too little by default where blocks wait too
/// much for single threads.
fn busy_par(b: &mut Builder<Kernels>, version: &Intra, blocks: SubExp, par: SubExp) -> SubExp {
    if version.steps.are_even() {
        return par;
    }
    let most = size_max(b, SizeClass::ThreadBlockSize);
    let busy = version.steps.are_busy(b, blocks, most);
    at_most_unless(b, busy, par, flattening::BLOCK_VERSION_ELEMENTS - 1)
}

/// The check that a version which is the only one fits the device, if anything is to be computed.
pub(super) fn must_fit(flat: &mut Flat, nest: &Nest, version: &Intra) -> Option<Name> {
    let b = &mut flat.seq.b;
    let blocks = b.product(&nest.widths);
    let idle = b.cmp(CmpOp::SLe(IntType::I64), blocks, SubExp::i64(0));
    let SharedMemory { needed, most } = shared_memory(b, version);
    let mut fits = b.cmp(CmpOp::SLe(IntType::I64), needed, most);
    let mut message = vec![
        ErrorPart::Text("A thread block needs ".into()),
        ErrorPart::Value(needed, ScalarType::I64),
        ErrorPart::Text(" bytes of shared memory, of which the device has ".into()),
        ErrorPart::Value(most, ScalarType::I64),
    ];
    if !version.combining.is_empty() {
        let combining = widest_of(b, &version.combining);
        let threads = size_max(b, SizeClass::ThreadBlockSize);
        let enough = b.cmp(CmpOp::SLe(IntType::I64), combining, threads);
        fits = b.bin(BinOp::LogAnd, fits, enough);
        message.extend([
            ErrorPart::Text(", and ".into()),
            ErrorPart::Value(combining, ScalarType::I64),
            ErrorPart::Text(" threads, of which it has ".into()),
            ErrorPart::Value(threads, ScalarType::I64),
        ]);
    }
    for room in &version.rooms {
        let most = SubExp::i64(flattening::MAX_ROOM_ELEMENTS);
        let enough = b.cmp(CmpOp::SLe(IntType::I64), *room, most);
        fits = b.bin(BinOp::LogAnd, fits, enough);
        message.extend([
            ErrorPart::Text(", and room for ".into()),
            ErrorPart::Value(*room, ScalarType::I64),
            ErrorPart::Text(" elements, of which there may be ".into()),
            ErrorPart::Value(most, ScalarType::I64),
        ]);
    }
    message.push(ErrorPart::Text(".".into()));
    let fine = b.bin(BinOp::LogOr, idle, fits);
    b.assert(fine, message, Purpose::Values)
}

/// The bytes of shared memory that a version needs, and those that a thread block can have.
struct SharedMemory {
    needed: SubExp,
    most: SubExp,
}

fn shared_memory(b: &mut Builder<Kernels>, version: &Intra) -> SharedMemory {
    let needed = Exp::Op(KernelsOp::Size(SizeOp::SharedNeeded(version.label)));
    let needed = b.bind("bytes", Type::I64, needed).into();
    SharedMemory { needed, most: size_max(b, SizeClass::SharedMemory) }
}

/// Whether a block has threads for operations that need one for each point. Threads that take several points
/// each are enough only if all of the device has blocks to run.
fn threads_suffice(flat: &mut Flat, nest: &Nest, version: &Intra, widest: SubExp) -> SubExp {
    let b = &mut flat.seq.b;
    let combining = widest_of(b, &version.combining);
    let most = size_max(b, SizeClass::ThreadBlockSize);
    let one_each = match version.steps.has_loops() {
        true => {
            // Threads may take a turn of an operation outside of loops in the time in which a kernel is
            // launched in a loop.
            let in_loops = widest_of(b, version.steps.spaces());
            let launches = version.steps.launches_of_loops(b);
            let turns = b.bin(BinOp::SMax(IntType::I64), launches, SubExp::i64(1));
            let in_turns = b.mul64(most, turns);
            let outside = b.cmp(CmpOp::SLe(IntType::I64), widest, in_turns);
            let several =
                b.bin(BinOp::SMin(IntType::I64), turns, SubExp::i64(flattening::MAX_TURNS_IN_LOOPS));
            let in_turns = b.mul64(most, several);
            let inside = b.cmp(CmpOp::SLe(IntType::I64), in_loops, in_turns);
            b.bin(BinOp::LogAnd, inside, outside)
        }
        false => b.cmp(CmpOp::SLe(IntType::I64), widest, most),
    };
    if combining == widest {
        return one_each;
    }
    let blocks = b.product(&nest.widths);
    let many = b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(flattening::BUSY_BLOCKS), blocks);
    let busy = b.bin(BinOp::LogOr, one_each, many);
    if version.combining.is_empty() {
        return busy;
    }
    let fit = b.cmp(CmpOp::SLe(IntType::I64), combining, most);
    b.bin(BinOp::LogAnd, fit, busy)
}

/// Whether the threads of blocks go through few elements of what could be parallel, or there are blocks for
/// all of the device: else the versions that are flattened further are faster, which use all of it. Nothing
/// if a block uses all that is known of.
///
/// ```text
/// map (\x -> map (\y -> f64.sum (map2 (*) x y)) yss) xss       32 rows of 10,000: 32 blocks with 32 threads, 10,000 steps each
/// ```
fn uses_enough(flat: &mut Flat, nest: &Nest, version: &Intra, widest: SubExp) -> Option<SubExp> {
    if version.spaces.contains(&version.inside) {
        return None;
    }
    let b = &mut flat.seq.b;
    let inside = b.product(&version.inside);
    let steps = b.mul64(widest, SubExp::i64(flattening::BLOCK_VERSION_STEPS));
    let few = b.cmp(CmpOp::SLe(IntType::I64), inside, steps);
    if few == SubExp::bool(true) {
        return None;
    }
    let blocks = b.product(&nest.widths);
    let many = b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(flattening::BUSY_BLOCKS), blocks);
    Some(b.bin(BinOp::LogOr, few, many))
}

/// The points of the largest of some index spaces.
fn widest_of(b: &mut Builder<Kernels>, spaces: &IndexSet<Shape>) -> SubExp {
    let mut widest = SubExp::i64(0);
    for space in spaces {
        let points = b.product(space);
        widest = match widest.as_i64() {
            Some(0) => points,
            Some(_) | None => b.bin(BinOp::SMax(IntType::I64), widest, points),
        };
    }
    widest
}

fn size_max(b: &mut Builder<Kernels>, class: SizeClass) -> SubExp {
    b.bind("max", Type::I64, Exp::Op(KernelsOp::Size(SizeOp::GetSizeMax(class)))).into()
}

/// Whether what an expression gives is in the memory of another array, so that its size does not matter.
fn is_view<R: Rep>(exp: &Exp<R>) -> bool {
    matches!(exp, Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..) | Basic::Rearrange(..)))
}

/// Whether the sizes of all arrays that a body makes are known outside of it and of the nest, or follow from
/// counters of its loops (`rooms`). Accumulators must be its own, and only be written to.
fn regular_inside(nest: &Nest, body: &Body<Soacs>) -> bool {
    let inside: FxHashSet<Name> = bound_in_body(body).into_iter().collect();
    let is_outside = |n: Name| !inside.contains(&n) && !nest.binds(n);
    let counted = of_counters(body, is_outside);
    let known = |n: Name| is_outside(n) || counted.contains(&n);
    let mut regular = true;
    let of_block = |ty: &Type| !matches!(ty, Type::Acc(token, ..) if is_outside(*token));
    for_each_stm(body, &mut |stm| {
        for p in &stm.pat {
            let sized = is_view(&stm.exp) || free_in_type(&p.ty).into_iter().all(known);
            regular &= if matches!(p.ty, Type::Acc(..)) { of_block(&p.ty) } else { sized };
        }
        if let Exp::WithAcc(w) = &stm.exp {
            regular &= w.inputs.iter().all(|i| i.op.is_none());
        }
    });
    regular
}

/// The index spaces of the operations inside of a block, and of those of them that need a thread for each point.
struct Operations {
    spaces: IndexSet<Shape>,
    combining: IndexSet<Shape>,
}

/// The operations inside of a block; `None` if there are none, operators on arrays, or some size is not known outside.
fn operations(names: &HostNames, inside: &Body<Kernels>) -> Option<Operations> {
    let bound: FxHashSet<Name> = bound_in_body(inside).into_iter().collect();
    let known =
        |shape: &[SubExp]| shape.iter().all(|e| names.now(*e).name().is_none_or(|n| !bound.contains(&n)));
    let mut spaces = IndexSet::new();
    let mut combining = IndexSet::new();
    let mut fine = true;
    for_each_stm(inside, &mut |stm| {
        fine &= is_view(&stm.exp) || stm.pat.iter().all(|p| known(p.ty.shape()));
        match &stm.exp {
            Exp::Op(KernelsOp::Seg(seg)) => {
                let space: Shape = seg.space.dims.iter().map(|d| d.1).collect();
                fine &= known(&space) && !seg.has_operator_on_arrays();
                if space.len() > 1 && matches!(seg.kind, SegKind::Red(_) | SegKind::Scan(..)) {
                    combining.insert(space.clone());
                }
                spaces.insert(space);
            }
            Exp::Loop(l) => fine &= l.params.iter().all(|(p, _)| known(p.ty.shape())),
            // What is put into an array may be copied first.
            Exp::Basic(Basic::Update(_, slice, _)) => fine &= known(&fehu_ir::types::slice_shape(slice)),
            Exp::Basic(Basic::FlatUpdate(_, _, dims, _)) => {
                fine &= known(&dims.iter().map(|d| d.0).collect::<Shape>())
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    });
    (fine && !spaces.is_empty()).then_some(Operations { spaces, combining })
}

/// The largest number of dimensions of an operation of the host; one more for operations in blocks.
pub(super) fn widest(body: &Body<Kernels>) -> usize {
    let mut most = 0;
    for_each_stm(body, &mut |stm| {
        if let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp {
            let inside = usize::from(seg.level == SegLevel::Block);
            most = most.max(seg.space.dims.len() + inside);
        }
    });
    most
}
