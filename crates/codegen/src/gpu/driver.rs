//! The host's part of a program for a device: sequential C, in which blocks of
//! the default space are the device's.
//!
//! ```text
//! x = a[i] + 1;      =>   x = read_i32(ctx, &err, a, i) + 1;  LEAVE_IF_FAILED
//! a[i] = x;          =>   err = write_i32(ctx, a, i, x);      LEAVE_IF_FAILED
//! ```
//!
//! A read waits for the device; all else only tells it what to do.

use crate::c::ctype;
use crate::c::expr::{Prec, Spelling};
use crate::c::fun::{bind_static, declare_block, ReadsGlobals, Statics};
use crate::c::host::{HostDialect, Static};
use crate::c::literal;
use crate::c::stm::{Dialect, StmPrinter};
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{
    Ahead, Arg, Code, CpuOp, ErrorPart, Expr, HostOp, Launch, Loc, Outlined, Param, Place, Space, Way,
};

/// Code of the host beside a device.
pub(super) struct Driver {
    globals: ReadsGlobals,
    /// Variables of the text's own so far.
    temporaries: usize,
    /// Functions made of parts.
    functions: String,
}

impl Driver {
    pub(super) fn new(globals: ReadsGlobals) -> Driver {
        Driver { globals, temporaries: 0, functions: String::new() }
    }
}

impl Spelling for Driver {
    fn is_elsewhere(&self, space: &Space) -> bool {
        matches!(space, Space::Default)
    }
}

impl HostDialect for Driver {
    fn reads_globals(&self) -> bool {
        self.globals == ReadsGlobals::Yes
    }
    fn static_block(name: &str) -> String {
        format!("ctx->device.statics[{name}_static]")
    }
    fn needs(self) -> (Vec<Static>, String) {
        (vec![], self.functions)
    }
}

impl Statics for Driver {
    fn declaration(_: &str, _: u64) -> String {
        String::new()
    }
    fn table(all: &[(String, u64)]) -> String {
        let numbers: String = all.iter().map(|(name, _)| format!("{name}_static, ")).collect();
        let rows: String = all.iter().map(|(name, bytes)| format!("{{{name}_data, {bytes}}}, ")).collect();
        format!(
            "enum {{ {numbers}NUM_STATICS }};\n\
             static const struct static_data static_table[] = {{{rows}{{NULL, 0}}}};\n"
        )
    }
    const CREATE: &'static str = "  int found = statics_create(ctx, static_table, NUM_STATICS);\n  \
        if (found != FUTHARK_SUCCESS) {\n    return found;\n  }\n";
    const DESTROY: &'static str = "  statics_destroy(ctx);\n";
}

impl Dialect for Driver {
    type Op = HostOp;

    fn declare_block(p: &mut StmPrinter<Self>, m: Name, _: &Space) {
        p.ends_here(m);
    }
    fn set_block(p: &mut StmPrinter<Self>, to: Name, from: Name, space: &Space) {
        p.share(to, from, space);
    }
    fn drop_block(p: &mut StmPrinter<Self>, m: Name) {
        p.drop_reference(m);
    }
    fn copy(p: &mut StmPrinter<Self>, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) {
        p.device_copy(elem, shape, dst, src);
    }
    fn call(p: &mut StmPrinter<Self>, outs: &[Name], fun: Name, args: &[Arg]) {
        p.call_of_device_values(outs, fun, args);
    }
    fn assert(p: &mut StmPrinter<Self>, cond: &Expr, message: &[ErrorPart], loc: &Loc) {
        if p.reads(cond) {
            let cond = p.spill(cond, "bool");
            p.assert_text(&cond, message, loc);
        } else {
            p.assert(cond, message, loc);
        }
    }
    fn op(p: &mut StmPrinter<Self>, op: &HostOp) {
        match op {
            HostOp::Cpu(op) => p.beside_device(op),
            HostOp::Own(launch) => p.launch(launch),
        }
    }

    /// What reads the device's memory has to look for errors.
    fn special(p: &mut StmPrinter<Self>, code: &Code<HostOp>) -> bool {
        match code {
            Code::SetScalar(x, e) if p.reads(e) => {
                if p.usage.needed.contains(x) {
                    p.set_scalar(*x, e);
                    p.check();
                }
            }
            Code::Write { mem, offset, elem, space, value } if p.exprs.is_on_device(*mem, space) => {
                p.device_write(*mem, offset, *elem, value);
            }
            Code::Write { mem, offset, elem, space: _, value } if p.reads(offset) || p.reads(value) => {
                p.host_write(*mem, offset, *elem, value);
            }
            Code::If(cond, a, b) if p.reads(cond) => {
                p.flush_pending();
                let cond = p.spill(cond, "bool");
                p.line(&format!("if ({cond}) {{"));
                p.scope(a);
                p.line("} else {");
                p.scope(b);
                p.line("}");
            }
            Code::For { var, ty, bound, order: _, body } if p.reads(bound) => {
                p.flush_pending();
                let (i, t) = (p.context().name(*var), ctype::int(*ty));
                let bound = p.spill(bound, t);
                p.line(&format!("for ({t} {i} = 0; {i} < {bound}; {i}++) {{"));
                p.scope(body);
                p.line("}");
            }
            Code::While(cond, body) if p.reads(cond) => {
                p.flush_pending();
                let cond = p.exprs.inline(cond, Prec::Top);
                p.line(&format!("while ({cond}) {{"));
                p.indent += 1;
                p.check();
                p.indent -= 1;
                p.scope(body);
                p.line("}");
                p.check();
            }
            Code::Seq(_)
            | Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::For { .. }
            | Code::While(..)
            | Code::If(..)
            | Code::Call { .. }
            | Code::Assert { .. }
            | Code::Op(_) => return false,
        }
        true
    }
}

impl StmPrinter<'_, Driver> {
    fn beside_device(&mut self, op: &CpuOp<HostOp>) {
        match op {
            CpuOp::Allocate { space: Space::Scalar(..), .. } | CpuOp::Free(_, Space::Scalar(..)) => {}
            CpuOp::Allocate { bytes, mem, space: Space::Default, loc } if self.reads(bytes) => {
                let bytes = if let Expr::BinOp(BinOp::Mul(IntType::I64), a, b) = bytes {
                    let (a, b) = (self.spill(a, "int64_t"), self.spill(b, "int64_t"));
                    format!("size_mul({a}, {b})")
                } else {
                    self.spill(bytes, "int64_t")
                };
                let (name, place) = (self.context().name(*mem), self.context().place(loc));
                self.line(&format!("ALLOCATE({name}, {bytes}, {place});"));
            }
            CpuOp::Allocate { mem, bytes, space: _, loc } => self.allocate(*mem, bytes, loc),
            CpuOp::Free(m, _) => self.drop_reference(*m),
            CpuOp::Trace { loc, message } => self.trace_of_device_values(loc.as_ref(), message),
            CpuOp::GetSize(x, param) => self.get_size(*x, self.context().param_index(*param)),
            CpuOp::GetSizeMax(x, class) => {
                if self.usage.needed.contains(x) {
                    let class = literal::string(class.as_str());
                    self.assign(*x, PrimType::I64, &format!("size_max(ctx, {class})"));
                }
            }
            CpuOp::CmpThreshold(x, param, e) => {
                let index = self.context().param_index(*param);
                if self.reads(e) {
                    let value = self.spill(e, "int64_t");
                    self.assign(*x, PrimType::Bool, &format!("compare_threshold(ctx, {index}, {value})"));
                } else {
                    self.compare_threshold(*x, index, e);
                }
            }
            CpuOp::ParFor { start, .. } | CpuOp::ParChunks { start, .. } => {
                bug!("a task beside a device, at {}", self.context().name(*start))
            }
            CpuOp::Outlined(part) => self.part(part),
        }
    }

    fn reads(&self, e: &Expr) -> bool {
        let mut found = false;
        for_each_part(e, &mut |part| {
            if let Expr::Index { mem, space, .. } = part {
                found |= self.exprs.is_on_device(*mem, space);
            }
        });
        found
    }

    /// The text of an expression, which is computed before if the device has part of it.
    fn spill(&mut self, e: &Expr, ty: &str) -> String {
        let text = self.exprs.inline(e, Prec::Top);
        if !self.reads(e) {
            return text;
        }
        self.dialect().temporaries += 1;
        let name = format!("read_t{}", self.exprs.dialect.temporaries);
        self.line(&format!("{ty} {name} = {text};"));
        self.check();
        name
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn device_write(&mut self, mem: Name, offset: &Expr, elem: PrimType, value: &Expr) {
        let (to, width) = (self.context().name(mem), elem.bytes());
        let at = self.spill(offset, "int64_t");
        match value {
            // From device to device: nobody waits.
            Expr::Index { mem: from, offset: from_offset, elem: from_elem, space }
                if self.exprs.is_on_device(*from, space) && from_elem.bytes() == width =>
            {
                let from_at = self.spill(from_offset, "int64_t");
                let from = self.context().name(*from);
                self.line(&format!(
                    "err = block_copy(ctx, {to}, ({at}) * {width}, {from}, ({from_at}) * {width}, {width});"
                ));
            }
            _ => {
                let value = self.spill(value, ctype::prim(elem));
                self.line(&format!("err = write_{}(ctx, {to}, {at}, {value});", ctype::runtime(elem)));
            }
        }
        self.check();
    }

    /// A write to an array of the host, of something that the device has.
    fn host_write(&mut self, mem: Name, offset: &Expr, elem: PrimType, value: &Expr) {
        let at = self.spill(offset, "int64_t");
        let value = self.spill(value, ctype::prim(elem));
        self.line(&format!("{}_p[{at}] = {value};", self.context().name(mem)));
    }

    fn device_copy(&mut self, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) {
        let to_device = self.exprs.is_on_device(dst.mem, &dst.space);
        // A static array is on both sides.
        let from_host = matches!(src.space, Space::Scalar(..));
        let function = match (to_device, from_host) {
            (true, false) => "copy_device",
            (true, true) => "copy_from_host",
            (false, false) => "copy_to_host",
            (false, true) => return self.copy(elem, shape, dst, src),
        };
        let sizes = self.spill_all(shape);
        let mut call = format!("{function}(ctx, {}, {}, {sizes}", elem.bytes(), shape.len());
        for (place, on_host) in [(dst, !to_device), (src, from_host)] {
            let at = self.spill(&place.offset, "int64_t");
            let strides = self.spill_all(&place.strides);
            let suffix = if on_host { "_p" } else { "" };
            call.push_str(&format!(", {}{suffix}, {at}, {strides}", self.context().name(place.mem)));
        }
        self.line(&format!("err = {call});"));
        self.check();
    }

    /// An array of sizes.
    fn spill_all(&mut self, exprs: &[Expr]) -> String {
        let parts: Vec<String> = exprs.iter().map(|e| self.spill(e, "int64_t")).collect();
        if parts.is_empty() {
            return "NULL".to_owned();
        }
        format!("(const int64_t[]){{{}}}", parts.join(", "))
    }

    /// A call; what the device has goes to variables first.
    fn call_of_device_values(&mut self, outs: &[Name], fun: Name, args: &[Arg]) {
        if !args.iter().any(|a| matches!(a, Arg::Scalar(e) if self.reads(e))) {
            return self.call(outs, fun, args);
        }
        let inputs = &self.context().function(fun).inputs;
        let texts = args
            .iter()
            .zip(inputs)
            .map(|(arg, input)| match (arg, input) {
                (Arg::Scalar(e), Param::Scalar(_, t)) => self.spill(e, ctype::prim(*t)),
                (Arg::Mem(m), _) => self.context().name(*m).to_owned(),
                (Arg::Scalar(_), Param::Mem(..)) => bug!("a scalar is passed for a block"),
            })
            .collect();
        self.call_with(outs, fun, texts);
    }

    /// Values are printed; what the device has goes to variables first.
    fn trace_of_device_values(&mut self, loc: Option<&Loc>, message: &[ErrorPart]) {
        if !message.iter().any(|p| matches!(p, ErrorPart::Value(e, _) if self.reads(e))) {
            return self.trace(loc, message);
        }
        self.line("{");
        let mut texts = vec![];
        for part in message {
            if let ErrorPart::Value(e, t) = part {
                texts.push(self.spill(e, ctype::prim(t.prim())));
            }
        }
        self.trace_texts(loc, message, texts);
        self.line("}");
    }

    /// A part as a function, and the call of it. Variables that it gives another value, it is given itself.
    fn part(&mut self, part: &Outlined<HostOp>) {
        self.flush_pending();
        let Outlined { var, inputs, updated, blocks, code, can_fail: _, vectors: _ } = part;
        let (context, usage) = (self.context(), self.usage);
        let mut p = StmPrinter::new(context, usage, Driver::new(self.exprs.dialect.globals));
        let own: Vec<Name> = usage.parts[var].iter().map(|(m, _)| *m).collect();
        let mut params = vec!["struct futhark_context *ctx".to_owned()];
        let mut args = vec!["ctx".to_owned()];
        let mut ends: Vec<String> =
            own.iter().map(|m| format!("block_drop(ctx, {});", context.name(*m))).collect();
        p.line("int err = FUTHARK_SUCCESS;");
        let is_static = |m: Name| usage.statics.iter().any(|(s, _)| *s == m);
        let scalars = inputs.iter().map(|x| (x, false)).chain(updated.iter().map(|x| (x, true)));
        let scalars = scalars.map(|(x, changed)| {
            let ty = usage.types.get(x).copied().unwrap_or_else(|| context.global_type(*x));
            (*x, format!("{} ", ctype::prim(ty)), changed)
        });
        let given = blocks.iter().filter(|b| !is_static(b.mem));
        let given = given.map(|b| (b.mem, "struct block *".to_owned(), b.written));
        for (x, ty, changed) in scalars.chain(given) {
            let name = context.name(x);
            if changed {
                params.push(format!("{ty}*{name}_io"));
                args.push(format!("&{name}"));
                p.line(&format!("{ty}{name} = *{name}_io;"));
                ends.push(format!("*{name}_io = {name};"));
            } else {
                params.push(format!("{ty}{name}"));
                args.push(name.to_owned());
            }
        }
        blocks.iter().filter(|b| is_static(b.mem)).for_each(|b| bind_static(&mut p, b.mem));
        own.iter().for_each(|m| declare_block(&mut p, *m));
        p.code(code);
        p.flush_pending();
        p.exprs.out.push_str("cleanup: UNUSED;\n");
        ends.iter().for_each(|end| p.line(end));
        p.line("return err;");
        let name = context.name(*var);
        let Driver { functions, .. } = p.exprs.dialect;
        let text =
            format!("{functions}\nCALLED_FUN int {name}({}) {{\n{}}}\n", params.join(", "), p.exprs.out);
        self.dialect().functions.push_str(&text);
        self.line(&format!("err = {name}({});", args.join(", ")));
        self.check();
    }

    fn launch(&mut self, launch: &Launch) {
        let context = self.context();
        let index = context.kernel_index(launch.kernel);
        let kernel = &context.program.kernels[index];
        self.flush_pending();
        self.line("{");
        self.indent += 1;
        let grid = self.spill(&launch.grid, "int64_t");
        let block = self.spill(&launch.block, "int64_t");
        self.line("int64_t shared = 0;");
        let mut args = Vec::new();
        for (i, bytes) in launch.shared.iter().enumerate() {
            let bytes = self.spill(bytes, "int64_t");
            self.line(&format!("int32_t shared{i} = shared_place(&shared, {bytes});"));
            args.push(format!("{{&shared{i}, sizeof shared{i}}}"));
        }
        for (i, (arg, param)) in launch.args.iter().zip(&kernel.params).enumerate() {
            match (arg, param) {
                (Arg::Scalar(e), Param::Scalar(_, t)) => {
                    let value = self.spill(e, ctype::prim(*t));
                    self.line(&format!("{} arg{i} = {value};", ctype::prim(*t)));
                    args.push(format!("{{&arg{i}, sizeof arg{i}}}"));
                }
                (Arg::Mem(m), Param::Mem(..)) => args.push(format!("{{{}, 0}}", context.name(*m))),
                (Arg::Scalar(_), Param::Mem(..)) | (Arg::Mem(_), Param::Scalar(..)) => {
                    bug!("an argument of {} does not fit its parameter", context.name(launch.kernel))
                }
            }
        }
        if let Some(Ahead { block, way: Way::Written }) = launch.ahead {
            self.line(&format!("block_to_host(ctx, {});", context.name(block)));
        }
        let count = args.len();
        args.push("{NULL, 0}".to_owned());
        self.line(&format!("const struct kernel_arg args[] = {{{}}};", args.join(", ")));
        self.line(&format!("err = launch_kernel(ctx, {index}, {grid}, {block}, shared, args, {count});"));
        self.check();
        if let Some(ahead) = launch.ahead {
            self.line(&format!("err = read_ahead(ctx, {});", context.name(ahead.block)));
            self.check();
        }
        self.indent -= 1;
        self.line("}");
    }
}
