//! Arrays are computed in the memory of arrays that they take the place of.
//!
//! Before: a program over `Memory`. After: the same, with fewer blocks.
//!
//! ```text
//! fun f(*xs : [n]i32 @ xs_mem) = {                         fun f(*xs : [n]i32 @ xs_mem) = {
//!   let (b : mem) = alloc 4*n
//!   let (ys : [n]i32 @ b) = segmap (i < n) { xs[i] + 2 }     let (ys : [n]i32 @ xs_mem) = segmap (i < n) { xs[i] + 2 }
//!   return (b, ys)                                           return (xs_mem, ys)
//! ```
//!
//! A block that is allocated becomes an older one of the same size if
//!
//! 1. the older one is the function's own: it is allocated in the same body, or is that of an argument which
//!    the function consumes; and it is known under one name, so never passed on or returned;
//! 2. up to the last use of the older one, no write to the new one meets a later use of the older one at the
//!    same place: the overlap test decides ([`fehu_analysis::order`]). A point of a map may read the very
//!    element that it replaces;
//! 3. up to there, the new one is known under one name, too.
//!
//! Blocks whose last use is over before the new one is written are left to [`merge`](crate::merge), but for
//! those of arguments, which nothing else can use.

use crate::budget::Budget;
use crate::builder::Place;
use crate::constants::with_constants;
use crate::results::rows_of_threads;
use crate::shortcircuit::Around;
use crate::tables::{bytes_of, operand_counts, Tables};
use crate::within::{any_stm, Within};
use fehu_algebra::{Facts, Poly};
use fehu_analysis::order::{Order, Side, Uses};
use fehu_analysis::Known;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::mem::{poly, MemOp};
use fehu_ir::seg::SegLevel;
use fehu_ir::subst::Subst;
use fehu_ir::visit::deep;
use fehu_ir::{Body, Exp, Memory, Param, Prog, Space, Stm, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Arrays are computed in the memory of arrays that they take the place of.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "reuse-blocks", need: Need::Optional, run };

/// Older blocks that are tried for a new one, the latest first.
const MAX_TRIED: usize = 4;
/// Statements that use either block, between the first write to the new one and the last use of the older one.
const MAX_BETWEEN: usize = 100;

fn run(prog: &mut Prog<Memory>) {
    with_constants(prog, of_functions);
}

fn of_functions(prog: &mut Prog<Memory>) {
    let mut pass = Reuse {
        tables: Tables::of(prog),
        known: Known::default(),
        sure: Facts::new(),
        passed: FxHashMap::default(),
        renamed: Subst::new(),
        elements: RefCell::default(),
        budget: Budget::default(),
        within: Within::default(),
    };
    for fun in prog.funs.iter_mut().filter(|fun| any_stm(&fun.body, allocates)) {
        pass.known = Known::of_fun(fun);
        pass.passed = operand_counts(&fun.body);
        pass.budget = Budget::of(&fun.body);
        pass.within = Within::of(&fun.body, &mut allocates);
        let facts = pass.known.facts();
        pass.sure = facts.clone();
        let given = pass.consumed(&fun.params, &facts);
        pass.body(&mut fun.body, &facts, given);
        std::mem::take(&mut pass.renamed).body(&mut fun.body);
    }
}

struct Reuse {
    tables: Tables,
    /// Of the function.
    known: Known,
    /// What holds whatever is checked: blocks are of one size by that alone, since a check that fails may
    /// come too late.
    sure: Facts,
    /// How often names are operands in the function: blocks that are have been passed on or returned.
    passed: FxHashMap<Name, usize>,
    /// Blocks that become others.
    renamed: Subst,
    /// What elements the arrays in blocks have, for those that were asked for.
    elements: RefCell<FxHashMap<Name, Elements>>,
    budget: Budget,
    /// The statements inside of which blocks are allocated.
    within: Within,
}

/// The elements of the arrays in a block.
#[derive(Clone, Copy, PartialEq)]
enum Elements {
    /// There are no arrays.
    None,
    /// All are of one type.
    Of(PrimType),
    /// They are of several types of so many bytes.
    OfBytes(u64),
    /// They have several sizes.
    Mixed,
}

impl Elements {
    /// The elements of both.
    fn and(self, other: Elements) -> Elements {
        match (self.bytes(), other.bytes()) {
            _ if self == other || other == Elements::None => self,
            _ if self == Elements::None => other,
            (Some(a), Some(b)) if a == b => Elements::OfBytes(a),
            _ => Elements::Mixed,
        }
    }

    fn bytes(self) -> Option<u64> {
        match self {
            Elements::Of(elem) => Some(elem.bytes()),
            Elements::OfBytes(bytes) => Some(bytes),
            Elements::None | Elements::Mixed => None,
        }
    }

    fn are_of_one_size(self) -> bool {
        self.bytes().is_some()
    }
}

/// A block that may be used for something else.
struct Own {
    block: Name,
    argument: bool,
}

/// Which statements of a body use which blocks.
struct Users {
    around: Around,
    /// The statements that use a block, or an array in it, in order. That it is a result counts as a use
    /// after all of them.
    of: FxHashMap<Name, Vec<usize>>,
    /// The statements in which threads compute long rows, in order.
    long_rows: Vec<usize>,
}

impl Users {
    /// A block becomes an older one.
    fn join(&mut self, new: Name, old: Name) {
        let later = self.of.remove(&new).unwrap_or_default();
        let all = self.of.entry(old).or_default();
        let apart = all.partition_point(|i| later.first().is_none_or(|first| i < first));
        let overlap = all.split_off(apart);
        let both: BTreeSet<usize> = overlap.into_iter().chain(later).collect();
        all.extend(both);
    }

    fn first(&self, block: Name) -> Option<usize> {
        self.of.get(&block)?.first().copied()
    }

    fn last(&self, block: Name) -> Option<usize> {
        self.of.get(&block)?.last().copied()
    }

    /// The statements in a range that use a block.
    fn within(&self, block: Name, range: &Range<usize>) -> &[usize] {
        self.of.get(&block).map_or(&[], |users| within(users, range))
    }
}

/// The part of an ordered list that is in a range.
fn within<'a>(list: &'a [usize], range: &Range<usize>) -> &'a [usize] {
    let start = list.partition_point(|i| *i < range.start);
    let end = list.partition_point(|i| *i < range.end);
    list.get(start..end).unwrap_or(&[])
}

impl Reuse {
    /// The blocks of the arguments that a function consumes, by their sizes in bytes.
    fn consumed(&self, params: &[Param<Memory>], facts: &Facts) -> FxHashMap<Poly, Vec<Own>> {
        let mut own: FxHashMap<Poly, Vec<Own>> = FxHashMap::default();
        for p in params.iter().filter(|p| p.consumed) {
            let Some(place) = self.tables.place(p.name) else { continue };
            let Some(bytes) = bytes_of(&p.ty) else { continue };
            if place.lmad.is_direct(&Facts::new()) {
                let block = Own { block: place.block, argument: true };
                own.entry(facts.normalise(&bytes)).or_default().push(block);
            }
        }
        own
    }

    /// Goes through a body of the host; `own` are the blocks that it may use from the start.
    fn body(&mut self, body: &mut Body<Memory>, facts: &Facts, mut own: FxHashMap<Poly, Vec<Own>>) {
        let blocks = own.values().flatten().count() + body.stms.iter().filter(|s| allocates(s)).count();
        if blocks < 2 && !body.stms.iter().any(|s| self.within.has(s)) {
            return;
        }
        let mut facts = facts.clone();
        self.known.enter_body(&mut facts, body);
        deep(|| {
            for stm in &mut body.stms {
                if !self.within.has(stm) {
                    continue;
                }
                match &mut stm.exp {
                    Exp::If(c, t, f) => {
                        for (branch, taken) in [(t, true), (f, false)] {
                            let mut facts = facts.clone();
                            self.known.enter_branch(&mut facts, *c, taken);
                            self.body(branch, &facts, FxHashMap::default());
                        }
                    }
                    Exp::Loop(l) => {
                        let mut facts = facts.clone();
                        self.known.enter_loop(&mut facts, l);
                        self.body(&mut l.body, &facts, FxHashMap::default());
                    }
                    Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
                }
            }
        });
        if blocks < 2 {
            return;
        }
        let mut users = self.users(body);
        let mut gone = FxHashSet::default();
        for at in 0..body.stms.len() {
            let Exp::Op(MemOp::Alloc(bytes, Space::Default)) = &body.stms[at].exp else { continue };
            let Some(new) = body.stms[at].pat.first().map(|p| p.name) else { continue };
            let bytes = self.sure.normalise(&poly(*bytes));
            let filled = self.filled_at(body, &users, new, &bytes);
            let same_size = own.entry(bytes).or_default();
            let older = same_size.iter().rev().take(MAX_TRIED);
            let found = older
                .filter(|old| old.block != new)
                .filter(|old| filled.is_none_or(|at| users.last(old.block).is_none_or(|last| last <= at)))
                .find(|old| self.fits(body, &facts, &users, new, old))
                .map(|old| old.block);
            match found {
                Some(old) => {
                    gone.insert(at);
                    self.take_over(new, old);
                    users.join(new, old);
                }
                None => same_size.push(Own { block: new, argument: false }),
            }
        }
        let mut at = 0..;
        body.stms.retain(|_| !gone.contains(&at.next().unwrap_or_default()));
    }

    /// Which statements use blocks, or arrays in them.
    fn users(&self, body: &Body<Memory>) -> Users {
        let around = Around::of(body);
        let mut of: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
        let mut note = |block: Name, at: usize| {
            let users = of.entry(block).or_default();
            if users.last() != Some(&at) {
                users.push(at);
            }
        };
        let mut long_rows = vec![];
        for (at, (stm, names)) in body.stms.iter().zip(&around.mentions).enumerate() {
            if !matches!(stm.exp, Exp::Op(MemOp::Alloc(..))) {
                names.iter().filter_map(|n| self.tables.block_of(*n)).for_each(|block| note(block, at));
            }
            if has_long_rows(stm) {
                long_rows.push(at);
            }
        }
        for n in body.result.iter().filter_map(|e| e.name()) {
            self.tables.block_of(n).into_iter().for_each(|block| note(block, body.stms.len()));
        }
        Users { around, of, long_rows }
    }

    /// The statement that first uses a block, if it is a parallel operation that writes all of it. What is
    /// used after that is overwritten; this needs no proof, and there are as many such pairs of blocks as an
    /// operation has pairs of results.
    fn filled_at(&self, body: &Body<Memory>, users: &Users, block: Name, bytes: &Poly) -> Option<usize> {
        let first = users.first(block)?;
        let stm = body.stms.get(first).filter(|s| matches!(s.exp, Exp::Op(MemOp::Seg(_))))?;
        let whole = |array: Name, ty: &Type| {
            let direct = |place: &Place| place.block == block && place.lmad.is_direct(&self.sure);
            self.tables.place(array).is_some_and(direct)
                && bytes_of(ty).is_some_and(|size| self.sure.normalise(&size) == *bytes)
        };
        stm.pat.iter().any(|p| whole(p.name, &p.ty)).then_some(first)
    }

    /// Whether a new block can be an older one.
    fn fits(&self, body: &Body<Memory>, facts: &Facts, users: &Users, new: Name, old: &Own) -> bool {
        let Some(first) = users.first(new) else { return false };
        let one_name = self.passed.get(&old.block).is_none_or(|n| *n == 0);
        // Places are counted in elements.
        let elements = self.elements(new).and(self.elements(old.block));
        if !one_name || !elements.are_of_one_size() {
            return false;
        }
        let Some(last) = users.last(old.block).filter(|last| *last >= first) else { return old.argument };
        let between = first..last + 1;
        if between.end > body.stms.len() || !within(&users.long_rows, &between).is_empty() {
            return false;
        }
        let of_new = users.within(new, &between);
        let mentions = &users.around.mentions;
        if of_new.iter().any(|i| mentions[*i].contains(&new)) {
            return false;
        }
        let both: BTreeSet<usize> = of_new.iter().chain(users.within(old.block, &between)).copied().collect();
        let steps = both.iter().map(|i| users.around.size(*i..*i + 1)).sum();
        if both.len() > MAX_BETWEEN || !self.budget.take(steps) {
            return false;
        }
        // A loop starts with an array of unspecified elements, which the interpreter that watches memory
        // takes to be of the array's type.
        let sequential = |i: &usize| !matches!(&body.stms[*i].exp, Exp::Op(MemOp::Seg(seg)) if matches!(seg.level, SegLevel::Thread | SegLevel::Task));
        if of_new.iter().any(sequential) && !matches!(elements, Elements::Of(_)) {
            return false;
        }
        let side = |n: Name| match self.tables.place(n) {
            Some(place) if place.block == new => Side::Source(place.lmad.clone()),
            Some(place) if place.block == old.block => Side::Destination(place.lmad.clone()),
            Some(_) | None => Side::None,
        };
        let order = Order { known: &self.known, side: &side };
        let mut uses = Uses::nothing();
        both.iter().rev().all(|i| order.stms(facts, std::slice::from_ref(&body.stms[*i]), &mut uses))
    }

    /// What elements the arrays in a block have.
    fn elements(&self, block: Name) -> Elements {
        if let Some(found) = self.elements.borrow().get(&block) {
            return *found;
        }
        let elems = self.tables.inside(block).iter().map(|n| self.tables.types.get(n).and_then(Type::elem));
        let found =
            elems.fold(Elements::None, |all, elem| all.and(elem.map_or(Elements::Mixed, Elements::Of)));
        self.elements.borrow_mut().insert(block, found);
        found
    }

    /// Lets an older block be a new one from now on.
    fn take_over(&mut self, new: Name, old: Name) {
        self.renamed.insert(new, old);
        let both = self.elements(new).and(self.elements(old));
        self.elements.borrow_mut().insert(old, both);
        for array in self.tables.inside(new).to_vec() {
            if let Some(mut place) = self.tables.place(array).cloned() {
                place.block = old;
                self.tables.set_place(array, place);
            }
        }
        if let Some(n) = self.passed.remove(&new) {
            *self.passed.entry(old).or_default() += n;
        }
    }
}

fn allocates(stm: &Stm<Memory>) -> bool {
    matches!(stm.exp, Exp::Op(MemOp::Alloc(_, Space::Default)))
}

/// Whether threads compute long rows: these are interleaved later, in a block that nothing else is in.
pub(crate) fn has_long_rows(stm: &Stm<Memory>) -> bool {
    matches!(&stm.exp, Exp::Op(MemOp::Seg(seg)) if !rows_of_threads(seg).is_empty())
}
