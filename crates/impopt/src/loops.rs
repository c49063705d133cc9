//! Loops of CPUs in an order and a shape that C compilers make vector code of.
//!
//! Before: imperative code, whose loops are as the combinators were nested. After: code that computes the
//! very same values, down to the last bit, with some loops rearranged:
//!
//! - [`interchange`](self::interchange): a map of reductions that walk down columns becomes a reduction of maps
//!   that walk along rows.
//! - [`split`](self::split): a loop with special cases at its ends becomes a loop for the ends and one
//!   without special cases for all that is between them.
//!
//! Both are done here rather than on combinators, for only here it is known where an element lies, and the bodies of
//! tasks come along for free. Kernels are left alone: their threads are laid out by other rules.

mod interchange;
mod plain;
mod split;
mod stride;
#[cfg(test)]
mod tests;

use fehu_base::NameSource;
use fehu_imp::alias::Aliases;
use fehu_imp::syntax::{Code, Program};
use fehu_pass::{Need, Pass};

/// Maps of reductions that walk down columns become reductions of maps that walk along rows.
pub const INTERCHANGE: Pass<Program> = Pass {
    name: "interchange-loops",
    need: Need::Optional,
    run: |program| {
        each_body(program, |loops, body| {
            loops.interchange_in(body);
        });
    },
};

/// Loops with special cases at their ends become loops without, and code for the ends.
pub const SPLIT: Pass<Program> = Pass {
    name: "split-loops",
    need: Need::Optional,
    run: |program| each_body(program, |loops, body| loops.split_in(body)),
};

/// Rewrites the code of each function of the host.
fn each_body(program: &mut Program, rewrite: fn(&mut Loops<'_>, &mut Code)) {
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

impl Loops<'_> {
    /// Interchanges loops anywhere in code, inner ones first; whether there were any.
    fn interchange_in(&mut self, code: &mut Code) -> bool {
        if let Code::Seq(codes) = code {
            return codes.iter_mut().fold(false, |any, c| self.interchange_in(c) | any);
        }
        if code.bodies().is_empty() {
            self.aliases.after(code);
            return false;
        }
        let fresh = self.aliases.save();
        self.aliases.around(code);
        let mut any = false;
        for body in code.bodies_mut() {
            any |= fehu_ir::visit::deep(|| self.interchange_in(body));
        }
        if !any {
            if let Some(other) = self.interchanged(code) {
                *code = other;
                any = true;
            }
        }
        self.aliases.restore(fresh);
        self.aliases.around(code);
        any
    }

    /// Splits the innermost loops of code.
    fn split_in(&mut self, code: &mut Code) {
        if let Code::Seq(codes) = code {
            codes.iter_mut().for_each(|c| self.split_in(c));
        } else if let Some(other) = self.split(code) {
            *code = other;
        } else {
            for body in code.bodies_mut() {
                fehu_ir::visit::deep(|| self.split_in(body));
            }
        }
    }
}
