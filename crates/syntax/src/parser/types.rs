//! Type expressions and type parameters.
//!
//! ```text
//! type    = "?" {"[" name "]"} "." type | param "->" type | operand
//! operand = "*" operand | sum | {"[" size "]"} applied
//! applied = atom {atom | "[" size "]"}
//! ```

use super::binding::starts_type_param;
use super::{error_exp, Failed, Parse, Parser};
use crate::ast::{Exp, ExpKind, Ident, Liftedness, SizeExp, TypeArg, TypeExp, TypeParam};
use crate::token::TokenKind;
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    /// A type.
    pub(crate) fn type_exp(&mut self) -> Parse<TypeExp> {
        self.nested(Self::type_here)
    }

    /// A type that an arrow ends, as in `\x : t -> e`.
    pub(super) fn type_exp_before_arrow(&mut self) -> Parse<TypeExp> {
        self.nested(Self::type_operand)
    }

    fn type_here(&mut self) -> Parse<TypeExp> {
        let start = self.span();
        if self.eat(TokenKind::Question) {
            let mut sizes = vec![];
            while self.at(TokenKind::LBracket) {
                sizes.push(self.strict_group(TokenKind::RBracket, |p| p.ident("the name of a size"))?);
            }
            if sizes.is_empty() {
                return Err(self.unexpected("'[' and the name of a size"));
            }
            self.expect(TokenKind::Dot, "'.' and a type")?;
            let t = self.type_exp()?;
            let span = start.to(t.span());
            return Ok(TypeExp::Exists(sizes, Box::new(t), span));
        }
        let (param, lhs) = if self.at_named_param() {
            let (name, t) = self.strict_group(TokenKind::RParen, |p| {
                let name = p.ident("a name")?;
                p.bump();
                Ok((name, p.type_exp()?))
            })?;
            if !self.at(TokenKind::Arrow) {
                return Err(self.unexpected("'->': only parameters of function types have names"));
            }
            (Some(name), t)
        } else {
            (None, self.type_operand()?)
        };
        if !self.eat(TokenKind::Arrow) {
            return Ok(lhs);
        }
        let rhs = self.type_exp()?;
        let span = start.to(rhs.span());
        Ok(TypeExp::Arrow { param, lhs: Box::new(lhs), rhs: Box::new(rhs), span })
    }

    /// Whether `(x : ` is ahead.
    pub(super) fn at_named_param(&self) -> bool {
        self.at(TokenKind::LParen)
            && self.kind_at(1) == TokenKind::Ident
            && self.kind_at(2) == TokenKind::Colon
    }

    fn type_operand(&mut self) -> Parse<TypeExp> {
        let start = self.span();
        match self.kind() {
            TokenKind::Star => {
                self.bump();
                let t = self.nested(Self::type_operand)?;
                let span = start.to(t.span());
                Ok(TypeExp::Unique(Box::new(t), span))
            }
            TokenKind::LBracket => {
                let size = self.size()?;
                if let Some(error) = self.brackets_around(&size, start) {
                    return Err(self.report(error));
                }
                let t = self.nested(Self::type_operand)?;
                let span = start.to(t.span());
                Ok(TypeExp::Array(size, Box::new(t), span))
            }
            TokenKind::Constructor => self.sum(),
            _ => self.type_applied(),
        }
    }

    /// `[[i32]]` in the place of `[][]i32`.
    fn brackets_around(&self, size: &SizeExp, start: Span) -> Option<Diagnostic> {
        let follows = starts_type_atom(self.kind())
            || matches!(self.kind(), TokenKind::LBracket | TokenKind::Star | TokenKind::Constructor);
        let SizeExp::Exp(e, _) = size else { return None };
        let (dims, elem) = elements(e).filter(|_| !follows)?;
        let meant = format!("{}{elem}", "[]".repeat(dims));
        let error = self.unexpected_error("the type of the elements");
        Some(
            error
                .help(format!("the brackets of an array stand before the type of its elements: {meant}"))
                .fix(format!("Change to `{meant}`"), self.since(start), meant),
        )
    }

    fn sum(&mut self) -> Parse<TypeExp> {
        let start = self.span();
        let mut constructors = vec![];
        loop {
            if !self.at(TokenKind::Constructor) {
                return Err(self.unexpected("a constructor, written #name"));
            }
            let (name, _) = self.constructor();
            let mut payload = vec![];
            loop {
                if self.at(TokenKind::LBracket) {
                    payload.push(self.nested(Self::type_operand)?);
                } else if starts_type_atom(self.kind()) {
                    payload.push(self.type_atom()?);
                } else {
                    break;
                }
            }
            constructors.push((name, payload));
            if !self.eat(TokenKind::Bar) {
                return Ok(TypeExp::Sum(constructors, self.since(start)));
            }
        }
    }

    fn type_applied(&mut self) -> Parse<TypeExp> {
        let mut t = self.type_atom()?;
        let start = t.span();
        loop {
            let arg = if self.at(TokenKind::LBracket) {
                TypeArg::Size(self.size()?)
            } else if starts_type_atom(self.kind()) {
                TypeArg::Type(Box::new(self.type_atom()?))
            } else {
                return Ok(t);
            };
            self.deepen()?;
            t = TypeExp::Apply(Box::new(t), arg, self.since(start));
        }
    }

    fn type_atom(&mut self) -> Parse<TypeExp> {
        let start = self.span();
        match self.kind() {
            TokenKind::Ident => Ok(TypeExp::Var(self.qual_name("the name of a type")?)),
            TokenKind::LParen => {
                let (mut types, trailing) =
                    self.strict_group(TokenKind::RParen, |p| p.commas(TokenKind::RParen, Self::type_exp))?;
                let span = self.since(start);
                if types.len() != 1 {
                    return Ok(TypeExp::Tuple(types, span));
                }
                if trailing {
                    let error = Diagnostic::error(span, "A tuple type has no element, or at least two.");
                    self.errors.push(error);
                }
                match types.pop() {
                    Some(t) => Ok(TypeExp::Parens(Box::new(t), span)),
                    None => Err(Failed),
                }
            }
            TokenKind::LBrace => {
                let (fields, _) =
                    self.strict_group(TokenKind::RBrace, |p| p.commas(TokenKind::RBrace, Self::type_field))?;
                Ok(TypeExp::Record(fields, self.since(start)))
            }
            TokenKind::Quote => {
                let error = self
                    .unexpected_error("a type")
                    .help("the quote stands only where a type parameter is introduced")
                    .fix("Remove the quote", self.span(), "");
                Err(self.report(error))
            }
            _ => Err(self.unexpected("a type, such as the name of one")),
        }
    }

    fn type_field(&mut self) -> Parse<(Ident, TypeExp)> {
        let name = self.field("a field name")?;
        self.expect(TokenKind::Colon, "':' and the type of the field")?;
        Ok((name, self.type_exp()?))
    }

    /// `[]` or `[e]`.
    fn size(&mut self) -> Parse<SizeExp> {
        let start = self.span();
        let size = self.group(TokenKind::RBracket, |p| {
            if p.at(TokenKind::RBracket) {
                Ok(None)
            } else {
                Ok(Some(p.exp()?))
            }
        })?;
        let span = self.since(start);
        Ok(match size {
            Some(None) => SizeExp::Any(span),
            Some(Some(e)) => SizeExp::Exp(Box::new(e), span),
            None => SizeExp::Exp(Box::new(error_exp(span)), span),
        })
    }

    /// `[n] 'a '~b '^c`.
    pub(super) fn type_params(&mut self) -> Parse<Vec<TypeParam>> {
        let mut params = vec![];
        while starts_type_param(self.kind()) {
            if self.at(TokenKind::LBracket) {
                let name = self.strict_group(TokenKind::RBracket, |p| p.ident("the name of a size"))?;
                params.push(TypeParam::Size(name));
                continue;
            }
            let lifted = match self.bump().kind {
                TokenKind::QuoteTilde => Liftedness::SizeLifted,
                TokenKind::QuoteHat => Liftedness::Lifted,
                _ => Liftedness::Unlifted,
            };
            params.push(TypeParam::Type(lifted, self.ident("the name of a type parameter")?));
        }
        Ok(params)
    }
}

/// What stands inside of so many brackets, if it is the name of a scalar type.
fn elements(e: &Exp) -> Option<(usize, &'static str)> {
    match &*e.kind {
        ExpKind::Var(q) if q.quals.is_empty() => {
            let name = q.name.name.as_str();
            ScalarType::ALL.iter().any(|t| t.as_str() == name).then_some((1, name))
        }
        ExpKind::Array(es) => match &es[..] {
            [e] => elements(e).map(|(dims, elem)| (dims + 1, elem)),
            _ => None,
        },
        _ => None,
    }
}

fn starts_type_atom(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Ident | TokenKind::LParen | TokenKind::LBrace)
}
