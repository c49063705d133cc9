//! The host's part of a program for a device: sequential C, in which blocks of
//! the default space are the device's.
//!
//! ```text
//! x = a[i] + 1;      =>   x = read_i32(ctx, &err, a, i) + 1;  if (err ...) goto cleanup;
//! a[i] = x;          =>   err = write_i32(ctx, a, i, x);      if (err ...) goto cleanup;
//! ```
//!
//! A read waits for the device; all else only tells it what to do.

use crate::c::ctype;
use crate::c::expr::Prec;
use crate::c::literal;
use crate::c::stm::StmPrinter;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Arg, Code, ErrorPart, Expr, Launch, Op, Param, Place, Space};

impl StmPrinter<'_> {
    /// Prints a statement that is special to the host of a device; false if it is not.
    pub(crate) fn driver(&mut self, code: &Code) -> bool {
        match code {
            Code::SetScalar(x, e) if self.reads(e) => {
                if self.usage.needed.contains(x) {
                    self.set_scalar(*x, e);
                    self.check();
                }
            }
            Code::Allocate { bytes, mem, space: Space::Default, loc } if self.reads(bytes) => {
                let bytes = match bytes {
                    Expr::BinOp(BinOp::Mul(IntType::I64), a, b) => {
                        let (a, b) = (self.spill(a, "int64_t"), self.spill(b, "int64_t"));
                        format!("size_mul({a}, {b})")
                    }
                    other => self.spill(other, "int64_t"),
                };
                let (name, place) = (self.exprs.context.name(*mem), self.place_text(loc));
                self.line(&format!("{name} = block_alloc(ctx, {name}, {bytes}, {place});"));
                self.line(&format!("err = {name} == NULL ? FUTHARK_OUT_OF_MEMORY : err;"));
                self.check();
            }
            Code::Write { mem, offset, elem, space, value } if self.exprs.is_on_device(*mem, space) => {
                self.device_write(*mem, offset, *elem, value);
            }
            Code::Write { .. } => {
                let reads = code_exprs(code).iter().any(|e| self.reads(e));
                if reads {
                    self.host_write(code);
                }
                return reads;
            }
            Code::Copy { elem, shape, dst, src } => return self.device_copy(*elem, shape, dst, src),
            Code::If(cond, a, b) if self.reads(cond) => {
                self.flush_pending();
                let cond = self.spill(cond, "bool");
                self.line(&format!("if ({cond}) {{"));
                self.scope(a);
                self.line("} else {");
                self.scope(b);
                self.line("}");
            }
            Code::For { var, ty, bound, body } if self.reads(bound) => {
                self.flush_pending();
                let (i, t) = (self.exprs.context.name(*var), ctype::int(*ty));
                let bound = self.spill(bound, t);
                self.line(&format!("for ({t} {i} = 0; {i} < {bound}; {i}++) {{"));
                self.scope(body);
                self.line("}");
            }
            Code::While(cond, body) if self.reads(cond) => {
                self.flush_pending();
                let cond = self.exprs.inline(cond, Prec::Top);
                self.line(&format!("while ({cond}) {{"));
                self.indent += 1;
                self.check();
                self.indent -= 1;
                self.scope(body);
                self.line("}");
                self.check();
            }
            Code::Call { .. } | Code::Assert { .. } | Code::Trace { .. } => return self.spilled(code),
            Code::Op(Op::Launch(launch)) => self.launch(launch),
            Code::Op(Op::GetSizeMax(x, class)) => {
                if self.usage.needed.contains(x) {
                    let class = literal::string(class.as_str());
                    self.assign(*x, PrimType::I64, &format!("size_max(ctx, {class})"));
                }
            }
            Code::Op(Op::CmpThreshold(x, param, e)) if self.reads(e) => {
                let value = self.spill(e, "int64_t");
                let index = self.exprs.context.param_index(*param);
                self.assign(*x, PrimType::Bool, &format!("compare_threshold(ctx, {index}, {value})"));
            }
            Code::Op(Op::Kernel(op)) => bug!("{op:?} outside of a kernel"),
            Code::Seq(_)
            | Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Allocate { .. }
            | Code::Free(..)
            | Code::SetMem(..)
            | Code::For { .. }
            | Code::While(..)
            | Code::If(..)
            | Code::Op(Op::ParFor { .. } | Op::ParChunks { .. } | Op::GetSize(..) | Op::CmpThreshold(..)) => {
                return false
            }
        }
        true
    }

    /// Assigns a text to a variable, which may have to be declared.
    pub(crate) fn assign(&mut self, x: Name, ty: PrimType, value: &str) {
        let declared = if self.pending.shift_remove(&x).is_some() { ctype::prim(ty) } else { "" };
        let space = if declared.is_empty() { "" } else { " " };
        let name = self.exprs.context.name(x);
        self.line(&format!("{declared}{space}{name} = {value};"));
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

    /// Leaves the function if an operation has failed.
    fn check(&mut self) {
        self.line("if (UNLIKELY(err != FUTHARK_SUCCESS)) {");
        self.line("  goto cleanup;");
        self.line("}");
    }

    /// The text of an expression, which is computed before if the device has part of it.
    fn spill(&mut self, e: &Expr, ty: &str) -> String {
        let text = self.exprs.inline(e, Prec::Top);
        if !self.reads(e) {
            return text;
        }
        self.temporaries += 1;
        let name = format!("read_t{}", self.temporaries);
        self.line(&format!("{ty} {name} = {text};"));
        self.check();
        name
    }

    fn device_write(&mut self, mem: Name, offset: &Expr, elem: PrimType, value: &Expr) {
        let (to, width) = (self.exprs.context.name(mem), elem.bytes());
        let at = self.spill(offset, "int64_t");
        match value {
            // From device to device: nobody waits.
            Expr::Index { mem: from, offset: from_offset, elem: from_elem, space }
                if self.exprs.is_on_device(*from, space) && from_elem.bytes() == width =>
            {
                let from_at = self.spill(from_offset, "int64_t");
                let from = self.exprs.context.name(*from);
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
    fn host_write(&mut self, code: &Code) {
        let Code::Write { mem, offset, elem, value, .. } = code else { return };
        let at = self.spill(offset, "int64_t");
        let value = self.spill(value, ctype::prim(*elem));
        self.line(&format!("{}_p[{at}] = {value};", self.exprs.context.name(*mem)));
    }

    fn device_copy(&mut self, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) -> bool {
        let to_device = self.exprs.is_on_device(dst.mem, &dst.space);
        // A static array is on both sides.
        let from_host = matches!(src.space, Space::Scalar(..));
        let function = match (to_device, from_host) {
            (true, false) => "copy_device",
            (true, true) => "copy_from_host",
            (false, false) => "copy_to_host",
            (false, true) => return false,
        };
        let sizes = self.spill_all(shape);
        let mut call = format!("{function}(ctx, {}, {}, {sizes}", elem.bytes(), shape.len());
        for (place, on_host) in [(dst, !to_device), (src, from_host)] {
            let at = self.spill(&place.offset, "int64_t");
            let strides = self.spill_all(&place.strides);
            let suffix = if on_host { "_p" } else { "" };
            call.push_str(&format!(", {}{suffix}, {at}, {strides}", self.exprs.context.name(place.mem)));
        }
        self.line(&format!("err = {call});"));
        self.check();
        true
    }

    /// An array of sizes.
    fn spill_all(&mut self, exprs: &[Expr]) -> String {
        let parts: Vec<String> = exprs.iter().map(|e| self.spill(e, "int64_t")).collect();
        if parts.is_empty() {
            return "NULL".to_owned();
        }
        format!("(const int64_t[]){{{}}}", parts.join(", "))
    }

    /// Calls and checks that use what the device has: that goes to variables first.
    fn spilled(&mut self, code: &Code) -> bool {
        match code {
            Code::Call { outs, fun, args } => {
                let reads = args.iter().any(|a| matches!(a, Arg::Scalar(e) if self.reads(e)));
                if reads {
                    let inputs = &self.exprs.context.function(*fun).inputs;
                    let texts = args
                        .iter()
                        .zip(inputs)
                        .map(|(arg, input)| match (arg, input) {
                            (Arg::Scalar(e), Param::Scalar(_, t)) => self.spill(e, ctype::prim(*t)),
                            (Arg::Mem(m), _) => self.exprs.context.name(*m).to_owned(),
                            (Arg::Scalar(_), Param::Mem(..)) => bug!("a scalar is passed for a block"),
                        })
                        .collect();
                    self.call_with(outs, *fun, texts);
                }
                reads
            }
            Code::Trace { loc, message } => {
                let reads = message.iter().any(|p| matches!(p, ErrorPart::Value(e, _) if self.reads(e)));
                if reads {
                    self.line("{");
                    let mut texts = vec![];
                    for part in message {
                        if let ErrorPart::Value(e, t) = part {
                            texts.push(self.spill(e, ctype::prim(t.prim())));
                        }
                    }
                    self.trace_texts(loc.as_ref(), message, texts);
                    self.line("}");
                }
                reads
            }
            Code::Assert { cond, message, loc } => {
                let reads = self.reads(cond);
                if reads {
                    let cond = self.spill(cond, "bool");
                    self.assert_text(&cond, message, loc);
                }
                reads
            }
            _ => false,
        }
    }

    fn launch(&mut self, launch: &Launch) {
        let context = self.exprs.context;
        let index = context.kernel_index(launch.kernel);
        let kernel = &context.program.kernels[index];
        self.note_apart(launch, kernel);
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
        let count = args.len();
        args.push("{NULL, 0}".to_owned());
        self.line(&format!("const struct kernel_arg args[] = {{{}}};", args.join(", ")));
        self.line(&format!("err = launch_kernel(ctx, {index}, {grid}, {block}, shared, args, {count});"));
        self.check();
        self.indent -= 1;
        self.line("}");
    }
}

fn code_exprs(code: &Code) -> Vec<&Expr> {
    match code {
        Code::Write { offset, value, .. } => vec![offset, value],
        _ => vec![],
    }
}
