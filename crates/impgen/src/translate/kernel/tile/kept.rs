//! Rows that points read again and again are kept in shared memory.
//!
//! A point that goes through a row of its own in an inner loop, for every iteration of an outer one, reads the row many
//! times; and neighbouring threads, being in different rows, read far from each other. Here the threads of a block copy
//! the rows of all its points into shared memory first, side by side, and then each point runs its code as it is, with
//! the rows read from there.
//!
//! ```text
//! segmap (i < n) { loop for j < k { loop for c < d { ... points[i,c] ... centres[j,c] ... } } }
//!   ==>
//! blocks of T*T threads:
//!   rows[d][T*T] in shared memory  =  points[first + .., ..]
//!   barrier
//!   if i < n { loop for j < k { loop for c < d { ... rows[c][thread] ... centres[j,c] ... } } }
//! ```
//!
//! This needs shared memory for whole rows; the host finds out whether there is enough.

use super::super::{Mode, Translate};
use crate::translate::place::At;
use fehu_base::ops::ConvOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, Symbol};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::{sym, sym_name, MemOp};
use fehu_ir::seg::{SegOp, SizeClass};
use fehu_ir::{Basic, Body, Exp, LoopForm, Memory, PatElem, Space, SubExp, Type};
use rustc_hash::FxHashSet;

/// Elements between the rows of a tile and the next multiple of the number of banks.
const PAD: i64 = 4;

/// The reads of a map that are kept.
pub(super) struct Kept {
    reads: Vec<Read>,
    /// The bounds of all loops around them.
    around: Vec<(SubExp, IntType)>,
}

/// An element of a point's own row.
struct Read {
    /// What is read.
    name: Name,
    /// Where, in terms of the point and of the loop that goes through the row.
    at: At,
    along: Counted,
}

/// A loop with the same bound for all points.
#[derive(Clone, Copy)]
struct Counted {
    var: Name,
    ty: IntType,
    bound: SubExp,
}

impl Translate {
    /// What of a map can be kept.
    pub(super) fn kept(&self, seg: &SegOp<Memory>) -> Option<Kept> {
        let across = seg.space.dims.last()?.0;
        let dims: Vec<Name> = seg.space.dims.iter().map(|d| d.0).collect();
        let inside = bound_in_exp::<Memory>(&Exp::Op(MemOp::Seg(seg.clone()))).into_iter().collect();
        let mut finder =
            Finder { t: self, across, dims, inside, loops: vec![], found: vec![], around: vec![] };
        for stm in seg.body.body.stms.iter().take_while(|s| s.is_plain()) {
            finder.exp(&stm.exp);
        }
        let Finder { found, around, .. } = finder;
        (!found.is_empty()).then_some(Kept { reads: found, around })
    }

    /// Whether rows of this many threads' points can be kept, and are worth it.
    pub(super) fn rows_fit(&mut self, kept: &Kept, tile: &Expr, blocks: &Expr, points: &Expr) -> Expr {
        let threads = mul(tile.clone(), tile.clone());
        let most = self.device_max(&SizeClass::ThreadBlockSize);
        let shared = self.device_max(&SizeClass::SharedMemory);
        let mut bytes = i64(0);
        let mut fits = le(threads.clone(), most);
        for read in &kept.reads {
            let bound = self.counted(read.along.bound, read.along.ty);
            let row = add(threads.clone(), i64(PAD));
            let own = mul(mul(bound.clone(), row), i64(read.at.elem.bytes() as i64));
            bytes = add(bytes, add(own, i64(15)));
            fits = and(fits, le(tile.clone(), mul(bound, i64(2))));
        }
        for (bound, ty) in &kept.around {
            let bound = self.counted(*bound, *ty);
            fits = and(fits, le(i64(1), bound));
        }
        // Two blocks at a time.
        fits = and(fits, le(mul(bytes, i64(2)), shared));
        and(fits, le(mul(blocks.clone(), threads), mul(points.clone(), i64(2))))
    }

    /// The kernel with rows that are kept, and its launch. `counts` are the numbers of blocks in each dimension.
    pub(super) fn kept_kernel(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        kept: &Kept,
        tile: (Symbol, &Expr),
        blocks: Expr,
        counts: &[Expr],
    ) {
        let (side, threads) = (Expr::Param(tile.0), mul(tile.1.clone(), tile.1.clone()));
        let width = mul(side.clone(), side.clone());
        let Some((across, size)) = seg.space.dims.last().copied() else { return };
        self.kernel("segmap_kept", blocks, threads.clone(), Mode::Thread, |t| {
            let first = t.block_place(seg, counts, &width);
            let row = t.let_i64("row", add(width.clone(), i64(PAD)));
            for read in &kept.reads {
                let bound = t.counted(read.along.bound, read.along.ty);
                let count = mul(bound.clone(), add(threads.clone(), i64(PAD)));
                let rows = t.shared_array("rows", read.at.elem, count);
                let edge = sub(t.operand(size), i64(1));
                t.for_up_to("step", quot_up(bound.clone(), side.clone()), |t, step| {
                    t.for_up_to("s", side.clone(), |t, s| {
                        let number = t.let_i64("number", add(mul(s, width.clone()), local()));
                        let column = t.let_i64("column", quot(number.clone(), side.clone()));
                        let k = add(mul(step, side.clone()), rem(number, side.clone()));
                        let k = t.fresh_index(read.along.var, k);
                        t.fresh_index(across, min(add(first.clone(), column.clone()), edge));
                        t.if_then(lt(k.clone(), bound), |t| {
                            let value = t.read(&read.at);
                            t.store(rows, read.at.elem, add(mul(k, row.clone()), column), value);
                        });
                    });
                });
                t.same.remove(&read.along.var);
                let k = t.counted(read.along.var.into(), read.along.ty);
                let element = t.element(rows, read.at.elem, add(mul(k, row.clone()), local()));
                t.instead.insert(read.name, element);
            }
            t.barrier();
            let here = t.fresh_index(across, add(first, local()));
            t.number_point(seg);
            let inside = lt(here, t.operand(size));
            t.if_then(inside, |t| {
                t.point(pat, seg);
            });
        });
        if let Some(kernel) = self.kernels.last_mut() {
            kernel.block_size = Some(width);
        }
        self.instead.clear();
    }

    /// Sets the outer indices of a block's points, which lie along the innermost dimension; the first index in that.
    fn block_place(&mut self, seg: &SegOp<Memory>, counts: &[Expr], width: &Expr) -> Expr {
        let mut rest = block();
        let mut first = i64(0);
        for (d, (index, _)) in seg.space.dims.iter().enumerate().rev() {
            let number = if d == 0 { rest.clone() } else { rem(rest.clone(), counts[d].clone()) };
            if d + 1 == seg.space.dims.len() {
                first = self.let_i64("first", mul(number, width.clone()));
            } else {
                self.emit(Code::DeclareScalar(*index, PrimType::I64));
                self.set_to(*index, number);
            }
            if d > 0 {
                rest = self.let_i64("rest", quot(rest, counts[d].clone()));
            }
        }
        first
    }

    /// An operand of a type that loops count in, as an `i64`.
    pub(super) fn counted(&self, e: SubExp, ty: IntType) -> Expr {
        match (e, ty) {
            (SubExp::Const(v), _) => i64(v.as_i64().unwrap_or(0)),
            (e, IntType::I64) => self.operand(e),
            (e, narrow) => Expr::Conv(ConvOp::SExt(narrow, IntType::I64), Box::new(self.operand(e))),
        }
    }
}

/// Looks for reads that are worth keeping.
struct Finder<'t> {
    t: &'t Translate,
    across: Name,
    dims: Vec<Name>,
    /// Names bound in the map.
    inside: FxHashSet<Name>,
    loops: Vec<Counted>,
    found: Vec<Read>,
    around: Vec<(SubExp, IntType)>,
}

impl Finder<'_> {
    fn exp(&mut self, exp: &Exp<Memory>) {
        let Exp::Loop(l) = exp else { return };
        let LoopForm::For { var, ty, bound } = l.form else { return };
        if bound.name().is_none_or(|n| !self.inside.contains(&n)) {
            self.loops.push(Counted { var, ty, bound });
            self.body(&l.body);
            self.loops.pop();
        }
    }

    fn body(&mut self, body: &Body<Memory>) {
        for stm in &body.stms {
            match (&stm.exp, stm.pat.as_slice()) {
                (Exp::Basic(Basic::Index(array, slice)), [p]) if matches!(p.ty, Type::Prim(_)) => {
                    let at = self.t.place_of(*array).sliced(slice);
                    if let Some(along) = self.row(&at) {
                        self.found.push(Read { name: p.name, at, along });
                        self.around.extend(self.loops.iter().map(|l| (l.bound, l.ty)));
                    }
                }
                (exp, _) => self.exp(exp),
            }
        }
    }

    /// The loop that goes through a row, if there is another one in which the row is the same.
    fn row(&self, at: &At) -> Option<Counted> {
        let offset = at.offset()?;
        let through: Vec<&Counted> = self.loops.iter().filter(|l| offset.mentions(sym(l.var))).collect();
        let [along] = through.as_slice() else { return None };
        let known = |n: Name| n == along.var || self.dims.contains(&n) || !self.inside.contains(&n);
        let in_leaps = !offset.split_on(sym(self.across)).0.is_one() && offset.mentions(sym(self.across));
        let by_loop = offset.split_on(sym(along.var)).0.is_one();
        let again = self.loops.len() > 1;
        let fine = offset.is_known()
            && offset.vars().iter().all(|x| known(sym_name(*x)))
            && matches!(self.t.space(at.block), Space::Default);
        (fine && again && in_leaps && by_loop).then_some(**along)
    }
}
