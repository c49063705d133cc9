//! Shared memory through which the threads of a block exchange values.
//!
//! Before: reductions and scans in thread blocks, on scalars. After: the block allocates, before the first of
//! them, an array for each value that their operators combine, and flags where rows of a scan lie side by
//! side. All operations of a block use the same arrays, one after the other, so each is as large as the
//! largest of them needs: an element for each point, but no more than the block may have threads, and at
//! least one for each warp.
//!
//! ```text
//! segmap block (i < n) {                          let (t : i64) = get_size_max block_size
//!   let (s) = segred inblock (j < m) (+) ..       let (p : i64) = smin_i64(m, t)
//! }                                               let (c : i64) = smax_i64(32, p)
//!                                                 let (b : i64) = mul_i64(c, 4)
//!                                                 segmap block (i < n) {
//!                                                   #[exchange(0)] let (e : mem shared) = alloc b shared
//!                                                   let (s) = segred inblock (j < m) (+) ..
//! ```

use crate::builder::MemBuilder;
use fehu_algebra::horner::Arith;
use fehu_base::device::{MAX_BLOCK_WARPS, WARP_THREADS};
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name, Symbol};
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::seg::{SegKind, SegLevel, SegOp, SizeClass, SizeOp, EXCHANGE};
use fehu_ir::visit::{deep, for_each_body, for_each_stm, map_bodies};
use fehu_ir::{Attr, Basic, Body, Exp, Memory, PatElem, Space, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// Allocates what the thread blocks of code of the host need.
pub(super) fn allocate(b: &mut MemBuilder, body: &mut Body<Memory>) {
    deep(|| {
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            match &mut stm.exp {
                Exp::Op(MemOp::Seg(seg)) if seg.level == SegLevel::Block => {
                    b.begin();
                    b.loc = stm.loc.clone();
                    in_block(b, seg);
                    out.extend(b.close());
                }
                Exp::Op(MemOp::Seg(_)) => {}
                other @ (Exp::Basic(_)
                | Exp::Call(..)
                | Exp::If(..)
                | Exp::Loop(_)
                | Exp::WithAcc(_)
                | Exp::Op(_)) => map_bodies(other, &mut |inner| allocate(b, inner)),
            }
            out.push(stm);
        }
        body.stms = out;
    });
}

/// An array that operations of a block use.
struct Array {
    /// The statement of the block that uses it first.
    first: usize,
    base: &'static str,
    /// What it is for.
    what: Attr,
    /// For each operation, its points and the type of an element.
    users: Vec<(Vec<SubExp>, PrimType)>,
}

/// Allocates what a thread block needs. Sizes are computed on the host, before it.
fn in_block(b: &mut MemBuilder, seg: &mut SegOp<Memory>) {
    let body = &mut seg.body.body;
    let arrays = arrays(body);
    if arrays.is_empty() {
        return;
    }
    let mut sizes = Sizes::of(body);
    let mut threads = None;
    let mut allocs: Vec<(usize, Stm<Memory>)> = vec![];
    for Array { first, base, what, users } in arrays {
        let mut most: Option<SubExp> = None;
        for (points, elem) in users {
            let mut count = SubExp::i64(1);
            for n in points {
                let n = sizes.on_host(b, n);
                count = b.mul(count, n);
            }
            if count.as_i64().is_none_or(|n| n > MAX_BLOCK_WARPS * WARP_THREADS) {
                let threads = *threads.get_or_insert_with(|| most_threads(b));
                count =
                    bound(b, Type::I64, Exp::Basic(Basic::BinOp(BinOp::SMin(IntType::I64), count, threads)));
            }
            let count = larger(b, SubExp::i64(MAX_BLOCK_WARPS), count);
            let bytes = b.mul(count, SubExp::i64(elem.bytes() as i64));
            most = Some(most.map_or(bytes, |most| larger(b, most, bytes)));
        }
        let ty = Type::Mem(Space::Shared);
        let name = b.fresh(base, ty.clone());
        let exp = Exp::Op(MemOp::Alloc(most.unwrap_or(SubExp::i64(0)), Space::Shared));
        let pat = vec![PatElem { name, ty, dec: MemInfo::None }];
        let attrs = vec![Attr::Comp(Symbol::new(EXCHANGE), vec![what])];
        allocs.push((first, Stm { pat, certs: vec![], attrs, loc: b.loc.clone(), exp }));
    }
    allocs.sort_by_key(|(first, _)| *first);
    for (first, stm) in allocs.into_iter().rev() {
        body.stms.insert(first, stm);
    }
}

/// The arrays that a block needs, in the order of the operators' values, then the flags.
fn arrays(body: &Body<Memory>) -> Vec<Array> {
    let mut lanes: Vec<Array> = vec![];
    let mut flags: Option<Array> = None;
    for (first, stm) in body.stms.iter().enumerate() {
        each_op(stm, &mut |op| {
            let (ops, is_scan) = match &op.kind {
                SegKind::Red(ops) => (&ops[..], false),
                SegKind::Scan(ops, _) => (&ops[..], true),
                SegKind::Map | SegKind::Hist(_) => return,
            };
            let points: Vec<SubExp> = op.space.dims.iter().map(|d| d.1).collect();
            for (k, elem) in ops.iter().flat_map(|op| &op.op.ret).filter_map(Type::elem).enumerate() {
                if lanes.len() <= k {
                    let what = Attr::Int(k as i64);
                    lanes.push(Array { first, base: "exchange", what, users: vec![] });
                }
                let user = (points.clone(), elem);
                if !lanes[k].users.contains(&user) {
                    lanes[k].users.push(user);
                }
            }
            if is_scan && points.len() > 1 && flags.is_none() {
                // One for each warp.
                let what = Attr::Atom(Symbol::new("flags"));
                flags = Some(Array { first, base: "flags", what, users: vec![(vec![], PrimType::Bool)] });
            }
        });
    }
    lanes.into_iter().chain(flags).collect()
}

/// The operations in a statement.
fn each_op(stm: &Stm<Memory>, f: &mut impl FnMut(&SegOp<Memory>)) {
    let mut look = |stm: &Stm<Memory>| {
        if let Exp::Op(MemOp::Seg(op)) = &stm.exp {
            f(op);
        }
    };
    look(stm);
    for_each_body(&stm.exp, &mut |body| for_each_stm(body, &mut look));
}

/// The most threads that a block has.
fn most_threads(b: &mut MemBuilder) -> SubExp {
    let size = SizeOp::GetSizeMax(SizeClass::ThreadBlockSize);
    bound(b, Type::I64, Exp::Op(MemOp::Size(size)))
}

fn larger(b: &mut MemBuilder, x: SubExp, y: SubExp) -> SubExp {
    if let (Some(x), Some(y)) = (x.as_i64(), y.as_i64()) {
        return SubExp::i64(x.max(y));
    }
    bound(b, Type::I64, Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), x, y)))
}

fn bound(b: &mut MemBuilder, ty: Type, exp: Exp<Memory>) -> SubExp {
    let name = b.fresh("bytes", ty.clone());
    b.bind(name, ty, exp);
    name.into()
}

/// How the host computes sizes that a block's code computes for itself.
struct Sizes {
    /// Scalars of the block.
    inside: FxHashMap<Name, Option<(Type, Exp<Memory>)>>,
    known: FxHashMap<Name, SubExp>,
}

impl Sizes {
    fn of(body: &Body<Memory>) -> Sizes {
        let mut inside = FxHashMap::default();
        for_each_stm(body, &mut |stm| {
            let is_scalar = matches!(
                &stm.exp,
                Exp::Basic(Basic::SubExp(_) | Basic::UnOp(..) | Basic::BinOp(..) | Basic::Conv(..))
            );
            for p in &stm.pat {
                inside.insert(p.name, is_scalar.then(|| (p.ty.clone(), stm.exp.clone())));
            }
        });
        Sizes { inside, known: FxHashMap::default() }
    }

    fn on_host(&mut self, b: &mut MemBuilder, e: SubExp) -> SubExp {
        let SubExp::Var(n) = e else { return e };
        if let Some(value) = self.known.get(&n) {
            return *value;
        }
        let Some(computed) = self.inside.get(&n).cloned() else { return e };
        let value = deep(|| match computed {
            Some((_, Exp::Basic(Basic::SubExp(x)))) => self.on_host(b, x),
            Some((ty, Exp::Basic(Basic::UnOp(op, x)))) => {
                let x = self.on_host(b, x);
                bound(b, ty, Exp::Basic(Basic::UnOp(op, x)))
            }
            Some((ty, Exp::Basic(Basic::Conv(op, x)))) => {
                let x = self.on_host(b, x);
                bound(b, ty, Exp::Basic(Basic::Conv(op, x)))
            }
            Some((ty, Exp::Basic(Basic::BinOp(op, x, y)))) => {
                let (x, y) = (self.on_host(b, x), self.on_host(b, y));
                bound(b, ty, Exp::Basic(Basic::BinOp(op, x, y)))
            }
            Some(_) | None => bug!("the host does not know the size {} of an operation in a block", n.0),
        });
        self.known.insert(n, value);
        value
    }
}
