//! Polynomials as text, largest terms first.

use crate::monomial::Sym;
use crate::poly::Poly;
use std::fmt;

impl Poly {
    /// The text of the expression, with variables named by `name`.
    pub fn text(&self, name: impl Fn(Sym) -> String) -> String {
        if !self.is_known() {
            return "?".to_string();
        }
        let mut out = String::new();
        for (m, c) in self.terms().iter().rev() {
            out.push_str(match (out.is_empty(), *c < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            let mut parts = Vec::new();
            if c.unsigned_abs() != 1 || m.is_one() {
                parts.push(c.unsigned_abs().to_string());
            }
            parts.extend(m.factors().iter().map(|x| name(*x)));
            out.push_str(&parts.join("*"));
        }
        if out.is_empty() {
            out.push('0');
        }
        out
    }
}

impl fmt::Display for Sym {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

impl fmt::Display for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|x| x.to_string()))
    }
}
