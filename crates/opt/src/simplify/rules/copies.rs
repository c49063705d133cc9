//! Other names for things, and copies that need not be.

use super::{one, Rewrite, Rule};
use crate::simplify::engine::Engine;
use fehu_base::Name;
use fehu_ir::op::RepOp;
use fehu_ir::soac::Soac;
use fehu_ir::{Basic, Exp, Rep, Stm, SubExp};

pub(super) fn rules<R: Rep<Dec = ()>>() -> [Rule<R>; 4] {
    [
        Rule { name: "copy propagation", apply: propagate },
        Rule { name: "copy of what is never consumed", apply: shared_copy },
        Rule { name: "copy of a fresh array at its last use", apply: last_copy },
        Rule { name: "copy of a copy", apply: copy_of_copy },
    ]
}

fn propagate<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match &stm.exp {
        Exp::Basic(Basic::SubExp(e)) if stm.certs.is_empty() => one(*e),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// A copy that nobody writes to, of an array that nobody writes to, is that array.
fn shared_copy<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let (Exp::Basic(Basic::Copy(a)), [p]) = (&stm.exp, stm.pat.as_slice()) else { return None };
    if engine.classes.is_consumed(*a) || engine.classes.is_consumed(p.name) {
        return None;
    }
    one((*a).into())
}

/// A copy of an array made right here and used for nothing else takes its memory.
fn last_copy<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Copy(a)) = &stm.exp else { return None };
    let here = engine.level(*a) == engine.here() && engine.used_at_most(*a, 1);
    if here && engine.def(*a).is_some_and(|d| is_fresh(&d.exp)) {
        one((*a).into())
    } else {
        None
    }
}

fn copy_of_copy<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Copy(a)) = &stm.exp else { return None };
    let source: Name = match &*engine.pure_def(SubExp::Var(*a))? {
        Exp::Basic(Basic::Copy(b)) => *b,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    };
    if engine.classes.is_consumed(source) {
        return None;
    }
    Some(Rewrite::Exp(Exp::Basic(Basic::Copy(source))))
}

/// Whether an expression gives an array in memory of its own.
pub(crate) fn is_fresh<R: Rep>(exp: &Exp<R>) -> bool {
    match exp {
        Exp::Basic(
            Basic::ArrayLit(..)
            | Basic::ArrayConst(_)
            | Basic::Iota { .. }
            | Basic::Replicate(..)
            | Basic::Copy(_)
            | Basic::Concat { .. },
        ) => true,
        Exp::Op(op) => matches!(op.as_soac(), Some(Soac::Screma(s)) if s.reds.is_empty()),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => false,
    }
}
