//! The text of statements.

use super::Text;
use crate::ops::{
    CpuOp, Direction, HostOp, KernelOp, Launch, Operation, Outlined, RacingWrite, TaskOp, Vectors, Way,
};
use crate::parts::flat;
use crate::syntax::{Arg, Code, ErrorPart, Expr, Order, Param, Place};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::visit::deep;

impl Text<'_> {
    /// Code in braces.
    pub(super) fn scope<O: PrintOp>(&mut self, code: &Code<O>) {
        deep(|| {
            self.p.open();
            self.statements(code);
            self.p.close();
        });
    }

    /// The statements of a sequence, one a line, those of sequences inside of it among them.
    fn statements<O: PrintOp>(&mut self, code: &Code<O>) {
        let mut statements = flat(code).into_iter().peekable();
        while let Some(code) = statements.next() {
            self.p.line();
            if let Code::DeclareScalar(x, _) = code {
                if let Some(Code::SetScalar(_, e)) =
                    statements.next_if(|next| matches!(next, Code::SetScalar(y, _) if x == y))
                {
                    self.statement(code);
                    self.p.put(" = ");
                    self.expr(e);
                    continue;
                }
            }
            self.statement(code);
        }
    }

    pub(super) fn statement<O: PrintOp>(&mut self, code: &Code<O>) {
        match code {
            Code::Seq(_) => self.statements(code),
            Code::DeclareScalar(x, ty) => self.param(&Param::Scalar(*x, *ty)),
            Code::SetScalar(x, e) => {
                self.assigned(*x);
                self.expr(e);
            }
            Code::DeclareMem(m, space) => self.param(&Param::Mem(*m, space.clone())),
            Code::DeclareStatic(m, data) => {
                self.declared.block(*m, &fehu_ir::Space::Default);
                self.p.name(*m);
                self.p.put(format_args!(" : static {} [", data.elem));
                self.list(&data.values, |t, v| t.p.value(*v));
                self.p.put("]");
            }
            Code::SetMem(a, b, space) => {
                self.block(*a, space);
                self.p.put(" = mem ");
                self.p.name(*b);
            }
            Code::Write { mem, offset, elem, space, value } => {
                self.element(*mem, space, *elem, offset);
                self.p.put(" <- ");
                self.expr(value);
            }
            Code::Copy { elem, shape, dst, src } => {
                self.p.put(format_args!("copy {elem} ["));
                self.list(shape, |t, e| t.expr(e));
                self.p.put("] ");
                self.place(dst);
                self.p.put(" <- ");
                self.place(src);
            }
            Code::For { var, ty, bound, order, body } => self.for_loop((*var, *ty), bound, *order, body),
            Code::While(cond, body) => {
                self.p.put("while ");
                self.expr(cond);
                self.p.put(" ");
                self.scope(body);
            }
            Code::If(cond, a, b) => self.branch(cond, a, b),
            Code::Call { outs, fun, args } => {
                self.p.put("call ");
                self.p.name(*fun);
                self.args(args);
                if !outs.is_empty() {
                    self.p.put(" -> (");
                    self.list(outs, |t, x| t.p.name(*x));
                    self.p.put(")");
                }
            }
            Code::Assert { cond, message, loc: _ } => {
                self.p.put("assert(");
                self.expr(cond);
                self.message(message);
                self.p.put(")");
            }
            Code::Op(op) => op.print(self),
        }
    }

    fn for_loop<O: PrintOp>(
        &mut self,
        (var, ty): (Name, IntType),
        bound: &Expr,
        order: Order,
        body: &Code<O>,
    ) {
        self.p.put(match order {
            Order::Sequential => "for ",
            Order::Reduction => "for reducing ",
        });
        self.param(&Param::Scalar(var, PrimType::Int(ty)));
        self.p.put(" < ");
        self.expr(bound);
        self.p.put(" ");
        self.scope(body);
    }

    fn message(&mut self, message: &[ErrorPart]) {
        for part in message {
            self.p.put(", ");
            match part {
                ErrorPart::Text(text) => self.p.put(format_args!("{text:?}")),
                ErrorPart::Value(e, ty) => {
                    self.expr(e);
                    self.p.put(format_args!(" : {ty}"));
                }
            }
        }
    }

    fn assigned(&mut self, x: Name) {
        self.p.name(x);
        self.p.put(" = ");
    }

    fn place(&mut self, place: &Place) {
        self.block(place.mem, &place.space);
        self.p.put("[");
        self.expr(&place.offset);
        self.p.put("; ");
        self.list(&place.strides, |t, e| t.expr(e));
        self.p.put("]");
    }

    /// A conditional; one that is all of the other's else continues the chain.
    fn branch<O: PrintOp>(&mut self, cond: &Expr, a: &Code<O>, b: &Code<O>) {
        self.p.put("if ");
        self.expr(cond);
        self.p.put(" ");
        self.scope(a);
        if b.is_empty() {
            return;
        }
        self.p.put(" else ");
        match flat(b).as_slice() {
            [Code::If(cond, a, b)] => deep(|| self.branch(cond, a, b)),
            _ => self.scope(b),
        }
    }

    fn args(&mut self, args: &[Arg]) {
        self.p.put("(");
        self.list(args, |t, arg| match arg {
            Arg::Scalar(e) => t.expr(e),
            Arg::Mem(m) => {
                t.p.put("mem ");
                t.p.name(*m);
            }
        });
        self.p.put(")");
    }

    fn cpu_op<O: PrintOp>(&mut self, op: &CpuOp<O>) {
        match op {
            CpuOp::Allocate { mem, bytes, space, loc: _ } => {
                self.block(*mem, space);
                self.p.put(" = allocate ");
                self.expr(bytes);
            }
            CpuOp::Free(m, space) => {
                self.p.put("free ");
                self.block(*m, space);
            }
            CpuOp::Trace { loc, message } => {
                self.p.put(if loc.is_some() { "trace(at" } else { "trace(nowhere" });
                self.message(message);
                self.p.put(")");
            }
            CpuOp::ParFor { start, end, bound, least, body } => {
                self.p.put("parfor ");
                self.range(*start, *end);
                self.p.put(" of ");
                self.expr(bound);
                if *least > 1 {
                    self.p.put(format!(" least {least}"));
                }
                self.p.put(" ");
                self.scope(body);
            }
            CpuOp::ParChunks { chunk, start, end, bound, most, chunks, before, body } => {
                self.p.put("parchunks ");
                self.declared.scalar(*chunk, PrimType::I64);
                self.p.name(*chunk);
                self.p.put(" ");
                self.range(*start, *end);
                self.p.put(" of ");
                self.expr(bound);
                self.p.put(" most ");
                self.expr(most);
                self.p.put(" chunks ");
                self.declared.scalar(*chunks, PrimType::I64);
                self.p.name(*chunks);
                self.p.put(" before ");
                self.scope(before);
                self.p.put(" do ");
                self.scope(body);
            }
            CpuOp::Outlined(outlined) => self.outlined(outlined),
            CpuOp::GetSize(x, param) => {
                self.assigned(*x);
                self.p.put("get_size ");
                self.p.symbol(*param);
            }
            CpuOp::GetSizeMax(x, class) => {
                self.assigned(*x);
                self.p.put("get_size_max ");
                self.p.symbol(*class);
            }
            CpuOp::CmpThreshold(x, param, e) => {
                self.assigned(*x);
                self.p.put("threshold ");
                self.p.symbol(*param);
                self.p.put(" <= ");
                self.expr(e);
            }
        }
    }

    fn outlined<O: PrintOp>(&mut self, outlined: &Outlined<O>) {
        let Outlined { var, inputs, updated, blocks, can_fail, vectors, code } = outlined;
        self.p.put(if *can_fail { "outlined failing " } else { "outlined " });
        self.p.put(match vectors {
            Vectors::Basic => "",
            Vectors::Wide => "wide ",
            Vectors::Widest => "widest ",
        });
        self.p.name(*var);
        self.p.put(" (");
        self.list(inputs, |t, x| t.p.name(*x));
        self.p.put(") updates (");
        self.list(updated, |t, x| t.p.name(*x));
        self.p.put(") blocks (");
        self.list(blocks, |t, block| {
            t.p.put(if block.written { "written " } else { "read " });
            t.p.put(if block.unaliased { "unaliased " } else { "" });
            t.p.name(block.mem);
        });
        self.p.put(") ");
        self.scope(code);
    }

    fn range(&mut self, start: Name, end: Name) {
        for x in [start, end] {
            self.declared.scalar(x, PrimType::I64);
        }
        self.p.name(start);
        self.p.put(" .. ");
        self.p.name(end);
    }

    fn launch(&mut self, launch: &Launch) {
        self.p.put("launch ");
        self.p.name(launch.kernel);
        self.args(&launch.args);
        self.p.put(" grid ");
        self.expr(&launch.grid);
        self.p.put(" block ");
        self.expr(&launch.block);
        if !launch.shared.is_empty() {
            self.p.put(" shared (");
            self.list(&launch.shared, |t, e| t.expr(e));
            self.p.put(")");
        }
        if let Some(ahead) = launch.ahead {
            self.p.put(match ahead.way {
                Way::Copied => " ahead ",
                Way::Written => " to_host ",
            });
            self.p.name(ahead.block);
        }
    }

    fn write_volatile(&mut self, mem: Name, elem: PrimType, offset: &Expr, value: &Expr) {
        self.p.put("volatile ");
        self.p.name(mem);
        self.at(elem, offset);
        self.p.put(" <- ");
        self.expr(value);
    }

    /// Which elements of a row.
    fn within(&mut self, from: &Expr, until: &Expr) {
        self.p.put(" from ");
        self.expr(from);
        self.p.put(" until ");
        self.expr(until);
    }

    /// So many elements from a place on, and the array that they are copied to or from.
    fn several(
        &mut self,
        (word, count): (&str, u32),
        array: Name,
        between: &str,
        mem: Name,
        (elem, offset): (PrimType, &Expr),
    ) {
        self.p.put(format_args!("{word} {count} "));
        self.p.name(array);
        self.p.put(format_args!(" {between} "));
        self.p.name(mem);
        self.at(elem, offset);
    }

    fn kernel_op(&mut self, op: &KernelOp) {
        match op {
            KernelOp::Barrier => self.p.put("barrier"),
            KernelOp::WarpBarrier => self.p.put("warp_barrier"),
            KernelOp::Fence => self.p.put("fence"),
            KernelOp::BlockFence => self.p.put("block_fence"),
            KernelOp::LeaveIfFailed => self.p.put("leave_if_failed"),
            KernelOp::Guarded(code) => {
                self.p.put("guarded ");
                self.scope(code);
            }
            KernelOp::UnrolledFor { by, var, ty, bound, body } => {
                self.p.put("unrolled ");
                if let Some(by) = by {
                    self.p.put(format_args!("by {by} "));
                }
                self.for_loop((*var, *ty), bound, Order::Sequential, body);
            }
            KernelOp::Check { cond, number, values } => {
                self.p.put(format_args!("check {number} ("));
                self.expr(cond);
                for (e, ty) in values {
                    self.p.put(", ");
                    self.expr(e);
                    self.p.put(format_args!(" : {ty}"));
                }
                self.p.put(")");
            }
            KernelOp::Atomic { old, op, mem, offset, elem, space, value } => {
                if let Some(old) = old {
                    self.assigned(*old);
                }
                self.p.put(format_args!("atomic {} ", op.word()));
                self.element(*mem, space, *elem, offset);
                self.p.put(", ");
                self.expr(value);
            }
            KernelOp::CompareAndSwap { old, mem, offset, elem, space, expected, value } => {
                self.assigned(*old);
                self.p.put("compare_and_swap ");
                self.element(*mem, space, *elem, offset);
                self.p.put(", ");
                self.expr(expected);
                self.p.put(", ");
                self.expr(value);
            }
            KernelOp::ReadVolatile { var, mem, offset, elem } => {
                self.assigned(*var);
                self.p.put("volatile ");
                self.p.name(*mem);
                self.at(*elem, offset);
            }
            KernelOp::WriteVolatile { mem, offset, elem, value } => {
                self.write_volatile(*mem, *elem, offset, value);
            }
            KernelOp::AwaitCopies => self.p.put("await_copies"),
            KernelOp::CopyAhead { dst, dst_offset, src, src_offset, elem, count } => {
                self.p.put(format_args!("copy_ahead {count} "));
                self.p.name(*dst);
                self.at(*elem, dst_offset);
                self.p.put(" <- ");
                self.p.name(*src);
                self.at(*elem, src_offset);
            }
            KernelOp::AwaitProducts { sums, points } => {
                self.p.put("await_products ");
                self.p.name(*sums);
                self.p.put(" of ");
                self.expr(points);
            }
            KernelOp::MultiplyAdd { sums, left, right, points } => {
                self.p.put("multiply_add ");
                self.p.name(*sums);
                self.p.put(" <- ");
                self.p.name(*left);
                self.p.put(" by ");
                self.p.name(*right);
                self.p.put(" of ");
                self.expr(points);
            }
            KernelOp::ReadWhole { to, mem, offset, elem, count } => {
                self.several(("read_whole", *count), *to, "<-", *mem, (*elem, offset));
            }
            KernelOp::CopyRows { to, tile, mem, offset, within: (from, until), elem, count } => {
                self.several((to.word(), *count), *tile, "of", *mem, (*elem, offset));
                self.within(from, until);
            }
            KernelOp::ReadRun { to, mem, offset, elem, stride, count, limit } => {
                self.several(("read_run", *count), *to, "<-", *mem, (*elem, offset));
                self.p.put(" by ");
                self.expr(stride);
                self.p.put(" below ");
                self.expr(limit);
            }
            KernelOp::DeclareArray { mem, space, elem, count } => {
                self.declared.block(*mem, space);
                self.p.name(*mem);
                self.p.put(" : array(");
                self.p.space(space);
                self.p.put(format_args!(") {elem}["));
                self.expr(count);
                self.p.put("]");
            }
            KernelOp::Ballot { var, cond } => {
                self.assigned(*var);
                self.p.put("ballot ");
                self.expr(cond);
            }
            KernelOp::MostOfWarp { var, value } => {
                self.assigned(*var);
                self.p.put("most_of_warp ");
                self.expr(value);
            }
            KernelOp::Shuffle { var, ty, direction, delta, value } => {
                self.assigned(*var);
                self.p.put(format_args!("shuffle {ty} {} {delta}, ", direction_word(*direction)));
                self.expr(value);
            }
        }
    }
}

/// An operation with a text.
pub(crate) trait PrintOp: Operation {
    fn print(&self, t: &mut Text);
}

impl PrintOp for HostOp {
    fn print(&self, t: &mut Text) {
        match self {
            HostOp::Cpu(op) => t.cpu_op(op),
            HostOp::Own(launch) => t.launch(launch),
        }
    }
}

impl PrintOp for TaskOp {
    fn print(&self, t: &mut Text) {
        match self {
            TaskOp::Cpu(op) => t.cpu_op(op),
            TaskOp::Own(RacingWrite { mem, offset, elem, value }) => {
                t.write_volatile(*mem, *elem, offset, value)
            }
        }
    }
}

impl PrintOp for KernelOp {
    fn print(&self, t: &mut Text) {
        t.kernel_op(self);
    }
}

/// The word for a direction.
pub(crate) fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::First => "first",
        Direction::FirstOf => "first_of",
        Direction::LastOf => "last_of",
    }
}
