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

/// A pattern with attributes, constructor arguments and ascriptions.
pub(super) fn pat(p: &mut Parser<'_>, arrow: ArrowInType) -> Parse<Pat> {
    p.nested(|p| pat_here(p, arrow))
}

fn pat_here(p: &mut Parser<'_>, arrow: ArrowInType) -> Parse<Pat> {
    let start = p.span();
    if p.at(TokenKind::HashBracket) {
        let attr = p.attr()?;
        let pat = pat(p, arrow)?;
        let span = start.to(pat.span());
        return Ok(Pat::Attr(attr, Box::new(pat), span));
    }
    let mut pat = if p.at(TokenKind::Constructor) {
        let (name, _) = p.constructor();
        let mut args = vec![];
        while starts_pat(p.kind()) || p.at(TokenKind::Minus) {
            args.push(pat_atom(p)?);
        }
        Pat::Constr(name, args, p.since(start))
    } else {
        pat_atom(p)?
    };
    while p.eat(TokenKind::Colon) {
        p.deepen()?;
        let t = match arrow {
            ArrowInType::Allowed => p.type_exp()?,
            ArrowInType::Stops => p.type_exp_before_arrow()?,
        };
        let span = start.to(t.span());
        pat = Pat::Ascript(Box::new(pat), Box::new(t), span);
    }
    Ok(pat)
}

/// A pattern that needs no parentheses as a parameter.
pub(super) fn pat_atom(p: &mut Parser<'_>) -> Parse<Pat> {
    let start = p.span();
    match p.kind() {
        TokenKind::Ident => Ok(Pat::Var(p.ident("a name")?)),
        TokenKind::Underscore => {
            p.bump();
            Ok(Pat::Wildcard(start))
        }
        TokenKind::Constructor => {
            let (name, span) = p.constructor();
            Ok(Pat::Constr(name, vec![], span))
        }
        TokenKind::LParen => {
            if let Some(op) = p.operator_in_parens() {
                return Ok(Pat::Var(op));
            }
            let (mut pats, trailing) = p.strict_group(TokenKind::RParen, |p| {
                p.commas(TokenKind::RParen, |p| pat(p, ArrowInType::Allowed))
            })?;
            let span = p.since(start);
            if pats.len() != 1 {
                return Ok(Pat::Tuple(pats, span));
            }
            if trailing {
                let error = Diagnostic::error(span, "A tuple pattern has no element, or at least two.");
                p.errors.push(error);
            }
            match pats.pop() {
                Some(pat) => Ok(Pat::Parens(Box::new(pat), span)),
                None => Err(Failed),
            }
        }
        TokenKind::LBrace => {
            let (fields, _) =
                p.strict_group(TokenKind::RBrace, |p| p.commas(TokenKind::RBrace, pat_field))?;
            Ok(Pat::Record(fields, p.since(start)))
        }
        TokenKind::String => {
            let error = Diagnostic::error(start, "A string literal cannot be used as a pattern.");
            Err(p.report(error))
        }
        TokenKind::Minus => {
            p.bump();
            if !matches!(p.kind(), TokenKind::Int | TokenKind::Float) {
                return Err(p.unexpected("a number after '-' in a pattern"));
            }
            pat_literal(p, start, true)
        }
        _ => pat_literal(p, start, false),
    }
}

fn pat_literal(p: &mut Parser<'_>, start: fehu_base::Span, negated: bool) -> Parse<Pat> {
    match p.literal()? {
        Some(value) => Ok(Pat::Literal { value, negated, span: p.since(start) }),
        None => Err(p.not_a_name("a pattern, such as a name")),
    }
}

/// `f`, `f = p`, or `f : t`, which is short for `f = f : t`.
fn pat_field(p: &mut Parser<'_>) -> Parse<(Ident, Option<Pat>)> {
    let numeric = p.at(TokenKind::Int);
    let name = p.field("a field name")?;
    if p.eat(TokenKind::Equals) {
        return Ok((name, Some(pat(p, ArrowInType::Allowed)?)));
    }
    if numeric {
        return Err(p.unexpected("'=' and a pattern"));
    }
    if p.eat(TokenKind::Colon) {
        let t = p.type_exp()?;
        let span = name.span.to(t.span());
        return Ok((name, Some(Pat::Ascript(Box::new(Pat::Var(name)), Box::new(t), span))));
    }
    Ok((name, None))
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
