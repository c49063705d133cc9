//! Array short-circuiting: what is made only to be put into another array is made
//! there in the first place.
//!
//! Before: a program over `Memory`. After: the same, with fewer blocks; an
//! update (or concatenation, or literal) whose value already is where it is to
//! be put copies nothing.
//!
//! ```text
//! let (b : mem) = alloc(4*m)                            let (ys : [m]i32 @ out_mem -> i*m + {(m : 1)}) = ...
//! let (ys : [m]i32 @ b -> 0 + {(m : 1)}) = ...          let (out' ...) = out with [i, 0 :+ m] = ys
//! let (out' : [n][m]i32 @ out_mem -> ...) = out with [i, 0 :+ m] = ys
//! ```
//!
//! For a value in a block of its own, made in the same body as it is put away:
//!
//! 1. it is not used afterwards, nor is its block passed on or returned;
//! 2. its place in the end is evenly spaced, so that what is at `p` in its own
//!    block can be at `start + p*step`, and fits the value; or everything in its block is the value itself
//!    with its dimensions in some order, each of which gets another stride;
//! 3. that place is known, and what has to be checked is checked, before the value's first
//!    element is written;
//! 4. no statement in between touches the array it is put into, or what may share memory with that; other
//!    parts of the same concatenation are elsewhere.
//!
//! What the points of a parallel operation make is put into its result (`seg`), once it is known where that will be.
//! A value that branches return is looked at in each branch; one that does not
//! fulfil this there is copied there.

mod branches;
mod seg;
mod values;

use crate::builder::Place;
use crate::tables::{mentions, operand_counts, Tables};
use fehu_algebra::{Facts, Poly};
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::free::Names;
use fehu_ir::mem::{sym_name, Lmad, MemOp};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Body, Exp, Memory, PatElem, Prog, Stm, SubExp, Type};
use fehu_lmad::Dim;
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Arrays are computed where they will end up.
pub const PASS: Pass<Prog<Memory>> = Pass { name: "short-circuit", need: Need::Optional, run: shortcircuit };

/// Lets values be made where they are put.
fn shortcircuit(prog: &mut Prog<Memory>) {
    let signatures = Signatures::of_prog(prog);
    let mut pass = ShortCircuit {
        tables: Tables::of(prog),
        aliases: Aliases::default(),
        passed: FxHashMap::default(),
        parts: FxHashMap::default(),
        names: std::mem::take(&mut prog.names),
    };
    for fun in &mut prog.funs {
        pass.aliases = Aliases::of_fun(&signatures, fun);
        pass.passed = operand_counts(&fun.body);
        pass.body(&mut fun.body);
        pass.points(&mut fun.body);
        pass.remove_unused(&mut fun.body);
    }
    prog.names = std::mem::take(&mut pass.names);
    pass.tables.write(prog);
}

struct ShortCircuit {
    tables: Tables,
    /// Of the function at hand.
    aliases: Aliases,
    /// How often names are operands in the function: blocks that are have been passed on or returned.
    passed: FxHashMap<Name, usize>,
    /// Of what they are parts, for arrays that were moved.
    parts: FxHashMap<Name, Parts>,
    names: NameSource,
}

/// A part of a concatenation or literal (its result, and the number of the part), and of that part, and so on. Arrays in
/// different parts of one thing have nothing in common.
type Parts = Vec<(Name, usize)>;

fn apart(a: &Parts, b: &Parts) -> bool {
    let different = a.iter().zip(b).find(|(x, y)| x != y);
    different.is_some_and(|(x, y)| x.0 == y.0)
}

/// Where a value is to be in the end.
struct Dest {
    /// The array it is put into, if that exists before, and what that may share memory with.
    array: Option<Name>,
    ancestors: Names,
    /// The place for the value itself.
    place: Place,
    /// Where what is with it in its block will be.
    layout: Layout,
    /// The number of elements.
    count: Poly,
    /// Of what it is a part.
    parts: Parts,
}

/// How a block is laid out anew.
enum Layout {
    /// The first element and the distance between elements.
    Even { start: Poly, step: Poly },
    /// The first element; and for each dimension the size, the stride so far, and the new one.
    Strides { start: Poly, dims: Vec<(Dim, Poly)> },
}

impl Dest {
    /// Where what is at a place in the value's own block will be.
    fn moved(&self, lmad: &Lmad) -> Option<Lmad> {
        match &self.layout {
            Layout::Even { start, step } => {
                let mut moved = lmad.clone();
                moved.offset = start + &lmad.offset * step;
                for dim in &mut moved.dims {
                    dim.stride = &dim.stride * step;
                }
                Some(moved)
            }
            Layout::Strides { start, dims } => {
                let mut rest: Vec<&(Dim, Poly)> = dims.iter().collect();
                let mut moved = vec![];
                for dim in &lmad.dims {
                    let at = rest.iter().position(|(own, _)| own == dim)?;
                    moved.push(Dim::new(dim.size.clone(), rest.swap_remove(at).1.clone()));
                }
                (lmad.offset == Poly::zero()).then(|| Lmad::new(start.clone(), moved))
            }
        }
    }
}

/// What is known of the statements of a body while it is worked on.
struct Around {
    mentions: Vec<FxHashSet<Name>>,
    /// The last statement that mentions a name.
    last: FxHashMap<Name, usize>,
    /// Which statement binds a name, for names that a statement of this body binds.
    bound_at: FxHashMap<Name, usize>,
}

impl Around {
    fn of(body: &Body<Memory>) -> Around {
        let mentions = body.stms.iter().map(mentions).collect();
        let mut around = Around { mentions, last: FxHashMap::default(), bound_at: FxHashMap::default() };
        around.enter(body, 0..body.stms.len());
        around
    }

    /// Takes note of statements in this range, which were nowhere else before.
    fn enter(&mut self, body: &Body<Memory>, range: Range<usize>) {
        for i in range.clone() {
            self.bound_at.extend(body.stms[i].pat.iter().map(|p| (p.name, i)));
            for n in &self.mentions[i] {
                let last = self.last.entry(*n).or_insert(i);
                if *last < range.end {
                    *last = i;
                }
            }
        }
    }

    /// Takes note of what a statement has become.
    fn changed(&mut self, body: &Body<Memory>, i: usize) {
        self.mentions[i] = mentions(&body.stms[i]);
        self.enter(body, i..i + 1);
    }

    /// Whether a name is known before a statement.
    fn known_before(&self, name: Name, i: usize) -> bool {
        self.bound_at.get(&name).is_none_or(|at| *at < i)
    }

    /// Whether a statement after this one mentions a name.
    fn mentioned_after(&self, name: Name, i: usize) -> bool {
        self.last.get(&name).is_some_and(|last| *last > i)
    }

    /// Moves statements, given in order, to before another that is before them.
    fn lift(&mut self, body: &mut Body<Memory>, which: &[usize], before: usize) {
        for (k, i) in which.iter().enumerate() {
            body.stms[before + k..=*i].rotate_right(1);
            self.mentions[before + k..=*i].rotate_right(1);
        }
        self.enter(body, before..which.last().map_or(before, |i| i + 1));
    }
}

impl ShortCircuit {
    fn body(&mut self, body: &mut Body<Memory>) {
        deep(|| {
            for stm in &mut body.stms {
                map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
            }
        });
        if !body.stms.iter().any(|s| values::puts_values(&s.exp)) {
            return;
        }
        let mut around = Around::of(body);
        for at in (0..body.stms.len()).rev() {
            for (value, dest) in self.values_put(&body.stms[at]) {
                if !self.dies_at(body, &around, value, at) {
                    continue;
                }
                let Some(first) = self.can_move(body, &around, value, at, 0, &dest) else { continue };
                let certs_known = body.stms[at].certs.iter().all(|c| around.known_before(*c, first));
                if certs_known && self.known_dest(body, &mut around, &dest, first) {
                    self.move_value(body, &around, value, &dest.place.lmad, &dest);
                    if let Some(i) = around.bound_at.get(&value) {
                        around.changed(body, *i);
                    }
                }
            }
        }
    }

    /// Whether nothing in the value's block is used after a statement, nor twice by it.
    fn dies_at(&self, body: &Body<Memory>, around: &Around, value: Name, at: usize) -> bool {
        let Some(block) = self.tables.block_of(value) else { return false };
        let in_block = |n: &Name| self.tables.block_of(*n) == Some(block);
        let later = self.tables.inside(block).iter().chain([&block]).any(|n| around.mentioned_after(*n, at));
        let returned = body.result.iter().filter_map(|e| e.name()).any(|n| in_block(&n));
        let mut here = 0;
        fehu_ir::visit::for_each_operand(&body.stms[at].exp, &mut |e| {
            here += usize::from(e.name().is_some_and(|n| in_block(&n)));
        });
        !later && !returned && here == 1
    }

    /// Whether the value, needed by a statement, can be made at the destination: the first
    /// statement that then writes there. Its block is passed on so many times, which is fine.
    fn can_move(
        &self,
        body: &Body<Memory>,
        around: &Around,
        value: Name,
        at: usize,
        passed: usize,
        dest: &Dest,
    ) -> Option<usize> {
        let place = self.tables.place(value)?;
        let block = place.block;
        let alone = self.passed.get(&block).copied().unwrap_or(0) == passed;
        if block == dest.place.block || !alone {
            return None;
        }
        // What is alone in its block can be anywhere in it.
        let single = self.tables.inside(block).len() == 1;
        let even = matches!(dest.layout, Layout::Even { .. });
        let movable = |a: &Name| self.tables.place(*a).is_some_and(|p| dest.moved(&p.lmad).is_some());
        let first = match self.origin(body, around, block)? {
            Origin::Alloc(_) if even && !place.is_direct() => return None,
            Origin::Branches(_) if even && !place.is_direct() && !single => return None,
            _ if !self.tables.inside(block).iter().all(movable) => return None,
            Origin::Alloc(made) => {
                let in_block = |names: &FxHashSet<Name>| {
                    names.iter().any(|n| self.tables.is_array(*n) && self.tables.block_of(*n) == Some(block))
                };
                let first = (made + 1..at).find(|i| in_block(&around.mentions[*i]))?;
                // The block is as large as what it was made for, and so must the value be. Parts of that
                // may have been moved here, and are then made first.
                let made = |s: &Stm<Memory>| -> Option<(Name, Poly)> {
                    let here = |p: &&PatElem<Memory>| self.tables.block_of(p.name) == Some(block);
                    let p = s.pat.iter().find(here).filter(|_| makes_array(&s.exp))?;
                    Some((p.name, elements(&p.ty)?))
                };
                let fits = |(_, count): (Name, Poly)| Facts::new().eq(&count, &dest.count);
                let whole =
                    body.stms[first..at].iter().filter_map(made).find(|(n, _)| !self.parts.contains_key(n));
                if !made(&body.stms[first]).is_some_and(fits) || !whole.is_some_and(fits) {
                    return None;
                }
                first
            }
            Origin::Branches(branch) => {
                if !self.can_move_from_branches(&body.stms[branch], block, value, dest) {
                    return None;
                }
                branch
            }
        };
        let touched = |i: usize| !is_alloc(&body.stms[i].exp) && self.touches(&around.mentions[i], dest);
        let undisturbed = !(first..at).any(touched);
        undisturbed.then_some(first)
    }

    /// What binds a block, if it is a statement of this body of which we know what to do.
    fn origin(&self, body: &Body<Memory>, around: &Around, block: Name) -> Option<Origin> {
        let i = *around.bound_at.get(&block)?;
        match &body.stms[i].exp {
            Exp::Op(MemOp::Alloc(..)) => Some(Origin::Alloc(i)),
            Exp::If(..) => Some(Origin::Branches(i)),
            _ => None,
        }
    }

    /// Whether names include the destination's block, something in it, or what may share its memory.
    fn touches(&self, names: &FxHashSet<Name>, dest: &Dest) -> bool {
        let elsewhere = |n: &Name| self.parts.get(n).is_some_and(|parts| apart(parts, &dest.parts));
        names.iter().any(|n| {
            (self.tables.block_of(*n) == Some(dest.place.block) && !elsewhere(n))
                || (!dest.ancestors.is_empty()
                    && self.tables.is_array(*n)
                    && self.aliases.of(*n).iter().any(|a| dest.ancestors.contains(a)))
        })
    }

    /// Whether the destination is known before a statement. Its allocation is moved there if it can be.
    fn known_dest(&self, body: &mut Body<Memory>, around: &mut Around, dest: &Dest, first: usize) -> bool {
        let vars = dest.place.lmad.vars().into_iter().map(sym_name);
        let all = vars.clone().chain([dest.place.block]).all(|n| around.known_before(n, first));
        if all {
            return true;
        }
        if dest.array.is_some() || !vars.into_iter().all(|n| around.known_before(n, first)) {
            return false;
        }
        // A fresh destination, allocated later: earlier will do.
        let Some(alloc) = around.bound_at.get(&dest.place.block).copied() else { return false };
        let Some(needed) = scalar_chain(body, around, alloc, first) else { return false };
        around.lift(body, &needed, first);
        true
    }

    /// Moves a value to where it is laid out like this, and all that is in its block with it.
    fn move_value(
        &mut self,
        body: &mut Body<Memory>,
        around: &Around,
        value: Name,
        target: &Lmad,
        dest: &Dest,
    ) {
        let Some(block) = self.tables.block_of(value) else { return };
        for array in self.tables.inside(block).to_vec() {
            let lmad = self.tables.place(array).and_then(|place| dest.moved(&place.lmad));
            if let Some(lmad) = lmad {
                self.tables.set_place(array, Place { block: dest.place.block, lmad });
                let inner = self.parts.remove(&array).unwrap_or_default();
                self.parts.insert(array, dest.parts.iter().copied().chain(inner).collect());
            }
        }
        self.tables.set_place(value, Place { block: dest.place.block, lmad: target.clone() });
        if let Some(Origin::Branches(i)) = self.origin(body, around, block) {
            self.move_in_branches(&mut body.stms[i], block, dest);
        }
    }

    /// Removes allocations of blocks in which nothing is left.
    fn remove_unused(&self, body: &mut Body<Memory>) {
        let unused = |s: &Stm<Memory>| {
            let empty = |b: &Name| self.tables.inside(*b).is_empty() && !self.passed.contains_key(b);
            is_alloc(&s.exp) && s.pat.iter().all(|p| empty(&p.name))
        };
        body.stms.retain(|s| !unused(s));
        for stm in &mut body.stms {
            map_bodies(&mut stm.exp, &mut |inner| deep(|| self.remove_unused(inner)));
        }
    }
}

/// Where the block of a value comes from.
enum Origin {
    /// This statement allocates it.
    Alloc(usize),
    /// The branches of this statement return it.
    Branches(usize),
}

/// Whether an expression makes an array from nothing but its operands.
fn makes_array(exp: &Exp<Memory>) -> bool {
    matches!(
        exp,
        Exp::ArrayLit(..)
            | Exp::ArrayConst(_)
            | Exp::Iota { .. }
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(..)
            | Exp::Concat { .. }
            | Exp::Op(MemOp::Seg(_))
    )
}

fn is_alloc(exp: &Exp<Memory>) -> bool {
    matches!(exp, Exp::Op(MemOp::Alloc(..)))
}

/// How many elements an array has.
fn elements(ty: &Type) -> Option<Poly> {
    match ty {
        Type::Array(_, shape) => {
            let sizes: Vec<Poly> = shape.iter().map(|n| fehu_ir::mem::poly(*n)).collect();
            Some(Poly::product(&sizes)).filter(Poly::is_known)
        }
        Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => None,
    }
}

/// The statements, ending with an allocation, that must move for it to be made before another; `None` if they cannot.
fn scalar_chain(body: &Body<Memory>, around: &Around, alloc: usize, before: usize) -> Option<Vec<usize>> {
    let mut needed = vec![alloc];
    let mut next = 0;
    while let Some(i) = needed.get(next).copied() {
        next += 1;
        let stm = &body.stms[i];
        let pure = is_alloc(&stm.exp) || matches!(stm.exp, Exp::BinOp(op, ..) if !op.is_partial());
        if !pure || !stm.certs.is_empty() || needed.len() > 16 {
            return None;
        }
        fehu_ir::visit::for_each_operand(&stm.exp, &mut |e| {
            if let SubExp::Var(n) = e {
                match around.bound_at.get(&n) {
                    Some(j) if *j >= before && !needed.contains(j) => needed.push(*j),
                    Some(_) | None => {}
                }
            }
        });
    }
    needed.sort_unstable();
    Some(needed)
}
