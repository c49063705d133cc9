//! Atoms: literals, names, brackets of all kinds, and the fields and indices
//! that follow them without a space.

use super::exp::starts_atom;
use super::{error_exp, mk, Failed, Parse, Parser};
use crate::ast::{Access, Exp, ExpKind, FieldExp, Ident, Index, Literal, QualName};
use crate::lexer::literal;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    /// An atom with its fields and indices.
    pub(super) fn atom(&mut self, expected: &str) -> Parse<Exp> {
        let mut e = self.primary(expected)?;
        loop {
            if self.at(TokenKind::Dot) {
                self.deepen_exp()?;
                self.bump();
                let field = self.field("a field name after the dot")?;
                let span = e.span.to(field.span);
                e = mk(ExpKind::Project(e, field), span);
            } else if self.at_index() {
                self.deepen_exp()?;
                let (indices, close) = self.indices()?;
                let span = e.span.to(close);
                e = mk(ExpKind::Index(e, indices), span);
            } else {
                return Ok(e);
            }
        }
    }

    fn primary(&mut self, expected: &str) -> Parse<Exp> {
        let span = self.span();
        let kind = match self.kind() {
            TokenKind::Ident => return self.name_exp(),
            TokenKind::LParen => return self.parens(),
            TokenKind::LBracket => {
                let items = self.group(TokenKind::RBracket, |p| p.commas(TokenKind::RBracket, Self::exp))?;
                items.map_or(ExpKind::Error, |(items, _)| ExpKind::Array(items))
            }
            TokenKind::LBrace => {
                let fields =
                    self.group(TokenKind::RBrace, |p| p.commas(TokenKind::RBrace, Self::field_exp))?;
                fields.map_or(ExpKind::Error, |(fields, _)| ExpKind::Record(fields))
            }
            TokenKind::Constructor => ExpKind::Constr(self.constructor().0, vec![]),
            TokenKind::Hole => {
                self.bump();
                ExpKind::Hole
            }
            TokenKind::String => {
                let bytes = literal::string_value(self.text_of(span));
                self.bump();
                ExpKind::Literal(Literal::String(bytes))
            }
            TokenKind::Underscore => {
                let error = Diagnostic::error(span, "Unexpected token: '_'")
                    .label(format!("expected {expected}"))
                    .note("'_' is a pattern that matches anything; it has no value");
                return Err(self.report(error));
            }
            _ => match self.literal()? {
                Some(value) => ExpKind::Literal(value),
                None => return Err(self.not_an_expression(expected)),
            },
        };
        Ok(mk(kind, self.since(span)))
    }

    fn not_an_expression(&mut self, expected: &str) -> Failed {
        let help = match self.kind() {
            TokenKind::Def => "close the expression before this declaration",
            TokenKind::Equals => "'=' only defines; compare with '=='",
            TokenKind::While | TokenKind::For => {
                "a loop has values that change: loop x = 1 while x < 10 do x * 2, or loop s = 0 for i < n do s + i"
            }
            TokenKind::Case => "choose with 'match': match x case 1 -> 2 case _ -> 3",
            TokenKind::Let => "put the 'let' in parentheses to use it as an argument",
            _ => "",
        };
        let mut error = self.unexpected_error(expected);
        if !help.is_empty() {
            error = error.help(help);
        }
        if self.at(TokenKind::Equals) {
            error = error.fix("Change to `==`", self.span(), "==");
        }
        self.report(error)
    }

    /// A number, character or truth value, if one is ahead.
    pub(super) fn literal(&mut self) -> Parse<Option<Literal>> {
        let span = self.span();
        let text = self.text_of(span);
        let value = match self.kind() {
            TokenKind::True => Literal::Bool(true),
            TokenKind::False => Literal::Bool(false),
            TokenKind::Char => Literal::Char(literal::char_value(text).unwrap_or('\0')),
            TokenKind::Int | TokenKind::Float => match literal::number_value(text) {
                Some(value) => value,
                None => {
                    let error = Diagnostic::error(span, format!("The number {text} is too large."))
                        .note("no integer type holds more than 64 bits");
                    self.report(error);
                    Literal::Int(0, None)
                }
            },
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(value))
    }

    /// `x`, `m.x`, `m.(e)`.
    fn name_exp(&mut self) -> Parse<Exp> {
        let mut name = self.ident("a name")?;
        let start = name.span;
        let mut quals = vec![];
        while self.at(TokenKind::Dot) {
            match self.kind_at(1) {
                TokenKind::Ident => {
                    self.deepen_exp()?;
                    self.bump();
                    quals.push(std::mem::replace(&mut name, self.ident("a name after the dot")?));
                }
                TokenKind::LParen => {
                    let span = start.to(name.span);
                    self.bump();
                    let inner = self.group(TokenKind::RParen, Self::exp)?;
                    let kind = inner
                        .map_or(ExpKind::Error, |e| ExpKind::QualParens(QualName { quals, name, span }, e));
                    return Ok(mk(kind, self.since(start)));
                }
                _ => break,
            }
        }
        let span = start.to(name.span);
        Ok(mk(ExpKind::Var(QualName { quals, name, span }), span))
    }

    /// A field: a name or a number.
    pub(super) fn field(&mut self, what: &str) -> Parse<Ident> {
        if self.at(TokenKind::Int) {
            let span = self.span();
            let text = self.text_of(span);
            if text.bytes().all(|b| b.is_ascii_digit()) {
                self.bump();
                return Ok(self.ident_of(span));
            }
        }
        self.ident(what)
    }

    fn field_exp(&mut self) -> Parse<FieldExp> {
        let name = self.field("a field name")?;
        if self.eat(TokenKind::Equals) {
            return Ok(FieldExp::Explicit(name, self.exp()?));
        }
        if self.tokens[self.pos - 1].kind == TokenKind::Int {
            return Err(self.unexpected("'=' and the value of the field"));
        }
        Ok(FieldExp::Implicit(name))
    }

    /// `[i, l:u:s]`, with the span of the brackets.
    pub(super) fn indices(&mut self) -> Parse<(Vec<Index>, Span)> {
        let start = self.span();
        let indexes = self.at_index();
        let indices = self.group(TokenKind::RBracket, |p| p.commas(TokenKind::RBracket, Self::index))?;
        let span = self.since(start);
        let Some((indices, _)) = indices else {
            return Ok((vec![Index::Fix(error_exp(span))], span));
        };
        if indices.is_empty() {
            let mut error = Diagnostic::error(span, "An index is missing between the brackets.");
            if indexes {
                error = error.help("to pass an empty array to a function, put a space before it: f []").fix(
                    "Pass an empty array",
                    span.start(),
                    " ",
                );
            }
            self.errors.push(error);
            return Ok((vec![Index::Fix(error_exp(span))], span));
        }
        Ok((indices, span))
    }

    fn index(&mut self) -> Parse<Index> {
        let start = self.span();
        let lo = if self.at(TokenKind::Colon) { None } else { Some(self.exp_unascribed()?) };
        if !self.at(TokenKind::Colon) {
            if let Some(e) = lo {
                return Ok(Index::Fix(e));
            }
        }
        let part = |p: &mut Self| -> Parse<Option<Box<Exp>>> {
            if !p.eat(TokenKind::Colon) {
                return Ok(None);
            }
            match p.kind() {
                TokenKind::Colon | TokenKind::Comma | TokenKind::RBracket => Ok(None),
                _ => Ok(Some(Box::new(p.exp_unascribed()?))),
            }
        };
        let hi = part(self)?;
        let stride = part(self)?;
        Ok(Index::Slice { lo: lo.map(Box::new), hi, stride, span: self.since(start) })
    }

    /// Everything that starts with `(`: the empty tuple, sections, operators
    /// as values, tuples, and plain parentheses.
    fn parens(&mut self) -> Parse<Exp> {
        let start = self.span();
        let inner = self.group(TokenKind::RParen, Self::parens_inner)?;
        let span = self.since(start);
        Ok(mk(inner.unwrap_or(ExpKind::Error), span))
    }

    fn parens_inner(&mut self) -> Parse<ExpKind> {
        if self.at(TokenKind::RParen) {
            return Ok(ExpKind::Tuple(vec![]));
        }
        if self.at(TokenKind::Dot) {
            return self.access_section();
        }
        if let Some((op, words)) = self.operator() {
            if self.kind_at(words) == TokenKind::RParen {
                self.pos += words;
                return Ok(ExpKind::Var(op));
            }
            // `(-x)` is a negation.
            if !self.at(TokenKind::Minus) {
                self.pos += words;
                return Ok(ExpKind::SectionRight(op, self.exp_unascribed()?));
            }
        }
        let first = self.exp()?;
        if let Some((op, words)) = self.operator() {
            if self.kind_at(words) == TokenKind::RParen {
                self.pos += words;
                if open_ended(&first) {
                    return Err(self.unexpected("the right operand of the operator"));
                }
                return Ok(ExpKind::SectionLeft(first, op));
            }
        }
        if !self.eat(TokenKind::Comma) {
            if starts_atom(self.kind()) {
                return Err(self.unexpected("')', ',' or an operator"));
            }
            return Ok(ExpKind::Parens(first));
        }
        if self.at(TokenKind::RParen) {
            return Err(self.unexpected("another element: a tuple has none, or at least two"));
        }
        let (rest, _) = self.commas(TokenKind::RParen, Self::exp)?;
        let mut items = Vec::with_capacity(rest.len() + 1);
        items.push(first);
        items.extend(rest);
        Ok(ExpKind::Tuple(items))
    }

    /// `.a.b[i]` or `.[i].a`, inside parentheses.
    fn access_section(&mut self) -> Parse<ExpKind> {
        self.bump();
        let mut path = vec![];
        if !self.at(TokenKind::LBracket) {
            path.push(Access::Field(self.field("a field name or '[' after the dot")?));
        }
        self.accesses(&mut path)?;
        Ok(ExpKind::SectionAccess(path))
    }
}

/// Whether an operator behind the expression would have become part of it:
/// such an expression is no left operand of a section.
fn open_ended(mut e: &Exp) -> bool {
    loop {
        e = match &*e.kind {
            ExpKind::Lambda(_)
            | ExpKind::Let { .. }
            | ExpKind::LetUpdate { .. }
            | ExpKind::LetFun(..)
            | ExpKind::If(..)
            | ExpKind::Loop { .. }
            | ExpKind::Match(..)
            | ExpKind::Assert(..)
            | ExpKind::Attr(..)
            | ExpKind::Range(..)
            | ExpKind::Update(..)
            | ExpKind::Ascript(..)
            | ExpKind::Coerce(..) => return true,
            ExpKind::Negate(e) | ExpKind::Not(e) | ExpKind::BinOp(_, _, e) => e,
            ExpKind::Apply(_, args) | ExpKind::Constr(_, args) => match args.last() {
                Some(e) => e,
                None => return false,
            },
            ExpKind::Literal(_)
            | ExpKind::Var(_)
            | ExpKind::Hole
            | ExpKind::Parens(_)
            | ExpKind::QualParens(..)
            | ExpKind::Tuple(_)
            | ExpKind::Record(_)
            | ExpKind::Array(_)
            | ExpKind::Project(..)
            | ExpKind::Index(..)
            | ExpKind::SectionLeft(..)
            | ExpKind::SectionRight(..)
            | ExpKind::SectionAccess(_)
            | ExpKind::Error => return false,
        };
    }
}
