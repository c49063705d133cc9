//! The text of entry points, opaque types and attributes.

use super::atoms::is_word;
use super::Printer;
use crate::syntax::*;
use fehu_base::prim::ScalarType;
use fehu_base::Symbol;

impl Printer<'_> {
    /// Attributes of a statement or a function.
    pub fn attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            self.put("#[");
            self.attr(attr);
            self.put("] ");
        }
    }

    fn attr(&mut self, attr: &Attr) {
        match attr {
            Attr::Atom(s) => self.symbol(*s),
            Attr::Int(v) => self.put(v),
            Attr::Comp(s, parts) => {
                self.symbol(*s);
                self.put("(");
                self.list(parts, |p, part| p.attr(part));
                self.put(")");
            }
        }
    }

    /// A word as it is, anything else as a string.
    pub fn symbol(&mut self, s: Symbol) {
        let text = s.as_str();
        if is_word(text) {
            self.put(text);
        } else {
            self.put(format_args!("{text:?}"));
        }
    }

    /// The face of an entry point.
    pub fn entry(&mut self, entry: &EntryPoint) {
        if let Some(doc) = &entry.doc {
            self.put(format_args!("doc {doc:?}\n"));
        }
        self.put("entry ");
        self.symbol(entry.name);
        self.put(format_args!(" sizes {} {} (", entry.size_params, entry.size_results));
        self.list(&entry.params, |p, param| {
            if param.unique {
                p.put("*");
            }
            if let Some(name) = param.name {
                p.symbol(name);
                p.put(" : ");
            }
            p.entry_type(&param.ty);
        });
        self.put(") : ");
        if entry.result.unique {
            self.put("*");
        }
        self.entry_type(&entry.result.ty);
    }

    fn entry_type(&mut self, ty: &EntryType) {
        match ty {
            EntryType::Transparent(t, rank) => self.ranked(*t, *rank),
            EntryType::Opaque(name) => self.put(format_args!("opaque({name:?})")),
        }
    }

    fn ranked(&mut self, t: ScalarType, rank: usize) {
        for _ in 0..rank {
            self.put("[]");
        }
        self.put(t);
    }

    fn values(&mut self, values: &[(ScalarType, usize)]) {
        self.put("(");
        self.list(values, |p, (t, rank)| p.ranked(*t, *rank));
        self.put(")");
    }

    fn fields(&mut self, fields: &[(Symbol, EntryType)]) {
        self.put("{");
        self.list(fields, |p, (name, t)| {
            p.symbol(*name);
            p.put(" : ");
            p.entry_type(t);
        });
        self.put("}");
    }

    /// Declarations of opaque types.
    pub fn opaques(&mut self, opaques: &OpaqueTypes) {
        for (name, ty) in &opaques.types {
            self.put(format_args!("\nopaque {name:?} = "));
            self.opaque(ty);
            self.put("\n");
        }
    }

    fn opaque(&mut self, ty: &OpaqueType) {
        match ty {
            OpaqueType::Plain(values) => {
                self.put("plain ");
                self.values(values);
            }
            OpaqueType::Record(fields) => {
                self.put("record ");
                self.fields(fields);
            }
            OpaqueType::Sum { values, variants, sizes } => {
                self.put("sum ");
                self.values(values);
                self.put(" {");
                self.list(variants, |p, (name, payload)| {
                    p.symbol(*name);
                    p.put("(");
                    p.list(payload, |p, (t, slots)| {
                        p.entry_type(t);
                        p.put(" ");
                        p.perm(slots);
                    });
                    p.put(")");
                });
                self.put("}");
                if !sizes.is_empty() {
                    self.put(" sizes {");
                    self.list(sizes, |p, (value, dim, size)| match size {
                        SumSize::Constant(n) => p.put(format_args!("{value} {dim} {n}")),
                        SumSize::Same(other, at) => p.put(format_args!("{value} {dim} as {other} {at}")),
                    });
                    self.put("}");
                }
            }
            OpaqueType::Array { elem, rank, values } => {
                self.put("array ");
                self.entry_type(elem);
                self.put(format_args!(" rank {rank} "));
                self.values(values);
            }
            OpaqueType::RecordArray { elem, rank, fields } => {
                self.put("record_array ");
                self.entry_type(elem);
                self.put(format_args!(" rank {rank} "));
                self.fields(fields);
            }
        }
    }
}
