//! The tokens of IR text.

use super::ReadError;

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// From 1.
    pub(super) line: usize,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind<'a> {
    /// Letters, digits, `_` and `'`.
    Word(&'a str),
    /// A name whose base is in backquotes.
    Quoted(String, u32),
    /// A number with or without a type, possibly negative.
    Num(&'a str),
    Str(String),
    Punct(char),
    End,
}

impl Token<'_> {
    pub(super) fn is_word(&self, w: &str) -> bool {
        matches!(self.kind, Kind::Word(v) if v == w)
    }

    pub(super) fn is_punct(&self, c: char) -> bool {
        self.kind == Kind::Punct(c)
    }

    pub(super) fn describe(&self) -> String {
        match &self.kind {
            Kind::Word(w) => format!("'{w}'"),
            Kind::Quoted(base, n) => format!("'`{base}`_{n}'"),
            Kind::Num(n) => format!("'{n}'"),
            Kind::Str(s) => format!("{s:?}"),
            Kind::Punct(c) => format!("'{c}'"),
            Kind::End => "the end".into(),
        }
    }
}

/// All tokens of a text, and an end token.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ReadError> {
    let mut lexer = Lexer { text, pos: 0, line: 1 };
    let mut tokens = vec![];
    loop {
        let token = lexer.token()?;
        let end = token.kind == Kind::End;
        tokens.push(token);
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    /// Takes characters as long as the test holds.
    fn while_(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.pos += end;
        &rest[..end]
    }

    fn skip(&mut self) {
        loop {
            if self.rest().starts_with("--") {
                self.while_(|c| c != '\n');
            } else if self.peek().is_some_and(char::is_whitespace) {
                self.bump();
            } else {
                return;
            }
        }
    }

    fn token(&mut self) -> Result<Token<'a>, ReadError> {
        self.skip();
        let line = self.line;
        let kind = self.kind()?;
        Ok(Token { kind, line })
    }

    fn kind(&mut self) -> Result<Kind<'a>, ReadError> {
        let start = self.pos;
        let Some(c) = self.peek() else { return Ok(Kind::End) };
        if c.is_alphabetic() || c == '_' {
            return Ok(Kind::Word(self.while_(|c| c.is_alphanumeric() || c == '_' || c == '\'')));
        }
        let after_minus = if c == '-' { &self.rest()[1..] } else { "" };
        let negative_inf = ["inff16", "inff32", "inff64"].iter().any(|w| after_minus.starts_with(w));
        if negative_inf {
            self.bump();
            self.while_(char::is_alphanumeric);
            return Ok(Kind::Num(&self.text[start..self.pos]));
        }
        if c.is_ascii_digit() || after_minus.starts_with(|c: char| c.is_ascii_digit()) {
            self.number();
            return Ok(Kind::Num(&self.text[start..self.pos]));
        }
        self.bump();
        match c {
            '"' => Ok(Kind::Str(self.quoted('"')?)),
            '`' => {
                let base = self.quoted('`')?;
                let number = self.rest().strip_prefix('_').map(|_| {
                    self.bump();
                    self.while_(|c| c.is_ascii_digit())
                });
                match number.and_then(|n| n.parse().ok()) {
                    Some(number) => Ok(Kind::Quoted(base, number)),
                    None => self.fail("a name without a number"),
                }
            }
            _ => Ok(Kind::Punct(c)),
        }
    }

    fn number(&mut self) {
        if self.peek() == Some('-') {
            self.bump();
        }
        let digit = |c: char| c.is_ascii_digit();
        self.while_(digit);
        if self.rest().starts_with('.') && self.rest()[1..].starts_with(digit) {
            self.bump();
            self.while_(digit);
        }
        if self.rest().starts_with('e') {
            self.bump();
            if self.peek() == Some('-') {
                self.bump();
            }
            self.while_(digit);
        }
        self.while_(|c| c.is_ascii_alphanumeric());
    }

    fn quoted(&mut self, end: char) -> Result<String, ReadError> {
        let mut text = String::new();
        loop {
            match self.bump() {
                None => return self.fail("a string without end"),
                Some(c) if c == end => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        match self.bump() {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('r') => Ok('\r'),
            Some('0') => Ok('\0'),
            Some(c @ ('\\' | '"' | '\'' | '`')) => Ok(c),
            Some('u') => {
                let hex = self.rest().strip_prefix('{').and_then(|r| r.split_once('}'));
                let c = hex.and_then(|(h, _)| Some((u32::from_str_radix(h, 16).ok()?, h.len())));
                match c.and_then(|(code, len)| Some((char::from_u32(code)?, len))) {
                    Some((c, len)) => {
                        self.pos += len + 2;
                        Ok(c)
                    }
                    None => self.fail("bad escape"),
                }
            }
            _ => self.fail("bad escape"),
        }
    }

    fn fail<T>(&self, message: &str) -> Result<T, ReadError> {
        Err(ReadError { line: self.line, message: message.into() })
    }
}
