//! Source text to syntax tree.
//!
//! In: a file's text. Out: an [`ast::Prog`], the diagnostics met on the way,
//! and the comments. The parser recovers, so a tree comes back even from broken text, and
//! independent mistakes each get their message; nothing here panics,
//! overflows the stack or takes more than linear time, whatever the text.
//!
//! Start with [`ast`], the tree all later stages talk about. Then `token` (the
//! words), `lexer` (text to words; `lexer/literal` knows numbers and escapes)
//! and `parser` (words to tree), whose head comment says how it recovers and which
//! file holds what. `parser/fixity` is the table of operators. [`visit`] walks over trees.

#![forbid(unsafe_code)]
#![allow(clippy::wildcard_enum_match_arm, reason = "a parser asks for a few tokens of a vocabulary")]

pub mod ast;
mod lexer;
mod parser;
mod token;
pub mod visit;

pub use token::{Comment, Token, TokenKind};

use fehu_base::{Diagnostic, FileId};
use parser::Parser;

/// What became of a file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; complete if there are no errors.
    pub prog: ast::Prog,
    /// The errors, in the order of their places.
    pub errors: Vec<Diagnostic>,
    /// The first declaration that is missing in the tree, and that may define names: a broken type, module, or import.
    pub lost: Option<fehu_base::Span>,
    /// Declarations, or places in them, that are not in the tree as they were written.
    pub broken: Vec<fehu_base::Span>,
    /// All comments, in order: for the formatter and for test specifications.
    pub comments: Vec<Comment>,
    /// The words; the last one is [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
}

/// Parses a file.
pub fn parse(file: FileId, text: &str) -> Parsed {
    let mut lexed = lexer::lex(file, text);
    let comments = std::mem::take(&mut lexed.comments);
    let mut parser = Parser::new(text, lexed);
    let prog = parser.prog();
    parser.stray_docs();
    finished(prog, parser, comments)
}

/// The words of a part of a text, without comments.
pub fn words(file: FileId, text: &str, part: std::ops::Range<usize>) -> Vec<Token> {
    lexer::lex_part(file, text, part).tokens
}

/// Parses a file of which only these words count: those of some of its declarations.
pub fn parse_words(file: FileId, text: &str, mut words: Vec<Token>) -> Parsed {
    let end = text.len() as u32;
    words.push(Token { kind: TokenKind::Eof, span: fehu_base::Span::new(file, end, end) });
    let lexed = lexer::Lexed { tokens: words, comments: vec![], docs: vec![], errors: vec![] };
    let mut parser = Parser::new(text, lexed);
    let prog = parser.prog();
    finished(prog, parser, vec![])
}

fn finished(prog: ast::Prog, parser: Parser<'_>, comments: Vec<Comment>) -> Parsed {
    let Parser { lost, broken, tokens, errors, .. } = parser;
    Parsed { prog, errors: sorted(errors), lost, broken, comments, tokens }
}

/// Parses a text that is one expression, such as a line of the REPL.
pub fn parse_exp(file: FileId, text: &str) -> (ast::Exp, Vec<Diagnostic>) {
    let mut parser = Parser::new(text, lexer::lex(file, text));
    let exp = parser.exp();
    if exp.is_ok() {
        parser.expect_end();
    }
    let whole = fehu_base::Span::new(file, 0, text.len() as u32);
    (exp.unwrap_or_else(|_| parser::error_exp(whole)), sorted(parser.errors))
}

/// Parses a text that is one type expression; there is none after an error.
pub fn parse_type_exp(file: FileId, text: &str) -> (Option<ast::TypeExp>, Vec<Diagnostic>) {
    let mut parser = Parser::new(text, lexer::lex(file, text));
    let t = parser.type_exp().ok();
    if t.is_some() {
        parser.expect_end();
    }
    (t, sorted(parser.errors))
}

/// The words of a text, comments among them, without the end.
pub fn tokens(file: FileId, text: &str) -> Vec<Token> {
    let lexed = lexer::lex(file, text);
    let comments = lexed.comments.iter().map(|c| Token {
        kind: if c.doc { TokenKind::DocComment } else { TokenKind::Comment },
        span: c.span,
    });
    let mut all: Vec<Token> =
        lexed.tokens.iter().filter(|t| t.kind != TokenKind::Eof).copied().chain(comments).collect();
    all.sort_by_key(|t| t.span.lo);
    all
}

fn sorted(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    errors.sort_by_key(|e| (e.span.lo, e.span.hi));
    errors
}
