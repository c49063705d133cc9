//! The rule book. A rule looks at one statement, and at what the engine knows,
//! and gives something better to put in its place, or `None`.
//!
//! Each file holds the rules for one kind of expression, with a table that
//! names them. Rules `BEFORE` are tried before the bodies of a statement are
//! simplified: they make bodies disappear. Rules `AFTER` are tried when the
//! bodies are done.
//!
//! What every rule must keep: an array may not be read after it was consumed,
//! and two names may not consume one array. [`Classes`](fehu_ir::alias::Classes)
//! tells. A statement that replaces a certified one keeps its certificates.

mod along;
mod arrays;
mod branch;
mod checks;
mod copies;
mod fill;
mod filter;
mod index;
mod loops;
mod overwritten;
mod scalar;
mod scatter;
mod soac;

pub(crate) use index::is_trivial_kernel;

use super::engine::Engine;
use fehu_ir::{Basic, Exp, Rep, Stm, SubExp};

/// Lambdas of more statements are not remembered for copying.
pub(crate) const MAX_COPIED: usize = 8;

/// What a rule puts in the place of a statement.
#[derive(Debug)]
pub(crate) enum Rewrite<R: Rep> {
    /// Its results are these operands.
    Operands(Vec<SubExp>),
    /// Another expression with the same results and certificates.
    Exp(Exp<R>),
    /// Statements that bind the same names, certificates included.
    Stms(Vec<Stm<R>>),
    /// The statements of a body, and the operands that are its results. The statement's certificates
    /// go to all of them.
    Inline {
        /// The statements.
        stms: Vec<Stm<R>>,
        /// One for each result of the statement.
        result: Vec<SubExp>,
    },
}

/// A rule with its name.
pub(crate) struct Rule<R: Rep<Dec = ()>> {
    /// For dumps and tests.
    #[allow(dead_code, reason = "the table is read by people")]
    pub(crate) name: &'static str,
    /// The rule.
    pub(crate) apply: fn(&mut Engine<'_, R>, &Stm<R>) -> Option<Rewrite<R>>,
}

/// The first rule that applies before bodies are visited.
pub(super) fn before<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match &stm.exp {
        Exp::If(..) => first(engine, stm, &branch::before()),
        Exp::Loop(_) => first(engine, stm, &loops::before()),
        Exp::Op(_) => first(engine, stm, &soac::before()),
        Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) => None,
    }
}

/// The first rule that applies when bodies are done.
pub(super) fn after<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match &stm.exp {
        Exp::Basic(Basic::SubExp(_) | Basic::Copy(_) | Basic::Manifest(..)) => {
            first(engine, stm, &copies::rules())
        }
        Exp::Basic(
            Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..) | Basic::PrimFn(..),
        ) => first(engine, stm, &scalar::rules()),
        Exp::Basic(Basic::Assert(..)) => first(engine, stm, &checks::rules()),
        Exp::Basic(Basic::Index(..)) => first(engine, stm, &index::rules()),
        Exp::Basic(
            Basic::ArrayLit(..)
            | Basic::Replicate(..)
            | Basic::Rearrange(..)
            | Basic::Reshape(..)
            | Basic::Concat { .. }
            | Basic::Update(..),
        ) => first(engine, stm, &arrays::rules()),
        Exp::If(..) => first(engine, stm, &branch::after()),
        Exp::Loop(_) => first(engine, stm, &loops::after()),
        Exp::Op(_) => first(engine, stm, &soac::after()),
        Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) => None,
    }
}

fn first<R: Rep<Dec = ()>>(
    engine: &mut Engine<'_, R>,
    stm: &Stm<R>,
    rules: &[Rule<R>],
) -> Option<Rewrite<R>> {
    rules.iter().find_map(|rule| (rule.apply)(engine, stm))
}

/// The only operand.
fn one<R: Rep>(e: SubExp) -> Option<Rewrite<R>> {
    Some(Rewrite::Operands(vec![e]))
}
