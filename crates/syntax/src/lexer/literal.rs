//! The insides of literals: where a number ends, what an escape stands for,
//! and the values of both.

use crate::ast::Literal;
use crate::token::TokenKind;
use fehu_base::ops::hex_float;
use fehu_base::prim::ScalarType;
use fehu_base::Symbol;

/// The length of a run of digits and underscores that starts with a digit.
pub(crate) fn digits(text: &str, radix: u32) -> usize {
    if !text.starts_with(|c: char| c.is_digit(radix)) {
        return 0;
    }
    text.find(|c: char| !c.is_digit(radix) && c != '_').unwrap_or(text.len())
}

/// The kind and length of the number that starts a text.
pub(crate) fn number(text: &str) -> (TokenKind, usize) {
    let (kind, len) = unsuffixed(text);
    match suffix_at(&text[len..]) {
        Some(t) if t.is_float() && radix(text) == 10 || kind == TokenKind::Float && t.is_float() => {
            (kind, len + 3)
        }
        Some(t) if kind == TokenKind::Int && t.is_integer() => (kind, len + t.as_str().len()),
        _ => (kind, len),
    }
}

/// The value of a number's text; `None` if it is out of all bounds.
pub(crate) fn number_value(text: &str) -> Option<Literal> {
    let (kind, len) = unsuffixed(text);
    let suffix = suffix_at(&text[len..]);
    let plain: String = text[..len].chars().filter(|c| *c != '_').collect();
    let radix = radix(text);
    if kind == TokenKind::Int {
        let value = match radix {
            1 => roman(&plain[2..])?,
            10 => plain.parse().ok()?,
            _ => u128::from_str_radix(&plain[2..], radix).ok()?,
        };
        return Some(Literal::Int(value, suffix));
    }
    let value = if radix == 16 { hex_float(&plain[2..]) } else { plain.parse().ok()? };
    Some(Literal::Float(value, Symbol::new(&plain), suffix))
}

/// The character an escape stands for (none for `\&`), and its length. The
/// text starts with the backslash.
pub(crate) fn escape(text: &str) -> Option<(Option<char>, usize)> {
    let rest = text.strip_prefix('\\')?;
    let simple = match rest.chars().next()? {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        c @ ('\\' | '"' | '\'') => c,
        '&' => return Some((None, 2)),
        'x' => return code(&rest[1..], 16, 2),
        'o' => return code(&rest[1..], 8, 2),
        _ => return code(rest, 10, 1),
    };
    Some((Some(simple), 2))
}

/// A string literal's bytes, from its text with the quotes.
pub(crate) fn string_value(text: &str) -> Vec<u8> {
    let mut rest = text.strip_prefix('"').unwrap_or(text);
    rest = rest.strip_suffix('"').unwrap_or(rest);
    let mut out = Vec::with_capacity(rest.len());
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let (c, len) = escape(rest).unwrap_or((None, 1));
        if let Some(c) = c {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        rest = &rest[len..];
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

/// A character literal's value, from its text with the quotes.
pub(crate) fn char_value(text: &str) -> Option<char> {
    let inner = text.strip_prefix('\'')?;
    if inner.starts_with('\\') {
        escape(inner)?.0
    } else {
        inner.chars().next()
    }
}

fn code(text: &str, radix: u32, before: usize) -> Option<(Option<char>, usize)> {
    let len = text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len());
    let c = char::from_u32(u32::from_str_radix(&text[..len], radix).ok()?)?;
    Some((Some(c), before + len))
}

/// The radix a number is written in; 1 for Roman numerals, `0rXIV`.
fn radix(text: &str) -> u32 {
    match text.as_bytes() {
        [b'0', b'x' | b'X', ..] if digits(&text[2..], 16) > 0 => 16,
        [b'0', b'b' | b'B', ..] if digits(&text[2..], 2) > 0 => 2,
        [b'0', b'r' | b'R', c, ..] if roman_digit(*c).is_some() => 1,
        _ => 10,
    }
}

fn roman_digit(c: u8) -> Option<u128> {
    Some(match c {
        b'I' => 1,
        b'V' => 5,
        b'X' => 10,
        b'L' => 50,
        b'C' => 100,
        b'D' => 500,
        b'M' => 1000,
        _ => return None,
    })
}

/// The value of a Roman numeral: a digit before a larger one is subtracted.
fn roman(text: &str) -> Option<u128> {
    let (mut total, mut last) = (0u128, 0);
    for c in text.bytes().rev() {
        let digit = roman_digit(c)?;
        if digit < last {
            total = total.checked_sub(digit)?;
        } else {
            total += digit;
            last = digit;
        }
    }
    Some(total)
}

/// The kind and length of a number without its suffix.
fn unsuffixed(text: &str) -> (TokenKind, usize) {
    let radix = radix(text);
    let mut len = match radix {
        1 => 2 + text[2..].bytes().take_while(|c| roman_digit(*c).is_some()).count(),
        10 => digits(text, 10),
        _ => 2 + digits(&text[2..], radix),
    };
    if radix < 10 {
        return (TokenKind::Int, len);
    }
    let fraction = text[len..].strip_prefix('.').map_or(0, |t| digits(t, radix));
    let with_fraction = if fraction > 0 { len + 1 + fraction } else { len };
    let mark = if radix == 16 { ['p', 'P'] } else { ['e', 'E'] };
    let exponent = text[with_fraction..].strip_prefix(mark).map_or(0, |t| {
        let sign = usize::from(t.starts_with(['+', '-']));
        let n = digits(&t[sign..], 10);
        if n > 0 {
            1 + sign + n
        } else {
            0
        }
    });
    // A hexadecimal fraction without exponent would make `0x1.f` ambiguous
    // with a field access, so the exponent is required there.
    let float = exponent > 0 || (fraction > 0 && radix == 10);
    if float {
        len = with_fraction + exponent;
    }
    (if float { TokenKind::Float } else { TokenKind::Int }, len)
}

fn suffix_at(text: &str) -> Option<ScalarType> {
    ScalarType::ALL.into_iter().find(|t| *t != ScalarType::Bool && text.starts_with(t.as_str()))
}
