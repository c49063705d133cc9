//! The dialect of kernels: what a thread of a GPU does.
//!
//! Blocks are pointers into one of the device's memories, which nobody counts. A thread that fails a check leaves the
//! kernel, the function, or the region around.

use super::api::Api;
use super::kernel::{element_type, first_check};
use crate::c::ctype;
use crate::c::expr::{Prec, Spelling};
use crate::c::stm::{zero, Dialect, StmPrinter};
use fehu_base::prim::{FloatType, IntType, PrimType, ScalarType};
use fehu_base::{bug, Name};
use fehu_imp::build::i64;
use fehu_imp::parts::for_each_statement;
use fehu_imp::syntax::{Arg, Code, ErrorPart, Expr, Kernel, KernelOp, Loc, Param, Place, Space};
use fehu_impopt::kernel_facts::KernelFacts;
use fehu_impopt::usage::{Access, Usage};
use rustc_hash::FxHashMap;
use std::marker::PhantomData;

/// Code of a kernel or of a function that kernels call.
pub(super) struct Threads<A> {
    /// The address spaces of blocks.
    qualifiers: FxHashMap<Name, &'static str>,
    /// How a thread that has failed leaves: outside of all regions first.
    leave: Vec<Leave>,
    /// In kernels, the number that those of checks are counted from.
    first_check: Option<usize>,
    /// Whether the thread notes that it has failed.
    notes_failure: bool,
    /// Whether threads of the kernel can fail at all.
    can_fail: bool,
    /// Whether a thread that has failed may leave the kernel alone, outside of all regions.
    pub(super) single_threads_leave: bool,
    regions: usize,
    api: PhantomData<A>,
}

/// How a thread that has failed leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leave {
    Kernel,
    Function,
    Region { number: usize, used: bool },
}

impl<A> Threads<A> {
    /// The dialect of a kernel.
    pub(super) fn of_kernel(kernel: &Kernel, facts: &KernelFacts, usage: &Usage) -> Threads<A> {
        let mut qualifiers = qualifiers(usage);
        qualifiers.extend(kernel.shared.iter().map(|m| (*m, qualifier(&Space::Shared))));
        for param in &kernel.params {
            if let Param::Mem(m, space) = param {
                qualifiers.insert(*m, qualifier(space));
            }
        }
        Threads {
            qualifiers,
            leave: vec![Leave::Kernel],
            first_check: Some(first_check(kernel)),
            notes_failure: facts.leaves,
            can_fail: facts.can_fail,
            single_threads_leave: false,
            regions: 0,
            api: PhantomData,
        }
    }

    /// The dialect of a function that kernels call.
    pub(super) fn of_function(usage: &Usage) -> Threads<A> {
        Threads {
            qualifiers: qualifiers(usage),
            leave: vec![Leave::Function],
            first_check: None,
            notes_failure: false,
            can_fail: true,
            single_threads_leave: false,
            regions: 0,
            api: PhantomData,
        }
    }
}

/// The address spaces of what code declares.
fn qualifiers(usage: &Usage) -> FxHashMap<Name, &'static str> {
    let blocks = usage.blocks.iter().chain(&usage.arrays).map(|(m, space)| (*m, qualifier(space)));
    let constants = usage.statics.iter().map(|(m, _)| (*m, "CONSTANT_POINTER "));
    blocks.chain(constants).collect()
}

fn qualifier(space: &Space) -> &'static str {
    match space {
        Space::Default => "GLOBAL ",
        Space::Shared => "SHARED ",
        Space::Scalar(..) => "",
    }
}

impl<A> Spelling for Threads<A> {
    fn param(&self, index: usize) -> String {
        format!("((int64_t)SIZE_{index})")
    }
    fn element_type(&self, t: PrimType) -> &'static str {
        element_type(t)
    }
    fn qualifier(&self, mem: Name) -> &'static str {
        self.qualifiers.get(&mem).copied().unwrap_or("")
    }
}

impl<A: Api> Dialect for Threads<A> {
    type Op = KernelOp;

    fn declare_block(p: &mut StmPrinter<Self>, m: Name, _: &Space) {
        let (name, ty) = (p.context().name(m), p.pointer_type(m));
        p.line(&format!("{ty}{name}_p = 0;"));
    }

    fn set_block(p: &mut StmPrinter<Self>, to: Name, from: Name, space: &Space) {
        let ty = p.pointer_type(to);
        let (a, b) = (p.context().name(to), p.context().name(from));
        match space {
            Space::Default | Space::Shared => p.line(&format!("{a}_p = ({ty}){b}_p;")),
            Space::Scalar(_, dims) => {
                let n = dims.iter().product::<i64>().max(1);
                if p.usage.access.contains_key(&to) && p.usage.access.contains_key(&from) {
                    p.line(&format!("for (int64_t c0 = 0; c0 < {n}; c0++) {a}_p[c0] = {b}_p[c0];"));
                }
            }
        }
    }

    fn drop_block(_: &mut StmPrinter<Self>, _: Name) {}

    fn loop_end(p: &mut StmPrinter<Self>, body: &Code<KernelOp>) {
        if has_barrier(body) {
            p.line("LOOP_END();");
        }
    }

    fn copy(p: &mut StmPrinter<Self>, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) {
        p.copy_by_thread(elem, shape, dst, src);
    }

    fn call(p: &mut StmPrinter<Self>, outs: &[Name], fun: Name, args: &[Arg]) {
        p.call_on_device(outs, fun, args);
    }

    fn assert(_: &mut StmPrinter<Self>, cond: &Expr, _: &[ErrorPart], _: &Loc) {
        bug!("the check of {cond:?} has no number: the pass number-checks gives it one")
    }

    fn op(p: &mut StmPrinter<Self>, op: &KernelOp) {
        p.kernel_op(op);
    }
}

impl<A: Api> StmPrinter<'_, Threads<A>> {
    /// The type of a pointer to a block's elements, ready for a name to follow.
    pub(super) fn pointer_type(&self, mem: Name) -> String {
        let elem = match self.usage.access.get(&mem) {
            Some(Access::As(t)) => element_type(*t),
            Some(Access::Mixed) | None => "uint8_t",
        };
        format!("{}{elem} *", self.exprs.dialect.qualifier(mem))
    }

    fn copy_by_thread(&mut self, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) {
        self.flush_pending();
        for (d, n) in shape.iter().enumerate() {
            let n = self.exprs.inline(n, Prec::Top);
            self.line(&format!("for (int64_t c{d} = 0, c{d}_end = {n}; c{d} < c{d}_end; c{d}++) {{"));
            self.indent += 1;
        }
        self.start();
        for (place, end) in [(dst, " = "), (src, ";\n")] {
            self.exprs.pointer(place.mem, elem);
            self.push("[");
            self.exprs.offset(&place.offset, Prec::Sum);
            for (d, stride) in place.strides.iter().enumerate() {
                self.push(&format!(" + c{d} * "));
                self.exprs.offset(stride, Prec::Unary);
            }
            self.push("]");
            self.push(end);
        }
        for _ in shape {
            self.indent -= 1;
            self.line("}");
        }
    }

    fn call_on_device(&mut self, outs: &[Name], fun: Name, args: &[Arg]) {
        self.flush_pending();
        let function = self.context().device_function(fun);
        let fails = self.context().analysis.failing.contains(&fun);
        let results: Vec<(usize, &Name, PrimType)> = outs
            .iter()
            .zip(&function.outputs)
            .enumerate()
            .map(|(i, (x, output))| match output {
                Param::Scalar(_, t) => (i, x, *t),
                Param::Mem(..) => bug!("{} gives a block to a kernel", self.context().name(fun)),
            })
            .collect();
        self.line("{");
        self.indent += 1;
        let mut texts = Vec::new();
        if fails {
            texts.extend(["failure", "failure_values", "launch_number"].map(str::to_owned));
        }
        for (i, _, t) in &results {
            self.line(&format!("{} out{i} = {};", ctype::prim(*t), zero(*t)));
            texts.push(format!("&out{i}"));
        }
        for arg in args {
            texts.push(match arg {
                Arg::Scalar(e) => self.exprs.inline(e, Prec::Top),
                Arg::Mem(m) => bug!("{} is passed to a function in a kernel", self.context().name(*m)),
            });
        }
        let call = format!("{}({})", self.context().name(fun), texts.join(", "));
        if fails {
            self.line(&format!("if ({call}) {{"));
            self.leave();
            self.line("}");
        } else {
            self.line(&format!("{call};"));
        }
        for (i, x, _) in results {
            if self.usage.needed.contains(x) {
                self.line(&format!("{} = out{i};", self.context().name(*x)));
            }
        }
        self.indent -= 1;
        self.line("}");
    }

    fn numbered_check(&mut self, cond: &Expr, number: usize, values: &[(Expr, ScalarType)]) {
        let cond = self.exprs.inline(cond, Prec::Primary);
        let number = match self.exprs.dialect.first_check {
            Some(first) if number > first => format!("first_check + {}", number - first),
            Some(_) => "first_check".to_owned(),
            None => number.to_string(),
        };
        self.line(&format!("if (!{cond}) {{"));
        self.line(&format!("  if (record_failure(failure, failure_values, {number}, launch_number)) {{"));
        for (at, (e, t)) in values.iter().enumerate() {
            let value = self.exprs.inline(e, Prec::Unary);
            self.line(&format!("    failure_values[{}] = {};", at + 1, encoded(&value, *t)));
        }
        self.line("  }");
        self.leave();
        self.line("}");
    }

    /// What a thread does that has failed, as the inside of a conditional.
    fn leave(&mut self) {
        let state = self.dialect();
        let notes = state.notes_failure;
        let leave = match state.leave.last_mut() {
            Some(Leave::Kernel) | None => {
                state.single_threads_leave = true;
                "  return;".to_owned()
            }
            Some(Leave::Function) => "  return true;".to_owned(),
            Some(Leave::Region { number, used }) => {
                *used = true;
                format!("  goto region_end{number};")
            }
        };
        if notes {
            self.line("  thread_failed = true;");
        }
        self.line(&leave);
    }

    fn kernel_op(&mut self, op: &KernelOp) {
        match op {
            KernelOp::Barrier => self.line("BARRIER();"),
            KernelOp::WarpBarrier => self.line("WARP_BARRIER();"),
            KernelOp::Fence => self.line("FENCE();"),
            KernelOp::BlockFence => self.line("BLOCK_FENCE();"),
            KernelOp::Guarded(body) => self.guarded(body),
            KernelOp::UnrolledFor { by, var, ty, bound, body } => {
                self.flush_pending();
                self.line(&by.map_or("UNROLL".to_owned(), |n| format!("UNROLL_BY({n})")));
                self.for_loop(*var, *ty, bound, body);
            }
            KernelOp::Check { cond, number, values } => self.numbered_check(cond, *number, values),
            KernelOp::LeaveIfFailed => {
                if self.exprs.dialect.can_fail {
                    self.line("if (ANY_THREAD(thread_failed)) {");
                    self.line("  return;");
                    self.line("}");
                } else {
                    self.line("BARRIER();");
                }
            }
            KernelOp::Atomic { old, op, mem, offset, elem, space, value } => {
                let value = self.exprs.inline(value, Prec::Top);
                let call = format!(
                    "{}({}, {value})",
                    atomic_name(op.word(), *elem, space),
                    self.address(*mem, offset, *elem)
                );
                self.set_or_do(*old, *elem, &call);
            }
            KernelOp::CompareAndSwap { old, mem, offset, elem, space, expected, value } => {
                let expected = self.exprs.inline(expected, Prec::Top);
                let value = self.exprs.inline(value, Prec::Top);
                let call = format!(
                    "{}({}, {expected}, {value})",
                    atomic_name("cas", *elem, space),
                    self.address(*mem, offset, *elem)
                );
                self.set_or_do(Some(*old), *elem, &call);
            }
            KernelOp::ReadVolatile { var, mem, offset, elem } => {
                if self.usage.needed.contains(var) {
                    let (address, place) = self.volatile(*mem, offset, *elem);
                    let value = A::read_volatile(*elem, &address, &place);
                    self.assign(*var, *elem, &value);
                }
            }
            KernelOp::WriteVolatile { mem, offset, elem, value } => {
                let value = self.exprs.inline(value, Prec::Top);
                let (address, place) = self.volatile(*mem, offset, *elem);
                self.line(&A::write_volatile(*elem, &address, &place, &value));
            }
            KernelOp::AwaitCopies => self.line("AWAIT_COPIES();"),
            KernelOp::CopyAhead { dst, dst_offset, src, src_offset, elem, count } => {
                let bytes = elem.bytes() * u64::from(*count);
                let (to, from) =
                    (self.address(*dst, dst_offset, *elem), self.address(*src, src_offset, *elem));
                self.line(&format!("COPY_AHEAD({bytes}, {count}, {to}, {from});"));
            }
            KernelOp::ReadRun { to, mem, offset, elem, stride, count, limit } => {
                let bytes = elem.bytes() * u64::from(*count);
                let (to, from) = (self.context().name(*to), self.address(*mem, offset, *elem));
                let (stride, limit) =
                    (self.exprs.inline(stride, Prec::Top), self.exprs.inline(limit, Prec::Top));
                let ty = element_type(*elem);
                self.line(&format!("READ_RUN({bytes}, {ty}, {count}, {to}_p, {from}, {stride}, {limit});"));
            }
            KernelOp::ReadWhole { to, mem, offset, elem, count } => {
                let bytes = elem.bytes() * u64::from(*count);
                let (to, from) = (self.context().name(*to), self.address(*mem, offset, *elem));
                let ty = element_type(*elem);
                self.line(&format!("READ_WHOLE({bytes}, {ty}, {count}, {to}_p, {from});"));
            }
            KernelOp::CopyRows { to, tile, mem, offset, within: (from, until), elem, count } => {
                let (tile, there) = (self.context().name(*tile), self.address(*mem, &i64(0), *elem));
                let [offset, from, until] = [offset, from, until].map(|e| self.exprs.inline(e, Prec::Top));
                let call = to.word().to_uppercase();
                let (ty, bytes) = (element_type(*elem), elem.bytes());
                self.line(&format!(
                    "{call}({ty}, {bytes}, {count}, {tile}_p, {there}, {offset}, {from}, {until});"
                ));
            }
            KernelOp::AwaitProducts { sums, points } => {
                self.flush_pending();
                let (sums, points) = (self.context().name(*sums), self.exprs.inline(points, Prec::Top));
                self.line(&format!("AWAIT_PRODUCTS({points}, {sums}_p);"));
            }
            KernelOp::MultiplyAdd { sums, left, right, points } => {
                self.flush_pending();
                let [sums, left, right] = [sums, left, right].map(|mem| self.context().name(*mem));
                let points = self.exprs.inline(points, Prec::Top);
                self.line(&format!("MULTIPLY_ADD({points}, {sums}_p, {left}_p, {right}_p);"));
            }
            KernelOp::DeclareArray { mem, space, elem, count } => {
                self.flush_pending();
                let (name, ty) = (self.context().name(*mem), element_type(*elem));
                let count = self.exprs.inline(count, Prec::Top);
                self.line(&match space {
                    Space::Shared => format!("SHARED_ARRAY({ty}, {name}_p, {count});"),
                    Space::Default | Space::Scalar(..) => format!("{ty} {name}_p[{count}];"),
                });
            }
            KernelOp::Ballot { var, cond } => {
                let cond = self.exprs.inline(cond, Prec::Top);
                self.set_or_do(Some(*var), PrimType::I32, &format!("BALLOT({cond})"));
            }
            KernelOp::MostOfWarp { var, value } => {
                let value = self.exprs.inline(value, Prec::Top);
                self.set_or_do(Some(*var), PrimType::I64, &format!("most_of_warp({value})"));
            }
            KernelOp::Shuffle { var, ty, direction, delta, value } => {
                let value = self.exprs.inline(value, Prec::Unary);
                let call = A::shuffle(*ty, *direction, *delta, &value);
                self.set_or_do(Some(*var), *ty, &call);
            }
        }
    }

    fn set_or_do(&mut self, var: Option<Name>, ty: PrimType, call: &str) {
        match var {
            Some(x) if self.usage.needed.contains(&x) => self.assign(x, ty, call),
            Some(_) | None => self.line(&format!("{call};")),
        }
    }

    /// A region that a thread leaves when it has failed. The label stands outside of the
    /// scope, so that no declaration lies between.
    fn guarded(&mut self, body: &Code<KernelOp>) {
        self.dialect().regions += 1;
        let number = self.dialect().regions;
        self.dialect().leave.push(Leave::Region { number, used: false });
        self.flush_pending();
        self.line("{");
        self.scope(body);
        self.line("}");
        if let Some(Leave::Region { used: true, .. }) = self.dialect().leave.pop() {
            self.line(&format!("region_end{number}:;"));
        }
    }

    fn address(&mut self, mem: Name, offset: &Expr, elem: PrimType) -> String {
        let before = std::mem::take(&mut self.exprs.out);
        self.exprs.element(mem, offset, elem);
        format!("&{}", std::mem::replace(&mut self.exprs.out, before))
    }

    /// The address of an element that others may be changing, and the element.
    fn volatile(&mut self, mem: Name, offset: &Expr, elem: PrimType) -> (String, String) {
        let address = self.address(mem, offset, elem);
        let (qualifier, t) = (self.exprs.dialect.qualifier(mem), element_type(elem));
        let place = format!("*(volatile {qualifier}{t} *){address}");
        (address, place)
    }
}

fn atomic_name(op: &str, elem: PrimType, space: &Space) -> String {
    let space = match space {
        Space::Default => "global",
        Space::Shared => "shared",
        Space::Scalar(..) => bug!("an atomic operation on a thread's own memory"),
    };
    match elem {
        PrimType::Int(IntType::I32 | IntType::I64) | PrimType::Float(FloatType::F32 | FloatType::F64) => {
            format!("atomic_{op}_{}_{space}", ctype::runtime(elem))
        }
        PrimType::Int(_) | PrimType::Float(_) | PrimType::Bool | PrimType::Unit => {
            bug!("an atomic operation on {elem}")
        }
    }
}

/// A value of a message as 64 bits, which the host knows to read.
fn encoded(value: &str, t: ScalarType) -> String {
    match t {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 | ScalarType::Bool => {
            format!("(int64_t){value}")
        }
        ScalarType::U8 => format!("(int64_t)(uint8_t){value}"),
        ScalarType::U16 | ScalarType::F16 => format!("(int64_t)(uint16_t){value}"),
        ScalarType::U32 => format!("(int64_t)(uint32_t){value}"),
        ScalarType::U64 => format!("(int64_t){value}"),
        ScalarType::F32 => format!("(int64_t)to_bits32({value})"),
        ScalarType::F64 => format!("to_bits64({value})"),
    }
}

/// Whether all threads of a block wait for each other in some code.
fn has_barrier(code: &Code<KernelOp>) -> bool {
    let mut found = false;
    for_each_statement(code, &mut |code| {
        found |= matches!(code, Code::Op(KernelOp::Barrier | KernelOp::LeaveIfFailed));
    });
    found
}
