//! The outlines of files, from their trees: also of files with errors.

use crate::answer::{Answer, Refusal};

use crate::document::{Encoding, Text};
use crate::state::{Document, State};
use fehu_base::{FileId, Span};
use fehu_syntax::ast::{Dec, Ident, ModExp, ModTypeExp, Spec};
use serde_json::{json, Value};

/// Kinds of symbols that the protocol fixes.
const MODULE: u32 = 2;
const CLASS: u32 = 5;
const INTERFACE: u32 = 11;
const FUNCTION: u32 = 12;
const CONSTANT: u32 = 14;

/// How many symbols of the workspace are shown at once.
const MAX_SYMBOLS: usize = 256;

struct Outline<'a> {
    text: &'a Text,
    encoding: Encoding,
}

pub(super) fn symbols(state: &State, document: &Document, _: &Value) -> Answer {
    Ok(Value::Array(outline(&document.text, state.encoding)))
}

fn outline(text: &Text, encoding: Encoding) -> Vec<Value> {
    let parsed = fehu_syntax::parse(FileId(0), &text.text);
    Outline { text, encoding }.decs(&parsed.prog.decs)
}

/// What the files of the workspace declare under names that contain the letters of a query in their order;
/// shorter names first.
pub(super) fn of_workspace(state: &State, params: &Value) -> Answer {
    let query = params["query"].as_str().unwrap_or("").to_lowercase();
    let mut found: Vec<(String, Value)> = vec![];
    for file in state.files() {
        if state.interest.is_lost() {
            return Err(Refusal::GivenUp);
        }
        // What cannot be read declares nothing.
        let Ok(text) = state.text_of(&file) else { continue };
        let uri = state.uri(&file);
        let mut rest: Vec<(Value, Option<String>)> =
            outline(&text, state.encoding).into_iter().map(|s| (s, None)).collect();
        while let Some((mut symbol, container)) = rest.pop() {
            let name = symbol["name"].as_str().unwrap_or("").to_owned();
            if let Value::Array(inner) = symbol["children"].take() {
                rest.extend(inner.into_iter().map(|s| (s, Some(name.clone()))));
            }
            if matches(&name.to_lowercase(), &query) {
                let location = json!({"uri": uri, "range": symbol["selectionRange"]});
                let mut shown = json!({"name": name, "kind": symbol["kind"], "location": location});
                if let Some(container) = container {
                    shown["containerName"] = json!(container);
                }
                found.push((name, shown));
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
    Ok(found.into_iter().take(MAX_SYMBOLS).map(|(_, shown)| shown).collect())
}

/// Whether a name contains some letters in their order.
fn matches(name: &str, letters: &str) -> bool {
    let mut rest = name.chars();
    letters.chars().all(|l| rest.any(|c| c == l))
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
        let range = |s: Span| self.text.range(s.lo as usize, s.hi as usize, self.encoding);
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
