//! What code on a CPU does alike, with or without a device beside it: memory management, calls, errors.
//!
//! A block is two C variables: `m`, the counted reference, and, where the code touches elements itself,
//! `m_p`, a pointer to its elements, which is assigned whenever `m` is and so stays in a register. All
//! references are declared at the top of the function, so that the clean-up at its end can drop them wherever
//! an error struck. References to what others own for long enough are not counted ([`Usage::borrowed`]).
//!
//! [`Usage::borrowed`]: fehu_impopt::usage::Usage::borrowed

use super::ctype;
use super::expr::Prec;
use super::message::{error_format, pieces, push_format, value_wrapper, Piece};
use super::stm::{pointer_type, zero, Dialect, StmPrinter};
use fehu_base::prim::{PrimType, ScalarType};
use fehu_base::{bug, Name};
use fehu_imp::ops::CpuOperation;
use fehu_imp::syntax::{Arg, ArrayData, ErrorPart, Expr, Loc, Param, Place, Space};
use std::sync::Arc;

/// The highest rank that the runtime copies in one call.
const MAX_COPY_RANK: usize = 32;

/// Constant data, with its name.
pub(crate) type Static = (Name, Arc<ArrayData>);

/// A dialect of code on a CPU.
pub(crate) trait HostDialect: Dialect<Op: CpuOperation> {
    /// Whether the program's global values come from the context; otherwise they are variables.
    fn reads_globals(&self) -> bool;
    /// The reference to constant data of this name.
    fn static_block(name: &str) -> String;
    /// What the code needs before it: constant data, and functions made of loops and tasks.
    fn needs(self) -> (Vec<Static>, String);
}

impl<D: HostDialect> StmPrinter<'_, D> {
    /// Another reference to a block, or a copy of an array of the function's own.
    pub(crate) fn share(&mut self, to: Name, from: Name, space: &Space) {
        let (a, b) = (self.context().name(to), self.context().name(from));
        match space {
            Space::Scalar(..) => self.line(&format!("memcpy({a}_p, {b}_p, sizeof {a}_p);")),
            Space::Default | Space::Shared => {
                let borrowed = self.usage.borrowed.contains(&to);
                let block = if borrowed { b.to_owned() } else { format!("block_share(ctx, {a}, {b})") };
                self.line(&format!("{a} = {block};"));
                self.refresh_pointer(to);
            }
        }
    }

    /// Fresh memory.
    pub(crate) fn allocate(&mut self, mem: Name, bytes: &Expr, loc: &Loc) {
        let name = self.context().name(mem);
        self.start();
        self.push(&format!("ALLOCATE({name}, "));
        self.size(bytes);
        self.push(&format!(", {});\n", self.context().place(loc)));
        self.refresh_pointer(mem);
    }

    /// Drops a reference, if it is counted.
    pub(crate) fn drop_reference(&mut self, mem: Name) {
        if self.usage.borrowed.contains(&mem) {
            return;
        }
        let name = self.context().name(mem);
        self.line(&format!("{name} = block_drop(ctx, {name});"));
    }

    /// Makes the pointer of a block follow the block.
    pub(crate) fn refresh_pointer(&mut self, mem: Name) {
        let Some(access) = self.usage.access.get(&mem) else { return };
        let name = self.context().name(mem);
        self.line(&format!("{name}_p = ({})block_data({name});", pointer_type(*access)));
    }

    /// Leaves the function if an operation has failed.
    pub(crate) fn check(&mut self) {
        self.line("LEAVE_IF_FAILED");
    }

    /// A call of a function of the host.
    pub(crate) fn call(&mut self, outs: &[Name], fun: Name, args: &[Arg]) {
        let texts = args.iter().map(|arg| match arg {
            Arg::Scalar(e) => self.exprs.inline(e, Prec::Top),
            Arg::Mem(m) => self.context().name(*m).to_owned(),
        });
        let texts = texts.collect();
        self.call_with(outs, fun, texts);
    }

    /// A call with the texts of its arguments.
    pub(crate) fn call_with(&mut self, outs: &[Name], fun: Name, args: Vec<String>) {
        self.flush_pending();
        let outputs = &self.context().function(fun).outputs;
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
        self.check();
        for (i, (x, output)) in results {
            let name = self.context().name(*x);
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

    /// A check.
    pub(crate) fn assert(&mut self, cond: &Expr, message: &[ErrorPart], loc: &Loc) {
        let cond = self.exprs.inline(cond, Prec::Primary);
        self.assert_text(&cond, message, loc);
    }

    /// A check of a condition that has been printed, to bind tightly.
    pub(crate) fn assert_text(&mut self, cond: &str, message: &[ErrorPart], loc: &Loc) {
        self.line(&format!("if (UNLIKELY(!{cond})) {{"));
        self.start();
        let (place, format) = (self.context().place(loc), error_format(pieces(message)));
        self.push(&format!("  err = fail_at(ctx, {place}, \"{format}\""));
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
    pub(crate) fn trace(&mut self, loc: Option<&Loc>, message: &[ErrorPart]) {
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
        if let Some(place) = loc.and_then(|loc| (self.context().backtrace)(loc).into_iter().next()) {
            push_format(&mut format, [Piece::Text(&format!("{place}: "))].into_iter());
        }
        push_format(&mut format, pieces(message));
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

    /// A copy within the host's memory.
    pub(crate) fn copy(&mut self, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place) {
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
                self.push(&format!("copy_row{width}(ctx, "));
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
                self.push(&format!("copy_array{}(ctx, {}, ", elem.bytes(), shape.len()));
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
    fn compound(&mut self, exprs: &[Expr]) {
        self.push("(const int64_t[]){");
        for (i, e) in exprs.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.exprs.top(e);
        }
        self.push("}");
    }

    /// The value of a tuning parameter.
    pub(crate) fn get_size(&mut self, x: Name, index: usize) {
        if self.usage.needed.contains(&x) {
            self.assign(x, PrimType::I64, &format!("param_value(ctx, {index})"));
        }
    }

    /// A comparison with a threshold, of which the program keeps a log.
    pub(crate) fn compare_threshold(&mut self, x: Name, index: usize, value: &Expr) {
        if self.usage.needed.contains(&x) {
            let declared = self.pending.shift_remove(&x);
            self.start();
            self.push(if declared.is_some() { "bool " } else { "" });
            self.exprs.name(x);
            self.push(&format!(" = compare_threshold(ctx, {index}, "));
            self.exprs.top(value);
            self.push(");\n");
        }
    }
}
