//! Kernels, and the functions they call, as text in a C that both CUDA and
//! OpenCL understand; what differs is behind macros of the runtime.
//!
//! ```text
//! KERNEL main_segmap_17(GLOBAL float *xs_5_p, GLOBAL float *ys_6_p, int64_t n_7) {
//!   int64_t i_8 = BLOCK_ID * BLOCK_SIZE + LOCAL_ID;
//!   if (i_8 < n_7) { ys_6_p[i_8] = xs_5_p[i_8] + 1.0f; }
//! }
//! ```
//!
//! A check that fails puts its number and values where the host will find them; the first one
//! wins. Then the thread leaves: the kernel, or where threads wait for each other, the region around.

use super::apart::{promises, Promise};
use super::facts::{BlockSize, Facts, KernelFacts};
use super::Api;
use crate::c::alias::Aliases;
use crate::c::ctype;
use crate::c::expr::{ExprPrinter, Prec};
use crate::c::fun::{name_of, static_elements, Context};
use crate::c::stm::{zero, StmPrinter};
use crate::c::usage::{Access, Usage};
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{bug, Name};
use fehu_imp::parts::for_each_statement;
use fehu_imp::syntax::{
    Arg, ArrayData, AtomicOp, Code, Direction, ErrorPart, Expr, Function, Kernel, KernelOp, Loc, Op, Param,
    Place, Space,
};

/// A check that a kernel makes.
pub(crate) struct Failure<'a> {
    pub(crate) message: &'a [ErrorPart],
    pub(crate) loc: &'a Loc,
}

/// What is special to the printing of one kernel or device function.
pub(crate) struct KernelState {
    api: Api,
    /// How a thread that has failed leaves: outside of all regions first.
    leave: Vec<Leave>,
    /// Whether the thread notes that it has failed.
    notes_failure: bool,
    /// Whether threads of the kernel can fail at all.
    can_fail: bool,
    /// Functions that may fail.
    failing: rustc_hash::FxHashSet<Name>,
    /// The number of the next check.
    next_failure: usize,
    regions: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Leave {
    Kernel,
    Function,
    Region { number: usize, used: bool },
}

/// The kernel text of a program, with the checks in it.
pub(crate) struct KernelText<'a> {
    pub(crate) text: String,
    pub(crate) failures: Vec<Failure<'a>>,
}

/// All kernels and the functions that they call.
pub(crate) fn kernels<'a>(context: &'a Context<'a>, facts: &Facts, api: Api) -> KernelText<'a> {
    let mut out = KernelText { text: String::new(), failures: vec![] };
    let functions: Vec<&Function> = facts.functions.iter().map(|f| context.function(*f)).collect();
    for f in &functions {
        let can_fail = facts.failing.contains(&f.name);
        out.text.push_str(&format!("{};\n", prototype(context, f, can_fail)));
    }
    for f in functions {
        out.push_statics(context, &f.body);
        let can_fail = facts.failing.contains(&f.name);
        let state = out.state(api, facts, Leave::Function, can_fail, false);
        let body = function_body(context, f, can_fail, state);
        out.text.push_str(&format!("\n{} {{\n{body}}}\n", prototype(context, f, can_fail)));
        out.push_failures(&f.body);
    }
    for (kernel, facts_of) in context.program.kernels.iter().zip(&facts.kernels) {
        out.push_statics(context, &kernel.body);
        let state = out.state(api, facts, Leave::Kernel, facts_of.can_fail, facts_of.leaves);
        let text = kernel_text(context, kernel, facts_of, state);
        out.text.push_str(&text);
        out.push_failures(&kernel.body);
    }
    out
}

impl<'a> KernelText<'a> {
    fn state(
        &self,
        api: Api,
        facts: &Facts,
        leave: Leave,
        can_fail: bool,
        notes_failure: bool,
    ) -> Box<KernelState> {
        Box::new(KernelState {
            api,
            leave: vec![leave],
            notes_failure,
            can_fail,
            failing: facts.failing.clone(),
            next_failure: self.failures.len(),
            regions: 0,
        })
    }

    /// Constant data, which is a variable of the whole text.
    fn push_statics(&mut self, context: &Context, code: &'a Code) {
        let text = &mut self.text;
        for_each_statement(code, &mut |code| {
            if let Code::DeclareStatic(m, data) = code {
                let name = context.name(*m);
                let (elem, elements) = match bits(data) {
                    Some(bits) => (context.element_type(bits.elem), static_elements(&bits)),
                    None => (context.element_type(data.elem), static_elements(data)),
                };
                text.push_str(&format!("CONSTANT {elem} {name}_p{elements}"));
            }
        });
    }

    /// The checks in a piece of code, in the order in which they are printed.
    fn push_failures(&mut self, code: &'a Code) {
        for_each_statement(code, &mut |code| {
            if let Code::Assert { message, loc, .. } = code {
                self.failures.push(Failure { message, loc });
            }
        });
    }
}

/// Floats as bits, if some of them cannot be written as constants.
fn bits(data: &ArrayData) -> Option<ArrayData> {
    let (elem, bits): (IntType, fn(PrimValue) -> PrimValue) = match data.elem {
        PrimType::Float(FloatType::F32) => (IntType::I32, |v| match v {
            PrimValue::F32(v) => PrimValue::I32(v.to_bits() as i32),
            v => v,
        }),
        PrimType::Float(FloatType::F64) => (IntType::I64, |v| match v {
            PrimValue::F64(v) => PrimValue::I64(v.to_bits() as i64),
            v => v,
        }),
        _ => return None,
    };
    let finite = |v: &PrimValue| match v {
        PrimValue::F32(v) => v.is_finite(),
        PrimValue::F64(v) => v.is_finite(),
        _ => true,
    };
    if data.values.iter().all(finite) {
        return None;
    }
    let values = data.values.iter().map(|v| bits(*v)).collect();
    Some(ArrayData { elem: PrimType::Int(elem), values })
}

fn kernel_text(context: &Context, kernel: &Kernel, facts: &KernelFacts, state: Box<KernelState>) -> String {
    let usage = usage(&kernel.body, &[], &kernel.params);
    let apart = context.apart.borrow().get(&kernel.name).cloned().unwrap_or_default();
    let promise = promises(kernel, &apart);
    let mut params = Vec::new();
    if !kernel.shared.is_empty() && state.api == Api::OpenCl {
        params.push("SHARED uint8_t *shared_memory".to_owned());
    }
    if facts.knows_failure() {
        params.push("volatile GLOBAL int32_t *failure".to_owned());
    }
    if facts.can_fail {
        params.push("GLOBAL int64_t *failure_values".to_owned());
        params.push("int32_t launch_number".to_owned());
    }
    params.extend(kernel.shared.iter().map(|m| format!("int32_t {}_at", context.name(*m))));
    for param in &kernel.params {
        let name = context.name(name_of(param));
        params.push(match param {
            Param::Scalar(_, t) => format!("{} {name}", context.element_type(*t)),
            Param::Mem(m, _) => {
                let ty = pointer_type(context, &usage, *m);
                match promise(*m) {
                    Promise::Nothing => format!("{ty}{name}_p"),
                    Promise::OnlyRead => format!("const {ty}RESTRICT {name}_p"),
                    Promise::NoOther => format!("{ty}RESTRICT {name}_p"),
                }
            }
        });
    }
    let mut p = printer(context, &usage, state);
    let block_size = match (&kernel.block_size, facts.block_size) {
        (Some(size), _) => Some(p.exprs.inline(size, Prec::Top)),
        (None, Some(BlockSize::Fixed(n))) => Some(n.to_string()),
        (None, Some(BlockSize::Param(i))) => Some(format!("SIZE_{i}")),
        (None, None) => None,
    };
    let (head, block_size) = match block_size {
        Some(size) => (format!("KERNEL_OF({size})"), size),
        None => ("KERNEL".to_owned(), "BLOCK_SIZE".to_owned()),
    };
    let name = context.name(kernel.name);
    if !kernel.shared.is_empty() {
        p.line("SHARED_DECLARE");
    }
    p.line(&format!("const int64_t block_size = {block_size};"));
    start_check(&mut p, facts);
    for m in &kernel.shared {
        let (name, ty) = (context.name(*m), pointer_type(context, &usage, *m));
        p.line(&format!("{ty}{name}_p = ({ty})(shared_memory + {name}_at);"));
    }
    p.code(&kernel.body);
    format!("\n// {}\n{head} {name}({}) {{\n{}}}\n", kernel.label, params.join(", "), p.exprs.out)
}

/// A kernel that is led by data does nothing after another one has failed. Whether that is so, all threads of a block
/// must agree on; failures of the kernel itself do not count, as other blocks may be waiting for this one.
fn start_check(p: &mut StmPrinter, facts: &KernelFacts) {
    let launch = if facts.can_fail { "launch_number" } else { "0" };
    let leave = match (facts.stops_after_failure, facts.has_barrier) {
        (true, true) => {
            p.line("ANY_CELL");
            p.line(&format!("ANY_START(failed_before(failure, {launch}))"));
            Some("any_start".to_owned())
        }
        (true, false) => Some(format!("failed_before(failure, {launch})")),
        (false, _) if facts.leaves => {
            p.line("ANY_CELL");
            p.line("ANY_CLEAR");
            None
        }
        (false, _) => None,
    };
    if let Some(cond) = leave {
        p.line(&format!("if ({cond}) {{"));
        p.line("  return;");
        p.line("}");
    }
    if facts.leaves {
        p.line("bool thread_failed = false;");
    }
}

fn prototype(context: &Context, f: &Function, can_fail: bool) -> String {
    let mut params = Vec::new();
    if can_fail {
        params.push("volatile GLOBAL int32_t *failure".to_owned());
        params.push("GLOBAL int64_t *failure_values".to_owned());
        params.push("int32_t launch_number".to_owned());
    }
    let scalar = |p: &Param, suffix: &str| match p {
        Param::Scalar(x, t) => format!("{} {}{suffix}", ctype::prim(*t), context.name(*x)),
        Param::Mem(m, _) => bug!("{} is a block, but kernels call functions of scalars", context.name(*m)),
    };
    params.extend(f.outputs.iter().map(|o| scalar(o, "_out").replacen(' ', " *", 1)));
    params.extend(f.inputs.iter().map(|i| scalar(i, "")));
    let result = if can_fail { "bool" } else { "void" };
    format!("DEVICE_FUN {result} {}({})", context.name(f.name), params.join(", "))
}

fn function_body(context: &Context, f: &Function, can_fail: bool, state: Box<KernelState>) -> String {
    let usage = usage(&f.body, &f.outputs, &f.inputs);
    let mut p = printer(context, &usage, state);
    for output in &f.outputs {
        if let Param::Scalar(x, t) = output {
            p.code(&Code::DeclareScalar(*x, *t));
        }
    }
    p.code(&f.body);
    p.flush_pending();
    for output in &f.outputs {
        p.line(&format!("*{0}_out = {0};", context.name(name_of(output))));
    }
    if can_fail {
        p.line("return false;");
    }
    p.exprs.out
}

fn usage(code: &Code, outputs: &[Param], inputs: &[Param]) -> Usage {
    let mut usage = Usage::of(code, outputs, inputs);
    for (m, data) in &usage.statics {
        if bits(data).is_some() {
            usage.access.insert(*m, Access::Mixed);
        }
    }
    usage
}

fn printer<'a>(context: &'a Context<'a>, usage: &'a Usage, state: Box<KernelState>) -> StmPrinter<'a> {
    let exprs = ExprPrinter { out: String::new(), context, access: usage.access.clone() };
    let mut p = StmPrinter::new(exprs, usage, Aliases::default());
    p.outlined = None;
    p.kernel = Some(state);
    p
}

/// The type of a pointer to a block's elements, ready for a name to follow.
fn pointer_type(context: &Context, usage: &Usage, mem: Name) -> String {
    let elem = match usage.access.get(&mem) {
        Some(Access::As(t)) => context.element_type(*t),
        Some(Access::Mixed) | None => "uint8_t",
    };
    format!("{}{elem} *", context.qualifier(mem))
}

impl StmPrinter<'_> {
    /// Prints a statement that kernels spell in their own way; false if they do not.
    pub(crate) fn in_kernel(&mut self, code: &Code) -> bool {
        match code {
            Code::DeclareMem(m, Space::Default | Space::Shared) => {
                let name = self.exprs.context.name(*m);
                let ty = pointer_type(self.exprs.context, self.usage, *m);
                self.line(&format!("{ty}{name}_p = 0;"));
            }
            Code::SetMem(a, b, Space::Default | Space::Shared) => {
                let (to, from) = (self.exprs.context.name(*a), self.exprs.context.name(*b));
                let ty = pointer_type(self.exprs.context, self.usage, *a);
                self.line(&format!("{to}_p = ({ty}){from}_p;"));
            }
            Code::SetMem(a, b, Space::Scalar(_, dims)) => {
                let (to, from) = (self.exprs.context.name(*a), self.exprs.context.name(*b));
                let n = dims.iter().product::<i64>().max(1);
                if self.usage.access.contains_key(a) && self.usage.access.contains_key(b) {
                    self.line(&format!("for (int64_t c0 = 0; c0 < {n}; c0++) {to}_p[c0] = {from}_p[c0];"));
                }
            }
            Code::Free(_, Space::Default | Space::Shared) => {}
            Code::Allocate { mem, space: Space::Default | Space::Shared, .. } => {
                bug!("a kernel allocates {}", self.exprs.context.name(*mem))
            }
            Code::Copy { elem, shape, dst, src } => self.kernel_copy(*elem, shape, dst, src),
            Code::Call { outs, fun, args } => self.kernel_call(outs, *fun, args),
            Code::Assert { cond, message, .. } => self.kernel_assert(cond, message),
            // Kernels have nowhere to print to; the user has been warned.
            Code::Trace { .. } => {}
            Code::Op(Op::Kernel(op)) => self.kernel_op(op),
            Code::Op(
                Op::ParFor { .. }
                | Op::ParChunks { .. }
                | Op::Launch(_)
                | Op::GetSize(..)
                | Op::GetSizeMax(..)
                | Op::CmpThreshold(..),
            ) => bug!("{code:?} in a kernel"),
            Code::Seq(_)
            | Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Allocate { .. }
            | Code::Free(..)
            | Code::Write { .. }
            | Code::For { .. }
            | Code::While(..)
            | Code::If(..) => return false,
        }
        true
    }

    fn state(&mut self) -> &mut KernelState {
        match &mut self.kernel {
            Some(state) => state,
            None => bug!("kernel code outside of a kernel"),
        }
    }

    fn kernel_copy(&mut self, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) {
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

    fn kernel_call(&mut self, outs: &[Name], fun: Name, args: &[Arg]) {
        self.flush_pending();
        let function = self.exprs.context.function(fun);
        let fails = self.state().failing.contains(&fun);
        let results: Vec<(usize, &Name, PrimType)> = outs
            .iter()
            .zip(&function.outputs)
            .enumerate()
            .map(|(i, (x, output))| match output {
                Param::Scalar(_, t) => (i, x, *t),
                Param::Mem(..) => bug!("{} gives a block to a kernel", self.exprs.context.name(fun)),
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
                Arg::Mem(m) => bug!("{} is passed to a function in a kernel", self.exprs.context.name(*m)),
            });
        }
        let call = format!("{}({})", self.exprs.context.name(fun), texts.join(", "));
        if fails {
            self.line(&format!("if ({call}) {{"));
            self.leave();
            self.line("}");
        } else {
            self.line(&format!("{call};"));
        }
        for (i, x, _) in results {
            if self.usage.needed.contains(x) {
                self.line(&format!("{} = out{i};", self.exprs.context.name(*x)));
            }
        }
        self.indent -= 1;
        self.line("}");
    }

    fn kernel_assert(&mut self, cond: &Expr, message: &[ErrorPart]) {
        let number = self.state().next_failure;
        self.state().next_failure += 1;
        let cond = self.exprs.inline(cond, Prec::Primary);
        self.line(&format!("if (!{cond}) {{"));
        self.line(&format!("  if (record_failure(failure, failure_values, {number}, launch_number)) {{"));
        let mut at = 1;
        for part in message {
            if let ErrorPart::Value(e, t) = part {
                let value = self.exprs.inline(e, Prec::Unary);
                self.line(&format!("    failure_values[{at}] = {};", encoded(&value, *t)));
                at += 1;
            }
        }
        self.line("  }");
        self.leave();
        self.line("}");
    }

    /// What a thread does that has failed, as the inside of a conditional.
    fn leave(&mut self) {
        let state = self.state();
        let notes = state.notes_failure;
        let leave = match state.leave.last_mut() {
            Some(Leave::Kernel) | None => "  return;".to_owned(),
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
            KernelOp::Fence => self.line("FENCE();"),
            KernelOp::BlockFence => self.line("BLOCK_FENCE();"),
            KernelOp::Guarded(body) => self.guarded(body),
            KernelOp::LeaveIfFailed => {
                if self.state().can_fail {
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
                    atomic_name(atomic_op(*op), *elem, space),
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
                    let value = match self.as_word(*mem, offset, *elem) {
                        Some(word) => {
                            word.from(&format!("atomic_or_{}_global({}, 0)", word.name, word.address))
                        }
                        None => self.volatile(*mem, offset, *elem),
                    };
                    self.assign(*var, *elem, &value);
                }
            }
            KernelOp::WriteVolatile { mem, offset, elem, value } => {
                let value = self.exprs.inline(value, Prec::Top);
                match self.as_word(*mem, offset, *elem) {
                    Some(word) => {
                        let bits = word.to(&value);
                        self.line(&format!(
                            "(void)atomic_exchange_{}_global({}, {bits});",
                            word.name, word.address
                        ));
                    }
                    None => {
                        let place = self.volatile(*mem, offset, *elem);
                        self.line(&format!("{place} = {value};"));
                    }
                }
            }
            KernelOp::DeclareArray { mem, space, elem, count } => {
                self.flush_pending();
                let (name, ty) = (self.exprs.context.name(*mem), self.exprs.context.element_type(*elem));
                let count = self.exprs.inline(count, Prec::Top);
                self.line(&match space {
                    Space::Shared => format!("SHARED_ARRAY({ty}, {name}_p, {count});"),
                    Space::Default | Space::Scalar(..) => format!("{ty} {name}_p[{count}];"),
                });
            }
            KernelOp::Shuffle { var, ty, direction, delta, value } => {
                if self.state().api == Api::OpenCl {
                    bug!("a shuffle in OpenCL");
                }
                let value = self.exprs.inline(value, Prec::Unary);
                let t = ctype::prim(*ty);
                let call = match direction {
                    Direction::Up => format!("SHUFFLE_UP(({t}){value}, {delta})"),
                    Direction::Down => format!("SHUFFLE_DOWN(({t}){value}, {delta})"),
                    Direction::First => format!("SHUFFLE_FIRST(({t}){value})"),
                };
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
    fn guarded(&mut self, body: &Code) {
        self.state().regions += 1;
        let number = self.state().regions;
        self.state().leave.push(Leave::Region { number, used: false });
        self.flush_pending();
        self.line("{");
        self.scope(body);
        self.line("}");
        if let Some(Leave::Region { used: true, .. }) = self.state().leave.pop() {
            self.line(&format!("region_end{number}:;"));
        }
    }

    fn address(&mut self, mem: Name, offset: &Expr, elem: PrimType) -> String {
        let before = std::mem::take(&mut self.exprs.out);
        self.exprs.element(mem, offset, elem);
        format!("&{}", std::mem::replace(&mut self.exprs.out, before))
    }

    /// An element that blocks hand to each other, as a word that OpenCL can read and write in one step: there, nothing
    /// less makes it no race.
    fn as_word(&mut self, mem: Name, offset: &Expr, elem: PrimType) -> Option<Word> {
        if self.state().api != Api::OpenCl {
            return None;
        }
        let (name, ty, bits) = match elem {
            PrimType::Int(IntType::I32) => ("i32", "int32_t", None),
            PrimType::Int(IntType::I64) => ("i64", "int64_t", None),
            PrimType::Float(FloatType::F32) => ("i32", "int32_t", Some("32")),
            PrimType::Float(FloatType::F64) => ("i64", "int64_t", Some("64")),
            PrimType::Int(IntType::I8 | IntType::I16)
            | PrimType::Float(FloatType::F16)
            | PrimType::Bool
            | PrimType::Unit => return None,
        };
        let address = format!("(volatile GLOBAL {ty} *){}", self.address(mem, offset, elem));
        Some(Word { name, address, bits })
    }

    fn volatile(&mut self, mem: Name, offset: &Expr, elem: PrimType) -> String {
        let context = self.exprs.context;
        let (qualifier, t) = (context.qualifier(mem), context.element_type(elem));
        format!("*(volatile {qualifier}{t} *){}", self.address(mem, offset, elem))
    }
}

/// An element as an integer of its width.
struct Word {
    name: &'static str,
    address: String,
    /// The width, where bits are those of a float.
    bits: Option<&'static str>,
}

impl Word {
    fn from(&self, word: &str) -> String {
        self.bits.map_or_else(|| word.to_owned(), |bits| format!("from_bits{bits}({word})"))
    }

    fn to(&self, value: &str) -> String {
        self.bits.map_or_else(|| value.to_owned(), |bits| format!("to_bits{bits}({value})"))
    }
}

fn atomic_op(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "add",
        AtomicOp::FAdd => "fadd",
        AtomicOp::SMax => "smax",
        AtomicOp::SMin => "smin",
        AtomicOp::UMax => "umax",
        AtomicOp::UMin => "umin",
        AtomicOp::And => "and",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::Exchange => "exchange",
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
        _ => bug!("an atomic operation on {elem}"),
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
