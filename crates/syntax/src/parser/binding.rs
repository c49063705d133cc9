//! Expressions that bind names or choose: `let`, `loop`, `match`, `if`, and
//! anonymous functions.

use super::pat;
use super::pat::{starts_pat, ArrowInType};
use super::{error_exp, mk, Failed, Parse, Parser};
use crate::ast::{
    Access, Case, Exp, ExpKind, Ident, Lambda, LocalFun, LoopForm, Pat, QualName, TypeExp, TypeParam,
};
use crate::token::TokenKind;
use fehu_base::{Diagnostic, Span};

/// One `let` of a chain, waiting for its body.
enum Binding {
    Pat { sizes: Vec<Ident>, pat: Pat, value: Exp },
    Update { name: Ident, path: Vec<Access>, value: Exp },
    Fun(Box<LocalFun>),
}

/// What a function says between its name and its `=`.
#[derive(Default)]
pub(super) struct Signature {
    pub(super) tparams: Vec<TypeParam>,
    pub(super) params: Vec<Pat>,
    pub(super) ret: Option<TypeExp>,
}

impl Parser<'_> {
    pub(super) fn if_exp(&mut self) -> Parse<Exp> {
        let start = self.bump().span;
        let condition = self.exp()?;
        if self.at(TokenKind::Equals) {
            let error = self.unexpected_error("'then'").help("'=' only defines; compare with '=='").fix(
                "Change to `==`",
                self.span(),
                "==",
            );
            return Err(self.report(error));
        }
        self.expect(TokenKind::Then, "'then'")?;
        let yes = self.exp()?;
        self.expect(TokenKind::Else, "'else': both branches of an 'if' are needed")?;
        let no = self.exp()?;
        let span = start.to(no.span);
        Ok(mk(ExpKind::If(condition, yes, no), span))
    }

    /// A chain of `let`s, read in a loop so that long ones are not deep.
    pub(super) fn let_exp(&mut self) -> Parse<Exp> {
        let mut bindings: Vec<(Span, Binding)> = vec![];
        let nesting = self.nesting;
        let complete = loop {
            self.deepen_exp()?;
            let start = self.bump().span;
            let errors = self.errors.len();
            match self.binding() {
                Ok(binding) => bindings.push((start, binding)),
                // The names of a broken binding are unknown, so uses of them
                // may puzzle the checker; it does not check broken declarations.
                Err(Failed) => {
                    if !self.skip_to_binding() {
                        break false;
                    }
                }
            }
            if self.at(TokenKind::Let) || (self.eat(TokenKind::In) && self.at(TokenKind::Let)) {
                continue;
            }
            if self.tokens[self.pos - 1].kind != TokenKind::In {
                let Some(&(start, _)) = bindings.last() else { return Err(self.unexpected("'in'")) };
                if self.errors.len() == errors {
                    self.missing_in(start);
                }
                break false;
            }
            break true;
        };
        let body = if complete { self.exp() } else { Err(Failed) };
        let mut body = match body {
            Ok(body) => body,
            // What was bound so far can be used where the user goes on writing.
            Err(failed) if bindings.is_empty() => return Err(failed),
            Err(_) => {
                self.nesting = nesting;
                self.skip_to_end();
                error_exp(self.prev_span().end())
            }
        };
        while let Some((start, binding)) = bindings.pop() {
            let span = start.to(body.span);
            let kind = match binding {
                Binding::Pat { sizes, pat, value } => ExpKind::Let { sizes, pat, value, body },
                Binding::Update { name, path, value } => ExpKind::LetUpdate { name, path, value, body },
                Binding::Fun(f) => ExpKind::LetFun(f, body),
            };
            body = mk(kind, span);
        }
        Ok(body)
    }

    fn missing_in(&mut self, start: Span) -> Failed {
        let kind = self.kind();
        let error = if kind.starts_dec() {
            let text = self.text_of(self.span());
            Diagnostic::error(self.span(), format!("Unexpected \"{text}\": is \"in\" missing?"))
        } else {
            self.unexpected_error("'in' and the body of the 'let'")
        };
        self.report(error.related(start, "this 'let' has no body"))
    }

    /// What follows one `let`, up to and including the bound value.
    fn binding(&mut self) -> Parse<Binding> {
        if self.at(TokenKind::Ident) {
            match self.kind_at(1) {
                TokenKind::Equals | TokenKind::Colon => {}
                TokenKind::Dot => return self.update_binding(),
                TokenKind::LBracket if self.tokens[self.pos + 1].span.lo == self.span().hi => {
                    return self.update_binding()
                }
                kind if starts_pat(kind) || starts_type_param(kind) => {
                    let name = self.ident("a name")?;
                    return self.function_binding(name);
                }
                _ => {}
            }
        }
        if let Some(name) = self.operator_in_parens() {
            if !matches!(self.kind(), TokenKind::Equals | TokenKind::Colon) {
                return self.function_binding(name);
            }
            self.pos -= 3;
        }
        let sizes = self.size_binders()?;
        let pat = pat::pat(self, ArrowInType::Allowed)?;
        self.expect(TokenKind::Equals, "'=' and the value to bind")?;
        let value = self.bound_value()?;
        Ok(Binding::Pat { sizes, pat, value })
    }

    fn function_binding(&mut self, name: Ident) -> Parse<Binding> {
        let Signature { tparams, params, ret } = self.signature()?;
        self.expect(TokenKind::Equals, "a parameter, ':' or '='")?;
        let body = self.bound_value()?;
        Ok(Binding::Fun(Box::new(LocalFun { name, tparams, params, ret, body })))
    }

    fn update_binding(&mut self) -> Parse<Binding> {
        let name = self.ident("a name")?;
        let mut path = vec![];
        self.accesses(&mut path)?;
        if starts_pat(self.kind()) {
            let error = self
                .unexpected_error("'=' and the new value")
                .help(format!("to define a function, put a space after '{}'", name.name))
                .fix("Define a function", name.span.end(), " ");
            return Err(self.report(error));
        }
        self.expect(TokenKind::Equals, "'=' and the new value")?;
        let value = self.bound_value()?;
        Ok(Binding::Update { name, path, value })
    }

    /// The value of a binding; if it is broken, the next binding is found.
    fn bound_value(&mut self) -> Parse<Exp> {
        let start = self.span();
        self.exp().or_else(|failed| {
            if self.skip_to_binding() {
                Ok(error_exp(self.since(start)))
            } else {
                Err(failed)
            }
        })
    }

    /// `(+)` in the place of a name; nothing is consumed if it is not there.
    pub(super) fn operator_in_parens(&mut self) -> Option<Ident> {
        let operator = self.kind_at(1).is_operator() && self.kind_at(1) != TokenKind::QualOp;
        if self.at(TokenKind::LParen) && operator && self.kind_at(2) == TokenKind::RParen {
            let span = self.tokens[self.pos + 1].span;
            self.pos += 3;
            return Some(self.ident_of(span));
        }
        None
    }

    /// `[n][m]` before a pattern.
    fn size_binders(&mut self) -> Parse<Vec<Ident>> {
        let mut sizes = vec![];
        while self.at(TokenKind::LBracket) {
            sizes.push(self.strict_group(TokenKind::RBracket, |p| p.ident("the name of a size"))?);
        }
        Ok(sizes)
    }

    /// Type parameters, parameters, and the result type.
    pub(super) fn signature(&mut self) -> Parse<Signature> {
        let tparams = self.type_params()?;
        let params = self.params()?;
        let ret = if self.eat(TokenKind::Colon) { Some(self.type_exp()?) } else { None };
        Ok(Signature { tparams, params, ret })
    }

    fn params(&mut self) -> Parse<Vec<Pat>> {
        let mut params = vec![];
        while starts_pat(self.kind()) {
            params.push(pat::pat_atom(self)?);
        }
        Ok(params)
    }

    pub(super) fn lambda(&mut self) -> Parse<Exp> {
        let start = self.bump().span;
        let params = self.params()?;
        if params.is_empty() {
            return Err(self.unexpected("the parameter of an anonymous function"));
        }
        let ret = if self.eat(TokenKind::Colon) { Some(self.type_exp_before_arrow()?) } else { None };
        self.expect(TokenKind::Arrow, "a parameter or '->'")?;
        let body = self.exp()?;
        let span = start.to(body.span);
        Ok(mk(ExpKind::Lambda(Box::new(Lambda { params, ret, body })), span))
    }

    pub(super) fn loop_exp(&mut self) -> Parse<Exp> {
        let start = self.bump().span;
        let sizes = self.size_binders()?;
        let pat = pat::pat(self, ArrowInType::Allowed)?;
        let init = if self.eat(TokenKind::Equals) { Some(self.exp()?) } else { None };
        let form = match self.kind() {
            TokenKind::While => {
                self.bump();
                LoopForm::While(Box::new(self.exp()?))
            }
            TokenKind::For => {
                self.bump();
                self.for_form()?
            }
            _ if init.is_some() => return Err(self.unexpected("'for' or 'while'")),
            _ => return Err(self.unexpected("'=', 'for' or 'while'")),
        };
        self.expect(TokenKind::Do, "'do' and the body of the loop")?;
        let body = self.exp()?;
        let span = start.to(body.span);
        Ok(mk(ExpKind::Loop { sizes, pat, init, form, body }, span))
    }

    fn for_form(&mut self) -> Parse<LoopForm> {
        if self.at(TokenKind::Ident) && self.kind_at(1) == TokenKind::Less {
            let i = self.ident("a name")?;
            self.bump();
            return Ok(LoopForm::For(i, Box::new(self.exp()?)));
        }
        let pat = pat::pat(self, ArrowInType::Allowed)?;
        self.expect(TokenKind::In, "'<' and a bound, or 'in' and an array")?;
        Ok(LoopForm::ForIn(Box::new(pat), Box::new(self.exp()?)))
    }

    pub(super) fn match_exp(&mut self) -> Parse<Exp> {
        let start = self.bump().span;
        let scrutinee = self.exp()?;
        let mut cases = vec![];
        while self.at(TokenKind::Case) {
            let case_start = self.bump().span;
            let pat = pat::pat(self, ArrowInType::Stops)?;
            self.expect(TokenKind::Arrow, "'->' and the result of this case")?;
            let body = self.exp()?;
            cases.push(Case { pat, body, span: self.since(case_start) });
        }
        if cases.is_empty() {
            return Err(self.unexpected("'case': a 'match' has at least one"));
        }
        Ok(mk(ExpKind::Match(scrutinee, cases), self.since(start)))
    }

    /// The name of a value defined here: a plain one, or an operator or
    /// backquoted name in parentheses.
    pub(super) fn plain_name(name: QualName) -> Option<Ident> {
        name.quals.is_empty().then_some(name.name)
    }
}

/// Whether a type parameter can start with this word.
pub(super) fn starts_type_param(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, LBracket | Quote | QuoteTilde | QuoteHat)
}
