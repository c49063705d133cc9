//! Words to tree, by recursive descent.
//!
//! A parsing function that meets an error reports it and returns [`Failed`].
//! The failure travels up to the nearest place where the parser can find its
//! feet again: the closing bracket of a group, the next binding of a chain of
//! `let`s, or the next declaration. What was skipped becomes
//! [`ExpKind::Error`]; a value whose name was read stays defined. So each broken region yields one message, and regions
//! do not disturb each other.
//!
//! [`dec`] holds declarations, [`module`] module expressions and types,
//! [`types`] type expressions, [`pat`] patterns; expressions are spread over
//! [`exp`] (operators and what binds looser), [`binding`] (`let`, `loop`,
//! `match`, `if`, lambdas) and [`atom`] (what binds tightest).

mod atom;
mod binding;
mod dec;
mod exp;
mod fixity;
mod foreign;
mod group;
mod module;
mod pat;
mod types;

use crate::ast::{Doc, Exp, ExpKind, Ident, QualName};
use crate::lexer::Lexed;
use crate::token::{Token, TokenKind};
use fehu_base::{Diagnostic, Span, Symbol};

/// An error has been reported; someone above recovers.
#[derive(Debug)]
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

/// Types, patterns and modules nested deeper than this are refused, so that
/// what walks them may recurse.
const MAX_NESTING: u32 = 500;

/// Expressions nested deeper than this are refused. Long chains of bindings and operators are
/// deep trees, so what walks an expression makes room on the stack.
const MAX_EXP_NESTING: u32 = 200_000;

/// The state of parsing one text.
pub(crate) struct Parser<'a> {
    text: &'a str,
    pub(crate) tokens: Vec<Token>,
    pos: usize,
    /// Documentation comments and the words they precede; taken when attached.
    docs: Vec<(usize, Option<Doc>)>,
    /// How many of `docs` lie behind us.
    docs_seen: usize,
    pub(crate) errors: Vec<Diagnostic>,
    nesting: u32,
    /// The depth of the expression around the current word, or more.
    exp_nesting: u32,
    /// Whether the rest of the text was skipped; nothing more is reported.
    gave_up: bool,
    /// Braces that recovery stepped into; their closing ones are skipped.
    loose_braces: u32,
    /// Where the first declaration was that is not in the tree, and whose names are not known.
    pub(crate) lost: Option<Span>,
    /// Declarations that are in the tree but not as they were written.
    pub(crate) broken: Vec<Span>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, lexed: Lexed) -> Parser<'a> {
        Parser {
            text,
            tokens: lexed.tokens,
            pos: 0,
            docs: lexed.docs.into_iter().map(|(at, doc)| (at, Some(doc))).collect(),
            docs_seen: 0,
            broken: lexed.errors.iter().map(|e| e.span).collect(),
            errors: lexed.errors,
            nesting: 0,
            exp_nesting: 0,
            gave_up: false,
            loose_braces: 0,
            lost: None,
        }
    }

    /// The current word's kind.
    fn kind(&self) -> TokenKind {
        self.kind_at(0)
    }

    /// The kind of the word `n` ahead.
    fn kind_at(&self, n: usize) -> TokenKind {
        self.tokens.get(self.pos + n).map_or(TokenKind::Eof, |t| t.kind)
    }

    /// The current word. The list ends with [`TokenKind::Eof`], which is never passed.
    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// Where the word before the current one stands.
    fn prev_span(&self) -> Span {
        self.tokens[self.pos.saturating_sub(1)].span
    }

    /// From a first place to the last word consumed.
    fn since(&self, start: Span) -> Span {
        start.to(self.prev_span())
    }

    fn text_of(&self, span: Span) -> &'a str {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }

    /// Consumes the current word.
    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::Eof {
            self.pos += 1;
        }
        token
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Consumes the current word if it is of this kind.
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Parse<Token> {
        if self.at(kind) {
            Ok(self.bump())
        } else {
            Err(self.unexpected(what))
        }
    }

    /// Whether the current word directly follows the one before, without space.
    fn adjacent(&self) -> bool {
        self.pos > 0 && self.prev_span().hi == self.span().lo
    }

    /// Whether a `[` here indexes what stands before it: `a[i]`, not `f [i]`.
    fn at_index(&self) -> bool {
        use TokenKind::*;
        self.at(LBracket)
            && self.adjacent()
            && matches!(self.tokens[self.pos - 1].kind, Ident | RParen | RBracket | Int)
    }

    fn ident(&mut self, what: &str) -> Parse<Ident> {
        if !self.at(TokenKind::Ident) {
            return Err(self.not_a_name(what));
        }
        let span = self.bump().span;
        Ok(self.ident_of(span))
    }

    /// Reports that a name is missing. A reserved word in its place is passed,
    /// lest recovery takes it for the start of a declaration.
    fn not_a_name(&mut self, what: &str) -> Failed {
        let failed = self.unexpected(what);
        if self.kind().is_keyword() && self.column(self.span()) == usize::MAX {
            self.bump();
        }
        failed
    }

    fn ident_of(&self, span: Span) -> Ident {
        Ident { name: Symbol::new(self.text_of(span)), span }
    }

    /// `m.n.x`.
    fn qual_name(&mut self, what: &str) -> Parse<QualName> {
        let mut name = self.ident(what)?;
        let start = name.span;
        let mut quals = vec![];
        while self.eat(TokenKind::Dot) {
            quals.push(std::mem::replace(&mut name, self.ident("a name after the dot")?));
        }
        Ok(QualName { quals, name, span: start.to(name.span) })
    }

    /// Reports that the current word does not belong here.
    fn unexpected(&mut self, expected: &str) -> Failed {
        let error = self.unexpected_error(expected);
        self.report(error)
    }

    fn unexpected_error(&self, expected: &str) -> Diagnostic {
        let token = self.token();
        let text = self.text_of(token.span);
        let mut error = if token.kind == TokenKind::Eof {
            let end = Span { lo: self.prev_span().hi, hi: self.prev_span().hi, ..token.span };
            let at = if self.pos == 0 { token.span } else { end };
            Diagnostic::error(at, "Unexpected end of file.")
        } else {
            Diagnostic::error(token.span, format!("Unexpected token: '{text}'"))
        };
        error = foreign::meant(self, error.label(format!("expected {expected}")), expected);
        if token.kind.is_keyword() && expected.contains("name") {
            error = error.note(format!("'{text}' is a reserved word and cannot be used as a name"));
        }
        error
    }

    /// Reports an error, unless the lexer has already complained about this place.
    fn report(&mut self, error: Diagnostic) -> Failed {
        let lexed = self.at(TokenKind::Unknown) && error.span == self.span();
        if !self.gave_up && !lexed {
            self.errors.push(error);
        }
        Failed
    }

    /// Runs a parser of types, patterns or modules one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let outer = self.nesting;
        let result = self.deepen().and_then(|()| deep(|| parse(self)));
        self.nesting = outer;
        result
    }

    /// Counts a level that the tree grows by, also where no function recurses;
    /// undone by the [`Parser::nested`] around it.
    fn deepen(&mut self) -> Parse<()> {
        self.nesting += 1;
        if self.nesting <= MAX_NESTING {
            return Ok(());
        }
        Err(self.too_deep(format!("types, patterns and modules may be nested {MAX_NESTING} levels deep")))
    }

    /// Counts a level that an expression grows by; undone by the [`Parser::exp_level`] around it.
    fn deepen_exp(&mut self) -> Parse<()> {
        self.exp_nesting += 1;
        if self.exp_nesting <= MAX_EXP_NESTING {
            return Ok(());
        }
        Err(self.too_deep(format!("expressions may be nested {MAX_EXP_NESTING} levels deep")))
    }

    /// Runs a parser of expressions one level deeper.
    fn exp_level<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let outer = self.exp_nesting;
        let result = self.deepen_exp().and_then(|()| deep(|| parse(self)));
        self.exp_nesting = outer;
        result
    }

    fn too_deep(&mut self, limit: String) -> Failed {
        let failed = self.report(Diagnostic::error(self.span(), "This is nested too deeply.").note(limit));
        // Who writes this has no use for further messages.
        self.pos = self.tokens.len() - 1;
        self.gave_up = true;
        failed
    }

    /// After everything: documentation comments that document nothing.
    pub(crate) fn stray_docs(&mut self) {
        if self.gave_up {
            return;
        }
        let stray: Vec<Span> = self.docs.iter().flat_map(|(_, d)| d).map(|d| d.span).collect();
        for span in stray {
            let text = self.text.get(span.lo as usize..span.hi as usize).unwrap_or("");
            let bar = span.lo + text.find('|').unwrap_or(0) as u32;
            self.errors.push(
                Diagnostic::error(
                    span,
                    "Documentation comments ('-- |') are allowed only directly before declarations.",
                )
                .help("remove the '|' to make this an ordinary comment")
                .fix(
                    "Make this an ordinary comment",
                    Span { lo: bar, hi: bar + 1, ..span },
                    "",
                ),
            );
        }
    }

    /// Ends the parse of a piece of text that must be used up.
    pub(crate) fn expect_end(&mut self) {
        if !self.at(TokenKind::Eof) && self.errors.is_empty() {
            self.unexpected("the end of the text");
        }
    }
}

/// An expression that stands for what could not be read.
pub(crate) fn error_exp(span: Span) -> Exp {
    mk(ExpKind::Error, span)
}

fn mk(kind: ExpKind, span: Span) -> Exp {
    Exp { kind: Box::new(kind), span }
}

/// Makes room on the stack where text may nest without bound.
fn deep<T>(f: impl FnOnce() -> T) -> T {
    fehu_base::stack::with_room(128 * 1024, 2 * 1024 * 1024, f)
}
