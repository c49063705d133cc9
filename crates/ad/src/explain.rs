//! What reverse mode saves of loops, and what it runs again, for `fehu dev --explain-ad`.
//!
//! The notes are taken while derivatives are made, of a copy of the program. What nothing reads is gone in the end, and
//! so are the notes of it.

use crate::{rounds, simplified, Options};
use fehu_base::Name;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Loc, Prog, Soacs, SubExp, Type};
use rustc_hash::FxHashSet;

/// How a parameter of a loop is saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Its value at the beginning of each iteration.
    Values,
    /// The same of values whose sizes change, one after the other.
    ValuesOfChangingSize,
    /// What each iteration overwrites of an array, and where.
    Overwritten,
    /// Not at all: the array at the end has what was read.
    AtTheEnd,
    /// It is no parameter: the loop's steps run again on the way back.
    Again,
    /// The loop is split into so many loops, whose steps run again so many times less one, at most.
    Levels(i64),
    /// The program finds out into how many loops it is split for so many bytes.
    LevelsFor(i64),
}

/// What is saved of a parameter of a loop.
#[derive(Clone, Debug)]
pub struct Saved {
    /// Where the loop is.
    pub loc: Loc,
    /// How.
    pub way: Way,
    /// The bytes of each iteration, in the program's sizes.
    pub bytes: String,
    /// The arrays in which it is.
    names: Vec<Name>,
}

/// A note, as reverse mode takes it.
pub(crate) struct Note {
    pub(crate) loc: Loc,
    pub(crate) way: Way,
    /// The arrays in which it is, and what each iteration puts there.
    pub(crate) arrays: Vec<(Name, Type)>,
}

/// What the derivatives of a program save.
pub fn saved(prog: &Prog<Soacs>, options: Options) -> Vec<Saved> {
    let mut prog = prog.clone();
    let mut notes = vec![];
    rounds(&mut prog, options, simplified, &mut notes);
    let mut bound: FxHashSet<Name> = FxHashSet::default();
    for fun in &prog.funs {
        for_each_stm(&fun.body, &mut |stm| bound.extend(stm.pat.iter().map(|p| p.name)));
    }
    let mut all: Vec<Saved> = vec![];
    for note in notes {
        let names: Vec<Name> = note.arrays.iter().map(|(n, _)| *n).filter(|n| bound.contains(n)).collect();
        let of_loop = matches!(note.way, Way::Again | Way::Levels(_) | Way::LevelsFor(_));
        if names.is_empty() && !of_loop {
            continue;
        }
        let parts = note.arrays.iter().filter(|(n, _)| names.contains(n));
        let bytes: Vec<String> = parts.map(|(_, ty)| bytes(&prog, ty)).collect();
        all.push(Saved { loc: note.loc, way: note.way, bytes: bytes.join(" + "), names });
    }
    all.sort_by_key(|s| (s.loc.span.file, s.loc.span.lo, s.names.clone()));
    all
}

/// The bytes of a value.
fn bytes(prog: &Prog<Soacs>, ty: &Type) -> String {
    let size = |e: &SubExp| match e {
        SubExp::Const(v) => v.to_string().trim_end_matches("i64").to_owned(),
        SubExp::Var(n) => prog.names.base(*n).to_string(),
    };
    let elem = ty.elem().map_or(0, |p| p.bytes());
    [elem.to_string()].into_iter().chain(ty.shape().iter().map(size)).collect::<Vec<_>>().join(" * ")
}
