//! The outline of a file, from its tree: also of a file with errors.

use super::Answer;
use crate::server::{Document, State};
use fehu_base::{FileId, Span};
use fehu_syntax::ast::{Dec, Ident, ModExp, ModTypeExp, Spec};
use serde_json::{json, Value};

/// Kinds of symbols that the protocol fixes.
const MODULE: u32 = 2;
const CLASS: u32 = 5;
const INTERFACE: u32 = 11;
const FUNCTION: u32 = 12;
const CONSTANT: u32 = 14;

struct Outline<'a> {
    state: &'a State,
    document: &'a Document,
}

pub(super) fn symbols(state: &State, document: &Document, _: &Value) -> Answer {
    let parsed = fehu_syntax::parse(FileId(0), &document.text.text);
    Ok(Value::Array(Outline { state, document }.decs(&parsed.prog.decs)))
}

/// Declarations of several lines can be folded.
pub(super) fn folds(state: &State, document: &Document, params: &Value) -> Answer {
    fn collect(symbols: &Value, out: &mut Vec<Value>) {
        for symbol in symbols.as_array().into_iter().flatten() {
            let (start, end) = (&symbol["range"]["start"]["line"], &symbol["range"]["end"]["line"]);
            if start != end {
                out.push(json!({"startLine": start, "endLine": end}));
            }
            collect(&symbol["children"], out);
        }
    }
    let mut out = vec![];
    collect(&symbols(state, document, params)?, &mut out);
    Ok(Value::Array(out))
}

impl Outline<'_> {
    fn symbol(&self, name: Ident, kind: u32, span: Span, children: Vec<Value>) -> Value {
        let range = |s: Span| self.document.text.range(s.lo as usize, s.hi as usize, self.state.encoding);
        // The name must be inside; an operator between its operands is.
        let span = span.to(name.span);
        json!({
            "name": name.name.as_str(), "kind": kind, "range": range(span),
            "selectionRange": range(name.span), "children": children,
        })
    }

    fn decs(&self, decs: &[Dec]) -> Vec<Value> {
        decs.iter().flat_map(|d| self.dec(d)).collect()
    }

    fn dec(&self, dec: &Dec) -> Vec<Value> {
        match dec {
            Dec::Val(b) => {
                let kind = if b.params.is_empty() { CONSTANT } else { FUNCTION };
                vec![self.symbol(b.name, kind, b.span, vec![])]
            }
            Dec::Type(b) => vec![self.symbol(b.name, CLASS, b.span, vec![])],
            Dec::Mod(b) => vec![self.symbol(b.name, MODULE, b.span, self.module(&b.body))],
            Dec::ModType(b) => vec![self.symbol(b.name, INTERFACE, b.span, self.mod_type(&b.def))],
            Dec::Open(m, _) => self.module(m),
            Dec::Local(d, _) => self.dec(d),
            Dec::Import(..) => vec![],
        }
    }

    fn module(&self, m: &ModExp) -> Vec<Value> {
        match m {
            ModExp::Decs(decs, _) => self.decs(decs),
            ModExp::Parens(m, _) | ModExp::Ascript(m, ..) | ModExp::Lambda(_, _, m, _) => self.module(m),
            ModExp::Var(_) | ModExp::Import(..) | ModExp::Apply(..) => vec![],
        }
    }

    fn mod_type(&self, t: &ModTypeExp) -> Vec<Value> {
        match t {
            ModTypeExp::Specs(specs, _) => specs.iter().flat_map(|s| self.spec(s)).collect(),
            ModTypeExp::Parens(t, _) | ModTypeExp::With { base: t, .. } => self.mod_type(t),
            ModTypeExp::Var(_) | ModTypeExp::Arrow { .. } => vec![],
        }
    }

    fn spec(&self, spec: &Spec) -> Vec<Value> {
        match spec {
            Spec::Val { name, span, .. } => vec![self.symbol(*name, FUNCTION, *span, vec![])],
            Spec::TypeAbbrev(b) => vec![self.symbol(b.name, CLASS, b.span, vec![])],
            Spec::Type { name, span, .. } => vec![self.symbol(*name, CLASS, *span, vec![])],
            Spec::Mod { name, sig, span, .. } => vec![self.symbol(*name, MODULE, *span, self.mod_type(sig))],
            Spec::Include(t, _) => self.mod_type(t),
        }
    }
}
