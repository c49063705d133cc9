//! Module expressions, module types, and what module types are made of.

use super::{Parse, Parser};
use crate::ast::{ModExp, ModParam, ModTypeExp, Spec, TypeBind};
use crate::lexer::literal;
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Symbol};

/// Whether a module type may be that of a parametric module without
/// parentheses: not before the arrow of a module lambda.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrow {
    Allowed,
    Stops,
}

impl Parser<'_> {
    /// A module expression.
    pub(super) fn mod_exp(&mut self) -> Parse<ModExp> {
        self.nested(|p| {
            let mut e = p.mod_applied()?;
            while p.eat(TokenKind::Colon) {
                p.deepen()?;
                let sig = p.mod_type()?;
                let span = e.span().to(sig.span());
                e = ModExp::Ascript(Box::new(e), Box::new(sig), span);
            }
            Ok(e)
        })
    }

    fn mod_applied(&mut self) -> Parse<ModExp> {
        let start = self.span();
        if self.at(TokenKind::Backslash) {
            return self.mod_lambda();
        }
        if self.eat(TokenKind::Import) {
            return Ok(ModExp::Import(self.path()?, self.since(start)));
        }
        let mut e = self.mod_atom()?;
        while matches!(self.kind(), TokenKind::Ident | TokenKind::LParen | TokenKind::LBrace) {
            self.deepen()?;
            let arg = self.mod_atom()?;
            let span = start.to(arg.span());
            e = ModExp::Apply(Box::new(e), Box::new(arg), span);
        }
        Ok(e)
    }

    fn mod_atom(&mut self) -> Parse<ModExp> {
        let start = self.span();
        match self.kind() {
            TokenKind::Ident => Ok(ModExp::Var(self.qual_name("the name of a module")?)),
            TokenKind::LParen => {
                let e = self.strict_group(TokenKind::RParen, Self::mod_exp)?;
                Ok(ModExp::Parens(Box::new(e), self.since(start)))
            }
            TokenKind::LBrace => {
                let decs = self.strict_group(TokenKind::RBrace, |p| p.nested(|p| Ok(p.decs())))?;
                Ok(ModExp::Decs(decs, self.since(start)))
            }
            _ => Err(self.unexpected("a module: a name, '{', '(', '\\' or 'import'")),
        }
    }

    fn mod_lambda(&mut self) -> Parse<ModExp> {
        let start = self.bump().span;
        if !self.at(TokenKind::LParen) {
            return Err(self.unexpected("'(' and the parameter of the module"));
        }
        let param = self.mod_param()?;
        let sig = if self.eat(TokenKind::Colon) {
            Some(Box::new(self.nested(|p| p.mod_type_here(Arrow::Stops))?))
        } else {
            None
        };
        self.expect(TokenKind::Arrow, "'->' and the body of the parametric module")?;
        let body = self.nested(Self::mod_applied)?;
        let span = start.to(body.span());
        Ok(ModExp::Lambda(Box::new(param), sig, Box::new(body), span))
    }

    /// `(p : S)`.
    pub(super) fn mod_param(&mut self) -> Parse<ModParam> {
        let start = self.span();
        let (name, sig) = self.strict_group(TokenKind::RParen, |p| {
            let name = p.ident("the name of a module parameter")?;
            p.expect(TokenKind::Colon, "':' and the module type of the parameter")?;
            Ok((name, p.mod_type()?))
        })?;
        Ok(ModParam { name, sig, span: self.since(start) })
    }

    /// The string after `import`.
    pub(super) fn path(&mut self) -> Parse<Symbol> {
        let token = self.expect(TokenKind::String, "the path of a file as a string")?;
        let bytes = literal::string_value(self.text_of(token.span));
        Ok(Symbol::new(&String::from_utf8_lossy(&bytes)))
    }

    /// A module type.
    pub(super) fn mod_type(&mut self) -> Parse<ModTypeExp> {
        self.nested(|p| p.mod_type_here(Arrow::Allowed))
    }

    fn mod_type_here(&mut self, arrow: Arrow) -> Parse<ModTypeExp> {
        let start = self.span();
        let (param, lhs) = if self.at_named_param() {
            let param = self.mod_param()?;
            if arrow == Arrow::Stops || !self.at(TokenKind::Arrow) {
                return Err(self.unexpected("'->' and the module type of the result"));
            }
            (Some(param.name), param.sig)
        } else {
            (None, self.mod_type_refined()?)
        };
        if arrow == Arrow::Stops || !self.eat(TokenKind::Arrow) {
            return Ok(lhs);
        }
        let rhs = self.mod_type()?;
        let span = start.to(rhs.span());
        Ok(ModTypeExp::Arrow { param, lhs: Box::new(lhs), rhs: Box::new(rhs), span })
    }

    fn mod_type_refined(&mut self) -> Parse<ModTypeExp> {
        let start = self.span();
        let mut base = match self.kind() {
            TokenKind::Ident => ModTypeExp::Var(self.qual_name("the name of a module type")?),
            TokenKind::LParen => {
                let inner = self.strict_group(TokenKind::RParen, Self::mod_type)?;
                ModTypeExp::Parens(Box::new(inner), self.since(start))
            }
            TokenKind::LBrace => {
                let specs = self.strict_group(TokenKind::RBrace, |p| p.specs())?;
                ModTypeExp::Specs(specs, self.since(start))
            }
            _ => return Err(self.unexpected("a module type: a name, '{' or '('")),
        };
        while self.eat(TokenKind::With) {
            self.deepen()?;
            let name = self.qual_name("the name of the type to refine")?;
            let tparams = self.type_params()?;
            self.expect(TokenKind::Equals, "'=' and a type")?;
            let def = self.type_exp()?;
            base = ModTypeExp::With { base: Box::new(base), name, tparams, def, span: self.since(start) };
        }
        Ok(base)
    }

    /// Specifications up to a closing brace; a broken one is skipped.
    fn specs(&mut self) -> Parse<Vec<Spec>> {
        let mut specs = vec![];
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            let start = self.span();
            let declares = matches!(self.kind(), TokenKind::Def | TokenKind::Entry | TokenKind::Let);
            // At the margin of the file it means that the brace is missing.
            if declares && self.column(start) == 0 {
                break;
            }
            match self.spec() {
                Ok(spec) => specs.push(spec),
                Err(_) => self.skip_to_dec(start),
            }
        }
        Ok(specs)
    }

    fn spec(&mut self) -> Parse<Spec> {
        let (mut doc, attrs, start) = self.dec_front()?;
        match self.kind() {
            TokenKind::Val => {
                self.bump();
                let name = if let Some(op) = self.operator_in_parens() {
                    op
                } else if let Some((op, words)) = self.operator() {
                    self.pos += words;
                    op.name
                } else {
                    self.ident("the name of a value or an operator")?
                };
                let tparams = self.type_params()?;
                self.expect(TokenKind::Colon, "':' and the type of the value")?;
                let ty = self.type_exp()?;
                Ok(Spec::Val { doc, attrs, name, tparams, ty, span: self.since(start) })
            }
            TokenKind::Type => {
                self.bump();
                let lifted = self.liftedness();
                let name = self.ident("the name of a type")?;
                let tparams = self.type_params()?;
                if !self.eat(TokenKind::Equals) {
                    return Ok(Spec::Type { doc, attrs, lifted, name, tparams, span: self.since(start) });
                }
                let def = self.type_exp()?;
                let span = self.since(start);
                let doc = doc.take();
                Ok(Spec::TypeAbbrev(Box::new(TypeBind { doc, attrs, lifted, name, tparams, def, span })))
            }
            TokenKind::Module => {
                self.bump();
                if self.at(TokenKind::Type) {
                    let error =
                        Diagnostic::error(self.span(), "A module type cannot require another module type.");
                    return Err(self.report(error));
                }
                let name = self.ident("the name of a module")?;
                self.expect(TokenKind::Colon, "':' and a module type")?;
                let sig = self.mod_type()?;
                Ok(Spec::Mod { doc, attrs, name, sig, span: self.since(start) })
            }
            TokenKind::Include => {
                self.bump();
                let sig = self.mod_type()?;
                Ok(Spec::Include(Box::new(sig), self.since(start)))
            }
            TokenKind::Def | TokenKind::Entry | TokenKind::Let => {
                let error = self
                    .unexpected_error("'val', 'type', 'module', 'include' or '}'")
                    .note("a module type says what a module has, with 'val'; it defines nothing");
                Err(self.report(error))
            }
            _ => Err(self.unexpected("'val', 'type', 'module', 'include' or '}'")),
        }
    }
}
