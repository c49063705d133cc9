//! Rows in shared memory begin in different banks.
//!
//! Shared memory has 32 banks of four bytes, which take turns, and each of them serves one thread of a warp at a time. Where rows are as long as all banks together, or a multiple of
//! that, all elements of a column are in one bank: threads that are in different rows, at the same place of each, wait for each other 32 times. So rows are one element longer:
//!
//! ```text
//! let (m : mem(shared)) = alloc 4096i64 shared                let (m : mem(shared)) = alloc 4224i64 shared
//! let (a : [32][32]f32 @ m -> 0 + {(32 : 32), (32 : 1)})      let (a : [32][32]f32 @ m -> 0 + {(32 : 33), (32 : 1)})
//! segmap in_block (t < 32) { a[t, j] }                        segmap in_block (t < 32) { a[t, j] }
//! ```
//!
//! The public `lud` of 16, 64, 256 and 2048 rows takes 47, 92, 430 and 4,901 instead of 49, 97, 453 and 5,056 us on an H200: of its kernels, only those of the diagonal and one other have such a matrix.
//!
//! **When.** The sizes of all blocks of memory of the kernel are constants, and together, with longer rows, at most what any device has: rows are not what makes a kernel need too much. All arrays in it have elements of one size, and their index functions take whole rows to whole rows: each stride is that of neighbours in
//! a row, or a number of rows. Nobody else knows the block. And a thread of the block reads an element in a row of its own, or makes a row.

use fehu_algebra::Poly;
use fehu_base::device::{BANKS_BYTES, MAX_DECLARED_SHARED_BYTES};
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use fehu_ir::mem::{Lmad, MemInfo, MemOp};
use fehu_ir::seg::{SegLevel, SegOp};
use fehu_ir::visit::{change, deep, for_each_stm, look, map_bodies, Mutator, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Memory, Param, PatElem, Prog, Space, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows in shared memory that threads go along side by side begin in different banks.
pub const PASS: Pass<Prog<Memory>> = Pass { name: "banks", need: Need::Optional, run: spread };

fn spread(prog: &mut Prog<Memory>) {
    for fun in &mut prog.funs {
        spread_in(&mut fun.body);
    }
}

fn spread_in(body: &mut Body<Memory>) {
    for stm in &mut body.stms {
        map_bodies(&mut stm.exp, &mut |body| deep(|| spread_in(body)));
        if let Exp::Op(MemOp::Seg(seg)) = &mut stm.exp {
            if seg.level == SegLevel::Block {
                spread_in_kernel(seg);
            }
        }
    }
}

/// What is known of a block of shared memory.
#[derive(Default)]
struct Block {
    /// Its size, if that is a constant.
    bytes: Option<i64>,
    lmads: Vec<Lmad>,
    /// The sizes of its arrays' elements.
    elem_bytes: FxHashSet<i64>,
    /// Whether it is used as a value.
    known: bool,
    /// Whether neighbouring threads are in different rows.
    rows: bool,
}

/// How the rows of a block of memory grow.
struct Longer {
    /// Elements of a row.
    row: i64,
    /// Bytes of the whole.
    bytes: i64,
}

fn spread_in_kernel(seg: &mut SegOp<Memory>) {
    let mut look = Look::default();
    for_each_stm(&seg.body.body, &mut |stm| {
        if let (Exp::Op(MemOp::Alloc(size, Space::Shared)), [p]) = (&stm.exp, stm.pat.as_slice()) {
            let bytes = match size {
                SubExp::Const(v) => v.as_i64(),
                SubExp::Var(_) => None,
            };
            look.blocks.insert(p.name, Block { bytes, ..Block::default() });
        }
    });
    if look.blocks.is_empty() {
        return;
    }
    look.body(&seg.body.body);
    let longer: FxHashMap<Name, Longer> =
        look.blocks.iter().filter_map(|(m, block)| Some((*m, longer(block)?))).collect();
    let size = |(m, block): (&Name, &Block)| longer.get(m).map(|l| l.bytes).or(block.bytes);
    let bytes: Option<i64> = look.blocks.iter().map(size).sum();
    if !longer.is_empty() && bytes.is_some_and(|bytes| bytes <= MAX_DECLARED_SHARED_BYTES) {
        Spread { longer }.body(&mut seg.body.body);
    }
}

/// How rows of a block grow, if they should.
fn longer(block: &Block) -> Option<Longer> {
    let (bytes, mut sizes) = (block.bytes?, block.elem_bytes.iter());
    let (elem_bytes, None) = (*sizes.next()?, sizes.next()) else { return None };
    let matrix = block.lmads.iter().find(|l| l.rank() > 1)?;
    let in_row = matrix.dims.iter().find(|d| d.stride.is_one())?;
    let row = in_row.size.as_constant().filter(|n| *n > 0)?;
    let turns = matches!(elem_bytes, 4 | 8) && (row * elem_bytes) % BANKS_BYTES == 0;
    let whole = block.lmads.iter().all(|l| stretched(l, row).is_some());
    let rows = (bytes + row * elem_bytes - 1) / (row * elem_bytes);
    (turns && whole && block.rows && !block.known)
        .then_some(Longer { row, bytes: rows * (row + 1) * elem_bytes })
}

/// An index function for rows that are one element longer.
fn stretched(lmad: &Lmad, row: i64) -> Option<Lmad> {
    let rows = |p: &Poly| {
        let whole = p.is_known() && p.terms().iter().all(|(_, c)| c % row == 0);
        whole.then(|| Poly::from_terms(p.terms().iter().map(|(m, c)| (m.clone(), c / row * (row + 1)))))
    };
    let mut longer = lmad.clone();
    longer.offset = rows(&lmad.offset)?;
    let mut inner = 0;
    for dim in &mut longer.dims {
        if dim.stride.is_one() && dim.size.as_constant().is_some_and(|n| n <= row) {
            inner += 1;
        } else {
            dim.stride = rows(&dim.stride)?;
        }
    }
    (inner <= 1).then_some(longer)
}

/// Looks at how a kernel uses its shared memory.
#[derive(Default)]
struct Look {
    blocks: FxHashMap<Name, Block>,
    /// The block of each array.
    of: FxHashMap<Name, Name>,
    /// The indices of threads.
    threads: FxHashSet<Name>,
}

impl Look {
    fn array(&mut self, name: Name, ty: &Type, dec: &MemInfo) {
        let MemInfo::Array { block, .. } = dec else { return };
        self.of.insert(name, *block);
        if let (Some(block), Some(elem)) = (self.blocks.get_mut(block), ty.elem()) {
            block.elem_bytes.insert(elem.bytes() as i64);
        }
    }

    /// Whether a thread of the block is in a row of its own.
    fn read(&mut self, array: Name, slice: &[DimIndex]) {
        let is_thread = |i: &DimIndex| matches!(i, DimIndex::Fix(SubExp::Var(x)) if self.threads.contains(x));
        let Some((last, outer)) = slice.split_last() else { return };
        let own = outer.iter().any(is_thread) && !is_thread(last);
        if let Some(block) = self.of.get(&array).and_then(|m| self.blocks.get_mut(m)) {
            block.rows |= own;
        }
    }
}

impl Visitor<Memory> for Look {
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
        if let Exp::Op(MemOp::Seg(seg)) = &stm.exp {
            self.threads.extend(seg.space.dims.iter().map(|d| d.0));
            for (p, ty) in stm.pat.iter().zip(&seg.types) {
                let (MemInfo::Array { block, .. }, Type::Array(..)) = (&p.dec, ty) else { continue };
                if let Some(block) = self.blocks.get_mut(block) {
                    block.rows = true;
                }
            }
        }
        look::stm(self, stm);
    }
}

/// Makes rows longer.
struct Spread {
    longer: FxHashMap<Name, Longer>,
}

impl Mutator<Memory> for Spread {
    fn dec(&mut self, dec: &mut MemInfo) {
        if let MemInfo::Array { block, lmad } = dec {
            if let Some(longer) = self.longer.get(block).and_then(|l| stretched(lmad, l.row)) {
                *lmad = longer;
            }
        }
    }

    fn stm(&mut self, stm: &mut Stm<Memory>) {
        if let (Exp::Op(MemOp::Alloc(size, _)), [p]) = (&mut stm.exp, stm.pat.as_slice()) {
            if let Some(longer) = self.longer.get(&p.name) {
                *size = SubExp::Const(PrimValue::I64(longer.bytes));
            }
        }
        change::stm(self, stm);
    }
}
