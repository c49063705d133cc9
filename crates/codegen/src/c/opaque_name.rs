//! The C names of opaque types: `t` for a type `t`, `tup2_i32_f32` for a tuple,
//! `arr1d_t` for an array; a digest for what is not made of these.

use super::md5;
use super::names::is_identifier;

/// What follows `futhark_opaque_` in the name of a type.
pub fn opaque_name(ty: &str) -> String {
    if ty == "()" {
        return "unit".to_owned();
    }
    let plain = describe(ty);
    if is_identifier(&plain) {
        plain
    } else {
        md5::hex_digest(ty.as_bytes())
    }
}

/// The name in words; has characters that C does not accept if there are none.
fn describe(ty: &str) -> String {
    let elem = ty.trim_start_matches("[]");
    let rank = (ty.len() - elem.len()) / 2;
    if rank > 0 {
        return format!("arr{rank}d_{}", describe(elem));
    }
    match ty.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(inside) => {
            let parts = components(inside);
            let described: Vec<String> = parts.iter().map(|p| describe(p)).collect();
            format!("tup{}_{}", parts.len(), described.join("_"))
        }
        None => ty.replace('.', "_"),
    }
}

/// The parts between commas that are not in brackets.
fn components(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::opaque_name;

    #[test]
    fn names_are_those_that_users_know() {
        for (ty, name) in [
            ("t", "t"),
            ("m.t", "m_t"),
            ("()", "unit"),
            ("[]()", "arr1d_tup0_"),
            ("([]i32, f32)", "tup2_arr1d_i32_f32"),
            ("(i32, (f32, [](i32, bool)))", "tup2_i32_tup2_f32_arr1d_tup2_i32_bool"),
            ("[][](i32, []f32)", "arr2d_tup2_i32_arr1d_f32"),
            ("[]m.t", "arr1d_m_t"),
            ("[]{a:i32}", "15ba06a7191dae9acfa25b45a56b8b65"),
            ("(i32, a: | b:)", "f187359e76822b8a555d10aa33eb08d6"),
        ] {
            assert_eq!(opaque_name(ty), name, "{ty}");
        }
    }
}
