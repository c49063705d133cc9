//! What other languages write, and how it is written here: for names that nothing has, and for forms that
//! mean something else.
//!
//! In: the syntax, and types where they are known. Out: advice for the message, or none, as a wrong guess is worse.
//!
//! ```text
//! sqrt x                 f32.sqrt x: functions of numbers are in the modules of their types
//! fst p                  p.0
//! [x * 2 | x <- xs]      map (\x -> x * 2) xs
//! x : xs                 [x] ++ xs
//! xs(0)                  xs[0]
//! r {x = 1}              r with x = 1
//! map \x -> x + 1 xs     map (\x -> x + 1) xs
//! ```

use super::hints::{infix_for, other_name, quoted_argument, scalar_of, Advice, Refused};
use super::infer::Infer;
use super::metas::ScalarSet;
use super::pre::Exp;
use super::quote;
use super::unknown::Guesses;
use crate::resolve::other_types;
use crate::scope::{Env, ModEntry, Module, TermEntry, ValEntry};
use crate::types::Type;
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Span, Symbol};
use fehu_syntax::ast::{self, ExpKind, FieldExp, Ident, TypeExp};
use std::sync::Arc;

impl Infer<'_> {
    /// The name that is applied, if nothing is called so and it is not known what may be meant.
    pub(super) fn unknown_callee(&self, f: &ast::Exp) -> Option<Ident> {
        let ExpKind::Var(q) = &*f.kind else { return None };
        let unknown = q.quals.is_empty() && self.scope.term(q.name.name).is_none();
        (unknown && matches!(self.guesses, Guesses::Known(_))).then_some(q.name)
    }

    /// What to write instead of a function that is not there, applied to arguments of these types; none if
    /// there is only another name for it, which is known.
    pub(super) fn unknown_function(&mut self, f: Ident, args: &[ast::Exp], types: &[Type]) -> Option<Advice> {
        let name = f.name.as_str();
        let (first, of) = (args.first()?, types.first()?);
        let whole = f.span.to(args.last()?.span);
        if let ("fst" | "snd", [_]) = (name, args) {
            let field = if name == "fst" { "0" } else { "1" };
            let tuple =
                matches!(self.st.head(of), Type::Record(fs) if fs.iter().any(|(f, _)| f.as_str() == field));
            return Advice::rewrite(whole, format!("{}.{field}", quoted_argument(first))).filter(|_| tuple);
        }
        if name == "unsafe" {
            let all: Vec<String> = args.iter().map(quoted_argument).collect();
            let all = if let [one] = args { quote::exp(one) } else { all.join(" ") };
            return Advice::rewrite(whole, format!("#[unsafe] {all}"));
        }
        if let (Some(op), [l, r]) = (infix_for(name), args) {
            return Advice::rewrite(whole, format!("{} {op} {}", quoted_argument(l), quoted_argument(r)));
        }
        if self.guesses.meant(f.span).is_some() {
            return None;
        }
        // `max(x, 0)`: a tuple of the arguments.
        if let (ExpKind::Tuple(parts), Type::Record(types), [_]) = (&*first.kind, self.st.head(of), args) {
            let numbers: Vec<Type> = types.iter().map(|(_, t)| self.st.head(t)).collect();
            let known = numbers.iter().find(|t| scalar_of(t).is_some()).or(numbers.first())?;
            let number = self.number_in(known).filter(|t| self.is_in_module_of(*t, f.name))?;
            let all: Vec<String> = parts.iter().map(quoted_argument).collect();
            return Advice::rewrite(whole, format!("{}.{name} {}", number.as_str(), all.join(" ")));
        }
        // By the argument alone: the result does not suit.
        let number = self.number_in(of);
        if let Some(t) = number.filter(|t| self.is_in_module_of(*t, f.name)) {
            let function = format!("{}.{name}", t.as_str());
            let array = matches!(self.st.head(of), Type::Array(..));
            let scalar = self.value(&function).is_some_and(|v| is_of_scalars(&v.scheme.ty));
            return match args {
                [_] if array && matches!(name, "max" | "min") => {
                    Some(Advice::replace_name(f.span, format!("{function}imum")))
                }
                [arg] if array && scalar => {
                    Advice::rewrite(whole, format!("map {function} {}", quoted_argument(arg)))
                }
                _ => Some(Advice::replace_name(f.span, function)),
            };
        }
        let to = other_types(f.name)
            .iter()
            .find_map(|t| ScalarType::ALL.into_iter().find(|s| s.as_str() == *t))?;
        let from = number.filter(|from| args.len() == 1 && *from != to)?;
        Some(Advice::replace_name(f.span, format!("{}.{}", to.as_str(), from.as_str())))
    }

    /// The value with a possibly qualified name.
    pub(super) fn value(&self, path: &str) -> Option<ValEntry> {
        let mut env: Option<Arc<Env>> = None;
        for part in path.split('.').map(Symbol::new) {
            let entry = match &env {
                None => self.scope.term(part),
                Some(e) => e.terms.get(&part),
            };
            match entry? {
                TermEntry::Val(v) => return Some(v.clone()),
                TermEntry::Mod(ModEntry { module: Module::Struct(e), .. }) => env = Some(e.clone()),
                TermEntry::Mod(_) => return None,
            }
        }
        None
    }

    /// `i32.sqrt`.
    pub(super) fn only_of_floats(&self, module: Ident, name: Ident) -> Option<String> {
        let of = ScalarType::ALL.into_iter().find(|t| t.as_str() == module.name.as_str())?;
        let floats = of.is_integer() && self.is_in_module_of(ScalarType::F64, name.name);
        let (from, name) = (of.as_str(), name.name);
        floats.then(|| format!("only floating-point numbers have it, as in f64.{name} (f64.{from} x)"))
    }

    fn is_in_module_of(&self, t: ScalarType, name: Symbol) -> bool {
        match self.scope.term(Symbol::new(t.as_str())) {
            Some(TermEntry::Mod(ModEntry { module: Module::Struct(env), .. })) => {
                env.terms.contains_key(&name)
            }
            Some(TermEntry::Mod(_) | TermEntry::Val(_)) | None => false,
        }
    }

    /// The number that a type is, or an array of; what a literal would be if nothing is said.
    pub(super) fn number_in(&mut self, t: &Type) -> Option<ScalarType> {
        match self.st.zonk(t) {
            Type::Array(_, _, elem) => self.number_in(&elem),
            Type::Meta(m) => {
                let set: ScalarSet = self.set_of(m)?;
                [ScalarType::I32, ScalarType::F64].into_iter().find(|t| set.has(*t))
            }
            Type::Scalar(t, _) => (t.is_integer() || t.is_float()).then_some(t),
            Type::Record(_) | Type::Sum(_) | Type::Arrow(_) | Type::Var(..) | Type::Error => None,
        }
    }

    /// The complaint about a field of what is no record, with what was probably meant: `f . g` or `xs.length`.
    pub(super) fn no_field(&self, d: Diagnostic, of: &Type, f: Ident, e: Option<(&str, Span)>) -> Diagnostic {
        let only = "only records have fields";
        if let (Type::Scalar(t, _), Some((text, at))) = (of, e) {
            let applied = format!("{}.{} {text}", t.as_str(), f.name);
            return match self.is_in_module_of(*t, f.name) {
                true => d.help(format!("{only}; to apply the function, write \"{applied}\"")).fix(
                    "Apply the function",
                    at.to(f.span),
                    format!("({applied})"),
                ),
                false => d,
            };
        }
        let name = match other_name(None, f.name) {
            Some(name) if self.scope.term(f.name).is_none() => Symbol::new(&name),
            Some(_) | None => f.name,
        };
        let Some(TermEntry::Val(function)) = self.scope.term(name) else { return d };
        match e {
            Some((text, at)) if matches!((of, &function.scheme.ty), (Type::Arrow(_), Type::Arrow(_))) => {
                let between = Span { lo: at.hi, hi: f.span.lo, ..at };
                d.help(format!("{only}; to apply one function after the other, write \"{text} <-< {name}\""))
                    .fix("Change to `<-<`", between, " <-< ")
            }
            Some((text, at)) => {
                let applied = format!("{name} {text}");
                d.help(format!("{only}; to apply the function, write \"{applied}\"")).fix(
                    "Apply the function",
                    at.to(f.span),
                    format!("({applied})"),
                )
            }
            None => d.help(format!("{only}; to apply the function, write \"{name} x\"")),
        }
    }

    /// The type of a number in a definition that said nothing of it does not suit a use.
    pub(super) fn defaulted(&mut self, f: &Exp, refused: &Refused<'_>) -> Option<Advice> {
        let super::pre::ExpKind::Var(u) = &*f.kind else { return None };
        let (expected, actual) =
            (scalar_of(&self.st.zonk(refused.expected))?, scalar_of(&self.st.zonk(refused.actual))?);
        let (_, at) = *self.ctx.defaulted.get(&u.name)?.iter().find(|(i, _)| *i == refused.at)?;
        let number = |t: ScalarType| t.is_integer() || t.is_float();
        if !number(expected) || !number(actual) {
            return None;
        }
        let shown = self.ctx.show().scheme(u.global.as_ref()?);
        let param = format!("({}: {})", at.name, actual.as_str());
        let name = self.ctx.names.base(u.name);
        Some(Advice::declare(
            at.span,
            format!("\"{name}\" has the type {shown} because nothing says otherwise; write \"def {name} {param}\""),
            param,
        ))
    }

    /// `x : xs`, where `xs` is a value and no type.
    pub(super) fn cons(&self, e: &ast::Exp, t: &TypeExp) -> Option<Diagnostic> {
        let TypeExp::Var(q) = t else { return None };
        let name = q.name.name;
        let value = matches!(self.scope.term(name), Some(TermEntry::Val(_)));
        if !q.quals.is_empty() || self.scope.ty(name).is_some() || !value {
            return None;
        }
        let between = Span { lo: e.span.hi, hi: q.span.lo, ..q.span };
        let edits = vec![(e.span.start(), "[".into()), (between, "] ++ ".into())];
        Some(
            Diagnostic::error(q.span, format!("Unknown type \"{name}\"."))
                .label("a value, and no type")
                .help(format!("to put an element before an array, write \"[{}] ++ {name}\"", quote::exp(e)))
                .fix_all("Put the element before the array", edits),
        )
    }

    /// What is applied is an array or a record.
    pub(super) fn applied_value(
        &mut self,
        of: &Type,
        at: Span,
        args: &[&ast::Exp],
        what: &str,
    ) -> Option<Advice> {
        let [arg] = args else { return None };
        let name = what.strip_prefix('"')?.strip_suffix('"')?;
        let whole = at.to(arg.span);
        match (self.st.head(of), &*arg.kind) {
            (Type::Array(..), ExpKind::Parens(i)) => {
                Advice::rewrite(whole, format!("{name}[{}]", quote::exp(i)))
            }
            (Type::Array(..), ExpKind::Tuple(is)) if !is.is_empty() => {
                let is: Vec<String> = is.iter().map(quote::exp).collect();
                Advice::rewrite(whole, format!("{name}[{}]", is.join(", ")))
            }
            (Type::Array(..), ExpKind::Literal(_) | ExpKind::Var(_)) => {
                Advice::rewrite(whole, format!("{name}[{}]", quote::exp(arg)))
            }
            (Type::Record(_), ExpKind::Record(fields)) if !fields.is_empty() => {
                let with: Option<Vec<String>> = fields
                    .iter()
                    .map(|f| match f {
                        FieldExp::Explicit(f, e) => Some(format!("with {} = {}", f.name, quote::exp(e))),
                        FieldExp::Implicit(_) => None,
                    })
                    .collect();
                Advice::rewrite(whole, format!("{name} {}", with?.join(" ")))
            }
            _ => None,
        }
    }
}

/// Whether a function takes one number.
fn is_of_scalars(t: &Type) -> bool {
    matches!(t, Type::Arrow(a) if scalar_of(&a.lhs).is_some() && scalar_of(&a.ret.ty).is_some())
}

/// `[x * 2 | x <- xs]`.
pub(super) fn comprehension(elements: &[ast::Exp], span: Span) -> Option<Diagnostic> {
    let ExpKind::BinOp(arrow, head, array) = &*elements.first()?.kind else { return None };
    let ExpKind::BinOp(bar, body, var) = &*head.kind else { return None };
    let symbol = |q: &ast::QualName, text: &str| q.quals.is_empty() && q.name.name.as_str() == text;
    if !symbol(arrow, "<-") || !symbol(bar, "|") {
        return None;
    }
    let function = format!("\\{} -> {}", quote::exp(var), quote::exp(body));
    let mut source = quoted_argument(array);
    for condition in &elements[1..] {
        source = format!("(filter (\\{} -> {}) {source})", quote::exp(var), quote::exp(condition));
    }
    let d = Diagnostic::error(arrow.span, "Unknown name \"<-\".");
    let map = format!("map ({function}) {source}");
    Some(d.help(format!("arrays are computed from others by functions: \"{map}\"")).fix(
        "Compute it by `map`",
        span,
        format!("({map})"),
    ))
}

/// `map \x -> x + 1 xs`: the function takes what follows for a part of its body, where a number is applied to it.
pub(super) fn bare_lambda(e: &ast::Exp) -> Option<Advice> {
    let ExpKind::Lambda(_) = &*e.kind else { return None };
    let (shorter, end) = without_arguments(e)?;
    let text = format!("({})", quote::exp(&shorter));
    Some(Advice::around(
        Span { hi: end, ..e.span },
        format!("a function that is not the last argument stands in parentheses: \"{text}\""),
    ))
}

/// The expression without what a number at its end is applied to, and where it ends then.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn without_arguments(e: &ast::Exp) -> Option<(ast::Exp, u32)> {
    let (kind, end) = match &*e.kind {
        ExpKind::Apply(f, _) if matches!(*f.kind, ExpKind::Literal(_)) => {
            return Some((f.clone(), f.span.hi))
        }
        ExpKind::BinOp(op, l, r) => {
            let (r, end) = without_arguments(r)?;
            (ExpKind::BinOp(op.clone(), l.clone(), r), end)
        }
        ExpKind::Lambda(l) => {
            let (body, end) = without_arguments(&l.body)?;
            (ExpKind::Lambda(Box::new(ast::Lambda { body, ..(**l).clone() })), end)
        }
        _ => return None,
    };
    Some((ast::Exp { kind: Box::new(kind), span: Span { hi: end, ..e.span } }, end))
}
