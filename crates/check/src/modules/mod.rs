//! Names, modules and declarations.
//!
//! The files of a program are checked one after another, each declaration in
//! the scope of those before it. What comes out is flat: a structure module
//! leaves nothing but its declarations, an ascription a few renamings, and a functor a
//! list of declarations to be evaluated at each application (see
//! [`crate::tast::Dec`]).
//!
//! `decs.rs` goes through declarations and `entry.rs` looks at entry points.
//! `mod_exp.rs` checks module expressions, functors and their application,
//! `mod_type.rs` module types. `ascribe.rs` matches a module with a module
//! type; `subsume.rs` decides whether one value's type can stand for another;
//! `copier.rs` makes copies with abstract types of their own.
//!
//! A mistake in a module or module type ends the check ([`Stop`]): nearly
//! everything that follows would be wrong because of it. Mistakes in values
//! and types do not.

mod ascribe;
mod copier;
mod decs;
mod defined;
mod entry;
mod kept;
mod mod_exp;
mod mod_type;
mod moved;
pub mod needed;
mod owning;
mod record;
mod resume;
mod same;
mod shown;
mod subsume;
mod unit;

use self::defined::{Defined, Place};
pub use self::kept::Found;
use self::needed::Needed;
use self::record::{Kept, Record};
pub use self::resume::Memory;
use self::resume::{Position, Progress, Saved};
use self::shown::TypeDefs;
pub use self::unit::SourceUnit;
use crate::context::Context;
use crate::scope::{AbstractType, Env, Mark, ModEntry, Module, Scope, TermEntry};
use crate::{intrinsics, tast};
use fehu_base::intrinsic::Intrinsic;
use fehu_base::{Diagnostic, Severity, Span, Symbol};
use std::cell::OnceCell;
use std::sync::Arc;

/// What checking gave: always the diagnostics (warnings and errors), and the
/// program if there was no error.
#[derive(Debug)]
pub struct Checked {
    /// The program.
    pub program: Option<tast::Program>,
    /// What is right of a program that has errors: for editors, who say what its names mean.
    pub partial: Option<tast::Program>,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a program: the units in dependency order, the main file last. The
/// prelude's units come first and are marked by `prelude`, how many they are.
pub fn check_program(units: &[SourceUnit], prelude: usize, needed: Needed) -> Checked {
    let checker = Checker { needed, ..Checker::new(units, prelude) };
    match check_from(checker, None, &[]) {
        Some((checked, ..)) => checked,
        None => fehu_base::bug!("a check was given up that nobody can give up"),
    }
}

/// Checks only what differs from the last program, if that is in the main file, and what depends on it.
/// `text` is that of the main file. What the program is, only [`check_again`] says.
pub fn check_changed(memory: &mut Memory, units: &[SourceUnit], prelude: usize, text: &str) -> Option<Found> {
    let kept = memory.take_kept(units, prelude)?;
    let (kept, found) = kept::check_changed(kept, units, prelude, text)?;
    memory.keep(kept);
    Some(found)
}

/// Checks a program with all of the prelude, from where it differs from the last one. `text` is that of the
/// main file. If `give_up` says so between two declarations, there is no answer, and nothing has changed.
pub fn check_again(
    memory: &mut Memory,
    units: Vec<SourceUnit>,
    prelude: usize,
    text: &str,
    give_up: &dyn Fn() -> bool,
) -> Option<Checked> {
    let (from, wanted) = memory.resume(&units, prelude);
    let checker = Checker { give_up, remembers: true, ..Checker::new(&units, prelude) };
    let Some((checked, saved, kept)) = check_from(checker, from, &wanted) else {
        let mut units = units;
        units.truncate(prelude);
        memory.return_prelude(units);
        return None;
    };
    memory.remember(units, prelude, saved, kept.map(|kept| Kept { text: text.to_owned(), ..kept }));
    Some(checked)
}

/// Checks from a state on, and saves the states at some places. Nothing, if it was given up.
fn check_from(
    mut checker: Checker<'_>,
    from: Option<Saved>,
    save: &[Position],
) -> Option<(Checked, Vec<Saved>, Option<Kept>)> {
    let mut saved = vec![];
    let progress = match from {
        Some(Saved { progress, ctx, scope, envs }) => {
            (checker.ctx, checker.scope, checker.envs) = (ctx, scope, envs);
            progress
        }
        None => checker.begin(),
    };
    let decs = checker.units(progress, save, &mut saved);
    if checker.given_up {
        return None;
    }
    let Checker { units, prelude, remembers, mut ctx, scope, mut envs, .. } = checker;
    let uses = std::mem::take(&mut ctx.uses);
    let declared = |unit: Option<usize>| unit.and_then(|i| envs.get(i)).cloned().unwrap_or_default();
    let (env, prelude_env) = (declared(units.len().checked_sub(1)), declared(prelude.checked_sub(1)));
    let files = units.iter().map(|u| u.file).zip(envs.iter().cloned()).collect();
    let failed = ctx.diagnostics.iter().any(|d| d.severity == Severity::Error)
        || units.iter().any(|u| !u.broken.is_empty());
    let diagnostics = ctx.diagnostics.clone();
    let (decs, records) = decs.ok().unzip();
    let kept = records.filter(|_| remembers).map(|records: Vec<Arc<Record>>| {
        let own: usize = records.iter().map(|r| r.diagnostics.len()).sum();
        let before = diagnostics[..diagnostics.len() - own].to_vec();
        envs.pop();
        Kept { text: String::new(), ctx: ctx.clone(), scope, envs, before, records }
    });
    let program = decs.map(|decs| tast::Program {
        decs,
        names: ctx.names,
        intrinsics: ctx.intrinsics,
        def_spans: ctx.def_spans,
        env,
        files,
        prelude_env,
        unfinished: ctx.unfinished,
        uses,
    });
    let (program, partial) = if failed { (None, program) } else { (program, None) };
    Some((Checked { program, partial, diagnostics }, saved, kept))
}

/// A mistake was reported after which there is no point in going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stop;

struct Checker<'a> {
    /// What of the prelude is checked.
    needed: Needed,
    ctx: Context,
    scope: Scope,
    units: &'a [SourceUnit],
    /// Where types are defined, once that was asked for.
    type_defs: OnceCell<TypeDefs<'a>>,
    prelude: usize,
    /// The unit being checked.
    unit: usize,
    /// What the units before it declare.
    envs: Vec<Arc<Env>>,
    /// The modules around the current place, for the names of abstract types.
    path: Vec<Symbol>,
    /// Abstract types made since the functor around began.
    made: Vec<AbstractType>,
    /// Whether what is known of each declaration of the main file is kept.
    remembers: bool,
    /// Asked before each declaration: whether the result is no longer wanted.
    give_up: &'a dyn Fn() -> bool,
    given_up: bool,
}

impl<'a> Checker<'a> {
    fn new(units: &'a [SourceUnit], prelude: usize) -> Checker<'a> {
        Checker {
            needed: Needed::All,
            ctx: Context::default(),
            scope: Scope::default(),
            units,
            type_defs: OnceCell::new(),
            prelude,
            unit: 0,
            envs: vec![],
            path: vec![],
            made: vec![],
            remembers: false,
            give_up: &|| false,
            given_up: false,
        }
    }
}

impl Checker<'_> {
    fn begin(&mut self) -> Progress {
        let intrinsics = intrinsics::base(&mut self.ctx, &mut self.scope);
        Progress {
            at: (0, 0),
            env: Env::default(),
            defined: Defined::default(),
            mark: None,
            intrinsics,
            out: vec![],
            records: vec![],
        }
    }

    /// The declarations of all units, and what is known of those of the last.
    fn units(
        &mut self,
        mut p: Progress,
        save: &[Position],
        saved: &mut Vec<Saved>,
    ) -> Result<(Vec<tast::Dec>, Vec<Arc<Record>>), Stop> {
        let units = self.units;
        while let Some(unit) = units.get(p.at.0) {
            let i = p.at.0;
            self.unit = i;
            self.ctx.uses.noted = self.remembers && i >= self.prelude;
            if p.at.1 == 0 {
                self.save(&p, save, saved);
            }
            let mark = match p.mark {
                Some(mark) => mark,
                None => self.enter(i, &p.intrinsics),
            };
            p.mark = Some(mark);
            while let Some(dec) = unit.prog.decs.get(p.at.1) {
                if p.at.1 > 0 {
                    self.save(&p, save, saved);
                }
                let (before, said) = (self.scope.mark(), self.ctx.diagnostics.len());
                self.dec(dec, Place::TopLevel, &mut p.defined, &mut p.env, &mut p.out)?;
                if self.remembers && i + 1 == units.len() {
                    p.records.push(Arc::new(Record {
                        span: dec.span(),
                        broken: unit.is_broken(dec.span()),
                        bound: self.scope.bound_since(before),
                        diagnostics: self.ctx.diagnostics[said..].to_vec(),
                        stale: false,
                    }));
                }
                p.at.1 += 1;
            }
            self.scope.rollback(mark);
            let env = std::mem::take(&mut p.env);
            if i == 0 && self.prelude > 0 {
                self.read_intrinsics(&env, &mut p.intrinsics);
            }
            self.envs.push(Arc::new(env));
            p = Progress { at: (i + 1, 0), defined: Defined::default(), mark: None, ..p };
        }
        Ok((p.out, p.records))
    }

    /// The scope of a unit begins.
    fn enter(&mut self, unit: usize, intrinsics: &Env) -> Mark {
        if unit == 1 || self.prelude == 0 {
            self.bind_intrinsics(intrinsics);
        }
        if unit == self.prelude {
            if let Some(env) = self.envs.last() {
                self.scope.open(env);
            }
        }
        self.scope.mark()
    }

    fn save(&self, progress: &Progress, wanted: &[Position], saved: &mut Vec<Saved>) {
        if wanted.contains(&progress.at) {
            saved.push(Saved {
                progress: progress.clone(),
                ctx: self.ctx.clone(),
                scope: self.scope.clone(),
                envs: self.envs.clone(),
            });
        }
    }

    /// The first unit of the prelude declares the types of intrinsics in a module type.
    fn read_intrinsics(&mut self, env: &Env, into: &mut Env) {
        let Some(sig) = env.mod_types.get(&Symbol::new("intrinsics")) else { return };
        let Module::Struct(env) = &sig.sig.module else { return };
        for (sym, entry) in &env.terms {
            if let TermEntry::Val(v) = entry {
                let v = intrinsics::intrinsic(&mut self.ctx, *sym, v.name, v.scheme.clone());
                into.terms.insert(*sym, TermEntry::Val(v));
            }
        }
        for (sym, entry) in &env.types {
            self.ctx.intrinsics.insert(entry.name, Intrinsic::Acc);
            into.types.insert(*sym, entry.clone());
        }
    }

    fn bind_intrinsics(&mut self, env: &Env) {
        let module = Module::Struct(Arc::new(env.clone()));
        self.scope
            .bind_term(Symbol::new("intrinsics"), TermEntry::Mod(ModEntry { module, span: Span::NONE }));
    }

    fn fail<T>(&mut self, d: Diagnostic) -> Result<T, Stop> {
        self.ctx.report(d);
        Err(Stop)
    }
}

#[cfg(test)]
mod tests;
