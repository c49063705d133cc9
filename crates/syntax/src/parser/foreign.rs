//! What other languages write, where a word does not belong: the form that was probably meant.
//!
//! In: the error about the current word, and what was expected. Out: the error, with help and an edit where one form is likely.
//!
//! ```text
//! fun f x = x             functions are defined with 'def'
//! case 1 => 2             '->'
//! def f (x: i32) -> i32   the result type stands behind ':'
//! ```

use super::Parser;
use crate::token::TokenKind;
use fehu_base::Diagnostic;

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
        "//" | "///" if expected.starts_with("a declaration") || expected.contains("expression") => {
            change("comments begin with '--'", "--")
        }
        _ if text.starts_with("/*") || text.starts_with("//") => error.help("comments begin with '--'"),
        "->" if expected.contains("':'") => change("the result type stands behind ':'", ":"),
        "=>" if expected.contains("'->'") => change("this is written '->'", "->"),
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
