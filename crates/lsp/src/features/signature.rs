//! The parameters of the function that is being applied, and which of them comes next.
//!
//! In: the text up to a place, which is seldom a whole program while the user types. Out: the function's type.
//!
//! ```text
//! reduce (+) |       (op: a -> a -> a) -> (ne: a) -> (as: [n]a) -> a, the second parameter
//! ```
//!
//! An application is read backwards from the place, by its words: operands stand side by side, and what is in
//! brackets is one.

use crate::analysis::module;
use crate::answer::Answer;
use crate::state::{Document, State};
use fehu_base::{FileId, Symbol};
use fehu_check::scope::{Env, TermEntry};
use fehu_check::show::{Show, Texts};
use fehu_check::tast::Program;
use fehu_check::types::{TParam, Type};
use fehu_syntax::{Token, TokenKind};
use serde_json::{json, Value};

pub(super) fn help(state: &State, document: &Document, params: &Value) -> Answer {
    let offset = document.text.offset(&params["position"], state.encoding);
    let text = &document.text.text;
    let Some((path, start, given)) = applied(text, offset) else { return Ok(Value::Null) };
    let show = |program: &Program, tparams: &[TParam], ty: &Type, doc: Option<String>| {
        signature(state, program, path.last().copied().unwrap_or(""), tparams, ty, doc)
    };
    let local = document.views().filter(|_| path.len() == 1).find_map(|view| {
        let name = Symbol::new(path.first()?);
        let local = view.analysis.local(name, view.offset(start)?)?;
        show(&view.analysis.program, &[], &local.ty, None)
    });
    let global = || {
        document.views().find_map(|view| {
            let a = view.analysis;
            let (tparams, ty, name) = value(&a.program.env, &path)?;
            show(&a.program, tparams, ty, a.doc(name))
        })
    };
    let prelude = || {
        let p = state.prelude()?;
        let (tparams, ty, name) = value(&p.prelude_env, &path)?;
        show(p, tparams, ty, state.prelude_doc(name))
    };
    let Some((signature, count)) = local.or_else(global).or_else(prelude) else { return Ok(Value::Null) };
    // Beyond the last parameter, none is the active one.
    let active = if given < count { json!(given) } else { Value::Null };
    Ok(json!({"signatures": [signature], "activeSignature": 0, "activeParameter": active}))
}

type Found<'a> = (&'a [TParam], &'a Type, fehu_base::Name);

fn value<'a>(env: &'a Env, path: &[&str]) -> Option<Found<'a>> {
    let (last, modules) = path.split_last()?;
    match module(env, modules)?.terms.get(&Symbol::new(last))? {
        TermEntry::Val(v) => Some((&v.scheme.tparams, &v.scheme.ty, v.name)),
        TermEntry::Mod(_) => None,
    }
}

/// The signature of a function, and how many parameters it has.
fn signature(
    state: &State,
    program: &Program,
    name: &str,
    tparams: &[TParam],
    ty: &Type,
    doc: Option<String>,
) -> Option<(Value, usize)> {
    let Type::Arrow(first) = ty else { return None };
    let texts = Texts::default();
    let show = Show::plain(&program.names, &texts);
    show.learn(tparams, ty);
    let mut label = format!("{name}{} : ", show.tparams(tparams));
    let mut parameters = vec![];
    let mut arrow = first;
    loop {
        let start = state.encoding.units(&label);
        label.push_str(&show.param(arrow));
        parameters.push(json!({"label": [start, state.encoding.units(&label)]}));
        label.push_str(" -> ");
        match &arrow.ret.ty {
            Type::Arrow(next) if arrow.ret.dims.is_empty() => arrow = next,
            Type::Arrow(_)
            | Type::Scalar(..)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Var(..)
            | Type::Meta(_)
            | Type::Error => break,
        }
    }
    label.push_str(&show.ret(&arrow.ret));
    let count = parameters.len();
    let mut signature = json!({"label": label, "parameters": parameters});
    if let Some(doc) = doc {
        signature["documentation"] = json!({"kind": "markdown", "value": doc});
    }
    Some((signature, count))
}

/// The function that is applied at a place: its name, where that begins, and how many operands are complete
/// before the place.
fn applied(text: &str, offset: usize) -> Option<(Vec<&str>, usize, usize)> {
    let before = text.get(..offset)?;
    let mut tokens = fehu_syntax::tokens(FileId(0), before);
    if tokens.last().is_some_and(|t| is_comment(t.kind) && t.span.hi as usize == offset) {
        return None;
    }
    tokens.retain(|t| !is_comment(t.kind));
    let mut at = tokens.len();
    // From the place outwards: the operands before it; if they are none, the bracket around it is itself an operand.
    loop {
        let mut operands: Vec<std::ops::Range<usize>> = vec![];
        while let Some(start) = operand(&tokens, at) {
            operands.push(start..at);
            at = start;
        }
        operands.reverse();
        if at.checked_sub(1).is_some_and(|i| binds(tokens[i].kind)) {
            return None;
        }
        if let Some(function) = operands.first() {
            let words = name(text, &tokens[function.clone()]);
            let touching = tokens.last().is_some_and(|t| t.span.hi as usize == offset);
            let last_is_open = touching && operands.last().is_some_and(|o| o.end == tokens.len());
            let given = operands.len() - 1 - usize::from(last_is_open && operands.len() > 1);
            let alone = operands.len() == 1 && last_is_open;
            match words {
                Some(words) if !alone => {
                    return Some((words, tokens[function.start].span.lo as usize, given));
                }
                Some(_) | None => {}
            }
        }
        at = enclosing(&tokens, at)?;
        // The index of an array is in the operand that the array is.
        let touches = |i: usize| tokens[i].span.hi == tokens[at].span.lo;
        if tokens[at].kind == TokenKind::LBracket && at.checked_sub(1).is_some_and(touches) {
            at = operand(&tokens, at).unwrap_or(at);
        }
    }
}

fn is_comment(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Comment | TokenKind::DocComment)
}

/// The bracket before a place that is still open there, if only an operand can begin with it.
fn enclosing(tokens: &[Token], mut at: usize) -> Option<usize> {
    while at > 0 {
        let kind = tokens[at - 1].kind;
        if opens(kind) {
            return Some(at - 1);
        }
        if starts_dec(kind) {
            return None;
        }
        at = if closes(kind) { matching(tokens, at)? } else { at - 1 };
    }
    None
}

/// Where the operand begins that ends at a place.
#[allow(clippy::wildcard_enum_match_arm, reason = "any other word ends the operand")]
fn operand(tokens: &[Token], at: usize) -> Option<usize> {
    use TokenKind as T;
    let last = tokens.get(at.checked_sub(1)?)?;
    let mut start = if closes(last.kind) {
        matching(tokens, at)?
    } else if matches!(
        last.kind,
        T::Ident | T::Constructor | T::Int | T::Float | T::Char | T::String | T::True | T::False | T::Hole
    ) {
        at - 1
    } else {
        return None;
    };
    // `a[i]` and `m.x` are one operand: what is before touches.
    loop {
        let Some(before) = start.checked_sub(1).and_then(|i| tokens.get(i)) else { return Some(start) };
        let touches = before.span.hi == tokens[start].span.lo;
        let indexed = matches!(tokens[start].kind, T::LBracket | T::LParen);
        start = match before.kind {
            T::Dot => match operand(tokens, start - 1) {
                Some(head) => head,
                None => return Some(start),
            },
            T::Ident if touches && tokens[start].kind == T::LBracket => start - 1,
            T::RBracket | T::RParen if touches && indexed && tokens[start].kind == T::LBracket => {
                matching(tokens, start)?
            }
            _ => return Some(start),
        };
    }
}

/// The opening bracket for the closing one before a place.
fn matching(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    for i in (0..at).rev() {
        let kind = tokens[i].kind;
        if closes(kind) {
            depth += 1;
        } else if opens(kind) {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(i);
            }
        }
    }
    None
}

fn opens(kind: TokenKind) -> bool {
    use TokenKind as T;
    matches!(kind, T::LParen | T::LBracket | T::LBrace | T::HashBracket)
}

fn closes(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace)
}

fn starts_dec(kind: TokenKind) -> bool {
    use TokenKind as T;
    matches!(kind, T::Def | T::Entry | T::Type | T::Module | T::Open | T::Local | T::Import | T::Val)
}

/// Whether what follows is bound, not applied.
fn binds(kind: TokenKind) -> bool {
    use TokenKind as T;
    starts_dec(kind) || matches!(kind, T::Let | T::Backslash | T::Loop | T::For | T::Case)
}

/// The words of an operand that is a name.
fn name<'a>(text: &'a str, tokens: &[Token]) -> Option<Vec<&'a str>> {
    let mut words = vec![];
    for (i, t) in tokens.iter().enumerate() {
        let expected = if i % 2 == 0 { TokenKind::Ident } else { TokenKind::Dot };
        if t.kind != expected {
            return None;
        }
        if i % 2 == 0 {
            words.push(text.get(t.span.lo as usize..t.span.hi as usize)?);
        }
    }
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::applied;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, usize)>) {
        let offset = text.find('|').expect("a place");
        let text = text.replacen('|', "", 1);
        let found = applied(&text, offset).map(|(words, _, n)| (words.join("."), n));
        assert_eq!(found, expected.map(|(f, n)| (f.to_owned(), n)), "{text}");
    }

    #[test]
    fn applications_while_typing() {
        check("def a = f |", Some(("f", 0)));
        check("def a = f x|", Some(("f", 0)));
        check("def a = f x |", Some(("f", 1)));
        check("def a = f x y[1] (3 + 4) |", Some(("f", 3)));
        check("def a = m.n.f r.x |", Some(("m.n.f", 1)));
        check("def a = 1 + f 2 |", Some(("f", 1)));
        check("def a = f x (g |", Some(("g", 0)));
        check("def a = f x (1 + |", Some(("f", 1)));
        check("def a = f x (\\y -> y, |", Some(("f", 1)));
        check("def a = f [1, 2] {b = |", Some(("f", 1)));
        check("def a = f -- f x |", None);
        check("def a = f|", None);
        check("def a = |", None);
        check("def f |", None);
        check("def a = map (\\x y |", None);
        check("def a = let f x |", None);
        check("def a = f x ys[|", Some(("f", 1)));
        check("def g = 1\ndef a = xs[|", None);
    }
}
