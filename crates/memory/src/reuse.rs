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
//! 1. the older one is the function's own: it is allocated in the same body, or is that of an argument which the function
//!    consumes; and it is known under one name, so never passed on or returned;
//! 2. up to the last use of the older one, no write to the new one meets a later use of the older one at the same place:
//!    the overlap test decides ([`fehu_analysis::order`]). A point of a map may read the very element that it replaces;
//! 3. up to there, the new one is known under one name, too.
//!
//! Blocks whose last use is over before the new one is written are left to [`merge`](crate::merge), but for those of arguments,
//! which nothing else can use.

use crate::results::rows_of_threads;
use crate::shortcircuit::Around;
use crate::tables::{operand_counts, Tables};
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

/// Arrays are computed in the memory of arrays that they take the place of.
pub const PASS: Pass<Prog<Memory>> = Pass { name: "reuse-blocks", need: Need::Optional, run };

/// Older blocks that are tried for a new one, the latest first.
const MAX_TRIED: usize = 4;
/// Statements between the first write to a new block and the last use of the older one.
const MAX_BETWEEN: usize = 100;

fn run(prog: &mut Prog<Memory>) {
    let mut pass = Reuse {
        tables: Tables::of(prog),
        known: Known::default(),
        passed: FxHashMap::default(),
        renamed: Subst::new(),
    };
    for fun in &mut prog.funs {
        pass.known = Known::of_fun(fun);
        pass.passed = operand_counts(&fun.body);
        let facts = pass.known.facts();
        let given = pass.consumed(&fun.params, &facts);
        pass.body(&mut fun.body, &facts, given);
        std::mem::take(&mut pass.renamed).body(&mut fun.body);
    }
}

struct Reuse {
    tables: Tables,
    /// Of the function.
    known: Known,
    /// How often names are operands in the function: blocks that are have been passed on or returned.
    passed: FxHashMap<Name, usize>,
    /// Blocks that become others.
    renamed: Subst,
}

/// A block that may be used for something else.
struct Own {
    block: Name,
    argument: bool,
}

/// Where a block is first and last used in a body.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    last: usize,
}

impl Reuse {
    /// The blocks of the arguments that a function consumes, by their sizes in bytes.
    fn consumed(&self, params: &[Param<Memory>], facts: &Facts) -> FxHashMap<Poly, Vec<Own>> {
        let mut own: FxHashMap<Poly, Vec<Own>> = FxHashMap::default();
        for p in params.iter().filter(|p| p.consumed) {
            let Some(place) = self.tables.place(p.name) else { continue };
            let Type::Array(elem, shape) = &p.ty else { continue };
            if place.lmad.is_direct(&Facts::new()) {
                let sizes: Vec<Poly> = shape.iter().map(|n| poly(*n)).collect();
                let bytes = Poly::product(&sizes) * i64::try_from(elem.bytes()).unwrap_or(i64::MAX);
                let block = Own { block: place.block, argument: true };
                own.entry(facts.normalise(&bytes)).or_default().push(block);
            }
        }
        own
    }

    /// Goes through a body of the host; `own` are the blocks that it may use from the start.
    fn body(&mut self, body: &mut Body<Memory>, facts: &Facts, mut own: FxHashMap<Poly, Vec<Own>>) {
        let mut facts = facts.clone();
        self.known.enter_body(&mut facts, body);
        deep(|| {
            for stm in &mut body.stms {
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
        if !body.stms.iter().any(|s| matches!(s.exp, Exp::Op(MemOp::Alloc(_, Space::Default)))) {
            return;
        }
        let around = Around::of(body);
        let mut spans = self.spans(body, &around);
        let mut gone = FxHashSet::default();
        for at in 0..body.stms.len() {
            let Exp::Op(MemOp::Alloc(bytes, Space::Default)) = &body.stms[at].exp else { continue };
            let Some(new) = body.stms[at].pat.first().map(|p| p.name) else { continue };
            let same_size = own.entry(facts.normalise(&poly(*bytes))).or_default();
            let older = same_size.iter().rev().take(MAX_TRIED);
            let found = older
                .filter(|old| old.block != new)
                .find(|old| self.fits(body, &around, &facts, &spans, new, old))
                .map(|old| old.block);
            match found {
                Some(old) => {
                    gone.insert(at);
                    self.take_over(new, old);
                    if let Some(span) = spans.get(&new).copied() {
                        spans.insert(old, span);
                    }
                }
                None => same_size.push(Own { block: new, argument: false }),
            }
        }
        let mut at = 0..;
        body.stms.retain(|_| !gone.contains(&at.next().unwrap_or_default()));
    }

    /// Where the blocks of a body, or the arrays in them, are used.
    fn spans(&self, body: &Body<Memory>, around: &Around) -> FxHashMap<Name, Span> {
        let mut spans: FxHashMap<Name, Span> = FxHashMap::default();
        let mut note = |block: Name, at: usize| {
            let span = spans.entry(block).or_insert(Span { first: at, last: at });
            span.last = at;
        };
        for (at, (stm, names)) in body.stms.iter().zip(&around.mentions).enumerate() {
            if !matches!(stm.exp, Exp::Op(MemOp::Alloc(..))) {
                names.iter().filter_map(|n| self.tables.block_of(*n)).for_each(|block| note(block, at));
            }
        }
        for n in body.result.iter().filter_map(|e| e.name()) {
            self.tables.block_of(n).into_iter().for_each(|block| note(block, body.stms.len()));
        }
        spans
    }

    /// Whether a new block can be an older one.
    fn fits(
        &self,
        body: &Body<Memory>,
        around: &Around,
        facts: &Facts,
        spans: &FxHashMap<Name, Span>,
        new: Name,
        old: &Own,
    ) -> bool {
        let Some(span) = spans.get(&new) else { return false };
        let one_name = self.passed.get(&old.block).is_none_or(|n| *n == 0);
        // Places are counted in elements.
        if !one_name || !self.all_same(new, old.block, PrimType::bytes) {
            return false;
        }
        let Some(used) = spans.get(&old.block) else { return old.argument };
        if used.last < span.first {
            return old.argument;
        }
        let between = span.first..used.last + 1;
        if between.end > body.stms.len() || between.len() > MAX_BETWEEN {
            return false;
        }
        let in_the_way = |i: usize| around.mentions[i].contains(&new) || has_long_rows(&body.stms[i]);
        if between.clone().any(in_the_way) {
            return false;
        }
        // A loop starts with an array of unspecified elements, which the interpreter that watches memory takes to be of the
        // array's type.
        let uses_new = |n: &Name| self.tables.block_of(*n) == Some(new);
        let sequential = |i: usize| {
            !matches!(&body.stms[i].exp, Exp::Op(MemOp::Seg(seg)) if matches!(seg.level, SegLevel::Thread | SegLevel::Task))
                && around.mentions[i].iter().any(uses_new)
        };
        if between.clone().any(sequential) && !self.all_same(new, old.block, |elem| elem) {
            return false;
        }
        let side = |n: Name| match self.tables.place(n) {
            Some(place) if place.block == new => Side::Source(place.lmad.clone()),
            Some(place) if place.block == old.block => Side::Destination(place.lmad.clone()),
            Some(_) | None => Side::None,
        };
        let order = Order { known: &self.known, side: &side };
        order.stms(facts, &body.stms[between], &mut Uses::nothing())
    }

    /// Whether all arrays in two blocks have elements for which this is the same.
    fn all_same<T: PartialEq>(&self, a: Name, b: Name, f: impl Fn(PrimType) -> T) -> bool {
        let arrays = self.tables.inside(a).iter().chain(self.tables.inside(b));
        let mut elems = arrays.map(|n| self.tables.types.get(n).and_then(Type::elem).map(&f));
        match elems.next() {
            Some(Some(first)) => elems.all(|elem| elem.as_ref() == Some(&first)),
            Some(None) | None => false,
        }
    }

    /// Lets an older block be a new one from now on.
    fn take_over(&mut self, new: Name, old: Name) {
        self.renamed.insert(new, old);
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

/// Whether threads compute long rows: these are interleaved later, in a block that nothing else is in.
pub(crate) fn has_long_rows(stm: &Stm<Memory>) -> bool {
    matches!(&stm.exp, Exp::Op(MemOp::Seg(seg)) if !rows_of_threads(seg).is_empty())
}
