//! Arrays that a loop changes in place: not the array is saved in each iteration, but what the iteration
//! overwrites.
//!
//! ```text
//! ys = loop p = xs for i < n { .. let (q) = p with [k] = v  .. return (q) }
//!
//! forward:   let (old) = p[k]   saved with [i] = old   places with [i] = k   let (q) = p with [k] = v
//! return:    from the last array on, in each iteration: p = q with [places[i]] = saved[i], before the body runs again
//! ```
//!
//! So `n` steps that write one element each take memory for `n` elements, not for `n` arrays. It is done for
//! parameters that the body changes by updates alone, be it in one side of a branch whose other side leaves
//! the array as it is. Where the body reads the array after its own write, a copy remains.

use super::nest::array;
use super::Reverse;
use fehu_base::ops::CmpOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::free::free_in_type;
use fehu_ir::types::slice_shape;
use fehu_ir::{Basic, Body, DimIndex, Exp, Loop, Param, PatElem, Slice, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// One update of an array in an iteration.
#[derive(Clone)]
struct Change {
    /// Which statement of the body.
    at: usize,
    /// The side of the branch in which it is, and its place there; none if it always happens.
    side: Option<(bool, usize)>,
    slice: Slice,
    part: Type,
}

/// The log of a parameter.
#[derive(Clone)]
pub(crate) struct Log {
    changes: Vec<Logged>,
}

impl Log {
    /// The arrays in which it is, and what each iteration puts there.
    pub(super) fn arrays(&self) -> Vec<(Name, Type)> {
        let places = |c: &Logged| c.places.iter().map(|(_, n)| (*n, Type::I64)).collect::<Vec<_>>();
        self.changes.iter().flat_map(|c| [vec![(c.old, c.part.clone())], places(c)].concat()).collect()
    }
}

/// What was saved of an update: for each iteration the places that its slice names, and the old values.
#[derive(Clone)]
struct Logged {
    slice: Slice,
    part: Type,
    sometimes: bool,
    places: Vec<(SubExp, Name)>,
    old: Name,
}

/// The updates that lead from a parameter of a loop to what it is in the next iteration.
fn changes(types: &fehu_ir::types::Types, l: &Loop<Soacs>, k: usize) -> Option<Vec<Change>> {
    let own: FxHashSet<Name> = l.params.iter().map(|(p, _)| p.name).collect();
    let invariant = |t: &Type| free_in_type(t).iter().all(|n| !own.contains(n) && !bound_in(&l.body, *n));
    let mut now = l.params[k].0.name;
    let elem = l.params[k].0.ty.elem()?;
    let mut found = vec![];
    let change = |slice: &Slice| {
        let part = Type::Prim(elem).array_of(&slice_shape(slice));
        invariant(&part).then(|| (slice.clone(), part))
    };
    for (at, stm) in l.body.stms.iter().enumerate() {
        match &stm.exp {
            Exp::Basic(Basic::Update(a, slice, _)) if *a == now => {
                let (slice, part) = change(slice)?;
                found.push(Change { at, side: None, slice, part });
                now = stm.pat[0].name;
            }
            Exp::If(_, yes, no) => {
                for (i, p) in stm.pat.iter().enumerate() {
                    let sides = [(true, yes, no), (false, no, yes)];
                    let taken = sides.iter().find_map(|(side, body, other)| {
                        let (inner, slice) = one_update(body, body.result[i], now)?;
                        (other.result[i] == now.into() && !updates(other, now))
                            .then_some((*side, inner, slice))
                    });
                    if let (Some((side, inner, slice)), Some(_)) = (taken, types.get(&p.name)) {
                        let (slice, part) = change(&slice)?;
                        places(&slice).first()?;
                        found.push(Change { at, side: Some((side, inner)), slice, part });
                        now = p.name;
                        break;
                    }
                }
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    }
    (l.body.result[k] == now.into()).then_some(found)
}

/// The update that makes a result of a body of an array, and its slice.
fn one_update(body: &Body<Soacs>, result: SubExp, of: Name) -> Option<(usize, Slice)> {
    body.stms.iter().enumerate().find_map(|(i, stm)| match &stm.exp {
        Exp::Basic(Basic::Update(a, slice, _)) if *a == of && result == stm.pat[0].name.into() => {
            Some((i, slice.clone()))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    })
}

fn updates(body: &Body<Soacs>, a: Name) -> bool {
    body.stms.iter().any(|stm| matches!(&stm.exp, Exp::Basic(Basic::Update(b, ..)) if *b == a))
}

fn bound_in(body: &Body<Soacs>, n: Name) -> bool {
    body.stms.iter().any(|s| s.pat.iter().any(|p| p.name == n))
}

/// The operands of a slice that say where it is.
fn places(slice: &[DimIndex]) -> Vec<SubExp> {
    slice
        .iter()
        .flat_map(|d| match d {
            DimIndex::Fix(i) => vec![*i],
            DimIndex::Slice { start, stride, .. } => vec![*start, *stride],
        })
        .filter(|e| matches!(e, SubExp::Var(_)))
        .collect()
}

/// A slice at other places.
fn moved(slice: &[DimIndex], to: &dyn Fn(SubExp) -> SubExp) -> Slice {
    let dim = |d: &DimIndex| match d {
        DimIndex::Fix(i) => DimIndex::Fix(to(*i)),
        DimIndex::Slice { start, len, stride } => {
            DimIndex::Slice { start: to(*start), len: *len, stride: to(*stride) }
        }
    };
    slice.iter().map(dim).collect()
}

/// A log that is being written: more parameters of the loop.
pub(super) struct Writing<'s> {
    pub(super) count: SubExp,
    pub(super) i: SubExp,
    pub(super) news: &'s mut Vec<(Param<Soacs>, SubExp)>,
    pub(super) pat: &'s mut Vec<PatElem<Soacs>>,
    pub(super) results: &'s mut Vec<SubExp>,
}

impl Reverse<'_> {
    /// Whether a parameter of a loop changes by updates alone, and at least once: then it has a log.
    pub(super) fn has_log(&self, l: &Loop<Soacs>, k: usize) -> bool {
        l.params[k].0.ty.is_array() && changes(&self.b.types, l, k).is_some()
    }

    /// Makes the body of a loop write the log of a parameter.
    pub(super) fn write_log(&mut self, l: &mut Loop<Soacs>, k: usize, w: &mut Writing<'_>) -> Log {
        let mut logged = vec![];
        let changes = changes(&self.b.types, l, k).unwrap_or_default();
        // From the last on, so that places in the body remain.
        for change in changes.into_iter().rev() {
            let (values, old, more) = match change.side {
                None => self.log_update(l, &change),
                Some((side, inner)) => self.log_branch(l, &change, side, inner),
            };
            let after = change.at + 1 + more;
            let mut rooms = vec![];
            let all: Vec<SubExp> = values.iter().copied().chain([old]).collect();
            self.b.begin();
            for e in &all {
                let ty = self.b.type_of(*e).array_of(&[w.count]);
                let room = self.b.param("log", ty.clone());
                let slice = Self::row_slice(&ty, w.i);
                w.results.push(self.update(room.name, &slice, *e));
                rooms.push(self.saved(w.news, w.pat, room, ty));
            }
            let saving = self.b.end(vec![]).stms;
            l.body.stms.splice(after..after, saving);
            let Some(old) = rooms.pop() else { fehu_base::bug!("a log of nothing") };
            let named = places(&change.slice).into_iter().zip(rooms).collect();
            logged.push(Logged {
                slice: change.slice,
                part: change.part,
                sometimes: change.side.is_some(),
                places: named,
                old,
            });
        }
        Log { changes: logged }
    }

    /// Reads what an update overwrites, before it. Gives the places and the old value, and how many
    /// statements that takes.
    fn log_update(&mut self, l: &mut Loop<Soacs>, change: &Change) -> (Vec<SubExp>, SubExp, usize) {
        let stm = &l.body.stms[change.at];
        let Exp::Basic(Basic::Update(a, ..)) = &stm.exp else { fehu_base::bug!("a log of no update") };
        let reading = self.read_old(*a, change, &stm.certs.clone());
        let copy = self.copied_if_array(&reading);
        let old = copy.as_ref().map_or(reading.pat[0].name, |s| s.pat[0].name);
        let both: Vec<Stm<Soacs>> = [reading].into_iter().chain(copy).collect();
        let count = both.len();
        l.body.stms.splice(change.at..change.at, both);
        (places(&change.slice), old.into(), count)
    }

    fn read_old(&mut self, a: Name, change: &Change, certs: &[Name]) -> Stm<Soacs> {
        let name = self.b.fresh("old", change.part.clone());
        let exp = Exp::Basic(Basic::Index(a, change.slice.clone()));
        let pat = vec![PatElem { name, ty: change.part.clone(), dec: () }];
        Stm { pat, certs: certs.to_vec(), attrs: vec![], loc: self.b.loc.clone(), exp }
    }

    fn copied_if_array(&mut self, reading: &Stm<Soacs>) -> Option<Stm<Soacs>> {
        let p = &reading.pat[0];
        p.ty.is_array().then(|| {
            let name = self.b.fresh("old", p.ty.clone());
            let pat = vec![PatElem { name, ty: p.ty.clone(), dec: () }];
            Stm { pat, exp: Exp::Basic(Basic::Copy(p.name)), ..reading.clone() }
        })
    }

    /// Makes a branch give the places and the old value; -1 and nothing where there is no update.
    fn log_branch(
        &mut self,
        l: &mut Loop<Soacs>,
        change: &Change,
        side: bool,
        inner: usize,
    ) -> (Vec<SubExp>, SubExp, usize) {
        let at = change.at;
        let mut stm = l.body.stms[at].clone();
        let Exp::If(_, yes, no) = &mut stm.exp else { fehu_base::bug!("a log of no branch") };
        let (taken, other) = if side { (yes, no) } else { (no, yes) };
        let update = &taken.stms[inner];
        let Exp::Basic(Basic::Update(a, ..)) = &update.exp else { fehu_base::bug!("a log of no update") };
        let reading = self.read_old(*a, change, &update.certs.clone());
        let copy = self.copied_if_array(&reading);
        let old = copy.as_ref().map_or(reading.pat[0].name, |s| s.pat[0].name);
        let both: Vec<Stm<Soacs>> = [reading].into_iter().chain(copy).collect();
        taken.stms.splice(inner..inner, both);
        let named = places(&change.slice);
        let mut values = vec![];
        for e in &named {
            taken.result.push(*e);
            other.result.push(SubExp::i64(-1));
            let name = self.b.fresh("place", Type::I64);
            stm.pat.push(PatElem { name, ty: Type::I64, dec: () });
            values.push(name.into());
        }
        taken.result.push(old.into());
        self.b.begin();
        let none = self.zero(&change.part);
        other.stms.extend(self.b.end(vec![]).stms);
        other.result.push(none);
        let name = self.b.fresh("old", change.part.clone());
        stm.pat.push(PatElem { name, ty: change.part.clone(), dec: () });
        l.body.stms[at] = stm;
        (values, name.into(), 0)
    }

    /// The array as it was before an iteration.
    pub(super) fn undone(&mut self, log: &Log, last: Name, i: SubExp) -> Name {
        let mut now = last;
        for c in &log.changes {
            let mut at = vec![];
            for (e, saved) in &c.places {
                at.push((*e, self.row(*saved, &[i])));
            }
            let to = |e: SubExp| at.iter().find(|(old, _)| *old == e).map_or(e, |(_, new)| *new);
            let slice = moved(&c.slice, &to);
            let old = self.row(c.old, &[i]);
            let old = self.as_type(old, &c.part);
            let ty = self.b.type_of(now.into());
            now = match at.first().filter(|_| c.sometimes) {
                None => array(self.update(now, &slice, old)),
                Some((_, first)) => {
                    let happened = self.b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(0), *first);
                    let made = self.choice(
                        happened,
                        &[ty],
                        |r| vec![r.update(now, &slice, old)],
                        |_| vec![now.into()],
                    );
                    array(made[0])
                }
            };
        }
        now
    }
}
