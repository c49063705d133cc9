//! What code costs one thread: the one model for all who ask whether something is cheap.
//!
//! The unit is an instruction; a mathematical function counts as [`FUNCTION_INSTRUCTIONS`]. Code whose time
//! depends on sizes has no such number, and says which kind it is instead.
//!
//! ```text
//! xs[1:n]                    Free               map f xs       Bodies
//! x + y, xs[i], assert c     Instructions(1)    copy xs        Elements
//! sin x                      Instructions(16)
//! ```
//!
//! Who asks compares with a limit of its own, which belongs to what it wants to do: to compute something
//! twice instead of storing it, say, pays below the cost of a write and a read.

use crate::class::Class;
use crate::rep::Rep;
use crate::syntax::{Basic, Body, DimIndex, Exp, Stm, Type};
use crate::visit::{deep, for_each_stm};

/// What a mathematical function counts as, in instructions: the figure with which scans were joined with what
/// follows them when that was measured.
pub const FUNCTION_INSTRUCTIONS: usize = 16;

/// What an expression costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// Nothing: another name for a value, or another view of an array.
    Free,
    /// That many instructions.
    Instructions(usize),
    /// A step for each element of an array.
    Elements,
    /// What the code inside of it costs, as often as it runs.
    Bodies,
}

impl Cost {
    /// Whether it takes no more than this many instructions.
    pub fn is_within(self, instructions: usize) -> bool {
        match self {
            Cost::Free => true,
            Cost::Instructions(n) => n <= instructions,
            Cost::Elements | Cost::Bodies => false,
        }
    }

    /// Whether it is a number of instructions, whatever the sizes of arrays are.
    pub fn is_scalar(self) -> bool {
        self.is_within(usize::MAX)
    }
}

impl Basic {
    /// What it costs.
    pub fn cost(&self) -> Cost {
        match (self.class(), self) {
            (_, Basic::SubExp(_) | Basic::FlatIndex(..)) => Cost::Free,
            (_, Basic::Index(_, slice)) => match slice.iter().all(|d| matches!(d, DimIndex::Fix(_))) {
                true => Cost::Instructions(1),
                false => Cost::Free,
            },
            (Class::Opaque | Class::View | Class::Reshape | Class::Read, _) => Cost::Free,
            (Class::Arithmetic | Class::Check, _) => Cost::Instructions(1),
            (Class::Function, _) => Cost::Instructions(FUNCTION_INSTRUCTIONS),
            (Class::Generate | Class::Gather | Class::Update, _) => Cost::Elements,
        }
    }
}

impl<R: Rep> Exp<R> {
    /// What it costs.
    pub fn cost(&self) -> Cost {
        match self {
            Exp::Basic(b) => b.cost(),
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => Cost::Bodies,
        }
    }
}

/// How many instructions a body of nothing but scalars takes, both sides of its branches counted; `None` if
/// there is any other code in it.
pub fn scalar_instructions<R: Rep>(body: &Body<R>) -> Option<usize> {
    body.stms.iter().try_fold(0, |total, stm| Some(total + stm_instructions(stm)?))
}

/// The same of one statement.
pub fn stm_instructions<R: Rep>(stm: &Stm<R>) -> Option<usize> {
    if stm.pat.iter().any(|p| !matches!(p.ty, Type::Prim(_))) {
        return None;
    }
    match &stm.exp {
        Exp::Basic(Basic::Opaque(_)) => None,
        Exp::Basic(b) => match b.cost() {
            Cost::Free => Some(0),
            Cost::Instructions(n) => Some(n),
            Cost::Elements | Cost::Bodies => None,
        },
        Exp::If(_, t, f) => Some(1 + deep(|| Some(scalar_instructions(t)? + scalar_instructions(f)?))?),
        Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// Whether code repeats nothing: it has neither loops, nor calls, nor operations of the representation. Then
/// it takes a time that is known, but for arrays that it makes.
pub fn is_straight<R: Rep>(body: &Body<R>) -> bool {
    let mut straight = true;
    for_each_stm(body, &mut |stm| {
        straight &= !matches!(stm.exp, Exp::Loop(_) | Exp::Op(_) | Exp::Call(..) | Exp::WithAcc(_));
    });
    straight
}
