//! Rows in shared memory begin in different banks.
//!
//! Shared memory has 32 banks of four bytes, which take turns, and each of them serves one thread of a warp
//! at a time. Where rows are as long as all banks together, or a multiple of that, all elements of a column
//! are in one bank: threads that are in different rows, at the same place of each, wait for each other 32
//! times. So rows are one element longer:
//!
//! ```text
//! let (m : mem(shared)) = alloc 4096i64 shared                let (m : mem(shared)) = alloc 4224i64 shared
//! let (a : [32][32]f32 @ m -> 0 + {(32 : 32), (32 : 1)})      let (a : [32][32]f32 @ m -> 0 + {(32 : 33), (32 : 1)})
//! segmap in_block (t < 32) { a[t, j] }                        segmap in_block (t < 32) { a[t, j] }
//! ```
//!
//! The same holds for diagonals, `a[i - t, t]` and `a[i + t, t]`, of rows that are an element longer or
//! shorter than that. Which of them most reads go along decides.
//!
//! Where rows are as long as a number that is known when the program runs, the host computes how long they are:
//!
//! ```text
//!                                                              let (row : i64) = n + (if (n - 1) * 4 % 128 == 0 && bytes of the kernel <= 48 KB then 1 else 0)
//!                                                              let (b' : i64) = b + (row - n) * rows * 4
//! let (m : mem(shared)) = alloc b shared                      let (m : mem(shared)) = alloc b' shared
//! let (a : [n][n]i32 @ m -> 0 + {(n : n), (n : 1)})           let (a : [n][n]i32 @ m -> 0 + {(n : row), (n : 1)})
//! segmap in_block (t < n) { a[i - t, t] }                     segmap in_block (t < n) { a[i - t, t] }
//! ```
//!
//! Times of the public `lud` and `nw`: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! **When.** All blocks of memory of the kernel, with longer rows, are together at most what any device has:
//! rows are not what makes a kernel need too much. All arrays in a block have elements of one size, and their
//! index functions take rows to rows: each stride is that of neighbours in a row, or a number of rows, and no
//! row of an array goes on in the next one. Nobody else knows the block. And a thread of the block reads an
//! element in a row of its own, or makes a row.

use crate::builder::MemBuilder;
use fehu_algebra::horner::Arith;
use fehu_algebra::{Facts, Monomial, Poly, Sym};
use fehu_analysis::Known;
use fehu_base::device::{BANKS_BYTES, MAX_DECLARED_SHARED_BYTES};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::mem::{poly, sym_name, Lmad, MemInfo, MemOp};
use fehu_ir::seg::{SegLevel, SegOp};
use fehu_ir::types::Types;
use fehu_ir::visit::{change, deep, for_each_stm, look, map_bodies, Mutator, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Memory, Param, PatElem, Prog, Space, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows in shared memory that threads go along side by side begin in different banks.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "banks", need: Need::Optional, run: spread };

fn spread(prog: &mut Prog<Memory>) {
    let mut b = MemBuilder::new(std::mem::take(&mut prog.names), Types::default());
    for fun in &mut prog.funs {
        let facts = Known::of_fun(fun).facts();
        spread_in(&mut b, &facts, &mut fun.body);
    }
    prog.names = b.names;
}

fn spread_in(b: &mut MemBuilder, facts: &Facts, body: &mut Body<Memory>) {
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        map_bodies(&mut stm.exp, &mut |body| deep(|| spread_in(b, facts, body)));
        if let Exp::Op(MemOp::Seg(seg)) = &mut stm.exp {
            if seg.level == SegLevel::Block {
                b.begin();
                b.loc = stm.loc.clone();
                spread_in_kernel(b, facts, seg);
                out.extend(b.close());
            }
        }
        out.push(stm);
    }
    body.stms = out;
}

/// What is known of a block of shared memory.
struct Block {
    bytes: SubExp,
    lmads: Vec<Lmad>,
    /// The sizes of its arrays' elements.
    elem_bytes: FxHashSet<i64>,
    /// Whether it is used as a value.
    known: bool,
    /// How often neighbouring threads are in different rows, by how much farther apart than a row they are:
    /// an element less, not at all, or an element more.
    lines: [usize; 3],
}

impl Block {
    fn new(bytes: SubExp) -> Block {
        Block { bytes, lmads: vec![], elem_bytes: FxHashSet::default(), known: false, lines: [0; 3] }
    }
}

/// How the rows of a block of memory grow.
struct Longer {
    row: Row,
    /// How far apart neighbouring rows are then.
    next: Poly,
    /// Bytes of the whole.
    bytes: SubExp,
}

/// What it takes to make rows longer.
struct Growth {
    row: Row,
    /// By how many elements: one, or none where that is known when the program runs.
    more: SubExp,
    /// The bytes that an element more takes in all rows.
    bytes_each: SubExp,
}

/// How long rows are.
#[derive(Clone, Copy)]
enum Row {
    Constant(i64),
    Variable(Sym),
}

impl Row {
    fn operand(self) -> SubExp {
        match self {
            Row::Constant(n) => SubExp::i64(n),
            Row::Variable(x) => sym_name(x).into(),
        }
    }

    fn poly(self) -> Poly {
        match self {
            Row::Constant(n) => Poly::constant(n),
            Row::Variable(x) => Poly::var(x),
        }
    }

    /// How many whole rows a number of elements is, and how many elements are left.
    fn split(self, p: &Poly) -> (Poly, Poly) {
        let (mut rows, mut rest) = (vec![], vec![]);
        for (m, c) in p.terms() {
            match self {
                Row::Constant(n) if c % n == 0 => rows.push((m.clone(), c / n)),
                Row::Constant(n) if m.is_one() => {
                    rows.push((m.clone(), c.div_euclid(n)));
                    rest.push((m.clone(), c.rem_euclid(n)));
                }
                Row::Constant(_) => rest.push((m.clone(), *c)),
                Row::Variable(x) => match m.divided_by(&Monomial::var(x)) {
                    Some(m) => rows.push((m, *c)),
                    None => rest.push((m.clone(), *c)),
                },
            }
        }
        (Poly::from_terms(rows), Poly::from_terms(rest))
    }
}

fn spread_in_kernel(b: &mut MemBuilder, facts: &Facts, seg: &mut SegOp<Memory>) {
    let mut look = Look::default();
    for_each_stm(&seg.body.body, &mut |stm| {
        if let (Exp::Op(MemOp::Alloc(bytes, Space::Shared)), [p]) = (&stm.exp, stm.pat.as_slice()) {
            look.order.push(p.name);
            look.blocks.insert(p.name, Block::new(*bytes));
        }
    });
    if look.blocks.is_empty() {
        return;
    }
    look.body(&seg.body.body);
    look.inside.extend(seg.space.dims.iter().map(|d| d.0).chain([seg.space.flat]));
    let Look { blocks, order, inside, .. } = look;
    let outside = |e: SubExp| e.name().is_none_or(|n| !inside.contains(&n));
    let counted = |m: &Name, row: Row| {
        let names = |l: &Lmad| last_row(l, row).vars().into_iter().all(|x| outside(sym_name(x).into()));
        matches!(row, Row::Constant(_)) || blocks[m].lmads.iter().all(names)
    };
    let fits = |m: &Name, l: &Line| outside(l.row.operand()) && counted(m, l.row);
    let lines: Vec<Option<Line>> =
        order.iter().map(|m| line(&blocks[m], facts).filter(|l| fits(m, l))).collect();
    let known = blocks.values().all(|block| outside(block.bytes));
    if !known || lines.iter().all(|l| l.is_none()) {
        return;
    }
    let grown: Vec<Option<Growth>> =
        order.iter().zip(lines).map(|(m, line)| line.and_then(|line| growth(b, &blocks[m], &line))).collect();
    let mut parts: Vec<SubExp> = order.iter().map(|m| blocks[m].bytes).collect();
    parts.extend(grown.iter().flatten().map(|g| b.mul(g.bytes_each, g.more)));
    let all = parts.into_iter().reduce(|sum, part| b.add(sum, part)).unwrap_or(SubExp::i64(0));
    let most = SubExp::i64(MAX_DECLARED_SHARED_BYTES);
    let fits = match all.as_i64() {
        Some(bytes) => SubExp::i64((bytes <= MAX_DECLARED_SHARED_BYTES) as i64),
        None => truth(b, CmpOp::SLe(IntType::I64), all, most),
    };
    let mut longer: FxHashMap<Name, Longer> = FxHashMap::default();
    for (m, growth) in order.iter().zip(grown).filter_map(|(m, g)| Some((m, g?))) {
        let more = b.mul(growth.more, fits);
        let added = b.mul(growth.bytes_each, more);
        let next = match (growth.row, more.as_i64()) {
            (_, Some(0)) => continue,
            (row, Some(more)) => row.poly() + more,
            (row, None) => poly(b.add(row.operand(), more)),
        };
        let bytes = b.add(blocks[m].bytes, added);
        longer.insert(*m, Longer { row: growth.row, next, bytes });
    }
    if !longer.is_empty() {
        Spread { longer, facts }.body(&mut seg.body.body);
    }
}

/// A line that neighbouring threads are on.
struct Line {
    /// By how many elements the distance between its elements differs from a row.
    beside: i64,
    row: Row,
    elem_bytes: i64,
}

/// The lines of a block that neighbouring threads are on, if its rows can grow.
fn line(block: &Block, facts: &Facts) -> Option<Line> {
    let mut sizes = block.elem_bytes.iter();
    let (elem_bytes, None) = (*sizes.next()?, sizes.next()) else { return None };
    let matrix = block.lmads.iter().find(|l| l.rank() > 1)?;
    let in_row = matrix.dims.iter().find(|d| d.stride.is_one())?;
    let row = match (in_row.size.as_constant(), in_row.size.as_var()) {
        (Some(n), _) if n > 1 => Row::Constant(n),
        (None, Some(x)) => Row::Variable(x),
        _ => return None,
    };
    let most = block.lines.iter().copied().max().filter(|n| *n > 0)?;
    // Columns rather than diagonals.
    let beside = [0i64, -1, 1].into_iter().find(|k| block.lines[(k + 1) as usize] == most)?;
    let whole = block.lmads.iter().all(|l| stretched(l, row, &row.poly(), facts).is_some());
    (matches!(elem_bytes, 4 | 8) && whole && !block.known).then_some(Line { beside, row, elem_bytes })
}

/// How rows grow if there are as many elements from one of a line to the next as all banks have, or a multiple of that.
fn growth(b: &mut MemBuilder, block: &Block, line: &Line) -> Option<Growth> {
    let row = line.row;
    match row {
        Row::Constant(n) => {
            let bytes = block.bytes.as_i64()?;
            let rows = (bytes + n * line.elem_bytes - 1) / (n * line.elem_bytes);
            let turns = (n + line.beside) * line.elem_bytes % BANKS_BYTES == 0;
            let bytes_each = SubExp::i64(rows * line.elem_bytes);
            turns.then_some(Growth { row, more: SubExp::i64(1), bytes_each })
        }
        Row::Variable(_) => {
            let apart = b.add(row.operand(), SubExp::i64(line.beside));
            let apart = b.mul(apart, SubExp::i64(line.elem_bytes));
            let mask = SubExp::i64(BANKS_BYTES - 1);
            let left = bound(b, Type::I64, Basic::BinOp(BinOp::And(IntType::I64), apart, mask));
            let turns = truth(b, CmpOp::Eq(PrimType::Int(IntType::I64)), left, SubExp::i64(0));
            let several = truth(b, CmpOp::SLt(IntType::I64), SubExp::i64(1), row.operand());
            let more = b.mul(turns, several);
            let mut rows = SubExp::i64(0);
            let mut counted: Vec<Poly> = vec![];
            for lmad in &block.lmads {
                let count = last_row(lmad, row) + 1;
                if !counted.contains(&count) {
                    let count = b.emit(&count, "rows");
                    rows = bound(b, Type::I64, Basic::BinOp(BinOp::SMax(IntType::I64), rows, count));
                }
                counted.push(count);
            }
            let bytes_each = b.mul(rows, SubExp::i64(line.elem_bytes));
            Some(Growth { row, more, bytes_each })
        }
    }
}

/// The last row of an array, counted from the beginning of its block.
fn last_row(lmad: &Lmad, row: Row) -> Poly {
    let outer = lmad.dims.iter().filter(|d| !d.stride.is_one());
    outer.fold(row.split(&lmad.offset).0, |last, d| last + row.split(&d.stride).0 * (&d.size - 1))
}

fn bound(b: &mut MemBuilder, ty: Type, exp: Basic) -> SubExp {
    let name = b.fresh("t", ty.clone());
    b.bind(name, ty, Exp::Basic(exp));
    name.into()
}

/// One if a condition holds, zero otherwise.
fn truth(b: &mut MemBuilder, op: CmpOp, x: SubExp, y: SubExp) -> SubExp {
    let holds = bound(b, Type::BOOL, Basic::CmpOp(op, x, y));
    bound(b, Type::I64, Basic::Conv(ConvOp::BToI(IntType::I64), holds))
}

/// An index function for rows that are as far apart as `next`.
fn stretched(lmad: &Lmad, row: Row, next: &Poly, facts: &Facts) -> Option<Lmad> {
    let mut longer = lmad.clone();
    if !lmad.is_known() {
        return None;
    }
    let (rows, first) = row.split(&lmad.offset);
    let mut width = Poly::one();
    let mut inner = 0;
    for dim in &mut longer.dims {
        if dim.stride.is_one() {
            width = dim.size.clone();
            inner += 1;
            continue;
        }
        let (rows, rest) = row.split(&dim.stride);
        if !rest.is_zero() {
            return None;
        }
        dim.stride = rows * next;
    }
    let within = facts.nonneg(&first) && facts.le(&(&first + width), &row.poly());
    longer.offset = rows * next + first;
    (inner <= 1 && within).then_some(longer)
}

/// Looks at how a kernel uses its shared memory.
#[derive(Default)]
struct Look {
    blocks: FxHashMap<Name, Block>,
    /// The blocks in the order of the program.
    order: Vec<Name>,
    /// What is bound in the kernel.
    inside: FxHashSet<Name>,
    /// The block of each array.
    of: FxHashMap<Name, Name>,
    /// The indices of threads.
    threads: FxHashSet<Name>,
    /// By how much a number differs from that of the next thread, where it does by a constant.
    slopes: FxHashMap<Name, i64>,
}

impl Look {
    fn array(&mut self, name: Name, ty: &Type, dec: &MemInfo) {
        let MemInfo::Array { block, .. } = dec else { return };
        self.of.insert(name, *block);
        if let (Some(block), Some(elem)) = (self.blocks.get_mut(block), ty.elem()) {
            block.elem_bytes.insert(elem.bytes() as i64);
        }
    }

    /// How threads of the block are in rows of their own, if they are.
    fn read(&mut self, array: Name, slice: &[DimIndex]) {
        let is_thread = |i: &DimIndex| matches!(i, DimIndex::Fix(SubExp::Var(x)) if self.threads.contains(x));
        let slope = |i: &DimIndex| match i {
            DimIndex::Fix(e) => self.slope(*e),
            DimIndex::Slice { .. } => 0,
        };
        let Some((last, outer)) = slice.split_last() else { return };
        let beside = match (outer.last().map_or(0, slope), slope(last)) {
            (1, 1) | (-1, -1) => 1,
            (1, -1) | (-1, 1) => -1,
            _ if outer.iter().any(is_thread) && !is_thread(last) => 0,
            _ => return,
        };
        if let Some(block) = self.of.get(&array).and_then(|m| self.blocks.get_mut(m)) {
            block.lines[(beside + 1) as usize] += 1;
        }
    }

    fn slope(&self, e: SubExp) -> i64 {
        e.name().and_then(|n| self.slopes.get(&n).copied()).unwrap_or(0)
    }

    /// Takes note of a number that differs from thread to thread.
    fn number(&mut self, name: Name, exp: &Basic) {
        let slope = if let Basic::SubExp(e) | Basic::Conv(ConvOp::SExt(..) | ConvOp::ZExt(..), e) = exp {
            self.slope(*e)
        } else if let Basic::BinOp(BinOp::Add(_), x, y) = exp {
            self.slope(*x) + self.slope(*y)
        } else if let Basic::BinOp(BinOp::Sub(_), x, y) = exp {
            self.slope(*x) - self.slope(*y)
        } else {
            0
        };
        if slope != 0 {
            self.slopes.insert(name, slope);
        }
    }
}

impl Visitor<Memory> for Look {
    fn bound(&mut self, n: &Name) {
        self.inside.insert(*n);
    }

    fn operand(&mut self, e: &SubExp) {
        if let Some(block) = e.name().and_then(|x| self.blocks.get_mut(&x)) {
            block.known = true;
        }
    }

    fn dec(&mut self, dec: &MemInfo) {
        if let MemInfo::Array { block, lmad } = dec {
            if let Some(block) = self.blocks.get_mut(block) {
                block.lmads.push(lmad.clone());
            }
        }
    }

    fn param(&mut self, p: &Param<Memory>) {
        self.array(p.name, &p.ty, &p.dec);
        look::param(self, p);
    }

    fn pat_elem(&mut self, p: &PatElem<Memory>) {
        self.array(p.name, &p.ty, &p.dec);
        look::pat_elem(self, p);
    }

    fn stm(&mut self, stm: &Stm<Memory>) {
        if let Exp::Basic(Basic::Index(array, slice)) = &stm.exp {
            self.read(*array, slice);
        }
        if let (Exp::Basic(exp), [p]) = (&stm.exp, stm.pat.as_slice()) {
            self.number(p.name, exp);
        }
        if let Exp::Op(MemOp::Seg(seg)) = &stm.exp {
            self.threads.extend(seg.space.dims.iter().map(|d| d.0));
            self.slopes.extend(seg.space.dims.last().map(|d| (d.0, 1)));
            for (p, ty) in stm.pat.iter().zip(&seg.types) {
                let (MemInfo::Array { block, .. }, Type::Array(..)) = (&p.dec, ty) else { continue };
                if let Some(block) = self.blocks.get_mut(block) {
                    block.lines[1] += 1;
                }
            }
        }
        look::stm(self, stm);
    }
}

/// Makes rows longer.
struct Spread<'a> {
    longer: FxHashMap<Name, Longer>,
    facts: &'a Facts,
}

impl Mutator<Memory> for Spread<'_> {
    fn dec(&mut self, dec: &mut MemInfo) {
        if let MemInfo::Array { block, lmad } = dec {
            if let Some(longer) =
                self.longer.get(block).and_then(|l| stretched(lmad, l.row, &l.next, self.facts))
            {
                *lmad = longer;
            }
        }
    }

    fn stm(&mut self, stm: &mut Stm<Memory>) {
        if let (Exp::Op(MemOp::Alloc(size, _)), [p]) = (&mut stm.exp, stm.pat.as_slice()) {
            if let Some(longer) = self.longer.get(&p.name) {
                *size = longer.bytes;
            }
        }
        change::stm(self, stm);
    }
}
