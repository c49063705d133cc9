//! What the texts of all representations, and of the imperative IR, have in common: lines, lists, names, constants and
//! memory spaces.

use super::{Locations, Printer};
use crate::syntax::Space;
use fehu_base::prim::PrimValue;
use fehu_base::{Name, NameSource};
use std::fmt::{Display, Write};

impl<'a> Printer<'a> {
    /// A printer of nothing yet.
    pub fn new(names: &'a NameSource, locations: Locations) -> Printer<'a> {
        Printer { names, locations, out: String::new(), indent: 0 }
    }

    /// Writes something as it is.
    pub fn put(&mut self, text: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{text}");
    }

    /// Begins a line, as far to the right as this is nested.
    pub fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// Things with commas between them.
    pub fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut f: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            f(self, item);
        }
    }

    /// A name with its number.
    pub fn name(&mut self, name: Name) {
        self.put(name_text(self.names, name));
    }

    /// A constant; the bits of a NaN that is not the usual one.
    pub fn value(&mut self, v: PrimValue) {
        match v {
            PrimValue::F16(x) if x.is_nan() && x.to_bits() != NAN16 => {
                self.put(format_args!("bits({}f16)", x.to_bits()));
            }
            PrimValue::F32(x) if x.is_nan() && x.to_bits() != NAN32 => {
                self.put(format_args!("bits({}f32)", x.to_bits()));
            }
            PrimValue::F64(x) if x.is_nan() && x.to_bits() != NAN64 => {
                self.put(format_args!("bits({}f64)", x.to_bits()));
            }
            PrimValue::I8(_)
            | PrimValue::I16(_)
            | PrimValue::I32(_)
            | PrimValue::I64(_)
            | PrimValue::F16(_)
            | PrimValue::F32(_)
            | PrimValue::F64(_)
            | PrimValue::Bool(_)
            | PrimValue::Unit => self.put(v),
        }
    }

    /// A memory space.
    pub fn space(&mut self, space: &Space) {
        match space {
            Space::Default => self.put("default"),
            Space::Shared => self.put("shared"),
            Space::Scalar(p, shape) => {
                self.put("scalar ");
                for n in shape {
                    self.put(format_args!("[{n}]"));
                }
                self.put(p);
            }
        }
    }

    /// Begins a block in braces.
    pub fn open(&mut self) {
        self.put("{");
        self.indent += 1;
    }

    /// Ends a block in braces.
    pub fn close(&mut self) {
        self.indent -= 1;
        self.line();
        self.put("}");
    }

    /// What was written.
    pub fn text(self) -> String {
        self.out
    }
}

/// A name as printers of IR write it.
pub(super) fn name_text(names: &NameSource, name: Name) -> String {
    let base = names.base(name).as_str();
    if is_word(base) {
        names.show(name)
    } else {
        let base = base.escape_debug().to_string().replace('`', "\\u{60}");
        format!("`{base}`_{}", name.0)
    }
}

/// The bits of the NaNs that print as such.
pub(crate) const NAN16: u16 = 0x7e00;
pub(crate) const NAN32: u32 = 0x7fc0_0000;
pub(crate) const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// Whether the text is a word as the reader's lexer sees it.
pub(super) fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '\'')
}
