//! Statements as C text.
//!
//! A block is two C variables: `m`, the counted reference, and `m_p`, a pointer
//! to its elements, which is assigned whenever `m` is and so stays in a
//! register. All references are declared at the top of the function, so that
//! the clean-up at its end can drop them wherever an error struck.

use super::alias::Aliases;
use super::ctype;
use super::expr::{ExprPrinter, Prec};
use super::fun::{Context, Dialect};
use super::literal;
use super::outline::{outline, Outline};
use super::sizes::Size;
use super::task::Chunks;
use super::usage::{Access, Usage};
use crate::gpu::kernel::KernelState;
use crate::gpu::unroll::is_unrolled;
use fehu_base::prim::{IntType, PrimType, ScalarType};
use fehu_base::{bug, Name};
use fehu_imp::syntax::{Arg, ArrayData, Code, ErrorPart, Expr, KernelOp, Loc, Op, Param, Place, Space};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The highest rank that the runtime copies in one call.
const MAX_COPY_RANK: usize = 32;
/// Scopes that are nested deeper than this are indented no further, or else most of the text would be blanks.
const MAX_INDENT: usize = 30;

/// Prints the statements of one function.
pub struct StmPrinter<'a> {
    /// The text so far.
    pub exprs: ExprPrinter<'a>,
    /// What the function uses.
    pub usage: &'a Usage,
    /// How far lines are indented.
    pub indent: usize,
    /// Scalars that have been declared in the IR, but not yet in C.
    pub(crate) pending: IndexMap<Name, PrimType>,
    /// Blocks declared in the scopes around, innermost last.
    scopes: Vec<Vec<Name>>,
    /// Which blocks may be the same memory.
    pub(crate) aliases: Aliases,
    /// Functions made of loops and tasks; none while a loop is being printed.
    pub outlined: Option<String>,
    /// The program's global values, where they are known.
    pub(super) globals: Option<&'a FxHashMap<Name, &'a Param>>,
    /// Constant data that tasks read.
    pub(super) statics: Vec<(Name, Arc<ArrayData>)>,
    /// What is special to a kernel.
    pub(crate) kernel: Option<Box<KernelState>>,
    /// Variables of the text's own so far.
    pub(crate) temporaries: usize,
}

impl<'a> StmPrinter<'a> {
    /// A printer at the top level of a function's body.
    pub fn new(exprs: ExprPrinter<'a>, usage: &'a Usage, aliases: Aliases) -> StmPrinter<'a> {
        let pending = IndexMap::new();
        let (scopes, outlined) = (vec![Vec::new()], Some(String::new()));
        StmPrinter {
            exprs,
            usage,
            indent: 1,
            pending,
            scopes,
            aliases,
            outlined,
            globals: None,
            statics: vec![],
            kernel: None,
            temporaries: 0,
        }
    }

    /// Blocks declared outside of loops and branches.
    pub fn top_blocks(&self) -> &[Name] {
        self.scopes.first().map_or(&[], Vec::as_slice)
    }

    /// A statement.
    pub fn code(&mut self, code: &Code) {
        match code {
            Code::Seq(codes) => codes.iter().for_each(|c| self.code(c)),
            Code::For { .. } | Code::While(..) | Code::If(..) | Code::Op(_) => {
                let fresh = self.aliases.save();
                self.aliases.around(code);
                self.single(code);
                self.aliases.restore(fresh);
                self.aliases.around(code);
            }
            _ => {
                self.single(code);
                self.aliases.after(code);
            }
        }
    }

    fn single(&mut self, code: &Code) {
        let printed = match self.exprs.context.dialect {
            Dialect::Host => false,
            Dialect::Driver => self.driver(code),
            Dialect::Kernel => self.in_kernel(code),
        };
        if printed {
            return;
        }
        match code {
            Code::Seq(_) => self.code(code),
            Code::DeclareScalar(x, t) => {
                if self.usage.needed.contains(x) {
                    self.pending.insert(*x, *t);
                }
            }
            Code::SetScalar(x, e) => {
                if self.usage.needed.contains(x) {
                    self.set_scalar(*x, e);
                }
            }
            Code::DeclareMem(m, Space::Scalar(t, dims)) => {
                let n = dims.iter().product::<i64>().max(1);
                let name = self.exprs.context.name(*m);
                if self.usage.access.contains_key(m) {
                    self.line(&format!("{} {name}_p[{n}];", ctype::prim(*t)));
                }
            }
            Code::DeclareMem(m, Space::Default | Space::Shared) => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.push(*m);
                }
            }
            // File-scope data, bound at the top of the function.
            Code::DeclareStatic(..) => {}
            Code::Allocate { space: Space::Scalar(..), .. } | Code::Free(_, Space::Scalar(..)) => {}
            Code::Allocate { mem, bytes, space: _, loc } => self.allocate(*mem, bytes, loc),
            Code::Free(m, _) => self.drop_block(*m),
            Code::SetMem(a, b, Space::Scalar(..)) => {
                let (a, b) = (self.exprs.context.name(*a), self.exprs.context.name(*b));
                self.line(&format!("memcpy({a}_p, {b}_p, sizeof {a}_p);"));
            }
            Code::SetMem(a, b, Space::Default | Space::Shared) => {
                let (to, from) = (self.exprs.context.name(*a), self.exprs.context.name(*b));
                self.line(&format!("{to} = block_share(ctx, {to}, {from});"));
                self.refresh_pointer(*a);
            }
            Code::Write { mem, offset, elem, space: _, value } => {
                self.start();
                self.exprs.element(*mem, offset, *elem);
                self.push(" = ");
                self.exprs.top(value);
                self.push(";\n");
            }
            Code::Copy { elem, shape, dst, src } => self.copy(*elem, shape, dst, src),
            Code::For { var, ty, bound, body } => {
                let apart =
                    self.outlined.is_some().then(|| outline(code, self.usage, &mut self.aliases)).flatten();
                match apart {
                    Some(outline) => self.outlined_loop(code, *var, &outline),
                    None => {
                        if self.kernel.is_some() && is_unrolled(bound, body) {
                            self.flush_pending();
                            self.line("UNROLL");
                        }
                        self.for_loop(*var, *ty, bound, |p| p.scope(body));
                    }
                }
            }
            Code::While(cond, body) => {
                self.flush_pending();
                self.start();
                self.push("while (");
                self.exprs.top(cond);
                self.push(") {\n");
                self.scope(body);
                self.line("}");
            }
            Code::If(cond, a, b) => self.conditional(cond, a, b),
            Code::Call { outs, fun, args } => self.call(outs, *fun, args),
            Code::Assert { cond, message, loc } => self.assert(cond, message, loc),
            Code::Trace { loc, message } => self.trace(loc.as_ref(), message),
            Code::Op(op) => self.op(op),
        }
    }

    /// Declares what is still pending, with a value so that compilers see one.
    pub fn flush_pending(&mut self) {
        for (x, t) in std::mem::take(&mut self.pending) {
            let name = self.exprs.context.name(x);
            self.line(&format!("{} {name} = {};", ctype::prim(t), zero(t)));
        }
    }

    /// A whole line.
    pub fn line(&mut self, text: &str) {
        self.start();
        self.push(text);
        self.push("\n");
    }

    pub(crate) fn start(&mut self) {
        for _ in 0..self.indent.min(MAX_INDENT) {
            self.exprs.out.push_str("  ");
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.exprs.out.push_str(text);
    }

    /// A nested scope, whose blocks are dropped at its end.
    pub(crate) fn scope(&mut self, body: &Code) {
        self.flush_pending();
        self.indent += 1;
        self.scopes.push(Vec::new());
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.code(body));
        self.flush_pending();
        for m in self.scopes.pop().unwrap_or_default() {
            self.drop_block(m);
        }
        self.indent -= 1;
    }

    pub(crate) fn set_scalar(&mut self, x: Name, e: &Expr) {
        let declared = self.pending.shift_remove(&x);
        self.start();
        if let Some(t) = declared {
            self.push(ctype::prim(t));
            self.push(" ");
        }
        self.exprs.name(x);
        self.push(" = ");
        if self.usage.sizes.is_size(x) {
            self.size(e);
        } else {
            self.exprs.top(e);
        }
        self.push(";\n");
    }

    /// A number of bytes, which does not wrap around.
    fn size(&mut self, e: &Expr) {
        let usage = self.usage;
        match usage.sizes.view(e) {
            Size::Product(a, b) => self.size_call("size_mul(", a, b),
            Size::Sum(a, b) => self.size_call("size_add(", a, b),
            Size::Larger(a, b) => self.size_call("smax64(", a, b),
            Size::Other(e) => self.exprs.top(e),
        }
    }

    fn size_call(&mut self, open: &str, a: &Expr, b: &Expr) {
        self.push(open);
        self.size(a);
        self.push(", ");
        self.size(b);
        self.push(")");
    }

    fn allocate(&mut self, mem: Name, bytes: &Expr, loc: &Loc) {
        let name = self.exprs.context.name(mem);
        self.start();
        self.push(&format!("{name} = block_alloc(ctx, {name}, "));
        self.size(bytes);
        self.push(&format!(", {});\n", self.place_text(loc)));
        self.line(&format!("if (UNLIKELY({name} == NULL)) {{"));
        self.line("  err = FUTHARK_OUT_OF_MEMORY;");
        self.line("  goto cleanup;");
        self.line("}");
        self.refresh_pointer(mem);
    }

    /// The place of an allocation, as its error shows it.
    pub(crate) fn place_text(&self, loc: &Loc) -> String {
        let mut text = String::from("\"");
        literal::push_escaped(&mut text, &backtrace_text(self.exprs.context, loc));
        text.push('"');
        text
    }

    fn drop_block(&mut self, mem: Name) {
        let name = self.exprs.context.name(mem);
        self.line(&format!("{name} = block_drop(ctx, {name});"));
    }

    /// Makes the pointer of a block follow the block.
    fn refresh_pointer(&mut self, mem: Name) {
        let Some(access) = self.usage.access.get(&mem) else { return };
        let name = self.exprs.context.name(mem);
        self.line(&format!("{name}_p = ({})block_data({name});", pointer_type(*access)));
    }

    pub(crate) fn for_loop(&mut self, var: Name, ty: IntType, bound: &Expr, body: impl FnOnce(&mut Self)) {
        self.flush_pending();
        let (i, t) = (self.exprs.context.name(var), ctype::int(ty));
        self.start();
        self.push(&format!("for ({t} {i} = 0"));
        if let Expr::Const(_) = bound {
            self.push(&format!("; {i} < "));
            self.exprs.top(bound);
        } else {
            self.push(&format!(", {i}_end = "));
            self.exprs.top(bound);
            self.push(&format!("; {i} < {i}_end"));
        }
        self.push(&format!("; {i}++) {{\n"));
        body(self);
        self.line("}");
    }

    /// A loop as a function, and the call of it.
    fn outlined_loop(&mut self, code: &Code, var: Name, outline: &Outline) {
        let Some(mut outlined) = self.outlined.take() else { return };
        self.flush_pending();
        let context = self.exprs.context;
        let exprs = ExprPrinter { out: String::new(), context, access: self.exprs.access.clone() };
        let mut p = StmPrinter::new(exprs, self.usage, Aliases::default());
        p.outlined = None;
        let name = format!("loop_{}", context.name(var));
        let result = if outline.can_fail { "int" } else { "void" };
        let mut head = format!("static inline UNUSED {result} {name}(struct futhark_context *ctx");
        let mut call = format!("{name}(ctx");
        let types = &self.usage.types;
        let type_of =
            |x: &Name| ctype::prim(types.get(x).copied().unwrap_or_else(|| context.global_type(*x)));
        p.line("(void)ctx;");
        if outline.can_fail {
            p.line("int err = FUTHARK_SUCCESS;");
        }
        for x in &outline.inputs {
            head.push_str(&format!(", {} {}", type_of(x), context.name(*x)));
            call.push_str(&format!(", {}", context.name(*x)));
        }
        for x in &outline.updated {
            let (t, x) = (type_of(x), context.name(*x));
            head.push_str(&format!(", {t} *{x}_io"));
            call.push_str(&format!(", &{x}"));
            p.line(&format!("{t} {x} = *{x}_io;"));
        }
        for block in &outline.blocks {
            let m = context.name(block.mem);
            let constness = if block.written { "" } else { "const " };
            let restrict = if block.apart { "restrict " } else { "" };
            let pointer = self.usage.access.get(&block.mem).map_or_else(String::new, |a| pointer_type(*a));
            head.push_str(&format!(", {constness}{pointer}{restrict}{m}_p"));
            call.push_str(&format!(", {m}_p"));
        }
        p.code(code);
        for x in &outline.updated {
            p.line(&format!("*{0}_io = {0};", context.name(*x)));
        }
        if outline.can_fail {
            p.exprs.out.push_str("cleanup:\n");
            p.line("return err;");
            self.line(&format!("err = {call});"));
            self.line("if (UNLIKELY(err != FUTHARK_SUCCESS)) {");
            self.line("  goto cleanup;");
            self.line("}");
        } else {
            self.line(&format!("{call});"));
        }
        outlined.push_str(&format!("\n{head}) {{\n{}}}\n", p.exprs.out));
        self.outlined = Some(outlined);
    }

    fn conditional(&mut self, cond: &Expr, a: &Code, b: &Code) {
        self.flush_pending();
        self.start();
        self.push("if (");
        let swapped = is_empty(a) && !is_empty(b);
        if swapped {
            self.push("!");
            self.exprs.expr(cond, Prec::Primary);
        } else {
            self.exprs.top(cond);
        }
        self.push(") {\n");
        self.scope(if swapped { b } else { a });
        if !swapped && !is_empty(b) {
            self.line("} else {");
            self.scope(b);
        }
        self.line("}");
    }

    fn call(&mut self, outs: &[Name], fun: Name, args: &[Arg]) {
        let texts = args.iter().map(|arg| match arg {
            Arg::Scalar(e) => self.exprs.inline(e, Prec::Top),
            Arg::Mem(m) => self.exprs.context.name(*m).to_owned(),
        });
        let texts = texts.collect();
        self.call_with(outs, fun, texts);
    }

    /// A call with the texts of its arguments.
    pub(crate) fn call_with(&mut self, outs: &[Name], fun: Name, args: Vec<String>) {
        self.flush_pending();
        let outputs = &self.exprs.context.function(fun).outputs;
        let results = outs.iter().zip(outputs).enumerate();
        self.line("{");
        self.indent += 1;
        for (i, (_, output)) in results.clone() {
            match output {
                Param::Scalar(_, t) => self.line(&format!("{} out{i} = {};", ctype::prim(*t), zero(*t))),
                Param::Mem(..) => self.line(&format!("struct block *out{i} = NULL;")),
            }
        }
        self.start();
        self.push("err = ");
        self.exprs.name(fun);
        self.push("(ctx");
        for i in 0..outs.len() {
            self.push(&format!(", &out{i}"));
        }
        for arg in args {
            self.push(", ");
            self.push(&arg);
        }
        self.push(");\n");
        self.line("if (UNLIKELY(err != FUTHARK_SUCCESS)) {");
        self.line("  goto cleanup;");
        self.line("}");
        for (i, (x, output)) in results {
            let name = self.exprs.context.name(*x);
            match output {
                Param::Scalar(..) => {
                    if self.usage.needed.contains(x) {
                        self.line(&format!("{name} = out{i};"));
                    }
                }
                Param::Mem(..) => {
                    self.line(&format!("block_drop(ctx, {name});"));
                    self.line(&format!("{name} = out{i};"));
                    self.refresh_pointer(*x);
                }
            }
        }
        self.indent -= 1;
        self.line("}");
    }

    fn assert(&mut self, cond: &Expr, message: &[ErrorPart], loc: &Loc) {
        let cond = self.exprs.inline(cond, Prec::Primary);
        self.assert_text(&cond, message, loc);
    }

    /// A check of a condition that has been printed, to bind tightly.
    pub(crate) fn assert_text(&mut self, cond: &str, message: &[ErrorPart], loc: &Loc) {
        self.line(&format!("if (UNLIKELY(!{cond})) {{"));
        self.start();
        let format = message_format(self.exprs.context, message, loc);
        self.push(&format!("  err = fail(ctx, \"{format}\""));
        let values = message.iter().filter_map(|part| match part {
            ErrorPart::Text(_) => None,
            ErrorPart::Value(e, t) => Some((e, *t)),
        });
        for (e, t) in values {
            self.push(", ");
            self.format_value(e, t);
        }
        self.push(");\n");
        self.line("  goto cleanup;");
        self.line("}");
    }

    /// Prints values to the log of the context.
    fn trace(&mut self, loc: Option<&Loc>, message: &[ErrorPart]) {
        let texts = message
            .iter()
            .filter_map(|part| match part {
                ErrorPart::Text(_) => None,
                ErrorPart::Value(e, _) => Some(self.exprs.inline(e, Prec::Top)),
            })
            .collect();
        self.trace_texts(loc, message, texts);
    }

    /// [`StmPrinter::trace`] of values that have been printed.
    pub(crate) fn trace_texts(&mut self, loc: Option<&Loc>, message: &[ErrorPart], texts: Vec<String>) {
        let mut format = String::new();
        if let Some(place) = loc.and_then(|loc| (self.exprs.context.backtrace)(loc).into_iter().next()) {
            push_message(&mut format, &[ErrorPart::Text(format!("{place}: "))]);
        }
        push_message(&mut format, message);
        let mut call = format!("fprintf(ctx->log, \"{format}\"");
        let types = message.iter().filter_map(|part| match part {
            ErrorPart::Text(_) => None,
            ErrorPart::Value(_, t) => Some(*t),
        });
        for (t, text) in types.zip(texts) {
            call.push_str(&format!(", {}{text})", value_wrapper(t)));
        }
        self.line(&format!("{call});"));
    }

    fn format_value(&mut self, e: &Expr, t: ScalarType) {
        self.push(value_wrapper(t));
        self.exprs.top(e);
        self.push(")");
    }

    fn copy(&mut self, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) {
        match shape {
            [] => {
                self.start();
                self.exprs.element(dst.mem, &dst.offset, elem);
                self.push(" = ");
                self.exprs.element(src.mem, &src.offset, elem);
                self.push(";\n");
            }
            [n] => {
                self.start();
                let width = elem.bytes();
                self.push(&format!("copy_row{width}("));
                for (place, strides, constness) in [(dst, &dst.strides, ""), (src, &src.strides, "const ")] {
                    self.push(&format!("({constness}element{width} *)"));
                    self.exprs.pointer(place.mem, elem);
                    self.push(" + ");
                    self.exprs.offset(&place.offset, Prec::Product);
                    self.push(", ");
                    self.exprs.top(&strides[0]);
                    self.push(", ");
                }
                self.exprs.top(n);
                self.push(");\n");
            }
            _ if shape.len() <= MAX_COPY_RANK => {
                self.start();
                self.push(&format!("copy_array{}({}, ", elem.bytes(), shape.len()));
                self.compound(shape);
                for place in [dst, src] {
                    self.push(", ");
                    self.exprs.pointer(place.mem, elem);
                    self.push(", ");
                    self.exprs.top(&place.offset);
                    self.push(", ");
                    self.compound(&place.strides);
                }
                self.push(");\n");
            }
            _ => bug!("a copy of {} dimensions", shape.len()),
        }
    }

    /// A compound literal of sizes.
    pub(crate) fn compound(&mut self, exprs: &[Expr]) {
        self.push("(const int64_t[]){");
        for (i, e) in exprs.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.exprs.top(e);
        }
        self.push("}");
    }

    /// Parallel operations, done by one worker.
    fn op(&mut self, op: &Op) {
        match op {
            Op::ParFor { start, end, bound, body } => self.par_for(*start, *end, bound, body),
            Op::ParChunks { chunk, start, end, bound, most, chunks, before, body } => {
                let chunks = Chunks { chunk: *chunk, start: *start, end: *end, chunks: *chunks };
                self.par_chunks(&chunks, [bound, most], before, body);
            }
            Op::Kernel(KernelOp::WriteVolatile { mem, offset, elem, value }) => {
                self.shared_write(*mem, offset, *elem, value);
            }
            Op::GetSizeMax(x, class) if class.as_str() == "grid_size" => self.set_to_workers(*x),
            Op::GetSize(x, param) => self.code(&Code::SetScalar(*x, Expr::Param(*param))),
            Op::CmpThreshold(x, param, value) => {
                if self.usage.needed.contains(x) {
                    let declared = self.pending.shift_remove(x);
                    let index = self.exprs.context.param_index(*param);
                    self.start();
                    self.push(if declared.is_some() { "bool " } else { "" });
                    self.exprs.name(*x);
                    self.push(&format!(" = compare_threshold(ctx, {index}, "));
                    self.exprs.top(value);
                    self.push(");\n");
                }
            }
            Op::GetSizeMax(..) | Op::Launch(_) | Op::Kernel(_) => bug!("{op:?} in code for a CPU"),
        }
    }
}

/// The inside of the literal that is the format of a message.
pub fn message_format(context: &Context, message: &[ErrorPart], loc: &Loc) -> String {
    let mut out = String::from("Error: ");
    push_message(&mut out, message);
    push_message(&mut out, &[ErrorPart::Text(format!("\n{}", backtrace_text(context, loc)))]);
    out
}

fn push_message(out: &mut String, message: &[ErrorPart]) {
    for part in message {
        match part {
            ErrorPart::Text(words) => literal::push_escaped(out, &words.replace('%', "%%")),
            ErrorPart::Value(_, t) => out.push_str(value_format(*t)),
        }
    }
}

/// The place that an error comes from, and the calls that led there.
fn backtrace_text(context: &Context, loc: &Loc) -> String {
    let mut out = String::from("\nBacktrace:\n");
    for (i, place) in (context.backtrace)(loc).iter().enumerate() {
        let arrow = if i == 0 { "->" } else { "  " };
        out.push_str(&format!("{arrow} {:<3} {place}\n", format!("#{i}")));
    }
    out
}

/// The C type of a pointer to a block's elements.
pub fn pointer_type(access: Access) -> String {
    match access {
        Access::As(t) => format!("{} *", ctype::prim(t)),
        Access::Mixed => "unsigned char *".to_owned(),
    }
}

pub(crate) fn zero(t: PrimType) -> &'static str {
    match t {
        PrimType::Int(_) | PrimType::Float(_) => "0",
        PrimType::Bool | PrimType::Unit => "false",
    }
}

fn is_empty(code: &Code) -> bool {
    match code {
        Code::Seq(codes) => codes.iter().all(is_empty),
        _ => false,
    }
}

/// What makes a value what its piece of a format expects, up to the value.
fn value_wrapper(t: ScalarType) -> &'static str {
    match t {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => "(int64_t)(",
        ScalarType::U8 => "(uint64_t)(uint8_t)(",
        ScalarType::U16 => "(uint64_t)(uint16_t)(",
        ScalarType::U32 => "(uint64_t)(uint32_t)(",
        ScalarType::U64 => "(uint64_t)(",
        ScalarType::F16 => "f16_to_f64(",
        ScalarType::F32 | ScalarType::F64 => "(double)(",
        ScalarType::Bool => "show_bool(",
    }
}

/// The piece of a format that shows a value; ends and starts the literal for its macro.
fn value_format(t: ScalarType) -> &'static str {
    match t {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => "%\" PRId64 \"",
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => "%\" PRIu64 \"",
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => "%f",
        ScalarType::Bool => "%s",
    }
}
