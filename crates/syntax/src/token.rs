//! The words of the language: what the lexer hands to the parser.

use fehu_base::Span;

/// A word and its place. Its text is the source under its span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Which word.
    pub kind: TokenKind,
    /// Where.
    pub span: Span,
}

/// A comment line, `--` to the end of the line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The whole line from `--` on.
    pub text: String,
    /// Where.
    pub span: Span,
    /// Whether the line is part of a documentation comment.
    pub doc: bool,
}

/// The kinds of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TokenKind {
    /// A name that is not reserved.
    Ident,
    /// `#name`.
    Constructor,
    /// `42`, `0xFFu8`.
    Int,
    /// `1.5`, `1e3f32`, `0x1.8p3`.
    Float,
    /// `'c'`.
    Char,
    /// `"..."`.
    String,
    /// An operator that has no other role, such as `+` or `<=>`.
    Op,
    /// A qualified operator, such as `m.+`.
    QualOp,
    /// `-`, infix or prefix.
    Minus,
    /// `!`, prefix only.
    Bang,
    /// `*`, in types the sign of uniqueness.
    Star,
    /// `<`, also in `for i < n`.
    Less,
    /// `|`, in types between constructors.
    Bar,
    /// `^`, also in `type^`.
    Hat,
    /// `~`, only in `type~`.
    Tilde,
    Equals,
    Arrow,
    Backslash,
    Backquote,
    Colon,
    ColonGreater,
    Comma,
    Dot,
    TwoDots,
    ThreeDots,
    TwoDotsLess,
    TwoDotsGreater,
    Question,
    /// `???`.
    Hole,
    Underscore,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    /// `#[`.
    HashBracket,
    /// `'` before a type parameter.
    Quote,
    /// `'~`.
    QuoteTilde,
    /// `'^`.
    QuoteHat,
    True,
    False,
    If,
    Then,
    Else,
    Def,
    Let,
    Loop,
    In,
    Val,
    For,
    Do,
    With,
    Local,
    Open,
    Include,
    Import,
    Type,
    Entry,
    Module,
    While,
    Assert,
    Match,
    Case,
    /// A comment line; only in the list of [`crate::tokens`].
    Comment,
    /// A line of a documentation comment; only in the list of [`crate::tokens`].
    DocComment,
    /// Text that is no word; its error has been reported.
    Unknown,
    /// The end of the text.
    Eof,
}

impl TokenKind {
    /// The reserved word that a text is, if it is one.
    pub fn keyword(text: &str) -> Option<TokenKind> {
        Some(match text {
            "true" => TokenKind::True,
            "false" => TokenKind::False,
            "if" => TokenKind::If,
            "then" => TokenKind::Then,
            "else" => TokenKind::Else,
            "def" => TokenKind::Def,
            "let" => TokenKind::Let,
            "loop" => TokenKind::Loop,
            "in" => TokenKind::In,
            "val" => TokenKind::Val,
            "for" => TokenKind::For,
            "do" => TokenKind::Do,
            "with" => TokenKind::With,
            "local" => TokenKind::Local,
            "open" => TokenKind::Open,
            "include" => TokenKind::Include,
            "import" => TokenKind::Import,
            "type" => TokenKind::Type,
            "entry" => TokenKind::Entry,
            "module" => TokenKind::Module,
            "while" => TokenKind::While,
            "assert" => TokenKind::Assert,
            "match" => TokenKind::Match,
            "case" => TokenKind::Case,
            _ => return None,
        })
    }

    /// Whether the word is reserved: a name in every respect but its use.
    pub fn is_keyword(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            True | False
                | If
                | Then
                | Else
                | Def
                | Let
                | Loop
                | In
                | Val
                | For
                | Do
                | With
                | Local
                | Open
                | Include
                | Import
                | Type
                | Entry
                | Module
                | While
                | Assert
                | Match
                | Case
        )
    }

    /// Whether the word can stand between two operands, backquotes aside.
    pub(crate) fn is_operator(self) -> bool {
        use TokenKind::*;
        matches!(self, Op | QualOp | Minus | Star | Less | Bar | Hat)
    }

    /// Whether a declaration that is not written with `let` starts here. No
    /// expression contains such a word, so recovery stops at it.
    pub(crate) fn starts_dec(self) -> bool {
        use TokenKind::*;
        matches!(self, Def | Entry | Type | Module | Open | Local | Import | Include | Val)
    }
}
