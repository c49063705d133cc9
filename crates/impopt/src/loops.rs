//! Loops of CPUs in an order and a shape that C compilers make vector code of.
//!
//! Before: imperative code, whose loops are as the combinators were nested. After: code that computes the
//! same values, with some loops rearranged:
//!
//! - [`rectangle`](self::rectangle): matrix products, and whatever has their shape, are run by rectangles of
//!   points, which share what they read.
//! - [`strip`](self::strip): a map of reductions that walk down columns, or of chains of floats, becomes a
//!   reduction of maps that walk along rows. Tasks that are such maps get ranges of several iterations
//!   (`least`): one alone is no vector code, and measured so it would seem to take long enough to be a range
//!   of its own.
//! - [`lanes`](self::lanes): neighbouring `while` loops of a map advance together.
//! - [`split`](self::split): a loop with special cases at its ends becomes a loop for the ends and one
//!   without special cases for all that is between them.
//! - [`chains`](self::chains): reductions of floats have several accumulators. This alone changes values: it
//!   groups them in another way.
//! - [`unchanged`](self::unchanged): blocks of iterations that change nothing are skipped, as where the index of
//!   the largest element is looked for.
//!
//! All are done here rather than on combinators, for only here it is known where an element lies, and the bodies of
//! tasks come along for free. Kernels are left alone: their threads are laid out by other rules.

mod chains;
#[cfg(test)]
mod chains_tests;
mod lanes;
#[cfg(test)]
mod lanes_tests;
mod plain;
mod rectangle;
mod split;
mod straight;
mod stride;
mod strip;
#[cfg(test)]
mod tests;
mod unchanged;
#[cfg(test)]
mod unchanged_tests;
mod vectors;

pub(crate) use self::plain::{renamed, Renaming};
use self::rectangle::ByRectangles;
pub(crate) use self::vectors::helpful as helpful_vectors;
use fehu_base::tuning::cpu_loops;
use fehu_base::NameSource;
use fehu_imp::alias::Aliases;
use fehu_imp::ops::{CpuOp, HostOp, Operation};
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, Expr, Program};
use fehu_imp::visit::{change_code, change_cpu_op, Mutator};
use fehu_pass::{Need, Pass};

/// Maps of reductions that walk down columns become reductions of maps that walk along rows.
pub static INTERCHANGE: Pass<Program> = Pass {
    name: "interchange-loops",
    need: Need::Optional,
    run: |program| {
        each_body(program, |loops, body| Interchange { loops, any: false, bounds: vec![] }.code(body))
    },
};

/// Neighbouring `while` loops of a map advance together.
pub static LANES: Pass<Program> = Pass {
    name: "lanes-of-loops",
    need: Need::Optional,
    run: |program| each_body(program, |loops, body| Lanes { loops, bounds: vec![] }.code(body)),
};

/// Loops with special cases at their ends become loops without, and code for the ends.
pub static SPLIT: Pass<Program> = Pass {
    name: "split-loops",
    need: Need::Optional,
    run: |program| each_body(program, |loops, body| Split(loops).code(body)),
};

/// Reductions of floats have several accumulators; what changes seldom is looked at in blocks.
pub static CHAINS: Pass<Program> = Pass {
    name: "accumulators",
    need: Need::Optional,
    run: |program| each_body(program, |loops, body| Chains(loops).code(body)),
};

/// Rewrites the code of each function of the host.
fn each_body(program: &mut Program, rewrite: fn(&mut Loops<'_>, &mut Code<HostOp>)) {
    let names = &mut program.names;
    let bodies = program.functions.iter_mut().map(|f| &mut f.body);
    for body in bodies.chain([&mut program.init]) {
        let mut loops = Loops { aliases: Aliases::of(body), names };
        rewrite(&mut loops, body);
    }
}

struct Loops<'a> {
    names: &'a mut NameSource,
    aliases: Aliases,
}

/// Interchanges loops anywhere in code, inner ones first.
struct Interchange<'l, 'a> {
    loops: &'l mut Loops<'a>,
    /// Whether there were any, so far.
    any: bool,
    /// The bounds that outer loops had, and how many iterations are done together.
    bounds: Vec<(Expr, i64)>,
}

impl Interchange<'_, '_> {
    /// Interchanges the loops inside of code, or else its own.
    fn in_strips<O: Operation>(&mut self, code: &mut Code<O>) {
        change_code(self, code);
        if self.any {
            return;
        }
        if let Some(other) = self.loops.interchanged(code) {
            if let Code::For { bound, .. } = code {
                self.bounds.push((bound.clone(), cpu_loops::STRIP_OF_TASK));
            }
            *code = other;
            self.any = true;
        }
    }
}

impl Mutator for Interchange<'_, '_> {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        if let Code::Seq(codes) = code {
            return codes.iter_mut().for_each(|c| self.code(c));
        }
        if !code.is_nested() {
            return self.loops.aliases.after(code);
        }
        let saved = self.loops.aliases.enter(code);
        let before = std::mem::replace(&mut self.any, false);
        let by_rectangles = self.loops.by_rectangles(code);
        let rectangles = by_rectangles.is_some();
        if let (Some(ByRectangles { least, .. }), Code::For { bound, .. }) = (&by_rectangles, &*code) {
            self.bounds.push((bound.clone(), *least));
        }
        match by_rectangles {
            Some(ByRectangles { condition: None, code: other, .. }) => *code = other,
            Some(ByRectangles { condition: Some(condition), code: other, .. }) => {
                self.in_strips(code);
                let otherwise = std::mem::replace(code, Code::Seq(vec![]));
                *code = Code::If(condition, Box::new(other), Box::new(otherwise));
            }
            None => self.in_strips(code),
        }
        self.any |= before || rectangles;
        self.loops.aliases.leave(code, saved);
    }

    /// Tasks whose iterations are done together get enough of them.
    fn cpu_op<O: Operation>(&mut self, op: &mut CpuOp<O>) {
        let before = std::mem::take(&mut self.bounds);
        change_cpu_op(self, op);
        ask_for(&self.bounds, op);
        self.bounds = before;
    }

    fn expr(&mut self, _: &mut Expr) {}
}

/// Tasks whose own loop is among those with these bounds get so many iterations at least as stand beside the bound.
fn ask_for<O: Operation>(bounds: &[(Expr, i64)], op: &mut CpuOp<O>) {
    if let CpuOp::ParFor { end, least, .. } = op {
        for (bound, together) in bounds {
            for_each_part(bound, &mut |e| {
                if matches!(e, Expr::Var(x) if x == end) {
                    *least = *together
                }
            });
        }
    }
}

/// Lets maps of `while` loops go by lanes, anywhere in code.
struct Lanes<'l, 'a> {
    loops: &'l mut Loops<'a>,
    /// The bounds of such maps, and how many iterations advance together.
    bounds: Vec<(Expr, i64)>,
}

impl Mutator for Lanes<'_, '_> {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        if let Code::Seq(codes) = code {
            return codes.iter_mut().for_each(|c| self.code(c));
        }
        if !code.is_nested() {
            return self.loops.aliases.after(code);
        }
        let saved = self.loops.aliases.enter(code);
        match self.loops.in_lanes(code) {
            Some(other) => {
                if let Code::For { bound, .. } = code {
                    self.bounds.push((bound.clone(), cpu_loops::LANES));
                }
                *code = other;
            }
            None => change_code(self, code),
        }
        self.loops.aliases.leave(code, saved);
    }

    fn cpu_op<O: Operation>(&mut self, op: &mut CpuOp<O>) {
        let before = std::mem::take(&mut self.bounds);
        change_cpu_op(self, op);
        ask_for(&self.bounds, op);
        self.bounds = before;
    }

    fn expr(&mut self, _: &mut Expr) {}
}

/// Splits the innermost loops of code.
struct Split<'l, 'a>(&'l mut Loops<'a>);

impl Mutator for Split<'_, '_> {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        match self.0.split(code) {
            Some(other) => *code = other,
            None => change_code(self, code),
        }
    }

    fn expr(&mut self, _: &mut Expr) {}
}

/// Gives innermost reductions several accumulators, or lets loops skip blocks.
struct Chains<'l, 'a>(&'l mut Loops<'a>);

impl Mutator for Chains<'_, '_> {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        match self.0.with_accumulators(code).or_else(|| self.0.skipping_blocks(code)) {
            Some(other) => *code = other,
            None => change_code(self, code),
        }
    }

    fn expr(&mut self, _: &mut Expr) {}
}
