//! Checking the declarations of a file again that an edit concerns, and no others.
//!
//! What is said about a declaration depends on its text and on what the names in it stand for. [`Kept`]
//! holds, for each declaration of the main file, what was said about it and what it binds. Of the next text,
//! a declaration is checked again if its text is new, if it mentions a name that stands for something else
//! than before, or if there was an error in it:
//!
//! ```text
//! def f (x: i32) : i32 = x + 1     edited: checked, its type is as before (`same`), so `f` keeps its meaning
//! def g = f 2                      not checked; what is said about it moves with its text
//! def h (x: i32) = f x             edited to `f x == 2`: `h` stands for something else now,
//! def k = h 3                      so this is checked
//! ```
//!
//! A declaration whose names mean the same as before binds the very entries that it bound before, so that
//! what was kept of others stays right. Which names a text mentions is found in its characters: words in
//! comments count too, which is only more work. Lists of suggestions depend on all names, but only errors
//! have them.
//!
//! Many declarations may mention a name. After [`MAX_CHECKED`] of them the answer says that it is not
//! complete; the others are marked, and the next call goes on. So the edited definition is answered for at
//! once, however many use it.

use super::defined::{Defined, Place};
use super::moved::Moves;
use super::record::{Kept, Record};
use super::same::{same_scheme, same_type_def};
use super::unit::SourceUnit;
use super::Checker;
use crate::context::Context;
use crate::scope::{Binding, Env, TermEntry};
use fehu_base::{Diagnostic, Severity, Span};
use fehu_syntax::ast::Dec;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How many declarations that only mention changed names are checked in one call: about 10 ms of work.
const MAX_CHECKED: usize = 64;

/// What a check of what has changed gave.
#[derive(Debug)]
pub struct Found {
    /// What is to be said about the program, as far as it is known.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether all is known; otherwise another call finds more.
    pub complete: bool,
    /// How many declarations were checked.
    pub checked: usize,
}

/// Checks what has changed in the main file; the other units are those of which all is known. Nothing, if a
/// module is wrong: what follows it is not known then.
pub(super) fn check_changed(
    kept: Kept,
    units: &[SourceUnit],
    prelude: usize,
    text: &str,
) -> Option<(Kept, Found)> {
    let unit = units.last()?;
    let Kept { text: old_text, mut ctx, scope, envs, before, records } = kept;
    let decs = &unit.prog.decs;
    let part = |text: &str, span: Span| text.get(span.lo as usize..span.hi as usize).map(str::to_owned);
    let same = |r: &Arc<Record>, d: &Dec| {
        r.broken == unit.is_broken(d.span()) && part(&old_text, r.span) == part(text, d.span())
    };
    let first = records.iter().zip(decs).take_while(|(r, d)| same(r, d) && r.span.lo == d.span().lo).count();
    let most = records.len().min(decs.len()) - first;
    let last = records.iter().rev().zip(decs.iter().rev()).take(most).take_while(|(r, d)| same(r, d)).count();
    let (old_end, new_end) = (records.len() - last, decs.len() - last);
    let moves = Moves::new(records[old_end..].iter().zip(&decs[new_end..]).map(|(r, d)| (r.span, d.span())));
    moves.context(&mut ctx);
    ctx.diagnostics.clear();
    ctx.unfinished.clear();

    let mut checker = Checker { ctx, scope, envs, unit: units.len() - 1, ..Checker::new(units, prelude) };
    let mark = checker.scope.mark();
    let edited = first < old_end.max(new_end);
    let mut walk = Walk { defined: Defined::default(), edited, changed: FxHashSet::default(), checked: 0 };
    let mut out: Vec<Arc<Record>> = vec![];
    for (record, dec) in records[..first].iter().zip(decs) {
        out.push(walk.known(&mut checker, text, record.clone(), dec)?);
    }
    let mut gone: Vec<Binding> =
        records[first..old_end].iter().flat_map(|r| &r.bound).map(|b| moves.binding(b)).collect();
    for dec in &decs[first..new_end] {
        out.push(Arc::new(walk.check(&mut checker, dec, &mut gone)?));
    }
    // What is no longer bound.
    walk.changed.extend(gone.iter().map(|b| b.symbol().as_str()));
    for (record, dec) in records[old_end..].iter().zip(&decs[new_end..]) {
        out.push(walk.known(&mut checker, text, moves.record(record, dec.span()), dec)?);
    }
    checker.scope.rollback(mark);

    let own = out.iter().flat_map(|r| &r.diagnostics);
    let found = Found {
        diagnostics: before.iter().chain(own).cloned().collect(),
        complete: out.iter().all(|r| !r.stale),
        checked: new_end - first + walk.checked,
    };
    let Checker { ctx, scope, envs, .. } = checker;
    Some((Kept { text: text.to_owned(), ctx, scope, envs, before, records: out }, found))
}

struct Walk {
    defined: Defined,
    /// Whether any text is new.
    edited: bool,
    /// The names that stand for something else than before.
    changed: FxHashSet<&'static str>,
    /// How many declarations were checked because of them.
    checked: usize,
}

impl Walk {
    /// A declaration whose text is as before.
    fn known(
        &mut self,
        checker: &mut Checker<'_>,
        text: &str,
        record: Arc<Record>,
        dec: &Dec,
    ) -> Option<Arc<Record>> {
        let wrong = || record.diagnostics.iter().any(|d| d.severity == Severity::Error);
        let span = dec.span();
        let affected = record.stale
            || (self.edited && wrong())
            || mentions(text.get(span.lo as usize..span.hi as usize).unwrap_or(""), &self.changed);
        if affected && self.checked < MAX_CHECKED {
            self.checked += 1;
            let mut bound = record.bound.clone();
            let record = self.check(checker, dec, &mut bound)?;
            self.changed.extend(bound.iter().map(|b| b.symbol().as_str()));
            return Some(Arc::new(record));
        }
        self.defined.note(dec);
        for binding in &record.bound {
            checker.scope.bind(binding.clone());
        }
        match affected && !record.stale {
            true => Some(Arc::new(Record { stale: true, ..(*record).clone() })),
            false => Some(record),
        }
    }

    /// Checks a declaration. Of what was bound before, in its place, it takes what it binds itself.
    fn check(&mut self, checker: &mut Checker<'_>, dec: &Dec, before: &mut Vec<Binding>) -> Option<Record> {
        let (mark, names) = (checker.scope.mark(), checker.ctx.names.len());
        checker.dec(dec, Place::TopLevel, &mut self.defined, &mut Env::default(), &mut vec![]).ok()?;
        let mut bound = checker.scope.bound_since(mark);
        checker.scope.rollback(mark);
        for binding in &mut bound {
            let place = |b: &Binding| b.symbol() == binding.symbol() && same_space(b, binding);
            let old = before.iter().position(place).map(|i| before.remove(i));
            match old.and_then(|old| as_before(&old, binding, names, &mut checker.ctx)) {
                Some(kept) => *binding = kept,
                None => drop(self.changed.insert(binding.symbol().as_str())),
            }
            checker.scope.bind(binding.clone());
        }
        Some(Record {
            span: dec.span(),
            broken: checker.units[checker.unit].is_broken(dec.span()),
            bound,
            diagnostics: std::mem::take(&mut checker.ctx.diagnostics),
            stale: false,
        })
    }
}

fn same_space(a: &Binding, b: &Binding) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

/// The old meaning of a name at its new place, if it is the same as the new one. Names from `first_own` on
/// are of the new definition.
fn as_before(old: &Binding, new: &Binding, first_own: usize, ctx: &mut Context) -> Option<Binding> {
    let (name, fresh, binding) = match (old, new) {
        (Binding::Term(sym, TermEntry::Val(a)), Binding::Term(_, TermEntry::Val(b))) => {
            if a.kind != b.kind || !same_scheme(&a.scheme, &b.scheme, first_own) {
                return None;
            }
            // Another name for another constant is another size.
            let [was, is] = [a.name, b.name].map(|n| Some(ctx.synonyms.value(n)).filter(|value| *value != n));
            if was != is {
                return None;
            }
            let entry = crate::scope::ValEntry { span: b.span, ..a.clone() };
            (a.name, b.name, Binding::Term(*sym, TermEntry::Val(entry)))
        }
        (Binding::Type(sym, a), Binding::Type(_, b)) => {
            if !same_type_def(&a.def, &b.def, first_own) {
                return None;
            }
            (a.name, b.name, Binding::Type(*sym, crate::scope::TypeEntry { span: b.span, ..a.clone() }))
        }
        // Each module has types of its own.
        (Binding::Term(..) | Binding::Type(..) | Binding::ModType(..), _) => return None,
    };
    if let Some(span) = ctx.def_spans.get(&fresh).copied() {
        ctx.def_spans.insert(name, span);
    }
    match ctx.declared.contains(&fresh) {
        true => ctx.declared.insert(name),
        false => ctx.declared.remove(&name),
    };
    Some(binding)
}

/// Whether a text contains one of these names, as a word or as an operator: `f32.+` mentions `f32` and `+`.
fn mentions(text: &str, names: &FxHashSet<&str>) -> bool {
    if names.is_empty() {
        return false;
    }
    let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let in_operator = |c: char| "+-*/%=!><|&^.".contains(c);
    let named = |word: &str| names.contains(word);
    text.split(|c| !in_word(c)).any(named)
        || text.split(|c| !in_operator(c)).any(|run| {
            run.char_indices().any(|(i, c)| (i == 0 && named(run)) || (c == '.' && named(&run[i + 1..])))
        })
}
