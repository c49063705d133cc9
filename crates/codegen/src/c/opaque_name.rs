//! The C names of opaque types: `t` for a type `t`, `tup2_i32_f32` for a tuple,
//! `arr1d_t` for an array; a digest for what is not made of these, and for what would be too long: the names of
//! deeply nested tuples, each of which has the names of those inside, would be most of the text.

use super::md5;
use super::names::is_identifier;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The names of longer types are digests. The reference's names have no limit, so this one is far beyond those in use.
const MAX_LENGTH: usize = 1000;

/// What follows `futhark_opaque_` in the name of a type.
pub(crate) fn opaque_name(ty: &str) -> String {
    if ty == "()" {
        return "unit".to_owned();
    }
    let plain = (ty.len() <= MAX_LENGTH).then(|| describe(ty));
    match plain.filter(|plain| is_identifier(plain)) {
        Some(plain) => plain,
        None => md5::hex_digest(ty.as_bytes()),
    }
}

/// The name in words; has characters that C does not accept if there are none.
fn describe(ty: &str) -> String {
    let mut out = String::new();
    Description { ty, brackets: Brackets::of(ty), out: &mut out }.part(0, ty.len());
    out
}

/// The brackets of a type, found in one go: types may be nested deeply.
#[derive(Default)]
struct Brackets {
    /// Where a bracket that opens here is closed.
    closed: FxHashMap<usize, usize>,
    /// The commas directly in the bracket that opens here.
    commas: FxHashMap<usize, Vec<usize>>,
}

impl Brackets {
    fn of(ty: &str) -> Brackets {
        let mut brackets = Brackets::default();
        let mut open = vec![];
        for (i, c) in ty.bytes().enumerate() {
            match c {
                b'(' | b'[' | b'{' => open.push(i),
                b')' | b']' | b'}' => {
                    if let Some(start) = open.pop() {
                        brackets.closed.insert(start, i);
                    }
                }
                b',' => {
                    if let Some(start) = open.last() {
                        brackets.commas.entry(*start).or_default().push(i);
                    }
                }
                _ => {}
            }
        }
        brackets
    }
}

struct Description<'a> {
    ty: &'a str,
    brackets: Brackets,
    out: &'a mut String,
}

impl Description<'_> {
    /// Describes the text between two places.
    fn part(&mut self, start: usize, end: usize) {
        let text = &self.ty[start..end];
        let start = start + (text.len() - text.trim_start().len());
        let text = text.trim();
        let end = start + text.len();
        let elem = text.trim_start_matches("[]");
        let rank = (text.len() - elem.len()) / 2;
        if rank > 0 {
            let _ = write!(self.out, "arr{rank}d_");
            return self.part(start + 2 * rank, end);
        }
        let is_tuple = text.starts_with('(') && self.brackets.closed.get(&start) == Some(&(end - 1));
        if !is_tuple {
            return self.out.push_str(&text.replace('.', "_"));
        }
        let commas = self.brackets.commas.remove(&start).unwrap_or_default();
        let count = if self.ty[start + 1..end - 1].trim().is_empty() { 0 } else { commas.len() + 1 };
        let _ = write!(self.out, "tup{count}_");
        let mut from = start + 1;
        for (i, to) in commas.into_iter().chain([end - 1]).take(count).enumerate() {
            if i > 0 {
                self.out.push('_');
            }
            fehu_base::stack::deep(|| self.part(from, to));
            from = to + 1;
        }
    }
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

    #[test]
    fn names_do_not_grow_without_bound() {
        let pairs = |n: usize| "(i64, ".repeat(n) + "i64" + &")".repeat(n);
        assert_eq!(opaque_name(&pairs(20)).len(), 20 * "tup2_i64_".len() + 3);
        assert_eq!(opaque_name(&pairs(200)).len(), 32);
    }
}
