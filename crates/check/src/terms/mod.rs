//! Checking expressions: first types without sizes, then sizes.
//!
//! ```text
//! ast::Exp --infer*.rs--> pre::Exp --sizes/--> tast::Exp
//! ```
//!
//! The first layer (`infer.rs` and its neighbours) resolves names and finds the
//! types by unification (`metas.rs`, `unify.rs`), all sizes aside; `close.rs`
//! settles what is open at its end. The second layer (`sizes/`) walks the tree
//! in between (`pre.rs`) again and finds the sizes. A declaration in which the
//! first layer found an error is not looked at by the second: its messages
//! would only repeat.

mod close;
mod foreign;
mod guess;
mod hints;
mod infer;
mod infer_apply;
mod infer_bind;
mod infer_pat;
mod literal;
mod metas;
mod pre;
mod quote;
mod recursion;
pub(crate) mod sizes;
mod unify;
mod unknown;
mod validate;

pub use metas::State;
pub use validate::validate;

use crate::context::Context;
use crate::scope::{Scope, TermEntry};
use crate::show::without_hidden;
use crate::tast;
use crate::type_exp::bind_tparams;
use crate::types::{Scheme, Size, TParam, Type};
use crate::visit;
use fehu_base::diagnostic::Severity;
use fehu_base::{Diagnostic, Name, NameSource, Span, Symbol};
use fehu_syntax::ast;
use infer::Infer;
use infer_bind::{size_idents, Source};
use rustc_hash::FxHashSet;
use sizes::Sizer;

/// Checks a function or constant. `name` has been made for it already (and, if
/// the function is recursive, is bound in the scope while its body is checked).
/// Problems are reported to the context; `None` if there were errors, together with
/// a scheme that equals all types, so that they are not repeated.
///
/// Before Futhark 0.27 a definition did not see itself, but an older one of its name. Where a recursive call
/// does not fit and the older one does, the program is of that time:
///
/// ```text
/// def (+) (a: (i32, i32)) (b: (i32, i32)) = (a.0 + b.0, a.1 + b.1)
/// ```
pub fn check_val_bind(
    ctx: &mut Context,
    scope: &mut Scope,
    name: Name,
    bind: &ast::ValBind,
) -> (Option<tast::ValBind>, Scheme) {
    let (first, noted) = (ctx.diagnostics.len(), ctx.uses.mark());
    let older = match scope.term(bind.name.name) {
        Some(TermEntry::Val(v)) => Some(v.span),
        // `def i64 (x: i64) = i64.neg x`
        Some(TermEntry::Mod(_)) => Some(Span::NONE),
        None => None,
    };
    let (recursive, checked) = check_as(ctx, scope, name, bind, Sees::Itself);
    let (Some(at), Some(older), None) = (recursive, older, &checked.0) else { return checked };
    ctx.uses.forget(noted);
    let mut found = ctx.diagnostics.split_off(first);
    let (_, again) = check_as(ctx, scope, name, bind, Sees::Older);
    if again.0.is_some() {
        ctx.report(uses_older(bind.name.name, at, older));
        return again;
    }
    explain_self_use(&mut found, bind.name.name, at, older);
    ctx.diagnostics.truncate(first);
    ctx.diagnostics.extend(found);
    checked
}

/// What a definition means by its own name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sees {
    Itself,
    Older,
}

fn uses_older(name: Symbol, at: Span, older: Span) -> Diagnostic {
    let mut warning = Diagnostic::warning(
        at,
        format!("\"{name}\" is taken for an older definition of that name."),
    )
    .note(
        "since Futhark 0.27 a definition with parameters sees itself, but a recursive call does not fit here",
    );
    if older != Span::NONE && older.file == at.file {
        warning = warning.related(older, "this one");
    }
    warning.help("give one of the two another name: Futhark 0.27 and later refuse the program")
}

/// A definition that meant to use an older one of its name uses itself; its first error says so.
fn explain_self_use(found: &mut [Diagnostic], name: Symbol, at: Span, older: Span) {
    let Some(d) = found.iter_mut().find(|d| d.severity == Severity::Error) else { return };
    let mut e = d.clone().note(format!(
        "since Futhark 0.27 a definition with parameters sees itself, so \"{name}\" is a recursive call here"
    ));
    if at != d.span {
        e = e.related(at, "a recursive call");
    }
    if older != Span::NONE && older.file == at.file {
        e = e.related(older, format!("not a use of this \"{name}\""));
    }
    *d = e.help(format!("to use the other \"{name}\", give one of the two another name"));
}

/// Checks a definition that means one or the other by its own name; and where it uses itself.
fn check_as(
    ctx: &mut Context,
    scope: &mut Scope,
    name: Name,
    bind: &ast::ValBind,
    sees: Sees,
) -> (Option<Span>, (Option<tast::ValBind>, Scheme)) {
    let before = errors(ctx);
    if bind.ret.is_some() {
        ctx.declared.insert(name);
    }
    let mark = scope.mark();
    let tparams = bind_tparams(ctx, scope, &bind.tparams);
    let mut infer = Infer::new(ctx, scope, State::default());
    let own = (sees == Sees::Itself && !bind.params.is_empty()).then_some((bind.name, name));
    infer.own = own.map(|(_, n)| n);
    let source = Source { params: &bind.params, ret: bind.ret.as_ref(), body: &bind.body, own };
    let checked = infer.definition(&source, &size_idents(&bind.tparams));
    // What follows is about what is not known.
    let certain = infer.ctx.diagnostics.len();
    let failed = errors(infer.ctx) > before;
    let open = infer.open_numbers(&checked.params, bind);
    let inferred = infer.close(&checked.ty, failed);
    if !open.is_empty() {
        infer.ctx.defaulted.insert(name, open);
    }
    let recursive = infer.recursive;
    let mut st = std::mem::take(&mut infer.st);
    scope.rollback(mark);
    keep_labels(ctx, &mut st);
    let fun = pre::Fun { name, tparams, params: checked.params, ret: checked.ret, body: checked.body };
    let found = if errors(ctx) > before {
        keep_seen(ctx, &mut st, bind.span);
        None
    } else {
        sized(ctx, st, bind, &fun, &inferred, recursive.is_some())
    };
    if ctx.uses_broken {
        ctx.diagnostics.truncate(certain);
    }
    (recursive, found.unwrap_or_else(|| (None, Scheme::mono(Type::Error))))
}

/// The second layer of a definition.
fn sized(
    ctx: &mut Context,
    st: State,
    bind: &ast::ValBind,
    fun: &pre::Fun,
    inferred: &[TParam],
    recursive: bool,
) -> Option<(Option<tast::ValBind>, Scheme)> {
    let before = errors(ctx);
    let mut sizer = Sizer::new(ctx, st);
    let top = sizer.top(fun, inferred, recursive, bind.name.span);
    let mut st = std::mem::take(&mut sizer.st);
    if errors(ctx) > before {
        keep_seen(ctx, &mut st, bind.span);
        return None;
    }
    tell_apart(&mut ctx.names, &fun.tparams, &top);
    let scheme = Scheme { tparams: top.tparams.clone(), overloads: vec![], ty: top.ty };
    let val = tast::ValBind {
        name: fun.name,
        entry: None,
        attrs: bind.attrs.clone(),
        doc: bind.doc.clone(),
        tparams: top.tparams,
        params: top.params,
        ret: top.ret,
        body: top.body,
        recursive,
        span: bind.span,
    };
    if recursive {
        recursion::check(ctx, &val);
        if errors(ctx) > before {
            return Some((None, scheme));
        }
    }
    Some((Some(val), scheme))
}

/// Notes the labels of records and sums, whose types are known now.
fn keep_labels(ctx: &mut Context, st: &mut State) {
    for (label, of) in std::mem::take(&mut st.labels) {
        let of = st.head(&of);
        ctx.uses.label(label, &of);
    }
}

/// What is named in a definition that has errors, for tools. Sizes are not known yet, but for those that the
/// definition names.
fn keep_seen(ctx: &mut Context, st: &mut State, definition: Span) {
    for o in std::mem::take(&mut st.seen) {
        let inside = |s: &Span| s.file == definition.file && definition.lo <= s.lo && s.hi <= definition.hi;
        let ty = without_hidden(&st.zonk(&o.ty), &|n| ctx.def_spans.get(&n).is_some_and(inside), &[]);
        ctx.unfinished.push(tast::Occurrence { ty, ..o });
    }
}

/// Gives names to inferred size and type parameters; the names are unique in the function.
fn tell_apart(names: &mut NameSource, written: &[TParam], top: &sizes::Top) {
    if top.tparams.len() == written.len() {
        return;
    }
    let mut taken: FxHashSet<Symbol> = written.iter().map(|p| names.base(p.name())).collect();
    let mut bound = |p: &tast::Pat| {
        visit::pat_vars(p, &mut |n, _| taken.extend([names.base(n)]));
    };
    top.params.iter().for_each(&mut bound);
    let mut rest = vec![&top.body];
    while let Some(e) = rest.pop() {
        visit::irrefutable_patterns(e, &mut bound);
        visit::children(e, &mut |c| rest.push(c));
    }
    for p in top.tparams.iter().filter(|p| !written.contains(p)) {
        let base = names.base(p.name());
        let numbered = |i: usize| if i == 0 { base } else { Symbol::new(&format!("{base}{i}")) };
        if let Some(text) = (0..).map(numbered).find(|s| taken.insert(*s)) {
            names.rebase(p.name(), text);
        }
    }
}

/// Checks a size expression inside a type; it must have type `i64`.
pub fn check_size_exp(ctx: &mut Context, scope: &mut Scope, exp: &ast::Exp) -> Size {
    // While the first layer walks a declaration, the expression is part of it.
    if let Some(st) = ctx.terms.take() {
        let mut infer = Infer::new(ctx, scope, *st);
        let size = infer.size_exp(exp);
        let st = std::mem::take(&mut infer.st);
        ctx.terms = Some(Box::new(st));
        return size;
    }
    let before = errors(ctx);
    let mut infer = Infer::new(ctx, scope, State::default());
    let e = infer.exp(exp);
    infer.expect(exp.span, "Size expression must have type \"i64\".", &infer::I64, &e.ty.clone());
    infer.settle();
    let mut st = std::mem::take(&mut infer.st);
    keep_labels(ctx, &mut st);
    if errors(ctx) > before {
        return Size::Any;
    }
    Sizer::new(ctx, st).lone_size(&e)
}

/// How many errors there are.
pub(crate) fn errors(ctx: &Context) -> usize {
    ctx.diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
}
