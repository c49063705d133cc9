//! Declarations.

use super::binding::Signature;
use super::pat;
use super::{error_exp, Failed, Parse, Parser};
use crate::ast::{
    Attr, Dec, Doc, Ident, Liftedness, ModBind, ModTypeBind, Pat, Prog, TypeBind, ValBind, ValKeyword,
};
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

impl Parser<'_> {
    /// A whole file.
    pub(crate) fn prog(&mut self) -> Prog {
        let doc = self.file_doc();
        let mut decs = self.decs();
        while !self.at(TokenKind::Eof) {
            // `decs` stopped at a closing brace that nothing opened.
            if self.loose_braces > 0 {
                self.loose_braces -= 1;
            } else {
                self.unexpected("a declaration");
            }
            self.bump();
            decs.extend(self.decs());
        }
        Prog { doc, decs }
    }

    /// The documentation of the file: a comment that opens it, unless it
    /// stands directly above a declaration that can be documented itself.
    fn file_doc(&mut self) -> Option<Doc> {
        let opening = self.docs.iter().take_while(|(at, _)| *at == 0).count();
        let first = self.docs.first().filter(|_| opening > 0)?.1.as_ref()?;
        let gap = self.text_of(Span { lo: first.span.hi, hi: self.span().lo, ..first.span });
        let brings_names = match self.kind() {
            TokenKind::Local => self.kind_at(1),
            kind => kind,
        };
        let undocumentable = matches!(brings_names, TokenKind::Open | TokenKind::Import | TokenKind::Eof);
        if opening > 1 || gap.matches('\n').count() > 1 || undocumentable {
            return self.docs[0].1.take();
        }
        None
    }

    /// Declarations up to the end or a closing brace.
    pub(super) fn decs(&mut self) -> Vec<Dec> {
        let mut decs = vec![];
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            let (start, kind) = (self.span(), self.kind());
            let nesting = self.nesting;
            match self.dec() {
                Ok(dec) => {
                    decs.push(dec);
                    if !self.at_dec_end() {
                        self.broken.push(self.since(start));
                        self.trailing_word();
                        self.skip_to_dec(start);
                    }
                }
                Err(Failed) => {
                    if kind.starts_dec() && !matches!(kind, TokenKind::Def | TokenKind::Entry) {
                        self.lost.get_or_insert(start);
                    }
                    self.nesting = nesting;
                    self.skip_to_dec(start);
                }
            }
        }
        decs
    }

    /// Whether what is ahead can follow a complete declaration.
    fn at_dec_end(&self) -> bool {
        use TokenKind::*;
        self.kind().starts_dec() || matches!(self.kind(), Let | HashBracket | RBrace | Eof)
    }

    /// Reports a word that neither continues nor follows a declaration.
    fn trailing_word(&mut self) {
        let before = &self.tokens[self.pos.saturating_sub(6)..self.pos];
        let clause = before.iter().any(|t| t.kind == TokenKind::Ident && self.text_of(t.span) == "where");
        let help = match self.kind() {
            TokenKind::Equals if clause => {
                Some("there is no 'where': bind names before they are used, as in let x = 1 in x + 2")
            }
            TokenKind::Equals => Some("'=' only defines; compare with '=='"),
            TokenKind::RParen | TokenKind::RBracket => Some("no bracket is open that this could close"),
            TokenKind::In => Some("a declaration has no 'in'; every 'let' inside it already has its own"),
            TokenKind::Then | TokenKind::Else => Some("an 'if' ended earlier than it seems"),
            TokenKind::Case => Some("a 'match' ended earlier than it seems"),
            TokenKind::Backquote => Some("backquotes hold a name, as in x `f` y"),
            _ => None,
        };
        let mut error = self.unexpected_error("the end of the declaration");
        error.help = error.help.or(help.map(str::to_owned));
        self.report(error);
    }

    /// Documentation, attributes, and where the declaration starts.
    pub(super) fn dec_front(&mut self) -> Parse<(Option<Doc>, Vec<Attr>, Span)> {
        let mut doc = self.take_doc();
        let start = self.span();
        let mut attrs = vec![];
        while self.at(TokenKind::HashBracket) {
            attrs.push(self.attr()?);
            doc = doc.or_else(|| self.take_doc());
        }
        Ok((doc, attrs, start))
    }

    /// The documentation comment directly before the current word.
    fn take_doc(&mut self) -> Option<Doc> {
        while self.docs_seen < self.docs.len() && self.docs[self.docs_seen].0 < self.pos {
            self.docs_seen += 1;
        }
        let here = self.docs[self.docs_seen..].iter().take_while(|(at, _)| *at == self.pos).count();
        let last = (self.docs_seen + here).checked_sub(1).filter(|_| here > 0)?;
        self.docs[last].1.take()
    }

    fn dec(&mut self) -> Parse<Dec> {
        let (doc, attrs, start) = self.dec_front()?;
        self.nested(|p| p.dec_rest(doc, attrs, start))
    }

    fn dec_rest(&mut self, doc: Option<Doc>, attrs: Vec<Attr>, start: Span) -> Parse<Dec> {
        match self.kind() {
            TokenKind::Def => self.val_bind(ValKeyword::Def, doc, attrs, start),
            TokenKind::Let => self.val_bind(ValKeyword::Let, doc, attrs, start),
            TokenKind::Entry => self.val_bind(ValKeyword::Entry, doc, attrs, start),
            TokenKind::Type => {
                self.bump();
                let lifted = self.liftedness();
                let name = self.ident("the name of a type")?;
                let tparams = self.type_params()?;
                self.expect(TokenKind::Equals, "a type parameter, or '=' and a type")?;
                let def = self.type_exp()?;
                let span = self.since(start);
                Ok(Dec::Type(Box::new(TypeBind { doc, attrs, lifted, name, tparams, def, span })))
            }
            TokenKind::Module if self.kind_at(1) == TokenKind::Type => {
                self.bump();
                self.bump();
                let name = self.ident("the name of a module type")?;
                self.expect(TokenKind::Equals, "'=' and a module type")?;
                let def = self.mod_type()?;
                let span = self.since(start);
                Ok(Dec::ModType(Box::new(ModTypeBind { doc, attrs, name, def, span })))
            }
            TokenKind::Module => {
                self.bump();
                let name = self.ident("the name of a module, or 'type'")?;
                let mut params = vec![];
                while self.at(TokenKind::LParen) {
                    params.push(self.mod_param()?);
                }
                let sig = if self.eat(TokenKind::Colon) { Some(self.mod_type()?) } else { None };
                self.expect(TokenKind::Equals, "'=' and a module")?;
                let body = self.mod_exp()?;
                let span = self.since(start);
                Ok(Dec::Mod(Box::new(ModBind { doc, attrs, name, params, sig, body, span })))
            }
            TokenKind::Open => {
                self.bump();
                let m = self.mod_exp()?;
                Ok(Dec::Open(Box::new(m), self.since(start)))
            }
            TokenKind::Import => {
                self.bump();
                let path = self.path()?;
                Ok(Dec::Import(path, self.since(start)))
            }
            TokenKind::Local => {
                self.bump();
                let inner_start = self.span();
                let (inner_doc, inner_attrs, _) = self.dec_front()?;
                let attrs = attrs.into_iter().chain(inner_attrs).collect();
                let doc = doc.or(inner_doc);
                let inner = self.nested(|p| p.dec_rest(doc, attrs, inner_start))?;
                Ok(Dec::Local(Box::new(inner), self.since(start)))
            }
            TokenKind::Val | TokenKind::Include => {
                let error = self
                    .unexpected_error("a declaration")
                    .note("'val' and 'include' stand only in module types");
                Err(self.report(error))
            }
            _ => Err(self
                .unexpected("a declaration: 'def', 'entry', 'type', 'module', 'open', 'import' or 'local'")),
        }
    }

    /// `^` or `~` after `type`.
    pub(super) fn liftedness(&mut self) -> Liftedness {
        if self.eat(TokenKind::Hat) {
            Liftedness::Lifted
        } else if self.eat(TokenKind::Tilde) {
            Liftedness::SizeLifted
        } else {
            Liftedness::Unlifted
        }
    }

    fn val_bind(
        &mut self,
        keyword: ValKeyword,
        doc: Option<Doc>,
        attrs: Vec<Attr>,
        start: Span,
    ) -> Parse<Dec> {
        self.bump();
        let (nesting, errors) = (self.nesting, self.errors.len());
        let first = (self.at(TokenKind::Ident) && !is_infix(self.kind_at(1))).then(|| self.span());
        let head = self.val_head();
        let head = head.and_then(|h| self.expect(TokenKind::Equals, "a parameter, ':' or '='").map(|_| h));
        let body = if head.is_ok() { self.exp() } else { Err(Failed) };
        let ((name, sig), body) = match (head, body, first) {
            (Ok(head), Ok(body), _) => (head, body),
            (Err(failed), _, None) => return Err(failed),
            // What is being written stays defined, for others use it.
            (head, Err(_) | Ok(_), _) => {
                let unknown = |span| (self.ident_of(span), Signature::default());
                let Some(head) = head.ok().or_else(|| first.map(unknown)) else { return Err(Failed) };
                self.nesting = nesting;
                self.skip_to_dec(start);
                (head, error_exp(self.prev_span().end()))
            }
        };
        let Signature { tparams, params, ret } = sig;
        let span = self.since(start);
        if self.errors.len() > errors {
            self.broken.push(span);
        }
        Ok(Dec::Val(Box::new(ValBind { doc, attrs, keyword, name, tparams, params, ret, body, span })))
    }

    /// What stands before the `=`: a function or constant, or an operator
    /// between its two parameters.
    fn val_head(&mut self) -> Parse<(Ident, Signature)> {
        if let Some(name) = self.defined_operator() {
            return Ok((name, self.signature()?));
        }
        if self.at(TokenKind::Ident) && !is_infix(self.kind_at(1)) {
            let name = self.ident("a name")?;
            return Ok((name, self.signature()?));
        }
        if !matches!(
            self.kind(),
            TokenKind::Ident | TokenKind::LParen | TokenKind::LBrace | TokenKind::Underscore
        ) {
            return Err(self.not_a_name("the name to define"));
        }
        let lhs = pat::pat_atom(self)?;
        self.infix_head(lhs)
    }

    fn infix_head(&mut self, lhs: Pat) -> Parse<(Ident, Signature)> {
        if self.at(TokenKind::Bang) {
            let error = Diagnostic::error(
                self.span(),
                "'!' is a prefix operator: it cannot be used as infix operator.",
            )
            .help("choose a name with more characters, such as '!!'");
            return Err(self.report(error));
        }
        let Some((op, words)) = self.operator() else {
            if matches!(self.kind(), TokenKind::Equals | TokenKind::Colon) {
                let error = Diagnostic::error(lhs.span(), "A pattern cannot be bound at top level.")
                    .help("bind a single name, and take it apart where it is used");
                return Err(self.report(error));
            }
            return Err(self.unexpected("an operator to define"));
        };
        let span = op.span;
        let Some(name) = Self::plain_name(op) else {
            let error = Diagnostic::error(span, "A definition cannot have a qualified name.");
            return Err(self.report(error));
        };
        self.pos += words;
        let rhs = pat::pat_atom(self)?;
        let ret = if self.eat(TokenKind::Colon) { Some(self.type_exp()?) } else { None };
        Ok((name, Signature { tparams: vec![], params: vec![lhs, rhs], ret }))
    }

    /// `(+)` or `` (`f`) `` in the place of the defined name.
    fn defined_operator(&mut self) -> Option<Ident> {
        if let Some(name) = self.operator_in_parens() {
            return Some(name);
        }
        if self.at(TokenKind::LParen)
            && self.kind_at(1) == TokenKind::Backquote
            && self.kind_at(2) == TokenKind::Ident
            && self.kind_at(3) == TokenKind::Backquote
            && self.kind_at(4) == TokenKind::RParen
        {
            let span = self.tokens[self.pos + 2].span;
            self.pos += 5;
            return Some(self.ident_of(span));
        }
        None
    }
}

/// Whether a word between two names makes an infix definition: `def x +++ y`.
fn is_infix(kind: TokenKind) -> bool {
    kind.is_operator() || matches!(kind, TokenKind::Backquote | TokenKind::Bang)
}
