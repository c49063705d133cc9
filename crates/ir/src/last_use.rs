//! Where names are used for the last time.
//!
//! A name's last use is the last statement of its body that uses it *or
//! anything that may share its memory* (see [`crate::alias`]). In branches,
//! that may be a statement inside; in loops and lambdas, which run many times,
//! never for names bound outside of them.

use crate::alias::Aliases;
use crate::free::{free_in_stm, Names};
use crate::op::{OpView, RepOp};
use crate::rep::Rep;
use crate::syntax::*;
use crate::visit::{deep, for_each_body};
use fehu_base::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// The names used for the last time, by statement.
#[derive(Clone, Default, Debug)]
pub struct LastUses {
    /// By the first name a statement binds.
    at: FxHashMap<Name, Names>,
}

impl LastUses {
    /// The table of a function.
    pub fn of_fun<R: Rep>(aliases: &Aliases, fun: &FunDef<R>) -> LastUses {
        LastUses::of_body(aliases, &fun.body)
    }

    /// The table of a body that runs once, after which nothing free in it is used.
    pub fn of_body<R: Rep>(aliases: &Aliases, body: &Body<R>) -> LastUses {
        let mut uses = LastUses::default();
        uses.body(aliases, body, &FxHashSet::default());
        uses
    }

    /// The names that a statement uses for the last time, and those it binds that are never used.
    /// Nothing is known of statements that bind nothing.
    pub fn at<R: Rep>(&self, stm: &Stm<R>) -> Option<&Names> {
        self.at.get(&stm.pat.first()?.name)
    }

    /// Whether the statement uses the name for the last time.
    pub fn is_last<R: Rep>(&self, stm: &Stm<R>, name: Name) -> bool {
        self.at(stm).is_some_and(|names| names.contains(&name))
    }

    /// `after` holds the ancestors of all that is used after the body.
    fn body<R: Rep>(&mut self, aliases: &Aliases, body: &Body<R>, after: &FxHashSet<Name>) {
        deep(|| {
            let mut live = after.clone();
            for n in body.result.iter().filter_map(|e| e.name()) {
                live.extend(aliases.of(n));
            }
            for stm in body.stms.iter().rev() {
                let used = free_in_stm(stm);
                self.inside(aliases, stm, &used, &live);
                let bound = stm.pat.iter().map(|p| p.name);
                let dies = |n: &Name| aliases.of(*n).iter().all(|a| !live.contains(a));
                let last: Names = used.iter().copied().chain(bound).filter(dies).collect();
                if let Some(first) = stm.pat.first() {
                    self.at.insert(first.name, last);
                }
                for n in &used {
                    live.extend(aliases.of(*n));
                }
            }
        })
    }

    /// The bodies in a statement.
    fn inside<R: Rep>(&mut self, aliases: &Aliases, stm: &Stm<R>, used: &Names, live: &FxHashSet<Name>) {
        let runs_once = match &stm.exp {
            Exp::If(..) | Exp::WithAcc(_) => true,
            Exp::Loop(_) => false,
            Exp::Op(op) => match op.view() {
                OpView::Soac(_) | OpView::Seg(_) => false,
                OpView::Size(_) | OpView::Alloc(..) => return,
            },
            Exp::Basic(_) | Exp::Call(..) => return,
        };
        // Of what is used later only that matters which the bodies can reach. What runs many times
        // uses in the next run what it uses in this one.
        let reached = used.iter().flat_map(|n| aliases.of(*n));
        let after: FxHashSet<Name> = reached.filter(|n| !runs_once || live.contains(n)).collect();
        for_each_body(&stm.exp, &mut |body| self.body(aliases, body, &after));
    }
}
