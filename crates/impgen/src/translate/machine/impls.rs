//! The machines: the host, tasks of a CPU, and kernels.
//!
//! Nothing uses this file but through the traits of [`machine`](super), so that what is the same everywhere
//! does not depend on what differs.

use super::{CpuMachine, Machine, Racing};
use crate::translate::kernel::{block, grid_op, line, operator, size, steps, update};
use crate::translate::state::{At, Context, HostCode, KernelCode, Lock, Mode, TaskCode, Traced, Translate};
use crate::translate::{last, task, trace};
use fehu_base::{bug, Name};
use fehu_imp::syntax::{Code, CpuOp, Expr, KernelOp, Launch, OnCpu, RacingWrite, TaskOp};
use fehu_ir::schedule::Update;
use fehu_ir::seg::{SegLevel, SegOp, SizeOp};
use fehu_ir::{Body, Exp, Lambda, Loop, Memory, PatElem, Space, Stm, SubExp, Type};

impl CpuMachine for Box<Launch> {
    fn seg_op(t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
        match seg.level {
            SegLevel::Thread => grid_op(t, pat, seg),
            SegLevel::Block => block::block_op(t, pat, seg),
            SegLevel::Task => task::task_op(t, pat, seg),
            SegLevel::InBlock => bug!("an operation at level {:?} on the host", seg.level),
        }
    }

    fn steps_loop(t: &mut HostCode, l: &Loop<Memory>) -> bool {
        steps::steps_loop(t, l) || line::line_loop(t, l)
    }
}

impl CpuMachine for RacingWrite {
    fn seg_op(t: &mut TaskCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
        match seg.level {
            SegLevel::Task => task::task_op(t, pat, seg),
            SegLevel::Thread | SegLevel::Block | SegLevel::InBlock => {
                bug!("an operation at level {:?} in a task", seg.level)
            }
        }
    }

    fn steps_loop(_: &mut TaskCode, _: &Loop<Memory>) -> bool {
        false
    }
}

impl<X: CpuMachine> Machine for OnCpu<X> {
    fn last_uses(context: &Context, body: &Body<Memory>, kept: &[Name]) -> Vec<Vec<Name>> {
        last::last_uses(context, body, kept)
    }

    fn free(t: &mut Translate<Self>, mem: Name, space: Space) {
        t.on_cpu(CpuOp::Free(mem, space));
    }

    fn allocate(t: &mut Translate<Self>, p: &PatElem<Memory>, bytes: SubExp, space: &Space) {
        t.declare(p.name, &p.ty);
        match space {
            Space::Default => {
                let bytes = t.operand(bytes);
                let (space, loc) = (space.clone(), t.loc.clone());
                t.on_cpu(CpuOp::Allocate { mem: p.name, bytes, space, loc });
            }
            Space::Scalar(..) => {}
            Space::Shared => bug!("an allocation of shared memory on a CPU"),
        }
    }

    fn seg_op(t: &mut Translate<Self>, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
        X::seg_op(t, pat, seg);
    }

    fn steps_loop(t: &mut Translate<Self>, l: &Loop<Memory>) -> bool {
        X::steps_loop(t, l)
    }

    fn size_op(t: &mut Translate<Self>, pat: &[PatElem<Memory>], size: &SizeOp) {
        size::size_op(t, pat, size);
    }

    fn trace(t: &mut Translate<Self>, stm: &Stm<Memory>, value: SubExp, traced: &Traced) {
        trace::trace(t, stm, value, traced);
    }

    fn note_size(_: &mut Translate<Self>, _: Name, _: &Exp<Memory>) {}

    fn write(t: &mut Translate<Self>, at: &At, value: Expr) {
        t.write_alone(at, value);
    }

    fn copy(t: &mut Translate<Self>, shape: &[SubExp], dst: &At, src: &At) {
        t.copy_alone(shape, dst, src);
    }

    fn apply(t: &mut Translate<Self>, op: &Lambda<Memory>, left: &[Expr], right: &[Expr], into: &[Name]) {
        t.apply_unguarded(op, left, right, into);
    }

    fn update(
        t: &mut Translate<Self>,
        op: &Lambda<Memory>,
        _: Update,
        places: &[At],
        values: Vec<Expr>,
        _: Lock,
    ) {
        update::update_alone(t, op, places, &values);
    }
}

impl Racing for TaskOp {
    fn write_racing(t: &mut TaskCode, ty: &Type, at: &At, value: SubExp) {
        match ty {
            Type::Prim(_) => {
                let (offset, mem, value) = (t.offset(at), t.mem(at.block), t.operand(value));
                t.emit(Code::Op(TaskOp::Own(RacingWrite { mem, offset, elem: at.elem, value })));
            }
            Type::Array(..) | Type::Acc(..) | Type::Mem(_) => t.put(ty.shape(), at, value),
        }
    }
}

impl Machine for KernelOp {
    fn last_uses(_: &Context, body: &Body<Memory>, _: &[Name]) -> Vec<Vec<Name>> {
        vec![vec![]; body.stms.len()]
    }

    fn free(_: &mut KernelCode, _: Name, _: Space) {}

    fn allocate(t: &mut KernelCode, p: &PatElem<Memory>, bytes: SubExp, space: &Space) {
        match (space, t.in_kernel.mode) {
            (Space::Scalar(..), _) => t.declare(p.name, &p.ty),
            (Space::Shared, Mode::Block) if block::kept::allocate(t, p.name) => {}
            (Space::Shared, Mode::Block) => {
                let bytes = block::host_operand(t, bytes);
                t.in_kernel.shared.push((p.name, bytes));
            }
            (Space::Default, mode) | (Space::Shared, mode @ Mode::Thread) => {
                bug!("an allocation in {space:?} in a kernel, at {mode:?}")
            }
        }
    }

    fn seg_op(t: &mut KernelCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
        match (seg.level, t.in_kernel.mode) {
            (SegLevel::InBlock, Mode::Block) => block::in_block_op(t, pat, seg),
            (level, mode) => bug!("an operation at level {level:?} in a kernel, at {mode:?}"),
        }
    }

    fn steps_loop(_: &mut KernelCode, _: &Loop<Memory>) -> bool {
        false
    }

    fn size_op(_: &mut KernelCode, _: &[PatElem<Memory>], size: &SizeOp) {
        bug!("{size:?} in a kernel")
    }

    /// There is nowhere to print to, of which the user has been warned.
    fn trace(_: &mut KernelCode, _: &Stm<Memory>, _: SubExp, _: &Traced) {}

    fn note_size(t: &mut KernelCode, name: Name, exp: &Exp<Memory>) {
        if t.in_kernel.mode == Mode::Block {
            block::note_size(t, name, exp);
        }
    }

    fn write(t: &mut KernelCode, at: &At, value: Expr) {
        match (t.in_kernel.mode, t.space(at.block)) {
            (Mode::Block, Space::Default | Space::Shared) => block::block_write(t, at, value),
            (Mode::Block, Space::Scalar(..)) | (Mode::Thread, _) => t.write_alone(at, value),
        }
    }

    fn copy(t: &mut KernelCode, shape: &[SubExp], dst: &At, src: &At) {
        match (t.in_kernel.mode, t.space(dst.block)) {
            (Mode::Block, Space::Default | Space::Shared) => block::block_copy(t, shape, dst, src),
            (Mode::Block, Space::Scalar(..)) | (Mode::Thread, _) => t.copy_alone(shape, dst, src),
        }
    }

    /// The thread goes on after a failure: others wait for it at barriers, for the lock that it has, or for
    /// what it is to publish.
    fn apply(t: &mut KernelCode, op: &Lambda<Memory>, left: &[Expr], right: &[Expr], into: &[Name]) {
        match operator::can_fail(&op.body) {
            true => t.guarded(|t| t.apply_unguarded(op, left, right, into)),
            false => t.apply_unguarded(op, left, right, into),
        }
    }

    fn update(
        t: &mut KernelCode,
        op: &Lambda<Memory>,
        how: Update,
        places: &[At],
        values: Vec<Expr>,
        lock: Lock,
    ) {
        t.update_among_threads(op, how, places, values, lock);
    }
}

impl Racing for KernelOp {
    fn write_racing(t: &mut KernelCode, ty: &Type, at: &At, value: SubExp) {
        t.put(ty.shape(), at, value);
    }
}
