//! Slices of programs: the statements that some operands depend on.

use fehu_base::Name;
use fehu_ir::free::{free_in_stm, free_in_stms, Names};
use fehu_ir::visit::{look, Visitor};
use fehu_ir::{Body, Loop, LoopForm, Param, Rep, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

/// The statements of a body that operands depend on and its checks that stay, with some others put before those at
/// their positions.
pub(crate) fn needed<R: Rep>(
    body: &Body<R>,
    mut also: FxHashMap<usize, Stm<R>>,
    operands: impl Iterator<Item = SubExp>,
) -> Vec<Stm<R>> {
    let mut needed: FxHashSet<Name> = operands.filter_map(|e| e.name()).collect();
    let mut kept: Vec<Stm<R>> = vec![];
    for (i, stm) in body.stms.iter().enumerate().rev() {
        if stm.stays() || stm.pat.iter().any(|p| needed.contains(&p.name)) {
            needed.extend(free_in_stm(stm));
            kept.push(stm.clone());
        }
        if let Some(stm) = also.remove(&i) {
            needed.extend(free_in_stm(&stm));
            kept.push(stm);
        }
    }
    kept.reverse();
    kept
}

/// Part of a loop's body: statements, and operands that they are for.
pub(crate) struct Part<R: Rep> {
    pub(crate) stms: Vec<Stm<R>>,
    pub(crate) operands: Vec<SubExp>,
}

/// The parameters that a part of a loop's body needs, in itself or to go on to the next iteration. `part`
/// gives the part that computes further operands as well; `first` are parameters that are needed anyway.
pub(crate) fn loop_part<R: Rep>(
    l: &Loop<R>,
    first: &[Name],
    mut part: impl FnMut(&[SubExp]) -> Option<Part<R>>,
) -> Option<(Vec<bool>, Part<R>)> {
    let mut kept: Vec<bool> = l.params.iter().map(|(p, _)| first.contains(&p.name)).collect();
    loop {
        let next: Vec<SubExp> =
            l.body.result.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(e, _)| *e).collect();
        let found = part(&next)?;
        let mut used = free_in_stms(&found.stms);
        used.extend(found.operands.iter().chain(&next).filter_map(|e| e.name()));
        match &l.form {
            LoopForm::While(cond) => used.extend([*cond]),
            LoopForm::For { .. } => {}
        }
        for ((p, _), _) in l.params.iter().zip(&kept).filter(|(_, kept)| **kept) {
            used.extend(mentioned(p));
        }
        let mut changed = false;
        for ((p, _), kept) in l.params.iter().zip(&mut kept) {
            if !*kept && used.contains(&p.name) {
                *kept = true;
                changed = true;
            }
        }
        if !changed {
            return Some((kept, found));
        }
    }
}

/// The names that a parameter's type and place mention.
fn mentioned<R: Rep>(p: &Param<R>) -> Names {
    struct Seen(Names);
    impl<R: Rep> Visitor<R> for Seen {
        fn name(&mut self, n: &Name) {
            self.0.insert(*n);
        }
    }
    let mut seen = Seen(Names::default());
    look::param(&mut seen, p);
    seen.0
}
