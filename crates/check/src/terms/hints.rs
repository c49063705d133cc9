//! What to write instead, for mistakes that have one likely reason.
//!
//! In: an application that was refused, or a name that nothing has. Out: a line of help, or none: a wrong
//! guess is worse.
//!
//! ```text
//! add(x, 2)        arguments are separated by spaces: "add x 2"
//! n * x            convert one of them, as in "f64.i64 n"
//! f -x             this subtracts; to pass a negative argument, write "f (-x)"
//! map f xs ys      "map" takes one array; "map2" takes 2
//! ```

use super::infer::Infer;
use super::metas::ScalarSet;
use super::quote;
use crate::resolve::closest;
use crate::show::{is_operator, is_tuple};
use crate::types::Type;
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Span, Symbol};
use fehu_syntax::ast::{self, ExpKind};

/// An application that was refused at one of its arguments.
pub(super) struct Refused<'a> {
    /// The function as messages name it: in quotes.
    pub(super) what: &'a str,
    /// Where it is named.
    pub(super) function: Span,
    pub(super) args: &'a [&'a ast::Exp],
    /// Which argument.
    pub(super) at: usize,
    pub(super) expected: &'a Type,
    pub(super) actual: &'a Type,
    /// The types of all arguments.
    pub(super) types: &'a [Type],
}

/// What to write instead.
pub(super) struct Advice {
    /// In words.
    text: String,
    /// As an edit.
    title: String,
    edit: Edit,
}

/// How the program changes when advice is taken.
enum Edit {
    Replace(Vec<(Span, String)>),
    /// Writes another name.
    Rename(Span, String),
    /// Applies a function to an expression.
    Apply(Span, String),
}

impl Advice {
    /// Another name in the place of one.
    pub(super) fn replace_name(at: Span, name: String) -> Advice {
        Advice {
            text: format!("there is \"{name}\""),
            title: format!("Change to `{name}`"),
            edit: Edit::Rename(at, name),
        }
    }

    /// The name that is to be written.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.edit {
            Edit::Rename(_, name) => Some(name),
            Edit::Replace(_) | Edit::Apply(..) => None,
        }
    }

    /// Another expression in the place of one. Without an edit, it could not be quoted as a whole.
    pub(super) fn rewrite(at: Span, text: String) -> Option<Advice> {
        let title = format!("Change to `{text}`");
        let edit = Edit::Replace(vec![(at, text.clone())]);
        (text.len() < quote::LIMIT).then(|| Advice { text: format!("write \"{text}\""), title, edit })
    }

    /// A parameter with its type in the place of one without.
    pub(super) fn declare(at: Span, text: String, param: String) -> Advice {
        Advice { text, title: format!("Change to `{param}`"), edit: Edit::Replace(vec![(at, param)]) }
    }

    /// Parentheses around an expression.
    pub(super) fn around(at: Span, text: String) -> Advice {
        let edits = vec![(at.start(), "(".into()), (at.end(), ")".into())];
        Advice { text, title: "Put it in parentheses".into(), edit: Edit::Replace(edits) }
    }

    /// The diagnostic with this advice.
    pub(super) fn given(self, d: Diagnostic) -> Diagnostic {
        let d = d.help(self.text);
        match self.edit {
            Edit::Replace(edits) => d.fix_all(self.title, edits),
            Edit::Rename(at, name) => d.fix(self.title, at, name),
            Edit::Apply(span, function) => d.fix_apply(self.title, span, function),
        }
    }
}

impl Infer<'_> {
    /// A type for a message, where that of a number that may have several types is not a variable.
    pub(super) fn describe(&mut self, t: &Type) -> String {
        let Type::Meta(root) = self.st.head(t) else { return self.show(t) };
        match self.set_of(root).and_then(ScalarSet::word) {
            Some(word) if word.starts_with('i') => format!("an {word}"),
            Some(word) => format!("a {word}"),
            None => self.show(t),
        }
    }

    /// What to write instead of an application.
    pub(super) fn hint(&mut self, refused: &Refused<'_>) -> Option<Advice> {
        let name = refused.what.trim_matches('"');
        let arg = *refused.args.get(refused.at)?;
        let operator = name.rsplit('.').next()?.starts_with(|c: char| c.is_ascii_punctuation() && c != '_');
        let (expected, actual) = (self.st.zonk(refused.expected), self.st.zonk(refused.actual));
        if let Some(advice) = self.map_of_part(name, refused) {
            return Some(advice);
        }
        if let Some(advice) = map_of_several(name, refused.function, refused.args.len()) {
            return Some(advice);
        }
        if let Some(advice) = tuple_of_arguments(name, &expected, &actual, refused) {
            return Some(advice);
        }
        if let Some(advice) = self.operator_for(name, refused) {
            return Some(advice);
        }
        if let Some(advice) = self.function_of_elements(name, refused) {
            return Some(advice);
        }
        if let Some(advice) = self.function_first(name, refused) {
            return Some(advice);
        }
        if name == "-" && refused.at == 0 && matches!(actual, Type::Arrow(_)) {
            let negated = *refused.args.get(1)?;
            let (f, x) = (quote::exp(arg), quote::exp(negated));
            let minus = Span { lo: arg.span.hi, hi: negated.span.lo, ..arg.span };
            return Some(Advice {
                text: format!("this subtracts; to pass a negative argument, write \"{f} (-{x})\""),
                title: "Pass a negative argument".into(),
                edit: Edit::Replace(vec![(minus, " (-".into()), (negated.span.end(), ")".into())]),
            });
        }
        if let (ExpKind::Tuple(parts), false) =
            (&*arg.kind, matches!(expected, Type::Record(_) | Type::Meta(_)))
        {
            if !operator && refused.at + 1 == refused.args.len() && name != "function" {
                let before = &refused.args[..refused.at];
                let all: Vec<String> = before.iter().copied().chain(parts).map(quoted_argument).collect();
                return Some(Advice {
                    text: format!("arguments are separated by spaces: \"{name} {}\"", all.join(" ")),
                    title: "Separate the arguments by spaces".into(),
                    edit: Edit::Replace(separated(refused, parts)),
                });
            }
        }
        let expected = self.float_for(&expected);
        conversion(&expected, &actual, arg, refused.args, refused.at, operator)
    }

    /// A type with `f64` for a floating-point number of which no more is known.
    fn float_for(&mut self, t: &Type) -> Type {
        match t {
            Type::Array(u, size, elem) => Type::Array(*u, size.clone(), elem.with(self.float_for(elem))),
            Type::Meta(m) if self.set_of(*m) == Some(ScalarSet::floats()) => Type::scalar(ScalarType::F64),
            Type::Scalar(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_)
            | Type::Var(..)
            | Type::Meta(_)
            | Type::Error => t.clone(),
        }
    }

    /// Complains if the types do not match; with the conversion of a number.
    pub(super) fn expect_number(&mut self, e: &ast::Exp, headline: &str, expected: &Type, actual: &Type) {
        if let Err(m) = self.unify(expected, actual) {
            let d = self.type_error(e.span, headline, expected, actual, &m);
            let (expected, actual) = (self.st.zonk(expected), self.st.zonk(actual));
            let advice = conversion(&expected, &actual, e, &[], 0, false);
            let d = match advice {
                Some(advice) => advice.given(d),
                None => self.lacking(d, &expected, &actual),
            };
            self.report(d);
        }
    }

    /// `map (+) 1 xs`: the function is to be applied to a number first.
    fn map_of_part(&mut self, name: &str, refused: &Refused<'_>) -> Option<Advice> {
        let ("map", [f, first, array], [of, number, _]) = (name, refused.args, refused.types) else {
            return None;
        };
        let function = matches!(self.st.head(of), Type::Arrow(_));
        if !function || matches!(self.st.head(number), Type::Array(..)) || self.number_in(number).is_none() {
            return None;
        }
        let (f, first, array) = (quoted_argument(f), quoted_argument(first), quoted_argument(array));
        let operator = f.strip_prefix('(').and_then(|f| f.strip_suffix(')')).filter(|f| is_operator(f));
        let part = match operator {
            Some(op) => format!("{first} {op}"),
            None => format!("{f} {first}"),
        };
        let whole = refused.function.to(refused.args[2].span);
        Advice::rewrite(whole, format!("map ({part}) {array}"))
    }

    /// A function where its result is expected: which arguments it lacks.
    pub(super) fn lacking(&mut self, d: Diagnostic, expected: &Type, actual: &Type) -> Diagnostic {
        if matches!(self.st.head(expected), Type::Arrow(_) | Type::Meta(_) | Type::Error) {
            return d;
        }
        let before = self.st.clone();
        let mut lacking: Vec<Type> = vec![];
        let mut rest = self.st.head(actual);
        while let Type::Arrow(arrow) = &rest {
            lacking.push(arrow.lhs.clone());
            rest = self.st.head(&arrow.ret.ty);
        }
        let fits = !lacking.is_empty() && self.unify(expected, &rest).is_ok();
        self.st = before;
        let shown: Vec<String> = lacking.iter().map(|t| format!("\"{}\"", self.show(t))).collect();
        match &shown[..] {
            _ if !fits => d,
            [one] => d.help(format!("an argument is missing, of type {one}")),
            several => d.help(format!("arguments are missing, of types {}", several.join(", "))),
        }
    }

    /// `map xs f`.
    fn function_first(&mut self, name: &str, refused: &Refused<'_>) -> Option<Advice> {
        let ([array, function], [_, of], 0) = (refused.args, refused.types, refused.at) else { return None };
        let plain = name.starts_with(char::is_alphabetic) && name != "function";
        if !plain || matches!(self.st.head(refused.actual), Type::Arrow(_) | Type::Meta(_)) {
            return None;
        }
        let before = self.st.clone();
        let fits = matches!(self.st.head(of), Type::Arrow(_)) && self.unify(refused.expected, of).is_ok();
        self.st = before;
        let text = format!("{name} {} {}", quoted_argument(function), quoted_argument(array));
        Advice::rewrite(refused.function.to(function.span), text).filter(|_| fits)
    }
}

impl Infer<'_> {
    /// Operators that other languages use for more types: `x ^ 2`, `a & b`, `"a" + "b"`, `xs + 1`.
    fn operator_for(&mut self, op: &str, refused: &Refused<'_>) -> Option<Advice> {
        let [l, r] = refused.args else { return None };
        let types: Vec<Type> = refused.types.iter().map(|t| self.st.zonk(t)).collect();
        let scalar = |i: usize| scalar_of(types.get(i)?);
        let either = |wanted: &dyn Fn(ScalarType) -> bool| [0, 1].into_iter().filter_map(scalar).any(wanted);
        let text = matches!(*l.kind, ExpKind::Literal(ast::Literal::String(_)))
            || matches!(*r.kind, ExpKind::Literal(ast::Literal::String(_)));
        let other = match op {
            "^" if either(&|t| t.is_float()) => Some("**"),
            "&" if either(&|t| t == ScalarType::Bool) => Some("&&"),
            "|" if either(&|t| t == ScalarType::Bool) => Some("||"),
            "^" if either(&|t| t == ScalarType::Bool) => Some("!="),
            "+" if text => Some("++"),
            _ => None,
        };
        if let Some(other) = other {
            return Some(Advice {
                text: format!("write \"{} {other} {}\"", quote::exp(l), quote::exp(r)),
                title: format!("Change to `{other}`"),
                edit: Edit::Replace(vec![(refused.function, other.into())]),
            });
        }
        if text || !matches!(op, "+" | "-" | "*" | "/" | "%" | "**") {
            return None;
        }
        let rows = |i: usize| matches!(types.get(i), Some(Type::Array(_, _, e)) if scalar_of(e).is_some());
        let mut number = |i: usize| match types.get(i) {
            Some(Type::Scalar(t, _)) => t.is_integer() || t.is_float(),
            Some(Type::Meta(m)) => self.set_of(*m).is_some(),
            Some(_) | None => false,
        };
        let (left, right) = (quoted_argument(l), quoted_argument(r));
        let mapped = match (rows(0), rows(1)) {
            (true, true) => format!("map2 ({op}) {left} {right}"),
            (true, false) if number(1) => {
                match op {
                    // `(- 1)` is a number.
                    "-" => format!("map (\\x -> x - {right}) {left}"),
                    _ => format!("map ({op} {right}) {left}"),
                }
            }
            (false, true) if number(0) => {
                format!("map ({left} {op}) {right}")
            }
            (true | false, true | false) => return None,
        };
        Advice::rewrite(l.span.to(r.span), mapped)
    }

    /// A function of elements that was given an array, and a reduction without its neutral element.
    fn function_of_elements(&mut self, name: &str, refused: &Refused<'_>) -> Option<Advice> {
        let arg = *refused.args.get(refused.at)?;
        let actual = self.st.zonk(refused.actual);
        let Type::Array(_, _, elem) = &actual else { return None };
        let whole = refused.function.to(arg.span);
        if let ("reduce" | "reduce_comm" | "scan", 1, [op, _]) = (name, refused.at, refused.args) {
            let neutral = neutral(&quote::exp(op))?;
            return Advice::rewrite(
                whole,
                format!("{name} {} {neutral} {}", quoted_argument(op), quoted_argument(arg)),
            );
        }
        if let ("reduce" | "reduce_comm" | "scan", 1, [op, _, other]) = (name, refused.at, refused.args) {
            let array = refused.types.get(2).map(|t| self.st.head(t));
            let (op, other, arg) = (quoted_argument(op), quoted_argument(other), quoted_argument(arg));
            let turned = format!("{name} {op} {other} {arg}");
            return Advice::rewrite(refused.function.to(refused.args[2].span), turned)
                .filter(|_| !matches!(array, None | Some(Type::Array(..))));
        }
        if let ("reduce_by_index", 2, [bins, op, is, values]) = (name, refused.at, refused.args) {
            let neutral = neutral(&quote::exp(op))?;
            let args = [bins, op].map(|e| quoted_argument(e)).join(" ");
            let rest = [is, values].map(|e| quoted_argument(e)).join(" ");
            let all = refused.function.to(values.span);
            return Advice::rewrite(all, format!("{name} {args} {neutral} {rest}"));
        }
        let expected = scalar_of(&self.st.zonk(refused.expected))?;
        if scalar_of(elem) != Some(expected) || refused.args.len() != 1 || name == "function" {
            return None;
        }
        let (module, function) = name.rsplit_once('.').unwrap_or(("", name));
        match (module, function) {
            ("", _) | (_, "max" | "min") if !function.starts_with(|c: char| c.is_alphabetic()) => None,
            (module, "max" | "min") if !module.is_empty() => {
                Some(Advice::replace_name(refused.function, format!("{module}.{function}imum")))
            }
            _ => Advice::rewrite(whole, format!("map {name} {}", quoted_argument(arg))),
        }
    }
}

/// What an operator that is reduced with leaves as it is.
fn neutral(op: &str) -> Option<String> {
    Some(match op.trim_matches(|c| c == '(' || c == ')') {
        "+" | "|" | "^" => "0".into(),
        "*" => "1".into(),
        "&&" => "true".into(),
        "||" => "false".into(),
        named => {
            let (module, function) = named.rsplit_once('.')?;
            match function {
                "max" => format!("{module}.lowest"),
                "min" => format!("{module}.highest"),
                "+" => "0".into(),
                "*" => "1".into(),
                _ => return None,
            }
        }
    })
}

/// The scalar that a type is.
pub(super) fn scalar_of(t: &Type) -> Option<ScalarType> {
    if let Type::Scalar(t, _) = t {
        return Some(*t);
    }
    None
}

/// The operator for a function of two arguments elsewhere.
pub(super) fn infix_for(name: &str) -> Option<&'static str> {
    match name {
        "pow" | "power" | "expt" => Some("**"),
        _ => symbol_for(name).filter(|s| !s.starts_with(|c: char| c.is_alphabetic()) && *s != "!"),
    }
}

/// The edits that make arguments of the parts of a tuple: `(x, f y)` becomes ` x (f y)`.
fn separated(refused: &Refused<'_>, parts: &[ast::Exp]) -> Vec<(Span, String)> {
    let Some(tuple) = refused.args.get(refused.at).map(|a| a.span) else { return vec![] };
    let before = refused.at.checked_sub(1).map_or(refused.function, |i| refused.args[i].span);
    let mut edits = vec![];
    // Where the last part ended, and what separates it from the next one.
    let (mut end, mut separator) = (tuple.lo, if before.hi == tuple.lo { " " } else { "" });
    let mut closing = "";
    for part in parts {
        let opening = if is_operand(part) { "" } else { "(" };
        let between = Span { lo: end, hi: part.span.lo, ..tuple };
        edits.push((between, format!("{closing}{separator}{opening}")));
        closing = if is_operand(part) { "" } else { ")" };
        (end, separator) = (part.span.hi, " ");
    }
    edits.push((Span { lo: end, ..tuple }, closing.to_owned()));
    edits
}

/// `f x y`, where `f` takes a pair.
fn tuple_of_arguments(name: &str, expected: &Type, actual: &Type, refused: &Refused<'_>) -> Option<Advice> {
    let (Type::Record(parts), parted) = (expected, refused.args.get(refused.at..)?) else { return None };
    let plain = name.starts_with(char::is_alphabetic) && name != "function";
    if !plain || !is_tuple(parts) || parts.len() != parted.len() || matches!(actual, Type::Record(_)) {
        return None;
    }
    let tuple: Vec<String> = parted.iter().map(|e| quote::exp(e)).collect();
    let before = refused.args[..refused.at].iter().map(|e| quoted_argument(e));
    let all: Vec<String> = before.chain([format!("({})", tuple.join(", "))]).collect();
    let whole = refused.function.to(parted.last()?.span);
    Advice::rewrite(whole, format!("{name} {}", all.join(" ")))
}

/// `map f xs ys`.
pub(super) fn map_of_several(name: &str, at: Span, args: usize) -> Option<Advice> {
    let arrays = args.checked_sub(1)?;
    (name == "map" && (2..=5).contains(&arrays)).then(|| Advice {
        text: format!("\"map\" takes one array; \"map{arrays}\" takes {arrays}"),
        title: format!("Change to `map{arrays}`"),
        edit: Edit::Replace(vec![(at, format!("map{arrays}"))]),
    })
}

/// `x and y`: a value applied to a word that is an operator elsewhere.
pub(super) fn word_operator(what: &str, args: &[&ast::Exp]) -> Option<Advice> {
    let [op, rest @ ..] = args else { return None };
    let ExpKind::Var(q) = &*op.kind else { return None };
    let symbol = symbol_for(q.name.name.as_str()).filter(|_| q.quals.is_empty())?;
    let right = match rest {
        [] => "...".to_owned(),
        [one] => quote::exp(one),
        [..] => rest.iter().map(|e| quoted_argument(e)).collect::<Vec<_>>().join(" "),
    };
    Some(Advice {
        text: format!("this applies a value; write \"{} {symbol} {right}\"", what.trim_matches('"')),
        title: format!("Change to `{symbol}`"),
        edit: Edit::Replace(vec![(q.span, symbol.into())]),
    })
}

/// What other languages call differently.
pub(super) fn other_name(qualifier: Option<Symbol>, name: Symbol) -> Option<String> {
    let scalar = |s: &str| ScalarType::ALL.into_iter().find(|t| t.as_str() == s);
    let name = name.as_str();
    match qualifier {
        Some(from) => {
            let to = name.strip_prefix("to_").or_else(|| name.strip_prefix("from_"))?;
            let (from, to) = (scalar(from.as_str())?, scalar(to)?);
            let (from, to) = if name.starts_with("to_") { (from, to) } else { (to, from) };
            Some(format!("{}.{}", to.as_str(), from.as_str()))
        }
        None if name == "unsafe" => Some("#[unsafe]".into()),
        None => symbol_for(name).map(str::to_owned),
    }
}

/// The field that may be meant where there is none of that name.
pub(super) fn other_field(d: Diagnostic, wrong: ast::Ident, fields: &[(Symbol, Type)]) -> Diagnostic {
    if let Some(near) = closest(wrong.name, fields.iter().map(|(f, _)| *f)) {
        return d.help(format!("there is \"{near}\"")).fix(
            format!("Change to `{near}`"),
            wrong.span,
            near.as_str(),
        );
    }
    let names: Vec<&str> = fields.iter().map(|(f, _)| f.as_str()).collect();
    match &names[..] {
        [] => d,
        _ if is_tuple(fields) => {
            d.help(format!("the components of a tuple are its fields {}", names.join(", ")))
        }
        _ => d.help(format!("its fields are {}", names.join(", "))),
    }
}

/// What is said differently, not only called differently.
pub(super) fn other_form(name: Symbol) -> Option<&'static str> {
    match name.as_str() {
        "return" => Some("the body of a function is its result, without a word before it"),
        "print" | "printf" | "println" | "putStrLn" | "show" => {
            Some("a program prints nothing itself; mark an expression with #[trace] to see its value")
        }
        "as" => Some("numbers are converted by the module of the new type, as in f32.i32 x"),
        "enumerate" => Some("elements with their places are written zip (indices xs) xs"),
        "=>" | "lambda" | "fun" | "fn" => Some("a function is written \\x -> x + 1"),
        "zeros" => Some("an array of equal elements is written replicate n 0"),
        "ones" => Some("an array of equal elements is written replicate n 1"),
        "pow" | "power" | "expt" => Some("a power is written x ** y"),
        "mean" | "average" | "avg" => Some("a mean is written f64.sum xs / f64.i64 (length xs)"),
        "dot" => Some("a sum of products is written f64.sum (map2 (*) xs ys)"),
        "sort" | "sorted" | "sort_by" | "sort_by_key" | "argsort" | "radix_sort" | "merge_sort" => Some(
            "sorting is in a package: `fehu pkg add github.com/diku-dk/sorts`, and import its radix_sort or merge_sort",
        ),
        "rand" | "random" | "rng" | "uniform" | "randn" => Some(
            "random numbers are in a package: `fehu pkg add github.com/diku-dk/cpprandom`, and import its random",
        ),
        "reshape" => {
            Some("an array is flattened by flatten, and unflatten gives it rows: unflatten (xs :> [2 * 3]i32)")
        }
        "concat_to" => Some("the size of a concatenation is written behind it: xs ++ ys :> [n]i32"),
        "stream_map" | "map_stream" | "map_stream_per" => {
            Some("write map: the compiler chooses how much each thread does")
        }
        "stream_red" | "reduce_stream" | "reduce_stream_per" => {
            Some("write reduce: the compiler chooses how much each thread does")
        }
        "range" | "arange" => Some("numbers in order are written iota n, or a..<b"),
        "flatten_to" => Some("the size of a flattened array is written behind it: flatten xss :> [n]i32"),
        "None" | "nil" | "Nothing" | "NULL" => {
            Some("a type can have a constructor for no value, as in #none | #some i32")
        }
        _ => None,
    }
}

/// `s += i` gives `s` another value elsewhere, `xs[i] <- x` an element of `xs`.
pub(super) fn assigning(op: &str, l: &ast::Exp, r: &ast::Exp) -> Option<Advice> {
    if let (ExpKind::Index(array, _), "<-") = (&*l.kind, op) {
        let (whole, array) = (quote::exp(l), quote::exp(array));
        let text = format!("{array} with {} = {}", whole.strip_prefix(&array)?, quote::exp(r));
        return Advice::rewrite(l.span.to(r.span), text);
    }
    let plain = op.strip_suffix('=').filter(|op| matches!(*op, "+" | "-" | "*" | "**" | "&" | "|"))?;
    let between = Span { lo: l.span.hi, hi: r.span.lo, ..l.span };
    Some(Advice {
        text: format!("no value changes; the new one is \"{} {plain} {}\"", quote::exp(l), quote::exp(r)),
        title: format!("Change to `{plain}`"),
        edit: Edit::Replace(vec![(between, format!(" {plain} "))]),
    })
}

fn symbol_for(word: &str) -> Option<&'static str> {
    match word {
        "/=" | "<>" | "~=" => Some("!="),
        "and" | "&&&" => Some("&&"),
        "or" | "|||" => Some("||"),
        "not" => Some("!"),
        "mod" | "rem" => Some("%"),
        "div" => Some("/"),
        "xor" => Some("^"),
        "True" => Some("true"),
        "False" => Some("false"),
        "len" | "size" => Some("length"),
        "T" => Some("transpose"),
        "fold" => Some("reduce"),
        _ => None,
    }
}

pub(super) fn quoted_argument(e: &ast::Exp) -> String {
    let text = quote::exp(e);
    if is_operand(e) {
        text
    } else {
        format!("({text})")
    }
}

/// Whether an expression can stand as an argument without parentheses.
fn is_operand(e: &ast::Exp) -> bool {
    matches!(
        &*e.kind,
        ExpKind::Var(_)
            | ExpKind::Literal(_)
            | ExpKind::Parens(_)
            | ExpKind::Tuple(_)
            | ExpKind::Array(_)
            | ExpKind::SectionLeft(..)
            | ExpKind::SectionRight(..)
            | ExpKind::SectionAccess(_)
    )
}

/// A result that is a number of another type than the function has: how to convert it.
pub(super) fn result_conversion(expected: &Type, actual: &Type, body: &ast::Exp) -> Option<Advice> {
    let mut result = body;
    while let ExpKind::Let { body, .. } | ExpKind::LetUpdate { body, .. } | ExpKind::LetFun(_, body) =
        &*result.kind
    {
        result = body;
    }
    conversion(expected, actual, result, &[], 0, false)
}

/// Numbers of one type where those of another are needed: how to convert them. Of two operands, an integer becomes a
/// floating-point number and not the other way around.
fn conversion(
    expected: &Type,
    actual: &Type,
    arg: &ast::Exp,
    args: &[&ast::Exp],
    at: usize,
    operator: bool,
) -> Option<Advice> {
    let (to, from, depth) = element_types(expected, actual)?;
    let number = |t: ScalarType| t.is_integer() || t.is_float();
    if !number(to) || !number(from) || to == from {
        return None;
    }
    let left = operator && at == 1 && depth == 0 && from.is_float() && to.is_integer();
    let (to, from, arg) = if left { (from, to, *args.first()?) } else { (to, from, arg) };
    let maps = "map (".repeat(depth.saturating_sub(1));
    let map = if depth > 0 { "map " } else { "" };
    let closing = ")".repeat(depth.saturating_sub(1));
    let by = format!("{}.{}", to.as_str(), from.as_str());
    let function = format!("{maps}{map}{by}{closing}");
    Some(Advice {
        text: format!("convert with \"{function} {}\"", quoted_argument(arg)),
        title: format!("Convert with `{function}`"),
        edit: Edit::Apply(arg.span, function),
    })
}

/// The scalars of two arrays of as many dimensions.
fn element_types(expected: &Type, actual: &Type) -> Option<(ScalarType, ScalarType, usize)> {
    match (expected, actual) {
        (Type::Scalar(a, _), Type::Scalar(b, _)) => Some((*a, *b, 0)),
        (Type::Array(_, _, a), Type::Array(_, _, b)) => {
            element_types(a, b).map(|(a, b, depth)| (a, b, depth + 1))
        }
        _ => None,
    }
}
