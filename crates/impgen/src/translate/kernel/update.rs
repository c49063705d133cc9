//! Indivisible updates: an element combined with a value while other threads do the same.
//!
//! Operators that the hardware has are single instructions; others on one value are tried again until nobody
//! interfered, where one of 8 or 16 bits is a part of a word of 32; the rest is done under a lock. Half
//! floats in global memory are added up in pairs by an instruction.

use super::bits::{bits_of, from_bits, from_part, to_bits, to_part};
use super::operator::{prim, vars};
use crate::translate::build::LOCKS;
use crate::translate::kernel::point;
use crate::translate::machine::Machine;
use crate::translate::state::{At, KernelCode, Lock, Translate, Updated};
use fehu_analysis::operator::{binops, update};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{FloatType, IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{AtomicOp, Code, Expr, KernelOp};
use fehu_ir::mem::poly;
use fehu_ir::schedule::Update;
use fehu_ir::{Lambda, Memory, PatElem, Space, SubExp, Type, WithAcc};

impl<M: Machine> Translate<'_, M> {
    /// Arrays become accumulators for the time of a body.
    pub(in crate::translate) fn with_acc(&mut self, pat: &[PatElem<Memory>], w: &WithAcc<Memory>) {
        for (input, token) in w.inputs.iter().zip(&w.lambda.params) {
            let arrays: Vec<At> = input.arrays.iter().map(|a| self.place_of(*a)).collect();
            let elems = input.arrays.iter().map(|a| self.type_of(*a).peel(input.shape.len())).collect();
            let op = input.op.as_ref().map(|(op, _)| op.clone());
            self.accs.insert(token.name, Updated { shape: input.shape.clone(), arrays, elems, op });
        }
        self.body(&w.lambda.body, &[]);
        let arrays: usize = w.inputs.iter().map(|i| i.arrays.len()).sum();
        for (p, e) in pat.iter().skip(arrays).zip(w.lambda.body.result.iter().skip(w.inputs.len())) {
            if matches!(p.ty, Type::Prim(_) | Type::Mem(_)) {
                self.alias(p, *e);
            }
        }
    }

    /// Combines values into an accumulator.
    pub(in crate::translate) fn update_acc(&mut self, acc: Name, index: &[SubExp], values: &[SubExp]) {
        let Type::Acc(token, ..) = self.type_of(acc) else {
            bug!("{} accumulates nothing", self.names.show(acc))
        };
        let Some(updated) = self.accs.get(&token).cloned() else {
            bug!("{} is not open", self.names.show(token))
        };
        let inside = point::within(self, index, &updated.shape);
        let indices: Vec<_> = index.iter().map(|i| poly(self.resolve(*i))).collect();
        let places: Vec<At> = updated.arrays.iter().map(|at| at.fixed(&indices)).collect();
        let lock = Lock::Global(self.flat_index(index, &updated.shape));
        self.if_then(inside, |t| match &updated.op {
            None => {
                for ((at, ty), value) in places.iter().zip(&updated.elems).zip(values) {
                    t.put(ty.shape(), at, *value);
                }
            }
            Some(op) => {
                let values = values.iter().map(|v| t.operand(*v)).collect();
                t.update(op, update(op), &places, values, lock);
            }
        });
    }

    /// The flat number of an index in a shape.
    pub(super) fn flat_index(&mut self, index: &[SubExp], shape: &[SubExp]) -> Expr {
        let mut flat = i64(0);
        for (i, n) in index.iter().zip(shape) {
            flat = add(mul(flat, self.operand(*n)), self.operand(*i));
        }
        flat
    }

    /// Combines values into the elements at some places.
    pub(super) fn update(
        &mut self,
        op: &Lambda<Memory>,
        how: Update,
        places: &[At],
        values: Vec<Expr>,
        lock: Lock,
    ) {
        M::update(self, op, how, places, values, lock);
    }
}

/// Combines values into elements while nobody else is there.
pub(in crate::translate) fn update_alone<M: Machine>(
    t: &mut Translate<M>,
    op: &Lambda<Memory>,
    places: &[At],
    values: &[Expr],
) {
    let types: Vec<PrimType> = op.ret.iter().map(prim).collect();
    let old: Vec<Expr> = places.iter().map(|at| t.read(at)).collect();
    let old = t.lanes("old", &types, old);
    t.apply(op, &vars(&old), values, &old);
    for (at, x) in places.iter().zip(&old) {
        t.write(at, var(*x));
    }
}

impl KernelCode<'_> {
    /// The same while other threads do so, if need be under a lock.
    pub(in crate::translate) fn update_among_threads(
        &mut self,
        op: &Lambda<Memory>,
        how: Update,
        places: &[At],
        values: Vec<Expr>,
        lock: Lock,
    ) {
        let types: Vec<PrimType> = op.ret.iter().map(prim).collect();
        match how {
            Update::Atomic => {
                let atomics =
                    binops(op).and_then(|ops| ops.into_iter().map(native).collect::<Option<Vec<_>>>());
                let Some(atomics) = atomics else { bug!("no instruction for an operator") };
                for ((at, value), atomic) in places.iter().zip(values).zip(atomics) {
                    let offset = self.offset(at);
                    let mem = self.mem(at.block);
                    let space = self.mem_space(mem);
                    self.emit(Code::Op(KernelOp::Atomic {
                        old: None,
                        op: atomic,
                        mem,
                        offset,
                        elem: at.elem,
                        space,
                        value,
                    }));
                }
            }
            Update::Swap => {
                let bits = bits_of(types[0]);
                let value = self.let_as("value", types[0], values[0].clone());
                self.retry(op, &places[0], types[0], bits, value);
            }
            Update::SwapPart => {
                let bits = bits_of(types[0]);
                let value = self.let_as("value", types[0], values[0].clone());
                let halves = matches!(binops(op).as_deref(), Some([BinOp::FAdd(FloatType::F16)]));
                let mem = self.mem(places[0].block);
                match self.mem_space(mem) {
                    Space::Default if halves => self.add_half(&places[0], value),
                    Space::Default | Space::Shared | Space::Scalar(..) => {
                        self.retry_part(op, &places[0], types[0], bits, value);
                    }
                }
            }
            Update::Lock => {
                let values = self.lanes("value", &types, values);
                self.locked(op, places, &types, &values, lock);
            }
        }
    }

    /// Reads, combines, and writes if nobody has written in the meantime; else again.
    fn retry(&mut self, op: &Lambda<Memory>, at: &At, ty: PrimType, bits: IntType, value: Name) {
        let elem = PrimType::Int(bits);
        let offset = self.offset(at);
        let offset = self.let_i64("offset", offset);
        let mem = self.mem(at.block);
        let space = self.mem_space(mem);
        let current = Expr::Index { mem, offset: Box::new(offset.clone()), elem, space: space.clone() };
        let seen = self.let_as("seen", elem, current);
        let again = self.let_as("again", PrimType::Bool, bool(true));
        self.while_(var(again), |t| {
            let old = t.let_as("old", ty, from_bits(ty, var(seen)));
            let new = t.let_as("new", ty, var(old));
            t.apply(op, &[var(old)], &[var(value)], &[new]);
            let new = t.let_as("changed", elem, to_bits(ty, var(new)));
            t.exchange_changed(Exchanged { mem, offset, elem, space }, seen, new, again);
        });
    }

    /// Writes a new value if nobody has written in the meantime; and in device memory, if it is new. One that
    /// changes nothing took place when the old one was read, and most values are below the maximum so far. In
    /// shared memory the comparison is not worth it. Times: `notebook/2026-11-19-gpu-mechanisms.md`.
    fn exchange_changed(&mut self, of: Exchanged, seen: Name, new: Name, again: Name) {
        let Exchanged { mem, offset, elem, space } = of;
        let in_device_memory = matches!(space, Space::Default);
        let exchange = |t: &mut Self| {
            let found = t.temp("found", elem);
            t.emit(Code::Op(KernelOp::CompareAndSwap {
                old: found,
                mem,
                offset,
                elem,
                space,
                expected: var(seen),
                value: var(new),
            }));
            t.set_to(again, not(equal(elem, var(found), var(seen))));
            t.set_to(seen, var(found));
        };
        match in_device_memory {
            true => {
                self.if_else(equal(elem, var(new), var(seen)), |t| t.set_to(again, bool(false)), exchange);
            }
            false => exchange(self),
        }
    }

    /// Adds a half float, and -0 to the one that shares its word.
    fn add_half(&mut self, at: &At, value: Name) {
        let offset = self.offset(at);
        let offset = self.let_i64("offset", offset);
        let mem = self.mem(at.block);
        let space = self.mem_space(mem);
        let shl = |x, by| binary(BinOp::Shl(IntType::I32), x, by);
        let place =
            Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), Box::new(rem(offset.clone(), i64(2))));
        let shift = binary(BinOp::Mul(IntType::I32), place, i32(16));
        let shift = self.let_as("shift", PrimType::I32, shift);
        let half = to_bits(PrimType::Float(FloatType::F16), var(value));
        let half = Expr::Conv(ConvOp::ZExt(IntType::I16, IntType::I32), Box::new(half));
        let other = shl(i32(0x8000), binary(BinOp::Sub(IntType::I32), i32(16), var(shift)));
        let word = binary(BinOp::Or(IntType::I32), shl(half, var(shift)), other);
        self.emit(Code::Op(KernelOp::Atomic {
            old: None,
            op: AtomicOp::FAddHalves,
            mem,
            offset: quot(offset, i64(2)),
            elem: PrimType::I32,
            space,
            value: word,
        }));
    }

    /// The same for an element that is a part of a word: its neighbours in the word are written as they were.
    fn retry_part(&mut self, op: &Lambda<Memory>, at: &At, ty: PrimType, bits: IntType, value: Name) {
        let elem = PrimType::I32;
        let offset = self.offset(at);
        let offset = self.let_i64("offset", offset);
        let mem = self.mem(at.block);
        let space = self.mem_space(mem);
        let per_word = i64(if bits == IntType::I8 { 4 } else { 2 });
        let width = if bits == IntType::I8 { 8 } else { 16 };
        let word = self.let_i64("word", quot(offset.clone(), per_word.clone()));
        let place = Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), Box::new(rem(offset, per_word)));
        let shift = self.let_as("shift", elem, binary(BinOp::Mul(IntType::I32), place, i32(width)));
        let mask = i32((1 << width) - 1);
        let own = self.let_as("own", elem, binary(BinOp::Shl(IntType::I32), mask.clone(), var(shift)));
        let current = Expr::Index { mem, offset: Box::new(word.clone()), elem, space: space.clone() };
        let seen = self.let_as("seen", elem, current);
        let again = self.let_as("again", PrimType::Bool, bool(true));
        self.while_(var(again), |t| {
            let part = binary(BinOp::LShr(IntType::I32), var(seen), var(shift));
            let part = Expr::Conv(ConvOp::SExt(IntType::I32, bits), Box::new(part));
            let old = t.let_as("old", ty, from_part(ty, bits, part));
            let new = t.let_as("new", ty, var(old));
            t.apply(op, &[var(old)], &[var(value)], &[new]);
            let part = Expr::Conv(ConvOp::ZExt(bits, IntType::I32), Box::new(to_part(ty, bits, var(new))));
            let part = binary(BinOp::Shl(IntType::I32), part, var(shift));
            let others = binary(BinOp::Xor(IntType::I32), var(own), i32(-1));
            let others = binary(BinOp::And(IntType::I32), var(seen), others);
            let new = t.let_as("changed", elem, binary(BinOp::Or(IntType::I32), others, part));
            t.exchange_changed(Exchanged { mem, offset: word, elem, space }, seen, new, again);
        });
    }

    /// Combines while nobody else can.
    fn locked(
        &mut self,
        op: &Lambda<Memory>,
        places: &[At],
        types: &[PrimType],
        values: &[Name],
        lock: Lock,
    ) {
        let (locks, number, fence) = match lock {
            Lock::Global(number) => (self.locks(), rem(number, i64(LOCKS)), KernelOp::Fence),
            Lock::Shared(locks, number) => (locks, number, KernelOp::BlockFence),
        };
        let space = self.mem_space(locks);
        let lock = self.let_i64("lock", number);
        let again = self.let_as("again", PrimType::Bool, bool(true));
        self.while_(var(again), |t| {
            let taken = t.temp("taken", PrimType::I32);
            t.emit(Code::Op(KernelOp::CompareAndSwap {
                old: taken,
                mem: locks,
                offset: lock.clone(),
                elem: PrimType::I32,
                space: space.clone(),
                expected: i32(0),
                value: i32(1),
            }));
            t.if_then(equal(PrimType::I32, var(taken), i32(0)), |t| {
                t.emit(Code::Op(fence.clone()));
                let mut old = vec![];
                for (at, ty) in places.iter().zip(types) {
                    let x = t.temp("old", *ty);
                    let offset = t.offset(at);
                    let mem = t.mem(at.block);
                    match t.mem_space(mem) {
                        Space::Default => t.read_volatile(x, mem, *ty, offset),
                        Space::Shared | Space::Scalar(..) => {
                            let e = t.element(mem, *ty, offset);
                            t.set_to(x, e);
                        }
                    }
                    old.push(x);
                }
                t.apply(op, &vars(&old), &vars(values), &old);
                for (at, x) in places.iter().zip(&old) {
                    t.write(at, var(*x));
                }
                t.emit(Code::Op(fence));
                t.emit(Code::Op(KernelOp::Atomic {
                    old: None,
                    op: AtomicOp::Exchange,
                    mem: locks,
                    offset: lock,
                    elem: PrimType::I32,
                    space,
                    value: i32(0),
                }));
                t.set_to(again, bool(false));
            });
        });
    }

    /// An `i32` as an `i64`.
    pub(super) fn to_i64(&self, e: Expr) -> Expr {
        Expr::Conv(ConvOp::SExt(IntType::I32, IntType::I64), Box::new(e))
    }
}

/// What is compared and swapped.
struct Exchanged {
    mem: Name,
    offset: Expr,
    elem: PrimType,
    space: Space,
}

/// The instruction for an operator, if there is one.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn native(op: BinOp) -> Option<AtomicOp> {
    let wide = |t: IntType| matches!(t, IntType::I32 | IntType::I64);
    let atomic = match op {
        BinOp::Add(t) if wide(t) => AtomicOp::Add,
        BinOp::SMin(t) if wide(t) => AtomicOp::SMin,
        BinOp::SMax(t) if wide(t) => AtomicOp::SMax,
        BinOp::UMin(t) if wide(t) => AtomicOp::UMin,
        BinOp::UMax(t) if wide(t) => AtomicOp::UMax,
        BinOp::And(t) if wide(t) => AtomicOp::And,
        BinOp::Or(t) if wide(t) => AtomicOp::Or,
        BinOp::Xor(t) if wide(t) => AtomicOp::Xor,
        BinOp::FAdd(FloatType::F32 | FloatType::F64) => AtomicOp::FAdd,
        _ => return None,
    };
    Some(atomic)
}

#[cfg(test)]
mod tests {
    use super::native;
    use fehu_analysis::operator::has_atomic;
    use fehu_base::ops::BinOp;

    #[test]
    fn schedules_know_which_instructions_there_are() {
        for op in BinOp::all() {
            assert_eq!(has_atomic(op), native(op).is_some(), "{op:?}");
        }
    }
}
