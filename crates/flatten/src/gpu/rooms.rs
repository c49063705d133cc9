//! Rows in thread blocks that loops make longer or shorter.
//!
//! The host must know how many elements the arrays and operations of a thread block have, before it launches
//! the block. In factorisations of matrices, the counter of a loop decides: step `i` works on the first `i`
//! columns, or on the last `n - i`. What the host knows then is how many elements there are at most, which is
//! their *room*. Arrays and operations get so many, and nothing is computed for those that are not there:
//!
//! ```text
//! loop q for i < n do                                          the room of i is n - 1
//!   sums = segmap in_block (j < i) { dot q[:, j] a }           sums = segmap in_block (j < n - 1) { if j < i then dot q[:, j] a else 0 }
//!   norm = segred in_block (j < i) (+) 0 { .. }                norm = segred in_block (j < n - 1) (+) 0 { if j < i then .. else 0 }
//! ```
//!
//! Threads without an element would wait otherwise, so that no time is lost as long as a block has a thread
//! for each element of the room. An operator does not notice further neutral elements at the end of a row.
//!
//! Comes in: the body of a thread block. Goes out: the same, all of whose operations and arrays have sizes of
//! the host, but for views; or nothing, if there are other sizes than sums, differences, products and limits
//! of counters and numbers of the host, or if arrays with room are used by anything but reads of elements,
//! parts, and transpositions.

use super::host_names::HostNames;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::free::{bound_in_body, free_in_body, free_in_exp};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::types::slice_shape;
use fehu_ir::visit::{for_each_body, for_each_stm};
use fehu_ir::{Basic, Body, Builder, DimIndex, Exp, Kernels, LoopForm, Rep, Slice, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

const I64: IntType = IntType::I64;

/// How a number of a block comes about.
enum Origin {
    /// It counts from 0 up to this, exclusively.
    Counter(SubExp),
    Computed(Basic),
}

/// A range, both ends included, in numbers of the host.
type Range = (SubExp, SubExp);

/// The numbers that a body computes of what is outside of it and counters of its loops, such as those that
/// can be sizes with room.
pub(super) fn of_counters<R: Rep>(body: &Body<R>, is_outside: impl Fn(Name) -> bool) -> FxHashSet<Name> {
    let mut found: FxHashSet<Name> = FxHashSet::default();
    for_each_stm(body, &mut |stm| {
        let is_fine = |e: SubExp| e.name().is_none_or(|n| is_outside(n) || found.contains(&n));
        let new = match (&stm.exp, &stm.pat[..]) {
            (Exp::Loop(l), _) => match &l.form {
                LoopForm::For { var, ty: I64, bound } if is_fine(*bound) => Some(*var),
                LoopForm::For { .. } | LoopForm::While(_) => None,
            },
            (Exp::Basic(Basic::SubExp(x)), [p]) if is_fine(*x) => Some(p.name),
            (Exp::Basic(Basic::BinOp(op, x, y)), [p]) => {
                (is_ranged(*op) && is_fine(*x) && is_fine(*y)).then_some(p.name)
            }
            _ => None,
        };
        found.extend(new);
    });
    found
}

/// Whether the range of a result follows from those of the operands.
fn is_ranged(op: BinOp) -> bool {
    matches!(op, BinOp::Add(I64) | BinOp::Sub(I64) | BinOp::Mul(I64) | BinOp::SMin(I64) | BinOp::SMax(I64))
}

/// Gives room to what a block computes, in code of the host that `b` builds; the rooms of sizes that the host
/// does not know. `None` if it cannot be done.
pub(super) fn give_room(
    b: &mut Builder<Kernels>,
    names: &HostNames,
    body: &mut Body<Kernels>,
    indices: &[Name],
) -> Option<Vec<SubExp>> {
    let mut inside: FxHashSet<Name> = bound_in_body(body).into_iter().collect();
    inside.extend(indices);
    let mut origins = FxHashMap::default();
    find_origins(body, &mut origins);
    let mut rooms = Rooms {
        b,
        names,
        inside,
        origins,
        ranges: FxHashMap::default(),
        rooms: FxHashMap::default(),
        given: FxHashMap::default(),
        used: vec![],
        sources: Sources::of(names, body),
    };
    rooms.body(body)?;
    Some(rooms.used)
}

fn find_origins(body: &Body<Kernels>, origins: &mut FxHashMap<Name, Origin>) {
    for_each_stm(body, &mut |stm| match (&stm.exp, &stm.pat[..]) {
        (Exp::Loop(l), _) => {
            if let LoopForm::For { var, ty: I64, bound } = &l.form {
                origins.insert(*var, Origin::Counter(*bound));
            }
        }
        (Exp::Basic(basic), [p]) if p.ty == Type::I64 => {
            origins.insert(p.name, Origin::Computed(basic.clone()));
        }
        _ => {}
    });
}

/// The element of an array at a point.
fn at_point(seg: &SegOp<Kernels>) -> Slice {
    seg.space.dims.iter().map(|d| DimIndex::Fix(d.0.into())).collect()
}

/// Where arrays of a block come from.
#[derive(Default)]
struct Sources {
    /// The array that an array is a view of, or has taken the memory of.
    same: FxHashMap<Name, Name>,
    /// Arrays in fresh memory, and those that loops change, which have memory of their own.
    own: FxHashSet<Name>,
}

impl Sources {
    fn of(names: &HostNames, body: &Body<Kernels>) -> Sources {
        let mut sources = Sources::default();
        let now = |a: Name| names.now(a.into()).name().unwrap_or(a);
        for_each_stm(body, &mut |stm| {
            let name = |k: usize| stm.pat.get(k).map(|p| p.name);
            match &stm.exp {
                Exp::Basic(
                    Basic::Index(a, _) | Basic::Rearrange(_, a) | Basic::Reshape(_, a) | Basic::Update(a, ..),
                ) => sources.same.extend(name(0).map(|n| (n, now(*a)))),
                Exp::Basic(Basic::SubExp(SubExp::Var(a))) => {
                    sources.same.extend(name(0).map(|n| (n, now(*a))))
                }
                Exp::Basic(
                    Basic::Copy(_) | Basic::Replicate(..) | Basic::Iota { .. } | Basic::Scratch(..),
                ) => sources.own.extend(name(0)),
                Exp::Op(KernelsOp::Seg(seg)) => {
                    for (p, how) in stm.pat.iter().zip(&seg.body.returns) {
                        match (&seg.kind, how) {
                            (SegKind::Map, KernelReturn::Write { array, .. }) => {
                                sources.same.insert(p.name, now(*array));
                            }
                            (SegKind::Map | SegKind::Red(_) | SegKind::Scan(..), KernelReturn::Elem) => {
                                sources.own.insert(p.name);
                            }
                            (_, KernelReturn::Write { .. }) | (SegKind::Hist(_), KernelReturn::Elem) => {}
                        }
                    }
                }
                Exp::Loop(l) => {
                    for ((param, _), p) in l.params.iter().zip(&stm.pat).filter(|((p, _), _)| p.consumed) {
                        sources.own.extend([param.name, p.name]);
                    }
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
            }
        });
        sources
    }

    fn root(&self, mut array: Name) -> Name {
        while let Some(next) = self.same.get(&array) {
            array = *next;
        }
        array
    }
}

struct Rooms<'a> {
    /// Builds code of the host.
    b: &'a mut Builder<Kernels>,
    names: &'a HostNames,
    /// What the host does not know.
    inside: FxHashSet<Name>,
    origins: FxHashMap<Name, Origin>,
    ranges: FxHashMap<Name, Range>,
    rooms: FxHashMap<SubExp, SubExp>,
    /// Arrays with room, and their types now.
    given: FxHashMap<Name, Type>,
    used: Vec<SubExp>,
    sources: Sources,
}

impl Rooms<'_> {
    fn is_known(&self, e: SubExp) -> bool {
        self.names.now(e).name().is_none_or(|n| !self.inside.contains(&n))
    }

    fn are_known(&self, sizes: &[SubExp]) -> bool {
        sizes.iter().all(|e| self.is_known(*e))
    }

    /// Code of the block.
    fn body(&mut self, body: &mut Body<Kernels>) -> Option<()> {
        for stm in &mut body.stms {
            self.stm(stm)?;
        }
        // What leaves a body has the type that is expected of it.
        self.have_no_room(body.result.iter().filter_map(|e| e.name()))
    }

    fn stm(&mut self, stm: &mut Stm<Kernels>) -> Option<()> {
        let Stm { pat, exp, .. } = stm;
        match exp {
            Exp::Op(KernelsOp::Seg(seg)) => {
                self.only_reads_elements(&seg.body.body)?;
                if seg.space.dims.iter().all(|d| self.is_known(d.1)) {
                    return Some(());
                }
                self.operation(seg)?;
                let dims: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
                for (k, p) in pat.iter_mut().enumerate() {
                    let is_reduced = matches!(seg.kind, SegKind::Red(_)) && k < seg.combined();
                    let dims = if is_reduced { &dims[..dims.len() - 1] } else { &dims[..] };
                    let own = seg.types.get(k)?;
                    self.give(&mut p.ty, p.name, own.array_of(dims));
                }
            }
            Exp::Loop(l) => {
                let arrays = l.params.iter().filter_map(|(_, init)| init.name());
                self.have_no_room(arrays)?;
                self.body(&mut l.body)?;
            }
            Exp::If(_, yes, no) => {
                self.body(yes)?;
                self.body(no)?;
            }
            Exp::Basic(Basic::Rearrange(perm, array)) => {
                if let (Some(ty), [p]) = (self.with_room(*array), &mut pat[..]) {
                    let shape: Vec<SubExp> = perm.iter().map(|k| ty.shape()[*k]).collect();
                    let ty = ty.peel(ty.rank()).array_of(&shape);
                    self.give(&mut p.ty, p.name, ty);
                }
            }
            Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..)) => {}
            Exp::Basic(Basic::Copy(array)) if !self.are_known(pat[0].ty.shape()) => {
                *exp = Exp::Op(KernelsOp::Seg(self.copy(*array, &pat[0].ty)));
                return self.stm(stm);
            }
            Exp::Basic(Basic::Update(array, slice, value)) => {
                let [p] = &mut pat[..] else { return None };
                if let Some(ty) = self.with_room(*array).cloned() {
                    self.give(&mut p.ty, p.name, ty);
                }
                let value = value.name().filter(|v| {
                    let is_part = slice.iter().any(|d| matches!(d, DimIndex::Slice { .. }));
                    is_part && (!self.are_known(&slice_shape(slice)) || self.with_room(*v).is_some())
                });
                if let Some(value) = value {
                    if !self.are_disjoint(*array, value) {
                        return None;
                    }
                    *exp = Exp::Op(KernelsOp::Seg(self.update(*array, slice, value, &p.ty)?));
                }
            }
            Exp::Basic(Basic::Iota { n, .. }) if !self.is_known(*n) => {
                let [p] = &mut pat[..] else { return None };
                *n = self.room(*n)?;
                let ty = p.ty.peel(1).array_of(&[*n]);
                self.give(&mut p.ty, p.name, ty);
            }
            Exp::Basic(Basic::Replicate(shape, _)) if !self.are_known(shape) => {
                let [p] = &mut pat[..] else { return None };
                let elem = p.ty.peel(shape.len());
                for size in shape.iter_mut() {
                    *size = self.room(*size)?;
                }
                let ty = elem.array_of(shape);
                self.give(&mut p.ty, p.name, ty);
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => {
                self.have_no_room(free_in_exp(exp).into_iter())?;
            }
        }
        Some(())
    }

    fn have_no_room(&self, mut arrays: impl Iterator<Item = Name>) -> Option<()> {
        arrays.all(|n| self.with_room(n).is_none()).then_some(())
    }

    /// The type of an array, if it has room.
    fn with_room(&self, array: Name) -> Option<&Type> {
        self.given.get(&self.names.now(array.into()).name()?)
    }

    /// Whether two arrays are surely in different memory.
    fn are_disjoint(&self, a: Name, b: Name) -> bool {
        let [a, b] = [a, b].map(|n| self.names.now(n.into()).name().map(|n| self.sources.root(n)));
        let own = |n: Option<Name>| n.is_some_and(|n| self.sources.own.contains(&n));
        a != b && own(a) && own(b)
    }

    /// An operation over the elements of an array.
    fn over(&mut self, shape: &[SubExp]) -> SegOp<Kernels> {
        let flat = self.b.fresh("flat", Type::I64);
        let dims = shape.iter().map(|size| (self.b.fresh("i", Type::I64), *size)).collect();
        SegOp {
            level: SegLevel::InBlock,
            space: SegSpace { flat, dims },
            types: vec![],
            body: KernelBody { body: Body { stms: vec![], result: vec![] }, returns: vec![] },
            kind: SegKind::Map,
            virtualise: false,
            grid: None,
            schedule: None,
        }
    }

    /// A copy of a part of an array, as an operation.
    fn copy(&mut self, array: Name, ty: &Type) -> SegOp<Kernels> {
        let mut seg = self.over(ty.shape());
        let elem = ty.peel(ty.rank());
        self.b.begin();
        let x = self.b.bind("x", elem.clone(), Exp::Basic(Basic::Index(array, at_point(&seg))));
        seg.body = KernelBody { body: self.b.end(vec![x.into()]), returns: vec![KernelReturn::Elem] };
        seg.types = vec![elem];
        seg
    }

    /// An update of a part of an array, as an operation whose points write an element each, if it is there.
    fn update(&mut self, array: Name, slice: &Slice, value: Name, ty: &Type) -> Option<SegOp<Kernels>> {
        let mut seg = self.over(&slice_shape(slice));
        let limits = self.limits(&mut seg)?;
        let elem = ty.peel(ty.rank());
        self.b.begin();
        let there = self.is_there(limits);
        self.b.begin();
        let x = self.b.bind("x", elem.clone(), Exp::Basic(Basic::Index(value, at_point(&seg))));
        let mut results = vec![x.into()];
        let mut points = seg.space.dims.iter();
        for dim in slice {
            results.push(match dim {
                DimIndex::Fix(i) => *i,
                DimIndex::Slice { start, stride, .. } => {
                    let far = self.b.mul64(points.next()?.0.into(), *stride);
                    self.b.add64(*start, far)
                }
            });
        }
        let inner = self.b.end(results);
        let nowhere = SubExp::i64(-1);
        let mut outside = vec![SubExp::Const(elem.elem()?.blank())];
        outside.extend(slice.iter().map(|_| nowhere));
        let outside = Body { stms: vec![], result: outside };
        let types: Vec<Type> = [elem.clone()].into_iter().chain(slice.iter().map(|_| Type::I64)).collect();
        let own = self.b.bind_all("own", types, Exp::If(there, Box::new(inner), Box::new(outside)));
        let own: Vec<SubExp> = own.into_iter().map(SubExp::Var).collect();
        let write = KernelReturn::Write { array, shape: ty.shape().to_vec(), index: own[1..].to_vec() };
        seg.body = KernelBody { body: self.b.end(own[..1].to_vec()), returns: vec![write] };
        seg.types = vec![elem];
        Some(seg)
    }

    /// Whether the code of a thread uses arrays with room for nothing but their elements and parts.
    fn only_reads_elements(&self, body: &Body<Kernels>) -> Option<()> {
        let mut fine = self.have_no_room(body.result.iter().filter_map(|e| e.name())).is_some();
        for_each_stm(body, &mut |stm| {
            let reads = matches!(stm.exp, Exp::Basic(Basic::Index(..) | Basic::FlatIndex(..)));
            let mut has_bodies = false;
            for_each_body(&stm.exp, &mut |_| has_bodies = true);
            // Bodies are looked at on their own, but for what loops begin with.
            let used: Vec<Name> = if let Exp::Loop(l) = &stm.exp {
                l.params.iter().filter_map(|(_, init)| init.name()).collect()
            } else if has_bodies || reads {
                vec![]
            } else {
                free_in_exp(&stm.exp).into_iter().collect()
            };
            fine &= self.have_no_room(used.into_iter()).is_some();
            for_each_body(&stm.exp, &mut |b| {
                fine &= self.have_no_room(b.result.iter().filter_map(|e| e.name())).is_some();
            });
        });
        fine.then_some(())
    }

    fn give(&mut self, ty: &mut Type, name: Name, room: Type) {
        if *ty != room {
            *ty = room.clone();
            self.b.types.insert(name, room.clone());
            self.given.insert(name, room);
        }
    }

    /// Gives room to an operation: its points beyond the sizes that it had do nothing.
    fn operation(&mut self, seg: &mut SegOp<Kernels>) -> Option<()> {
        let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
        let neutral: Vec<SubExp> = match &seg.kind {
            SegKind::Map => vec![],
            SegKind::Red(ops) | SegKind::Scan(ops, None) => {
                ops.iter().flat_map(|op| op.neutral.iter().copied()).collect()
            }
            SegKind::Scan(_, Some(_)) | SegKind::Hist(_) => return None,
        };
        // The number of a point is another one then.
        if !elements || free_in_body(&seg.body.body).contains(&seg.space.flat) {
            return None;
        }
        let mut outside = vec![];
        for (k, ty) in seg.types.iter().enumerate() {
            let Type::Prim(prim) = ty else { return None };
            outside.push(neutral.get(k).copied().unwrap_or(SubExp::Const(prim.blank())));
        }
        let limits = self.limits(seg)?;
        let inner = std::mem::replace(&mut seg.body.body, Body { stms: vec![], result: vec![] });
        let types = seg.types.clone();
        self.b.begin();
        let there = self.is_there(limits);
        let outside = Body { stms: vec![], result: outside };
        let results = self.b.bind_all("own", types, Exp::If(there, Box::new(inner), Box::new(outside)));
        seg.body.body = self.b.end(results.into_iter().map(SubExp::Var).collect());
        Some(())
    }

    /// Gives room to the dimensions of an operation; which indices have which sizes as limits then.
    fn limits(&mut self, seg: &mut SegOp<Kernels>) -> Option<Vec<(Name, SubExp)>> {
        let mut limits = vec![];
        for (index, size) in &mut seg.space.dims {
            if !self.is_known(*size) {
                limits.push((*index, *size));
                *size = self.room(*size)?;
            }
        }
        Some(limits)
    }

    /// Whether a point is within limits.
    fn is_there(&mut self, limits: Vec<(Name, SubExp)>) -> SubExp {
        let mut there = SubExp::bool(true);
        for (index, size) in limits {
            let is_there = self.b.cmp(CmpOp::SLt(I64), index.into(), size);
            there = match there {
                SubExp::Const(_) => is_there,
                SubExp::Var(_) => self.b.bin(BinOp::LogAnd, there, is_there),
            };
        }
        there
    }

    /// How many elements there are at most, where there are so many.
    fn room(&mut self, size: SubExp) -> Option<SubExp> {
        if self.is_known(size) {
            return Some(size);
        }
        let size = self.names.now(size);
        if let Some(room) = self.rooms.get(&size) {
            return Some(*room);
        }
        let (_, most) = self.range(size)?;
        let most = self.b.bin(BinOp::SMax(I64), most, SubExp::i64(0));
        self.rooms.insert(size, most);
        self.used.push(most);
        Some(most)
    }

    /// The range of a number of the block.
    fn range(&mut self, e: SubExp) -> Option<Range> {
        let e = self.names.now(e);
        let n = match e {
            SubExp::Var(n) if self.inside.contains(&n) => n,
            SubExp::Var(_) | SubExp::Const(_) => return Some((e, e)),
        };
        if let Some(range) = self.ranges.get(&n) {
            return Some(*range);
        }
        let found = match self.origins.get(&n)? {
            Origin::Counter(bound) => {
                let (_, most) = self.range(*bound)?;
                (SubExp::i64(0), self.b.sub64(most, SubExp::i64(1)))
            }
            Origin::Computed(Basic::SubExp(x)) => self.range(*x)?,
            Origin::Computed(Basic::BinOp(op, x, y)) => {
                let (op, x, y) = (*op, *x, *y);
                let (x, y) = (self.range(x)?, self.range(y)?);
                self.computed(op, x, y)?
            }
            Origin::Computed(_) => return None,
        };
        self.ranges.insert(n, found);
        Some(found)
    }

    fn computed(&mut self, op: BinOp, x: Range, y: Range) -> Option<Range> {
        let b = &mut *self.b;
        if !is_ranged(op) {
            return None;
        }
        if op == BinOp::Sub(I64) {
            return Some((b.sub64(x.0, y.1), b.sub64(x.1, y.0)));
        }
        if op == BinOp::Add(I64) {
            return Some((b.add64(x.0, y.0), b.add64(x.1, y.1)));
        }
        if op != BinOp::Mul(I64) {
            return Some((b.bin(op, x.0, y.0), b.bin(op, x.1, y.1)));
        }
        let mut products: Vec<SubExp> = vec![];
        for (p, q) in [(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)] {
            let product = b.mul64(p, q);
            if !products.contains(&product) {
                products.push(product);
            }
        }
        let mut fold = |op| products.iter().copied().reduce(|p, q| b.bin(op, p, q));
        Some((fold(BinOp::SMin(I64))?, fold(BinOp::SMax(I64))?))
    }
}
