//! Results of a map that cost less than to store them are computed by the map that reads them.
//!
//! ```text
//! let (ds, cs) = segmap (i < n, j < m) {                  let (cs) = segmap (i < n, j < m) {
//!   d = a[i + 1, j] - a[i, j]                               d = a[i + 1, j] - a[i, j]
//!   c = 1 / (1 + d * d)                                     c = 1 / (1 + d * d)
//!   return (d, c) }                                ==>      return (c) }
//! let (b) = segmap (i < n, j < m) {                       let (b) = segmap (i < n, j < m) {
//!   d = ds[i, j]                                            d = a[i + 1, j] - a[i, j]
//!   return (a[i, j] + d * cs[i + 1, j]) }                   return (a[i, j] + d * cs[i + 1, j]) }
//! ```
//!
//! Fusion stops where a map reads some results of another at other points than its own. Those that it reads
//! at its own point need not be stored for that: a result is written and read again, and the device moves a
//! byte in the time of several instructions. So such results are computed again, if that takes no more than
//! [`INSTRUCTIONS_PER_BYTE`] for each byte that is not moved: additions, comparisons and reads, but neither
//! divisions nor functions. Reads are along rows, at places that depend on the point alone; arrays that the
//! second map does not read yet count as bytes that are moved.
//!
//! **When it is legal.** All points compute the result, and nothing else reads it. Between the two maps,
//! nothing is changed in place.

use fehu_base::ops::BinOp;
use fehu_base::tuning::flattening::INSTRUCTIONS_PER_BYTE;
use fehu_base::{Name, NameSource};
use fehu_ir::class::Class;
use fehu_ir::cost::scalar_instructions;
use fehu_ir::free::free_in_exp;
use fehu_ir::seg::{KernelReturn, KernelsOp, SegKind, SegLevel, SegOp};
use fehu_ir::subst::{rename_body, Subst};
use fehu_ir::types::{prog_types, Types};
use fehu_ir::visit::{deep, for_each_stm, look, map_bodies, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Results that cost less than to store them are computed where they are read.
pub static PASS: Pass<Prog<Kernels>> = Pass { name: "recompute", need: Need::Optional, run: recompute };

fn recompute(prog: &mut Prog<Kernels>) {
    let types = prog_types(prog);
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut pass = Recompute { names, types, readers: Readers::default() };
    for fun in &mut prog.funs {
        pass.readers.body(&fun.body);
        pass.host(&mut fun.body);
    }
    prog.names = pass.names;
}

struct Recompute {
    names: NameSource,
    types: Types,
    readers: Readers,
}

/// Which statements mention the results of kernels: those of the body that the kernel is in, whose parts they
/// may be mentioned in. What becomes of readers later does not matter, since kernels are gone through in
/// order.
#[derive(Default)]
struct Readers {
    /// The numbers of the statements around, outermost first.
    around: Vec<usize>,
    /// In how many others the statement is that binds an array.
    depth: FxHashMap<Name, usize>,
    /// The first statement that mentions an array, if it is the only one.
    only: FxHashMap<Name, Option<usize>>,
}

impl Visitor<Kernels> for Readers {
    fn body(&mut self, body: &Body<Kernels>) {
        deep(|| {
            let depth = self.around.len();
            self.around.push(0);
            for (number, stm) in body.stms.iter().enumerate() {
                self.around[depth] = number;
                self.stm(stm);
                if let Exp::Op(KernelsOp::Seg(_)) = &stm.exp {
                    self.depth.extend(stm.pat.iter().map(|p| (p.name, depth)));
                }
            }
            // No statement has this number: what a body returns is not only read.
            self.around[depth] = usize::MAX;
            look::operands::<Kernels>(self, &body.result);
            self.around.pop();
        });
    }

    fn name(&mut self, n: &Name) {
        if let Some(depth) = self.depth.get(n) {
            let reader = self.around[*depth];
            let only = self.only.entry(*n).or_insert(Some(reader));
            *only = only.filter(|first| *first == reader);
        }
    }
}

impl Recompute {
    /// Code of the host.
    fn host(&mut self, body: &mut Body<Kernels>) {
        for number in 0..body.stms.len() {
            match &mut body.stms[number].exp {
                Exp::Op(KernelsOp::Seg(_)) => self.map(body, number),
                exp @ (Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_)) => {
                    map_bodies(exp, &mut |inner| deep(|| self.host(inner)));
                }
                Exp::Op(KernelsOp::Size(_)) => {}
            }
        }
        body.stms.retain(|stm| !stm.pat.is_empty() || !matches!(stm.exp, Exp::Op(KernelsOp::Seg(_))));
    }

    /// Moves results of the map of this number into the map that reads them.
    fn map(&mut self, body: &mut Body<Kernels>, number: usize) {
        let Some(first) = map_of(&body.stms[number]) else { return };
        let readers: Vec<Option<usize>> =
            body.stms[number].pat.iter().map(|p| self.only_reader(body, p.name)).collect();
        let Some(reader) = readers.iter().flatten().copied().min() else { return };
        let Some(second) = map_of(&body.stms[reader]) else { return };
        let between = &body.stms[number + 1..reader];
        let sizes = |seg: &SegOp<Kernels>| seg.space.dims.iter().map(|d| d.1).collect::<Vec<_>>();
        if sizes(first) != sizes(second) || !between.iter().all(changes_nothing) {
            return;
        }
        let points = Points::of(first);
        let arrays: Vec<Name> = body.stms[number].pat.iter().map(|p| p.name).collect();
        let suits = |k: &usize| {
            readers[*k] == Some(reader)
                && reads_own_points(second, arrays[*k])
                && points.slice(&[first.body.body.result[*k]]).is_some()
        };
        let moved: Vec<usize> = (0..arrays.len()).filter(suits).collect();
        let results: Vec<SubExp> = moved.iter().map(|k| first.body.body.result[*k]).collect();
        let Some(slice) = points.slice(&results).filter(|_| !moved.is_empty()) else { return };
        if !self.pays(first, second, &moved, &slice) {
            return;
        }
        let copy = self.copy(first, second, Body { stms: slice, result: results });
        let values: FxHashMap<Name, SubExp> =
            moved.iter().map(|k| arrays[*k]).zip(copy.result.iter().copied()).collect();
        let stay = |k: usize| !moved.contains(&k);
        let relied_on = body.stms[number].certs.clone();
        let consumer = &mut body.stms[reader];
        consumer
            .certs
            .extend(relied_on.into_iter().filter(|c| !consumer.certs.contains(c)).collect::<Vec<_>>());
        if let Exp::Op(KernelsOp::Seg(seg)) = &mut consumer.exp {
            replace_reads(&mut seg.body.body, &values);
            seg.body.body.stms.splice(0..0, copy.stms);
        }
        let producer = &mut body.stms[number];
        producer.pat = keep(&producer.pat, stay);
        if let Exp::Op(KernelsOp::Seg(seg)) = &mut producer.exp {
            seg.types = keep(&seg.types, stay);
            seg.body.returns = keep(&seg.body.returns, stay);
            seg.body.body.result = keep(&seg.body.body.result, stay);
        }
    }

    /// The only statement of a body that mentions an array that another one binds.
    fn only_reader(&self, body: &Body<Kernels>, array: Name) -> Option<usize> {
        self.readers.only.get(&array).copied().flatten().filter(|reader| *reader < body.stms.len())
    }

    /// Whether to compute results again costs less than to store and read them.
    fn pays(
        &self,
        first: &SegOp<Kernels>,
        second: &SegOp<Kernels>,
        moved: &[usize],
        slice: &[Stm<Kernels>],
    ) -> bool {
        let stored: u64 = moved.iter().filter_map(|k| first.types[*k].elem()).map(|e| 2 * e.bytes()).sum();
        let read_already = arrays_read(&second.body.body);
        let body = Body { stms: slice.to_vec(), result: vec![] };
        let elem_bytes = |a: &Name| self.types.get(a).and_then(Type::elem).map_or(u64::MAX, |e| e.bytes());
        let read: Vec<u64> = arrays_read(&body).difference(&read_already).map(elem_bytes).collect();
        let read = read.into_iter().fold(0, u64::saturating_add);
        let saved = stored.saturating_sub(read);
        let most = usize::try_from(saved).unwrap_or(0) * INSTRUCTIONS_PER_BYTE;
        saved > 0 && scalar_instructions(&body).is_some_and(|n| n <= most)
    }

    /// Statements of one map with names of their own, at the points of another.
    fn copy(
        &mut self,
        first: &SegOp<Kernels>,
        second: &SegOp<Kernels>,
        body: Body<Kernels>,
    ) -> Body<Kernels> {
        let mut copy = rename_body(&mut self.names, &body);
        let mut subst = Subst::new();
        for ((from, _), (to, _)) in first.space.dims.iter().zip(&second.space.dims) {
            subst.insert(*from, *to);
        }
        subst.insert(first.space.flat, second.space.flat);
        subst.body(&mut copy);
        copy
    }
}

fn keep<T: Clone>(all: &[T], stays: impl Fn(usize) -> bool) -> Vec<T> {
    all.iter().enumerate().filter(|(k, _)| stays(*k)).map(|(_, x)| x.clone()).collect()
}

/// The map of threads that a statement is, if its points are scalars.
fn map_of(stm: &Stm<Kernels>) -> Option<&SegOp<Kernels>> {
    let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return None };
    let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    let scalars = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
    let map = seg.level == SegLevel::Thread && matches!(seg.kind, SegKind::Map) && seg.grid.is_none();
    (map && elements && scalars).then_some(seg)
}

/// Whether a statement changes no array in place.
fn changes_nothing(stm: &Stm<Kernels>) -> bool {
    match &stm.exp {
        Exp::Basic(basic) => basic.class() != Class::Update,
        Exp::Op(KernelsOp::Size(_)) => true,
        Exp::Op(KernelsOp::Seg(_)) => map_of(stm).is_some(),
        Exp::If(..) | Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) => false,
    }
}

/// Whether a map uses an array only to read the element of its own point: it is no value of a branch or a loop either.
fn reads_own_points(seg: &SegOp<Kernels>, array: Name) -> bool {
    struct Mentions {
        array: Name,
        point: Vec<DimIndex>,
        all: usize,
        own: usize,
    }
    impl Visitor<Kernels> for Mentions {
        fn name(&mut self, n: &Name) {
            self.all += usize::from(*n == self.array);
        }
        fn exp(&mut self, exp: &Exp<Kernels>) {
            let is_own =
                matches!(exp, Exp::Basic(Basic::Index(a, slice)) if *a == self.array && *slice == self.point);
            self.own += usize::from(is_own);
            deep(|| look::exp(self, exp));
        }
    }
    let point = seg.space.dims.iter().map(|(i, _)| DimIndex::Fix((*i).into())).collect();
    let mut mentions = Mentions { array, point, all: 0, own: 0 };
    mentions.body(&seg.body.body);
    mentions.own > 0 && mentions.all == mentions.own
}

/// Takes values for the elements that are read.
fn replace_reads(body: &mut Body<Kernels>, values: &FxHashMap<Name, SubExp>) {
    for stm in &mut body.stms {
        if let Exp::Basic(Basic::Index(array, _)) = &stm.exp {
            if let Some(value) = values.get(array) {
                stm.exp = Exp::Basic(Basic::SubExp(*value));
            }
        }
        map_bodies(&mut stm.exp, &mut |inner| deep(|| replace_reads(inner, values)));
    }
}

/// The arrays of which code reads elements.
fn arrays_read(body: &Body<Kernels>) -> FxHashSet<Name> {
    let mut arrays = FxHashSet::default();
    for_each_stm(body, &mut |stm| {
        if let Exp::Basic(Basic::Index(array, _)) = &stm.exp {
            arrays.insert(*array);
        }
    });
    arrays
}

/// How the values of a map's points depend on their indices.
struct Points<'s> {
    stms: &'s [Stm<Kernels>],
    /// What depends on the index along rows, and what on elements of arrays.
    along: FxHashSet<Name>,
    on_elements: FxHashSet<Name>,
}

impl<'s> Points<'s> {
    fn of(seg: &'s SegOp<Kernels>) -> Points<'s> {
        let mut along: FxHashSet<Name> = seg.space.dims.last().map(|d| d.0).into_iter().collect();
        along.insert(seg.space.flat);
        let mut on_elements = FxHashSet::default();
        let stms = seg.body.body.stms.as_slice();
        for stm in stms {
            let uses = free_in_exp(&stm.exp);
            let reads = matches!(stm.exp, Exp::Basic(Basic::Index(..)));
            let names = || stm.pat.iter().map(|p| p.name);
            if uses.iter().any(|n| along.contains(n)) {
                along.extend(names());
            }
            if reads || uses.iter().any(|n| on_elements.contains(n)) {
                on_elements.extend(names());
            }
        }
        Points { stms, along, on_elements }
    }

    /// The statements that operands need, if all of them may be done again.
    fn slice(&self, operands: &[SubExp]) -> Option<Vec<Stm<Kernels>>> {
        let relies = self.stms.iter().any(Stm::stays);
        let bound: FxHashSet<Name> = self.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
        let mut needed: FxHashSet<Name> = operands.iter().filter_map(|e| e.name()).collect();
        let mut slice = vec![];
        for stm in self.stms.iter().rev() {
            if !stm.pat.iter().any(|p| needed.contains(&p.name)) {
                continue;
            }
            let reads = matches!(stm.exp, Exp::Basic(Basic::Index(..)));
            if relies && reads || !self.may_be_repeated(stm) || stm.certs.iter().any(|c| bound.contains(c)) {
                return None;
            }
            needed.extend(free_in_exp(&stm.exp));
            slice.push(stm.clone());
        }
        slice.reverse();
        Some(slice)
    }

    fn may_be_repeated(&self, stm: &Stm<Kernels>) -> bool {
        let scalars = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
        scalars
            && match &stm.exp {
                Exp::Basic(basic) => self.is_short(basic),
                Exp::If(_, yes, no) => {
                    let mut short = true;
                    for body in [yes, no] {
                        for_each_stm(body, &mut |stm| {
                            short &= match &stm.exp {
                                Exp::Basic(basic) => {
                                    basic.class() == Class::Arithmetic && self.is_short(basic)
                                }
                                Exp::If(..) => true,
                                Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
                            };
                        });
                    }
                    short
                }
                Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
            }
    }

    /// Whether this is an operation of an instruction or two, or reads along rows.
    fn is_short(&self, basic: &Basic) -> bool {
        if let Basic::BinOp(op, ..) = basic {
            return !op.is_partial() && !matches!(op, BinOp::FDiv(_) | BinOp::FMod(_) | BinOp::FPow(_));
        }
        let Basic::Index(_, slice) = basic else { return basic.class() == Class::Arithmetic };
        let last = slice.len().saturating_sub(1);
        slice.iter().enumerate().all(|(k, dim)| match dim {
            DimIndex::Fix(SubExp::Var(n)) => {
                !self.on_elements.contains(n) && (k == last || !self.along.contains(n))
            }
            DimIndex::Fix(SubExp::Const(_)) => true,
            DimIndex::Slice { .. } => false,
        })
    }
}
