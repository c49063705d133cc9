//! Combinators whose code no kernel can run become loops of the host.
//!
//! Before: a program over `Soacs`, and the places of kernels that were refused (see the memory crate: nothing
//! is allocated while a kernel runs, so that all sizes must be known before it). After: the same program, in
//! which each combinator of the host that has one of these places in it is a loop. What is inside of it is
//! now code of the host itself, which may allocate as it likes, and be parallel:
//!
//! ```text
//! map (\n -> let xs = f n in reduce (+) 0 xs) ns      loop (*out = scratch) for i < m {
//!                                                       let xs = f ns[i]
//!                                                       out with [i] = reduce (+) 0 xs }
//! ```
//!
//! Where accumulators are involved, they become the arrays that they stand for, and all combinators that
//! update them become loops: only they know who updates what when.
//!
//! This is slow where the combinator is long and the code inside is short; whoever asks for it must say so to the user.

use crate::sequential::{Calls, Seq};
use fehu_base::NameSource;
use fehu_ir::types::prog_types;
use fehu_ir::visit::{deep, for_each_body, for_each_stm, map_bodies};
use fehu_ir::{Body, Builder, Exp, Loc, Prog, Soacs, Stm};

/// Makes loops of the combinators of the host in which these places are: one level of each. Returns where they are
/// (nowhere, if there are none).
pub fn serialise_on_host(mut prog: Prog<Soacs>, refused: &[Loc]) -> (Prog<Soacs>, Vec<Loc>) {
    let types = prog_types(&prog);
    let mut b = Builder::new(std::mem::replace(&mut prog.names, NameSource::new()));
    b.types = types;
    let mut serialise = Serialise { seq: Seq::new(b, Calls::Kept), refused, found: vec![] };
    serialise.body(&mut prog.consts);
    for fun in &mut prog.funs {
        serialise.body(&mut fun.body);
    }
    prog.names = serialise.seq.b.names;
    (prog, serialise.found)
}

struct Serialise<'a> {
    seq: Seq<Soacs>,
    refused: &'a [Loc],
    found: Vec<Loc>,
}

impl Serialise<'_> {
    /// Code of the host.
    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            self.seq.b.begin();
            for mut stm in std::mem::take(&mut body.stms) {
                let soac = matches!(stm.exp, Exp::Op(_) | Exp::WithAcc(_));
                if soac && self.is_refused(&stm) {
                    self.found.push(stm.loc.clone());
                    self.seq.change(stm);
                    continue;
                }
                if !soac {
                    map_bodies(&mut stm.exp, &mut |b| self.body(b));
                }
                self.seq.b.push(stm);
            }
            *body = self.seq.b.end(std::mem::take(&mut body.result));
        });
    }

    /// Whether one of the places is in a statement.
    fn is_refused(&self, stm: &Stm<Soacs>) -> bool {
        let mut any = self.refused.contains(&stm.loc);
        for_each_body(&stm.exp, &mut |b| for_each_stm(b, &mut |s| any |= self.refused.contains(&s.loc)));
        any
    }
}
