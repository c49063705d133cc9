//! Types that are not written, shown behind the names that they are of.
//!
//! In: the tree of a file and its analysis, of the same text. Out: for each name that is bound without a
//! type, and for each definition without a result type, the type.
//!
//! ```text
//! def f (n: i64) = let xs = iota n in map (\x -> x + 1) xs
//!               ^ : [n]i64 ^ : [n]i64       ^ : i64
//! ```

use crate::analysis::Analysis;
use crate::answer::Answer;
use crate::state::{Document, State};
use fehu_base::Span;
use fehu_check::subst::make_nonunique;
use fehu_check::types::{RetType, Type, TypeArg};
use fehu_syntax::ast::{Dec, Exp, ExpKind, LoopForm, Pat};
use fehu_syntax::visit::{each, Node};
use rustc_hash::FxHashMap;
use serde_json::{json, Value};

/// A type that could be written.
#[derive(Clone, Debug)]
pub(super) struct Hint {
    /// The name whose type it is.
    pub(super) name: Span,
    /// Where the type is shown, and would be written.
    pub(super) at: usize,
    /// The type.
    pub(super) text: String,
    pub(super) ty: Type,
    /// Where size and type parameters of the definition could be added.
    pub(super) intro: Option<usize>,
    pub(super) form: Form,
    /// The definition or expression that binds the name, and could bind sizes.
    pub(super) binder: Span,
}

/// How a type is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `name: type`.
    Plain,
    /// `(name: type)`.
    Parenthesised,
    /// `parameters : type`.
    Result,
}

pub(super) fn hints(state: &State, document: &Document, params: &Value) -> Answer {
    let at = |end: &str| document.text.offset(&params["range"][end], state.encoding);
    let range = match params.get("range") {
        Some(_) => at("start")..=at("end"),
        None => 0..=document.text.text.len(),
    };
    let shown = all(document).into_iter().filter(|h| range.contains(&h.at)).map(|h| {
        json!({
            "position": document.text.position(h.at, state.encoding), "label": format!(": {}", h.text), "kind": 1,
            "paddingLeft": h.form == Form::Result,
        })
    });
    Ok(Value::Array(shown.collect()))
}

/// All hints of a document, as far as its types are known; none if nothing is known of this text, since it is
/// unknown where those of another one would belong.
pub(super) fn all(document: &Document) -> Vec<Hint> {
    let analyses = [&document.analysis, &document.partial].into_iter().flatten();
    let Some(analysis) = analyses.into_iter().find(|a| a.is_of(&document.text.text)) else { return vec![] };
    let parsed = fehu_syntax::parse(analysis.main, &document.text.text);
    let mut walk = Walk { analysis, results: analysis.results(), intro: None, found: vec![] };
    each(&parsed.prog.decs, &mut |node| match node {
        Node::Dec(Dec::Val(b)) => {
            let intro = b.tparams.last().map_or(b.name.span.hi, |p| end_of(&document.text.text, p));
            walk.intro = Some(intro as usize);
            b.params.iter().for_each(|p| walk.pattern(p, Form::Parenthesised, b.span));
            let end = b.params.last().map_or(intro, |p| p.span().hi);
            if b.ret.is_none() {
                walk.result(b.name.span, end, b.params.is_empty(), b.span);
            }
            walk.intro = None;
        }
        Node::Exp(e) => walk.exp(e),
        Node::Dec(_)
        | Node::Pat(_)
        | Node::Type(_)
        | Node::Mod(_)
        | Node::ModType(_)
        | Node::Spec(_)
        | Node::TypeParam(_)
        | Node::Attr(_) => {}
    });
    let mut found = walk.found;
    found.sort_by_key(|h| h.at);
    found
}

/// Whether no part of a type is missing since there is an error.
fn is_known(t: &Type) -> bool {
    match t {
        Type::Scalar(..) => true,
        Type::Meta(_) | Type::Error => false,
        Type::Array(_, _, elem) => is_known(elem),
        Type::Record(fields) => fields.iter().all(|(_, t)| is_known(t)),
        Type::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).all(is_known),
        Type::Arrow(a) => is_known(&a.lhs) && is_known(&a.ret.ty),
        Type::Var(_, _, args) => args.iter().all(|a| match a {
            TypeArg::Size(_) => true,
            TypeArg::Type(t) => is_known(t),
        }),
    }
}

/// Where a size or type parameter ends.
fn end_of(text: &str, p: &fehu_syntax::ast::TypeParam) -> u32 {
    use fehu_syntax::ast::TypeParam;
    match p {
        // Up to its bracket.
        TypeParam::Size(n) => {
            let rest = text.get(n.span.hi as usize..).unwrap_or("");
            n.span.hi + rest.find(']').map_or(0, |i| i as u32 + 1)
        }
        TypeParam::Type(_, n) => n.span.hi,
    }
}

struct Walk<'a> {
    analysis: &'a Analysis,
    results: FxHashMap<Span, &'a RetType>,
    intro: Option<usize>,
    found: Vec<Hint>,
}

impl Walk<'_> {
    fn exp(&mut self, e: &Exp) {
        match &*e.kind {
            ExpKind::Lambda(l) => {
                l.params.iter().for_each(|p| self.pattern(p, Form::Parenthesised, e.span));
            }
            ExpKind::Let { pat, .. } => self.pattern(pat, Form::Plain, e.span),
            ExpKind::LetFun(f, _) => {
                f.params.iter().for_each(|p| self.pattern(p, Form::Parenthesised, e.span));
                if let (None, Some(last)) = (&f.ret, f.params.last()) {
                    self.result(f.name.span, last.span().hi, false, e.span);
                }
            }
            ExpKind::Loop { pat, init, form, .. } => {
                // Without an initial value the pattern is also an expression, and stays as it is.
                let written = if init.is_some() { Form::Parenthesised } else { Form::Plain };
                self.pattern(pat, written, e.span);
                match form {
                    LoopForm::ForIn(p, _) => self.pattern(p, Form::Parenthesised, e.span),
                    LoopForm::For(..) | LoopForm::While(_) => {}
                }
            }
            ExpKind::Match(_, cases) => {
                cases.iter().for_each(|c| self.pattern(&c.pat, Form::Parenthesised, c.span));
            }
            ExpKind::Literal(_)
            | ExpKind::Var(_)
            | ExpKind::Hole
            | ExpKind::Parens(_)
            | ExpKind::QualParens(..)
            | ExpKind::Tuple(_)
            | ExpKind::Record(_)
            | ExpKind::Array(_)
            | ExpKind::Project(..)
            | ExpKind::Index(..)
            | ExpKind::Negate(_)
            | ExpKind::Not(_)
            | ExpKind::Assert(..)
            | ExpKind::Constr(..)
            | ExpKind::Apply(..)
            | ExpKind::BinOp(..)
            | ExpKind::SectionLeft(..)
            | ExpKind::SectionRight(..)
            | ExpKind::SectionAccess(_)
            | ExpKind::Ascript(..)
            | ExpKind::Coerce(..)
            | ExpKind::Range(..)
            | ExpKind::Update(..)
            | ExpKind::LetUpdate { .. }
            | ExpKind::If(..)
            | ExpKind::Attr(..)
            | ExpKind::Error => {}
        }
    }

    /// The variables of a pattern that have no type.
    fn pattern(&mut self, p: &Pat, form: Form, binder: Span) {
        let inside = match form {
            // Inside of a tuple, no parentheses are needed.
            Form::Parenthesised | Form::Plain => Form::Plain,
            Form::Result => Form::Result,
        };
        match p {
            Pat::Var(name) => self.variable(name.span, form, binder),
            Pat::Parens(p, _) => self.pattern(p, inside, binder),
            Pat::Tuple(ps, _) => ps.iter().for_each(|p| self.pattern(p, inside, binder)),
            Pat::Constr(_, ps, _) => ps.iter().for_each(|p| self.pattern(p, Form::Parenthesised, binder)),
            // `{x: t}` would be something else, so a pun keeps its short form and has no hint.
            Pat::Record(fields, _) => {
                for p in fields.iter().filter_map(|(_, p)| p.as_ref()) {
                    self.pattern(p, inside, binder);
                }
            }
            Pat::Attr(_, p, _) => self.pattern(p, form, binder),
            // A type is written.
            Pat::Ascript(..) | Pat::Wildcard(_) | Pat::Literal { .. } => {}
        }
    }

    fn variable(&mut self, name: Span, form: Form, binder: Span) {
        let Some(o) = self.analysis.occurrence(name).filter(|o| is_known(&o.ty)) else { return };
        let ty = self.analysis.visible(&make_nonunique(&o.ty), &[]);
        let (text, intro) = (self.analysis.show(&ty), self.intro);
        self.found.push(Hint { name, at: name.hi as usize, text, ty, intro, form, binder });
    }

    fn result(&mut self, name: Span, at: u32, constant: bool, binder: Span) {
        let Some(ret) = self.results.get(&name).filter(|r| is_known(&r.ty)) else { return };
        let ty: Type = self.analysis.visible(&ret.ty, &ret.dims);
        let ty = if constant { make_nonunique(&ty) } else { ty };
        let text = self.analysis.show_ret(&RetType { dims: ret.dims.clone(), ty: ty.clone() });
        let intro = self.intro;
        let form = if constant { Form::Plain } else { Form::Result };
        self.found.push(Hint { name, at: at as usize, text, ty, intro, form, binder });
    }
}
