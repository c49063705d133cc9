//! What is not flattened, by name: the forms for which there is no rule.
//!
//! A nest that has one of them keeps one thread for each point. Where no kernel can run that either, the host
//! runs the nest step by step, and the warning names the form and its line. `docs/irregular.md` lists the
//! same forms.

use fehu_ir::soac::Soac;
use fehu_ir::{Basic, Exp, Loc, Soacs, Stm};
use std::fmt;

/// A form for which there is no rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// An accumulator that is not code of single points.
    Accumulator,
    /// A histogram whose operator has irregular operations or calls itself, takes arrays and uses values of
    /// the point, or takes arrays whose sizes differ.
    Histogram,
    /// An attribute that asks for inner code without parallelism.
    Attribute,
    /// Anything else whose memory cannot be foreseen.
    Other,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Accumulator => "an accumulator",
            Form::Histogram => "a histogram whose operator cannot be used for all points at once",
            Form::Attribute => "an attribute that asks for sequential inner code",
            Form::Other => "memory of a size that cannot be foreseen",
        })
    }
}

impl Form {
    /// What to call a statement for which no rule applies.
    pub(super) fn of(stm: &Stm<Soacs>) -> Form {
        match &stm.exp {
            Exp::WithAcc(_) | Exp::Basic(Basic::UpdateAcc(..)) => Form::Accumulator,
            Exp::Op(Soac::Hist(_)) => Form::Histogram,
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::Op(_) => Form::Other,
        }
    }
}

/// An operation of the host that is not flattened, and why.
#[derive(Clone, Debug)]
pub struct Stays {
    /// The operation.
    pub nest: Loc,
    /// The form that it has in it.
    pub form: Form,
    /// Where that is.
    pub at: Loc,
}
