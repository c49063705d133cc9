//! Application of operators, and reductions and scans of one value per thread within a block.
//!
//! Reductions keep the order of operands, so operators need not be commutative. `Lanes` are the values at
//! hand: one variable per operand of all operators together.

use super::bits::{bits_of, narrowed, widened};
use crate::translate::machine::Machine;
use crate::translate::state::{KernelCode, Translate};
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Direction, Expr, KernelOp};
use fehu_ir::schedule::Exchange;
use fehu_ir::seg::SegBinOp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Exp, Lambda, LoopForm, Memory, SubExp, Type};

/// How far values go in the steps of a scan within a warp.
const SCAN_STEPS: [u32; 5] = [1, 2, 4, 8, 16];

impl<M: Machine> Translate<'_, M> {
    /// The types of the operands of all operators.
    pub(in crate::translate) fn operand_types(&self, ops: &[SegBinOp<Memory>]) -> Vec<PrimType> {
        ops.iter().flat_map(|op| &op.op.ret).map(prim).collect()
    }

    /// The neutral elements of all operators.
    pub(in crate::translate) fn neutrals(&self, ops: &[SegBinOp<Memory>]) -> Vec<Expr> {
        ops.iter().flat_map(|op| &op.neutral).map(|e| self.operand(*e)).collect()
    }

    /// Variables with the given values.
    pub(in crate::translate) fn lanes(
        &mut self,
        base: &str,
        types: &[PrimType],
        values: Vec<Expr>,
    ) -> Vec<Name> {
        types.iter().zip(values).map(|(ty, v)| self.let_as(base, *ty, v)).collect()
    }

    /// Sets variables to what all operators give for two lists of operands.
    pub(in crate::translate) fn apply_all(
        &mut self,
        ops: &[SegBinOp<Memory>],
        left: &[Expr],
        right: &[Expr],
        into: &[Name],
    ) {
        let mut at = 0;
        for op in ops {
            let n = op.neutral.len();
            let range = at..at + n;
            self.apply(&op.op, &left[range.clone()], &right[range.clone()], &into[range]);
            at += n;
        }
    }

    /// Sets variables to what an operator gives. Where a check of it fails in a kernel, they stay as they are.
    pub(super) fn apply(&mut self, op: &Lambda<Memory>, left: &[Expr], right: &[Expr], into: &[Name]) {
        M::apply(self, op, left, right, into);
    }

    pub(in crate::translate) fn apply_unguarded(
        &mut self,
        op: &Lambda<Memory>,
        left: &[Expr],
        right: &[Expr],
        into: &[Name],
    ) {
        let op = self.renamed_lambda(op);
        for (p, value) in op.params.iter().zip(left.iter().chain(right)) {
            if let Expr::Var(x) = value {
                self.same.insert(p.name, SubExp::Var(*x));
            } else if let Expr::Const(v) = value {
                self.same.insert(p.name, SubExp::Const(*v));
            } else {
                self.declare(p.name, &p.ty);
                self.set_to(p.name, value.clone());
            }
        }
        self.body(&op.body, &[]);
        let pairs: Vec<(Name, SubExp)> = into.iter().copied().zip(op.body.result.iter().copied()).collect();
        self.set_all(&pairs);
    }
}

impl KernelCode<'_> {
    /// Shared arrays for one value per thread and operand, where the block has at most so many threads.
    pub(super) fn exchange(&mut self, types: &[PrimType], threads: &Expr) -> Vec<Name> {
        types.iter().map(|ty| self.shared_array("exchange", *ty, threads.clone())).collect()
    }

    /// Reduces one value per thread: the first thread has the result in its variables. `shared` has room for
    /// one value per thread; nobody is using it, and afterwards somebody may still be reading it.
    pub(super) fn block_reduce(
        &mut self,
        ops: &[SegBinOp<Memory>],
        types: &[PrimType],
        values: &[Name],
        shared: &[Name],
        exchange: Exchange,
    ) {
        if exchange == Exchange::Shuffles {
            return self.warps_reduce(ops, types, values, shared);
        }
        self.store_all(shared, types, &local(), values);
        self.barrier();
        let step = self.let_as("step", PrimType::I64, i64(1));
        self.while_(lt(var(step), block_size()), |t| {
            let twice = mul(var(step), i64(2));
            let takes = and(
                eq(bits(local(), sub(twice.clone(), i64(1))), i64(0)),
                lt(add(local(), var(step)), block_size()),
            );
            t.if_then(takes, |t| {
                let other = t.load_all(shared, types, &add(local(), var(step)));
                t.apply_all(ops, &vars(values), &vars(&other), values);
                t.store_all(shared, types, &local(), values);
            });
            t.barrier();
            t.set_to(step, twice);
        });
    }

    /// The same with warps: first within each, then the warps' results in the first.
    fn warps_reduce(
        &mut self,
        ops: &[SegBinOp<Memory>],
        types: &[PrimType],
        values: &[Name],
        shared: &[Name],
    ) {
        let lane = self.let_i64("lane", rem(local(), i64(WARP_THREADS)));
        let warp = self.let_i64("warp", quot(local(), i64(WARP_THREADS)));
        self.shuffle_reduce(ops, types, values);
        self.if_then(eq(lane.clone(), i64(0)), |t| t.store_all(shared, types, &warp, values));
        self.barrier();
        self.if_then(lt(local(), i64(WARP_THREADS)), |t| {
            let neutral = t.neutrals(ops);
            for (x, e) in values.iter().zip(neutral) {
                t.set_to(*x, e);
            }
            t.if_then(lt(lane.clone(), quot(block_size(), i64(WARP_THREADS))), |t| {
                for ((x, mem), ty) in values.iter().zip(shared).zip(types) {
                    let e = t.element(*mem, *ty, lane.clone());
                    t.set_to(*x, e);
                }
            });
            t.shuffle_reduce(ops, types, values);
        });
    }

    /// Reduces within a warp; lane 0 has the result.
    pub(super) fn shuffle_reduce(&mut self, ops: &[SegBinOp<Memory>], types: &[PrimType], values: &[Name]) {
        for delta in [1u32, 2, 4, 8, 16] {
            let other = self.shuffle(types, values, Direction::Down, delta);
            let there = lt(add(rem(local(), i64(WARP_THREADS)), i64(i64::from(delta))), i64(WARP_THREADS));
            self.where_needed(ops, there, |t| t.apply_all(ops, &vars(values), &vars(&other), values));
        }
    }

    /// Reduces within parts of a warp of so many lanes, a power of two; the first lane of each has the result.
    pub(super) fn lanes_reduce(
        &mut self,
        ops: &[SegBinOp<Memory>],
        types: &[PrimType],
        values: &[Name],
        lane: &Expr,
        lanes: &Expr,
    ) {
        for delta in [1u32, 2, 4, 8, 16] {
            let step = i64::from(delta);
            self.if_then(lt(i64(step), lanes.clone()), |t| {
                let other = t.shuffle(types, values, Direction::Down, delta);
                let needed = eq(bits(lane.clone(), i64(2 * step - 1)), i64(0));
                t.where_needed(ops, needed, |t| t.apply_all(ops, &vars(values), &vars(&other), values));
            });
        }
    }

    /// Applies operators to values that make sense only in some lanes. All others do the same, unless the
    /// operators may find that out.
    pub(super) fn where_needed(
        &mut self,
        ops: &[SegBinOp<Memory>],
        sensible: Expr,
        apply: impl FnOnce(&mut Self),
    ) {
        if ops.iter().any(|op| can_fail(&op.op.body)) {
            self.if_then(sensible, apply);
        } else {
            apply(self);
        }
    }

    /// The values of other lanes. Narrow ones travel as 32 bits.
    pub(super) fn shuffle(
        &mut self,
        types: &[PrimType],
        values: &[Name],
        direction: Direction,
        delta: u32,
    ) -> Vec<Name> {
        let mut got = vec![];
        for (ty, value) in types.iter().zip(values) {
            let (bits, wide) = (bits_of(*ty), PrimType::I32);
            let narrow = ty.bytes() < wide.bytes();
            let (sent, value) = match narrow {
                true => (wide, widened(*ty, bits, IntType::I32, var(*value))),
                false => (*ty, var(*value)),
            };
            let x = self.temp("other", sent);
            self.emit(Code::Op(KernelOp::Shuffle { var: x, ty: sent, direction, delta, value }));
            got.push(match narrow {
                true => self.let_as("other", *ty, narrowed(*ty, bits, IntType::I32, var(x))),
                false => x,
            });
        }
        got
    }

    /// Scans one value per thread, inclusively. `starts` says of each thread whether a segment starts in its part, so
    /// that nothing before counts; afterwards whether one starts in any part up to its own. `shared` as in
    /// [`Translate::block_reduce`], `flags` likewise for the `starts`.
    pub(super) fn block_scan(
        &mut self,
        ops: &[SegBinOp<Memory>],
        types: &[PrimType],
        values: &[Name],
        shared: &[Name],
        starts: Option<(Name, Name)>,
        exchange: Exchange,
    ) {
        if exchange == Exchange::Shuffles {
            return self.warps_scan(ops, types, values, shared, starts, |_| {});
        }
        let step = self.let_as("step", PrimType::I64, i64(1));
        self.store_all(shared, types, &local(), values);
        if let Some((starts, flags)) = starts {
            self.store(flags, PrimType::Bool, local(), var(starts));
        }
        self.barrier();
        self.while_(lt(var(step), block_size()), |t| {
            let takes = t.let_as("takes", PrimType::Bool, le(var(step), local()));
            let before = sub(local(), var(step));
            let zero: Vec<Expr> = t.neutrals(ops);
            let other = t.lanes("before", types, zero);
            let started = t.let_as("started", PrimType::Bool, bool(false));
            t.if_then(var(takes), |t| {
                for ((x, mem), ty) in other.iter().zip(shared).zip(types) {
                    let e = t.element(*mem, *ty, before.clone());
                    t.set_to(*x, e);
                }
                if let Some((_, flags)) = starts {
                    let e = t.element(flags, PrimType::Bool, before.clone());
                    t.set_to(started, e);
                }
            });
            t.barrier();
            t.if_then(var(takes), |t| {
                t.combine_unless_started(ops, &other, values, starts.map(|s| s.0));
                t.store_all(shared, types, &local(), values);
                if let Some((starts, flags)) = starts {
                    t.set_to(starts, or(var(starts), var(started)));
                    t.store(flags, PrimType::Bool, local(), var(starts));
                }
            });
            t.barrier();
            t.set_to(step, mul(var(step), i64(2)));
        });
    }

    /// Puts what is before in front of values, unless a segment starts in between.
    fn combine_unless_started(
        &mut self,
        ops: &[SegBinOp<Memory>],
        before: &[Name],
        values: &[Name],
        starts: Option<Name>,
    ) {
        match starts {
            None => self.apply_all(ops, &vars(before), &vars(values), values),
            Some(starts) => self.if_then(not(var(starts)), |t| {
                t.apply_all(ops, &vars(before), &vars(values), values);
            }),
        }
    }

    /// The same with warps: first within each, then the warps' results in the first. That one goes on with
    /// `meanwhile`, before the others are given what it found.
    pub(super) fn warps_scan(
        &mut self,
        ops: &[SegBinOp<Memory>],
        types: &[PrimType],
        values: &[Name],
        shared: &[Name],
        starts: Option<(Name, Name)>,
        meanwhile: impl FnOnce(&mut Self),
    ) {
        let lane = self.let_i64("lane", rem(local(), i64(WARP_THREADS)));
        let warp = self.let_i64("warp", quot(local(), i64(WARP_THREADS)));
        let started = starts.map(|(starts, flags)| {
            let number = self.let_as("started", PrimType::I32, select(var(starts), i32(1), i32(0)));
            (number, flags)
        });
        for delta in SCAN_STEPS {
            self.shuffle_step(ops, types, values, started.map(|s| s.0), (&lane, delta));
        }
        self.if_then(eq(lane.clone(), i64(WARP_THREADS - 1)), |t| {
            t.store_all(shared, types, &warp, values);
            if let Some((number, flags)) = started {
                let is = equal(PrimType::I32, var(number), i32(1));
                t.store(flags, PrimType::Bool, warp.clone(), is);
            }
        });
        self.scan_of_warps(ops, types, shared, started.map(|s| s.1), meanwhile);
        self.if_then(lt(i64(0), warp.clone()), |t| {
            let before = t.load_all(shared, types, &sub(warp.clone(), i64(1)));
            match started {
                None => t.apply_all(ops, &vars(&before), &vars(values), values),
                Some((number, flags)) => {
                    t.if_then(equal(PrimType::I32, var(number), i32(0)), |t| {
                        t.apply_all(ops, &vars(&before), &vars(values), values);
                    });
                    let earlier = t.element(flags, PrimType::Bool, sub(warp, i64(1)));
                    let now = or(equal(PrimType::I32, var(number), i32(1)), earlier);
                    t.set_to(number, select(now, i32(1), i32(0)));
                }
            }
        });
        if let (Some((starts, _)), Some((number, _))) = (starts, started) {
            self.set_to(starts, equal(PrimType::I32, var(number), i32(1)));
        }
    }

    /// The first warp scans what the warps have left in `shared`, and goes on with `meanwhile`; the others wait for it.
    pub(super) fn scan_of_warps(
        &mut self,
        ops: &[SegBinOp<Memory>],
        types: &[PrimType],
        shared: &[Name],
        flags: Option<Name>,
        meanwhile: impl FnOnce(&mut Self),
    ) {
        self.barrier();
        self.if_then(lt(local(), i64(WARP_THREADS)), |t| {
            let neutral = t.neutrals(ops);
            let sums = t.lanes("sum", types, neutral);
            let flag = t.let_as("flag", PrimType::I32, i32(0));
            t.if_then(lt(local(), quot(block_size(), i64(WARP_THREADS))), |t| {
                for ((x, mem), ty) in sums.iter().zip(shared).zip(types) {
                    let e = t.element(*mem, *ty, local());
                    t.set_to(*x, e);
                }
                if let Some(flags) = flags {
                    let e = t.element(flags, PrimType::Bool, local());
                    t.set_to(flag, select(e, i32(1), i32(0)));
                }
            });
            // As far as there are warps: in a block of 256 threads, two steps of five have nothing to do.
            for delta in SCAN_STEPS {
                let warps = quot(block_size(), i64(WARP_THREADS));
                t.if_then(lt(i64(i64::from(delta)), warps), |t| {
                    t.shuffle_step(ops, types, &sums, flags.map(|_| flag), (&local(), delta));
                });
            }
            t.if_then(lt(local(), quot(block_size(), i64(WARP_THREADS))), |t| {
                t.store_all(shared, types, &local(), &sums);
                if let Some(flags) = flags {
                    let is = equal(PrimType::I32, var(flag), i32(1));
                    t.store(flags, PrimType::Bool, local(), is);
                }
            });
            meanwhile(t);
        });
        self.barrier();
    }

    /// A step of a scan within a warp, by which lanes get what is so far before them. `started` is 1 where a
    /// segment starts in a lane's part, and then nothing before counts.
    fn shuffle_step(
        &mut self,
        ops: &[SegBinOp<Memory>],
        types: &[PrimType],
        values: &[Name],
        started: Option<Name>,
        (lane, delta): (&Expr, u32),
    ) {
        let other = self.shuffle(types, values, Direction::Up, delta);
        let other_start = started.map(|s| self.shuffle(&[PrimType::I32], &[s], Direction::Up, delta)[0]);
        self.if_then(le(i64(i64::from(delta)), lane.clone()), |t| match (started, other_start) {
            (Some(number), Some(other_start)) => {
                t.if_then(equal(PrimType::I32, var(number), i32(0)), |t| {
                    t.apply_all(ops, &vars(&other), &vars(values), values);
                    t.set_to(number, var(other_start));
                });
            }
            _ => t.apply_all(ops, &vars(&other), &vars(values), values),
        });
    }

    /// Stores one value per operand.
    pub(super) fn store_all(&mut self, mems: &[Name], types: &[PrimType], at: &Expr, values: &[Name]) {
        for ((mem, ty), value) in mems.iter().zip(types).zip(values) {
            self.store(*mem, *ty, at.clone(), var(*value));
        }
    }

    /// Loads one value per operand.
    pub(super) fn load_all(&mut self, mems: &[Name], types: &[PrimType], at: &Expr) -> Vec<Name> {
        let mut loaded = vec![];
        for (mem, ty) in mems.iter().zip(types) {
            let e = self.element(*mem, *ty, at.clone());
            loaded.push(self.let_as("loaded", *ty, e));
        }
        loaded
    }
}

/// Variables as expressions.
pub(in crate::translate) fn vars(names: &[Name]) -> Vec<Expr> {
    names.iter().map(|x| Expr::Var(*x)).collect()
}

/// The type of an operand; operators on arrays have been dealt with before.
pub(super) fn prim(t: &Type) -> PrimType {
    match t {
        Type::Prim(p) => *p,
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => bug!("an operator on {t:?} in a kernel"),
    }
}

/// Whether code may come to an end in another way than that it gives its results.
pub(in crate::translate) fn can_fail(body: &Body<Memory>) -> bool {
    let mut found = false;
    for_each_stm(body, &mut |stm| {
        found |= match &stm.exp {
            Exp::Loop(l) => matches!(l.form, LoopForm::While(_)),
            Exp::Call(..) | Exp::Basic(Basic::Assert(..)) => true,
            Exp::Basic(_) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
        }
    });
    found
}
