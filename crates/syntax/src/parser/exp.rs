//! Expressions from the loosest level down to application.
//!
//! ```text
//! exp     = updated {(":" | ":>") type}
//! updated = range {"with" path "=" range}
//! range   = binary [".." binary] [("..." | "..<" | "..>") binary]
//! binary  = operators by fixity over unary
//! unary   = {"-" | "!"} (keyword form | application)
//! ```

use super::fixity::{fixity, Assoc, BACKQUOTED};
use super::{mk, Failed, Parse, Parser};
use crate::ast::{Access, Attr, Exp, ExpKind, Ident, QualName, RangeEnd};
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

/// An infix operator ahead.
struct Infix {
    name: QualName,
    prec: u8,
    assoc: Assoc,
    /// How many words it is made of.
    words: usize,
}

impl Parser<'_> {
    /// An expression, with type ascriptions.
    pub(crate) fn exp(&mut self) -> Parse<Exp> {
        let mut e = self.exp_unascribed()?;
        loop {
            let kind = self.kind();
            if !matches!(kind, TokenKind::Colon | TokenKind::ColonGreater) {
                return Ok(e);
            }
            self.deepen_exp()?;
            self.bump();
            let t = self.type_exp()?;
            let span = e.span.to(t.span());
            e = mk(
                if kind == TokenKind::Colon { ExpKind::Ascript(e, t) } else { ExpKind::Coerce(e, t) },
                span,
            );
        }
    }

    /// An expression without an ascription of its own: in an index, where a
    /// colon separates the parts of a slice.
    pub(super) fn exp_unascribed(&mut self) -> Parse<Exp> {
        self.range()
    }

    /// The path between `with` and `=`: `[i]`, `f`, `f.g[i].h`, ...
    fn update_path(&mut self) -> Parse<Vec<Access>> {
        let first = if self.at(TokenKind::LBracket) {
            let (indices, span) = self.indices()?;
            Access::Index(indices, span)
        } else {
            Access::Field(self.field("a field name or '[' after 'with'")?)
        };
        let mut path = vec![first];
        self.accesses(&mut path)?;
        Ok(path)
    }

    /// Any number of further `.f` and `[i]`.
    pub(super) fn accesses(&mut self, path: &mut Vec<Access>) -> Parse<()> {
        loop {
            if self.eat(TokenKind::Dot) {
                path.push(Access::Field(self.field("a field name after the dot")?));
            } else if self.at(TokenKind::LBracket) {
                let (indices, span) = self.indices()?;
                path.push(Access::Index(indices, span));
            } else {
                return Ok(());
            }
        }
    }

    fn range(&mut self) -> Parse<Exp> {
        let first = self.quoted()?;
        let two_dots = self.span();
        let second = if self.eat(TokenKind::TwoDots) { Some(self.quoted()?) } else { None };
        let kind = self.kind();
        let (make, start): (fn(Box<Exp>) -> RangeEnd, Span) = match kind {
            TokenKind::ThreeDots => (RangeEnd::Inclusive, first.span),
            TokenKind::TwoDotsLess => (RangeEnd::UpTo, first.span),
            TokenKind::TwoDotsGreater => (RangeEnd::DownTo, first.span),
            _ if second.is_some() => {
                let error = Diagnostic::error(two_dots, "A range is written with '...', not '..'.")
                    .help("write a...b to include b, a..<b to stop before it, a..s...b for the step s-a")
                    .fix("Include the end: `...`", two_dots, "...")
                    .fix("Stop before the end: `..<`", two_dots, "..<");
                return Err(self.report(error));
            }
            _ => return Ok(first),
        };
        self.bump();
        let end = self.quoted()?;
        let span = start.to(end.span);
        Ok(mk(ExpKind::Range(first, second, make(Box::new(end))), span))
    }

    /// Backquoted names between their operands. `with` binds more tightly than they do: ``x `f` b with g = y `h` z`` is
    /// ``(x `f` (b with g = y)) `h` z``.
    fn quoted(&mut self) -> Parse<Exp> {
        let outer = self.exp_nesting;
        let mut lhs = self.updated()?;
        while let Some(op) = self.infix().filter(|op| self.kind_at(op.words) != TokenKind::RParen) {
            self.deepen_exp()?;
            self.pos += op.words;
            let rhs = self.updated()?;
            let span = lhs.span.to(rhs.span);
            lhs = mk(ExpKind::BinOp(op.name, lhs, rhs), span);
        }
        self.exp_nesting = outer;
        Ok(lhs)
    }

    /// An expression, some parts of which are replaced.
    fn updated(&mut self) -> Parse<Exp> {
        let mut e = self.binary(BACKQUOTED + 1)?;
        while self.eat(TokenKind::With) {
            self.deepen_exp()?;
            let path = self.update_path()?;
            self.expect(TokenKind::Equals, "'=' and the new value")?;
            let value = self.binary(BACKQUOTED + 1)?;
            let span = e.span.to(value.span);
            e = mk(ExpKind::Update(e, path, value), span);
        }
        Ok(e)
    }

    /// Operators that bind at least as tightly as `min`.
    fn binary(&mut self, min: u8) -> Parse<Exp> {
        self.exp_level(|p| {
            let mut lhs = p.unary()?;
            while let Some(op) = p.infix() {
                // `(x +)` is a section: its operator is left to the parenthesis.
                if op.prec < min || p.kind_at(op.words) == TokenKind::RParen {
                    break;
                }
                p.deepen_exp()?;
                p.pos += op.words;
                let rhs = p.binary(match op.assoc {
                    Assoc::Left => op.prec + 1,
                    Assoc::Right => op.prec,
                })?;
                let span = lhs.span.to(rhs.span);
                lhs = mk(ExpKind::BinOp(op.name, lhs, rhs), span);
            }
            Ok(lhs)
        })
    }

    fn infix(&self) -> Option<Infix> {
        let (name, words) = self.operator()?;
        let (prec, assoc) =
            if words > 1 { (BACKQUOTED, Assoc::Left) } else { fixity(name.name.name.as_str()) };
        Some(Infix { name, prec, assoc, words })
    }

    /// The operator or backquoted name ahead and its number of words.
    pub(super) fn operator(&self) -> Option<(QualName, usize)> {
        if self.kind().is_operator() {
            return Some((self.operator_name(), 1));
        }
        if !self.at(TokenKind::Backquote) {
            return None;
        }
        let mut parts: Vec<Ident> = vec![];
        let mut n = 1;
        while self.kind_at(n) == TokenKind::Ident {
            parts.push(self.ident_of(self.tokens[self.pos + n].span));
            n += 2;
            match self.kind_at(n - 1) {
                TokenKind::Dot => {}
                TokenKind::Backquote => {
                    let name = parts.pop()?;
                    let span = self.span().to(self.tokens[self.pos + n - 1].span);
                    return Some((QualName { quals: parts, name, span }, n));
                }
                _ => return None,
            }
        }
        None
    }

    /// The name of the operator word ahead: `+`, or `m.+` taken apart.
    fn operator_name(&self) -> QualName {
        let span = self.span();
        let mut quals = vec![];
        let mut lo = span.lo;
        let mut rest = self.text_of(span);
        while rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let Some(dot) = rest.find('.') else { break };
            let hi = lo + dot as u32;
            quals.push(self.ident_of(Span { lo, hi, ..span }));
            rest = &rest[dot + 1..];
            lo = hi + 1;
        }
        QualName { quals, name: self.ident_of(Span { lo, ..span }), span }
    }

    fn unary(&mut self) -> Parse<Exp> {
        let mut prefixes = vec![];
        while matches!(self.kind(), TokenKind::Minus | TokenKind::Bang) {
            self.deepen_exp()?;
            prefixes.push(self.bump());
        }
        let mut e = match self.keyword_form()? {
            Some(e) => e,
            None => self.application()?,
        };
        while let Some(prefix) = prefixes.pop() {
            let span = prefix.span.to(e.span);
            e = mk(if prefix.kind == TokenKind::Minus { ExpKind::Negate(e) } else { ExpKind::Not(e) }, span);
        }
        Ok(e)
    }

    /// Forms that start with a word of their own and extend as far as they can.
    fn keyword_form(&mut self) -> Parse<Option<Exp>> {
        Ok(Some(match self.kind() {
            TokenKind::If => self.if_exp()?,
            TokenKind::Let => self.let_exp()?,
            TokenKind::Loop => self.loop_exp()?,
            TokenKind::Match => self.match_exp()?,
            TokenKind::Backslash => self.lambda()?,
            TokenKind::Assert => {
                let start = self.bump().span;
                let condition = self.atom("a condition: a name or something in parentheses")?;
                let e = self.exp()?;
                let span = start.to(e.span);
                mk(ExpKind::Assert(condition, e), span)
            }
            TokenKind::HashBracket => {
                let start = self.span();
                let attr = self.attr()?;
                let e = self.exp()?;
                let span = start.to(e.span);
                mk(ExpKind::Attr(attr, e), span)
            }
            _ => return Ok(None),
        }))
    }

    /// `f x y`, `#c x y` or a single atom. The last argument may be a keyword form.
    fn application(&mut self) -> Parse<Exp> {
        if self.at(TokenKind::Constructor) {
            let (name, start) = self.constructor();
            let args = self.arguments()?;
            return Ok(mk(ExpKind::Constr(name, args), self.since(start)));
        }
        let f = self.atom("an expression")?;
        let args = self.arguments()?;
        if args.is_empty() {
            return Ok(f);
        }
        let span = self.since(f.span);
        Ok(mk(ExpKind::Apply(f, args), span))
    }

    fn arguments(&mut self) -> Parse<Vec<Exp>> {
        let mut args = vec![];
        loop {
            match self.kind() {
                kind if starts_atom(kind) => args.push(self.atom("an argument")?),
                TokenKind::Backslash | TokenKind::If | TokenKind::Loop | TokenKind::Match => {
                    args.extend(self.keyword_form()?);
                    return Ok(args);
                }
                TokenKind::Bang => {
                    let bang = self.bump().span;
                    let error = Diagnostic::error(
                        bang,
                        "'!' is a prefix operator: it cannot be used as infix operator.",
                    )
                    .help("to negate an argument, put it in parentheses: f (!x)");
                    let operand = if starts_atom(self.kind()) { self.atom("an argument").ok() } else { None };
                    return Err(self.report(match operand {
                        Some(x) => error.fix_around("Negate the argument", bang.to(x.span), "(", ")"),
                        None => error,
                    }));
                }
                _ => return Ok(args),
            }
        }
    }

    /// `#name`, whose `#` belongs to the span but not to the name.
    pub(super) fn constructor(&mut self) -> (Ident, Span) {
        let span = self.bump().span;
        let name = self.ident_of(Span { lo: span.lo + 1, ..span });
        (Ident { name: name.name, span }, span)
    }

    /// `#[...]`.
    pub(super) fn attr(&mut self) -> Parse<Attr> {
        self.strict_group(TokenKind::RBracket, Self::attr_inner)
    }

    fn attr_inner(&mut self) -> Parse<Attr> {
        if self.at(TokenKind::Int) {
            let span = self.bump().span;
            return match self.text_of(span).replace('_', "").parse() {
                Ok(value) => Ok(Attr::Int(value, span)),
                Err(_) => {
                    let error = Diagnostic::error(span, "A number in an attribute must be a plain integer.");
                    self.errors.push(error);
                    Err(Failed)
                }
            };
        }
        let name = self.ident("the name of an attribute")?;
        if !self.at(TokenKind::LParen) {
            return Ok(Attr::Atom(name));
        }
        let (args, _) = self.nested(|p| {
            p.strict_group(TokenKind::RParen, |p| p.commas(TokenKind::RParen, Self::attr_inner))
        })?;
        Ok(Attr::Comp(name, args, self.since(name.span)))
    }
}

/// Whether an atom can start with this word.
pub(super) fn starts_atom(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Ident | Constructor | Int | Float | Char | String | Hole | LParen | LBracket | LBrace | True | False
    )
}
