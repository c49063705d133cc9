//! Sinking: what only one branch needs is computed in it.
//!
//! Before: any valid program. After: no statement that can be moved stands
//! before a conditional if its results are used in only one of the branches.
//!
//! ```text
//! let (y : f64) = exp(x)                                let (z : f64) = if c then {
//! let (z : f64) = if c then {return (y)}        =>        let (y : f64) = exp(x)  return (y)
//!                 else {return (0f64)}                  } else {return (0f64)}
//! ```
//!
//! Only pure statements move, and only past statements that consume nothing:
//! an array is then read later than before, but not after it is gone.

use crate::alias::{signatures, Classes};
use fehu_base::Name;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Body, Exp, Prog, Rep, Soacs, Stm};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// Sinking as a pass.
pub const PASS: Pass<Prog<Soacs>> = Pass { name: "sink", need: Need::Optional, run: sink };

/// Moves statements into the only branch that needs them.
pub fn sink<R: Rep>(prog: &mut Prog<R>) {
    let sigs = signatures(prog);
    for fun in &mut prog.funs {
        let classes = Classes::of_fun(&sigs, &prog.consts, fun);
        body(&classes, &mut fun.body);
    }
}

/// Where a name is used in a body: by one branch of one statement, or elsewhere too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Branch(usize, usize),
    Elsewhere,
}

fn body<R: Rep>(classes: &Classes, b: &mut Body<R>) {
    deep(|| {
        if b.stms.iter().any(|s| matches!(s.exp, Exp::If(..))) {
            sink_here(classes, b);
        }
        for stm in &mut b.stms {
            map_bodies(&mut stm.exp, &mut |inner| body(classes, inner));
        }
    })
}

/// Backwards: a statement that moves takes the uses it makes along.
fn sink_here<R: Rep>(classes: &Classes, b: &mut Body<R>) {
    let mut used: FxHashMap<Name, Place> = FxHashMap::default();
    let add = |used: &mut FxHashMap<Name, Place>, n: Name, place: Place| {
        let now = used.entry(n).or_insert(place);
        if *now != place {
            *now = Place::Elsewhere;
        }
    };
    for e in &b.result {
        if let Some(n) = e.name() {
            add(&mut used, n, Place::Elsewhere);
        }
    }
    let count = b.stms.len();
    let mut moved: FxHashMap<(usize, usize), Vec<Stm<R>>> = FxHashMap::default();
    let mut kept = vec![];
    for (k, stm) in std::mem::take(&mut b.stms).into_iter().enumerate().rev() {
        let places: Vec<Option<Place>> = stm.pat.iter().map(|p| used.get(&p.name).copied()).collect();
        let target = match places.iter().flatten().next() {
            Some(Place::Branch(i, side))
                if places.iter().flatten().all(|p| *p == Place::Branch(*i, *side)) =>
            {
                Some((*i, *side))
            }
            Some(Place::Branch(..) | Place::Elsewhere) | None => None,
        };
        match target {
            Some((i, side)) if may_sink(classes, &stm) => {
                for n in free_in_stm(&stm) {
                    add(&mut used, n, Place::Branch(i, side));
                }
                moved.entry((i, side)).or_default().push(stm);
            }
            _ => {
                match &stm.exp {
                    Exp::If(c, t, f) => {
                        for (side, branch) in [t, f].into_iter().enumerate() {
                            for n in free_in_body(branch) {
                                add(&mut used, n, Place::Branch(k, side));
                            }
                        }
                        if let Some(n) = c.name() {
                            add(&mut used, n, Place::Elsewhere);
                        }
                        for n in stm.certs.iter().copied() {
                            add(&mut used, n, Place::Elsewhere);
                        }
                        for n in stm.pat.iter().flat_map(|p| fehu_ir::free::free_in_type(&p.ty)) {
                            add(&mut used, n, Place::Elsewhere);
                        }
                    }
                    _ => {
                        for n in free_in_stm(&stm) {
                            add(&mut used, n, Place::Elsewhere);
                        }
                    }
                }
                kept.push((k, stm));
            }
        }
    }
    debug_assert!(kept.len() <= count);
    kept.reverse();
    b.stms = kept
        .into_iter()
        .map(|(k, mut stm)| {
            if let Exp::If(_, t, f) = &mut stm.exp {
                for (side, branch) in [t, f].into_iter().enumerate() {
                    if let Some(mut stms) = moved.remove(&(k, side)) {
                        stms.reverse();
                        stms.append(&mut branch.stms);
                        branch.stms = stms;
                    }
                }
            }
            stm
        })
        .collect();
}

/// Whether a statement is pure and reads no array that anyone consumes. Checks stay: what they guard may
/// be elsewhere, and they should fail early.
fn may_sink<R: Rep>(classes: &Classes, stm: &Stm<R>) -> bool {
    if !stm.attrs.is_empty() {
        return false;
    }
    let movable = match &stm.exp {
        Exp::SubExp(_)
        | Exp::UnOp(..)
        | Exp::BinOp(..)
        | Exp::CmpOp(..)
        | Exp::Conv(..)
        | Exp::PrimFn(..)
        | Exp::ArrayLit(..)
        | Exp::ArrayConst(_)
        | Exp::Index(..)
        | Exp::FlatIndex(..)
        | Exp::Iota { .. }
        | Exp::Replicate(..)
        | Exp::Scratch(..)
        | Exp::Copy(_)
        | Exp::Manifest(..)
        | Exp::Concat { .. }
        | Exp::Rearrange(..)
        | Exp::Reshape(..)
        | Exp::If(..)
        | Exp::Op(_) => true,
        Exp::Opaque(_)
        | Exp::Assert(..)
        | Exp::Update(..)
        | Exp::FlatUpdate(..)
        | Exp::UpdateAcc(..)
        | Exp::Call(..)
        | Exp::Loop(_)
        | Exp::WithAcc(_) => false,
    };
    let arrays_safe = |n: &Name| !classes.is_known(*n) || !classes.is_consumed(*n);
    movable
        && stm.pat.iter().all(|p| !p.ty.is_array() || !classes.is_consumed(p.name))
        && free_in_stm(stm).iter().all(arrays_safe)
}
