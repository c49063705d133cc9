//! Loops whose iterations are done several at a time.

#[cfg(doc)]
use super::Plan;
use crate::class::Class;
use crate::free::free_in_exp;
use crate::rep::Rep;
use crate::syntax::{Body, Exp};
use fehu_base::{Name, Symbol};
use rustc_hash::FxHashSet;

/// See [`Plan::Steps`]. The map is the last statement of a counted loop, whose iterations hand its results
/// on; the others compute scalars of the loop's counter. Each point reads what is handed on at points that
/// are close. A block computes a strip of columns, and goes down the rows with all steps at a time, each as
/// many rows behind the one before as it reads; rows that the next step still reads are in shared memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Steps {
    /// Iterations of the loop that a kernel does.
    pub steps: i64,
    /// What the loop hands on: for each result of the map, the parameter that is its value in the iteration after.
    pub carried: Vec<Name>,
    /// How far from its own place a point reads these at most, in either dimension.
    pub radius: i64,
    /// Threads in a block, each of which has a column; those at the ends of a strip are only computed for
    /// what they are read by.
    pub block: i64,
    /// Rows of a block at least.
    pub rows: i64,
    /// Blocks that keep the device busy: there are about as many, if they have so many rows.
    pub blocks: Symbol,
    /// Whether points beyond an edge are those from the other edge on.
    pub around: bool,
    /// Arrays of the map's own shape that do not change and that points read at their own place: a thread
    /// reads an element of these once for all steps.
    pub kept: Vec<Name>,
}

impl Steps {
    /// By how many rows the last step is behind the row that is read.
    pub fn rows_behind(&self) -> i64 {
        self.steps * (self.radius + 1)
    }

    /// Columns at each end of a strip, and rows beyond its own, that a block reads.
    pub fn halo(&self) -> i64 {
        self.steps * self.radius
    }

    /// Rows of each step that are in shared memory: those that are read, and the one that is written
    /// meanwhile, as a power of two.
    pub fn ring(&self) -> i64 {
        ring(self.radius)
    }
}

/// See [`Plan::Line`]. The map is the last statement of a counted loop, whose iterations hand its results on;
/// the others compute scalars of the loop's counter. Each point reads what is handed on at points that are
/// close, also around the ends of the vector. A block has these in shared memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Iterations of the loop that a kernel does at most.
    pub steps: i64,
    /// As in [`Steps`].
    pub carried: Vec<Name>,
    /// How far from its own place a point reads these at most.
    pub radius: i64,
    /// Threads in a block, each of which has an element; those at the ends are only computed for what they are read by.
    pub block: i64,
    /// Other arrays of which a thread reads the elements of all iterations before the first one.
    pub ahead: Vec<Name>,
}

impl Line {
    /// Elements at each end that a block computes for its own ones.
    pub fn halo(&self) -> i64 {
        self.steps * self.radius
    }

    /// The statements of a point, by their numbers, that compute scalars, or views, of nothing that the loop
    /// hands on: they can be done before the first iteration.
    pub fn known_before<R: Rep>(body: &Body<R>, carried: &[Name]) -> Vec<usize> {
        let mut later: FxHashSet<Name> = carried.iter().copied().collect();
        let mut before = vec![];
        for (number, stm) in body.stms.iter().enumerate() {
            let suits = match &stm.exp {
                Exp::Basic(basic) => {
                    matches!(basic.class(), Class::Arithmetic | Class::Read | Class::View | Class::Reshape)
                }
                Exp::If(..) | Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
            };
            if suits && free_in_exp(&stm.exp).iter().all(|n| !later.contains(n)) {
                before.push(number);
            } else {
                later.extend(stm.pat.iter().map(|p| p.name));
            }
        }
        before
    }
}

/// See [`Steps::ring`].
pub fn ring(radius: i64) -> i64 {
    let rows = 2 * radius + 2;
    i64::try_from(rows.unsigned_abs().next_power_of_two()).unwrap_or(rows)
}
