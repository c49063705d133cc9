//! Memory expansion: nothing is allocated while a kernel runs.
//!
//! Before: a program over `Memory`, in which the bodies of operations at levels `Thread` and `Block` allocate as the
//! host does. After: they do not. A block that a thread makes for itself becomes
//!
//! - an array of its own, in [`Space::Scalar`], if its size is constant and it is small (at most
//!   [`results::THREAD_BYTES`] bytes), or all larger ones of the thread together are not too large
//!   ([`results::LARGER_THREAD_BYTES`]): nobody else can reach them, so that the device's compiler keeps
//!   elements in registers and its caches need not write them through;
//! - else a part of one block that the host allocates for all threads of the grid. Neighbouring threads
//!   have neighbouring elements, so that their accesses coalesce. The operation then says what its grid is.
//!
//! A block that a whole thread block makes is in [`Space::Shared`]; its size is known on the host.
//!
//! ```text
//! segmap thread (f; i < n) {                         let (size : i64) = get_size "main.segmap_tblock_size_0" block_size
//!   let (b : mem) = alloc(4*m)                       let (most : i64) = calc_grid n "main.segmap_num_tblocks_0" size
//!   let (a : [m]i32 @ b -> 0 + {(m : 1)}) = ...      let (blocks : i64) = min(most, max(1, thread_memory / (max(0, 4*m) * size)))
//! }                                                  let (threads : i64) = mul_i64(blocks, size)
//!                                                    let (b : mem) = alloc(max(0, 4*m) * threads)
//!                                                    segmap thread grid(t < threads, blocks, size) (f; i < n) {
//!                                                      let (a : [m]i32 @ b -> t + {(m : threads)}) = ...
//!                                                    }
//! ```
//!
//! There are fewer blocks where all that the device runs would need more memory than there is; each then
//! computes more points. A size that is not the same for all points is first computed at all of them: `bound`
//! makes an operation that finds the largest.

mod bound;

use crate::builder::{MemBuilder, Place};
use crate::tables::{operand_counts, Tables};
use crate::within::is_parallel;
use fehu_algebra::horner::Arith;
use fehu_algebra::Poly;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::tuning::results;
use fehu_base::{Name, Symbol};
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::{poly, sym_name, MemInfo, MemOp};
use fehu_ir::seg::{SegGrid, SegKind, SegLevel, SegOp, SizeClass, SizeOp};
use fehu_ir::visit::{deep, for_each_body, map_bodies};
use fehu_ir::{
    Basic, Body, Exp, FunDef, Loc, LoopForm, Memory, Param, PatElem, Prog, Space, Stm, SubExp, Type,
};
use fehu_pass::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};

/// Sums of sizes longer than this are left as they are.
const LONG: usize = 16;

/// Arrays of a thread that take no more bytes than this fit any device: 2^18 threads then have 4 GiB.
const SURELY_FITTING_BYTES: i64 = 1 << 14;

/// Moves allocations out of kernels.
pub fn expand(prog: &mut Prog<Memory>) -> Vec<Refusal> {
    if !is_parallel(prog) {
        return vec![];
    }
    let tables = Tables::of(prog);
    let names = std::mem::take(&mut prog.names);
    let mut b = MemBuilder::new(names, tables.types.clone());
    b.begin();
    let mut pass = Expand { b, tables, fun: String::from("const"), grids: 0, errors: vec![] };
    pass.body(&mut prog.consts);
    for fun in &mut prog.funs {
        pass.fun = fun_name(&pass.b, fun);
        pass.grids = 0;
        pass.body(&mut fun.body);
    }
    pass.tables.write(prog);
    prog.names = pass.b.names;
    pass.errors
}

fn fun_name(b: &MemBuilder, fun: &FunDef<Memory>) -> String {
    match &fun.entry {
        Some(entry) => entry.name.to_string(),
        None => b.names.base(fun.name).to_string(),
    }
}

struct Expand {
    /// Builds code of the host.
    b: MemBuilder,
    tables: Tables,
    /// The current function, for names of parameters.
    fun: String,
    /// How many grids it has.
    grids: usize,
    errors: Vec<Refusal>,
}

/// An allocation inside of a kernel.
struct Request {
    block: Name,
    /// Where the user's program needs it.
    loc: Loc,
    bytes: SubExp,
    owner: Owner,
}

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Thread,
    Block,
}

/// What becomes of it.
enum Fate {
    /// It stays, in another space, with this size.
    Stays(Space, SubExp),
    /// It goes to the host.
    Goes,
}

impl Expand {
    /// Code of the host.
    fn body(&mut self, body: &mut Body<Memory>) {
        deep(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                let kernel = match &stm.exp {
                    Exp::Op(MemOp::Seg(seg)) => matches!(seg.level, SegLevel::Thread | SegLevel::Block),
                    Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(_) => false,
                };
                if kernel {
                    self.kernel(&mut out, stm);
                } else {
                    map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
                    out.push(stm);
                }
            }
            body.stms = out;
        });
    }

    /// A kernel, with what goes before it.
    fn kernel(&mut self, out: &mut Vec<Stm<Memory>>, mut stm: Stm<Memory>) {
        let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { return };
        let owner = if seg.level == SegLevel::Block { Owner::Block } else { Owner::Thread };
        let mut requests = vec![];
        for_each_body(&stm.exp, &mut |b| collect(b, owner, &mut requests));
        if requests.is_empty() {
            return out.push(stm);
        }
        let (loc, level, kind) = (stm.loc.clone(), seg.level, kind_name(seg));
        let points: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        self.b.loc = loc;
        let bytes = self.host_sizes(out, &stm, &requests);
        self.b.begin();
        let passed = match &stm.exp {
            Exp::Op(MemOp::Seg(seg)) => operand_counts(&seg.body.body),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                FxHashMap::default()
            }
        };
        let mut expanded = vec![];
        let mut fates = FxHashMap::default();
        // What is left for larger arrays of a thread's own.
        let mut own_bytes = results::LARGER_THREAD_BYTES;
        for (request, bytes) in requests.iter().zip(bytes) {
            let small = (bytes.as_i64()).filter(|n| {
                *n <= results::THREAD_BYTES.max(own_bytes) && !passed.contains_key(&request.block)
            });
            if let (Owner::Thread, Some(n)) = (request.owner, small.filter(|n| *n > results::THREAD_BYTES)) {
                own_bytes -= n;
            }
            let fate = match (request.owner, small) {
                (Owner::Block, _) => Fate::Stays(Space::Shared, self.at_least_0(bytes)),
                (Owner::Thread, Some(bytes)) => self.small(request.block, bytes),
                (Owner::Thread, None) => {
                    expanded.push((request, self.at_least_0(bytes)));
                    Fate::Goes
                }
            };
            if let Fate::Stays(space, _) = &fate {
                self.tables.types.insert(request.block, Type::Mem(space.clone()));
            }
            fates.insert(request.block, fate);
        }
        let grid = (!expanded.is_empty()).then(|| {
            let bytes = expanded.iter().map(|(_, bytes)| *bytes);
            let bytes = bytes.reduce(|all, more| self.b.add(all, more)).unwrap_or(SubExp::i64(0));
            self.grid(level, kind, &points, bytes)
        });
        if let Some(grid) = &grid {
            for (request, bytes) in expanded {
                self.expanded(request, bytes, grid);
            }
        }
        out.extend(self.b.close());
        map_bodies(&mut stm.exp, &mut |b| settle(b, &fates));
        if let Exp::Op(MemOp::Seg(seg)) = &mut stm.exp {
            seg.grid = grid;
        }
        out.push(stm);
    }

    /// The sizes of allocations, each the same for all points: computed on the host, or a bound.
    fn host_sizes(
        &mut self,
        out: &mut Vec<Stm<Memory>>,
        stm: &Stm<Memory>,
        requests: &[Request],
    ) -> Vec<SubExp> {
        let inside: FxHashSet<Name> = bound_in_exp(&stm.exp).into_iter().collect();
        let mut host = Host::new(inside);
        for_each_body(&stm.exp, &mut |b| host.see(b));
        self.b.begin();
        let sizes: Vec<Option<SubExp>> = requests.iter().map(|r| host.size(&mut self.b, r.bytes)).collect();
        out.extend(self.b.close());
        let varying: Vec<&Request> =
            requests.iter().zip(&sizes).filter(|(_, size)| size.is_none()).map(|(r, _)| r).collect();
        if varying.is_empty() {
            return sizes.into_iter().flatten().collect();
        }
        let bounds = self.bounds(out, stm, &host, &varying);
        let bound = |r: &Request| bounds.get(&r.block).copied().unwrap_or(SubExp::i64(0));
        requests.iter().zip(sizes).map(|(r, size)| size.unwrap_or_else(|| bound(r))).collect()
    }

    /// How an operation is launched whose threads have so many bytes in device memory each.
    fn grid(&mut self, level: SegLevel, kind: &str, points: &[SubExp], bytes: SubExp) -> SegGrid {
        let n = self.grids;
        self.grids += 1;
        let name = |what: &str| Symbol::new(&format!("{}.{kind}_{what}_{n}", self.fun));
        let (size_name, max) = (name("tblock_size"), name("num_tblocks"));
        // A block that computes a point has as many threads as the widest operation inside needs, so there
        // must be room for the largest block of the device.
        let block_size = match level {
            SegLevel::Block => SizeOp::GetSizeMax(SizeClass::ThreadBlockSize),
            SegLevel::Thread | SegLevel::InBlock | SegLevel::Task => {
                SizeOp::GetSize(size_name, SizeClass::ThreadBlockSize)
            }
        };
        let block_size = self.size("tblock_size", block_size);
        let mut all = SubExp::i64(1);
        for n in points {
            all = self.b.mul(all, *n);
        }
        // A point of an operation at level `Block` takes a whole one.
        let per_block = if level == SegLevel::Block { SubExp::i64(1) } else { block_size };
        let blocks = self.size("num_tblocks", SizeOp::CalcGrid { points: all, max, block: per_block });
        let blocks = self.fitting(blocks, block_size, bytes);
        let threads = self.b.mul(blocks, block_size);
        let thread = self.b.fresh("thread", Type::I64);
        self.tables.types.insert(thread, Type::I64);
        SegGrid { thread, threads, blocks, block_size }
    }

    /// So many blocks that the memory of their threads fits, at least one.
    fn fitting(&mut self, blocks: SubExp, block_size: SubExp, bytes: SubExp) -> SubExp {
        if bytes.as_i64().is_some_and(|n| n <= SURELY_FITTING_BYTES) {
            return blocks;
        }
        let room = self.size("room", SizeOp::GetSizeMax(SizeClass::ThreadMemory));
        let each = self.b.mul(bytes, block_size);
        let each = self.binary("each", BinOp::SMax(IntType::I64), SubExp::i64(1), each);
        let fitting = self.binary("fitting", BinOp::SQuot(IntType::I64), room, each);
        let fitting = self.binary("fitting", BinOp::SMax(IntType::I64), SubExp::i64(1), fitting);
        self.binary("num_tblocks", BinOp::SMin(IntType::I64), blocks, fitting)
    }

    fn binary(&mut self, base: &str, op: BinOp, x: SubExp, y: SubExp) -> SubExp {
        let name = self.b.fresh(base, Type::I64);
        self.b.bind(name, Type::I64, Exp::Basic(Basic::BinOp(op, x, y)));
        name.into()
    }

    fn size(&mut self, base: &str, size: SizeOp) -> SubExp {
        let name = self.b.fresh(base, Type::I64);
        self.b.bind(name, Type::I64, Exp::Op(MemOp::Size(size)));
        name.into()
    }

    fn at_least_0(&mut self, bytes: SubExp) -> SubExp {
        match bytes.as_i64() {
            Some(n) => SubExp::i64(n.max(0)),
            None => self.binary("bytes", BinOp::SMax(IntType::I64), SubExp::i64(0), bytes),
        }
    }

    /// An array of the thread's own.
    fn small(&self, block: Name, bytes: i64) -> Fate {
        let arrays = self.tables.inside(block);
        let elem = arrays.first().and_then(|a| self.tables.types.get(a)?.elem());
        match elem {
            Some(elem) => {
                let count = (bytes / elem.bytes() as i64).max(1);
                Fate::Stays(Space::Scalar(elem, vec![count]), SubExp::i64(count * elem.bytes() as i64))
            }
            // Nobody is in it.
            None => Fate::Goes,
        }
    }

    /// Allocates a block for all threads, and moves the arrays that are in the block of one.
    fn expanded(&mut self, request: &Request, bytes: SubExp, grid: &SegGrid) {
        let block = request.block;
        let all = self.b.mul(bytes, grid.threads);
        let kernel = std::mem::replace(&mut self.b.loc, request.loc.clone());
        let pat = vec![PatElem { name: block, ty: Type::Mem(Space::Default), dec: MemInfo::None }];
        self.b.push(pat, Exp::Op(MemOp::Alloc(all, Space::Default)));
        self.b.loc = kernel;
        let threads = poly(grid.threads);
        let thread = poly(grid.thread.into());
        for array in self.tables.inside(block).to_vec() {
            let Some(Place { lmad, .. }) = self.tables.place(array) else { continue };
            let mut lmad = lmad.clone();
            lmad.offset = &thread + &lmad.offset * &threads;
            for dim in &mut lmad.dims {
                dim.stride = &dim.stride * &threads;
            }
            self.tables.set_place(array, Place { block, lmad });
        }
    }
}

fn kind_name(seg: &SegOp<Memory>) -> &'static str {
    match (&seg.kind, seg.level) {
        (SegKind::Map, SegLevel::Block) => "segmap_intrablock",
        (SegKind::Map, SegLevel::Thread | SegLevel::InBlock | SegLevel::Task) => "segmap",
        (SegKind::Red(_), _) => "segred",
        (SegKind::Scan(..), _) => "segscan",
        (SegKind::Hist(_), _) => "seghist",
    }
}

/// The allocations in a body.
fn collect(body: &Body<Memory>, owner: Owner, requests: &mut Vec<Request>) {
    deep(|| {
        for stm in &body.stms {
            let mut inner = owner;
            match (&stm.exp, stm.pat.first()) {
                (Exp::Op(MemOp::Alloc(bytes, Space::Default)), Some(p)) => {
                    requests.push(Request { block: p.name, loc: stm.loc.clone(), bytes: *bytes, owner });
                }
                (Exp::Op(MemOp::Seg(_)), _) => inner = Owner::Thread,
                _ => {}
            }
            for_each_body(&stm.exp, &mut |b| collect(b, inner, requests));
        }
    });
}

/// Changes allocations as was decided.
fn settle(body: &mut Body<Memory>, fates: &FxHashMap<Name, Fate>) {
    deep(|| {
        body.stms.retain_mut(|stm| {
            if let (Exp::Op(MemOp::Alloc(bytes, space)), [p]) = (&mut stm.exp, &mut stm.pat[..]) {
                match fates.get(&p.name) {
                    Some(Fate::Goes) => return false,
                    Some(Fate::Stays(other, size)) => {
                        *bytes = *size;
                        *space = other.clone();
                        p.ty = Type::Mem(other.clone());
                    }
                    None => {}
                }
            }
            true
        });
        for stm in &mut body.stms {
            map_bodies(&mut stm.exp, &mut |b| settle(b, fates));
        }
    });
}

/// The expressions of scalars that can be computed anywhere: they have no effect and cannot fail.
fn definitions(body: &Body<Memory>, defs: &mut FxHashMap<Name, Exp<Memory>>) {
    deep(|| {
        for stm in &body.stms {
            let total = match &stm.exp {
                Exp::Basic(Basic::BinOp(op, _, y)) => {
                    !op.is_partial() || y.as_i64().is_some_and(|y| y != 0 && y != -1)
                }
                Exp::Basic(Basic::SubExp(_) | Basic::UnOp(..) | Basic::CmpOp(..) | Basic::Conv(..)) => true,
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    false
                }
            };
            if let (true, [p]) = (total, &stm.pat[..]) {
                if matches!(p.ty, Type::Prim(_)) {
                    defs.insert(p.name, stm.exp.clone());
                }
            }
            for_each_body(&stm.exp, &mut |b| definitions(b, defs));
        }
    });
}

/// The most that numbers can be which loops count: from 0, by at most one in each iteration.
fn counts(body: &Body<Memory>, most: &mut FxHashMap<Name, SubExp>) {
    deep(|| {
        for stm in &body.stms {
            if let Exp::Loop(l) = &stm.exp {
                if let LoopForm::For { bound, .. } = l.form {
                    let counting = |((p, init), next): (&(Param<Memory>, SubExp), &SubExp)| {
                        p.ty == Type::I64 && init.as_i64() == Some(0) && steps(&l.body, p.name, *next)
                    };
                    let results = l.params.iter().zip(&l.body.result).map(counting);
                    let counted = stm.pat.iter().zip(results).filter(|(_, counts)| *counts);
                    most.extend(counted.map(|(p, _)| (p.name, bound)));
                }
            }
            for_each_body(&stm.exp, &mut |b| counts(b, most));
        }
    });
}

/// Whether a result of a body is a number, or one more, whichever branches are taken.
fn steps(body: &Body<Memory>, count: Name, result: SubExp) -> bool {
    if result == count.into() {
        return true;
    }
    let Some(stm) = body.stms.iter().find(|s| s.pat.iter().any(|p| result == p.name.into())) else {
        return false;
    };
    match &stm.exp {
        Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), x, y)) => {
            (*x == count.into() && y.as_i64() == Some(1)) || (*y == count.into() && x.as_i64() == Some(1))
        }
        Exp::If(_, yes, no) => {
            let at = stm.pat.iter().position(|p| result == p.name.into());
            let of = |b: &Body<Memory>| at.and_then(|k| b.result.get(k)).is_some_and(|e| steps(b, count, *e));
            deep(|| of(yes) && of(no))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}

/// The variable of which a polynomial is a multiple.
fn single_var(sum: &Poly) -> Option<Name> {
    let vars = sum.vars();
    let multiple = vars.len() == 1 && sum.degree() == 1 && sum.terms().len() == 1;
    multiple.then(|| sym_name(vars[0]))
}

/// Values of a kernel that the host can compute.
struct Host {
    /// What is bound in the kernel.
    inside: FxHashSet<Name>,
    defs: FxHashMap<Name, Exp<Memory>>,
    known: FxHashMap<Name, Option<SubExp>>,
    /// What numbers that are counted in the kernel are at most.
    most: FxHashMap<Name, SubExp>,
}

impl Host {
    fn new(inside: FxHashSet<Name>) -> Host {
        Host { inside, defs: FxHashMap::default(), known: FxHashMap::default(), most: FxHashMap::default() }
    }

    /// Takes note of what a body binds.
    fn see(&mut self, body: &Body<Memory>) {
        definitions(body, &mut self.defs);
        counts(body, &mut self.most);
    }

    /// The bytes to set aside for an array: so many as it has, or, where the number of its elements is counted, as it
    /// has at most. To count first would be to compute twice what the elements are, and again for the next array.
    fn room(&self, bytes: SubExp) -> Poly {
        let mut sum = self.expanded(bytes);
        // Not with a summand: a loop that never runs may have a negative bound.
        while let (Some(counted), Some(bytes_each)) = (single_var(&sum), sum.leading().map(|t| t.1)) {
            let Some(most) = self.most.get(&counted).filter(|_| bytes_each > 0) else { break };
            sum = Poly::constant(bytes_each) * self.expanded(*most);
        }
        sum
    }

    /// A size, which is often a sum in which what varies cancels out.
    fn size(&mut self, b: &mut MemBuilder, e: SubExp) -> Option<SubExp> {
        let sum = self.room(e);
        let vars = sum.vars();
        let mut values = FxHashMap::default();
        for x in vars {
            values.insert(x, poly(self.value(b, sym_name(x).into())?));
        }
        Some(b.emit(&sum.subst_all(|x| values.get(&x).cloned()), "bytes"))
    }

    /// The sum that an operand is, of what is neither sum nor product.
    fn expanded(&self, e: SubExp) -> Poly {
        let SubExp::Var(n) = e else { return poly(e) };
        let sum = deep(|| match self.defs.get(&n) {
            Some(Exp::Basic(Basic::SubExp(x))) => self.expanded(*x),
            Some(Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), x, y))) => {
                self.expanded(*x) + self.expanded(*y)
            }
            Some(Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), x, y))) => {
                self.expanded(*x) - self.expanded(*y)
            }
            Some(Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), x, y))) => {
                self.expanded(*x) * self.expanded(*y)
            }
            _ => poly(e),
        });
        if sum.is_known() && sum.terms().len() <= LONG {
            sum
        } else {
            poly(e)
        }
    }

    fn value(&mut self, b: &mut MemBuilder, e: SubExp) -> Option<SubExp> {
        let SubExp::Var(n) = e else { return Some(e) };
        if !self.inside.contains(&n) {
            return Some(e);
        }
        if let Some(known) = self.known.get(&n) {
            return *known;
        }
        let value = deep(|| self.compute(b, n));
        self.known.insert(n, value);
        value
    }

    /// Whether the host can compute an operand.
    fn is_known(&self, e: SubExp) -> bool {
        self.room(e).vars().into_iter().all(|x| self.is_known_value(sym_name(x).into()))
    }

    fn is_known_value(&self, e: SubExp) -> bool {
        let SubExp::Var(n) = e else { return true };
        if !self.inside.contains(&n) {
            return true;
        }
        deep(|| match self.defs.get(&n) {
            Some(Exp::Basic(Basic::SubExp(x) | Basic::UnOp(_, x) | Basic::Conv(_, x))) => {
                self.is_known_value(*x)
            }
            Some(Exp::Basic(Basic::BinOp(_, x, y) | Basic::CmpOp(_, x, y))) => {
                self.is_known_value(*x) && self.is_known_value(*y)
            }
            _ => false,
        })
    }

    fn compute(&mut self, b: &mut MemBuilder, n: Name) -> Option<SubExp> {
        let exp = match self.defs.get(&n)?.clone() {
            Exp::Basic(Basic::SubExp(x)) => return self.value(b, x),
            Exp::Basic(Basic::UnOp(op, x)) => Exp::Basic(Basic::UnOp(op, self.value(b, x)?)),
            Exp::Basic(Basic::BinOp(op, x, y)) => {
                Exp::Basic(Basic::BinOp(op, self.value(b, x)?, self.value(b, y)?))
            }
            Exp::Basic(Basic::CmpOp(op, x, y)) => {
                Exp::Basic(Basic::CmpOp(op, self.value(b, x)?, self.value(b, y)?))
            }
            Exp::Basic(Basic::Conv(op, x)) => Exp::Basic(Basic::Conv(op, self.value(b, x)?)),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                return None
            }
        };
        let ty = b.type_of(n);
        let name = b.fresh_like(n, ty.clone());
        b.bind(name, ty, exp);
        Some(name.into())
    }
}
