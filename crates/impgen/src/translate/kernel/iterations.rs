//! What plans that do several iterations of a loop in a kernel have in common.
//!
//! A loop of such a plan ends with a map. What it computes before it from its counter, threads compute for
//! each iteration; what it checks, the host checks before it launches the kernel. Where the ends of a
//! dimension are neighbours, a point may read an element around an end, which is as close in shared memory as
//! it is around that end.

use crate::translate::machine::Machine;
use crate::translate::state::{HostCode, KernelCode, Translate};
use fehu_algebra::Poly;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::free::free_in_exp;
use fehu_ir::mem::{poly, MemInfo, MemOp};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Exp, Loc, Memory, PatElem, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// The iterations that a kernel does.
pub(super) struct Iterations<'s> {
    /// What the loop does before its map, and its counter.
    pub(super) before: &'s [Stm<Memory>],
    pub(super) counter: (Name, IntType),
    /// The first of the iterations.
    pub(super) from: Expr,
}

impl Iterations<'_> {
    /// The host checks what so many iterations check before their maps.
    pub(super) fn checks(&self, t: &mut HostCode, now: Expr) {
        if !self.before.iter().any(is_check) {
            return;
        }
        t.for_up_to("check", now, |t, k| {
            let body = Body { stms: self.before.to_vec(), result: vec![] };
            let (body, counter) = t.renamed_iteration(&body, self.counter);
            set_counter(t, (counter, self.counter.1), add(self.from.clone(), k));
            t.body(&body, &[]);
        });
    }

    /// What an iteration does before its map, without checks.
    pub(super) fn unchecked(&self) -> impl Iterator<Item = &Stm<Memory>> {
        self.before.iter().filter(|stm| !is_check(stm))
    }

    /// Whether the map needs to know which iteration it is.
    pub(super) fn count(&self, seg: &SegOp<Memory>) -> bool {
        let uses = free_in_exp(&Exp::<Memory>::Op(MemOp::Seg(seg.clone())));
        !self.before.is_empty() || uses.contains(&self.counter.0)
    }

    /// A thread computes, for an iteration, what the map needs of it. The names are those of the loop itself.
    pub(super) fn begin(&self, t: &mut KernelCode, seg: &SegOp<Memory>, k: &Expr) {
        if !self.count(seg) {
            return;
        }
        set_counter(t, self.counter, add(self.from.clone(), k.clone()));
        t.body(&Body { stms: self.unchecked().cloned().collect(), result: vec![] }, &[]);
    }
}

fn is_check(stm: &Stm<Memory>) -> bool {
    matches!(stm.exp, Exp::Basic(Basic::Assert(..)))
}

/// Sets the counter of a loop.
pub(super) fn set_counter<M: Machine>(t: &mut Translate<M>, (counter, ty): (Name, IntType), value: Expr) {
    let value = match ty == IntType::I64 {
        true => value,
        false => Expr::Conv(ConvOp::SExt(IntType::I64, ty), Box::new(value)),
    };
    t.emit(Code::DeclareScalar(counter, PrimType::Int(ty)));
    t.set_to(counter, value);
}

/// The index of a dimension, from one that may be beyond its ends.
pub(super) fn within(index: Expr, size: &Expr) -> Expr {
    rem(add(rem(index, size.clone()), size.clone()), size.clone())
}

/// The same, of one that is less than once around beyond an end.
pub(super) fn once_around(index: &Expr, size: &Expr) -> Expr {
    let (more, less) = (add(index.clone(), size.clone()), sub(index.clone(), size.clone()));
    let from_end = select(le(size.clone(), index.clone()), less, index.clone());
    select(lt(index.clone(), i64(0)), more, from_end)
}

/// A dimension whose ends are neighbours, with more elements than twice the radius.
pub(super) struct Circle {
    /// The point's own index.
    pub(super) index: Name,
    pub(super) size: SubExp,
    /// How far from it a point reads at most, if need be once around.
    pub(super) radius: i64,
}

impl Circle {
    /// Names of a body that are the point's own index and a constant, if need be once around, as sums and
    /// remainders by the size are; and that constant.
    pub(super) fn near(&self, body: &Body<Memory>) -> FxHashMap<Name, i64> {
        let (index, size) = (poly(self.index.into()), poly(self.size));
        let mut sums: FxHashMap<Name, Poly> = [(self.index, index.clone())].into_iter().collect();
        sums.extend(self.size.name().map(|n| (n, size.clone())));
        let mut near: FxHashMap<Name, i64> = [(self.index, 0)].into_iter().collect();
        for_each_stm(body, &mut |stm| {
            let (Exp::Basic(Basic::BinOp(op, a, b)), [p]) = (&stm.exp, stm.pat.as_slice()) else { return };
            let value = |e: &SubExp| match e {
                SubExp::Var(n) => sums.get(n).cloned(),
                SubExp::Const(_) => e.as_i64().map(Poly::constant),
            };
            let (Some(x), Some(y)) = (value(a), value(b)) else { return };
            let is_remainder = *op == BinOp::SMod(IntType::I64) && y == size;
            let sum = if *op == BinOp::Add(IntType::I64) {
                x + y
            } else if *op == BinOp::Sub(IntType::I64) {
                x - y
            } else if is_remainder {
                x
            } else {
                return;
            };
            let around = [sum.clone(), &sum - &size, &sum + &size];
            let distance = around.iter().filter_map(|at| (at - &index).as_constant());
            near.extend(distance.filter(|d| d.abs() <= self.radius).map(|d| (p.name, d)));
            if !is_remainder {
                sums.insert(p.name, sum);
            }
        });
        near
    }

    /// How far from the point's own index a place is, around the ends if that is nearer: by statements.
    pub(super) fn distance(
        &self,
        t: &mut KernelCode,
        stms: &mut Vec<Stm<Memory>>,
        at: SubExp,
        loc: &Loc,
    ) -> SubExp {
        let mut bind = |ty: Type, base: &str, basic: Basic| bind(t, stms, (base, ty), basic, loc);
        let (sum, difference) = (BinOp::Add(IntType::I64), BinOp::Sub(IntType::I64));
        let (less, to_number) = (CmpOp::SLt(IntType::I64), ConvOp::BToI(IntType::I64));
        let d = bind(Type::I64, "distance", Basic::BinOp(difference, at, self.index.into()));
        let over = bind(Type::BOOL, "over", Basic::CmpOp(less, SubExp::i64(self.radius), d));
        let under = bind(Type::BOOL, "under", Basic::CmpOp(less, d, SubExp::i64(-self.radius)));
        let over = bind(Type::I64, "over", Basic::Conv(to_number, over));
        let under = bind(Type::I64, "under", Basic::Conv(to_number, under));
        let times = bind(Type::I64, "times", Basic::BinOp(difference, under, over));
        let by = bind(Type::I64, "by", Basic::BinOp(BinOp::Mul(IntType::I64), times, self.size));
        bind(Type::I64, "distance", Basic::BinOp(sum, d, by))
    }
}

/// Adds a statement that computes a scalar.
pub(super) fn bind(
    t: &mut KernelCode,
    stms: &mut Vec<Stm<Memory>>,
    (base, ty): (&str, Type),
    basic: Basic,
    loc: &Loc,
) -> SubExp {
    let name = t.names.fresh_str(base);
    t.types.insert(name, ty.clone());
    let pat = vec![PatElem { name, ty, dec: MemInfo::None }];
    stms.push(Stm { pat, certs: vec![], attrs: vec![], loc: loc.clone(), exp: Exp::Basic(basic) });
    name.into()
}
