//! Imperative programs as text. [`crate::read`] reads it back: printing, reading and printing again gives the
//! same text.
//!
//! ```text
//! imp
//!
//! fun main_1(n_2 : i64, xs_3 : mem) -> (out_4 : mem) {
//!   ys_5 : mem
//!   ys_5 = allocate n_2 * 4
//!   for i_6 : i64 < n_2 {
//!     x_7 : f32 = xs_3.f32[i_6]
//!     ys_5.f32[i_6] <- x_7 * x_7 + 1.0f32
//!   }
//!   out_4 = mem ys_5
//! }
//! ```
//!
//! Everything is in the text but source locations, and sequences in sequences, which mean nothing. Operators
//! are at the type of their left operand, and accesses in the space of their block, where those are declared
//! before; where they are not, the text says so: `x_1 +i32 y_2`, `m_3@(shared).i32[0]`. Names are as in the
//! core IR.

mod code;
mod expr;

pub(crate) use code::{direction_word, PrintOp};
pub(crate) use expr::gpu_index;

use crate::declared::Declared;
use crate::syntax::{
    Check, CheckPart, Code, Entry, EntryValue, Function, Kernel, Param, Program, Qualifier, Space,
    TuningParam,
};
use fehu_base::{Name, NameSource};
use fehu_ir::print::{Locations, Printer};

/// A whole program.
pub fn print_program(program: &Program) -> String {
    let mut t = Text::new(&program.names, Declared::default());
    t.program(program);
    t.p.text()
}

/// The first line of a statement, for messages.
pub(crate) fn first_line<O: PrintOp>(names: &NameSource, declared: &Declared, code: &Code<O>) -> String {
    let mut t = Text::new(names, declared.clone());
    t.statement(code);
    let text = t.p.text();
    text.lines().next().unwrap_or_default().to_owned()
}

/// A text, and what is declared in it so far.
pub(crate) struct Text<'a> {
    p: Printer<'a>,
    declared: Declared,
}

impl<'a> Text<'a> {
    fn new(names: &'a NameSource, declared: Declared) -> Text<'a> {
        Text { p: Printer::new(names, Locations::Hidden), declared }
    }

    /// Things with commas between them.
    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut f: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.p.put(", ");
            }
            f(self, item);
        }
    }

    fn program(&mut self, program: &Program) {
        self.p.put("imp\n");
        self.p.opaques(&program.opaques);
        self.section(&program.params, Self::tuning_param);
        self.section(&program.checks, Self::check);
        self.section(&program.globals, |t, p| {
            t.p.put("global ");
            t.param(p);
        });
        if !program.init.is_empty() {
            self.p.put("\ninit ");
            self.scope(&program.init);
            self.p.put("\n");
        }
        for f in &program.functions {
            self.p.put("\n");
            self.function(f);
            self.p.put("\n");
        }
        for f in &program.device_functions {
            self.p.put("\ndevice fun ");
            self.signature(f.name, &f.inputs, &f.outputs);
            self.scope(&f.body);
            self.p.put("\n");
        }
        for k in &program.kernels {
            self.p.put("\n");
            self.kernel(k);
            self.p.put("\n");
        }
    }

    /// Declarations, one a line.
    fn section<T>(&mut self, items: &[T], f: impl Fn(&mut Self, &T)) {
        if !items.is_empty() {
            self.p.put("\n");
        }
        for item in items {
            f(self, item);
            self.p.put("\n");
        }
    }

    fn tuning_param(&mut self, param: &TuningParam) {
        self.p.put("param ");
        self.p.symbol(param.name);
        self.p.put(format_args!(" class {:?}", param.class));
        if let Some(default) = param.default {
            self.p.put(format_args!(" default {default}"));
        }
        if let Some(bytes) = param.thread_bytes {
            self.p.put(format_args!(" thread_bytes {bytes}"));
        }
    }

    fn check(&mut self, check: &Check) {
        self.p.put("check (");
        self.list(&check.message, |t, part| match part {
            CheckPart::Text(text) => t.p.put(format_args!("{text:?}")),
            CheckPart::Value(ty) => t.p.put(ty),
        });
        self.p.put(")");
    }

    fn function(&mut self, f: &Function) {
        if let Some(entry) = &f.entry {
            self.entry(entry);
        }
        self.p.put("fun ");
        self.signature(f.name, &f.inputs, &f.outputs);
        self.scope(&f.body);
    }

    /// The head of a function, up to its body.
    fn signature(&mut self, name: Name, inputs: &[Param], outputs: &[Param]) {
        self.p.name(name);
        self.params(inputs);
        self.p.put(" -> ");
        self.params(outputs);
        self.p.put(" ");
    }

    /// The face of an entry point, and the variables that its values are in.
    fn entry(&mut self, entry: &Entry) {
        self.p.entry(&entry.face);
        self.p.put("\n  takes (");
        self.list(&entry.params, |t, values| t.entry_values(values));
        self.p.put(")\n  gives ");
        self.entry_values(&entry.result);
        if !entry.attrs.is_empty() {
            self.p.put("\n  with ");
            self.p.attrs(&entry.attrs);
        }
        self.p.put("\n");
    }

    fn entry_values(&mut self, values: &[EntryValue]) {
        self.p.put("(");
        self.list(values, |t, value| match value {
            EntryValue::Scalar { var, ty } => {
                t.p.name(*var);
                t.p.put(format_args!(" : {ty}"));
            }
            EntryValue::Array { mem, elem, shape } => {
                t.p.put("array ");
                t.p.name(*mem);
                t.p.put(" : ");
                for size in shape {
                    t.p.put("[");
                    t.expr(size);
                    t.p.put("]");
                }
                t.p.put(elem);
            }
        });
        self.p.put(")");
    }

    fn kernel(&mut self, k: &Kernel) {
        self.p.put("kernel ");
        self.p.name(k.name);
        self.p.put(" ");
        self.p.symbol(k.label);
        self.p.put(" ");
        self.params(&k.params);
        if !k.shared.is_empty() {
            self.p.put(" shared (");
            self.list(&k.shared, |t, m| {
                t.p.name(*m);
                t.declared.block(*m, &Space::Shared);
            });
            self.p.put(")");
        }
        if let Some(size) = &k.block_size {
            self.p.put(" block ");
            self.expr(size);
        }
        if let Some(threads) = k.resident {
            self.p.put(format_args!(" resident {threads}"));
        }
        for (m, qualifier) in &k.qualifiers {
            self.p.put(match qualifier {
                Qualifier::OnlyRead => " only_read ",
                Qualifier::Unaliased => " unaliased ",
            });
            self.p.name(*m);
        }
        self.p.put(" ");
        self.scope(&k.body);
    }

    fn params(&mut self, params: &[Param]) {
        self.p.put("(");
        self.list(params, Self::param);
        self.p.put(")");
    }

    /// Declares a variable.
    fn param(&mut self, param: &Param) {
        self.declared.param(param);
        match param {
            Param::Scalar(x, ty) => {
                self.p.name(*x);
                self.p.put(format_args!(" : {ty}"));
            }
            Param::Mem(m, space) => {
                self.p.name(*m);
                self.p.put(" : mem");
                if *space != Space::Default {
                    self.in_parens(space);
                }
            }
        }
    }

    fn in_parens(&mut self, space: &Space) {
        self.p.put("(");
        self.p.space(space);
        self.p.put(")");
    }

    /// A block, with its space where that is not the declared one.
    fn block(&mut self, m: Name, space: &Space) {
        self.p.name(m);
        if self.declared.space(m) != *space {
            self.p.put("@");
            self.in_parens(space);
        }
    }
}
