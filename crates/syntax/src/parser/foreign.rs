//! What other languages write, where a word does not belong: the form that was probably meant.
//!
//! In: the error about the current word, and what was expected. Out: the error, with help and an edit where
//! one form is likely.
//!
//! ```text
//! fun f x = x             functions are defined with 'def'
//! case 1 => 2             '->'
//! (x -> x + 1)            a function is written \x -> x + 1
//! def f (x: i32) -> i32   the result type stands behind ':'
//! ```

use super::Parser;
use crate::token::{Token, TokenKind};
use fehu_base::{Diagnostic, Span};

/// The error about the current word, with what to write instead.
pub(super) fn meant(p: &Parser<'_>, error: Diagnostic, expected: &str) -> Diagnostic {
    let span = p.span();
    let text = p.text_of(span);
    let change =
        |help: &str, to: &str| error.clone().help(help).fix(format!("Change to `{}`", to.trim()), span, to);
    match text {
        "fun" | "function" | "fn" | "func" | "define" | "const" | "var"
            if expected.starts_with("a declaration") =>
        {
            change("functions and constants are defined with 'def'", "def")
        }
        "struct" | "record" if expected.starts_with("a declaration") => {
            error.help("a type is defined with 'type', as in type point = {x: f32, y: f32}")
        }
        "data" | "enum" | "union" if expected.starts_with("a declaration") => error.help(
            "a type of alternatives is defined with 'type', as in type shape = #circle f32 | #square f32",
        ),
        "->" if expected == "')'" => lambda(p, error),
        "=" if expected.contains("the end of the declaration") => declared(p, error),
        _ if expected == "':' and the type of the field" && body_in_braces(p) => {
            error.help("the body of a function stands behind '=', without braces")
        }
        "//" | "///" if expected.starts_with("a declaration") || expected.contains("expression") => {
            change("comments begin with '--'", "--")
        }
        _ if text.starts_with("/*") || text.starts_with("//") => error.help("comments begin with '--'"),
        "->" if expected.contains("':'") => change("the result type stands behind ':'", ":"),
        "=>" if expected.contains("'->'") => change("this is written '->'", "->"),
        "{" | "-" if p.text_of(around(span)).contains("{-") => block_comment(p, error),
        "." if matches!(p.kind_at(1), TokenKind::Int | TokenKind::Float) && adjacent(p) => {
            let digits = p.text_of(p.tokens[p.pos + 1].span);
            error.help(format!("a number begins with a digit: 0.{digits}")).fix(
                "Put a digit before the point",
                span.start(),
                "0",
            )
        }
        "<" | ">" | "," if type_arguments(p).is_some() => match type_arguments(p) {
            Some((at, name, params)) => error
                .help(format!("type parameters have a quote, and no brackets around them: {name}{params}"))
                .fix(format!("Change to `{}`", params.trim()), at, params),
            None => error,
        },
        "," if expected == "a parameter or '->'" => change("parameters are separated by spaces", ""),
        "|" if expected == "'}'" => {
            error.help("a record with another value for a field is written r with x = 1")
        }
        "|" if expected.contains("the end of the declaration") => {
            error.help("the constructors of a type begin with '#', as in #circle f32 | #square f32")
        }
        "}" if expected.starts_with("'=' and the value of the field") => {
            error.help("a record is written {x = 1}, and a choice if c then x else y")
        }
        _ if p.at(TokenKind::Ident) && expected.contains("the result of this case") => constructor(p, error),
        "." if expected == "a parameter or '->'" => change("a function is written \\x -> x + 1", " ->"),
        ":" if expected == "'}'" => change("a field gets its value by '='", " ="),
        "for" if expected == "']'" => {
            error.help("arrays are computed from others by functions, as in map (\\x -> x * 2) xs")
        }
        "?" => error.help("choose with 'if': if x > 0 then 1 else 2"),
        _ if p.at(TokenKind::Ident) && expected.starts_with("the path of a file") => {
            error.help("the path stands in quotes").fix_around("Put it in quotes", span, "\"", "\"")
        }
        _ if p.at(TokenKind::Quote) && expected.contains("expression") => {
            error.help("a text stands in double quotes, as in \"abc\"")
        }
        _ => error,
    }
}

/// `(x -> x + 1)` or `(fun x -> x + 1)`: what is before the arrow in the parentheses are parameters.
fn lambda(p: &Parser<'_>, error: Diagnostic) -> Diagnostic {
    let before = &p.tokens[..p.pos];
    let open = before.iter().rposition(|t| t.kind != TokenKind::Ident);
    let Some(([open], params)) = open.and_then(|i| before[i..].split_first_chunk::<1>()) else {
        return error;
    };
    let (Some(first), Some(last), TokenKind::LParen) = (params.first(), params.last(), open.kind) else {
        return error;
    };
    let word = matches!(p.text_of(first.span), "fun" | "fn" | "lambda") && params.len() > 1;
    let params = p.text_of(params[usize::from(word)].span.to(last.span));
    error.help("a function is written \\x -> x + 1").fix(
        format!("Change to `\\{params}`"),
        first.span.to(last.span),
        format!("\\{params}"),
    )
}

/// `var x = 1` in the body of a function.
fn declared(p: &Parser<'_>, error: Diagnostic) -> Diagnostic {
    let Some([word, name]) = p.pos.checked_sub(2).map(|i| [p.tokens[i], p.tokens[i + 1]]) else {
        return error;
    };
    let text = p.text_of(word.span);
    if name.kind != TokenKind::Ident || !matches!(text, "var" | "val" | "const" | "mut" | "auto") {
        return error;
    }
    let name = p.text_of(name.span);
    error.help(format!("a name is given to a value by 'let': let {name} = ...")).fix(
        format!("Change `{text}` to `let`"),
        word.span,
        "let",
    )
}

/// Whether the braces in which the current word stands follow a type.
fn body_in_braces(p: &Parser<'_>) -> bool {
    let open = p.tokens[..p.pos].iter().rposition(|t| t.kind == TokenKind::LBrace);
    open.and_then(|i| i.checked_sub(1)).is_some_and(|i| p.tokens[i].kind == TokenKind::Ident)
}

/// `case circle r`: the word before is a constructor.
fn constructor(p: &Parser<'_>, error: Diagnostic) -> Diagnostic {
    let Some(before) = p.pos.checked_sub(1).map(|i| p.tokens[i]) else { return error };
    if before.kind != TokenKind::Ident {
        return error;
    }
    let name = p.text_of(before.span);
    error.help(format!("constructors begin with '#': #{name}")).fix(
        format!("Change to `#{name}`"),
        before.span.start(),
        "#",
    )
}

/// The place with the characters at both sides.
fn around(span: Span) -> Span {
    Span { lo: span.lo.saturating_sub(1), hi: span.hi + 1, ..span }
}

/// Whether the next word directly follows the current one.
fn adjacent(p: &Parser<'_>) -> bool {
    p.tokens.get(p.pos + 1).is_some_and(|next| next.span.lo == p.span().hi)
}

/// `{- ... -}`, which is a line of its own or several.
fn block_comment(p: &Parser<'_>, error: Diagnostic) -> Diagnostic {
    let error = error.help("comments begin with '--', and end with the line");
    let from = around(p.span()).lo as usize;
    let Some(open) = p.text.get(from..).and_then(|t| t.find("{-")).map(|i| from + i) else { return error };
    let Some(close) = p.text[open..].find("-}").map(|i| open + i) else { return error };
    let place = |lo: usize| Span { lo: lo as u32, hi: lo as u32 + 2, ..p.span() };
    let rest = p.text[close + 2..].lines().next().unwrap_or("");
    if p.text[open..close].contains('\n') || !rest.trim().is_empty() {
        return error;
    }
    error.fix_all("Change to `--`", vec![(place(open), "--".into()), (place(close), String::new())])
}

/// `id<t, u>`: the place of what is in angle brackets, the name before it, and the parameters as they are written.
fn type_arguments<'a>(p: &Parser<'a>) -> Option<(Span, &'a str, String)> {
    let part = |t: &Token| t.kind == TokenKind::Ident || p.text_of(t.span) == ",";
    let here = usize::from(p.text_of(p.span()) == "<");
    let open = p.tokens[..p.pos + here].iter().rposition(|t| !part(t)).filter(|i| *i >= 2)?;
    let close = open + 1 + p.tokens[open + 1..].iter().position(|t| !part(t))?;
    let (name, keyword) = (p.tokens[open - 1], p.tokens[open - 2].kind);
    let definition = matches!(keyword, TokenKind::Def | TokenKind::Entry | TokenKind::Let);
    let [less, greater] = [open, close].map(|i| p.tokens[i].span);
    if !definition || name.kind != TokenKind::Ident || p.text_of(less) != "<" || p.text_of(greater) != ">" {
        return None;
    }
    let names = p.tokens[open..close].iter().filter(|t| t.kind == TokenKind::Ident);
    let params: String = names.map(|t| format!(" '{}", p.text_of(t.span))).collect();
    Some((less.to(greater), p.text_of(name.span), params))
}
