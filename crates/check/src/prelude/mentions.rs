//! The names that words mention, with the module that each is said to be in.

use fehu_syntax::{Token, TokenKind};

/// Calls back for every name: with the module if it is written `m.name`, and for modules of
/// which everything mentioned may be meant, as in `m.(x + y)`.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
pub(super) fn each<'t>(text: &'t str, words: &[Token], mut found: impl FnMut(Mention<'t>)) {
    let of = |t: &Token| text.get(t.span.lo as usize..t.span.hi as usize).unwrap_or("");
    let mut module = None;
    for (i, word) in words.iter().enumerate() {
        let qualifier = module.take();
        match word.kind {
            TokenKind::Ident => {
                let name = of(word);
                found(match qualifier {
                    Some(module) => Mention::In(module, name),
                    None => Mention::Plain(name),
                });
                let next = |n: usize| words.get(i + n).map(|t| t.kind);
                if next(1) == Some(TokenKind::Dot) {
                    module = Some(name);
                    if next(2) == Some(TokenKind::LParen) {
                        found(Mention::Opened(name));
                    }
                }
            }
            // Keeps the module that stands before it.
            TokenKind::Dot => module = qualifier,
            TokenKind::QualOp => qualified(of(word), &mut found),
            TokenKind::Op
            | TokenKind::Minus
            | TokenKind::Bang
            | TokenKind::Star
            | TokenKind::Less
            | TokenKind::Bar
            | TokenKind::Hat => found(Mention::Plain(of(word))),
            _ => {}
        }
    }
}

/// One name in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mention<'t> {
    /// `name`.
    Plain(&'t str),
    /// `module.name`, or a field.
    In(&'t str, &'t str),
    /// `module.(...)`.
    Opened(&'t str),
}

/// `m.n.+`, one word. Operators may contain dots, names may not.
fn qualified<'t>(word: &'t str, found: &mut impl FnMut(Mention<'t>)) {
    let (mut module, mut rest) = ("", word);
    while let Some((name, after)) = rest.split_once('.') {
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            break;
        }
        found(Mention::Plain(name));
        (module, rest) = (name, after);
    }
    found(Mention::In(module, rest));
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_base::FileId;

    #[test]
    fn names_and_where_they_are() {
        let text = "def f x = m.g (a + b.c.d) b.n.+. i32.(y)";
        let mut all = vec![];
        each(text, &fehu_syntax::words(FileId(0), text, 0..text.len()), |m| all.push(m));
        use Mention::{In, Opened, Plain};
        assert_eq!(
            all,
            [
                Plain("f"),
                Plain("x"),
                Plain("m"),
                In("m", "g"),
                Plain("a"),
                Plain("+"),
                Plain("b"),
                In("b", "c"),
                In("c", "d"),
                Plain("b"),
                Plain("n"),
                In("n", "+."),
                Plain("i32"),
                Opened("i32"),
                Plain("y"),
            ]
        );
    }
}
