//! What the threads of a block read of an array in leaps, iteration by iteration, is copied to shared memory
//! before, row by row.
//!
//! In each iteration of a loop, the threads of a block may read elements that are in rows of their own: those
//! of a diagonal, as programs on triangles and wavefronts do. Each of them is a transaction, and its
//! neighbours in the row are read by other threads in other iterations. Over all iterations and threads, what
//! is read is a rectangle:
//!
//! ```text
//! segmap block (b < k) {                                          let (h, w) = the sides of the rectangle
//!   ..                                                            segmap block (b < k) {
//!   loop .. for i < m {                                             let (kept : [h][w]i32) = segmap in_block (r < h, c < w) { xss[y + r, x + c] }
//!     segmap in_block (t < n) {                                     loop .. for i < m {
//!       if t <= i then { .. xss[y + i - t, x + t] .. }        ->      segmap in_block (t < n) {
//!     }                                                                 if t <= i then { .. kept[i - t, t] .. }
//!   }
//! }
//! ```
//!
//! **When it is correct.** An index is a polynomial of the numbers of the thread and of the iterations, with
//! constant factors, and of what does not change in the loops. Its least and its largest value are guessed:
//! each number is zero, or as large as it gets, whichever makes less of the array; and proven, with the
//! conditions of the branches around the read. Narrow integers count as what they were computed of if that is
//! proven to fit. Rows and columns beyond the array, which nobody reads, are not copied.
//!
//! **When it pays.** The row differs from thread to thread, and the threads read at least as many elements as
//! the rectangle has, so that most are read: to copy them takes a transaction for 32 of them, and to read
//! them in leaps one for each. The rectangle has the same sides in all blocks, which the host knows, and at
//! most [`MAX_RECTANGLE_BYTES`], so that as many blocks can run at a time as there usually are.
//!
//! Times of the public `nw`, whose blocks go through squares along their diagonals:
//! `notebook/2026-11-19-gpu-mechanisms.md`. Such diagonals would be in one bank of shared memory, but
//! `memory/banks` makes the rows longer.

use fehu_algebra::horner::{horner, Arith};
use fehu_algebra::{Facts, Poly, Sym};
use fehu_analysis::{remainder_of, Known};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::rectangles::MAX_RECTANGLE_BYTES;
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::free::free_in_stms;
use fehu_ir::mem::{poly, sym, sym_name};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::types::{prog_types, Types};
use fehu_ir::visit::{change, deep, look, map_bodies, Mutator, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Loop, LoopForm, Prog, Rep, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rectangles that blocks read in leaps are copied to shared memory.
pub static PASS: Pass<Prog<Kernels>> = Pass { name: "rectangles", need: Need::Optional, run: keep };

/// The most numbers of threads and iterations that an index may depend on.
const MAX_NUMBERS: usize = 4;
/// The sides that a rectangle may be known to have at most.
const SIDES: [i64; 7] = [4, 8, 16, 32, 64, 128, 256];

fn keep(prog: &mut Prog<Kernels>) {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let types = prog_types(prog);
    let mut pass = Rectangles { names, types, known: Known::default() };
    for fun in &mut prog.funs {
        pass.known = Known::of_fun(fun);
        pass.host(&mut fun.body);
    }
    prog.names = pass.names;
}

struct Rectangles {
    names: NameSource,
    types: Types,
    known: Known,
}

impl Rectangles {
    /// Code of the host.
    fn host(&mut self, body: &mut Body<Kernels>) {
        deep(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                match &mut stm.exp {
                    Exp::Op(KernelsOp::Seg(seg)) if seg.level == SegLevel::Block => {
                        self.kernel(seg, &mut out)
                    }
                    Exp::Op(_) => {}
                    other
                    @ (Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_)) => {
                        map_bodies(other, &mut |inner| self.host(inner))
                    }
                }
                out.push(stm);
            }
            body.stms = out;
        });
    }

    /// Copies what a kernel of blocks reads in leaps; `out` is what runs before it.
    fn kernel(&mut self, seg: &mut SegOp<Kernels>, out: &mut Vec<Stm<Kernels>>) {
        let facts = self.known.in_points(&self.known.facts(), &seg.space, &seg.body.body);
        let mut survey = Survey {
            known: &self.known,
            types: &self.types,
            unfit: unfit(seg),
            at: 0,
            numbers: vec![],
            times: Poly::one(),
            local: FxHashSet::default(),
            reads: vec![],
        };
        survey.block(&seg.body.body, &facts);
        let groups = grouped(survey.reads);
        let mut copies: Vec<(usize, Vec<Stm<Kernels>>)> = vec![];
        let b: Builder<Kernels> = Builder::new(std::mem::replace(&mut self.names, NameSource::new()));
        let types = &self.types;
        let mut instead = Instead { by: FxHashMap::default(), types, builder: b };
        let inside = bound_in(seg);
        for group in groups.iter().filter(|g| g.is_known_before(&inside) && g.pays(&facts)) {
            let b = &mut instead.builder;
            b.begin();
            let sides = [0, 1].map(|d| {
                let side = emitted(b, types, &group.side(d));
                match facts.nonneg(&group.side(d)) {
                    true => side,
                    false => b.bin(BinOp::SMax(IntType::I64), SubExp::i64(0), side),
                }
            });
            out.extend(b.end(vec![]).stms);
            b.begin();
            let first = [0, 1].map(|d| emitted(b, types, &group.range[d].0));
            let kept = group.copy(b, types, first, sides);
            let stms = b.end(vec![]).stms;
            copies.push((earliest(&seg.body.body, group.at, &stms), stms));
            for (stm, index) in &group.reads {
                let at = [0, 1].map(|d| &index[d] - &group.range[d].0);
                instead.by.insert(*stm, (kept, at));
            }
        }
        if !copies.is_empty() {
            instead.body(&mut seg.body.body);
            // From the last on, so that places of others stay what they are.
            copies.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
            for (at, stms) in copies {
                seg.body.body.stms.splice(at..at, stms);
            }
        }
        self.names = instead.builder.names;
    }
}

/// Where the copies that are to be there at a statement of a block can begin: from then on they may be on
/// their way, while the block does something else. They do not pass what makes an array that is gone when
/// they are needed, since the two might be in the same memory.
fn earliest(body: &Body<Kernels>, at: usize, copies: &[Stm<Kernels>]) -> usize {
    let needs = free_in_stms(copies);
    let mut live = free_in_stms(&body.stms[at..]);
    live.extend(body.result.iter().filter_map(|e| e.name()));
    let mut first = at;
    for stm in body.stms[..at].iter().rev() {
        let used = stm.pat.iter().any(|p| live.contains(&p.name));
        let arrays = stm.pat.iter().any(|p| matches!(p.ty, Type::Array(..)));
        let kept = match &stm.exp {
            Exp::Basic(Basic::Update(array, ..)) => {
                live.extend(used.then_some(*array));
                true
            }
            Exp::Basic(Basic::Index(..) | Basic::Rearrange(..) | Basic::Reshape(..)) => true,
            Exp::Basic(_) => used || !arrays,
            Exp::Op(KernelsOp::Seg(_)) => stm.pat.iter().all(|p| live.contains(&p.name)),
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
        };
        if !kept || stm.stays() || stm.pat.iter().any(|p| needs.contains(&p.name)) {
            break;
        }
        first -= 1;
    }
    first
}

/// What is bound in a kernel.
fn bound_in(seg: &SegOp<Kernels>) -> FxHashSet<Name> {
    let mut inside: FxHashSet<Name> = seg.space.dims.iter().map(|d| d.0).chain([seg.space.flat]).collect();
    learn_bound(&mut inside, &seg.body.body);
    inside
}

fn learn_bound(names: &mut FxHashSet<Name>, body: &Body<Kernels>) {
    struct Bound<'a>(&'a mut FxHashSet<Name>);
    impl Visitor<Kernels> for Bound<'_> {
        fn bound(&mut self, n: &Name) {
            self.0.insert(*n);
        }
    }
    Bound(names).body(body);
}

/// The arrays that a kernel does more with than to read elements and slices, or that it changes.
fn unfit(seg: &SegOp<Kernels>) -> FxHashSet<Name> {
    struct Others(FxHashSet<Name>);
    impl Visitor<Kernels> for Others {
        fn name(&mut self, n: &Name) {
            self.0.insert(*n);
        }
        fn exp(&mut self, exp: &Exp<Kernels>) {
            if let Exp::Basic(Basic::Index(_, slice)) = exp {
                look::slice(self, slice);
            } else {
                deep(|| look::exp(self, exp));
            }
        }
    }
    let mut others = Others(FxHashSet::default());
    others.body(&seg.body.body);
    for r in &seg.body.returns {
        if let KernelReturn::Write { array, .. } = r {
            others.0.insert(*array);
        }
    }
    others.0
}

/// An element that threads of a block read in the iterations of a loop.
struct Read {
    /// What the statement binds.
    stm: Name,
    array: Name,
    elem: PrimType,
    /// The dimension of the rows; that inside of a row is the last.
    rows: usize,
    /// The indices in all dimensions but these two.
    fixed: Vec<Poly>,
    /// The row, and the place in it.
    index: [Poly; 2],
    /// The least and the largest row, and the least and the largest place in a row.
    range: [(Poly, Poly); 2],
    /// How often it is read.
    times: Poly,
    /// The statement of the kernel that it is in.
    at: usize,
}

/// Finds what threads of blocks read in leaps.
struct Survey<'a> {
    known: &'a Known,
    types: &'a Types,
    unfit: FxHashSet<Name>,
    at: usize,
    /// Numbers of iterations and of the thread, and what they stay below.
    numbers: Vec<(Name, SubExp)>,
    /// How often the current code runs.
    times: Poly,
    /// What is bound in the statement of the kernel.
    local: FxHashSet<Name>,
    reads: Vec<Read>,
}

impl Survey<'_> {
    /// Code that a block runs once.
    fn block(&mut self, body: &Body<Kernels>, facts: &Facts) {
        for (at, stm) in body.stms.iter().enumerate() {
            if let Exp::Loop(l) = &stm.exp {
                self.at = at;
                self.local.clear();
                learn_bound(&mut self.local, &l.body);
                self.iterations(l, facts, &mut |s, facts| s.in_loop(&l.body, &facts));
            }
        }
    }

    /// Code of a block that runs in each iteration of a loop.
    fn in_loop(&mut self, body: &Body<Kernels>, facts: &Facts) {
        for stm in &body.stms {
            match &stm.exp {
                Exp::Loop(l) => self.iterations(l, facts, &mut |s, facts| s.in_loop(&l.body, &facts)),
                Exp::Op(KernelsOp::Seg(seg)) if seg.level == SegLevel::InBlock => {
                    let [(thread, threads)] = seg.space.dims[..] else { continue };
                    let facts = self.known.in_points(facts, &seg.space, &seg.body.body);
                    self.numbered(thread, threads, |s| s.thread(&seg.body.body, facts, thread));
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
            }
        }
    }

    fn iterations(&mut self, l: &Loop<Kernels>, facts: &Facts, f: &mut dyn FnMut(&mut Self, Facts)) {
        let LoopForm::For { var, ty: IntType::I64, bound } = l.form else { return };
        let facts = self.known.in_loop(facts, l);
        self.local.extend(l.params.iter().map(|(p, _)| p.name));
        deep(|| self.numbered(var, bound, |s| f(s, facts)));
    }

    fn numbered(&mut self, number: Name, bound: SubExp, f: impl FnOnce(&mut Self)) {
        let times = self.times.clone() * poly(bound);
        let before = std::mem::replace(&mut self.times, times);
        self.numbers.push((number, bound));
        self.local.insert(number);
        f(self);
        self.numbers.pop();
        self.times = before;
    }

    /// Code of a thread.
    fn thread(&mut self, body: &Body<Kernels>, mut facts: Facts, thread: Name) {
        for stm in &body.stms {
            widen(stm, &mut facts);
            match &stm.exp {
                Exp::Basic(Basic::Index(array, slice)) => self.read(stm, *array, slice, &facts, thread),
                Exp::Loop(l) => {
                    self.iterations(l, &facts, &mut |s, inner| s.thread(&l.body, inner, thread));
                }
                Exp::If(c, t, f) => {
                    for (branch, taken) in [(t, true), (f, false)] {
                        let mut inner = facts.clone();
                        self.known.enter_branch(&mut inner, *c, taken);
                        self.known.enter_body(&mut inner, branch);
                        deep(|| self.thread(branch, inner, thread));
                    }
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
            }
        }
    }

    /// A read of an array.
    fn read(&mut self, stm: &Stm<Kernels>, array: Name, slice: &[DimIndex], facts: &Facts, thread: Name) {
        let [p] = stm.pat.as_slice() else { return };
        let Type::Prim(elem) = p.ty else { return };
        let outside = !self.local.contains(&array) && !self.unfit.contains(&array);
        if !outside || slice.len() < 2 || self.numbers.len() > MAX_NUMBERS {
            return;
        }
        let index = |d: &DimIndex| match d {
            DimIndex::Fix(e) if self.is_outside(&poly(*e)) => Some(poly(*e)),
            DimIndex::Fix(e) => Some(facts.normalise(&poly(*e))),
            DimIndex::Slice { .. } => None,
        };
        let Some(indices) = slice.iter().map(index).collect::<Option<Vec<Poly>>>() else { return };
        let varies = |p: &Poly| self.numbers.iter().any(|(x, _)| p.mentions(sym(*x)));
        let varying: Vec<usize> = (0..indices.len()).filter(|d| varies(&indices[*d])).collect();
        let [rows, last] = varying[..] else { return };
        let leaps = indices[rows].mentions(sym(thread));
        if !leaps || last + 1 != indices.len() || !self.types.contains_key(&array) {
            return;
        }
        let of = |d: usize| self.range(&indices[d], facts);
        let (Some(down), Some(along)) = (of(rows), of(last)) else { return };
        let index = [indices[rows].clone(), indices[last].clone()];
        let mut fixed = indices;
        fixed.truncate(last);
        fixed.remove(rows);
        if !fixed.iter().all(|p| self.is_outside(p)) {
            return;
        }
        let times = facts.normalise(&self.times);
        let (range, at) = ([down, along], self.at);
        self.reads.push(Read { stm: p.name, array, elem, rows, fixed, index, range, times, at });
    }

    fn is_outside(&self, p: &Poly) -> bool {
        let is_name = |x: Sym| remainder_of(x).is_none() && !self.local.contains(&sym_name(x));
        p.is_known() && p.vars().into_iter().all(is_name)
    }

    /// The least and the largest value of an index.
    fn range(&self, index: &Poly, facts: &Facts) -> Option<(Poly, Poly)> {
        let (mut rest, mut least, mut most) = (index.clone(), vec![], vec![]);
        for (x, bound) in self.numbers.iter().rev() {
            let (factor, without) = rest.split_on(sym(*x));
            rest = without;
            let factor = factor.as_constant()?;
            let end = facts.normalise(&((poly(*bound) - 1) * Poly::constant(factor)));
            match factor {
                0 => {}
                1.. => most.push(end),
                _ => least.push(end),
            }
        }
        if !self.is_outside(&rest) || !least.iter().chain(&most).all(|p| self.is_outside(p)) {
            return None;
        }
        let low = guesses(&rest, &least).find(|low| facts.le(low, index))?;
        let high = guesses(&rest, &most).find(|high| facts.le(index, high))?;
        Some((low, high))
    }
}

/// A number with some of others added to it, as few as possible first.
fn guesses<'a>(rest: &'a Poly, ends: &'a [Poly]) -> impl Iterator<Item = Poly> + 'a {
    let mut sets: Vec<usize> = (0..1usize << ends.len()).collect();
    sets.sort_by_key(|set| (set.count_ones(), std::cmp::Reverse(*set)));
    sets.into_iter().map(move |set| {
        let chosen = ends.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1);
        chosen.fold(rest.clone(), |sum, (_, end)| sum + end)
    })
}

/// Takes note of what a narrow integer is, if what it was computed of fits.
pub(crate) fn widen<R: Rep>(stm: &Stm<R>, facts: &mut Facts) {
    let ([p], Exp::Basic(basic)) = (stm.pat.as_slice(), &stm.exp) else { return };
    let (ty, value) = if let Basic::Conv(ConvOp::SExt(_, to), e) = basic {
        (*to, poly(*e))
    } else if let Basic::BinOp(BinOp::Add(ty), a, b) = basic {
        (*ty, poly(*a) + poly(*b))
    } else if let Basic::BinOp(BinOp::Sub(ty), a, b) = basic {
        (*ty, poly(*a) - poly(*b))
    } else {
        return;
    };
    if ty == IntType::I64 {
        return;
    }
    let value = facts.normalise(&value);
    let end = 1i64 << (ty.bits() - 1);
    if value.is_known() && facts.lt(&value, &Poly::constant(end)) && facts.le(&Poly::constant(-end), &value) {
        facts.define(sym(p.name), &value);
    }
}

/// Reads of one rectangle.
struct Group {
    /// What statements bind, with the row and the place in it.
    reads: Vec<(Name, [Poly; 2])>,
    array: Name,
    elem: PrimType,
    rows: usize,
    fixed: Vec<Poly>,
    range: [(Poly, Poly); 2],
    times: Vec<Poly>,
    at: usize,
}

/// Reads of the same array whose rectangles are as far from each other as constants say, together.
fn grouped(reads: Vec<Read>) -> Vec<Group> {
    let mut groups: Vec<Group> = vec![];
    for read in reads {
        let same = |g: &&mut Group| g.array == read.array && g.rows == read.rows && g.fixed == read.fixed;
        let both = |g: &Group| {
            let [a, b] = [0, 1].map(|d| joined(&g.range[d], &read.range[d]));
            Some([a?, b?])
        };
        match groups.iter_mut().filter(same).find_map(|g| Some((both(g)?, g))) {
            Some((range, group)) => {
                group.range = range;
                group.reads.push((read.stm, read.index));
                group.times.push(read.times);
                group.at = group.at.min(read.at);
            }
            None => groups.push(Group {
                reads: vec![(read.stm, read.index)],
                array: read.array,
                elem: read.elem,
                rows: read.rows,
                fixed: read.fixed,
                range: read.range,
                times: vec![read.times],
                at: read.at,
            }),
        }
    }
    groups
}

/// The least range that has two others in it.
fn joined(a: &(Poly, Poly), b: &(Poly, Poly)) -> Option<(Poly, Poly)> {
    let low = if (&a.0 - &b.0).as_constant()? <= 0 { &a.0 } else { &b.0 };
    let high = if (&a.1 - &b.1).as_constant()? >= 0 { &a.1 } else { &b.1 };
    Some((low.clone(), high.clone()))
}

impl Group {
    /// How many rows the rectangle has, or elements in a row.
    fn side(&self, d: usize) -> Poly {
        let (low, high) = &self.range[d];
        high - low + 1
    }

    /// Whether the host can compute how large the rectangle is: the same for all blocks, and before they run.
    fn is_known_before(&self, inside: &FxHashSet<Name>) -> bool {
        [0, 1].iter().all(|d| self.side(*d).vars().into_iter().all(|x| !inside.contains(&sym_name(x))))
    }

    fn pays(&self, facts: &Facts) -> bool {
        let most = |d: usize| SIDES.iter().copied().find(|n| facts.le(&self.side(d), &Poly::constant(*n)));
        let (Some(down), Some(along)) = (most(0), most(1)) else { return false };
        let elements = facts.normalise(&(self.side(0) * self.side(1)));
        down * along * self.elem.bytes() as i64 <= MAX_RECTANGLE_BYTES
            && self.times.iter().any(|times| facts.le(&elements, times))
    }

    /// Copies the rectangle.
    fn copy(&self, b: &mut Builder<Kernels>, types: &Types, first: [SubExp; 2], sides: [SubExp; 2]) -> Name {
        let fixed: Vec<SubExp> = self.fixed.iter().map(|p| emitted(b, types, p)).collect();
        let dims = [("r", sides[0]), ("c", sides[1])].map(|(base, side)| (b.fresh(base, Type::I64), side));
        let flat = b.fresh("flat", Type::I64);
        b.begin();
        let at = [0, 1].map(|d| b.add64(first[d], dims[d].0.into()));
        let mut index = fixed;
        index.insert(self.rows, at[0]);
        index.push(at[1]);
        let mut exists = SubExp::bool(true);
        for (i, n) in index.iter().zip(types[&self.array].shape()) {
            let inside = b.cmp(CmpOp::ULt(IntType::I64), *i, *n);
            exists = if exists == SubExp::bool(true) { inside } else { b.bin(BinOp::LogAnd, exists, inside) };
        }
        let ty = Type::Prim(self.elem);
        b.begin();
        let slice = index.into_iter().map(DimIndex::Fix).collect();
        let x = b.bind("x", ty.clone(), Exp::Basic(Basic::Index(self.array, slice)));
        let yes = b.end(vec![x.into()]);
        let no = Body { stms: vec![], result: vec![SubExp::Const(self.elem.blank())] };
        let x = b.bind("x", ty.clone(), Exp::If(exists, Box::new(yes), Box::new(no)));
        let body = KernelBody { body: b.end(vec![x.into()]), returns: vec![KernelReturn::Elem] };
        let seg = SegOp {
            level: SegLevel::InBlock,
            space: SegSpace { flat, dims: dims.to_vec() },
            types: vec![ty],
            body,
            kind: SegKind::Map,
            virtualise: true,
            grid: None,
            schedule: None,
        };
        b.bind("kept", Type::Array(self.elem, sides.to_vec()), Exp::Op(KernelsOp::Seg(seg)))
    }
}

/// Code for a number.
fn emitted(b: &mut Builder<Kernels>, types: &Types, p: &Poly) -> SubExp {
    horner(&mut Code { b, types }, p).unwrap_or_else(|| fehu_base::bug!("a number was lost"))
}

/// Arithmetic on numbers, of which some are narrow integers.
struct Code<'a> {
    b: &'a mut Builder<Kernels>,
    types: &'a Types,
}

impl Arith for Code<'_> {
    type Value = SubExp;

    fn constant(&mut self, c: i64) -> SubExp {
        SubExp::i64(c)
    }

    fn var(&mut self, x: Sym) -> SubExp {
        let name = sym_name(x);
        match self.types.get(&name) {
            Some(Type::Prim(PrimType::Int(from))) if *from != IntType::I64 => {
                self.b.conv(ConvOp::SExt(*from, IntType::I64), name.into())
            }
            _ => name.into(),
        }
    }

    fn add(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.b.add64(a, b)
    }

    fn sub(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.b.sub64(a, b)
    }

    fn mul(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.b.mul64(a, b)
    }
}

/// Reads from copies. Statements are known by what they bind.
struct Instead<'a> {
    /// The copy, and the place in it.
    by: FxHashMap<Name, (Name, [Poly; 2])>,
    types: &'a Types,
    builder: Builder<Kernels>,
}

impl Mutator<Kernels> for Instead<'_> {
    fn body(&mut self, body: &mut Body<Kernels>) {
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            let kept = stm.pat.first().and_then(|p| self.by.get(&p.name));
            if let (Some((kept, at)), Exp::Basic(Basic::Index(array, slice))) = (kept, &mut stm.exp) {
                self.builder.begin();
                *slice =
                    at.iter().map(|p| DimIndex::Fix(emitted(&mut self.builder, self.types, p))).collect();
                *array = *kept;
                out.extend(self.builder.end(vec![]).stms);
            }
            deep(|| change::stm(self, &mut stm));
            out.push(stm);
        }
        body.stms = out;
    }
}
