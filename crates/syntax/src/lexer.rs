//! Text to words. The lexer never fails: what is no word becomes
//! [`TokenKind::Unknown`] and an error, and lexing goes on behind it.

pub(crate) mod literal;

use crate::ast::Doc;
use crate::token::{Comment, Token, TokenKind};
use fehu_base::{Diagnostic, FileId, Span};

/// What the lexer found in a text.
pub(crate) struct Lexed {
    /// The words; the last one is [`TokenKind::Eof`].
    pub(crate) tokens: Vec<Token>,
    /// All comment lines.
    pub(crate) comments: Vec<Comment>,
    /// The documentation comments, each with the index of the word that follows it.
    pub(crate) docs: Vec<(usize, Doc)>,
    /// What was wrong.
    pub(crate) errors: Vec<Diagnostic>,
}

/// Splits a text into words.
pub(crate) fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexed = lex_part(file, text, 0..text.len());
    let end = text.len() as u32;
    lexed.tokens.push(Token { kind: TokenKind::Eof, span: Span::new(file, end, end) });
    lexed
}

/// Splits a part of a text into words, without an [`TokenKind::Eof`].
pub(crate) fn lex_part(file: FileId, text: &str, part: std::ops::Range<usize>) -> Lexed {
    let mut lexer = Lexer {
        file,
        text: text.get(..part.end).unwrap_or(text),
        pos: part.start,
        plain_until: 0,
        out: Lexed { tokens: vec![], comments: vec![], docs: vec![], errors: vec![] },
    };
    lexer.run();
    lexer.out
}

/// Whether a character can start an operator.
fn is_symbol_start(c: u8) -> bool {
    matches!(c, b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'!' | b'>' | b'<' | b'|' | b'&' | b'^')
}

fn is_symbol(c: u8) -> bool {
    is_symbol_start(c) || c == b'.'
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    pos: usize,
    /// Up to where dotted names are known not to end in an operator.
    plain_until: usize,
    out: Lexed,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        while self.pos < self.text.len() {
            let c = self.byte(0);
            if c.is_ascii_whitespace() {
                self.pos += 1;
            } else if c == b'-' && self.byte(1) == b'-' {
                self.comments();
            } else {
                let lo = self.pos;
                let kind = self.token();
                debug_assert!(self.pos > lo);
                let span = self.span(lo);
                self.out.tokens.push(Token { kind, span });
            }
        }
    }

    /// The byte `n` ahead; 0 past the end.
    fn byte(&self, n: usize) -> u8 {
        self.text.as_bytes().get(self.pos + n).copied().unwrap_or(0)
    }

    fn span(&self, lo: usize) -> Span {
        Span::new(self.file, lo as u32, self.pos as u32)
    }

    fn error(&mut self, lo: usize, message: impl Into<String>) -> TokenKind {
        let span = self.span(lo);
        self.out.errors.push(Diagnostic::error(span, message));
        TokenKind::Unknown
    }

    /// A comment line; a documentation comment with all lines that continue it.
    fn comments(&mut self) {
        let doc = self.rest().starts_with("-- |");
        let lo = self.pos;
        let mut text = String::new();
        loop {
            let line_lo = self.pos;
            let line = self.rest().split('\n').next().unwrap_or("").trim_end_matches('\r');
            self.pos += line.len();
            let span = self.span(line_lo);
            self.out.comments.push(Comment { text: line.to_owned(), span, doc });
            if !doc {
                return;
            }
            let body = line.strip_prefix(if line_lo == lo { "-- |" } else { "--" }).unwrap_or("");
            if line_lo != lo {
                text.push('\n');
            }
            text.push_str(body.strip_prefix(' ').unwrap_or(body));
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let (gap, next) = rest.split_at(blank);
            if gap.matches('\n').count() == 1 && next.starts_with("--") {
                self.pos += blank;
            } else {
                break;
            }
        }
        let span = self.span(lo);
        self.out.docs.push((self.out.tokens.len(), Doc { text, span }));
    }

    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    fn token(&mut self) -> TokenKind {
        let c = self.byte(0);
        if c.is_ascii_digit() {
            return self.number();
        }
        if let Some((kind, len)) = self.punctuation() {
            self.pos += len;
            return kind;
        }
        if is_symbol_start(c) {
            return self.symbol();
        }
        match c {
            b'\'' => return self.quote(),
            b'"' => return self.string(),
            b'#' => return self.hash(),
            _ => {}
        }
        let lo = self.pos;
        match self.rest().chars().next() {
            Some(first) if is_name_start(first) => self.name(),
            first => {
                let first = first.unwrap_or(' ');
                self.pos += first.len_utf8();
                self.error(lo, format!("Unexpected token: '{first}'"));
                match first {
                    '$' => {
                        self.fix("Change to `<|`", lo..self.pos, "<|");
                        self.help("a function is applied to all that follows by '<|': f <| x * 2")
                    }
                    ';' => {
                        self.help("there is no ';': a 'let' ends with 'in', and fields are separated by ','")
                    }
                    _ => TokenKind::Unknown,
                }
            }
        }
    }

    /// Words of fixed text that are no operators.
    fn punctuation(&self) -> Option<(TokenKind, usize)> {
        use TokenKind::*;
        Some(match (self.byte(0), self.byte(1), self.byte(2)) {
            (b'(', ..) => (LParen, 1),
            (b')', ..) => (RParen, 1),
            (b'[', ..) => (LBracket, 1),
            (b']', ..) => (RBracket, 1),
            (b'{', ..) => (LBrace, 1),
            (b'}', ..) => (RBrace, 1),
            (b'#', b'[', _) => (HashBracket, 2),
            (b',', ..) => (Comma, 1),
            (b':', b'>', _) => (ColonGreater, 2),
            (b':', ..) => (Colon, 1),
            (b'`', ..) => (Backquote, 1),
            (b'\\', ..) => (Backslash, 1),
            (b'~', ..) => (Tilde, 1),
            (b'?', b'?', b'?') => (Hole, 3),
            (b'?', ..) => (Question, 1),
            (b'.', b'.', b'.') => (ThreeDots, 3),
            (b'.', b'.', b'<') => (TwoDotsLess, 3),
            (b'.', b'.', b'>') => (TwoDotsGreater, 3),
            (b'.', b'.', _) => (TwoDots, 2),
            (b'.', ..) => (Dot, 1),
            _ => return None,
        })
    }

    fn symbol(&mut self) -> TokenKind {
        let lo = self.pos;
        while is_symbol(self.byte(0)) {
            self.pos += 1;
        }
        match &self.text[lo..self.pos] {
            "-" => TokenKind::Minus,
            "!" => TokenKind::Bang,
            "*" => TokenKind::Star,
            "<" => TokenKind::Less,
            "|" => TokenKind::Bar,
            "^" => TokenKind::Hat,
            "=" => TokenKind::Equals,
            "->" => TokenKind::Arrow,
            _ => TokenKind::Op,
        }
    }

    /// A name, a reserved word, or the whole of a qualified operator `m.n.+`.
    fn name(&mut self) -> TokenKind {
        let lo = self.pos;
        self.name_chars();
        let text = &self.text[lo..self.pos];
        if text == "_" {
            return TokenKind::Underscore;
        }
        if let Some(keyword) = TokenKind::keyword(text) {
            return keyword;
        }
        let end = self.pos;
        while end >= self.plain_until && self.byte(0) == b'.' {
            if is_symbol_start(self.byte(1)) {
                self.pos += 1;
                self.symbol();
                return TokenKind::QualOp;
            }
            self.pos += 1;
            if !self.rest().starts_with(is_name_start) {
                break;
            }
            let part = self.pos;
            self.name_chars();
            if TokenKind::keyword(&self.text[part..self.pos]).is_some() {
                break;
            }
        }
        self.plain_until = self.plain_until.max(self.pos);
        self.pos = end;
        TokenKind::Ident
    }

    fn name_chars(&mut self) {
        while matches!(self.byte(0), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'\'') {
            self.pos += 1;
        }
        if self.byte(0).is_ascii() {
            return;
        }
        let rest = self.rest();
        self.pos += rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
    }

    fn hash(&mut self) -> TokenKind {
        let lo = self.pos;
        self.pos += 1;
        if self.rest().starts_with(is_name_start) {
            self.name_chars();
            TokenKind::Constructor
        } else {
            self.error(lo, "Unexpected token: '#'");
            let space = self.rest().len() - self.rest().trim_start_matches(' ').len();
            if space > 0 && self.rest()[space..].starts_with(is_name_start) {
                self.fix("Remove the space", self.pos..self.pos + space, "");
            }
            self.help("a constructor is written #name and an attribute #[name], without space after #; comments begin with --")
        }
    }

    /// Adds a remedy to the error just made.
    fn help(&mut self, text: &str) -> TokenKind {
        if let Some(e) = self.out.errors.last_mut() {
            e.help = Some(text.to_owned());
        }
        TokenKind::Unknown
    }

    /// Adds an edit to the error just made.
    fn fix(&mut self, title: &str, at: std::ops::Range<usize>, text: &str) {
        let span = Span::new(self.file, at.start as u32, at.end as u32);
        if let Some(e) = self.out.errors.pop() {
            self.out.errors.push(e.fix(title, span, text));
        }
    }

    /// A character literal or the mark of a type parameter.
    fn quote(&mut self) -> TokenKind {
        let mut chars = self.rest()[1..].chars();
        match chars.next() {
            Some('\\') => {
                let lo = self.pos;
                return match literal::escape(&self.rest()[1..]) {
                    Some((Some(_), len)) if self.rest()[1 + len..].starts_with('\'') => {
                        self.pos += len + 2;
                        TokenKind::Char
                    }
                    _ => {
                        self.pos += 2;
                        self.error(lo, "Unknown escape in a character literal.")
                    }
                };
            }
            Some(c) if c != '\'' && c != '\n' && chars.next() == Some('\'') => {
                self.pos += c.len_utf8() + 2;
                return TokenKind::Char;
            }
            _ => {}
        }
        let (kind, len) = match self.byte(1) {
            b'~' => (TokenKind::QuoteTilde, 2),
            b'^' => (TokenKind::QuoteHat, 2),
            _ => (TokenKind::Quote, 1),
        };
        self.pos += len;
        kind
    }

    fn string(&mut self) -> TokenKind {
        let lo = self.pos;
        self.pos += 1;
        loop {
            match self.byte(0) {
                b'"' => {
                    self.pos += 1;
                    return TokenKind::String;
                }
                b'\n' | 0 if self.byte(0) == b'\n' || self.pos >= self.text.len() => {
                    self.error(lo, "Unclosed string literal.");
                    self.fix("End the string here", self.pos..self.pos, "\"");
                    return self.help("end the string with \" on the line where it starts");
                }
                b'\\' => match literal::escape(self.rest()) {
                    Some((_, len)) => self.pos += len,
                    None => {
                        let at = self.pos;
                        self.pos += 1;
                        self.error(at, "Unknown escape in a string literal.");
                    }
                },
                _ => self.pos += 1,
            }
        }
    }

    /// A number. Behind a dot or `with` it is a field: digits only, so that
    /// `x.0.1` is two fields and not a float.
    fn number(&mut self) -> TokenKind {
        let lo = self.pos;
        let field = matches!(self.out.tokens.last().map(|t| t.kind), Some(TokenKind::Dot | TokenKind::With));
        let (kind, len) = if field {
            (TokenKind::Int, literal::digits(self.rest(), 10))
        } else {
            literal::number(self.rest())
        };
        self.pos += len;
        if self.rest().starts_with(is_name_start) {
            self.name_chars();
            let text = self.text[lo..self.pos].to_owned();
            self.error(lo, format!("Invalid number literal '{text}'."));
            let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let suffix = match &text[number.len()..] {
                "f" | "F" => "f32",
                "d" | "D" => "f64",
                "u" | "U" => "u32",
                "l" | "L" => "i64",
                _ => "",
            };
            if !suffix.is_empty() {
                self.fix(
                    &format!("Change to `{number}{suffix}`"),
                    lo..self.pos,
                    &format!("{number}{suffix}"),
                );
            }
            return self.help(
                "a suffix must be one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, and fit the number",
            );
        }
        kind
    }
}
