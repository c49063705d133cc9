//! What machines do differently, where the same is to be done.
//!
//! A body of statements means the same on the host, in a task and in a kernel, and is translated by the same
//! code, which is generic over [`Machine`]. This file says what machines do each in its own way, and
//! `machine/impls.rs` how: only CPUs allocate, free and print; a block of a kernel does as one what a CPU
//! does alone; tasks and threads race, the host does not.
//!
//! | | host | task | kernel |
//! | --- | --- | --- | --- |
//! | parallel operations | kernels and tasks | tasks | those of a block |
//! | an element of an array is written | | | by one thread of a block, or by each thread |
//! | a check of an operator fails | the program ends | the program ends | the thread goes on: others wait for it |
//! | an element is combined with a value | alone | alone | in one indivisible step |

mod impls;

use super::state::{At, Context, Lock, Traced, Translate};
use fehu_base::Name;
use fehu_imp::ops::{Operation, OwnOp};
use fehu_imp::syntax::{Expr, OnCpu};
use fehu_ir::schedule::Update;
use fehu_ir::seg::{SegOp, SizeOp};
use fehu_ir::{Body, Exp, Lambda, Loop, Memory, PatElem, Space, Stm, SubExp, Type};

/// A machine that code is emitted for.
pub(crate) trait Machine: Operation {
    /// For each statement of a body, the blocks to be freed after it. `kept` are not.
    fn last_uses(context: &Context, body: &Body<Memory>, kept: &[Name]) -> Vec<Vec<Name>>;
    /// Frees a block.
    fn free(t: &mut Translate<Self>, mem: Name, space: Space);
    /// A block of so many bytes.
    fn allocate(t: &mut Translate<Self>, p: &PatElem<Memory>, bytes: SubExp, space: &Space);
    /// A parallel operation.
    fn seg_op(t: &mut Translate<Self>, pat: &[PatElem<Memory>], seg: &SegOp<Memory>);
    /// A loop that takes several iterations at a time, once its parameters are set; false if it does not.
    fn steps_loop(t: &mut Translate<Self>, l: &Loop<Memory>) -> bool;
    /// A size of the device, or a tuning parameter.
    fn size_op(t: &mut Translate<Self>, pat: &[PatElem<Memory>], size: &SizeOp);
    /// Prints a value for a programmer who watches.
    fn trace(t: &mut Translate<Self>, stm: &Stm<Memory>, value: SubExp, traced: &Traced);
    /// Remembers what a scalar is computed from, if that is needed.
    fn note_size(t: &mut Translate<Self>, name: Name, exp: &Exp<Memory>);
    /// Writes an element to a place without dimensions: once, though several threads may be here.
    fn write(t: &mut Translate<Self>, at: &At, value: Expr);
    /// Copies an array of the given shape to another place.
    fn copy(t: &mut Translate<Self>, shape: &[SubExp], dst: &At, src: &At);
    /// Sets variables to what an operator gives. Where a check of it fails they stay as they are.
    fn apply(t: &mut Translate<Self>, op: &Lambda<Memory>, left: &[Expr], right: &[Expr], into: &[Name]);
    /// Combines values into the elements at some places, as the plan says if others do the same.
    fn update(
        t: &mut Translate<Self>,
        op: &Lambda<Memory>,
        how: Update,
        places: &[At],
        values: Vec<Expr>,
        lock: Lock,
    );
}

/// A machine of which many run the same code at a time.
pub(crate) trait Racing: Machine {
    /// Writes a value to a place to which others may write.
    fn write_racing(t: &mut Translate<Self>, ty: &Type, at: &At, value: SubExp);
}

/// What one kind of CPU does in its own way.
pub(crate) trait CpuMachine: OwnOp {
    /// A parallel operation.
    fn seg_op(t: &mut Translate<OnCpu<Self>>, pat: &[PatElem<Memory>], seg: &SegOp<Memory>);
    /// See [`Machine::steps_loop`].
    fn steps_loop(t: &mut Translate<OnCpu<Self>>, l: &Loop<Memory>) -> bool;
}
