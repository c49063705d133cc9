//! What bodies and statements are in the middle, when they need the results of calls. Nothing is done here; see
//! [`super::together`] for what they wait for, and [`super::code`] for how a body is done.
//!
//! ```text
//! let a = f x                     open: a call
//! let b = if c then f y else 1    open: a branch, whose first side has an open call, and whose second is done
//! in  a + b                       rest
//! ```

use super::forms::Form;
use super::value::LevelId;
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::free::{free_in_stm, Names};
use fehu_ir::{Loc, PatElem, Soacs, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

/// A body that is being done.
pub(super) struct Running {
    pub(super) level: LevelId,
    /// Statements that are not begun, what each uses, and what becomes of it.
    pub(super) rest: Vec<(Stm<Soacs>, Names, Role)>,
    /// Statements that have begun and need the results of calls.
    pub(super) open: Vec<Open>,
    /// Statements for a map, and what each uses.
    pub(super) waiting: Vec<(Stm<Soacs>, Names)>,
    /// What they bind.
    pub(super) to_come: FxHashSet<Name>,
    /// How many statements that are not done use a name; the result counts as one.
    pub(super) uses: FxHashMap<Name, usize>,
    /// Which names of the body share memory.
    pub(super) aliases: Aliases,
    pub(super) result: Vec<SubExp>,
}

impl Running {
    /// Whether nothing is left that needs calls.
    pub(super) fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// The calls that it waits for.
    pub(super) fn calls<'a>(&'a self, all: &mut Vec<&'a Call>) {
        for open in &self.open {
            match &open.state {
                State::Call(call) => all.push(call),
                State::Branch(branch) => branch.sides.iter().for_each(|side| side.calls(all)),
                State::Map(map) => map.function.calls(all),
            }
        }
    }
}

/// What becomes of a statement.
pub(super) enum Role {
    /// It is done by itself.
    Other,
    /// It is a view that only reductions in pieces read: they do it.
    View,
    /// It is a reduction in pieces, which has these views.
    Reduction(Vec<Stm<Soacs>>),
}

impl Role {
    /// The names that a statement of this role uses.
    pub(super) fn used(&self, stm: &Stm<Soacs>) -> Names {
        match self {
            Role::Other => free_in_stm(stm),
            Role::View => Names::default(),
            Role::Reduction(views) => {
                let made = |n: &Name| views.iter().any(|v| v.pat[0].name == *n);
                let all = views.iter().chain([stm]).flat_map(free_in_stm);
                all.filter(|n| !made(n)).collect()
            }
        }
    }
}

/// A statement that has begun and needs the results of calls.
pub(super) struct Open {
    /// What it binds.
    pub(super) names: Vec<Name>,
    /// What it uses.
    pub(super) used: Names,
    /// The checks of the host that it depends on.
    pub(super) certs: Vec<Name>,
    /// Its form and place, for the case that no rule applies.
    pub(super) stays: (Form, Loc),
    pub(super) state: State,
}

/// How far it is.
pub(super) enum State {
    Call(Call),
    Branch(Box<Branch>),
    Map(Box<Mapped>),
}

/// A call at the points of a level.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) level: LevelId,
    pub(super) fun: Name,
    pub(super) args: Vec<SubExp>,
    pub(super) pat: Vec<PatElem<Soacs>>,
    /// The checks of the host that it depends on.
    pub(super) certs: Vec<Name>,
    pub(super) loc: Loc,
}

/// A branch whose sides have begun.
pub(super) struct Branch {
    pub(super) level: LevelId,
    pub(super) pat: Vec<PatElem<Soacs>>,
    pub(super) cond: SubExp,
    pub(super) divided: Divided,
    pub(super) sides: [Running; 2],
}

/// The points of a level, divided by a condition.
pub(super) struct Divided {
    pub(super) yes: LevelId,
    pub(super) no: LevelId,
    /// How many points take the first side, of those up to each point.
    pub(super) rank: Name,
    /// The number of each point.
    pub(super) number: Name,
}

/// A map, reduction or scan whose function has begun.
pub(super) struct Mapped {
    pub(super) level: LevelId,
    pub(super) inner: LevelId,
    pub(super) stm: Stm<Soacs>,
    pub(super) function: Running,
}
