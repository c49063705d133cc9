//! Patterns.

use super::{Failed, Parse, Parser};
use crate::ast::{Ident, Pat};
use crate::token::TokenKind;
use fehu_base::Diagnostic;

/// Whether the type after a pattern's colon may contain `->` outside
/// parentheses: not before the arrow of a `case`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrowInType {
    Allowed,
    Stops,
}

impl Parser<'_> {
    /// A pattern with attributes, constructor arguments and ascriptions.
    pub(super) fn pat(&mut self, arrow: ArrowInType) -> Parse<Pat> {
        self.nested(|p| p.pat_here(arrow))
    }

    fn pat_here(&mut self, arrow: ArrowInType) -> Parse<Pat> {
        let start = self.span();
        if self.at(TokenKind::HashBracket) {
            let attr = self.attr()?;
            let pat = self.pat(arrow)?;
            let span = start.to(pat.span());
            return Ok(Pat::Attr(attr, Box::new(pat), span));
        }
        let mut pat = if self.at(TokenKind::Constructor) {
            let (name, _) = self.constructor();
            let mut args = vec![];
            while starts_pat(self.kind()) || self.at(TokenKind::Minus) {
                args.push(self.pat_atom()?);
            }
            Pat::Constr(name, args, self.since(start))
        } else {
            self.pat_atom()?
        };
        while self.eat(TokenKind::Colon) {
            self.deepen()?;
            let t = match arrow {
                ArrowInType::Allowed => self.type_exp()?,
                ArrowInType::Stops => self.type_exp_before_arrow()?,
            };
            let span = start.to(t.span());
            pat = Pat::Ascript(Box::new(pat), Box::new(t), span);
        }
        Ok(pat)
    }

    /// A pattern that needs no parentheses as a parameter.
    pub(super) fn pat_atom(&mut self) -> Parse<Pat> {
        let start = self.span();
        match self.kind() {
            TokenKind::Ident => Ok(Pat::Var(self.ident("a name")?)),
            TokenKind::Underscore => {
                self.bump();
                Ok(Pat::Wildcard(start))
            }
            TokenKind::Constructor => {
                let (name, span) = self.constructor();
                Ok(Pat::Constr(name, vec![], span))
            }
            TokenKind::LParen => {
                if let Some(op) = self.operator_in_parens() {
                    return Ok(Pat::Var(op));
                }
                let (mut pats, trailing) = self.strict_group(TokenKind::RParen, |p| {
                    p.commas(TokenKind::RParen, |p| p.pat(ArrowInType::Allowed))
                })?;
                let span = self.since(start);
                if pats.len() != 1 {
                    return Ok(Pat::Tuple(pats, span));
                }
                if trailing {
                    let error = Diagnostic::error(span, "A tuple pattern has no element, or at least two.");
                    self.errors.push(error);
                }
                match pats.pop() {
                    Some(pat) => Ok(Pat::Parens(Box::new(pat), span)),
                    None => Err(Failed),
                }
            }
            TokenKind::LBrace => {
                let (fields, _) =
                    self.strict_group(TokenKind::RBrace, |p| p.commas(TokenKind::RBrace, Self::pat_field))?;
                Ok(Pat::Record(fields, self.since(start)))
            }
            TokenKind::String => {
                let error = Diagnostic::error(start, "A string literal cannot be used as a pattern.");
                Err(self.report(error))
            }
            TokenKind::Minus => {
                self.bump();
                if !matches!(self.kind(), TokenKind::Int | TokenKind::Float) {
                    return Err(self.unexpected("a number after '-' in a pattern"));
                }
                self.pat_literal(start, true)
            }
            _ => self.pat_literal(start, false),
        }
    }

    fn pat_literal(&mut self, start: fehu_base::Span, negated: bool) -> Parse<Pat> {
        match self.literal()? {
            Some(value) => Ok(Pat::Literal { value, negated, span: self.since(start) }),
            None => Err(self.not_a_name("a pattern, such as a name")),
        }
    }

    /// `f`, `f = p`, or `f : t`, which is short for `f = f : t`.
    fn pat_field(&mut self) -> Parse<(Ident, Option<Pat>)> {
        let numeric = self.at(TokenKind::Int);
        let name = self.field("a field name")?;
        if self.eat(TokenKind::Equals) {
            return Ok((name, Some(self.pat(ArrowInType::Allowed)?)));
        }
        if numeric {
            return Err(self.unexpected("'=' and a pattern"));
        }
        if self.eat(TokenKind::Colon) {
            let t = self.type_exp()?;
            let span = name.span.to(t.span());
            return Ok((name, Some(Pat::Ascript(Box::new(Pat::Var(name)), Box::new(t), span))));
        }
        Ok((name, None))
    }
}

/// Whether an atomic pattern can start with this word; `-` is left out, for
/// behind a name it is an operator.
pub(super) fn starts_pat(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Ident | Underscore | Constructor | LParen | LBrace | Int | Float | Char | String | True | False
    )
}
