//! What all parts of the printer share: comments, layouts, indentation, names, attributes.

use crate::source::Source;
use crate::writer::{Writer, INDENT};
use fehu_base::Span;
use fehu_syntax::ast::{Attr, Ident, Liftedness, QualName, TypeParam};
use fehu_syntax::{Comment, Token, TokenKind};

/// How many tokens after the last one a text may begin with: a few are left out, such as a comma before a bracket.
const LOOKAHEAD: usize = 4;

/// Whether a construct goes on one line, or one part a line: as in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    OneLine,
    Lines,
}

/// Writes a tree, and the comments of its source in between.
pub(crate) struct Printer<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) out: Writer,
    /// The first comment that has not been written.
    next_comment: usize,
    /// The first token that has not been written, as far as that is known.
    next_token: usize,
    /// Whether the declarations around stand on one line.
    pub(crate) dec_layout: Layout,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(source: &'a Source<'a>) -> Printer<'a> {
        Printer { source, out: Writer::default(), next_comment: 0, next_token: 0, dec_layout: Layout::Lines }
    }

    /// Writes everything.
    pub(crate) fn run(mut self) -> String {
        self.prog();
        self.out.finish()
    }

    pub(crate) fn put(&mut self, text: &str) {
        self.out.put(text);
        self.written(text);
    }

    /// Writes the text of a span.
    pub(crate) fn put_span(&mut self, span: Span) {
        self.next_token = self.source.tokens().partition_point(|t| t.span.lo < span.lo);
        self.put(self.source.text(span));
    }

    /// Notes which tokens a text was, and lets a comment behind one of them on its line end the line here, too.
    fn written(&mut self, text: &str) {
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let tokens = self.source.tokens().iter().enumerate().skip(self.next_token).take(LOOKAHEAD);
            let mut begins = tokens.filter_map(|(i, token)| {
                let word = self.source.text(token.span);
                let word = if token.kind == TokenKind::Let && !rest.starts_with(word) { "def" } else { word };
                Some((i, rest.strip_prefix(word).filter(|_| !word.is_empty())?))
            });
            let Some((i, after)) = begins.next() else { return };
            self.next_token = i + 1;
            rest = after.trim_start();
        }
        self.trailing_comment();
    }

    /// A comment behind what was written last. A comma is written on the next line, and an `in` between two `let`s not
    /// at all, so that a comment behind them is about what stands before them.
    fn trailing_comment(&mut self) {
        let Some(comment) = self.source.comments().get(self.next_comment) else { return };
        let tokens = self.source.tokens();
        let is = |i: usize, kind: TokenKind| tokens.get(i).is_some_and(|t| t.kind == kind);
        let moved = |i| is(i, TokenKind::Comma) || (is(i, TokenKind::In) && is(i + 1, TokenKind::Let));
        let Some(before) = tokens.partition_point(|t| t.span.lo < comment.span.lo).checked_sub(1) else {
            return;
        };
        let behind = before + 1 == self.next_token || (before == self.next_token && moved(before));
        let same_line = |t: &Token| self.source.last_line(t.span) == self.source.line(comment.span.lo);
        if behind && tokens.get(before).is_some_and(same_line) {
            self.out.trail(comment.text.trim_end());
            self.next_comment += 1;
        }
    }

    pub(crate) fn line(&mut self) {
        self.out.line();
    }

    /// The layout that a span has in the source.
    pub(crate) fn layout(&self, span: Span) -> Layout {
        if self.source.is_multiline(span) {
            Layout::Lines
        } else {
            Layout::OneLine
        }
    }

    /// A space, or the end of the line.
    pub(crate) fn gap(&mut self, layout: Layout) {
        match layout {
            Layout::OneLine => self.put(" "),
            Layout::Lines => self.line(),
        }
    }

    /// Runs a part whose further lines are indented as deep as its first character.
    pub(crate) fn align(&mut self, part: impl FnOnce(&mut Self)) {
        let outer = self.out.set_indent(self.out.column());
        part(self);
        self.out.set_indent(outer);
    }

    /// Runs a part whose further lines are indented by more than those around.
    pub(crate) fn nest(&mut self, by: usize, part: impl FnOnce(&mut Self)) {
        let outer = self.out.set_indent(self.out.indent() + by);
        part(self);
        self.out.set_indent(outer);
    }

    /// What follows a `=` or `->`: behind it, or on lines of its own that are indented.
    pub(crate) fn body(&mut self, layout: Layout, part: impl FnOnce(&mut Self)) {
        match layout {
            Layout::OneLine => {
                self.put(" ");
                part(self);
            }
            Layout::Lines => self.nest(INDENT, |p| {
                p.line();
                part(p);
            }),
        }
    }

    /// Whether comments stand before a place that have not been written.
    pub(crate) fn comments_wait(&self, before: u32) -> bool {
        self.source.comments().get(self.next_comment).is_some_and(|c| c.span.lo < before)
    }

    /// Writes the comments before a place, each on a line of its own. An empty line behind one is kept.
    pub(crate) fn comments(&mut self, before: u32) {
        self.waiting_comments(before, Some(before));
    }

    /// Writes the comments before the end of something: nothing follows the last one.
    pub(crate) fn last_comments(&mut self, before: u32) {
        self.waiting_comments(before, None);
    }

    /// Writes the comments before a place; what follows them stands at another one.
    pub(crate) fn comments_to(&mut self, before: u32, following: u32) {
        self.waiting_comments(before, Some(following));
    }

    fn waiting_comments(&mut self, before: u32, following: Option<u32>) {
        self.out.end_comment();
        while let Some(comment) = self.source.comments().get(self.next_comment) {
            if comment.span.lo >= before {
                return;
            }
            self.next_comment += 1;
            self.out.put(comment.text.trim_end());
            self.line();
            let next = self.source.comments().get(self.next_comment).filter(|c| c.span.lo < before);
            let Some(at) = next.map(|c| c.span.lo).or(following) else { return };
            let empty_line = self.source.line(at).0 > self.source.line(comment.span.lo).0 + 1;
            let keeps = match next {
                // Documentation begins a paragraph.
                Some(next) if next.doc && !comment.doc => true,
                Some(_) => empty_line,
                // What is documented follows at once.
                None => empty_line && (!comment.doc || self.documents_file(comment)),
            };
            if keeps {
                self.line();
            }
        }
    }

    fn documents_file(&self, comment: &Comment) -> bool {
        self.source.prog().doc.as_ref().is_some_and(|d| comment.span.hi <= d.span.hi)
    }

    /// A name as it is written.
    pub(crate) fn ident(&mut self, ident: Ident) {
        self.put_span(ident.span);
    }

    /// A qualified name; spaces around its dots go.
    pub(crate) fn qual_name(&mut self, name: &QualName) {
        for qual in &name.quals {
            self.ident(*qual);
            self.put(".");
        }
        self.ident(name.name);
    }

    /// A name that is bound: an operator is in parentheses.
    pub(crate) fn binder(&mut self, ident: Ident) {
        let operator =
            self.source.text(ident.span).starts_with(|c: char| c.is_ascii_punctuation() && c != '_');
        if operator {
            self.put("(");
        }
        self.ident(ident);
        if operator {
            self.put(")");
        }
    }

    /// `[n] 'a`, each after a space.
    pub(crate) fn type_params(&mut self, params: &[TypeParam]) {
        for param in params {
            self.put(" ");
            self.type_param(param);
        }
    }

    /// `[n]` or `'a`.
    pub(crate) fn type_param(&mut self, param: &TypeParam) {
        match param {
            TypeParam::Size(n) => self.size_binder(*n),
            TypeParam::Type(lifted, a) => {
                self.put(match lifted {
                    Liftedness::Unlifted => "'",
                    Liftedness::SizeLifted => "'~",
                    Liftedness::Lifted => "'^",
                });
                self.ident(*a);
            }
        }
    }

    /// `[n]`.
    pub(crate) fn size_binder(&mut self, n: Ident) {
        self.put("[");
        self.ident(n);
        self.put("]");
    }

    /// `#[...]`.
    pub(crate) fn attr(&mut self, attr: &Attr) {
        self.put("#[");
        self.attr_inner(attr);
        self.put("]");
    }

    fn attr_inner(&mut self, attr: &Attr) {
        match attr {
            Attr::Atom(name) => self.ident(*name),
            Attr::Int(_, span) => self.put_span(*span),
            Attr::Comp(name, args, _) => {
                self.ident(*name);
                self.put("(");
                for (i, arg) in args.iter().enumerate() {
                    if i > 0 {
                        self.put(",");
                    }
                    self.attr_inner(arg);
                }
                self.put(")");
            }
        }
    }
}
