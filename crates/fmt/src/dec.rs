//! Files and declarations.
//!
//! Declarations are separated by an empty line; those of one line that stand below each other in the source
//! stay together.

use crate::printer::{Layout, Printer};
use fehu_base::Span;
use fehu_syntax::ast::{
    Dec, Doc, Liftedness, ModTypeBind, ModTypeExp, TypeBind, TypeParam, ValBind, ValKeyword,
};
use fehu_syntax::TokenKind;

impl Printer<'_> {
    /// The whole file, with one line break at its end.
    pub(crate) fn prog(&mut self) {
        let prog = self.source.prog();
        self.sequence(&prog.decs, Dec::span, Self::dec);
        if !prog.decs.is_empty() {
            self.line();
            if self.comments_wait(u32::MAX) {
                self.line();
            }
        }
        self.last_comments(u32::MAX);
    }

    /// Declarations or specifications below each other.
    pub(crate) fn sequence<T>(
        &mut self,
        items: &[T],
        span: impl Fn(&T) -> Span,
        mut print: impl FnMut(&mut Self, &T),
    ) {
        let mut previous: Option<Span> = None;
        for item in items {
            let span = span(item);
            if let Some(previous) = previous {
                self.line();
                if !self.stays_close(previous, span) {
                    self.line();
                }
            }
            print(self, item);
            previous = Some(span);
        }
    }

    /// Whether two declarations are lines below each other. Attributes get a line of their own, so there are more
    /// than two.
    fn stays_close(&self, first: Span, second: Span) -> bool {
        let first = Span { lo: self.keyword(first), ..first };
        self.keyword(second) == second.lo
            && !self.source.is_multiline(first)
            && !self.source.is_multiline(second)
            && self.source.line(first.hi.saturating_sub(1)).0 + 1 == self.source.line(second.lo).0
            && !self.comments_wait(second.lo)
    }

    /// Where the keyword of a declaration stands, behind its attributes.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn keyword(&self, span: Span) -> u32 {
        let mut depth = 0u32;
        for token in self.source.tokens_in(span) {
            match token.kind {
                TokenKind::HashBracket | TokenKind::LBracket => depth += 1,
                TokenKind::RBracket => depth = depth.saturating_sub(1),
                _ if depth == 0 => return token.span.lo,
                _ => {}
            }
        }
        span.lo
    }

    /// The comments before a declaration, and its attributes on a line of their own.
    pub(crate) fn front(&mut self, span: Span) {
        self.comments(span.lo);
        self.attributes(span);
    }

    fn attributes(&mut self, span: Span) {
        let keyword = self.keyword(span);
        if keyword == span.lo {
            return;
        }
        let source = self.source;
        let tokens = source.tokens_in(Span { hi: keyword, ..span });
        for (i, token) in tokens.iter().enumerate() {
            if token.kind == TokenKind::HashBracket && i > 0 {
                self.put(" ");
            }
            self.put_span(token.span);
        }
        self.gap(self.dec_layout);
        self.comments(keyword);
    }

    pub(crate) fn dec(&mut self, dec: &Dec) {
        if !matches!(dec, Dec::Local(..)) {
            self.front(dec.span());
        }
        match dec {
            Dec::Val(bind) => self.val_bind(bind),
            Dec::Type(bind) => self.type_bind(bind),
            Dec::Mod(bind) => self.mod_bind(bind),
            Dec::ModType(bind) => self.mod_type_bind(bind),
            Dec::Open(m, _) => {
                self.put("open ");
                self.mod_exp(m);
            }
            Dec::Import(_, span) => {
                self.put("import ");
                self.path_literal(*span);
            }
            Dec::Local(inner, span) => self.local(inner, *span),
        }
    }

    /// A local declaration. Its documentation stands behind `local`, unless attributes stand before it.
    fn local(&mut self, inner: &Dec, span: Span) {
        match doc(inner) {
            Some(doc) if doc.span.lo < span.lo && self.keyword(span) == span.lo => {
                self.comments_to(doc.span.lo, span.lo)
            }
            _ => self.comments(span.lo),
        }
        self.attributes(span);
        self.put("local");
        let inner_span = inner.span();
        let waiting = self.comments_wait(self.keyword(inner_span));
        self.gap(if waiting { Layout::Lines } else { self.layout(Span { lo: self.keyword(span), ..span }) });
        self.dec(inner);
    }

    /// The string at the end of an import.
    pub(crate) fn path_literal(&mut self, span: Span) {
        if let Some(path) = self.source.tokens_in(span).last() {
            self.put_span(path.span);
        }
    }

    fn val_bind(&mut self, bind: &ValBind) {
        self.put(match bind.keyword {
            ValKeyword::Def | ValKeyword::Let => "def ",
            ValKeyword::Entry => "entry ",
        });
        self.binder(bind.name);
        match self.params_layout(bind) {
            Layout::Lines => self.params_below(bind),
            Layout::OneLine => {
                self.type_params(&bind.tparams);
                for param in &bind.params {
                    self.put(" ");
                    self.pat(param);
                }
            }
        }
        if let Some(ret) = &bind.ret {
            self.put(" : ");
            self.align(|p| p.type_exp(ret));
        }
        self.put(" =");
        let bare = Span { lo: self.keyword(bind.span), ..bind.span };
        let layout = self.layout(bare);
        self.body(layout, |p| p.exp(&bind.body));
    }

    fn params_layout(&self, bind: &ValBind) -> Layout {
        let first = match (bind.tparams.first(), bind.params.first()) {
            (Some(param), _) => type_param_span(param),
            (None, Some(param)) => param.span(),
            (None, None) => return Layout::OneLine,
        };
        bind.params.last().map_or(Layout::OneLine, |last| self.layout(first.to(last.span())))
    }

    /// Type parameters, on one line or below each other as in the source.
    fn spread_type_params(&mut self, params: &[TypeParam]) {
        let layout = match (params.first(), params.last()) {
            (Some(first), Some(last)) => self.layout(type_param_span(first).to(type_param_span(last))),
            _ => return,
        };
        for (i, param) in params.iter().enumerate() {
            if i > 0 {
                self.gap(layout);
            }
            self.type_param(param);
        }
    }

    /// Parameters below the type parameters, and below each other if they are in the source.
    fn params_below(&mut self, bind: &ValBind) {
        self.put(" ");
        self.align(|p| {
            p.spread_type_params(&bind.tparams);
            if !bind.tparams.is_empty() {
                p.line();
            }
            let layout = match (bind.params.first(), bind.params.last()) {
                (Some(first), Some(last)) => p.layout(first.span().to(last.span())),
                _ => Layout::OneLine,
            };
            for (i, param) in bind.params.iter().enumerate() {
                if i > 0 {
                    p.gap(layout);
                }
                p.pat(param);
            }
        });
    }

    pub(crate) fn type_bind(&mut self, bind: &TypeBind) {
        self.type_head(bind.lifted);
        self.ident(bind.name);
        if !bind.tparams.is_empty() {
            self.put(" ");
            self.align(|p| p.spread_type_params(&bind.tparams));
        }
        self.put(" =");
        let layout = self.layout(Span { lo: self.keyword(bind.span), ..bind.span });
        self.body(layout, |p| p.type_exp(&bind.def));
    }

    /// `type`, `type~` or `type^`.
    pub(crate) fn type_head(&mut self, lifted: Liftedness) {
        self.put(match lifted {
            Liftedness::Unlifted => "type ",
            Liftedness::SizeLifted => "type~ ",
            Liftedness::Lifted => "type^ ",
        });
    }

    fn mod_type_bind(&mut self, bind: &ModTypeBind) {
        self.put("module type ");
        self.ident(bind.name);
        self.put(" =");
        let layout = match &bind.def {
            ModTypeExp::Specs(..) => Layout::OneLine,
            ModTypeExp::Var(_)
            | ModTypeExp::Parens(..)
            | ModTypeExp::With { .. }
            | ModTypeExp::Arrow { .. } => self.layout(Span { lo: self.keyword(bind.span), ..bind.span }),
        };
        self.body(layout, |p| p.mod_type(&bind.def));
    }
}

fn type_param_span(param: &TypeParam) -> Span {
    match param {
        TypeParam::Size(x) | TypeParam::Type(_, x) => x.span,
    }
}

fn doc(dec: &Dec) -> Option<&Doc> {
    match dec {
        Dec::Val(bind) => bind.doc.as_ref(),
        Dec::Type(bind) => bind.doc.as_ref(),
        Dec::Mod(bind) => bind.doc.as_ref(),
        Dec::ModType(bind) => bind.doc.as_ref(),
        Dec::Local(inner, _) => doc(inner),
        Dec::Open(..) | Dec::Import(..) => None,
    }
}
