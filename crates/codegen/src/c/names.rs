//! Names as C identifiers.

use fehu_base::{Name, NameSource};

/// The identifier of a name: its text, made harmless, and its number. The
/// number after the last underscore makes it unique; the runtime has no
/// identifier that ends so, and one that starts with a small letter is no
/// macro of the C library.
pub(crate) fn identifier(names: &NameSource, name: Name) -> String {
    const LONGEST: usize = 40;
    let base = names.base(name).as_str();
    let mut out = String::with_capacity(base.len() + 8);
    if !base.starts_with(|c: char| c.is_ascii_lowercase()) {
        out.push('v');
    }
    out.extend(base.chars().take(LONGEST).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }));
    out.push('_');
    out.push_str(&name.0.to_string());
    out
}

/// The part of a public function's name that stands for a name of the program:
/// that name, or if C cannot spell it, the name with `'` written `zq`.
pub(crate) fn public(name: &str) -> String {
    if is_identifier(name) {
        return name.to_owned();
    }
    let mut out = String::new();
    for c in name.chars() {
        match c {
            'z' => out.push_str("zz"),
            'Z' => out.push_str("ZZ"),
            '\'' => out.push_str("zq"),
            c if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            c => out.push_str(&format!("z{:x}U", u32::from(c))),
        }
    }
    out
}

/// Whether C accepts the text after a prefix of letters.
pub(crate) fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_valid_and_distinct() {
        let mut names = NameSource::new();
        let all: Vec<String> = ["x", "x'", "int", "+^", "M_PI", "", "über", "x_1"]
            .iter()
            .map(|t| {
                let name = names.fresh_str(t);
                identifier(&names, name)
            })
            .collect();
        assert_eq!(all, ["x_0", "x__1", "int_2", "v___3", "vM_PI_4", "v_5", "v_ber_6", "x_1_7"]);
    }

    #[test]
    fn public_names_follow_the_known_spelling() {
        assert_eq!(public("fizz"), "fizz");
        assert_eq!(public("x'"), "xzq");
    }
}
