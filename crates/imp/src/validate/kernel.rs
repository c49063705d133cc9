//! Checks of kernels and of what only they do.

use super::{Runs, Validator};
use crate::ops::{AtomicOp, KernelOp, RowsTo};
use crate::syntax::{CheckPart, DeviceFunction, Expr, Kernel, Param, Space};
use fehu_base::prim::{FloatType, PrimType};
use fehu_base::Name;

impl<'a> Validator<'a> {
    pub(super) fn kernel(&mut self, k: &'a Kernel) {
        self.check(self.kernels.get(&k.name).is_some_and(|other| std::ptr::eq(*other, k)), || {
            "another kernel has the same name".into()
        });
        self.runs = Runs::Kernel;
        self.scoped(|v| {
            k.params.iter().for_each(|p| v.declare_param(p));
            k.shared.iter().for_each(|m| v.declare_block(*m, &Space::Shared));
            let blocks = |m: &Name| k.params.iter().any(|p| matches!(p, Param::Mem(n, _) if n == m));
            v.check(k.qualifiers.keys().all(blocks), || "what has a qualifier is no block".into());
            if let Some(size) = &k.block_size {
                v.expr_of(size, PrimType::I64, "the size of a block");
                v.known_at_compile_time(size, "the size of a block");
            }
            v.code(&k.body);
        });
        self.runs = Runs::Host;
    }

    pub(super) fn device_function(&mut self, f: &'a DeviceFunction) {
        self.check(self.device_functions.get(&f.name).is_some_and(|g| std::ptr::eq(*g, f)), || {
            "another device function has the same name".into()
        });
        self.runs = Runs::Kernel;
        self.scoped(|v| {
            let mut params = f.outputs.iter().chain(&f.inputs);
            v.check(params.all(|p| matches!(p, Param::Scalar(..))), || {
                "kernels call it, but it takes or gives blocks".into()
            });
            f.outputs.iter().chain(&f.inputs).for_each(|p| v.declare_param(p));
            v.fixed.extend(f.inputs.iter().map(Param::name));
            v.code(&f.body);
        });
        self.runs = Runs::Host;
    }

    pub(super) fn kernel_op(&mut self, op: &'a KernelOp) {
        match op {
            KernelOp::Barrier | KernelOp::WarpBarrier | KernelOp::LeaveIfFailed => {
                self.check(!self.guarded, || "a barrier in a guarded region".into());
            }
            KernelOp::Fence | KernelOp::BlockFence | KernelOp::AwaitCopies => {}
            KernelOp::Guarded(code) => {
                let around = std::mem::replace(&mut self.guarded, true);
                self.scoped(|v| v.code(code));
                self.guarded = around;
            }
            KernelOp::UnrolledFor { by: _, var, ty, bound, body } => self.for_loop(*var, *ty, bound, body),
            KernelOp::Check { cond, number, values } => {
                self.expr_of(cond, PrimType::Bool, "the condition");
                values.iter().for_each(|(e, ty)| self.expr_of(e, ty.prim(), "a value of the message"));
                let check = self.program.checks.get(*number);
                let types = check.iter().flat_map(|c| &c.message).filter_map(|part| match part {
                    CheckPart::Text(_) => None,
                    CheckPart::Value(ty) => Some(*ty),
                });
                let fits = check.is_some() && types.eq(values.iter().map(|(_, ty)| *ty));
                self.check(fits, || "the program has no such check".into());
            }
            KernelOp::Atomic { old, op, mem, offset, elem, space, value } => {
                self.shared_element(*mem, space, *elem, offset);
                self.check(fits(*op, *elem), || format!("no such atomic operation on {elem}"));
                self.expr_of(value, *elem, "the operand");
                old.iter().for_each(|x| self.set_scalar(*x, Some(*elem)));
            }
            KernelOp::CompareAndSwap { old, mem, offset, elem, space, expected, value } => {
                self.shared_element(*mem, space, *elem, offset);
                self.expr_of(expected, *elem, "what is expected");
                self.expr_of(value, *elem, "the new value");
                self.set_scalar(*old, Some(*elem));
            }
            KernelOp::ReadVolatile { var, mem, offset, elem } => {
                self.block_in(*mem, &Space::Default);
                self.expr_of(offset, PrimType::I64, "an offset");
                self.set_scalar(*var, Some(*elem));
            }
            KernelOp::WriteVolatile { mem, offset, elem, value } => {
                self.write_volatile(*mem, offset, *elem, value);
            }
            KernelOp::CopyAhead { dst, dst_offset, src, src_offset, elem, count } => {
                self.block_in(*dst, &Space::Shared);
                self.written(*dst);
                self.expr_of(dst_offset, PrimType::I64, "an offset");
                self.block_in(*src, &Space::Default);
                self.expr_of(src_offset, PrimType::I64, "an offset");
                let bytes = elem.bytes() * u64::from(*count);
                self.check(matches!(bytes, 4 | 8 | 16), || format!("{bytes} bytes are copied ahead"));
            }
            KernelOp::ReadRun { to, mem, offset, elem, stride, count, limit } => {
                self.block_in(*to, &Space::Scalar(*elem, vec![i64::from(*count)]));
                self.written(*to);
                self.block_in(*mem, &Space::Default);
                self.expr_of(offset, PrimType::I64, "an offset");
                self.expr_of(stride, PrimType::I64, "the stride");
                self.expr_of(limit, PrimType::I64, "the limit");
                let bytes = elem.bytes() * u64::from(*count);
                self.check(matches!(bytes, 4 | 8 | 16), || format!("{bytes} bytes are read at a time"));
            }
            KernelOp::ReadWhole { to, mem, offset, elem, count } => {
                self.block_in(*to, &Space::Scalar(*elem, vec![i64::from(*count)]));
                self.written(*to);
                self.block_in(*mem, &Space::Default);
                self.expr_of(offset, PrimType::I64, "an offset");
                let bytes = elem.bytes() * u64::from(*count);
                self.check(matches!(bytes, 4 | 8 | 16), || format!("{bytes} bytes are read at a time"));
            }
            KernelOp::CopyRows { to, tile, mem, offset, within: (from, until), elem, count } => {
                self.check(!self.guarded, || "rows are copied in a guarded region".into());
                self.block_in(*tile, &Space::Shared);
                self.block_in(*mem, &Space::Default);
                self.written(match to {
                    RowsTo::Shared => *tile,
                    RowsTo::Global => *mem,
                });
                self.expr_of(offset, PrimType::I64, "an offset");
                self.expr_of(from, PrimType::I32, "a place in a row");
                self.expr_of(until, PrimType::I32, "a place in a row");
                let fits = matches!(count, 8 | 16 | 32) && is_wide(*elem);
                self.check(fits, || format!("rows of {count} elements of {elem} are copied"));
            }
            KernelOp::MultiplyAdd { sums, left, right, points } => {
                let own = Space::Scalar(PrimType::Float(FloatType::F64), vec![]);
                [sums, left, right].into_iter().for_each(|mem| self.block_in(*mem, &own));
                self.written(*sums);
                self.expr_of(points, PrimType::I64, "the number of points");
                self.known_at_compile_time(points, "the number of points");
            }
            KernelOp::AwaitProducts { sums, points } => {
                self.block_in(*sums, &Space::Scalar(PrimType::Float(FloatType::F64), vec![]));
                self.expr_of(points, PrimType::I64, "the number of points");
                self.known_at_compile_time(points, "the number of points");
            }
            KernelOp::DeclareArray { mem, space, elem: _, count } => {
                self.expr_of(count, PrimType::I64, "the number of elements");
                self.known_at_compile_time(count, "the number of elements");
                self.declare_block(*mem, space);
                self.check(*space != Space::Default, || "an array of a kernel in device memory".into());
                let nested = *space == Space::Shared && self.scopes.len() > 1;
                self.check(!nested, || "a shared array is declared inside of other code".into());
            }
            KernelOp::Ballot { var, cond } => {
                self.expr_of(cond, PrimType::Bool, "the condition");
                self.set_scalar(*var, Some(PrimType::I32));
            }
            KernelOp::MostOfWarp { var, value } => {
                self.check(!self.guarded, || "a warp meets in a guarded region".into());
                self.expr_of(value, PrimType::I64, "the number");
                self.set_scalar(*var, Some(PrimType::I64));
            }
            KernelOp::Shuffle { var, ty, direction: _, delta: _, value } => {
                self.check(is_wide(*ty), || "only values of 32 or 64 bits are exchanged".into());
                self.expr_of(value, *ty, "the value");
                self.set_scalar(*var, Some(*ty));
            }
        }
    }

    /// A write of an element that others may be writing at the same time.
    pub(super) fn write_volatile(&mut self, mem: Name, offset: &Expr, elem: PrimType, value: &Expr) {
        self.block_in(mem, &Space::Default);
        self.written(mem);
        self.expr_of(offset, PrimType::I64, "an offset");
        self.expr_of(value, elem, "what is written");
    }

    /// An element that threads change in one step.
    fn shared_element(&mut self, mem: Name, space: &Space, elem: PrimType, offset: &Expr) {
        self.block_in(mem, space);
        self.written(mem);
        self.expr_of(offset, PrimType::I64, "an offset");
        self.check(matches!(space, Space::Default | Space::Shared), || {
            "an atomic operation on memory of one thread".into()
        });
        self.check(is_wide(elem), || "atomic elements have 32 or 64 bits".into());
    }
}

fn is_wide(ty: PrimType) -> bool {
    matches!(ty.bytes(), 4 | 8)
}

/// Whether an atomic operation exists on elements of a type.
fn fits(op: AtomicOp, elem: PrimType) -> bool {
    match op {
        AtomicOp::Exchange => true,
        AtomicOp::FAddHalves => elem == PrimType::I32,
        AtomicOp::FAdd => matches!(elem, PrimType::Float(FloatType::F32 | FloatType::F64)),
        AtomicOp::Add
        | AtomicOp::SMax
        | AtomicOp::SMin
        | AtomicOp::UMax
        | AtomicOp::UMin
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => matches!(elem, PrimType::Int(_)),
    }
}
