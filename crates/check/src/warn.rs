//! Warnings that need the whole declaration: names bound and never used, arrays compared as a whole, and breakpoints.

use crate::context::Context;
use crate::tast::{Exp, ExpKind, LoopForm, Pat, PatKind, ValBind};
use crate::types::{Size, Type};
use crate::visit;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::Attr;
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports the warnings of one declaration, in the order of the text.
pub fn check_val_bind(ctx: &mut Context, bind: &ValBind) {
    let hidden = std::mem::take(&mut ctx.hidden);
    let mut names = Names::default();
    bind.params.iter().for_each(|p| names.bind(p));
    names.mentioned(&bind.ret.ty);
    names.exp(&bind.body);
    let mut unused: Vec<(Span, Name)> = names
        .bound
        .iter()
        .filter(|(n, _)| !names.used.contains(n) && !ctx.names.base(*n).as_str().starts_with('_'))
        .map(|(n, pat)| (ctx.def_spans.get(n).copied().or(*pat).unwrap_or(bind.span), *n))
        .collect();
    unused.sort();
    for (span, n) in unused {
        let text = ctx.names.base(n);
        let d = Diagnostic::warning(span, format!("Unused name \"{text}\"."));
        ctx.report(if names.updated.contains(&n) {
            d.label("the updated value is never used")
        } else {
            let d = d.label("never used");
            let d = match hidden.get(&n) {
                Some(module) => d.related(*module, format!("here `{text}` is that of the opened module")),
                None => d,
            };
            let d = d.help(format!("remove it, or write `_{text}` to keep it"));
            // A field that is bound by its own name cannot be renamed in place.
            let whole = span.hi - span.lo == text.as_str().len() as u32;
            match whole && names.fields.get(&n) != Some(&text) {
                true => d.fix(format!("Rename to `_{text}`"), span, format!("_{text}")),
                false => d,
            }
        });
    }
    for span in names.breaks {
        let text =
            "This breakpoint has no effect here: programs stop before expressions in `fehu repl` only.";
        ctx.report(Diagnostic::warning(span, text).help("print values with `#[trace]`"));
    }
    for (span, op) in names.comparisons {
        if let Some(op) = ctx.intrinsics.get(&op).filter(|op| op.is_equality()) {
            let text = format!("Comparing arrays with \"{}\" is deprecated.", op.name());
            let help = "compare the elements: and (map2 (==) xs ys)";
            ctx.report(Diagnostic::warning(span, text).help(help));
        }
    }
}

/// The names of a declaration.
#[derive(Default)]
struct Names {
    /// Bound, with the place if it was a pattern.
    bound: Vec<(Name, Option<Span>)>,
    /// Bound as the field of a record or tuple.
    fields: FxHashMap<Name, Symbol>,
    /// Used in an expression or a size.
    used: FxHashSet<Name>,
    /// Bound by an update, `let x[i] = ...`.
    updated: FxHashSet<Name>,
    /// Functions applied to two arrays, which may be comparisons.
    comparisons: Vec<(Span, Name)>,
    /// Expressions with the attribute `break`.
    breaks: Vec<Span>,
}

impl Names {
    fn bind(&mut self, pat: &Pat) {
        self.fields_of(pat);
        visit::pat_vars(pat, &mut |n, p| self.bound.push((n, Some(p.span))));
        self.mentioned(&pat.ty);
    }

    fn fields_of(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Record(fields) => {
                for (field, p) in fields {
                    match p.kind {
                        PatKind::Var(n) => drop(self.fields.insert(n, *field)),
                        PatKind::Wildcard
                        | PatKind::Record(_)
                        | PatKind::Literal(_)
                        | PatKind::Constr(..)
                        | PatKind::Attr(..) => self.fields_of(p),
                    }
                }
            }
            PatKind::Constr(_, ps) => ps.iter().for_each(|p| self.fields_of(p)),
            PatKind::Attr(_, p) => self.fields_of(p),
            PatKind::Var(_) | PatKind::Wildcard | PatKind::Literal(_) => {}
        }
    }

    fn mentioned(&mut self, ty: &Type) {
        visit::sizes(ty, &mut |size| match size {
            Size::Var(n) => drop(self.used.insert(*n)),
            Size::Exp(e) => self.uses(e),
            Size::Const(_) | Size::Any => {}
        });
    }

    /// The names used in an expression that stands as a size.
    fn uses(&mut self, e: &Exp) {
        if let ExpKind::Var(n, _) = &*e.kind {
            self.used.insert(*n);
        }
        visit::children(e, &mut |x| self.uses(x));
    }

    fn exp(&mut self, e: &Exp) {
        fehu_base::stack::deep(|| {
            self.mentioned(&e.ty);
            match &*e.kind {
                ExpKind::Var(n, _) => drop(self.used.insert(*n)),
                ExpKind::Let { pat, value, .. } => {
                    if let (PatKind::Var(n), ExpKind::Update(source, ..)) = (&pat.kind, &*value.kind) {
                        if source.span == pat.span {
                            self.updated.insert(*n);
                        }
                    }
                }
                ExpKind::Apply(f, args) => {
                    let arrays = args.len() == 2 && args.iter().all(|a| matches!(a.ty, Type::Array(..)));
                    if let (ExpKind::Var(n, _), true) = (&*f.kind, arrays) {
                        self.comparisons.push((e.span, *n));
                    }
                }
                ExpKind::LetFun(f, _) => {
                    self.bound.push((f.name, None));
                    self.mentioned(&f.ret.ty);
                }
                ExpKind::Loop(l) => match l.form {
                    LoopForm::For(i, ..) => self.bound.push((i, None)),
                    LoopForm::ForIn(..) | LoopForm::While(_) => {}
                },
                ExpKind::Match(_, cases) => cases.iter().for_each(|c| self.bind(&c.pat)),
                ExpKind::Literal(_)
                | ExpKind::String(_)
                | ExpKind::Hole
                | ExpKind::Record(_)
                | ExpKind::Array(_)
                | ExpKind::Project(..)
                | ExpKind::Index(..)
                | ExpKind::Negate(_)
                | ExpKind::Not(_)
                | ExpKind::And(..)
                | ExpKind::Or(..)
                | ExpKind::Assert(..)
                | ExpKind::Constr(..)
                | ExpKind::Lambda(_)
                | ExpKind::Coerce(_)
                | ExpKind::Range { .. }
                | ExpKind::Update(..)
                | ExpKind::If(..) => {}
                ExpKind::Attr(attr, _) => match attr {
                    Attr::Atom(a) if a.name.as_str() == "break" => self.breaks.push(a.span),
                    Attr::Atom(_) | Attr::Int(..) | Attr::Comp(..) => {}
                },
            }
            visit::irrefutable_patterns(e, &mut |p| self.bind(p));
            visit::children(e, &mut |x| self.exp(x));
        });
    }
}
