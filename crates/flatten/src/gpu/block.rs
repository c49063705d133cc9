//! Versions whose inner parallelism is in one thread block.
//!
//! The nest is an operation at level `Block`; its body is flattened as if the
//! block were the host, with operations at level `InBlock`. All sizes in it must
//! be known on the host, to see whether the block's threads and shared memory suffice.

use super::g1_manifest::Point;
use super::guard::Version;
use super::nest::Nest;
use super::{Flat, Machine};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, Symbol};
use fehu_ir::free::{bound_in_body, free_in_type};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SizeClass, SizeOp};
use fehu_ir::types::array_of_rows;
use fehu_ir::visit::{deep, for_each_stm};
use fehu_ir::{Body, Exp, Kernels, Shape, Soacs, SubExp, Type};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashSet;

/// An intra-block version.
pub(super) struct Intra {
    /// Host code with the operation.
    pub(super) body: Body<Kernels>,
    /// The index spaces of the operations in the block.
    spaces: IndexSet<Shape>,
    /// Those of operations that need a thread for each point.
    combining: IndexSet<Shape>,
    /// How many bytes per element arrays of a shape take together.
    arrays: IndexMap<Shape, i64>,
}

impl Flat<'_> {
    /// The intra-block version of a body under a nest, if there can be one.
    pub(super) fn intra_version(&mut self, nest: &Nest, body: &Body<Soacs>, types: &[Type]) -> Option<Intra> {
        if !regular_inside(nest, body) {
            return None;
        }
        let point = Point { nest, depth: nest.depth(), body: body.clone(), types: types.to_vec() };
        let opened = self.open(point);
        self.machine = Machine::Block;
        let inside = self.host_body(opened.body);
        self.machine = Machine::Grid;
        let Footprint { spaces, combining, arrays } = footprint(&inside)?;
        let results: Vec<Type> = types.iter().map(|t| array_of_rows(t, &nest.widths)).collect();
        let seg = SegOp {
            level: SegLevel::Block,
            space: opened.space,
            types: types.to_vec(),
            body: KernelBody { returns: types.iter().map(|_| KernelReturn::Elem).collect(), body: inside },
            kind: SegKind::Map,
            virtualise: true,
            grid: None,
        };
        let body = self.nested(|f| {
            let names = f.seq.b.bind_all("out", results, Exp::Op(KernelsOp::Seg(seg)));
            names.into_iter().map(SubExp::Var).collect()
        });
        Some(Intra { body, spaces, combining, arrays })
    }

    /// Whether there is enough parallelism for a version (if a threshold says how much is), and it fits the device.
    pub(super) fn fits(&mut self, nest: &Nest, name: Option<Symbol>, version: &Intra) -> SubExp {
        let widest = self.widest_of(&version.spaces);
        let combining = self.widest_of(&version.combining);
        let enough = name.map(|name| {
            let outer = self.seq.b.product(&nest.widths);
            let par = self.seq.b.mul64(outer, widest);
            self.enough(name, Version::Intra, par)
        });
        let most = self.size_max(SizeClass::ThreadBlockSize);
        let mut threads = self.seq.b.cmp(CmpOp::SLe(IntType::I64), combining, most);
        if combining != widest {
            // Threads that take several points each are enough only if all of the device has blocks to run.
            let one_each = self.seq.b.cmp(CmpOp::SLe(IntType::I64), widest, most);
            let blocks = self.seq.b.product(&nest.widths);
            let many = self.seq.b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(MANY_BLOCKS), blocks);
            let busy = self.seq.b.bin(BinOp::LogOr, one_each, many);
            threads = self.seq.b.bin(BinOp::LogAnd, threads, busy);
        }
        let mut bytes = SubExp::i64(0);
        for (shape, size) in &version.arrays {
            let elements = self.seq.b.product(shape);
            let here = self.seq.b.mul64(elements, SubExp::i64(*size));
            bytes = self.seq.b.add64(bytes, here);
        }
        let most = self.size_max(SizeClass::SharedMemory);
        let memory = self.seq.b.cmp(CmpOp::SLe(IntType::I64), bytes, most);
        let fits = self.seq.b.bin(BinOp::LogAnd, threads, memory);
        match enough {
            Some(enough) => self.seq.b.bin(BinOp::LogAnd, enough, fits),
            None => fits,
        }
    }

    /// The points of the largest of some index spaces.
    fn widest_of(&mut self, spaces: &IndexSet<Shape>) -> SubExp {
        let mut widest = SubExp::i64(0);
        for space in spaces {
            let points = self.seq.b.product(space);
            widest = match widest.as_i64() {
                Some(0) => points,
                Some(_) | None => self.seq.b.bin(BinOp::SMax(IntType::I64), widest, points),
            };
        }
        widest
    }

    fn size_max(&mut self, class: SizeClass) -> SubExp {
        self.seq.b.bind("max", Type::I64, Exp::Op(KernelsOp::Size(SizeOp::GetSizeMax(class)))).into()
    }
}

/// Whether all sizes in a body are known outside of it and of the nest, and it uses no accumulators.
fn regular_inside(nest: &Nest, body: &Body<Soacs>) -> bool {
    let inside: FxHashSet<Name> = bound_in_body(body).into_iter().collect();
    let known = |n: Name| !inside.contains(&n) && !nest.binds(n);
    let mut regular = true;
    for_each_stm(body, &mut |stm| {
        for p in &stm.pat {
            regular &= !matches!(p.ty, Type::Acc(..)) && free_in_type(&p.ty).into_iter().all(known);
        }
        regular &= !matches!(stm.exp, Exp::WithAcc(_) | Exp::UpdateAcc(..));
    });
    regular
}

/// What the code of a block needs.
struct Footprint {
    spaces: IndexSet<Shape>,
    combining: IndexSet<Shape>,
    arrays: IndexMap<Shape, i64>,
}

/// The operations inside of a block and the arrays it makes; `None` if it has no operations, operators on arrays, or
/// some size is not known outside.
fn footprint(inside: &Body<Kernels>) -> Option<Footprint> {
    let bound: FxHashSet<Name> = bound_in_body(inside).into_iter().collect();
    let known = |shape: &[SubExp]| shape.iter().all(|e| e.name().is_none_or(|n| !bound.contains(&n)));
    let mut spaces = IndexSet::new();
    let mut combining = IndexSet::new();
    let mut fine = true;
    for_each_stm(inside, &mut |stm| {
        fine &= stm.pat.iter().all(|p| known(p.ty.shape()));
        if let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp {
            let space: Shape = seg.space.dims.iter().map(|d| d.1).collect();
            fine &= known(&space) && !seg.has_operator_on_arrays();
            if matches!(seg.kind, SegKind::Red(_) | SegKind::Scan(..)) {
                combining.insert(space.clone());
            }
            spaces.insert(space);
        }
    });
    let mut arrays = IndexMap::new();
    shared(inside, &mut arrays);
    fine &= arrays.keys().all(|shape| known(shape));
    (fine && !spaces.is_empty()).then_some(Footprint { spaces, combining, arrays })
}

/// So many blocks keep a device busy.
const MANY_BLOCKS: i64 = 256;

/// Thread blocks have a multiple of so many threads.
const WARP: i64 = 32;

/// The arrays that code of a thread block has in shared memory: how many bytes per element, by shape. This is at least what
/// the memory pass then allocates: it copies what loops and branches hand on, and may copy what is reshaped
/// or put into another array.
fn shared(body: &Body<Kernels>, arrays: &mut IndexMap<Shape, i64>) {
    let mut add = |shape: &[SubExp], elem: Option<PrimType>, times: i64| {
        let size = elem.map_or(8, |e| e.bytes() as i64);
        *arrays.entry(shape.to_vec()).or_default() += size * times;
        // Each begins at a multiple of 16 bytes.
        *arrays.entry(vec![]).or_default() += 16 * times;
    };
    let mut inner = vec![];
    for stm in &body.stms {
        let results = stm.pat.iter().filter(|p| p.ty.is_array());
        if let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp {
            // Operators exchange values through shared memory, one per thread.
            let space: Shape = seg.space.dims.iter().map(|d| d.1).collect();
            let ops = match &seg.kind {
                SegKind::Red(ops) | SegKind::Scan(ops, _) => &ops[..],
                SegKind::Map | SegKind::Hist(_) => &[],
            };
            for t in ops.iter().flat_map(|op| &op.op.ret) {
                add(&space, t.elem(), 1);
                add(&[SubExp::i64(WARP)], t.elem(), 1);
            }
            if matches!(seg.kind, SegKind::Scan(..)) {
                add(&[SubExp::i64(WARP)], Some(PrimType::Bool), 1);
            }
        }
        match &stm.exp {
            Exp::Op(_)
            | Exp::Copy(_)
            | Exp::Replicate(..)
            | Exp::Iota { .. }
            | Exp::Scratch(..)
            | Exp::Manifest(..)
            | Exp::Concat { .. }
            | Exp::ArrayLit(..)
            | Exp::ArrayConst(_)
            | Exp::Reshape(..) => results.for_each(|p| add(p.ty.shape(), p.ty.elem(), 1)),
            Exp::Update(_, slice, _) => {
                let shape = fehu_ir::types::slice_shape(slice);
                if !shape.is_empty() {
                    results.for_each(|p| add(&shape, p.ty.elem(), 1));
                }
            }
            Exp::FlatUpdate(_, _, dims, _) => {
                let shape: Shape = dims.iter().map(|d| d.0).collect();
                results.for_each(|p| add(&shape, p.ty.elem(), 1));
            }
            Exp::If(_, t, f) => {
                results.for_each(|p| add(p.ty.shape(), p.ty.elem(), 1));
                inner.extend([&**t, &**f]);
            }
            Exp::Loop(l) => {
                // Where there are several, what is in the place of another is copied twice.
                let times = if results.count() > 1 { 2 } else { 1 };
                for (p, _) in l.params.iter().filter(|(p, _)| p.ty.is_array()) {
                    add(p.ty.shape(), p.ty.elem(), times);
                }
                inner.push(&l.body);
            }
            Exp::WithAcc(w) => inner.push(&w.lambda.body),
            Exp::SubExp(_)
            | Exp::Opaque(_)
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Conv(..)
            | Exp::PrimFn(..)
            | Exp::Assert(..)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Rearrange(..)
            | Exp::UpdateAcc(..)
            | Exp::Call(..) => {}
        }
    }
    for body in inner {
        deep(|| shared(body, arrays));
    }
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
