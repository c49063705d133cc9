//! Whether two texts are the same program with the same comments.
//!
//! Formatting changes a few tokens on purpose: `let` at top level is written `def`, the `in` between two `let`s and
//! a comma before a closing bracket go, and an operator that is defined between its operands is put before them.

use fehu_base::FileId;
use fehu_syntax::ast::{Dec, ModExp, ModTypeExp, Spec, ValKeyword};
use fehu_syntax::{Parsed, Token, TokenKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Where two texts differ: what the one has, and what the other has instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Of the first text.
    pub before: String,
    /// Of the second text.
    pub after: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` would become `{}`", self.before, self.after)
    }
}

/// Compares two texts.
pub fn same_program(file: FileId, before: &str, after: &str) -> Result<(), Difference> {
    let (old, new) = (fehu_syntax::parse(file, before), fehu_syntax::parse(file, after));
    equal(&comments(&old), &comments(&new))?;
    equal(&words(before, &old), &words(after, &new))
}

fn comments(parsed: &Parsed) -> Vec<&str> {
    parsed.comments.iter().map(|c| c.text.trim_end()).collect()
}

/// The tokens as text, in a form that does not depend on style.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn words<'a>(text: &'a str, parsed: &Parsed) -> Vec<&'a str> {
    let tokens = &parsed.tokens;
    let mut defined = Defined {
        tokens,
        lets: FxHashSet::default(),
        names: FxHashSet::default(),
        infix: FxHashMap::default(),
    };
    defined.decs(&parsed.prog.decs);
    let mut words = vec![];
    for (i, token) in tokens.iter().enumerate() {
        let kind = |at: usize| tokens.get(at).map_or(TokenKind::Eof, |t| t.kind);
        let closed = matches!(kind(i + 1), TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace);
        let at = token.span.lo;
        let mut word = text.get(at as usize..token.span.hi as usize).unwrap_or("");
        let mut key = at;
        match token.kind {
            TokenKind::Comma if closed => continue,
            TokenKind::In if kind(i + 1) == TokenKind::Let => continue,
            TokenKind::LParen | TokenKind::RParen | TokenKind::Backquote if defined.encloses(i) => continue,
            TokenKind::Let if defined.lets.contains(&at) => word = "def",
            _ => {}
        }
        if let Some(moved) = defined.infix.get(&at) {
            key = *moved;
        }
        words.push((key, at != key, word));
    }
    // A name between its operands comes before the first of them.
    words.sort_by_key(|(key, moved, _)| (*key, !moved));
    words.into_iter().map(|(_, _, word)| word).collect()
}

/// The values that declarations define.
struct Defined<'a> {
    tokens: &'a [Token],
    /// Where the `let`s of declarations stand.
    lets: FxHashSet<u32>,
    /// Where the names stand.
    names: FxHashSet<u32>,
    /// The names between operands, and where the first operand starts.
    infix: FxHashMap<u32, u32>,
}

impl Defined<'_> {
    fn decs(&mut self, decs: &[Dec]) {
        for dec in decs {
            self.dec(dec);
        }
    }

    fn dec(&mut self, dec: &Dec) {
        match dec {
            Dec::Val(bind) => {
                if bind.keyword == ValKeyword::Let {
                    let start = self.tokens.partition_point(|t| t.span.lo < bind.span.lo);
                    let behind = self.tokens.iter().skip(start);
                    self.lets.extend(
                        behind.map(|t| (t.kind, t.span.lo)).find(|t| t.0 == TokenKind::Let).map(|t| t.1),
                    );
                }
                self.names.insert(bind.name.span.lo);
                if let Some(first) = bind.params.first().map(|p| p.span().lo) {
                    if first < bind.name.span.lo {
                        self.infix.insert(bind.name.span.lo, first);
                    }
                }
            }
            Dec::Mod(bind) => {
                for param in &bind.params {
                    self.mod_type(&param.sig);
                }
                if let Some(sig) = &bind.sig {
                    self.mod_type(sig);
                }
                self.module(&bind.body);
            }
            Dec::ModType(bind) => self.mod_type(&bind.def),
            Dec::Open(m, _) => self.module(m),
            Dec::Local(inner, _) => self.dec(inner),
            Dec::Type(_) | Dec::Import(..) => {}
        }
    }

    fn module(&mut self, m: &ModExp) {
        match m {
            ModExp::Decs(decs, _) => self.decs(decs),
            ModExp::Parens(inner, _) => self.module(inner),
            ModExp::Ascript(inner, sig, _) => {
                self.module(inner);
                self.mod_type(sig);
            }
            ModExp::Lambda(param, sig, inner, _) => {
                self.mod_type(&param.sig);
                if let Some(sig) = sig {
                    self.mod_type(sig);
                }
                self.module(inner);
            }
            ModExp::Apply(f, arg, _) => {
                self.module(f);
                self.module(arg);
            }
            ModExp::Var(_) | ModExp::Import(..) => {}
        }
    }

    fn mod_type(&mut self, t: &ModTypeExp) {
        match t {
            ModTypeExp::Specs(specs, _) => {
                for spec in specs {
                    match spec {
                        Spec::Val { name, .. } => {
                            self.names.insert(name.span.lo);
                        }
                        Spec::Mod { sig, .. } => self.mod_type(sig),
                        Spec::Include(sig, _) => self.mod_type(sig),
                        Spec::TypeAbbrev(_) | Spec::Type { .. } => {}
                    }
                }
            }
            ModTypeExp::Parens(inner, _) | ModTypeExp::With { base: inner, .. } => self.mod_type(inner),
            ModTypeExp::Arrow { lhs, rhs, .. } => {
                self.mod_type(lhs);
                self.mod_type(rhs);
            }
            ModTypeExp::Var(_) => {}
        }
    }

    /// Whether a parenthesis or backquote stands around a name that is defined.
    fn encloses(&self, at: usize) -> bool {
        let token = |i: Option<usize>| i.and_then(|i| self.tokens.get(i));
        let name = |i: Option<usize>| token(i).is_some_and(|t| self.names.contains(&t.span.lo));
        let backquote = |i: Option<usize>| token(i).is_some_and(|t| t.kind == TokenKind::Backquote);
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        match self.tokens.get(at).map(|t| t.kind) {
            Some(TokenKind::LParen) => name(after) || (backquote(after) && name(Some(at + 2))),
            Some(TokenKind::RParen) => name(before) || (backquote(before) && name(at.checked_sub(2))),
            Some(TokenKind::Backquote) => name(before) || name(after),
            _ => false,
        }
    }
}

fn equal(before: &[&str], after: &[&str]) -> Result<(), Difference> {
    let different = before.iter().zip(after).position(|(a, b)| a != b);
    let at = match different {
        Some(at) => at,
        None if before.len() == after.len() => return Ok(()),
        None => before.len().min(after.len()),
    };
    let shown = |words: &[&str]| words.iter().skip(at).take(8).copied().collect::<Vec<_>>().join(" ");
    Err(Difference { before: shown(before), after: shown(after) })
}
